//! Damages data, in ways that disks, file systems, people and programs are known for.

use std::path::Path;

use rand::seq::{IndexedRandom as _, SliceRandom as _};
use rand::{Rng, RngExt as _};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, params};
use tiltyard_arena::id::ExperimentId;

use crate::fixture::{DATABASE, Files, Fixture, HEADS, WAL};

const PAGE: usize = 4096;
const SECTOR: usize = 512;

/// A kind of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Bit,
    Bits,
    Cut,
    Longer,
    Zeroed,
    Garbage,
    OldBlock,
    Misplaced,
    Exchanged,
    Key,
    SwappedRecords,
    MissingRecords,
    ChangedRecord,
    MovedRecord,
    ExtraRecord,
    Index,
    Header,
    RolledBack,
    Deleted,
    Snapshots,
}

/// Every kind, how often it is tried, and its name.
pub(crate) const KINDS: [(Kind, u32, &str); 20] = [
    (Kind::Bit, 30, "a flipped bit"),
    (Kind::Bits, 6, "some flipped bits"),
    (Kind::Cut, 6, "a truncated file"),
    (Kind::Longer, 2, "bytes after the end of a file"),
    (Kind::Zeroed, 7, "a zeroed page or sector"),
    (Kind::Garbage, 4, "a page or sector of garbage"),
    (Kind::OldBlock, 5, "an old page or sector (lost write)"),
    (Kind::Misplaced, 3, "a copy of another page (misplaced write)"),
    (Kind::Exchanged, 3, "two exchanged pages"),
    (Kind::Key, 5, "a changed id in a row or an index"),
    (Kind::SwappedRecords, 5, "two swapped records"),
    (Kind::MissingRecords, 5, "missing records"),
    (Kind::ChangedRecord, 8, "a changed column of a record"),
    (Kind::MovedRecord, 2, "a record moved to another experiment"),
    (Kind::ExtraRecord, 2, "an inserted record"),
    (Kind::Index, 3, "an index with missing entries"),
    (Kind::Header, 1, "another schema number or application id"),
    (Kind::RolledBack, 4, "a file rolled back"),
    (Kind::Deleted, 2, "a deleted file"),
    (Kind::Snapshots, 2, "swapped snapshots"),
];

/// What was done.
#[derive(Debug)]
pub(crate) struct Damage {
    pub(crate) kind: Kind,
    pub(crate) story: String,
    /// The file that was damaged.
    pub(crate) file: String,
    /// The logs that it concerns, if only they can be concerned.
    pub(crate) logs: Option<Vec<Place>>,
}

/// Where a log was damaged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) log: ExperimentId,
    /// The first record that is damaged; none if only the look-up in an index is.
    pub(crate) record: Option<u64>,
}

/// Chooses a kind of damage.
pub(crate) fn choose(rng: &mut impl Rng) -> Kind {
    KINDS.choose_weighted(rng, |(_, weight, _)| *weight).map_or(Kind::Bit, |(kind, ..)| *kind)
}

/// Writes files into a directory, with a damage.
pub(crate) fn damage(
    kind: Kind,
    fixture: &Fixture,
    mut files: Files,
    directory: &Path,
    rng: &mut impl Rng,
) -> Result<Damage, String> {
    let is_sql = matches!(
        kind,
        Kind::SwappedRecords
            | Kind::MissingRecords
            | Kind::ChangedRecord
            | Kind::MovedRecord
            | Kind::ExtraRecord
            | Kind::Index
            | Kind::Header
    );
    let write = |files: &Files| files.write(directory).map_err(|error| error.to_string());
    if is_sql {
        write(&files)?;
        let (story, logs) = by_sql(kind, directory, rng).map_err(|error| format!("{kind:?}: {error}"))?;
        return Ok(Damage { kind, story, file: DATABASE.to_owned(), logs });
    }
    let (file, story) = match kind {
        Kind::Key => change_key(fixture, &mut files, rng),
        Kind::RolledBack => roll_back(fixture, &mut files, rng),
        Kind::Deleted => delete(&mut files, rng),
        Kind::Snapshots => swap_snapshots(&mut files, rng),
        _ => {
            let name = some_file(&files, rng);
            let old = [&fixture.earlier, &fixture.earliest][rng.random_range(0..2)].0.get(&name);
            let story = change(kind, files.0.entry(name.clone()).or_default(), old, rng);
            (name, story)
        }
    };
    write(&files)?;
    Ok(Damage { kind, story: format!("{file}: {story}"), file, logs: None })
}

/// Chooses a file.
fn some_file(files: &Files, rng: &mut impl Rng) -> String {
    let snapshots = files.snapshots();
    let mut choice = vec![(DATABASE, 50), (HEADS, 12)];
    if files.0.contains_key(WAL) {
        choice.push((WAL, 30));
    }
    if let Some(snapshot) = snapshots.choose(rng) {
        choice.push((snapshot, 15));
    }
    choice.choose_weighted(rng, |(_, weight)| *weight).map_or(DATABASE, |(name, _)| name).to_owned()
}

/// A position in a file: anywhere, or where the structure of the file is.
fn position(length: usize, rng: &mut impl Rng) -> usize {
    let length = length.max(1);
    let anywhere = rng.random_range(0..length);
    match rng.random_range(0..10) {
        // The start of the file, or of a page.
        0 => anywhere.min(rng.random_range(0..128)),
        1 | 2 => (anywhere - anywhere % PAGE + rng.random_range(0..200)).min(length - 1),
        // The last entries of a file that is appended to.
        3 => length - 1 - rng.random_range(0..length.min(200)),
        _ => anywhere,
    }
}

/// A page or a sector of a file that is at least this long.
fn block(length: usize, rng: &mut impl Rng) -> core::ops::Range<usize> {
    let size = if rng.random_bool(0.7) { PAGE } else { SECTOR };
    let place = rng.random_range(0..length.max(1));
    let start = place - place % size;
    start..(start + size).min(length)
}

/// Changes the bytes of a file.
fn change(kind: Kind, bytes: &mut Vec<u8>, old: Option<&Vec<u8>>, rng: &mut impl Rng) -> String {
    let length = bytes.len();
    if length == 0 {
        return "it is empty".to_owned();
    }
    let flip = |bytes: &mut Vec<u8>, place: usize, rng: &mut dyn Rng| {
        let bit = rng.random_range(0..8);
        bytes[place] ^= 1 << bit;
        format!("bit {bit} of byte {place}")
    };
    match kind {
        Kind::Bits => {
            let start = position(length, rng);
            let near = rng.random_bool(0.5);
            let n_flips = rng.random_range(2..9);
            let flips: Vec<String> = (0..n_flips)
                .map(|_| {
                    let place =
                        if near { start + rng.random_range(0..64) } else { rng.random_range(0..length) };
                    flip(bytes, place.min(length - 1), rng)
                })
                .collect();
            flips.join(", ")
        }
        Kind::Cut => {
            let place = rng.random_range(0..length);
            let place = match rng.random_range(0..4) {
                0 => place - place % PAGE,
                1 => length - 1 - rng.random_range(0..length.min(300)),
                2 if rng.random_bool(0.2) => 0,
                _ => place,
            };
            bytes.truncate(place);
            format!("cut from {length} to {place} bytes")
        }
        Kind::Longer => {
            let n_more = rng.random_range(1..2 * PAGE);
            let zeros = rng.random_bool(0.5);
            bytes.extend((0..n_more).map(|_| if zeros { 0 } else { rng.random::<u8>() }));
            format!("{n_more} bytes more, zeros: {zeros}")
        }
        Kind::Zeroed | Kind::Garbage => {
            let block = block(length, rng);
            for byte in &mut bytes[block.clone()] {
                *byte = if kind == Kind::Zeroed { 0 } else { rng.random() };
            }
            format!("{kind:?} {block:?}")
        }
        Kind::OldBlock => {
            let Some(old) = old.filter(|old| !old.is_empty()) else { return "it is new".to_owned() };
            let block = block(length.min(old.len()), rng);
            bytes[block.clone()].copy_from_slice(&old[block.clone()]);
            format!("{block:?} as it was earlier")
        }
        Kind::Misplaced | Kind::Exchanged => {
            let n_pages = length / PAGE;
            if n_pages < 2 {
                return "it is a single page".to_owned();
            }
            let (one, other) = (rng.random_range(0..n_pages), rng.random_range(0..n_pages));
            for i in 0..PAGE {
                if kind == Kind::Misplaced {
                    bytes[one * PAGE + i] = bytes[other * PAGE + i];
                } else {
                    bytes.swap(one * PAGE + i, other * PAGE + i);
                }
            }
            format!("{kind:?} pages {one} and {other} (counted from 0)")
        }
        _ => {
            let place = position(length, rng);
            flip(bytes, place, rng)
        }
    }
}

/// Changes the experiment by which a row, or an entry of an index, is filed. A row with another id
/// in an inner page of a tree also leads searches for its neighbours astray.
fn change_key(fixture: &Fixture, files: &mut Files, rng: &mut impl Rng) -> (String, String) {
    let ids: Vec<_> = fixture.truth.experiments().map(|(id, _)| id).collect();
    let mut keys: Vec<usize> = ids.iter().flat_map(|id| files.keys(*id)).collect();
    let bytes = files.0.entry(DATABASE.to_owned()).or_default();
    let is_inner = |place: &usize| bytes[place - place % PAGE] == 2;
    if rng.random_bool(0.5) && keys.iter().any(is_inner) {
        keys.retain(is_inner);
    }
    let Some(&place) = keys.choose(rng) else { return (DATABASE.to_owned(), "it has no rows".to_owned()) };
    let story = match rng.random_range(0..3) {
        // A neighbour of the id, just smaller or greater.
        0 => {
            bytes[place + 7] ^= 1 << rng.random_range(0..8);
            "other in its last byte"
        }
        1 => {
            bytes[place + rng.random_range(0..8)] ^= 1 << rng.random_range(0..8);
            "with a flipped bit"
        }
        _ => {
            bytes[place..place + 8].fill(0);
            "zeroed"
        }
    };
    (DATABASE.to_owned(), format!("the id at byte {place} {story}"))
}

/// Replaces one file, or the snapshots, by an earlier copy.
fn roll_back(fixture: &Fixture, files: &mut Files, rng: &mut impl Rng) -> (String, String) {
    let (when, old) = [("some time", &fixture.earlier), ("long", &fixture.earliest)][rng.random_range(0..2)];
    // An earlier write-ahead log can lie beside a database that a clean stop left without one.
    let name = [DATABASE, DATABASE, WAL, WAL, HEADS, "snapshots"][rng.random_range(0..6)];
    if name == "snapshots" {
        files.0.retain(|name, _| !name.starts_with("snapshots/"));
        files.0.extend(old.0.iter().filter(|(name, _)| name.starts_with("snapshots/")).map(owned));
    } else {
        files.0.extend(old.0.get_key_value(name).map(owned));
    }
    (name.to_owned(), format!("as it was {when} before"))
}

fn owned((name, bytes): (&String, &Vec<u8>)) -> (String, Vec<u8>) {
    (name.clone(), bytes.clone())
}

fn delete(files: &mut Files, rng: &mut impl Rng) -> (String, String) {
    let names = [DATABASE, WAL, HEADS, "snapshots/", &files.snapshots()[0]];
    let name = names[rng.random_range(0..names.len())].to_owned();
    files.0.retain(|file, _| *file != name && (name != "snapshots/" || !file.starts_with(&name)));
    (name, "deleted".to_owned())
}

/// Gives snapshots the contents of other snapshots.
fn swap_snapshots(files: &mut Files, rng: &mut impl Rng) -> (String, String) {
    let names = files.snapshots();
    let mut others = names.clone();
    others.shuffle(rng);
    let contents: Vec<Vec<u8>> = others.iter().map(|name| files.0[name].clone()).collect();
    files.0.extend(names.into_iter().zip(contents));
    ("snapshots".to_owned(), "in another order".to_owned())
}

type BySql = (String, Option<Vec<Place>>);

/// Opens the database as another program would. What is only in the write-ahead log stays there.
fn open(directory: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(directory.join(DATABASE))?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    Ok(connection)
}

fn by_sql(kind: Kind, directory: &Path, rng: &mut impl Rng) -> rusqlite::Result<BySql> {
    let connection = open(directory)?;
    connection.execute_batch("DROP TRIGGER log_is_never_changed; DROP TRIGGER log_is_never_shortened")?;
    let mut logs = Vec::new();
    {
        let mut statement =
            connection.prepare("SELECT experiment, max(seq) FROM log GROUP BY experiment ORDER BY 1")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            logs.push((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        }
    }
    // Rarely the log of keys, which is the first.
    let index = if rng.random_bool(0.1) { 0 } else { rng.random_range(1..logs.len()) };
    let (log, last) = logs[index];
    let seq = match rng.random_range(0..8) {
        0 => 1,
        1 => last,
        _ => rng.random_range(1..=last),
    };
    let place = |log, record: Option<i64>| Place { log: id(log), record: record.map(i64::unsigned_abs) };
    let name = id(log);
    match kind {
        Kind::SwappedRecords => {
            let other = if seq > 1 { rng.random_range(1..seq) } else { 2 };
            let story = swap(&connection, log, (seq, other), rng)?;
            let first = Some(seq.min(other));
            Ok((
                format!("records {other} and {seq} of {name}: swapped {story}"),
                Some(vec![place(log, first)]),
            ))
        }
        Kind::MissingRecords => {
            let n_gone = [1, 1, 1, 2, 50][rng.random_range(0..5)];
            connection.execute(
                "DELETE FROM log WHERE experiment = ?1 AND seq >= ?2 AND seq < ?2 + ?3",
                [log, seq, n_gone],
            )?;
            Ok((
                format!("{n_gone} records of {name} from {seq} on deleted"),
                Some(vec![place(log, Some(seq))]),
            ))
        }
        Kind::ChangedRecord => change_column(&connection, (log, seq), rng),
        Kind::MovedRecord => {
            let (target, end) = logs[(index + 1) % logs.len()];
            connection.execute(
                "UPDATE log SET experiment = ?3, seq = ?4, duel = NULL, client = NULL WHERE experiment = ?1 AND seq = ?2",
                [log, seq, target, end + 1],
            )?;
            Ok((
                format!("record {seq} of {name} moved to record {} of {}", end + 1, id(target)),
                Some(vec![place(log, Some(seq)), place(target, Some(end + 1))]),
            ))
        }
        Kind::ExtraRecord => {
            connection.execute(
                "INSERT INTO log SELECT experiment, ?3 + 1, at, kind, NULL, NULL, body, hash FROM log \
                 WHERE experiment = ?1 AND seq = ?2",
                [log, seq, last],
            )?;
            Ok((
                format!("record {} of {name} is a copy of record {seq}", last + 1),
                Some(vec![place(log, Some(last + 1))]),
            ))
        }
        Kind::Index => {
            drop(connection);
            thin_index(directory, rng)
        }
        _ => {
            let sql = [
                "PRAGMA user_version = 0",
                "PRAGMA user_version = 1",
                "PRAGMA user_version = 3",
                "PRAGMA user_version = -1",
                "PRAGMA application_id = 0",
                "PRAGMA application_id = 7",
            ][rng.random_range(0..6)];
            connection.execute_batch(sql)?;
            Ok((sql.to_owned(), None))
        }
    }
}

/// An id as SQLite stores it.
fn id(log: i64) -> ExperimentId {
    if log == 0 { ExperimentId::ARENA } else { ExperimentId::from_random(log.unsigned_abs() << 1) }
}

/// Swaps two records, or parts of them.
fn swap(
    connection: &Connection,
    log: i64,
    (one, other): (i64, i64),
    rng: &mut impl Rng,
) -> rusqlite::Result<&'static str> {
    if rng.random_bool(0.4) {
        let move_to = "UPDATE log SET seq = ?3 WHERE experiment = ?1 AND seq = ?2";
        for (from, to) in [(one, -1), (other, one), (-1, other)] {
            connection.execute(move_to, [log, from, to])?;
        }
        return Ok("as a whole");
    }
    let columns = ["at, body, hash", "body", "body, hash", "hash"][rng.random_range(0..4)];
    // The columns of unique indexes stay, because they would be in conflict meanwhile.
    let sql = format!(
        "UPDATE log SET ({columns}) = (SELECT {columns} FROM log AS other \
         WHERE other.experiment = ?1 AND other.seq = (CASE log.seq WHEN ?2 THEN ?3 ELSE ?2 END)) \
         WHERE experiment = ?1 AND seq IN (?2, ?3)"
    );
    // SQLite would read the row that it has changed already, so one of them is kept apart.
    connection.execute_batch(&format!(
        "CREATE TEMP TABLE kept AS SELECT {columns} FROM log WHERE experiment = {log} AND seq = {one}"
    ))?;
    let first = sql.replace("IN (?2, ?3)", "= ?2");
    connection.execute(&first, [log, one, other])?;
    connection.execute(
        &format!("UPDATE log SET ({columns}) = (SELECT * FROM temp.kept) WHERE experiment = ?1 AND seq = ?2"),
        [log, other],
    )?;
    Ok(columns)
}

/// Changes a column of a record.
fn change_column(
    connection: &Connection,
    (log, seq): (i64, i64),
    rng: &mut impl Rng,
) -> rusqlite::Result<BySql> {
    let (column, value, where_, is_covered) = [
        ("at", "at + 1", "1", true),
        ("kind", "(kind + 1) % 20", "duel IS NULL", true),
        ("body", "body || ' '", "1", true),
        ("body", "replace(body, '1', '2')", "body LIKE '%1%'", true),
        ("body", "replace(body, 'left', 'right')", "body LIKE '%left%'", true),
        ("body", "upper(body)", "1", true),
        ("hash", "zeroblob(32)", "1", true),
        ("hash", "zeroblob(7)", "1", true),
        ("duel", "duel + 1000000", "duel IS NOT NULL", false),
        ("duel", "NULL", "duel IS NOT NULL", false),
        ("duel", "seq", "duel IS NULL", false),
        ("client", "client || 'x'", "client IS NOT NULL", false),
        ("client", "NULL", "client IS NOT NULL", false),
        ("client", "'none'", "client IS NULL", false),
    ][rng.random_range(0..14)];
    // The first record from there on to which this can be done, or the first of all.
    let find = |from: i64| {
        let sql = format!("SELECT min(seq) FROM log WHERE experiment = ?1 AND seq >= ?2 AND {where_}");
        connection.query_row(&sql, [log, from], |row| row.get::<_, Option<i64>>(0))
    };
    let Some(seq) = find(seq)?.or(find(0)?) else {
        return Ok((format!("nothing: {column} of no record"), Some(Vec::new())));
    };
    let sql = format!("UPDATE log SET {column} = {value} WHERE experiment = ?1 AND seq = ?2");
    connection.execute(&sql, params![log, seq])?;
    let record = is_covered.then_some(seq.unsigned_abs());
    Ok((
        format!("record {seq} of {}: {column} = {value}", id(log)),
        Some(vec![Place { log: id(log), record }]),
    ))
}

/// Removes entries from an index, but leaves the index itself in place.
fn thin_index(directory: &Path, rng: &mut impl Rng) -> rusqlite::Result<BySql> {
    let column = if rng.random_bool(0.5) { "duel" } else { "client" };
    let index = format!("log_{column}");
    let which = rng.random_range(0..40);
    let (whole, part) = (
        format!("WHERE {column} IS NOT NULL"),
        format!("WHERE {column} IS NOT NULL AND seq % 40 != {which}"),
    );
    let write_schema = |from: &str, to: &str| {
        let connection = open(directory)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)?;
        connection.pragma_update(None, "writable_schema", true)?;
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, ?2, ?3) WHERE name = ?1",
            params![index, from, to],
        )
    };
    write_schema(&whole, &part)?;
    open(directory)?.execute_batch(&format!("REINDEX {index}"))?;
    write_schema(&part, &whole)?;
    Ok((format!("the index {index} has no entries where seq % 40 = {which}"), None))
}
