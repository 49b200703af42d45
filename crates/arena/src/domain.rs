//! The rules of an experiment: its state, its events, and the requests that it accepts. Nothing
//! here does I/O, reads a clock or knows about threads, processes or HTTP.
//!
//! The state of an [`Experiment`] is a pure function of its log: a fold over [`Record`]s. A request
//! is handled in three steps. The domain turns it into events, based on the current state. The
//! events are folded into the state. The caller gets a response once the events are durable.

mod experiment;
mod learning;
mod log;
mod refusal;
mod setup;
mod state;
mod verdict;
mod voting;

pub use experiment::Experiment;
pub use learning::apprentice::{Apprentice, ApprenticeChanged};
pub use learning::lesson::Lesson;
pub use log::ballots::{Ballot, BallotEvent, BallotReader, ImportedBatch};
pub use log::chain::{HashError, Head, Link, RecordHash};
pub use log::event::{ClosedDuel, Event, Issued, Kind, Record, Status};
pub use log::fold::{Fold, FoldError};
pub use log::people::{Contents, Person, Seal, Voter, mark};
pub use log::saved::{RestoreError, SavedExperiment};
pub use refusal::Refusal;
pub use setup::arms::{ArmCounts, ArmEntry, NewArm};
pub use setup::request::{AnswerRequest, Create, IssueRequest, VoidReason};
pub use setup::settings::{Activation, Late, Legal, SETTINGS, Setting, Settings, SettingsError, Stop};
pub use state::audit_log::{AuditAction, AuditEntry, AuditLog};
pub use state::counts::{PairCounts, Totals};
pub use state::timeline::{Bucket, Timeline};
pub use verdict::agreement::{Agreement, VoterAgreement, VoterFlag};
pub use verdict::evaluation::{Against, Evaluated, Evaluator, Target};
pub use verdict::evidence::{Evidence, PairEvidence};
pub use verdict::mean_rates::MeanRates;
pub use verdict::segments::{Segment, Segments};
pub use verdict::summary::{Estimate, Obstacle, Verdict, VotesNeeded};
pub use voting::answer::Answer;
pub use voting::comparison::{Comparison, DrawnDuel};
pub use voting::history::{DuelHistory, Known};
pub use voting::import::{ImportRequest, ImportVoided, Imported, ImportedVote, NewVote, RankedVote};
pub use voting::interleave::{ClickRequest, Clicked, InterleaveRequest, ListsRequest};
pub use voting::lists::Lists;
pub use voting::merged_lists::{AaCounts, Interleaved, MergeOptions};
pub use voting::pair_vote::PairVote;
pub use voting::ranking::{Ranking, weight_of};
pub use voting::slate::{MOST_RANKED, RankRequest, Ranked, Slate, SlateRequest};

pub(crate) use experiment::{build, check_name, number};
pub(crate) use learning::apprentice::Tenure;
pub(crate) use learning::lesson::Taught;
pub(crate) use log::contribution::Contribution;
pub(crate) use log::event::{
    Answered, ArmChanged, ArmsAdded, Changed, Created, Expired, Extended, Repaired, Shown, Voided,
    flat_ticket,
};
pub(crate) use log::fold::FoldErrorKind;
pub(crate) use state::counts::{VoteKind, add};
pub(crate) use state::voters::{VoterTally, Voters};
pub(crate) use verdict::error_budget::ErrorBudget;
pub(crate) use verdict::evidence::rate;
pub(crate) use verdict::mean_rates::{Change, PairResult};
pub(crate) use verdict::opponent_tallies::OpponentTallies;
pub(crate) use verdict::pair_table::PairTable;
pub(crate) use voting::duels::Reply;
pub(crate) use voting::lists::{ListMerger, fingerprint};
pub(crate) use voting::merged_lists::MergedLists;
pub(crate) use voting::ranking::check_names;
