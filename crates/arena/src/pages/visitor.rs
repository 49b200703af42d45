//! Who looks at a page.
//!
//! Whoever has a key signs in with it and gets a session: a key that expires soon, in a cookie that
//! no script can read. Everyone gets a second cookie with a random name, of which forms' tokens and
//! the names of voters are made. Both are hashes, so that neither tells the cookie.

use core::fmt::Write as _;

use axum::extract::{FromRequestParts, Request};
use axum::http::HeaderValue;
use axum::http::request::Parts;
use rand::TryRng as _;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tiltyard_wire::ProblemCode;

use super::failure::Failure;
use crate::app::{Auth, Problem, SESSION, Shared, check_host, cookie, session};
use crate::id::ExperimentId;
use crate::key::{Action, Grant, Secret, hex};

/// Everyone's cookie.
const VISITOR: &str = "tiltyard_visitor";

/// How long everyone's cookie is kept: a year.
const VISITOR_SECONDS: u32 = 366 * 24 * 3600;

/// Someone who looks at a page.
#[derive(Debug, Clone)]
pub(super) struct Visitor {
    /// What they may do; nothing is said before they have signed in.
    grant: Option<Grant>,
    /// The session's secret.
    session: Option<Secret>,
    /// The random name.
    name: String,
    is_new: bool,
    /// Whether the server asks for keys.
    pub(super) has_keys: bool,
    /// Where they are, to come back to after signing in.
    address: String,
}

impl Visitor {
    pub(super) fn find(request: &Request, app: &Shared) -> Result<Self, Problem> {
        let headers = request.headers();
        let has_keys = app.config.auth == Auth::Keys;
        if !has_keys {
            check_host(headers)?;
        }
        let session = has_keys.then(|| session(headers)).flatten();
        let grant = if has_keys {
            session.as_ref().and_then(|secret| app.arena.check_key(secret))
        } else {
            Some(Grant::ANYONE)
        };
        let known = cookie(headers, VISITOR).filter(|name| is_name(name)).map(str::to_owned);
        let is_new = known.is_none();
        let name = known.map_or_else(new_name, Ok)?;
        let address = request.uri().path_and_query().map_or("/", |address| address.as_str()).to_owned();
        Ok(Self { grant, session, name, is_new, has_keys, address })
    }

    /// The cookie that they shall keep, if they have none.
    pub(super) fn new_cookie(&self) -> Option<HeaderValue> {
        self.is_new.then(|| set_cookie(VISITOR, &self.name, VISITOR_SECONDS))
    }

    /// Refuses what their key does not allow; who has none is asked to sign in.
    pub(super) fn may(&self, action: Action, experiment: Option<ExperimentId>) -> Result<(), Failure> {
        match self.grant {
            None => Err(Failure::SignIn { back: self.address.clone() }),
            Some(grant) if grant.allows(action, experiment) => Ok(()),
            Some(_) => Err(Problem::from(ProblemCode::Forbidden).into()),
        }
    }

    /// Whether they may, without a refusal.
    pub(super) fn can(&self, action: Action, experiment: Option<ExperimentId>) -> bool {
        self.grant.is_some_and(|grant| grant.allows(action, experiment))
    }

    /// The one experiment that their key is for.
    pub(super) fn experiment(&self) -> Option<ExperimentId> {
        self.grant.and_then(|grant| grant.experiment)
    }

    /// Whether they have signed in.
    pub(super) fn is_signed_in(&self) -> bool {
        self.has_keys && self.grant.is_some()
    }

    /// The key of their session.
    pub(super) fn grant(&self) -> Option<Grant> {
        self.grant
    }

    /// What their forms carry, so that another site cannot send one in their name: it does not know
    /// their cookies.
    pub(super) fn token(&self) -> String {
        let secret = self.session.as_ref().map_or(self.name.as_str(), Secret::expose);
        digest("form", secret)
    }

    /// Whether a form is theirs.
    pub(super) fn is_token(&self, token: &str) -> bool {
        self.token().as_bytes().ct_eq(token.as_bytes()).into()
    }

    /// What their votes are signed with.
    pub(super) fn voter(&self) -> String {
        format!("web-{}", &digest("voter", &self.name)[..16])
    }
}

impl FromRequestParts<Shared> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        parts.extensions.get().cloned().ok_or_else(|| ProblemCode::Internal.into())
    }
}

/// The cookie of a session that has just begun.
pub(super) fn session_cookie(secret: &Secret, seconds: u32) -> HeaderValue {
    set_cookie(SESSION, secret.expose(), seconds)
}

/// A cookie that ends the session in the browser.
pub(super) fn no_session_cookie() -> HeaderValue {
    set_cookie(SESSION, "", 0)
}

/// A cookie that scripts cannot read and that forms of other sites do not bring along. `value` is
/// made of letters, digits and `-_.`.
pub(super) fn set_cookie(name: &str, value: &str, seconds: u32) -> HeaderValue {
    let mut text = String::new();
    let _ = write!(text, "{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax");
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

fn new_name() -> Result<String, Problem> {
    let mut bytes = [0; 16];
    rand::rngs::SysRng.try_fill_bytes(&mut bytes).map_err(|_| Problem::from(ProblemCode::Internal))?;
    Ok(hex(&bytes))
}

fn is_name(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A hash of a secret that tells nothing of it, for one purpose.
fn digest(purpose: &str, secret: &str) -> String {
    hex(&Sha256::new().chain_update(purpose).chain_update([0]).chain_update(secret).finalize())
}
