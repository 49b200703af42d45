//! Requests from pages of other sites.

use serde_json::json;
use tiltyard_arena::server::Auth;

use crate::client::Client;
use crate::server::Server;

const PAGE: &str = "https://vote.example";

#[test]
fn trace_no_page_from_elsewhere_unless_asked() {
    let server = Server::start();
    let page = server.client().with_header("Origin", PAGE);
    let reply = page.get("/v1/experiments");
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("access-control-allow-origin"), None);
    let preflight =
        page.with_header("Access-Control-Request-Method", "POST").send("OPTIONS", "/v1/experiments", None);
    preflight.refused(405, "method_not_allowed");
    assert_eq!(preflight.header("access-control-allow-origin"), None);
    assert_eq!(preflight.header("access-control-allow-methods"), None);
}

#[test]
fn trace_pages_that_were_named_may_call() {
    let server = Server::configured(|config| {
        config.auth = Auth::Keys;
        config.cors_origins = vec![PAGE.to_owned()];
    });
    let ask = |origin: &str| {
        Client::new(server.address)
            .with_header("Origin", origin)
            .with_header("Access-Control-Request-Method", "POST")
            .with_header("Access-Control-Request-Headers", "authorization,content-type,last-event-id")
            .send("OPTIONS", "/v1/experiments", None)
    };
    let preflight = ask(PAGE);
    assert_eq!(preflight.status, 200);
    assert_eq!(preflight.header("access-control-allow-origin"), Some(PAGE));
    let allowed = preflight.header("access-control-allow-headers").unwrap().to_ascii_lowercase();
    for header in ["authorization", "content-type", "last-event-id"] {
        assert!(allowed.contains(header), "{allowed}");
    }
    assert_eq!(ask("https://evil.example").header("access-control-allow-origin"), None);
    let reply = server.client().with_header("Origin", PAGE).get("/v1/experiments");
    assert_eq!(reply.header("access-control-allow-origin"), Some(PAGE));
    // The page can also read a refusal.
    let refused = Client::new(server.address).with_header("Origin", PAGE).get("/v1/experiments");
    refused.refused(401, "unauthorized");
    assert_eq!(refused.header("access-control-allow-origin"), Some(PAGE));
    let reply = server.client().with_header("Origin", "https://evil.example").get("/v1/experiments");
    assert_eq!(reply.header("access-control-allow-origin"), None);
}

/// A visitor who had to sign in before sending a form comes back to the page with the form.
#[test]
fn trace_forms_lead_back_to_their_pages() {
    let server = Server::start();
    for (form, page) in [
        ("/experiments/x/status", "/experiments/x"),
        ("/experiments/x/arms", "/experiments/x"),
        ("/experiments/x/retire", "/experiments/x"),
        ("/experiments/x/restore", "/experiments/x"),
        ("/experiments/x/link", "/experiments/x"),
        ("/keys/revoke", "/keys"),
    ] {
        let reply = server.client().get(form);
        assert_eq!((reply.status, reply.header("location")), (303, Some(page)));
    }
}

/// Without keys, the server refuses a foreign host name that points to this machine, and requests
/// that a form could send.
#[test]
fn trace_without_keys_the_name_must_be_ours() {
    let server = Server::start();
    let port = server.address.port();
    let as_host = |host: &str| Client::new(server.address).with_header("Host", host);
    for host in [
        format!("localhost:{port}"),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
        "localhost".to_owned(),
    ] {
        as_host(&host).get("/v1/experiments").expect(200);
    }
    for host in ["rebound.example", "localhost.evil.example", "10.0.0.1", ""] {
        as_host(host).get("/v1/experiments").refused(403, "forbidden");
        let body = json!({ "name": "n", "arms": ["a", "b"] });
        as_host(host).post("/v1/experiments", &body).refused(403, "forbidden");
    }
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        "text/json",
    ] {
        let form = server.client().with_header("Content-Type", kind);
        form.send("POST", "/v1/experiments", Some(b"{\"name\":\"n\",\"arms\":[\"a\",\"b\"]}"))
            .refused(415, "unsupported_media_type");
    }
    assert_eq!(server.client().get("/v1/experiments").expect(200), json!({ "experiments": [] }));
    // With keys, any host name is accepted: the key decides.
    let server = Server::with_keys();
    server.client().with_header("Host", "arena.example").get("/v1/experiments").expect(200);
    let charset = server.client().with_header("Content-Type", "Application/JSON; charset=utf-8");
    charset.post("/v1/experiments", &json!({ "name": "n", "arms": ["a", "b"] })).expect(201);
}
