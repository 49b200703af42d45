//! An arm's opponents by their votes: how many have which.
//!
//! With a million votes on thousands of arms an arm has thousands of opponents and some hundred
//! different tallies. Limits of the arm's mean rate need these alone.

use core::cmp::Ordering;

use tiltyard_bandit::verdict::Alike;

use crate::domain::Change;

/// How many opponents of an arm have which votes, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OpponentTallies(Vec<Alike>);

impl OpponentTallies {
    pub(crate) fn change(&mut self, one: &Alike, by: Change) {
        match by {
            Change::Add => self.add(one),
            Change::Remove => self.remove(one),
        }
    }

    /// Another opponent has these votes.
    fn add(&mut self, one: &Alike) {
        match self.place(one) {
            Ok(place) => self.0[place].n += 1.0,
            Err(place) => self.0.insert(place, Alike { n: 1.0, ..*one }),
        }
    }

    /// One opponent less has these votes.
    fn remove(&mut self, one: &Alike) {
        let place = self.place(one).expect("it was added before");
        self.0[place].n -= 1.0;
        if self.0[place].n == 0.0 {
            self.0.remove(place);
        }
    }

    pub(crate) fn as_slice(&self) -> &[Alike] {
        &self.0
    }

    fn place(&self, one: &Alike) -> Result<usize, usize> {
        self.0.binary_search_by(|alike| order(alike, one))
    }
}

fn order(one: &Alike, other: &Alike) -> Ordering {
    let by = |of: fn(&Alike) -> f64| of(one).total_cmp(&of(other));
    by(|alike| alike.votes).then(by(|alike| alike.score)).then(by(|alike| alike.waiting))
}
