//! How all arms stand on average, kept up with each vote.
//!
//! With thousands of arms a sum over all pairs takes a quarter of a second; adding what one vote
//! changes takes nothing. Rates are kept as whole multiples of 2^-40, so that it does not matter in
//! which order they were added and taken away: an experiment that goes on from a snapshot says the
//! same as one that never stopped.

use tiltyard_bandit::Arm;
use tiltyard_bandit::verdict::Alike;

use crate::domain::{OpponentTallies, rate};

/// How all arms stand on average against rivals that are not retired.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeanRates {
    arms: Vec<Mean>,
    n_active: usize,
    /// All votes of all pairs.
    votes: i128,
}

/// How an arm stands on average against rivals that are not retired.
#[derive(Debug, Clone, Default, PartialEq)]
struct Mean {
    is_active: bool,
    /// Rivals beside which it was shown, by their votes, and retired arms.
    opponents: OpponentTallies,
    retired: OpponentTallies,
    /// Rivals with votes, and how far the rates against them are above 1/2 in sum.
    compared: u32,
    sum: i128,
    /// Rivals against which the rate is above 1/2; that it was shown to be better than; that it was
    /// shown not to be worse than by more than the margin.
    beaten: u32,
    leads: u32,
    holds: u32,
}

/// How an arm stands against one rival.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairResult {
    /// The votes, and the duels in flight.
    pub(crate) votes: Alike,
    /// Whether it was shown to be better, and the rival was not.
    pub(crate) leads: bool,
    /// Whether it was shown to be worse by no more than the margin, or better.
    pub(crate) holds: bool,
}

/// A number as a multiple of 2^-40: rates are exact to twelve digits.
const UNIT: f64 = (1_u64 << 40) as f64;

fn units(number: f64) -> i128 {
    #[expect(clippy::cast_possible_truncation, reason = "numbers of votes are far below 2^87")]
    let units = (number * UNIT).round() as i128;
    units
}

impl PairResult {
    /// The rate; nothing without votes.
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

/// Whether something comes or goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Add,
    Remove,
}

impl MeanRates {
    /// Those of arms that were not compared yet.
    pub(crate) fn new(active: &[bool]) -> Self {
        let arms = active.iter().map(|&is_active| Mean { is_active, ..Mean::default() });
        Self {
            arms: arms.collect(),
            n_active: active.iter().filter(|&&is_active| is_active).count(),
            votes: 0,
        }
    }

    /// Adds or takes away how the arms of a pair stand against each other, and its votes.
    pub(crate) fn pair(&mut self, one: Arm, other: Arm, stands: &[PairResult; 2], by: Change) {
        self.rival(one, other, &stands[0], by);
        self.rival(other, one, &stands[1], by);
        let votes = units(stands[0].votes.votes);
        self.votes += if by == Change::Add { votes } else { -votes };
    }

    /// Adds or takes away how an arm stands against a rival. Of a retired one the votes alone are
    /// kept.
    fn rival(&mut self, arm: Arm, rival: Arm, stand: &PairResult, by: Change) {
        let is_active = self.is_active(rival);
        let mean = &mut self.arms[arm.index()];
        if is_active {
            mean.change(stand, by);
        } else {
            mean.retired.change(&stand.votes, by);
        }
    }

    /// An arm is there from now on.
    pub(crate) fn add_arm(&mut self) {
        self.arms.push(Mean { is_active: true, ..Mean::default() });
        self.n_active += 1;
    }

    /// An arm counts as a rival, or does no more. How the others stand against it comes with it.
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

    /// How many arms there are, retired ones among them.
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

    /// How many rivals an arm has, compared with it or not.
    pub fn n_rivals(&self, arm: Arm) -> usize {
        self.n_active - usize::from(self.is_active(arm))
    }

    /// All votes of all pairs.
    pub fn votes(&self) -> f64 {
        self.votes as f64 / UNIT
    }

    /// The mean of the rates against rivals, 1/2 where there was no vote; nothing if there was none
    /// at all.
    pub fn rate(&self, arm: Arm) -> Option<f64> {
        let mean = &self.arms[arm.index()];
        (mean.compared > 0).then(|| 0.5 + mean.sum as f64 / UNIT / self.n_rivals(arm) as f64)
    }

    /// Rivals beside which an arm was shown, by their votes.
    pub fn opponents(&self, arm: Arm) -> &[Alike] {
        self.arms[arm.index()].opponents.as_slice()
    }

    /// Retired arms beside which an arm was shown, by their votes.
    pub fn retired(&self, arm: Arm) -> &[Alike] {
        self.arms[arm.index()].retired.as_slice()
    }

    /// The arm that is ahead for now, however little that means: the one that beats most rivals by
    /// the votes so far.
    pub fn front_runner(&self) -> Option<Arm> {
        let standing = |arm: Arm| (self.arms[arm.index()].beaten, self.rate(arm).unwrap_or(0.5));
        let best = self.active().map(|arm| (standing(arm), arm)).max_by(|(one, first), (other, second)| {
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(second.cmp(first))
        });
        best.filter(|((beaten, mean), _)| *beaten > 0 || *mean > 0.5).map(|(_, arm)| arm)
    }

    /// The arm that was shown to be better than each of the others. One that is alone leads nobody.
    pub fn leader(&self) -> Option<Arm> {
        self.active().find(|&arm| self.is_all(self.arms[arm.index()].leads))
    }

    /// Arms that were shown to be worse than none of the others by more than the margin.
    pub fn good_enough(&self) -> impl Iterator<Item = Arm> {
        self.active().filter(|&arm| self.is_all(self.arms[arm.index()].holds))
    }

    /// Whether so many rivals are all rivals of an arm that is not retired.
    fn is_all(&self, rivals: u32) -> bool {
        rivals > 0 && rivals as usize + 1 == self.n_active
    }
}
