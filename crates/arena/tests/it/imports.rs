//! Imported votes, worked by hand, and with random batches.

use std::sync::Arc;

use proptest::prelude::*;
use tiltyard_arena::arena::{Done, digest, load_from_start};
use tiltyard_arena::domain::{
    Answer, BallotEvent, Experiment, ImportRequest, IssueRequest, NewArm, NewVote, Refusal, Segments,
};
use tiltyard_arena::id::ExperimentId;
use tiltyard_bandit::{Arm, Outcome, Ticket};

use crate::sim_store::SimStore;
use crate::support::{Desk, plain};

fn vote(left: &str, right: &str, answer: Answer) -> NewVote {
    let (left, right) = (left.to_owned(), right.to_owned());
    NewVote { left, right, answer, weight: None, voter: None, said: None, propensity: None }
}

fn batch(client: &str, votes: Vec<NewVote>) -> ImportRequest {
    ImportRequest { client: client.to_owned(), source: "a test".to_owned(), votes }
}

fn counted(experiment: &Experiment, first: usize, second: usize) -> [u64; 5] {
    let pair = experiment.pairs().get(&(Arm::new(first), Arm::new(second))).copied().unwrap_or_default();
    [pair.first, pair.second, pair.ties, pair.both_bad, pair.graded]
}

fn policy_text(experiment: &Experiment) -> String {
    serde_json::to_string(&experiment.policy().save()).expect("a state is plain data")
}

/// The digest of the state folded from the log alone.
fn refolded(desk: &Desk, trial: ExperimentId) -> String {
    digest(
        &load_from_start(&*desk.store, trial).expect("the log folds").expect("the log is there").experiment,
    )
}

/// The same votes with the same client id count once, even from a file that was renamed. Other
/// votes with that id are refused.
#[test]
fn trace_a_name_is_for_the_same_votes() {
    let desk = Desk::new(Arc::new(SimStore::new()), 1);
    let trial = desk.create("rex3", 3, |_| {});
    let one = batch("1", vec![vote("a", "b", Answer::Left)]);
    let import = desk.done(desk.arena.import(trial, one.clone())).expect("it is sound");
    let renamed = ImportRequest { source: "another file".to_owned(), ..one };
    let again = desk.done(desk.arena.import(trial, renamed)).expect("it is the same");
    assert_eq!((again.done, again.seq, again.votes), (Done::Already, import.seq, 1));
    let other = batch("1", vec![vote("b", "a", Answer::Left)]);
    let taken = Refusal::ClientTaken { client: "1".to_owned() };
    assert_eq!(desk.done(desk.arena.import(trial, other)), Err(taken.into()));
    assert_eq!(desk.state(trial).totals().imported, 1);
}

/// A report covers the arms that existed when it began.
#[test]
fn trace_arms_that_come_in_during_a_report() {
    let desk = Desk::new(Arc::new(SimStore::new()), 1);
    let trial = desk.create("rex3", 2, |_| {});
    let mut segments = Segments::new(desk.state(trial).evidence(), None, None, None);
    let arm = NewArm { name: "later".to_owned(), label: None, payload: None };
    desk.done(desk.arena.add_arms(trial, vec![arm])).expect("it can");
    let votes = vec![vote("a", "b", Answer::Left), vote("later", "b", Answer::Left)];
    desk.done(desk.arena.import(trial, batch("1", votes))).expect("it is sound");
    for _ in 0..20 {
        desk.done(desk.arena.issue(trial, &IssueRequest { count: 1, ..IssueRequest::default() }))
            .expect("it runs");
    }
    let mut n_issued = 0;
    let mut take = |step: BallotEvent| {
        n_issued += usize::from(matches!(step, BallotEvent::Issued { .. }));
        segments.push(&step);
        true
    };
    desk.arena.ballots(trial, &mut take).expect("it can be read");
    assert_eq!((n_issued, segments.segments()[0].votes), (20, 1));
    assert_eq!(segments.segments()[0].evidence().n_pairs(), 1);
}

/// For every kind of policy, the log folds to the same state, and a voided import leaves nothing
/// behind.
#[test]
fn trace_counted_in_and_out_with_every_policy() {
    for policy in ["rex3", "rucb", "sparring:player=thompson"] {
        let desk = Desk::new(Arc::new(SimStore::new()), 1);
        let trial = desk.create(policy, 3, |_| {});
        let before = desk.state(trial);
        let votes = vec![
            vote("a", "b", Answer::Left),
            vote("b", "a", Answer::Left),
            vote("b", "a", Answer::Tie),
            NewVote { weight: Some(0.5), ..vote("a", "c", Answer::Left) },
            NewVote { weight: Some(1.0), ..vote("a", "c", Answer::Left) },
            NewVote { weight: Some(0.5), ..vote("a", "c", Answer::BothBad) },
        ];
        let import = desk.done(desk.arena.import(trial, batch("1", votes.clone()))).expect("it is sound");
        assert_eq!((import.done, import.seq, import.votes), (Done::Recorded, 2, 6));
        let state = desk.state(trial);
        // A policy that counts wins learns. One that divides by probabilities does not get them.
        // One made of players learns only from its own duels.
        assert_eq!(policy_text(&state) != policy_text(&before), policy == "rucb", "{policy}");
        assert_eq!(counted(&state, 0, 1), [1, 1, 1, 0, 0]);
        // A win of weight 1/2 is a score of 1/2. A win of weight 1 is a win.
        assert_eq!(counted(&state, 0, 2), [1, 0, 0, 1, 1]);
        assert_eq!((state.totals().votes, state.totals().imported, state.totals().duels), (6, 6, 0));
        // By weight, a and c have 0.5 + 1 + 0.5 = 2 votes: a won 1.5 of them, and the other 0.5 is
        // a tie.
        let evidence = state.evidence().pair(Arm::new(0), Arm::new(2)).expect("there were votes");
        assert!((evidence.all().votes - 2.0).abs() < 1e-12);
        assert_eq!(refolded(&desk, trial), digest(&state));

        let gone = desk.done(desk.arena.void_import(trial, 2)).expect("it is there");
        assert_eq!((gone.done, gone.votes), (Done::Recorded, 6));
        let state = desk.state(trial);
        assert_eq!(state.totals(), before.totals());
        assert_eq!(state.pairs(), before.pairs());
        assert_eq!(state.arms(), before.arms());
        assert_eq!(state.evidence(), before.evidence());
        assert_eq!(refolded(&desk, trial), digest(&state));
        let again = desk.done(desk.arena.void_import(trial, 2)).expect("it is there");
        assert_eq!(again.done, Done::Already);
        assert_eq!(desk.done(desk.arena.import(trial, batch("1", votes))), Err(Refusal::ImportVoided.into()));
        assert_eq!(desk.done(desk.arena.void_import(trial, 1)), Err(Refusal::NoImport.into()));
    }
}

/// With a known probability, a policy that divides by it learns, and takes back.
#[test]
fn trace_lessons_by_probability() {
    let desk = Desk::new(Arc::new(SimStore::new()), 1);
    let trial = desk.create("rex3:gamma=0.5", 2, |_| {});
    let sums =
        |experiment: &Experiment| experiment.policy().clone().additive().expect("it is additive").sums();
    let before = desk.state(trial);
    let told = NewVote { propensity: Some(0.25), ..vote("a", "b", Answer::Left) };
    desk.done(desk.arena.import(trial, batch("1", vec![told.clone(), told]))).expect("it is sound");
    // Two slots with probability 1/2 each give the pair exactly 1/4. The policy therefore learns as
    // from two duels of its own that `a` won.
    let mut own = before.policy().clone();
    for _ in 0..2 {
        let drawn = Ticket {
            round: 1,
            ..before.policy().lesson(Arm::new(0), Arm::new(1), Some(0.25)).expect("it takes lessons")
        };
        own.update(&drawn, Outcome::WIN).expect("it could have drawn it");
    }
    let learned = sums(&desk.state(trial));
    assert_eq!(learned, own.additive().expect("it is additive").sums());
    assert!(learned[0] > learned[1], "{learned:?}");
    assert!(desk.state(trial).policy().recommend() == Arm::new(0));
    assert_eq!(refolded(&desk, trial), digest(&desk.state(trial)));
    desk.done(desk.arena.void_import(trial, 2)).expect("it is there");
    let taken_back = sums(&desk.state(trial));
    // The sums come from some additions of numbers near 1, each with an error of about 1e-16.
    assert!((taken_back[0] - taken_back[1]).abs() < 1e-12, "{taken_back:?}");
    assert_eq!(refolded(&desk, trial), digest(&desk.state(trial)));
}

/// A request that is repeated before the first was written: both get a response only once it is.
#[test]
fn trace_asked_twice_before_it_is_durable() {
    let desk = Desk::new(Arc::new(SimStore::new()), 1);
    let trial = desk.create("rex3", 2, |_| {});
    let request = batch("1", vec![vote("a", "b", Answer::Left)]);
    let first = desk.arena.import(trial, request.clone()).expect("it is sound");
    let second = desk.arena.import(trial, request.clone()).expect("it is the same");
    let gone = desk.arena.void_import(trial, 2).expect("it is there");
    let again = desk.arena.void_import(trial, 2).expect("it is gone");
    let second = second.poll().expect("nothing failed").expect_err("it is not durable");
    desk.settle();
    let done = |pending: tiltyard_arena::arena::Pending<tiltyard_arena::arena::Import>| {
        pending.poll().expect("nothing failed").expect("it was written").done
    };
    assert_eq!((done(first), done(second)), (Done::Recorded, Done::Already));
    assert_eq!((done(gone), done(again)), (Done::Recorded, Done::Already));
    assert_eq!(desk.state(trial).totals().imported, 0);
}

/// The series of votes has imported votes, but not those of a voided import.
#[test]
fn trace_the_series_of_votes() {
    let desk = Desk::new(Arc::new(SimStore::new()), 1);
    let trial = desk.create("rex3", 3, |_| {});
    let one = |client: &str| batch(client, vec![vote("a", "b", Answer::Left), vote("c", "b", Answer::Tie)]);
    desk.done(desk.arena.import(trial, one("1"))).expect("it is sound");
    let gone = desk.done(desk.arena.import(trial, one("2"))).expect("it is sound").seq;
    let duel = desk.done(desk.arena.issue(trial, &IssueRequest::default())).expect("it runs")[0];
    desk.done(desk.arena.answer(duel.id, &plain(Answer::Right))).expect("it is in flight");
    desk.done(desk.arena.void_import(trial, gone)).expect("it is there");
    let mut seen = Vec::new();
    desk.arena
        .ballots(trial, &mut |step| {
            seen.push(match step {
                BallotEvent::Issued { duel, .. } => format!("issued {duel}"),
                BallotEvent::Voted(ballot) => format!("voted {} at {}", ballot.duel, ballot.seq),
                BallotEvent::Ended { duel, .. } => format!("ended {duel}"),
                BallotEvent::Imported(batch) => {
                    format!("imported {} at {} from {}", batch.votes.len(), batch.seq, batch.source)
                }
            });
            true
        })
        .expect("the log can be read");
    assert_eq!(seen, ["imported 2 at 2 from a test", "issued 4", "voted 4 at 5"]);
}

fn any_vote() -> impl Strategy<Value = NewVote> {
    let answer = prop_oneof![
        Just(Answer::Left),
        Just(Answer::Right),
        Just(Answer::Tie),
        Just(Answer::BothBad),
        (-1.0..=1.0).prop_map(|score| Answer::score(score).expect("it is in range")),
    ];
    let weight = prop::option::of(0.01..=1.0);
    (0..4_u8, 0..4_u8, answer, weight).prop_map(|(left, right, answer, weight)| {
        let name = |arm: u8| char::from(b'a' + arm).to_string();
        NewVote { weight, ..vote(&name(left), &name(right), answer) }
    })
}

proptest! {
    /// For any imports and voids, the counts are those of the imports that remain, and the log
    /// folds to the same state.
    #[test]
    fn law_what_is_in_is_counted(
        batches in prop::collection::vec((prop::collection::vec(any_vote(), 1..8), any::<bool>()), 1..6),
    ) {
        let desk = Desk::new(Arc::new(SimStore::new()), 1);
        let trial = desk.create("rex3", 4, |_| {});
        let mut gone = Vec::new();
        let mut n_left = 0;
        for (i, (votes, stays)) in batches.iter().enumerate() {
            let import = desk.done(desk.arena.import(trial, batch(&i.to_string(), votes.clone()))).expect("it is sound");
            if *stays {
                n_left += votes.len() as u64;
            } else {
                gone.push(import.seq);
            }
        }
        for place in gone {
            desk.done(desk.arena.void_import(trial, place)).expect("it is there");
        }
        let state = desk.state(trial);
        prop_assert_eq!(state.totals().imported, n_left);
        prop_assert_eq!(state.totals().votes, n_left);
        let in_pairs: u64 = state.pairs().values().map(tiltyard_arena::domain::PairCounts::votes).sum();
        let self_duels: u64 = state.arms().iter().map(|entry| entry.counts.self_duels).sum();
        prop_assert_eq!(in_pairs + self_duels, n_left);
        prop_assert_eq!(refolded(&desk, trial), digest(&state));
    }
}
