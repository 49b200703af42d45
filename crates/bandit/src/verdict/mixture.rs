//! The mean likelihood of votes when ratings are drawn from a normal distribution.

use core::f64::consts::LN_2;

/// The votes of a pair that met.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) i: usize,
    pub(super) j: usize,
    pub(super) score: f64,
    pub(super) votes: f64,
}

/// ln of a lower bound on the mean likelihood of the votes, for independent standard normal
/// ratings. Two arms then typically differ by 1.4, which is odds of 4 to 1.
///
/// ```text
/// ln s(x) >= ln s(c) + (x - c)/2 - h(c) (x^2 - c^2),
///   s(x) = 1 / (1 + e^-x), h(c) = tanh(c/2) / (4c)    (Jaakkola and Jordan 2000)
/// ```
///
/// for every c, with equality at x = c and x = -c. With this bound the likelihood becomes the
/// exponential of a quadratic form, whose mean is known. With A = I + sum of 2 n h (e_i -
/// e_j)(e_i - e_j)' and b = sum of (S - n/2)(e_i - e_j), the logarithm of the mean is b' A^-1 b /
/// 2 - ln det(A) / 2 plus a constant. The bound holds for every c, so c may depend on the votes.
/// Here c is the difference of the pair's most likely ratings, where the bound is exact.
///
/// DOI 10.1023/A:1008932416310.
pub(super) fn ln_mean_likelihood(n_arms: usize, pairs: &[Pair], ratings: &[f64]) -> f64 {
    let mut a = vec![0.0; n_arms * n_arms];
    let mut b = vec![0.0; n_arms];
    let mut constant = 0.0;
    for arm in 0..n_arms {
        a[arm * n_arms + arm] = 1.0;
    }
    for &Pair { i, j, score, votes } in pairs {
        let c = (ratings[i] - ratings[j]).abs();
        // tanh(c/2) / (4c) tends to 1/8.
        let h = if c > 1e-4 { libm::tanh(c / 2.0) / (4.0 * c) } else { 0.125 - c * c / 96.0 };
        // ln s(c) - c/2 = -(c/2 + ln(1 + e^-c)).
        constant += votes * (h * c * c - c / 2.0 - libm::log1p(libm::exp(-c)));
        let weight = 2.0 * votes * h;
        a[i * n_arms + i] += weight;
        a[j * n_arms + j] += weight;
        a[i * n_arms + j] -= weight;
        a[j * n_arms + i] -= weight;
        let slope = score - votes / 2.0;
        b[i] += slope;
        b[j] -= slope;
    }
    let (half_square, half_ln_det) = eliminate(n_arms, &mut a, &mut b);
    constant + half_square - half_ln_det
}

/// b' A^-1 b / 2 and ln det(A) / 2 by elimination. A is positive definite, so no rows need to be
/// exchanged.
fn eliminate(n: usize, a: &mut [f64], b: &mut [f64]) -> (f64, f64) {
    let (mut square, mut ln_det) = (0.0, 0.0);
    for k in 0..n {
        let pivot = a[k * n + k];
        square += b[k] * b[k] / pivot;
        ln_det += libm::log(pivot);
        for i in k + 1..n {
            let factor = a[i * n + k] / pivot;
            for j in k + 1..n {
                a[i * n + j] -= factor * a[k * n + j];
            }
            b[i] -= factor * b[k];
        }
    }
    (square / 2.0, ln_det / 2.0)
}

/// ln((e^a + e^b) / 2).
pub(super) fn ln_mean_of(a: f64, b: f64) -> f64 {
    a.max(b) + libm::log1p(libm::exp(-(a - b).abs())) - LN_2
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The mean likelihood of two arms by Simpson's rule. Their difference is normal with variance
    /// 2.
    fn exact(score: f64, votes: f64) -> f64 {
        let step = 24.0 / 8000.0;
        let sum: f64 = (0..=8000_u32)
            .map(|i| {
                let x = f64::from(i) * step - 12.0;
                let weight = if i == 0 || i == 8000 { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
                let ln_win = -(1.0 + (-x).exp()).ln();
                let ln_loss = -(1.0 + x.exp()).ln();
                weight * (score * ln_win + (votes - score) * ln_loss - x * x / 4.0).exp()
            })
            .sum();
        (sum * step / 3.0 / (4.0 * core::f64::consts::PI).sqrt()).ln()
    }

    #[test]
    fn trace_by_hand() {
        // Two arms with one win each: c = 0, h = 1/8, A = I + 2 * 2/8 [[1, -1], [-1, 1]] with
        // determinant 1 + 2 * 1/2 = 2, b = 0: 2 ln(1/2) - ln(2)/2 = -2.5 ln 2 = -1.732868.
        let pair = Pair { i: 0, j: 1, score: 1.0, votes: 2.0 };
        assert!((ln_mean_likelihood(2, &[pair], &[0.0, 0.0]) + 2.5 * LN_2).abs() < 1e-12);
        // A = [[2, 1], [1, 2]], b = (1, 0): b' A^-1 b = 2/3, det 3.
        let (square, ln_det) = eliminate(2, &mut [2.0, 1.0, 1.0, 2.0], &mut [1.0, 0.0]);
        assert!((square - 1.0 / 3.0).abs() < 1e-15 && (ln_det - 3.0_f64.ln() / 2.0).abs() < 1e-15);
        // (1 + 3) / 2 = 2.
        assert!((ln_mean_of(0.0, 3.0_f64.ln()) - LN_2).abs() < 1e-15);
    }

    proptest! {
        #[test]
        fn law_below_the_integral_and_close(share in 0.05_f64..0.95, votes in 1_u16..200, c in 0.0_f64..3.0) {
            let votes = f64::from(votes);
            let pair = Pair { i: 0, j: 1, score: share * votes, votes };
            let exact = exact(pair.score, votes);
            // It is a bound for any c.
            prop_assert!(ln_mean_likelihood(2, &[pair], &[c, 0.0]) <= exact + 1e-9);
            // At the most likely difference, which is at most ln 19 = 2.9, the curvature is too
            // large by a factor of at most 2 h(c) / (s(c) s(-c)) = 3.3. So the bound loses less
            // than ln(3.3)/2 = 0.6, and slightly more if there are few votes.
            let best = (share / (1.0 - share)).ln();
            let bound = ln_mean_likelihood(2, &[pair], &[best, 0.0]);
            prop_assert!(bound <= exact + 1e-9 && exact - bound < 1.0, "{bound} {exact}");
        }
    }
}
