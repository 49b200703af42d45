//! Intervals for a proportion.

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

#[cfg(test)]
mod tests {
    use super::*;

    /// 81 of 263 and 0 of 20, examples of Newcombe (Statistics in Medicine 17, 1998, 857-872): Wilson 0.2553 to 0.3662 and 0 to
    /// 0.1611.
    #[test]
    fn trace_examples_of_newcombe() {
        for (got, low, high) in [(wilson(81, 263, 0.95), 0.2553, 0.3662), (wilson(0, 20, 0.95), 0.0, 0.1611)]
        {
            assert!((got.low - low).abs() < 6e-5 && (got.high - high).abs() < 6e-5, "{got:?}");
        }
        assert!((wilson(20, 20, 0.95).low - 0.8389).abs() < 6e-5);
        assert_eq!(wilson(0, 0, 0.9), Interval { low: 0.0, high: 1.0 });
    }
}
