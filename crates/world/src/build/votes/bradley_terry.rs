//! Strengths of arms fitted to votes, for pairs that were never compared.
//!
//! P(i beats j) = g_i / (g_i + g_j). The minorise-maximise steps of Hunter (2004,
//! doi:10.1214/aos/1079120141) increase the likelihood: g_i becomes
//! W_i / sum over j of n_ij / (g_i + g_j), where W_i are the wins of i. A tie is half a win for
//! each arm. Half a vote is added to each side of each compared pair. Thus each arm both wins and
//! loses within its group, and a finite maximum exists. The steps use only sums and quotients, so
//! the result has the same bits on every machine.

use tiltyard_bandit::Arm;

use crate::votes::PairCount;

/// The limit on the number of iterations of the fit.
pub const MAX_ROUNDS: usize = 20_000;

/// The fit has converged if no strength changes by this relative amount or more.
const SETTLED: f64 = 1e-9;

/// The votes added to each side of a pair.
const PRIOR: f64 = 0.5;

/// The strengths, if the fit converges. Strengths in different groups cannot be compared.
pub(super) fn strengths(n_arms: usize, pairs: &[&PairCount]) -> Option<Vec<f64>> {
    let mut wins = vec![0.0; n_arms];
    for pair in pairs {
        wins[pair.low.index()] += pair.reward() + PRIOR;
        wins[pair.high.index()] += pair.weight - pair.reward() + PRIOR;
    }
    let groups = groups(n_arms, pairs);
    let mut strengths = vec![1.0; n_arms];
    let mut shares = vec![0.0; n_arms];
    for _ in 0..MAX_ROUNDS {
        shares.fill(0.0);
        for pair in pairs {
            let (i, j) = (pair.low.index(), pair.high.index());
            let share = (pair.weight + 2.0 * PRIOR) / (strengths[i] + strengths[j]);
            shares[i] += share;
            shares[j] += share;
        }
        let mut largest: f64 = 0.0;
        for i in (0..n_arms).filter(|&i| shares[i] > 0.0) {
            let new = wins[i] / shares[i];
            largest = largest.max((new / strengths[i] - 1.0).abs());
            strengths[i] = new;
        }
        if largest < SETTLED {
            return Some(strengths);
        }
        rescale(&mut strengths, &groups);
    }
    None
}

/// Scales the sum of each group to its size, so that no strength diverges. Only ratios within a
/// group have a meaning.
fn rescale(strengths: &mut [f64], groups: &[usize]) {
    let mut sums = vec![(0.0, 0.0); strengths.len()];
    for (&strength, &group) in strengths.iter().zip(groups) {
        sums[group].0 += strength;
        sums[group].1 += 1.0;
    }
    for (strength, &group) in strengths.iter_mut().zip(groups) {
        *strength *= sums[group].1 / sums[group].0;
    }
}

/// For each arm, the lowest arm that a chain of compared pairs connects with it.
pub(super) fn groups(n_arms: usize, pairs: &[&PairCount]) -> Vec<usize> {
    fn root(parents: &mut [usize], arm: Arm) -> usize {
        let mut at = arm.index();
        while parents[at] != at {
            // Path halving makes later searches faster.
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        at
    }
    let mut parents: Vec<usize> = (0..n_arms).collect();
    for pair in pairs {
        let (a, b) = (root(&mut parents, pair.low), root(&mut parents, pair.high));
        parents[a.max(b)] = a.min(b);
    }
    Arm::all(n_arms).map(|arm| root(&mut parents, arm)).collect()
}
