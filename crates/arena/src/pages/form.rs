//! Forms, and their protection against forgery.
//!
//! A form is accepted only if this server made it for this visitor. Its token must be a hash of a
//! cookie that no other site can read, and the browser must not say that the form comes from
//! another site.

use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use serde::de::DeserializeOwned;
use tiltyard_wire::ProblemCode;

use super::failure::Failure;
use super::visitor::Visitor;
use crate::app::{Problem, Shared, read_body};

/// A form without fields, such as a single button.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Nothing {}

/// The fields of a form that passed these checks.
pub(super) struct Form<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Shared> for Form<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Failure> {
        let bytes = checked(request, app).await?;
        serde_urlencoded::from_bytes(&bytes)
            .map(Self)
            .map_err(|error| Problem::invalid(format!("invalid form: {error}")).into())
    }
}

fn fields(bytes: &[u8]) -> Result<Vec<(String, String)>, Failure> {
    serde_urlencoded::from_bytes(bytes)
        .map_err(|error| Problem::new(ProblemCode::BadRequest, format!("invalid form: {error}")).into())
}

async fn checked(request: Request, app: &Shared) -> Result<bytes::Bytes, Failure> {
    let from_here = is_from_here(request.headers());
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let is_form = kind.is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
    let visitor = request.extensions().get::<Visitor>().cloned();
    let bytes = read_body(request.into_body(), app).await?;
    if !is_form {
        return Err(Problem::new(
            ProblemCode::UnsupportedMediaType,
            "the content type is not `application/x-www-form-urlencoded`",
        )
        .into());
    }
    let token = fields(&bytes)?.into_iter().find(|(name, _)| name == "csrf").map(|(_, token)| token);
    let is_theirs = visitor.zip(token).is_some_and(|(visitor, token)| visitor.is_token(&token));
    if from_here && is_theirs { Ok(bytes) } else { Err(Failure::NotOurForm) }
}

/// Whether the form was on a page of this server, according to the headers `Sec-Fetch-Site` and
/// `Origin`. If the browser sends neither, the token alone decides.
fn is_from_here(headers: &HeaderMap) -> bool {
    let text = |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    if let Some(site) = text(header::HeaderName::from_static("sec-fetch-site"))
        && site != "same-origin"
    {
        return false;
    }
    match (text(header::ORIGIN), text(header::HOST)) {
        (None, _) => true,
        (Some(origin), Some(host)) => {
            origin.split_once("://").is_some_and(|(_, origin)| origin.eq_ignore_ascii_case(host))
        }
        (Some(_), None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    #[test]
    fn trace_where_a_form_comes_from() {
        let says = |pairs: &[(&'static str, &'static str)]| {
            let pairs = pairs
                .iter()
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
            is_from_here(&pairs.collect())
        };
        assert!(says(&[("host", "localhost:7474")]));
        assert!(says(&[("host", "localhost:7474"), ("origin", "http://localhost:7474")]));
        assert!(says(&[
            ("host", "a.example"),
            ("origin", "https://a.example"),
            ("sec-fetch-site", "same-origin")
        ]));
        for bad in [
            &[("host", "localhost:7474"), ("origin", "http://localhost:7475")],
            &[("host", "localhost:7474"), ("origin", "http://evil.example")],
            &[("host", "localhost:7474"), ("origin", "null")],
            &[("host", "localhost:7474"), ("sec-fetch-site", "cross-site")],
            &[("host", "localhost:7474"), ("sec-fetch-site", "same-site")],
        ] {
            assert!(!says(bad), "{bad:?}");
        }
        assert!(!says(&[("origin", "http://localhost:7474")]));
    }
}
