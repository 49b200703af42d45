//! One run of a continuous policy.

use core::ops::ControlFlow;

use rand::Rng;
use tiltyard_bandit::continuous::{ContinuousPolicy, ContinuousTicket};
use tiltyard_world::{ContinuousWorld, PointWorld, World as _};

use crate::engine::poll_interval::PollInterval;
use crate::engine::run::Run;

/// Plays a continuous policy, as [`run`](crate::run()) plays a policy over arms. No pair of points
/// ever counts as (best, best).
///
/// # Panics
///
/// If the policy and the world have different numbers of dimensions.
pub fn run_continuous<P: ContinuousPolicy, R: Rng>(
    policy: &mut P,
    world: &PointWorld,
    checkpoints: &[u64],
    (policy_rng, world_rng): (&mut R, &mut R),
    mut tick: impl FnMut(u64) -> ControlFlow<()>,
) -> Run {
    let mut played = Run::new(world.best(), checkpoints.len());
    let PointWorld(world) = world;
    assert_eq!(policy.dimension(), world.dimension(), "the policy and the world have the same dimensions");
    let binary = policy.info().binary;
    let mut ticket = ContinuousTicket::blank(policy.dimension());
    let mut interval = PollInterval::new();
    let (mut sum, mut round) = (0.0, 0);
    for &checkpoint in checkpoints {
        while round < checkpoint {
            let start = round;
            let end = interval.end(round, checkpoint);
            while round < end {
                round += 1;
                policy.decide_into(policy_rng, &mut ticket);
                let outcome = world.duel(&ticket.left, &ticket.right, world_rng);
                sum += world.regret(&ticket.left, &ticket.right);
                policy.update(&ticket, if binary { outcome.to_binary(world_rng) } else { outcome });
            }
            interval.lap();
            if tick(round - start).is_break() {
                return played;
            }
        }
        played.record(sum, false);
    }
    played
}

#[cfg(test)]
mod tests {
    use tiltyard_bandit::Stream;
    use tiltyard_bandit::continuous::registry;
    use tiltyard_world::LinearRankerWorld;
    use tiltyard_world::linear_ranker::Utility;

    use super::*;

    const GO_ON: fn(u64) -> ControlFlow<()> = |_| ControlFlow::Continue(());

    /// Ten dimensions, the strictly concave utility, the paper's steps. The regret of the last
    /// tenth of the rounds is below a quarter of the regret of the first tenth. In single runs the
    /// ratio was 0.08 to 0.19.
    #[test]
    fn stat_dbgd_learns_a_linear_ranker() {
        let rounds = 100_000;
        let (mut first, mut last) = (0.0, 0.0);
        for run in 0..4 {
            let world = LinearRankerWorld::new(10, Utility::Squared, 4.0, run).unwrap();
            let mut policy = registry::build(&"dbgd:dims=10".parse().unwrap(), Some(rounds)).unwrap().policy;
            let stream = Stream::new(2009).index(run);
            let rngs = (&mut stream.label("policy").rng(), &mut stream.label("world").rng());
            let checkpoints = [rounds / 10, rounds / 10 * 9, rounds];
            let regret = run_continuous(&mut policy, &PointWorld(world), &checkpoints, rngs, GO_ON).regret;
            first += regret[0];
            last += regret[2] - regret[1];
        }
        assert!(last < first / 4.0, "{last} against {first}");
    }

    /// The function equals the loop written out, and regret is summed over all rounds up to a
    /// checkpoint.
    #[test]
    fn trace_the_loop() {
        let world = LinearRankerWorld::new(2, Utility::Distance, 4.0, 1).unwrap();
        let spec = "dbgd:dims=2,delta=0.3,gamma=0.1".parse().unwrap();
        let mut policy = registry::build(&spec, None).unwrap().policy;
        let mut plain = policy.clone();
        let rngs = || (Stream::new(1).label("policy").rng(), Stream::new(1).label("world").rng());
        let (mut a, mut b) = rngs();
        let rngs_in_use = (&mut a, &mut b);
        let points = PointWorld(world.clone());
        let run = run_continuous(&mut policy, &points, &[1, 5, 5, 30], rngs_in_use, GO_ON);
        let (mut a, mut b) = rngs();
        let (mut sum, mut wanted) = (0.0, Vec::new());
        for round in 1..=30 {
            let ticket = plain.decide(&mut a);
            sum += world.regret(&ticket.left, &ticket.right);
            let outcome = world.duel(&ticket.left, &ticket.right, &mut b);
            plain.update(&ticket, outcome);
            if [1, 5, 30].contains(&round) {
                wanted.push(sum);
            }
        }
        wanted.insert(2, wanted[1]);
        assert_eq!((policy, run.regret, run.hit), (plain, wanted, vec![false; 4]));
    }
}
