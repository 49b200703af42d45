//! Reads votes one at a time, for callers that pass them on and need not hold all of them.

use std::collections::BTreeSet;
use std::io::BufRead;

use super::{Format, ParseVotesError, Verdict, gather};

/// A vote as it is in the file.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Row<'a> {
    /// The line on which the record begins, from 1.
    pub line: u64,
    /// The arm shown on the left.
    pub left: &'a str,
    /// The arm shown on the right, possibly the same arm.
    pub right: &'a str,
    /// The verdict, or `None` if the person declined to answer.
    pub said: Option<Verdict>,
    /// How much the vote counts; 1 unless the file says otherwise.
    pub weight: f64,
    /// The time of the vote, as written in the file.
    pub time: Option<&'a str>,
    pub voter: Option<&'a str>,
    /// The probability with which the pair was drawn, as written in the file.
    pub pscore: Option<&'a str>,
}

/// What was read besides votes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Visited {
    /// The number of lines of a log that are not votes, or do not say which arms were shown.
    pub passed_over: u64,
    /// The columns of a CSV file that were ignored, sorted.
    pub unused: Vec<String>,
    /// Whether the file was read to its end.
    pub is_whole: bool,
}

/// The limit on the number of ignored columns that are remembered.
pub(super) const MAX_UNUSED: usize = 100;

/// Receives what the readers find.
pub(super) trait Sink {
    /// Takes the vote of one record and returns whether to go on.
    fn take(&mut self, row: &Row<'_>) -> Result<bool, ParseVotesError>;

    /// Counts a record that is not a vote.
    fn pass_over(&mut self);

    /// Remembers a column that is ignored.
    fn leave_out(&mut self, column: String);
}

/// Passes rows to a callback.
struct Visitor<'a> {
    visit: &'a mut dyn FnMut(&Row<'_>) -> bool,
    passed_over: u64,
    unused: BTreeSet<String>,
    is_whole: bool,
}

impl Sink for Visitor<'_> {
    fn take(&mut self, row: &Row<'_>) -> Result<bool, ParseVotesError> {
        self.is_whole = (self.visit)(row);
        Ok(self.is_whole)
    }

    fn pass_over(&mut self) {
        self.passed_over += 1;
    }

    fn leave_out(&mut self, column: String) {
        if self.unused.len() < MAX_UNUSED {
            self.unused.insert(column);
        }
    }
}

/// Reads votes from the contents of a file, one at a time, until the file ends or `visit` returns
/// false. It holds only one record at a time.
///
/// # Errors
///
/// If the contents are not votes. The message names line and field. The votes before the error have
/// been visited.
pub fn visit_votes(
    reader: impl BufRead,
    format: Format,
    visit: &mut dyn FnMut(&Row<'_>) -> bool,
) -> Result<Visited, ParseVotesError> {
    let mut visitor = Visitor { visit, passed_over: 0, unused: BTreeSet::new(), is_whole: true };
    gather(reader, format, &mut visitor)?;
    Ok(Visited {
        passed_over: visitor.passed_over,
        unused: visitor.unused.into_iter().collect(),
        is_whole: visitor.is_whole,
    })
}
