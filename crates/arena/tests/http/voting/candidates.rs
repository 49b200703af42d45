//! The content of candidates: every kind, and attacks.

use std::fs;

use serde_json::{Value, json};

use super::visitor::Browser;
use super::{between, hidden};
use crate::client::Client;
use crate::server::{Server, text};

/// The tags of a page, with their attributes.
fn tags(html: &str) -> Vec<String> {
    let tags = html.split('<').skip(1).filter_map(|tag| tag.split_once('>').map(|(tag, _)| tag.to_owned()));
    tags.collect()
}

/// Checks that a page can run only our script, and that it loads nothing from other sites.
#[track_caller]
fn assert_tame(html: &str) {
    for tag in tags(html) {
        let lower = tag.to_lowercase();
        let name = lower.split_whitespace().next().unwrap_or_default();
        assert!(
            !["script", "object", "embed", "svg", "base", "style"].contains(&name)
                || lower.starts_with("script src=\"/assets/booth.js"),
            "{tag}"
        );
        // The parts within quotes are values, not attributes.
        let outside: String = tag.split('"').step_by(2).collect();
        assert!(
            !outside
                .split_whitespace()
                .any(|word| word.to_lowercase().starts_with("on") || word.starts_with("style")),
            "{tag}"
        );
        for (place, value) in tag.split('"').enumerate().filter(|(place, _)| place % 2 == 1) {
            let attribute = tag.split('"').nth(place - 1).unwrap_or_default();
            if attribute.ends_with("href=") || attribute.ends_with("src=") || attribute.ends_with("action=") {
                let value = value.to_lowercase();
                let tame = value.starts_with("/vote/")
                    || value.starts_with("/assets/")
                    || value.starts_with("/experiments/")
                    || value.starts_with("#main")
                    || value.starts_with("data:image/png;base64,")
                    || (attribute.ends_with("href=") && value.starts_with("https://"));
                assert!(tame, "{tag}");
            }
        }
        if name == "iframe" {
            assert!(tag.contains("sandbox=\"\""), "{tag}");
        }
    }
}

const ATTACKS: &[&str] = &[
    "<script>window.__pwned=1</script>",
    "<ScRiPt src=//evil.example></sCrIpT>",
    "<img src=x onerror=alert(1)>",
    "\"><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "\" onfocus=\"alert(1)\" autofocus=\"",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<a href=javascript:alert(1)>x</a>",
    "<form action=https://evil.example><button>x</button></form>",
    "</textarea></title></style></main><script>alert(1)</script>",
    "<base href=https://evil.example/>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<style>*{background:url(https://evil.example)}</style>",
    "<link rel=stylesheet href=https://evil.example>",
    "<object data=javascript:alert(1)>",
    "<!--><script>alert(1)</script-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "[x](javascript:alert(1))",
    "[x](  java\nscript:alert(1))",
    "[x](JAVASCRIPT&colon;alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "![x](javascript:alert(1))",
    "![x](https://evil.example/x.png)",
    "![\"onerror=alert(1)//](data:image/png;base64,AA==)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "<javascript:alert(1)>",
    "[x]: javascript:alert(1)\n\n[x]",
    "javascript:alert(1)",
    " javascript:alert(1)",
    "\u{1}javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:image/svg+xml,<svg onload=alert(1)>",
    "data:image/png;base64,\"onerror=alert(1)",
    "//evil.example/x.png",
    "https://evil.example/",
    "/\\evil.example",
    "/media/../../etc/passwd",
    "{{constructor.constructor('alert(1)')()}}",
    "${alert(1)}",
    "\u{202e}<script>alert(1)</script>",
    "＜script＞alert(1)＜/script＞",
];

/// Nothing that the author of an experiment writes can run, whatever its kind.
#[test]
fn trace_attacks() {
    let server = Server::start();
    for attack in ATTACKS {
        let label: String = attack.chars().filter(|c| !c.is_control()).collect();
        for payload in [
            json!(attack),
            json!({ "text": attack }),
            json!({ "markdown": attack }),
            json!({ "image": attack, "alt": attack }),
            json!({ "image": "https://evil.example/x", "alt": attack }),
            json!({ "html": attack }),
            json!({ "url": attack }),
            Value::Null,
        ] {
            let arm =
                |side: &str| json!({ "name": format!("{side} {label}"), "label": label, "payload": payload });
            let body = json!({ "name": label, "arms": [arm("a"), arm("b")] });
            let experiment = text(&server.client().post("/v1/experiments", &body).expect(201)["id"]);
            let mut browser = Browser::new(&server);
            browser.go(&format!("/vote/{experiment}"));
            assert_tame(&browser.page);
            browser.submit("start", "");
            assert_tame(&browser.page);
            let is_page = payload.get("html").is_some();
            for side in ["left", "right"] {
                let alone = browser.ask(
                    "GET",
                    &format!("/vote/{experiment}/candidate/{}/{side}", browser.duel()),
                    None,
                );
                assert_eq!(alone.status, if is_page { 200 } else { 404 }, "{payload}");
                if is_page {
                    let policy = alone.header("content-security-policy").unwrap();
                    assert!(
                        policy.starts_with(
                            "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
                        ),
                        "{policy}"
                    );
                    assert_eq!(alone.text(), *attack);
                }
            }
            browser.vote("left");
            browser.vote("left");
            assert!(browser.shows("You preferred left"));
            assert_tame(&browser.page);
        }
    }
}

/// The check of the test above finds what it looks for.
#[test]
fn trace_what_is_not_tame_is_found() {
    for bad in [
        "<script>alert(1)</script>",
        "<img src=\"/vote/x\" onerror=\"alert(1)\">",
        "<a href=\"javascript:alert(1)\">",
        "<img src=\"https://evil.example/\">",
        "<p style=\"color: red\">",
        "<iframe src=\"/vote/x\">",
    ] {
        assert!(std::panic::catch_unwind(|| assert_tame(bad)).is_err(), "{bad}");
    }
}

#[test]
fn trace_candidates_of_every_kind() {
    const PIXEL: &str = "data:image/png;base64,iVBORw0KGgo=";
    let media = tempfile::tempdir().unwrap();
    fs::write(media.path().join("secret-name.png"), "picture").unwrap();
    fs::write(media.path().join("page.html"), "<p>page</p>").unwrap();
    let server = Server::configured(|config| {
        config.content_origins = vec!["https://cdn.example".to_owned()];
        config.media = Some(media.path().to_owned());
    });
    let shown = |payload: Value| {
        let arm = |name: &str| json!({ "name": name, "payload": payload });
        let body = json!({ "name": "kinds", "arms": [arm("x"), arm("y")] });
        let experiment = text(&server.client().post("/v1/experiments", &body).expect(201)["id"]);
        let mut browser = Browser::new(&server);
        browser.start(&experiment);
        browser
    };
    let alone = |browser: &mut Browser| {
        let address = between(&browser.page, "src=\"/vote/", "\"").unwrap();
        browser.ask("GET", &format!("/vote/{address}"), None)
    };
    assert!(shown(json!("two\nlines")).shows("<div class=\"text\">two\nlines</div>"));
    assert!(shown(json!({ "markdown": "a **b**" })).shows("<p>a <strong>b</strong></p>"));
    assert!(
        shown(json!({ "image": PIXEL, "alt": "dot" })).shows(&format!("<img src=\"{PIXEL}\" alt=\"dot\""))
    );
    assert!(
        shown(json!({ "image": "https://cdn.example/a.png" }))
            .shows("<img src=\"https://cdn.example/a.png\"")
    );
    assert!(
        shown(json!({ "image": "https://else.example/a.png", "alt": "dot" }))
            .shows("Pictures from other sites are not shown.")
    );
    let mut picture = shown(json!({ "image": "/media/secret-name.png" }));
    assert!(!picture.shows("secret-name"), "the name of a file may reveal the arm");
    let reply = alone(&mut picture);
    assert_eq!(
        (reply.status, reply.header("content-type"), reply.text()),
        (200, Some("image/png"), "picture".to_owned())
    );
    let mut page = shown(json!({ "html": "<p>hi</p>" }));
    assert!(page.shows("<iframe sandbox=\"\" title=\"Left candidate\" src=\"/vote/"));
    let reply = alone(&mut page);
    assert_eq!((reply.status, reply.text()), (200, "<p>hi</p>".to_owned()));
    assert!(shown(json!({ "url": "https://cdn.example/p" })).shows("src=\"https://cdn.example/p\""));
    assert!(shown(json!({ "url": "https://else.example/p" })).shows("Pages from other sites are not shown."));
    let reply = alone(&mut shown(json!({ "url": "/media/page.html" })));
    assert_eq!((reply.status, reply.text()), (200, "<p>page</p>".to_owned()));
    assert!(reply.header("content-security-policy").unwrap().starts_with("sandbox;"));
    // A ticket does not give access to candidates of another experiment.
    let mut browser = shown(json!({ "html": "<p>hi</p>" }));
    let duel = browser.duel();
    let other = hidden(&server, &json!({}));
    assert_eq!(browser.ask("GET", &format!("/vote/{other}/candidate/{duel}/left"), None).status, 404);
    let here = duel.split('-').next().unwrap().to_owned();
    assert_eq!(browser.ask("GET", &format!("/vote/{here}/candidate/{duel}/middle"), None).status, 404);
}

#[test]
fn trace_media() {
    let directory = tempfile::tempdir().unwrap();
    let media = directory.path().join("media");
    fs::create_dir_all(media.join("deep")).unwrap();
    fs::write(media.join("a.png"), "png").unwrap();
    fs::write(media.join("deep/b c.txt"), "txt").unwrap();
    fs::write(media.join("page.html"), "<script>alert(1)</script>").unwrap();
    fs::write(media.join("bad.svg"), "<svg/>").unwrap();
    fs::write(media.join(".hidden.png"), "x").unwrap();
    fs::write(directory.path().join("secret.txt"), "x").unwrap();
    let server = Server::configured(|config| config.media = Some(media.clone()));
    let client = Client::new(server.address);
    let picture = client.get("/media/a.png");
    assert_eq!(
        (picture.status, picture.header("content-type"), picture.text()),
        (200, Some("image/png"), "png".to_owned())
    );
    assert_eq!(picture.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(picture.header("set-cookie"), None);
    let tag = picture.header("etag").unwrap();
    let again = client.clone().with_header("If-None-Match", tag).get("/media/a.png");
    assert_eq!((again.status, again.text()), (304, String::new()));
    assert_eq!(client.get("/media/deep/b%20c.txt").text(), "txt");
    let page = client.get("/media/page.html");
    assert!(page.header("content-security-policy").unwrap().starts_with("sandbox; default-src 'none'"));
    for bad in [
        "/media/",
        "/media/none.png",
        "/media/deep",
        "/media/bad.svg",
        "/media/.hidden.png",
        "/media/../secret.txt",
        "/media/..%2fsecret.txt",
        "/media/%2e%2e/secret.txt",
        "/media/deep/../../secret.txt",
        "/media//etc/passwd.txt",
        "/media/a.png%00.txt",
        "/media/a.png/",
    ] {
        assert_eq!(client.get(bad).status, 404, "{bad}");
    }
    assert_eq!(client.clone().with_header("Host", "rebound.example").get("/media/a.png").status, 403);
    assert_eq!(client.send("POST", "/media/a.png", Some(b"x")).status, 405);
    // A server without a media directory has no media files.
    assert_eq!(Client::new(Server::start().address).get("/media/a.png").status, 404);
}
