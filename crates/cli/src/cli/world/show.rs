//! `tiltyard world show`: one world, in numbers and as a picture.

use std::fmt::Display;
use std::path::Path;

use anyhow::{Context as _, anyhow};
use serde_json::{Value, json};
use tiltyard::bandit::matrix::gaps::CLOSE;
use tiltyard::bandit::matrix::{Assumptions, Diagonal, Gaps, PreferenceMatrix, Tournament};
use tiltyard::bandit::params::Param;
use tiltyard::lab::figure::HeatMap;
use tiltyard::world::builtin;
use tiltyard::world::delivery::{Delivery, WRAPPERS};
use tiltyard::world::{AnyWorld, Best, ContinuousWorld, Corruption, PointWorld, Regret, Segment, World};
use tiltyard::{Arm, Spec};

use super::{check, heat_map, label};
use crate::cli::{Failure, ListFormat, table};
use crate::printer::Printer;

/// More arms than this are not listed one by one.
const LISTED: usize = 40;

/// The entries of a matrix with more arms than this are not printed.
const PRINTED: usize = 12;

pub(super) struct Show<'a> {
    pub(super) name: &'a str,
    /// The name without wrappers.
    pub(super) inner: &'a str,
    pub(super) delivery: Delivery,
    pub(super) rounds: u64,
    pub(super) svg: Option<&'a Path>,
    pub(super) format: ListFormat,
    pub(super) printer: &'a mut Printer,
}

impl Show<'_> {
    pub(super) fn show(self, world: &AnyWorld) -> Result<(), Failure> {
        let facts = Facts::of(world, self.rounds);
        if let Some(path) = self.svg {
            write_svg(&facts, self.name, path, self.printer)?;
        }
        if self.format == ListFormat::Json {
            self.printer.line(facts.to_json(self.name, &self.delivery));
            return Ok(());
        }
        let printer = self.printer;
        let (pure, corruption) = Corruption::split(self.inner, self.rounds)?;
        let spec = pure.parse::<Spec>().ok();
        if let Some(info) = spec.and_then(|spec| builtin::family(spec.name())) {
            printer.line(format_args!("{}: {}", info.name, info.title));
            printer.line(format_args!("from {}", info.provenance));
            show_params(info.params, printer);
        } else {
            printer.line(pure);
        }
        if let Some(corruption) = corruption {
            show_wrappers(&self.inner[pure.len()..], &corruption, printer);
        }
        show_wrappers(&self.name[self.inner.len()..], &self.delivery, printer);
        printer.line("");
        if let AnyWorld::Points(PointWorld(points)) = world {
            let origin = vec![0.0; points.dimension()];
            printer.line(format_args!(
                "{} dimensions, no arms; for continuous policies such as `dbgd`",
                origin.len()
            ));
            printer.line(format_args!(
                "staying at the origin loses {:.4} ({} regret) per round",
                points.regret(&origin, &origin),
                facts.regret
            ));
            return Ok(());
        }
        let Best { arm, kind } = facts.best;
        let best = label(arm, world.arm_name(arm));
        let over = if facts.segments.len() > 1 || facts.regret.dynamic { " over all rounds" } else { "" };
        printer.line(format_args!("{} arms; best arm{over} {best} ({kind})", facts.n_arms));
        printer.line(format_args!(
            "random play loses {:.4} ({} regret) {}",
            facts.random_play.unwrap_or_default(),
            facts.regret,
            if facts.matrix.is_some() { "per round".to_owned() } else { format!("in round {}", self.rounds) }
        ));
        show_segments(&facts.segments, |arm| label(arm, world.arm_name(arm)), printer);
        match &facts.matrix {
            Some(about) => about.show(printer),
            None => show_utilities(&facts, self.rounds, printer),
        }
        Ok(())
    }
}

/// Prints the wrappers in the suffix of a name, and their joint effect.
fn show_wrappers(suffix: &str, here: &dyn Display, printer: &mut Printer) {
    for info in WRAPPERS.iter().filter(|info| suffix.contains(&format!("+{}", info.name))) {
        printer.line(format_args!("+{}: {}", info.name, info.title));
        show_params(info.params, printer);
    }
    if !suffix.is_empty() {
        printer.line(format_args!("here: {here}"));
    }
}

fn show_params(params: &[Param], printer: &mut Printer) {
    for Param { key, default, legal, meaning } in params {
        printer.line(format_args!("  {key}={default}  {meaning} ({legal})"));
    }
}

/// Writes the matrix as a picture.
fn write_svg(facts: &Facts, name: &str, path: &Path, printer: &Printer) -> Result<(), Failure> {
    let Some(about) = &facts.matrix else {
        let error = anyhow!("`{name}` has no matrix to draw: its numbers change over time");
        return Err(Failure::bad_input(error, vec!["leave out `--svg`".to_owned()]));
    };
    let Best { arm, kind } = facts.best;
    let title = Path::new(name).file_stem().map_or_else(|| name.into(), |stem| stem.to_string_lossy());
    let subtitle =
        format!("{} arms, rows and columns by Borda score; {kind} {}", facts.n_arms, about.name(arm));
    let picture = HeatMap::new(&about.matrix, |arm| about.name(arm)).to_svg(&title, &subtitle);
    std::fs::write(path, picture)
        .with_context(|| format!("could not write `{}`", path.display()))
        .map_err(Failure::broken)?;
    printer.note(format_args!("wrote {}", path.display()));
    Ok(())
}

/// Facts about any world.
struct Facts {
    n_arms: usize,
    best: Best,
    /// The natural regret of the world.
    regret: Regret,
    /// The segments of a world that changes abruptly.
    segments: Vec<Segment>,
    /// Mean gap of the arms in the last round, if there are arms.
    random_play: Option<f64>,
    matrix: Option<MatrixFacts>,
    /// Utilities in the first and in the last round.
    utilities: Option<Vec<(f64, f64)>>,
}

impl Facts {
    fn of(world: &AnyWorld, rounds: u64) -> Self {
        let n_arms = world.n_arms();
        let gaps = world.gaps(world.natural_regret()).expect("every world supports its natural regret");
        let gaps = Arm::all(n_arms).map(|arm| world.gap(&gaps, rounds, arm));
        let utilities = Arm::all(n_arms)
            .take(LISTED)
            .map(|arm| Some((world.utility(1, arm)?, world.utility(rounds, arm)?)))
            .collect();
        Self {
            n_arms,
            best: world.best(),
            regret: world.natural_regret(),
            segments: world.segments(),
            random_play: (n_arms > 0).then(|| gaps.sum::<f64>() / n_arms as f64),
            matrix: world.matrix().map(|matrix| MatrixFacts::of(matrix, names(world))),
            utilities,
        }
    }

    fn to_json(&self, name: &str, delivery: &Delivery) -> Value {
        let mut value = json!({
            "world": name,
            "arms": self.n_arms,
            "best": self.best.as_arm(),
            "best_kind": self.best.kind.to_string(),
            "regret": self.regret.to_string(),
            "random_play": self.random_play,
            "delivery": delivery.to_string(),
        });
        if !self.segments.is_empty() {
            let segment = |it: &Segment| json!({"from": it.from, "best": it.best.arm.index()});
            value["segments"] = self.segments.iter().map(segment).collect();
        }
        if let Some(about) = &self.matrix {
            about.add_to(&mut value);
        }
        value
    }
}

/// The names of the arms, if they have any.
fn names(world: &AnyWorld) -> Option<Vec<String>> {
    Arm::all(world.n_arms()).map(|arm| world.arm_name(arm).map(str::to_owned)).collect()
}

/// Facts about a world that is a matrix.
struct MatrixFacts {
    matrix: PreferenceMatrix,
    names: Option<Vec<String>>,
    gaps: Gaps,
    tournament: Tournament,
    assumptions: Assumptions,
}

impl MatrixFacts {
    fn of(matrix: &PreferenceMatrix, names: Option<Vec<String>>) -> Self {
        Self {
            names,
            gaps: matrix.gaps(),
            tournament: matrix.tournament(),
            assumptions: matrix.assumptions(),
            matrix: matrix.clone(),
        }
    }

    fn name(&self, arm: Arm) -> String {
        label(arm, self.names.as_ref().map(|names| names[arm.index()].as_str()))
    }

    /// A list of names, shortened if there are many.
    fn names(&self, arms: &[Arm], separator: &str) -> String {
        const FEW: usize = 20;
        let more = (arms.len() > FEW).then(|| format!("... ({} in all)", arms.len()));
        arms.iter().take(FEW).map(|&arm| self.name(arm)).chain(more).collect::<Vec<_>>().join(separator)
    }

    fn add_to(&self, value: &mut Value) {
        let Self { matrix, names, gaps, tournament, assumptions } = self;
        if let Some(names) = names {
            value["names"] = json!(names);
        }
        value["condorcet_winner"] = json!(matrix.condorcet_winner());
        value["copeland_winners"] = json!(matrix.copeland_winners());
        value["borda_winners"] = json!(matrix.borda_winners());
        value["borda"] = json!(matrix.borda(Diagonal::Included));
        value["copeland"] = json!(matrix.copeland());
        value["gaps"] = json!({
            "smallest": gaps.smallest.map(|(_, gap)| gap),
            "closest": gaps.smallest.map(|(arm, _)| arm),
            "quartiles": gaps.quartiles,
            "close": gaps.close,
        });
        value["tiers"] = json!(tournament.tiers);
        value["top_cycle"] = json!(tournament.top_cycle());
        value["schwartz"] = json!(tournament.schwartz);
        value["shortest_cycle"] = json!(tournament.shortest_cycle);
        value["cyclic_triples"] = json!(tournament.cyclic_triples);
        value["triples"] = json!(tournament.triples());
        value["ties"] = json!(tournament.ties);
        value["assumptions"] = check::verdicts_to_json(assumptions);
    }

    fn show(&self, printer: &mut Printer) {
        let matrix = &self.matrix;
        let mut fact = |name: &str, what: &dyn Display| printer.line(format_args!("{name:<18}{what}"));
        let condorcet = matrix.condorcet_winner().map_or_else(|| "none".to_owned(), |arm| self.name(arm));
        fact("Condorcet winner:", &condorcet);
        fact("Copeland winner:", &self.names(&matrix.copeland_winners(), ", "));
        fact("Borda winner:", &self.names(&matrix.borda_winners(), ", "));
        let Tournament { tiers, schwartz, .. } = &self.tournament;
        let top_cycle = self.tournament.top_cycle();
        fact("top cycle:", &self.names(top_cycle, ", "));
        if schwartz != top_cycle {
            fact("Schwartz set:", &self.names(schwartz, ", "));
        }
        if let Some(cycle) = &self.tournament.shortest_cycle {
            fact("cycle:", &format_args!("{} > {}", self.names(cycle, " > "), self.name(cycle[0])));
        }
        let Tournament { cyclic_triples, ties, .. } = self.tournament;
        let share = cyclic_triples as f64 / self.tournament.triples().max(1) as f64;
        let triples = format!("{cyclic_triples} of {} ({:.1} %)", self.tournament.triples(), 100.0 * share);
        fact("cyclic triples:", &triples);
        fact("tied pairs:", &ties);
        fact("tiers:", &format_args!("{}, each beating all tiers below it", tiers.len()));
        if let Some((arm, gap)) = self.gaps.smallest {
            let least = format!("{gap:.4}, {} over {}", self.name(matrix.reference().arm), self.name(arm));
            fact("smallest gap:", &least);
            let [low, quarter, half, three_quarters, high] = self.gaps.quartiles;
            let spread =
                format!("{low:.4} to {high:.4}, quartiles {quarter:.4}, {half:.4}, {three_quarters:.4}");
            fact("|P - 1/2|:", &spread);
            let close = format!("{:.0} % of pairs within {CLOSE} of 1/2", 100.0 * self.gaps.close);
            fact("close pairs:", &close);
        }
        printer.line("\nassumptions of the algorithms:");
        check::print_verdicts(&self.assumptions, |arm| self.name(arm), printer);
        printer.line("");
        self.show_scores(printer);
        printer.line("\nP(row beats column), rows by Borda score:");
        let map = HeatMap::new(matrix, |arm| self.name(arm));
        if matrix.n_arms() <= PRINTED {
            self.show_entries(map.order(), printer);
            printer.line("");
        }
        for line in heat_map::lines(&map, printer.screen(), |arm| self.name(arm)) {
            printer.line(line);
        }
    }

    fn show_scores(&self, printer: &mut Printer) {
        let matrix = &self.matrix;
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
                self.name(arm),
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
    }

    fn show_entries(&self, order: &[Arm], printer: &mut Printer) {
        let header = std::iter::once(String::new()).chain(order.iter().map(|&arm| self.name(arm)));
        let mut rows = table::Rows::new(header.chain([String::new()]).collect());
        for &row in order {
            let entries = order.iter().map(|&column| format!("{:.3}", self.matrix.get(row, column)));
            rows.push(std::iter::once(self.name(row)).chain(entries).chain([String::new()]).collect());
        }
        for line in rows.lines() {
            printer.line(line);
        }
    }
}

/// Prints when the world changes, and the best arm from then on.
fn show_segments(segments: &[Segment], name: impl Fn(Arm) -> String, printer: &mut Printer) {
    if segments.is_empty() {
        return;
    }
    printer.line("");
    let mut rows = table::Rows::new(["from round", "best arm", ""].map(str::to_owned).to_vec());
    for Segment { from, best } in segments.iter().take(LISTED) {
        rows.push(vec![from.to_string(), name(best.arm), best.kind.to_string()]);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    if segments.len() > LISTED {
        printer.line(format_args!("... and {} more", segments.len() - LISTED));
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
