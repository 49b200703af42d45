//! The plan of a job: what is played, in one canonical order.
//!
//! A plan holds no world and no policy, only their names: it is saved with the results, and whoever
//! reads or merges them finds the same items in the same order.

use serde::{Deserialize, Serialize};

/// Worlds, policies, and a cell for each policy in each world.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Plan {
    /// The worlds, in order.
    pub worlds: Vec<PlannedWorld>,
    /// The policies, in order.
    pub policies: Vec<PlannedPolicy>,
    /// One for each policy in each world, world by world.
    pub cells: Vec<Cell>,
}

/// A world of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedWorld {
    /// Its name in the results, without a directory of this machine.
    pub name: String,
    /// Its name for people.
    pub label: String,
    /// K: of the arms that a run meets.
    pub n_arms: usize,
    /// What the regret is: the name of its kind.
    pub regret: String,
    /// Where it comes from.
    pub source: Source,
}

/// Where a world comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The specification names it and has no other.
    Named,
    /// A file of the data directory.
    Data,
    /// What stands in for a file that is not there.
    StandIn,
}

/// A policy of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedPolicy {
    /// Its specification.
    pub policy: String,
    /// Its name for people.
    pub label: String,
    /// What a grid set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub swept: Vec<(String, String)>,
}

/// The runs of one policy in one world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Which world of the plan.
    pub world: usize,
    /// Which policy of the plan.
    pub policy: usize,
    /// How many runs.
    pub runs: u64,
    /// Whether the policy is told the horizon, and so is run once for each checkpoint.
    pub fixed_horizon: bool,
    /// Rounds at which curves are recorded, rising.
    pub checkpoints: Vec<u64>,
    /// The parameters in force.
    pub params: Vec<(String, String)>,
}

impl Cell {
    /// The number of pieces of work in it.
    pub fn n_items(&self) -> u64 {
        if self.fixed_horizon { self.runs * self.checkpoints.len() as u64 } else { self.runs }
    }
}

/// The smallest piece of work: one run, and the checkpoints that it records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'a> {
    /// Which cell of the plan.
    pub cell: usize,
    /// Which run.
    pub run: u64,
    /// The rounds it records; the last ends it.
    pub checkpoints: &'a [u64],
}

impl Item<'_> {
    /// How long it is.
    pub fn rounds(&self) -> u64 {
        self.checkpoints.last().copied().unwrap_or(0)
    }
}

/// The items of a plan by number: cell after cell, run after run, horizon after horizon.
#[derive(Debug, Clone)]
pub struct Items<'a> {
    plan: &'a Plan,
    /// The number of the first item of each cell, and the number of all at the end.
    starts: Vec<u64>,
}

impl<'a> Items<'a> {
    /// Those of a plan.
    pub fn of(plan: &'a Plan) -> Self {
        let mut starts = vec![0];
        let mut next = 0;
        for cell in &plan.cells {
            next += cell.n_items();
            starts.push(next);
        }
        Self { plan, starts }
    }

    /// How many.
    pub fn len(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item of that number.
    ///
    /// # Panics
    ///
    /// If there are not as many.
    pub fn get(&self, index: u64) -> Item<'a> {
        assert!(index < self.len(), "item {index} of {}", self.len());
        let cell = self.starts.partition_point(|&start| start <= index) - 1;
        let planned = &self.plan.cells[cell];
        let within = index - self.starts[cell];
        if planned.fixed_horizon {
            let n = planned.checkpoints.len() as u64;
            let at = usize::try_from(within % n).expect("an index into a list");
            Item { cell, run: within / n, checkpoints: &planned.checkpoints[at..=at] }
        } else {
            Item { cell, run: within, checkpoints: &planned.checkpoints }
        }
    }

    /// The numbers of the items of a cell.
    pub fn of_cell(&self, cell: usize) -> core::ops::Range<u64> {
        self.starts[cell]..self.starts[cell + 1]
    }

    /// The plan.
    pub fn plan(&self) -> &'a Plan {
        self.plan
    }
}

/// One part of a job that is spread over several machines: every `count`-th item, from `index` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Which part, counted from 1.
    pub index: u64,
    /// Of how many.
    pub count: u64,
}

impl Shard {
    /// All of a job.
    pub const WHOLE: Self = Self { index: 1, count: 1 };

    /// Part `index` of `count`, counted from 1; `None` if there is no such part.
    pub fn new(index: u64, count: u64) -> Option<Self> {
        (1 <= index && index <= count).then_some(Self { index, count })
    }

    /// Whether an item belongs to it. Neighbouring items go to different parts, so that all have
    /// their share of long ones.
    pub fn holds(self, item: u64) -> bool {
        item % self.count == self.index - 1
    }
}

impl core::fmt::Display for Shard {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(runs: u64, fixed_horizon: bool, checkpoints: &[u64]) -> Cell {
        let checkpoints = checkpoints.to_vec();
        Cell { world: 0, policy: 0, runs, fixed_horizon, checkpoints, params: Vec::new() }
    }

    /// Two runs of three checkpoints are two items for an anytime policy, and two times two for one
    /// told each of two horizons.
    #[test]
    fn trace_order_of_items() {
        let plan =
            Plan { cells: vec![cell(2, false, &[1, 5, 10]), cell(2, true, &[3, 9])], ..Plan::default() };
        let items = Items::of(&plan);
        let all: Vec<_> = (0..items.len())
            .map(|i| items.get(i))
            .map(|item| (item.cell, item.run, item.checkpoints.to_vec()))
            .collect();
        assert_eq!(
            all,
            [
                (0, 0, vec![1, 5, 10]),
                (0, 1, vec![1, 5, 10]),
                (1, 0, vec![3]),
                (1, 0, vec![9]),
                (1, 1, vec![3]),
                (1, 1, vec![9]),
            ]
        );
        assert_eq!(items.of_cell(1), 2..6);
    }

    #[test]
    fn law_each_item_is_in_one_shard() {
        for count in 1..5 {
            for item in 0..20 {
                let holders = (1..=count).filter(|&index| Shard::new(index, count).unwrap().holds(item));
                assert_eq!(holders.count(), 1);
            }
        }
        assert_eq!((Shard::new(0, 2), Shard::new(3, 2), Shard::new(1, 0)), (None, None, None));
    }
}
