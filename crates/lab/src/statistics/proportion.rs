//! Intervals for a proportion.

use super::{Interval, t_quantile};

/// The standard normal quantile of 0.975: two-sided 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// Wilson's score interval for `hits` out of `n`. Its coverage is close to `level` for every n, and
/// it is sensible for 0 and n hits.
///
/// Wilson, *Probable inference, the law of succession, and statistical inference*, JASA 22 (1927),
/// 209-212.
pub(crate) fn wilson(hits: usize, n: usize, level: f64) -> Interval {
    if n == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let z = t_quantile(f64::INFINITY, f64::midpoint(1.0, level));
    let (n, p) = (n as f64, hits as f64 / n as f64);
    let scale = 1.0 + z * z / n;
    let middle = (p + z * z / (2.0 * n)) / scale;
    let reach = z / scale * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    Interval { low: (middle - reach).max(0.0), high: (middle + reach).min(1.0) }
}

/// A share of runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proportion {
    /// The number of runs with a hit.
    pub hits: u64,
    /// The number of all runs.
    pub of: u64,
}

impl Proportion {
    /// The share itself.
    pub fn share(self) -> f64 {
        self.hits as f64 / self.of as f64
    }

    /// Wilson's 95 % interval. It stays within [0, 1], and its width is positive even for shares of
    /// 0 and 1.
    ///
    /// E. B. Wilson, Probable inference, the law of succession, and statistical inference,
    /// JASA 1927.
    pub fn interval(self) -> (f64, f64) {
        let (p, n) = (self.share(), self.of as f64);
        let z2 = Z * Z / n;
        let centre = (p + z2 / 2.0) / (1.0 + z2);
        let half = Z / (1.0 + z2) * (p * (1.0 - p) / n + z2 / (4.0 * n)).sqrt();
        ((centre - half).max(0.0), (centre + half).min(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 81 of 263 and 0 of 20, examples of Newcombe (Statistics in Medicine 17, 1998, 857-872):
    /// Wilson 0.2553 to 0.3662 and 0 to 0.1611.
    #[test]
    fn trace_examples_of_newcombe() {
        for (got, low, high) in [(wilson(81, 263, 0.95), 0.2553, 0.3662), (wilson(0, 20, 0.95), 0.0, 0.1611)]
        {
            assert!((got.low - low).abs() < 6e-5 && (got.high - high).abs() < 6e-5, "{got:?}");
        }
        assert!((wilson(20, 20, 0.95).low - 0.8389).abs() < 6e-5);
        assert_eq!(wilson(0, 0, 0.9), Interval { low: 0.0, high: 1.0 });
    }

    /// No hit of 10: from 0 to z^2 / (10 + z^2) = 3.8415 / 13.8415 = 0.27753. Five of 10: 0.5 +- z
    /// sqrt(0.025 + z^2 / 400) / (1 + z^2 / 10) = 0.5 +- 1.95996 * 0.18603 / 1.38415 = 0.5 +-
    /// 0.26341.
    #[test]
    fn trace_wilson_intervals() {
        let close = |(low, high): (f64, f64), expected: (f64, f64)| {
            assert!((low - expected.0).abs() < 1e-4 && (high - expected.1).abs() < 1e-4, "{low} {high}");
        };
        close(Proportion { hits: 0, of: 10 }.interval(), (0.0, 0.277_53));
        close(Proportion { hits: 10, of: 10 }.interval(), (0.722_47, 1.0));
        close(Proportion { hits: 5, of: 10 }.interval(), (0.236_59, 0.763_41));
    }
}
