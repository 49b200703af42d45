//! Upper confidence bounds on winning rates, laid out so that the strongest opponent of an arm is found by one straight scan.

use rand::{Rng, RngExt};

use crate::Arm;

/// Bounds of the form mean + scale * width, where the scale is shared by all and changes every round, while the mean and the width
/// of a pair change only with its duels. The bounds *against* an arm lie side by side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UpperBounds {
    n_arms: usize,
    /// K, rounded up to whole lanes.
    stride: usize,
    means: Vec<f64>,
    widths: Vec<f64>,
}

/// Numbers looked at together: independent, so that the compiler may use vector instructions.
const LANES: usize = 8;

impl UpperBounds {
    /// Each pair at `mean` with no width, and each arm against itself at exactly 1/2.
    pub(crate) fn new(n_arms: usize, mean: f64) -> Self {
        let stride = n_arms.next_multiple_of(LANES);
        let mut bounds =
            Self { n_arms, stride, means: vec![mean; n_arms * stride], widths: vec![0.0; n_arms * stride] };
        for (arm, row) in bounds.means.chunks_exact_mut(stride).enumerate() {
            row[arm] = 0.5;
            // Never the largest.
            row[n_arms..].fill(f64::NEG_INFINITY);
        }
        bounds
    }

    /// Sets the bound on the rate at which `arm` beats `other`.
    #[inline]
    pub(crate) fn set(&mut self, arm: Arm, other: Arm, mean: f64, width: f64) {
        let place = other.index() * self.stride + arm.index();
        self.means[place] = mean;
        self.widths[place] = width;
    }

    /// The arm with the largest bound against `other`, and among how many it was drawn. Where `other` itself ties with another
    /// arm, it is left out.
    #[inline]
    pub(crate) fn strongest<R: Rng + ?Sized>(&self, other: Arm, scale: f64, rng: &mut R) -> (Arm, usize) {
        let row = other.index() * self.stride..(other.index() + 1) * self.stride;
        let row = Row { means: &self.means[row.clone()], widths: &self.widths[row], scale };
        let highest = row.highest();
        let (mut n_ties, last) = row.ties(highest);
        if n_ties == 1 {
            return (Arm::new(row.find(last, highest)), 1);
        }
        let myself = row.bound(other.index()) >= highest;
        n_ties -= usize::from(myself);
        let rank = rng.random_range(0..n_ties);
        let tied = (0..self.n_arms).filter(|&i| row.bound(i) >= highest && i != other.index());
        (Arm::new(tied.skip(rank).next().expect("as many as were counted")), n_ties)
    }
}

/// The bounds against one arm.
struct Row<'a> {
    means: &'a [f64],
    widths: &'a [f64],
    scale: f64,
}

impl Row<'_> {
    fn bound(&self, i: usize) -> f64 {
        self.means[i] + self.scale * self.widths[i]
    }

    fn lanes(&self) -> impl Iterator<Item = [f64; LANES]> {
        let (means, _) = self.means.as_chunks::<LANES>();
        let (widths, _) = self.widths.as_chunks::<LANES>();
        means.iter().zip(widths).map(|(means, widths)| {
            core::array::from_fn(|lane| means[lane] + self.scale * widths[lane])
        })
    }

    fn highest(&self) -> f64 {
        let mut highest = [f64::NEG_INFINITY; LANES];
        for bounds in self.lanes() {
            for (highest, bound) in highest.iter_mut().zip(bounds) {
                // Not `max`, whose care for NaN costs an instruction or two a number.
                *highest = if bound > *highest { bound } else { *highest };
            }
        }
        highest.into_iter().fold(f64::NEG_INFINITY, |a, b| if b > a { b } else { a })
    }

    /// How many bounds are the highest, and the last group of lanes that holds one.
    fn ties(&self, highest: f64) -> (usize, usize) {
        let (mut n_ties, mut last) = (0, 0);
        for (group, bounds) in self.lanes().enumerate() {
            let here: u64 = bounds.iter().map(|&bound| u64::from(bound >= highest)).sum();
            if here > 0 {
                n_ties += here as usize;
                last = group;
            }
        }
        (n_ties, last)
    }

    /// The first bound in a group that is the highest.
    fn find(&self, group: usize, highest: f64) -> usize {
        let start = group * LANES;
        (start..start + LANES).find(|&i| self.bound(i) >= highest).expect("the group holds one")
    }
}
