//! Arms: the things to compare.

use core::fmt;

use serde::{Deserialize, Serialize};

/// One of the K things to compare, identified by its index, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Arm(u32);

impl Arm {
    /// The arm with this index.
    ///
    /// # Panics
    ///
    /// If `index` is 2^32 or more. No table of arms is that long.
    #[inline]
    pub fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("an arm's index is below 2^32"))
    }

    /// Its index, for tables with one row per arm.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Arms 0, 1, ..., `n_arms` - 1.
    pub fn all(n_arms: usize) -> impl ExactSizeIterator<Item = Self> + Clone {
        (0..n_arms).map(Self::new)
    }
}

impl fmt::Display for Arm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
