//! What an experiment is, and what may happen to it. Nothing here does I/O, reads a clock or knows of threads, processes or HTTP.
//!
//! The state of an [`Experiment`] is a pure function of its log: a fold of [`Record`]s. What a request wants is decided from the
//! state as new events; the events are folded in; and whoever asked is answered once they are durable.

mod agreement;
mod answer;
mod apprentice;
mod arms;
mod audit_log;
mod ballots;
mod counts;
mod error_budget;
mod evaluation;
mod event;
mod evidence;
mod experiment;
mod fold;
mod holdout;
mod import;
mod interleave;
mod lists;
mod mean_rates;
mod merged_lists;
mod opponent_tallies;
mod pair_table;
mod refusal;
mod request;
mod saved;
mod segments;
mod settings;
mod slate;
mod timeline;
mod verdict;
mod voters;

pub use agreement::{Agreement, VoterAgreement, VoterFlag};
pub use answer::Answer;
pub use apprentice::{Apprentice, ApprenticeChanged, Lesson};
pub use arms::{ArmCounts, ArmEntry, NewArm};
pub use audit_log::{AuditAction, AuditEntry, AuditLog};
pub use ballots::{Ballot, BallotEvent, BallotReader, ImportedBatch};
pub use counts::{PairCounts, Totals};
pub use evaluation::{Against, Evaluated, Evaluator, Target};
pub use event::{ClosedDuel, Event, Issued, Kind, Record, Status};
pub use evidence::{Evidence, PairEvidence};
pub use experiment::{DrawnDuel, Experiment};
pub use fold::{Fold, FoldError};
pub use import::{ImportRequest, ImportVoided, Imported, ImportedVote, NewVote, RankedVote};
pub use interleave::{ClickRequest, Clicked, InterleaveRequest, ListsRequest};
pub use lists::Lists;
pub use mean_rates::MeanRates;
pub use merged_lists::{AaCounts, Interleaved, MergeOptions};
pub use refusal::Refusal;
pub use request::{AnswerRequest, Create, DuelHistory, IssueRequest, VoidReason};
pub use saved::{RestoreError, SavedExperiment};
pub use segments::{Segment, Segments};
pub use settings::{Activation, Late, Settings, SettingsError, Stop};
pub use slate::{MOST_RANKED, RankRequest, Ranked, Ranking, Slate, SlateRequest, weight_of};
pub use timeline::{Bucket, Timeline};
pub use verdict::{Estimate, Obstacle, Verdict, VotesNeeded};
