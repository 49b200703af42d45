//! The probabilities that policies state for their next duel, compared with the duels that they
//! propose.

use tiltyard_bandit::policy::AnyPolicy;
use tiltyard_bandit::{Arm, Draw, Outcome, Stream};

use crate::support::{assert_close, build, variants};

/// Plays in a world where lower indices win more often.
fn learn(policy: &mut AnyPolicy, rounds: usize, label: &str) {
    let mut rng = Stream::new(1).label("probabilities").label(label).rng();
    for _ in 0..rounds {
        let ticket = policy.decide(&mut rng).expect("nothing is in flight");
        let margin = (ticket.right.index() as f64 - ticket.left.index() as f64) / policy.n_arms() as f64;
        let outcome = Outcome::new(margin).expect("a score");
        let outcome = if policy.info().binary { outcome.to_binary(&mut rng) } else { outcome };
        policy.update(&ticket, outcome).expect("its own ticket");
    }
}

/// Each form after 500 rounds. An elastic policy has a second state, with one arm retired and one
/// added.
fn states(n_arms: usize) -> impl Iterator<Item = (String, AnyPolicy, Option<Arm>)> {
    variants().into_iter().flat_map(move |spec| {
        let mut policy = build(&spec, n_arms);
        learn(&mut policy, 500, &spec);
        let mut changed = policy.clone();
        let gone = changed.elastic().and_then(|elastic| {
            elastic.add_arm();
            elastic.retire(Arm::new(1)).then_some(Arm::new(1))
        });
        let more = gone.map(|arm| {
            learn(&mut changed, 200, &spec);
            (format!("{spec}, arms changed"), changed, Some(arm))
        });
        core::iter::once((spec, policy, None)).chain(more)
    })
}

/// Whether one distribution draws both slots, according to the specification of the policy.
fn is_shared(what: &str) -> bool {
    let name = what.split([':', ',']).next().unwrap_or(what);
    matches!(name, "rex3" | "dexp3" | "random") || name == "vdb" && !what.contains("players")
}

#[test]
fn law_probabilities_are_a_distribution() {
    for n_arms in [1, 2, 9] {
        for (what, policy, gone) in states(n_arms) {
            let Some(p) = policy.probabilities() else {
                assert!(!is_shared(&what), "{what} must state probabilities");
                continue;
            };
            assert_eq!(p.len(), policy.n_arms(), "{what}");
            assert!(p.iter().all(|&p| (0.0..=1.0).contains(&p)), "{what}: {p:?}");
            assert_close(&[p.iter().sum()], &[1.0], 1e-9, &what);
            if let Some(gone) = gone {
                assert_close(&[p[gone.index()]], &[0.0], 0.0, &what);
            }
        }
    }
}

/// A policy states probabilities if its tickets state the probabilities of the slots. So do some
/// policies whose pairs have an easy law. A policy whose tickets state nothing has none.
#[test]
fn law_policies_that_state_slots_state_probabilities() {
    for spec in variants() {
        let policy = build(&spec, 4);
        let ticket = policy.propose(&mut Stream::new(1).rng()).expect("nothing is in flight");
        if matches!(ticket.draw, Draw::Slots { .. }) {
            assert!(policy.probabilities().is_some(), "{spec}");
        }
        if ticket.draw == Draw::Unknown {
            assert_eq!(policy.probabilities(), None, "{spec}");
        }
    }
    for name in ["feedexp3", "scb", "savage"] {
        assert!(build(name, 4).probabilities().is_some(), "{name}");
    }
}

/// If one distribution draws both slots, a ticket states the probabilities of that distribution.
#[test]
fn law_tickets_state_the_probabilities_of_shared_slots() {
    for (what, policy, _) in states(9).filter(|(what, ..)| is_shared(what)) {
        let p = policy.probabilities().expect("policies with shared slots state probabilities");
        let mut rng = Stream::new(2).label(&what).rng();
        for _ in 0..100 {
            let mut tickets = vec![policy.propose(&mut rng).expect("nothing is in flight")];
            tickets.extend(policy.distinct().and_then(|distinct| distinct.propose_distinct(&mut rng)));
            for ticket in tickets {
                let Draw::Slots { left, right, .. } = ticket.draw else { panic!("{what}: {ticket:?}") };
                assert_close(
                    &[left, right],
                    &[p[ticket.left.index()], p[ticket.right.index()]],
                    1e-12,
                    &what,
                );
            }
        }
    }
}

/// How often each arm is in a slot of 20,000 proposals. A duel puts an arm into X slots, where X is
/// 0, 1 or 2, E X = 2 p and E X^2 <= 2 E X. So Var X <= 4 p (1 - p), no matter how the slots depend
/// on each other. By Bernstein's inequality, the share of an arm among the 40,000 slots is then off
/// by more than sqrt(2 L p (1 - p) / 20,000) + (2/3) L / 20,000 with probability at most e^-L, on
/// either side. L = 12.5 makes the first term five standard errors. It allows some 2000 comparisons
/// at a total risk of 1.5 %. The seed is fixed.
#[test]
fn stat_proposals_follow_the_probabilities() {
    const DUELS: usize = 20_000;
    let n = DUELS as f64;
    let mut compared = 0;
    for (what, policy, _) in states(7) {
        let Some(p) = policy.probabilities() else { continue };
        let mut rng = Stream::new(3).label(&what).rng();
        let mut slots = vec![0u32; p.len()];
        for _ in 0..DUELS {
            let ticket = policy.propose(&mut rng).expect("nothing is in flight");
            slots[ticket.left.index()] += 1;
            slots[ticket.right.index()] += 1;
        }
        for (arm, (&p, &slots)) in p.iter().zip(&slots).enumerate() {
            let share = f64::from(slots) / (2.0 * n);
            let tolerance = (25.0 * p * (1.0 - p) / n).sqrt() + 2.0 / 3.0 * 12.5 / n;
            assert!((share - p).abs() <= tolerance, "{what}: arm {arm} has {share}, not {p}");
            assert!(p > 0.0 || slots == 0, "{what}: arm {arm} cannot be drawn");
            compared += 1;
        }
    }
    assert!((500..2000).contains(&compared), "{compared} comparisons");
}
