//! The command line: one file a command.

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

    pub(crate) fn stopped(done: u64, total: u64, out: &Path) -> Self {
        let error =
            anyhow::anyhow!("stopped; {done} of {total} runs are finished and safe in {}", out.display());
        let hints = vec!["the same command with `--resume` continues it".to_owned()];
        Self { error, hints, code: Self::STOPPED }
    }

    pub(crate) fn stopped_report(out: &Path) -> Self {
        let error = anyhow::anyhow!("stopped; what was finished is safe in {}", out.display());
        Self { error, hints: vec!["the same command continues it".to_owned()], code: Self::STOPPED }
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

/// What hints point to, as it is typed.
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
