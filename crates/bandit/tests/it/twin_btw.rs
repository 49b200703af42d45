//! Beat the Winner written a second time, from its specification alone: a queue in random order,
//! drawn in advance.

use std::collections::VecDeque;

use rand::{Rng, RngExt};
use tiltyard_bandit::policy::{Btw, Policy};
use tiltyard_bandit::{Arm, Outcome, Stream, Ticket};

use crate::support::propose_pair;
use crate::twins::shuffled_matrix;

/// Beat the Winner with a given queue.
struct SlowBtw {
    reset: bool,
    queue: VecDeque<usize>,
    incumbent: usize,
    challenger: usize,
    wins: (u64, u64),
    r: u64,
}

impl SlowBtw {
    fn new(order: &[usize], reset: bool) -> Self {
        let mut queue: VecDeque<usize> = order.iter().copied().collect();
        let incumbent = queue.pop_front().expect("two arms at least");
        let challenger = queue.pop_front().expect("two arms at least");
        Self { reset, queue, incumbent, challenger, wins: (0, 0), r: 1 }
    }

    fn update(&mut self, won: bool) {
        if won {
            self.wins.0 += 1;
        } else {
            self.wins.1 += 1;
        }
        if self.wins.0 == self.r {
            self.queue.push_back(self.challenger);
            self.r += 1;
        } else if self.wins.1 == self.r {
            self.queue.push_back(self.incumbent);
            self.incumbent = self.challenger;
            self.r = if self.reset { 1 } else { self.r + 1 };
        } else {
            return;
        }
        self.challenger = self.queue.pop_front().expect("the loser at least");
        self.wins = (0, 0);
    }
}

/// Plays, with some duels void, and returns how each duel ended.
fn play<R: Rng>(policy: &mut Btw, p: &[Vec<f64>], rounds: usize, rng: &mut R) -> Vec<(Ticket, Option<bool>)> {
    (0..rounds)
        .map(|_| {
            let ticket = policy.decide(rng);
            let won = rng.random::<f64>() < p[ticket.left.index()][ticket.right.index()];
            let ended = (rng.random_range(0..16) > 0).then_some(won);
            match ended {
                Some(won) => policy.update(&ticket, Outcome::won(won)),
                None => policy.void(&ticket),
            }
            // An outcome that comes too late or twice is dropped.
            policy.update(&ticket, Outcome::WIN);
            (ticket, ended)
        })
        .collect()
}

/// The order in which arms were first seen.
fn first_seen(duels: &[(Ticket, Option<bool>)]) -> Vec<usize> {
    let mut order = Vec::new();
    for arm in duels.iter().flat_map(|(ticket, _)| [ticket.left.index(), ticket.right.index()]) {
        if !order.contains(&arm) {
            order.push(arm);
        }
    }
    order
}

/// The duels reveal the order of the queue and must be the ones of that queue. The stated
/// probabilities of that order must multiply to 1 / K!, as for a random order.
fn compare(reset: bool, n_arms: usize, kind: usize, rounds: usize) -> u64 {
    let what = format!("reset = {reset}, {n_arms} arms, matrix {kind}");
    let mut rng = Stream::new(1).label(&what).rng();
    let p = shuffled_matrix(kind, n_arms, &mut rng);
    let mut policy = Btw::new(n_arms, reset);
    let duels = play(&mut policy, &p, rounds, &mut rng);
    let order = first_seen(&duels);
    assert_eq!(order.len(), n_arms, "{what}: too few rounds to see all arms");
    let mut slow = SlowBtw::new(&order, reset);
    let mut chance = 0.0;
    let mut seen = Vec::new();
    for (ticket, ended) in duels {
        let pair = (ticket.left.index(), ticket.right.index());
        assert_eq!(pair, (slow.incumbent, slow.challenger), "{what}, round {}", ticket.round);
        let stated = ticket.propensity().expect("known");
        let new = [pair.0, pair.1].iter().any(|arm| !seen.contains(arm));
        assert!(new || stated >= 1.0, "{what}: {stated} in round {}", ticket.round);
        if new {
            chance += stated.ln();
            seen.extend([pair.0, pair.1]);
        }
        if let Some(won) = ended {
            slow.update(won);
        }
    }
    assert_eq!((policy.target(), policy.incumbent()), (slow.r, Some(Arm::new(slow.incumbent))), "{what}");
    let factorial: f64 = (1..=n_arms).map(|i| (i as f64).ln()).sum();
    assert!((chance + factorial).abs() < 1e-9, "{what}: e^{chance} is not 1 / {n_arms}!");
    slow.r
}

#[test]
fn law_beat_the_winner_duels_as_its_twin() {
    for reset in [true, false] {
        for n_arms in [2, 3, 5, 8] {
            for kind in 0..4 {
                compare(reset, n_arms, kind, 3000);
            }
        }
    }
}

#[test]
fn law_beat_the_winner_agrees_with_its_twin_for_20_000_rounds() {
    for kind in 0..4 {
        let plain = compare(false, 40, kind, 20_000);
        let reset = compare(true, 40, kind, 20_000);
        assert!(reset <= plain, "{reset} against {plain}");
    }
}

/// Three arms. The first arm to reach r wins stays.
#[test]
fn trace_beat_the_winner() {
    for reset in [true, false] {
        let mut policy = Btw::new(3, reset);
        let mut duel = |left: usize, right: usize, won: bool, probability: f64| {
            let ticket = propose_pair(&policy, left, right);
            assert!((ticket.propensity().expect("known") - probability).abs() < 1e-15);
            policy.issue(&ticket);
            policy.update(&ticket, Outcome::won(won));
            (policy.target(), policy.recommend().index())
        };
        // r = 1: the challenger wins. With `reset`, r stays 1. Queue: 2, then 0.
        let r = if reset { 1 } else { 2 };
        assert_eq!(duel(0, 1, false, 1.0 / 6.0), (r, 1));
        // 1 stays with r wins against 2, the only arm that has not played. Queue: 0, 2.
        if !reset {
            assert_eq!(duel(1, 2, true, 1.0), (2, 1));
        }
        assert_eq!(duel(1, 2, true, 1.0), (r + 1, 1));
        // 0 is next. It loses one duel and wins r + 1. Queue: 2, 1.
        assert_eq!(duel(1, 0, true, 1.0), (r + 1, 1));
        for _ in 0..r {
            assert_eq!(duel(1, 0, false, 1.0), (r + 1, 1));
        }
        assert_eq!(duel(1, 0, false, 1.0), (if reset { 1 } else { 4 }, 0));
        assert_eq!(duel(0, 2, true, 1.0), (if reset { 2 } else { 4 }, 0));
    }
}
