//! Formats events as lines of text.

use std::collections::BTreeMap;

use serde_json::Value;
use tiltyard_wire::{AnswerView, ApprenticeEvent, EventView, RankingView};

use crate::cli::Failure;
use crate::cli::client::{list, plain, read};

/// The most duels whose arms are remembered. Older duels are shown by their numbers alone.
const REMEMBERED: usize = 10_000;

/// Turns events into lines. It remembers the arms of recent duels.
#[derive(Debug, Default)]
pub(super) struct EventFormatter {
    duels: BTreeMap<u64, String>,
}

impl EventFormatter {
    pub(super) fn line(&mut self, data: &str) -> Result<String, Failure> {
        let event: Value = serde_json::from_str(data).unwrap_or_default();
        let told: EventView = read(&event)?;
        let words = self.words(&told);
        // Fractions of a second are left out.
        let second = told.at.split_once('.').map_or(told.at.clone(), |(second, _)| format!("{second}Z"));
        Ok(plain(&format!("{:>6}  {second}  {:<12}  {words}", told.seq, told.kind)))
    }

    fn words(&mut self, told: &EventView) -> String {
        if told.kind == "created" {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            return format!(
                "{}: {}, with {}",
                text(&told.name),
                names(told.arms.as_deref()),
                text(&told.policy)
            );
        }
        if let Some(votes) = told.votes {
            let from = match (&told.source, told.import) {
                (Some(source), _) => format!(" from {source}"),
                (None, Some(import)) => format!(" imported at position {import}"),
                (None, None) => String::new(),
            };
            return format!("{votes} votes{from}");
        }
        let Some(duel) = told.duel else {
            return match (told.status, told.apprentice, &told.arm) {
                (Some(status), ..) if is(told.by_verdict) => format!("{status}, because there is a verdict"),
                (Some(status), ..) => status.to_string(),
                (None, Some(what), _) => apprentice(what, told.policy.as_deref()),
                (None, None, Some(arm)) => arm.clone(),
                (None, None, None) => names(told.arms.as_deref()),
            };
        };
        let pair =
            told.left.as_ref().zip(told.right.as_ref()).map(|(left, right)| format!("{left} | {right}"));
        // A slate shows more than the two arms that were drawn.
        let pair = told.slate.as_ref().map(|slate| slate.join(" | ")).or(pair);
        if duel == told.seq {
            let pair = pair.unwrap_or_default();
            self.remember(duel, pair.clone());
            let kept_apart = match (is(told.aa), is(told.holdout)) {
                (true, _) => ", against itself",
                (false, true) => ", holdout",
                (false, false) => "",
            };
            return format!("{pair}{kept_apart}");
        }
        let pair =
            self.duels.get(&duel).cloned().or(pair).map(|pair| format!(" ({pair})")).unwrap_or_default();
        let outcome = match (&told.outcome, &told.ranked, &told.documents) {
            (Some(AnswerView::Word(word)), ..) => format!(": {word}"),
            (Some(AnswerView::Score(score)), ..) => format!(": score {}", Value::from(*score)),
            (None, Some(ranked), _) => format!(": {}", ranking(ranked)),
            (None, None, Some(documents)) if !documents.is_empty() => format!(": {}", list(documents)),
            (None, None, _) => String::new(),
        };
        let voter = told.voter.as_ref().map(|voter| format!(", by {voter}")).unwrap_or_default();
        format!("duel {duel}{pair}{outcome}{voter}{}", if is(told.late) { ", late" } else { "" })
    }

    fn remember(&mut self, duel: u64, pair: String) {
        self.duels.insert(duel, pair);
        if self.duels.len() > REMEMBERED {
            self.duels.pop_first();
        }
    }
}

/// A flag; a missing one is false.
fn is(fact: Option<bool>) -> bool {
    fact.unwrap_or(false)
}

fn names(names: Option<&[String]>) -> String {
    list(names.unwrap_or_default())
}

fn apprentice(what: ApprenticeEvent, policy: Option<&str>) -> String {
    match what {
        ApprenticeEvent::Began => format!("{} begins to learn", policy.unwrap_or("it")),
        ApprenticeEvent::Dismissed => "dismissed".to_owned(),
        ApprenticeEvent::TookOver => "now draws the duels".to_owned(),
    }
}

/// The answer to a slate: a ranking such as `a > b = c > d`, or the best arm.
fn ranking(ranked: &RankingView) -> String {
    match ranked {
        RankingView::Best(best) => format!("best {best}"),
        RankingView::Ranking(tiers) => {
            tiers.iter().map(|tier| tier.join(" = ")).collect::<Vec<_>>().join(" > ")
        }
    }
}
