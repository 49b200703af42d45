use tiltyard_bandit::Spec;
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::{Origin, Seeded, Ties};
use tiltyard_world::MatrixWorld;
use tiltyard_world::builtin::builtin_matrix;

use super::*;
use crate::Progress;
use crate::engine::play::{Job, PolicyReport, play, play_matrix};

const CHECKPOINTS: [u64; 3] = [10, 500, 2000];

fn job(world: &str, policy: &str) -> Job {
    Job {
        world: world.to_owned(),
        policies: vec![policy.parse().unwrap()],
        lenient: false,
        checkpoints: CHECKPOINTS.to_vec(),
        runs: 3,
        seed: 7,
        regret: None,
    }
}

fn config() -> SessionConfig {
    SessionConfig { checkpoints: CHECKPOINTS.to_vec(), seed: 7, regret: None }
}

fn check(sessions: &Sessions, policy: &str, report: &PolicyReport) {
    let spec: Spec = policy.parse().unwrap();
    for run in 0..3 {
        let context = Context { n_arms: sessions.n_arms(), horizon: None };
        let mut policy =
            Seeded::new(&spec, context, Origin { seed: 7, run: Some(run) }, Ties::Refused).unwrap();
        let mut session = sessions.begin(run, policy.policy().info().binary);
        while !session.is_over() {
            let ticket = policy.decide().unwrap();
            match session.duel(ticket.left, ticket.right).unwrap() {
                Some(outcome) => policy.update(&ticket, outcome).unwrap(),
                None => policy.policy_mut().void(&ticket).unwrap(),
            }
        }
        let played = &report.series.runs[usize::try_from(run).unwrap()];
        assert_eq!(session.run(), played, "{spec}, run {run}");
        assert!(matches!(session.duel(Arm::new(0), Arm::new(0)), Err(SessionError::Over { rounds: 2000 })));
    }
}

/// A world of wins, one of ties that a coin must break, and one that changes.
#[test]
fn law_a_session_is_a_run() {
    for world in ["arxiv6", "bernoulli10", "waves10"] {
        for policy in ["rex3", "rucb", "selfsparring"] {
            let report = play(&job(world, policy), &Progress::default()).unwrap();
            check(&Sessions::new(world, config()).unwrap(), policy, &report.policies[0]);
        }
    }
}

#[test]
fn law_a_matrix_at_hand_plays_like_the_same_by_name() {
    let world = MatrixWorld::new(builtin_matrix("arxiv6").unwrap());
    let named = play(&job("arxiv6", "rex3"), &Progress::default()).unwrap();
    let at_hand = play_matrix(world.clone(), &job("mine", "rex3"), &Progress::default()).unwrap();
    assert_eq!(named.policies[0].series.runs, at_hand.policies[0].series.runs);
    check(&Sessions::in_matrix(world, config()).unwrap(), "rex3", &named.policies[0]);
}

#[test]
fn trace_what_is_refused() {
    assert!(matches!(Sessions::new("arxiv6+delayed", config()), Err(SessionError::NotPrompt)));
    let nothing = SessionConfig { checkpoints: Vec::new(), ..config() };
    assert!(matches!(Sessions::new("arxiv6", nothing), Err(SessionError::Play(PlayError::NoRounds))));
    let sessions = Sessions::new("arxiv6", config()).unwrap();
    let refused = sessions.begin(0, false).duel(Arm::new(0), Arm::new(6));
    assert!(matches!(refused, Err(SessionError::ArmOutOfRange { n_arms: 6, .. })));
}
