//! C18: self-duels become frequent.

use super::decide::{HOLM, INTERVAL, LEVEL, Trial, power, settle};
use super::evidence::{REX3_BOUND, Track};
use super::role::Role;
use super::{Claim, Evidence, Judgement, MATRICES, Number, Part};
use crate::statistics::TTest;

pub(super) const CLAIM: Claim = Claim {
    id: "C18",
    title: "Self-duels become frequent",
    statement: "As REX3's distribution gathers on the best arms, duels of an arm with itself, which teach \
                nothing, become frequent.",
    source: "section 3, 'Note that, ...'",
    test: "A duel (best, best) is one of an arm with itself, so its frequency bounds that of self-duels \
           from below. For anytime REX3: the share of checkpoints of the last half-decade with such a \
           duel, for each run, against one half. At first a self-duel has probability 1/K.",
    rule: "Holds if the share is above one half in every world where the run is ten times longer than the \
           onset of C4; fails if it is below in one.",
    correction: HOLM,
    figure: Some("arxiv"),
    reads: MATRICES,
    check,
};

fn check(evidence: &Evidence) -> Judgement {
    let (mut trials, mut others) = (Vec::new(), Vec::new());
    for scene in evidence.scenes(MATRICES) {
        let (Some(track), Some(onset)) = (scene.find(Role::Anytime), scene.onset(REX3_BOUND)) else {
            continue;
        };
        let Some(trial) = share(scene.world, scene.n_arms(), track) else { continue };
        if 10.0 * onset > track.horizon() as f64 {
            let why = format!(
                "too early: the bound bites from {onset:.0} on, and the run ends at {}",
                track.horizon()
            );
            others.push(Part { numbers: trial.numbers, ..Part::unjudged(scene.world, why) });
        } else {
            trials.push(trial);
        }
    }
    if trials.is_empty() {
        return Judgement {
            parts: others,
            ..Judgement::not_run("Policies `rex3` and `random`, run for long enough.")
        };
    }
    let mut parts = settle(trials);
    parts.extend(others);
    Judgement::of_all(parts, "")
}

fn share(world: &str, n_arms: usize, track: Track<'_>) -> Option<Trial> {
    let horizon = track.horizon();
    // Half a decade: the factor sqrt(10).
    let rates = track.hit_rates(horizon * 1000 / 3162, horizon);
    if rates.is_empty() {
        return None;
    }
    let test = TTest::of(&rates);
    let interval = test.interval(LEVEL);
    Some(Trial {
        name: world.to_owned(),
        holds: test.p_above(0.5),
        fails: test.p_below(0.5),
        numbers: vec![
            Number::between(
                "share of (best, best)",
                test.estimate,
                (interval.low.max(0.0), interval.high.min(1.0)),
                &format!("over the last half-decade, {INTERVAL}"),
            ),
            Number::exact("share of self-duels at first", 1.0 / n_arms as f64, "computed"),
        ],
        power: power("a share of three quarters".to_owned(), 1.0, 0.25, test, rates.len()),
        note: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::claim::synthetic::{Made, expect, judge};
    use crate::results::Series;

    fn world(found: u64) -> Vec<Series> {
        let made = |policy| Made { policy, found, noise: 0.0, ..Made::default() };
        vec![made("rex3").series(f64::sqrt), made("random").series(|t| 0.06 * t)]
    }

    #[test]
    fn trace_three_verdicts() {
        expect(&judge(&CLAIM, "arxiv", world(5000)), Verdict::Holds);
        expect(&judge(&CLAIM, "arxiv", world(200_000)), Verdict::Fails);
        let mut mixed = world(200_000);
        for (r, run) in mixed[0].runs.iter_mut().enumerate() {
            run.hit.fill(r % 2 == 0);
        }
        expect(&judge(&CLAIM, "arxiv", mixed), Verdict::Inconclusive);
        expect(&judge(&CLAIM, "gamma", world(5000)), Verdict::NotRun);
    }
}
