//! Recently closed duels and recent requests, so that a repeated request is answered from memory.
//!
//! Entries that are not durable yet must be here, because the store does not have them. The others
//! stay as long as there is room.

use std::collections::{BTreeMap, VecDeque};

use crate::domain::{Comparison, DuelHistory, Event, Record};

/// The number of entries above which durable ones are dropped.
const ROOM: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Recent {
    /// Closed duels, and the log position of the last record about each.
    duels: BTreeMap<u64, (DuelHistory, u64)>,
    /// Requests by client id, and the log position of their first duel.
    clients: BTreeMap<String, u64>,
    /// Imports by client id, until the store has them. They are not kept longer, because client ids
    /// that outlive the large batches around them would fragment the heap.
    imports: BTreeMap<String, u64>,
    /// The entries, oldest first, with their log positions.
    order: VecDeque<(u64, Entry)>,
}

#[derive(Debug)]
enum Entry {
    Duel(u64),
    Client(String),
}

impl Recent {
    /// The history of a duel, and the log position of the last record about it.
    pub(super) fn past(&self, seq: u64) -> Option<(&DuelHistory, u64)> {
        self.duels.get(&seq).map(|(past, seq)| (past, *seq))
    }

    /// The log position of the first record of a request.
    pub(super) fn client(&self, client: &str) -> Option<u64> {
        self.clients.get(client).or_else(|| self.imports.get(client)).copied()
    }

    /// Remembers an event about a duel; `drawn` is the duel if it was in flight.
    pub(super) fn note(&mut self, record: &Record, drawn: Option<DuelHistory>) {
        let (duel, mut past) = match (&record.event, drawn) {
            (Event::Answered(event), Some(drawn)) => (event.duel, drawn),
            (Event::Expired(event), Some(drawn)) => (event.duel, drawn),
            (Event::Voided(event), Some(drawn)) => (event.duel, drawn),
            (Event::Answered(event), None) => {
                let Some(drawn) = event.late else { return };
                let comparison = Comparison { drawn, slate: event.slate.clone() };
                (event.duel, DuelHistory { expired: true, ..DuelHistory::new(comparison) })
            }
            (Event::Voided(event), None) => {
                let Some(closed) = &event.past else { return };
                (event.duel, DuelHistory::new(closed.comparison()))
            }
            _ => return,
        };
        past.absorb(record);
        self.duels.insert(duel, (past, record.seq));
        self.order.push_back((record.seq, Entry::Duel(duel)));
    }

    /// Remembers the client id of a request.
    pub(super) fn note_client(&mut self, record: &Record) {
        let Some(client) = record.event.client() else { return };
        let seq = record.seq;
        if let Event::Imported(_) = record.event {
            self.imports.insert(client.to_owned(), seq);
            return;
        }
        self.clients.insert(client.to_owned(), seq);
        self.order.push_back((seq, Entry::Client(client.to_owned())));
    }

    /// Makes room by dropping the oldest entries that the store has.
    pub(super) fn forget(&mut self, durable: u64) {
        self.imports.retain(|_, seq| *seq > durable);
        while self.order.len() > ROOM && self.order.front().is_some_and(|(seq, _)| *seq <= durable) {
            match self.order.pop_front() {
                // A later record about the same duel has its own entry.
                Some((seq, Entry::Duel(duel)))
                    if self.duels.get(&duel).is_some_and(|(_, last)| *last == seq) =>
                {
                    self.duels.remove(&duel);
                }
                Some((_, Entry::Client(client))) => {
                    self.clients.remove(&client);
                }
                _ => {}
            }
        }
    }
}
