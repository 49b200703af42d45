//! `tiltyard run`: runs an experiment from a specification into a directory of results.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use tiltyard::lab::Progress;
use tiltyard::lab::plan::{Items, Shard, Source};
use tiltyard::lab::runner::{Ending, Experiment, Target, run_experiment};
use tiltyard::lab::spec::Specification;

use super::{Failure, work};
use crate::number;
use crate::printer::Printer;

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The specification, a TOML file
    #[arg(value_name = "SPEC.toml")]
    specification: PathBuf,
    /// Directory for the results [default: the specification's name followed by -results]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue an experiment that was begun in that directory
    #[arg(long)]
    resume: bool,
    /// Run only part I of N; `tiltyard merge` merges the parts
    #[arg(long, value_name = "I/N", value_parser = shard, default_value = "1/1")]
    shard: Shard,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = number::count)]
    threads: Option<u64>,
    /// Directory of real data that the specification may name [default: TILTYARD_DATA]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Seed to use instead of the specification's
    #[arg(long, value_name = "N", value_parser = number::whole, allow_negative_numbers = true)]
    seed: Option<u64>,
}

impl Run {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let start = Instant::now();
        let mut specification = Specification::read(&self.specification)?;
        if let Some(seed) = self.seed {
            specification.seed = seed;
        }
        let data = self.data.clone().or_else(|| std::env::var_os("TILTYARD_DATA").map(PathBuf::from));
        let mut experiment = Experiment::new(&specification, data.as_deref())?;
        let out = self.out.clone().unwrap_or_else(|| self.default_out());
        describe(&experiment, self.shard, printer);

        let pool = work::pool(self.threads)?;
        let progress = Arc::new(Progress::default());
        work::stop_on_signals(&progress)?;
        let target = Target {
            directory: &out,
            resume: self.resume,
            shard: self.shard,
            revision: option_env!("TILTYARD_REVISION"),
        };
        let ending = work::with_bar(printer, &progress, || {
            pool.install(|| run_experiment(&mut experiment, &target, &progress))
        })?;
        match ending {
            Ending::AlreadyComplete => printer.note("the results are already complete; nothing to do"),
            Ending::Complete { resumed, lost_bytes } => {
                if lost_bytes > 0 {
                    printer.note(format_args!(
                        "{lost_bytes} bytes of the journal could not be read; their runs were played again"
                    ));
                }
                let before = if resumed > 0 {
                    format!(", {resumed} runs were finished before")
                } else {
                    String::new()
                };
                let took = Duration::from_secs(start.elapsed().as_secs());
                printer.note(format_args!("done in {}{before}", work::short(took)));
            }
            Ending::Stopped { done, total } => return Err(Failure::stopped(done, total, &out)),
            _ => {}
        }
        printer.line(out.display());
        Ok(())
    }

    fn default_out(&self) -> PathBuf {
        let stem = self.specification.file_stem().unwrap_or_default().to_string_lossy();
        let Shard { index, count } = self.shard;
        PathBuf::from(match count {
            1 => format!("{stem}-results"),
            _ => format!("{stem}-results-{index}-of-{count}"),
        })
    }
}

/// Prints what will be run, and on which data.
fn describe(experiment: &Experiment, shard: Shard, printer: &Printer) {
    let plan = &experiment.plan;
    let items = Items::of(plan);
    let n_items = (0..items.len()).filter(|&item| shard.holds(item)).count();
    let part = if shard == Shard::WHOLE { String::new() } else { format!(" in shard {shard}") };
    printer.note(format_args!(
        "{}: {} in {}, {}{part}",
        experiment.title,
        counted(plan.policies.len(), "policy", "policies"),
        counted(plan.worlds.len(), "world", "worlds"),
        counted(n_items, "run", "runs"),
    ));
    for world in &plan.worlds {
        match world.source {
            Source::Named => {}
            Source::Data => printer.note(format_args!("{}: real data, {}", world.label, world.name)),
            Source::StandIn => {
                printer.note(format_args!("{}: a stand-in for missing data", world.label));
            }
        }
    }
}

fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// `I/N`.
fn shard(text: &str) -> Result<Shard, String> {
    let (index, count) = text.split_once('/').ok_or("not of the form I/N, such as 1/4")?;
    let (index, count) = (number::count(index)?, number::count(count)?);
    Shard::new(index, count).ok_or_else(|| format!("there is no part {index} of {count}"))
}
