//! The number of votes of each voter, for limits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::{Person, Settings, Voter};
use crate::time::Time;

const MINUTE: i64 = 60_000_000;

/// The votes of each voter. Counted only if a setting limits them, because there may be many
/// voters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Voters {
    /// Votes in records of earlier versions.
    pub(crate) by_name: BTreeMap<String, VoterTally>,
    pub(crate) by_number: BTreeMap<u64, VoterTally>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VoterTally {
    votes: u64,
    /// The minute of the last vote, counted from 1970.
    minute: i64,
    /// Votes in that minute.
    in_minute: u64,
}

/// The limit that a voter has reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reached {
    pub(crate) limit: u64,
    /// Seconds until the next vote is accepted; `None` if it never is.
    pub(crate) wait: Option<u64>,
}

impl Voters {
    pub(crate) fn check(&self, person: &Person, now: Time, settings: &Settings) -> Result<(), Reached> {
        let votes = self.sum(person, |tally| tally.votes);
        if let Some(limit) = settings.voter_votes.filter(|&limit| votes >= limit) {
            return Err(Reached { limit, wait: None });
        }
        let minute = now.0.div_euclid(MINUTE);
        let in_minute = self.sum(person, |tally| if tally.minute == minute { tally.in_minute } else { 0 });
        match settings.voter_votes_per_minute {
            Some(limit) if in_minute >= limit => {
                let left = MINUTE - now.0.rem_euclid(MINUTE);
                Err(Reached { limit, wait: Some(left.unsigned_abs().div_ceil(1_000_000)) })
            }
            _ => Ok(()),
        }
    }

    /// The number of votes of a voter; `None` if no setting limits votes, because they are not
    /// counted then.
    pub(crate) fn votes(&self, person: &Person, settings: &Settings) -> Option<u64> {
        is_kept(settings).then(|| self.sum(person, |tally| tally.votes))
    }

    /// The sum over the votes by name and by number.
    fn sum(&self, Person { name, number }: &Person, of: impl Fn(&VoterTally) -> u64) -> u64 {
        let by_number = number.and_then(|number| self.by_number.get(&number));
        [self.by_name.get(name), by_number].into_iter().flatten().map(of).sum()
    }

    pub(crate) fn count(&mut self, voter: &Voter, now: Time, settings: &Settings) {
        if !is_kept(settings) {
            return;
        }
        let minute = now.0.div_euclid(MINUTE);
        let new = VoterTally { votes: 0, minute, in_minute: 0 };
        let tally = match voter {
            Voter::Name(name) => self.by_name.entry(name.clone()).or_insert(new),
            Voter::Number(number, _) => self.by_number.entry(*number).or_insert(new),
        };
        tally.votes += 1;
        if tally.minute != minute {
            (tally.minute, tally.in_minute) = (minute, 0);
        }
        tally.in_minute += 1;
    }
}

fn is_kept(settings: &Settings) -> bool {
    settings.voter_votes.is_some() || settings.voter_votes_per_minute.is_some()
}
