//! The mean win rates of all arms, updated with each vote.
//!
//! With thousands of arms, a sum over all pairs takes a quarter of a second; the update for one
//! vote takes no time to speak of. Rates are stored as integer multiples of 2^-40, so the order of
//! additions and subtractions does not matter. An experiment that continues from a snapshot
//! therefore gives the same result as one that never stopped.

use tiltyard_bandit::Arm;
use tiltyard_bandit::verdict::Alike;

use crate::domain::{OpponentTallies, rate};

/// The mean win rates of all arms against rivals that are not retired.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeanRates {
    arms: Vec<Mean>,
    n_active: usize,
    /// The number of votes of all pairs, in units of 2^-40.
    votes: i128,
}

/// The results of one arm against rivals that are not retired.
#[derive(Debug, Clone, Default, PartialEq)]
struct Mean {
    is_active: bool,
    /// Rivals next to which it was shown, by their votes.
    opponents: OpponentTallies,
    /// The same for retired arms.
    retired: OpponentTallies,
    /// The number of rivals with votes.
    compared: u32,
    /// The sum of (rate - 1/2) over these rivals, in units of 2^-40.
    sum: i128,
    /// The number of rivals against which the rate is above 1/2.
    beaten: u32,
    /// The number of rivals that it was shown to be better than.
    leads: u32,
    /// The number of rivals that it was shown to be better than, or worse than by no more than the
    /// margin.
    holds: u32,
}

/// The result of an arm against one rival.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairResult {
    /// The votes, and the duels in flight.
    pub(crate) votes: Alike,
    /// Whether the arm was shown to be better, and the rival was not.
    pub(crate) leads: bool,
    /// Whether the arm was shown to be better, or worse by no more than the margin.
    pub(crate) holds: bool,
}

/// Numbers are stored as multiples of 2^-40: rates are exact to twelve digits.
const UNIT: f64 = (1_u64 << 40) as f64;

fn units(number: f64) -> i128 {
    #[expect(clippy::cast_possible_truncation, reason = "numbers of votes are far below 2^87")]
    let units = (number * UNIT).round() as i128;
    units
}

impl PairResult {
    /// `None` without votes.
    fn rate(&self) -> Option<f64> {
        rate(self.votes.score, self.votes.votes)
    }
}

impl Mean {
    fn change(&mut self, stand: &PairResult, by: Change) {
        let rate = stand.rate();
        let count = |counter: &mut u32, holds: bool| {
            let one = u32::from(holds);
            *counter = if by == Change::Add { *counter + one } else { *counter - one };
        };
        count(&mut self.compared, rate.is_some());
        count(&mut self.beaten, rate.is_some_and(|rate| rate > 0.5));
        count(&mut self.leads, stand.leads);
        count(&mut self.holds, stand.holds);
        let above = rate.map_or(0, |rate| units(rate - 0.5));
        match by {
            Change::Add => self.sum += above,
            Change::Remove => self.sum -= above,
        }
        self.opponents.change(&stand.votes, by);
    }
}

/// Whether a result is added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Add,
    Remove,
}

impl MeanRates {
    /// The rates of arms that were not compared yet.
    pub(crate) fn new(active: &[bool]) -> Self {
        let arms = active.iter().map(|&is_active| Mean { is_active, ..Mean::default() });
        Self {
            arms: arms.collect(),
            n_active: active.iter().filter(|&&is_active| is_active).count(),
            votes: 0,
        }
    }

    /// Adds or removes the results and the votes of a pair.
    pub(crate) fn pair(&mut self, one: Arm, other: Arm, stands: &[PairResult; 2], by: Change) {
        self.rival(one, other, &stands[0], by);
        self.rival(other, one, &stands[1], by);
        let votes = units(stands[0].votes.votes);
        self.votes += if by == Change::Add { votes } else { -votes };
    }

    /// Adds or removes the result of an arm against a rival. If the rival is retired, only its
    /// votes are stored.
    fn rival(&mut self, arm: Arm, rival: Arm, stand: &PairResult, by: Change) {
        let is_active = self.is_active(rival);
        let mean = &mut self.arms[arm.index()];
        if is_active {
            mean.change(stand, by);
        } else {
            mean.retired.change(&stand.votes, by);
        }
    }

    /// Adds arms that are not retired.
    pub(crate) fn add_arms(&mut self, n: usize) {
        self.arms.resize(self.arms.len() + n, Mean { is_active: true, ..Mean::default() });
        self.n_active += n;
    }

    /// Restores or retires an arm. `others` has the results of the other arms against it.
    pub(crate) fn activate(
        &mut self,
        arm: Arm,
        is_active: bool,
        others: impl Iterator<Item = (Arm, PairResult)>,
    ) {
        if self.is_active(arm) == is_active {
            return;
        }
        let (by, back) =
            if is_active { (Change::Add, Change::Remove) } else { (Change::Remove, Change::Add) };
        for (other, stand) in others {
            let mean = &mut self.arms[other.index()];
            mean.change(&stand, by);
            mean.retired.change(&stand.votes, back);
        }
        self.arms[arm.index()].is_active = is_active;
        self.n_active = if is_active { self.n_active + 1 } else { self.n_active - 1 };
    }

    /// The number of arms, including retired ones.
    pub fn n_arms(&self) -> usize {
        self.arms.len()
    }

    /// Whether an arm is not retired.
    pub fn is_active(&self, arm: Arm) -> bool {
        self.arms[arm.index()].is_active
    }

    fn active(&self) -> impl Iterator<Item = Arm> {
        Arm::all(self.arms.len()).filter(|&arm| self.is_active(arm))
    }

    /// The number of rivals of an arm, whether it was compared with them or not.
    pub fn n_rivals(&self, arm: Arm) -> usize {
        self.n_active - usize::from(self.is_active(arm))
    }

    /// The number of votes of all pairs.
    pub fn votes(&self) -> f64 {
        self.votes as f64 / UNIT
    }

    /// The mean of an arm's win rates against its rivals, with 1/2 for rivals without votes. `None`
    /// if no rival has votes.
    pub fn rate(&self, arm: Arm) -> Option<f64> {
        let mean = &self.arms[arm.index()];
        (mean.compared > 0).then(|| 0.5 + mean.sum as f64 / UNIT / self.n_rivals(arm) as f64)
    }

    /// Rivals next to which an arm was shown, by their votes.
    pub fn opponents(&self, arm: Arm) -> &[Alike] {
        self.arms[arm.index()].opponents.as_slice()
    }

    /// Retired arms next to which an arm was shown, by their votes.
    pub fn retired(&self, arm: Arm) -> &[Alike] {
        self.arms[arm.index()].retired.as_slice()
    }

    /// The arm that is ahead at the moment, even if only by chance: it beats the most rivals by the
    /// votes so far.
    pub fn front_runner(&self) -> Option<Arm> {
        let standing = |arm: Arm| (self.arms[arm.index()].beaten, self.rate(arm).unwrap_or(0.5));
        let best = self.active().map(|arm| (standing(arm), arm)).max_by(|(one, first), (other, second)| {
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(second.cmp(first))
        });
        best.filter(|((beaten, mean), _)| *beaten > 0 || *mean > 0.5).map(|(_, arm)| arm)
    }

    /// The arm that was shown to be better than every other arm. An arm without rivals is not a
    /// leader.
    pub fn leader(&self) -> Option<Arm> {
        self.active().find(|&arm| self.is_all(self.arms[arm.index()].leads))
    }

    /// The arms that were shown to be at most the margin worse than any other arm.
    pub fn good_enough(&self) -> impl Iterator<Item = Arm> {
        self.active().filter(|&arm| self.is_all(self.arms[arm.index()].holds))
    }

    /// Whether these are all rivals of an arm that is not retired.
    fn is_all(&self, rivals: u32) -> bool {
        rivals > 0 && rivals as usize + 1 == self.n_active
    }
}
