//! `tiltyard world build letor`.

use std::time::Instant;

use clap::Args;
use tiltyard::world::collection::Queries;
use tiltyard::world::ranker::{RankedCollection, Rankers, Ranking, Ties};

use super::simulate::Simulate;
use crate::cli::Failure;
use crate::printer::Printer;

#[derive(Debug, Args)]
pub(crate) struct FromLetor {
    /// LETOR / SVMlight files, plain or gzip, that together make one collection; or
    /// `synthetic:like=mslr,queries=200,seed=1`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// The rankers: `features`, one per feature, or `mixtures:N`, random linear mixtures of
    /// features
    #[arg(long, value_name = "RANKERS", default_value = "features")]
    rankers: Rankers,
    /// How to order documents with the same score: `shared`, `independent` or `file-order`
    #[arg(long, value_name = "RULE", default_value = "shared")]
    ties: Ties,
    #[command(flatten)]
    simulate: Simulate,
}

impl FromLetor {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let Self { files, rankers, ties, simulate } = self;
        let prepared = simulate.prepare(&files)?;
        let mut queries = Queries::open(&files)?;
        let bar = printer.bar(queries.progress().1).with_message("reading");
        let mut drawn = Instant::now();
        let watched = std::iter::from_fn(|| {
            if drawn.elapsed() >= Printer::BEAT {
                bar.set_position(queries.progress().0);
                drawn = Instant::now();
            }
            queries.next()
        });
        let ranking = Ranking { rankers, depth: simulate.depth()?, ties, seed: simulate.seed };
        let collection = RankedCollection::from_queries(watched, &ranking);
        bar.finish_and_clear();
        let collection = collection?;
        let names: Vec<String> = match rankers {
            Rankers::Features => (1..=collection.n_rankers()).map(|n| format!("feature {n}")).collect(),
            Rankers::Mixtures(n) => (1..=n).map(|n| format!("mixture {n}")).collect(),
        };
        simulate.run(prepared, &collection, &names, printer)
    }
}
