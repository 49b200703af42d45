//! RMED1; [`Family`] has its page.

use super::{F, Form, Options, Rmed, read_f};
use crate::policy::{Assumption, Citation, Curve, Goal, Settles};

declare! {
    /// # RMED1: relative minimum empirical divergence
    ///
    /// ## Idea
    ///
    /// RMED1 tries each arm just often enough to be sure that it is not the best.
    ///
    /// For each arm i it asks: how unlikely are the outcomes so far if i is the best arm? The
    /// *empirical divergence* of i answers this. It adds up the evidence against i, over all arms
    /// that i has lost to more often than not. The arm with the least divergence is the probable
    /// winner. Another arm gets a turn only while its divergence exceeds the least by at most
    /// about ln t. This is just as often as it must be tried to be sure. In its turn it meets the
    /// probable winner. When no other arm gets turns any more, the probable winner meets itself.
    /// That costs nothing if it is the best arm.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// n_ij, p_ij   number of duels of i and j, and i's share of wins (1/2 if n_ij = 0)
    /// kl(p)      = p ln 2p + (1 - p) ln 2(1 - p)         kl(0) = ln 2
    /// I_i        = sum of n_ij kl(p_ij) over the j with p_ij <= 1/2
    /// i°         = the arm with the least I, ties at random
    /// O_l        = the arms j != l with p_lj <= 1/2
    /// R, N       : the arms that remain in this loop, at first all;
    ///              the arms of the next loop, at first none
    /// decide:  a pair that has not met; if all pairs have met:
    ///          left  = l, the first of R
    ///          right = i° if i° is in O_l or O_l is empty, else the j != l with the least p_lj,
    ///            ties at random
    /// issue:   if this was a turn of l: l leaves R;
    ///          every j outside R with I_j - I_i° <= ln t + f joins N;
    ///          if R is then empty, R = N and N becomes empty
    /// update:  the winner's count grows by 1; nothing if left = right
    /// ```
    ///
    /// t is the round, and at least 2. One order of the arms, drawn at construction, is the order
    /// of R and of the pairs that have to meet. Divergences count as equal if they differ by less
    /// than 1e-9, or by less than that share of the least divergence, so rounding decides nothing.
    ///
    /// R and N change when a duel is issued, so arms take turns even if outcomes are late. The
    /// outcomes that have arrived by then decide which arms join N. A pair counts as met when its
    /// duel is issued, and no longer if the duel is voided. The ticket's epoch is 1 for a turn, and
    /// 0 for a pair that had to meet.
    ///
    /// The paper's list L_C contains R and the arms that already had their turn in the same loop.
    /// The rules are restated without the paper's own text at hand. The author's program differs in
    /// three ways: it also moves its lists while pairs have to meet, it tests which arms join N
    /// after the outcome, and it treats p_lj up to 0.50001 as 1/2.
    ///
    /// ## Parameters
    ///
    parameters = &[F.doc];
    ///
    /// At most 4096 arms, because the tables hold an entry for each pair of arms.
    ///
    /// ## Guarantee
    ///
    /// Assume that one arm, called 1, beats every other arm, that preferences do not change, and
    /// that f = c K^(1 + e). Then the expected Condorcet regret is at most
    ///
    /// ```text
    /// sum over i != 1 of  D_1i / (2 kl(p_i1)) ln T  +  O(K^(2 + e))  +  o(K ln T)
    ///   D_1i = p_1i - 1/2
    /// ```
    ///
    /// No policy can have less regret than [`theory::rmed_lower`](crate::theory::rmed_lower). RMED1
    /// attains this bound if arm 1 is, for every other arm, the opponent that reveals the most for
    /// its cost, as in most real matrices. The slow tests check this constant, a regret of at most
    /// 300 on arXiv-6 at T = 1e5 (runs of public programs: 237 to 330), and the paper's order: less
    /// regret than RUCB.
    ///
    /// ## Cost
    ///
    /// O(K) per round: scans of the divergences and of one row of rates. 34 K^2 bytes of memory. At
    /// most two words of randomness per round.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{Policy, Rmed, rmed::Form}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Rmed::new(4, Form::Rmed1, &mut rng)?;
    /// for _ in 0..500 {
    ///     let ticket = policy.decide(&mut rng);
    ///     // The lower index wins.
    ///     policy.update(&ticket, Outcome::won(ticket.left < ticket.right));
    /// }
    /// let ticket = policy.decide(&mut rng);
    /// assert_eq!((ticket.left.index(), ticket.right.index()), (0, 0));
    /// # Ok::<(), tiltyard_bandit::params::ParamError>(())
    /// ```
    ///
    /// ## Reference
    ///
    /// Komiyama, Honda, Kashima and Nakagawa, *Regret lower bound and optimal algorithm in dueling
    /// bandit problem*, COLT 2015, PMLR 40:1141-1154; DOI `10.48550/arXiv.1506.02550`.
    pub struct Family;

    Family {
        name: "rmed1",
        class: "Rmed1",
        title: "relative minimum empirical divergence",
        assumptions: &[Assumption::CondorcetWinner, Assumption::Stationary],
        horizon: None,
        settles: Settles::Pair,
        minimises: Goal::Condorcet,
        binary: true,
        version: 1,
        cost: "O(K) per round, O(K^2) memory",
        forms: &[],
        curves: &[Curve::new([7, 2, 1])],
        reference: Citation {
            authors: "Komiyama, Honda, Kashima and Nakagawa",
            title: "Regret lower bound and optimal algorithm in dueling bandit problem",
            venue: "COLT, PMLR 40:1141-1154",
            year: 2015,
            doi: "doi:10.48550/arXiv.1506.02550",
        },
    } => |params, rng| {
        let options = Options { form: Form::Rmed1, f: read_f(params)? };
        Rmed::with(params.context().n_arms, options, rng)
    };
}
