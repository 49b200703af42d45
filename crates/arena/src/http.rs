//! The API: JSON over HTTP, described by an OpenAPI document that is made from this code.
//!
//! Handlers are thin: read the request, ask the [`Arena`], say the answer. What may be done is checked in `auth.rs`, how much of it at
//! once in `guard.rs`, what goes wrong is said in `problem.rs`.

use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderMap, HeaderName, Method, Uri, header};
use axum::response::{IntoResponse, Response};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};
use utoipa::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Arena;
use crate::pages::{self, Annex, Engine};

mod apprentice;
mod auth;
mod config;
mod duels;
mod evaluation;
mod event;
mod experiments;
mod extract;
mod guard;
mod health;
mod ids;
mod interleave;
mod keys;
mod metrics;
mod patient;
mod problem;
mod rate;
mod segments;
mod server;
mod slates;
mod standing;
mod stream;
mod vote_row;
mod votes;
mod wire;

pub(crate) use auth::check_host;
pub use config::{Auth, Config, is_origin};
pub(crate) use experiments::{ask, blocking, off_thread};
pub(crate) use extract::read as read_body;
pub(crate) use guard::durable;
pub use metrics::Metrics;
pub use problem::{Code, Problem, errors_page};
pub use server::{ServeError, Service, serve};
pub(crate) use wire::{AlarmsView, VerdictView, VerdictWord};

/// What handlers share.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) arena: Arc<Arena>,
    pub(crate) config: Config,
    pub(crate) metrics: Metrics,
    rates: rate::Rates,
    /// One permit for each request that is being answered.
    requests: Arc<tokio::sync::Semaphore>,
    /// One permit for each stream.
    pub(crate) streams: Arc<tokio::sync::Semaphore>,
    /// One permit for each log that is being read as a whole.
    reports: Arc<tokio::sync::Semaphore>,
    /// One permit for each export of votes.
    exports: Arc<tokio::sync::Semaphore>,
    /// The OpenAPI document: the same for everyone, so it is made once.
    document: bytes::Bytes,
    /// Pages that are made elsewhere.
    pub(crate) annex: Option<Arc<dyn Annex>>,
    /// What the search page searches with.
    pub(crate) engine: Option<Arc<dyn Engine>>,
    /// How long pages take to make.
    pub(crate) pace: pages::Pace,
    /// True once the server is about to stop.
    pub(crate) stopping: tokio::sync::watch::Receiver<bool>,
}

pub(crate) type Shared = Arc<App>;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Tiltyard arena",
        description = "Live preference experiments: which of K things do people prefer, when all one may ask is \
                       \"this one or that one?\" A 2xx means that what was asked for is durable."
    ),
    modifiers(&Bearer),
    security(("key" = [])),
    components(schemas(Problem)),
    tags(
        (name = "experiments", description = "Making, reading and changing experiments"),
        (name = "duels", description = "Getting duels and answering them"),
        (name = "interleaving", description = "Merging the lists of two rankers, and credit for clicks"),
        (name = "slates", description = "Several arms shown together, and rankings of them"),
        (name = "votes", description = "Votes in and out, many at once"),
        (name = "standing", description = "Where an experiment stands and what happened"),
        (name = "keys", description = "Who may do what"),
        (name = "server", description = "How the server is")
    )
)]
struct Document;

struct Bearer;

impl utoipa::Modify for Bearer {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("key", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    }
}

fn api() -> OpenApiRouter<Shared> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(experiments::create, experiments::list))
        .routes(routes!(experiments::read))
        .routes(routes!(experiments::pause))
        .routes(routes!(experiments::resume))
        .routes(routes!(experiments::close))
        .routes(routes!(experiments::add_arms, experiments::arms))
        .routes(routes!(experiments::retire_arm))
        .routes(routes!(experiments::restore_arm))
        .routes(routes!(apprentice::begin, apprentice::read, apprentice::dismiss))
        .routes(routes!(apprentice::take_over))
        .routes(routes!(experiments::void))
        .routes(routes!(duels::issue))
        .routes(routes!(duels::read, duels::void))
        .routes(routes!(duels::answer, duels::void_outcome))
        .routes(routes!(duels::shown))
        .routes(routes!(duels::answer_many))
        .routes(routes!(interleave::interleave))
        .routes(routes!(interleave::lists))
        .routes(routes!(interleave::clicks))
        .routes(routes!(slates::issue))
        .routes(routes!(slates::rank))
        .routes(routes!(votes::import, votes::export))
        .routes(routes!(votes::void_import))
        .routes(routes!(standing::standing))
        .routes(routes!(standing::ratings))
        .routes(routes!(evaluation::evaluation))
        .routes(routes!(segments::segments))
        .routes(routes!(segments::voters))
        .routes(routes!(standing::history))
        .routes(routes!(standing::digest))
        .routes(routes!(stream::events))
        .routes(routes!(keys::make, keys::list))
        .routes(routes!(keys::revoke))
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(health::metrics))
        .routes(routes!(health::openapi))
        .routes(routes!(health::errors))
}

/// The OpenAPI document.
pub fn openapi() -> utoipa::openapi::OpenApi {
    let mut document = api().into_openapi();
    env!("CARGO_PKG_VERSION").clone_into(&mut document.info.version);
    document
}

/// The document as a server with these settings serves it: one without keys leaves them out.
fn document(config: &Config) -> bytes::Bytes {
    let mut document = openapi();
    if config.auth == Auth::None {
        document.security = None;
    }
    serde_json::to_vec(&document).expect("the document is plain data").into()
}

fn router(app: &Shared) -> Router {
    let (routes, _) = api().split_for_parts();
    let cors = (!app.config.cors_origins.is_empty()).then(|| {
        let origins = app.config.cors_origins.iter().filter_map(|origin| origin.parse().ok());
        CorsLayer::new()
            .allow_origin(AllowOrigin::list(origins))
            .allow_methods([Method::GET, Method::POST, Method::DELETE])
            .allow_headers([
                header::AUTHORIZATION,
                header::CONTENT_TYPE,
                HeaderName::from_static("last-event-id"),
            ])
            .expose_headers([header::RETRY_AFTER])
    });
    let routes = routes
        .merge(pages::routes(app))
        .fallback(nothing)
        .method_not_allowed_fallback(async || Problem::from(Code::MethodNotAllowed))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(axum::middleware::from_fn_with_state(Arc::clone(app), guard::guard));
    let routes = match cors {
        Some(cors) => routes.layer(cors),
        None => routes,
    };
    routes.with_state(Arc::clone(app))
}

/// There is nothing at the address: told as a page to those who look at pages.
async fn nothing(uri: Uri, headers: HeaderMap) -> Response {
    let wants_page = headers.get(header::ACCEPT).is_some_and(|accept| {
        accept.to_str().is_ok_and(|accept| accept.contains("text/html")) && !uri.path().starts_with("/v1/")
    });
    if wants_page { pages::nothing_here() } else { Problem::from(Code::NotFound).into_response() }
}

/// A handler panicked: say so without saying what was in memory.
#[expect(clippy::needless_pass_by_value, reason = "the layer hands it over")]
fn panicked(panic: Box<dyn std::any::Any + Send>) -> Response {
    let text =
        panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    tracing::error!(panic = text.unwrap_or("no text"), "a handler panicked");
    Problem::from(Code::Internal).into_response()
}
