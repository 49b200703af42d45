//! Random linear mixtures of features.
//!
//! The score of a document is a weighted sum of its features. Each feature is standardised to mean
//! 0 and variance 1 over the documents of the query, so that its units do not matter. A feature
//! that is constant in the query has no effect there. The weights of a ranker have a uniformly
//! random direction, so a feature is as likely to count against a document as for it. The weights
//! are independent normal numbers. Their length does not matter, because only the direction orders
//! documents. Without normalisation, the weights of known features do not depend on features that
//! later queries add.

use rand::RngExt;
use rand_distr::StandardNormal;
use tiltyard_bandit::Stream;

use super::columns::Columns;

#[derive(Debug)]
pub(super) struct Mixtures {
    n_rankers: usize,
    stream: Stream,
    /// The weights drawn so far: for each feature, one per ranker.
    weights: Vec<f64>,
    column: Vec<f32>,
    sums: Vec<f64>,
    standardised: Vec<f64>,
}

impl Mixtures {
    pub(super) fn new(n_rankers: usize, seed: u64) -> Self {
        let stream = Stream::new(seed).label("mixtures");
        Self {
            n_rankers,
            stream,
            weights: Vec::new(),
            column: Vec::new(),
            sums: Vec::new(),
            standardised: Vec::new(),
        }
    }

    /// Computes the scores of all documents of a query under all rankers. [`Self::scores`] returns
    /// them.
    pub(super) fn fill(&mut self, columns: &Columns, n_documents: usize) {
        while self.weights.len() < columns.n_features() * self.n_rankers {
            let feature = (self.weights.len() / self.n_rankers) as u64;
            let mut rng = self.stream.index(feature).rng();
            self.weights.extend((0..self.n_rankers).map(|_| rng.sample::<f64, _>(StandardNormal)));
        }
        self.sums.clear();
        self.sums.resize(n_documents * self.n_rankers, 0.0);
        for feature in 0..columns.n_features() {
            columns.scores(feature, &mut self.column);
            if !standardise(&self.column, &mut self.standardised) {
                continue;
            }
            let weights = &self.weights[feature * self.n_rankers..][..self.n_rankers];
            for (sums, value) in self.sums.chunks_exact_mut(self.n_rankers).zip(&self.standardised) {
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum += weight * value;
                }
            }
        }
    }

    /// The scores of the documents of the current query under a ranker.
    pub(super) fn scores(&self, ranker: usize, scores: &mut Vec<f32>) {
        scores.clear();
        #[expect(clippy::cast_possible_truncation, reason = "rounded to single precision")]
        scores.extend(self.sums.iter().skip(ranker).step_by(self.n_rankers).map(|&sum| sum as f32));
    }
}

/// Standardises to mean 0 and variance 1. Returns false if all values are equal.
fn standardise(column: &[f32], standardised: &mut Vec<f64>) -> bool {
    standardised.clear();
    let low = column.iter().copied().fold(f32::INFINITY, f32::min);
    if column.iter().all(|&value| value <= low) {
        return false;
    }
    let n = column.len() as f64;
    let mean = column.iter().map(|&value| f64::from(value)).sum::<f64>() / n;
    standardised.extend(column.iter().map(|&value| f64::from(value) - mean));
    let variance = standardised.iter().map(|value| value * value).sum::<f64>() / n;
    let scale = variance.sqrt().recip();
    for value in standardised {
        *value *= scale;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::Query;

    fn query(documents: &[&[(u32, f32)]]) -> Query {
        let mut query = Query::new("q");
        for features in documents {
            query.push(0, features).unwrap();
        }
        query
    }

    fn scores(mixtures: &mut Mixtures, query: &Query, ranker: usize) -> Vec<f32> {
        let mut columns = Columns::default();
        columns.fill(query);
        mixtures.fill(&columns, query.n_documents());
        let mut scores = Vec::new();
        mixtures.scores(ranker, &mut scores);
        scores
    }

    /// (1, 2, 3, 4) has mean 5/2 and variance 5/4.
    #[test]
    fn trace_standardise() {
        let mut standardised = Vec::new();
        assert!(standardise(&[1.0, 2.0, 3.0, 4.0], &mut standardised));
        let expected = [-1.5, -0.5, 0.5, 1.5].map(|value| value / 1.25_f64.sqrt());
        for (got, expected) in standardised.iter().zip(expected) {
            assert!((got - expected).abs() < 1e-15);
        }
        assert!(!standardise(&[0.1; 7], &mut standardised));
    }

    /// Units, offsets, constant features and the features of other queries do not matter.
    #[test]
    fn trace_units_do_not_matter() {
        let plain = query(&[&[(0, 1.0), (1, 2.0)], &[(0, 3.0)], &[(1, 8.0)]]);
        let other = query(&[
            &[(0, 11.0), (1, 200.0), (2, 7.0)],
            &[(0, 13.0), (2, 7.0)],
            &[(0, 10.0), (1, 800.0), (2, 7.0)],
        ]);
        let wide = query(&[&[(9, 1.0)], &[(9, 2.0)]]);
        let (mut a, mut b) = (Mixtures::new(3, 1), Mixtures::new(3, 1));
        scores(&mut b, &wide, 0);
        for ranker in 0..3 {
            let pairs = scores(&mut a, &plain, ranker).into_iter().zip(scores(&mut b, &other, ranker));
            // The rounding error of scores of order 1 in single precision.
            assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-5));
        }
        assert_ne!(scores(&mut a, &plain, 0), scores(&mut a, &plain, 1));
    }
}
