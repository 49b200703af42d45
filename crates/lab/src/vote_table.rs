//! Votes of a live experiment as a Parquet file, with the column names of the Open Bandit Pipeline.
//!
//! An *action* is an ordered pair of arms, as it was drawn: arm i first and arm j second is action
//! `i * n_arms + j`. The *reward* is that of the first arm: 1 for a win, 1/2 for a tie, 0 for a
//! loss. *pscore* is the probability of the action; null if unknown. *position* is always 0,
//! because there is only one place for an action. The other columns hold the vote as it was shown
//! and everything else that is known about it.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use tiltyard_bandit::Arm;

use crate::results::TableError;
use crate::results::table::write_column;

const SCHEMA: &str = "
message votes {
  required int64 timestamp (TIMESTAMP(MICROS,true));
  required int64 action;
  required int64 position;
  required double reward;
  optional double pscore;
  optional binary context (utf8);
  required binary left (utf8);
  required binary right (utf8);
  required binary outcome (utf8);
  required double score;
  required double weight;
  optional binary voter (utf8);
  required boolean holdout;
  required boolean late;
  optional binary source (utf8);
  required int64 seq;
  optional int64 duel;
}";

/// Rows per row group. One group is held in memory while a file is written.
const GROUP: usize = 1 << 16;

/// A row group also ends when its texts have this many bytes.
const GROUP_TEXT: usize = 16 << 20;

/// A vote: one row of the table.
#[derive(Debug, Clone, Copy)]
#[expect(missing_docs, reason = "the names say it")]
pub struct VoteRow<'a> {
    /// When the vote was given, in microseconds since 1970.
    pub micros: i64,
    /// The arm that was shown on the left.
    pub left: Arm,
    /// The arm that was shown on the right.
    pub right: Arm,
    /// Whether the arm on the right was drawn first.
    pub swapped: bool,
    /// The answer in one word; `score` if no word fits.
    pub outcome: &'a str,
    /// How much better the left arm is, from -1 to 1.
    pub score: f64,
    /// How much the vote counts.
    pub weight: f64,
    /// The probability of the pair, in the order in which it was drawn.
    pub pscore: Option<f64>,
    pub voter: Option<&'a str>,
    /// The data that was stored with the duel, as JSON.
    pub context: Option<&'a str>,
    /// Whether the duel was drawn uniformly and not learned from.
    pub holdout: bool,
    /// Whether the vote came after its duel had expired.
    pub late: bool,
    /// Where the vote comes from, if it was given elsewhere.
    pub source: Option<&'a str>,
    /// The log position at which the vote was recorded.
    pub seq: u64,
    /// The log position at which its duel was issued.
    pub duel: Option<u64>,
}

/// Values of an optional column, and for each row whether it has one.
#[derive(Debug)]
struct Optional<T> {
    values: Vec<T>,
    levels: Vec<i16>,
}

impl<T> Default for Optional<T> {
    fn default() -> Self {
        Self { values: Vec::new(), levels: Vec::new() }
    }
}

impl<T> Optional<T> {
    fn push(&mut self, value: Option<T>) {
        self.levels.push(i16::from(value.is_some()));
        self.values.extend(value);
    }
}

/// Rows held in memory, column by column.
#[derive(Debug, Default)]
struct Columns {
    timestamp: Vec<i64>,
    action: Vec<i64>,
    position: Vec<i64>,
    reward: Vec<f64>,
    pscore: Optional<f64>,
    context: Optional<ByteArray>,
    left: Vec<ByteArray>,
    right: Vec<ByteArray>,
    outcome: Vec<ByteArray>,
    score: Vec<f64>,
    weight: Vec<f64>,
    voter: Optional<ByteArray>,
    holdout: Vec<bool>,
    late: Vec<bool>,
    source: Optional<ByteArray>,
    seq: Vec<i64>,
    duel: Optional<i64>,
}

/// Writes votes to a Parquet file.
pub struct VoteTable<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    /// The names of the arms. The bytes are shared, so that a row costs no copy.
    arms: Vec<ByteArray>,
    rows: Columns,
    n_text: usize,
}

impl<W: Write + Send> VoteTable<W> {
    /// Begins a file. The file stores the names of the arms, their number and the number of actions
    /// as `tiltyard.arms` (JSON), `tiltyard.n_arms` and `tiltyard.n_actions`.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn new(arms: &[String], inner: W) -> Result<Self, TableError> {
        let schema = Arc::new(parse_message_type(SCHEMA)?);
        let n_arms = arms.len();
        let fact = |key: &str, value: String| KeyValue::new(format!("tiltyard.{key}"), value);
        let facts = vec![
            fact("arms", serde_json::Value::from(arms).to_string()),
            fact("n_arms", n_arms.to_string()),
            fact("n_actions", (n_arms * n_arms).to_string()),
        ];
        let properties = WriterProperties::builder()
            .set_created_by(format!("tiltyard version {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(facts))
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .build();
        let writer = SerializedFileWriter::new(inner, schema, Arc::new(properties))?;
        let arms = arms.iter().map(|arm| ByteArray::from(arm.as_str())).collect();
        Ok(Self { writer, arms, rows: Columns::default(), n_text: 0 })
    }

    /// Adds a vote.
    ///
    /// # Errors
    ///
    /// If the row cannot be written, or names an arm that does not exist.
    pub fn add(&mut self, row: &VoteRow<'_>) -> Result<(), TableError> {
        let n_arms = self.arms.len();
        let [left, right] = [row.left, row.right].map(Arm::index);
        if left >= n_arms || right >= n_arms {
            return Err(TableError::Columns);
        }
        let (first, second, score) =
            if row.swapped { (right, left, -row.score) } else { (left, right, row.score) };
        let rows = &mut self.rows;
        rows.timestamp.push(row.micros);
        rows.action.push(whole((first * n_arms + second) as u64));
        rows.position.push(0);
        rows.reward.push(f64::midpoint(1.0, score));
        rows.pscore.push(row.pscore);
        rows.left.push(self.arms[left].clone());
        rows.right.push(self.arms[right].clone());
        rows.outcome.push(ByteArray::from(row.outcome));
        rows.score.push(row.score);
        rows.weight.push(row.weight);
        rows.context.push(row.context.map(ByteArray::from));
        rows.voter.push(row.voter.map(ByteArray::from));
        rows.source.push(row.source.map(ByteArray::from));
        rows.holdout.push(row.holdout);
        rows.late.push(row.late);
        rows.seq.push(whole(row.seq));
        rows.duel.push(row.duel.map(whole));
        let texts = [row.context, row.voter, row.source];
        self.n_text += texts.into_iter().flatten().map(str::len).sum::<usize>();
        if self.rows.seq.len() == GROUP || self.n_text >= GROUP_TEXT {
            self.end_group()?;
        }
        Ok(())
    }

    fn end_group(&mut self) -> Result<(), TableError> {
        fn optional<T: DataType, W: Write + Send>(
            group: &mut parquet::file::writer::SerializedRowGroupWriter<'_, W>,
            column: &Optional<T::T>,
        ) -> Result<(), TableError> {
            write_column::<T, _>(group, &column.values, Some(&column.levels))
        }
        let rows = std::mem::take(&mut self.rows);
        self.n_text = 0;
        let mut group = self.writer.next_row_group()?;
        write_column::<Int64Type, _>(&mut group, &rows.timestamp, None)?;
        write_column::<Int64Type, _>(&mut group, &rows.action, None)?;
        write_column::<Int64Type, _>(&mut group, &rows.position, None)?;
        write_column::<DoubleType, _>(&mut group, &rows.reward, None)?;
        optional::<DoubleType, _>(&mut group, &rows.pscore)?;
        optional::<ByteArrayType, _>(&mut group, &rows.context)?;
        write_column::<ByteArrayType, _>(&mut group, &rows.left, None)?;
        write_column::<ByteArrayType, _>(&mut group, &rows.right, None)?;
        write_column::<ByteArrayType, _>(&mut group, &rows.outcome, None)?;
        write_column::<DoubleType, _>(&mut group, &rows.score, None)?;
        write_column::<DoubleType, _>(&mut group, &rows.weight, None)?;
        optional::<ByteArrayType, _>(&mut group, &rows.voter)?;
        write_column::<BoolType, _>(&mut group, &rows.holdout, None)?;
        write_column::<BoolType, _>(&mut group, &rows.late, None)?;
        optional::<ByteArrayType, _>(&mut group, &rows.source)?;
        write_column::<Int64Type, _>(&mut group, &rows.seq, None)?;
        optional::<Int64Type, _>(&mut group, &rows.duel)?;
        group.close()?;
        Ok(())
    }

    /// Ends the file and returns the inner writer.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn finish(mut self) -> Result<W, TableError> {
        if !self.rows.seq.is_empty() {
            self.end_group()?;
        }
        Ok(self.writer.into_inner()?)
    }
}

/// Log positions and actions are far below 2^63.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::RowAccessor as _;

    fn row(left: usize, right: usize, score: f64, swapped: bool) -> VoteRow<'static> {
        VoteRow {
            micros: 1_800_000_000_000_000,
            left: Arm::new(left),
            right: Arm::new(right),
            swapped,
            outcome: "left",
            score,
            weight: 1.0,
            pscore: Some(0.25),
            voter: None,
            context: Some("{}"),
            holdout: false,
            late: false,
            source: None,
            seq: 7,
            duel: Some(2),
        }
    }

    #[test]
    fn trace_actions_and_rewards() {
        let arms = ["a", "b", "c"].map(str::to_owned);
        let file = tempfile::tempfile().unwrap();
        let mut table = VoteTable::new(&arms, file.try_clone().unwrap()).unwrap();
        // c was shown on the left and won; it was drawn first.
        table.add(&row(2, 1, 1.0, false)).unwrap();
        // The same, but b was drawn first, and it lost.
        table.add(&row(2, 1, 1.0, true)).unwrap();
        table
            .add(&VoteRow { pscore: None, duel: None, source: Some("f"), ..row(0, 1, -0.5, false) })
            .unwrap();
        assert!(matches!(table.add(&row(3, 0, 0.0, false)), Err(TableError::Columns)));
        table.finish().unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let facts = reader.metadata().file_metadata().key_value_metadata().unwrap().clone();
        assert!(facts.contains(&KeyValue::new("tiltyard.n_actions".to_owned(), "9".to_owned())));
        assert!(facts.contains(&KeyValue::new("tiltyard.arms".to_owned(), "[\"a\",\"b\",\"c\"]".to_owned())));
        let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        let seen: Vec<_> = rows
            .iter()
            .map(|row| (row.get_long(1).unwrap(), row.get_double(3).unwrap(), row.get_double(4).ok()))
            .collect();
        assert_eq!(seen, [(7, 1.0, Some(0.25)), (5, 0.0, Some(0.25)), (1, 0.25, None)]);
    }
}
