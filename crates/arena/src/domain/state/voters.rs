//! The number of votes of each voter, for limits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::Settings;
use crate::time::Time;

const MINUTE: i64 = 60_000_000;

/// The votes of each voter. Counted only if a setting limits them, because there may be many
/// voters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Voters(BTreeMap<String, Tally>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Tally {
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
    pub(crate) fn check(&self, voter: &str, now: Time, settings: &Settings) -> Result<(), Reached> {
        let Some(tally) = self.0.get(voter) else { return Ok(()) };
        if let Some(limit) = settings.voter_votes.filter(|&limit| tally.votes >= limit) {
            return Err(Reached { limit, wait: None });
        }
        let this_minute = tally.minute == now.0.div_euclid(MINUTE);
        match settings.voter_votes_per_minute {
            Some(limit) if this_minute && tally.in_minute >= limit => {
                let left = MINUTE - now.0.rem_euclid(MINUTE);
                Err(Reached { limit, wait: Some(left.unsigned_abs().div_ceil(1_000_000)) })
            }
            _ => Ok(()),
        }
    }

    /// The number of votes of a voter; `None` if no setting limits votes, because they are not
    /// counted then.
    pub(crate) fn votes(&self, voter: &str, settings: &Settings) -> Option<u64> {
        is_kept(settings).then(|| self.0.get(voter).map_or(0, |tally| tally.votes))
    }

    pub(crate) fn count(&mut self, voter: &str, now: Time, settings: &Settings) {
        if !is_kept(settings) {
            return;
        }
        let minute = now.0.div_euclid(MINUTE);
        let tally = self.0.entry(voter.to_owned()).or_insert(Tally { votes: 0, minute, in_minute: 0 });
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
