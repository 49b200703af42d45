//! Reading requests, with errors in our words.

use axum::RequestExt as _;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::Shared;
use super::problem::{Code, Problem};
use crate::id::{DuelId, ExperimentId, KeyId};

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
        Ok(Self(parse(&read(request, app).await?)?))
    }
}

impl<T: DeserializeOwned + Default> FromRequest<Shared> for OptionalBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Shared) -> Result<Self, Problem> {
        let typed = check_type(request.headers());
        let bytes = read(request, app).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        typed?;
        Ok(Self(parse(&bytes)?))
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

async fn read(request: Request, app: &Shared) -> Result<Bytes, Problem> {
    let bytes = tokio::time::timeout(app.config.read_timeout, request.extract::<Bytes, _>());
    match bytes.await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(rejection)) if rejection.status() == Code::BodyTooLarge.status() => {
            let detail = format!("the body is larger than {} bytes", app.config.max_body_bytes);
            Err(Problem::new(Code::BodyTooLarge, detail))
        }
        Ok(Err(_)) => Err(Problem::new(Code::BadRequest, "the body broke off")),
        Err(_) => Err(Code::BodyTooSlow.into()),
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|error| {
        let code = if error.is_data() { Code::Invalid } else { Code::BadRequest };
        Problem::new(code, format!("the body: {error}"))
    })
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
