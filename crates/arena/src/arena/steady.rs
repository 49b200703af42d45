//! The time of the arena. It never goes back, and it tells how much time was skipped.
//!
//! The wall clock says what time it is, but someone may set it. Another clock of the machine cannot
//! be set, but knows no date. Together they tell a jump of the wall clock from time that passed.

use std::sync::{Arc, Mutex};

use super::lock;
use crate::time::{Clock, Time};

/// The wall clock jumped if it moved by more than this against the other clock, in microseconds.
/// Smaller steps are ordinary corrections.
const JUMP: i64 = 10_000_000;

/// The time of the arena.
pub(super) struct SteadyClock {
    clock: Arc<dyn Clock>,
    steady: Mutex<Steady>,
}

/// The time, and how much time was skipped until then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) now: Time,
    /// The sum of all jumps forward since the start, in microseconds.
    pub(super) skipped: i64,
}

#[derive(Debug)]
struct Steady {
    /// The time of the arena, minus the time of the clock that nobody can set. It never decreases.
    offset: i64,
    skipped: i64,
    /// How far the wall clock was behind the time of the arena after its last jump.
    behind: i64,
}

/// A jump of the wall clock, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Jump {
    Forward(i64),
    Back(i64),
}

impl SteadyClock {
    /// A clock that starts at `floor` if the wall clock is behind it.
    pub(super) fn new(clock: Arc<dyn Clock>, floor: Option<Time>) -> Self {
        let (wall, elapsed) = look(&*clock);
        let steady = Steady::new(floor, wall, elapsed);
        if steady.behind > JUMP {
            let seconds = steady.behind / 1_000_000;
            tracing::warn!(seconds, "the clock is behind the log: time continues from the newest record");
        }
        Self { clock, steady: Mutex::new(steady) }
    }

    pub(super) fn read(&self) -> Reading {
        let mut steady = lock(&self.steady);
        let (wall, elapsed) = look(&*self.clock);
        let (reading, jump) = steady.read(wall, elapsed);
        match jump {
            None => {}
            Some(Jump::Forward(micros)) => {
                let seconds = micros / 1_000_000;
                tracing::warn!(seconds, "the clock jumped forward: duels in flight get this much more time");
            }
            Some(Jump::Back(micros)) => {
                let seconds = micros / 1_000_000;
                tracing::warn!(seconds, "the clock jumped back: the server ignores that");
            }
        }
        reading
    }
}

/// Reads the wall clock before the other clock. If this thread is interrupted in between, the wall
/// clock seems to be behind for once, which changes nothing.
fn look(clock: &dyn Clock) -> (i64, i64) {
    let wall = clock.now().0;
    (wall, i64::try_from(clock.elapsed().as_micros()).unwrap_or(i64::MAX))
}

impl Steady {
    fn new(floor: Option<Time>, wall: i64, elapsed: i64) -> Self {
        let start = floor.map_or(wall, |floor| floor.0.max(wall));
        Self { offset: start.saturating_sub(elapsed), skipped: 0, behind: start.saturating_sub(wall) }
    }

    /// The time of the arena, and whether the wall clock has jumped since the last reading.
    fn read(&mut self, wall: i64, elapsed: i64) -> (Reading, Option<Jump>) {
        let ahead = wall.saturating_sub(elapsed).saturating_sub(self.offset);
        let mut jump = None;
        if ahead > 0 {
            self.offset += ahead;
            self.behind = 0;
            if ahead > JUMP {
                self.skipped = self.skipped.saturating_add(ahead);
                jump = Some(Jump::Forward(ahead));
            }
        } else {
            let back = ahead.saturating_neg().saturating_sub(self.behind);
            if back > JUMP {
                jump = Some(Jump::Back(back));
            }
            if back.saturating_abs() > JUMP {
                self.behind = self.behind.saturating_add(back);
            }
        }
        let now = Time(self.offset.saturating_add(elapsed));
        (Reading { now, skipped: self.skipped }, jump)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: i64 = 1_000_000;

    /// About a thousand years.
    const FAR: i64 = 30_000_000_000 * SECOND;

    /// The seconds of the time and of the skipped time, and the jump.
    fn read(steady: &mut Steady, wall: i64, elapsed: i64) -> (i64, i64, Option<Jump>) {
        let (Reading { now, skipped }, jump) = steady.read(wall * SECOND, elapsed * SECOND);
        (now.0 / SECOND, skipped / SECOND, jump)
    }

    #[test]
    fn trace_jumps_of_the_wall_clock() {
        let mut steady = Steady::new(None, 1000 * SECOND, 0);
        assert_eq!(read(&mut steady, 1005, 5), (1005, 0, None));
        // Small steps are followed forward, and ignored back.
        assert_eq!(read(&mut steady, 1020, 10), (1020, 0, None));
        assert_eq!(read(&mut steady, 1015, 10), (1020, 0, None));
        assert_eq!(read(&mut steady, 1021, 16), (1026, 0, None));
        // Forward by 1000 seconds.
        let jump = Some(Jump::Forward(1000 * SECOND));
        assert_eq!(read(&mut steady, 2030, 20), (2030, 1000, jump));
        assert_eq!(read(&mut steady, 2031, 21), (2031, 1000, None));
        // Back by as much: time goes on, and this is reported once.
        let jump = Some(Jump::Back(1000 * SECOND));
        assert_eq!(read(&mut steady, 1032, 22), (2032, 1000, jump));
        assert_eq!(read(&mut steady, 1042, 32), (2042, 1000, None));
        let jump = Some(Jump::Back(100 * SECOND));
        assert_eq!(read(&mut steady, 943, 33), (2043, 1000, jump));
        // Forward by 1100 seconds, to where the time is anyway: nothing is skipped.
        assert_eq!(read(&mut steady, 2044, 34), (2044, 1000, None));
        // Forward by 11 seconds.
        let jump = Some(Jump::Forward(11 * SECOND));
        assert_eq!(read(&mut steady, 2056, 35), (2056, 1011, jump));
        // Back again, as the first time.
        let jump = Some(Jump::Back(11 * SECOND));
        assert_eq!(read(&mut steady, 2046, 36), (2057, 1011, jump));
    }

    #[test]
    fn trace_the_time_starts_at_the_floor() {
        let mut steady = Steady::new(Some(Time(5000 * SECOND)), 1000 * SECOND, 70 * SECOND);
        assert_eq!(steady.behind, 4000 * SECOND);
        assert_eq!(read(&mut steady, 1003, 73), (5003, 0, None));
        // The wall clock is corrected, and is one hour ahead of the floor.
        let jump = Some(Jump::Forward(3600 * SECOND));
        assert_eq!(read(&mut steady, 8604, 74), (8604, 3600, jump));
        let mut steady = Steady::new(Some(Time(5000 * SECOND)), 6000 * SECOND, 70 * SECOND);
        assert_eq!(read(&mut steady, 6001, 71), (6001, 0, None));
    }

    proptest! {
        /// Whatever the wall clock does, the time never goes back, and passes at least as fast as
        /// the clock that nobody can set. Time beyond that is skipped or comes in small steps.
        #[test]
        fn law_the_time_never_goes_back(
            floor in proptest::option::of(-FAR..FAR),
            steps in proptest::collection::vec((-FAR..FAR, 0..1000 * SECOND), 1..40),
        ) {
            let mut elapsed = 0;
            let mut steady = Steady::new(floor.map(Time), steps[0].0, elapsed);
            let mut last = steady.read(steps[0].0, elapsed).0;
            for (wall, passed) in steps {
                elapsed += passed;
                let (reading, _) = steady.read(wall, elapsed);
                let ahead = reading.now.0 - last.now.0 - passed;
                let skipped = reading.skipped - last.skipped;
                prop_assert!(ahead >= 0);
                prop_assert_eq!(skipped, if ahead > JUMP { ahead } else { 0 });
                last = reading;
            }
        }
    }
}
