//! The OpenAPI document, against which these tests check every response.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::client::Reply;

/// The document, as the code generates it.
pub(crate) static DOCUMENT: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(tiltyard_arena::http::openapi()).unwrap());

/// An operation of the document.
#[derive(Debug, Clone)]
pub(crate) struct Route {
    pub(crate) method: String,
    pub(crate) path: String,
    operation: Value,
}

impl Route {
    /// Whether the route needs no key.
    pub(crate) fn is_open(&self) -> bool {
        self.operation["security"] == serde_json::json!([{}])
    }

    pub(crate) fn responses(&self) -> &Map<String, Value> {
        self.operation["responses"].as_object().unwrap()
    }

    pub(crate) fn has_body(&self) -> bool {
        self.operation.get("requestBody").is_some()
    }

    /// The path with these values in place of its parameters.
    pub(crate) fn filled(&self, experiment: &str, duel: &str, arm: &str, key: &str) -> String {
        // Log position 1 is the creation of the experiment, not an import.
        let place = if arm == "a" { "1" } else { arm };
        let fill = [
            ("{experiment}", experiment),
            ("{duel}", duel),
            ("{arm}", arm),
            ("{key_id}", key),
            ("{place}", place),
        ];
        fill.iter().fold(self.path.clone(), |path, (name, value)| path.replace(name, value))
    }
}

/// Every operation.
pub(crate) fn routes() -> Vec<Route> {
    let mut routes = Vec::new();
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            routes.push(Route {
                method: method.to_uppercase(),
                path: path.clone(),
                operation: operation.clone(),
            });
        }
    }
    routes
}

fn matches(pattern: &str, path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let (pattern, path): (Vec<_>, Vec<_>) = (pattern.split('/').collect(), path.split('/').collect());
    pattern.len() == path.len()
        && pattern
            .iter()
            .zip(&path)
            .all(|(part, given)| if part.starts_with('{') { !given.is_empty() } else { part == given })
}

/// Checks a response against the document, which must list its status, its content type and the
/// code of its problem.
pub(crate) fn check(method: &str, path: &str, reply: &Reply) {
    static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(routes);
    let Some(route) = ROUTES.iter().find(|route| route.method == method && matches(&route.path, path)) else {
        return;
    };
    let listed = route.responses().get(&reply.status.to_string());
    let listed = listed.unwrap_or_else(|| panic!("{method} {path}: {} is not listed", reply.status));
    let kind = reply.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    let kinds = listed["content"].as_object().unwrap();
    assert!(kinds.contains_key(kind), "{method} {path}: {} as `{kind}`", reply.status);
    if kind == "application/problem+json" {
        let code = reply.json()["code"].as_str().unwrap().to_owned();
        let description = listed["description"].as_str().unwrap();
        assert!(
            description.contains(&format!("`{code}`")),
            "{method} {path}: {} does not list `{code}`",
            reply.status
        );
    }
}

/// `docs/openapi.json` is the document that the code generates.
#[test]
fn law_the_document_is_current() {
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let kept = std::fs::read_to_string(kept).unwrap_or_default();
    let now = tiltyard_arena::http::openapi().to_pretty_json().unwrap() + "\n";
    assert!(kept == now, "docs/openapi.json is not current: run `cargo xtask docs`");
}

/// `docs/errors.md` is the page that the table of codes generates.
#[test]
fn law_the_page_of_errors_is_current() {
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");
    let kept = std::fs::read_to_string(kept).unwrap_or_default();
    assert!(
        kept == tiltyard_arena::http::errors_page(),
        "docs/errors.md is not current: run `cargo xtask docs`"
    );
}

/// No status is a range, each response has a description, and each operation has a unique id.
#[test]
fn law_the_document_is_exact() {
    let mut names = std::collections::BTreeSet::new();
    for route in routes() {
        let name = route.operation["operationId"].as_str().unwrap().to_owned();
        assert!(names.insert(name.clone()), "two operations are called {name}");
        assert!(route.operation["summary"].is_string() || route.operation["description"].is_string());
        for (status, response) in route.responses() {
            assert!(status.parse::<u16>().is_ok(), "{name}: {status}");
            assert!(!response["description"].as_str().unwrap().is_empty(), "{name}: {status}");
        }
        for parameter in route.operation["parameters"].as_array().into_iter().flatten() {
            if parameter["in"] == "path" && parameter["name"] != "arm" {
                assert!(parameter["schema"]["pattern"].is_string(), "{name}: {parameter}");
            }
        }
    }
}
