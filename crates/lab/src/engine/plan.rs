//! The plan of a job: everything that is played, in one canonical order.
//!
//! A plan holds only the names of worlds and policies. It is saved with the results, so that every
//! program that reads or merges them finds the same items in the same order.

use serde::{Deserialize, Serialize};

/// Worlds, policies, and one cell per policy and world.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Plan {
    pub worlds: Vec<PlannedWorld>,
    pub policies: Vec<PlannedPolicy>,
    /// World by world.
    pub cells: Vec<Cell>,
}

/// A world of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct PlannedWorld {
    /// The name in the results, without a directory of this machine.
    pub name: String,
    /// The name for people.
    pub label: String,
    /// K, counting only the arms that a run uses.
    pub n_arms: usize,
    /// The name of the regret.
    pub regret: String,
    pub source: Source,
}

/// Where a world comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The specification names the world directly.
    Named,
    /// A file in the data directory.
    Data,
    /// A replacement for a data file that does not exist.
    StandIn,
}

/// A policy of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedPolicy {
    /// The specification of the policy.
    pub policy: String,
    /// The name for people.
    pub label: String,
    /// The parameters that a grid set, with their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub swept: Vec<(String, String)>,
}

/// The runs of one policy in one world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Cell {
    /// The index of the world in the plan.
    pub world: usize,
    /// The index of the policy in the plan.
    pub policy: usize,
    pub runs: u64,
    /// Whether the policy needs the horizon. If so, it is run once for each checkpoint.
    pub fixed_horizon: bool,
    /// Rounds at which curves are recorded, in rising order.
    pub checkpoints: Vec<u64>,
    /// The parameters in force.
    pub params: Vec<(String, String)>,
}

impl Cell {
    /// The number of items in the cell.
    pub fn n_items(&self) -> u64 {
        if self.fixed_horizon { self.runs * self.checkpoints.len() as u64 } else { self.runs }
    }
}

/// The smallest unit of work: one run, with the checkpoints that it records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'a> {
    /// The index of the cell in the plan.
    pub cell: usize,
    /// The number of the run.
    pub run: u64,
    /// The rounds that the run records. The last ends it.
    pub checkpoints: &'a [u64],
}

impl Item<'_> {
    /// The length of the run.
    pub fn rounds(&self) -> u64 {
        self.checkpoints.last().copied().unwrap_or(0)
    }
}

/// The items of a plan, numbered cell by cell, run by run, horizon by horizon.
#[derive(Debug, Clone)]
pub struct Items<'a> {
    plan: &'a Plan,
    /// The number of the first item of each cell, followed by the number of all items.
    starts: Vec<u64>,
}

impl<'a> Items<'a> {
    /// The items of a plan.
    pub fn of(plan: &'a Plan) -> Self {
        let mut starts = vec![0];
        let mut next = 0;
        for cell in &plan.cells {
            next += cell.n_items();
            starts.push(next);
        }
        Self { plan, starts }
    }

    /// The number of items.
    pub fn len(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item with this number.
    ///
    /// # Panics
    ///
    /// If there is no such item.
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

    /// The numbers of a cell's items.
    pub fn of_cell(&self, cell: usize) -> core::ops::Range<u64> {
        self.starts[cell]..self.starts[cell + 1]
    }

    /// The plan of these items.
    pub fn plan(&self) -> &'a Plan {
        self.plan
    }
}

/// One part of a job that several machines share: every `count`-th item, beginning with the
/// `index`-th.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// The number of the part, counted from 1.
    pub index: u64,
    /// The number of all parts.
    pub count: u64,
}

impl Shard {
    /// The whole job.
    pub const WHOLE: Self = Self { index: 1, count: 1 };

    /// Part `index` of `count`, counted from 1; `None` if there is no such part.
    pub fn new(index: u64, count: u64) -> Option<Self> {
        (1 <= index && index <= count).then_some(Self { index, count })
    }

    /// Whether an item belongs to this shard. Neighbouring items go to different shards, so that
    /// each shard gets its share of long ones.
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

    /// For an anytime policy, two runs with three checkpoints are two items. For a policy that
    /// needs the horizon, two runs with two horizons are four items.
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
