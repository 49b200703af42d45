//! A pool of connections for reading. It has several, so that readers rarely wait for each other,
//! but a limited number, because each connection keeps files open.

use std::sync::{Condvar, Mutex, PoisonError};

use rusqlite::Connection;

/// The maximum number of connections.
const MOST: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Pool {
    /// Locked only for a push or a pop.
    state: Mutex<State>,
    /// Notified when a connection becomes free.
    free: Condvar,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Connection>,
    n_open: usize,
}

impl Pool {
    /// Takes an idle connection, or opens one. If the maximum is open, it waits for an idle one.
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

    /// Stops counting a connection that could not be opened.
    fn forget(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).n_open -= 1;
        self.free.notify_one();
    }
}
