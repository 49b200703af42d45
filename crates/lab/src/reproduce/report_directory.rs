//! The directory of a report: the job it belongs to, and its files.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::paper::{Paper, REX3};
use crate::claim::Verdict;
use crate::results::Machine;
use crate::results::directory::{MANIFEST, write_whole};
use tiltyard_bandit::hint::{Fault, FrontEnd, Hint};

/// The format of report manifests that this version writes and reads.
const FORMAT: u32 = 1;

/// Marks a manifest as that of a report.
const KIND: &str = "tiltyard reproduce";

/// `manifest.json` of a report. It is written first, to mark the directory as a report's. The
/// outcome is added at the end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ReportManifest {
    format: u32,
    kind: String,
    /// Manifests from before there were several papers lack this field.
    #[serde(default = "the_first")]
    pub(super) paper: String,
    pub(super) scale: String,
    pub(super) seed: u64,
    pub(super) version: String,
    pub(super) revision: Option<String>,
    /// None until the job is complete.
    pub(super) outcome: Option<Outcome>,
}

fn the_first() -> String {
    REX3.name.to_owned()
}

/// The outcome of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Outcome {
    /// When the job finished, in seconds since the beginning of 1970 (UTC).
    pub(super) finished: u64,
    /// The duration of the last session.
    pub(super) elapsed_seconds: f64,
    pub(super) machine: Machine,
    /// In the order in which they were run.
    pub(super) experiments: Vec<ExperimentFacts>,
    pub(super) verdicts: Verdicts,
}

/// Facts about one experiment of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ExperimentFacts {
    pub(super) id: String,
    pub(super) title: String,
    /// The hash of its identity.
    pub(super) hash: String,
    /// The SHA-256 of `results.parquet`.
    pub(super) results_sha256: String,
    /// The sources of its worlds.
    pub(super) data: String,
    pub(super) runs: u64,
    pub(super) rounds: u64,
    /// Seconds spent in runs, summed over threads and sessions.
    pub(super) seconds: f64,
}

/// The number of claims with each verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
#[serde(rename_all = "kebab-case")]
pub struct Verdicts {
    pub holds: usize,
    pub fails: usize,
    pub inconclusive: usize,
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

    /// The first difference to another job: the name of the option, and the other job's value.
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

/// The state of the report in a directory.
#[derive(Debug, Clone)]
pub(crate) enum ReportState {
    /// The directory does not contain a report.
    Foreign,
    /// The job is not complete.
    Unfinished,
    Finished(ReportFacts),
}

/// Facts about a report, for a list of reports.
#[derive(Debug, Clone)]
pub(crate) struct ReportFacts {
    pub(crate) title: String,
    pub(crate) scale: String,
    pub(crate) seed: u64,
    pub(crate) version: String,
    pub(crate) finished: u64,
    pub(crate) verdicts: Verdicts,
}

/// Reads the state of the report in a directory from its manifest.
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
    /// Starts a report in the directory, or accepts the directory if it already belongs to this
    /// job.
    pub(super) fn enter(self, manifest: &ReportManifest) -> Result<(), ReportDirectoryError> {
        let path = || self.0.to_owned();
        let at = |source| ReportDirectoryError::Directory { path: path(), source };
        match fs::read(self.0.join(MANIFEST)) {
            Ok(text) => {
                let theirs: ReportManifest = serde_json::from_slice(&text)
                    .map_err(|_| ReportDirectoryError::Foreign { path: path() })?;
                if theirs.kind != KIND || theirs.format != FORMAT {
                    return Err(ReportDirectoryError::Foreign { path: path() });
                }
                match manifest.difference(&theirs) {
                    Some((what, theirs)) => {
                        Err(ReportDirectoryError::OtherJob { path: path(), what, theirs })
                    }
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

    /// Writes a file completely or not at all. Creates the folders in its name.
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

/// Why a directory cannot be used for a report.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ReportDirectoryError {
    /// The directory cannot be created or read.
    #[error("cannot use the directory {}", path.display())]
    Directory { path: PathBuf, source: io::Error },
    /// The directory contains something that is not a report.
    #[error("{} is not empty and does not contain a report", path.display())]
    Foreign { path: PathBuf },
    /// The directory contains the report of another job.
    #[error("{} contains a report with {what} {theirs}", path.display())]
    OtherJob {
        path: PathBuf,
        /// The difference: `paper`, `scale`, `seed` or `version`.
        what: &'static str,
        /// The value of the other job.
        theirs: String,
    },
    /// A file cannot be written, most likely because the disk is full.
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
}

impl Hint for ReportDirectoryError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Foreign { .. } | Self::OtherJob { .. } => vec![front.elsewhere()],
            Self::Write { .. } => {
                vec![format!("free some disk space; then {} continues the job", front.again())]
            }
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
        // A second time, as after a kill.
        ReportDirectory(&path).enter(&manifest).unwrap();
        let message = |manifest| ReportDirectory(&path).enter(&manifest).unwrap_err().to_string();
        assert!(
            message(ReportManifest::new(&REX3, "paper", 1, None))
                .ends_with("contains a report with scale quick")
        );
        assert!(
            message(ReportManifest::new(&REX3, "quick", 2, None)).ends_with("contains a report with seed 1")
        );
        let other = ReportManifest { paper: "dts".to_owned(), ..manifest.clone() };
        assert!(message(other).ends_with("contains a report with paper rex3"));
        let older = ReportManifest { version: "0.0.1".to_owned(), ..manifest.clone() };
        ReportDirectory(&path).write_manifest(&older).unwrap();
        assert!(message(manifest.clone()).ends_with("contains a report with version 0.0.1"));

        // Foreign directories are left alone.
        fs::write(path.join(MANIFEST), "{}").unwrap();
        assert!(matches!(ReportDirectory(&path).enter(&manifest), Err(ReportDirectoryError::Foreign { .. })));
        let foreign = directory.path().join("home");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("letter.txt"), "dear").unwrap();
        assert!(matches!(
            ReportDirectory(&foreign).enter(&manifest),
            Err(ReportDirectoryError::Foreign { .. })
        ));
        // Killed while writing the first manifest.
        let begun = directory.path().join("begun");
        fs::create_dir(&begun).unwrap();
        fs::write(begun.join("manifest.json.part"), "").unwrap();
        ReportDirectory(&begun).enter(&manifest).unwrap();
    }
}
