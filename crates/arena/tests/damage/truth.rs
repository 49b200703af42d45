//! The questions that a server is asked, and the true answers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use tiltyard_arena::arena::{
    Duel, Import, Pending, RankerDuel, RankerDuelHistory, SetApart, SlateDuel, Writer,
};
use tiltyard_arena::domain::{
    BallotEvent, DuelHistory, Experiment, Head, ImportRequest, InterleaveRequest, IssueRequest, Record,
    Refusal, SlateRequest, Verdict,
};
use tiltyard_arena::id::{DuelId, ExperimentId};
use tiltyard_arena::key::{Grant, Key, Secret};
use tiltyard_arena::store::{SqliteStore, StoreError};
use tiltyard_arena::time::Time;
use tiltyard_arena::{Arena, ArenaError};

use crate::fixture::{HandClock, options};

/// The most questions of one kind about an experiment that are usually asked.
const LOOKED_UP: usize = 12;

/// A question about an experiment.
#[derive(Debug, Clone)]
pub(crate) enum Question {
    Digest,
    Standing,
    History,
    Ballots,
    VotesOf(String),
    Duel(DuelId),
    RankerDuel(DuelId),
    /// The other questions repeat a request that was answered before.
    Issue(IssueRequest),
    Slate(SlateRequest),
    Interleave(InterleaveRequest),
    Import(ImportRequest),
}

/// The answer to a question.
#[derive(Debug, PartialEq)]
pub(crate) enum Answer {
    Digest(Head, String),
    Standing(String),
    History(Vec<Record>),
    Ballots(Vec<BallotEvent>),
    VotesOf(Vec<DuelId>),
    Duel(Box<DuelHistory>),
    RankerDuel(Box<RankerDuelHistory>),
    Issue(Vec<Duel>),
    Slate(SlateDuel),
    Interleave(RankerDuel),
    Import(Import),
    Refused(Refusal),
    /// The request was taken for a new one.
    New,
}

impl Question {
    fn ask(&self, arena: &Arena, id: ExperimentId) -> Result<Answer, ArenaError> {
        match self.try_ask(arena, id) {
            // A refusal is an answer: it says something about the experiment.
            Err(ArenaError::Refused(refusal)) => Ok(Answer::Refused(refusal)),
            other => other,
        }
    }

    fn try_ask(&self, arena: &Arena, id: ExperimentId) -> Result<Answer, ArenaError> {
        Ok(match self {
            Self::Digest => match arena.digest(id)?.poll()? {
                Ok((seq, digest)) => Answer::Digest(arena.head_at(id, seq)?, digest),
                Err(_) => Answer::New,
            },
            Self::Standing => repeated(arena.view(id, standing)?, Answer::Standing)?,
            Self::History => Answer::History(arena.history(id, 0, usize::MAX)?),
            Self::Ballots => {
                let mut ballots = Vec::new();
                arena.ballots(id, &mut |step| {
                    ballots.push(step);
                    true
                })?;
                Answer::Ballots(ballots)
            }
            Self::VotesOf(voter) => Answer::VotesOf(arena.votes_of(id, voter, None)?),
            Self::Duel(duel) => repeated(arena.duel(*duel)?, |past| Answer::Duel(Box::new(past)))?,
            Self::RankerDuel(duel) => {
                repeated(arena.ranker_duel(*duel)?, |past| Answer::RankerDuel(Box::new(past)))?
            }
            Self::Issue(request) => repeated(arena.issue(id, request)?, Answer::Issue)?,
            Self::Slate(request) => repeated(arena.issue_slate(id, request)?, Answer::Slate)?,
            Self::Interleave(request) => repeated(arena.interleave(id, request)?, Answer::Interleave)?,
            Self::Import(request) => repeated(arena.import(id, request.clone())?, Answer::Import)?,
        })
    }

    /// The kind of question.
    fn name(&self) -> String {
        let text = format!("{self:?}");
        text.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_owned()
    }
}

fn repeated<T>(pending: Pending<T>, answer: impl FnOnce(T) -> Answer) -> Result<Answer, ArenaError> {
    Ok(pending.poll()?.map_or(Answer::New, answer))
}

/// Everything that the standing shows.
fn standing(experiment: &Experiment) -> String {
    let active = experiment.active();
    let verdict = Verdict::in_detail(experiment.evidence(), active.iter().copied());
    let arms: Vec<_> = active.iter().map(|&arm| (verdict.borda(arm), verdict.copeland(arm))).collect();
    format!(
        "{:?} {:?} {:?} {arms:?} {:?} {:?} {:?} {:?}",
        experiment.totals(),
        experiment.arms(),
        experiment.pairs(),
        verdict.leader(),
        verdict.front_runner(),
        verdict.obstacle(),
        experiment.policy().recommend(),
    )
}

/// The truth about a log.
#[derive(Debug)]
pub(crate) struct TrueLog {
    pub(crate) records: Vec<Record>,
    answers: Vec<(Question, Answer)>,
    /// The answers to all other questions.
    others: Vec<(Question, Answer)>,
}

/// How a directory is served.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mode {
    /// Whether hashes are checked.
    pub(crate) checks: bool,
    /// Whether every experiment is served before its log was checked, as if the log were long.
    pub(crate) early: bool,
    /// Whether every duel and every request is looked up, not only some.
    pub(crate) all: bool,
}

impl Mode {
    pub(crate) const USUAL: Self = Self { checks: true, early: false, all: false };
}

/// The truth about all logs, including the log of keys.
#[derive(Debug)]
pub(crate) struct Truth {
    pub(crate) logs: BTreeMap<ExperimentId, TrueLog>,
    keys: Vec<Key>,
    secrets: Vec<(Secret, Option<Grant>)>,
    /// The time at which everything is asked.
    now: Time,
}

/// What a server on a directory did.
#[derive(Debug, Default)]
pub(crate) struct Served {
    /// Why it did not start.
    pub(crate) refused: Option<String>,
    /// What it said about the file of heads.
    pub(crate) notes: Vec<String>,
    /// The experiments that it set apart.
    pub(crate) apart: Vec<SetApart>,
    /// The experiments about which it gave every true answer.
    pub(crate) true_logs: BTreeSet<ExperimentId>,
    /// Answers that are not true, and errors that name no place.
    pub(crate) wrong: Vec<String>,
    /// The number of answers that are not true.
    pub(crate) n_false: usize,
}

impl Served {
    /// Notes an answer that is not true.
    fn is_false(&mut self, what: String) {
        self.wrong.push(what);
        self.n_false += 1;
    }

    /// Whether damage to a log was reported.
    pub(crate) fn is_damaged(&self) -> bool {
        self.refused.is_some() || !self.apart.is_empty()
    }

    /// Whether every answer was true and nothing was reported.
    pub(crate) fn is_truth(&self) -> bool {
        !self.is_damaged() && self.notes.is_empty() && self.wrong.is_empty()
    }
}

/// Whether an error says what is damaged: a record, an index or a file.
fn names_a_place(error: &str) -> bool {
    let record =
        error.contains("record ") && (error.contains("experiment ") || error.contains("log of keys"));
    let places = ["the index of ", "the voters of ", "tiltyard.db", "tiltyard.heads", "the data has schema"];
    record || places.iter().any(|place| error.contains(place))
}

/// The part of an error that a reader of the table needs.
fn short(text: &str) -> String {
    text.chars().take(160).collect()
}

impl Truth {
    /// Asks a server on undamaged data.
    pub(crate) fn find(
        directory: &Path,
        questions: BTreeMap<ExperimentId, Vec<Question>>,
        secrets: Vec<Secret>,
        now: Time,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let (arena, _writer) =
            Arena::open(Arc::new(SqliteStore::open(directory)?), options(&HandClock::at(now)))?;
        let mut logs = BTreeMap::new();
        let keys = arena.history(ExperimentId::ARENA, 0, usize::MAX)?;
        logs.insert(ExperimentId::ARENA, TrueLog { records: keys, answers: Vec::new(), others: Vec::new() });
        for (id, given) in questions {
            let mut questions = vec![
                Question::Digest,
                Question::Standing,
                Question::Ballots,
                Question::VotesOf("voter 3".to_owned()),
            ];
            let (some, rest) = some(given);
            questions.extend(some);
            // The last question reads the whole log, and would find all damage to it.
            questions.push(Question::History);
            let answer = |question: Question| {
                let answer = question.ask(&arena, id)?;
                if answer == Answer::New {
                    return Err(format!("{question:?} was not repeated").into());
                }
                Ok((question, answer))
            };
            let [answers, others] = [questions, rest].map(|questions| {
                questions.into_iter().map(answer).collect::<Result<_, Box<dyn std::error::Error>>>()
            });
            let records = arena.history(id, 0, usize::MAX)?;
            logs.insert(id, TrueLog { records, answers: answers?, others: others? });
        }
        let secrets = secrets.into_iter().map(|secret| (secret.clone(), arena.check_key(&secret))).collect();
        Ok(Self { logs, keys: arena.keys(), secrets, now })
    }

    pub(crate) fn n_records(&self) -> usize {
        self.logs.values().map(|log| log.records.len()).sum()
    }

    /// The experiments, without the log of keys.
    pub(crate) fn experiments(&self) -> impl Iterator<Item = (ExperimentId, &TrueLog)> {
        self.logs.iter().filter(|(id, _)| **id != ExperimentId::ARENA).map(|(&id, log)| (id, log))
    }

    /// Starts a server on a directory.
    pub(crate) fn start(
        &self,
        directory: &Path,
        mode: Mode,
    ) -> Result<(Arc<Arena>, Writer, Vec<String>), String> {
        let store = SqliteStore::open(directory).map_err(|error| error.to_string())?;
        let store = if mode.checks { store } else { store.without_checks() };
        let notes = store.notes().to_vec();
        let mut options = options(&HandClock::at(self.now));
        options.checked_at_start = if mode.early { 0 } else { u64::MAX };
        let (arena, writer) = Arena::open(Arc::new(store), options).map_err(|error| error.to_string())?;
        Ok((arena, writer, notes))
    }

    /// Starts a server on a directory, asks all questions, and compares the answers.
    pub(crate) fn serve(&self, directory: &Path, mode: Mode) -> Served {
        let mut served = Served::default();
        let (arena, _writer) = match self.start(directory, mode) {
            Ok((arena, writer, notes)) => {
                served.notes = notes;
                (arena, writer)
            }
            Err(error) => {
                if !names_a_place(&error) {
                    served.wrong.push(format!("the start failed and names no place: {error}"));
                }
                served.refused = Some(error);
                return served;
            }
        };
        self.check_keys(&arena, &mut served);
        let mut live: BTreeSet<ExperimentId> = arena.experiments().into_iter().collect();
        live.extend(arena.set_apart().iter().map(|apart| apart.id));
        for (id, _) in self.experiments().filter(|(id, _)| !live.contains(id)) {
            served.is_false(format!("experiment {id} is gone"));
        }
        for id in arena.experiments().iter().filter(|id| !self.logs.contains_key(id)) {
            served.is_false(format!("experiment {id} never existed"));
        }
        if mode.early {
            // Long logs are served while they are being checked.
            for (id, log) in self.experiments() {
                Self::ask(&arena, id, log, mode, &mut served);
            }
        }
        arena.check_logs();
        for (id, log) in self.experiments() {
            if Self::ask(&arena, id, log, Mode { early: false, ..mode }, &mut served) {
                served.true_logs.insert(id);
            }
        }
        served.apart = arena.set_apart();
        for apart in &served.apart {
            if !names_a_place(&apart.damage) {
                served.wrong.push(format!("experiment {}: no place in: {}", apart.id, apart.damage));
            }
        }
        served
    }

    fn check_keys(&self, arena: &Arena, served: &mut Served) {
        if arena.keys() != self.keys {
            served.is_false("the keys differ".to_owned());
        }
        for (secret, grant) in &self.secrets {
            if arena.check_key(secret) != *grant {
                served.is_false("a key grants other rights".to_owned());
            }
        }
        match arena.history(ExperimentId::ARENA, 0, usize::MAX) {
            Ok(records) if records == self.logs[&ExperimentId::ARENA].records => {}
            Ok(_) => served.is_false("the log of keys differs".to_owned()),
            Err(error) => served.wrong.push(format!("the log of keys: {error}")),
        }
    }

    /// Asks all questions about an experiment. Returns whether all answers are true.
    fn ask(arena: &Arena, id: ExperimentId, log: &TrueLog, mode: Mode, served: &mut Served) -> bool {
        let mut is_true = true;
        let others = log.others.iter().filter(|_| mode.all);
        for (question, truth) in others.chain(&log.answers) {
            match question.ask(arena, id) {
                Ok(answer) if answer == *truth => {}
                Ok(Answer::History(records)) => {
                    // An experiment that is set apart shows the sound part of its log.
                    is_true = false;
                    let apart = arena.set_apart().into_iter().find(|apart| apart.id == id);
                    let sound = apart.map(|apart| usize::try_from(apart.sound).unwrap_or(usize::MAX));
                    if sound != Some(records.len()) || !log.records.starts_with(&records) {
                        let n_records = records.len();
                        served.is_false(format!(
                            "experiment {id}: a history of {n_records} records, of which {sound:?} are sound"
                        ));
                    }
                }
                Ok(answer) => {
                    is_true = false;
                    served.is_false(format!(
                        "experiment {id}: {} gave a false answer: {}",
                        question.name(),
                        short(&format!("{answer:?} instead of {truth:?}"))
                    ));
                }
                Err(ArenaError::Store(StoreError::Unavailable { text }))
                    if mode.early && text.contains("still being checked") => {}
                Err(error) => {
                    is_true = false;
                    let text = error.to_string();
                    if !names_a_place(&text) {
                        served.wrong.push(format!(
                            "experiment {id}: {} gave an error that names no place: {}",
                            question.name(),
                            short(&text)
                        ));
                    }
                }
            }
        }
        is_true
    }
}

/// Splits off a few questions of each kind, evenly spread.
fn some(questions: Vec<Question>) -> (Vec<Question>, Vec<Question>) {
    let mut by_name: BTreeMap<String, Vec<Question>> = BTreeMap::new();
    for question in questions {
        by_name.entry(question.name()).or_default().push(question);
    }
    let (mut some, mut rest) = (Vec::new(), Vec::new());
    for questions in by_name.into_values() {
        let step = questions.len().div_ceil(LOOKED_UP);
        for (index, question) in questions.into_iter().enumerate() {
            if index.is_multiple_of(step) { some.push(question) } else { rest.push(question) }
        }
    }
    (some, rest)
}
