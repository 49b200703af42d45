//! TREC files: runs (`qid Q0 docid rank score tag`) and judgements
//! (`qid iteration docid relevance`).
//!
//! Runs of K systems and judgements of the same queries form a [`RankedCollection`]. Each run is a
//! ranker.
//!
//! - The documents of a run are ordered by score, highest first, as `trec_eval` does. Equal scores
//!   are ordered by rank, then by name.
//! - Documents without a judgement have label 0. Negative judgements, which TREC uses for spam, are
//!   read as 0.
//! - Only queries that were judged and that at least one run answers are kept, in the order of the
//!   judgements. A run that does not answer a query has an empty list for it.
//! - Blank lines and lines that start with `#` are skipped. The first bytes of a file decide
//!   whether it is gzip.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;

use super::error::{LineError, ReadCollectionError, excerpt};
use super::query::MAX_LABEL;
use super::source::Source;
use crate::ranker::{RankedCollection, RankedError, RankedQuery};

/// The lists of one system, one per query.
#[derive(Debug, Clone, PartialEq)]
pub struct TrecRun {
    tag: String,
    /// Names of documents, best first.
    lists: BTreeMap<String, Vec<String>>,
}

/// Judgements: which documents are relevant to which queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Qrels {
    /// The queries in the order of the file.
    order: Vec<String>,
    labels: BTreeMap<String, BTreeMap<String, u8>>,
}

/// A line of a run.
struct Entry {
    document: String,
    rank: i64,
    score: f64,
}

impl TrecRun {
    /// Reads a run from a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is invalid.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadCollectionError> {
        Self::read(Source::open(path.as_ref(), std::sync::Arc::default())?)
    }

    /// Reads a run from any reader. Messages use `name` for the file.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is invalid.
    pub fn new(name: &str, reader: impl BufRead + Send + 'static) -> Result<Self, ReadCollectionError> {
        Self::read(Source::new(name, reader)?)
    }

    fn read(mut source: Source) -> Result<Self, ReadCollectionError> {
        let mut entries: BTreeMap<String, BTreeMap<String, (i64, f64)>> = BTreeMap::new();
        let mut tag = None;
        for_each_line(&mut source, |line| {
            let [query, _, document, rank, score, name] = fields(line, "qid Q0 docid rank score tag")?;
            let (query, document) = (text(1, query)?, text(3, document)?);
            let rank = number(4, rank)?;
            let score: f64 = number(5, score)?;
            if !score.is_finite() {
                return Err(LineError::Number { field: 5, text: score.to_string() });
            }
            let list = entries.entry(query.to_owned()).or_default();
            if list.insert(document.to_owned(), (rank, score)).is_some() {
                return Err(LineError::RepeatedDocument {
                    id: query.to_owned(),
                    document: document.to_owned(),
                });
            }
            tag.get_or_insert(text(6, name)?.to_owned());
            Ok(())
        })?;
        let Some(tag) = tag else {
            return Err(ReadCollectionError::Empty { file: source.name().to_owned() });
        };
        let lists = entries.into_iter().map(|(query, list)| (query, ordered(list))).collect();
        Ok(Self { tag, lists })
    }

    /// The name of the system, from the first line.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The documents that the system lists for a query, by name, best first. Empty if it does not
    /// answer the query.
    pub fn list(&self, query: &str) -> &[String] {
        self.lists.get(query).map_or(&[], Vec::as_slice)
    }
}

fn ordered(list: BTreeMap<String, (i64, f64)>) -> Vec<String> {
    let mut entries: Vec<Entry> =
        list.into_iter().map(|(document, (rank, score))| Entry { document, rank, score }).collect();
    // The sort is stable and the entries are in order of their names.
    entries.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.rank.cmp(&b.rank)));
    entries.into_iter().map(|entry| entry.document).collect()
}

impl Qrels {
    /// Reads judgements from a file.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is invalid.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadCollectionError> {
        Self::read(Source::open(path.as_ref(), std::sync::Arc::default())?)
    }

    /// Reads judgements from any reader. Messages use `name` for the file.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is invalid.
    pub fn new(name: &str, reader: impl BufRead + Send + 'static) -> Result<Self, ReadCollectionError> {
        Self::read(Source::new(name, reader)?)
    }

    fn read(mut source: Source) -> Result<Self, ReadCollectionError> {
        let mut qrels = Self { order: Vec::new(), labels: BTreeMap::new() };
        for_each_line(&mut source, |line| {
            let [query, _, document, relevance] = fields(line, "qid iteration docid relevance")?;
            let (query, document) = (text(1, query)?, text(3, document)?);
            let relevance: i64 = number(4, relevance)?;
            let label = u8::try_from(relevance.max(0)).ok().filter(|&label| label <= MAX_LABEL);
            let label = label.ok_or(LineError::Relevance { relevance })?;
            if !qrels.labels.contains_key(query) {
                qrels.order.push(query.to_owned());
            }
            let labels = qrels.labels.entry(query.to_owned()).or_default();
            if labels.insert(document.to_owned(), label).is_some() {
                return Err(LineError::RepeatedDocument {
                    id: query.to_owned(),
                    document: document.to_owned(),
                });
            }
            Ok(())
        })?;
        if qrels.order.is_empty() {
            return Err(ReadCollectionError::Empty { file: source.name().to_owned() });
        }
        Ok(qrels)
    }

    /// The queries that were judged, in the order of the file.
    pub fn queries(&self) -> impl Iterator<Item = &str> {
        self.order.iter().map(String::as_str)
    }

    /// The relevance of a document to a query; 0 if nobody judged it.
    pub fn label(&self, query: &str, document: &str) -> u8 {
        self.labels.get(query).and_then(|labels| labels.get(document)).copied().unwrap_or(0)
    }
}

impl RankedCollection {
    /// Makes each run a ranker, in the given order, and keeps the first `depth` documents of each
    /// list. The documents of a query include all that were judged, listed or not.
    ///
    /// # Errors
    ///
    /// If there are no runs, no run answers any judged query, or the depth is out of range.
    pub fn from_runs(runs: &[TrecRun], qrels: &Qrels, depth: usize) -> Result<Self, RankedError> {
        if !(1..=Self::MAX_DEPTH).contains(&depth) {
            return Err(RankedError::Depth { depth });
        }
        let mut queries = Vec::new();
        for (query, judged) in qrels.order.iter().map(|query| (query, &qrels.labels[query])) {
            if runs.iter().all(|run| run.list(query).is_empty()) {
                continue;
            }
            let mut numbers: BTreeMap<&str, u32> = BTreeMap::new();
            let mut labels = Vec::new();
            for ((document, &label), number) in judged.iter().zip(0..) {
                numbers.insert(document, number);
                labels.push(label);
            }
            let lists: Vec<Vec<u32>> = runs
                .iter()
                .map(|run| {
                    let top = run.list(query).iter().take(depth);
                    top.map(|document| {
                        *numbers.entry(document).or_insert_with(|| {
                            labels.push(0);
                            u32::try_from(labels.len() - 1).expect("fewer documents than a file has bytes")
                        })
                    })
                    .collect()
                })
                .collect();
            queries.push(RankedQuery::new(query.as_str(), labels, lists)?);
        }
        Self::new(queries)
    }
}

/// Calls `take` with each line that is neither blank nor a comment.
fn for_each_line(
    source: &mut Source,
    mut take: impl FnMut(&[u8]) -> Result<(), LineError>,
) -> Result<(), ReadCollectionError> {
    while source.advance()? {
        let line = source.line().trim_ascii();
        if !line.is_empty() && line[0] != b'#' {
            take(line).map_err(|error| source.wrong(error))?;
        }
    }
    Ok(())
}

/// Splits a line into exactly N fields.
fn fields<'a, const N: usize>(line: &'a [u8], form: &'static str) -> Result<[&'a [u8]; N], LineError> {
    let mut fields = [line; N];
    let mut got = 0;
    for word in line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        if let Some(field) = fields.get_mut(got) {
            *field = word;
        }
        got += 1;
    }
    if got == N { Ok(fields) } else { Err(LineError::Fields { form, expected: N, got }) }
}

fn text(field: usize, bytes: &[u8]) -> Result<&str, LineError> {
    str::from_utf8(bytes).map_err(|_| LineError::NotText { field, text: excerpt(bytes) })
}

fn number<T: std::str::FromStr>(field: usize, bytes: &[u8]) -> Result<T, LineError> {
    let number = str::from_utf8(bytes).ok().and_then(|text| text.parse().ok());
    number.ok_or_else(|| LineError::Number { field, text: excerpt(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn run(text: &str) -> Result<TrecRun, String> {
        TrecRun::new("r", Cursor::new(text.to_owned())).map_err(|error| error.to_string())
    }

    fn qrels(text: &str) -> Result<Qrels, String> {
        Qrels::new("q", Cursor::new(text.to_owned())).map_err(|error| error.to_string())
    }

    /// Documents are ordered by score, then by rank, then by name.
    #[test]
    fn trace_a_run_is_ordered_by_score() {
        let text = "\
            7 Q0 d1 1 0.5 bm25\n7 Q0 d2 2 0.9 bm25\n\n# note\n\
            7 Q0 d5 4 0.5 bm25\r\n7 Q0 d4 3 0.5 bm25\n7\tQ0\td3\t3\t0.5\tbm25\n3 Q0 d1 0 -1e2 bm25\n";
        let run = run(text).unwrap();
        assert_eq!(run.tag(), "bm25");
        assert_eq!(run.list("7"), ["d2", "d1", "d3", "d4", "d5"]);
        assert_eq!(run.list("3"), ["d1"]);
        assert!(run.list("4").is_empty());
    }

    #[test]
    fn trace_judgements() {
        let qrels = qrels("b 0 d1 2\nb 0 d2 -2\na 0 d1 0\n").unwrap();
        assert_eq!(qrels.queries().collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(
            [("b", "d1"), ("b", "d2"), ("b", "d3"), ("c", "d1")].map(|(q, d)| qrels.label(q, d)),
            [2, 0, 0, 0]
        );
    }

    #[test]
    fn trace_runs_become_rankers() {
        let qrels = qrels("b 0 d2 2\nb 0 d9 1\na 0 d1 1\nc 0 d1 1\n").unwrap();
        let one = run("b Q0 d1 1 3 x\nb Q0 d2 2 2 x\nb Q0 d3 3 1 x\nz Q0 d1 1 1 x\n").unwrap();
        let two = run("b Q0 d2 1 3 y\na Q0 d1 1 3 y\n").unwrap();
        let ranked = RankedCollection::from_runs(&[one, two], &qrels, 2).unwrap();
        assert_eq!((ranked.n_rankers(), ranked.depth()), (2, 2));
        let [b, a] = ranked.queries() else { panic!("`c` has no answer and `z` no judgement") };
        // First the judged documents by name, d2 and d9; then d1.
        assert_eq!((b.id(), b.labels()), ("b", [2, 1, 0].as_slice()));
        assert_eq!((b.list(0), b.list(1)), ([2, 0].as_slice(), [0].as_slice()));
        assert_eq!((a.id(), a.list(0), a.list(1)), ("a", [].as_slice(), [0].as_slice()));
        assert!(matches!(RankedCollection::from_runs(&[], &qrels, 2), Err(RankedError::NoQueries)));
    }

    #[test]
    fn trace_every_error_names_the_line() {
        for (text, expected) in [
            ("", "r: it contains no queries"),
            (
                "7 Q0 d1 1 0.5\n",
                "r: line 1: the number of fields is 5, but `qid Q0 docid rank score tag` has 6",
            ),
            (
                "7 Q0 d1 1 0.5 a b\n",
                "r: line 1: the number of fields is 7, but `qid Q0 docid rank score tag` has 6",
            ),
            ("\n7 Q0 d1 first 0.5 a\n", "r: line 2: field 4: `first` is not a valid number here"),
            ("7 Q0 d1 1 nan a\n", "r: line 1: field 5: `NaN` is not a valid number here"),
            ("7 Q0 d1 1 1 a\n7 Q0 d1 2 0 a\n", "r: line 2: query `7` has document `d1` twice"),
        ] {
            assert_eq!(run(text).unwrap_err(), expected);
        }
        for (text, expected) in [
            ("# none\n", "q: it contains no queries"),
            ("7 0 d1\n", "q: line 1: the number of fields is 3, but `qid iteration docid relevance` has 4"),
            ("7 0 d1 1.5\n", "q: line 1: field 4: `1.5` is not a valid number here"),
            ("7 0 d1 32\n", "q: line 1: field 4: relevance 32 is above 31"),
            ("7 0 d1 1\n7 0 d1 1\n", "q: line 2: query `7` has document `d1` twice"),
        ] {
            assert_eq!(qrels(text).unwrap_err(), expected);
        }
    }
}
