//! Parses moments: `2026-01-31T12:00:00Z`, or a duration before or after now.

use tiltyard::arena::time::{Clock as _, SystemClock, Time};

/// A time, or a duration before now: `90m`.
pub(super) fn past(text: &str) -> Result<Time, String> {
    moment(text, -1)
}

/// A time, or a duration from now: `30d`.
pub(super) fn future(text: &str) -> Result<Time, String> {
    moment(text, 1)
}

fn moment(text: &str, direction: i64) -> Result<Time, String> {
    if let Ok(time) = text.parse() {
        return Ok(time);
    }
    let length = length(text).and_then(|seconds| seconds.checked_mul(direction)?.checked_mul(1_000_000));
    let moment = length.and_then(|micros| SystemClock.now().0.checked_add(micros));
    moment.map(Time).ok_or_else(|| {
        "neither a time such as 2026-01-31T12:00:00Z nor a duration such as 30s, 15m, 12h or 30d".to_owned()
    })
}

/// A duration in seconds.
fn length(text: &str) -> Option<i64> {
    let unit = text.chars().last()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return None,
    };
    let number: u32 = text[..text.len() - 1].parse().ok()?;
    i64::from(number).checked_mul(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_lengths() {
        for (text, seconds) in [("30s", 30), ("15m", 900), ("12h", 43_200), ("30d", 2_592_000)] {
            assert_eq!(length(text), Some(seconds), "{text}");
        }
        for text in ["", "d", "30", "-1d", "1.5h", "1w", "99999999999d", "1é"] {
            assert_eq!(length(text), None, "{text}");
        }
    }

    #[test]
    fn trace_moments() {
        assert_eq!(past("1970-01-01T00:00:01Z"), Ok(Time(1_000_000)));
        assert_eq!(future("1970-01-01T00:00:01Z"), Ok(Time(1_000_000)));
        let now = SystemClock.now();
        assert!(past("1h").is_ok_and(|time| time < now) && future("1h").is_ok_and(|time| time > now));
        assert!(past("yesterday").is_err() && future("2026-13-01T00:00:00Z").is_err());
    }
}
