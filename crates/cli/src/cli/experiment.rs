//! `tiltyard experiment`: what runs on a server, and what was counted.

use clap::{Args, Subcommand};
use serde::Deserialize;
use serde_json::json;

use super::client::experiment::Experiment;
use super::client::{Again, Connection, plain, read};
use super::standing::{self, Arm};
use super::{Failure, ListFormat, table};
use crate::printer::Printer;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List experiments
    List(List),
    /// Show an experiment, and what was counted of each arm
    Show(Show),
    /// Issue no more duels; outcomes of those in flight are still taken
    Pause(Change),
    /// Let a paused experiment run again
    Resume(Change),
    /// Take neither duels nor outcomes, for good
    ///
    /// Pause it first to wait for outcomes of duels in flight.
    Close(Change),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// How to print
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// Its id, or its name if no other has it
    experiment: String,
    /// How to print
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(crate) struct Change {
    /// Its id, or its name if no other has it
    experiment: String,
    #[command(flatten)]
    connection: Connection,
}

/// What is needed of a standing.
#[derive(Debug, Deserialize)]
struct Standing {
    recommended: String,
    arms: Vec<Arm>,
}

impl Command {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        match self {
            Self::List(list) => list.run(printer),
            Self::Show(show) => show.run(printer),
            Self::Pause(change) => change.run("pause", printer),
            Self::Resume(change) => change.run("resume", printer),
            Self::Close(change) => change.run("close", printer),
        }
    }
}

impl List {
    fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let all = self.connection.open()?.experiments(printer)?;
        if self.format == ListFormat::Json {
            printer.line(json!({ "experiments": all }));
            return Ok(());
        }
        let header = ["experiment", "arms", "duels", "votes", "in flight", "status", "policy", "name"];
        let mut rows = table::Rows::new(header.map(str::to_owned).to_vec());
        for experiment in &all {
            let Experiment { id, name, status, policy, n_arms, totals, .. } = read(experiment)?;
            let counts = [totals.duels, totals.votes, totals.in_flight].map(|count| count.to_string());
            let [duels, votes, in_flight] = counts;
            rows.push(vec![
                plain(&id),
                n_arms.to_string(),
                duels,
                votes,
                in_flight,
                plain(&status),
                plain(&policy),
                plain(&name),
            ]);
        }
        for line in rows.lines() {
            printer.line(line);
        }
        if all.is_empty() {
            printer.note("\nhint: `tiltyard new NAME --arm A --arm B` makes an experiment");
        }
        Ok(())
    }
}

impl Show {
    fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let client = self.connection.open()?;
        let id = client.resolve(&self.experiment, printer)?;
        let experiment = client.get(&format!("/v1/experiments/{id}"), printer)?;
        let standing = standing::fetch(&client, &id, self.format == ListFormat::Json, printer)?;
        if self.format == ListFormat::Json {
            printer.line(json!({ "experiment": experiment, "standing": standing }));
            return Ok(());
        }
        let Experiment { name, status, created_at, policy, totals, .. } = read(&experiment)?;
        printer.line(format_args!("{} ({})", plain(&name), plain(&id)));
        printer.line(format_args!("{}, {}, made {}", plain(&status), plain(&policy), plain(&created_at)));
        printer.line(format_args!(
            "{} votes of {} duels, {} in flight",
            totals.votes, totals.duels, totals.in_flight
        ));
        printer.line("");
        for line in table(&read(&standing)?).lines() {
            printer.line(line);
        }
        printer.note(
            "\nrecommended is what the policy would bet on now; `tiltyard standing EXPERIMENT` has the verdict",
        );
        Ok(())
    }
}

fn table(standing: &Standing) -> table::Rows {
    let labelled = standing.arms.iter().any(|arm| arm.label.is_some());
    let mut header =
        vec!["arm", "probability", "votes", "wins", "losses", "ties", "both bad", "unanswered", ""];
    if labelled {
        header.push("label");
    }
    let mut rows = table::Rows::new(header.into_iter().map(str::to_owned).collect());
    for arm in &standing.arms {
        let Arm { wins, losses, ties, both_bad, unanswered, .. } = *arm;
        let note = if arm.retired {
            "retired"
        } else if arm.name == standing.recommended {
            "recommended"
        } else {
            ""
        };
        let mut row = vec![
            plain(&arm.name),
            arm.probability.map_or_else(|| "-".to_owned(), |p| format!("{p:.4}")),
            arm.votes().to_string(),
            wins.to_string(),
            losses.to_string(),
            ties.to_string(),
            both_bad.to_string(),
            unanswered.to_string(),
            note.to_owned(),
        ];
        if labelled {
            row.push(arm.label.as_deref().map(plain).unwrap_or_default());
        }
        rows.push(row);
    }
    rows
}

impl Change {
    fn run(self, what: &str, printer: &mut Printer) -> Result<(), Failure> {
        let client = self.connection.open()?;
        let id = client.resolve(&self.experiment, printer)?;
        let changed = client.post(&format!("/v1/experiments/{id}/{what}"), None, Again::Safe, printer)?;
        let Experiment { id, name, status, .. } = read(&changed)?;
        printer.note(format_args!("{} ({}) is {}", plain(&name), plain(&id), plain(&status)));
        Ok(())
    }
}
