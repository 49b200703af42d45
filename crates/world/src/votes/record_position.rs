//! A reader that stops at a record that is too long.

use std::cell::Cell;
use std::io::{self, Read};

use super::MAX_RECORD;

/// The position within a record. The reader advances it, and the parser resets it after each
/// record.
#[derive(Debug)]
pub(super) struct RecordPosition {
    used: Cell<usize>,
    line: Cell<u64>,
    /// The line of the record's first brace.
    start: Cell<Option<u64>>,
}

impl RecordPosition {
    pub(super) const fn new() -> Self {
        Self { used: Cell::new(0), line: Cell::new(1), start: Cell::new(None) }
    }

    /// Starts the next record.
    pub(super) fn reset(&self) {
        self.used.set(0);
        self.start.set(None);
    }

    /// The line on which the record begins.
    pub(super) fn line(&self) -> u64 {
        self.start.get().unwrap_or(self.line.get())
    }

    /// Whether the record is too long.
    pub(super) fn is_over(&self) -> bool {
        self.used.get() >= MAX_RECORD
    }
}

/// Reads one byte at a time, as the JSON parser does anyway, so that positions are exact.
#[derive(Debug)]
pub(super) struct PositionReader<'a, R> {
    pub(super) reader: R,
    pub(super) position: &'a RecordPosition,
}

impl<R: Read> Read for PositionReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(slot) = buffer.first_mut() else { return Ok(0) };
        let RecordPosition { used, line, start } = self.position;
        if self.position.is_over() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let n = self.reader.read(core::slice::from_mut(slot))?;
        if n == 1 {
            used.set(used.get() + 1);
            match *slot {
                b'\n' => line.set(line.get() + 1),
                b'{' if start.get().is_none() => start.set(Some(line.get())),
                _ => {}
            }
        }
        Ok(n)
    }
}
