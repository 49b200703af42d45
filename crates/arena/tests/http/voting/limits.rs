//! When there is nothing to vote on: limits, pauses, expiry, too many duels in flight, a failing
//! store.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;

use super::visitor::Browser;
use super::{arms, hidden, votes};
use crate::server::{HandClock, Server, Setup};

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
    // The last vote is revealed at once, and is final.
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
    assert_eq!(server.totals(&experiment)["duels"], 3, "no duel was issued in vain");
    // Other voters have their own votes.
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
    assert!(browser.shows("you can vote again in 60 seconds"), "{}", browser.page);
    let duel = browser.duel();
    browser.vote("left");
    assert!(browser.shows("you can vote again in 60 seconds") && browser.shows("Vote 2<"));
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
    // The current pair may still be answered, and the previous vote taken back.
    browser.submit("undo", "");
    assert!(browser.shows("was taken back"));
    let last = browser.duel();
    browser.vote("left");
    assert!(browser.shows("Voting is paused"), "{}", browser.page);
    assert!(browser.shows("You preferred left"), "there is no next pair, so the vote is final");
    let mut late = Browser::new(&server);
    late.go(&format!("/vote/{experiment}"));
    assert!(late.shows("Voting is paused"));
    late.submit("start", "");
    assert!(late.shows("Voting is paused"));
    order("resume");
    // Voting goes on, and a vote that was revealed stays.
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
    // It cannot be taken back either after the last answer was sent once more.
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
    assert!(browser.shows("The last pair has expired."), "{}", browser.page);
    let new = browser.duel();
    assert_ne!(new, old);
    // The pair after the previous vote is no longer open.
    assert!(browser.shows("You preferred left") && browser.form("undo").is_none());
    let reply = browser.ask("POST", &undo.0, Some(&undo.1));
    browser.arrive(&undo.0, reply);
    assert!(browser.shows("can no longer be taken back"));
    assert_eq!(browser.duel(), new);
    // Reloading the page replaces the pair too.
    clock.forward(61);
    browser.go(&format!("/vote/{experiment}"));
    assert!(browser.shows("The last pair has expired."));
    assert_ne!(browser.duel(), new);
    // A pair that was voided is followed by another.
    let voided = browser.duel();
    server.client().delete(&format!("/v1/duels/{voided}")).expect(200);
    browser.vote("left");
    assert!(browser.shows("That pair is no longer available"));
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
    assert!(first.shows("Vote 2<"), "the first voter's own place is free again");
}

/// If the store fails, the page says so, and shows the same pair afterwards.
#[test]
fn trace_a_store_that_fails() {
    let (server, trouble) = Server::troubled(|_| {});
    let experiment = hidden(&server, &json!({}));
    let mut browser = Browser::new(&server);
    browser.start(&experiment);
    let duel = browser.duel();
    trouble.fails.store(true, Ordering::SeqCst);
    // The page may come with the pair or without it: the store may still fail while it is made.
    browser.submit("answer", "&answer=left");
    assert!(browser.shows("Nothing is lost"), "{}", browser.page);
    trouble.fails.store(false, Ordering::SeqCst);
    browser.go(&format!("/vote/{experiment}"));
    assert_eq!(browser.duel(), duel);
    browser.vote("left");
    assert!(browser.shows("Vote recorded."));
    assert_eq!(votes(&server, &experiment), 1);
}

/// A duel on the page is recorded as shown.
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
