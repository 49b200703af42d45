//! Worked by hand: drawing rankers, merging lists and crediting clicks, seen through the log, the
//! counts and the policy.

use std::sync::Arc;

use proptest::prelude::*;
use tiltyard_arena::ArenaError;
use tiltyard_arena::arena::{Done, RankerDuel, load_from_start};
use tiltyard_arena::domain::{
    AaCounts, Answer, ClickRequest, Clicked, Event, Experiment, Fold, InterleaveRequest, Interleaved,
    IssueRequest, Kind, Known, Late, Lists, ListsRequest, MergeOptions, Record, Refusal, Status, VoidReason,
};
use tiltyard_arena::id::{DuelId, ExperimentId};
use tiltyard_arena::time::Time;
use tiltyard_bandit::{Arm, Outcome, Stream};

use crate::sim_store::SimStore;
use crate::support::{Desk, plain};

fn desk() -> Desk {
    Desk::new(Arc::new(SimStore::new()), 1)
}

fn lists(given: &[(&str, &[&str])]) -> Lists {
    let owned = |list: &[&str]| list.iter().map(|&document| document.to_owned()).collect();
    Lists(given.iter().map(|&(name, list)| (name.to_owned(), owned(list))).collect())
}

/// Lists without common documents.
fn apart() -> Lists {
    lists(&[("a", &["a1", "a2"]), ("b", &["b1", "b2"]), ("c", &["c1", "c2"])])
}

fn options(method: &str, length: u32) -> MergeOptions {
    MergeOptions { method: Some(method.to_owned()), length: Some(length) }
}

fn clicks(clicked: Clicked) -> ClickRequest {
    ClickRequest { clicked, voter: None, said: None }
}

fn on(documents: &[&str]) -> ClickRequest {
    clicks(Clicked::Documents(documents.iter().map(|&document| document.to_owned()).collect()))
}

fn at(positions: &[u64]) -> ClickRequest {
    clicks(Clicked::Positions(positions.to_vec()))
}

fn refused<T>(refusal: Refusal) -> Result<T, ArenaError> {
    Err(ArenaError::Refused(refusal))
}

fn draw(desk: &Desk, trial: ExperimentId, request: &InterleaveRequest) -> RankerDuel {
    desk.done(desk.arena.interleave(trial, request)).expect("it runs")
}

fn click(desk: &Desk, duel: &RankerDuel, request: &ClickRequest) -> Result<Done, ArenaError> {
    desk.done(desk.arena.click(duel.duel.id, request))
}

fn merge(desk: &Desk, duel: &RankerDuel, lists: &Lists) -> Result<RankerDuel, ArenaError> {
    let request = ListsRequest { lists: lists.clone(), options: MergeOptions::default() };
    desk.done(desk.arena.merge(duel.duel.id, &request))
}

fn documents(duel: &RankerDuel) -> Vec<String> {
    duel.merged.as_ref().expect("it is merged").list.documents().to_vec()
}

/// An experiment with `rex3:gamma=0.5`, arms a and b, and one duel with these arms in the left and
/// in the right slot.
fn by_hand(left: usize, right: usize, swapped: bool) -> (Experiment, DuelId) {
    let id = ExperimentId::from_random(2);
    let record = |seq, kind, body: &str| {
        let event = Event::read(kind, body).expect("a body written by hand");
        Record { experiment: id, seq, at: Time(0), event }
    };
    let created = r#"{"name":"n","arms":[{"name":"a"},{"name":"b"}],"policy":"rex3:gamma=0.5","policy_version":1,"seed":5,
        "settings":{"distinct":true,"holdout":0.0,"expires_after":10,"late":"accept","activation":"issue","max_in_flight":5}}"#;
    let issued = format!(
        r#"{{"open":{{"ticket":[1,{left},{right},0.5,0,[0.5,0.5,1.0]],"swapped":{swapped},"holdout":false,"token":9,"expires":10}}}}"#
    );
    let mut fold = Fold::new();
    fold.push(&record(1, Kind::Created, created)).expect("it begins a log");
    fold.push(&record(2, Kind::Issued, &issued)).expect("it fits the policy");
    (fold.finish().expect("it was begun"), DuelId { experiment: id, seq: 2, token: 9 })
}

/// Merges the lists and folds the event.
fn merge_by_hand(
    experiment: &mut Experiment,
    duel: DuelId,
    lists: Lists,
    options: MergeOptions,
    seed: u64,
) -> Arc<Interleaved> {
    let request = ListsRequest { lists, options };
    let rng = &mut Stream::new(seed).rng();
    let event = experiment.merge_lists(duel, None, None, &request, Time(0), rng).expect("they are fine");
    experiment.fold(&experiment.next(Time(0), event.expect("nothing was merged"))).expect("it is the next");
    experiment.interleaved(duel).expect("it is in flight")
}

/// Clicks and folds the event. Returns the answer, the learned outcome and the stored clicks.
fn click_by_hand(
    experiment: &mut Experiment,
    duel: DuelId,
    request: &ClickRequest,
) -> (Answer, Option<Outcome>, Option<Vec<u32>>) {
    let merged = experiment.interleaved(duel);
    let rng = &mut Stream::new(1).rng();
    let event =
        experiment.click(duel, Known::default(), merged.as_deref(), request, Time(0), rng).expect("it fits");
    let event = event.expect("it has no answer yet");
    let Event::Answered(answered) = &event else { panic!("the event is not an answer") };
    let (said, learned, clicks) = (answered.answer, answered.learned, answered.clicks.clone());
    experiment.fold(&experiment.next(Time(0), event)).expect("it is the next");
    (said, learned, clicks)
}

/// The ranker of the clicked document wins, on either side and in either slot.
#[test]
fn trace_credit_goes_to_the_ranker_on_either_side() {
    for method in ["team-draft", "balanced", "probabilistic", "probabilistic:credit=assigned", "optimized"] {
        for (left, right, swapped) in [(0, 1, false), (0, 1, true), (1, 0, false), (1, 0, true)] {
            for (clicked, first_wins) in [(["a1", "a2"], true), (["b1", "b2"], false)] {
                let (mut experiment, duel) = by_hand(left, right, swapped);
                let two = lists(&[("a", &["a1", "a2"]), ("b", &["b1", "b2"])]);
                // The lists have no common documents and are shown completely, so every document
                // earns credit only for its own list.
                let merged = merge_by_hand(&mut experiment, duel, two, options(method, 4), 3);
                assert_eq!(merged.list.documents().len(), 4, "{method}");
                assert!(!merged.alone);
                let first = experiment.find(duel).expect("it is in flight").sides().0 == Arm::new(0);
                let (said, learned, _) = click_by_hand(&mut experiment, duel, &on(&clicked));
                // They are rankers even if none of their duels is in flight.
                assert!(experiment.has_rankers() && !by_hand(left, right, swapped).0.has_rankers());
                let score = said.outcome().expect("a vote").score();
                // The answer is from the viewpoint of the left side, the learned outcome from the
                // viewpoint of the left slot.
                assert_eq!(score > 0.0, first == first_wins, "{method} {left} {swapped}");
                let learned = learned.expect("it is not held out").score();
                assert_eq!(learned > 0.0, (left == 0) == first_wins, "{method} {left} {swapped}");
                let pair = experiment.pairs()[&(Arm::new(0), Arm::new(1))];
                // These are wins with methods that give all or no credit for a document, and graded
                // votes otherwise.
                let sum = pair.first as f64 - pair.second as f64 + pair.graded_sum;
                assert_eq!(sum > 0.0, first_wins, "{method} {left} {swapped}: {pair:?}");
                let probabilities = experiment.policy().probabilities().expect("it draws slots");
                assert_eq!(probabilities[0] > probabilities[1], first_wins, "{method} {left} {swapped}");
            }
        }
    }
}

#[test]
fn trace_nothing_clicked_is_a_tie_and_clicks_are_a_set() {
    let (mut experiment, duel) = by_hand(0, 1, true);
    let two = lists(&[("a", &["a1", "a2"]), ("b", &["b1", "b2"])]);
    merge_by_hand(&mut experiment, duel, two.clone(), options("team-draft", 4), 3);
    let nothing = click_by_hand(&mut experiment.clone(), duel, &at(&[]));
    assert_eq!(nothing, (Answer::Tie, Some(Outcome::TIE), Some(vec![])));
    // One click for each side is a tie too, and repeated clicks on a document count once.
    let (said, _, kept) = click_by_hand(&mut experiment.clone(), duel, &on(&["b1", "a1", "b1"]));
    assert_eq!(said, Answer::Tie);
    let merged = experiment.interleaved(duel).expect("it is in flight");
    let expected: Vec<u32> = (1..)
        .zip(merged.list.documents())
        .filter_map(|(position, document)| ["a1", "b1"].contains(&document.as_str()).then_some(position))
        .collect();
    assert_eq!(kept, Some(expected));
    // Clicks that are not on the list.
    let rng = &mut Stream::new(1).rng();
    let mut say = |request: &ClickRequest| {
        experiment
            .click(duel, Known::default(), Some(&merged), request, Time(0), rng)
            .expect_err("there is nothing")
    };
    assert_eq!(say(&at(&[1, 0])), Refusal::NoPosition { position: 0, length: 4 });
    assert_eq!(say(&at(&[5])), Refusal::NoPosition { position: 5, length: 4 });
    assert_eq!(say(&at(&[u64::MAX])), Refusal::NoPosition { position: u64::MAX, length: 4 });
    assert_eq!(say(&on(&["a1", "c1"])), Refusal::NoDocument { document: "c1".to_owned() });
}

/// Equal arms show the ranker's own list, whatever the method, and clicks say nothing.
#[test]
fn trace_equal_arms_serve_that_ranker_alone() {
    for method in ["team-draft", "probabilistic:tau=0", "optimized"] {
        for seed in 0..10 {
            let (mut experiment, duel) = by_hand(1, 1, false);
            let before = experiment.policy().probabilities();
            let own = lists(&[("b", &["z", "y", "z", "x", "w"])]);
            let merged = merge_by_hand(&mut experiment, duel, own, options(method, 3), seed);
            assert_eq!(merged.list.documents(), ["z", "y", "x"]);
            assert!(merged.alone);
            let (said, _, kept) = click_by_hand(&mut experiment, duel, &at(&[1]));
            assert_eq!((said, kept), (Answer::Tie, Some(vec![1])));
            assert_eq!(experiment.policy().probabilities(), before);
            assert_eq!(experiment.arms()[1].counts.self_duels, 1);
            assert!(experiment.pairs().is_empty());
        }
    }
}

/// A duel of a ranker with itself is not learned from, is not a vote, and is counted separately.
#[test]
fn trace_a_ranker_against_itself() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |settings| settings.aa = 1.0);
    let policy = |state: &Experiment| serde_json::to_string(&state.policy().save()).expect("plain data");
    let before = policy(&desk.state(trial));
    let mut expected = AaCounts::default();
    let mut drawn = [0; 3];
    for i in 0..300 {
        let request = InterleaveRequest { lists: Some(apart()), ..InterleaveRequest::default() };
        let duel = draw(&desk, trial, &request);
        let open = duel.duel.drawn;
        assert!(open.aa && open.holdout && open.ticket.is_self_duel());
        assert_eq!(open.ticket.propensity(), Some(1.0 / 3.0));
        drawn[open.ticket.left.index()] += 1;
        let merged = duel.merged.clone().expect("the lists were brought");
        assert!(!merged.alone);
        if i % 3 == 0 {
            assert_eq!(click(&desk, &duel, &at(&[])), Ok(Done::Recorded));
            expected.ties += 1;
            continue;
        }
        assert_eq!(click(&desk, &duel, &at(&[1])), Ok(Done::Recorded));
        let past = desk.done(desk.arena.duel(duel.duel.id)).expect("it is there");
        match past.answer {
            Some((Answer::Left, _)) => expected.left += 1,
            Some((Answer::Right, _)) => expected.right += 1,
            other => panic!("{other:?}: one side picked the first document"),
        }
        if i == 1 {
            // A voided duel no longer counts.
            desk.done(desk.arena.void(duel.duel.id, VoidReason::Asked)).expect("it is there");
            expected = AaCounts::default();
            expected.ties = 1;
        }
    }
    let state = desk.state(trial);
    assert_eq!(state.aa(), expected);
    // 199 tosses of a fair coin, and 300 throws of a fair three-sided die: seven standard
    // deviations are 50 and 58.
    assert!(expected.left.abs_diff(expected.right) < 100, "{expected:?}");
    assert!(drawn.iter().all(|&n: &i32| (n - 100).abs() < 58), "{drawn:?}");
    assert_eq!(policy(&state), before);
    assert!(state.pairs().is_empty());
    let totals = state.totals();
    assert_eq!((totals.duels, totals.votes, totals.holdout, totals.voided), (300, 0, 0, 1));
    assert!(state.arms().iter().all(|entry| entry.counts.wins + entry.counts.self_duels == 0));
    // Plain duels are never of this kind.
    let plain = desk.done(desk.arena.issue(trial, &IssueRequest::default())).expect("it runs");
    assert!(!plain[0].drawn.aa);
}

#[test]
fn trace_which_rankers_to_run_and_then_their_lists() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |_| {});
    let request = InterleaveRequest { options: options("balanced", 2), ..InterleaveRequest::default() };
    let duel = draw(&desk, trial, &request);
    assert_eq!(duel.merged, None);
    assert_eq!(click(&desk, &duel, &at(&[])), refused(Refusal::NoMergedList));
    // Only the lists of the two rankers are required.
    let (left, right) = duel.duel.drawn.sides();
    let name = |arm: Arm| ["a", "b", "c"][arm.index()].to_owned();
    let mut some = apart();
    some.0.remove(&name(right));
    assert_eq!(merge(&desk, &duel, &some), refused(Refusal::MissingList { name: name(right) }));
    some.0.insert("x".to_owned(), Vec::new());
    assert_eq!(merge(&desk, &duel, &some), refused(Refusal::ListOfNobody { name: "x".to_owned() }));
    // The options from the draw apply, even after a restart.
    let desk = desk.restarted(2);
    let merged = merge(&desk, &duel, &apart()).expect("it is in flight");
    let kept = merged.merged.clone().expect("it is merged");
    assert_eq!((kept.method.as_str(), kept.length), ("balanced", 2));
    let mut shown = documents(&merged);
    shown.sort_unstable();
    let mut expected = vec![format!("{}1", name(left)), format!("{}1", name(right))];
    expected.sort_unstable();
    if left == right {
        expected = vec![format!("{}1", name(left)), format!("{}2", name(left))];
    }
    assert_eq!(shown, expected);
}

/// A repeated request gives the same result, before and after the duel is answered, and after a
/// restart. A different one is refused.
#[test]
fn trace_the_same_lists_and_clicks_again() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |_| {});
    let request = InterleaveRequest {
        client: Some("page".to_owned()),
        lists: Some(apart()),
        ..InterleaveRequest::default()
    };
    let first = draw(&desk, trial, &request);
    let again = RankerDuel { drawn: false, ..first.clone() };
    let bare = InterleaveRequest { lists: None, ..request.clone() };
    let mut other = apart();
    other.0.values_mut().for_each(|list| list.reverse());
    let seq = desk.state(trial).seq();
    let check = |desk: &Desk| {
        assert_eq!(draw(desk, trial, &request), again);
        assert_eq!(draw(desk, trial, &bare), again);
        assert_eq!(merge(desk, &first, &apart()), Ok(again.clone()));
        assert_eq!(merge(desk, &first, &other), refused(Refusal::OtherLists));
        let asked = ListsRequest { lists: apart(), options: options("balanced", 10) };
        assert_eq!(desk.done(desk.arena.merge(first.duel.id, &asked)), refused(Refusal::OtherLists));
        let asked = ListsRequest { lists: apart(), options: options("team-draft", 3) };
        assert_eq!(desk.done(desk.arena.merge(first.duel.id, &asked)), refused(Refusal::OtherLists));
    };
    check(&desk);
    let desk = desk.restarted(2);
    check(&desk);
    desk.arena.snapshot_all();
    desk.settle();
    let desk = desk.restarted(3);
    check(&desk);
    assert_eq!(desk.state(trial).seq(), seq);
    assert_eq!(click(&desk, &first, &at(&[2, 1])), Ok(Done::Recorded));
    let check = |desk: &Desk| {
        check(desk);
        assert_eq!(click(desk, &first, &at(&[1, 2])), Ok(Done::Already));
        let by_name: Vec<String> = documents(&first)[..2].to_vec();
        assert_eq!(click(desk, &first, &clicks(Clicked::Documents(by_name))), Ok(Done::Already));
        assert_eq!(click(desk, &first, &at(&[1])), refused(Refusal::Contradiction));
        let someone = ClickRequest { voter: Some("v".to_owned()), ..at(&[1, 2]) };
        assert_eq!(click(desk, &first, &someone), refused(Refusal::Contradiction));
    };
    check(&desk);
    let desk = desk.restarted(4);
    check(&desk);
    assert_eq!(desk.state(trial).totals().votes, 1);
    let whole =
        load_from_start(&*desk.store, trial).expect("the log is whole").expect("it is there").experiment;
    let text = |state: &Experiment| serde_json::to_string(&state.save()).expect("plain data");
    assert_eq!(text(&whole), text(&desk.state(trial)));
    desk.done(desk.arena.void(first.duel.id, VoidReason::Asked)).expect("it is there");
    assert_eq!(click(&desk, &first, &at(&[1, 2])), refused(Refusal::Voided));
    assert_eq!(merge(&desk, &first, &apart()), refused(Refusal::Voided));
}

/// Nothing is returned before it is durable: the response waits, and so does the response to a
/// repeated request.
#[test]
fn trace_no_list_leaves_before_it_is_durable() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |_| {});
    let request = InterleaveRequest {
        client: Some("page".to_owned()),
        lists: Some(apart()),
        ..InterleaveRequest::default()
    };
    let first = desk.arena.interleave(trial, &request).expect("it runs");
    let again = desk.arena.interleave(trial, &request).expect("it runs");
    let first = first.poll().expect("nothing fails").expect_err("it waits");
    let again = again.poll().expect("nothing fails").expect_err("it waits");
    desk.settle();
    let first = first.poll().expect("nothing fails").expect("it was written");
    let again = again.poll().expect("nothing fails").expect("it was written");
    assert_eq!((first.duel, &first.merged), (again.duel, &again.merged));
}

#[test]
fn trace_clicks_that_come_late() {
    for late in [Late::Accept, Late::Refuse] {
        let desk = desk();
        let trial = desk.create("rex3", 3, |settings| (settings.expires_after, settings.late) = (10, late));
        let request = InterleaveRequest { lists: Some(apart()), ..InterleaveRequest::default() };
        let merged = draw(&desk, trial, &request);
        let bare = draw(&desk, trial, &InterleaveRequest::default());
        desk.clock.seconds(11);
        if late == Late::Refuse {
            // No sweep has come yet, but the duel has expired.
            assert_eq!(merge(&desk, &bare, &apart()), refused(Refusal::TooLateForLists));
            assert_eq!(click(&desk, &merged, &at(&[1])), refused(Refusal::Expired));
        }
        assert_eq!(desk.arena.sweep(), Ok(2));
        // The duel is no longer in the state. Its list comes from the queue of the writer, or from
        // the store.
        for settled in [false, true] {
            if settled {
                desk.settle();
            }
            let asked = ListsRequest { lists: apart(), options: MergeOptions::default() };
            let refusal = desk.arena.merge(bare.duel.id, &asked).map(|_| ());
            assert_eq!(refusal, refused(Refusal::TooLateForLists));
            let again = desk.arena.merge(merged.duel.id, &asked).expect("it has these lists");
            desk.settle();
            let again = again.poll().expect("nothing fails").expect("everything was written");
            assert_eq!(again.merged, merged.merged);
        }
        let said = click(&desk, &merged, &at(&[1]));
        match late {
            Late::Accept => assert_eq!(said, Ok(Done::Recorded)),
            Late::Refuse => assert_eq!(said, refused(Refusal::Expired)),
        }
        let totals = *desk.state(trial).totals();
        let counted = u64::from(late == Late::Accept);
        assert_eq!((totals.votes, totals.late, totals.unanswered), (counted, counted, 2 - counted));
    }
}

#[test]
fn trace_what_is_refused_leaves_nothing_behind() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |_| {});
    let seq = desk.state(trial).seq();
    let ask = |options: MergeOptions, lists: Option<Lists>| {
        let request = InterleaveRequest { options, lists, client: Some("x".to_owned()), context: None };
        let refusal = desk.done(desk.arena.interleave(trial, &request)).expect_err("it is not fine");
        let ArenaError::Refused(refusal) = refusal else { panic!("{refusal}") };
        refusal
    };
    let mut some = apart();
    some.0.remove("b");
    let missing = Refusal::MissingList { name: "b".to_owned() };
    assert_eq!(ask(MergeOptions::default(), Some(some)), missing);
    assert!(matches!(ask(options("alphabetical", 3), None), Refusal::Method(_)));
    assert!(matches!(ask(options("probabilistic:tau=-1", 3), Some(apart())), Refusal::Method(_)));
    let out_of_range = |what, got, least, most| Refusal::OutOfRange { what, got, least, most };
    assert_eq!(ask(options("balanced", 0), None), out_of_range("`length`", 0, 1, 100));
    assert_eq!(ask(options("balanced", 101), None), out_of_range("`length`", 101, 1, 100));
    let with = |name: &str, list: Vec<String>| {
        let mut lists = apart();
        lists.0.insert(name.to_owned(), list);
        Some(lists)
    };
    let documents = "the number of documents in a list";
    let long = (0..1001).map(|i| i.to_string()).collect();
    assert_eq!(ask(MergeOptions::default(), with("a", long)), out_of_range(documents, 1001, 0, 1000));
    let what = "a document's name";
    assert_eq!(ask(MergeOptions::default(), with("a", vec![" ".to_owned()])), Refusal::Blank { what });
    assert_eq!(
        ask(MergeOptions::default(), with("a", vec!["\n".to_owned() + "x"])),
        Refusal::ControlCharacter { what }
    );
    let refusal = Refusal::TooLong { what, length: 201, longest: 200 };
    assert_eq!(ask(MergeOptions::default(), with("a", vec!["é".repeat(201)])), refusal);
    assert_eq!(
        ask(MergeOptions::default(), with("d", vec![])),
        Refusal::ListOfNobody { name: "d".to_owned() }
    );
    let many = Lists((0..101).map(|i| (i.to_string(), Vec::new())).collect());
    assert_eq!(ask(MergeOptions::default(), Some(many)), out_of_range("the number of lists", 101, 1, 100));
    assert_eq!(
        ask(MergeOptions::default(), Some(Lists::default())),
        out_of_range("the number of lists", 0, 1, 100)
    );
    desk.done(desk.arena.change(trial, Status::Paused)).expect("it runs");
    assert_eq!(ask(MergeOptions::default(), Some(apart())), Refusal::Paused);
    assert_eq!(desk.state(trial).seq(), seq + 1);
    assert_eq!(desk.state(trial).n_in_flight(), 0);
}

/// A duel that was answered with a word accepts no lists. A duel with a merged list may be answered
/// with a word.
#[test]
fn trace_words_and_lists() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |_| {});
    let bare = draw(&desk, trial, &InterleaveRequest::default());
    desk.done(desk.arena.answer(bare.duel.id, &plain(Answer::Left))).expect("it is in flight");
    assert_eq!(merge(&desk, &bare, &apart()), refused(Refusal::Contradiction));
    let request = InterleaveRequest { lists: Some(apart()), ..InterleaveRequest::default() };
    let merged = draw(&desk, trial, &request);
    desk.done(desk.arena.answer(merged.duel.id, &plain(Answer::Skip))).expect("it is in flight");
    assert_eq!(click(&desk, &merged, &at(&[1])), refused(Refusal::Contradiction));
}

proptest! {
    /// For any lists, the merged list is no longer than requested, and holds documents of the two
    /// lists, none twice. Any clicks on it make an answer that can be folded.
    #[test]
    fn law_any_lists_can_be_merged_and_clicked(
        left in proptest::collection::vec(0..30u8, 0..20),
        right in proptest::collection::vec(0..30u8, 0..20),
        method in proptest::sample::select(vec![
            "team-draft", "balanced", "probabilistic", "probabilistic:credit=assigned", "optimized", "optimized:credit=linear",
        ]),
        length in 1..15u32,
        swapped: bool,
        clicked in proptest::collection::vec(any::<proptest::sample::Index>(), 0..8),
        seed: u64,
    ) {
        let (mut experiment, duel) = by_hand(0, 1, swapped);
        let names = |list: &[u8]| list.iter().map(u8::to_string).collect::<Vec<_>>();
        let two = Lists([("a".to_owned(), names(&left)), ("b".to_owned(), names(&right))].into());
        let merged = merge_by_hand(&mut experiment, duel, two, options(method, length), seed);
        let shown = merged.list.documents();
        prop_assert!(shown.len() <= length as usize);
        let all: std::collections::BTreeSet<String> = names(&left).into_iter().chain(names(&right)).collect();
        prop_assert!(shown.iter().all(|document| all.contains(document)));
        prop_assert_eq!(shown.iter().collect::<std::collections::BTreeSet<_>>().len(), shown.len());
        // As after a restart: the state is restored from a snapshot.
        let saved = serde_json::to_string(&experiment.save()).expect("plain data");
        let mut experiment = Experiment::restore(serde_json::from_str(&saved).expect("it was saved")).expect("it fits");
        prop_assert_eq!(experiment.interleaved(duel), Some(merged.clone()));
        let positions: Vec<u64> = if shown.is_empty() {
            Vec::new()
        } else {
            clicked.iter().map(|index| index.index(shown.len()) as u64 + 1).collect()
        };
        let nothing = positions.is_empty();
        let (said, _, _) = click_by_hand(&mut experiment, duel, &at(&positions));
        prop_assert!(!nothing || said == Answer::Tie);
        prop_assert_eq!(experiment.interleaved(duel), None);
        prop_assert_eq!(experiment.totals().votes, 1);
    }
}
