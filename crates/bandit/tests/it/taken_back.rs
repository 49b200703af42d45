//! Outcomes that are taken back.

use proptest::prelude::*;
use rand::RngExt;
use serde_json::Value;
use tiltyard_bandit::policy::{Additive, AnyPolicy, Policy, UpdateError};
use tiltyard_bandit::{Arm, Draw, Outcome, Stream, Ticket};

use crate::support::{any_outcome, assert_close, build, planned, play, rex3_fixed, shuffle, sums, variants};

/// The fields in which a policy remembers its past decisions. Taking an outcome back does not
/// change them; the doc comment of the policy's `take_back` names them.
fn memories(name: &str) -> &'static [&'static str] {
    match name {
        "rucb" => &["best"],
        "rmed1" | "rmed2" | "rmed2fh" => &["remaining", "next", "rivals"],
        "ccb" => &["hypotheses"],
        "scb" => &["search"],
        _ => &[],
    }
}

/// Fails unless two states agree in all fields except [`memories`]. Real numbers that follow from
/// the counts may differ by rounding.
#[track_caller]
pub(crate) fn assert_same_state(name: &str, got: &Value, want: &Value, what: &str) {
    let (Value::Object(got), Value::Object(want)) = (got, want) else {
        panic!("{what}: a state is not an object")
    };
    assert!(got.keys().eq(want.keys()), "{what}");
    let reals =
        |value: &Value| -> Vec<f64> { serde_json::from_value(value.clone()).expect("a list of numbers") };
    for (key, got) in got.iter().filter(|(key, _)| !memories(name).contains(&key.as_str())) {
        if ["chances", "ln_b"].contains(&key.as_str()) {
            assert_close(&reals(got), &reals(&want[key]), 1e-9, &format!("{what}: {key}"));
        } else {
            assert_eq!(got, &want[key], "{what}: {key}");
        }
    }
}

/// A duel that waits for its outcome.
struct Waiting {
    ticket: Ticket,
    outcome: Outcome,
    /// Whether one copy voids this duel while the other learns its outcome and takes it back.
    void: bool,
}

fn config() -> ProptestConfig {
    // Each case walks the whole registry.
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) }
}

proptest! {
    #![proptest_config(config())]

    /// Two copies of a policy play with late outcomes. Some duels are void for one copy, while the
    /// other copy learns the outcome and takes it back some time later, in any order. In the end,
    /// both know the same.
    #[test]
    fn law_what_is_taken_back_was_never_learned(seed in any::<u64>(), n_arms in 2..8usize) {
        for spec in variants() {
            let mut rng = Stream::new(seed).rng();
            let mut voids = build(&spec, n_arms);
            if voids.additive().is_none() {
                continue;
            }
            let mut learns = voids.clone();
            let info = voids.info();
            let (mut waiting, mut learned) = (Vec::new(), Vec::new());
            for round in 0..200 {
                if round < 150 {
                    let ticket = match voids.distinct() {
                        Some(distinct) if round % 3 == 0 => distinct.propose_distinct(&mut rng).expect("two arms"),
                        _ => voids.propose(&mut rng).expect("nothing is in flight"),
                    };
                    for copy in [&mut voids, &mut learns] {
                        copy.issue(&ticket).expect("its own ticket");
                    }
                    let outcome = any_outcome(info.binary, &mut rng);
                    waiting.push(Waiting { ticket, outcome, void: rng.random_range(0..3) == 0 });
                }
                shuffle(&mut waiting, &mut rng);
                let n_left = if round < 150 { waiting.len() - waiting.len().div_ceil(4) } else { 0 };
                for Waiting { ticket, outcome, void } in waiting.split_off(n_left) {
                    learns.update(&ticket, outcome).expect("its own ticket");
                    if void {
                        voids.void(&ticket).expect("its own ticket");
                        learned.push((ticket, outcome));
                    } else {
                        voids.update(&ticket, outcome).expect("its own ticket");
                    }
                }
                shuffle(&mut learned, &mut rng);
                let n_left = if round < 150 { learned.len() - learned.len().div_ceil(8) } else { 0 };
                for (ticket, outcome) in learned.split_off(n_left) {
                    prop_assert_eq!(learns.take_back(&ticket, outcome), Ok(true));
                }
            }
            let (got, want) = (sums(&mut learns).expect("additive"), sums(&mut voids).expect("additive"));
            if info.binary {
                prop_assert_eq!(got, want, "{}", &spec);
                assert_same_state(info.name, &learns.save().state, &voids.save().state, &spec);
            } else {
                assert_close(&got, &want, 1e-9, &spec);
            }
            prop_assert_eq!(learns.round(), voids.round(), "{}", &spec);
            // Everything that is derived from the state is up to date.
            let restored = AnyPolicy::restore(&learns.save()).expect("just saved");
            let mut other = rng.clone();
            for _ in 0..20 {
                prop_assert_eq!(learns.propose(&mut rng), restored.propose(&mut other), "{}", &spec);
            }
        }
    }

    /// Taking back an outcome, even one that was never learned, leaves a policy that can be saved
    /// and continues.
    #[test]
    fn law_taking_back_what_was_never_learned_breaks_nothing(seed in any::<u64>(), n_arms in 1..8usize) {
        for spec in variants() {
            let mut rng = Stream::new(seed).rng();
            let mut policy = build(&spec, n_arms);
            let duels = play(&mut policy, 40, &mut rng);
            let before = policy.save();
            let additive = policy.additive().is_some();
            for (ticket, outcome) in duels {
                for outcome in [outcome, outcome.flipped()] {
                    prop_assert_eq!(policy.take_back(&ticket, outcome), Ok(additive), "{}", &spec);
                }
            }
            prop_assert!(additive || policy.save() == before, "{}", &spec);
            let mut restored = AnyPolicy::restore(&policy.save()).expect("just saved");
            let mut other = rng.clone();
            prop_assert_eq!(play(&mut policy, 40, &mut rng), play(&mut restored, 40, &mut other), "{}", &spec);
        }
    }
}

/// `take_back` refuses what `update` refuses, with the same errors.
#[test]
fn law_what_cannot_be_learned_cannot_be_taken_back() {
    for spec in variants() {
        let mut rng = Stream::new(1).label("foreign").rng();
        let mut policy = build(&spec, 4);
        play(&mut policy, 50, &mut rng);
        let own = policy.decide(&mut rng).expect("nothing is in flight");
        let before = policy.save();
        let other = if own.draw == Draw::Unknown { Draw::Pair(0.5) } else { Draw::Unknown };
        for ticket in
            [Ticket { left: Arm::new(4), ..own }, Ticket { rate: 2.0, ..own }, Ticket { draw: other, ..own }]
        {
            assert_eq!(
                policy.take_back(&ticket, Outcome::WIN),
                Err(policy.update(&ticket, Outcome::WIN).unwrap_err())
            );
        }
        if policy.info().binary {
            assert_eq!(
                policy.take_back(&own, Outcome::TIE),
                Err(UpdateError::NotBinary { score: 0.0 }),
                "{spec}"
            );
        }
        assert_eq!(policy.save(), before, "{spec}");
    }
}

/// REX3 with gamma = 0.3 and three arms, each with p = 1/3. A win of arm 0 over arm 1 changes the
/// sum of each by 3/2. Arm 1, which lost, retires before the win is taken back. Taking back a duel
/// of an arm with itself changes nothing.
#[test]
fn trace_rex3() {
    let mut policy = rex3_fixed(3, 0.3);
    let (first, second, same) = (planned(&policy, 0, 1), planned(&policy, 1, 2), planned(&policy, 2, 2));
    for ticket in [first, second, same] {
        policy.issue(&ticket);
        policy.update(&ticket, Outcome::WIN);
    }
    assert_close(&policy.sums(), &[1.5, 0.0, -1.5], 1e-15, "learned");
    assert!(policy.elastic().expect("REX3 is elastic").retire(Arm::new(1)));
    policy.take_back(&same, Outcome::WIN);
    policy.take_back(&first, Outcome::WIN);
    assert_close(&policy.sums(), &[0.0, 1.5, -1.5], 1e-15, "the first taken back");
    assert_eq!(policy.round(), 3);
}
