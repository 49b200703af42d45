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
use tiltyard_bandit::verdict::{Drift, Tally, is_above, lead_threshold, ln_lead};
use tiltyard_bandit::{Arm, Outcome};

use super::levels::Levels;
use super::request::Past;

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
    /// The watch over the rate; there once there are votes.
    drift: Option<Drift>,
}

/// At which levels things are shown of a pair.
#[derive(Debug, Clone, Copy)]
struct Terms {
    /// A difference that does not matter, and the level at which it must be shown.
    margin: Option<(f64, f64)>,
    /// The level at which an alarm of change is false.
    drift: f64,
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
    fn settle(&mut self, place: u64, vote: Option<(Outcome, f64)>, terms: Terms) {
        let mut run = Tally::default();
        if let Some((outcome, weight)) = vote {
            run.add(outcome, weight);
            self.all.add(outcome, weight);
        }
        if let Some(behind) = self.behind.remove(&place) {
            run.merge(&behind);
        }
        let is_settled = self.behind.range(..place).next_back().is_none();
        self.run_before(place).merge(&run);
        if is_settled && run.votes > 0.0 {
            self.drift.get_or_insert_with(|| Drift::new(terms.drift)).absorb(&run);
        }
        self.weigh(terms);
    }

    fn take_back(&mut self, place: u64, outcome: Outcome, weight: f64, terms: Terms) {
        self.run_before(place).take_back(outcome, weight);
        self.all.take_back(outcome, weight);
        self.peaks = [0.0; 2];
        self.near = [false; 2];
        self.weigh(terms);
    }

    /// Looks whether the evidence is stronger than ever.
    fn weigh(&mut self, terms: Terms) {
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
        if let Some((margin, level)) = terms.margin {
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
        self.change(one, other, |pair, terms| pair.settle(place, vote, terms));
    }

    /// A vote that was counted counts no more.
    pub(super) fn take_back(&mut self, place: u64, one: Arm, other: Arm, outcome: Outcome, weight: f64) {
        let outcome = seen_from_first(one, other, outcome);
        self.change(one, other, |pair, terms| pair.take_back(place, outcome, weight, terms));
    }

    /// What is left if a duel is voided that is no longer in flight.
    pub fn forget(&mut self, place: u64, past: &Past) {
        if let (Some(slate), Some(ranked)) = (&past.slate, &past.ranked)
            && !past.voided
            && !past.expired
        {
            self.take_slate_back(place, slate, &ranked.ranking);
            return;
        }
        let outcome = past.answer.as_ref().and_then(|(answer, _)| answer.outcome());
        if let Some(outcome) = outcome.filter(|_| !past.voided && !past.expired) {
            let (left, right) = past.open.sides();
            self.take_back(place, left, right, outcome, 1.0);
        }
    }

    fn change(&mut self, one: Arm, other: Arm, change: impl FnOnce(&mut PairEvidence, Terms)) {
        if one == other {
            return;
        }
        let key = key(one, other);
        let terms = Terms {
            margin: self.margin.map(|margin| (margin, self.levels.within_margin(one, other))),
            drift: self.levels.alarm(one, other),
        };
        let pair = self.pairs.entry(key).or_default();
        change(pair, terms);
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

    /// Pairs whose preference has changed, as far as the votes can tell: the watch over its rate gave an alarm, or either arm was shown to be
    /// better than the other at some time.
    pub fn changed(&self) -> impl Iterator<Item = (Arm, Arm)> {
        let watched = self
            .pairs
            .iter()
            .filter(|(_, pair)| pair.drift.as_ref().is_some_and(|drift| drift.alarm().is_some()));
        let both =
            self.ahead.iter().filter(|&&(one, other)| one < other && self.ahead.contains(&(other, one)));
        let pairs: BTreeSet<_> = watched.map(|(&pair, _)| pair).chain(both.copied()).collect();
        pairs.into_iter()
    }

    /// The arm that was shown to be better than each of the others.
    pub fn leader(&self, active: &[Arm]) -> Option<Arm> {
        against_all(active, self.ahead.iter().filter(|&&(one, other)| self.is_ahead(one, other))).next()
    }

    /// The same if only so large a part of the level may be used.
    pub fn leader_within(&self, active: &[Arm], part: f64) -> Option<Arm> {
        let strong = self.ahead.iter().filter(|&&(one, other)| {
            let peak = self.pair(one, other).map_or(0.0, |pair| pair.peaks[usize::from(one > other)]);
            self.is_ahead(one, other) && peak >= lead_threshold(1, part * self.levels.lead(one, other))
        });
        against_all(active, strong).next()
    }

    /// Evidence of the same arms without any vote.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self::new(self.levels, self.margin)
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Two arms.
    fn two() -> (Arm, Arm) {
        (Arm::new(0), Arm::new(1))
    }

    fn evidence() -> Evidence {
        Evidence::new(Levels::new(0.95, false, 2, false), None)
    }

    /// A duel in the slow reference: what was said of it, if it is over.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Fate {
        InFlight,
        Nothing,
        Vote(Outcome),
    }

    fn tally(fates: &[Fate]) -> Tally {
        let mut tally = Tally::default();
        for fate in fates {
            if let Fate::Vote(outcome) = fate {
                tally.add(*outcome, 1.0);
            }
        }
        tally
    }

    proptest! {
        /// Whatever is issued, answered, given up and voided in whatever order, the votes before the first duel in flight and all votes are what a
        /// list of all duels says.
        #[test]
        fn law_order_of_issue_is_kept(steps in prop::collection::vec((0_u8..5, 0_usize..40), 1..120)) {
            let (first, second) = two();
        let mut evidence = evidence();
            let mut fates: Vec<Fate> = Vec::new();
            for (kind, at) in steps {
                let place = at % fates.len().max(1);
                let id = place as u64 + 1;
                match (kind, fates.get(place).copied()) {
                    (0 | 1, _) | (_, None) => {
                        fates.push(Fate::InFlight);
                        // Either arm may stand first.
                        let (one, other) = if at % 2 == 0 { (first, second) } else { (second, first) };
                        evidence.issue(fates.len() as u64, one, other);
                    }
                    (2, Some(Fate::InFlight)) => {
                        fates[place] = Fate::Nothing;
                        evidence.settle(id, second, first, None);
                    }
                    (_, Some(Fate::InFlight)) => {
                        let outcome = [Outcome::WIN, Outcome::LOSS, Outcome::TIE][at % 3];
                        fates[place] = Fate::Vote(outcome);
                        evidence.settle(id, second, first, Some(outcome.flipped()));
                    }
                    (4, Some(Fate::Vote(outcome))) => {
                        fates[place] = Fate::Nothing;
                        evidence.take_back(id, first, second, outcome, 1.0);
                    }
                    _ => {}
                }
                let open_from = fates.iter().position(|&fate| fate == Fate::InFlight).unwrap_or(fates.len());
                let waiting = fates.iter().filter(|&&fate| fate == Fate::InFlight).count();
                let empty = PairEvidence::default();
                let pair = evidence.pair(first, second).unwrap_or(&empty);
                prop_assert_eq!(*pair.settled(), tally(&fates[..open_from]));
                prop_assert_eq!(*pair.all(), tally(&fates));
                prop_assert_eq!(pair.waiting(), waiting);
            }
        }
    }

    #[test]
    fn trace_losses_that_come_late_make_no_winner() {
        // Win, loss, win, loss, ... of two equal arms; each loss is answered 200 duels late. By arrival the first arm would be 100 ahead.
        let (first, second) = two();
        let mut evidence = evidence();
        let mut naive = 0.0_f64;
        for place in 1..=2000_u64 {
            evidence.issue(place, first, second);
            if place % 2 == 0 {
                evidence.settle(place, first, second, Some(Outcome::WIN));
            }
            if place > 200 && (place - 200) % 2 == 1 {
                evidence.settle(place - 200, first, second, Some(Outcome::LOSS));
            }
            assert_eq!(evidence.leader(&[first, second]), None, "after {place}");
            let pair = evidence.pair(first, second).expect("it is being compared");
            naive = naive.max(ln_lead(pair.all().wins, pair.all().losses));
        }
        assert!(naive > lead_threshold(2, 0.05), "the arrivals alone would have named one: {naive}");
    }

    #[test]
    fn trace_leader_is_named_at_the_threshold_and_not_before() {
        let (first, second) = two();
        let mut evidence = evidence();
        for place in 1..=100_u32 {
            evidence.issue(place.into(), second, first);
            evidence.settle(place.into(), second, first, Some(Outcome::WIN));
            let reached = ln_lead(place.into(), 0.0) >= lead_threshold(2, 0.05);
            assert_eq!(evidence.leader(&[first, second]), reached.then_some(second), "{place}");
            if reached {
                break;
            }
        }
        // It stays named: the evidence was there.
        for place in 0..200_usize {
            let id = 1000 + place as u64;
            evidence.issue(id, first, second);
            evidence.settle(id, first, second, Some([Outcome::WIN, Outcome::LOSS][place % 2]));
        }
        assert_eq!(evidence.leader(&[first, second]), Some(second));
        // But not if one of the votes is voided and the rest does not show it.
        evidence.take_back(1, second, first, Outcome::WIN, 1.0);
        assert_eq!(evidence.leader(&[first, second]), None);
        // An arm alone leads nobody.
        assert_eq!(evidence.leader(&[second]), None);
    }

    #[test]
    fn trace_ties_decide_nothing_but_that_nothing_matters() {
        let (first, second) = two();
        let levels = Levels::new(0.95, true, 2, false);
        let mut evidence = Evidence::new(levels, Some(0.1));
        for place in 1..=2000 {
            evidence.issue(place, first, second);
            evidence.settle(place, first, second, Some(Outcome::TIE));
        }
        assert_eq!(evidence.leader(&[first, second]), None);
        assert_eq!(evidence.good_enough(&[first, second]), [first, second]);
        assert!(evidence.is_decided(&[first, second]));
        assert_eq!(evidence.changed().count(), 0);
    }

    #[test]
    fn trace_who_was_better_and_is_worse_now_is_reported() {
        let (first, second) = two();
        let mut evidence = evidence();
        for place in 1..=1200_u64 {
            evidence.issue(place, first, second);
            let outcome = if place <= 400 { Outcome::WIN } else { Outcome::LOSS };
            evidence.settle(place, first, second, Some(outcome));
        }
        assert_eq!(evidence.changed().collect::<Vec<_>>(), [(first, second)]);
        assert_eq!(evidence.leader(&[first, second]), None, "both were shown to be better");
    }
}
