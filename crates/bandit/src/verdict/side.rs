//! A test of whether votes favour one side.

use super::Interval;
use super::interval::{Bet, interval};

/// The result of the test for side bias.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// The share of the left side among votes that are not ties; 1/2 without votes.
    pub share: f64,
    /// The shares that the votes do not rule out.
    pub interval: Interval,
    /// ln of the evidence that the share is not 1/2.
    pub ln_evidence: f64,
    /// Whether the evidence reached ln(1/level). In that case 1/2 is not in the interval.
    pub alarm: bool,
}

/// Tests the votes for the left and the right side. Ties are left out, and graded votes count by
/// their strength.
///
/// A fair coin decides which arm is on the left. If sides do not matter, a vote that is not a tie
/// is therefore for the left with probability 1/2, *whatever* the arms and the policy are. The
/// probability of ever raising an alarm is then at most the level, even if you look after every
/// vote. For graded votes the same holds by Bernoulli's inequality, as in
/// [`ln_lead`](super::ln_lead).
///
/// The evidence is the Beta(1/2, 1/2) mixture of [`interval`], so the alarm and the interval never
/// contradict each other. A mixture closer to 1/2 would find a small bias with about a tenth fewer
/// votes, but would need more votes for a large bias.
///
/// The interval assumes one common share. If sides matter, the share depends on the pairs that were
/// shown, and the interval is only a description.
pub fn side(left: f64, right: f64, level: f64) -> Side {
    let votes = left + right;
    // Written positively so that NaN counts as no votes.
    if votes > 0.0 {
        let ln_evidence = Bet::new(left, votes).against(0.5);
        let alarm = ln_evidence >= -libm::log(level);
        Side { share: left / votes, interval: interval(left, votes, level), ln_evidence, alarm }
    } else {
        Side { share: 0.5, interval: Interval::ALL, ln_evidence: 0.0, alarm: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn trace_by_hand() {
        // One vote for the left: ln(1/2) - ln(1/2) = 0.
        let one = side(1.0, 0.0, 0.05);
        assert!(one.ln_evidence.abs() < 1e-12 && !one.alarm && one.share >= 1.0);
        // Ten of ten: B(10.5, 0.5)/pi = (1*3*...*19)/(2*4*...*20) = 0.176197, times 2^10: ln
        // 180.4258 = 5.195320.
        let ten = side(10.0, 0.0, 0.05);
        assert!((ten.ln_evidence - 5.195_320).abs() < 1e-5 && ten.alarm && ten.interval.low > 0.5);
        assert_eq!(
            side(0.0, 0.0, 0.05),
            Side { share: 0.5, interval: Interval::ALL, ln_evidence: 0.0, alarm: false }
        );
        // 100:100 is not evidence of a bias.
        assert!(side(100.0, 100.0, 0.05).ln_evidence < 0.0);
    }

    #[test]
    fn trace_false_alarms_by_dynamic_programming() {
        // The test looks after each of 1000 votes. A bias of 60:40 is found.
        let raised = |p: f64| {
            let mut raised = 0.0;
            let mut alive = vec![0.0; 1001];
            alive[0] = 1.0;
            for n in 1..=1000_usize {
                for left in (0..=n).rev() {
                    let from = if left > 0 { alive[left - 1] * p } else { 0.0 } + alive[left] * (1.0 - p);
                    let alarm = Bet::new(left as f64, n as f64).against(0.5) >= -0.05_f64.ln();
                    raised += if alarm { from } else { 0.0 };
                    alive[left] = if alarm { 0.0 } else { from };
                }
            }
            raised
        };
        let (fair, biased) = (raised(0.5), raised(0.6));
        assert!(fair <= 0.05 && fair > 0.01, "{fair}");
        assert!(biased > 0.99, "{biased}");
    }

    proptest! {
        #[test]
        fn law_alarm_and_interval_agree(left in 0.0_f64..3000.0, right in 0.0_f64..3000.0, level in 0.001_f64..0.5) {
            let here = side(left, right, level);
            // Exactly at the limit either answer is right.
            if (here.ln_evidence + level.ln()).abs() > 1e-6 {
                prop_assert_eq!(here.alarm, !here.interval.contains(0.5));
            }
            let there = side(right, left, level);
            prop_assert!((here.ln_evidence - there.ln_evidence).abs() < 1e-9);
        }
    }
}
