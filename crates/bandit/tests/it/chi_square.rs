//! Propensity audit: how often pairs are drawn, compared with the probabilities that tickets state.

use tiltyard_bandit::player::{Exp3, Player, Pull, Thompson};
use tiltyard_bandit::policy::rex3::{Options, Schedule};
use tiltyard_bandit::policy::{Distinct, Policy, Random, Rex3, Sparring};
use tiltyard_bandit::{Arm, Outcome, Stream, Ticket};

use crate::reference::exp3;
use crate::support::{assert_close, build, rex3, rex3_planted, slots, variants};

/// A chi-square test of the pairs in many proposals from one state. Cells with fewer than five
/// expected draws are pooled. The threshold is four standard deviations, by the Wilson-Hilferty
/// approximation: if the law is right, the statistic exceeds it once in 30,000 seeds. The seed is
/// fixed.
#[track_caller]
pub(crate) fn check(
    what: &str,
    n_arms: usize,
    law: impl Fn(usize, usize) -> f64,
    draws: impl Iterator<Item = Ticket>,
) {
    let mut counts = vec![0.0; n_arms * n_arms];
    let mut n_draws = 0.0;
    for ticket in draws {
        let (left, right) = (ticket.left.index(), ticket.right.index());
        counts[left * n_arms + right] += 1.0;
        n_draws += 1.0;
        if let Some(stated) = ticket.propensity() {
            let want = law(left, right);
            assert!(
                (stated / want - 1.0).abs() < 1e-9,
                "{what}: ({left}, {right}) states {stated}, not {want}"
            );
        }
    }
    let total: f64 = (0..n_arms * n_arms).map(|cell| law(cell / n_arms, cell % n_arms)).sum();
    assert_close(&[total], &[1.0], 1e-9, what);
    let (mut chi, mut cells, mut rest) = (0.0, 0.0, (0.0, 0.0));
    let mut add = |count: f64, expected: f64| {
        chi += (count - expected) * (count - expected) / expected;
        cells += 1.0;
    };
    for (cell, &count) in counts.iter().enumerate() {
        let expected = n_draws * law(cell / n_arms, cell % n_arms);
        if expected >= 5.0 {
            add(count, expected);
        } else {
            assert!(expected > 0.0 || count < 0.5, "{what}: a pair of probability 0 was drawn");
            rest = (rest.0 + count, rest.1 + expected);
        }
    }
    if rest.1 > 1.0 {
        add(rest.0, rest.1);
    }
    let df: f64 = cells - 1.0;
    let width = 2.0 / (9.0 * df);
    let threshold = df * (1.0 - width + 4.0 * width.sqrt()).powi(3);
    assert!(cells > 1.0, "{what}: nothing to test");
    assert!(chi < threshold, "{what}: chi-square {chi} exceeds {threshold} at {df} degrees of freedom");
}

/// REX3 in states with differently shaped distributions, with 5 and with 40 arms.
fn states() -> Vec<(String, Rex3)> {
    let mut states = Vec::new();
    for n_arms in [5usize, 40] {
        let ladder = |step: f64| (0..n_arms).map(|i| step * i as f64).collect::<Vec<f64>>();
        let mut leader = vec![0.0; n_arms];
        leader[n_arms / 2] = 4.0;
        let mut far = vec![-2000.0; n_arms];
        far[1] = 0.0;
        for (name, gamma, log_weights) in [
            ("equal", 0.3, vec![0.0; n_arms]),
            ("a ladder", 0.1, ladder(4.0 / n_arms as f64)),
            ("one leader", 0.2, leader.clone()),
            ("underflowed", 0.5, far.clone()),
            ("concentrated", 0.02, leader.iter().map(|l| 3.0 * l).collect()),
            ("concentrated and underflowed", 0.001, far),
        ] {
            states.push((format!("{name}, {n_arms} arms"), rex3_planted(gamma, &log_weights)));
        }
        // States reached by playing: under each schedule, with half the exploration, and after arms
        // were added and retired.
        for schedule in [
            Schedule::DualAveraging { tau: 1.36 },
            Schedule::Literal { tau: 1.36 },
            Schedule::Epochs { tau: 1.36 },
        ] {
            let mut policy = rex3(n_arms, Options { schedule, mixing: 0.5, ..Options::default() });
            learn(&mut policy, 3000);
            let elastic = policy.elastic().expect("REX3 is elastic");
            elastic.retire(Arm::new(1));
            elastic.add_arm();
            elastic.retire(Arm::new(4));
            learn(&mut policy, 500);
            states.push((format!("{schedule:?}, {n_arms} arms"), policy));
        }
    }
    states
}

/// Plays in a world where lower indices win more often.
fn learn(policy: &mut Rex3, rounds: usize) {
    let mut rng = Stream::new(1).label("learn").rng();
    for _ in 0..rounds {
        let ticket = policy.decide(&mut rng);
        let margin = (ticket.right.index() as f64 - ticket.left.index() as f64) / policy.n_arms() as f64;
        policy.update(&ticket, Outcome::new(margin).expect("a score").to_binary(&mut rng));
    }
}

/// At least twenty draws per cell on average.
fn n_draws(n_arms: usize) -> usize {
    if n_arms < 10 { 30_000 } else { 80_000 }
}

#[test]
fn stat_rex3_pairs() {
    for (what, policy) in states() {
        let p = policy.distribution();
        let mut rng = Stream::new(1).label(&what).rng();
        let draws = (0..n_draws(p.len())).map(|_| policy.propose(&mut rng));
        check(&what, p.len(), |left, right| p[left] * p[right], draws);
    }
}

/// Proposals of two different arms have the law p_l p_r / z with z = 1 - sum p^2.
#[test]
fn stat_rex3_unequal_pairs() {
    for (what, policy) in states() {
        let p = policy.distribution();
        let z = 1.0 - p.iter().map(|p| p * p).sum::<f64>();
        let mut rng = Stream::new(2).label(&what).rng();
        let draws =
            (0..n_draws(p.len()) / 2).map(|_| policy.propose_distinct(&mut rng).expect("several arms"));
        let law = |left, right| if left == right { 0.0 } else { p[left] * p[right] / z };
        check(&what, p.len(), law, draws);
    }
}

/// The same for every form of every policy that can propose two different arms: before it has
/// learned anything, after one arm has won all its duels for 3000 rounds, and with that arm and
/// another one retired. The stated propensity of each pair must follow the law.
#[test]
fn stat_unequal_pairs_of_every_policy() {
    const N_ARMS: usize = 6;
    let mut tested = 0;
    for spec in variants() {
        let fresh = build(&spec, N_ARMS);
        if fresh.distinct().is_none() {
            continue;
        }
        let mut rng = Stream::new(4).label(&spec).rng();
        let mut learned = fresh.clone();
        for _ in 0..3000 {
            let ticket = learned.decide(&mut rng).expect("nothing is in flight");
            let wins = |arm: Arm| f64::from(u8::from(arm.index() == 4));
            let outcome = Outcome::new(wins(ticket.left) - wins(ticket.right)).expect("a score");
            learned.update(&ticket, outcome).expect("its own ticket");
        }
        let mut retired = learned.clone();
        let has_retired = retired
            .elastic()
            .is_some_and(|elastic| [1, 4].map(Arm::new).map(|arm| elastic.retire(arm)) == [true; 2]);
        let states = [("fresh", fresh), ("learned", learned), ("retired", retired)];
        for (state, policy) in states.into_iter().take(if has_retired { 3 } else { 2 }) {
            let what = format!("{spec}, {state}");
            let p = policy.probabilities().expect("a policy that states slots has probabilities");
            // Summed over the pairs of different arms: 1 - sum p^2 would lose digits.
            let pair = |i: usize, j: usize| if i == j { 0.0 } else { p[i] * p[j] };
            let z: f64 = (0..N_ARMS * N_ARMS).map(|cell| pair(cell / N_ARMS, cell % N_ARMS)).sum();
            let distinct = policy.distinct().expect("checked above");
            let draws = (0..20_000).map(|_| distinct.propose_distinct(&mut rng).expect("several arms"));
            check(&what, N_ARMS, |left, right| pair(left, right) / z, draws);
            tested += 1;
        }
    }
    assert!(tested > 60, "{tested}");
}

/// Tickets state the probabilities of `distribution()`.
#[test]
fn law_tickets_state_the_probabilities() {
    for (what, policy) in states() {
        let p = policy.distribution();
        let mut rng = Stream::new(3).label(&what).rng();
        for _ in 0..1000 {
            for ticket in [policy.propose(&mut rng), policy.propose_distinct(&mut rng).expect("several arms")]
            {
                let (left, right, _) = slots(&ticket);
                let (want_left, want_right) = (p[ticket.left.index()], p[ticket.right.index()]);
                assert!((left / want_left - 1.0).abs() < 1e-14, "{what}: {left} against {want_left}");
                assert!((right / want_right - 1.0).abs() < 1e-14, "{what}: {right} against {want_right}");
            }
        }
    }
}

/// Two EXP3 players that have learned from different rewards: low arms pay the first player, high
/// arms the second.
fn players(parameters: &str, n_arms: usize) -> (Exp3, Exp3) {
    let mut rng = Stream::new(4).label(parameters).rng();
    let train = |up: bool, rng: &mut _| {
        let mut player = exp3(parameters, n_arms);
        for _ in 0..400 {
            let pull = player.propose(rng);
            player.issue(&pull);
            let share = pull.arm.index() as f64 / n_arms as f64;
            player.update(&pull, if up { share } else { 1.0 - share });
        }
        player
    };
    (train(false, &mut rng), train(true, &mut rng))
}

#[test]
fn stat_sparring_pairs() {
    for parameters in ["gamma=0.3", "gamma=1", "schedule=dual-averaging", "schedule=literal", "schedule=loss"]
    {
        for n_arms in [5, 40] {
            let (left, right) = players(parameters, n_arms);
            let (p_left, p_right) = (left.distribution(), right.distribution());
            assert_close(&[p_left.iter().sum()], &[1.0], 1e-12, parameters);
            let policy = Sparring::new(left, right);
            let mut rng = Stream::new(5).label(parameters).rng();
            let draws = (0..n_draws(n_arms)).map(|_| policy.propose(&mut rng));
            let law = |left: usize, right: usize| p_left[left] * p_right[right];
            check(&format!("{parameters}, {n_arms} arms"), n_arms, law, draws);
        }
    }
}

/// EXP3 alone: each pull is treated as the left slot of a pair whose right slot is arm 0.
#[test]
fn stat_exp3_pulls() {
    for parameters in ["gamma=0.3", "schedule=dual-averaging", "schedule=literal", "schedule=loss"] {
        for n_arms in [5, 40] {
            let (player, _) = players(parameters, n_arms);
            let p = player.distribution();
            let mut rng = Stream::new(6).label(parameters).rng();
            let draws = (0..n_draws(n_arms)).map(|round| {
                let pull = player.propose(&mut rng);
                let left = pull.probability.expect("EXP3 states its probabilities");
                Ticket {
                    round: round as u64,
                    left: pull.arm,
                    right: Arm::new(0),
                    rate: pull.rate,
                    epoch: 0,
                    draw: tiltyard_bandit::Draw::Slots { left, right: 1.0, z: 1.0 },
                }
            });
            let law = |left: usize, right: usize| if right == 0 { p[left] } else { 0.0 };
            check(&format!("{parameters}, {n_arms} arms"), n_arms, law, draws);
        }
    }
}

#[test]
fn stat_random_pairs() {
    for n_arms in [5, 40] {
        let policy = Random::new(n_arms);
        let mut rng = Stream::new(7).rng();
        let k = n_arms as f64;
        check("random", n_arms, |_, _| 1.0 / (k * k), (0..n_draws(n_arms)).map(|_| policy.propose(&mut rng)));
        let draws = (0..n_draws(n_arms)).map(|_| policy.propose_distinct(&mut rng).expect("several arms"));
        let law = |left, right| if left == right { 0.0 } else { 1.0 / (k * (k - 1.0)) };
        check("random, unequal", n_arms, law, draws);
    }
}

/// Players that state no probabilities also start without a preference: each player breaks ties at
/// random, independently of the other.
#[test]
fn stat_first_duels_are_uniform() {
    for spec in ["sparring:player=ucb1", "sparring:player=thompson"] {
        let policy = build(spec, 5);
        let mut rng = Stream::new(8).rng();
        let draws = (0..20_000).map(|_| policy.propose(&mut rng).expect("nothing is in flight"));
        check(spec, 5, |_, _| 1.0 / 25.0, draws);
    }
}

/// Thompson sampling draws from Beta(1 + S, 1 + F). After three wins and one loss of arm 0 and no
/// pull of arm 1, it pulls arm 0 with probability Pr(Beta(4, 2) > uniform) = E Beta(4, 2) = 2/3.
/// One standard error of 20,000 pulls is 0.0033; the tolerance is five of them.
#[test]
fn stat_thompson_pulls() {
    let mut player = Thompson::new(2);
    for reward in [1.0, 1.0, 0.0, 1.0] {
        player.update(&Pull { arm: Arm::new(0), probability: None, rate: 1.0 }, reward);
    }
    let mut rng = Stream::new(9).rng();
    let pulls = (0..20_000).filter(|_| player.propose(&mut rng).arm.index() == 0).count();
    let share = pulls as f64 / 20_000.0;
    assert!((share - 2.0 / 3.0).abs() < 0.0167, "{share}");
}
