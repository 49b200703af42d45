//! Clients that vote as fast as they get answers.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::Case;
use crate::server::Child;

/// The measurements of a case.
pub(crate) struct Loaded {
    pub(crate) pairs_per_second: f64,
    pub(crate) duel: Times,
    pub(crate) outcome: Times,
    pub(crate) own: Times,
    pub(crate) errors: usize,
}

/// In milliseconds.
pub(crate) struct Times {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

impl Times {
    pub(crate) fn of(mut millis: Vec<f64>) -> Self {
        millis.sort_by(f64::total_cmp);
        let at = |percent: usize| millis.get(millis.len() * percent / 100).copied().unwrap_or(f64::NAN);
        Self { p50: at(50), p99: at(99) }
    }
}

#[derive(Default)]
struct Seen {
    pairs: usize,
    errors: usize,
    duel: Vec<f64>,
    outcome: Vec<f64>,
    own: Vec<f64>,
}

pub(crate) fn run(server: &Child, case: &Case, time: Duration) -> Loaded {
    let &Case { clients, batch, arms, .. } = case;
    // Seconds between two pairs of one client.
    let pause = case.pace.map(|pace| Duration::from_secs_f64(clients as f64 / pace));
    // One thread: the server has the other processor, and its share of this one.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (all, seconds) = runtime.block_on(async {
        let mut client = Client::connect(&server.address).await;
        let names: Vec<String> = (0..arms).map(|arm| format!("arm-{arm}")).collect();
        let body = json!({ "name": "load", "arms": names, "policy": "rex3" });
        let (made, _) = client.post("/v1/experiments", &body.to_string()).await.expect("an experiment");
        let made: Value = serde_json::from_slice(&made).expect("JSON");
        let id = made["id"].as_str().expect("an id").to_owned();
        let start = Instant::now();
        let until = start + time;
        let tasks: Vec<_> = (0..clients)
            .map(|client| {
                // Clients do not all start at the same moment.
                let pause = pause.map(|pause| (pause.mul_f64(client as f64 / clients as f64), pause));
                let (address, id) = (server.address.clone(), id.clone());
                tokio::spawn(async move { vote(&address, &id, batch, pause, until).await })
            })
            .collect();
        let mut all = Seen::default();
        for task in tasks {
            let seen = task.await.expect("a client");
            all.pairs += seen.pairs;
            all.errors += seen.errors;
            all.duel.extend(seen.duel);
            all.outcome.extend(seen.outcome);
            all.own.extend(seen.own);
        }
        (all, start.elapsed().as_secs_f64())
    });
    Loaded {
        pairs_per_second: all.pairs as f64 / seconds,
        duel: Times::of(all.duel),
        outcome: Times::of(all.outcome),
        own: Times::of(all.own),
        errors: all.errors,
    }
}

async fn vote(
    address: &str,
    id: &str,
    batch: usize,
    pause: Option<(Duration, Duration)>,
    until: Instant,
) -> Seen {
    let mut client = Client::connect(address).await;
    let mut seen = Seen::default();
    let duels_path = format!("/v1/experiments/{id}/duels");
    let duels_body = json!({ "count": batch }).to_string();
    let mut turns =
        pause.map(|(first, pause)| tokio::time::interval_at(tokio::time::Instant::now() + first, pause));
    while Instant::now() < until {
        if let Some(turns) = &mut turns {
            turns.tick().await;
        }
        let start = Instant::now();
        let Some((body, own)) = client.post(&duels_path, &duels_body).await else {
            seen.errors += 1;
            client = Client::connect(address).await;
            continue;
        };
        seen.duel.push(start.elapsed().as_secs_f64() * 1e3);
        seen.own.push(own);
        let ids = ids(&body);
        let (path, body) = if let [id] = ids.as_slice() {
            (format!("/v1/duels/{id}/outcome"), r#"{"outcome":"left","voter":"v"}"#.to_owned())
        } else {
            let outcomes: Vec<String> =
                ids.iter().map(|id| format!(r#"{{"duel":"{id}","outcome":"left","voter":"v"}}"#)).collect();
            ("/v1/outcomes".to_owned(), format!(r#"{{"outcomes":[{}]}}"#, outcomes.join(",")))
        };
        let start = Instant::now();
        let Some((body, own)) = client.post(&path, &body).await else {
            seen.errors += 1;
            client = Client::connect(address).await;
            continue;
        };
        seen.outcome.push(start.elapsed().as_secs_f64() * 1e3);
        seen.own.push(own);
        let recorded = count(&body, br#""recorded""#);
        seen.pairs += recorded;
        seen.errors += ids.len() - recorded;
    }
    seen
}

/// The ids of duels, without parsing all of the JSON, because the client shares the machine.
fn ids(body: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(body).expect("UTF-8");
    text.split(r#"{"id":""#).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}

fn count(body: &[u8], word: &[u8]) -> usize {
    body.windows(word.len()).filter(|window| *window == word).count()
}

pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Client {
    pub(crate) async fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        Self { stream, buffer: Vec::with_capacity(16 * 1024) }
    }

    /// The body and the server's own milliseconds; `None` if the request fails.
    pub(crate) async fn post(&mut self, path: &str, body: &str) -> Option<(Vec<u8>, f64)> {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        self.send(&head).await
    }

    /// The same for a GET request.
    pub(crate) async fn get(&mut self, path: &str) -> Option<(Vec<u8>, f64)> {
        self.send(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")).await
    }

    async fn send(&mut self, request: &str) -> Option<(Vec<u8>, f64)> {
        self.stream.write_all(request.as_bytes()).await.ok()?;
        self.buffer.clear();
        loop {
            self.stream.read_buf(&mut self.buffer).await.ok().filter(|&n| n > 0)?;
            let Some(end) = self.buffer.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
            let head = std::str::from_utf8(&self.buffer[..end]).ok()?;
            let length: usize = field(head, "content-length: ")?.parse().ok()?;
            let own = field(head, "own;dur=").and_then(|own| own.parse().ok()).unwrap_or(f64::NAN);
            let success = head.starts_with("HTTP/1.1 2");
            while self.buffer.len() < end + 4 + length {
                self.stream.read_buf(&mut self.buffer).await.ok().filter(|&n| n > 0)?;
            }
            return success.then(|| (self.buffer[end + 4..end + 4 + length].to_vec(), own));
        }
    }
}

fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = head.split_once(name)?;
    rest.split(['\r', ',']).next()
}
