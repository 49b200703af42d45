//! A file as a stream of lines, decompressed if necessary.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use super::error::{LineError, ReadCollectionError};
use super::letor::MAX_LINE;

/// Large enough that system calls cost little compared with parsing.
const BUFFER: usize = 1 << 17;

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Spreadsheets and some editors write this mark before UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads lines and counts them. It holds one line at a time.
pub(super) struct Source {
    name: String,
    reader: Box<dyn BufRead + Send>,
    compressed: bool,
    line: Vec<u8>,
    number: u64,
}

impl Source {
    /// Opens a file. It adds the number of bytes read, before decompression, to `taken`.
    pub(super) fn open(path: &Path, taken: Arc<AtomicU64>) -> Result<Self, ReadCollectionError> {
        let name = path.display().to_string();
        let unreadable = |source| ReadCollectionError::Unreadable { file: name.clone(), source };
        let file = File::open(path).map_err(unreadable)?;
        Self::new(&name, BufReader::with_capacity(BUFFER, Counted { file, taken }))
    }

    /// Reads from any reader. Messages use `name` for the file.
    pub(super) fn new(
        name: &str,
        mut reader: impl BufRead + Send + 'static,
    ) -> Result<Self, ReadCollectionError> {
        let mut start = Vec::with_capacity(GZIP.len());
        reader
            .by_ref()
            .take(GZIP.len() as u64)
            .read_to_end(&mut start)
            .map_err(|source| ReadCollectionError::Unreadable { file: name.to_owned(), source })?;
        let compressed = start == GZIP;
        let reader = Cursor::new(start).chain(reader);
        let reader: Box<dyn BufRead + Send> = if compressed {
            Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(reader)))
        } else {
            Box::new(reader)
        };
        Ok(Self { name: name.to_owned(), reader, compressed, line: Vec::new(), number: 0 })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The current line, without its end.
    pub(super) fn line(&self) -> &[u8] {
        &self.line
    }

    /// The number of the current line, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Reads the next line and returns whether there was one.
    pub(super) fn advance(&mut self) -> Result<bool, ReadCollectionError> {
        self.line.clear();
        // Two more bytes for the end of the line, to distinguish a line that just fits from one
        // that is too long.
        let mut limited = self.reader.by_ref().take(MAX_LINE as u64 + 2);
        let taken = limited.read_until(b'\n', &mut self.line).map_err(|source| self.failed(source))?;
        if taken == 0 {
            return Ok(false);
        }
        self.number += 1;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        }
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        if self.line.len() > MAX_LINE {
            return Err(self.wrong(LineError::TooLong));
        }
        if self.number == 1 && self.line.starts_with(BYTE_ORDER_MARK) {
            self.line.drain(..BYTE_ORDER_MARK.len());
        }
        Ok(true)
    }

    /// An error in the current line.
    pub(super) fn wrong(&self, error: LineError) -> ReadCollectionError {
        ReadCollectionError::Line { file: self.name.clone(), line: self.number, error }
    }

    fn failed(&self, source: io::Error) -> ReadCollectionError {
        let file = self.name.clone();
        // The decoder reports damaged data with these kinds. Other kinds are errors of the file
        // itself.
        let damaged = matches!(
            source.kind(),
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
        );
        if self.compressed && damaged {
            ReadCollectionError::Compression { file, line: self.number, source }
        } else {
            ReadCollectionError::Unreadable { file, source }
        }
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

/// A file that counts the bytes read from it.
struct Counted {
    file: File,
    taken: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let taken = self.file.read(buffer)?;
        self.taken.fetch_add(taken as u64, Ordering::Relaxed);
        Ok(taken)
    }
}
