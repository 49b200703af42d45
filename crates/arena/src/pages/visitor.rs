//! The visitor of a page.
//!
//! A visitor with a key signs in with it and gets a session: a key that expires soon, in a cookie
//! that no script can read. Every visitor gets a second cookie with a random name. The name of a
//! voter is a hash of this random name. The token of a form is a hash of the session, or of the
//! random name without a session. Neither hash reveals its cookie.

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

/// The cookie with the random name of a visitor.
const VISITOR: &str = "tiltyard_visitor";

/// How long browsers keep this cookie: a year.
const VISITOR_SECONDS: u32 = 366 * 24 * 3600;

#[derive(Debug, Clone)]
pub(super) struct Visitor {
    /// What the visitor may do; nothing before they have signed in.
    grant: Option<Grant>,
    /// The secret of the session.
    session: Option<Secret>,
    /// The random name.
    name: String,
    is_new: bool,
    /// Whether the server asks for keys.
    pub(super) has_keys: bool,
    /// The address of the page, to return to after signing in.
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

    /// The cookie to set, if the visitor has none yet.
    pub(super) fn new_cookie(&self) -> Option<HeaderValue> {
        self.is_new.then(|| set_cookie(VISITOR, &self.name, VISITOR_SECONDS))
    }

    /// Refuses an action that the visitor's key does not allow. A visitor without a key is asked to
    /// sign in.
    pub(super) fn may(&self, action: Action, experiment: Option<ExperimentId>) -> Result<(), Failure> {
        match self.grant {
            None => Err(Failure::SignIn { back: self.address.clone() }),
            Some(grant) if grant.allows(action, experiment) => Ok(()),
            Some(_) => Err(Problem::from(ProblemCode::Forbidden).into()),
        }
    }

    /// Whether the visitor may do this.
    pub(super) fn can(&self, action: Action, experiment: Option<ExperimentId>) -> bool {
        self.grant.is_some_and(|grant| grant.allows(action, experiment))
    }

    /// The experiment that the visitor's key is limited to, if any.
    pub(super) fn experiment(&self) -> Option<ExperimentId> {
        self.grant.and_then(|grant| grant.experiment)
    }

    pub(super) fn is_signed_in(&self) -> bool {
        self.has_keys && self.grant.is_some()
    }

    /// The rights of the visitor.
    pub(super) fn grant(&self) -> Option<Grant> {
        self.grant
    }

    /// The token in the visitor's forms. Another site does not know the cookies, so it cannot send
    /// a form in the visitor's name.
    pub(super) fn token(&self) -> String {
        let secret = self.session.as_ref().map_or(self.name.as_str(), Secret::expose);
        digest("form", secret)
    }

    /// Whether this is the token of the visitor's forms.
    pub(super) fn is_token(&self, token: &str) -> bool {
        self.token().as_bytes().ct_eq(token.as_bytes()).into()
    }

    /// The name under which the visitor votes.
    pub(super) fn voter(&self) -> String {
        format!("web-{}", &digest("voter", &self.name)[..16])
    }

    /// Names the visitor in client ids, which cannot be erased from the log. Nobody can find out
    /// from it under which name the visitor votes.
    pub(super) fn chain(&self) -> String {
        digest("chain", &self.name)[..16].to_owned()
    }
}

impl FromRequestParts<Shared> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, Problem> {
        parts.extensions.get().cloned().ok_or_else(|| ProblemCode::Internal.into())
    }
}

/// The cookie of a new session.
pub(super) fn session_cookie(secret: &Secret, seconds: u32) -> HeaderValue {
    set_cookie(SESSION, secret.expose(), seconds)
}

/// Deletes the cookie of the session.
pub(super) fn no_session_cookie() -> HeaderValue {
    set_cookie(SESSION, "", 0)
}

/// A cookie that scripts cannot read, and that browsers do not send with forms of other sites.
/// `value` consists of letters, digits and `-_.`.
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

/// A hash of a secret, for one purpose. It does not reveal the secret.
fn digest(purpose: &str, secret: &str) -> String {
    hex(&Sha256::new().chain_update(purpose).chain_update([0]).chain_update(secret).finalize())
}
