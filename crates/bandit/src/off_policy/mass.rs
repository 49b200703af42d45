//! A lower bound on the mean of non-negative numbers that is valid at all times at once.
//!
//! For x >= -1 and 0 <= l < 1, exp(l x - psi(l) x^2) <= 1 + l x, where psi(l) = -ln(1 - l) - l
//! (Fan, Grama and Liu 2015). Let Z >= 0 have conditional mean m, let g in [0, 1] be a guess made
//! before Z is seen, and let x = Z - g. Then the expectation of exp(l (Z - m) - psi(l) (Z - g)^2)
//! is at most 1. The product over all Z is a supermartingale, and so is a mixture of such products
//! over l. By Ville's inequality, the probability that the mixture ever reaches 1 / error is at
//! most `error`. The bound is the least mean for which the mixture stays below 1 / error. The only
//! condition on Z is its sign: Z needs no largest value, no finite variance and no independence.

/// The sums over the numbers Z.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Mass {
    n: f64,
    sum: f64,
    /// Sum of (Z - g)^2.
    squares: f64,
}

/// The number of rates l: 3/4, 3/8, ... The smallest rate would be useful only after 1e13 numbers.
const N_RATES: i32 = 24;

impl Mass {
    /// Takes the next number. The guess of its mean is the mean of the numbers before, with `prior`
    /// counted as one more number.
    pub(super) fn add(&mut self, value: f64, prior: f64) {
        debug_assert!(value >= 0.0, "a mass is not negative");
        let guess = ((self.sum + prior) / (self.n + 1.0)).clamp(0.0, 1.0);
        self.n += 1.0;
        self.sum += value;
        self.squares += (value - guess) * (value - guess);
    }

    /// The least mean in [0, 1] that the numbers do not refute.
    pub(super) fn lower_bound(&self, error: f64) -> f64 {
        let threshold = -libm::log(error);
        if self.n <= 0.0 || self.ln_evidence(0.0) < threshold {
            return 0.0;
        }
        // The evidence falls as the mean rises. After 50 halvings the place is exact to the last
        // meaningful digits.
        let (mut refuted, mut open) = (0.0, 1.0);
        for _ in 0..50 {
            let middle = f64::midpoint(refuted, open);
            if self.ln_evidence(middle) < threshold { open = middle } else { refuted = middle }
        }
        refuted
    }

    /// The logarithm of the mixture under the hypothesis that the mean of all numbers is `mean`.
    fn ln_evidence(&self, mean: f64) -> f64 {
        // The rate 3/4 2^-k has weight 1 / (k + 2), before the weights are normalised to sum 1.
        // Large rates suit logs with few numbers, which are common; small rates suit long logs.
        let mut terms = [f64::NEG_INFINITY; N_RATES as usize];
        let (mut rate, mut weights) = (0.75, 0.0);
        for (term, k) in terms.iter_mut().zip(2..) {
            let weight = 1.0 / f64::from(k);
            weights += weight;
            let psi = -libm::log1p(-rate) - rate;
            *term = libm::log(weight) + rate * (self.sum - self.n * mean) - psi * self.squares;
            rate /= 2.0;
        }
        let highest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = terms.iter().map(|term| libm::exp(term - highest)).sum();
        highest + libm::log(sum) - libm::log(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Before the first number nothing is refuted, nor after a number that equals its guess.
    #[test]
    fn trace_nothing_is_refuted_at_first() {
        let mut mass = Mass::default();
        assert!(mass.lower_bound(0.05) <= 0.0);
        mass.add(0.5, 0.5);
        assert!(mass.squares <= 0.0);
        assert!(mass.lower_bound(0.05) <= 0.0);
        // The next guess is (0.5 + 0.5) / 2 = 1/2.
        mass.add(2.0, 0.5);
        assert!((mass.squares - 2.25).abs() < 1e-15);
    }

    /// After 1000 numbers equal to 1/2 the bound is below 1/2 and close to it.
    #[test]
    fn trace_the_bound_comes_near() {
        let mut mass = Mass::default();
        for _ in 0..1000 {
            mass.add(0.5, 0.5);
        }
        let bound = mass.lower_bound(0.025);
        // Without squares the largest rate alone gives ln(1 / 0.025) >= 0.75 * 1000 (1/2 - m) -
        // ln(2 * 2.82), and so m = 0.4928.
        assert!((0.492..0.494).contains(&bound), "{bound}");
    }

    proptest! {
        /// By enumeration: the expected evidence against the true mean is at most 1, for any three
        /// values, any laws on them, and any way in which the previous number chooses the next law.
        #[test]
        fn law_evidence_against_the_truth_has_mean_one_at_most(
            values in prop::collection::vec(0.0..50.0f64, 3),
            laws in prop::collection::vec(prop::collection::vec(0.01..1.0f64, 3), 4),
            prior in 0.0..=1.0f64,
        ) {
            // Laws with a mean of at most 1. Excess probability is moved to the value 0.
            let laws: Vec<Vec<f64>> = laws
                .iter()
                .map(|law| {
                    let total: f64 = law.iter().sum();
                    let mean: f64 = law.iter().zip(&values).map(|(p, z)| p / total * z).sum();
                    law.iter().map(|p| p / total / mean.max(1.0)).collect()
                })
                .collect();
            let outcomes = |law: usize| -> Vec<(usize, f64, f64)> {
                let mut outcomes: Vec<(usize, f64, f64)> =
                    (0..3).map(|i| (i, laws[law][i], values[i])).collect();
                outcomes.push((3, 1.0 - laws[law].iter().sum::<f64>(), 0.0));
                outcomes
            };
            let mean_of = |law: usize| -> f64 { outcomes(law).iter().map(|(_, p, z)| p * z).sum() };
            let mut expected = 0.0;
            for (first, p, z) in outcomes(0) {
                // The first number chooses the law of the second.
                for (second, q, y) in outcomes(first) {
                    for (_, r, x) in outcomes(second) {
                        let mut mass = Mass::default();
                        for value in [z, y, x] {
                            mass.add(value, prior);
                        }
                        let mean = (mean_of(0) + mean_of(first) + mean_of(second)) / 3.0;
                        expected += p * q * r * libm::exp(mass.ln_evidence(mean));
                    }
                }
            }
            prop_assert!(expected <= 1.0 + 1e-9, "{expected}");
        }
    }
}
