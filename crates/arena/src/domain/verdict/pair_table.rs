//! The evidence about pairs, indexed by pair and by arm.
//!
//! Thousands of arms have millions of pairs, and a page shows the rivals of about fifty arms. These
//! must be found without a look at all pairs.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use tiltyard_bandit::Arm;

use crate::domain::PairEvidence;

/// The evidence about each pair that was compared or is being compared, from the viewpoint of the
/// arm with the lower index.
#[derive(Debug, Clone, Default)]
pub(crate) struct PairTable {
    pairs: Vec<PairEvidence>,
    /// Unused places in `pairs`.
    free: Vec<u32>,
    /// For each arm, the places of its pairs by the other arm.
    places: BTreeMap<Arm, BTreeMap<Arm, u32>>,
}

impl PairTable {
    pub(crate) fn len(&self) -> usize {
        self.pairs.len() - self.free.len()
    }

    fn place(&self, one: Arm, other: Arm) -> Option<usize> {
        Some(*self.places.get(&one)?.get(&other)? as usize)
    }

    pub(crate) fn get(&self, one: Arm, other: Arm) -> Option<&PairEvidence> {
        self.place(one, other).map(|place| &self.pairs[place])
    }

    /// The evidence about a pair. Inserts empty evidence for a pair that has none yet.
    pub(crate) fn entry(&mut self, one: Arm, other: Arm) -> &mut PairEvidence {
        let place = self.place(one, other).unwrap_or_else(|| {
            let place = self.free.pop().unwrap_or_else(|| {
                self.pairs.push(PairEvidence::default());
                u32::try_from(self.pairs.len() - 1).expect("2^32 pairs do not fit into memory")
            });
            self.places.entry(one).or_default().insert(other, place);
            self.places.entry(other).or_default().insert(one, place);
            place as usize
        });
        &mut self.pairs[place]
    }

    pub(crate) fn remove(&mut self, one: Arm, other: Arm) {
        let mut forget = |one: Arm, other: Arm| self.places.get_mut(&one)?.remove(&other);
        if let (Some(place), Some(_)) = (forget(one, other), forget(other, one)) {
            self.pairs[place as usize] = PairEvidence::default();
            self.free.push(place);
        }
    }

    /// All pairs in order, the lower index first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = ((Arm, Arm), &PairEvidence)> {
        self.places.iter().flat_map(move |(&one, places)| {
            let later = places.range(one..);
            later.map(move |(&other, &place)| ((one, other), &self.pairs[place as usize]))
        })
    }

    /// The pairs of an arm, in the order of the other arms. The evidence is still from the
    /// viewpoint of the lower index of the two.
    pub(crate) fn of(&self, arm: Arm) -> impl Iterator<Item = (Arm, &PairEvidence)> {
        let places = self.places.get(&arm).into_iter().flatten();
        places.map(|(&other, &place)| (other, &self.pairs[place as usize]))
    }
}

/// Equal if the pairs are equal, wherever they are stored.
impl PartialEq for PairTable {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

/// Serialized as a list, because keys in JSON cannot be pairs.
impl Serialize for PairTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl FromIterator<((Arm, Arm), PairEvidence)> for PairTable {
    fn from_iter<I: IntoIterator<Item = ((Arm, Arm), PairEvidence)>>(pairs: I) -> Self {
        let mut table = Self::default();
        for ((one, other), pair) in pairs {
            *table.entry(one, other) = pair;
        }
        table
    }
}
