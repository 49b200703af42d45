//! Bootstrap intervals over runs.

use rand::RngExt;
use tiltyard_bandit::Stream;

use super::Interval;

/// Percentile bootstrap: the interval that contains the middle `level` of a statistic over
/// `resamples` samples of `n_runs` runs drawn with replacement. The statistic receives the indices
/// of the drawn runs. A sample without a value (`None`) counts as infinitely late or large. The
/// same stream gives the same result.
///
/// Whole runs are drawn, so policies that are paired by run stay paired.
///
/// # Panics
///
/// If there are no runs or no resamples.
pub(crate) fn bootstrap(
    stream: Stream,
    n_runs: usize,
    resamples: usize,
    level: f64,
    mut statistic: impl FnMut(&[usize]) -> Option<f64>,
) -> Interval {
    assert!(n_runs > 0 && resamples > 0, "a bootstrap needs runs and resamples");
    let mut rng = stream.rng();
    let mut runs = vec![0; n_runs];
    let mut values: Vec<f64> = (0..resamples)
        .map(|_| {
            runs.fill_with(|| rng.random_range(0..n_runs));
            statistic(&runs).unwrap_or(f64::INFINITY)
        })
        .collect();
    values.sort_by(f64::total_cmp);
    let at = |share: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length")]
        let index = (share * (resamples - 1) as f64).round() as usize;
        values[index]
    };
    Interval { low: at((1.0 - level) / 2.0), high: at(f64::midpoint(1.0, level)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::TTest;

    /// For the mean of 200 values the bootstrap interval must be near the t interval: both estimate
    /// the same spread, and with 2000 resamples the ends have an error of about 5 % of the half
    /// width.
    #[test]
    fn stat_mean_of_a_sample() {
        let values: Vec<f64> = (0..200).map(|i| f64::from(i % 17) + f64::from(i) / 100.0).collect();
        let mean = |runs: &[usize]| Some(runs.iter().map(|&i| values[i]).sum::<f64>() / runs.len() as f64);
        let got = bootstrap(Stream::new(7), values.len(), 2000, 0.95, mean);
        let want = TTest::of(&values).interval(0.95);
        let width = want.high - want.low;
        assert!((got.low - want.low).abs() < 0.08 * width && (got.high - want.high).abs() < 0.08 * width);
        assert_eq!(got, bootstrap(Stream::new(7), values.len(), 2000, 0.95, mean));
        assert_ne!(got, bootstrap(Stream::new(8), values.len(), 2000, 0.95, mean));
    }

    /// Runs without a value push the upper end to infinity and leave the lower one alone.
    #[test]
    fn trace_missing_values_are_infinite() {
        let got = bootstrap(Stream::new(1), 2, 500, 0.9, |runs| if runs[0] == 0 { Some(1.0) } else { None });
        assert!((got.low - 1.0).abs() < 1e-15 && got.high.is_infinite());
    }
}
