//! The fields of a vote: what they are called, and what may stand in them.

use std::borrow::Cow;

use tiltyard_bandit::Outcome;

use super::{MAX_NAME, NameError, ParseVotesError, Verdict};

/// What a column means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Left,
    Right,
    Outcome,
    Weight,
    Time,
    Voter,
    Pscore,
}

/// Names of columns, in small letters, and what they mean: ours first, then those of Chatbot Arena.
const KNOWN: &[(&str, Field)] = &[
    ("left", Field::Left),
    ("model_a", Field::Left),
    ("right", Field::Right),
    ("model_b", Field::Right),
    ("outcome", Field::Outcome),
    ("winner", Field::Outcome),
    ("weight", Field::Weight),
    ("time", Field::Time),
    ("tstamp", Field::Time),
    ("timestamp", Field::Time),
    ("voter", Field::Voter),
    ("judge", Field::Voter),
    ("pscore", Field::Pscore),
];

impl Field {
    pub(super) fn of(column: &str) -> Option<Self> {
        let column = column.to_ascii_lowercase();
        KNOWN.iter().find(|(known, _)| *known == column).map(|&(_, field)| field)
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Outcome => "outcome",
            Self::Weight => "weight",
            Self::Time => "time",
            Self::Voter => "voter",
            Self::Pscore => "pscore",
        }
    }
}

/// What the outcome of a line can be: a vote, or a person who declined.
pub(super) type VoteOrSkip = Option<Verdict>;

/// Reads an outcome: a word of ours, of Chatbot Arena's tables or of FastChat's log, in capitals or
/// not, or a score.
pub(super) fn parse_verdict(text: &str) -> Option<VoteOrSkip> {
    Some(match text.to_ascii_lowercase().as_str() {
        "left" | "model_a" | "leftvote" => Some(Verdict::Left),
        "right" | "model_b" | "rightvote" => Some(Verdict::Right),
        "tie" | "tievote" => Some(Verdict::Tie),
        "both_bad" | "tie (bothbad)" | "bothbad" | "bothbad_vote" => Some(Verdict::BothBad),
        "skip" => None,
        number => Some(scored(number.parse().ok()?)?),
    })
}

/// Reads a score; the three that have a name get it.
pub(super) fn scored(score: f64) -> Option<Verdict> {
    let outcome = Outcome::new(score).ok()?;
    Some(match outcome {
        Outcome::WIN => Verdict::Left,
        Outcome::LOSS => Verdict::Right,
        Outcome::TIE => Verdict::Tie,
        outcome => Verdict::Score(outcome),
    })
}

/// Reads a weight. The limits keep sums of squares finite and above 0.
pub(super) fn weight(value: f64) -> Option<f64> {
    (1e-9..=1e9).contains(&value).then_some(value)
}

/// Reads a probability of something that was drawn. The limit is that of a ticket.
pub(super) fn propensity(value: f64) -> Option<f64> {
    (1e-100..=1.0).contains(&value).then_some(value)
}

/// A name of an arm: text without control characters, white space around it taken off.
pub(super) fn name(line: u64, field: Field, bytes: &[u8]) -> Result<&str, ParseVotesError> {
    let bytes = bytes.trim_ascii();
    let refuse = |reason| ParseVotesError::Name {
        line,
        field: field.name(),
        text: excerpt(bytes).into_owned(),
        reason,
    };
    if bytes.is_empty() {
        return Err(refuse(NameError::Empty));
    }
    if bytes.len() > MAX_NAME {
        return Err(refuse(NameError::Long));
    }
    let name = str::from_utf8(bytes).map_err(|_| refuse(NameError::NotText))?.trim();
    if name.is_empty() {
        return Err(refuse(NameError::Empty));
    }
    if name.contains(char::is_control) {
        return Err(refuse(NameError::Control));
    }
    Ok(name)
}

/// The field as a person can read it: what is not text at all must not fill the screen.
pub(super) fn excerpt(bytes: &[u8]) -> Cow<'_, str> {
    cut_short(bytes, 40)
}

/// At most that many characters.
pub(super) fn cut_short(bytes: &[u8], longest: usize) -> Cow<'_, str> {
    // Enough bytes for that many characters, so that a long field costs nothing.
    let head = &bytes[..bytes.len().min(4 * longest + 4)];
    let text = String::from_utf8_lossy(head);
    let is_short = text.chars().nth(longest).is_none();
    if is_short && !text.contains(char::is_control) {
        return text;
    }
    let readable = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let mut excerpt: String = text.chars().take(longest).map(readable).collect();
    if !is_short {
        excerpt.push_str("...");
    }
    Cow::Owned(excerpt)
}
