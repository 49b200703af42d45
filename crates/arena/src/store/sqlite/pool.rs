//! Connections for reading: some, so that readers do not wait for each other, and not more, since
//! each holds files open.

use std::sync::{Condvar, Mutex, PoisonError};

use rusqlite::Connection;

/// The most connections.
const MOST: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Pool {
    /// Held for a push or a pop.
    state: Mutex<State>,
    /// Told when a connection is free.
    free: Condvar,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Connection>,
    n_open: usize,
}

impl Pool {
    /// A connection that nobody uses; waits for one if there are enough.
    pub(super) fn take(
        &self,
        connect: impl FnOnce() -> rusqlite::Result<Connection>,
    ) -> rusqlite::Result<Connection> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(connection) = state.idle.pop() {
                return Ok(connection);
            }
            if state.n_open < MOST {
                state.n_open += 1;
                drop(state);
                return connect().inspect_err(|_| self.forget());
            }
            state = self.free.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn give_back(&self, connection: Connection) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).idle.push(connection);
        self.free.notify_one();
    }

    /// One that was not to be had does not count.
    fn forget(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).n_open -= 1;
        self.free.notify_one();
    }
}
