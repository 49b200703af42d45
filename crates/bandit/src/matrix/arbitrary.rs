//! Random matrices for property tests.

use proptest::prelude::*;

use super::PreferenceMatrix;
use crate::Arm;

/// Matrices of 1 to 7 arms. The entries are any numbers in [0, 1], or quarters, which make ties,
/// orders and deterministic duels common.
pub(super) fn matrix() -> impl Strategy<Value = PreferenceMatrix> {
    let quarters = prop_oneof![Just(0.0), Just(0.25), Just(0.5), Just(0.75), Just(1.0)];
    let upper = |entry: BoxedStrategy<f64>| proptest::collection::vec(entry, 21);
    (1..=7_usize, prop_oneof![upper((0.0..=1.0).boxed()), upper(quarters.boxed())]).prop_map(
        |(n_arms, mut upper)| {
            PreferenceMatrix::from_fn(n_arms, |_, _| upper.pop().expect("7 arms have 21 pairs")).unwrap()
        },
    )
}

/// A matrix and its arms in some order.
pub(super) fn matrix_and_order() -> impl Strategy<Value = (PreferenceMatrix, Vec<Arm>)> {
    matrix().prop_flat_map(|matrix| {
        let arms: Vec<Arm> = Arm::all(matrix.n_arms()).collect();
        (Just(matrix), Just(arms).prop_shuffle())
    })
}

/// Utilities in [0, 1], all different, and the matrix of their linear link `(1 + x_i - x_j) / 2`.
pub(super) fn utilities() -> impl Strategy<Value = (Vec<f64>, PreferenceMatrix)> {
    proptest::sample::subsequence((0..=20).collect::<Vec<u32>>(), 1..=7).prop_shuffle().prop_map(|steps| {
        let utilities: Vec<f64> = steps.into_iter().map(|step| f64::from(step) / 20.0).collect();
        let link = |i: Arm, j: Arm| (1.0 + utilities[i.index()] - utilities[j.index()]) / 2.0;
        let matrix = PreferenceMatrix::from_fn(utilities.len(), link).unwrap();
        (utilities, matrix)
    })
}
