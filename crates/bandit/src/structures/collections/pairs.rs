//! Unordered pairs of different arms, as places in tables with one item per pair. A place does not
//! depend on the number of arms.

/// The place of a pair, lower arm first.
#[inline]
pub(crate) fn pair(low: usize, high: usize) -> usize {
    debug_assert!(low < high, "arms of a pair are ordered");
    high * (high - 1) / 2 + low
}

/// The place of the pair of any two different arms.
#[inline]
pub(crate) fn pair_of(arm: usize, other: usize) -> usize {
    pair(arm.min(other), arm.max(other))
}

/// The arms of the pair at a place.
#[inline]
pub(crate) fn arms(pair: usize) -> (usize, usize) {
    let high = usize::midpoint(1, (8 * pair + 1).isqrt());
    (pair - high * (high - 1) / 2, high)
}

/// The arms of all pairs, in the order of their places. The result equals that of [`arms`], without
/// its square roots.
pub(crate) fn all_pairs(n_arms: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..n_arms).flat_map(|high| (0..high).map(move |low| (low, high)))
}

/// The number of pairs.
pub(crate) fn n_pairs(n_arms: usize) -> usize {
    n_arms * n_arms.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_places_and_arms_are_inverse() {
        for (place, (low, high)) in all_pairs(300).enumerate() {
            assert_eq!((pair(low, high), pair_of(high, low), arms(place)), (place, place, (low, high)));
        }
        assert_eq!(all_pairs(300).count(), n_pairs(300));
        let last = n_pairs(16_384) - 1;
        assert_eq!((pair(16_382, 16_383), arms(last)), (last, (16_382, 16_383)));
        assert_eq!((n_pairs(0), n_pairs(1), all_pairs(1).next()), (0, 0, None));
    }
}
