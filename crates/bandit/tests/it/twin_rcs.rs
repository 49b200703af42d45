//! RCS written a second time, from the specification alone. The twin computes
//! every bound in every round, the law of the champion as a product of binomial sums, and the
//! tournament of Beta variables itself. The crate's policy must propose a pair that this law
//! allows, and state its probability.

use proptest::prelude::*;
use rand::{Rng, RngExt};
use rand_distr::{Beta, Distribution};
use tiltyard_bandit::policy::{Additive, Policy, Rcs};
use tiltyard_bandit::{Arm, Outcome, Stream, Ticket};

use crate::chi_square;
use crate::support::{assert_close, shuffle};
use crate::twin_dts::above_half;
use crate::twins::{
    Counts, DELIVERIES, Delivery, Game, KINDS, Twin, beat, best_pairs, indices, matrix, play, ticket,
};

/// RCS in O(K^2) per round.
#[derive(Debug, Clone)]
struct SlowRcs {
    alpha: f64,
    counts: Counts,
    reigns: Vec<u64>,
    /// Binomial sums that were computed before.
    known: std::collections::BTreeMap<(u64, u64), f64>,
}

impl SlowRcs {
    fn new(n_arms: usize) -> Self {
        Self {
            alpha: 0.501,
            counts: Counts::new(n_arms),
            reigns: vec![0; n_arms],
            known: std::collections::BTreeMap::new(),
        }
    }

    fn u(&self, i: usize, j: usize) -> f64 {
        let n = self.counts.n(i, j);
        let shown = n + self.counts.in_flight[i][j];
        if i == j {
            return 0.5;
        }
        if shown == 0 {
            return f64::INFINITY;
        }
        let mean = if n == 0 { 1.0 } else { self.counts.wins[i][j] as f64 / n as f64 };
        mean + (self.alpha * (self.counts.t.max(2) as f64).ln() / shown as f64).sqrt()
    }

    fn least(&self) -> Vec<usize> {
        let fewest = self.reigns.iter().min().expect("there are arms");
        self.counts.arms().filter(|&i| self.reigns[i] == *fewest).collect()
    }

    /// For each arm, the probability that it is the champion.
    fn champions(&mut self) -> Vec<f64> {
        let n_arms = self.counts.wins.len();
        let mut p: Vec<f64> = vec![1.0; n_arms];
        for (i, p) in p.iter_mut().enumerate() {
            for j in (0..n_arms).filter(|&j| j != i) {
                let counts = (self.counts.wins[i][j], self.counts.wins[j][i]);
                *p *= *self.known.entry(counts).or_insert_with(|| above_half(counts.0, counts.1));
            }
        }
        let nobody = (1.0 - p.iter().sum::<f64>()).max(0.0);
        let least = self.least();
        for &i in &least {
            p[i] += nobody / least.len() as f64;
        }
        p
    }

    /// The champion of a tournament of Beta variables.
    fn tournament<R: Rng>(&self, rng: &mut R) -> usize {
        let mut beaten = vec![0; self.counts.wins.len()];
        for i in self.counts.arms() {
            for j in 0..i {
                let law = Beta::new(self.counts.wins[i][j] as f64 + 1.0, self.counts.wins[j][i] as f64 + 1.0);
                let i_wins = law.expect("positive").sample(rng) > 0.5;
                beaten[if i_wins { j } else { i }] += 1;
            }
        }
        let least = self.least();
        self.counts
            .arms()
            .find(|&i| beaten[i] == 0)
            .unwrap_or_else(|| least[rng.random_range(0..least.len())])
    }

    /// The arms that a champion may meet, all with the same probability.
    fn opponents(&self, champion: usize) -> Vec<usize> {
        let highest = self.counts.arms().map(|j| self.u(j, champion)).fold(f64::NEG_INFINITY, f64::max);
        let mut tied: Vec<usize> = self.counts.arms().filter(|&j| self.u(j, champion) >= highest).collect();
        if tied.len() > 1 {
            tied.retain(|&j| j != champion);
        }
        tied
    }
}

impl Twin for SlowRcs {
    fn issue(&mut self, ticket: &Ticket) {
        self.reigns[ticket.left.index()] += 1;
        self.counts.issue(ticket);
    }

    fn update(&mut self, ticket: &Ticket, left_won: bool) {
        self.counts.update(ticket, left_won);
    }

    fn void(&mut self, ticket: &Ticket) {
        self.counts.void(ticket);
    }
}

/// Plays the policy and its twin side by side.
fn compare(n_arms: usize, kind: usize, rounds: u64, delivery: Delivery) -> (Rcs, SlowRcs) {
    let what = format!("{n_arms} arms, matrix {kind}, {delivery:?}");
    let mut rng = Stream::new(1).label(&what).rng();
    let game = Game { p: matrix(n_arms, kind, &mut rng), delivery, rounds };
    let (mut fast, mut slow) = (Rcs::new(n_arms), SlowRcs::new(n_arms));
    play(&mut fast, &mut slow, &game, &mut rng, |_, slow, ticket| {
        let (left, right) = indices(ticket);
        let opponents = slow.opponents(left);
        assert!(opponents.contains(&right), "{what}: the opponent in {ticket:?} is not one of {opponents:?}");
        if rounds < 5000 || ticket.round.is_multiple_of(50) {
            let want = slow.champions()[left] / opponents.len() as f64;
            let stated = ticket.propensity().expect("known");
            assert!((stated - want).abs() < 1e-9, "{what}: {ticket:?}, not {want}");
        }
    });
    assert_close(&fast.champions(), &slow.champions(), 1e-9, "champions");
    (fast, slow)
}

/// In every round, the twin allows the pair and gives it the same probability.
#[test]
fn law_pairs_and_propensities_are_those_of_the_specification() {
    for kind in KINDS {
        for (n_arms, rounds) in [(1, 50), (2, 800), (3, 800), (6, 800), (13, 400)] {
            for delivery in DELIVERIES {
                compare(n_arms, kind, rounds, delivery);
            }
        }
    }
    compare(40, 0, 800, Delivery::Prompt);
    compare(40, 2, 500, Delivery::Late);
    compare(4, 1, 20_000, Delivery::Late);
}

/// Pairs are drawn as often as tickets state, and tournaments of Beta variables have the same
/// champions as often. The states result from play, with ties, zeros and ones.
#[test]
fn stat_champions() {
    for kind in 0..5 {
        for (n_arms, rounds) in [(3, 12), (4, 40), (7, 90)] {
            let (fast, mut slow) = compare(n_arms, kind, rounds, Delivery::Prompt);
            let champions = slow.champions();
            if champions.iter().any(|&p| p > 0.9995) {
                continue;
            }
            let opponents: Vec<Vec<usize>> = (0..n_arms).map(|c| slow.opponents(c)).collect();
            let law = |left: usize, right: usize| {
                let here = if opponents[left].contains(&right) { 1.0 } else { 0.0 };
                here * champions[left] / opponents[left].len() as f64
            };
            let what = format!("{n_arms} arms, kind {kind}");
            let mut rng = Stream::new(2).label(&what).rng();
            chi_square::check(&what, n_arms, law, (0..10_000).map(|_| fast.propose(&mut rng)));
            // The twin's tournaments, as if each champion met itself.
            let duels = (0..10_000).map(|_| {
                let champion = slow.tournament(&mut rng);
                ticket(champion, champion)
            });
            let law = |left: usize, right: usize| if left == right { champions[left] } else { 0.0 };
            chi_square::check(&format!("{what}, drawn"), n_arms, law, duels);
        }
    }
}

/// Three arms, and all eight possible results of their pairs, with F_01 = F(1, 0) = 3/4, F_02 = 1/2
/// and F_12 = F(0, 1) = 1/4.
///
/// q_0 = 3/4 * 1/2 = 3/8, q_1 = 1/4 * 1/4 = 1/16, q_2 = 1/2 * 3/4 = 3/8. The two cycles have
/// probability 3/4 * 1/4 * 1/2 + 1/4 * 3/4 * 1/2 = 3/16, and the eight results add up: 13/16 +
/// 3/16. No arm was champion yet, so each arm gets 1/16 from the cycles: 7/16, 1/8, 7/16. After 0
/// was champion once, 1 and 2 share the cycles: 3/8, 1/16 + 3/32 = 5/32, 15/32.
#[test]
fn trace_three_arms() {
    let mut policy = Rcs::new(3);
    beat(&mut policy, 0, 1, 1);
    beat(&mut policy, 2, 1, 1);
    assert_close(&policy.champions(), &[7.0 / 16.0, 0.125, 7.0 / 16.0], 1e-14, "champions");
    policy.issue(&ticket(0, 0));
    assert_close(&policy.champions(), &[0.375, 5.0 / 32.0, 15.0 / 32.0], 1e-14, "champions");
}

/// Two arms. 0 beats 1 four times: F(4, 0) = 31/32. A tournament of two arms always has a winner.
/// In round 1, u_10 = sqrt(0.501 ln 2 / 4) = 0.2946 is below 1/2, so 0 meets itself with
/// probability 31/32. Against the champion 1, 0 has the bound 1.2946. In round 8, u_10 =
/// sqrt(0.501 * 2.079442 / 4) = 0.5103, so 0 meets 1.
#[test]
fn trace_two_arms() {
    let mut policy = Rcs::new(2);
    beat(&mut policy, 0, 1, 4);
    let law = |left: usize, right: usize| match (left, right) {
        (0, 0) => 31.0 / 32.0,
        (1, 0) => 1.0 / 32.0,
        _ => 0.0,
    };
    let mut rng = Stream::new(1).rng();
    chi_square::check("round 1", 2, law, (0..5000).map(|_| policy.propose(&mut rng)));
    for _ in 1..8 {
        policy.issue(&ticket(0, 0));
    }
    let law = |left: usize, right: usize| match (left, right) {
        (0, 1) => 31.0 / 32.0,
        (1, 0) => 1.0 / 32.0,
        _ => 0.0,
    };
    chi_square::check("round 8", 2, law, (0..5000).map(|_| policy.propose(&mut rng)));
}

/// Regression: samples that are drawn and never used, so that confidence bounds
/// alone decide the champion. After nine wins of 0 against each of 1 and 2, the samples make 0 the
/// champion almost surely, while no bound rules anything out in round 10^4.
#[test]
fn trace_belief_decides() {
    let mut policy = Rcs::new(3);
    beat(&mut policy, 0, 1, 9);
    beat(&mut policy, 0, 2, 9);
    for _ in 0..10_000 {
        policy.issue(&ticket(0, 0));
    }
    // q_0 = (1 - 2^-10)^2 = 0.998048. u_10 = sqrt(0.501 * 9.21 / 9) = 0.716 > 1/2.
    assert_close(&policy.champions()[..1], &[0.998_047_828_7], 1e-9, "champion");
}

/// Regression: a policy that never lets the champion meet itself.
#[test]
fn stat_it_ends_on_the_best_pair() {
    let mut policy = Rcs::new(5);
    let self_duels = best_pairs(&mut policy);
    assert!(self_duels > 9_900, "{self_duels}");
    assert_eq!(policy.recommend(), Arm::new(0));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

    /// Only the counts matter: outcomes in any order, or merged from another node, lead to the same
    /// champions up to rounding.
    #[test]
    fn law_counts_decide(seed in any::<u64>(), n_arms in 2..7usize, n_outcomes in 0..200usize) {
        let mut rng = Stream::new(seed).rng();
        let mut outcomes: Vec<(usize, usize)> = (0..n_outcomes)
            .map(|_| (rng.random_range(0..n_arms), rng.random_range(0..n_arms)))
            .filter(|(winner, loser)| winner != loser)
            .collect();
        let mut ordered = Rcs::new(n_arms);
        for &(winner, loser) in &outcomes {
            beat(&mut ordered, winner, loser, 1);
        }
        shuffle(&mut outcomes, &mut rng);
        let mut shuffled = Rcs::new(n_arms);
        for (winner, loser) in outcomes {
            shuffled.update(&ticket(loser, winner), Outcome::LOSS);
        }
        let mut merged = Rcs::new(n_arms);
        merged.add(&ordered.sums());
        for other in [shuffled, merged] {
            assert_close(&other.champions(), &ordered.champions(), 1e-12, "champions");
            prop_assert_eq!(other.recommend(), ordered.recommend());
        }
    }
}
