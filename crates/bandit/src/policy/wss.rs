//! WS-S; [`Family`] has its page.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::winner_stays::WinnerStays;
use super::{Assumption, Curve, Goal, Info, Policy, Propensity, Sequential, Settles, registry};
use crate::damaged::Damaged;
use crate::params::ParamError;
use crate::{Arm, Outcome, Ticket};

declare! {
    /// # WS-S: Winner Stays for strong regret
    ///
    /// ## Idea
    ///
    /// WS-S holds a tournament again and again, and after each one it lets the winner meet itself
    /// for longer and longer.
    ///
    /// Winner Stays (`wsw`) keeps the best arm in one slot, but the other slot never stops
    /// exploring. WS-S therefore adds exploitation: after each pass over the arms, the winner of
    /// the pass meets itself for a period. Each period is longer than the last by a constant
    /// factor. Exploration thus becomes rare, and the probability that the wrong arm is exploited
    /// falls faster than the periods grow.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// pass l = 1, 2, ...:  WS-W until every other arm has been met once more
    ///                      then floor(beta^l) duels (w, w), where w is the winner of the pass;
    ///                        their outcomes are ignored
    /// ```
    ///
    /// See `wsw` for the definition of a pass; the paper calls it a round. Exploitation follows
    /// each pass. One public implementation exploits after each duel instead, and thus exploits the
    /// arm that happened to win the last duel. beta^l is capped at 2^62.
    ///
    /// ## Parameters
    ///
    parameters {
        /// factor by which each period of exploitation is longer than the last
        BETA: number("beta" = 1.1, [above 1]);
    }
    ///
    /// The guarantee needs beta < p / (1 - p), with p as below. The default of 1.1 allows for
    /// p = 0.524. It is the value of the paper's runs from memory, which was not checked; the
    /// authors of Beat the Winner use 1.05.
    ///
    /// ## Guarantee
    ///
    /// Let p > 1/2 be the least probability with which the better arm of a pair wins, and let
    /// 1 < beta < p / (1 - p). Under a total order of the arms, the expected number of rounds that
    /// are not (best, best) is at most
    /// 2 p^3 K (ln K + 1) / (2p - 1)^6 + K log_beta(T (beta - 1)) / (2p - 1) (Theorem 3). If one
    /// arm beats all others, it is of order K^2 + K ln T. The slow tests check the growth with
    /// ln T, and its constant in Theorem 3.
    ///
    /// ## Cost
    ///
    /// O(1) per round and O(K) memory. At most two words of randomness per round. WS-S needs the
    /// outcome of each duel of two different arms before the next decision, and refuses to propose
    /// while such a duel is in flight. It does not wait for duels of an arm with itself.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{Policy, Wss}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Wss::new(3, 2.0)?;
    /// let mut self_duels = 0;
    /// for _ in 0..1000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     self_duels += usize::from(ticket.is_self_duel());
    ///     // The lower index wins.
    ///     policy.update(&ticket, Outcome::won(ticket.left < ticket.right));
    /// }
    /// assert!(self_duels > 970);
    /// # Ok::<(), tiltyard_bandit::params::ParamError>(())
    /// ```
    ///
    /// ## Reference
    ///
    /// Chen and Frazier, *Dueling bandits with weak regret*, ICML 2017, PMLR 70:731-739; DOI
    /// `10.48550/arXiv.1706.04304`.
    pub struct Family;

    Family {
        name: "wss",
        class: "Wss",
        title: "Winner Stays for strong regret: the winner of each pass meets itself, longer each time",
        assumptions: &[Assumption::CondorcetWinner, Assumption::Stationary],
        horizon: None,
        settles: Settles::Pair,
        minimises: Goal::Condorcet,
        binary: true,
        version: 1,
        cost: "O(1) per round, O(K) memory",
        forms: &[],
        curves: &[Curve::new([4, 1, 2])],
        reference: super::wsw::PAPER,
    } => |params, _| Wss::new(params.context().n_arms, BETA.read(params)?);
}

/// Winner Stays for strong regret; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub struct Wss {
    beta: f64,
    /// The number of duels of the winner with itself before the next pass.
    exploit: u64,
    state: WinnerStays,
}

/// The serialized form of [`Wss`].
#[derive(Deserialize)]
struct Saved {
    beta: f64,
    exploit: u64,
    state: WinnerStays,
}

impl TryFrom<Saved> for Wss {
    type Error = Damaged;

    fn try_from(Saved { beta, exploit, state }: Saved) -> Result<Self, Damaged> {
        if BETA.check(beta).is_err() {
            return Err(Damaged("beta is out of range"));
        }
        if exploit > LONGEST || exploit > 0 && state.passes() == 0 {
            return Err(Damaged("the exploitation left does not fit the passes"));
        }
        Ok(Self { beta, exploit, state })
    }
}

/// Longer than any run.
const LONGEST: u64 = 1 << 62;

/// floor(beta^pass), at most [`LONGEST`].
fn length(beta: f64, pass: u64) -> u64 {
    let length = libm::floor(libm::pow(beta, pass as f64));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least 1; saturates")]
    let length = length as u64;
    length.min(LONGEST)
}

impl Wss {
    /// WS-S over `n_arms` arms.
    ///
    /// # Errors
    ///
    /// If there are no arms, or `beta` is not above 1.
    pub fn new(n_arms: usize, beta: f64) -> Result<Self, ParamError> {
        if n_arms == 0 {
            return Err(ParamError::NoArms);
        }
        BETA.check(beta)?;
        Ok(Self { beta, exploit: 0, state: WinnerStays::new(n_arms) })
    }

    /// The number of complete passes over the arms.
    pub fn passes(&self) -> u64 {
        self.state.passes()
    }

    /// The number of duels of the winner with itself before the next pass.
    pub fn exploitation_left(&self) -> u64 {
        self.exploit
    }
}

impl Policy for Wss {
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
        self.ready().expect("the caller checked that no duel of two arms is in flight");
        if self.exploit > 0 {
            let best = self.state.best();
            return self.state.ticket(best, best, 1.0);
        }
        self.state.propose(rng)
    }

    #[inline]
    fn issue(&mut self, ticket: &Ticket) {
        if ticket.is_self_duel() {
            self.exploit = self.exploit.saturating_sub(1);
        }
        self.state.issue(ticket);
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        if self.state.update(ticket, outcome) {
            self.exploit = length(self.beta, self.state.passes());
        }
    }

    fn void(&mut self, ticket: &Ticket) {
        self.state.void(ticket);
    }

    /// The winner of the last complete pass; before the first one ends, the winner of the last
    /// series.
    fn recommend(&self) -> Arm {
        self.state.best()
    }

    fn sequential(&self) -> Option<&dyn Sequential> {
        Some(self)
    }
}

impl Sequential for Wss {
    fn awaiting(&self) -> Option<Ticket> {
        self.state.awaiting()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1.1^8 = 2.1436, 2^10 = 1024, and values too large for a `u64` are capped.
    #[test]
    fn trace_lengths() {
        assert_eq!([length(1.1, 1), length(1.1, 8), length(2.0, 10)], [1, 2, 1024]);
        assert_eq!([length(2.0, 62), length(2.0, 63), length(1e300, u64::MAX)], [LONGEST; 3]);
    }
}
