//! What an experiment is, and what may happen to it. Nothing here does I/O, reads a clock or knows of threads, processes or HTTP.
//!
//! The state of an [`Experiment`] is a pure function of its log: a fold of [`Record`]s. What a request wants is decided from the
//! state as new events; the events are folded in; and whoever asked is answered once they are durable.

mod agreement;
mod answer;
mod apprentice;
mod arms;
mod ballots;
mod counts;
mod evaluation;
mod event;
mod evidence;
mod experiment;
mod fold;
mod holdout;
mod import;
mod interleave;
mod interleaved;
mod levels;
mod lists;
mod means;
mod notes;
mod opponents;
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

pub use agreement::{Agreement, Character, VoterStanding};
pub use answer::Answer;
pub use apprentice::{Apprentice, ApprenticeChanged, Lesson};
pub use arms::{ArmCounts, ArmEntry, NewArm};
pub use ballots::{Ballot, Ballots, ImportedBatch, Step};
pub use counts::{PairCounts, Totals};
pub use evaluation::{Against, Evaluated, Evaluator, Target};
pub use event::{Event, Issued, Kind, Learned, Record, Status};
pub use evidence::{Evidence, PairEvidence};
pub use experiment::{Experiment, Open};
pub use fold::{Fold, FoldError};
pub use import::{ImportRequest, ImportVoided, Imported, ImportedVote, NewVote, RankedVote};
pub use interleave::{ClickRequest, Clicked, InterleaveRequest, ListsRequest};
pub use interleaved::{AaCounts, Interleaved, Wish};
pub use lists::Lists;
pub use means::Means;
pub use notes::{Note, Notes, What};
pub use refusal::Refusal;
pub use request::{AnswerRequest, Create, IssueRequest, Past, VoidReason};
pub use saved::{RestoreError, SavedExperiment};
pub use segments::{Segment, Segments};
pub use settings::{Activation, Late, Settings, SettingsError, Stop};
pub use slate::{MOST_RANKED, RankRequest, Ranked, Ranking, Slate, SlateRequest, weight_of};
pub use timeline::{Bucket, Timeline};
pub use verdict::{Estimate, Needed, Outlook, Picture};
