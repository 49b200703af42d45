//! The stopwatch: contestants that take turns.

use std::time::Duration;

use tiltyard_bandit::policy::Policy;
use tiltyard_world::World;

use crate::TimedWorld;

/// The shortest repetition. Clocks, interrupts and cold caches then have little weight.
pub const LEAST: Duration = Duration::from_millis(50);

/// Something to time, for any number of rounds.
pub struct Contestant<'a> {
    name: String,
    rounds: u64,
    play: Box<dyn FnMut(u64) -> Duration + 'a>,
}

impl<'a> Contestant<'a> {
    /// Times `play`, which receives a number of rounds and reads the clock itself, so that it can
    /// prepare outside the measured time.
    pub fn new(name: impl Into<String>, rounds: u64, play: impl FnMut(u64) -> Duration + 'a) -> Self {
        Self { name: name.into(), rounds, play: Box::new(play) }
    }

    /// Times whole rounds of a policy. Every repetition starts from the same copy with the same
    /// randomness.
    pub fn whole_rounds<P: Policy + 'a, W: World>(
        name: impl Into<String>,
        rounds: u64,
        policy: P,
        world: &'a TimedWorld<W>,
    ) -> Self {
        Self::new(name, rounds, move |rounds| world.time(&policy, rounds))
    }

    /// Rounds in a repetition.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Sets the rounds in a repetition.
    pub fn set_rounds(&mut self, rounds: u64) {
        self.rounds = rounds;
    }

    /// Sets the number of rounds to 1, 2, 5, 10, 20, ... until they last `least`.
    pub fn calibrate(&mut self, least: Duration) {
        let mut step = [2, 5, 10].into_iter().cycle();
        let (mut power, mut rounds) = (1, 1);
        while (self.play)(rounds) < least {
            let digit = step.next().expect("a cycle has no end");
            rounds = power * digit;
            if digit == 10 {
                power = rounds;
            }
        }
        self.rounds = rounds;
    }
}

/// How long the repetitions of one contestant took.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// The name of the contestant.
    pub name: String,
    /// Rounds in each repetition.
    pub rounds: u64,
    /// Nanoseconds per round, one number per repetition, in the order of measurement.
    pub nanos: Vec<f64>,
}

impl Timing {
    /// The median number of nanoseconds per round.
    pub fn median(&self) -> f64 {
        median(&self.nanos)
    }

    /// The ratio of this time to the other's time. Each repetition is compared with the other's
    /// repetition of the same turn, and the median of these ratios is returned, so that a slow
    /// minute affects both alike.
    pub fn over(&self, other: &Self) -> f64 {
        let ratios: Vec<f64> = self.nanos.iter().zip(&other.nanos).map(|(own, other)| own / other).collect();
        median(&ratios)
    }
}

/// Times the contestants in turn, A B C A B C ..., after one turn that does not count.
pub fn race(contestants: &mut [Contestant<'_>], repetitions: usize) -> Vec<Timing> {
    let mut timings: Vec<Timing> = contestants
        .iter()
        .map(|contestant| Timing {
            name: contestant.name.clone(),
            rounds: contestant.rounds,
            nanos: Vec::with_capacity(repetitions),
        })
        .collect();
    for turn in 0..=repetitions {
        for (contestant, timing) in contestants.iter_mut().zip(&mut timings) {
            let time = (contestant.play)(contestant.rounds);
            if turn > 0 {
                timing.nanos.push(time.as_secs_f64() * 1e9 / contestant.rounds as f64);
            }
        }
    }
    timings
}

/// The median; the mean of the middle two if there is no middle one.
///
/// # Panics
///
/// If there are no numbers.
pub fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn trace_median() {
        let of = |numbers: &[f64], expected: f64| (median(numbers) - expected).abs() < 1e-15;
        assert!(of(&[3.0], 3.0) && of(&[3.0, 1.0], 2.0) && of(&[5.0, 1.0, 2.0], 2.0));
    }

    #[test]
    fn trace_contestants_take_turns_and_the_first_turn_does_not_count() {
        let order = RefCell::new(String::new());
        let mut contestants: Vec<_> = [("a", 10), ("b", 20)]
            .map(|(name, nanos)| {
                let order = &order;
                Contestant::new(name, 5, move |rounds| {
                    order.borrow_mut().push_str(name);
                    Duration::from_nanos(nanos * rounds)
                })
            })
            .into();
        let timings = race(&mut contestants, 3);
        assert_eq!(*order.borrow(), "abababab");
        assert_eq!(timings[1].nanos.len(), 3);
        assert!((timings[1].median() - 20.0).abs() < 1e-9);
        assert!((timings[1].over(&timings[0]) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn trace_calibration_takes_steps_of_1_2_5() {
        for (nanos, expected) in
            [(60_000_000, 1), (30_000_000, 2), (11_000_000, 5), (6_000_000, 10), (90, 1_000_000)]
        {
            let mut contestant = Contestant::new("", 1, move |rounds| Duration::from_nanos(nanos * rounds));
            contestant.calibrate(LEAST);
            assert_eq!(contestant.rounds, expected);
        }
    }
}
