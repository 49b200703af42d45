//! The arms of an experiment.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::Refusal;

/// Longer names are refused, because every response contains them.
const LONGEST_NAME: usize = 200;

/// Longer labels are refused.
const LONGEST_LABEL: usize = 1000;

/// Larger payloads (in bytes) are refused: publish a large page and give its address instead.
const LARGEST_PAYLOAD: usize = 64 * 1024;

/// The description of an arm, as the caller gives it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewArm {
    /// Its name in the API. No two arms of an experiment have the same name.
    pub name: String,
    /// The text that people see instead of the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Data that the caller needs to show the arm. It is returned with each duel, and the domain
    /// never interprets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
}

impl NewArm {
    /// An arm with only a name.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), label: None, payload: None }
    }

    /// The arm as it is read back from the log, where a payload of null means no payload.
    pub(crate) fn into_logged(mut self) -> Self {
        self.payload = self.payload.filter(|payload| !payload.is_null());
        self
    }

    /// The length of its payload as JSON text.
    pub(crate) fn payload_length(&self) -> usize {
        self.payload.as_ref().map_or(0, |payload| payload.to_string().len())
    }

    pub(crate) fn check(&self) -> Result<(), Refusal> {
        let text = |what, text: &str, longest: usize| {
            if text.trim().is_empty() {
                return Err(Refusal::Blank { what });
            }
            if text.chars().any(char::is_control) {
                return Err(Refusal::ControlCharacter { what });
            }
            let length = text.chars().count();
            if length > longest { Err(Refusal::TooLong { what, length, longest }) } else { Ok(()) }
        };
        text("an arm's name", &self.name, LONGEST_NAME)?;
        if let Some(label) = &self.label {
            text("an arm's label", label, LONGEST_LABEL)?;
        }
        let length = self.payload_length();
        if length > LARGEST_PAYLOAD {
            return Err(Refusal::TooLong { what: "an arm's payload", length, longest: LARGEST_PAYLOAD });
        }
        Ok(())
    }
}

/// An arm of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmEntry {
    /// The description. Shared, so that a snapshot of many arms is taken quickly.
    pub arm: Arc<NewArm>,
    /// Whether it is no longer proposed.
    pub retired: bool,
    /// Counts of its duels and votes.
    pub counts: ArmCounts,
}

impl ArmEntry {
    pub(crate) fn new(arm: NewArm) -> Self {
        Self { arm: Arc::new(arm), retired: false, counts: ArmCounts::default() }
    }
}

/// Counts of the duels and votes of an arm. A duel of an arm with itself counts once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArmCounts {
    /// Duels issued.
    pub duels: u64,
    /// Duels in flight.
    pub in_flight: u64,
    /// Votes for this arm.
    pub wins: u64,
    /// Votes for the other arm.
    pub losses: u64,
    /// Votes that both arms are equally good.
    pub ties: u64,
    /// Votes that both arms are equally bad.
    pub both_bad: u64,
    /// Graded answers that are neither win, loss nor tie.
    pub graded: u64,
    /// Duels of the arm with itself that were answered.
    pub self_duels: u64,
    /// Duels that were skipped.
    pub skipped: u64,
    /// Duels that were voided.
    pub voided: u64,
    /// Duels that expired without an answer.
    pub unanswered: u64,
    /// Duels that expired without being shown, if the setting `activation` is `shown`.
    pub never_shown: u64,
}
