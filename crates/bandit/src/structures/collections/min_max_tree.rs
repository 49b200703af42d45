//! The smallest and the largest of K numbers that change one at a time. A change takes O(log K)
//! time.

/// A complete binary tree. Each node contains the smallest and the largest number below it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MinMaxTree {
    /// Node 1 is the root, node i has the children 2i and 2i + 1, and the last half are the leaves.
    /// An absent number loses every comparison.
    nodes: Vec<(f64, f64)>,
}

const ABSENT: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

impl MinMaxTree {
    /// A tree for `n` numbers, all absent.
    pub(crate) fn new(n: usize) -> Self {
        Self { nodes: vec![ABSENT; 2 * n.next_power_of_two()] }
    }

    /// The smallest and the largest number.
    #[inline]
    pub(crate) fn get(&self) -> (f64, f64) {
        self.nodes[1]
    }

    /// Changes a number.
    #[inline]
    pub(crate) fn set(&mut self, i: usize, value: f64) {
        self.set_leaf(i, (value, value));
    }

    /// Removes a number.
    pub(crate) fn remove(&mut self, i: usize) {
        self.set_leaf(i, ABSENT);
    }

    #[inline]
    fn set_leaf(&mut self, i: usize, leaf: (f64, f64)) {
        let mut node = self.nodes.len() / 2 + i;
        self.nodes[node] = leaf;
        while node > 1 {
            node /= 2;
            let (left, right) = (self.nodes[2 * node], self.nodes[2 * node + 1]);
            self.nodes[node] = (left.0.min(right.0), left.1.max(right.1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn law_the_extremes_are_those_of_the_list() {
        let mut rng = crate::Stream::new(1).rng();
        for n in [1, 2, 5, 16, 33] {
            let mut extremes = MinMaxTree::new(n);
            let mut plain = vec![None; n];
            for _ in 0..500 {
                let i = rng.random_range(0..n);
                plain[i] = (rng.random_range(0..4) > 0).then(|| f64::from(rng.random_range(0..20)));
                match plain[i] {
                    Some(value) => extremes.set(i, value),
                    None => extremes.remove(i),
                }
                let low = plain.iter().copied().flatten().fold(f64::INFINITY, f64::min);
                let high = plain.iter().copied().flatten().fold(f64::NEG_INFINITY, f64::max);
                assert_eq!(extremes.get(), (low, high));
            }
        }
    }
}
