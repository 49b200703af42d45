//! Finds the numbers of voters, and the contexts of duels.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::live::LiveState;
use super::{Arena, ArenaError};
use crate::domain::{Event, Person, Record};
use crate::id::ExperimentId;

impl Arena {
    /// Finds a voter of an experiment.
    ///
    /// # Errors
    ///
    /// If the experiment does not exist, or the store cannot be read.
    pub fn person(&self, id: ExperimentId, name: &str) -> Result<Person, ArenaError> {
        let live = self.live(id)?;
        let mut state = self.lock(&live)?;
        let number = self.number(id, &mut state, name)?;
        Ok(Person { name: name.to_owned(), number })
    }

    /// The number of a voter, if the name has one.
    pub(super) fn number(
        &self,
        id: ExperimentId,
        state: &mut LiveState,
        name: &str,
    ) -> Result<Option<u64>, ArenaError> {
        if let Some(number) = state.recent.number(name) {
            return Ok(Some(number));
        }
        let found = self.noticed(self.store.numbers(id, &[name].into()))?.remove(name);
        if let Some(number) = found {
            // The store has it, so it may be forgotten at any time.
            state.recent.note_number(name, number, 0);
        }
        Ok(found)
    }

    /// The numbers of voters, by their names. Names without a number are left out.
    pub(super) fn numbers(
        &self,
        id: ExperimentId,
        state: &LiveState,
        names: BTreeSet<&str>,
    ) -> Result<BTreeMap<String, u64>, ArenaError> {
        let recent = |name: &&str| state.recent.number(name).map(|number| ((*name).to_owned(), number));
        let mut numbers: BTreeMap<String, u64> = names.iter().filter_map(recent).collect();
        let others: BTreeSet<&str> = names.into_iter().filter(|&name| !numbers.contains_key(name)).collect();
        if !others.is_empty() {
            numbers.extend(self.noticed(self.store.numbers(id, &others))?);
        }
        Ok(numbers)
    }

    /// The context of the duel that a record issued.
    pub(super) fn context(&self, issue: Option<Record>) -> Result<Option<Value>, ArenaError> {
        let Some(mut issue) = issue else { return Ok(None) };
        // The store does not have a record that has its contents here.
        if issue.event.seal().is_some_and(|seal| seal.contents().is_none()) {
            self.noticed(self.store.reveal(core::slice::from_mut(&mut issue)))?;
        }
        Ok(if let Event::Issued(issued) = issue.event { issued.context() } else { None })
    }
}
