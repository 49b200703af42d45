//! MergeDTS compared with its specification. The batches are compared with the
//! slow race of MergeRUCB's twin. The law of the pairs is compared with one that adds up
//! tournaments and integrates densities, without random draws.

use rand::RngExt;
use tiltyard_bandit::policy::mergedts::{Offset, Options};
use tiltyard_bandit::policy::{MergeDts, Policy};
use tiltyard_bandit::{Arm, Draw, Outcome, Stream};

use crate::chi_square;
use crate::support::{assert_close, propose_pair};
use crate::twin_mergerucb::{SlowRace, compare, forms};
use crate::twins::{DELIVERIES, Delivery, Game, play, shuffled_matrix};

fn compare_dts(n_arms: usize, options: Options, kind: usize, delivery: Delivery, rounds: u64) -> usize {
    let mut rng = Stream::new(1).label("partition").index(n_arms as u64).rng();
    let fast = MergeDts::with(n_arms, options, &mut rng).expect("legal options");
    compare(fast, MergeDts::batches, options, (kind, delivery, rounds), |slow, ticket, what| {
        let (left, right) = (ticket.left.index(), ticket.right.index());
        let batch = slow.turn();
        assert!(batch.contains(&left) && batch.contains(&right), "{what}: ({left}, {right}) of {batch:?}");
        assert_eq!(left == right, batch.len() == 1, "{what}");
        assert_eq!(ticket.draw, Draw::Unknown);
    })
}

#[test]
fn law_mergedts_keeps_the_batches_of_its_twin() {
    let mut left = Vec::new();
    for n_arms in [1, 2, 5, 13, 40] {
        for kind in 0..4 {
            for delivery in DELIVERIES {
                for options in forms() {
                    left.push((n_arms, compare_dts(n_arms, options, kind, delivery, 600)));
                }
            }
        }
    }
    left.push((40, compare_dts(40, Options::tuned(8), 1, Delivery::Late, 20_000)));
    assert!(left.iter().any(|&(n_arms, left)| n_arms > 12 && left == 1));
    assert!(left.iter().any(|&(n_arms, left)| n_arms > 12 && left > 2 && left < n_arms));
}

/// Beta(wins + 1, losses + 1) on a grid: its density, and the probability of a larger value, at the
/// midpoints of equal steps.
struct Law {
    density: Vec<f64>,
    above: Vec<f64>,
}

const STEPS: usize = 4000;

impl Law {
    fn new(wins: u64, losses: u64) -> Self {
        let x = |i: usize| (i as f64 + 0.5) / STEPS as f64;
        let mut density: Vec<f64> =
            (0..STEPS).map(|i| (wins as f64 * x(i).ln() + losses as f64 * (1.0 - x(i)).ln()).exp()).collect();
        let total: f64 = density.iter().sum();
        for value in &mut density {
            *value /= total;
        }
        let mut above = vec![0.0; STEPS];
        let mut sum = 0.0;
        for i in (0..STEPS).rev() {
            above[i] = sum + density[i] / 2.0;
            sum += density[i];
        }
        Self { density, above }
    }

    /// The probability of a value above 1/2.
    fn wins(&self) -> f64 {
        self.density[STEPS / 2..].iter().sum()
    }
}

/// The probability of each champion, over all tournaments of the batch. Each duel has one winner,
/// and arms that tie for the most wins share evenly.
fn champions(batch: &[usize], wins: &[Vec<u64>]) -> Vec<f64> {
    let duels: Vec<(usize, usize)> =
        (0..batch.len()).flat_map(|i| (i + 1..batch.len()).map(move |j| (i, j))).collect();
    let first_wins: Vec<f64> = duels
        .iter()
        .map(|&(i, j)| Law::new(wins[batch[i]][batch[j]], wins[batch[j]][batch[i]]).wins())
        .collect();
    let mut p = vec![0.0; batch.len()];
    for tournament in 0..1usize << duels.len() {
        let (mut chance, mut scores) = (1.0, vec![0; batch.len()]);
        for (duel, &(i, j)) in duels.iter().enumerate() {
            let first = tournament >> duel & 1 == 1;
            chance *= if first { first_wins[duel] } else { 1.0 - first_wins[duel] };
            scores[if first { i } else { j }] += 1;
        }
        let most = scores.iter().max().expect("a batch");
        let tied = scores.iter().filter(|score| *score == most).count() as f64;
        for (p, _) in p.iter_mut().zip(&scores).filter(|(_, score)| *score == most) {
            *p += chance / tied;
        }
    }
    p
}

/// The probability of each opponent: its draw against the champion is the smallest.
fn opponents(batch: &[usize], champion: usize, wins: &[Vec<u64>]) -> Vec<f64> {
    let c = batch[champion];
    let laws: Vec<Law> = batch.iter().map(|&i| Law::new(wins[i][c], wins[c][i])).collect();
    let others = |i: usize| (0..batch.len()).filter(move |&j| j != champion && j != i);
    let smallest = |i: usize| {
        let at = |x: usize| laws[i].density[x] * others(i).map(|j| laws[j].above[x]).product::<f64>();
        (0..STEPS).map(at).sum::<f64>()
    };
    (0..batch.len()).map(|i| if i == champion { 0.0 } else { smallest(i) }).collect()
}

/// The law of the next pair, normalized to remove the error of the grid of some 1e-5.
fn law(slow: &SlowRace, n_arms: usize) -> Vec<f64> {
    let batch = slow.turn();
    let mut p = vec![0.0; n_arms * n_arms];
    for (c, left) in champions(batch, &slow.counts.wins).into_iter().enumerate() {
        let right = opponents(batch, c, &slow.counts.wins);
        let total: f64 = right.iter().sum();
        assert_close(&[total], &[1.0], 1e-4, "opponents");
        for (d, right) in right.into_iter().enumerate() {
            p[batch[c] * n_arms + batch[d]] = left * right / total;
        }
    }
    p
}

/// From states in the middle of a run, pairs are drawn as often as the law says.
#[test]
fn stat_mergedts_draws_by_the_law_of_its_twin() {
    let options = Options { alpha: 0.5, batch: 4, offset: Offset::C(50.0) };
    let n_arms = 9;
    for kind in [0, 1, 2] {
        let mut rng = Stream::new(1).label("mergedts").index(kind as u64).rng();
        let p = shuffled_matrix(kind, n_arms, &mut rng);
        let mut fast = MergeDts::with(n_arms, options, &mut rng).expect("legal options");
        let mut slow = SlowRace::new(&fast.batches(), options);
        for _ in 0..6 {
            let game = Game { p: p.clone(), delivery: Delivery::Prompt, rounds: rng.random_range(1..25) };
            play(&mut fast, &mut slow, &game, &mut rng, |_, _, _| {});
            if slow.turn().len() > 4 {
                // 2^10 tournaments or more.
                continue;
            }
            let law = law(&slow, n_arms);
            let mut draws = rng.clone();
            let draws = (0..5000).map(|_| fast.propose(&mut draws));
            if slow.left() > 1 {
                let what = format!("mergedts, matrix {kind}, round {}", slow.counts.t);
                chi_square::check(&what, n_arms, |left, right| law[left * n_arms + right], draws);
            }
        }
    }
}

fn three(wins: &[(usize, usize, u64)]) -> MergeDts {
    let order: Vec<Arm> = Arm::all(3).collect();
    let mut policy = MergeDts::in_order(&order, Options::default()).expect("legal options");
    for &(winner, loser, n) in wins {
        for _ in 0..n {
            let ticket = propose_pair(&policy, winner.min(loser), winner.max(loser));
            policy.issue(&ticket);
            policy.update(&ticket, Outcome::won(winner < loser));
        }
    }
    policy
}

/// The tournament of three arms, if 0 has beaten 1 once and nothing else is known: Pr(theta_01 >
/// 1/2) = Pr(Beta(2, 1) > 1/2) = 1 - 1/4 = 3/4, and the other two duels are fair coins.
///
/// - theta_01 > 1/2 (probability 3/4): 0 has one win, and with probability 1/2 it has two.
///   Otherwise 2 has beaten 0. Then, if 1 beats 2, all arms have one win; if 2 beats 1, 2 has two
///   wins. The champion is 0 with probability 1/2 + 1/4 * 1/3 = 7/12, 1 with 1/12, and 2 with 1/4 +
///   1/12 = 4/12.
/// - theta_01 < 1/2 (probability 1/4): the same with 0 and 1 swapped.
/// - Together, the champion is 0 with probability 3/4 * 7/12 + 1/4 * 1/12 = 22/48, 1 with 3/4 *
///   1/12 + 1/4 * 7/12 = 10/48, and 2 with 16/48.
///
/// If theta_ij and theta_ji are two draws (bug class CHL), every ordered pair is a separate coin.
/// Then 0 is the champion with probability 0.4297 instead of 0.4583, according to the sum over all
/// 64 outcomes. One standard error of 40,000 draws is 0.0025.
#[test]
fn stat_a_duel_of_the_tournament_has_one_winner() {
    let policy = three(&[(0, 1, 1)]);
    let wins = vec![vec![0, 1, 0], vec![0; 3], vec![0; 3]];
    let exact = champions(&[0, 1, 2], &wins);
    assert_close(&exact, &[22.0 / 48.0, 10.0 / 48.0, 16.0 / 48.0], 1e-3, "by hand and by the sum");
    let mut independent = 0.0;
    for outcomes in 0..64u32 {
        // Bits: 0 over 1, 1 over 0, then the four coins 0-2, 2-0, 1-2, 2-1.
        let bit = |i: u32| f64::from(outcomes >> i & 1);
        let chance = (0.25 + 0.5 * bit(0)) * (0.75 - 0.5 * bit(1)) / 16.0;
        let scores = [bit(0) + bit(2), bit(1) + bit(4), bit(3) + bit(5)];
        let most = scores.into_iter().fold(0.0, f64::max);
        let tied = scores.iter().filter(|&&score| score >= most).count() as f64;
        independent += if scores[0] >= most { chance / tied } else { 0.0 };
    }
    let mut rng = Stream::new(1).label("tournament").rng();
    let n = 40_000;
    let zero = (0..n).filter(|_| policy.propose(&mut rng).left.index() == 0).count() as f64 / f64::from(n);
    assert!((zero - 22.0 / 48.0).abs() < 5.0 * 0.0025, "{zero}");
    assert!((independent - 22.0 / 48.0).abs() > 8.0 * 0.0025, "{independent}");
}

/// The opponent is the likely loser: after ten wins of 0 over 2 and none over 1, champion 0 meets 2
/// with probability Pr(Beta(1, 11) < uniform) = 1 - E Beta(1, 11) = 11/12. One standard error of
/// 20,000 draws, two thirds of them with champion 0, is 0.0025.
#[test]
fn stat_the_opponent_is_the_likely_loser() {
    let policy = three(&[(0, 2, 10)]);
    let mut rng = Stream::new(1).label("loser").rng();
    let (mut of_zero, mut of_two) = (0.0, 0.0);
    for _ in 0..20_000 {
        let ticket = policy.propose(&mut rng);
        if ticket.left.index() == 0 {
            of_zero += 1.0;
            of_two += f64::from(u8::from(ticket.right.index() == 2));
        }
    }
    assert!((of_two / of_zero - 11.0 / 12.0).abs() < 5.0 * 0.0025, "{}", of_two / of_zero);
}

/// Two arms, alpha = 1/10 and no offset. The first outcome is proof, because 1 > 0.4 ln 2. A late
/// outcome in favour of the other arm is dropped.
#[test]
fn trace_mergedts() {
    let options = Options { alpha: 0.1, batch: 4, offset: Offset::C(0.0) };
    let order: Vec<Arm> = Arm::all(2).collect();
    let mut policy = MergeDts::in_order(&order, options).expect("legal options");
    let first = propose_pair(&policy, 0, 1);
    policy.issue(&first);
    let second = propose_pair(&policy, 1, 0);
    policy.issue(&second);
    assert_eq!((first.round, second.round, first.draw), (1, 2, Draw::Unknown));
    policy.update(&second, Outcome::WIN);
    assert_eq!(policy.batches(), [[Arm::new(1)]]);
    policy.update(&first, Outcome::WIN);
    let last = policy.propose(&mut Stream::new(1).rng());
    assert_eq!((last.left, last.right, policy.recommend()), (Arm::new(1), Arm::new(1), Arm::new(1)));
}
