//! `tiltyard world`: what answers duels.

mod build;
mod check;
mod heat_map;
mod show;

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::{Value, json};
use tiltyard::world::builtin::{self, WorldError};
use tiltyard::world::delivery::{Delivery, WRAPPERS};
use tiltyard::{Arm, Spec};

use self::check::check;
use self::show::Show;
use super::{Failure, ListFormat, table};
use crate::number;
use crate::printer::Printer;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The built-in worlds
    List {
        /// How to print
        #[arg(long, value_enum, default_value = "table")]
        format: ListFormat,
    },
    /// One world: its arms, winners, gaps, circles and assumptions, and its matrix as a picture
    Show {
        /// A built-in world or a matrix file
        world: String,
        /// Rounds of a run, for worlds that depend on it
        /// [default: 1e5, or as many as a file of utilities has]
        #[arg(long, value_name = "T", value_parser = number::count)]
        rounds: Option<u64>,
        /// Write the matrix as a picture to this file
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
        /// How to print
        #[arg(long, value_enum, default_value = "table")]
        format: ListFormat,
    },
    /// Check a world, and which assumptions of the algorithms hold in it
    Check {
        /// A built-in world or a matrix file
        world: String,
    },
    /// Make a matrix of something else
    #[command(subcommand)]
    Build(build::Command),
}

impl Command {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        match self {
            Self::List { format } => list(format, printer),
            Self::Show { world, rounds, svg, format } => {
                let rounds = rounds.map_or_else(|| usual_rounds(&world), Ok)?;
                let (inner, delivery) = Delivery::split(&world, rounds)?;
                let svg = svg.as_deref();
                let opened = builtin::open(inner, rounds)?;
                Show { name: &world, inner, delivery, rounds, svg, format, printer }.show(&opened)?;
            }
            Self::Check { world } => {
                // How its outcomes are delivered does not change what holds in a world.
                let rounds = usual_rounds(&world)?;
                let (inner, _) = Delivery::split(&world, rounds)?;
                check(&builtin::open(inner, rounds)?, &world, printer);
            }
            Self::Build(command) => command.run(printer)?,
        }
        Ok(())
    }
}

/// How long a run in a world usually is: 1e5 rounds, or as many as it has where it has fewer.
fn usual_rounds(world: &str) -> Result<u64, WorldError> {
    const USUAL: u64 = 100_000;
    let (inner, _) = Delivery::split(world, USUAL)?;
    // Other worlds have no end, and some take long to make.
    let family = inner.parse::<Spec>().ok().and_then(|spec| builtin::family(spec.name()));
    if family.is_some_and(|family| family.needs_file)
        && let Err(WorldError::TooShort { n_rows, .. }) = builtin::open(inner, USUAL)
    {
        return Ok(n_rows);
    }
    Ok(USUAL)
}

fn list(format: ListFormat, printer: &mut Printer) {
    if format == ListFormat::Json {
        let worlds = builtin::listed().map(|info| {
            let params = info.params.iter().map(|param| {
                json!({"key": param.key, "default": param.default, "legal": param.legal, "meaning": param.meaning})
            });
            json!({
                "name": info.name,
                "arms": info.n_arms,
                "title": info.title,
                "provenance": info.provenance,
                "params": params.collect::<Vec<_>>(),
            })
        });
        printer.line(Value::Array(worlds.collect()));
        return;
    }
    let mut rows = table::Rows::words(["world", "parameters", "what it is"].map(str::to_owned).to_vec());
    for info in builtin::listed() {
        let params: Vec<_> =
            info.params.iter().map(|param| format!("{}={}", param.key, param.default)).collect();
        rows.push(vec![info.name.to_owned(), params.join(" "), info.title.to_owned()]);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    printer.line("\nAdded to the name of a world, as in `arxiv6+lossy:share=0.1+delayed:rounds=50`:\n");
    let mut rows = table::Rows::words(["wrapper", "parameters", "what it does"].map(str::to_owned).to_vec());
    for info in WRAPPERS {
        let params: Vec<_> =
            info.params.iter().map(|param| format!("{}={}", param.key, word(param.default))).collect();
        rows.push(vec![format!("+{}", info.name), params.join(" "), info.title.to_owned()]);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    printer.note("\nhint: a path to a matrix file (.csv, .txt, .npy) is a world too");
    printer.note("hint: `replay:file=votes.csv` plays on logged votes, `utilities:file=utilities.csv` on given utilities");
}

/// An arm by its number, and its name if it has one.
pub(super) fn label(arm: Arm, name: Option<&str>) -> String {
    name.map_or_else(|| arm.to_string(), |name| format!("{arm} {name}"))
}

/// The default itself, without what the documentation says about it.
fn word(default: &str) -> &str {
    default.split(' ').next().unwrap_or(default)
}
