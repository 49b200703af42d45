//! `.npy`: `NumPy`'s format for one array.
//!
//! ```text
//! 6 bytes   93 'N' 'U' 'M' 'P' 'Y'
//! 2 bytes   version: 1.0, 2.0 or 3.0
//! 2 or 4    length of the header, little endian: 2 bytes in version 1.0, 4 bytes in 2.0 and 3.0
//! header    a Python dictionary, {'descr': '<f8', 'fortran_order': False, 'shape': (6, 6), }
//! the rest  entries
//! ```
//!
//! Reference: `numpy.lib.format` in `NumPy`'s documentation.

mod header;

use tiltyard_bandit::matrix::PreferenceMatrix;

use self::header::Header;
use super::ParseMatrixError;
use super::table::check_size;

/// Why a `.npy` file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum NpyError {
    #[error("it does not start with the magic bytes of the format")]
    NoMark,
    #[error("version {major}.{minor} of the format is unknown, only 1.0, 2.0 and 3.0 are known")]
    UnknownVersion { major: u8, minor: u8 },
    #[error("the file ends inside the header")]
    HeaderCutShort,
    /// The header is not the expected dictionary. Bytes count from 0 after the length.
    #[error("byte {at} of the header should be {expected}")]
    BadHeader { at: usize, expected: &'static str },
    #[error("the header has an unknown key `{key}`")]
    UnknownKey { key: String },
    #[error("the header has the key `{key}` twice")]
    RepeatedKey { key: &'static str },
    #[error("the header lacks the key `{key}`")]
    MissingKey { key: &'static str },
    /// The type of the entries is not supported. Integer types are not, because a matrix of
    /// integers cannot have 1/2 on its diagonal.
    #[error(
        "entries of type `{descr}` are not supported, only float64 and float32 (`<f8`, `>f8`, `<f4`, `>f4`)"
    )]
    UnsupportedType { descr: String },
    #[error("the array has {n_dimensions} dimensions, not 2")]
    NotTwoDimensional { n_dimensions: usize },
    /// More or fewer bytes follow the header than it promises.
    #[error("{got} bytes follow the header, which promises {rows} by {columns} entries of {width} bytes")]
    WrongLength { rows: usize, columns: usize, width: usize, got: usize },
}

pub(super) fn parse(bytes: &[u8]) -> Result<PreferenceMatrix, ParseMatrixError> {
    let (header, data) = split(bytes)?;
    let header = Header::parse(header)?;
    let kind = Kind::from_descr(&header.descr)?;
    let &[rows, columns] = header.shape.as_slice() else {
        return Err(NpyError::NotTwoDimensional { n_dimensions: header.shape.len() }.into());
    };
    if rows != columns {
        return Err(ParseMatrixError::NotSquare { rows, columns });
    }
    check_size(rows)?;
    let width = kind.width();
    // Checked before anything is allocated, so that memory is in proportion to the bytes that are
    // there. The product cannot overflow after `check_size`.
    if data.len() != rows * columns * width {
        return Err(NpyError::WrongLength { rows, columns, width, got: data.len() }.into());
    }
    if rows == 0 {
        return Err(ParseMatrixError::Empty);
    }
    let value = |row: usize, column: usize| {
        let index = if header.fortran_order { column * rows + row } else { row * columns + column };
        kind.read(&data[index * width..][..width])
    };
    let entries = (0..rows).flat_map(|row| (0..columns).map(move |column| value(row, column))).collect();
    PreferenceMatrix::new(rows, entries).map_err(|error| ParseMatrixError::Matrix { line: None, error })
}

/// Splits a file into header and data.
fn split(bytes: &[u8]) -> Result<(&[u8], &[u8]), NpyError> {
    let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or(NpyError::NoMark)?;
    let (&[major, minor], rest) = rest.split_first_chunk().ok_or(NpyError::HeaderCutShort)?;
    let (length, rest) = match (major, minor) {
        (1, 0) => rest.split_first_chunk().map(|(&length, rest)| (u16::from_le_bytes(length).into(), rest)),
        (2 | 3, 0) => rest.split_first_chunk().map(|(&length, rest)| (u32::from_le_bytes(length), rest)),
        _ => return Err(NpyError::UnknownVersion { major, minor }),
    }
    .ok_or(NpyError::HeaderCutShort)?;
    let length = usize::try_from(length).map_err(|_| NpyError::HeaderCutShort)?;
    rest.split_at_checked(length).ok_or(NpyError::HeaderCutShort)
}

/// How an entry is stored.
#[derive(Debug, Clone, Copy)]
enum Kind {
    F8Little,
    F8Big,
    F4Little,
    F4Big,
}

impl Kind {
    fn from_descr(descr: &str) -> Result<Self, NpyError> {
        match descr {
            "<f8" => Ok(Self::F8Little),
            ">f8" => Ok(Self::F8Big),
            "<f4" => Ok(Self::F4Little),
            ">f4" => Ok(Self::F4Big),
            _ => Err(NpyError::UnsupportedType { descr: descr.to_owned() }),
        }
    }

    const fn width(self) -> usize {
        match self {
            Self::F8Little | Self::F8Big => 8,
            Self::F4Little | Self::F4Big => 4,
        }
    }

    /// Reads an entry from exactly [`Self::width`] bytes.
    fn read(self, bytes: &[u8]) -> f64 {
        fn chunk<const N: usize>(bytes: &[u8]) -> [u8; N] {
            *bytes.first_chunk().expect("exactly as many bytes as the width")
        }
        match self {
            Self::F8Little => f64::from_le_bytes(chunk(bytes)),
            Self::F8Big => f64::from_be_bytes(chunk(bytes)),
            Self::F4Little => f32::from_le_bytes(chunk(bytes)).into(),
            Self::F4Big => f32::from_be_bytes(chunk(bytes)).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tiltyard_bandit::matrix::MatrixError;

    const ROWS: [[f64; 2]; 2] = [[0.5, 0.75], [0.25, 0.5]];

    fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        let length = u32::try_from(header.len()).unwrap();
        let width = if version == 1 { 2 } else { 4 };
        bytes.extend(&length.to_le_bytes()[..width]);
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn header(descr: &str, fortran_order: &str, shape: &str) -> String {
        format!("{{'descr': '{descr}', 'fortran_order': {fortran_order}, 'shape': {shape}, }}   \n")
    }

    fn data(values: impl IntoIterator<Item = f64>) -> Vec<u8> {
        values.into_iter().flat_map(f64::to_le_bytes).collect()
    }

    fn message(bytes: &[u8]) -> String {
        parse(bytes).unwrap_err().to_string()
    }

    #[expect(clippy::cast_possible_truncation, reason = "quarters are exact in both widths")]
    #[test]
    fn trace_every_type_order_and_version() {
        let expected = PreferenceMatrix::from_rows(&ROWS).unwrap();
        let row_major: [f64; 4] = [0.5, 0.75, 0.25, 0.5];
        let column_major: [f64; 4] = [0.5, 0.25, 0.75, 0.5];
        for (order, values) in [("False", row_major), ("True", column_major)] {
            let stored: [(&str, Vec<u8>); 4] = [
                ("<f8", values.iter().flat_map(|value| value.to_le_bytes()).collect()),
                (">f8", values.iter().flat_map(|value| value.to_be_bytes()).collect()),
                ("<f4", values.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect()),
                (">f4", values.iter().flat_map(|&value| (value as f32).to_be_bytes()).collect()),
            ];
            for (descr, data) in stored {
                for version in 1..=3 {
                    let bytes = file(version, &header(descr, order, "(2, 2)"), &data);
                    assert_eq!(parse(&bytes).as_ref(), Ok(&expected), "{descr} {order} {version}");
                }
            }
        }
    }

    #[test]
    fn trace_a_file_as_numpy_writes_it() {
        let mut header = String::from("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }");
        while (10 + header.len() + 1) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let bytes = file(1, &header, &data([0.5]));
        assert_eq!(bytes.len(), 128 + 8);
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        assert_eq!(parse(&bytes).unwrap().n_arms(), 1);
    }

    #[test]
    fn trace_every_error_of_the_frame() {
        let good = file(1, &header("<f8", "False", "(2, 2)"), &data(ROWS.into_iter().flatten()));
        let prefix = "not a readable .npy file: ";
        assert_eq!(message(b""), format!("{prefix}it does not start with the magic bytes of the format"));
        assert_eq!(
            message(b"0.5,0.5"),
            format!("{prefix}it does not start with the magic bytes of the format")
        );
        for end in 6..good.len() - 32 {
            assert_eq!(message(&good[..end]), format!("{prefix}the file ends inside the header"), "{end}");
        }
        let mut newer = good.clone();
        newer[6..8].copy_from_slice(&[4, 1]);
        assert_eq!(
            message(&newer),
            format!("{prefix}version 4.1 of the format is unknown, only 1.0, 2.0 and 3.0 are known")
        );
    }

    #[test]
    fn trace_types_that_are_not_read() {
        for descr in ["<i8", "|u1", "|b1", "<f2", "<c16", "|O", "f8", "=f8", ""] {
            let error = parse(&file(1, &header(descr, "False", "(2, 2)"), &[])).unwrap_err();
            assert_eq!(error, NpyError::UnsupportedType { descr: descr.to_owned() }.into());
        }
    }

    #[test]
    fn trace_shapes() {
        let with_shape = |shape: &str| parse(&file(1, &header("<f8", "False", shape), &[])).unwrap_err();
        for (shape, n_dimensions) in [("()", 0), ("(4,)", 1), ("(2, 2, 1)", 3)] {
            assert_eq!(with_shape(shape), NpyError::NotTwoDimensional { n_dimensions }.into());
        }
        assert_eq!(with_shape("(2, 3)"), ParseMatrixError::NotSquare { rows: 2, columns: 3 });
        assert_eq!(with_shape("(0, 0)"), ParseMatrixError::Empty);
        assert_eq!(with_shape("(20001, 20001)"), ParseMatrixError::TooManyArms { n_arms: 20_001 });
    }

    /// A header that promises 3.2 GB is refused, because only 8 bytes follow it.
    #[test]
    fn trace_a_lying_header_allocates_nothing() {
        assert_eq!(
            message(&file(1, &header("<f8", "False", "(20000, 20000)"), &data([0.5]))),
            "not a readable .npy file: 8 bytes follow the header, \
             which promises 20000 by 20000 entries of 8 bytes"
        );
        let one_too_many = file(1, &header("<f8", "False", "(1, 1)"), &data([0.5, 0.5]));
        let wrong = NpyError::WrongLength { rows: 1, columns: 1, width: 8, got: 16 };
        assert_eq!(parse(&one_too_many), Err(wrong.into()));
    }

    #[test]
    fn trace_a_matrix_that_is_none() {
        let bytes = file(1, &header("<f8", "True", "(2, 2)"), &data([0.5, 0.25, 0.7, 0.5]));
        let error = MatrixError::Asymmetric { row: 0, column: 1, value: 0.7, mirrored: 0.25 };
        assert_eq!(parse(&bytes), Err(ParseMatrixError::Matrix { line: None, error }));
    }

    proptest! {
        #[test]
        fn law_files_broken_in_one_byte_never_panic(at in 0..140_usize, byte in any::<u8>()) {
            let mut bytes = file(1, &header("<f8", "False", "(2, 2)"), &data(ROWS.into_iter().flatten()));
            let length = bytes.len();
            bytes[at % length] = byte;
            let _ = parse(&bytes);
        }

        #[test]
        fn law_arbitrary_headers_never_panic(
            header in "[{}'()<f8a-z_:, 0-9LTrueFals]{0,80}",
            data in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let _ = parse(&file(2, &header, &data));
        }
    }
}
