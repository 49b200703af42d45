//! Who won, how sure we are, and what is missing: what the evidence says at this moment.
//!
//! Reading it costs some microseconds a pair, so that it is copied out of the state first ([`Picture`]) and worked out after the lock was given back.

use std::collections::BTreeMap;

use tiltyard_bandit::Arm;
use tiltyard_bandit::verdict::{
    Copeland, Interval, Ratings, RatingsError, Tally, borda_with, copeland, interval, interval_with,
    lead_threshold, ratings, votes_needed,
};

use super::evidence::{Evidence, rate};
use super::levels::Levels;
use super::means::Means;

/// The evidence of an experiment, arm by arm.
#[derive(Debug, Clone)]
pub struct Picture {
    levels: Levels,
    means: Means,
    /// Of the arms that are looked at closely.
    rivals: BTreeMap<Arm, Vec<Rival>>,
    leader: Option<Arm>,
}

/// What is known of an arm beside another.
#[derive(Debug, Clone, Copy)]
struct Rival {
    arm: Arm,
    /// Votes, from the viewpoint of the arm whose rival this is.
    all: Tally,
    settled: Tally,
    waiting: f64,
    /// The strongest evidence (ln E) there was for the arm, and for the rival.
    peaks: [f64; 2],
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
    /// Copies what is needed out of the evidence: of some arms, and of the front runner. Limits are known of these alone.
    pub fn of(evidence: &Evidence, arms: impl IntoIterator<Item = Arm>) -> Self {
        let means = evidence.means().clone();
        let mut rivals = BTreeMap::<Arm, Vec<Rival>>::new();
        for arm in arms.into_iter().chain(means.front_runner()) {
            rivals.entry(arm).or_insert_with(|| evidence.rivals(arm));
        }
        Self { levels: *evidence.levels(), leader: means.leader(), means, rivals }
    }

    /// How all arms stand on average.
    pub fn means(&self) -> &Means {
        &self.means
    }

    /// The arm that is better than all others.
    pub fn leader(&self) -> Option<Arm> {
        self.leader
    }

    /// Arms that are worse than none of the others by more than the margin.
    pub fn good_enough(&self) -> impl Iterator<Item = Arm> {
        self.means.good_enough()
    }

    /// The rivals of an arm that are not retired.
    fn rivals(&self, arm: Arm) -> impl Iterator<Item = &Rival> {
        self.rivals.get(&arm).into_iter().flatten().filter(|rival| self.means.is_active(rival.arm))
    }

    /// The mean probability of winning against a rival.
    pub fn borda(&self, arm: Arm) -> Estimate {
        let level = self.levels.arm(arm);
        let n_rivals = self.means.n_rivals(arm);
        let rivals: Vec<(Tally, f64)> = self.rivals(arm).map(|rival| (rival.all, rival.waiting)).collect();
        // A rival that was never beside it may have any rate; with very many of these it would be slow to say so one by one.
        let share = rivals.len() as f64 / n_rivals as f64;
        let met = borda_with(&rivals, level);
        let (low, high) = (met.low * share, 1.0 - (1.0 - met.high) * share);
        Estimate { estimate: self.means.rate(arm), low, high }
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
        let never_met = self.means.n_rivals(arm) - intervals.len();
        let beaten = self.rivals(arm).filter_map(|rival| rate(&rival.all));
        let beaten: Vec<bool> = beaten.map(|rate| rate > 0.5).collect();
        let estimate = (!beaten.is_empty()).then(|| beaten.iter().filter(|&&beaten| beaten).count() as f64);
        Estimate { estimate, low: certain as f64, high: (possible + never_met) as f64 }
    }

    fn limits(&self, arm: Arm, rival: &Rival) -> Interval {
        limits(&rival.settled, &rival.all, rival.waiting, self.levels.pair(arm, rival.arm))
    }

    /// The arm that is ahead for now, however little that means.
    pub fn front_runner(&self) -> Option<Arm> {
        self.means.front_runner()
    }

    /// How many more votes would likely make the front runner the leader; nothing if it is, or if that cannot be told: a rival was never beside
    /// it, or is not behind it.
    pub fn needed(&self) -> Option<Needed> {
        if self.leader.is_some() {
            return None;
        }
        let arm = self.front_runner()?;
        let n_votes = self.means.votes();
        let mut needed = Needed { at_best: 0.0, as_so_far: 0.0 };
        let mut compared = 0;
        for rival in self.rivals(arm) {
            compared += 1;
            let threshold = lead_threshold(1, self.levels.lead(arm, rival.arm));
            if rival.peaks.map(|peak| peak >= threshold) == [true, false] {
                continue;
            }
            let decisive = rival.all.wins + rival.all.losses;
            let votes = votes_needed(&rival.all, threshold)? * (rival.all.votes / decisive);
            needed.at_best += votes;
            needed.as_so_far = needed.as_so_far.max(votes * n_votes / rival.all.votes);
        }
        (compared == self.means.n_rivals(arm)).then_some(needed)
    }
}

impl Evidence {
    /// What is known of an arm beside each other that was compared with it.
    fn rivals(&self, arm: Arm) -> Vec<Rival> {
        let rivals = self.pairs_of(arm).map(|(other, pair)| {
            let seen = |tally: &Tally| if arm < other { *tally } else { tally.flipped() };
            Rival {
                arm: other,
                all: seen(pair.all()),
                settled: seen(pair.settled()),
                waiting: pair.waiting() as f64,
                peaks: if arm < other { pair.peaks() } else { [pair.peaks()[1], pair.peaks()[0]] },
            }
        });
        rivals.collect()
    }

    /// Bradley-Terry ratings of these arms, in this order, from votes before the first duel in flight of each pair.
    ///
    /// # Errors
    ///
    /// If there are none.
    pub fn ratings(&self, active: &[Arm]) -> Result<Ratings, RatingsError> {
        let place = |arm: Arm| active.binary_search(&arm).ok().map(Arm::new);
        let pairs = self
            .pairs()
            .filter_map(|((first, second), pair)| Some((place(first)?, place(second)?, *pair.settled())));
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
