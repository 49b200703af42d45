//! The directory of a report: whose it is, and what is written into it.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::paper::{Paper, REX3};
use crate::claim::Verdict;
use crate::results::Machine;
use crate::results::directory::{MANIFEST, write_whole};
use tiltyard_bandit::hint::{Fault, FrontEnd, Hint};

/// The format of manifests of reports that this version writes and reads.
const FORMAT: u32 = 1;

/// What says that a manifest is one of a report.
const KIND: &str = "tiltyard reproduce";

/// `manifest.json` of a report. It is there from the first moment, so that a directory is known to
/// be ours; what came out is added at the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ReportManifest {
    format: u32,
    kind: String,
    /// Before there were several there was one.
    #[serde(default = "the_first")]
    pub(super) paper: String,
    pub(super) scale: String,
    pub(super) seed: u64,
    pub(super) version: String,
    pub(super) revision: Option<String>,
    /// What came out; none before the end.
    pub(super) outcome: Option<Outcome>,
}

fn the_first() -> String {
    REX3.name.to_owned()
}

/// What came of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Outcome {
    /// When it was finished, in seconds since the beginning of 1970 (UTC).
    pub(super) finished: u64,
    /// Seconds that the last session took.
    pub(super) elapsed_seconds: f64,
    pub(super) machine: Machine,
    /// What was run, in order.
    pub(super) experiments: Vec<ExperimentFacts>,
    /// How many claims have which verdict.
    pub(super) verdicts: Verdicts,
}

/// One specification of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ExperimentFacts {
    pub(super) id: String,
    pub(super) title: String,
    /// The hash of its identity.
    pub(super) hash: String,
    /// The SHA-256 of `results.parquet`.
    pub(super) results_sha256: String,
    /// Where its worlds come from.
    pub(super) data: String,
    pub(super) runs: u64,
    pub(super) rounds: u64,
    /// Seconds spent in runs, summed over threads and sessions.
    pub(super) seconds: f64,
}

/// How many claims have which verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Verdicts {
    /// The evidence supports the sentence.
    pub holds: usize,
    /// It contradicts it.
    pub fails: usize,
    /// It allows both.
    pub inconclusive: usize,
    /// There is none.
    pub not_run: usize,
}

impl Verdicts {
    pub(super) fn of(verdicts: impl Iterator<Item = Verdict>) -> Self {
        let mut counts = Self::default();
        for verdict in verdicts {
            *match verdict {
                Verdict::Holds => &mut counts.holds,
                Verdict::Fails => &mut counts.fails,
                Verdict::Inconclusive => &mut counts.inconclusive,
                Verdict::NotRun => &mut counts.not_run,
            } += 1;
        }
        counts
    }
}

impl ReportManifest {
    pub(super) fn new(paper: &Paper, scale: &str, seed: u64, revision: Option<&str>) -> Self {
        Self {
            format: FORMAT,
            kind: KIND.to_owned(),
            paper: paper.name.to_owned(),
            scale: scale.to_owned(),
            seed,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            revision: revision.map(str::to_owned),
            outcome: None,
        }
    }

    /// In what two jobs differ, in the words of the command line.
    fn difference(&self, other: &Self) -> Option<(&'static str, String)> {
        if self.paper != other.paper {
            return Some(("paper", other.paper.clone()));
        }
        if self.scale != other.scale {
            return Some(("scale", other.scale.clone()));
        }
        if self.seed != other.seed {
            return Some(("seed", other.seed.to_string()));
        }
        (self.version != other.version).then(|| ("version", other.version.clone()))
    }
}

/// What a directory says about its report.
#[derive(Debug, Clone)]
pub(crate) enum ReportState {
    /// It is no report's.
    Foreign,
    /// The job has not come to its end.
    Unfinished,
    /// There it is.
    Finished(ReportFacts),
}

/// What a list of reports says about one.
#[derive(Debug, Clone)]
pub(crate) struct ReportFacts {
    pub(crate) title: String,
    pub(crate) scale: String,
    pub(crate) seed: u64,
    pub(crate) version: String,
    pub(crate) finished: u64,
    pub(crate) verdicts: Verdicts,
}

/// Reads the manifest of a directory as that of a report.
pub(crate) fn report_state(directory: &Path) -> ReportState {
    let text = fs::read(directory.join(MANIFEST)).unwrap_or_default();
    let manifest = serde_json::from_slice::<ReportManifest>(&text);
    let Some(manifest) = manifest.ok().filter(|found| found.kind == KIND && found.format == FORMAT) else {
        return ReportState::Foreign;
    };
    let Some(outcome) = manifest.outcome else { return ReportState::Unfinished };
    ReportState::Finished(ReportFacts {
        title: Paper::find(&manifest.paper).map_or(manifest.paper, |paper| paper.title.to_owned()),
        scale: manifest.scale,
        seed: manifest.seed,
        version: manifest.version,
        finished: outcome.finished,
        verdicts: outcome.verdicts,
    })
}

/// The directory of a report.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReportDirectory<'a>(pub(super) &'a Path);

impl ReportDirectory<'_> {
    /// Takes the directory, or finds that it is this job's already.
    pub(super) fn enter(self, manifest: &ReportManifest) -> Result<(), ReportDirectoryError> {
        let path = || self.0.to_owned();
        let at = |source| ReportDirectoryError::Directory { path: path(), source };
        match fs::read(self.0.join(MANIFEST)) {
            Ok(text) => {
                let theirs: ReportManifest =
                    serde_json::from_slice(&text).map_err(|_| ReportDirectoryError::Foreign { path: path() })?;
                if theirs.kind != KIND || theirs.format != FORMAT {
                    return Err(ReportDirectoryError::Foreign { path: path() });
                }
                match manifest.difference(&theirs) {
                    Some((what, theirs)) => Err(ReportDirectoryError::OtherJob { path: path(), what, theirs }),
                    None => Ok(()),
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(self.0).map_err(at)?;
                let begun = format!("{MANIFEST}.part");
                for entry in fs::read_dir(self.0).map_err(at)? {
                    if entry.map_err(at)?.file_name() != *begun {
                        return Err(ReportDirectoryError::Foreign { path: path() });
                    }
                }
                self.write_manifest(manifest)
            }
            Err(source) => Err(at(source)),
        }
    }

    pub(super) fn write_manifest(self, manifest: &ReportManifest) -> Result<(), ReportDirectoryError> {
        let text = serde_json::to_string_pretty(manifest).expect("plain data");
        self.write(MANIFEST, text.as_bytes())
    }

    /// Writes a file, whole or not at all; folders in its name are made.
    pub(super) fn write(self, name: &str, bytes: &[u8]) -> Result<(), ReportDirectoryError> {
        let path = self.0.join(name);
        let at = |source| ReportDirectoryError::Write { path: path.clone(), source };
        let (folder, file) = match name.rsplit_once('/') {
            Some((folder, file)) => (self.0.join(folder), file),
            None => (self.0.to_owned(), name),
        };
        fs::create_dir_all(&folder).map_err(at)?;
        write_whole(&folder, file, |writer| writer.write_all(bytes)).map_err(at)
    }
}

/// Why a directory cannot take a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportDirectoryError {
    /// The system refuses.
    #[error("cannot use the directory {}", path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It holds something that is not ours.
    #[error("{} is not empty, and what is in it is no report", path.display())]
    Foreign {
        /// The directory.
        path: PathBuf,
    },
    /// It holds the report of another job.
    #[error("{} holds a report of {what} {theirs}", path.display())]
    OtherJob {
        /// The directory.
        path: PathBuf,
        /// In what they differ: `paper`, `scale`, `seed` or `version`.
        what: &'static str,
        /// Theirs.
        theirs: String,
    },
    /// A file cannot be written: a full disk, most likely.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl Hint for ReportDirectoryError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Foreign { .. } | Self::OtherJob { .. } => vec![front.elsewhere()],
            Self::Write { .. } => vec![format!("make room; then {} continues it", front.again())],
            Self::Directory { .. } => Vec::new(),
        }
    }

    fn fault(&self) -> Fault {
        match self {
            Self::Foreign { .. } | Self::OtherJob { .. } => Fault::Input,
            Self::Directory { .. } | Self::Write { .. } => Fault::Machine,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_a_directory_is_taken_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/report");
        let manifest = ReportManifest::new(&REX3, "quick", 1, None);
        ReportDirectory(&path).enter(&manifest).unwrap();
        // Again, as after a kill.
        ReportDirectory(&path).enter(&manifest).unwrap();
        let message = |manifest| ReportDirectory(&path).enter(&manifest).unwrap_err().to_string();
        assert!(
            message(ReportManifest::new(&REX3, "paper", 1, None)).ends_with("holds a report of scale quick")
        );
        assert!(message(ReportManifest::new(&REX3, "quick", 2, None)).ends_with("holds a report of seed 1"));
        let other = ReportManifest { paper: "dts".to_owned(), ..manifest.clone() };
        assert!(message(other).ends_with("holds a report of paper rex3"));
        let older = ReportManifest { version: "0.0.1".to_owned(), ..manifest.clone() };
        ReportDirectory(&path).write_manifest(&older).unwrap();
        assert!(message(manifest.clone()).ends_with("holds a report of version 0.0.1"));

        // What is not ours is left alone.
        fs::write(path.join(MANIFEST), "{}").unwrap();
        assert!(matches!(ReportDirectory(&path).enter(&manifest), Err(ReportDirectoryError::Foreign { .. })));
        let foreign = directory.path().join("home");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("letter.txt"), "dear").unwrap();
        assert!(matches!(ReportDirectory(&foreign).enter(&manifest), Err(ReportDirectoryError::Foreign { .. })));
        // Killed in the first moment.
        let begun = directory.path().join("begun");
        fs::create_dir(&begun).unwrap();
        fs::write(begun.join("manifest.json.part"), "").unwrap();
        ReportDirectory(&begun).enter(&manifest).unwrap();
    }
}
