//! Self-Sparring; [`Family`] has its page.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::{
    Additive, Assumption, Citation, Curve, Goal, Info, Lessons, Policy, Propensity, Settles, registry,
};
use crate::damaged::Damaged;
use crate::params::ParamError;
use crate::structures::sampling::beta_posteriors::BetaPosteriors;
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

declare! {
    /// # Self-Sparring: Thompson sampling against itself
    ///
    /// ## Idea
    ///
    /// Self-Sparring keeps an estimate of how often each arm wins, and lets two arms that look good
    /// meet.
    ///
    /// For each arm it has a belief (a Beta posterior) about how often the arm wins against the
    /// opponents it is shown with. For each slot, it draws a plausible value for every arm and
    /// shows the arm with the largest value. Both slots draw from the same beliefs, so the
    /// opponents get better as the beliefs do. In the end the usual opponent is the best arm.
    /// Against this opponent the best arm wins half of its duels, and all other arms win less
    /// often.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// S_i, F_i = eta times the wins and losses of arm i, against any opponent
    /// decide:  for each slot independently: theta_i ~ Beta(S_i + 1, F_i + 1) for every arm;
    ///          show the arm with the largest theta
    /// update:  S of the winner and F of the loser grow by eta;
    ///          if left = right, both S and F of that arm
    /// ```
    ///
    /// This is the form with independent arms and two slots. A duel of an arm with itself counts as
    /// one win and one loss of that arm, whatever the outcome, because the paper's rule applies to
    /// each slot. These duels matter: they pull an arm that owes its wins to weak opponents down to
    /// 1/2. If they are skipped, a wrong arm that has come to meet itself is never corrected. On
    /// `arithmetic8` one run in a hundred then stays on the second best arm for 1e5 rounds, on
    /// `savage30` one run in three, and on `bvs20` all runs.
    ///
    /// The implementation does not draw every theta. If an arm's posterior has little weight above
    /// the largest theta so far, one random word decides whether the arm stays below it, with the
    /// exact probability (up to rounding: a relative error of 1e-8 after a million duels of an
    /// arm). Tickets state no probability, because the exact value is expensive to compute.
    ///
    /// ## Parameters
    ///
    parameters {
        /// weight of one duel in the belief; larger values explore less
        ETA: number("eta" = 1, [above 0 to 1e6]);
        /// whether a duel of an arm with itself counts as a win and a loss, or not at all
        SELF_DUELS: choice("selfduels", SelfDuels: "count" = SelfDuels::Count, "skip" = SelfDuels::Skip);
    }
    ///
    /// Public implementations use an eta of 1. The paper's own runs are said to have used
    /// about 3.5, which was not checked.
    ///
    /// ## Guarantee
    ///
    /// Assume that the arms have an order that is nearly linear: the margin by which one arm beats
    /// another is nearly the difference of their values. Then the regret is of order K ln T / gap
    /// (Sui et al. 2017; the order is from memory, not checked). Beliefs are averages over the
    /// opponents met, so without such an order nothing is promised. Late outcomes do no harm beyond
    /// the delay itself, because the choice of arms is random. The slow tests check that the regret
    /// grows like ln T.
    ///
    /// ## Cost
    ///
    /// O(K) per round; only a few of these steps are draws from a Beta distribution. O(K) memory.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{Policy, SelfSparring}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = SelfSparring::new(4);
    /// for _ in 0..2000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     // The lower index wins.
    ///     policy.update(&ticket, Outcome::won(ticket.left < ticket.right));
    /// }
    /// assert_eq!(policy.recommend().index(), 0);
    /// ```
    ///
    /// ## Reference
    ///
    /// Sui, Zhuang, Burdick and Yue, *Multi-dueling bandits with dependent arms*, UAI 2017; DOI
    /// `10.48550/arXiv.1705.00253`.
    pub struct Family;

    Family {
        name: "selfsparring",
        class: "SelfSparring",
        title: "Thompson sampling in both slots, from the same beliefs",
        assumptions: &[Assumption::TotalOrder, Assumption::LinearUtilities, Assumption::Stationary],
        horizon: None,
        settles: Settles::Pair,
        minimises: Goal::Condorcet,
        binary: true,
        version: 1,
        cost: "O(K) per round, O(K) memory",
        forms: &[],
        curves: &[Curve::new([3, 2, 2])],
        reference: Citation {
            authors: "Sui, Zhuang, Burdick and Yue",
            title: "Multi-dueling bandits with dependent arms",
            venue: "UAI",
            year: 2017,
            doi: "doi:10.48550/arXiv.1705.00253",
        },
    } => |params, _| {
        SelfSparring::with(params.context().n_arms, ETA.read(params)?, SELF_DUELS.read(params)?)
    };
}

/// Thompson sampling in both slots; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub struct SelfSparring {
    posteriors: BetaPosteriors,
    self_duels: SelfDuels,
    /// Duels issued.
    round: u64,
}

/// How a duel of an arm with itself counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SelfDuels {
    /// As one win and one loss of that arm.
    Count,
    /// Not at all.
    Skip,
}

/// The serialized form of [`SelfSparring`].
#[derive(Deserialize)]
struct Saved {
    posteriors: BetaPosteriors,
    self_duels: SelfDuels,
    round: u64,
}

impl TryFrom<Saved> for SelfSparring {
    type Error = Damaged;

    fn try_from(Saved { posteriors, self_duels, round }: Saved) -> Result<Self, Damaged> {
        if ETA.range.contains(posteriors.eta()) {
            Ok(Self { posteriors, self_duels, round })
        } else {
            Err(Damaged("eta is out of range"))
        }
    }
}

impl SelfSparring {
    /// With eta = 1 and self-duels counted, over `n_arms` arms.
    ///
    /// # Panics
    ///
    /// If `n_arms` is 0.
    pub fn new(n_arms: usize) -> Self {
        Self::with(n_arms, ETA.default, SELF_DUELS.default()).expect("there must be at least one arm")
    }

    /// With any parameters.
    ///
    /// # Errors
    ///
    /// If there are no arms, or `eta` is not in (0, 1e6].
    pub fn with(n_arms: usize, eta: f64, self_duels: SelfDuels) -> Result<Self, ParamError> {
        if n_arms == 0 {
            return Err(ParamError::NoArms);
        }
        ETA.check(eta)?;
        Ok(Self { posteriors: BetaPosteriors::new(n_arms, eta), self_duels, round: 0 })
    }
}

impl SelfSparring {
    /// The winner and the loser, if the duel counts.
    #[inline]
    fn result(&self, ticket: &Ticket, outcome: Outcome) -> Option<(Arm, Arm)> {
        let Ticket { left, right, .. } = *ticket;
        if left == right && self.self_duels == SelfDuels::Skip {
            return None;
        }
        Some(if outcome > Outcome::TIE { (left, right) } else { (right, left) })
    }
}

impl Policy for SelfSparring {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    fn propensity(&self) -> Propensity {
        Propensity::Unknown
    }

    #[inline]
    fn n_arms(&self) -> usize {
        self.posteriors.n_arms()
    }

    fn round(&self) -> u64 {
        self.round
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        Ticket {
            round: self.round + 1,
            left: self.posteriors.draw(rng),
            right: self.posteriors.draw(rng),
            rate: 1.0,
            epoch: 0,
            draw: Draw::Unknown,
        }
    }

    #[inline]
    fn issue(&mut self, _: &Ticket) {
        self.round += 1;
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        if let Some((winner, loser)) = self.result(ticket, outcome) {
            self.posteriors.record(winner, loser);
        }
    }

    fn void(&mut self, _: &Ticket) {}

    /// A lesson counts as one win and one loss, like any duel. The beliefs then average over the
    /// opponents that the other policy chose, which may be weaker for some arms than for others.
    fn lessons(&self) -> Lessons {
        Lessons::Counted
    }

    /// The arm that has won most often. Means say less: the best arm's mean is near 1/2, and so is
    /// the mean of an arm that never played.
    fn recommend(&self) -> Arm {
        self.posteriors.most_wins()
    }

    fn additive(&mut self) -> Option<&mut dyn Additive> {
        Some(self)
    }
}

impl Additive for SelfSparring {
    /// The wins of each arm, then the losses of each arm.
    fn sums(&self) -> Vec<f64> {
        self.posteriors.sums()
    }

    fn add(&mut self, increments: &[f64]) {
        self.posteriors.add(increments);
    }

    fn take_back(&mut self, ticket: &Ticket, outcome: Outcome) {
        if let Some((winner, loser)) = self.result(ticket, outcome) {
            self.posteriors.erase(winner, loser);
        }
    }
}
