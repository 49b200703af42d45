//! Slates and rankings: worked by hand, over restarts, and their statistical guarantees.

use std::sync::Arc;

use proptest::prelude::*;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tiltyard_arena::ArenaError;
use tiltyard_arena::arena::{Done, SlateDuel, digest, load_from_start};
use tiltyard_arena::domain::{
    Against, Answer, Apprentice, BallotEvent, Experiment, Fold, IssueRequest, Known, Late, ListsRequest,
    PairCounts, PairEvidence, RankRequest, Ranking, Refusal, SlateRequest, Status, Target, VoidReason,
};
use tiltyard_arena::id::{DuelId, ExperimentId};
use tiltyard_arena::time::Time;
use tiltyard_bandit::verdict::{Tally, borda};
use tiltyard_bandit::{Arm, Outcome};

use crate::sim_store::SimStore;
use crate::support::{Desk, plain, request};

fn slate_of(size: u32) -> SlateRequest {
    SlateRequest { size, client: None, context: None }
}

fn draw(desk: &Desk, trial: ExperimentId, size: u32) -> SlateDuel {
    desk.done(desk.arena.issue_slate(trial, &slate_of(size))).expect("it runs")
}

fn names(slate: &SlateDuel) -> Vec<String> {
    slate.slate.arms.iter().map(|&arm| name(arm as usize)).collect()
}

fn name(arm: usize) -> String {
    char::from(b'a' + u8::try_from(arm).expect("few arms")).to_string()
}

fn say(ranking: Ranking<String>) -> RankRequest {
    RankRequest { ranking, voter: None, said: None }
}

/// All arms, with the lower indices first.
fn in_order(slate: &SlateDuel) -> Ranking<String> {
    let mut names = names(slate);
    names.sort();
    Ranking::Order(names.into_iter().map(|name| vec![name]).collect())
}

fn rank(desk: &Desk, duel: DuelId, ranking: Ranking<String>) -> Result<Done, ArenaError> {
    desk.done(desk.arena.rank(duel, &say(ranking)))
}

/// The digest of the state folded from the log alone.
fn refolded(desk: &Desk, trial: ExperimentId) -> String {
    digest(
        &load_from_start(&*desk.store, trial).expect("the log folds").expect("the log is there").experiment,
    )
}

fn sums(experiment: &Experiment) -> Vec<f64> {
    experiment.policy().clone().additive().expect("it is additive").sums()
}

fn pair(experiment: &Experiment, first: usize, second: usize) -> PairCounts {
    experiment.pairs().get(&(Arm::new(first), Arm::new(second))).copied().unwrap_or_default()
}

fn tally(experiment: &Experiment, first: usize, second: usize) -> Tally {
    let pair = experiment.evidence().pair(Arm::new(first), Arm::new(second));
    pair.map(|pair| *pair.all()).unwrap_or_default()
}

/// A ranking of four arms out of four: every pair is a vote of weight 1/3, and nothing is left
/// after voiding.
#[test]
fn trace_a_ranking_counts_and_is_taken_back() {
    let desk = Desk::new(Arc::new(SimStore::new()), 1);
    let trial = desk.create("rex3:gamma=0.5", 4, |_| {});
    let before = desk.state(trial);
    let slate = draw(&desk, trial, 4);
    let duel = slate.duel.id;
    let mut arms = names(&slate);
    arms.sort();
    assert_eq!(arms, ["a", "b", "c", "d"]);
    let issued = desk.state(trial);
    assert_eq!((issued.totals().duels, issued.n_in_flight()), (1, 1));
    for entry in issued.arms() {
        assert_eq!((entry.counts.duels, entry.counts.in_flight), (1, 1));
    }
    // All pairs are in flight, so that evidence is in the order of issue.
    for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        assert_eq!(issued.evidence().pair(Arm::new(i), Arm::new(j)).map(PairEvidence::waiting), Some(1));
    }
    let wrong = |tiers: &[&[&str]]| {
        let tiers = tiers.iter().map(|tier| tier.iter().map(|&name| name.to_owned()).collect()).collect();
        rank(&desk, duel, Ranking::Order(tiers)).expect_err("it is not a ranking of the slate")
    };
    let refused = |refusal: Refusal| ArenaError::from(refusal);
    assert_eq!(wrong(&[&["a"], &["b", "c"]]), refused(Refusal::NotRanked { name: "d".into() }).clone());
    assert_eq!(wrong(&[&["a"], &["a", "c"]]), refused(Refusal::RankedTwice { name: "a".into() }));
    assert_eq!(wrong(&[&["a"], &["x", "c"]]), refused(Refusal::NotInSlate { name: "x".into() }));
    assert_eq!(wrong(&[&["a"], &[], &["b", "c", "d"]]), refused(Refusal::EmptyTie));
    assert_eq!(
        rank(&desk, duel, Ranking::Best("x".into())),
        Err(refused(Refusal::NotInSlate { name: "x".into() }))
    );
    for answer in [Answer::Left, Answer::Right, Answer::Tie, Answer::BothBad] {
        assert_eq!(desk.done(desk.arena.answer(duel, &plain(answer))), Err(refused(Refusal::IsSlate)));
    }
    let lists = ListsRequest::default();
    assert_eq!(desk.done(desk.arena.merge(duel, &lists)).map(drop), Err(refused(Refusal::IsSlate)));

    let tied = |one: &str, other: &str| {
        Ranking::Order(vec![vec!["a".into()], vec![one.into(), other.into()], vec!["d".into()]])
    };
    assert_eq!(rank(&desk, duel, tied("b", "c")), Ok(Done::Recorded));
    // The order of equally good arms does not matter.
    assert_eq!(rank(&desk, duel, tied("c", "b")), Ok(Done::Already));
    assert_eq!(rank(&desk, duel, in_order(&slate)), Err(refused(Refusal::Contradiction)));
    assert_eq!(rank(&desk, duel, Ranking::Best("a".into())), Err(refused(Refusal::Contradiction)));
    let by_another = RankRequest { voter: Some("v".into()), ..say(tied("b", "c")) };
    assert_eq!(desk.done(desk.arena.rank(duel, &by_another)), Err(refused(Refusal::Contradiction)));
    assert_eq!(
        desk.done(desk.arena.answer(duel, &plain(Answer::Skip))),
        Err(refused(Refusal::Contradiction))
    );
    assert_eq!(desk.done(desk.arena.answer(duel, &plain(Answer::Left))), Err(refused(Refusal::IsSlate)));

    let now = desk.state(trial);
    let totals = now.totals();
    assert_eq!((totals.votes, totals.graded, totals.ties, totals.rankings), (6, 5, 1, 1));
    assert_eq!((totals.left, totals.right, totals.imported, totals.duels), (0, 0, 0, 1));
    assert_eq!((pair(&now, 0, 1).graded, pair(&now, 1, 2).ties), (1, 1));
    assert!((pair(&now, 0, 3).graded_sum - 1.0 / 3.0).abs() < 1e-15);
    assert!((tally(&now, 0, 3).votes - 1.0 / 3.0).abs() < 1e-15);
    assert!((tally(&now, 0, 3).wins - 1.0 / 3.0).abs() < 1e-15);
    assert!((tally(&now, 1, 2).votes - 1.0 / 3.0).abs() < 1e-15);
    // p is 1/4 for each arm, and any two arms are shown together. An arm gains p s / U = s/4 from
    // each other arm.
    let learned = sums(&now);
    for (sum, expected) in learned.iter().zip([0.75, 0.0, 0.0, -0.75]) {
        assert!((sum - expected).abs() < 1e-12, "{learned:?}");
    }
    assert_eq!(refolded(&desk, trial), digest(&now));

    assert_eq!(desk.done(desk.arena.void(duel, VoidReason::Asked)), Ok(Done::Recorded));
    assert_eq!(desk.done(desk.arena.void(duel, VoidReason::Asked)), Ok(Done::Already));
    assert_eq!(rank(&desk, duel, tied("b", "c")), Err(refused(Refusal::Voided)));
    let now = desk.state(trial);
    assert_eq!(now.pairs(), before.pairs());
    assert_eq!(now.evidence(), before.evidence());
    let totals = now.totals();
    assert_eq!((totals.votes, totals.graded, totals.rankings, totals.voided), (0, 0, 0, 1));
    // The sums come from some additions of numbers below 1, each with an error of about 1e-16.
    assert!(sums(&now).iter().all(|sum| sum.abs() < 1e-12));
    assert_eq!(refolded(&desk, trial), digest(&now));
}

/// The best arm beats each other arm. The choice says nothing about the others among themselves.
#[test]
fn trace_the_best_of_several() {
    let desk = Desk::new(Arc::new(SimStore::new()), 2);
    let trial = desk.create("rex3:gamma=0.5", 3, |_| {});
    let slate = draw(&desk, trial, 3);
    assert_eq!(rank(&desk, slate.duel.id, Ranking::Best("b".into())), Ok(Done::Recorded));
    assert_eq!(rank(&desk, slate.duel.id, Ranking::Best("b".into())), Ok(Done::Already));
    let now = desk.state(trial);
    assert_eq!((now.totals().votes, now.totals().rankings), (2, 1));
    assert_eq!((tally(&now, 0, 1).losses, tally(&now, 1, 2).wins, tally(&now, 0, 2).votes), (0.5, 0.5, 0.0));
    assert_eq!(pair(&now, 0, 2), PairCounts::default());
    // The pair is no longer in flight.
    assert!(now.evidence().pair(Arm::new(0), Arm::new(2)).is_none());
    let learned = sums(&now);
    for (sum, expected) in learned.iter().zip([-1.0 / 3.0, 2.0 / 3.0, -1.0 / 3.0]) {
        assert!((sum - expected).abs() < 1e-12, "{learned:?}");
    }
}

#[test]
fn trace_what_is_refused() {
    let desk = Desk::new(Arc::new(SimStore::new()), 3);
    let trial = desk.create("rex3", 5, |_| {});
    let ask = |trial, size| desk.done(desk.arena.issue_slate(trial, &slate_of(size))).map(drop);
    let out_of_range = |got| Refusal::OutOfRange { what: "the size of a slate", got, least: 3, most: 20 };
    for size in [0, 1, 2, 21, u32::MAX] {
        assert_eq!(ask(trial, size), Err(out_of_range(u64::from(size)).into()));
    }
    assert_eq!(ask(trial, 6), Err(Refusal::SlateTooLarge { size: 6, active: 5 }.into()));
    desk.done(desk.arena.retire_arm(trial, "c")).expect("it is elastic");
    assert_eq!(ask(trial, 5), Err(Refusal::SlateTooLarge { size: 5, active: 4 }.into()));
    for _ in 0..20 {
        assert!(!names(&draw(&desk, trial, 3)).contains(&"c".to_owned()), "it is retired");
    }
    let duel = desk.done(desk.arena.issue(trial, &IssueRequest::default())).expect("it runs")[0];
    assert_eq!(rank(&desk, duel.id, Ranking::Best("a".into())), Err(Refusal::NotASlate.into()));
    let other = DuelId { token: duel.id.token ^ 1, ..duel.id };
    assert_eq!(rank(&desk, other, Ranking::Best("a".into())), Err(Refusal::NoDuel.into()));
    desk.done(desk.arena.answer(duel.id, &plain(Answer::Left))).expect("it is in flight");
    assert_eq!(rank(&desk, duel.id, Ranking::Best("a".into())), Err(Refusal::NotASlate.into()));
    desk.done(desk.arena.change(trial, Status::Paused)).expect("it runs");
    assert_eq!(ask(trial, 3), Err(Refusal::Paused.into()));
    // Thompson sampling cannot propose two different arms on request.
    let other = desk.create("dts", 5, |_| {});
    assert!(matches!(ask(other, 3), Err(ArenaError::Refused(Refusal::NotDistinct { .. }))));
}

/// A repeated request gets the same slate, and a request of another kind is refused.
#[test]
fn trace_asked_again() {
    let desk = Desk::new(Arc::new(SimStore::new()), 4);
    let trial = desk.create("rex3", 6, |_| {});
    let named = |client: &str, size| SlateRequest { client: Some(client.into()), ..slate_of(size) };
    let first = desk.done(desk.arena.issue_slate(trial, &named("1", 4))).expect("it runs");
    let again = desk.done(desk.arena.issue_slate(trial, &named("1", 4))).expect("it is the same");
    assert_eq!((first.drawn, again.drawn), (true, false));
    assert_eq!((again.duel, &again.slate), (first.duel, &first.slate));
    let taken = || Err(ArenaError::from(Refusal::ClientTaken { client: "1".into() }));
    assert_eq!(desk.done(desk.arena.issue_slate(trial, &named("1", 5))).map(drop), taken());
    let plain = IssueRequest { client: Some("1".into()), ..IssueRequest::default() };
    assert_eq!(desk.done(desk.arena.issue(trial, &plain)).map(drop), taken());
    let plain = IssueRequest { client: Some("2".into()), ..IssueRequest::default() };
    desk.done(desk.arena.issue(trial, &plain)).expect("it runs");
    let taken = Err(Refusal::ClientTaken { client: "2".into() }.into());
    assert_eq!(desk.done(desk.arena.issue_slate(trial, &named("2", 4))).map(drop), taken);
    let desk = desk.restarted(5);
    let again = desk.done(desk.arena.issue_slate(trial, &named("1", 4))).expect("it is the same");
    assert_eq!((again.duel, &again.slate), (first.duel, &first.slate));
}

/// A slate in flight survives a restart, from a snapshot and from the log. A late ranking of an
/// expired slate is not evidence.
#[test]
fn trace_restarts_and_late_rankings() {
    for late in [Late::Accept, Late::Refuse] {
        let desk = Desk::new(Arc::new(SimStore::new()), 6);
        let trial = desk.create("rex3", 5, |settings| (settings.expires_after, settings.late) = (10, late));
        let [kept, overdue, skipped, voided] = [(); 4].map(|()| draw(&desk, trial, 4));
        let before = desk.state(trial);
        desk.arena.snapshot_all();
        desk.settle();
        let desk = desk.restarted(7);
        assert_eq!(digest(&desk.state(trial)), digest(&before));
        assert_eq!(refolded(&desk, trial), digest(&before));
        rank(&desk, kept.duel.id, in_order(&kept)).expect("it is in flight");
        let one = desk.state(trial);
        desk.clock.seconds(11);
        assert_eq!(desk.arena.sweep(), Ok(3));
        desk.settle();
        let now = desk.state(trial);
        let unanswered: u64 = now.arms().iter().map(|entry| entry.counts.unanswered).sum();
        assert_eq!((now.totals().unanswered, unanswered), (3, 12));
        assert!(now.arms().iter().all(|entry| entry.counts.in_flight == 0));
        let desk = desk.restarted(8);
        if late == Late::Refuse {
            let refused = Err(ArenaError::from(Refusal::Expired));
            assert_eq!(rank(&desk, overdue.duel.id, in_order(&overdue)), refused);
            continue;
        }
        assert_eq!(rank(&desk, overdue.duel.id, in_order(&overdue)), Ok(Done::Recorded));
        assert_eq!(rank(&desk, overdue.duel.id, in_order(&overdue)), Ok(Done::Already));
        let now = desk.state(trial);
        let totals = now.totals();
        assert_eq!((totals.votes, totals.late, totals.unanswered, totals.rankings), (12, 6, 2, 2));
        for (i, j) in (0..5).flat_map(|i| (i + 1..5).map(move |j| (i, j))) {
            assert_eq!(tally(&one, i, j), tally(&now, i, j), "{i} {j}");
        }
        assert_ne!(sums(&one), sums(&now), "a late ranking is learned");
        desk.done(desk.arena.answer(skipped.duel.id, &plain(Answer::Skip)))
            .expect("late answers are welcome");
        desk.done(desk.arena.void(voided.duel.id, VoidReason::Asked)).expect("it is there");
        desk.done(desk.arena.void(overdue.duel.id, VoidReason::Asked)).expect("it is there");
        let now = desk.state(trial);
        let totals = now.totals();
        assert_eq!((totals.votes, totals.late, totals.unanswered, totals.rankings), (6, 0, 0, 1));
        assert_eq!((totals.skipped, totals.voided), (1, 2));
        assert_eq!(refolded(&desk, trial), digest(&now));
    }
}

/// The series of votes has each ranking once, with all its pairs. The rankings of a voter are
/// voided with the voter's other votes.
#[test]
fn trace_the_series_of_votes_and_the_voter() {
    let desk = Desk::new(Arc::new(SimStore::new()), 9);
    let trial = desk.create("rex3", 4, |_| {});
    let first = draw(&desk, trial, 3);
    let second = draw(&desk, trial, 3);
    let by =
        |slate: &SlateDuel, voter: &str| RankRequest { voter: Some(voter.into()), ..say(in_order(slate)) };
    desk.done(desk.arena.rank(first.duel.id, &by(&first, "v"))).expect("it is in flight");
    desk.done(desk.arena.rank(second.duel.id, &by(&second, "w"))).expect("it is in flight");
    let series = |desk: &Desk| {
        let mut seen = Vec::new();
        let mut visit = |step: BallotEvent| {
            if let BallotEvent::Voted(ballot) = step {
                let (slate, ranking) = ballot.ranked.expect("it was ranked");
                let votes = slate.votes(&ranking);
                // With three of four arms, any two are shown together half of the time, in either
                // order.
                assert!(
                    votes.iter().all(|vote| (vote.propensity.expect("it is known") - 0.25).abs() < 1e-12)
                );
                seen.push((ballot.voter.expect("it has one"), votes.len()));
            }
            true
        };
        desk.arena.ballots(trial, &mut visit).expect("the log can be read");
        seen
    };
    assert_eq!(series(&desk), [("v".to_owned(), 3), ("w".to_owned(), 3)]);
    let evaluated = desk.done(desk.arena.evaluate(trial, &Target::Arm("a".into()), &Against::Uniform));
    let evaluated = evaluated.expect("the drawn pairs say something");
    assert_eq!((evaluated.duels, evaluated.unusable), (2, 0));
    let duels = desk.arena.votes_of(trial, "v", None).expect("the log can be read");
    assert_eq!(duels, [first.duel.id]);
    let without = desk.done(desk.arena.evidence_without(trial, &duels)).expect("the log can be read");
    let voided = desk.done(desk.arena.void_all(trial, &duels, VoidReason::Voter)).expect("they are there");
    assert_eq!(voided, 1);
    assert_eq!(desk.state(trial).evidence().n_pairs(), without.n_pairs());
    for (pair, evidence) in desk.state(trial).evidence().pairs() {
        assert_eq!(without.pair(pair.0, pair.1).map(|pair| *pair.all()), Some(*evidence.all()));
    }
    assert_eq!(series(&desk), [("w".to_owned(), 3)]);
}

/// An apprentice learns from every pair or from the drawn pair, keeps that when it takes over, and
/// takes back what is voided.
#[test]
fn trace_apprentices() {
    for (policy, apprentice) in [("rex3", "vdb"), ("rex3", "dexp3"), ("rex3:gamma=0.3", "rex3:gamma=0.1")] {
        let desk = Desk::new(Arc::new(SimStore::new()), 10);
        let trial = desk.create(policy, 5, |settings| settings.horizon = Some(1000));
        desk.done(desk.arena.begin_apprentice(trial, apprentice)).expect("it can learn");
        let before = desk.state(trial);
        let [first, second, third] = [(); 3].map(|()| draw(&desk, trial, 4));
        rank(&desk, first.duel.id, in_order(&first)).expect("it is in flight");
        let lessons = |desk: &Desk| desk.state(trial).apprentice().map(Apprentice::lessons);
        assert_eq!(lessons(&desk), Some(1));
        let of_apprentice = |experiment: &Experiment| {
            let policy = experiment.apprentice().expect("it learns").policy().clone();
            (policy.round(), policy.clone().additive().map(|additive| additive.sums()))
        };
        // One round was counted, however many pairs there were.
        assert_eq!(of_apprentice(&desk.state(trial)).0, of_apprentice(&before).0 + 1);
        assert_ne!(of_apprentice(&desk.state(trial)).1, of_apprentice(&before).1, "{apprentice}");
        rank(&desk, second.duel.id, Ranking::Best(names(&second)[1].clone())).expect("it is in flight");
        desk.done(desk.arena.void(second.duel.id, VoidReason::Asked)).expect("it is there");
        assert_eq!(lessons(&desk), Some(1));
        assert_eq!(refolded(&desk, trial), digest(&desk.state(trial)));
        desk.done(desk.arena.promote_apprentice(trial)).expect("it is there");
        // The predecessor drew this slate.
        rank(&desk, third.duel.id, in_order(&third)).expect("it is in flight");
        let learned = desk.state(trial);
        desk.done(desk.arena.void(third.duel.id, VoidReason::Asked)).expect("it is there");
        desk.done(desk.arena.void(first.duel.id, VoidReason::Asked)).expect("it is there");
        assert_ne!(sums(&learned), sums(&desk.state(trial)));
        let begun = of_apprentice(&before).1.expect("it is additive");
        for (sum, begun) in sums(&desk.state(trial)).iter().zip(begun) {
            // The sums come from some additions of numbers below 10.
            assert!((sum - begun).abs() < 1e-9, "{apprentice}");
        }
        assert_eq!(refolded(&desk, trial), digest(&desk.state(trial)));
    }
}

/// Held-out slates are counted and not learned.
#[test]
fn trace_holdouts() {
    let desk = Desk::new(Arc::new(SimStore::new()), 11);
    let trial = desk.create("rex3", 4, |settings| settings.holdout = 1.0);
    let slate = draw(&desk, trial, 3);
    assert!(slate.duel.drawn.holdout);
    rank(&desk, slate.duel.id, in_order(&slate)).expect("it is in flight");
    let now = desk.state(trial);
    assert_eq!((now.totals().votes, now.totals().holdout), (3, 3));
    assert!(sums(&now).iter().all(|&sum| sum == 0.0));
    desk.done(desk.arena.void(slate.duel.id, VoidReason::Asked)).expect("it is there");
    assert_eq!(desk.state(trial).totals().holdout, 0);
    assert_eq!(refolded(&desk, trial), digest(&desk.state(trial)));
}

#[derive(Debug, Clone)]
enum Ask {
    Slate(u32),
    Duel,
    Rank(usize, u64),
    Best(usize, usize),
    Skip(usize),
    Void(usize),
    Shown(usize),
    Wait,
    Restart,
}

fn any_ask() -> impl Strategy<Value = Ask> {
    let which = 0..40_usize;
    prop_oneof![
        4 => (3..6_u32).prop_map(Ask::Slate),
        2 => Just(Ask::Duel),
        4 => (which.clone(), any::<u64>()).prop_map(|(which, seed)| Ask::Rank(which, seed)),
        3 => (which.clone(), 0..6_usize).prop_map(|(which, best)| Ask::Best(which, best)),
        1 => which.clone().prop_map(Ask::Skip),
        2 => which.clone().prop_map(Ask::Void),
        1 => which.prop_map(Ask::Shown),
        1 => Just(Ask::Wait),
        1 => Just(Ask::Restart),
    ]
}

proptest! {
    /// For any requests, the log folds to the live state, votes are counted once, and nothing is
    /// left after everything is voided.
    #[test]
    fn law_the_log_is_the_state(
        asks in prop::collection::vec(any_ask(), 1..40),
        // Policies that learn from all pairs and can take back, that learn from all pairs and
        // cannot take back, and that learn from the drawn pair.
        policy in prop::sample::select(vec!["rex3", "rex3:schedule=epochs", "vdb:estimator=rv", "dexp3", "random"]),
        refuse in any::<bool>(),
    ) {
        let mut desk = Desk::new(Arc::new(SimStore::new()), 1);
        let trial = desk.create(policy, 6, |settings| {
            settings.expires_after = 10;
            settings.horizon = Some(1000);
            settings.late = if refuse { Late::Refuse } else { Late::Accept };
        });
        let mut duels: Vec<(DuelId, Option<SlateDuel>)> = Vec::new();
        let mut seed = 1;
        for ask in asks {
            let at = |which: usize| duels.get(which % duels.len().max(1)).cloned();
            match ask {
                Ask::Slate(size) => {
                    let slate = draw(&desk, trial, size);
                    duels.push((slate.duel.id, Some(slate)));
                }
                Ask::Duel => {
                    let duel = desk.done(desk.arena.issue(trial, &IssueRequest::default())).expect("it runs")[0];
                    duels.push((duel.id, None));
                }
                Ask::Rank(which, seed) => {
                    let Some((id, slate)) = at(which) else { continue };
                    let tiers = slate.as_ref().map_or_else(|| vec!["a".into()], names);
                    let mut rng = ChaCha8Rng::seed_from_u64(seed);
                    let mut sorted: Vec<Vec<String>> = Vec::new();
                    for name in tiers {
                        let at = rng.random_range(0..=sorted.len());
                        match sorted.get_mut(at) {
                            Some(tier) if rng.random_bool(0.3) => tier.push(name),
                            _ => sorted.insert(at, vec![name]),
                        }
                    }
                    let said = rank(&desk, id, Ranking::Order(sorted));
                    let refused = [Refusal::NotASlate, Refusal::Voided].map(|refusal| Err(refusal.into()));
                    prop_assert!(slate.is_some() || refused.contains(&said), "{:?}", said);
                }
                Ask::Best(which, best) => {
                    let Some((id, Some(slate))) = at(which) else { continue };
                    let names = names(&slate);
                    let _ = rank(&desk, id, Ranking::Best(names[best % names.len()].clone()));
                }
                Ask::Skip(which) => {
                    let Some((id, _)) = at(which) else { continue };
                    let _ = desk.done(desk.arena.answer(id, &plain(Answer::Skip)));
                }
                Ask::Void(which) => {
                    let Some((id, _)) = at(which) else { continue };
                    desk.done(desk.arena.void(id, VoidReason::Asked)).expect("it is there");
                }
                Ask::Shown(which) => {
                    let Some((id, _)) = at(which) else { continue };
                    desk.done(desk.arena.shown(id)).expect("it is there");
                }
                Ask::Wait => {
                    desk.clock.seconds(6);
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
        let now = desk.state(trial);
        prop_assert_eq!(refolded(&desk, trial), digest(&now));
        let in_pairs: u64 = now.pairs().values().map(PairCounts::votes).sum();
        prop_assert_eq!(in_pairs, now.totals().votes);
        let mut n_votes = 0;
        desk.arena
            .ballots(trial, &mut |step| {
                if let BallotEvent::Voted(ballot) = step {
                    n_votes += ballot.ranked.as_ref().map_or(1, |(slate, ranking)| slate.votes(ranking).len() as u64);
                }
                true
            })
            .expect("the log can be read");
        prop_assert_eq!(n_votes, now.totals().votes);
        let all: Vec<DuelId> = duels.iter().map(|(id, _)| *id).collect();
        desk.done(desk.arena.void_all(trial, &all, VoidReason::Voter)).expect("they are there");
        let now = desk.state(trial);
        prop_assert_eq!(refolded(&desk, trial), digest(&now));
        prop_assert!(now.pairs().is_empty());
        prop_assert_eq!((now.totals().votes, now.totals().rankings, now.totals().late), (0, 0, 0));
        prop_assert_eq!(now.totals().voided, duels.len() as u64);
        prop_assert!(now.evidence().pairs().all(|(_, pair)| pair.all().votes.abs() < 1e-9));
        prop_assert!(now.arms().iter().all(|entry| entry.counts.in_flight == 0));
    }
}

/// Ranks a slate by utilities with uniform noise, of the same width for all arms.
fn noisy(arms: &[u32], utilities: &[f64], rng: &mut ChaCha8Rng) -> Vec<u32> {
    let mut felt: Vec<(f64, u32)> =
        arms.iter().map(|&arm| (utilities[arm as usize] + rng.random::<f64>(), arm)).collect();
    felt.sort_by(|one, other| other.0.total_cmp(&one.0));
    felt.into_iter().map(|(_, arm)| arm).collect()
}

/// Plays one experiment with slates of this size, and returns the first leader that is ever named.
fn play(utilities: &[f64], size: u32, rounds: usize, best_only: bool, seed: u64) -> Option<Arm> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let event = Experiment::create(request("rex3", utilities.len(), |_| {}), &mut rng).expect("it is sound");
    let id = ExperimentId::from_random(seed);
    let record = tiltyard_arena::domain::Record { experiment: id, seq: 1, at: Time(0), event };
    let mut fold = Fold::new();
    fold.push(&record).expect("it begins a log");
    let mut experiment = fold.finish().expect("it was created");
    for _ in 0..rounds {
        let record = experiment.issue_slate(&slate_of(size), Time(0), &mut rng).expect("it runs");
        let tiltyard_arena::domain::Event::Issued(issued) = &record.event else {
            panic!("the event is not an issue")
        };
        let slate = issued.slate.clone().expect("it is a slate");
        let duel = DuelId { experiment: id, seq: record.seq, token: issued.drawn.token };
        let order = noisy(&slate.arms, utilities, &mut rng);
        let names = order.into_iter().map(|arm| name(arm as usize));
        let ranking = if best_only {
            Ranking::Best(names.into_iter().next().expect("there are arms"))
        } else {
            Ranking::Order(names.map(|name| vec![name]).collect())
        };
        let event = experiment
            .rank(duel, Known::default(), &say(ranking), Time(0), &mut rng)
            .expect("it is in flight");
        let record = experiment.next(Time(0), event.expect("it is the first"));
        experiment.fold(&record).expect("it was just decided");
        let leader = experiment.evidence().leader();
        if leader.is_some() {
            return leader;
        }
    }
    None
}

/// Equal arms have a leader in at most 5 % of experiments, and so do two equal arms ahead of the
/// rest. A better arm is found.
#[test]
fn stat_leaders_by_rankings() {
    let runs = 100;
    let leaders = |utilities: &[f64], rounds, best_only| -> Vec<Option<Arm>> {
        (0..runs).map(|seed| play(utilities, 4, rounds, best_only, seed)).collect()
    };
    for best_only in [false, true] {
        for utilities in [[0.0; 6], [0.6, 0.6, 0.0, 0.0, 0.0, 0.0]] {
            let n_false = leaders(&utilities, 600, best_only).iter().flatten().count();
            // At a rate of 0.05, more than 12 of 100 occur with probability 0.0015 (binomial).
            assert!(n_false <= 12, "{n_false} of {runs} have a false leader");
        }
        // The first arm wins 4 of 5 of its pairs: with noise of width 1, with probability 1 - (1 -
        // 0.37)^2 / 2.
        let found = leaders(&[0.37, 0.0, 0.0, 0.0, 0.0, 0.0], 1500, best_only);
        assert!(found.iter().flatten().all(|&arm| arm == Arm::new(0)));
        let n_found = found.iter().flatten().count();
        assert!(n_found >= 95, "{n_found} of {runs} found the best arm");
    }
}

/// Why a pair among n arms has the weight 1/(n - 1): if one arm's luck decides all its pairs at
/// once, intervals from whole votes miss its Borda score too often.
#[test]
fn stat_whole_votes_of_one_judgement_promise_too_much() {
    let (runs, n_arms) = (200_u64, 6);
    let missed = |weight: f64| {
        let is_missed = |seed: u64| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut rivals = vec![Tally::default(); n_arms - 1];
            (0..200).any(|_| {
                // The arm wins all pairs or none, so its mean is 1/2 against each rival.
                let outcome = if rng.random() { Outcome::WIN } else { Outcome::LOSS };
                for rival in &mut rivals {
                    rival.add(outcome, weight);
                }
                let interval = borda(&rivals, 0.05).interval;
                !(interval.low..=interval.high).contains(&0.5)
            })
        };
        (0..runs).filter(|&seed| is_missed(seed)).count()
    };
    // At a rate of 0.05, more than 21 of 200 occur with probability 0.0005 (binomial).
    let (shared, whole) = (missed(1.0 / 5.0), missed(1.0));
    assert!(shared <= 21, "{shared} of {runs}");
    assert!(whole >= 60, "{whole} of {runs}: whole votes do as well");
}
