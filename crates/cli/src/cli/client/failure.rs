//! Why a server did not do what it was asked for.

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

/// Why there is no answer, or not the one that was hoped for.
#[derive(Debug)]
pub(in crate::cli) enum RequestError {
    /// The server said no.
    Refused { status: u16, code: String, detail: String, retry_after: Option<u64> },
    /// There was no connection: nothing was done.
    Unreachable { why: String },
    /// The connection broke: who knows what was done.
    Broken { why: String },
    /// Whatever answered is no server of ours.
    Foreign { what: String },
}

/// What is needed of `application/problem+json`. The code may be of a newer server.
#[derive(Deserialize)]
struct Problem {
    code: String,
    detail: String,
    retry_after: Option<u64>,
}

impl RequestError {
    /// No answer came.
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

    /// An answer came that says no.
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

    /// An answer came that cannot be read.
    pub(super) fn foreign() -> Self {
        Self::Foreign { what: "its answer is not JSON".to_owned() }
    }

    pub(in crate::cli) fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// Whether nothing was done for sure.
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

    /// How long to wait before it is worth asking again; nothing if it is not. `wait` is what we
    /// wait where the server says nothing.
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
            Self::Unreachable { why } => Failure::broken(anyhow!("there is no server at {base}: {why}"))
                .with_hint(
                    "`tiltyard serve` starts one; `--server URL` or TILTYARD_SERVER says where one is",
                ),
            Self::Broken { why } => Failure::broken(anyhow!(
                "the connection to {base} broke off ({why}): it is not known whether the server did what it was asked for"
            )),
            Self::Foreign { what } => Failure::broken(anyhow!("there is something else at {base}: {what}"))
                .with_hint("`--server URL` or TILTYARD_SERVER says where the server is"),
            Self::Refused { status, code, detail, retry_after } => {
                let mut hints: Vec<String> = hint(&code, client).map(str::to_owned).into_iter().collect();
                if let Some(seconds) = retry_after {
                    hints.push(format!("it is worth trying again in {seconds} s"));
                }
                let error = anyhow!("{detail} ({code})");
                match status {
                    // Not now, or nobody knows: nothing is wrong with what was asked for.
                    429 | 500.. => {
                        hints.iter().fold(Failure::broken(error), |failure, hint| failure.with_hint(hint))
                    }
                    _ => Failure::bad_input(error, hints),
                }
            }
        }
    }
}

/// A sentence as part of another.
fn lower(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_lowercase().chain(rest).collect())
}

/// The code, if it is one that this client knows.
fn known(code: &str) -> Option<ProblemCode> {
    serde_json::from_value(code.into()).ok()
}

/// What to do about a refusal, where the server's own words do not say.
fn hint(code: &str, client: &Client) -> Option<&'static str> {
    Some(match known(code)? {
        ProblemCode::Unauthorized if client.has_key() => {
            "`tiltyard serve --new-admin-key` makes another admin's key"
        }
        ProblemCode::Unauthorized => {
            "set TILTYARD_KEY, or name a file with `--key-file`; a server shows its first key when it starts, and \
             `tiltyard serve --new-admin-key` makes another"
        }
        ProblemCode::Forbidden => {
            "a key with a wider scope is needed: `tiltyard key new --scope ...` makes one"
        }
        ProblemCode::NoExperiment => "`tiltyard experiment list` shows all",
        ProblemCode::NoKey => "`tiltyard key list` shows all",
        ProblemCode::NoDuel => "a duel is named by the id that `tiltyard duel` printed",
        ProblemCode::NoArm => "`tiltyard experiment show EXPERIMENT` lists its arms",
        ProblemCode::UnknownArms => {
            "`--add-arms` brings arms in, if the experiment's policy can change its arms"
        }
        ProblemCode::ImportVoided => "`--run WORD` imports the same votes once more, under another name",
        ProblemCode::NoImport => "`tiltyard watch EXPERIMENT --from start` shows imports with their places",
        ProblemCode::NoApprentice => "`tiltyard apprentice EXPERIMENT begin POLICY` lets a policy learn",
        ProblemCode::HasApprentice => {
            "`tiltyard apprentice EXPERIMENT take-over` lets it draw the duels, `dismiss` sends it away"
        }
        ProblemCode::NothingToEvaluate => {
            "use a policy that knows its chances, such as `rex3`, or the setting `holdout`, from the beginning on"
        }
        ProblemCode::BadPolicy => "`tiltyard policy list` shows all policies",
        ProblemCode::ExperimentPaused => "`tiltyard experiment resume EXPERIMENT` lets it run again",
        ProblemCode::BodyTooLarge => "the server takes more with `tiltyard serve --max-body-bytes N`",
        _ => return None,
    })
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { code, detail, .. } => write!(f, "{detail} ({code})"),
            Self::Unreachable { why } => write!(f, "the server is not there: {why}"),
            Self::Broken { why } => write!(f, "the connection broke off: {why}"),
            Self::Foreign { what } => write!(f, "there is something else: {what}"),
        }
    }
}
