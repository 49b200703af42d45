//! A world of linear rankers: points are the weights of features, and the better ranker tends to
//! win.
//!
//! A hidden weight vector of length 1 is the best. A ranker's utility v says how good it is, and
//!
//! ```text
//! P(w beats w') = sigma(steepness (v(w) - v(w')))        sigma(x) = 1 / (1 + exp(-x))
//! ```
//!
//! Two utilities are functions of the distance to the best weights. They are concave, as the theory
//! of gradient descent by duels wants it, and know nothing of documents. The third ranks the
//! documents of a seeded collection and is the quality of that ranking (NDCG); there a duel is
//! about one query drawn at random, and P is the mean over queries. That one is not concave, and
//! flat nearly everywhere, since small changes of the weights seldom change a ranking.
//!
//! By name it is `linear-ranker`, a world for continuous policies such as `dbgd`.

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

const DIMS: Number = number!("dims" = 10 whole [1, 1000], "how many features a ranker weighs");
const UTILITY: Choice<Utility> = choice!("utility":
    "squared" => Utility::Squared, "distance" => Utility::Distance, "ndcg" => Utility::Ndcg(Shape::DEFAULT);
    "minus the squared distance to the best weights, minus the distance, or the quality of the ranking (NDCG)");
const STEEPNESS: Number =
    number!("steepness" = 4 above 0, "how surely the better ranker wins: the slope of the link");
const QUERIES: Number = number!("queries" = 100 whole [1, 1000], "queries of the collection, for ndcg");
const DOCUMENTS: Number = number!("documents" = 10 whole [1, 64], "documents of a query, for ndcg");
const TOP: Number = number!("top" = 10 whole [1, 64], "how many ranks count, for ndcg");
const SEED: Number = number!("seed" = 1 whole [0, 2 ^ 53], "of the best weights and the collection");

pub(crate) static FAMILY: Family = Family {
    name: "linear-ranker",
    title: "linear rankers: duels are of weights of features (continuous: no arms)",
    provenance: "generated; the setting of Yue and Joachims, ICML 2009",
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

/// The world; see the [module](self).
#[derive(Debug, Clone, PartialEq)]
pub struct LinearRankerWorld {
    best: Vec<f64>,
    steepness: f64,
    quality: Quality,
}

/// What makes a ranker good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Utility {
    /// v(w) = -|w - best|: the same slope everywhere, concave.
    Distance,
    /// v(w) = -|w - best|^2: smooth, strictly concave.
    Squared,
    /// v(w) = the NDCG of ranking by w the documents of a query.
    Ndcg(Shape),
}

/// The size of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// How many queries.
    pub queries: usize,
    /// How many documents each of them has: at most [`Shape::MOST_DOCUMENTS`].
    pub documents: usize,
    /// How many of them count: the documents ranked below do not.
    pub top: usize,
}

impl Shape {
    /// Scores of one query's documents are kept on the stack, so that a duel allocates nothing.
    pub const MOST_DOCUMENTS: usize = 64;

    /// 100 queries of 10 documents, all of which count.
    pub const DEFAULT: Self = Self { queries: 100, documents: 10, top: 10 };
}

#[derive(Debug, Clone, PartialEq)]
enum Quality {
    Distance,
    Squared,
    Ndcg(Collection),
}

impl LinearRankerWorld {
    /// The world that a seed draws: best weights uniform on the sphere, and for [`Utility::Ndcg`]
    /// documents whose features are independent normal numbers.
    ///
    /// # Errors
    ///
    /// If there are no dimensions, the steepness is not a positive number, or the collection's
    /// shape is none.
    pub fn new(
        dimension: usize,
        utility: Utility,
        steepness: f64,
        seed: u64,
    ) -> Result<Self, LinearRankerError> {
        if dimension == 0 {
            return Err(LinearRankerError::NoDimensions);
        }
        // Written positively so that NaN fails.
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

    /// v: never above that of the best weights. For NDCG, the mean over the queries.
    ///
    /// # Panics
    ///
    /// If the point is of another number of dimensions.
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
    /// If a point is of another number of dimensions.
    pub fn preference(&self, left: &[f64], right: &[f64]) -> f64 {
        let Quality::Ndcg(collection) = &self.quality else {
            return self.link(self.utility(left) - self.utility(right));
        };
        self.check(left);
        self.check(right);
        let one = |query| self.link(collection.ndcg(query, left) - collection.ndcg(query, right));
        collection.queries().map(one).sum::<f64>() / collection.queries.len() as f64
    }

    /// P(best, point), without ranking anything by the best weights: they put the documents of
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
        assert_eq!(point.len(), self.best.len(), "a point has as many numbers as the world has dimensions");
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

/// Queries with their documents.
#[derive(Debug, Clone, PartialEq)]
struct Collection {
    queries: Vec<Query>,
    /// 1 / log2(1 + rank) for ranks from 1; 0 below the top.
    discounts: Vec<f64>,
}

#[derive(Debug, Clone, PartialEq)]
struct Query {
    /// The features of the documents, one document after the other.
    features: Vec<f64>,
    /// 2^grade - 1 of each document, divided by the discounted gain of the best ranking; all 0 if
    /// no document is relevant.
    gains: Vec<f64>,
}

impl Query {
    /// The NDCG of the best ranking: 1, or 0 where nothing is relevant.
    fn highest(&self) -> f64 {
        f64::from(u8::from(self.gains.iter().any(|&gain| gain > 0.0)))
    }
}

/// A document is relevant to the grade that counts how many of these its true score exceeds. The
/// score is a standard normal number, so that half of the documents are not relevant at all, and
/// the other grades hold 19, 15, 9 and 7 % of them.
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

    /// The discounted gain of ranking a query's documents by their scores under some weights, as a
    /// fraction of the best possible. Documents with equal scores keep their order, which is a
    /// random one.
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

/// Why there is no such world.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinearRankerError {
    /// d = 0.
    #[error("there must be at least one dimension")]
    NoDimensions,
    /// A steepness that is no positive number.
    #[error("the steepness is {steepness}, but must be a positive number")]
    Steepness {
        /// The steepness given.
        steepness: f64,
    },
    /// A collection of nothing, or of too many documents.
    #[error(
        "a collection needs queries, a top to count, and 1 to {} documents a query, not {} queries, a top of {} and {} documents",
        Shape::MOST_DOCUMENTS, shape.queries, shape.top, shape.documents
    )]
    Shape {
        /// The shape given.
        shape: Shape,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Utility; 3] =
        [Utility::Distance, Utility::Squared, Utility::Ndcg(Shape { queries: 20, documents: 8, top: 5 })];

    fn world(dimension: usize, utility: Utility) -> LinearRankerWorld {
        LinearRankerWorld::new(dimension, utility, 3.0, 1).unwrap()
    }

    /// One dimension, best = +1 or -1. From the origin: v = -1 for both concave utilities, so the
    /// best wins with probability sigma(3) = 1 / (1 + e^-3) = 0.952574; against the opposite point
    /// v = -2 or -4: sigma(6) = 0.997527, sigma(12) = 0.999994.
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

    /// One query of three documents in one dimension, with weights +1 best: true scores 2, -1, 0.7
    /// have the grades 4, 0, 2 and the gains 15, 0, 3. Discounts are 1, 1/log2(3) = 0.630930, 1/2.
    /// Best: 15 + 3 * 0.630930 = 16.892789. In the opposite order (-1, 0.7, 2): 3 * 0.630930 + 15 /
    /// 2 = 9.392789, so NDCG = 0.556024. All scores equal: the order is that of the documents, 15 +
    /// 3/2 = 16.5, NDCG = 0.976748.
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

    /// P + P' = 1, the best point loses to none, regret is between 0 and 1/2 and vanishes for
    /// (best, best) alone.
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

    /// NDCG asks for the direction of the weights alone, and for the best ones it is 1 on every
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

    /// 40,000 duels: one standard error of the share of wins is at most 0.0025, five are allowed.
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
