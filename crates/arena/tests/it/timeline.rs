//! The timeline, worked by hand, and against a plain reading of the log.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use tiltyard_arena::arena::{Done, digest, load_from_start};
use tiltyard_arena::domain::{
    Answer, Bucket, Event, Experiment, ImportRequest, InterleaveRequest, IssueRequest, Issued, MergeOptions,
    NewVote, RankRequest, Ranking, Record, RestoreError, SavedExperiment, SlateRequest, VoidReason,
};
use tiltyard_arena::id::{DuelId, ExperimentId};
use tiltyard_bandit::Arm;

use crate::sim_store::SimStore;
use crate::support::{Desk, SECOND, plain};

fn issue(desk: &Desk, trial: ExperimentId, distinct: Option<bool>) -> DuelId {
    let request = IssueRequest { distinct, ..IssueRequest::default() };
    desk.done(desk.arena.issue(trial, &request)).expect("it runs")[0].id
}

fn slate(desk: &Desk, trial: ExperimentId, size: u32) -> (DuelId, Vec<u32>) {
    let request = SlateRequest { size, client: None, context: None };
    let slate = desk.done(desk.arena.issue_slate(trial, &request)).expect("it runs");
    (slate.duel.id, slate.slate.arms.clone())
}

/// Issues a duel of rankers whose lists come later, or never.
fn rankers(desk: &Desk, trial: ExperimentId) -> DuelId {
    let request =
        InterleaveRequest { client: None, context: None, options: MergeOptions::default(), lists: None };
    desk.done(desk.arena.interleave(trial, &request)).expect("it runs").duel.id
}

fn rank(best_first: &[u32]) -> RankRequest {
    let tiers = best_first.iter().map(|&arm| vec![name(arm)]).collect();
    RankRequest { ranking: Ranking::Order(tiers), voter: None, said: None }
}

fn name(arm: u32) -> String {
    char::from_u32('a' as u32 + arm).expect("a letter").to_string()
}

fn import(desk: &Desk, trial: ExperimentId, client: usize, n_votes: usize) -> u64 {
    let vote = NewVote {
        left: "a".to_owned(),
        right: "b".to_owned(),
        answer: Answer::Left,
        weight: None,
        voter: None,
        said: None,
        propensity: None,
    };
    let (client, votes) = (client.to_string(), vec![vote; n_votes]);
    let request = ImportRequest { client, source: "a test".to_owned(), votes };
    desk.done(desk.arena.import(trial, request)).expect("it is sound").seq
}

fn sum(experiment: &Experiment, count: fn(&Bucket) -> u64) -> u64 {
    experiment.timeline().buckets().iter().map(count).sum()
}

#[test]
fn trace_each_thing_in_its_second() {
    let desk = Desk::new(Arc::new(SimStore::new()), 1);
    let trial = desk.create("rex3", 3, |settings| {
        settings.expires_after = 10;
        settings.aa = 1.0;
    });
    let created = desk.state(trial).created();
    // Second 0.
    let [first, second] = [(); 2].map(|()| issue(&desk, trial, None));
    // Second 2.
    desk.clock.seconds(2);
    desk.done(desk.arena.answer(first, &plain(Answer::Left))).expect("it is in flight");
    desk.done(desk.arena.answer(second, &plain(Answer::Skip))).expect("it is in flight");
    // Second 3.
    desk.clock.seconds(1);
    let third = issue(&desk, trial, None);
    let imported = import(&desk, trial, 1, 3);
    // Second 5: the vote of second 2 is voided.
    desk.clock.seconds(2);
    desk.done(desk.arena.void(first, VoidReason::Asked)).expect("it is there");
    // Second 20: the third duel has expired. Second 21: its answer comes late.
    desk.clock.seconds(15);
    assert_eq!(desk.arena.sweep(), Ok(1));
    desk.clock.seconds(1);
    desk.done(desk.arena.answer(third, &plain(Answer::Right))).expect("late answers count");
    // Second 22.
    desk.clock.seconds(1);
    assert_eq!(desk.done(desk.arena.void_import(trial, imported)).expect("it is there").done, Done::Recorded);
    // Second 23: a ranking of three arms decides three pairs.
    desk.clock.seconds(1);
    let (many, shown) = slate(&desk, trial, 3);
    desk.done(desk.arena.rank(many, &rank(&shown))).expect("it is in flight");
    // Second 24: a ranker meets itself.
    desk.clock.seconds(1);
    rankers(&desk, trial);

    let state = desk.state(trial);
    let timeline = state.timeline();
    assert_eq!((timeline.start(), timeline.width()), (created, 1));
    assert_eq!(timeline.buckets().len(), 25);
    let happened: BTreeMap<usize, [u64; 6]> = timeline
        .buckets()
        .iter()
        .map(|bucket| {
            let Bucket { duels, votes, skipped, voided, unanswered, .. } = *bucket;
            [duels, votes, skipped, voided, unanswered, bucket.shown()]
        })
        .enumerate()
        .filter(|(_, counts)| *counts != [0; 6])
        .collect();
    let expected = [
        (0, [2, 0, 0, 0, 0, 4]),
        (2, [0, 1, 1, 0, 0, 0]),
        (3, [1, 3, 0, 0, 0, 2]),
        (5, [0, 0, 0, 1, 0, 0]),
        (20, [0, 0, 0, 0, 1, 0]),
        (21, [0, 1, 0, 0, 0, 0]),
        (23, [1, 3, 0, 0, 0, 3]),
        (24, [1, 0, 0, 0, 0, 2]),
    ];
    assert_eq!(happened, BTreeMap::from(expected));
    let arms = |second: usize| timeline.buckets()[second].arms.values().copied().collect::<Vec<_>>();
    assert_eq!((arms(23), arms(24)), (vec![1, 1, 1], vec![2]));
    // Of 8 votes, one was voided and three were in the voided import. The one unanswered duel has
    // an answer by now.
    assert_eq!((state.totals().votes, state.totals().unanswered), (4, 0));
}

#[test]
fn trace_a_damaged_one_is_passed_over() {
    let desk = Desk::new(Arc::new(SimStore::new()), 1);
    let trial = desk.create("rex3", 3, |_| {});
    issue(&desk, trial, None);
    let restored = |width: u64| {
        let mut saved = serde_json::to_value(desk.state(trial).save()).expect("a state is plain data");
        saved["timeline"]["width"] = width.into();
        let saved: SavedExperiment = serde_json::from_value(saved).expect("it has all fields");
        Experiment::restore(saved).map(|state| digest(&state))
    };
    assert_eq!(restored(1), Ok(digest(&desk.state(trial))));
    assert_eq!(restored(0), Err(RestoreError::Timeline { n_arms: 3 }));
}

/// The buckets from a plain reading of the log, and how many votes, skips and expiries were taken
/// back.
fn read(records: &[Record], width: u64) -> (Vec<Bucket>, [u64; 3]) {
    let start = records[0].at.0;
    let mut buckets: Vec<Bucket> = Vec::new();
    let mut taken_back = [0; 3];
    let mut issued: BTreeMap<u64, Issued> = BTreeMap::new();
    for record in records {
        let place = (record.at.0 - start).max(0) / SECOND / width.cast_signed();
        let place = usize::try_from(place).expect("a small number");
        if buckets.len() <= place {
            buckets.resize_with(place + 1, Bucket::default);
        }
        let bucket = &mut buckets[place];
        match &record.event {
            Event::Issued(duel) => {
                issued.insert(record.seq, duel.clone());
                bucket.duels += 1;
                let (left, right) = duel.drawn.sides();
                let arms = duel.slate.as_ref().map_or_else(
                    || vec![left, right],
                    |slate| slate.arms.iter().map(|&arm| Arm::new(arm as usize)).collect(),
                );
                for arm in arms {
                    *bucket.arms.entry(arm).or_default() += 1;
                }
            }
            Event::Answered(answered) => {
                if answered.late.is_some() {
                    taken_back[2] += 1;
                }
                let duel = &issued[&answered.duel];
                match (&answered.ranked, &duel.slate) {
                    (Some(ranked), Some(slate)) => {
                        bucket.votes += ranked.ranking.pairs(&slate.arms).len() as u64;
                    }
                    _ if answered.answer == Answer::Skip => bucket.skipped += 1,
                    _ => bucket.votes += u64::from(!duel.drawn.aa),
                }
            }
            Event::Voided(voided) => {
                bucket.voided += 1;
                let duel = &issued[&voided.duel];
                match &voided.past {
                    None => {}
                    Some(past) => match (&past.ranked, &past.slate, past.answer) {
                        (Some(ranked), Some(slate), _) => {
                            taken_back[0] += ranked.ranking.pairs(&slate.arms).len() as u64;
                        }
                        (_, _, Some(Answer::Skip)) => taken_back[1] += 1,
                        (_, _, Some(_)) => taken_back[0] += u64::from(!duel.drawn.aa),
                        (_, _, None) => taken_back[2] += 1,
                    },
                }
            }
            Event::Expired(_) => bucket.unanswered += 1,
            Event::Imported(imported) => bucket.votes += imported.votes.len() as u64,
            Event::ImportVoided(voided) => taken_back[0] += voided.votes.len() as u64,
            _ => {}
        }
    }
    (buckets, taken_back)
}

#[derive(Debug, Clone)]
enum Ask {
    Duel,
    Slate(u32),
    Rankers,
    Answer(usize, Answer),
    Rank(usize),
    Void(usize),
    Import(usize),
    VoidImport(usize),
    Wait(i64),
    SetClock(i64),
    Sweep,
    Restart,
}

fn any_ask() -> impl Strategy<Value = Ask> {
    let which = 0..40_usize;
    let answer =
        prop::sample::select(vec![Answer::Left, Answer::Right, Answer::Tie, Answer::BothBad, Answer::Skip]);
    let wait = prop_oneof![6 => 0..5 * SECOND, 2 => 0..60 * SECOND, 1 => 0..5000 * SECOND];
    prop_oneof![
        6 => Just(Ask::Duel),
        2 => (3..6_u32).prop_map(Ask::Slate),
        2 => Just(Ask::Rankers),
        6 => (which.clone(), answer).prop_map(|(which, answer)| Ask::Answer(which, answer)),
        2 => which.clone().prop_map(Ask::Rank),
        2 => which.clone().prop_map(Ask::Void),
        1 => (1..5_usize).prop_map(Ask::Import),
        1 => which.prop_map(Ask::VoidImport),
        6 => wait.prop_map(Ask::Wait),
        1 => (-100 * SECOND..100 * SECOND).prop_map(Ask::SetClock),
        1 => Just(Ask::Sweep),
        1 => Just(Ask::Restart),
    ]
}

proptest! {
    /// For any requests, and any setting of the clock: each bucket agrees with the log. The sums
    /// over the buckets are the totals plus what was taken back. A state from a snapshot is the
    /// same as from the log.
    #[test]
    fn law_buckets_are_what_the_log_says(asks in prop::collection::vec(any_ask(), 1..80)) {
        let mut desk = Desk::new(Arc::new(SimStore::new()), 1);
        let trial = desk.create("rex3", 6, |settings| {
            settings.expires_after = 10;
            settings.aa = 0.5;
        });
        let (mut duels, mut imports, mut seed) = (Vec::new(), Vec::new(), 1);
        for ask in asks {
            let at = |which: usize| -> Option<&(DuelId, Option<Vec<u32>>)> { duels.get(which % duels.len().max(1)) };
            // A refused request leaves nothing about itself in the log.
            match ask {
                Ask::Duel => duels.push((issue(&desk, trial, Some(false)), None)),
                Ask::Slate(size) => {
                    let (duel, arms) = slate(&desk, trial, size);
                    duels.push((duel, Some(arms)));
                }
                Ask::Rankers => duels.push((rankers(&desk, trial), None)),
                Ask::Answer(which, answer) => {
                    let Some((duel, _)) = at(which) else { continue };
                    let _ = desk.done(desk.arena.answer(*duel, &plain(answer)));
                }
                Ask::Rank(which) => {
                    let Some((duel, Some(arms))) = at(which) else { continue };
                    let _ = desk.done(desk.arena.rank(*duel, &rank(arms)));
                }
                Ask::Void(which) => {
                    let Some((duel, _)) = at(which) else { continue };
                    desk.done(desk.arena.void(*duel, VoidReason::Asked)).expect("it is there");
                }
                Ask::Import(n_votes) => imports.push(import(&desk, trial, imports.len(), n_votes)),
                Ask::VoidImport(which) => {
                    let Some(&place) = imports.get(which % imports.len().max(1)) else { continue };
                    desk.done(desk.arena.void_import(trial, place)).expect("it is there");
                }
                Ask::Wait(micros) => desk.clock.pass(micros),
                Ask::SetClock(micros) => desk.clock.jump(micros),
                Ask::Sweep => {
                    desk.arena.sweep().expect("the states are sound");
                    desk.settle();
                }
                Ask::Restart => {
                    desk.arena.snapshot_all();
                    desk.settle();
                    seed += 1;
                    desk = desk.restarted(seed);
                }
            }
        }
        // A refused request may have extended duels in flight.
        desk.settle();
        let state = desk.state(trial);
        let timeline = state.timeline();
        prop_assert!(timeline.buckets().len() <= 128);
        let records = desk.arena.history(trial, 0, usize::MAX).expect("the log can be read");
        let (buckets, [votes, skipped, unanswered]) = read(&records, timeline.width());
        prop_assert_eq!(timeline.buckets(), &buckets);
        let totals = state.totals();
        prop_assert_eq!(sum(&state, |bucket| bucket.duels), totals.duels);
        prop_assert_eq!(sum(&state, |bucket| bucket.voided), totals.voided);
        prop_assert_eq!(sum(&state, |bucket| bucket.votes), totals.votes + votes);
        prop_assert_eq!(sum(&state, |bucket| bucket.skipped), totals.skipped + skipped);
        prop_assert_eq!(sum(&state, |bucket| bucket.unanswered), totals.unanswered + unanswered);
        let refolded = load_from_start(&*desk.store, trial).expect("the log folds").expect("the log is there").experiment;
        prop_assert_eq!(refolded.timeline(), timeline);
        prop_assert_eq!(digest(&refolded), digest(&state));
    }
}
