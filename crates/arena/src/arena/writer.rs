//! The writer: appends queued records in one batch and notifies the waiting requests. While the
//! disk syncs one batch, the next one gathers, so that all requests that arrive meanwhile share one
//! sync.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::sync::oneshot;

use super::Waiting;
use super::jobs::{Job, Jobs};
use super::live::LiveExperiment;
use super::pending::Written;
use crate::domain::{Head, Record};
use crate::id::ExperimentId;
use crate::store::{Append, Store, StoreError};

/// The number of records after which a batch is written, which takes at most a few tens of
/// milliseconds.
const MOST: usize = 8192;

/// An item of the writer's queue.
#[derive(Debug)]
pub(super) enum Item {
    /// Records to append.
    Write(Batch),
    /// A job waits until the records queued before are written.
    Flush(Sender<()>),
    /// A job to do when the records queued before are written.
    Job(Job),
    /// The thread that did a job is about to end.
    JobEnded,
    /// Stop the writer.
    Stop,
}

/// The records of one request.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) live: Arc<LiveExperiment>,
    pub(super) epoch: u64,
    pub(super) records: Vec<Record>,
    pub(super) done: oneshot::Sender<Written>,
}

/// The sending end of the writer's queue.
#[derive(Debug, Clone)]
pub(super) struct Queue {
    sender: Sender<Item>,
    /// The number of batches sent but not yet answered.
    pub(super) waiting: Waiting,
    /// Locked while there is a copy of a state: a state can be large, so there is one at a time.
    pub(super) copies: Arc<Mutex<()>>,
}

impl Queue {
    /// Queues an item. If the writer is gone, the item is dropped, and with it the sender that the
    /// request waits for.
    pub(super) fn send(&self, item: Item) {
        if let Item::Write(_) = item {
            self.waiting.fetch_add(1, Ordering::Relaxed);
        }
        let _ = self.sender.send(item);
    }
}

/// Appends queued records to the store, and notifies the waiting requests.
pub struct Writer {
    store: Arc<dyn Store>,
    receiver: Receiver<Item>,
    queue: Queue,
    /// Whether jobs are done on another thread, so that no request waits for them.
    threads: bool,
    jobs: Jobs,
    on_append: Box<dyn FnMut(Appended) + Send>,
}

/// What one append did, for metrics.
#[derive(Debug, Clone, Copy)]
pub struct Appended {
    /// The number of records.
    pub records: usize,
    /// How long the append took, in seconds.
    pub seconds: f64,
    /// Whether the append failed.
    pub failed: bool,
}

impl core::fmt::Debug for Writer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Writer")
    }
}

/// Stops a writer that runs on a thread, after all items queued before.
#[derive(Debug, Clone)]
pub struct StopWriter(Queue);

impl StopWriter {
    /// Asks the writer to stop.
    pub fn stop(&self) {
        self.0.send(Item::Stop);
    }
}

impl Writer {
    pub(super) fn new(store: Arc<dyn Store>) -> (Queue, Self) {
        let (sender, receiver) = channel();
        let queue = Queue { sender, waiting: Waiting::default(), copies: Arc::default() };
        let on_append = Box::new(|_| {});
        let jobs = Jobs::new(Arc::clone(&store), queue.clone());
        (queue.clone(), Self { store, receiver, queue, threads: false, jobs, on_append })
    }

    /// Sets a function to call after each append.
    pub fn on_append(&mut self, tell: impl FnMut(Appended) + Send + 'static) {
        self.on_append = Box::new(tell);
    }

    /// A handle to stop the writer once it runs.
    pub fn stopper(&self) -> StopWriter {
        StopWriter(self.queue.clone())
    }

    /// Writes until it is stopped. Everything queued before that is written.
    pub fn run(mut self) {
        self.threads = true;
        while let Ok(item) = self.receiver.recv() {
            if !self.gather(item) {
                break;
            }
        }
    }

    /// Writes the queued items without waiting for more. If there are none, does a job. Returns
    /// whether there was anything to do.
    pub fn step(&mut self) -> bool {
        match self.receiver.try_recv() {
            Ok(item) => {
                self.gather(item);
                true
            }
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => self.jobs.step(),
        }
    }

    /// Handles the queued items, starting with this one. Returns false if the writer must stop.
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
                Item::Flush(written) => {
                    self.write(core::mem::take(&mut batches));
                    n_records = 0;
                    let _ = written.send(());
                }
                Item::Job(job) => {
                    self.write(core::mem::take(&mut batches));
                    n_records = 0;
                    self.jobs.add(job);
                }
                Item::JobEnded => self.jobs.ended(),
                Item::Stop => {
                    self.write(batches);
                    self.finish_jobs();
                    return false;
                }
            }
            next = if n_records < MOST { self.receiver.try_recv().ok() } else { None };
        }
        self.write(batches);
        if self.threads {
            self.jobs.start();
        }
        true
    }

    /// Does the jobs that were queued before the stop. Nothing is written any more.
    fn finish_jobs(&mut self) {
        while self.threads && self.jobs.start() {
            match self.receiver.recv() {
                Ok(Item::JobEnded) => self.jobs.ended(),
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }

    fn write(&mut self, batches: Vec<Batch>) {
        // Records decided before a failure must not be written after it.
        let (batches, stale): (Vec<_>, Vec<_>) =
            batches.into_iter().partition(|batch| batch.live.progress.borrow().epoch == batch.epoch);
        for batch in stale {
            self.answer(batch, Err(StoreError::Unavailable { text: "an earlier write failed".to_owned() }));
        }
        if batches.is_empty() {
            return;
        }
        let mut logs: Vec<Append> = Vec::new();
        let mut places: BTreeMap<ExperimentId, usize> = BTreeMap::new();
        let mut waiting: Vec<Vec<Batch>> = Vec::new();
        for mut batch in batches {
            let experiment = batch.records[0].experiment;
            let place = *places.entry(experiment).or_insert_with(|| {
                logs.push(Append { experiment, after: batch.live.head(), records: Vec::new() });
                waiting.push(Vec::new());
                logs.len() - 1
            });
            logs[place].records.append(&mut batch.records);
            waiting[place].push(batch);
        }
        let records = logs.iter().map(|log| log.records.len()).sum();
        let start = Instant::now();
        let results = self.store.append(&logs);
        let seconds = start.elapsed().as_secs_f64();
        let failed = results.iter().any(Result::is_err);
        (self.on_append)(Appended { records, seconds, failed });
        for (batches, result) in waiting.into_iter().zip(results) {
            if let Err(error) = &result {
                tracing::error!(%error, "could not append to a log");
                batches[0].live.fail();
            }
            for batch in batches {
                self.answer(batch, result.clone());
            }
        }
    }

    fn answer(&self, batch: Batch, result: Result<Head, StoreError>) {
        if let Ok(head) = result {
            batch.live.progress.send_modify(|progress| {
                // In a later epoch, renewing the state sets this.
                if progress.epoch == batch.epoch && head.seq > progress.durable {
                    (progress.durable, progress.hash) = (head.seq, head.hash);
                }
            });
        }
        self.queue.waiting.fetch_sub(1, Ordering::Relaxed);
        // The request may have been abandoned.
        let _ = batch.done.send(result.map(|_| Instant::now()));
    }
}
