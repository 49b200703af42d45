//! Statistics over runs.

use serde::Serialize;

/// Mean, standard error of the mean, smallest and largest of a number over runs, at each checkpoint.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Summary {
    /// Means.
    pub mean: Vec<f64>,
    /// Standard errors of the means; 0 for a single run, which tells nothing about them.
    pub sem: Vec<f64>,
    /// Smallest.
    pub min: Vec<f64>,
    /// Largest.
    pub max: Vec<f64>,
}

impl Summary {
    /// Adds a checkpoint, from the values of all runs.
    pub fn push(&mut self, values: &[f64]) {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        // Two passes: the squares of sums differ by too little otherwise.
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
        self.mean.push(mean);
        self.sem.push((variance / n).sqrt());
        self.min.push(values.iter().copied().fold(f64::INFINITY, f64::min));
        self.max.push(values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1, 2, 3, 6: mean 3, variance (4 + 1 + 0 + 9) / 3 = 14/3, standard error sqrt(14/12) = 1.0801.
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
}
