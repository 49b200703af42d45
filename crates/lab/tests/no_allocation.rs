//! Nothing allocates inside the loop: once a policy has been built, rounds make no allocations.
//!
//! This is a program without a test harness. The allocator counts for the whole process, and a
//! harness has threads and messages of its own.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test without a harness")]

use core::ops::ControlFlow;
use std::alloc::System;

use rand::Rng;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tiltyard_bandit::matrix::PreferenceMatrix;
use tiltyard_bandit::params::{Context, ParamError};
use tiltyard_bandit::policy::registry::{self, BuildError, Visitor};
use tiltyard_bandit::policy::rex3::{Options, Schedule};
use tiltyard_bandit::policy::{Info, Policy, Rex3};
use tiltyard_bandit::{Arm, Draw, Outcome, Spec, Stream, Ticket};
use tiltyard_lab::{LateRngs, RunConfig, run, run_late};
use tiltyard_world::{Delivery, MatrixWorld, World};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const SIZES: [usize; 5] = [1, 2, 6, 136, 1024];

/// Rounds before counting starts.
const WARM_UP: u64 = 100;

/// Rounds counted.
const ROUNDS: u64 = 10_000;

fn main() {
    the_allocator_is_counted();
    for n_arms in SIZES {
        // Every arm beats those after it.
        let world = MatrixWorld::new(PreferenceMatrix::from_fn(n_arms, |_, _| 0.7).unwrap());
        for spec in registry::all().flat_map(|info| variants(&info)) {
            let context = Context { n_arms, horizon: Some(WARM_UP + ROUNDS) };
            let visitor = Player { spec: &spec, world: &world };
            let built = registry::visit(&spec, context, &mut Stream::new(1).label("setup").rng(), visitor);
            match built {
                // This word needs another player than the default.
                Ok(()) | Err(BuildError::Param(ParamError::Idle { .. })) => {}
                Err(error) => panic!("`{spec}` with {n_arms} arms: {error}"),
            }
        }
        rex3_makes_its_weights_anew(&world);
        rex3_finds_a_new_reference(n_arms);
        late_runs_make_room_once(&world);
    }
    println!("test nothing_allocates_inside_the_loop ... ok");
}

/// Checks that allocations are counted at all. Otherwise this test would always pass.
fn the_allocator_is_counted() {
    let region = Region::new(GLOBAL);
    let mut numbers = std::hint::black_box(vec![0u8]);
    numbers.extend([0; 1000]);
    drop(std::hint::black_box(numbers));
    let change = region.change();
    assert!(change.allocations > 0 && change.reallocations > 0, "{change:?}");
}

/// The policy with its defaults, and with each word of each parameter whose legal values are words:
/// every schedule of `rex3`, every player of `sparring`.
fn variants(info: &Info) -> Vec<Spec> {
    let is_word = |text: &str| text.starts_with(|c: char| c.is_ascii_lowercase()) && !text.contains(' ');
    let mut texts = vec![info.name.to_owned()];
    for param in info.params {
        let words: Vec<_> = param.legal.split(", ").collect();
        if words.len() > 1 && words.iter().all(|word| is_word(word)) {
            texts.extend(words.iter().map(|word| format!("{}:{}={word}", info.name, param.key)));
        }
    }
    texts.iter().map(|text| text.parse().expect("names and words can be typed")).collect()
}

/// Runs `what` and checks that it makes no allocations.
fn count(what: impl FnOnce(), named: impl FnOnce() -> String) {
    let region = Region::new(GLOBAL);
    what();
    let change = region.change();
    assert_eq!((change.allocations, change.reallocations, change.deallocations), (0, 0, 0), "{}", named());
}

fn rounds<P: Policy, R: Rng>(policy: &mut P, world: &MatrixWorld, n: u64, rngs: &mut [R; 2]) {
    let binary = policy.info().binary;
    let [policy_rng, world_rng] = rngs;
    let mut state = world.start();
    for _ in 0..n {
        let ticket = policy.decide(policy_rng);
        let outcome = world.duel(&mut state, ticket.round, ticket.left, ticket.right, world_rng);
        let outcome = outcome.expect("a matrix always answers");
        let outcome = if binary { outcome.to_binary(world_rng) } else { outcome };
        policy.update(&ticket, outcome);
    }
}

/// Plays the policy that the registry passes to it.
struct Player<'a> {
    spec: &'a Spec,
    world: &'a MatrixWorld,
}

impl Visitor for Player<'_> {
    type Output = ();

    fn visit<P: Policy + 'static>(self, mut policy: P, _: Vec<(&'static str, String)>) {
        let Self { spec, world } = self;
        let named = || format!("`{spec}` with {} arms", world.n_arms());
        let fresh = policy.clone();
        let mut rngs = [1, 2].map(|seed| Stream::new(seed).rng());
        rounds(&mut policy, world, WARM_UP, &mut rngs);
        count(|| rounds(&mut policy, world, ROUNDS, &mut rngs), named);

        // The lab's own loop allocates its curve before the first round, and nothing after that,
        // however long the run is.
        let [short, long] = [1, 1000].map(|rounds| allocations_of_a_run(fresh.clone(), world, rounds));
        assert_eq!(short, long, "{} in the lab's loop", named());
    }
}

fn allocations_of_a_run<P: Policy>(mut policy: P, world: &MatrixWorld, rounds: u64) -> usize {
    let regret = world.natural_regret();
    let gaps = world.gaps(regret).expect("a world can measure its natural regret");
    let order: Vec<Arm> = Arm::all(world.n_arms()).collect();
    let config = RunConfig { world, regret, gaps: &gaps, order: Some(&order), checkpoints: &[rounds] };
    let [mut policy_rng, mut world_rng] = [1, 2].map(|seed| Stream::new(seed).rng());
    let region = Region::new(GLOBAL);
    let curve = run(&mut policy, &config, (&mut policy_rng, &mut world_rng), |_| ControlFlow::Continue(()));
    let change = region.change();
    drop(curve);
    change.allocations + change.reallocations
}

/// A late run allocates room for duels under way at the start, however long it is.
fn late_runs_make_room_once(world: &MatrixWorld) {
    for wrappers in [
        "+delayed:rounds=20",
        "+delayed:mean=5",
        "+batched:size=30+lossy:share=0.2",
        "+nodes:count=3,stale=20+delayed:mean=4,law=uniform",
    ] {
        let (_, delivery) = Delivery::split(wrappers, 1000).unwrap();
        let [short, long] = [200, 2000].map(|rounds| allocations_of_a_late_run(&delivery, world, rounds));
        assert_eq!(short, long, "{wrappers} with {} arms", world.n_arms());
    }
}

fn allocations_of_a_late_run(delivery: &Delivery, world: &MatrixWorld, rounds: u64) -> usize {
    let regret = world.natural_regret();
    let gaps = world.gaps(regret).expect("a world can measure its natural regret");
    let config = RunConfig { world, regret, gaps: &gaps, order: None, checkpoints: &[rounds] };
    let context = Context { n_arms: world.n_arms(), horizon: None };
    let [mut policy, mut answers, mut on_the_way] = [1, 2, 3].map(|seed| Stream::new(seed).rng());
    let build = |_| registry::build(&"rex3".parse().unwrap(), context, &mut Stream::new(4).rng()).unwrap();
    let mut nodes: Vec<_> = (0..delivery.nodes()).map(build).collect();
    let rngs = LateRngs { policy: &mut policy, world: &mut answers, delivery: &mut on_the_way };
    let region = Region::new(GLOBAL);
    let curve = run_late(&mut nodes, &config, delivery, rngs, &mut |_| ControlFlow::Continue(()));
    let change = region.change();
    drop(curve);
    change.allocations + change.reallocations
}

/// tau of the default schedule.
const TAU: f64 = core::f64::consts::E / 2.0;

fn rex3(n_arms: usize, schedule: Schedule, guard: bool) -> Rex3 {
    Rex3::with(n_arms, Options { schedule, guard, ..Options::default() }).expect("legal options")
}

/// Late enough that gamma falls even for 1024 arms, and across the start of an epoch (round
/// 65,536). A fall of 1 % makes all weights anew; an epoch forgets them.
fn rex3_makes_its_weights_anew(world: &MatrixWorld) {
    for schedule in [
        Schedule::DualAveraging { tau: TAU },
        Schedule::Literal { tau: TAU },
        Schedule::Epochs { tau: TAU },
        Schedule::Fixed { gamma: 0.1 },
    ] {
        let n_arms = world.n_arms();
        let mut policy = rex3(n_arms, schedule, true);
        policy.warm_start(60_000, vec![0.0; n_arms]).expect("finite sums, one per arm");
        let before = policy.gamma();
        let mut rngs = [1, 2].map(|seed| Stream::new(seed).rng());
        count(
            || rounds(&mut policy, world, ROUNDS, &mut rngs),
            || format!("{schedule:?} with {n_arms} arms, late"),
        );
        let fell = policy.gamma() < before;
        assert_eq!(fell, !matches!(schedule, Schedule::Fixed { .. }), "{schedule:?} with {n_arms} arms");
    }
}

/// Outcomes that raise one arm's log-weight by far more than 300 and lower it again, so that the
/// reference must move up and down.
fn rex3_finds_a_new_reference(n_arms: usize) {
    // Self-duels count too, so that a single arm has something to learn.
    let mut policy = rex3(n_arms, Schedule::Fixed { gamma: 0.5 }, false);
    // With this probability each answer moves a log-weight by 1.
    let p = 0.25 / n_arms as f64;
    let ticket = Ticket {
        round: 1,
        left: Arm::new(0),
        right: Arm::new(n_arms - 1),
        rate: 0.5 / n_arms as f64,
        epoch: 0,
        draw: Draw::Slots { left: p, right: p, z: 1.0 },
    };
    for outcome in [Outcome::LOSS, Outcome::WIN, Outcome::LOSS] {
        let before = policy.log_weights();
        count(
            || (0..2000).for_each(|_| policy.update(&ticket, outcome)),
            || format!("a new reference with {n_arms} arms"),
        );
        let moved = policy.log_weights()[n_arms - 1] - before[n_arms - 1];
        assert!((moved + 2000.0 * outcome.score()).abs() < 1e-6, "{moved} with {n_arms} arms");
    }
    assert!(policy.distribution().iter().all(|p| p.is_finite()));
}
