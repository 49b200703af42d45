//! `tiltyard world build`: builds matrices from rankings, votes and scores.

mod letor;
mod scores;
mod simulate;
mod trec;
mod votes;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::{Value, json};
use tiltyard::Arm;
use tiltyard::bandit::matrix::PreferenceMatrix;
use tiltyard::world::{AtomicFile, AtomicFileError};

use crate::cli::Failure;
use crate::printer::Printer;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// From a learning-to-rank collection: rankers, interleaving and simulated clicks
    Letor(letor::FromLetor),
    /// From your own rankings: TREC run files, relevance judgements and simulated clicks
    Trec(trec::FromTrec),
    /// From votes: CSV, or the JSON of Chatbot Arena and FastChat
    Votes(votes::FromVotes),
    /// From scores of the arms
    Scores(scores::FromScores),
}

impl Command {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        match self {
            Self::Letor(letor) => letor.run(printer),
            Self::Trec(trec) => trec.run(printer),
            Self::Votes(votes) => votes.run(printer),
            Self::Scores(scores) => scores.run(printer),
        }
    }
}

/// Prepares the file of a matrix. An existing file is refused without `force`, and so is a name
/// that no command would read as a matrix.
fn matrix_file(path: &Path, force: bool) -> Result<AtomicFile, Failure> {
    if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("csv")) {
        let error = anyhow::anyhow!("`--out {}` does not end in .csv", path.display());
        return Err(Failure::bad_input(error, vec!["a matrix is written as CSV".to_owned()]));
    }
    Ok(AtomicFile::new(path, force)?)
}

/// Refuses to write over an input, even with `--force`.
fn keep_inputs(inputs: impl IntoIterator<Item: AsRef<Path>>, outputs: &[&Path]) -> Result<(), Failure> {
    // A path that does not exist yet is no input.
    let found = |path: &Path| path.canonicalize().ok();
    let outputs: Vec<PathBuf> = outputs.iter().filter_map(|path| found(path)).collect();
    for input in inputs {
        let input = input.as_ref();
        if found(input).is_some_and(|path| outputs.contains(&path)) {
            let error = anyhow::anyhow!("{} is an input and would be overwritten", input.display());
            return Err(Failure::bad_input(error, vec!["choose another name with `--out`".to_owned()]));
        }
    }
    Ok(())
}

/// `M.csv` becomes `M.pairs.csv`.
fn beside(path: &Path, what: &str) -> PathBuf {
    path.with_extension(format!("{what}.csv"))
}

/// Writes a file. A failure here is a fault of the disk, not of the input.
fn fill(
    mut file: AtomicFile,
    write: impl FnOnce(&mut AtomicFile) -> std::io::Result<()>,
) -> Result<AtomicFile, Failure> {
    match write(&mut file) {
        Ok(()) => Ok(file),
        Err(source) => Err(AtomicFileError::Unwritable { path: file.path().to_owned(), source }.into()),
    }
}

/// The names of the winners.
struct Winners {
    condorcet: Option<String>,
    copeland: Vec<String>,
    borda: Vec<String>,
}

impl Winners {
    fn of(matrix: &PreferenceMatrix, names: &[String]) -> Self {
        let name = |arm: &Arm| names[arm.index()].clone();
        Self {
            condorcet: matrix.condorcet_winner().as_ref().map(name),
            copeland: matrix.copeland_winners().iter().map(name).collect(),
            borda: matrix.borda_winners().iter().map(name).collect(),
        }
    }

    fn add_to(&self, json: &mut Value) {
        json["condorcet_winner"] = json!(self.condorcet);
        json["copeland_winners"] = json!(self.copeland);
        json["borda_winners"] = json!(self.borda);
    }

    fn tell(&self, printer: &Printer) {
        printer.note(format_args!("Condorcet winner: {}", self.condorcet.as_deref().unwrap_or("none")));
        printer.note(format_args!("Copeland winner:  {}", self.copeland.join(", ")));
        printer.note(format_args!("Borda winner:     {}", self.borda.join(", ")));
    }
}
