//! Trials that claims of several papers have in common, world by world.

use super::decide::{Trial, decades, decide, less};
use super::evidence::{Evidence, WorldResults, mean};
use super::role::Role;
use super::{Judgement, Number, Part};

/// A policy against each of some rivals, at the last round that both have. Rivals that were not run
/// are left out.
pub(super) fn against(world: &WorldResults<'_>, ours: Role, rivals: &[Role], worth: f64) -> Vec<Trial> {
    let trial = |&rival: &Role| {
        let (round, [better, worse]) = world.at_end([ours, rival])?;
        Some(less(
            format!("{}, T = {round}: {} against {}", world.name, ours.name(), rival.name()),
            (ours.name(), &better),
            (rival.name(), &worse),
            worth,
        ))
    };
    rivals.iter().filter_map(trial).collect()
}

/// How [`logarithms`] tests two policies of which nine of ten runs must have found the best arm.
pub(super) const LOGARITHM_TEST: &str = "A logarithm gains as much in every decade, a square root sqrt(10) times as much as in the decade before. The \
     regret gained in the last decade is compared with sqrt(10) times that of the decade before (paired by \
     run), where nine of ten runs play (best, best) when the last decade begins.";

/// When such a claim holds.
pub(super) const LOGARITHM_RULE: &str = "Holds if both gain less than a square root would in every such world; fails if one gains more. A world in which the \
     best arm was not found by then is shown but not judged.";

/// The claim that the regret of each of these policies grows like the logarithm of time, in every
/// world of these figures in which it has found the best arm by then: see [`logarithm`]. `missing`
/// says what is needed.
pub(super) fn logarithms(
    evidence: &Evidence,
    figures: &[&str],
    roles: &[Role],
    share: f64,
    missing: &str,
) -> Judgement {
    let (mut trials, mut others) = (Vec::new(), Vec::new());
    for world in evidence.worlds(figures) {
        for outcome in roles.iter().filter_map(|&role| logarithm(&world, role, share)) {
            match outcome {
                Ok(trial) => trials.push(trial),
                Err(part) => others.push(part),
            }
        }
    }
    decide(trials, others, missing, "")
}

/// Whether a policy's regret grows more slowly than a square root in the last two decades. Judged
/// if it plays (best, best) in a share of the runs when the last decade begins; else it is shown
/// but not judged. None if it was not run for long enough.
fn logarithm(world: &WorldResults<'_>, role: Role, share: f64) -> Option<Result<Trial, Part>> {
    let series = world.find(role)?;
    let name = format!("{}: {}", world.name, role.name());
    let horizon = series.horizon();
    let [first, start] = [horizon / 100, horizon / 10];
    let [Some(first), Some(middle), Some(last)] =
        [first, start, horizon].map(|round| series.regret_at(round))
    else {
        return None;
    };
    let (hits, n) = series.hits(start)?;
    if hits as f64 >= share * n as f64 {
        return Some(Ok(decades(name, &first, &middle, &last)));
    }
    let why = format!("too early: {hits} of {n} runs play (best, best) at {start}");
    let end = Number::exact("regret at the end", mean(&last), &format!("after {horizon} rounds"));
    Some(Err(Part { numbers: vec![end], ..Part::unjudged(name, why) }))
}
