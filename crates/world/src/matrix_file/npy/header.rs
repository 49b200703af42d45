//! The header of a `.npy` file: a Python dictionary with three keys.

use super::NpyError;

const DESCR: &str = "descr";
const FORTRAN_ORDER: &str = "fortran_order";
const SHAPE: &str = "shape";

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The type of an entry, in `NumPy`'s notation.
    pub(super) descr: String,
    /// Whether the entries are stored column by column instead of row by row.
    pub(super) fortran_order: bool,
    pub(super) shape: Vec<usize>,
}

impl Header {
    pub(super) fn parse(text: &[u8]) -> Result<Self, NpyError> {
        let mut cursor = Cursor { text, at: 0 };
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        cursor.expect(b'{', "`{`")?;
        while !cursor.accept(b'}') {
            let key = cursor.string()?;
            cursor.expect(b':', "`:`")?;
            match key.as_str() {
                DESCR => fill(&mut descr, DESCR, cursor.descr()?)?,
                FORTRAN_ORDER => fill(&mut fortran_order, FORTRAN_ORDER, cursor.boolean()?)?,
                SHAPE => fill(&mut shape, SHAPE, cursor.tuple()?)?,
                _ => return Err(NpyError::UnknownKey { key }),
            }
            if !cursor.accept(b',') {
                cursor.expect(b'}', "`,` or `}`")?;
                break;
            }
        }
        cursor.end()?;
        Ok(Self {
            descr: descr.ok_or(NpyError::MissingKey { key: DESCR })?,
            fortran_order: fortran_order.ok_or(NpyError::MissingKey { key: FORTRAN_ORDER })?,
            shape: shape.ok_or(NpyError::MissingKey { key: SHAPE })?,
        })
    }
}

fn fill<T>(slot: &mut Option<T>, key: &'static str, value: T) -> Result<(), NpyError> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(NpyError::RepeatedKey { key }),
    }
}

/// A position in the header. Its methods first skip white space.
struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), NpyError> {
        if self.accept(byte) { Ok(()) } else { Err(self.error(expected)) }
    }

    fn error(&self, expected: &'static str) -> NpyError {
        NpyError::BadHeader { at: self.at, expected }
    }

    /// The next bytes, as long as they satisfy a test.
    fn take_while(&mut self, test: impl Fn(u8) -> bool) -> &[u8] {
        let rest = &self.text[self.at..];
        let length = rest.iter().position(|&byte| !test(byte)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// A string in single or double quotes. Backslashes have no meaning, because no key and no type
    /// contains one.
    fn string(&mut self) -> Result<String, NpyError> {
        let Some(quote @ (b'\'' | b'"')) = self.peek() else {
            return Err(self.error("a string in quotes"));
        };
        self.at += 1;
        let string = String::from_utf8_lossy(self.take_while(|byte| byte != quote)).into_owned();
        if self.text.get(self.at) != Some(&quote) {
            return Err(self.error("the end of a string in quotes"));
        }
        self.at += 1;
        Ok(string)
    }

    /// The type of an entry. A list describes an entry of several fields, which cannot be a matrix.
    fn descr(&mut self) -> Result<String, NpyError> {
        if self.peek() == Some(b'[') {
            return Err(NpyError::UnsupportedType { descr: "several fields".to_owned() });
        }
        self.string()
    }

    fn boolean(&mut self) -> Result<bool, NpyError> {
        self.peek();
        let start = self.at;
        match self.take_while(|byte| byte.is_ascii_alphabetic()) {
            b"True" => Ok(true),
            b"False" => Ok(false),
            _ => Err(NpyError::BadHeader { at: start, expected: "`True` or `False`" }),
        }
    }

    /// Whole numbers in parentheses: (), (1,), (1, 2), (1, 2,), or (1L, 2L) as Python 2 wrote them.
    fn tuple(&mut self) -> Result<Vec<usize>, NpyError> {
        let mut numbers = Vec::new();
        self.expect(b'(', "`(`")?;
        while !self.accept(b')') {
            numbers.push(self.whole_number()?);
            self.accept(b'L');
            if !self.accept(b',') {
                self.expect(b')', "`,` or `)`")?;
                break;
            }
        }
        Ok(numbers)
    }

    fn whole_number(&mut self) -> Result<usize, NpyError> {
        self.peek();
        let start = self.at;
        let digits = str::from_utf8(self.take_while(|byte| byte.is_ascii_digit()));
        // A number that exceeds usize fails here, too.
        digits
            .ok()
            .and_then(|digits| digits.parse().ok())
            .ok_or(NpyError::BadHeader { at: start, expected: "the length of a dimension" })
    }

    fn end(&mut self) -> Result<(), NpyError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error("the end of the header")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        let expected = Header { descr: "<f8".to_owned(), fortran_order: false, shape: vec![6, 7] };
        assert_eq!(Header::parse(text.as_bytes()), Ok(expected), "{text}");
    }

    fn check_error(text: &str, expected: &str) {
        assert_eq!(Header::parse(text.as_bytes()).unwrap_err().to_string(), expected, "{text}");
    }

    #[test]
    fn trace_all_the_ways_to_write_one_header() {
        check("{'descr': '<f8', 'fortran_order': False, 'shape': (6, 7), }     \n");
        check("{'descr':'<f8','fortran_order':False,'shape':(6,7)}");
        check("{ \"shape\" : (6 , 7 , ) , \"fortran_order\" : False , \"descr\" : \"<f8\" }");
        check("{'descr': '<f8', 'fortran_order': False, 'shape': (6L, 7L), }\n");
    }

    #[test]
    fn trace_every_error() {
        check_error("", "byte 0 of the header should be `{`");
        check_error("{", "byte 1 of the header should be a string in quotes");
        check_error("{descr", "byte 1 of the header should be a string in quotes");
        check_error("{'descr", "byte 7 of the header should be the end of a string in quotes");
        check_error("{'descr' '<f8'", "byte 9 of the header should be `:`");
        check_error("{'descr': '<f8' 'shape'", "byte 16 of the header should be `,` or `}`");
        check_error("{'fortran_order': 0}", "byte 18 of the header should be `True` or `False`");
        check_error("{'shape': 6}", "byte 10 of the header should be `(`");
        check_error("{'shape': (-6, 6)}", "byte 11 of the header should be the length of a dimension");
        check_error(
            "{'shape': (99999999999999999999999, 6)}",
            "byte 11 of the header should be the length of a dimension",
        );
        check_error("{'shape': (6 6)}", "byte 13 of the header should be `,` or `)`");
        check_error("{'shape': (6, 6), 'shape': (7, 7)}", "the header has the key `shape` twice");
        check_error("{'order': 'C'}", "the header has an unknown key `order`");
        check_error("{} 1", "byte 3 of the header should be the end of the header");
        check_error("{}", "the header lacks the key `descr`");
        check_error("{'descr': '<f8'}", "the header lacks the key `fortran_order`");
        check_error("{'descr': '<f8', 'fortran_order': True}", "the header lacks the key `shape`");
        check_error(
            "{'descr': [('a', '<f8')]}",
            "entries of type `several fields` are not supported, \
             only float64 and float32 (`<f8`, `>f8`, `<f4`, `>f4`)",
        );
    }
}
