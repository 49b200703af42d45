//! The opponents of an arm, counted by their votes.
//!
//! With a million votes on thousands of arms, an arm has thousands of opponents but only some
//! hundred different tallies. The confidence interval of the arm's mean rate needs only these
//! tallies.

use core::cmp::Ordering;

use tiltyard_bandit::verdict::Alike;

use crate::domain::Change;

/// For each tally, in order, the number of opponents of an arm that have it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct OpponentTallies(Vec<Alike>);

impl OpponentTallies {
    pub(crate) fn change(&mut self, one: &Alike, by: Change) {
        match by {
            Change::Add => self.add(one),
            Change::Remove => self.remove(one),
        }
    }

    /// Counts one more opponent with these votes.
    fn add(&mut self, one: &Alike) {
        match self.place(one) {
            Ok(place) => self.0[place].n += 1.0,
            Err(place) => self.0.insert(place, Alike { n: 1.0, ..*one }),
        }
    }

    /// Counts one opponent fewer with these votes.
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
