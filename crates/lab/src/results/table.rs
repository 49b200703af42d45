//! `results.parquet`: rows written and read in the order of items.
//!
//! Nothing of the `parquet` crate is in our public interface.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use tiltyard_bandit::Arm;
use tiltyard_world::{Best, BestKind, VoteSupply};

use crate::engine::plan::Items;
use crate::engine::{Record, Run};

/// The columns. `dry_from` is null if the world never ran dry.
const SCHEMA: &str = "
message results {
  required binary world (utf8);
  required binary policy (utf8);
  required int64 run;
  required int64 round;
  required double regret;
  required boolean hit;
  required int64 best;
  required binary best_kind (utf8);
  required int64 unanswered;
  required int64 repeated;
  optional int64 dry_from;
}";

/// Rows per row group. One group, about five megabytes, is held in memory while a file is written
/// or read.
const GROUP: usize = 1 << 16;

const KINDS: [(&str, BestKind); 4] = [
    ("condorcet", BestKind::Condorcet),
    ("copeland", BestKind::Copeland),
    ("utility", BestKind::Utility),
    ("point", BestKind::Point),
];

/// Rows held in memory, column by column.
#[derive(Debug, Default)]
struct Columns {
    world: Vec<ByteArray>,
    policy: Vec<ByteArray>,
    run: Vec<i64>,
    round: Vec<i64>,
    regret: Vec<f64>,
    hit: Vec<bool>,
    best: Vec<i64>,
    best_kind: Vec<ByteArray>,
    unanswered: Vec<i64>,
    repeated: Vec<i64>,
    /// The values that exist, and for each row whether it has one.
    dry_from: Vec<i64>,
    dry_levels: Vec<i16>,
}

/// Writes rows item by item.
pub(super) struct TableWriter<'a, W: Write + Send> {
    items: &'a Items<'a>,
    writer: SerializedFileWriter<W>,
    rows: Columns,
    /// The names of worlds, policies and kinds. The bytes are shared, so that a row costs no copy.
    worlds: Vec<ByteArray>,
    policies: Vec<ByteArray>,
    kinds: Vec<ByteArray>,
}

impl<'a, W: Write + Send> TableWriter<'a, W> {
    /// Begins a file. `facts` are stored in it as keys and values.
    pub(super) fn new(items: &'a Items<'a>, facts: &[(&str, &str)], inner: W) -> Result<Self, TableError> {
        let schema = Arc::new(parse_message_type(SCHEMA)?);
        let facts = facts
            .iter()
            .map(|(key, value)| KeyValue::new(format!("tiltyard.{key}"), (*value).to_owned()))
            .collect();
        let properties = WriterProperties::builder()
            .set_created_by(format!("tiltyard version {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(facts))
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_column_dictionary_enabled(ColumnPath::from("regret"), false)
            .build();
        let writer = SerializedFileWriter::new(inner, schema, Arc::new(properties))?;
        let plan = items.plan();
        Ok(Self {
            items,
            writer,
            rows: Columns::default(),
            worlds: plan.worlds.iter().map(|world| ByteArray::from(world.name.as_str())).collect(),
            policies: plan.policies.iter().map(|policy| ByteArray::from(policy.policy.as_str())).collect(),
            kinds: KINDS.iter().map(|(name, _)| ByteArray::from(*name)).collect(),
        })
    }

    pub(super) fn add(&mut self, record: &Record) -> Result<(), TableError> {
        let item = self.items.get(record.item);
        let cell = &self.items.plan().cells[item.cell];
        let Run { regret, hit, best, supply } = &record.run;
        let kind = KINDS.iter().position(|&(_, kind)| kind == best.kind).expect("every kind is listed");
        for ((&round, &regret), &hit) in item.checkpoints.iter().zip(regret).zip(hit) {
            let rows = &mut self.rows;
            rows.world.push(self.worlds[cell.world].clone());
            rows.policy.push(self.policies[cell.policy].clone());
            rows.run.push(whole(item.run));
            rows.round.push(whole(round));
            rows.regret.push(regret);
            rows.hit.push(hit);
            rows.best.push(whole(best.arm.index() as u64));
            rows.best_kind.push(self.kinds[kind].clone());
            rows.unanswered.push(whole(supply.unanswered));
            rows.repeated.push(whole(supply.repeated));
            rows.dry_from.extend(supply.dry_from.map(whole));
            rows.dry_levels.push(i16::from(supply.dry_from.is_some()));
            if self.rows.run.len() == GROUP {
                self.end_group()?;
            }
        }
        Ok(())
    }

    fn end_group(&mut self) -> Result<(), TableError> {
        let rows = std::mem::take(&mut self.rows);
        let mut group = self.writer.next_row_group()?;
        write_column::<ByteArrayType, _>(&mut group, &rows.world, None)?;
        write_column::<ByteArrayType, _>(&mut group, &rows.policy, None)?;
        write_column::<Int64Type, _>(&mut group, &rows.run, None)?;
        write_column::<Int64Type, _>(&mut group, &rows.round, None)?;
        write_column::<DoubleType, _>(&mut group, &rows.regret, None)?;
        write_column::<BoolType, _>(&mut group, &rows.hit, None)?;
        write_column::<Int64Type, _>(&mut group, &rows.best, None)?;
        write_column::<ByteArrayType, _>(&mut group, &rows.best_kind, None)?;
        write_column::<Int64Type, _>(&mut group, &rows.unanswered, None)?;
        write_column::<Int64Type, _>(&mut group, &rows.repeated, None)?;
        write_column::<Int64Type, _>(&mut group, &rows.dry_from, Some(&rows.dry_levels))?;
        group.close()?;
        Ok(())
    }

    /// Ends the file and returns the inner writer.
    pub(super) fn finish(mut self) -> Result<W, TableError> {
        if !self.rows.run.is_empty() {
            self.end_group()?;
        }
        Ok(self.writer.into_inner()?)
    }
}

pub(crate) fn write_column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), TableError> {
    let mut column = group.next_column()?.ok_or(TableError::Columns)?;
    column.typed::<T>().write_batch(values, levels, None)?;
    Ok(column.close()?)
}

/// Rounds, runs and arms are far below 2^63.
fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Reads rows item by item.
pub(crate) struct TableReader {
    reader: SerializedFileReader<File>,
    next_group: usize,
    rows: Columns,
    /// The next row in memory, and the next value of `dry_from`.
    next_row: usize,
    next_dry: usize,
}

impl TableReader {
    pub(crate) fn new(file: File) -> Result<Self, TableError> {
        let reader = SerializedFileReader::new(file)?;
        let schema = parse_message_type(SCHEMA)?;
        if reader.metadata().file_metadata().schema() != &schema {
            return Err(TableError::Columns);
        }
        Ok(Self { reader, next_group: 0, rows: Columns::default(), next_row: 0, next_dry: 0 })
    }

    /// The rows of the next item, which must have this number.
    pub(crate) fn next(&mut self, items: &Items<'_>, index: u64) -> Result<Record, TableError> {
        let item = items.get(index);
        let plan = items.plan();
        let cell = &plan.cells[item.cell];
        let unknown = Best { arm: Arm::new(0), kind: BestKind::Condorcet };
        let mut run = Run::new(unknown, item.checkpoints.len());
        for &round in item.checkpoints {
            if self.next_row == self.rows.run.len() {
                self.load_group()?;
            }
            let (row, rows) = (self.next_row, &self.rows);
            let is_here = rows.world[row].data() == plan.worlds[cell.world].name.as_bytes()
                && rows.policy[row].data() == plan.policies[cell.policy].policy.as_bytes()
                && rows.run[row] == whole(item.run)
                && rows.round[row] == whole(round);
            let kind = KINDS.iter().find(|(name, _)| name.as_bytes() == rows.best_kind[row].data());
            let (Some(&(_, kind)), true) = (kind, is_here) else {
                return Err(TableError::Order { item: index });
            };
            let misplaced = |_| TableError::Order { item: index };
            let count = |number: i64| u64::try_from(number).map_err(misplaced);
            run.record(rows.regret[row], rows.hit[row]);
            let arm = Arm::new(u32::try_from(rows.best[row]).map_err(misplaced)? as usize);
            run.best = Best { arm, kind };
            let dry_from = match rows.dry_levels[row] {
                0 => None,
                _ => Some(count(rows.dry_from[self.next_dry])?),
            };
            self.next_dry += usize::from(dry_from.is_some());
            run.supply = VoteSupply {
                unanswered: count(rows.unanswered[row])?,
                repeated: count(rows.repeated[row])?,
                dry_from,
            };
            self.next_row += 1;
        }
        Ok(Record { item: index, time: std::time::Duration::ZERO, run })
    }

    fn load_group(&mut self) -> Result<(), TableError> {
        if self.next_group >= self.reader.num_row_groups() {
            return Err(TableError::Short);
        }
        let group = self.reader.get_row_group(self.next_group)?;
        let n = usize::try_from(group.metadata().num_rows()).map_err(|_| TableError::Short)?;
        let column = |index| group.get_column_reader(index);
        let mut rows = Columns {
            world: read_column::<ByteArrayType>(column(0)?, n, None)?,
            policy: read_column::<ByteArrayType>(column(1)?, n, None)?,
            run: read_column::<Int64Type>(column(2)?, n, None)?,
            round: read_column::<Int64Type>(column(3)?, n, None)?,
            regret: read_column::<DoubleType>(column(4)?, n, None)?,
            hit: read_column::<BoolType>(column(5)?, n, None)?,
            best: read_column::<Int64Type>(column(6)?, n, None)?,
            best_kind: read_column::<ByteArrayType>(column(7)?, n, None)?,
            unanswered: read_column::<Int64Type>(column(8)?, n, None)?,
            repeated: read_column::<Int64Type>(column(9)?, n, None)?,
            ..Columns::default()
        };
        rows.dry_from = read_column::<Int64Type>(column(10)?, n, Some(&mut rows.dry_levels))?;
        if n == 0 {
            return Err(TableError::Short);
        }
        self.rows = rows;
        (self.next_row, self.next_dry) = (0, 0);
        self.next_group += 1;
        Ok(())
    }

    /// Checks that no rows are left.
    pub(crate) fn finish(self) -> Result<(), TableError> {
        if self.next_row < self.rows.run.len() || self.next_group < self.reader.num_row_groups() {
            return Err(TableError::Long);
        }
        Ok(())
    }
}

fn read_column<T: DataType>(
    column: parquet::column::reader::ColumnReader,
    n: usize,
    levels: Option<&mut Vec<i16>>,
) -> Result<Vec<T::T>, TableError> {
    let mut column = get_typed_column_reader::<T>(column);
    let mut values = Vec::with_capacity(n);
    let optional = levels.is_some();
    let (records, n_values, _) = column.read_records(n, levels, None, &mut values)?;
    if records != n || (!optional && n_values != n) {
        return Err(TableError::Short);
    }
    Ok(values)
}

/// A table of results cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum TableError {
    /// The file cannot be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The file is not a complete Parquet file.
    #[error("this is not a complete Parquet file: {reason}")]
    Format { reason: String },
    /// The columns are not those of a table of results.
    #[error("its columns are not those of a table of results")]
    Columns,
    /// A row is in the wrong place.
    #[error("the rows of item {item} are not where the manifest says")]
    Order { item: u64 },
    /// Rows are missing.
    #[error("it has fewer rows than the manifest says")]
    Short,
    /// The table has too many rows.
    #[error("it has more rows than the manifest says")]
    Long,
}

impl From<ParquetError> for TableError {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => Self::Io(*error),
                Err(inner) => Self::Format { reason: inner.to_string() },
            },
            error => Self::Format { reason: error.to_string() },
        }
    }
}
