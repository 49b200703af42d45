//! The world of utilities that stand in a file.
//!
//! CSV with a column an arm and a row a round; commas, semicolons or tabs; a header of names if one
//! likes. A header that begins with `round` says that each row has its first round in front, and
//! holds until the next row's:
//!
//! ```text
//! a,b,c            round,a,b,c
//! 0.5,0.2,0.9      1,0.5,0.2,0.9
//! 0.4,0.2,0.8      5001,0.4,0.2,0.8
//! ```
//!
//! Both arms of a duel are looked up in the row of the round, and their difference is the answer;
//! or each is the chance that the arm's utility is 1 and not 0 (`noise=bernoulli`). The natural
//! regret is that against the best single arm of the run, in hindsight.
//!
//! The file is read once, line by line, and no further than the run is long: what is kept is eight
//! bytes a number of those rows. Wrong numbers beyond them go unnoticed.

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

/// Nothing is random unless one says so.
const NOISE: Choice<Noise> = choice!("noise":
    "none" => Noise::None, "bernoulli" => Noise::Bernoulli;
    "the utility is the number itself, or 1 with that probability and else 0");
const AFTER: Choice<Option<After>> = choice!("after":
    "error" => None, "repeat" => Some(After::Repeat), "hold" => Some(After::Hold);
    "what follows the last row: no run is that long, the first row again, or the last row for ever");

pub(crate) static FAMILY: Family = Family {
    name: "utilities",
    title: "utilities from a file, a column an arm and a row a round",
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

/// The longest record, in bytes.
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
        // The last row holds anyway.
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

/// Utilities as a file has them.
#[derive(Debug, Clone, PartialEq)]
pub struct Utilities {
    /// The numbers.
    pub table: Table,
    /// Whether rows have first rounds of their own, and not a round each.
    pub has_rounds: bool,
}

/// Reads utilities from a file; see [`parse_utilities`].
///
/// # Errors
///
/// If it cannot be read or holds something else; the message names file, line and column.
pub fn read_utilities(path: &Path, rounds: Option<u64>) -> Result<Utilities, ReadUtilitiesError> {
    let unreadable = |source| ReadUtilitiesError::Unreadable { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    parse_utilities(BufReader::with_capacity(1 << 16, file), rounds)
        .map_err(|error| ReadUtilitiesError::Invalid { path: path.to_owned(), error })
}

/// Reads utilities from the contents of a file, no further than some number of rounds.
///
/// # Errors
///
/// If it holds something else; the message names line and column.
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
    // Only the first line of the file can have a mark in front.
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
            // Written positively so that NaN fails.
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

/// A field without white space around it and, in the first line, without the mark that spreadsheets
/// put in front of UTF-8.
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
#[non_exhaustive]
pub enum ReadUtilitiesError {
    /// The file cannot be opened.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file holds something else. The message includes the reason.
    #[error("{}: {error}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: ParseUtilitiesError,
    },
}

impl ReadUtilitiesError {
    pub(crate) const HINT: &str = "utilities lie in [0, 1]: a column an arm, a row a round";
}

impl Hint for ReadUtilitiesError {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Invalid { .. } => vec![Self::HINT.to_owned()],
            Self::Unreadable { .. } => Vec::new(),
        }
    }
}

/// Why the contents of a file are no utilities. Lines and columns count from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseUtilitiesError {
    /// There are no numbers in it.
    #[error("no utilities in it")]
    Empty,
    /// A column of rounds and nothing else.
    #[error("no column of utilities beside `round`")]
    NoArms,
    /// A field that is not a number.
    #[error("line {line}, column {column}: `{text}` is not a number")]
    NotANumber {
        /// The line.
        line: u64,
        /// The field in it.
        column: usize,
        /// What stands there, cut short if it is long.
        text: String,
    },
    /// Outside [0, 1].
    #[error("line {line}, column {column}: {value} lies outside [0, 1]")]
    OutOfRange {
        /// The line.
        line: u64,
        /// The field in it.
        column: usize,
        /// The number.
        value: f64,
    },
    /// A row that is longer or shorter than the first line.
    #[error("line {line}: a row of {got} where the first has {expected}")]
    Ragged {
        /// The line.
        line: u64,
        /// The number of fields in the first line.
        expected: usize,
        /// The number of fields in this one.
        got: usize,
    },
    /// Something else in the column of rounds.
    #[error("line {line}, column 1: `{text}` is not a round, a whole number from 1")]
    BadRound {
        /// The line.
        line: u64,
        /// What stands there, cut short if it is long.
        text: String,
    },
    /// Nothing is known of round 1.
    #[error("line {line}, column 1: the first row begins in round {round}, but must begin in round 1")]
    FirstRound {
        /// The line.
        line: u64,
        /// The round.
        round: u64,
    },
    /// Rows out of order.
    #[error(
        "line {line}, column 1: round {round} does not come after round {last}, where the row before begins"
    )]
    Order {
        /// The line.
        line: u64,
        /// The round.
        round: u64,
        /// The first round of the row before.
        last: u64,
    },
    /// Reading failed on the way.
    #[error("line {line}: reading failed")]
    Io {
        /// The line.
        line: u64,
        /// What the system says.
        source: io::Error,
    },
    /// A record without end.
    #[error("line {line}: a row of more than {MAX_RECORD} bytes")]
    Long {
        /// The line.
        line: u64,
    },
    /// A record with too many fields.
    #[error("line {line}: a row of more than {MAX_FIELDS} fields")]
    Wide {
        /// The line.
        line: u64,
    },
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

    /// Of a long file only the rounds of the run are read: the last line here would be refused.
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

    /// Arm `b` is ahead in the first row and `a` in the second, by more: after one round b is the
    /// best, after two a. Held, a stays so; repeated, it is a in every even number of rounds.
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

    /// Without noise the answer is the difference itself; with it, and made binary, a wins with
    /// probability (1 + 0.8 - 0.2) / 2 = 0.8: 40,000 duels have a standard error of 0.002, and five
    /// are allowed.
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
            ("", "no utilities in it"),
            ("a,b\n", "no utilities in it"),
            ("round\n1\n", "no column of utilities beside `round`"),
            ("a,b\n\n0.5,x\n", "line 3, column 2: `x` is not a number"),
            ("0.5,\n", "line 1, column 2: `` is not a number"),
            ("0.5,0.5\n1.5,0\n", "line 2, column 1: 1.5 lies outside [0, 1]"),
            ("0.5,nan\n", "line 1, column 2: NaN lies outside [0, 1]"),
            ("0.5,0.5\n0.5\n", "line 2: a row of 1 where the first has 2"),
            ("round,a\n0,0.5\n", "line 2, column 1: `0` is not a round, a whole number from 1"),
            (
                "round,a\n2,0.5\n",
                "line 2, column 1: the first row begins in round 2, but must begin in round 1",
            ),
            (
                "round,a\n1,0.5\n7,0.5\n7,0.5\n",
                "line 4, column 1: round 7 does not come after round 7, where the row before begins",
            ),
        ] {
            assert_eq!(parse_utilities(text.as_bytes(), None).unwrap_err().to_string(), expected, "{text:?}");
        }
    }
}
