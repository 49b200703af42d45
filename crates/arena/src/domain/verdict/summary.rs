//! Who won, how sure we are, and what is missing: what the evidence says at this moment.
//!
//! Reading it costs some microseconds a pair, so that it is copied out of the state first
//! ([`Verdict`]) and worked out after the lock was given back.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use tiltyard_bandit::Arm;
use tiltyard_bandit::verdict::{
    Alike, Copeland, Interval, Ratings, RatingsError, Tally, borda_with, copeland, interval, interval_with,
    lead_threshold, ratings, votes_needed,
};

use crate::domain::{ErrorBudget, Evidence, rate};

/// The evidence of an experiment, arm by arm.
#[derive(Debug, Clone)]
pub struct Verdict {
    levels: ErrorBudget,
    leader: Option<Arm>,
    front_runner: Option<Arm>,
    good_enough: Vec<Arm>,
    /// The front runner's rivals that it does not lead yet; nothing if there is no front runner, or
    /// it leads.
    undecided: Option<Undecided>,
    obstacle: OnceLock<Option<Obstacle>>,
    /// The arms that are looked at closely.
    arms: BTreeMap<Arm, ArmDetail>,
}

/// An arm looked at closely.
#[derive(Debug, Clone)]
struct ArmDetail {
    /// The mean of the rates against rivals.
    rate: Option<f64>,
    n_rivals: usize,
    opponents: Vec<Alike>,
    /// Arms beside which it was shown and that are retired now.
    retired: Vec<Alike>,
    /// All votes on it, from its viewpoint, and its rivals that are not retired one by one: where
    /// that was asked for.
    tally: Tally,
    rivals: Vec<Rival>,
}

/// What is known of an arm beside another.
#[derive(Debug, Clone, Copy)]
struct Rival {
    arm: Arm,
    /// Votes, from the viewpoint of the arm whose rival this is.
    all: Tally,
    settled: Tally,
    waiting: f64,
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

/// What keeps the front runner from being the leader.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Obstacle {
    /// So many votes more, likely.
    Votes(VotesNeeded),
    /// This rival, the first of those that are not behind it, or by so little that votes would not
    /// tell.
    Rival(Arm),
    /// This rival, which is behind it now and was shown to be better at some time.
    Changed(Arm),
    /// A rival with which it was never compared.
    Unmet,
}

/// The rivals that the front runner does not lead.
#[derive(Debug, Clone)]
struct Undecided {
    rivals: Vec<UndecidedRival>,
    /// Whether there are more, without any vote.
    has_unmet: bool,
    /// All votes of all pairs.
    n_votes: f64,
}

/// A rival that the front runner does not lead.
#[derive(Debug, Clone, Copy)]
struct UndecidedRival {
    arm: Arm,
    /// Votes, from the viewpoint of the front runner.
    all: Tally,
    /// The evidence with which either is shown to be better.
    threshold: f64,
    /// Whether the rival was.
    has_led: bool,
}

impl Undecided {
    fn obstacle(&self) -> Obstacle {
        if self.has_unmet {
            return Obstacle::Unmet;
        }
        let mut needed = VotesNeeded { at_best: 0.0, as_so_far: 0.0 };
        for &UndecidedRival { arm, all, threshold, has_led } in &self.rivals {
            let Some(votes) = votes_needed(&all, threshold) else { return Obstacle::Rival(arm) };
            if has_led {
                return Obstacle::Changed(arm);
            }
            let votes = votes * (all.votes / (all.wins + all.losses));
            needed.at_best += votes;
            needed.as_so_far = needed.as_so_far.max(votes * self.n_votes / all.votes);
        }
        Obstacle::Votes(needed)
    }
}

/// How many more votes would likely make the front runner the leader.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VotesNeeded {
    /// If all of them are of its undecided pairs.
    pub at_best: f64,
    /// If votes go to pairs as they have so far.
    pub as_so_far: f64,
}

impl Verdict {
    /// Copies what is needed out of the evidence: limits of the mean rates are known of these arms
    /// alone.
    pub fn of(evidence: &Evidence, arms: impl IntoIterator<Item = Arm>) -> Self {
        Self::copy(evidence, arms, false)
    }

    /// The same, and what is known of these arms beside each rival.
    pub fn in_detail(evidence: &Evidence, arms: impl IntoIterator<Item = Arm>) -> Self {
        Self::copy(evidence, arms, true)
    }

    fn copy(evidence: &Evidence, arms: impl IntoIterator<Item = Arm>, in_detail: bool) -> Self {
        let means = evidence.means();
        let closely = |arm: Arm| {
            let mut tally = Tally::default();
            let mut rivals = if in_detail { evidence.rivals(arm) } else { Vec::new() };
            for rival in &rivals {
                tally.merge(&rival.all);
            }
            rivals.retain(|rival| means.is_active(rival.arm));
            let (opponents, retired) = (means.opponents(arm).to_vec(), means.retired(arm).to_vec());
            ArmDetail {
                rate: means.rate(arm),
                n_rivals: means.n_rivals(arm),
                opponents,
                retired,
                tally,
                rivals,
            }
        };
        Self {
            levels: *evidence.levels(),
            leader: evidence.leader(),
            front_runner: means.front_runner(),
            good_enough: means.good_enough().collect(),
            undecided: evidence.undecided(),
            obstacle: OnceLock::new(),
            arms: arms.into_iter().map(|arm| (arm, closely(arm))).collect(),
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

    /// The arm that is ahead for now, however little that means.
    pub fn front_runner(&self) -> Option<Arm> {
        self.front_runner
    }

    /// What keeps the front runner from being the leader; nothing if it is, or if there is none.
    pub fn obstacle(&self) -> Option<Obstacle> {
        *self.obstacle.get_or_init(|| self.undecided.as_ref().map(Undecided::obstacle))
    }

    /// How many more votes would likely make the front runner the leader; nothing if it is, or if
    /// that cannot be told.
    pub fn needed(&self) -> Option<VotesNeeded> {
        match self.obstacle() {
            Some(Obstacle::Votes(needed)) => Some(needed),
            _ => None,
        }
    }

    /// # Panics
    ///
    /// If the arm was not looked at.
    fn arm(&self, arm: Arm) -> &ArmDetail {
        self.arms.get(&arm).expect("the arm was asked for")
    }

    /// The mean probability of winning against a rival.
    ///
    /// # Panics
    ///
    /// If the arm was not looked at.
    pub fn borda(&self, arm: Arm) -> Estimate {
        let ArmDetail { rate, n_rivals, opponents, retired, .. } = self.arm(arm);
        // A rival that was never beside it may have any rate.
        let n_met = opponents.iter().fold(0.0, |sum, alike| sum + alike.n);
        let share = n_met / (*n_rivals).max(1) as f64;
        let met = borda_with(opponents, retired, self.levels.arm(arm));
        let (low, high) = (met.low * share, 1.0 - (1.0 - met.high) * share);
        Estimate { estimate: *rate, low, high }
    }

    /// All votes on an arm that was looked at in detail, from its viewpoint.
    ///
    /// # Panics
    ///
    /// If the arm was not looked at.
    pub fn tally(&self, arm: Arm) -> Tally {
        self.arm(arm).tally
    }

    /// How many rivals an arm beats that was looked at in detail.
    ///
    /// # Panics
    ///
    /// If the arm was not looked at.
    pub fn copeland(&self, arm: Arm) -> Estimate {
        let ArmDetail { n_rivals, rivals, .. } = self.arm(arm);
        let intervals: Vec<Interval> = rivals.iter().map(|rival| self.limits(arm, rival)).collect();
        let Copeland { certain, possible } = copeland(&intervals);
        let never_met = n_rivals - intervals.len();
        let beaten = rivals.iter().filter_map(|rival| rate(rival.all.score, rival.all.votes));
        let beaten: Vec<bool> = beaten.map(|rate| rate > 0.5).collect();
        let estimate = (!beaten.is_empty()).then(|| beaten.iter().filter(|&&beaten| beaten).count() as f64);
        Estimate { estimate, low: certain as f64, high: (possible + never_met) as f64 }
    }

    fn limits(&self, arm: Arm, rival: &Rival) -> Interval {
        limits(&rival.settled, &rival.all, rival.waiting, self.levels.pair(arm, rival.arm))
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
            }
        });
        rivals.collect()
    }

    /// The rivals that the front runner does not lead; nothing if there is no front runner, or it
    /// leads.
    fn undecided(&self) -> Option<Undecided> {
        let means = self.means();
        if self.leader().is_some() {
            return None;
        }
        let front = means.front_runner()?;
        // A duel in flight is no comparison yet.
        let compared =
            || self.pairs_of(front).filter(|(other, pair)| means.is_active(*other) && pair.all().votes > 0.0);
        let rivals = compared().filter(|&(other, _)| !self.is_ahead(front, other)).map(|(other, pair)| {
            let (all, peak) = if front < other {
                (*pair.all(), pair.peaks()[1])
            } else {
                (pair.all().flipped(), pair.peaks()[0])
            };
            let threshold = lead_threshold(1, self.levels().lead(front, other));
            UndecidedRival { arm: other, all, threshold, has_led: peak >= threshold }
        });
        Some(Undecided {
            rivals: rivals.collect(),
            has_unmet: compared().count() < means.n_rivals(front),
            n_votes: means.votes(),
        })
    }

    /// Bradley-Terry ratings of these arms, in this order, from votes before the first duel in
    /// flight of each pair.
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
        Estimate { estimate: rate(pair.all().score, pair.all().votes), low, high }
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
