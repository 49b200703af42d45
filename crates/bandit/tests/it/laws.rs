//! The laws that every policy must obey in every form. The tests walk the registry, so that they
//! cover a new policy automatically.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::RngExt;
use tiltyard_bandit::params::{Context, ParamError};
use tiltyard_bandit::policy::registry::BuildError;
use tiltyard_bandit::policy::{AnyPolicy, Info, Policy, Settles, UpdateError, registry};
use tiltyard_bandit::{Arm, Draw, Outcome, Stream, Ticket};

use crate::support::{
    any_outcome, assert_close, build, permutation, play, play_graded, play_rex3, rex3, rex3_forms, shuffle,
    sums, variants,
};

fn config() -> ProptestConfig {
    // Each case walks the whole registry.
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) }
}

/// Issues the duels that another copy has played, and learns their outcomes.
fn replay(policy: &mut AnyPolicy, duels: &[(Ticket, Outcome)]) {
    for (ticket, outcome) in duels {
        policy.issue(ticket).expect("a ticket of the same kind of policy");
        policy.update(ticket, *outcome).expect("a ticket of the same kind of policy");
    }
}

/// The sums after arm `i` is renamed to `label[i]`. A policy that counts wins has one number per
/// ordered pair of arms, any other policy one or more numbers per arm.
fn relabel_sums(info: &Info, sums: &[f64], label: &[usize]) -> Vec<f64> {
    let n_arms = label.len();
    // Self-Sparring has two numbers per arm. With two arms, that is the same count as one number
    // per pair.
    if !info.binary || sums.len() != n_arms * n_arms || info.name == "selfsparring" {
        return relabel_blocks(sums, label);
    }
    let mut relabelled = vec![0.0; sums.len()];
    for (place, &sum) in sums.iter().enumerate() {
        relabelled[label[place / n_arms] * n_arms + label[place % n_arms]] = sum;
    }
    relabelled
}

/// Consecutive lists with one number per arm, after arm `i` is renamed to `label[i]`.
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
        assert!(forms > 1 || info.params.is_empty(), "declare `forms` of `{}`", info.name);
    }
}

proptest! {
    #![proptest_config(config())]

    /// The indices of arms have no meaning: relabelled tickets leave a relabelled state.
    #[test]
    fn law_relabelled_tickets_leave_a_relabelled_state(seed in any::<u64>(), n_arms in 2..8usize) {
        // The index of a reference arm is the exception: it has a meaning.
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
                assert_close(&new, &relabel_sums(plain.info(), &old, &label), 1e-12, &spec);
            }
            // In BTM, shares of wins can tie by chance, and then it recommends the lowest index;
            // twin_btm.rs compares what it counts. In the two Merge policies, a random partition is
            // part of the state; twin_mergerucb.rs relabels it too.
            if plain.info().settles != Settles::Never && !spec.starts_with("btm") && !spec.starts_with("merge") {
                prop_assert_eq!(relabelled.recommend(), renamed(plain.recommend()), "{}", spec);
            }
        }
    }

    /// Left and right have no meaning. Swapping the slots and the sign of the score leaves the same
    /// REX3, and swaps the players of Sparring. (Without its guard, REX3 learns from self-duels as
    /// in line 11 of the paper, where the slots do have a meaning.)
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

    /// Outcomes may arrive shuffled and late: the sums stay the same. If a transport delivers an
    /// outcome twice, it is enough to drop the second copy.
    #[test]
    fn law_order_and_delay_do_not_matter(seed in any::<u64>(), n_arms in 2..8usize) {
        for spec in variants() {
            let mut rng = Stream::new(seed).rng();
            let mut prompt = build(&spec, n_arms);
            let Some(_) = sums(&mut prompt) else { continue };
            let duels = play(&mut prompt, 150, &mut rng);
            let want = sums(&mut prompt).expect("checked above");

            // All outcomes at the end, in any order, some of them twice.
            let mut shuffled = build(&spec, n_arms);
            for (ticket, _) in &duels {
                shuffled.issue(ticket).expect("a ticket of its own kind");
            }
            let mut delivered = [duels.as_slice(), &duels[..50]].concat();
            shuffle(&mut delivered, &mut rng);
            let mut seen = BTreeSet::new();
            for (ticket, outcome) in delivered {
                if seen.insert(ticket.round) {
                    shuffled.update(&ticket, outcome).expect("a ticket of its own kind");
                }
            }
            assert_close(&sums(&mut shuffled).expect("checked above"), &want, 1e-9, &format!("{spec}, shuffled"));

            // Each outcome some rounds late.
            let mut late = build(&spec, n_arms);
            let mut waiting = Vec::new();
            for duel in &duels {
                late.issue(&duel.0).expect("a ticket of its own kind");
                waiting.push(duel);
                shuffle(&mut waiting, &mut rng);
                for (ticket, outcome) in waiting.split_off(waiting.len() - waiting.len().div_ceil(4)) {
                    late.update(ticket, *outcome).expect("a ticket of its own kind");
                }
            }
            for (ticket, outcome) in waiting {
                late.update(ticket, *outcome).expect("a ticket of its own kind");
            }
            assert_close(&sums(&mut late).expect("checked above"), &want, 1e-9, &format!("{spec}, late"));
        }
    }

    /// Three nodes share the tickets, learn separately and then add up what they learned. The sum
    /// equals what one node would know. They merge twice, and each time add what they learned since
    /// the last merge.
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
                    nodes[node].update(ticket, *outcome).expect("a ticket of its own kind");
                }
                for (node, last) in nodes.iter_mut().zip(&mut last) {
                    let now = sums(node).expect("checked above");
                    let learned: Vec<f64> = now.iter().zip(&*last).map(|(now, last)| now - last).collect();
                    hub.additive().expect("checked above").add(&learned);
                    *last = now;
                }
            }
            let (merged, whole) = (sums(&mut hub), sums(&mut one));
            assert_close(&merged.expect("checked above"), &whole.expect("checked above"), 1e-9, &spec);
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

    /// Some outcomes never arrive, and some duels are declared void. Every ticket still passes its
    /// check, its propensity (if it states one) is above 0 and at most 1, and rounds count
    /// decisions, not outcomes.
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
                    // A sequential policy needs the outcome; any other may wait for ever.
                    1 if policy.propose(&mut rng).is_ok() => {}
                    _ => policy.update(&ticket, any_outcome(binary, &mut rng)).expect("its own ticket"),
                }
            }
            prop_assert!(policy.recommend().index() < n_arms, "{}", spec);
            prop_assert!(AnyPolicy::restore(&policy.save()).is_ok(), "{}", spec);
        }
    }

    /// A duel that is issued and then voided teaches nothing.
    #[test]
    fn law_void_teaches_nothing(seed in any::<u64>(), n_arms in 2..8usize) {
        for spec in variants() {
            let mut rng = Stream::new(seed).rng();
            let mut policy = build(&spec, n_arms);
            play(&mut policy, 50, &mut rng);
            let before = (sums(&mut policy), policy.recommend());
            let ticket = policy.decide(&mut rng).expect("nothing is in flight");
            policy.void(&ticket).expect("its own ticket");
            // With epochs, a duel may start the next epoch, which forgets everything.
            if !spec.contains("epochs") {
                prop_assert_eq!((sums(&mut policy), policy.recommend()), before, "{}", spec);
            }
        }
    }

    /// A single arm always meets itself. Two arms meet each other at some time.
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

/// Every policy that settles finds the best arm: arm 2 beats every other arm with a score of 1/2,
/// which for a binary policy is a win with probability 3/4.
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
        // By then, the gap of 1/2 is worth hundreds of standard errors.
        assert_eq!(policy.recommend(), Arm::new(2), "{spec}");
    }
}

/// A policy refuses tickets that it cannot have issued, and they leave its state as it was.
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

/// Relabelling and mirroring, checked on the probabilities of REX3, because the form with epochs
/// has no sums.
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
        let p = plain.distribution();
        assert_close(&other.distribution(), &relabel_blocks(&p, &label), 1e-12, &format!("{options:?}"));
        assert_close(&mirrored.distribution(), &p, 1e-12, &format!("{options:?}"));
    }
}

/// A ticket that passes the check never leads to NaN or infinity: the policy can still be saved and
/// restored.
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

/// A policy that keeps a table with one entry per pair refuses more arms than memory holds, always
/// with the same error. The other policies accept them.
#[test]
fn trace_more_arms_than_a_table_holds_are_refused() {
    for info in registry::all() {
        let spec = info.name.parse().expect("a specification");
        let context = Context { n_arms: 100_000, horizon: Some(1_000_000) };
        let has_table = info.cost.contains("O(K^2) memory");
        let refused = registry::build(&spec, context, &mut Stream::new(1).rng()).err();
        match refused {
            Some(BuildError::Param(ParamError::TooManyArms { name, .. })) => {
                assert_eq!(name, info.name);
                assert!(has_table, "{name}");
            }
            None => assert!(!has_table, "{}", info.name),
            Some(other) => panic!("{}: {other}", info.name),
        }
    }
}
