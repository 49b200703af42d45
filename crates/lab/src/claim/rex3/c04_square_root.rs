//! C4: the square root of time.

use core::f64::consts::E;

use tiltyard_bandit::theory::AnytimeRate;

use super::decide::{HOLM, below, exponent, settle};
use super::evidence::{REX3_BOUND, SPARRING_BOUND, mean};
use super::role::Role;
use super::{Claim, Evidence, Judgement, MATRICES, Number, Part};

pub(super) const CLAIM: Claim = Claim {
    id: "C4",
    title: "Adversarial policies: the square root of time",
    statement: "The regret of REX3 and of Sparring with EXP3 grows like the square root of time.",
    source: "section 5.2, 'As expected, ...'; the caption of the first regret figure",
    test: "The exponent b of R ~ T^b over the last decade of horizons, from the ratio of mean regrets \
           with runs paired, for the policies that know the horizon. It speaks only once the policy has \
           had time to learn: where the decade begins after the round from which on the policy's own \
           bound is below the regret of random play (REX3: e/2 K ln K / gap^2, Sparring: 2 (e-1) K ln K / \
           gap^2; gap: what random play costs a round).",
    rule: "Holds if every exponent is below 2/3, the exponent of the next harder class of games with \
           partial monitoring; fails if one is above.",
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
            trial.numbers.push(Number::exact("onset", onset, "rounds until the bound is below random play"));
            if onset > start as f64 {
                let why =
                    format!("too early: the decade begins at {start} and the bound bites from {onset:.0} on");
                others.push(Part { numbers: trial.numbers, ..Part::unjudged(name, why) });
            } else {
                trials.push(trial);
            }
        }
    }
    if trials.is_empty() {
        let missing = "Horizons that begin after the onset, with `rex3:gmax=T/2`, `sparring:player=exp3` \
                       and `random`.";
        return Judgement { parts: others, ..Judgement::not_run(missing) };
    }
    let mut parts = settle(trials);
    parts.extend(others);
    let judgement =
        Judgement::of_all(parts, "An O() is a statement from above, so slower growth is no contradiction.");
    match long_run(evidence) {
        Some(number) => judgement.with(number),
        None => judgement,
    }
}

/// Anytime REX3 on arXiv: regret gained in the last decade for each unit of sqrt(t), beside what a
/// settled policy must pay.
fn long_run(evidence: &Evidence) -> Option<Number> {
    let world = evidence.worlds(&["arxiv"]).into_iter().next()?;
    let series = world.find(Role::Anytime)?;
    let horizon = series.horizon();
    let gained = mean(&series.regret_at(horizon)?) - mean(&series.regret_at(horizon / 10)?);
    let roots = (horizon as f64).sqrt() - (horizon as f64 / 10.0).sqrt();
    let predicted = AnytimeRate::new(world.n_arms(), E / 2.0).long_run_slope(world.mean_gap()?);
    let unit =
        format!("regret per sqrt(t) over the last decade; {predicted:.4} is predicted once it has settled");
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
        // A world of small gaps: at 1e5 it is too early to tell, and nothing is judged.
        let early = judge(&CLAIM, "arxiv", world(0.9, 0.02, 0.01));
        expect(&early, Verdict::NotRun);
        assert_eq!(early.judgement.parts.len(), 2);
    }
}
