//! `tiltyard arm`: adds, retires and restores arms while an experiment runs.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, Subcommand};
use tiltyard_wire::{ArmInput, ArmsBody};

use super::Failure;
use super::client::{Connection, Retry, encode};
use super::new::{from_file, named};
use crate::printer::Printer;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add arms
    Add(Add),
    /// Stop proposing arms; outcomes of their duels in flight are still accepted
    Retire(Change),
    /// Restore retired arms, with everything learned about them
    Restore(Change),
}

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The experiment's id, or its name if that is unique
    experiment: String,
    /// Names of the arms
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// File of arms: one name per line, or JSON,
    /// `["a", {"name": "b", "label": "B", "payload": ...}]`
    #[arg(long, value_name = "FILE")]
    arms_file: Option<PathBuf>,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(crate) struct Change {
    /// The experiment's id, or its name if that is unique
    experiment: String,
    /// Names of the arms
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    connection: Connection,
}

impl Command {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        match self {
            Self::Add(add) => add.run(printer),
            Self::Retire(change) => change.run("retire", "retired", printer),
            Self::Restore(change) => change.run("restore", "restored", printer),
        }
    }
}

impl Add {
    fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let mut arms: Vec<ArmInput> = self.names.into_iter().map(named).collect();
        if let Some(path) = &self.arms_file {
            arms.extend(from_file(path)?);
        }
        if arms.is_empty() {
            let hints = vec!["name arms after the experiment, or a file with `--arms-file`".to_owned()];
            return Err(Failure::bad_input(anyhow!("no arms are given"), hints));
        }
        let client = self.connection.open()?;
        let id = client.resolve(&self.experiment, printer)?;
        let path = format!("/v1/experiments/{id}/arms");
        // The server adds all of them or none, in one event.
        let n_arms = arms.len();
        client.post(&path, &ArmsBody { arms }, Retry::Unsafe, printer)?;
        printer.note(match n_arms {
            1 => "1 arm added".to_owned(),
            n => format!("{n} arms added"),
        });
        Ok(())
    }
}

impl Change {
    fn run(self, what: &str, done: &str, printer: &mut Printer) -> Result<(), Failure> {
        let client = self.connection.open()?;
        let id = client.resolve(&self.experiment, printer)?;
        for name in &self.names {
            let path = format!("/v1/experiments/{id}/arms/{}/{what}", encode(name));
            client.order(&path, Retry::Unsafe, printer)?;
            printer.note(format_args!("`{name}` is {done}"));
        }
        Ok(())
    }
}
