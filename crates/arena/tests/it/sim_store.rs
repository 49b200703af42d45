//! A store in memory that behaves like a disk: what is written is safe only after a sync, and
//! anything may fail before that.
//!
//! The store is a journal of rows with a mark after each batch. Everything after the last
//! acknowledged mark is *in doubt*. The next use of the store either finds it complete and keeps
//! it, or cuts it off. A crash before that leaves some part of it. Whatever was read once stays.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use rand::rngs::ChaCha12Rng;
use rand::{RngExt, SeedableRng};
use tiltyard_arena::domain::{Contents, Head, Kind, Link, Record, RecordHash, Seal};
use tiltyard_arena::id::ExperimentId;
use tiltyard_arena::store::{Append, SnapshotOf, Store, StoreError, StoredRecord, WriteState};
use tiltyard_arena::time::Time;

use crate::support::{HandClock, SECOND};

/// How often each fault happens, as a probability.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Faults {
    /// An append fails before anything is written.
    pub(crate) before: f64,
    /// A part of a batch is written, without the mark after it.
    pub(crate) torn: f64,
    /// A batch is written but not synced.
    pub(crate) unsynced: f64,
    /// A batch is written and synced, but the caller gets an error.
    pub(crate) unheard: f64,
    /// An append takes long, and the clock moves on.
    pub(crate) slow: f64,
    /// A read fails.
    pub(crate) read: f64,
    /// A snapshot or a time mark cannot be stored.
    pub(crate) snapshot: f64,
}

/// What a faulty store does wrong. The tests must catch it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lie {
    /// Nothing.
    Honest,
    /// Appends are acknowledged but not synced.
    NeverSyncs,
    /// Rows without a mark after them survive a crash.
    KeepsTornBatches,
    /// Rows in doubt can be read, and are still lost in a crash.
    ShowsDoubt,
}

/// A row as it is on the disk: text, as in a real store, so that the tests find whatever does not
/// survive being written.
#[derive(Debug, Clone)]
struct Row {
    experiment: ExperimentId,
    seq: u64,
    at: Time,
    kind: Kind,
    duel: Option<u64>,
    client: Option<String>,
    body: String,
    hash: RecordHash,
    /// What is beside the log. It shares the fate of the row.
    names: Vec<(u64, String)>,
    contents: Option<Contents>,
}

impl Row {
    /// The row of a record that follows a head, and the new head.
    fn new(after: Head, record: &Record) -> (Self, Head) {
        let Record { experiment, seq, at, event } = record;
        let body = event.body();
        let kind = event.kind();
        let head = after.after(Link { experiment: *experiment, at: *at, kind: kind as i64, body: &body });
        assert_eq!(head.seq, *seq, "records follow the head of their log");
        let row = Self {
            experiment: *experiment,
            seq: *seq,
            at: *at,
            kind,
            duel: event.duel(),
            client: event.client().map(str::to_owned),
            body,
            hash: head.hash,
            names: event.numbers().filter_map(|(number, name)| Some((number, name?.to_owned()))).collect(),
            contents: event.seal().and_then(Seal::contents).cloned(),
        };
        (row, head)
    }

    fn stored(&self) -> StoredRecord<'_> {
        let Self { experiment, seq, at, kind, body, hash, .. } = self;
        StoredRecord { experiment: *experiment, seq: *seq, at: *at, kind: *kind as i64, body, hash: *hash }
    }

    fn record(&self) -> Result<Record, StoreError> {
        self.stored().record()
    }
}

#[derive(Debug, Clone)]
enum Frame {
    Row(Row),
    /// Everything since the last mark belongs together and is complete.
    Mark,
}

/// The rows that can be read.
#[derive(Debug, Default)]
struct View {
    rows: BTreeMap<(ExperimentId, u64), Row>,
    duels: BTreeMap<(ExperimentId, Kind, u64), u64>,
    clients: BTreeMap<(ExperimentId, String), u64>,
    names: BTreeMap<(ExperimentId, u64), String>,
    numbers: BTreeMap<(ExperimentId, String), u64>,
}

impl View {
    fn conflicts(&self, rows: &[Row]) -> bool {
        let mut places = BTreeSet::new();
        let mut duels = BTreeSet::new();
        let mut clients = BTreeSet::new();
        let mut names = BTreeSet::new();
        let mut numbers = BTreeSet::new();
        rows.iter().any(|row| {
            let place = (row.experiment, row.seq);
            let duel = row.duel.map(|duel| (row.experiment, row.kind, duel));
            let client = row.client.clone().map(|client| (row.experiment, client));
            self.rows.contains_key(&place)
                || !places.insert(place)
                || duel.is_some_and(|duel| self.duels.contains_key(&duel) || !duels.insert(duel))
                || client.is_some_and(|client| self.clients.contains_key(&client) || !clients.insert(client))
                || row.names.iter().any(|(number, name)| {
                    let (number, name) = ((row.experiment, *number), (row.experiment, name.clone()));
                    self.names.contains_key(&number)
                        || self.numbers.contains_key(&name)
                        || !numbers.insert(number)
                        || !names.insert(name)
                })
        })
    }

    /// Where a log ends.
    fn head(&self, experiment: ExperimentId) -> Head {
        let last = self.rows.range((experiment, 0)..=(experiment, u64::MAX)).next_back();
        last.map_or(Head::EMPTY, |(_, row)| Head { seq: row.seq, hash: row.hash })
    }

    fn add(&mut self, row: Row) {
        if let Some(duel) = row.duel {
            self.duels.insert((row.experiment, row.kind, duel), row.seq);
        }
        if let Some(client) = &row.client {
            self.clients.insert((row.experiment, client.clone()), row.seq);
        }
        for (number, name) in &row.names {
            self.names.insert((row.experiment, *number), name.clone());
            self.numbers.insert((row.experiment, name.clone()), *number);
        }
        self.rows.insert((row.experiment, row.seq), row);
    }
}

#[derive(Debug)]
struct Disk {
    journal: Vec<Frame>,
    /// The number of frames that were acknowledged or read. The frames after these are in doubt.
    settled: usize,
    /// The number of frames that survive a loss of power.
    synced: usize,
    view: View,
    snapshots: BTreeMap<ExperimentId, BTreeMap<u64, (SnapshotOf, Vec<u8>)>>,
    /// The last two time marks. The last one may be lost in a crash.
    marks: Vec<Time>,
    faults: Faults,
    lie: Lie,
    rng: ChaCha12Rng,
    clock: Option<Arc<HandClock>>,
}

fn failed(text: &str) -> StoreError {
    StoreError::Unavailable { text: text.to_owned() }
}

impl Disk {
    fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.rng.random_bool(probability)
    }

    /// Whether the frames in doubt are a complete batch.
    fn doubt_is_whole(&self) -> bool {
        matches!(self.journal[self.settled..].last(), Some(Frame::Mark))
    }

    /// Makes the frames in doubt readable.
    fn take_in(&mut self) {
        let rows: Vec<Row> = self.journal[self.settled..]
            .iter()
            .filter_map(|frame| if let Frame::Row(row) = frame { Some(row.clone()) } else { None })
            .collect();
        for row in rows {
            self.view.add(row);
        }
        self.settled = self.journal.len();
    }

    /// Decides the fate of the frames in doubt, for good.
    fn settle(&mut self) {
        if self.settled == self.journal.len() {
            return;
        }
        if self.doubt_is_whole() && self.rng.random() {
            if self.lie != Lie::ShowsDoubt {
                self.synced = self.journal.len();
            }
            self.take_in();
        } else {
            self.journal.truncate(self.settled);
            self.synced = self.synced.min(self.settled);
        }
    }

    fn append(&mut self, logs: &[Append]) -> Result<Vec<Result<Head, StoreError>>, StoreError> {
        self.settle();
        let faults = self.faults;
        if self.chance(faults.before) {
            return Err(failed("nothing was written"));
        }
        let mut rows = Vec::new();
        let mut results = Vec::new();
        for Append { experiment, after, records } in logs {
            let mut head = *after;
            let mut of_log = Vec::new();
            for record in records {
                let (row, next) = Row::new(head, record);
                head = next;
                of_log.push(row);
            }
            let conflict = self.view.head(*experiment) != *after || self.view.conflicts(&of_log);
            results.push(if conflict { Err(StoreError::Conflict) } else { Ok(head) });
            if !conflict {
                rows.append(&mut of_log);
            }
        }
        if rows.is_empty() {
            return Ok(results);
        }
        if self.chance(faults.torn) {
            let written = self.rng.random_range(0..=rows.len());
            self.journal.extend(rows.into_iter().take(written).map(Frame::Row));
            return Err(failed("a part was written"));
        }
        self.journal.extend(rows.into_iter().map(Frame::Row));
        self.journal.push(Frame::Mark);
        if self.chance(faults.unsynced) {
            return Err(failed("everything was written, but not synced"));
        }
        if self.lie != Lie::NeverSyncs {
            self.synced = self.journal.len();
        }
        self.take_in();
        if self.chance(faults.slow) {
            let micros = self.rng.random_range(0..60 * SECOND);
            if let Some(clock) = &self.clock {
                clock.pass(micros);
            }
        }
        if self.chance(faults.unheard) { Err(failed("everything was synced")) } else { Ok(results) }
    }

    /// Leaves what is on the disk after a loss of power, for the next process to find.
    fn recover(&mut self) {
        let torn_at = self.rng.random_range(self.synced..=self.journal.len());
        self.journal.truncate(torn_at);
        let whole = self.journal.iter().rposition(|frame| matches!(frame, Frame::Mark));
        if self.lie != Lie::KeepsTornBatches {
            self.journal.truncate(whole.map_or(0, |mark| mark + 1));
        }
        self.view = View::default();
        self.settled = 0;
        self.take_in();
        // Opening syncs what it found, because it can be read from now on.
        self.synced = self.journal.len();
    }
}

/// Logs on a simulated disk.
#[derive(Debug)]
pub(crate) struct SimStore(Mutex<Disk>);

impl SimStore {
    /// An empty store on which nothing fails.
    pub(crate) fn new() -> Self {
        Self::faulty(0, None, Lie::Honest)
    }

    /// An empty store. Nothing fails before [`Self::set_faults`].
    pub(crate) fn faulty(seed: u64, clock: Option<Arc<HandClock>>, lie: Lie) -> Self {
        Self(Mutex::new(Disk {
            journal: Vec::new(),
            settled: 0,
            synced: 0,
            view: View::default(),
            snapshots: BTreeMap::new(),
            marks: Vec::new(),
            faults: Faults::default(),
            lie,
            rng: ChaCha12Rng::seed_from_u64(seed),
            clock,
        }))
    }

    pub(crate) fn set_faults(&self, faults: Faults) {
        self.disk().faults = faults;
    }

    /// Whether a failed append left frames in doubt.
    pub(crate) fn in_doubt(&self) -> bool {
        let disk = self.disk();
        disk.settled < disk.journal.len()
    }

    /// The power fails, and the store is opened again. Everything that was not synced may be gone.
    /// The new store has no faults.
    pub(crate) fn crash(&self) -> Self {
        let mut disk = self.disk();
        let mut next = Disk {
            journal: disk.journal.clone(),
            settled: 0,
            synced: disk.synced,
            view: View::default(),
            snapshots: disk.snapshots.clone(),
            marks: disk.marks.clone(),
            faults: Faults::default(),
            lie: disk.lie,
            rng: ChaCha12Rng::seed_from_u64(disk.rng.random()),
            clock: disk.clock.clone(),
        };
        next.recover();
        if next.rng.random() {
            next.marks.pop();
        }
        Self(Mutex::new(next))
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().expect("nothing panics while the lock is held")
    }

    /// The disk, for reading.
    fn reader(&self) -> Result<MutexGuard<'_, Disk>, StoreError> {
        let mut disk = self.disk();
        let probability = disk.faults.read;
        if disk.chance(probability) {
            return Err(failed("the read failed"));
        }
        disk.settle();
        Ok(disk)
    }
}

impl Store for SimStore {
    fn append(&self, logs: &[Append]) -> Vec<Result<Head, StoreError>> {
        let all_failed = |error: StoreError| logs.iter().map(|_| Err(error.clone())).collect();
        self.disk().append(logs).unwrap_or_else(all_failed)
    }

    fn experiments(&self) -> Result<Vec<ExperimentId>, StoreError> {
        let disk = self.reader()?;
        let ids: BTreeSet<ExperimentId> = disk.view.rows.keys().map(|(experiment, _)| *experiment).collect();
        Ok(ids.into_iter().filter(|&id| id != ExperimentId::ARENA).collect())
    }

    fn read_stored(
        &self,
        experiment: ExperimentId,
        after: u64,
        visit: &mut dyn FnMut(&StoredRecord<'_>) -> bool,
    ) -> Result<Option<Head>, StoreError> {
        // Copied, so that the visitor may use the store.
        let (mut head, rows) = {
            let disk = self.reader()?;
            let Some(head) = head_at(&disk.view, experiment, after) else { return Ok(None) };
            let places = (experiment, after + 1)..=(experiment, u64::MAX);
            (head, disk.view.rows.range(places).map(|(_, row)| row.clone()).collect::<Vec<_>>())
        };
        for row in rows {
            head = row.stored().check(head)?;
            if !visit(&row.stored()) {
                break;
            }
        }
        Ok(Some(head))
    }

    fn head_at(&self, experiment: ExperimentId, seq: u64) -> Result<Option<Head>, StoreError> {
        Ok(head_at(&self.reader()?.view, experiment, seq))
    }

    fn check(&self, experiment: ExperimentId) -> Result<Head, StoreError> {
        let mut records = Vec::new();
        let head = self.read(experiment, 0, &mut |record| {
            records.push(record);
            true
        })?;
        self.reveal(&mut records)?;
        Ok(head.unwrap_or(Head::EMPTY))
    }

    fn duel(&self, experiment: ExperimentId, place: u64) -> Result<Vec<Record>, StoreError> {
        let disk = self.reader()?;
        let Some(issue) = disk.view.rows.get(&(experiment, place)).filter(|row| row.kind == Kind::Issued)
        else {
            return Ok(Vec::new());
        };
        let mut places: Vec<u64> =
            [Kind::Shown, Kind::Interleaved, Kind::Answered, Kind::Voided, Kind::Expired]
                .iter()
                .filter_map(|&kind| disk.view.duels.get(&(experiment, kind, place)).copied())
                .collect();
        places.sort_unstable();
        let later = places.iter().map(|&seq| &disk.view.rows[&(experiment, seq)]);
        core::iter::once(issue).chain(later).map(Row::record).collect()
    }

    fn duels_with(&self, experiment: ExperimentId, kind: Kind) -> Result<Vec<u64>, StoreError> {
        let disk = self.reader()?;
        let range = (experiment, kind, 0)..=(experiment, kind, u64::MAX);
        Ok(disk.view.duels.range(range).map(|((_, _, duel), _)| *duel).collect())
    }

    fn client(&self, experiment: ExperimentId, client: &str) -> Result<Option<u64>, StoreError> {
        let disk = self.reader()?;
        Ok(disk.view.clients.get(&(experiment, client.to_owned())).copied())
    }

    fn numbers(
        &self,
        experiment: ExperimentId,
        names: &BTreeSet<&str>,
    ) -> Result<BTreeMap<String, u64>, StoreError> {
        let disk = self.reader()?;
        let number = |&name: &&str| {
            let number = disk.view.numbers.get(&(experiment, name.to_owned()))?;
            Some((name.to_owned(), *number))
        };
        Ok(names.iter().filter_map(number).collect())
    }

    fn names(
        &self,
        experiment: ExperimentId,
        numbers: &BTreeSet<u64>,
    ) -> Result<BTreeMap<u64, Option<String>>, StoreError> {
        let disk = self.reader()?;
        let name = |&number: &u64| Some((number, Some(disk.view.names.get(&(experiment, number))?.clone())));
        Ok(numbers.iter().filter_map(name).collect())
    }

    fn contents(
        &self,
        experiment: ExperimentId,
        records: &BTreeSet<u64>,
    ) -> Result<BTreeMap<u64, Option<Contents>>, StoreError> {
        let disk = self.reader()?;
        let contents =
            |&seq: &u64| Some((seq, Some(disk.view.rows.get(&(experiment, seq))?.contents.clone()?)));
        Ok(records.iter().filter_map(contents).collect())
    }

    fn keep_snapshot(&self, of: SnapshotOf, write: &mut WriteState<'_>) -> Result<(), StoreError> {
        let mut state = Vec::new();
        write(&mut state).map_err(|error| failed(&error.to_string()))?;
        let mut disk = self.disk();
        let probability = disk.faults.snapshot;
        if disk.chance(probability) {
            return Err(failed("the snapshot was not stored"));
        }
        let kept = disk.snapshots.entry(of.experiment).or_default();
        kept.insert(of.head.seq, (of, state));
        while kept.len() > 2 {
            kept.pop_first();
        }
        Ok(())
    }

    fn snapshots(&self, experiment: ExperimentId) -> Result<Vec<u64>, StoreError> {
        let disk = self.reader()?;
        let kept = disk.snapshots.get(&experiment);
        Ok(kept.into_iter().flat_map(|kept| kept.keys().rev().copied()).collect())
    }

    fn snapshot(&self, experiment: ExperimentId, seq: u64) -> Result<(SnapshotOf, Vec<u8>), StoreError> {
        let disk = self.reader()?;
        let found = disk.snapshots.get(&experiment).and_then(|kept| kept.get(&seq)).cloned();
        found.ok_or_else(|| failed("there is no such snapshot"))
    }

    fn mark_time(&self, now: Time) -> Result<(), StoreError> {
        let mut disk = self.disk();
        let probability = disk.faults.snapshot;
        if disk.chance(probability) {
            return Err(failed("the time was not stored"));
        }
        if disk.marks.len() == 2 {
            disk.marks.remove(0);
        }
        disk.marks.push(now);
        Ok(())
    }

    fn last_time(&self) -> Result<Option<Time>, StoreError> {
        Ok(self.reader()?.marks.last().copied())
    }
}

fn head_at(view: &View, experiment: ExperimentId, seq: u64) -> Option<Head> {
    if seq == 0 {
        return Some(Head::EMPTY);
    }
    view.rows.get(&(experiment, seq)).map(|row| Head { seq, hash: row.hash })
}
