//! `tiltyard play`: lets policies play in a world.

use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value, json};
use tiltyard::bandit::policy::registry;
use tiltyard::lab::play::{Job, LeftOut, PolicyReport, Report, play};
use tiltyard::lab::{Progress, Summary};
use tiltyard::world::{BestKind, Regret};
use tiltyard::{Arm, Spec};

use super::{Failure, Format, table, work, world};
use crate::number;
use crate::printer::Printer;

/// The default policies: the paper's algorithm in three forms, its rival and the baseline.
const LINE_UP: [&str; 5] =
    ["rex3", "rex3:schedule=literal", "rex3:gmax=T/2", "sparring:player=exp3", "random"];

#[derive(Debug, Args)]
pub(crate) struct Play {
    /// A built-in world, with parameters if it has any, a matrix file (.csv, .txt, .npy), or logged
    /// votes (replay:file=votes.csv)
    #[arg(long, value_name = "W", default_value = "arxiv6")]
    world: String,
    /// A policy, as `name` or `name:key=value,key=value`, or `all` to rank every policy; may be
    /// repeated [default: rex3 in three forms, sparring, random]
    #[arg(long = "policy", value_name = "P")]
    policies: Vec<Spec>,
    /// Rounds per run
    #[arg(long, value_name = "T", default_value = "1e5", value_parser = number::count, allow_negative_numbers = true)]
    rounds: u64,
    /// Runs per policy
    #[arg(long, value_name = "N", default_value = "50", value_parser = number::count, allow_negative_numbers = true)]
    runs: u64,
    /// Seed for all randomness
    #[arg(long, value_name = "S", default_value = "1", value_parser = number::whole, allow_negative_numbers = true)]
    seed: u64,
    /// Rounds to report besides the last, separated by commas
    /// [default: the powers of ten from 1000 on]
    #[arg(long, value_name = "T,...", value_delimiter = ',', value_parser = number::count)]
    at: Vec<u64>,
    /// Regret to measure: condorcet, weak, strong, binary-weak, binary-strong, bandit, borda,
    /// copeland, copeland-full, or one of these as dynamic-... [default: condorcet for matrices,
    /// bandit for utilities, dynamic where the best arm changes]
    #[arg(long, value_name = "KIND")]
    regret: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = number::count)]
    threads: Option<u64>,
}

impl Play {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let regret = self.regret.as_deref().map(str::parse::<Regret>).transpose()?;
        let job = Job {
            world: self.world.clone(),
            policies: self.line_up(),
            lenient: self.everyone(),
            checkpoints: self.checkpoints()?,
            runs: self.runs,
            seed: self.seed,
            regret,
        };
        let pool = work::pool(self.threads)?;
        let progress = Progress::default();
        let mut report = work::with_bar(printer, &progress, || pool.install(|| play(&job, &progress)))?;
        if self.everyone() {
            rank(&mut report);
        }
        match self.format {
            Format::Table => print_table(&job, &report, printer),
            Format::Json => print_json(&job, &report, printer),
            Format::Csv => print_csv(&job, &report, printer),
        }
        tell_supply(&report, printer);
        for LeftOut { reason, .. } in &report.left_out {
            printer.note(format_args!("left out: {reason}"));
        }
        Ok(())
    }

    /// Whether `--policy all` was given.
    fn everyone(&self) -> bool {
        self.policies.iter().any(is_everyone)
    }

    /// The policies that play, each once.
    fn line_up(&self) -> Vec<Spec> {
        if self.policies.is_empty() {
            return LINE_UP.map(|spec| spec.parse().expect("the default line-up is well formed")).to_vec();
        }
        if !self.everyone() {
            return self.policies.clone();
        }
        let mut line_up = registry::line_up();
        for spec in self.policies.iter().filter(|spec| !is_everyone(spec)) {
            if !line_up.contains(spec) {
                line_up.push(spec.clone());
            }
        }
        line_up
    }

    /// The rounds to report: those given with `--at`, and the last.
    fn checkpoints(&self) -> Result<Vec<u64>, Failure> {
        if let Some(&late) = self.at.iter().find(|&&at| at > self.rounds) {
            let error = anyhow::anyhow!("`--at {late}` is beyond the {} rounds of a run", self.rounds);
            return Err(Failure::bad_input(error, vec![format!("add `--rounds {late}`")]));
        }
        let mut checkpoints = self.at.clone();
        if checkpoints.is_empty() {
            checkpoints = (3..19).map(|n| 10u64.pow(n)).filter(|&at| at < self.rounds).collect();
        }
        checkpoints.push(self.rounds);
        checkpoints.sort_unstable();
        checkpoints.dedup();
        Ok(checkpoints)
    }
}

/// Whether this is `all`, which is not the name of a policy.
fn is_everyone(spec: &Spec) -> bool {
    spec.to_string() == "all"
}

/// Sorts the policies by their regret at the end, lowest first.
fn rank(report: &mut Report) {
    let at_the_end = |policy: &PolicyReport| policy.regret.mean.last().copied().unwrap_or(f64::INFINITY);
    report.policies.sort_by(|a, b| at_the_end(a).total_cmp(&at_the_end(b)));
}

fn print_table(job: &Job, report: &Report, printer: &mut Printer) {
    let runs = if job.runs == 1 { "1 run".to_owned() } else { format!("{} runs", job.runs) };
    let of_all = if report.regret.dynamic { "over all rounds " } else { "" };
    let about = report.best.as_arm().map_or_else(
        || "duels of points, no arms".to_owned(),
        |arm| {
            let best = world::label(arm, report.best_name.as_deref());
            format!("{} arms, best arm {of_all}{best} ({})", report.n_arms, report.best.kind)
        },
    );
    printer.line(format_args!(
        "{}: {about}; {} regret, mean of {runs} \u{b1} standard error, seed {}",
        job.world, report.regret, job.seed
    ));
    printer.line("");
    let last = job.checkpoints.len() - 1;
    let largest = report.policies.iter().map(|policy| policy.regret.mean[last]).fold(0.0, f64::max);
    let mut header = vec!["policy".to_owned()];
    header.extend(job.checkpoints.iter().map(|&at| format!("t = {}", short(at))));
    header.extend(["accuracy", "ns/round", "regret at the end"].map(str::to_owned));
    let mut rows = table::Rows::new(header);
    for policy in &report.policies {
        let mut row = vec![policy.spec.to_string()];
        row.extend(
            policy
                .regret
                .mean
                .iter()
                .zip(&policy.regret.sem)
                .map(|(&mean, &sem)| format!("{} \u{b1} {}", table::round(mean), table::round_error(sem))),
        );
        row.push(format!("{:.2}", policy.accuracy[last]));
        row.push(format!("{:.0}", ns_per_round(policy)));
        row.push(table::bar(policy.regret.mean[last] / largest));
        rows.push(row);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    printer.line("");
    let is_copeland = report.best.kind == BestKind::Copeland;
    if report.regret.dynamic {
        let or = if is_copeland { ", or to a Copeland winner if no arm beats every other" } else { "" };
        printer.line(format_args!("Regret and accuracy are relative to the best arm of each round{or}."));
    } else if is_copeland {
        printer
            .line("No arm beats every other: regret is relative to a Copeland winner and may be negative.");
    }
    if report.best.as_arm().is_some() {
        printer.line("Accuracy is the share of runs that play (best, best) in the last round.");
    } else {
        printer.line("Accuracy is 0: no duel compares the best point with itself.");
    }
    if report.policies.iter().any(|policy| policy.series.fixed_horizon) && last > 0 {
        let fixed: Vec<_> = report
            .policies
            .iter()
            .filter(|policy| policy.series.fixed_horizon)
            .map(|policy| policy.spec.to_string())
            .collect();
        printer.line(format_args!(
            "Policies that know the horizon, with separate runs for each t: {}.",
            fixed.join(", ")
        ));
    }
    printer.note(
        "\nhint: `tiltyard policy show rex3` explains an algorithm, `tiltyard world list` shows other worlds",
    );
}

/// Warns about lost answers, and about logged votes that were used up.
fn tell_supply(report: &Report, printer: &Printer) {
    for policy in &report.policies {
        let supply = policy.supply;
        let Some(round) = supply.dry_from else { continue };
        let share = |n: u64| format!("{n} ({:.1} %)", 100.0 * n as f64 / policy.rounds as f64);
        let unanswered =
            (supply.unanswered > 0).then(|| format!("{} duels unanswered", share(supply.unanswered)));
        let repeated = (supply.repeated > 0)
            .then(|| format!("{} answered by a vote used before", share(supply.repeated)));
        let what: Vec<_> = unanswered.into_iter().chain(repeated).collect();
        printer.note(format_args!(
            "warning: not every duel of {} had a fresh answer: {}; first in round {round}, in {} runs",
            policy.spec,
            what.join(", "),
            supply.dry_runs
        ));
    }
}

/// The object that `--format json` prints.
#[derive(Serialize)]
struct Json<'a> {
    world: &'a str,
    arms: usize,
    best: Option<Arm>,
    best_kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    best_name: Option<&'a str>,
    regret: String,
    rounds: &'a [u64],
    runs: u64,
    seed: u64,
    policies: Vec<JsonPolicy<'a>>,
}

#[derive(Serialize)]
struct JsonPolicy<'a> {
    policy: String,
    params: Map<String, Value>,
    horizon: &'static str,
    regret: &'a Summary,
    accuracy: &'a [f64],
    seconds: f64,
    ns_per_round: f64,
    // Present only if the world ran out of answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    unanswered: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeated: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_runs: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_from: Option<u64>,
}

fn print_json(job: &Job, report: &Report, printer: &mut Printer) {
    let policies = report.policies.iter().map(|policy| JsonPolicy {
        policy: policy.spec.to_string(),
        params: policy.params.iter().map(|(key, value)| ((*key).to_owned(), parameter(value))).collect(),
        horizon: horizon(policy),
        regret: &policy.regret,
        accuracy: &policy.accuracy,
        seconds: policy.time.as_secs_f64(),
        ns_per_round: ns_per_round(policy),
        unanswered: above_zero(policy.supply.unanswered),
        repeated: above_zero(policy.supply.repeated),
        dry_runs: above_zero(policy.supply.dry_runs),
        dry_from: policy.supply.dry_from,
    });
    let json = Json {
        world: &job.world,
        arms: report.n_arms,
        best: report.best.as_arm(),
        best_kind: report.best.kind.to_string(),
        best_name: report.best_name.as_deref(),
        regret: report.regret.to_string(),
        rounds: &job.checkpoints,
        runs: job.runs,
        seed: job.seed,
        policies: policies.collect(),
    };
    printer.line(serde_json::to_string(&json).expect("plain data"));
}

fn above_zero(n: u64) -> Option<u64> {
    Some(n).filter(|&n| n > 0)
}

fn horizon(policy: &PolicyReport) -> &'static str {
    if policy.series.fixed_horizon { "fixed" } else { "anytime" }
}

/// A boolean or a number if the text is one, else the text.
fn parameter(text: &str) -> Value {
    match (text, text.parse::<f64>()) {
        ("true", _) => Value::Bool(true),
        ("false", _) => Value::Bool(false),
        (_, Ok(number)) if number.is_finite() => json!(number),
        _ => Value::String(text.to_owned()),
    }
}

fn print_csv(job: &Job, report: &Report, printer: &mut Printer) {
    printer
        .line("world,arms,best,regret,policy,horizon,round,runs,seed,mean,sem,min,max,accuracy,ns_per_round");
    for policy in &report.policies {
        for (i, at) in job.checkpoints.iter().enumerate() {
            let summary = &policy.regret;
            printer.line(format_args!(
                "{},{},{},{},{},{},{at},{},{},{},{},{},{},{},{:.1}",
                field(&job.world),
                report.n_arms,
                report.best.as_arm().map_or_else(String::new, |arm| arm.to_string()),
                report.regret,
                field(&policy.spec.to_string()),
                horizon(policy),
                job.runs,
                job.seed,
                summary.mean[i],
                summary.sem[i],
                summary.min[i],
                summary.max[i],
                policy.accuracy[i],
                ns_per_round(policy),
            ));
        }
    }
}

/// A field of a CSV line, quoted if necessary.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn ns_per_round(policy: &PolicyReport) -> f64 {
    policy.time.as_secs_f64() * 1e9 / policy.rounds as f64
}

/// A round in short form: 1e5 for a power of ten from 1000 on, else all digits.
fn short(round: u64) -> String {
    let exponent = round.checked_ilog10().unwrap_or(0);
    if exponent >= 3 && round == 10u64.pow(exponent) { format!("1e{exponent}") } else { round.to_string() }
}
