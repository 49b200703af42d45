//! Merged lists: what the log and the state know of them, and what is counted of rankers that met
//! themselves.
//!
//! The state holds the lists of duels in flight and nothing of others: whoever clicks later is
//! answered from the log.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tiltyard_bandit::Outcome;
use tiltyard_interleave::Merged;

use crate::domain::{Issued, Refusal, add};

/// The most room that the merged lists in flight take in memory, in bytes. A list of ten documents
/// takes about 1100: that is room for some more duels than an experiment has in flight by default.
const LARGEST: usize = 128 << 20;

/// The lists of a duel's rankers were merged. Left is what the duel shows on the left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interleaved {
    /// Which duel.
    pub duel: u64,
    /// How, as `name:key=value`.
    pub method: String,
    /// How long the merged list may be.
    pub length: u32,
    /// The merged list, with what clicks on it are worth.
    pub list: Merged<String>,
    /// Whether it is one ranker's own list: both arms are the same, and clicks say nothing about
    /// anybody.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub alone: bool,
    /// A fingerprint of the lists that it was merged of, to tell a repeated request from another
    /// one.
    pub of: String,
}

/// How lists are to be merged; what is left out has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeOptions {
    /// The method, as `name:key=value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// How long the merged list may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
}

impl MergeOptions {
    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is said here, and else what was said before.
    pub(crate) fn or(&self, before: Self) -> Self {
        Self { method: self.method.clone().or(before.method), length: self.length.or(before.length) }
    }
}

/// How rankers fared against themselves. More of one side than chance gives means that the merging,
/// or the logging of clicks, is not fair.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AaCounts {
    /// The left one earned more.
    pub left: u64,
    /// The right one earned more.
    pub right: u64,
    /// Both earned the same.
    pub ties: u64,
}

/// What an experiment knows of interleaving.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Saved")]
pub(crate) struct MergedLists {
    /// What was wished for duels whose lists did not come yet.
    #[serde(rename = "wishes", skip_serializing_if = "BTreeMap::is_empty")]
    options: BTreeMap<u64, MergeOptions>,
    /// The merged lists of duels in flight; shared with snapshots being taken.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    merged: BTreeMap<u64, Arc<Interleaved>>,
    aa: AaCounts,
    /// Whether there ever was a duel of rankers.
    used: bool,
    /// The room that those lists take.
    #[serde(skip)]
    bytes: usize,
}

/// What is kept; the rest follows from it.
#[derive(Deserialize)]
struct Saved {
    #[serde(rename = "wishes", default)]
    options: BTreeMap<u64, MergeOptions>,
    #[serde(default)]
    merged: BTreeMap<u64, Arc<Interleaved>>,
    aa: AaCounts,
    used: bool,
}

impl From<Saved> for MergedLists {
    fn from(Saved { options, merged, aa, used }: Saved) -> Self {
        let bytes = merged.values().map(|event| size(event)).sum();
        Self { options, merged, aa, used, bytes }
    }
}

impl MergedLists {
    /// Whether there never was a duel of rankers.
    pub(crate) fn is_empty(&self) -> bool {
        !self.used
    }

    /// How rankers fared against themselves.
    pub(crate) fn aa(&self) -> AaCounts {
        self.aa
    }

    /// What was wished for a duel in flight.
    pub(crate) fn options(&self, duel: u64) -> MergeOptions {
        self.options.get(&duel).cloned().unwrap_or_default()
    }

    /// The merged list of a duel in flight.
    pub(crate) fn of(&self, duel: u64) -> Option<&Arc<Interleaved>> {
        self.merged.get(&duel)
    }

    pub(crate) fn check_room(&self) -> Result<(), Refusal> {
        let bytes = self.bytes;
        if bytes < LARGEST { Ok(()) } else { Err(Refusal::ListsTooLarge { bytes, most: LARGEST }) }
    }

    /// Folds the issue of a duel in.
    pub(crate) fn issued(&mut self, duel: u64, issued: &Issued) {
        if let Some(options) = &issued.options {
            self.used = true;
            self.options.insert(duel, options.clone());
        }
    }

    /// Folds a merged list in.
    pub(crate) fn merged(&mut self, event: &Arc<Interleaved>) {
        self.used = true;
        self.options.remove(&event.duel);
        self.bytes += size(event);
        if let Some(before) = self.merged.insert(event.duel, Arc::clone(event)) {
            self.bytes -= size(&before);
        }
    }

    /// A duel is no longer in flight.
    pub(crate) fn forget(&mut self, duel: u64) {
        self.options.remove(&duel);
        if let Some(event) = self.merged.remove(&duel) {
            self.bytes -= size(&event);
        }
    }

    /// Counts the outcome of a ranker against itself in, or out again.
    pub(crate) fn count_aa(&mut self, outcome: Outcome, by: i8) {
        let score = outcome.score();
        let count = if score > 0.0 {
            &mut self.aa.left
        } else if score < 0.0 {
            &mut self.aa.right
        } else {
            &mut self.aa.ties
        };
        add(count, by);
    }
}

/// About how many bytes a merged list takes.
fn size(event: &Interleaved) -> usize {
    // A text, two numbers, and what allocations cost.
    let each = 64;
    256 + event.list.documents().iter().map(|document| document.len() + each).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(duel: u64) -> Arc<Interleaved> {
        let list = r#"{"documents":["a","bc"],"stakes":{"shares":[[1.0,0.0],[0.0,1.0]]}}"#;
        let list = serde_json::from_str(list).expect("a list written by hand");
        let (method, of) = ("team-draft".to_owned(), "00".to_owned());
        Arc::new(Interleaved { duel, method, length: 2, list, alone: false, of })
    }

    #[test]
    fn trace_room_is_taken_and_given_back() {
        let mut state = MergedLists::default();
        state.merged(&event(3));
        state.merged(&event(3));
        state.merged(&event(4));
        // Each: 256, and 64 with 1 and 2 bytes of text.
        assert_eq!(state.bytes, 2 * (256 + 64 + 1 + 64 + 2));
        let text = serde_json::to_string(&state).expect("plain data");
        let restored: MergedLists = serde_json::from_str(&text).expect("it was just written");
        assert_eq!((restored.bytes, restored.merged), (state.bytes, state.merged.clone()));
        for duel in [3, 4, 5] {
            state.forget(duel);
        }
        assert_eq!((state.bytes, state.merged.len()), (0, 0));
        // That there were rankers is kept.
        assert!(!state.is_empty() && MergedLists::default().is_empty());
    }

    #[test]
    fn trace_no_room_is_said() {
        let state = MergedLists { bytes: LARGEST - 1, ..MergedLists::default() };
        assert_eq!(state.check_room(), Ok(()));
        let state = MergedLists { bytes: LARGEST, ..state };
        let refusal = Refusal::ListsTooLarge { bytes: LARGEST, most: LARGEST };
        assert_eq!(state.check_room(), Err(refusal));
    }
}
