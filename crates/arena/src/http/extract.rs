//! Reads requests, and reports errors as problems of the API.

use core::fmt::Display;
use std::str::FromStr;

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use serde::de::{DeserializeOwned, IgnoredAny};
use tiltyard_wire::ProblemCode;

use super::standing::LAST_PLACE;
use crate::app::{Problem, Shared, read_body};
use crate::id::{DuelId, ExperimentId, KeyId};

/// Bodies that are nested deeper are refused. Our JSON parser and those of many clients read 127
/// levels, and stored records and responses add some levels around a part of a body.
const DEEPEST: usize = 100;

/// A JSON body.
pub(super) struct Body<T>(pub(super) T);

/// A JSON body that may be left out.
pub(super) struct OptionalBody<T>(pub(super) T);

/// The query string of the address.
pub(super) struct Query<T>(pub(super) T);

/// A part of the path.
pub(super) struct Path<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Shared> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Problem> {
        check_type(request.headers())?;
        Ok(Self(parse(&bytes(request, app).await?)?))
    }
}

impl<T: DeserializeOwned + Default> FromRequest<Shared> for OptionalBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Problem> {
        let typed = check_type(request.headers());
        let bytes = bytes(request, app).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        typed?;
        Ok(Self(parse::<Option<T>>(&bytes)?.unwrap_or_default()))
    }
}

/// Checks the content type. A foreign page can make a browser send forms and plain text without a
/// CORS preflight, but not JSON.
fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Problem::new(
        ProblemCode::UnsupportedMediaType,
        "the body must be sent as `Content-Type: application/json`",
    ))
}

/// The body, which the guard has already read into memory.
async fn bytes(request: Request, app: &Shared) -> Result<Bytes, Problem> {
    read_body(request.into_body(), app).await
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let unreadable = |what: &str| Problem::new(ProblemCode::BadRequest, format!("the body {what}"));
    let text = std::str::from_utf8(bytes).map_err(|_| unreadable("is not UTF-8"))?;
    if depth(text) > DEEPEST {
        return Err(unreadable(&format!("is nested deeper than {DEEPEST} levels")));
    }
    serde_json::from_str(text).map_err(|error| {
        // serde_json reports a number in place of an enum's word as a syntax error.
        let is_json = || serde_json::from_str::<IgnoredAny>(text).is_ok();
        let code = if error.is_data() || is_json() { ProblemCode::Invalid } else { ProblemCode::BadRequest };
        Problem::new(code, format!("the body: {error}"))
    })
}

/// The deepest nesting of brackets outside of strings; 0 without brackets.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

impl<T: DeserializeOwned> FromRequestParts<Shared> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        let query = axum::extract::Query::try_from_uri(&parts.uri);
        query.map(|query| Self(query.0)).map_err(|error| Problem::invalid(error.body_text()))
    }
}

/// An id as a part of the path.
pub(super) trait PathId: FromStr {
    /// The error for a text that is not such an id.
    const UNKNOWN: ProblemCode;
}

impl PathId for ExperimentId {
    const UNKNOWN: ProblemCode = ProblemCode::NoExperiment;
}

impl PathId for DuelId {
    const UNKNOWN: ProblemCode = ProblemCode::NoDuel;
}

impl PathId for KeyId {
    const UNKNOWN: ProblemCode = ProblemCode::NoKey;
}

impl<T: PathId + Send> FromRequestParts<Shared> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        let text = parts.extract_text::<String>().await?;
        text.parse().map(Self).map_err(|_| T::UNKNOWN.into())
    }
}

/// An arm of an experiment, as `/experiments/{experiment}/arms/{arm}`.
pub(super) struct ArmPath(pub(super) ExperimentId, pub(super) String);

impl FromRequestParts<Shared> for ArmPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        let (experiment, arm) = parts.extract_text::<(String, String)>().await?;
        let id = experiment.parse().map_err(|_| Problem::from(ProblemCode::NoExperiment))?;
        Ok(Self(id, arm))
    }
}

/// An import of an experiment, as `/experiments/{experiment}/votes/{place}`.
pub(super) struct ImportPath(pub(super) ExperimentId, pub(super) u64);

impl FromRequestParts<Shared> for ImportPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        let (experiment, place) = parts.extract_text::<(String, String)>().await?;
        let id = experiment.parse().map_err(|_| Problem::from(ProblemCode::NoExperiment))?;
        let place = place.parse().ok().filter(|place| (1..=LAST_PLACE).contains(place));
        Ok(Self(id, place.ok_or(ProblemCode::NoImport)?))
    }
}

/// Parses a text field, and names the field in the error.
pub(super) fn field<T: FromStr<Err: Display>>(name: &str, text: Option<&str>) -> Result<Option<T>, Problem> {
    text.map(str::parse).transpose().map_err(|error| Problem::invalid(format!("`{name}`: {error}")))
}

/// Extracts the parameters of the path as text.
trait ExtractText {
    async fn extract_text<T: DeserializeOwned + Send + 'static>(&mut self) -> Result<T, Problem>;
}

impl ExtractText for Parts {
    async fn extract_text<T: DeserializeOwned + Send + 'static>(&mut self) -> Result<T, Problem> {
        let path = axum::extract::Path::<T>::from_request_parts(self, &()).await;
        path.map(|path| path.0).map_err(|_| Problem::new(ProblemCode::BadRequest, "the path is not UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_depth() {
        for (text, deepest) in [
            ("", 0),
            ("7", 0),
            ("[]", 1),
            ("[{},[[]]]", 3),
            (r#"["[[[[", "\"[["]"#, 1),
            ("]]]][", 1),
            (r#""\\"["#, 1),
        ] {
            assert_eq!(depth(text), deepest, "{text}");
        }
    }
}
