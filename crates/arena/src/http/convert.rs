//! Conversions between the types of the domain and those of `tiltyard_wire`.

use tiltyard_bandit::Draw;
use tiltyard_wire as wire;

use crate::arena::{Done, Duel, Import, RankerDuel, SetApart, SlateDuel};
use crate::domain::{
    Activation, ArmEntry, DrawnDuel, Experiment, Late, NewArm, Ranking, Slate, Status, Stop, VoterAgreement,
    VoterFlag,
};
use crate::key::{Key, Scope};

mod events;
mod experiments;
mod requests;

pub(super) use events::event;
pub(super) use requests::{answer, clicks, import, outcome, rank};

/// Converts enums that have the same variants on both sides.
macro_rules! words {
    ($($ours:ident = $theirs:ident { $($word:ident)* })*) => {$(
        impl From<$ours> for wire::$theirs {
            fn from(word: $ours) -> Self {
                match word { $($ours::$word => Self::$word,)* }
            }
        }

        impl From<wire::$theirs> for $ours {
            fn from(word: wire::$theirs) -> Self {
                match word { $(wire::$theirs::$word => Self::$word,)* }
            }
        }
    )*};
}

words! {
    Activation = Activation { Issue Shown }
    VoterFlag = Character { Against Careless OneSided }
    Done = DoneWord { Recorded Already }
    Late = Late { Accept Refuse }
    Scope = Scope { Admin Writer Voter Reader }
    Status = Status { Running Paused Closed }
    Stop = Stop { Never Pause }
}

pub(super) fn arm(index: usize, entry: &ArmEntry) -> wire::ArmView {
    let NewArm { name, label, payload } = (*entry.arm).clone();
    wire::ArmView { index, name, label, payload, retired: entry.retired }
}

/// These arms with their labels and payloads; none if all of them have only names.
fn details(experiment: &Experiment, arms: &[usize]) -> Option<Vec<wire::ArmView>> {
    let entry = |index: usize| &experiment.arms()[index];
    let is_bare = |&index: &usize| entry(index).arm.label.is_none() && entry(index).arm.payload.is_none();
    (!arms.iter().all(is_bare)).then(|| arms.iter().map(|&index| arm(index, entry(index))).collect())
}

pub(super) fn propensity(open: &DrawnDuel) -> wire::Propensity {
    let (left, right) = match open.ticket.draw {
        Draw::Slots { left, right, .. } if open.swapped => (Some(right), Some(left)),
        Draw::Slots { left, right, .. } => (Some(left), Some(right)),
        Draw::Pair(_) | Draw::Unknown => (None, None),
    };
    wire::Propensity { left, right, pair: open.ticket.propensity() }
}

pub(super) fn duel(experiment: &Experiment, duel: &Duel) -> wire::DuelView {
    let (left, right) = duel.drawn.sides();
    let name = |index: usize| experiment.arms()[index].arm.name.clone();
    let arms = details(experiment, &[left.index(), right.index()]);
    let sides = arms.and_then(|arms| <[_; 2]>::try_from(arms).ok());
    wire::DuelView {
        id: duel.id.to_string(),
        left: name(left.index()),
        right: name(right.index()),
        arms: sides.map(|[left, right]| wire::Sides { left, right }),
        propensity: propensity(&duel.drawn),
        holdout: duel.drawn.holdout,
        aa: duel.drawn.aa,
        expires_at: duel.drawn.expires.to_string(),
    }
}

pub(super) fn slate(experiment: &Experiment, found: &SlateDuel) -> wire::SlateView {
    let arms: Vec<usize> = found.slate.arms.iter().map(|&arm| arm as usize).collect();
    wire::SlateView {
        id: found.duel.id.to_string(),
        arms: shown(experiment, &found.slate),
        details: details(experiment, &arms),
        holdout: found.duel.drawn.holdout,
        expires_at: found.duel.drawn.expires.to_string(),
    }
}

/// The names of a slate's arms, in the order in which they are shown.
pub(super) fn damaged(apart: SetApart) -> wire::DamagedExperiment {
    let SetApart { id, name, sound, damage } = apart;
    wire::DamagedExperiment { id: id.to_string(), name, sound, damage }
}

pub(super) fn shown(experiment: &Experiment, slate: &Slate) -> Vec<String> {
    names(experiment, &slate.arms)
}

pub(super) fn ranking(experiment: &Experiment, ranking: &Ranking<u32>) -> wire::RankingView {
    match ranking {
        Ranking::Order(tiers) => {
            wire::RankingView::Ranking(tiers.iter().map(|tier| names(experiment, tier)).collect())
        }
        Ranking::Best(best) => wire::RankingView::Best(name(experiment, *best)),
    }
}

fn names(experiment: &Experiment, arms: &[u32]) -> Vec<String> {
    arms.iter().map(|&arm| name(experiment, arm)).collect()
}

fn name(experiment: &Experiment, arm: u32) -> String {
    experiment.arms().get(arm as usize).map(|entry| entry.arm.name.clone()).unwrap_or_default()
}

pub(super) fn interleaved(experiment: &Experiment, found: &RankerDuel) -> wire::InterleaveView {
    let duel = duel(experiment, &found.duel);
    let mut run = vec![duel.left.clone(), duel.right.clone()];
    run.dedup();
    let listed = |(place, document): (usize, &String)| wire::ListedView {
        position: place + 1,
        document: document.clone(),
    };
    wire::InterleaveView {
        alone: run.len() == 1 && !found.duel.drawn.aa,
        method: found.merged.as_ref().map(|merged| merged.method.clone()),
        list: found
            .merged
            .as_ref()
            .map(|merged| merged.list.documents().iter().enumerate().map(listed).collect()),
        duel,
        run,
    }
}

impl From<Import> for wire::ImportView {
    fn from(import: Import) -> Self {
        Self { status: import.done.into(), place: import.seq, votes: import.votes }
    }
}

impl From<&Key> for wire::KeyView {
    fn from(key: &Key) -> Self {
        Self {
            id: key.made.key.to_string(),
            scope: key.made.scope.into(),
            experiment: key.made.experiment.map(|id| id.to_string()),
            label: key.made.label.clone(),
            created_at: key.at.to_string(),
            expires_at: key.made.expires.map(|time| time.to_string()),
            revoked_at: key.revoked.map(|time| time.to_string()),
            session_of: key.made.parent.map(|key| key.to_string()),
        }
    }
}

impl From<VoterAgreement> for wire::Voter {
    fn from(standing: VoterAgreement) -> Self {
        let VoterAgreement {
            voter,
            votes,
            left,
            right,
            compared,
            agreement,
            expected,
            deviation,
            stands_out,
        } = standing;
        let stands_out = stands_out.map(Into::into);
        Self { voter, votes, left, right, compared, agreement, expected, deviation, stands_out }
    }
}
