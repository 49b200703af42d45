//! D-TS and D-TS+ written a second time, from the specification alone. The twin
//! computes every bound of every pair in every round, and draws every Beta variable. The crate's
//! policy tosses coins instead, so the laws must agree, not the single draws. With few arms, the
//! law is compared with enumeration and quadrature; with many arms, with draws of the twin. In
//! every round, the policy may only draw what the bounds of the twin allow.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, Gamma};
use tiltyard_bandit::params::{Context, ParamError};
use tiltyard_bandit::policy::dts::{Options, Ties};
use tiltyard_bandit::policy::registry::{self, BuildError};
use tiltyard_bandit::policy::{Additive, Dts, Policy};
use tiltyard_bandit::{Arm, Stream, Ticket};

use crate::chi_square;
use crate::twins::{
    Counts, DELIVERIES, Delivery, Game, KINDS, Twin, beat, best_pairs, indices, indices_of, matrix, play,
    wait_for,
};

/// D-TS with O(K^2) Beta variables per round.
#[derive(Debug, Clone)]
struct SlowDts {
    alpha: f64,
    plus: bool,
    counts: Counts,
}

impl SlowDts {
    fn new(n_arms: usize, plus: bool) -> Self {
        Self { alpha: 0.51, plus, counts: Counts::new(n_arms) }
    }

    fn upper(&self, i: usize, j: usize) -> f64 {
        let n = self.counts.n(i, j) as f64;
        if i == j {
            0.5
        } else if n > 0.0 {
            self.counts.wins[i][j] as f64 / n + (self.alpha * (self.counts.t.max(2) as f64).ln() / n).sqrt()
        } else {
            f64::INFINITY
        }
    }

    fn lower(&self, i: usize, j: usize) -> f64 {
        1.0 - self.upper(j, i)
    }

    /// The candidates C.
    fn candidates(&self) -> Vec<usize> {
        let may_beat = |i: usize| self.counts.arms().filter(|&j| j != i && self.upper(i, j) >= 0.5).count();
        let most = self.counts.arms().map(may_beat).max().expect("there are arms");
        self.counts.arms().filter(|&i| may_beat(i) == most).collect()
    }

    /// The arms that the first arm may meet.
    fn allowed(&self, first: usize) -> Vec<usize> {
        self.counts.arms().filter(|&i| self.lower(i, first) <= 0.5).collect()
    }

    /// The first arm, given the first sample.
    fn first<R: Rng>(&self, theta: &[Vec<f64>], rng: &mut R) -> usize {
        let score = |i: usize| self.counts.arms().filter(|&j| j != i && theta[i][j] > 0.5).count() as f64;
        let candidates = self.candidates();
        let highest = candidates.iter().map(|&i| score(i)).fold(0.0, f64::max);
        let mut tied: Vec<usize> = candidates.into_iter().filter(|&i| score(i) >= highest).collect();
        if self.plus && tied.len() > 1 {
            let best = self.counts.arms().map(score).fold(0.0, f64::max);
            let cost = |i: usize| -> f64 {
                let others = self.counts.arms().filter(|&j| j != i);
                others.map(|j| (2.0 * best - score(i) - score(j)) / kl(theta[i][j])).sum()
            };
            let least = tied.iter().map(|&i| cost(i)).fold(f64::INFINITY, f64::min);
            tied.retain(|&i| cost(i) <= least);
        }
        tied[rng.random_range(0..tied.len())]
    }

    /// Draws the next pair by drawing every Beta variable.
    fn decide<R: Rng>(&self, rng: &mut R) -> (usize, usize) {
        let n_arms = self.counts.wins.len();
        let mut theta = vec![vec![0.5; n_arms]; n_arms];
        for (i, j) in (0..n_arms).flat_map(|i| (0..i).map(move |j| (i, j))) {
            theta[i][j] = beta(self.counts.wins[i][j], self.counts.wins[j][i], rng);
            theta[j][i] = 1.0 - theta[i][j];
        }
        let first = self.first(&theta, rng);
        let (mut second, mut highest) = (first, 0.5);
        for i in self.allowed(first).into_iter().filter(|&i| i != first) {
            let drawn = beta(self.counts.wins[i][first], self.counts.wins[first][i], rng);
            if drawn > highest {
                (second, highest) = (i, drawn);
            }
        }
        (first, second)
    }

    /// The probability of each first arm under D-TS, over all possible results of the pairs.
    fn firsts(&self) -> Vec<f64> {
        let n_arms = self.counts.wins.len();
        let pairs: Vec<(usize, usize)> = (0..n_arms).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        let candidates = self.candidates();
        let mut p = vec![0.0; n_arms];
        for fall in 0..1u32 << pairs.len() {
            let (mut chance, mut score) = (1.0, vec![0; n_arms]);
            for (place, &(i, j)) in pairs.iter().enumerate() {
                let i_wins = fall >> place & 1 == 1;
                let above = above_half(self.counts.wins[i][j], self.counts.wins[j][i]);
                chance *= if i_wins { above } else { 1.0 - above };
                score[if i_wins { i } else { j }] += 1;
            }
            let highest = candidates.iter().map(|&i| score[i]).max().expect("never empty");
            let tied: Vec<usize> = candidates.iter().copied().filter(|&i| score[i] == highest).collect();
            for &i in &tied {
                p[i] += chance / tied.len() as f64;
            }
        }
        p
    }

    /// The probability of each opponent of a first arm: the integral above 1/2 of its density times
    /// the distribution functions of the others.
    fn seconds(&self, first: usize) -> Vec<f64> {
        const STEPS: usize = 4000;
        let others: Vec<usize> = self.allowed(first).into_iter().filter(|&i| i != first).collect();
        let masses: Vec<Vec<f64>> = others
            .iter()
            .map(|&i| {
                let (w, l) = (self.counts.wins[i][first] as f64, self.counts.wins[first][i] as f64);
                let ln_density = |x: f64| w * x.ln() + l * (1.0 - x).ln();
                let mode = ((w + 1e-9) / (w + l + 2e-9)).clamp(1e-9, 1.0 - 1e-9);
                let x = |step: usize| (step as f64 + 0.5) / STEPS as f64;
                let mass = (0..STEPS).map(|step| (ln_density(x(step)) - ln_density(mode)).exp());
                let mass: Vec<f64> = mass.collect();
                let total: f64 = mass.iter().sum();
                mass.into_iter().map(|mass| mass / total).collect()
            })
            .collect();
        let mut below: Vec<f64> = masses.iter().map(|mass| mass[..STEPS / 2].iter().sum()).collect();
        let nobody: f64 = others
            .iter()
            .map(|&i| 1.0 - above_half(self.counts.wins[i][first], self.counts.wins[first][i]))
            .product();
        let mut won = vec![0.0; others.len()];
        for step in STEPS / 2..STEPS {
            for k in 0..others.len() {
                let rest = (0..others.len()).filter(|&m| m != k);
                // Up to the middle of the step.
                let product: f64 = rest.map(|m| below[m] + 0.5 * masses[m][step]).product();
                won[k] += masses[k][step] * product;
            }
            for (below, mass) in below.iter_mut().zip(&masses) {
                *below += mass[step];
            }
        }
        let total: f64 = won.iter().sum();
        let mut p = vec![0.0; self.counts.wins.len()];
        p[first] = nobody;
        for (&i, won) in others.iter().zip(won) {
            p[i] = (1.0 - nobody) * won / total;
        }
        p
    }
}

impl Twin for SlowDts {
    fn issue(&mut self, ticket: &Ticket) {
        self.counts.issue(ticket);
    }

    fn update(&mut self, ticket: &Ticket, left_won: bool) {
        self.counts.update(ticket, left_won);
    }

    fn void(&mut self, ticket: &Ticket) {
        self.counts.void(ticket);
    }
}

/// Pr[Bin(n + 1, 1/2) <= w]. The last term is a product of ratios, halved on the way so that it
/// stays within range. The other terms follow from it, down to the first. Sums of logarithms would
/// be off by 1e-10 after 1e4 duels.
pub(crate) fn above_half(wins: u64, losses: u64) -> f64 {
    if wins > losses {
        // The last term could underflow.
        return 1.0 - above_half(losses, wins);
    }
    let n = wins + losses + 1;
    let (mut term, mut halvings) = (1.0, n);
    for k in 1..=wins {
        term *= (n - k + 1) as f64 / k as f64;
        while term > 1.0 && halvings > 0 {
            term /= 2.0;
            halvings -= 1;
        }
    }
    for _ in 0..halvings {
        term /= 2.0;
    }
    let mut sum = 0.0;
    for k in (0..=wins).rev() {
        sum += term;
        term *= k as f64 / (n - k + 1) as f64;
    }
    sum
}

/// Beta(wins + 1, losses + 1), from two Gamma variables.
fn beta<R: Rng>(wins: u64, losses: u64, rng: &mut R) -> f64 {
    let gamma = |n: u64| Gamma::new(n as f64 + 1.0, 1.0).expect("a positive shape");
    let (x, y) = (gamma(wins).sample(rng), gamma(losses).sample(rng));
    x / (x + y)
}

fn kl(p: f64) -> f64 {
    p * (2.0 * p).ln() + (1.0 - p) * (2.0 * (1.0 - p)).ln()
}

fn dts(n_arms: usize, plus: bool) -> Dts {
    let ties = if plus { Ties::LeastRegret } else { Ties::Random };
    Dts::with(n_arms, Options { ties, ..Options::default() }).expect("legal options")
}

/// The policy and its twin with these wins, in this round.
fn planted(wins: &[Vec<u64>], round: u64, plus: bool) -> (Dts, SlowDts) {
    let (mut fast, mut slow) = (dts(wins.len(), plus), SlowDts::new(wins.len(), plus));
    for (i, row) in wins.iter().enumerate() {
        for (j, &n) in row.iter().enumerate() {
            beat(&mut fast, i, j, n);
        }
    }
    wait_for(&mut fast, round);
    (slow.counts.wins, slow.counts.t) = (wins.to_vec(), round);
    (fast, slow)
}

/// The policy and its twin after some rounds of play.
fn played(n_arms: usize, kind: usize, rounds: u64, plus: bool, stream: Stream) -> (Dts, SlowDts) {
    let mut rng = stream.rng();
    let game = Game { p: matrix(n_arms, kind, &mut rng), delivery: Delivery::Prompt, rounds };
    let (mut fast, mut slow) = (dts(n_arms, plus), SlowDts::new(n_arms, plus));
    play(&mut fast, &mut slow, &game, &mut rng, |_, _, _| {});
    (fast, slow)
}

/// D-TS with few arms, compared with its exact law: in fresh, planted and played states, with ties,
/// zeros and ones.
#[test]
fn stat_pairs_have_the_law_of_the_specification() {
    let mut states: Vec<(String, Dts, SlowDts)> = Vec::new();
    for (name, round, wins) in [
        ("fresh", 1, vec![vec![0; 3]; 3]),
        ("one duel", 2, vec![vec![0, 1, 0], vec![0; 3], vec![0; 3]]),
        ("some", 9, vec![vec![0, 3, 1, 4], vec![2, 0, 2, 0], vec![1, 1, 0, 3], vec![0, 2, 6, 0]]),
        // One arm is beaten in two ways: by a certificate and by belief.
        ("beaten", 30, vec![vec![0, 20, 11], vec![0, 0, 10], vec![9, 10, 0]]),
        ("a cycle", 50, vec![vec![0, 30, 2], vec![3, 0, 30], vec![25, 9, 0]]),
    ] {
        let (fast, slow) = planted(&wins, round, false);
        states.push((name.to_owned(), fast, slow));
    }
    for kind in 0..5 {
        for (n_arms, rounds) in [(3, 60), (4, 200), (5, 120)] {
            let stream = Stream::new(5).index(kind as u64).index(rounds);
            let (fast, slow) = played(n_arms, kind, rounds, false, stream);
            states.push((format!("{n_arms} arms, kind {kind}"), fast, slow));
        }
    }
    for (what, fast, slow) in states {
        let n_arms = slow.counts.arms().len();
        assert_eq!(indices_of(&fast.candidates()), slow.candidates(), "{what}");
        let firsts = slow.firsts();
        let law: Vec<Vec<f64>> = slow
            .counts
            .arms()
            .map(|first| slow.seconds(first).into_iter().map(|p| firsts[first] * p).collect())
            .collect();
        // If one pair is almost certain, there is nothing to test.
        if law.iter().flatten().any(|&p| p > 0.9995) {
            continue;
        }
        let mut rng = Stream::new(6).label(&what).rng();
        let draws = (0..20_000).map(|_| fast.propose(&mut rng));
        chi_square::check(&what, n_arms, |left, right| law[left][right], draws);
    }
}

/// Checks that two lists of counts, from the same number of draws, come from one law. Cells with
/// fewer than ten draws in both lists together are pooled. The threshold is the one of
/// `chi_square::check`.
fn same_law(what: &str, a: &[u32], b: &[u32]) {
    let (mut chi, mut cells, mut rest) = (0.0, 0.0f64, (0, 0));
    let mut add = |a: u32, b: u32| {
        let (a, b) = (f64::from(a), f64::from(b));
        chi += (a - b) * (a - b) / (a + b);
        cells += 1.0;
    };
    for (&a, &b) in a.iter().zip(b) {
        if a + b >= 10 {
            add(a, b);
        } else {
            rest = (rest.0 + a, rest.1 + b);
        }
    }
    if rest.0 + rest.1 >= 5 {
        add(rest.0, rest.1);
    }
    let df = (cells - 1.0).max(1.0);
    let width = 2.0 / (9.0 * df);
    let threshold = df * (1.0 - width + 4.0 * width.sqrt()).powi(3);
    assert!(chi < threshold, "{what}: chi-square {chi} exceeds {threshold} at {df} degrees of freedom");
}

/// Both forms compared with draws of the twin, where the law cannot be enumerated: with ties broken
/// by regret, and with more arms.
#[test]
fn stat_pairs_are_drawn_as_the_twin_draws_them() {
    for plus in [false, true] {
        for (n_arms, rounds, n_draws) in [(3, 30, 6000), (4, 80, 6000), (6, 150, 6000), (20, 2500, 2500)] {
            for kind in [0, 2, 4] {
                let stream = Stream::new(7).index(n_arms as u64).index(kind as u64);
                let (fast, slow) = played(n_arms, kind, rounds, plus, stream);
                let (mut rng, mut other) = (stream.label("fast").rng(), stream.label("slow").rng());
                let mut counts = [vec![0; n_arms * n_arms], vec![0; n_arms * n_arms]];
                for _ in 0..n_draws {
                    let ticket = fast.propose(&mut rng);
                    counts[0][ticket.left.index() * n_arms + ticket.right.index()] += 1;
                    let (left, right) = slow.decide(&mut other);
                    counts[1][left * n_arms + right] += 1;
                }
                same_law(&format!("{n_arms} arms, kind {kind}, plus {plus}"), &counts[0], &counts[1]);
            }
        }
    }
}

/// Plays the policy and its twin side by side. The first arm is always one of C, and the bounds
/// allow the opponent.
fn compare(n_arms: usize, plus: bool, kind: usize, rounds: u64, delivery: Delivery) {
    let what = format!("{n_arms} arms, matrix {kind}, {delivery:?}");
    let mut rng = Stream::new(8).label(&what).rng();
    let game = Game { p: matrix(n_arms, kind, &mut rng), delivery, rounds };
    let (mut fast, mut slow) = (dts(n_arms, plus), SlowDts::new(n_arms, plus));
    play(&mut fast, &mut slow, &game, &mut rng, |fast, slow, ticket| {
        let (left, right) = indices(ticket);
        let candidates = slow.candidates();
        assert!(candidates.contains(&left), "{what}: {ticket:?}, its left arm is not one of {candidates:?}");
        assert!(slow.lower(right, left) <= 0.5, "{what}: {right} is known to beat {left}");
        if ticket.round.is_multiple_of(64) {
            assert_eq!(indices_of(&fast.candidates()), candidates, "{what}");
        }
    });
    assert_eq!(fast.sums(), slow.counts.sums(), "{what}");
}

#[test]
fn law_what_may_be_drawn_is_what_the_bounds_allow() {
    for kind in KINDS {
        for (n_arms, rounds) in [(1, 50), (2, 2000), (3, 2000), (5, 2000), (12, 1500)] {
            for delivery in DELIVERIES {
                compare(n_arms, kind % 2 == 0, kind, rounds, delivery);
            }
        }
    }
    compare(40, false, 0, 20_000, Delivery::Prompt);
    compare(40, true, 2, 1000, Delivery::Late);
    compare(3, false, 0, 20_000, Delivery::Late);
}

/// Two arms; 0 has beaten 1 once: F(1, 0) = 3/4. u_10 = sqrt(0.51 ln 2) = 0.5946, so C = {0, 1}.
///
/// 0 is first with probability 3/4, and the draw of 1 then exceeds 1/2 with probability 1/4. 1 is
/// first with probability 1/4, and the draw of 0 then exceeds 1/2 with probability 3/4.
#[test]
fn trace_two_arms() {
    let (policy, _) = planted(&[vec![0, 1], vec![0, 0]], 1, false);
    assert_eq!(indices_of(&policy.candidates()), [0, 1]);
    let law = [[9.0 / 16.0, 3.0 / 16.0], [3.0 / 16.0, 1.0 / 16.0]];
    let mut rng = Stream::new(1).rng();
    let draws = (0..20_000).map(|_| policy.propose(&mut rng));
    chi_square::check("two arms", 2, |left, right| law[left][right], draws);
}

/// Three arms, nothing known. Three fair coins have eight results. In six of them, one arm beats
/// both others; the other two are cycles, where all arms tie. So each arm is first with probability
/// 1/3. Two uniform variables are both below 1/2 with probability 1/4; then the arm meets itself.
/// Otherwise, it meets each of the others with probability 3/8. In a cycle, all regrets are equal,
/// so `dts+` does the same.
#[test]
fn trace_first_round() {
    for plus in [false, true] {
        let policy = dts(3, plus);
        let mut rng = Stream::new(2).rng();
        let draws = (0..20_000).map(|_| policy.propose(&mut rng));
        let law = |left, right| if left == right { 1.0 / 12.0 } else { 1.0 / 8.0 };
        chi_square::check("three arms", 3, law, draws);
    }
}

/// Four arms, and nearly everything is certain: 0 beats 2 and 3; 1 beats 0 and 2; 2 beats 3; 3
/// beats 1. The scores are 2, 2, 1, 1, so 0 and 1 tie. The regret of a pair is 2 * 2 minus both
/// scores: 0 for (0, 1), and 1 for 0 or 1 with 2 or 3.
///
/// 0 has beaten 2 and 3 in 200 of 200 duels: its cost is near 2 / kl(0.995, 1/2) = 3.1. 1 has 200
/// of 300 against 2 and 100 of 300 against 3: its cost is near 2 / kl(2/3, 1/2) = 35. So `dts+`
/// plays 0, and `dts` plays 0 or 1. The only arm that looks better than the first arm (1 against 0,
/// and 3 against 1) is known to beat it and is left out, so the first arm meets itself.
#[test]
fn trace_ties_by_regret() {
    let wins = [vec![0, 0, 200, 200], vec![200, 0, 200, 100], vec![0, 100, 0, 200], vec![0, 200, 0, 0]];
    for plus in [false, true] {
        let (policy, _) = planted(&wins, 10, plus);
        assert_eq!(indices_of(&policy.candidates()), [0, 1]);
        let mut rng = Stream::new(3).rng();
        let mut counts = [0u32; 2];
        for _ in 0..2000 {
            let ticket = policy.propose(&mut rng);
            assert!(ticket.is_self_duel(), "{ticket:?}");
            counts[ticket.left.index()] += 1;
        }
        // Expected: 1000 each, with a standard error of 22.
        assert!(
            if plus { counts == [2000, 0] } else { counts[0].abs_diff(1000) < 110 },
            "{plus}: {counts:?}"
        );
    }
}

/// Regression: the row of the first arm instead of its column, so that it meets the arm that it
/// beats most often. 0 won 20 : 0 against 1 and 11 : 9 against 2.
#[test]
fn stat_the_opponent_is_the_one_that_beats_the_first_arm() {
    let (policy, _) = planted(&[vec![0, 20, 11], vec![0, 0, 10], vec![9, 10, 0]], 2, false);
    let mut rng = Stream::new(4).rng();
    let tickets: Vec<Ticket> = (0..2000).map(|_| policy.propose(&mut rng)).collect();
    let against_zero = |right: usize| {
        tickets.iter().filter(|ticket| (ticket.left.index(), ticket.right.index()) == (0, right)).count()
    };
    assert_eq!(against_zero(1), 0);
    assert!(against_zero(2) > 300 && against_zero(0) > 300);
}

/// Regression: a policy that never lets the first arm meet itself, so that it never plays (best,
/// best).
#[test]
fn stat_it_ends_on_the_best_pair() {
    for plus in [false, true] {
        let mut policy = dts(5, plus);
        let self_duels = best_pairs(&mut policy);
        assert!(self_duels > 9_900, "{self_duels}");
        assert_eq!(policy.recommend(), Arm::new(0));
    }
}

/// Without any outcomes, decisions continue to cover all pairs, and no pair comes more than twice
/// as often as it should.
#[test]
fn law_duels_in_flight_are_not_repeated() {
    let mut policy = dts(6, false);
    let mut rng = Stream::new(1).rng();
    let mut shown = [0u32; 36];
    for _ in 0..3600 {
        let ticket = policy.decide(&mut rng);
        shown[ticket.left.index() * 6 + ticket.right.index()] += 1;
    }
    // Each ordered pair of different arms has probability (1 - 2^-5) / 30: 116 of 3600.
    for (place, &count) in shown.iter().enumerate() {
        assert!(place % 7 == 0 || (60..=230).contains(&count), "{shown:?}");
    }
}

/// Merged counts give the same candidates and the same next pairs as counting one by one. The last
/// bits of a probability decide only once in 1e12 tosses.
#[test]
fn law_merged_counts_decide_alike() {
    for plus in [false, true] {
        let (ordered, _) = played(5, 0, 300, plus, Stream::new(9));
        let mut merged = dts(5, plus);
        merged.add(&ordered.sums());
        wait_for(&mut merged, 301);
        assert_eq!(merged.candidates(), ordered.candidates());
        let (mut a, mut b) = (Stream::new(1).rng(), Stream::new(1).rng());
        for _ in 0..500 {
            assert_eq!(merged.propose(&mut a), ordered.propose(&mut b));
        }
    }
}

/// More arms than a table of pairs can hold are refused. So is an alpha for which nothing is
/// proved.
#[test]
fn trace_refusals() {
    for name in ["dts", "dts+", "rcs"] {
        let build = |spec: &str, n_arms| {
            let context = Context { n_arms, horizon: None };
            registry::build(&spec.parse().expect("a specification"), context, &mut Stream::new(1).rng()).err()
        };
        let refused = build(name, 5000);
        assert!(
            matches!(refused, Some(BuildError::Param(ParamError::TooManyArms { n_arms: 5000, .. }))),
            "{name}: {refused:?}"
        );
        let refused = build(&format!("{name}:alpha=1/2"), 3);
        assert!(
            matches!(refused, Some(BuildError::Param(ParamError::OutOfRange { key: "alpha", .. }))),
            "{name}: {refused:?}"
        );
    }
}
