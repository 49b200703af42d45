//! `.csv`: fields separated by commas, semicolons or tabs, possibly quoted.

use csv::{ByteRecord, ReaderBuilder, Trim};

use super::table::Table;
use super::{NamedMatrix, ParseMatrixError};

pub(super) fn parse(bytes: &[u8]) -> Result<NamedMatrix, ParseMatrixError> {
    let mut table = Table::default();
    for_each_record(bytes, |line, record| table.push(line, record.iter()))?;
    table.into_matrix()
}

/// Calls `take` with each record and the line on which it begins. Blank lines and comments are
/// skipped.
pub(crate) fn for_each_record<E>(
    bytes: &[u8],
    mut take: impl FnMut(usize, &ByteRecord) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .comment(Some(b'#'))
        .delimiter(delimiter(bytes))
        .from_reader(bytes);
    let mut lines = LineCounter { bytes, at: 0, line: 1 };
    let mut record = ByteRecord::new();
    // Reading can fail on I/O errors, unequal lengths and invalid UTF-8. None of them can occur
    // with a slice, a flexible reader and byte records.
    while reader.read_byte_record(&mut record).expect("a slice of bytes can always be read as records") {
        let start = record.position().map_or(0, csv::Position::byte);
        let line = lines.record_at(start);
        // A line of white space only.
        if record.len() == 1 && record[0].is_empty() {
            continue;
        }
        take(line, &record)?;
    }
    Ok(())
}

/// The delimiter, found in the first line that is neither blank nor a comment. Semicolons go first:
/// a file with semicolons may use decimal commas, and the error should then say that `0,5` is not a
/// number.
fn delimiter(bytes: &[u8]) -> u8 {
    let lines = bytes.split(|&byte| byte == b'\n' || byte == b'\r');
    let first = lines.map(<[u8]>::trim_ascii).find(|line| !line.is_empty() && !line.starts_with(b"#"));
    // Text in quotes is a name and may contain anything.
    let first: Vec<u8> =
        first.unwrap_or_default().split(|&byte| byte == b'"').step_by(2).flatten().copied().collect();
    [b';', b',', b'\t'].into_iter().find(|delimiter| first.contains(delimiter)).unwrap_or(b',')
}

/// Finds the line of the file on which a record begins.
///
/// The reader itself reports where the record before ended. So a record after blank lines or
/// comments would get the line of the first of these.
struct LineCounter<'a> {
    bytes: &'a [u8],
    /// The byte up to which lines have been counted.
    at: usize,
    /// The line of that byte, from 1.
    line: usize,
}

impl LineCounter<'_> {
    /// The line of the first byte of content at or after `position`. Positions must not decrease.
    fn record_at(&mut self, position: u64) -> usize {
        while (self.at as u64) < position && self.at < self.bytes.len() {
            self.step();
        }
        while let Some(&byte) = self.bytes.get(self.at) {
            if byte == b'#' {
                while self.bytes.get(self.at).is_some_and(|&byte| byte != b'\n') {
                    self.step();
                }
            } else if byte == b'\n' || byte == b'\r' {
                self.step();
            } else {
                break;
            }
        }
        self.line
    }

    fn step(&mut self) {
        if self.ends_line() {
            self.line += 1;
        }
        self.at += 1;
    }

    /// A line ends in "\n", "\r\n" or, in very old files, "\r".
    fn ends_line(&self) -> bool {
        match self.bytes.get(self.at) {
            Some(b'\n') => true,
            Some(b'\r') => self.bytes.get(self.at + 1) != Some(&b'\n'),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiltyard_bandit::matrix::PreferenceMatrix;

    fn check(text: &str) {
        let expected = PreferenceMatrix::from_rows(&[[0.5, 0.75], [0.25, 0.5]]).unwrap();
        assert_eq!(parse(text.as_bytes()).unwrap().matrix, expected, "{text:?}");
    }

    fn check_error(text: &str, expected: &str) {
        assert_eq!(parse(text.as_bytes()).unwrap_err().to_string(), expected, "{text:?}");
    }

    #[test]
    fn trace_all_the_ways_to_write_one_matrix() {
        check("0.5,0.75\n0.25,0.5\n");
        check("0.5,0.75\n0.25,0.5");
        check("0.5,0.75\r\n0.25,0.5\r\n");
        check("0.5,0.75\r0.25,0.5\r");
        check("0.5;0.75\n0.25;0.5\n");
        check("0.5\t0.75\n0.25\t0.5\n");
        check("0.5,\t0.75\n0.25,\t0.5\n");
        check(" 0.5 , 7.5e-1 \n .25 , +0.5 \n");
        check("\"0.5\",\"0.75\"\n0.25,0.5\n");
        check("first,second\n0.5,0.75\n0.25,0.5\n");
        check("\"x, y\";z\n0.5;0.75\n0.25;0.5\n");
        check("\"x; y\",z\n0.5,0.75\n0.25,0.5\n");
        check("\n# arms a, b; c\n\n0.5,0.75\n   \n0.25,0.5\n\n");
    }

    #[test]
    fn trace_lines_are_those_of_the_file() {
        check_error("0.5,x\n", "line 1, column 2: `x` is not a number");
        check_error("a,b\n0.5,0.75\n0.25,x\n", "line 3, column 2: `x` is not a number");
        check_error("\n\n# note\na,b\n\n0.5,x\n", "line 6, column 2: `x` is not a number");
        check_error("0.5,0.75\r\n\r\n#\r\n0.25,x\r\n", "line 4, column 2: `x` is not a number");
        check_error("0.5,0.75\r\r0.25,x\r", "line 3, column 2: `x` is not a number");
        check_error("\"a\nb\",c\n0.5,x\n", "line 3, column 2: `x` is not a number");
        check_error("0.5,0.75\n  \n0.25,x\n", "line 3, column 2: `x` is not a number");
        check_error("a,b\n0.5,0.75\n0.25\n", "line 3: the row has length 1, but the first row has length 2");
        check_error(
            "a,b\n\n0.5,0.75\n\n0.25,0.6\n",
            "line 5: row 2, column 2 is 0.6, but the diagonal must be 0.5: an arm ties with itself",
        );
    }

    #[test]
    fn trace_decimal_commas_are_refused_in_plain_words() {
        check_error("0,5;0,75\n0,25;0,5\n", "line 2, column 1: `0,25` is not a number");
        check_error("0.5;0,75\n", "line 1, column 2: `0,75` is not a number");
    }

    #[test]
    fn trace_empty_files() {
        for text in ["", "\n\n", "# only a comment", "a,b,c\n"] {
            check_error(text, "it contains no numbers");
        }
    }
}
