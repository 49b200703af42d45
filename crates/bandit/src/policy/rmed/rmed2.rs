//! RMED2; [`Family`] has its page.

use super::{F, Form, Options, RIVALS, Rmed, read_f, rmed1};
use crate::policy::{Curve, registry};

declare! {
    /// # RMED2: relative minimum empirical divergence with the most informative opponents
    ///
    /// ## Idea
    ///
    /// RMED2 tries each arm just often enough to be sure that it is not the best, and uses the
    /// opponent that reveals this at the lowest cost.
    ///
    /// It works like `rmed1`, with one difference. An arm that loses to any other arm cannot be the
    /// best, so it need not meet the probable winner to be ruled out. Suppose that the best arm
    /// beats all others by little, and that the others beat one another clearly. Then a few duels
    /// between two of the others reveal more than many duels with the best arm. So each arm meets
    /// the opponent that costs least for what it reveals, and now and then the probable winner.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// all of `rmed1`, and
    /// L          = ceil(alpha ln ln t), and at least 1
    /// b(l)       = the j with p_lj < 1/2
    ///   and the least max(p_{i°,l} + p_{i°,j} - 1, 0.01) / kl(p_lj), ties at random
    /// decide:  a pair that has met fewer than L times, those that have met least often first;
    ///          if there is no such pair:
    ///          left  = l, the first of R
    ///          right = b(l) if there is one and n_{l,i°} >= n_{l,b(l)} / ln ln t,
    ///            else as in `rmed1`
    /// issue, update: as in `rmed1`
    /// ```
    ///
    /// t is the round, and at least 3 in ln ln t. A duel counts in L and in the test for b(l) from
    /// the moment it is issued, so late outcomes do not make RMED2 repeat one pair. A voided duel
    /// is replaced by another duel of the pair.
    ///
    /// The rules are restated partly from memory of the paper. The floor of 0.01 is that of the
    /// author's program; it prevents costs estimated below 0 from winning. The author's program
    /// also adds 0.01 inside ln ln t, and takes b(l) whenever i° is not in O_l. Two other public
    /// programs minimise the negated cost, and so prefer the most expensive opponent.
    ///
    /// ## Parameters
    ///
    parameters = &[F.doc, RIVALS.doc];
    ///
    /// At most 4096 arms, because the tables hold an entry for each pair of arms.
    ///
    /// ## Guarantee
    ///
    /// We know of no proved bound. The form with a fixed horizon, `rmed2fh`, is asymptotically
    /// optimal. Each pair meets alpha ln ln t times, so with many arms the factor K^2 matters. The
    /// slow tests check an order that the theory predicts if the best arm is not the most
    /// informative opponent: less regret than `rmed1` on the cyclic matrix of the paper.
    ///
    /// ## Cost
    ///
    /// O(K) per round. If several arms share the least divergence, O(K) for each of them. 34 K^2
    /// bytes of memory. At most three words of randomness per round.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{Policy, Rmed, rmed::Form}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Rmed::new(4, Form::Rmed2 { alpha: 3.0 }, &mut rng)?;
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
        name: "rmed2",
        class: "Rmed2",
        title: "relative minimum empirical divergence, each arm against its most informative opponent",
        curves: &[Curve::new([1, 1, 3])],
        ..<rmed1::Family as registry::Family>::INFO
    } => |params, rng| {
        let f = read_f(params)?;
        let options = Options { form: Form::Rmed2 { alpha: RIVALS.read(params)? }, f };
        Rmed::with(params.context().n_arms, options, rng)
    };
}
