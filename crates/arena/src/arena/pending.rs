//! An answer that waits until what it says is durable.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{oneshot, watch};

use super::ArenaError;
use super::live::{LiveExperiment, Progress};
use crate::store::StoreError;

/// How a write went, and when that was known.
pub(super) type Written = Result<Instant, StoreError>;

/// Tells how a write went.
pub(super) type Receiver = oneshot::Receiver<Written>;

/// An answer that must not leave before what it says is durable.
#[must_use = "it is not durable before it was waited for"]
#[derive(Debug)]
pub struct Pending<T> {
    value: T,
    wait: Wait,
}

#[derive(Debug)]
enum Wait {
    /// For a write of its own.
    Write(Receiver),
    /// For a write that somebody else waits for, decided in that epoch: in a later one the log
    /// position may hold something else.
    Until { progress: watch::Receiver<Progress>, seq: u64, epoch: u64 },
}

impl<T> Pending<T> {
    pub(super) fn write(value: T, receiver: Receiver) -> Self {
        Self { value, wait: Wait::Write(receiver) }
    }

    /// An answer about something that stands in the log, up to that log position, by a state of
    /// that epoch.
    pub(super) fn until(value: T, live: &Arc<LiveExperiment>, seq: u64, epoch: u64) -> Self {
        Self { value, wait: Wait::Until { progress: live.progress.subscribe(), seq, epoch } }
    }

    /// The answer, once it holds.
    ///
    /// # Errors
    ///
    /// If the store failed.
    pub async fn wait(self) -> Result<T, ArenaError> {
        Ok(self.wait_timed().await?.0)
    }

    /// The answer, once it holds, and since when the store has known that: what passed since then
    /// was spent elsewhere.
    ///
    /// # Errors
    ///
    /// If the store failed.
    pub async fn wait_timed(self) -> Result<(T, Instant), ArenaError> {
        let since = match self.wait {
            Wait::Write(receiver) => receiver.await.unwrap_or_else(|_| Err(stopped()))?,
            Wait::Until { mut progress, seq, epoch } => {
                let reached = progress.wait_for(|now| now.durable >= seq || now.epoch != epoch).await;
                if !reached.is_ok_and(|now| now.epoch == epoch) {
                    return Err(stopped().into());
                }
                Instant::now()
            }
        };
        Ok((self.value, since))
    }

    /// The answer, if it is known already whether it holds; else what to ask later.
    ///
    /// # Errors
    ///
    /// If the store failed.
    pub fn poll(mut self) -> Result<Result<T, Self>, ArenaError> {
        let result = match &mut self.wait {
            Wait::Write(receiver) => match receiver.try_recv() {
                Ok(result) => Some(result.map(drop)),
                Err(oneshot::error::TryRecvError::Empty) => None,
                Err(oneshot::error::TryRecvError::Closed) => Some(Err(stopped())),
            },
            Wait::Until { progress, seq, epoch } => {
                // Asked first: what was written before the writer went still counts.
                let gone = progress.has_changed().is_err();
                let now = *progress.borrow();
                match (now.epoch == *epoch, now.durable >= *seq) {
                    (true, true) => Some(Ok(())),
                    (true, false) if !gone => None,
                    _ => Some(Err(stopped())),
                }
            }
        };
        match result {
            Some(Ok(())) => Ok(Ok(self.value)),
            Some(Err(error)) => Err(error.into()),
            None => Ok(Err(self)),
        }
    }

    /// The same answer in other words.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Pending<U> {
        Pending { value: change(self.value), wait: self.wait }
    }
}

fn stopped() -> StoreError {
    StoreError::Unavailable { text: "what it rests on could not be written".to_owned() }
}
