//! Arms that come and go while a policy runs.

use std::collections::BTreeSet;

use rand::RngExt;
use tiltyard_bandit::policy::rex3::Schedule;
use tiltyard_bandit::policy::{Additive, AnyPolicy, Policy, Rex3};
use tiltyard_bandit::{Arm, Outcome, Stream};

use crate::support::{
    assert_close, build, planned, play, play_rex3, rex3, rex3_forms, rex3_planted, slots, variants,
};

/// Arms come and go in every form that allows it.
#[test]
fn law_elastic_policies() {
    for spec in variants() {
        let mut rng = Stream::new(1).label("elastic").rng();
        let mut policy = build(&spec, 5);
        play(&mut policy, 200, &mut rng);
        let late = policy.decide(&mut rng).expect("nothing is in flight");
        let Some(elastic) = policy.elastic() else { continue };

        // Retire an arm of a duel in flight. The outcome arrives later and does no harm.
        let gone = late.left;
        assert!(elastic.retire(gone), "{spec}");
        assert!(!elastic.retire(gone), "{spec}: retired twice");
        policy.update(&late, Outcome::WIN).expect("its own ticket, although late");
        let absent = |policy: &mut AnyPolicy, rng: &mut _| {
            for (ticket, _) in play(policy, 300, rng) {
                assert!(ticket.left != gone && ticket.right != gone, "{spec} proposed a retired arm");
            }
            if let Some(distinct) = policy.distinct() {
                for _ in 0..100 {
                    let ticket = distinct.propose_distinct(rng).expect("four arms");
                    assert!(ticket.left != gone && ticket.right != gone && !ticket.is_self_duel(), "{spec}");
                }
            }
            assert_ne!(policy.recommend(), gone, "{spec}");
        };
        absent(&mut policy, &mut rng);

        // A new arm gets the next index and is played.
        let new = policy.elastic().expect("still elastic").add_arm();
        assert_eq!((new, policy.n_arms()), (Arm::new(5), 6), "{spec}");
        absent(&mut policy, &mut rng);
        let played = |policy: &mut AnyPolicy, arm: Arm, rng: &mut _| {
            play(policy, 2000, rng).iter().any(|(ticket, _)| ticket.left == arm || ticket.right == arm)
        };
        assert!(played(&mut policy, new, &mut rng), "{spec}");

        // The retired arm comes back.
        let elastic = policy.elastic().expect("still elastic");
        assert!(elastic.restore(gone) && !elastic.restore(gone), "{spec}");
        assert!(played(&mut policy, gone, &mut rng), "{spec}");

        // The last active arm cannot be retired.
        let elastic = policy.elastic().expect("still elastic");
        let retired: Vec<bool> = Arm::all(6).map(|arm| elastic.retire(arm)).collect();
        assert_eq!(retired, [true, true, true, true, true, false], "{spec}");
        for (ticket, _) in play(&mut policy, 50, &mut rng) {
            assert_eq!((ticket.left, ticket.right), (new, new), "{spec}");
        }
        assert_eq!(policy.distinct().and_then(|policy| policy.propose_distinct(&mut rng)), None, "{spec}");
    }
}

/// A refused attempt to retire or restore an arm leaves the state as it was.
#[test]
fn law_refused_changes_of_arms_change_nothing() {
    let mut changed = Vec::new();
    for spec in variants() {
        let mut rng = Stream::new(1).label("refused").rng();
        let mut policy = build(&spec, 3);
        play(&mut policy, 150, &mut rng);
        let Some(elastic) = policy.elastic() else { continue };
        assert!(elastic.retire(Arm::new(0)));
        play(&mut policy, 150, &mut rng);
        let before = policy.save();
        let elastic = policy.elastic().expect("still elastic");
        assert!(!elastic.retire(Arm::new(0)) && !elastic.restore(Arm::new(1)), "{spec}");
        if policy.save() != before {
            changed.push(spec);
        }
    }
    assert!(changed.is_empty(), "changed although refused: {changed:?}");
}

/// After each change of the arms, the probabilities of the active arms sum to 1. Each of them is at
/// least explore / K, and those of the other arms are 0. A new arm starts at the mean weight of the
/// active arms, where the weights are those after the arm was added.
#[test]
fn law_rex3_arms_come_and_go() {
    for options in rex3_forms() {
        let what = format!("{options:?}");
        let mut rng = Stream::new(1).label("come and go").rng();
        let mut policy = rex3(6, options);
        let mut active: BTreeSet<usize> = (0..6).collect();
        for step in 0..40 {
            play_rex3(&mut policy, 50, &mut rng);
            let n_arms = policy.n_arms();
            let arm = rng.random_range(0..n_arms);
            let elastic = policy.elastic().expect("REX3 is elastic");
            match step % 4 {
                0 | 1 => {
                    let changed = elastic.retire(Arm::new(arm));
                    assert_eq!(changed, active.len() > 1 && active.remove(&arm), "{what}: retire {arm}");
                }
                2 => assert_eq!(elastic.restore(Arm::new(arm)), active.insert(arm), "{what}: restore {arm}"),
                _ => check_new_arm(&mut policy, &mut active, &what),
            }
            let p = policy.distribution();
            let floor = policy.gamma() / active.len() as f64;
            assert_close(&[p.iter().sum()], &[1.0], 1e-12, &what);
            for (arm, &p) in p.iter().enumerate() {
                if active.contains(&arm) {
                    assert!(p >= floor * (1.0 - 1e-12), "{what}: {p} below {floor}");
                } else {
                    assert_close(&[p], &[0.0], 0.0, &what);
                }
            }
        }
    }
}

/// The new arm's sum S gives it the mean weight: exp(scale S) = mean of exp(scale S_i), where the
/// scale already counts the new arm.
fn check_new_arm(policy: &mut Rex3, active: &mut BTreeSet<usize>, what: &str) {
    let literal = matches!(policy.options().schedule, Schedule::Literal { .. });
    let old = Additive::sums(policy);
    let arm = policy.elastic().expect("REX3 is elastic").add_arm();
    let scale = if literal { 1.0 } else { policy.gamma() / (active.len() + 1) as f64 };
    let highest = active.iter().map(|&i| old[i]).fold(f64::NEG_INFINITY, f64::max);
    let weight = |sum: f64| (scale * (sum - highest)).exp();
    let mean = active.iter().map(|&i| weight(old[i])).sum::<f64>() / active.len() as f64;
    let new = Additive::sums(policy);
    assert_close(&new[..arm.index()], &old, 0.0, what);
    assert_close(&[weight(new[arm.index()])], &[mean], 1e-9, &format!("{what}: new arm"));
    active.insert(arm.index());
}

/// A late outcome of a retired arm changes the sum of that arm. It changes the probabilities of the
/// active arms only through the opponent.
#[test]
fn trace_late_outcome_of_a_retired_arm() {
    let mut policy = rex3_planted(0.3, &[0.0; 3]);
    let ticket = planned(&policy, 0, 1);
    policy.issue(&ticket);
    assert!(policy.elastic().expect("elastic").retire(Arm::new(0)));
    policy.update(&ticket, Outcome::WIN);
    // Two arms are left: gamma / K is 0.15, c is still 1.5, and p = 0.7 softmax + 0.15.
    assert_close(&policy.log_weights(), &[0.225, -0.225, 0.0], 1e-15, "log-weights");
    let softmax = 1.0 / (1.0 + 0.225f64.exp());
    let p = 0.7f64.mul_add(softmax, 0.15);
    assert_close(&policy.distribution(), &[0.0, p, 1.0 - p], 1e-15, "p");
    let (left, _, _) = slots(&policy.propose(&mut Stream::new(1).rng()));
    assert!(left > 0.0);
    // The arm comes back with what it learned in the meantime. gamma / K is 0.1 again.
    assert!(policy.elastic().expect("elastic").restore(Arm::new(0)));
    assert_close(&policy.log_weights(), &[0.15, -0.15, 0.0], 1e-15, "log-weights");
}

/// Arms that are added together start alike. In REX3, each starts with the mean probability of the
/// arms before.
#[test]
fn law_arms_added_together() {
    for spec in variants() {
        let mut rng = Stream::new(2).label("together").rng();
        let mut policy = build(&spec, 5);
        play(&mut policy, 300, &mut rng);
        let Some(elastic) = policy.elastic() else { continue };
        assert!(elastic.retire(Arm::new(2)), "{spec}");
        assert_eq!(elastic.add_arms(12), Arm::new(5), "{spec}");
        assert_eq!(policy.n_arms(), 17, "{spec}");
        let Some(probabilities) = policy.probabilities() else { continue };
        let (before, new) = probabilities.split_at(5);
        assert_close(new, &[new[0]; 12], 1e-12, &spec);
        assert_close(&[probabilities.iter().sum()], &[1.0], 1e-9, &spec);
        if policy.info().name == "rex3" {
            assert_close(&[before.iter().sum::<f64>() / 4.0], &[new[0]], 1e-9, &spec);
        }
        play(&mut policy, 300, &mut rng);
    }
}
