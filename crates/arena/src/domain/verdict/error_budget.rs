//! Shares the allowed error probability (the level) among arms and pairs.
//!
//! An experiment guarantees, with its confidence, that it never names a false leader, no matter how
//! often people look. A false leader is an arm that is wrongly said to be better than the best arm.
//! While the set of arms stays the same, there is one best arm, and the level is shared by the K
//! arms that could wrongly be ahead of it. Once the set of arms changes, the best arm may change
//! with it, and every ordered pair counts. If the policy can change its arms at all, a tenth of the
//! level is reserved for that:
//!
//! - nine tenths: the first arms, before any change, with an equal part for each;
//! - a twentieth: after a change, all ordered pairs of the first arms;
//! - a twentieth: ordered pairs with a later arm. The j-th later arm has the part 1/(j (j + 1)).
//!   These parts sum to at most 1, however many arms are added.
//!
//! An interval is about one pair or one arm, and not about the best arm. So only later arms need a
//! reserve there: a tenth.

use serde::{Deserialize, Serialize};
use tiltyard_bandit::Arm;

/// The level of an experiment, and how it is shared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct ErrorBudget {
    /// The allowed probability of a false leader.
    leader: f64,
    /// The allowed probability that any interval is wrong.
    intervals: f64,
    /// The number of arms at the start.
    first_arms: usize,
    /// Whether the set of arms can change.
    elastic: bool,
    /// Whether the set of arms has changed.
    changed: bool,
}

/// The allowed probability that any alarm is false.
const ALARM: f64 = 0.01;

/// The part of the level that is reserved for changes of the set of arms.
const KEPT: f64 = 0.1;

impl ErrorBudget {
    /// The levels of a new experiment. If it also has a margin, the leader gets half of the level.
    pub(crate) fn new(confidence: f64, margin: bool, n_arms: usize, elastic: bool) -> Self {
        let level = 1.0 - confidence;
        let leader = if margin { level / 2.0 } else { level };
        Self { leader, intervals: level, first_arms: n_arms, elastic, changed: false }
    }

    /// Notes that the set of arms has changed. Returns whether that changes the levels.
    pub(crate) fn change(&mut self) -> bool {
        !core::mem::replace(&mut self.changed, true)
    }

    /// The number of arms at the start.
    pub(crate) fn first_arms(&self) -> usize {
        self.first_arms
    }

    /// The level at which one arm is shown to be better than another.
    pub(crate) fn lead(&self, one: Arm, other: Arm) -> f64 {
        let arms = self.first_arms as f64;
        if !self.elastic {
            return self.leader / arms;
        }
        if !self.changed {
            return (1.0 - KEPT) * self.leader / arms;
        }
        let part = self.leader * KEPT / 2.0;
        match self.later(one.max(other)) {
            None => part / (arms * (arms - 1.0)),
            Some(later) => part * later / (2.0 * one.max(other).index() as f64),
        }
    }

    /// The level of the interval of a pair.
    pub(crate) fn pair(&self, one: Arm, other: Arm) -> f64 {
        let arms = self.first_arms as f64;
        match self.later(one.max(other)) {
            None => self.first() * 2.0 / (arms * (arms - 1.0)),
            Some(later) => self.intervals * KEPT * later / one.max(other).index() as f64,
        }
    }

    /// The level of an interval of an arm.
    pub(crate) fn arm(&self, arm: Arm) -> f64 {
        match self.later(arm) {
            None => self.first() / self.first_arms as f64,
            Some(later) => self.intervals * KEPT * later,
        }
    }

    /// The level of a single statement about all arms.
    pub(crate) fn all(&self) -> f64 {
        self.intervals
    }

    /// The level at which an arm is shown to be worse than another by no more than the margin. All
    /// ordered pairs share half of the level.
    pub(crate) fn within_margin(&self, one: Arm, other: Arm) -> f64 {
        self.pair(one, other) / 4.0
    }

    /// The probability of a false alarm that the preference of a pair has changed: a hundredth for
    /// all pairs together.
    pub(crate) fn alarm(&self, one: Arm, other: Arm) -> f64 {
        self.pair(one, other) / self.intervals * ALARM
    }

    fn first(&self) -> f64 {
        if self.elastic { (1.0 - KEPT) * self.intervals } else { self.intervals }
    }

    /// The part of an arm that was added later; `None` for the first arms.
    fn later(&self, arm: Arm) -> Option<f64> {
        let place = (arm.index() + 1).checked_sub(self.first_arms).filter(|&place| place > 0)? as f64;
        Some(1.0 / (place * (place + 1.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of the levels of all ordered pairs of arms.
    fn spent(levels: ErrorBudget, n_arms: usize) -> f64 {
        let mut sum = 0.0;
        for one in Arm::all(n_arms).filter(|_| n_arms > 1) {
            for other in Arm::all(n_arms).filter(|&other| other != one) {
                sum += levels.lead(one, other);
            }
        }
        sum
    }

    #[test]
    fn trace_level_is_never_overspent() {
        for n_arms in [2, 5, 9] {
            let fixed = ErrorBudget::new(0.95, false, n_arms, false);
            let best = Arm::new(0);
            let against_best: f64 = Arm::all(n_arms).skip(1).map(|arm| fixed.lead(arm, best)).sum();
            assert!(against_best <= 0.05 + 1e-12, "{against_best}");

            let mut elastic = ErrorBudget::new(0.95, false, n_arms, true);
            let before: f64 = Arm::all(n_arms).skip(1).map(|arm| elastic.lead(arm, best)).sum();
            elastic.change();
            for more in [0, 1, 7, 60] {
                let in_all = before + spent(elastic, n_arms + more);
                assert!(in_all <= 0.05 + 1e-12, "{n_arms} + {more}: {in_all}");
                let pairs: f64 = Arm::all(n_arms + more)
                    .flat_map(|one| {
                        Arm::all(n_arms + more)
                            .filter(move |&other| other > one)
                            .map(move |other| (one, other))
                    })
                    .map(|(one, other)| elastic.pair(one, other))
                    .sum();
                assert!(pairs <= 0.05 + 1e-12, "{n_arms} + {more}: {pairs}");
                let arms: f64 = Arm::all(n_arms + more).map(|arm| elastic.arm(arm)).sum();
                assert!(arms <= 0.05 + 1e-12, "{n_arms} + {more}: {arms}");
            }
        }
    }

    #[test]
    fn trace_margin_and_leader_share_the_level() {
        let levels = ErrorBudget::new(0.9, true, 4, false);
        let best = Arm::new(3);
        let leader: f64 = Arm::all(3).map(|arm| levels.lead(arm, best)).sum();
        let margin: f64 = Arm::all(4)
            .flat_map(|one| Arm::all(4).filter(move |&other| other != one).map(move |other| (one, other)))
            .map(|(one, other)| levels.within_margin(one, other))
            .sum();
        assert!((margin - 0.05).abs() < 1e-12, "{margin}");
        assert!(leader + margin <= 0.1 + 1e-12, "{leader} + {margin}");
    }
}
