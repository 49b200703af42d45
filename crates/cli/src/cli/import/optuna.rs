//! Preferential studies of Optuna. `tiltyard::world::votes::optuna` knows their format; the
//! database is opened here, so that the crate `world` does not depend on SQLite.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context as _, anyhow};
use rusqlite::{Connection, OpenFlags, params};
use tiltyard::world::votes::optuna::{MARK, PREFERENCES, arm, parse_journal, preferences};
use tiltyard::world::votes::{ReadVotesError, Row, Verdict, Visited};

use crate::cli::Failure;
use crate::cli::client::plain;

/// Pairs of trials, the better one first.
#[derive(Debug)]
pub(super) struct Preferences(Vec<(u32, u32)>);

impl Preferences {
    /// Passes them on as votes; `line` is the number of the preference.
    pub(super) fn visit(&self, visit: &mut dyn FnMut(&Row<'_>) -> bool) -> Visited {
        let mut is_whole = true;
        for (&(better, worse), line) in self.0.iter().zip(1..) {
            let row = Row {
                line,
                left: &arm(better),
                right: &arm(worse),
                said: Some(Verdict::Left),
                weight: 1.0,
                time: None,
                voter: None,
                pscore: None,
            };
            is_whole = visit(&row);
            if !is_whole {
                break;
            }
        }
        Visited { is_whole, ..Visited::default() }
    }
}

/// Chooses a study.
fn choose<T>(path: &Path, studies: Vec<(String, T)>, wanted: Option<&str>) -> Result<T, Failure> {
    let names: Vec<_> = studies.iter().map(|(name, _)| format!("`{}`", plain(name))).collect();
    let path = path.display();
    let mut meant: Vec<T> = studies
        .into_iter()
        .filter(|(name, _)| wanted.is_none_or(|wanted| wanted == name))
        .map(|(_, study)| study)
        .collect();
    match (meant.pop(), meant.len(), wanted) {
        (Some(study), 0, _) => Ok(study),
        (None, _, Some(wanted)) if !names.is_empty() => {
            let hints = vec![format!("its preferential studies are {}", names.join(", "))];
            Err(Failure::bad_input(anyhow!("{path} has no preferential study called `{wanted}`"), hints))
        }
        (None, ..) => Err(Failure::bad_input(anyhow!("{path} has no preferential study"), Vec::new())),
        (Some(_), ..) => {
            let hints = vec![format!("choose one with `--study`: {}", names.join(", "))];
            Err(Failure::bad_input(anyhow!("{path} has {} preferential studies", names.len()), hints))
        }
    }
}

/// Reads a study from a journal.
pub(super) fn from_journal(path: &Path, wanted: Option<&str>) -> Result<Preferences, Failure> {
    let file =
        File::open(path).map_err(|source| ReadVotesError::Unreadable { path: path.to_owned(), source })?;
    let studies = parse_journal(BufReader::with_capacity(1 << 16, file))
        .map_err(|error| ReadVotesError::Invalid { path: path.to_owned(), error })?;
    let preferential = studies.into_iter().filter(|study| study.is_preferential);
    let studies = preferential.map(|study| (study.name, study.preferences)).collect();
    Ok(Preferences(choose(path, studies, wanted)?))
}

/// Reads a study from a database.
pub(super) fn from_sqlite(path: &Path, wanted: Option<&str>) -> Result<Preferences, Failure> {
    let damaged = |error: rusqlite::Error| {
        let error = anyhow::Error::from(error)
            .context(format!("{}: cannot read the file as a storage of Optuna", path.display()));
        Failure::bad_input(error, Vec::new())
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags).map_err(damaged)?;
    let studies = studies(&database).map_err(damaged)?;
    let study = choose(path, studies, wanted)?;
    let values = values(&database, study).map_err(damaged)?;
    let mut all = Vec::new();
    for value in values {
        let pairs = preferences(&value)
            .context("a preference is not a list of pairs of trial numbers")
            .with_context(|| path.display().to_string());
        all.extend(pairs.map_err(|error| Failure::bad_input(error, Vec::new()))?);
    }
    Ok(Preferences(all))
}

/// The names and ids of the preferential studies.
fn studies(database: &Connection) -> rusqlite::Result<Vec<(String, i64)>> {
    let mut query = database.prepare(
        "SELECT s.study_name, s.study_id FROM studies s JOIN study_system_attributes a ON a.study_id = s.study_id \
         WHERE a.\"key\" = ?1 AND a.value_json = 'true' ORDER BY s.study_id",
    )?;
    query.query_map([MARK], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// The values of the attributes that contain preferences, in the order in which they were first
/// set.
fn values(database: &Connection, study: i64) -> rusqlite::Result<Vec<String>> {
    let mut query = database.prepare(
        "SELECT value_json FROM study_system_attributes WHERE study_id = ?1 AND substr(\"key\", 1, length(?2)) = ?2 \
         ORDER BY study_system_attribute_id",
    )?;
    query.query_map(params![study, PREFERENCES], |row| row.get(0))?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a storage with the tables for studies of Optuna's schema 12.
    fn storage(path: &Path) {
        let database = Connection::open(path).expect("a new file");
        database
            .execute_batch(
                "CREATE TABLE studies (study_id INTEGER NOT NULL PRIMARY KEY, study_name VARCHAR(512) NOT NULL);
                 CREATE TABLE study_system_attributes (study_system_attribute_id INTEGER NOT NULL PRIMARY KEY,
                     study_id INTEGER, \"key\" VARCHAR(512), value_json TEXT, UNIQUE (study_id, \"key\"));
                 INSERT INTO studies VALUES (1, 'one'), (2, 'two'), (3, 'plain');
                 INSERT INTO study_system_attributes VALUES
                     (1, 1, 'preference:is_preferential', 'true'),
                     (2, 1, 'preference:n_generate', '3'),
                     (3, 1, 'preference:values822d', '[[0, 1]]'),
                     (4, 1, 'preference:valuesb3c4', '[[2, 0], [2, 1]]'),
                     (5, 1, 'preference:values865d', '[]'),
                     (6, 1, 'preference:history865d', '\"{}\"'),
                     (7, 2, 'preference:is_preferential', 'true'),
                     (8, 2, 'preference:values1', '[[0, -1]]');",
            )
            .expect("the layout is sound");
    }

    #[test]
    fn trace_a_storage() {
        let directory = tempfile::tempdir().expect("a directory for a test");
        let path = directory.path().join("study.db");
        storage(&path);
        assert_eq!(from_sqlite(&path, Some("one")).expect("it is there").0, [(0, 1), (2, 0), (2, 1)]);
        let message = |study| from_sqlite(&path, study).expect_err("it is refused").to_string();
        assert!(message(Some("two")).ends_with("a preference is not a list of pairs of trial numbers"));
        assert!(message(None).ends_with("has 2 preferential studies"));
        assert!(message(Some("plain")).ends_with("has no preferential study called `plain`"));
        let other = directory.path().join("other.db");
        Connection::open(&other)
            .and_then(|database| database.execute_batch("CREATE TABLE t (x)"))
            .expect("a new file");
        let error = from_sqlite(&other, None).expect_err("it is something else").to_string();
        assert!(error.contains("cannot read the file as a storage of Optuna"), "{error}");
    }
}
