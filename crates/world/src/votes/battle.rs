//! Votes in JSON: battles as Chatbot Arena publishes them, and FastChat's own log.

use core::fmt;
use core::marker::PhantomData;
use std::io::BufRead;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::ParseVotesError;
use super::field::{self, Field, VoteOrSkip};
use super::record_position::{PositionReader, RecordPosition};
use super::visit::{Row, Sink};

/// Reads an array of objects, or else one object after another.
pub(super) fn gather(
    reader: impl BufRead,
    is_array: bool,
    sink: &mut dyn Sink,
) -> Result<(), ParseVotesError> {
    let position = RecordPosition::new();
    let mut stopped = None;
    let mut enough = false;
    let result = {
        let mut parser =
            serde_json::Deserializer::from_reader(PositionReader { reader, position: &position });
        let mut receiver =
            BattleReceiver { sink, position: &position, stopped: &mut stopped, enough: &mut enough };
        if is_array {
            parser.deserialize_seq(Battles(&mut receiver)).and_then(|()| parser.end())
        } else {
            let mut battles = parser.into_iter::<Battle>();
            // An invalid battle ends the reading; the receiver has the reason.
            let mut go_on = true;
            let mut result = Ok(());
            while go_on && let Some(battle) = battles.next() {
                match battle {
                    Ok(battle) => go_on = receiver.take(&battle),
                    Err(error) => (go_on, result) = (false, Err(error)),
                }
            }
            result
        }
    };
    if let Some(error) = stopped {
        return Err(error);
    }
    if enough {
        return Ok(());
    }
    result.map_err(|error| explained(error, &position))
}

fn explained(error: serde_json::Error, position: &RecordPosition) -> ParseVotesError {
    if position.is_over() {
        return ParseVotesError::LongRecord { line: position.line() };
    }
    if error.is_io() {
        return ParseVotesError::Io { line: position.line(), source: error.into() };
    }
    let reason = error.to_string();
    // The error has separate fields for the position.
    let reason = reason.rsplit_once(" at line ").map_or(reason.as_str(), |(reason, _)| reason);
    let reason = field::cut_short(reason.as_bytes(), 160).into_owned();
    ParseVotesError::Json { line: error.line() as u64, column: error.column(), reason }
}

/// Receives battles one by one.
struct BattleReceiver<'a> {
    sink: &'a mut dyn Sink,
    position: &'a RecordPosition,
    /// Why a battle in valid JSON is not a valid vote.
    stopped: &'a mut Option<ParseVotesError>,
    /// Whether the sink asked to stop.
    enough: &'a mut bool,
}

impl BattleReceiver<'_> {
    /// Takes a battle and returns whether to go on.
    fn take(&mut self, battle: &Battle) -> bool {
        let result = battle.gather(self.position.line(), self.sink);
        self.position.reset();
        match result {
            Ok(go_on) => *self.enough = !go_on,
            Err(error) => *self.stopped = Some(error),
        }
        self.stopped.is_none() && !*self.enough
    }
}

/// Visits an array and holds only one battle at a time.
struct Battles<'a, 'b>(&'a mut BattleReceiver<'b>);

impl<'de> Visitor<'de> for Battles<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of votes")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(battle) = seq.next_element()? {
            if !self.0.take(&battle) {
                // Any error ends the reading; the receiver has the reason.
                return Err(serde::de::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

/// One object. The parser skips conversations and other keys.
#[derive(Debug, Deserialize)]
struct Battle {
    #[serde(default, alias = "model_a")]
    left: Option<String>,
    #[serde(default, alias = "model_b")]
    right: Option<String>,
    #[serde(default, alias = "winner")]
    outcome: Option<Answer>,
    #[serde(default)]
    weight: Option<f64>,
    #[serde(default)]
    time: OptionalText,
    #[serde(default)]
    tstamp: OptionalText,
    #[serde(default)]
    timestamp: OptionalText,
    #[serde(default)]
    voter: OptionalText,
    #[serde(default)]
    judge: OptionalText,
    #[serde(default)]
    pscore: OptionalText,
    /// The kind of event in a line of FastChat's log.
    #[serde(default, rename = "type")]
    kind: Option<String>,
    /// The names on the screen; empty in a blind test.
    #[serde(default)]
    models: Option<FirstTwo<Option<String>>>,
    /// The models that answered.
    #[serde(default)]
    states: Option<FirstTwo<State>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Answer {
    Word(String),
    Score(f64),
}

#[derive(Debug, Default, Deserialize)]
struct State {
    #[serde(default)]
    model_name: Option<String>,
}

impl Battle {
    fn gather(&self, line: u64, sink: &mut dyn Sink) -> Result<bool, ParseVotesError> {
        if self.left.is_none() && self.right.is_none() && self.kind.is_some() {
            return self.gather_logged(line, sink);
        }
        let missing = |field: Field| ParseVotesError::Missing { line, field: field.name() };
        let left = self.left.as_ref().ok_or_else(|| missing(Field::Left))?;
        let right = self.right.as_ref().ok_or_else(|| missing(Field::Right))?;
        let said = match self.outcome.as_ref().ok_or_else(|| missing(Field::Outcome))? {
            Answer::Word(word) => field::parse_verdict(word.trim()).ok_or_else(|| word.clone()),
            Answer::Score(score) => field::scored(*score).map(Some).ok_or_else(|| score.to_string()),
        };
        let said = said.map_err(|text| ParseVotesError::NoOutcome {
            line,
            field: Field::Outcome.name(),
            text: field::excerpt(text.as_bytes()).into_owned(),
        })?;
        let weight = self.weight.unwrap_or(1.0);
        let weight = field::weight(weight).ok_or_else(|| ParseVotesError::NoWeight {
            line,
            field: Field::Weight.name(),
            text: weight.to_string(),
        })?;
        let left = field::name(line, Field::Left, left.as_bytes())?;
        let right = field::name(line, Field::Right, right.as_bytes())?;
        sink.take(&self.row(line, (left, right), said, weight))
    }

    fn row<'a>(
        &'a self,
        line: u64,
        (left, right): (&'a str, &'a str),
        said: VoteOrSkip,
        weight: f64,
    ) -> Row<'a> {
        let time = self.time.text().or(self.tstamp.text()).or(self.timestamp.text());
        let voter = self.voter.text().or(self.judge.text());
        Row { line, left, right, said, weight, time, voter, pscore: self.pscore.text() }
    }

    /// Reads a line of FastChat's log. As in FastChat's own tools, a vote counts only if both arms
    /// are known and any names on the screen match the models that answered.
    fn gather_logged(&self, line: u64, sink: &mut dyn Sink) -> Result<bool, ParseVotesError> {
        let is_vote = |kind: &&str| matches!(*kind, "leftvote" | "rightvote" | "tievote" | "bothbad_vote");
        let said = self.kind.as_deref().filter(is_vote).and_then(field::parse_verdict);
        let [left, right] = [0, 1].map(|slot: usize| {
            let state = self.states.as_ref().and_then(|states| states.0[slot].as_ref());
            let answered = state.and_then(|state| state.model_name.as_deref());
            let shown = self.models.as_ref().and_then(|models| models.0[slot].as_ref()?.as_deref());
            let shown = shown.map(without_heading);
            match (answered, shown.filter(|shown| !shown.is_empty())) {
                (Some(answered), Some(shown)) if answered != shown => None,
                (answered, shown) => answered.or(shown),
            }
        });
        let (Some(said), Some(left), Some(right)) = (said, left, right) else {
            sink.pass_over();
            return Ok(true);
        };
        let left = field::name(line, Field::Left, left.as_bytes())?;
        let right = field::name(line, Field::Right, right.as_bytes())?;
        sink.take(&self.row(line, (left, right), said, 1.0))
    }
}

/// The name in `<h3>Model A: name</h3>`, as some versions wrote it. Empty if the text names only
/// the slot.
fn without_heading(shown: &str) -> &str {
    let shown = shown.trim();
    let shown = shown.strip_prefix("<h3>").map_or(shown, |rest| rest.strip_suffix("</h3>").unwrap_or(rest));
    let shown = shown.trim_start_matches('#').trim();
    match shown.strip_prefix("Model A").or_else(|| shown.strip_prefix("Model B")) {
        Some("") => "",
        Some(rest) => rest.strip_prefix(':').map_or(shown, str::trim),
        None => shown,
    }
}

/// A text, or a number as text. Other values are ignored.
#[derive(Debug, Default)]
struct OptionalText(Option<String>);

impl OptionalText {
    fn text(&self) -> Option<&str> {
        self.0.as_deref().map(str::trim).filter(|text| !text.is_empty())
    }
}

impl<'de> Deserialize<'de> for OptionalText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Take;
        impl<'de> Visitor<'de> for Take {
            type Value = OptionalText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }

            fn visit_str<E>(self, text: &str) -> Result<OptionalText, E> {
                Ok(OptionalText(Some(text.to_owned())))
            }

            fn visit_f64<E>(self, number: f64) -> Result<OptionalText, E> {
                Ok(OptionalText(Some(number.to_string())))
            }

            fn visit_i64<E>(self, number: i64) -> Result<OptionalText, E> {
                Ok(OptionalText(Some(number.to_string())))
            }

            fn visit_u64<E>(self, number: u64) -> Result<OptionalText, E> {
                Ok(OptionalText(Some(number.to_string())))
            }

            fn visit_bool<E>(self, _: bool) -> Result<OptionalText, E> {
                Ok(OptionalText(None))
            }

            fn visit_unit<E>(self) -> Result<OptionalText, E> {
                Ok(OptionalText(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<OptionalText, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(OptionalText(None))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OptionalText, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(OptionalText(None))
            }
        }
        deserializer.deserialize_any(Take)
    }
}

/// The first two elements of an array of any length.
#[derive(Debug)]
struct FirstTwo<T>([Option<T>; 2]);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for FirstTwo<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Take<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Take<T> {
            type Value = FirstTwo<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<FirstTwo<T>, A::Error> {
                let first = seq.next_element()?;
                let second = if first.is_some() { seq.next_element()? } else { None };
                while second.is_some() && seq.next_element_seed(PhantomData::<IgnoredAny>)?.is_some() {}
                Ok(FirstTwo([first, second]))
            }
        }
        deserializer.deserialize_seq(Take(PhantomData))
    }
}
