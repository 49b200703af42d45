//! Collects the votes of several files under one numbering of the arms.

use std::collections::{BTreeMap, BTreeSet};

use tiltyard_bandit::Arm;

use super::field::{self, Field};
use super::visit::{MAX_UNUSED, Row, Sink};
use super::{Dropped, MAX_ARMS, MAX_VOTES, ParseVotesError, Vote, Votes};

/// The votes read so far. Arms are numbered in order of appearance, and by name at the end.
#[derive(Debug, Default)]
pub(super) struct Gatherer {
    arms: BTreeMap<String, Arm>,
    votes: Vec<Vote>,
    self_duels: Vec<u32>,
    dropped: Dropped,
    unused: BTreeSet<String>,
}

impl Sink for Gatherer {
    fn take(&mut self, row: &Row<'_>) -> Result<bool, ParseVotesError> {
        let &Row { line, left, right, said, weight, pscore, .. } = row;
        let propensity = pscore.map(|text| propensity(line, text)).transpose()?;
        // The arms of dropped votes count, too.
        let (left, right) = (self.arm(line, left)?, self.arm(line, right)?);
        if self.votes.len() + self.self_duels.len() == MAX_VOTES {
            return Err(ParseVotesError::TooManyVotes { line });
        }
        if left == right {
            self.dropped.same_arm += 1;
            self.self_duels.push(u32::try_from(self.votes.len()).expect("fewer votes than MAX_VOTES"));
        } else if let Some(verdict) = said {
            self.votes.push(Vote { left, right, verdict, weight, propensity });
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

fn propensity(line: u64, text: &str) -> Result<f64, ParseVotesError> {
    text.trim().parse().ok().and_then(field::propensity).ok_or_else(|| ParseVotesError::NoPropensity {
        line,
        field: Field::Pscore.name(),
        text: field::excerpt(text.as_bytes()).into_owned(),
    })
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
        let Self { arms, mut votes, self_duels, dropped, unused } = self;
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
            self_duels,
            dropped,
            unused: unused.into_iter().collect(),
        }
    }
}
