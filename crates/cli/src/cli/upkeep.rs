//! `tiltyard verify|backup|restore`: check, copy and restore a server's data.

use std::path::PathBuf;

use clap::Args;
use tiltyard::arena::upkeep::{self, Found, UpkeepError};

use super::serve::open_failure;
use super::{Failure, table};
use crate::printer::Printer;

/// Check a server's data: the file, every record, and that snapshots agree with the log
///
/// The server may be running. A backup can be checked in the same way.
#[derive(Debug, Args)]
pub(crate) struct Verify {
    /// The server's directory, or a backup
    #[arg(long, value_name = "DIR|FILE", default_value = "tiltyard-data")]
    data: PathBuf,
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
        let found = upkeep::verify(&self.data).map_err(failure)?;
        show(&found, printer);
        printer.note(format_args!("\n{}: no errors found", self.data.display()));
        Ok(())
    }
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
        UpkeepError::Growing { .. } => Failure::broken(error)
            .with_hint("use `tiltyard backup`, which makes a copy that does not change, and checks it"),
        error => Failure::broken(error),
    }
}
