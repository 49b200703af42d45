//! The files in a directory of results. Each is written whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Describes what was run. It is written last: if it exists, so does everything else.
pub(crate) const MANIFEST: &str = "manifest.json";
/// One row per world, policy, run and checkpoint.
pub(crate) const RESULTS: &str = "results.parquet";
/// One row per world, policy and checkpoint.
pub(crate) const SUMMARY: &str = "summary.csv";
/// Describes the job. It exists from the beginning to the end of a job.
pub(crate) const JOB: &str = "job.json";
/// The finished runs of an unfinished job.
pub(crate) const JOURNAL: &str = "journal.bin";

/// The ending of the name of an incomplete file.
const UNFINISHED: &str = ".part";

/// Writes a file under another name, waits until it is on disk, and renames it.
pub(crate) fn write_whole<T, E: From<io::Error>>(
    directory: &Path,
    name: &str,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<T, E>,
) -> Result<T, E> {
    let part = directory.join(format!("{name}{UNFINISHED}"));
    let result = (|| {
        let mut writer = BufWriter::with_capacity(1 << 16, File::create(&part)?);
        let result = write(&mut writer)?;
        writer.flush()?;
        writer.get_ref().sync_all()?;
        fs::rename(&part, directory.join(name))?;
        Ok(result)
    })();
    if result.is_err() {
        // The partial file is useless, and it takes up space on a full disk.
        let _ = fs::remove_file(&part);
    }
    result
}

/// The content of a directory for a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing, or no directory at all.
    Empty,
    /// An unfinished job.
    Unfinished,
    /// Results.
    Finished,
    /// Something else.
    Foreign,
}

pub(crate) fn state(directory: &Path) -> io::Result<State> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::Empty),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name());
    }
    let has = |name: &str| names.iter().any(|other| other == name);
    let begun = format!("{JOB}{UNFINISHED}");
    Ok(if has(MANIFEST) {
        State::Finished
    } else if has(JOB) {
        State::Unfinished
    } else if names.iter().all(|name| *name == *begun) {
        // Empty except for the trace of a job that was killed in its first moment.
        State::Empty
    } else {
        State::Foreign
    })
}

/// Removes a file if it exists.
pub(crate) fn remove(directory: &Path, name: &str) -> io::Result<()> {
    match fs::remove_file(directory.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
