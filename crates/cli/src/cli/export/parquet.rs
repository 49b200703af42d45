//! Converts votes from the server's JSON lines to Parquet.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Read, Write};

use serde_json::Value;
use tiltyard::Arm;
use tiltyard::arena::time::Time;
use tiltyard::lab::results::TableError;
use tiltyard::lab::vote_table::{VoteRow, VoteTable};
use tiltyard_wire::{self as wire, AnswerView};

use super::Broken;

/// Copies all votes of the body, which has one JSON object per line.
pub(super) fn copy(arms: &[String], reader: impl Read, out: impl Write + Send) -> Result<(), Broken> {
    let index: BTreeMap<&str, Arm> =
        Arm::all(arms.len()).map(|arm| (arms[arm.index()].as_str(), arm)).collect();
    let mut table = VoteTable::new(arms, out).map_err(sink)?;
    let mut reader = BufReader::with_capacity(1 << 16, reader);
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line).map_err(Broken::Source)? == 0 {
            table.finish().map_err(sink)?.flush().map_err(Broken::Sink)?;
            return Ok(());
        }
        add(&line, &index, &mut table)?;
    }
}

fn add<W: Write + Send>(
    line: &str,
    index: &BTreeMap<&str, Arm>,
    table: &mut VoteTable<W>,
) -> Result<(), Broken> {
    let strange = |what: String| Broken::Source(io::Error::other(what));
    let vote: wire::VoteRow<'_> =
        serde_json::from_str(line).map_err(|error| strange(format!("a line is not a vote: {error}")))?;
    let arm = |name: &str| {
        index.get(name).copied().ok_or_else(|| strange("a vote names an unknown arm".to_owned()))
    };
    let time = vote.time.as_deref().unwrap_or(&vote.recorded_at);
    let time: Time =
        time.parse().map_err(|error| strange(format!("the time of a vote is invalid: {error}")))?;
    let context = vote.context.as_deref().map(Value::to_string);
    let outcome = match &vote.outcome {
        Some(AnswerView::Word(word)) => word.to_string(),
        Some(AnswerView::Score(_)) | None => "score".to_owned(),
    };
    let row = VoteRow {
        micros: time.0,
        left: arm(&vote.left)?,
        right: arm(&vote.right)?,
        swapped: vote.swapped.unwrap_or(false),
        outcome: &outcome,
        score: vote.score,
        weight: vote.weight,
        pscore: vote.pscore,
        voter: vote.voter.as_deref(),
        context: context.as_deref(),
        holdout: vote.holdout,
        late: vote.late,
        source: vote.source.as_deref(),
        seq: vote.seq,
        duel: vote.duel,
    };
    table.add(&row).map_err(sink)
}

fn sink(error: TableError) -> Broken {
    Broken::Sink(match error {
        TableError::Io(error) => error,
        error => io::Error::other(error.to_string()),
    })
}
