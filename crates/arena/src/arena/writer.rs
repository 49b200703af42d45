//! The writer: appends queued records in one batch and notifies the waiting requests. While the
//! disk syncs one batch the next one gathers, so that a sync is shared by all who came in the
//! meantime.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use tokio::sync::oneshot;

use super::live::LiveExperiment;
use super::pending::Written;
use super::{Waiting, snapshot_of};
use crate::domain::{Experiment, Record};
use crate::store::{Snapshot, Store, StoreError};
use crate::time::Time;

/// The most states that are turned into text at the same time.
const MOST_RENDERS: usize = 4;

/// The most records of one append: a batch is written in a few tens of milliseconds at most.
const MOST: usize = 8192;

/// What is sent to the writer.
#[derive(Debug)]
pub(super) enum Item {
    /// Records to be made durable.
    Write(Batch),
    /// The state after all records sent before.
    Snapshot { live: Arc<LiveExperiment>, epoch: u64, copy: Box<Experiment>, at: Time },
    /// A snapshot in its final form.
    Keep(Box<Snapshot>),
    /// The end.
    Stop,
}

/// Records of one request.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) live: Arc<LiveExperiment>,
    pub(super) epoch: u64,
    pub(super) records: Vec<Record>,
    /// The log position of the last of them.
    pub(super) last: u64,
    pub(super) done: oneshot::Sender<Written>,
}

/// The sending end.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    sender: Sender<Item>,
    /// Batches that were sent and not yet answered.
    pub(super) waiting: Waiting,
}

impl Queue {
    /// If the writer is gone, whoever waits finds out by the receiver that was dropped.
    pub(super) fn send(&self, item: Item) {
        if let Item::Write(_) = item {
            self.waiting.fetch_add(1, Ordering::Relaxed);
        }
        let _ = self.sender.send(item);
    }
}

/// The writer.
pub struct Writer {
    store: Arc<dyn Store>,
    receiver: Receiver<Item>,
    queue: Queue,
    /// Whether states are turned into text on another thread, so that nobody waits for that.
    threads: bool,
    /// Those threads, as far as they may still be at it.
    renders: Vec<JoinHandle<()>>,
    on_append: Box<dyn FnMut(Appended) + Send>,
}

/// What one append did, for those who measure.
#[derive(Debug, Clone, Copy)]
pub struct Appended {
    /// How many records.
    pub records: usize,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Whether it failed.
    pub failed: bool,
}

impl core::fmt::Debug for Writer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Writer")
    }
}

/// Stops a writer that runs on a thread, after all that was sent before.
#[derive(Debug, Clone)]
pub struct StopWriter(Queue);

impl StopWriter {
    /// Asks it to stop.
    pub fn stop(&self) {
        self.0.send(Item::Stop);
    }
}

impl Writer {
    pub(super) fn new(store: Arc<dyn Store>) -> (Queue, Self) {
        let (sender, receiver) = channel();
        let queue = Queue { sender, waiting: Waiting::default() };
        let on_append = Box::new(|_| {});
        (queue.clone(), Self { store, receiver, queue, threads: false, renders: Vec::new(), on_append })
    }

    /// Tells of each append.
    pub fn on_append(&mut self, tell: impl FnMut(Appended) + Send + 'static) {
        self.on_append = Box::new(tell);
    }

    /// What stops it when it runs.
    pub fn stopper(&self) -> StopWriter {
        StopWriter(self.queue.clone())
    }

    /// Writes until it is stopped. What was sent before that is written.
    pub fn run(mut self) {
        self.threads = true;
        while let Ok(item) = self.receiver.recv() {
            if !self.gather(item) {
                break;
            }
        }
    }

    /// Writes what waits, without waiting for more. Whether there was something.
    pub fn step(&mut self) -> bool {
        match self.receiver.try_recv() {
            Ok(item) => {
                self.gather(item);
                true
            }
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => false,
        }
    }

    /// Takes what waits, from this item on. False if that is the end.
    fn gather(&mut self, first: Item) -> bool {
        let mut batches = Vec::new();
        let mut n_records = 0;
        let mut next = Some(first);
        while let Some(item) = next {
            match item {
                Item::Write(batch) => {
                    n_records += batch.records.len();
                    batches.push(batch);
                }
                Item::Snapshot { live, epoch, copy, at } => {
                    // It holds only if all that it rests on was written.
                    self.write(core::mem::take(&mut batches));
                    n_records = 0;
                    if live.progress.borrow().epoch == epoch {
                        self.render(copy, at);
                    }
                }
                Item::Keep(snapshot) => self.keep(&snapshot),
                Item::Stop => {
                    self.write(batches);
                    self.keep_rest();
                    return false;
                }
            }
            next = if n_records < MOST { self.receiver.try_recv().ok() } else { None };
        }
        self.write(batches);
        true
    }

    fn render(&mut self, copy: Box<Experiment>, at: Time) {
        self.renders.retain(|render| !render.is_finished());
        if self.threads && self.renders.len() < MOST_RENDERS {
            let queue = self.queue.clone();
            let work = move || queue.send(Item::Keep(Box::new(snapshot_of(&copy, at))));
            // Where no thread is to be had, there is no snapshot either: the log has it all.
            match std::thread::Builder::new().spawn(work) {
                Ok(render) => self.renders.push(render),
                Err(error) => tracing::warn!(%error, "no thread for a snapshot"),
            }
        } else {
            self.queue.send(Item::Keep(Box::new(snapshot_of(&copy, at))));
        }
    }

    fn keep(&self, snapshot: &Snapshot) {
        if let Err(error) = self.store.keep_snapshot(snapshot) {
            tracing::warn!(experiment = %snapshot.experiment, %error, "could not keep a snapshot");
        }
    }

    /// Keeps the snapshots that were asked for before the end. They come back behind it.
    fn keep_rest(&mut self) {
        for render in self.renders.drain(..) {
            if render.join().is_err() {
                tracing::warn!("a snapshot could not be made");
            }
        }
        while let Ok(item) = self.receiver.try_recv() {
            if let Item::Keep(snapshot) = item {
                self.keep(&snapshot);
            }
        }
    }

    fn write(&mut self, batches: Vec<Batch>) {
        // What was decided before a failure must not be written after it.
        let (mut batches, stale): (Vec<_>, Vec<_>) =
            batches.into_iter().partition(|batch| batch.live.progress.borrow().epoch == batch.epoch);
        for batch in stale {
            self.answer(batch, Err(StoreError::Unavailable { text: "an earlier write failed".to_owned() }));
        }
        if batches.is_empty() {
            return;
        }
        let lengths: Vec<usize> = batches.iter().map(|batch| batch.records.len()).collect();
        let records: Vec<Record> =
            batches.iter_mut().flat_map(|batch| core::mem::take(&mut batch.records)).collect();
        let start = Instant::now();
        let result = self.store.append(&records);
        let seconds = start.elapsed().as_secs_f64();
        (self.on_append)(Appended { records: records.len(), seconds, failed: result.is_err() });
        if result == Err(StoreError::Conflict) && batches.len() > 1 {
            // Nothing was written: only those who conflict shall fail.
            let mut records = records.into_iter();
            for (mut batch, length) in batches.into_iter().zip(lengths) {
                batch.records = records.by_ref().take(length).collect();
                self.write(vec![batch]);
            }
            return;
        }
        if let Err(error) = &result {
            tracing::error!(records = records.len(), %error, "could not append to the log");
            for batch in &batches {
                if batch.live.progress.borrow().epoch == batch.epoch {
                    batch.live.fail();
                }
            }
        }
        for batch in batches {
            self.answer(batch, result.clone());
        }
    }

    fn answer(&self, batch: Batch, result: Result<(), StoreError>) {
        if result.is_ok() {
            batch.live.progress.send_modify(|progress| {
                // Else the state is folded anew, and tells how far the log goes.
                if progress.epoch == batch.epoch {
                    progress.durable = progress.durable.max(batch.last);
                }
            });
        }
        self.queue.waiting.fetch_sub(1, Ordering::Relaxed);
        // Whoever asked may have gone.
        let _ = batch.done.send(result.map(|()| Instant::now()));
    }
}
