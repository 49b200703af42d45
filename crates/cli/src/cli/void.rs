//! `tiltyard void`: takes votes back.

use anyhow::anyhow;
use clap::Args;
use tiltyard::arena::id::DuelId;
use tiltyard::arena::time::Time;
use tiltyard_wire::{DoneView, Effect, VoidBody, VoidView, VotesNeeded};

use super::client::{Connection, Retry, TextFormat, plain, read};
use super::{Failure, moment};
use crate::printer::Printer;

/// Void a duel with its outcome, or all votes of a voter
///
/// The policy forgets what it learned from the votes. The log keeps them, and records that they
/// were voided.
#[derive(Debug, Args)]
pub(crate) struct Void {
    /// A duel's id; with `--voter`, an experiment's id or name
    #[arg(value_name = "DUEL|EXPERIMENT")]
    target: String,
    /// Void all votes of this voter
    #[arg(long, value_name = "VOTER")]
    voter: Option<String>,
    /// Only votes recorded since then: a time such as 2026-01-31T12:00:00Z, or a duration before
    /// now such as 90m
    #[arg(long, value_name = "TIME", requires = "voter", value_parser = moment::past)]
    since: Option<Time>,
    /// Only count the votes, and show what would change
    #[arg(long, requires = "voter")]
    dry_run: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: TextFormat,
    #[command(flatten)]
    connection: Connection,
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
                "use the duel's id, as `tiltyard duel` printed it".to_owned(),
            ];
            return Err(Failure::bad_input(error, hints));
        }
        let client = self.connection.open()?;
        let answer = client.delete(&format!("/v1/duels/{}", self.target), printer)?;
        if self.format == TextFormat::Json {
            printer.line(answer);
            return Ok(());
        }
        let DoneView { status } = read(&answer)?;
        printer.line(status);
        Ok(())
    }

    fn all_of(&self, voter: &str, printer: &mut Printer) -> Result<(), Failure> {
        if self.target.parse::<DuelId>().is_ok() {
            let error = anyhow!("`{}` is a duel, but `--voter` needs an experiment", self.target);
            return Err(Failure::bad_input(
                error,
                vec!["leave out `--voter`, or name an experiment instead of the duel".to_owned()],
            ));
        }
        let client = self.connection.open()?;
        let id = client.resolve(&self.target, printer)?;
        let since = self.since.map(|since| since.to_string());
        let body = VoidBody { voter: voter.to_owned(), since, dry_run: self.dry_run };
        let answer = client.post(&format!("/v1/experiments/{id}/void"), &body, Retry::Safe, printer)?;
        if self.format == TextFormat::Json {
            printer.line(answer);
            return Ok(());
        }
        let VoidView { found, voided, before, after } = read(&answer)?;
        printer.line(if self.dry_run {
            format!("votes that would be voided: {found}")
        } else {
            format!("votes voided: {voided} of {found}")
        });
        if self.dry_run {
            for line in changes(&before, &after) {
                printer.line(line);
            }
        }
        Ok(())
    }
}

/// What would change without the votes.
fn changes(before: &Effect, after: &Effect) -> Vec<String> {
    if before == after {
        return vec!["the verdict would not change".to_owned()];
    }
    let arm = |name: &Option<String>| name.as_ref().map_or_else(|| "none".to_owned(), |name| plain(name));
    let votes = |effect: &Effect| match (&effect.leader, effect.votes_needed) {
        (Some(_), _) => "none".to_owned(),
        (None, Some(VotesNeeded { as_so_far, .. })) => format!("about {as_so_far}"),
        (None, None) => "unknown".to_owned(),
    };
    let lines = [
        ("leader", arm(&before.leader), arm(&after.leader)),
        ("front runner", arm(&before.front_runner), arm(&after.front_runner)),
        ("votes needed for a leader", votes(before), votes(after)),
    ];
    let line = |(what, before, after): (&str, String, String)| {
        if before == after {
            format!("{what}: {before}, unchanged")
        } else {
            format!("{what}: {before} -> {after}")
        }
    };
    lines.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_what_would_change() {
        let effect = |leader: Option<&str>, front: Option<&str>, votes: Option<u64>| Effect {
            leader: leader.map(str::to_owned),
            front_runner: front.map(str::to_owned),
            votes_needed: votes.map(|as_so_far| VotesNeeded { at_best: 1, as_so_far }),
        };
        let leads = || effect(Some("a\u{1b}"), Some("a\u{1b}"), None);
        assert_eq!(changes(&leads(), &leads()), ["the verdict would not change"]);
        assert_eq!(
            changes(&leads(), &effect(None, Some("b"), Some(120))),
            [
                "leader: a\u{fffd} -> none",
                "front runner: a\u{fffd} -> b",
                "votes needed for a leader: none -> about 120",
            ]
        );
        assert_eq!(
            changes(&effect(None, Some("b"), Some(9)), &effect(None, Some("b"), None)),
            [
                "leader: none, unchanged",
                "front runner: b, unchanged",
                "votes needed for a leader: about 9 -> unknown",
            ]
        );
    }
}
