//! Arms in small batches, with counts only of duels within a batch.

use crate::Arm;
use crate::damaged::Damaged;

/// Batches that take turns, lose arms and merge. Two arms of one batch stay together until one of
/// them is removed, and keep their counts. Arms that meet through a merge start with no duels. All
/// memory is allocated at the start: K / p blocks of (3 p / 2)^2 pairs, which is O(K p) instead of
/// K^2.
#[derive(Debug, Clone)]
pub(crate) struct Batches {
    /// p, the target size of a batch.
    target: usize,
    /// The largest size of a batch.
    most: usize,
    /// The batches in the order of their turns, as numbers of blocks.
    order: Vec<u32>,
    /// The number of arms in each block.
    sizes: Vec<u32>,
    /// The arms, block by block, with `most` places per block.
    arms: Vec<Arm>,
    /// The position of each arm.
    homes: Vec<Home>,
    /// The counts, block by block, with `most` rows of `most` cells per block. The row is the place
    /// of the first arm, the column that of the second. Unused cells are blank.
    cells: Vec<Cell>,
    n_left: usize,
    /// Whether a batch of one arm waits until another batch has room.
    waiting: bool,
    /// Scratch space for sorting, as long as the initial order.
    spare: Vec<u32>,
}

/// A block and a place in it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Home {
    block: u32,
    place: u32,
}

/// The block of an arm that is out.
const OUT: u32 = u32::MAX;

/// The counts of two places of a block.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Cell {
    /// Wins of the first arm over the second.
    wins: u64,
    /// Duels in flight. The cell with the places swapped has the same number.
    in_flight: u32,
}

/// The largest target, and the most arms that its batches may have.
pub(crate) const MOST_TARGET: usize = 64;
pub(crate) const MOST_ARMS: usize = MOST_TARGET * 3 / 2;

/// The largest count. No run reaches it, and the sum of two such counts is still an exact whole
/// number in floating point.
const HIGHEST: u64 = 1 << 52;

impl Batches {
    /// Divides a list of all arms into batches of at most `target` arms. Their sizes differ by at
    /// most one.
    pub(crate) fn new(arms: &[Arm], target: usize) -> Self {
        let n_batches = arms.len().div_ceil(target).max(1);
        let sizes = (0..n_batches).map(|i| arms.len() * (i + 1) / n_batches - arms.len() * i / n_batches);
        let batches = Self::with_sizes(arms, &sizes.collect::<Vec<_>>(), target);
        assert!(batches.homes.iter().all(|home| home.block != OUT), "the list contains each arm once");
        batches
    }

    /// Batches of these sizes, one after the other. The arms that are left over are out. The list
    /// must contain each arm once, and every size must be between 1 and 3/2 of the target.
    fn with_sizes(arms: &[Arm], sizes: &[usize], target: usize) -> Self {
        let most = (target * 3 / 2).min(arms.len());
        let mut batches = Self {
            target,
            most,
            order: (0..small(sizes.len())).collect(),
            sizes: sizes.iter().map(|&size| small(size)).collect(),
            arms: vec![Arm::new(0); sizes.len() * most],
            homes: vec![Home { block: OUT, place: 0 }; arms.len()],
            cells: vec![Cell::default(); sizes.len() * most * most],
            n_left: sizes.iter().sum(),
            waiting: false,
            spare: vec![0; sizes.len()],
        };
        let mut next = arms.iter();
        for (block, &size) in sizes.iter().enumerate() {
            for (place, &arm) in next.by_ref().take(size).enumerate() {
                batches.put(arm, block, place);
            }
        }
        batches.waiting = batches.first_single().is_some();
        batches
    }

    fn put(&mut self, arm: Arm, block: usize, place: usize) {
        self.arms[block * self.most + place] = arm;
        self.homes[arm.index()] = Home { block: small(block), place: small(place) };
    }

    /// K.
    #[inline]
    pub(crate) fn n_arms(&self) -> usize {
        self.homes.len()
    }

    /// The number of arms that are not out.
    #[inline]
    pub(crate) fn n_left(&self) -> usize {
        self.n_left
    }

    pub(crate) fn n_batches(&self) -> usize {
        self.order.len()
    }

    /// The batches, in the order of their turns.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Batch<'_>> {
        self.order.iter().map(|&block| self.batch(block as usize))
    }

    #[inline]
    fn batch(&self, block: usize) -> Batch<'_> {
        let square = self.most * self.most;
        Batch {
            arms: &self.arms[block * self.most..][..self.sizes[block] as usize],
            cells: &self.cells[block * square..][..square],
            most: self.most,
        }
    }

    /// The batch that plays in a round. Its number is the round modulo the number of batches. If
    /// that batch has a single arm and waits, it is the next batch with at least two arms.
    #[inline]
    pub(crate) fn turn(&self, round: u64) -> Batch<'_> {
        let n = self.order.len();
        #[expect(clippy::cast_possible_truncation, reason = "below the number of batches")]
        let mut place = (round % n as u64) as usize;
        if self.waiting {
            for _ in 1..n {
                if self.sizes[self.order[place] as usize] > 1 {
                    break;
                }
                place = (place + 1) % n;
            }
        }
        self.batch(self.order[place] as usize)
    }

    /// The two cells of two arms, if both are in one batch.
    #[inline]
    fn cells_of(&self, a: Arm, b: Arm) -> Option<(usize, usize)> {
        let (first, second) = (self.homes[a.index()], self.homes[b.index()]);
        if a == b || first.block != second.block || first.block == OUT {
            return None;
        }
        let (i, j) = (first.place as usize, second.place as usize);
        let start = first.block as usize * self.most * self.most;
        Some((start + i * self.most + j, start + j * self.most + i))
    }

    /// Records that a duel is in flight. Here and below, a duel of arms that are not in one batch
    /// changes nothing.
    #[inline]
    pub(crate) fn issue(&mut self, a: Arm, b: Arm) {
        if let Some((one, other)) = self.cells_of(a, b) {
            let in_flight = self.cells[one].in_flight.saturating_add(1);
            self.cells[one].in_flight = in_flight;
            self.cells[other].in_flight = in_flight;
        }
    }

    /// Records that a duel in flight has ended, with or without an outcome.
    #[inline]
    pub(crate) fn land(&mut self, a: Arm, b: Arm) {
        if let Some((one, other)) = self.cells_of(a, b) {
            // A node that learns from the duels of another node has none of them in flight.
            let in_flight = self.cells[one].in_flight.saturating_sub(1);
            self.cells[one].in_flight = in_flight;
            self.cells[other].in_flight = in_flight;
        }
    }

    /// Counts a win. Returns the wins and losses of the winner against the loser.
    #[inline]
    pub(crate) fn record(&mut self, winner: Arm, loser: Arm) -> Option<(u64, u64)> {
        let (won, lost) = self.cells_of(winner, loser)?;
        self.cells[won].wins += 1;
        Some((self.cells[won].wins, self.cells[lost].wins))
    }

    /// Removes an arm that is in a batch with others. If a single arm is left in the batch, that
    /// batch waits for [`Self::join_singles`].
    pub(crate) fn remove(&mut self, arm: Arm) {
        let Home { block, place } = self.homes[arm.index()];
        let (block, place) = (block as usize, place as usize);
        let last = self.sizes[block] as usize - 1;
        debug_assert!(last > 0, "a batch keeps at least one arm");
        let start = block * self.most * self.most;
        // The last arm takes the free place. Its row moves first, so that the column also moves the
        // blank cell of the diagonal.
        for k in 0..=last {
            self.cells[start + place * self.most + k] = self.cells[start + last * self.most + k];
        }
        for k in 0..=last {
            self.cells[start + k * self.most + place] = self.cells[start + k * self.most + last];
        }
        for k in 0..=last {
            self.cells[start + last * self.most + k] = Cell::default();
            self.cells[start + k * self.most + last] = Cell::default();
        }
        self.put(self.arms[block * self.most + last], block, place);
        self.homes[arm.index()].block = OUT;
        self.sizes[block] -= 1;
        self.n_left -= 1;
        if last == 1 {
            self.waiting = true;
        }
    }

    /// Moves each batch of one arm into the next batch in turn that has room.
    pub(crate) fn join_singles(&mut self) {
        while self.waiting {
            let Some(place) = self.first_single() else {
                self.waiting = false;
                return;
            };
            let n = self.order.len();
            let next = (1..n).map(|step| (place + step) % n);
            let has_room = |&at: &usize| (self.sizes[self.order[at] as usize] as usize) < self.most;
            // All others are full. The arm waits until one of them loses an arm.
            let Some(host) = next.into_iter().find(has_room) else { return };
            self.absorb(self.order[host] as usize, self.order[place] as usize);
            self.order.remove(place);
        }
    }

    /// The first of several batches that has a single arm.
    fn first_single(&self) -> Option<usize> {
        if self.order.len() == 1 {
            return None;
        }
        self.order.iter().position(|&block| self.sizes[block as usize] == 1)
    }

    /// Merges small batches with large ones, until every batch has at least half of the target size
    /// or nothing can be merged.
    pub(crate) fn merge(&mut self) {
        loop {
            let before = self.order.len();
            self.pair_up();
            let smallest = self.order.iter().map(|&block| self.sizes[block as usize] as usize).min();
            if self.order.len() == before || smallest.is_none_or(|size| 2 * size >= self.target) {
                break;
            }
        }
        self.waiting = self.first_single().is_some();
    }

    /// The smallest batch joins the largest, and so on towards the middle. A batch that is too
    /// large to take the smallest stays as it is.
    fn pair_up(&mut self) {
        self.sort_by_size();
        let n = self.order.len();
        let (mut low, mut high, mut made) = (0, n, 0);
        while low < high {
            high -= 1;
            let (little, large) = (self.spare[low] as usize, self.spare[high] as usize);
            if low < high && (self.sizes[little] + self.sizes[large]) as usize <= self.most {
                self.absorb(large, little);
                low += 1;
            }
            self.order[made] = small(large);
            made += 1;
        }
        self.order.truncate(made);
    }

    /// Writes the order into `spare`, small batches first. Batches of equal size keep their order.
    fn sort_by_size(&mut self) {
        let mut starts = [0usize; MOST_ARMS + 2];
        for &block in &self.order {
            starts[self.sizes[block as usize] as usize + 1] += 1;
        }
        for size in 1..starts.len() {
            starts[size] += starts[size - 1];
        }
        for &block in &self.order {
            let start = &mut starts[self.sizes[block as usize] as usize];
            self.spare[*start] = block;
            *start += 1;
        }
    }

    /// Moves the arms of one block, with their counts, to the free places of another.
    fn absorb(&mut self, host: usize, guest: usize) {
        let (first, size) = (self.sizes[host] as usize, self.sizes[guest] as usize);
        let square = self.most * self.most;
        for i in 0..size {
            self.put(self.arms[guest * self.most + i], host, first + i);
            for j in 0..size {
                let from = guest * square + i * self.most + j;
                let to = host * square + (first + i) * self.most + first + j;
                self.cells[to] = core::mem::take(&mut self.cells[from]);
            }
        }
        self.sizes[host] += self.sizes[guest];
        self.sizes[guest] = 0;
    }

    /// The parts that must be saved.
    pub(crate) fn to_parts(&self) -> Parts {
        let mut parts =
            Parts { arms: Vec::new(), sizes: Vec::new(), wins: Vec::new(), in_flight: Vec::new() };
        for batch in self.iter() {
            parts.arms.extend(batch.arms);
            parts.sizes.push(batch.len());
            for (i, j) in batch.places() {
                parts.wins.push(batch.wins(i, j));
                parts.in_flight.push(batch.in_flight(i, j));
            }
        }
        parts.arms.extend(Arm::all(self.n_arms()).filter(|arm| self.homes[arm.index()].block == OUT));
        parts
    }

    /// The batches from their saved parts.
    pub(crate) fn from_parts(parts: &Parts, target: usize) -> Result<Self, Damaged> {
        let Parts { arms, sizes, wins, in_flight } = parts;
        let mut seen = vec![false; arms.len()];
        for arm in arms {
            match seen.get_mut(arm.index()) {
                Some(seen @ false) => *seen = true,
                _ => return Err(Damaged("an arm is listed twice, or does not exist")),
            }
        }
        let most = (target * 3 / 2).min(arms.len());
        if sizes.is_empty() || sizes.iter().any(|size| !(1..=most).contains(size)) {
            return Err(Damaged("a batch has no arms or too many arms"));
        }
        if sizes.iter().sum::<usize>() > arms.len() {
            return Err(Damaged("the batches have more arms than exist"));
        }
        if sizes.len() > 1 && sizes.contains(&1) && sizes.iter().any(|&size| size > 1 && size < most) {
            return Err(Damaged("a batch of one arm was left alone"));
        }
        if sizes.len() > 1 && sizes.iter().all(|&size| size == 1) {
            return Err(Damaged("a batch of one arm was left alone"));
        }
        let n_cells = sizes.iter().map(|size| size * size).sum::<usize>();
        if wins.len() != n_cells || in_flight.len() != n_cells {
            return Err(Damaged("the number of counts does not fit the sizes of the batches"));
        }
        if wins.iter().any(|&wins| wins > HIGHEST) {
            return Err(Damaged("a count of wins is larger than any run can reach"));
        }
        let mut batches = Self::with_sizes(arms, sizes, target);
        let mut counts = wins.iter().zip(in_flight);
        for (block, &size) in sizes.iter().enumerate() {
            let start = block * most * most;
            for i in 0..size {
                for j in 0..size {
                    let (&wins, &in_flight) = counts.next().expect("the number was checked");
                    batches.cells[start + i * most + j] = Cell { wins, in_flight };
                }
            }
        }
        for batch in batches.iter() {
            if batch.places().any(|(i, j)| i == j && batch.cell(i, j) != Cell::default()) {
                return Err(Damaged("an arm has duels with itself"));
            }
            if batch.places().any(|(i, j)| batch.in_flight(i, j) != batch.in_flight(j, i)) {
                return Err(Damaged("the duels in flight of a pair differ between its two arms"));
            }
        }
        Ok(batches)
    }
}

/// The saved form of batches.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    /// All arms, batch by batch. Arms that are out come last.
    pub(crate) arms: Vec<Arm>,
    pub(crate) sizes: Vec<usize>,
    /// Wins, batch by batch and row by row.
    pub(crate) wins: Vec<u64>,
    /// Duels in flight, in the same order.
    pub(crate) in_flight: Vec<u32>,
}

/// One batch: its arms by place, and their counts against each other.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    arms: &'a [Arm],
    cells: &'a [Cell],
    most: usize,
}

impl Batch<'_> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.arms.len()
    }

    #[inline]
    pub(crate) fn arm(&self, place: usize) -> Arm {
        self.arms[place]
    }

    pub(crate) fn arms(&self) -> &[Arm] {
        self.arms
    }

    #[inline]
    fn cell(&self, i: usize, j: usize) -> Cell {
        self.cells[i * self.most + j]
    }

    /// The number of wins of the arm at the first place over the arm at the second.
    #[inline]
    pub(crate) fn wins(&self, i: usize, j: usize) -> u64 {
        self.cell(i, j).wins
    }

    #[inline]
    pub(crate) fn in_flight(&self, i: usize, j: usize) -> u32 {
        self.cell(i, j).in_flight
    }

    /// All ordered pairs of places, row by row.
    fn places(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let n = self.len();
        (0..n).flat_map(move |i| (0..n).map(move |j| (i, j)))
    }
}

/// A number of arms or batches, as 32 bits.
fn small(n: usize) -> u32 {
    u32::try_from(n).expect("arms are below 2^32")
}

#[cfg(test)]
mod tests;
