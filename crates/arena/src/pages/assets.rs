//! Style sheets, scripts and the icon, compiled into the program.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest as _, Sha256};

use crate::key::hex;

/// Name, content type and text.
const ASSETS: &[(&str, &str, &str)] = &[
    ("tiltyard.css", "text/css; charset=utf-8", include_str!("assets/tiltyard.css")),
    ("chart.css", "text/css; charset=utf-8", include_str!("assets/chart.css")),
    ("dashboard.css", "text/css; charset=utf-8", include_str!("assets/dashboard.css")),
    ("dashboard.js", "text/javascript; charset=utf-8", include_str!("assets/dashboard.js")),
    ("live.js", "text/javascript; charset=utf-8", include_str!("assets/live.js")),
    ("booth.css", "text/css; charset=utf-8", include_str!("assets/booth.css")),
    ("booth.js", "text/javascript; charset=utf-8", include_str!("assets/booth.js")),
    ("search.css", "text/css; charset=utf-8", include_str!("assets/search.css")),
    ("icon.svg", "image/svg+xml", include_str!("assets/icon.svg")),
];

/// A hash of all assets. It is part of their addresses, so browsers may cache them without asking
/// again.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for (.., text) in ASSETS {
        hash.update(text.as_bytes());
    }
    hex(&hash.finalize()[..6])
});

/// The address of an asset, with the version.
pub(super) fn address(name: &str) -> String {
    format!("/assets/{name}?{}", *VERSION)
}

pub(super) async fn asset(Path(name): Path<String>) -> Response {
    let Some((_, kind, text)) = ASSETS.iter().find(|(known, ..)| *known == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, *kind),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'"),
    ];
    (headers, *text).into_response()
}
