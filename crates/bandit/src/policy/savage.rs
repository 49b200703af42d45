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
    /// SAVAGE compares all pairs of arms in turn, and stops comparing a pair once its result can no
    /// longer change which arm is the winner.
    ///
    /// The name stands for Sensitivity Analysis of VAriables for Generic Exploration. Each pair of
    /// arms has an unknown number, the probability that one arm beats the other. SAVAGE estimates
    /// this number, with a confidence interval around the estimate. All pairs are compared in turn.
    /// A pair is dropped for good as soon as no value within its interval could change which arm is
    /// the winner. When no pair is left, the winner meets itself.
    ///
    /// The **rule** defines the winner, and thus which pairs still matter. A Condorcet winner beats
    /// every other arm. A Copeland winner beats the most arms. A Borda winner has the highest sum
    /// of winning probabilities.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// N = K (K - 1) / 2, the number of pairs; T the horizon
    /// n = the number of duels of the pair (i, j) so far, P_ij = the fraction of them that i won
    /// c(n) = sqrt(ln(eta(n) / delta) / (2 n))      eta = 2 N T (finite), pi^2 N n^2 / 3 (anytime)
    /// decide:  the active pair with the fewest duels;
    ///          if no pair is active, (b, b) with b the best arm so far
    /// update:  n and P_ij of the pair, then
    ///   condorcet:  P_ij + c < 1/2: i is ruled out, and all pairs of i are dropped
    ///   copeland:   P_ij + c < 1/2: it is decided that j beats i, and the pair is dropped
    ///               low_i = number of arms that i is decided to beat,
    ///                 high_i = K - 1 - number of arms that are decided to beat i
    ///   borda:      low_ij = the largest max(0, P_ij - c) so far,
    ///     high_ij = the smallest min(1, P_ij + c) so far
    ///               low_i = sum of low_ij over j != i, high_i = sum of high_ij over j != i
    ///   copeland, borda:  high_i < max_k low_k: i is ruled out;
    ///     a pair of two arms that are ruled out is dropped
    ///   all rules:  once all arms but one are ruled out, all pairs are dropped
    /// ```
    ///
    /// **Turns.** The active pairs take turns in a fixed cyclic order, which is drawn at random at
    /// construction. The next pair is therefore always one with the fewest duels issued. A duel
    /// counts as a turn when it is issued, so many duels in flight are spread over the pairs. It
    /// still counts if it is voided or its outcome is lost, so a pair whose outcomes never arrive
    /// cannot delay the other pairs. The arm with the lower index is always on the left; the caller
    /// may swap the sides at random.
    ///
    /// **Conclusions are final.** With probability 1 - delta, all intervals hold at all times. A
    /// value that an interval has excluded therefore stays excluded, even if later estimates move:
    /// signs stay decided, arms stay ruled out, and Borda's intervals only shrink. A late outcome
    /// of a pair dropped long ago counts like any other, for the best arm and for further
    /// conclusions, but it does not bring a pair back. The conclusions thus depend on the order in
    /// which outcomes arrived, so nodes cannot be merged by adding counts.
    ///
    /// **The best arm so far** is the arm with the highest score among the arms not ruled out
    /// (among all arms, if all are ruled out). With `condorcet` and `copeland`, the score is the
    /// number of arms against which the arm has won more than half of its duels. With `borda`, it
    /// is the sum of P_ij, with 1/2 for a pair that was never played. The scores include all pairs,
    /// also dropped ones. An arm that is ruled out may still have the highest score, because a
    /// dropped pair has few duels. Between equal scores, the arm whose first outcome arrived
    /// earliest is chosen. This depends on the random order of turns, so no index is favoured.
    ///
    /// **Why this test for Borda.** P_ij enters only the scores of i and j. Over all matrices
    /// within the intervals, the score of i minus the score of k is at most high_i - low_k, and
    /// this maximum is attained. So `high_i < low_k` holds exactly if k has a higher score than i
    /// under all of these matrices; then i cannot win. If neither i nor j can win, moving P_ij
    /// within its interval changes only the scores of two losers, and the winners stay the same. If
    /// all arms but one are ruled out, the remaining arm wins under all of these matrices, and no
    /// pair matters. As long as i may win, P_ij may matter, even if j cannot win.
    ///
    /// For the same reason `copeland` stops once all arms but one are ruled out: the remaining arm
    /// is certainly the winner. Without this stop, `copeland` would go on to compare that arm with
    /// the arms that it is not yet decided to beat. `condorcet` needs no separate rule for the
    /// paper's early stop (one arm is shown to beat all others), because all others are ruled out
    /// by then.
    ///
    /// **Exact ties.** Suppose that two arms beat each other with probability exactly 1/2. With
    /// probability at least 1 - delta, the interval of this pair then never excludes 1/2. The
    /// effect depends on the rule:
    ///
    /// - `condorcet`: a tie does no harm if a Condorcet winner exists, because both arms lose to it
    ///   and are ruled out. If two best arms tie, neither is ruled out, and they duel until the
    ///   end.
    /// - `copeland`: a tied pair is compared as long as one of its arms may win.
    /// - `borda`: if there are two Borda winners, neither is ruled out, and all their pairs
    ///   continue, also those with hopeless arms. The regret then grows in proportion to time.
    ///
    /// `radius=finite` ends this at the horizon: from round T + 1 on, the best arm so far is
    /// played.
    ///
    /// ## Parameters
    ///
    parameters {
        /// definition of the winner
        RULE: choice("rule", Rule:
            "condorcet" = Rule::Condorcet, "copeland" = Rule::Copeland, "borda" = Rule::Borda);
        /// probability that any interval ever fails; the paper's anytime runs use `1e-8`
        DELTA: formula("delta" = "1/T", [above 0 to 1]);
        /// whether the intervals hold for T rounds or for all time
        RADIUS: choice("radius", bool: "finite" = true, "anytime" = false);
    }
    ///
    /// With `radius=anytime` and a `delta` without T, as in `savage:delta=1e-8,radius=anytime`, no
    /// horizon is needed. All other forms need one.
    ///
    /// ## Guarantee
    ///
    /// If preferences do not change, then with probability at least 1 - delta no winner is ever
    /// ruled out. A pair whose P is d away from 1/2 is decided after at most about
    /// 2 ln(eta / delta) / d^2 duels. With delta = 1/T and a unique winner, the regret is therefore
    /// of order K^2 ln T. Only the default rule, `condorcet`, assumes that a Condorcet winner
    /// exists. Without one, all arms may be ruled out, and the arm with the highest score is
    /// played. `copeland` and `borda` do not need a Condorcet winner, although the facts below list
    /// this assumption. All of this also holds if outcomes arrive late, provided that the delay
    /// does not depend on who won.
    ///
    /// ## Cost
    ///
    /// O(1) to decide. O(1) per round to learn, amortised: ruling out an arm costs O(K) and happens
    /// at most K times. `copeland` and `borda` take O(K) in rounds that raise the highest low_k.
    /// O(K^2) memory: 24 bytes per pair (25 for `copeland`, 40 for `borda`). Construction shuffles
    /// all pairs; after that there is no randomness.
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
    ///     // The arm nearer to 3 wins; between 2 and 4 it is 2.
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
    /// 2013, PMLR 28(2):91-99; <https://proceedings.mlr.press/v28/urvoy13.html>.
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
        cost: "O(1) per round, O(K) when an arm is ruled out; O(K^2) memory",
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
    /// The rank of each arm, in the order in which their first outcomes arrived. Arms without an
    /// outcome come after all others.
    rank: Vec<u32>,
    n_seen: u32,
    log: LogTerm,
    ruled_out: Vec<bool>,
    n_left: usize,
    /// The score of each arm over all pairs.
    score: Vec<u64>,
    bounds: Bounds,
    /// The best arm so far; up to date while no pair is active.
    champion: Arm,
}

/// The serialized form of [`Savage`]: everything that cannot be recomputed.
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

/// The options of SAVAGE.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// The definition of the winner.
    pub rule: Rule,
    /// The probability that any interval ever fails, in (0, 1].
    pub delta: f64,
    /// How long the intervals hold.
    pub radius: Radius,
}

/// The definition of the winner.
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
    /// For all time.
    Anytime,
}

/// The duels of a pair.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Duels {
    /// The duels that the arm with the lower index won.
    wins: u64,
    n: u64,
}

impl Duels {
    /// The wins minus the losses of the arm with the lower index.
    #[inline]
    fn lead(self) -> i64 {
        // Both are below 2^53.
        2 * self.wins.cast_signed() - self.n.cast_signed()
    }

    /// The fraction that the arm with the lower index won, in parts of `ONE`; 1/2 if there were no
    /// duels.
    fn mean(self) -> u64 {
        if self.n == 0 { ONE / 2 } else { parts(self.wins as f64 / self.n as f64 + 0.5 / ONE as f64) }
    }
}

/// No run has more duels than this, and all counts up to it are exact as `f64`.
const HIGHEST_COUNT: u64 = 1 << 53;

/// The final conclusions: one item per arm for `condorcet`, one per pair for the other rules.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Shown {
    /// The arms that some arm was shown to beat.
    Condorcet(Vec<bool>),
    /// 1 where the arm with the lower index was shown to beat the other, -1 where it was shown to
    /// be beaten.
    Copeland(Vec<i8>),
    /// The highest lower bounds on the winning probability of the arm with the lower index and of
    /// the other arm, in parts of `ONE`.
    Borda(Vec<[u64; 2]>),
}

/// Probabilities are summed as whole numbers, in parts of `ONE`. Updating a sum by differences then
/// causes no drift, and a restored sum has the same bits. Lower bounds are rounded down, so they
/// still hold. The sum over 2^14 arms fits easily.
const ONE: u64 = 1 << 40;

/// A probability in parts of `ONE`, rounded down; 0 if it is negative.
#[inline]
fn parts(p: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most ONE; the cast saturates at 0"
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

/// ln(eta(n) / delta) = constant + per_log ln n, without ever forming the product
/// K (K - 1) T / delta.
#[derive(Debug, Clone, Copy)]
struct LogTerm {
    constant: f64,
    per_log: f64,
}

impl LogTerm {
    fn new(n_pairs: usize, options: Options) -> Self {
        // With one arm there are no pairs, and the value is not used.
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

    /// The sign of the lead if the interval excludes 1/2, else 0. The test |P - 1/2| > c is
    /// computed as lead^2 > 2 n ln(eta / delta).
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

/// With more arms, the pairs would take more than 3 GB.
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
    /// SAVAGE over `n_arms` arms. Draws the order in which pairs take turns.
    ///
    /// # Errors
    ///
    /// If there are no arms or more than 16,384, or an option is outside its range.
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
        // Ranks below `n_arms` are for arms with an outcome, and no arm has one yet.
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
        Ok(saved.try_into().expect("a fresh state is valid"))
    }

    /// The options it was made with.
    pub fn options(&self) -> Options {
        self.options
    }

    /// c(n): how far the true probability may be from the estimate after `n` duels of a pair.
    pub fn radius(&self, n: u64) -> f64 {
        if n == 0 { f64::INFINITY } else { self.log.radius(n) }
    }

    /// Whether a pair is still compared.
    pub fn is_active(&self, arm: Arm, other: Arm) -> bool {
        arm != other && self.turns.contains(pair_of(arm.index(), other.index()))
    }

    /// Whether an arm is known not to be the winner.
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

    /// Whether no pair is compared any more, whatever the intervals say: the horizon is reached, or
    /// at most one arm is left.
    fn is_over(&self) -> bool {
        let expired = matches!(self.options.radius, Radius::Finite { horizon } if self.round >= horizon);
        expired || self.n_left <= 1
    }

    /// Whether a pair matters, given the final conclusions.
    fn matters(&self, place: usize, (low, high): (usize, usize)) -> bool {
        let (low, high) = (self.ruled_out[low], self.ruled_out[high]);
        match &self.shown {
            Shown::Condorcet(_) => !low && !high,
            Shown::Copeland(signs) => signs[place] == 0 && !(low && high),
            Shown::Borda(_) => !(low && high),
        }
    }

    /// Gives an arm its rank when its first outcome arrives.
    #[inline]
    fn see(&mut self, arm: Arm) {
        let rank = &mut self.rank[arm.index()];
        if *rank as usize >= self.ruled_out.len() {
            *rank = self.n_seen;
            self.n_seen += 1;
        }
    }

    /// Updates the scores of both arms when the duels of their pair change from `old` to `new`.
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

    /// Draws conclusions from the duels of a pair.
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

    /// Rules out the arms that cannot reach the highest lower bound, after the bounds of two arms
    /// have changed.
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

    /// Rules out an arm and drops the pairs that no longer matter, in O(K).
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
            return Err(Damaged("the number of pairs does not fit the number of arms"));
        }
        if round > HIGHEST_COUNT || duels.iter().any(|duels| duels.wins > duels.n || duels.n > HIGHEST_COUNT)
        {
            return Err(Damaged("a count is larger than any run can reach"));
        }
        let n_seen = rank.iter().filter(|&&rank| (rank as usize) < n_arms).count();
        let mut taken = vec![false; 2 * n_arms];
        for &rank in &rank {
            match taken.get_mut(rank as usize) {
                Some(taken) if !*taken => *taken = true,
                _ => return Err(Damaged("the arms' ranks are not an order")),
            }
        }
        if taken[..n_seen].contains(&false) {
            return Err(Damaged("the arms' ranks are not an order"));
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
    /// Computes the bounds, and which arms are ruled out, from the final conclusions.
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
            _ => return Err(Damaged("the conclusions do not fit the rule or the arms")),
        }
        self.n_left = self.ruled_out.iter().filter(|&&ruled_out| !ruled_out).count();
        Ok(())
    }

    /// The pair whose turn it is; the champion against itself once no pair is left.
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
        debug_assert!(outcome.score().abs() >= 1.0, "the caller breaks ties by a coin");
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

    /// The best arm so far. Between equals, the one whose first outcome arrived earliest.
    fn recommend(&self) -> Arm {
        self.best()
    }
}
