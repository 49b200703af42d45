//! REX3 as a textbook would write it, to compare with.

use core::f64::consts::E;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use tiltyard_bandit::policy::registry::Family as _;
use tiltyard_bandit::policy::{Info, Policy, Propensity, rex3};
use tiltyard_bandit::{Arm, Draw, Outcome, Ticket};

/// Anytime REX3 by dual averaging in O(K) per round, the plain twin of [`rex3::Rex3`]. In every
/// round it computes the probabilities of all arms anew with `f64::exp`, and draws both arms by a
/// scan.
///
/// Its distribution is the same, and so is the rule that keeps gamma until its formula has fallen
/// by 1 %. It is plain but not careless: two passes over the arms, no allocation, one division, and
/// a scan that stops at the drawn arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlainRex3 {
    sums: Vec<f64>,
    probabilities: Vec<f64>,
    /// Duels issued.
    round: u64,
    gamma: f64,
    /// The round in which gamma changes next.
    next_change: u64,
}

impl PlainRex3 {
    /// A policy over `n_arms` arms.
    ///
    /// # Panics
    ///
    /// If there are no arms.
    pub fn new(n_arms: usize) -> Self {
        assert!(n_arms > 0, "there must be at least one arm");
        let mut policy = Self {
            sums: vec![0.0; n_arms],
            probabilities: vec![0.0; n_arms],
            round: 0,
            gamma: 0.5,
            next_change: 1,
        };
        policy.tune();
        policy
    }

    /// The probability of each arm in either slot of the next duel.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// gamma = min(1/2, sqrt(K ln K / (e t / 2))), held until it has fallen by 1 %.
    fn tune(&mut self) {
        let n_arms = self.sums.len().max(2) as f64;
        let square = n_arms * libm::log(n_arms) / (E / 2.0);
        let round = self.round + 1;
        self.gamma = (square / round as f64).sqrt().min(0.5);
        let next = 0.99 * self.gamma;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "positive; saturates")]
        let change = (square / (next * next)).ceil() as u64;
        self.next_change = change.max(round + 1);
        self.refresh();
    }

    /// p_i = (1 - gamma) w_i / sum_j w_j + gamma / K with w_i = exp((gamma / K) S_i), scaled so
    /// that the largest weight is 1.
    fn refresh(&mut self) {
        let n_arms = self.sums.len() as f64;
        let scale = self.gamma / n_arms;
        let largest = self.sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut total = 0.0;
        for (weight, sum) in self.probabilities.iter_mut().zip(&self.sums) {
            *weight = (scale * (sum - largest)).exp();
            total += *weight;
        }
        let share = (1.0 - self.gamma) / total;
        for weight in &mut self.probabilities {
            *weight = *weight * share + scale;
        }
    }

    fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> (Arm, f64) {
        let mut rest = rng.random::<f64>();
        let last = self.probabilities.len() - 1;
        for (i, &p) in self.probabilities[..last].iter().enumerate() {
            rest -= p;
            if rest < 0.0 {
                return (Arm::new(i), p);
            }
        }
        (Arm::new(last), self.probabilities[last])
    }
}

impl Policy for PlainRex3 {
    fn info(&self) -> &'static Info {
        &<rex3::Family>::INFO
    }

    fn propensity(&self) -> Propensity {
        Propensity::Slots
    }

    fn n_arms(&self) -> usize {
        self.sums.len()
    }

    fn round(&self) -> u64 {
        self.round
    }

    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let (left, p_left) = self.draw(rng);
        let (right, p_right) = self.draw(rng);
        Ticket {
            round: self.round + 1,
            left,
            right,
            rate: self.gamma / self.sums.len() as f64,
            epoch: 0,
            draw: Draw::Slots { left: p_left, right: p_right, z: 1.0 },
        }
    }

    fn issue(&mut self, _: &Ticket) {
        self.round += 1;
        if self.round + 1 >= self.next_change {
            self.tune();
        }
    }

    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        let Draw::Slots { left, right, z } = ticket.draw else {
            panic!("a ticket drawn as {:?} is not one of REX3's", ticket.draw);
        };
        if !ticket.is_self_duel() {
            self.sums[ticket.left.index()] += z * outcome.score() / (2.0 * left);
            self.sums[ticket.right.index()] -= z * outcome.score() / (2.0 * right);
        }
        self.refresh();
    }

    fn void(&mut self, _: &Ticket) {}

    fn recommend(&self) -> Arm {
        Arm::all(self.n_arms())
            .reduce(|best, arm| if self.sums[arm.index()] > self.sums[best.index()] { arm } else { best })
            .expect("there is at least one arm")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiltyard_bandit::Stream;
    use tiltyard_bandit::policy::Rex3;

    /// Arm i wins against arm j with probability 0.7 if i < j.
    fn duel<R: Rng>(ticket: &Ticket, rng: &mut R) -> Outcome {
        let p = match ticket.left.cmp(&ticket.right) {
            core::cmp::Ordering::Less => 0.7,
            core::cmp::Ordering::Equal => 0.5,
            core::cmp::Ordering::Greater => 0.3,
        };
        Outcome::won(rng.random::<f64>() < p)
    }

    /// Both learn from 20,000 tickets of REX3: past the cap of gamma (1967 rounds for 136 arms) and
    /// through more than a hundred changes of gamma.
    #[test]
    fn law_the_twin_has_the_probabilities_of_rex3() {
        for n_arms in [1, 2, 6, 136] {
            let mut rng = Stream::new(1).rng();
            let (mut rex3, mut plain) = (Rex3::new(n_arms), PlainRex3::new(n_arms));
            for round in 1..=20_000 {
                let ticket = rex3.decide(&mut rng);
                plain.issue(&ticket);
                let outcome = duel(&ticket, &mut rng);
                rex3.update(&ticket, outcome);
                plain.update(&ticket, outcome);
                assert!((rex3.gamma() - plain.gamma).abs() < 1e-15, "{n_arms} arms, round {round}");
                if round % 100 == 0 {
                    for (p, q) in rex3.distribution().iter().zip(plain.probabilities()) {
                        assert!((p - q).abs() < 1e-9, "{n_arms} arms, round {round}: {p} and {q}");
                    }
                }
            }
            assert_eq!(rex3.recommend(), plain.recommend());
        }
    }

    /// In 100,000 pairs, each arm's share in either slot may be off by five standard errors.
    #[test]
    fn stat_the_twin_draws_by_its_probabilities() {
        let mut rng = Stream::new(2).rng();
        let mut plain = PlainRex3::new(6);
        for _ in 0..2000 {
            let ticket = plain.decide(&mut rng);
            let outcome = duel(&ticket, &mut rng);
            plain.update(&ticket, outcome);
        }
        let n = 100_000.0;
        let mut counts = [[0.0; 6]; 2];
        for _ in 0..100_000 {
            let ticket = plain.propose(&mut rng);
            counts[0][ticket.left.index()] += 1.0;
            counts[1][ticket.right.index()] += 1.0;
            let p = |arm: Arm| plain.probabilities()[arm.index()];
            assert_eq!(ticket.propensity(), Some(p(ticket.left) * p(ticket.right)));
        }
        for (count, p) in counts.iter().flat_map(|slot| slot.iter().zip(plain.probabilities())) {
            assert!((count / n - p).abs() < 5.0 * (p * (1.0 - p) / n).sqrt(), "{} and {p}", count / n);
        }
    }
}
