//! The actions of a voter: get a duel, answer it, take a vote back.
//!
//! A voter's duels form a chain. The client id of each duel names the chain and the previous duel,
//! so a form that is sent twice leads to the same next duel. A vote may be taken back while the
//! duel that was issued together with it is open. After that the vote is final. Only then does the
//! page name its arms: a voter who knows the arms can no longer take the vote back. All of this is
//! read from the log, with two kinds of client ids:
//!
//! - `booth:CHAIN:DUEL`: the request that recorded the answer to `DUEL` issued this duel. No other
//!   request uses this client id.
//! - `booth:CHAIN:DUEL.on`: another request issued this duel, because the voter went on after a
//!   duel that had expired, or that had no next duel (a pause, too many duels in flight).
//!
//! A duel of the first kind that is no longer open never becomes open again, so a final vote stays
//! final.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::memory::{Memory, Note};
use crate::arena::{Arena, ArenaError, Done, Duel, Pending};
use crate::domain::{
    Activation, Answer, AnswerRequest, DrawnDuel, DuelHistory, Experiment, IssueRequest, NewArm, Person,
    Refusal, Status, VoidReason,
};
use crate::id::{DuelId, ExperimentId};

/// Locks, so that the requests of one voter run one after the other: no request sees the state
/// between an answer and the issue of the next duel.
static TURNS: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];

/// The largest number of duels of a chain to try in search of an open one.
const MOST_STEPS: usize = 32;

#[derive(Debug, Clone)]
pub(super) struct Voter {
    pub(super) experiment: ExperimentId,
    pub(super) name: String,
    /// The name of the chain of duels. The log has it in client ids, so it is not the voter's name.
    pub(super) chain: String,
}

/// Writes that must be durable before the server answers.
#[derive(Debug, Default)]
pub(super) struct Writes {
    pub(super) pending: Vec<Pending<()>>,
    /// The number of duels issued.
    pub(super) duels: u64,
    /// The number of outcomes recorded.
    pub(super) outcomes: u64,
}

impl Writes {
    /// The result, to go on working with. It must be durable before the server answers.
    pub(super) fn wait_for<T>(&mut self, pending: Pending<T>) -> T {
        let (result, durable) = pending.split();
        self.pending.push(durable);
        result
    }
}

/// What a voter sees.
#[derive(Debug)]
pub(super) struct VoterView {
    /// The experiment's name.
    pub(super) name: String,
    pub(super) screen: Screen,
    /// The vote that may be taken back.
    pub(super) undo: Option<DuelId>,
    /// The last vote that is final.
    pub(super) reveal: Option<Reveal>,
    /// The number of votes so far.
    pub(super) votes: u64,
    /// The largest number of votes of one voter.
    pub(super) limit: Option<u64>,
    /// Seconds until the voter may vote again.
    pub(super) wait: Option<u64>,
}

/// The main part of the page.
#[derive(Debug)]
pub(super) enum Screen {
    /// The voter has not started yet.
    Start,
    /// The voter sees a duel.
    Duel(Box<Candidates>),
    /// There is no next duel at the moment.
    Later(Unavailable),
    /// The voter cannot vote any more.
    Over { closed: bool },
}

/// Two candidates.
#[derive(Debug)]
pub(super) struct Candidates {
    pub(super) duel: DuelId,
    pub(super) left: Arc<NewArm>,
    pub(super) right: Arc<NewArm>,
}

/// Why there is no next duel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unavailable {
    Paused,
    /// Too many duels are in flight.
    Full,
    /// The server is overloaded.
    Busy,
}

/// A final vote, with the names of its arms.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reveal {
    pub(super) answer: Answer,
    pub(super) left: String,
    pub(super) right: String,
}

/// The facts of an experiment that decide what a voter sees.
struct Conditions {
    person: Person,
    name: String,
    status: Status,
    limit: Option<u64>,
    votes: Option<u64>,
    is_over: bool,
    wait: Option<u64>,
    by_showing: bool,
}

impl Voter {
    /// Locks out other requests of this voter.
    fn turn(&self) -> MutexGuard<'static, ()> {
        let mut hash = DefaultHasher::new();
        (self.experiment, &self.name).hash(&mut hash);
        let place = usize::try_from(hash.finish() % TURNS.len() as u64).unwrap_or_default();
        TURNS[place].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client id of the duel after another one.
    fn client(&self, after: &str) -> String {
        format!("booth:{}:{after}", self.chain)
    }

    fn conditions(&self, arena: &Arena, writes: &mut Writes) -> Result<Conditions, ArenaError> {
        let now = arena.now();
        let person = arena.person(self.experiment, &self.name)?;
        let conditions = arena.view(self.experiment, |experiment| {
            let (is_over, wait) = match experiment.check_voter(&person, now) {
                Err(Refusal::VoterLimit { wait, .. }) => (wait.is_none(), wait),
                _ => (false, None),
            };
            let settings = experiment.settings();
            Conditions {
                name: experiment.name().to_owned(),
                status: experiment.status(),
                limit: settings.voter_votes,
                votes: experiment.votes_of(&person),
                person,
                is_over,
                wait,
                by_showing: settings.activation == Activation::Shown,
            }
        })?;
        Ok(writes.wait_for(conditions))
    }

    /// The duel that was issued together with the answer to `duel`, while it is open.
    fn open_after(
        &self,
        arena: &Arena,
        duel: DuelId,
        writes: &mut Writes,
    ) -> Result<Option<DuelId>, ArenaError> {
        let Some(next) = arena.issued_by(self.experiment, &self.client(&duel.to_string()))? else {
            return Ok(None);
        };
        let past = find(arena, next, writes)?;
        Ok(past.filter(is_open).map(|_| next))
    }

    fn issue(&self, arena: &Arena, client: String, writes: &mut Writes) -> Result<Duel, ArenaError> {
        let is_new = arena.issued_by(self.experiment, &client)?.is_none();
        let request = IssueRequest { client: Some(client), ..IssueRequest::default() };
        let issued = writes.wait_for(arena.issue(self.experiment, &request)?);
        writes.duels += u64::from(is_new);
        issued.first().copied().ok_or(ArenaError::Refused(Refusal::NoDuel))
    }

    /// An open duel of the chain: after the duel `after`, or from the beginning.
    fn follow(
        &self,
        arena: &Arena,
        mut after: Option<DuelId>,
        writes: &mut Writes,
    ) -> Result<Duel, ArenaError> {
        for _ in 0..MOST_STEPS {
            let client = match after {
                None => self.client("first"),
                Some(duel) => {
                    let client = self.client(&duel.to_string());
                    let is_there = arena.issued_by(self.experiment, &client)?.is_some();
                    if is_there { client } else { self.client(&format!("{duel}.on")) }
                }
            };
            let duel = self.issue(arena, client, writes)?;
            if find(arena, duel.id, writes)?.is_some_and(|past| is_open(&past)) {
                return Ok(duel);
            }
            after = Some(duel.id);
        }
        // The browser has lost its place in a long chain: start a new one.
        self.issue(arena, self.client(&format!("at-{}", arena.now().0)), writes)
    }

    /// What the voter sees, and the new memory of their browser. Without a memory no duel is
    /// issued: opening the link is not voting.
    pub(super) fn see(
        &self,
        arena: &Arena,
        memory: Option<Memory>,
        writes: &mut Writes,
    ) -> Result<(VoterView, Option<Memory>), ArenaError> {
        let _turn = self.turn();
        let conditions = self.conditions(arena, writes)?;
        let has_begun = memory.is_some();
        let mut memory = memory.unwrap_or_default();
        let screen = match conditions.status {
            Status::Closed => Screen::Over { closed: true },
            _ if conditions.is_over => Screen::Over { closed: false },
            Status::Paused if !has_begun => Screen::Later(Unavailable::Paused),
            _ if !has_begun => Screen::Start,
            _ => self.next_screen(arena, &mut memory, conditions.by_showing, writes)?,
        };
        let mut undo = None;
        let mut reveal = None;
        let may_undo = conditions.status != Status::Closed && !conditions.is_over;
        for duel in [memory.last, memory.before].into_iter().flatten() {
            let Some(past) = find(arena, duel, writes)? else { continue };
            let Some(answer) = vote(&past, &conditions.person) else { continue };
            if may_undo && self.open_after(arena, duel, writes)?.is_some() {
                undo = undo.or(Some(duel));
            } else {
                reveal =
                    Some(arena.peek(self.experiment, |experiment| named(experiment, &past.drawn, answer))?);
                break;
            }
        }
        let Conditions { name, limit, votes, wait, .. } = conditions;
        let votes = votes.unwrap_or(memory.count);
        Ok((VoterView { name, screen, undo, reveal, votes, limit, wait }, has_begun.then_some(memory)))
    }

    /// The voter's current duel, or the next one.
    fn next_screen(
        &self,
        arena: &Arena,
        memory: &mut Memory,
        by_showing: bool,
        writes: &mut Writes,
    ) -> Result<Screen, ArenaError> {
        // A duel that is not in the log was made up, and is ignored.
        let current = memory.current.map(|duel| find(arena, duel, writes)).transpose()?.flatten();
        let last = memory.last.map(|duel| find(arena, duel, writes)).transpose()?.flatten();
        let shown = match (current, memory.current) {
            (Some(past), Some(id)) if is_open(&past) => Duel { id, drawn: past.drawn },
            (current, _) => {
                if current.as_ref().is_some_and(|past| past.answer.is_none() && !past.voided) {
                    memory.note = memory.note.or(Some(Note::Expired));
                }
                let after = memory.current.filter(|_| current.is_some());
                let after = after.or(memory.last.filter(|_| last.is_some()));
                match self.follow(arena, after, writes) {
                    Ok(duel) => duel,
                    Err(error) => return Ok(Screen::Later(unavailable(error)?)),
                }
            }
        };
        memory.current = Some(shown.id);
        if by_showing && !shown.drawn.shown {
            writes.wait_for(arena.shown(shown.id)?);
        }
        let (left, right) = shown.drawn.sides();
        let arms = |experiment: &Experiment| {
            let arm = |index: usize| experiment.arms().get(index).map(|entry| Arc::clone(&entry.arm));
            arm(left.index()).zip(arm(right.index()))
        };
        let (left, right) = arena.peek(self.experiment, arms)?.ok_or(Refusal::NoDuel)?;
        Ok(Screen::Duel(Box::new(Candidates { duel: shown.id, left, right })))
    }

    /// Starts to vote, with the first duel if there is one.
    pub(super) fn start(
        &self,
        arena: &Arena,
        memory: Option<Memory>,
        writes: &mut Writes,
    ) -> Result<Memory, ArenaError> {
        let _turn = self.turn();
        if let Some(memory) = memory {
            return Ok(memory);
        }
        let conditions = self.conditions(arena, writes)?;
        let mut memory = Memory::default();
        if conditions.status == Status::Running && !conditions.is_over {
            match self.follow(arena, None, writes) {
                Ok(duel) => memory.current = Some(duel.id),
                // The page says why it shows no pair.
                Err(error) => {
                    unavailable(error)?;
                }
            }
        }
        Ok(memory)
    }

    /// Records an answer, and issues the next duel if there is one.
    pub(super) fn answer(
        &self,
        arena: &Arena,
        memory: Option<Memory>,
        (duel, answer): (DuelId, Answer),
        writes: &mut Writes,
    ) -> Result<Memory, ArenaError> {
        let _turn = self.turn();
        let mut memory = memory.unwrap_or(Memory { current: Some(duel), ..Memory::default() });
        let is_vote = answer != Answer::Skip;
        let request = AnswerRequest { answer, voter: Some(self.name.clone()), said: None };
        let said = arena.answer(duel, &request).map(|pending| writes.wait_for(pending));
        let is_current = memory.current.is_none_or(|current| current == duel);
        match &said {
            Ok(_) => memory.note = Some(if is_vote { Note::Recorded } else { Note::Skipped }),
            Err(ArenaError::Refused(Refusal::Contradiction)) => memory.note = Some(Note::Answered),
            Err(ArenaError::Refused(refusal)) => {
                memory.note = match refusal {
                    // The page itself says so, as long as it is true.
                    Refusal::VoterLimit { .. } | Refusal::Closed | Refusal::Paused => None,
                    Refusal::Expired => Some(Note::Expired),
                    _ => Some(Note::Gone),
                };
                return Ok(memory);
            }
            Err(error) => return Err(error.clone()),
        }
        if said == Ok(Done::Recorded) {
            writes.outcomes += 1;
            if !is_current {
                // The answer is from another window. The current duel is still open.
                memory.count += u64::from(is_vote);
                return Ok(memory);
            }
            memory.answered(duel, is_vote);
            memory.current = self.next_after(arena, duel, writes)?;
        } else if is_current && memory.last != Some(duel) {
            // The form was sent twice, and the browser does not know the first response. Find the
            // duel that was issued with it.
            memory.answered(duel, is_vote);
            memory.current = arena.issued_by(self.experiment, &self.client(&duel.to_string()))?;
        }
        Ok(memory)
    }

    /// The next duel after one that has just been answered.
    fn next_after(
        &self,
        arena: &Arena,
        duel: DuelId,
        writes: &mut Writes,
    ) -> Result<Option<DuelId>, ArenaError> {
        let conditions = self.conditions(arena, writes)?;
        if conditions.status != Status::Running || conditions.is_over {
            return Ok(None);
        }
        // The duel had expired, and another one was issued in its place.
        if let Some(next) = arena.issued_by(self.experiment, &self.client(&format!("{duel}.on")))? {
            return Ok(Some(next));
        }
        match self.issue(arena, self.client(&duel.to_string()), writes) {
            Ok(next) => Ok(Some(next.id)),
            Err(error) => unavailable(error).map(|_| None),
        }
    }

    /// Takes a vote back, if it is this voter's and the next duel is open.
    pub(super) fn undo(
        &self,
        arena: &Arena,
        memory: Option<Memory>,
        duel: DuelId,
        writes: &mut Writes,
    ) -> Result<Memory, ArenaError> {
        let _turn = self.turn();
        let mut memory = memory.unwrap_or_default();
        let conditions = self.conditions(arena, writes)?;
        let past = find(arena, duel, writes)?;
        // If the form is sent twice, both responses say that it was done. The duel issued after the
        // vote shows that it was this voter's.
        let was_voided = past.as_ref().is_some_and(|past| past.voided)
            && arena.issued_by(self.experiment, &self.client(&duel.to_string()))?.is_some();
        let is_vote = past.is_some_and(|past| vote(&past, &conditions.person).is_some());
        let is_going_on = conditions.status != Status::Closed && !conditions.is_over;
        if !was_voided {
            let next = if is_vote && is_going_on { self.open_after(arena, duel, writes)? } else { None };
            let Some(next) = next else {
                memory.note = Some(Note::Stays);
                return Ok(memory);
            };
            writes.wait_for(arena.void(duel, VoidReason::Asked)?);
            memory.current = Some(next);
        }
        if memory.last == Some(duel) {
            memory.last = None;
            memory.count = memory.count.saturating_sub(1);
        }
        memory.note = Some(Note::Undone);
        Ok(memory)
    }
}

/// The history of a duel, if it exists and is not a slate.
fn find(arena: &Arena, duel: DuelId, writes: &mut Writes) -> Result<Option<DuelHistory>, ArenaError> {
    match arena.duel(duel) {
        Ok(pending) => Ok(Some(writes.wait_for(pending)).filter(|past| past.slate.is_none())),
        Err(ArenaError::Refused(Refusal::NoDuel)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The vote of a voter on a duel, unless it was voided.
fn vote(past: &DuelHistory, person: &Person) -> Option<Answer> {
    let (answer, voter) = past.answer.as_ref()?;
    let is_theirs = voter.as_ref().is_some_and(|voter| voter.is(person));
    (is_theirs && !past.voided && *answer != Answer::Skip).then_some(*answer)
}

/// Whether a duel is open: not answered, not voided and not expired.
fn is_open(past: &DuelHistory) -> bool {
    past.answer.is_none() && !past.voided && !past.expired
}

/// Why there is no duel, if the reason is temporary; otherwise the error.
fn unavailable(error: ArenaError) -> Result<Unavailable, ArenaError> {
    match error {
        ArenaError::Refused(Refusal::Paused | Refusal::Closed) => Ok(Unavailable::Paused),
        ArenaError::Refused(Refusal::TooManyInFlight { .. }) => Ok(Unavailable::Full),
        ArenaError::Overloaded => Ok(Unavailable::Busy),
        error => Err(error),
    }
}

/// A vote, with the names of its arms.
fn named(experiment: &Experiment, open: &DrawnDuel, answer: Answer) -> Reveal {
    let name =
        |index: usize| experiment.arms().get(index).map(|entry| entry.arm.name.clone()).unwrap_or_default();
    let (left, right) = open.sides();
    Reveal { answer, left: name(left.index()), right: name(right.index()) }
}
