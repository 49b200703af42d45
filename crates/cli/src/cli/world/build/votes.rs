//! `tiltyard world build votes`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;
use tiltyard::world::AtomicFile;
use tiltyard::world::build::votes::{Options, Unseen, VoteMatrix};
use tiltyard::world::matrix_file::write_matrix;
use tiltyard::world::votes::{Verdict, Votes, read_votes};

use super::{Winners, beside, fill, keep_inputs, matrix_file};
use crate::cli::{Failure, ListFormat};
use crate::number;
use crate::printer::Printer;

#[derive(Debug, Args)]
pub(crate) struct FromVotes {
    /// Files of votes, read together: CSV (`left,right,outcome`), JSON or JSON lines, plain or gzip
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// File for the matrix; M.pairs.csv beside it gets all pairs with their counts
    #[arg(long, value_name = "M.csv")]
    out: PathBuf,
    /// Votes added to each side of each compared pair
    #[arg(long, value_name = "S", default_value = "0.5", allow_negative_numbers = true)]
    smoothing: f64,
    /// The probability for pairs that were never compared
    #[arg(long, value_enum, default_value = "half")]
    unseen: UnseenArgument,
    /// Pairs with fewer votes count as never compared
    #[arg(long, value_name = "N", default_value = "1", value_parser = number::count)]
    min_votes: u64,
    /// Overwrite existing files
    #[arg(long)]
    force: bool,
    /// Output format of the summary
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum UnseenArgument {
    /// 1/2, for lack of evidence
    Half,
    /// The prediction of strengths fitted to the other pairs
    BradleyTerry,
    /// None: such pairs are an error
    Refuse,
}

impl UnseenArgument {
    fn meaning(self) -> Unseen {
        match self {
            Self::Half => Unseen::Half,
            Self::BradleyTerry => Unseen::BradleyTerry,
            Self::Refuse => Unseen::Refuse,
        }
    }
}

/// More pairs than this are not listed one by one.
const LISTED: usize = 5;

impl FromVotes {
    pub(super) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let pairs_path = beside(&self.out, "pairs");
        keep_inputs(&self.files, &[&self.out, &pairs_path])?;
        // Before any input is read, so that a long build does not end with a file that cannot be
        // written.
        let matrix_file = matrix_file(&self.out, self.force)?;
        let pairs_file = AtomicFile::new(&pairs_path, self.force)?;
        let log = read_votes(&self.files)?;
        let options =
            Options { smoothing: self.smoothing, unseen: self.unseen.meaning(), min_votes: self.min_votes };
        let built = VoteMatrix::new(&log, options)?;
        let matrix_file = fill(matrix_file, |file| write_matrix(file, built.matrix(), built.names()))?;
        let pairs_file = fill(pairs_file, |file| built.write_pairs(file))?;
        // The matrix is written last: if it exists, so does the file of pairs.
        pairs_file.keep()?;
        matrix_file.keep()?;
        let summary = Summary::of(&log, &built);
        if self.format == ListFormat::Json {
            summary.print_json(&self, &built, printer);
        } else {
            summary.tell(&self, &built, printer);
        }
        Ok(())
    }
}

struct Summary<'a> {
    log: &'a Votes,
    ties: usize,
    both_bad: usize,
    pairs: usize,
    never: usize,
    /// The smallest and the largest number of votes on a compared pair.
    fewest: u64,
    most: u64,
    winners: Winners,
}

impl<'a> Summary<'a> {
    fn of(log: &'a Votes, built: &VoteMatrix) -> Self {
        let count = |verdict| log.votes().iter().filter(|vote| vote.verdict == verdict).count();
        let sizes = || built.compared().map(|pair| pair.votes);
        Self {
            log,
            ties: count(Verdict::Tie),
            both_bad: count(Verdict::BothBad),
            pairs: built.counts().n_pairs(),
            never: built.never_compared(),
            fewest: sizes().min().unwrap_or(0),
            most: sizes().max().unwrap_or(0),
            winners: Winners::of(built.matrix(), built.names()),
        }
    }

    fn never_share(&self) -> f64 {
        self.never as f64 / self.pairs as f64
    }

    fn print_json(&self, arguments: &FromVotes, built: &VoteMatrix, printer: &mut Printer) {
        let dropped = self.log.dropped();
        let unseen = arguments.unseen.to_possible_value().expect("no word is hidden");
        let mut json = json!({
            "matrix": arguments.out,
            "pairs_file": beside(&arguments.out, "pairs"),
            "arms": self.log.n_arms(),
            "names": built.names(),
            "votes": self.log.votes().len(),
            "ties": self.ties,
            "both_bad": self.both_bad,
            "skipped": dropped.skipped,
            "same_arm": dropped.same_arm,
            "passed_over": dropped.passed_over,
            "unused_columns": self.log.unused(),
            "smoothing": arguments.smoothing,
            "unseen": unseen.get_name(),
            "min_votes": arguments.min_votes,
            "pairs": self.pairs,
            "compared": self.pairs - self.never,
            "never_compared": self.never,
            "groups": built.groups(),
            "votes_a_pair": {"fewest": self.fewest, "most": self.most},
        });
        self.winners.add_to(&mut json);
        printer.line(json);
    }

    fn tell(&self, arguments: &FromVotes, built: &VoteMatrix, printer: &Printer) {
        let dropped = self.log.dropped();
        printer.note(format_args!(
            "votes: {} on {} arms; ties: {}, both bad: {}",
            self.log.votes().len(),
            self.log.n_arms(),
            self.ties,
            self.both_bad
        ));
        for (n, what) in [
            (dropped.skipped, "skipped by the voter"),
            (dropped.same_arm, "of an arm with itself"),
            (dropped.passed_over, "lines of a log that are not votes or do not name the arms"),
        ] {
            if n > 0 {
                printer.note(format_args!("left out, {what}: {n}"));
            }
        }
        if !self.log.unused().is_empty() {
            printer.note(format_args!("columns not used: {}", self.log.unused().join(", ")));
        }
        printer.note(format_args!(
            "compared pairs: {} of {}, with {} to {} votes each",
            self.pairs - self.never,
            self.pairs,
            self.fewest,
            self.most
        ));
        if self.never > 0 {
            self.tell_never(arguments, built, printer);
        }
        printer.note("");
        self.winners.tell(printer);
        printer.note(format_args!(
            "\nwrote {} and {}",
            arguments.out.display(),
            beside(&arguments.out, "pairs").display()
        ));
    }

    /// Warns about pairs without evidence.
    fn tell_never(&self, arguments: &FromVotes, built: &VoteMatrix, printer: &Printer) {
        let how = if arguments.min_votes > 1 {
            format!("compared fewer than {} times", arguments.min_votes)
        } else {
            "never compared".to_owned()
        };
        let stands = match arguments.unseen.meaning() {
            Unseen::BradleyTerry => "their P is predicted by a Bradley-Terry fit to the others",
            _ => "their P is 1/2, for lack of evidence",
        };
        printer.note(format_args!(
            "\nwarning: pairs {how}: {} of {} ({:.1} %); {stands}",
            self.never,
            self.pairs,
            100.0 * self.never_share()
        ));
        let name = |arm: tiltyard::Arm| &built.names()[arm.index()];
        for entry in built.entries().filter(|entry| !entry.is_compared).take(LISTED) {
            printer.note(format_args!("  {} and {}", name(entry.low), name(entry.high)));
        }
        if self.never > LISTED {
            printer.note(format_args!(
                "  ... and {} more, with stderr = inf in the file of pairs",
                self.never - LISTED
            ));
        }
        if built.groups() > 1 {
            printer.note(format_args!(
                "warning: the arms fall into {} groups that no chain of comparisons connects",
                built.groups()
            ));
        }
    }
}
