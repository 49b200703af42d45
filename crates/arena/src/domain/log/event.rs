//! What can happen to an experiment: the language of the log.
//!
//! Events are stored as a number for their kind and a JSON body. A field is never renamed and never
//! changes its meaning; new ones are optional. Events about a duel that is no longer in flight
//! carry all that folding them needs, so that the state holds only what is in flight.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiltyard_bandit::{Outcome, Ticket};

use crate::domain::{
    Answer, ApprenticeChanged, Comparison, DrawnDuel, ImportVoided, Imported, Interleaved, Lesson,
    MergeOptions, NewArm, Ranked, Settings, Slate, VoidReason,
};
use crate::id::ExperimentId;
use crate::key::{KeyMade, KeyRevoked};
use crate::time::Time;

/// An event with its position in an experiment's log.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Whose log.
    pub experiment: ExperimentId,
    /// The position in that log, counted from 1 without gaps.
    pub seq: u64,
    /// When it happened.
    pub at: Time,
    /// What happened.
    pub event: Event,
}

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident($body:ty) = $number:literal $word:literal,)*) => {
        /// What happened.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Event {
            $($(#[$doc])* $name($body),)*
        }

        /// The kind of an event. Its number is what the store keeps.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$doc])* $name = $number,)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its name in histories.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }

        impl Event {
            /// Its kind.
            pub fn kind(&self) -> Kind {
                match self { $(Self::$name(_) => Kind::$name,)* }
            }

            /// Its body as JSON text.
            pub fn body(&self) -> String {
                match self { $(Self::$name(body) => serde_json::to_string(body),)* }
                    .expect("events are plain data")
            }

            /// Its body as a JSON value.
            pub fn value(&self) -> Value {
                match self { $(Self::$name(body) => serde_json::to_value(body),)* }
                    .expect("events are plain data")
            }

            /// An event from the store.
            ///
            /// # Errors
            ///
            /// If the body is not one of that kind.
            pub fn read(kind: Kind, body: &str) -> Result<Self, serde_json::Error> {
                match kind { $(Kind::$name => serde_json::from_str(body).map(Self::$name),)* }
            }
        }
    };
}

events! {
    /// The experiment was made.
    Created(Box<Created>) = 1 "created",
    /// It was paused, resumed or closed.
    Changed(Changed) = 2 "status",
    /// Arms came in.
    ArmsAdded(ArmsAdded) = 3 "arms_added",
    /// An arm is no longer proposed.
    ArmRetired(ArmChanged) = 4 "arm_retired",
    /// An arm is proposed again.
    ArmRestored(ArmChanged) = 5 "arm_restored",
    /// A duel was issued. Its log position is its number.
    Issued(Issued) = 6 "duel",
    /// A duel was shown.
    Shown(Shown) = 7 "shown",
    /// A duel was answered.
    Answered(Answered) = 8 "answered",
    /// A duel was voided.
    Voided(Voided) = 9 "voided",
    /// A duel expired.
    Expired(Expired) = 10 "expired",
    /// The lists of a duel's rankers were merged.
    Interleaved(Arc<Interleaved>) = 11 "interleaved",
    /// Votes that were given elsewhere were brought in.
    Imported(Imported) = 12 "imported",
    /// Votes that were brought in were taken out again.
    ImportVoided(ImportVoided) = 13 "import_voided",
    /// An apprentice came, went or took over.
    Apprentice(ApprenticeChanged) = 14 "apprentice",
    /// A key was made.
    KeyMade(KeyMade) = 20 "key_made",
    /// A key was revoked.
    KeyRevoked(KeyRevoked) = 21 "key_revoked",
}

impl Kind {
    /// The kind with that number.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|&kind| kind as i64 == number)
    }
}

impl Event {
    /// The duel that it is about, other than its issue, or the import, by its log position. No two
    /// events of one kind are about the same.
    pub fn duel(&self) -> Option<u64> {
        match self {
            Self::Shown(Shown { duel })
            | Self::Answered(Answered { duel, .. })
            | Self::Voided(Voided { duel, .. })
            | Self::Expired(Expired { duel })
            | Self::ImportVoided(ImportVoided { import: duel, .. }) => Some(*duel),
            Self::Interleaved(event) => Some(event.duel),
            _ => None,
        }
    }

    /// The name that a client gave to the request that this is the first event of. No two events of
    /// an experiment share one.
    pub fn client(&self) -> Option<&str> {
        match self {
            Self::Issued(Issued { client: Some(client), .. }) | Self::Imported(Imported { client, .. }) => {
                Some(client)
            }
            _ => None,
        }
    }
}

/// The experiment was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Created {
    /// What people call it.
    pub name: String,
    /// Its arms.
    pub arms: Vec<NewArm>,
    /// The policy, as `name:key=value`.
    pub policy: String,
    /// Which meaning of that policy's updates the log was written with.
    pub policy_version: u32,
    /// What construction drew its randomness from.
    pub seed: u64,
    /// The settings in force.
    pub settings: Settings,
}

/// Whether an experiment issues duels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It issues duels and takes answers.
    Running,
    /// It issues no duels and takes answers.
    Paused,
    /// It neither issues duels nor takes answers, for good.
    Closed,
}

/// The status changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Changed {
    /// The status now.
    pub status: Status,
    /// Whether it was not a person who asked for it but the verdict, as the settings want it.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub by_verdict: bool,
}

/// Arms came in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmsAdded {
    /// Which.
    pub arms: Vec<NewArm>,
}

/// An arm went or came back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmChanged {
    /// Its index.
    pub arm: u32,
}

/// A duel was issued.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Issued {
    /// What folding answers will need.
    #[serde(rename = "open")]
    pub drawn: DrawnDuel,
    /// What the caller wanted kept with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Value>,
    /// The client's name for the request, on the first duel of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// How many duels were asked for, beside the client's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// How its lists are to be merged, if that was said before they came.
    #[serde(rename = "wish", default, skip_serializing_if = "Option::is_none")]
    pub options: Option<MergeOptions>,
    /// All arms that are shown, if they are more than the two that were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slate: Option<Arc<Slate>>,
}

impl Issued {
    /// What is shown.
    pub fn comparison(&self) -> Comparison {
        Comparison { drawn: self.drawn, slate: self.slate.clone() }
    }
}

/// A duel was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// Which.
    pub duel: u64,
}

/// A duel was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    /// Which.
    pub duel: u64,
    /// The answer, from the viewpoint of what was shown on the left.
    pub answer: Answer,
    /// What the policy learned, from the viewpoint of the ticket's left arm; nothing for duels held
    /// out or skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<Outcome>,
    /// What the policy learned from it if its predecessor had drawn the duel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<Lesson>,
    /// What the apprentice learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apprentice: Option<Lesson>,
    /// Who answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voter: Option<String>,
    /// When the answer was given, by the caller's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Time>,
    /// The duel, if it had expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<DrawnDuel>,
    /// What was clicked in its merged list, positions counted from 1, if that is what the answer is
    /// made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clicks: Option<Vec<u32>>,
    /// The slate, if the duel is one and had expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slate: Option<Arc<Slate>>,
    /// What was said of the slate, if that is the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranked: Option<Arc<Ranked>>,
}

impl Answered {
    /// The duel after this answer, which stands at `seq`.
    pub(crate) fn closed(&self, Comparison { drawn, slate }: Comparison, seq: u64) -> ClosedDuel {
        ClosedDuel {
            drawn,
            answer: Some(self.answer),
            learned: self.learned,
            lesson: self.lesson,
            apprentice: self.apprentice,
            answered: Some(seq),
            late: self.late.is_some(),
            slate,
            ranked: self.ranked.clone(),
        }
    }
}

/// A duel was voided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Voided {
    /// Which.
    pub duel: u64,
    /// Why.
    pub reason: VoidReason,
    /// What had become of it, if it was no longer in flight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub past: Option<ClosedDuel>,
}

/// What had become of a duel before it was voided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClosedDuel {
    /// The duel.
    #[serde(rename = "open")]
    pub drawn: DrawnDuel,
    /// The answer; none if it had expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// What the policy had learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<Outcome>,
    /// What the policy had learned if its predecessor had drawn the duel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<Lesson>,
    /// What the apprentice had learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apprentice: Option<Lesson>,
    /// The log position of the answer, where someone learned without having drawn the duel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<u64>,
    /// Whether the answer had come after the duel expired.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub late: bool,
    /// The slate, if the duel was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slate: Option<Arc<Slate>>,
    /// What was said of the slate, if that was the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranked: Option<Arc<Ranked>>,
}

impl ClosedDuel {
    /// What was shown.
    pub(crate) fn comparison(&self) -> Comparison {
        Comparison { drawn: self.drawn, slate: self.slate.clone() }
    }
}

/// A duel expired.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expired {
    /// Which.
    pub duel: u64,
}

/// A ticket in a form that is quick to read back: two million of them are folded at a start.
pub(crate) mod flat_ticket {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use tiltyard_bandit::{Arm, Draw};

    use super::Ticket;

    /// Round, left, right, rate, epoch, and how the pair was drawn: three numbers for slots, one
    /// for a pair, none if unknown.
    #[derive(Serialize, Deserialize)]
    struct Flat(u64, Arm, Arm, f64, u32, Vec<f64>);

    pub(in crate::domain) fn serialize<S: Serializer>(
        ticket: &Ticket,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let draw = match ticket.draw {
            Draw::Slots { left, right, z } => vec![left, right, z],
            Draw::Pair(p) => vec![p],
            Draw::Unknown => Vec::new(),
        };
        Flat(ticket.round, ticket.left, ticket.right, ticket.rate, ticket.epoch, draw).serialize(serializer)
    }

    pub(in crate::domain) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Ticket, D::Error> {
        let Flat(round, left, right, rate, epoch, draw) = Flat::deserialize(deserializer)?;
        let draw = match *draw {
            [left, right, z] => Draw::Slots { left, right, z },
            [p] => Draw::Pair(p),
            [] => Draw::Unknown,
            _ => return Err(D::Error::custom("a draw has three numbers, one or none")),
        };
        Ok(Ticket { round, left, right, rate, epoch, draw })
    }
}
