//! Student's and Welch's t tests.

use super::{Interval, t_quantile, t_upper_tail};

/// The size, mean and standard deviation of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Moments {
    pub(crate) n: usize,
    pub(crate) mean: f64,
    /// The standard deviation, with n - 1; 0 for a single value.
    pub(crate) sd: f64,
}

impl Moments {
    /// The moments of a sample.
    ///
    /// # Panics
    ///
    /// If there are no values.
    pub(crate) fn of(values: &[f64]) -> Self {
        assert!(!values.is_empty(), "a sample has at least one value");
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        // Two passes, to avoid cancellation.
        let squares = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        Self { n: values.len(), mean, sd: (squares / (n - 1.0).max(1.0)).sqrt() }
    }

    /// Standard error of the mean.
    pub(crate) fn se(self) -> f64 {
        self.sd / (self.n as f64).sqrt()
    }
}

/// An estimate with its standard error and degrees of freedom, and the t tests on it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TTest {
    /// The estimate: a mean, or a difference of means.
    pub(crate) estimate: f64,
    pub(crate) se: f64,
    /// Degrees of freedom; 0 if the sample is too small for a test.
    pub(crate) df: f64,
}

impl TTest {
    /// The mean of a sample. Applied to paired differences, this is the paired test.
    ///
    /// # Panics
    ///
    /// If there are no values.
    pub(crate) fn of(values: &[f64]) -> Self {
        let moments = Moments::of(values);
        Self { estimate: moments.mean, se: moments.se(), df: (moments.n - 1) as f64 }
    }

    /// The paired test of `a - b`. Run r of one is paired with run r of the other; runs without a
    /// partner are left out.
    ///
    /// # Panics
    ///
    /// If no run has a partner.
    pub(crate) fn paired(a: &[f64], b: &[f64]) -> Self {
        let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        Self::of(&differences)
    }

    /// Welch's test of the difference of two means, for independent samples with possibly unequal
    /// variances.
    ///
    /// # Panics
    ///
    /// If one of the samples is empty.
    pub(crate) fn welch(a: &[f64], b: &[f64]) -> Self {
        let (a, b) = (Moments::of(a), Moments::of(b));
        let (va, vb) = (a.se().powi(2), b.se().powi(2));
        let share = |v: f64, n: usize| if n > 1 { v * v / (n - 1) as f64 } else { 0.0 };
        let spread = share(va, a.n) + share(vb, b.n);
        let df = if spread > 0.0 { (va + vb).powi(2) / spread } else { 0.0 };
        Self { estimate: a.mean - b.mean, se: (va + vb).sqrt(), df }
    }

    /// One-sided p value: the probability of an estimate this far above `value` if the true value
    /// is `value`.
    pub(crate) fn p_above(self, value: f64) -> f64 {
        let distance = self.estimate - value;
        if self.df < 1.0 {
            // A single value proves nothing.
            return 1.0;
        }
        if self.se <= 0.0 {
            // All values are equal, so nothing is random.
            return if distance > 0.0 { 0.0 } else { 1.0 };
        }
        t_upper_tail(self.df, distance / self.se)
    }

    /// One-sided p value in the other direction.
    pub(crate) fn p_below(self, value: f64) -> f64 {
        Self { estimate: -self.estimate, ..self }.p_above(-value)
    }

    /// The two-sided confidence interval at a level such as 0.95; unbounded if the sample is too
    /// small.
    pub(crate) fn interval(self, level: f64) -> Interval {
        if self.df < 1.0 {
            return Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
        }
        let reach = t_quantile(self.df, f64::midpoint(1.0, level)) * self.se;
        Interval { low: self.estimate - reach, high: self.estimate + reach }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sleep data of Student (1908), ten patients under two drugs. Differences 1.2, 2.4, 1.3,
    /// 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4 have mean 1.58 and standard deviation 1.2300, so t = 1.58 /
    /// (1.23 / sqrt(10)) = 4.0621 with 9 degrees of freedom, two-sided p = 0.002833, 95 % interval
    /// 0.7001 to 2.4599.
    const DRUG_1: [f64; 10] = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
    const DRUG_2: [f64; 10] = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];

    #[test]
    fn trace_students_sleep_data() {
        let test = TTest::paired(&DRUG_2, &DRUG_1);
        assert!((test.estimate - 1.58).abs() < 1e-12 && (test.estimate / test.se - 4.0621).abs() < 1e-4);
        assert!((2.0 * test.p_above(0.0) - 0.002_833).abs() < 1e-6, "{}", test.p_above(0.0));
        assert!((test.p_above(0.0) + test.p_below(0.0) - 1.0).abs() < 1e-12);
        let interval = test.interval(0.95);
        assert!((interval.low - 0.7001).abs() < 1e-4 && (interval.high - 2.4599).abs() < 1e-4);
    }

    /// The same numbers as two independent groups: Welch's t = 1.8608 with 17.776 degrees of
    /// freedom, two-sided p = 0.07939, as statistics packages print it for this data set.
    #[test]
    fn trace_welch_on_the_sleep_data() {
        let test = TTest::welch(&DRUG_2, &DRUG_1);
        assert!((test.estimate / test.se - 1.8608).abs() < 1e-4 && (test.df - 17.776).abs() < 1e-3);
        assert!((2.0 * test.p_above(0.0) - 0.079_39).abs() < 1e-5);
    }

    #[test]
    fn trace_samples_without_spread() {
        let same = TTest::of(&[2.0, 2.0, 2.0]);
        assert!(same.p_above(1.0).abs() < 1e-300 && (same.p_above(2.0) - 1.0).abs() < 1e-300);
        assert!((same.p_below(2.0) - 1.0).abs() < 1e-300 && same.p_below(3.0).abs() < 1e-300);
        let single = TTest::of(&[2.0]);
        assert!((single.p_above(0.0) - 1.0).abs() < 1e-300 && single.interval(0.9).high.is_infinite());
    }

    /// Runs without a partner are left out.
    #[test]
    fn trace_pairs_only() {
        let test = TTest::paired(&[3.0, 5.0, 100.0], &[1.0, 1.0]);
        assert!((test.estimate - 3.0).abs() < 1e-15 && (test.df - 1.0).abs() < 1e-15);
    }
}
