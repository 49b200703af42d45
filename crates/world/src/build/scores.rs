//! A preference matrix from scores of the arms.
//!
//! With d the difference of the two arms' scores,
//!
//! ```text
//! Bradley-Terry    P = 1 / (1 + base^(-d / scale))
//!   scale 1, base e; Elo ratings: scale 400, base 10
//! Thurstone        P = Phi(d / (scale sqrt(s_i^2 + s_j^2)))
//!   s = 1 (Case V) unless the file has a column sigma (Case III)
//! ```
//!
//! The file is CSV with a header. The columns are `arm`, `score` and optionally `sigma`, in any
//! order. Other columns are ignored.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::matrix::PreferenceMatrix;

use crate::records::{MAX_FIELDS, Records, RecordsError};
use crate::{matrix_file, votes};

/// How scores become preferences.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Model {
    /// A logistic curve.
    BradleyTerry {
        /// The difference in score that multiplies the odds by `base`.
        scale: f64,
        /// The factor by which a difference of `scale` multiplies the odds.
        base: f64,
    },
    /// Normal noise on each score.
    Thurstone {
        /// A factor for the standard deviations.
        scale: f64,
    },
}

/// The scores of the arms.
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    names: Vec<String>,
    values: Vec<f64>,
    sigmas: Option<Vec<f64>>,
}

impl Scores {
    /// The names of the arms, in the order of the file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether the file has a column `sigma` of standard deviations.
    pub fn has_sigmas(&self) -> bool {
        self.sigmas.is_some()
    }

    /// The matrix under a model.
    ///
    /// # Errors
    ///
    /// If a parameter of the model is out of range.
    pub fn matrix(&self, model: Model) -> Result<PreferenceMatrix, ScoresError> {
        let (scale, base) = match model {
            Model::BradleyTerry { scale, base } => (scale, base),
            Model::Thurstone { scale } => (scale, core::f64::consts::E),
        };
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(ScoresError::Scale { scale });
        }
        if !(base > 1.0 && base.is_finite()) {
            return Err(ScoresError::Base { base });
        }
        let sigma = |i: usize| self.sigmas.as_ref().map_or(1.0, |sigmas| sigmas[i]);
        let matrix = PreferenceMatrix::from_fn(self.values.len(), |i, j| {
            let (i, j) = (i.index(), j.index());
            let difference = self.values[i] - self.values[j];
            match model {
                Model::BradleyTerry { .. } => 1.0 / (1.0 + libm::exp(-difference * libm::log(base) / scale)),
                Model::Thurstone { .. } => normal(difference / (scale * libm::hypot(sigma(i), sigma(j)))),
            }
        });
        Ok(matrix.expect("both curves stay in [0, 1]"))
    }
}

/// The distribution function of the standard normal distribution.
fn normal(x: f64) -> f64 {
    libm::erfc(-x * core::f64::consts::FRAC_1_SQRT_2) / 2.0
}

/// Reads scores from a file.
///
/// # Errors
///
/// If the file cannot be read or does not contain scores. The message names file, line and column.
pub fn read_scores(path: &Path) -> Result<Scores, ReadScoresError> {
    let file =
        File::open(path).map_err(|source| ReadScoresError::Unreadable { path: path.to_owned(), source })?;
    parse_scores(BufReader::new(file))
        .map_err(|error| ReadScoresError::Invalid { path: path.to_owned(), error })
}

/// Reads scores from the contents of a file.
///
/// # Errors
///
/// If the contents are not scores. The message names line and column.
pub fn parse_scores(reader: impl BufRead) -> Result<Scores, ScoresError> {
    let mut records = Records::new(reader, MAX_RECORD)?;
    let Some(header) = records.next()? else { return Err(ScoresError::Empty) };
    let n_columns = records.len();
    let find = |name: &str| {
        let is_it = |&i: &usize| {
            let column = records.get(i);
            column
                .strip_prefix(b"\xef\xbb\xbf")
                .unwrap_or(column)
                .trim_ascii()
                .eq_ignore_ascii_case(name.as_bytes())
        };
        (0..n_columns).find(is_it)
    };
    let arm = find("arm").ok_or(ScoresError::NoColumn { line: header, column: "arm" })?;
    let score = find("score").ok_or(ScoresError::NoColumn { line: header, column: "score" })?;
    let sigma = find("sigma");
    let mut seen = BTreeMap::new();
    let mut scores = Scores { names: Vec::new(), values: Vec::new(), sigmas: sigma.map(|_| Vec::new()) };
    while let Some(line) = records.next()? {
        if records.len() != n_columns {
            return Err(ScoresError::Ragged { line, expected: n_columns, got: records.len() });
        }
        let text = |index: usize| String::from_utf8_lossy(records.get(index).trim_ascii()).into_owned();
        let number = |index: usize, column: &'static str, is_legal: fn(f64) -> bool| {
            let text = text(index);
            text.parse().ok().filter(|&value| is_legal(value)).ok_or_else(|| ScoresError::NotANumber {
                line,
                column,
                text: text.chars().filter(|c| !c.is_control()).take(40).collect(),
            })
        };
        let name = text(arm);
        if name.is_empty() || name.len() > votes::MAX_NAME || name.contains(char::is_control) {
            return Err(ScoresError::Name { line });
        }
        if let Some(first) = seen.insert(name.clone(), line) {
            return Err(ScoresError::Twice { line, first, name });
        }
        // The difference of larger scores could overflow.
        scores.values.push(number(score, "score", |value| value.abs() <= 1e300)?);
        if let (Some(sigmas), Some(index)) = (&mut scores.sigmas, sigma) {
            sigmas.push(number(index, "sigma", |value| (1e-150..=1e150).contains(&value))?);
        }
        scores.names.push(name);
        if scores.names.len() > matrix_file::MAX_ARMS {
            return Err(ScoresError::TooManyArms { line });
        }
    }
    if scores.names.is_empty() { Err(ScoresError::Empty) } else { Ok(scores) }
}

/// The limit on a record, in bytes.
const MAX_RECORD: usize = 1 << 20;

impl From<RecordsError> for ScoresError {
    fn from(error: RecordsError) -> Self {
        match error {
            RecordsError::Io { line, source } => Self::Io { line, source },
            RecordsError::Long { line } => Self::LongRecord { line },
            RecordsError::Wide { line } => Self::TooManyFields { line },
        }
    }
}

/// Why no scores could be read from a path.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ReadScoresError {
    #[error("cannot read {}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{}: {error}", path.display())]
    Invalid { path: PathBuf, error: ScoresError },
}

impl Hint for ReadScoresError {
    fn hints(&self, _: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Invalid { error: ScoresError::NoColumn { .. } | ScoresError::Empty, .. } => {
                vec!["scores are CSV with a header `arm,score` and optionally `sigma`".to_owned()]
            }
            _ => Vec::new(),
        }
    }
}

/// Why there is no matrix of scores. Lines count from 1.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ScoresError {
    #[error("it contains no scores")]
    Empty,
    #[error("line {line}: there is no column `{column}`")]
    NoColumn { line: u64, column: &'static str },
    #[error("line {line}: reading failed: {source}")]
    Io { line: u64, source: io::Error },
    #[error("line {line}: the record exceeds {MAX_RECORD} bytes; is a quote left open?")]
    LongRecord { line: u64 },
    #[error("line {line}: the record exceeds {MAX_FIELDS} fields")]
    TooManyFields { line: u64 },
    #[error("line {line}: the number of fields is {got}, but the header has {expected}")]
    Ragged { line: u64, expected: usize, got: usize },
    #[error("line {line}, `arm`: a name needs 1 to {} bytes without control characters", votes::MAX_NAME)]
    Name { line: u64 },
    #[error("line {line}, `arm`: `{name}` already has a score on line {first}")]
    Twice { line: u64, first: u64, name: String },
    /// The field is not a number, or is out of range.
    #[error("line {line}, `{column}`: `{text}` is not a {}number", if *column == "sigma" { "positive " } else { "" })]
    NotANumber { line: u64, column: &'static str, text: String },
    #[error("line {line}: there are more than the {} arms that a matrix may have", matrix_file::MAX_ARMS)]
    TooManyArms { line: u64 },
    #[error("the scale is {scale}, but must be a positive number")]
    Scale { scale: f64 },
    #[error("the base is {base}, but must be a number above 1")]
    Base { base: f64 },
}

impl Hint for ScoresError {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tiltyard_bandit::Arm;

    fn scores(text: &str) -> Scores {
        parse_scores(text.as_bytes()).unwrap()
    }

    fn p(scores: &Scores, model: Model) -> f64 {
        scores.matrix(model).unwrap().get(Arm::new(0), Arm::new(1))
    }

    fn assert_near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-9, "{got} instead of {expected}");
    }

    /// A difference of ln 3 gives odds of 3, and 400 Elo points give odds of 10. A difference of
    /// sqrt 2 is one standard deviation of the difference of two unit normals, and
    /// Phi(1) = 0.841344746. A difference of 5 with deviations 3 and 4 is one standard deviation,
    /// too.
    #[test]
    fn trace_models() {
        let bradley_terry = |scale, base| Model::BradleyTerry { scale, base };
        let natural = scores("arm,score\na,1.0986122886681098\nb,0\n");
        assert_near(p(&natural, bradley_terry(1.0, core::f64::consts::E)), 0.75);
        assert_near(p(&natural, bradley_terry(2.0, core::f64::consts::E)), 3f64.sqrt() / (1.0 + 3f64.sqrt()));
        let elo = scores("score,arm\n1600,a\n1200,b\n");
        assert_near(p(&elo, bradley_terry(400.0, 10.0)), 10.0 / 11.0);
        let unit = scores("arm,score\na,1.4142135623730951\nb,0\n");
        assert_near(p(&unit, Model::Thurstone { scale: 1.0 }), 0.841_344_746_068_543);
        let own = scores("arm,games,score,sigma\na,7,15,3\nb,9,10,4\n");
        assert_near(p(&own, Model::Thurstone { scale: 1.0 }), 0.841_344_746_068_543);
        assert_near(p(&own, Model::Thurstone { scale: 2.0 }), 0.691_462_461_274_013);
    }

    #[test]
    fn trace_every_error_names_the_place() {
        let message = |text: &str| parse_scores(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(message(""), "it contains no scores");
        assert_eq!(message("arm,score\n"), "it contains no scores");
        assert_eq!(message("arm,rating\na,1\n"), "line 1: there is no column `score`");
        assert_eq!(message("arm,score\n\na,1\n\nb,high\n"), "line 5, `score`: `high` is not a number");
        assert_eq!(message("arm,score\na,inf\n"), "line 2, `score`: `inf` is not a number");
        assert_eq!(message("arm,score,sigma\na,1,0\n"), "line 2, `sigma`: `0` is not a positive number");
        assert_eq!(message("arm,score\na,1\nb,2\na,3\n"), "line 4, `arm`: `a` already has a score on line 2");
        assert_eq!(message("arm,score\na,1\nb\n"), "line 3: the number of fields is 1, but the header has 2");
        assert!(message("arm,score\n,1\n").starts_with("line 2, `arm`: a name needs"));
        let scores = scores("arm,score\na,1\n");
        assert!(scores.matrix(Model::Thurstone { scale: 0.0 }).is_err());
        assert!(scores.matrix(Model::BradleyTerry { scale: 1.0, base: 1.0 }).is_err());
    }

    proptest! {
        #[test]
        fn law_arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse_scores(bytes.as_slice());
        }

        /// P(a, b) + P(b, a) is exactly 1, and the arm with the higher score wins, however far
        /// apart the scores are.
        #[test]
        fn law_the_higher_score_wins(
            values in proptest::collection::vec(-1e3..1e3, 1..8),
            scale in 0.1..1e3,
            thurstone: bool,
        ) {
            let rows: Vec<_> = values.iter().enumerate().map(|(i, value)| format!("arm{i},{value}\n")).collect();
            let model = if thurstone { Model::Thurstone { scale } } else { Model::BradleyTerry { scale, base: 10.0 } };
            let matrix = scores(&format!("arm,score\n{}", rows.concat())).matrix(model).unwrap();
            for (a, b) in Arm::all(values.len()).flat_map(|a| Arm::all(values.len()).map(move |b| (a, b))) {
                prop_assert_eq!((matrix.get(a, b) + matrix.get(b, a)).to_bits(), 1f64.to_bits());
                if values[a.index()] > values[b.index()] {
                    prop_assert!(matrix.get(a, b) >= 0.5);
                }
            }
        }
    }
}
