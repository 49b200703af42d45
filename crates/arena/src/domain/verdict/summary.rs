//! The verdict: which arm has won, how certain that is, and what is missing, by the evidence at
//! this moment.
//!
//! Computing it takes some microseconds per pair. The evidence is therefore copied out of the state
//! first ([`Verdict`]), and evaluated after the lock is released.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use tiltyard_bandit::Arm;
use tiltyard_bandit::verdict::{
    Alike, Copeland, Interval, Ratings, RatingsError, Tally, borda_with, copeland, interval, interval_with,
    lead_threshold, ratings, votes_needed,
};

use crate::domain::{ErrorBudget, Evidence, rate};

/// The verdict on an experiment, with details of some arms.
#[derive(Debug, Clone)]
pub struct Verdict {
    levels: ErrorBudget,
    leader: Option<Arm>,
    front_runner: Option<Arm>,
    good_enough: Vec<Arm>,
    /// The rivals that the front runner does not lead yet. `None` if there is no front runner, or
    /// if it is the leader.
    undecided: Option<Undecided>,
    obstacle: OnceLock<Option<Obstacle>>,
    /// The arms whose details were requested.
    arms: BTreeMap<Arm, ArmDetail>,
}

#[derive(Debug, Clone)]
struct ArmDetail {
    /// The mean of its win rates against its rivals.
    rate: Option<f64>,
    n_rivals: usize,
    opponents: Vec<Alike>,
    /// Arms next to which it was shown and that are retired now.
    retired: Vec<Alike>,
    /// All votes on the arm, from its viewpoint. Only [`Verdict::in_detail`] fills this and
    /// `rivals`.
    tally: Tally,
    /// The rivals that are not retired.
    rivals: Vec<Rival>,
}

/// What is known about an arm and one of its rivals.
#[derive(Debug, Clone, Copy)]
struct Rival {
    arm: Arm,
    /// Votes, from the viewpoint of the arm whose rival this is.
    all: Tally,
    settled: Tally,
    waiting: f64,
}

/// An estimate with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The point estimate; `None` without votes.
    pub estimate: Option<f64>,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// The reason why the front runner is not the leader yet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Obstacle {
    /// It likely needs this many more votes.
    Votes(VotesNeeded),
    /// The first rival that is not behind it, or is behind by so little that even a billion votes
    /// would not show it.
    Rival(Arm),
    /// This rival is behind it now, but was once shown to be better.
    Changed(Arm),
    /// It was never compared with one of its rivals.
    Unmet,
}

/// The rivals that the front runner does not lead.
#[derive(Debug, Clone)]
struct Undecided {
    rivals: Vec<UndecidedRival>,
    /// Whether there are further rivals, without any vote against the front runner.
    has_unmet: bool,
    /// The number of votes of all pairs.
    n_votes: f64,
}

#[derive(Debug, Clone, Copy)]
struct UndecidedRival {
    arm: Arm,
    /// Votes, from the viewpoint of the front runner.
    all: Tally,
    /// The evidence (ln E) at which either arm is shown to be better.
    threshold: f64,
    /// Whether the rival was once shown to be better.
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
    /// If all of them go to the pairs of the front runner that are undecided.
    pub at_best: f64,
    /// If votes are distributed over the pairs as they were so far.
    pub as_so_far: f64,
}

impl Verdict {
    /// Copies what is needed out of the evidence. Confidence intervals of mean rates are available
    /// for these arms only.
    pub fn of(evidence: &Evidence, arms: impl IntoIterator<Item = Arm>) -> Self {
        Self::copy(evidence, arms, false)
    }

    /// The same, with what is known about these arms and each of their rivals.
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

    /// The arm that was shown to be better than every other arm.
    pub fn leader(&self) -> Option<Arm> {
        self.leader
    }

    /// The arms that were shown to be at most the margin worse than any other arm.
    pub fn good_enough(&self) -> &[Arm] {
        &self.good_enough
    }

    /// The arm that is ahead at the moment, even if only by chance.
    pub fn front_runner(&self) -> Option<Arm> {
        self.front_runner
    }

    /// Why the front runner is not the leader yet. `None` if it is the leader, or if there is no
    /// front runner.
    pub fn obstacle(&self) -> Option<Obstacle> {
        *self.obstacle.get_or_init(|| self.undecided.as_ref().map(Undecided::obstacle))
    }

    /// How many more votes would likely make the front runner the leader. `None` if it is the
    /// leader, or if the number cannot be estimated.
    pub fn needed(&self) -> Option<VotesNeeded> {
        match self.obstacle() {
            Some(Obstacle::Votes(needed)) => Some(needed),
            _ => None,
        }
    }

    /// # Panics
    ///
    /// If the details of the arm were not requested.
    fn arm(&self, arm: Arm) -> &ArmDetail {
        self.arms.get(&arm).expect("the details of the arm were requested")
    }

    /// The mean probability of winning against a rival.
    ///
    /// # Panics
    ///
    /// If the details of the arm were not requested.
    pub fn borda(&self, arm: Arm) -> Estimate {
        let ArmDetail { rate, n_rivals, opponents, retired, .. } = self.arm(arm);
        // A rival next to which it was never shown may have any rate.
        let n_met = opponents.iter().fold(0.0, |sum, alike| sum + alike.n);
        let share = n_met / (*n_rivals).max(1) as f64;
        let met = borda_with(opponents, retired, self.levels.arm(arm));
        let (low, high) = (met.low * share, 1.0 - (1.0 - met.high) * share);
        Estimate { estimate: *rate, low, high }
    }

    /// All votes on an arm, from its viewpoint. Needs [`Self::in_detail`].
    ///
    /// # Panics
    ///
    /// If the details of the arm were not requested.
    pub fn tally(&self, arm: Arm) -> Tally {
        self.arm(arm).tally
    }

    /// The number of rivals that an arm beats. Needs [`Self::in_detail`].
    ///
    /// # Panics
    ///
    /// If the details of the arm were not requested.
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
    /// What is known about an arm and each arm with which it was compared.
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

    /// The rivals that the front runner does not lead. `None` if there is no front runner, or if it
    /// is the leader.
    fn undecided(&self) -> Option<Undecided> {
        let means = self.means();
        if self.leader().is_some() {
            return None;
        }
        let front = means.front_runner()?;
        // A duel in flight is not a comparison yet.
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

    /// Bradley-Terry ratings of these arms, in this order. They use the votes before the first duel
    /// in flight of each pair.
    ///
    /// # Errors
    ///
    /// If the votes do not determine the ratings.
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

    /// The probability that the first arm of a pair wins against the second.
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

/// The interval that agrees with both prefixes of the order of issue.
fn limits(settled: &Tally, all: &Tally, waiting: f64, level: f64) -> Interval {
    let whole = interval_with(all, waiting, level);
    if waiting == 0.0 {
        return whole;
    }
    let before = interval(settled.score, settled.votes, level);
    let both = Interval { low: whole.low.max(before.low), high: whole.high.min(before.high) };
    // Intervals that do not overlap are a sign of change. The one from all votes is closer to the
    // present.
    if both.low <= both.high { both } else { whole }
}
