//! RMED2FH; [`Family`] has its page.

use super::{F, Form, Options, RIVALS, Rmed, read_f, rmed1};
use crate::params::Param;
use crate::policy::{Curve, registry};

declare! {
    /// # RMED2FH: RMED2 for a fixed horizon
    ///
    /// ## Idea
    ///
    /// RMED2FH tries each arm just often enough to be sure that it is not the best, and plans its
    /// duels for a known number of rounds.
    ///
    /// It works like `rmed2`, in two phases. First, every pair meets a number of times that the
    /// horizon determines. Then the most informative opponent of each arm is computed once and
    /// stays fixed. This makes the analysis possible: as the horizon grows, the regret approaches
    /// the least that any policy can have.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// all of `rmed2`, but
    /// L          = ceil(alpha ln ln T), and at least 1
    /// b(l)       : as in `rmed2`; fixed once L outcomes of every pair have arrived
    /// decide:  right = b(l) if there is one,
    ///          p_{l,b(l)} <= 1/2 and n_{l,i°} >= n_{l,b(l)} / ln ln t, else as in `rmed1`
    /// ```
    ///
    /// T is at least 3 in ln ln T, and so is t in ln ln t. When b is fixed, ties are broken by the
    /// order of the arms drawn at construction. An arm that has lost to no other arm more often
    /// than not at that time has no b. While outcomes of the first phase are late, b is chosen anew
    /// in each turn, as in `rmed2`. After round T nothing changes.
    ///
    /// The rules are restated partly from memory of the paper. One public program uses ln ln T in
    /// the test, where this implementation and the author's program use ln ln t.
    ///
    /// ## Parameters
    ///
    parameters = &[
        F.doc,
        Param { meaning: "each pair meets alpha ln ln T times at first", ..RIVALS.doc },
    ];
    ///
    /// At most 4096 arms, because the tables hold an entry for each pair of arms.
    ///
    /// ## Guarantee
    ///
    /// Assume that one arm, called 1, beats every other arm, that preferences do not change, and
    /// that f = c K^(1 + e). Then the expected Condorcet regret is at most
    ///
    /// ```text
    /// sum over i != 1 of  min over j with p_ij < 1/2 of  (D_1i + D_1j) / (2 kl(p_ij)) ln T
    ///   +  O(alpha K^2 ln ln T)  +  O(K^(2 + e))  +  o(K ln T)
    /// ```
    ///
    /// with D_1i = p_1i - 1/2. This is asymptotically the least possible,
    /// [`theory::rmed_lower`](crate::theory::rmed_lower). The slow tests compare its growth with
    /// that constant on the cyclic matrix of the paper, where the constant is a ninth of that of
    /// `rmed1`. With many arms the first phase is long: 73,440 rounds for 136 arms and T = 1e5.
    ///
    /// ## Cost
    ///
    /// O(K) per round. 34 K^2 bytes of memory. At most three words of randomness per round.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{Policy, Rmed, rmed::Form}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Rmed::new(4, Form::Rmed2Fh { alpha: 3.0, horizon: 500 }, &mut rng)?;
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
        name: "rmed2fh",
        class: "Rmed2Fh",
        title: "relative minimum empirical divergence for a fixed horizon",
        horizon: Some("for the length of its first phase, in which each pair meets alpha ln ln T times"),
        curves: &[Curve::new([6, 6, 2])],
        ..<rmed1::Family as registry::Family>::INFO
    } => |params, rng| {
        let (f, alpha) = (read_f(params)?, RIVALS.read(params)?);
        let horizon = params.context().horizon.ok_or_else(|| params.needs_horizon(RIVALS.doc.key))?;
        let options = Options { form: Form::Rmed2Fh { alpha, horizon }, f };
        Rmed::with(params.context().n_arms, options, rng)
    };
}
