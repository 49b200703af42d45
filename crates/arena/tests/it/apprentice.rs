//! Apprentices: policies that learn in the shadow of another policy before they take traffic.

use std::sync::Arc;

use proptest::prelude::*;
use tiltyard_arena::ArenaError;
use tiltyard_arena::arena::{Duel, digest, load_from_start};
use tiltyard_arena::domain::{Answer, Apprentice, IssueRequest, Refusal, VoidReason};
use tiltyard_arena::id::{DuelId, ExperimentId};
use tiltyard_bandit::Arm;

use crate::sim_store::SimStore;
use crate::support::{Desk, plain, request};

/// Creates an experiment that allows duels of an arm with itself, so that any policy can take over.
fn create(desk: &Desk, policy: &str, n_arms: usize) -> ExperimentId {
    let mut request = request(policy, n_arms, |settings| settings.distinct = false);
    request.distinct_by_policy = false;
    desk.done(desk.arena.create(request)).expect("it is a sound request")
}

fn duels(desk: &Desk, trial: ExperimentId, count: u32) -> Vec<Duel> {
    let request = IssueRequest { count, ..IssueRequest::default() };
    desk.done(desk.arena.issue(trial, &request)).expect("it runs")
}

/// Votes for the arm with the lower index.
fn vote(desk: &Desk, duel: &Duel) {
    let (left, right) = duel.drawn.sides();
    let answer = if left < right { Answer::Left } else { Answer::Right };
    desk.done(desk.arena.answer(duel.id, &plain(answer))).expect("it is in flight");
}

/// The state folded from the log alone is the live state.
fn check_log(desk: &Desk, trial: ExperimentId) {
    let folded =
        load_from_start(&*desk.store, trial).expect("the log folds").expect("the log is there").experiment;
    assert_eq!(digest(&folded), digest(&desk.state(trial)));
}

#[test]
fn trace_apprentice_learns_and_takes_over() {
    for (present, learner) in [("rex3", "vdb"), ("rex3", "rucb"), ("random", "rex3"), ("dts", "rmed1")] {
        let desk = Desk::new(Arc::new(SimStore::new()), 3);
        let trial = create(&desk, present, 4);
        for duel in duels(&desk, trial, 20) {
            vote(&desk, &duel);
        }
        desk.done(desk.arena.begin_apprentice(trial, learner)).expect("it can learn here");
        let began = desk.state(trial).seq();
        for _ in 0..40 {
            for duel in duels(&desk, trial, 10) {
                vote(&desk, &duel);
            }
        }
        let state = desk.state(trial);
        let apprentice = state.apprentice().expect("it was begun");
        assert_eq!(apprentice.began(), began);
        // A duel of an arm with itself teaches nothing, and some learners refuse it.
        assert!(apprentice.lessons() > 100, "{present}, {learner}: {}", apprentice.lessons());
        assert_eq!(apprentice.policy().recommend(), Arm::new(0), "{present}, {learner}");
        assert_eq!(state.policy().info().name, present);
        let probabilities = apprentice.policy().probabilities();
        check_log(&desk, trial);

        // Some duels are in flight while the apprentice takes over.
        let in_flight = duels(&desk, trial, 6);
        desk.done(desk.arena.promote_apprentice(trial)).expect("there is one");
        let state = desk.state(trial);
        assert!(state.apprentice().is_none());
        assert!(state.policy().spec().to_string().starts_with(learner), "{}", state.policy().spec());
        assert_eq!(state.policy().probabilities(), probabilities, "it goes on from where it was");
        vote(&desk, &in_flight[0]);
        vote(&desk, &in_flight[1]);
        desk.done(desk.arena.void(in_flight[1].id, VoidReason::Asked)).expect("it was answered");
        desk.done(desk.arena.void(in_flight[2].id, VoidReason::Asked)).expect("it is in flight");
        desk.clock.seconds(7 * 24 * 3600);
        while desk.arena.sweep().expect("nothing fails") > 0 {
            desk.settle();
        }
        desk.settle();
        for duel in duels(&desk, trial, 10) {
            vote(&desk, &duel);
        }
        check_log(&desk, trial);
        let before = digest(&desk.state(trial));
        let desk = desk.restarted(4);
        assert_eq!(digest(&desk.state(trial)), before);
    }
}

#[test]
fn trace_who_cannot_be_an_apprentice() {
    let desk = Desk::new(Arc::new(SimStore::new()), 5);
    let refused = |trial, policy: &str| match desk.arena.begin_apprentice(trial, policy) {
        Err(ArenaError::Refused(refusal)) => refusal,
        other => panic!("{policy}: {other:?}"),
    };
    let trial = create(&desk, "rex3", 3);
    assert!(matches!(refused(trial, "sparring:player=thompson"), Refusal::NoLessons { .. }));
    assert!(matches!(refused(trial, "wsw"), Refusal::NoLessons { .. }));
    assert!(matches!(refused(trial, "nothing"), Refusal::Policy(_)));
    // The probabilities by which it would divide are unknown.
    let counting = create(&desk, "rucb", 3);
    assert!(matches!(refused(counting, "rex3"), Refusal::NoChances { .. }));
    desk.done(desk.arena.begin_apprentice(counting, "dts")).expect("it counts as well");
    assert_eq!(refused(counting, "dts"), Refusal::HasApprentice);
    // It could not take over later.
    let distinct = desk.create("rex3", 3, |_| {});
    assert!(desk.state(distinct).settings().distinct);
    assert!(matches!(refused(distinct, "rucb"), Refusal::NotDistinct { .. }));
    // Arms cannot change while an apprentice cannot follow.
    desk.done(desk.arena.begin_apprentice(trial, "rucb")).expect("it can learn");
    let retired = desk.arena.retire_arm(trial, "a");
    assert!(matches!(retired, Err(ArenaError::Refused(Refusal::ApprenticeNotElastic { .. }))), "{retired:?}");
    desk.done(desk.arena.dismiss_apprentice(trial)).expect("there is one");
    desk.done(desk.arena.retire_arm(trial, "a")).expect("no apprentice is in the way");
    assert!(matches!(refused(trial, "rucb"), Refusal::NotElastic { .. }));
    desk.done(desk.arena.begin_apprentice(trial, "vdb")).expect("it can follow");
    desk.done(desk.arena.restore_arm(trial, "a")).expect("it can follow");
    check_log(&desk, trial);
    for none in [desk.arena.dismiss_apprentice(distinct), desk.arena.promote_apprentice(distinct)] {
        assert!(matches!(none, Err(ArenaError::Refused(Refusal::NoApprentice))), "{none:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// For any order of answers, voids, and apprentices that begin, are dismissed and take over:
    /// the log folds to the same state. An apprentice or a successor whose votes were all voided is
    /// as it was before them, up to rounding.
    #[test]
    fn law_log_and_state_agree(
        present in prop::sample::select(vec!["rex3", "random", "rucb", "sparring:player=thompson"]),
        steps in prop::collection::vec((0_u8..12, any::<prop::sample::Index>()), 1..80),
    ) {
        let desk = Desk::new(Arc::new(SimStore::new()), 7);
        let trial = create(&desk, present, 3);
        let (mut open, mut answered): (Vec<Duel>, Vec<DuelId>) = (Vec::new(), Vec::new());
        for (kind, at) in steps {
            match kind {
                0..=3 => open.extend(duels(&desk, trial, 1)),
                4..=7 if !open.is_empty() => {
                    let duel = open.swap_remove(at.index(open.len()));
                    vote(&desk, &duel);
                    answered.push(duel.id);
                }
                8 if !answered.is_empty() => {
                    let duel = answered.swap_remove(at.index(answered.len()));
                    desk.done(desk.arena.void(duel, VoidReason::Asked)).expect("it was answered");
                }
                9 => {
                    let learner = ["rex3", "vdb", "rucb", "dts"][at.index(4)];
                    let _ = desk.arena.begin_apprentice(trial, learner);
                    desk.settle();
                }
                10 => {
                    let _ = desk.arena.promote_apprentice(trial);
                    desk.settle();
                }
                11 => {
                    let _ = desk.arena.dismiss_apprentice(trial);
                    desk.settle();
                }
                _ => {}
            }
        }
        check_log(&desk, trial);
        for duel in answered {
            desk.done(desk.arena.void(duel, VoidReason::Asked)).expect("it was answered");
        }
        check_log(&desk, trial);
        let state = desk.state(trial);
        let learners = [Some(state.policy()), state.apprentice().map(Apprentice::policy)];
        for policy in learners.into_iter().flatten().filter(|policy| policy.info().name == "rex3") {
            let share = 1.0 / 3.0;
            for p in policy.probabilities().expect("REX3 knows them") {
                prop_assert!((p - share).abs() < 1e-6, "{:?}", policy.probabilities());
            }
        }
        if let Some(apprentice) = state.apprentice() {
            prop_assert_eq!(apprentice.lessons(), 0);
        }
    }
}
