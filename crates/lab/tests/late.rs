//! Late outcomes and several nodes. If nothing is late, nothing changes. Policies that cannot play
//! with late outcomes or on several nodes are refused.

#![expect(clippy::unwrap_used, reason = "a test that cannot unwrap has failed")]

use core::ops::ControlFlow;

use tiltyard_bandit::Spec;
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::Policy;
use tiltyard_bandit::policy::registry::{self, Visitor};
use tiltyard_lab::play::{EntryError, Job, PlayError, Progress, Report, play};
use tiltyard_lab::{LateRngs, Run, RunConfig, Streams, run, run_late};
use tiltyard_world::{AnyWorld, Delivery, World, builtin};

const CHECKPOINTS: [u64; 3] = [10, 200, 1500];

struct Prompt<'a> {
    spec: &'a Spec,
    config: &'a RunConfig<'a, AnyWorld>,
    streams: Streams,
}

impl Visitor for Prompt<'_> {
    type Output = Run;

    fn visit<P: Policy + 'static>(self, mut policy: P, _: Vec<(&'static str, String)>) -> Run {
        let rngs = (&mut self.streams.policy(self.spec).rng(), &mut self.streams.world().rng());
        run(&mut policy, self.config, rngs, |_| ControlFlow::Continue(()))
    }
}

/// The runs of a policy in a world with wrappers: with the prompt loop, and with the late one.
fn both(spec: &str, world: &str) -> [Run; 2] {
    let spec: &Spec = &spec.parse().unwrap();
    let (world, delivery) = Delivery::split(world, 1500).unwrap();
    let world = builtin::open(world, 1500).unwrap();
    let regret = world.natural_regret();
    let gaps = world.gaps(regret).unwrap();
    let streams = Streams::of(5, 3);
    let order = streams.order(world.n_arms());
    let config =
        RunConfig { world: &world, regret, gaps: &gaps, order: Some(&order), checkpoints: &CHECKPOINTS };
    let context = Context { n_arms: world.n_arms(), horizon: Some(1500) };
    let setup = || streams.setup(spec).rng();
    let prompt = registry::visit(spec, context, &mut setup(), Prompt { spec, config: &config, streams });
    let mut nodes: Vec<_> =
        (0..delivery.nodes()).map(|_| registry::build(spec, context, &mut setup()).unwrap()).collect();
    let rngs = LateRngs {
        policy: &mut streams.policy(spec).rng(),
        world: &mut streams.world().rng(),
        delivery: &mut streams.delivery().rng(),
    };
    [prompt.unwrap(), run_late(&mut nodes, &config, &delivery, rngs, &mut |_| ControlFlow::Continue(()))]
}

/// Bit for bit, for every policy, in a world of wins and losses and in one of graded answers.
#[test]
fn law_no_delay_is_the_prompt_loop() {
    for info in registry::all() {
        for world in ["arxiv6", "beta10", "arxiv6+delayed:mean=0+batched:size=1"] {
            let [prompt, late] = both(info.name, world);
            assert_eq!(prompt, late, "{} in {world}", info.name);
        }
    }
}

/// Nodes that know everything at once play like one.
#[test]
fn law_nodes_that_are_not_stale_are_one() {
    let mut tried = 0;
    for info in registry::all() {
        let job = job("arxiv6+nodes:count=3,stale=0", info.name);
        if let Err(PlayError::Policy(EntryError::NotAdditive { .. })) = play(&job, &Progress::default()) {
            continue;
        }
        tried += 1;
        for world in ["arxiv6+nodes:count=3,stale=0", "beta10+nodes:count=16,stale=0"] {
            let [prompt, late] = both(info.name, world);
            assert_eq!(prompt, late, "{} in {world}", info.name);
        }
    }
    assert!(tried >= 4, "rex3, sparring, rucb and feedexp3 are additive");
}

/// Nothing panics in a policy that may be delayed. Policies that learn from the first duel on play
/// differently.
#[test]
fn law_late_outcomes_change_the_run_and_nothing_breaks() {
    let world = "arxiv6+delayed:mean=20+batched:size=7+lossy:share=0.3";
    let mut refused = 0;
    for info in registry::all() {
        if let Err(PlayError::Policy(EntryError::Sequential { .. })) =
            play(&job(world, info.name), &Progress::default())
        {
            refused += 1;
            continue;
        }
        let [prompt, late] = both(info.name, world);
        if ["rex3", "sparring", "rucb"].contains(&info.name) {
            assert_ne!(prompt.regret, late.regret, "{}", info.name);
        }
        // 1500 draws at 0.3 have mean 450 and standard deviation 18. Four standard deviations are
        // allowed.
        assert!((450u64.abs_diff(late.supply.unanswered)) < 72, "{:?}", late.supply);
        assert_eq!(prompt.supply.unanswered, 0);
    }
    assert_eq!(refused, 3, "wsw, wss and btw need each outcome at once");
}

fn job(world: &str, policy: &str) -> Job {
    Job {
        world: world.to_owned(),
        policies: vec![policy.parse().unwrap()],
        lenient: false,
        checkpoints: CHECKPOINTS.to_vec(),
        runs: 3,
        seed: 1,
        regret: None,
    }
}

fn regrets(report: &Report) -> &[f64] {
    &report.policies[0].regret.mean
}

/// Wrappers that change nothing give the numbers of the bare world through `play` too. The others
/// do not.
#[test]
fn law_play_knows_wrappers() {
    let at = |world: &str| play(&job(world, "rex3"), &Progress::default()).unwrap();
    let bare = at("arxiv6");
    for same in ["+delayed:rounds=0", "+lossy:share=0", "+nodes:count=1", "+nodes:count=5,stale=0"] {
        assert_eq!(regrets(&at(&format!("arxiv6{same}"))), regrets(&bare), "{same}");
    }
    for other in ["+delayed:rounds=1", "+lossy", "+nodes:count=2,stale=1", "+batched"] {
        assert_ne!(regrets(&at(&format!("arxiv6{other}"))), regrets(&bare), "{other}");
    }
}

#[test]
fn trace_what_is_not_additive_cannot_be_several_nodes() {
    for policy in ["btm", "rex3:schedule=epochs", "savage"] {
        let error = play(&job("arxiv6+nodes:count=2,stale=0", policy), &Progress::default()).unwrap_err();
        assert!(
            matches!(error, PlayError::Policy(EntryError::NotAdditive { nodes: 2, .. })),
            "{policy}: {error}"
        );
    }
    play(&job("arxiv6+nodes:count=1", "btm"), &Progress::default()).unwrap();
}
