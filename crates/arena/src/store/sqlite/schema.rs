//! The tables, and the migrations from the tables of earlier releases.
//!
//! A released migration is never changed; a new one follows it. `tests/it/release.rs` opens a data
//! directory of every release.

use std::path::Path;

use rusqlite::Connection;

use super::super::StoreError;
use super::unavailable;

/// "Tilt" in ASCII, by which `file` and this program recognise the database.
const APPLICATION: i64 = 0x5469_6c74;

/// Each migration raises the schema's number by one. The first one starts from an empty database.
const MIGRATIONS: &[&str] = &[include_str!("migration_1.sql")];

/// The current schema.
#[expect(clippy::cast_possible_wrap, reason = "there are a few migrations")]
pub const SCHEMA: i64 = MIGRATIONS.len() as i64;

/// Checks that the database belongs to tiltyard and that no later version wrote it.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let pragma =
        |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(unavailable);
    let (application, found) = (pragma("application_id")?, pragma("user_version")?);
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(unavailable)?;
    if application != APPLICATION && (application != 0 || tables != 0) {
        return Err(StoreError::Foreign { path: path.display().to_string() });
    }
    if found > SCHEMA { Err(StoreError::Newer { found, known: SCHEMA }) } else { Ok(()) }
}

/// Checks that a database opened for reading needs no migration.
pub(super) fn check_current(connection: &Connection) -> Result<(), StoreError> {
    let found = connection
        .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
        .map_err(unavailable)?;
    if found == SCHEMA {
        return Ok(());
    }
    let text = format!(
        "it has schema {found}, but reading needs schema {SCHEMA}: run `tiltyard serve` once to update it"
    );
    Err(StoreError::Unavailable { text })
}

/// Updates the schema, all or nothing.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let mut migrate = || -> rusqlite::Result<()> {
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Exclusive)?;
        let found: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let done = usize::try_from(found).unwrap_or_default();
        for migration in &MIGRATIONS[done.min(MIGRATIONS.len())..] {
            transaction.execute_batch(migration)?;
        }
        if found < SCHEMA {
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", SCHEMA)?;
        }
        transaction.commit()
    };
    migrate().map_err(unavailable)
}
