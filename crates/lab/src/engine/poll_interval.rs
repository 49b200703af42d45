//! How many rounds a run plays between two looks at the clock.

use std::time::{Duration, Instant};

/// The number of rounds until the next look at the clock. If rounds are slow, it is small, so that
/// a run ends soon after it is asked to stop. If they are fast, it is so large that the looks cost
/// nothing.
#[derive(Debug)]
pub(crate) struct PollInterval {
    rounds: u64,
    since: Instant,
}

impl PollInterval {
    /// At one nanosecond per round, the clock is read every 65 microseconds.
    const MOST: u64 = 1 << 16;
    /// The first stretch is short, because nobody knows what its rounds cost.
    const FIRST: u64 = 1;
    /// Well below the tenth of a second within which an answer feels immediate.
    const AIM: Duration = Duration::from_millis(20);

    pub(crate) fn new() -> Self {
        Self { rounds: Self::FIRST, since: Instant::now() }
    }

    /// The last round of the stretch that begins after `round`.
    pub(crate) fn end(&self, round: u64, checkpoint: u64) -> u64 {
        checkpoint.min(round.saturating_add(self.rounds))
    }

    /// Records that a stretch was played, and adjusts the length of the next.
    pub(crate) fn lap(&mut self) {
        let now = Instant::now();
        self.adjust(now - self.since);
        self.since = now;
    }

    fn adjust(&mut self, took: Duration) {
        if took > Self::AIM {
            self.rounds = (self.rounds / 2).max(1);
        } else if took < Self::AIM / 4 {
            self.rounds = (self.rounds * 2).min(Self::MOST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_slow_rounds_are_few_and_fast_ones_many() {
        let mut interval = PollInterval::new();
        for _ in 0..30 {
            interval.adjust(Duration::from_micros(1));
        }
        assert_eq!(interval.end(10, u64::MAX), 10 + PollInterval::MOST);
        assert_eq!(interval.end(10, 12), 12);
        for _ in 0..30 {
            interval.adjust(Duration::from_secs(1));
        }
        assert_eq!(interval.end(10, u64::MAX), 11);
    }
}
