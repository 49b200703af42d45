//! C4: the regret of adversarial policies grows like a square root.

use core::f64::consts::E;

use tiltyard_bandit::theory::AnytimeRate;

use super::decide::{HOLM, below, exponent, settle};
use super::evidence::{REX3_BOUND, SPARRING_BOUND, mean};
use super::role::Role;
use super::{Claim, Evidence, Judgement, MATRICES, Number, Part};

pub(super) const CLAIM: Claim = Claim {
    id: "C4",
    title: "Regret of adversarial policies grows like the square root of time",
    statement: "The regret of REX3 and Sparring with EXP3 grows like the square root of time.",
    source: "section 5.2, 'As expected, ...'; the caption of the first regret figure",
    test: "The exponent b of R ~ T^b over the last decade of horizons is estimated from the ratio of mean \
           regrets (paired by run), for the policies that know the horizon. It is judged only if the policy \
           has had time to learn: the decade must begin after the onset, the round from which the policy's \
           own bound is below the regret of random play. The onset is e/2 K ln K / gap^2 for REX3 and 2 \
           (e-1) K ln K / gap^2 for Sparring, where gap is the regret of random play per round.",
    rule: "Holds if every exponent is significantly below 2/3, the exponent of the next harder class of \
           games with partial monitoring; fails if one is significantly above.",
    correction: HOLM,
    figure: Some("arxiv"),
    reads: MATRICES,
    check,
};

const LIMIT: f64 = 2.0 / 3.0;

fn check(evidence: &Evidence) -> Judgement {
    let (mut trials, mut others) = (Vec::new(), Vec::new());
    for world in evidence.worlds(MATRICES) {
        for (role, bound) in [(Role::Half, REX3_BOUND), (Role::Sparring, SPARRING_BOUND)] {
            let Some(series) = world.find(role) else { continue };
            let name = format!("{}: {}", world.name, role.name());
            let (horizon, start) = (series.horizon(), series.horizon() / 10);
            let (Some(early), Some(late), Some(onset)) =
                (series.regret_at(start), series.regret_at(horizon), world.onset(bound))
            else {
                continue;
            };
            let Some(estimate) = exponent(&early, &late, 10.0) else { continue };
            let mut trial =
                below(name.clone(), "exponent over the last decade", estimate, LIMIT, LIMIT - 0.5);
            trial.numbers.push(Number::exact(
                "onset",
                onset,
                "rounds until the bound is below the regret of random play",
            ));
            if onset > start as f64 {
                let why = format!(
                    "too early: the decade begins at round {start}, before the onset at round {onset:.0}"
                );
                others.push(Part { numbers: trial.numbers, ..Part::unjudged(name, why) });
            } else {
                trials.push(trial);
            }
        }
    }
    if trials.is_empty() {
        let missing = "Missing: runs of `rex3:gmax=T/2`, `sparring:player=exp3` and `random` whose last \
                       decade begins after the onset.";
        return Judgement { parts: others, ..Judgement::not_run(missing) };
    }
    let mut parts = settle(trials);
    parts.extend(others);
    let judgement =
        Judgement::of_all(parts, "An O() is an upper bound, so slower growth does not contradict it.");
    match long_run(evidence) {
        Some(number) => judgement.with(number),
        None => judgement,
    }
}

/// Anytime REX3 on arXiv: the regret gained in the last decade per unit of sqrt(t), and the
/// prediction for a settled policy.
fn long_run(evidence: &Evidence) -> Option<Number> {
    let world = evidence.worlds(&["arxiv"]).into_iter().next()?;
    let series = world.find(Role::Anytime)?;
    let horizon = series.horizon();
    let gained = mean(&series.regret_at(horizon)?) - mean(&series.regret_at(horizon / 10)?);
    let roots = (horizon as f64).sqrt() - (horizon as f64 / 10.0).sqrt();
    let predicted = AnytimeRate::new(world.n_arms(), E / 2.0).long_run_slope(world.mean_gap()?);
    let unit = format!(
        "regret per sqrt(t) over the last decade; theory predicts {predicted:.4} once the policy has settled"
    );
    Some(Number::exact(
        format!("coefficient of {} in {}", Role::Anytime.name(), world.name),
        gained / roots,
        &unit,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{SyntheticSeries, expect, judge};
    use crate::results::Series;

    fn world(power: f64, noise: f64, gap: f64) -> Vec<Series> {
        let made = |policy| SyntheticSeries { policy, noise, ..SyntheticSeries::default() };
        vec![
            made("rex3:gmax=T/2").series(|t| 2.0 * t.powf(power)),
            made("sparring").series(|t| 3.0 * t.powf(0.55)),
            made("rex3").series(|t| 40.0 + 0.3375 * t.sqrt()),
            SyntheticSeries { noise: 0.0, ..made("random") }.series(|t| gap * t),
        ]
    }

    #[test]
    fn trace_three_verdicts() {
        let finding = judge(&CLAIM, "arxiv", world(0.5, 0.02, 0.06));
        expect(&finding, Verdict::Holds);
        assert!((finding.judgement.numbers[0].value.unwrap() - 0.3375).abs() < 0.02);
        // e/2 * 6 ln 6 / 0.0036 = 4059.
        let onset = finding.judgement.parts[0].numbers.last().unwrap().value.unwrap();
        assert!((onset - 4059.0).abs() < 1.0, "{onset}");
        expect(&judge(&CLAIM, "arxiv", world(0.9, 0.02, 0.06)), Verdict::Fails);
        expect(&judge(&CLAIM, "arxiv", world(0.66, 0.1, 0.06)), Verdict::Inconclusive);
        // With small gaps 1e5 rounds are too early, and nothing is judged.
        let early = judge(&CLAIM, "arxiv", world(0.9, 0.02, 0.01));
        expect(&early, Verdict::NotRun);
        assert_eq!(early.judgement.parts.len(), 2);
    }
}
