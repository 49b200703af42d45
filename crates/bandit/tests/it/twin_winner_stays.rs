//! Winner Stays written a second time, from its definition alone: the two arms with the most wins
//! minus losses duel. The policies must propose a pair that the twin allows, with the probability
//! that the twin gives.

use std::collections::BTreeSet;

use rand::RngExt;
use tiltyard_bandit::policy::{Policy, Wss, Wsw};
use tiltyard_bandit::{Arm, Outcome, Stream};

use crate::support::propose_pair;
use crate::twins::shuffled_matrix;

/// WS-W in O(K) per round.
#[derive(Debug, Clone)]
struct SlowWinnerStays {
    /// C: wins minus losses.
    c: Vec<i64>,
    /// The last duel.
    last: Option<(usize, usize)>,
    passes: i64,
    champion: Option<usize>,
}

impl SlowWinnerStays {
    fn new(n_arms: usize) -> Self {
        Self { c: vec![0; n_arms], last: None, passes: 0, champion: None }
    }

    /// The arms with the largest C, except `other`. If one of them was in the last duel, it is that
    /// arm alone.
    fn largest(&self, other: Option<usize>) -> Vec<usize> {
        let arms = || (0..self.c.len()).filter(|&i| Some(i) != other);
        let most = arms().map(|i| self.c[i]).max().expect("two arms at least");
        let tied: Vec<usize> = arms().filter(|&i| self.c[i] == most).collect();
        let of_last = self.last.and_then(|(i, j)| [i, j].into_iter().find(|i| tied.contains(i)));
        of_last.map_or(tied, |arm| vec![arm])
    }

    /// The probability of a pair, in either order.
    fn probability(&self, pair: (usize, usize)) -> f64 {
        let mut sum = 0.0;
        let first = self.largest(None);
        for &i in &first {
            let second = self.largest(Some(i));
            for &j in &second {
                if (i, j) == pair || (j, i) == pair {
                    sum += 1.0 / (first.len() * second.len()) as f64;
                }
            }
        }
        sum
    }

    fn update(&mut self, left: usize, right: usize, won: bool) {
        self.last = Some((left, right));
        let (winner, loser) = if won { (left, right) } else { (right, left) };
        self.c[winner] += 1;
        self.c[loser] -= 1;
        // A pass is complete when one arm has a net win over each other arm per pass: its C is
        // (K - 1) times the number of passes, and the C of every other arm is minus that number.
        let next = self.passes + 1;
        let others = i64::try_from(self.c.len() - 1).expect("few arms");
        if let Some(best) = (0..self.c.len()).find(|&i| self.c[i] == others * next)
            && (0..self.c.len()).all(|i| i == best || self.c[i] == -next)
        {
            self.passes = next;
            self.champion = Some(best);
        }
    }
}

/// Plays both. Some duels are void, and an outcome that arrives after that is dropped.
fn compare(beta: Option<f64>, n_arms: usize, kind: usize, rounds: u64) -> u64 {
    let what = format!("beta = {beta:?}, {n_arms} arms, matrix {kind}");
    let mut rng = Stream::new(1).label(&what).rng();
    let p = shuffled_matrix(kind, n_arms, &mut rng);
    let mut weak = Wsw::new(n_arms);
    let mut strong = Wss::new(n_arms, beta.unwrap_or(2.0)).expect("legal");
    let mut slow = SlowWinnerStays::new(n_arms);
    let mut exploit: u64 = 0;
    for round in 1..=rounds {
        let ticket = if beta.is_some() { strong.decide(&mut rng) } else { weak.decide(&mut rng) };
        let (left, right) = (ticket.left.index(), ticket.right.index());
        let got = ticket.propensity().expect("known");
        let won = rng.random::<f64>() < p[left][right];
        if exploit > 0 {
            exploit -= 1;
            assert_eq!((Some(left), Some(right)), (slow.champion, slow.champion), "{what}, round {round}");
            assert!(got >= 1.0 && strong.ready().is_ok(), "{what}, round {round}");
            strong.update(&ticket, Outcome::won(won));
            continue;
        }
        // In the very first duel, each of the two arms is on the left with probability 1/2.
        let sides = if slow.last.is_none() { 2.0 } else { 1.0 };
        let want = slow.probability((left, right));
        assert!(
            (sides * got - want).abs() < 1e-12,
            "{what}: ({left}, {right}) {got}, not {want}, round {round}"
        );
        if rng.random_range(0..16) == 0 {
            // The pair stays, because its series is not decided. The round tells the new duel from
            // the void one.
            slow.last = Some((left, right));
            for late in [false, true] {
                match (beta.is_some(), late) {
                    (true, false) => strong.void(&ticket),
                    (true, true) => strong.update(&ticket, Outcome::WIN),
                    (false, false) => weak.void(&ticket),
                    (false, true) => weak.update(&ticket, Outcome::WIN),
                }
            }
            continue;
        }
        let passes = slow.passes;
        slow.update(left, right, won);
        let (now, recommended) = if beta.is_some() {
            strong.update(&ticket, Outcome::won(won));
            (strong.passes(), strong.recommend())
        } else {
            weak.update(&ticket, Outcome::won(won));
            (weak.passes(), weak.recommend())
        };
        assert_eq!(i64::try_from(now), Ok(slow.passes), "{what}, round {round}");
        if let Some(champion) = slow.champion {
            assert_eq!(recommended.index(), champion, "{what}, round {round}");
        }
        if let Some(beta) = beta.filter(|_| slow.passes > passes) {
            let power = (0..slow.passes).fold(1.0, |power, _| power * beta);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "1 or more; saturates"
            )]
            let length = power.floor() as u64;
            exploit = length;
            assert_eq!(strong.exploitation_left(), exploit, "{what}, pass {}", slow.passes);
        }
    }
    u64::try_from(slow.passes).expect("not negative")
}

#[test]
fn law_winner_stays_proposes_what_its_twin_allows() {
    for beta in [None, Some(1.1), Some(2.0)] {
        for n_arms in [2, 3, 4, 7, 12] {
            for kind in 0..4 {
                compare(beta, n_arms, kind, 1500);
            }
        }
    }
}

#[test]
fn law_winner_stays_agrees_with_its_twin_for_20_000_rounds() {
    let mut passes = Vec::new();
    for (beta, n_arms, kind) in
        [(None, 40, 0), (None, 40, 1), (None, 25, 2), (None, 17, 3), (Some(1.1), 40, 1), (Some(1.5), 20, 2)]
    {
        passes.push(compare(beta, n_arms, kind, 20_000));
    }
    assert!(passes.iter().any(|&passes| passes > 100), "{passes:?}");
}

/// Three arms, with C beside each duel. The stakes are C + passes + 1.
#[test]
fn trace_winner_stays() {
    let mut policy = Wsw::new(3);
    let mut duel = |left: usize, right: usize, won: bool, probability: f64, stakes: [u64; 2], passes: u64| {
        let ticket = propose_pair(&policy, left, right);
        assert!((ticket.propensity().expect("known") - probability).abs() < 1e-15);
        policy.issue(&ticket);
        policy.update(&ticket, Outcome::won(won));
        assert_eq!((policy.stakes(), policy.passes()), (stakes, passes));
        policy.recommend().index()
    };
    // One of six ordered pairs. C = (1, -1, 0): 1 is below 2, so the series is over, and the stake
    // of 0 is 1 + 0 + 1 = 2.
    assert_eq!(duel(0, 1, true, 1.0 / 6.0, [2, 1], 0), 0);
    // Only 2 is left. C = (0, -1, 1): the two largest are still those of 0 and 2.
    assert_eq!(duel(0, 2, false, 1.0, [1, 2], 0), 0);
    // C = (-1, -1, 2): the pass is complete, and the stake of 2 in the next pass is 2 + 1 + 1 = 4.
    // 0 ties with 1 and was in the last duel.
    assert_eq!(duel(0, 2, false, 1.0, [4, 1], 1), 2);
    // C = (-2, -1, 3).
    assert_eq!(duel(2, 0, true, 1.0, [5, 1], 1), 2);
    // C = (-2, 0, 2), then (-2, -1, 3), then (-2, -2, 4). The stake of 2 in the third pass is 4 +
    // 2 + 1 = 7.
    assert_eq!(duel(2, 1, false, 1.0, [4, 2], 1), 2);
    assert_eq!(duel(2, 1, true, 1.0, [5, 1], 1), 2);
    assert_eq!(duel(2, 1, true, 1.0, [7, 1], 2), 2);
}

/// A public version of WS-S exploits after every single duel. Here, with beta = 3 and five arms, it
/// exploits nothing within a pass, and 3, 9 and 27 duels after the first three passes.
#[test]
fn law_wss_exploits_after_each_pass_and_not_after_each_duel() {
    let mut policy = Wss::new(5, 3.0).expect("legal");
    let mut rng = Stream::new(1).rng();
    let mut exploited = Vec::new();
    for _ in 0..3 {
        let mut met = BTreeSet::new();
        let mut explored = 0;
        loop {
            let ticket = policy.decide(&mut rng);
            if ticket.is_self_duel() {
                break;
            }
            explored += 1;
            met.extend([ticket.left, ticket.right]);
            policy.update(&ticket, Outcome::won(ticket.left < ticket.right));
        }
        assert!(explored >= 4 && met.len() == 5, "{explored} duels of {met:?}");
        let mut length = 1;
        while policy.exploitation_left() > 0 {
            let ticket = policy.decide(&mut rng);
            assert!(ticket.is_self_duel() && ticket.left == policy.recommend());
            // The policy does not wait for its outcome, and ignores it.
            length += 1;
            policy.update(&ticket, Outcome::LOSS);
        }
        exploited.push(length);
    }
    assert_eq!(exploited, [3, 9, 27]);
}

/// If floor(beta^l) is more than a counter can hold, the policy exploits for good, and can still be
/// saved.
#[test]
fn law_wss_saturates() {
    let mut policy = Wss::new(2, 1e300).expect("legal");
    let mut rng = Stream::new(1).rng();
    for _ in 0..200 {
        let ticket = policy.decide(&mut rng);
        policy.update(&ticket, Outcome::won(ticket.left.index() == 1));
    }
    assert_eq!((policy.passes(), policy.recommend()), (1, Arm::new(1)));
    assert!(policy.exploitation_left() > 1 << 61);
    let text = serde_json::to_string(&policy).expect("plain data");
    assert_eq!(serde_json::from_str::<Wss>(&text).expect("just written"), policy);
    for beta in [1.0, 0.5, f64::NAN, f64::INFINITY] {
        assert!(Wss::new(2, beta).is_err(), "{beta}");
    }
}

/// A ticket that the state cannot have proposed counts as a round. It teaches nothing and breaks
/// nothing.
#[test]
fn law_winner_stays_survives_foreign_tickets() {
    let mut rng = Stream::new(1).rng();
    let mut policy = Wsw::new(4);
    for round in 1..=3000 {
        let mut ticket = policy.propose(&mut rng);
        if rng.random_range(0..3) == 0 {
            ticket.left = Arm::new(rng.random_range(0..4));
            ticket.right = Arm::new(rng.random_range(0..4));
        }
        policy.issue(&ticket);
        policy.update(&ticket, Outcome::won(rng.random()));
        assert_eq!((policy.round(), policy.ready()), (round, Ok(())));
        let text = serde_json::to_string(&policy).expect("plain data");
        assert_eq!(serde_json::from_str::<Wsw>(&text).expect("just written"), policy);
    }
    assert!(policy.passes() > 10);
}
