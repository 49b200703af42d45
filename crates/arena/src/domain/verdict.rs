//! Who won, how sure we are, and what is missing: what the evidence says at this moment.
//!
//! Reading it costs some microseconds a pair, so that it is copied out of the state first ([`Picture`]) and worked out after the lock was given back.

use std::collections::BTreeMap;

use tiltyard_bandit::Arm;
use tiltyard_bandit::verdict::{
    Copeland, Interval, Ratings, RatingsError, Tally, borda, copeland, interval, interval_with,
    lead_threshold, ratings, votes_needed,
};

use super::evidence::Evidence;
use super::levels::Levels;

/// The evidence of an experiment, arm by arm.
#[derive(Debug, Clone)]
pub struct Picture {
    levels: Levels,
    active: Vec<Arm>,
    rivals: BTreeMap<Arm, Vec<Rival>>,
    leader: Option<Arm>,
    good_enough: Vec<Arm>,
}

/// What is known of an arm beside another.
#[derive(Debug, Clone, Copy)]
struct Rival {
    arm: Arm,
    /// Votes, from the viewpoint of the arm whose rival this is.
    all: Tally,
    settled: Tally,
    waiting: f64,
    is_beaten: bool,
}

/// A number with the range in which it lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The best guess; nothing without votes.
    pub estimate: Option<f64>,
    /// The least it can be.
    pub low: f64,
    /// The most it can be.
    pub high: f64,
}

/// How many more votes would likely make the front runner the leader.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Needed {
    /// If all of them are of its undecided pairs.
    pub at_best: f64,
    /// If votes go to pairs as they have so far.
    pub as_so_far: f64,
}

impl Picture {
    /// Copies what is needed out of the evidence.
    pub fn new(evidence: &Evidence, active: &[Arm]) -> Self {
        let mut rivals = BTreeMap::<Arm, Vec<Rival>>::new();
        for (&(first, second), pair) in evidence.pairs() {
            let seen = |tally: &Tally, flip: bool| if flip { tally.flipped() } else { *tally };
            for (one, other, flip) in [(first, second, false), (second, first, true)] {
                rivals.entry(one).or_default().push(Rival {
                    arm: other,
                    all: seen(pair.all(), flip),
                    settled: seen(pair.settled(), flip),
                    waiting: pair.waiting() as f64,
                    is_beaten: evidence.is_ahead(one, other),
                });
            }
        }
        Self {
            levels: *evidence.levels(),
            active: active.to_vec(),
            rivals,
            leader: evidence.leader(active),
            good_enough: evidence.good_enough(active),
        }
    }

    /// The arm that is better than all others.
    pub fn leader(&self) -> Option<Arm> {
        self.leader
    }

    /// Arms that are worse than none of the others by more than the margin.
    pub fn good_enough(&self) -> &[Arm] {
        &self.good_enough
    }

    fn is_active(&self, arm: Arm) -> bool {
        self.active.binary_search(&arm).is_ok()
    }

    /// The rivals of an arm that are not retired.
    fn rivals(&self, arm: Arm) -> impl Iterator<Item = &Rival> {
        self.rivals.get(&arm).into_iter().flatten().filter(|rival| self.is_active(rival.arm))
    }

    /// How many rivals an arm has, compared with it or not.
    fn n_rivals(&self, arm: Arm) -> usize {
        self.active.len() - usize::from(self.is_active(arm))
    }

    /// The mean probability of winning against a rival.
    pub fn borda(&self, arm: Arm) -> Estimate {
        let level = self.levels.arm(arm);
        let n_rivals = self.n_rivals(arm);
        let with_waiting = |win: f64| -> Vec<Tally> {
            self.rivals(arm)
                .map(|rival| Tally {
                    votes: rival.all.votes + rival.waiting,
                    score: rival.all.score + win * rival.waiting,
                    ..rival.all
                })
                .collect()
        };
        // A rival that was never beside it may have any rate; with very many of these it would be slow to say so one by one.
        let compared = self.rivals(arm).count() as f64;
        let all = n_rivals as f64;
        let low = borda(&with_waiting(0.0), level).interval.low * compared / all;
        let high = 1.0 - (1.0 - borda(&with_waiting(1.0), level).interval.high) * compared / all;
        Estimate { estimate: self.mean_rate(arm), low, high }
    }

    /// The mean of the rates against rivals, 1/2 where there was no vote; nothing if there was none at all.
    pub fn mean_rate(&self, arm: Arm) -> Option<f64> {
        let n_rivals = self.n_rivals(arm);
        let (mut sum, mut compared) = (0.0, 0);
        for rate in self.rivals(arm).filter_map(|rival| rate(&rival.all)) {
            sum += rate - 0.5;
            compared += 1;
        }
        (compared > 0).then(|| 0.5 + sum / n_rivals as f64)
    }

    /// All votes on an arm, from its viewpoint.
    pub fn tally(&self, arm: Arm) -> Tally {
        let mut sum = Tally::default();
        for rival in self.rivals.get(&arm).into_iter().flatten() {
            sum.merge(&rival.all);
        }
        sum
    }

    /// How many rivals it beats.
    pub fn copeland(&self, arm: Arm) -> Estimate {
        let intervals: Vec<Interval> = self.rivals(arm).map(|rival| self.limits(arm, rival)).collect();
        let Copeland { certain, possible } = copeland(&intervals);
        let never_met = self.n_rivals(arm) - intervals.len();
        let beaten = self.rivals(arm).filter_map(|rival| rate(&rival.all));
        let beaten: Vec<bool> = beaten.map(|rate| rate > 0.5).collect();
        let estimate = (!beaten.is_empty()).then(|| beaten.iter().filter(|&&beaten| beaten).count() as f64);
        Estimate { estimate, low: certain as f64, high: (possible + never_met) as f64 }
    }

    fn limits(&self, arm: Arm, rival: &Rival) -> Interval {
        limits(&rival.settled, &rival.all, rival.waiting, self.levels.pair(arm, rival.arm))
    }

    /// The arm that is ahead for now, however little that means: the one that beats most rivals by the votes so far.
    pub fn front_runner(&self) -> Option<Arm> {
        let standing = |arm: Arm| {
            let beaten = self.rivals(arm).filter(|rival| rate(&rival.all) > Some(0.5)).count();
            (beaten, self.mean_rate(arm).unwrap_or(0.5))
        };
        let compared = self.rivals.keys().copied().filter(|&arm| self.is_active(arm));
        let best = compared.map(|arm| (standing(arm), arm)).max_by(|(one, first), (other, second)| {
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(second.cmp(first))
        });
        best.filter(|((beaten, mean), _)| *beaten > 0 || *mean > 0.5).map(|(_, arm)| arm)
    }

    /// How many more votes would likely make the front runner the leader; nothing if it is, or if that cannot be told: a rival was never beside
    /// it, or is not behind it.
    pub fn needed(&self) -> Option<Needed> {
        if self.leader.is_some() {
            return None;
        }
        let arm = self.front_runner()?;
        let n_votes: f64 = self.rivals.values().flatten().map(|rival| rival.all.votes).sum::<f64>() / 2.0;
        let mut needed = Needed { at_best: 0.0, as_so_far: 0.0 };
        let mut compared = 0;
        for rival in self.rivals(arm) {
            compared += 1;
            if rival.is_beaten {
                continue;
            }
            let threshold = lead_threshold(1, self.levels.lead(arm, rival.arm));
            let decisive = rival.all.wins + rival.all.losses;
            let votes = votes_needed(&rival.all, threshold)? * (rival.all.votes / decisive);
            needed.at_best += votes;
            needed.as_so_far = needed.as_so_far.max(votes * n_votes / rival.all.votes);
        }
        (compared == self.n_rivals(arm)).then_some(needed)
    }
}

impl Evidence {
    /// Bradley-Terry ratings of these arms, in this order, from votes before the first duel in flight of each pair.
    ///
    /// # Errors
    ///
    /// If there are none.
    pub fn ratings(&self, active: &[Arm]) -> Result<Ratings, RatingsError> {
        let place = |arm: Arm| active.binary_search(&arm).ok().map(Arm::new);
        let pairs = self
            .pairs()
            .iter()
            .filter_map(|(&(first, second), pair)| Some((place(first)?, place(second)?, *pair.settled())));
        let level = self.levels().all();
        ratings(active.len(), pairs, level).map_err(|error| match error {
            RatingsError::Apart { apart } => RatingsError::Apart { apart: back(active, &apart) },
            RatingsError::Unbeaten { unbeaten } => {
                RatingsError::Unbeaten { unbeaten: back(active, &unbeaten) }
            }
        })
    }

    /// The probability that the first arm of a pair wins.
    pub fn rate(&self, first: Arm, second: Arm) -> Estimate {
        let Some(pair) = self.pair(first, second) else {
            return Estimate { estimate: None, low: 0.0, high: 1.0 };
        };
        let level = self.levels().pair(first, second);
        let Interval { low, high } = limits(pair.settled(), pair.all(), pair.waiting() as f64, level);
        Estimate { estimate: rate(pair.all()), low, high }
    }
}

fn back(active: &[Arm], places: &[Arm]) -> Vec<Arm> {
    places.iter().map(|place| active[place.index()]).collect()
}

fn rate(tally: &Tally) -> Option<f64> {
    (tally.votes > 0.0).then(|| tally.score / tally.votes)
}

/// What both prefixes of the order leave possible.
fn limits(settled: &Tally, all: &Tally, waiting: f64, level: f64) -> Interval {
    let whole = interval_with(all, waiting, level);
    if waiting == 0.0 {
        return whole;
    }
    let before = interval(settled.score, settled.votes, level);
    let both = Interval { low: whole.low.max(before.low), high: whole.high.min(before.high) };
    // Two that do not meet are a sign of change; the later one is nearer to the present.
    if both.low <= both.high { both } else { whole }
}
