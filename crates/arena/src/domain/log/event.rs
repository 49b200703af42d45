//! The events of an experiment, as its log stores them.
//!
//! The store keeps an event as a number for its kind and a JSON body. Fields are never renamed and
//! never change their meaning; new fields are optional. Data about people is not in the body:
//! `people.rs`. An event about a duel that is no longer in
//! flight carries everything needed to fold it. The state therefore holds only the duels in flight.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiltyard_bandit::{Outcome, Ticket};

use crate::domain::{
    Answer, ApprenticeChanged, Comparison, DrawnDuel, ImportVoided, Imported, Interleaved, Lesson,
    MergeOptions, NewArm, Ranked, Seal, Settings, Slate, VoidReason, Voter,
};
use crate::id::ExperimentId;
use crate::key::{KeyMade, KeyRevoked};
use crate::time::Time;

/// An event with its position in an experiment's log.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub experiment: ExperimentId,
    /// The position in the experiment's log, counted from 1 without gaps.
    pub seq: u64,
    pub at: Time,
    pub event: Event,
}

macro_rules! events {
    ($($(#[$doc:meta])* $name:ident($body:ty) = $number:literal $word:literal,)*) => {
        /// Something that happened to an experiment, or to the arena's keys.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Event {
            $($(#[$doc])* $name($body),)*
        }

        /// The kind of an event. The store keeps its number.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$doc])* $name = $number,)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its name in the API and in messages.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }

        impl Event {
            /// The kind of this event.
            pub fn kind(&self) -> Kind {
                match self { $(Self::$name(_) => Kind::$name,)* }
            }

            /// The body as JSON text.
            pub fn body(&self) -> String {
                match self { $(Self::$name(body) => serde_json::to_string(body),)* }
                    .expect("events are plain data")
            }

            /// The body as a JSON value.
            pub fn value(&self) -> Value {
                match self { $(Self::$name(body) => serde_json::to_value(body),)* }
                    .expect("events are plain data")
            }

            /// Reads an event from the store.
            ///
            /// # Errors
            ///
            /// If the body does not fit the kind.
            pub fn read(kind: Kind, body: &str) -> Result<Self, serde_json::Error> {
                match kind { $(Kind::$name => serde_json::from_str(body).map(Self::$name),)* }
            }
        }
    };
}

events! {
    /// The experiment was created.
    Created(Box<Created>) = 1 "created",
    /// The experiment was paused, resumed or closed.
    Changed(Changed) = 2 "status",
    /// Arms were added.
    ArmsAdded(ArmsAdded) = 3 "arms_added",
    /// An arm was retired: it is no longer proposed.
    ArmRetired(ArmChanged) = 4 "arm_retired",
    /// An arm was restored: it is proposed again.
    ArmRestored(ArmChanged) = 5 "arm_restored",
    /// A duel was issued. The log position of this event identifies the duel.
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
    /// Votes given elsewhere were imported.
    Imported(Imported) = 12 "imported",
    /// Imported votes were voided.
    ImportVoided(ImportVoided) = 13 "import_voided",
    /// An apprentice began to learn, was dismissed or took over.
    Apprentice(ApprenticeChanged) = 14 "apprentice",
    /// The duels in flight got more time.
    Extended(Extended) = 15 "extended",
    /// Records of this log were lost, and it was cut where they began.
    Repaired(Repaired) = 16 "repaired",
    /// A key was created.
    KeyMade(KeyMade) = 20 "key_made",
    /// A key was revoked, or expired.
    KeyRevoked(KeyRevoked) = 21 "key_revoked",
}

impl Kind {
    /// The kind with this number, if there is one.
    pub fn from_number(number: i64) -> Option<Self> {
        Self::ALL.iter().copied().find(|&kind| kind as i64 == number)
    }
}

impl Event {
    /// The log position of the duel or import that the event refers to. `None` for the issue or
    /// import itself, and for other events. No two events of one kind refer to the same duel or
    /// import.
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

    /// The client id of the request, on its first event. No two events of an experiment share one.
    pub fn client(&self) -> Option<&str> {
        match self {
            Self::Issued(Issued { client: Some(client), .. }) | Self::Imported(Imported { client, .. }) => {
                Some(client)
            }
            _ => None,
        }
    }

    /// The voters who gave the votes of this event.
    pub fn voters(&self) -> impl Iterator<Item = &Voter> {
        let (one, many) = match self {
            Self::Answered(answered) => (answered.voter.as_ref(), &[][..]),
            Self::Imported(imported) => (None, &imported.votes[..]),
            _ => (None, &[][..]),
        };
        one.into_iter().chain(many.iter().filter_map(|vote| vote.voter.as_ref()))
    }

    pub(crate) fn voters_mut(&mut self) -> impl Iterator<Item = &mut Voter> {
        let (one, many) = match self {
            Self::Answered(answered) => (answered.voter.as_mut(), &mut [][..]),
            Self::Imported(imported) => (None, &mut imported.votes[..]),
            _ => (None, &mut [][..]),
        };
        one.into_iter().chain(many.iter_mut().filter_map(|vote| vote.voter.as_mut()))
    }

    /// The numbers of voters, with their names as far as the event has them.
    pub fn numbers(&self) -> impl Iterator<Item = (u64, Option<&str>)> {
        self.voters().filter_map(|voter| match voter {
            Voter::Number(number, name) => Some((*number, name.as_deref())),
            Voter::Name(_) => None,
        })
    }

    /// The contents that lie apart from the record.
    pub fn seal(&self) -> Option<&Seal> {
        if let Self::Issued(issued) = self { issued.apart.as_ref() } else { None }
    }

    pub(crate) fn seal_mut(&mut self) -> Option<&mut Seal> {
        if let Self::Issued(issued) = self { issued.apart.as_mut() } else { None }
    }
}

/// The experiment was created.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Created {
    pub name: String,
    pub arms: Vec<NewArm>,
    /// The policy, as `name:key=value`.
    pub policy: String,
    /// The version of the policy's updates with which the log was written.
    pub policy_version: u32,
    /// The seed of the randomness that built the policy.
    pub seed: u64,
    pub settings: Settings,
}

/// Whether an experiment issues duels and accepts answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It issues duels and accepts answers.
    Running,
    /// It issues no duels, but accepts answers.
    Paused,
    /// It issues no duels and accepts no answers. This cannot be undone.
    Closed,
}

/// The status changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Changed {
    pub status: Status,
    /// Whether the verdict caused the change, because of the setting `stop`, and not a person.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub by_verdict: bool,
}

/// Arms were added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmsAdded {
    pub arms: Vec<NewArm>,
    /// Whether the policy added them in one step. Earlier versions added one after the other.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub together: bool,
}

/// An arm was retired or restored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmChanged {
    /// Its index.
    pub arm: u32,
}

/// A duel was issued.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Issued {
    /// The duel as drawn, with everything needed to fold its answer.
    #[serde(rename = "open")]
    pub drawn: DrawnDuel,
    /// The context in the body, as in records of earlier versions.
    #[serde(rename = "context", default, skip_serializing_if = "Option::is_none")]
    pub inline_context: Option<Value>,
    /// The context, apart from the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<Seal>,
    /// The client id of the request, on its first duel only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The number of duels that the request asked for, if it has a client id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// How to merge its lists, if the request said so before the lists came.
    #[serde(rename = "wish", default, skip_serializing_if = "Option::is_none")]
    pub options: Option<MergeOptions>,
    /// All arms shown, if there are more than the two that were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slate: Option<Arc<Slate>>,
}

impl Issued {
    /// The arms shown, with the duel for which they were drawn.
    pub fn comparison(&self) -> Comparison {
        Comparison { drawn: self.drawn, slate: self.slate.clone() }
    }

    /// Data that the caller attached to the duel, if it is known.
    pub fn context(&self) -> Option<Value> {
        self.inline_context.clone().or_else(|| self.apart.as_ref()?.read_context())
    }
}

/// A duel was shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    pub duel: u64,
}

/// A duel was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answered {
    pub duel: u64,
    /// From the viewpoint of the arm shown on the left.
    pub answer: Answer,
    /// The outcome that the policy learned by the duel's own ticket, from the viewpoint of the
    /// ticket's left arm. `None` if it learned otherwise or not at all, for example from duels held
    /// out or skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<Outcome>,
    /// What the policy learned, if its predecessor drew the duel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<Lesson>,
    /// What the apprentice learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apprentice: Option<Lesson>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voter: Option<Voter>,
    /// When the voter answered, by the caller's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Time>,
    /// The duel, if it had expired before the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<DrawnDuel>,
    /// The clicked positions in the merged list, counted from 1, if the answer follows from clicks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clicks: Option<Vec<u32>>,
    /// The slate, if the duel is a slate and had expired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slate: Option<Arc<Slate>>,
    /// The ranking of the slate and the lessons from it, if the answer is a ranking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranked: Option<Arc<Ranked>>,
}

impl Answered {
    /// The duel after this answer. `seq` is the log position of the answer.
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
    pub duel: u64,
    pub reason: VoidReason,
    /// The duel as it was before, if it was no longer in flight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub past: Option<ClosedDuel>,
}

/// A duel that is no longer in flight, with everything needed to take its answer back.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClosedDuel {
    #[serde(rename = "open")]
    pub drawn: DrawnDuel,
    /// The answer; `None` if the duel expired without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// The outcome that the policy learned by the duel's own ticket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<Outcome>,
    /// What the policy learned, if its predecessor drew the duel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<Lesson>,
    /// What the apprentice learned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apprentice: Option<Lesson>,
    /// The log position of the answer, if lessons were learned from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<u64>,
    /// Whether the answer came after the duel had expired.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub late: bool,
    /// The slate, if the duel is a slate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slate: Option<Arc<Slate>>,
    /// The ranking of the slate and the lessons from it, if the answer is a ranking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranked: Option<Arc<Ranked>>,
}

impl ClosedDuel {
    pub(crate) fn comparison(&self) -> Comparison {
        Comparison { drawn: self.drawn, slate: self.slate.clone() }
    }
}

/// A duel expired.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expired {
    pub duel: u64,
}

/// All duels in flight got more time, because voters could not answer them for a while: the server
/// was down, or its clock jumped forward.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Extended {
    /// The additional time, in microseconds.
    pub by: u64,
}

/// Records were lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repaired {
    /// The number of records that followed at this position and were lost.
    pub lost: u64,
}

/// A compact form of tickets that is quick to parse: a start may fold two million of them.
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
            _ => return Err(D::Error::custom("a draw has three numbers, one number or none")),
        };
        Ok(Ticket { round, left, right, rate, epoch, draw })
    }
}
