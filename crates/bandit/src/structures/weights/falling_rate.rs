//! Learning rates that fall with the square root of time.

/// gamma_t = min(cap, sqrt(square / t)).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FallingRate {
    square: f64,
    cap: f64,
}

impl FallingRate {
    /// sqrt(K ln K / (tau t)), for `n_arms` arms and a gain term of `tau` per round.
    pub(crate) fn new(n_arms: usize, tau: f64, cap: f64) -> Self {
        // One arm would give ln 1 = 0. There is nothing to learn, so the rate for two arms serves.
        let k = n_arms.max(2) as f64;
        Self { square: k * libm::log(k) / tau, cap }
    }

    /// sqrt(ln K / (K t)), uncapped: the rate of the loss form of EXP3.
    pub(crate) fn for_losses(n_arms: usize) -> Self {
        let k = n_arms.max(2) as f64;
        Self { square: libm::log(k) / k, cap: f64::MAX }
    }

    /// 1 / sqrt(t), the rate for Tsallis entropy up to a factor.
    pub(crate) fn inverse_root() -> Self {
        Self { square: 1.0, cap: 1.0 }
    }

    /// The rate in a round, counted from 1.
    pub(crate) fn at(self, round: u64) -> f64 {
        libm::sqrt(self.square / round as f64).min(self.cap)
    }

    /// The first round in which the formula is at or below the cap.
    pub(crate) fn uncapped_from(self) -> u64 {
        first_at_or_below(self.square, self.cap)
    }

    /// The first round in which the formula is at least 1 % below the `held` value. If the value is
    /// held until then, the rates are still non-increasing and at most 1 % above the formula. So
    /// every bound for non-increasing rates applies.
    pub(crate) fn one_percent_below(self, held: f64) -> u64 {
        first_at_or_below(self.square, 0.99 * held)
    }
}

/// The smallest t with sqrt(square / t) <= gamma, up to rounding.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; saturates")]
fn first_at_or_below(square: f64, gamma: f64) -> u64 {
    libm::ceil(square / (gamma * gamma)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With tau = e/2 the cap of 1/2 holds for 4 K ln K / (e/2) rounds: K = 6:
    /// 31.6, K = 64: 783.3, K = 136: 1966.3.
    #[test]
    fn trace_the_cap_ends() {
        for (n_arms, first) in [(6, 32), (64, 784), (136, 1967)] {
            let falling = FallingRate::new(n_arms, core::f64::consts::E / 2.0, 0.5);
            assert_eq!(falling.uncapped_from(), first);
            assert!(falling.at(first) <= 0.5);
            assert!((falling.at(first - 1) - 0.5).abs() < 1e-15);
        }
    }

    /// Holding gamma until it has fallen by 1 % changes it about ln(T / t0) / (2 ln(1 / 0.99)) =
    /// 49.75 ln(T / t0) times.
    #[test]
    fn trace_number_of_changes() {
        let falling = FallingRate::new(6, core::f64::consts::E / 2.0, 0.5);
        let (mut round, mut changes) = (1, 0.0);
        while round <= 10_000_000 {
            let next = falling.one_percent_below(falling.at(round)).max(round + 1);
            assert!(falling.at(next) <= 0.99 * falling.at(round) * (1.0 + 1e-12));
            assert!(next == round + 1 || falling.at(next - 1) > 0.99 * falling.at(round));
            round = next;
            changes += 1.0;
        }
        let expected = 49.75 * libm::log(1e7 / 31.6);
        assert!((changes - expected).abs() < 0.05 * expected, "{changes} against {expected}");
    }
}
