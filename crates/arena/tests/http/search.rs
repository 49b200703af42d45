//! The search page, as a browser without scripts uses it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tiltyard_arena::server::Auth;
use tiltyard_arena::server::{Document, SearchEngine};

use crate::client::{Client, Reply};
use crate::server::{HandClock, Server, Setup, text};

const FORWARD: &str = "ranker-forward";
const BACKWARD: &str = "ranker-backward";

/// Four documents, in order or in reverse; no documents for the query `nothing`.
#[derive(Debug)]
struct Tiny;

impl SearchEngine for Tiny {
    fn rankers(&self) -> Vec<String> {
        vec![FORWARD.to_owned(), BACKWARD.to_owned()]
    }

    fn search(&self, ranker: &str, query: &str, top: usize) -> Vec<String> {
        if query == "nothing" {
            return Vec::new();
        }
        let mut list = ["d1", "d2", "d3", "d4"].map(str::to_owned).to_vec();
        if ranker == BACKWARD {
            list.reverse();
        }
        list.truncate(top);
        list
    }

    fn document(&self, id: &str) -> Option<Document> {
        let text = "Some <i>text</i> with horses.\n\n    as\n    it is".to_owned();
        Some(Document { title: format!("Title {id} <b>"), text })
    }

    fn about(&self) -> &'static str {
        "Four documents."
    }
}

fn start(change: impl FnOnce(&mut Setup)) -> Server {
    let mut setup = Setup { engine: Some(Arc::new(Tiny)), ..Setup::default() };
    change(&mut setup);
    Server::with(setup)
}

fn rankers(server: &Server, settings: &Value) -> String {
    let arms = [FORWARD, BACKWARD];
    let body = json!({ "name": "rankers", "arms": arms, "policy": "rex3", "settings": settings });
    text(&server.client().post("/v1/experiments", &body).expect(201)["id"])
}

/// A visitor with a browser.
struct Browser {
    client: Client,
    cookies: BTreeMap<String, String>,
}

impl Browser {
    fn new(server: &Server) -> Self {
        Self { client: Client::new(server.address), cookies: BTreeMap::new() }
    }

    fn get(&mut self, path: &str) -> Reply {
        let reply = self.with_cookies().get(path);
        self.take_cookies(&reply);
        reply
    }

    /// Sends a form with the token of the page that it is on.
    fn post(&mut self, page: &str, path: &str, fields: &[(&str, &str)]) -> Reply {
        let token = token(&self.get(page).text());
        let fields: Vec<(&str, &str)> = fields.iter().copied().chain([("csrf", token.as_str())]).collect();
        self.send(path, &fields)
    }

    fn send(&mut self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let body = serde_urlencoded::to_string(fields).unwrap();
        let client = self.with_cookies().with_header("Content-Type", "application/x-www-form-urlencoded");
        let reply = client.send("POST", path, Some(body.as_bytes()));
        self.take_cookies(&reply);
        reply
    }

    /// Searches, and returns the address of the results.
    fn search(&mut self, id: &str, query: &str) -> String {
        let page = format!("/search/{id}");
        let reply = self.post(&page, &page, &[("query", query)]);
        assert_eq!(reply.status, 303, "{}", reply.text());
        reply.header("location").unwrap().to_owned()
    }

    fn done(&mut self, results: &str) -> Reply {
        self.post(results, results, &[])
    }

    fn page(&mut self, path: &str, status: u16) -> String {
        let reply = self.get(path);
        assert_eq!(reply.status, status, "{}", reply.text());
        reply.text()
    }

    fn with_cookies(&self) -> Client {
        let cookies: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        self.client.clone().with_header("Cookie", &cookies.join("; "))
    }

    fn take_cookies(&mut self, reply: &Reply) {
        for (_, cookie) in reply.headers.iter().filter(|(name, _)| name == "set-cookie") {
            assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            if cookie.contains("Max-Age=0;") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }
}

fn token(page: &str) -> String {
    let (_, rest) = page.split_once("name=\"csrf\" value=\"").unwrap_or_else(|| panic!("no form: {page}"));
    rest.split('"').next().unwrap().to_owned()
}

/// The duel of the results at this address.
fn duel(server: &Server, results: &str) -> Value {
    let id = results.rsplit('/').next().unwrap();
    server.client().get(&format!("/v1/duels/{id}")).expect(200)
}

/// The last answer that was recorded.
fn last_answer(server: &Server, id: &str) -> Value {
    let log = server.client().get(&format!("/v1/experiments/{id}/history?limit=1000")).expect(200);
    let mut events = log["events"].as_array().unwrap().iter();
    events.rfind(|event| event["type"] == "answered").unwrap_or_else(|| panic!("no answer: {log}")).clone()
}

fn digest(server: &Server, id: &str) -> Value {
    server.client().get(&format!("/v1/experiments/{id}/digest")).expect(200)
}

/// From the search box to the credit. Repeats until both kinds of duels were seen: two rankers, and
/// a ranker with itself.
#[test]
fn trace_clicks_become_outcomes() {
    let server = start(|_| {});
    let id = rankers(&server, &json!({}));
    let mut browser = Browser::new(&server);
    let (mut contests, mut alone) = (0, 0);
    for _ in 0..100 {
        if contests > 1 && alone > 0 {
            break;
        }
        let results = browser.search(&id, "horses");
        let list = browser.page(&results, 200);
        assert!(list.contains("with <mark>horses</mark>."), "{list}");
        let document = browser.page(&format!("{results}/1"), 200);
        assert!(document.contains("<pre tabindex=\"0\">as\nit is</pre>"), "{document}");
        for page in [&list, &document] {
            // The page has neither the names of rankers nor markup from documents.
            assert!(!page.contains("ranker-"), "{page}");
            assert!(!page.contains("<i>") && !page.contains(" <b>"), "{page}");
        }
        let is_forward = document.contains("Title d1");
        assert!(is_forward || document.contains("Title d4"), "{document}");
        let seen = browser.page(&results, 200);
        assert_eq!(seen.matches("✓ Opened").count(), 1, "{seen}");
        let reply = browser.done(&results);
        assert_eq!((reply.status, reply.header("location")), (303, Some(results.as_str())));
        let credit = browser.page(&results, 200);
        assert_eq!(credit.matches("✓ Opened").count(), 1, "{credit}");
        assert!(credit.contains(&format!("href=\"/experiments/{id}\"")), "{credit}");
        let duel = duel(&server, &results);
        let (left, right) = (text(&duel["left"]), text(&duel["right"]));
        if left == right {
            alone += 1;
            assert!(credit.contains(&format!("No contest: “{left}” met itself.")), "{credit}");
            continue;
        }
        contests += 1;
        // The first result is the first in the list of its ranker.
        let winner = if is_forward { FORWARD } else { BACKWARD };
        assert!(credit.contains(&format!("“{winner}” won: 1 click to 0.")), "{credit}");
        let side = if winner == left { "left" } else { "right" };
        assert_eq!(duel["outcome"], side, "{duel}");
        assert!(text(&last_answer(&server, &id)["voter"]).starts_with("web-"));
    }
    assert!(contests > 1 && alone > 0, "{contests} and {alone}");
    assert_eq!(server.totals(&id)["votes"], contests + alone);
}

#[test]
fn trace_equal_clicks_and_no_clicks_are_ties() {
    let server = start(|_| {});
    let id = rankers(&server, &json!({}));
    let mut browser = Browser::new(&server);
    let mut ties = [0, 0];
    for turn in 0..40 {
        let n_opened = if turn % 2 == 0 { 4 } else { 0 };
        let results = browser.search(&id, "cows");
        for position in 1..=n_opened {
            browser.page(&format!("{results}/{position}"), 200);
        }
        assert_eq!(browser.done(&results).status, 303);
        let credit = browser.page(&results, 200);
        if credit.contains("No contest") {
            continue;
        }
        let words = if n_opened == 0 { "Nothing was opened: a tie." } else { "A tie: 2 clicks each." };
        assert!(credit.contains(words), "{credit}");
        assert_eq!(duel(&server, &results)["outcome"], "tie");
        ties[turn % 2] += 1;
    }
    assert!(ties[0] > 0 && ties[1] > 0, "{ties:?}");
}

/// Opening results changes nothing on the server. A search that was not finished is counted when
/// the next one starts.
#[test]
fn trace_a_search_that_was_left_is_counted_with_the_next() {
    let server = start(|_| {});
    let id = rankers(&server, &json!({}));
    let mut browser = Browser::new(&server);
    let first = browser.search(&id, "one");
    let before = digest(&server, &id);
    browser.page(&format!("{first}/2"), 200);
    browser.page(&format!("{first}/3"), 200);
    let start = browser.page(&format!("/search/{id}"), 200);
    assert!(start.contains("not finished") && start.contains(&first), "{start}");
    assert_eq!(digest(&server, &id), before);
    let second = browser.search(&id, "two");
    assert_eq!(server.totals(&id)["votes"], 1);
    assert_eq!(last_answer(&server, &id)["clicks"], json!([2, 3]));
    let credit = browser.page(&first, 200);
    assert_eq!(credit.matches("✓ Opened").count(), 2, "{credit}");
    // Results of the first search that are opened now do not count for either search.
    browser.page(&format!("{first}/1"), 200);
    let list = browser.page(&second, 200);
    assert!(list.contains("nothing is opened yet"), "{list}");
    assert_eq!(browser.done(&second).status, 303);
    assert_eq!(last_answer(&server, &id)["clicks"], json!([]));
}

#[test]
fn trace_queries_are_text() {
    let server = start(|_| {});
    let id = rankers(&server, &json!({}));
    let mut browser = Browser::new(&server);
    let query = "\"><script>alert(1)</script>";
    let results = browser.search(&id, query);
    let list = browser.page(&results, 200);
    assert_eq!(browser.done(&results).status, 303);
    let credit = browser.page(&results, 200);
    for page in [list, credit] {
        assert!(!page.contains("<script>alert"), "{page}");
        assert!(page.contains("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    }
    let page = format!("/search/{id}");
    let reply = browser.post(&page, &page, &[("query", "  ")]);
    assert_eq!(reply.status, 422);
    let reply = browser.post(&page, &page, &[("query", &"é".repeat(201))]);
    assert_eq!(reply.status, 422);
    assert!(reply.text().contains("too long"));
    // Nothing is found, so no duel is issued.
    let duels = server.totals(&id)["duels"].clone();
    let reply = browser.post(&page, &page, &[("query", "nothing")]);
    assert_eq!(reply.status, 200);
    assert!(reply.text().contains("Nothing was found for “nothing”"), "{}", reply.text());
    assert_eq!(server.totals(&id)["duels"], duels);
}

#[test]
fn trace_searches_that_are_not_there() {
    let clock = HandClock::new();
    let server = start(|setup| setup.clock = Arc::<HandClock>::clone(&clock));
    let id = rankers(&server, &json!({ "expires_after": 60, "late": "refuse" }));
    let mut browser = Browser::new(&server);
    let results = browser.search(&id, "horses");
    for position in ["0", "5", "x", "-1"] {
        browser.page(&format!("{results}/{position}"), 404);
    }
    let other = rankers(&server, &json!({}));
    let token = results.rsplit('/').next().unwrap();
    for path in [format!("/search/{id}/x"), format!("/search/{other}/{token}"), format!("{results}0")] {
        let page = browser.page(&path, 404);
        assert!(page.contains("There is no such search"), "{page}");
    }
    // A duel without a merged list is not a search.
    let duel = server.duel(&id);
    browser.page(&format!("/search/{id}/{duel}"), 404);
    let csrf = self::token(&browser.page(&results, 200));
    clock.forward(61);
    let page = browser.page(&results, 410);
    assert!(page.contains("This search has expired"), "{page}");
    let late = browser.send(&results, &[("csrf", &csrf)]);
    assert_eq!(late.status, 410);
    assert_eq!(server.totals(&id)["votes"], 0);
    // The expired search does not stop a new one.
    let results = browser.search(&id, "horses");
    let duel = results.rsplit('/').next().unwrap();
    server.client().delete(&format!("/v1/duels/{duel}")).expect(200);
    let page = browser.page(&results, 410);
    assert!(page.contains("voided"), "{page}");
}

#[test]
fn trace_only_who_searched_can_finish() {
    let server = start(|_| {});
    let id = rankers(&server, &json!({}));
    let mut browser = Browser::new(&server);
    let results = browser.search(&id, "horses");
    let mut other = Browser::new(&server);
    other.page(&format!("{results}/1"), 200);
    assert!(!other.cookies.contains_key("tiltyard_search"));
    let reply = other.done(&results);
    assert_eq!(reply.status, 409);
    assert!(reply.text().contains("Nothing was counted"), "{}", reply.text());
    // A form with the token of another visitor is refused too.
    let foreign = token(&other.page(&results, 200));
    assert_eq!(browser.send(&results, &[("csrf", &foreign)]).status, 403);
    assert_eq!(browser.send(&format!("/search/{id}"), &[("query", "horses")]).status, 403);
    assert_eq!(server.totals(&id)["votes"], 0);
    let own = token(&browser.page(&results, 200));
    for _ in 0..2 {
        // A form that is sent twice counts once.
        assert_eq!(browser.send(&results, &[("csrf", &own)]).status, 303);
        assert_eq!(server.totals(&id)["votes"], 1);
    }
}

#[test]
fn trace_a_key_that_votes_may_search() {
    let server = start(|setup| setup.config.auth = Auth::Keys);
    let id = rankers(&server, &json!({}));
    let other = rankers(&server, &json!({}));
    let made = server.client().post("/v1/keys", &json!({ "scope": "voter", "experiment": id })).expect(201);
    let mut browser = Browser::new(&server);
    let page = format!("/search/{id}");
    let reply = browser.get(&page);
    assert_eq!(reply.status, 303);
    let sign_in = reply.header("location").unwrap().to_owned();
    assert!(sign_in.starts_with("/login?"), "{sign_in}");
    let secret = text(&made["key"]);
    let reply = browser.post(&sign_in, "/login", &[("key", &secret), ("back", &page)]);
    assert_eq!((reply.status, reply.header("location")), (303, Some(page.as_str())));
    let results = browser.search(&id, "horses");
    assert_eq!(browser.done(&results).status, 303);
    let credit = browser.page(&results, 200);
    // A visitor who may not read the experiment gets no link to it.
    let may_read = browser.get(&format!("/experiments/{id}")).status == 200;
    assert_eq!(credit.contains(&format!("/experiments/{id}")), may_read, "{credit}");
    browser.page(&format!("/search/{other}"), 403);
}

#[test]
fn trace_servers_and_experiments_without_rankers() {
    let server = Server::start();
    let id = rankers(&server, &json!({}));
    let mut browser = Browser::new(&server);
    let page = browser.page(&format!("/search/{id}"), 404);
    assert!(page.contains("nothing to search"), "{page}");
    assert!(!browser.page(&format!("/experiments/{id}"), 200).contains("/search/"));
    let server = start(|_| {});
    let mut browser = Browser::new(&server);
    let id = server.experiment();
    let page = browser.page(&format!("/search/{id}"), 409);
    assert!(page.contains(FORWARD), "{page}");
    assert!(!browser.page(&format!("/experiments/{id}"), 200).contains("/search/"));
    let id = rankers(&server, &json!({}));
    assert!(browser.page(&format!("/experiments/{id}"), 200).contains(&format!("/search/{id}")));
    browser.page("/search/0000000000000", 404);
    browser.page("/search/x", 404);
}
