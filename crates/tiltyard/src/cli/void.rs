//! `tiltyard void`: votes that do not count.

use anyhow::anyhow;
use clap::Args;
use serde::Deserialize;
use serde_json::json;
use tiltyard::arena::id::DuelId;
use tiltyard::arena::time::Time;

use super::client::{Again, Connection, plain, read};
use super::{Failure, moment};
use crate::printer::Printer;

/// Void a duel with its outcome, or all votes of a voter
///
/// The log keeps both the votes and that they were voided; what was learned from them is taken back.
#[derive(Debug, Args)]
pub(crate) struct Void {
    /// A duel's id; or with `--voter`, an experiment's id or name
    #[arg(value_name = "DUEL|EXPERIMENT")]
    target: String,
    /// Void all votes of this voter
    #[arg(long, value_name = "VOTER")]
    voter: Option<String>,
    /// Only votes recorded from this moment on: a time such as 2026-01-31T12:00:00Z, or so long ago, such as 90m
    #[arg(long, value_name = "TIME", requires = "voter", value_parser = moment::past)]
    since: Option<Time>,
    /// Only count them
    #[arg(long, requires = "voter")]
    dry_run: bool,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Deserialize)]
struct Voided {
    found: u64,
    voided: u64,
}

#[derive(Debug, Deserialize)]
struct Done {
    status: String,
}

impl Void {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        match &self.voter {
            Some(voter) => self.all_of(voter, printer),
            None => self.one(printer),
        }
    }

    fn one(&self, printer: &mut Printer) -> Result<(), Failure> {
        if let Err(error) = self.target.parse::<DuelId>() {
            let hints = vec![
                "`tiltyard void EXPERIMENT --voter VOTER` voids all votes of a voter".to_owned(),
                "a duel is named by the id that `tiltyard duel` printed".to_owned(),
            ];
            return Err(Failure::bad_input(error, hints));
        }
        let client = self.connection.open()?;
        let Done { status } = read(&client.delete(&format!("/v1/duels/{}", self.target), printer)?)?;
        printer.line(plain(&status));
        Ok(())
    }

    fn all_of(&self, voter: &str, printer: &mut Printer) -> Result<(), Failure> {
        if self.target.parse::<DuelId>().is_ok() {
            let error = anyhow!("`{}` is a duel, and `--voter` is about an experiment", self.target);
            return Err(Failure::bad_input(error, vec!["leave out one of them".to_owned()]));
        }
        let client = self.connection.open()?;
        let id = client.resolve(&self.target, printer)?;
        let mut body = json!({ "voter": voter, "dry_run": self.dry_run });
        if let Some(since) = self.since {
            body["since"] = since.to_string().into();
        }
        let answer = client.post(&format!("/v1/experiments/{id}/void"), Some(&body), Again::Safe, printer)?;
        let Voided { found, voided } = read(&answer)?;
        printer.line(if self.dry_run {
            format!("votes that would be voided: {found}")
        } else {
            format!("votes voided: {voided} of {found}")
        });
        Ok(())
    }
}
