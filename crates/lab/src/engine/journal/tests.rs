use std::time::Duration;

use proptest::prelude::*;
use tiltyard_bandit::Arm;
use tiltyard_world::{Best, BestKind, VoteSupply};

use super::*;
use crate::engine::run::Run;

const HASH_TEXT: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn record(item: u64) -> Record {
    let number = usize::try_from(item).unwrap();
    let kind = [BestKind::Condorcet, BestKind::Copeland, BestKind::Utility][number % 3];
    let run = Run {
        regret: vec![0.1 * item as f64, -1.5],
        hit: vec![item.is_multiple_of(2), true],
        best: Best { arm: Arm::new(number % 3), kind },
        supply: VoteSupply { unanswered: item, repeated: 2, dry_from: (item > 1).then_some(item) },
    };
    Record { item, time: Duration::from_nanos(17 * item), run }
}

fn open(path: &Path) -> (Journal, Recovery) {
    Journal::open(path, HASH_TEXT, 5, |item| (item < 5).then_some(2), |_| ()).unwrap()
}

/// Writes a journal of items 3, 0, 4. Returns the offset of each record and the end of the last.
fn written(path: &Path) -> Vec<u64> {
    let (mut journal, _) = open(path);
    let mut ends = vec![journal.end];
    for item in [3, 0, 4] {
        journal.append(&record(item)).unwrap();
        ends.push(journal.end);
    }
    ends
}

#[test]
fn trace_what_is_written_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal.bin");
    written(&path);
    let (mut journal, found) = open(&path);
    assert_eq!((found.lost_bytes, journal.len()), (0, 3));
    for item in 0..5 {
        assert_eq!(journal.has(item), [0, 3, 4].contains(&item));
    }
    for item in [0, 3, 4] {
        assert_eq!(journal.read(item).unwrap(), record(item));
    }
    // Appending continues at the end.
    journal.file.seek(SeekFrom::Start(journal.end)).unwrap();
    journal.append(&record(1)).unwrap();
    drop(journal);
    assert_eq!(open(&path).0.len(), 4);
}

/// A journal that is cut at any byte keeps every whole record, and more records can follow.
#[test]
fn law_a_torn_end_costs_the_last_record() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal.bin");
    let ends = written(&path);
    let whole = std::fs::read(&path).unwrap();
    assert_eq!(whole.len() as u64, ends[3]);
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        let (mut journal, _) = open(&path);
        let kept = ends[1..].iter().filter(|&&end| end <= length as u64).count() as u64;
        assert_eq!(journal.len(), kept, "cut to {length}");
        journal.append(&record(1)).unwrap();
        drop(journal);
        let (journal, found) = open(&path);
        assert_eq!((journal.len(), found.lost_bytes), (kept + 1, 0), "cut to {length}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// One damaged byte costs one record, even if the byte is part of a length, and no wrong record
    /// is read.
    #[test]
    fn law_damage_is_noticed(at in 0_usize..300, flip in 1_u8..=255) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal.bin");
        written(&path);
        let mut bytes = std::fs::read(&path).unwrap();
        let at = usize::try_from(START).unwrap() + at % (bytes.len() - usize::try_from(START).unwrap());
        bytes[at] ^= flip;
        std::fs::write(&path, bytes).unwrap();
        let (mut journal, found) = open(&path);
        prop_assert_eq!(journal.len(), 2);
        prop_assert!(found.lost_bytes > 0);
        for item in 0..5 {
            if journal.has(item) {
                prop_assert_eq!(journal.read(item).unwrap(), record(item));
            }
        }
    }
}

#[test]
fn trace_another_jobs_journal_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal.bin");
    written(&path);
    let other = HASH_TEXT.replace('0', "1");
    let error = Journal::open(&path, &other, 5, |_| Some(2), |_| ()).unwrap_err();
    assert!(matches!(error, JournalError::Foreign { .. }), "{error}");
    let (_held, _) = open(&path);
    let error = Journal::open(&path, HASH_TEXT, 5, |_| Some(2), |_| ()).unwrap_err();
    assert!(matches!(error, JournalError::Busy { .. }), "{error}");
}
