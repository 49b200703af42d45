//! A world of linear rankers. A point is a vector of feature weights, and the better ranker tends
//! to win.
//!
//! A hidden weight vector of length 1 is the best. The utility v of a ranker says how good it is:
//!
//! ```text
//! P(w beats w') = sigma(steepness (v(w) - v(w')))        sigma(x) = 1 / (1 + exp(-x))
//! ```
//!
//! Two of the three utilities are functions of the distance to the best weights. They are concave,
//! as the theory of dueling gradient descent requires, and involve no documents. The third is the
//! quality (NDCG) of ranking the documents of a generated collection. There a duel is about one
//! query drawn at random, and P is the mean over the queries. This utility is not concave, and it
//! is flat nearly everywhere, because small changes of the weights seldom change a ranking.
//!
//! The name of the world is `linear-ranker`. It is for continuous policies such as `dbgd`.

use rand::{Rng, RngExt};
use rand_distr::StandardNormal;
use tiltyard_bandit::continuous::draw_direction;
use tiltyard_bandit::spec::Spec;
use tiltyard_bandit::{Outcome, Stream};

use crate::any_world::AnyWorld;
use crate::builtin::WorldError;
use crate::continuous_world::{ContinuousWorld, PointWorld};
use crate::family::{Build, Family};
use crate::param::{Choice, Number, choice, number};

const DIMS: Number = number!("dims" = 10 whole [1, 1000], "number of features");
const UTILITY: Choice<Utility> = choice!("utility":
    "squared" => Utility::Squared, "distance" => Utility::Distance, "ndcg" => Utility::Ndcg(Shape::DEFAULT);
    "minus the squared distance to the best weights, minus the distance, or the quality of the ranking (NDCG)");
const STEEPNESS: Number =
    number!("steepness" = 4 above 0, "slope of the link: how surely the better ranker wins");
const QUERIES: Number = number!("queries" = 100 whole [1, 1000], "number of queries, for ndcg");
const DOCUMENTS: Number = number!("documents" = 10 whole [1, 64], "documents per query, for ndcg");
const TOP: Number = number!("top" = 10 whole [1, 64], "number of ranks that count, for ndcg");
const SEED: Number = number!("seed" = 1 whole [0, 2 ^ 53], "seed of the best weights and the collection");

pub(crate) static FAMILY: Family = Family {
    name: "linear-ranker",
    title: "linear rankers: duels between vectors of feature weights (continuous: no arms)",
    provenance: "a seed, in the setting of Yue and Joachims, ICML 2009",
    n_arms: None,
    params: &[DIMS.doc, UTILITY.doc, STEEPNESS.doc, QUERIES.doc, DOCUMENTS.doc, TOP.doc, SEED.doc],
    needs_file: false,
    build: Build::World(build),
};

fn build(spec: &Spec, rounds: u64) -> Result<AnyWorld, WorldError> {
    let mut params = FAMILY.read(spec, rounds)?;
    let dimension = DIMS.count(&mut params)?;
    let utility = match UTILITY.read(&mut params)? {
        Utility::Ndcg(_) => Utility::Ndcg(Shape {
            queries: QUERIES.count(&mut params)?,
            documents: DOCUMENTS.count(&mut params)?,
            top: TOP.count(&mut params)?,
        }),
        concave => concave,
    };
    let (steepness, seed) = (STEEPNESS.read(&mut params)?, SEED.whole(&mut params)?);
    params.finish()?;
    let world = LinearRankerWorld::new(dimension, utility, steepness, seed);
    Ok(PointWorld(world.expect("the ranges were checked")).into())
}

/// A world of linear rankers; see the [module](self).
#[derive(Debug, Clone, PartialEq)]
pub struct LinearRankerWorld {
    best: Vec<f64>,
    steepness: f64,
    quality: Quality,
}

/// The utility v of a ranker with weights w.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Utility {
    /// v(w) = -|w - best|. Concave, with the same slope everywhere.
    Distance,
    /// v(w) = -|w - best|^2. Smooth and strictly concave.
    Squared,
    /// v(w) = the NDCG of ranking the documents of a query by w.
    Ndcg(Shape),
}

/// The size of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The number of queries.
    pub queries: usize,
    /// The number of documents per query, at most [`Shape::MOST_DOCUMENTS`].
    pub documents: usize,
    /// The number of ranks that count.
    pub top: usize,
}

impl Shape {
    /// The scores of a query's documents are on the stack, so that a duel allocates nothing. This
    /// limits their number.
    pub const MOST_DOCUMENTS: usize = 64;

    /// 100 queries of 10 documents, and all ranks count.
    pub const DEFAULT: Self = Self { queries: 100, documents: 10, top: 10 };
}

#[derive(Debug, Clone, PartialEq)]
enum Quality {
    Distance,
    Squared,
    Ndcg(Collection),
}

impl LinearRankerWorld {
    /// Draws a world from a seed. The best weights are uniform on the sphere. For [`Utility::Ndcg`]
    /// the features of the documents are independent normal numbers.
    ///
    /// # Errors
    ///
    /// If the dimension is 0, the steepness is not a positive number, or the shape of the
    /// collection is invalid.
    pub fn new(
        dimension: usize,
        utility: Utility,
        steepness: f64,
        seed: u64,
    ) -> Result<Self, LinearRankerError> {
        if dimension == 0 {
            return Err(LinearRankerError::NoDimensions);
        }
        // Written so that NaN is refused.
        let legal = steepness > 0.0 && steepness.is_finite();
        if !legal {
            return Err(LinearRankerError::Steepness { steepness });
        }
        let stream = Stream::new(seed).label("linear ranker");
        let mut best = vec![0.0; dimension];
        draw_direction(&mut best, &mut stream.label("best").rng());
        let quality = match utility {
            Utility::Distance => Quality::Distance,
            Utility::Squared => Quality::Squared,
            Utility::Ndcg(shape) => {
                Quality::Ndcg(Collection::draw(shape, &best, &mut stream.label("documents").rng())?)
            }
        };
        Ok(Self { best, steepness, quality })
    }

    /// The best weights.
    pub fn best(&self) -> &[f64] {
        &self.best
    }

    /// The utility v of a point. It is never above the utility of the best weights. For NDCG it is
    /// the mean over the queries.
    ///
    /// # Panics
    ///
    /// If the dimension of the point is wrong.
    pub fn utility(&self, point: &[f64]) -> f64 {
        self.check(point);
        match &self.quality {
            Quality::Distance => -distance(point, &self.best),
            Quality::Squared => -distance(point, &self.best).powi(2),
            Quality::Ndcg(collection) => {
                let sum: f64 = collection.queries().map(|query| collection.ndcg(query, point)).sum();
                sum / collection.queries.len() as f64
            }
        }
    }

    /// The probability that the left point beats the right one.
    ///
    /// # Panics
    ///
    /// If the dimension of a point is wrong.
    pub fn preference(&self, left: &[f64], right: &[f64]) -> f64 {
        let Quality::Ndcg(collection) = &self.quality else {
            return self.link(self.utility(left) - self.utility(right));
        };
        self.check(left);
        self.check(right);
        let one = |query| self.link(collection.ndcg(query, left) - collection.ndcg(query, right));
        collection.queries().map(one).sum::<f64>() / collection.queries.len() as f64
    }

    /// P(best, point). It ranks nothing by the best weights, because they put the documents of
    /// every query in the best order.
    fn best_beats(&self, point: &[f64]) -> f64 {
        self.check(point);
        match &self.quality {
            Quality::Distance | Quality::Squared => self.link(-self.utility(point)),
            Quality::Ndcg(collection) => {
                let one = |query: &Query| self.link(query.highest() - collection.ndcg(query, point));
                collection.queries().map(one).sum::<f64>() / collection.queries.len() as f64
            }
        }
    }

    fn link(&self, difference: f64) -> f64 {
        1.0 / (1.0 + (-self.steepness * difference).exp())
    }

    fn check(&self, point: &[f64]) {
        assert_eq!(point.len(), self.best.len(), "the dimension of the point is that of the world");
    }
}

impl ContinuousWorld for LinearRankerWorld {
    fn dimension(&self) -> usize {
        self.best.len()
    }

    fn duel<R: Rng + ?Sized>(&self, left: &[f64], right: &[f64], rng: &mut R) -> Outcome {
        let p = if let Quality::Ndcg(collection) = &self.quality {
            self.check(left);
            self.check(right);
            let query = &collection.queries[rng.random_range(0..collection.queries.len())];
            self.link(collection.ndcg(query, left) - collection.ndcg(query, right))
        } else {
            self.preference(left, right)
        };
        Outcome::won(rng.random::<f64>() < p)
    }

    fn regret(&self, left: &[f64], right: &[f64]) -> f64 {
        f64::midpoint(self.best_beats(left), self.best_beats(right)) - 0.5
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[derive(Debug, Clone, PartialEq)]
struct Collection {
    queries: Vec<Query>,
    /// 1 / log2(1 + rank) for ranks from 1, and 0 for ranks that do not count.
    discounts: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq)]
struct Query {
    /// The features of the documents, one document after the other.
    features: Vec<f64>,
    /// 2^grade - 1 of each document, divided by the discounted gain of the best ranking. All are 0
    /// if no document is relevant.
    gains: Vec<f64>,
}

impl Query {
    /// The NDCG of the best ranking: 1, or 0 if no document is relevant.
    fn highest(&self) -> f64 {
        f64::from(u8::from(self.gains.iter().any(|&gain| gain > 0.0)))
    }
}

/// The grade of a document is the number of these thresholds that its true score exceeds. The score
/// is a standard normal number, so half of the documents have grade 0, and the other grades have
/// 19, 15, 9 and 7 % of them.
const GRADES: [f64; 4] = [0.0, 0.5, 1.0, 1.5];

impl Collection {
    fn draw<R: Rng>(shape: Shape, best: &[f64], rng: &mut R) -> Result<Self, LinearRankerError> {
        let Shape { queries, documents, top } = shape;
        if queries == 0 || top == 0 || !(1..=Shape::MOST_DOCUMENTS).contains(&documents) {
            return Err(LinearRankerError::Shape { shape });
        }
        let discount = |rank: usize| if rank < top { 1.0 / (rank as f64 + 2.0).log2() } else { 0.0 };
        let discounts: Vec<f64> = (0..documents).map(discount).collect();
        let mut query = || {
            let features: Vec<f64> =
                (0..documents * best.len()).map(|_| rng.sample(StandardNormal)).collect();
            let gain = |features: &[f64]| {
                let score = dot(features, best);
                let grade = GRADES.iter().filter(|&&bound| score > bound).count();
                f64::from((1u32 << grade) - 1)
            };
            let mut gains: Vec<f64> = features.chunks_exact(best.len()).map(gain).collect();
            let mut sorted = gains.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            let ideal = dot(&sorted, &discounts);
            if ideal > 0.0 {
                for gain in &mut gains {
                    *gain /= ideal;
                }
            }
            Query { features, gains }
        };
        let queries = (0..queries).map(|_| query()).collect();
        Ok(Self { queries, discounts })
    }

    fn queries(&self) -> impl Iterator<Item = &Query> {
        self.queries.iter()
    }

    /// The NDCG of ranking a query's documents by their scores under some weights. Documents with
    /// equal scores keep their order, which is random.
    fn ndcg(&self, query: &Query, weights: &[f64]) -> f64 {
        let mut buffer = [0.0; Shape::MOST_DOCUMENTS];
        let scores = &mut buffer[..query.gains.len()];
        for (score, features) in scores.iter_mut().zip(query.features.chunks_exact(weights.len())) {
            *score = dot(features, weights);
        }
        let above = |i: usize| {
            let earlier = scores[..i].iter().filter(|&&other| other >= scores[i]).count();
            let later = scores[i + 1..].iter().filter(|&&other| other > scores[i]).count();
            earlier + later
        };
        let relevant = query.gains.iter().enumerate().filter(|&(_, &gain)| gain > 0.0);
        relevant.map(|(i, gain)| gain * self.discounts[above(i)]).sum()
    }
}

/// Why a world of linear rankers is invalid.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum LinearRankerError {
    #[error("there must be at least one dimension")]
    NoDimensions,
    #[error("the steepness is {steepness}, but must be a positive number")]
    Steepness { steepness: f64 },
    #[error(
        "a collection needs at least 1 query, a top of at least 1, and 1 to {} documents per query, not {} queries, a top of {} and {} documents",
        Shape::MOST_DOCUMENTS, shape.queries, shape.top, shape.documents
    )]
    Shape { shape: Shape },
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Utility; 3] =
        [Utility::Distance, Utility::Squared, Utility::Ndcg(Shape { queries: 20, documents: 8, top: 5 })];

    fn world(dimension: usize, utility: Utility) -> LinearRankerWorld {
        LinearRankerWorld::new(dimension, utility, 3.0, 1).unwrap()
    }

    /// One dimension, best = +1 or -1. At the origin v = -1 for both concave utilities, so the best
    /// wins with probability sigma(3) = 1 / (1 + e^-3) = 0.952574. At the opposite point v = -2 or
    /// -4, so it wins with sigma(6) = 0.997527 or sigma(12) = 0.999994.
    #[test]
    fn trace_one_dimension() {
        let cases = [(Utility::Distance, 0.997_527), (Utility::Squared, 0.999_994)];
        for (utility, far) in cases {
            let world = world(1, utility);
            let best = world.best()[0];
            assert!((best.abs() - 1.0).abs() < 1e-15);
            let close =
                |got: f64, want: f64| assert!((got - want).abs() < 1e-6, "{utility:?}: {got}, not {want}");
            close(world.preference(&[best], &[0.0]), 0.952_574);
            close(world.preference(&[0.0], &[best]), 1.0 - 0.952_574);
            close(world.preference(&[best], &[-best]), far);
            close(world.regret(&[0.0], &[best]), 0.452_574 / 2.0);
            close(world.regret(&[0.0], &[-best]), (0.452_574 + far - 0.5) / 2.0);
        }
    }

    /// One query of three documents in one dimension, with +1 as the best weight. The true scores
    /// 2, -1, 0.7 have the grades 4, 0, 2 and the gains 15, 0, 3. The discounts are 1,
    /// 1/log2(3) = 0.630930 and 1/2. The best order has 15 + 3 * 0.630930 = 16.892789. The opposite
    /// order (-1, 0.7, 2) has 3 * 0.630930 + 15/2 = 9.392789, so NDCG = 0.556024. If all scores are
    /// equal, the documents keep their order: 15 + 3/2 = 16.5, so NDCG = 0.976748.
    #[test]
    fn trace_ndcg() {
        let ideal = 15.0 + 3.0 / 3f64.log2();
        let collection = Collection {
            queries: vec![Query {
                features: vec![2.0, -1.0, 0.7],
                gains: vec![15.0 / ideal, 0.0, 3.0 / ideal],
            }],
            discounts: vec![1.0, 1.0 / 3f64.log2(), 0.5],
        };
        let query = &collection.queries[0];
        for (weight, want) in [(1.0, 1.0), (0.1, 1.0), (-1.0, 0.556_024), (0.0, 0.976_748)] {
            let got = collection.ndcg(query, &[weight]);
            assert!((got - want).abs() < 1e-6, "{weight}: {got}, not {want}");
        }
    }

    /// P(a, b) + P(b, a) = 1. The best point loses to no point. Regret is between 0 and 1/2, and it
    /// is 0 only for (best, best).
    #[test]
    fn law_preferences_are_fair_and_regret_is_not_negative() {
        for utility in KINDS {
            let world = world(4, utility);
            let mut rng = Stream::new(2).rng();
            let mut points: Vec<Vec<f64>> = (0..30)
                .map(|_| (0..4).map(|_| rng.sample::<f64, _>(StandardNormal) * 0.5).collect())
                .collect();
            points.push(vec![0.0; 4]);
            for left in &points {
                assert!((world.preference(left, left) - 0.5).abs() < 1e-12);
                assert!(world.preference(world.best(), left) >= 0.5 - 1e-12);
                assert!(world.utility(left) <= world.utility(world.best()) + 1e-12);
                for right in &points {
                    let sum = world.preference(left, right) + world.preference(right, left);
                    assert!((sum - 1.0).abs() < 1e-12, "{utility:?}");
                    let regret = world.regret(left, right);
                    assert!((-1e-12..0.5).contains(&regret), "{utility:?}");
                    let best = world.best();
                    let plain = (world.preference(best, left) + world.preference(best, right) - 1.0) / 2.0;
                    assert!((regret - plain).abs() < 1e-12, "{utility:?}: {regret}, not {plain}");
                }
            }
            assert!(world.regret(world.best(), world.best()).abs() < 1e-12);
            assert!(world.regret(world.best(), &points[0]) > 0.0);
        }
    }

    /// NDCG depends only on the direction of the weights. For the best weights it is 1 on every
    /// query with a relevant document.
    #[test]
    fn law_ndcg_knows_no_lengths() {
        let world = world(6, KINDS[2]);
        let Quality::Ndcg(collection) = &world.quality else { panic!("a collection") };
        for query in collection.queries() {
            let best = collection.ndcg(query, world.best());
            assert!((best - query.highest()).abs() < 1e-12, "{best}");
        }
        let point = [0.3, -0.2, 0.9, 0.4, -0.7, 0.1];
        let longer = point.map(|x| 8.0 * x);
        assert!((world.utility(&point) - world.utility(&longer)).abs() < 1e-12);
    }

    /// 40,000 duels: the standard error of the share of wins is at most 0.0025. Five are allowed.
    #[test]
    fn stat_duels_follow_the_preferences() {
        for utility in KINDS {
            let world = world(3, utility);
            let (left, right) = ([0.5, 0.2, -0.1], [-0.3, 0.4, 0.2]);
            let mut rng = Stream::new(3).rng();
            let wins: f64 = (0..40_000).map(|_| world.duel(&left, &right, &mut rng).reward()).sum();
            let p = world.preference(&left, &right);
            assert!((wins / 40_000.0 - p).abs() < 0.0125, "{utility:?}: {wins} of 40000 against {p}");
        }
    }

    #[test]
    fn trace_errors() {
        let new = |d, utility, steepness| LinearRankerWorld::new(d, utility, steepness, 1);
        assert_eq!(new(0, Utility::Distance, 1.0), Err(LinearRankerError::NoDimensions));
        for steepness in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(new(2, Utility::Squared, steepness), Err(LinearRankerError::Steepness { .. })));
        }
        let fine = Shape::DEFAULT;
        for shape in [
            Shape { queries: 0, ..fine },
            Shape { documents: 0, ..fine },
            Shape { documents: 65, ..fine },
            Shape { top: 0, ..fine },
        ] {
            assert_eq!(new(2, Utility::Ndcg(shape), 1.0), Err(LinearRankerError::Shape { shape }));
        }
    }
}
