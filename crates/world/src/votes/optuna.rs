//! Preferential studies of Optuna: trials that a person compared, in the storage of a study.
//!
//! A preferential study (`optuna_dashboard.preferential`, and `optuna.preferential` before it)
//! keeps what was said among the *system attributes* of the study: for each answer one attribute,
//! its key `preference:values` and an id, its value a list of pairs of trial numbers, the better
//! one first. An answer that was undone has an empty list. `preference:is_preferential` marks the
//! study. Everything else is passed over.
//!
//! The storage is a relational database, whose tables whoever opens it reads ([`preferences`] reads
//! one value), or a journal: a line of JSON for each change, which is read here
//! ([`parse_journal`]). Arms are trials, by the name [`arm`]. On which side a trial was shown is
//! not kept: the better one stands on the left. Neither is who compared them.

use std::collections::BTreeMap;
use std::io::BufRead;

use serde::Deserialize;
use serde_json::Value;

use super::{MAX_RECORD, ParseVotesError};

/// The key of an attribute that holds what was said begins so.
pub const PREFERENCES: &str = "preference:values";

/// The key of the attribute that marks a preferential study.
pub const MARK: &str = "preference:is_preferential";

/// The most preferences of a journal: they are held until its end is read, since any of them may be
/// undone.
pub const MAX_PREFERENCES: usize = 1_000_000;

/// The name of a trial as an arm.
pub fn arm(trial: u32) -> String {
    format!("trial-{trial}")
}

/// The pairs of trials, the better one first, that the value of an attribute holds; nothing if it
/// is no such value.
pub fn preferences(value: &str) -> Option<Vec<(u32, u32)>> {
    serde_json::from_str(value).ok()
}

/// A study that was found in a journal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Study {
    /// Its name.
    pub name: String,
    /// Whether it is a preferential one.
    pub is_preferential: bool,
    /// Pairs of trials, the better one first, in the order in which they were first reported.
    pub preferences: Vec<(u32, u32)>,
}

/// A study on the way through a journal.
#[derive(Debug, Default)]
struct PartialStudy {
    name: String,
    is_preferential: bool,
    is_deleted: bool,
    /// The place at which an attribute was first set, by its key.
    positions: BTreeMap<String, usize>,
    /// What attributes say, in the order in which they were first set.
    said: Vec<Vec<(u32, u32)>>,
}

/// A line of a journal, as far as it matters here.
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
/// If it is none; the message names the line.
pub fn parse_journal(reader: impl BufRead) -> Result<Vec<Study>, ParseVotesError> {
    let mut studies: Vec<PartialStudy> = Vec::new();
    let mut n_preferences = 0;
    for_each_line(reader, |line, text| {
        let entry: JournalEntry = serde_json::from_slice(text).map_err(|error| json(line, &error))?;
        match entry.op_code {
            CREATE_STUDY => {
                let name = entry.study_name.ok_or(ParseVotesError::Missing { line, field: "study_name" })?;
                // Made a second time it was refused, and has no number.
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

/// Whether the beginning of a file is that of a journal.
pub fn is_journal(start: &[u8]) -> bool {
    let first = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
    serde_json::from_slice::<Value>(first).is_ok_and(|line| line.get("op_code").is_some_and(Value::is_i64))
}

/// Lines of at most so many bytes, with their numbers; blank ones are left out.
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

    /// In the layout that Optuna 5.0 writes, by hand: two answers, one of several pairs, one
    /// undone, and other studies.
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
        assert_eq!(message(""), "no votes in it");
        assert_eq!(message("\n{\"op_code\":0}"), "line 2: no `study_name`");
        assert!(message("{\"op_code\":0,").starts_with("line 1, column 13: EOF while parsing"));
        let bad = "{\"op_code\":0,\"study_name\":\"s\"}\n{\"op_code\":3,\"study_id\":0,\"system_attr\":{\"preference:values1\":[[0,-1]]}}";
        assert_eq!(message(bad), "line 2: its preferences are not pairs of trial numbers");
    }
}
