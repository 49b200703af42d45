//! Saving and restoring: a restored policy continues bit for bit, and a damaged state is an error.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tiltyard_bandit::policy::registry::BuildError;
use tiltyard_bandit::policy::{AnyPolicy, RestoreError, Saved, registry};
use tiltyard_bandit::{Arm, Outcome, Stream};

use crate::support::{build, play, variants};

fn text(policy: &AnyPolicy) -> String {
    serde_json::to_string(&policy.save()).expect("a saved policy is plain data")
}

fn from_text(text: &str) -> AnyPolicy {
    let saved: Saved = serde_json::from_str(text).expect("just written");
    AnyPolicy::restore(&saved).expect("just saved")
}

/// A policy that is saved as text and restored in mid-run, with a duel in flight, continues bit for
/// bit.
#[test]
fn law_a_restored_policy_continues_bit_for_bit() {
    for spec in variants() {
        for n_arms in [1, 5, 19] {
            let mut rng = Stream::new(1).label("save").rng();
            let mut policy = build(&spec, n_arms);
            play(&mut policy, 333, &mut rng);
            if n_arms > 1
                && let Some(elastic) = policy.elastic()
            {
                elastic.add_arm();
                assert!(elastic.retire(Arm::new(1)));
                play(&mut policy, 44, &mut rng);
            }
            let in_flight = policy.decide(&mut rng).expect("nothing is in flight");
            let mut restored = from_text(&text(&policy));
            assert_eq!(restored.save(), policy.save(), "{spec}");
            assert_eq!((restored.round(), restored.recommend()), (policy.round(), policy.recommend()));
            for policy in [&mut policy, &mut restored] {
                let tie = if policy.info().binary { Outcome::WIN } else { Outcome::TIE };
                policy.update(&in_flight, tie).expect("its own ticket");
            }
            let mut other = rng.clone();
            let (a, b) = (play(&mut policy, 500, &mut rng), play(&mut restored, 500, &mut other));
            assert_eq!(a, b, "{spec} with {n_arms} arms");
            assert_eq!(text(&restored), text(&policy), "{spec} with {n_arms} arms");
        }
    }
}

/// A clone continues bit for bit like the original, and neither changes the other.
#[test]
fn law_a_clone_continues_by_itself() {
    for spec in variants() {
        let mut rng = Stream::new(1).label("clone").rng();
        let mut policy = build(&spec, 5);
        play(&mut policy, 100, &mut rng);
        let before = policy.save();
        let mut copy = policy.clone();
        assert_eq!(copy.save(), before, "{spec}");
        let mut other = rng.clone();
        let duels = play(&mut policy, 100, &mut rng);
        assert_eq!(copy.save(), before, "{spec}: the clone learned what only the original played");
        assert_eq!(play(&mut copy, 100, &mut other), duels, "{spec}");
        assert_eq!(copy.save(), policy.save(), "{spec}");
    }
}

/// A saved state with one defect.
struct Damaged {
    what: String,
    state: Value,
    /// Whether the state makes no sense at all and must be refused. Other defects (a number that no
    /// run can reach, an item too many where arms can be added) may be refused or accepted, but
    /// must not cause a panic, neither at once nor later.
    senseless: bool,
}

/// Damages a value itself, and each value in it; of a list, the first two.
fn damage(value: &Value, emit: &mut dyn FnMut(Damaged)) {
    let mut emit_one =
        |what: &str, state, senseless| emit(Damaged { what: what.to_owned(), state, senseless });
    for other in [json!(null), json!("x"), json!({ "x": 1 })] {
        emit_one(&format!("is {other}"), other.clone(), other != *value);
    }
    for other in [json!(-1.5), json!(0), json!(7e5), json!(1e308), json!(u64::MAX)] {
        emit_one(&format!("is {other}"), other, false);
    }
    match value {
        Value::Array(items) => {
            emit_one("is emptied", json!([]), true);
            emit_one("has an item too many", Value::Array([items.as_slice(), &[json!(1)]].concat()), false);
            if let Some((_, fewer)) = items.split_last() {
                emit_one("lacks its last item", Value::Array(fewer.to_vec()), true);
            }
            for (i, item) in items.iter().enumerate().take(2) {
                damage(item, &mut |inner| {
                    let mut items = items.clone();
                    items[i] = inner.state;
                    emit(Damaged {
                        what: format!("[{i}] {}", inner.what),
                        state: Value::Array(items),
                        ..inner
                    });
                });
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                let mut fewer = fields.clone();
                fewer.remove(key);
                // Some fields are optional.
                emit(Damaged {
                    what: format!(" lacks {key}"),
                    state: Value::Object(fewer),
                    senseless: false,
                });
                damage(field, &mut |inner| {
                    let mut fields = fields.clone();
                    fields.insert(key.clone(), inner.state);
                    let what = format!(".{key} {}", inner.what).replace(" .", ".").replace(" [", "[");
                    emit(Damaged { what, state: Value::Object(fields), ..inner });
                });
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Restores a damaged state and, if that succeeds, lets the policy play. The error says what went
/// wrong.
fn survive(damaged: &Damaged) -> Result<(), String> {
    let played = std::panic::catch_unwind(|| {
        let Ok(saved) = serde_json::from_value::<Saved>(damaged.state.clone()) else { return Ok(()) };
        let Ok(mut policy) = AnyPolicy::restore(&saved) else { return Ok(()) };
        if damaged.senseless {
            return Err("was restored although it makes no sense".to_owned());
        }
        let mut rng = Stream::new(2).rng();
        for _ in 0..50 {
            let ticket = policy.decide(&mut rng).map_err(|error| error.to_string())?;
            policy
                .update(&ticket, Outcome::WIN)
                .map_err(|error| format!("refused its own ticket: {error}"))?;
        }
        policy.recommend();
        Ok(())
    });
    played.unwrap_or_else(|_| Err("panicked".to_owned()))
}

/// A damaged state never causes a panic, neither while it is restored nor, if it was accepted,
/// later.
#[test]
fn law_damaged_states_are_refused_or_survived() {
    let mut wrong = BTreeSet::new();
    let specs = [
        "rex3",
        "rex3:gamma=0.2",
        "rex3:schedule=literal",
        "rex3:schedule=epochs",
        "sparring",
        "sparring:schedule=loss",
        "sparring:player=ucb1",
        "sparring:player=thompson",
    ];
    // All bare names follow, so that the list includes a new policy.
    for spec in specs.map(str::to_owned).into_iter().chain(registry::all().map(|info| info.name.to_owned())) {
        let mut policy = build(&spec, 3);
        play(&mut policy, 60, &mut Stream::new(1).rng());
        let saved = serde_json::to_value(policy.save()).expect("plain data");
        damage(&saved, &mut |damaged| {
            // The horizon may be missing.
            if damaged.what == ".horizon is null" {
                return;
            }
            if let Err(how) = survive(&damaged) {
                wrong.insert(format!("{spec}{}: {how}", damaged.what));
            }
        });
    }
    let list: Vec<String> = wrong.into_iter().collect();
    assert!(list.is_empty(), "{} damaged states:\n{}", list.len(), list.join("\n"));
}

/// The fields around the state are checked too: the format, the policy and the number of arms.
#[test]
fn law_damaged_envelopes_are_refused() {
    for spec in variants() {
        let mut policy = build(&spec, 3);
        play(&mut policy, 20, &mut Stream::new(1).rng());
        let good = policy.save();
        let text = text(&policy);
        for end in 0..text.len() {
            assert!(serde_json::from_str::<Saved>(&text[..end]).is_err(), "{spec}, cut after {end} bytes");
        }
        for format in [0, good.format + 1, u32::MAX] {
            let refused = AnyPolicy::restore(&Saved { format, ..good.clone() });
            assert!(matches!(refused, Err(RestoreError::Format { format: got }) if got == format), "{spec}");
        }
        let with = |policy: &str| AnyPolicy::restore(&Saved { policy: policy.to_owned(), ..good.clone() });
        assert!(matches!(with("quicksort"), Err(RestoreError::Build(BuildError::UnknownPolicy { .. }))));
        assert!(matches!(with(""), Err(RestoreError::Spec(_))), "{spec}");
        let refused = with(&format!("{}:nonsense=1", policy.info().name));
        assert!(matches!(refused, Err(RestoreError::Build(BuildError::Param(_)))), "{spec}");
        assert!(AnyPolicy::restore(&Saved { n_arms: 0, ..good.clone() }).is_err(), "{spec}");
        // The state of one kind of policy does not fit another.
        let other = if spec.starts_with("random") { "rex3" } else { "random" };
        assert!(matches!(with(other), Err(RestoreError::State { .. })), "{spec} restored as {other}");
    }
}
