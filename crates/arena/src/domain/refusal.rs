//! Why a request is refused.

use tiltyard_bandit::policy::registry::BuildError;
use tiltyard_bandit::spec::SpecError;
use tiltyard_interleave::InterleavingError;

use crate::domain::SettingsError;

/// Why a request is refused. Nothing was changed.
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
    NoArm {
        /// The name.
        name: String,
    },
    /// Votes name arms that are not there.
    #[error("the experiment has no arm {}", list(names, *more))]
    UnknownArms {
        /// Some of their names.
        names: Vec<String>,
        /// How many more there are.
        more: usize,
    },
    /// One of several votes is refused.
    #[error("votes[{at}]: {wrong}")]
    InVote {
        /// Which, from 0.
        at: usize,
        /// Why.
        wrong: Box<Refusal>,
    },
    /// A vote from elsewhere says nothing.
    #[error("a skipped duel is no vote: leave it out")]
    SkippedVote,
    /// A number that must be above 0 and at most 1.
    #[error("{what} must be above 0 and at most 1, not {value}")]
    NoShare {
        /// Which.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// No votes were brought in there.
    #[error("no votes were imported at that place of the log")]
    NoImport,
    /// The votes were brought in and taken out again.
    #[error("these votes were imported, and voided: use another client id to import them once more")]
    ImportVoided,
    /// The experiment has no apprentice.
    #[error("the experiment has no apprentice")]
    NoApprentice,
    /// The experiment has an apprentice already.
    #[error("the experiment has an apprentice already: let it take over or dismiss it first")]
    HasApprentice,
    /// The policy learns from its own duels only.
    #[error("`{policy}` cannot be an apprentice: {why}")]
    NoLessons {
        /// The policy.
        policy: String,
        /// Why not.
        why: String,
    },
    /// The apprentice divides by chances that the present policy does not give.
    #[error(
        "`{policy}` cannot learn from `{present}`: it divides by the chance of each pair, and `{present}` does not know it or gives most pairs none"
    )]
    NoChances {
        /// The apprentice.
        policy: String,
        /// The present policy.
        present: String,
    },
    /// The policy does not know what it would play.
    #[error(
        "`{policy}` has no exact probabilities of what it would play, so that it cannot be evaluated or met"
    )]
    NoProbabilities {
        /// The policy.
        policy: String,
    },
    /// No vote says anything about other play.
    #[error("no vote says anything about other play; votes whose pair has no known chance: {unusable}")]
    NothingToEvaluate {
        /// Votes that were passed over.
        unusable: u64,
    },
    /// The apprentice cannot change its arms.
    #[error("the apprentice `{policy}` cannot change its arms: dismiss it first")]
    ApprenticeNotElastic {
        /// The apprentice.
        policy: String,
    },
    /// No key has that id.
    #[error("there is no such key")]
    NoKey,
    /// A text that must say something is empty.
    #[error("{what} must not be blank")]
    Blank {
        /// Which.
        what: &'static str,
    },
    /// A text holds a control character.
    #[error("{what} must not hold control characters")]
    ControlCharacter {
        /// Which.
        what: &'static str,
    },
    /// A text is too long.
    #[error("{what} has length {length}; the most is {longest}")]
    TooLong {
        /// Which.
        what: &'static str,
        /// Its length.
        length: usize,
        /// The most.
        longest: usize,
    },
    /// A number of things is out of range.
    #[error("{what} must be from {least} to {most}, not {got}")]
    OutOfRange {
        /// Which.
        what: &'static str,
        /// What was given.
        got: u64,
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// Two arms share a name.
    #[error("two arms are called `{name}`")]
    TwiceNamed {
        /// The name.
        name: String,
    },
    /// A setting is out of range.
    #[error(transparent)]
    Setting(#[from] SettingsError),
    /// The policy cannot be read.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The policy cannot be made.
    #[error(transparent)]
    Policy(#[from] BuildError),
    /// The policy needs each answer before the next duel.
    #[error(
        "`{policy}` needs each answer before the next duel, and live votes come when they come: choose another policy"
    )]
    Sequential {
        /// Its name.
        policy: String,
    },
    /// The policy has a fixed set of arms.
    #[error(
        "`{policy}` cannot change its arms while it runs; of the policies that can, `rex3` is the default"
    )]
    NotElastic {
        /// Its name.
        policy: String,
    },
    /// The policy cannot propose unequal arms.
    #[error(
        "`{policy}` cannot be asked for two different arms: leave `distinct` out, or choose a policy that can, such as `rex3`"
    )]
    NotDistinct {
        /// Its name.
        policy: String,
    },
    /// Fewer than two arms would be left.
    #[error("two arms must stay: `{name}` is one of the last two")]
    LastArms {
        /// The arm.
        name: String,
    },
    /// The arm is retired already.
    #[error("the arm `{name}` is retired already")]
    AlreadyRetired {
        /// The arm.
        name: String,
    },
    /// The arm is not retired.
    #[error("the arm `{name}` is not retired")]
    NotRetired {
        /// The arm.
        name: String,
    },
    /// The experiment is paused.
    #[error("the experiment is paused and issues no duels")]
    Paused,
    /// The experiment is closed.
    #[error("the experiment is closed")]
    Closed,
    /// The client's name for a request was used for another.
    #[error("the client id `{client}` was used for a request of {count} duels")]
    ClientReused {
        /// The name.
        client: String,
        /// How many duels that request asked for.
        count: u32,
    },
    /// The client's name for a request was used for one of another kind, or with other content.
    #[error("the client id `{client}` was used for another request")]
    ClientTaken {
        /// The name.
        client: String,
    },
    /// Too many duels are in flight.
    #[error("{in_flight} duels are in flight, and the experiment allows {most}")]
    TooManyInFlight {
        /// How many there are.
        in_flight: u64,
        /// How many there may be.
        most: u64,
    },
    /// The duel has another answer.
    #[error("the duel has another answer already")]
    Contradiction,
    /// The duel was voided.
    #[error("the duel was voided")]
    Voided,
    /// The duel has expired, and late answers are refused.
    #[error("the duel has expired, and the experiment refuses late answers")]
    Expired,
    /// The voter has voted too often.
    #[error("this voter has reached the limit of {limit} votes{}", if wait.is_some() { " a minute" } else { "" })]
    VoterLimit {
        /// The limit.
        limit: u64,
        /// Seconds until the next vote is welcome; none if that is never.
        wait: Option<u64>,
    },
    /// No method of merging lists is called that.
    #[error("`method`: {0}")]
    Method(#[from] InterleavingError),
    /// A list that is needed was not brought.
    #[error("the list of `{name}` is missing")]
    MissingList {
        /// The ranker.
        name: String,
    },
    /// A list was brought that is nobody's.
    #[error("a list is given for `{name}`, and the experiment has no such arm")]
    ListOfNobody {
        /// The name.
        name: String,
    },
    /// Other lists of the duel were merged before.
    #[error("the duel has a list already, merged of others or in another way")]
    OtherLists,
    /// The duel has expired, and its lists never came.
    #[error("the duel expired before its lists came")]
    TooLateForLists,
    /// The duel has no merged list.
    #[error("the lists of the duel's rankers were not merged: there is nothing to click on")]
    NoMergedList,
    /// A click on nothing.
    #[error("there is no position {position}: the list has {length} documents, counted from 1")]
    NoPosition {
        /// Where.
        position: u64,
        /// How long the list is.
        length: usize,
    },
    /// A click on a document that is not on the list.
    #[error("the document `{document}` is not on the list")]
    NoDocument {
        /// Which.
        document: String,
    },
    /// The merged lists of all duels in flight take too much room.
    #[error("the merged lists in flight take {bytes} bytes, and an experiment has room for {most}")]
    ListsTooLarge {
        /// How much they take.
        bytes: usize,
        /// How much they may take.
        most: usize,
    },
    /// Several arms were shown, and two of them were not compared.
    #[error("the duel is a slate: say its ranking or the best of it, or `skip`")]
    IsSlate,
    /// Two arms were shown, and nothing else.
    #[error("the duel is not a slate: say its outcome")]
    NotASlate,
    /// A slate of more arms than there are.
    #[error("a slate of {size} needs as many arms that are not retired, and there are {active}")]
    SlateTooLarge {
        /// How many were asked for.
        size: u32,
        /// How many there are.
        active: usize,
    },
    /// An arm is ranked that was not shown.
    #[error("the slate does not show `{name}`")]
    NotInSlate {
        /// The arm.
        name: String,
    },
    /// An arm that was shown is not ranked.
    #[error("the ranking does not have `{name}`: it must have every arm of the slate")]
    NotRanked {
        /// The arm.
        name: String,
    },
    /// An arm stands twice in a ranking.
    #[error("`{name}` is named twice")]
    RankedTwice {
        /// The arm.
        name: String,
    },
    /// A tie of nobody.
    #[error("a tie must name at least one arm")]
    EmptyTie,
    /// A score outside [-1, 1].
    #[error("a score must be from -1 to 1, not {score}")]
    Score {
        /// What was given.
        score: f64,
    },
}

/// Names as people list them.
fn list(names: &[String], more: usize) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match more {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
