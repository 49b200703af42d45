//! LETOR and SVMlight files: `label qid:Q 1:v 2:v ... # comment`, plain or gzip.
//!
//! ```text
//! 2 qid:10032 1:0.056537 3:1 46:0.076923 #docid = GX029-35-5894638
//! 0 qid:10032 1:0.279152 2:0.5           # features that are not there are 0
//! ```
//!
//! One line is a document; the documents of a query stand together. What is read:
//!
//! - labels are whole numbers from 0 to 31, which may be written `2.0`;
//! - a query's name is any text without white space and `#`, up to 1024 bytes;
//! - features are whole numbers from 1 to 1,000,000, in any order, none twice in a line; values are finite;
//! - fields are separated by spaces and tabs; lines end in LF or CRLF, the last one also in nothing;
//! - blank lines and lines that start with `#` are passed over, but counted; so is a byte order mark. Comments need not be UTF-8;
//! - gzip is known by its first bytes, not by the file's name, and may have several members.
//!
//! **Memory.** One line (at most 16 MiB) and one query (at most a million documents and 64 million values) at a time, and besides
//! the name and first line of every query met so far: a query that comes back after another one is an error, because whoever
//! sorted the file so did not mean two queries of one name, and finding it needs a memory of names.
//!
//! **Precision.** Values are rounded to single precision. Two scores that differ by less than one part in ten million may become
//! equal.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::{LineError, ReadCollectionError, excerpt};
use super::query::{MAX_LABEL, Query};
use super::source::Source;

/// The longest line that is read, in bytes: 16 MiB.
pub const MAX_LINE: usize = 1 << 24;

/// The most documents that a query may have.
pub const MAX_DOCUMENTS: usize = 1_000_000;

/// The most values that the documents of a query may have together.
pub const MAX_VALUES: usize = 64_000_000;

/// The largest number of a feature.
pub const MAX_FEATURE: u32 = 1_000_000;

/// The longest name of a query, in bytes.
pub const MAX_ID: usize = 1024;

/// Reads the queries of one or several files, in order. It stops at the first error.
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
    /// Files that are not open yet, last one first.
    waiting: Vec<PathBuf>,
    source: Option<Source>,
    /// The source's line belongs to the next query.
    ahead: bool,
    /// The names of all files opened so far.
    files: Vec<String>,
    /// Where every query met so far began.
    seen: BTreeMap<Box<str>, Place>,
    keep_names: bool,
    /// An error was reported, or the end.
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

    /// Opens files that make one collection, as folds do. No query may be in two of them.
    ///
    /// # Errors
    ///
    /// If one of them cannot be opened.
    pub fn open_all<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self, ReadCollectionError> {
        let mut waiting: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let mut total = 0;
        for path in &waiting {
            // Opened once now, so that a mistyped name is found before an hour of reading.
            let length = std::fs::File::open(path).and_then(|file| file.metadata()).map(|data| data.len());
            total += length.map_err(|source| ReadCollectionError::Unreadable {
                file: path.display().to_string(),
                source,
            })?;
        }
        waiting.reverse();
        Ok(Self { waiting, total, ..Self::idle() })
    }

    /// Reads from anything, decompressing if need be; `name` stands for it in messages.
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

    /// Keeps the documents' names: what a comment says after `docid =`, or else all of the comment. They cost more memory than
    /// all else.
    #[must_use]
    pub fn keep_names(mut self) -> Self {
        self.keep_names = true;
        self
    }

    /// Bytes taken from the files so far, as they lie on the disk.
    pub fn bytes_taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Bytes of all files as they lie on the disk; 0 if the reader was not given files.
    pub fn bytes_total(&self) -> u64 {
        self.total
    }

    /// Reads the next query into `query`, whose memory is used again, and says whether there was one.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is not what it should be. After an error there are no more queries.
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
        let head = head(source.line()).map_err(|error| source.wrong(error))?;
        if let Some(place) = self.seen.get(head.id) {
            let (id, file) = (head.id.to_owned(), self.files[place.file].clone());
            return Err(source.wrong(LineError::QueryReturns { id, file, line: place.line }));
        }
        let place = Place { file: self.files.len() - 1, line: source.number() };
        self.seen.insert(head.id.into(), place);
        query.restart(head.id);
        loop {
            let head = self::head(source.line()).map_err(|error| source.wrong(error))?;
            if head.id != query.id() {
                self.ahead = true;
                return Ok(true);
            }
            document(&head, self.keep_names, query).map_err(|error| source.wrong(error))?;
            if !next_line(source)? {
                // The next file starts a query of its own.
                self.source = None;
                self.ahead = false;
                return Ok(true);
            }
        }
    }

    /// Goes to the next line that holds a document, opening files as need be, and says whether there is one.
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

/// Goes to the next line that holds a document, and says whether there is one.
fn next_line(source: &mut Source) -> Result<bool, ReadCollectionError> {
    while source.advance()? {
        let first = source.line().iter().find(|&&byte| !is_space(byte));
        if first.is_some_and(|&byte| byte != b'#') {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The two first fields of a line.
struct Head<'a> {
    label: u8,
    id: &'a str,
    rest: &'a [u8],
}

fn head(line: &[u8]) -> Result<Head<'_>, LineError> {
    let (first, rest) = word(line);
    let label = label(first).ok_or_else(|| LineError::Label { text: excerpt(first) })?;
    let (second, rest) = word(rest);
    let id = second.strip_prefix(b"qid:").ok_or_else(|| LineError::NoQueryId { text: excerpt(second) })?;
    let fits = (1..=MAX_ID).contains(&id.len()) && !id.contains(&b'#');
    match str::from_utf8(id) {
        Ok(id) if fits => Ok(Head { label, id, rest }),
        _ => Err(LineError::QueryId { text: excerpt(second) }),
    }
}

/// A word and what stands behind it.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let start = text.iter().position(|&byte| !is_space(byte)).unwrap_or(text.len());
    let text = &text[start..];
    let end = text.iter().position(|&byte| is_space(byte)).unwrap_or(text.len());
    text.split_at(end)
}

fn label(text: &[u8]) -> Option<u8> {
    if let [digit @ b'0'..=b'9'] = text {
        return Some(digit - b'0');
    }
    let (value, length) = number(text)?;
    if length != text.len() || value.fract() != 0.0 || !(0.0..=f32::from(MAX_LABEL)).contains(&value) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and in range")]
    Some(value as u8)
}

/// Adds the document of a line to the query.
fn document(head: &Head<'_>, keep_names: bool, query: &mut Query) -> Result<(), LineError> {
    if query.n_documents() == MAX_DOCUMENTS {
        return Err(LineError::TooManyDocuments { id: query.id().to_owned() });
    }
    let comment = features(head.rest, query)?;
    if query.n_values() > MAX_VALUES {
        return Err(LineError::TooManyValues { id: query.id().to_owned() });
    }
    query.close_document(head.label);
    if keep_names {
        query.name_last(name(comment));
    }
    Ok(())
}

/// Adds the values of a line, and returns its comment.
fn features<'a>(text: &'a [u8], query: &mut Query) -> Result<&'a [u8], LineError> {
    let mut last = 0;
    let mut rising = true;
    let mut rest = text;
    loop {
        let start = rest.iter().position(|&byte| !is_space(byte)).unwrap_or(rest.len());
        rest = &rest[start..];
        match rest.first() {
            None => break,
            Some(b'#') => break,
            Some(_) => {}
        }
        let Some((feature, value, behind)) = pair(rest) else { return Err(wrong_pair(text, rest)) };
        rising &= feature > last;
        last = feature;
        query.push_value(feature - 1, value);
        rest = behind;
    }
    if !rising {
        sort_features(query)?;
    }
    Ok(rest)
}

/// `feature:value` and what stands behind it.
fn pair(text: &[u8]) -> Option<(u32, f32, &[u8])> {
    let mut feature: u32 = 0;
    let mut at = 0;
    while let Some(digit @ b'0'..=b'9') = text.get(at) {
        feature = feature.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
        at += 1;
    }
    if !(1..=MAX_FEATURE).contains(&feature) || text.get(at) != Some(&b':') {
        return None;
    }
    let text = &text[at + 1..];
    let (value, length) = number(text)?;
    let rest = &text[length..];
    let ends = rest.first().is_none_or(|&byte| is_space(byte) || byte == b'#');
    (ends && value.is_finite()).then_some((feature, value, rest))
}

/// What is wrong with the field that `rest` starts with.
#[cold]
fn wrong_pair(text: &[u8], rest: &[u8]) -> LineError {
    let before = &text[..text.len() - rest.len()];
    let field = 3 + before.split(|&byte| is_space(byte)).filter(|word| !word.is_empty()).count();
    let (word, _) = word(rest);
    let word = word.split(|&byte| byte == b'#').next().unwrap_or_default();
    let Some(colon) = word.iter().position(|&byte| byte == b':') else {
        return LineError::Feature { field, text: excerpt(word) };
    };
    let (feature, value) = (&word[..colon], &word[colon + 1..]);
    let whole = str::from_utf8(feature).ok().and_then(|text| text.parse::<u32>().ok());
    if whole.is_some_and(|whole| (1..=MAX_FEATURE).contains(&whole)) && feature[0] != b'+' {
        LineError::Value { field, text: excerpt(value) }
    } else {
        LineError::FeatureId { field, text: excerpt(feature) }
    }
}

/// Puts the values of the last document in order.
#[cold]
fn sort_features(query: &mut Query) -> Result<(), LineError> {
    let (index, value) = query.open_values();
    let mut pairs: Vec<(u32, f32)> = index.iter().copied().zip(value.iter().copied()).collect();
    pairs.sort_unstable_by_key(|&(feature, _)| feature);
    if let Some(twice) = pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(LineError::RepeatedFeature { feature: twice[0].0 + 1 });
    }
    for (i, &(feature, number)) in pairs.iter().enumerate() {
        (index[i], value[i]) = (feature, number);
    }
    Ok(())
}

/// The number at the start of a text, to the nearest of single precision, and its length.
fn number(text: &[u8]) -> Option<(f32, usize)> {
    fast_float2::parse_partial(text).ok()
}

/// The document's name in a comment.
fn name(comment: &[u8]) -> String {
    let text = String::from_utf8_lossy(comment.strip_prefix(b"#").unwrap_or(comment));
    let text = text.trim();
    let named = text.strip_prefix("docid").and_then(|rest| rest.trim_start().strip_prefix('='));
    named.and_then(|rest| rest.split_whitespace().next()).unwrap_or(text).to_owned()
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c')
}
