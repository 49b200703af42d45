//! REX3 when some outcomes have not arrived yet: delays, batches, several nodes.

use core::f64::consts::E;

use super::k_ln_k;

/// One round of [`dual_averaging_late`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LateTerm {
    /// The rate of this round, in (0, 1). It must not exceed the rate of the round before.
    pub gamma: f64,
    /// The advantage of the policy over uniform play. For utilities it is x_alg - x_unif. For any
    /// matrices, or any outcomes, it is the g of [`tau_matrices`](super::tau_matrices), which is at
    /// most the largest mean outcome of one arm against a uniform opponent.
    pub advantage: f64,
    /// E M2, the second-order term of the paper's proof. It is at most (1 - 1/K) / 2, because
    /// scores are in [-1, 1], and exactly that for wins and losses.
    pub second_moment: f64,
    /// The number of earlier duels whose outcomes the deciding node has not seen.
    pub in_flight: u64,
}

/// A bound on the regret of REX3 with dual averaging if the outcomes of `m_t` earlier duels have
/// not been seen in round t.
///
/// ```text
/// regret <= K ln K / gamma_T + sum_t gamma_t / (1 - gamma_t)
///   * (g_t + (e - 2) exp(2.44 gamma_t m_t / K) E M2_t)
///                            + 0.61 sum_t gamma_t m_t / K
/// ```
///
/// Re-derived. It has two conditions. Delays must depend on neither draws nor outcomes. And views
/// must be closed: a node that has seen an outcome has also seen all outcomes that led to its duel.
/// A queue with delays, batches, and nodes that read each other's logs in order satisfy both.
///
/// The argument is the one of [`dual_averaging`](super::dual_averaging), for the weights with all
/// outcomes seen. In the mean, the m_t missing increments change a weight by a factor of at most
/// exp(2.44 gamma_t m_t / K), and the play by at most 0.61 gamma_t m_t / K. With rates below K /
/// (2.44 m_t) the bound is of order sqrt((K T + sum_t m_t) ln K). With larger rates the exponential
/// makes it trivial. With no outcomes in flight it equals
/// [`dual_averaging`](super::dual_averaging).
///
/// A lost outcome counts as an outcome with score 0. If a share f of the outcomes arrives,
/// independently of what they are, f times the regret is at most the bound with both `advantage`
/// and `second_moment` multiplied by f.
///
/// The result is infinite if a rate is outside (0, 1) or exceeds the rate before it, and 0 without
/// rounds and for fewer than two arms.
pub fn dual_averaging_late(n_arms: usize, rounds: impl IntoIterator<Item = LateTerm>) -> f64 {
    if n_arms < 2 {
        return 0.0;
    }
    let k = n_arms as f64;
    let mut last = None;
    let mut sum = 0.0;
    for LateTerm { gamma, advantage, second_moment, in_flight } in rounds {
        // Written positively so that NaN fails.
        let allowed = gamma > 0.0 && gamma < 1.0 && last.is_none_or(|last| gamma <= last);
        if !allowed {
            return f64::INFINITY;
        }
        let m = in_flight as f64;
        let spread = libm::exp(2.44 * gamma * m / k);
        sum +=
            gamma / (1.0 - gamma) * (advantage + (E - 2.0) * spread * second_moment) + 0.61 * gamma * m / k;
        last = Some(gamma);
    }
    last.map_or(0.0, |gamma| k_ln_k(n_arms) / gamma + sum)
}

#[cfg(test)]
mod tests {
    use super::super::{RoundTerm, dual_averaging};
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn term(gamma: f64, in_flight: u64) -> LateTerm {
        LateTerm { gamma, advantage: 0.5, second_moment: 0.25, in_flight }
    }

    #[test]
    fn trace_by_hand() {
        // K = 4, rates 1/2 and 1/4, the second with two duels in flight. A / (1/4) = 22.180710.
        // Round 1: 0.5 / 0.5 = 1 times 0.5 + 0.718282 * 0.25 = 0.679570. Round 2: 2.44 * 0.25 * 2 /
        // 4 = 0.305, exp = 1.356625; 0.25 / 0.75 = 1/3 times 0.5 + 0.718282 * 1.356625 * 0.25 =
        // 0.743610 is 0.247870; 0.61 * 0.25 * 2 / 4 = 0.07625. Together 23.184400.
        let bound = dual_averaging_late(4, [term(0.5, 0), term(0.25, 2)]);
        assert!((bound - 23.184_400).abs() < 1e-5, "{bound}");
        assert!(dual_averaging_late(4, [term(0.25, 0), term(0.5, 0)]).is_infinite());
        assert!(dual_averaging_late(4, [term(f64::NAN, 0)]).is_infinite());
        assert!(dual_averaging_late(4, [term(1.0, 0)]).is_infinite());
        assert!(dual_averaging_late(4, []).abs() < 1e-300);
        assert!(dual_averaging_late(1, [term(0.1, 3)]).abs() < 1e-300);
    }

    proptest! {
        /// With nothing in flight it is the bound for prompt outcomes, whose bracket is twice the
        /// sum in parentheses here.
        #[test]
        fn law_nothing_in_flight_is_the_prompt_bound(
            n_arms in 2_usize..50, gamma in 0.01..0.5_f64, terms in vec((0.0..1.0_f64, 0.0..0.5_f64), 1..50),
        ) {
            let late = terms.iter().map(|&(advantage, second_moment)| {
                LateTerm { gamma, advantage, second_moment, in_flight: 0 }
            });
            let prompt = terms.iter().map(|&(advantage, second_moment)| {
                RoundTerm { gamma, bracket: 2.0 * advantage + 2.0 * (E - 2.0) * second_moment }
            });
            let (late, prompt) = (dual_averaging_late(n_arms, late), dual_averaging(n_arms, prompt));
            prop_assert!((late / prompt - 1.0).abs() < 1e-12, "{late} and {prompt}");
        }

        /// More outcomes in flight never lower the bound.
        #[test]
        fn law_the_bound_grows_with_what_is_in_flight(gamma in 0.001..0.5_f64, m in 0_u64..200, more in 1_u64..200) {
            prop_assert!(dual_averaging_late(6, [term(gamma, m)]) < dual_averaging_late(6, [term(gamma, m + more)]));
        }
    }
}
