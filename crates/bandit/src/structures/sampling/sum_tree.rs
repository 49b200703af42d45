//! A tree of sums, for drawing an index with probability proportional to changing weights.
//!
//! Every node contains the weights, or the sums, of eight children in one cache line. When a weight
//! changes, the sums above it are added again from their children. Nothing is ever subtracted, so
//! rounding errors cannot accumulate. If all weights fall by fourteen orders of magnitude, the
//! total is as exact as that of a new tree. A Fenwick tree of differences would be wrong in its
//! first digit.

/// The number of children of a node: one cache line of doubles. Up to eight arms need a single
/// scan, 136 arms need three.
const WIDTH: usize = 1 << WIDTH_BITS;
const WIDTH_BITS: usize = 3;

/// Eight neighbouring weights or sums.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Node([f64; WIDTH]);

impl Node {
    /// The sums of the first one, two, ... children, added in pairs to avoid a long chain of
    /// dependent additions.
    #[inline]
    fn ends(&self) -> [f64; WIDTH] {
        let w = &self.0;
        let (w01, w23, w45, w67) = (w[0] + w[1], w[2] + w[3], w[4] + w[5], w[6] + w[7]);
        let (w03, w47) = (w01 + w23, w45 + w67);
        let w05 = w03 + w45;
        [w[0], w01, w01 + w[2], w03, w03 + w[4], w05, w05 + w[6], w03 + w47]
    }

    /// The sum, always added in this order, so that a rebuilt tree is equal to an updated tree to
    /// the last bit.
    #[inline]
    fn sum(&self) -> f64 {
        let w = &self.0;
        ((w[0] + w[1]) + (w[2] + w[3])) + ((w[4] + w[5]) + (w[6] + w[7]))
    }

    /// Sets one child and returns the sum. The additions are the same as in [`Self::sum`], arranged
    /// so that all but three of them can be done before the child's weight is known.
    #[inline]
    fn set(&mut self, child: usize, weight: f64) -> f64 {
        let i = child % WIDTH;
        let w = &mut self.0;
        w[i] = weight;
        let pair = (i ^ 2) & !1;
        let half = (i ^ 4) & !3;
        let others = (w[half] + w[half | 1]) + (w[half | 2] + w[half | 3]);
        ((weight + w[i ^ 1]) + (w[pair] + w[pair | 1])) + others
    }
}

/// Non-negative weights. Changing one and drawing one take O(log n) time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SumTree {
    len: usize,
    /// The levels from the leaves up, in one allocation. The last node is the root.
    nodes: Vec<Node>,
    /// The start of each level in `nodes`, leaves first.
    starts: Vec<usize>,
    total: f64,
}

impl SumTree {
    /// A tree of `len` weights, all zero.
    pub(crate) fn new(len: usize) -> Self {
        let mut starts = vec![0];
        let mut size = len.div_ceil(WIDTH).max(1);
        let mut n_nodes = size;
        while size > 1 {
            starts.push(n_nodes);
            size = size.div_ceil(WIDTH);
            n_nodes += size;
        }
        Self { len, nodes: vec![Node([0.0; WIDTH]); n_nodes], starts, total: 0.0 }
    }

    /// The sum of all weights.
    #[inline]
    pub(crate) fn total(&self) -> f64 {
        self.total
    }

    /// The tree without the weight at `index`, in O(log n).
    pub(crate) fn without(&self, index: usize) -> Without<'_> {
        let mut others = Without { tree: self, index, sums: [0.0; MOST_LEVELS], total: 0.0 };
        for level in 0..self.starts.len() {
            others.total = others.node(level, index >> ((level + 1) * WIDTH_BITS)).sum();
            others.sums[level] = others.total;
        }
        others
    }

    /// The weight at `index`.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> f64 {
        self.nodes[index / WIDTH].0[index % WIDTH]
    }

    /// Sets one weight.
    pub(crate) fn set(&mut self, index: usize, weight: f64) {
        let mut index = index;
        let mut value = weight;
        for &start in &self.starts {
            let node = &mut self.nodes[start + index / WIDTH];
            value = node.set(index, value);
            index /= WIDTH;
        }
        self.total = value;
    }

    /// Sets two weights with different indices.
    #[inline]
    pub(crate) fn set_pair(&mut self, first: (usize, f64), second: (usize, f64)) {
        let ((mut i, mut value), (mut j, mut other)) = (first, second);
        for &start in &self.starts {
            // Both are stored before the sums are computed, because the nodes may be the same. In
            // that case their sums are equal.
            self.nodes[start + j / WIDTH].0[j % WIDTH] = other;
            value = self.nodes[start + i / WIDTH].set(i, value);
            other = self.nodes[start + j / WIDTH].set(j, other);
            i /= WIDTH;
            j /= WIDTH;
        }
        self.total = value;
    }

    /// Sets every weight, in O(len).
    pub(crate) fn fill(&mut self, mut weight: impl FnMut(usize) -> f64) {
        for index in 0..self.len {
            self.nodes[index / WIDTH].0[index % WIDTH] = weight(index);
        }
        for pair in self.starts.windows(2) {
            let (below, above) = (pair[0], pair[1]);
            for child in below..above {
                let sum = self.nodes[child].sum();
                let index = child - below;
                self.nodes[above + index / WIDTH].0[index % WIDTH] = sum;
            }
        }
        self.total = self.nodes[self.nodes.len() - 1].sum();
    }

    /// The index at `point` on a line of all weights, laid end to end. If `point` is uniform on [0,
    /// total), the probability of an index is proportional to its weight. An index with weight zero
    /// is never drawn.
    #[inline]
    pub(crate) fn find(&self, point: f64) -> usize {
        let [index] = self.find_each([point]);
        index
    }

    /// [`find`](Self::find) for several points at once. At no level does one wait for another.
    #[inline]
    pub(crate) fn find_each<const N: usize>(&self, points: [f64; N]) -> [usize; N] {
        let mut found = points.map(|point| (0, point));
        for &start in self.starts.iter().rev() {
            for (index, rest) in &mut found {
                let (child, left) = find_child(&self.nodes[start + *index], *rest);
                *rest = left;
                *index = *index * WIDTH + child;
            }
        }
        found.map(|(index, _)| index)
    }
}

/// A [`SumTree`] without one of its weights. Nothing is subtracted here either, so the sums of the
/// others have full precision even if that weight is nearly the whole total.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Without<'a> {
    tree: &'a SumTree,
    index: usize,
    /// The sum of each node above the weight, without the weight, leaves first.
    sums: [f64; MOST_LEVELS],
    total: f64,
}

/// The largest number of levels: 8^11 is more than the possible number of arms.
const MOST_LEVELS: usize = 11;

impl Without<'_> {
    /// The sum of the other weights.
    pub(crate) fn total(&self) -> f64 {
        self.total
    }

    /// The sum of (`factor` * weight)^2 over the other weights, in O(len).
    pub(crate) fn squares(&self, factor: f64) -> f64 {
        let leaves = &self.tree.nodes[..self.tree.len.div_ceil(WIDTH)];
        let (place, node) = (self.index / WIDTH, self.node(0, self.index / WIDTH));
        // Independent sums, so that the compiler can use vector instructions.
        let mut sums = Node([0.0; WIDTH]);
        for nodes in [&leaves[..place], &[node], &leaves[place + 1..]] {
            for node in nodes {
                for (sum, weight) in sums.0.iter_mut().zip(&node.0) {
                    *sum += (factor * weight) * (factor * weight);
                }
            }
        }
        sums.sum()
    }

    /// Like [`SumTree::find`], for a point on the line of the other weights.
    pub(crate) fn find(&self, point: f64) -> usize {
        let mut rest = point;
        let mut index = 0;
        for level in (0..self.tree.starts.len()).rev() {
            let (child, left) = find_child(&self.node(level, index), rest);
            rest = left;
            index = index * WIDTH + child;
        }
        index
    }

    /// A node of a level, without the weight.
    fn node(&self, level: usize, place: usize) -> Node {
        let mut node = self.tree.nodes[self.tree.starts[level] + place];
        // The child on the path to the weight.
        let child = self.index >> (level * WIDTH_BITS);
        if child / WIDTH == place {
            node.0[child % WIDTH] = if level == 0 { 0.0 } else { self.sums[level - 1] };
        }
        node
    }
}

/// The child that contains `point`, and the position of the point within it.
#[inline]
fn find_child(node: &Node, point: f64) -> (usize, f64) {
    let ends = node.ends();
    // Counts instead of stopping early, because the branch would be unpredictable.
    let child: usize = ends[..WIDTH - 1].iter().map(|&end| usize::from(point >= end)).sum();
    let starts = [0.0, ends[0], ends[1], ends[2], ends[3], ends[4], ends[5], ends[6]];
    if node.0[child] > 0.0 {
        return (child, point - starts[child]);
    }
    // The point is past the end by a rounding error. The last child with a positive weight takes
    // it.
    let last = node.0.iter().rposition(|&weight| weight > 0.0).unwrap_or(0);
    (last, node.0[last])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;
    use proptest::prelude::*;
    use rand::RngExt;

    fn tree(weights: &[f64]) -> SumTree {
        let mut tree = SumTree::new(weights.len());
        tree.fill(|i| weights[i]);
        tree
    }

    /// The weights 1, 2, 3 at indices 0, 2, 3 cover [0, 1), [1, 3), [3, 6). Index 1 has weight 0.
    #[test]
    fn trace_find() {
        let tree = tree(&[1.0, 0.0, 2.0, 3.0]);
        assert!((tree.total() - 6.0).abs() < 1e-15);
        let found = [0.0, 0.99, 1.0, 2.99, 3.0, 5.99, 6.0, 100.0].map(|point| tree.find(point));
        assert_eq!(found, [0, 0, 2, 2, 3, 3, 3, 3]);
    }

    /// If all weights fall by fourteen orders of magnitude, the total is exact. With differences it
    /// would be mostly rounding errors.
    #[test]
    fn trace_collapse_leaves_no_error() {
        let mut tree = tree(&[1.0; 1000]);
        for i in 0..1000 {
            tree.set(i, 1e-14);
        }
        assert!((tree.total() / 1e-11 - 1.0).abs() < 1e-12);
    }

    fn weights() -> impl Strategy<Value = Vec<f64>> {
        let weight = prop_oneof![Just(0.0), 0.0..1.0, (-300.0..300.0).prop_map(libm::exp)];
        prop::collection::vec(weight, 1..700)
    }

    proptest! {
        #[test]
        fn law_any_order_of_changes_gives_the_bits_of_a_rebuilt_tree(
            old in weights(),
            changes in prop::collection::vec((0..700usize, 0..700usize, 0.0..1.0, 0.0..1.0), 0..50),
        ) {
            let mut weights = old.clone();
            let mut grown = tree(&old);
            for (i, j, x, y) in changes {
                let (i, j) = (i % old.len(), j % old.len());
                weights[i] = x;
                if i == j {
                    grown.set(i, x);
                } else {
                    weights[j] = y;
                    grown.set_pair((i, x), (j, y));
                }
            }
            prop_assert_eq!(grown, tree(&weights));
        }

        #[test]
        fn law_points_are_found_alone_as_together(weights in weights(), u in 0.0..=1.0, v in 0.0..=1.0) {
            let tree = tree(&weights);
            let points = [u * tree.total(), v * tree.total()];
            prop_assert_eq!(tree.find_each(points), points.map(|point| tree.find(point)));
        }

        #[test]
        fn law_zero_weights_are_never_found(weights in weights(), u in 0.0..=1.0) {
            let tree = tree(&weights);
            prop_assume!(tree.total() > 0.0);
            for point in [u * tree.total(), tree.total(), tree.total() * 2.0] {
                prop_assert!(weights[tree.find(point)] > 0.0);
            }
        }

        /// Compared with a tree in which the weight is 0.
        #[test]
        fn law_a_tree_without_one_weight(
            weights in weights(),
            index in any::<prop::sample::Index>(),
            u in 0.0..=1.0,
            factor in 0.5..2.0f64,
        ) {
            let index = index.index(weights.len());
            let whole = tree(&weights);
            let others = whole.without(index);
            let weights: Vec<f64> = weights.iter().enumerate().map(|(i, &w)| if i == index { 0.0 } else { w }).collect();
            let plain = tree(&weights);
            prop_assert_eq!(others.total().to_bits(), plain.total().to_bits());
            let squares: f64 = weights.iter().map(|weight| (factor * weight).powi(2)).sum();
            prop_assert!((others.squares(factor) - squares).abs() <= 1e-12 * squares);
            for point in [0.0, u * plain.total(), plain.total(), 2.0 * plain.total()] {
                prop_assert_eq!(others.find(point), plain.find(point));
            }
        }

        #[test]
        fn law_the_total_is_the_sum(weights in weights()) {
            let sum: f64 = weights.iter().sum();
            prop_assert!((tree(&weights).total() - sum).abs() <= 1e-12 * sum);
        }
    }

    /// Chi-square of 100,000 draws from 100 weights of four sizes: With 99 degrees of freedom, the
    /// statistic exceeds 160 with probability 1/10,000.
    #[test]
    fn stat_draws_are_in_proportion() {
        let weights: Vec<f64> = (0..100).map(|i| [0.1, 1.0, 2.0, 5.0][i % 4]).collect();
        let tree = tree(&weights);
        let mut rng = Stream::new(1).rng();
        let mut counts = vec![0.0; 100];
        for _ in 0..100_000 {
            counts[tree.find(rng.random::<f64>() * tree.total())] += 1.0;
        }
        let chi: f64 = weights
            .iter()
            .zip(&counts)
            .map(|(weight, count): (&f64, &f64)| {
                let expected = 100_000.0 * weight / tree.total();
                (count - expected).powi(2) / expected
            })
            .sum();
        assert!(chi < 160.0, "{chi}");
    }
}
