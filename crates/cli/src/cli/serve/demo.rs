//! The demonstration: an experiment with simulated voters.

use std::sync::Arc;
use std::time::Duration;

use rand::RngExt as _;
use tiltyard::arena::arena::Duel;
use tiltyard::arena::domain::{Answer, AnswerRequest, Create, IssueRequest, NewArm, Settings};
use tiltyard::arena::id::ExperimentId;
use tiltyard::arena::{Arena, ArenaError};
use tiltyard::world::builtin::builtin_matrix;
use tiltyard::{Arm, Stream};

use super::demo_search;

const NAME: &str = "demo";

/// The source of the voters' preferences: six rankers of scientific papers, compared by clicks.
const WORLD: &str = "arxiv6";

/// The time between two duels.
const PACE: Duration = Duration::from_millis(50);

/// Votes until the server stops.
pub(super) async fn run(arena: Arc<Arena>) {
    match vote(&arena).await {
        Ok(()) => {}
        Err(error) => tracing::warn!(%error, "the simulated voters have stopped"),
    }
}

async fn vote(arena: &Arena) -> Result<(), ArenaError> {
    let matrix = builtin_matrix(WORLD).expect("the world is built in");
    let id = experiment(arena, matrix.n_arms()).await?;
    tracing::info!(experiment = %id, name = NAME, world = WORLD, "simulated voters are voting");
    let search = demo_search::experiment(arena).await?;
    tracing::info!(experiment = %search, path = format!("/search/{search}"), "a search page is ready to try");
    let mut rng = Stream::new(1).label("demo").rng();
    let mut turns = tokio::time::interval(PACE);
    loop {
        turns.tick().await;
        let duels = arena.issue(id, &IssueRequest::default())?.wait().await?;
        for Duel { id, drawn } in duels {
            let (left, right) = drawn.sides();
            let answer = match rng.random_range(0..100) {
                0..3 => continue, // The voter leaves without an answer.
                3..5 => Answer::Skip,
                5..10 => Answer::Tie,
                10..12 => Answer::BothBad,
                _ if rng.random::<f64>() < matrix.get(left, right) => Answer::Left,
                _ => Answer::Right,
            };
            let voter = Some(format!("voter {}", rng.random_range(1..=20)));
            let _ = arena.answer(id, &AnswerRequest { answer, voter, said: None })?.wait().await?;
        }
    }
}

/// The experiment of an earlier demonstration, or a new one.
async fn experiment(arena: &Arena, n_arms: usize) -> Result<ExperimentId, ArenaError> {
    for id in arena.experiments() {
        if arena.peek(id, |experiment| experiment.name() == NAME)? {
            return Ok(id);
        }
    }
    let arm = |arm: Arm| NewArm {
        name: format!("ranker-{}", arm.index() + 1),
        label: Some(format!("Ranker {}", arm.index() + 1)),
        payload: None,
    };
    let create = Create {
        name: NAME.to_owned(),
        arms: Arm::all(n_arms).map(arm).collect(),
        policy: "rex3".to_owned(),
        settings: Settings { expires_after: 60, ..Settings::default_for(true) },
        distinct_by_policy: true,
    };
    arena.create(create)?.wait().await
}
