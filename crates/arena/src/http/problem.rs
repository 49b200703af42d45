//! Errors as they travel: `application/problem+json` (RFC 9457), all from one table.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ArenaError;
use crate::domain::Refusal;

macro_rules! codes {
    ($($name:ident = $status:ident $code:literal $title:literal,)*) => {
        /// What went wrong, in a word that programs may rely on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        #[schema(as = ProblemCode)]
        pub enum Code {
            $(#[doc = $title] $name,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The word.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The status it goes with.
            pub fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status,)* }
            }

            /// What it means.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)* }
            }
        }
    };
}

codes! {
    BadRequest = BAD_REQUEST "bad_request" "The request cannot be read",
    Unauthorized = UNAUTHORIZED "unauthorized" "A valid key is needed",
    Forbidden = FORBIDDEN "forbidden" "The key does not allow this",
    NotFound = NOT_FOUND "not_found" "There is nothing at this address",
    NoExperiment = NOT_FOUND "no_experiment" "There is no such experiment",
    NoDuel = NOT_FOUND "no_duel" "There is no such duel",
    NoArm = NOT_FOUND "no_arm" "There is no such arm",
    NoKey = NOT_FOUND "no_key" "There is no such key",
    MethodNotAllowed = METHOD_NOT_ALLOWED "method_not_allowed" "The address knows other methods",
    ArmState = CONFLICT "arm_state" "The arm is not in the state for this",
    NotElastic = CONFLICT "not_elastic" "The policy cannot change its arms while it runs",
    ExperimentPaused = CONFLICT "experiment_paused" "The experiment is paused",
    ExperimentClosed = CONFLICT "experiment_closed" "The experiment is closed",
    ClientIdReused = CONFLICT "client_id_reused" "The client id was used for another request",
    OutcomeContradicts = CONFLICT "outcome_contradicts" "The duel has another outcome",
    DuelVoided = CONFLICT "duel_voided" "The duel was voided",
    DuelExpired = CONFLICT "duel_expired" "The duel has expired",
    BodyTooLarge = PAYLOAD_TOO_LARGE "body_too_large" "The body is too large",
    BodyTooSlow = REQUEST_TIMEOUT "body_too_slow" "The body did not come in time",
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE "unsupported_media_type" "The body must be JSON",
    Invalid = UNPROCESSABLE_ENTITY "invalid" "A value is not allowed",
    BadPolicy = UNPROCESSABLE_ENTITY "bad_policy" "The policy cannot be used",
    RateLimited = TOO_MANY_REQUESTS "rate_limited" "The key makes too many requests",
    VoterLimit = TOO_MANY_REQUESTS "voter_limit" "The voter has voted too often",
    TooManyInFlight = TOO_MANY_REQUESTS "too_many_in_flight" "Too many duels wait for an answer",
    Internal = INTERNAL_SERVER_ERROR "internal" "The server made a mistake",
    Overloaded = SERVICE_UNAVAILABLE "overloaded" "The server has too much to do; nothing was done",
    StoreUnavailable = SERVICE_UNAVAILABLE "store_unavailable" "The store failed; ask again, with the same ids",
    TimedOut = SERVICE_UNAVAILABLE "timed_out" "It took too long; ask again, with the same ids",
    Stopping = SERVICE_UNAVAILABLE "stopping" "The server is about to stop; nothing was done",
}

/// An error.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Problem {
    /// Where the code is explained.
    #[serde(rename = "type")]
    #[schema(example = "/docs/errors#no_duel")]
    pub kind: String,
    /// What the code means.
    pub title: &'static str,
    /// The status of the response.
    pub status: u16,
    /// What went wrong, in a word that programs may rely on.
    pub code: Code,
    /// What went wrong, in words.
    pub detail: String,
    /// After how many seconds it is worth trying again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

impl Problem {
    /// An error with a detail of its own.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("/docs/errors#{}", code.word()),
            title: code.title(),
            status: code.status().as_u16(),
            code,
            detail: detail.into(),
            retry_after: None,
        }
    }

    /// The same, with a time to try again.
    #[must_use]
    pub fn retry_after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }
}

impl From<Code> for Problem {
    fn from(code: Code) -> Self {
        Self::new(code, code.title())
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let code = match &refusal {
            Refusal::NoExperiment => Code::NoExperiment,
            Refusal::NoDuel => Code::NoDuel,
            Refusal::NoArm { .. } => Code::NoArm,
            Refusal::NoKey => Code::NoKey,
            Refusal::Spec(_)
            | Refusal::Policy(_)
            | Refusal::Sequential { .. }
            | Refusal::NotDistinct { .. } => Code::BadPolicy,
            Refusal::NotElastic { .. } => Code::NotElastic,
            Refusal::LastArms { .. } | Refusal::AlreadyRetired { .. } | Refusal::NotRetired { .. } => {
                Code::ArmState
            }
            Refusal::Paused => Code::ExperimentPaused,
            Refusal::Closed => Code::ExperimentClosed,
            Refusal::ClientReused { .. } => Code::ClientIdReused,
            Refusal::TooManyInFlight { .. } => Code::TooManyInFlight,
            Refusal::Contradiction => Code::OutcomeContradicts,
            Refusal::Voided => Code::DuelVoided,
            Refusal::Expired => Code::DuelExpired,
            Refusal::VoterLimit { .. } => Code::VoterLimit,
            _ => Code::Invalid,
        };
        let problem = Self::new(code, refusal.to_string());
        match refusal {
            Refusal::VoterLimit { wait: Some(wait), .. } => problem.retry_after(wait),
            Refusal::TooManyInFlight { .. } => problem.retry_after(1),
            _ => problem,
        }
    }
}

impl From<ArenaError> for Problem {
    fn from(error: ArenaError) -> Self {
        match error {
            ArenaError::Refused(refusal) => refusal.into(),
            ArenaError::Overloaded => Self::from(Code::Overloaded).retry_after(1),
            ArenaError::Store(error) => {
                tracing::error!(%error, "the store failed");
                Self::from(Code::StoreUnavailable).retry_after(1)
            }
            error @ ArenaError::Fold(_) => {
                tracing::error!(%error, "a log cannot be folded");
                Self::from(Code::Internal)
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.code.status();
        let (code, retry_after) = (self.code, self.retry_after);
        let mut response = (status, Json(self)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(code);
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_words_are_those_of_the_wire() {
        for &code in Code::ALL {
            assert_eq!(serde_json::to_value(code).expect("a word"), code.word());
        }
    }

    #[test]
    fn trace_a_problem() {
        let problem = serde_json::to_value(Problem::from(Refusal::Contradiction)).expect("plain data");
        let expected = serde_json::json!({
            "type": "/docs/errors#outcome_contradicts",
            "title": "The duel has another outcome",
            "status": 409,
            "code": "outcome_contradicts",
            "detail": "the duel has another answer already",
        });
        assert_eq!(problem, expected);
    }
}
