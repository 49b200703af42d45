//! The voting page, as browsers without scripts use it.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use tiltyard_arena::domain::{Answer, AnswerRequest, IssueRequest};
use tiltyard_arena::id::DuelId;

use crate::client::{Client, Reply};
use crate::server::{HandClock, Server, Setup, text};

/// A browser: it keeps cookies, follows redirects and sends the forms of the page it is on.
#[derive(Debug, Clone)]
struct Browser {
    client: Client,
    cookies: Vec<(String, String)>,
    /// The page it is on.
    page: String,
    address: String,
}

impl Browser {
    fn new(server: &Server) -> Self {
        let client = Client::new(server.address);
        Self { client, cookies: Vec::new(), page: String::new(), address: String::new() }
    }

    fn client(&self) -> Client {
        let cookies: Vec<_> = self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let client = self.client.clone();
        if cookies.is_empty() { client } else { client.with_header("Cookie", &cookies.join("; ")) }
    }

    /// One request, without following where it leads.
    fn ask(&mut self, method: &str, address: &str, body: Option<&str>) -> Reply {
        let client = self.client().with_header("Content-Type", "application/x-www-form-urlencoded");
        let reply = client.send(method, address, body.map(str::as_bytes));
        for (_, cookie) in reply.headers.iter().filter(|(name, _)| name == "set-cookie") {
            assert!(cookie.contains("; HttpOnly; SameSite=Lax"), "{cookie}");
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.cookies.retain(|(known, _)| known != name);
            self.cookies.push((name.to_owned(), value.to_owned()));
        }
        reply
    }

    /// Goes to an address, and on to where that leads.
    fn go(&mut self, address: &str) -> Reply {
        let reply = self.ask("GET", address, None);
        self.arrive(address, reply)
    }

    fn arrive(&mut self, address: &str, reply: Reply) -> Reply {
        if let Some(next) = reply.header("location") {
            assert_eq!(reply.status, 303);
            return self.go(next);
        }
        address.clone_into(&mut self.address);
        self.page = reply.text();
        reply
    }

    /// The form of the page that is for this, and its fields.
    fn form(&self, what: &str) -> Option<(String, String)> {
        let (before, rest) = self.page.split_once(&format!("data-booth=\"{what}\""))?;
        let tag = &before[before.rfind("<form")?..];
        let action = between(tag, "action=\"", "\"")?;
        let form = rest.split("</form>").next()?;
        let fields = form.split("type=\"hidden\"").skip(1).map(|field| {
            let (name, value) = (between(field, "name=\"", "\""), between(field, "value=\"", "\""));
            format!("{}={}", name.unwrap(), value.unwrap())
        });
        Some((action, fields.collect::<Vec<_>>().join("&")))
    }

    /// Sends a form of the page.
    #[track_caller]
    fn submit(&mut self, what: &str, more: &str) -> Reply {
        let (action, fields) = self.form(what).unwrap_or_else(|| panic!("no form `{what}`: {}", self.page));
        let reply = self.ask("POST", &action, Some(&format!("{fields}{more}")));
        self.arrive(&action, reply)
    }

    #[track_caller]
    fn start(&mut self, ticket: &str) {
        assert_eq!(self.go(&format!("/vote/{ticket}")).status, 200, "{}", self.page);
        assert_eq!(self.submit("start", "").status, 200);
    }

    #[track_caller]
    fn vote(&mut self, answer: &str) {
        assert_eq!(self.submit("answer", &format!("&answer={answer}")).status, 200);
    }

    /// The duel before the voter.
    #[track_caller]
    fn duel(&self) -> String {
        let (_, fields) = self.form("answer").unwrap_or_else(|| panic!("no duel: {}", self.page));
        between(&fields, "duel=", "&").unwrap_or_else(|| fields.split_once("duel=").unwrap().1.to_owned())
    }

    fn shows(&self, text: &str) -> bool {
        self.page.contains(text)
    }
}

fn between(text: &str, start: &str, end: &str) -> Option<String> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(inside, _)| inside.to_owned())
}

/// An experiment whose arms' names stand nowhere in what they show.
fn hidden(server: &Server, settings: &Value) -> String {
    let arm =
        |name: &str, shows: &str| json!({ "name": format!("secret-{name}"), "payload": { "text": shows } });
    let body = json!({
        "name": "Which one", "arms": [arm("a", "First"), arm("b", "Second"), arm("c", "Third")], "settings": settings,
    });
    text(&server.client().post("/v1/experiments", &body).expect(201)["id"])
}

/// The arms of a duel, left and right.
fn arms(server: &Server, duel: &str) -> (String, String) {
    let duel = server.client().get(&format!("/v1/duels/{duel}")).expect(200);
    (text(&duel["left"]), text(&duel["right"]))
}

fn votes(server: &Server, experiment: &str) -> Value {
    server.totals(experiment)["votes"].clone()
}

#[test]
fn trace_a_whole_vote_without_a_script() {
    let server = Server::start();
    let experiment = hidden(&server, &json!({}));
    let mut browser = Browser::new(&server);
    let page = browser.go(&format!("/vote/{experiment}?plain"));
    assert_eq!(page.status, 200);
    assert!(browser.shows("Which one") && !browser.shows("<script"), "{}", browser.page);
    // Looking is not voting.
    assert_eq!(server.totals(&experiment)["duels"], 0);
    browser.submit("start", "");
    assert!(browser.address.ends_with("?plain") && !browser.shows("<script"), "it stays plain");
    assert!(browser.shows("Vote 1<") && browser.shows(">Left</h2>") && browser.shows(">Right</h2>"));
    assert_eq!(server.totals(&experiment)["duels"], 1);
    let first = browser.duel();
    // Looking again shows the same.
    browser.go(&format!("/vote/{experiment}"));
    assert_eq!(browser.duel(), first);
    assert!(browser.shows("<script src=\"/assets/booth.js"));
    assert!(!browser.shows("secret-"), "{}", browser.page);
    browser.vote("left");
    assert!(browser.shows("Vote recorded.") && browser.shows("Vote 2<") && browser.shows("Undo last vote"));
    assert!(!browser.shows("secret-"), "a vote that can be taken back is not revealed: {}", browser.page);
    assert_ne!(browser.duel(), first);
    let second = browser.duel();
    browser.vote("right");
    let (left, right) = arms(&server, &first);
    let reveal = format!("You preferred left: <strong>{left}</strong> over <strong>{right}</strong>");
    assert!(browser.shows(&reveal), "{}", browser.page);
    assert_eq!(browser.page.matches("secret-").count(), 2, "only of the first: {}", browser.page);
    browser.vote("tie");
    let (left, right) = arms(&server, &second);
    assert!(
        browser.shows(&format!("You preferred right: <strong>{right}</strong> over <strong>{left}</strong>"))
    );
    browser.vote("both_bad");
    assert!(browser.shows("You found them equally good: "));
    browser.vote("skip");
    assert!(browser.shows("Pair skipped.") && browser.shows("You found both bad: "));
    assert!(browser.form("undo").is_none(), "a skipped pair is no vote");
    assert!(browser.shows("Vote 5<"), "and does not count");
    browser.vote("left");
    assert!(browser.shows("Undo last vote"));
    let totals = server.totals(&experiment);
    for (what, count) in
        [("votes", 5), ("left", 2), ("right", 1), ("ties", 1), ("both_bad", 1), ("skipped", 1)]
    {
        assert_eq!(totals[what], count, "{what}: {totals}");
    }
    // What is said is said once.
    browser.go(&format!("/vote/{experiment}"));
    assert!(!browser.shows("Vote recorded."));
}

/// Sides are those of the log: what stands on the left is what a vote for the left is for.
#[test]
fn trace_sides_are_those_of_the_log() {
    let server = Server::start();
    let experiment = hidden(&server, &json!({}));
    let mut browser = Browser::new(&server);
    browser.start(&experiment);
    for _ in 0..20 {
        let (left, right) = arms(&server, &browser.duel());
        let shown = |name: &str| match name {
            "secret-a" => ">First<",
            "secret-b" => ">Second<",
            _ => ">Third<",
        };
        let place = |name: &str| browser.page.find(shown(name)).unwrap_or_else(|| panic!("{}", browser.page));
        assert!(place(&left) < place(&right));
        browser.vote("left");
    }
}

#[test]
fn trace_a_form_that_is_sent_twice_counts_once() {
    let server = Server::start();
    let experiment = hidden(&server, &json!({}));
    let mut browser = Browser::new(&server);
    browser.start(&experiment);
    let before = browser.clone();
    browser.vote("left");
    // The browser has not heard of the first when it sends the second.
    let mut again = before.clone();
    again.vote("left");
    assert_eq!(again.duel(), browser.duel());
    assert_eq!(again.cookies, browser.cookies);
    assert!(again.shows("Undo last vote") && again.shows("Vote 2<"));
    // Another answer: the first counts.
    let mut other = before.clone();
    other.vote("right");
    assert_eq!(other.duel(), browser.duel());
    assert!(other.shows("the first answer counts"));
    let totals = server.totals(&experiment);
    assert_eq!((&totals["votes"], &totals["left"], &totals["duels"]), (&json!(1), &json!(1), &json!(2)));
    // Many at the same moment.
    let before = browser.clone();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let mut browser = before.clone();
            std::thread::spawn(move || {
                browser.vote("left");
                browser.duel()
            })
        })
        .collect();
    let next: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(next.iter().all(|duel| *duel == next[0]), "{next:?}");
    let totals = server.totals(&experiment);
    assert_eq!((&totals["votes"], &totals["duels"]), (&json!(2), &json!(3)));
    // So with the button that begins.
    let mut fresh = Browser::new(&server);
    fresh.go(&format!("/vote/{experiment}"));
    let mut twice = fresh.clone();
    fresh.submit("start", "");
    twice.submit("start", "");
    assert_eq!(fresh.duel(), twice.duel());
}

#[test]
fn trace_the_last_vote_can_be_taken_back() {
    let server = Server::start();
    let experiment = hidden(&server, &json!({}));
    let mut browser = Browser::new(&server);
    browser.start(&experiment);
    browser.vote("left");
    let next = browser.duel();
    let sent_twice = browser.clone();
    browser.submit("undo", "");
    assert!(browser.shows("was taken back") && browser.shows("Vote 1<"), "{}", browser.page);
    assert_eq!(browser.duel(), next, "it goes on with the open duel");
    assert_eq!(votes(&server, &experiment), 0);
    assert_eq!(server.totals(&experiment)["voided"], 1);
    assert!(browser.form("undo").is_none(), "there is nothing more to take back");
    assert!(!browser.shows("secret-"));
    let mut twice = sent_twice;
    twice.submit("undo", "");
    assert!(twice.shows("was taken back") && twice.shows("Vote 1<"));
    assert_eq!(server.totals(&experiment)["voided"], 1);
    // Voting goes on, and the next vote can be taken back as well.
    browser.vote("right");
    browser.submit("undo", "");
    assert_eq!(votes(&server, &experiment), 0);
}

/// Once the next pair is answered a vote is revealed, and stays.
#[test]
fn trace_a_vote_that_was_revealed_stays() {
    let server = Server::start();
    let experiment = hidden(&server, &json!({}));
    let mut browser = Browser::new(&server);
    browser.start(&experiment);
    browser.vote("left");
    let (action, fields) = browser.form("undo").unwrap();
    let early = browser.clone();
    for next in ["right", "skip"] {
        browser.vote(next);
        let reply = browser.ask("POST", &action, Some(&fields));
        browser.arrive(&action, reply);
        assert!(browser.shows("can no longer be taken back"), "{}", browser.page);
        assert!(browser.shows("You preferred"), "{}", browser.page);
    }
    assert_eq!(votes(&server, &experiment), 2);
    // Neither with cookies of a time when it could be.
    let mut early = early;
    early.submit("undo", "");
    assert!(early.shows("can no longer be taken back"), "{}", early.page);
    assert_eq!(votes(&server, &experiment), 2);
    // Nor by taking the next one back first.
    let mut browser = Browser::new(&server);
    browser.start(&experiment);
    browser.vote("left");
    let (action, first) = browser.form("undo").unwrap();
    browser.vote("left");
    assert!(browser.shows("secret-"));
    browser.submit("undo", "");
    assert!(browser.shows("was taken back"));
    let reply = browser.ask("POST", &action, Some(&first));
    browser.arrive(&action, reply);
    assert!(browser.shows("can no longer be taken back"));
    assert_eq!(votes(&server, &experiment), 3);
}

#[test]
fn trace_nobody_takes_back_what_others_voted() {
    let server = Server::start();
    let experiment = hidden(&server, &json!({}));
    let mut victim = Browser::new(&server);
    victim.start(&experiment);
    victim.vote("left");
    let (_, fields) = victim.form("undo").unwrap();
    let duel = fields.split_once("duel=").unwrap().1.to_owned();
    let mut other = Browser::new(&server);
    other.start(&experiment);
    let (action, fields) = other.form("answer").unwrap();
    let undo = action.replace("/answer", "/undo");
    let token = fields.split("&duel").next().unwrap().to_owned();
    let reply = other.ask("POST", &undo, Some(&format!("{token}&duel={duel}")));
    other.arrive(&undo, reply);
    assert!(other.shows("can no longer be taken back"));
    // Nor with the victim's own memory in the cookie: the vote is not theirs.
    let name = format!("tiltyard_booth_{experiment}");
    let memory = victim.cookies.iter().find(|(known, _)| *known == name).unwrap().clone();
    other.cookies.retain(|(known, _)| *known != name);
    other.cookies.push(memory);
    other.go(&format!("/vote/{experiment}"));
    assert!(other.form("undo").is_none());
    assert!(!other.shows("secret-"), "nor is it revealed to them");
    let reply = other.ask("POST", &undo, Some(&format!("{token}&duel={duel}")));
    other.arrive(&undo, reply);
    assert!(other.shows("can no longer be taken back"));
    assert_eq!(votes(&server, &experiment), 1);
    victim.submit("undo", "");
    assert_eq!(votes(&server, &experiment), 0);
}

/// A vote of theirs that was given through the API has no next pair: it is final, whatever the cookie says.
#[test]
fn trace_a_made_up_cookie_gives_nothing() {
    let server = Server::start();
    let experiment = hidden(&server, &json!({}));
    let mut browser = Browser::new(&server);
    browser.start(&experiment);
    browser.vote("left");
    let voter = voter(&server, &experiment);
    let id = experiment.parse().unwrap();
    let issued = server.arena.issue(id, &IssueRequest::default()).unwrap();
    let mut duel = None;
    wait(issued.map(|duels| duel = Some(duels[0].id)));
    let duel: DuelId = duel.unwrap();
    let said = AnswerRequest { answer: Answer::Left, voter: Some(voter), said: None };
    wait(server.arena.answer(duel, &said).unwrap().map(drop));
    let name = format!("tiltyard_booth_{experiment}");
    let current = browser.duel();
    let set = |browser: &mut Browser, value: String| {
        browser.cookies.retain(|(known, _)| *known != name);
        browser.cookies.push((name.clone(), value));
        browser.go(&format!("/vote/{experiment}"))
    };
    set(&mut browser, format!("{current}.{duel}..7."));
    assert!(browser.form("undo").is_none(), "{}", browser.page);
    let (action, fields) = browser.form("answer").unwrap();
    let (undo, token) =
        (action.replace("/answer", "/undo"), fields.split("&duel").next().unwrap().to_owned());
    let reply = browser.ask("POST", &undo, Some(&format!("{token}&duel={duel}")));
    browser.arrive(&undo, reply);
    assert!(browser.shows("can no longer be taken back"));
    assert_eq!(votes(&server, &experiment), 2);
    // Nonsense is as good as nothing, and duels that never were are passed over.
    let mut nowhere: DuelId = current.parse().unwrap();
    nowhere.token ^= 1;
    for nonsense in ["x", "....", "<script>", "...99999999999999999999."] {
        assert_eq!(set(&mut browser, nonsense.to_owned()).status, 200);
        assert!(browser.form("start").is_some(), "{}", browser.page);
    }
    assert_eq!(set(&mut browser, format!("{nowhere}.{nowhere}.{nowhere}.0.")).status, 200);
    assert_eq!(browser.duel(), current, "their chain is in the log");
    let reply = browser.ask("POST", &action, Some(&format!("{token}&duel={nowhere}&answer=left")));
    browser.arrive(&action, reply);
    assert!(browser.shows("That pair is no longer asked"));
    let reply = browser.ask("POST", &action, Some(&format!("{token}&duel=x&answer=left")));
    assert_eq!(reply.status, 404);
    let reply = browser.ask("POST", &action, Some(&format!("{token}&duel={current}&answer=best")));
    assert_eq!(reply.status, 422);
    assert_eq!(votes(&server, &experiment), 2);
}

/// The one voter of an experiment.
fn voter(server: &Server, experiment: &str) -> String {
    let history = server.client().get(&format!("/v1/experiments/{experiment}/history")).expect(200);
    let history = history.to_string();
    format!("web-{}", between(&history, "\"voter\":\"web-", "\"").unwrap())
}

fn wait(pending: tiltyard_arena::arena::Pending<()>) {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(pending.wait()).unwrap();
}

#[test]
fn trace_votes_have_a_limit() {
    let server = Server::start();
    let experiment = hidden(&server, &json!({ "voter_votes": 3 }));
    let mut browser = Browser::new(&server);
    browser.go(&format!("/vote/{experiment}"));
    assert!(browser.shows("up to 3 pairs"));
    browser.submit("start", "");
    assert!(browser.shows("Vote 1 of 3") && browser.shows("<progress max=\"3\" value=\"0\""));
    browser.vote("left");
    assert!(browser.shows("Vote 2 of 3"));
    browser.vote("left");
    assert!(browser.shows("Vote 3 of 3"));
    let last = browser.duel();
    let undo = browser.form("undo").unwrap();
    browser.vote("right");
    assert!(browser.shows("Thank you") && browser.shows("You voted 3 times"), "{}", browser.page);
    assert!(browser.form("answer").is_none() && browser.form("undo").is_none());
    // The last vote is revealed at once, and stays.
    let (left, right) = arms(&server, &last);
    assert!(
        browser.shows(&format!("You preferred right: <strong>{right}</strong> over <strong>{left}</strong>"))
    );
    for duel in [last, undo.1.split_once("duel=").unwrap().1.to_owned()] {
        let token = undo.1.split("&duel").next().unwrap();
        let reply = browser.ask("POST", &undo.0, Some(&format!("{token}&duel={duel}")));
        browser.arrive(&undo.0, reply);
        assert!(browser.shows("can no longer be taken back") && browser.shows("Thank you"));
    }
    assert_eq!(votes(&server, &experiment), 3);
    assert_eq!(server.totals(&experiment)["duels"], 3, "none was issued for nothing");
    // Others have votes of their own.
    let mut other = Browser::new(&server);
    other.start(&experiment);
    assert!(other.shows("Vote 1 of 3"));
}

#[test]
fn trace_votes_have_a_pace() {
    let clock = HandClock::new();
    let server = Server::with(Setup { clock: Arc::clone(&clock) as _, ..Setup::default() });
    let experiment = hidden(&server, &json!({ "voter_votes_per_minute": 1 }));
    let mut browser = Browser::new(&server);
    browser.start(&experiment);
    browser.vote("left");
    assert!(browser.shows("the next vote is welcome in 60 seconds"), "{}", browser.page);
    let duel = browser.duel();
    browser.vote("left");
    assert!(browser.shows("the next vote is welcome in 60 seconds") && browser.shows("Vote 2<"));
    assert_eq!(browser.duel(), duel, "nothing is lost");
    assert_eq!(votes(&server, &experiment), 1);
    clock.forward(60);
    browser.vote("left");
    assert_eq!(votes(&server, &experiment), 2);
}

#[test]
fn trace_paused_and_closed() {
    let server = Server::start();
    let experiment = hidden(&server, &json!({}));
    let order =
        |what: &str| server.client().order(&format!("/v1/experiments/{experiment}/{what}")).expect(200);
    let mut browser = Browser::new(&server);
    browser.start(&experiment);
    browser.vote("left");
    order("pause");
    // What is before them may be answered, and what was before taken back.
    browser.submit("undo", "");
    assert!(browser.shows("was taken back"));
    let last = browser.duel();
    browser.vote("left");
    assert!(browser.shows("Voting is paused"), "{}", browser.page);
    assert!(browser.shows("You preferred left"), "there is no next pair: it is final");
    let mut late = Browser::new(&server);
    late.go(&format!("/vote/{experiment}"));
    assert!(late.shows("Voting is paused"));
    late.submit("start", "");
    assert!(late.shows("Voting is paused"));
    order("resume");
    // It goes on, and what was revealed stays.
    late.submit("start", "");
    assert!(late.shows("Vote 1<"));
    browser.submit("start", "");
    let (action, fields) = browser.form("answer").unwrap();
    assert!(browser.form("undo").is_none(), "{}", browser.page);
    let (undo, token) =
        (action.replace("/answer", "/undo"), fields.split("&duel").next().unwrap().to_owned());
    let reply = browser.ask("POST", &undo, Some(&format!("{token}&duel={last}")));
    browser.arrive(&undo, reply);
    assert!(browser.shows("can no longer be taken back"));
    // Nor after the last answer was sent once more.
    let reply = browser.ask("POST", &action, Some(&format!("{token}&duel={last}&answer=left")));
    browser.arrive(&action, reply);
    assert!(browser.form("undo").is_none());
    assert_eq!(votes(&server, &experiment), 1);
    browser.vote("left");
    let undo = browser.form("undo").unwrap();
    order("close");
    browser.vote("left");
    assert!(browser.shows("Thank you") && browser.shows("is closed") && browser.shows("You preferred left"));
    let reply = browser.ask("POST", &undo.0, Some(&undo.1));
    browser.arrive(&undo.0, reply);
    assert!(browser.shows("can no longer be taken back"));
    assert_eq!(votes(&server, &experiment), 2);
    let mut late = Browser::new(&server);
    late.go(&format!("/vote/{experiment}"));
    assert!(late.shows("is closed") && late.form("start").is_none());
}

#[test]
fn trace_pairs_that_waited_too_long() {
    let clock = HandClock::new();
    let server = Server::with(Setup { clock: Arc::clone(&clock) as _, ..Setup::default() });
    let experiment = hidden(&server, &json!({ "expires_after": 60, "late": "refuse" }));
    let mut browser = Browser::new(&server);
    browser.start(&experiment);
    browser.vote("left");
    let undo = browser.form("undo").unwrap();
    let old = browser.duel();
    clock.forward(61);
    browser.vote("left");
    assert!(browser.shows("waited for too long"), "{}", browser.page);
    let new = browser.duel();
    assert_ne!(new, old);
    // The vote before has no open pair after it any more.
    assert!(browser.shows("You preferred left") && browser.form("undo").is_none());
    let reply = browser.ask("POST", &undo.0, Some(&undo.1));
    browser.arrive(&undo.0, reply);
    assert!(browser.shows("can no longer be taken back"));
    assert_eq!(browser.duel(), new);
    // Also by just looking.
    clock.forward(61);
    browser.go(&format!("/vote/{experiment}"));
    assert!(browser.shows("waited for too long"));
    assert_ne!(browser.duel(), new);
    // A pair that was voided is followed by another.
    let voided = browser.duel();
    server.client().delete(&format!("/v1/duels/{voided}")).expect(200);
    browser.vote("left");
    assert!(browser.shows("That pair is no longer asked"));
    assert_ne!(browser.duel(), voided);
    assert_eq!(votes(&server, &experiment), 1);
}

#[test]
fn trace_a_full_house() {
    let server = Server::start();
    let experiment = hidden(&server, &json!({ "max_in_flight": 1 }));
    let (mut first, mut second) = (Browser::new(&server), Browser::new(&server));
    first.start(&experiment);
    second.start(&experiment);
    assert!(second.shows("Too many people are voting"), "{}", second.page);
    first.vote("left");
    assert!(first.shows("Vote 2<"), "their own place is free again");
}

/// The store fails: the voter is told, and the same form works afterwards.
#[test]
fn trace_a_store_that_fails() {
    let (server, trouble) = Server::troubled(|_| {});
    let experiment = hidden(&server, &json!({}));
    let mut browser = Browser::new(&server);
    browser.start(&experiment);
    let duel = browser.duel();
    trouble.fails.store(true, Ordering::SeqCst);
    browser.vote("left");
    assert!(browser.shows("Nothing is lost"), "{}", browser.page);
    assert_eq!(browser.duel(), duel);
    trouble.fails.store(false, Ordering::SeqCst);
    browser.vote("left");
    assert!(browser.shows("Vote recorded."));
    assert_eq!(votes(&server, &experiment), 1);
}

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
    // Keys that are for no vote, or for no experiment in particular, are no links.
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
    // By the experiment's id only those who signed in.
    let mut stranger = Browser::new(&server);
    let reply = stranger.ask("GET", &format!("/vote/{experiment}"), None);
    assert_eq!((reply.status, reply.header("location").unwrap().starts_with("/login?back=")), (303, true));
    let reply = stranger.ask("GET", &format!("/vote/{experiment}/answer"), None);
    assert_eq!(reply.status, 303);
    // Once the key is revoked the link is closed, also for those who are on the page.
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

/// A form counts only if it was on our page, for this visitor.
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
    // Addresses of forms lead those who look at them to the page.
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

/// Tags of a page, each with its attributes as they stand there.
fn tags(html: &str) -> Vec<String> {
    let tags = html.split('<').skip(1).filter_map(|tag| tag.split_once('>').map(|(tag, _)| tag.to_owned()));
    tags.collect()
}

/// That nothing in a page can run but our script, and nothing is asked of anybody else.
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
        // What is within quotes is a value, and no attribute.
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

/// Nothing that an experimenter writes runs, whatever kind it is said to be.
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

/// The check of the test above finds what it is for.
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
            .shows("Pictures from elsewhere are not shown.")
    );
    let mut picture = shown(json!({ "image": "/media/secret-name.png" }));
    assert!(!picture.shows("secret-name"), "a file's name may tell what it is");
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
    assert!(shown(json!({ "url": "https://else.example/p" })).shows("Pages from elsewhere are not shown."));
    let reply = alone(&mut shown(json!({ "url": "/media/page.html" })));
    assert_eq!((reply.status, reply.text()), (200, "<p>page</p>".to_owned()));
    assert!(reply.header("content-security-policy").unwrap().starts_with("sandbox;"));
    // Candidates of other experiments' duels are not to be had with this ticket.
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
    // A server that was told of no directory has none.
    assert_eq!(Client::new(Server::start().address).get("/media/a.png").status, 404);
}

/// What is shown counts as shown.
#[test]
fn trace_duels_that_count_from_showing_are_shown() {
    let server = Server::start();
    let experiment = hidden(&server, &json!({ "activation": "shown" }));
    let mut browser = Browser::new(&server);
    browser.start(&experiment);
    let history =
        server.client().get(&format!("/v1/experiments/{experiment}/history")).expect(200).to_string();
    assert!(history.contains("\"shown\""), "{history}");
}
