//! Events in words.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::cli::Failure;
use crate::cli::client::{Client, plain, read};
use crate::printer::Printer;

/// The most duels whose arms are remembered; what happens to older ones is told by their numbers.
const REMEMBERED: usize = 10_000;

/// How many arms are named in one line.
const NAMED: usize = 8;

/// Turns events into lines. It knows the names of arms and which arms met in duels that it has told of.
pub(super) struct Teller<'a> {
    client: &'a Client,
    experiment: &'a str,
    names: Vec<String>,
    duels: BTreeMap<u64, (usize, usize)>,
}

/// What is needed of an event.
#[derive(Deserialize)]
struct Told {
    seq: u64,
    at: String,
    #[serde(rename = "type")]
    kind: String,
    duel: Option<u64>,
    body: Value,
}

#[derive(Deserialize)]
struct Arms {
    arms: Vec<Name>,
    next: Option<u64>,
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

impl<'a> Teller<'a> {
    pub(super) fn new(client: &'a Client, experiment: &'a str) -> Self {
        Self { client, experiment, names: Vec::new(), duels: BTreeMap::new() }
    }

    pub(super) fn line(&mut self, data: &str, printer: &Printer) -> Result<String, Failure> {
        let event: Value = serde_json::from_str(data).unwrap_or_default();
        let Told { seq, at, kind, duel, body } = read(&event)?;
        let words = match (kind.as_str(), duel) {
            ("created", _) => {
                let field = |name: &str| body[name].as_str().unwrap_or_default();
                format!("{}: {}, with {}", field("name"), list(&body["arms"]), field("policy"))
            }
            ("status", _) => body["status"].as_str().unwrap_or_default().to_owned(),
            ("arms_added", _) => list(&body["arms"]),
            ("arm_retired" | "arm_restored", _) => match index(&body["arm"]) {
                Some(arm) => self.name(arm, printer)?,
                None => body.to_string(),
            },
            ("duel", _) => match sides(&body["open"]) {
                Some(sides) => {
                    self.remember(seq, sides);
                    let held_out = if body["open"]["holdout"] == true { ", held out" } else { "" };
                    format!("{}{held_out}", self.pair(sides, printer)?)
                }
                None => body.to_string(),
            },
            (kind, Some(duel)) => {
                let past = [&body["late"], &body["past"]["open"]].into_iter().find_map(sides);
                let sides = self.duels.get(&duel).copied().or(past);
                let pair = match sides {
                    Some(sides) => format!(" ({})", self.pair(sides, printer)?),
                    None => String::new(),
                };
                format!("duel {duel}{pair}{}", became(kind, &body))
            }
            _ => body.to_string(),
        };
        // A second is enough for people.
        let second = at.split_once('.').map_or(at.clone(), |(second, _)| format!("{second}Z"));
        Ok(plain(&format!("{seq:>6}  {second}  {kind:<12}  {words}")))
    }

    fn remember(&mut self, duel: u64, sides: (usize, usize)) {
        self.duels.insert(duel, sides);
        if self.duels.len() > REMEMBERED {
            self.duels.pop_first();
        }
    }

    fn pair(&mut self, (left, right): (usize, usize), printer: &Printer) -> Result<String, Failure> {
        Ok(format!("{} | {}", self.name(left, printer)?, self.name(right, printer)?))
    }

    /// The name of an arm; the server is asked where it is not known yet.
    fn name(&mut self, arm: usize, printer: &Printer) -> Result<String, Failure> {
        while arm >= self.names.len() {
            let path =
                format!("/v1/experiments/{}/arms?limit=1000&from={}", self.experiment, self.names.len());
            let page: Arms = read(&self.client.get(&path, printer)?)?;
            self.names.extend(page.arms.into_iter().map(|arm| arm.name));
            if page.next.is_none() {
                break;
            }
        }
        Ok(self.names.get(arm).cloned().unwrap_or_else(|| format!("arm {arm}")))
    }
}

/// What became of a duel.
fn became(kind: &str, body: &Value) -> String {
    let by = |voter: &Value| voter.as_str().map(|voter| format!(", by {voter}")).unwrap_or_default();
    match kind {
        "answered" => {
            let answer = match &body["answer"] {
                Value::String(word) => word.clone(),
                graded => format!("score {}", graded["score"]),
            };
            let late = if body["late"].is_null() { "" } else { ", late" };
            format!(": {answer}{}{late}", by(&body["voter"]))
        }
        "voided" if body["reason"] == "voter" => ": all votes of its voter".to_owned(),
        _ => String::new(),
    }
}

/// Some names of arms that came in.
fn list(arms: &Value) -> String {
    let arms = arms.as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<&str> = arms.iter().take(NAMED).filter_map(|arm| arm["name"].as_str()).collect();
    let more = arms.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names.join(", "))
}

fn index(arm: &Value) -> Option<usize> {
    arm.as_u64().and_then(|arm| usize::try_from(arm).ok())
}

/// The arms of a duel as they were shown: left, right.
fn sides(open: &Value) -> Option<(usize, usize)> {
    let arm = |place: usize| index(open["ticket"].get(place)?);
    let (left, right) = (arm(1)?, arm(2)?);
    Some(if open["swapped"] == true { (right, left) } else { (left, right) })
}
