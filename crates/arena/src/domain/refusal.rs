//! Why a request is refused.

use tiltyard_bandit::policy::registry::BuildError;
use tiltyard_bandit::spec::SpecError;
use tiltyard_interleave::InterleavingError;

use crate::domain::SettingsError;

/// Why a request is refused. Nothing was changed.
#[expect(missing_docs, reason = "the messages describe them")]
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// No experiment has that id.
    #[error("there is no such experiment")]
    NoExperiment,
    /// No duel has that id.
    #[error("there is no such duel")]
    NoDuel,
    /// No arm has that name.
    #[error("the experiment has no arm `{name}`")]
    NoArm { name: String },
    /// Votes name arms that the experiment does not have.
    #[error("the experiment has no arm {}", list(names, *more))]
    UnknownArms {
        /// Some of the unknown names.
        names: Vec<String>,
        /// The number of unknown names that are left out.
        more: usize,
    },
    /// One of several votes is refused.
    #[error("votes[{at}]: {wrong}")]
    InVote {
        /// The index of the vote, from 0.
        at: usize,
        wrong: Box<Refusal>,
    },
    /// An imported vote is a skip.
    #[error("a skipped duel is not a vote: leave it out")]
    SkippedVote,
    /// A number must be above 0 and at most 1.
    #[error("{what} must be above 0 and at most 1, not {value}")]
    NoShare { what: &'static str, value: f64 },
    /// No votes were imported at that log position.
    #[error("no votes were imported at that log position")]
    NoImport,
    /// The votes were imported and then voided.
    #[error("these votes were imported and then voided: use another client id to import them again")]
    ImportVoided,
    /// The experiment has no apprentice.
    #[error("the experiment has no apprentice")]
    NoApprentice,
    /// The experiment already has an apprentice.
    #[error("the experiment has an apprentice already: let it take over or dismiss it first")]
    HasApprentice,
    /// The policy learns only from its own duels.
    #[error("`{policy}` cannot be an apprentice: {why}")]
    NoLessons { policy: String, why: String },
    /// The apprentice needs the probabilities of pairs, and the policy in charge does not give
    /// them.
    #[error(
        "`{policy}` cannot learn from `{present}`: it divides by the probability of each pair, and `{present}` does not know it or never draws most pairs"
    )]
    NoChances { policy: String, present: String },
    /// The policy does not know the probabilities of its own play.
    #[error(
        "`{policy}` does not know the exact probabilities of its play, so it cannot be evaluated or be an opponent"
    )]
    NoProbabilities { policy: String },
    /// No vote can be used for an evaluation.
    #[error("no vote can be used for an evaluation; votes whose pair has no known probability: {unusable}")]
    NothingToEvaluate {
        /// The number of votes that could not be used.
        unusable: u64,
    },
    /// The apprentice cannot change its arms.
    #[error("the apprentice `{policy}` cannot change its arms: dismiss it first")]
    ApprenticeNotElastic { policy: String },
    /// No key has that id.
    #[error("there is no such key")]
    NoKey,
    /// A required text is blank.
    #[error("{what} must not be blank")]
    Blank { what: &'static str },
    /// A text contains a control character.
    #[error("{what} must not contain control characters")]
    ControlCharacter { what: &'static str },
    /// A text is too long.
    #[error("{what} has length {length}; at most {longest} is allowed")]
    TooLong { what: &'static str, length: usize, longest: usize },
    /// A number is out of range.
    #[error("{what} must be from {least} to {most}, not {got}")]
    OutOfRange { what: &'static str, got: u64, least: u64, most: u64 },
    /// Two arms have the same name.
    #[error("two arms are called `{name}`")]
    TwiceNamed { name: String },
    /// A setting is out of range.
    #[error(transparent)]
    Setting(#[from] SettingsError),
    /// The policy cannot be parsed.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The policy cannot be built.
    #[error(transparent)]
    Policy(#[from] BuildError),
    /// The policy needs each answer before the next duel.
    #[error(
        "`{policy}` needs each answer before the next duel, but live votes come at any time: choose another policy"
    )]
    Sequential { policy: String },
    /// The policy cannot change its arms.
    #[error("`{policy}` cannot change its arms while it runs; `rex3`, the default policy, can")]
    NotElastic { policy: String },
    /// The policy cannot propose two different arms.
    #[error(
        "`{policy}` cannot propose two different arms on request: leave `distinct` out, or choose a policy that can, such as `rex3`"
    )]
    NotDistinct { policy: String },
    /// Fewer than two arms would be left.
    #[error("at least two arms must stay active, and `{name}` is one of the last two")]
    LastArms { name: String },
    /// The arm is already retired.
    #[error("the arm `{name}` is already retired")]
    AlreadyRetired { name: String },
    /// The arm is not retired.
    #[error("the arm `{name}` is not retired")]
    NotRetired { name: String },
    /// The experiment is paused.
    #[error("the experiment is paused and issues no duels")]
    Paused,
    /// The experiment is closed.
    #[error("the experiment is closed")]
    Closed,
    /// The client id was used for a request with another number of duels.
    #[error("the client id `{client}` was used for an earlier request with `count` {count}")]
    ClientReused {
        client: String,
        /// The number of duels in the earlier request.
        count: u32,
    },
    /// The client id was used for a request of another kind or with other content.
    #[error("the client id `{client}` was used for another request")]
    ClientTaken { client: String },
    /// Too many duels are in flight.
    #[error("{in_flight} duels are in flight; the experiment allows at most {most}")]
    TooManyInFlight { in_flight: u64, most: u64 },
    /// The duel already has another answer.
    #[error("the duel has another answer already")]
    Contradiction,
    /// The duel was voided.
    #[error("the duel was voided")]
    Voided,
    /// The duel has expired, and late answers are refused.
    #[error("the duel has expired, and the experiment refuses late answers")]
    Expired,
    /// The voter has reached a limit.
    #[error("this voter has reached the limit of {limit} votes{}", if wait.is_some() { " per minute" } else { "" })]
    VoterLimit {
        limit: u64,
        /// Seconds until the next vote is accepted; `None` if it never is.
        wait: Option<u64>,
    },
    /// The method of merging lists cannot be used.
    #[error("`method`: {0}")]
    Method(#[from] InterleavingError),
    /// A required list is missing.
    #[error("the list of `{name}` is missing")]
    MissingList { name: String },
    /// A list is given for an arm that does not exist.
    #[error("a list is given for `{name}`, but the experiment has no such arm")]
    ListOfNobody { name: String },
    /// The duel already has a list, merged from other lists or in another way.
    #[error("the duel already has a list, merged from other lists or in another way")]
    OtherLists,
    /// The duel has expired, and its lists never came.
    #[error("the duel expired before its lists came")]
    TooLateForLists,
    /// The duel has no merged list.
    #[error("the lists of the duel's rankers were not merged: there is nothing to click on")]
    NoMergedList,
    /// A click is on a position that the list does not have.
    #[error("there is no position {position}: the list has {length} documents, counted from 1")]
    NoPosition { position: u64, length: usize },
    /// A click is on a document that is not on the list.
    #[error("the document `{document}` is not on the list")]
    NoDocument { document: String },
    /// The merged lists of all duels in flight take too much memory.
    #[error("the merged lists in flight take {bytes} bytes; an experiment has room for {most}")]
    ListsTooLarge { bytes: usize, most: usize },
    /// The duel is a slate, and the answer is for two arms.
    #[error("the duel is a slate: send its ranking, its best arm or `skip`")]
    IsSlate,
    /// The duel shows two arms, and the answer is for a slate.
    #[error("the duel is not a slate: send its outcome")]
    NotASlate,
    /// The slate is larger than the number of active arms.
    #[error("a slate of {size} needs {size} arms that are not retired; the experiment has {active}")]
    SlateTooLarge { size: u32, active: usize },
    /// The ranking names an arm that was not shown.
    #[error("the slate does not show `{name}`")]
    NotInSlate { name: String },
    /// The ranking leaves out an arm that was shown.
    #[error("the ranking leaves out `{name}`: it must name every arm of the slate")]
    NotRanked { name: String },
    /// The ranking names an arm twice.
    #[error("`{name}` is named twice")]
    RankedTwice { name: String },
    /// The ranking has a tie without arms.
    #[error("a tie must name at least one arm")]
    EmptyTie,
    /// A score is not from -1 to 1.
    #[error("a score must be from -1 to 1, not {score}")]
    Score { score: f64 },
}

/// Names as a list in a sentence.
fn list(names: &[String], more: usize) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
