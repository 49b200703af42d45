//! A tree of sums for drawing an index in proportion to changing weights.
//!
//! Every node holds the weights, or the sums, of eight children in one cache line. A changed weight re-adds the
//! sums above it from their children. Nothing is ever subtracted, so rounding cannot accumulate: after a
//! collapse of all weights by fourteen orders of magnitude the total is as good as new, where a Fenwick tree of
//! differences is wrong in its first digit.

/// Children of a node: one cache line of doubles. Six or fewer arms are a single scan, 136 arms three.
const WIDTH: usize = 8;

/// Eight neighbouring weights or sums.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Node([f64; WIDTH]);

impl Node {
    /// Always added in this order, so that a rebuilt tree has the bits of one that grew.
    fn sum(&self) -> f64 {
        let w = &self.0;
        ((w[0] + w[4]) + (w[1] + w[5])) + ((w[2] + w[6]) + (w[3] + w[7]))
    }
}

/// Non-negative weights with O(log n) change and draw.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SumTree {
    len: usize,
    /// Levels from the leaves up, in one allocation; the last node is the root.
    nodes: Vec<Node>,
    /// Where each level starts in `nodes`, leaves first.
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
    pub(crate) fn total(&self) -> f64 {
        self.total
    }

    /// The weight at `index`.
    pub(crate) fn get(&self, index: usize) -> f64 {
        self.nodes[index / WIDTH].0[index % WIDTH]
    }

    /// Sets one weight.
    pub(crate) fn set(&mut self, index: usize, weight: f64) {
        let mut index = index;
        let mut value = weight;
        for &start in &self.starts {
            let node = &mut self.nodes[start + index / WIDTH];
            node.0[index % WIDTH] = value;
            value = node.sum();
            index /= WIDTH;
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

    /// The index at `point` of the line on which the weights are laid end to end. For `point` uniform on
    /// [0, total) an index is drawn in proportion to its weight; an index of weight zero is never drawn.
    pub(crate) fn find(&self, point: f64) -> usize {
        let mut rest = point;
        let mut index = 0;
        for &start in self.starts.iter().rev() {
            let node = &self.nodes[start + index];
            let (child, left) = find_child(node, rest);
            rest = left;
            index = index * WIDTH + child;
        }
        index
    }
}

/// The child that holds `point`, and the point's place within it.
#[inline]
fn find_child(node: &Node, point: f64) -> (usize, f64) {
    let mut ends = node.0;
    for i in 1..WIDTH {
        ends[i] += ends[i - 1];
    }
    // Counting instead of stopping early: the branch would be a coin toss.
    let child: usize = ends[..WIDTH - 1].iter().map(|&end| usize::from(point >= end)).sum();
    let start = if child == 0 { 0.0 } else { ends[child - 1] };
    if node.0[child] > 0.0 {
        return (child, point - start);
    }
    // The point lies past the end by a rounding error: the last child that has weight takes it.
    let last = node.0.iter().rposition(|&weight| weight > 0.0).unwrap_or(0);
    (last, node.0[last])
}
