//! `tiltyard experiment`: lists, shows and changes the experiments of a server.

use clap::{Args, Subcommand};
use serde_json::json;
use tiltyard_wire::{ArmStanding, ExperimentView, Standing};

use super::client::{Connection, Retry, plain, read};
use super::standing;
use super::{Failure, ListFormat, table};
use crate::printer::Printer;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List experiments
    List(List),
    /// Show an experiment and the counts of each arm
    Show(Show),
    /// Stop issuing duels; outcomes of duels in flight are still accepted
    Pause(Change),
    /// Resume a paused experiment
    Resume(Change),
    /// End an experiment for good: it issues no duels and accepts no outcomes
    ///
    /// Pause it first to wait for the outcomes of duels in flight.
    Close(Change),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The experiment's id, or its name if that is unique
    experiment: String,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(crate) struct Change {
    /// The experiment's id, or its name if that is unique
    experiment: String,
    #[command(flatten)]
    connection: Connection,
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
            let ExperimentView { id, name, status, policy, n_arms, totals, .. } = read(experiment)?;
            let [duels, votes] = [totals.duels, totals.votes].map(|count| count.to_string());
            rows.push(vec![
                plain(&id),
                n_arms.to_string(),
                duels,
                votes,
                totals.in_flight.to_string(),
                status.to_string(),
                plain(&policy),
                plain(&name),
            ]);
        }
        for line in rows.lines() {
            printer.line(line);
        }
        if all.is_empty() {
            printer.note("\nhint: `tiltyard new NAME --arm A --arm B` creates an experiment");
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
        let ExperimentView { name, status, created_at, policy, totals, .. } = read(&experiment)?;
        printer.line(format_args!("{} ({})", plain(&name), plain(&id)));
        printer.line(format_args!("{}, {}, created {}", status, plain(&policy), plain(&created_at)));
        printer.line(format_args!(
            "{} votes, {} duels, {} in flight",
            totals.votes, totals.duels, totals.in_flight
        ));
        printer.line("");
        for line in table(&read(&standing)?).lines() {
            printer.line(line);
        }
        printer.note(
            "\nrecommended: the policy's current favourite; `tiltyard standing EXPERIMENT` shows the verdict",
        );
        Ok(())
    }
}

fn table(whole: &Standing) -> table::Rows {
    let labelled = whole.arms.iter().any(|arm| arm.label.is_some());
    let mut header =
        vec!["arm", "probability", "votes", "wins", "losses", "ties", "both bad", "unanswered", ""];
    if labelled {
        header.push("label");
    }
    let mut rows = table::Rows::new(header.into_iter().map(str::to_owned).collect());
    for arm in &whole.arms {
        let ArmStanding { wins, losses, ties, both_bad, unanswered, .. } = *arm;
        let note = if arm.retired {
            "retired"
        } else if arm.name == whole.recommended {
            "recommended"
        } else {
            ""
        };
        let mut row = vec![
            plain(&arm.name),
            arm.probability.map_or_else(|| "-".to_owned(), |p| format!("{p:.4}")),
            standing::votes(arm).to_string(),
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
        let changed = client.order(&format!("/v1/experiments/{id}/{what}"), Retry::Safe, printer)?;
        let ExperimentView { id, name, status, .. } = read(&changed)?;
        printer.note(format_args!("{} ({}) is {}", plain(&name), plain(&id), status));
        Ok(())
    }
}
