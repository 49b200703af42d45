//! The clicked positions of a list.

/// A set of positions, counted from 0. Clicking a position twice counts once.
///
/// The first 64 positions need no memory of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clicks {
    first: u64,
    /// Positions from 64 on, 64 per word, without empty words at the end.
    rest: Vec<u64>,
}

impl Clicks {
    /// No clicks.
    pub const fn new() -> Self {
        Self { first: 0, rest: Vec::new() }
    }

    /// Clicks from outside on a list of `length` documents.
    ///
    /// # Errors
    ///
    /// If a position is not in the list.
    pub fn at(positions: impl IntoIterator<Item = usize>, length: usize) -> Result<Self, ClickOutside> {
        let mut clicks = Self::new();
        for position in positions {
            if position >= length {
                return Err(ClickOutside { position, length });
            }
            clicks.insert(position);
        }
        Ok(clicks)
    }

    /// Removes all clicks and keeps the memory.
    pub fn clear(&mut self) {
        self.first = 0;
        self.rest.clear();
    }

    /// Adds a click. The memory has one bit for each position up to the last click, so check
    /// positions from outside with [`Self::at`].
    pub fn insert(&mut self, position: usize) {
        let bit = 1 << (position % 64);
        match (position / 64).checked_sub(1) {
            None => self.first |= bit,
            Some(word) => {
                if word >= self.rest.len() {
                    self.rest.resize(word + 1, 0);
                }
                self.rest[word] |= bit;
            }
        }
    }

    /// Whether a position was clicked.
    pub fn contains(&self, position: usize) -> bool {
        let word = match (position / 64).checked_sub(1) {
            None => self.first,
            Some(word) => self.rest.get(word).copied().unwrap_or(0),
        };
        word >> (position % 64) & 1 == 1
    }

    /// The number of clicked positions.
    pub fn count(&self) -> usize {
        (self.first.count_ones() + self.rest.iter().map(|word| word.count_ones()).sum::<u32>()) as usize
    }

    /// Whether nothing was clicked.
    pub fn is_empty(&self) -> bool {
        self.first == 0 && self.rest.is_empty()
    }

    /// The lowest clicked position on the page, which is the largest number.
    pub fn last(&self) -> Option<usize> {
        match self.rest.last() {
            Some(word) => Some(64 * self.rest.len() + word.ilog2() as usize),
            None => self.first.checked_ilog2().map(|bit| bit as usize),
        }
    }

    /// The clicked positions, from the top of the list down.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        core::iter::once(self.first).chain(self.rest.iter().copied()).enumerate().flat_map(|(i, mut word)| {
            core::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
                word &= word - 1;
                Some(64 * i + bit)
            })
        })
    }
}

/// A click outside the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a click at position {position}, but the list has {length} documents, counted from 0")]
#[expect(missing_docs, reason = "the names say it")]
pub struct ClickOutside {
    pub position: usize,
    pub length: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn trace_clicks() {
        let mut clicks = Clicks::at([3, 0, 3], 4).unwrap();
        assert_eq!(clicks.iter().collect::<Vec<_>>(), [0, 3]);
        assert_eq!((clicks.count(), clicks.last()), (2, Some(3)));
        clicks.insert(64);
        clicks.insert(200);
        assert_eq!(clicks.iter().collect::<Vec<_>>(), [0, 3, 64, 200]);
        clicks.clear();
        assert_eq!(clicks, Clicks::new());
        assert_eq!(Clicks::at([1, 4], 4), Err(ClickOutside { position: 4, length: 4 }));
    }

    proptest! {
        #[test]
        fn law_clicks_are_a_set(positions in prop::collection::vec(0_usize..300, 0..40), probe in 0_usize..400) {
            let set: BTreeSet<usize> = positions.iter().copied().collect();
            let clicks = Clicks::at(positions, 300).unwrap();
            prop_assert_eq!(clicks.iter().collect::<Vec<_>>(), set.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(clicks.count(), set.len());
            prop_assert_eq!(clicks.is_empty(), set.is_empty());
            prop_assert_eq!(clicks.last(), set.last().copied());
            prop_assert_eq!(clicks.contains(probe), set.contains(&probe));
        }
    }
}
