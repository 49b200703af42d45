//! Normalised discounted cumulative gain (NDCG), a measure of the quality of a list.
//!
//! The document at rank `r` (from 1) adds `(2^label - 1) / log2(r + 1)`. The sum over the first `k`
//! documents is divided by the sum of the best possible list. Järvelin and Kekäläinen 2002,
//! doi:10.1145/582415.582418, with the gains of Burges et al. 2005, doi:10.1145/1102351.1102363.

use super::ranked::RankedCollection;

/// The NDCG of the first `k` documents of a list, from 0 to 1. `None` if no document of the query
/// is relevant, because all lists are then equally good, or if `k` is 0.
///
/// `labels` has the labels of all documents of the query. `list` has the numbers of documents, best
/// first.
///
/// # Panics
///
/// If the list contains a document without a label.
pub fn ndcg(labels: &[u8], list: &[u32], k: usize) -> Option<f64> {
    let mut best: Vec<u8> = labels.iter().copied().filter(|&label| label > 0).collect();
    if best.is_empty() || k == 0 {
        return None;
    }
    best.sort_unstable_by(|a, b| b.cmp(a));
    let ideal = gain(best.into_iter().take(k));
    Some(gain(list.iter().take(k).map(|&document| labels[document as usize])) / ideal)
}

fn gain(labels: impl Iterator<Item = u8>) -> f64 {
    // A label is at most 31.
    labels.zip(2_u32..).map(|(label, rank)| ((1_u64 << label) - 1) as f64 / f64::from(rank).log2()).sum()
}

/// The mean NDCG of the first `k` documents of each ranker, over the queries with a relevant
/// document. `None` if no query has one.
pub fn mean_ndcg(collection: &RankedCollection, k: usize) -> Option<Vec<f64>> {
    let mut sums = vec![0.0; collection.n_rankers()];
    let mut n_queries = 0_u32;
    for query in collection.queries() {
        if query.labels().iter().all(|&label| label == 0) {
            continue;
        }
        n_queries += 1;
        for (ranker, sum) in sums.iter_mut().enumerate() {
            *sum += ndcg(query.labels(), query.list(ranker), k)?;
        }
    }
    (n_queries > 0).then(|| sums.iter().map(|sum| sum / f64::from(n_queries)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranker::RankedQuery;

    /// With labels 1, 0, 2 the best list (2, 0, 1) gains 3 + 1/log2(3), and the list (0, 2) gains
    /// 1 + 3/log2(3).
    #[test]
    fn trace_ndcg() {
        let labels = [1, 0, 2];
        let third = 3_f64.log2().recip();
        let near = |got: Option<f64>, expected: f64| (got.unwrap() - expected).abs() < 1e-15;
        assert!(near(ndcg(&labels, &[2, 0, 1], 10), 1.0));
        assert!(near(ndcg(&labels, &[0, 2], 10), (1.0 + 3.0 * third) / (3.0 + third)));
        assert!(near(ndcg(&labels, &[0, 2], 1), 1.0 / 3.0));
        assert!(near(ndcg(&labels, &[1], 10), 0.0));
        assert_eq!(ndcg(&[0, 0], &[0, 1], 10), None);
        assert_eq!(ndcg(&labels, &[0], 0), None);
    }

    #[test]
    fn trace_means_leave_out_queries_without_a_relevant_document() {
        let queries = [
            RankedQuery::new("a", [1, 0], [[0, 1], [1, 0]]).unwrap(),
            RankedQuery::new("b", [0, 0], [[0, 1], [1, 0]]).unwrap(),
            RankedQuery::new("c", [0, 1], [[1], [1]]).unwrap(),
        ];
        let collection = RankedCollection::new(queries.to_vec()).unwrap();
        let means = mean_ndcg(&collection, 10).unwrap();
        assert!((means[0] - 1.0).abs() < 1e-15);
        assert!((means[1] - f64::midpoint(1.0, 3_f64.log2().recip())).abs() < 1e-15);
        let none = RankedCollection::new(vec![queries[1].clone()]).unwrap();
        assert_eq!(mean_ndcg(&none, 10), None);
    }
}
