//! From samples to verdicts: code shared by the claims that use statistics.

use super::evidence::mean;
use super::finding::{Judgement, Number, Part, Power, Verdict};
use crate::statistics::{Moments, TTest, detectable_effect, holm, power_of_t_test};

/// The probability of a wrong verdict, for all parts of a claim together.
pub(super) const ALPHA: f64 = 0.01;

/// Intervals are two-sided, so each end is a one-sided bound at [`ALPHA`].
pub(super) const LEVEL: f64 = 1.0 - 2.0 * ALPHA;

/// The smallest relative difference that counts: below it, two policies are called equally good. 50
/// runs can detect a difference of this size.
pub(super) const WORTH: f64 = 0.05;

/// The largest relative difference that is still called small.
pub(super) const SMALL: f64 = 0.1;

/// How findings describe the interval of a number.
pub(super) const INTERVAL: &str = "98 % interval";

/// The correction for multiple tests, as findings describe it.
pub(super) const HOLM: &str = "Holm's method over all parts, in both directions, at alpha = 0.01";

/// Replaces the correction for claims that involve no randomness.
pub(super) const EXACT: &str = "none; computed exactly, not sampled";

/// A part before the correction for multiple tests.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    pub(super) name: String,
    /// The p value for the claim: how likely data this favourable are if the claim is false.
    pub(super) holds: f64,
    /// The p value against the claim: how likely data this unfavourable are if the claim is true.
    pub(super) fails: f64,
    pub(super) numbers: Vec<Number>,
    pub(super) power: Power,
    pub(super) note: String,
}

/// The judgement on a claim about all its parts: the trials, corrected for multiple tests, followed
/// by parts that are shown but not judged. Without trials the claim is not run, and `missing` says
/// what it needs.
pub(super) fn decide(trials: Vec<Trial>, others: Vec<Part>, missing: &str, note: &str) -> Judgement {
    if trials.is_empty() {
        return Judgement { parts: others, ..Judgement::not_run(missing) };
    }
    let mut parts = settle(trials);
    parts.extend(others);
    Judgement::of_all(parts, note)
}

/// Corrects for multiple tests and decides each trial.
pub(super) fn settle(trials: Vec<Trial>) -> Vec<Part> {
    let holds = holm(&trials.iter().map(|trial| trial.holds).collect::<Vec<_>>());
    let fails = holm(&trials.iter().map(|trial| trial.fails).collect::<Vec<_>>());
    let part = |(trial, (holds, fails)): (Trial, (f64, f64))| Part {
        name: trial.name,
        verdict: Some(if holds < ALPHA {
            Verdict::Holds
        } else if fails < ALPHA {
            Verdict::Fails
        } else {
            Verdict::Inconclusive
        }),
        numbers: trial.numbers,
        p_value: Some(trial.holds),
        adjusted: Some(holds),
        power: Some(trial.power),
        note: trial.note,
    };
    trials.into_iter().zip(holds.into_iter().zip(fails)).map(part).collect()
}

/// The claim that one policy has less regret than another (paired t test). It fails if the
/// advantage is significantly below `worth`, a share of the worse policy's regret.
pub(super) fn less(name: String, better: (&str, &[f64]), worse: (&str, &[f64]), worth: f64) -> Trial {
    let n = better.1.len().min(worse.1.len());
    let (x, y) = (&better.1[..n], &worse.1[..n]);
    let advantage = TTest::paired(y, x);
    let spared: Vec<f64> = y.iter().map(|y| y * (1.0 - worth)).collect();
    let beyond = TTest::paired(&spared, x);
    let scale = mean(y).abs().max(f64::MIN_POSITIVE);
    let effect = if worth > 0.0 { worth } else { WORTH } * scale;
    let what = format!("a {:.0} % lower regret", 100.0 * effect / scale);
    Trial {
        name,
        holds: advantage.p_above(0.0),
        fails: beyond.p_below(0.0),
        numbers: vec![
            percentage("advantage", advantage, scale, worse.0),
            measured(better.0, x),
            measured(worse.0, y),
        ],
        power: power(what, 100.0 / scale, effect, advantage, n),
        note: String::new(),
    }
}

/// A difference of regrets, in per cent of `scale`, the regret of `policy`.
fn percentage(name: &str, difference: TTest, scale: f64, policy: &str) -> Number {
    let interval = difference.interval(LEVEL);
    Number::between(
        name,
        100.0 * difference.estimate / scale,
        (100.0 * interval.low / scale, 100.0 * interval.high / scale),
        &format!("% of the regret of {policy}, {INTERVAL}"),
    )
}

/// The mean regret of a policy.
pub(super) fn measured(name: &str, values: &[f64]) -> Number {
    estimated(name, TTest::of(values), &format!("regret, {INTERVAL}"))
}

/// An estimate over runs with its interval.
pub(super) fn estimated(name: impl Into<String>, test: TTest, unit: &str) -> Number {
    let interval = test.interval(LEVEL);
    Number::between(name, test.estimate, (interval.low, interval.high), unit)
}

/// The claim that an estimate is below a limit.
pub(super) fn below(name: String, what: &str, estimate: TTest, limit: f64, effect: f64) -> Trial {
    let n = runs(estimate);
    Trial {
        name,
        holds: estimate.p_below(limit),
        fails: estimate.p_above(limit),
        numbers: vec![estimated(what, estimate, INTERVAL), Number::exact("limit", limit, "")],
        power: power(format!("a true {what} that is {effect:.3} below the limit"), 1.0, effect, estimate, n),
        note: String::new(),
    }
}

/// The claim that two policies differ by at most a share of the second policy's regret. Both
/// one-sided tests must be significant.
pub(super) fn alike(name: String, ours: (&str, &[f64]), theirs: (&str, &[f64]), share: f64) -> Trial {
    let n = ours.1.len().min(theirs.1.len());
    let (x, y) = (&ours.1[..n], &theirs.1[..n]);
    let difference = TTest::paired(x, y);
    let against = |factor: f64| TTest::paired(x, &y.iter().map(|y| y * factor).collect::<Vec<_>>());
    let (upper, lower) = (against(1.0 + share), against(1.0 - share));
    let scale = mean(y).abs().max(f64::MIN_POSITIVE);
    Trial {
        name,
        holds: upper.p_below(0.0).max(lower.p_above(0.0)),
        // Either end can refute the claim: twice the smaller p value.
        fails: (2.0 * upper.p_above(0.0).min(lower.p_below(0.0))).min(1.0),
        numbers: vec![
            percentage("difference", difference, scale, theirs.0),
            measured(ours.0, x),
            measured(theirs.0, y),
        ],
        power: power(
            format!("a true difference of zero to be within {:.0} %", 100.0 * share),
            100.0 / scale,
            share * scale,
            difference,
            n,
        ),
        note: String::new(),
    }
}

/// The claim that regret grows more slowly than a square root, tested on two consecutive decades:
/// sqrt(10) times the regret gained in the first minus the regret gained in the second is positive.
pub(super) fn decades(name: String, first: &[f64], middle: &[f64], last: &[f64]) -> Trial {
    let gains: Vec<(f64, f64)> =
        first.iter().zip(middle).zip(last).map(|((a, b), c)| (b - a, c - b)).collect();
    let spare: Vec<f64> = gains.iter().map(|(early, late)| 10f64.sqrt() * early - late).collect();
    let test = TTest::of(&spare);
    let (early, late): (Vec<f64>, Vec<f64>) = gains.into_iter().unzip();
    let numbers = [("gained in the decade before", &early), ("gained in the last decade", &late)];
    let mut numbers = numbers.map(|(name, gains)| measured(name, gains)).to_vec();
    let (early, late) = (mean(&early), mean(&late));
    let unit = "(1 for a logarithm, 3.16 for a square root, 10 for linear growth)";
    numbers.push(Number::exact("ratio", late / early, unit));
    // With logarithmic growth the difference is sqrt(10) - 1 times the gain of a decade.
    let effect = (10f64.sqrt() - 1.0) * early.max(0.0);
    Trial {
        name,
        holds: test.p_above(0.0),
        fails: test.p_below(0.0),
        numbers,
        power: power(
            "logarithmic growth to be slower than a square root".to_owned(),
            1.0,
            effect,
            test,
            spare.len(),
        ),
        note: String::new(),
    }
}

/// The claim that a policy has no more regret than another, with a tolerance of `share` of the
/// other policy's regret.
pub(super) fn no_more(name: String, ours: (&str, &[f64]), theirs: (&str, &[f64]), share: f64) -> Trial {
    let n = ours.1.len().min(theirs.1.len());
    let (x, y) = (&ours.1[..n], &theirs.1[..n]);
    let margin = TTest::paired(&y.iter().map(|y| y * (1.0 + share)).collect::<Vec<_>>(), x);
    let difference = TTest::paired(x, y);
    let scale = mean(y).abs().max(f64::MIN_POSITIVE);
    Trial {
        name,
        holds: margin.p_above(0.0),
        fails: margin.p_below(0.0),
        numbers: vec![
            percentage("difference", difference, scale, theirs.0),
            measured(ours.0, x),
            measured(theirs.0, y),
        ],
        power: power(
            format!("an equal regret to be less than {:.0} % higher", 100.0 * share),
            100.0 / scale,
            share * scale,
            margin,
            n,
        ),
        note: String::new(),
    }
}

/// The power of a t test to find an effect. `unit` converts from the unit of the estimate to the
/// unit shown.
pub(super) fn power(effect: String, unit: f64, size: f64, test: TTest, runs: usize) -> Power {
    let sd = test.se * (runs as f64).sqrt();
    if sd <= 0.0 {
        // Without spread every effect is found, given at least two runs.
        return Power { effect, value: f64::from(u8::from(test.df >= 1.0)), detectable: 0.0, runs };
    }
    let detectable = detectable_effect(runs, ALPHA, 0.9) * sd * unit;
    let detectable = if detectable.is_finite() { detectable } else { f64::MAX };
    Power { effect, value: power_of_t_test(runs, size / sd, ALPHA), detectable, runs }
}

/// The number of runs behind an estimate over runs.
pub(super) fn runs(test: TTest) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of runs minus one")]
    let df = test.df as usize;
    df + 1
}

/// The exponent b of R ~ t^b between two checkpoints, estimated from the same runs at both: the
/// logarithm of the ratio of means, with a standard error by linearisation.
pub(super) fn exponent(early: &[f64], late: &[f64], ratio_of_rounds: f64) -> Option<TTest> {
    let n = early.len().min(late.len());
    let (early, late) = (&early[..n], &late[..n]);
    let (a, b) = (mean(early), mean(late));
    if n == 0 || a <= 0.0 || b <= 0.0 {
        return None;
    }
    let relative: Vec<f64> = early.iter().zip(late).map(|(x, y)| y / b - x / a).collect();
    let moments = Moments::of(&relative);
    let scale = ratio_of_rounds.ln();
    Some(TTest { estimate: (b / a).ln() / scale, se: moments.se() / scale, df: (n - 1) as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contest(better: f64, worse: f64, noise: f64) -> Part {
        let runs = |mean: f64, sign: f64| -> Vec<f64> {
            (0..20).map(|r| mean + sign * noise * (f64::from(r % 5) - 2.0)).collect()
        };
        settle(vec![less("x".to_owned(), ("a", &runs(better, 1.0)), ("b", &runs(worse, -1.0)), WORTH)])
            .remove(0)
    }

    #[test]
    fn trace_a_contest_has_three_ends() {
        assert_eq!(contest(80.0, 100.0, 2.0).verdict, Some(Verdict::Holds));
        // Equal for all practical purposes.
        assert_eq!(contest(100.0, 100.0, 1.0).verdict, Some(Verdict::Fails));
        assert_eq!(contest(120.0, 100.0, 2.0).verdict, Some(Verdict::Fails));
        let open = contest(98.0, 100.0, 8.0);
        assert_eq!(open.verdict, Some(Verdict::Inconclusive));
        let power = open.power.unwrap();
        assert!(power.value < 0.9 && power.detectable > 5.0, "{power:?}");
    }

    #[test]
    fn trace_a_contest_without_chance() {
        assert_eq!(contest(80.0, 100.0, 0.0).verdict, Some(Verdict::Holds));
        assert_eq!(contest(100.0, 100.0, 0.0).verdict, Some(Verdict::Fails));
    }

    #[test]
    fn trace_alike_has_three_ends() {
        let verdict = |x: f64, noise: f64| {
            let runs = |mean: f64, sign: f64| -> Vec<f64> {
                (0..20).map(|r| mean + sign * noise * (f64::from(r % 5) - 2.0)).collect()
            };
            let trial = alike("x".to_owned(), ("a", &runs(x, 1.0)), ("b", &runs(100.0, -1.0)), SMALL);
            settle(vec![trial]).remove(0).verdict.unwrap()
        };
        assert_eq!(verdict(103.0, 1.0), Verdict::Holds);
        assert_eq!(verdict(125.0, 1.0), Verdict::Fails);
        assert_eq!(verdict(75.0, 1.0), Verdict::Fails);
        assert_eq!(verdict(108.0, 8.0), Verdict::Inconclusive);
    }

    #[test]
    fn trace_no_more_has_three_ends() {
        let verdict = |x: f64, noise: f64| {
            let runs = |mean: f64, sign: f64| -> Vec<f64> {
                (0..20).map(|r| mean + sign * noise * (f64::from(r % 5) - 2.0)).collect()
            };
            let trial = no_more("x".to_owned(), ("a", &runs(x, 1.0)), ("b", &runs(100.0, -1.0)), WORTH);
            settle(vec![trial]).remove(0).verdict.unwrap()
        };
        assert_eq!(verdict(80.0, 1.0), Verdict::Holds);
        assert_eq!(verdict(102.0, 1.0), Verdict::Holds);
        assert_eq!(verdict(110.0, 1.0), Verdict::Fails);
        assert_eq!(verdict(104.0, 8.0), Verdict::Inconclusive);
    }

    /// 100 at 1e4 and 316.2 at 1e5: the square root.
    #[test]
    fn trace_exponent() {
        let exponent = exponent(&[90.0, 110.0], &[300.0, 332.455_532], 10.0).unwrap();
        assert!((exponent.estimate - 0.5).abs() < 1e-8 && exponent.se > 0.0);
        assert!(super::exponent(&[0.0], &[1.0], 10.0).is_none());
    }
}
