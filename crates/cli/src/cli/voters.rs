//! `tiltyard voters`: shows how far voters agree, and which voters stand out.

use clap::Args;
use tiltyard_wire::{Character, Voter, VoterList};

use super::client::{Connection, encode, plain, read};
use super::{Failure, ListFormat, table};
use crate::number;
use crate::printer::Printer;

/// Show how far voters agree with the others, and which voters stand out
#[derive(Debug, Args)]
pub(crate) struct ShowVoters {
    /// The experiment's id, or its name if that is unique
    experiment: String,
    /// Only this voter
    #[arg(long, value_name = "VOTER")]
    voter: Option<String>,
    /// Maximum number of voters, up to 1000; those who stand out most come first
    #[arg(long, value_name = "N", default_value = "100", value_parser = number::count)]
    limit: u64,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

impl ShowVoters {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let client = self.connection.open()?;
        let id = client.resolve(&self.experiment, printer)?;
        let only = self.voter.as_ref().map(|voter| format!("&voter={}", encode(voter))).unwrap_or_default();
        let path = format!("/v1/experiments/{id}/voters?limit={}{only}", self.limit);
        let answer = client.get(&path, printer)?;
        if self.format == ListFormat::Json {
            printer.line(answer);
            return Ok(());
        }
        let VoterList { n_voters, nameless, voters, .. } = read(&answer)?;
        if voters.is_empty() {
            printer.line(if self.voter.is_some() {
                "No vote names this voter."
            } else {
                "No vote names a voter."
            });
        } else {
            print(&voters, printer);
        }
        let mut remarks = Vec::new();
        if self.voter.is_none() && voters.len() < n_voters {
            remarks.push(format!("{} of {n_voters} voters; `--limit` shows more", voters.len()));
        }
        if nameless > 0 {
            remarks.push(format!("votes without a voter: {nameless}"));
        }
        if voters.iter().any(|voter| voter.stands_out.is_some()) {
            remarks.push(
                "hint: `tiltyard void EXPERIMENT --voter VOTER --dry-run` shows what would change".to_owned(),
            );
        }
        if !remarks.is_empty() {
            printer.note(format_args!("\n{}", remarks.join("\n")));
        }
        Ok(())
    }
}

fn print(voters: &[Voter], printer: &mut Printer) {
    let mut sentences = voters.iter().filter_map(sentence).peekable();
    if sentences.peek().is_none() {
        printer.line("No voter stands out.");
    }
    for sentence in sentences {
        printer.line(sentence);
    }
    printer.line("");
    let header = ["votes", "left", "right", "compared", "agree", "expected", "z-score", "voter"];
    let mut rows = table::Rows::numbers(7, &header);
    for voter in voters {
        let Voter { votes, left, right, compared, .. } = voter;
        let off = voter.deviation.map_or_else(|| "-".to_owned(), |deviation| format!("{deviation:+.1}"));
        rows.push(vec![
            votes.to_string(),
            left.to_string(),
            right.to_string(),
            format!("{compared:.0}"),
            share(voter.agreement),
            share(voter.expected),
            off,
            plain(&voter.voter),
        ]);
    }
    for line in rows.lines() {
        printer.line(line);
    }
    printer.note(
        "\nagree: with the majority of the others\nexpected: how often a typical voter would agree\n\
         z-score: agree minus expected, in standard deviations",
    );
}

fn share(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

/// What stands out about a voter, if anything does.
fn sentence(voter: &Voter) -> Option<String> {
    let Voter { left, right, .. } = voter;
    let agrees = || {
        let [agreement, expected] = [voter.agreement, voter.expected].map(share);
        format!("agreement is {agreement}, but {expected} is expected")
    };
    let words = match voter.stands_out? {
        Character::Against => format!("votes against the others: {}", agrees()),
        Character::Careless => format!("votes as if at random: {}", agrees()),
        Character::OneSided => format!("favours one side: {left} votes for the left, {right} for the right"),
    };
    Some(format!("{} {words}.", plain(&voter.voter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_what_stands_out() {
        let voter = |stands_out: Option<Character>| Voter {
            voter: "u\u{7}".to_owned(),
            votes: 50,
            left: 48,
            right: 2,
            compared: 40.0,
            agreement: Some(0.125),
            expected: Some(0.75),
            deviation: Some(-9.0),
            stands_out,
        };
        assert_eq!(sentence(&voter(None)), None);
        for (word, words) in [
            (Character::Against, "votes against the others: agreement is 12.5 %, but 75.0 % is expected."),
            (Character::Careless, "votes as if at random: agreement is 12.5 %, but 75.0 % is expected."),
            (Character::OneSided, "favours one side: 48 votes for the left, 2 for the right."),
        ] {
            assert_eq!(sentence(&voter(Some(word))), Some(format!("u\u{fffd} {words}")));
        }
    }
}
