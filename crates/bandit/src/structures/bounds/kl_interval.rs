//! Confidence intervals for a probability of success, by relative entropy.

/// kl(p, q) of two coins, with 0 ln 0 = 0. It is infinite if an outcome is possible under p and
/// impossible under q.
#[inline]
pub(crate) fn kl(p: f64, q: f64) -> f64 {
    let term = |p: f64, q: f64| if p > 0.0 { p * libm::log(p / q) } else { 0.0 };
    term(p, q) + term(1.0 - p, 1.0 - q)
}

/// Whether `wins` of `n` exclude the probability `q`, that is, whether n kl(p, q) > budget.
#[inline]
pub(crate) fn excludes(wins: u64, n: u64, q: f64, budget: f64) -> bool {
    n as f64 * kl(wins as f64 / n as f64, q) > budget
}

/// The least probability that is not excluded: the smallest q with n kl(p, q) <= budget.
pub(crate) fn lower_end(wins: u64, n: u64, budget: f64) -> f64 {
    let p = wins as f64 / n as f64;
    if wins == 0 {
        return 0.0;
    }
    if wins == n {
        // n ln(1 / q) = budget.
        return libm::exp(-budget / n as f64);
    }
    // Each step halves the interval. 52 steps reach the last bit of a number near 1.
    let (mut low, mut high) = (0.0, p);
    for _ in 0..52 {
        let middle = f64::midpoint(low, high);
        if excludes(wins, n, middle, budget) { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use core::f64::consts::LN_2;

    use super::*;

    /// kl(0, 1/2) = ln 2; kl(1/4, 1/2) = (1/4) ln(1/2) + (3/4) ln(3/2) = 0.130812.
    #[test]
    fn trace_kl() {
        assert!((kl(0.0, 0.5) - LN_2).abs() < 1e-15 && (kl(1.0, 0.5) - LN_2).abs() < 1e-15);
        assert!((kl(0.25, 0.5) - 0.130_812).abs() < 1e-6);
        assert!(kl(0.3, 0.3).abs() < 1e-15 && kl(0.3, 0.0).is_infinite() && kl(0.3, 1.0).is_infinite());
    }

    /// The end of the interval is below the estimate and within the budget. Slightly below it the
    /// budget is exceeded.
    #[test]
    fn law_the_end_uses_the_budget_up() {
        for n in [1, 2, 7, 100, 12_345] {
            for wins in [0, 1, n / 3, n / 2, n - 1, n] {
                for budget in [0.1, 3.0, 40.0] {
                    let low = lower_end(wins, n, budget);
                    let p = wins as f64 / n as f64;
                    let used = |q: f64| n as f64 * kl(p, q);
                    let what = format!("{wins} of {n}, {budget}: {low}");
                    assert!((0.0..=p).contains(&low) && used(low) <= budget * (1.0 + 1e-9), "{what}");
                    // A bound below 1e-12 is practically 0. 1e-12 is far above the rounding error
                    // of the bisection, 1e-16.
                    assert!(low < 1e-12 || used(low - 1e-12) > budget, "{what}");
                }
            }
        }
    }
}
