//! `tiltyard apprentice`: a policy that learns before it draws duels.

use clap::{Args, Subcommand};
use serde_json::Value;
use tiltyard_wire::{self as wire, ApprenticeArm, ApprenticeBody, ExperimentView};

use super::client::{Connection, Retry, TextFormat, plain, read};
use super::{Failure, table};
use crate::printer::Printer;

/// A policy that learns from every outcome, before it may take over
#[derive(Debug, Args)]
pub(crate) struct Apprentice {
    /// The experiment's id, or its name if no other has it
    experiment: String,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Let a policy learn from every outcome, without drawing a duel
    Begin(Begin),
    /// Show how it does
    Show(Plain),
    /// Send it away
    Dismiss(Plain),
    /// Let it draw the duels from now on, with what it has learned
    TakeOver(Plain),
}

#[derive(Debug, Args)]
struct Begin {
    /// The policy, as `name` or `name:key=value,...`; `tiltyard policy list` shows all
    policy: String,
    #[command(flatten)]
    plain: Plain,
}

#[derive(Debug, Args)]
struct Plain {
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: TextFormat,
    #[command(flatten)]
    connection: Connection,
}

impl Apprentice {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let (Command::Begin(Begin { plain, .. })
        | Command::Show(plain)
        | Command::Dismiss(plain)
        | Command::TakeOver(plain)) = &self.command;
        let client = plain.connection.open()?;
        let id = client.resolve(&self.experiment, printer)?;
        let path = format!("/v1/experiments/{id}/apprentice");
        // A second time would be refused: who knows whether the first came through.
        let answer = match &self.command {
            Command::Begin(Begin { policy, .. }) => {
                let body = ApprenticeBody { policy: policy.clone() };
                client.post(&path, &body, Retry::Unsafe, printer)?
            }
            Command::Show(_) => client.get(&path, printer)?,
            Command::Dismiss(_) => client.delete(&path, printer)?,
            Command::TakeOver(_) => client.order(&format!("{path}/take-over"), Retry::Unsafe, printer)?,
        };
        if plain.format == TextFormat::Json {
            printer.line(answer);
            return Ok(());
        }
        self.command.tell(&answer, printer)
    }
}

impl Command {
    fn tell(&self, answer: &Value, printer: &mut Printer) -> Result<(), Failure> {
        match self {
            Self::Begin(_) => {
                let wire::Apprentice { policy, .. } = read(answer)?;
                printer.note(format_args!("{} learns from every outcome from now on", plain(&policy)));
            }
            Self::Show(_) => show(&read(answer)?, printer),
            Self::Dismiss(_) => printer.note("the apprentice is gone"),
            Self::TakeOver(_) => {
                let ExperimentView { id, name, policy, .. } = read(answer)?;
                let [id, name, policy] = [id, name, policy].map(|text| plain(&text));
                printer.note(format_args!("{policy} draws the duels of {name} ({id}) from now on"));
            }
        }
        Ok(())
    }
}

fn show(learner: &wire::Apprentice, printer: &mut Printer) {
    let wire::Apprentice { policy, began, lessons, recommended, recommended_by_policy, arms } = learner;
    let [policy, own, present] = [policy, recommended, recommended_by_policy].map(|text| plain(text));
    printer.line(format_args!("{policy}, which learns from place {began} of the log on"));
    printer.line(format_args!("outcomes learned from: {lessons}"));
    printer.line(format_args!("it would bet on {own}, the present policy on {present}"));
    if arms.is_empty() {
        printer.note("\nthis policy cannot tell how often it would show an arm");
        return;
    }
    let mut rows = table::Rows::numbers(1, &["traffic", "arm"]);
    for ApprenticeArm { name, probability } in arms {
        rows.push(vec![format!("{:.1} %", 100.0 * probability), plain(name)]);
    }
    printer.line("");
    for line in rows.lines() {
        printer.line(line);
    }
    printer.note("\ntraffic: how often it would show an arm now");
}
