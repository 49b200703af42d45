//! Repairs a damaged data directory, with a backup or by cutting logs where the damage begins.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::{Found, UpkeepError, verify};
use crate::domain::{Event, Head, Repaired as RepairedEvent};
use crate::id::ExperimentId;
use crate::store::{
    OpenError, RebuiltLog, SqliteStore, StoreError, log_name, read_heads, rebuild, write_heads,
};
use crate::time::{Clock as _, SystemClock};

/// A repaired directory.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The logs that were changed.
    pub logs: Vec<RepairedLog>,
    /// The contents after the repair.
    pub found: Found,
}

/// A log that was repaired, or could not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairedLog {
    /// The experiment; [`ExperimentId::ARENA`] for the log of keys.
    pub experiment: ExperimentId,
    /// The number of records that came from the backup.
    pub from_backup: u64,
    /// The number of records that are sound now.
    pub sound: u64,
    /// The number of records after these that are lost.
    pub lost: u64,
    /// The number of voters and records whose names or contexts are lost. They count as erased.
    pub erased: u64,
    /// How many of the lost records can still be read, but not trusted. They are kept in a file.
    pub unverified: usize,
}

impl RepairedLog {
    fn new(log: &RebuiltLog) -> Self {
        Self {
            experiment: log.experiment,
            from_backup: log.filled,
            sound: log.end.seq,
            lost: log.lost(),
            erased: log.erased,
            unverified: log.rest.len(),
        }
    }

    /// The name of the log in messages.
    pub fn name(&self) -> String {
        log_name(self.experiment)
    }

    /// The name of the file in the directory that keeps the lost records that can still be read.
    pub fn rest_file(&self) -> String {
        format!("lost-{}-after-{}.jsonl", self.experiment, self.sound)
    }
}

/// Repairs a data directory on which no server runs. Every record that is damaged or missing is
/// taken from the backup, if that has it and it fits. A log in `cut` may end before records that
/// nobody has; the loss is counted in a record of the log. Names and contexts of such a log that
/// nobody has are erased. The damaged database is kept beside the new one.
///
/// # Errors
///
/// [`UpkeepError::Lost`] if records are lost in a log that may not be cut: nothing is changed then.
/// Other errors if the directory or the backup cannot be used.
pub fn repair(
    directory: &Path,
    backup: Option<&Path>,
    cut: &BTreeSet<ExperimentId>,
) -> Result<Repaired, UpkeepError> {
    let target = SqliteStore::file(directory);
    if !SqliteStore::is_present(directory) {
        return Err(OpenError::Missing { path: target }.into());
    }
    // Held to the end, so that no server starts meanwhile.
    let _lock = SqliteStore::lock(directory)?;
    SqliteStore::mend(directory).map_err(|source| UpkeepError::Write { path: target.clone(), source })?;
    if let Ok(found) = verify(directory)
        && found.is_sound()
    {
        return Ok(Repaired { logs: Vec::new(), found });
    }
    let damaged = match SqliteStore::open_read_only(directory) {
        Ok(store) => Some(store),
        // Nothing of it can be read.
        Err(OpenError::Store(StoreError::Damaged { .. } | StoreError::Foreign { .. })) => None,
        Err(error) => return Err(error.into()),
    };
    let backup = backup.map(SqliteStore::open_read_only).transpose()?;
    let sources: Vec<&SqliteStore> = damaged.iter().chain(&backup).collect();
    let mut reached: BTreeMap<ExperimentId, Head> = read_heads(directory);
    reached.entry(ExperimentId::ARENA).or_insert(Head::EMPTY);
    for source in &sources {
        for (log, head) in source.known() {
            let known = reached.entry(log).or_insert(head);
            if head.seq > known.seq {
                *known = head;
            }
        }
        // A damaged index of experiments must not hide the logs that the heads name.
        for log in crate::store::Store::experiments(*source).unwrap_or_default() {
            reached.entry(log).or_insert(Head::EMPTY);
        }
    }
    let now = SystemClock.now();
    let mut logs = Vec::new();
    let heads = rebuild(&target, &sources, &reached, |rebuilt| {
        let lost: Vec<RepairedLog> = rebuilt
            .iter()
            .filter(|log| (log.lost() > 0 || log.erased > 0) && !cut.contains(&log.experiment))
            .map(RepairedLog::new)
            .collect();
        if !lost.is_empty() {
            return Err(UpkeepError::Lost { logs: lost });
        }
        let mut events = Vec::new();
        for log in rebuilt {
            let repaired = RepairedLog::new(log);
            if repaired.unverified > 0 {
                let path = directory.join(repaired.rest_file());
                let written = fs::write(&path, log.rest.join("\n") + "\n");
                written.map_err(|source| UpkeepError::Write { path, source })?;
            }
            // The log of keys has no such event, and an empty log cannot begin with it.
            if repaired.lost > 0 && repaired.sound > 0 && log.experiment != ExperimentId::ARENA {
                let event = Event::Repaired(RepairedEvent { lost: repaired.lost });
                events.push((log.experiment, now.max(log.at), event));
            }
            if repaired.lost > 0 || repaired.erased > 0 || repaired.from_backup > 0 {
                logs.push(repaired);
            }
        }
        Ok(events)
    })?;
    drop(sources);
    write_heads(directory, heads)
        .map_err(|source| UpkeepError::Write { path: directory.to_owned(), source })?;
    // They may belong to records that are gone. The logs have everything.
    let _ = fs::remove_dir_all(directory.join("snapshots"));
    Ok(Repaired { logs, found: verify(directory)? })
}
