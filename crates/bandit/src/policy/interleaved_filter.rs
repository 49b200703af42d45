//! Interleaved Filter; [`If1`] has its page.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::{Assumption, Citation, Curve, Goal, Info, Policy, Propensity, Settles, registry};
use crate::damaged::Damaged;
use crate::params::{Context, ParamError, Params, Range};
use crate::structures::counts::win_count::WinCount;
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

declare! {
    /// # Interleaved Filter: a candidate meets all others in turn (`if1`, `if2`)
    ///
    /// ## Idea
    ///
    /// Interleaved Filter keeps one candidate for the best arm and compares it with all other arms
    /// in turn, until one of the two arms clearly wins.
    ///
    /// - The candidate, at first a random arm, meets each of the other arms once per pass.
    /// - An arm that the candidate clearly beats is out.
    /// - An arm that clearly beats the candidate is the next candidate. The old candidate is out,
    ///   and all counts start anew.
    /// - When the candidate changes, `if2` also drops every arm that has lost more duels against
    ///   the old candidate than it won: an arm that loses to a good arm will not beat a better one.
    ///   `if1` keeps these arms.
    /// - When no other arm is left, the candidate meets itself forever.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// W        the other arms; at the start, all except the candidate
    /// n_b      duels of the candidate with b since it became the candidate
    /// P_b    = the candidate's share of wins among them
    /// c(n)   = sqrt(4 ln(1/delta) / n)
    /// decide:  round 1: left = a candidate drawn uniformly
    ///          left = candidate; right uniform over the arms of W not yet met in this pass
    ///          W empty, or after round T: (candidate, candidate)
    /// update:  P_b > 1/2 and P_b - c(n_b) >= 1/2:  W loses b
    ///          P_b < 1/2 and P_b + c(n_b) <= 1/2:  if2: W loses every a with P_a > 1/2
    ///                                              W loses b, b is the candidate, all counts are 0
    /// ```
    ///
    /// The paper makes its tests after each pass. It does not say which arm becomes the candidate
    /// if several arms beat the old one in the same pass. This implementation makes the tests after
    /// every duel, so a decision comes at most one pass earlier than in the paper. A duel changes
    /// only one estimate, so two arms never beat the candidate at the same time. The paper's bound
    /// on mistakes holds at every moment, and for pruning it has room for counts that differ by
    /// one.
    ///
    /// Each change of the candidate starts an epoch. A late outcome counts if it belongs to the
    /// current epoch and its arm is still in W. Otherwise it is dropped, because the candidate or
    /// the arm of that duel is out. If round T ends before W is empty, the policy plays the
    /// candidate of that moment.
    ///
    /// ## Parameters
    ///
    parameters {
        /// probability of a wrong decision that the radius allows for
        DELTA: formula("delta" = "1/(T*K^2)", [above 0 to 1]);
    }
    ///
    /// With a fixed number for `delta`, the policy needs no horizon. No test succeeds before an arm
    /// has had 16 ln(1/delta) duels with the candidate, even if one side wins them all.
    ///
    /// ## Guarantee
    ///
    /// Assume a total order, strong stochastic transitivity and the stochastic triangle inequality.
    /// Let eps be the margin by which the best arm beats the next best. Then the expected regret of
    /// `if2` is of order K ln(T) / eps, which no algorithm can improve by more than a constant
    /// factor. The expected regret of `if1` is of order K ln(K) ln(T) / eps. The best arm is found
    /// with probability at least 1 - 1/T.
    ///
    /// ## Cost
    ///
    /// O(1) per round, O(K) for each new candidate, and O(K) memory. One word of randomness per
    /// round.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Arm, Outcome, Stream, policy::{InterleavedFilter, Policy,
    ///     interleaved_filter::Rule}};
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = InterleavedFilter::new(4, Rule::If2, 0.1, None)?;
    /// for _ in 0..1000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     policy.update(&ticket, Outcome::won(ticket.left < ticket.right));
    /// }
    /// assert_eq!(policy.recommend(), Arm::new(0));
    /// # Ok::<(), tiltyard_bandit::params::ParamError>(())
    /// ```
    ///
    /// ## Reference
    ///
    /// Yue, Broder, Kleinberg and Joachims, *The K-armed dueling bandits problem*, Journal of
    /// Computer and System Sciences 78(5), 2012, pages 1538-1556; DOI `10.1016/j.jcss.2011.12.028`.
    /// This paper calls `if2` Interleaved Filter. `if1` is the form without pruning in the COLT
    /// 2009 paper of the same title.
    pub struct If1;

    If1 {
        name: "if1",
        class: "If1",
        title: "Interleaved Filter without pruning: a candidate meets all others in turn",
        assumptions: &[
            Assumption::Stationary,
            Assumption::TotalOrder,
            Assumption::Transitivity,
            Assumption::TriangleInequality,
        ],
        horizon: Some("for its confidence radius, with the default delta = 1/(T K^2)"),
        settles: Settles::Pair,
        minimises: Goal::Condorcet,
        binary: true,
        version: 1,
        cost: "O(1) per round, O(K) for each new candidate, O(K) memory",
        forms: &[],
        curves: &[Curve::new([8, 6, 1])],
        reference: Citation {
            authors: "Yue, Broder, Kleinberg and Joachims",
            title: "The K-armed dueling bandits problem",
            venue: "Journal of Computer and System Sciences 78(5):1538-1556",
            year: 2012,
            doi: "doi:10.1016/j.jcss.2011.12.028",
        },
    } => |params, _| InterleavedFilter::read(Rule::If1, params);

    If2 {
        name: "if2",
        class: "If2",
        title: "Interleaved Filter with pruning: a candidate meets all others in turn",
        curves: &[Curve::new([8, 5, 3])],
        ..<If1 as registry::Family>::INFO
    } => |params, _| InterleavedFilter::read(Rule::If2, params);
}

/// The entry of `if2` in the registry.
#[derive(Debug)]
pub struct If2;

/// ln(1/delta).
const LOG: Range = Range::at_least(0.0);

/// What happens to the other arms when the candidate changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// They stay.
    If1,
    /// Those with more losses than wins against the old candidate are dropped.
    If2,
}

/// Interleaved Filter; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct InterleavedFilter {
    rule: Rule,
    /// ln(1 / delta).
    log: f64,
    /// The last round of exploration.
    last: u64,
    round: u64,
    /// How often the candidate has changed.
    epoch: u32,
    /// `None` before the first duel. The ticket of that duel names the candidate.
    candidate: Option<Arm>,
    /// All arms in three groups: the arms of W met in this pass, the arms of W not met yet, and the
    /// arms outside W.
    arms: Vec<Arm>,
    n_met: usize,
    n_rivals: usize,
    /// The place of each arm in `arms`.
    place: Vec<usize>,
    /// The candidate's duels with each arm since it became the candidate.
    tallies: Vec<WinCount>,
}

impl InterleavedFilter {
    fn read(rule: Rule, params: &mut Params<'_>) -> Result<Self, ParamError> {
        let delta = DELTA.read(params)?;
        let Context { n_arms, horizon } = params.context();
        Self::new(n_arms, rule, delta, horizon)
    }

    /// Interleaved Filter over `n_arms` arms. It stops exploring after the horizon, if there is
    /// one.
    ///
    /// # Errors
    ///
    /// If there are no arms, or delta is not in (0, 1].
    pub fn new(n_arms: usize, rule: Rule, delta: f64, horizon: Option<u64>) -> Result<Self, ParamError> {
        if n_arms == 0 {
            return Err(ParamError::NoArms);
        }
        DELTA.check(delta)?;
        Ok(Self {
            rule,
            log: libm::log(1.0 / delta),
            last: horizon.unwrap_or(u64::MAX),
            round: 0,
            epoch: 0,
            candidate: None,
            arms: Arm::all(n_arms).collect(),
            n_met: 0,
            n_rivals: n_arms,
            place: (0..n_arms).collect(),
            tallies: vec![WinCount::default(); n_arms],
        })
    }

    /// The candidate; `None` before the first duel.
    pub fn candidate(&self) -> Option<Arm> {
        self.candidate
    }

    /// W: the arms that the candidate still has to beat, in no particular order.
    pub fn rivals(&self) -> &[Arm] {
        &self.arms[..self.n_rivals]
    }

    fn is_rival(&self, arm: Arm) -> bool {
        self.place[arm.index()] < self.n_rivals
    }

    /// Whether a duel belongs to the current epoch and compares the candidate with an arm of W.
    fn counts(&self, ticket: &Ticket) -> bool {
        ticket.epoch == self.epoch && self.candidate == Some(ticket.left) && self.is_rival(ticket.right)
    }

    /// Whether 1/2 is outside the open interval (P - c, P + c): |P - 1/2| >= c(n), multiplied by 2n
    /// and squared.
    fn is_decided(&self, tally: WinCount) -> bool {
        let lead = tally.lead();
        lead != 0.0 && lead * lead >= 16.0 * self.log * tally.duels as f64
    }

    /// Removes an arm from W.
    fn remove(&mut self, arm: Arm) {
        let mut place = self.place[arm.index()];
        if place < self.n_met {
            self.n_met -= 1;
            self.swap(place, self.n_met);
            place = self.n_met;
        }
        self.n_rivals -= 1;
        self.swap(place, self.n_rivals);
        self.end_pass();
    }

    /// Starts the next pass if all arms of W have been met in this pass.
    fn end_pass(&mut self) {
        if self.n_met >= self.n_rivals {
            self.n_met = 0;
        }
    }

    /// Makes an arm of W the candidate.
    fn promote(&mut self, arm: Arm) {
        if self.rule == Rule::If2 {
            // Goes from the end, because the arm that takes the place of a removed arm was checked
            // before.
            for i in (0..self.n_rivals).rev() {
                if self.tallies[self.arms[i].index()].lead() > 0.0 {
                    // A new pass starts below, so the order of W does not matter.
                    self.n_rivals -= 1;
                    self.swap(i, self.n_rivals);
                }
            }
        }
        self.n_met = 0;
        self.remove(arm);
        self.candidate = Some(arm);
        self.tallies.fill(WinCount::default());
        self.epoch += 1;
    }

    fn swap(&mut self, i: usize, j: usize) {
        self.arms.swap(i, j);
        self.place[self.arms[i].index()] = i;
        self.place[self.arms[j].index()] = j;
    }

    fn ticket(&self, left: Arm, right: Arm, probability: f64) -> Ticket {
        let draw = Draw::Pair(probability);
        Ticket { round: self.round + 1, left, right, rate: 1.0, epoch: self.epoch, draw }
    }
}

impl Policy for InterleavedFilter {
    fn info(&self) -> &'static Info {
        match self.rule {
            Rule::If1 => &<If1 as registry::Family>::INFO,
            Rule::If2 => &<If2 as registry::Family>::INFO,
        }
    }

    fn propensity(&self) -> Propensity {
        Propensity::Pair
    }

    fn n_arms(&self) -> usize {
        self.arms.len()
    }

    fn round(&self) -> u64 {
        self.round
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let Some(candidate) = self.candidate else {
            let n_arms = self.arms.len();
            let left = rng.random_range(0..n_arms);
            if n_arms == 1 {
                return self.ticket(self.arms[left], self.arms[left], 1.0);
            }
            // Draws one of the other arms: places from the candidate on are shifted up by one.
            let right = rng.random_range(0..n_arms - 1);
            let right = right + usize::from(right >= left);
            let probability = 1.0 / (n_arms as f64 * (n_arms - 1) as f64);
            return self.ticket(self.arms[left], self.arms[right], probability);
        };
        let ahead = &self.arms[self.n_met..self.n_rivals];
        if ahead.is_empty() || self.round >= self.last {
            return self.ticket(candidate, candidate, 1.0);
        }
        self.ticket(candidate, ahead[rng.random_range(0..ahead.len())], 1.0 / ahead.len() as f64)
    }

    #[inline]
    fn issue(&mut self, ticket: &Ticket) {
        self.round += 1;
        if self.candidate.is_none() {
            self.candidate = Some(ticket.left);
            self.remove(ticket.left);
        }
        let place = self.place[ticket.right.index()];
        if self.counts(ticket) && place >= self.n_met {
            self.swap(place, self.n_met);
            self.n_met += 1;
            self.end_pass();
        }
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        if !self.counts(ticket) {
            return;
        }
        let rival = ticket.right;
        self.tallies[rival.index()].add(outcome);
        let tally = self.tallies[rival.index()];
        if !self.is_decided(tally) {
            return;
        }
        if tally.lead() > 0.0 {
            self.remove(rival);
        } else {
            self.promote(rival);
        }
    }

    fn void(&mut self, _: &Ticket) {}

    fn recommend(&self) -> Arm {
        self.candidate.unwrap_or(Arm::new(0))
    }
}

/// The serialized form of [`InterleavedFilter`], without the places, which follow from the arms.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    rule: Rule,
    log: f64,
    last: u64,
    round: u64,
    epoch: u32,
    candidate: Option<Arm>,
    arms: Vec<Arm>,
    n_met: usize,
    n_rivals: usize,
    tallies: Vec<WinCount>,
}

impl From<InterleavedFilter> for Saved {
    fn from(policy: InterleavedFilter) -> Self {
        let InterleavedFilter {
            rule,
            log,
            last,
            round,
            epoch,
            candidate,
            arms,
            n_met,
            n_rivals,
            place: _,
            tallies,
        } = policy;
        Self { rule, log, last, round, epoch, candidate, arms, n_met, n_rivals, tallies }
    }
}

impl TryFrom<Saved> for InterleavedFilter {
    type Error = Damaged;

    fn try_from(saved: Saved) -> Result<Self, Damaged> {
        let Saved { rule, log, last, round, epoch, candidate, arms, n_met, n_rivals, tallies } = saved;
        if round == u64::MAX || !LOG.contains(log) {
            return Err(Damaged("the round or the radius is out of range"));
        }
        let n_arms = arms.len();
        if n_arms == 0 || tallies.len() != n_arms {
            return Err(Damaged("the numbers of counts and arms do not fit"));
        }
        let mut place = vec![n_arms; n_arms];
        for (i, arm) in arms.iter().enumerate() {
            match place.get_mut(arm.index()) {
                Some(place) if *place == n_arms => *place = i,
                _ => return Err(Damaged("an arm is duplicated or missing")),
            }
        }
        // Every former candidate is out for good, and the current one is not in W either.
        let n_out = n_arms.checked_sub(n_rivals).ok_or(Damaged("more rivals than arms"))?;
        let fits = match candidate {
            None => round == 0 && n_out == 0 && epoch == 0,
            Some(arm) => {
                place.get(arm.index()).is_some_and(|&place| place >= n_rivals)
                    && n_out as u64 > u64::from(epoch)
            }
        };
        if !fits || (n_met > 0 && n_met >= n_rivals) {
            return Err(Damaged("the candidate, the pass or the epoch does not fit the rivals"));
        }
        Ok(Self { rule, log, last, round, epoch, candidate, arms, n_met, n_rivals, place, tallies })
    }
}
