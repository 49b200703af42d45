//! The HTML pages: the dashboard, the voting page, the search page and the results of the lab.
//!
//! The server renders the pages, and they work with links and forms alone. Scripts only add
//! keyboard shortcuts and live updates. Pages load nothing from other sites, and nothing that a
//! user wrote can run as a script (`headers.rs`). Permissions are the same as in the API.

use axum::Router;
use axum::http::Uri;
use axum::response::Redirect;
use axum::routing::{get, post};

use crate::app::Shared;

mod assets;
mod chart;
mod create;
mod dashboard;
mod failure;
mod form;
mod headers;
mod home;
mod keys;
mod lab;
mod layout;
mod search;
mod sign_in;
mod visitor;
mod voting;

pub(crate) use failure::nothing_here;

/// All pages. They share the server and its guard (`server/guard.rs`) with the API.
pub(crate) fn routes(app: &Shared) -> Router<Shared> {
    Router::new()
        .route("/", get(home::home))
        .route("/login", get(sign_in::form).post(sign_in::sign_in))
        .route("/logout", post(sign_in::sign_out))
        .route("/new", get(create::form).post(create::create))
        .merge(voting::routes())
        .route("/experiments/{id}", get(dashboard::dashboard))
        .route("/experiments/{id}/live", get(dashboard::live))
        .route("/experiments/{id}/figures/{name}", get(dashboard::figure))
        .route("/experiments/{id}/status", post(dashboard::change_status).get(up))
        .route("/experiments/{id}/arms", post(dashboard::add_arms).get(up))
        .route("/experiments/{id}/retire", post(dashboard::retire).get(up))
        .route("/experiments/{id}/restore", post(dashboard::restore).get(up))
        .route("/experiments/{id}/link", post(dashboard::link).get(up))
        .route("/keys", get(keys::keys).post(keys::make))
        .route("/keys/revoke", post(keys::revoke).get(up))
        .merge(search::routes())
        .route("/lab/", get(lab::index))
        .route("/lab/{*path}", get(lab::page))
        .layer(axum::middleware::from_fn_with_state(app.clone(), headers::secure))
        .route("/assets/{name}", get(assets::asset))
        .route("/media/{*path}", get(voting::media))
}

/// Redirects to the page with the form. A visitor who had to sign in first comes back, by GET, to
/// the address of the form.
async fn up(address: Uri) -> Redirect {
    let page = address.path().rsplit_once('/').map_or("/", |(page, _)| page);
    Redirect::to(page)
}
