//! Duels, and how many of them were won.

use serde::{Deserialize, Serialize};

use crate::Outcome;
use crate::damaged::Damaged;

/// The duels of one arm in one role, and how many of them it won. Saved as a pair of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "(u64, u64)", try_from = "(u64, u64)")]
pub(crate) struct WinCount {
    pub(crate) duels: u64,
    pub(crate) wins: u64,
}

impl WinCount {
    /// More duels than any run has, far enough from overflow that a damaged count cannot reach it.
    pub(crate) const MOST: u64 = 1 << 62;

    /// Counts a duel of which the outcome is told from this arm's side.
    #[inline]
    pub(crate) fn add(&mut self, outcome: Outcome) {
        self.duels += 1;
        self.wins += u64::from(outcome > Outcome::TIE);
    }

    /// Wins over duels; 1/2 without any.
    #[inline]
    pub(crate) fn share(self) -> f64 {
        if self.duels == 0 { 0.5 } else { self.wins as f64 / self.duels as f64 }
    }

    /// Wins less losses.
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
            Err(Damaged("a count of duels and wins that cannot be"))
        }
    }
}
