//! Random requests to an arena and to a plain model of its contract. The model keeps a list of duels and what was said of each, and counts
//! everything anew from that list; it shares no code with the domain.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use tiltyard_arena::ArenaError;
use tiltyard_arena::arena::{Done, Duel, Pending, RankerDuel};
use tiltyard_arena::domain::{
    AaCounts, Activation, Answer, AnswerRequest, ArmCounts, ClickRequest, Clicked, InterleaveRequest,
    IssueRequest, Late, Lists, ListsRequest, NewArm, PairCounts, Refusal, Settings, Status, Totals,
    VoidReason, Wish,
};
use tiltyard_arena::id::ExperimentId;
use tiltyard_arena::time::Clock;
use tiltyard_bandit::{Arm, Outcome};

use crate::sim_store::SimStore;
use crate::support::Desk;

/// What policies can do, by their pages: their name, whether arms can change, whether unequal arms can be asked for.
const POLICIES: [(&str, bool, bool); 5] = [
    ("rex3", true, true),
    ("vdb", true, true),
    ("rucb", false, false),
    ("btm", false, false),
    ("random", false, true),
];

/// What is asked. Duels and names are chosen by numbers, taken modulo what there is.
#[derive(Debug, Clone)]
enum Ask {
    Issue {
        count: u32,
        client: Option<u8>,
        distinct: Option<bool>,
    },
    Answer {
        duel: usize,
        answer: Answer,
        voter: Option<u8>,
    },
    /// Two rankers, with their lists or without.
    Interleave {
        client: Option<u8>,
        lists: Option<u8>,
    },
    /// The lists of a duel's rankers, of so many that there are.
    Lists {
        duel: usize,
        lists: u8,
    },
    /// Clicks on the first documents of the left and of the right ranker.
    Click {
        duel: usize,
        left: bool,
        right: bool,
        voter: Option<u8>,
    },
    Shown {
        duel: usize,
    },
    Void {
        duel: usize,
    },
    Change(Status),
    Add(u8),
    Retire(u8),
    Restore(u8),
    Wait {
        seconds: i64,
    },
    Sweep,
    /// Writes what waits; until then all answers are pending.
    Write,
    Snapshot,
    Restart,
}

fn any_answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        4 => Just(Answer::Left),
        4 => Just(Answer::Right),
        1 => Just(Answer::Tie),
        1 => Just(Answer::BothBad),
        1 => Just(Answer::Skip),
        1 => prop_oneof![Just(-1.0), Just(-0.25), Just(0.0), Just(0.5), Just(1.0)]
            .prop_map(|score| Answer::score(score).expect("it is within [-1, 1]")),
    ]
}

fn any_ask() -> impl Strategy<Value = Ask> {
    // Low numbers are the latest duels.
    let duel = || prop_oneof![8 => 0..6usize, 2 => 0..40usize];
    let voter = || proptest::option::weighted(0.5, 0..3u8);
    let client = || proptest::option::weighted(0.4, 0..6u8);
    prop_oneof![
        12 => (prop_oneof![9 => 1..4u32, 1 => Just(0)], client(), proptest::option::weighted(0.2, any::<bool>()))
            .prop_map(|(count, client, distinct)| Ask::Issue { count, client, distinct }),
        20 => (duel(), any_answer(), voter())
            .prop_map(|(duel, answer, voter)| Ask::Answer { duel, answer, voter }),
        5 => (client(), proptest::option::of(0..2u8))
            .prop_map(|(client, lists)| Ask::Interleave { client, lists }),
        8 => (duel(), 0..2u8).prop_map(|(duel, lists)| Ask::Lists { duel, lists }),
        10 => (duel(), any::<bool>(), any::<bool>(), voter())
            .prop_map(|(duel, left, right, voter)| Ask::Click { duel, left, right, voter }),
        5 => duel().prop_map(|duel| Ask::Shown { duel }),
        5 => duel().prop_map(|duel| Ask::Void { duel }),
        2 => Just(Ask::Change(Status::Running)),
        1 => Just(Ask::Change(Status::Paused)),
        1 => proptest::bool::weighted(0.2)
            .prop_map(|close| Ask::Change(if close { Status::Closed } else { Status::Running })),
        1 => (0..7u8).prop_map(Ask::Add),
        1 => (0..7u8).prop_map(Ask::Retire),
        1 => (0..7u8).prop_map(Ask::Restore),
        5 => (0..25i64).prop_map(|seconds| Ask::Wait { seconds }),
        3 => Just(Ask::Sweep),
        4 => Just(Ask::Write),
        1 => Just(Ask::Snapshot),
        1 => Just(Ask::Restart),
    ]
}

fn any_settings() -> impl Strategy<Value = Settings> {
    (
        (prop_oneof![Just(0.0), Just(0.3), Just(1.0)], prop_oneof![Just(0.0), Just(0.5), Just(1.0)]),
        5..30u64,
        prop_oneof![Just(Late::Accept), Just(Late::Refuse)],
        prop_oneof![Just(Activation::Issue), Just(Activation::Shown)],
        proptest::option::weighted(0.3, 1..5u64),
        proptest::option::weighted(0.3, 1..3u64),
        prop_oneof![3 => Just(1000u64), 1 => 1..8u64],
    )
        .prop_map(
            |((holdout, aa), expires_after, late, activation, votes, per_minute, max_in_flight)| Settings {
                holdout,
                aa,
                expires_after,
                late,
                activation,
                horizon: Some(1000),
                voter_votes: votes,
                voter_votes_per_minute: per_minute,
                max_in_flight,
                ..Settings::default_for(false)
            },
        )
}

/// A duel, as its story is told.
#[derive(Debug, Clone)]
struct Tale {
    duel: Duel,
    /// In seconds.
    issued: i64,
    shown: Option<i64>,
    given_up: bool,
    answer: Option<(Answer, Option<String>)>,
    late: bool,
    voided: bool,
    /// Which lists were merged.
    lists: Option<u8>,
    /// Which documents were clicked, of the left ranker and of the right one.
    clicks: Option<(bool, bool)>,
}

impl Tale {
    fn new(duel: Duel, issued: i64) -> Self {
        Self {
            duel,
            issued,
            shown: None,
            given_up: false,
            answer: None,
            late: false,
            voided: false,
            lists: None,
            clicks: None,
        }
    }
}

/// The document that a ranker has first; no two rankers share one.
fn document(arm: &str, lists: u8) -> String {
    format!("{arm}{lists}")
}

/// The lists of all rankers: one document each.
fn lists(arms: &[(String, bool)], lists: u8) -> Lists {
    Lists(arms.iter().map(|(arm, _)| (arm.clone(), vec![document(arm, lists)])).collect())
}

#[derive(Debug)]
struct Model {
    elastic: bool,
    can_differ: bool,
    policy: &'static str,
    settings: Settings,
    status: Status,
    /// In seconds.
    now: i64,
    arms: Vec<(String, bool)>,
    tales: Vec<Tale>,
    requests: BTreeMap<String, (u32, Vec<Duel>)>,
    /// When each voter voted, in seconds.
    votes: BTreeMap<String, Vec<i64>>,
}

impl Model {
    fn is_in_flight(tale: &Tale) -> bool {
        !tale.given_up && tale.answer.is_none() && !tale.voided
    }

    fn n_in_flight(&self) -> u64 {
        self.tales.iter().filter(|tale| Self::is_in_flight(tale)).count() as u64
    }

    fn is_over(&self, tale: &Tale) -> bool {
        let from = match self.settings.activation {
            Activation::Issue => tale.issued,
            Activation::Shown => tale.shown.unwrap_or(tale.issued),
        };
        self.now > from + self.settings.expires_after.cast_signed()
    }

    /// Whether duels would be new, or those that there were.
    fn issue(
        &self,
        count: u32,
        client: Option<&str>,
        distinct: Option<bool>,
    ) -> Result<Option<Vec<Duel>>, Refusal> {
        if let Some((before, duels)) = client.and_then(|client| self.requests.get(client)) {
            if *before == count {
                return Ok(Some(duels.clone()));
            }
            let client = client.unwrap_or_default().to_owned();
            return Err(Refusal::ClientReused { client, count: *before });
        }
        match self.status {
            Status::Paused => return Err(Refusal::Paused),
            Status::Closed => return Err(Refusal::Closed),
            Status::Running => {}
        }
        if count == 0 {
            return Err(Refusal::OutOfRange { what: "the number of duels", got: 0, least: 1, most: 1000 });
        }
        if distinct == Some(true) && !self.can_differ {
            return Err(Refusal::NotDistinct { policy: self.policy.to_owned() });
        }
        let (in_flight, most) = (self.n_in_flight(), self.settings.max_in_flight);
        if in_flight + u64::from(count) > most {
            return Err(Refusal::TooManyInFlight { in_flight, most });
        }
        Ok(None)
    }

    fn answer(&mut self, at: usize, answer: Answer, voter: Option<&str>) -> Result<Done, Refusal> {
        let tale = &self.tales[at];
        if tale.voided {
            return Err(Refusal::Voided);
        }
        if let Some((before, by)) = &tale.answer {
            let same = *before == answer && by.as_deref() == voter;
            return if same { Ok(Done::Already) } else { Err(Refusal::Contradiction) };
        }
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        if self.settings.late == Late::Refuse && (tale.given_up || self.is_over(tale)) {
            return Err(Refusal::Expired);
        }
        // A skipped duel is no vote.
        if let Some(voter) = voter.filter(|_| answer != Answer::Skip) {
            let times = self.votes.entry(voter.to_owned()).or_default();
            let all = times.len() as u64;
            let this_minute = times.iter().filter(|&&then| then / 60 == self.now / 60).count() as u64;
            if let Some(limit) = self.settings.voter_votes.filter(|&limit| all >= limit) {
                return Err(Refusal::VoterLimit { limit, wait: None });
            }
            if let Some(limit) = self.settings.voter_votes_per_minute.filter(|&limit| this_minute >= limit) {
                let wait = (60 - self.now % 60).unsigned_abs();
                return Err(Refusal::VoterLimit { limit, wait: Some(wait) });
            }
            times.push(self.now);
        }
        let tale = &mut self.tales[at];
        tale.late = tale.given_up;
        tale.answer = Some((answer, voter.map(str::to_owned)));
        Ok(Done::Recorded)
    }

    fn merge(&mut self, at: usize, lists: u8) -> Result<(), Refusal> {
        let tale = &self.tales[at];
        if tale.voided {
            return Err(Refusal::Voided);
        }
        if let Some(before) = tale.lists {
            return if before == lists { Ok(()) } else { Err(Refusal::OtherLists) };
        }
        if tale.answer.is_some() {
            return Err(Refusal::Contradiction);
        }
        if tale.given_up {
            return Err(Refusal::TooLateForLists);
        }
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        if self.settings.late == Late::Refuse && self.is_over(tale) {
            return Err(Refusal::TooLateForLists);
        }
        self.tales[at].lists = Some(lists);
        Ok(())
    }

    fn click(&mut self, at: usize, clicks: (bool, bool), voter: Option<&str>) -> Result<Done, Refusal> {
        let tale = &self.tales[at];
        if tale.voided {
            return Err(Refusal::Voided);
        }
        if tale.lists.is_none() {
            return Err(Refusal::NoMergedList);
        }
        if let Some((_, by)) = &tale.answer {
            let same = tale.clicks == Some(clicks) && by.as_deref() == voter;
            return if same { Ok(Done::Already) } else { Err(Refusal::Contradiction) };
        }
        let (left, right) = tale.duel.open.sides();
        let answer = match clicks {
            // One document, and who picked it is chance.
            _ if left == right => Answer::Tie,
            (true, false) => Answer::Left,
            (false, true) => Answer::Right,
            _ => Answer::Tie,
        };
        let done = self.answer(at, answer, voter)?;
        self.tales[at].clicks = Some(clicks);
        Ok(done)
    }

    fn shown(&mut self, at: usize) -> Done {
        let now = self.now;
        let tale = &mut self.tales[at];
        if !Self::is_in_flight(tale) || tale.shown.is_some() {
            return Done::Already;
        }
        tale.shown = Some(now);
        Done::Recorded
    }

    fn void(&mut self, at: usize) -> Done {
        let before = core::mem::replace(&mut self.tales[at].voided, true);
        if before { Done::Already } else { Done::Recorded }
    }

    fn change(&mut self, status: Status) -> Result<Done, Refusal> {
        if self.status == status {
            return Ok(Done::Already);
        }
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        self.status = status;
        Ok(Done::Recorded)
    }

    fn may_change_arms(&self) -> Result<(), Refusal> {
        if self.status == Status::Closed {
            return Err(Refusal::Closed);
        }
        if self.elastic { Ok(()) } else { Err(Refusal::NotElastic { policy: self.policy.to_owned() }) }
    }

    fn place_of(&self, name: &str) -> Result<usize, Refusal> {
        let place = self.arms.iter().position(|(other, _)| other == name);
        place.ok_or_else(|| Refusal::NoArm { name: name.to_owned() })
    }

    fn add(&mut self, name: &str) -> Result<(), Refusal> {
        self.may_change_arms()?;
        if self.place_of(name).is_ok() {
            return Err(Refusal::TwiceNamed { name: name.to_owned() });
        }
        self.arms.push((name.to_owned(), false));
        Ok(())
    }

    fn retire(&mut self, name: &str) -> Result<(), Refusal> {
        self.may_change_arms()?;
        let place = self.place_of(name)?;
        if self.arms[place].1 {
            return Err(Refusal::AlreadyRetired { name: name.to_owned() });
        }
        if self.arms.iter().filter(|(_, retired)| !retired).count() == 2 {
            return Err(Refusal::LastArms { name: name.to_owned() });
        }
        self.arms[place].1 = true;
        Ok(())
    }

    fn restore(&mut self, name: &str) -> Result<(), Refusal> {
        self.may_change_arms()?;
        let place = self.place_of(name)?;
        if !self.arms[place].1 {
            return Err(Refusal::NotRetired { name: name.to_owned() });
        }
        self.arms[place].1 = false;
        Ok(())
    }

    fn sweep(&mut self) -> usize {
        let over: Vec<usize> = (0..self.tales.len())
            .filter(|&at| Self::is_in_flight(&self.tales[at]) && self.is_over(&self.tales[at]))
            .collect();
        for &at in &over {
            self.tales[at].given_up = true;
        }
        over.len()
    }

    /// All counts, from the tales alone.
    fn counts(&self) -> (Totals, Vec<ArmCounts>, BTreeMap<(Arm, Arm), PairCounts>) {
        let mut totals = Totals { duels: self.tales.len() as u64, ..Totals::default() };
        let mut arms = vec![ArmCounts::default(); self.arms.len()];
        let mut pairs: BTreeMap<(Arm, Arm), PairCounts> = BTreeMap::new();
        for tale in &self.tales {
            let (left, right) = tale.duel.open.sides();
            let mut each = |change: &dyn Fn(&mut ArmCounts)| {
                change(&mut arms[left.index()]);
                if left != right {
                    change(&mut arms[right.index()]);
                }
            };
            each(&|counts| counts.duels += 1);
            let never_shown = self.settings.activation == Activation::Shown && tale.shown.is_none();
            let score = match &tale.answer {
                _ if tale.voided => {
                    totals.voided += 1;
                    each(&|counts| counts.voided += 1);
                    continue;
                }
                None if tale.given_up && never_shown => {
                    totals.never_shown += 1;
                    each(&|counts| counts.never_shown += 1);
                    continue;
                }
                None if tale.given_up => {
                    totals.unanswered += 1;
                    each(&|counts| counts.unanswered += 1);
                    continue;
                }
                None => {
                    each(&|counts| counts.in_flight += 1);
                    continue;
                }
                Some((Answer::Skip, _)) => {
                    totals.skipped += 1;
                    each(&|counts| counts.skipped += 1);
                    continue;
                }
                Some((Answer::Left, _)) => 1.0,
                Some((Answer::Right, _)) => -1.0,
                Some((Answer::Tie | Answer::BothBad, _)) => 0.0,
                Some((Answer::Score(outcome), _)) => outcome.score(),
                Some((Answer::Ranking, _)) => unreachable!("the model asks for no slates"),
            };
            if tale.duel.open.aa {
                continue;
            }
            totals.votes += 1;
            totals.holdout += u64::from(tale.duel.open.holdout);
            totals.late += u64::from(tale.late);
            let is_bad = matches!(tale.answer, Some((Answer::BothBad, _)));
            let verdict = Verdict::of(score, is_bad);
            match verdict {
                Verdict::For => totals.left += 1,
                Verdict::Against => totals.right += 1,
                Verdict::Tie => totals.ties += 1,
                Verdict::Bad => totals.both_bad += 1,
                Verdict::Graded => totals.graded += 1,
            }
            if left == right {
                arms[left.index()].self_duels += 1;
                continue;
            }
            for (arm, verdict) in [(left, verdict), (right, Verdict::of(-score, is_bad))] {
                let counts = &mut arms[arm.index()];
                match verdict {
                    Verdict::For => counts.wins += 1,
                    Verdict::Against => counts.losses += 1,
                    Verdict::Tie => counts.ties += 1,
                    Verdict::Bad => counts.both_bad += 1,
                    Verdict::Graded => counts.graded += 1,
                }
            }
            let score = if left < right { score } else { -score };
            let pair = pairs.entry((left.min(right), left.max(right))).or_default();
            match Verdict::of(score, is_bad) {
                Verdict::For => pair.first += 1,
                Verdict::Against => pair.second += 1,
                Verdict::Tie => pair.ties += 1,
                Verdict::Bad => pair.both_bad += 1,
                Verdict::Graded => {
                    pair.graded += 1;
                    // Quarters and halves: sums are exact in whatever order.
                    pair.graded_sum += score;
                }
            }
        }
        (totals, arms, pairs)
    }
}

#[derive(Clone, Copy)]
enum Verdict {
    For,
    Against,
    Tie,
    Bad,
    Graded,
}

impl Verdict {
    fn of(score: f64, is_bad: bool) -> Self {
        match score {
            _ if is_bad => Self::Bad,
            1.0 => Self::For,
            -1.0 => Self::Against,
            0.0 => Self::Tie,
            _ => Self::Graded,
        }
    }
}

/// Arena and model side by side.
struct Pair {
    desk: Desk,
    trial: ExperimentId,
    model: Model,
    /// Answers that are not durable yet, and what they must be.
    done: Vec<(Pending<Done>, Done)>,
    duels: Vec<(Pending<Vec<Duel>>, Vec<Duel>)>,
    /// Duels of rankers, and whether their lists must be merged.
    rankers: Vec<(Pending<RankerDuel>, Duel, Option<u8>)>,
}

fn name(number: u8) -> String {
    char::from(b'a' + number).to_string()
}

impl Pair {
    fn new(policy: usize, settings: Settings) -> Self {
        let desk = Desk::new(Arc::new(SimStore::new()), 7);
        let (policy, elastic, can_differ) = POLICIES[policy];
        let trial = desk.create(policy, 3, |wanted| *wanted = settings.clone());
        let model = Model {
            elastic,
            can_differ,
            policy,
            settings,
            status: Status::Running,
            now: desk.clock.now().0 / crate::support::SECOND,
            arms: (0..3).map(|number| (name(number), false)).collect(),
            tales: Vec::new(),
            requests: BTreeMap::new(),
            votes: BTreeMap::new(),
        };
        Self { desk, trial, model, done: Vec::new(), duels: Vec::new(), rankers: Vec::new() }
    }

    /// The duel meant, counted from the latest.
    fn place(&self, back: usize) -> Option<usize> {
        self.model.tales.len().checked_sub(1 + back)
    }

    fn ask(mut self, ask: &Ask) -> Result<Self, TestCaseError> {
        let Self { desk, trial, model, .. } = &mut self;
        let arena = Arc::clone(&desk.arena);
        let trial = *trial;
        match ask {
            Ask::Issue { count, client, distinct } => self.issue(*count, *client, *distinct)?,
            Ask::Answer { duel, answer, voter } => {
                let Some(at) = self.place(*duel) else { return Ok(self) };
                let voter = voter.map(|voter| format!("v{voter}"));
                let expected = self.model.answer(at, *answer, voter.as_deref());
                let request = AnswerRequest { answer: *answer, voter, said: None };
                self.compare(arena.answer(self.model.tales[at].duel.id, &request), expected)?;
            }
            Ask::Interleave { client, lists } => self.interleave(*client, *lists)?,
            Ask::Lists { duel, lists: which } => {
                let Some(at) = self.place(*duel) else { return Ok(self) };
                let duel = self.model.tales[at].duel;
                let wish = Wish { method: None, length: Some(4) };
                let request = ListsRequest { lists: lists(&self.model.arms, *which), wish };
                match (arena.merge(duel.id, &request), self.model.merge(at, *which)) {
                    (Ok(pending), Ok(())) => self.rankers.push((pending, duel, Some(*which))),
                    (result, expected) => refused(result, expected)?,
                }
            }
            Ask::Click { duel, left, right, voter } => {
                let Some(at) = self.place(*duel) else { return Ok(self) };
                let tale = &self.model.tales[at];
                let voter = voter.map(|voter| format!("v{voter}"));
                let (l, r) = tale.duel.open.sides();
                let equal = l == r;
                // Equal rankers have one document.
                let clicks = (*left, *right && !equal);
                let which = tale.lists.unwrap_or_default();
                let name = |arm: Arm| document(&self.model.arms[arm.index()].0, which);
                let documents = [(clicks.0, name(l)), (clicks.1, name(r))];
                let documents = documents.into_iter().filter(|(clicked, _)| *clicked);
                let clicked = Clicked::Documents(documents.map(|(_, document)| document).collect());
                let id = tale.duel.id;
                let is_aa = tale.duel.open.aa;
                let expected = self.model.click(at, clicks, voter.as_deref());
                let request = ClickRequest { clicked, voter, said: None };
                let result = arena.click(id, &request);
                if is_aa && expected == Ok(Done::Recorded) {
                    // A coin has decided who picked the one document: ask what was recorded.
                    let pending = result.map_err(|error| TestCaseError::fail(error.to_string()))?;
                    self.done.push((pending, Done::Recorded));
                    self.write()?;
                    let past = self.desk.done(self.desk.arena.duel(id));
                    let past = past.map_err(|error| TestCaseError::fail(error.to_string()))?;
                    if !clicks.0 {
                        prop_assert_eq!(&past.answer.as_ref().map(|said| said.0), &Some(Answer::Tie));
                    }
                    self.model.tales[at].answer = past.answer;
                } else {
                    self.compare(result, expected)?;
                }
            }
            Ask::Shown { duel } => {
                let Some(at) = self.place(*duel) else { return Ok(self) };
                let expected = self.model.shown(at);
                self.compare(arena.shown(self.model.tales[at].duel.id), Ok(expected))?;
            }
            Ask::Void { duel } => {
                let Some(at) = self.place(*duel) else { return Ok(self) };
                let expected = self.model.void(at);
                let id = self.model.tales[at].duel.id;
                self.compare(arena.void(id, VoidReason::Asked), Ok(expected))?;
            }
            Ask::Change(status) => {
                let expected = model.change(*status);
                self.compare(arena.change(trial, *status), expected)?;
            }
            Ask::Add(number) => {
                let name = name(*number);
                let expected = model.add(&name).map(|()| Done::Recorded);
                let result = arena.add_arms(trial, vec![NewArm::named(name)]);
                self.compare(result.map(recorded), expected)?;
            }
            Ask::Retire(number) => {
                let expected = model.retire(&name(*number)).map(|()| Done::Recorded);
                self.compare(arena.retire_arm(trial, &name(*number)).map(recorded), expected)?;
            }
            Ask::Restore(number) => {
                let expected = model.restore(&name(*number)).map(|()| Done::Recorded);
                self.compare(arena.restore_arm(trial, &name(*number)).map(recorded), expected)?;
            }
            Ask::Wait { seconds } => {
                model.now += seconds;
                desk.clock.seconds(*seconds);
            }
            Ask::Sweep => prop_assert_eq!(arena.sweep(), Ok(model.sweep())),
            Ask::Write => self.write()?,
            Ask::Snapshot => arena.snapshot_all(),
            Ask::Restart => {
                drop(arena);
                self.write()?;
                self.desk = self.desk.restarted(8);
            }
        }
        Ok(self)
    }

    fn interleave(&mut self, client: Option<u8>, which: Option<u8>) -> Result<(), TestCaseError> {
        let client = client.map(|client| format!("c{client}"));
        let expected = self.model.issue(1, client.as_deref(), Some(false));
        let wish = Wish { method: None, length: Some(4) };
        let lists = which.map(|which| lists(&self.model.arms, which));
        let request = InterleaveRequest { client: client.clone(), context: None, wish, lists };
        let result = self.desk.arena.interleave(self.trial, &request);
        let again = match expected {
            Ok(again) => again,
            Err(expected) => return refused(result, Err(expected)),
        };
        if let Some(again) = again {
            let duel = again[0];
            let same = |tale: &Tale| tale.duel.id == duel.id;
            let at = self.model.tales.iter().position(same).expect("it was issued");
            let merged = match which {
                None => Ok(()),
                Some(which) => self.model.merge(at, which),
            };
            match (result, merged) {
                (Ok(pending), Ok(())) => self.rankers.push((pending, duel, self.model.tales[at].lists)),
                (result, expected) => refused(result, expected)?,
            }
            return Ok(());
        }
        let pending = result.map_err(|error| TestCaseError::fail(error.to_string()))?;
        self.write()?;
        let found = pending.poll().expect("nothing fails").expect("all was written");
        let open = found.duel.open;
        match self.model.settings.aa {
            0.0 => prop_assert!(!open.aa),
            1.0 => prop_assert!(open.aa),
            _ => {}
        }
        prop_assert!(!open.aa || (open.holdout && open.ticket.is_self_duel()));
        check_list(&found, found.duel, which, &self.model.arms)?;
        let tale = Tale { lists: which, ..Tale::new(found.duel, self.model.now) };
        self.model.tales.push(tale);
        if let Some(client) = client {
            self.model.requests.insert(client, (1, vec![found.duel]));
        }
        Ok(())
    }

    fn issue(&mut self, count: u32, client: Option<u8>, distinct: Option<bool>) -> Result<(), TestCaseError> {
        let client = client.map(|client| format!("c{client}"));
        let expected = self.model.issue(count, client.as_deref(), distinct);
        let request = IssueRequest { count, distinct, client: client.clone(), context: None };
        let pending = match (self.desk.arena.issue(self.trial, &request), &expected) {
            (Ok(pending), Ok(_)) => pending,
            (Err(ArenaError::Refused(refusal)), Err(expected)) => {
                prop_assert_eq!(&refusal, expected);
                return Ok(());
            }
            (result, _) => {
                let result = result.map(|_| "duels");
                return Err(TestCaseError::fail(format!("{result:?} instead of {expected:?}")));
            }
        };
        if let Ok(Some(before)) = expected {
            self.duels.push((pending, before));
            return Ok(());
        }
        // New ones are known when they are written, and all that was asked before with them.
        self.write()?;
        let duels = pending.poll().expect("nothing fails").expect("all was written");
        prop_assert_eq!(duels.len(), count as usize);
        let must_differ = distinct.unwrap_or(self.model.can_differ);
        for &duel in &duels {
            let open = duel.open;
            let (left, right) = open.sides();
            prop_assert!(left != right || !(must_differ || open.holdout));
            prop_assert!([left, right].iter().all(|arm| !self.model.arms[arm.index()].1), "it is retired");
            match self.model.settings.holdout {
                0.0 => prop_assert!(!open.holdout),
                1.0 => prop_assert!(open.holdout),
                _ => {}
            }
            let expires =
                (self.model.now + self.model.settings.expires_after.cast_signed()) * crate::support::SECOND;
            prop_assert_eq!(open.expires.0, expires);
            prop_assert!(self.model.tales.iter().all(|tale| tale.duel.id != duel.id));
            self.model.tales.push(Tale::new(duel, self.model.now));
        }
        if let Some(client) = client {
            self.model.requests.insert(client, (count, duels));
        }
        Ok(())
    }

    /// Refusals are known at once, all else when it is durable.
    fn compare(
        &mut self,
        result: Result<Pending<Done>, ArenaError>,
        expected: Result<Done, Refusal>,
    ) -> Result<(), TestCaseError> {
        match (result, expected) {
            (Ok(pending), Ok(expected)) => self.done.push((pending, expected)),
            (Err(ArenaError::Refused(refusal)), Err(expected)) => prop_assert_eq!(refusal, expected),
            (result, expected) => {
                let result = result.map(|_| "it was accepted");
                return Err(TestCaseError::fail(format!("{result:?} instead of {expected:?}")));
            }
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), TestCaseError> {
        self.desk.settle();
        for (pending, expected) in self.done.drain(..) {
            prop_assert_eq!(pending.poll().expect("nothing fails").expect("all was written"), expected);
        }
        for (pending, duel, which) in self.rankers.drain(..) {
            let found = pending.poll().expect("nothing fails").expect("all was written");
            check_list(&found, duel, which, &self.model.arms)?;
        }
        for (pending, expected) in self.duels.drain(..) {
            prop_assert_eq!(pending.poll().expect("nothing fails").expect("all was written"), expected);
        }
        Ok(())
    }

    fn check_counts(&self) -> Result<(), TestCaseError> {
        let state = self.desk.state(self.trial);
        let (totals, arms, pairs) = self.model.counts();
        prop_assert_eq!(*state.totals(), totals);
        let kept: Vec<ArmCounts> = state.arms().iter().map(|entry| entry.counts).collect();
        prop_assert_eq!(kept, arms);
        prop_assert_eq!(state.pairs(), &pairs);
        let is_aa = |tale: &&Tale| tale.duel.open.aa && !tale.voided;
        let said = |tale: &Tale| tale.answer.as_ref().and_then(|(answer, _)| answer.outcome());
        let scores: Vec<f64> =
            self.model.tales.iter().filter(is_aa).filter_map(said).map(Outcome::score).collect();
        let count = |wanted: fn(f64) -> bool| scores.iter().filter(|&&score| wanted(score)).count() as u64;
        let aa = AaCounts { left: count(|s| s > 0.0), right: count(|s| s < 0.0), ties: count(|s| s == 0.0) };
        prop_assert_eq!(state.aa(), aa);
        prop_assert_eq!(state.n_in_flight() as u64, self.model.n_in_flight());
        prop_assert_eq!(state.status(), self.model.status);
        let names: Vec<(String, bool)> =
            state.arms().iter().map(|entry| (entry.arm.name.clone(), entry.retired)).collect();
        prop_assert_eq!(&names, &self.model.arms);
        Ok(())
    }
}

/// It must have been refused, and for this reason.
fn refused<T>(
    result: Result<Pending<T>, ArenaError>,
    expected: Result<(), Refusal>,
) -> Result<(), TestCaseError> {
    match (result, expected) {
        (Err(ArenaError::Refused(refusal)), Err(expected)) => prop_assert_eq!(refusal, expected),
        (result, expected) => {
            let result = result.map(|_| "it was accepted");
            return Err(TestCaseError::fail(format!("{result:?} instead of {expected:?}")));
        }
    }
    Ok(())
}

/// The list holds the documents of both rankers and no others, and is there if it must be.
fn check_list(
    found: &RankerDuel,
    duel: Duel,
    which: Option<u8>,
    arms: &[(String, bool)],
) -> Result<(), TestCaseError> {
    prop_assert_eq!(found.duel.id, duel.id);
    let Some(which) = which else {
        prop_assert_eq!(&found.merged, &None);
        return Ok(());
    };
    let (left, right) = duel.open.sides();
    let mut expected = vec![left, right];
    expected.sort_unstable();
    expected.dedup();
    let expected: BTreeSet<String> =
        expected.iter().map(|arm| document(&arms[arm.index()].0, which)).collect();
    let merged = found.merged.as_ref().expect("the lists were brought");
    prop_assert_eq!(merged.list.documents().iter().cloned().collect::<BTreeSet<_>>(), expected);
    prop_assert_eq!(merged.alone, left == right && !duel.open.aa);
    Ok(())
}

fn recorded(pending: Pending<()>) -> Pending<Done> {
    pending.map(|()| Done::Recorded)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn law_an_arena_does_what_its_contract_says(
        policy in 0..POLICIES.len(),
        settings in any_settings(),
        asks in proptest::collection::vec(any_ask(), 1..80),
    ) {
        let mut pair = Pair::new(policy, settings);
        for ask in &asks {
            pair = pair.ask(ask)?;
            pair.check_counts()?;
        }
        pair.write()?;
        // What was counted is in the log.
        let digest = pair.desk.arena.digest(pair.trial);
        pair.desk = pair.desk.restarted(9);
        prop_assert_eq!(pair.desk.arena.digest(pair.trial), digest);
        pair.check_counts()?;
    }
}
