//! Trials that claims of several papers have in common, world by world.

use super::decide::{Contest, Trial, decades};
use super::evidence::{Scene, mean};
use super::role::Role;
use super::{Number, Part};

/// A policy against each of some rivals, at the last round that both have. Rivals that were not run are left out.
pub(super) fn against(scene: &Scene<'_>, ours: Role, rivals: &[Role], worth: f64) -> Vec<Trial> {
    let trial = |&rival: &Role| {
        let round = scene.horizon(&[ours, rival])?;
        let regret = |role| scene.find(role)?.regret(round);
        let contest = Contest {
            name: format!("{}, T = {round}: {} against {}", scene.world, ours.name(), rival.name()),
            better: (ours.name(), regret(ours)?),
            worse: (rival.name(), regret(rival)?),
            worth,
        };
        Some(contest.trial())
    };
    rivals.iter().filter_map(trial).collect()
}

/// Whether a policy's regret grows more slowly than a square root in the last two decades. Judged if it plays (best, best) in a share of the
/// runs when the last decade begins; else it is shown but not judged. None if it was not run for long enough.
pub(super) fn logarithm(scene: &Scene<'_>, role: Role, share: f64) -> Option<Result<Trial, Part>> {
    let track = scene.find(role)?;
    let name = format!("{}: {}", scene.world, role.name());
    let horizon = track.horizon();
    let [first, start] = [horizon / 100, horizon / 10];
    let [Some(first), Some(middle), Some(last)] = [first, start, horizon].map(|round| track.regret(round))
    else {
        return None;
    };
    let (hits, n) = track.hits(start)?;
    if hits as f64 >= share * n as f64 {
        return Some(Ok(decades(name, &first, &middle, &last)));
    }
    let why = format!("too early: {hits} of {n} runs play (best, best) at {start}");
    let end = Number::exact("regret at the end", mean(&last), &format!("after {horizon} rounds"));
    Some(Err(Part { numbers: vec![end], ..Part::unjudged(name, why) }))
}
