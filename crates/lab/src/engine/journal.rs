//! The journal: finished runs, appended to a file as they finish.
//!
//! A record is `marker, length, payload, checksum`. Whatever happens to the process, the file is a
//! sequence of whole records, with at most one torn record at the end. Opening the journal again
//! cuts that record off. It skips records damaged in the middle (by a disk, not by us), and their
//! runs are played again.

mod record;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tiltyard_bandit::hint::{FrontEnd, Hint};

pub(crate) use record::Record;

/// The first bytes of a journal file. The hash of the job's identity follows them.
const MAGIC: &[u8; 16] = b"tiltyard-runs 1\n";

/// The first bytes of a record.
const MARKER: [u8; 4] = *b"\x9cRUN";

/// The length of a hash in hexadecimal, in bytes.
const HASH: usize = 64;

/// The offset of the first record.
const START: u64 = HEAD as u64;

/// The number of bytes before the first record.
const HEAD: usize = MAGIC.len() + HASH;

/// The offset that marks an item as absent from the journal. No record can begin there.
const ABSENT: u64 = 0;

/// An open journal, locked against other processes.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// The offset of the next record.
    end: u64,
    /// The offset of each item's record, or [`ABSENT`].
    offsets: Vec<u64>,
    n_records: u64,
}

/// The damage found while an existing journal was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Recovery {
    /// Bytes outside whole records: a torn record at the end, or damage.
    pub(crate) lost_bytes: u64,
}

impl Journal {
    /// Opens a journal or creates one. `expected` returns the number of checkpoints of an item, or
    /// `None` if the item is not part of this job. Calls `seen` with each record found.
    pub(crate) fn open(
        path: &Path,
        hash: &str,
        n_items: u64,
        expected: impl Fn(u64) -> Option<usize>,
        mut seen: impl FnMut(&Record),
    ) -> Result<(Self, Recovery), JournalError> {
        let at = |source| JournalError::Io { path: path.to_owned(), source };
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(at)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::Busy { path: path.to_owned() }),
            // On a file system without locks, running unguarded is better than not running.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(at(error)),
        }
        let n_items = usize::try_from(n_items).expect("there are fewer items than bytes of memory");
        let offsets = vec![ABSENT; n_items];
        let mut journal = Self { path: path.to_owned(), file, end: START, offsets, n_records: 0 };
        let length = journal.file.metadata().map_err(at)?.len();
        if length < START {
            // A new file, or a process was killed while it wrote the first bytes.
            journal.file.set_len(0).map_err(at)?;
            journal.file.seek(SeekFrom::Start(0)).map_err(at)?;
            journal.file.write_all(&[MAGIC, hash.as_bytes()].concat()).map_err(at)?;
            return Ok((journal, Recovery::default()));
        }
        let mut head = [0; HEAD];
        journal.file.seek(SeekFrom::Start(0)).map_err(at)?;
        journal.file.read_exact(&mut head).map_err(at)?;
        if head[..MAGIC.len()] != *MAGIC || &head[MAGIC.len()..] != hash.as_bytes() {
            return Err(JournalError::Foreign { path: path.to_owned() });
        }
        let found = journal.scan(length, expected, &mut seen).map_err(at)?;
        journal.file.set_len(journal.end).map_err(at)?;
        journal.file.seek(SeekFrom::Start(journal.end)).map_err(at)?;
        Ok((journal, found))
    }

    /// Finds all whole records.
    fn scan(
        &mut self,
        length: u64,
        expected: impl Fn(u64) -> Option<usize>,
        seen: &mut impl FnMut(&Record),
    ) -> io::Result<Recovery> {
        let mut reader = BufReader::with_capacity(1 << 16, &self.file);
        reader.seek(SeekFrom::Start(START))?;
        let mut found = Recovery::default();
        let mut at = START;
        while at < length {
            match read_record(&mut reader, length - at)? {
                Some((record, size)) if expected(record.item) == Some(record.run.regret.len()) => {
                    let index = usize::try_from(record.item).expect("an item of this job");
                    if self.offsets[index] == ABSENT {
                        self.offsets[index] = at;
                        self.n_records += 1;
                        seen(&record);
                    }
                    at += size;
                    self.end = at;
                }
                _ => {
                    // Not a record: look for the next marker.
                    let next = find_marker(&mut reader, at + 1, length)?;
                    found.lost_bytes += next - at;
                    at = next;
                    reader.seek(SeekFrom::Start(at))?;
                }
            }
        }
        Ok(found)
    }

    /// The number of items in the journal.
    pub(crate) fn len(&self) -> u64 {
        self.n_records
    }

    pub(crate) fn has(&self, item: u64) -> bool {
        usize::try_from(item).is_ok_and(|item| self.offsets[item] != ABSENT)
    }

    pub(crate) fn append(&mut self, record: &Record) -> Result<(), JournalError> {
        let bytes = framed(record);
        if let Err(source) = self.file.write_all(&bytes) {
            // Best effort: the next `open` would cut off a partial record too.
            let _ = self.file.set_len(self.end);
            return Err(JournalError::Io { path: self.path.clone(), source });
        }
        self.offsets[usize::try_from(record.item).expect("an item of this job")] = self.end;
        self.end += bytes.len() as u64;
        self.n_records += 1;
        Ok(())
    }

    pub(crate) fn read(&mut self, item: u64) -> Result<Record, JournalError> {
        let at = |source| JournalError::Io { path: self.path.clone(), source };
        let offset = self.offsets[usize::try_from(item).expect("an item of this job")];
        self.file.seek(SeekFrom::Start(offset)).map_err(at)?;
        match read_record(&mut &self.file, self.end - offset).map_err(at)? {
            Some((record, _)) if record.item == item => Ok(record),
            _ => Err(JournalError::Changed { path: self.path.clone(), item }),
        }
    }

    /// Waits until everything is on disk.
    pub(crate) fn sync(&self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(|source| JournalError::Io { path: self.path.clone(), source })
    }
}

fn framed(record: &Record) -> Vec<u8> {
    let payload = record.to_bytes();
    let length = u32::try_from(payload.len()).expect("a curve of fewer than a hundred million points");
    let mut bytes = Vec::with_capacity(payload.len() + 12);
    bytes.extend(MARKER);
    bytes.extend(length.to_le_bytes());
    bytes.extend(&payload);
    let checksum = crc32fast::hash(&bytes[4..]);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// The record at the reader's position and its size in bytes; `None` if no whole record begins
/// here.
fn read_record(reader: &mut impl Read, left: u64) -> io::Result<Option<(Record, u64)>> {
    if left < 12 {
        return Ok(None);
    }
    let mut head = [0; 8];
    reader.read_exact(&mut head)?;
    let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
    if head[..4] != MARKER || u64::from(length) > left - 12 {
        return Ok(None);
    }
    let mut rest = vec![0; length as usize + 4];
    reader.read_exact(&mut rest)?;
    let (payload, checksum) = rest.split_at(length as usize);
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&head[4..]);
    hasher.update(payload);
    if hasher.finalize().to_le_bytes() != *checksum {
        return Ok(None);
    }
    Ok(Record::from_bytes(payload).map(|record| (record, u64::from(length) + 12)))
}

/// The offset of the next marker at or after `from`; `length` if there is none.
fn find_marker(reader: &mut BufReader<impl Read + Seek>, from: u64, length: u64) -> io::Result<u64> {
    reader.seek(SeekFrom::Start(from))?;
    let mut window = [0; 4];
    for (at, byte) in (from..length).zip(reader.by_ref().bytes()) {
        window.rotate_left(1);
        window[3] = byte?;
        if at >= from + 3 && window == MARKER {
            return Ok(at - 3);
        }
    }
    Ok(length)
}

/// The journal of a job cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum JournalError {
    /// The journal cannot be read or written.
    #[error("cannot read or write {}", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// Another process is writing to the journal.
    #[error("{}: another process is using this journal", path.display())]
    Busy { path: PathBuf },
    /// The file is not a journal, or it is the journal of another job.
    #[error("{}: this is not the journal of this job", path.display())]
    Foreign { path: PathBuf },
    /// A record has changed on disk since it was written.
    #[error("{}: the record of item {item} has changed on disk since it was written", path.display())]
    Changed { path: PathBuf, item: u64 },
}

impl Hint for JournalError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Foreign { .. } => vec![front.elsewhere()],
            Self::Io { .. } | Self::Busy { .. } | Self::Changed { .. } => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
