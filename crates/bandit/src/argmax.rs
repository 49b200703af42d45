//! The largest of several values, with ties broken at random or by order.

use rand::{Rng, RngExt};

use crate::Arm;

/// The first arm that has the largest value.
pub(crate) fn first_best<T: PartialOrd>(arms: impl Iterator<Item = Arm>, value: impl Fn(Arm) -> T) -> Arm {
    let better = |best: (T, Arm), next: (T, Arm)| if next.0 > best.0 { next } else { best };
    arms.map(|arm| (value(arm), arm)).reduce(better).expect("there is at least one arm").1
}

/// The index of the largest value. Ties are broken uniformly at random, with one random word per
/// tie.
///
/// A fixed rule such as "lowest index" would favour arm 0, which is the best arm in many files.
pub(crate) fn argmax<R: Rng + ?Sized>(values: impl Iterator<Item = f64>, rng: &mut R) -> usize {
    let mut best = Best::default();
    for value in values {
        best.offer(value, rng);
    }
    best.index
}

/// A running argmax, for callers that draw the values from the same generator as the ties.
#[derive(Debug, Default)]
pub(crate) struct Best {
    index: usize,
    value: Option<f64>,
    n_seen: usize,
    n_ties: usize,
}

impl Best {
    /// Takes the next value into account.
    pub(crate) fn offer<R: Rng + ?Sized>(&mut self, value: f64, rng: &mut R) {
        let index = self.n_seen;
        self.n_seen += 1;
        if self.value.is_none_or(|best| value > best) {
            (self.index, self.value, self.n_ties) = (index, Some(value), 1);
        } else if self.value.is_some_and(|best| value >= best) {
            self.n_ties += 1;
            if rng.random_range(0..self.n_ties) == 0 {
                self.index = index;
            }
        }
    }

    /// The index of the largest value so far.
    pub(crate) fn index(&self) -> usize {
        self.index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three of five values tie. In 3,000 draws each of the three is expected 1,000 times, with a
    /// standard error of 26.
    #[test]
    fn stat_ties_are_broken_evenly() {
        let mut rng = crate::Stream::new(1).rng();
        let mut counts = [0i32; 5];
        for _ in 0..3000 {
            counts[argmax([1.0, 3.0, 3.0, 2.0, 3.0].into_iter(), &mut rng)] += 1;
        }
        assert_eq!((counts[0], counts[3]), (0, 0));
        for i in [1, 2, 4] {
            assert!((counts[i] - 1000).abs() < 130, "{counts:?}");
        }
    }

    #[test]
    fn trace_infinities_and_single_values() {
        let mut rng = crate::Stream::new(1).rng();
        assert_eq!(argmax([f64::NEG_INFINITY].into_iter(), &mut rng), 0);
        assert_eq!(argmax([1.0, f64::INFINITY, 2.0].into_iter(), &mut rng), 1);
    }
}
