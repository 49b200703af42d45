//! Winner Stays, Beat the Winner, Self-Sparring and D-EXP3, each compared with a number or an order
//! of growth from its own paper.

use rand::RngExt;
use tiltyard_bandit::policy::{Btw, Policy, Wss, Wsw};
use tiltyard_bandit::{Arm, Outcome, Stream};
use tiltyard_lab::play::{Job, PolicyReport, Progress, play};

/// The probability that the better arm of a pair wins.
const P: f64 = 0.7;

/// Whether the first arm is the better one.
type Better = fn(usize, usize, usize) -> bool;

/// Each arm beats those after it.
const ORDER: Better = |_, i, j| i < j;

/// Arm 0 beats all. The others, an odd number, form a cycle, and each beats the half of them that
/// follows. They have no order.
const CIRCLE: Better = |k, i, j| i == 0 || j != 0 && (j + k - 1 - i) % (k - 1) < k / 2;

/// Means over runs of the number of rounds up to each checkpoint in which the best arm was in no
/// slot, and in fewer than two slots. Each run relabels the arms, because a policy must not profit
/// from their order. In round `change` the order of strength is reversed.
fn rounds_lost<Q: Policy>(
    make: impl Fn() -> Q,
    better: Better,
    checkpoints: &[u64],
    change: u64,
    runs: u64,
) -> Vec<(f64, f64)> {
    let mut means = vec![(0.0, 0.0); checkpoints.len()];
    for number in 0..runs {
        let mut rng = Stream::new(2017).index(number).rng();
        let mut policy = make();
        let k = policy.n_arms();
        let mut label: Vec<usize> = (0..k).collect();
        for i in (1..k).rev() {
            label.swap(i, rng.random_range(0..=i));
        }
        let (mut weak, mut strong, mut round) = (0.0, 0.0, 0);
        for (mean, &checkpoint) in means.iter_mut().zip(checkpoints) {
            while round < checkpoint {
                round += 1;
                let ticket = policy.decide(&mut rng);
                let turned = |arm: Arm| {
                    let strength = label[arm.index()];
                    if round < change { strength } else { k - 1 - strength }
                };
                let (left, right) = (turned(ticket.left), turned(ticket.right));
                weak += f64::from(u8::from(left != 0 && right != 0));
                strong += f64::from(u8::from(left != 0 || right != 0));
                let p_left = match (left == right, better(k, left, right)) {
                    (true, _) => 0.5,
                    (_, true) => P,
                    (_, false) => 1.0 - P,
                };
                policy.update(&ticket, Outcome::won(rng.random::<f64>() < p_left));
            }
            mean.0 += weak / runs as f64;
            mean.1 += strong / runs as f64;
        }
    }
    means
}

const NEVER: u64 = u64::MAX;

/// Theorem 2 of Chen and Frazier: if one arm beats all others, the mean number of rounds without
/// the best arm is at most K / (2p - 1)^2 + p K^2 / (2p - 1)^3, however many rounds are played,
/// with or without an order of the other arms. With K = 12 and p = 0.7 this is 75 + 1575. The
/// number stops growing: another 90,000 rounds add less than 2 % (the probability that the best arm
/// loses its place falls like (3/7)^passes, to 0.01 % after ten passes, which take about 250
/// rounds).
#[test]
fn stat_wsw_keeps_to_its_theorem() {
    let k = 12.0f64;
    let bound = k / (2.0 * P - 1.0).powi(2) + P * k * k / (2.0 * P - 1.0).powi(3);
    assert!((bound - 1650.0).abs() < 0.1);
    for better in [ORDER, CIRCLE] {
        let lost = rounds_lost(|| Wsw::new(12), better, &[10_000, 100_000], NEVER, 200);
        let ((early, _), (late, _)) = (lost[0], lost[1]);
        assert!(late <= bound && late > 5.0, "{late} against {bound}");
        assert!(late - early <= 0.02 * late, "{early}, then {late}");
    }
}

/// Their Theorem 1: the number is of order K ln K under a total order. From 8 to 64 arms, K ln K
/// grows by a factor of 16 and K^2 by 64; the midpoint in logarithms is 32. Four standard errors of
/// 400 runs are about 15 %.
#[test]
fn stat_wsw_and_btw_grow_like_k_ln_k() {
    let wsw = |k| rounds_lost(|| Wsw::new(k), ORDER, &[30_000], NEVER, 400)[0].0;
    let btw = |k| rounds_lost(|| Btw::new(k, true), ORDER, &[30_000], NEVER, 400)[0].0;
    for (name, few, many) in [("wsw", wsw(8), wsw(64)), ("btw", btw(8), btw(64))] {
        assert!(many / few < 32.0 && many / few > 6.0, "{name}: {few}, then {many}");
    }
}

/// The number of exploration rounds up to a round, if each pass explores for `pass` rounds and then
/// exploits for floor(beta^l) rounds.
fn explored(rounds: f64, pass: f64, beta: f64) -> f64 {
    let (mut time, mut explored, mut length) = (0.0, 0.0, 1.0);
    while time < rounds {
        explored += f64::min(pass, rounds - time);
        length *= beta;
        time += pass + f64::floor(length);
    }
    explored
}

/// Their Theorem 3 bounds the number of rounds that are not (best, best) by a constant plus K
/// log_beta(T (beta - 1)) / (2p - 1). Once the best arm stays, each pass meets K - 1 arms in series
/// that last 1 / (2p - 1) rounds on average (the gambler's ruin from a stake of 1 against a large
/// one). With K = 11 and p = 0.7 that is 25 rounds per pass, and with beta = 1.1 about 24 passes
/// per decade, a few more while exploring is not yet rare. A series lasts 2.5 rounds with a
/// variance of 4 p (1 - p) / (2p - 1)^3 = 13.1, so 242 series in each of 100 runs give a standard
/// error of 3.6 / 2.5 / sqrt(24200) = 0.9 % per decade. Four standard errors, plus a quarter of one
/// of 24 passes because a decade may end within a pass, are 5 % in total.
#[test]
fn stat_wss_explores_as_its_theorem_says() {
    let at = [10_000, 100_000, 1_000_000];
    let lost = rounds_lost(|| Wss::new(11, 1.1).unwrap(), ORDER, &at, NEVER, 100);
    for (pair, ends) in lost.windows(2).zip(at.windows(2)) {
        let gained = pair[1].1 - pair[0].1;
        let [start, end] = [ends[0], ends[1]].map(|end| explored(end as f64, 10.0 / (2.0 * P - 1.0), 1.1));
        assert!((gained / (end - start) - 1.0).abs() < 0.05, "{gained} per decade, not {}", end - start);
    }
    let theorem = 2.0 * P.powi(3) * 11.0 * (11f64.ln() + 1.0) / (2.0 * P - 1.0).powi(6)
        + 11.0 * (1e6f64 * 0.1).ln() / 1.1f64.ln() / (2.0 * P - 1.0);
    assert!(lost[2].1 <= theorem, "{} against {theorem}", lost[2].1);
}

/// Kolpaczki et al.: the binary weak regret of Beat the Winner Reset does not grow with T, and a
/// change costs as much as a new start plus the series in progress. Series of r / p rounds each, r
/// = 1, 2, ..., fill t rounds when r = sqrt(2 p t). After 50,000 rounds r = 265, and the arm that
/// was best and is now worst loses a series of 378 rounds, in which the new best arm takes part
/// with probability 1/9. The expected cost is therefore a new start plus 336 rounds; 10 % are four
/// standard errors of 200 runs. Without reset the next arms defend their place equally long, four
/// series on average, until the best arm has its turn.
#[test]
fn stat_btw_recovers_from_a_change_with_reset() {
    let at = [10_000, 49_999, 100_000];
    let [with, without] = [true, false].map(|reset| {
        let lost = rounds_lost(|| Btw::new(10, reset), ORDER, &at, 50_000, 200);
        let (early, late, end) = (lost[0].0, lost[1].0, lost[2].0);
        assert!(late - early <= 0.02 * late + 0.1, "reset = {reset}: {early}, then {late}");
        (late, end - late)
    });
    let series = (2.0 * P * 50_000.0).sqrt() / P;
    let expected = with.0 + series * 8.0 / 9.0;
    assert!((with.1 / expected - 1.0).abs() < 0.1, "{} after the change, not {expected}", with.1);
    assert!(without.1 > 2.0 * with.1, "{} after the change with reset, {} without", with.1, without.1);
}

fn measured(world: &str, policy: &str, regret: &str, checkpoints: &[u64], runs: u64) -> PolicyReport {
    let job = Job {
        world: world.to_owned(),
        policies: vec![policy.parse().unwrap()],
        lenient: false,
        checkpoints: checkpoints.to_vec(),
        runs,
        seed: 2021,
        regret: Some(regret.parse().unwrap()),
    };
    play(&job, &Progress::default()).unwrap().policies.remove(0)
}

/// Saha, Koren and Mansour: Borda regret is of order (K ln K)^(1/3) T^(2/3). For these rates the
/// proof gives the constant 5/2 for scores over K. It is multiplied by K / (K - 1) for scores over
/// K - 1, and by 3/2 for the anytime form. Lower orders (1 / (1 - gamma)) are a few percent here
/// and left out. Where the policy learns fast, the exploration gamma T remains, so the growth
/// between two fixed horizons has the exponent 2/3. The range from 0.6 to 0.75 allows for the cost
/// of learning.
#[test]
fn stat_dexp3_keeps_to_its_bound() {
    for (world, k) in [("savage30", 30.0f64), ("bvs20", 20.0), ("arxiv6", 6.0)] {
        for (policy, constant) in [("dexp3", 2.5), ("dexp3:schedule=anytime", 3.75)] {
            let report = measured(world, policy, "borda", &[10_000, 100_000], 20);
            for (&rounds, &regret) in [1e4f64, 1e5].iter().zip(&report.regret.mean) {
                let bound = constant * k / (k - 1.0) * (k * k.ln()).cbrt() * rounds.powf(2.0 / 3.0);
                assert!(regret <= bound, "{policy} in {world} at {rounds}: {regret} against {bound}");
            }
        }
    }
    let report = measured("savage6", "dexp3", "borda", &[100_000, 1_000_000], 20);
    let exponent = (report.regret.mean[1] / report.regret.mean[0]).log10();
    assert!((0.6..0.75).contains(&exponent), "T^{exponent}: {:?}", report.regret.mean);
}

/// Sui et al.: regret is of order K ln T / gap if the order is linear, as in `arithmetic8`. Once
/// all arms have been tried, each decade adds as much as the one before. A factor between 0.5 and
/// 1.5 is allowed; a third is four standard errors of 60 runs. sqrt(T) would add 3.2 times as much.
#[test]
fn stat_selfsparring_grows_like_ln_t() {
    let report = measured("arithmetic8", "selfsparring", "condorcet", &[1000, 10_000, 100_000], 60);
    let mean = &report.regret.mean;
    let ratio = (mean[2] - mean[1]) / (mean[1] - mean[0]);
    assert!((0.5..1.5).contains(&ratio), "{mean:?}");
    assert!(report.accuracy[2] > 0.95, "{:?}", report.accuracy);
}
