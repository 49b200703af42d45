//! Evidence that one arm is better than another.

use core::f64::consts::LN_2;

/// Both parameters of the Beta mixture. It bets on win rates around 1/2 +- 1/(2 sqrt(2a + 1)) = 0.5
/// +- 0.12. A larger value finds small leads sooner and clear leads later, but a clear lead needs
/// few votes anyway.
const MIX: f64 = 8.0;

/// ln B(a, a) = ln(7! 7! / 15!) for a = `MIX`, precomputed because every vote needs it.
const LN_BETA_MIX: f64 = -10.848_948_661_710_065;

/// ln of the evidence that the first arm is better than the second, from its wins and losses. Ties
/// are no evidence.
///
/// ```text
/// ln M = n ln 2 + ln B(w + a, l + a) - ln B(a, a),        n = w + l, a = 8
/// ln E = ln M + ln 2 + ln(1 - exp(-(w - l + 1)^2 / (2 (n + 2a - 1))))
///   for w > l, else -infinity
/// ```
///
/// computed with w rounded down and l rounded up. If the first arm is *not* better, that is, if the
/// mean score of a duel is at most 0 given the past, then the probability that E ever reaches
/// 1/level is at most level.
///
/// Proof. Consider the mixture of bets on win rates above 1/2,
///
/// ```text
/// E* = 2 * integral over q in (1/2, 1] of (2q)^w (2 (1 - q))^l dBeta(a, a)(q)
/// ```
///
/// - A vote of score s multiplies a bet by (2q)^s or, if s < 0, by (2(1 - q))^(-s), which is at
///   most 1 + s (2q - 1) (Bernoulli's inequality: |s| <= 1). Its mean is at most 1 if the mean of s
///   is at most 0. So every bet, and E*, is a supermartingale that starts at 1, also with graded
///   votes, and Ville's inequality applies.
/// - E* grows with w and falls with l, because 2q >= 1 >= 2(1 - q). Rounding w down and l up makes
///   it smaller.
/// - For whole numbers E* = 2 M P(Beta(w + a, l + a) > 1/2), and that probability is 1 - P(Bin(n +
///   2a - 1, 1/2) >= w + a). Hoeffding's inequality for this tail gives E <= E*.
pub fn ln_lead(wins: f64, losses: f64) -> f64 {
    ln_evidence(wins.floor(), losses.ceil())
}

/// The same formula for any real numbers, where it is not proved. Forecasts use it.
pub(super) fn ln_evidence(wins: f64, losses: f64) -> f64 {
    // Written positively so that NaN gives no evidence.
    if wins > losses {
        let votes = wins + losses;
        let ahead = wins - losses + 1.0;
        let ln_mixture = votes * LN_2 + ln_beta(wins + MIX, losses + MIX) - LN_BETA_MIX;
        // ln(1 - exp(-x)). For small x, a plain subtraction would lose digits.
        let tail = libm::log(-libm::expm1(-ahead * ahead / (2.0 * (votes + 2.0 * MIX - 1.0))));
        ln_mixture + LN_2 + tail
    } else {
        f64::NEG_INFINITY
    }
}

/// The value that [`ln_lead`] must reach for "the first arm is better" to be recorded permanently:
/// ln(K / level), where level is 1 - confidence.
///
/// The leader is an arm for which that was recorded against every other arm. If arm i leads
/// wrongly, some arm j is at least as good. Fix one such j(i) for every i that has any. Then "i is
/// better than j(i)" was recorded wrongly, which for each i has probability at most level / K. So
/// the sum is over arms, not over pairs.
pub fn lead_threshold(n_arms: usize, level: f64) -> f64 {
    libm::log(n_arms as f64 / level)
}

/// ln B(a, b).
pub(super) fn ln_beta(a: f64, b: f64) -> f64 {
    libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn trace_the_constant() {
        assert_eq!(LN_BETA_MIX.to_bits(), ln_beta(MIX, MIX).to_bits(), "{:?}", ln_beta(MIX, MIX));
    }

    #[test]
    fn trace_by_hand() {
        // One win: M = 2 B(9, 8) / B(8, 8) = 2 * 8/16 = 1, and (w - l + 1)^2 / (2 * 16) = 1/8:
        // ln 2 + ln(1 - e^(-1/8)) = 0.693147 + ln(0.117503) = 0.693147 - 2.141291 = -1.448144.
        assert!((ln_lead(1.0, 0.0) + 1.448_144).abs() < 1e-5);
        // Two wins: M = 4 * (8 * 9)/(16 * 17) = 288/272 = 1.058824; 9 / 34 = 0.264706, 1 -
        // e^-0.264706 = 0.232569: ln(2 * 1.058824 * 0.232569) = ln 0.492499 = -0.708263.
        assert!((ln_lead(2.0, 0.0) + 0.708_263).abs() < 1e-5);
        // No arm is ahead: no votes, a draw, behind, or NaN.
        for (wins, losses) in [(0.0, 0.0), (7.0, 7.0), (3.0, 4.0), (f64::NAN, 0.0), (5.0, f64::NAN)] {
            assert!(ln_lead(wins, losses) == f64::NEG_INFINITY);
        }
        // Graded votes are rounded against the leader.
        assert!((ln_lead(2.9, 0.0) - ln_lead(2.0, 0.0)).abs() < 1e-15);
        assert!((ln_lead(9.0, 1.1) - ln_lead(9.0, 2.0)).abs() < 1e-15);
        // ln(8 / 0.05) = ln 160 = 5.075174.
        assert!((lead_threshold(8, 0.05) - 5.075_174).abs() < 1e-6);
    }

    /// E* by Simpson's rule, an independent computation without Beta tails and Hoeffding's
    /// inequality.
    fn exact(wins: f64, losses: f64) -> f64 {
        let intervals = 4000_u32;
        let step = 0.5 / f64::from(intervals);
        let density = |q: f64| {
            let beta = q.ln() * (wins + MIX - 1.0) + (1.0 - q).ln() * (losses + MIX - 1.0);
            ((wins + losses) * LN_2 + beta - ln_beta(MIX, MIX)).exp()
        };
        let sum: f64 = (0..=intervals)
            .map(|i| {
                let weight = if i == 0 || i == intervals { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
                // The density is 0 at q = 1, where its logarithm is not a number.
                if i == intervals { 0.0 } else { weight * density(0.5 + f64::from(i) * step) }
            })
            .sum();
        (2.0 * sum * step / 3.0).ln()
    }

    #[test]
    fn trace_closed_form_is_below_the_integral_and_close() {
        for wins in 1..80_u32 {
            for losses in 0..wins {
                let (w, l) = (f64::from(wins), f64::from(losses));
                let (closed, integral) = (ln_lead(w, l), exact(w, l));
                assert!(closed <= integral + 1e-9, "{wins}:{losses}: {closed} > {integral}");
                // Near thresholds of ln 20 or more, where precision matters, Hoeffding's term is
                // less than 1/20 (e^(-169/54) at 12:0), and so is the loss. One more win is worth
                // seven times that (40/28 at 12:0, ln 0.36).
                assert!(closed < 3.0 || integral - closed < 0.05, "{wins}:{losses}: {closed}, {integral}");
            }
        }
    }

    #[test]
    fn trace_mean_over_all_ways_to_vote_is_at_most_one() {
        for p in [0.5_f64, 0.45, 0.3, 0.05] {
            for votes in 1..=12_u32 {
                // All 2^n sequences of wins and losses, one by one.
                let mean: f64 = (0..1_u32 << votes)
                    .map(|sequence| {
                        let wins = f64::from(sequence.count_ones());
                        let losses = f64::from(votes) - wins;
                        p.powf(wins) * (1.0 - p).powf(losses) * ln_lead(wins, losses).exp()
                    })
                    .sum();
                assert!(mean <= 1.0, "{mean} after {votes} votes at {p}");
            }
        }
    }

    /// The probability that the evidence reaches the threshold within `votes` votes, by dynamic
    /// programming over wins and losses.
    fn crossing(p: f64, threshold: f64, votes: usize) -> f64 {
        let mut crossed = 0.0;
        // alive[w]: the probability of w wins so far, with the threshold not yet reached.
        let mut alive = vec![0.0; votes + 1];
        alive[0] = 1.0;
        for n in 1..=votes {
            for w in (0..=n).rev() {
                let from = if w > 0 { alive[w - 1] * p } else { 0.0 } + alive[w] * (1.0 - p);
                let reached = ln_lead(w as f64, (n - w) as f64) >= threshold;
                crossed += if reached { from } else { 0.0 };
                alive[w] = if reached { 0.0 } else { from };
            }
        }
        crossed
    }

    #[test]
    fn trace_no_lead_is_found_where_there_is_none() {
        for level in [0.05, 0.01] {
            let (fair, worse) = (
                crossing(0.5, lead_threshold(1, level), 2000),
                crossing(0.45, lead_threshold(1, level), 400),
            );
            assert!(fair <= level && worse <= fair, "{fair}, {worse} at {level}");
            // The test has power: more than a quarter of the level is used, and a real lead is
            // found.
            assert!(fair > level / 4.0, "{fair} at {level}");
            assert!(crossing(0.6, lead_threshold(1, level), 2000) > 0.99);
        }
    }

    proptest! {
        #[test]
        fn law_wins_help_and_losses_hurt(wins in 0_u32..5000, losses in 0_u32..5000) {
            let (w, l) = (f64::from(wins), f64::from(losses));
            let here = ln_lead(w, l);
            // lnGamma of 10,000 is about 1e5 and right to about 1e-11.
            prop_assert!(ln_lead(w + 1.0, l) >= here - 1e-9);
            prop_assert!(ln_lead(w, l + 1.0) <= here + 1e-9);
            prop_assert!(!here.is_nan() && here < f64::INFINITY);
            // There is never evidence for both arms.
            prop_assert!(here <= 0.0 || ln_lead(l, w) == f64::NEG_INFINITY);
        }

        #[test]
        fn law_graded_votes_are_bounded_by_the_integral(wins in 0.0_f64..60.0, losses in 0.0_f64..60.0) {
            prop_assert!(ln_lead(wins, losses) <= exact(wins, losses) + 1e-9);
        }
    }
}
