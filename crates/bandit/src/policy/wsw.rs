//! WS-W; [`Family`] has its page.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::winner_stays::WinnerStays;
use super::{Assumption, Citation, Curve, Goal, Info, Policy, Propensity, Sequential, Settles, registry};
use crate::{Arm, Outcome, Ticket};

declare! {
    /// # WS-W: Winner Stays for weak regret
    ///
    /// ## Idea
    ///
    /// A tournament without an end. The winner of the last series of duels stays, and a newcomer
    /// challenges it; what decides a series is who has more wins than losses over the whole run, so
    /// that an arm that won much is hard to unseat. Once the best arm stays it is in every duel,
    /// and with one good arm on the page nobody has cause to complain: that is weak regret.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// C_i     = wins less losses of arm i
    /// decide:  the two arms of the largest C; where C ties, the arms of the last duel first, then at random
    /// update:  C of the winner grows by 1, that of the loser falls by 1
    /// ```
    ///
    /// Which is the same as this, in O(1): a *series* is a run of duels of one pair, a *pass* is a
    /// series against every other arm (the paper calls them iteration and round). The incumbent has
    /// a stake, its challenger starts with a stake of 1; each duel moves 1 from the loser to the
    /// winner; who has nothing left is out, and the winner goes on with the sum. The challenger is
    /// drawn evenly among the arms not met in this pass; when there is none left, a pass is
    /// complete, the incumbent's stake grows by 1, and the last loser is the first challenger of
    /// the next pass, as the rule for ties says. (The authors of Beat the Winner draw that
    /// challenger at random too; the bounds do not depend on it.) The incumbent stands on the left.
    ///
    /// ## Parameters
    ///
    parameters {}
    ///
    /// ## Guarantee
    ///
    /// If one arm beats all others and p > 1/2 is the least chance with which a better arm of a
    /// pair wins, the expected number of rounds without the best arm is at most K / (2p - 1)^2 + p
    /// K^2 / (2p - 1)^3 however long it plays (Theorem 2), and of order K ln K if the arms have a
    /// total order (Theorem 1). The slow tests hold it to Theorem 2 and to a regret that stops
    /// growing. Its Condorcet regret grows without end: one slot always explores.
    ///
    /// ## Cost
    ///
    /// O(1) a round, O(K) memory; at most two words of randomness a round. It needs each outcome
    /// before the next duel, and refuses to propose while one is in flight.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{Policy, Wsw}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Wsw::new(5);
    /// for _ in 0..100 {
    ///     let ticket = policy.decide(&mut rng);
    ///     assert!(policy.ready().is_err());
    ///     // The lower index wins.
    ///     policy.update(&ticket, Outcome::won(ticket.left < ticket.right));
    /// }
    /// assert_eq!(policy.decide(&mut rng).left.index(), 0);
    /// assert_eq!(policy.recommend().index(), 0);
    /// ```
    ///
    /// ## Reference
    ///
    /// Chen and Frazier, *Dueling bandits with weak regret*, ICML 2017, PMLR 70:731-739; DOI
    /// `10.48550/arXiv.1706.04304`.
    pub struct Family;

    Family {
        name: "wsw",
        class: "Wsw",
        title: "Winner Stays for weak regret: the winner of a series meets the next arm",
        assumptions: &[Assumption::CondorcetWinner, Assumption::Stationary],
        horizon: None,
        settles: Settles::OneSlot,
        minimises: Goal::Weak,
        binary: true,
        version: 1,
        cost: "O(1) a round, O(K) memory",
        forms: &[],
        curves: &[Curve::new([4, 8, 3])],
        reference: PAPER,
    } => |params, _| Ok(Wsw::new(params.context().n_arms));
}

/// Winner Stays for weak regret; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Wsw {
    state: WinnerStays,
}

impl Wsw {
    /// Over `n_arms` arms.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn new(n_arms: usize) -> Self {
        Self { state: WinnerStays::new(n_arms) }
    }

    /// How many passes over all arms are complete.
    pub fn passes(&self) -> u64 {
        self.state.passes()
    }

    /// How far the incumbent and its challenger are from losing their series.
    pub fn stakes(&self) -> [u64; 2] {
        self.state.stakes()
    }
}

impl Policy for Wsw {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    fn propensity(&self) -> Propensity {
        Propensity::Pair
    }

    fn n_arms(&self) -> usize {
        self.state.n_arms()
    }

    fn round(&self) -> u64 {
        self.state.round()
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        self.ready().expect("asked only when no duel is in flight");
        self.state.propose(rng)
    }

    #[inline]
    fn issue(&mut self, ticket: &Ticket) {
        self.state.issue(ticket);
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        self.state.update(ticket, outcome);
    }

    fn void(&mut self, ticket: &Ticket) {
        self.state.void(ticket);
    }

    /// The winner of the last complete pass; before the first one ends, the incumbent.
    fn recommend(&self) -> Arm {
        self.state.best()
    }

    fn sequential(&self) -> Option<&dyn Sequential> {
        Some(self)
    }
}

impl Sequential for Wsw {
    fn awaiting(&self) -> Option<Ticket> {
        self.state.awaiting()
    }
}

/// Where Winner Stays was published.
pub(super) const PAPER: Citation = Citation {
    authors: "Chen and Frazier",
    title: "Dueling bandits with weak regret",
    venue: "ICML, PMLR 70:731-739",
    year: 2017,
    doi: "doi:10.48550/arXiv.1706.04304",
};
