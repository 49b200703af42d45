//! A result that is withheld until its records are durable.

use std::time::Instant;

use tokio::sync::{oneshot, watch};

use super::ArenaError;
use super::live::{LiveExperiment, Progress};
use crate::store::StoreError;

/// The result of a write, and when it was known.
pub(super) type Written = Result<Instant, StoreError>;

/// Receives the result of a write.
pub(super) type Receiver = oneshot::Receiver<Written>;

/// A result that must not be sent before its records are durable.
#[must_use = "the result is durable only after waiting for it"]
#[derive(Debug)]
pub struct Pending<T> {
    value: T,
    wait: Wait,
}

#[derive(Debug)]
enum Wait {
    /// For this request's own write.
    Write(Receiver),
    /// For the write of another request, up to this log position. In a later epoch, the position
    /// may have a different record.
    Until { progress: watch::Receiver<Progress>, seq: u64, epoch: u64 },
}

impl<T> Pending<T> {
    pub(super) fn write(value: T, receiver: Receiver) -> Self {
        Self { value, wait: Wait::Write(receiver) }
    }

    /// A result that depends on the log up to this position. It was decided from the present state,
    /// which the caller has locked.
    pub(super) fn until(value: T, live: &LiveExperiment, seq: u64) -> Self {
        let epoch = live.epoch();
        Self { value, wait: Wait::Until { progress: live.progress.subscribe(), seq, epoch } }
    }

    /// Waits until the result is durable.
    ///
    /// # Errors
    ///
    /// If the store failed.
    pub async fn wait(self) -> Result<T, ArenaError> {
        Ok(self.wait_timed().await?.0)
    }

    /// Waits until the result is durable. Also returns when the store was done; the time since then
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

    /// The result if it is durable already; otherwise itself, to poll again later.
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
                // Ask this first: records written before the writer stopped still count.
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

    /// The result, to go on working with, and what to wait for before anything is sent that depends
    /// on it.
    pub fn split(self) -> (T, Pending<()>) {
        (self.value, Pending { value: (), wait: self.wait })
    }

    /// Applies a function to the result.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Pending<U> {
        Pending { value: change(self.value), wait: self.wait }
    }
}

fn stopped() -> StoreError {
    StoreError::Unavailable { text: "the records that it depends on could not be written".to_owned() }
}
