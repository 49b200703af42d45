//! Requests and responses as they travel. Domain types do not: what is promised to clients changes on its own terms.

use serde::Serialize;
use utoipa::ToSchema;

mod apprentice;
mod arms;
mod duels;
mod evaluation;
mod experiments;
mod interleave;
mod keys;
mod outcomes;
mod segments;
mod slates;
mod standing;
mod verdict;
mod votes;

pub(super) use apprentice::{ApprenticeBody, ApprenticeView};
pub(super) use arms::{ArmInput, ArmList, ArmView, ArmsBody, ArmsQuery};
pub(super) use duels::{DuelList, DuelState, DuelStatus, DuelView, DuelsBody, Propensity};
pub(super) use evaluation::{EvaluationQuery, EvaluationView};
pub(super) use experiments::{
    CreateBody, EffectView, ExperimentList, ExperimentView, ListQuery, StatusWord, TotalsView, VoidBody,
    VoidView,
};
pub(super) use interleave::{AaView, ClicksBody, InterleaveBody, InterleaveView, ListsBody};
pub(super) use keys::{KeyBody, KeyList, KeyView, NewKeyView, ScopeWord};
pub(super) use outcomes::{
    AnswerView, DoneView, OutcomeBody, OutcomeBodyError, OutcomeResult, OutcomeResults, OutcomesBody,
    ResultWord,
};
pub(super) use segments::{
    SegmentArm, SegmentList, SegmentView, SegmentsQuery, VoterList, VoterView, VotersQuery,
};
pub(super) use slates::{RankingBody, RankingView, SlateBody, SlateView, shown};
pub(super) use standing::{
    ArmStanding, DigestView, HistoryQuery, PairStanding, Standing, StandingQuery, StreamQuery,
};
pub(crate) use verdict::{AlarmsView, EstimateView, VerdictView, VerdictWord};
pub(super) use verdict::{NeededView, RatingsView};
pub(super) use votes::{ImportView, VotesBody, VotesFormat, VotesQuery};

/// The server lives.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Health {
    /// `ok`.
    pub status: &'static str,
    /// The server's version.
    pub version: &'static str,
}
