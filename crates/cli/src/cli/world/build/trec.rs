//! `tiltyard world build trec`.

use std::path::PathBuf;

use clap::Args;
use tiltyard::world::collection::{Qrels, TrecRun};
use tiltyard::world::ranker::RankedCollection;

use super::simulate::Simulate;
use crate::cli::Failure;
use crate::printer::Printer;

#[derive(Debug, Args)]
pub(crate) struct FromTrec {
    /// TREC run files, one per ranker, with lines `query Q0 document rank score tag`
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Relevance judgements, with lines `query iteration document label`
    #[arg(long, value_name = "FILE")]
    qrels: PathBuf,
    #[command(flatten)]
    simulate: Simulate,
}

impl FromTrec {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let Self { runs, qrels, simulate } = self;
        let prepared = simulate.prepare(runs.iter().chain([&qrels]))?;
        let runs = runs.iter().map(TrecRun::open).collect::<Result<Vec<_>, _>>()?;
        let qrels = Qrels::open(qrels)?;
        let collection = RankedCollection::from_runs(&runs, &qrels, simulate.depth()?)?;
        let mut names: Vec<String> = Vec::with_capacity(runs.len());
        for run in &runs {
            // Two runs may have the same tag, but arms must have different names.
            let tag = run.tag().to_owned();
            let name = if names.contains(&tag) { format!("{tag} ({})", names.len() + 1) } else { tag };
            names.push(name);
        }
        simulate.run(prepared, &collection, &names, printer)
    }
}
