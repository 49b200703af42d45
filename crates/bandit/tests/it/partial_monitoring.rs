//! Games with partial monitoring, and the generic `FeedExp3` compared with the policy that needs no
//! matrix.

use rand::RngExt;
use tiltyard_bandit::partial_monitoring::{
    Forecaster, Game, GameError, LinkSize, MOST_ARMS, Reference, Schedule, action, n_actions, pairs,
};
use tiltyard_bandit::policy::{FeedExp3, Policy};
use tiltyard_bandit::{Arm, Outcome, Stream};

use crate::support::{assert_close, shuffle};

/// Two arms, outcomes x = (0,0), (1,0), (0,1), (1,1), actions {0,0}, {0,1}, {1,1}.
#[test]
fn trace_the_dueling_game_of_two_arms() {
    let game = Game::dueling(2).expect("two arms");
    assert_eq!((game.n_actions(), game.n_outcomes()), (3, 4));
    assert_close(game.loss(0), &[0.0, -1.0, 0.0, -1.0], 0.0, "loss of {0,0}");
    assert_close(game.loss(1), &[0.0, -0.5, -0.5, -1.0], 0.0, "loss of {0,1}");
    assert_close(game.loss(2), &[0.0, 0.0, -1.0, -1.0], 0.0, "loss of {1,1}");
    assert_close(game.feedback(0), &[0.0; 4], 0.0, "feedback of {0,0}");
    assert_close(game.feedback(1), &[0.0, 1.0, -1.0, 0.0], 0.0, "feedback of {0,1}");
    // Relative to the uniform reference -(x_0 + x_1) / 2, the loss of action {0,0} is -(x_0 - x_1)
    // / 2, the loss of {0,1} is 0, and the loss of {1,1} is (x_0 - x_1) / 2.
    let link = game.dueling_link(2, Reference::Uniform).expect("a link");
    let column: Vec<f64> = (0..3).map(|row| link.entry(row, 1)).collect();
    assert_close(&column, &[-0.5, 0.0, 0.5], 1e-15, "the link's column of {0,1}");
    // Relative to {0,0}, the losses are 0, -(x_1 - x_0) / 2, and twice that.
    let link = game.dueling_link(2, Reference::Arm(Arm::new(0))).expect("a link");
    let column: Vec<f64> = (0..3).map(|row| link.entry(row, 1)).collect();
    assert_close(&column, &[0.0, 0.5, 1.0], 1e-15, "the link's column of {0,1}");
}

/// The largest entry is 1/K or 1, and the largest sum of squares (K - 1)/K^2 or 1. The rates assume
/// this for any K.
#[test]
fn law_links_have_the_size_that_rates_assume() {
    for n_arms in 2..=MOST_ARMS {
        let game = Game::dueling(n_arms).expect("few arms");
        for reference in references(n_arms) {
            let size = game.dueling_link(n_arms, reference).expect("a link").size();
            let assumed = LinkSize::dueling(n_arms, reference);
            assert_eq!(size.n_actions, assumed.n_actions);
            assert_close(
                &[size.largest, size.squares],
                &[assumed.largest, assumed.squares],
                1e-12,
                &format!("{n_arms} arms, {reference:?}"),
            );
        }
    }
}

#[test]
fn law_actions_are_numbered_in_the_order_of_pairs() {
    for n_arms in 1..40 {
        assert_eq!(pairs(n_arms).count(), n_actions(n_arms));
        for (i, (a, b)) in pairs(n_arms).enumerate() {
            assert_eq!((action(n_arms, a, b), action(n_arms, b, a)), (i, i));
        }
    }
}

/// A wrong link is refused with an error that says where it is wrong. The loss itself, without a
/// reference, has no link.
#[test]
fn law_wrong_links_are_refused() {
    let game = Game::dueling(3).expect("three arms");
    let n = game.n_actions();
    let link = game.dueling_link(3, Reference::Uniform).expect("a link");
    let good: Vec<f64> = (0..n * n).map(|i| link.entry(i / n, i % n)).collect();
    let mut shares = vec![0.0; n];
    for arm in 0..3 {
        shares[action(3, arm, arm)] = 1.0 / 3.0;
    }
    assert!(game.link(good.clone(), &shares).is_ok());
    for cell in 0..n * n {
        let mut bad = good.clone();
        bad[cell] += 0.01;
        let refused = game.link(bad, &shares);
        // The feedback of a self-duel is always 0, so the entries in its column do not matter.
        if pairs(3).nth(cell % n).is_some_and(|(a, b)| a == b) {
            assert!(refused.is_ok());
        } else {
            let Err(GameError::NotALink { action, linked, loss, .. }) = refused else {
                panic!("{refused:?}")
            };
            assert_eq!(action, cell / n);
            assert_close(&[(linked - loss).abs()], &[0.01], 1e-9, "the size of the error");
        }
    }
    // The right link with the wrong reference, and a link without the factors 1/2.
    assert!(matches!(game.link(good.clone(), &[0.0; 6]), Err(GameError::NotALink { .. })));
    let doubled = good.iter().map(|entry| 2.0 * entry).collect();
    assert!(matches!(game.link(doubled, &shares), Err(GameError::NotALink { .. })));
    // Without a reference, every loss is -1 if all utilities are 1, but all feedback is 0.
    assert_close(&[game.loss(1)[7], game.feedback(1)[7]], &[-1.0, 0.0], 0.0, "x = (1, 1, 1)");
    assert!(pairs(3).enumerate().all(|(row, _)| game.feedback(row)[7].abs() < 1e-300));
    // Wrong shapes and wrong numbers.
    assert!(matches!(game.link(good[1..].to_vec(), &shares), Err(GameError::LinkShape { .. })));
    assert!(matches!(game.link(good.clone(), &shares[1..]), Err(GameError::LinkShape { .. })));
    assert!(matches!(game.link(vec![f64::NAN; n * n], &shares), Err(GameError::NotFinite { .. })));
    let other = Game::dueling(4).expect("four arms");
    assert!(matches!(other.dueling_link(3, Reference::Uniform), Err(GameError::NotDueling { .. })));
    let nobody = Reference::Arm(Arm::new(3));
    assert!(matches!(game.dueling_link(3, nobody), Err(GameError::NoSuchArm { .. })));
}

#[test]
fn law_large_and_crooked_games_are_refused() {
    assert!(matches!(Game::dueling(0), Err(GameError::Arms { n_arms: 0 })));
    let Err(error) = Game::dueling(MOST_ARMS + 1) else { panic!("accepted more than {MOST_ARMS} arms") };
    let said = error.to_string();
    assert!(said.contains("not 9") && said.contains("feedexp3"), "{said}");
    assert!(matches!(Game::new(0, vec![], vec![]), Err(GameError::Shape { .. })));
    assert!(matches!(Game::new(2, vec![0.0; 3], vec![0.0; 3]), Err(GameError::Shape { .. })));
    assert!(matches!(Game::new(2, vec![0.0; 4], vec![0.0; 6]), Err(GameError::Shape { .. })));
    assert!(matches!(Game::new(1, vec![f64::NAN], vec![0.0]), Err(GameError::NotFinite { .. })));
}

#[test]
fn law_impossible_feedback_is_refused() {
    let game = Game::dueling(3).expect("three arms");
    let link = game.dueling_link(3, Reference::Uniform).expect("a link");
    let mut forecaster = Forecaster::new(game, link, Schedule::Anytime);
    let before = forecaster.clone();
    let (zero, one) = (Arm::new(0), Arm::new(1));
    let half = Outcome::new(0.5).expect("a score");
    assert!(matches!(forecaster.update_duel((zero, one), half, 0.1), Err(GameError::NoSuchFeedback { .. })));
    assert!(matches!(
        forecaster.update_duel((one, one), Outcome::WIN, 0.1),
        Err(GameError::NoSuchFeedback { .. })
    ));
    assert!(matches!(
        forecaster.update_duel((zero, Arm::new(3)), Outcome::WIN, 0.1),
        Err(GameError::NoSuchArm { .. })
    ));
    assert!(matches!(forecaster.update(6, 0.0, 0.1), Err(GameError::NoSuchFeedback { action: 6, .. })));
    for p in [0.0, -0.5, 1.5, f64::NAN] {
        assert!(matches!(forecaster.update(1, 1.0, p), Err(GameError::NotAProbability { .. })));
    }
    assert_eq!(forecaster, before);
}

/// Rates by hand, for N = 10 (K = 4), t = 1000, k* = 1 and C = (e - 2)^(1/3) = 0.895567434955:
///
/// - Anytime: eta = (2.302585 / 10)^(2/3) / (100 C) = 0.375671 / 89.5567 = 0.004194808757 and
///   gamma = C (100 * 2.302585)^(1/3) / 10 = 0.895567 * 6.129220 / 10 = 0.548913008046.
/// - Link: B = N / K = 2.5, eta = (5.301898 / 2.5e6)^(1/3) = 0.012847849962 and gamma = (5.756463 /
///   1000)^(1/3) = 0.179219488072.
/// - Fixed, with a horizon of 100,000: eta = sqrt(2.302585e-5) = 0.004798525 and gamma = (230.2585
///   / 1e5)^(1/4) = 0.219055.
#[test]
fn trace_rates() {
    let size = LinkSize::dueling(4, Reference::Uniform);
    let check = |schedule: Schedule, round, eta: f64, gamma: f64, digits: f64| {
        let rates = schedule.formula(size, round);
        assert_close(&[rates.eta, rates.gamma], &[eta, gamma], digits, &format!("{schedule:?}"));
    };
    check(Schedule::Anytime, 1000, 0.004_194_808_757, 0.548_913_008_046, 1e-11);
    check(Schedule::Link, 1000, 0.012_847_849_962, 0.179_219_488_072, 1e-11);
    check(Schedule::Fixed { horizon: 100_000 }, 1000, 0.004_798_525, 0.219_055, 1e-6);
    // The caps: gamma is at most 1, and eta of the link schedule at most 1/B.
    check(Schedule::Anytime, 1, 0.419_480_875_702, 1.0, 1e-11);
    check(Schedule::Link, 1, 0.4, 1.0, 1e-11);
    check(Schedule::Fixed { horizon: 1 }, 1, 1.0, 1.0, 1e-11);
}

/// The conditions of the bound: eta falls, both rates are in (0, 1], and eta k N / gamma is at most
/// 1 wherever gamma is below 1 (with the link schedule, everywhere). The rates are held until eta
/// is 1 % lower, and neither rate lags by more than 1 %.
#[test]
fn law_rates_keep_the_conditions_of_the_bound() {
    for n_arms in [2, 3, 5, 17, 136, 1000] {
        for reference in [Reference::Uniform, Reference::Arm(Arm::new(0))] {
            let size = LinkSize::dueling(n_arms, reference);
            for schedule in [Schedule::Anytime, Schedule::Link, Schedule::Fixed { horizon: 1 << 40 }] {
                let mut round = 1;
                let mut last = schedule.formula(size, 1);
                while round < 1 << 50 {
                    let rates = schedule.formula(size, round);
                    let legal = |rate: f64| rate > 0.0 && rate <= 1.0;
                    assert!(legal(rates.eta) && legal(rates.gamma), "{n_arms}, {schedule:?}: {rates:?}");
                    assert!(rates.eta <= last.eta && rates.gamma <= last.gamma);
                    if rates.gamma < 1.0 || schedule == Schedule::Link {
                        let step = rates.eta * size.largest * size.n_actions as f64 / rates.gamma;
                        assert!(step <= 1.0 + 1e-12, "{n_arms}, {schedule:?}, round {round}: {step}");
                    }
                    let next = schedule.one_percent_after(size, round);
                    if next == u64::MAX {
                        break;
                    }
                    let before = schedule.formula(size, next - 1);
                    assert!(next == round + 1 || before.eta > 0.99 * rates.eta * (1.0 - 1e-12));
                    assert!(schedule.formula(size, next).eta <= 0.99 * rates.eta * (1.0 + 1e-12));
                    assert!(next == round + 1 || rates.gamma <= before.gamma / 0.99);
                    (last, round) = (rates, next);
                }
            }
        }
    }
}

fn references(n_arms: usize) -> Vec<Reference> {
    vec![Reference::Uniform, Reference::Arm(Arm::new(0)), Reference::Arm(Arm::new(n_arms - 1))]
}

/// The policy has the same law as the generic algorithm: after any history, with late and lost
/// outcomes, the probabilities of all N actions agree.
#[test]
fn law_the_policy_is_the_generic_algorithm() {
    let schedules = [
        Schedule::Anytime,
        Schedule::Link,
        Schedule::Fixed { horizon: 300 },
        Schedule::Fixed { horizon: 1 << 20 },
    ];
    for n_arms in 1..=MOST_ARMS {
        for reference in references(n_arms) {
            for schedule in schedules {
                let game = Game::dueling(n_arms).expect("few arms");
                let link = game.dueling_link(n_arms, reference).expect("a link");
                let mut generic = Forecaster::new(game, link, schedule);
                let mut policy = FeedExp3::with(n_arms, schedule, reference).expect("legal");
                let mut rng = Stream::new(1).label("generic").index(n_arms as u64).rng();
                let mut waiting = Vec::new();
                for round in 0..300 {
                    let what = format!("{n_arms} arms, {reference:?}, {schedule:?}, round {round}");
                    let p = generic.probabilities();
                    let closed: Vec<f64> = pairs(n_arms)
                        .map(|(a, b)| {
                            let (a, b) = (Arm::new(a), Arm::new(b));
                            let ordered = policy.pair_probability(a, b);
                            if a == b { ordered } else { ordered + policy.pair_probability(b, a) }
                        })
                        .collect();
                    assert_close(&closed, &p, 1e-10, &what);
                    assert_close(&[closed.iter().sum()], &[1.0], 1e-12, &what);
                    let ticket = policy.decide(&mut rng);
                    generic.issue();
                    let (a, b) = (ticket.left.index(), ticket.right.index());
                    let outcome = match rng.random_range(0..3) {
                        _ if a == b => Outcome::TIE,
                        0 => Outcome::TIE,
                        // Lower indices win more often, so that weights move far.
                        _ => Outcome::won(rng.random::<f64>() < if a < b { 0.8 } else { 0.2 }),
                    };
                    waiting.push((ticket, outcome, p[action(n_arms, a, b)]));
                    shuffle(&mut waiting, &mut rng);
                    for (ticket, outcome, p) in waiting.split_off(waiting.len() - waiting.len().div_ceil(4)) {
                        if rng.random_range(0..10) == 0 {
                            policy.void(&ticket);
                            continue;
                        }
                        policy.update(&ticket, outcome);
                        generic.update_duel((ticket.left, ticket.right), outcome, p).expect("legal feedback");
                    }
                }
            }
        }
    }
}
