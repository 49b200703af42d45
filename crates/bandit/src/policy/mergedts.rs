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
    /// The batches of `mergerucb`, in which arms meet only each other and an arm that is shown to
    /// lose is out, with other duels: a tournament is drawn from what is known of the batch, its
    /// winner is the champion, and its opponent is the arm that is most likely to lose against it.
    /// Bad arms so are out after few duels. In most algorithms the opponent is the arm most likely
    /// to win.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// start, batches, C, u_ij, and who is out when: as in mergerucb
    /// decide:  batch = t mod (number of batches)
    ///          theta_ij ~ Beta(w_ij + 1, w_ji + 1) for i < j in the batch, theta_ji = 1 - theta_ij
    ///          left  = c, the arm with the most theta_cj > 1/2, ties at random
    ///          right = the smallest of fresh phi_ic ~ Beta(w_ic + 1, w_ci + 1) over the other arms i of the batch; (i, i) if i alone is left
    /// update:  as in mergerucb
    /// ```
    ///
    /// The program of the paper's authors draws theta_ij and theta_ji independently of each other,
    /// so that two arms may both win their duel; in a line that is commented out they are one draw,
    /// which is what a tournament means and what is done here. It also resets t and merges at K /
    /// 2^S + 1 arms; see `mergerucb` for that, and for what is known from memory only.
    ///
    /// A duel in flight changes nothing: draws differ from round to round, so that late outcomes do
    /// not make it repeat one pair without end. Outcomes that come after one of the arms is out are
    /// dropped; those of an earlier stage count. The ticket's epoch is the stage.
    ///
    /// ## Parameters
    ///
    parameters = Options::PARAMS;
    ///
    /// The defaults are those of the theory. `mergedts:alpha=0.8^6,c=4e5,batch=16` has the values
    /// that the paper tuned on rankers of web search; they have no proof.
    ///
    /// ## Guarantee
    ///
    /// If one arm beats every other, preferences do not change, and not too many of the other arms
    /// are tied with each other, the Condorcet regret is of order K ln T with high probability (Li
    /// et al. 2020; the conditions are quoted from memory). What is shown to lose is out for good.
    ///
    /// Held to an order of its paper: with many rankers and tuned values it has less regret than
    /// MergeRUCB. Tests have it so on a made-up matrix of 136 rankers after 1e6 rounds.
    ///
    /// ## Cost
    ///
    /// O(M^2) draws from Beta laws a round for batches of M arms, whatever K is; O(K / M + M^2)
    /// when an arm goes or batches merge. 36 K M bytes of memory. The probability of a pair has no
    /// cheap exact value, so tickets say `Unknown`.
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
        cost: "O(M^2) a round, O(K M) memory, M = `batch`",
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

/// The winner of a tournament drawn from the posterior meets the arm that is drawn to do worst
/// against it.
#[derive(Debug, Clone)]
pub struct Tournament;

/// A plausible chance that the first place beats the second.
#[inline]
fn theta<R: Rng + ?Sized>(batch: &Batch<'_>, i: usize, j: usize, rng: &mut R) -> f64 {
    let (wins, losses) = (batch.wins(i, j) as f64, batch.wins(j, i) as f64);
    Beta::new(wins + 1.0, losses + 1.0).expect("both parameters are at least 1").sample(rng)
}

/// The winner of a tournament that is drawn from what is known.
fn champion<R: Rng + ?Sized>(batch: &Batch<'_>, rng: &mut R) -> usize {
    let n = batch.len();
    let mut scores = [0.0; MOST_ARMS];
    for i in 0..n {
        for j in i + 1..n {
            // One draw for both: a duel has one winner.
            scores[if theta(batch, i, j, rng) > 0.5 { i } else { j }] += 1.0;
        }
    }
    argmax(scores[..n].iter().copied(), rng)
}

/// The arm that is drawn to do worst against the champion.
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
