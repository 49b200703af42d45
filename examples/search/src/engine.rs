//! The search engine: an index in memory, and several rankers for its results.

use anyhow::Result;
use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{Field, STORED, STRING, Schema, TEXT, Value as _};
use tantivy::{Index, IndexReader, TantivyDocument, doc};

use crate::sections::Section;

/// The number of results from which [`Ranker::Backwards`] takes the last.
const DEEP: usize = 50;

/// A way to rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranker {
    /// BM25 on the text.
    Body,
    /// BM25 on heading and text, where a word in the heading counts three times.
    Titles,
    /// Words of the text that differ by one letter count too.
    Fuzzy,
    /// The reverse order of BM25 on the text: nobody should prefer it.
    Backwards,
}

impl Ranker {
    /// All rankers.
    pub const ALL: [Self; 4] = [Self::Body, Self::Titles, Self::Fuzzy, Self::Backwards];

    /// The name in the experiment.
    pub fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Titles => "titles",
            Self::Fuzzy => "fuzzy",
            Self::Backwards => "backwards",
        }
    }

    /// The ranker with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ranker| ranker.name() == name)
    }
}

/// An index of sections.
pub struct Engine {
    index: Index,
    reader: IndexReader,
    id: Field,
    title: Field,
    body: Field,
}

impl Engine {
    /// Indexes sections.
    ///
    /// # Errors
    ///
    /// If the index cannot be built.
    pub fn new(sections: &[Section]) -> Result<Self> {
        let mut schema = Schema::builder();
        let id = schema.add_text_field("id", STRING | STORED);
        let title = schema.add_text_field("title", TEXT);
        let body = schema.add_text_field("body", TEXT);
        let index = Index::create_in_ram(schema.build());
        // One thread, so that documents with the same score come in the same order in every run.
        let mut writer = index.writer_with_num_threads(1, 20_000_000)?;
        for section in sections {
            writer.add_document(
                doc!(id => section.id.as_str(), title => section.title.as_str(), body => section.body.as_str()),
            )?;
        }
        writer.commit()?;
        let reader = index.reader()?;
        Ok(Self { index, reader, id, title, body })
    }

    /// The sections that a ranker finds for a query, best first.
    ///
    /// # Errors
    ///
    /// If the index cannot be read.
    pub fn search(&self, ranker: Ranker, query: &str, most: usize) -> Result<Vec<String>> {
        let fields = if ranker == Ranker::Titles { vec![self.title, self.body] } else { vec![self.body] };
        let mut parser = QueryParser::for_index(&self.index, fields);
        match ranker {
            Ranker::Titles => parser.set_field_boost(self.title, 3.0),
            Ranker::Fuzzy => parser.set_field_fuzzy(self.body, false, 1, true),
            Ranker::Body | Ranker::Backwards => {}
        }
        // Any text is a query. Parts that make no sense are ignored.
        let (parsed, _) = parser.parse_query_lenient(query);
        let depth = if ranker == Ranker::Backwards { DEEP.max(most) } else { most };
        let searcher = self.reader.searcher();
        let mut found = searcher.search(&parsed, &TopDocs::with_limit(depth).order_by_score())?;
        if ranker == Ranker::Backwards {
            found.reverse();
            found.truncate(most);
        }
        let mut ids = Vec::with_capacity(found.len());
        for (_, address) in found {
            let document: TantivyDocument = searcher.doc(address)?;
            ids.extend(document.get_first(self.id).and_then(|id| id.as_str()).map(str::to_owned));
        }
        Ok(ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(id: &str, title: &str, body: &str) -> Section {
        Section { id: id.to_owned(), title: title.to_owned(), body: body.to_owned() }
    }

    #[test]
    fn trace_rankers_differ() {
        let sections = [
            section("a", "horses", "they run"),
            section("b", "cows", "horses horses horses and cows"),
            section(
                "c",
                "sheep",
                "a horse is among much else that is said here about sheep and horses and grass",
            ),
        ];
        let engine = Engine::new(&sections).expect("an index in memory");
        let search = |ranker, query| engine.search(ranker, query, 2).expect("an index in memory");
        assert_eq!(search(Ranker::Body, "horses"), ["b", "c"]);
        assert_eq!(search(Ranker::Titles, "horses")[0], "a");
        assert_eq!(search(Ranker::Backwards, "horses"), ["c", "b"]);
        assert!(search(Ranker::Body, "horsse").is_empty());
        assert_eq!(search(Ranker::Fuzzy, "horsse").len(), 2);
        assert!(search(Ranker::Body, "\"(((").len() <= 2, "no query breaks it");
    }
}
