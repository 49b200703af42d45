//! A client: it sends requests, waits, and sends a request again when the store has failed, as a
//! real client must.

use rand::RngExt;
use rand::rngs::ChaCha12Rng;
use tiltyard_arena::arena::{Done, Duel, Pending};
use tiltyard_arena::domain::{
    Answer, AnswerRequest, Create, IssueRequest, NewArm, Refusal, Status, VoidReason,
};
use tiltyard_arena::id::{ExperimentId, KeyId};
use tiltyard_arena::key::Scope;
use tiltyard_arena::{Arena, ArenaError};

use super::ledger::{Ledger, Violation, status};

/// Shared by all clients: anyone who was shown a duel may answer it.
pub(super) struct Town {
    pub(super) ledger: Ledger,
    /// Duels that clients have got.
    pub(super) pool: Vec<Duel>,
    pub(super) rng: ChaCha12Rng,
    /// Whether no new request may begin.
    pub(super) closing: bool,
    /// The request for experiments that clients create.
    pub(super) another: Create,
    n_named: u32,
}

impl Town {
    pub(super) fn new(rng: ChaCha12Rng, another: Create) -> Self {
        Self { ledger: Ledger::default(), pool: Vec::new(), rng, closing: false, another, n_named: 0 }
    }
}

#[derive(Debug, Clone)]
enum Ask {
    Create,
    Issue { trial: ExperimentId, request: IssueRequest },
    Answer { duel: Duel, request: AnswerRequest },
    Shown { duel: Duel },
    Void { duel: Duel },
    Change { trial: ExperimentId, status: Status },
    Add { trial: ExperimentId, name: String },
    Retire { trial: ExperimentId, arm: usize },
    Restore { trial: ExperimentId, arm: usize },
    Digest { trial: ExperimentId },
    MakeKey,
    Revoke { key: KeyId },
}

enum Waiting {
    Trial(Pending<ExperimentId>),
    Duels(Pending<Vec<Duel>>),
    Done(Pending<Done>),
    Nothing(Pending<()>),
    Digest(Pending<(u64, String)>),
}

/// The response to a client.
enum Told {
    Trial(ExperimentId),
    Duels(Vec<Duel>),
    Done(Done),
    Nothing,
    Digest((u64, String)),
}

#[derive(Default)]
pub(super) struct Client {
    ask: Option<Ask>,
    waiting: Option<Waiting>,
}

impl Client {
    /// Whether it has no request.
    pub(super) fn is_idle(&self) -> bool {
        self.ask.is_none()
    }

    /// Does the next step: chooses a request, sends it, or looks for the response.
    pub(super) fn step(&mut self, arena: &Arena, town: &mut Town) -> Result<(), Violation> {
        let Some(ask) = self.ask.clone() else {
            if !town.closing {
                self.ask = begin(town);
            }
            return Ok(());
        };
        let result = match self.waiting.take() {
            None => match self.send(&ask, arena, town) {
                Ok(()) => return Ok(()),
                Err(error) => Err(error),
            },
            Some(waiting) => match waiting.poll() {
                Ok(Err(waiting)) => {
                    self.waiting = Some(waiting);
                    return Ok(());
                }
                Ok(Ok(told)) => Ok(told),
                Err(error) => Err(error),
            },
        };
        match result {
            Ok(told) => {
                self.ask = None;
                learn(ask, told, town)
            }
            // The request may or may not have been done. Some clients never repeat it.
            Err(ArenaError::Store(_) | ArenaError::Overloaded) => {
                if town.rng.random_bool(0.2) {
                    self.ask = None;
                }
                Ok(())
            }
            Err(ArenaError::Refused(refusal)) => {
                self.ask = None;
                judge(&ask, &refusal, town)
            }
            Err(error) => Err(format!("{ask:?}: {error}")),
        }
    }

    /// Sends a request. Keys are written at once and are noted here.
    fn send(&mut self, ask: &Ask, arena: &Arena, town: &mut Town) -> Result<(), ArenaError> {
        self.waiting = Some(match ask {
            Ask::Create => Waiting::Trial(arena.create(town.another.clone())?),
            Ask::Issue { trial, request } => Waiting::Duels(arena.issue(*trial, request)?),
            Ask::Answer { duel, request } => Waiting::Done(arena.answer(duel.id, request)?),
            Ask::Shown { duel } => Waiting::Done(arena.shown(duel.id)?),
            Ask::Void { duel } => Waiting::Done(arena.void(duel.id, VoidReason::Asked)?),
            Ask::Change { trial, status } => Waiting::Done(arena.change(*trial, *status)?),
            Ask::Add { trial, name } => {
                Waiting::Nothing(arena.add_arms(*trial, vec![NewArm::named(name.clone())])?)
            }
            Ask::Retire { trial, arm } => Waiting::Nothing(arena.retire_arm(*trial, &name_of(*arm))?),
            Ask::Restore { trial, arm } => Waiting::Nothing(arena.restore_arm(*trial, &name_of(*arm))?),
            Ask::Digest { trial } => Waiting::Digest(arena.digest(*trial)?),
            Ask::MakeKey => {
                // Most keys are for ever.
                let expires = town.rng.random_bool(0.3).then(|| arena.now().plus_seconds(20));
                let (key, secret) = arena.make_key(Scope::Voter, None, None, expires)?;
                match expires {
                    Some(expires) => town.ledger.note_passing_key(key, secret, expires),
                    None => town.ledger.note_key(key, secret),
                }
                self.ask = None;
                return Ok(());
            }
            Ask::Revoke { key } => {
                let secret = town.ledger.take_key(*key);
                arena.revoke_key(*key)?;
                if let Some(secret) = secret {
                    town.ledger.note_revoked(*key, secret);
                }
                self.ask = None;
                return Ok(());
            }
        });
        Ok(())
    }
}

impl Waiting {
    fn poll(self) -> Result<Result<Told, Self>, ArenaError> {
        Ok(match self {
            Self::Trial(pending) => pending.poll()?.map(Told::Trial).map_err(Self::Trial),
            Self::Duels(pending) => pending.poll()?.map(Told::Duels).map_err(Self::Duels),
            Self::Done(pending) => pending.poll()?.map(Told::Done).map_err(Self::Done),
            Self::Nothing(pending) => pending.poll()?.map(|()| Told::Nothing).map_err(Self::Nothing),
            Self::Digest(pending) => pending.poll()?.map(Told::Digest).map_err(Self::Digest),
        })
    }
}

/// The name of an initial arm: a letter.
fn name_of(arm: usize) -> String {
    char::from(b'a' + u8::try_from(arm).expect("there are few arms")).to_string()
}

/// The next request; `None` if it has no target.
fn begin(town: &mut Town) -> Option<Ask> {
    let trials = &town.ledger.trials;
    let trial = trials[town.rng.random_range(0..trials.len())];
    // Mostly recent duels, sometimes old ones.
    let duel = |town: &mut Town| {
        let n = town.pool.len();
        let from = if town.rng.random_bool(0.8) { n.saturating_sub(12) } else { 0 };
        (n > 0).then(|| town.pool[town.rng.random_range(from..n)])
    };
    Some(match town.rng.random_range(0..1000) {
        0..300 => {
            let named = town.rng.random_bool(0.6);
            // There are few names, so that some are used by two clients at once, and some again
            // much later.
            let name = town.n_named / 2 + town.rng.random_range(0..4);
            town.n_named += u32::from(named);
            // The count depends on the name, except for a few mistakes.
            let count = 1 + name % 4 + u32::from(town.rng.random_bool(0.03));
            Ask::Issue {
                trial,
                request: IssueRequest {
                    count: if named { count } else { town.rng.random_range(1..4) },
                    client: named.then(|| format!("c{name}")),
                    context: named.then(|| name.into()),
                    ..IssueRequest::default()
                },
            }
        }
        300..720 => {
            let duel = duel(town)?;
            let token = duel.id.token;
            let said = if town.rng.random_bool(0.85) { token } else { town.rng.random() };
            // From time to time there are new voters.
            let voter = (token % 3 > 0).then(|| format!("v{}", token % 5 + duel.id.seq / 64 * 5));
            Ask::Answer { duel, request: AnswerRequest { answer: answer(&duel, said), voter, said: None } }
        }
        720..820 => Ask::Shown { duel: duel(town)? },
        820..880 => Ask::Void { duel: duel(town)? },
        880..920 => {
            let status = if town.rng.random_bool(0.3) { Status::Paused } else { Status::Running };
            Ask::Change { trial, status }
        }
        920..940 => Ask::Add { trial, name: format!("new{}", town.rng.random_range(0..5)) },
        940..960 => Ask::Retire { trial, arm: town.rng.random_range(0..4) },
        960..970 => Ask::Restore { trial, arm: town.rng.random_range(0..4) },
        970..980 => Ask::Digest { trial },
        980..990 => Ask::MakeKey,
        990..995 => Ask::Revoke { key: town.ledger.any_key()? },
        995..999 => {
            if town.ledger.trials.len() >= 4 {
                return None;
            }
            Ask::Create
        }
        // Few experiments are closed, because nothing happens to them after that.
        _ => Ask::Change { trial: *town.ledger.trials.last()?, status: Status::Closed },
    })
}

/// An answer for each number, so that a repeated answer to a duel is the same. Arms with a lower
/// index are better.
fn answer(duel: &Duel, number: u64) -> Answer {
    let (left, right) = duel.drawn.sides();
    let better = if left < right { Answer::Left } else { Answer::Right };
    match number % 24 {
        0..15 => better,
        15..17 => better.flipped(),
        17..19 => Answer::Tie,
        19 => Answer::BothBad,
        20 => Answer::Skip,
        21 => Answer::score(0.3).expect("it is within [-1, 1]"),
        22 => Answer::score(-1.0).expect("it is within [-1, 1]"),
        _ => Answer::score(-0.7).expect("it is within [-1, 1]"),
    }
}

/// Notes a response in the ledger.
fn learn(ask: Ask, told: Told, town: &mut Town) -> Result<(), Violation> {
    let ledger = &mut town.ledger;
    match (ask, told) {
        (Ask::Create, Told::Trial(trial)) => ledger.note_trial(trial),
        (Ask::Issue { trial, request }, Told::Duels(duels)) => {
            ledger.note_duels(trial, &request, &duels)?;
            town.pool.extend(duels);
        }
        (Ask::Answer { duel, request }, Told::Done(_)) => ledger.note_answer(duel.id, &request)?,
        (Ask::Shown { duel }, Told::Done(_)) => ledger.note_shown(duel.id),
        (Ask::Void { duel }, Told::Done(_)) => ledger.note_void(duel.id),
        (Ask::Change { trial, status: now }, Told::Done(done)) => {
            if done == Done::Recorded {
                ledger.note_deed(trial, status(now));
            }
        }
        (Ask::Add { trial, name }, Told::Nothing) => ledger.note_deed(trial, format!("add {name}")),
        (Ask::Retire { trial, arm }, Told::Nothing) => ledger.note_deed(trial, format!("retire {arm}")),
        (Ask::Restore { trial, arm }, Told::Nothing) => ledger.note_deed(trial, format!("restore {arm}")),
        (Ask::Digest { trial }, Told::Digest(digest)) => ledger.note_digest(trial, digest),
        (ask, _) => return Err(format!("{ask:?} got a response of another kind")),
    }
    Ok(())
}

/// Whether a refusal can be right.
fn judge(ask: &Ask, refusal: &Refusal, town: &Town) -> Result<(), Violation> {
    let right = match (ask, refusal) {
        (Ask::Issue { .. }, Refusal::Closed | Refusal::Paused | Refusal::TooManyInFlight { .. })
        | (Ask::Answer { .. }, Refusal::Voided | Refusal::VoterLimit { .. })
        | (
            Ask::Change { .. } | Ask::Add { .. } | Ask::Retire { .. } | Ask::Restore { .. },
            Refusal::Closed,
        )
        | (Ask::Add { .. } | Ask::Retire { .. } | Ask::Restore { .. }, Refusal::NotElastic { .. })
        | (Ask::Add { .. }, Refusal::TwiceNamed { .. })
        | (Ask::Retire { .. }, Refusal::AlreadyRetired { .. } | Refusal::LastArms { .. })
        | (Ask::Restore { .. }, Refusal::NotRetired { .. }) => true,
        (Ask::Issue { request, .. }, Refusal::ClientReused { count, .. }) => *count != request.count,
        (Ask::Answer { duel, request }, Refusal::Contradiction | Refusal::Expired | Refusal::Closed) => {
            !town.ledger.is_known_answer(duel.id, request)
        }
        _ => false,
    };
    if right { Ok(()) } else { Err(format!("{ask:?} was refused: {refusal}")) }
}
