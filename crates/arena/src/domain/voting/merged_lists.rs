//! Merged lists, in the log and in the state, and the counts of rankers that met themselves (A/A).
//!
//! The state holds only the lists of duels in flight. Later clicks are answered from the log.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tiltyard_bandit::Outcome;
use tiltyard_interleave::Merged;

use crate::domain::{Issued, Refusal, add};

/// The most memory that the merged lists in flight take, in bytes. A list of ten documents takes
/// about 1100 bytes, so there is room for some more duels than an experiment has in flight by
/// default.
const LARGEST: usize = 128 << 20;

/// The lists of a duel's rankers were merged. The left list belongs to the ranker shown on the
/// left.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interleaved {
    pub duel: u64,
    /// The method, as `name:key=value`.
    pub method: String,
    /// The most documents in the merged list.
    pub length: u32,
    /// The merged list, with the credit for clicks on it.
    pub list: Merged<String>,
    /// Whether it is one ranker's own list: both arms are the same, and clicks say nothing about
    /// any ranker.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub alone: bool,
    /// A fingerprint of the two lists, to distinguish a repeated request from another one.
    pub of: String,
}

/// How to merge lists; `None` means the default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeOptions {
    /// The method, as `name:key=value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The most documents in the merged list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u32>,
}

impl MergeOptions {
    /// Whether no option is given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These options, completed by earlier ones.
    pub(crate) fn or(&self, before: Self) -> Self {
        Self { method: self.method.clone().or(before.method), length: self.length.or(before.length) }
    }
}

/// The results of rankers against themselves. If one side wins more often than chance allows, the
/// merging or the logging of clicks is not fair.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AaCounts {
    /// The left side earned more credit.
    pub left: u64,
    /// The right side earned more credit.
    pub right: u64,
    /// Both sides earned the same credit.
    pub ties: u64,
}

/// The state of interleaving in an experiment.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Saved")]
pub(crate) struct MergedLists {
    /// The options of duels whose lists have not come yet.
    #[serde(rename = "wishes", skip_serializing_if = "BTreeMap::is_empty")]
    options: BTreeMap<u64, MergeOptions>,
    /// The merged lists of duels in flight; shared with snapshots being taken.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    merged: BTreeMap<u64, Arc<Interleaved>>,
    aa: AaCounts,
    /// Whether there ever was a duel of rankers.
    used: bool,
    /// The memory that the merged lists take.
    #[serde(skip)]
    bytes: usize,
}

/// The fields that are stored. The rest is derived from them.
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

    /// The results of rankers against themselves.
    pub(crate) fn aa(&self) -> AaCounts {
        self.aa
    }

    /// The options that were given for a duel in flight.
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

    /// Folds the issue of a duel.
    pub(crate) fn issued(&mut self, duel: u64, issued: &Issued) {
        if let Some(options) = &issued.options {
            self.used = true;
            self.options.insert(duel, options.clone());
        }
    }

    /// Folds a merged list.
    pub(crate) fn merged(&mut self, event: &Arc<Interleaved>) {
        self.used = true;
        self.options.remove(&event.duel);
        self.bytes += size(event);
        if let Some(before) = self.merged.insert(event.duel, Arc::clone(event)) {
            self.bytes -= size(&before);
        }
    }

    /// Forgets a duel that is no longer in flight.
    pub(crate) fn forget(&mut self, duel: u64) {
        self.options.remove(&duel);
        if let Some(event) = self.merged.remove(&duel) {
            self.bytes -= size(&event);
        }
    }

    /// Counts the outcome of a ranker against itself (+1), or takes it back (-1).
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

/// The approximate size of a merged list, in bytes.
fn size(event: &Interleaved) -> usize {
    // A text, two numbers, and the cost of allocations.
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
        // Each list takes 256 bytes, and 64 bytes plus the text for each of its two documents.
        assert_eq!(state.bytes, 2 * (256 + 64 + 1 + 64 + 2));
        let text = serde_json::to_string(&state).expect("plain data");
        let restored: MergedLists = serde_json::from_str(&text).expect("it was just written");
        assert_eq!((restored.bytes, restored.merged), (state.bytes, state.merged.clone()));
        for duel in [3, 4, 5] {
            state.forget(duel);
        }
        assert_eq!((state.bytes, state.merged.len()), (0, 0));
        // The state remembers that there were rankers.
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
