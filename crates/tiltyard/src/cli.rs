//! The command line: one file a command.

use std::fmt;
use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use tiltyard::bandit::params::ParamError;
use tiltyard::bandit::policy::registry::BuildError;
use tiltyard::lab::play::PlayError;
use tiltyard::world::RegretError;
use tiltyard::world::builtin::WorldError;
use tiltyard::world::matrix_file::ReadMatrixError;

use crate::printer::Printer;

mod lab_failure;
mod merge;
mod play;
mod plot;
mod policy;
mod reproduce;
mod run;
mod table;
mod work;
mod world;

const AFTER_HELP: &str = "\
Exit codes:
  0  done (also when the reader of stdout went away)
  1  could not do the work, for example stdout is full
  2  wrong arguments or bad input; nothing was run
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
    /// Make the paper's figures again and check its claims
    Reproduce(reproduce::Reproduce),
    /// Let policies play in a world and compare their regret
    Play(play::Play),
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
        Command::Run(run) => run.run(printer),
        Command::Merge(merge) => merge.run(printer),
        Command::Plot(plot) => plot.run(printer),
        Command::Policy(command) => command.run(printer),
        Command::World(command) => command.run(printer),
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

    /// The work could not be done, and no argument is to blame.
    pub(crate) fn broken(error: impl Into<anyhow::Error>) -> Self {
        Self { error: error.into(), hints: Vec::new(), code: Self::BROKEN }
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
        WorldError::Param(error) => param_hints(error),
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

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Self {
        let hints = build_hints(&error);
        Self::bad_input(error, hints)
    }
}

impl From<WorldError> for Failure {
    fn from(error: WorldError) -> Self {
        let hints = world_hints(&error);
        Self::bad_input(error, hints)
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
