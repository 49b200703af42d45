//! `tiltyard serve`: the server of live experiments.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use rand::TryRng as _;
use serde_json::json;
use tiltyard::arena::Arena;
use tiltyard::arena::arena::LoadError;
use tiltyard::arena::key::{Scope, Secret};
use tiltyard::arena::server::SearchEngine;
use tiltyard::arena::server::{self, ServeError, Service};
use tiltyard::arena::store::{OpenError, SqliteStore, StoreError};
use tokio::net::TcpListener;
use tracing::level_filters::LevelFilter;

use self::demo_search::PolicyPages;
use self::settings::{LogFormat, Settings};
use super::Failure;
use crate::printer::Printer;

mod demo;
mod demo_search;
mod lab;
mod settings;

/// Start the server of live experiments, with all data in one directory
///
/// Give settings as flags (`--listen`), in the environment (`TILTYARD_SERVE_LISTEN`) or in a file
/// (`listen = "..."`, see `--config`). Flags override the environment, and the environment
/// overrides the file. An unknown setting is an error.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Start with a running experiment and simulated voters; without `--data`, everything is
    /// deleted when the server stops
    #[arg(long)]
    demo: bool,
    /// Print one line of JSON to stdout when the server is ready
    #[arg(long, value_enum, value_name = "FORMAT")]
    announce: Option<Announce>,
    /// Create another admin key and print it
    #[arg(long)]
    new_admin_key: bool,
    /// Read settings from this TOML file [env: TILTYARD_SERVE_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    settings: Settings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Announce {
    /// `{"url": "...", "admin_key": "..."}`, the key only if it is new
    Json,
}

impl Serve {
    pub(crate) fn run(&self, printer: &mut Printer) -> Result<(), Failure> {
        let settings = self.settings.clone().resolve(self.config.clone())?;
        let address = settings.listen();
        if settings.is_open() && !address.ip().is_loopback() {
            return Err(serve_failure(ServeError::Open { address }));
        }
        log(&settings);
        // Dropped at the end, which deletes the demonstration's directory.
        let mut scratch = None;
        let directory = match settings.data.clone() {
            Some(directory) => directory,
            None if self.demo => {
                let made = tempfile::tempdir().context("could not create a directory for the demonstration");
                let made = made.map_err(Failure::broken)?;
                scratch.insert(made).path().to_owned()
            }
            None => PathBuf::from("tiltyard-data"),
        };
        // Checked before anything is created: a missing directory is most likely a typing error.
        let lab = settings.results.as_deref().map(lab::open).transpose()?;
        let store = Arc::new(SqliteStore::open(&directory).map_err(open_failure)?);
        let options = settings.options(entropy()?);
        let (arena, writer) = Arena::open(store, options).map_err(load_failure)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.context("could not start the server's threads").map_err(Failure::broken)?;
        let demo = self.demo;
        let engine = demo.then(|| Arc::new(PolicyPages::new()) as Arc<dyn SearchEngine>);
        let config = settings.config();
        let service = Service { arena: Arc::clone(&arena), writer, config, lab, engine };
        let served = runtime.block_on(async {
            let listener = TcpListener::bind(address).await;
            let listener = listener.with_context(|| format!("could not listen on {address}"));
            let listener = listener.map_err(|error| {
                Failure::bad_input(error, vec!["start with `--listen 127.0.0.1:0` to pick a free port".to_owned()])
            })?;
            let url = format!("http://{}", listener.local_addr().map_err(Failure::broken)?);
            // Before the announcement: its reader may stop the server at once.
            let stop = stop_signal()?;
            // A key is shown only once, so a start that fails must not create one.
            let key = self.key(&arena)?;
            tracing::info!(url, data = %directory.display(), experiments = arena.experiments().len(), "ready");
            self.announce(printer, &url, key.as_ref())?;
            let voters = demo.then(|| tokio::spawn(demo::run(Arc::clone(&arena))));
            let stop = async {
                stop.await;
                // The simulated voters stop before the server does.
                if let Some(voters) = voters {
                    voters.abort();
                    let _ = voters.await;
                }
            };
            server::serve(listener, service, stop).await.map_err(serve_failure)
        });
        runtime.shutdown_background();
        served
    }

    /// Creates an admin key if the server has no keys, or with `--new-admin-key`.
    fn key(&self, arena: &Arena) -> Result<Option<Secret>, Failure> {
        if !arena.keys().is_empty() && !self.new_admin_key {
            return Ok(None);
        }
        let made = arena.make_key(Scope::Admin, None, Some("admin".to_owned()), None);
        Ok(Some(made.map_err(Failure::broken)?.1))
    }

    fn announce(&self, printer: &mut Printer, url: &str, key: Option<&Secret>) -> Result<(), Failure> {
        if self.announce == Some(Announce::Json) {
            let mut line = json!({ "url": url });
            if let Some(key) = key {
                line["admin_key"] = key.expose().into();
            }
            printer.line(line);
        } else {
            printer.line(url);
            if let Some(key) = key {
                printer.line(format_args!("admin key, shown only once: {}", key.expose()));
                printer.note(format_args!(
                    "\nhint: in another terminal, run `export TILTYARD_SERVER={url} TILTYARD_KEY=...` and \
                     `tiltyard new NAME --arm A --arm B`"
                ));
            }
        }
        printer.finish()
    }
}

/// Random bytes from the operating system.
fn entropy() -> Result<[u8; 32], Failure> {
    let mut bytes = [0; 32];
    let filled = rand::rngs::SysRng.try_fill_bytes(&mut bytes);
    filled.context("could not get random bytes from the operating system").map_err(Failure::broken)?;
    Ok(bytes)
}

fn log(settings: &Settings) {
    let level: LevelFilter = settings.log_level().into();
    let lines =
        tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).with_target(false);
    // It fails only if a logger is already installed.
    let _ = match settings.log_format() {
        LogFormat::Text => lines.with_ansi(false).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
}

/// A future that completes when a signal asks the process to end.
fn stop_signal() -> Result<impl Future<Output = ()>, Failure> {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let mut sender = Some(sender);
    ctrlc::set_handler(move || {
        if let Some(sender) = sender.take() {
            // The server may have ended already.
            let _ = sender.send(());
        }
    })
    .map_err(Failure::signals)?;
    Ok(async {
        let _ = receiver.await;
    })
}

pub(super) fn open_failure(error: OpenError) -> Failure {
    match error {
        OpenError::Busy { .. } => Failure::bad_input(
            error,
            vec!["stop the other server, or choose another directory with `--data`".to_owned()],
        ),
        OpenError::Missing { .. } => {
            Failure::bad_input(error, vec!["`--data` must name the directory of a server".to_owned()])
        }
        OpenError::Store(StoreError::Foreign { .. }) => {
            Failure::bad_input(error, vec!["choose another directory with `--data`".to_owned()])
        }
        OpenError::Store(StoreError::Newer { .. }) => Failure::bad_input(error, Vec::new()),
        error => Failure::broken(error),
    }
}

fn load_failure(error: LoadError) -> Failure {
    let error = anyhow::Error::from(error).context("could not open the experiments");
    Failure::broken(error).with_hint(
        "`tiltyard verify --data DIR` shows all damage and how to repair it; `tiltyard restore` creates a new directory from a backup",
    )
}

fn serve_failure(error: ServeError) -> Failure {
    match error {
        ServeError::Open { .. } => Failure::bad_input(
            error,
            vec!["use `--auth keys`, or listen on a loopback address such as 127.0.0.1".to_owned()],
        ),
        error => Failure::broken(error),
    }
}
