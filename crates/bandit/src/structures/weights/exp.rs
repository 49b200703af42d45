//! The exponential function for weights, without branches.
//!
//! `libm::exp` has an error of less than one unit in the last place, but it branches on its
//! argument. For weights that change at random the processor cannot predict these branches; they
//! took a third of a round of REX3 with 136 arms. The function here has no branch and a relative
//! error of at most 4e-16. It uses only `+`, `*` and bit operations, so its results are equal to
//! the last bit on every platform.

use core::f64::consts::LN_2;

/// The number of steps in a factor of two.
const STEPS: usize = 128;

/// 2^(j / 128) for j = 0, 1, ..., 127: one kilobyte.
static POWERS: [f64; STEPS] = {
    let mut powers = [0.0; STEPS];
    let mut j = 0;
    while j < STEPS {
        // The exponential series, starting with the smallest term. 25 terms leave an error of
        // 1e-29.
        let x = LN_2 * j as f64 / STEPS as f64;
        let mut sum = 1.0;
        let mut n = 25;
        while n > 0 {
            sum = 1.0 + sum * x / n as f64;
            n -= 1;
        }
        powers[j] = sum;
        j += 1;
    }
    powers
};

/// The first part of ln(2) / 128. It has 32 bits, so its product with a number of steps (below
/// 2^18) is exact.
const STEP_HIGH: f64 = f64::from_bits((LN_2 / STEPS as f64).to_bits() & !0x1f_ffff);
/// The second part of ln(2) / 128. ln(2) is `LN_2` + 2.3190468138462996e-17 to 33 digits.
const STEP_LOW: f64 = (LN_2 / STEPS as f64 - STEP_HIGH) + 2.319_046_813_846_299_6e-17 / STEPS as f64;

/// Adding and subtracting this number rounds to a whole number. In between, the whole number is in
/// the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Below this argument the result is 0. e^-708 is about the smallest number with full precision.
const LOWEST: f64 = -708.0;

/// e^x for x up to 700; 0 below -708.
#[inline]
pub(crate) fn exp(x: f64) -> f64 {
    debug_assert!(x.is_nan() || x <= 700.0, "e^{x} is out of reach");
    // x = n ln(2) / 128 + r with |r| <= ln(2) / 256.
    let rounded = x * (STEPS as f64 / LN_2) + ROUNDER;
    let count = rounded - ROUNDER;
    let r = (x - count * STEP_HIGH) - count * STEP_LOW;
    // 2^(n / 128): the power from the table, with n / 128 rounded down added to its exponent.
    let n = rounded.to_bits();
    #[expect(clippy::cast_possible_truncation, reason = "seven bits")]
    let power = POWERS[(n % STEPS as u64) as usize];
    let power = f64::from_bits(power.to_bits().wrapping_add(n >> 7 << 52));
    // e^r - 1 to degree 5: the next term is below 6e-19.
    let square = r * r;
    let growth = r + square * ((0.5 + r * (1.0 / 6.0)) + square * (1.0 / 24.0 + r * (1.0 / 120.0)));
    // Below the lowest argument the computed value is meaningless.
    if x < LOWEST { 0.0 } else { power + power * growth }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn trace_values() {
        assert!((exp(0.0) - 1.0).abs() < f64::EPSILON);
        assert!((exp(1.0) - core::f64::consts::E).abs() < 1e-15);
        assert!(exp(f64::NEG_INFINITY).abs() < f64::MIN_POSITIVE);
        assert!(exp(-709.0).abs() < f64::MIN_POSITIVE);
        assert!(exp(-708.0) > 0.0);
        assert!(exp(300.0).is_finite() && exp(700.0).is_finite());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn law_agrees_with_libm(x in -708.0..700.0f64) {
            prop_assert!((exp(x) / libm::exp(x) - 1.0).abs() < 5e-16, "{} at {}", exp(x) / libm::exp(x) - 1.0, x);
        }

        #[test]
        fn law_agrees_with_libm_near_zero(x in -1.0..1.0f64) {
            prop_assert!((exp(x) / libm::exp(x) - 1.0).abs() < 5e-16);
        }
    }
}
