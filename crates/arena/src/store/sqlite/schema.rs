//! The tables, and what to do with a database of an earlier release. `tests/it/release.rs` opens a
//! data directory of every release.

use std::path::Path;

use rusqlite::Connection;

use super::super::StoreError;
use super::unavailable;

/// "Tilt" in ASCII, by which `file` and this program recognise the database.
const APPLICATION: i64 = 0x5469_6c74;

/// The current schema. Logs of schema 1 have no hashes.
pub const SCHEMA: i64 = 2;

/// Checks that the database belongs to tiltyard and that no later version wrote it. Returns its
/// schema; 0 if it is empty.
pub(super) fn check(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let pragma =
        |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(unavailable);
    let (application, found) = (pragma("application_id")?, pragma("user_version")?);
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(unavailable)?;
    if application != APPLICATION && (application != 0 || tables != 0) {
        return Err(StoreError::Foreign { path: path.display().to_string() });
    }
    if found > SCHEMA {
        return Err(StoreError::Newer { found, known: SCHEMA });
    }
    // Updating a log that has hashes would compute them anew, and hide damage.
    let has_hashes = connection.prepare("SELECT hash FROM log LIMIT 0").is_ok();
    if found < 0 || (found == 0 && tables != 0) || (found < SCHEMA && has_hashes) {
        let text = format!("its schema number, {found}, does not fit its tables");
        return Err(StoreError::Damaged { log: None, text });
    }
    Ok(found)
}

/// Checks that a database opened for reading needs no migration.
pub(super) fn check_current(found: i64) -> Result<(), StoreError> {
    if found == SCHEMA {
        return Ok(());
    }
    let text = format!(
        "it has schema {found}, but reading needs schema {SCHEMA}: run `tiltyard serve` once to update it"
    );
    Err(StoreError::Unavailable { text })
}

/// Creates the tables in an empty database.
pub(super) fn create(connection: &mut Connection) -> Result<(), StoreError> {
    let mut create = || -> rusqlite::Result<()> {
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Exclusive)?;
        transaction.execute_batch(include_str!("schema.sql"))?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", SCHEMA)?;
        transaction.commit()
    };
    create().map_err(unavailable)
}
