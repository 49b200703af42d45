//! Reading requests, with errors in our words.

use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use hyper::body::Body as _;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::Shared;
use super::problem::{Code, Problem};
use super::standing::LAST_PLACE;
use crate::id::{DuelId, ExperimentId, KeyId};

/// Deeper bodies are refused. JSON is read to 127 levels, also by many clients, and what we keep and hand out has some more around it.
const DEEPEST: usize = 100;

/// A JSON body.
pub(super) struct Body<T>(pub(super) T);

/// A JSON body that may be left out.
pub(super) struct OptionalBody<T>(pub(super) T);

/// The part of the address behind the question mark.
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

/// A page elsewhere can make a browser send forms and plain text without asking, but not JSON.
fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Problem::new(Code::UnsupportedMediaType, "the body must be sent as `Content-Type: application/json`"))
}

/// What the guard has read.
async fn bytes(request: Request, app: &Shared) -> Result<Bytes, Problem> {
    read(request.into_body(), app).await
}

/// Reads a body to its end, if it is not too large and comes in time.
pub(crate) async fn read(body: axum::body::Body, app: &Shared) -> Result<Bytes, Problem> {
    let most = app.config.max_body_bytes;
    let too_large = || Problem::new(Code::BodyTooLarge, format!("the body is larger than {most} bytes"));
    if body.size_hint().lower() > most as u64 {
        return Err(too_large());
    }
    let all = async {
        let mut chunks = body.into_data_stream();
        let mut bytes = BytesMut::new();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|_| Problem::new(Code::BadRequest, "the body broke off"))?;
            if bytes.len() + chunk.len() > most {
                return Err(too_large());
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes.freeze())
    };
    let in_time = tokio::time::timeout(app.config.read_timeout, all).await;
    in_time.unwrap_or_else(|_| Err(Code::BodyTooSlow.into()))
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let unreadable = |what: &str| Problem::new(Code::BadRequest, format!("the body: {what}"));
    let text = std::str::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8"))?;
    if depth(text) > DEEPEST {
        return Err(unreadable(&format!("it is nested deeper than {DEEPEST} levels")));
    }
    serde_json::from_str(text).map_err(|error| {
        // A word that is a number instead is reported as if it were no JSON.
        let is_json = || serde_json::from_str::<IgnoredAny>(text).is_ok();
        let code = if error.is_data() || is_json() { Code::Invalid } else { Code::BadRequest };
        Problem::new(code, format!("the body: {error}"))
    })
}

/// The deepest nesting of brackets outside of strings; 0 if there are none.
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
        query.map(|query| Self(query.0)).map_err(|error| Problem::new(Code::Invalid, error.body_text()))
    }
}

/// What a part of the path can be.
pub(super) trait Segment: Sized {
    /// What is said of a text that is none.
    const UNKNOWN: Code;

    fn read(text: &str) -> Option<Self>;
}

impl Segment for ExperimentId {
    const UNKNOWN: Code = Code::NoExperiment;

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Segment for DuelId {
    const UNKNOWN: Code = Code::NoDuel;

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Segment for KeyId {
    const UNKNOWN: Code = Code::NoKey;

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl<T: Segment + Send> FromRequestParts<Shared> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        let text = parts.extract_text::<String>().await?;
        T::read(&text).map(Self).ok_or_else(|| T::UNKNOWN.into())
    }
}

/// An arm of an experiment, as `/experiments/{experiment}/arms/{arm}`.
pub(super) struct ArmPath(pub(super) ExperimentId, pub(super) String);

impl FromRequestParts<Shared> for ArmPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        let (experiment, arm) = parts.extract_text::<(String, String)>().await?;
        let id = experiment.parse().map_err(|_| Problem::from(Code::NoExperiment))?;
        Ok(Self(id, arm))
    }
}

/// An import of an experiment, as `/experiments/{experiment}/votes/{place}`.
pub(super) struct ImportPath(pub(super) ExperimentId, pub(super) u64);

impl FromRequestParts<Shared> for ImportPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        let (experiment, place) = parts.extract_text::<(String, String)>().await?;
        let id = experiment.parse().map_err(|_| Problem::from(Code::NoExperiment))?;
        let place = place.parse().ok().filter(|place| (1..=LAST_PLACE).contains(place));
        Ok(Self(id, place.ok_or(Code::NoImport)?))
    }
}

/// Parts of the path as text.
trait ExtractText {
    async fn extract_text<T: DeserializeOwned + Send + 'static>(&mut self) -> Result<T, Problem>;
}

impl ExtractText for Parts {
    async fn extract_text<T: DeserializeOwned + Send + 'static>(&mut self) -> Result<T, Problem> {
        let path = axum::extract::Path::<T>::from_request_parts(self, &()).await;
        path.map(|path| path.0).map_err(|_| Problem::new(Code::BadRequest, "the path is not UTF-8"))
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
