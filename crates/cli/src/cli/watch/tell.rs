//! Events in words.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::cli::Failure;
use crate::cli::client::{list, plain, read};

/// The most duels whose arms are remembered; what happens to older ones is told by their numbers.
const REMEMBERED: usize = 10_000;

/// Turns events into lines. It knows which arms met in duels that it has told of.
#[derive(Debug, Default)]
pub(super) struct Teller {
    duels: BTreeMap<u64, String>,
}

/// What is told of an event.
#[derive(Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "facts of events of different kinds")]
struct Told {
    seq: u64,
    at: String,
    #[serde(rename = "type")]
    kind: String,
    duel: Option<u64>,
    left: Option<String>,
    right: Option<String>,
    #[serde(default)]
    holdout: bool,
    #[serde(default)]
    aa: bool,
    #[serde(default)]
    documents: Vec<String>,
    outcome: Option<Value>,
    #[serde(default)]
    slate: Vec<String>,
    ranked: Option<Value>,
    voter: Option<String>,
    #[serde(default)]
    late: bool,
    status: Option<String>,
    #[serde(default)]
    by_verdict: bool,
    apprentice: Option<String>,
    #[serde(default)]
    arms: Vec<String>,
    arm: Option<String>,
    source: Option<String>,
    votes: Option<u64>,
    import: Option<u64>,
    name: Option<String>,
    policy: Option<String>,
}

impl Teller {
    pub(super) fn line(&mut self, data: &str) -> Result<String, Failure> {
        let event: Value = serde_json::from_str(data).unwrap_or_default();
        let told: Told = read(&event)?;
        let words = self.words(&told);
        // A second is enough for people.
        let second = told.at.split_once('.').map_or(told.at.clone(), |(second, _)| format!("{second}Z"));
        Ok(plain(&format!("{:>6}  {second}  {:<12}  {words}", told.seq, told.kind)))
    }

    fn words(&mut self, told: &Told) -> String {
        if told.kind == "created" {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            return format!("{}: {}, with {}", text(&told.name), list(&told.arms), text(&told.policy));
        }
        if let Some(votes) = told.votes {
            let from = match (&told.source, told.import) {
                (Some(source), _) => format!(" from {source}"),
                (None, Some(import)) => format!(" that came in at {import}"),
                (None, None) => String::new(),
            };
            return format!("{votes} votes{from}");
        }
        let Some(duel) = told.duel else {
            return match (&told.status, &told.apprentice, &told.arm) {
                (Some(status), ..) if told.by_verdict => format!("{status}, since there is a verdict"),
                (None, Some(what), _) => apprentice(what, told.policy.as_deref()),
                (Some(word), ..) | (.., Some(word)) => word.clone(),
                (None, None, None) => list(&told.arms),
            };
        };
        let pair =
            told.left.as_ref().zip(told.right.as_ref()).map(|(left, right)| format!("{left} | {right}"));
        // A slate shows more than the two that were drawn.
        let pair = if told.slate.is_empty() { pair } else { Some(told.slate.join(" | ")) };
        if duel == told.seq {
            let pair = pair.unwrap_or_default();
            self.remember(duel, pair.clone());
            let kept_apart = match (told.aa, told.holdout) {
                (true, _) => ", against itself",
                (false, true) => ", held out",
                (false, false) => "",
            };
            return format!("{pair}{kept_apart}");
        }
        let pair =
            self.duels.get(&duel).cloned().or(pair).map(|pair| format!(" ({pair})")).unwrap_or_default();
        let outcome = match &told.outcome {
            None if told.ranked.is_some() => {
                format!(": {}", told.ranked.as_ref().map(ranking).unwrap_or_default())
            }
            None if !told.documents.is_empty() => format!(": {}", list(&told.documents)),
            None => String::new(),
            Some(Value::String(word)) => format!(": {word}"),
            Some(score) => format!(": score {score}"),
        };
        let voter = told.voter.as_ref().map(|voter| format!(", by {voter}")).unwrap_or_default();
        format!("duel {duel}{pair}{outcome}{voter}{}", if told.late { ", late" } else { "" })
    }

    fn remember(&mut self, duel: u64, pair: String) {
        self.duels.insert(duel, pair);
        if self.duels.len() > REMEMBERED {
            self.duels.pop_first();
        }
    }
}

/// What happened to an apprentice; a word of a newer server is told as it is.
fn apprentice(what: &str, policy: Option<&str>) -> String {
    match (what, policy) {
        ("began", Some(policy)) => format!("{policy} begins to learn"),
        ("dismissed", _) => "sent away".to_owned(),
        ("took_over", _) => "draws the duels from here on".to_owned(),
        (what, _) => what.to_owned(),
    }
}

/// What was said of a slate: `a > b = c > d`, or the best.
fn ranking(ranked: &Value) -> String {
    if let Some(best) = ranked["best"].as_str() {
        return format!("best {best}");
    }
    let names = |tier: &Value| {
        let names = tier.as_array().into_iter().flatten().filter_map(Value::as_str);
        names.collect::<Vec<_>>().join(" = ")
    };
    let tiers = ranked["ranking"].as_array().into_iter().flatten().map(names);
    tiers.collect::<Vec<_>>().join(" > ")
}
