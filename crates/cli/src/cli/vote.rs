//! `tiltyard vote`: sends the outcome of a duel, or shows duels for a person to answer.

use anyhow::anyhow;
use clap::Args;
use tiltyard::arena::id::DuelId;
use tiltyard_wire::{AnswerView, DoneView, DoneWord, DuelView, DuelsBody, Outcome, OutcomeBody};

use self::ask::{Person, Reply};
use super::Failure;
use super::client::{Client, Connection, Retry, plain, read};
use super::duel::issue;
use crate::printer::Printer;

mod ask;

/// Answer a duel, or vote on one duel after the other
///
/// With an answer, the command sends it as the outcome of the duel. The same answer may be sent
/// again; a different one is refused. A score says how much better the left arm is. Without an
/// answer, the command shows duels of an experiment, and you answer with single keys.
#[derive(Debug, Args)]
pub(crate) struct Vote {
    /// A duel's id; without an answer, an experiment's id or name
    #[arg(value_name = "DUEL|EXPERIMENT")]
    target: String,
    /// left, right, tie, both_bad, skip, or a score from -1 to 1
    #[arg(allow_negative_numbers = true, value_parser = answer)]
    answer: Option<AnswerView>,
    /// Who votes
    #[arg(long)]
    voter: Option<String>,
    #[command(flatten)]
    connection: Connection,
}

/// Parses an answer.
fn answer(text: &str) -> Result<AnswerView, String> {
    if let Ok(word) = serde_json::from_value(text.into()) {
        return Ok(AnswerView::Word(word));
    }
    match text.parse() {
        Ok(score) if (-1.0..=1.0).contains(&score) => Ok(AnswerView::Score(score)),
        _ => Err("must be left, right, tie, both_bad, skip, or a score from -1 to 1".to_owned()),
    }
}

impl Vote {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        match (self.target.parse::<DuelId>(), &self.answer) {
            (Ok(_), Some(answer)) => {
                let client = self.connection.open()?;
                let status = self.send(&client, &self.target, answer, printer)?;
                printer.line(status);
                Ok(())
            }
            (Ok(_), None) => Err(Failure::bad_input(
                anyhow!("the answer to this duel is missing"),
                vec![format!(
                    "`tiltyard vote {} left`; other answers are right, tie, both_bad, skip, or a score",
                    self.target
                )],
            )),
            (Err(error), Some(_)) => Err(Failure::bad_input(
                error,
                vec![
                    "`tiltyard duel EXPERIMENT` prints ids of duels".to_owned(),
                    "`tiltyard vote EXPERIMENT`, without an answer, shows duels to answer".to_owned(),
                ],
            )),
            (Err(_), None) => self.ask(printer),
        }
    }

    fn send(
        &self,
        client: &Client,
        duel: &str,
        answer: &AnswerView,
        printer: &Printer,
    ) -> Result<DoneWord, Failure> {
        let (outcome, score) = match *answer {
            AnswerView::Word(word) => (Some(word), None),
            AnswerView::Score(score) => (None, Some(score)),
        };
        let body = OutcomeBody { outcome, score, voter: self.voter.clone(), time: None };
        let answer = client.post(&format!("/v1/duels/{duel}/outcome"), &body, Retry::Safe, printer)?;
        Ok(read::<DoneView>(&answer)?.status)
    }

    /// Shows duels until the voter quits.
    fn ask(&self, printer: &mut Printer) -> Result<(), Failure> {
        let client = self.connection.open()?;
        let id = client.resolve(&self.target, printer)?;
        let mut person = Person::new();
        let mut n_votes = 0_u64;
        loop {
            let (_, duels) = issue(&client, &id, &DuelsBody::default(), printer)?;
            let Some(duel) = duels.first() else {
                return Err(Failure::broken(anyhow!("the server sent no duel")));
            };
            let (left, right) = shown(duel);
            let reply = person.ask(&left, &right, printer).map_err(Failure::broken)?;
            let word = match reply {
                Reply::Answer(word) => word,
                // Skipped, so that the unanswered duel does not count against its arms.
                Reply::Enough => Outcome::Skip,
            };
            self.send(&client, &duel.id, &AnswerView::Word(word), printer)?;
            if reply == Reply::Enough {
                break;
            }
            n_votes += u64::from(word != Outcome::Skip);
        }
        printer
            .note(format_args!("\nvotes: {n_votes}; `tiltyard standing {}` shows the standing", self.target));
        Ok(())
    }
}

/// The labels that the voter sees; an arm without a label is shown by its name.
fn shown(duel: &DuelView) -> (String, String) {
    let labels =
        duel.arms.as_ref().map_or((None, None), |arms| (arms.left.label.as_ref(), arms.right.label.as_ref()));
    (plain(labels.0.unwrap_or(&duel.left)), plain(labels.1.unwrap_or(&duel.right)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_answers() {
        assert!(matches!(answer("both_bad"), Ok(AnswerView::Word(Outcome::BothBad))));
        assert!(matches!(answer("-0.5"), Ok(AnswerView::Score(-0.5))));
        for text in ["", "Left", "1.5", "nan", "inf", "both"] {
            assert!(answer(text).is_err(), "{text}");
        }
    }
}
