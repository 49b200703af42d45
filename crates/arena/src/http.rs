//! The API: JSON over HTTP, described by an OpenAPI document that is generated from this code.
//!
//! Handlers are thin: they read the request, ask the arena, and return its answer in the types of
//! `tiltyard_wire`. `convert/` translates between these types and the types of the domain.

use axum::Router;
use tiltyard_wire::Problem;
use utoipa::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::{Auth, Config, Shared};

mod apprentice;
mod auth;
mod convert;
mod duels;
mod evaluation;
mod experiments;
mod extract;
mod health;
mod interleave;
mod keys;
mod problems;
mod segments;
mod settings;
mod slates;
mod standing;
mod stream;
mod vote_row;
mod votes;

pub(crate) use auth::Caller;
pub use problems::errors_page;
pub use settings::settings_table;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Tiltyard arena",
        description = "Live preference experiments: which of K things do people prefer, if you can only ask \
                       \"this one or that one?\" A 2xx response means that the effect of the request is durable."
    ),
    modifiers(&Bearer),
    security(("key" = [])),
    components(schemas(Problem)),
    tags(
        (name = "experiments", description = "Creating, reading and changing experiments"),
        (name = "duels", description = "Getting and answering duels"),
        (name = "interleaving", description = "Merging the lists of two rankers, and crediting clicks"),
        (name = "slates", description = "Showing several arms together, and ranking them"),
        (name = "votes", description = "Importing and exporting votes"),
        (name = "standing", description = "Verdicts, counts and the log of an experiment"),
        (name = "keys", description = "Managing keys"),
        (name = "server", description = "Health, metrics and documents of the server")
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
        .routes(routes!(votes::log))
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
    settings::describe(&mut document);
    document
}

/// The document as a server with this configuration serves it. A server without keys leaves out the
/// security requirement.
pub(crate) fn document(config: &Config) -> bytes::Bytes {
    let mut document = openapi();
    if config.auth == Auth::None {
        document.security = None;
    }
    serde_json::to_vec(&document).expect("the document is plain data").into()
}

/// All routes of the API.
pub(crate) fn routes() -> Router<Shared> {
    api().split_for_parts().0
}
