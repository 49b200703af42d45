//! Media files for voting pages, from a directory in the configuration of the server.

use std::fs;
use std::io::Read as _;
use std::path::{Path as FilePath, PathBuf};
use std::time::UNIX_EPOCH;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::ALONE;
use crate::app::{Auth, Shared, check_host, off_thread};
use crate::pages::nothing_here;

/// The kinds of files that may be shown: file extension and content type.
const KINDS: [(&str, &str); 8] = [
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("avif", "image/avif"),
    ("html", "text/html; charset=utf-8"),
    ("txt", "text/plain; charset=utf-8"),
];

/// The largest file in bytes. Files are read as a whole, so larger ones are not shown.
const LARGEST: u64 = 32 << 20;

/// A file that may be shown.
#[derive(Debug)]
struct Found {
    path: PathBuf,
    kind: &'static str,
    /// The entity tag, which changes with the file.
    tag: String,
}

pub(in crate::pages) async fn media(
    State(app): State<Shared>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Response {
    if app.config.auth == Auth::None
        && let Err(problem) = check_host(&headers)
    {
        return problem.into_response();
    }
    let mut response = send(&app, path, headers.get(header::IF_NONE_MATCH).cloned()).await;
    let caching = HeaderValue::from_static("public, max-age=60");
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(caching);
    response
}

/// Sends the file at that path, or status 304 if the browser has it already.
pub(super) async fn send(app: &Shared, path: String, known: Option<HeaderValue>) -> Response {
    let Some(root) = app.config.media.clone() else { return nothing_here() };
    let read = off_thread(move || {
        let found = find(&root, &path)?;
        if known.is_some_and(|known| known == found.tag.as_str()) {
            return Some((found, None));
        }
        let mut bytes = Vec::new();
        fs::File::open(&found.path).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
        Some((found, Some(bytes)))
    });
    let Ok(Some((Found { kind, tag, .. }, bytes))) = read.await else { return nothing_here() };
    let mut response = match bytes {
        Some(bytes) => ([(header::CONTENT_TYPE, kind)], bytes).into_response(),
        None => StatusCode::NOT_MODIFIED.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(ALONE));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    response
}

/// The file, if it is of a known kind and is inside the directory even after symbolic links are
/// followed.
fn find(root: &FilePath, path: &str) -> Option<Found> {
    if !is_plain(path) {
        return None;
    }
    let (_, ending) = path.rsplit_once('.')?;
    let (_, kind) = KINDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending))?;
    let root = root.canonicalize().ok()?;
    let path = root.join(path).canonicalize().ok()?;
    let about = path.metadata().ok()?;
    if !path.starts_with(&root) || !about.is_file() || about.len() > LARGEST {
        return None;
    }
    let changed =
        about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let tag = format!("\"{:x}-{:x}\"", about.len(), changed.as_nanos());
    Some(Found { path, kind, tag })
}

/// Whether a path only goes down: its names are not hidden, and have no characters with a special
/// meaning to some system.
pub(super) fn is_plain(path: &str) -> bool {
    let is_name = |name: &str| {
        let odd = |c: char| c.is_control() || matches!(c, '\\' | ':' | '?' | '#' | '%');
        !name.is_empty() && !name.starts_with('.') && !name.chars().any(odd)
    };
    path.split('/').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_paths() {
        for good in ["a.png", "a/b.png", "a b.txt", "ä.png"] {
            assert!(is_plain(good), "{good}");
        }
        for bad in [
            "",
            "/a.png",
            "../a.png",
            "a/../b.png",
            "a//b.png",
            ".a.png",
            "a/.b/c.png",
            "a\\b.png",
            "c:a.png",
            "a\0.png",
            "a/",
        ] {
            assert!(!is_plain(bad), "{bad}");
        }
    }

    #[test]
    fn trace_what_is_found() {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().join("media");
        fs::create_dir_all(root.join("deep")).expect("a directory");
        for name in ["a.png", "deep/b.HTML", "c.svg", "d.js", ".e.png", "noending"] {
            fs::write(root.join(name), "x").expect("a file");
        }
        fs::write(directory.path().join("secret.txt"), "x").expect("a file");
        let kind = |path: &str| find(&root, path).map(|found| found.kind);
        assert_eq!(kind("a.png"), Some("image/png"));
        assert_eq!(kind("deep/b.HTML"), Some("text/html; charset=utf-8"));
        for bad in ["c.svg", "d.js", ".e.png", "noending", "deep", "none.png", "../secret.txt"] {
            assert_eq!(kind(bad), None, "{bad}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret.txt", root.join("out.txt")).expect("a link");
            std::os::unix::fs::symlink("a.png", root.join("in.png")).expect("a link");
            assert_eq!(kind("out.txt"), None);
            assert_eq!(kind("in.png"), Some("image/png"));
        }
    }
}
