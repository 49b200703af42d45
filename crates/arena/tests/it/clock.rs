//! A wall clock that jumps, and a server that is down: neither expires a duel, the times in a log
//! never decrease, and keys stay expired. Worked by hand.

use std::sync::Arc;

use tiltyard_arena::arena::{Done, Duel};
use tiltyard_arena::domain::{
    Activation, Answer, AuditAction, Event, IssueRequest, Late, Record, Refusal, Status, VoidReason,
};
use tiltyard_arena::id::ExperimentId;
use tiltyard_arena::key::Scope;
use tiltyard_arena::store::Store as _;
use tiltyard_arena::time::{Clock as _, Time};

use crate::sim_store::{Faults, SimStore};
use crate::support::{Desk, SECOND, plain};

const HOUR: i64 = 3600 * SECOND;
const YEAR: i64 = 365 * 24 * HOUR;

fn desk() -> Desk {
    Desk::new(Arc::new(SimStore::new()), 1)
}

/// An experiment whose duels expire after ten minutes and take no late answers.
fn strict(desk: &Desk) -> ExperimentId {
    desk.create("rex3", 3, |settings| {
        settings.expires_after = 600;
        settings.late = Late::Refuse;
    })
}

fn issue(desk: &Desk, trial: ExperimentId, count: u32) -> Vec<Duel> {
    let request = IssueRequest { count, ..IssueRequest::default() };
    desk.done(desk.arena.issue(trial, &request)).expect("the experiment runs")
}

fn answer(desk: &Desk, duel: &Duel) -> Result<Done, tiltyard_arena::ArenaError> {
    desk.done(desk.arena.answer(duel.id, &plain(Answer::Left)))
}

/// Sweeps, and writes.
fn sweep(desk: &Desk) -> usize {
    let swept = desk.arena.sweep().expect("the states are sound");
    desk.settle();
    swept
}

fn history(desk: &Desk, id: ExperimentId) -> Vec<Record> {
    desk.arena.history(id, 0, usize::MAX).expect("the log can be read")
}

/// The extensions in the log, in microseconds.
fn extensions(desk: &Desk, trial: ExperimentId) -> Vec<u64> {
    let by =
        |record: Record| if let Event::Extended(extended) = record.event { Some(extended.by) } else { None };
    history(desk, trial).into_iter().filter_map(by).collect()
}

fn micros(micros: i64) -> u64 {
    micros.unsigned_abs()
}

#[test]
fn trace_a_jump_forward_expires_nothing() {
    let desk = desk();
    let trial = strict(&desk);
    let duels = issue(&desk, trial, 3);
    desk.clock.seconds(100);
    desk.clock.jump(10 * YEAR);
    // No sweep has noticed the jump yet.
    assert_eq!(answer(&desk, &duels[0]), Ok(Done::Recorded));
    assert_eq!(sweep(&desk), 0);
    assert_eq!(extensions(&desk, trial), [micros(10 * YEAR)]);
    let notes: Vec<_> = desk.state(trial).audit_log().iter().map(|note| note.what.clone()).collect();
    assert_eq!(notes, [AuditAction::Created(3), AuditAction::Extended(micros(10 * YEAR))]);
    let expires = Time(duels[1].drawn.expires.0 + 10 * YEAR);
    let past = desk.done(desk.arena.duel(duels[1].id)).expect("it is in flight");
    assert_eq!((past.drawn.expires, past.expired), (expires, false));
    assert_eq!(desk.arena.now(), desk.clock.now());
    // The other duels expire after the 500 seconds that they had left.
    desk.clock.seconds(500);
    assert_eq!(sweep(&desk), 0);
    desk.clock.pass(1);
    let past = desk.done(desk.arena.duel(duels[1].id)).expect("it is there");
    assert!(past.expired, "also before a sweep");
    assert_eq!(answer(&desk, &duels[1]), Err(Refusal::Expired.into()));
    assert_eq!(sweep(&desk), 2);
    // New duels have the usual time, and nothing is extended twice.
    let duel = issue(&desk, trial, 1)[0];
    assert_eq!(duel.drawn.expires, desk.clock.now().plus_seconds(600));
    desk.clock.pass(600 * SECOND + 1);
    assert_eq!(sweep(&desk), 1);
    assert_eq!(extensions(&desk, trial).len(), 1);
}

#[test]
fn trace_small_steps_forward_extend_nothing() {
    let desk = desk();
    let trial = strict(&desk);
    issue(&desk, trial, 1);
    for _ in 0..3 {
        desk.clock.jump(10 * SECOND);
        assert_eq!(sweep(&desk), 0);
    }
    desk.clock.jump(10 * SECOND + 1);
    assert_eq!(sweep(&desk), 0);
    assert_eq!(extensions(&desk, trial), [micros(10 * SECOND + 1)]);
}

#[test]
fn trace_only_experiments_with_duels_in_flight_are_extended() {
    let desk = desk();
    let (idle, busy) = (strict(&desk), strict(&desk));
    let duel = issue(&desk, idle, 1)[0];
    answer(&desk, &duel).expect("it is in flight");
    issue(&desk, busy, 1);
    desk.clock.jump(HOUR);
    // Looking records nothing.
    assert_eq!(desk.state(busy).seq(), 2);
    assert_eq!(sweep(&desk), 0);
    assert_eq!((extensions(&desk, idle), extensions(&desk, busy)), (vec![], vec![micros(HOUR)]));
    // A duel that is issued after the jump gets no more than the others.
    issue(&desk, idle, 1);
    desk.clock.pass(600 * SECOND + 1);
    assert_eq!(sweep(&desk), 2);
}

#[test]
fn trace_a_jump_before_the_showing() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |settings| {
        settings.expires_after = 600;
        settings.activation = Activation::Shown;
    });
    let duels = issue(&desk, trial, 2);
    desk.clock.jump(HOUR);
    desk.done(desk.arena.shown(duels[0].id)).expect("it is in flight");
    desk.clock.seconds(600);
    assert_eq!(sweep(&desk), 0);
    desk.clock.jump(HOUR);
    assert_eq!(sweep(&desk), 0);
    desk.clock.pass(1);
    assert_eq!(sweep(&desk), 2);
    assert_eq!(extensions(&desk, trial), [micros(HOUR); 2]);
}

#[test]
fn trace_downtime_expires_nothing() {
    let desk = desk();
    let trial = strict(&desk);
    let duels = issue(&desk, trial, 3);
    desk.clock.seconds(100);
    assert_eq!(desk.arena.mark_time(), Ok(true));
    let desk = desk.reopened(2, |clock| clock.seconds(30 * 24 * 3600));
    assert_eq!(answer(&desk, &duels[0]), Ok(Done::Recorded));
    assert_eq!(sweep(&desk), 0);
    assert_eq!(extensions(&desk, trial), [micros(30 * 24 * HOUR)]);
    // A crash before the next mark: the log itself tells until when the server ran.
    desk.clock.seconds(5);
    let desk = desk.reopened(3, |clock| clock.seconds(55));
    assert_eq!(sweep(&desk), 0);
    assert_eq!(extensions(&desk, trial).len(), 1);
    // The last of two marks counts.
    desk.clock.seconds(40);
    assert_eq!(desk.arena.mark_time(), Ok(true));
    desk.clock.seconds(50);
    assert_eq!(desk.arena.mark_time(), Ok(true));
    let desk = desk.reopened(4, |clock| clock.seconds(60));
    assert_eq!(sweep(&desk), 0);
    assert_eq!(extensions(&desk, trial).len(), 1, "a minute is no downtime");
    // 100 + 5 + 55 + 40 + 50 + 60 seconds are over.
    desk.clock.seconds(290);
    assert_eq!(sweep(&desk), 0);
    desk.clock.pass(1);
    assert_eq!(sweep(&desk), 2);
}

#[test]
fn trace_every_log_gets_the_downtime_back_once() {
    let store = Arc::new(SimStore::new());
    let desk = Desk::new(store.clone(), 1);
    let (one, other) = (strict(&desk), strict(&desk));
    let duels = [issue(&desk, one, 1)[0], issue(&desk, other, 1)[0]];
    assert_eq!(desk.arena.mark_time(), Ok(true));
    let desk = desk.reopened(2, |clock| clock.seconds(3600));
    // Only one of the extensions is durable before the next crash.
    assert_eq!(answer(&desk, &duels[0]), Ok(Done::Recorded));
    let duel = issue(&desk, one, 1)[0];
    desk.arena.sweep().expect("the states are sound");
    let desk = desk.reopened(3, |clock| clock.seconds(30));
    assert_eq!(sweep(&desk), 0);
    assert_eq!(extensions(&desk, one), [micros(HOUR)]);
    assert_eq!(extensions(&desk, other), [micros(HOUR + 30 * SECOND)]);
    assert_eq!(answer(&desk, &duels[1]), Ok(Done::Recorded));
    assert_eq!(answer(&desk, &duel), Ok(Done::Recorded));
}

#[test]
fn trace_data_without_a_mark() {
    let desk = desk();
    let trial = strict(&desk);
    issue(&desk, trial, 1);
    let desk = desk.reopened(2, |clock| clock.seconds(7200));
    assert_eq!(sweep(&desk), 0);
    assert_eq!(extensions(&desk, trial), [micros(2 * HOUR)]);
}

#[test]
fn trace_a_mark_waits_for_extensions() {
    let store = Arc::new(SimStore::new());
    let desk = Desk::new(store.clone(), 1);
    let trial = strict(&desk);
    let duel = issue(&desk, trial, 1)[0];
    let start = desk.clock.now();
    assert_eq!(desk.arena.mark_time(), Ok(true));
    desk.clock.jump(HOUR);
    assert_eq!(desk.arena.mark_time(), Ok(false));
    assert_eq!(store.last_time(), Ok(Some(start)));
    // The extension cannot be stored, and is tried again.
    store.set_faults(Faults { before: 1.0, ..Faults::default() });
    desk.settle();
    assert_eq!(desk.arena.mark_time(), Ok(false));
    desk.settle();
    store.set_faults(Faults::default());
    assert_eq!(extensions(&desk, trial), [0; 0]);
    assert_eq!(desk.arena.mark_time(), Ok(false));
    desk.settle();
    assert_eq!(desk.arena.mark_time(), Ok(true));
    assert_eq!(store.last_time(), Ok(Some(desk.clock.now())));
    assert_eq!(extensions(&desk, trial), [micros(HOUR)]);
    desk.clock.seconds(600);
    assert_eq!(answer(&desk, &duel), Ok(Done::Recorded));
}

#[test]
fn trace_a_lost_answer_to_an_extended_duel_can_be_repeated() {
    let store = Arc::new(SimStore::new());
    let desk = Desk::new(store.clone(), 1);
    let trial = strict(&desk);
    let duel = issue(&desk, trial, 1)[0];
    // The only duel in flight is answered, the clock jumps, and the answer is lost.
    let pending = desk.arena.answer(duel.id, &plain(Answer::Left)).expect("it is in flight");
    desk.clock.jump(HOUR);
    assert_eq!(desk.arena.sweep(), Ok(0));
    store.set_faults(Faults { before: 1.0, ..Faults::default() });
    desk.settle();
    store.set_faults(Faults::default());
    assert!(pending.poll().is_err());
    assert_eq!(answer(&desk, &duel), Ok(Done::Recorded));
    assert_eq!(extensions(&desk, trial), [micros(HOUR)]);
}

#[test]
fn trace_a_step_back_is_ignored() {
    let desk = desk();
    let trial = strict(&desk);
    let start = desk.clock.now();
    let duels = issue(&desk, trial, 2);
    desk.clock.jump(-HOUR);
    desk.clock.seconds(1);
    assert_eq!(desk.arena.now(), start.plus_seconds(1));
    answer(&desk, &duels[0]).expect("it is in flight");
    // The time goes on after a restart, from the last mark or record.
    desk.clock.seconds(1);
    let desk = desk.reopened(2, |clock| clock.seconds(1));
    assert_eq!(desk.arena.now(), start.plus_seconds(1));
    desk.clock.seconds(4);
    desk.done(desk.arena.change(trial, Status::Paused)).expect("it is open");
    assert_eq!(desk.arena.mark_time(), Ok(true));
    desk.clock.seconds(10);
    assert_eq!(desk.arena.mark_time(), Ok(true));
    let desk = desk.reopened(3, |clock| clock.jump(-YEAR));
    desk.done(desk.arena.void(duels[0].id, VoidReason::Asked)).expect("it can be voided");
    let times: Vec<i64> =
        history(&desk, trial).iter().map(|record| (record.at.0 - start.0) / SECOND).collect();
    assert_eq!(times, [0, 0, 0, 1, 5, 15]);
    // The duel expires on time, and the right clock changes nothing.
    desk.clock.seconds(580);
    desk.clock.jump(YEAR + HOUR);
    assert_eq!(sweep(&desk), 0);
    desk.clock.seconds(20);
    assert_eq!(sweep(&desk), 1);
    assert_eq!(extensions(&desk, trial), [0; 0]);
}

#[test]
fn trace_keys_stay_expired() {
    let desk = desk();
    let expires = Some(desk.clock.now().plus_seconds(60));
    let make = |expires| desk.arena.make_key(Scope::Writer, None, None, expires).expect("a key");
    let ((key, passing), (_, lasting)) = (make(expires), make(None));
    let session = desk.arena.begin_session(&lasting, 30).expect("it is stored").expect("a valid key");
    assert_eq!(desk.arena.expire_keys(), Ok(0));
    desk.clock.seconds(60);
    assert!(desk.arena.check_key(&passing).is_none(), "also before a sweep");
    assert_eq!(desk.arena.expire_keys(), Ok(2));
    assert_eq!(desk.arena.expire_keys(), Ok(0));
    let records = history(&desk, ExperimentId::ARENA);
    let is_expiry = |record: &&Record| record.event.body().ends_with(r#","expired":true}"#);
    assert_eq!((records.len(), records.iter().filter(is_expiry).count()), (5, 2));
    let desk = desk.reopened(2, |clock| clock.jump(-YEAR));
    assert!(desk.arena.check_key(&passing).is_none());
    assert!(desk.arena.check_key(&session).is_none());
    assert!(desk.arena.check_key(&lasting).is_some());
    let keys = desk.arena.keys();
    let listed = keys.iter().find(|listed| listed.made.key == key).expect("it is listed");
    assert_eq!((listed.expired, listed.revoked), (true, None));
    // It can be revoked all the same.
    assert_eq!(desk.arena.revoke_key(key), Ok(Done::Recorded));
    assert_eq!(desk.arena.revoke_key(key), Ok(Done::Already));
    assert_eq!(desk.arena.expire_keys(), Ok(0));
}
