//! How many rounds a run plays between two looks at the clock.

use std::time::{Duration, Instant};

/// Rounds to play until someone is told: few where they are slow, so that a run ends soon after it
/// is asked to; and so many where they are fast that it costs nothing.
#[derive(Debug)]
pub(crate) struct PollInterval {
    rounds: u64,
    since: Instant,
}

impl PollInterval {
    /// At a nanosecond a round this is read every 65 microseconds.
    const MOST: u64 = 1 << 16;
    /// The first stretch, of rounds whose cost nobody knows.
    const FIRST: u64 = 1;
    /// Well below the tenth of a second within which people feel answered.
    const AIM: Duration = Duration::from_millis(20);

    pub(crate) fn new() -> Self {
        Self { rounds: Self::FIRST, since: Instant::now() }
    }

    /// The end of the stretch that begins after `round`.
    pub(crate) fn end(&self, round: u64, checkpoint: u64) -> u64 {
        checkpoint.min(round.saturating_add(self.rounds))
    }

    /// Takes note that a stretch was played.
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
