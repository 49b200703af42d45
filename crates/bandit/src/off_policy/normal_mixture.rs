//! A boundary for sums of martingale differences that is valid at all times at once, under the
//! approximation that the sum is a Brownian motion.

/// The running variance at which the boundary is tightest: about a thousand terms with weights near
/// 1.
const BEST_AT: f64 = 1000.0;

/// The two-sided boundary of a normal mixture, sqrt((v + h) (ln((v + h) / h) + 2 ln(1 / error))),
/// for the running variance v. In the limit, the sum never crosses it with probability 1 - `error`.
pub(super) fn boundary(variance: f64, error: f64) -> f64 {
    // The best h for variance v solves v / h = x + ln(1 + v / h) with x = 2 ln(1 / error); its
    // solution is about v / h = x + ln(1 + x). h must not depend on the data, so it is computed for
    // one fixed variance.
    let x = -2.0 * libm::log(error);
    let h = BEST_AT / (x + libm::log1p(x));
    libm::sqrt((variance + h) * (libm::log1p(variance / h) + x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// error = 0.05: x = 5.9915, h = 1000 / (5.9915 + 1.9447) = 126.01; at v = 1000 the boundary is
    /// sqrt(1126.01 (ln 8.936 + 5.9915)) = sqrt(1126.01 * 8.1816) = 95.98, 3.035 standard
    /// deviations.
    #[test]
    fn trace_boundary() {
        assert!((boundary(1000.0, 0.05) - 95.98).abs() < 0.01, "{}", boundary(1000.0, 0.05));
        // Ten times more or fewer terms cost little. With no terms the boundary is still far from
        // 0.
        for (variance, most) in [(100.0, 3.9), (1e4, 3.3), (1e6, 4.0)] {
            let deviations = boundary(variance, 0.05) / libm::sqrt(variance);
            assert!(1.96 < deviations && deviations < most, "{variance}: {deviations}");
        }
        assert!(boundary(0.0, 0.05) > 20.0);
    }
}
