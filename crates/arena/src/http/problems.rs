//! The errors that each route can return, for the OpenAPI document, and a page of all errors.

use std::collections::{BTreeMap, BTreeSet};

use tiltyard_wire::ProblemCode;
use utoipa::openapi::{self, Ref, RefOr};

use crate::app;

/// Errors that every route below `/v1` can return.
pub(super) const ALWAYS: &[ProblemCode] = &[
    ProblemCode::BadRequest,
    ProblemCode::Unauthorized,
    ProblemCode::Forbidden,
    ProblemCode::BodyTooSlow,
    ProblemCode::BodyTooLarge,
    ProblemCode::RateLimited,
    ProblemCode::Internal,
    ProblemCode::ExperimentDamaged,
    ProblemCode::Overloaded,
    ProblemCode::TimedOut,
];

/// Errors of a request's body.
pub(super) const BODY: &[ProblemCode] = &[ProblemCode::UnsupportedMediaType, ProblemCode::Invalid];

/// The part of the document that lists these codes: one response per status.
pub(super) fn responses(groups: &[&[ProblemCode]]) -> BTreeMap<String, RefOr<openapi::Response>> {
    let mut by_status: BTreeMap<u16, BTreeSet<ProblemCode>> = BTreeMap::new();
    for &code in groups.iter().copied().flatten() {
        by_status.entry(code.status()).or_default().insert(code);
    }
    let response = |(status, codes): (u16, BTreeSet<ProblemCode>)| {
        let words: Vec<_> = codes.iter().map(|code| format!("`{}`: {}", code.word(), code.title())).collect();
        let content = openapi::ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
        let mut response = openapi::ResponseBuilder::new()
            .description(words.join(". "))
            .content("application/problem+json", content);
        let header = |text: &str| openapi::HeaderBuilder::new().description(Some(text)).build();
        if matches!(status, 429 | 503) {
            response = response.header("Retry-After", header("How many seconds to wait before trying again"));
        }
        if status == 401 {
            response = response.header("WWW-Authenticate", header("`Bearer`"));
        }
        (status.to_string(), response.build().into())
    };
    by_status.into_iter().map(response).collect()
}

/// Gives a list of codes a name, under which the document lists them as responses of a route.
macro_rules! problems {
    ($name:ident = $($code:ident)* $(+ $group:ident)*) => {
        enum $name {}

        impl utoipa::IntoResponses for $name {
            fn responses() -> std::collections::BTreeMap<String, utoipa::openapi::RefOr<utoipa::openapi::Response>> {
                use $crate::http::problems;
                problems::responses(&[&[$(tiltyard_wire::ProblemCode::$code),*], $(problems::$group),*])
            }
        }
    };
}
pub(super) use problems;

/// The page that explains all codes, in Markdown.
pub fn errors_page() -> String {
    use core::fmt::Write as _;
    let mut page = "\
<!-- Written by `cargo xtask docs` from the table of codes in crates/wire/src/problem.rs. -->

# Errors of the API

For people who write clients: what each error code means, and what to do about it.

The API answers a request that it refuses with `application/problem+json` (RFC 9457). The fields of the answer:

- `code`: one of the words below. Programs should rely on this field.
- `status`: the HTTP status of the response.
- `title`: what the code means.
- `detail`: what went wrong in this request.
- `retry_after`: how many seconds to wait before trying again. The header `Retry-After` says the same.
- `type`: the address of the explanation on this page.

The server answers a request that is not valid HTTP with a bare 400 or 431, or not at all.

| code | status | meaning |
|---|---|---|
"
    .to_owned();
    for &code in ProblemCode::ALL {
        let (word, status) = (code.word(), code.status());
        let _ = writeln!(page, "| [`{word}`](#{word}) | {status} | {} |", code.title());
    }
    for &code in ProblemCode::ALL {
        let (word, status) = (code.word(), app::status(code));
        let _ = write!(page, "\n## {word}\n\n{}. Status {status}.\n\n{}\n", code.title(), code.advice());
    }
    page
}
