//! MergeRUCB; [`Family`] has its page.

use rand::{Rng, RngExt};

use super::batch_race::{BatchRace, PairChoice};
pub use super::batch_race::{Offset, Options};
use super::{Assumption, Citation, Curve, Goal, Info, Propensity, Settles, registry};
use crate::structures::counts::batches::Batch;
use crate::ticket::Draw;

declare! {
    /// # MergeRUCB: upper confidence bounds in small batches
    ///
    /// ## Idea
    ///
    /// With many arms most pairs are not worth a duel. Divide the arms into small batches at
    /// random, and let arms meet inside their batch only. The batches take turns; an arm that is
    /// shown to lose against another of its batch is out for good. When half of the arms are out,
    /// small batches merge with large ones, and it goes on until one arm is left. That arm then
    /// meets itself.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// u_ij = w_ij / n_ij + sqrt(alpha ln(t + C) / n_ij)     w_ij wins of i over j, n_ij = w_ij + w_ji; +infinity if n_ij = 0
    /// C    = ((4 alpha - 1) K^2 / ((2 alpha - 1) delta))^(1 / (2 alpha - 1)), rounded up
    /// start:   ceil(K / p) batches of equal size, up to one arm, in random order; S = 1
    /// decide:  batch = t mod (number of batches)
    ///          left  = c, uniform over the batch
    ///          right = the largest u_jc over the other arms j of the batch, ties at random; (i, i) if i alone is left
    /// update:  the winner's w grows by 1; the loser l is out if u_lj < 1/2 against the winner j
    ///          when K / 2^S arms are left or fewer: the smallest batch joins the largest and so on inwards, as long as no batch gets
    ///          more than 3p/2 arms, again while one has less than p/2; then S grows by 1
    ///          a batch of one arm joins the next that has less than 3p/2, and while there is none the turn passes over it
    /// ```
    ///
    /// Counts are kept for arms of one batch, and they survive merges; arms that come together
    /// start from nothing. The paper looks for arms to remove when the turn of their batch comes,
    /// over all its pairs. Here it is done for the one pair whose counts change, when they change:
    /// a pair not shown before is not shown later without a new outcome, since u grows with t. The
    /// difference is that t is smaller by less than one circle of turns, beside a C of millions;
    /// and that of several arms that beat each other in a circle one stays, where removal at one
    /// blow would leave none.
    ///
    /// Where the sources differ. The pseudo-code of the paper was available from memory and through
    /// programs only: an older one that by all appearances is its authors' own, and that of the
    /// MergeDTS paper. Both merge at K / 2^S + 1 arms and start all counts with one win for each
    /// side. The latter also sets t back to C + 1 at each stage, and lets a batch of one arm meet
    /// itself in MergeRUCB but join its neighbour in MergeDTS; the former passes over such a batch.
    /// Of all that only the neighbour is taken over here, for both. Where batches have equal sizes
    /// they merge in the order of their turns, which the random start has shuffled.
    ///
    /// A duel whose outcome has not come yet counts in the width, as in `rucb`, with mean 1 if none
    /// of the pair's outcomes came. Outcomes that come after one of the arms is out are dropped;
    /// those of an earlier stage count, as the counts themselves do. The ticket's epoch is S.
    ///
    /// ## Parameters
    ///
    parameters = Options::PARAMS;
    ///
    /// The defaults are those of the theory, and cautious: with 136 arms and gaps of 0.1 it takes
    /// some 1500 duels to put an arm out. `mergerucb:alpha=0.8^6,c=4e5,batch=8` has the values that
    /// Li et al. (2020) tuned on rankers of web search; they have no proof.
    ///
    /// ## Guarantee
    ///
    /// If one arm beats every other, preferences do not change, and not too many of the other arms
    /// are tied with each other, the Condorcet regret is of order K ln T with probability 1 - delta
    /// (Zoghi et al. 2015; the conditions are quoted from memory). RUCB pays for all K^2 pairs
    /// first. Once the best arm was put out by mistake it does not return, so that small `alpha`
    /// and `c` are a risk.
    ///
    /// Held to an order of its paper: with many rankers it has less regret than RUCB. Tests have it
    /// so, with the theory's values, on a made-up matrix of 136 rankers after 1e6 rounds.
    ///
    /// ## Cost
    ///
    /// O(p) a round, whatever K is; O(K / p + p^2) when an arm goes or batches merge, which happens
    /// less than 2 K times in all. 36 K p bytes of memory. A word of randomness a round, and one
    /// for each tie. `recommend` takes O(K p).
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Arm, Outcome, Stream, policy::{MergeRucb, Policy}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = MergeRucb::new(10, &mut rng);
    /// for _ in 0..5000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     // The lower index wins.
    ///     policy.update(&ticket, Outcome::won(ticket.left < ticket.right));
    /// }
    /// assert_eq!(policy.batches(), [[Arm::new(0)]]);
    /// assert_eq!(policy.decide(&mut rng).propensity(), Some(1.0));
    /// ```
    ///
    /// ## Reference
    ///
    /// Zoghi, Whiteson and de Rijke, *MergeRUCB: a method for large-scale online ranker
    /// evaluation*, WSDM 2015, pages 17-26; DOI `10.1145/2684822.2685290`.
    pub struct Family;

    Family {
        name: "mergerucb",
        class: "MergeRucb",
        title: "upper confidence bounds in small batches that merge",
        assumptions: &[Assumption::CondorcetWinner, Assumption::Stationary],
        horizon: None,
        settles: Settles::Pair,
        minimises: Goal::Condorcet,
        binary: true,
        version: 1,
        cost: "O(p) a round, O(K p) memory, p = `batch`",
        forms: &["alpha=0.8^6,c=4e5,batch=8"],
        curves: &[Curve::new([2, 4, 1])],
        reference: Citation {
            authors: "Zoghi, Whiteson and de Rijke",
            title: "MergeRUCB: a method for large-scale online ranker evaluation",
            venue: "WSDM, pages 17-26",
            year: 2015,
            doi: "doi:10.1145/2684822.2685290",
        },
    } => |params, rng| MergeRucb::with(params.context().n_arms, Options::read(params)?, rng);
}

/// Upper confidence bounds in small batches; see the [module](self).
pub type MergeRucb = BatchRace<UpperBound>;

/// A random arm of the batch meets the one whose upper confidence bound against it is the largest.
#[derive(Debug, Clone)]
pub struct UpperBound;

/// u_jc for two different places of a batch.
#[inline]
fn upper_bound(batch: &Batch<'_>, j: usize, c: usize, scale: f64) -> f64 {
    let wins = batch.wins(j, c);
    let n = wins + batch.wins(c, j);
    let shown = n + u64::from(batch.in_flight(j, c));
    if shown == 0 {
        return f64::INFINITY;
    }
    let mean = if n == 0 { 1.0 } else { wins as f64 / n as f64 };
    mean + scale / libm::sqrt(shown as f64)
}

impl PairChoice for UpperBound {
    const PROPENSITY: Propensity = Propensity::Pair;

    fn info() -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(batch: &Batch<'_>, scale: f64, rng: &mut R) -> (usize, usize, Draw) {
        let n = batch.len();
        let c = rng.random_range(0..n);
        let (mut d, mut n_ties, mut highest) = (0, 1, f64::NEG_INFINITY);
        for j in (0..n).filter(|&j| j != c) {
            let bound = upper_bound(batch, j, c, scale);
            if bound > highest {
                (d, highest, n_ties) = (j, bound, 1);
            } else if bound >= highest {
                n_ties += 1;
                if rng.random_range(0..n_ties) == 0 {
                    d = j;
                }
            }
        }
        (c, d, Draw::Pair(1.0 / (n as f64 * f64::from(n_ties))))
    }
}
