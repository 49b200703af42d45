//! Finds the runs and reports below a directory, and those that cannot be shown.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use crate::reproduce::{self, ReportFacts, ReportState};
use crate::results::directory::{JOB, MANIFEST, RESULTS};
use crate::results::{Manifest, ResultsError, read_manifest};

/// How many levels below the directory are searched. A report has its runs two levels below itself.
const DEPTH: usize = 5;

/// The largest number of directories to search, and of names to read in one of them.
const MOST_DIRECTORIES: usize = 5000;
const MOST_NAMES: usize = 20_000;

/// Everything that was found, sorted by name.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) runs: Vec<Run>,
    pub(super) reports: Vec<Report>,
    pub(super) broken: Vec<Broken>,
    /// Whether there is more than was looked at.
    pub(super) more: bool,
}

/// A directory of results.
#[derive(Debug, Clone)]
pub(super) struct Run {
    /// The path below the directory.
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) facts: RunFacts,
}

/// The facts about a run that the list shows.
#[derive(Debug, Clone)]
pub(super) struct RunFacts {
    pub(super) title: String,
    pub(super) worlds: Vec<String>,
    pub(super) policies: Vec<String>,
    /// The largest number of runs of one policy in one world.
    pub(super) runs: u64,
    /// The length of the longest run.
    pub(super) rounds: u64,
    pub(super) finished: u64,
    pub(super) seed: u64,
    pub(super) version: String,
}

/// A directory with a report.
#[derive(Debug, Clone)]
pub(super) struct Report {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) facts: ReportFacts,
}

/// A directory that cannot be shown.
#[derive(Debug, Clone)]
pub(super) struct Broken {
    pub(super) name: String,
    pub(super) reason: String,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Run(RunFacts),
    Report(ReportFacts),
    Broken(String),
    /// Neither results nor a report.
    Other,
}

/// Identifies a state of a file by its length and the time of its last change.
pub(super) type Stamp = Option<(u64, SystemTime)>;

/// The stamp of a file; `None` if it is not a plain file. Links do not count, because they might
/// lead out of the directory.
pub(super) fn stamp(path: &Path) -> Stamp {
    let file = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((file.len(), file.modified().ok()?))
}

/// The stamps of the files that determine what a directory is.
type Stamps = [Stamp; 4];

/// Searches a directory, and remembers what it found.
#[derive(Debug)]
pub(super) struct Finder {
    root: PathBuf,
    /// What each directory was found to be, and the stamps of its files at that time.
    known: Mutex<BTreeMap<PathBuf, (Stamps, Kind)>>,
}

/// A directory that is still to be searched.
struct Folder {
    name: String,
    path: PathBuf,
    depth: usize,
}

impl Finder {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), known: Mutex::default() }
    }

    pub(super) fn find(&self) -> Found {
        let mut found = Found::default();
        let mut seen = BTreeMap::new();
        let mut folders = vec![Folder { name: String::new(), path: self.root.clone(), depth: 0 }];
        let mut looked = 0;
        while let Some(folder) = folders.pop() {
            looked += 1;
            if looked > MOST_DIRECTORIES {
                found.more = true;
                break;
            }
            // The directory itself may be a run. It then has its own name.
            let name = if folder.name.is_empty() { self.own_name() } else { folder.name.clone() };
            let (stamps, kind) = self.kind(&folder.path);
            match kind.clone() {
                Kind::Run(facts) => found.runs.push(Run { name, path: folder.path.clone(), facts }),
                Kind::Report(facts) => found.reports.push(Report { name, path: folder.path.clone(), facts }),
                Kind::Broken(reason) => found.broken.push(Broken { name, reason }),
                Kind::Other => {}
            }
            seen.insert(folder.path.clone(), (stamps, kind));
            match folders_in(&folder) {
                Ok((inside, more)) => {
                    found.more |= more;
                    for entry in inside {
                        match entry {
                            Ok(folder) => folders.push(folder),
                            Err(broken) => found.broken.push(broken),
                        }
                    }
                }
                Err(error) => {
                    let name = if folder.name.is_empty() { self.own_name() } else { folder.name };
                    found.broken.push(Broken { name, reason: format!("it cannot be read: {error}") });
                }
            }
        }
        // Forget directories that no longer exist.
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = seen;
        found.runs.sort_by(|a, b| a.name.cmp(&b.name));
        // The directory itself and one inside it may have the same name. An address can mean only
        // one of them.
        found.runs.dedup_by(|second, first| second.name == first.name);
        found.reports.sort_by(|a, b| a.name.cmp(&b.name));
        found.reports.dedup_by(|second, first| second.name == first.name);
        found.broken.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    fn own_name(&self) -> String {
        let whole = fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
        whole.file_name().and_then(|name| name.to_str()).unwrap_or("results").to_owned()
    }

    /// What a directory is, read anew if one of its files has changed.
    fn kind(&self, path: &Path) -> (Stamps, Kind) {
        let stamps = [MANIFEST, RESULTS, reproduce::REPORT, JOB].map(|name| stamp(&path.join(name)));
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((then, kind)) = known.get(path)
            && *then == stamps
        {
            return (stamps, kind.clone());
        }
        drop(known);
        (stamps, Self::read(path, stamps))
    }

    fn read(path: &Path, [manifest, results, report, job]: Stamps) -> Kind {
        let state = if manifest.is_some() { reproduce::report_state(path) } else { ReportState::Foreign };
        match (state, report) {
            (ReportState::Finished(facts), Some(_)) => return Kind::Report(facts),
            (ReportState::Finished(_), None) => {
                return Kind::Broken("there is no report.html in it".to_owned());
            }
            (ReportState::Unfinished, _) => return Kind::Broken("the report is not finished".to_owned()),
            // Without our manifest, the report may be anybody's.
            (ReportState::Foreign, _) => {}
        }
        if manifest.is_none() {
            return match (results, job) {
                (_, Some(_)) => Kind::Broken("the job is not finished".to_owned()),
                (Some(_), None) => {
                    Kind::Broken("there is no manifest.json beside results.parquet".to_owned())
                }
                (None, None) => Kind::Other,
            };
        }
        match read_manifest(path) {
            Ok(manifest) if manifest.shard.is_some() => {
                Kind::Broken("it holds a shard of a job, not all of it".to_owned())
            }
            Ok(_) if results.is_none() => {
                Kind::Broken("there is no results.parquet beside manifest.json".to_owned())
            }
            Ok(manifest) => Kind::Run(RunFacts::of(manifest)),
            // Other programs write files with this name too.
            Err(_) if results.is_none() => Kind::Other,
            Err(error) => Kind::Broken(in_words(&error)),
        }
    }
}

/// An error as the end of a sentence, with its cause and without the paths of this machine.
pub(super) fn in_words(error: &ResultsError) -> String {
    match error {
        ResultsError::NoResults { .. } => "there are no results in it".to_owned(),
        ResultsError::Unfinished { .. } => "the job is not finished".to_owned(),
        ResultsError::Shard { shard, .. } => format!("it holds shard {shard} of a job, not all of it"),
        ResultsError::Unreadable { path, source } => format!("cannot read {}: {source}", file(path)),
        ResultsError::Manifest { path, reason } => format!("{} is damaged: {reason}", file(path)),
        ResultsError::Format { path, found, known } => {
            format!("{} has format {found}, but this version reads format {known}", file(path))
        }
        ResultsError::Changed { path } => {
            format!("{} is damaged: its SHA-256 is not the one that manifest.json states", file(path))
        }
        ResultsError::Table { path, error } => format!("{}: {error}", file(path)),
    }
}

fn file(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

impl RunFacts {
    fn of(manifest: Manifest) -> Self {
        let cells = &manifest.plan.cells;
        Self {
            runs: cells.iter().map(|cell| cell.runs).max().unwrap_or_default(),
            rounds: cells
                .iter()
                .filter_map(|cell| cell.checkpoints.last())
                .copied()
                .max()
                .unwrap_or_default(),
            worlds: manifest.plan.worlds.into_iter().map(|world| world.label).collect(),
            policies: manifest.plan.policies.into_iter().map(|policy| policy.label).collect(),
            title: manifest.title,
            finished: manifest.finished,
            seed: manifest.seed,
            version: manifest.version,
        }
    }
}

/// The directories inside one, including those whose names cannot be read; and whether there are
/// more.
fn folders_in(folder: &Folder) -> io::Result<(Vec<Result<Folder, Broken>>, bool)> {
    if folder.depth == DEPTH {
        return Ok((Vec::new(), false));
    }
    let mut inside = Vec::new();
    for (i, entry) in fs::read_dir(&folder.path)?.enumerate() {
        if i == MOST_NAMES {
            return Ok((inside, true));
        }
        // The entry may have been removed meanwhile.
        let Ok(entry) = entry else { continue };
        // Links are not followed: they might form a cycle, or lead out of the directory.
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let name = entry.file_name();
        let below = |name: &str| {
            if folder.name.is_empty() { name.to_owned() } else { format!("{}/{name}", folder.name) }
        };
        match name.to_str() {
            Some(name) if name.starts_with('.') => {}
            Some(name) => {
                inside.push(Ok(Folder { name: below(name), path: entry.path(), depth: folder.depth + 1 }));
            }
            None => inside.push(Err(Broken {
                name: below(&name.to_string_lossy()),
                reason: "its name is not Unicode".to_owned(),
            })),
        }
    }
    Ok((inside, false))
}
