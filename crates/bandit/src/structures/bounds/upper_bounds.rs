//! Upper confidence bounds on winning rates, stored such that a single linear scan finds the
//! strongest opponent of an arm.

use rand::{Rng, RngExt};

use crate::Arm;
use crate::structures::counts::duel_counts::DuelCounts;

/// Bounds of the form mean + scale * width. The scale is the same for all pairs and changes every
/// round. The mean and the width of a pair change only with its duels. The bounds *against* an arm
/// are adjacent in memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UpperBounds {
    /// K, rounded up to whole lanes.
    stride: usize,
    scale: f64,
    /// The mean of a pair that has never met.
    unplayed: f64,
    means: Vec<f64>,
    widths: Vec<f64>,
}

/// The number of values processed together. They are independent, so the compiler can use vector
/// instructions.
const LANES: usize = 8;

impl UpperBounds {
    /// Each pair has the mean `unplayed` and no width. The bound of each arm against itself is
    /// exactly 1/2.
    pub(crate) fn new(n_arms: usize, unplayed: f64) -> Self {
        let stride = n_arms.next_multiple_of(LANES);
        let mut bounds = Self {
            stride,
            scale: 0.0,
            unplayed,
            means: vec![unplayed; n_arms * stride],
            widths: vec![0.0; n_arms * stride],
        };
        for (arm, row) in bounds.means.chunks_exact_mut(stride).enumerate() {
            row[arm] = 0.5;
            // Padding that is never the largest.
            row[n_arms..].fill(f64::NEG_INFINITY);
        }
        bounds
    }

    /// Sets the scale to sqrt(alpha ln t).
    #[inline]
    pub(crate) fn set_time(&mut self, alpha: f64, ln_t: f64) {
        self.scale = libm::sqrt(alpha * ln_t);
    }

    /// Sets the bound on the rate at which `arm` beats `other`.
    #[inline]
    pub(crate) fn set(&mut self, arm: Arm, other: Arm, mean: f64, width: f64) {
        let place = other.index() * self.stride + arm.index();
        self.means[place] = mean;
        self.widths[place] = width;
    }

    /// Sets the two bounds of a pair from its counts, with mean w / n and width 1 / sqrt(n + in
    /// flight). The width counts duels in flight, so that a pair with late outcomes does not look
    /// the widest for long. If the two arms never met, the mean is the one given to [`Self::new`].
    /// If they met but no outcome has arrived, the mean is 1.
    #[inline]
    pub(crate) fn set_pair(&mut self, counts: &DuelCounts, i: Arm, j: Arm) {
        let (wins, losses) = counts.score(i, j);
        let n = wins + losses;
        let shown = n + u64::from(counts.in_flight(i, j));
        let width = if shown == 0 { 0.0 } else { 1.0 / libm::sqrt(shown as f64) };
        let mean = |wins: u64| match (n, shown) {
            (0, 0) => self.unplayed,
            (0, _) => 1.0,
            _ => wins as f64 / n as f64,
        };
        let (first, second) = (mean(wins), mean(losses));
        self.set(i, j, first, width);
        self.set(j, i, second, width);
    }

    /// The bound on the rate at which `arm` beats `other`.
    #[inline]
    pub(crate) fn bound(&self, arm: Arm, other: Arm) -> f64 {
        let place = other.index() * self.stride + arm.index();
        self.means[place] + self.scale * self.widths[place]
    }

    #[inline]
    fn against(&self, other: Arm) -> Row<'_> {
        let row = other.index() * self.stride..(other.index() + 1) * self.stride;
        Row { means: &self.means[row.clone()], widths: &self.widths[row], scale: self.scale }
    }

    /// The probability that [`Self::strongest`] returns this arm.
    #[inline]
    pub(crate) fn chance(&self, arm: Arm, other: Arm) -> f64 {
        let row = self.against(other);
        let highest = row.highest();
        if row.bound(arm.index()) < highest {
            return 0.0;
        }
        let n_highest = row.ties(highest);
        let n_ties = n_highest - usize::from(n_highest > 1 && row.bound(other.index()) >= highest);
        if arm == other && n_highest > 1 { 0.0 } else { 1.0 / n_ties as f64 }
    }

    /// The arm with the largest bound against `other`, drawn uniformly among ties, and the number
    /// of ties. If `other` itself ties with another arm, it is left out.
    #[inline]
    pub(crate) fn strongest<R: Rng + ?Sized>(&self, other: Arm, rng: &mut R) -> (Arm, usize) {
        let row = self.against(other);
        let highest = row.highest();
        let n_highest = row.ties(highest);
        if n_highest == 1 {
            return (Arm::new(row.nth_tie(highest, 0)), 1);
        }
        let myself = other.index();
        let n_ties = n_highest - usize::from(row.bound(myself) >= highest);
        let rank = if n_ties == 1 { 0 } else { rng.random_range(0..n_ties) };
        let mut drawn = row.nth_tie(highest, rank);
        if n_ties < n_highest && drawn >= myself {
            // The arm itself is among the ties and is skipped.
            drawn = row.nth_tie(highest, rank + 1);
        }
        (Arm::new(drawn), n_ties)
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
        means
            .iter()
            .zip(widths)
            .map(|(means, widths)| core::array::from_fn(|lane| means[lane] + self.scale * widths[lane]))
    }

    fn highest(&self) -> f64 {
        let mut highest = [f64::NEG_INFINITY; LANES];
        for bounds in self.lanes() {
            for (highest, bound) in highest.iter_mut().zip(bounds) {
                // Not `max`, which needs an extra instruction or two per number to handle NaN.
                *highest = if bound > *highest { bound } else { *highest };
            }
        }
        highest.into_iter().fold(f64::NEG_INFINITY, |a, b| if b > a { b } else { a })
    }

    /// The number of bounds that are the highest.
    fn ties(&self, highest: f64) -> usize {
        self.lanes().map(|bounds| ties(&bounds, highest)).sum()
    }

    /// The place of the highest bound that has `rank` equally high bounds before it.
    fn nth_tie(&self, highest: f64, rank: usize) -> usize {
        let mut rank = rank;
        for (group, bounds) in self.lanes().enumerate() {
            let here = ties(&bounds, highest);
            if rank < here {
                let mut tied = (0..LANES).filter(|&lane| bounds[lane] >= highest);
                return group * LANES + tied.nth(rank).expect("the ties were counted");
            }
            rank -= here;
        }
        unreachable!("the ties were counted")
    }
}

fn ties(bounds: &[f64; LANES], highest: f64) -> usize {
    bounds.iter().map(|&bound| usize::from(bound >= highest)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bounds against arm 1, with scale 2: arm 0 has 0.25 + 2 * 0.25, arm 2 has 0.75, arm 3 has
    /// 0.5, and arm 1 itself always has 1/2.
    #[test]
    fn stat_ties_are_drawn_evenly() {
        let mut bounds = UpperBounds { scale: 2.0, ..UpperBounds::new(4, 0.0) };
        let one = Arm::new(1);
        bounds.set(Arm::new(0), one, 0.25, 0.25);
        bounds.set(Arm::new(2), one, 0.75, 0.0);
        bounds.set(Arm::new(3), one, 0.5, 0.0);
        let mut rng = crate::Stream::new(1).rng();
        let mut counts = [0i32; 4];
        for _ in 0..2000 {
            let (arm, n_ties) = bounds.strongest(one, &mut rng);
            assert_eq!(n_ties, 2);
            counts[arm.index()] += 1;
        }
        // 1000 each are expected, with a standard error of 22.
        assert!(counts[1] == 0 && counts[3] == 0 && (counts[0] - 1000).abs() < 110, "{counts:?}");
        let chances: Vec<f64> = Arm::all(4).map(|arm| bounds.chance(arm, one)).collect();
        assert_eq!(chances, [0.5, 0.0, 0.5, 0.0]);
        // With scale 1/2 arm 0 falls to 0.375.
        bounds.scale = 0.5;
        assert_eq!(bounds.strongest(one, &mut rng), (Arm::new(2), 1));
    }

    /// The arm itself is drawn if it alone has the highest bound. If it ties with others, it is
    /// left out, whatever their indices.
    #[test]
    fn trace_the_arm_itself_gives_way_in_ties() {
        let mut rng = crate::Stream::new(1).rng();
        for myself in Arm::all(19) {
            let mut bounds = UpperBounds::new(19, 0.25);
            assert_eq!(bounds.strongest(myself, &mut rng), (myself, 1));
            for other in Arm::all(19).filter(|&other| other != myself) {
                bounds.set(other, myself, 0.5, 0.0);
                assert_eq!(bounds.strongest(myself, &mut rng), (other, 1));
                let chances = vec![bounds.chance(other, myself), bounds.chance(myself, myself)];
                assert_eq!(chances, [1.0, 0.0]);
                bounds.set(other, myself, 0.25, 0.0);
            }
        }
    }
}
