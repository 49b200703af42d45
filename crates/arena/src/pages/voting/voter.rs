//! What a voter does: duels are issued, answered and taken back.
//!
//! A voter's duels are a chain: each is issued under a name made of the voter and of the duel that
//! it follows, so that a form that is sent twice leads to the same next duel. A vote may be taken
//! back while the duel that was issued for it, and right after it, is open. After that it is final,
//! and only then its arms are named: whoever knows who got a vote can no longer take it back. All
//! of this is read from the log:
//!
//! - `booth:VOTER:DUEL` is issued by the request that records the answer to `DUEL`, and by no
//!   other;
//! - `booth:VOTER:DUEL.on` by every other, when a voter goes on after a duel that expired or that
//!   had no next one (a pause, a full house).
//!
//! That the first is open is a thing that ends and never begins again, so that what was shown once
//! stays final.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::memory::{Memory, Note};
use crate::arena::{Arena, ArenaError, Done, Duel, Pending};
use crate::domain::{
    Activation, Answer, AnswerRequest, DrawnDuel, DuelHistory, Experiment, IssueRequest, NewArm, Refusal,
    Status, VoidReason,
};
use crate::id::{DuelId, ExperimentId};

/// Requests of one voter are decided one after the other: between an answer and the issue of what
/// follows nobody looks.
static TURNS: [Mutex<()>; 64] = [const { Mutex::new(()) }; 64];

/// The most duels along a chain that are passed over to find one that is open.
const MOST_STEPS: usize = 32;

/// Someone who votes in an experiment.
#[derive(Debug, Clone)]
pub(super) struct Voter {
    pub(super) experiment: ExperimentId,
    pub(super) name: String,
}

/// What must be durable before anything is said of it.
#[derive(Debug, Default)]
pub(super) struct Writes {
    pub(super) pending: Vec<Pending<()>>,
    /// Duels that were issued.
    pub(super) duels: u64,
    /// Outcomes that were recorded.
    pub(super) outcomes: u64,
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
    /// Votes so far.
    pub(super) votes: u64,
    /// The most votes of one voter.
    pub(super) limit: Option<u64>,
    /// Seconds until the next vote is welcome.
    pub(super) wait: Option<u64>,
}

/// What is going on.
#[derive(Debug)]
pub(super) enum Screen {
    /// They have just come.
    Start,
    /// They are asked.
    Duel(Box<Candidates>),
    /// There is no next duel now.
    Later(Unavailable),
    /// It is over for them.
    Over { closed: bool },
}

/// Two candidates.
#[derive(Debug)]
pub(super) struct Candidates {
    pub(super) duel: DuelId,
    pub(super) left: Arc<NewArm>,
    pub(super) right: Arc<NewArm>,
}

/// Unavailable there is no next duel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unavailable {
    Paused,
    /// Too many duels are in flight.
    Full,
    /// The server has too much to do.
    Busy,
}

/// What a vote was about.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reveal {
    pub(super) answer: Answer,
    pub(super) left: String,
    pub(super) right: String,
}

/// What is asked of the experiment itself.
struct Conditions {
    name: String,
    status: Status,
    limit: Option<u64>,
    votes: Option<u64>,
    is_over: bool,
    wait: Option<u64>,
    by_showing: bool,
}

impl Voter {
    /// Holds this voter's turn.
    fn turn(&self) -> MutexGuard<'static, ()> {
        let mut hash = DefaultHasher::new();
        (self.experiment, &self.name).hash(&mut hash);
        let place = usize::try_from(hash.finish() % TURNS.len() as u64).unwrap_or_default();
        TURNS[place].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name under which the duel after another is issued.
    fn client(&self, after: &str) -> String {
        format!("booth:{}:{after}", self.name)
    }

    fn conditions(&self, arena: &Arena) -> Result<Conditions, ArenaError> {
        let now = arena.now();
        arena.view(self.experiment, |experiment| {
            let (is_over, wait) = match experiment.check_voter(&self.name, now) {
                Err(Refusal::VoterLimit { wait, .. }) => (wait.is_none(), wait),
                _ => (false, None),
            };
            let settings = experiment.settings();
            Conditions {
                name: experiment.name().to_owned(),
                status: experiment.status(),
                limit: settings.voter_votes,
                votes: experiment.votes_of(&self.name),
                is_over,
                wait,
                by_showing: settings.activation == Activation::Shown,
            }
        })
    }

    /// The vote of this voter on a duel, unless it was voided.
    fn vote(&self, past: &DuelHistory) -> Option<Answer> {
        let (answer, voter) = past.answer.as_ref()?;
        let is_theirs = voter.as_deref() == Some(&self.name) && !past.voided && *answer != Answer::Skip;
        is_theirs.then_some(*answer)
    }

    /// The duel that was issued with the answer to another, while it is open.
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
        Ok(past.filter(|past| is_open(arena, past)).map(|_| next))
    }

    fn issue(&self, arena: &Arena, client: String, writes: &mut Writes) -> Result<Duel, ArenaError> {
        let is_new = arena.issued_by(self.experiment, &client)?.is_none();
        let request = IssueRequest { client: Some(client), ..IssueRequest::default() };
        let mut issued = None;
        let pending = arena.issue(self.experiment, &request)?;
        writes.pending.push(pending.map(|duels| issued = duels.first().copied()));
        writes.duels += u64::from(is_new);
        issued.ok_or(ArenaError::Refused(Refusal::NoDuel))
    }

    /// An open duel after another one, or the first.
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
            if find(arena, duel.id, writes)?.is_some_and(|past| is_open(arena, &past)) {
                return Ok(duel);
            }
            after = Some(duel.id);
        }
        // A browser that forgot where it was.
        self.issue(arena, self.client(&format!("at-{}", arena.now().0)), writes)
    }

    /// What the voter sees, and what their browser shall remember. Without a memory nothing is
    /// issued: whoever looks at links does not vote.
    pub(super) fn see(
        &self,
        arena: &Arena,
        memory: Option<Memory>,
        writes: &mut Writes,
    ) -> Result<(VoterView, Option<Memory>), ArenaError> {
        let _turn = self.turn();
        let conditions = self.conditions(arena)?;
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
            let Some(answer) = self.vote(&past) else { continue };
            if may_undo && self.open_after(arena, duel, writes)?.is_some() {
                undo = undo.or(Some(duel));
            } else {
                reveal =
                    Some(arena.view(self.experiment, |experiment| named(experiment, &past.drawn, answer))?);
                break;
            }
        }
        let Conditions { name, limit, votes, wait, .. } = conditions;
        let votes = votes.unwrap_or(memory.count);
        Ok((VoterView { name, screen, undo, reveal, votes, limit, wait }, has_begun.then_some(memory)))
    }

    /// The duel that is before the voter, or the next one.
    fn next_screen(
        &self,
        arena: &Arena,
        memory: &mut Memory,
        by_showing: bool,
        writes: &mut Writes,
    ) -> Result<Screen, ArenaError> {
        // What is not in the log was made up.
        let current = memory.current.map(|duel| find(arena, duel, writes)).transpose()?.flatten();
        let last = memory.last.map(|duel| find(arena, duel, writes)).transpose()?.flatten();
        let shown = match (current, memory.current) {
            (Some(past), Some(id)) if is_open(arena, &past) => Duel { id, drawn: past.drawn },
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
            writes.pending.push(arena.shown(shown.id)?.map(drop));
        }
        let (left, right) = shown.drawn.sides();
        let arms = |experiment: &Experiment| {
            let arm = |index: usize| experiment.arms().get(index).map(|entry| Arc::clone(&entry.arm));
            arm(left.index()).zip(arm(right.index()))
        };
        let (left, right) = arena.view(self.experiment, arms)?.ok_or(Refusal::NoDuel)?;
        Ok(Screen::Duel(Box::new(Candidates { duel: shown.id, left, right })))
    }

    /// Begins, with the first duel if there is one to be had.
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
        let conditions = self.conditions(arena)?;
        let mut memory = Memory::default();
        if conditions.status == Status::Running && !conditions.is_over {
            match self.follow(arena, None, writes) {
                Ok(duel) => memory.current = Some(duel.id),
                // The page says why.
                Err(error) => {
                    unavailable(error)?;
                }
            }
        }
        Ok(memory)
    }

    /// Takes an answer, and issues the next duel if there is one to be had.
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
        let mut done = None;
        let said = arena.answer(duel, &request).map(|pending| {
            writes.pending.push(pending.map(|how| done = Some(how)));
        });
        let is_current = memory.current.is_none_or(|current| current == duel);
        match said {
            Ok(()) => {
                memory.note = Some(if is_vote { Note::Recorded } else { Note::Skipped });
            }
            Err(ArenaError::Refused(Refusal::Contradiction)) => memory.note = Some(Note::Answered),
            Err(ArenaError::Refused(refusal)) => {
                memory.note = match refusal {
                    // Said on the page for as long as it holds.
                    Refusal::VoterLimit { .. } | Refusal::Closed | Refusal::Paused => None,
                    Refusal::Expired => Some(Note::Expired),
                    _ => Some(Note::Gone),
                };
                return Ok(memory);
            }
            Err(error) => return Err(error),
        }
        if done == Some(Done::Recorded) {
            writes.outcomes += 1;
            if !is_current {
                // From a page that was open beside; the duel before them is still there.
                memory.count += u64::from(is_vote);
                return Ok(memory);
            }
            memory.answered(duel, is_vote);
            memory.current = self.next_after(arena, duel, writes)?;
        } else if is_current && memory.last != Some(duel) {
            // Sent twice, and the browser has not heard of the first: what was issued then is found
            // again.
            memory.answered(duel, is_vote);
            memory.current = arena.issued_by(self.experiment, &self.client(&duel.to_string()))?;
        }
        Ok(memory)
    }

    /// The next duel after one that was answered just now.
    fn next_after(
        &self,
        arena: &Arena,
        duel: DuelId,
        writes: &mut Writes,
    ) -> Result<Option<DuelId>, ArenaError> {
        let conditions = self.conditions(arena)?;
        if conditions.status != Status::Running || conditions.is_over {
            return Ok(None);
        }
        // It had expired, and another was issued in its stead.
        if let Some(next) = arena.issued_by(self.experiment, &self.client(&format!("{duel}.on")))? {
            return Ok(Some(next));
        }
        match self.issue(arena, self.client(&duel.to_string()), writes) {
            Ok(next) => Ok(Some(next.id)),
            Err(error) => unavailable(error).map(|_| None),
        }
    }

    /// Takes a vote back, if it is this voter's and the next one is not answered yet.
    pub(super) fn undo(
        &self,
        arena: &Arena,
        memory: Option<Memory>,
        duel: DuelId,
        writes: &mut Writes,
    ) -> Result<Memory, ArenaError> {
        let _turn = self.turn();
        let mut memory = memory.unwrap_or_default();
        let conditions = self.conditions(arena)?;
        let past = find(arena, duel, writes)?;
        // Sent twice, it is said to be done twice. Who had answered is told by what was issued
        // after it.
        let was_voided = past.as_ref().is_some_and(|past| past.voided)
            && arena.issued_by(self.experiment, &self.client(&duel.to_string()))?.is_some();
        let is_vote = past.is_some_and(|past| self.vote(&past).is_some());
        let is_going_on = conditions.status != Status::Closed && !conditions.is_over;
        if !was_voided {
            let next = if is_vote && is_going_on { self.open_after(arena, duel, writes)? } else { None };
            let Some(next) = next else {
                memory.note = Some(Note::Stays);
                return Ok(memory);
            };
            writes.pending.push(arena.void(duel, VoidReason::Asked)?.map(drop));
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

/// What became of a duel, if there is such a duel of two.
fn find(arena: &Arena, duel: DuelId, writes: &mut Writes) -> Result<Option<DuelHistory>, ArenaError> {
    let mut found = None;
    match arena.duel(duel) {
        Ok(pending) => writes.pending.push(pending.map(|past| found = Some(past))),
        Err(ArenaError::Refused(Refusal::NoDuel)) => {}
        Err(error) => return Err(error),
    }
    Ok(found.filter(|past| past.slate.is_none()))
}

/// Whether a duel can be answered by someone who sees it now.
fn is_open(arena: &Arena, past: &DuelHistory) -> bool {
    past.answer.is_none() && !past.voided && !past.expired && arena.now() <= past.drawn.expires
}

/// Unavailable there is no duel, if that passes.
fn unavailable(error: ArenaError) -> Result<Unavailable, ArenaError> {
    match error {
        ArenaError::Refused(Refusal::Paused | Refusal::Closed) => Ok(Unavailable::Paused),
        ArenaError::Refused(Refusal::TooManyInFlight { .. }) => Ok(Unavailable::Full),
        ArenaError::Overloaded => Ok(Unavailable::Busy),
        error => Err(error),
    }
}

/// Who a vote was about.
fn named(experiment: &Experiment, open: &DrawnDuel, answer: Answer) -> Reveal {
    let name =
        |index: usize| experiment.arms().get(index).map(|entry| entry.arm.name.clone()).unwrap_or_default();
    let (left, right) = open.sides();
    Reveal { answer, left: name(left.index()), right: name(right.index()) }
}
