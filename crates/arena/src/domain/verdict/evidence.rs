//! The evidence on which arm of a pair is better, pair by pair and in the order of issue.
//!
//! Given the past, a vote on a pair has the mean of that pair, no matter why the policy chose it.
//! Adaptive sampling therefore does no harm. The order of the votes can do harm: in the order in
//! which votes *arrive*, the arm with the faster answers is favoured. If losses came late, a winner
//! between equal arms would be named. The votes of a pair are therefore read in the order in which
//! its duels were issued. A duel in flight does not stop this. It counts as a loss for the arm
//! under test, because the evidence for an arm falls with each loss. Two prefixes of the order are
//! tested: the votes before the first duel in flight, and all votes with every duel in flight
//! counted as lost.
//!
//! An answer that comes after its duel has expired is not evidence: the duel was settled as
//! unanswered when it expired.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use tiltyard_bandit::verdict::{Alike, Drift, Tally, is_above, lead_threshold, ln_lead};
use tiltyard_bandit::{Arm, Outcome};

use crate::domain::{Change, DuelHistory, ErrorBudget, MeanRates, PairResult, PairTable, PairVote};

/// The evidence about one pair of arms, from the viewpoint of the arm with the lower index.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PairEvidence {
    /// Votes on duels issued before the pair's first duel in flight.
    settled: Tally,
    /// For each duel in flight, the votes on duels issued after it and before the next duel in
    /// flight.
    behind: BTreeMap<u64, Tally>,
    /// All votes.
    all: Tally,
    /// The strongest evidence (ln E) so far for the first arm, and for the second. Voiding a vote
    /// resets it to the evidence without that vote.
    peaks: [f64; 2],
    /// For each arm, whether it was shown to be worse by no more than the margin.
    near: [bool; 2],
    /// Watches the win rate for a change; `None` before the first vote.
    drift: Option<Drift>,
}

/// The levels of the tests on a pair.
#[derive(Debug, Clone, Copy)]
struct PairLevels {
    /// The margin, and the level at which an arm is shown to be within it.
    margin: Option<(f64, f64)>,
    /// The probability of a false alarm of change.
    drift: f64,
}

impl PairEvidence {
    /// All votes that are evidence.
    pub fn all(&self) -> &Tally {
        &self.all
    }

    /// The number of duels of the pair in flight.
    pub fn waiting(&self) -> usize {
        self.behind.len()
    }

    /// Votes on duels issued before the pair's first duel in flight.
    pub fn settled(&self) -> &Tally {
        &self.settled
    }

    /// The strongest evidence (ln E) so far for the first arm, and for the second.
    pub fn peaks(&self) -> [f64; 2] {
        self.peaks
    }

    fn is_empty(&self) -> bool {
        self.behind.is_empty() && self.all == Tally::default()
    }

    /// The result of each arm against the other.
    fn stands(&self, threshold: f64) -> [PairResult; 2] {
        let ahead = self.ahead(threshold);
        let stand = |side: usize, Tally { score, votes, .. }: Tally| PairResult {
            votes: Alike { n: 1.0, score, votes, waiting: self.waiting() as f64 },
            leads: ahead[side] && !ahead[1 - side],
            holds: ahead[side] || self.near[side],
        };
        [stand(0, self.all), stand(1, self.all.flipped())]
    }

    /// For each arm, whether it was once shown to be better.
    fn ahead(&self, threshold: f64) -> [bool; 2] {
        self.peaks.map(|peak| peak >= threshold)
    }

    /// Whether the watch on the win rate raised an alarm, or each arm was once shown to be better
    /// than the other.
    fn has_changed(&self, threshold: f64) -> bool {
        self.drift.as_ref().is_some_and(|drift| drift.alarm().is_some()) || self.ahead(threshold) == [true; 2]
    }

    fn issue(&mut self, seq: u64) {
        self.behind.insert(seq, Tally::default());
    }

    /// The votes to which a duel at this log position belongs: those after the last earlier duel in
    /// flight.
    fn run_before(&mut self, seq: u64) -> &mut Tally {
        match self.behind.range_mut(..seq).next_back() {
            Some((_, run)) => run,
            None => &mut self.settled,
        }
    }

    /// Ends duel `seq`, with its vote if it has one.
    fn settle(&mut self, seq: u64, vote: Option<(Outcome, f64)>, levels: PairLevels) {
        let mut run = Tally::default();
        if let Some((outcome, weight)) = vote {
            run.add(outcome, weight);
            self.all.add(outcome, weight);
        }
        if let Some(behind) = self.behind.remove(&seq) {
            run.merge(&behind);
        }
        let is_settled = self.behind.range(..seq).next_back().is_none();
        self.run_before(seq).merge(&run);
        if is_settled && run.votes > 0.0 {
            self.drift.get_or_insert_with(|| Drift::new(levels.drift)).absorb(&run);
        }
        self.weigh(levels);
    }

    fn take_back(&mut self, seq: u64, outcome: Outcome, weight: f64, levels: PairLevels) {
        self.run_before(seq).take_back(outcome, weight);
        self.all.take_back(outcome, weight);
        self.peaks = [0.0; 2];
        self.near = [false; 2];
        self.weigh(levels);
    }

    /// Updates `peaks` and `near` by the current evidence.
    fn weigh(&mut self, levels: PairLevels) {
        let waiting = self.behind.len() as f64;
        let mut weighed = |wins: f64, losses: f64, side: usize| {
            self.peaks[side] = self.peaks[side].max(ln_lead(wins, losses));
        };
        let (settled, all) = (self.settled, self.all);
        weighed(settled.wins, settled.losses, 0);
        weighed(settled.losses, settled.wins, 1);
        if waiting > 0.0 {
            weighed(all.wins, all.losses + waiting, 0);
            weighed(all.losses, all.wins + waiting, 1);
        }
        if let Some((margin, level)) = levels.margin {
            for (side, near) in self.near.iter_mut().enumerate() {
                let seen = |tally: &Tally| if side == 0 { *tally } else { tally.flipped() };
                *near |= is_above(&seen(&settled), 0.0, 0.5 - margin, level)
                    || is_above(&seen(&all), waiting, 0.5 - margin, level);
            }
        }
    }
}

/// The evidence about all pairs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub struct Evidence {
    levels: ErrorBudget,
    margin: Option<f64>,
    /// For each arm, whether it is not retired. Shared with the evidence of segments.
    #[serde(serialize_with = "as_list")]
    active: Arc<Vec<bool>>,
    pairs: PairTable,
    /// Derived from the pairs and kept up to date, so that reports on thousands of arms are quick.
    /// `None` in [emptied](Self::emptied) evidence.
    #[serde(skip)]
    means: Option<MeanRates>,
    #[serde(skip)]
    changed: BTreeSet<(Arm, Arm)>,
}

/// The serialized form of [`Evidence`].
#[derive(Deserialize)]
struct Saved {
    levels: ErrorBudget,
    margin: Option<f64>,
    active: Vec<bool>,
    pairs: Vec<((Arm, Arm), PairEvidence)>,
}

/// Evidence about arms that cannot be a pair.
#[derive(Debug, thiserror::Error)]
#[error("the evidence has an invalid pair: arms {first} and {second} of {n_arms} arms")]
struct NoSuchPair {
    first: Arm,
    second: Arm,
    n_arms: usize,
}

impl TryFrom<Saved> for Evidence {
    type Error = NoSuchPair;

    fn try_from(Saved { levels, margin, active, pairs }: Saved) -> Result<Self, NoSuchPair> {
        let n_arms = active.len();
        if let Some(&((first, second), _)) =
            pairs.iter().find(|((first, second), _)| first >= second || second.index() >= n_arms)
        {
            return Err(NoSuchPair { first, second, n_arms });
        }
        let pairs = pairs.into_iter().collect();
        Ok(Self { pairs, ..Self::of(levels, margin, active.into()) }.summed_up())
    }
}

impl Evidence {
    pub(crate) fn new(levels: ErrorBudget, margin: Option<f64>) -> Self {
        Self::of(levels, margin, vec![true; levels.first_arms()].into()).summed_up()
    }

    fn of(levels: ErrorBudget, margin: Option<f64>, active: Arc<Vec<bool>>) -> Self {
        let (pairs, changed) = (PairTable::default(), BTreeSet::new());
        Self { levels, margin, active, pairs, means: None, changed }
    }

    /// Evidence about the same arms without any vote. It leaves out everything that takes memory
    /// for each arm. Sum it up ([`Self::summed_up`]) before reading anything from it.
    #[must_use]
    pub(crate) fn emptied(&self) -> Self {
        Self::of(self.levels, self.margin, Arc::clone(&self.active))
    }

    /// The same evidence, with everything that is derived from the pairs.
    #[must_use]
    pub(crate) fn summed_up(mut self) -> Self {
        self.sum_up();
        self
    }

    /// Whether the arm existed when the evidence was taken.
    pub(crate) fn knows(&self, arm: Arm) -> bool {
        arm.index() < self.active.len()
    }

    /// Recomputes everything that is derived from the pairs.
    fn sum_up(&mut self) {
        let mut means = MeanRates::new(&self.active);
        let mut changed = BTreeSet::new();
        for ((first, second), pair) in self.pairs.iter() {
            let threshold = self.threshold(first, second);
            means.pair(first, second, &pair.stands(threshold), Change::Add);
            mark(&mut changed, (first, second), pair.has_changed(threshold));
        }
        self.changed = changed;
        self.means = Some(means);
    }

    /// The evidence (ln E) at which one of these arms is shown to be better.
    fn threshold(&self, one: Arm, other: Arm) -> f64 {
        lead_threshold(1, self.levels.lead(one, other))
    }

    /// Notes that a duel on these pairs is in flight.
    pub(crate) fn issue(&mut self, seq: u64, pairs: impl Iterator<Item = (Arm, Arm)>) {
        for (one, other) in pairs {
            self.change(one, other, |pair, _| pair.issue(seq));
        }
    }

    /// Ends a duel on these pairs. `votes` has at most one vote for each pair, in the order of the
    /// pairs.
    pub(crate) fn settle(&mut self, seq: u64, pairs: impl Iterator<Item = (Arm, Arm)>, votes: &[PairVote]) {
        let mut votes = votes.iter().peekable();
        for (one, other) in pairs {
            let vote = votes.next_if(|vote| vote.sides() == (one, other)).map(seen_from_first);
            self.change(one, other, |pair, levels| pair.settle(seq, vote, levels));
        }
    }

    /// Takes back votes that were counted.
    pub(crate) fn take_back(&mut self, seq: u64, votes: &[PairVote]) {
        for vote in votes {
            let (outcome, weight) = seen_from_first(vote);
            self.change(vote.left, vote.right, |pair, levels| pair.take_back(seq, outcome, weight, levels));
        }
    }

    /// Takes back the votes of a duel that is no longer in flight, as if it were voided.
    pub fn forget(&mut self, seq: u64, past: &DuelHistory) {
        if !past.voided && !past.expired {
            self.take_back(seq, &past.votes());
        }
    }

    fn change(&mut self, one: Arm, other: Arm, change: impl FnOnce(&mut PairEvidence, PairLevels)) {
        if one == other {
            return;
        }
        let (first, second) = (one.min(other), one.max(other));
        let levels = PairLevels {
            margin: self.margin.map(|margin| (margin, self.levels.within_margin(first, second))),
            drift: self.levels.alarm(first, second),
        };
        let threshold = self.threshold(first, second);
        if let (Some(pair), Some(means)) = (self.pairs.get(first, second), &mut self.means) {
            means.pair(first, second, &pair.stands(threshold), Change::Remove);
        }
        let pair = self.pairs.entry(first, second);
        change(pair, levels);
        let has_changed = pair.has_changed(threshold);
        if pair.is_empty() {
            self.pairs.remove(first, second);
        } else if let Some(means) = &mut self.means {
            means.pair(first, second, &pair.stands(threshold), Change::Add);
        }
        mark(&mut self.changed, (first, second), has_changed);
    }

    /// Adds arms that are not retired.
    pub(crate) fn add_arms(&mut self, n: usize) {
        let active = Arc::make_mut(&mut self.active);
        active.resize(active.len() + n, true);
        self.kept_means().add_arms(n);
        self.arms_changed();
    }

    /// Restores or retires an arm.
    pub(crate) fn activate(&mut self, arm: Arm, is_active: bool) {
        Arc::make_mut(&mut self.active)[arm.index()] = is_active;
        let stands: Vec<(Arm, PairResult)> = self
            .pairs
            .of(arm)
            .map(|(other, pair)| (other, pair.stands(self.threshold(arm, other))[usize::from(arm < other)]))
            .collect();
        self.kept_means().activate(arm, is_active, stands.into_iter());
        self.arms_changed();
    }

    /// The first change of the arms lowers the levels: some results may no longer be shown.
    fn arms_changed(&mut self) {
        if self.levels.change() {
            self.sum_up();
        }
    }

    /// The evidence about each pair that was compared or is being compared, in order, the lower
    /// index first.
    pub fn pairs(&self) -> impl Iterator<Item = ((Arm, Arm), &PairEvidence)> {
        self.pairs.iter()
    }

    /// The number of these pairs.
    pub fn n_pairs(&self) -> usize {
        self.pairs.len()
    }

    /// The pairs of an arm, in the order of the other arms. The evidence is still from the
    /// viewpoint of the lower index of the two.
    pub(crate) fn pairs_of(&self, arm: Arm) -> impl Iterator<Item = (Arm, &PairEvidence)> {
        self.pairs.of(arm)
    }

    /// The evidence about one pair, from the viewpoint of the lower index.
    pub fn pair(&self, one: Arm, other: Arm) -> Option<&PairEvidence> {
        self.pairs.get(one, other)
    }

    pub(crate) fn levels(&self) -> &ErrorBudget {
        &self.levels
    }

    /// Whether the evidence has exactly these active arms: one flag per arm, false if it is
    /// retired.
    pub(crate) fn is_of(&self, active: impl Iterator<Item = bool>) -> bool {
        self.active.iter().copied().eq(active)
    }

    /// The mean win rates of all arms.
    ///
    /// # Panics
    ///
    /// If the evidence was emptied and not summed up.
    pub fn means(&self) -> &MeanRates {
        self.means.as_ref().expect("the evidence was summed up")
    }

    fn kept_means(&mut self) -> &mut MeanRates {
        self.means.as_mut().expect("arms change in an experiment, not in a segment")
    }

    /// Whether `one` was shown to be better than `other`, and `other` was never shown to be better
    /// than `one`.
    pub fn is_ahead(&self, one: Arm, other: Arm) -> bool {
        let pair = self.pairs.get(one, other);
        pair.is_some_and(|pair| pair.ahead(self.threshold(one, other)) == [one < other, one > other])
    }

    /// The pairs whose preference has changed, as far as the votes can tell: the watch on the win
    /// rate raised an alarm, or each arm was once shown to be better than the other.
    pub fn changed(&self) -> impl Iterator<Item = (Arm, Arm)> {
        self.changed.iter().copied()
    }

    /// The arm that was shown to be better than every other arm.
    pub fn leader(&self) -> Option<Arm> {
        self.means().leader()
    }

    /// The leader if only this part of the level may be used.
    pub fn leader_within(&self, part: f64) -> Option<Arm> {
        self.leader().filter(|&leader| {
            let mut rivals = self.pairs.of(leader).filter(|&(other, _)| self.means().is_active(other));
            rivals.all(|(other, pair)| {
                let peak = pair.peaks[usize::from(leader > other)];
                peak >= lead_threshold(1, part * self.levels.lead(leader, other))
            })
        })
    }

    /// Whether there is a verdict.
    pub fn is_decided(&self) -> bool {
        self.leader().is_some() || (self.margin.is_some() && self.means().good_enough().next().is_some())
    }
}

/// The share of votes for the first arm of a pair, with ties counted as half. `None` without votes.
pub(crate) fn rate(score: f64, votes: f64) -> Option<f64> {
    (votes > 0.0).then(|| (score / votes).min(1.0))
}

/// Serializes the `Arc` here, because serde supports `Arc` only with a feature that would apply
/// everywhere.
fn as_list<S: Serializer>(active: &Arc<Vec<bool>>, serializer: S) -> Result<S::Ok, S::Error> {
    active.serialize(serializer)
}

fn mark(pairs: &mut BTreeSet<(Arm, Arm)>, pair: (Arm, Arm), holds: bool) {
    if holds {
        pairs.insert(pair);
    } else {
        pairs.remove(&pair);
    }
}

/// The outcome from the viewpoint of the arm with the lower index, and the weight.
fn seen_from_first(vote: &PairVote) -> (Outcome, f64) {
    let outcome = if vote.left < vote.right { vote.outcome } else { vote.outcome.flipped() };
    (outcome, vote.weight)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::voting::answer::Answer;

    fn two() -> (Arm, Arm) {
        (Arm::new(0), Arm::new(1))
    }

    fn issue(evidence: &mut Evidence, seq: u64, one: Arm, other: Arm) {
        evidence.issue(seq, core::iter::once((one, other)));
    }

    fn vote(one: Arm, other: Arm, outcome: Outcome, weight: f64) -> Option<PairVote> {
        PairVote::new((one, other), Answer::Score(outcome), weight, None)
    }

    fn settle(evidence: &mut Evidence, seq: u64, one: Arm, other: Arm, said: Option<Outcome>, weight: f64) {
        let vote = said.and_then(|outcome| vote(one, other, outcome, weight));
        evidence.settle(seq, core::iter::once((one, other)), vote.as_slice());
    }

    fn take_back(evidence: &mut Evidence, seq: u64, one: Arm, other: Arm, outcome: Outcome, weight: f64) {
        evidence.take_back(seq, vote(one, other, outcome, weight).as_slice());
    }

    fn evidence() -> Evidence {
        Evidence::new(ErrorBudget::new(0.95, false, 2, false), None)
    }

    /// The state of a duel in the slow reference.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum DuelStatus {
        InFlight,
        Nothing,
        Vote(Outcome),
    }

    fn tally(statuses: &[DuelStatus]) -> Tally {
        let mut tally = Tally::default();
        for status in statuses {
            if let DuelStatus::Vote(outcome) = status {
                tally.add(*outcome, 1.0);
            }
        }
        tally
    }

    proptest! {
        /// For any order of issues, answers, expiries and voids, the votes before the first duel in
        /// flight and the votes in all match a list of all duels.
        #[test]
        fn law_order_of_issue_is_kept(steps in prop::collection::vec((0_u8..5, 0_usize..40), 1..120)) {
            let (first, second) = two();
        let mut evidence = evidence();
            let mut statuses: Vec<DuelStatus> = Vec::new();
            for (kind, at) in steps {
                let seq = at % statuses.len().max(1);
                let id = seq as u64 + 1;
                match (kind, statuses.get(seq).copied()) {
                    (0 | 1, _) | (_, None) => {
                        statuses.push(DuelStatus::InFlight);
                        // Either arm may come first.
                        let (one, other) = if at % 2 == 0 { (first, second) } else { (second, first) };
                        issue(&mut evidence, statuses.len() as u64, one, other);
                    }
                    (2, Some(DuelStatus::InFlight)) => {
                        statuses[seq] = DuelStatus::Nothing;
                        settle(&mut evidence, id, second, first, None, 1.0);
                    }
                    (_, Some(DuelStatus::InFlight)) => {
                        let outcome = [Outcome::WIN, Outcome::LOSS, Outcome::TIE][at % 3];
                        statuses[seq] = DuelStatus::Vote(outcome);
                        settle(&mut evidence, id, second, first, Some(outcome.flipped()), 1.0);
                    }
                    (4, Some(DuelStatus::Vote(outcome))) => {
                        statuses[seq] = DuelStatus::Nothing;
                        take_back(&mut evidence, id, first, second, outcome, 1.0);
                    }
                    _ => {}
                }
                let open_from = statuses.iter().position(|&status| status == DuelStatus::InFlight).unwrap_or(statuses.len());
                let waiting = statuses.iter().filter(|&&status| status == DuelStatus::InFlight).count();
                let empty = PairEvidence::default();
                let pair = evidence.pair(first, second).unwrap_or(&empty);
                prop_assert_eq!(*pair.settled(), tally(&statuses[..open_from]));
                prop_assert_eq!(*pair.all(), tally(&statuses));
                prop_assert_eq!(pair.waiting(), waiting);
            }
        }
    }

    /// Checks the means, the leader and the good-enough arms against a look at all pairs.
    fn check_sums(evidence: &Evidence) -> Result<(), TestCaseError> {
        let n_arms = evidence.active.len();
        let active = |arm: Arm| evidence.active[arm.index()];
        let (mut leader, mut good_enough) = (None, Vec::new());
        for arm in Arm::all(n_arms) {
            let rivals: Vec<Arm> = Arm::all(n_arms).filter(|&other| other != arm && active(other)).collect();
            let rates = rivals.iter().filter_map(|&other| {
                let seen = |tally: &Tally| if arm < other { *tally } else { tally.flipped() };
                let tally = seen(evidence.pair(arm, other)?.all());
                (tally.votes > 0.0).then(|| tally.score / tally.votes)
            });
            let rates: Vec<f64> = rates.collect();
            let unmet = (rivals.len() - rates.len()) as f64;
            let mean = (rates.iter().sum::<f64>() + 0.5 * unmet) / rivals.len() as f64;
            match evidence.means().rate(arm) {
                None => prop_assert!(rates.is_empty()),
                Some(rate) => prop_assert!((rate - mean).abs() < 1e-11, "{rate}, {mean}"),
            }
            if active(arm) && !rivals.is_empty() {
                leader = leader
                    .or_else(|| rivals.iter().all(|&other| evidence.is_ahead(arm, other)).then_some(arm));
                let holds = |&other: &Arm| {
                    let (first, second, side) = (arm.min(other), arm.max(other), usize::from(arm > other));
                    evidence.pair(first, second).is_some_and(|pair| {
                        pair.near[side] || pair.ahead(evidence.threshold(first, second))[side]
                    })
                };
                good_enough.extend(rivals.iter().all(holds).then_some(arm));
            }
        }
        prop_assert_eq!(evidence.leader(), leader);
        prop_assert_eq!(evidence.means().good_enough().collect::<Vec<_>>(), good_enough);
        let votes: f64 = evidence.pairs().map(|(_, pair)| pair.all().votes).sum();
        prop_assert!((evidence.means().votes() - votes).abs() < 1e-6);
        Ok(())
    }

    proptest! {
        /// The sums that are updated with each vote match a look at all pairs, whatever arms are
        /// added, retired and restored. A snapshot restores them bit for bit.
        #[test]
        fn law_sums_are_kept_up(
            margin in prop::option::of(0.2_f64..0.4),
            steps in prop::collection::vec((0_u8..12, 0_usize..6, 1_usize..6, 0_usize..3, 1_u32..40), 1..80),
        ) {
            let mut evidence = Evidence::new(ErrorBudget::new(0.5, margin.is_some(), 3, true), margin);
            let (mut seq, mut votes) = (0, Vec::new());
            for (kind, one, other, said, times) in steps {
                let n_arms = evidence.active.len();
                let (one, other) = (Arm::new(one % n_arms), Arm::new((one + other) % n_arms));
                let outcome = [Outcome::WIN, Outcome::LOSS, Outcome::TIE][said];
                match kind {
                    0 if n_arms < 6 => evidence.add_arms(1),
                    1 => {
                        let is_active = evidence.active[one.index()];
                        evidence.activate(one, !is_active);
                    }
                    2 => {
                        if let Some((seq, one, other, outcome, weight)) = votes.pop() {
                            take_back(&mut evidence, seq, one, other, outcome, weight);
                        }
                    }
                    3 => {
                        seq += 1;
                        issue(&mut evidence, seq, one, other);
                    }
                    _ => for _ in 0..times {
                        seq += 1;
                        let weight = if kind == 4 { 1.0 / 3.0 } else { 1.0 };
                        issue(&mut evidence, seq, one, other);
                        settle(&mut evidence, seq, one, other, Some(outcome), weight);
                        votes.push((seq, one, other, outcome, weight));
                    }
                }
                check_sums(&evidence)?;
            }
            let saved = serde_json::to_string(&evidence).unwrap();
            let restored: Evidence = serde_json::from_str(&saved).unwrap();
            prop_assert_eq!(restored, evidence);
        }
    }

    #[test]
    fn trace_evidence_about_no_pair_is_refused() {
        let (first, second) = two();
        let mut evidence = evidence();
        issue(&mut evidence, 1, first, second);
        let saved = serde_json::to_string(&evidence).unwrap();
        assert_eq!(serde_json::from_str::<Evidence>(&saved).unwrap(), evidence);
        for (wrong, why) in [("[[1,1],", "arms 1 and 1"), ("[[0,4000000000],", "4000000000 of 2 arms")] {
            let error = serde_json::from_str::<Evidence>(&saved.replace("[[0,1],", wrong)).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
    }

    #[test]
    fn trace_losses_that_come_late_make_no_winner() {
        // Two equal arms win alternately, and each loss of the first is answered 200 duels late. In
        // the order of arrival, the first arm would be 100 ahead.
        let (first, second) = two();
        let mut evidence = evidence();
        let mut naive = 0.0_f64;
        for seq in 1..=2000_u64 {
            issue(&mut evidence, seq, first, second);
            if seq % 2 == 0 {
                settle(&mut evidence, seq, first, second, Some(Outcome::WIN), 1.0);
            }
            if seq > 200 && (seq - 200) % 2 == 1 {
                settle(&mut evidence, seq - 200, first, second, Some(Outcome::LOSS), 1.0);
            }
            assert_eq!(evidence.leader(), None, "after {seq}");
            let pair = evidence.pair(first, second).expect("it is being compared");
            naive = naive.max(ln_lead(pair.all().wins, pair.all().losses));
        }
        assert!(
            naive > lead_threshold(2, 0.05),
            "in the order of arrival, a leader would have been named: {naive}"
        );
    }

    #[test]
    fn trace_leader_is_named_at_the_threshold_and_not_before() {
        let (first, second) = two();
        let mut evidence = evidence();
        for seq in 1..=100_u32 {
            issue(&mut evidence, seq.into(), second, first);
            settle(&mut evidence, seq.into(), second, first, Some(Outcome::WIN), 1.0);
            let reached = ln_lead(seq.into(), 0.0) >= lead_threshold(2, 0.05);
            assert_eq!(evidence.leader(), reached.then_some(second), "{seq}");
            if reached {
                break;
            }
        }
        // It stays the leader: the evidence was strong enough once.
        for seq in 0..200_usize {
            let id = 1000 + seq as u64;
            issue(&mut evidence, id, first, second);
            settle(&mut evidence, id, first, second, Some([Outcome::WIN, Outcome::LOSS][seq % 2]), 1.0);
        }
        assert_eq!(evidence.leader(), Some(second));
        // It does not stay the leader if a vote is voided and the other votes do not show it.
        take_back(&mut evidence, 1, second, first, Outcome::WIN, 1.0);
        assert_eq!(evidence.leader(), None);
        // An arm without rivals is not a leader.
        for seq in 3000..3100 {
            issue(&mut evidence, seq, second, first);
            settle(&mut evidence, seq, second, first, Some(Outcome::WIN), 1.0);
        }
        assert_eq!(evidence.leader(), Some(second));
        evidence.activate(first, false);
        assert_eq!(evidence.leader(), None);
    }

    #[test]
    fn trace_ties_decide_nothing_but_that_nothing_matters() {
        let (first, second) = two();
        let levels = ErrorBudget::new(0.95, true, 2, false);
        let mut evidence = Evidence::new(levels, Some(0.1));
        for seq in 1..=2000 {
            issue(&mut evidence, seq, first, second);
            settle(&mut evidence, seq, first, second, Some(Outcome::TIE), 1.0);
        }
        assert_eq!(evidence.leader(), None);
        assert_eq!(evidence.means().good_enough().collect::<Vec<_>>(), [first, second]);
        assert!(evidence.is_decided());
        assert_eq!(evidence.changed().count(), 0);
    }

    #[test]
    fn trace_who_was_better_and_is_worse_now_is_reported() {
        let (first, second) = two();
        let mut evidence = evidence();
        for seq in 1..=1200_u64 {
            issue(&mut evidence, seq, first, second);
            let outcome = if seq <= 400 { Outcome::WIN } else { Outcome::LOSS };
            settle(&mut evidence, seq, first, second, Some(outcome), 1.0);
        }
        assert_eq!(evidence.changed().collect::<Vec<_>>(), [(first, second)]);
        assert_eq!(evidence.leader(), None, "both were shown to be better");
    }
}
