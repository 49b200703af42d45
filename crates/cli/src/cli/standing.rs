//! `tiltyard standing`: shows which arm leads, and with what confidence.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::Value;
use tiltyard_wire::{ArmStanding, Estimate, Ratings, Standing, VerdictStatus};

use super::client::estimate::{percent, range, value};
use super::client::{Client, Connection, encode, list, plain, read};
use super::{Failure, ListFormat, table};
use crate::printer::Printer;

mod pairs;
mod ratings;

/// Show the standing of an experiment: which arm leads, and with what confidence
///
/// The first line is the verdict. It is valid however often you look, and whatever the policy does.
#[derive(Debug, Args)]
pub(crate) struct ShowStanding {
    /// The experiment's id, or its name if that is unique
    experiment: String,
    /// Also show each pair of arms that was compared
    #[arg(long)]
    pairs: bool,
    /// Also rate the arms on one scale (Bradley-Terry), or say why that is impossible
    #[arg(long)]
    ratings: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

/// All votes on an arm, including those on duels with itself.
pub(super) fn votes(arm: &ArmStanding) -> u64 {
    arm.wins + arm.losses + arm.ties + arm.both_bad + arm.graded + arm.self_duels
}

/// Fetches all pages of a standing; without `pairs`, only the first page of the pairs.
pub(super) fn fetch(client: &Client, id: &str, pairs: bool, printer: &Printer) -> Result<Value, Failure> {
    let path = format!("/v1/experiments/{id}/standing?limit=1000");
    let mut whole = client.get(&path, printer)?;
    let fields = if pairs { &["arms", "pairs"][..] } else { &["arms"] };
    for field in fields {
        let cursor = if *field == "arms" { "arms_from" } else { "pairs_after" };
        let next = format!("{field}_next");
        while let Some(from) = whole.get(&next).filter(|next| !next.is_null()).cloned() {
            let from = from.as_str().map_or_else(|| from.to_string(), str::to_owned);
            let mut page = client.get(&format!("{path}&{cursor}={}", encode(&from)), printer)?;
            if let (Some(all), Some(more)) = (whole[*field].as_array_mut(), page[*field].as_array_mut()) {
                all.append(more);
            }
            whole[&next] = page[&next].take();
        }
        if let Some(whole) = whole.as_object_mut() {
            whole.remove(&next);
        }
    }
    Ok(whole)
}

impl ShowStanding {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let client = self.connection.open()?;
        let id = client.resolve(&self.experiment, printer)?;
        let json = self.format == ListFormat::Json;
        let mut whole = fetch(&client, &id, self.pairs || json, printer)?;
        let rated = if self.ratings {
            Some(client.get(&format!("/v1/experiments/{id}/ratings"), printer)?)
        } else {
            None
        };
        if json {
            if let Some(rated) = rated {
                whole["ratings"] = rated;
            }
            printer.line(whole);
            return Ok(());
        }
        let rated: Option<Ratings> = rated.as_ref().map(read).transpose()?;
        let Standing { verdict, alarms, mut arms, pairs, .. } = read(&whole)?;
        // The arm that beats the most others comes first. The front runner is found in the same
        // way.
        arms.sort_by(|one, other| {
            let descending = |estimate: fn(&ArmStanding) -> &Estimate| {
                let value = |arm| estimate(arm).estimate.unwrap_or(f64::NEG_INFINITY);
                value(other).total_cmp(&value(one))
            };
            let by_retired = one.retired.cmp(&other.retired);
            by_retired.then(descending(|arm| &arm.copeland)).then(descending(|arm| &arm.borda))
        });
        printer.line(plain(&verdict.words));
        if verdict.status == VerdictStatus::GoodEnough && verdict.good_enough.len() > 1 {
            printer.line(format_args!("Good enough: {}.", list(&verdict.good_enough)));
        }
        for (heading, words) in alarms.words() {
            printer.line(format_args!("Alarm: {heading} {}", plain(&words)));
        }
        let interval = format!("{} interval", percent(verdict.confidence));
        print(&arm_table(&arms, &interval), printer);
        if self.pairs && pairs.is_empty() {
            printer.line("\nNo pairs have been compared yet.");
        } else if self.pairs {
            let places: BTreeMap<&str, usize> =
                arms.iter().enumerate().map(|(place, arm)| (arm.name.as_str(), place)).collect();
            print(&pairs::table(pairs, &places, &interval), printer);
        }
        if let Some(rated) = rated {
            printer.line("");
            printer.line(plain(&rated.words));
            if !rated.arms.is_empty() {
                print(&ratings::table(&rated.arms, &interval), printer);
            }
        }
        printer.note(
            "\nbeats: the number of arms it is ahead of (at least-at most)\n\
             borda: the mean probability of winning against another arm\n\
             traffic: how often the policy would show it now",
        );
        Ok(())
    }
}

/// Prints an empty line and a table.
fn print(rows: &table::Rows, printer: &mut Printer) {
    printer.line("");
    for line in rows.lines() {
        printer.line(line);
    }
}

fn arm_table(arms: &[ArmStanding], interval: &str) -> table::Rows {
    let mut rows = table::Rows::numbers(5, &["beats", "borda", interval, "traffic", "votes", "arm"]);
    for arm in arms {
        let name = plain(&arm.name);
        rows.push(vec![
            beats(&arm.copeland),
            value(&arm.borda),
            range(&arm.borda),
            arm.probability.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share)),
            votes(arm).to_string(),
            if arm.retired { format!("{name}, retired") } else { name },
        ]);
    }
    rows
}

/// The number of arms that an arm is ahead of, with its limits if they differ.
fn beats(copeland: &Estimate) -> String {
    let estimate = copeland.estimate.map_or_else(|| "-".to_owned(), |beaten| beaten.to_string());
    let [low, high] = [copeland.low, copeland.high].map(|beaten| beaten.to_string());
    if estimate == low && low == high { estimate } else { format!("{estimate} ({low}-{high})") }
}
