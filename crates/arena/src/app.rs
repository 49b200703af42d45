//! The part that the API and the pages share: the state of the server, calls to the arena that do
//! not block other requests, access, limits, errors, and the standing with its verdict. It knows
//! neither routes nor HTML.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{Semaphore, watch};

use crate::Arena;

mod access;
mod body;
mod config;
mod metrics;
mod problem;
mod rate;
mod ratings;
mod render_times;
mod search_engine;
mod standing;
mod subsite;
mod verdict;
mod work;

pub(crate) use access::{SESSION, bearer, check_host, cookie, session};
pub(crate) use body::read_body;
pub use config::{Auth, Config, is_origin};
pub(crate) use metrics::Metrics;
pub(crate) use problem::{Problem, status};
pub(crate) use rate::Rates;
pub(crate) use ratings::ratings;
pub(crate) use render_times::RenderTimes;
pub use search_engine::{Document, SearchEngine};
pub(crate) use standing::{StandingPage, summary, totals};
pub use subsite::{Subsite, SubsiteResponse};
pub(crate) use verdict::effect;
pub(crate) use work::{ask, blocking, commit, commit_and_show, durable, off_thread, report, timed};

/// The number of logs that may be read as a whole at the same time.
const REPORTS: usize = 2;

/// The number of exports of votes that may run at the same time. Each holds the duels in flight,
/// with their contexts.
const EXPORTS: usize = 8;

/// The state of the server.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) arena: Arc<Arena>,
    pub(crate) config: Config,
    pub(crate) metrics: Metrics,
    pub(crate) rates: Rates,
    /// One permit for each request that is being answered.
    pub(crate) requests: Arc<Semaphore>,
    /// One permit for each stream.
    pub(crate) streams: Arc<Semaphore>,
    /// One permit for each log that is being read as a whole.
    pub(crate) reports: Arc<Semaphore>,
    /// One permit for each export of votes.
    pub(crate) exports: Arc<Semaphore>,
    /// The OpenAPI document. It is the same for all requests, so it is made once.
    pub(crate) document: Bytes,
    /// The pages of the lab, which another part of the program makes.
    pub(crate) lab: Option<Arc<dyn Subsite>>,
    /// The engine of the search page.
    pub(crate) engine: Option<Arc<dyn SearchEngine>>,
    /// How long pages take to render.
    pub(crate) render_times: RenderTimes,
    /// True once the server is stopping.
    pub(crate) stopping: watch::Receiver<bool>,
}

pub(crate) type Shared = Arc<App>;

impl App {
    pub(crate) fn new(
        arena: Arc<Arena>,
        config: Config,
        metrics: Metrics,
        document: Bytes,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        let permits = |n: usize| Arc::new(Semaphore::new(n));
        Self {
            arena,
            metrics,
            rates: Rates::default(),
            requests: permits(config.max_requests),
            streams: permits(config.max_streams),
            reports: permits(REPORTS),
            exports: permits(EXPORTS),
            document,
            lab: None,
            engine: None,
            render_times: RenderTimes::default(),
            stopping,
            config,
        }
    }
}
