//! SAVAGE written a second time, from its specification and the policy's page: full matrices, with
//! every interval, score and pair checked in every round, in O(K^2) or more. The crate's policy
//! must propose the same pairs, round by round.

use core::f64::consts::PI;

use rand::{Rng, RngExt};
use tiltyard_bandit::policy::savage::{Options, Radius, Rule};
use tiltyard_bandit::policy::{Policy, Savage};
use tiltyard_bandit::{Arm, Outcome, Stream, Ticket};

use crate::support::permutation;
use crate::twins::{self, DELIVERIES, Delivery, Game, Twin, indices};

const RULES: [Rule; 3] = [Rule::Condorcet, Rule::Copeland, Rule::Borda];

struct SlowSavage {
    options: Options,
    n_arms: usize,
    round: u64,
    /// `wins[i][j]`: the duels that i won against j.
    wins: Vec<Vec<u64>>,
    /// All pairs in the order of turns, each with the round of its last turn.
    pairs: Vec<((usize, usize), u64)>,
    /// Pairs that were dropped.
    dropped: Vec<Vec<bool>>,
    /// `beats[i][j]`: i was shown to beat j at some time.
    beats: Vec<Vec<bool>>,
    /// The highest lower bound that P(i, j) ever had.
    floor: Vec<Vec<f64>>,
    /// Arms in the order of their first outcomes.
    seen: Vec<usize>,
}

impl SlowSavage {
    fn new(n_arms: usize, options: Options, order: &[(usize, usize)]) -> Self {
        let table = || vec![vec![false; n_arms]; n_arms];
        Self {
            options,
            n_arms,
            round: 0,
            wins: vec![vec![0; n_arms]; n_arms],
            pairs: order.iter().map(|&pair| (pair, 0)).collect(),
            dropped: table(),
            beats: table(),
            floor: vec![vec![0.0; n_arms]; n_arms],
            seen: Vec::new(),
        }
    }

    /// c(n), as in the paper.
    fn radius(&self, n: u64) -> f64 {
        let pairs = (self.n_arms * (self.n_arms - 1) / 2) as f64;
        let n = n as f64;
        let eta = match self.options.radius {
            Radius::Finite { horizon } => 2.0 * pairs * horizon as f64,
            Radius::Anytime => PI * PI * pairs * n * n / 3.0,
        };
        ((eta / self.options.delta).ln() / (2.0 * n)).sqrt()
    }

    fn others(&self, i: usize) -> impl Iterator<Item = usize> {
        (0..self.n_arms).filter(move |&j| j != i)
    }

    fn ruled_out(&self) -> Vec<bool> {
        let k = self.n_arms;
        if self.options.rule == Rule::Condorcet {
            return (0..k).map(|i| self.others(i).any(|j| self.beats[j][i])).collect();
        }
        let count = |yes: bool| f64::from(u8::from(yes));
        let (low, high): (Vec<f64>, Vec<f64>) = (0..k)
            .map(|i| match self.options.rule {
                Rule::Borda => (
                    self.others(i).map(|j| self.floor[i][j]).sum::<f64>(),
                    self.others(i).map(|j| 1.0 - self.floor[j][i]).sum::<f64>(),
                ),
                _ => (
                    self.others(i).map(|j| count(self.beats[i][j])).sum(),
                    self.others(i).map(|j| count(!self.beats[j][i])).sum(),
                ),
            })
            .unzip();
        let highest = low.iter().copied().fold(0.0, f64::max);
        high.iter().map(|&high| high < highest).collect()
    }

    fn is_over(&self) -> bool {
        let left = self.ruled_out().iter().filter(|&&out| !out).count();
        left <= 1 || matches!(self.options.radius, Radius::Finite { horizon } if self.round >= horizon)
    }

    /// The active pair whose last turn is the longest ago.
    fn next(&self) -> Option<(usize, usize)> {
        if self.is_over() {
            return None;
        }
        let active = self.pairs.iter().filter(|((i, j), _)| !self.dropped[*i][*j]);
        active.min_by_key(|(_, turn)| *turn).map(|&(pair, _)| pair)
    }

    fn best(&self) -> usize {
        let mut out = self.ruled_out();
        if !out.contains(&false) {
            out.fill(false);
        }
        let share = |i: usize, j: usize| {
            let n = self.wins[i][j] + self.wins[j][i];
            if n == 0 { 0.5 } else { self.wins[i][j] as f64 / n as f64 }
        };
        let score = |i: usize| match self.options.rule {
            Rule::Borda => self.others(i).map(|j| share(i, j)).sum::<f64>(),
            _ => self.others(i).filter(|&j| share(i, j) > 0.5).count() as f64,
        };
        // Ties go to the arm that was seen first, then to the first in the order of turns.
        let mut arms = self.seen.clone();
        for &((i, j), _) in &self.pairs {
            arms.extend([i, j]);
        }
        let best = arms.iter().filter(|&&i| !out[i]).map(|&i| score(i)).fold(0.0, f64::max);
        // Sums of the same fractions in another order differ in the last bits.
        arms.into_iter().find(|&i| !out[i] && score(i) > best - 1e-9).expect("an arm is left")
    }

    fn propose(&self) -> (usize, usize) {
        if self.n_arms == 1 {
            return (0, 0);
        }
        self.next().unwrap_or_else(|| (self.best(), self.best()))
    }
}

impl Twin for SlowSavage {
    fn issue(&mut self, ticket: &Ticket) {
        self.round += 1;
        for (pair, turn) in &mut self.pairs {
            if *pair == indices(ticket) {
                *turn = self.round;
            }
        }
    }

    fn void(&mut self, _: &Ticket) {}

    fn update(&mut self, ticket: &Ticket, left_won: bool) {
        let (left, right) = indices(ticket);
        if left == right {
            return;
        }
        let (winner, loser) = if left_won { (left, right) } else { (right, left) };
        self.wins[winner][loser] += 1;
        for arm in [winner.min(loser), winner.max(loser)] {
            if !self.seen.contains(&arm) {
                self.seen.push(arm);
            }
        }
        let n = self.wins[winner][loser] + self.wins[loser][winner];
        let c = self.radius(n);
        for (i, j) in [(winner, loser), (loser, winner)] {
            let p = self.wins[i][j] as f64 / n as f64;
            // The first decision is final.
            if p + c < 0.5 && !self.beats[i][j] {
                self.beats[j][i] = true;
            }
            self.floor[i][j] = self.floor[i][j].max(p - c);
        }
        let out = self.ruled_out();
        for &((i, j), _) in &self.pairs {
            self.dropped[i][j] |= match self.options.rule {
                Rule::Condorcet => out[i] || out[j],
                Rule::Copeland => self.beats[i][j] || self.beats[j][i] || out[i] && out[j],
                Rule::Borda => out[i] && out[j],
            };
        }
    }
}

/// A world of one of seven kinds, among them worlds without randomness and worlds with ties.
fn matrix<R: Rng>(n_arms: usize, kind: usize, rng: &mut R) -> Vec<Vec<f64>> {
    let mut p = vec![vec![0.5; n_arms]; n_arms];
    let label = permutation(n_arms, rng);
    for i in 0..n_arms {
        for j in i + 1..n_arms {
            let value = match kind {
                // A total order, far apart.
                0 => 0.95,
                // Any numbers.
                1 => rng.random(),
                // Zeros, ones and ties.
                2 => [0.0, 0.5, 1.0][rng.random_range(0..3)],
                // A total order without randomness.
                3 => 1.0,
                // A cycle.
                4 => [0.9, 0.1][(j - i) % 2],
                // One good arm, ties among the others.
                5 => [0.5, 0.9][usize::from(i == 0)],
                // Two best arms that tie.
                _ => {
                    if (i, j) == (0, 1) {
                        0.5
                    } else {
                        0.8
                    }
                }
            };
            (p[label[i]][label[j]], p[label[j]][label[i]]) = (value, 1.0 - value);
        }
    }
    p
}

/// The order of turns of a fresh policy, observed from outside: nothing is dropped while no outcome
/// has arrived.
fn order_of(policy: &Savage) -> Vec<(usize, usize)> {
    let mut copy = policy.clone();
    let n = policy.n_arms() * (policy.n_arms() - 1) / 2;
    // A short horizon would end the turns, so the copy is saved and restored without a horizon.
    let mut state = serde_json::to_value(&copy).expect("plain data");
    state["options"]["radius"] = serde_json::json!("anytime");
    copy = serde_json::from_value(state).expect("a fresh policy fits any radius");
    let mut rng = Stream::new(0).rng();
    (0..n).map(|_| indices(&copy.decide(&mut rng))).collect()
}

/// Plays both side by side. Returns the number of self-duels and the number of arms that are ruled
/// out.
fn compare(
    n_arms: usize,
    options: Options,
    kind: usize,
    delivery: Delivery,
    rounds: u64,
    seed: u64,
) -> (usize, usize) {
    let mut rng = Stream::new(seed).rng();
    let mut fast = Savage::new(n_arms, options, &mut rng).expect("legal options");
    let mut slow = SlowSavage::new(n_arms, options, &order_of(&fast));
    let what = format!("{n_arms} arms, {options:?}, world {kind}, {delivery:?}");
    let game = Game { p: matrix(n_arms, kind, &mut rng), delivery, rounds };
    let mut self_duels = 0;
    twins::play(&mut fast, &mut slow, &game, &mut rng, |fast, slow, ticket| {
        let mut untouched = Stream::new(0).rng();
        assert_eq!(fast.propose(&mut untouched), *ticket, "{what}");
        assert_eq!(untouched, Stream::new(0).rng(), "{what}: it must draw no random numbers");
        assert_eq!(indices(ticket), slow.propose(), "{what}, round {}", ticket.round);
        assert_eq!(ticket.propensity(), Some(1.0));
        self_duels += usize::from(ticket.is_self_duel());
    });
    assert_eq!(fast.recommend().index(), slow.best(), "{what}");
    let out: Vec<bool> = Arm::all(n_arms).map(|arm| fast.is_ruled_out(arm)).collect();
    assert_eq!(out, slow.ruled_out(), "{what}");
    for &((i, j), _) in &slow.pairs {
        let active = !slow.is_over() && !slow.dropped[i][j];
        assert_eq!(fast.is_active(Arm::new(i), Arm::new(j)), active, "{what}: pair {i}, {j}");
    }
    (self_duels, out.iter().filter(|&&out| out).count())
}

fn radii(horizon: u64) -> [Radius; 3] {
    [Radius::Finite { horizon }, Radius::Finite { horizon: horizon / 2 }, Radius::Anytime]
}

/// Few arms, with each round compared in many worlds.
#[test]
fn law_the_twin_of_savage_plays_the_same_pairs() {
    let mut settled = [0; 3];
    for (r, rule) in RULES.into_iter().enumerate() {
        for kind in 0..7 {
            for (k, n_arms) in [2, 3, 5, 8].into_iter().enumerate() {
                let seed = (kind * 10 + k) as u64;
                let rounds = 1500;
                for radius in radii(rounds) {
                    let options = Options { rule, delta: 0.1, radius };
                    for delivery in DELIVERIES {
                        let (self_duels, _) = compare(n_arms, options, kind, delivery, rounds, seed);
                        settled[r] += usize::from(self_duels > 0);
                    }
                }
            }
        }
    }
    // The comparison is worth little unless exploration ends. It ends at least in the third of the
    // cases that have half the horizon.
    assert!(settled.iter().all(|&settled| settled > 60), "{settled:?} of 168");
}

/// A long run of each rule with 40 arms and no randomness: 780 pairs, and 30 duels of each until
/// the first is decided.
#[test]
fn law_the_twin_of_savage_agrees_for_forty_arms() {
    let [prompt, late] = DELIVERIES;
    for (rule, delivery) in [(Rule::Condorcet, late), (Rule::Copeland, prompt), (Rule::Borda, prompt)] {
        let options = Options { rule, delta: 1.0, radius: Radius::Anytime };
        let (self_duels, n_out) = compare(40, options, 3, delivery, 28_000, 3);
        // The Borda scores of neighbours in the order differ by 1 in 39, and stay undecided.
        assert!(n_out > 5 && (self_duels > 0) == (rule != Rule::Borda), "{rule:?}: {self_duels}, {n_out}");
    }
}

fn play(rule: Rule, order: &[(usize, usize, u32, u32)], n_arms: usize, horizon: u64) -> Savage {
    let options = Options { rule, delta: 1.0, radius: Radius::Finite { horizon } };
    let mut policy = Savage::new(n_arms, options, &mut Stream::new(1).rng()).expect("legal options");
    for &(winner, loser, won, lost) in order {
        for i in 0..won + lost {
            let ticket = Ticket {
                left: Arm::new(winner),
                right: Arm::new(loser),
                ..policy.propose(&mut Stream::new(1).rng())
            };
            policy.issue(&ticket);
            policy.update(&ticket, Outcome::won(i < won));
        }
    }
    policy
}

/// K = 3, delta = 1, T = 100: ln(eta / delta) = ln(3 * 2 * 100) = ln 600 = 6.396930. A pair with a
/// lead of d after n duels is decided when d^2 > 2 n ln 600. If all n are won, that is n >
/// 12.793859: the 13th duel decides.
#[test]
fn trace_condorcet() {
    let policy = play(Rule::Condorcet, &[(0, 1, 12, 0)], 3, 100);
    assert!(!policy.is_ruled_out(Arm::new(1)));
    let policy = play(Rule::Condorcet, &[(0, 1, 13, 0)], 3, 100);
    assert!(policy.is_ruled_out(Arm::new(1)));
    // Both pairs of arm 1 are dropped, and the only pair that is left gets every turn.
    assert!(!policy.is_active(Arm::new(0), Arm::new(1)) && !policy.is_active(Arm::new(1), Arm::new(2)));
    assert_eq!(indices(&policy.propose(&mut Stream::new(1).rng())), (0, 2));
    // c(13) = sqrt(6.396930 / 26) = 0.496020, just below 1/2, the distance of the share 1 from 1/2.
    assert!((policy.radius(13) - 0.496_020).abs() < 1e-6, "{}", policy.radius(13));
    // Arm 2 loses too. After 15 of 16 duels, the lead is 14, and 196 < 2 * 16 * 6.396930 = 204.7.
    // After 16 of 17, 225 > 217.5.
    let policy = play(Rule::Condorcet, &[(0, 1, 13, 0), (2, 0, 1, 15)], 3, 100);
    assert!(!policy.is_ruled_out(Arm::new(2)));
    let policy = play(Rule::Condorcet, &[(0, 1, 13, 0), (2, 0, 1, 16)], 3, 100);
    let ticket = policy.propose(&mut Stream::new(1).rng());
    assert_eq!((indices(&ticket), ticket.round), ((0, 0), 31));
}

/// Copeland, K = 4, delta = 1, T = 100: ln(4 * 3 * 100) = 7.090077. 15 wins in a row decide a pair:
/// 15 > 14.180154. The pairs are decided in this order:
///
/// - 0 beats 1: low_0 = 1, high_1 = 2.
/// - 0 beats 2: low_0 = 2, high_2 = 2.
/// - 3 beats 1: high_1 = 1 < 2, and 1 is out.
/// - 3 beats 2: high_2 = 1, and 2 is out. So (1, 2) is dropped, although nothing is known about it.
///   Only (0, 3) still matters; both of its arms have low 2 and high 3.
/// - 3 beats 0: low_3 = 3, high_0 = 2. 0 is out as well, and 3 has won.
#[test]
fn trace_copeland() {
    let arm = Arm::new;
    let duels = [(0, 1, 15, 0), (0, 2, 15, 0), (3, 1, 15, 0), (3, 2, 15, 0), (3, 0, 15, 0)];
    let after = |n: usize| play(Rule::Copeland, &duels[..n], 4, 100);
    let policy = after(2);
    assert!(Arm::all(4).all(|arm| !policy.is_ruled_out(arm)));
    assert!(!policy.is_active(arm(0), arm(1)) && !policy.is_active(arm(0), arm(2)));
    assert!(policy.is_active(arm(0), arm(3)) && policy.is_active(arm(1), arm(2)));
    let policy = after(3);
    assert!(policy.is_ruled_out(arm(1)) && policy.is_active(arm(1), arm(2)));
    let policy = after(4);
    assert!(policy.is_ruled_out(arm(2)) && !policy.is_active(arm(1), arm(2)));
    assert_eq!(indices(&policy.propose(&mut Stream::new(1).rng())), (0, 3));
    let policy = after(5);
    assert_eq!(indices(&policy.propose(&mut Stream::new(1).rng())), (3, 3));
}

/// Copeland, K = 5, delta = 1, T = 1000: ln 20,000 = 9.903488, and 20 wins in a row decide a pair.
/// 0 beats 1, 2 and 4 and ties with 3: low_0 = 3. 1 has lost to 0 and 2, 2 to 0 and 4, 4 to 0 and
/// 3, and 3 to 1: high = (4, 2, 2, 3, 2). 3 can still draw level, so (0, 3) and (2, 3) continue.
/// (1, 4) does not, because both of its arms are out. Once 2 beats 3 as well, high_3 = 2, and 0 is
/// the winner, no matter which other arms it beats. The tie, which would never end, is not played
/// again.
#[test]
fn trace_copeland_with_a_tie() {
    let arm = Arm::new;
    let mut duels = [(0, 3, 1, 0), (3, 0, 1, 0)].repeat(20);
    duels.extend([(0, 1), (0, 2), (0, 4), (2, 1), (4, 2), (3, 4), (1, 3)].map(|(i, j)| (i, j, 20, 0)));
    let policy = play(Rule::Copeland, &duels, 5, 1000);
    let out: Vec<bool> = Arm::all(5).map(|arm| policy.is_ruled_out(arm)).collect();
    assert_eq!(out, [false, true, true, false, true]);
    assert!(policy.is_active(arm(0), arm(3)) && policy.is_active(arm(2), arm(3)));
    assert!(!policy.is_active(arm(1), arm(4)), "two arms that cannot win");
    duels.push((2, 3, 20, 0));
    let policy = play(Rule::Copeland, &duels, 5, 1000);
    assert!(policy.is_ruled_out(arm(3)) && !policy.is_active(arm(0), arm(3)));
    assert_eq!(indices(&policy.propose(&mut Stream::new(1).rng())), (0, 0));
}

/// Borda, K = 3, delta = 1, T = 1000: ln 6000 = 8.699515. 0 wins all of 40 duels with 1, where c =
/// sqrt(8.699515 / 80) = 0.329764, and then all of m duels with 2. 1 and 2 never meet: low_12 =
/// low_21 = 0. So low_0 = 2 - c - c(m), high_1 = c + 1 and high_2 = c(m) + 1. 1 is out when c(m) <
/// 1 - 2 c = 0.340472: m > 37.52. 2 is out when 2 c(m) < 1 - c = 0.670236: m > 38.73.
#[test]
fn trace_borda() {
    let after = |m: u32| play(Rule::Borda, &[(0, 1, 40, 0), (0, 2, m, 0)], 3, 1000);
    let out = |policy: &Savage| Arm::all(3).map(|arm| policy.is_ruled_out(arm)).collect::<Vec<_>>();
    assert_eq!(out(&after(37)), [false, false, false]);
    let policy = after(38);
    assert_eq!(out(&policy), [false, true, false]);
    // 2 can still win, so all pairs of 2 and of 0 matter.
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        assert!(policy.is_active(Arm::new(i), Arm::new(j)), "{i}, {j}");
    }
    let policy = after(39);
    assert_eq!(out(&policy), [false, true, true]);
    assert_eq!(indices(&policy.propose(&mut Stream::new(1).rng())), (0, 0));
}

/// Bounds that were shown stay valid: 40 wins in a row, then 40 losses. The lower bound of the
/// first 40 duels, 1 - 0.329764, remains, although the estimate is back at 1/2. So 38 duels of 0
/// with 2 rule out arm 1, as in `trace_borda`.
#[test]
fn trace_borda_intervals_only_shrink() {
    let policy = play(Rule::Borda, &[(0, 1, 40, 40), (0, 2, 38, 0)], 3, 1000);
    assert!(policy.is_ruled_out(Arm::new(1)));
}

fn savage(n_arms: usize, delta: f64, radius: Radius) -> Savage {
    let options = Options { rule: Rule::Condorcet, delta, radius };
    Savage::new(n_arms, options, &mut Stream::new(1).rng()).expect("legal options")
}

/// Bug class KOM: K (K - 1) T in 32 bits overflows for K = 136 and T >= 2.4e5, and the radius
/// collapses. K = 136, T = 3e5, delta = 1/T: ln 18,360 + 2 ln 3e5 = 9.817930 + 25.223076 =
/// 35.041006; c(100) = sqrt(0.175205) = 0.418575.
#[test]
fn trace_radius_does_not_overflow() {
    let horizon = 300_000;
    let policy = savage(136, 1.0 / horizon as f64, Radius::Finite { horizon });
    assert!((policy.radius(100) - 0.418_575).abs() < 1e-6, "{}", policy.radius(100));
    // Far beyond 64 bits: K = 3, T = 1e18, delta = 1e-300: ln 6 + 318 ln 10 = 1.791759 +
    // 732.222060 = 734.013819. Half of it is 367.006910, and the root of that is 19.157425.
    let policy = savage(3, 1e-300, Radius::Finite { horizon: 1_000_000_000_000_000_000 });
    assert!((policy.radius(1) - 19.157_425).abs() < 1e-5, "{}", policy.radius(1));
}

/// Bug class WOL: the logarithm is natural. K = 2, T = 100, delta = 0.01: ln(2 * 100 / 0.01) = ln
/// 20,000 = 9.903488; c(8) = sqrt(9.903488 / 16) = 0.786745. In base 2 it would be 0.944969.
///
/// Bug class DPY: the anytime radius has eta = pi^2 n^2 / 3, not n^(2/3). K = 2, n = 8, delta =
/// 0.01: ln(3.289868 * 64 / 0.01) = 9.954887; c(8) = sqrt(0.622180) = 0.788784. With n^(2/3) = 4 it
/// would be 0.671.
#[test]
fn trace_radius_formulas() {
    let finite = savage(2, 0.01, Radius::Finite { horizon: 100 });
    assert!((finite.radius(8) - 0.786_745).abs() < 1e-6, "{}", finite.radius(8));
    let anytime = savage(2, 0.01, Radius::Anytime);
    assert!((anytime.radius(8) - 0.788_784).abs() < 1e-6, "{}", anytime.radius(8));
    assert_eq!(anytime.radius(0).partial_cmp(&1e300), Some(core::cmp::Ordering::Greater));
}

/// Bug class: the arm to exploit is chosen by scores over the active pairs. It must be chosen over
/// all pairs, because no pair is active when it matters. Without a Condorcet winner, all arms are
/// ruled out: 0 beats 1, 1 beats 2 and 2 beats 0 for certain (15 wins in a row here, 13 in
/// `trace_condorcet`). Arm 3, which only 0 has beaten, has the highest score over the pairs that
/// were dropped, together with 0.
#[test]
fn trace_the_best_arm_is_chosen_over_all_pairs() {
    // With K = 4 and T = 100, 15 wins in a row decide a pair.
    let duels = [(3, 1, 3, 1), (3, 2, 3, 1), (0, 1, 15, 0), (1, 2, 15, 0), (2, 0, 15, 0), (0, 3, 15, 0)];
    let policy = play(Rule::Condorcet, &duels, 4, 1000);
    // T = 1000 needs 19 wins in a row: nothing is decided, and the scores are 2 (0 beats 1 and 3),
    // 1, 1 and 2 (3 beats 1 and 2).
    assert!(Arm::all(4).all(|arm| !policy.is_ruled_out(arm)));
    let policy = play(Rule::Condorcet, &duels, 4, 100);
    assert!(Arm::all(4).all(|arm| policy.is_ruled_out(arm)));
    // 3 was seen first, and ties with 0 at a score of two.
    assert_eq!(indices(&policy.propose(&mut Stream::new(1).rng())), (3, 3));
    // Late outcomes of a dropped pair turn it into a tie, 3 to 3. Now 3 has a score of one, and 0
    // of two.
    let late: Vec<_> = duels.into_iter().chain([(1, 3, 2, 0)]).collect();
    let policy = play(Rule::Condorcet, &late, 4, 100);
    assert_eq!(indices(&policy.propose(&mut Stream::new(1).rng())), (0, 0));
}

/// An arm that was shown to be beaten is not played in the end, although it leads in dropped pairs
/// about which little is known. K = 4, T = 100. 1 beats 2 and 3 for certain, and loses to 0 for
/// certain. 0 has lost its first few duels against 2 and 3.
#[test]
fn trace_the_best_arm_is_not_ruled_out() {
    let duels = [(2, 0, 2, 0), (3, 0, 2, 0), (1, 2, 15, 0), (1, 3, 15, 0), (0, 1, 15, 0)];
    let policy = play(Rule::Condorcet, &duels, 4, 100);
    // Scores: 1 (0 beats 1), 2, 1, 1.
    let out: Vec<bool> = Arm::all(4).map(|arm| policy.is_ruled_out(arm)).collect();
    assert_eq!(out, [false, true, true, true]);
    assert_eq!(indices(&policy.propose(&mut Stream::new(1).rng())), (0, 0));
    assert_eq!(policy.recommend(), Arm::new(0));
}

/// Two best arms tie, so neither is ruled out. They duel until the horizon, and then the one that
/// is better so far meets itself.
#[test]
fn trace_two_best_arms_that_tie() {
    let mut rng = Stream::new(1).label("tie").rng();
    for rule in RULES {
        let options = Options { rule, delta: 0.1, radius: Radius::Finite { horizon: 5000 } };
        let mut policy = Savage::new(4, options, &mut rng).expect("legal options");
        for round in 1..=5100 {
            let ticket = policy.decide(&mut rng);
            let strong = |arm: Arm| arm.index() < 2;
            let won = if strong(ticket.left) == strong(ticket.right) {
                rng.random::<f64>() < 0.5
            } else {
                strong(ticket.left)
            };
            policy.update(&ticket, Outcome::won(won));
            if round > 4000 && rule != Rule::Borda {
                assert_eq!(indices(&ticket) == (0, 1), round <= 5000, "{rule:?}, round {round}");
            }
            // Borda cannot stop comparing the two best arms with the hopeless ones, but it stops
            // comparing the hopeless ones with each other.
            assert!(round < 4000 || indices(&ticket) != (2, 3), "{rule:?}, round {round}");
            assert_eq!(ticket.is_self_duel(), round > 5000, "{rule:?}, round {round}");
        }
    }
}

/// In a world that is easy for each rule, the policy ends on (best, best) and stays there, as
/// `settles` says, with and without a horizon.
#[test]
fn stat_settles_on_the_best_pair() {
    for rule in RULES {
        for radius in [Radius::Finite { horizon: 20_000 }, Radius::Anytime] {
            let mut rng = Stream::new(1).label("settle").rng();
            let options = Options { rule, delta: 1e-4, radius };
            let mut policy = Savage::new(5, options, &mut rng).expect("legal options");
            for round in 1..=10_000 {
                let ticket = policy.decide(&mut rng);
                // Arm 3 wins 95 % of its duels, and the others tie. Borda takes longest: 3.8 - 4
                // c > 1.55 + 4 c needs c < 0.28, which takes some 200 duels of each of the 10
                // pairs.
                let p = match indices(&ticket) {
                    (3, _) => 0.95,
                    (_, 3) => 0.05,
                    _ => 0.5,
                };
                policy.update(&ticket, Outcome::won(rng.random::<f64>() < p));
                if round > 5000 {
                    assert_eq!(indices(&ticket), (3, 3), "{options:?}, round {round}");
                }
            }
        }
    }
}

/// Refused: too many arms to hold all their pairs, and options out of range.
#[test]
fn trace_options_that_are_refused() {
    let options = Options { rule: Rule::Condorcet, delta: 0.5, radius: Radius::Anytime };
    let refused = |n_arms, options| Savage::new(n_arms, options, &mut Stream::new(1).rng()).is_err();
    assert!(refused(0, options) && refused(16_385, options) && refused(usize::MAX, options));
    for delta in [0.0, -0.1, 1.1, f64::NAN] {
        assert!(refused(3, Options { delta, ..options }));
    }
    assert!(refused(3, Options { radius: Radius::Finite { horizon: 0 }, ..options }));
    assert!(!refused(1, Options { delta: 1.0, ..options }));
}

/// A state that is saved in mid-run, with some pairs dropped and some decided, continues bit for
/// bit under every rule. States whose parts do not fit together are refused.
#[test]
fn law_savage_restores_what_was_dropped() {
    for rule in RULES {
        let mut rng = Stream::new(2).label("restore").rng();
        let options = Options { rule, delta: 0.5, radius: Radius::Finite { horizon: 3000 } };
        let mut policy = Savage::new(7, options, &mut rng).expect("legal options");
        // Borda needs more duels than the other rules to rule out an arm, so its world has no
        // randomness.
        let world = matrix(7, if rule == Rule::Borda { 3 } else { 1 }, &mut rng);
        let (mut n_dropped, mut n_refused) = (0, 0);
        for round in 0..3500 {
            if round % 100 == 50 {
                let state = serde_json::to_value(&policy).expect("plain data");
                let restored: Savage = serde_json::from_value(state.clone()).expect("just saved");
                assert_eq!(serde_json::to_value(&restored).expect("plain data"), state, "{rule:?}");
                let n_active = state["turns"].as_array().expect("a list").len();
                n_dropped += usize::from(n_active > 0 && n_active < 21);
                // One pair less or more, another rule, or another number of arms.
                let mut damaged = vec![state.clone(); 4];
                damaged[0]["turns"].as_array_mut().expect("a list").pop();
                damaged[1]["turns"].as_array_mut().expect("a list").push(serde_json::json!(20));
                damaged[2]["options"]["rule"] =
                    serde_json::json!(["copeland", "condorcet"][usize::from(rule != Rule::Condorcet)]);
                damaged[3]["rank"].as_array_mut().expect("a list").pop();
                n_refused += damaged
                    .into_iter()
                    .filter(|state| serde_json::from_value::<Savage>(state.clone()).is_err())
                    .count();
                policy = restored;
            }
            let ticket = policy.decide(&mut rng);
            let (left, right) = indices(&ticket);
            policy.update(&ticket, Outcome::won(rng.random::<f64>() < world[left][right]));
        }
        assert!(n_dropped > 5, "{rule:?}: {n_dropped}");
        // If no pair is active, there is no pair to remove.
        assert!(n_refused >= 3 * 35, "{rule:?}: {n_refused}");
    }
}

/// The runs of `stable.rs` end before SAVAGE drops a pair. These numbers summarize longer runs,
/// where arm i beats arm j with probability (1 + (j - i) / 5) / 2: each is the sum of round *
/// (left + 8 right), modulo 2^64.
#[test]
fn stable_savage_eliminations() {
    let sums = RULES.map(|rule| {
        [Radius::Finite { horizon: 30_000 }, Radius::Anytime].map(|radius| {
            let mut rng = Stream::new(1).label("stable").rng();
            let options = Options { rule, delta: 0.01, radius };
            let mut policy = Savage::new(5, options, &mut rng).expect("legal options");
            let mut sum = 0u64;
            for round in 1..=20_000u64 {
                let ticket = policy.decide(&mut rng);
                let (left, right) = indices(&ticket);
                sum = sum.wrapping_add(round.wrapping_mul((left + 8 * right) as u64));
                let margin = (right as f64 - left as f64) / 5.0;
                policy.update(&ticket, Outcome::won(rng.random::<f64>() < f64::midpoint(1.0, margin)));
            }
            // The Borda scores of neighbours differ by 1/2: 8 c < 1/2 needs 2300 duels of each of
            // the 10 pairs. The last arm is out.
            assert!(policy.is_ruled_out(Arm::new(4)), "{options:?}");
            assert_eq!(policy.propose(&mut rng).is_self_duel(), rule != Rule::Borda, "{options:?}");
            sum
        })
    });
    assert_eq!(sums, [[23_023_447, 28_954_080], [104_507_123, 205_192_940], [4_470_618_589, 4_474_002_412]]);
}
