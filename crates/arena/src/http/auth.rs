//! The caller of a request, and what the caller may do.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use tiltyard_wire::ProblemCode;

use crate::app::{Auth, Problem, Shared, bearer, check_host, session};
use crate::id::ExperimentId;
use crate::key::{Action, Grant};

/// The caller of a request, with the caller's rights. The guard finds the caller of every request
/// below `/v1` before anything else happens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller(Grant);

impl Caller {
    /// Finds the caller by the headers of a request. A session of the pages is enough to read,
    /// because downloads are links. A request that changes something needs the key itself, which no
    /// browser sends on its own.
    pub(crate) fn find(method: &Method, headers: &HeaderMap, app: &Shared) -> Result<Self, Problem> {
        let grant = match app.config.auth {
            Auth::None => {
                check_host(headers)?;
                Grant::ANYONE
            }
            Auth::Keys => {
                let session = || (method == Method::GET).then(|| session(headers)).flatten();
                let secret = bearer(headers).or_else(session).ok_or_else(|| {
                    Problem::new(
                        ProblemCode::Unauthorized,
                        "the request has no key: send `Authorization: Bearer KEY`",
                    )
                })?;
                let bad =
                    || Problem::new(ProblemCode::Unauthorized, "the key is unknown, expired or revoked");
                app.arena.check_key(&secret).ok_or_else(bad)?
            }
        };
        if let Some(key) = grant.key {
            app.rates
                .take(key, app.arena.now(), app.config.rate_limit)
                .map_err(|wait| Problem::from(ProblemCode::RateLimited).retry_after(wait))?;
        }
        Ok(Self(grant))
    }

    /// Returns an error if the key does not allow the action.
    pub(super) fn may(&self, action: Action, experiment: Option<ExperimentId>) -> Result<(), Problem> {
        if self.0.allows(action, experiment) { Ok(()) } else { Err(ProblemCode::Forbidden.into()) }
    }

    /// Whether the key is still valid. Long responses check this after they have started.
    pub(super) fn still_may(&self, app: &Shared) -> bool {
        self.0.key.is_none_or(|key| app.arena.is_good_key(key))
    }

    /// The only experiment for which the caller's key is valid, if it is not valid for all.
    pub(super) fn experiment(&self) -> Option<ExperimentId> {
        self.0.experiment
    }
}

impl FromRequestParts<Shared> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        parts.extensions.get().copied().ok_or_else(|| ProblemCode::Unauthorized.into())
    }
}
