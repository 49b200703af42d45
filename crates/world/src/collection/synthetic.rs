//! Synthetic collections, for use without a real one.
//!
//! Every document has a hidden relevance `z`, a normal number. Thresholds on `z` give its label. A
//! feature of quality `r` (its correlation with relevance) has the value
//!
//! ```text
//! x = r z + sqrt(1 - r^2) (sqrt(s) h + sqrt(1 - s) e)
//! ```
//!
//! where `h` is noise that the features of a group share in a document, like the features of one
//! field of a web page, `e` is noise of the feature alone, and `s` is the shared part of the noise.
//! Some details make it more like a real collection:
//!
//! - Above a knee, features may see a higher `z` as lower.
//! - The quality varies from query to query, so no feature is good everywhere.
//! - `x` is squeezed into (0, 1).
//! - A document may lack the field of a group, and then all features of the group are 0.
//! - Some features have few distinct values, and some are constant within a query. So documents
//!   tie, as in real collections.
//!
//! [`Shape`] has all of these numbers. The same shape and seed give the same collection, to the
//! last bit on one platform.

mod shape;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;
use statrs::distribution::{ContinuousCDF, Normal};
use tiltyard_bandit::Stream;

use super::query::Query;

pub use shape::{Labels, PARAMS, Shape, ShapeError};

/// The queries of a synthetic collection, one after the other.
///
/// ```
/// use tiltyard_world::collection::{Shape, Synthetic};
///
/// let shape = Shape { queries: 3, ..Shape::mslr() };
/// let queries: Vec<_> = Synthetic::new(shape, 1)?.collect();
/// assert_eq!(queries.len(), 3);
/// assert_eq!(queries[0].n_features(), 136);
/// # Ok::<(), tiltyard_world::collection::ShapeError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Synthetic {
    shape: Shape,
    stream: Stream,
    features: Vec<Feature>,
    /// For each group, the share of documents that lack its field.
    missing: Vec<f64>,
    /// The label of a document is the number of thresholds that its relevance reaches.
    thresholds: Vec<f64>,
    next: usize,
}

#[derive(Debug, Clone, Copy)]
struct Feature {
    group: usize,
    kind: Kind,
    coarse: bool,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// The same for all documents of a query.
    Constant,
    /// The correlation with relevance.
    Quality(f64),
}

/// The limit on the absolute correlation of a feature in a query, including its variation.
const MOST: f64 = 0.98;

impl Synthetic {
    /// A collection of this shape.
    ///
    /// # Errors
    ///
    /// If the shape is invalid.
    pub fn new(shape: Shape, seed: u64) -> Result<Self, ShapeError> {
        shape.check()?;
        let stream = Stream::new(seed).label("synthetic collection");
        let mut rng = stream.label("features").rng();
        let features = features(&shape, &mut rng);
        let missing = (0..shape.groups)
            .map(|group| (2.0 * shape.missing * (group as f64 + 0.5) / shape.groups as f64).min(1.0))
            .collect();
        let thresholds = match &shape.labels {
            Labels::One => Vec::new(),
            Labels::Shares(shares) => thresholds(shares),
        };
        Ok(Self { shape, stream, features, missing, thresholds, next: 0 })
    }

    /// The shape of the collection.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    fn query(&self, number: usize) -> Query {
        let shape = &self.shape;
        let mut rng = self.stream.label("query").index(number as u64).rng();
        let n_documents = n_documents(shape, &mut rng);
        let qualities: Vec<f64> =
            self.features.iter().map(|feature| quality(feature, shape, &mut rng)).collect();
        let constants: Vec<f64> = self.features.iter().map(|_| normal(&mut rng)).collect();
        let common = shape.clumping.sqrt() * normal(&mut rng);
        let own = (1.0 - shape.clumping).sqrt();
        let relevance: Vec<f64> = (0..n_documents).map(|_| common + own * normal(&mut rng)).collect();
        let labels = self.labels(&relevance);
        let mut query = Query::new(format!("{}", number + 1));
        let mut factors = vec![0.0; shape.groups];
        let mut absent = vec![false; shape.groups];
        for (&z, label) in relevance.iter().zip(labels) {
            let z = seen(z, shape);
            for (group, factor) in factors.iter_mut().enumerate() {
                *factor = normal(&mut rng);
                absent[group] = rng.random::<f64>() < self.missing[group];
            }
            for (((index, feature), &r), &constant) in
                (0..).zip(&self.features).zip(&qualities).zip(&constants)
            {
                let noise = shape.shared.sqrt() * factors[feature.group]
                    + (1.0 - shape.shared).sqrt() * normal(&mut rng);
                let value = match feature.kind {
                    Kind::Constant => squeeze(constant),
                    Kind::Quality(_) if absent[feature.group] => 0.0,
                    Kind::Quality(_) => {
                        let value = squeeze(r * z + (1.0 - r * r).sqrt() * noise);
                        if feature.coarse { coarse(value, shape.levels) } else { value }
                    }
                };
                #[expect(clippy::cast_possible_truncation, reason = "rounded to single precision")]
                query.push_value(index, value as f32);
            }
            query.close_document(label);
        }
        query
    }

    fn labels(&self, relevance: &[f64]) -> Vec<u8> {
        if self.shape.labels == Labels::One {
            let best = (0..relevance.len()).max_by(|&a, &b| relevance[a].total_cmp(&relevance[b]));
            return (0..relevance.len()).map(|document| u8::from(Some(document) == best)).collect();
        }
        let label = |&z: &f64| {
            self.thresholds.iter().zip(0_u8..).take_while(|&(&threshold, _)| z >= threshold).count()
        };
        #[expect(clippy::cast_possible_truncation, reason = "there are at most 32 labels")]
        relevance.iter().map(|z| label(z) as u8).collect()
    }
}

impl Iterator for Synthetic {
    type Item = Query;

    fn next(&mut self) -> Option<Query> {
        if self.next == self.shape.queries {
            return None;
        }
        self.next += 1;
        Some(self.query(self.next - 1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.shape.queries - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Synthetic {}

/// Draws the features. The number of each kind is exact, and qualities are at even quantiles. So
/// seeds differ in which feature is of which kind, not in how many there are.
fn features(shape: &Shape, rng: &mut impl Rng) -> Vec<Feature> {
    let n_features = shape.features;
    let part = |share: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of a number that fits"
        )]
        let part = (share * n_features as f64).round() as usize;
        part
    };
    let (n_constant, n_useless, n_harmful) = (part(shape.constant), part(shape.useless), part(shape.harmful));
    let n_useful = n_features.saturating_sub(n_constant + n_useless + n_harmful);
    let below = (1.0 - shape.lead) * shape.quality;
    let graded = |n: usize, sign: f64| {
        (1..=n).map(move |i| Kind::Quality(sign * below * libm::pow(i as f64 / n as f64, shape.tail)))
    };
    let mut kinds: Vec<Kind> = std::iter::repeat_n(Kind::Constant, n_constant)
        .chain(std::iter::repeat_n(Kind::Quality(0.0), n_useless))
        .chain(graded(n_harmful, -1.0))
        .chain(graded(n_useful, 1.0))
        .collect();
    // Rounding may leave one or two too many. The best are at the end and stay.
    kinds.drain(..kinds.len().saturating_sub(n_features));
    if n_useful > 0 {
        *kinds.last_mut().expect("at least one is useful") = Kind::Quality(shape.quality);
    }
    kinds.shuffle(rng);
    let mut coarse: Vec<bool> = (0..n_features).map(|i| i < part(shape.coarse)).collect();
    coarse.shuffle(rng);
    let parts = kinds.into_iter().zip(coarse).enumerate();
    let is_best = |kind| matches!(kind, Kind::Quality(quality) if quality >= shape.quality);
    // The best feature is never coarse, or it would not be the best.
    parts
        .map(|(i, (kind, coarse))| Feature {
            group: i % shape.groups,
            kind,
            coarse: coarse && !is_best(kind),
        })
        .collect()
}

fn thresholds(shares: &[f64]) -> Vec<f64> {
    let normal = Normal::standard();
    let total: f64 = shares.iter().sum();
    let mut below = 0.0;
    let mut thresholds = Vec::with_capacity(shares.len());
    for share in &shares[..shares.len() - 1] {
        below += share / total;
        thresholds.push(normal.inverse_cdf(below.min(1.0)));
    }
    thresholds
}

fn n_documents(shape: &Shape, rng: &mut impl Rng) -> usize {
    let number = shape.documents * (1.0 + shape.spread * rng.random_range(-1.0..=1.0));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most twice a checked number"
    )]
    let number = number.round() as usize;
    number.max(1)
}

fn quality(feature: &Feature, shape: &Shape, rng: &mut impl Rng) -> f64 {
    let wobble = shape.wobble * normal(rng);
    match feature.kind {
        Kind::Constant => 0.0,
        Kind::Quality(quality) => (quality + wobble).clamp(-MOST, MOST),
    }
}

/// Relevance as features see it.
fn seen(z: f64, shape: &Shape) -> f64 {
    z.min(shape.knee) - shape.bend * (z - shape.knee).max(0.0)
}

fn normal(rng: &mut impl Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// An increasing function into (0, 1) that has the same bits on every machine.
fn squeeze(x: f64) -> f64 {
    0.5 + 0.5 * x / (1.0 + x.abs())
}

/// A whole number below `levels`. The value is squared, so that most documents get a small number,
/// as in counts of words.
fn coarse(value: f64, levels: usize) -> f64 {
    (levels as f64 * value * value).floor()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn correlation(pairs: &[(f64, f64)]) -> f64 {
        let n = pairs.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
        let (a, b) = (mean(|pair| pair.0), mean(|pair| pair.1));
        let sum = |f: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|&(x, y)| f(x - a, y - b)).sum::<f64>();
        sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
    }

    #[test]
    fn trace_one_relevant_document() {
        let shape = Shape { queries: 20, ..Shape::np2004() };
        for query in Synthetic::new(shape, 3).unwrap() {
            assert_eq!(query.n_features(), 64);
            assert_eq!(query.labels().iter().map(|&label| u32::from(label)).sum::<u32>(), 1);
        }
    }

    #[test]
    fn trace_the_same_seed_gives_the_same_collection() {
        let make =
            |seed| Synthetic::new(Shape { queries: 3, ..Shape::mslr() }, seed).unwrap().collect::<Vec<_>>();
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
        // A query does not depend on the number of queries.
        let more = Synthetic::new(Shape { queries: 9, ..Shape::mslr() }, 1).unwrap();
        assert_eq!(more.take(3).collect::<Vec<_>>(), make(1));
        assert_eq!(Synthetic::new(Shape { queries: 9, ..Shape::mslr() }, 1).unwrap().len(), 9);
    }

    /// 20,000 documents without clumping: a share of 0.5 has a standard error of 0.0035. Four are
    /// allowed.
    #[test]
    fn stat_labels_have_their_shares() {
        let shape = Shape {
            queries: 200,
            documents: 100.0,
            features: 1,
            labels: Labels::Shares(vec![5.0, 3.0, 2.0]),
            clumping: 0.0,
            ..Shape::mslr()
        };
        let mut counts = [0.0; 3];
        for query in Synthetic::new(shape, 1).unwrap() {
            query.labels().iter().for_each(|&label| counts[usize::from(label)] += 1.0);
        }
        let total: f64 = counts.iter().sum();
        for (count, share) in counts.iter().zip([0.5, 0.3, 0.2]) {
            assert!((count / total - share).abs() < 0.014, "{counts:?}");
        }
    }

    /// The best feature correlates with relevance, a useless one does not, and a harmful one
    /// correlates negatively. Labels are a coarse copy of relevance, and squeezing is not linear,
    /// so the correlation is lower than the quality of 0.8. Its standard error with 10,000
    /// documents is below 0.01.
    #[test]
    fn stat_qualities_come_out() {
        let shape = Shape {
            queries: 100,
            documents: 100.0,
            features: 3,
            knee: 0.0,
            bend: -1.0,
            quality: 0.8,
            lead: 0.0,
            useless: 1.0 / 3.0,
            harmful: 1.0 / 3.0,
            constant: 0.0,
            coarse: 0.0,
            missing: 0.0,
            wobble: 0.0,
            groups: 1,
            ..Shape::mslr()
        };
        let queries: Vec<_> = Synthetic::new(shape, 5).unwrap().collect();
        let mut correlations = [0, 1, 2].map(|feature| {
            let pairs: Vec<_> = queries
                .iter()
                .flat_map(|query| {
                    (0..query.n_documents()).map(move |document| {
                        let value = query.features(document).nth(feature).unwrap().1;
                        (f64::from(value), f64::from(query.labels()[document]))
                    })
                })
                .collect();
            correlation(&pairs)
        });
        correlations.sort_by(f64::total_cmp);
        let [harmful, useless, useful] = correlations;
        assert!(harmful < -0.5 && useless.abs() < 0.04 && useful > 0.5, "{correlations:?}");
    }

    #[test]
    fn stable_first_values() {
        let query = Synthetic::new(Shape::mslr(), 1).unwrap().next().unwrap();
        let values: Vec<f32> = query.features(0).take(4).map(|(_, value)| value).collect();
        assert_eq!(
            (query.n_documents(), values.as_slice()),
            (118, [0.423_151_73, 0.638_540_1, 0.223_288_83, 0.365_504_7].as_slice())
        );
    }
}
