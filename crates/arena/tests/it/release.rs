//! The data directory of every release opens, and its logs fold to the same states, bit for bit.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use tiltyard_arena::arena::Options;
use tiltyard_arena::store::{SqliteStore, Store as _};
use tiltyard_arena::upkeep::{restore, verify};
use tiltyard_arena::{Arena, domain, domain::Experiment};

/// Kinds of events that were added after the data of the first release (0.1.0) was made. That data
/// cannot contain them.
const AFTER_FIRST: &[domain::Kind] = &[
    domain::Kind::Interleaved,
    domain::Kind::Imported,
    domain::Kind::ImportVoided,
    domain::Kind::Apprentice,
];

/// Kinds of events that were added when logs got hashes. Data of earlier versions has neither.
const AFTER_HASHES: &[domain::Kind] = &[domain::Kind::Extended, domain::Kind::Repaired];

/// Fields of a state that the first release did not have.
const LATER_FIELDS: &[&str] = &[
    "format",
    "evidence",
    "stopped",
    "tenure",
    "apprentice",
    "interleavings",
    "slates",
    "numbers",
    "timeline",
    "notes",
];

/// Settings that the first release did not have.
const LATER_SETTINGS: &[&str] = &["confidence", "margin", "stop", "aa"];

/// A fingerprint (FNV-1a) of the part of a state that the first release had.
fn fingerprint(mut state: Value) -> u64 {
    for (part, later) in [("", LATER_FIELDS), ("/settings", LATER_SETTINGS)] {
        let part = state.pointer_mut(part).and_then(Value::as_object_mut).expect("a state has settings");
        part.retain(|name, _| !later.contains(&name.as_str()));
    }
    // The keys of objects are sorted.
    let bytes = state.to_string().into_bytes().into_iter();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

pub(crate) fn releases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/release");
    let entries = fs::read_dir(folder).expect("the releases").map(|entry| entry.expect("a release").path());
    entries.filter(|path| path.is_dir()).collect()
}

/// A copy that may be changed.
pub(crate) fn copy(release: &Path) -> TempDir {
    let directory = TempDir::new().expect("a directory for a test");
    fs::copy(SqliteStore::file(release), SqliteStore::file(directory.path())).expect("there is room");
    directory
}

#[test]
fn stable_data_of_every_release_opens_and_comes_to_the_same() {
    assert!(!releases().is_empty(), "the first release is kept");
    for release in releases() {
        let directory = copy(&release);
        let store = std::sync::Arc::new(SqliteStore::open(directory.path()).expect("it opens"));
        let (arena, _writer) = Arena::open(store, Options::new([3; 32])).expect("its logs fold");
        let expected = fs::read_to_string(release.join("digests.txt")).expect("what it came to");
        let expected: Vec<&str> = expected.lines().collect();
        assert_eq!(arena.experiments().len(), expected.len(), "{}", release.display());
        for line in expected {
            let id = line.split(' ').next().and_then(|id| id.parse().ok()).expect("an id");
            let state = arena.peek(id, Experiment::save).expect("an experiment");
            let state = serde_json::to_value(state).expect("a state is plain data");
            let found = format!("{id} {} {:016x}", state["seq"].clone(), fingerprint(state));
            assert_eq!(found, line, "{}", release.display());
        }
        assert_eq!(arena.keys().len(), 2);
    }
}

#[test]
fn stable_data_of_every_release_has_something_of_everything() {
    for release in releases() {
        let directory = copy(&release);
        let store = SqliteStore::open(directory.path()).expect("it opens");
        let mut seen = std::collections::BTreeSet::new();
        let mut ids = store.experiments().expect("the experiments");
        ids.push(tiltyard_arena::id::ExperimentId::ARENA);
        for id in ids {
            let note = &mut |record: domain::Record| {
                seen.insert(record.event.kind());
                true
            };
            store.read(id, 0, note).expect("its log");
        }
        let later = if release.ends_with("0.1.0") { AFTER_FIRST } else { &[] };
        let missing: Vec<_> = domain::Kind::ALL
            .iter()
            .filter(|kind| !seen.contains(kind) && !later.contains(kind) && !AFTER_HASHES.contains(kind))
            .collect();
        assert!(missing.is_empty(), "{}: {missing:?}", release.display());
    }
}

#[test]
fn trace_a_copy_of_a_release_is_verified_and_restored() {
    for release in releases() {
        let target = TempDir::new().expect("a directory for a test");
        let directory = target.path().join("new");
        let restored = restore(&SqliteStore::file(&release), &directory).expect("it is sound");
        assert_eq!(verify(&directory).expect("it is sound"), restored);
        assert!(restore(&SqliteStore::file(&release), &directory).is_err(), "there is data already");
    }
}
