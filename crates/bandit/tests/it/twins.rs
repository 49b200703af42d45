//! Helpers that the slow twins share: the loop that plays a policy and its twin side by side, the
//! worlds, and the counts that a twin keeps. Each twin computes everything else from the counts
//! itself.

use rand::{Rng, RngExt};
use tiltyard_bandit::policy::Policy;
use tiltyard_bandit::{Arm, Draw, Outcome, Stream, Ticket};

use crate::chi_square;
use crate::support::permutation;

/// A second, slow implementation of a policy.
pub(crate) trait Twin {
    fn issue(&mut self, ticket: &Ticket);

    fn update(&mut self, ticket: &Ticket, left_won: bool);

    fn void(&mut self, ticket: &Ticket);
}

/// Wins, duels in flight, and the round `t` of the next decision.
#[derive(Debug, Clone)]
pub(crate) struct Counts {
    pub(crate) wins: Vec<Vec<u64>>,
    pub(crate) in_flight: Vec<Vec<u64>>,
    pub(crate) t: u64,
}

impl Counts {
    pub(crate) fn new(n_arms: usize) -> Self {
        let zeros = vec![vec![0; n_arms]; n_arms];
        Self { wins: zeros.clone(), in_flight: zeros, t: 1 }
    }

    pub(crate) fn arms(&self) -> std::ops::Range<usize> {
        0..self.wins.len()
    }

    /// The number of outcomes of a pair.
    pub(crate) fn n(&self, i: usize, j: usize) -> u64 {
        self.wins[i][j] + self.wins[j][i]
    }

    /// All wins, row by row.
    pub(crate) fn sums(&self) -> Vec<f64> {
        self.wins.concat().iter().map(|&wins| wins as f64).collect()
    }
}

impl Twin for Counts {
    fn issue(&mut self, ticket: &Ticket) {
        let (left, right) = indices(ticket);
        self.t += 1;
        if left != right {
            self.in_flight[left][right] += 1;
            self.in_flight[right][left] += 1;
        }
    }

    fn update(&mut self, ticket: &Ticket, left_won: bool) {
        let (left, right) = indices(ticket);
        self.void(ticket);
        if left != right {
            let (winner, loser) = if left_won { (left, right) } else { (right, left) };
            self.wins[winner][loser] += 1;
        }
    }

    fn void(&mut self, ticket: &Ticket) {
        let (left, right) = indices(ticket);
        if left != right {
            self.in_flight[left][right] -= 1;
            self.in_flight[right][left] -= 1;
        }
    }
}

/// How promptly outcomes arrive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Delivery {
    /// Before the next decision.
    Prompt,
    /// Up to thirty duels are in flight. Outcomes arrive in any order; some duels are voided, some
    /// outcomes are lost.
    Late,
}

pub(crate) const DELIVERIES: [Delivery; 2] = [Delivery::Prompt, Delivery::Late];

/// How a duel ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fate {
    Decided(Outcome),
    Void,
}

/// The duels that end in this round. A lost duel leaves `waiting`, but is not among them.
pub(crate) fn endings<R: Rng>(
    waiting: &mut Vec<Ticket>,
    delivery: Delivery,
    p: &[Vec<f64>],
    rng: &mut R,
) -> Vec<(Ticket, Fate)> {
    let n = match delivery {
        Delivery::Prompt => waiting.len(),
        Delivery::Late if waiting.len() > 30 => 3,
        Delivery::Late => rng.random_range(0..3).min(waiting.len()),
    };
    let mut ended = Vec::new();
    for _ in 0..n {
        let ticket = waiting.swap_remove(rng.random_range(0..waiting.len()));
        let won = rng.random::<f64>() < p[ticket.left.index()][ticket.right.index()];
        match rng.random_range(0..20) {
            0 if delivery == Delivery::Late => {}
            1 if delivery == Delivery::Late => ended.push((ticket, Fate::Void)),
            _ => ended.push((ticket, Fate::Decided(Outcome::won(won)))),
        }
    }
    ended
}

/// A world, how long it is played, and how promptly it answers.
#[derive(Debug, Clone)]
pub(crate) struct Game {
    /// `p[i][j]` is the probability that arm i beats arm j.
    pub(crate) p: Vec<Vec<f64>>,
    pub(crate) delivery: Delivery,
    pub(crate) rounds: u64,
}

/// Plays a policy and its twin side by side. `check` sees both before each ticket is issued.
pub(crate) fn play<P: Policy, T: Twin, R: Rng>(
    fast: &mut P,
    slow: &mut T,
    game: &Game,
    rng: &mut R,
    mut check: impl FnMut(&P, &mut T, &Ticket),
) {
    let mut waiting = Vec::new();
    for _ in 0..game.rounds {
        let ticket = fast.propose(rng);
        check(fast, slow, &ticket);
        fast.issue(&ticket);
        slow.issue(&ticket);
        waiting.push(ticket);
        for (ticket, fate) in endings(&mut waiting, game.delivery, &game.p, rng) {
            match fate {
                Fate::Void => {
                    fast.void(&ticket);
                    slow.void(&ticket);
                }
                Fate::Decided(outcome) => {
                    fast.update(&ticket, outcome);
                    slow.update(&ticket, outcome == Outcome::WIN);
                }
            }
        }
    }
}

/// Fails unless the ticket states the probability `want`, and `want` is above 0.
#[track_caller]
pub(crate) fn assert_stated(ticket: &Ticket, want: f64, what: &str) {
    let stated = ticket.propensity().expect("known");
    assert!(want > 0.0 && (stated - want).abs() <= 1e-14 * want, "{what}: {ticket:?}, not {want}");
}

/// Checks with a chi-square test that the proposals from one state follow `law`. If one pair is
/// almost certain, there is nothing to test, and the function returns false.
#[track_caller]
pub(crate) fn drawn_by<P: Policy>(
    what: &str,
    policy: &P,
    n_draws: usize,
    law: impl Fn(usize, usize) -> f64,
) -> bool {
    let n_arms = policy.n_arms();
    let certain = (0..n_arms * n_arms).any(|cell| law(cell / n_arms, cell % n_arms) > 0.9995);
    if !certain {
        let mut rng = Stream::new(1).label("draws").label(what).rng();
        chi_square::check(what, n_arms, law, (0..n_draws).map(|_| policy.propose(&mut rng)));
    }
    !certain
}

/// Plays 20,000 rounds with five arms, where the lower index wins with probability 0.8. Returns how
/// often the best arm met itself in the second half.
pub(crate) fn best_pairs<P: Policy>(policy: &mut P) -> usize {
    let (mut rng, mut world) = (Stream::new(3).rng(), Stream::new(4).rng());
    let mut best_pairs = 0;
    for round in 0..20_000 {
        let ticket = policy.decide(&mut rng);
        let p = match ticket.left.cmp(&ticket.right) {
            core::cmp::Ordering::Less => 0.8,
            core::cmp::Ordering::Equal => 0.5,
            core::cmp::Ordering::Greater => 0.2,
        };
        policy.update(&ticket, Outcome::won(world.random::<f64>() < p));
        best_pairs += usize::from(round >= 10_000 && indices(&ticket) == (0, 0));
    }
    best_pairs
}

/// The kinds of matrices that [`matrix`] draws.
pub(crate) const KINDS: std::ops::Range<usize> = 0..8;

/// A random matrix: `p[i][j]` is the probability that arm i beats arm j. Kinds:
///
/// - 0: any numbers;
/// - 1: multiples of 1/4, so that counts are often equal;
/// - 2: zeros, halves and ones;
/// - 3: one arm beats all by little, and the others tie;
/// - 4: cycles;
/// - 5: three arms in a cycle that beat all others;
/// - 6: one arm beats all by little, and the others are in cycles;
/// - 7: all arms are equal.
pub(crate) fn matrix<R: Rng>(n_arms: usize, kind: usize, rng: &mut R) -> Vec<Vec<f64>> {
    let mut p = vec![vec![0.5; n_arms]; n_arms];
    for (i, j) in (0..n_arms).flat_map(|i| (0..i).map(move |j| (i, j))) {
        p[i][j] = match kind {
            0 => rng.random(),
            1 => f64::from(rng.random_range(0..=4u8)) / 4.0,
            2 => f64::from(rng.random_range(0..=2u8)) / 2.0,
            3 | 6 if j == 0 => 0.4,
            3 | 7 => 0.5,
            4 | 6 if (i - j) % 3 == 1 => 0.9,
            4 | 6 => 0.1,
            _ if (i, j) == (2, 0) => 0.8,
            _ => 0.2,
        };
        p[j][i] = 1.0 - p[i][j];
    }
    p
}

/// A matrix whose arms are in random order. Kinds, modulo 4: 0 any numbers, 1 a total order, 2
/// zeros, halves and ones, 3 all arms equal.
pub(crate) fn shuffled_matrix<R: Rng>(kind: usize, n_arms: usize, rng: &mut R) -> Vec<Vec<f64>> {
    let order = permutation(n_arms, rng);
    let mut p = vec![vec![0.5; n_arms]; n_arms];
    for i in 0..n_arms {
        for j in 0..i {
            p[i][j] = match kind % 4 {
                0 => rng.random(),
                1 if order[i] < order[j] => 0.8,
                1 => 0.2,
                2 => f64::from(rng.random_range(0..3)) / 2.0,
                _ => 0.5,
            };
            p[j][i] = 1.0 - p[i][j];
        }
    }
    p
}

/// A ticket that no policy proposed.
pub(crate) fn ticket(left: usize, right: usize) -> Ticket {
    let (left, right) = (Arm::new(left), Arm::new(right));
    Ticket { round: 1, left, right, rate: 1.0, epoch: 0, draw: Draw::Unknown }
}

/// Lets `winner` beat `loser` this many times, without issuing a duel.
pub(crate) fn beat<P: Policy>(policy: &mut P, winner: usize, loser: usize, times: u64) {
    for _ in 0..times {
        policy.update(&ticket(winner, loser), Outcome::WIN);
    }
}

/// Issues self-duels until the next decision is the one of round t.
pub(crate) fn wait_for<P: Policy>(policy: &mut P, t: u64) {
    while policy.round() + 1 < t {
        policy.issue(&ticket(0, 0));
    }
}

pub(crate) fn indices(ticket: &Ticket) -> (usize, usize) {
    (ticket.left.index(), ticket.right.index())
}

pub(crate) fn indices_of(arms: &[Arm]) -> Vec<usize> {
    arms.iter().map(|arm| arm.index()).collect()
}
