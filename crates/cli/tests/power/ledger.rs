//! The ledger: everything that clients asked and the server answered, with the time of each.
//!
//! Times are lengths of the journal. An answer that arrived when the journal had a length L must
//! survive any loss of power at or after L. A request that was sent at L can have no effect before.

use std::collections::BTreeMap;

/// The state of a duel that can be read or found in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DuelState {
    pub(crate) answer: Option<&'static str>,
    pub(crate) is_voided: bool,
}

impl DuelState {
    pub(crate) const OPEN: Self = Self { answer: None, is_voided: false };
}

impl core::fmt::Display for DuelState {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match (self.answer, self.is_voided) {
            (None, false) => f.write_str("open"),
            (None, true) => f.write_str("voided without an answer"),
            (Some(word), false) => write!(f, "answered with `{word}`"),
            (Some(word), true) => write!(f, "voided after the answer `{word}`"),
        }
    }
}

/// One line of a duel's story.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    /// A client sends an answer.
    Answers(&'static str),
    /// The server acknowledged the answer.
    Accepted(&'static str),
    /// The server refused an answer because the duel has another one or is voided.
    Refused(&'static str),
    /// The server failed (503), or the connection broke.
    Failed,
    /// A client voids the duel.
    Voids,
    /// The server acknowledged that the duel is voided.
    Voided,
    /// The server was asked for the duel, and it was open.
    ReadOpen,
    ReadAnswered(&'static str),
    ReadVoided,
}

impl core::fmt::Display for Line {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Answers(word) => write!(f, "a client answers `{word}`"),
            Self::Accepted(word) => write!(f, "the server accepts `{word}`"),
            Self::Refused(word) => write!(f, "the server refuses `{word}` as a contradiction"),
            Self::Failed => f.write_str("the server reports that it failed, or does not answer"),
            Self::Voids => f.write_str("a client voids the duel"),
            Self::Voided => f.write_str("the server confirms that it voided the duel"),
            Self::ReadOpen => f.write_str("the server says that the duel is open"),
            Self::ReadAnswered(word) => write!(f, "the server says that the duel was answered `{word}`"),
            Self::ReadVoided => f.write_str("the server says that the duel is voided"),
        }
    }
}

/// A duel that the server issued.
#[derive(Debug)]
pub(crate) struct Issued {
    /// When the duel arrived.
    pub(crate) at: u64,
    pub(crate) propensity: Option<f64>,
    pub(crate) lines: Vec<(u64, Line)>,
}

impl Issued {
    /// The states that the duel may be in after a loss of power at this time. None is possible if
    /// the server contradicted itself.
    pub(crate) fn possible(&self, cut: u64) -> Vec<DuelState> {
        let mut states = vec![DuelState::OPEN];
        for (_, line) in self.lines.iter().filter(|(at, _)| *at <= cut) {
            let mut more = Vec::new();
            match *line {
                Line::Answers(word) => {
                    if states.contains(&DuelState::OPEN) {
                        more.push(DuelState { answer: Some(word), is_voided: false });
                    }
                }
                Line::Voids => {
                    more.extend(states.iter().map(|state| DuelState { is_voided: true, ..*state }));
                }
                Line::Accepted(word) | Line::ReadAnswered(word) => {
                    states.retain(|state| state.answer == Some(word) && !state.is_voided);
                }
                Line::Refused(word) => {
                    let differs = |state: &DuelState| state.answer.is_some_and(|answer| answer != word);
                    states.retain(|state| state.is_voided || differs(state));
                }
                Line::ReadOpen => states.retain(|state| *state == DuelState::OPEN),
                Line::Voided | Line::ReadVoided => states.retain(|state| state.is_voided),
                Line::Failed => {}
            }
            for state in more {
                if !states.contains(&state) {
                    states.push(state);
                }
            }
        }
        states
    }
}

/// A record of the log, as the server showed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) kind: String,
    pub(crate) at: String,
    pub(crate) duel: Option<u64>,
}

/// All that one client knows.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) duels: BTreeMap<String, Issued>,
    /// Records of logs that the server showed, by experiment and log position, with the time.
    pub(crate) history: BTreeMap<(String, u64), (u64, Shown)>,
    /// Experiments that the server created, with the time.
    pub(crate) experiments: BTreeMap<String, u64>,
    /// When the server announced its first key.
    pub(crate) key: Option<u64>,
}

impl Ledger {
    /// The times of all answers of the server after this time.
    pub(crate) fn answers_after(&self, time: u64) -> impl Iterator<Item = u64> {
        let is_answer = |line: &Line| !matches!(line, Line::Answers(_) | Line::Voids | Line::Failed);
        self.duels
            .values()
            .flat_map(move |duel| {
                let lines = duel.lines.iter().filter(move |(_, line)| is_answer(line));
                lines.map(|(at, _)| *at).chain([duel.at])
            })
            .filter(move |at| *at > time)
    }

    /// The times after this time at which the server said what had become of a failed request.
    pub(crate) fn surprises_after(&self, time: u64) -> impl Iterator<Item = u64> {
        let pairs = self.duels.values().flat_map(|duel| duel.lines.windows(2));
        let told = pairs.filter(|pair| pair[0].1 == Line::Failed && pair[1].1 != Line::Failed);
        told.map(|pair| pair[1].0).filter(move |at| *at > time)
    }

    /// The number of acknowledged duels, answers and voids, and of reads.
    pub(crate) fn counts(&self) -> [usize; 4] {
        let count = |is: fn(&Line) -> bool| {
            self.duels.values().flat_map(|duel| &duel.lines).filter(|(_, line)| is(line)).count()
        };
        [
            self.duels.len(),
            count(|line| matches!(line, Line::Accepted(_))),
            count(|line| matches!(line, Line::Voided)),
            count(|line| matches!(line, Line::ReadOpen | Line::ReadAnswered(_) | Line::ReadVoided)),
        ]
    }
}
