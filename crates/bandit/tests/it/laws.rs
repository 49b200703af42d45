//! What every policy must obey, in every form: walks the registry, so that a new policy cannot escape.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tiltyard_bandit::policy::registry::BuildError;
use tiltyard_bandit::policy::rex3::{Options, Schedule, Transfer};
use tiltyard_bandit::policy::{
    AnyPolicy, Citation, Goal, InFlight, Info, Policy, Propensity, RestoreError, Rex3, Saved, Sequential,
    Settles, UpdateError, registry,
};
use tiltyard_bandit::{Arm, Draw, Outcome, Stream, Ticket};

use crate::support::{
    any_outcome, assert_close, build, graded, permutation, play, rex3, rex3_planted, shuffle, slots, sums,
    variants,
};

fn config() -> ProptestConfig {
    // Each case walks the whole registry.
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(8) }
}

/// Issues and learns what another copy has played.
fn replay(policy: &mut AnyPolicy, duels: &[(Ticket, Outcome)]) {
    for (ticket, outcome) in duels {
        policy.issue(ticket).expect("a ticket of the same kind of policy");
        policy.update(ticket, *outcome).expect("a ticket of the same kind of policy");
    }
}

/// Lets a policy play for graded outcomes, among which there are no ties, so that no two arms stand equal by chance.
fn play_graded<R: Rng>(policy: &mut AnyPolicy, rounds: usize, rng: &mut R) -> Vec<(Ticket, Outcome)> {
    let binary = policy.info().binary;
    (0..rounds)
        .map(|_| {
            let ticket = policy.decide(rng).expect("no duel is in flight");
            let outcome = if binary { any_outcome(true, rng) } else { graded(rng) };
            policy.update(&ticket, outcome).expect("it is its own ticket");
            (ticket, outcome)
        })
        .collect()
}

/// Lists of one number an arm, one after the other, as they read when arm `i` is called `label[i]`.
fn relabel_blocks(sums: &[f64], label: &[usize]) -> Vec<f64> {
    let mut relabelled = vec![0.0; sums.len()];
    for (block, chunk) in sums.chunks(label.len()).enumerate() {
        for (i, &sum) in chunk.iter().enumerate() {
            relabelled[block * label.len() + label[i]] = sum;
        }
    }
    relabelled
}

#[test]
fn law_the_list_of_variants_names_every_policy() {
    for info in registry::all() {
        let forms = variants().iter().filter(|spec| spec.split(':').next() == Some(info.name)).count();
        assert!(forms > 0, "{}", info.name);
        // A policy with parameters has forms that its bare name does not reach.
        assert!(forms > 1 || info.params.is_empty(), "give forms of `{}` in support.rs", info.name);
    }
}

proptest! {
    #![proptest_config(config())]

    /// Arms have no meaning: relabelled tickets leave a relabelled state.
    #[test]
    fn law_relabelled_tickets_leave_a_relabelled_state(seed in any::<u64>(), n_arms in 2..8usize) {
        // A reference arm is the one arm that does have a meaning.
        for spec in variants().into_iter().filter(|spec| !spec.contains("reference=")) {
            let mut rng = Stream::new(seed).rng();
            let label = permutation(n_arms, &mut rng);
            let (mut plain, mut relabelled) = (build(&spec, n_arms), build(&spec, n_arms));
            let renamed = |arm: Arm| Arm::new(label[arm.index()]);
            let duels = play_graded(&mut plain, 150, &mut rng);
            let duels: Vec<_> =
                duels.into_iter().map(|(ticket, outcome)| (ticket.relabelled(renamed), outcome)).collect();
            replay(&mut relabelled, &duels);
            if let (Some(old), Some(new)) = (sums(&mut plain), sums(&mut relabelled)) {
                assert_close(&new, &relabel_blocks(&old, &label), 1e-12, &spec);
            }
            if plain.info().settles != Settles::Never {
                prop_assert_eq!(relabelled.recommend(), renamed(plain.recommend()), "{}", spec);
            }
        }
    }

    /// Left and right have no meaning: swapped slots with the score's sign swapped leave the same REX3, and swap the players of
    /// Sparring. (Without its guard REX3 learns from self-duels as line 11 of the paper reads, where slots do have a meaning.)
    #[test]
    fn law_swapped_slots_leave_a_mirrored_state(seed in any::<u64>(), n_arms in 2..8usize) {
        for spec in variants().into_iter().filter(|spec| !spec.contains("guard=false")) {
            let players = spec.starts_with("sparring");
            if !players && !spec.starts_with("rex3") {
                continue;
            }
            let mut rng = Stream::new(seed).rng();
            let (mut plain, mut mirrored) = (build(&spec, n_arms), build(&spec, n_arms));
            let duels = play_graded(&mut plain, 150, &mut rng);
            let duels: Vec<_> =
                duels.into_iter().map(|(ticket, outcome)| (swapped(ticket), outcome.flipped())).collect();
            replay(&mut mirrored, &duels);
            if let (Some(old), Some(new)) = (sums(&mut plain), sums(&mut mirrored)) {
                let mut want = old;
                if players {
                    let half = want.len() / 2;
                    want.rotate_left(half);
                }
                assert_close(&new, &want, 1e-12, &spec);
            }
            prop_assert_eq!(mirrored.recommend(), plain.recommend(), "{}", spec);
        }
    }

    /// Outcomes may come shuffled, and late: the sums are the same. Where a transport delivers twice, dropping what was seen
    /// before is enough.
    #[test]
    fn law_order_and_delay_do_not_matter(seed in any::<u64>(), n_arms in 2..8usize) {
        for spec in variants() {
            let mut rng = Stream::new(seed).rng();
            let mut prompt = build(&spec, n_arms);
            let Some(_) = sums(&mut prompt) else { continue };
            let duels = play(&mut prompt, 150, &mut rng);
            let want = sums(&mut prompt).expect("asked before");

            // All at the end, in any order, some twice.
            let mut shuffled = build(&spec, n_arms);
            for (ticket, _) in &duels {
                shuffled.issue(ticket).expect("its own kind");
            }
            let mut delivered = [duels.as_slice(), &duels[..50]].concat();
            shuffle(&mut delivered, &mut rng);
            let mut seen = BTreeSet::new();
            for (ticket, outcome) in delivered {
                if seen.insert(ticket.round) {
                    shuffled.update(&ticket, outcome).expect("its own kind");
                }
            }
            assert_close(&sums(&mut shuffled).expect("as before"), &want, 1e-9, &format!("{spec}, shuffled"));

            // Each by some rounds late.
            let mut late = build(&spec, n_arms);
            let mut waiting = Vec::new();
            for duel in &duels {
                late.issue(&duel.0).expect("its own kind");
                waiting.push(duel);
                shuffle(&mut waiting, &mut rng);
                for (ticket, outcome) in waiting.split_off(waiting.len() - waiting.len().div_ceil(4)) {
                    late.update(ticket, *outcome).expect("its own kind");
                }
            }
            for (ticket, outcome) in waiting {
                late.update(ticket, *outcome).expect("its own kind");
            }
            assert_close(&sums(&mut late).expect("as before"), &want, 1e-9, &format!("{spec}, late"));
        }
    }

    /// Three nodes that share the tickets and learn apart, then add up what they learned, know what one node would know. They
    /// merge twice, each time by what was learned since.
    #[test]
    fn law_nodes_merge_by_addition(seed in any::<u64>(), n_arms in 2..8usize) {
        for spec in variants() {
            let mut rng = Stream::new(seed).rng();
            let mut one = build(&spec, n_arms);
            let Some(nothing) = sums(&mut one) else { continue };
            let duels = play(&mut one, 200, &mut rng);
            let mut nodes: Vec<AnyPolicy> = (0..3).map(|_| build(&spec, n_arms)).collect();
            let mut hub = build(&spec, n_arms);
            let mut last = vec![nothing; 3];
            for batch in duels.chunks(100) {
                for (ticket, outcome) in batch {
                    let node = rng.random_range(0..3);
                    nodes[node].update(ticket, *outcome).expect("its own kind");
                }
                for (node, last) in nodes.iter_mut().zip(&mut last) {
                    let now = sums(node).expect("asked before");
                    let learned: Vec<f64> = now.iter().zip(&*last).map(|(now, last)| now - last).collect();
                    hub.additive().expect("asked before").add(&learned);
                    *last = now;
                }
            }
            let (merged, whole) = (sums(&mut hub), sums(&mut one));
            assert_close(&merged.expect("asked before"), &whole.expect("asked before"), 1e-9, &spec);
        }
    }

    /// Proposing changes nothing and draws only from the generator passed in.
    #[test]
    fn law_proposing_is_pure(seed in any::<u64>(), n_arms in 1..8usize) {
        for spec in variants() {
            let mut rng = Stream::new(seed).rng();
            let mut policy = build(&spec, n_arms);
            play(&mut policy, 30, &mut rng);
            let before = policy.save();
            let copy = AnyPolicy::restore(&before).expect("just saved");
            let (mut a, mut b) = (rng.clone(), rng.clone());
            for _ in 0..10 {
                prop_assert_eq!(policy.propose(&mut a), copy.propose(&mut b), "{}", spec);
            }
            if let (Some(policy), Some(copy)) = (policy.distinct(), copy.distinct()) {
                prop_assert_eq!(policy.propose_distinct(&mut a), copy.propose_distinct(&mut b), "{}", spec);
            }
            prop_assert_eq!(a, b);
            prop_assert_eq!(policy.save(), before, "{}", spec);
        }
    }

    /// Every ticket can be checked, its arms exist, it says how it was drawn, and rounds count decisions, not outcomes.
    /// Some outcomes come late, some never, and some duels are declared void.
    #[test]
    fn law_lost_and_void_outcomes_break_nothing(seed in any::<u64>(), n_arms in 1..8usize) {
        for spec in variants() {
            let mut rng = Stream::new(seed).rng();
            let mut policy = build(&spec, n_arms);
            let binary = policy.info().binary;
            for round in 1..=200 {
                let ticket = policy.decide(&mut rng).expect("nothing is in flight");
                prop_assert_eq!(ticket.check(n_arms), Ok(()), "{}", spec);
                prop_assert_eq!(ticket.round, round, "{}", spec);
                prop_assert_eq!(policy.round(), round, "{}", spec);
                if let Some(propensity) = ticket.propensity() {
                    prop_assert!(propensity > 0.0 && propensity <= 1.0, "{}: {}", spec, propensity);
                }
                match rng.random_range(0..4) {
                    0 => policy.void(&ticket).expect("its own ticket"),
                    // A sequential policy must be told; the others may wait for ever.
                    1 if policy.propose(&mut rng).is_ok() => {}
                    _ => policy.update(&ticket, any_outcome(binary, &mut rng)).expect("its own ticket"),
                }
            }
            prop_assert!(policy.recommend().index() < n_arms, "{}", spec);
            prop_assert!(AnyPolicy::restore(&policy.save()).is_ok(), "{}", spec);
        }
    }

    /// A void duel and one that never ends teach nothing.
    #[test]
    fn law_void_teaches_nothing(seed in any::<u64>(), n_arms in 2..8usize) {
        for spec in variants() {
            let mut rng = Stream::new(seed).rng();
            let mut policy = build(&spec, n_arms);
            play(&mut policy, 50, &mut rng);
            let before = (sums(&mut policy), policy.recommend());
            let ticket = policy.decide(&mut rng).expect("nothing is in flight");
            policy.void(&ticket).expect("its own ticket");
            // A duel of epochs may start the next one, where all is forgotten.
            if !spec.contains("epochs") {
                prop_assert_eq!((sums(&mut policy), policy.recommend()), before, "{}", spec);
            }
        }
    }

    /// One arm always meets itself. Two arms work.
    #[test]
    fn law_one_arm_and_two(seed in any::<u64>()) {
        for spec in variants() {
            let mut rng = Stream::new(seed).rng();
            let mut one = build(&spec, 1);
            for (ticket, _) in play(&mut one, 100, &mut rng) {
                prop_assert_eq!((ticket.left, ticket.right), (Arm::new(0), Arm::new(0)), "{}", spec);
                prop_assert!(ticket.propensity().is_none_or(|p| (p - 1.0).abs() < 1e-12), "{}", spec);
            }
            prop_assert_eq!(one.recommend(), Arm::new(0));
            let distinct = one.distinct().and_then(|policy| policy.propose_distinct(&mut rng));
            prop_assert_eq!(distinct, None, "{}", spec);

            let mut two = build(&spec, 2);
            let mut pairs = BTreeSet::new();
            for (ticket, _) in play(&mut two, 400, &mut rng) {
                pairs.insert((ticket.left, ticket.right));
            }
            prop_assert!(pairs.iter().any(|(left, right)| left != right), "{}: {:?}", spec, pairs);
            prop_assert!(two.recommend().index() < 2);
        }
    }
}

/// The same duel with the slots swapped.
fn swapped(ticket: Ticket) -> Ticket {
    let draw = match ticket.draw {
        Draw::Slots { left, right, z } => Draw::Slots { left: right, right: left, z },
        other => other,
    };
    Ticket { left: ticket.right, right: ticket.left, draw, ..ticket }
}

/// Whatever the policies learn, they should find an arm that wins all its duels.
#[test]
fn stat_every_learner_finds_the_arm_that_always_wins() {
    for spec in variants() {
        let mut policy = build(&spec, 4);
        if policy.info().settles == Settles::Never {
            continue;
        }
        let mut rng = Stream::new(1).label("winner").rng();
        for _ in 0..3000 {
            let ticket = policy.decide(&mut rng).expect("nothing is in flight");
            let strength = |arm: Arm| if arm.index() == 2 { 1.0 } else { 0.5 };
            let (left, right) = (strength(ticket.left), strength(ticket.right));
            let outcome = Outcome::new(left - right).expect("a score");
            let outcome = if policy.info().binary { outcome.to_binary(&mut rng) } else { outcome };
            policy.update(&ticket, outcome).expect("its own ticket");
        }
        // The gap of 1/2 is worth hundreds of standard errors by then.
        assert_eq!(policy.recommend(), Arm::new(2), "{spec}");
    }
}

fn text(policy: &AnyPolicy) -> String {
    serde_json::to_string(&policy.save()).expect("a saved policy is plain data")
}

fn from_text(text: &str) -> AnyPolicy {
    let saved: Saved = serde_json::from_str(text).expect("just written");
    AnyPolicy::restore(&saved).expect("just saved")
}

/// Saved as text and restored in mid-run, with duels in flight, a policy continues bit for bit.
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

/// Tickets that cannot be this policy's are refused, and leave no trace.
#[test]
fn law_foreign_tickets_are_refused() {
    for spec in variants() {
        let mut rng = Stream::new(1).label("foreign").rng();
        let mut policy = build(&spec, 4);
        play(&mut policy, 50, &mut rng);
        let own = policy.decide(&mut rng).expect("nothing is in flight");
        let before = policy.save();

        let mut foreign =
            vec![Ticket { left: Arm::new(4), ..own }, Ticket { right: Arm::new(1_000_000), ..own }];
        for bad in [0.0, -0.1, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            foreign.push(Ticket { rate: bad, ..own });
            for draw in [
                Draw::Slots { left: bad, right: 0.5, z: 1.0 },
                Draw::Slots { left: 0.5, right: bad, z: 1.0 },
                Draw::Slots { left: 0.5, right: 0.5, z: bad },
                Draw::Pair(bad),
            ] {
                foreign.push(Ticket { draw, ..own });
            }
        }
        let kinds = [Draw::Slots { left: 0.5, right: 0.5, z: 1.0 }, Draw::Pair(0.25), Draw::Unknown];
        let own_kind = core::mem::discriminant(&own.draw);
        for draw in kinds.into_iter().filter(|draw| core::mem::discriminant(draw) != own_kind) {
            let ticket = Ticket { draw, ..own };
            let refused = policy.update(&ticket, Outcome::WIN);
            assert!(matches!(refused, Err(UpdateError::Foreign { .. })), "{spec}: {refused:?}");
            foreign.push(ticket);
        }
        for ticket in foreign {
            assert!(policy.update(&ticket, Outcome::WIN).is_err(), "{spec} learned from {ticket:?}");
            assert!(policy.issue(&ticket).is_err(), "{spec} issued {ticket:?}");
            assert!(policy.void(&ticket).is_err(), "{spec} voided {ticket:?}");
        }
        assert_eq!(policy.save(), before, "{spec}");
        assert_eq!(policy.update(&own, Outcome::WIN), Ok(()), "{spec}");
    }
}

/// Arms come and go in every form that allows it.
#[test]
fn law_elastic_policies() {
    for spec in variants() {
        let mut rng = Stream::new(1).label("elastic").rng();
        let mut policy = build(&spec, 5);
        play(&mut policy, 200, &mut rng);
        let late = policy.decide(&mut rng).expect("nothing is in flight");
        let Some(elastic) = policy.elastic() else { continue };

        // The arm of a duel in flight is retired; its outcome comes later and does no harm.
        let gone = late.left;
        assert!(elastic.retire(gone), "{spec}");
        assert!(!elastic.retire(gone), "{spec}: retired twice");
        policy.update(&late, Outcome::WIN).expect("late, but its own");
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

        // A new arm gets the next index, and is played.
        let new = policy.elastic().expect("as before").add_arm();
        assert_eq!((new, policy.n_arms()), (Arm::new(5), 6), "{spec}");
        absent(&mut policy, &mut rng);
        let played = |policy: &mut AnyPolicy, arm: Arm, rng: &mut _| {
            play(policy, 2000, rng).iter().any(|(ticket, _)| ticket.left == arm || ticket.right == arm)
        };
        assert!(played(&mut policy, new, &mut rng), "{spec}");

        // Back again.
        let elastic = policy.elastic().expect("as before");
        assert!(elastic.restore(gone) && !elastic.restore(gone), "{spec}");
        assert!(played(&mut policy, gone, &mut rng), "{spec}");

        // The last arm stays.
        let elastic = policy.elastic().expect("as before");
        let retired: Vec<bool> = Arm::all(6).map(|arm| elastic.retire(arm)).collect();
        assert_eq!(retired, [true, true, true, true, true, false], "{spec}");
        for (ticket, _) in play(&mut policy, 50, &mut rng) {
            assert_eq!((ticket.left, ticket.right), (new, new), "{spec}");
        }
        assert_eq!(policy.distinct().and_then(|policy| policy.propose_distinct(&mut rng)), None, "{spec}");
    }
}

/// What a retirement or return that is refused leaves behind: nothing.
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
        let elastic = policy.elastic().expect("as before");
        assert!(!elastic.retire(Arm::new(0)) && !elastic.restore(Arm::new(1)), "{spec}");
        if policy.save() != before {
            changed.push(spec);
        }
    }
    assert!(changed.is_empty(), "changed although refused: {changed:?}");
}

/// REX3 in the forms whose arithmetic differs.
fn rex3_forms() -> Vec<Options> {
    let schedules = [
        Schedule::Fixed { gamma: 0.2 },
        Schedule::DualAveraging { tau: 1.0 },
        Schedule::Literal { tau: 1.0 },
        Schedule::Epochs { tau: 1.0 },
    ];
    let transfers = [Transfer::Identity, Transfer::Sign, Transfer::Indicator];
    let with = |schedule| transfers.map(|transfer| Options { schedule, transfer, ..Options::default() });
    schedules.into_iter().flat_map(with).collect()
}

fn play_rex3<R: Rng>(policy: &mut Rex3, rounds: usize, rng: &mut R) -> Vec<(Ticket, Outcome)> {
    (0..rounds)
        .map(|_| {
            let ticket = policy.decide(rng);
            let outcome = any_outcome(false, rng);
            policy.update(&ticket, outcome);
            (ticket, outcome)
        })
        .collect()
}

/// Relabelling and mirroring, seen in REX3's probabilities: epochs have no sums to show.
#[test]
fn law_rex3_probabilities_follow_labels_and_slots() {
    for options in rex3_forms() {
        let mut rng = Stream::new(1).label("labels").rng();
        let label = permutation(7, &mut rng);
        let renamed = |arm: Arm| Arm::new(label[arm.index()]);
        let (mut plain, mut other, mut mirrored) = (rex3(7, options), rex3(7, options), rex3(7, options));
        for (ticket, outcome) in play_rex3(&mut plain, 300, &mut rng) {
            other.issue(&ticket.relabelled(renamed));
            other.update(&ticket.relabelled(renamed), outcome);
            mirrored.issue(&swapped(ticket));
            mirrored.update(&swapped(ticket), outcome.flipped());
        }
        let p = plain.probabilities();
        assert_close(&other.probabilities(), &relabel_blocks(&p, &label), 1e-12, &format!("{options:?}"));
        assert_close(&mirrored.probabilities(), &p, 1e-12, &format!("{options:?}"));
    }
}

/// Probabilities after each change of the arms: they sum to 1 over the active arms, are at least explore / K on each of them, and 0
/// on the others. A new arm starts at the mean weight of the active ones, as weights stood before it came.
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
            let p = policy.probabilities();
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

/// The new arm's sum is that of the mean weight: exp(scale S) = mean of exp(scale S_i), with the scale before it came.
fn check_new_arm(policy: &mut Rex3, active: &mut BTreeSet<usize>, what: &str) {
    let literal = matches!(policy.options().schedule, Schedule::Literal { .. });
    let scale = if literal { 1.0 } else { policy.gamma() / active.len() as f64 };
    let sums = |policy: &Rex3| tiltyard_bandit::policy::Additive::sums(policy);
    let old = sums(policy);
    let highest = active.iter().map(|&i| old[i]).fold(f64::NEG_INFINITY, f64::max);
    let weight = |sum: f64| (scale * (sum - highest)).exp();
    let mean = active.iter().map(|&i| weight(old[i])).sum::<f64>() / active.len() as f64;
    let arm = policy.elastic().expect("REX3 is elastic").add_arm();
    let new = sums(policy);
    assert_close(&new[..arm.index()], &old, 0.0, what);
    assert_close(&[weight(new[arm.index()])], &[mean], 1e-9, &format!("{what}: new arm"));
    active.insert(arm.index());
}

/// A late outcome of a retired arm moves its own sum, and the active arms' probabilities only through its opponent.
#[test]
fn trace_late_outcome_of_a_retired_arm() {
    let mut policy = rex3_planted(0.3, &[0.0; 3]);
    let ticket = crate::support::planned(&policy, 0, 1);
    policy.issue(&ticket);
    assert!(policy.elastic().expect("elastic").retire(Arm::new(0)));
    policy.update(&ticket, Outcome::WIN);
    // Two arms are left: gamma / K is 0.15, c = 1.5 still, and p = 0.7 softmax + 0.15.
    assert_close(&policy.log_weights(), &[0.225, -0.225, 0.0], 1e-15, "log-weights");
    let softmax = 1.0 / (1.0 + 0.225f64.exp());
    let p = 0.7f64.mul_add(softmax, 0.15);
    assert_close(&policy.probabilities(), &[0.0, p, 1.0 - p], 1e-15, "p");
    let (left, _, _) = slots(&policy.propose(&mut Stream::new(1).rng()));
    assert!(left > 0.0);
    // Back in the draw with what it has learned meanwhile: gamma / K is 0.1 again.
    assert!(policy.elastic().expect("elastic").restore(Arm::new(0)));
    assert_close(&policy.log_weights(), &[0.15, -0.15, 0.0], 1e-15, "log-weights");
}

/// A policy that needs each outcome before the next duel: the winner stays, and meets the next arm.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct WinnerStays {
    n_arms: usize,
    round: u64,
    winner: usize,
    challenger: usize,
    awaiting: Option<Ticket>,
}

const WINNER_STAYS: Info = Info {
    name: "winner-stays",
    title: "a toy",
    assumptions: &[],
    horizon: None,
    settles: Settles::Never,
    minimises: Goal::None,
    binary: true,
    cost: "O(1)",
    params: &[],
    reference: Citation { authors: "", title: "", venue: "", year: 2026, doi: "" },
    source: "",
};

impl Policy for WinnerStays {
    fn info(&self) -> &'static Info {
        &WINNER_STAYS
    }
    fn propensity(&self) -> Propensity {
        Propensity::Pair
    }
    fn n_arms(&self) -> usize {
        self.n_arms
    }
    fn round(&self) -> u64 {
        self.round
    }
    fn propose<R: Rng + ?Sized>(&self, _: &mut R) -> Ticket {
        self.ready().expect("asked only when ready");
        Ticket {
            round: self.round + 1,
            left: Arm::new(self.winner),
            right: Arm::new(self.challenger),
            rate: 1.0,
            epoch: 0,
            draw: Draw::Pair(1.0),
        }
    }
    fn issue(&mut self, ticket: &Ticket) {
        self.round += 1;
        self.awaiting = Some(*ticket);
    }
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        self.awaiting = None;
        self.winner = if outcome == Outcome::WIN { ticket.left } else { ticket.right }.index();
        self.challenger = (self.challenger + 1) % self.n_arms;
    }
    fn void(&mut self, _: &Ticket) {
        self.awaiting = None;
    }
    fn recommend(&self) -> Arm {
        Arm::new(self.winner)
    }
    fn sequential(&self) -> Option<&dyn Sequential> {
        Some(self)
    }
}

impl Sequential for WinnerStays {
    fn awaiting(&self) -> Option<Ticket> {
        self.awaiting
    }
}

/// `ready` refuses while a duel is in flight, names it, and agrees again once it is decided or void.
#[test]
fn law_sequential_policies_wait() {
    let mut rng = Stream::new(1).rng();
    let mut policy = WinnerStays { n_arms: 3, round: 0, winner: 0, challenger: 1, awaiting: None };
    assert_eq!(policy.ready(), Ok(()));
    let ticket = policy.decide(&mut rng);
    assert_eq!(policy.ready(), Err(InFlight { ticket }));
    let said = InFlight { ticket }.to_string();
    assert!(said.contains("arms 0 and 1") && said.contains("round 1"), "{said}");
    let proposed = std::panic::catch_unwind(|| policy.propose(&mut Stream::new(1).rng()));
    assert!(proposed.is_err(), "propose must refuse as well");
    policy.update(&ticket, Outcome::LOSS);
    assert_eq!((policy.ready(), policy.recommend()), (Ok(()), Arm::new(1)));
    let ticket = policy.decide(&mut rng);
    assert!(policy.ready().is_err());
    policy.void(&ticket);
    assert_eq!(policy.ready(), Ok(()));
    // No policy of the registry claims the need without keeping to it.
    for spec in variants() {
        let mut policy = build(&spec, 3);
        policy.decide(&mut rng).expect("nothing is in flight");
        if let Err(InFlight { ticket }) = policy.propose(&mut rng) {
            policy.void(&ticket).expect("its own ticket");
            assert!(policy.propose(&mut rng).is_ok(), "{spec}");
        }
    }
}

/// A saved state with one thing wrong.
struct Damaged {
    what: String,
    state: Value,
    /// Whether no reading of it makes sense. The rest (a number that cannot have been reached, an item too many where arms can be
    /// added) may be refused or survived, but must not panic, then or later.
    senseless: bool,
}

/// Damages a value itself, and each value in it.
fn damage(value: &Value, emit: &mut dyn FnMut(Damaged)) {
    let mut emit_one =
        |what: &str, state, senseless| emit(Damaged { what: what.to_owned(), state, senseless });
    for other in [json!(null), json!("x"), json!({ "x": 1 })] {
        emit_one(&format!("is {other}"), other.clone(), other != *value);
    }
    for other in [json!(-1.5), json!(0), json!(7e5), json!(1e308)] {
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

/// Restores a damaged state and, if that was possible, lets it play. Says what went wrong.
fn survive(damaged: &Damaged) -> Result<(), String> {
    let played = std::panic::catch_unwind(|| {
        let Ok(saved) = serde_json::from_value::<Saved>(damaged.state.clone()) else { return Ok(()) };
        let Ok(mut policy) = AnyPolicy::restore(&saved) else { return Ok(()) };
        if damaged.senseless {
            return Err("restored all the same".to_owned());
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

/// A damaged state is an error, never a panic: neither while it is restored nor, where it was accepted, later.
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
    // The bare names again, so that a new policy is among them.
    for spec in specs.map(str::to_owned).into_iter().chain(registry::all().map(|info| info.name.to_owned())) {
        let mut policy = build(&spec, 3);
        play(&mut policy, 60, &mut Stream::new(1).rng());
        let saved = serde_json::to_value(policy.save()).expect("plain data");
        damage(&saved, &mut |damaged| {
            // A policy may do without its horizon.
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

/// What is written around the state is checked too.
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

/// A ticket that passed the check never makes numbers that are none: the policy can still be saved and goes on.
#[test]
fn law_accepted_tickets_leave_finite_numbers() {
    let mut poisoned = BTreeSet::new();
    for spec in variants() {
        for tiny in [5e-324, 1e-310, 1e-308, 1e-300] {
            let mut rng = Stream::new(1).rng();
            let mut policy = build(&spec, 3);
            play(&mut policy, 20, &mut rng);
            let own = policy.decide(&mut rng).expect("nothing is in flight");
            let Draw::Slots { z, .. } = own.draw else { continue };
            let draw = Draw::Slots { left: tiny, right: tiny, z };
            let ticket = Ticket { left: Arm::new(0), right: Arm::new(1), draw, ..own };
            if policy.update(&ticket, Outcome::WIN).is_ok() && AnyPolicy::restore(&policy.save()).is_err() {
                poisoned.insert(format!("{spec}, p = {tiny:e}"));
            }
        }
    }
    assert!(poisoned.is_empty(), "{} poisoned: {poisoned:?}", poisoned.len());
}
