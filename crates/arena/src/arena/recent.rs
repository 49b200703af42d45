//! What happened of late: duels that were closed and requests that were made, so that asking again
//! is answered from memory.
//!
//! What is not durable yet must be here, since the store does not have it. The rest is kept while
//! there is room.

use std::collections::{BTreeMap, VecDeque};

use crate::domain::{Comparison, DuelHistory, Event, Record};

/// How many durable entries are kept.
const ROOM: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Recent {
    /// Closed duels, and the log position of the last record about each.
    duels: BTreeMap<u64, (DuelHistory, u64)>,
    /// Requests by the client's name for them, and the log position of their first duel.
    clients: BTreeMap<String, u64>,
    /// Imports by the client's name for them, until the store has them. They are not kept for
    /// longer: a name that stays between batches that go leaves holes in the heap that the next
    /// batch does not fit into.
    imports: BTreeMap<String, u64>,
    /// What was noted, oldest first, with its log position.
    order: VecDeque<(u64, Entry)>,
}

#[derive(Debug)]
enum Entry {
    Duel(u64),
    Client(String),
}

impl Recent {
    /// What became of a duel, and the log position of the last record about it.
    pub(super) fn past(&self, seq: u64) -> Option<(&DuelHistory, u64)> {
        self.duels.get(&seq).map(|(past, seq)| (past, *seq))
    }

    /// The log position of the first duel of a request.
    pub(super) fn client(&self, client: &str) -> Option<u64> {
        self.clients.get(client).or_else(|| self.imports.get(client)).copied()
    }

    /// Takes note of an event about a duel; `open` is the duel if it was in flight.
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

    /// Takes note of a client's name for a request.
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

    /// Makes room, by entries that the store has.
    pub(super) fn forget(&mut self, durable: u64) {
        self.imports.retain(|_, seq| *seq > durable);
        while self.order.len() > ROOM && self.order.front().is_some_and(|(seq, _)| *seq <= durable) {
            match self.order.pop_front() {
                // A later record about the same duel has an entry of its own.
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
