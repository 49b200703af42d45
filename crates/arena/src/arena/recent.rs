//! Recently closed duels, recent requests and voters, so that a repeated request is answered from
//! memory.
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
    /// The numbers of voters, by name.
    numbers: BTreeMap<String, u64>,
    /// Names of new voters in imports. Like imports, they stay only until the store has them.
    imported_names: VecDeque<(u64, String)>,
    /// The entries, oldest first, with their log positions.
    order: VecDeque<(u64, Entry)>,
}

#[derive(Debug)]
enum Entry {
    Duel(u64),
    Client(String),
    Voter(String),
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

    /// The number of a voter.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.numbers.get(name).copied()
    }

    /// Remembers the number of a voter, who has it since this log position.
    pub(super) fn note_number(&mut self, name: &str, number: u64, seq: u64) {
        self.numbers.insert(name.to_owned(), number);
        self.order.push_back((seq, Entry::Voter(name.to_owned())));
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

    /// Remembers the client id of a request, and the numbers of new voters.
    pub(super) fn note_request(&mut self, record: &Record) {
        let seq = record.seq;
        for (number, name) in record.event.numbers() {
            let Some(name) = name else { continue };
            if let Event::Imported(_) = record.event {
                self.numbers.insert(name.to_owned(), number);
                self.imported_names.push_back((seq, name.to_owned()));
            } else {
                self.note_number(name, number, seq);
            }
        }
        let Some(client) = record.event.client() else { return };
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
        while let Some((_, name)) = self.imported_names.pop_front_if(|(seq, _)| *seq <= durable) {
            self.numbers.remove(&name);
        }
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
                Some((_, Entry::Voter(name))) => {
                    self.numbers.remove(&name);
                }
                _ => {}
            }
        }
    }
}
