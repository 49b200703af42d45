//! Votes on their way from several files into one numbering of the arms.

use std::collections::{BTreeMap, BTreeSet};

use tiltyard_bandit::Arm;

use super::visit::{MAX_UNUSED, Row, Sink};
use super::{Dropped, MAX_ARMS, MAX_VOTES, ParseVotesError, Vote, Votes};

/// What has been read so far. Arms are numbered as they come, and renumbered by name at the end.
#[derive(Debug, Default)]
pub(super) struct Gatherer {
    arms: BTreeMap<String, Arm>,
    votes: Vec<Vote>,
    dropped: Dropped,
    unused: BTreeSet<String>,
}

impl Sink for Gatherer {
    fn take(&mut self, row: &Row<'_>) -> Result<bool, ParseVotesError> {
        let &Row { line, left, right, said, weight, .. } = row;
        // Arms of dropped votes are arms all the same.
        let (left, right) = (self.arm(line, left)?, self.arm(line, right)?);
        if left == right {
            self.dropped.same_arm += 1;
        } else if let Some(verdict) = said {
            if self.votes.len() == MAX_VOTES {
                return Err(ParseVotesError::TooManyVotes { line });
            }
            self.votes.push(Vote { left, right, verdict, weight });
        } else {
            self.dropped.skipped += 1;
        }
        Ok(true)
    }

    fn pass_over(&mut self) {
        self.dropped.passed_over += 1;
    }

    fn leave_out(&mut self, column: String) {
        if self.unused.len() < MAX_UNUSED {
            self.unused.insert(column);
        }
    }
}

impl Gatherer {
    fn arm(&mut self, line: u64, name: &str) -> Result<Arm, ParseVotesError> {
        if let Some(&arm) = self.arms.get(name) {
            return Ok(arm);
        }
        if self.arms.len() == MAX_ARMS {
            return Err(ParseVotesError::TooManyArms { line });
        }
        let arm = Arm::new(self.arms.len());
        self.arms.insert(name.to_owned(), arm);
        Ok(arm)
    }

    pub(super) fn finish(self) -> Votes {
        let Self { arms, mut votes, dropped, unused } = self;
        let mut renumbered = vec![Arm::new(0); arms.len()];
        for (new, old) in arms.values().enumerate() {
            renumbered[old.index()] = Arm::new(new);
        }
        for vote in &mut votes {
            vote.left = renumbered[vote.left.index()];
            vote.right = renumbered[vote.right.index()];
        }
        Votes {
            names: arms.into_keys().collect(),
            cast: votes,
            dropped,
            unused: unused.into_iter().collect(),
        }
    }
}
