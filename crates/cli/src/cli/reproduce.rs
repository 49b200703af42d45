//! `tiltyard reproduce`: reproduces a paper's figures, tables and claims, and writes a report.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use tiltyard::lab::Progress;
use tiltyard::lab::claim::Verdict;
use tiltyard::lab::reproduce::{
    Ending, Job, PAPERS, Paper, Reproduced, Request, Scale, Selection, specification,
};

use super::{Failure, work};
use crate::number;
use crate::printer::Printer;

#[derive(Debug, Args)]
pub(crate) struct Reproduce {
    /// Figures to reproduce; `matrices` is the table of matrices, `claims` the experiments that
    /// belong to no figure [default: everything]
    #[arg(value_name = "FIGURE")]
    figures: Vec<String>,
    /// The paper to reproduce
    #[arg(long, value_name = "NAME", value_parser = papers(), default_value = "rex3")]
    paper: &'static Paper,
    /// Number and length of the runs
    #[arg(long, value_enum, default_value_t = ScaleName::Quick)]
    scale: ScaleName,
    /// Directory of real data [default: TILTYARD_DATA; without either, synthetic matrices stand in]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Directory for the report; a job that was begun there continues
    #[arg(long, value_name = "DIR", default_value = "tiltyard-report")]
    out: PathBuf,
    /// Seed for all randomness
    #[arg(long, value_name = "N", value_parser = number::whole, allow_negative_numbers = true, default_value = "1")]
    seed: u64,
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = number::count)]
    threads: Option<u64>,
    /// Only print the specification of a figure, for `tiltyard run`
    #[arg(long, value_name = "FIGURE", conflicts_with_all = ["figures", "scale", "data", "out", "seed", "threads", "strict"])]
    print: Option<String>,
    /// Exit with code 4 if a claim fails or is inconclusive
    #[arg(long)]
    strict: bool,
}

/// Parses the name of a paper. The help shows its authors and venue.
fn papers() -> impl TypedValueParser<Value = &'static Paper> {
    let described = |paper: &&'static Paper| {
        PossibleValue::new(paper.name).help(format!("{}, {}", paper.citation.authors, paper.citation.venue))
    };
    PossibleValuesParser::new(PAPERS.iter().map(described))
        .map(|name| Paper::find(&name).expect("one of the names above"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScaleName {
    /// Fewer and shorter runs: 2 minutes on two cores
    Quick,
    /// As in the paper: 15 minutes on two cores
    Paper,
}

impl Reproduce {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        if let Some(name) = &self.print {
            printer.line(specification(self.paper, name)?.trim_end());
            return Ok(());
        }
        let start = Instant::now();
        let data = self.data.clone().or_else(|| std::env::var_os("TILTYARD_DATA").map(PathBuf::from));
        let order = Request {
            selection: Selection::of(self.paper, &self.figures)?,
            scale: match self.scale {
                ScaleName::Quick => Scale::QUICK,
                ScaleName::Paper => Scale::PAPER,
            },
            seed: Some(self.seed),
            data: data.as_deref(),
            out: &self.out,
            revision: option_env!("TILTYARD_REVISION"),
        };
        let pool = work::pool(self.threads)?;
        let progress = Arc::new(Progress::default());
        work::stop_on_signals(&progress)?;
        printer.note("building the worlds");
        let Some(job) = pool.install(|| Job::prepare(order, &progress))? else {
            return Err(Failure::stopped_report(&self.out));
        };
        describe(&job, data.is_some(), printer);
        match work::with_bar(printer, &progress, || pool.install(|| job.run(&progress)))? {
            Ending::Stopped => Err(Failure::stopped_report(&self.out)),
            Ending::Complete(reproduced) => {
                conclude(&reproduced, start.elapsed(), printer);
                printer.line(reproduced.report.display());
                if self.strict { mind(&reproduced) } else { Ok(()) }
            }
        }
    }
}

/// Prints what will be run, and on which data.
fn describe(job: &Job<'_>, has_data: bool, printer: &Printer) {
    if job.runs() > 0 {
        printer.note(format_args!("{} runs, {:.1e} rounds in all", job.runs(), job.rounds() as f64));
    }
    let (stand_ins, real) = job.stand_ins();
    if stand_ins > 0 && has_data {
        printer.note(format_args!(
            "{real} worlds are real; {stand_ins} are synthetic stand-ins, because the data directory has no files for them"
        ));
    } else if stand_ins > 0 {
        printer.note(format_args!(
            "{} are synthetic stand-ins; `--data DIR` names the directory of the real matrices",
            job.paper().data.names
        ));
    }
}

/// Prints the verdicts in a few lines.
fn conclude(reproduced: &Reproduced, took: Duration, printer: &Printer) {
    let before = match reproduced.resumed {
        0 => String::new(),
        runs => format!(", {runs} runs were finished before"),
    };
    printer.note(format_args!("done in {}{before}", work::short(Duration::from_secs(took.as_secs()))));
    for (verdict, word) in [
        (Verdict::Holds, "holds"),
        (Verdict::Fails, "fails"),
        (Verdict::Inconclusive, "inconclusive"),
        (Verdict::NotRun, "not run"),
    ] {
        let ids = reproduced.with(verdict);
        if !ids.is_empty() {
            printer.note(format_args!("{word:<12} {:>2}  {}", ids.len(), ids.join(" ")));
        }
    }
}

/// Makes it an error if a claim fails or is inconclusive.
fn mind(reproduced: &Reproduced) -> Result<(), Failure> {
    let unsupported = [reproduced.with(Verdict::Fails), reproduced.with(Verdict::Inconclusive)].concat();
    if unsupported.is_empty() { Ok(()) } else { Err(Failure::unsupported(&unsupported)) }
}
