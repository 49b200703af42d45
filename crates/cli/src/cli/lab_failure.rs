//! What to do about the lab's errors.

use std::path::Path;

use tiltyard::lab::merge::MergeError;
use tiltyard::lab::reproduce::{PlaceError, ReproduceError, UnknownFigure};
use tiltyard::lab::results::ResultsError;
use tiltyard::lab::runner::{JournalError, PrepareError, RunError};
use tiltyard::lab::spec::{Problem, SpecificationError};

use super::{Failure, entry_hints, regret_hints, world_hints};

const ELSEWHERE: &str = "choose another directory with `--out`";
const CONTINUE: &str = "the same command with `--resume` continues it";

impl Failure {
    pub(crate) fn stopped(done: u64, total: u64, out: &Path) -> Self {
        let error =
            anyhow::anyhow!("stopped; {done} of {total} runs are finished and safe in {}", out.display());
        Self { error, hints: vec![CONTINUE.to_owned()], code: Self::STOPPED }
    }
}

impl Failure {
    pub(crate) fn stopped_report(out: &Path) -> Self {
        let error = anyhow::anyhow!("stopped; what was finished is safe in {}", out.display());
        Self { error, hints: vec!["the same command continues it".to_owned()], code: Self::STOPPED }
    }

    pub(crate) fn unsupported(claims: &[&str]) -> Self {
        let error = anyhow::anyhow!("claims that fail or are inconclusive: {}", claims.join(", "));
        Self { error, hints: vec!["the report says why".to_owned()], code: Self::UNSUPPORTED }
    }
}

impl From<SpecificationError> for Failure {
    fn from(error: SpecificationError) -> Self {
        let hints = match &*error.problem {
            Problem::Regret(error) => super::did_you_mean(error.suggestion).into_iter().collect(),
            Problem::Policy { error, .. } => entry_hints(error),
            Problem::World(PrepareError::World(error)) => world_hints(error),
            Problem::World(PrepareError::Regret(_)) => regret_hints(),
            Problem::NoData { .. } => {
                vec![
                    "`--data DIR` says where the data is; `otherwise` names a world to play in without it"
                        .to_owned(),
                ]
            }
            Problem::Toml { .. } | Problem::NoWorlds | Problem::NoPolicies | Problem::NoPlace => {
                vec!["docs/specification.md describes every field".to_owned()]
            }
            _ => Vec::new(),
        };
        Self::bad_input(error, hints)
    }
}

fn results_hints(error: &ResultsError) -> Vec<String> {
    match error {
        ResultsError::Unfinished { .. } => vec!["`tiltyard run` with `--resume` continues it".to_owned()],
        ResultsError::Shard { .. } => vec!["`tiltyard merge` puts shards together".to_owned()],
        ResultsError::Manifest { .. } | ResultsError::Changed { .. } | ResultsError::Table { .. } => {
            vec!["run the job again into another directory; the specification is in manifest.json".to_owned()]
        }
        _ => Vec::new(),
    }
}

impl From<ResultsError> for Failure {
    fn from(error: ResultsError) -> Self {
        let hints = results_hints(&error);
        Self::bad_input(error, hints)
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let hints = match &error {
            RunError::NotEmpty { .. }
            | RunError::OtherSpecification { .. }
            | RunError::OtherShard { .. }
            | RunError::JobFile { .. }
            | RunError::Journal(JournalError::Foreign { .. }) => vec![ELSEWHERE.to_owned()],
            RunError::OtherVersion { .. } => {
                vec![format!("finish it with that version, or {ELSEWHERE}")]
            }
            RunError::Unfinished { .. } => vec![format!("{CONTINUE}; or {ELSEWHERE}")],
            RunError::Finished { .. } => vec![format!("there is nothing to do; or {ELSEWHERE}")],
            RunError::Write { .. } => vec![format!("make room; then {CONTINUE}")],
            RunError::Results(error) => results_hints(error),
            _ => Vec::new(),
        };
        let code = match error {
            RunError::Write { .. } | RunError::Table { .. } | RunError::Directory { .. } => Self::BROKEN,
            _ => Self::BAD_INPUT,
        };
        Self { error: error.into(), hints, code }
    }
}

impl From<UnknownFigure> for Failure {
    fn from(error: UnknownFigure) -> Self {
        let all = format!("there are {}", error.known.join(", "));
        let elsewhere = error.elsewhere.map(|paper| format!("it is a figure of `--paper {paper}`"));
        let hints = super::did_you_mean(error.suggestion).into_iter().chain(elsewhere).chain([all]).collect();
        Self::bad_input(error, hints)
    }
}

impl From<PlaceError> for Failure {
    fn from(error: PlaceError) -> Self {
        match &error {
            PlaceError::Foreign { .. } | PlaceError::OtherJob { .. } => {
                Self::bad_input(error, vec![ELSEWHERE.to_owned()])
            }
            PlaceError::Write { .. } => {
                let hints = vec!["make room; then the same command continues it".to_owned()];
                Self { hints, ..Self::broken(error) }
            }
            _ => Self::broken(error),
        }
    }
}

impl From<ReproduceError> for Failure {
    fn from(error: ReproduceError) -> Self {
        match error {
            ReproduceError::NoData { .. } => {
                let hints = vec!["without `--data` and TILTYARD_DATA synthetic matrices stand in".to_owned()];
                Self::bad_input(error, hints)
            }
            ReproduceError::Place(error) => error.into(),
            ReproduceError::Specification(error) => error.into(),
            ReproduceError::Matrix(error) => error.into(),
            ReproduceError::Run(error @ RunError::Write { .. }) => {
                // There is no `--resume` here.
                let hints = vec!["make room; then the same command continues it".to_owned()];
                Self { hints, ..Self::from(error) }
            }
            ReproduceError::Run(error) => error.into(),
            ReproduceError::Results(error) => error.into(),
            error => Self::broken(error),
        }
    }
}

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        let hints = match &error {
            MergeError::NotEmpty { .. } => vec![ELSEWHERE.to_owned()],
            MergeError::Results(error) => results_hints(error),
            _ => Vec::new(),
        };
        let code = if matches!(error, MergeError::Out { .. }) { Self::BROKEN } else { Self::BAD_INPUT };
        Self { error: error.into(), hints, code }
    }
}
