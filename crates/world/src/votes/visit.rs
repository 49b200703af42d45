//! Votes one at a time, as they stand in a file: for whoever passes them on and need not hold them
//! all.

use std::collections::BTreeSet;
use std::io::BufRead;

use super::{Format, ParseVotesError, Verdict, gather};

/// A vote as it stands in a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    /// The line on which it begins, from 1.
    pub line: u64,
    /// The arm shown on the left.
    pub left: &'a str,
    /// The arm shown on the right; it may be the same.
    pub right: &'a str,
    /// What was said; nothing if the person declined.
    pub said: Option<Verdict>,
    /// How much it counts; 1 unless the file says otherwise.
    pub weight: f64,
    /// When it was said, in the words of the file.
    pub time: Option<&'a str>,
    /// Who said it.
    pub voter: Option<&'a str>,
    /// How likely the pair was, in the words of the file.
    pub pscore: Option<&'a str>,
}

/// What was read besides votes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Visited {
    /// Lines of a log that are about something else, or do not say which arms were shown.
    pub passed_over: u64,
    /// Columns of a CSV file that mean nothing here, sorted.
    pub unused: Vec<String>,
    /// Whether the file was read to its end.
    pub is_whole: bool,
}

/// More unused columns than this are not remembered.
pub(super) const MAX_UNUSED: usize = 100;

/// Where the readers put what they find.
pub(super) trait Sink {
    /// Takes what one record says, and tells whether to go on.
    fn take(&mut self, row: &Row<'_>) -> Result<bool, ParseVotesError>;

    /// Counts a record that is no vote.
    fn pass_over(&mut self);

    /// Remembers a column that means nothing here.
    fn leave_out(&mut self, column: String);
}

/// Hands rows on.
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

/// Reads votes from the contents of a file, one at a time, until it ends or `visit` says false. No
/// more than one record is held.
///
/// # Errors
///
/// If it holds something else; the message names line and field. Votes before that were visited.
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
