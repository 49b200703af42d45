//! Random requests.

use proptest::prelude::*;
use tiltyard_arena::domain::{Activation, Answer, Late, Settings, Status};

/// Policies and their capabilities, as their pages state them: the name, whether arms can change,
/// and whether two different arms can be requested.
pub(super) const POLICIES: [(&str, bool, bool); 5] = [
    ("rex3", true, true),
    ("vdb", true, true),
    ("rucb", false, false),
    ("btm", false, false),
    ("random", false, true),
];

/// A request or another action. Numbers choose duels and names, modulo how many there are.
#[derive(Debug, Clone)]
pub(super) enum Ask {
    Issue {
        count: u32,
        client: Option<u8>,
        distinct: Option<bool>,
    },
    Answer {
        duel: usize,
        answer: Answer,
        voter: Option<u8>,
    },
    /// Two rankers, with or without their lists.
    Interleave {
        client: Option<u8>,
        lists: Option<u8>,
    },
    /// The lists of a duel's rankers; `lists` chooses one of two sets.
    Lists {
        duel: usize,
        lists: u8,
    },
    /// Clicks on the documents of the left and of the right ranker.
    Click {
        duel: usize,
        left: bool,
        right: bool,
        voter: Option<u8>,
    },
    Shown {
        duel: usize,
    },
    Void {
        duel: usize,
    },
    Change(Status),
    Add(u8),
    Retire(u8),
    Restore(u8),
    Wait {
        seconds: i64,
    },
    Sweep,
    /// Writes what is queued. Until then all responses are pending.
    Write,
    Snapshot,
    Restart,
}

pub(super) fn any_answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        4 => Just(Answer::Left),
        4 => Just(Answer::Right),
        1 => Just(Answer::Tie),
        1 => Just(Answer::BothBad),
        1 => Just(Answer::Skip),
        1 => prop_oneof![Just(-1.0), Just(-0.25), Just(0.0), Just(0.5), Just(1.0)]
            .prop_map(|score| Answer::score(score).expect("it is within [-1, 1]")),
    ]
}

pub(super) fn any_ask() -> impl Strategy<Value = Ask> {
    // Low numbers are the latest duels.
    let duel = || prop_oneof![8 => 0..6usize, 2 => 0..40usize];
    let voter = || proptest::option::weighted(0.5, 0..3u8);
    let client = || proptest::option::weighted(0.4, 0..6u8);
    prop_oneof![
        12 => (prop_oneof![9 => 1..4u32, 1 => Just(0)], client(), proptest::option::weighted(0.2, any::<bool>()))
            .prop_map(|(count, client, distinct)| Ask::Issue { count, client, distinct }),
        20 => (duel(), any_answer(), voter())
            .prop_map(|(duel, answer, voter)| Ask::Answer { duel, answer, voter }),
        5 => (client(), proptest::option::of(0..2u8))
            .prop_map(|(client, lists)| Ask::Interleave { client, lists }),
        8 => (duel(), 0..2u8).prop_map(|(duel, lists)| Ask::Lists { duel, lists }),
        10 => (duel(), any::<bool>(), any::<bool>(), voter())
            .prop_map(|(duel, left, right, voter)| Ask::Click { duel, left, right, voter }),
        5 => duel().prop_map(|duel| Ask::Shown { duel }),
        5 => duel().prop_map(|duel| Ask::Void { duel }),
        2 => Just(Ask::Change(Status::Running)),
        1 => Just(Ask::Change(Status::Paused)),
        1 => proptest::bool::weighted(0.2)
            .prop_map(|close| Ask::Change(if close { Status::Closed } else { Status::Running })),
        1 => (0..7u8).prop_map(Ask::Add),
        1 => (0..7u8).prop_map(Ask::Retire),
        1 => (0..7u8).prop_map(Ask::Restore),
        5 => (0..25i64).prop_map(|seconds| Ask::Wait { seconds }),
        3 => Just(Ask::Sweep),
        4 => Just(Ask::Write),
        1 => Just(Ask::Snapshot),
        1 => Just(Ask::Restart),
    ]
}

pub(super) fn any_settings() -> impl Strategy<Value = Settings> {
    (
        (prop_oneof![Just(0.0), Just(0.3), Just(1.0)], prop_oneof![Just(0.0), Just(0.5), Just(1.0)]),
        5..30u64,
        prop_oneof![Just(Late::Accept), Just(Late::Refuse)],
        prop_oneof![Just(Activation::Issue), Just(Activation::Shown)],
        proptest::option::weighted(0.3, 1..5u64),
        proptest::option::weighted(0.3, 1..3u64),
        prop_oneof![3 => Just(1000u64), 1 => 1..8u64],
    )
        .prop_map(
            |((holdout, aa), expires_after, late, activation, votes, per_minute, max_in_flight)| Settings {
                holdout,
                aa,
                expires_after,
                late,
                activation,
                horizon: Some(1000),
                voter_votes: votes,
                voter_votes_per_minute: per_minute,
                max_in_flight,
                ..Settings::default_for(false)
            },
        )
}
