//! The arms that each arm beats, as rows of bits, so that a search for cycles handles 64 arms at a
//! time.

use crate::Arm;
use crate::matrix::PreferenceMatrix;

const BITS: usize = u64::BITS as usize;

/// A set of arms.
type Set = Vec<u64>;

fn contains(set: &[u64], arm: Arm) -> bool {
    set[arm.index() / BITS] >> (arm.index() % BITS) & 1 == 1
}

fn insert(set: &mut [u64], arm: Arm) {
    set[arm.index() / BITS] |= 1 << (arm.index() % BITS);
}

/// The arms that each arm beats (`by`), and the arms that beat it (`of`).
pub(super) struct Beaten {
    by: Vec<Set>,
    of: Vec<Set>,
}

impl Beaten {
    pub(super) fn of(matrix: &PreferenceMatrix) -> Self {
        let n_arms = matrix.n_arms();
        let mut by = vec![vec![0; n_arms.div_ceil(BITS)]; n_arms];
        let mut of = by.clone();
        for arm in Arm::all(n_arms) {
            for other in Arm::all(n_arms).filter(|&other| matrix.get(arm, other) > 0.5) {
                insert(&mut by[arm.index()], other);
                insert(&mut of[other.index()], arm);
            }
        }
        Self { by, of }
    }

    /// The number of sets of three arms that beat each other in a cycle.
    pub(super) fn cyclic_triples(&self) -> u64 {
        let mut count = 0;
        for first in Arm::all(self.by.len()) {
            let winners = &self.of[first.index()];
            for second in Arm::all(self.by.len()).filter(|&second| contains(&self.by[first.index()], second))
            {
                let losers = &self.by[second.index()];
                count +=
                    losers.iter().zip(winners).map(|(a, b)| u64::from((a & b).count_ones())).sum::<u64>();
            }
        }
        // Each set was counted once from each of its three arms.
        count / 3
    }

    /// A shortest cycle of these arms, through the first arm that is on a cycle of that length.
    pub(super) fn shortest_cycle(&self, arms: &[Arm]) -> Option<Vec<Arm>> {
        let mut shortest: Option<Vec<Arm>> = None;
        for &start in arms {
            let limit = shortest.as_ref().map_or(arms.len() + 1, Vec::len);
            if let Some(cycle) = self.cycle_through(start, arms, limit) {
                let no_shorter_exists = cycle.len() == 3;
                shortest = Some(cycle);
                if no_shorter_exists {
                    break;
                }
            }
        }
        shortest
    }

    /// The shortest cycle through `start`, if it has fewer than `limit` arms, by breadth-first
    /// search.
    fn cycle_through(&self, start: Arm, arms: &[Arm], limit: usize) -> Option<Vec<Arm>> {
        let mut unseen: Set = vec![0; self.by[0].len()];
        for &arm in arms {
            insert(&mut unseen, arm);
        }
        // The arm from which each arm was reached.
        let mut parent = vec![start; self.by.len()];
        let mut rim = vec![start];
        for length in 1..limit {
            if let Some(&last) = rim.iter().find(|&&arm| contains(&self.by[arm.index()], start)) {
                let mut cycle = vec![last];
                while cycle[cycle.len() - 1] != start {
                    cycle.push(parent[cycle[cycle.len() - 1].index()]);
                }
                cycle.reverse();
                debug_assert_eq!(cycle.len(), length);
                return Some(cycle);
            }
            let mut next = Vec::new();
            for &from in &rim {
                for (i, (unseen, beaten)) in unseen.iter_mut().zip(&self.by[from.index()]).enumerate() {
                    let mut new = *unseen & beaten;
                    *unseen &= !new;
                    while new != 0 {
                        let to = Arm::new(i * BITS + new.trailing_zeros() as usize);
                        parent[to.index()] = from;
                        next.push(to);
                        new &= new - 1;
                    }
                }
            }
            rim = next;
        }
        None
    }
}
