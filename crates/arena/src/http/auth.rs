//! Who asks, and whether they may.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};

use super::problem::{Code, Problem};
use super::{Auth, Shared};
use crate::id::ExperimentId;
use crate::key::{Action, Grant, Secret};
use crate::pages::session_of;

/// Whoever asks, with what they may do. The guard finds it out for everything below `/v1`, before anything else is done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Caller(Grant);

impl Caller {
    /// Who brings these headers. Whoever has signed in to the pages may read with that: downloads are links. What changes something asks for
    /// the key itself, which no browser sends by itself.
    pub(super) fn find(method: &Method, headers: &HeaderMap, app: &Shared) -> Result<Self, Problem> {
        let grant = match app.config.auth {
            Auth::None => {
                check_host(headers)?;
                Grant::ANYONE
            }
            Auth::Keys => {
                let session = || (method == Method::GET).then(|| session_of(headers)).flatten();
                let secret = bearer(headers).or_else(session).ok_or_else(|| {
                    Problem::new(Code::Unauthorized, "a key is needed: `Authorization: Bearer KEY`")
                })?;
                let bad = || Problem::new(Code::Unauthorized, "the key is unknown, expired or revoked");
                app.arena.check_key(&secret).ok_or_else(bad)?
            }
        };
        if let Some(key) = grant.key {
            app.rates
                .take(key, app.arena.now(), app.config.rate_limit)
                .map_err(|wait| Problem::from(Code::RateLimited).retry_after(wait))?;
        }
        Ok(Self(grant))
    }

    /// Refuses what the key does not allow.
    pub(super) fn may(&self, action: Action, experiment: Option<ExperimentId>) -> Result<(), Problem> {
        if self.0.allows(action, experiment) { Ok(()) } else { Err(Code::Forbidden.into()) }
    }

    /// Whether the key is still good, for what goes on after it was checked.
    pub(super) fn still_may(&self, app: &Shared) -> bool {
        self.0.key.is_none_or(|key| app.arena.is_good_key(key))
    }

    /// The one experiment that the caller's key is for.
    pub(super) fn experiment(&self) -> Option<ExperimentId> {
        self.0.experiment
    }
}

impl FromRequestParts<Shared> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        parts.extensions.get().copied().ok_or_else(|| Code::Unauthorized.into())
    }
}

fn bearer(headers: &HeaderMap) -> Option<Secret> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, key) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| Secret::brought(key.trim()))
}

/// Where no key is asked for, a page from elsewhere must not get in through a name of its own that points to this machine.
pub(crate) fn check_host(headers: &HeaderMap) -> Result<(), Problem> {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host
        .rsplit_once(':')
        .filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()))
        .map_or(host, |(name, _)| name);
    let local = name == "localhost"
        || name
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback());
    if local {
        return Ok(());
    }
    Err(Problem::new(
        Code::Forbidden,
        "without keys the server answers to `localhost` and loopback addresses only",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn trace_hosts() {
        for host in ["localhost", "localhost:7474", "127.0.0.1:80", "[::1]:7474", "[::1]", "127.9.9.9"] {
            assert!(check_host(&headers(header::HOST, host)).is_ok(), "{host}");
        }
        for host in
            ["", "evil.example", "localhost.evil.example:80", "192.0.2.1:7474", "127.0.0.1.evil.example"]
        {
            assert!(check_host(&headers(header::HOST, host)).is_err(), "{host}");
        }
    }

    #[test]
    fn trace_bearer() {
        let key =
            |value| bearer(&headers(header::AUTHORIZATION, value)).map(|secret| secret.expose().to_owned());
        assert_eq!(key("Bearer abc").as_deref(), Some("abc"));
        assert_eq!(key("bearer  abc").as_deref(), Some("abc"));
        assert_eq!(key("Basic abc"), None);
        assert_eq!(key("abc"), None);
    }
}
