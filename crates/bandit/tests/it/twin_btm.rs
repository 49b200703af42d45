//! Beat the Mean written a second time, from its specification alone: a matrix of counts, summed
//! anew in every round. The policy must propose a pair that the twin allows, with the probability
//! that the twin gives.

use proptest::prelude::*;
use rand::RngExt;
use tiltyard_bandit::policy::btm::{Opponent, Options};
use tiltyard_bandit::policy::{Btm, Policy};
use tiltyard_bandit::{Arm, Draw, Outcome, Stream, Ticket};

use crate::chi_square;
use crate::support::{assert_close, permutation, propose_pair};
use crate::twins::{DELIVERIES, Delivery, Game, Twin, assert_stated, indices, play, shuffled_matrix};

/// Beat the Mean in O(K^2) per round.
#[derive(Debug, Clone)]
struct SlowBtm {
    options: Options,
    round: u64,
    active: Vec<bool>,
    /// Duels with the row's arm on the left, and how many of them that arm won.
    duels: Vec<Vec<u64>>,
    wins: Vec<Vec<u64>>,
    in_flight: Vec<u64>,
    /// The round of each arm's last duel that counted.
    last: Vec<u64>,
}

impl SlowBtm {
    fn new(n_arms: usize, options: Options) -> Self {
        Self {
            options,
            round: 0,
            active: vec![true; n_arms],
            duels: vec![vec![0; n_arms]; n_arms],
            wins: vec![vec![0; n_arms]; n_arms],
            in_flight: vec![0; n_arms],
            last: vec![0; n_arms],
        }
    }

    fn race(&self) -> Vec<usize> {
        (0..self.active.len()).filter(|&b| self.active[b]).collect()
    }

    /// n_b and w_b over the arms in the race.
    fn row(&self, b: usize) -> (u64, u64) {
        let race = self.race();
        (race.iter().map(|&j| self.duels[b][j]).sum(), race.iter().map(|&j| self.wins[b][j]).sum())
    }

    fn share(&self, b: usize) -> f64 {
        let (n, w) = self.row(b);
        if n == 0 { 0.5 } else { w as f64 / n as f64 }
    }

    fn radius(&self, n: u64) -> f64 {
        let Options { gamma, delta, radius, .. } = self.options;
        if n == 0 { 1.0 } else { radius * gamma.powi(2) * ((1.0 / delta).ln() / n as f64).sqrt() }
    }

    fn is_over(&self, round: u64) -> bool {
        self.options.horizon.is_some_and(|horizon| round > horizon)
    }

    /// The law of the next duel.
    fn probability(&self, left: usize, right: usize) -> f64 {
        let race = self.race();
        if !race.contains(&left) || !race.contains(&right) {
            return 0.0;
        }
        if race.len() == 1 {
            return 1.0;
        }
        let one_of = |list: &[usize]| if list.contains(&left) { 1.0 / list.len() as f64 } else { 0.0 };
        if self.is_over(self.round + 1) {
            let best = race.iter().map(|&b| self.share(b)).fold(0.0, f64::max);
            let best: Vec<usize> = race.into_iter().filter(|&b| self.share(b) >= best).collect();
            return if left == right { one_of(&best) } else { 0.0 };
        }
        let asked = |b: usize| self.row(b).0 + self.in_flight[b];
        let fewest = race.iter().map(|&b| asked(b)).min().expect("several arms");
        let fewest: Vec<usize> = race.iter().copied().filter(|&b| asked(b) == fewest).collect();
        let right = match self.options.opponent {
            Opponent::Any => 1.0 / race.len() as f64,
            Opponent::Other if left == right => 0.0,
            Opponent::Other => 1.0 / (race.len() - 1) as f64,
        };
        one_of(&fewest) * right
    }

    fn counts(&self, round: u64, left: usize) -> bool {
        !self.is_over(round) && self.race().len() > 1 && self.active[left]
    }
}

impl Twin for SlowBtm {
    fn issue(&mut self, ticket: &Ticket) {
        self.round += 1;
        if self.counts(self.round, ticket.left.index()) {
            self.in_flight[ticket.left.index()] += 1;
        }
    }

    fn void(&mut self, ticket: &Ticket) {
        if self.counts(ticket.round, ticket.left.index()) {
            self.in_flight[ticket.left.index()] -= 1;
        }
    }

    fn update(&mut self, ticket: &Ticket, won: bool) {
        let (left, right) = indices(ticket);
        if !self.counts(ticket.round, left) {
            return;
        }
        self.in_flight[left] -= 1;
        if !self.active[right] {
            return;
        }
        self.duels[left][right] += 1;
        self.wins[left][right] += u64::from(won);
        self.last[left] = ticket.round;
        loop {
            let race = self.race();
            let fewest = race.iter().map(|&b| self.row(b).0).min().expect("one arm at least");
            let low = race.iter().map(|&b| self.share(b)).fold(1.0, f64::min);
            let high = race.iter().map(|&b| self.share(b)).fold(0.0, f64::max);
            let c = self.radius(fewest);
            if race.len() == 1 || low + c > high - c {
                return;
            }
            let worst = race.into_iter().filter(|&b| self.share(b) <= low).min_by_key(|&b| self.last[b]);
            self.active[worst.expect("one has the lowest share")] = false;
        }
    }
}

/// Plays both. Compares each proposal and, at the end, each count. Returns the number of arms that
/// are left.
fn compare(options: Options, n_arms: usize, kind: usize, delivery: Delivery, rounds: u64) -> usize {
    let what = format!("{options:?}, {n_arms} arms, matrix {kind}, {delivery:?}");
    let mut rng = Stream::new(1).label(&what).rng();
    let game = Game { p: shuffled_matrix(kind, n_arms, &mut rng), delivery, rounds };
    let mut fast = Btm::new(n_arms, options).expect("legal options");
    let mut slow = SlowBtm::new(n_arms, options);
    play(&mut fast, &mut slow, &game, &mut rng, |_, slow, ticket| {
        let (left, right) = indices(ticket);
        assert_stated(ticket, slow.probability(left, right), &what);
    });
    for b in 0..n_arms {
        assert_eq!(fast.is_active(Arm::new(b)), slow.active[b], "{what}: arm {b}");
        if slow.active[b] {
            assert_eq!(fast.tally(Arm::new(b)), slow.row(b), "{what}: arm {b}");
        }
    }
    slow.race().len()
}

fn options(radius: f64) -> Options {
    Options { gamma: 1.0, delta: 0.1, radius, ..Options::default() }
}

#[test]
fn law_btm_proposes_what_its_twin_allows() {
    let mut left = Vec::new();
    for n_arms in [1, 2, 3, 6, 11] {
        for kind in 0..4 {
            for delivery in DELIVERIES {
                for opponent in [Opponent::Any, Opponent::Other] {
                    for radius in [0.1, 0.4] {
                        let options = Options { opponent, horizon: Some(700), ..options(radius) };
                        left.push((n_arms, compare(options, n_arms, kind, delivery, 800)));
                    }
                }
            }
        }
    }
    // Some runs reached the end of the race, and some did not.
    assert!(left.iter().any(|&(n_arms, left)| n_arms > 2 && left == 1));
    assert!(left.iter().any(|&(n_arms, left)| left > 2 && left < n_arms));
}

#[test]
fn law_btm_agrees_with_its_twin_for_20_000_rounds() {
    let left = [
        compare(options(0.6), 40, 0, Delivery::Prompt, 20_000),
        compare(options(0.6), 25, 1, Delivery::Late, 20_000),
        compare(Options { opponent: Opponent::Other, ..options(0.3) }, 12, 3, Delivery::Prompt, 20_000),
    ];
    assert!(left[0] < 40 && left[1] < 25, "{left:?}");
}

/// From states in the middle of a run, pairs are drawn as often as the twin says.
#[test]
fn stat_btm_draws_by_the_law_of_its_twin() {
    for (kind, opponent) in [(0, Opponent::Any), (1, Opponent::Other), (2, Opponent::Any)] {
        let n_arms = 6;
        let mut rng = Stream::new(1).label("btm").index(kind as u64).rng();
        let p = shuffled_matrix(kind, n_arms, &mut rng);
        let options = Options { opponent, ..options(1.0) };
        let mut fast = Btm::new(n_arms, options).expect("legal options");
        let mut slow = SlowBtm::new(n_arms, options);
        for _ in 0..5 {
            let game = Game { p: p.clone(), delivery: Delivery::Prompt, rounds: rng.random_range(1..40) };
            play(&mut fast, &mut slow, &game, &mut rng, |_, _, _| {});
            let mut draws = rng.clone();
            let draws = (0..5000).map(|_| fast.propose(&mut draws));
            chi_square::check("btm", n_arms, |left, right| slow.probability(left, right), draws);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    /// Relabelled tickets leave relabelled counts, and drop the same arms.
    #[test]
    fn law_btm_follows_labels(seed in any::<u64>(), n_arms in 2..9usize) {
        let mut rng = Stream::new(seed).rng();
        let label = permutation(n_arms, &mut rng);
        let renamed = |arm: Arm| Arm::new(label[arm.index()]);
        let p = shuffled_matrix(2, n_arms, &mut rng);
        let mut plain = Btm::new(n_arms, options(0.4)).expect("legal options");
        let mut relabelled = plain.clone();
        for _ in 0..300 {
            let ticket = plain.decide(&mut rng);
            let outcome = Outcome::won(rng.random::<f64>() < p[ticket.left.index()][ticket.right.index()]);
            plain.update(&ticket, outcome);
            relabelled.issue(&ticket.relabelled(renamed));
            relabelled.update(&ticket.relabelled(renamed), outcome);
        }
        for arm in Arm::all(n_arms) {
            prop_assert_eq!(plain.is_active(arm), relabelled.is_active(renamed(arm)));
            prop_assert_eq!(plain.tally(arm), relabelled.tally(renamed(arm)));
        }
    }
}

/// With ln(1/delta) = 1 and gamma = 1, c(n) = 1/4 / sqrt(n).
fn quarter(n_arms: usize) -> Btm {
    let options = Options { gamma: 1.0, delta: (-1f64).exp(), radius: 0.25, ..Options::default() };
    Btm::new(n_arms, options).expect("legal options")
}

/// Plays this pair, and returns the probability with which it was drawn and its epoch.
fn duel(policy: &mut Btm, left: usize, right: usize, won: bool) -> (f64, u32) {
    let ticket = propose_pair(policy, left, right);
    policy.issue(&ticket);
    policy.update(&ticket, Outcome::won(won));
    (ticket.propensity().expect("known"), ticket.epoch)
}

/// Three arms, c(1) = 1/4.
///
/// - 0 beats 1: three arms can be on the left and three on the right, so the pair has probability
///   1/9. P = (1, 1/2, 1/2), n* = 0, c = 1.
/// - 1 beats 2: two arms have no duel, 1/2 * 1/3. P = (1, 1, 1/2), n* = 0.
/// - 2 loses to 0: one arm has no duel, 1/3. P = (1, 1, 0), n* = 1: 0 + 1/4 <= 1 - 1/4, and 2 is
///   out. Arm 1 has met only 2: n_1 = 0 again, P_1 = 1/2, n* = 0.
/// - 1 loses to 0: arm 1 has the fewest duels, and two arms can be on the right, 1/2. P = (1, 0),
///   n* = 1: 1 is out.
/// - 0 meets 0.
#[test]
fn trace_btm() {
    let mut policy = quarter(3);
    let tallies = |policy: &Btm| [0, 1, 2].map(|i| policy.tally(Arm::new(i)));
    let (p, epoch) = duel(&mut policy, 0, 1, true);
    assert_close(&[p], &[1.0 / 9.0], 1e-15, "first");
    // The arm on the right is not credited (bug class DPY).
    assert_eq!((epoch, tallies(&policy)), (0, [(1, 1), (0, 0), (0, 0)]));
    let (p, _) = duel(&mut policy, 1, 2, true);
    assert_close(&[p], &[1.0 / 6.0], 1e-15, "second");
    assert_eq!(tallies(&policy), [(1, 1), (1, 1), (0, 0)]);
    let (p, epoch) = duel(&mut policy, 2, 0, false);
    assert_close(&[p], &[1.0 / 3.0], 1e-15, "third");
    assert_eq!((epoch, tallies(&policy)), (0, [(1, 1), (0, 0), (0, 0)]));
    assert!(policy.is_active(Arm::new(1)) && !policy.is_active(Arm::new(2)));
    let (p, epoch) = duel(&mut policy, 1, 0, false);
    assert_close(&[p], &[0.5], 1e-15, "fourth");
    assert_eq!(epoch, 1);
    let last = policy.propose(&mut Stream::new(1).rng());
    assert_eq!((last.left, last.right, last.epoch), (Arm::new(0), Arm::new(0), 2));
    assert_eq!((last.draw, last.round), (Draw::Pair(1.0), 5));
    assert_eq!(policy.recommend(), Arm::new(0));
}

/// Arm 2 is eliminated as in the trace above, while duels are in flight: of 0 with 2, of 2 with 1,
/// and of 0 with 1.
///
/// Only the last one counts. All three were in flight when the others were decided, so the next
/// duel is proposed for the arm with the fewest duels, decided or in flight.
#[test]
fn trace_btm_late_outcomes() {
    let mut policy = quarter(3);
    let issued = |policy: &mut Btm, left: usize, right: usize| {
        let ticket = propose_pair(policy, left, right);
        policy.issue(&ticket);
        ticket
    };
    let flights = [issued(&mut policy, 0, 2), issued(&mut policy, 2, 1), issued(&mut policy, 1, 0)];
    // Each arm has one duel in flight. Then 0, 1 and 2 are on the left again, in any order.
    let flight = issued(&mut policy, 0, 1);
    for (left, right, won) in [(1, 2, true), (2, 0, false)] {
        duel(&mut policy, left, right, won);
    }
    policy.update(&flights[2], Outcome::WIN);
    // n = (0, 2, 1), P = (1/2, 1, 0), n* = 0.
    assert_eq!(policy.tally(Arm::new(1)), (2, 2));
    policy.update(&flight, Outcome::WIN);
    // n = (1, 2, 1), P = (1, 1, 0), n* = 1: arm 2 is out, and so is its duel with 1.
    assert_eq!([0, 1, 2].map(|i| policy.tally(Arm::new(i))), [(1, 1), (1, 1), (0, 0)]);
    assert!(!policy.is_active(Arm::new(2)));
    // 0 has one duel, and one in flight against 2. 1 has one duel.
    assert!(policy.propose(&mut Stream::new(1).rng()).left == Arm::new(1));
    let before = (policy.tally(Arm::new(0)), policy.tally(Arm::new(1)));
    policy.update(&flights[0], Outcome::LOSS);
    policy.update(&flights[1], Outcome::WIN);
    assert_eq!((policy.tally(Arm::new(0)), policy.tally(Arm::new(1))), before);
    // Now 0 and 1 have one duel each.
    let p = propose_pair(&policy, 0, 0).propensity().expect("known");
    assert_close(&[p], &[0.25], 1e-15, "two on either side");
    // A duel that was proposed before the elimination counts if both of its arms are left.
    let late = Ticket { epoch: 0, ..propose_pair(&policy, 0, 1) };
    policy.issue(&late);
    policy.update(&late, Outcome::WIN);
    assert_eq!(policy.tally(Arm::new(0)), (2, 2));
}

/// After round T, the arm with the highest share plays against itself. Ties are broken at random,
/// and these duels do not count.
#[test]
fn trace_btm_after_the_horizon() {
    let options = Options { horizon: Some(3), ..Options::default() };
    let mut policy = Btm::new(3, options).expect("legal options");
    for (left, right, won) in [(0, 1, true), (1, 2, true), (2, 0, false)] {
        duel(&mut policy, left, right, won);
    }
    for round in 4..50 {
        let ticket = policy.decide(&mut Stream::new(round).rng());
        assert_eq!((ticket.round, ticket.draw), (round, Draw::Pair(0.5)));
        assert!(ticket.is_self_duel() && ticket.left.index() < 2);
        policy.update(&ticket, Outcome::LOSS);
    }
    assert_eq!([0, 1, 2].map(|i| policy.tally(Arm::new(i))), [(1, 1), (1, 1), (1, 0)]);
    assert_eq!(policy.recommend(), Arm::new(0));
}

/// An arm that is out has the fewest duels, because it gets none. It must not be proposed for that
/// reason (bug class ZWC). Once low indices are out, positions in the race are no longer indices of
/// arms (bug class WU). Here the higher index wins nine duels in ten, so the low indices are out
/// first. In the end the policy plays (best, best).
#[test]
fn law_btm_never_proposes_an_arm_that_is_out() {
    let n_arms = 8;
    for opponent in [Opponent::Any, Opponent::Other] {
        let mut policy = Btm::new(n_arms, Options { opponent, ..options(0.8) }).expect("legal options");
        let mut rng = Stream::new(1).label("out").rng();
        let mut low_out_first = false;
        for _ in 0..20_000 {
            let ticket = policy.decide(&mut rng);
            assert!(policy.is_active(ticket.left) && policy.is_active(ticket.right));
            assert!(policy.is_active(policy.recommend()));
            let p = match ticket.left.cmp(&ticket.right) {
                core::cmp::Ordering::Less => 0.1,
                core::cmp::Ordering::Equal => 0.5,
                core::cmp::Ordering::Greater => 0.9,
            };
            policy.update(&ticket, Outcome::won(rng.random::<f64>() < p));
            let n_out =
                |arms: core::ops::Range<usize>| arms.filter(|&b| !policy.is_active(Arm::new(b))).count();
            low_out_first |= n_out(0..2) == 2 && n_out(6..8) == 0;
        }
        assert!(low_out_first);
        assert_eq!(policy.recommend(), Arm::new(n_arms - 1));
        let last = policy.propose(&mut rng);
        assert_eq!((last.left, last.right), (Arm::new(n_arms - 1), Arm::new(n_arms - 1)));
    }
}
