//! The tables, and how those of an earlier release become today's.
//!
//! A released migration is never changed: the next one comes after it. `tests/it/release.rs` opens
//! a data directory of every release.

use std::path::Path;

use rusqlite::Connection;

use super::super::StoreError;
use super::unavailable;

/// "Tilt", so that `file` and we can tell whose database it is.
const APPLICATION: i64 = 0x5469_6c74;

/// Each takes the schema one number further; the first one makes it from nothing.
const MIGRATIONS: &[&str] = &[include_str!("migration_1.sql")];

/// The schema written now.
#[expect(clippy::cast_possible_wrap, reason = "there are a few migrations")]
pub const SCHEMA: i64 = MIGRATIONS.len() as i64;

/// Whether the database is ours, and not of a later version.
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

/// Whether a database that is only read needs no migration.
pub(super) fn check_current(connection: &Connection) -> Result<(), StoreError> {
    let found = connection
        .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
        .map_err(unavailable)?;
    if found == SCHEMA {
        return Ok(());
    }
    let text = format!(
        "it has schema {found}, and reading needs schema {SCHEMA}: `tiltyard serve` brings it up to date"
    );
    Err(StoreError::Unavailable { text })
}

/// Brings the schema up to date, all or nothing.
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
