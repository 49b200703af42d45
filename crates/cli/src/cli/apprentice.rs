//! `tiltyard apprentice`: a policy that learns before it draws duels.

use clap::{Args, Subcommand};
use serde_json::Value;
use tiltyard_wire::{self as wire, ApprenticeArm, ApprenticeBody, ExperimentView};

use super::client::{Connection, Retry, TextFormat, plain, read};
use super::{Failure, table};
use crate::printer::Printer;

/// Let another policy learn from every outcome before it takes over
#[derive(Debug, Args)]
pub(crate) struct Apprentice {
    /// The experiment's id, or its name if that is unique
    experiment: String,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start an apprentice: it learns from every outcome and draws no duels
    Begin(Begin),
    /// Show what the apprentice has learned
    Show(Plain),
    /// Remove the apprentice
    Dismiss(Plain),
    /// Let the apprentice draw the duels from now on, with what it has learned
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
    /// Output format
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
        // `begin` and `take-over` are not repeated: the server would refuse them the second time.
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
                printer.note(format_args!("{} now learns from every outcome", plain(&policy)));
            }
            Self::Show(_) => show(&read(answer)?, printer),
            Self::Dismiss(_) => printer.note("the apprentice was removed"),
            Self::TakeOver(_) => {
                let ExperimentView { id, name, policy, .. } = read(answer)?;
                let [id, name, policy] = [id, name, policy].map(|text| plain(&text));
                printer.note(format_args!("{policy} now draws the duels of {name} ({id})"));
            }
        }
        Ok(())
    }
}

fn show(learner: &wire::Apprentice, printer: &mut Printer) {
    let wire::Apprentice { policy, began, lessons, recommended, recommended_by_policy, arms } = learner;
    let [policy, own, present] = [policy, recommended, recommended_by_policy].map(|text| plain(text));
    printer.line(format_args!("{policy}, learning since position {began} of the log"));
    printer.line(format_args!("outcomes learned from: {lessons}"));
    printer.line(format_args!("it recommends {own}; the current policy recommends {present}"));
    if arms.is_empty() {
        printer.note("\nthis policy does not know how often it would show each arm");
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
    printer.note("\ntraffic: how often it would show the arm now");
}
