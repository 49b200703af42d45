//! The configuration of the server.

use std::path::PathBuf;
use std::time::Duration;

/// Whether requests need a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Auth {
    /// Every request needs a key.
    Keys,
    /// Everyone on this machine may do everything. The server then listens on loopback only.
    None,
}

/// The configuration of the server.
#[derive(Debug, Clone)]
pub struct Config {
    /// Whether requests need a key.
    pub auth: Auth,
    /// The largest request body, in bytes. Each connection may hold one in memory.
    pub max_body_bytes: usize,
    /// The largest number of requests answered at the same time. Others are refused with 503.
    pub max_requests: usize,
    /// The largest number of connections. Others wait.
    pub max_connections: usize,
    /// The largest number of live streams.
    pub max_streams: usize,
    /// The largest average number of requests per second with one key; 0 for no limit.
    pub rate_limit: u32,
    /// How long the head of a request, and then its body, may take to arrive. Also how long a
    /// connection may idle, and how long a client may read nothing of a response.
    pub read_timeout: Duration,
    /// How long the server may take to answer a request that has arrived.
    pub request_timeout: Duration,
    /// How long requests in progress may still take when the server stops.
    pub grace: Duration,
    /// Origins of other sites whose pages may call the API.
    pub cors_origins: Vec<String>,
    /// Origins of other sites whose pictures and pages may be shown on voting pages.
    pub content_origins: Vec<String>,
    /// A directory of media files for voting pages.
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

/// Whether a text is an origin as browsers write it: a scheme, a host and perhaps a port, without
/// characters that have a special meaning in a header.
pub fn is_origin(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(fits))
}
