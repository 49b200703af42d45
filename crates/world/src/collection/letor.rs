//! LETOR and SVMlight files: `label qid:Q 1:v 2:v ... # comment`, plain or gzip.
//!
//! ```text
//! 2 qid:10032 1:0.056537 3:1 46:0.076923 #docid = GX029-35-5894638
//! 0 qid:10032 1:0.279152 2:0.5           # features that are not there are 0
//! ```
//!
//! One line is a document. The documents of a query are on consecutive lines. The format in detail:
//!
//! - Labels are whole numbers from 0 to 31, which may be written `2.0`.
//! - The name of a query is any text without white space and `#`, up to 1024 bytes.
//! - Features are whole numbers from 1 to 1,000,000, in any order, none twice in a line. Their
//!   values are finite.
//! - Spaces and tabs separate fields. Lines end in LF or CRLF; the last line may have no end.
//! - Blank lines and lines that start with `#` are skipped, but counted. A byte order mark is
//!   skipped. Comments need not be UTF-8.
//! - The first bytes, not the file's name, decide whether the file is gzip. It may have several
//!   members.
//!
//! **Memory.** The reader holds one line (at most 16 MiB) and one query (at most a million
//! documents and 64 million values) at a time. It also keeps the name and the first line of every
//! query so far, because a query that returns after another one is an error: such a file was not
//! meant to have two queries of one name.
//!
//! **Precision.** Values are rounded to single precision. Two scores that differ by less than one
//! part in ten million may become equal.

mod line;

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::{LineError, ReadCollectionError};
use super::query::Query;
use super::source::Source;

/// The limit on a line, in bytes: 16 MiB.
pub const MAX_LINE: usize = 1 << 24;

/// The limit on the number of documents of a query.
pub const MAX_DOCUMENTS: usize = 1_000_000;

/// The limit on the number of values in all documents of a query.
pub const MAX_VALUES: usize = 64_000_000;

/// The largest feature number.
pub const MAX_FEATURE: u32 = 1_000_000;

/// The limit on the name of a query, in bytes.
pub const MAX_ID: usize = 1024;

/// Reads the queries of one or more files, in order. It stops at the first error.
///
/// ```
/// use std::io::Cursor;
/// use tiltyard_world::collection::LetorReader;
///
/// let text = "2 qid:a 1:0.5 2:1\n0 qid:a 2:3\n1 qid:b 1:1\n";
/// let mut reader = LetorReader::new("example", Cursor::new(text))?;
/// let query = reader.next().unwrap()?;
/// assert_eq!((query.id(), query.labels()), ("a", [2, 0].as_slice()));
/// assert_eq!(reader.next().unwrap()?.id(), "b");
/// assert!(reader.next().is_none());
/// # Ok::<(), tiltyard_world::collection::ReadCollectionError>(())
/// ```
#[derive(Debug)]
pub struct LetorReader {
    /// The files that are not open yet, last one first.
    waiting: Vec<PathBuf>,
    source: Option<Source>,
    /// Whether the current line of the source belongs to the next query.
    ahead: bool,
    /// The names of all files opened so far.
    files: Vec<String>,
    /// Where every query so far began.
    seen: BTreeMap<Box<str>, Place>,
    keep_names: bool,
    /// Whether the end or an error was reported.
    done: bool,
    taken: Arc<AtomicU64>,
    total: u64,
}

/// A line of a file.
#[derive(Debug, Clone, Copy)]
struct Place {
    file: usize,
    line: u64,
}

impl LetorReader {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadCollectionError> {
        Self::open_all([path])
    }

    /// Opens several files that form one collection, such as folds. No query may be in two files.
    ///
    /// # Errors
    ///
    /// If a file cannot be opened.
    pub fn open_all<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self, ReadCollectionError> {
        let mut waiting: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let mut total = 0;
        for path in &waiting {
            // Opened once now, so that a mistyped name fails at once and not after an hour.
            let length = std::fs::File::open(path).and_then(|file| file.metadata()).map(|data| data.len());
            total += length.map_err(|source| ReadCollectionError::Unreadable {
                file: path.display().to_string(),
                source,
            })?;
        }
        waiting.reverse();
        Ok(Self { waiting, total, ..Self::idle() })
    }

    /// Reads from any reader and decompresses if necessary. Messages use `name` for the file.
    ///
    /// # Errors
    ///
    /// If the first bytes cannot be read.
    pub fn new(name: &str, reader: impl BufRead + Send + 'static) -> Result<Self, ReadCollectionError> {
        let source = Some(Source::new(name, reader)?);
        Ok(Self { source, files: vec![name.to_owned()], ..Self::idle() })
    }

    fn idle() -> Self {
        Self {
            waiting: Vec::new(),
            source: None,
            ahead: false,
            files: Vec::new(),
            seen: BTreeMap::new(),
            keep_names: false,
            done: false,
            taken: Arc::default(),
            total: 0,
        }
    }

    /// Keeps the names of the documents: the word after `docid =` in the comment, or else the whole
    /// comment. Names need more memory than everything else.
    #[must_use]
    pub fn keep_names(mut self) -> Self {
        self.keep_names = true;
        self
    }

    /// The number of bytes read from the files so far, before decompression.
    pub fn bytes_taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// The size of all files in bytes, before decompression. 0 if the reader has no files.
    pub fn bytes_total(&self) -> u64 {
        self.total
    }

    /// Reads the next query into `query`, reusing its memory, and returns whether there was one.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is invalid. After an error there are no more queries.
    pub fn read_into(&mut self, query: &mut Query) -> Result<bool, ReadCollectionError> {
        if self.done {
            return Ok(false);
        }
        let result = self.read_query(query);
        self.done = !matches!(result, Ok(true));
        result
    }

    fn read_query(&mut self, query: &mut Query) -> Result<bool, ReadCollectionError> {
        if !self.ahead && !self.find_line()? {
            return if self.seen.is_empty() {
                Err(ReadCollectionError::Empty { file: self.files.join(", ") })
            } else {
                Ok(false)
            };
        }
        let source = self.source.as_mut().expect("a line was found in it");
        let head = line::head(source.line()).map_err(|error| source.wrong(error))?;
        if let Some(place) = self.seen.get(head.id) {
            let (id, file) = (head.id.to_owned(), self.files[place.file].clone());
            return Err(source.wrong(LineError::QueryReturns { id, file, line: place.line }));
        }
        let place = Place { file: self.files.len() - 1, line: source.number() };
        self.seen.insert(head.id.into(), place);
        query.restart(head.id);
        loop {
            let head = line::head(source.line()).map_err(|error| source.wrong(error))?;
            if head.id != query.id() {
                self.ahead = true;
                return Ok(true);
            }
            line::document(&head, self.keep_names, query).map_err(|error| source.wrong(error))?;
            if !next_line(source)? {
                // A query does not continue in the next file.
                self.source = None;
                self.ahead = false;
                return Ok(true);
            }
        }
    }

    /// Advances to the next line with a document, opening files as necessary, and returns whether
    /// there is one.
    fn find_line(&mut self) -> Result<bool, ReadCollectionError> {
        loop {
            if let Some(source) = &mut self.source
                && next_line(source)?
            {
                return Ok(true);
            }
            let Some(path) = self.waiting.pop() else { return Ok(false) };
            let source = Source::open(&path, Arc::clone(&self.taken))?;
            self.files.push(source.name().to_owned());
            self.source = Some(source);
        }
    }
}

impl Iterator for LetorReader {
    type Item = Result<Query, ReadCollectionError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut query = Query::new("");
        match self.read_into(&mut query) {
            Ok(true) => Some(Ok(query)),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        }
    }
}

/// Advances to the next line with a document and returns whether there is one.
fn next_line(source: &mut Source) -> Result<bool, ReadCollectionError> {
    while source.advance()? {
        if line::holds_document(source.line()) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;
    use std::fmt::Write as _;
    use std::fs;
    use std::io::{Cursor, Write as _};

    fn read(bytes: &[u8]) -> Result<Vec<Query>, String> {
        let reader = LetorReader::new("f", Cursor::new(bytes.to_vec())).unwrap();
        reader.collect::<Result<_, _>>().map_err(|error| error.to_string())
    }

    fn message(text: &str) -> String {
        read(text.as_bytes()).unwrap_err()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    const TEXT: &str = "2 qid:a 1:0.5 2:1\n0 qid:a 2:3\n1 qid:WT04-182 3:-1e-3\n";

    fn queries() -> Vec<Query> {
        let (mut a, mut b) = (Query::new("a"), Query::new("WT04-182"));
        a.push(2, &[(0, 0.5), (1, 1.0)]).unwrap();
        a.push(0, &[(1, 3.0)]).unwrap();
        b.push(1, &[(2, -1e-3)]).unwrap();
        vec![a, b]
    }

    #[test]
    fn trace_all_the_ways_to_write_one_collection() {
        for text in [
            TEXT.to_owned(),
            TEXT.replace('\n', "\r\n"),
            TEXT.replace(' ', "  \t"),
            TEXT.replace('\n', "\n\n# between\n  \t\n"),
            TEXT.replace('\n', "   #docid = GX000-00 inc = 1\n"),
            TEXT.replace('\n', "#\n"),
            TEXT.trim_end().to_owned(),
            format!("\u{feff}{TEXT}"),
            format!("# header\n{TEXT}"),
            TEXT.replace("2 qid", "2.0 qid").replace("0 qid", "0e0 qid"),
            TEXT.replace("1:0.5 2:1", "2:1.0 1:5e-1"),
        ] {
            assert_eq!(read(text.as_bytes()), Ok(queries()), "{text:?}");
        }
        assert_eq!(read(&TEXT.replace('\n', "#\n").into_bytes()), Ok(queries()));
        let mut latin = TEXT.trim_end().as_bytes().to_vec();
        latin.extend(b" # caf\xe9");
        assert_eq!(read(&latin), Ok(queries()));
    }

    #[test]
    fn trace_gzip_is_known_by_its_bytes() {
        let whole = gzip(TEXT.as_bytes());
        assert_eq!(read(&whole), Ok(queries()));
        let (start, end) = TEXT.as_bytes().split_at(13);
        let members = [gzip(start), gzip(b""), gzip(end)].concat();
        assert_eq!(read(&members), Ok(queries()));
    }

    #[test]
    fn trace_damaged_gzip_is_named() {
        let long = TEXT.replace("qid:WT04-182", &format!("qid:b 1:1 {}", "# long ".repeat(1000)));
        let whole = gzip(long.as_bytes());
        for length in 2..whole.len() {
            let message = read(&whole[..length]).unwrap_err();
            assert!(
                message.starts_with("f: the compressed data is cut short after line "),
                "{length}: {message}"
            );
        }
        let mut damaged = whole.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(read(&damaged).unwrap_err().starts_with("f: the compressed data is damaged after line "));
        let rubbish = [whole.as_slice(), b"rubbish"].concat();
        assert!(read(&rubbish).unwrap_err().starts_with("f: the compressed data is "));
    }

    #[test]
    fn trace_every_error_names_the_line() {
        let label = "is not a label, a whole number from 0 to 31";
        let feature = "is not a feature, a whole number from 1 to 1000000";
        let finite = "is not a finite number in single precision";
        for (text, expected) in [
            ("", "f: it contains no queries".to_owned()),
            ("\n# nothing\n", "f: it contains no queries".to_owned()),
            ("\n# note\nx qid:1 1:1", format!("f: line 3: field 1: `x` {label}")),
            ("-1 qid:1 1:1", format!("f: line 1: field 1: `-1` {label}")),
            ("0.5 qid:1 1:1", format!("f: line 1: field 1: `0.5` {label}")),
            ("32 qid:1 1:1", format!("f: line 1: field 1: `32` {label}")),
            ("nan qid:1 1:1", format!("f: line 1: field 1: `nan` {label}")),
            ("1", "f: line 1: field 2 should be `qid:...`, not ``".to_owned()),
            ("1 1:0.5 2:1", "f: line 1: field 2 should be `qid:...`, not `1:0.5`".to_owned()),
            (
                "1 qid: 1:1",
                "f: line 1: field 2: `qid:` is not a query: after `qid:` come 1 to 1024 bytes of UTF-8 without `#`"
                    .to_owned(),
            ),
            ("1 qid:1 1:1\n1 qid:1 5", "f: line 2: field 3: `5` is not of the form `feature:value`".to_owned()),
            ("1 qid:1 0:1", format!("f: line 1: field 3: `0` {feature}")),
            ("1 qid:1 1:1 +2:1", format!("f: line 1: field 4: `+2` {feature}")),
            ("1 qid:1 1000001:1", format!("f: line 1: field 3: `1000001` {feature}")),
            ("1 qid:1 99999999999:1", format!("f: line 1: field 3: `99999999999` {feature}")),
            ("1 qid:1 qid:2", format!("f: line 1: field 3: `qid` {feature}")),
            ("1 qid:1 1:1  2:nan", format!("f: line 1: field 4: `nan` {finite}")),
            ("1 qid:1 1:-inf", format!("f: line 1: field 3: `-inf` {finite}")),
            ("1 qid:1 1:1e39", format!("f: line 1: field 3: `1e39` {finite}")),
            ("1 qid:1 1:", format!("f: line 1: field 3: `` {finite}")),
            ("1 qid:1 1:1x", format!("f: line 1: field 3: `1x` {finite}")),
            ("1 qid:1 1:0.5:2", format!("f: line 1: field 3: `0.5:2` {finite}")),
            ("1 qid:1 3:1 2:5 3:1", "f: line 1: feature 3 is given twice".to_owned()),
            (
                "1 qid:1 1:1\n\n1 qid:2 1:1\n0 qid:2 1:1\n1 qid:1 1:1",
                "f: line 5: query `1` returns after another query; it began in line 1 of f".to_owned(),
            ),
        ] {
            assert_eq!(message(text), expected, "{text:?}");
        }
    }

    #[test]
    fn trace_bytes_that_are_no_text_are_shown_short() {
        let message = read(&[0xff; 100]).unwrap_err();
        assert_eq!(message.chars().filter(|&c| c == '\u{fffd}').count(), 40);
        assert!(read(b"1 qid:\xff 1:1").unwrap_err().contains("is not a query"));
    }

    #[test]
    fn trace_limits() {
        let line = |length: usize| format!("1 qid:a 1:1 #{}\n", " ".repeat(length - 13));
        assert!(read(line(MAX_LINE).as_bytes()).is_ok());
        assert_eq!(message(&line(MAX_LINE + 1)), "f: line 1: it is longer than 16777216 bytes");
        let id = "x".repeat(MAX_ID);
        assert!(read(format!("1 qid:{id} 1:1").as_bytes()).is_ok());
        assert!(message(&format!("1 qid:{id}x 1:1")).contains("is not a query"));
        let many = "0 qid:a\n".repeat(MAX_DOCUMENTS);
        assert_eq!(read(many.as_bytes()).unwrap()[0].n_documents(), MAX_DOCUMENTS);
        assert_eq!(
            message(&format!("{many}0 qid:a\n")),
            "f: line 1000001: query `a` has more than 1000000 documents"
        );
    }

    #[test]
    fn trace_an_error_is_the_last_word() {
        let text = "1 qid:a 1:1\n1 qid:b 1:1\nrubbish\n1 qid:c 1:1\n";
        let mut reader = LetorReader::new("f", Cursor::new(text)).unwrap();
        assert_eq!(reader.next().unwrap().unwrap().id(), "a");
        assert!(reader.next().unwrap().is_err());
        assert!(reader.next().is_none());
    }

    #[test]
    fn trace_names_are_kept_if_asked() {
        let text = "1 qid:a 1:1 #docid = GX1-2 inc = 1\n0 qid:a 1:1 # my page \n0 qid:a 1:1\n";
        let read = |reader: LetorReader| reader.map(Result::unwrap).next().unwrap();
        let named = read(LetorReader::new("f", Cursor::new(text)).unwrap().keep_names());
        assert_eq!([0, 1, 2, 3].map(|i| named.name(i)), [Some("GX1-2"), Some("my page"), Some(""), None]);
        assert_eq!(read(LetorReader::new("f", Cursor::new(text)).unwrap()).name(0), None);
    }

    #[test]
    fn trace_several_files_are_one_collection() {
        let directory = tempfile::tempdir().unwrap();
        let [a, b, c] = ["a.txt", "b.gz", "c.txt"].map(|name| directory.path().join(name));
        fs::write(&a, "1 qid:1 1:1\n1 qid:2 1:1").unwrap();
        fs::write(&b, gzip(b"1 qid:3 1:1\n")).unwrap();
        fs::write(&c, "1 qid:4 1:1\n1 qid:2 1:1\n").unwrap();
        let mut reader = LetorReader::open_all([&a, &b]).unwrap();
        let ids: Vec<_> = reader.by_ref().map(|query| query.unwrap().id().to_owned()).collect();
        assert_eq!(ids, ["1", "2", "3"]);
        assert_eq!((reader.bytes_taken(), reader.bytes_total() > 0), (reader.bytes_total(), true));

        let error = LetorReader::open_all([&a, &b, &c]).unwrap().find_map(Result::err).unwrap();
        assert_eq!(
            error.to_string(),
            format!(
                "{}: line 2: query `2` returns after another query; it began in line 2 of {}",
                c.display(),
                a.display()
            )
        );
        // The end of a file ends its last query.
        let error = LetorReader::open_all([&a, &a]).unwrap().find_map(Result::err).unwrap();
        assert!(error.to_string().contains("query `1` returns"), "{error}");

        let absent = directory.path().join("absent");
        let error = LetorReader::open_all([&a, &absent]).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot read {}", absent.display()));
    }

    proptest! {
        /// A file written with all digits is read back to the last bit, plain and compressed.
        #[test]
        fn law_round_trip(
            documents in proptest::collection::vec(
                (0_u8..=31, proptest::collection::btree_map(0_u32..50, -1e30_f32..1e30, 0..6)),
                1..20,
            ),
            per_query in 1..5_usize,
        ) {
            let mut expected: Vec<Query> = Vec::new();
            let mut text = String::new();
            for (i, (label, features)) in documents.iter().enumerate() {
                let id = format!("q{}", i / per_query);
                if i % per_query == 0 {
                    expected.push(Query::new(id.as_str()));
                }
                let pairs: Vec<_> = features.iter().map(|(&feature, &value)| (feature, value)).collect();
                expected.last_mut().unwrap().push(*label, &pairs).unwrap();
                write!(text, "{label} qid:{id}").unwrap();
                for (feature, value) in pairs {
                    write!(text, " {}:{value}", feature + 1).unwrap();
                }
                text.push('\n');
            }
            prop_assert_eq!(read(text.as_bytes()), Ok(expected.clone()));
            prop_assert_eq!(read(&gzip(text.as_bytes())), Ok(expected));
        }

        #[test]
        fn law_arbitrary_text_never_panics(text in "[0-9.:e# \t\r\nqidnaf+-]{0,80}") {
            let _ = read(text.as_bytes());
            let _ = read(format!("1 qid:a {text}").as_bytes());
        }
    }
}
