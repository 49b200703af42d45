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
    /// MergeRUCB finds the best of many arms by letting them compete in small batches and
    /// eliminating the losers.
    ///
    /// With many arms, most pairs are not worth a duel. MergeRUCB therefore divides the arms into
    /// small batches at random, and an arm meets only arms of its own batch. The batches take
    /// turns. In its turn, a batch compares a random arm with the arm that may beat it most often.
    /// An arm that is shown to lose against another arm of its batch is eliminated for good. Each
    /// time the number of remaining arms has halved, small batches merge with large ones. In the
    /// end one arm is left, and it meets itself.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// u_ij = w_ij / n_ij + sqrt(alpha ln(t + C) / n_ij)
    ///   w_ij wins of i over j, n_ij = w_ij + w_ji; +infinity if n_ij = 0
    /// C    = ((4 alpha - 1) K^2 / ((2 alpha - 1) delta))^(1 / (2 alpha - 1)), rounded up
    /// start:   ceil(K / p) batches of random arms, whose sizes differ by at most one; S = 1
    /// decide:  batch = t mod (number of batches)
    ///          left  = c, uniform over the batch
    ///          right = the other arm j of the batch with the largest u_jc, ties at random;
    ///            (i, i) if i alone is left
    /// update:  the winner's w grows by 1;
    ///          the loser l is eliminated if u_lj < 1/2 against the winner j
    ///          when at most K / 2^S arms are left:
    ///            the smallest batch joins the largest,
    ///            the second smallest the second largest and so on,
    ///          as long as no batch gets more than 3p/2 arms;
    ///            again while a batch has fewer than p/2 arms; then S grows by 1
    ///          a batch of one arm joins the next batch that has fewer than 3p/2 arms;
    ///            while there is no such batch, its turn is skipped
    /// ```
    ///
    /// Only pairs within a batch have counts. The counts survive merges; two arms that a merge
    /// brings together start with no duels.
    ///
    /// The paper looks for arms to eliminate when the turn of their batch comes, and checks all
    /// pairs of the batch. This implementation checks a pair whenever its counts change. It needs
    /// no other checks: without a new outcome u only grows with t, so a pair that eliminates no arm
    /// now will not do so later. Two differences remain. First, t is smaller by less than one cycle
    /// of turns, which is negligible next to a C of millions. Second, if several arms beat each
    /// other in a cycle, one of them stays, whereas eliminating them all at once would leave none.
    ///
    /// **Where the sources differ.** The paper's pseudo-code was available only from memory and
    /// through two programs: an older one that appears to be by the authors themselves, and the
    /// program of the MergeDTS paper. Both merge at K / 2^S + 1 arms and start every pair with one
    /// win for each arm. This implementation does neither. The MergeDTS program also resets t to
    /// C + 1 at each stage, which is not done here. The sources also treat a batch of one arm
    /// differently: the older program skips it, and in the MergeDTS program it meets itself under
    /// MergeRUCB but joins its neighbour under MergeDTS. Here it joins its neighbour under both
    /// policies. Batches of equal size merge in the order of their turns, which is random from the
    /// start.
    ///
    /// A duel in flight counts in the width, as in `rucb`, with mean 1 if no outcome of the pair
    /// has arrived. An outcome that arrives after one of its arms was eliminated is dropped.
    /// Outcomes of an earlier stage count, because the counts themselves survive. The ticket's
    /// epoch is S.
    ///
    /// ## Parameters
    ///
    parameters = Options::PARAMS;
    ///
    /// The defaults are the values of the theory, and they are cautious: with 136 arms and gaps
    /// of 0.1 it takes about 1500 duels to eliminate an arm. `mergerucb:alpha=0.8^6,c=4e5,batch=8`
    /// has the values that Li et al. (2020) tuned for web-search rankers; nothing is proved for
    /// them.
    ///
    /// ## Guarantee
    ///
    /// Assume that one arm beats every other arm, that preferences do not change, and that not too
    /// many of the other arms are tied with each other. Then the Condorcet regret is of order
    /// K ln T with probability 1 - delta (Zoghi et al. 2015; the conditions are quoted from
    /// memory). RUCB, in contrast, first pays for all K^2 pairs. If the best arm is eliminated by
    /// mistake, it never returns, so small values of `alpha` and `c` are a risk.
    ///
    /// The slow tests check one result of the paper: with many rankers, MergeRUCB has less regret
    /// than RUCB. They use the theory's values, a synthetic matrix of 136 rankers and 1e6 rounds.
    ///
    /// ## Cost
    ///
    /// O(p) per round, whatever K is. O(K / p + p^2) when an arm is eliminated or batches merge,
    /// which happens fewer than 2 K times in total. 36 K p bytes of memory. One word of randomness
    /// per round, and one more for each tie. `recommend` takes O(K p).
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
        cost: "O(p) per round, O(K p) memory, p = `batch`",
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

/// A random arm of the batch meets the arm with the largest upper confidence bound against it.
#[derive(Debug, Clone)]
pub struct UpperBound;

/// u_jc for two different places `j` and `c` of a batch.
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
