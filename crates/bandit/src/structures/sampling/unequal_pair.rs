//! Two independent draws from one distribution p, conditioned on being different.
//!
//! The pair (i, j) then has the probability p_i p_j / z, where z = sum_i p_i (1 - p_i) is the
//! probability that two draws differ. As p concentrates on one arm, z goes to 0. Then 1 - sum p^2
//! loses its digits, and repeating draws until they differ takes more and more tries. So one arm b
//! is treated separately: the arm that has more than half of p or, if there is no such arm, any
//! arm.

use rand::{Rng, RngExt};

use crate::Arm;

/// A distribution, split into one arm and the others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnequalPair {
    /// b.
    pub(crate) best: Arm,
    /// p_b.
    pub(crate) p: f64,
    /// The sum of the other probabilities, computed without b.
    pub(crate) others: f64,
    /// The sum of their squares.
    pub(crate) squares: f64,
}

impl UnequalPair {
    /// z = r (1 + p_b) - Q, where r is the sum of the other probabilities and Q the sum of their
    /// squares. No other probability is above 1/2, so Q <= r / 2: at most half of the first term is
    /// subtracted.
    pub(crate) fn z(&self) -> f64 {
        (self.others * (1.0 + self.p) - self.squares).min(1.0)
    }

    /// Draws two different arms. `any` draws from p, and `other` draws from p without b. Each is
    /// called at most four times on average.
    pub(crate) fn draw<R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        any: impl Fn(&mut R) -> Arm,
        other: impl Fn(&mut R) -> Arm,
    ) -> (Arm, Arm) {
        loop {
            let (left, right) = if self.p > 0.5 {
                // b with another arm has probability p_b r in each order, and two others have r^2.
                // Pairs of b with itself are left out. So at least two of three pairs differ,
                // because Q <= r^2 and r < 1/2 < p_b.
                let point = rng.random::<f64>() * (2.0 * self.p + self.others);
                if point < self.p {
                    (self.best, other(rng))
                } else if point < 2.0 * self.p {
                    (other(rng), self.best)
                } else {
                    (other(rng), other(rng))
                }
            } else {
                // No arm has more than half of p, so at least one of two pairs differs.
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

    /// p = 1/2, 1/4, 1/4: z = 1 - 1/4 - 2/16 = 5/8, whichever arm is treated separately.
    #[test]
    fn trace_z() {
        for best in 0..3 {
            assert!((apart(&[0.5, 0.25, 0.25], best).z() - 0.625).abs() < 1e-15);
        }
        // All but 3e-20 of p is on one arm. z is twice that, while 1 - sum p^2 is computed as 0.
        assert!((apart(&[1.0, 1e-20, 2e-20], 0).z() / 6e-20 - 1.0).abs() < 1e-15);
    }

    /// The arm at a point on the line of these weights.
    fn find(weights: &[f64], point: f64) -> Arm {
        let mut rest = point;
        let place = weights.iter().position(|weight| {
            rest -= weight;
            rest < 0.0
        });
        Arm::new(place.expect("the point is below the sum"))
    }

    /// Chi-square of 60,000 pairs over the six ordered pairs of three different arms. With five
    /// degrees of freedom, the statistic exceeds 25.7 with probability 1/10,000.
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
