//! Reads the journal that shim.c writes.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// An operation of the server on its files. Paths are relative to the data directory.
#[derive(Debug)]
pub(crate) enum Operation {
    /// A file is about to be created. If no `Created` follows, the process was killed.
    Creating {
        path: String,
    },
    Created {
        path: String,
        inode: u64,
    },
    /// `missing` counts the bytes that a short write left out.
    Write {
        path: String,
        inode: u64,
        offset: usize,
        data: Vec<u8>,
        missing: u64,
    },
    Truncate {
        inode: u64,
        size: usize,
    },
    SyncBegin {
        path: String,
        inode: u64,
        is_folder: bool,
        number: u64,
    },
    SyncEnd {
        path: String,
        number: u64,
        synced: Synced,
    },
    Rename {
        from: String,
        to: String,
    },
    Unlink {
        path: String,
    },
    MakeFolder {
        path: String,
    },
    /// An operation that failed without any effect.
    Failed {
        path: String,
        error: i64,
    },
}

/// The result of a sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Synced {
    Truly,
    /// It failed, and the process knows.
    Failed,
    /// It did nothing and reported success.
    Lied,
}

#[derive(Debug)]
pub(crate) struct Record {
    /// The length of the journal up to and including this record. Cuts and acknowledgements are
    /// compared with it.
    pub(crate) end: u64,
    pub(crate) operation: Operation,
}

impl Record {
    /// What went wrong in this operation, in words.
    pub(crate) fn fault(&self) -> Option<String> {
        Some(match &self.operation {
            Operation::SyncEnd { path, synced: Synced::Failed, .. } => format!("the sync of `{path}` fails"),
            Operation::SyncEnd { path, synced: Synced::Lied, .. } => {
                format!("the sync of `{path}` reports success and does nothing")
            }
            Operation::Write { path, offset, data, missing: missing @ 1.., .. } => format!(
                "a write to `{path}` at {offset} writes {} bytes and leaves out {missing}",
                data.len()
            ),
            Operation::Failed { path, error } => {
                let name = match error {
                    28 => "ENOSPC",
                    5 => "EIO",
                    _ => "an error",
                };
                format!("an operation on `{path}` fails with {name}")
            }
            _ => return None,
        })
    }
}

/// The number of bytes before path and data: see `struct header` in shim.c.
const HEADER: usize = 40;

/// Reads the records after a position. Also returns the length of the journal, which is beyond the
/// last record if the process was killed while it wrote one.
pub(crate) fn read(path: &Path, after: u64, directory: &Path) -> io::Result<(Vec<Record>, u64)> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(after))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let directory = directory.to_string_lossy();
    let mut records = Vec::new();
    let mut rest = &bytes[..];
    while let Some((operation, following)) = next(rest, &directory)? {
        rest = following;
        records.push(Record { end: after + (bytes.len() - rest.len()) as u64, operation });
    }
    Ok((records, after + bytes.len() as u64))
}

fn next<'a>(bytes: &'a [u8], directory: &str) -> io::Result<Option<(Operation, &'a [u8])>> {
    let Some((header, rest)) = bytes.split_at_checked(HEADER) else { return Ok(None) };
    let word = |at: usize| u64::from_ne_bytes(header[at..at + 8].try_into().expect("8 bytes"));
    let half = |at: usize| u32::from_ne_bytes(header[at..at + 4].try_into().expect("4 bytes"));
    let (kind, path_length, data_length) = (half(0), half(4) as usize, size(word(8)));
    let (inode, number, result) = (word(16), word(24), word(32).cast_signed());
    let Some((path, rest)) = rest.split_at_checked(path_length) else { return Ok(None) };
    let Some((data, rest)) = rest.split_at_checked(data_length) else { return Ok(None) };
    let relative = |bytes: &[u8]| {
        let path = String::from_utf8_lossy(bytes);
        let path = path.strip_prefix(directory).unwrap_or(&path).trim_start_matches('/');
        path.trim_end_matches(" (deleted)").to_owned()
    };
    let path = relative(path);
    let operation = match kind {
        1 => Operation::Creating { path },
        2 => Operation::Created { path, inode },
        3 => {
            let missing = result.unsigned_abs();
            Operation::Write { path, inode, offset: size(number), data: data.to_vec(), missing }
        }
        4 => Operation::Truncate { inode, size: size(number) },
        5 => Operation::SyncBegin { path, inode, is_folder: result != 0, number },
        6 => {
            let synced = match result {
                0 => Synced::Truly,
                1 => Synced::Lied,
                _ => Synced::Failed,
            };
            Operation::SyncEnd { path, number, synced }
        }
        7 => Operation::Rename { from: path, to: relative(data) },
        8 => Operation::Unlink { path },
        9 => Operation::MakeFolder { path },
        10 => Operation::Failed { path, error: -result },
        _ => return Err(io::Error::other(format!("the journal has a record of unknown kind {kind}"))),
    };
    Ok(Some((operation, rest)))
}

fn size(number: u64) -> usize {
    usize::try_from(number).expect("files are small")
}
