//! `tiltyard replay`: compares policies on a log of votes that other policies made.

mod evaluated;
mod simulated;

use std::path::PathBuf;

use clap::Args;
use tiltyard::lab::Progress;
use tiltyard::lab::replay::{Against, Evaluate, Simulate, Subject, evaluate, simulate};
use tiltyard::world::replay::Mode;
use tiltyard::world::votes::{Votes, read_votes};
use tiltyard::{Arm, Spec};

use super::{Failure, ListFormat, work};
use crate::number;
use crate::printer::Printer;

/// Compare policies on a log of votes
///
/// If every vote has the probability with which its pair was drawn (a column `pscore`), the command
/// evaluates the policies on the log: it estimates what they would have scored, with an interval.
/// If no vote has it, the command simulates: the policies choose pairs, and logged votes on these
/// pairs answer. The output says which of the two it is.
#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// Files of votes, read together: CSV (`left,right,outcome` and, optionally, `pscore`), JSON or
    /// JSON lines, plain or gzip
    #[arg(value_name = "LOG", required = true)]
    files: Vec<PathBuf>,
    /// A policy, as `name` or `name:key=value,key=value`; may be repeated
    /// [default: rex3 and random, unless arms are named]
    #[arg(long = "policy", value_name = "P")]
    policies: Vec<Spec>,
    /// An arm to evaluate, by its name; may be repeated (with `pscore` only)
    #[arg(long = "arm", value_name = "NAME")]
    arms: Vec<String>,
    /// The opponent: uniform, log (the arms as the log has shown them so far) or an arm's name
    /// (with `pscore` only)
    #[arg(long, value_name = "uniform|log|NAME", default_value = "uniform")]
    against: String,
    /// Simulate even if every vote has a `pscore`
    #[arg(long)]
    simulate: bool,
    /// Let a vote answer any number of times: draw with replacement from the votes on the chosen
    /// pair
    #[arg(long)]
    bootstrap: bool,
    /// Rounds after which a simulated run ends without a verdict [default: the number of votes]
    #[arg(long, value_name = "T", value_parser = number::count)]
    rounds: Option<u64>,
    /// Simulated runs per policy
    #[arg(long, value_name = "N", default_value = "100", value_parser = number::count, allow_negative_numbers = true)]
    runs: u64,
    /// Seed for all randomness
    #[arg(long, value_name = "S", default_value = "1", value_parser = number::whole, allow_negative_numbers = true)]
    seed: u64,
    /// Confidence of verdicts and intervals
    #[arg(long, value_name = "C", default_value = "0.95", allow_negative_numbers = true)]
    confidence: f64,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = number::count)]
    threads: Option<u64>,
}

impl Replay {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        // In this form, NaN is refused too.
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            let error = anyhow::anyhow!("`--confidence {}` is not between 0 and 1", self.confidence);
            return Err(Failure::bad_input(error, vec!["for 95 %, use `--confidence 0.95`".to_owned()]));
        }
        let votes = read_votes(&self.files)?;
        let n_known = votes.votes().iter().filter(|vote| vote.propensity.is_some()).count();
        if self.simulate || n_known == 0 {
            self.let_loose(&votes, n_known > 0, printer)
        } else {
            self.evaluate(&votes, printer)
        }
    }

    /// Simulates.
    fn let_loose(self, votes: &Votes, has_propensities: bool, printer: &mut Printer) -> Result<(), Failure> {
        if !self.arms.is_empty() || self.against != "uniform" {
            let what = if self.arms.is_empty() { "--against" } else { "--arm" };
            let error = anyhow::anyhow!("`{what}` is for evaluation on the log, but this is a simulation");
            let hint = if has_propensities {
                "leave out `--simulate`"
            } else {
                "evaluation needs a column `pscore`, the probability with which each pair was drawn"
            };
            return Err(Failure::bad_input(error, vec![hint.to_owned()]));
        }
        let job = Simulate {
            votes,
            mode: if self.bootstrap { Mode::Bootstrap } else { Mode::Once },
            policies: self.line_up(),
            rounds: self.rounds.unwrap_or(votes.votes().len() as u64).max(1),
            runs: self.runs,
            seed: self.seed,
            confidence: self.confidence,
        };
        let pool = work::pool(self.threads)?;
        let progress = Progress::default();
        let simulated = work::with_bar(printer, &progress, || pool.install(|| simulate(&job, &progress)))?;
        match self.format {
            ListFormat::Table => simulated::print_table(&job, &simulated, printer),
            ListFormat::Json => simulated::print_json(&job, &simulated, printer),
        }
        let why = if has_propensities {
            "you asked for one"
        } else {
            "the log does not have the probabilities of its pairs (`pscore`)"
        };
        printer.note(format_args!(
            "note: this is a simulation, not off-policy evaluation: {why}; the policies choose their own pairs, and logged votes on these pairs answer"
        ));
        if self.bootstrap {
            printer
                .note("note: a vote may answer more than once: intervals cover the random draws, not the choice of voters");
        }
        Ok(())
    }

    /// Evaluates on the log.
    fn evaluate(self, votes: &Votes, printer: &mut Printer) -> Result<(), Failure> {
        if self.bootstrap || self.rounds.is_some() {
            let what = if self.bootstrap { "--bootstrap" } else { "--rounds" };
            let error = anyhow::anyhow!("`{what}` is for simulations, but this log allows evaluation");
            return Err(Failure::bad_input(
                error,
                vec!["add `--simulate` to simulate anyway, or leave the flag out".to_owned()],
            ));
        }
        let against = match self.against.as_str() {
            "uniform" => Against::Uniform,
            "log" => Against::Log,
            name => Against::Arm(find(votes, name)?),
        };
        let arms = self.arms.iter().map(|name| find(votes, name)).collect::<Result<Vec<_>, _>>()?;
        let policies = if self.policies.is_empty() && !arms.is_empty() { Vec::new() } else { self.line_up() };
        let subjects =
            policies.into_iter().map(Subject::Policy).chain(arms.into_iter().map(Subject::Arm)).collect();
        let job = Evaluate { votes, subjects, against, seed: self.seed, confidence: self.confidence };
        let evaluated = evaluate(&job)?;
        match self.format {
            ListFormat::Table => evaluated::print_table(&job, &self.against, &evaluated, printer),
            ListFormat::Json => evaluated::print_json(&job, &self.against, &evaluated, printer),
        }
        for one in evaluated.iter().filter(|one| one.support < 0.9) {
            printer.note(format_args!(
                "warning: the log covers {:.0} % of the pairs that {} could draw; if the logging policy never drew the rest, the estimates are biased, and only the interval of ips is valid",
                100.0 * one.support,
                evaluated::label(&one.subject, votes)
            ));
        }
        Ok(())
    }

    fn line_up(&self) -> Vec<Spec> {
        if self.policies.is_empty() {
            return ["rex3", "random"].map(|spec| spec.parse().expect("well formed")).to_vec();
        }
        self.policies.clone()
    }
}

/// The arm of this name.
fn find(votes: &Votes, name: &str) -> Result<Arm, Failure> {
    let place = votes.names().iter().position(|known| known == name);
    place.map(Arm::new).ok_or_else(|| {
        let error = anyhow::anyhow!("the log has no arm `{name}`");
        let some: Vec<String> = votes.names().iter().take(5).map(|name| format!("`{name}`")).collect();
        let more = if votes.n_arms() > some.len() { ", ..." } else { "" };
        Failure::bad_input(error, vec![format!("its arms are {}{more}", some.join(", "))])
    })
}
