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
    /// WS-W holds a tournament without end: the winner of the last duels stays, and a newcomer
    /// challenges it.
    ///
    /// Two arms duel in a *series* until one of them loses it. Wins minus losses over the whole run
    /// decide a series, so an arm that has won much is hard to unseat. Once the best arm stays, it
    /// is in every duel. The weak regret is then 0, because weak regret only asks that one of the
    /// two arms shown is the best.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// C_i     = wins minus losses of arm i
    /// decide:  the two arms with the largest C;
    ///          among equal C, the arms of the last duel first, then at random
    /// update:  the winner's C grows by 1, the loser's C falls by 1
    /// ```
    ///
    /// The implementation uses an equivalent form that takes O(1) per round. A *series* is a run of
    /// duels of one pair, and a *pass* is a series against every other arm (the paper calls them
    /// iteration and round):
    ///
    /// - The incumbent has a stake, and its challenger starts with a stake of 1. Each duel moves 1
    ///   from the loser to the winner. The arm that has nothing left loses the series, and the
    ///   other arm goes on with the sum.
    /// - The challenger is drawn uniformly from the arms not met in this pass.
    /// - When no such arm is left, the pass is complete. The incumbent's stake grows by 1, and the
    ///   last loser is the first challenger of the next pass, as the rule for ties says. (The
    ///   authors of Beat the Winner draw that challenger at random too; the bounds do not depend on
    ///   it.)
    ///
    /// The incumbent is always on the left.
    ///
    /// ## Parameters
    ///
    parameters {}
    ///
    /// ## Guarantee
    ///
    /// Assume that one arm beats all others, and let p > 1/2 be the least probability with which
    /// the better arm of a pair wins. Then the expected number of rounds without the best arm is at
    /// most K / (2p - 1)^2 + p K^2 / (2p - 1)^3, however many rounds are played (Theorem 2). It is
    /// of order K ln K if the arms have a total order (Theorem 1). The slow tests check Theorem 2,
    /// and check that the regret stops growing. The Condorcet regret grows without end, because one
    /// slot always explores.
    ///
    /// ## Cost
    ///
    /// O(1) per round and O(K) memory. At most two words of randomness per round. WS-W needs each
    /// outcome before the next duel, and refuses to propose while a duel is in flight.
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
        cost: "O(1) per round, O(K) memory",
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
    /// WS-W over `n_arms` arms.
    ///
    /// # Panics
    ///
    /// If `n_arms` is 0.
    pub fn new(n_arms: usize) -> Self {
        Self { state: WinnerStays::new(n_arms) }
    }

    /// The number of complete passes over the arms.
    pub fn passes(&self) -> u64 {
        self.state.passes()
    }

    /// The stakes of the incumbent and its challenger: how far each is from losing the series.
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
        self.ready().expect("the caller checked that no duel is in flight");
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

/// The paper that introduced Winner Stays.
pub(super) const PAPER: Citation = Citation {
    authors: "Chen and Frazier",
    title: "Dueling bandits with weak regret",
    venue: "ICML, PMLR 70:731-739",
    year: 2017,
    doi: "doi:10.48550/arXiv.1706.04304",
};
