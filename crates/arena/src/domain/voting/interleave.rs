//! Experiments whose arms are rankers: the lists of two rankers are merged, and clicks on the
//! merged list earn credit.
//!
//! The rankers of a duel are drawn like any other arms, and may be equal. This is intended: an
//! experiment that has learned serves its best ranker alone. Lists are merged by the sides shown,
//! so an outcome is from the viewpoint of the left side, as everywhere else.

use std::sync::Arc;

use rand::{Rng, RngExt};
use serde_json::Value;
use tiltyard_bandit::{Draw, Outcome, Ticket};
use tiltyard_interleave::{Clicks, Interleaving};

use crate::domain::{
    AaCounts, Answer, Comparison, DrawnDuel, DuelHistory, Event, Experiment, Interleaved, IssueRequest,
    Issued, Known, Late, ListMerger, Lists, MergeOptions, Record, Refusal, Reply, Status, fingerprint,
};
use crate::id::DuelId;
use crate::time::Time;

/// A request to draw two rankers and, if their lists are known, to merge these.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InterleaveRequest {
    /// The client id of the request. A repeated request returns the same duel.
    pub client: Option<String>,
    /// Data to store with the duel.
    pub context: Option<Value>,
    /// How to merge the lists.
    pub options: MergeOptions,
    /// The lists of all active arms, if they are known already.
    pub lists: Option<Lists>,
}

/// A request to merge the lists of a duel's rankers.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ListsRequest {
    pub lists: Lists,
    /// How to merge the lists.
    pub options: MergeOptions,
}

/// Clicks on a merged list.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct ClickRequest {
    pub clicked: Clicked,
    pub voter: Option<String>,
    /// When the voter clicked, by the caller's clock.
    pub said: Option<Time>,
}

/// The clicks, in one of two forms. Repeated clicks count once.
#[derive(Debug, Clone, PartialEq)]
pub enum Clicked {
    /// Positions in the merged list, counted from 1.
    Positions(Vec<u64>),
    /// Documents of the merged list.
    Documents(Vec<String>),
}

impl Experiment {
    /// Draws a duel of rankers and, if the lists are given, merges them. Both events are folded.
    ///
    /// # Errors
    ///
    /// If the request is refused. Nothing is folded then.
    pub fn interleave(
        &mut self,
        request: &InterleaveRequest,
        now: Time,
        rng: &mut dyn Rng,
    ) -> Result<Vec<Record>, Refusal> {
        let InterleaveRequest { client, context, options, lists } = request;
        let issue = IssueRequest {
            count: 1,
            distinct: Some(false),
            client: client.clone(),
            context: context.clone(),
        };
        self.check_issue(&issue)?;
        let method = ListMerger::of(options)?;
        if let Some(lists) = lists {
            // Everything that can be refused is refused before the draw. No duel is left behind,
            // and a caller cannot find out the draw by leaving lists out.
            self.check_lists(lists)?;
            for arm in &self.active {
                lists.of(self.name_of(arm.index()))?;
            }
        }
        let drawn = self.draw_rankers(now, rng)?;
        let list_event =
            lists.as_ref().map(|lists| self.merge(self.seq + 1, &drawn, lists, method, rng)).transpose()?;
        let options = (lists.is_none() && !options.is_empty()).then(|| options.clone());
        let issued = Issued { options, ..issue.issued(Comparison { drawn, slate: None }, rng) };
        let mut records = vec![self.fold_next(now, Event::Issued(issued))];
        records.extend(list_event.map(|event| self.fold_next(now, event)));
        Ok(records)
    }

    /// The event that merges a duel's lists; `None` if the same lists were merged before. `past` is
    /// the history of the duel if it is no longer in flight; `known` is its merged list, if it has
    /// one.
    ///
    /// # Errors
    ///
    /// If the lists are refused.
    pub fn merge_lists(
        &self,
        duel: DuelId,
        past: Option<&DuelHistory>,
        known: Option<&Interleaved>,
        request: &ListsRequest,
        now: Time,
        rng: &mut dyn Rng,
    ) -> Result<Option<Event>, Refusal> {
        let ListsRequest { lists, options } = request;
        let past = past.filter(|past| past.drawn.token == duel.token);
        let drawn = self.find(duel).or(past.map(|past| &past.drawn)).ok_or(Refusal::NoDuel)?;
        if past.is_some_and(|past| past.voided) {
            return Err(Refusal::Voided);
        }
        if self.slate(duel).is_some() || past.is_some_and(|past| past.slate.is_some()) {
            return Err(Refusal::IsSlate);
        }
        self.check_lists(lists)?;
        if let Some(known) = known {
            let options =
                options.or(MergeOptions { method: Some(known.method.clone()), length: Some(known.length) });
            let merger = ListMerger::of(&options)?;
            let [left, right] = self.two_of(drawn, lists)?;
            let same = merger.method.to_string() == known.method
                && merger.length == known.length
                && fingerprint(left, right) == known.of;
            return if same { Ok(None) } else { Err(Refusal::OtherLists) };
        }
        match past {
            Some(DuelHistory { answer: Some(_), .. }) => return Err(Refusal::Contradiction),
            Some(_) => return Err(Refusal::TooLateForLists),
            None => {}
        }
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        if self.settings.late == Late::Refuse && now > drawn.expires {
            return Err(Refusal::TooLateForLists);
        }
        let merger = ListMerger::of(&options.or(self.merged_lists.options(duel.seq)))?;
        self.merge(duel.seq, drawn, lists, merger, rng).map(Some)
    }

    /// The event of clicks on a merged list; `None` if the duel already has these clicks.
    ///
    /// # Errors
    ///
    /// If the clicks are refused.
    pub fn click(
        &self,
        duel: DuelId,
        known: Known<'_>,
        merged: Option<&Interleaved>,
        request: &ClickRequest,
        now: Time,
        rng: &mut dyn Rng,
    ) -> Result<Option<Event>, Refusal> {
        let known = known.of(duel);
        let past = known.past;
        if self.find(duel).is_none() && past.is_none() {
            return Err(Refusal::NoDuel);
        }
        if past.is_some_and(|past| past.voided) {
            return Err(Refusal::Voided);
        }
        let merged = merged.ok_or(Refusal::NoMergedList)?;
        let clicks = clicks(merged.list.documents(), &request.clicked)?;
        let positions: Vec<u32> = clicks.iter().filter_map(|index| u32::try_from(index + 1).ok()).collect();
        let answer = if merged.alone {
            Answer::Tie
        } else {
            said(merged.method.parse::<Interleaving>()?.verdict(merged.list.credit(&clicks)))
        };
        let ClickRequest { voter, said, .. } = request.clone();
        let reply = Reply { answer, ranking: None, clicks: Some(positions), voter, said };
        self.accept(duel, known, reply, now, rng)
    }

    /// The merged list of a duel in flight.
    pub fn interleaved(&self, duel: DuelId) -> Option<Arc<Interleaved>> {
        self.find(duel).and_then(|_| self.merged_lists.of(duel.seq)).cloned()
    }

    /// The results of rankers against themselves.
    pub fn aa(&self) -> AaCounts {
        self.merged_lists.aa()
    }

    /// Whether its arms are rankers: their lists are merged, and the clicks are the votes.
    pub fn has_rankers(&self) -> bool {
        self.settings.aa > 0.0 || !self.merged_lists.is_empty()
    }

    fn name_of(&self, index: usize) -> &str {
        &self.arms[index].arm.name
    }

    fn check_lists(&self, lists: &Lists) -> Result<(), Refusal> {
        lists.check(|name| self.index.contains_key(name))
    }

    /// The lists of the two sides.
    fn two_of<'a>(&self, drawn: &DrawnDuel, lists: &'a Lists) -> Result<[&'a [String]; 2], Refusal> {
        let (left, right) = drawn.sides();
        Ok([lists.of(self.name_of(left.index()))?, lists.of(self.name_of(right.index()))?])
    }

    fn merge(
        &self,
        duel: u64,
        drawn: &DrawnDuel,
        lists: &Lists,
        merger: ListMerger,
        rng: &mut dyn Rng,
    ) -> Result<Event, Refusal> {
        self.merged_lists.check_room()?;
        let [left, right] = self.two_of(drawn, lists)?;
        let alone = drawn.ticket.is_self_duel() && !drawn.aa;
        let list = if alone { merger.alone(left, rng) } else { merger.merge(left, right, rng) };
        let (method, length) = (merger.method.to_string(), merger.length);
        let of = fingerprint(left, right);
        Ok(Event::Interleaved(Arc::new(Interleaved { duel, method, length, list, alone, of })))
    }

    /// Draws two rankers by the policy, or one ranker against itself (A/A).
    ///
    /// The ranker of an A/A duel is drawn uniformly, for three reasons. The check for side bias
    /// then covers the lists of all rankers equally. The propensity is known for any policy. And a
    /// policy that does not hear of these duels does not wait for them. They cost users as much as
    /// a holdout of the same share.
    fn draw_rankers(&self, now: Time, rng: &mut dyn Rng) -> Result<DrawnDuel, Refusal> {
        if !(self.settings.aa > 0.0 && rng.random::<f64>() < self.settings.aa) {
            return self.draw(false, now, rng);
        }
        let arm = self.active[rng.random_range(0..self.active.len())];
        let draw = Draw::Pair(1.0 / self.active.len() as f64);
        let ticket = Ticket { round: 0, left: arm, right: arm, rate: 1.0, epoch: 0, draw };
        Ok(DrawnDuel { holdout: true, aa: true, ..self.drawn(ticket, now, rng) })
    }
}

/// An outcome as an answer: a word if there is one, and a score otherwise.
fn said(outcome: Outcome) -> Answer {
    match outcome {
        Outcome::WIN => Answer::Left,
        Outcome::LOSS => Answer::Right,
        Outcome::TIE => Answer::Tie,
        graded => Answer::Score(graded),
    }
}

/// Finds the clicked documents in a merged list.
fn clicks(documents: &[String], clicked: &Clicked) -> Result<Clicks, Refusal> {
    let length = documents.len();
    let places: Vec<usize> = match clicked {
        Clicked::Positions(positions) => {
            let index = |&position: &u64| {
                let index = usize::try_from(position).ok().and_then(|position| position.checked_sub(1));
                let index = index.filter(|&index| index < length);
                index.ok_or(Refusal::NoPosition { position, length })
            };
            positions.iter().map(index).collect::<Result<_, _>>()?
        }
        Clicked::Documents(clicked) => {
            let index = |document: &String| {
                let index = documents.iter().position(|other| other == document);
                index.ok_or_else(|| Refusal::NoDocument { document: document.clone() })
            };
            clicked.iter().map(index).collect::<Result<_, _>>()?
        }
    };
    Ok(Clicks::at(places, length).expect("each was just found on the list"))
}
