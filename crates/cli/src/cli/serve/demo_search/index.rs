//! An index in memory and several rankers. All rankers find the same sections: those with at least
//! one word of the query.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use rand::RngExt as _;
use tiltyard::Stream;

use super::sections::Section;

/// BM25 with its usual values: how quickly further occurrences of a word lose weight (`K1`), and
/// how much long sections are penalised (`B`).
const K1: f64 = 1.2;
const B: f64 = 0.75;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ranker {
    Bm25,
    TfIdf,
    Titles,
    Shortest,
    Random,
}

impl Ranker {
    /// All rankers with their names and labels.
    pub(super) const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Bm25, "bm25", "BM25"),
        (Self::TfIdf, "tf-idf", "Word counts, rare words weigh more"),
        (Self::Titles, "titles", "Titles first, then BM25"),
        (Self::Shortest, "shortest", "Shortest first"),
        (Self::Random, "random", "Random order"),
    ];
}

/// Sections that can be searched.
#[derive(Debug)]
pub(super) struct Index {
    entries: Vec<Entry>,
    /// The number of sections that contain a word.
    spread: BTreeMap<String, usize>,
    mean_length: f64,
}

#[derive(Debug)]
struct Entry {
    section: Section,
    /// The number of occurrences of each word, in title and text.
    counts: BTreeMap<String, usize>,
    in_title: BTreeSet<String>,
    /// In words.
    length: usize,
}

/// The words of a text: runs of letters and digits, in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    let runs = text.split(|letter: char| !letter.is_alphanumeric());
    runs.filter(|run| !run.is_empty()).map(str::to_lowercase)
}

impl Index {
    pub(super) fn new(sections: Vec<Section>) -> Self {
        let mut spread = BTreeMap::new();
        let entries: Vec<Entry> = sections
            .into_iter()
            .map(|section| {
                let in_title: BTreeSet<String> = words(&section.title).collect();
                let mut counts = BTreeMap::new();
                for word in words(&section.title).chain(words(&section.text)) {
                    *counts.entry(word).or_insert(0) += 1;
                }
                for word in counts.keys() {
                    *spread.entry(word.clone()).or_insert(0) += 1;
                }
                let length = counts.values().sum();
                Entry { section, counts, in_title, length }
            })
            .collect();
        let all: usize = entries.iter().map(|entry| entry.length).sum();
        let mean_length = all as f64 / entries.len().max(1) as f64;
        Self { entries, spread, mean_length }
    }

    pub(super) fn section(&self, id: &str) -> Option<&Section> {
        self.entries.iter().map(|entry| &entry.section).find(|section| section.id == id)
    }

    /// The ids of the sections found, best first.
    pub(super) fn search(&self, ranker: Ranker, query: &str, top: usize) -> Vec<String> {
        let query: BTreeSet<String> = words(query).collect();
        let found = self.entries.iter().filter(|entry| query.iter().any(|word| entry.count(word) > 0));
        let mut scored: Vec<([f64; 2], &Entry)> =
            found.map(|entry| (self.score(ranker, entry, &query), entry)).collect();
        // Sections with equal scores stay in the order of the pages.
        scored.sort_by(|(one, _), (other, _)| {
            other[0].partial_cmp(&one[0]).unwrap_or(Ordering::Equal).then(other[1].total_cmp(&one[1]))
        });
        scored.into_iter().take(top).map(|(_, entry)| entry.section.id.clone()).collect()
    }

    /// The second number breaks ties of the first.
    fn score(&self, ranker: Ranker, entry: &Entry, query: &BTreeSet<String>) -> [f64; 2] {
        match ranker {
            Ranker::Bm25 => [self.bm25(entry, query), 0.0],
            Ranker::TfIdf => [self.tf_idf(entry, query), 0.0],
            Ranker::Titles => [query.intersection(&entry.in_title).count() as f64, self.bm25(entry, query)],
            Ranker::Shortest => [-(entry.length as f64), 0.0],
            Ranker::Random => {
                // Depends on the words alone, so a repeated search gives the same order.
                let stream = query.iter().fold(Stream::new(1), |stream, word| stream.label(word));
                [stream.label(&entry.section.id).rng().random(), 0.0]
            }
        }
    }

    fn bm25(&self, entry: &Entry, query: &BTreeSet<String>) -> f64 {
        let n = self.entries.len() as f64;
        let damping = K1 * (1.0 - B + B * entry.length as f64 / self.mean_length);
        let of = |word: &String| {
            let (count, spread) = (entry.count(word) as f64, self.spread(word) as f64);
            let rarity = (1.0 + (n - spread + 0.5) / (spread + 0.5)).ln();
            rarity * count * (K1 + 1.0) / (count + damping)
        };
        query.iter().map(of).sum()
    }

    fn tf_idf(&self, entry: &Entry, query: &BTreeSet<String>) -> f64 {
        let n = self.entries.len() as f64;
        // `max` avoids 0 times infinity for a word that no section contains.
        let of = |word: &String| entry.count(word) as f64 * (n / self.spread(word).max(1) as f64).ln();
        query.iter().map(of).sum()
    }

    fn spread(&self, word: &str) -> usize {
        self.spread.get(word).copied().unwrap_or(0)
    }
}

impl Entry {
    fn count(&self, word: &str) -> usize {
        self.counts.get(word).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> Index {
        let section = |id: &str, title: &str, text: &str| Section {
            id: id.to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
        };
        // Three, five and four words; the mean is four.
        Index::new(vec![
            section("a", "Horses", "they run"),
            section("b", "Cows", "horses, HORSES and cows"),
            section("c", "Sheep", "sheep eat grass"),
        ])
    }

    #[test]
    fn trace_bm25_by_hand() {
        let index = index();
        let score = |place: usize, query: &str| {
            let query = words(query).collect();
            index.bm25(&index.entries[place], &query)
        };
        // `horses` is in two of three sections: ln(1 + 1.5 / 2.5) = ln 1.6 = 0.47000363. In a, it
        // occurs once in three words: 1.2 (0.25 + 0.75 * 3/4) = 0.975, and 0.47000363 * 2.2 / 1.975
        // = 0.52354835.
        assert!((score(0, "horses") - 0.523_548_35).abs() < 1e-8, "{}", score(0, "horses"));
        // In b, it occurs twice in five words: 1.2 (0.25 + 0.75 * 5/4) = 1.425, and 0.47000363 *
        // 4.4 / 3.425 = 0.60380028.
        assert!((score(1, "horses") - 0.603_800_28).abs() < 1e-8, "{}", score(1, "horses"));
        assert!(score(2, "horses").abs() < 1e-12);
        // `run` is in one of three sections: ln(1 + 2.5 / 1.5) = ln(8/3) = 0.98082925. Times 2.2 /
        // 1.975, that is 1.09256929, to which the score of `horses` is added.
        assert!((score(0, "run horses") - 1.616_117_64).abs() < 1e-8, "{}", score(0, "run horses"));
    }

    #[test]
    fn trace_orders_by_hand() {
        let index = index();
        let search = |ranker, query| index.search(ranker, query, 10);
        assert_eq!(search(Ranker::Bm25, "horses"), ["b", "a"]);
        assert_eq!(search(Ranker::Titles, "horses"), ["a", "b"]);
        assert_eq!(search(Ranker::Shortest, "horses grass"), ["a", "c", "b"]);
        // 2 ln 1.5 = 0.81 against ln 3 = 1.10 for `grass`, and ln 1.5 = 0.41.
        assert_eq!(search(Ranker::TfIdf, "horses grass"), ["c", "b", "a"]);
        assert_eq!(index.search(Ranker::Bm25, "horses", 1), ["b"]);
        for (ranker, ..) in Ranker::ALL {
            assert!(search(ranker, "goats").is_empty());
            assert!(search(ranker, "").is_empty());
            assert_eq!(search(ranker, "horses grass"), search(ranker, "Grass, horses!"));
        }
        let mut any = search(Ranker::Random, "horses grass");
        any.sort();
        assert_eq!(any, ["a", "b", "c"]);
    }
}
