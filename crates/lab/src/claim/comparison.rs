//! Trials shared by the claims of several papers, one world at a time.

use super::decide::{Trial, decades, decide, less};
use super::evidence::{Evidence, WorldResults, mean};
use super::role::Role;
use super::{Judgement, Number, Part};

/// Compares a policy with each rival, at the last round that both have. Skips rivals that were not
/// run.
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

/// The test of claims that pass two policies and a share of 0.9 to [`logarithms`].
pub(super) const LOGARITHM_TEST: &str = "Logarithmic regret gains the same amount in every decade of rounds; \
     square-root regret gains sqrt(10) times the amount of the decade before. The regret gained in the last \
     decade is compared with sqrt(10) times the regret gained in the decade before (paired by run). A world \
     is judged if nine of ten runs play (best, best) when the last decade begins.";

/// The rule of these claims.
pub(super) const LOGARITHM_RULE: &str = "Holds if both policies gain significantly less than a square root \
     would in every judged world; fails if one gains significantly more. A world in which the best arm was \
     not found in time is shown but not judged.";

/// The claim that the regret of each policy grows like the logarithm of time, in every world of the
/// figures where the policy has found the best arm in time: see [`logarithm`]. `missing` is the
/// note for a claim without results.
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
/// if at least `share` of the runs play (best, best) when the last decade begins; otherwise shown
/// but not judged. None if the policy was not run for long enough.
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
    let why = format!("too early: {hits} of {n} runs play (best, best) in round {start}");
    let end = Number::exact("regret at the end", mean(&last), &format!("after {horizon} rounds"));
    Some(Err(Part { numbers: vec![end], ..Part::unjudged(name, why) }))
}
