//! Converts a vote of a file to the JSON of the API.

use tiltyard::arena::time::Time;
use tiltyard::world::votes::{Row, Verdict};
use tiltyard_wire::{Outcome, VoteInput};

/// The end of the year 9999, in seconds since 1970. Larger numbers are not times.
const LATEST: f64 = 253_402_300_800.0;

/// A vote that cannot be imported.
#[derive(Debug, PartialEq)]
pub(super) struct BadVote {
    line: u64,
    field: &'static str,
    text: String,
    wanted: &'static str,
}

impl std::fmt::Display for BadVote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { line, field, text, wanted } = self;
        write!(f, "line {line}, `{field}`: `{}` is not {wanted}", crate::cli::client::plain(text))
    }
}

/// Appends a vote as JSON; false if the voter skipped the duel, which is not a vote.
pub(super) fn write(row: &Row<'_>, text: &mut String) -> Result<bool, BadVote> {
    let bad = |field, text: &str, wanted| BadVote {
        line: row.line,
        field,
        text: text.chars().take(40).collect(),
        wanted,
    };
    let (outcome, score) = match row.said {
        None => return Ok(false),
        Some(Verdict::Left) => (Some(Outcome::Left), None),
        Some(Verdict::Right) => (Some(Outcome::Right), None),
        Some(Verdict::Tie) => (Some(Outcome::Tie), None),
        Some(Verdict::BothBad) => (Some(Outcome::BothBad), None),
        Some(Verdict::Score(outcome)) => (None, Some(outcome.score())),
    };
    let time = row.time.map(|time| {
        moment(time)
            .ok_or_else(|| bad("time", time, "a time such as 2026-01-31T12:00:00Z, or seconds since 1970"))
    });
    let share = |text: &str| text.parse().ok().filter(|&share: &f64| share > 0.0 && share <= 1.0);
    let pscore = row.pscore.map(|pscore| {
        share(pscore).ok_or_else(|| bad("pscore", pscore, "a probability above 0 and at most 1"))
    });
    if row.weight > 1.0 {
        return Err(bad("weight", &row.weight.to_string(), "above 0 and at most 1"));
    }
    let vote = VoteInput {
        left: Some(row.left.to_owned()),
        right: Some(row.right.to_owned()),
        outcome,
        score,
        voter: row.voter.map(str::to_owned),
        time: time.transpose()?.map(|time| time.to_string()),
        weight: Some(row.weight).filter(|&weight| weight < 1.0),
        propensity: pscore.transpose()?,
        ..VoteInput::default()
    };
    text.push_str(&serde_json::to_string(&vote).expect("a vote is plain data"));
    Ok(true)
}

/// Parses a time as it occurs in files.
fn moment(text: &str) -> Option<Time> {
    if let Ok(time) = text.parse() {
        return Some(time);
    }
    let seconds: f64 = text.parse().ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "whole microseconds up to the year 9999")]
    (0.0..LATEST).contains(&seconds).then(|| Time((seconds * 1e6).round() as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Row<'_> = Row {
        line: 3,
        left: "a",
        right: "b",
        said: Some(Verdict::Left),
        weight: 1.0,
        time: None,
        voter: None,
        pscore: None,
    };

    fn written(row: &Row<'_>) -> String {
        let mut text = String::new();
        assert_eq!(write(row, &mut text), Ok(true));
        text
    }

    #[test]
    fn trace_votes() {
        assert_eq!(written(&ROW), r#"{"left":"a","right":"b","outcome":"left"}"#);
        let full =
            Row { time: Some("1682351591.5"), voter: Some("u"), pscore: Some("0.25"), weight: 0.5, ..ROW };
        let rest = r#""voter":"u","time":"2023-04-24T15:53:11.5Z","weight":0.5,"propensity":0.25}"#;
        assert_eq!(written(&full), format!(r#"{{"left":"a","right":"b","outcome":"left",{rest}"#));
        assert_eq!(write(&Row { said: None, ..ROW }, &mut String::new()), Ok(false));
        for (row, said) in [
            (Row { time: Some("yesterday"), ..ROW }, "line 3, `time`: `yesterday` is not a time"),
            (Row { time: Some("-1"), ..ROW }, "line 3, `time`: `-1` is not a time"),
            (
                Row { time: Some("2026-01-31 12:00:00"), ..ROW },
                "line 3, `time`: `2026-01-31 12:00:00` is not",
            ),
            (Row { pscore: Some("0"), ..ROW }, "line 3, `pscore`: `0` is not a probability"),
            (Row { pscore: Some("nan"), ..ROW }, "line 3, `pscore`: `nan` is not a probability"),
            (Row { weight: 2.0, ..ROW }, "line 3, `weight`: `2` is not above 0 and at most 1"),
        ] {
            let error = write(&row, &mut String::new()).expect_err("it is invalid").to_string();
            assert!(error.starts_with(said), "{error}");
        }
    }
}
