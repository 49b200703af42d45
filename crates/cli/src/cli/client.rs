//! Shared by all commands that talk to a server: its address, the key, and retries.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tiltyard::arena::key::Secret;
use ureq::http::{Response, Uri, header};
use ureq::{Agent, Body};

use self::failure::RequestError;
use super::Failure;
use crate::printer::Printer;

pub(super) mod estimate;
pub(super) mod experiment;
mod failure;

/// The default address, which is also the default of `tiltyard serve`.
const DEFAULT_SERVER: &str = "http://127.0.0.1:7474";

/// The hint for an invalid address.
const EXAMPLE: &str = "an address looks like http://127.0.0.1:7474";

/// The most attempts for a request.
const ATTEMPTS: u32 = 4;

/// The longest wait before another attempt.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The first wait if the server cannot be reached; each further wait is three times as long.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// The time limit for opening a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// The time limit for an answer. It is longer than the server's own limit.
const ANSWER: Duration = Duration::from_mins(2);

/// The longest silence on a stream. It is longer than the server's interval between keep-alive
/// comments.
const SILENCE: Duration = Duration::from_secs(45);

/// The largest answer that is read, in bytes.
const LARGEST_ANSWER: u64 = 256 * 1024 * 1024;

/// The server's address and the key.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Server")]
pub(super) struct Connection {
    /// Address of the server [env: TILTYARD_SERVER] [default: http://127.0.0.1:7474]
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// File with the key; without it, TILTYARD_KEY gives the key itself, or TILTYARD_KEY_FILE a
    /// file
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

/// The output format of commands that print no table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TextFormat {
    /// Lines for people and scripts
    Text,
    /// The server's answer
    Json,
}

/// Whether a request may be repeated if it is unknown whether the server carried it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    /// A repetition has no further effect.
    Safe,
    /// A repetition does the work again.
    Unsafe,
}

/// A client of one server.
pub(super) struct Client {
    agent: Agent,
    base: String,
    key: Option<Secret>,
}

#[derive(Debug, Clone, Copy)]
enum Request<'a> {
    Get,
    /// With a JSON body, or without a body.
    Post(Option<&'a str>),
    Delete,
}

impl Connection {
    pub(super) fn open(&self) -> Result<Client, Failure> {
        let base = match (&self.server, env::var_os("TILTYARD_SERVER")) {
            (Some(server), _) => server.clone(),
            (None, Some(server)) => text(server, "TILTYARD_SERVER")?,
            (None, None) => DEFAULT_SERVER.to_owned(),
        };
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            // A redirect must not carry the key to another server, and a proxy must not see it
            // unencrypted.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .user_agent(concat!("tiltyard/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(CONNECT))
            .build();
        Ok(Client { agent: agent.into(), base: address(&base)?, key: self.key()? })
    }

    fn key(&self) -> Result<Option<Secret>, Failure> {
        let from_file = |path: &PathBuf| {
            let key = fs::read_to_string(path)
                .with_context(|| format!("could not read the key file {}", path.display()));
            let key = key.map_err(|error| Failure::bad_input(error, Vec::new()))?;
            secret(&key, &format!("the key file {}", path.display())).map(Some)
        };
        if let Some(path) = &self.key_file {
            return from_file(path);
        }
        if let Some(key) = env::var_os("TILTYARD_KEY") {
            return secret(&text(key, "TILTYARD_KEY")?, "TILTYARD_KEY").map(Some);
        }
        env::var_os("TILTYARD_KEY_FILE").map(PathBuf::from).as_ref().map_or(Ok(None), from_file)
    }
}

/// The value of an environment variable. The message does not repeat it, because it may be a key.
fn text(value: OsString, name: &str) -> Result<String, Failure> {
    value.into_string().map_err(|_| Failure::bad_input(anyhow!("{name} is not UTF-8"), Vec::new()))
}

fn secret(text: &str, place: &str) -> Result<Secret, Failure> {
    let key = text.trim();
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        let hints = vec!["a key looks like `tiltyard_..._...`; `tiltyard key new` creates one".to_owned()];
        return Err(Failure::bad_input(anyhow!("{place} does not contain a key"), hints));
    }
    Ok(Secret::brought(key))
}

/// Checks an address and removes the slashes at its end, so that paths can be appended.
fn address(text: &str) -> Result<String, Failure> {
    let bad = |what: &str, hint: &str| {
        Err(Failure::bad_input(anyhow!("the server's address `{text}` {what}"), vec![hint.to_owned()]))
    };
    if text.contains('@') {
        // The part before `@` may be a password, so the message does not repeat it.
        let error = anyhow!("the server's address must not contain a user name");
        return Err(Failure::bad_input(error, vec![EXAMPLE.to_owned()]));
    }
    let Ok(uri) = text.parse::<Uri>() else {
        return bad("is not a valid URL", EXAMPLE);
    };
    match uri.scheme_str() {
        Some("http") => {}
        Some("https") => {
            return bad(
                "begins with https, which this client does not support",
                "use the http address of the server itself, behind the proxy that ends TLS; from another machine, \
                 open a tunnel with `ssh -L 7474:127.0.0.1:7474 HOST` and use http://127.0.0.1:7474",
            );
        }
        _ => return bad("does not begin with http://", EXAMPLE),
    }
    if uri.authority().is_none() || uri.query().is_some() {
        return bad("must have a host and a port, may have a path, and nothing else", EXAMPLE);
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// Percent-encodes a text as part of an address.
pub(super) fn encode(text: &str) -> String {
    use std::fmt::Write as _;
    text.bytes().fold(String::new(), |mut encoded, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

/// Text from a server or a file, without characters that would control the terminal.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The most names listed in one line.
const NAMED: usize = 8;

/// A list of names of arms or documents, shortened if there are many.
pub(super) fn list(names: &[String]) -> String {
    let some = names.iter().take(NAMED).map(|name| plain(name)).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => some,
        more => format!("{some} and {more} more"),
    }
}

/// Reads the server's answer.
pub(super) fn read<T: DeserializeOwned>(answer: &Value) -> Result<T, Failure> {
    T::deserialize(answer).map_err(|error| {
        Failure::broken(anyhow::Error::from(error).context("the server's answer cannot be understood"))
            .with_hint("the server may be of another version than this client; compare them with `tiltyard --version`")
    })
}

impl Client {
    pub(super) fn get(&self, path: &str, printer: &Printer) -> Result<Value, Failure> {
        self.send(path, Request::Get, Retry::Safe, printer)
    }

    pub(super) fn post(
        &self,
        path: &str,
        body: &impl Serialize,
        again: Retry,
        printer: &Printer,
    ) -> Result<Value, Failure> {
        let body = serde_json::to_string(body).expect("a request is plain data");
        self.send(path, Request::Post(Some(&body)), again, printer)
    }

    /// Posts text that is already JSON. A repetition must have no further effect.
    pub(super) fn post_text(&self, path: &str, body: &str, printer: &Printer) -> Result<Value, Failure> {
        self.send(path, Request::Post(Some(body)), Retry::Safe, printer)
    }

    /// Posts without a body.
    pub(super) fn order(&self, path: &str, again: Retry, printer: &Printer) -> Result<Value, Failure> {
        self.send(path, Request::Post(None), again, printer)
    }

    pub(super) fn delete(&self, path: &str, printer: &Printer) -> Result<Value, Failure> {
        self.send(path, Request::Delete, Retry::Safe, printer)
    }

    /// Gets a resource. The inner result is an error if it does not exist, is damaged, or the key
    /// may not read it.
    fn look(&self, path: &str, printer: &Printer) -> Result<Result<Value, RequestError>, Failure> {
        match self.try_send(path, Request::Get, Retry::Safe, printer) {
            Err(trouble) if matches!(trouble.status(), Some(403 | 404)) || trouble.is_damage() => {
                Ok(Err(trouble))
            }
            result => result.map(Ok).map_err(|trouble| trouble.failure(self)),
        }
    }

    /// Opens a stream of the events after a position in the log, without retries.
    pub(super) fn stream(&self, path: &str, after: u64) -> Result<ureq::BodyReader<'static>, RequestError> {
        let request =
            self.agent.get(format!("{}{path}", self.base)).header("last-event-id", after.to_string());
        let request = self.sign(request).config().timeout_per_read(Some(SILENCE)).build();
        let response = request.call().map_err(RequestError::lost)?;
        if response.status().is_success() {
            return Ok(response.into_body().into_reader());
        }
        Err(RequestError::refused(response))
    }

    /// Opens a body that may be long, with retries until it begins. Reading fails if the connection
    /// breaks before the end of the body. Also returns the head of the log, if the server names it.
    pub(super) fn download(
        &self,
        path: &str,
        printer: &Printer,
    ) -> Result<(ureq::BodyReader<'static>, Option<String>), Failure> {
        self.insist(Retry::Safe, printer, || {
            let request = self.sign(self.agent.get(format!("{}{path}", self.base)));
            let request =
                request.config().timeout_recv_response(Some(ANSWER)).timeout_per_read(Some(SILENCE)).build();
            let response = request.call().map_err(RequestError::lost)?;
            if response.status().is_success() {
                let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
                let head = text("tiltyard-head-seq").zip(text("tiltyard-head"));
                let head = head.map(|(seq, hash)| plain(&format!("record {seq}, hash {hash}")));
                return Ok((response.into_body().into_reader(), head));
            }
            Err(RequestError::refused(response))
        })
        .map_err(|trouble| trouble.failure(self))
    }

    fn sign<B>(&self, request: ureq::RequestBuilder<B>) -> ureq::RequestBuilder<B> {
        match &self.key {
            Some(key) => request.header(header::AUTHORIZATION, format!("Bearer {}", key.expose())),
            None => request,
        }
    }

    fn send(
        &self,
        path: &str,
        request: Request<'_>,
        again: Retry,
        printer: &Printer,
    ) -> Result<Value, Failure> {
        self.try_send(path, request, again, printer).map_err(|trouble| trouble.failure(self))
    }

    /// Sends a request and repeats it if that is safe and may help.
    fn try_send(
        &self,
        path: &str,
        request: Request<'_>,
        again: Retry,
        printer: &Printer,
    ) -> Result<Value, RequestError> {
        self.insist(again, printer, || self.send_once(path, request))
    }

    /// Calls `ask` and repeats it if that is safe and may help.
    #[expect(clippy::unused_self, reason = "only a client sends requests")]
    fn insist<T>(
        &self,
        again: Retry,
        printer: &Printer,
        ask: impl Fn() -> Result<T, RequestError>,
    ) -> Result<T, RequestError> {
        let mut wait = FIRST_WAIT;
        for left in (0..ATTEMPTS).rev() {
            let trouble = match ask() {
                Ok(answer) => return Ok(answer),
                Err(trouble) => trouble,
            };
            let pause = trouble.pause(again, wait).filter(|&pause| left > 0 && pause <= LONGEST_WAIT);
            let Some(pause) = pause else { return Err(trouble) };
            printer.note(format_args!("{trouble}; trying again in {} s", pause.as_secs_f64()));
            thread::sleep(pause);
            wait *= 3;
        }
        unreachable!("the last attempt returns")
    }

    fn send_once(&self, path: &str, request: Request<'_>) -> Result<Value, RequestError> {
        let address = format!("{}{path}", self.base);
        let answer = match request {
            Request::Get => {
                self.sign(self.agent.get(address)).config().timeout_global(Some(ANSWER)).build().call()
            }
            Request::Delete => {
                self.sign(self.agent.delete(address)).config().timeout_global(Some(ANSWER)).build().call()
            }
            Request::Post(body) => {
                let request =
                    self.sign(self.agent.post(address)).config().timeout_global(Some(ANSWER)).build();
                match body {
                    Some(body) => request.content_type("application/json").send(body),
                    None => request.send_empty(),
                }
            }
        };
        let mut response = answer.map_err(RequestError::lost)?;
        if !response.status().is_success() {
            return Err(RequestError::refused(response));
        }
        let text = body(&mut response).map_err(RequestError::lost)?;
        serde_json::from_str(&text).map_err(|_| RequestError::foreign())
    }

    pub(super) fn base(&self) -> &str {
        &self.base
    }

    fn has_key(&self) -> bool {
        self.key.is_some()
    }
}

fn body(response: &mut Response<Body>) -> Result<String, ureq::Error> {
    response.body_mut().with_config().limit(LARGEST_ANSWER).lossy_utf8(true).read_to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_addresses() {
        for (text, base) in [
            ("http://127.0.0.1:7474", "http://127.0.0.1:7474"),
            ("http://localhost:7474/", "http://localhost:7474"),
            ("http://example.org/arena/", "http://example.org/arena"),
            ("http://[::1]:7474", "http://[::1]:7474"),
        ] {
            assert_eq!(address(text).expect("it is an address"), base);
        }
        for text in [
            "",
            "127.0.0.1:7474",
            "ftp://a",
            "https://a",
            "http://",
            "http://u:p@a",
            "http://a/?b",
            "http://a b",
        ] {
            assert!(address(text).is_err(), "{text}");
        }
    }

    #[test]
    fn trace_parts_of_addresses() {
        assert_eq!(encode("a-b_c.d~9"), "a-b_c.d~9");
        assert_eq!(encode("50% a/b?é"), "50%25%20a%2Fb%3F%C3%A9");
    }

    #[test]
    fn trace_texts_from_elsewhere_do_not_drive_the_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\nc\u{9b}é"), "a\u{fffd}[2Jb\u{fffd}c\u{fffd}é");
    }
}
