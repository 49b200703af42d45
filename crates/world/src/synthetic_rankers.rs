//! Worlds of rankers on synthetic collections. They resemble the learning-to-rank matrices of the
//! literature and need no download.
//!
//! Each is the matrix that `world build letor synthetic:like=... --clicks ...` makes: one ranker
//! per feature, team draft, ten documents. It is simulated each time it is opened, on the threads
//! of the current rayon pool, and depends only on the parameters.

use tiltyard_bandit::Spec;
use tiltyard_bandit::params::{Context, Param, Params, Range};

use crate::build::letor::{Simulation, SimulationError, SimulationProgress, StoppingRule};
use crate::builtin::WorldError;
use crate::click::ClickSpec;
use crate::collection::{Shape, Synthetic};
use crate::family::{Build, Family};
use crate::matrix_world::MatrixWorld;
use crate::param::{Number, number};
use crate::ranker::{RankedCollection, Ranking};
use tiltyard_interleave::Interleaving;

const SAMPLES: Number = number!("samples" = 2000 in [100, 1e7], "interleaved lists shown for each pair");

/// At this seed the winners are as in the real matrices: a Condorcet winner that is also the Borda
/// winner, and no Condorcet winner under the informational user. Other seeds give matrices with
/// similar costs and closeness, but not always with such winners.
const SEED: Number = number!("seed" = 23 in [0, 2 ^ 53], "seed of the collection, the lists and the clicks");

const PARAMS: &[Param] = &[
    Param {
        key: "clicks",
        default: "navigational",
        legal: "a click model without parameters",
        meaning: "how the simulated user clicks",
    },
    SAMPLES.doc,
    Param {
        key: "queries",
        default: "by collection",
        legal: "[1, 1e5]",
        meaning: "number of queries in the collection",
    },
    SEED.doc,
];

pub(crate) static NP: Family = Family {
    name: "synthetic-np64",
    title: "64 rankers on a synthetic collection like LETOR NP2004, one relevant document per query",
    provenance: "a simulation: `world build letor synthetic:like=np2004`",
    n_arms: Some(64),
    params: PARAMS,
    needs_file: false,
    build: Build::World(|spec, _| Ok(build(spec, Shape::np2004())?.into())),
};

pub(crate) static MSLR: Family = Family {
    name: "synthetic-mslr136",
    title: "136 rankers on a synthetic collection like MSLR-WEB, labels 0 to 4",
    provenance: "a simulation: `world build letor synthetic:like=mslr`",
    n_arms: Some(136),
    params: PARAMS,
    needs_file: false,
    build: Build::World(|spec, _| Ok(build(spec, Shape::mslr())?.into())),
};

/// Parameters cannot use T, because the matrix must not depend on the length of a run.
fn build(spec: &Spec, preset: Shape) -> Result<MatrixWorld, WorldError> {
    let mut params = Params::new(spec, Context { n_arms: 1, horizon: None }, &[PARAMS])?;
    let clicks: ClickSpec = params.text("clicks").unwrap_or("navigational").parse()?;
    let samples = SAMPLES.whole(&mut params)?;
    let queries = params.whole_or("queries", Range::closed(1.0, 1e5), preset.queries as u64)?;
    let seed = SEED.whole(&mut params)?;
    params.finish()?;
    let queries = usize::try_from(queries).expect("at most a hundred thousand");
    let shape = Shape { queries, ..preset };
    let collection = Synthetic::new(shape, seed).expect("presets are valid").map(Ok);
    let ranked = RankedCollection::from_queries(collection, &Ranking { seed, ..Ranking::default() })?;
    let interleaving = Interleaving::TeamDraft;
    let simulation =
        Simulation { clicks, interleaving, shown: 10, stopping: StoppingRule::Samples(samples), seed };
    let built = simulation.run(&ranked, &SimulationProgress::default())?;
    let names = (1..=ranked.n_rankers()).map(|n| format!("feature {n}")).collect();
    Ok(MatrixWorld::new(built.matrix().clone()).with_names(names))
}

impl From<SimulationError> for WorldError {
    fn from(error: SimulationError) -> Self {
        match error {
            SimulationError::Clicks(error) => Self::Clicks(error),
            error => unreachable!("samples were checked, and nobody can stop the simulation: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::World;

    fn build_np(text: &str) -> Result<MatrixWorld, WorldError> {
        build(&text.parse().unwrap(), Shape::np2004())
    }

    #[test]
    fn trace_parameters_and_names() {
        let world = build_np("synthetic-np64:samples=100,queries=20").unwrap();
        assert_eq!(world.n_arms(), 64);
        assert_eq!(world.arm_name(tiltyard_bandit::Arm::new(63)), Some("feature 64"));
        assert_ne!(world, build_np("synthetic-np64:samples=100,queries=20,seed=2").unwrap());
        assert_ne!(world, build_np("synthetic-np64:samples=100,queries=20,clicks=perfect").unwrap());
        assert!(matches!(build_np("synthetic-np64:clicks=prefect"), Err(WorldError::Clicks(_))));
        assert!(matches!(build_np("synthetic-np64:samples=1"), Err(WorldError::Param(_))));
    }
}
