//! RMED1; [`Family`] has its page.

use super::{F, Form, Options, Rmed, read_f};
use crate::policy::{Assumption, Citation, Curve, Goal, Settles};

declare! {
    /// # RMED1: relative minimum empirical divergence
    ///
    /// ## Idea
    ///
    /// How unlikely are the duels so far if arm i is the best? Its empirical divergence says so: it
    /// adds up what speaks against i, over all arms that it lost against more often than not. The
    /// arm with the least divergence is the probable winner. Another arm gets a turn only while its
    /// divergence is within ln t of the least, just as often as it must be tried to be sure, and
    /// then meets the probable winner. When nobody else is left the probable winner meets itself,
    /// and that costs nothing if it is the best.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// n_ij, p_ij   duels of i and j, and i's share of wins (1/2 if there are none)
    /// kl(p)      = p ln 2p + (1 - p) ln 2(1 - p)         kl(0) = ln 2
    /// I_i        = sum of n_ij kl(p_ij) over the j with p_ij <= 1/2
    /// i°         = the arm with the least I, ties at random
    /// O_l        = the arms j != l with p_lj <= 1/2
    /// R, N       : the arms that remain in this loop, at first all; those of the next loop, at first none
    /// decide:  a pair that has not met; if there is none
    ///          left  = l, the first of R
    ///          right = i° if i° is in O_l or O_l is empty, else the j != l with the least p_lj, ties at random
    /// issue:   if left had its turn: R loses l; every j outside R with I_j - I_i° <= ln t + f joins N;
    ///          if R is empty, R = N, and N is empty
    /// update:  the winner's count grows by 1; nothing if left = right
    /// ```
    ///
    /// t is the round, and at least 2. The order of R, and of the pairs that have to meet, is one
    /// order of the arms, drawn at construction. Divergences that differ by less than 1e-9, or by
    /// that share of the least, are taken as equal: rounding decides nothing.
    ///
    /// R and N change when a duel is issued, so that arms take turns even if outcomes are late;
    /// what joins N is decided by the outcomes that came before. A pair has met when its duel is
    /// issued; if that is declared void it has not. The ticket's epoch is 1 for a turn, and 0 for a
    /// pair that had to meet.
    ///
    /// The paper's L_C is R and the arms of the same loop that had their turn. The rules are as
    /// ALGORITHMS 5.7 has them; the paper's own text could not be read again. The author's program
    /// also moves its lists while pairs have to meet, tests what joins N after the outcome, and
    /// takes p_lj up to 0.50001 for 1/2.
    ///
    /// ## Parameters
    ///
    parameters = &[F.doc];
    ///
    /// At most 4096 arms: a table with a row for each pair of more would fill the memory.
    ///
    /// ## Guarantee
    ///
    /// If one arm, 1, beats every other and preferences do not change, the expected Condorcet
    /// regret is at most, with f = c K^(1 + e),
    ///
    /// ```text
    /// sum over i != 1 of  D_1i / (2 kl(p_i1)) ln T  +  O(K^(2 + e))  +  o(K ln T)         D_1i = p_1i - 1/2
    /// ```
    ///
    /// No policy does better than [`theory::rmed_lower`](crate::theory::rmed_lower), and this is
    /// the same where arm 1 is the opponent that tells the most for its cost about every other, as
    /// with most real matrices. The slow tests hold it to that constant, to the bound of 300 on
    /// arXiv-6 at T = 1e5 (runs of public programs: 237 to 330), and to the paper's order: below
    /// RUCB.
    ///
    /// ## Cost
    ///
    /// O(K) a round: scans of the divergences and of one row of rates. 34 K^2 bytes of memory. At
    /// most two words of randomness a round.
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
        cost: "O(K) a round, O(K^2) memory",
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
