//! `tiltyard verify|backup|restore`: check, repair, copy and restore a server's data.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::Args;
use tiltyard::arena::arena::SetApart;
use tiltyard::arena::id::ExperimentId;
use tiltyard::arena::upkeep::{self, Found, LogFileError, RepairedLog, UpkeepError, VerifiedLog};

use super::client::plain;
use super::serve::open_failure;
use super::{Failure, table};
use crate::printer::Printer;

/// Check a server's data, or an exported log, and repair damaged data
///
/// The check reads every record with its hash, the indexes, the heads of all logs, and compares
/// snapshots with the logs. The server may be running. A backup can be checked in the same way. A
/// repair needs the server stopped. It keeps the damaged database beside the new one.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// An exported log (`tiltyard export --format log`) to check instead of a server's data
    #[arg(value_name = "LOG", conflicts_with_all = ["data", "repair_from", "cut"])]
    log: Option<PathBuf>,
    /// The server's directory, or a backup
    #[arg(long, value_name = "DIR|FILE", default_value = "tiltyard-data")]
    data: PathBuf,
    /// Take damaged and missing records from this backup
    #[arg(long, value_name = "BACKUP")]
    repair_from: Option<PathBuf>,
    /// Cut the log of this experiment where its damage begins; all later records are lost, and
    /// counted (`keys`: the log of keys)
    #[arg(long, value_name = "ID")]
    cut: Vec<String>,
}

/// Copy a server's data to a file, then check the copy by replaying it
///
/// The server may be running.
#[derive(Debug, Args)]
pub(crate) struct Backup {
    /// The server's directory
    #[arg(long, value_name = "DIR", default_value = "tiltyard-data")]
    data: PathBuf,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Restore a server's directory from a backup
#[derive(Debug, Args)]
pub(crate) struct Restore {
    /// The backup
    file: PathBuf,
    /// The directory to create
    #[arg(long, value_name = "DIR", default_value = "tiltyard-data")]
    data: PathBuf,
}

impl Verify {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        if let Some(log) = &self.log {
            return verify_log(log, printer);
        }
        if self.repair_from.is_some() || !self.cut.is_empty() {
            return self.repair(printer);
        }
        let found = upkeep::verify(&self.data).map_err(failure)?;
        show(&found, printer);
        if found.is_sound() {
            printer.note(format_args!("\n{}: no errors found", self.data.display()));
            return Ok(());
        }
        Err(damaged(&found, Some(&self.data)))
    }

    fn repair(&self, printer: &mut Printer) -> Result<(), Failure> {
        let cut = self.cut.iter().map(|id| match id.as_str() {
            "keys" => Ok(ExperimentId::ARENA),
            id => id.parse().map_err(|error| {
                Failure::bad_input(error, vec!["`tiltyard verify` shows the ids of experiments".to_owned()])
            }),
        });
        let cut = cut.collect::<Result<_, Failure>>()?;
        let repaired = upkeep::repair(&self.data, self.repair_from.as_deref(), &cut).map_err(failure)?;
        show(&repaired.found, printer);
        printer.note("");
        if repaired.logs.is_empty() {
            printer.note("no log needed a repair");
        }
        for log in &repaired.logs {
            if log.from_backup > 0 {
                printer.note(format_args!(
                    "{}: {} came from the backup",
                    log.name(),
                    records(log.from_backup)
                ));
            }
            if log.lost > 0 {
                printer.note(lost(log));
            }
            if log.erased > 0 {
                printer.note(format_args!(
                    "{}: {} names of voters and contexts are lost; they are marked as erased",
                    log.name(),
                    log.erased
                ));
            }
            if log.unverified > 0 {
                let file = log.rest_file();
                printer
                    .note(format_args!("{} of them can be read but not trusted: see {file}", log.unverified));
            }
        }
        if repaired.found.is_sound() { Ok(()) } else { Err(damaged(&repaired.found, None)) }
    }
}

fn records(count: u64) -> String {
    if count == 1 { "1 record".to_owned() } else { format!("{count} records") }
}

fn lost(log: &RepairedLog) -> String {
    format!("{}: {} after record {} are lost", log.name(), records(log.lost), log.sound)
}

/// Checks an exported log.
fn verify_log(path: &Path, printer: &mut Printer) -> Result<(), Failure> {
    let log = upkeep::verify_log(path).map_err(|error| match error {
        error @ LogFileError::Read { .. } => Failure::bad_input(error, Vec::new()),
        error @ (LogFileError::Incomplete | LogFileError::Line { .. }) => {
            let error = anyhow::Error::from(error).context(format!("{} is not a whole log", path.display()));
            Failure::broken(error).with_hint("`tiltyard export EXPERIMENT --format log` writes one")
        }
        error => {
            Failure::broken(anyhow::Error::from(error).context(format!("{} is not sound", path.display())))
        }
    })?;
    let VerifiedLog { experiment, name, records, votes, head, digest } = log;
    printer.line(format_args!("experiment  {experiment}"));
    printer.line(format_args!("name        {}", plain(&name)));
    printer.line(format_args!("records     {records}"));
    printer.line(format_args!("votes       {votes}"));
    printer.line(format_args!("head        {head}"));
    printer.line(format_args!("digest      {digest}"));
    printer.note(format_args!("\n{}: the log is complete, and every record fits its hash", path.display()));
    Ok(())
}

/// The damage, and what to do about it.
fn damaged(found: &Found, data: Option<&Path>) -> Failure {
    let mut lines = Vec::new();
    for SetApart { id, name, sound, damage } in &found.damaged {
        let name = name.as_deref().map_or(String::new(), |name| format!(" \"{}\"", plain(name)));
        lines.push(format!("experiment {id}{name}: {damage}; the {} before it are sound", records(*sound)));
    }
    lines.extend(found.damage.iter().cloned());
    let mut failure = Failure::broken(anyhow!("the data is damaged\n  {}", lines.join("\n  ")));
    let Some(data) = data else { return failure };
    let data = data.display();
    if found.damaged.is_empty() && !found.damage.iter().any(|damage| damage.contains("the log of keys")) {
        return failure.with_hint(
            "the logs are sound: `tiltyard serve` ignores damaged snapshots and writes the file of heads anew; make a backup, and check the disk",
        );
    }
    failure = failure.with_hint(&format!(
        "stop the server and run `tiltyard verify --data {data} --repair-from BACKUP`, which takes the damaged records from a backup"
    ));
    let cut = found.damaged.first().map_or("keys".to_owned(), |apart| apart.id.to_string());
    failure.with_hint(&format!(
        "without a backup, `tiltyard verify --data {data} --cut {cut}` keeps the sound records and gives up the others"
    ))
}

impl Backup {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let found = upkeep::back_up(&self.data, &self.out).map_err(failure)?;
        show(&found, printer);
        printer.note(format_args!("\n{} was written, and replaying it found no errors", self.out.display()));
        Ok(())
    }
}

impl Restore {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let found = upkeep::restore(&self.file, &self.data).map_err(failure)?;
        show(&found, printer);
        printer.note(format_args!("\n{} is ready for `tiltyard serve`", self.data.display()));
        Ok(())
    }
}

fn show(found: &Found, printer: &mut Printer) {
    let header = ["experiment", "name", "records", "votes", "digest"].map(str::to_owned).to_vec();
    let mut rows = table::Rows::words(header);
    for experiment in &found.experiments {
        rows.push(vec![
            experiment.id.to_string(),
            experiment.name.clone(),
            experiment.records.to_string(),
            experiment.votes.to_string(),
            experiment.digest[..16].to_owned(),
        ]);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    for experiment in &found.experiments {
        if let Some(version) = experiment.written_with {
            printer.note(format_args!(
                "\nnote: {} was begun with version {version} of its policy's updates; the current version learns differently from its votes",
                experiment.id
            ));
        }
    }
}

fn failure(error: UpkeepError) -> Failure {
    match error {
        UpkeepError::Open(error) => open_failure(error),
        UpkeepError::Exists { .. } => {
            Failure::bad_input(error, vec!["move it away, or choose another name".to_owned()])
        }
        UpkeepError::InUse { .. } => Failure::bad_input(
            error,
            vec!["use `tiltyard backup --data DIR`, which also works after a server was killed".to_owned()],
        ),
        UpkeepError::Damaged { found } => damaged(&found, None)
            .with_hint("nothing was written; `tiltyard verify --data DIR` says how to repair a directory"),
        UpkeepError::Lost { logs } => {
            let lines: Vec<String> = logs.iter().map(lost).collect();
            let error = anyhow!("some records cannot be recovered\n  {}", lines.join("\n  "));
            let cut: Vec<String> = logs
                .iter()
                .map(|log| match log.experiment {
                    ExperimentId::ARENA => "--cut keys".to_owned(),
                    id => format!("--cut {id}"),
                })
                .collect();
            Failure::broken(error)
                .with_hint("nothing was changed; try a newer backup")
                .with_hint(&format!("to give these records up, add `{}`", cut.join(" ")))
        }
        error => Failure::broken(error),
    }
}
