//! Pages that are made elsewhere: results of the lab, which the arena does not know.

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use maud::{PreEscaped, html};

use super::failure::{Failure, nothing_here};
use super::layout::Page;
use super::visitor::Visitor;
use crate::http::{Shared, off_thread};
use crate::key::Action;

/// Pages that are made elsewhere and shown here, below `/lab/`.
pub trait Annex: Send + Sync + core::fmt::Debug {
    /// What is at `path` (without `/lab/`), with the query as it came. It may take long: it is called off the threads that answer requests.
    fn leaf(&self, path: &str, query: &str) -> Option<Leaf>;
}

/// What an [`Annex`] has at an address.
#[derive(Debug, Clone, PartialEq)]
pub enum Leaf {
    /// The inside of a page: HTML for `<main>`, and the scripts and style sheets it wants.
    Page {
        /// What the browser calls it.
        title: String,
        /// HTML, trusted: whoever makes it escapes what users wrote.
        body: String,
        /// Addresses of scripts (`.js`) and style sheets (`.css`), below `/lab/`.
        assets: Vec<String>,
    },
    /// A file as it is.
    File {
        /// Its type.
        content_type: &'static str,
        /// What is in it.
        bytes: Vec<u8>,
        /// Scripts and styles that may run in it, as `'sha256-...'`.
        inline: Vec<String>,
        /// The name under which it is saved, if it is to be saved.
        download: Option<String>,
    },
}

pub(super) async fn index(
    app: State<Shared>,
    visitor: Visitor,
    query: RawQuery,
) -> Result<Response, Failure> {
    leaf(app, visitor, Path(String::new()), query).await
}

pub(super) async fn leaf(
    State(app): State<Shared>,
    visitor: Visitor,
    Path(path): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    visitor.may(Action::Read, None)?;
    let Some(annex) = app.annex.clone() else { return Ok(without(&visitor)) };
    let query = query.unwrap_or_default();
    Ok(match off_thread(move || annex.leaf(&path, &query)).await? {
        None => nothing_here(),
        Some(Leaf::Page { title, body, assets }) => {
            let assets: Vec<&str> = assets.iter().map(String::as_str).collect();
            Page { title: &title, assets: &assets, body: PreEscaped(body) }.render(&visitor).into_response()
        }
        Some(Leaf::File { content_type, bytes, inline, download }) => {
            file(content_type, bytes, &inline, download.as_deref())
        }
    })
}

fn file(content_type: &'static str, bytes: Vec<u8>, inline: &[String], download: Option<&str>) -> Response {
    let mut response = ([(header::CONTENT_TYPE, content_type)], bytes).into_response();
    let inline = inline.join(" ");
    // A style attribute cannot do more than look odd.
    let policy = format!(
        "default-src 'none'; script-src 'self' {inline}; style-src 'self' {inline}; style-src-attr 'unsafe-inline'; \
         img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    if let Some(name) = download {
        let plain: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' })
            .collect();
        if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{plain}\"")) {
            response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
        }
    }
    response
}

/// The server was not told where results are.
fn without(visitor: &Visitor) -> Response {
    let body = html! {
        h1 { "Lab" }
        p { "No results are open. Start the server with " code { "tiltyard serve --results DIR" }
            ", where " code { "DIR" } " holds what " code { "tiltyard run" } " and " code { "tiltyard reproduce" } " wrote." }
    };
    Page { title: "Lab", assets: &[], body }.render(visitor).into_response()
}
