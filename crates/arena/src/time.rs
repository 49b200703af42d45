//! Moments, and where they come from.

use core::fmt;
use core::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A moment, in microseconds since 1970. In the log it is that number, on the wire RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Time(pub i64);

impl Time {
    /// The moment so many seconds later.
    #[must_use]
    pub fn plus_seconds(self, seconds: u64) -> Self {
        let micros = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000_000);
        Self(self.0.saturating_add(micros))
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

/// Text that is no moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a time such as 2026-01-31T12:00:00Z")]
pub struct TimeError {
    /// What was given.
    pub text: String,
}

impl FromStr for Time {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let timestamp: Timestamp = text.parse().map_err(|_| TimeError { text: text.to_owned() })?;
        Ok(Self(timestamp.as_microsecond()))
    }
}

/// What tells the time. Tests bring their own.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Time;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Time {
        Time(Timestamp::now().as_microsecond())
    }
}
