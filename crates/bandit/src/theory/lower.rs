//! The lower bound on worst-case regret.

use super::condorcet;

/// A lower bound on the worst bandit regret of any dueling policy over N duels, with its constant.
///
/// ```text
/// R_duel(N) >= 1/40 min(sqrt(2 K N), 2 N)      for K >= 2
/// ```
///
/// The paper proves the order (Theorem 2: sqrt(K T) for T >= K). The constant is re-derived by
/// applying the paper's Algorithm 2 to Theorem 5.1 of Auer, Cesa-Bianchi, Freund and Schapire
/// (2002, DOI 10.1137/S0097539701398375):
///
/// 1. Theorem 5.1: for every K >= 2 and n there is a distribution of rewards on which every player
///    has a regret of at least 1/20 min(sqrt(K n), n) over n pulls, relative to the best single
///    arm. The rewards are independent Bernoulli, with one arm at 1/2 + epsilon and the others at
///    1/2.
/// 2. Any dueling policy becomes such a player. For each duel (a, b) the player pulls a, then b,
///    and gives the policy the outcome x_a - x_b. Rewards are independent in time and across arms,
///    so for a != b this outcome has the distribution of a duel in the utility world with those
///    rewards. For a = b the player must give a tie, because that world answers with a tie.
///    Algorithm 2 as printed would give the noise of two pulls.
/// 3. N duels are 2N pulls. The player's gain, sum (x_a + x_b), is twice the policy's gain, sum
///    (x_a + x_b) / 2. The best arm's mean gain over 2N pulls is twice its mean gain over N duels.
///    So the player's regret is 2 `R_duel`(N), and 2 `R_duel`(N) >= 1/20 min(sqrt(2 K N), 2 N).
/// 4. A policy that sees only which arm won sees a function of that outcome and of an independent
///    coin, so it does no better.
///
/// The bound is for a mean over random worlds, so some fixed sequence of utilities is at least as
/// bad. It is 0 for fewer than two arms and for no duels.
pub fn lower_bound(n_arms: usize, duels: u64) -> f64 {
    if n_arms < 2 {
        return 0.0;
    }
    let pulls = 2.0 * duels as f64;
    libm::sqrt(n_arms as f64 * pulls).min(pulls) / 40.0
}

/// [`lower_bound`] as a bound on the Condorcet regret: half.
///
/// ```text
/// 1/80 min(sqrt(2 K N), 2 N)
/// ```
///
/// Re-derived. The rewards in the argument are Bernoulli, so the link is linear and the factor 1/2
/// is exact.
pub fn lower_bound_condorcet(n_arms: usize, duels: u64) -> f64 {
    condorcet(lower_bound(n_arms, duels))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn trace_lower_bound_by_hand() {
        // K = 8, N = 100: sqrt(1600) = 40 < 200, over 40 is 1. K = 8, N = 2: sqrt(32) = 5.66 > 4,
        // so 4 / 40.
        assert!((lower_bound(8, 100) - 1.0).abs() < 1e-12);
        assert!((lower_bound(8, 2) - 0.1).abs() < 1e-12);
        assert!((lower_bound_condorcet(8, 100) - 0.5).abs() < 1e-12);
    }

    /// The constant 1/20 of Theorem 5.1. With epsilon = 1/4 min(sqrt(K/n), 1) its proof shows a
    /// regret of at least epsilon n (1 - 1/K - 1/2 sqrt((n/K) (-ln(1 - 4 epsilon^2)))). In the
    /// worst case, K = 2 with -ln(1 - 4 epsilon^2) <= 16 ln(4/3) epsilon^2, that is 1/4 (1/2 -
    /// 1/2 * 0.536360) = 0.057955 of min(sqrt(K n), n).
    #[test]
    fn trace_constant_of_the_classical_bound() {
        let worst = 0.25 * (0.5 - 0.5 * libm::sqrt(libm::log(4.0 / 3.0)));
        assert!((worst - 0.057_955).abs() < 1e-5);
        assert!(worst >= 1.0 / 20.0);
    }

    proptest! {
        #[test]
        fn law_classical_constant_for_all_sizes(k in 2.0..1e4_f64, n in 1.0..1e9_f64) {
            let epsilon = 0.25 * libm::sqrt(k / n).min(1.0);
            let divergence = -libm::log1p(-4.0 * epsilon * epsilon);
            let regret = epsilon * n * (1.0 - 1.0 / k - 0.5 * libm::sqrt(n / k * divergence));
            prop_assert!(regret >= libm::sqrt(k * n).min(n) / 20.0);
        }

        /// More arms or more duels never make the problem easier.
        #[test]
        fn law_lower_bound_grows(n_arms in 2_usize..1000, duels in 0_u64..1_000_000) {
            prop_assert!(lower_bound(n_arms, duels) <= lower_bound(n_arms + 1, duels));
            prop_assert!(lower_bound(n_arms, duels) <= lower_bound(n_arms, duels + 1));
        }
    }
}
