//! Snapshots as files in a directory, one file per snapshot. They can be deleted: the log has all
//! data.
//!
//! A file has three lines: what the snapshot is of, the state as JSON, and the SHA-256 hash of the
//! two lines.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::files::{private_directory, replace_file};
use super::{SnapshotOf, StoreError, WriteState};
use crate::domain::{Head, RecordHash};
use crate::id::ExperimentId;
use crate::key::hex;
use crate::time::Time;

/// The number of snapshots per experiment. The older one is a spare in case the newest is unusable.
const KEPT: usize = 2;

/// The directory with the snapshots of a store.
#[derive(Debug)]
pub(super) struct Snapshots {
    directory: PathBuf,
}

/// The first line of a file.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    experiment: ExperimentId,
    seq: u64,
    hash: RecordHash,
    at: Time,
}

impl Snapshots {
    /// The snapshots in a data directory.
    pub(super) fn of(data: &Path) -> Self {
        Self { directory: data.join("snapshots") }
    }

    fn path(&self, experiment: ExperimentId, seq: u64) -> PathBuf {
        self.directory.join(format!("{experiment}-{seq}.json"))
    }

    pub(super) fn keep(&self, of: SnapshotOf, write: &mut WriteState<'_>) -> Result<(), StoreError> {
        let SnapshotOf { experiment, head, at } = of;
        let mut keep = || {
            private_directory(&self.directory)?;
            replace_file(&self.path(experiment, head.seq), |file| {
                let mut out = BufWriter::with_capacity(1 << 16, Hashing { out: file, hasher: Sha256::new() });
                serde_json::to_writer(&mut out, &Header { experiment, seq: head.seq, hash: head.hash, at })?;
                out.write_all(b"\n")?;
                write(&mut out)?;
                out.write_all(b"\n")?;
                out.flush()?;
                let Hashing { out, hasher } = out.into_inner().map_err(io::IntoInnerError::into_error)?;
                writeln!(out, "{}", hex(&hasher.finalize()))
            })
        };
        keep().map_err(|error| unavailable(&error))?;
        for older in self.list(experiment)?.into_iter().skip(KEPT) {
            // A file that stays costs only room.
            let _ = fs::remove_file(self.path(experiment, older));
        }
        Ok(())
    }

    /// The log positions of an experiment's snapshots, newest first.
    pub(super) fn list(&self, experiment: ExperimentId) -> Result<Vec<u64>, StoreError> {
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unavailable(&error)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let name = entry.map_err(|error| unavailable(&error))?.file_name();
            let seq = name
                .to_str()
                .and_then(|name| name.strip_suffix(".json"))
                .and_then(|name| name.split_once('-'))
                .filter(|(id, _)| id.parse() == Ok(experiment))
                .and_then(|(_, seq)| seq.parse::<u64>().ok());
            found.extend(seq);
        }
        found.sort_unstable_by(|one, other| other.cmp(one));
        Ok(found)
    }

    pub(super) fn read(
        &self,
        experiment: ExperimentId,
        seq: u64,
    ) -> Result<(SnapshotOf, Vec<u8>), StoreError> {
        let path = self.path(experiment, seq);
        let mut bytes = fs::read(&path).map_err(|error| unavailable(&error))?;
        let damaged = || StoreError::Damaged {
            log: None,
            text: format!("the snapshot {} is damaged", path.file_name().unwrap_or_default().display()),
        };
        // The last line is the hash of the others.
        let end = bytes.strip_suffix(b"\n").and_then(|bytes| bytes.iter().rposition(|&byte| byte == b'\n'));
        let end = end.ok_or_else(damaged)? + 1;
        if hex(&Sha256::digest(&bytes[..end])).as_bytes() != &bytes[end..bytes.len() - 1] {
            return Err(damaged());
        }
        let start = bytes.iter().position(|&byte| byte == b'\n').ok_or_else(damaged)? + 1;
        let Header { experiment: of, seq: at_seq, hash, at } =
            serde_json::from_slice(&bytes[..start]).map_err(|_| damaged())?;
        if (of, at_seq) != (experiment, seq) {
            return Err(damaged());
        }
        bytes.truncate(end);
        bytes.drain(..start);
        Ok((SnapshotOf { experiment, head: Head { seq, hash }, at }, bytes))
    }
}

fn unavailable(error: &io::Error) -> StoreError {
    StoreError::Unavailable { text: format!("a snapshot: {error}") }
}

/// Hashes everything that is written.
struct Hashing<'a, W> {
    out: &'a mut W,
    hasher: Sha256,
}

impl<W: Write> Write for Hashing<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.out.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
