//! Signing in and out.

use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;

use super::failure::Failure;
use super::form::{Form, Nothing};
use super::layout::{Page, token};
use super::visitor::{Visitor, no_session_cookie, session_cookie};
use crate::app::{Shared, blocking};
use crate::key::Secret;

/// How long a session lasts: twelve hours, a long working day.
const SESSION_SECONDS: u32 = 12 * 3600;

#[derive(Debug, Deserialize)]
pub(super) struct Back {
    back: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SignIn {
    key: String,
    back: Option<String>,
}

pub(super) async fn form(visitor: Visitor, Query(Back { back }): Query<Back>) -> Response {
    if visitor.grant().is_some() {
        return Redirect::to(home(back.as_deref())).into_response();
    }
    page(&visitor, home(back.as_deref()), None).into_response()
}

fn page(visitor: &Visitor, back: &str, error: Option<&str>) -> Markup {
    let body = html! {
        h1 { "Sign in" }
        p { "Paste your key. If you have none, ask the person who runs this server. "
            "The server printed its first key, an admin key, when it was started for the first time. For another, stop the server and start it with "
            code { "--new-admin-key" } "." }
        form.stack method="post" action="/login" {
            (token(visitor))
            input type="hidden" name="back" value=(back);
            div.field {
                label for="key" { "Key" }
                input #key name="key" type="password" required autofocus autocomplete="current-password"
                    spellcheck="false" aria-describedby=[error.map(|_| "error")] aria-invalid=[error.map(|_| "true")];
                @if let Some(error) = error { p.error #error role="alert" { (error) } }
            }
            div { button.primary { "Sign in" } }
        }
    };
    Page { title: "Sign in", assets: &[], body }.render(visitor)
}

pub(super) async fn sign_in(
    State(app): State<Shared>,
    visitor: Visitor,
    Form(SignIn { key, back }): Form<SignIn>,
) -> Result<Response, Failure> {
    let secret = Secret::brought(key.trim());
    let session =
        blocking(&app, move |arena| arena.begin_session(&secret, u64::from(SESSION_SECONDS))).await?;
    let back = home(back.as_deref());
    let Some(session) = session else {
        let error = "This key is unknown, incomplete, expired or revoked.";
        return Ok((StatusCode::UNAUTHORIZED, page(&visitor, back, Some(error))).into_response());
    };
    let cookie = session_cookie(&session, SESSION_SECONDS);
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to(back)).into_response())
}

pub(super) async fn sign_out(
    State(app): State<Shared>,
    visitor: Visitor,
    Form(Nothing {}): Form<Nothing>,
) -> Result<Response, Failure> {
    if let Some(key) = visitor.grant().and_then(|grant| grant.key) {
        blocking(&app, move |arena| arena.revoke_key(key)).await?;
    }
    Ok(([(header::SET_COOKIE, no_session_cookie())], Redirect::to("/login")).into_response())
}

/// Where to go after signing in: `back` if it is a page of this server, otherwise the home page.
fn home(back: Option<&str>) -> &str {
    let is_ours = |back: &&str| {
        back.starts_with('/')
            && !back.starts_with("//")
            && !back.contains('\\')
            && !back.chars().any(char::is_control)
            && !back.starts_with("/login")
    };
    back.filter(is_ours).unwrap_or("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_no_way_to_another_site() {
        assert_eq!(home(Some("/experiments/x?y=1")), "/experiments/x?y=1");
        for bad in [
            "//evil.example",
            "https://evil.example",
            "/\\evil.example",
            "javascript:alert(1)",
            "",
            "/\t/evil",
        ] {
            assert_eq!(home(Some(bad)), "/", "{bad}");
        }
    }
}
