//! The power of t tests.

use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF};

use super::{normal, t_quantile};

/// The probability that a one-sided t test of n values at level alpha finds an effect of `effect`
/// standard deviations of one value. For paired differences this is the power of the paired test.
///
/// ```text
/// Pr(T > c),  T non-central t with n - 1 degrees of freedom and shift effect sqrt(n),
///   c the 1 - alpha quantile of t
///           = E Phi(effect sqrt(n) - c S),  S^2 (n - 1) chi-squared with n - 1 degrees of freedom
/// ```
///
/// The expectation over S is computed by Simpson's rule. 0 for fewer than two values.
pub(crate) fn power_of_t_test(n: usize, effect: f64, alpha: f64) -> f64 {
    if n < 2 { 0.0 } else { Shifted::new(n, alpha).power(effect) }
}

/// The smallest effect, in standard deviations of one value, that a one-sided t test of n values at
/// level alpha finds with probability `power`; infinite for fewer than two values.
pub(crate) fn detectable_effect(n: usize, alpha: f64, power: f64) -> f64 {
    if n < 2 {
        return f64::INFINITY;
    }
    let test = Shifted::new(n, alpha);
    let (mut low, mut high) = (0.0, 1.0);
    while test.power(high) < power && high < 1e9 {
        high *= 2.0;
    }
    // Forty halvings reduce the interval to a trillionth.
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if test.power(middle) < power { low = middle } else { high = middle }
    }
    high
}

/// The distribution of S, prepared for expectations over it.
struct Shifted {
    root_n: f64,
    critical: f64,
    /// Values of S, each with its Simpson weight times its density.
    nodes: Vec<(f64, f64)>,
}

impl Shifted {
    fn new(n: usize, alpha: f64) -> Self {
        const STEPS: u16 = 400;
        let df = (n - 1) as f64;
        let law = ChiSquared::new(df).expect("degrees of freedom are positive");
        // S has mean about 1 and standard deviation about 1 / sqrt(2 df). Ten standard deviations
        // cover everything that matters.
        let reach = 10.0 / (2.0 * df).sqrt();
        let (low, high) = ((1.0 - reach).max(0.0), 1.0 + reach);
        let width = (high - low) / f64::from(STEPS);
        let node = |i: u16| {
            let s = low + width * f64::from(i);
            let weight = if i == 0 || i == STEPS { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
            // At 0 the density of S is finite only as a limit, so it is set to 0; for df = 1 this
            // loses one step in 400.
            let density = if s <= 0.0 { 0.0 } else { law.pdf(df * s * s) * 2.0 * df * s };
            (s, weight * density * width / 3.0)
        };
        let nodes = (0..=STEPS).map(node).collect();
        Self { root_n: (n as f64).sqrt(), critical: t_quantile(df, 1.0 - alpha), nodes }
    }

    fn power(&self, effect: f64) -> f64 {
        let law = normal();
        let sum: f64 = self
            .nodes
            .iter()
            .map(|(s, weight)| weight * law.cdf(effect * self.root_n - self.critical * s))
            .sum();
        sum.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from power calculators for the one-sample t test with a medium effect of 0.5: 27
    /// values at one-sided 0.05 have power 0.8118, and 34 values at one-sided 0.025 have 0.8078
    /// (the two-sided test at 0.05; its other tail adds nothing).
    #[test]
    fn trace_published_powers() {
        assert!((power_of_t_test(27, 0.5, 0.05) - 0.8118).abs() < 1e-4, "{}", power_of_t_test(27, 0.5, 0.05));
        assert!(
            (power_of_t_test(34, 0.5, 0.025) - 0.8078).abs() < 1e-4,
            "{}",
            power_of_t_test(34, 0.5, 0.025)
        );
    }

    /// Without an effect the power is the level. The smallest detectable effect has the requested
    /// power. Small samples work too.
    #[test]
    fn trace_edges() {
        for n in [3, 10, 50] {
            assert!(
                (power_of_t_test(n, 0.0, 0.01) - 0.01).abs() < 2e-5,
                "{n}: {}",
                power_of_t_test(n, 0.0, 0.01)
            );
            let effect = detectable_effect(n, 0.01, 0.9);
            assert!((power_of_t_test(n, effect, 0.01) - 0.9).abs() < 1e-6);
        }
        assert!(
            power_of_t_test(1, 9.0, 0.05).abs() < 1e-300 && detectable_effect(1, 0.05, 0.9).is_infinite()
        );
        // With many values the distribution is normal: (1.6449 + 1.2816) / sqrt(n).
        assert!((detectable_effect(10_000, 0.05, 0.9) - 2.9264 / 100.0).abs() < 1e-5);
    }
}
