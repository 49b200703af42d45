//! The rate limit: one token bucket per key.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::id::KeyId;
use crate::time::Time;

/// How many seconds' worth of requests may arrive at once.
const BURST: f64 = 2.0;

/// The buckets of all keys, locked for a look-up.
#[derive(Debug, Default)]
pub(crate) struct Rates(Mutex<BTreeMap<KeyId, Bucket>>);

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,
    at: Time,
}

impl Rates {
    /// Takes a token, or returns the seconds until there is one. A limit of 0 means no limit.
    pub(crate) fn take(&self, key: KeyId, now: Time, limit: u32) -> Result<(), u64> {
        if limit == 0 {
            return Ok(());
        }
        let limit = f64::from(limit);
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.entry(key).or_insert(Bucket { tokens: limit * BURST, at: now });
        // A clock that is set back adds no tokens.
        let seconds = (now.0 - bucket.at.0).max(0) as f64 / 1e6;
        bucket.tokens = (bucket.tokens + seconds * limit).min(limit * BURST);
        bucket.at = now;
        if bucket.tokens < 1.0 {
            return Err(1);
        }
        bucket.tokens -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_a_bucket_fills_by_the_second() {
        let rates = Rates::default();
        let key = KeyId::from_random(2);
        let take = |micros| rates.take(key, Time(micros), 3);
        assert_eq!([0; 7].map(|at| take(at).is_ok()), [true, true, true, true, true, true, false]);
        assert_eq!(take(300_000), Err(1));
        assert_eq!(take(400_000), Ok(()));
        assert_eq!(take(400_000), Err(1));
        assert_eq!(rates.take(key, Time(400_000), 0), Ok(()));
        assert_eq!(rates.take(KeyId::from_random(4), Time(400_000), 3), Ok(()));
    }
}
