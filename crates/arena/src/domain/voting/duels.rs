//! Duels of two arms: how they are issued, shown, answered, voided and expired. Answers of every
//! kind are handled here.

use std::sync::Arc;

use rand::{Rng, RngExt};
use tiltyard_bandit::{Arm, Draw, Ticket};

use crate::domain::{
    Activation, Answer, AnswerRequest, Answered, Comparison, DrawnDuel, DuelHistory, Event, Experiment,
    Expired, IssueRequest, Issued, Known, Late, Person, Ranked, Ranking, Record, Refusal, Seal, Shown, Slate,
    Status, Taught, VoidReason, Voided, check_name,
};
use crate::id::DuelId;
use crate::time::Time;

/// The most duels in one request.
pub(crate) const MOST_DUELS: u32 = 1000;

/// Larger contexts are refused.
const LARGEST_CONTEXT: usize = 16 * 1024;

/// The most bytes of payload in all duels of a request: a response must not grow far beyond what is
/// useful.
const LARGEST_PAYLOADS: usize = 4 * 1024 * 1024;

/// The most bytes of context in all duels of a request: records that wait for the store must not
/// grow far beyond the request.
const LARGEST_CONTEXTS: usize = 1024 * 1024;

/// A reply to a duel: a word, a ranking, or clicks that amount to an answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) answer: Answer,
    pub(crate) ranking: Option<Ranking<u32>>,
    /// Positions, counted from 1.
    pub(crate) clicks: Option<Vec<u32>>,
    pub(crate) voter: Option<String>,
    pub(crate) said: Option<Time>,
}

impl IssueRequest {
    /// The event of the first duel of this request.
    pub(crate) fn issued(&self, Comparison { drawn, slate }: Comparison, rng: &mut dyn Rng) -> Issued {
        let client = self.client.clone();
        let count = client.as_ref().map(|_| self.count);
        let apart = self.context.clone().map(|context| Seal::context(context, rng));
        Issued { drawn, inline_context: None, apart, client, count, options: None, slate }
    }
}

impl Experiment {
    /// Issues duels, one event each. Each is folded before the next is drawn.
    ///
    /// # Errors
    ///
    /// If the request is refused.
    pub fn issue(
        &mut self,
        request: &IssueRequest,
        now: Time,
        rng: &mut dyn Rng,
    ) -> Result<Vec<Record>, Refusal> {
        self.check_issue(request)?;
        let distinct = request.distinct.unwrap_or(self.settings.distinct);
        let mut records = Vec::with_capacity(request.count as usize);
        for i in 0..request.count {
            let drawn = self.draw(distinct, now, rng)?;
            let mut issued = request.issued(Comparison { drawn, slate: None }, rng);
            if i > 0 {
                (issued.client, issued.count) = (None, None);
            }
            records.push(self.fold_next(now, Event::Issued(issued)));
        }
        Ok(records)
    }

    /// Folds an event that was just decided from this state.
    pub(crate) fn fold_next(&mut self, now: Time, event: Event) -> Record {
        let record = self.next(now, event);
        self.fold(&record).expect("a duel just drawn fits the policy that drew it");
        record
    }

    pub(crate) fn check_issue(&self, request: &IssueRequest) -> Result<(), Refusal> {
        match self.status {
            Status::Running => {}
            Status::Paused => return Err(Refusal::Paused),
            Status::Closed => return Err(Refusal::Closed),
        }
        if !(1..=MOST_DUELS).contains(&request.count) {
            let (got, most) = (u64::from(request.count), u64::from(MOST_DUELS));
            return Err(Refusal::OutOfRange { what: "the number of duels", got, least: 1, most });
        }
        if let Some(client) = &request.client {
            check_name("a client id", client)?;
        }
        let length = request.context.as_ref().map_or(0, |context| context.to_string().len());
        if length > LARGEST_CONTEXT {
            return Err(Refusal::TooLong { what: "the context", length, longest: LARGEST_CONTEXT });
        }
        let length = length * request.count as usize;
        if length > LARGEST_CONTEXTS {
            let what = "the context, stored with each of the duels,";
            return Err(Refusal::TooLong { what, length, longest: LARGEST_CONTEXTS });
        }
        // Each duel comes with two payloads.
        let length = 2 * self.longest_payload * request.count as usize;
        if length > LARGEST_PAYLOADS {
            let what = "the total payload of so many duels";
            return Err(Refusal::TooLong { what, length, longest: LARGEST_PAYLOADS });
        }
        if request.distinct == Some(true) && self.policy.distinct().is_none() {
            return Err(Refusal::NotDistinct { policy: self.policy.info().name.to_owned() });
        }
        let in_flight = self.in_flight.len() as u64;
        if in_flight + u64::from(request.count) > self.settings.max_in_flight {
            return Err(Refusal::TooManyInFlight { in_flight, most: self.settings.max_in_flight });
        }
        Ok(())
    }

    pub(crate) fn draw(&self, distinct: bool, now: Time, rng: &mut dyn Rng) -> Result<DrawnDuel, Refusal> {
        let holdout = self.settings.holdout > 0.0 && rng.random::<f64>() < self.settings.holdout;
        let ticket = if holdout {
            uniform_pair(&self.active, rng)
        } else if distinct {
            let policy = || Refusal::NotDistinct { policy: self.policy.info().name.to_owned() };
            self.policy.distinct().and_then(|distinct| distinct.propose_distinct(rng)).ok_or_else(policy)?
        } else {
            let policy = |_| Refusal::Sequential { policy: self.policy.info().name.to_owned() };
            self.policy.propose(rng).map_err(policy)?
        };
        Ok(DrawnDuel { holdout, ..self.drawn(ticket, now, rng) })
    }

    /// A duel with this ticket and random sides.
    pub(crate) fn drawn(&self, ticket: Ticket, now: Time, rng: &mut dyn Rng) -> DrawnDuel {
        let expires = now.plus_seconds(self.settings.expires_after);
        let (swapped, token) = (rng.random(), rng.random());
        DrawnDuel { ticket, swapped, holdout: false, aa: false, token, expires, shown: false }
    }

    /// The event of an answer; `None` if the duel already has this answer.
    ///
    /// # Errors
    ///
    /// If the answer is refused.
    pub fn answer(
        &self,
        duel: DuelId,
        known: Known<'_>,
        request: &AnswerRequest,
        now: Time,
        rng: &mut dyn Rng,
    ) -> Result<Option<Event>, Refusal> {
        let known = known.of(duel);
        let past = known.past;
        let is_slate = self.slate(duel).is_some() || past.is_some_and(|past| past.slate.is_some());
        if is_slate && request.answer != Answer::Skip && past.is_none_or(|past| !past.voided) {
            return Err(Refusal::IsSlate);
        }
        let AnswerRequest { answer, voter, said } = request.clone();
        self.accept(duel, known, Reply { answer, ranking: None, clicks: None, voter, said }, now, rng)
    }

    /// The event of a reply that fits this kind of duel; `None` if the duel already has this reply.
    pub(crate) fn accept(
        &self,
        duel: DuelId,
        known: Known<'_>,
        reply: Reply,
        now: Time,
        rng: &mut dyn Rng,
    ) -> Result<Option<Event>, Refusal> {
        let Reply { answer, ranking, clicks, voter, said } = reply;
        let person = voter.map(|name| Person { name, number: known.number });
        let (comparison, is_late) = match (self.comparison(duel), known.past) {
            (Some(comparison), _) => (comparison.clone(), false),
            (None, None) => return Err(Refusal::NoDuel),
            (None, Some(past)) => {
                if past.voided {
                    return Err(Refusal::Voided);
                }
                if let Some((answer_before, voter_before)) = &past.answer {
                    let is_same = match (&ranking, &clicks) {
                        (None, None) => *answer_before == answer,
                        (None, _) => past.clicks == clicks,
                        _ => past.ranked.as_ref().map(|ranked| &ranked.ranking) == ranking.as_ref(),
                    };
                    let by_same = match (voter_before, &person) {
                        (Some(voter), Some(person)) => voter.is(person),
                        (voter, person) => voter.is_none() && person.is_none(),
                    };
                    let is_same = is_same && by_same;
                    return if is_same { Ok(None) } else { Err(Refusal::Contradiction) };
                }
                (Comparison { drawn: past.drawn, slate: past.slate.clone() }, true)
            }
        };
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        if self.settings.late == Late::Refuse && (is_late || now > comparison.drawn.expires) {
            return Err(Refusal::Expired);
        }
        if let Some(person) = &person {
            check_name("a voter's name", &person.name)?;
            if answer != Answer::Skip {
                self.check_voter(person, now)?;
            }
        }
        let Taught { learned, lessons, apprentice } =
            self.teach(duel.seq, &comparison, answer, ranking.as_ref(), rng);
        let (lesson, apprentice, ranked) = match ranking {
            Some(ranking) => (None, None, Some(Arc::new(Ranked { ranking, lessons, apprentice }))),
            None => (lessons.first().copied(), apprentice.first().copied(), None),
        };
        let late = is_late.then_some(comparison.drawn);
        let slate = comparison.slate.filter(|_| is_late);
        let duel = duel.seq;
        Ok(Some(Event::Answered(Answered {
            duel,
            answer,
            learned,
            lesson,
            apprentice,
            voter: person.map(|person| person.voter(rng)),
            said,
            late,
            clicks,
            slate,
            ranked,
        })))
    }

    /// Refuses a voter who has reached a limit.
    ///
    /// # Errors
    ///
    /// If the voter has reached a limit.
    pub fn check_voter(&self, voter: &Person, now: Time) -> Result<(), Refusal> {
        let reached = self.voters.check(voter, now, &self.settings);
        reached.map_err(|reached| Refusal::VoterLimit { limit: reached.limit, wait: reached.wait })
    }

    /// The number of votes of a voter, including those that were voided later. `None` if no setting
    /// limits votes, because they are not counted then.
    pub fn votes_of(&self, voter: &Person) -> Option<u64> {
        self.voters.votes(voter, &self.settings)
    }

    /// The event that a duel was shown; `None` if that is known or no longer matters.
    ///
    /// # Errors
    ///
    /// If there is no such duel.
    pub fn shown(&self, duel: DuelId, past: Option<&DuelHistory>) -> Result<Option<Event>, Refusal> {
        match (self.find(duel), past.filter(|past| past.drawn.token == duel.token)) {
            (Some(drawn), _) => Ok((!drawn.shown).then_some(Event::Shown(Shown { duel: duel.seq }))),
            (None, Some(_)) => Ok(None),
            (None, None) => Err(Refusal::NoDuel),
        }
    }

    /// The event that voids a duel; `None` if it was voided before.
    ///
    /// # Errors
    ///
    /// If there is no such duel.
    pub fn void(
        &self,
        duel: DuelId,
        past: Option<&DuelHistory>,
        reason: VoidReason,
    ) -> Result<Option<Event>, Refusal> {
        let voided = |past| Some(Event::Voided(Voided { duel: duel.seq, reason, past }));
        match (self.find(duel), past.filter(|past| past.drawn.token == duel.token)) {
            (Some(_), _) => Ok(voided(None)),
            (None, Some(past)) if past.voided => Ok(None),
            (None, Some(past)) => Ok(voided(Some(past.closed()))),
            (None, None) => Err(Refusal::NoDuel),
        }
    }

    /// The events of duels that have expired, at most `most` of them.
    pub fn expire(&self, now: Time, most: usize) -> Vec<Event> {
        let expired = self.in_flight.iter().filter(|(_, shown)| now > shown.drawn.expires).take(most);
        expired.map(|(&duel, _)| Event::Expired(Expired { duel })).collect()
    }

    /// The time at which a duel that is shown now expires; `None` if showing does not matter.
    pub(crate) fn expiry_from_showing(&self, now: Time) -> Option<Time> {
        (self.settings.activation == Activation::Shown).then(|| now.plus_seconds(self.settings.expires_after))
    }

    /// The arms that a duel in flight shows.
    fn comparison(&self, duel: DuelId) -> Option<&Comparison> {
        self.in_flight.get(&duel.seq).filter(|shown| shown.drawn.token == duel.token)
    }

    /// The duel, if it is in flight.
    pub fn find(&self, duel: DuelId) -> Option<&DrawnDuel> {
        self.comparison(duel).map(|shown| &shown.drawn)
    }

    /// The slate of a duel in flight.
    pub fn slate(&self, duel: DuelId) -> Option<&Arc<Slate>> {
        self.comparison(duel)?.slate.as_ref()
    }

    /// The duel issued at that log position, if it is in flight.
    pub fn at(&self, seq: u64) -> Option<DuelHistory> {
        self.in_flight.get(&seq).cloned().map(DuelHistory::new)
    }
}

/// A ticket for two different arms. All ordered pairs have the same probability: an unbiased sample
/// next to the policy's own choices.
fn uniform_pair(arms: &[Arm], rng: &mut dyn Rng) -> Ticket {
    let n_arms = arms.len();
    let left = rng.random_range(0..n_arms);
    let right = rng.random_range(0..n_arms - 1);
    let right = right + usize::from(right >= left);
    let draw = Draw::Pair(1.0 / (n_arms * (n_arms - 1)) as f64);
    Ticket { round: 0, left: arms[left], right: arms[right], rate: 1.0, epoch: 0, draw }
}
