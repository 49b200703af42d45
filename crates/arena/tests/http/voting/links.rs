//! Who may vote, and which forms are accepted.

use serde_json::json;

use super::visitor::Browser;
use super::{between, hidden, votes};
use crate::server::{Server, text};

#[test]
fn trace_a_public_link() {
    let server = Server::with_keys();
    let experiment = hidden(&server, &json!({}));
    let make = |scope: &str, one: bool| {
        let mut body = json!({ "scope": scope });
        if one {
            body["experiment"] = experiment.clone().into();
        }
        let made = server.client().post("/v1/keys", &body).expect(201);
        (text(&made["id"]), text(&made["key"]))
    };
    let (id, link) = make("voter", true);
    let mut browser = Browser::new(&server);
    browser.start(&link);
    browser.vote("left");
    assert!(browser.shows("Vote 2<"));
    assert!(!browser.shows("href=\"/\"") && !browser.shows("/experiments/"), "{}", browser.page);
    assert_eq!(votes(&server, &experiment), 1);
    let mut writer = Browser::new(&server);
    writer.start(&make("writer", true).1);
    assert!(writer.shows("Vote 1<"));
    // Keys that may not vote, or that are not limited to one experiment, are not links.
    for bad in [
        make("reader", true).1,
        make("writer", false).1,
        server.admin.clone(),
        format!("{link}0"),
        link[..link.len() - 1].to_owned(),
        "nonsense".to_owned(),
        "%3Cscript%3E".to_owned(),
    ] {
        let mut browser = Browser::new(&server);
        assert_eq!(browser.go(&format!("/vote/{bad}")).status, 404, "{bad}");
        assert!(browser.shows("This link does not work") && !browser.shows("<script>"));
    }
    // With the id of the experiment, only visitors who have signed in can vote.
    let mut stranger = Browser::new(&server);
    let reply = stranger.ask("GET", &format!("/vote/{experiment}"), None);
    assert_eq!((reply.status, reply.header("location").unwrap().starts_with("/login?back=")), (303, true));
    let reply = stranger.ask("GET", &format!("/vote/{experiment}/answer"), None);
    assert_eq!(reply.status, 303);
    // Revoking the key closes the link, even for visitors who are on the page.
    let candidate = format!("/vote/{link}/candidate/{}/left", browser.duel());
    server.client().delete(&format!("/v1/keys/{id}")).expect(200);
    assert_eq!(browser.submit("answer", "&answer=left").status, 404);
    assert!(browser.shows("This link does not work"));
    assert_eq!(browser.go(&candidate).status, 404);
    assert_eq!(votes(&server, &experiment), 1);
}

#[test]
fn trace_signed_in() {
    let server = Server::with_keys();
    let experiment = hidden(&server, &json!({}));
    let mut browser = Browser::new(&server);
    browser.go(&format!("/vote/{experiment}"));
    assert!(browser.address.starts_with("/login"));
    let token = between(&browser.page, "name=\"csrf\" value=\"", "\"").unwrap();
    let body = format!("csrf={token}&key={}&back=/vote/{experiment}", server.admin);
    let reply = browser.ask("POST", "/login", Some(&body));
    browser.arrive("/login", reply);
    browser.submit("start", "");
    browser.vote("left");
    assert!(browser.shows("Vote 2<") && browser.shows(&format!("/experiments/{experiment}")));
    assert_eq!(browser.go("/vote/0000000000001").status, 404);
}

/// A form is accepted only if this server made it for this visitor.
#[test]
fn trace_forms_of_others() {
    let server = Server::start();
    let experiment = hidden(&server, &json!({}));
    let mut browser = Browser::new(&server);
    browser.start(&experiment);
    let (action, fields) = browser.form("answer").unwrap();
    let fields = format!("{fields}&answer=left");
    let mut other = Browser::new(&server);
    other.start(&experiment);
    assert_eq!(other.ask("POST", &action, Some(&fields)).status, 403, "another's token");
    let without = fields.split_once('&').unwrap().1;
    assert_eq!(browser.ask("POST", &action, Some(without)).status, 403, "no token");
    for what in ["start", "undo"] {
        let action = action.replace("/answer", &format!("/{what}"));
        assert_eq!(browser.ask("POST", &action, Some(without)).status, 403, "{what}");
    }
    for (name, value) in
        [("Origin", "https://evil.example"), ("Origin", "null"), ("Sec-Fetch-Site", "cross-site")]
    {
        let mut elsewhere = browser.clone();
        elsewhere.client = elsewhere.client.with_header(name, value);
        assert_eq!(elsewhere.ask("POST", &action, Some(&fields)).status, 403, "{name}: {value}");
    }
    assert_eq!(votes(&server, &experiment), 0);
    assert_eq!(browser.ask("POST", &action, Some(&fields)).status, 303);
    // GET of the address of a form redirects to the page.
    browser.go(&action);
    assert_eq!(browser.address, format!("/vote/{experiment}"));
    assert_eq!(votes(&server, &experiment), 1);
}

#[test]
fn trace_what_the_page_may_load() {
    let server = Server::configured(|config| config.content_origins = vec!["https://cdn.example".to_owned()]);
    let experiment = hidden(&server, &json!({}));
    let mut browser = Browser::new(&server);
    let page = browser.go(&format!("/vote/{experiment}"));
    let policy = page.header("content-security-policy").unwrap();
    for part in [
        "default-src 'none'",
        "script-src 'self'",
        "img-src 'self' data: https://cdn.example",
        "frame-src 'self' https://cdn.example",
        "frame-ancestors 'none'",
        "form-action 'self'",
    ] {
        assert!(policy.split("; ").any(|known| known == part), "{part}: {policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("cache-control"), Some("no-store"));
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(page.header("referrer-policy"), Some("same-origin"));
    assert_eq!(browser.ask("GET", "/assets/booth.js", None).status, 200);
    assert_eq!(browser.ask("GET", "/assets/booth.css", None).status, 200);
}
