//! The search demonstration: an experiment compares several rankers of the policies' pages.

use tiltyard::arena::domain::{Create, NewArm, Settings};
use tiltyard::arena::id::ExperimentId;
use tiltyard::arena::server::{Document, SearchEngine};
use tiltyard::arena::{Arena, ArenaError};

use self::index::{Index, Ranker};

mod index;
mod sections;

const NAME: &str = "search demo";

/// A search engine over this program's own pages.
#[derive(Debug)]
pub(super) struct PolicyPages(Index);

impl PolicyPages {
    pub(super) fn new() -> Self {
        Self(Index::new(sections::all()))
    }
}

impl SearchEngine for PolicyPages {
    fn rankers(&self) -> Vec<String> {
        Ranker::ALL.iter().map(|(_, name, _)| (*name).to_owned()).collect()
    }

    fn search(&self, ranker: &str, query: &str, top: usize) -> Vec<String> {
        let ranker = Ranker::ALL.iter().find(|(_, name, _)| *name == ranker);
        ranker.map_or_else(Vec::new, |(ranker, ..)| self.0.search(*ranker, query, top))
    }

    fn document(&self, id: &str) -> Option<Document> {
        let section = self.0.section(id)?;
        Some(Document { title: section.title.clone(), text: section.text.clone() })
    }

    fn about(&self) -> &'static str {
        "This page searches the descriptions of Tiltyard's algorithms. Try “regret bound”, “thompson sampling” or “late outcomes”."
    }
}

/// The experiment of an earlier demonstration, or a new one.
pub(super) async fn experiment(arena: &Arena) -> Result<ExperimentId, ArenaError> {
    for id in arena.experiments() {
        if arena.peek(id, |experiment| experiment.name() == NAME)? {
            return Ok(id);
        }
    }
    let arm = |&(_, name, label): &(Ranker, &str, &str)| NewArm {
        name: name.to_owned(),
        label: Some(label.to_owned()),
        payload: None,
    };
    let create = Create {
        name: NAME.to_owned(),
        arms: Ranker::ALL.iter().map(arm).collect(),
        policy: "rex3".to_owned(),
        settings: Settings { expires_after: 3600, ..Settings::default_for(true) },
        distinct_by_policy: true,
    };
    arena.create(create)?.wait().await
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All rankers find the same sections, each in a different order.
    #[test]
    fn trace_the_pages_can_be_searched() {
        let engine = PolicyPages::new();
        let lists: Vec<Vec<String>> =
            engine.rankers().iter().map(|ranker| engine.search(ranker, "regret bound", 1000)).collect();
        assert!(lists[0].len() > 30, "{}", lists[0].len());
        for (place, list) in lists.iter().enumerate() {
            let mut sorted = list.clone();
            sorted.sort();
            let mut first = lists[0].clone();
            first.sort();
            assert_eq!(sorted, first);
            assert!(!lists[..place].contains(list), "two rankers give the same order");
        }
        let found = engine.document(&lists[0][0]).unwrap();
        assert!(!found.title.is_empty() && !found.text.is_empty());
        assert_eq!(engine.document("nothing"), None);
        assert!(engine.search("nobody", "regret", 10).is_empty());
        assert!(engine.search("bm25", "zzzz <zzz>", 10).is_empty());
    }
}
