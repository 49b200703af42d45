//! Checks an exported log, which anyone can do: the hashes need no secret.
//!
//! The file has one JSON object per line: the records in order, and in the last line the head.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::arena::digest;
use crate::domain::{Experiment, Fold, FoldError, Head, Kind, RecordHash};
use crate::id::ExperimentId;
use crate::store::{StoreError, StoredRecord};
use crate::time::Time;

/// A line of an exported log.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum LogLine {
    /// A record, with the bytes that its hash covers.
    Record { experiment: ExperimentId, seq: u64, at: Time, kind: i64, body: String, hash: RecordHash },
    /// The last line of a complete file.
    Head { head: HeadLine },
    /// The last line of a damaged log.
    Damage { damage: String },
}

/// The head of a log, in the last line of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HeadLine {
    seq: u64,
    hash: RecordHash,
}

impl LogLine {
    pub(crate) fn record(stored: &StoredRecord<'_>) -> Self {
        let StoredRecord { experiment, seq, at, kind, body, hash } = *stored;
        Self::Record { experiment, seq, at, kind, body: body.to_owned(), hash }
    }

    pub(crate) fn head(Head { seq, hash }: Head) -> Self {
        Self::Head { head: HeadLine { seq, hash } }
    }
}

/// An exported log that is sound.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedLog {
    pub experiment: ExperimentId,
    pub name: String,
    /// The number of records.
    pub records: u64,
    /// The number of votes that count.
    pub votes: u64,
    /// The hash of the last record.
    pub head: RecordHash,
    /// A fingerprint of the state to which the log folds.
    pub digest: String,
}

/// Why an exported log is not sound.
#[expect(missing_docs, reason = "the messages describe them")]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LogFileError {
    #[error("could not read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("line {line}: it is not a record of a log ({reason})")]
    Line { line: u64, reason: String },
    #[error("line {line}: {damage}")]
    Damaged { line: u64, damage: String },
    #[error("line {line}: the record belongs to another experiment, {experiment}")]
    Mixed { line: u64, experiment: ExperimentId },
    #[error("line {line}: a record follows the head of the log")]
    Continued { line: u64 },
    #[error("the file ends with the head of another log or of another position")]
    Head,
    #[error("the file is incomplete: the line with the head of the log is missing")]
    Incomplete,
    #[error("the file has no record")]
    Empty,
    #[error("the log was damaged when it was exported: {damage}")]
    Exported { damage: String },
    #[error(transparent)]
    Fold(#[from] FoldError),
}

/// Checks an exported log: every hash, that it is complete, and that it can be folded.
///
/// # Errors
///
/// If the file cannot be read, or is not a whole and sound log.
pub fn verify_log(path: &Path) -> Result<VerifiedLog, LogFileError> {
    let mut voided = BTreeSet::new();
    let head = scan(path, &mut |stored| {
        if let Some(Kind::Voided | Kind::ImportVoided) = Kind::from_number(stored.kind) {
            voided.extend(stored.record()?.event.duel());
        }
        Ok(())
    })?;
    let mut fold = Fold::forgetting(voided);
    let mut failure = None;
    scan(path, &mut |stored| {
        let record = stored.record()?;
        if failure.is_none() {
            failure = fold.push(&record).err();
        }
        Ok(())
    })?;
    if let Some(error) = failure {
        return Err(error.into());
    }
    let experiment: Experiment = fold.finish().ok_or(LogFileError::Empty)?;
    Ok(VerifiedLog {
        experiment: experiment.id(),
        name: experiment.name().to_owned(),
        records: head.seq,
        votes: experiment.totals().votes,
        head: head.hash,
        digest: digest(&experiment),
    })
}

/// Checks the hashes of a file, and visits its records.
fn scan(
    path: &Path,
    visit: &mut dyn FnMut(&StoredRecord<'_>) -> Result<(), StoreError>,
) -> Result<Head, LogFileError> {
    let read = |source| LogFileError::Read { path: path.to_owned(), source };
    let lines = BufReader::new(File::open(path).map_err(read)?).lines();
    let mut head = Head::EMPTY;
    let mut log = None;
    let mut is_complete = false;
    for (line, text) in (1..).zip(lines) {
        let text = text.map_err(read)?;
        if is_complete {
            return Err(LogFileError::Continued { line });
        }
        let parsed = serde_json::from_str(&text);
        match parsed.map_err(|error| LogFileError::Line { line, reason: error.to_string() })? {
            LogLine::Record { experiment, seq, at, kind, body, hash } => {
                if *log.get_or_insert(experiment) != experiment {
                    return Err(LogFileError::Mixed { line, experiment });
                }
                let stored = StoredRecord { experiment, seq, at, kind, body: &body, hash };
                let damaged = |error| match error {
                    StoreError::Damaged { text, .. } => LogFileError::Damaged { line, damage: text },
                    error => LogFileError::Damaged { line, damage: error.to_string() },
                };
                head = stored.check(head).map_err(damaged)?;
                visit(&stored).map_err(damaged)?;
            }
            LogLine::Head { head: last } => {
                if last != (HeadLine { seq: head.seq, hash: head.hash }) {
                    return Err(LogFileError::Head);
                }
                is_complete = true;
            }
            LogLine::Damage { damage } => return Err(LogFileError::Exported { damage }),
        }
    }
    if is_complete { Ok(head) } else { Err(LogFileError::Incomplete) }
}
