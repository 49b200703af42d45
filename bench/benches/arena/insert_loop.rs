//! The loop to compare with: one durable insert per commit, again and again.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Inserts per second of a row as long as a duel's record, with the settings of the store, on a
/// disk that takes `delay` longer to sync.
pub(crate) fn per_second(directory: &Path, time: Duration, delay: Duration) -> f64 {
    let connection = rusqlite::Connection::open(directory.join("loop.db")).expect("a database");
    connection.pragma_update(None, "journal_mode", "WAL").expect("WAL");
    connection.pragma_update(None, "synchronous", "FULL").expect("synchronous");
    connection.execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT NOT NULL)").expect("a table");
    let body = "x".repeat(160);
    let start = Instant::now();
    let mut n_inserts = 0;
    while start.elapsed() < time {
        let mut insert = connection.prepare_cached("INSERT INTO t (body) VALUES (?1)").expect("a statement");
        insert.execute([&body]).expect("an insert");
        if !delay.is_zero() {
            thread::sleep(delay);
        }
        n_inserts += 1;
    }
    f64::from(n_inserts) / start.elapsed().as_secs_f64()
}
