//! `tiltyard world`: what answers duels.

mod build;

use clap::Subcommand;
use serde_json::{Value, json};
use tiltyard::bandit::matrix::{Diagonal, PreferenceMatrix};
use tiltyard::bandit::params::Param;
use tiltyard::world::builtin::{self, WorldVisitor};
use tiltyard::world::delivery::{Delivery, WRAPPERS};
use tiltyard::world::{Best, World};
use tiltyard::{Arm, Spec};

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
    /// One world: its arms, winners and scores
    Show {
        /// A built-in world or a matrix file
        world: String,
        /// Rounds of a run, for worlds that depend on it
        #[arg(long, value_name = "T", default_value = "1e5", value_parser = number::count)]
        rounds: u64,
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
            Self::Show { world, rounds, format } => {
                let (inner, delivery) = Delivery::split(&world, rounds)?;
                builtin::visit(
                    inner,
                    rounds,
                    Show { name: &world, inner, delivery, rounds, format, printer },
                )?;
            }
            Self::Check { world } => {
                // How its outcomes are delivered does not change what holds in a world.
                let (inner, _) = Delivery::split(&world, 100_000)?;
                builtin::visit(inner, 100_000, Check { name: &world, printer })?;
            }
            Self::Build(command) => command.run(printer)?,
        }
        Ok(())
    }
}

fn list(format: ListFormat, printer: &mut Printer) {
    if format == ListFormat::Json {
        let worlds = builtin::ALL.iter().map(|info| {
            let params = info.params.iter().map(|param| {
                json!({"key": param.key, "default": param.default, "legal": param.legal, "meaning": param.meaning})
            });
            json!({
                "name": info.name,
                "arms": info.n_arms(),
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
    printer.note("hint: `replay:file=votes.csv` plays on logged votes");
}

/// An arm by its number, and its name if it has one.
pub(super) fn label(arm: Arm, name: Option<&str>) -> String {
    name.map_or_else(|| arm.to_string(), |name| format!("{arm} {name}"))
}

/// The default itself, without what the documentation says about it.
fn word(default: &str) -> &str {
    default.split(' ').next().unwrap_or(default)
}

/// More arms than this are not listed one by one.
const LISTED: usize = 40;

/// More arms than this make no matrix that a person reads.
const PRINTED: usize = 12;

struct Show<'a> {
    name: &'a str,
    /// The name without wrappers.
    inner: &'a str,
    delivery: Delivery,
    rounds: u64,
    format: ListFormat,
    printer: &'a mut Printer,
}

impl WorldVisitor for Show<'_> {
    type Output = ();

    fn visit<W: World + 'static>(self, world: W) {
        let facts = Facts::of(&world, self.rounds);
        if self.format == ListFormat::Json {
            self.printer.line(facts.to_json(self.name, &self.delivery));
            return;
        }
        let printer = self.printer;
        let spec = self.inner.parse::<Spec>().ok();
        let info = spec.and_then(|spec| builtin::ALL.iter().find(|info| info.name == spec.name()));
        if let Some(info) = info {
            printer.line(format_args!("{}: {}", info.name, info.title));
            printer.line(format_args!("from {}", info.provenance));
            show_params(info.params, printer);
        } else {
            printer.line(self.inner);
        }
        let wrappers = &self.name[self.inner.len()..];
        for info in WRAPPERS.iter().filter(|info| wrappers.contains(&format!("+{}", info.name))) {
            printer.line(format_args!("+{}: {}", info.name, info.title));
            show_params(info.params, printer);
        }
        if !wrappers.is_empty() {
            printer.line(format_args!("here {}", self.delivery));
        }
        printer.line("");
        let Best { arm, kind } = facts.best;
        let call = |arm| label(arm, world.arm_name(arm));
        printer.line(format_args!("{} arms; best arm {} ({kind})", facts.n_arms, call(arm)));
        printer.line(format_args!(
            "random play costs {:.4} {} regret in round {}",
            facts.random_play,
            world.natural_regret(),
            self.rounds
        ));
        match world.matrix() {
            Some(matrix) => show_matrix(matrix, call, printer),
            None => show_utilities(&facts, self.rounds, printer),
        }
    }
}

fn show_params(params: &[Param], printer: &mut Printer) {
    for Param { key, default, legal, meaning } in params {
        printer.line(format_args!("  {key}={default}  {meaning} ({legal})"));
    }
}

/// What can be said of any world.
struct Facts {
    n_arms: usize,
    best: Best,
    /// Mean gap of the arms in the last round.
    random_play: f64,
    matrix: Option<PreferenceMatrix>,
    names: Option<Vec<String>>,
    /// Utilities in the first and in the last round.
    utilities: Option<Vec<(f64, f64)>>,
}

impl Facts {
    fn of<W: World>(world: &W, rounds: u64) -> Self {
        let n_arms = world.n_arms();
        let ruler = world.ruler(world.natural_regret()).expect("a world's own regret has a meaning in it");
        let gaps = Arm::all(n_arms).map(|arm| world.gap(&ruler, rounds, arm));
        let utilities = Arm::all(n_arms)
            .take(LISTED)
            .map(|arm| Some((world.utility(1, arm)?, world.utility(rounds, arm)?)))
            .collect();
        Self {
            n_arms,
            best: world.best(),
            random_play: gaps.sum::<f64>() / n_arms as f64,
            matrix: world.matrix().cloned(),
            names: Arm::all(n_arms).map(|arm| world.arm_name(arm).map(str::to_owned)).collect(),
            utilities,
        }
    }

    fn to_json(&self, name: &str, delivery: &Delivery) -> Value {
        let mut value = json!({
            "world": name,
            "arms": self.n_arms,
            "best": self.best.arm.index(),
            "best_kind": self.best.kind.to_string(),
            "random_play": self.random_play,
            "delivery": delivery.to_string(),
        });
        if let Some(names) = &self.names {
            value["names"] = json!(names);
        }
        if let Some(matrix) = &self.matrix {
            value["condorcet_winner"] = json!(matrix.condorcet_winner());
            value["copeland_winners"] = json!(matrix.copeland_winners());
            value["borda_winners"] = json!(matrix.borda_winners());
            value["borda"] = json!(matrix.borda(Diagonal::Included));
            value["copeland"] = json!(matrix.copeland());
        }
        value
    }
}

fn show_matrix(matrix: &PreferenceMatrix, call: impl Fn(Arm) -> String, printer: &mut Printer) {
    let arms = |arms: &[Arm]| arms.iter().map(|&arm| call(arm)).collect::<Vec<_>>().join(", ");
    let condorcet = matrix.condorcet_winner().map_or_else(|| "none".to_owned(), &call);
    printer.line(format_args!("Condorcet winner: {condorcet}"));
    printer.line(format_args!("Copeland winner:  {}", arms(&matrix.copeland_winners())));
    printer.line(format_args!("Borda winner:     {}", arms(&matrix.borda_winners())));
    printer.line("");
    let borda = matrix.borda(Diagonal::Included);
    let without = matrix.borda(Diagonal::Excluded);
    let copeland = matrix.copeland();
    let reference = matrix.reference().arm;
    let header = ["arm", "Borda", "without itself", "Copeland", "gap to the best", ""];
    let mut rows = table::Rows::new(header.map(str::to_owned).to_vec());
    let mut order: Vec<_> = Arm::all(matrix.n_arms()).collect();
    order.sort_by(|a, b| borda[b.index()].total_cmp(&borda[a.index()]));
    for &arm in order.iter().take(LISTED) {
        let i = arm.index();
        rows.push(vec![
            call(arm),
            format!("{:.3}", borda[i]),
            format!("{:.3}", without[i]),
            copeland[i].to_string(),
            format!("{:.4}", matrix.gap(reference, arm)),
            table::bar(borda[i] / matrix.n_arms() as f64),
        ]);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    if matrix.n_arms() > LISTED {
        printer.line(format_args!("... and {} more, by Borda score", matrix.n_arms() - LISTED));
    }
    if matrix.n_arms() <= PRINTED {
        printer.line("\nP(row beats column), rows by Borda score:");
        let header = std::iter::once(String::new()).chain(order.iter().map(ToString::to_string));
        let mut rows = table::Rows::new(header.chain([String::new()]).collect());
        for &row in &order {
            let entries = order.iter().map(|&column| format!("{:.3}", matrix.get(row, column)));
            rows.push(std::iter::once(row.to_string()).chain(entries).chain([String::new()]).collect());
        }
        for line in rows.lines() {
            printer.line(line);
        }
    }
}

fn show_utilities(facts: &Facts, rounds: u64, printer: &mut Printer) {
    let Some(utilities) = &facts.utilities else { return };
    printer.line("");
    let header = ["arm".to_owned(), "mean at t = 1".to_owned(), format!("at t = {rounds}"), String::new()];
    let mut rows = table::Rows::new(header.to_vec());
    for (arm, &(first, last)) in Arm::all(utilities.len()).zip(utilities) {
        rows.push(vec![arm.to_string(), format!("{first:.4}"), format!("{last:.4}"), table::bar(last)]);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    if facts.n_arms > utilities.len() {
        printer.line(format_args!("... and {} more", facts.n_arms - utilities.len()));
    }
}

struct Check<'a> {
    name: &'a str,
    printer: &'a mut Printer,
}

impl WorldVisitor for Check<'_> {
    type Output = ();

    fn visit<W: World + 'static>(self, world: W) {
        let Self { name, printer } = self;
        let Some(matrix) = world.matrix() else {
            printer.line(format_args!("{name}: {} arms, utilities in [0, 1]: ok", world.n_arms()));
            return;
        };
        printer.line(format_args!(
            "{name}: {} arms, entries in [0, 1], P + P' = 1, diagonal 1/2: ok",
            matrix.n_arms()
        ));
        printer.line("");
        let ladder = matrix.assumptions();
        let mut line = |name: &str, verdict: Result<String, String>| {
            let (answer, why) = match &verdict {
                Ok(how) => ("yes", how),
                Err(why) => ("no ", why),
            };
            let separator = if why.is_empty() { "" } else { "  " };
            printer.line(format_args!("{name:<28}{answer}{separator}{why}"));
        };
        line(
            "Condorcet winner",
            ladder
                .condorcet
                .map(|arm| format!("arm {}", label(arm, world.arm_name(arm))))
                .map_err(|why| why.to_string()),
        );
        line("total order", ladder.total_order.map(|_| String::new()).map_err(|why| why.to_string()));
        line(
            "strong transitivity",
            ladder.strong_transitivity.map(|()| String::new()).map_err(|why| why.to_string()),
        );
        line(
            "relaxed transitivity",
            ladder
                .relaxed_transitivity
                .map(|relaxed| format!("with factor {:.3}", relaxed.factor))
                .map_err(|why| why.to_string()),
        );
        line(
            "triangle inequality",
            ladder.triangle_inequality.map(|()| String::new()).map_err(|why| why.to_string()),
        );
    }
}
