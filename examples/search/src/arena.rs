//! The arena: a server that is already running, or one of our own for as long as this program runs.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use anyhow::{Context as _, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::TempDir;
use tiltyard_arena::Arena;
use tiltyard_arena::arena::Options;
use tiltyard_arena::server::{Auth, Config, Service, serve};
use tiltyard_arena::store::SqliteStore;
use tiltyard_wire::Problem;
use tokio::sync::oneshot;

/// The API over HTTP.
#[derive(Debug, Clone)]
pub struct Api {
    url: String,
    key: Option<String>,
    agent: ureq::Agent,
}

impl Api {
    /// A server at this address, and its key if it needs one.
    pub fn new(url: &str, key: Option<String>) -> Self {
        let config = ureq::Agent::config_builder().http_status_as_error(false).build();
        Self { url: url.trim_end_matches('/').to_owned(), key, agent: config.into() }
    }

    /// Sends a GET request.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached or refuses.
    pub fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        let mut request = self.agent.get(format!("{}{path}", self.url));
        if let Some(key) = &self.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        self.read(path, request.call())
    }

    /// Sends a POST request.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached or refuses.
    pub fn post<T: DeserializeOwned>(&self, path: &str, body: &impl Serialize) -> Result<T> {
        let mut request = self.agent.post(format!("{}{path}", self.url));
        if let Some(key) = &self.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        self.read(path, request.send_json(body))
    }

    fn read<T: DeserializeOwned>(
        &self,
        path: &str,
        reply: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<T> {
        let mut reply = reply.with_context(|| format!("could not reach {}", self.url))?;
        if !reply.status().is_success() {
            let problem: Option<Problem> = reply.body_mut().read_json().ok();
            anyhow::bail!("{path}: {}", problem.map_or("refused".to_owned(), |problem| problem.detail));
        }
        reply.body_mut().read_json().with_context(|| format!("{path}: unexpected response"))
    }
}

/// A server of our own: without keys, on loopback, with its data in a temporary directory.
#[derive(Debug)]
pub struct Local {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    _directory: TempDir,
}

impl Local {
    /// Starts the server. Its random draws follow from `entropy`.
    ///
    /// # Errors
    ///
    /// If the server cannot be started.
    pub fn start(entropy: [u8; 32]) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let store = Arc::new(SqliteStore::open(directory.path())?);
        let (arena, writer) = Arena::open(store, Options::new(entropy))?;
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let (stop, stopped) = oneshot::channel();
        let config = Config { auth: Auth::None, ..Config::default() };
        let service = Service::new(arena, writer, config);
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let stop = async { drop(stopped.await) };
                // If it ends in an error, the next request cannot reach it.
                drop(serve(listener, service, stop).await);
            });
        });
        Ok(Self { address, stop: Some(stop), thread: Some(thread), _directory: directory })
    }

    /// The API of this server.
    pub fn api(&self) -> Api {
        Api::new(&format!("http://{}", self.address), None)
    }
}

impl Drop for Local {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
