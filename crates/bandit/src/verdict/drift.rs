//! A test of whether a pair's win rate changes over time.

use core::f64::consts::PI;

use serde::{Deserialize, Serialize};

use super::interval::interval;
use super::{Interval, Tally};
use crate::Outcome;

/// The number of votes after which a new sequence starts.
const BLOCK: u64 = 32;

/// Watches one pair for a change of its win rate. Its votes must arrive in the order in which their
/// duels were issued.
///
/// If the rate is constant, the votes after *any* position are about the same rate. Intervals that
/// start at different positions, or are computed at different times, then all contain the true
/// rate, so two disjoint intervals prove a change. A new sequence of intervals starts after every
/// 32 votes, the k-th (counted from 0) at the level 6 level / (pi (k + 1))^2. These levels sum to
/// `level`. If the rate is constant, the probability of ever raising the alarm is therefore at most
/// `level`, however often you look. The idea of turning estimates into detectors is from Shekhar
/// and Ramdas, "Reducing sequential change detection to sequential estimation", DOI
/// 10.48550/arXiv.2309.09111.
///
/// The state contains the largest low limit and the smallest high limit so far, and O(log n) of the
/// sequences. The sequence that started at block b lives for 4 * 2^z blocks, where 2^z is the
/// largest power of two that divides b, so the ages of the sequences are about geometric at any
/// time. The interval of a sequence is computed eight times while its number of votes doubles. A
/// vote costs O(log n) additions and, on average, less than one interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    level: f64,
    votes: u64,
    /// Largest low limit and smallest high limit of all intervals seen.
    low: f64,
    high: f64,
    alarm: Option<u64>,
    sequences: Vec<Sequence>,
}

/// The votes since the start of a block.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Sequence {
    block: u64,
    /// The number of votes since then.
    votes: u64,
    /// The weighted score and the total weight of the votes since then.
    score: f64,
    weight: f64,
}

impl Drift {
    /// A watch that ever raises a false alarm with probability at most `level`. For several pairs,
    /// divide the level by their number.
    pub const fn new(level: f64) -> Self {
        Self { level, votes: 0, low: 0.0, high: 1.0, alarm: None, sequences: Vec::new() }
    }

    /// The number of votes so far.
    pub const fn votes(&self) -> u64 {
        self.votes
    }

    /// The number of votes after which the alarm was raised, if it was raised. An alarm is
    /// permanent.
    pub const fn alarm(&self) -> Option<u64> {
        self.alarm
    }

    /// Takes the next vote, with a weight of at most 1.
    pub fn add(&mut self, outcome: Outcome, weight: f64) {
        let mut vote = Tally::default();
        vote.add(outcome, weight);
        self.absorb(&vote);
    }

    /// Takes the next votes at once, for example if their order among themselves is no longer
    /// known.
    pub fn absorb(&mut self, votes: &Tally) {
        let now = self.votes / BLOCK;
        if self.sequences.last().is_none_or(|last| last.block < now) {
            self.sequences.retain(|sequence| sequence.lives(now));
            self.sequences.push(Sequence { block: now, votes: 0, score: 0.0, weight: 0.0 });
        }
        // Counted by number: a vote with a weight below 1 is one vote.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of votes is not negative, and below 2^63"
        )]
        let n_votes = votes.votes.max(1.0) as u64;
        self.votes += n_votes;
        for sequence in &mut self.sequences {
            let before = sequence.votes;
            sequence.votes += n_votes;
            sequence.score += votes.score;
            sequence.weight += votes.votes;
            if due_within(before, sequence.votes) {
                let share = PI * (sequence.block + 1) as f64;
                let Interval { low, high } =
                    interval(sequence.score, sequence.weight, 6.0 * self.level / (share * share));
                self.low = self.low.max(low);
                self.high = self.high.min(high);
            }
        }
        if self.low > self.high && self.alarm.is_none() {
            self.alarm = Some(self.votes);
        }
    }
}

impl Sequence {
    /// Whether the sequence is still needed when block `now` begins. The first sequence always is,
    /// because it has the most votes.
    const fn lives(&self, now: u64) -> bool {
        self.block == 0 || now - self.block < 4 << self.block.trailing_zeros()
    }
}

/// Whether the interval is computed when a sequence grows from `before` to `votes` votes: eight
/// times between powers of two.
const fn due_within(before: u64, votes: u64) -> bool {
    let power = votes.ilog2();
    let step = if power > 6 { 1 << (power - 3) } else { 8 };
    votes / step > before / step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;
    use proptest::prelude::*;
    use rand::RngExt;

    /// Feeds votes until the alarm, at most `votes` of them. The rate changes after `change` votes.
    fn watch(seed: u64, rates: (f64, f64), change: u64, votes: u64) -> Drift {
        let mut rng = Stream::new(seed).label("drift").rng();
        let mut drift = Drift::new(0.05);
        while drift.votes() < votes && drift.alarm().is_none() {
            let rate = if drift.votes() < change { rates.0 } else { rates.1 };
            drift.add(Outcome::won(rng.random::<f64>() < rate), 1.0);
        }
        drift
    }

    #[test]
    fn trace_all_wins_then_all_losses() {
        // After 64 wins the first sequence has, at level 6 * 0.05 / pi^2 = 0.0304, a low limit of
        // (0.0304 B(64.5, 0.5) / pi)^(1/64), where B(64.5, 0.5)/pi = 0.0704: ln 0.00214 / 64 =
        // -0.0960, so 0.908.
        let mut drift = Drift::new(0.05);
        for _ in 0..64 {
            drift.add(Outcome::WIN, 1.0);
        }
        assert!((drift.low - 0.908).abs() < 1e-3 && drift.high >= 1.0 && drift.alarm().is_none());
        // The sequence that starts at block 2, level 0.0304 / 9 = 0.00338, has after 8 losses a
        // high limit of 1 - (0.00338 * 0.196)^(1/8) = 0.599, where B(8.5, 0.5)/pi = 0.1964:
        // disjoint.
        for _ in 0..7 {
            drift.add(Outcome::LOSS, 1.0);
        }
        assert!(drift.alarm().is_none());
        drift.add(Outcome::LOSS, 1.0);
        assert_eq!(drift.alarm(), Some(72));
        assert!((drift.high - 0.599).abs() < 1e-3);
    }

    #[test]
    fn trace_few_sequences_live() {
        let mut drift = Drift::new(0.05);
        for _ in 0..100_000 {
            drift.add(Outcome::TIE, 1.0);
        }
        // 3125 blocks: at most two of each of 12 powers of two, and the first.
        assert!(drift.sequences.len() <= 25, "{}", drift.sequences.len());
        assert!(drift.alarm().is_none());
    }

    #[test]
    fn stat_a_flip_is_found_and_constancy_is_not_taken_for_change() {
        // From .7 to .3 after 500 votes: the alarm is raised 68 votes later in the median of 50
        // runs, and 132 votes later at most.
        let mut delays: Vec<u64> =
            (0..50).map(|seed| watch(seed, (0.7, 0.3), 500, 2000).alarm().unwrap() - 500).collect();
        delays.sort_unstable();
        assert!(delays[25] <= 100 && delays[49] <= 200, "{delays:?}");
        // Long after the start the delay is similar, because new sequences start all the time.
        let late = watch(1, (0.7, 0.3), 20_000, 22_000).alarm().unwrap() - 20_000;
        assert!(late <= 300, "{late}");
        // With a constant rate, at most one run in twenty raises an alarm. If the probability were
        // exactly the level, more than 10 of 100 would happen with probability 0.01.
        let false_alarms =
            (0..100).filter(|&seed| watch(seed, (0.6, 0.6), 0, 2000).alarm().is_some()).count();
        assert!(false_alarms <= 10, "{false_alarms}");
    }

    proptest! {
        #[test]
        fn law_saved_and_restored_it_goes_on(scores in prop::collection::vec(-1.0_f64..=1.0, 1..300), split in 0_usize..300) {
            let (mut straight, mut broken) = (Drift::new(0.05), Drift::new(0.05));
            for (i, &score) in scores.iter().enumerate() {
                if i == split {
                    broken = serde_json::from_str(&serde_json::to_string(&broken).unwrap()).unwrap();
                }
                let outcome = Outcome::new(score).unwrap();
                straight.add(outcome, 1.0);
                broken.add(outcome, 1.0);
            }
            prop_assert_eq!(straight, broken);
        }
    }
}
