//! Statistics over runs at each checkpoint.

use serde::Serialize;

use super::t_quantile;

/// Mean, standard error of the mean, smallest and largest value over runs, at each checkpoint.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Summary {
    pub mean: Vec<f64>,
    /// Standard errors of the means; 0 for a single run, which cannot show its error.
    pub sem: Vec<f64>,
    pub min: Vec<f64>,
    pub max: Vec<f64>,
}

impl Summary {
    /// Adds a checkpoint, from the values of all runs.
    pub(crate) fn push(&mut self, values: &[f64]) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        // Two passes, to avoid cancellation.
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        self.mean.push(mean);
        self.sem.push((variance / n).sqrt());
        self.min.push(values.iter().copied().fold(f64::INFINITY, f64::min));
        self.max.push(values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    }
}

/// Half the width of the 95 % interval of a mean, from its standard error over `n` runs: Student's
/// t with n - 1 degrees of freedom. Infinite for a single run.
pub fn half_width(sem: f64, n: usize) -> f64 {
    if n < 2 {
        return f64::INFINITY;
    }
    t_quantile((n - 1) as f64, 0.975) * sem
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1, 2, 3, 6: mean 3, variance (4 + 1 + 0 + 9) / 3 = 14/3, standard error sqrt(14/12) =
    /// 1.0801.
    #[test]
    fn trace_four_values() {
        let mut summary = Summary::default();
        summary.push(&[1.0, 2.0, 3.0, 6.0]);
        assert!((summary.mean[0] - 3.0).abs() < 1e-15);
        assert!((summary.sem[0] - (14.0f64 / 12.0).sqrt()).abs() < 1e-15);
        assert!((summary.min[0] - 1.0).abs() < 1e-15 && (summary.max[0] - 6.0).abs() < 1e-15);
    }

    #[test]
    fn trace_a_single_run_has_no_error() {
        let mut summary = Summary::default();
        summary.push(&[5.0]);
        assert!(summary.sem[0].abs() < 1e-15 && (summary.mean[0] - 5.0).abs() < 1e-15);
    }

    /// Tables give t(0.975) = 12.706 for 1 degree of freedom, 2.262 for 9, and 1.984 for 99.
    #[test]
    fn trace_intervals_of_a_mean() {
        for (n, t) in [(2, 12.706), (10, 2.262), (100, 1.984)] {
            assert!((half_width(2.0, n) - 2.0 * t).abs() < 2e-3, "{n}: {}", half_width(2.0, n));
        }
        assert!(half_width(0.0, 1).is_infinite());
    }
}
