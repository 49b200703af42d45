//! Why a request to the server failed.

use std::fmt;
use std::io;
use std::time::Duration;

use anyhow::anyhow;
use serde::Deserialize;
use tiltyard_wire::ProblemCode;
use ureq::http::{Response, header};
use ureq::{Body, Timeout};

use super::{Client, Retry, plain};
use crate::cli::Failure;

#[derive(Debug)]
pub(in crate::cli) enum RequestError {
    /// The server refused the request.
    Refused { status: u16, code: String, detail: String, retry_after: Option<u64> },
    /// The connection could not be opened, so nothing was done.
    Unreachable { why: String },
    /// The connection broke. The server may have carried out the request or not.
    Broken { why: String },
    /// The answer is not from a Tiltyard server.
    Foreign { what: String },
}

/// The fields of `application/problem+json` that are used. A newer server may send an unknown code.
#[derive(Deserialize)]
struct Problem {
    code: String,
    detail: String,
    retry_after: Option<u64>,
}

impl RequestError {
    /// The error if no answer came.
    pub(super) fn lost(error: ureq::Error) -> Self {
        use ureq::Error as E;
        let why = match &error {
            E::Io(error) => error.to_string(),
            error => error.to_string(),
        };
        match error {
            E::HostNotFound
            | E::ConnectionFailed
            | E::Timeout(Timeout::Connect | Timeout::Resolve)
            | E::BadUri(_) => Self::Unreachable { why },
            E::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => Self::Unreachable { why },
            _ => Self::Broken { why },
        }
    }

    /// The error if the answer is a refusal.
    pub(super) fn refused(mut response: Response<Body>) -> Self {
        let status = response.status();
        let number = |name: header::HeaderName| response.headers().get(name)?.to_str().ok()?.parse().ok();
        let waits = number(header::RETRY_AFTER);
        let text = super::body(&mut response).unwrap_or_default();
        match serde_json::from_str(&text) {
            Ok(Problem { code, detail, retry_after }) => Self::Refused {
                status: status.as_u16(),
                code: plain(&code),
                detail: lower(&plain(&detail)),
                retry_after: retry_after.or(waits),
            },
            Err(_) => Self::Foreign { what: format!("it answered with {status}") },
        }
    }

    /// The error if the answer cannot be read.
    pub(super) fn foreign() -> Self {
        Self::Foreign { what: "its answer is not JSON".to_owned() }
    }

    /// Whether the experiment is damaged.
    pub(super) fn is_damage(&self) -> bool {
        matches!(self, Self::Refused { code, .. } if code == "experiment_damaged")
    }

    pub(in crate::cli) fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// Whether it is certain that nothing was done.
    fn nothing_was_done(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Refused { code, .. } => !matches!(
                known(code),
                Some(ProblemCode::StoreUnavailable | ProblemCode::TimedOut | ProblemCode::Internal)
            ),
            Self::Broken { .. } | Self::Foreign { .. } => false,
        }
    }

    /// How long to wait before the next attempt; `None` if it is not safe or cannot help. `wait` is
    /// the answer if the server sent none.
    pub(in crate::cli) fn pause(&self, again: Retry, wait: Duration) -> Option<Duration> {
        if again == Retry::Unsafe && !self.nothing_was_done() {
            return None;
        }
        match self {
            Self::Refused { status: 429 | 503, retry_after, .. } => retry_after.map(Duration::from_secs),
            Self::Unreachable { .. } | Self::Broken { .. } => Some(wait),
            Self::Refused { .. } | Self::Foreign { .. } => None,
        }
    }

    pub(in crate::cli) fn failure(self, client: &Client) -> Failure {
        let base = client.base();
        match self {
            Self::Unreachable { why } => Failure::broken(anyhow!("cannot reach a server at {base}: {why}"))
                .with_hint(
                    "start one with `tiltyard serve`, or give its address with `--server URL` or TILTYARD_SERVER",
                ),
            Self::Broken { why } => Failure::broken(anyhow!(
                "the connection to {base} broke ({why}): the server may have carried out the request or not"
            )),
            Self::Foreign { what } => Failure::broken(anyhow!("there is no Tiltyard server at {base}: {what}"))
                .with_hint("give the server's address with `--server URL` or TILTYARD_SERVER"),
            Self::Refused { status, code, detail, retry_after } => {
                let mut hints: Vec<String> = hint(&code, client).map(str::to_owned).into_iter().collect();
                if let Some(seconds) = retry_after {
                    hints.push(format!("try again in {seconds} s"));
                }
                let error = anyhow!("{detail} ({code})");
                match status {
                    // The server is busy or failed: nothing is wrong with the request.
                    429 | 500.. => {
                        hints.iter().fold(Failure::broken(error), |failure, hint| failure.with_hint(hint))
                    }
                    _ => Failure::bad_input(error, hints),
                }
            }
        }
    }
}

/// Makes the first letter lower case, to continue a sentence.
fn lower(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_lowercase().chain(rest).collect())
}

/// The code, if this client knows it.
fn known(code: &str) -> Option<ProblemCode> {
    serde_json::from_value(code.into()).ok()
}

/// What to do about a refusal, if the server's message does not say it.
fn hint(code: &str, client: &Client) -> Option<&'static str> {
    Some(match known(code)? {
        ProblemCode::Unauthorized if client.has_key() => {
            "for a new admin key, stop the server and start it with `--new-admin-key` and the same `--data`"
        }
        ProblemCode::Unauthorized => {
            "set TILTYARD_KEY, or name a file with `--key-file`; a server prints its first key when it starts; \
             for another, stop it and start it with `--new-admin-key` and the same `--data`"
        }
        ProblemCode::Forbidden => {
            "use a key with a wider scope: `tiltyard key new --scope SCOPE` creates one"
        }
        ProblemCode::NoExperiment => "`tiltyard experiment list` shows all",
        ProblemCode::NoKey => "`tiltyard key list` shows all",
        ProblemCode::NoDuel => "use the duel's id, as `tiltyard duel` printed it",
        ProblemCode::NoArm => "`tiltyard experiment show EXPERIMENT` lists its arms",
        ProblemCode::UnknownArms => {
            "`--add-arms` adds the missing arms, if the experiment's policy can change its arms"
        }
        ProblemCode::ImportVoided => "`--run WORD` imports the same votes again under another name",
        ProblemCode::NoImport => "`tiltyard watch EXPERIMENT --from start` shows imports and their positions",
        ProblemCode::NoApprentice => "`tiltyard apprentice EXPERIMENT begin POLICY` starts one",
        ProblemCode::HasApprentice => {
            "`tiltyard apprentice EXPERIMENT take-over` lets it draw the duels, `dismiss` removes it"
        }
        ProblemCode::NothingToEvaluate => {
            "from the start, use a policy that knows its propensities, such as `rex3`, or the setting `holdout`"
        }
        ProblemCode::BadPolicy => "`tiltyard policy list` shows all policies",
        ProblemCode::ExperimentPaused => "`tiltyard experiment resume EXPERIMENT` resumes it",
        ProblemCode::BodyTooLarge => "`tiltyard serve --max-body-bytes N` raises the server's limit",
        _ => return None,
    })
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { code, detail, .. } => write!(f, "{detail} ({code})"),
            Self::Unreachable { why } => write!(f, "cannot reach the server: {why}"),
            Self::Broken { why } => write!(f, "the connection broke: {why}"),
            Self::Foreign { what } => write!(f, "this is not a Tiltyard server: {what}"),
        }
    }
}
