//! The files of a directory of results, and how they are written: whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// What was run; written last, so that where it is, everything is.
pub(crate) const MANIFEST: &str = "manifest.json";
/// One row for each world, policy, run and checkpoint.
pub(crate) const RESULTS: &str = "results.parquet";
/// One row for each world, policy and checkpoint.
pub(crate) const SUMMARY: &str = "summary.csv";
/// What is being run; there from the beginning to the end of a job.
pub(crate) const JOB: &str = "job.json";
/// Finished runs of a job that is not.
pub(crate) const JOURNAL: &str = "journal.bin";

/// What the name of a file that is not yet whole ends with.
const UNFINISHED: &str = ".part";

/// Writes a file under another name, waits until it is on the disk, and gives it its name.
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
        // Of no use, and on a full disk in the way.
        let _ = fs::remove_file(&part);
    }
    result
}

/// What is in a directory where a job is to be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing, or not even a directory.
    Empty,
    /// A job that was begun.
    Unfinished,
    /// Results.
    Finished,
    /// Something else.
    Foreign,
}

/// Looks into a directory.
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
        // Empty but for a job that was killed in its first moment.
        State::Empty
    } else {
        State::Foreign
    })
}

/// Removes a file that may not be there.
pub(crate) fn remove(directory: &Path, name: &str) -> io::Result<()> {
    match fs::remove_file(directory.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
