//! Beat the Winner, with and without reset; [`Family`] has its page.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::winner_stays::{from_index, is, to_index};
use super::{Assumption, Citation, Curve, Goal, Info, Policy, Propensity, Sequential, Settles, registry};
use crate::damaged::Damaged;
use crate::structures::collections::arm_queue::ArmQueue;
use crate::structures::sampling::deck::Deck;
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

declare! {
    /// # Beat the Winner, with and without reset
    ///
    /// ## Idea
    ///
    /// Beat the Winner compares two arms until one has won r duels; the winner stays and faces the
    /// next challenger.
    ///
    /// The arms wait in a queue. The incumbent meets the arm at the head of the queue in a series
    /// of duels. The first of the two to win r duels is the incumbent of the next series; the other
    /// goes to the tail of the queue. r grows with each series, so the best arm is less and less
    /// likely to lose its place once it is the incumbent.
    ///
    /// With reset, r returns to 1 whenever a challenger wins, because a new incumbent has proved
    /// little yet. If the best arm changes, the policy then finds the new best arm as quickly as at
    /// the start. It needs to know neither the horizon nor the number of changes.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// a queue of all arms in random order; the first is the incumbent; r = 1
    /// series:  incumbent (left) and head of the queue (right) duel until one has r wins
    ///          the loser goes to the tail, the winner is the incumbent
    ///          r += 1; with reset r = 1 if the challenger won
    /// ```
    ///
    /// The random order is not drawn in advance. While some arms have not met any other arm, the
    /// challenger is drawn uniformly from them. The distribution is the same, and the tickets
    /// record it.
    ///
    /// ## Parameters
    ///
    parameters {
        /// whether r returns to 1 when a challenger wins (Beat the Winner Reset)
        RESET: choice("reset", bool: "false" = false, "true" = true);
    }
    ///
    /// Reset helps if preferences change. If they do not change and gaps are small, reset has a
    /// cost: at r = 1 the best arm soon loses its place again. With a gap of 0.05, getting past
    /// this phase takes tens of thousands of rounds.
    ///
    /// ## Guarantee
    ///
    /// If preferences do not change, the binary weak regret (the number of rounds without the best
    /// arm) does not grow with T. With reset it is of order K ln K / gap^2. Here gap is the best
    /// arm's smallest winning probability minus 1/2 (Kolpaczki et al. 2022; the order is quoted
    /// from memory, and the abstract states that it improves on the K^2 of Winner Stays).
    ///
    /// If preferences change, each change costs that amount again, plus the series in progress.
    /// That series takes r / p rounds, where p is the probability that its winner wins a duel, and
    /// r has grown like the square root of the time since the last reset. The slow tests check the
    /// growth in K, that the regret stops growing, and the cost of a change. The Condorcet regret
    /// grows without bound, because one slot always explores.
    ///
    /// ## Cost
    ///
    /// O(1) per round and O(K) memory. At most two words of randomness per round, and none after
    /// the first pass. The policy needs each outcome before the next duel, and refuses to propose
    /// while a duel is in flight.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{Btw, Policy}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Btw::new(4, true);
    /// for _ in 0..200 {
    ///     let ticket = policy.decide(&mut rng);
    ///     assert!(policy.ready().is_err());
    ///     // The lower index wins.
    ///     policy.update(&ticket, Outcome::won(ticket.left < ticket.right));
    /// }
    /// assert_eq!(policy.decide(&mut rng).left.index(), 0);
    /// ```
    ///
    /// ## Reference
    ///
    /// Kolpaczki, Bengs and Hüllermeier, *Non-stationary dueling bandits*, 2022, DOI
    /// `10.48550/arXiv.2202.00935`, which adds the reset to Peköz, Ross and Zhang, *Dueling bandit
    /// problems*, Probability in the Engineering and Informational Sciences, 2022.
    pub struct Family;

    Family {
        name: "btw",
        class: "Btw",
        title: "Beat the Winner: the first to win r duels stays, and r grows",
        assumptions: &[Assumption::CondorcetWinner],
        horizon: None,
        settles: Settles::OneSlot,
        minimises: Goal::Weak,
        binary: true,
        version: 1,
        cost: "O(1) per round, O(K) memory",
        forms: &["reset=true"],
        curves: &[Curve::new([3, 6, 3])],
        reference: Citation {
            authors: "Kolpaczki, Bengs and Hüllermeier",
            title: "Non-stationary dueling bandits",
            venue: "arXiv",
            year: 2022,
            doi: "doi:10.48550/arXiv.2202.00935",
        },
    } => |params, _| Ok(Btw::new(params.context().n_arms, RESET.read(params)?));
}

/// Beat the Winner; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct Btw {
    reset: bool,
    /// Duels issued.
    round: u64,
    /// The arms that have not met any other arm: the head of the queue, in an order not drawn yet.
    unmet: Deck,
    /// The rest of the queue.
    beaten: ArmQueue,
    incumbent: Option<Arm>,
    /// The incumbent's opponent, once it is drawn.
    challenger: Option<Arm>,
    /// The wins of the two arms in this series.
    wins: [u64; 2],
    /// r: the number of wins that decides the series.
    target: u64,
    /// The duel in flight.
    awaiting: Option<Ticket>,
}

/// No run reaches this limit, and counting on from it cannot overflow.
const HIGHEST: u64 = 1 << 62;

impl Btw {
    /// Beat the Winner over `n_arms` arms, with or without reset.
    ///
    /// # Panics
    ///
    /// If `n_arms` is 0.
    pub fn new(n_arms: usize, reset: bool) -> Self {
        assert!(n_arms > 0, "there must be at least one arm");
        Self {
            reset,
            round: 0,
            unmet: Deck::full(n_arms),
            beaten: ArmQueue::empty(n_arms),
            incumbent: None,
            challenger: None,
            wins: [0; 2],
            target: 1,
            awaiting: None,
        }
    }

    /// r: the number of wins that decides the series.
    pub fn target(&self) -> u64 {
        self.target
    }

    /// The arm in the left slot, once it is drawn.
    pub fn incumbent(&self) -> Option<Arm> {
        self.incumbent
    }
}

impl Policy for Btw {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    fn propensity(&self) -> Propensity {
        Propensity::Pair
    }

    fn n_arms(&self) -> usize {
        self.unmet.n_arms()
    }

    fn round(&self) -> u64 {
        self.round
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        self.ready().expect("propose only when no duel is in flight");
        let n_unmet = self.unmet.left() as f64;
        let (left, right, p) = match (self.incumbent, self.challenger, self.beaten.front()) {
            (Some(incumbent), Some(challenger), _) => (incumbent, challenger, 1.0),
            (Some(incumbent), None, _) if self.unmet.left() > 0 => {
                (incumbent, self.unmet.draw(rng), 1.0 / n_unmet)
            }
            (Some(incumbent), None, Some(next)) => (incumbent, next, 1.0),
            (Some(only), None, None) => (only, only, 1.0),
            (None, ..) if self.n_arms() == 1 => (Arm::new(0), Arm::new(0), 1.0),
            (None, ..) => {
                let (first, second) = self.unmet.draw_two(rng);
                (first, second, 1.0 / (n_unmet * (n_unmet - 1.0)))
            }
        };
        Ticket { round: self.round + 1, left, right, rate: 1.0, epoch: 0, draw: Draw::Pair(p) }
    }

    /// Counts the round. Ignores the duel otherwise if this state cannot have proposed it.
    #[inline]
    fn issue(&mut self, ticket: &Ticket) {
        self.round += 1;
        self.awaiting = None;
        let Ticket { left, right, .. } = *ticket;
        if left == right {
            return;
        }
        let fits = match (self.incumbent, self.challenger) {
            (Some(incumbent), Some(challenger)) => (left, right) == (incumbent, challenger),
            (Some(incumbent), None) if self.unmet.left() > 0 => {
                left == incumbent && self.unmet.contains(right)
            }
            (Some(incumbent), None) => left == incumbent && self.beaten.front() == Some(right),
            (None, _) => true,
        };
        if !fits {
            return;
        }
        if self.challenger.is_none() && self.unmet.left() == 0 {
            self.beaten.pop();
        }
        self.unmet.take(left);
        self.unmet.take(right);
        (self.incumbent, self.challenger) = (Some(left), Some(right));
        self.awaiting = Some(*ticket);
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        if !is(self.awaiting, ticket) {
            return;
        }
        self.awaiting = None;
        let left_won = outcome > Outcome::TIE;
        let wins = &mut self.wins[usize::from(!left_won)];
        *wins += 1;
        if *wins < self.target {
            return;
        }
        let Ticket { left, right, .. } = *ticket;
        let (winner, loser) = if left_won { (left, right) } else { (right, left) };
        self.beaten.push(loser);
        (self.incumbent, self.challenger) = (Some(winner), None);
        self.wins = [0; 2];
        self.target = if self.reset && !left_won { 1 } else { self.target + 1 };
    }

    fn void(&mut self, ticket: &Ticket) {
        if is(self.awaiting, ticket) {
            self.awaiting = None;
        }
    }

    /// The incumbent; arm 0 before there is one.
    fn recommend(&self) -> Arm {
        self.incumbent.unwrap_or(Arm::new(0))
    }

    fn sequential(&self) -> Option<&dyn Sequential> {
        Some(self)
    }
}

impl Sequential for Btw {
    fn awaiting(&self) -> Option<Ticket> {
        self.awaiting
    }
}

/// The serialized form of [`Btw`]. The index K means that there is no arm.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    reset: bool,
    round: u64,
    unmet: Deck,
    beaten: ArmQueue,
    incumbent: usize,
    challenger: usize,
    wins: [u64; 2],
    target: u64,
    awaiting: Option<Ticket>,
}

impl From<Btw> for Saved {
    fn from(policy: Btw) -> Self {
        let n_arms = policy.n_arms();
        let Btw { reset, round, unmet, beaten, incumbent, challenger, wins, target, awaiting } = policy;
        let (incumbent, challenger) = (to_index(incumbent, n_arms), to_index(challenger, n_arms));
        Self { reset, round, unmet, beaten, incumbent, challenger, wins, target, awaiting }
    }
}

impl TryFrom<Saved> for Btw {
    type Error = Damaged;

    fn try_from(saved: Saved) -> Result<Self, Damaged> {
        let Saved { reset, round, unmet, beaten, wins, target, awaiting, .. } = saved;
        let n_arms = unmet.n_arms();
        let incumbent = from_index(saved.incumbent, n_arms)?;
        let challenger = from_index(saved.challenger, n_arms)?;
        // Each arm is in exactly one place: not met, in the queue, incumbent or challenger.
        let mut placed: Vec<Arm> = beaten.iter().chain(incumbent).chain(challenger).collect();
        let n_placed = placed.len();
        placed.sort_unstable();
        placed.dedup();
        let apart = placed.len() == n_placed && placed.iter().all(|&arm| !unmet.contains(arm));
        let whole = apart && n_placed + unmet.left() == n_arms;
        if beaten.n_arms() != n_arms || !whole || incumbent.is_none() && n_placed > 0 {
            return Err(Damaged("an arm is in two places or in none"));
        }
        if round > HIGHEST || target > HIGHEST || wins.iter().any(|&wins| wins >= target) {
            return Err(Damaged("a count is out of range"));
        }
        if challenger.is_none() && wins != [0; 2] {
            return Err(Damaged("a series that has not begun has wins"));
        }
        let pair = incumbent.zip(challenger);
        if awaiting.is_some_and(|ticket| Some((ticket.left, ticket.right)) != pair) {
            return Err(Damaged("the duel in flight does not belong to this series"));
        }
        Ok(Self { reset, round, unmet, beaten, incumbent, challenger, wins, target, awaiting })
    }
}
