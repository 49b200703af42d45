//! `tiltyard world`: lists, shows, checks and builds worlds.

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
    /// List the built-in worlds
    List {
        /// Output format
        #[arg(long, value_enum, default_value = "table")]
        format: ListFormat,
    },
    /// Show one world: its arms, winners, gaps, cycles and assumptions, and its matrix as a picture
    Show {
        /// A built-in world or a matrix file
        world: String,
        /// Rounds of a run, for worlds that depend on them
        /// [default: 1e5, or fewer if a file of utilities is shorter]
        #[arg(long, value_name = "T", value_parser = number::count)]
        rounds: Option<u64>,
        /// Write a picture of the matrix to this file
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
        /// Output format
        #[arg(long, value_enum, default_value = "table")]
        format: ListFormat,
    },
    /// Check that a world is valid, and which assumptions of the algorithms hold in it
    Check {
        /// A built-in world or a matrix file
        world: String,
    },
    /// Build a preference matrix from votes, scores or rankings
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
                // The delivery of outcomes does not change which assumptions hold.
                let rounds = usual_rounds(&world)?;
                let (inner, _) = Delivery::split(&world, rounds)?;
                check(&builtin::open(inner, rounds)?, &world, printer);
            }
            Self::Build(command) => command.run(printer)?,
        }
        Ok(())
    }
}

/// The default number of rounds: 1e5, or the length of the world's file if that is shorter.
fn usual_rounds(world: &str) -> Result<u64, WorldError> {
    const USUAL: u64 = 100_000;
    let (inner, _) = Delivery::split(world, USUAL)?;
    // Other worlds have no end, and some take long to build.
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
    let mut rows = table::Rows::words(["world", "parameters", "description"].map(str::to_owned).to_vec());
    for info in builtin::listed() {
        let params: Vec<_> =
            info.params.iter().map(|param| format!("{}={}", param.key, param.default)).collect();
        rows.push(vec![info.name.to_owned(), params.join(" "), info.title.to_owned()]);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    printer
        .line("\nWrappers, added to the name of a world as in `arxiv6+lossy:share=0.1+delayed:rounds=50`:\n");
    let mut rows = table::Rows::words(["wrapper", "parameters", "description"].map(str::to_owned).to_vec());
    for info in WRAPPERS {
        let params: Vec<_> =
            info.params.iter().map(|param| format!("{}={}", param.key, word(param.default))).collect();
        rows.push(vec![format!("+{}", info.name), params.join(" "), info.title.to_owned()]);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    printer.note("\nhint: the path of a matrix file (.csv, .txt, .npy) is also a world");
    printer.note("hint: `replay:file=votes.csv` plays on logged votes, `utilities:file=utilities.csv` on given utilities");
}

/// The number of an arm, and its name if it has one.
pub(super) fn label(arm: Arm, name: Option<&str>) -> String {
    name.map_or_else(|| arm.to_string(), |name| format!("{arm} {name}"))
}

/// The default value, without the explanation after it.
fn word(default: &str) -> &str {
    default.split(' ').next().unwrap_or(default)
}
