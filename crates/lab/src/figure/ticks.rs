//! The numbers along an axis that get a tick.

use super::axis::{Ends, Scale};

/// The approximate number of ticks on a linear axis.
const WANTED: f64 = 5.0;

/// Up to this many decades there is room for ticks at 2 and 5 between them.
const SPARSE: i32 = 3;

impl Ends {
    /// The ticks of the axis, from the lower end to the upper.
    pub(super) fn ticks(&self) -> Vec<f64> {
        match self.scale {
            Scale::Linear => linear(self.low, self.high),
            Scale::Log => log(self.low, self.high),
        }
    }
}

/// Multiples of 1, 2, 2.5 or 5 times a power of ten.
fn linear(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / WANTED;
    let magnitude = 10_f64.powf(rough.log10().floor());
    let step = magnitude
        * match rough / magnitude {
            ratio if ratio < 1.5 => 1.0,
            ratio if ratio < 2.25 => 2.0,
            ratio if ratio < 3.5 => 2.5,
            ratio if ratio < 7.5 => 5.0,
            _ => 10.0,
        };
    // An axis about as short as the smallest positive number has no room for ticks.
    if !step.is_normal() {
        return Vec::new();
    }
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    // Counted from the first tick, because beyond 2^53 adding 1 changes nothing.
    (0..=20_u32).map(|i| first + f64::from(i)).take_while(|&i| i <= last).map(|i| i * step).collect()
}

/// Powers of ten, and twice and five times each if there are few.
fn log(low: f64, high: f64) -> Vec<f64> {
    #[expect(clippy::cast_possible_truncation, reason = "exponents of doubles are small")]
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let factors: &[f64] = if last - first <= SPARSE { &[1.0, 2.0, 5.0] } else { &[1.0] };
    (first..=last)
        .flat_map(|exponent| factors.iter().map(move |factor| factor * 10_f64.powi(exponent)))
        // An end that is a power of ten may be off by rounding.
        .filter(|tick| (low * (1.0 - 1e-8)..=high * (1.0 + 1e-8)).contains(tick))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_ticks(scale: Scale, (low, high): (f64, f64), expected: &[f64]) {
        let got = Ends { scale, low, high }.ticks();
        assert_eq!(got.len(), expected.len(), "{got:?}");
        for (got, expected) in got.iter().zip(expected) {
            assert!((got - expected).abs() <= 1e-12 * expected.abs(), "{got} instead of {expected}");
        }
    }

    /// A fifth of 1.08 is 0.216, which is nearest to 0.2. A fifth of 100 is 20. A fifth of 15 is 3,
    /// which becomes 2.5. A fifth of 0.007 is 0.0014, which becomes 0.001. A fifth of 40 is 8,
    /// which becomes 10.
    #[test]
    fn trace_linear_ticks() {
        assert_ticks(Scale::Linear, (-0.04, 1.04), &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_ticks(Scale::Linear, (0.0, 100.0), &[0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_ticks(Scale::Linear, (-7.0, 8.0), &[-5.0, -2.5, 0.0, 2.5, 5.0, 7.5]);
        assert_ticks(Scale::Linear, (0.0105, 0.0175), &[0.011, 0.012, 0.013, 0.014, 0.015, 0.016, 0.017]);
        assert_ticks(Scale::Linear, (1001.0, 1041.0), &[1010.0, 1020.0, 1030.0, 1040.0]);
    }

    #[test]
    fn trace_log_ticks() {
        assert_ticks(Scale::Log, (3.0, 150.0), &[5.0, 10.0, 20.0, 50.0, 100.0]);
        // There are too many decades for ticks at 2 and 5.
        assert_ticks(Scale::Log, (900.0, 1.1e6), &[1e3, 1e4, 1e5, 1e6]);
        assert_ticks(Scale::Log, (0.1, 1.0), &[0.1, 0.2, 0.5, 1.0]);
        assert_ticks(Scale::Log, (6.0, 9.0), &[]);
    }

    /// However odd its ends are, an axis has few ticks, and all of them are on it.
    #[test]
    fn law_ticks_lie_on_their_axis() {
        let linear =
            [(-1e300, 1e300), (1.0, 1.0 + 1e-9), (-5e-324, 5e-324), (1e15, 1e15 + 8.0), (-3.0, -2.0)];
        let log = [(1e-301, 1e-277), (3e-300, 9e-300), (1e276, 1e300), (0.999, 1.001)];
        let linear = linear.map(|(low, high)| Ends { scale: Scale::Linear, low, high });
        let log = log.map(|(low, high)| Ends { scale: Scale::Log, low, high });
        for ends in linear.into_iter().chain(log) {
            let ticks = ends.ticks();
            assert!(ticks.len() < 30, "{ends:?}: {ticks:?}");
            let slack = 1e-6;
            assert!(ticks.iter().all(|&tick| (-slack..=1.0 + slack).contains(&ends.share(tick))), "{ends:?}");
            assert!(ticks.is_sorted(), "{ends:?}: {ticks:?}");
        }
    }
}
