//! Errors as they travel: `application/problem+json` (RFC 9457), all from one table.

use std::collections::{BTreeMap, BTreeSet};

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::{self, Ref, RefOr};

use crate::ArenaError;
use crate::domain::Refusal;

macro_rules! codes {
    ($($name:ident = $status:ident $code:literal $title:literal $advice:literal,)*) => {
        /// What went wrong, in a word that programs may rely on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
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

            /// What to do about it.
            pub fn advice(self) -> &'static str {
                match self { $(Self::$name => $advice,)* }
            }
        }
    };
}

codes! {
    BadRequest = BAD_REQUEST "bad_request" "The request cannot be read"
        "Send JSON as RFC 8259 has it, nested no deeper than 100 levels, and a path that is UTF-8; `detail` names the place.",
    Unauthorized = UNAUTHORIZED "unauthorized" "A valid key is needed"
        "Send `Authorization: Bearer KEY` with a key that is neither expired nor revoked.",
    Forbidden = FORBIDDEN "forbidden" "The key does not allow this"
        "Use a key of another scope, or of this experiment. A server without keys answers to `localhost` and loopback addresses only.",
    NotFound = NOT_FOUND "not_found" "There is nothing at this address"
        "Look the address up in `/openapi.json`.",
    NoExperiment = NOT_FOUND "no_experiment" "There is no such experiment"
        "Use the `id` that making the experiment returned, or list all.",
    NoDuel = NOT_FOUND "no_duel" "There is no such duel"
        "Use the `id` that getting the duel returned, all of it: its last part is a secret.",
    NoArm = NOT_FOUND "no_arm" "There is no such arm"
        "Use a name from the experiment's arms, with characters that are special in an address percent-encoded.",
    NoImport = NOT_FOUND "no_import" "No votes were imported at that place"
        "Use the `place` that importing the votes returned.",
    NoApprentice = CONFLICT "no_apprentice" "The experiment has no apprentice"
        "Begin one first.",
    NoKey = NOT_FOUND "no_key" "There is no such key"
        "Use the `id` of a key from the list of keys, not the key itself.",
    MethodNotAllowed = METHOD_NOT_ALLOWED "method_not_allowed" "The address knows other methods"
        "Use one of those that the header `Allow` lists.",
    BodyTooSlow = REQUEST_TIMEOUT "body_too_slow" "The body did not come in time"
        "Send it again, all at once. Nothing was done.",
    ArmState = CONFLICT "arm_state" "The arm is not in the state for this"
        "Read the arms first: only active ones can be retired, only retired ones restored, and two must stay.",
    HasApprentice = CONFLICT "has_apprentice" "The experiment has an apprentice already"
        "Let it take over, or dismiss it.",
    NotElastic = CONFLICT "not_elastic" "The policy cannot change its arms while it runs"
        "Make an experiment with a policy that can, such as `rex3`.",
    ExperimentPaused = CONFLICT "experiment_paused" "The experiment is paused"
        "Resume it, or ask later.",
    ExperimentClosed = CONFLICT "experiment_closed" "The experiment is closed"
        "That is for good: make another experiment.",
    ClientIdReused = CONFLICT "client_id_reused" "The client id was used for another request"
        "Use another `client_id`, or ask for as many duels as before, or send the same votes.",
    ImportVoided = CONFLICT "import_voided" "The votes were imported, and voided"
        "That is remembered by the `client_id`: use another to import the same votes once more.",
    OutcomeContradicts = CONFLICT "outcome_contradicts" "The duel has another outcome"
        "The first outcome, with its voter, counts. To take it back, void the duel.",
    DuelVoided = CONFLICT "duel_voided" "The duel was voided"
        "Get another duel.",
    DuelExpired = CONFLICT "duel_expired" "The duel has expired"
        "Get another duel. The setting `late` decides whether late outcomes are taken.",
    ListsContradict = CONFLICT "lists_contradict" "The duel's lists were merged before, from others"
        "The first lists, with their method and length, count. Get another duel for other lists.",
    NotInterleaved = CONFLICT "not_interleaved" "The duel has no merged list"
        "Bring the lists of its rankers first, or say its outcome in a word.",
    IsSlate = CONFLICT "is_slate" "The duel is a slate of several arms"
        "Say its ranking, or the best of it, at `/v1/duels/{duel}/ranking`; `skip` is fine where it is.",
    NotASlate = CONFLICT "not_a_slate" "The duel is not a slate"
        "It is of two arms: say its outcome.",
    NothingToEvaluate = CONFLICT "nothing_to_evaluate" "No vote says anything about other play"
        "Votes do where the chance of their pair is known and every pair has one: use a policy such as `rex3`, or the setting `holdout`.",
    BodyTooLarge = PAYLOAD_TOO_LARGE "body_too_large" "The body is too large"
        "Send less at once, or start the server with a larger `max_body_bytes`.",
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE "unsupported_media_type" "The body must be JSON"
        "Send `Content-Type: application/json`.",
    Invalid = UNPROCESSABLE_ENTITY "invalid" "A value is not allowed"
        "Change what `detail` names.",
    UnknownArms = UNPROCESSABLE_ENTITY "unknown_arms" "Votes name arms that the experiment does not have"
        "Bring the arms in first, if the policy can change its arms, or make an experiment with all of them.",
    BadPolicy = UNPROCESSABLE_ENTITY "bad_policy" "The policy cannot be used"
        "`tiltyard policy list` shows all policies; those that must see each outcome before the next duel cannot be used live.",
    RateLimited = TOO_MANY_REQUESTS "rate_limited" "The key makes too many requests"
        "Wait as long as `Retry-After` says. Nothing was done.",
    VoterLimit = TOO_MANY_REQUESTS "voter_limit" "The voter has voted too often"
        "Wait as long as `Retry-After` says; without it, this voter's votes are no longer taken.",
    TooManyInFlight = TOO_MANY_REQUESTS "too_many_in_flight" "Too many duels wait for an answer"
        "Answer or void some, wait until some expire, or make an experiment with a larger `max_in_flight`.",
    Internal = INTERNAL_SERVER_ERROR "internal" "The server made a mistake"
        "Report it with the server's log. Whether the request was carried out is not known: ask again with the same ids.",
    Overloaded = SERVICE_UNAVAILABLE "overloaded" "The server has too much to do; nothing was done"
        "Ask again after as long as `Retry-After` says.",
    StoreUnavailable = SERVICE_UNAVAILABLE "store_unavailable" "The store failed; ask again, with the same ids"
        "Whether the request was carried out is not known. Asked again with the same duel id or `client_id` it is carried out once.",
    TimedOut = SERVICE_UNAVAILABLE "timed_out" "It took too long; ask again, with the same ids"
        "Whether the request was carried out is not known. Asked again with the same duel id or `client_id` it is carried out once.",
    Stopping = SERVICE_UNAVAILABLE "stopping" "The server is about to stop; nothing was done"
        "Ask again when it has started anew.",
}

/// What everything below `/v1` can answer.
pub(super) const ALWAYS: &[Code] = &[
    Code::BadRequest,
    Code::Unauthorized,
    Code::Forbidden,
    Code::BodyTooSlow,
    Code::BodyTooLarge,
    Code::RateLimited,
    Code::Internal,
    Code::Overloaded,
    Code::TimedOut,
];

/// What can be wrong with a body.
pub(super) const BODY: &[Code] = &[Code::UnsupportedMediaType, Code::Invalid];

/// The part of the document that lists these codes: one response for each status.
pub(super) fn responses(groups: &[&[Code]]) -> BTreeMap<String, RefOr<openapi::Response>> {
    let mut by_status: BTreeMap<u16, BTreeSet<Code>> = BTreeMap::new();
    for &code in groups.iter().copied().flatten() {
        by_status.entry(code.status().as_u16()).or_default().insert(code);
    }
    let response = |(status, codes): (u16, BTreeSet<Code>)| {
        let words: Vec<_> = codes.iter().map(|code| format!("`{}`: {}", code.word(), code.title())).collect();
        let content = openapi::ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
        let mut response = openapi::ResponseBuilder::new()
            .description(words.join("; "))
            .content("application/problem+json", content);
        let header = |text: &str| openapi::HeaderBuilder::new().description(Some(text)).build();
        if matches!(status, 429 | 503) {
            response =
                response.header("Retry-After", header("After how many seconds it is worth trying again"));
        }
        if status == 401 {
            response = response.header("WWW-Authenticate", header("`Bearer`"));
        }
        (status.to_string(), response.build().into())
    };
    by_status.into_iter().map(response).collect()
}

/// Names a list of codes, for the document's responses of a route.
macro_rules! problems {
    ($name:ident = $($code:ident)* $(+ $group:ident)*) => {
        enum $name {}

        impl utoipa::IntoResponses for $name {
            fn responses() -> std::collections::BTreeMap<String, utoipa::openapi::RefOr<utoipa::openapi::Response>> {
                use $crate::http::problem;
                problem::responses(&[&[$(problem::Code::$code),*], $(problem::$group),*])
            }
        }
    };
}
pub(super) use problems;

/// All codes as a page.
pub fn errors_page() -> String {
    use core::fmt::Write as _;
    let mut page = "\
<!-- Written by `cargo xtask docs` from the table of codes in crates/arena/src/http/problem.rs. -->

# Errors of the API

Whatever is refused is answered with `application/problem+json` (RFC 9457): `code` is one of the words below and is what programs
should look at, `status` is the status of the response, `detail` says in words what went wrong, `retry_after` (and the header
`Retry-After`) after how many seconds it is worth trying again, and `type` points to this page. What is so broken that it is no HTTP is
answered with a bare 400 or 431, or not at all.

| code | status | meaning |
|---|---|---|
"
    .to_owned();
    for &code in Code::ALL {
        let (word, status) = (code.word(), code.status().as_u16());
        let _ = writeln!(page, "| [`{word}`](#{word}) | {status} | {} |", code.title());
    }
    for &code in Code::ALL {
        let (word, status) = (code.word(), code.status());
        let _ = write!(page, "\n## {word}\n\n{}. Status {status}.\n\n{}\n", code.title(), code.advice());
    }
    page
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
    #[schema(nullable = false)]
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
            Refusal::NothingToEvaluate { .. } => Code::NothingToEvaluate,
            Refusal::NoApprentice => Code::NoApprentice,
            Refusal::HasApprentice => Code::HasApprentice,
            Refusal::NoImport => Code::NoImport,
            Refusal::UnknownArms { .. } => Code::UnknownArms,
            Refusal::ImportVoided => Code::ImportVoided,
            Refusal::Spec(_)
            | Refusal::Policy(_)
            | Refusal::Sequential { .. }
            | Refusal::NoLessons { .. }
            | Refusal::NoProbabilities { .. }
            | Refusal::NoChances { .. }
            | Refusal::NotDistinct { .. } => Code::BadPolicy,
            Refusal::NotElastic { .. } | Refusal::ApprenticeNotElastic { .. } => Code::NotElastic,
            Refusal::LastArms { .. } | Refusal::AlreadyRetired { .. } | Refusal::NotRetired { .. } => {
                Code::ArmState
            }
            Refusal::Paused => Code::ExperimentPaused,
            Refusal::Closed => Code::ExperimentClosed,
            Refusal::ClientReused { .. } | Refusal::ClientTaken { .. } => Code::ClientIdReused,
            Refusal::TooManyInFlight { .. } | Refusal::ListsTooLarge { .. } => Code::TooManyInFlight,
            Refusal::Contradiction => Code::OutcomeContradicts,
            Refusal::Voided => Code::DuelVoided,
            Refusal::Expired | Refusal::TooLateForLists => Code::DuelExpired,
            Refusal::VoterLimit { .. } => Code::VoterLimit,
            Refusal::IsSlate => Code::IsSlate,
            Refusal::NotASlate => Code::NotASlate,
            Refusal::OtherLists => Code::ListsContradict,
            Refusal::NoMergedList => Code::NotInterleaved,
            _ => Code::Invalid,
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
