//! What the three forms of RMED share: the policy itself. Their pages are [`rmed1`], [`rmed2`] and
//! [`rmed2fh`].

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
/// Inside, arms go by their positions in the order drawn at construction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct Rmed {
    options: Options,
    /// The arm in each position.
    order: Vec<Arm>,
    /// The position of each arm.
    positions: Vec<usize>,
    tally: PairTally,
    /// R and N.
    lists: LoopLists,
    /// b, once it is fixed; an arm may have none.
    rivals: Vec<Option<usize>>,
    /// Whether it is fixed; before that it says nothing.
    is_fixed: bool,
    divergences: Divergences,
    quota: PairQuota,
    /// L of the next decision.
    level: u64,
    /// ln ln t of the next decision.
    ln_ln: f64,
    /// Pairs of which fewer than L outcomes came; counted for `rmed2fh` alone.
    n_short: usize,
}

/// What makes one RMED differ from another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Which of the three.
    pub form: Form,
    /// f(K), at least 0: how much longer an arm gets turns than ln t alone would give it.
    pub f: f64,
}

/// Which of the three.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Arms meet the probable winner.
    Rmed1,
    /// Arms meet whom tells the most for its cost.
    Rmed2 {
        /// How often each pair meets at least, in ln ln t.
        alpha: f64,
    },
    /// The same, fixed after an initial phase.
    Rmed2Fh {
        /// How often each pair meets at least, in ln ln T.
        alpha: f64,
        /// T, at least 1.
        horizon: u64,
    },
}

parameters! {
    /// f(K): how much longer an arm gets turns than ln t alone would give it
    F: formula("f" = "0.3*K^1.01", [at least 0]);
    /// how often each pair meets at least, in ln ln t
    RIVALS: number("alpha" = 3, [above 0]);
}

/// The alpha of the author's runs.
pub const ALPHA: f64 = RIVALS.default;

/// The f(K) of the author's runs: 0.3 K^1.01.
pub fn default_f(n_arms: usize) -> f64 {
    F.default(n_arms)
}

/// A difference of rates below this is as good as none: estimates from few duels would divide 0, or
/// less, by anything.
const FLOOR: f64 = 0.01;

/// The epoch of a duel that is a turn of its left arm. All others had to be for their number alone.
const TURN: u32 = 1;

/// f is checked before the next parameter is read.
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

    /// How often each pair must have met in a round.
    #[inline]
    fn level(&self, ln_ln: f64) -> u64 {
        let least = match self.form {
            Form::Rmed1 => return 1,
            Form::Rmed2 { alpha } => alpha * ln_ln,
            Form::Rmed2Fh { alpha, horizon } => alpha * ln_ln_of(horizon),
        };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast cuts off")]
        let level = libm::ceil(least) as u64;
        level.clamp(1, MOST_DUELS)
    }
}

/// As many duels of one pair as nobody plays.
const MOST_DUELS: u64 = 1 << 52;

/// ln t, and ln 2 in the first round.
#[inline]
fn ln_of(round: u64) -> f64 {
    libm::log(round.max(2) as f64)
}

/// ln ln t, and ln ln 3 before: ln ln 2 is negative, and ln ln 1 no number.
#[inline]
fn ln_ln_of(round: u64) -> f64 {
    libm::log(libm::log(round.max(3) as f64))
}

impl Rmed {
    /// With the author's f(K). The order in which arms take turns is drawn here.
    ///
    /// # Errors
    ///
    /// If there are no arms or more than 4096, or a number is out of its range.
    pub fn new<R: Rng + ?Sized>(n_arms: usize, form: Form, rng: &mut R) -> Result<Self, ParamError> {
        Self::with(n_arms, Options { form, f: default_f(n_arms) }, rng)
    }

    /// Any form.
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

    /// Makes all that follows from the counts and the time.
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

    /// A pair has met once less than it seemed.
    fn reopen_quota(&mut self, arm: Arm, other: Arm) {
        let (position, other) = (self.positions[arm.index()], self.positions[other.index()]);
        let met = met(&self.tally.counts, &self.order, position, other);
        self.quota.reopen(position.min(other), position.max(other), met);
    }

    /// Takes over the counts of a pair, and says how many outcomes it has.
    #[inline]
    fn set_divergence(&mut self, arm: Arm, other: Arm) -> u64 {
        let (wins, losses) = self.tally.counts.score(arm, other);
        self.divergences.set(self.positions[arm.index()], self.positions[other.index()], wins, losses);
        wins + losses
    }

    /// Fixes b if it is to be fixed, is not yet, and every pair has met often enough. Ties go by
    /// position: there is no randomness here.
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

    /// Whether b(l), once found, is to be met instead of what `rmed1` says.
    #[inline]
    fn prefers(&self, left: usize, best: usize, rival: usize) -> bool {
        let met = |other| met(&self.tally.counts, &self.order, left, other) as f64;
        self.divergences.is_opponent(left, rival) && met(best) * self.ln_ln >= met(rival)
    }

    /// b(l), among how many it was drawn.
    #[inline]
    fn rival<R: Rng + ?Sized>(&self, left: usize, best: usize, rng: &mut R) -> Option<(usize, usize)> {
        // An arm never meets itself n times, so that the test for b fails.
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

    /// Draws the right arm, given i°; and whether it was the only one that could be drawn.
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

    /// The divergence of an arm: how much the outcomes that came speak against it.
    pub fn divergence(&self, arm: Arm) -> f64 {
        self.divergences.of(self.positions[arm.index()])
    }

    /// b, if it is fixed; an arm may have none.
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
        // Parts that add up to 1 may exceed it by a rounding.
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
        // Another node's duels were not in flight here.
        self.advance_quota();
    }

    fn voided(&mut self, left: Arm, right: Arm) {
        self.reopen_quota(left, right);
    }

    /// The arms that are on the lists of the loops stay there, and so does b once it is fixed.
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

    /// The lowest index among the arms of the least divergence.
    fn recommend(&self) -> Arm {
        let within = self.divergences.within(self.divergences.limit(0.0));
        within.map(|position| self.order[position]).min().expect("some arm has the least divergence")
    }
}
