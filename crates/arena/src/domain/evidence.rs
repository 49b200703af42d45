//! The evidence for which arm is better, pair by pair and in the order of issue.
//!
//! Whatever policy chose the pair, a vote of this pair has the mean of this pair, so that adaptive sampling does no harm. The order does: votes
//! in the order in which they *arrive* favour whoever is answered faster, and would name a winner between equals if losses came late. So the votes of a
//! pair are read in the order in which its duels were issued. A duel in flight does not stop that: it is counted against whoever is to be
//! shown better, since the evidence for an arm falls with each loss. Two prefixes of the order are weighed: the votes before the first duel
//! in flight, and all votes, with every duel in flight lost.
//!
//! An answer that comes after its duel has expired is not evidence: its place in the order was passed over as unanswered.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tiltyard_bandit::verdict::{Tally, is_above, lead_threshold, ln_lead};
use tiltyard_bandit::{Arm, Outcome};

use super::levels::Levels;

/// The evidence about one pair of arms, seen from the one with the lower index.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PairEvidence {
    /// Votes on duels issued before the first one that is in flight.
    settled: Tally,
    /// For each duel in flight, the votes on duels issued after it and before the next one in flight.
    behind: BTreeMap<u64, Tally>,
    /// All votes.
    all: Tally,
    /// The strongest evidence (ln E) there ever was for the first, and for the second. Voiding a vote makes it what it is without that vote.
    peaks: [f64; 2],
    /// Whether the first was shown to be worse by no more than the margin, and the second.
    near: [bool; 2],
}

/// A difference that does not matter, and the level at which it must be shown.
#[derive(Debug, Clone, Copy)]
struct Margin {
    margin: f64,
    level: f64,
}

impl PairEvidence {
    /// All votes that are evidence.
    pub fn all(&self) -> &Tally {
        &self.all
    }

    /// How many duels of the pair are in flight.
    pub fn waiting(&self) -> usize {
        self.behind.len()
    }

    /// Votes on duels issued before the first one that is in flight.
    pub fn settled(&self) -> &Tally {
        &self.settled
    }

    /// The strongest evidence (ln E) there was for the first, and for the second.
    pub fn peaks(&self) -> [f64; 2] {
        self.peaks
    }

    fn is_empty(&self) -> bool {
        self.behind.is_empty() && self.all == Tally::default()
    }

    fn issue(&mut self, place: u64) {
        self.behind.insert(place, Tally::default());
    }

    /// The votes up to the next duel in flight, before a place.
    fn run_before(&mut self, place: u64) -> &mut Tally {
        match self.behind.range_mut(..place).next_back() {
            Some((_, run)) => run,
            None => &mut self.settled,
        }
    }

    /// Duel `place` is no longer in flight.
    fn settle(&mut self, place: u64, vote: Option<(Outcome, f64)>, margin: Option<Margin>) {
        let mut run = Tally::default();
        if let Some((outcome, weight)) = vote {
            run.add(outcome, weight);
            self.all.add(outcome, weight);
        }
        if let Some(behind) = self.behind.remove(&place) {
            run.merge(&behind);
        }
        self.run_before(place).merge(&run);
        self.weigh(margin);
    }

    fn take_back(&mut self, place: u64, outcome: Outcome, weight: f64, margin: Option<Margin>) {
        self.run_before(place).take_back(outcome, weight);
        self.all.take_back(outcome, weight);
        self.peaks = [0.0; 2];
        self.near = [false; 2];
        self.weigh(margin);
    }

    /// Looks whether the evidence is stronger than ever.
    fn weigh(&mut self, margin: Option<Margin>) {
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
        if let Some(Margin { margin, level }) = margin {
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
pub struct Evidence {
    levels: Levels,
    margin: Option<f64>,
    #[serde(with = "as_list")]
    pairs: BTreeMap<(Arm, Arm), PairEvidence>,
    /// Pairs of which the first was shown to be better, at the level of the pair.
    ahead: BTreeSet<(Arm, Arm)>,
    /// Pairs of which the first was shown to be worse by no more than the margin.
    near: BTreeSet<(Arm, Arm)>,
}

impl Evidence {
    pub(super) fn new(levels: Levels, margin: Option<f64>) -> Self {
        Self { levels, margin, pairs: BTreeMap::new(), ahead: BTreeSet::new(), near: BTreeSet::new() }
    }

    /// A duel of these arms is in flight.
    pub(super) fn issue(&mut self, place: u64, one: Arm, other: Arm) {
        if one != other {
            self.pairs.entry(key(one, other)).or_default().issue(place);
        }
    }

    /// A duel is no longer in flight; the vote is from the viewpoint of the first of the two arms named here.
    pub(super) fn settle(&mut self, place: u64, one: Arm, other: Arm, vote: Option<Outcome>) {
        self.settle_weighted(place, one, other, vote.map(|outcome| (outcome, 1.0)));
    }

    /// The same where a vote counts in part.
    pub(super) fn settle_weighted(&mut self, place: u64, one: Arm, other: Arm, vote: Option<(Outcome, f64)>) {
        let vote = vote.map(|(outcome, weight)| (seen_from_first(one, other, outcome), weight));
        self.change(one, other, |pair, margin| pair.settle(place, vote, margin));
    }

    /// A vote that was counted counts no more.
    pub(super) fn take_back(&mut self, place: u64, one: Arm, other: Arm, outcome: Outcome, weight: f64) {
        let outcome = seen_from_first(one, other, outcome);
        self.change(one, other, |pair, margin| pair.take_back(place, outcome, weight, margin));
    }

    fn change(&mut self, one: Arm, other: Arm, change: impl FnOnce(&mut PairEvidence, Option<Margin>)) {
        if one == other {
            return;
        }
        let key = key(one, other);
        let level = self.levels.within_margin(one, other);
        let pair = self.pairs.entry(key).or_default();
        change(pair, self.margin.map(|margin| Margin { margin, level }));
        let (peaks, near, is_empty) = (pair.peaks, pair.near, pair.is_empty());
        if is_empty {
            self.pairs.remove(&key);
        }
        self.judge(key, peaks);
        for (pair, near) in [(key, near[0]), ((key.1, key.0), near[1])] {
            mark(&mut self.near, pair, near);
        }
    }

    /// An arm has come or gone.
    pub(super) fn arms_changed(&mut self) {
        self.levels.change();
        let peaks: Vec<_> = self.pairs.iter().map(|(&key, pair)| (key, pair.peaks)).collect();
        for (key, peaks) in peaks {
            self.judge(key, peaks);
        }
    }

    fn judge(&mut self, (first, second): (Arm, Arm), peaks: [f64; 2]) {
        let threshold = lead_threshold(1, self.levels.lead(first, second));
        for (pair, peak) in [((first, second), peaks[0]), ((second, first), peaks[1])] {
            mark(&mut self.ahead, pair, peak >= threshold);
        }
    }

    /// The evidence about each pair that was compared or is being compared.
    pub fn pairs(&self) -> &BTreeMap<(Arm, Arm), PairEvidence> {
        &self.pairs
    }

    /// The evidence about one pair, from the viewpoint of the lower index.
    pub fn pair(&self, one: Arm, other: Arm) -> Option<&PairEvidence> {
        self.pairs.get(&key(one, other))
    }

    pub(super) fn levels(&self) -> &Levels {
        &self.levels
    }

    /// Whether one arm was shown to be better than another, and the other was not shown to be better than it.
    pub fn is_ahead(&self, one: Arm, other: Arm) -> bool {
        self.ahead.contains(&(one, other)) && !self.ahead.contains(&(other, one))
    }

    /// Pairs of which either arm was shown to be better than the other at some time: preferences have changed, or a rare error.
    pub fn contradictions(&self) -> impl Iterator<Item = (Arm, Arm)> {
        self.ahead.iter().copied().filter(|&(one, other)| one < other && self.ahead.contains(&(other, one)))
    }

    /// The arm that was shown to be better than each of the others.
    pub fn leader(&self, active: &[Arm]) -> Option<Arm> {
        against_all(active, self.ahead.iter().filter(|&&(one, other)| self.is_ahead(one, other))).next()
    }

    /// Arms that were shown to be worse than none of the others by more than the margin.
    pub fn good_enough(&self, active: &[Arm]) -> Vec<Arm> {
        against_all(active, self.near.union(&self.ahead)).collect()
    }

    /// Whether there is a verdict.
    pub fn is_decided(&self, active: &[Arm]) -> bool {
        self.leader(active).is_some() || (self.margin.is_some() && !self.good_enough(active).is_empty())
    }
}

/// The arms that stand first in a pair with each of the others.
fn against_all<'a>(active: &[Arm], pairs: impl Iterator<Item = &'a (Arm, Arm)>) -> impl Iterator<Item = Arm> {
    let is_active = |arm: Arm| active.binary_search(&arm).is_ok();
    let mut others = BTreeMap::<Arm, usize>::new();
    for &(one, other) in pairs.filter(|&&(one, other)| is_active(one) && is_active(other)) {
        debug_assert_ne!(one, other, "an arm is not compared with itself");
        *others.entry(one).or_default() += 1;
    }
    let all = active.len().saturating_sub(1).max(1);
    others.into_iter().filter(move |&(_, n)| n >= all).map(|(arm, _)| arm)
}

fn mark(pairs: &mut BTreeSet<(Arm, Arm)>, pair: (Arm, Arm), holds: bool) {
    if holds {
        pairs.insert(pair);
    } else {
        pairs.remove(&pair);
    }
}

fn key(one: Arm, other: Arm) -> (Arm, Arm) {
    (one.min(other), one.max(other))
}

fn seen_from_first(one: Arm, other: Arm, outcome: Outcome) -> Outcome {
    if one < other { outcome } else { outcome.flipped() }
}

/// JSON has no pairs as keys.
mod as_list {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer};
    use tiltyard_bandit::Arm;

    use super::PairEvidence;

    pub(super) fn serialize<S: Serializer>(
        pairs: &BTreeMap<(Arm, Arm), PairEvidence>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(pairs)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<(Arm, Arm), PairEvidence>, D::Error> {
        Ok(Vec::deserialize(deserializer)?.into_iter().collect())
    }
}
