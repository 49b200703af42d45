//! The path of an answer from the world to the policy.
//!
//! A world answers a duel in its round. The answer may then be delayed for some rounds, wait for
//! the end of a batch, or get lost. If several nodes share the work, each learns late what the
//! others did. None of this changes the world, so it is a suffix of the world's name:
//! `arxiv6+lossy:share=0.1+delayed:rounds=50`. [`Delivery::split`] separates the two. A suffix that
//! changes the answers is part of the world: see [`corruption`](crate::corruption).
//!
//! Time is counted in rounds. The policy learns an outcome that arrives in round t after the duel
//! of round t and before the duel of round t + 1. So a delay of 0 means no delay.

use core::fmt;

use rand::{Rng, RngExt};
use rand_distr::{Distribution as _, Geometric};

pub(crate) mod wrapper;

pub use wrapper::{WRAPPERS, Wrapper};

/// How outcomes reach the policy. By default each arrives at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delivery {
    delay: Delay,
    batch: u64,
    loss: f64,
    nodes: usize,
    stale: u64,
}

/// How many rounds an outcome travels.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Delay {
    /// The same for all outcomes.
    Fixed(u64),
    /// Geometric on 0, 1, 2, ..., cut at [`Self::longest`].
    Geometric { mean: f64, law: Geometric },
    /// Uniform on 0, 1, ..., `longest`.
    Uniform { longest: u64 },
}

/// A geometric delay is cut at this many times (mean + 1). It would be longer once in e^20 = 5e8
/// duels. The cut bounds the number of outcomes in flight and moves the mean by less than one part
/// in 1e7.
const CUT: f64 = 20.0;

impl Delay {
    fn longest(self) -> u64 {
        match self {
            Self::Fixed(rounds) => rounds,
            Self::Geometric { mean, .. } => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "means are at least 0"
                )]
                let longest = (CUT * (mean + 1.0)).ceil() as u64;
                longest
            }
            Self::Uniform { longest } => longest,
        }
    }

    fn draw<R: Rng + ?Sized>(self, rng: &mut R) -> u64 {
        match self {
            Self::Fixed(rounds) => rounds,
            Self::Geometric { law, .. } => law.sample(rng).min(self.longest()),
            Self::Uniform { longest } => rng.random_range(0..=longest),
        }
    }
}

/// When an outcome arrives, if it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// The round in which the outcome arrives. If it is lost, the policy stops waiting then.
    pub arrives: u64,
    /// Whether the outcome is lost on the way.
    pub lost: bool,
}

impl Default for Delivery {
    fn default() -> Self {
        Self { delay: Delay::Fixed(0), batch: 1, loss: 0.0, nodes: 1, stale: 0 }
    }
}

impl Delivery {
    /// Whether this is the ordinary case: a single node that learns each outcome before the next
    /// duel.
    pub fn is_prompt(&self) -> bool {
        *self == Self { stale: self.stale, ..Self::default() }
    }

    /// Whether a policy must propose while earlier duels are in flight.
    pub fn is_late(&self) -> bool {
        self.longest() > 0
    }

    /// N, the number of nodes that take turns: node (t - 1) mod N decides round t.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// How many rounds news takes from one node to another. A node learns of another node's duel
    /// this many rounds after it was issued, and of its outcome this many rounds after the outcome
    /// reached that node.
    pub fn stale(&self) -> u64 {
        if self.nodes > 1 { self.stale } else { 0 }
    }

    /// The largest number of rounds between a duel and the round in which the last node learns its
    /// outcome.
    pub fn longest(&self) -> u64 {
        self.delay.longest() + (self.batch - 1) + self.stale()
    }

    /// Draws when the outcome of this round's duel arrives. The loss of an outcome does not depend
    /// on the outcome.
    pub fn arrival<R: Rng + ?Sized>(&self, round: u64, rng: &mut R) -> Arrival {
        let lost = self.loss > 0.0 && rng.random::<f64>() < self.loss;
        let arrives = round + self.delay.draw(rng);
        // It arrives at the end of its batch.
        Arrival { arrives: arrives.div_ceil(self.batch) * self.batch, lost }
    }
}

impl fmt::Display for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.delay {
            Delay::Fixed(0) => f.write_str("outcomes arrive at once")?,
            Delay::Fixed(rounds) => write!(f, "outcomes arrive {rounds} rounds late")?,
            Delay::Geometric { mean, .. } => {
                write!(f, "outcomes arrive a geometric number of rounds late, {mean} on average")?;
            }
            Delay::Uniform { longest } => write!(f, "outcomes arrive 0 to {longest} rounds late, uniformly")?,
        }
        if self.batch > 1 {
            write!(f, ", at the end of every {} rounds", self.batch)?;
        }
        if self.loss > 0.0 {
            write!(f, "; a share of {} is lost", self.loss)?;
        }
        if self.nodes > 1 {
            write!(f, "; {} nodes take turns, each {} rounds behind the others", self.nodes, self.stale)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiltyard_bandit::Stream;

    fn delivery(wrappers: &str) -> Delivery {
        Delivery::split(&format!("arxiv6{wrappers}"), 1000).unwrap().1
    }

    fn arrivals(wrappers: &str, rounds: u64) -> Vec<u64> {
        let delivery = delivery(wrappers);
        let mut rng = Stream::new(1).rng();
        (1..=rounds).map(|round| delivery.arrival(round, &mut rng).arrives).collect()
    }

    /// Batches of 3 end in rounds 3, 6, 9; with a delay of 2, rounds 1 to 6 arrive in 3 to 8.
    #[test]
    fn trace_arrivals() {
        assert_eq!(arrivals("", 4), [1, 2, 3, 4]);
        assert_eq!(arrivals("+delayed:rounds=2", 4), [3, 4, 5, 6]);
        assert_eq!(arrivals("+batched:size=3", 7), [3, 3, 3, 6, 6, 6, 9]);
        assert_eq!(arrivals("+batched:size=3+delayed:rounds=2", 6), [3, 6, 6, 6, 9, 9]);
        assert_eq!(delivery("+batched:size=3+delayed:rounds=2").longest(), 4);
        assert_eq!(delivery("+nodes:count=2,stale=7+delayed:rounds=2").longest(), 9);
    }

    #[test]
    fn trace_prompt_and_late() {
        for (wrappers, prompt, late) in [
            ("", true, false),
            ("+delayed:rounds=0", true, false),
            ("+batched:size=1", true, false),
            ("+lossy:share=0", true, false),
            ("+nodes:count=1,stale=5", true, false),
            ("+lossy:share=0.5", false, false),
            ("+nodes:count=2,stale=0", false, false),
            ("+nodes:count=2,stale=1", false, true),
            ("+delayed:rounds=1", false, true),
            ("+batched:size=2", false, true),
        ] {
            let delivery = delivery(wrappers);
            assert_eq!((delivery.is_prompt(), delivery.is_late()), (prompt, late), "{wrappers}");
        }
    }

    #[test]
    fn trace_in_words() {
        assert_eq!(delivery("").to_string(), "outcomes arrive at once");
        assert_eq!(
            delivery("+delayed:mean=7+batched:size=5+lossy:share=0.25+nodes:count=3,stale=9").to_string(),
            "outcomes arrive a geometric number of rounds late, 7 on average, at the end of every 5 rounds; \
             a share of 0.25 is lost; 3 nodes take turns, each 9 rounds behind the others"
        );
    }

    /// 40,000 draws of mean 10. The geometric distribution on 0, 1, ... has variance 10 * 11 = 110,
    /// thus a standard error of 0.052. The uniform distribution on 0..=20 has variance 440 / 12 =
    /// 36.7, thus a standard error of 0.030. A share of 0.2 has the standard error
    /// sqrt(0.16 / 40,000) = 0.002. Five standard errors are allowed.
    #[test]
    fn stat_means_and_shares() {
        for (wrappers, mean, error) in
            [("+delayed:mean=10", 10.0, 0.052), ("+delayed:mean=10,law=uniform", 10.0, 0.030)]
        {
            let delivery = delivery(wrappers);
            let mut rng = Stream::new(2).rng();
            let delays: Vec<_> = (0..40_000).map(|_| delivery.arrival(5, &mut rng).arrives - 5).collect();
            let got = delays.iter().sum::<u64>() as f64 / 40_000.0;
            assert!((got - mean).abs() < 5.0 * error, "{wrappers}: {got}");
            assert!(delays.iter().all(|&delay| delay <= delivery.longest()), "{wrappers}");
        }
        let delivery = delivery("+lossy:share=0.2");
        let mut rng = Stream::new(3).rng();
        let lost = (0..40_000).filter(|&t| delivery.arrival(t, &mut rng).lost).count() as f64;
        assert!((lost / 40_000.0 - 0.2).abs() < 0.01);
    }
}
