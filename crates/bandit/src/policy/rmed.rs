//! The policy RMED in its three forms. Their pages are [`rmed1`], [`rmed2`] and [`rmed2fh`].

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::Info;
use super::counting::{PairCounting, PairTally, keeps_tally};
use super::limits::{MOST_ARMS, check_table};
use super::registry::Family as _;
use crate::params::{ParamError, Params};
use crate::structures::bounds::divergences::{Divergences, Lowest};
use crate::structures::collections::loop_lists::LoopLists;
use crate::structures::collections::pair_quota::PairQuota;
use crate::structures::collections::pairs::all_pairs;
use crate::structures::counts::duel_counts::DuelCounts;
use crate::ticket::Draw;
use crate::{Arm, Ticket};

pub mod rmed1;
pub mod rmed2;
pub mod rmed2fh;
mod saved;

use saved::Saved;

/// Relative minimum empirical divergence; see [`rmed1`], [`rmed2`] and [`rmed2fh`].
///
/// Internally, arms are numbered by their position in an order drawn at construction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct Rmed {
    options: Options,
    /// The arm in each position.
    order: Vec<Arm>,
    /// The position of each arm.
    positions: Vec<usize>,
    tally: PairTally,
    /// The lists R and N.
    lists: LoopLists,
    /// The rival b of each position, once b is fixed; an arm may have no rival.
    rivals: Vec<Option<usize>>,
    /// Whether `rivals` is fixed. Until then it is not used.
    is_fixed: bool,
    divergences: Divergences,
    quota: PairQuota,
    /// L of the next decision.
    level: u64,
    /// ln ln t of the next decision.
    ln_ln: f64,
    /// The number of pairs with fewer than L outcomes; counted only for `rmed2fh`.
    n_short: usize,
}

/// The options of RMED.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The form.
    pub form: Form,
    /// f(K), at least 0: an arm gets turns while its divergence exceeds the least by at
    /// most ln t + f.
    pub f: f64,
}

/// The three forms of RMED.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Each arm meets the probable winner.
    Rmed1,
    /// Each arm meets the opponent that is most informative for its cost.
    Rmed2 {
        /// Each pair meets at least alpha ln ln t times.
        alpha: f64,
    },
    /// As `Rmed2`, but the opponents are fixed after an initial phase.
    Rmed2Fh {
        /// Each pair meets at least alpha ln ln T times.
        alpha: f64,
        /// T, at least 1.
        horizon: u64,
    },
}

parameters! {
    /// f(K): an arm gets turns while its divergence exceeds the least by at most ln t + f
    F: formula("f" = "0.3*K^1.01", [at least 0]);
    /// each pair meets at least alpha ln ln t times
    RIVALS: number("alpha" = 3, [above 0]);
}

/// The alpha of the author's runs.
pub const ALPHA: f64 = RIVALS.default;

/// The f(K) of the author's runs: 0.3 K^1.01.
pub fn default_f(n_arms: usize) -> f64 {
    F.default(n_arms)
}

/// The least cost of an opponent. Estimates from few duels may give a cost of 0 or less, and such
/// an opponent would look cheapest whatever it reveals.
const FLOOR: f64 = 0.01;

/// The epoch of a duel that is a turn of its left arm. All other duels take place only because
/// their pair has to meet often enough.
const TURN: u32 = 1;

/// Reads f and checks it before the next parameter is read.
fn read_f(params: &mut Params<'_>) -> Result<f64, ParamError> {
    let f = F.read(params)?;
    F.check(f)?;
    Ok(f)
}

impl Options {
    fn check(&self, n_arms: usize) -> Result<(), ParamError> {
        let name = match self.form {
            Form::Rmed1 => "rmed1",
            Form::Rmed2 { .. } => "rmed2",
            Form::Rmed2Fh { .. } => "rmed2fh",
        };
        check_table(name, n_arms, MOST_ARMS)?;
        F.check(self.f)?;
        match self.form {
            Form::Rmed1 => Ok(()),
            Form::Rmed2Fh { horizon: 0, .. } => Err(ParamError::NoRounds),
            Form::Rmed2 { alpha } | Form::Rmed2Fh { alpha, .. } => RIVALS.check(alpha),
        }
    }

    /// L: how often each pair must have met.
    #[inline]
    fn level(&self, ln_ln: f64) -> u64 {
        let least = match self.form {
            Form::Rmed1 => return 1,
            Form::Rmed2 { alpha } => alpha * ln_ln,
            Form::Rmed2Fh { alpha, horizon } => alpha * ln_ln_of(horizon),
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        let level = libm::ceil(least) as u64;
        level.clamp(1, MOST_DUELS)
    }
}

/// More duels than any pair has in a run.
const MOST_DUELS: u64 = 1 << 52;

/// ln t; in the first round ln 2.
#[inline]
fn ln_of(round: u64) -> f64 {
    libm::log(round.max(2) as f64)
}

/// ln ln t; in the first two rounds ln ln 3, because ln ln 2 is negative and ln ln 1 is not finite.
#[inline]
fn ln_ln_of(round: u64) -> f64 {
    libm::log(libm::log(round.max(3) as f64))
}

impl Rmed {
    /// Uses the author's f(K), and draws the order in which arms take turns.
    ///
    /// # Errors
    ///
    /// If there are no arms or more than 4096, or a number is out of its range.
    pub fn new<R: Rng + ?Sized>(n_arms: usize, form: Form, rng: &mut R) -> Result<Self, ParamError> {
        Self::with(n_arms, Options { form, f: default_f(n_arms) }, rng)
    }

    /// With any options. Draws the order in which arms take turns.
    ///
    /// # Errors
    ///
    /// If there are no arms or more than 4096, or a number is out of its range.
    pub fn with<R: Rng + ?Sized>(n_arms: usize, options: Options, rng: &mut R) -> Result<Self, ParamError> {
        options.check(n_arms)?;
        let mut order: Vec<Arm> = Arm::all(n_arms).collect();
        order.shuffle(rng);
        Ok(Self::assemble(options, order, PairTally::new(n_arms), LoopLists::new(n_arms), None))
    }

    /// Computes everything that follows from the counts and the time.
    fn assemble(
        options: Options,
        order: Vec<Arm>,
        tally: PairTally,
        lists: LoopLists,
        rivals: Option<Vec<Option<usize>>>,
    ) -> Self {
        let n_arms = order.len();
        let mut positions = vec![0; n_arms];
        for (position, arm) in order.iter().enumerate() {
            positions[arm.index()] = position;
        }
        let ln_ln = ln_ln_of(tally.round + 1);
        let mut policy = Self {
            options,
            order,
            positions,
            tally,
            lists,
            is_fixed: rivals.is_some(),
            rivals: rivals.unwrap_or_else(|| vec![None; n_arms]),
            divergences: Divergences::new(n_arms),
            quota: PairQuota::new(n_arms, 1, |_, _| 0),
            level: options.level(ln_ln),
            ln_ln,
            n_short: 0,
        };
        policy.look_at_all();
        policy
    }

    fn look_at_all(&mut self) {
        let fixes = matches!(self.options.form, Form::Rmed2Fh { .. });
        self.n_short = 0;
        for (j, i) in all_pairs(self.order.len()) {
            let (arm, other) = (self.order[i], self.order[j]);
            let (wins, losses) = self.tally.counts.score(arm, other);
            self.divergences.set(i, j, wins, losses);
            self.n_short += usize::from(fixes && wins + losses < self.level);
        }
        self.quota.restart(self.level, |low, high| met(&self.tally.counts, &self.order, low, high));
        self.fix_rivals();
    }

    #[inline]
    fn advance_quota(&mut self) {
        self.quota.advance(self.level, |low, high| met(&self.tally.counts, &self.order, low, high));
    }

    /// Accounts for a pair that has met once less than was counted.
    fn reopen_quota(&mut self, arm: Arm, other: Arm) {
        let (position, other) = (self.positions[arm.index()], self.positions[other.index()]);
        let met = met(&self.tally.counts, &self.order, position, other);
        self.quota.reopen(position.min(other), position.max(other), met);
    }

    /// Updates the divergences from a pair's counts, and returns the number of its outcomes.
    #[inline]
    fn set_divergence(&mut self, arm: Arm, other: Arm) -> u64 {
        let (wins, losses) = self.tally.counts.score(arm, other);
        self.divergences.set(self.positions[arm.index()], self.positions[other.index()], wins, losses);
        wins + losses
    }

    /// Fixes b of `rmed2fh` once every pair has L outcomes. Ties are broken by position, because no
    /// random generator is available here.
    fn fix_rivals(&mut self) {
        if self.n_short > 0 || self.is_fixed || !matches!(self.options.form, Form::Rmed2Fh { .. }) {
            return;
        }
        let best = self.divergences.nth_within(self.divergences.limit(0.0), 0);
        for position in 0..self.order.len() {
            let Lowest { value, count } = self.divergences.cheapest(position, best, FLOOR);
            let cheapest = self.divergences.cheapest_ones(position, best, FLOOR, value).next();
            self.rivals[position] = cheapest.filter(|_| count > 0);
        }
        self.is_fixed = true;
    }

    /// Whether the left arm meets its rival b(l) instead of the arm that `rmed1` chooses.
    #[inline]
    fn prefers(&self, left: usize, best: usize, rival: usize) -> bool {
        let met = |other| met(&self.tally.counts, &self.order, left, other) as f64;
        self.divergences.is_opponent(left, rival) && met(best) * self.ln_ln >= met(rival)
    }

    /// b(l), and the number of tied arms that it was drawn from.
    #[inline]
    fn rival<R: Rng + ?Sized>(&self, left: usize, best: usize, rng: &mut R) -> Option<(usize, usize)> {
        // No arm counts as having met itself, so n_{l,i°} = 0 for l = i°, and the test for b(l)
        // fails.
        if self.options.form == Form::Rmed1 || left == best {
            return None;
        }
        if self.is_fixed {
            return self.rivals[left].map(|rival| (rival, 1));
        }
        let Lowest { value, count } = self.divergences.cheapest(left, best, FLOOR);
        let rank = if count <= 1 { 0 } else { rng.random_range(0..count) };
        let rival = self.divergences.cheapest_ones(left, best, FLOOR, value).nth(rank);
        rival.filter(|_| count > 0).map(|rival| (rival, count))
    }

    /// Draws the right arm, given i°. Also returns whether it was the only arm that could be drawn.
    #[inline]
    fn right<R: Rng + ?Sized>(&self, left: usize, best: usize, rng: &mut R) -> (usize, bool) {
        let mut sure = true;
        if let Some((rival, n_ties)) = self.rival(left, best, rng) {
            sure = n_ties == 1;
            if self.prefers(left, best, rival) {
                return (rival, sure);
            }
        }
        if self.divergences.is_opponent(left, best) {
            return (best, sure);
        }
        let strongest = self.divergences.strongest(left);
        match strongest.count {
            0 => (best, sure),
            1 => (self.divergences.nth_strongest(left, strongest, 0), sure),
            n => (self.divergences.nth_strongest(left, strongest, rng.random_range(0..n)), false),
        }
    }

    /// The probability of a right arm, given i°.
    fn chance(&self, left: usize, best: usize, right: usize, strongest: Lowest) -> f64 {
        let one = |is: bool| if is { 1.0 } else { 0.0 };
        let plain = if self.divergences.is_opponent(left, best) || strongest.count == 0 {
            one(right == best)
        } else {
            let strong = right != left && self.divergences.rate(left, right) <= strongest.value;
            one(strong) / strongest.count as f64
        };
        let given = |rival| if self.prefers(left, best, rival) { one(right == rival) } else { plain };
        if self.options.form == Form::Rmed1 || left == best {
            return plain;
        }
        if self.is_fixed {
            return self.rivals[left].map_or(plain, given);
        }
        let Lowest { value, count } = self.divergences.cheapest(left, best, FLOOR);
        if count == 0 {
            return plain;
        }
        let cheapest = self.divergences.cheapest_ones(left, best, FLOOR, value);
        cheapest.map(given).sum::<f64>() / count as f64
    }

    /// The empirical divergence of an arm: the evidence against it in the outcomes so far.
    pub fn divergence(&self, arm: Arm) -> f64 {
        self.divergences.of(self.positions[arm.index()])
    }

    /// The rival b of each arm, once b is fixed; an arm may have no rival.
    pub fn fixed_rivals(&self) -> Option<Vec<Option<Arm>>> {
        if !self.is_fixed {
            return None;
        }
        let rival_of =
            |arm: Arm| self.rivals[self.positions[arm.index()]].map(|position| self.order[position]);
        Some(Arm::all(self.order.len()).map(rival_of).collect())
    }

    fn ticket(&self, left: usize, right: usize, epoch: u32, probability: f64) -> Ticket {
        self.tally.ticket((self.order[left], self.order[right]), epoch, Draw::Pair(probability))
    }
}

/// How often the arms in two positions have met, duels in flight included; an arm never meets
/// itself.
#[inline]
fn met(counts: &DuelCounts, order: &[Arm], position: usize, other: usize) -> u64 {
    if position == other {
        return 0;
    }
    let (arm, other) = (order[position], order[other]);
    let (wins, losses) = counts.score(arm, other);
    wins + losses + u64::from(counts.in_flight(arm, other))
}

keeps_tally!(Rmed);

impl PairCounting for Rmed {
    fn info(&self) -> &'static Info {
        match self.options.form {
            Form::Rmed1 => &rmed1::Family::INFO,
            Form::Rmed2 { .. } => &rmed2::Family::INFO,
            Form::Rmed2Fh { .. } => &rmed2fh::Family::INFO,
        }
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        if let Some((low, high)) = self.quota.next() {
            return self.ticket(low, high, 0, 1.0);
        }
        let left = self.lists.first();
        let limit = self.divergences.limit(0.0);
        let n_best = self.divergences.n_within(limit);
        let rank = if n_best == 1 { 0 } else { rng.random_range(0..n_best) };
        let (right, sure) = self.right(left, self.divergences.nth_within(limit, rank), rng);
        if sure && n_best == 1 {
            return self.ticket(left, right, TURN, 1.0);
        }
        let strongest = self.divergences.strongest(left);
        let chance = |best| self.chance(left, best, right, strongest);
        let chances: f64 = self.divergences.within(limit).map(chance).sum();
        // Rounding may take the sum above 1.
        self.ticket(left, right, TURN, (chances / n_best as f64).min(1.0))
    }

    #[inline]
    fn issued(&mut self, ticket: &Ticket) {
        if ticket.epoch == TURN {
            let limit = self.divergences.limit(ln_of(self.tally.round) + self.options.f);
            self.lists.serve(self.positions[ticket.left.index()], |w| self.divergences.bits_within(w, limit));
        }
        if self.options.form != Form::Rmed1 {
            self.ln_ln = ln_ln_of(self.tally.round + 1);
            self.level = self.options.level(self.ln_ln);
        }
        self.advance_quota();
    }

    #[inline]
    fn counted(&mut self, winner: Arm, loser: Arm) {
        let n_duels = self.set_divergence(winner, loser);
        if self.n_short > 0 && n_duels == self.level {
            self.n_short -= 1;
            self.fix_rivals();
        }
        // Another node's duel was not issued here, so the quota advances only now.
        self.advance_quota();
    }

    fn voided(&mut self, left: Arm, right: Arm) {
        self.reopen_quota(left, right);
    }

    /// The lists R and N stay as they are, and so does b once it is fixed.
    fn taken_back(&mut self, winner: Arm, loser: Arm) {
        let n_duels = self.set_divergence(winner, loser);
        if matches!(self.options.form, Form::Rmed2Fh { .. }) && n_duels + 1 == self.level {
            self.n_short += 1;
        }
        self.reopen_quota(winner, loser);
    }

    fn added(&mut self, _: &[f64]) {
        self.look_at_all();
    }

    /// The arm with the least divergence; of several, the one with the lowest index.
    fn recommend(&self) -> Arm {
        let within = self.divergences.within(self.divergences.limit(0.0));
        within.map(|position| self.order[position]).min().expect("some arm has the least divergence")
    }
}
