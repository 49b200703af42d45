//! What clients were told, and whether the log keeps it. Nothing here uses the domain's fold: logs
//! are read as the store holds them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tiltyard_arena::Arena;
use tiltyard_arena::arena::{Duel, Pending, digest, load, load_from_start};
use tiltyard_arena::domain::{
    Activation, Answer, AnswerRequest, DrawnDuel, Event, Experiment, Fold, IssueRequest, Kind, Record,
    Status, Totals,
};
use tiltyard_arena::id::{DuelId, ExperimentId, KeyId};
use tiltyard_arena::key::Secret;
use tiltyard_arena::store::Store;
use tiltyard_arena::time::Time;
use tiltyard_bandit::Outcome;

/// A broken promise, in words.
pub(super) type Violation = String;

type Place = (ExperimentId, u64);

/// Everything that clients were told.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) trials: Vec<ExperimentId>,
    duels: BTreeMap<Place, (Duel, Option<Value>)>,
    /// Requests by their client ids.
    requests: BTreeMap<(ExperimentId, String), (u32, Vec<Duel>)>,
    answers: BTreeMap<Place, AnswerRequest>,
    voids: BTreeSet<Place>,
    shown: BTreeSet<Place>,
    /// How often each action was done to an experiment.
    actions: BTreeMap<(ExperimentId, String), u64>,
    /// Keys that are valid. A key whose creation or revocation failed is in neither map.
    good_keys: BTreeMap<KeyId, Secret>,
    /// Keys that expire at some time.
    passing_keys: BTreeMap<KeyId, (Secret, Time)>,
    /// Keys that were revoked, or whose expiry is on record.
    bad_keys: BTreeMap<KeyId, Secret>,
    /// The last digest of each experiment that clients read.
    digests: BTreeMap<ExperimentId, (u64, String)>,
    acknowledged: u64,
}

fn place(duel: DuelId) -> Place {
    (duel.experiment, duel.seq)
}

fn require(holds: bool, violation: impl FnOnce() -> Violation) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(violation()) }
}

impl Ledger {
    /// The number of promises made.
    pub(super) fn n_acknowledged(&self) -> u64 {
        self.acknowledged
    }

    pub(super) fn note_trial(&mut self, trial: ExperimentId) {
        self.acknowledged += 1;
        self.trials.push(trial);
    }

    pub(super) fn note_duels(
        &mut self,
        trial: ExperimentId,
        request: &IssueRequest,
        duels: &[Duel],
    ) -> Result<(), Violation> {
        let IssueRequest { count, client, context, .. } = request;
        let count = *count;
        self.acknowledged += 1;
        require(duels.len() == count as usize, || {
            format!("{count} duels were requested, and {} came", duels.len())
        })?;
        if let Some(client) = client {
            let key = (trial, client.clone());
            if let Some((_, before)) = self.requests.get(&key) {
                return require(before == duels, || format!("the repeated request {client} got other duels"));
            }
            self.requests.insert(key, (count, duels.to_vec()));
        }
        for duel in duels {
            let twice = self.duels.insert(place(duel.id), (*duel, context.clone())).is_some();
            require(!twice, || format!("{} was handed out to two requests", duel.id))?;
        }
        Ok(())
    }

    pub(super) fn note_answer(&mut self, duel: DuelId, request: &AnswerRequest) -> Result<(), Violation> {
        self.acknowledged += 1;
        let before = self.answers.insert(place(duel), request.clone());
        let same =
            before.is_none_or(|before| before.answer == request.answer && before.voter == request.voter);
        require(same, || format!("two answers to {duel} were acknowledged"))
    }

    pub(super) fn note_void(&mut self, duel: DuelId) {
        self.acknowledged += 1;
        self.voids.insert(place(duel));
    }

    pub(super) fn note_shown(&mut self, duel: DuelId) {
        self.acknowledged += 1;
        self.shown.insert(place(duel));
    }

    pub(super) fn note_deed(&mut self, trial: ExperimentId, action: String) {
        self.acknowledged += 1;
        *self.actions.entry((trial, action)).or_default() += 1;
    }

    pub(super) fn note_digest(&mut self, trial: ExperimentId, digest: (u64, String)) {
        self.acknowledged += 1;
        self.digests.insert(trial, digest);
    }

    pub(super) fn note_key(&mut self, key: KeyId, secret: Secret) {
        self.acknowledged += 1;
        self.good_keys.insert(key, secret);
    }

    pub(super) fn note_passing_key(&mut self, key: KeyId, secret: Secret, expires: Time) {
        self.acknowledged += 1;
        self.passing_keys.insert(key, (secret, expires));
    }

    /// The expiry of all keys that expire until now is on record.
    pub(super) fn note_expired(&mut self, now: Time) {
        self.acknowledged += 1;
        let expired = self.passing_keys.extract_if(.., |_, (_, expires)| *expires <= now);
        self.bad_keys.extend(expired.map(|(key, (secret, _))| (key, secret)));
    }

    /// Some valid key.
    pub(super) fn any_key(&self) -> Option<KeyId> {
        self.good_keys.keys().next().copied()
    }

    /// Removes a key that is about to be revoked. If that fails, nothing is known about the key.
    pub(super) fn take_key(&mut self, key: KeyId) -> Option<Secret> {
        self.good_keys.remove(&key)
    }

    pub(super) fn note_revoked(&mut self, key: KeyId, secret: Secret) {
        self.acknowledged += 1;
        self.bad_keys.insert(key, secret);
    }

    /// Whether this answer was acknowledged before, so that it must be accepted again.
    pub(super) fn is_known_answer(&self, duel: DuelId, request: &AnswerRequest) -> bool {
        self.answers.get(&place(duel)).is_some_and(|known| known == request)
    }

    /// Acknowledged requests: experiment, client id, count and duels.
    pub(super) fn requests(&self) -> impl Iterator<Item = (ExperimentId, &str, u32, &[Duel])> {
        self.requests
            .iter()
            .map(|((trial, client), (count, duels))| (*trial, client.as_str(), *count, duels.as_slice()))
    }

    /// Checks the store, and an arena in the same state as the store, against what clients were
    /// told.
    pub(super) fn check(&self, arena: &Arena, store: &dyn Store) -> Result<(), Violation> {
        let there = store.experiments().map_err(|error| error.to_string())?;
        for trial in &self.trials {
            require(there.contains(trial), || format!("experiment {trial} is gone"))?;
        }
        for trial in there {
            let records = read(store, trial)?;
            let log = Log::of(&records, trial)?;
            self.check_log(trial, &log)?;
            self.check_digest(trial, &records)?;
            if self.trials.contains(&trial) {
                check_states(arena, store, trial, &log)?;
            }
        }
        for (key, secret) in &self.good_keys {
            require(arena.check_key(secret).is_some(), || format!("key {key} is not valid"))?;
        }
        for (key, secret) in &self.bad_keys {
            require(arena.check_key(secret).is_none(), || format!("revoked key {key} is valid"))?;
        }
        let mut last = Time(i64::MIN);
        let mut ordered = true;
        let visit = &mut |record: Record| {
            ordered &= record.at >= last;
            last = record.at;
            true
        };
        store.read(ExperimentId::ARENA, 0, visit).map_err(|error| error.to_string())?;
        require(ordered, || "the times of the arena's own log decrease".to_owned())
    }

    /// The log still has the state whose digest a client read.
    fn check_digest(&self, trial: ExperimentId, records: &[Record]) -> Result<(), Violation> {
        let Some((seq, told)) = self.digests.get(&trial) else { return Ok(()) };
        let seen: Vec<&Record> = records.iter().filter(|record| record.seq <= *seq).collect();
        let voided = seen.iter().filter(|record| record.event.kind() == Kind::Voided);
        let mut fold = Fold::forgetting(voided.filter_map(|record| record.event.duel()).collect());
        for record in &seen {
            fold.push(record).map_err(|error| error.to_string())?;
        }
        let kept = fold.finish().map(|state| (state.seq(), digest(&state)));
        require(kept.as_ref() == Some(&(*seq, told.clone())), || {
            format!("experiment {trial}: a client read the digest {told} at {seq}, and the log has {kept:?}")
        })
    }

    fn check_log(&self, trial: ExperimentId, log: &Log) -> Result<(), Violation> {
        let of_trial = |place: &&Place| place.0 == trial;
        for (&(_, place), (duel, context)) in self.duels.iter().filter(|(place, _)| of_trial(place)) {
            let kept = log.issued.get(&place);
            // Bit for bit, because off-policy evaluation will use the propensity that was handed
            // out.
            let same = kept.is_some_and(|(drawn, kept)| *drawn == duel.drawn && kept == context);
            require(same, || {
                format!("{} was {:?} with {context:?}, and the log has {kept:?}", duel.id, duel.drawn)
            })?;
        }
        for (&(_, place), request) in self.answers.iter().filter(|(place, _)| of_trial(place)) {
            let kept = log.answers.get(&place);
            let same =
                kept.is_some_and(|(answer, voter)| *answer == request.answer && *voter == request.voter);
            require(same, || {
                format!("the answer {request:?} to duel {place} was acknowledged, and the log has {kept:?}")
            })?;
        }
        for &(_, place) in self.voids.iter().filter(of_trial) {
            require(log.voided.contains(&place), || {
                format!("the voiding of duel {place} was acknowledged, but the log does not have it")
            })?;
        }
        for &(_, place) in self.shown.iter().filter(of_trial) {
            let over = log.answers.contains_key(&place)
                || log.voided.contains(&place)
                || log.expired.contains(&place);
            require(over || log.shown.contains(&place), || {
                format!("the showing of duel {place} was acknowledged, but the log does not have it")
            })?;
        }
        for ((_, action), count) in self.actions.iter().filter(|((id, _), _)| *id == trial) {
            let kept = log.actions.get(action).copied().unwrap_or_default();
            require(kept >= *count, || {
                format!("`{action}` was done {count} times, and the log has it {kept} times")
            })?;
        }
        Ok(())
    }
}

/// The state in memory, the state from the log alone and the state from a snapshot are the same,
/// and count what the log holds.
fn check_states(arena: &Arena, store: &dyn Store, trial: ExperimentId, log: &Log) -> Result<(), Violation> {
    let say = |error: &dyn core::fmt::Display| format!("experiment {trial}: {error}");
    let live = arena.peek(trial, Experiment::clone).map_err(|error| say(&error))?;
    let whole = load_from_start(store, trial).map_err(|error| say(&error))?.ok_or("no log")?.experiment;
    let quick = load(store, trial).map_err(|error| say(&error))?.ok_or("no log")?.experiment;
    let expected = (whole.seq(), digest(&whole));
    let told = arena.digest(trial).and_then(Pending::poll).map_err(|error| say(&error))?;
    require(told.as_ref().ok() == Some(&expected), || {
        let (live, whole) = (text(&live), text(&whole));
        say(&format!("the live state differs from the log\nlive {live}\nlog  {whole}"))
    })?;
    require((quick.seq(), digest(&quick)) == expected, || {
        let (quick, whole) = (text(&quick), text(&whole));
        say(&format!("the state from a snapshot differs from the log\nsnapshot {quick}\nlog      {whole}"))
    })?;
    let totals = log.totals(&whole);
    require(*whole.totals() == totals, || {
        say(&format!("the log counts {totals:?}, the state {:?}", whole.totals()))
    })?;
    let in_flight = log.issued.keys().filter(|place| !log.is_over(**place)).count();
    require(whole.n_in_flight() == in_flight, || say(&"duels in flight were miscounted"))?;
    let pair_votes: u64 = whole.pairs().values().map(tiltyard_arena::domain::PairCounts::votes).sum();
    let self_votes: u64 = whole.arms().iter().map(|entry| entry.counts.self_duels).sum();
    require(pair_votes + self_votes == totals.votes, || say(&"votes of pairs were miscounted"))
}

fn text(experiment: &Experiment) -> String {
    serde_json::to_string(&experiment.save()).expect("a state is plain data")
}

/// A log, with its records grouped by what they are about.
struct Log {
    issued: BTreeMap<u64, (DrawnDuel, Option<Value>)>,
    answers: BTreeMap<u64, (Answer, Option<String>)>,
    voided: BTreeSet<u64>,
    expired: BTreeSet<u64>,
    shown: BTreeSet<u64>,
    actions: BTreeMap<String, u64>,
    /// The time of the last record.
    last: Time,
    /// When duels expire, including those that are over.
    expires: BTreeMap<u64, Time>,
    /// How many seconds after its showing a duel expires, if that matters.
    from_showing: Option<u64>,
}

/// All records of a log.
fn read(store: &dyn Store, trial: ExperimentId) -> Result<Vec<Record>, Violation> {
    let mut records = Vec::new();
    let visit = &mut |record| {
        records.push(record);
        true
    };
    store.read(trial, 0, visit).map_err(|error| error.to_string())?;
    store.reveal(&mut records).map_err(|error| error.to_string())?;
    Ok(records)
}

impl Log {
    fn of(records: &[Record], trial: ExperimentId) -> Result<Self, Violation> {
        let mut log = Self {
            issued: BTreeMap::new(),
            answers: BTreeMap::new(),
            voided: BTreeSet::new(),
            expired: BTreeSet::new(),
            shown: BTreeSet::new(),
            actions: BTreeMap::new(),
            last: Time(i64::MIN),
            expires: BTreeMap::new(),
            from_showing: None,
        };
        for (i, record) in records.iter().enumerate() {
            require(record.seq == i as u64 + 1, || {
                format!("record {} of {trial} is at place {}", record.seq, i + 1)
            })?;
            log.push(record)?;
        }
        Ok(log)
    }

    /// Checks the times of a record.
    fn check_time(&mut self, record: &Record) -> Result<(), Violation> {
        let seq = record.seq;
        require(record.at >= self.last, || {
            format!("record {seq} is of an earlier time than the one before")
        })?;
        self.last = record.at;
        match &record.event {
            Event::Created(created) => {
                let settings = &created.settings;
                self.from_showing =
                    (settings.activation == Activation::Shown).then_some(settings.expires_after);
            }
            Event::Issued(issued) => {
                self.expires.insert(seq, issued.drawn.expires);
            }
            Event::Shown(shown) => {
                if let Some(seconds) = self.from_showing {
                    self.expires.insert(shown.duel, record.at.plus_seconds(seconds));
                }
            }
            Event::Extended(extended) => {
                for expires in self.expires.values_mut() {
                    expires.0 = expires.0.saturating_add_unsigned(extended.by);
                }
            }
            Event::Expired(expired) => {
                let is_over = self.expires.get(&expired.duel).is_some_and(|expires| record.at > *expires);
                require(is_over, || format!("duel {} expired before its time was over", expired.duel))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn push(&mut self, record: &Record) -> Result<(), Violation> {
        self.check_time(record)?;
        if let Some(duel) = record.event.duel() {
            require(self.issued.contains_key(&duel), || format!("duel {duel} was never issued"))?;
            let once = match &record.event {
                Event::Answered(answered) => {
                    let after_void = self.voided.contains(&duel);
                    let answer = (answered.answer, answered.voter.as_ref().map(ToString::to_string));
                    self.answers.insert(duel, answer).is_none() && !after_void
                }
                Event::Voided(_) => self.voided.insert(duel),
                Event::Expired(_) => {
                    let over = self.is_over(duel);
                    self.expired.insert(duel) && !over
                }
                Event::Shown(_) => self.shown.insert(duel),
                _ => true,
            };
            return require(once, || format!("{} of duel {duel} cannot follow", record.event.kind().word()));
        }
        match &record.event {
            Event::Issued(issued) => {
                self.issued.insert(record.seq, (issued.drawn, issued.context()));
            }
            other => *self.actions.entry(action(other)).or_default() += 1,
        }
        Ok(())
    }

    fn is_over(&self, duel: u64) -> bool {
        self.answers.contains_key(&duel) || self.voided.contains(&duel) || self.expired.contains(&duel)
    }

    /// The counts that an experiment with this log must have.
    fn totals(&self, experiment: &Experiment) -> Totals {
        let mut totals =
            Totals { duels: self.issued.len() as u64, voided: self.voided.len() as u64, ..Totals::default() };
        for (duel, (answer, _)) in self.answers.iter().filter(|(duel, _)| !self.voided.contains(duel)) {
            if *answer == Answer::Skip {
                totals.skipped += 1;
                continue;
            }
            totals.votes += 1;
            totals.holdout += u64::from(self.issued[duel].0.holdout);
            totals.late += u64::from(self.expired.contains(duel));
            *match answer {
                Answer::Left => &mut totals.left,
                Answer::Right => &mut totals.right,
                Answer::Tie => &mut totals.ties,
                Answer::BothBad => &mut totals.both_bad,
                Answer::Score(score) if *score == Outcome::WIN => &mut totals.left,
                Answer::Score(score) if *score == Outcome::LOSS => &mut totals.right,
                Answer::Score(score) if *score == Outcome::TIE => &mut totals.ties,
                _ => &mut totals.graded,
            } += 1;
        }
        let from_showing = experiment.settings().activation == Activation::Shown;
        let missed = self
            .expired
            .iter()
            .filter(|duel| !self.answers.contains_key(duel) && !self.voided.contains(duel));
        for duel in missed {
            if from_showing && !self.shown.contains(duel) {
                totals.never_shown += 1;
            } else {
                totals.unanswered += 1;
            }
        }
        totals
    }
}

/// An action on an experiment, in words.
fn action(event: &Event) -> String {
    match event {
        Event::Changed(changed) => status(changed.status),
        Event::ArmsAdded(added) => {
            let names: Vec<&str> = added.arms.iter().map(|arm| arm.name.as_str()).collect();
            format!("add {}", names.join(" "))
        }
        Event::ArmRetired(changed) => format!("retire {}", changed.arm),
        Event::ArmRestored(changed) => format!("restore {}", changed.arm),
        other => {
            debug_assert!(matches!(other.kind(), Kind::Created | Kind::Extended));
            other.kind().word().to_owned()
        }
    }
}

/// The name of a change of status.
pub(super) fn status(status: Status) -> String {
    format!("{status:?}")
}
