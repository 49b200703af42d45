//! Problems: why the server refused a request or failed to answer it.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tiltyard_wire::{self as wire, ProblemCode};

use crate::ArenaError;
use crate::domain::Refusal;
use crate::store::StoreError;

/// Why the server refused a request or failed to answer it. The API reports it as JSON, the pages
/// as an error page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    pub(crate) code: ProblemCode,
    /// What went wrong, in words.
    pub(crate) detail: String,
    /// Seconds to wait before trying again.
    pub(crate) retry_after: Option<u64>,
}

impl Problem {
    /// A problem with its own detail.
    pub(crate) fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), retry_after: None }
    }

    /// A value that is not allowed.
    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(ProblemCode::Invalid, detail)
    }

    /// The same problem, with the time to wait before trying again.
    #[must_use]
    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// The HTTP status of the response.
    pub(crate) fn status(&self) -> StatusCode {
        status(self.code)
    }
}

/// The HTTP status of a code.
pub(crate) fn status(code: ProblemCode) -> StatusCode {
    StatusCode::from_u16(code.status()).expect("the table has valid statuses")
}

impl From<ProblemCode> for Problem {
    fn from(code: ProblemCode) -> Self {
        Self::new(code, code.title())
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let code = match &refusal {
            Refusal::NoExperiment => ProblemCode::NoExperiment,
            Refusal::NoDuel => ProblemCode::NoDuel,
            Refusal::NoArm { .. } => ProblemCode::NoArm,
            Refusal::NoKey => ProblemCode::NoKey,
            Refusal::NothingToEvaluate { .. } => ProblemCode::NothingToEvaluate,
            Refusal::NoApprentice => ProblemCode::NoApprentice,
            Refusal::HasApprentice => ProblemCode::HasApprentice,
            Refusal::NoImport => ProblemCode::NoImport,
            Refusal::UnknownArms { .. } => ProblemCode::UnknownArms,
            Refusal::ImportVoided => ProblemCode::ImportVoided,
            Refusal::Spec(_)
            | Refusal::Policy(_)
            | Refusal::Sequential { .. }
            | Refusal::NoLessons { .. }
            | Refusal::NoProbabilities { .. }
            | Refusal::NoChances { .. }
            | Refusal::NotDistinct { .. } => ProblemCode::BadPolicy,
            Refusal::NotElastic { .. } | Refusal::ApprenticeNotElastic { .. } => ProblemCode::NotElastic,
            Refusal::LastArms { .. } | Refusal::AlreadyRetired { .. } | Refusal::NotRetired { .. } => {
                ProblemCode::ArmState
            }
            Refusal::Paused => ProblemCode::ExperimentPaused,
            Refusal::Closed => ProblemCode::ExperimentClosed,
            Refusal::ClientReused { .. } | Refusal::ClientTaken { .. } => ProblemCode::ClientIdReused,
            Refusal::TooManyInFlight { .. } | Refusal::ListsTooLarge { .. } => ProblemCode::TooManyInFlight,
            Refusal::Contradiction => ProblemCode::OutcomeContradicts,
            Refusal::Voided => ProblemCode::DuelVoided,
            Refusal::Expired | Refusal::TooLateForLists => ProblemCode::DuelExpired,
            Refusal::VoterLimit { .. } => ProblemCode::VoterLimit,
            Refusal::IsSlate => ProblemCode::IsSlate,
            Refusal::NotASlate => ProblemCode::NotASlate,
            Refusal::OtherLists => ProblemCode::ListsContradict,
            Refusal::NoMergedList => ProblemCode::NotInterleaved,
            _ => ProblemCode::Invalid,
        };
        let problem = Self::new(code, refusal.to_string());
        match refusal {
            Refusal::VoterLimit { wait: Some(wait), .. } => problem.retry_after(wait),
            Refusal::TooManyInFlight { .. } | Refusal::ListsTooLarge { .. } => problem.retry_after(1),
            _ => problem,
        }
    }
}

impl From<ArenaError> for Problem {
    fn from(error: ArenaError) -> Self {
        match error {
            ArenaError::Refused(refusal) => refusal.into(),
            ArenaError::Overloaded => Self::from(ProblemCode::Overloaded).retry_after(1),
            error @ (ArenaError::Damaged { .. } | ArenaError::Store(StoreError::Damaged { .. })) => {
                Self::new(ProblemCode::ExperimentDamaged, error.to_string())
            }
            ArenaError::Store(error) => {
                tracing::error!(%error, "the store failed");
                Self::from(ProblemCode::StoreUnavailable).retry_after(1)
            }
            error @ ArenaError::Fold(_) => {
                tracing::error!(%error, "a log cannot be folded");
                Self::from(ProblemCode::Internal)
            }
        }
    }
}

impl From<Problem> for wire::Problem {
    fn from(Problem { code, detail, retry_after }: Problem) -> Self {
        Self {
            kind: format!("/docs/errors#{}", code.word()),
            title: code.title().to_owned(),
            status: code.status(),
            code,
            detail,
            retry_after,
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.status();
        let (code, retry_after) = (self.code, self.retry_after);
        let mut response = (status, Json(wire::Problem::from(self))).into_response();
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
    fn trace_a_problem() {
        let problem = wire::Problem::from(Problem::from(Refusal::Contradiction));
        let problem = serde_json::to_value(problem).expect("plain data");
        let expected = serde_json::json!({
            "type": "/docs/errors#outcome_contradicts",
            "title": "The duel already has a different outcome",
            "status": 409,
            "code": "outcome_contradicts",
            "detail": "the duel has another answer already",
        });
        assert_eq!(problem, expected);
    }
}
