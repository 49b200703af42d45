//! The write-ahead log at the start: writes it again, and mends it if a few bits were flipped.
//!
//! SQLite stops reading a write-ahead log at the first frame whose checksum is wrong. Each checksum
//! also covers all frames before it, so one flipped bit makes all later frames unreadable, although
//! they are whole. [`mend`] computes the checksums anew. Most often, a later frame has a newer
//! version of the page that was hit, and everything is there again. The hashes of the records prove
//! whether that is so; only then does the mended log take the place of the damaged one.

use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::Path;

use super::super::files::beside;
use super::super::heads::{HEADS, Heads};
use super::{FILE, SqliteStore};
use crate::store::Store as _;

/// The length of the header of a log and of a frame.
const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// The page size that this program uses.
const PAGE: usize = 4096;

/// A frame whose salts differ in more bits belongs to an earlier log.
const MOST_FLIPPED: u32 = 3;

impl SqliteStore {
    /// If the database does not reach its heads, because its write-ahead log is damaged, tries to
    /// mend that. The mended log is used only if every record up to the heads is there and fits its
    /// hash. The damaged log is kept beside it. The caller has locked the directory.
    pub(crate) fn mend(directory: &Path) -> io::Result<()> {
        let path = directory.join(FILE);
        let wal = beside(&path, "-wal");
        if !Self::has_write_ahead_log(&path) {
            return Ok(());
        }
        let Some(found) = Heads::read(&directory.join(HEADS))? else { return Ok(()) };
        let heads = found.heads;
        // Read before SQLite opens the database, because it may delete a log that does not fit.
        let damaged = fs::read(&wal)?;
        let reaches = |store: &Self| {
            heads.logs.iter().all(|(&log, &head)| store.head_at(log, head.seq) == Ok(Some(head)))
        };
        if reaches(&Self::reading(path.clone(), Some(directory), heads.clone())) {
            return Ok(());
        }
        fs::write(beside(&wal, ".damaged"), &damaged)?;
        tracing::error!("tiltyard.db-wal lacks records that were acknowledged; a copy of it is kept");
        let Some(mended) = mend(&damaged) else { return Ok(()) };
        // Tried under another name, so that nothing is changed if it fails.
        let trial = beside(&path, ".mending");
        let clean = || {
            for ending in ["", "-wal", "-shm"] {
                let _ = fs::remove_file(beside(&trial, ending));
            }
        };
        clean();
        fs::hard_link(&path, &trial).or_else(|_| fs::copy(&path, &trial).map(drop))?;
        fs::write(beside(&trial, "-wal"), &mended)?;
        let is_whole = {
            let store = Self::reading(trial.clone(), None, heads.clone());
            heads.logs.keys().all(|&log| store.check(log).is_ok()) && store.integrity() == Ok(Vec::new())
        };
        clean();
        if is_whole {
            let file = OpenOptions::new().create(true).truncate(false).write(true).open(&wal)?;
            (&file).write_all(&mended)?;
            file.set_len(mended.len() as u64)?;
            file.sync_all()?;
            tracing::warn!(
                "tiltyard.db-wal was damaged and is mended; all records are there and fit their hashes"
            );
        }
        Ok(())
    }
}

/// Writes a file's bytes again and syncs it. After a sync that failed, the bytes may be in memory
/// only, and a later sync would not write them.
pub(super) fn rewrite(path: &Path) -> io::Result<()> {
    let mut file = match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut bytes = vec![0; 1 << 20];
    loop {
        let n = file.read(&mut bytes)?;
        if n == 0 {
            return file.sync_all();
        }
        file.seek_relative(-i64::try_from(n).unwrap_or(0))?;
        file.write_all(&bytes[..n])?;
    }
}

/// The same log with right checksums; none if it has no frame.
fn mend(log: &[u8]) -> Option<Vec<u8>> {
    if log.len() < HEADER + FRAME_HEADER + PAGE {
        return None;
    }
    let mut mended = log[..HEADER].to_vec();
    // The lowest bit of the magic number says how the checksums read the bytes.
    let is_big = log[..4] == [0x37, 0x7f, 0x06, 0x83];
    if checksum(is_big, [0, 0], &log[..24]) != sums(&log[24..HEADER]) {
        // The header itself was hit: its salts are also in every frame.
        mended[..4].copy_from_slice(&[0x37, 0x7f, 0x06, 0x82 | u8::from(is_big)]);
        mended[4..8].copy_from_slice(&3_007_000_u32.to_be_bytes());
        mended[8..12].copy_from_slice(&u32::try_from(PAGE).unwrap_or(0).to_be_bytes());
        mended[16..24].copy_from_slice(&log[HEADER + 8..HEADER + 16]);
    }
    if number(&mended[8..12]) as usize != PAGE {
        return None;
    }
    let salts: [u8; 8] = mended[16..24].try_into().ok()?;
    let mut sum = checksum(is_big, [0, 0], &mended[..24]);
    store(&mut mended[24..HEADER], sum);
    for frame in log[HEADER..].chunks_exact(FRAME_HEADER + PAGE) {
        let flipped: u32 =
            frame[8..16].iter().zip(salts).map(|(one, other)| (one ^ other).count_ones()).sum();
        if flipped > MOST_FLIPPED {
            break;
        }
        sum = checksum(is_big, sum, &frame[..8]);
        sum = checksum(is_big, sum, &frame[FRAME_HEADER..]);
        mended.extend_from_slice(&frame[..8]);
        mended.extend_from_slice(&salts);
        mended.extend_from_slice(&[0; 8]);
        let length = mended.len();
        store(&mut mended[length - 8..], sum);
        mended.extend_from_slice(&frame[FRAME_HEADER..]);
    }
    Some(mended)
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte))
}

fn sums(bytes: &[u8]) -> [u32; 2] {
    [number(&bytes[..4]), number(&bytes[4..8])]
}

fn store(bytes: &mut [u8], sum: [u32; 2]) {
    bytes[..4].copy_from_slice(&sum[0].to_be_bytes());
    bytes[4..8].copy_from_slice(&sum[1].to_be_bytes());
}

/// The checksum of SQLite's write-ahead log, continued over these bytes.
fn checksum(is_big: bool, [mut first, mut second]: [u32; 2], bytes: &[u8]) -> [u32; 2] {
    let (words, _) = bytes.as_chunks::<4>();
    let word = |bytes: [u8; 4]| if is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
    let (pairs, _) = words.as_chunks::<2>();
    for &[one, other] in pairs {
        first = first.wrapping_add(word(one)).wrapping_add(second);
        second = second.wrapping_add(word(other)).wrapping_add(first);
    }
    [first, second]
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    /// A log that SQLite wrote is the same after mending, and a flipped bit is mended.
    #[test]
    fn trace_checksums_are_those_of_sqlite() {
        let directory = tempfile::tempdir().expect("a directory for a test");
        let path = directory.path().join("x.db");
        let connection = Connection::open(&path).expect("it is new");
        connection.pragma_update(None, "journal_mode", "WAL").expect("a file");
        connection.execute_batch("CREATE TABLE t (x)").expect("plain SQL");
        for x in 0..20 {
            connection.execute("INSERT INTO t VALUES (?1)", [x]).expect("plain SQL");
        }
        let log = std::fs::read(path.with_extension("db-wal")).expect("it is open");
        assert_eq!(mend(&log).as_deref(), Some(&log[..]));
        // In the header, in the salts of a frame, in a checksum.
        for at in [1, 9, 17, 30, HEADER + FRAME_HEADER + PAGE + 9, HEADER + 17] {
            let mut flipped = log.clone();
            flipped[at] ^= 16;
            let mended = mend(&flipped).expect("it has frames");
            assert_eq!(mended[HEADER..], log[HEADER..], "{at}");
        }
        assert_eq!(mend(&log[..100]), None);
    }
}
