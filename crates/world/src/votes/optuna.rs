//! Preferential studies of Optuna: a person compares trials, and the study stores the answers.
//!
//! A preferential study (`optuna_dashboard.preferential`, formerly `optuna.preferential`) stores
//! the answers among the *system attributes* of the study, one attribute per answer. The key is
//! `preference:values` followed by an id. The value is a list of pairs of trial numbers, the better
//! one first. An answer that was undone has an empty list. `preference:is_preferential` marks the
//! study. Everything else is ignored.
//!
//! The storage is a relational database or a journal. Callers read the tables of a database
//! themselves and parse the values with [`preferences`]. [`parse_journal`] reads a journal, which
//! has a line of JSON for each change. The arms are trials, named by [`arm`]. Optuna does not store
//! who compared two trials or on which side each was shown, so the better trial is on the left.

use std::collections::BTreeMap;
use std::io::BufRead;

use serde::Deserialize;
use serde_json::Value;

use super::{MAX_RECORD, ParseVotesError};

/// The beginning of the key of an attribute with preferences.
pub const PREFERENCES: &str = "preference:values";

/// The key of the attribute that marks a preferential study.
pub const MARK: &str = "preference:is_preferential";

/// The limit on the preferences in a journal. They are held in memory until the end of the journal,
/// because any of them may be undone.
pub const MAX_PREFERENCES: usize = 1_000_000;

/// The arm name of a trial.
pub fn arm(trial: u32) -> String {
    format!("trial-{trial}")
}

/// Parses the value of an attribute into pairs of trials, the better one first. `None` if the value
/// is invalid.
pub fn preferences(value: &str) -> Option<Vec<(u32, u32)>> {
    serde_json::from_str(value).ok()
}

/// A study found in a journal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Study {
    pub name: String,
    pub is_preferential: bool,
    /// Pairs of trials, the better one first, in the order in which they were first reported.
    pub preferences: Vec<(u32, u32)>,
}

/// A study while its journal is being read.
#[derive(Debug, Default)]
struct PartialStudy {
    name: String,
    is_preferential: bool,
    is_deleted: bool,
    /// The index in `said` for the key of each attribute.
    positions: BTreeMap<String, usize>,
    /// The values of the attributes, in the order in which they were first set.
    said: Vec<Vec<(u32, u32)>>,
}

/// The relevant parts of a line of a journal.
#[derive(Debug, Deserialize)]
struct JournalEntry {
    op_code: i64,
    #[serde(default)]
    study_name: Option<String>,
    #[serde(default)]
    study_id: Option<u64>,
    #[serde(default)]
    system_attr: Option<BTreeMap<String, Value>>,
}

const CREATE_STUDY: i64 = 0;
const DELETE_STUDY: i64 = 1;
const SET_SYSTEM_ATTRIBUTE: i64 = 3;

/// Reads the studies of a journal.
///
/// # Errors
///
/// If it is not a journal. The message names the line.
pub fn parse_journal(reader: impl BufRead) -> Result<Vec<Study>, ParseVotesError> {
    let mut studies: Vec<PartialStudy> = Vec::new();
    let mut n_preferences = 0;
    for_each_line(reader, |line, text| {
        let entry: JournalEntry = serde_json::from_slice(text).map_err(|error| json(line, &error))?;
        match entry.op_code {
            CREATE_STUDY => {
                let name = entry.study_name.ok_or(ParseVotesError::Missing { line, field: "study_name" })?;
                // Optuna refuses to create an existing study, so this line gets no study number.
                if studies.iter().all(|study| study.is_deleted || study.name != name) {
                    studies.push(PartialStudy { name, ..PartialStudy::default() });
                }
            }
            DELETE_STUDY => {
                if let Some(study) = find(&mut studies, entry.study_id) {
                    *study = PartialStudy { is_deleted: true, ..PartialStudy::default() };
                }
            }
            SET_SYSTEM_ATTRIBUTE => {
                let Some(study) = find(&mut studies, entry.study_id) else { return Ok(()) };
                for (key, value) in entry.system_attr.unwrap_or_default() {
                    if key == MARK {
                        study.is_preferential = value == true;
                    } else if key.starts_with(PREFERENCES) {
                        let pairs: Vec<(u32, u32)> = serde_json::from_value(value)
                            .map_err(|_| ParseVotesError::NoPreferences { line })?;
                        n_preferences += pairs.len();
                        if n_preferences > MAX_PREFERENCES {
                            return Err(ParseVotesError::TooManyVotes { line });
                        }
                        study.set(key, pairs);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    if studies.is_empty() {
        return Err(ParseVotesError::Empty);
    }
    let living = studies.into_iter().filter(|study| !study.is_deleted);
    Ok(living.map(PartialStudy::finish).collect())
}

fn find(studies: &mut [PartialStudy], id: Option<u64>) -> Option<&mut PartialStudy> {
    let place = usize::try_from(id?).ok()?;
    studies.get_mut(place).filter(|study| !study.is_deleted)
}

impl PartialStudy {
    fn set(&mut self, key: String, pairs: Vec<(u32, u32)>) {
        let next = self.said.len();
        let place = *self.positions.entry(key).or_insert(next);
        if place == next {
            self.said.push(pairs);
        } else {
            self.said[place] = pairs;
        }
    }

    fn finish(self) -> Study {
        let Self { name, is_preferential, said, .. } = self;
        Study { name, is_preferential, preferences: said.concat() }
    }
}

/// Whether a file that starts with these bytes is a journal.
pub fn is_journal(start: &[u8]) -> bool {
    let first = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    serde_json::from_slice::<Value>(first).is_ok_and(|line| line.get("op_code").is_some_and(Value::is_i64))
}

/// Calls `take` with each line of at most [`MAX_RECORD`] bytes and its number. Blank lines are
/// skipped.
fn for_each_line(
    mut reader: impl BufRead,
    mut take: impl FnMut(u64, &[u8]) -> Result<(), ParseVotesError>,
) -> Result<(), ParseVotesError> {
    use std::io::Read as _;
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        let read = reader.by_ref().take(MAX_RECORD as u64 + 1).read_until(b'\n', &mut text);
        let n = read.map_err(|source| ParseVotesError::Io { line, source })?;
        if n > MAX_RECORD {
            return Err(ParseVotesError::LongRecord { line });
        }
        if n == 0 {
            break;
        }
        if !text.trim_ascii().is_empty() {
            take(line, &text)?;
        }
    }
    Ok(())
}

fn json(line: u64, error: &serde_json::Error) -> ParseVotesError {
    let reason = error.to_string();
    let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
    let reason = super::field::cut_short(reason.as_bytes(), 160).into_owned();
    ParseVotesError::Json { line, column: error.column(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by hand in the layout of Optuna 5.0: two answers, one of them with several pairs, an
    /// answer that was undone, and other studies.
    const JOURNAL: &str = r#"{"op_code":0,"worker_id":"w-1","study_name":"one","directions":[1]}
{"op_code":3,"worker_id":"w-1","study_id":0,"system_attr":{"preference:is_preferential":true}}
{"op_code":3,"worker_id":"w-1","study_id":0,"system_attr":{"preference:n_generate":3}}
{"op_code":4,"worker_id":"w-1","study_id":0,"datetime_start":"2026-11-16T09:44:51.469529+00:00"}
{"op_code":5,"worker_id":"w-1","trial_id":0,"param_name":"x","param_value_internal":0.5,"distribution":"{\"name\": \"FloatDistribution\"}"}
{"op_code":3,"worker_id":"w-1","study_id":0,"system_attr":{"preference:values20cd":[[0,1]]}}
{"op_code":6,"worker_id":"w-1","trial_id":0,"state":1,"values":[0],"datetime_complete":"2026-11-16T09:44:51.474512+00:00"}
{"op_code":3,"worker_id":"w-1","study_id":0,"system_attr":{"preference:valuesa40b":[[2,0],[2,1]]}}
{"op_code":3,"worker_id":"w-1","study_id":0,"system_attr":{"preference:valuesdd29":[[2,0]]}}
{"op_code":3,"worker_id":"w-1","study_id":0,"system_attr":{"preference:historydd29":"{\"mode\": \"ChooseWorst\"}"}}
{"op_code":3,"worker_id":"w-1","study_id":0,"system_attr":{"preference:valuesdd29":[]}}
{"op_code":0,"worker_id":"w-2","study_name":"one","directions":[1]}
{"op_code":0,"worker_id":"w-1","study_name":"two","directions":[1]}
{"op_code":3,"worker_id":"w-1","study_id":1,"system_attr":{"preference:is_preferential":true}}
{"op_code":0,"worker_id":"w-1","study_name":"plain","directions":[1]}
{"op_code":1,"worker_id":"w-1","study_id":1}
"#;

    #[test]
    fn trace_a_journal() {
        let studies = parse_journal(JOURNAL.as_bytes()).unwrap();
        let one = Study {
            name: "one".to_owned(),
            is_preferential: true,
            preferences: vec![(0, 1), (2, 0), (2, 1)],
        };
        let plain = Study { name: "plain".to_owned(), ..Study::default() };
        assert_eq!(studies, [one, plain]);
        assert!(is_journal(JOURNAL.as_bytes()));
        assert!(!is_journal(b"{\"left\": \"a\"}\n"));
        assert!(!is_journal(b"left,right,outcome\n"));
        assert_eq!(arm(7), "trial-7");
    }

    #[test]
    fn trace_what_is_no_journal() {
        let message = |text: &str| parse_journal(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(message(""), "it contains no votes");
        assert_eq!(message("\n{\"op_code\":0}"), "line 2: `study_name` is missing");
        assert!(message("{\"op_code\":0,").starts_with("line 1, column 13: EOF while parsing"));
        let bad = "{\"op_code\":0,\"study_name\":\"s\"}\n{\"op_code\":3,\"study_id\":0,\"system_attr\":{\"preference:values1\":[[0,-1]]}}";
        assert_eq!(message(bad), "line 2: the preferences are not pairs of trial numbers");
    }
}
