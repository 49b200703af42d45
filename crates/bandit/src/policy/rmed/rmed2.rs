//! RMED2; [`Family`] has its page.

use super::{F, Form, Options, RIVALS, Rmed, read_f, rmed1};
use crate::policy::{Curve, registry};

declare! {
    /// # RMED2: relative minimum empirical divergence, each arm against its most telling opponent
    ///
    /// ## Idea
    ///
    /// As `rmed1`, but an arm that has to be shown to be no winner need not lose to the probable
    /// winner: any arm that beats it will do. Where the best arm beats all others by little, and
    /// they beat one another clearly, a few duels between two of them tell more than many with the
    /// best. So each arm meets the opponent that costs least for what it tells, and the probable
    /// winner now and then.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// all of `rmed1`, and
    /// L          = ceil(alpha ln ln t), and at least 1
    /// b(l)       = the j with p_lj < 1/2 and the least max(p_{i°,l} + p_{i°,j} - 1, 0.01) / kl(p_lj), ties at random
    /// decide:  a pair that has met fewer than L times, those that have met least often first; if there is none
    ///          left  = l, the first of R
    ///          right = b(l) if there is one and n_{l,i°} >= n_{l,b(l)} / ln ln t, else as `rmed1` has it
    /// issue, update: as `rmed1`
    /// ```
    ///
    /// t is the round, and at least 3 in ln ln t. A duel counts in L and in the test for b(l) from
    /// when it is issued, so that late outcomes do not make it repeat one pair; one that is
    /// declared void is made up for.
    ///
    /// The rules are as ALGORITHMS 5.7 has them, partly from memory of the paper; the floor of 0.01
    /// is that of the author's program, and keeps estimates below 0 from winning. That program adds
    /// 0.01 inside ln ln t and takes b(l) whenever i° is not in O_l. Two other public programs
    /// minimise the cost with its sign turned, and so prefer the dearest opponent.
    ///
    /// ## Parameters
    ///
    parameters = &[F.doc, RIVALS.doc];
    ///
    /// At most 4096 arms: a table with a row for each pair of more would fill the memory.
    ///
    /// ## Guarantee
    ///
    /// None that we know of; its form with a fixed horizon, `rmed2fh`, is asymptotically optimal.
    /// Each pair meets alpha ln ln t times, so that with many arms the K^2 is felt. The slow tests
    /// hold it to the order that the theory gives where the best arm is not the most telling
    /// opponent: below `rmed1` on the cyclic matrix of the paper.
    ///
    /// ## Cost
    ///
    /// O(K) a round; where several arms share the least divergence, O(K) for each of them. 34 K^2
    /// bytes of memory. At most three words of randomness a round.
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
        title: "relative minimum empirical divergence, each arm against its most telling opponent",
        curves: &[Curve::new([1, 1, 3])],
        ..<rmed1::Family as registry::Family>::INFO
    } => |params, rng| {
        let f = read_f(params)?;
        let options = Options { form: Form::Rmed2 { alpha: RIVALS.read(params)? }, f };
        Rmed::with(params.context().n_arms, options, rng)
    };
}
