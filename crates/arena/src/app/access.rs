//! The parts of a request that show who sends it: key, cookies, host.

use axum::http::{HeaderMap, header};
use tiltyard_wire::ProblemCode;

use super::Problem;
use crate::key::Secret;

/// The name of the session cookie.
pub(crate) const SESSION: &str = "tiltyard_session";

/// The key in `Authorization: Bearer KEY`.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<Secret> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, key) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| Secret::brought(key.trim()))
}

/// The secret in the session cookie.
pub(crate) fn session(headers: &HeaderMap) -> Option<Secret> {
    cookie(headers, SESSION).map(Secret::brought)
}

/// The value of a cookie.
pub(crate) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
}

/// Refuses host names that are not local. A server without keys needs this: otherwise a page of
/// another site could reach it through a host name of that site that points to this machine (DNS
/// rebinding).
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
        ProblemCode::Forbidden,
        "without keys, the server only accepts the host `localhost` and loopback addresses",
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
