//! Records of a CSV file, one at a time, with the line on which each begins.

use std::io::{self, BufRead, Read};

use csv_core::ReadRecordResult;

/// Reads records and knows the line on which each begins.
///
/// It feeds the parser line by line, so that it can count blank lines and stop at a quote that is
/// never closed.
pub(crate) struct Records<R> {
    reader: R,
    /// The limit on a record, in bytes.
    longest: usize,
    parser: csv_core::Reader,
    /// The number of lines read so far.
    lines: u64,
    /// The current line, and how much of it has been parsed.
    raw: Vec<u8>,
    parsed: usize,
    /// The fields of the current record, concatenated, and where each ends.
    fields: Vec<u8>,
    ends: Vec<usize>,
    n_fields: usize,
}

impl<R: BufRead> Records<R> {
    /// Starts to read records of at most `longest` bytes. The delimiter is the first of comma,
    /// semicolon and tab that occurs in the first non-blank line.
    pub(crate) fn new(reader: R, longest: usize) -> Result<Self, RecordsError> {
        let mut records = Self {
            reader,
            longest,
            parser: csv_core::Reader::new(),
            lines: 0,
            raw: Vec::new(),
            parsed: 0,
            fields: vec![0; 1024],
            ends: vec![0; 32],
            n_fields: 0,
        };
        while records.rest_is_blank() && records.read_line(longest)? > 0 {}
        let delimiter = [b',', b';', b'\t'].into_iter().find(|delimiter| records.raw.contains(delimiter));
        records.parser = csv_core::ReaderBuilder::new().delimiter(delimiter.unwrap_or(b',')).build();
        Ok(records)
    }

    /// Reads the next line and returns its length, which is 0 at the end. A line of more than
    /// `most` bytes is an error.
    fn read_line(&mut self, most: usize) -> Result<usize, RecordsError> {
        self.raw.clear();
        self.parsed = 0;
        let line = self.lines + 1;
        let read = self.reader.by_ref().take(most as u64 + 1).read_until(b'\n', &mut self.raw);
        let n = read.map_err(|source| RecordsError::Io { line, source })?;
        if n > most {
            return Err(RecordsError::Long { line });
        }
        self.lines += u64::from(n > 0);
        Ok(n)
    }

    fn rest_is_blank(&self) -> bool {
        self.raw[self.parsed..].trim_ascii().is_empty()
    }

    /// Reads the next record and returns the line on which it begins.
    pub(crate) fn next(&mut self) -> Result<Option<u64>, RecordsError> {
        while self.rest_is_blank() {
            if self.read_line(self.longest)? == 0 {
                return Ok(None);
            }
        }
        let start = self.lines;
        let (mut n_bytes, mut n_ends, mut budget) = (0, 0, self.longest);
        loop {
            let (result, n_in, n_out, n_new) = self.parser.read_record(
                &self.raw[self.parsed..],
                &mut self.fields[n_bytes..],
                &mut self.ends[n_ends..],
            );
            self.parsed += n_in;
            n_bytes += n_out;
            n_ends += n_new;
            match result {
                ReadRecordResult::InputEmpty => {
                    budget -= budget.min(self.raw.len());
                    match self.read_line(budget) {
                        Err(RecordsError::Long { .. }) => {
                            return Err(RecordsError::Long { line: start });
                        }
                        // At the end of the file the parser gets no input and closes the record.
                        result => result?,
                    };
                }
                ReadRecordResult::OutputFull => self.fields.resize(2 * self.fields.len(), 0),
                ReadRecordResult::OutputEndsFull if self.ends.len() >= MAX_FIELDS => {
                    return Err(RecordsError::Wide { line: start });
                }
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record => {
                    self.n_fields = n_ends;
                    return Ok(Some(start));
                }
                ReadRecordResult::End => return Ok(None),
            }
        }
    }

    /// The number of fields of the current record.
    pub(crate) fn len(&self) -> usize {
        self.n_fields
    }

    /// A field of the current record.
    pub(crate) fn get(&self, field: usize) -> &[u8] {
        let start = if field == 0 { 0 } else { self.ends[field - 1] };
        &self.fields[start..self.ends[field]]
    }
}

/// The largest number of fields of a record.
pub(crate) const MAX_FIELDS: usize = 1 << 12;

/// Why reading stopped. `Wide` and `Long` name the line on which the record begins.
#[derive(Debug)]
pub(crate) enum RecordsError {
    Io {
        line: u64,
        source: io::Error,
    },
    /// The record has more than [`MAX_FIELDS`] fields.
    Wide {
        line: u64,
    },
    /// The record exceeds the limit on its length.
    Long {
        line: u64,
    },
}
