//! A sequential test of which side of a coin is more likely.

use core::f64::consts::{LN_2, PI};

/// The side that is shown to be more likely, if there is one: true for heads. The test may be
/// repeated after every toss, forever. For a fair coin, the probability of ever naming a side is at
/// most exp(-`evidence`). For a biased coin, so is the probability of ever naming the wrong side.
///
/// Let M be the likelihood of the tosses under a mixture of all coins, weighted by Beta(1/2, 1/2),
/// divided by their likelihood under a fair coin:
///
/// ```text
/// M = 2^n B(heads + 1/2, tails + 1/2) / B(1/2, 1/2)
/// ```
///
/// If the coin is fair, M is a martingale, so the probability that it ever reaches exp(evidence) is
/// at most exp(-evidence) (Ville's inequality). For a less likely side, leading by as much is even
/// less probable.
#[inline]
pub(crate) fn favoured(heads: u64, tails: u64, evidence: f64) -> Option<bool> {
    let n = (heads + tails) as f64;
    let lead = heads.abs_diff(tails) as f64;
    // M is at most the likelihood ratio of the best coin. The logarithm of that ratio, n kl(heads /
    // n, 1/2), is at most ln 2 lead^2 / n, because the series of kl in even powers of lead / n has
    // positive terms that sum to ln 2 at 1. So most calls need no Gamma functions.
    if LN_2 * lead * lead < evidence * n || heads == tails {
        return None;
    }
    let ln_gamma = |count: u64| libm::lgamma(count as f64 + 0.5);
    let ln_m = n * LN_2 + ln_gamma(heads) + ln_gamma(tails) - libm::lgamma(n + 1.0) - libm::log(PI);
    (ln_m >= evidence).then_some(heads > tails)
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    /// M as a product over the tosses: heads, after h heads among n tosses, multiplies it by 2 (h +
    /// 1/2) / (n + 1).
    fn product(heads: u64, tails: u64) -> f64 {
        let mut ln_m = 0.0;
        for h in 0..heads {
            ln_m += (2.0 * (h as f64 + 0.5) / (h as f64 + 1.0)).ln();
        }
        for t in 0..tails {
            ln_m += (2.0 * (t as f64 + 0.5) / ((heads + t) as f64 + 1.0)).ln();
        }
        ln_m
    }

    #[test]
    fn law_it_is_the_product_over_tosses() {
        for heads in 0..60 {
            for tails in 0..60 {
                let ln_m = product(heads, tails);
                for evidence in [0.7, 3.0, 11.0, 25.0] {
                    if (ln_m - evidence).abs() > 1e-9 {
                        let want = (ln_m > evidence && heads != tails).then_some(heads > tails);
                        assert_eq!(favoured(heads, tails, evidence), want, "{heads} : {tails}, {evidence}");
                    }
                }
            }
        }
    }

    /// Eight heads: M = prod (2h + 1) / (h + 1) = 1 * 3/2 * 5/3 * 7/4 * 9/5 * 11/6 * 13/7 * 15/8 =
    /// 50.27, and seven give 26.81.
    #[test]
    fn trace_heads_in_a_row() {
        let evidence = 40.0f64.ln();
        assert_eq!(favoured(7, 0, evidence), None);
        assert_eq!(favoured(8, 0, evidence), Some(true));
        assert_eq!(favoured(0, 8, evidence), Some(false));
    }

    /// A fair coin, tested after each of 2,000 tosses, is called unfair in at most one of 20 runs.
    /// That is 50 of 1,000, plus five standard errors of 6.9. A test for a fixed number of tosses,
    /// used in this way, would be wrong in half of the runs.
    #[test]
    fn stat_it_may_be_looked_at_all_the_time() {
        let mut wrong = 0;
        for run in 0..1000 {
            let mut rng = crate::Stream::new(1).index(run).rng();
            let (mut heads, mut tails) = (0, 0);
            for _ in 0..2000 {
                if rng.random::<bool>() {
                    heads += 1;
                } else {
                    tails += 1;
                }
                if favoured(heads, tails, 20.0f64.ln()).is_some() {
                    wrong += 1;
                    break;
                }
            }
        }
        assert!(wrong <= 50 + 35, "{wrong}");
    }
}
