//! What the server may be told.

use std::path::PathBuf;
use std::time::Duration;

/// Whether keys are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Auth {
    /// Every request needs one.
    Keys,
    /// Everyone on this machine may do everything. Such a server listens on loopback only.
    None,
}

/// What the server may be told.
#[derive(Debug, Clone)]
pub struct Config {
    /// Whether keys are asked for.
    pub auth: Auth,
    /// The largest body. Each connection may hold one in memory.
    pub max_body_bytes: usize,
    /// The most requests that are answered at the same time; more are refused with 503.
    pub max_requests: usize,
    /// The most connections; more wait.
    pub max_connections: usize,
    /// The most live streams.
    pub max_streams: usize,
    /// The most requests of one key within a second, on average; 0 for no limit.
    pub rate_limit: u32,
    /// How long a request's head, and then its body, may take to come; also how long a connection
    /// may idle, and how long a client may take nothing of its answer.
    pub read_timeout: Duration,
    /// How long a request may take to be answered once it has come in.
    pub request_timeout: Duration,
    /// How long requests in progress may take when the server stops.
    pub grace: Duration,
    /// Web pages that may call the API from elsewhere.
    pub cors_origins: Vec<String>,
    /// Sites whose pictures and pages may be shown on voting pages, as origins.
    pub content_origins: Vec<String>,
    /// A directory of files that are shown on voting pages.
    pub media: Option<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            auth: Auth::Keys,
            max_body_bytes: 1 << 20,
            max_requests: 1024,
            max_connections: 4096,
            max_streams: 256,
            rate_limit: 0,
            read_timeout: Duration::from_secs(30),
            request_timeout: Duration::from_secs(30),
            grace: Duration::from_secs(30),
            cors_origins: Vec::new(),
            content_origins: Vec::new(),
            media: None,
        }
    }
}

/// Whether a text is an origin as browsers write it: scheme, host and perhaps a port, and nothing
/// that means more in a header.
pub fn is_origin(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(fits))
}
