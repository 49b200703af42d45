//! A world with utilities from a file.
//!
//! The file is CSV with one column per arm and one row per round. Commas, semicolons or tabs
//! separate the fields. A header of names is optional. If the header begins with `round`, the first
//! field of each row is the round in which the row begins, and the row holds until the next begins:
//!
//! ```text
//! a,b,c            round,a,b,c
//! 0.5,0.2,0.9      1,0.5,0.2,0.9
//! 0.4,0.2,0.8      5001,0.4,0.2,0.8
//! ```
//!
//! The utilities of both arms come from the row of the round, and the answer is their difference.
//! With `noise=bernoulli` a number is the probability that the arm's utility is 1 and not 0. The
//! natural regret compares with the best single arm of the run in hindsight.
//!
//! The file is read once, line by line, only as far as the run needs. Each number takes eight bytes
//! of memory. Invalid numbers in later rows go unnoticed.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::params::{Param, ParamError};
use tiltyard_bandit::spec::Spec;

use crate::any_world::AnyWorld;
use crate::builtin::WorldError;
use crate::drift::{After, DriftWorld, Noise, Table};
use crate::family::{Build, Family};
use crate::matrix_file::{excerpt, number, readable};
use crate::param::{ANSWERS, Choice, choice};
use crate::piecewise::whole;
use crate::records::{MAX_FIELDS, Records, RecordsError};

/// By default the utilities are not random.
const NOISE: Choice<Noise> = choice!("noise":
    "none" => Noise::None, "bernoulli" => Noise::Bernoulli;
    "none: the utility is the number itself; bernoulli: it is 1 with that probability, else 0");
const AFTER: Choice<Option<After>> = choice!("after":
    "error" => None, "repeat" => Some(After::Repeat), "hold" => Some(After::Hold);
    "after the last row: refuse longer runs, start again at the first row, or keep the last row");

pub(crate) static FAMILY: Family = Family {
    name: "utilities",
    title: "utilities from a file, one column per arm and one row per round",
    provenance: "a file",
    n_arms: None,
    params: &[
        Param {
            key: "file",
            default: "none",
            legal: "a path without commas",
            meaning: "the utilities, in CSV",
        },
        NOISE.doc,
        AFTER.doc,
        ANSWERS.doc,
    ],
    needs_file: true,
    build: Build::World(build),
};

/// The limit on a record, in bytes.
const MAX_RECORD: usize = 1 << 18;

fn build(spec: &Spec, rounds: u64) -> Result<AnyWorld, WorldError> {
    let mut params = FAMILY.read(spec, rounds)?;
    let path = params.text("file").ok_or(WorldError::NoUtilitiesFile)?;
    let noise = NOISE.read(&mut params)?;
    let after = AFTER.read(&mut params)?;
    let answers = ANSWERS.read(&mut params)?;
    params.finish()?;
    let Utilities { table, has_rounds } = read_utilities(path.as_ref(), Some(rounds))?;
    if has_rounds && spec.get("after").is_some() {
        // The last row holds in any case.
        return Err(ParamError::Idle { spec: spec.to_string(), key: "after".to_owned() }.into());
    }
    let n_rows = table.n_rows() as u64;
    let after = match after {
        Some(after) => after,
        None if !has_rounds && n_rows < rounds => {
            return Err(WorldError::TooShort { file: path.to_owned(), n_rows, rounds });
        }
        None => After::Hold,
    };
    Ok(DriftWorld::new(table.and_then(after).over(rounds).into(), noise, answers).into())
}

/// Utilities read from a file.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Utilities {
    pub table: Table,
    /// Whether each row has its first round, instead of one row per round.
    pub has_rounds: bool,
}

/// Reads utilities from a file; see [`parse_utilities`].
///
/// # Errors
///
/// If the file cannot be read or does not contain utilities. The message names file, line and
/// column.
pub fn read_utilities(path: &Path, rounds: Option<u64>) -> Result<Utilities, ReadUtilitiesError> {
    let unreadable = |source| ReadUtilitiesError::Unreadable { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    parse_utilities(BufReader::with_capacity(1 << 16, file), rounds)
        .map_err(|error| ReadUtilitiesError::Invalid { path: path.to_owned(), error })
}

/// Reads utilities from the contents of a file, in the format that the [module](self) describes. It
/// reads only as far as `rounds` rounds need; `None` reads everything.
///
/// # Errors
///
/// If the contents are not utilities. The message names line and column.
pub fn parse_utilities(reader: impl BufRead, rounds: Option<u64>) -> Result<Utilities, ParseUtilitiesError> {
    let rounds = rounds.unwrap_or(u64::MAX);
    let mut records = Records::new(reader, MAX_RECORD)?;
    let Some(mut line) = records.next()? else { return Err(ParseUtilitiesError::Empty) };
    let n_columns = records.len();
    let mut has_rounds = false;
    let mut names = Vec::new();
    if (0..n_columns).all(|column| number(field(&records, column, true)).is_none()) {
        has_rounds = field(&records, 0, true).eq_ignore_ascii_case(b"round");
        let first = usize::from(has_rounds);
        names = (first..n_columns).map(|column| readable(field(&records, column, true))).collect();
        line = records.next()?.ok_or(ParseUtilitiesError::Empty)?;
    }
    let first = usize::from(has_rounds);
    let n_arms = n_columns - first;
    if n_arms == 0 {
        return Err(ParseUtilitiesError::NoArms);
    }
    let (mut utilities, mut starts) = (Vec::new(), Vec::new());
    // Only the first line of the file can begin with a byte order mark.
    let mut is_first = names.is_empty();
    for row in 0.. {
        if records.len() != n_columns {
            return Err(ParseUtilitiesError::Ragged { line, expected: n_columns, got: records.len() });
        }
        if has_rounds {
            let start = read_start(field(&records, 0, false), line, starts.last().copied())?;
            if start > rounds {
                break;
            }
            starts.push(start);
        } else if row == rounds {
            break;
        }
        for column in first..n_columns {
            let text = field(&records, column, is_first);
            let at = (line, column + 1);
            let Some(value) = number(text) else {
                return Err(ParseUtilitiesError::NotANumber { line, column: at.1, text: excerpt(text) });
            };
            // Written so that NaN is refused.
            if !(0.0..=1.0).contains(&value) {
                return Err(ParseUtilitiesError::OutOfRange { line: at.0, column: at.1, value });
            }
            utilities.push(value);
        }
        is_first = false;
        match records.next()? {
            Some(next) => line = next,
            None => break,
        }
    }
    let table = Table::new(n_arms, utilities).expect("whole rows of numbers in [0, 1]").with_names(names);
    Ok(Utilities { table: if has_rounds { table.from_rounds(starts) } else { table }, has_rounds })
}

/// A field without surrounding white space and, in the first line, without the byte order mark that
/// spreadsheets write.
fn field<R: BufRead>(records: &Records<R>, column: usize, is_first_line: bool) -> &[u8] {
    let field = records.get(column);
    let mark = if is_first_line && column == 0 { field.strip_prefix(b"\xef\xbb\xbf") } else { None };
    mark.unwrap_or(field).trim_ascii()
}

fn read_start(field: &[u8], line: u64, last: Option<u64>) -> Result<u64, ParseUtilitiesError> {
    let round = str::from_utf8(field).ok().and_then(whole);
    let round = round.ok_or_else(|| ParseUtilitiesError::BadRound { line, text: excerpt(field) })?;
    match last {
        None if round != 1 => Err(ParseUtilitiesError::FirstRound { line, round }),
        Some(last) if round <= last => Err(ParseUtilitiesError::Order { line, round, last }),
        _ => Ok(round),
    }
}

/// Why no utilities could be read from a path.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ReadUtilitiesError {
    #[error("cannot read {}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}: {error}", path.display())]
    Invalid { path: PathBuf, error: ParseUtilitiesError },
}

impl ReadUtilitiesError {
    pub(crate) const HINT: &str =
        "a file of utilities has numbers in [0, 1], one column per arm and one row per round";
}

impl Hint for ReadUtilitiesError {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Invalid { .. } => vec![Self::HINT.to_owned()],
            Self::Unreadable { .. } => Vec::new(),
        }
    }
}

/// Why the contents of a file are not utilities. Lines and columns count from 1; a column is the
/// number of a field.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ParseUtilitiesError {
    #[error("it contains no utilities")]
    Empty,
    #[error("it has a column `round`, but no column of utilities")]
    NoArms,
    #[error("line {line}, column {column}: `{text}` is not a number")]
    NotANumber { line: u64, column: usize, text: String },
    #[error("line {line}, column {column}: {value} is outside [0, 1]")]
    OutOfRange { line: u64, column: usize, value: f64 },
    #[error("line {line}: the row has length {got}, but the first row has length {expected}")]
    Ragged { line: u64, expected: usize, got: usize },
    #[error("line {line}, column 1: `{text}` is not a round, a whole number from 1")]
    BadRound { line: u64, text: String },
    #[error("line {line}, column 1: the first row begins in round {round}, but must begin in round 1")]
    FirstRound { line: u64, round: u64 },
    #[error(
        "line {line}, column 1: round {round} does not come after round {last}, the start of the row before"
    )]
    Order { line: u64, round: u64, last: u64 },
    #[error("line {line}: reading failed")]
    Io { line: u64, source: io::Error },
    #[error("line {line}: the row exceeds {MAX_RECORD} bytes")]
    Long { line: u64 },
    #[error("line {line}: the row exceeds {MAX_FIELDS} fields")]
    Wide { line: u64 },
}

impl From<RecordsError> for ParseUtilitiesError {
    fn from(error: RecordsError) -> Self {
        match error {
            RecordsError::Io { line, source } => Self::Io { line, source },
            RecordsError::Long { line } => Self::Long { line },
            RecordsError::Wide { line } => Self::Wide { line },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drift::Drift as _;
    use crate::regret::Regret;
    use crate::world::World as _;
    use tiltyard_bandit::{Arm, Stream};

    fn read(text: &str) -> Utilities {
        parse_utilities(text.as_bytes(), None).unwrap_or_else(|error| panic!("{text:?}: {error}"))
    }

    #[test]
    fn trace_all_the_ways_to_write_one_table() {
        let plain = Table::new(2, vec![0.5, 0.75, 0.25, 1.0]).unwrap();
        let named = plain.clone().with_names(vec!["x".to_owned(), "y".to_owned()]);
        for (text, table) in [
            ("0.5,0.75\n0.25,1\n", &plain),
            ("\u{feff}0.5;0.75\r\n\r\n .25 ;1", &plain),
            ("x,y\n0.5,0.75\n0.25,1\n", &named),
            ("\u{feff}\"x\"\ty\n0.5\t0.75\n0.25\t1\n", &named),
        ] {
            assert_eq!(read(text), Utilities { table: table.clone(), has_rounds: false }, "{text:?}");
        }
        let read = read("Round,x,y\n1,0.5,0.75\n1e3,0.25,1\n");
        assert_eq!(read, Utilities { table: named.from_rounds(vec![1, 1000]), has_rounds: true });
    }

    /// Only the rows that the run needs are read. The last line here would be refused.
    #[test]
    fn trace_no_more_is_read_than_is_played() {
        let short = |text: &str, rounds| parse_utilities(text.as_bytes(), Some(rounds)).unwrap().table;
        assert_eq!(short("0.1\n0.2\n0.3\nwrong\n", 2).n_rows(), 2);
        assert_eq!(short("0.1\n0.2\n0.3\n", 9).n_rows(), 3);
        let rows = short("round,a\n1,0.1\n5,0.2\n9,wrong\n", 8);
        assert_eq!((rows.n_rows(), rows.starts()), (2, vec![1, 5]));
        assert!((rows.mean(8, Arm::new(0)) - 0.2).abs() < 1e-15);
    }

    fn make(contents: &str, params: &str, rounds: u64) -> Result<AnyWorld, WorldError> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("u.csv");
        std::fs::write(&path, contents).unwrap();
        build(&format!("utilities:file={}{params}", path.display()).parse().unwrap(), rounds)
    }

    /// Arm `b` leads in the first row, and `a` leads by more in the second. So `b` is the best
    /// after one round and `a` after two. If the last row is held, `a` stays the best. If the rows
    /// repeat, `a` is the best after nine rounds.
    #[test]
    fn trace_what_follows_the_last_row() {
        let file = "a,b\n0,0.5\n1,0.25\n";
        let best = |params, rounds| make(file, params, rounds).unwrap().best().arm.index();
        assert_eq!([best("", 1), best("", 2)], [1, 0]);
        assert_eq!([best(",after=hold", 1), best(",after=hold", 9)], [1, 0]);
        assert_eq!([best(",after=repeat", 1), best(",after=repeat", 9)], [1, 0]);
        let world = make(file, ",after=repeat", 3).unwrap();
        let utility = |round| world.utility(round, Arm::new(1)).unwrap();
        assert!([1, 2, 3].map(utility).iter().zip([0.5, 0.25, 0.5]).all(|(x, y)| (x - y).abs() < 1e-15));
        assert_eq!((world.arm_name(Arm::new(1)), world.natural_regret()), (Some("b"), Regret::BANDIT));
        let error = make(file, "", 3).unwrap_err();
        assert!(matches!(error, WorldError::TooShort { n_rows: 2, rounds: 3, .. }), "{error}");
    }

    #[test]
    fn trace_rows_with_rounds_hold_and_say_when_they_change() {
        let file = "round,a,b\n1,0,0.5\n5,1,0.5\n";
        let world = make(file, "", 1000).unwrap();
        let segments: Vec<_> = world.segments().iter().map(|it| (it.from, it.best.arm.index())).collect();
        assert_eq!(segments, [(1, 1), (5, 0)]);
        let error = make(file, ",after=hold", 1000).unwrap_err();
        assert!(matches!(error, WorldError::Param(ParamError::Idle { .. })), "{error}");
    }

    /// Without noise the answer is the difference itself. With noise and binary answers, `a` wins
    /// with probability (1 + 0.8 - 0.2) / 2 = 0.8. The standard error of 40,000 duels is 0.002;
    /// five are allowed.
    #[test]
    fn stat_answers_compare_utilities() {
        let mut rng = Stream::new(1).rng();
        let mut duel =
            |world: &AnyWorld| world.duel(&mut world.start(), 1, Arm::new(0), Arm::new(1), &mut rng).unwrap();
        let plain = make("0.8,0.2\n", ",after=hold", 9).unwrap();
        assert!((duel(&plain).score() - 0.6).abs() < 1e-15);
        let coins = make("0.8,0.2\n", ",after=hold,noise=bernoulli,answers=binary", 9).unwrap();
        let wins: f64 = (0..40_000).map(|_| duel(&coins).reward()).sum();
        assert!((wins / 40_000.0 - 0.8).abs() < 0.01);
    }

    #[test]
    fn trace_errors_name_line_and_column() {
        for (text, expected) in [
            ("", "it contains no utilities"),
            ("a,b\n", "it contains no utilities"),
            ("round\n1\n", "it has a column `round`, but no column of utilities"),
            ("a,b\n\n0.5,x\n", "line 3, column 2: `x` is not a number"),
            ("0.5,\n", "line 1, column 2: `` is not a number"),
            ("0.5,0.5\n1.5,0\n", "line 2, column 1: 1.5 is outside [0, 1]"),
            ("0.5,nan\n", "line 1, column 2: NaN is outside [0, 1]"),
            ("0.5,0.5\n0.5\n", "line 2: the row has length 1, but the first row has length 2"),
            ("round,a\n0,0.5\n", "line 2, column 1: `0` is not a round, a whole number from 1"),
            (
                "round,a\n2,0.5\n",
                "line 2, column 1: the first row begins in round 2, but must begin in round 1",
            ),
            (
                "round,a\n1,0.5\n7,0.5\n7,0.5\n",
                "line 4, column 1: round 7 does not come after round 7, the start of the row before",
            ),
        ] {
            assert_eq!(parse_utilities(text.as_bytes(), None).unwrap_err().to_string(), expected, "{text:?}");
        }
    }
}
