//! A small HTTP client. It checks that the OpenAPI document lists every response.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::document;

/// A timeout that ends tests that hang. No response in these tests takes this long.
const PATIENCE: Duration = Duration::from_mins(1);

#[derive(Debug, Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    headers: Vec<(String, String)>,
}

/// A response.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Client {
    /// Creates a client without a key.
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self { address, headers: Vec::new() }
    }

    pub(crate) fn with_key(self, key: &str) -> Self {
        self.with_header("Authorization", &format!("Bearer {key}"))
    }

    /// Adds this header, replacing any header of the same name.
    pub(crate) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn get(&self, path: &str) -> Reply {
        self.send("GET", path, None)
    }

    pub(crate) fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, None)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Reply {
        self.send("POST", path, Some(body.to_string().as_bytes()))
    }

    /// Sends a POST without a body.
    pub(crate) fn order(&self, path: &str) -> Reply {
        self.send("POST", path, None)
    }

    /// Sends a request over a new connection and reads the response.
    pub(crate) fn send(&self, method: &str, path: &str, body: Option<&[u8]>) -> Reply {
        self.try_send(method, path, body).unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    pub(crate) fn try_send(&self, method: &str, path: &str, body: Option<&[u8]>) -> io::Result<Reply> {
        let mut stream = connect(self.address)?;
        // A server that refuses a long body responds and closes before the whole body is sent. The
        // response counts.
        let sent = stream.write_all(&self.request(method, path, body));
        let mut bytes = Vec::new();
        let read = stream.read_to_end(&mut bytes);
        let Some(reply) = Reply::parse(&bytes) else {
            sent?;
            read?;
            return Err(io::Error::other("no response"));
        };
        document::check(method, path, &reply);
        Ok(reply)
    }

    /// The bytes of a request that asks to close the connection afterwards.
    pub(crate) fn request(&self, method: &str, path: &str, body: Option<&[u8]>) -> Vec<u8> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        let mut add = |name: &str, value: &str| {
            head.push_str(name);
            head.push_str(": ");
            head.push_str(value);
            head.push_str("\r\n");
        };
        let given = |name: &str| self.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
        if !given("Host") {
            add("Host", &self.address.to_string());
        }
        if let Some(body) = body {
            if !given("Content-Type") {
                add("Content-Type", "application/json");
            }
            add("Content-Length", &body.len().to_string());
        }
        for (name, value) in &self.headers {
            add(name, value);
        }
        head.push_str("\r\n");
        [head.as_bytes(), body.unwrap_or_default()].concat()
    }
}

/// Opens a connection on which reads and writes time out.
pub(crate) fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

impl Reply {
    /// Parses a complete response.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = std::str::from_utf8(&bytes[..end]).ok()?;
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers: Vec<_> = lines.filter_map(header).collect();
        let reply = Self { status, headers, body: bytes[end + 4..].to_vec() };
        match reply.header("transfer-encoding") {
            Some("chunked") => Some(Self { body: unchunk(&reply.body)?, ..reply }),
            _ => Some(reply),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The JSON body of a response that must have this status.
    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        self.json()
    }

    /// The problem of a response that must have this status and code.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        let problem = self.json();
        assert_eq!(problem["code"], code, "{problem}");
        assert_eq!(problem["status"], status, "{problem}");
        assert_eq!(problem["type"], format!("/docs/errors#{code}"), "{problem}");
        let wait = problem.get("retry_after").map(Value::to_string);
        assert_eq!(self.header("retry-after"), wait.as_deref(), "{problem}");
        problem
    }
}

/// Joins the chunks of a body; none if the last chunk is missing.
fn unchunk(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = bytes.windows(2).position(|window| window == b"\r\n")?;
        let length = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).ok()?, 16).ok()?;
        if length == 0 {
            return Some(body);
        }
        body.extend_from_slice(bytes.get(end + 2..end + 2 + length)?);
        bytes = bytes.get(end + 4 + length..)?;
    }
}
