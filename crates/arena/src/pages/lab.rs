//! The pages of the lab. Another part of the program makes them, because the arena does not know
//! the lab.

use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use maud::{PreEscaped, html};

use super::failure::{Failure, nothing_here};
use super::layout::Page;
use super::visitor::Visitor;
use crate::app::{Shared, SubsiteResponse, off_thread};
use crate::key::Action;

pub(super) async fn index(
    app: State<Shared>,
    visitor: Visitor,
    query: RawQuery,
) -> Result<Response, Failure> {
    page(app, visitor, Path(String::new()), query).await
}

pub(super) async fn page(
    State(app): State<Shared>,
    visitor: Visitor,
    Path(path): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    visitor.may(Action::Read, None)?;
    let Some(lab) = app.lab.clone() else { return Ok(without(&visitor)) };
    let query = query.unwrap_or_default();
    Ok(match off_thread(move || lab.respond(&path, &query)).await? {
        None => nothing_here(),
        Some(SubsiteResponse::Page { title, body, assets }) => {
            let assets: Vec<&str> = assets.iter().map(String::as_str).collect();
            Page { title: &title, assets: &assets, body: PreEscaped(body) }.render(&visitor).into_response()
        }
        Some(SubsiteResponse::File { content_type, bytes, inline, download }) => {
            file(content_type, bytes, &inline, download.as_deref())
        }
    })
}

fn file(content_type: &'static str, bytes: Vec<u8>, inline: &[String], download: Option<&str>) -> Response {
    let mut response = ([(header::CONTENT_TYPE, content_type)], bytes).into_response();
    let inline = inline.join(" ");
    // Style attributes are allowed: the worst they can do is look odd.
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

/// The page of a server that was started without a directory of results.
fn without(visitor: &Visitor) -> Response {
    let body = html! {
        h1 { "Lab" }
        p { "This server shows no results. Start it with " code { "tiltyard serve --results DIR" }
            ", where " code { "DIR" } " contains what " code { "tiltyard run" } " and " code { "tiltyard reproduce" } " wrote." }
    };
    Page { title: "Lab", assets: &[], body }.render(visitor).into_response()
}
