//! `tiltyard segments`: shows the standing of parts of an experiment.

use clap::Args;
use tiltyard::arena::time::Time;
use tiltyard_wire::{Segment, SegmentArm, SegmentList};

use super::client::estimate::{percent, range, value};
use super::client::{Connection, encode, plain, read};
use super::{Failure, ListFormat, moment, table};
use crate::printer::Printer;

/// Show the standing of parts of an experiment: by a key of the duels' contexts, by time, or both
///
/// If you ask for a single segment, its arms are shown as well.
#[derive(Debug, Args)]
pub(crate) struct ShowSegments {
    /// The experiment's id, or its name if that is unique
    experiment: String,
    /// A key of the duels' contexts, such as `language` or `user.country`; without it, all duels
    /// form one segment
    #[arg(long, value_name = "KEY")]
    key: Option<String>,
    /// Only this value of the key
    #[arg(long, value_name = "VALUE", requires = "key")]
    value: Option<String>,
    /// Only duels issued since then: a time such as 2026-01-31T12:00:00Z, or a duration before now
    /// such as 90m
    #[arg(long, value_name = "TIME", value_parser = moment::past)]
    since: Option<Time>,
    /// Only duels issued before then
    #[arg(long, value_name = "TIME", value_parser = moment::past)]
    until: Option<Time>,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

impl ShowSegments {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let client = self.connection.open()?;
        let id = client.resolve(&self.experiment, printer)?;
        let times = [("since", self.since), ("until", self.until)]
            .map(|(name, time)| (name, time.map(|time| time.to_string())));
        let texts = [("key", self.key.clone()), ("value", self.value.clone())];
        let query: String = texts
            .into_iter()
            .chain(times)
            .filter_map(|(name, value)| Some(format!("&{name}={}", encode(&value?))))
            .collect();
        let answer = client.get(&format!("/v1/experiments/{id}/segments?limit=1000{query}"), printer)?;
        if self.format == ListFormat::Json {
            printer.line(answer);
            return Ok(());
        }
        let found: SegmentList = read(&answer)?;
        if found.segments.is_empty() {
            printer.note("no votes in this segment");
            return Ok(());
        }
        let mut rows = table::Rows::numbers(1, &["votes", "segment", "standing"]);
        for segment in &found.segments {
            rows.push(vec![
                segment.votes.to_string(),
                name(segment, self.key.as_deref()),
                words(segment, found.n_segments > 1),
            ]);
        }
        let mut lines = rows.lines();
        // For several segments, the arms would take too much room.
        if let [one] = &found.segments[..]
            && (self.value.is_some() || self.key.is_none())
        {
            lines.push(String::new());
            lines.extend(arms(one, &format!("{} interval", percent(found.confidence))).lines());
        }
        for line in lines {
            printer.line(line);
        }
        remarks(&found, self.value.is_some(), printer);
        Ok(())
    }
}

fn remarks(found: &SegmentList, one_value: bool, printer: &Printer) {
    let sure = percent(found.confidence);
    let some = |has: fn(&Segment) -> bool| found.n_segments > 1 && found.segments.iter().any(has);
    let mut remarks = Vec::new();
    if some(|segment| segment.leader_together.is_some()) {
        remarks.push(format!("leads: with {sure} confidence for all segments together"));
    }
    if some(|segment| segment.leader_together.is_none() && segment.leader.is_some()) {
        remarks
            .push(format!("seen alone: with {sure} confidence, if you chose it before you saw the others"));
    }
    if found.lumped {
        remarks.push("the key has too many values: the last ones to appear count as missing".to_owned());
    }
    if !one_value && found.segments.len() < found.n_segments {
        let shown = found.segments.len();
        remarks.push(format!("shown: the {shown} segments with the most votes, of {}", found.n_segments));
    }
    if !remarks.is_empty() {
        printer.note(format_args!("\n{}", remarks.join("\n")));
    }
}

fn name(segment: &Segment, key: Option<&str>) -> String {
    match (key, &segment.value) {
        (None, _) => "all duels".to_owned(),
        (Some(key), None) => format!("no {}", plain(key)),
        (Some(key), Some(value)) => format!("{}={}", plain(key), plain(value)),
    }
}

fn words(segment: &Segment, several: bool) -> String {
    match (&segment.leader_together, &segment.leader, &segment.front_runner) {
        (None, Some(leader), _) if several => format!("{} leads, seen alone", plain(leader)),
        (Some(leader), ..) | (None, Some(leader), _) => format!("{} leads", plain(leader)),
        (None, None, Some(front)) => format!("{} is ahead", plain(front)),
        (None, None, None) => "no arm is ahead".to_owned(),
    }
}

/// The arms of a segment, best first.
fn arms(segment: &Segment, interval: &str) -> table::Rows {
    let mut arms: Vec<&SegmentArm> = segment.arms.iter().collect();
    let best = |arm: &SegmentArm| arm.borda.estimate.unwrap_or(f64::NEG_INFINITY);
    arms.sort_by(|one, other| best(other).total_cmp(&best(one)));
    let mut rows = table::Rows::numbers(5, &["borda", interval, "votes", "wins", "losses", "arm"]);
    for SegmentArm { name, votes, wins, losses, borda } in arms {
        let [votes, wins, losses] = [votes, wins, losses].map(|&count| amount(count));
        rows.push(vec![value(borda), range(borda), votes, wins, losses, plain(name)]);
    }
    rows
}

/// A number of votes. It may not be whole, because imported votes have weights.
fn amount(votes: f64) -> String {
    ((votes * 10.0).round() / 10.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(together: Option<&str>, leader: Option<&str>, front_runner: Option<&str>) -> Segment {
        let [leader_together, leader, front_runner] =
            [together, leader, front_runner].map(|name| name.map(str::to_owned));
        Segment { value: None, votes: 0, leader, leader_together, front_runner, arms: Vec::new() }
    }

    #[test]
    fn trace_how_a_segment_stands() {
        let a = Some("a");
        assert_eq!(words(&segment(a, a, a), true), "a leads");
        assert_eq!(words(&segment(None, a, a), true), "a leads, seen alone");
        // With one segment there was no choice.
        assert_eq!(words(&segment(None, a, a), false), "a leads");
        assert_eq!(words(&segment(None, None, a), true), "a is ahead");
        assert_eq!(words(&segment(None, None, None), true), "no arm is ahead");
    }

    #[test]
    fn trace_names_and_amounts() {
        let one = segment(None, None, None);
        assert_eq!([None, Some("user.age")].map(|key| name(&one, key)), ["all duels", "no user.age"]);
        let one = Segment { value: Some("5\n0".to_owned()), ..one };
        assert_eq!(name(&one, Some("k")), "k=5\u{fffd}0");
        assert_eq!([3.0, 2.25, 0.0].map(amount), ["3", "2.3", "0"]);
    }
}
