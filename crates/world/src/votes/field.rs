//! The fields of a vote: their names and their values.

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

/// Names of columns in lower case, with their meanings: our names first, then those of Chatbot
/// Arena.
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

/// The verdict of a vote, or `None` if the person declined to answer.
pub(super) type VoteOrSkip = Option<Verdict>;

/// Reads an outcome: a score, or a word of ours, of Chatbot Arena's tables or of FastChat's log, in
/// upper or lower case.
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

/// Reads a score. The scores 1, -1 and 0 become the verdicts left, right and tie.
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

/// Reads the probability of a pair that was drawn. The lower limit is the same as for tickets.
pub(super) fn propensity(value: f64) -> Option<f64> {
    (1e-100..=1.0).contains(&value).then_some(value)
}

/// Reads the name of an arm: text without control characters and without surrounding white space.
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

/// The field for a message, shortened and without control characters. Binary data must not fill the
/// screen.
pub(super) fn excerpt(bytes: &[u8]) -> Cow<'_, str> {
    cut_short(bytes, 40)
}

/// At most `longest` characters.
pub(super) fn cut_short(bytes: &[u8], longest: usize) -> Cow<'_, str> {
    // Enough bytes for so many characters. The rest of a long field is never decoded.
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
