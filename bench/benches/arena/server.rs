//! A server in its own process.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{self, ChildStdout, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tempfile::TempDir;
use tiltyard_arena::Arena;
use tiltyard_arena::arena::Options;
use tiltyard_arena::domain::{Contents, Head, Kind, Record};
use tiltyard_arena::id::ExperimentId;
use tiltyard_arena::server::{Auth, Config, Service, serve};
use tiltyard_arena::store::{Append, SnapshotOf, SqliteStore, Store, StoreError, StoredRecord, WriteState};
use tiltyard_arena::time::Time;

/// The argument that makes this program the server.
pub(crate) const CHILD: &str = "--be-the-server";

/// Serves until it is killed.
pub(crate) fn run(directory: &Path, delay: &str) -> ExitCode {
    let delay = Duration::from_micros(delay.parse().expect("microseconds"));
    let store = Arc::new(SlowDisk { store: SqliteStore::open(directory).expect("a store"), delay });
    let options = Options { most_waiting: 100_000, ..Options::new([7; 32]) };
    let (arena, writer) = Arena::open(store, options).expect("an arena");
    let config =
        Config { auth: Auth::None, max_requests: 4096, max_body_bytes: 1 << 24, ..Config::default() };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        println!("{}", listener.local_addr().expect("an address"));
        std::io::stdout().flush().expect("stdout");
        serve(listener, Service::new(arena, writer, config), std::future::pending()).await.expect("a server");
    });
    ExitCode::SUCCESS
}

/// A store whose syncs take longer than this machine's, as on most disks.
struct SlowDisk {
    store: SqliteStore,
    delay: Duration,
}

impl Store for SlowDisk {
    fn append(&self, logs: &[Append]) -> Vec<Result<Head, StoreError>> {
        let results = self.store.append(logs);
        thread::sleep(self.delay);
        results
    }

    fn experiments(&self) -> Result<Vec<ExperimentId>, StoreError> {
        self.store.experiments()
    }

    fn read_stored(
        &self,
        experiment: ExperimentId,
        after: u64,
        visit: &mut dyn FnMut(&StoredRecord<'_>) -> bool,
    ) -> Result<Option<Head>, StoreError> {
        self.store.read_stored(experiment, after, visit)
    }

    fn head_at(&self, experiment: ExperimentId, seq: u64) -> Result<Option<Head>, StoreError> {
        self.store.head_at(experiment, seq)
    }

    fn check(&self, experiment: ExperimentId) -> Result<Head, StoreError> {
        self.store.check(experiment)
    }

    fn duel(&self, experiment: ExperimentId, place: u64) -> Result<Vec<Record>, StoreError> {
        self.store.duel(experiment, place)
    }

    fn duels_with(&self, experiment: ExperimentId, kind: Kind) -> Result<Vec<u64>, StoreError> {
        self.store.duels_with(experiment, kind)
    }

    fn client(&self, experiment: ExperimentId, client: &str) -> Result<Option<u64>, StoreError> {
        self.store.client(experiment, client)
    }

    fn numbers(
        &self,
        experiment: ExperimentId,
        names: &BTreeSet<&str>,
    ) -> Result<BTreeMap<String, u64>, StoreError> {
        self.store.numbers(experiment, names)
    }

    fn names(
        &self,
        experiment: ExperimentId,
        numbers: &BTreeSet<u64>,
    ) -> Result<BTreeMap<u64, Option<String>>, StoreError> {
        self.store.names(experiment, numbers)
    }

    fn contents(
        &self,
        experiment: ExperimentId,
        records: &BTreeSet<u64>,
    ) -> Result<BTreeMap<u64, Option<Contents>>, StoreError> {
        self.store.contents(experiment, records)
    }

    fn keep_snapshot(&self, of: SnapshotOf, write: &mut WriteState<'_>) -> Result<(), StoreError> {
        self.store.keep_snapshot(of, write)
    }

    fn snapshots(&self, experiment: ExperimentId) -> Result<Vec<u64>, StoreError> {
        self.store.snapshots(experiment)
    }

    fn snapshot(&self, experiment: ExperimentId, seq: u64) -> Result<(SnapshotOf, Vec<u8>), StoreError> {
        self.store.snapshot(experiment, seq)
    }

    fn mark_time(&self, now: Time) -> Result<(), StoreError> {
        self.store.mark_time(now)
    }

    fn last_time(&self) -> Result<Option<Time>, StoreError> {
        self.store.last_time()
    }
}

/// The process of the server, which is killed at the end.
pub(crate) struct Child {
    pub(crate) address: String,
    process: process::Child,
    _stdout: BufReader<ChildStdout>,
    _directory: TempDir,
}

impl Child {
    /// Starts a server on a disk that takes `delay` longer to sync.
    pub(crate) fn start(delay: Duration) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut process = Command::new(std::env::current_exe().expect("this program"))
            .arg(CHILD)
            .arg(directory.path())
            .arg(delay.as_micros().to_string())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut stdout = BufReader::new(process.stdout.take().expect("its stdout"));
        let mut address = String::new();
        stdout.read_line(&mut address).expect("its address");
        let address = address.trim().to_owned();
        Self { address, process, _stdout: stdout, _directory: directory }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
