//! The audit log: the recent actions of people on an experiment, and what happened to its time. It
//! leaves out duels and votes, which are too many to look through.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use tiltyard_bandit::Arm;

use crate::domain::{ApprenticeChanged, ArmChanged, Changed, Event, Record, Status, VoidReason, Voided};
use crate::time::{Time, rounded_duration_text};

/// The most entries.
const MOST: usize = 50;

/// Votes that are voided or imported within this many microseconds of each other share an entry:
/// the votes of a voter, or of a file, come all at once.
const TOGETHER: i64 = 60_000_000;

/// The last actions, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AuditLog(VecDeque<AuditEntry>);

/// An action and its place in the log.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Its log position.
    pub seq: u64,
    pub at: Time,
    pub what: AuditAction,
}

/// An action on an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditAction {
    /// The experiment was created, with this many arms.
    Created(usize),
    /// The experiment was paused, resumed or closed. True if the verdict did it, because of the
    /// setting `stop`.
    Status(Status, bool),
    /// This many arms were added, the first of them being this one.
    Added(usize, Arm),
    /// An arm was retired.
    Retired(Arm),
    /// An arm was restored.
    Restored(Arm),
    /// This many duels were voided.
    Voided(u64, VoidReason),
    /// This many votes were imported.
    Imported(usize),
    /// This many imported votes were voided.
    ImportVoided(usize),
    /// An apprentice began to learn.
    ApprenticeBegan(String),
    /// The apprentice was dismissed.
    ApprenticeLeft,
    /// The apprentice took over.
    ApprenticeTookOver,
    /// This many records were lost.
    Repaired(u64),
    /// The duels in flight got this many microseconds more.
    Extended(u64),
}

impl AuditLog {
    /// The audit log of a new experiment.
    pub(crate) fn of(first: &Record) -> Self {
        let mut audit_log = Self::default();
        audit_log.fold(first, 0);
        audit_log
    }

    /// The entries, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &AuditEntry> {
        self.0.iter()
    }

    /// Adds an entry for a record, if it is an action. `n_arms` is the number of arms before the
    /// record.
    pub(crate) fn fold(&mut self, record: &Record, n_arms: usize) {
        let what = match &record.event {
            Event::Created(created) => AuditAction::Created(created.arms.len()),
            Event::Changed(Changed { status, by_verdict }) => AuditAction::Status(*status, *by_verdict),
            Event::ArmsAdded(added) => AuditAction::Added(added.arms.len(), Arm::new(n_arms)),
            Event::ArmRetired(ArmChanged { arm }) => AuditAction::Retired(Arm::new(*arm as usize)),
            Event::ArmRestored(ArmChanged { arm }) => AuditAction::Restored(Arm::new(*arm as usize)),
            Event::Voided(Voided { reason, .. }) => return self.void(record, *reason),
            Event::Imported(imported) => return self.import(record, imported.votes.len()),
            Event::ImportVoided(voided) => AuditAction::ImportVoided(voided.votes.len()),
            Event::Extended(extended) => return self.extend(record, extended.by),
            Event::Apprentice(changed) => match changed {
                ApprenticeChanged::Began { policy, .. } => AuditAction::ApprenticeBegan(policy.clone()),
                ApprenticeChanged::Dismissed => AuditAction::ApprenticeLeft,
                ApprenticeChanged::TookOver => AuditAction::ApprenticeTookOver,
            },
            Event::Repaired(repaired) => AuditAction::Repaired(repaired.lost),
            Event::Issued(_)
            | Event::Shown(_)
            | Event::Answered(_)
            | Event::Expired(_)
            | Event::Interleaved(_)
            | Event::KeyMade(_)
            | Event::KeyRevoked(_) => return,
        };
        self.push(record, what);
    }

    fn void(&mut self, record: &Record, reason: VoidReason) {
        if let Some(AuditEntry { at, what: AuditAction::Voided(count, before), .. }) = self.0.back_mut()
            && *before == reason
            && record.at.0.saturating_sub(at.0) < TOGETHER
        {
            *count += 1;
            *at = record.at;
            return;
        }
        self.push(record, AuditAction::Voided(1, reason));
    }

    fn import(&mut self, record: &Record, votes: usize) {
        if let Some(AuditEntry { at, what: AuditAction::Imported(count), .. }) = self.0.back_mut()
            && record.at.0.saturating_sub(at.0) < TOGETHER
        {
            *count += votes;
            *at = record.at;
            return;
        }
        self.push(record, AuditAction::Imported(votes));
    }

    /// A clock that jumps often must not push out the actions of people.
    fn extend(&mut self, record: &Record, by: u64) {
        if let Some(AuditEntry { at, what: AuditAction::Extended(sum), .. }) = self.0.back_mut() {
            *sum = sum.saturating_add(by);
            *at = record.at;
            return;
        }
        self.push(record, AuditAction::Extended(by));
    }

    fn push(&mut self, record: &Record, what: AuditAction) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(AuditEntry { seq: record.seq, at: record.at, what });
    }
}

impl AuditEntry {
    /// The action as a sentence.
    pub fn words(&self, name: impl Fn(Arm) -> String) -> String {
        let many = |count: u64, one: &str, more: &str| {
            if count == 1 { format!("One {one}") } else { format!("{count} {more}") }
        };
        match &self.what {
            AuditAction::Created(arms) => format!("The experiment was created with {arms} arms."),
            AuditAction::Status(Status::Running, _) => "The experiment was resumed.".to_owned(),
            AuditAction::Status(Status::Paused, true) => "The verdict paused the experiment.".to_owned(),
            AuditAction::Status(Status::Paused, false) => "The experiment was paused.".to_owned(),
            AuditAction::Status(Status::Closed, _) => "The experiment was closed.".to_owned(),
            AuditAction::Added(1, first) => format!("\"{}\" was added.", name(*first)),
            AuditAction::Added(count, first) => {
                format!("{count} arms were added, the first of them \"{}\".", name(*first))
            }
            AuditAction::Retired(arm) => format!("\"{}\" was retired.", name(*arm)),
            AuditAction::Restored(arm) => format!("\"{}\" was restored.", name(*arm)),
            AuditAction::Voided(count, VoidReason::Asked) => {
                format!("{} voided.", many(*count, "duel was", "duels were"))
            }
            AuditAction::Voided(count, VoidReason::Voter) => {
                format!("{} voided.", many(*count, "vote of a voter was", "votes of a voter were"))
            }
            AuditAction::Imported(votes) => {
                format!("{} imported.", many(*votes as u64, "vote was", "votes were"))
            }
            AuditAction::ImportVoided(votes) => {
                format!("{} voided.", many(*votes as u64, "imported vote was", "imported votes were"))
            }
            AuditAction::ApprenticeBegan(policy) => format!("The apprentice \"{policy}\" began to learn."),
            AuditAction::ApprenticeLeft => "The apprentice was dismissed.".to_owned(),
            AuditAction::ApprenticeTookOver => "The apprentice took over.".to_owned(),
            AuditAction::Repaired(lost) => {
                format!("{} lost by damage.", many(*lost, "record was", "records were"))
            }
            AuditAction::Extended(micros) => {
                let time = rounded_duration_text(micros / 1_000_000);
                format!(
                    "Open duels got {time} more, because the server was down or its clock jumped forward."
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::log::event::{Extended, Shown};
    use crate::id::ExperimentId;

    fn record(seq: u64, seconds: i64, event: Event) -> Record {
        Record { experiment: ExperimentId::from_random(2), seq, at: Time(seconds * 1_000_000), event }
    }

    fn void(duel: u64, reason: VoidReason) -> Event {
        Event::Voided(Voided { duel, reason, past: None })
    }

    #[test]
    fn trace_votes_of_a_voter_are_one_note() {
        let mut audit_log = AuditLog::default();
        audit_log.fold(&record(2, 0, Event::ArmRetired(ArmChanged { arm: 1 })), 3);
        audit_log.fold(&record(3, 1, Event::Shown(Shown { duel: 9 })), 3);
        for seq in 4..7 {
            audit_log.fold(&record(seq, 2, void(seq, VoidReason::Voter)), 3);
        }
        audit_log.fold(&record(7, 3, void(1, VoidReason::Asked)), 3);
        audit_log.fold(&record(8, 100, void(2, VoidReason::Asked)), 3);
        let words: Vec<String> =
            audit_log.iter().map(|note| note.words(|arm| format!("arm {arm}"))).collect();
        let expected = [
            "\"arm 1\" was retired.",
            "3 votes of a voter were voided.",
            "One duel was voided.",
            "One duel was voided.",
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn trace_extensions_in_a_row_are_one_note() {
        let mut audit_log = AuditLog::default();
        let extended = |seconds: u64| Event::Extended(Extended { by: seconds * 1_000_000 });
        audit_log.fold(&record(2, 0, extended(70)), 3);
        audit_log.fold(&record(3, 1, Event::ArmRetired(ArmChanged { arm: 1 })), 3);
        audit_log.fold(&record(4, 100_000, extended(86_400)), 3);
        audit_log.fold(&record(5, 300_000, extended(10 * 86_400)), 3);
        let words: Vec<String> =
            audit_log.iter().map(|note| note.words(|arm| format!("arm {arm}"))).collect();
        let expected = [
            "Open duels got 70 seconds more, because the server was down or its clock jumped forward.",
            "\"arm 1\" was retired.",
            "Open duels got 11 days more, because the server was down or its clock jumped forward.",
        ];
        assert_eq!(words, expected);
        assert_eq!(audit_log.iter().last().map(|note| note.at), Some(Time(300_000_000_000)));
    }

    #[test]
    fn trace_the_last_ones_are_kept() {
        let mut audit_log = AuditLog::default();
        for seq in 1..=70 {
            audit_log.fold(&record(seq, 0, Event::ArmRetired(ArmChanged { arm: 0 })), 3);
        }
        let places: Vec<u64> = audit_log.iter().map(|note| note.seq).collect();
        assert_eq!(places, (21..=70).collect::<Vec<_>>());
    }
}
