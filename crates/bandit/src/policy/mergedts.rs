//! MergeDTS; [`Family`] has its page.

use rand::Rng;
use rand_distr::{Beta, Distribution};

use super::batch_race::{BatchRace, PairChoice};
pub use super::batch_race::{Offset, Options};
use super::{Assumption, Citation, Curve, Goal, Info, Propensity, Settles, registry};
use crate::argmax::{Best, argmax};
use crate::structures::counts::batches::{Batch, MOST_ARMS};
use crate::ticket::Draw;

declare! {
    /// # MergeDTS: Thompson sampling in small batches
    ///
    /// ## Idea
    ///
    /// MergeDTS finds the best of many arms by letting them compete in small batches and
    /// eliminating the losers.
    ///
    /// The batches are the same as in `mergerucb`: an arm meets only arms of its own batch, and an
    /// arm that is shown to lose is eliminated. The duels are chosen differently, in two steps.
    /// First, MergeDTS simulates a tournament in the batch: for each pair it draws a plausible
    /// winning probability from the posterior. The winner of this tournament is the champion.
    /// Second, it draws again, and the champion meets the arm that does worst against it in this
    /// draw. Most algorithms choose the opponent that is most likely to win. Choosing a likely
    /// loser eliminates bad arms after few duels.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// start, batches, C, u_ij, and when an arm is eliminated: as in mergerucb
    /// decide:  batch = t mod (number of batches)
    ///          theta_ij ~ Beta(w_ij + 1, w_ji + 1) for i < j in the batch, theta_ji = 1 - theta_ij
    ///          left  = c, the arm with the most theta_cj > 1/2, ties at random
    ///          right = the arm i != c of the batch
    ///            with the smallest fresh draw phi_ic ~ Beta(w_ic + 1, w_ci + 1);
    ///            (i, i) if i alone is left
    /// update:  as in mergerucb
    /// ```
    ///
    /// The authors' program draws theta_ij and theta_ji independently, so both arms of a pair may
    /// win the same duel. A line that is commented out in that program derives both values from one
    /// draw. This implementation uses one draw, because a duel of a tournament has one winner. The
    /// authors' program also resets t and merges at K / 2^S + 1 arms. The page of `mergerucb`
    /// describes these differences and says which details are from memory.
    ///
    /// A duel in flight changes nothing. The draws differ from round to round, so late outcomes do
    /// not make MergeDTS repeat one pair. An outcome that arrives after one of its arms was
    /// eliminated is dropped. Outcomes of an earlier stage count. The ticket's epoch is the stage.
    ///
    /// ## Parameters
    ///
    parameters = Options::PARAMS;
    ///
    /// The defaults are the values of the theory. `mergedts:alpha=0.8^6,c=4e5,batch=16` has the
    /// values that the paper tuned for web-search rankers; nothing is proved for them.
    ///
    /// ## Guarantee
    ///
    /// Assume that one arm beats every other arm, that preferences do not change, and that not too
    /// many of the other arms are tied with each other. Then the Condorcet regret is of order
    /// K ln T with high probability (Li et al. 2020; the conditions are quoted from memory). An
    /// eliminated arm never returns.
    ///
    /// The slow tests check one result of the paper: with many rankers and tuned values, MergeDTS
    /// has less regret than MergeRUCB. They use a synthetic matrix of 136 rankers and 1e6 rounds.
    ///
    /// ## Cost
    ///
    /// O(M^2) draws from Beta distributions per round for batches of M arms, whatever K is.
    /// O(K / M + M^2) when an arm is eliminated or batches merge. 36 K M bytes of memory. The exact
    /// probability of a pair is expensive to compute, so tickets say `Unknown`.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Arm, Outcome, Stream, policy::{MergeDts, Policy}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = MergeDts::new(10, &mut rng);
    /// for _ in 0..5000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     // The lower index wins.
    ///     policy.update(&ticket, Outcome::won(ticket.left < ticket.right));
    /// }
    /// assert_eq!(policy.batches(), [[Arm::new(0)]]);
    /// assert_eq!(policy.recommend(), Arm::new(0));
    /// ```
    ///
    /// ## Reference
    ///
    /// Li, Markov, de Rijke and Zoghi, *MergeDTS: a method for effective large-scale online ranker
    /// evaluation*, ACM Transactions on Information Systems 38(4), 2020; DOI `10.1145/3411753`,
    /// also `10.48550/arXiv.1812.04412`.
    pub struct Family;

    Family {
        name: "mergedts",
        class: "MergeDts",
        title: "Thompson sampling in small batches that merge",
        assumptions: &[Assumption::CondorcetWinner, Assumption::Stationary],
        horizon: None,
        settles: Settles::Pair,
        minimises: Goal::Condorcet,
        binary: true,
        version: 1,
        cost: "O(M^2) per round, O(K M) memory, M = `batch`",
        forms: &["alpha=0.8^6,c=4e5,batch=16"],
        curves: &[Curve::new([2, 9, 3])],
        reference: Citation {
            authors: "Li, Markov, de Rijke and Zoghi",
            title: "MergeDTS: a method for effective large-scale online ranker evaluation",
            venue: "ACM Transactions on Information Systems 38(4)",
            year: 2020,
            doi: "doi:10.1145/3411753",
        },
    } => |params, rng| MergeDts::with(params.context().n_arms, Options::read(params)?, rng);
}

/// Thompson sampling in small batches; see the [module](self).
pub type MergeDts = BatchRace<Tournament>;

/// The champion, which wins a tournament drawn from the posterior, meets the arm that does worst
/// against it in a second draw.
#[derive(Debug, Clone)]
pub struct Tournament;

/// Draws a plausible probability that place `i` of the batch beats place `j`.
#[inline]
fn theta<R: Rng + ?Sized>(batch: &Batch<'_>, i: usize, j: usize, rng: &mut R) -> f64 {
    let (wins, losses) = (batch.wins(i, j) as f64, batch.wins(j, i) as f64);
    Beta::new(wins + 1.0, losses + 1.0).expect("both parameters are at least 1").sample(rng)
}

/// The winner of a tournament drawn from the posterior.
fn champion<R: Rng + ?Sized>(batch: &Batch<'_>, rng: &mut R) -> usize {
    let n = batch.len();
    let mut scores = [0.0; MOST_ARMS];
    for i in 0..n {
        for j in i + 1..n {
            // One draw decides the duel for both arms, because a duel has one winner.
            scores[if theta(batch, i, j, rng) > 0.5 { i } else { j }] += 1.0;
        }
    }
    argmax(scores[..n].iter().copied(), rng)
}

/// The arm that does worst against the champion in a fresh draw.
fn likely_loser<R: Rng + ?Sized>(batch: &Batch<'_>, champion: usize, rng: &mut R) -> usize {
    let mut worst = Best::default();
    for i in (0..batch.len()).filter(|&i| i != champion) {
        let theta = theta(batch, i, champion, rng);
        worst.offer(-theta, rng);
    }
    worst.index() + usize::from(worst.index() >= champion)
}

impl PairChoice for Tournament {
    const PROPENSITY: Propensity = Propensity::Unknown;

    fn info() -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    #[inline]
    fn choose<R: Rng + ?Sized>(batch: &Batch<'_>, _: f64, rng: &mut R) -> (usize, usize, Draw) {
        let champion = champion(batch, rng);
        (champion, likely_loser(batch, champion, rng), Draw::Unknown)
    }
}
