//! The memory of a voter's browser: a cookie with the current duel and the two before it.
//!
//! Voters can change the cookie, so nothing relies on it. The log decides whether a vote may be
//! taken back or revealed.

use axum::http::{HeaderMap, HeaderValue};

use crate::app::cookie;
use crate::id::{DuelId, ExperimentId};
use crate::pages::visitor::set_cookie;

/// How long browsers keep the cookie: a month.
const SECONDS: u32 = 31 * 24 * 3600;

/// The content of the cookie.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Memory {
    /// The duel that is shown now.
    pub(super) current: Option<DuelId>,
    /// The duel answered last.
    pub(super) last: Option<DuelId>,
    /// The duel answered before the last one.
    pub(super) before: Option<DuelId>,
    /// The number of votes so far.
    pub(super) count: u64,
    /// A note for the next page.
    pub(super) note: Option<Note>,
}

/// A note that is shown once, on the next page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Note {
    Recorded,
    Skipped,
    Undone,
    /// It was too late to take the vote back.
    Stays,
    /// The pair had expired.
    Expired,
    /// The pair already has another answer.
    Answered,
    /// The pair does not exist, or it was voided.
    Gone,
    /// The server is overloaded or the store is unavailable.
    Busy,
}

const NOTES: [(Note, char); 8] = [
    (Note::Recorded, 'r'),
    (Note::Skipped, 's'),
    (Note::Undone, 'u'),
    (Note::Stays, 't'),
    (Note::Expired, 'e'),
    (Note::Answered, 'a'),
    (Note::Gone, 'g'),
    (Note::Busy, 'b'),
];

impl Memory {
    /// Reads the cookie, if the browser sends one.
    pub(super) fn brought(headers: &HeaderMap, experiment: ExperimentId) -> Option<Self> {
        Self::read(cookie(headers, &name(experiment))?, experiment)
    }

    /// The cookie to set.
    pub(super) fn cookie(&self, experiment: ExperimentId) -> HeaderValue {
        set_cookie(&name(experiment), &self.write(), SECONDS)
    }

    fn read(text: &str, experiment: ExperimentId) -> Option<Self> {
        let mut parts = text.split('.');
        let mut duel = || -> Option<Option<DuelId>> {
            let part = parts.next()?;
            if part.is_empty() {
                return Some(None);
            }
            Some(Some(part.parse().ok().filter(|duel: &DuelId| duel.experiment == experiment)?))
        };
        let (current, last, before) = (duel()?, duel()?, duel()?);
        let count = parts.next()?.parse::<u32>().ok()?.into();
        let note = parts.next()?.chars().next();
        let note = note.and_then(|letter| NOTES.iter().find(|(_, known)| *known == letter));
        Some(Self { current, last, before, count, note: note.map(|(note, _)| *note) })
    }

    fn write(&self) -> String {
        let duel = |duel: Option<DuelId>| duel.map(|duel| duel.to_string()).unwrap_or_default();
        let note = NOTES.iter().find(|(note, _)| Some(*note) == self.note);
        let note = note.map(|(_, letter)| letter.to_string()).unwrap_or_default();
        let Self { current, last, before, count, .. } = *self;
        format!("{}.{}.{}.{count}.{note}", duel(current), duel(last), duel(before))
    }

    /// Records that a duel was answered, so there is no current duel.
    pub(super) fn answered(&mut self, duel: DuelId, is_vote: bool) {
        self.before = self.last;
        self.last = Some(duel);
        self.current = None;
        self.count += u64::from(is_vote);
    }
}

fn name(experiment: ExperimentId) -> String {
    format!("tiltyard_booth_{experiment}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_what_is_written_is_read() {
        let experiment = ExperimentId::from_random(1 << 40);
        let duel = |seq| DuelId { experiment, seq, token: 7 };
        let mut memory = Memory { current: Some(duel(2)), ..Memory::default() };
        assert_eq!(Memory::read(&memory.write(), experiment), Some(memory.clone()));
        memory.answered(duel(2), true);
        memory.note = Some(Note::Recorded);
        assert_eq!((memory.last, memory.count), (Some(duel(2)), 1));
        assert_eq!(Memory::read(&memory.write(), experiment), Some(memory.clone()));
        let other = ExperimentId::from_random(1 << 50);
        assert_eq!(Memory::read(&memory.write(), other), None, "duels of another experiment");
        for bad in ["", "....", "x..0.r", "...-1.r", "...99999999999999.", "...0"] {
            assert_eq!(Memory::read(bad, experiment), None, "{bad}");
        }
        assert_eq!(Memory::read("...0.?", experiment), Some(Memory::default()));
    }
}
