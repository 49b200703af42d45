//! Votes in CSV.

use std::io::BufRead;

use super::field::{self, Field};
use super::visit::{Row, Sink};
use super::{MAX_RECORD, ParseVotesError};
use crate::records::Records;

pub(super) fn gather(reader: impl BufRead, sink: &mut dyn Sink) -> Result<(), ParseVotesError> {
    let mut records = Records::new(reader, MAX_RECORD)?;
    let Some(line) = records.next()? else { return Err(ParseVotesError::Empty) };
    let columns = Columns::of(line, &records, sink)?;
    while let Some(line) = records.next()? {
        if records.len() != columns.n {
            return Err(ParseVotesError::Ragged { line, expected: columns.n, got: records.len() });
        }
        let left = field::name(line, Field::Left, records.get(columns.left))?;
        let right = field::name(line, Field::Right, records.get(columns.right))?;
        let outcome = records.get(columns.outcome);
        let said =
            text(outcome).and_then(field::parse_verdict).ok_or_else(|| ParseVotesError::NoOutcome {
                line,
                field: Field::Outcome.name(),
                text: field::excerpt(outcome).into_owned(),
            })?;
        let weight = match columns.weight {
            None => 1.0,
            Some(column) => {
                let weight = records.get(column);
                let number = text(weight).and_then(|text| text.parse().ok());
                number.and_then(field::weight).ok_or_else(|| ParseVotesError::NoWeight {
                    line,
                    field: Field::Weight.name(),
                    text: field::excerpt(weight).into_owned(),
                })?
            }
        };
        let known = |column: Option<usize>| {
            let text = column.and_then(|column| text(records.get(column)));
            text.filter(|text| !text.is_empty())
        };
        let (time, voter, pscore) = (known(columns.time), known(columns.voter), known(columns.pscore));
        if !sink.take(&Row { line, left, right, said, weight, time, voter, pscore })? {
            break;
        }
    }
    Ok(())
}

fn text(bytes: &[u8]) -> Option<&str> {
    str::from_utf8(bytes).ok().map(str::trim)
}

/// The index of each column.
struct Columns {
    n: usize,
    left: usize,
    right: usize,
    outcome: usize,
    weight: Option<usize>,
    time: Option<usize>,
    voter: Option<usize>,
    pscore: Option<usize>,
}

impl Columns {
    /// Reads a header and tells the sink which columns are ignored.
    fn of<R: BufRead>(line: u64, header: &Records<R>, sink: &mut dyn Sink) -> Result<Self, ParseVotesError> {
        let names: Vec<_> = (0..header.len()).map(|i| field::excerpt(header.get(i).trim_ascii())).collect();
        let find = |field: Field| {
            let mut found = None;
            for (i, name) in names.iter().enumerate().filter(|(_, name)| Field::of(name) == Some(field)) {
                if let Some(first) = found.replace(i) {
                    let (first, second) = (names[first].to_string(), name.to_string());
                    return Err(ParseVotesError::TwoColumns { line, field: field.name(), first, second });
                }
            }
            Ok(found)
        };
        // Of several columns for time, voter or pscore, the first counts. A duplicate is not an
        // error, because it does not decide which rows are votes.
        let find_first = |field: Field| names.iter().position(|name| Field::of(name) == Some(field));
        let must_find = |field: Field| {
            find(field)?.ok_or_else(|| {
                let columns = names.iter().take(20).map(ToString::to_string).collect();
                ParseVotesError::NoColumn { line, field: field.name(), columns }
            })
        };
        let columns = Self {
            n: header.len(),
            left: must_find(Field::Left)?,
            right: must_find(Field::Right)?,
            outcome: must_find(Field::Outcome)?,
            weight: find(Field::Weight)?,
            time: find_first(Field::Time),
            voter: find_first(Field::Voter),
            pscore: find_first(Field::Pscore),
        };
        for name in names.iter().filter(|name| Field::of(name).is_none()) {
            sink.leave_out(name.to_string());
        }
        Ok(columns)
    }
}
