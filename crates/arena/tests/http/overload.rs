//! Too many requests at once: each gets a response, and the log has all acknowledged votes.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::json;
use tiltyard_arena::domain::Event;

use crate::server::{Server, text};

const CLIENTS: usize = 200;
const EACH: usize = 5;

/// Hundreds of voters, a server that handles few requests at once, and a slow store.
#[test]
fn law_few_requests_at_once_and_none_is_lost() {
    overload(24, 10_000, 24);
}

/// The same for a server with few waiting writes.
#[test]
fn law_few_writes_may_wait_and_none_is_lost() {
    // Each of the two async threads may have checked the queue just before its last place was
    // taken.
    overload(1024, 8, 8 + 2);
}

/// Checks that each vote is acknowledged or refused, that the log has exactly the acknowledged
/// votes, and that no more writes wait than allowed.
fn overload(max_requests: usize, most_waiting: usize, deepest_queue: usize) {
    let (server, trouble) = Server::troubled(|setup| {
        setup.config.max_requests = max_requests;
        setup.most_waiting = most_waiting;
    });
    let id = server.experiment();
    let duels = server.duels(&id, CLIENTS * EACH);
    trouble.slow.store(20, Ordering::SeqCst);
    let running = AtomicBool::new(true);
    let deepest = AtomicUsize::new(0);
    let answers: Vec<(String, u16)> = std::thread::scope(|scope| {
        let watch = scope.spawn(|| {
            while running.load(Ordering::SeqCst) {
                deepest.fetch_max(server.arena.n_waiting(), Ordering::SeqCst);
                std::thread::yield_now();
            }
        });
        let voters: Vec<_> = duels
            .chunks(EACH)
            .map(|mine| {
                let client = server.client();
                scope.spawn(move || {
                    let vote = |duel: &String| {
                        let reply =
                            client.post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "left" }));
                        match reply.status {
                            200 => assert_eq!(reply.json()["status"], "recorded"),
                            // Any other response must say that nothing was done.
                            _ => drop(reply.refused(503, "overloaded")),
                        }
                        (duel.clone(), reply.status)
                    };
                    mine.iter().map(vote).collect::<Vec<_>>()
                })
            })
            .collect();
        let answers = voters.into_iter().flat_map(|voter| voter.join().unwrap()).collect();
        running.store(false, Ordering::SeqCst);
        watch.join().unwrap();
        answers
    });
    let (acknowledged, refused): (Vec<_>, Vec<_>) = answers.iter().partition(|(_, status)| *status == 200);
    assert_eq!(acknowledged.len() + refused.len(), CLIENTS * EACH);
    assert!(!acknowledged.is_empty() && !refused.is_empty(), "{} and {}", acknowledged.len(), refused.len());
    assert!(deepest.load(Ordering::SeqCst) <= deepest_queue, "{deepest:?} waited");
    let places = |duels: &[&(String, u16)]| -> BTreeSet<u64> {
        duels.iter().map(|(duel, _)| duel.parse::<tiltyard_arena::id::DuelId>().unwrap().seq).collect()
    };
    assert_eq!(answered(&server, &id), places(&acknowledged));
    // Refused votes can be repeated. Then the log has all votes, also after a restart.
    trouble.slow.store(0, Ordering::SeqCst);
    for (duel, _) in refused {
        server.client().post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "left" })).expect(200);
    }
    let directory = server.stop();
    let server = Server::with(crate::server::Setup { directory: Some(directory), ..Default::default() });
    assert_eq!(answered(&server, &id).len(), CLIENTS * EACH);
    assert_eq!(server.totals(&id)["votes"], CLIENTS * EACH);
}

/// The duels that have an outcome in the log, each once.
fn answered(server: &Server, id: &str) -> BTreeSet<u64> {
    let mut found = BTreeSet::new();
    for record in server.arena.history(id.parse().unwrap(), 0, usize::MAX).unwrap() {
        if let Event::Answered(answered) = record.event {
            assert!(found.insert(answered.duel), "duel {} has two outcomes", answered.duel);
        }
    }
    found
}

/// The store fails now and then. Requests that were told so may or may not be in the log; all
/// acknowledged requests are in it.
#[test]
fn law_a_failing_store_loses_nothing_that_was_acknowledged() {
    let (server, trouble) = Server::troubled(|setup| setup.most_waiting = 16);
    let id = server.experiment();
    let path = format!("/v1/experiments/{id}/duels");
    let running = AtomicBool::new(true);
    let mut known = BTreeSet::new();
    let mut unknown = 0;
    std::thread::scope(|scope| {
        let moods = scope.spawn(|| {
            for turn in 0u32.. {
                if !running.load(Ordering::SeqCst) {
                    break;
                }
                trouble.fails.store(turn % 5 == 1, Ordering::SeqCst);
                trouble.lies.store(turn % 5 == 3, Ordering::SeqCst);
                std::thread::sleep(std::time::Duration::from_millis(3));
            }
        });
        let clients: Vec<_> = (0..50)
            .map(|_| {
                let client = server.client();
                let path = &path;
                scope.spawn(move || (0..10).map(|_| client.order(path)).collect::<Vec<_>>())
            })
            .collect();
        for client in clients {
            for reply in client.join().unwrap() {
                match reply.status {
                    200 => assert!(known.insert(text(&reply.json()["duels"][0]["id"]))),
                    _ => unknown += usize::from(reply.json()["code"] == "store_unavailable"),
                }
            }
        }
        running.store(false, Ordering::SeqCst);
        moods.join().unwrap();
    });
    trouble.fails.store(false, Ordering::SeqCst);
    trouble.lies.store(false, Ordering::SeqCst);
    assert!(!known.is_empty() && unknown > 0, "{} and {unknown}", known.len());
    let in_log: BTreeSet<u64> = server
        .arena
        .history(id.parse().unwrap(), 0, usize::MAX)
        .unwrap()
        .iter()
        .filter(|record| matches!(record.event, Event::Issued(_)))
        .map(|record| record.seq)
        .collect();
    let acknowledged: BTreeSet<u64> =
        known.iter().map(|duel| duel.parse::<tiltyard_arena::id::DuelId>().unwrap().seq).collect();
    assert!(acknowledged.is_subset(&in_log), "an issued duel is not in the log");
    assert!(in_log.len() <= acknowledged.len() + unknown, "the log has more duels than were requested");
    for duel in known {
        server.client().post(&format!("/v1/duels/{duel}/outcome"), &json!({ "outcome": "tie" })).expect(200);
    }
}
