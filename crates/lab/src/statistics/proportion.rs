//! Intervals for a proportion.

use statrs::distribution::{Beta, ContinuousCDF};

use super::{Interval, t_quantile};

/// Wilson's score interval for `hits` out of `n`: close to its level for every n, and sensible at 0 and at n.
///
/// Wilson, *Probable inference, the law of succession, and statistical inference*, JASA 22 (1927), 209-212.
pub fn wilson(hits: usize, n: usize, level: f64) -> Interval {
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

/// The exact interval of Clopper and Pearson: at least its level, and often more.
///
/// Clopper and Pearson, *The use of confidence or fiducial limits*, Biometrika 26 (1934), 404-413.
pub fn clopper_pearson(hits: usize, n: usize, level: f64) -> Interval {
    let tail = (1.0 - level) / 2.0;
    let quantile = |a: usize, b: usize, probability: f64| {
        Beta::new(a as f64, b as f64).expect("positive shapes").inverse_cdf(probability)
    };
    let low = if hits == 0 { 0.0 } else { quantile(hits, n - hits + 1, tail) };
    let high = if hits >= n { 1.0 } else { quantile(hits + 1, n - hits, 1.0 - tail) };
    Interval { low, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 81 of 263 and 0 of 20, examples of Newcombe (Statistics in Medicine 17, 1998, 857-872): Wilson 0.2553 to 0.3662 and 0 to
    /// 0.1611; exact 0.2527 to 0.3676 and 0 to 0.1684.
    #[test]
    fn trace_examples_of_newcombe() {
        for (got, low, high) in [
            (wilson(81, 263, 0.95), 0.2553, 0.3662),
            (wilson(0, 20, 0.95), 0.0, 0.1611),
            (clopper_pearson(81, 263, 0.95), 0.2527, 0.3676),
            (clopper_pearson(0, 20, 0.95), 0.0, 0.1684),
        ] {
            assert!((got.low - low).abs() < 6e-5 && (got.high - high).abs() < 6e-5, "{got:?}");
        }
        assert!((wilson(20, 20, 0.95).low - 0.8389).abs() < 6e-5);
        assert!((clopper_pearson(20, 20, 0.95).low - 0.8316).abs() < 6e-5);
        assert_eq!(wilson(0, 0, 0.9), Interval { low: 0.0, high: 1.0 });
        assert_eq!(clopper_pearson(0, 0, 0.9), Interval { low: 0.0, high: 1.0 });
    }
}
