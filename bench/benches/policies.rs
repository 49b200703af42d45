//! Every policy of the registry, timed by criterion:
//! `cargo bench -p tiltyard-bench --bench policies [-- FILTER]`.
//!
//! Ids name the policy, what is timed, and the size: `rex3/update/arms=1024`.

use std::hint::black_box;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, criterion_group, criterion_main};
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::Policy;
use tiltyard_bandit::policy::registry::{self, Visitor};
use tiltyard_bandit::{Outcome, Stream, Ticket};
use tiltyard_bench::{TimedWorld, line_up, navigational};
use tiltyard_world::builtin::builtin_matrix;
use tiltyard_world::{MatrixWorld, World};

/// Rounds played before anything is timed.
const WARM_UP: u64 = 2000;

/// Tickets that `update` learns from, one after another.
const N_TICKETS: usize = 1024;

fn policies(criterion: &mut Criterion) {
    let six = builtin_matrix("arxiv6").expect("a built-in matrix");
    in_world(criterion, &MatrixWorld::new(six));
    in_world(criterion, &navigational().0);
    in_world(criterion, TimedWorld::bernoulli(1024).world());
}

fn in_world<W: World>(criterion: &mut Criterion, world: &W) {
    let context = Context { n_arms: world.n_arms(), horizon: Some(1_000_000) };
    for spec in line_up() {
        let mut group = criterion.benchmark_group(spec.to_string());
        let mut rng = Stream::new(1).label("setup").rng();
        registry::visit(&spec, context, &mut rng, Timer { group: &mut group, world })
            .expect("every policy of the line-up can be built");
        group.finish();
    }
}

/// Times the policy that the registry passes to it.
struct Timer<'a, 'b, W: World> {
    group: &'a mut BenchmarkGroup<'b, WallTime>,
    world: &'a W,
}

impl<W: World> Visitor for Timer<'_, '_, W> {
    type Output = ();

    fn visit<P: Policy + 'static>(self, mut policy: P, _: Vec<(&'static str, String)>) {
        let Self { group, world } = self;
        let id = |what| BenchmarkId::new(what, format_args!("arms={}", world.n_arms()));
        let binary = policy.info().binary;
        let mut rng = Stream::new(1).rng();
        let mut world_rng = Stream::new(2).rng();
        let mut state = world.start();
        let mut duel = |ticket: &Ticket| {
            let outcome = world.duel(&mut state, ticket.round, ticket.left, ticket.right, &mut world_rng);
            let outcome = outcome.expect("the worlds measured always answer");
            if binary { outcome.to_binary(&mut world_rng) } else { outcome }
        };
        for _ in 0..WARM_UP {
            let ticket = policy.decide(&mut rng);
            policy.update(&ticket, duel(&ticket));
        }

        group.bench_function(id("propose"), |bencher| bencher.iter(|| policy.propose(&mut rng)));

        // Each ticket is learned with its outcome and, on the next pass, with the opposite one. So
        // weights stay where they are, however long the measurement takes.
        let mut lessons: Vec<(Ticket, Outcome)> = (0..N_TICKETS)
            .map(|_| {
                let ticket = policy.propose(&mut rng);
                (ticket, duel(&ticket))
            })
            .collect();
        let mut learner = policy.clone();
        let mut next = 0;
        group.bench_function(id("update"), |bencher| {
            bencher.iter(|| {
                let (ticket, outcome) = &mut lessons[next];
                learner.update(black_box(ticket), *outcome);
                *outcome = outcome.flipped();
                next = (next + 1) % N_TICKETS;
            });
        });

        group.bench_function(id("round"), |bencher| {
            bencher.iter(|| {
                let ticket = policy.decide(&mut rng);
                policy.update(&ticket, duel(&ticket));
            });
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(30)
        .without_plots();
    targets = policies
}
criterion_main!(benches);
