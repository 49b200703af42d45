//! Counts of duels and wins.

use serde::{Deserialize, Serialize};

use crate::Outcome;
use crate::damaged::Damaged;

/// The number of duels of one arm in one role, and the number of its wins. Saved as a pair of
/// numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "(u64, u64)", try_from = "(u64, u64)")]
pub(crate) struct WinCount {
    pub(crate) duels: u64,
    pub(crate) wins: u64,
}

impl WinCount {
    /// More duels than any run has. A count up to this limit is so far from overflow that it cannot
    /// overflow later.
    pub(crate) const MOST: u64 = 1 << 62;

    /// Counts a duel. The outcome is from the viewpoint of this arm.
    #[inline]
    pub(crate) fn add(&mut self, outcome: Outcome) {
        self.duels += 1;
        self.wins += u64::from(outcome > Outcome::TIE);
    }

    /// Wins divided by duels; 1/2 without duels.
    #[inline]
    pub(crate) fn share(self) -> f64 {
        if self.duels == 0 { 0.5 } else { self.wins as f64 / self.duels as f64 }
    }

    /// Wins minus losses.
    #[inline]
    pub(crate) fn lead(self) -> f64 {
        let losses = self.duels - self.wins;
        self.wins as f64 - losses as f64
    }
}

impl From<WinCount> for (u64, u64) {
    fn from(WinCount { duels, wins }: WinCount) -> Self {
        (duels, wins)
    }
}

impl TryFrom<(u64, u64)> for WinCount {
    type Error = Damaged;

    fn try_from((duels, wins): (u64, u64)) -> Result<Self, Damaged> {
        if wins <= duels && duels <= Self::MOST {
            Ok(Self { duels, wins })
        } else {
            Err(Damaged("a count of duels and wins is impossible"))
        }
    }
}
