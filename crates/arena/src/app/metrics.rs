//! The metrics of the server, in the format of Prometheus.

use std::sync::atomic::Ordering;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};

use crate::Arena;
use crate::arena::Appended;

#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    seconds: Family<Route, Histogram>,
    own_seconds: Family<Route, Histogram>,
    refusals: Family<Refused, Counter>,
    pub(crate) duels: Counter,
    pub(crate) outcomes: Counter,
    pub(crate) imported: Counter,
    pub(crate) connections: Gauge,
    experiments: Gauge,
    waiting: Gauge,
    append_seconds: Histogram,
    append_records: Histogram,
    append_failures: Counter,
    checkpoint_failures: Counter,
    damaged: Gauge,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Refused {
    code: &'static str,
}

/// Buckets from 50 microseconds to 6.6 seconds, by factors of two.
fn times() -> Histogram {
    Histogram::new(exponential_buckets(50e-6, 2.0, 18))
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("tiltyard");
        let metrics = Self {
            requests: Family::default(),
            seconds: Family::new_with_constructor(times),
            own_seconds: Family::new_with_constructor(times),
            refusals: Family::default(),
            duels: Counter::default(),
            outcomes: Counter::default(),
            imported: Counter::default(),
            connections: Gauge::default(),
            experiments: Gauge::default(),
            waiting: Gauge::default(),
            append_seconds: times(),
            append_records: Histogram::new(exponential_buckets(1.0, 2.0, 14)),
            append_failures: Counter::default(),
            checkpoint_failures: Counter::default(),
            damaged: Gauge::default(),
            registry: Registry::default(),
        };
        registry.register("http_requests", "Requests answered", metrics.requests.clone());
        registry.register_with_unit(
            "http_request",
            "Time to answer a request",
            Unit::Seconds,
            metrics.seconds.clone(),
        );
        registry.register_with_unit(
            "http_own",
            "Time to answer a request, without reading its body and without waiting for the store",
            Unit::Seconds,
            metrics.own_seconds.clone(),
        );
        registry.register("refusals", "Requests refused, by problem code", metrics.refusals.clone());
        registry.register("duels", "Duels issued", metrics.duels.clone());
        registry.register("outcomes", "Outcomes recorded", metrics.outcomes.clone());
        registry.register("imported_votes", "Votes imported", metrics.imported.clone());
        registry.register("connections", "Open connections", metrics.connections.clone());
        registry.register("experiments", "Experiments in the store", metrics.experiments.clone());
        registry.register("store_waiting", "Writes that wait for the store", metrics.waiting.clone());
        registry.register_with_unit(
            "store_append",
            "Time to append to the log and sync it",
            Unit::Seconds,
            metrics.append_seconds.clone(),
        );
        registry.register("store_append_records", "Records in one append", metrics.append_records.clone());
        registry.register("store_failures", "Appends that failed", metrics.append_failures.clone());
        registry.register(
            "store_checkpoint_failures",
            "Times that the write-ahead log could not be moved into the database",
            metrics.checkpoint_failures.clone(),
        );
        registry.register(
            "damaged_experiments",
            "Experiments that are set apart because their logs are damaged",
            metrics.damaged.clone(),
        );
        Self { registry, ..metrics }
    }
}

impl Metrics {
    pub(crate) fn answered(&self, method: &'static str, route: &str, status: u16, seconds: f64, own: f64) {
        self.requests.get_or_create(&Request { method, route: route.to_owned(), status }).inc();
        let route = Route { route: route.to_owned() };
        self.seconds.get_or_create(&route).observe(seconds);
        self.own_seconds.get_or_create(&route).observe(own);
    }

    pub(crate) fn refused(&self, code: &'static str) {
        self.refusals.get_or_create(&Refused { code }).inc();
    }

    /// A callback that measures appends, for the writer.
    pub(crate) fn appends(&self) -> impl FnMut(Appended) + Send + 'static {
        let (seconds, records, failures) =
            (self.append_seconds.clone(), self.append_records.clone(), self.append_failures.clone());
        move |appended| {
            seconds.observe(appended.seconds);
            records.observe(appended.records as f64);
            if appended.failed {
                failures.inc();
            }
        }
    }

    pub(crate) fn render(&self, arena: &Arena) -> String {
        self.experiments.set(i64::try_from(arena.experiments().len()).unwrap_or(i64::MAX));
        self.waiting.set(i64::try_from(arena.n_waiting()).unwrap_or(i64::MAX));
        self.damaged.set(i64::try_from(arena.set_apart().len()).unwrap_or(i64::MAX));
        self.checkpoint_failures.inner().store(arena.n_checkpoint_failures(), Ordering::Relaxed);
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
