//! Two independent draws from one distribution p, given that they differ.
//!
//! The pair (i, j) then has the probability p_i p_j / z, with z = sum_i p_i (1 - p_i) the chance
//! that two draws differ. As p concentrates on one arm, z goes to 0: 1 - sum p^2 loses its digits,
//! and drawing until the two differ takes ever more tries. So one arm is taken apart, b: the one
//! that has more than half of p, or, where none has, any.

use rand::{Rng, RngExt};

use crate::Arm;

/// A distribution, as seen from one arm.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnequalPair {
    /// b.
    pub(crate) best: Arm,
    /// p_b.
    pub(crate) p: f64,
    /// The sum of the other probabilities, added up without b.
    pub(crate) others: f64,
    /// The sum of their squares.
    pub(crate) squares: f64,
}

impl UnequalPair {
    /// z = r (1 + p_b) - Q, with r the sum of the others and Q that of their squares. No other has
    /// more than 1/2, so that Q <= r / 2: what is subtracted is at most half of what it is
    /// subtracted from.
    pub(crate) fn z(&self) -> f64 {
        (self.others * (1.0 + self.p) - self.squares).min(1.0)
    }

    /// Draws two different arms, where `any` draws from p, and `other` from what p is without b.
    /// Neither has to be called more than four times on average.
    pub(crate) fn draw<R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        any: impl Fn(&mut R) -> Arm,
        other: impl Fn(&mut R) -> Arm,
    ) -> (Arm, Arm) {
        loop {
            let (left, right) = if self.p > 0.5 {
                // Both orders of b and another have p_b r, two others r^2. Pairs of b with itself
                // are left out, and so two of three pairs differ at least: Q <= r^2, and r < 1/2 <
                // p_b.
                let point = rng.random::<f64>() * (2.0 * self.p + self.others);
                if point < self.p {
                    (self.best, other(rng))
                } else if point < 2.0 * self.p {
                    (other(rng), self.best)
                } else {
                    (other(rng), other(rng))
                }
            } else {
                // No arm has more than half of p: one of two pairs differs at least.
                (any(rng), any(rng))
            };
            if left != right {
                return (left, right);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    fn apart(p: &[f64], best: usize) -> UnequalPair {
        let others = |power: i32| (0..p.len()).filter(|&i| i != best).map(|i| p[i].powi(power)).sum();
        UnequalPair { best: Arm::new(best), p: p[best], others: others(1), squares: others(2) }
    }

    /// p = 1/2, 1/4, 1/4: z = 1 - 1/4 - 2/16 = 5/8, whichever arm is taken apart.
    #[test]
    fn trace_z() {
        for best in 0..3 {
            assert!((apart(&[0.5, 0.25, 0.25], best).z() - 0.625).abs() < 1e-15);
        }
        // All but 3e-20 on one arm: z is twice that, where 1 - sum p^2 is 0.
        assert!((apart(&[1.0, 1e-20, 2e-20], 0).z() / 6e-20 - 1.0).abs() < 1e-15);
    }

    /// An arm by its place on the line of these weights.
    fn find(weights: &[f64], point: f64) -> Arm {
        let mut rest = point;
        let place = weights.iter().position(|weight| {
            rest -= weight;
            rest < 0.0
        });
        Arm::new(place.expect("the point lies below the sum"))
    }

    /// Chi-square of 60,000 pairs of three arms over the six that differ: five degrees of freedom,
    /// so that the statistic exceeds 25.7 once in ten thousand seeds.
    #[test]
    fn stat_pairs() {
        for p in [[0.5, 0.25, 0.25], [0.625, 0.25, 0.125], [0.9375, 0.046_875, 0.015_625]] {
            let apart = apart(&p, 0);
            let mut rng = Stream::new(1).label("unequal").rng();
            let mut counts = [[0.0; 3]; 3];
            for _ in 0..60_000 {
                let (left, right) = apart.draw(
                    &mut rng,
                    |rng| find(&p, rng.random()),
                    |rng| find(&[0.0, p[1], p[2]], rng.random::<f64>() * apart.others),
                );
                counts[left.index()][right.index()] += 1.0;
            }
            let mut chi = 0.0;
            for (i, counts) in counts.iter().enumerate() {
                for (j, count) in counts.iter().enumerate().filter(|&(j, _)| j != i) {
                    let expected = 60_000.0 * p[i] * p[j] / apart.z();
                    chi += (count - expected) * (count - expected) / expected;
                }
            }
            assert!(chi < 25.7, "{chi} for {p:?}");
        }
    }
}
