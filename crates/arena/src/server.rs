//! The server: accepts connections, serves the API and the pages, and stops cleanly.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, oneshot, watch};

use self::router::router;
use self::write_timeout::WriteTimeout;
use crate::app::{App, Metrics};
use crate::arena::Writer;
use crate::{Arena, http};

mod guard;
mod router;
mod write_timeout;

pub use crate::app::{Auth, Config, Document, SearchEngine, Subsite, SubsiteResponse, is_origin};

/// How often overdue duels expire.
const SWEEP_EVERY: Duration = Duration::from_secs(1);

/// How often the time is stored, so that the next start knows until when the server ran.
const MARK_EVERY: Duration = Duration::from_secs(10);

/// The parts of a server.
#[derive(Debug)]
pub struct Service {
    /// The experiments.
    pub arena: Arc<Arena>,
    /// The writer of the log.
    pub writer: Writer,
    /// The configuration.
    pub config: Config,
    /// The pages of the lab.
    pub lab: Option<Arc<dyn Subsite>>,
    /// The engine of the search page.
    pub engine: Option<Arc<dyn SearchEngine>>,
}

impl Service {
    /// A service without the pages of the lab and without a search page.
    pub fn new(arena: Arc<Arena>, writer: Writer, config: Config) -> Self {
        Self { arena, writer, config, lab: None, engine: None }
    }
}

/// Why a server could not start, or did not stop cleanly.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Without keys, everyone who can reach the server could do everything.
    #[error("{address} can be reached from other machines, and the server asks for no keys")]
    Open {
        /// The address to listen on.
        address: SocketAddr,
    },
    /// The socket failed.
    #[error("could not listen")]
    Socket(#[from] io::Error),
    /// The writer's thread could not be started, or panicked.
    #[error("the thread that writes the log failed")]
    Writer,
}

/// Serves until `stop` is ready. Then it finishes open requests, writes snapshots and returns.
///
/// # Errors
///
/// If the server refuses to start, or the writer failed.
pub async fn serve(
    listener: TcpListener,
    service: Service,
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let Service { arena, mut writer, config, lab, engine } = service;
    let address = listener.local_addr()?;
    if config.auth == Auth::None && !address.ip().is_loopback() {
        return Err(ServeError::Open { address });
    }
    let metrics = Metrics::default();
    writer.on_append(metrics.appends());
    let writer_end = writer.stopper();
    let (alive, writer_gone) = oneshot::channel::<()>();
    let writing = std::thread::Builder::new()
        .name("writer".to_owned())
        .spawn(move || {
            // Dropped when the thread ends, even by a panic.
            let _alive = alive;
            writer.run();
        })
        .map_err(|_| ServeError::Writer)?;
    let (stop_all, stopping) = watch::channel(false);
    let grace = config.grace;
    let document = http::document(&config);
    let app = App::new(Arc::clone(&arena), config, metrics, document, stopping);
    let app = Arc::new(App { lab, engine, ..app });
    let sweeper = tokio::spawn(sweep(Arc::clone(&arena)));
    let unchecked = Arc::clone(&arena);
    let checking =
        std::thread::Builder::new().name("checker".to_owned()).spawn(move || unchecked.check_logs());
    checking.map_err(|_| ServeError::Writer)?;
    let graceful = GracefulShutdown::new();
    tokio::select! {
        () = accept(&listener, &app, &graceful) => {}
        () = stop => {}
        _ = writer_gone => tracing::error!("the thread that writes the log has ended: nothing can be saved any more"),
    }
    tracing::info!("stopping: finishing open requests");
    let _ = stop_all.send(true);
    drop(listener);
    sweeper.abort();
    if tokio::time::timeout(grace, graceful.shutdown()).await.is_err() {
        tracing::warn!(seconds = grace.as_secs(), "some connections did not end in time");
    }
    let ended = tokio::task::spawn_blocking(move || {
        arena.snapshot_all();
        writer_end.stop();
        let written = writing.join();
        mark_time(&arena);
        written
    });
    match ended.await {
        Ok(Ok(())) => Ok(()),
        _ => Err(ServeError::Writer),
    }
}

async fn accept(listener: &TcpListener, app: &Arc<App>, graceful: &GracefulShutdown) {
    let service = TowerToHyperService::new(router(app));
    let connections = Arc::new(Semaphore::new(app.config.max_connections));
    let mut http = http1::Builder::new();
    // This also ends idle connections, so nobody can hold many of them for long.
    http.timer(TokioTimer::new()).header_read_timeout(app.config.read_timeout).max_headers(64);
    loop {
        // Further connections wait in the queue of the operating system.
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // For example, too many files are open. Other connections end meanwhile.
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let _ = stream.set_nodelay(true);
        let stream = TokioIo::new(WriteTimeout::new(stream, app.config.read_timeout));
        let connection = graceful.watch(http.serve_connection(stream, service.clone()));
        app.metrics.connections.inc();
        let app = Arc::clone(app);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            app.metrics.connections.dec();
            drop(permit);
        });
    }
}

/// Expires overdue duels and keys, and stores the time, again and again.
async fn sweep(arena: Arc<Arena>) {
    let mut next_mark = Instant::now();
    let mut turns = tokio::time::interval(SWEEP_EVERY);
    turns.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        turns.tick().await;
        let arena = Arc::clone(&arena);
        let is_mark_due = Instant::now() >= next_mark;
        let all = move || {
            // Repeat while there may be more. The lock is released in between.
            let duels = || -> Result<(), crate::ArenaError> {
                while arena.sweep()? > 0 {}
                Ok(())
            };
            if let Err(error) = duels() {
                tracing::warn!(%error, "could not expire overdue duels");
            }
            if let Err(error) = arena.expire_keys() {
                tracing::warn!(%error, "could not record that keys have expired");
            }
            is_mark_due && mark_time(&arena)
        };
        if tokio::task::spawn_blocking(all).await.unwrap_or(false) {
            next_mark = Instant::now() + MARK_EVERY;
        }
    }
}

/// Stores the time. Returns whether that is done for now.
fn mark_time(arena: &Arena) -> bool {
    arena.mark_time().unwrap_or_else(|error| {
        tracing::warn!(%error, "could not store the time");
        true
    })
}
