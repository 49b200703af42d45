//! SAVAGE; [`Family`] has its page.

use core::cmp::Reverse;
use core::f64::consts::PI;

use rand::Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::limits::check_table;
use super::{Assumption, Citation, Curve, Goal, Info, Policy, Propensity, Settles, registry, sure_pair};
use crate::damaged::Damaged;
use crate::params::{ParamError, Params};
use crate::structures::collections::pairs::{all_pairs, arms, n_pairs, pair, pair_of};
use crate::structures::collections::round_robin::RoundRobin;
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

declare! {
    /// # SAVAGE: drop the pairs that no longer matter
    ///
    /// ## Idea
    ///
    /// Sensitivity Analysis of VAriables for Generic Exploration. Every pair of arms is an unknown
    /// number, the probability that one beats the other, with a confidence interval round its
    /// estimate. All pairs are compared in turn. A pair is dropped for good as soon as no value
    /// within its interval could change who the winner is. When none is left, the winner is played
    /// against itself. What a winner is, the **rule** says, and with it which pairs still matter: a
    /// Condorcet winner beats every other arm, a Copeland winner beats the most arms, a Borda
    /// winner has the highest sum of winning probabilities.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// N = K (K - 1) / 2 pairs; for arms i, j: n duels so far, P_ij the fraction that i won (both of the pair, not of the round)
    /// c(n) = sqrt(ln(eta(n) / delta) / (2 n))      eta = 2 N T (finite), pi^2 N n^2 / 3 (anytime)
    /// decide:  the least sampled of the active pairs; without any, (b, b) with b the best arm so far
    /// update:  n and P_ij of the pair, then
    ///   condorcet:  P_ij + c < 1/2: i is ruled out, and all pairs of i are dropped
    ///   copeland:   P_ij + c < 1/2: j beats i is decided, and the pair is dropped
    ///               low_i = number of arms that i is decided to beat, high_i = K - 1 - number that are decided to beat i
    ///   borda:      low_ij = max(0, P_ij - c), high_ij = min(1, P_ij + c), each the best seen so far
    ///               low_i = sum of low_ij over j != i, high_i = sum of high_ij over j != i
    ///   copeland, borda:  high_i < max_k low_k: i is ruled out; a pair of two that are ruled out is dropped
    ///   all rules:  all arms but one ruled out: all pairs are dropped
    /// ```
    ///
    /// **Turns.** The pairs stand in a circle, in an order drawn at construction, and the next one
    /// is the least sampled. A duel counts as a turn when it is issued, so that many in flight are
    /// spread over the pairs, and it keeps counting when it is void or lost: a pair whose outcomes
    /// never come cannot hold up the others. The arm with the lower index is always on the left; to
    /// mix the sides is the caller's business.
    ///
    /// **What was shown stays shown.** The intervals hold at all times at once with probability 1 -
    /// delta, so what one of them has excluded stays excluded although later estimates move: signs
    /// stay decided, arms stay out, Borda's intervals only shrink. An outcome that comes late, of a
    /// pair dropped long ago, counts like any other, for the best arm and for what it shows; it
    /// does not bring a pair back. What is known thus depends on the order in which outcomes came,
    /// so that nodes cannot be merged by adding counts.
    ///
    /// **The best arm so far** is chosen among the arms not ruled out (all, if all are), by the
    /// number of arms it has won more than half of its duels against (`condorcet`, `copeland`) or
    /// by the sum of P_ij, with 1/2 for a pair that was never played (`borda`). The scores are
    /// taken over all pairs, dropped ones included. Arms that are ruled out may still lead in them:
    /// a dropped pair has few duels. Between equals the arm whose outcome came first is taken; the
    /// order of turns, which is random, decides which that is, and no index is favoured.
    ///
    /// **Why this test for Borda.** P_ij enters the scores of i and j alone, and the score of i
    /// minus that of k is at most high_i - low_k for matrices within the intervals, a value that is
    /// reached. So `high_i < low_k` for some k says exactly that i wins under none of them by k's
    /// doing. If i and j are both such arms, moving P_ij within its interval moves the scores of
    /// two losers, and the winners stay. If all arms but one are such, that one wins under each of
    /// them, and no pair matters. As long as i may win, P_ij may matter, even for a j that cannot
    /// win. The same argument ends `copeland` when one arm is left; literally read, its rule would
    /// go on asking whom else the certain winner beats. Under `condorcet` the paper's early stop
    /// (one arm is shown to beat all) is no rule of its own: all others are ruled out by then.
    ///
    /// **Exact ties.** A pair with P = 1/2 is decided only by mistake. `condorcet`: that does no
    /// harm while a Condorcet winner exists, since it rules out both arms; of two best arms that
    /// tie, neither is ruled out, and they duel until the end. `copeland`: a tie goes on as long as
    /// one of its arms may win. `borda`: with two Borda winners neither is ruled out, and all their
    /// pairs go on, those with hopeless arms included, so that the regret grows in proportion to
    /// time. `finite` ends all that at the horizon: from round T + 1 on it plays the best arm so
    /// far.
    ///
    /// ## Parameters
    ///
    parameters {
        /// what a winner is
        RULE: choice("rule", Rule:
            "condorcet" = Rule::Condorcet, "copeland" = Rule::Copeland, "borda" = Rule::Borda);
        /// the probability that any interval fails at any time; the paper's anytime runs use `1e-8`
        DELTA: formula("delta" = "1/T", [above 0 to 1]);
        /// whether intervals hold for T rounds, or for ever
        RADIUS: choice("radius", bool: "finite" = true, "anytime" = false);
    }
    ///
    /// No horizon is needed with `radius=anytime` and a `delta` without T, as in
    /// `savage:delta=1e-8,radius=anytime`. All other forms need one.
    ///
    /// ## Guarantee
    ///
    /// For preferences that do not change, with probability at least 1 - delta no winner is ever
    /// ruled out. A pair whose P is d away from 1/2 is decided after at most about 2 ln(eta /
    /// delta) / d^2 duels, so that with delta = 1/T and a unique winner the regret is of order K^2
    /// ln T. `condorcet` assumes a Condorcet winner; without one all arms may be ruled out, and the
    /// arm with the highest score is played. The other rules assume nothing more. Outcomes may come
    /// late, but whether one comes late must not depend on what it is.
    ///
    /// ## Cost
    ///
    /// O(1) to decide. O(1) a round to learn, amortised: ruling out an arm costs O(K) and happens K
    /// times at most; for `copeland` and `borda` O(K) in rounds that raise the highest low_k.
    /// O(K^2) memory, 24 bytes a pair (25 for `copeland`, 40 for `borda`). A shuffle of all pairs
    /// at construction, and no randomness after it.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::policy::savage::{Options, Radius, Rule};
    /// use tiltyard_bandit::{Outcome, Stream, policy::{Policy, Savage}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let options = Options { rule: Rule::Condorcet, delta: 1e-3, radius: Radius::Anytime };
    /// let mut policy = Savage::new(5, options, &mut rng)?;
    /// for _ in 0..500 {
    ///     let ticket = policy.decide(&mut rng);
    ///     // Of two arms the one nearer to 3 wins, and of 2 and 4 it is 2.
    ///     let rank = |arm: tiltyard_bandit::Arm| [4, 3, 1, 0, 2][arm.index()];
    ///     policy.update(&ticket, Outcome::won(rank(ticket.left) < rank(ticket.right)));
    /// }
    /// let ticket = policy.propose(&mut rng);
    /// assert_eq!((ticket.left.index(), ticket.right.index()), (3, 3));
    /// # Ok::<(), tiltyard_bandit::params::ParamError>(())
    /// ```
    ///
    /// ## Reference
    ///
    /// Urvoy, Clérot, Féraud and Naamane, *Generic exploration and K-armed voting bandits*, ICML
    /// 2013, PMLR 28(2):91-99;
    /// <https://proceedings.mlr.press/v28/urvoy13.html>.
    pub struct Family;

    Family {
        name: "savage",
        class: "Savage",
        title: "compares all pairs in turn and drops those that no longer matter",
        assumptions: &[Assumption::Stationary, Assumption::CondorcetWinner],
        horizon: Some("unless radius=anytime and delta does not use T"),
        settles: Settles::Pair,
        minimises: Goal::Condorcet,
        binary: true,
        version: 1,
        cost: "O(1) a round, O(K) where an arm is ruled out; O(K^2) memory",
        forms: &["rule=copeland", "rule=borda"],
        curves: &[Curve::new([4, 4, 3]), Curve::given("delta=1e-8", [8, 9, 0])],
        reference: Citation {
            authors: "Urvoy, Clérot, Féraud and Naamane",
            title: "Generic exploration and K-armed voting bandits",
            venue: "ICML, PMLR 28(2):91-99",
            year: 2013,
            doi: "https://proceedings.mlr.press/v28/urvoy13.html",
        },
    } => |params, rng| Savage::new(params.context().n_arms, Options::read(params)?, rng);
}

/// Compares all pairs in turn and drops those that no longer matter; see the [module](self).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct Savage {
    options: Options,
    /// Duels issued.
    round: u64,
    duels: Vec<Duels>,
    /// The active pairs.
    turns: RoundRobin,
    shown: Shown,
    /// A rank for each arm: in the order in which their first outcomes came, those without any
    /// after all others.
    rank: Vec<u32>,
    n_seen: u32,
    log: LogTerm,
    ruled_out: Vec<bool>,
    n_left: usize,
    /// The score of each arm over all pairs.
    score: Vec<u64>,
    bounds: Bounds,
    /// The best arm, kept while no pair is active.
    champion: Arm,
}

/// What is stored of [`Savage`]: all but what follows from it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    options: Options,
    round: u64,
    duels: Vec<Duels>,
    turns: Vec<u32>,
    shown: Shown,
    rank: Vec<u32>,
}

/// What makes one SAVAGE differ from another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// What a winner is.
    pub rule: Rule,
    /// The probability that any interval fails at any time, in (0, 1].
    pub delta: f64,
    /// How long the intervals hold.
    pub radius: Radius,
}

/// What a winner is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// It beats every other arm.
    Condorcet,
    /// It beats the most arms.
    Copeland,
    /// Its winning probabilities have the highest sum.
    Borda,
}

/// How long the intervals hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Radius {
    /// For a number of rounds.
    Finite {
        /// T, at least 1.
        horizon: u64,
    },
    /// For ever.
    Anytime,
}

/// The duels of a pair.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Duels {
    /// Those that the arm with the lower index won.
    wins: u64,
    n: u64,
}

impl Duels {
    /// How many more the arm with the lower index has won than lost.
    #[inline]
    fn lead(self) -> i64 {
        // Both are below 2^53.
        2 * self.wins.cast_signed() - self.n.cast_signed()
    }

    /// The fraction that the arm with the lower index won, in parts of `ONE`; a half of nothing.
    fn mean(self) -> u64 {
        if self.n == 0 { ONE / 2 } else { parts(self.wins as f64 / self.n as f64 + 0.5 / ONE as f64) }
    }
}

/// More duels than this are out of reach, and all counts below it are exact as `f64`.
const HIGHEST_COUNT: u64 = 1 << 53;

/// What was shown for good. For `condorcet` an item an arm, else one a pair.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Shown {
    /// The arms that some arm was shown to beat.
    Condorcet(Vec<bool>),
    /// 1 where the arm with the lower index was shown to beat the other, -1 where it was shown to
    /// be beaten.
    Copeland(Vec<i8>),
    /// The highest lower bound on the winning probability of the arm with the lower index, and of
    /// the other, in parts of `ONE`.
    Borda(Vec<[u64; 2]>),
}

/// Probabilities are summed as whole numbers of this size. Sums can then be moved by differences
/// without drift, and restored to the same bits. Lower bounds are rounded down, so that they hold;
/// the sum over 2^14 arms fits easily.
const ONE: u64 = 1 << 40;

/// A probability in parts of `ONE`, rounded down; 0 for what lies below.
#[inline]
fn parts(p: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most ONE, and the cast cuts at 0"
    )]
    let parts = (p * ONE as f64) as u64;
    parts.min(ONE)
}

/// Bounds on the true score of each arm: Copeland scores, or Borda scores in parts of `ONE`. Empty
/// for `condorcet`.
#[derive(Debug, Clone, Default)]
struct Bounds {
    low: Vec<u64>,
    high: Vec<u64>,
    /// The highest `low`.
    highest: u64,
}

/// ln(eta(n) / delta) = constant + per_log ln n, without ever forming the product K (K - 1) T /
/// delta.
#[derive(Debug, Clone, Copy)]
struct LogTerm {
    constant: f64,
    per_log: f64,
}

impl LogTerm {
    fn new(n_pairs: usize, options: Options) -> Self {
        // One arm has no pairs, and no use for the value.
        let log_pairs = libm::log(n_pairs.max(1) as f64) - libm::log(options.delta);
        match options.radius {
            Radius::Finite { horizon } => {
                Self { constant: libm::log(2.0) + libm::log(horizon as f64) + log_pairs, per_log: 0.0 }
            }
            Radius::Anytime => Self { constant: libm::log(PI * PI / 3.0) + log_pairs, per_log: 2.0 },
        }
    }

    #[inline]
    fn at(self, n: u64) -> f64 {
        if self.per_log > 0.0 { self.constant + self.per_log * libm::log(n as f64) } else { self.constant }
    }

    #[inline]
    fn radius(self, n: u64) -> f64 {
        (self.at(n) / (2.0 * n as f64)).sqrt()
    }

    /// The sign of the lead, where the interval excludes 1/2: |P - 1/2| > c, as lead^2 > 2 n
    /// ln(eta / delta).
    #[inline]
    fn decided(self, duels: Duels) -> i8 {
        let lead = duels.lead();
        if (lead as f64) * (lead as f64) > 2.0 * duels.n as f64 * self.at(duels.n) {
            if lead > 0 { 1 } else { -1 }
        } else {
            0
        }
    }
}

/// More arms would take more than 3 GB for their pairs.
const MOST_ARMS: usize = 16_384;

impl Options {
    fn check(&self) -> Result<(), ParamError> {
        DELTA.check(self.delta)?;
        if self.radius == (Radius::Finite { horizon: 0 }) {
            return Err(ParamError::NoRounds);
        }
        Ok(())
    }

    fn read(params: &mut Params<'_>) -> Result<Self, ParamError> {
        let (rule, delta) = (RULE.read(params)?, DELTA.read(params)?);
        let radius = match (RADIUS.read(params)?, params.context().horizon) {
            (true, Some(horizon)) => Radius::Finite { horizon },
            (true, None) => return Err(params.needs_horizon(RADIUS.doc.key)),
            (false, _) => Radius::Anytime,
        };
        Ok(Self { rule, delta, radius })
    }
}

impl Savage {
    /// SAVAGE over `n_arms` arms. The order in which pairs take turns is drawn here.
    ///
    /// # Errors
    ///
    /// If there are no arms or more than 16,384, or an option lies outside its range.
    pub fn new<R: Rng + ?Sized>(n_arms: usize, options: Options, rng: &mut R) -> Result<Self, ParamError> {
        check_table("savage", n_arms, MOST_ARMS)?;
        options.check()?;
        let n_pairs = n_pairs(n_arms);
        let ids = |n: usize| 0..u32::try_from(n).expect("16,384 arms at most");
        let mut turns: Vec<u32> = ids(n_pairs).collect();
        turns.shuffle(rng);
        let mut by_turn: Vec<usize> = Vec::with_capacity(n_arms);
        let mut met = vec![false; n_arms];
        for &place in &turns {
            let (low, high) = arms(place as usize);
            for arm in [low, high] {
                if !met[arm] {
                    met[arm] = true;
                    by_turn.push(arm);
                }
            }
            if by_turn.len() == n_arms {
                break;
            }
        }
        // None of the arms has an outcome, so that all ranks lie behind the n_arms first.
        let mut rank: Vec<u32> = ids(2 * n_arms).skip(n_arms).collect();
        for (&arm, place) in by_turn.iter().zip(ids(2 * n_arms).skip(n_arms)) {
            rank[arm] = place;
        }
        let shown = match options.rule {
            Rule::Condorcet => Shown::Condorcet(vec![false; n_arms]),
            Rule::Copeland => Shown::Copeland(vec![0; n_pairs]),
            Rule::Borda => Shown::Borda(vec![[0; 2]; n_pairs]),
        };
        let duels = vec![Duels::default(); n_pairs];
        let saved = Saved { options, round: 0, duels, turns, shown, rank };
        Ok(saved.try_into().expect("a fresh state is whole"))
    }

    /// The options it was made with.
    pub fn options(&self) -> Options {
        self.options
    }

    /// c(n): how far the true probability may lie from the estimate after `n` duels of a pair.
    pub fn radius(&self, n: u64) -> f64 {
        if n == 0 { f64::INFINITY } else { self.log.radius(n) }
    }

    /// Whether a pair is still compared.
    pub fn is_active(&self, arm: Arm, other: Arm) -> bool {
        arm != other && self.turns.contains(pair_of(arm.index(), other.index()))
    }

    /// Whether an arm was shown not to be the winner.
    pub fn is_ruled_out(&self, arm: Arm) -> bool {
        self.ruled_out[arm.index()]
    }

    /// The best arm so far.
    fn best(&self) -> Arm {
        let all = self.n_left == 0;
        let best = (0..self.n_arms())
            .filter(|&arm| all || !self.ruled_out[arm])
            .max_by_key(|&arm| (self.score[arm], Reverse(self.rank[arm])));
        Arm::new(best.expect("there is at least one arm"))
    }

    /// Whether no more pairs are compared, whatever the intervals say.
    fn is_over(&self) -> bool {
        let expired = matches!(self.options.radius, Radius::Finite { horizon } if self.round >= horizon);
        expired || self.n_left <= 1
    }

    /// Whether a pair matters, from what was shown alone.
    fn matters(&self, place: usize, (low, high): (usize, usize)) -> bool {
        let (low, high) = (self.ruled_out[low], self.ruled_out[high]);
        match &self.shown {
            Shown::Condorcet(_) => !low && !high,
            Shown::Copeland(signs) => signs[place] == 0 && !(low && high),
            Shown::Borda(_) => !(low && high),
        }
    }

    /// Gives an arm its rank when its first outcome comes.
    #[inline]
    fn see(&mut self, arm: Arm) {
        let rank = &mut self.rank[arm.index()];
        if *rank as usize >= self.ruled_out.len() {
            *rank = self.n_seen;
            self.n_seen += 1;
        }
    }

    /// Moves the scores from what the pair's old duels gave to what the new ones give.
    #[inline]
    fn rescore(&mut self, (low, high): (usize, usize), old: Duels, new: Duels) {
        if self.options.rule == Rule::Borda {
            let (old, new) = (old.mean(), new.mean());
            self.score[low] = self.score[low] + new - old;
            self.score[high] = self.score[high] + old - new;
        } else {
            let (old, new) = (old.lead().signum(), new.lead().signum());
            self.score[low] = self.score[low] + u64::from(new > 0) - u64::from(old > 0);
            self.score[high] = self.score[high] + u64::from(new < 0) - u64::from(old < 0);
        }
    }

    /// Tests what the pair's duels show now.
    #[inline]
    fn test(&mut self, (low, high): (usize, usize), place: usize) {
        let duels = self.duels[place];
        match &mut self.shown {
            Shown::Condorcet(beaten) => {
                let loser = match self.log.decided(duels) {
                    1 => high,
                    -1 => low,
                    _ => return,
                };
                if !beaten[loser] {
                    beaten[loser] = true;
                    self.rule_out(loser);
                }
            }
            Shown::Copeland(signs) => {
                let sign = self.log.decided(duels);
                if sign == 0 || signs[place] != 0 {
                    return;
                }
                signs[place] = sign;
                self.turns.remove(place);
                let (winner, loser) = if sign > 0 { (low, high) } else { (high, low) };
                self.bounds.low[winner] += 1;
                self.bounds.high[loser] -= 1;
                self.compare_bounds((low, high));
            }
            Shown::Borda(floors) => {
                let p = duels.wins as f64 / duels.n as f64;
                let c = self.log.radius(duels.n);
                let [old_low, old_high] = floors[place];
                let [new_low, new_high] = [old_low.max(parts(p - c)), old_high.max(parts(1.0 - p - c))];
                floors[place] = [new_low, new_high];
                self.bounds.low[low] += new_low - old_low;
                self.bounds.high[high] -= new_low - old_low;
                self.bounds.low[high] += new_high - old_high;
                self.bounds.high[low] -= new_high - old_high;
                self.compare_bounds((low, high));
            }
        }
    }

    /// Rules out the arms that cannot reach the highest lower bound, after the bounds of two have
    /// moved.
    #[inline]
    fn compare_bounds(&mut self, (low, high): (usize, usize)) {
        let highest = self.bounds.low[low].max(self.bounds.low[high]);
        if highest > self.bounds.highest {
            self.bounds.highest = highest;
            for arm in 0..self.ruled_out.len() {
                self.compare_bound(arm);
            }
        } else {
            self.compare_bound(low);
            self.compare_bound(high);
        }
    }

    #[inline]
    fn compare_bound(&mut self, arm: usize) {
        if self.bounds.high[arm] < self.bounds.highest && !self.ruled_out[arm] {
            self.rule_out(arm);
        }
    }

    /// Drops the pairs that no longer matter now that an arm cannot win, in O(K).
    fn rule_out(&mut self, arm: usize) {
        self.ruled_out[arm] = true;
        self.n_left -= 1;
        if self.is_over() {
            self.turns.clear();
            return;
        }
        for other in (0..self.ruled_out.len()).filter(|&other| other != arm) {
            if self.options.rule == Rule::Condorcet || self.ruled_out[other] {
                self.turns.remove(pair_of(arm, other));
            }
        }
    }
}

impl From<Savage> for Saved {
    fn from(policy: Savage) -> Self {
        let Savage { options, round, duels, turns, shown, rank, .. } = policy;
        Self { options, round, duels, turns: turns.order(), shown, rank }
    }
}

impl TryFrom<Saved> for Savage {
    type Error = Damaged;

    fn try_from(saved: Saved) -> Result<Self, Damaged> {
        let Saved { options, round, duels, turns, shown, rank } = saved;
        let n_arms = rank.len();
        let n_pairs = n_pairs(n_arms);
        options.check().map_err(|_| Damaged("an option is out of range"))?;
        if !(1..=MOST_ARMS).contains(&n_arms) || duels.len() != n_pairs {
            return Err(Damaged("there are not as many pairs as the arms have"));
        }
        if round > HIGHEST_COUNT || duels.iter().any(|duels| duels.wins > duels.n || duels.n > HIGHEST_COUNT)
        {
            return Err(Damaged("a count is out of reach"));
        }
        let n_seen = rank.iter().filter(|&&rank| (rank as usize) < n_arms).count();
        let mut taken = vec![false; 2 * n_arms];
        for &rank in &rank {
            match taken.get_mut(rank as usize) {
                Some(taken) if !*taken => *taken = true,
                _ => return Err(Damaged("the arms' ranks are no order")),
            }
        }
        if taken[..n_seen].contains(&false) {
            return Err(Damaged("the arms' ranks are no order"));
        }
        let mut policy = Self {
            options,
            round,
            duels,
            turns: RoundRobin::new(n_pairs, &turns)?,
            shown,
            rank,
            n_seen: u32::try_from(n_seen).expect("16,384 arms at most"),
            log: LogTerm::new(n_pairs, options),
            ruled_out: vec![false; n_arms],
            n_left: n_arms,
            score: vec![
                if options.rule == Rule::Borda { (n_arms - 1) as u64 * (ONE / 2) } else { 0 };
                n_arms
            ],
            bounds: Bounds::default(),
            champion: Arm::new(0),
        };
        for (place, both) in all_pairs(n_arms).enumerate() {
            policy.rescore(both, Duels::default(), policy.duels[place]);
        }
        policy.derive_ruled_out()?;
        let over = policy.is_over();
        let mut pairs = all_pairs(n_arms).enumerate();
        if pairs.any(|(place, both)| policy.turns.contains(place) == (over || !policy.matters(place, both))) {
            return Err(Damaged("the turns are not those of the pairs that matter"));
        }
        policy.champion = policy.best();
        Ok(policy)
    }
}

impl Savage {
    /// The bounds, and which arms are ruled out, from what was shown.
    fn derive_ruled_out(&mut self) -> Result<(), Damaged> {
        let n_arms = self.ruled_out.len();
        let n_pairs = self.duels.len();
        let mut bounds = |size: u64, floors: &dyn Fn(usize) -> [u64; 2]| {
            let mut bounds =
                Bounds { low: vec![0; n_arms], high: vec![(n_arms - 1) as u64 * size; n_arms], highest: 0 };
            for (place, (low, high)) in all_pairs(n_arms).enumerate() {
                let [of_low, of_high] = floors(place);
                bounds.low[low] += of_low;
                bounds.high[high] -= of_low;
                bounds.low[high] += of_high;
                bounds.high[low] -= of_high;
            }
            bounds.highest = bounds.low.iter().copied().max().unwrap_or(0);
            for (ruled_out, &high) in self.ruled_out.iter_mut().zip(&bounds.high) {
                *ruled_out = high < bounds.highest;
            }
            self.bounds = bounds;
        };
        match (&self.shown, self.options.rule) {
            (Shown::Condorcet(beaten), Rule::Condorcet) if beaten.len() == n_arms => {
                self.ruled_out.clone_from(beaten);
            }
            (Shown::Copeland(signs), Rule::Copeland)
                if signs.len() == n_pairs && signs.iter().all(|sign| (-1..=1).contains(sign)) =>
            {
                bounds(1, &|place| [u64::from(signs[place] > 0), u64::from(signs[place] < 0)]);
            }
            (Shown::Borda(floors), Rule::Borda)
                if floors.len() == n_pairs && floors.iter().flatten().all(|&floor| floor <= ONE) =>
            {
                bounds(ONE, &|place| floors[place]);
            }
            _ => return Err(Damaged("what was shown does not fit the rule or the arms")),
        }
        self.n_left = self.ruled_out.iter().filter(|&&ruled_out| !ruled_out).count();
        Ok(())
    }

    /// The pair whose turn it is; the champion twice once none is left.
    fn next_pair(&self) -> (Arm, Arm) {
        self.turns.front().map_or((self.champion, self.champion), |place| {
            let (low, high) = arms(place);
            (Arm::new(low), Arm::new(high))
        })
    }
}

impl Policy for Savage {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    fn propensity(&self) -> Propensity {
        Propensity::Pair
    }

    fn n_arms(&self) -> usize {
        self.ruled_out.len()
    }

    fn round(&self) -> u64 {
        self.round
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, _: &mut R) -> Ticket {
        let (left, right) = self.next_pair();
        Ticket { round: self.round + 1, left, right, rate: 1.0, epoch: 0, draw: Draw::Pair(1.0) }
    }

    #[inline]
    fn issue(&mut self, ticket: &Ticket) {
        self.round += 1;
        if self.turns.front().is_none() {
            return;
        }
        if !ticket.is_self_duel() {
            self.turns.took_turn(pair_of(ticket.left.index(), ticket.right.index()));
        }
        if self.is_over() {
            self.turns.clear();
            self.champion = self.best();
        }
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        debug_assert!(outcome.score().abs() >= 1.0, "ties are broken by a coin before");
        if ticket.is_self_duel() {
            return;
        }
        let (left, right) = (ticket.left.index(), ticket.right.index());
        let both = (left.min(right), left.max(right));
        let place = pair(both.0, both.1);
        let old = self.duels[place];
        let won = (outcome.score() > 0.0) == (left < right);
        let new = Duels { wins: old.wins + u64::from(won), n: old.n + 1 };
        self.duels[place] = new;
        self.see(ticket.left);
        self.see(ticket.right);
        self.rescore(both, old, new);
        self.test(both, place);
        if self.turns.front().is_none() {
            self.champion = self.best();
        }
    }

    fn void(&mut self, _: &Ticket) {}

    fn probabilities(&self) -> Option<Vec<f64>> {
        let (left, right) = self.next_pair();
        Some(sure_pair(self.n_arms(), left, right))
    }

    /// The best arm so far. Between equals, the one whose outcome came first.
    fn recommend(&self) -> Arm {
        self.best()
    }
}
