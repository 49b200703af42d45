//! A server in this process, on its own port.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tiltyard_arena::Arena;
use tiltyard_arena::arena::Options;
use tiltyard_arena::key::Scope;
use tiltyard_arena::server::SearchEngine;
use tiltyard_arena::server::{Auth, Config, ServeError, Service, serve};
use tiltyard_arena::store::{SqliteStore, Store};
use tiltyard_arena::time::{Clock, SystemClock, Time};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::client::Client;
use crate::stores::{Trouble, Troubled};

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub(crate) struct HandClock {
    passed: AtomicI64,
    /// The wall clock when no time has passed yet.
    start: AtomicI64,
}

impl HandClock {
    pub(crate) fn new() -> Arc<Self> {
        // 2026-01-01T00:00:00Z
        Arc::new(Self { passed: AtomicI64::new(0), start: AtomicI64::new(1_767_225_600_000_000) })
    }

    /// Lets time pass.
    pub(crate) fn forward(&self, seconds: i64) {
        self.passed.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }

    /// Sets the wall clock forward or back. No time passes.
    pub(crate) fn jump(&self, seconds: i64) {
        self.start.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Time {
        Time(self.start.load(Ordering::SeqCst) + self.passed.load(Ordering::SeqCst))
    }

    fn elapsed(&self) -> Duration {
        Duration::from_micros(self.passed.load(Ordering::SeqCst).unsigned_abs())
    }
}

/// The parts of a server.
pub(crate) struct Setup {
    pub(crate) config: Config,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) most_waiting: usize,
    pub(crate) directory: Option<TempDir>,
    /// The search engine of the search page.
    pub(crate) engine: Option<Arc<dyn SearchEngine>>,
    /// Wraps the store.
    pub(crate) wrap: Box<dyn FnOnce(Arc<SqliteStore>) -> Arc<dyn Store>>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            config: Config { auth: Auth::None, grace: Duration::from_secs(10), ..Config::default() },
            clock: Arc::new(SystemClock),
            most_waiting: 10_000,
            directory: None,
            engine: None,
            wrap: Box::new(|store| store),
        }
    }
}

/// A server that runs until it is stopped or dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) arena: Arc<Arena>,
    /// A key for everything.
    pub(crate) admin: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
    directory: Option<TempDir>,
}

impl Server {
    /// Starts a server without keys.
    pub(crate) fn start() -> Self {
        Self::with(Setup::default())
    }

    /// Starts a server with keys.
    pub(crate) fn with_keys() -> Self {
        Self::configured(|config| config.auth = Auth::Keys)
    }

    pub(crate) fn configured(change: impl FnOnce(&mut Config)) -> Self {
        let mut setup = Setup::default();
        change(&mut setup.config);
        Self::with(setup)
    }

    /// Starts a server without keys, whose store can be made to fail.
    pub(crate) fn troubled(change: impl FnOnce(&mut Setup)) -> (Self, Arc<Trouble>) {
        let trouble = Arc::<Trouble>::default();
        let mut setup = Setup { wrap: Troubled::wrap(&trouble), ..Setup::default() };
        change(&mut setup);
        (Self::with(setup), trouble)
    }

    pub(crate) fn with(setup: Setup) -> Self {
        let directory = setup.directory.unwrap_or_else(|| tempfile::tempdir().unwrap());
        let store = (setup.wrap)(Arc::new(SqliteStore::open(directory.path()).unwrap()));
        let options =
            Options { clock: setup.clock, most_waiting: setup.most_waiting, ..Options::new([7; 32]) };
        let (arena, writer) = Arena::open(store, options).unwrap();
        let (_, secret) = arena.make_key(Scope::Admin, None, None, None).unwrap();
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let service =
            Service { engine: setup.engine, ..Service::new(Arc::clone(&arena), writer, setup.config) };
        let thread = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            let served = runtime.block_on(async {
                let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
                tell.send(listener.local_addr()?).unwrap();
                let stop = async {
                    let _ = stopped.await;
                };
                serve(listener, service, stop).await
            });
            // Aborted connections release the store.
            runtime.shutdown_timeout(Duration::from_secs(10));
            served
        });
        let address = told.recv().unwrap();
        Self {
            address,
            arena,
            admin: secret.expose().to_owned(),
            stop: Some(stop),
            thread: Some(thread),
            directory: Some(directory),
        }
    }

    /// A client with the admin's key.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.address).with_key(&self.admin)
    }

    /// Its data directory.
    pub(crate) fn data(&self) -> &std::path::Path {
        self.directory.as_ref().unwrap().path()
    }

    /// Asks the server to stop, without waiting for it.
    pub(crate) fn ask_to_stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }

    /// Stops the server, and returns its data directory.
    pub(crate) fn stop(mut self) -> TempDir {
        self.ask_to_stop();
        let served = self.thread.take().unwrap().join().unwrap();
        served.unwrap();
        self.directory.take().unwrap()
    }

    /// Creates an experiment with this policy and the arms a, b and c.
    pub(crate) fn experiment_with(&self, policy: &str, settings: &Value) -> String {
        let body = json!({ "name": "test", "arms": ["a", "b", "c"], "policy": policy, "settings": settings });
        let made = self.client().post("/v1/experiments", &body).expect(201);
        made["id"].as_str().unwrap().to_owned()
    }

    /// Creates an experiment with the arms a, b and c.
    pub(crate) fn experiment(&self) -> String {
        self.experiment_with("rex3", &json!({}))
    }

    /// Issues this many duels, and returns their ids.
    pub(crate) fn duels(&self, experiment: &str, count: usize) -> Vec<String> {
        let path = format!("/v1/experiments/{experiment}/duels");
        let duels = self.client().post(&path, &json!({ "count": count })).expect(200);
        duels["duels"].as_array().unwrap().iter().map(|duel| text(&duel["id"])).collect()
    }

    pub(crate) fn duel(&self, experiment: &str) -> String {
        self.duels(experiment, 1).remove(0)
    }

    /// The counts of an experiment.
    pub(crate) fn totals(&self, experiment: &str) -> Value {
        self.client().get(&format!("/v1/experiments/{experiment}")).expect(200)["totals"].clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ask_to_stop();
        if let Some(thread) = self.thread.take() {
            // A failed test reports itself.
            let _ = thread.join();
        }
    }
}

/// The text of a JSON string.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string")).to_owned()
}
