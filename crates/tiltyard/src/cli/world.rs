//! `tiltyard world`: what answers duels.

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::{Value, json};
use tiltyard::world::World;
use tiltyard::world::builtin::{self, WorldInfo, WorldVisitor};

use super::{Failure, ListFormat, table};
use crate::number;
use crate::printer::Printer;

mod check;
mod heat_map;
mod show;

use check::Check;
use show::Show;

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
        #[arg(long, value_name = "T", default_value = "1e5", value_parser = number::count)]
        rounds: u64,
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
}

impl Command {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        match self {
            Self::List { format } => list(format, printer),
            Self::Show { world, rounds, svg, format } => {
                let show = Show { name: &world, rounds, svg: svg.as_deref(), format, printer };
                builtin::visit(&world, rounds, show)??;
            }
            Self::Check { world } => builtin::visit(&world, 100_000, Check { name: &world, printer })?,
        }
        Ok(())
    }
}

fn list(format: ListFormat, printer: &mut Printer) {
    let arms = |info: &WorldInfo| builtin::visit(info.name, 1000, CountArms).unwrap_or_default();
    if format == ListFormat::Json {
        let worlds = builtin::ALL.iter().map(|info| {
            let params = info.params.iter().map(|param| {
                json!({"key": param.key, "default": param.default, "legal": param.legal, "meaning": param.meaning})
            });
            json!({
                "name": info.name,
                "arms": arms(info),
                "title": info.title,
                "provenance": info.provenance,
                "params": params.collect::<Vec<_>>(),
            })
        });
        printer.line(Value::Array(worlds.collect()));
        return;
    }
    let mut rows = table::Rows::words(["world", "parameters", "what it is"].map(str::to_owned).to_vec());
    for info in builtin::ALL {
        let params: Vec<_> =
            info.params.iter().map(|param| format!("{}={}", param.key, param.default)).collect();
        rows.push(vec![info.name.to_owned(), params.join(" "), info.title.to_owned()]);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    printer.note("\nhint: a path to a matrix file (.csv, .txt, .npy) is a world too");
}

struct CountArms;

impl WorldVisitor for CountArms {
    type Output = usize;
    fn visit<W: World + 'static>(self, world: W) -> usize {
        world.n_arms()
    }
}
