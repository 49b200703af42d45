//! An exported vote: a line of CSV or a JSON object. It has everything that the log knows about the
//! vote, except the secret needed to answer the duel.

use core::fmt::Write as _;
use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use tiltyard_bandit::{Arm, Ticket};
use tiltyard_wire::{AnswerView, Propensity, VoteRow, VotesFormat};

use super::convert::{outcome, propensity};
use crate::domain::{Answer, Ballot, BallotEvent, DrawnDuel, ImportedBatch, ImportedVote, NewArm, PairVote};

/// The columns, in order. They have the names that readers of votes expect, so that an export can
/// be imported again.
const HEADER: &str = "seq,duel,recorded_at,time,left,right,outcome,score,weight,voter,pscore,pscore_left,\
                      pscore_right,swapped,holdout,late,context,source\n";

/// Writes votes as text.
#[derive(Debug)]
pub(super) struct VoteText {
    pub(super) format: VotesFormat,
    pub(super) arms: Vec<Arc<NewArm>>,
    /// Only votes recorded after this log position are written.
    pub(super) after: u64,
}

impl VoteText {
    /// The text before the first vote.
    pub(super) fn header(&self) -> &'static str {
        match self.format {
            VotesFormat::Csv => HEADER,
            VotesFormat::Jsonl => "",
        }
    }

    /// Appends the votes of these steps.
    pub(super) fn write(&self, steps: &[BallotEvent], text: &mut String) {
        for step in steps {
            match step {
                BallotEvent::Voted(ballot) if ballot.seq > self.after => match &ballot.ranked {
                    Some((slate, ranking)) => {
                        let is_whole = ranking.drawn(&ballot.drawn).is_some();
                        for vote in slate.votes(ranking) {
                            self.add(&self.ranked(ballot, &vote, is_whole), text);
                        }
                    }
                    None => self.add(&self.ballot(ballot), text),
                },
                BallotEvent::Imported(batch) if batch.seq > self.after => {
                    let recorded_at = batch.at.to_string();
                    for vote in &batch.votes {
                        self.add(&self.imported(batch, vote, recorded_at.clone()), text);
                    }
                }
                _ => {}
            }
        }
    }

    fn name(&self, arm: Arm) -> &str {
        self.arms.get(arm.index()).map_or("", |arm| &arm.name)
    }

    fn ballot<'a>(&'a self, ballot: &'a Ballot) -> VoteRow<'a> {
        let (left, right) = ballot.drawn.sides();
        let Propensity { left: pscore_left, right: pscore_right, pair: pscore } = propensity(&ballot.drawn);
        VoteRow {
            seq: ballot.seq,
            duel: Some(ballot.duel),
            recorded_at: ballot.at.to_string(),
            time: Some(ballot.said.unwrap_or(ballot.at).to_string()),
            left: self.name(left).into(),
            right: self.name(right).into(),
            outcome: outcome(ballot.answer),
            score: score(ballot.answer),
            weight: 1.0,
            voter: ballot.voter.as_deref().map(Cow::Borrowed),
            pscore,
            pscore_left,
            pscore_right,
            swapped: Some(ballot.drawn.swapped),
            holdout: ballot.drawn.holdout,
            late: ballot.late,
            context: ballot.context.as_ref().map(Cow::Borrowed),
            source: None,
        }
    }

    /// A pair of a ranking. The pair that the policy drew has the propensity of a duel. The other
    /// pairs have no propensity, because they were not drawn as pairs.
    fn ranked<'a>(&'a self, ballot: &'a Ballot, vote: &PairVote, is_whole: bool) -> VoteRow<'a> {
        let (left, right) = vote.sides();
        let Ticket { left: first, right: second, .. } = ballot.drawn.ticket;
        let swapped = left != first;
        let chances = if is_whole && [(first, second), (second, first)].contains(&(left, right)) {
            propensity(&DrawnDuel { swapped, ..ballot.drawn })
        } else {
            Propensity { left: None, right: None, pair: None }
        };
        VoteRow {
            left: self.name(left).into(),
            right: self.name(right).into(),
            outcome: outcome(vote.answer),
            score: score(vote.answer),
            weight: vote.weight,
            pscore: chances.pair,
            pscore_left: chances.left,
            pscore_right: chances.right,
            swapped: chances.pair.map(|_| swapped),
            ..self.ballot(ballot)
        }
    }

    fn imported<'a>(
        &'a self,
        batch: &'a ImportedBatch,
        vote: &'a ImportedVote,
        recorded_at: String,
    ) -> VoteRow<'a> {
        let (left, right) = vote.sides();
        VoteRow {
            seq: batch.seq,
            duel: None,
            recorded_at,
            time: vote.said.map(|said| said.to_string()),
            left: self.name(left).into(),
            right: self.name(right).into(),
            outcome: outcome(vote.answer),
            score: score(vote.answer),
            weight: vote.weight.unwrap_or(1.0),
            voter: vote.voter.as_ref().map(|voter| Cow::Owned(voter.to_string())),
            pscore: vote.propensity,
            pscore_left: None,
            pscore_right: None,
            swapped: None,
            holdout: false,
            late: false,
            context: None,
            source: Some(Cow::Borrowed(&batch.source)),
        }
    }

    fn add(&self, row: &VoteRow<'_>, text: &mut String) {
        match self.format {
            VotesFormat::Csv => csv(row, text),
            VotesFormat::Jsonl => {
                text.push_str(&serde_json::to_string(row).expect("a vote is plain data"));
                text.push('\n');
            }
        }
    }
}

/// The score of a vote. A skipped duel is not a vote and never gets here.
fn score(answer: Answer) -> f64 {
    answer.outcome().map_or(0.0, tiltyard_bandit::Outcome::score)
}

fn csv(row: &VoteRow<'_>, text: &mut String) {
    let outcome = match &row.outcome {
        Some(AnswerView::Word(word)) => word.to_string(),
        Some(AnswerView::Score(score)) => score.to_string(),
        None => String::new(),
    };
    let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
    let truth = |truth: bool| if truth { "true" } else { "false" };
    // Numbers and fixed words need no quotes; names, times and other texts may need them.
    let _ = write!(text, "{},{}", row.seq, row.duel.map(|duel| duel.to_string()).unwrap_or_default());
    for field in [&row.recorded_at, row.time.as_deref().unwrap_or_default(), &row.left, &row.right] {
        text.push(',');
        quote(field, text);
    }
    let _ = write!(text, ",{outcome},{},{},", row.score, row.weight);
    quote(row.voter.as_deref().unwrap_or_default(), text);
    let pscores = [row.pscore, row.pscore_left, row.pscore_right].map(number).join(",");
    let swapped = row.swapped.map(truth).unwrap_or_default();
    let _ = write!(text, ",{pscores},{swapped},{},{},", truth(row.holdout), truth(row.late));
    quote(&row.context.as_deref().map(Value::to_string).unwrap_or_default(), text);
    text.push(',');
    quote(row.source.as_deref().unwrap_or_default(), text);
    text.push('\n');
}

/// Appends a field, in quotes if it needs them.
fn quote(field: &str, text: &mut String) {
    if !field.contains([',', '"', '\n', '\r']) {
        text.push_str(field);
        return;
    }
    text.push('"');
    for (i, part) in field.split('"').enumerate() {
        if i > 0 {
            text.push_str("\"\"");
        }
        text.push_str(part);
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_fields_with_special_characters() {
        for (field, written) in [
            ("", ""),
            ("a b", "a b"),
            ("a,b", "\"a,b\""),
            ("say \"hi\"", "\"say \"\"hi\"\"\""),
            ("a\nb", "\"a\nb\""),
            ("\"", "\"\"\"\""),
        ] {
            let mut text = String::new();
            quote(field, &mut text);
            assert_eq!(text, written);
        }
    }
}
