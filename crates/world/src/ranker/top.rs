//! Finds the documents with the highest scores.

/// Finds the top of a list, reusing its memory.
#[derive(Debug, Default)]
pub(super) struct Top {
    keys: Vec<u64>,
}

impl Top {
    /// The `depth` documents with the highest scores, best first. Documents with the same score are
    /// in the order of `order`, which contains every document once.
    pub(super) fn select<'a>(
        &'a mut self,
        scores: &[f32],
        order: &'a [u32],
        depth: usize,
    ) -> impl Iterator<Item = u32> + 'a {
        self.keys.clear();
        // One key per document, small for those that come first: the inverted score, then the
        // position in `order`.
        let key = |(turn, &document): (u64, &u32)| u64::from(!rising(scores[document as usize])) << 32 | turn;
        self.keys.extend((0..).zip(order).map(key));
        if depth < self.keys.len() {
            self.keys.select_nth_unstable(depth);
            self.keys.truncate(depth);
        }
        self.keys.sort_unstable();
        #[expect(clippy::cast_possible_truncation, reason = "takes the lower half of the key")]
        self.keys.iter().map(|&key| order[key as u32 as usize])
    }
}

/// A whole number that increases with the score and is the same for 0 and -0.
fn rising(score: f32) -> u32 {
    let bits = (score + 0.0).to_bits();
    // Negative numbers have the high bit set and decrease as their bits increase.
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn trace_ties_follow_the_order() {
        let mut top = Top::default();
        let scores = [0.0, 1.0, -0.0, 1.0, -2.0];
        let list: Vec<u32> = top.select(&scores, &[4, 3, 2, 1, 0], 4).collect();
        assert_eq!(list, [3, 1, 2, 0]);
        let list: Vec<u32> = top.select(&scores, &[0, 1, 2, 3, 4], 9).collect();
        assert_eq!(list, [1, 3, 0, 2, 4]);
    }

    proptest! {
        /// The partial selection agrees with the top of a stable sort.
        #[test]
        fn law_as_a_stable_sort(
            scores in proptest::collection::vec(prop_oneof![-3_i8..3, Just(0)].prop_map(f32::from), 0..40),
            depth in 1..50_usize,
            turn in 0..40_usize,
        ) {
            let mut order: Vec<u32> = (0..).take(scores.len()).collect();
            order.rotate_left(turn.min(scores.len()));
            let mut sorted = order.clone();
            sorted.sort_by(|&a, &b| scores[b as usize].partial_cmp(&scores[a as usize]).unwrap());
            sorted.truncate(depth);
            prop_assert_eq!(Top::default().select(&scores, &order, depth).collect::<Vec<_>>(), sorted);
        }
    }
}
