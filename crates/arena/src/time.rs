//! Times and clocks.

use core::fmt;
use core::str::FromStr;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A point in time, in microseconds since 1970. The log stores this number; the API uses RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(pub i64);

impl Time {
    /// The time this many seconds later.
    #[must_use]
    pub fn plus_seconds(self, seconds: u64) -> Self {
        self.plus_micros(seconds.saturating_mul(1_000_000))
    }

    /// The time this many microseconds later.
    #[must_use]
    pub(crate) fn plus_micros(self, micros: u64) -> Self {
        Self(self.0.saturating_add_unsigned(micros))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_microsecond(self.0) {
            Ok(timestamp) => timestamp.fmt(f),
            Err(_) => write!(f, "{} microseconds after 1970", self.0),
        }
    }
}

/// Text that is not a time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a time such as 2026-01-31T12:00:00Z")]
pub struct TimeError {
    /// The given text.
    pub text: String,
}

impl FromStr for Time {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let timestamp: Timestamp = text.parse().map_err(|_| TimeError { text: text.to_owned() })?;
        Ok(Self(timestamp.as_microsecond()))
    }
}

/// A number of seconds as people say it: 90 seconds, 24 hours, 7 days.
pub(crate) fn duration_text(seconds: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(24 * 3600, "day"), (3600, "hour"), (60, "minute")];
    let whole = |&(unit, _): &(u64, &str)| seconds >= 2 * unit && seconds.is_multiple_of(unit);
    let (unit, name) = UNITS.into_iter().find(whole).unwrap_or((1, "second"));
    let count = seconds / unit;
    format!("{count} {name}{}", if count == 1 { "" } else { "s" })
}

/// The same, rounded to whole units: 7261 seconds are 2 hours.
pub(crate) fn rounded_duration_text(seconds: u64) -> String {
    let unit = [24 * 3600, 3600, 60].into_iter().find(|unit| seconds >= 2 * unit).unwrap_or(1);
    duration_text(seconds.saturating_add(unit / 2) / unit * unit)
}

/// A source of the current time. Tests use their own.
///
/// The arena derives its own time from both readings ([`crate::Arena::now`]), so that the time of
/// the arena does not go back when the wall clock does.
pub trait Clock: Send + Sync {
    /// The time by the wall clock, which someone may set forward or back.
    fn now(&self) -> Time;

    /// The time since some fixed moment, by a clock that nobody can set. The default is for a wall
    /// clock that is never set.
    fn elapsed(&self) -> Duration {
        Duration::from_micros(u64::try_from(self.now().0).unwrap_or(0))
    }
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        Time(Timestamp::now().as_microsecond())
    }

    fn elapsed(&self) -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_durations_in_words() {
        let cases = [
            (1, "1 second"),
            (60, "60 seconds"),
            (90, "90 seconds"),
            (120, "2 minutes"),
            (86_400, "24 hours"),
            (604_800, "7 days"),
        ];
        for (seconds, text) in cases {
            assert_eq!(duration_text(seconds), text);
        }
    }

    #[test]
    fn trace_rounded_durations_in_words() {
        let cases = [
            (61, "61 seconds"),
            (119, "119 seconds"),
            (149, "2 minutes"),
            (7_261, "2 hours"),
            (40 * 3600 + 1, "40 hours"),
            (48 * 3600 - 1, "2 days"),
            (10 * 365 * 86_400 + 7, "3650 days"),
            (u64::MAX, "213503982334601 days"),
        ];
        for (seconds, text) in cases {
            assert_eq!(rounded_duration_text(seconds), text);
        }
    }
}
