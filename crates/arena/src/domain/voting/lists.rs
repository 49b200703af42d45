//! The lists of rankers, and how two of them are merged into one.

use std::collections::BTreeMap;

use rand::Rng;
use sha2::{Digest as _, Sha256};
use tiltyard_interleave::{Interleaving, Merged, Merger};

use crate::domain::{MergeOptions, Refusal, check_name};

/// The most lists in one request. A caller with more rankers first asks which two to run.
const MOST_LISTS: usize = 100;

/// The most documents in a list.
const MOST_DOCUMENTS: usize = 1000;

/// The longest merged list. It is stored until the clicks come.
const LONGEST: u32 = 100;

/// The default length of a merged list: a page of results.
const LENGTH: u32 = 10;

/// The lists of rankers, by name. A list has the caller's names of documents, best first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lists(pub BTreeMap<String, Vec<String>>);

impl Lists {
    /// Checks the sizes of the lists, and that the rankers exist.
    pub(crate) fn check(&self, is_known: impl Fn(&str) -> bool) -> Result<(), Refusal> {
        let count = |what, got: usize, least: u64, most: usize| {
            let (got, most) = (got as u64, most as u64);
            let fits = (least..=most).contains(&got);
            if fits { Ok(()) } else { Err(Refusal::OutOfRange { what, got, least, most }) }
        };
        count("the number of lists", self.0.len(), 1, MOST_LISTS)?;
        for (name, list) in &self.0 {
            if !is_known(name) {
                return Err(Refusal::ListOfNobody { name: name.clone() });
            }
            count("the number of documents in a list", list.len(), 0, MOST_DOCUMENTS)?;
            list.iter().try_for_each(|document| check_name("a document's name", document))?;
        }
        Ok(())
    }

    /// The list of a ranker.
    pub(crate) fn of(&self, name: &str) -> Result<&[String], Refusal> {
        let list = self.0.get(name).map(Vec::as_slice);
        list.ok_or_else(|| Refusal::MissingList { name: name.to_owned() })
    }
}

/// How to merge two lists into one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListMerger {
    pub(crate) method: Interleaving,
    pub(crate) length: u32,
}

impl ListMerger {
    pub(crate) fn of(options: &MergeOptions) -> Result<Self, Refusal> {
        let method = options.method.as_deref().map_or(Ok(Interleaving::default()), str::parse)?;
        let length = options.length.unwrap_or(LENGTH);
        if !(1..=LONGEST).contains(&length) {
            let (got, most) = (u64::from(length), u64::from(LONGEST));
            return Err(Refusal::OutOfRange { what: "`length`", got, least: 1, most });
        }
        Ok(Self { method, length })
    }

    pub(crate) fn merge(self, left: &[String], right: &[String], rng: &mut dyn Rng) -> Merged<String> {
        // Merging compares all documents with each other, and numbers are compared faster than
        // names.
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut names: Vec<&str> = Vec::new();
        let [left, right] = [left, right].map(|list| {
            let numbered = list.iter().map(|document| {
                *numbers.entry(document).or_insert_with(|| {
                    names.push(document);
                    names.len() - 1
                })
            });
            numbered.collect::<Vec<usize>>()
        });
        let mut merged = Merged::default();
        Merger::new(self.method).merge(&left, &right, self.length as usize, rng, &mut merged);
        merged.map(|number| names[number].to_owned())
    }

    /// The list of one ranker, truncated to the length.
    pub(crate) fn alone(self, list: &[String], rng: &mut dyn Rng) -> Merged<String> {
        // Both sides pick from the same list, so the order of the list stays, no matter which side
        // picks.
        Self { method: Interleaving::TeamDraft, ..self }.merge(list, list, rng)
    }
}

/// A fingerprint of two lists.
pub(crate) fn fingerprint(left: &[String], right: &[String]) -> String {
    let text = serde_json::to_vec(&(left, right)).expect("lists are plain data");
    // Half of the hash is enough to distinguish lists.
    crate::key::hex(&Sha256::digest(text)[..16])
}
