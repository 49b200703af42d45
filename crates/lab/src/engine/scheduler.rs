//! Plays the items of a plan on all cores.
//!
//! The results do not depend on the order of the items, so the order serves one purpose: to keep
//! all cores busy until the end. Each cell's first item is played early, to learn what a round
//! costs there. From then on the longest item left is always next.

use core::ops::ControlFlow;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tiltyard_bandit::Spec;

use crate::engine::Progress;
use crate::engine::plan::Items;
use crate::engine::prepared_world::{PreparedWorld, Task};
use crate::engine::run::Run;
use crate::engine::throughput::Throughput;

/// A plan with everything that its runs need.
pub(crate) struct Scheduler<'a> {
    pub(crate) items: Items<'a>,
    /// The worlds of the plan, in its order; `None` if no item needs the world any more.
    pub(crate) worlds: &'a [Option<PreparedWorld>],
    /// The policies of the plan, in its order.
    pub(crate) specs: &'a [Spec],
    pub(crate) seed: u64,
    pub(crate) permute: bool,
}

/// How the work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Complete,
    Stopped,
}

impl Scheduler<'_> {
    /// Plays the items in `queue` on the threads of the current rayon pool. Passes each finished
    /// run to `keep`, on the thread that played it. The first error of `keep` stops all threads.
    pub(crate) fn run_all<E: Send>(
        &self,
        queue: Queue,
        progress: &Progress,
        keep: impl Fn(u64, Run, Duration) -> Result<(), E> + Sync,
    ) -> Result<End, E> {
        let queue = Mutex::new(queue);
        let failure = Mutex::new(None);
        let halt = AtomicBool::new(false);
        rayon::broadcast(|context| {
            while !halt.load(Ordering::Relaxed) && !progress.is_stopped() {
                let next = {
                    let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
                    progress.expect(queue.left() / u32::try_from(context.num_threads()).unwrap_or(1));
                    queue.take()
                };
                let Some((cell, index)) = next else { break };
                let start = Instant::now();
                let item = self.items.get(index);
                let played = self.play(index, &mut |rounds| {
                    let flow = progress.add(rounds);
                    if halt.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { flow }
                });
                if played.regret.len() < item.checkpoints.len() {
                    break;
                }
                let elapsed = start.elapsed();
                queue
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .learn(cell, Throughput { rounds: item.rounds(), time: elapsed });
                if let Err(error) = keep(index, played, elapsed) {
                    halt.store(true, Ordering::Relaxed);
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            }
        });
        if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        Ok(if progress.is_stopped() { End::Stopped } else { End::Complete })
    }

    fn play(&self, index: u64, tick: &mut dyn FnMut(u64) -> ControlFlow<()>) -> Run {
        let item = self.items.get(index);
        let cell = &self.items.plan().cells[item.cell];
        let task = Task {
            spec: &self.specs[cell.policy],
            fixed_horizon: cell.fixed_horizon,
            seed: self.seed,
            run: item.run,
            checkpoints: item.checkpoints,
            permute: self.permute,
        };
        let world = self.worlds[cell.world].as_ref().expect("a world that still has items is ready");
        world.play(&task, tick)
    }
}

/// Items to play, with what is known about their duration.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    cells: Vec<CellQueue>,
}

/// The items of one cell.
#[derive(Debug, Default)]
struct CellQueue {
    /// The number and rounds of each item, the longest last.
    pending: Vec<(u64, u64)>,
    /// The rounds of all pending items.
    rounds_pending: u64,
    /// Whether an item was taken to learn what a round costs.
    sampled: bool,
    throughput: Throughput,
}

impl Queue {
    /// All items for which `wanted` holds.
    pub(crate) fn of(items: &Items<'_>, wanted: impl Fn(u64) -> bool) -> Self {
        let cells = (0..items.plan().cells.len()).map(|cell| {
            let mut pending: Vec<_> = items
                .of_cell(cell)
                .rev()
                .filter(|&index| wanted(index))
                .map(|index| (index, items.get(index).rounds()))
                .collect();
            pending.sort_by_key(|&(_, rounds)| rounds);
            let rounds_pending = pending.iter().map(|(_, rounds)| rounds).sum();
            CellQueue { pending, rounds_pending, ..CellQueue::default() }
        });
        Self { cells: cells.collect() }
    }

    /// Rounds to play.
    pub(crate) fn rounds(&self) -> u64 {
        self.cells.iter().map(|queued| queued.rounds_pending).sum()
    }

    /// Whether items of this cell are left to play.
    pub(crate) fn has(&self, cell: usize) -> bool {
        !self.cells[cell].pending.is_empty()
    }

    /// Records how fast rounds of a cell were played.
    pub(crate) fn learn(&mut self, cell: usize, played: Throughput) {
        let queued = &mut self.cells[cell];
        queued.sampled = true;
        queued.throughput.add(played.rounds, played.time);
    }

    /// The estimated time for the items left, on one thread.
    fn left(&self) -> Duration {
        let cells = self.cells.iter();
        let nanoseconds: f64 = cells
            .map(|queued| queued.rounds_pending as f64 * queued.throughput.nanoseconds_per_round(1))
            .sum();
        Duration::try_from_secs_f64(nanoseconds / 1e9).unwrap_or(Duration::MAX)
    }

    /// The next item, as (cell, number).
    fn take(&mut self) -> Option<(usize, u64)> {
        let longest = self
            .cells
            .iter()
            .enumerate()
            .filter_map(|(cell, queued)| {
                let &(_, rounds) = queued.pending.last()?;
                Some((!queued.sampled, rounds as f64 * queued.throughput.nanoseconds_per_round(1), cell))
            })
            .max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(b.2.cmp(&a.2)));
        let (_, _, cell) = longest?;
        let queued = &mut self.cells[cell];
        queued.sampled = true;
        let (index, rounds) = queued.pending.pop()?;
        queued.rounds_pending -= rounds;
        Some((cell, index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::{Cell, Plan};

    fn plan() -> Plan {
        let cell = |runs, fixed_horizon, checkpoints: &[u64]| Cell {
            world: 0,
            policy: 0,
            runs,
            fixed_horizon,
            checkpoints: checkpoints.to_vec(),
            params: Vec::new(),
        };
        Plan { cells: vec![cell(2, false, &[100]), cell(1, true, &[10, 90])], ..Plan::default() }
    }

    /// First come one item of each cell, the longer cell first. A round of the second cell then
    /// takes ten times as long, so its item of 10 rounds ties with the first cell's (10 * 10 = 100
    /// against 100 * 1), and the first cell goes first.
    #[test]
    fn trace_order_of_work() {
        let plan = plan();
        let mut queue = Queue::of(&Items::of(&plan), |_| true);
        assert_eq!(queue.rounds(), 300);
        assert_eq!(queue.take(), Some((0, 0)));
        assert_eq!(queue.take(), Some((1, 3)));
        queue.learn(0, Throughput { rounds: 100, time: Duration::from_nanos(100) });
        queue.learn(1, Throughput { rounds: 90, time: Duration::from_nanos(900) });
        assert_eq!(queue.left(), Duration::from_nanos(200));
        assert_eq!(queue.take(), Some((0, 1)));
        assert_eq!(queue.take(), Some((1, 2)));
        assert_eq!(queue.take(), None);
    }
}
