//! States at the limits of floating-point numbers: whatever REX3 has learned, it can continue, and
//! no arm is lost for good.

use rand::RngExt;
use tiltyard_bandit::policy::rex3::{Options, Schedule};
use tiltyard_bandit::policy::{Additive, Distinct, Policy, Rex3};
use tiltyard_bandit::{Arm, Outcome, Stream};

use crate::reference::mixture;
use crate::support::{assert_close, planned, rex3, rex3_fixed, rex3_planted};

const SCHEDULES: [Schedule; 4] = [
    Schedule::Fixed { gamma: 0.5 },
    Schedule::DualAveraging { tau: 1.36 },
    Schedule::Literal { tau: 1.36 },
    Schedule::Epochs { tau: 1.36 },
];

fn with(n_arms: usize, schedule: Schedule) -> Rex3 {
    rex3(n_arms, Options { schedule, ..Options::default() })
}

/// Checks what must hold in every state. The probabilities are finite, sum to 1, give each arm its
/// share of the exploration, and follow from the log-weights. Tickets pass their check.
#[track_caller]
fn check(policy: &Rex3, what: &str) {
    let p = policy.distribution();
    let explore = policy.gamma() * policy.options().mixing;
    let floor = explore / p.len() as f64;
    assert!(explore > 0.0 && floor > 0.0, "{what}: gamma is {}", policy.gamma());
    assert!(p.iter().all(|p| p.is_finite()), "{what}");
    assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{what}: the sum is {}", p.iter().sum::<f64>());
    let least = p.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(least >= floor * (1.0 - 1e-12), "{what}: {least} is below {floor}");
    assert_close(&p, &mixture(&policy.log_weights(), explore), 1e-9, what);

    let mut rng = Stream::new(1).label(what).rng();
    for _ in 0..20 {
        let ticket = policy.propose(&mut rng);
        assert_eq!(ticket.check(p.len()), Ok(()), "{what}");
        if p.len() > 1 {
            let ticket = policy.propose_distinct(&mut rng).expect("two arms at least");
            assert_eq!(ticket.check(p.len()), Ok(()), "{what}");
            let propensity = ticket.propensity().expect("REX3 knows its probabilities");
            assert!(propensity > 0.0 && propensity <= 1.0 + 1e-9, "{what}: {propensity}");
            assert!(!ticket.is_self_duel(), "{what}");
        }
    }
}

/// Lets an arm win every duel against another arm. All other duels tie.
fn favour(policy: &mut Rex3, winner: usize, rounds: u32, rng: &mut impl rand::Rng) {
    for _ in 0..rounds {
        let ticket = policy.decide(rng);
        let wins = |arm: Arm| f64::from(u8::from(arm.index() == winner));
        policy.update(&ticket, Outcome::new(wins(ticket.left) - wins(ticket.right)).expect("a score"));
    }
}

#[test]
fn law_log_weights_far_apart() {
    for gap in [0.0, 1.0, 30.0, 299.0, 301.0, 700.0, 709.0, 745.0, 750.0, 5000.0, 1e6, 1e12] {
        for n_arms in [1, 2, 5, 17] {
            // Log-weights in steps of the gap, upwards and downwards, and one arm alone at the top
            // or at the bottom.
            let ladder: Vec<f64> = (0..n_arms).map(|i| gap * i as f64).collect();
            let mut alone = vec![0.0; n_arms];
            alone[n_arms / 2] = gap;
            for sign in [1.0, -1.0] {
                for log_weights in [&ladder, &alone] {
                    let log_weights: Vec<f64> = log_weights.iter().map(|l| sign * l).collect();
                    let mut policy = rex3_planted(0.5, &log_weights);
                    let what = format!("{n_arms} arms, gap {}", sign * gap);
                    check(&policy, &what);
                    let mut rng = Stream::new(2).rng();
                    favour(&mut policy, 0, 200, &mut rng);
                    check(&policy, &format!("{what}, after some duels"));
                }
            }
        }
    }
}

#[test]
fn law_late_rounds() {
    for schedule in SCHEDULES {
        for round in [1_000_000, 1_000_000_000_000, 1 << 52, (1 << 62) + 5] {
            let mut policy = with(6, schedule);
            policy.warm_start(round, vec![1e5, 0.0, -1e5, 3.0, 2e4, 7.0]).expect("six sums");
            let what = format!("{schedule:?} after {round} rounds");
            check(&policy, &what);
            let mut rng = Stream::new(3).rng();
            favour(&mut policy, 3, 300, &mut rng);
            assert_eq!(policy.round(), round + 300);
            check(&policy, &what);
        }
    }
    // sqrt(6 ln 6 / (1.36 * 1e12)) = 2.8115e-6.
    let mut policy = with(6, Schedule::DualAveraging { tau: 1.36 });
    policy.warm_start(999_999_999_999, vec![0.0; 6]).expect("six sums");
    assert!((policy.gamma() - 2.8115e-6).abs() < 1e-10, "{}", policy.gamma());
}

#[test]
fn law_large_sums() {
    for schedule in SCHEDULES {
        for size in [1e9, 1e15, 1e100, 1e300] {
            let sums = vec![size, -size, 0.0, size / 2.0, size];
            let mut policy = with(5, schedule);
            policy.warm_start(10, sums.clone()).expect("five sums");
            check(&policy, &format!("{schedule:?}, warm start with {size:e}"));

            // The same by merging. Merging the negative sums leads back to the start.
            let mut merged = with(5, schedule);
            merged.add(&sums);
            check(&merged, &format!("{schedule:?}, merged {size:e}"));
            merged.add(&sums.iter().map(|sum| -sum).collect::<Vec<_>>());
            check(&merged, &format!("{schedule:?}, merged and taken back {size:e}"));
            assert_close(&merged.distribution(), &[0.2; 5], 1e-15, "back at the start");
        }
    }
}

/// A million arms, with equal and with unequal weights. The draw finds a heavy arm although it is
/// the last of all.
#[test]
fn law_a_million_arms() {
    let n_arms = 1_000_000;
    let mut policy = rex3_fixed(n_arms, 0.5);
    let mut rng = Stream::new(4).rng();
    favour(&mut policy, n_arms - 1, 100, &mut rng);
    assert!((policy.distribution().iter().sum::<f64>() - 1.0).abs() < 1e-9);

    // Each arm has weight 1, the last one e^20. Its share is e^20 / (e^20 + 999,999) = 0.997943 of
    // the half that does not explore.
    let mut sums = vec![0.0; n_arms];
    sums[n_arms - 1] = 20.0 * n_arms as f64 / 0.5;
    policy.warm_start(0, sums).expect("a million sums");
    let p = policy.distribution();
    assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    assert!((p[n_arms - 1] - 0.5 * 0.997_943).abs() < 1e-6, "{}", p[n_arms - 1]);
    let drawn =
        (0..2000).filter(|_| policy.propose(&mut rng).left.index() == n_arms - 1).count() as f64 / 2000.0;
    // One standard error is 0.011; the tolerance is five of them.
    assert!((drawn - 0.499).abs() < 0.056, "{drawn}");
    let ticket = planned(&policy, n_arms - 1, 0);
    policy.update(&ticket, Outcome::LOSS);
    assert!(policy.distribution()[0] > p[0]);
}

/// gamma = 1/2, and one arm wins for 100,000 rounds. Its log-weight passes the point where a plain
/// weight would overflow. The probabilities of the other arms stay at their floor.
#[test]
fn law_one_arm_wins_for_ever() {
    for n_arms in [2, 6] {
        let mut policy = rex3_fixed(n_arms, 0.5);
        let mut rng = Stream::new(5).rng();
        for step in 0..10 {
            favour(&mut policy, 1, 10_000, &mut rng);
            check(&policy, &format!("{n_arms} arms after {} rounds", (step + 1) * 10_000));
        }
        let log_weights = policy.log_weights();
        assert!(log_weights[1] - log_weights[0] > 1500.0, "{log_weights:?}");
        let p = policy.distribution();
        let floor = 0.5 / n_arms as f64;
        assert_close(&[p[0], p[1]], &[floor, 0.5 + floor], 1e-12, "p");
        assert_eq!(policy.recommend(), Arm::new(1));
    }
}

/// The winner is always in the same slot, and only its log-weight makes a new reference necessary.
#[test]
fn law_the_winner_keeps_its_slot() {
    for (left, right, outcome) in [(0, 1, Outcome::WIN), (1, 0, Outcome::LOSS)] {
        let mut policy = rex3_fixed(2, 0.5);
        for _ in 0..8000 {
            let ticket = planned(&policy, left, right);
            policy.issue(&ticket);
            policy.update(&ticket, outcome);
        }
        // At p = 3/4 it gains (1/4) / (3/2) = 1/6 each time.
        let log_weight = policy.log_weights()[0];
        assert!((log_weight - 8000.0 / 6.0).abs() < 10.0, "{log_weight}");
        check(&policy, &format!("the winner in slot {left}"));
    }
}

/// Each arm in turn loses to all others until it is far behind.
#[test]
fn law_all_arms_lose_in_turn() {
    for schedule in SCHEDULES {
        let n_arms = 5;
        let mut policy = with(n_arms, schedule);
        let mut rng = Stream::new(6).rng();
        for turn in 0..25 {
            for _ in 0..1000 {
                let ticket = policy.decide(&mut rng);
                let loses = |arm: Arm| f64::from(u8::from(arm.index() == turn % n_arms));
                let score = loses(ticket.right) - loses(ticket.left);
                policy.update(&ticket, Outcome::new(score).expect("a score"));
            }
            check(&policy, &format!("{schedule:?}, turn {turn}"));
        }
    }
}

/// The leader always loses, so the reference has to follow all weights down.
#[test]
fn law_the_leader_always_loses() {
    let mut policy = rex3_planted(0.5, &[0.0, -3000.0]);
    let mut lowest = f64::INFINITY;
    for _ in 0..20_000 {
        let leader = policy.recommend().index();
        let ticket = planned(&policy, leader, 1 - leader);
        policy.issue(&ticket);
        policy.update(&ticket, Outcome::LOSS);
        lowest = lowest.min(policy.log_weights().iter().copied().fold(f64::NEG_INFINITY, f64::max));
    }
    // The highest log-weight has fallen from 0 to where the two arms meet. That is below -460,
    // where e^-460 = 1e-200 and a new reference is taken.
    assert!(lowest < -500.0, "{lowest}");
    check(&policy, "after the fall");
    assert_close(&policy.distribution(), &[0.5, 0.5], 0.2, "side by side");
}

/// An arm whose weight is exactly 0 wins from now on and takes the lead: exploration draws it, and
/// only its sum counts.
#[test]
fn law_no_arm_is_lost_for_good() {
    for (n_arms, behind, rounds) in [(2, 1000.0, 15_000), (5, 800.0, 30_000)] {
        let mut log_weights = vec![0.0; n_arms];
        log_weights[1] = -behind;
        let mut policy = rex3_planted(0.5, &log_weights);
        let floor = 0.5 / n_arms as f64;
        // Its weight has underflowed: its probability is its share of the exploration, to the last
        // bit.
        assert_eq!(policy.distribution()[1].to_bits(), floor.to_bits());
        let mut rng = Stream::new(7).rng();
        favour(&mut policy, 1, rounds, &mut rng);
        assert_eq!(policy.recommend(), Arm::new(1), "{:?}", policy.log_weights());
        assert!(policy.distribution()[1] > 0.5, "{:?}", policy.distribution());
        check(&policy, "after the return");
    }
}

/// The same for an arm that is behind after a merge, under every schedule that can be merged. Duels
/// between the other two arms are fair coins. The arm is behind by 2000 in the sum (by 40 under the
/// literal schedule), and gains one per round on average.
#[test]
fn stat_a_merged_straggler_returns() {
    for schedule in &SCHEDULES[..3] {
        let mut policy = with(3, *schedule);
        let behind = if let Schedule::Literal { .. } = schedule { 40.0 } else { 2000.0 };
        policy.add(&[behind, 0.0, behind]);
        let mut rng = Stream::new(8).rng();
        for _ in 0..60_000 {
            let ticket = policy.decide(&mut rng);
            let outcome = match (ticket.left.index(), ticket.right.index()) {
                (1, 1) => Outcome::TIE,
                (1, _) => Outcome::WIN,
                (_, 1) => Outcome::LOSS,
                _ => Outcome::won(rng.random::<f64>() < 0.5),
            };
            policy.update(&ticket, outcome);
        }
        assert_eq!(policy.recommend(), Arm::new(1), "{schedule:?}: {:?}", policy.log_weights());
        check(&policy, &format!("{schedule:?}"));
    }
}

/// A warm start that does not fit is refused and changes nothing.
#[test]
fn trace_warm_start_errors() {
    let mut policy = rex3_fixed(3, 0.3);
    let before = policy.clone();
    assert!(policy.warm_start(5, vec![0.0; 2]).is_err());
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(policy.warm_start(5, vec![0.0, bad, 0.0]).is_err());
    }
    assert_eq!(policy, before);
    assert!(policy.warm_start(5, vec![3.0, 0.0, 0.0]).is_ok());
    assert_eq!(policy.round(), 5);
    // gamma / K = 0.1.
    assert_close(&policy.log_weights(), &[0.3, 0.0, 0.0], 1e-15, "log-weights");
}
