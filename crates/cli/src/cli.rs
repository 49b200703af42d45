//! The command line: one file a command.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use tiltyard::bandit::params::ParamError;
use tiltyard::bandit::policy::registry::BuildError;
use tiltyard::interleave::InterleavingError;
use tiltyard::lab::play::{EntryError, PlayError};
use tiltyard::world::AtomicFileError;
use tiltyard::world::RegretError;
use tiltyard::world::build::letor::SimulationError;
use tiltyard::world::build::scores::{ReadScoresError, ScoresError};
use tiltyard::world::build::votes::BuildVotesError;
use tiltyard::world::builtin::WorldError;
use tiltyard::world::click::ClickError;
use tiltyard::world::collection::{LineError, OpenCollectionError, ReadCollectionError, ShapeError};
use tiltyard::world::matrix_file::ReadMatrixError;
use tiltyard::world::piecewise::ReadSegmentsError;
use tiltyard::world::ranker::RankedError;
use tiltyard::world::utility_file::ReadUtilitiesError;
use tiltyard::world::votes::{ParseVotesError, ReadVotesError};

use crate::printer::Printer;

mod apprentice;
mod arm;
mod client;
mod collection;
mod duel;
mod evaluate;
mod experiment;
mod export;
mod groups;
mod import;
mod key;
mod lab_failure;
mod merge;
mod moment;
mod new;
mod plan;
mod play;
mod plot;
mod policy;
mod replay;
mod reproduce;
mod run;
mod segments;
mod serve;
mod standing;
mod table;
mod upkeep;
mod void;
mod vote;
mod voters;
mod watch;
mod work;
mod world;

pub(crate) use groups::command;

const AFTER_HELP: &str = "\
Exit codes:
  0  done (also when the reader of stdout went away)
  1  could not do the work, for example stdout is full or the server is not there
  2  wrong arguments or bad input, or the server refused; nothing was done
  3  stopped by Ctrl-C or a signal; what was finished is kept where there is a place for it
  4  a claim of the paper fails or is inconclusive, and `reproduce --strict` was asked to mind";

/// Learn which of K things people prefer by asking only: this one or that one?
#[derive(Debug, Parser)]
#[command(name = "tiltyard", version, after_help = AFTER_HELP, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print results and errors only
    #[arg(long, global = true, display_order = 100)]
    pub(crate) quiet: bool,
    /// Draw no progress bar
    #[arg(long, global = true, display_order = 101)]
    pub(crate) no_progress: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a paper's figures again and check its claims
    Reproduce(reproduce::Reproduce),
    /// Let policies play in a world and compare their regret
    Play(play::Play),
    Replay(replay::Replay),
    /// Run an experiment from a specification
    Run(run::Run),
    /// Put the shards of an experiment together
    Merge(merge::Merge),
    /// Draw figures of results
    Plot(plot::Plot),
    /// The algorithms
    #[command(subcommand)]
    Policy(policy::Command),
    /// What answers duels
    #[command(subcommand)]
    World(world::Command),
    /// Queries, documents, features and labels of learning-to-rank files
    Collection(collection::Collection),
    Plan(plan::PlanVotes),
    Serve(serve::Serve),
    New(new::New),
    /// Live experiments: which there are, what was counted, pausing and closing
    #[command(subcommand)]
    Experiment(experiment::Command),
    Standing(standing::ShowStanding),
    Segments(segments::ShowSegments),
    Voters(voters::ShowVoters),
    Apprentice(apprentice::Apprentice),
    Evaluate(evaluate::Evaluate),
    /// Arms that come and go while an experiment runs
    #[command(subcommand)]
    Arm(arm::Command),
    Duel(duel::GetDuel),
    Vote(vote::Vote),
    Watch(watch::Watch),
    Void(void::Void),
    Import(import::Import),
    Export(export::Export),
    /// Who may do what on a server
    #[command(subcommand)]
    Key(key::Command),
    Verify(upkeep::Verify),
    Backup(upkeep::Backup),
    Restore(upkeep::Restore),
}

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// One object
    Json,
    /// A line for each policy and checkpoint
    Csv,
}

/// How lists are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people
    Table,
    /// One object
    Json,
}

pub(crate) fn dispatch(command: Command, printer: &mut Printer) -> Result<(), Failure> {
    match command {
        Command::Reproduce(reproduce) => reproduce.run(printer),
        Command::Play(play) => play.run(printer),
        Command::Replay(replay) => replay.run(printer),
        Command::Run(run) => run.run(printer),
        Command::Merge(merge) => merge.run(printer),
        Command::Plot(plot) => plot.run(printer),
        Command::Policy(command) => command.run(printer),
        Command::World(command) => command.run(printer),
        Command::Collection(collection) => collection.run(printer),
        Command::Plan(plan) => plan.run(printer),
        Command::Serve(serve) => serve.run(printer),
        Command::New(new) => new.run(printer),
        Command::Experiment(command) => command.run(printer),
        Command::Standing(standing) => standing.run(printer),
        Command::Segments(segments) => segments.run(printer),
        Command::Voters(voters) => voters.run(printer),
        Command::Apprentice(apprentice) => apprentice.run(printer),
        Command::Evaluate(evaluate) => evaluate.run(printer),
        Command::Arm(command) => command.run(printer),
        Command::Duel(duel) => duel.run(printer),
        Command::Vote(vote) => vote.run(printer),
        Command::Watch(watch) => watch.run(printer),
        Command::Void(void) => void.run(printer),
        Command::Import(import) => import.run(printer),
        Command::Export(export) => export.run(printer),
        Command::Key(command) => command.run(printer),
        Command::Verify(verify) => verify.run(printer),
        Command::Backup(backup) => backup.run(printer),
        Command::Restore(restore) => restore.run(printer),
    }
}

/// Why a command failed, with what to do about it.
#[derive(Debug)]
pub(crate) struct Failure {
    error: anyhow::Error,
    hints: Vec<String>,
    code: u8,
}

impl Failure {
    /// Exit code: the work could not be done.
    pub(crate) const BROKEN: u8 = 1;
    /// Exit code: the input was wrong, and nothing was run.
    pub(crate) const BAD_INPUT: u8 = 2;
    /// Exit code: asked to stop.
    pub(crate) const STOPPED: u8 = 3;
    /// Exit code: a claim does not hold, and that was to be minded.
    pub(crate) const UNSUPPORTED: u8 = 4;

    pub(crate) fn bad_input(error: impl Into<anyhow::Error>, hints: Vec<String>) -> Self {
        Self { error: error.into(), hints, code: Self::BAD_INPUT }
    }

    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        let error = anyhow::Error::from(error).context(format!("could not write {}", path.display()));
        Self { error, hints: Vec::new(), code: Self::BROKEN }
    }

    /// The work could not be done, and no argument is to blame.
    pub(crate) fn broken(error: impl Into<anyhow::Error>) -> Self {
        Self { error: error.into(), hints: Vec::new(), code: Self::BROKEN }
    }

    /// The same, with something to do about it.
    pub(crate) fn with_hint(mut self, hint: &str) -> Self {
        self.hints.push(hint.to_owned());
        self
    }

    pub(crate) fn stdout(error: io::Error) -> Self {
        let error = anyhow::Error::from(error).context("could not write to stdout");
        Self { error, hints: Vec::new(), code: Self::BROKEN }
    }

    pub(crate) fn threads(error: rayon::ThreadPoolBuildError) -> Self {
        let error = anyhow::Error::from(error).context("could not start the threads");
        Self { error, hints: vec!["ask for fewer with `--threads`".to_owned()], code: Self::BROKEN }
    }

    pub(crate) fn signals(error: ctrlc::Error) -> Self {
        let error = anyhow::Error::from(error).context("could not listen for Ctrl-C");
        Self { error, hints: Vec::new(), code: Self::BROKEN }
    }

    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.error)
    }
}

fn did_you_mean(suggestion: Option<&'static str>) -> Option<String> {
    suggestion.map(|word| format!("did you mean `{word}`?"))
}

fn param_hints(error: &ParamError) -> Vec<String> {
    match error {
        ParamError::UnknownKey { name, suggestion, known, .. } => {
            let all = if known.is_empty() {
                format!("`{name}` has no parameters")
            } else {
                format!("`{name}` knows {}", known.join(", "))
            };
            did_you_mean(*suggestion).into_iter().chain([all]).collect()
        }
        ParamError::NoSuchChoice { suggestion, .. } => did_you_mean(*suggestion).into_iter().collect(),
        ParamError::Contradiction { key, other, .. } => vec![format!("leave out `{key}` or `{other}`")],
        ParamError::Idle { key, .. } => vec![format!("leave out `{key}`, or change the others")],
        _ => Vec::new(),
    }
}

fn build_hints(error: &BuildError) -> Vec<String> {
    match error {
        BuildError::UnknownPolicy { suggestion, .. } => {
            let list = "`tiltyard policy list` shows all policies".to_owned();
            did_you_mean(*suggestion).into_iter().chain([list]).collect()
        }
        BuildError::Continuous { name } => vec![
            format!("`tiltyard policy show {name}` tells how a program uses it"),
            "`tiltyard policy list` shows the others".to_owned(),
        ],
        BuildError::Param(error) => param_hints(error),
        _ => Vec::new(),
    }
}

fn world_hints(error: &WorldError) -> Vec<String> {
    match error {
        WorldError::Unknown { suggestion, .. } => {
            let list =
                "`tiltyard world list` shows the built-in worlds; a matrix file ends in .csv, .txt or .npy";
            did_you_mean(*suggestion).into_iter().chain([list.to_owned()]).collect()
        }
        WorldError::UnknownWrapper { suggestion, .. } => {
            let list = "`tiltyard world list` shows the wrappers".to_owned();
            did_you_mean(*suggestion).into_iter().chain([list]).collect()
        }
        WorldError::TooShort { .. } => vec![
            "`after=repeat` goes on with the first row, `after=hold` with the last; or play fewer `--rounds`"
                .to_owned(),
        ],
        WorldError::Segments(ReadSegmentsError::Invalid { .. }) => {
            vec!["a row `from,ROUND` begins a segment, and the rows of its matrix follow".to_owned()]
        }
        WorldError::Utilities(ReadUtilitiesError::Invalid { .. }) | WorldError::NoUtilitiesFile => {
            vec!["utilities lie in [0, 1]: a column an arm, a row a round".to_owned()]
        }
        WorldError::TooManySegments { .. } => {
            vec!["fewer `segments`, a longer `every`, or more `--rounds`".to_owned()]
        }
        WorldError::Param(error) => param_hints(error),
        WorldError::Votes(error) => votes_hints(error),
        WorldError::Clicks(error) => click_hints(error),
        WorldError::File(ReadMatrixError::Invalid { .. }) => {
            vec![
                "a matrix is K rows of K numbers in [0, 1], with P + P' = 1 and 1/2 on the diagonal"
                    .to_owned(),
            ]
        }
        _ => Vec::new(),
    }
}

fn regret_hints() -> Vec<String> {
    vec!["condorcet regret is half of it where utilities are compared".to_owned()]
}

fn entry_hints(error: &EntryError) -> Vec<String> {
    match error {
        EntryError::Build(error) => build_hints(error),
        EntryError::Sequential { .. } | EntryError::NotAdditive { .. } => {
            vec!["`tiltyard policy show NAME` lists what a policy is capable of".to_owned()]
        }
        _ => Vec::new(),
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        let hints = build_hints(&error);
        Self::bad_input(error, hints)
    }
}

impl From<EntryError> for Failure {
    fn from(error: EntryError) -> Self {
        let hints = entry_hints(&error);
        Self::bad_input(error, hints)
    }
}

impl From<WorldError> for Failure {
    fn from(error: WorldError) -> Self {
        let hints = world_hints(&error);
        Self::bad_input(error, hints)
    }
}

impl From<ReadCollectionError> for Failure {
    fn from(error: ReadCollectionError) -> Self {
        let hint = match &error {
            ReadCollectionError::Line { error: LineError::QueryReturns { .. }, .. } => {
                Some("sort the file by query; of folds that overlap, name one only")
            }
            ReadCollectionError::Line { .. } => {
                Some("a document is a line `label qid:Q 1:v 2:v ... # comment`")
            }
            ReadCollectionError::Compression { .. } => Some("fetch the file again; `gzip -t FILE` tests it"),
            _ => None,
        };
        Self::bad_input(error, hint.map(str::to_owned).into_iter().collect())
    }
}

impl From<OpenCollectionError> for Failure {
    fn from(error: OpenCollectionError) -> Self {
        match error {
            OpenCollectionError::Read(error) => error.into(),
            OpenCollectionError::Shape(ShapeError::Param(error)) => {
                let hints = param_hints(&error);
                Self::bad_input(error, hints)
            }
            error => Self::bad_input(error, Vec::new()),
        }
    }
}

fn votes_hints(error: &ReadVotesError) -> Vec<String> {
    let hint = match error {
        ReadVotesError::Invalid {
            error: ParseVotesError::NoColumn { .. } | ParseVotesError::Missing { .. } | ParseVotesError::Empty,
            ..
        } => "votes are CSV with a header `left,right,outcome`, or JSON with `model_a`, `model_b`, `winner`",
        _ => return Vec::new(),
    };
    vec![hint.to_owned()]
}

impl From<ReadVotesError> for Failure {
    fn from(error: ReadVotesError) -> Self {
        let hints = votes_hints(&error);
        Self::bad_input(error, hints)
    }
}

impl From<BuildVotesError> for Failure {
    fn from(error: BuildVotesError) -> Self {
        let hints = match error {
            BuildVotesError::NeverCompared { .. } => {
                vec!["`--unseen half` or `--unseen bradley-terry` puts something in their place".to_owned()]
            }
            BuildVotesError::NoFit => vec!["`--unseen half` needs no fit".to_owned()],
            _ => Vec::new(),
        };
        Self::bad_input(error, hints)
    }
}

impl From<ReadScoresError> for Failure {
    fn from(error: ReadScoresError) -> Self {
        let hints = match &error {
            ReadScoresError::Invalid { error: ScoresError::NoColumn { .. } | ScoresError::Empty, .. } => {
                vec!["scores are CSV with a header `arm,score`, and perhaps `sigma`".to_owned()]
            }
            _ => Vec::new(),
        };
        Self::bad_input(error, hints)
    }
}

impl From<ScoresError> for Failure {
    fn from(error: ScoresError) -> Self {
        Self::bad_input(error, Vec::new())
    }
}

impl From<RankedError> for Failure {
    fn from(error: RankedError) -> Self {
        match error {
            RankedError::Collection(error) => error.into(),
            error => Self::bad_input(error, Vec::new()),
        }
    }
}

fn click_hints(error: &ClickError) -> Vec<String> {
    match error {
        ClickError::Unknown { suggestion, .. } => did_you_mean(*suggestion).into_iter().collect(),
        ClickError::Param(error) => param_hints(error),
        _ => Vec::new(),
    }
}

impl From<ClickError> for Failure {
    fn from(error: ClickError) -> Self {
        let hints = click_hints(&error);
        Self::bad_input(error, hints)
    }
}

impl From<InterleavingError> for Failure {
    fn from(error: InterleavingError) -> Self {
        let hints = match &error {
            InterleavingError::Unknown { suggestion, .. } => did_you_mean(*suggestion).into_iter().collect(),
            InterleavingError::Param(error) => param_hints(error),
            _ => Vec::new(),
        };
        Self::bad_input(error, hints)
    }
}

impl From<SimulationError> for Failure {
    fn from(error: SimulationError) -> Self {
        match error {
            SimulationError::Clicks(error) => error.into(),
            SimulationError::Stopped => Self { error: error.into(), hints: Vec::new(), code: Self::STOPPED },
            error => Self::bad_input(error, Vec::new()),
        }
    }
}

impl From<AtomicFileError> for Failure {
    fn from(error: AtomicFileError) -> Self {
        match error {
            AtomicFileError::Exists { .. } => {
                Self::bad_input(error, vec!["`--force` writes over it".to_owned()])
            }
            error => Self { error: error.into(), hints: Vec::new(), code: Self::BROKEN },
        }
    }
}

impl From<RegretError> for Failure {
    fn from(error: RegretError) -> Self {
        Self::bad_input(error, regret_hints())
    }
}

impl From<PlayError> for Failure {
    fn from(error: PlayError) -> Self {
        match error {
            PlayError::World(error) => error.into(),
            PlayError::Policy(error) => error.into(),
            PlayError::Regret(error) => error.into(),
            error => Self::bad_input(error, Vec::new()),
        }
    }
}
