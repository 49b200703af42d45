//! The life of a vote: given, sent twice, taken back, revealed.

use serde_json::json;
use tiltyard_arena::domain::{Answer, AnswerRequest, IssueRequest};
use tiltyard_arena::id::DuelId;

use super::visitor::Browser;
use super::{arms, hidden, voter, votes, wait};
use crate::server::Server;

#[test]
fn trace_a_whole_vote_without_a_script() {
    let server = Server::start();
    let experiment = hidden(&server, &json!({}));
    let mut browser = Browser::new(&server);
    let page = browser.go(&format!("/vote/{experiment}?plain"));
    assert_eq!(page.status, 200);
    assert!(browser.shows("Which one") && !browser.shows("<script"), "{}", browser.page);
    // Opening the page issues no duel.
    assert_eq!(server.totals(&experiment)["duels"], 0);
    browser.submit("start", "");
    assert!(browser.address.ends_with("?plain") && !browser.shows("<script"), "it stays without scripts");
    assert!(browser.shows("Vote 1<") && browser.shows(">Left</h2>") && browser.shows(">Right</h2>"));
    assert_eq!(server.totals(&experiment)["duels"], 1);
    let first = browser.duel();
    // Reloading the page shows the same duel.
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
    assert_eq!(
        browser.page.matches("secret-").count(),
        2,
        "only the names of the first vote: {}",
        browser.page
    );
    browser.vote("tie");
    let (left, right) = arms(&server, &second);
    assert!(
        browser.shows(&format!("You preferred right: <strong>{right}</strong> over <strong>{left}</strong>"))
    );
    browser.vote("both_bad");
    assert!(browser.shows("You found them equally good: "));
    browser.vote("skip");
    assert!(browser.shows("Pair skipped.") && browser.shows("You found both bad: "));
    assert!(browser.form("undo").is_none(), "a skipped pair is not a vote");
    assert!(browser.shows("Vote 5<"), "and does not count");
    browser.vote("left");
    assert!(browser.shows("Undo last vote"));
    let totals = server.totals(&experiment);
    for (what, count) in
        [("votes", 5), ("left", 2), ("right", 1), ("ties", 1), ("both_bad", 1), ("skipped", 1)]
    {
        assert_eq!(totals[what], count, "{what}: {totals}");
    }
    // A note is shown only once.
    browser.go(&format!("/vote/{experiment}"));
    assert!(!browser.shows("Vote recorded."));
}

/// The sides are those of the log: a vote for the left is for the arm shown on the left.
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
    // The browser sends the second form before it gets the response to the first.
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
    // The same holds for the button that starts the vote.
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
    assert_eq!(browser.duel(), next, "the open duel is shown again");
    assert_eq!(votes(&server, &experiment), 0);
    assert_eq!(server.totals(&experiment)["voided"], 1);
    assert!(browser.form("undo").is_none(), "no other vote can be taken back");
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

/// Once the next pair is answered, a vote is revealed and final.
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
    // Old cookies do not help either.
    let mut early = early;
    early.submit("undo", "");
    assert!(early.shows("can no longer be taken back"), "{}", early.page);
    assert_eq!(votes(&server, &experiment), 2);
    // Taking the next vote back first does not help either.
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
    // The victim's own cookie does not help either: the vote belongs to another voter.
    let name = format!("tiltyard_booth_{experiment}");
    let memory = victim.cookies.iter().find(|(known, _)| *known == name).unwrap().clone();
    other.cookies.retain(|(known, _)| *known != name);
    other.cookies.push(memory);
    other.go(&format!("/vote/{experiment}"));
    assert!(other.form("undo").is_none());
    assert!(!other.shows("secret-"), "nor is the vote revealed to them");
    let reply = other.ask("POST", &undo, Some(&format!("{token}&duel={duel}")));
    other.arrive(&undo, reply);
    assert!(other.shows("can no longer be taken back"));
    assert_eq!(votes(&server, &experiment), 1);
    victim.submit("undo", "");
    assert_eq!(votes(&server, &experiment), 0);
}

/// A vote that was given through the API has no next pair. It is final, whatever the cookie says.
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
    // A cookie that cannot be read is ignored, and so are duels that do not exist.
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
    assert!(browser.shows("That pair is no longer available"));
    let reply = browser.ask("POST", &action, Some(&format!("{token}&duel=x&answer=left")));
    assert_eq!(reply.status, 404);
    let reply = browser.ask("POST", &action, Some(&format!("{token}&duel={current}&answer=best")));
    assert_eq!(reply.status, 422);
    assert_eq!(votes(&server, &experiment), 2);
}
