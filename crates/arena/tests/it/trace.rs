//! Worked by hand: experiments, seen through their log, their counts and their policy.

use std::sync::Arc;

use tiltyard_arena::ArenaError;
use tiltyard_arena::arena::{Done, Duel};
use tiltyard_arena::domain::{
    Activation, Answer, AnswerRequest, Event, Experiment, Fold, IssueRequest, Kind, Known, Late, NewArm,
    Record, Refusal, Status, VoidReason,
};
use tiltyard_arena::id::{DuelId, ExperimentId};
use tiltyard_arena::time::Time;
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::{AnyPolicy, registry};
use tiltyard_bandit::{Arm, Outcome, Stream};

use crate::sim_store::{Faults, Lie, SimStore};
use crate::support::{Desk, plain, request};

fn desk() -> Desk {
    Desk::new(Arc::new(SimStore::new()), 1)
}

fn issue(desk: &Desk, trial: ExperimentId, count: u32) -> Vec<Duel> {
    let request = IssueRequest { count, ..IssueRequest::default() };
    desk.done(desk.arena.issue(trial, &request)).expect("it runs")
}

fn answer(desk: &Desk, duel: &Duel, said: Answer) -> Result<Done, ArenaError> {
    desk.done(desk.arena.answer(duel.id, &plain(said)))
}

fn void(desk: &Desk, duel: &Duel) -> Result<Done, ArenaError> {
    desk.done(desk.arena.void(duel.id, VoidReason::Asked))
}

fn refused<T>(refusal: Refusal) -> Result<T, ArenaError> {
    Err(ArenaError::Refused(refusal))
}

fn log(desk: &Desk, trial: ExperimentId) -> Vec<Record> {
    desk.arena.history(trial, 0, usize::MAX).expect("it is there")
}

fn sums(experiment: &Experiment) -> Vec<f64> {
    experiment.policy().clone().additive().expect("it is additive").sums()
}

/// The state of the policy as text.
fn text(policy: &AnyPolicy) -> String {
    serde_json::to_string(&policy.save()).expect("a state is plain data")
}

fn close(left: &[f64], right: &[f64]) -> bool {
    // The values come from some additions and an exponential of numbers near 1, each with an error
    // of about 1e-16.
    left.len() == right.len() && left.iter().zip(right).all(|(l, r)| (l - r).abs() < 1e-12)
}

/// An experiment with `rex3:gamma=0.5`, two arms and one duel, written by hand: arm 0 is in the
/// left slot and arm 1 in the right slot, each with probability 1/2.
fn by_hand(swapped: bool) -> (Experiment, DuelId) {
    let id = ExperimentId::from_random(2);
    let record = |seq, kind, body: &str| {
        let event = Event::read(kind, body).expect("a body written by hand");
        Record { experiment: id, seq, at: Time(0), event }
    };
    let created = r#"{"name":"n","arms":[{"name":"a"},{"name":"b"}],"policy":"rex3:gamma=0.5","policy_version":1,"seed":5,
        "settings":{"distinct":true,"holdout":0.0,"expires_after":10,"late":"accept","activation":"issue","max_in_flight":5}}"#;
    let issued = format!(
        r#"{{"open":{{"ticket":[1,0,1,0.5,0,[0.5,0.5,1.0]],"swapped":{swapped},"holdout":false,"token":9,"expires":10}}}}"#
    );
    let mut fold = Fold::new();
    fold.push(&record(1, Kind::Created, created)).expect("it begins a log");
    fold.push(&record(2, Kind::Issued, &issued)).expect("it fits the policy");
    (fold.finish().expect("it was begun"), DuelId { experiment: id, seq: 2, token: 9 })
}

fn fold_answer(experiment: &mut Experiment, duel: DuelId, said: Answer) -> Option<Outcome> {
    let mut rng = Stream::new(1).rng();
    let event =
        experiment.answer(duel, Known::default(), &plain(said), Time(0), &mut rng).expect("it is in flight");
    let event = event.expect("it has no answer yet");
    let Event::Answered(answered) = &event else { panic!("the event is not an answer") };
    let learned = answered.learned;
    experiment.fold(&experiment.next(Time(0), event)).expect("it is the next");
    learned
}

#[test]
fn trace_sides_and_swapped_outcomes() {
    for (swapped, said, first_wins) in [
        (false, Answer::Left, true),
        (false, Answer::Right, false),
        // Arm 0 is shown on the right.
        (true, Answer::Left, false),
        (true, Answer::Right, true),
    ] {
        let (mut experiment, duel) = by_hand(swapped);
        let sides = experiment.find(duel).expect("it is in flight").sides();
        let (zero, one) = (Arm::new(0), Arm::new(1));
        assert_eq!(sides, if swapped { (one, zero) } else { (zero, one) });
        let learned = fold_answer(&mut experiment, duel, said);
        assert_eq!(learned, Some(Outcome::won(first_wins)));
        // c = s / (2 p) = +-1, and log-weights move by (gamma / K) c = +-1/4. With weights e^(1/4)
        // and e^(-1/4), the winner's share is 1 / (1 + e^(-1/2)). Its probability is (1 - gamma)
        // times that share, plus gamma / K.
        let winner = 0.5 / (1.0 + (-0.5f64).exp()) + 0.25;
        let expected = if first_wins { [winner, 1.0 - winner] } else { [1.0 - winner, winner] };
        let probabilities = experiment.policy().probabilities().expect("it draws slots");
        assert!(close(&probabilities, &expected), "{probabilities:?}");
        let counts: Vec<_> = experiment.arms().iter().map(|entry| entry.counts).collect();
        let wins = counts.iter().map(|counts| counts.wins).collect::<Vec<_>>();
        assert_eq!(wins, if first_wins { [1, 0] } else { [0, 1] });
        assert_eq!(counts[0].losses, u64::from(!first_wins));
        let pair = experiment.pairs()[&(zero, one)];
        assert_eq!((pair.first, pair.second), (u64::from(first_wins), u64::from(!first_wins)));
        // Left and right are the sides shown.
        let totals = experiment.totals();
        assert_eq!((totals.left, totals.right), if said == Answer::Left { (1, 0) } else { (0, 1) });
    }
}

#[test]
fn trace_graded_answers_are_from_the_viewpoint_of_the_left_side() {
    let (mut experiment, duel) = by_hand(true);
    let said = Answer::score(0.5).expect("it is within [-1, 1]");
    let learned = fold_answer(&mut experiment, duel, said);
    assert_eq!(learned.map(Outcome::score), Some(-0.5));
    let pair = experiment.pairs()[&(Arm::new(0), Arm::new(1))];
    assert_eq!((pair.graded, pair.graded_sum, pair.votes()), (1, -0.5, 1));
    assert_eq!((experiment.totals().graded, experiment.totals().left), (1, 0));
}

#[test]
fn trace_both_bad_is_learned_as_a_tie_and_counted_apart() {
    let (mut experiment, duel) = by_hand(false);
    assert_eq!(fold_answer(&mut experiment, duel, Answer::BothBad), Some(Outcome::TIE));
    assert_eq!(experiment.policy().probabilities(), Some(vec![0.5, 0.5]));
    let totals = experiment.totals();
    assert_eq!((totals.votes, totals.both_bad, totals.ties), (1, 1, 0));
    for entry in experiment.arms() {
        assert_eq!((entry.counts.both_bad, entry.counts.ties, entry.counts.wins), (1, 0, 0));
    }
    assert_eq!(experiment.pairs()[&(Arm::new(0), Arm::new(1))].both_bad, 1);
}

#[test]
fn trace_a_duel_is_shown_on_either_side() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |_| {});
    let duels = issue(&desk, trial, 100);
    let swapped = duels.iter().filter(|duel| duel.drawn.swapped).count();
    // With 100 tosses of a fair coin, the count is outside with probability 1e-8.
    assert!((22..=78).contains(&swapped), "{swapped}");
    // Each duel has its own secret token, and a wrong token finds no duel.
    let wrong = DuelId { token: duels[0].id.token ^ 1, ..duels[0].id };
    assert_eq!(desk.done(desk.arena.answer(wrong, &plain(Answer::Left))), refused(Refusal::NoDuel));
    answer(&desk, &duels[0], Answer::Left).expect("it is in flight");
    assert_eq!(desk.done(desk.arena.answer(wrong, &plain(Answer::Left))), refused(Refusal::NoDuel));
    assert_eq!(desk.done(desk.arena.void(wrong, VoidReason::Asked)), refused(Refusal::NoDuel));
    assert_eq!(desk.done(desk.arena.shown(wrong)), refused(Refusal::NoDuel));
}

#[test]
fn trace_what_is_held_out_is_never_learned() {
    let desk = desk();
    let trial = desk.create("rex3", 4, |settings| settings.holdout = 1.0);
    let before = text(desk.state(trial).policy());
    let duels = issue(&desk, trial, 400);
    let mut seen = std::collections::BTreeSet::new();
    for (i, duel) in duels.iter().enumerate() {
        let ticket = duel.drawn.ticket;
        assert!(duel.drawn.holdout && ticket.left != ticket.right);
        // There are 4 * 3 ordered pairs.
        assert_eq!(ticket.propensity(), Some(1.0 / 12.0));
        seen.insert((ticket.left, ticket.right));
        let said = [Answer::Left, Answer::Tie, Answer::Skip, Answer::Right][i % 4];
        answer(&desk, duel, said).expect("it is in flight");
    }
    // A pair is missing with probability 12 * (11/12)^400 = 1e-14.
    assert_eq!(seen.len(), 12);
    void(&desk, &duels[0]).expect("it can be voided");
    assert_eq!(text(desk.state(trial).policy()), before);
    let state = desk.state(trial);
    assert_eq!((state.totals().votes, state.totals().holdout, state.totals().skipped), (299, 299, 100));
    assert!(
        log(&desk, trial)
            .iter()
            .all(|record| !matches!(&record.event, Event::Answered(answered) if answered.learned.is_some()))
    );
    // Three arms have 3 * 2 ordered pairs.
    desk.done(desk.arena.retire_arm(trial, "b")).expect("three stay");
    for duel in issue(&desk, trial, 20) {
        assert_eq!(duel.drawn.ticket.propensity(), Some(1.0 / 6.0));
        assert!(duel.drawn.ticket.left != Arm::new(1) && duel.drawn.ticket.right != Arm::new(1));
    }
}

#[test]
fn trace_a_share_is_held_out() {
    let desk = desk();
    let trial = desk.create("rucb", 4, |settings| settings.holdout = 0.25);
    let held_out = issue(&desk, trial, 400).iter().filter(|duel| duel.drawn.holdout).count();
    // Binomial(400, 1/4) has mean 100 and standard deviation 8.7. It is more than five standard
    // deviations off with probability 6e-7.
    assert!((57..=143).contains(&held_out), "{held_out}");
}

#[test]
fn trace_a_skipped_duel_is_void() {
    let desk = desk();
    let trial = desk.create("mergerucb", 4, |settings| settings.horizon = Some(1000));
    let duels = issue(&desk, trial, 3);
    let mut twin = desk.state(trial).policy().clone();
    answer(&desk, &duels[1], Answer::Skip).expect("it is in flight");
    twin.void(&duels[1].drawn.ticket).expect("it is the policy's own");
    assert_eq!(text(desk.state(trial).policy()), text(&twin));
    let state = desk.state(trial);
    assert_eq!((state.totals().votes, state.totals().skipped, state.n_in_flight()), (0, 1, 2));
    assert_eq!(answer(&desk, &duels[1], Answer::Skip), Ok(Done::Already));
    assert_eq!(answer(&desk, &duels[1], Answer::Left), refused(Refusal::Contradiction));
}

#[test]
fn trace_a_late_answer_is_accepted() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |settings| settings.expires_after = 10);
    let duel = issue(&desk, trial, 1)[0];
    desk.clock.seconds(10);
    assert_eq!(desk.arena.sweep(), Ok(0), "ten seconds are not over");
    desk.clock.pass(1);
    assert_eq!(desk.arena.sweep(), Ok(1));
    assert_eq!(desk.state(trial).totals().unanswered, 1);
    let before = sums(&desk.state(trial));
    answer(&desk, &duel, Answer::Left).expect("late answers are welcome");
    let totals = *desk.state(trial).totals();
    assert_eq!((totals.votes, totals.late, totals.unanswered), (1, 1, 0));
    assert_ne!(sums(&desk.state(trial)), before);
    // A voided answer is no longer counted in any of these.
    void(&desk, &duel).expect("it can be voided");
    let totals = *desk.state(trial).totals();
    assert_eq!((totals.votes, totals.late, totals.unanswered, totals.voided), (0, 0, 0, 1));
    assert!(close(&sums(&desk.state(trial)), &before));
    assert_eq!(answer(&desk, &duel, Answer::Left), refused(Refusal::Voided));
}

#[test]
fn trace_a_policy_waits_on_for_what_may_come_late() {
    let desk = desk();
    let trial = desk.create("mergerucb", 3, |settings| {
        settings.expires_after = 10;
        settings.horizon = Some(1000);
    });
    let duels = issue(&desk, trial, 2);
    let mut twin = desk.state(trial).policy().clone();
    desk.clock.seconds(11);
    assert_eq!(desk.arena.sweep(), Ok(2));
    assert_eq!(text(desk.state(trial).policy()), text(&twin), "answers may come yet");
    void(&desk, &duels[0]).expect("it can be voided");
    twin.void(&duels[0].drawn.ticket).expect("it is the policy's own");
    assert_eq!(text(desk.state(trial).policy()), text(&twin));
    answer(&desk, &duels[1], Answer::Skip).expect("late answers are welcome");
    twin.void(&duels[1].drawn.ticket).expect("it is the policy's own");
    assert_eq!(text(desk.state(trial).policy()), text(&twin));
}

#[test]
fn trace_a_late_answer_is_refused() {
    let desk = desk();
    let trial = desk.create("mergerucb", 3, |settings| {
        settings.expires_after = 10;
        settings.late = Late::Refuse;
        settings.horizon = Some(1000);
    });
    let duels = issue(&desk, trial, 2);
    answer(&desk, &duels[0], Answer::Left).expect("it is in flight");
    let mut twin = desk.state(trial).policy().clone();
    desk.clock.pass(10 * crate::support::SECOND + 1);
    // It is refused even before a sweep.
    assert_eq!(answer(&desk, &duels[1], Answer::Left), refused(Refusal::Expired));
    assert_eq!(desk.arena.sweep(), Ok(1));
    assert_eq!(answer(&desk, &duels[1], Answer::Left), refused(Refusal::Expired));
    // The policy was told that no answer will come.
    twin.void(&duels[1].drawn.ticket).expect("it is the policy's own");
    assert_eq!(text(desk.state(trial).policy()), text(&twin));
    // An answer that was given in time stays.
    assert_eq!(answer(&desk, &duels[0], Answer::Left), Ok(Done::Already));
    let totals = *desk.state(trial).totals();
    assert_eq!((totals.votes, totals.late, totals.unanswered), (1, 0, 1));
}

#[test]
fn trace_waiting_begins_with_showing() {
    // The result is the same from memory and from the store.
    for restart in [false, true] {
        let mut desk = desk();
        let trial = desk.create("rex3", 3, |settings| {
            settings.expires_after = 10;
            settings.activation = Activation::Shown;
        });
        let duels = issue(&desk, trial, 3);
        desk.clock.seconds(9);
        assert_eq!(desk.done(desk.arena.shown(duels[0].id)), Ok(Done::Recorded));
        assert_eq!(desk.done(desk.arena.shown(duels[0].id)), Ok(Done::Already));
        desk.clock.seconds(2);
        // After 11 seconds, the duels that were never shown have expired. The other one has 8
        // seconds left.
        assert_eq!(desk.arena.sweep(), Ok(2));
        assert_eq!(desk.state(trial).totals().never_shown, 2);
        desk.clock.seconds(9);
        assert_eq!(desk.arena.sweep(), Ok(1));
        desk.settle();
        assert_eq!(desk.state(trial).totals().unanswered, 1);
        if restart {
            desk = desk.restarted(2);
        }
        assert_eq!(desk.done(desk.arena.shown(duels[1].id)), Ok(Done::Already), "it no longer matters");
        answer(&desk, &duels[0], Answer::Left).expect("late answers are welcome");
        void(&desk, &duels[1]).expect("it can be voided");
        let totals = *desk.state(trial).totals();
        assert_eq!((totals.unanswered, totals.never_shown, totals.late, totals.voided), (0, 1, 1, 1));
        let counts: Vec<_> = desk.state(trial).arms().iter().map(|entry| entry.counts).collect();
        assert_eq!(counts.iter().map(|counts| counts.unanswered).sum::<u64>(), 0);
        assert_eq!(counts.iter().map(|counts| counts.never_shown).sum::<u64>(), 2, "both arms of one duel");
    }
}

#[test]
fn trace_a_voided_answer_is_unlearned_by_rex3() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |_| {});
    for duel in issue(&desk, trial, 30) {
        answer(&desk, &duel, Answer::Left).expect("it is in flight");
    }
    let duel = issue(&desk, trial, 1)[0];
    let before = desk.state(trial);
    answer(&desk, &duel, Answer::Right).expect("it is in flight");
    assert!(!close(&sums(&desk.state(trial)), &sums(&before)));
    void(&desk, &duel).expect("it can be voided");
    let after = desk.state(trial);
    assert!(close(&sums(&after), &sums(&before)));
    assert_eq!(after.pairs(), before.pairs());
    assert_eq!((after.totals().votes, after.totals().voided), (30, 1));
    assert_eq!(void(&desk, &duel), Ok(Done::Already));
}

/// The policy of an experiment, folded by hand from its log. The given duels count as void instead
/// of answered.
fn twin(desk: &Desk, trial: ExperimentId, voided: &[u64]) -> AnyPolicy {
    let records = log(desk, trial);
    let Event::Created(created) = &records[0].event else {
        panic!("the log does not begin with the creation")
    };
    let context = Context { n_arms: created.arms.len(), horizon: created.settings.horizon };
    let mut rng = Stream::new(created.seed).label("policy").rng();
    let spec = created.policy.parse().expect("it was accepted");
    let mut policy = registry::build(&spec, context, &mut rng).expect("it was accepted");
    let mut tickets = std::collections::BTreeMap::new();
    for record in &records[1..] {
        match &record.event {
            Event::Issued(issued) => {
                tickets.insert(record.seq, issued.drawn.ticket);
                policy.issue(&issued.drawn.ticket).expect("it is the policy's own");
            }
            Event::Answered(answered) => {
                let ticket = &tickets[&answered.duel];
                let outcome = answered.learned.filter(|_| !voided.contains(&answered.duel));
                match outcome {
                    Some(outcome) => policy.update(ticket, outcome),
                    None => policy.void(ticket),
                }
                .expect("it is the policy's own");
            }
            _ => {}
        }
    }
    policy
}

#[test]
fn trace_a_voided_answer_is_relearned_without_by_btm() {
    let desk = desk();
    let trial = desk.create("btm", 4, |settings| settings.horizon = Some(500));
    let mut voided = Vec::new();
    let mut first = None;
    for round in 0..40 {
        let duels = issue(&desk, trial, 10);
        for duel in &duels {
            let (left, right) = duel.drawn.sides();
            // Arms with a lower index win, so that others are eliminated.
            answer(&desk, duel, if left < right { Answer::Left } else { Answer::Right })
                .expect("it is in flight");
        }
        first.get_or_insert(duels[5]);
        if round % 2 == 0 {
            voided.push(duels[3].id.seq);
            void(&desk, &duels[3]).expect("it can be voided");
        }
        if round == 20 {
            desk.arena.snapshot_all();
            desk.settle();
        }
    }
    // Void an answer that is already in the snapshot.
    let first = first.expect("there were rounds");
    voided.push(first.id.seq);
    void(&desk, &first).expect("it can be voided");
    let state = desk.state(trial);
    assert!(!state.must_relearn());
    assert_eq!(text(state.policy()), text(&twin(&desk, trial, &voided)));
    assert_ne!(text(state.policy()), text(&twin(&desk, trial, &[])), "the answers had mattered");
    let digest = desk.digest(trial);
    assert_eq!(desk.restarted(2).digest(trial), digest);
}

#[test]
fn trace_policies_that_count_wins_get_a_coin_that_is_in_the_log() {
    let desk = desk();
    let trial = desk.create("rucb", 3, |_| {});
    let (mut wins, mut losses) = (0, 0);
    for duel in issue(&desk, trial, 60) {
        answer(&desk, &duel, Answer::Tie).expect("it is in flight");
    }
    for record in log(&desk, trial) {
        if let Event::Answered(answered) = &record.event {
            match answered.learned {
                Some(Outcome::WIN) => wins += 1,
                Some(Outcome::LOSS) => losses += 1,
                other => panic!("{other:?} is not a coin toss"),
            }
        }
    }
    // With 60 tosses of a fair coin, the count is outside with probability 2e-7.
    assert!(wins + losses == 60 && (10..=50).contains(&wins), "{wins} and {losses}");
    assert_eq!(desk.state(trial).totals().ties, 60);
    // The log is enough: no coin is tossed again.
    assert_eq!(text(desk.state(trial).policy()), text(&twin(&desk, trial, &[])));
    let digest = desk.digest(trial);
    assert_eq!(desk.restarted(99).digest(trial), digest);
}

#[test]
fn trace_what_cannot_be_made() {
    let desk = desk();
    let create = |change: &dyn Fn(&mut tiltyard_arena::domain::Create)| {
        let mut create = request("rex3", 3, |_| {});
        change(&mut create);
        match desk.done(desk.arena.create(create)) {
            Err(ArenaError::Refused(refusal)) => refusal,
            other => panic!("{other:?} should have been refused"),
        }
    };
    for policy in ["wsw", "wss", "btw"] {
        let refusal = create(&|create| policy.clone_into(&mut create.policy));
        assert_eq!(refusal, Refusal::Sequential { policy: policy.to_owned() });
    }
    let refusal = create(&|create| {
        "rucb".clone_into(&mut create.policy);
        create.distinct_by_policy = false;
        create.settings.distinct = true;
    });
    assert_eq!(refusal, Refusal::NotDistinct { policy: "rucb".to_owned() });
    let refusal = create(&|create| create.arms.truncate(1));
    assert!(matches!(refusal, Refusal::OutOfRange { got: 1, least: 2, .. }), "{refusal}");
    let refusal = create(&|create| create.arms[2].name = "a".to_owned());
    assert_eq!(refusal, Refusal::TwiceNamed { name: "a".to_owned() });
    assert!(matches!(create(&|create| create.name = " ".to_owned()), Refusal::Blank { .. }));
    assert!(matches!(create(&|create| create.settings.holdout = f64::NAN), Refusal::Setting(_)));
    assert!(matches!(create(&|create| create.policy = "rex4".to_owned()), Refusal::Policy(_)));
    assert!(matches!(create(&|create| create.policy = "rex3:=".to_owned()), Refusal::Spec(_)));
    assert_eq!(desk.arena.experiments(), []);
}

#[test]
fn trace_arms_of_a_fixed_set_do_not_change() {
    let desk = desk();
    let trial = desk.create("rucb", 4, |_| {});
    let refusal = || refused(Refusal::NotElastic { policy: "rucb".to_owned() });
    assert_eq!(desk.done(desk.arena.add_arms(trial, vec![NewArm::named("x")])), refusal());
    assert_eq!(desk.done(desk.arena.retire_arm(trial, "a")), refusal());
    assert_eq!(desk.done(desk.arena.restore_arm(trial, "a")), refusal());
    assert_eq!(log(&desk, trial).len(), 1);
}

#[test]
fn trace_a_new_arm_of_rex3_begins_at_the_mean_weight() {
    let desk = desk();
    let trial = desk.create("rex3:gamma=0.3", 2, |_| {});
    for duel in issue(&desk, trial, 20) {
        let (left, _) = duel.drawn.sides();
        let said = if left == Arm::new(0) { Answer::Left } else { Answer::Right };
        answer(&desk, &duel, said).expect("it is in flight");
    }
    let before = desk.state(trial).policy().probabilities().expect("it draws slots");
    assert!(before[0] > 0.7, "{before:?}");
    desk.done(desk.arena.add_arms(trial, vec![NewArm::named("c")])).expect("it is elastic");
    let state = desk.state(trial);
    let probabilities = state.policy().probabilities().expect("it draws slots");
    // The mean of the weights has the mean share: a probability of 1/3, whatever gamma is.
    assert!((probabilities[2] - 1.0 / 3.0).abs() < 1e-12, "{probabilities:?}");
    assert!(probabilities[0] > 1.0 / 3.0 && probabilities[1] < 1.0 / 3.0);
    // In numbers: with L_i = (gamma / K) S_i, and K = 3 by now, L_new = ln((e^L_0 + e^L_1) / 2).
    let sums = sums(&state);
    let scale = 0.3 / 3.0;
    let mean = f64::midpoint(f64::exp(scale * sums[0]), f64::exp(scale * sums[1]));
    assert!((scale * sums[2] - mean.ln()).abs() < 1e-12, "{sums:?}");
}

#[test]
fn trace_arms_come_and_go() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |_| {});
    let retire = |name: &str| desk.done(desk.arena.retire_arm(trial, name));
    let restore = |name: &str| desk.done(desk.arena.restore_arm(trial, name));
    let named = |name: &str| name.to_owned();
    let duels = issue(&desk, trial, 30);
    retire("a").expect("two stay");
    assert_eq!(retire("a"), refused(Refusal::AlreadyRetired { name: named("a") }));
    assert_eq!(retire("b"), refused(Refusal::LastArms { name: named("b") }));
    assert_eq!(retire("x"), refused(Refusal::NoArm { name: named("x") }));
    assert_eq!(restore("b"), refused(Refusal::NotRetired { name: named("b") }));
    assert!(issue(&desk, trial, 30).iter().all(|duel| duel.drawn.ticket.left != Arm::new(0)));
    // Duels of a retired arm can still be answered.
    let old = duels.iter().find(|duel| duel.drawn.sides().0 == Arm::new(0)).expect("one of thirty");
    answer(&desk, old, Answer::Left).expect("it is in flight");
    assert_eq!(desk.state(trial).arms()[0].counts.wins, 1);
    restore("a").expect("it was retired");
    let seen = issue(&desk, trial, 60);
    assert!(seen.iter().any(|duel| duel.drawn.ticket.left == Arm::new(0)), "it is proposed again");
    let twice = vec![NewArm::named("d"), NewArm::named("d")];
    assert_eq!(
        desk.done(desk.arena.add_arms(trial, twice)),
        refused(Refusal::TwiceNamed { name: named("d") })
    );
    assert_eq!(
        desk.done(desk.arena.add_arms(trial, vec![NewArm::named("a")])),
        refused(Refusal::TwiceNamed { name: named("a") })
    );
}

#[test]
fn trace_paused_and_closed() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |_| {});
    let change = |status| desk.done(desk.arena.change(trial, status));
    let duels = issue(&desk, trial, 3);
    let request = IssueRequest::default();
    assert_eq!(change(Status::Paused), Ok(Done::Recorded));
    assert_eq!(change(Status::Paused), Ok(Done::Already));
    assert_eq!(desk.done(desk.arena.issue(trial, &request)), refused(Refusal::Paused));
    assert_eq!(answer(&desk, &duels[0], Answer::Left), Ok(Done::Recorded));
    assert_eq!(change(Status::Running), Ok(Done::Recorded));
    assert_eq!(change(Status::Closed), Ok(Done::Recorded));
    assert_eq!(change(Status::Running), refused(Refusal::Closed));
    assert_eq!(desk.done(desk.arena.issue(trial, &request)), refused(Refusal::Closed));
    assert_eq!(answer(&desk, &duels[1], Answer::Left), refused(Refusal::Closed));
    // An earlier answer can be repeated, and can be voided.
    assert_eq!(answer(&desk, &duels[0], Answer::Left), Ok(Done::Already));
    assert_eq!(void(&desk, &duels[0]), Ok(Done::Recorded));
}

#[test]
fn trace_a_voter_has_two_votes_a_minute_and_three_in_all() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |settings| {
        settings.voter_votes = Some(3);
        settings.voter_votes_per_minute = Some(2);
    });
    let duels = issue(&desk, trial, 6);
    let vote = |at: usize, voter: &str| {
        let request = AnswerRequest { voter: Some(voter.to_owned()), ..plain(Answer::Left) };
        desk.done(desk.arena.answer(duels[at].id, &request))
    };
    desk.clock.seconds(45);
    assert_eq!(vote(0, "v"), Ok(Done::Recorded));
    assert_eq!(vote(1, "v"), Ok(Done::Recorded));
    // The minute ends in 15 seconds.
    assert_eq!(vote(2, "v"), refused(Refusal::VoterLimit { limit: 2, wait: Some(15) }));
    assert_eq!(vote(2, "w"), Ok(Done::Recorded));
    // A repeated vote does not count again, and another voter cannot claim it.
    assert_eq!(vote(0, "v"), Ok(Done::Already));
    assert_eq!(vote(0, "w"), refused(Refusal::Contradiction));
    desk.clock.seconds(15);
    assert_eq!(vote(3, "v"), Ok(Done::Recorded));
    assert_eq!(vote(4, "v"), refused(Refusal::VoterLimit { limit: 3, wait: None }));
    assert_eq!(
        answer(&desk, &duels[4], Answer::Left),
        Ok(Done::Recorded),
        "votes without a voter have no limit"
    );
}

#[test]
fn trace_what_was_done_long_ago_is_found_in_the_store() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |settings| settings.expires_after = 3600);
    let ask = |client: &str, count| IssueRequest {
        count,
        client: Some(client.to_owned()),
        ..IssueRequest::default()
    };
    let first = desk.done(desk.arena.issue(trial, &ask("first", 3))).expect("it runs");
    answer(&desk, &first[0], Answer::Left).expect("it is in flight");
    void(&desk, &first[1]).expect("it is in flight");
    // These are more duels than the arena remembers.
    for _ in 0..5 {
        for duel in issue(&desk, trial, 1000) {
            drop(desk.arena.answer(duel.id, &plain(Answer::Tie)).expect("it is in flight"));
        }
        desk.settle();
    }
    assert_eq!(desk.done(desk.arena.issue(trial, &ask("first", 3))), Ok(first.clone()));
    let reused = Refusal::ClientReused { client: "first".to_owned(), count: 3 };
    assert_eq!(desk.done(desk.arena.issue(trial, &ask("first", 2))), refused(reused));
    assert_eq!(answer(&desk, &first[0], Answer::Left), Ok(Done::Already));
    assert_eq!(answer(&desk, &first[0], Answer::Right), refused(Refusal::Contradiction));
    assert_eq!(answer(&desk, &first[1], Answer::Left), refused(Refusal::Voided));
    assert_eq!(void(&desk, &first[1]), Ok(Done::Already));
    assert_eq!(answer(&desk, &first[2], Answer::Left), Ok(Done::Recorded));
    assert_eq!(desk.state(trial).totals().votes, 5002);
}

#[test]
fn trace_what_is_not_durable_is_not_forgotten() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |_| {});
    let ask = IssueRequest { client: Some("first".to_owned()), ..IssueRequest::default() };
    let first = desk.arena.issue(trial, &ask).expect("it runs");
    let duels: Vec<Duel> = (0..5).flat_map(|_| issue(&desk, trial, 1000)).collect();
    let first = first.poll().expect("nothing failed").expect("it is durable");
    // None of these answers is in the store yet, and there are more of them than the arena
    // remembers once they are.
    let say = |duel: &Duel, said| desk.arena.answer(duel.id, &plain(said));
    for duel in first.iter().chain(&duels) {
        drop(say(duel, Answer::Left).expect("it is in flight"));
    }
    assert!(matches!(say(&first[0], Answer::Right), Err(ArenaError::Refused(Refusal::Contradiction))));
    let again = say(&first[0], Answer::Left).expect("it is the same answer");
    desk.settle();
    assert_eq!(again.poll().expect("nothing failed").expect("it is durable"), Done::Already);
    assert_eq!(desk.state(trial).totals().votes, 5001);
}

/// A desk whose store can be set to fail.
fn failing() -> (Desk, Arc<SimStore>) {
    let store = Arc::new(SimStore::faulty(1, None, Lie::Honest));
    (Desk::new(Arc::<SimStore>::clone(&store), 1), store)
}

const NOTHING_IS_WRITTEN: Faults =
    Faults { before: 1.0, torn: 0.0, unsynced: 0.0, unheard: 0.0, slow: 0.0, read: 0.0, snapshot: 0.0 };

#[test]
fn trace_who_waits_for_another_s_write_is_not_told_of_what_took_its_place() {
    let (desk, store) = failing();
    let trial = desk.create("rex3", 3, |_| {});
    let duels = issue(&desk, trial, 2);
    let first = desk.arena.answer(duels[0].id, &plain(Answer::Left)).expect("it is in flight");
    let again = desk.arena.answer(duels[0].id, &plain(Answer::Left)).expect("it is the same answer");
    let awaited = desk.arena.answer(duels[0].id, &plain(Answer::Left)).expect("it is the same answer");
    store.set_faults(NOTHING_IS_WRITTEN);
    desk.settle();
    store.set_faults(Faults::default());
    // Another answer takes the log position.
    answer(&desk, &duels[1], Answer::Right).expect("the store works again");
    assert!(matches!(first.poll(), Err(ArenaError::Store(_))));
    assert!(matches!(again.poll(), Err(ArenaError::Store(_))), "the answer was never written");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime in this thread");
    assert!(
        matches!(runtime.block_on(awaited.wait()), Err(ArenaError::Store(_))),
        "nor for a caller that awaits it"
    );
    assert_eq!(desk.state(trial).totals().votes, 1);
    assert_eq!(answer(&desk, &duels[0], Answer::Left), Ok(Done::Recorded));
}

#[test]
fn trace_a_repeated_request_waits_for_the_first() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |_| {});
    let request = IssueRequest { count: 2, client: Some("c".to_owned()), ..IssueRequest::default() };
    let first = desk.arena.issue(trial, &request).expect("it runs");
    let again = desk.arena.issue(trial, &request).expect("it is the same request");
    let again = again.poll().expect("nothing failed").expect_err("it is not durable yet");
    desk.settle();
    let first = first.poll().expect("nothing failed").expect("it is durable");
    assert_eq!(again.poll().expect("nothing failed").expect("it is durable"), first);
    let duel = first[0].id;
    let shown = desk.arena.shown(duel).expect("it is in flight");
    let again = desk.arena.shown(duel).expect("it is in flight");
    let again = again.poll().expect("nothing failed").expect_err("it is not durable yet");
    desk.settle();
    assert_eq!(shown.poll().expect("nothing failed").expect("it is durable"), Done::Recorded);
    assert_eq!(again.poll().expect("nothing failed").expect("it is durable"), Done::Already);
}

#[test]
fn trace_nothing_is_shown_before_it_is_durable() {
    let (desk, store) = failing();
    let trial = desk.create("rex3", 3, |_| {});
    let duels = issue(&desk, trial, 3);
    let votes = || desk.arena.view(trial, |experiment| experiment.totals().votes).expect("it is there");
    assert_eq!(votes().poll().expect("nothing failed").expect("all of it is durable"), 0);
    let said = desk.arena.answer(duels[0].id, &plain(Answer::Left)).expect("it is in flight");
    let seen = votes().poll().expect("nothing failed").expect_err("the answer is not durable yet");
    let digest = desk.arena.digest(trial).expect("it is there");
    let digest = digest.poll().expect("nothing failed").expect_err("the answer is not durable yet");
    let without = desk.arena.evidence_without(trial, &[duels[0].id]).expect("it is there");
    let without = without.poll().expect("nothing failed").expect_err("the answer is not durable yet");
    desk.settle();
    assert_eq!(said.poll().expect("nothing failed").expect("it is durable"), Done::Recorded);
    assert_eq!(seen.poll().expect("nothing failed").expect("it is durable"), 1);
    let (seq, _) = digest.poll().expect("nothing failed").expect("it is durable");
    assert_eq!(seq, desk.state(trial).seq());
    assert!(without.poll().expect("nothing failed").is_ok());
    // If the store fails, the reader gets an error. A later reader sees the log as it is.
    let said = desk.arena.answer(duels[1].id, &plain(Answer::Left)).expect("it is in flight");
    let seen = votes();
    let digest = desk.arena.digest(trial).expect("it is there");
    store.set_faults(NOTHING_IS_WRITTEN);
    desk.settle();
    assert!(matches!(said.poll(), Err(ArenaError::Store(_))));
    assert!(matches!(seen.poll(), Err(ArenaError::Store(_))));
    assert!(matches!(digest.poll(), Err(ArenaError::Store(_))));
    assert_eq!(votes().poll().expect("nothing failed").expect("it is durable"), 1);
}

#[test]
fn trace_an_experiment_whose_making_failed_is_gone_and_holds_up_nobody() {
    let (desk, store) = failing();
    let trial = desk.create("rex3", 3, |settings| settings.expires_after = 1);
    issue(&desk, trial, 1);
    store.set_faults(NOTHING_IS_WRITTEN);
    let lost: Vec<_> = (0..8)
        .map(|_| desk.done(desk.arena.create(request("rex3", 3, |_| {}))).expect_err("nothing is written"))
        .collect();
    assert!(lost.iter().all(|error| matches!(error, ArenaError::Store(_))));
    store.set_faults(Faults::default());
    assert_eq!(desk.arena.experiments(), [trial]);
    desk.clock.seconds(2);
    assert_eq!(desk.arena.sweep(), Ok(1), "whatever the others' ids");
}

#[test]
fn trace_a_payload_of_null_is_none() {
    let desk = desk();
    let mut create = request("rex3", 2, |_| {});
    create.arms[0].payload = Some(serde_json::Value::Null);
    let trial = desk.done(desk.arena.create(create)).expect("it is sound");
    let arm = NewArm { payload: Some(serde_json::Value::Null), ..NewArm::named("c") };
    desk.done(desk.arena.add_arms(trial, vec![arm])).expect("it is sound");
    let digest = desk.digest(trial);
    assert_eq!(desk.restarted(2).digest(trial), digest);
}

#[test]
fn trace_limits_of_a_request() {
    let desk = desk();
    let trial = desk.create("rex3", 3, |settings| settings.max_in_flight = 5);
    let ask = |count| desk.done(desk.arena.issue(trial, &IssueRequest { count, ..IssueRequest::default() }));
    assert!(matches!(ask(0), Err(ArenaError::Refused(Refusal::OutOfRange { got: 0, .. }))));
    assert!(matches!(ask(1001), Err(ArenaError::Refused(Refusal::OutOfRange { got: 1001, .. }))));
    let duels = ask(3).expect("there is room");
    assert_eq!(ask(3), refused(Refusal::TooManyInFlight { in_flight: 3, most: 5 }));
    ask(2).expect("there is room");
    assert_eq!(ask(1), refused(Refusal::TooManyInFlight { in_flight: 5, most: 5 }));
    answer(&desk, &duels[0], Answer::Skip).expect("it is in flight");
    ask(1).expect("there is room again");
}
