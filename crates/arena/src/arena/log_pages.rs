//! Exports a log with the bytes that its hashes cover, page by page, so that anyone can check it.

use super::{Arena, ArenaError};
use crate::domain::Head;
use crate::id::ExperimentId;
use crate::upkeep::LogLine;

/// The number of bytes after which a page ends.
const LENGTH: usize = 1 << 16;

/// A position in the export of a log. The export ends where the log was durable when it began.
#[derive(Debug)]
pub struct LogPages {
    id: ExperimentId,
    /// The last log position that has been read.
    at: u64,
    end: End,
}

/// The last line of an export.
#[derive(Debug, Clone)]
enum End {
    Head(Head),
    /// The log is damaged after this many records.
    Damage(u64, String),
    /// The last line was written.
    Done,
}

impl Arena {
    /// Begins the export of a log. A damaged log is exported as far as it is sound, and its last
    /// line names the damage.
    ///
    /// # Errors
    ///
    /// If the experiment does not exist.
    pub fn export_log(&self, id: ExperimentId) -> Result<LogPages, ArenaError> {
        let end = match self.live(id) {
            Ok(live) => End::Head(live.head()),
            Err(ArenaError::Damaged { sound, text, .. }) => End::Damage(sound, text),
            Err(error) => return Err(error),
        };
        Ok(LogPages { id, at: 0, end })
    }

    /// Appends the next lines of an export to a text. Nothing is appended at its end.
    ///
    /// # Errors
    ///
    /// If the log cannot be read.
    pub fn next_log_lines(&self, pages: &mut LogPages, text: &mut String) -> Result<(), ArenaError> {
        let (last, line) = match &pages.end {
            End::Head(head) => (head.seq, LogLine::head(*head)),
            End::Damage(sound, damage) => (*sound, LogLine::Damage { damage: damage.clone() }),
            End::Done => return Ok(()),
        };
        let mut add = |line: &LogLine| {
            *text += &serde_json::to_string(line).expect("a line is plain data");
            text.push('\n');
            text.len()
        };
        if pages.at < last {
            let read = self.store.read_stored(pages.id, pages.at, &mut |stored| {
                pages.at = stored.seq;
                add(&LogLine::record(stored)) < LENGTH && stored.seq < last
            });
            self.noticed(read)?;
        } else {
            add(&line);
            pages.end = End::Done;
        }
        Ok(())
    }
}
