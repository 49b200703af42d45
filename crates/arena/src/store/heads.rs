//! The heads of all logs, in a file of their own.
//!
//! After each commit, and before any answer leaves, the new head of each changed log is written
//! here. If the database later lacks a record that a head names, or has another one, the database
//! was damaged: its tail was lost, or an older copy took its place. The file is synced only when it
//! is replaced, at checkpoints. After a loss of power it may therefore name older heads, which is
//! no damage. It never names a record that was not durable before.
//!
//! The file consists of entries of 64 bytes. Each has a checksum that also covers its number and
//! the file's own random number, so that no entry of another file or place is taken for it. The
//! first entry says how many entries were synced together with it. A later entry that cannot be
//! read is an interrupted write.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rand::TryRng as _;
use sha2::{Digest, Sha256};

use super::files::{Identity, replace_file};
use crate::domain::{Head, RecordHash};
use crate::id::ExperimentId;
use crate::time::Time;

/// The name of the file in a data directory.
pub(crate) const HEADS: &str = "tiltyard.heads";

const ENTRY: usize = 64;

/// The number of bytes of an entry before its checksum.
const CONTENT: usize = 48;

const MAGIC: [u8; 8] = *b"tilthead";

/// In place of an experiment: the entry is a time at which the server ran.
const TIME: u64 = u64::MAX;

/// The number of later entries for which a new file has room. Room that is there already makes a
/// write cheaper: the file's length does not change, which each sync of the database would have to
/// note. A full file is replaced by one that has each log once.
const ROOM: u64 = 4096;

/// The contents of a file of heads.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Heads {
    pub(super) logs: BTreeMap<ExperimentId, Head>,
    /// The last time at which the server is known to have run.
    pub(super) time: Option<Time>,
}

/// A file of heads that was read.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) heads: Heads,
    /// Damage to entries that had been synced.
    pub(super) damage: Vec<String>,
    /// The number of later entries that cannot be read: interrupted writes, or damage.
    pub(super) n_torn: usize,
}

impl Heads {
    /// Reads a file; none if it does not exist.
    pub(super) fn read(path: &Path) -> io::Result<Option<Found>> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        Ok(Some(Self::parse(&bytes)))
    }

    fn parse(bytes: &[u8]) -> Found {
        let mut found = Found::default();
        let (entries, rest) = bytes.as_chunks::<ENTRY>();
        let header = entries.first().filter(|entry| entry[..8] == MAGIC);
        let Some((synced, salt)) = header.and_then(|entry| {
            let (synced, salt) = (number(entry, 8), number(entry, 16));
            (checksum(salt, 0, entry) == entry[CONTENT..]).then_some((synced, salt))
        }) else {
            found.damage.push("its first entry is damaged, so that it names no heads".to_owned());
            return found;
        };
        for (index, entry) in (1..).zip(&entries[1..]) {
            if checksum(salt, index, entry) == entry[CONTENT..] {
                found.heads.note(entry);
            } else if index <= synced {
                found.damage.push(format!("entry {index} is damaged"));
            } else if *entry != [0; ENTRY] {
                // Room for later entries is filled with zeros.
                found.n_torn += 1;
            }
        }
        let n_entries = entries.len() as u64 - 1;
        if n_entries < synced {
            found.damage.push(format!("entries {} to {synced} are missing", n_entries + 1));
        }
        found.n_torn += usize::from(!rest.is_empty() && n_entries >= synced);
        found
    }

    fn note(&mut self, entry: &[u8; ENTRY]) {
        let (log, seq) = (number(entry, 0), number(entry, 8));
        if log == TIME {
            self.time = self.time.max(Some(Time(seq.cast_signed())));
            return;
        }
        let mut hash = [0; 32];
        hash.copy_from_slice(&entry[16..CONTENT]);
        self.advance(ExperimentId(log), Head { seq, hash: RecordHash(hash) });
    }

    /// Notes a head, unless a later one is known.
    pub(super) fn advance(&mut self, log: ExperimentId, head: Head) {
        let known = self.logs.entry(log).or_insert(head);
        if head.seq > known.seq {
            *known = head;
        }
    }
}

/// Replaces the file of heads of a directory.
pub(crate) fn write_heads(directory: &Path, logs: BTreeMap<ExperimentId, Head>) -> io::Result<()> {
    let time = Heads::read(&directory.join(HEADS))?.and_then(|found| found.heads.time);
    HeadFile::create(directory.join(HEADS), Arc::new(Mutex::new(Heads { logs, time }))).map(drop)
}

/// The heads that a directory's file names, as far as it can be read.
pub(crate) fn read_heads(directory: &Path) -> BTreeMap<ExperimentId, Head> {
    let found = Heads::read(&directory.join(HEADS)).ok().flatten();
    found.map(|found| found.heads.logs).unwrap_or_default()
}

/// The file of heads of a directory that is open for writing.
#[derive(Debug)]
pub(super) struct HeadFile {
    path: PathBuf,
    file: File,
    identity: Identity,
    salt: u64,
    n_entries: u64,
    /// The number of entries for which the file has room.
    most: u64,
    /// Shared with the readers of the store. Locked only to look a head up or to change one.
    heads: Arc<Mutex<Heads>>,
}

impl HeadFile {
    /// Replaces the file by one with these heads, and syncs it.
    pub(super) fn create(path: PathBuf, shared: Arc<Mutex<Heads>>) -> io::Result<Self> {
        let heads = lock(&shared).clone();
        let salt = rand::rngs::SysRng.try_next_u64().map_err(io::Error::other)?;
        let n_entries = heads.logs.len() as u64 + u64::from(heads.time.is_some());
        let most = n_entries + ROOM;
        replace_file(&path, |out| {
            let mut header = [0; CONTENT];
            header[..8].copy_from_slice(&MAGIC);
            header[8..16].copy_from_slice(&n_entries.to_be_bytes());
            header[16..24].copy_from_slice(&salt.to_be_bytes());
            out.write_all(&entry(salt, 0, &header))?;
            let logs = heads.logs.iter().map(|(&log, head)| head_content(log, head));
            for (index, content) in (1..).zip(logs.chain(heads.time.map(time_content))) {
                out.write_all(&entry(salt, index, &content))?;
            }
            for _ in 0..ROOM {
                out.write_all(&[0; ENTRY])?;
            }
            Ok(())
        })?;
        let mut file = OpenOptions::new().write(true).open(&path)?;
        file.seek(SeekFrom::Start((n_entries + 1) * ENTRY as u64))?;
        let (identity, _) = Identity::of(&path)?;
        Ok(Self { path, file, identity, salt, n_entries, most, heads: shared })
    }

    /// Replaces the file by one that has each log once, and syncs it.
    pub(super) fn renew(&mut self) -> io::Result<()> {
        *self = Self::create(self.path.clone(), Arc::clone(&self.heads))?;
        Ok(())
    }

    /// Writes new heads, without syncing them.
    pub(super) fn write(&mut self, heads: &[(ExperimentId, Head)]) -> io::Result<()> {
        for &(log, head) in heads {
            lock(&self.heads).advance(log, head);
        }
        self.add(heads.iter().map(|(log, head)| head_content(*log, head)))
    }

    /// Writes a time at which the server ran, without syncing it.
    pub(super) fn mark_time(&mut self, now: Time) -> io::Result<()> {
        lock(&self.heads).time = Some(now);
        self.add([time_content(now)].into_iter())
    }

    fn add(&mut self, contents: impl Iterator<Item = [u8; CONTENT]>) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(ENTRY);
        for content in contents {
            self.n_entries += 1;
            bytes.extend(entry(self.salt, self.n_entries, &content));
        }
        if self.n_entries > self.most {
            return self.renew();
        }
        // After a short write, the file would continue with entries in wrong places.
        self.file.write_all(&bytes).or_else(|_| self.renew())
    }

    /// Checks that nobody deleted or replaced the file.
    pub(super) fn is_in_place(&self) -> bool {
        Identity::of(&self.path).is_ok_and(|(identity, _)| identity == self.identity)
    }
}

/// Ignores poisoning: a head is changed as a whole.
fn lock(heads: &Mutex<Heads>) -> MutexGuard<'_, Heads> {
    heads.lock().unwrap_or_else(PoisonError::into_inner)
}

fn number(entry: &[u8; ENTRY], at: usize) -> u64 {
    entry[at..at + 8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn head_content(log: ExperimentId, head: &Head) -> [u8; CONTENT] {
    let mut content = [0; CONTENT];
    content[..8].copy_from_slice(&log.0.to_be_bytes());
    content[8..16].copy_from_slice(&head.seq.to_be_bytes());
    content[16..].copy_from_slice(&head.hash.0);
    content
}

fn time_content(time: Time) -> [u8; CONTENT] {
    let mut content = [0; CONTENT];
    content[..8].copy_from_slice(&TIME.to_be_bytes());
    content[8..16].copy_from_slice(&time.0.to_be_bytes());
    content
}

fn entry(salt: u64, index: u64, content: &[u8; CONTENT]) -> [u8; ENTRY] {
    let mut entry = [0; ENTRY];
    entry[..CONTENT].copy_from_slice(content);
    let check = checksum(salt, index, &entry);
    entry[CONTENT..].copy_from_slice(&check);
    entry
}

fn checksum(salt: u64, index: u64, entry: &[u8; ENTRY]) -> [u8; ENTRY - CONTENT] {
    let mut hasher = Sha256::new();
    hasher.update(salt.to_be_bytes());
    hasher.update(index.to_be_bytes());
    hasher.update(&entry[..CONTENT]);
    let mut check = [0; ENTRY - CONTENT];
    check.copy_from_slice(&hasher.finalize()[..ENTRY - CONTENT]);
    check
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(seq: u64) -> Head {
        Head { seq, hash: RecordHash([u8::try_from(seq).expect("a small number"); 32]) }
    }

    fn log(number: u64) -> ExperimentId {
        ExperimentId(number)
    }

    /// A file with two synced entries and three later ones.
    fn example(directory: &Path) -> (PathBuf, Heads) {
        let path = directory.join(HEADS);
        let mut heads = Heads { logs: BTreeMap::new(), time: Some(Time(7)) };
        heads.advance(log(1), head(10));
        let heads = Arc::new(Mutex::new(heads));
        let mut file = HeadFile::create(path.clone(), Arc::clone(&heads)).expect("there is room");
        file.write(&[(log(1), head(12)), (log(2), head(1))]).expect("there is room");
        file.mark_time(Time(9)).expect("there is room");
        let heads = lock(&heads).clone();
        (path, heads)
    }

    fn read(path: &Path) -> Found {
        Heads::read(path).expect("it can be read").expect("it exists")
    }

    #[test]
    fn trace_heads_are_read_back() {
        let directory = tempfile::tempdir().expect("a directory for a test");
        assert!(Heads::read(&directory.path().join(HEADS)).expect("it can be read").is_none());
        let (path, written) = example(directory.path());
        let found = read(&path);
        assert_eq!(found.heads, written);
        assert_eq!(found.heads.logs[&log(1)], head(12));
        assert_eq!(found.heads.time, Some(Time(9)));
        assert_eq!((found.damage.len(), found.n_torn), (0, 0));
    }

    #[test]
    fn trace_an_interrupted_write_is_no_damage() {
        let directory = tempfile::tempdir().expect("a directory for a test");
        let (path, _) = example(directory.path());
        let bytes = fs::read(&path).expect("it can be read");
        for length in 3 * ENTRY..7 * ENTRY {
            fs::write(&path, &bytes[..length]).expect("there is room");
            let found = read(&path);
            assert!(found.damage.is_empty(), "{length}: {:?}", found.damage);
            let is_torn = length % ENTRY != 0;
            assert_eq!(found.n_torn, usize::from(is_torn));
            assert!(found.heads.logs[&log(1)].seq >= 10);
        }
    }

    #[test]
    fn law_every_flipped_bit_is_noticed() {
        let directory = tempfile::tempdir().expect("a directory for a test");
        let (path, written) = example(directory.path());
        let bytes = fs::read(&path).expect("it can be read");
        for bit in 0..7 * ENTRY * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let found = Heads::parse(&flipped);
            let is_synced = bit / 8 < 3 * ENTRY;
            assert_eq!((found.damage.len(), found.n_torn), if is_synced { (1, 0) } else { (0, 1) });
            for (id, head) in &found.heads.logs {
                assert!(head == &written.logs[id] || head == &self::head(10), "a head that never was");
            }
        }
    }
}
