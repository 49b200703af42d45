//! Interleaving end to end over sockets: a server, rankers of a real collection, and simulated
//! users who click on the lists they see.
//!
//! The collection is MQ2008 (784 queries, 46 features). It is read from the directory
//! `TILTYARD_DATA`, or else from a directory beside the project. Without it, these tests pass and
//! say that they were skipped.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot continue has failed, and a skipped test says so"
)]

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tiltyard::Stream;
use tiltyard::arena::Arena;
use tiltyard::arena::arena::Options;
use tiltyard::arena::server::{Auth, Config, Service, serve};
use tiltyard::arena::store::SqliteStore;
use tiltyard::interleave::Clicks;
use tiltyard::world::click::{ClickModel, ClickSpec};
use tiltyard::world::collection::LetorReader;
use tiltyard::world::ranker::{RankedCollection, RankedQuery, Ranking, mean_ndcg};
use tokio::sync::oneshot;

/// The collection, ranked by each of its features. Without data, prints that the test is skipped.
fn collection() -> Option<RankedCollection> {
    let directory = match std::env::var_os("TILTYARD_DATA") {
        Some(directory) => PathBuf::from(directory),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    let path = directory.join("ltr/mq2008.svm.gz");
    if !path.exists() {
        eprintln!("skipped: real data absent (set TILTYARD_DATA)");
        return None;
    }
    let queries = LetorReader::open(&path).unwrap();
    Some(RankedCollection::from_queries(queries, &Ranking::default()).unwrap())
}

/// A server in this process, on its own port. It draws the same duels in every run.
struct Server {
    url: String,
    agent: ureq::Agent,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
    _directory: TempDir,
}

impl Server {
    fn start() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(directory.path()).unwrap());
        let (arena, writer) = Arena::open(store, Options::new([5; 32])).unwrap();
        let config = Config { auth: Auth::None, ..Config::default() };
        let service = Service::new(arena, writer, config);
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
            runtime.unwrap().block_on(async {
                let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                let stop = async { drop(stopped.await) };
                serve(listener, service, stop).await.unwrap();
            });
        });
        let url = format!("http://{}", told.recv().unwrap());
        let agent = ureq::Agent::new_with_defaults();
        Self { url, agent, stop: Some(stop), thread: Some(thread), _directory: directory }
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let url = format!("{}{path}", self.url);
        self.agent.post(url).send_json(body).unwrap().body_mut().read_json().unwrap()
    }

    fn experiment(&self, names: &[&str], settings: &Value) -> String {
        let body = json!({ "name": "rankers of MQ2008", "arms": names, "settings": settings });
        self.post("/v1/experiments", &body)["id"].as_str().unwrap().to_owned()
    }

    fn standing(&self, id: &str) -> Value {
        let url = format!("{}/v1/experiments/{id}/standing", self.url);
        self.agent.get(url).call().unwrap().body_mut().read_json().unwrap()
    }

    /// The arm that was shown to be better than all others.
    fn leader(&self, id: &str) -> Option<String> {
        self.standing(id)["leader"].as_str().map(str::to_owned)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The documents that a ranker finds for a query.
fn list(query: &RankedQuery, ranker: usize) -> Vec<String> {
    query.list(ranker).iter().map(|document| format!("{}/{document}", query.id())).collect()
}

/// A user searches, sees a merged list, and clicks. `rankers` are pairs of a name and a ranker.
fn search(
    server: &Server,
    id: &str,
    query: &RankedQuery,
    rankers: &[(&str, usize)],
    user: &ClickModel,
    all: bool,
    rng: &mut impl rand::Rng,
) {
    let lists = |names: &[&str]| -> Value {
        let given = rankers.iter().filter(|(name, _)| names.contains(name));
        given
            .map(|&(name, ranker)| (name.to_owned(), json!(list(query, ranker))))
            .collect::<Map<_, _>>()
            .into()
    };
    let path = format!("/v1/experiments/{id}/interleave");
    let context = json!({ "query": query.id() });
    let shown = if all {
        let names: Vec<&str> = rankers.iter().map(|&(name, _)| name).collect();
        server.post(&path, &json!({ "context": context, "lists": lists(&names) }))
    } else {
        // Only the two rankers of the duel are run.
        let drawn = server.post(&path, &json!({ "context": context }));
        let run: Vec<&str> = drawn["run"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let path = format!("/v1/duels/{}/lists", drawn["duel"]["id"].as_str().unwrap());
        server.post(&path, &json!({ "lists": lists(&run) }))
    };
    // The user judges documents by their content, not by the ranker that found them.
    let grade = |listed: &Value| {
        let document = listed["document"].as_str().unwrap().rsplit('/').next().unwrap();
        query.label(document.parse().unwrap())
    };
    let grades: Vec<u8> = shown["list"].as_array().unwrap().iter().map(grade).collect();
    let mut clicks = Clicks::new();
    user.clicks(grades, rng, &mut clicks);
    let positions: Vec<usize> = clicks.iter().map(|place| place + 1).collect();
    let path = format!("/v1/duels/{}/clicks", shown["duel"]["id"].as_str().unwrap());
    assert_eq!(server.post(&path, &json!({ "clicks": positions }))["status"], "recorded");
}

fn searches(
    server: &Server,
    id: &str,
    collection: &RankedCollection,
    rankers: &[(&str, usize)],
    user: &str,
    count: u64,
) {
    let user = user.parse::<ClickSpec>().unwrap().for_grades(collection.max_label()).unwrap();
    let seen = server.standing(id)["seq"].as_u64().unwrap();
    let mut rng = Stream::new(8).label("users").index(seen).rng();
    for i in 0..count {
        let queries = collection.queries();
        let query = &queries[rand::RngExt::random_range(&mut rng, 0..queries.len())];
        search(server, id, query, rankers, &user, i % 2 == 0, &mut rng);
    }
}

/// Five rankers, the best by NDCG@10 among them.
fn five(collection: &RankedCollection) -> [(&'static str, usize); 5] {
    let ndcg = mean_ndcg(collection, 10).unwrap();
    let mut order: Vec<usize> = (0..ndcg.len()).collect();
    order.sort_by(|&one, &other| ndcg[other].total_cmp(&ndcg[one]));
    let rankers = [
        ("good", order[15]),
        ("fair", order[25]),
        ("best", order[0]),
        ("poor", order[35]),
        ("bad", order[43]),
    ];
    let best = rankers.iter().all(|&(name, ranker)| name == "best" || ndcg[ranker] + 0.02 < ndcg[order[0]]);
    assert!(best, "{:?}", rankers.map(|(name, ranker)| (name, ndcg[ranker])));
    rankers
}

/// The leader is known before the 1500th query.
const QUERIES: u64 = 3000;

#[test]
fn stat_the_best_ranker_by_ndcg_wins() {
    let Some(collection) = collection() else { return };
    let rankers = five(&collection);
    let server = Server::start();
    // A share of uniform duels, which gives evidence about rankers that the policy soon stops
    // proposing.
    let id = server.experiment(&rankers.map(|(name, _)| name), &json!({ "holdout": 0.25 }));
    searches(&server, &id, &collection, &rankers, "perfect", QUERIES);
    let standing = server.standing(&id);
    assert_eq!(standing["recommended"], "best", "{standing:#}");
    assert_eq!(server.leader(&id).as_deref(), Some("best"), "{standing:#}");
    // The policy exploits by drawing an arm against itself more often than at first, when that was
    // one duel in five.
    let arms = standing["arms"].as_array().unwrap();
    let alone: u64 = arms.iter().map(|arm| arm["self_duels"].as_u64().unwrap()).sum();
    assert!(alone > QUERIES / 5, "{alone}");
    assert_eq!(standing["votes"], QUERIES);
}

/// The same ranker under five names: no arm leads, however often the standing is checked. At this
/// confidence, one seed in twenty may name a leader; this seed does not.
#[test]
fn stat_identical_rankers_stay_undecided() {
    let Some(collection) = collection() else { return };
    let best = five(&collection)[2].1;
    let rankers = ["a", "b", "c", "d", "e"].map(|name| (name, best));
    let server = Server::start();
    let id = server.experiment(&rankers.map(|(name, _)| name), &json!({}));
    for _ in 0..4 {
        searches(&server, &id, &collection, &rankers, "perfect", 400);
        assert_eq!(server.leader(&id), None);
    }
    assert_eq!(server.standing(&id)["votes"], 1600);
}

/// Rankers against themselves: no votes are counted, and neither side is favoured.
#[test]
fn stat_rankers_against_themselves_stay_undecided() {
    let Some(collection) = collection() else { return };
    let rankers = five(&collection);
    let server = Server::start();
    let id = server.experiment(&rankers.map(|(name, _)| name), &json!({ "aa": 1.0 }));
    searches(&server, &id, &collection, &rankers, "perfect", 1000);
    assert_eq!(server.leader(&id), None);
    let standing = server.standing(&id);
    assert_eq!((&standing["votes"], &standing["pairs"]), (&json!(0), &json!([])));
    let [left, right, ties] =
        ["left", "right", "ties"].map(|word| standing["totals"]["aa"][word].as_i64().unwrap());
    assert_eq!(left + right + ties, 1000);
    // Fair coins: five standard deviations of their difference.
    let bound = 5.0 * ((left + right) as f64).sqrt();
    assert!(left + right > 100 && ((left - right) as f64).abs() < bound, "{left} {right} {ties}");
}
