//! The command line, with one file per command.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use tiltyard::bandit::hint::{Fault, FrontEnd, Hint};

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
  0  success (also if the reader of stdout closes it early)
  1  failure, for example because stdout is full or the server cannot be reached
  2  invalid arguments or input, or the server refused the request; nothing was done
  3  stopped by Ctrl-C or a signal; work that was already saved is kept
  4  a claim of the paper fails or is inconclusive (only with `reproduce --strict`)";

/// Learn which of K things people prefer by asking only: this one or that one?
#[derive(Debug, Parser)]
#[command(name = "tiltyard", version, after_help = AFTER_HELP, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print results and errors only
    #[arg(long, global = true, display_order = 100)]
    pub(crate) quiet: bool,
    /// Hide the progress bar
    #[arg(long, global = true, display_order = 101)]
    pub(crate) no_progress: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Reproduce a paper's figures and check its claims
    Reproduce(reproduce::Reproduce),
    /// Let policies play in a world and compare their regret
    Play(play::Play),
    Replay(replay::Replay),
    /// Run an experiment from a specification
    Run(run::Run),
    /// Merge the shards of an experiment
    Merge(merge::Merge),
    /// Draw figures from results
    Plot(plot::Plot),
    /// List and describe the policies (the algorithms)
    #[command(subcommand)]
    Policy(policy::Command),
    /// List, show, check and build worlds (the simulators that answer duels)
    #[command(subcommand)]
    World(world::Command),
    /// Summarise learning-to-rank files: queries, documents, features and labels
    Collection(collection::Collection),
    Plan(plan::PlanVotes),
    Serve(serve::Serve),
    New(new::New),
    /// List, show, pause, resume and close live experiments
    #[command(subcommand)]
    Experiment(experiment::Command),
    Standing(standing::ShowStanding),
    Segments(segments::ShowSegments),
    Voters(voters::ShowVoters),
    Apprentice(apprentice::Apprentice),
    Evaluate(evaluate::Evaluate),
    /// Add, retire and restore arms while an experiment runs
    #[command(subcommand)]
    Arm(arm::Command),
    Duel(duel::GetDuel),
    Vote(vote::Vote),
    Watch(watch::Watch),
    Void(void::Void),
    Import(import::Import),
    Export(export::Export),
    /// Create, list and revoke the keys of a server
    #[command(subcommand)]
    Key(key::Command),
    Verify(upkeep::Verify),
    Backup(upkeep::Backup),
    Restore(upkeep::Restore),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Table,
    /// One JSON object
    Json,
    /// One line per policy and checkpoint
    Csv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people
    Table,
    /// One JSON object
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

/// Why a command failed, what to do about it, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    error: anyhow::Error,
    hints: Vec<String>,
    code: u8,
}

impl Failure {
    /// Exit code: the command failed.
    pub(crate) const BROKEN: u8 = 1;
    /// Exit code: the input was invalid, and nothing was done.
    pub(crate) const BAD_INPUT: u8 = 2;
    /// Exit code: stopped by Ctrl-C or a signal.
    pub(crate) const STOPPED: u8 = 3;
    /// Exit code: a claim does not hold, which `--strict` makes an error.
    pub(crate) const UNSUPPORTED: u8 = 4;

    pub(crate) fn bad_input(error: impl Into<anyhow::Error>, hints: Vec<String>) -> Self {
        Self { error: error.into(), hints, code: Self::BAD_INPUT }
    }

    pub(crate) fn file(path: &Path, error: io::Error) -> Self {
        let error = anyhow::Error::from(error).context(format!("could not write {}", path.display()));
        Self { error, hints: Vec::new(), code: Self::BROKEN }
    }

    /// The command failed, but its arguments are not the reason.
    pub(crate) fn broken(error: impl Into<anyhow::Error>) -> Self {
        Self { error: error.into(), hints: Vec::new(), code: Self::BROKEN }
    }

    /// Adds a hint.
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
        Self { error, hints: vec!["use fewer threads with `--threads N`".to_owned()], code: Self::BROKEN }
    }

    pub(crate) fn signals(error: ctrlc::Error) -> Self {
        let error = anyhow::Error::from(error).context("could not listen for Ctrl-C");
        Self { error, hints: Vec::new(), code: Self::BROKEN }
    }

    pub(crate) fn stopped(done: u64, total: u64, out: &Path) -> Self {
        let error =
            anyhow::anyhow!("stopped; {done} of {total} runs are finished and saved in {}", out.display());
        let hints = vec!["to continue, run the same command with `--resume`".to_owned()];
        Self { error, hints, code: Self::STOPPED }
    }

    pub(crate) fn stopped_report(out: &Path) -> Self {
        let error = anyhow::anyhow!("stopped; finished work is saved in {}", out.display());
        Self { error, hints: vec!["to continue, run the same command again".to_owned()], code: Self::STOPPED }
    }

    pub(crate) fn unsupported(claims: &[&str]) -> Self {
        let error = anyhow::anyhow!("claims that fail or are inconclusive: {}", claims.join(", "));
        Self { error, hints: vec!["the report says why".to_owned()], code: Self::UNSUPPORTED }
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

impl<E: Hint + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let code = match error.fault() {
            Fault::Input => Self::BAD_INPUT,
            Fault::Machine => Self::BROKEN,
            Fault::Stop => Self::STOPPED,
        };
        Self { hints: error.hints(&Terminal), error: error.into(), code }
    }
}

/// Completes hints with the commands and flags that a user can type.
struct Terminal;

impl FrontEnd for Terminal {
    fn policies(&self) -> &'static str {
        "`tiltyard policy list`"
    }

    fn page(&self, policy: &str) -> String {
        format!("`tiltyard policy show {policy}`")
    }

    fn worlds(&self) -> &'static str {
        "`tiltyard world list`"
    }

    fn wrappers(&self) -> &'static str {
        "`tiltyard world list`"
    }

    fn run(&self) -> &'static str {
        "`tiltyard run`"
    }

    fn again(&self) -> &'static str {
        "the same command"
    }

    fn option(&self, name: &str) -> String {
        format!("`--{name}`")
    }

    fn flag(&self, name: &str) -> String {
        format!("`--{name}`")
    }

    fn choice(&self, name: &str, value: &str) -> String {
        format!("`--{name} {value}`")
    }
}
