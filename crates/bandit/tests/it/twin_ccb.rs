//! CCB written a second time, from the specification alone. The twin computes
//! every bound of every pair and all three steps at every outcome, and the whole law of the next
//! pair. The crate's policy must propose a pair that this law allows, and state its probability.

use std::collections::BTreeSet;

use rand::RngExt;
use tiltyard_bandit::params::{Context, ParamError};
use tiltyard_bandit::policy::registry::{self, BuildError};
use tiltyard_bandit::policy::{Additive, Ccb, Policy};
use tiltyard_bandit::{Arm, Outcome, Stream, Ticket};

use crate::chi_square;
use crate::support::assert_close;
use crate::twins::{
    Counts, DELIVERIES, Delivery, Game, KINDS, Twin, assert_stated, beat, drawn_by, indices, indices_of,
    matrix, play, ticket,
};

/// CCB in O(K^2) per round.
#[derive(Debug, Clone)]
struct SlowCcb {
    alpha: f64,
    seed: u64,
    n_drawn: u64,
    counts: Counts,
    likely_winners: BTreeSet<usize>,
    likely_conquerors: Vec<BTreeSet<usize>>,
    losses: usize,
}

impl SlowCcb {
    fn new(n_arms: usize, alpha: f64, seed: u64) -> Self {
        let mut slow = Self {
            alpha,
            seed,
            n_drawn: 0,
            counts: Counts::new(n_arms),
            likely_winners: BTreeSet::new(),
            likely_conquerors: Vec::new(),
            losses: 0,
        };
        slow.reset();
        slow
    }

    fn arms(&self) -> std::ops::Range<usize> {
        self.counts.arms()
    }

    fn reset(&mut self) {
        self.likely_winners = self.arms().collect();
        self.likely_conquerors = vec![BTreeSet::new(); self.counts.wins.len()];
        self.losses = self.counts.wins.len();
    }

    /// Mean and width of i against j. The width also counts `waiting` duels whose outcome has not
    /// arrived.
    fn mean_and_width(&self, i: usize, j: usize, waiting: u64) -> (f64, f64) {
        let n = self.counts.n(i, j);
        if n + waiting == 0 {
            return (0.0, f64::INFINITY);
        }
        let mean = if n == 0 { 1.0 } else { self.counts.wins[i][j] as f64 / n as f64 };
        (mean, (self.alpha * (self.counts.t.max(2) as f64).ln() / (n + waiting) as f64).sqrt())
    }

    fn upper(&self, i: usize, j: usize) -> f64 {
        let (mean, width) = self.mean_and_width(i, j, 0);
        if i == j { 0.5 } else { mean + width }
    }

    fn lower(&self, i: usize, j: usize) -> f64 {
        let (mean, width) = self.mean_and_width(i, j, 0);
        if i == j { 0.5 } else { mean - width }
    }

    fn upper_score(&self, i: usize) -> usize {
        self.arms().filter(|&k| k != i && self.upper(i, k) >= 0.5).count()
    }

    fn lower_score(&self, i: usize) -> usize {
        self.arms().filter(|&k| k != i && self.lower(i, k) > 0.5).count()
    }

    fn candidates(&self) -> Vec<usize> {
        let highest = self.arms().map(|i| self.upper_score(i)).max().expect("an arm");
        self.arms().filter(|&i| self.upper_score(i) == highest).collect()
    }

    /// The three steps after an outcome.
    fn revise(&mut self) {
        let disproved =
            self.arms().any(|i| self.likely_conquerors[i].iter().any(|&j| self.lower(i, j) > 0.5));
        if disproved {
            self.reset();
        }
        let most = self.arms().map(|k| self.lower_score(k)).max().expect("an arm");
        for i in self.likely_winners.clone() {
            if self.upper_score(i) < most {
                self.likely_winners.remove(&i);
                if self.likely_conquerors[i].len() != self.losses + 1 {
                    self.likely_conquerors[i] = self.arms().filter(|&k| self.upper(i, k) < 0.5).collect();
                }
            }
        }
        if self.likely_winners.is_empty() {
            self.reset();
        }
        for i in self.candidates() {
            if self.upper_score(i) != self.lower_score(i) {
                continue;
            }
            self.likely_winners.insert(i);
            self.likely_conquerors[i].clear();
            self.losses = self.counts.wins.len() - 1 - self.upper_score(i);
            for j in self.arms().filter(|&j| j != i) {
                let size = self.likely_conquerors[j].len();
                if size < self.losses + 1 {
                    self.likely_conquerors[j].clear();
                } else if size > self.losses + 1 {
                    self.cut(j);
                }
            }
        }
    }

    /// Cuts a set to a random subset, by sampling in the order of indices. The stream is the one
    /// that the policy's page names.
    fn cut(&mut self, j: usize) {
        let mut rng = Stream::new(self.seed).label("ccb").index(self.n_drawn).rng();
        self.n_drawn += 1;
        let members: Vec<usize> = self.likely_conquerors[j].iter().copied().collect();
        let mut needed = self.losses + 1;
        for (i, member) in members.iter().enumerate() {
            if rng.random_range(0..members.len() - i) < needed {
                needed -= 1;
            } else {
                self.likely_conquerors[j].remove(member);
            }
        }
    }

    fn open_pairs(&self) -> Vec<(usize, usize)> {
        let is_open = |&(c, d): &(usize, usize)| self.lower(c, d) <= 0.5 && self.upper(c, d) >= 0.5;
        let pairs = self.arms().flat_map(|c| self.likely_conquerors[c].iter().map(move |&d| (c, d)));
        pairs.filter(is_open).collect()
    }

    fn champion(&self, c: usize) -> f64 {
        let candidates = self.candidates();
        let likely: Vec<usize> =
            candidates.iter().copied().filter(|i| self.likely_winners.contains(i)).collect();
        let uniform = |set: &[usize]| if set.contains(&c) { 1.0 / set.len() as f64 } else { 0.0 };
        if likely.is_empty() {
            uniform(&candidates)
        } else {
            2.0 / 3.0 * uniform(&likely) + 1.0 / 3.0 * uniform(&candidates)
        }
    }

    /// The probability that d is the opponent of c among these arms, or `None` if no arm is
    /// allowed.
    fn strongest(&self, c: usize, d: usize, among: &[usize]) -> Option<f64> {
        let allowed: Vec<usize> = among.iter().copied().filter(|&j| self.lower(j, c) <= 0.5).collect();
        let bound = |j: usize| {
            let (mean, width) = self.mean_and_width(j, c, self.counts.in_flight[j][c]);
            if j == c { 0.5 } else { mean + width }
        };
        let highest = allowed.iter().map(|&j| bound(j)).reduce(f64::max)?;
        let mut tied: Vec<usize> = allowed.into_iter().filter(|&j| bound(j) >= highest).collect();
        if tied.len() > 1 {
            tied.retain(|&j| j != c);
        }
        Some(if tied.contains(&d) { 1.0 / tied.len() as f64 } else { 0.0 })
    }

    fn probability(&self, c: usize, d: usize) -> f64 {
        let all: Vec<usize> = self.arms().collect();
        let likely: Vec<usize> = self.likely_conquerors[c].iter().copied().collect();
        let of_all = self.strongest(c, d, &all).expect("c itself is allowed");
        let of_likely = self.strongest(c, d, &likely).unwrap_or(of_all);
        let chosen = self.champion(c) * (0.5 * of_all + 0.5 * of_likely);
        let open = self.open_pairs();
        if open.is_empty() {
            return chosen;
        }
        let explored = if open.contains(&(c, d)) { 1.0 / open.len() as f64 } else { 0.0 };
        0.25 * explored + 0.75 * chosen
    }
}

impl Twin for SlowCcb {
    fn issue(&mut self, ticket: &Ticket) {
        self.counts.issue(ticket);
    }

    fn update(&mut self, ticket: &Ticket, left_won: bool) {
        self.counts.update(ticket, left_won);
        self.revise();
    }

    fn void(&mut self, ticket: &Ticket) {
        self.counts.void(ticket);
    }
}

fn ccb(n_arms: usize, seed: u64) -> Ccb {
    Ccb::with(n_arms, 0.51, seed).expect("few arms")
}

#[track_caller]
fn check_sets(fast: &Ccb, slow: &SlowCcb, what: &str) {
    assert_eq!(indices_of(&fast.candidates()), slow.candidates(), "C: {what}");
    assert!(slow.likely_winners.iter().copied().eq(indices_of(&fast.likely_winners())), "B: {what}");
    assert_eq!(fast.likely_losses(), slow.losses, "L: {what}");
    for i in slow.arms() {
        let conquerors = indices_of(&fast.likely_conquerors(Arm::new(i)));
        assert!(slow.likely_conquerors[i].iter().copied().eq(conquerors), "B^{i}: {what}");
    }
}

/// The situations that a comparison met, to show that it covers all branches.
#[derive(Debug, Default)]
struct Met {
    open: usize,
    narrow: usize,
    cut: u64,
}

/// Plays the policy and its twin side by side.
fn compare(n_arms: usize, kind: usize, rounds: u64, delivery: Delivery, seed: u64) -> Met {
    let what = format!("{n_arms} arms, matrix {kind}, {delivery:?}, seed {seed}");
    let mut rng = Stream::new(seed).label(&what).rng();
    let game = Game { p: matrix(n_arms, kind, &mut rng), delivery, rounds };
    let (mut fast, mut slow) = (ccb(n_arms, seed), SlowCcb::new(n_arms, 0.51, seed));
    let mut met = Met::default();
    play(&mut fast, &mut slow, &game, &mut rng, |fast, slow, ticket| {
        let (left, right) = indices(ticket);
        // The law of the twin needs O(K^2) numbers, each with a square root.
        if n_arms <= 9 || ticket.round.is_multiple_of(8) {
            assert_stated(ticket, slow.probability(left, right), &what);
            met.open += usize::from(!slow.open_pairs().is_empty());
        }
        if ticket.round.is_multiple_of(16) {
            check_sets(fast, slow, &format!("{what}, round {}", ticket.round));
            met.narrow += usize::from(slow.losses < n_arms);
        }
    });
    check_sets(&fast, &slow, &what);
    met.cut = slow.n_drawn;
    met
}

#[test]
fn law_the_fast_and_the_slow_agree_on_many_matrices() {
    let (mut seed, mut all) = (0, Met::default());
    for n_arms in [1, 2, 3, 5, 9, 17] {
        for kind in KINDS {
            for delivery in DELIVERIES {
                seed += 1;
                let met = compare(n_arms, kind, if n_arms > 9 { 400 } else { 600 }, delivery, seed);
                all.open += met.open;
                all.narrow += met.narrow;
                all.cut += met.cut;
            }
        }
    }
    // Each branch was taken.
    assert!(all.open > 500 && all.narrow > 500 && all.cut > 0, "{all:?}");
}

#[test]
fn law_the_fast_and_the_slow_agree_for_long() {
    compare(40, 5, 1500, Delivery::Prompt, 1);
    for kind in 0..6 {
        compare(6, kind, 12_000, Delivery::Prompt, 2);
        compare(6, kind, 6000, Delivery::Late, 3);
    }
}

/// From many states, pairs are drawn by the law of the slow twin.
#[test]
fn stat_pairs_are_drawn_by_the_law() {
    let n_arms = 5;
    let mut n_tested = 0;
    for state in 0..24u64 {
        let mut rng = Stream::new(17).index(state).rng();
        let p = matrix(n_arms, usize::try_from(state).expect("small") % 6, &mut rng);
        let game = Game { p, delivery: Delivery::Prompt, rounds: 23 * state };
        let (mut fast, mut slow) = (ccb(n_arms, state), SlowCcb::new(n_arms, 0.51, state));
        play(&mut fast, &mut slow, &game, &mut rng, |_, _, _| {});
        let law = |i, j| slow.probability(i, j);
        n_tested += usize::from(drawn_by(&format!("state {state}"), &fast, 3000, law));
    }
    assert!(n_tested > 10, "only {n_tested} of the states leave anything to chance");
}

fn conquerors(policy: &Ccb, arm: usize) -> Vec<usize> {
    indices_of(&policy.likely_conquerors(Arm::new(arm)))
}

/// Three arms, alpha = 0.51. In rounds 1 and 2 (ln 2 = 0.6931) two wins are a certificate: 2^2 /
/// (4 * 0.51 * 2) = 0.9804.
///
/// - 0 beats 1: Ucop = (2, 1, 2), Lcop = (1, 0, 0), C = {0, 2}, and no arm is dropped. Regression:
///   B^1 stays empty, because only the set of a dropped arm is filled.
/// - 0 beats 2: Ucop = (2, 1, 1), Lcop = (2, 0, 0). 1 and 2 are dropped, and B^1 = B^2 = {0}. The
///   score of 0 is certain: B = {0} and L = 0. B^1 and B^2 have L + 1 arms and stay. The pair
///   (0, 0) is certain, because U_10 = sqrt(0.51 * 0.6931 / 2) = 0.42.
///
/// In round 3, ln 3 = 1.0986 ends both certificates. C = {0, 1, 2}. B and C have 0 in common, so
/// the champion is 0 with probability 2/3 + 1/9, and 1 or 2 with 1/9 each. The open pairs are
/// (1, 0) and (2, 0).
///
/// - (0, 1) and (0, 2) tie at U = 0.529 > 1/2: 3/4 * 7/9 * 1/2 = 7/24 each.
/// - (1, 0) has 1/4 * 1/2 as an open pair. As the champion, 1 meets 0 in the half where only B^1
///   counts: 3/4 * 1/9 * 1/2 = 1/24. Together, this is 1/6.
/// - (1, 2): in the other half, 2 has U = infinity, 1/24.
/// - The pairs of champion 2 have the same probabilities.
///
/// Then 1 beats 0 seven times. After the sixth win, 4^2 / (2.04 * 8) = 0.98 < ln 3. After the
/// seventh, 5^2 / (2.04 * 9) = 1.36 > ln 3: 0 in B^1 is disproved, and everything is reset. Ucop =
/// (1, 2, 2) and Lcop = (0, 1, 0) drop no arm.
#[test]
fn trace_three_arms() {
    let mut policy = ccb(3, 1);
    beat(&mut policy, 0, 1, 2);
    assert_eq!(
        (indices_of(&policy.candidates()), indices_of(&policy.likely_winners())),
        (vec![0, 2], vec![0, 1, 2])
    );
    assert_eq!((conquerors(&policy, 1), policy.likely_losses()), (vec![], 3));
    beat(&mut policy, 0, 2, 2);
    assert_eq!((indices_of(&policy.candidates()), indices_of(&policy.likely_winners())), (vec![0], vec![0]));
    assert_eq!(
        (conquerors(&policy, 0), conquerors(&policy, 1), conquerors(&policy, 2)),
        (vec![], vec![0], vec![0])
    );
    assert_eq!(policy.likely_losses(), 0);
    let mut rng = Stream::new(1).rng();
    let sure = policy.propose(&mut rng);
    assert_eq!((sure.left.index(), sure.right.index(), sure.propensity()), (0, 0, Some(1.0)));

    policy.issue(&ticket(0, 0));
    policy.issue(&ticket(0, 0));
    assert_eq!(indices_of(&policy.candidates()), [0, 1, 2]);
    let law = |i: usize, j: usize| match (i, j) {
        (0, 0) | (1, 1) | (2, 2) => 0.0,
        (0, _) => 7.0 / 24.0,
        (_, 0) => 1.0 / 6.0,
        _ => 1.0 / 24.0,
    };
    chi_square::check("round 3", 3, law, (0..4000).map(|_| policy.propose(&mut rng)));

    beat(&mut policy, 1, 0, 6);
    assert_eq!(conquerors(&policy, 1), [0]);
    beat(&mut policy, 1, 0, 1);
    assert_eq!(indices_of(&policy.likely_winners()), [0, 1, 2]);
    assert!((0..3).all(|arm| conquerors(&policy, arm).is_empty()) && policy.likely_losses() == 3);
}

/// Regression: a generator that is seeded anew at each call always gives the same subsets.
///
/// Of six arms, the lower index wins. Arms 1 to 5 meet first. Once 1 has beaten four arms, every
/// arm with a second loss is dropped, so B^3 = B^4 = B^5 = {1, 2}. Then 0 beats all: its score is
/// certain, L = 0, and each of these sets is cut to one arm.
#[test]
fn stat_subsets_are_uniform_and_independent() {
    let mut counts = [0i32; 4];
    for seed in 0..2000 {
        let mut policy = ccb(6, seed);
        for winner in 1..6 {
            for loser in winner + 1..6 {
                beat(&mut policy, winner, loser, 3);
            }
        }
        assert_eq!((conquerors(&policy, 4), conquerors(&policy, 5)), (vec![1, 2], vec![1, 2]));
        for loser in 1..6 {
            beat(&mut policy, 0, loser, 3);
        }
        assert_eq!((indices_of(&policy.likely_winners()), policy.likely_losses()), (vec![0], 0));
        let (four, five) = (conquerors(&policy, 4), conquerors(&policy, 5));
        assert!(four.len() == 1 && five.len() == 1);
        counts[usize::from(four == [1]) + 2 * usize::from(five == [1])] += 1;
    }
    // Expected: 500 each, with a standard error of 19.4.
    assert!(counts.iter().all(|count| (count - 500).abs() < 97), "{counts:?}");
}

/// Regression: if the champion is not among its own opponents, (c, c) is never played and the
/// regret never becomes flat. One matrix has a Condorcet winner. In the other, three arms in a
/// cycle beat all others, and all three are Copeland winners.
#[test]
fn stat_it_ends_on_the_best_pairs() {
    for kind in [3, 5] {
        let (mut rng, mut world) = (Stream::new(3).rng(), Stream::new(4).rng());
        let p = matrix(5, kind, &mut world);
        let mut policy = Ccb::new(5, &mut rng);
        let mut good = 0;
        for round in 0..40_000 {
            let ticket = policy.decide(&mut rng);
            let (left, right) = (ticket.left.index(), ticket.right.index());
            let winner = |arm: usize| if kind == 3 { arm == 0 } else { arm < 3 };
            policy.update(&ticket, Outcome::won(world.random::<f64>() < p[left][right]));
            good += usize::from(round >= 20_000 && left == right && winner(left));
        }
        // Ties between the other arms do no harm if one arm beats them all by 0.6 : 0.4.
        assert!(good >= 19_000, "matrix {kind}: {good} of 20,000");
    }
}

/// Without any outcomes, it meets every opponent of a champion before it repeats one.
#[test]
fn law_duels_in_flight_are_not_repeated() {
    let n_arms = 6;
    let mut rng = Stream::new(1).rng();
    let mut policy = Ccb::new(n_arms, &mut rng);
    let mut shown = vec![vec![0; n_arms]; n_arms];
    for _ in 0..300 {
        let ticket = policy.decide(&mut rng);
        let (left, right) = (ticket.left.index(), ticket.right.index());
        assert_ne!(left, right, "nothing is known yet");
        shown[left][right] += 1;
        shown[right][left] += 1;
        let least = (0..n_arms).filter(|&j| j != left).map(|j| shown[left][j]).min().expect("five others");
        assert!(shown[left][right] <= least + 1, "({left}, {right})");
    }
}

/// Merged counts lead to the same candidates and the same certain winner as counts that arrive one
/// by one.
#[test]
fn trace_merged_counts() {
    let (mut one, mut merged) = (ccb(4, 1), ccb(4, 1));
    for loser in 1..4 {
        beat(&mut one, 0, loser, 5);
    }
    merged.add(&one.sums());
    assert_eq!(merged.candidates(), one.candidates());
    assert_eq!(merged.likely_winners(), one.likely_winners());
    assert_eq!(merged.likely_losses(), 0);
    assert_close(&merged.sums(), &one.sums(), 0.0, "sums");
}

#[test]
fn trace_refusals() {
    let build = |spec: &str, n_arms| {
        let context = Context { n_arms, horizon: None };
        registry::build(&spec.parse().expect("a specification"), context, &mut Stream::new(1).rng()).err()
    };
    let refused = build("ccb:alpha=1/2", 3);
    assert!(
        matches!(refused, Some(BuildError::Param(ParamError::OutOfRange { key: "alpha", .. }))),
        "{refused:?}"
    );
}
