//! `.txt`: fields separated by white space or commas, with `#` comments.

use super::table::Table;
use super::{NamedMatrix, ParseMatrixError};

pub(super) fn parse(bytes: &[u8]) -> Result<NamedMatrix, ParseMatrixError> {
    let mut table = Table::default();
    for (index, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let content = line.split(|&byte| byte == b'#').next().unwrap_or_default().trim_ascii();
        if content.is_empty() {
            continue;
        }
        // White space is padding if there are commas, and separates fields if there are none.
        if content.contains(&b',') {
            table.push(index + 1, content.split(|&byte| byte == b','))?;
        } else {
            let words = content.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            table.push(index + 1, words)?;
        }
    }
    table.into_matrix()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiltyard_bandit::matrix::PreferenceMatrix;

    #[test]
    fn trace_all_the_ways_to_write_one_matrix() {
        let expected = PreferenceMatrix::from_rows(&[[0.5, 0.75], [0.25, 0.5]]).unwrap();
        for text in [
            "0.5 0.75\n0.25 0.5\n",
            "  0.5\t\t0.75\r\n 0.25   0.5",
            "0.5,0.75\n0.25 , 0.5\n",
            "# P[i][j]\n\n0.5 0.75 # first\n#\n0.25 0.5",
            "first second\n5e-1 7.5e-1\n.25 +.5\n",
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap().matrix, expected, "{text:?}");
        }
    }

    #[test]
    fn trace_lines_are_those_of_the_file() {
        for (text, expected) in [
            ("", "it contains no numbers"),
            ("# nothing\n\n", "it contains no numbers"),
            ("# note\n\n0.5 x\n", "line 3, column 2: `x` is not a number"),
            ("0.5,,0.5\n", "line 1, column 2: `` is not a number"),
            ("0.5, 0.5 0.5\n", "line 1, column 2: `0.5 0.5` is not a number"),
            ("0.5 0.75\n\n0.25\n", "line 3: the row has length 1, but the first row has length 2"),
            ("# note\n0.5 1.75\n0.25 0.5", "line 2: row 1, column 2 is 1.75, not a probability from 0 to 1"),
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap_err().to_string(), expected, "{text:?}");
        }
    }
}
