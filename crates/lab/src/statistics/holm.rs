//! Correction for multiple tests.

/// Holm's correction. If all hypotheses with an adjusted p value below alpha are rejected, the
/// probability of any false rejection is at most alpha, whatever the dependence between the tests.
///
/// ```text
/// sorted p_(1) <= ... <= p_(m):  adjusted p_(i) = max over j <= i of min(1, (m - j + 1) p_(j))
/// ```
///
/// Holm, *A simple sequentially rejective multiple test procedure*, Scandinavian Journal of
/// Statistics 6 (1979), 65-70.
pub(crate) fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&i, &j| p_values[i].total_cmp(&p_values[j]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut highest: f64 = 0.0;
    for (rank, &i) in order.iter().enumerate() {
        highest = highest.max(((p_values.len() - rank) as f64 * p_values[i]).min(1.0));
        adjusted[i] = highest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 0.01, 0.04, 0.03, 0.005: sorted 0.005 x 4 = 0.02, 0.01 x 3 = 0.03, 0.03 x 2 = 0.06, and 0.04
    /// x 1 is raised to 0.06.
    #[test]
    fn trace_four_p_values() {
        let want = [0.03, 0.06, 0.06, 0.02];
        for (got, want) in holm(&[0.01, 0.04, 0.03, 0.005]).iter().zip(want) {
            assert!((got - want).abs() < 1e-15);
        }
        assert!(holm(&[]).is_empty());
        assert!((holm(&[0.9, 0.8])[1] - 1.0).abs() < 1e-15);
    }

    proptest! {
        /// Never below the p value itself, never above Bonferroni's, and in the same order.
        #[test]
        fn law_between_raw_and_bonferroni(p in prop::collection::vec(0.0..=1.0f64, 1..20)) {
            let adjusted = holm(&p);
            for i in 0..p.len() {
                prop_assert!(adjusted[i] >= p[i] - 1e-15);
                prop_assert!(adjusted[i] <= (p.len() as f64 * p[i]).min(1.0) + 1e-15);
                for j in 0..p.len() {
                    prop_assert!(p[i] > p[j] || adjusted[i] <= adjusted[j] + 1e-15);
                }
            }
        }
    }
}
