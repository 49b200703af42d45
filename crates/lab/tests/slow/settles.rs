//! Checks that each policy settles as its metadata says. The test covers the whole registry,
//! including any new policy.

use core::ops::ControlFlow;

use tiltyard_bandit::Spec;
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::registry::{self, Visitor};
use tiltyard_bandit::policy::{Info, Policy, Settles};
use tiltyard_lab::{Run, RunConfig, Streams, run};
use tiltyard_world::builtin::builtin_matrix;
use tiltyard_world::{MatrixWorld, Regret, World};

const ROUNDS: u64 = 200_000;
const RUNS: u64 = 20;

/// The form of a policy that can settle within these rounds on SAVAGE-6, where the smallest gap is
/// 1/6. Policies without a special form use their defaults.
fn form(info: &Info) -> Spec {
    match info.name {
        // With the radius of its paper it eliminates nothing before about 60,000 duels per arm.
        "btm" => "btm:gamma=1,radius=1/2",
        // With its paper's rates it explores for N^2 ln N rounds.
        "feedexp3" => "feedexp3:schedule=link",
        // With the rates for T = 20,000 it is still learning, so the growth from there is not its
        // final growth.
        "dexp3" => "dexp3:schedule=anytime",
        name => name,
    }
    .parse()
    .unwrap()
}

struct PlayOnce<'a> {
    world: &'a MatrixWorld,
    regret: Regret,
    spec: &'a Spec,
    streams: Streams,
    checkpoints: [u64; 2],
}

impl Visitor for PlayOnce<'_> {
    type Output = Run;

    fn visit<P: Policy + 'static>(self, mut policy: P, _: Vec<(&'static str, String)>) -> Run {
        let Self { world, regret, spec, streams, checkpoints } = self;
        let gaps = world.gaps(regret).unwrap();
        let order = streams.order(world.n_arms());
        let config = RunConfig { world, regret, gaps: &gaps, order: Some(&order), checkpoints: &checkpoints };
        let rngs = (&mut streams.policy(spec).rng(), &mut streams.world().rng());
        run(&mut policy, &config, rngs, |_| ControlFlow::Continue(()))
    }
}

/// Results of a policy, as means over runs.
struct Measured {
    /// Regret after nine tenths of the rounds.
    late: f64,
    /// Regret at the end.
    end: f64,
    /// The share of runs that end on (best, best).
    hits: f64,
}

/// Plays a policy. It knows the horizon if it needs it.
fn measure(spec: &Spec, regret: &str, rounds: u64) -> Measured {
    let world = MatrixWorld::new(builtin_matrix("savage6").unwrap());
    let regret = regret.parse().unwrap();
    let mut measured = Measured { late: 0.0, end: 0.0, hits: 0.0 };
    for number in 0..RUNS {
        let streams = Streams::of(6, number);
        let context = Context { n_arms: world.n_arms(), horizon: Some(rounds) };
        let visitor =
            PlayOnce { world: &world, regret, spec, streams, checkpoints: [rounds / 10 * 9, rounds] };
        let curve = registry::visit(spec, context, &mut streams.setup(spec).rng(), visitor).unwrap();
        measured.late += curve.regret[0] / RUNS as f64;
        measured.end += curve.regret[1] / RUNS as f64;
        measured.hits += f64::from(u8::from(curve.hit[1])) / RUNS as f64;
    }
    measured
}

/// The regret of random play per round on SAVAGE-6.
const RANDOM: f64 = 0.2778;

#[test]
fn stat_policies_settle_as_they_say() {
    let mut failures = Vec::new();
    for info in registry::all() {
        let spec = form(&info);
        let regret = if info.settles == Settles::OneSlot { "weak" } else { "condorcet" };
        let Measured { late, end, hits } = measure(&spec, regret, ROUNDS);
        // Regret in the last tenth as a share of the regret of random play there, and the exponent
        // of growth between two horizons.
        let last = (end - late) / (ROUNDS as f64 / 10.0 * RANDOM);
        let growth = (end / measure(&spec, regret, ROUNDS / 10).end).log10();
        let holds = match info.settles {
            // Flat: at most 2 % (Doubler's regret grows like ln^2 T), and nearly all runs end on
            // (best, best).
            Settles::Pair => last < 0.02 && hits >= 0.9,
            Settles::OneSlot => last < 0.02,
            // The exponent is 1/2 in the limit. The range allows for the way there, and for T^(2/3)
            // of FeedExp3.
            Settles::Sqrt => (0.3..0.75).contains(&growth) && last < 0.25,
            Settles::Never => (0.95..1.05).contains(&growth),
        };
        if !holds {
            failures.push(format!(
                "{spec} claims {:?}: last tenth {last:.4} of random play, growth T^{growth:.2}, {hits} of runs on the best pair",
                info.settles
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
