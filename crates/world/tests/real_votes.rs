//! Facts about votes that may not be distributed with the project.
//!
//! The tests look for the data in the directory `TILTYARD_DATA`, or else beside the project.
//! Without the data they pass and report that they were skipped. Another program counted the
//! expected numbers.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "tests report what they skip, and fail if they cannot start"
)]

use std::path::PathBuf;

use tiltyard_bandit::{Arm, Stream};
use tiltyard_world::build::votes::{Options, Unseen, VoteMatrix};
use tiltyard_world::replay::Mode;
use tiltyard_world::votes::{Dropped, Verdict, Votes, read_votes};
use tiltyard_world::{BestKind, ReplayWorld, World};

/// The votes in a file. Without the data it is `None`, with a message.
fn votes(name: &str) -> Option<Votes> {
    let directory = match std::env::var_os("TILTYARD_DATA") {
        Some(directory) => PathBuf::from(directory),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    let path = directory.join("votes").join(name);
    if !path.exists() {
        eprintln!("skipped: real data absent (set TILTYARD_DATA)");
        return None;
    }
    Some(read_votes(&[path]).unwrap())
}

fn wmt13() -> Option<Votes> {
    votes("wmt13_fre-eng.csv")
}

/// The numbers of votes for left, for right, and for a tie.
fn said(votes: &Votes) -> [usize; 3] {
    [Verdict::Left, Verdict::Right, Verdict::Tie]
        .map(|verdict| votes.votes().iter().filter(|vote| vote.verdict == verdict).count())
}

fn names(votes: &Votes, arms: &[Arm]) -> Vec<String> {
    arms.iter().map(|arm| votes.names()[arm.index()].clone()).collect()
}

#[test]
fn trace_wmt13() {
    let Some(votes) = wmt13() else { return };
    assert_eq!((votes.votes().len(), votes.n_arms()), (101_960, 13));
    assert_eq!(said(&votes), [41_158, 41_138, 19_664]);
    assert_eq!((votes.dropped(), votes.unused()), (Dropped::default(), ["task".to_owned()].as_slice()));
    let built = VoteMatrix::new(&votes, Options { unseen: Unseen::Refuse, ..Options::default() }).unwrap();
    let sizes: Vec<_> = built.compared().map(|pair| pair.votes).collect();
    assert_eq!((sizes.len(), sizes.iter().min(), sizes.iter().max()), (78, Some(&439), Some(&1867)));
    let matrix = built.matrix();
    let winner = "uedin-heafield-unconstrained.2755";
    assert_eq!(names(&votes, &[matrix.condorcet_winner().unwrap()]), [winner]);
    assert_eq!(names(&votes, &matrix.borda_winners()), [winner]);
    let borda = matrix.borda_normalised(tiltyard_bandit::matrix::Diagonal::Excluded);
    assert!((borda[matrix.borda_winners()[0].index()] - 0.610_546_812_626_898_4).abs() < 1e-12);
}

#[test]
fn trace_llmfao() {
    let Some(votes) = votes("llmfao_crowd.csv") else { return };
    assert_eq!((votes.votes().len(), votes.n_arms()), (8_931, 59));
    assert_eq!(said(&votes), [2_911, 2_549, 3_471]);
    let built = VoteMatrix::new(&votes, Options::default()).unwrap();
    assert_eq!((built.counts().n_pairs(), built.never_compared(), built.groups()), (1711, 784, 1));
    let matrix = built.matrix();
    assert_eq!(matrix.condorcet_winner(), None);
    assert_eq!(names(&votes, &matrix.copeland_winners()), ["Falcon Instruct (40B)"]);
    assert_eq!(matrix.copeland().iter().max(), Some(&36));
    assert_eq!(names(&votes, &matrix.borda_winners()), ["command"]);

    let filled =
        VoteMatrix::new(&votes, Options { unseen: Unseen::BradleyTerry, ..Options::default() }).unwrap();
    for (one, other) in built.entries().zip(filled.entries()) {
        assert_eq!(one.is_compared, other.is_compared);
        assert!(!one.is_compared || one.p.to_bits() == other.p.to_bits());
    }
}

/// More than three times as many duels as votes, between arms drawn at random. Every answer is a
/// vote, no vote answers twice, and in the end all votes have answered. An answer has no identity
/// beyond its pair and its outcome, so the test counts how often each combination occurs.
#[test]
fn law_a_replay_of_wmt13_never_repeats_a_vote() {
    let Some(votes) = wmt13() else { return };
    let world = ReplayWorld::new(&votes, Mode::Once).unwrap();
    assert_eq!((world.n_votes(), world.best().kind), (101_960, BestKind::Condorcet));
    assert_eq!(world.arm_name(world.best().arm), Some("uedin-heafield-unconstrained.2755"));
    let k = votes.n_arms();
    let cell = |left: Arm, right: Arm, score: f64| {
        let (low, high, score) = if left < right { (left, right, score) } else { (right, left, -score) };
        let which = if score > 0.0 { 0 } else { 1 + usize::from(score < 0.0) };
        (low.index() * k + high.index()) * 3 + which
    };
    let mut left_over = vec![0u32; 3 * k * k];
    for vote in votes.votes() {
        left_over[cell(vote.left, vote.right, vote.verdict.outcome().score())] += 1;
    }
    for seed in [1, 2] {
        let mut rng = Stream::new(seed).label("world").rng();
        let mut pairs = Stream::new(seed).label("pairs").rng();
        let mut draw = || Arm::new(rand::RngExt::random_range(&mut pairs, 0..k));
        let (mut left_over, mut state) = (left_over.clone(), world.start());
        let (mut answered, mut unanswered, mut dry_from) = (0, 0, None);
        for round in 1..=350_000 {
            let (left, right) = (draw(), draw());
            match world.duel(&mut state, round, left, right, &mut rng) {
                Some(outcome) if left == right => assert!(outcome.score().abs() < f64::EPSILON),
                Some(outcome) => {
                    answered += 1;
                    let left_over = &mut left_over[cell(left, right, outcome.score())];
                    *left_over =
                        left_over.checked_sub(1).expect("no answer occurs more often than in the log");
                }
                None => {
                    unanswered += 1;
                    dry_from.get_or_insert(round);
                }
            }
        }
        assert_eq!((answered, left_over.iter().sum::<u32>()), (101_960, 0));
        let supply = state.supply;
        assert_eq!((supply.unanswered, supply.repeated, supply.dry_from), (unanswered, 0, dry_from));
    }
}
