//! Bounds on Copeland scores: the number of other arms that an arm may beat, and the number that it
//! is shown to beat.
//!
//! One certificate of a pair is about two arms. U_ij < 1/2 means that i loses against j. L_ji > 1/2
//! is the same statement and means that j wins. Let `beaten(i)` be the number of j with U_ij < 1/2,
//! and `conquests(i)` the number of j with L_ij > 1/2. Then the Copeland score of i is between
//! Lcop_i = conquests(i) and Ucop_i = K - 1 - beaten(i).

use crate::Arm;
use crate::structures::bounds::certificates::LossCounts;
use crate::structures::collections::arm_set::ArmSet;
use crate::structures::collections::pairs::arms;

/// The arms grouped by the number of certificates against them, and the largest number of
/// certificates in favour of an arm. Adding or removing a certificate moves one arm by one level.
/// So the lowest level and the largest number change by at most one, and every operation takes O(1)
/// time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CopelandBounds {
    beaten: Vec<u32>,
    /// The arms beaten by 0, 1, 2, ... others. As sets of bits, they do not depend on the order of
    /// changes.
    levels: Vec<ArmSet>,
    /// The lowest level that contains an arm.
    lowest: usize,
    conquests: Vec<u32>,
    /// The number of arms with 0, 1, 2, ... conquests.
    with_conquests: Vec<u32>,
    /// The largest number of conquests of an arm.
    most: usize,
}

impl CopelandBounds {
    /// The arms that may have the highest Copeland score, argmax Ucop: those that the fewest other
    /// arms are shown to beat.
    #[inline]
    pub(crate) fn least_beaten(&self) -> &ArmSet {
        &self.levels[self.lowest]
    }

    /// The number of other arms that are shown to beat each of [`Self::least_beaten`]: max Ucop =
    /// K - 1 - this.
    #[inline]
    pub(crate) fn fewest(&self) -> usize {
        self.lowest
    }

    /// The number of other arms that are shown to beat an arm: Ucop = K - 1 - this.
    #[inline]
    pub(crate) fn beaten(&self, arm: Arm) -> usize {
        self.beaten[arm.index()] as usize
    }

    /// The number of other arms that an arm is shown to beat: Lcop.
    #[inline]
    pub(crate) fn conquests(&self, arm: Arm) -> usize {
        self.conquests[arm.index()] as usize
    }

    /// max Lcop.
    #[inline]
    pub(crate) fn most_conquests(&self) -> usize {
        self.most
    }
}

/// The other arm of a pair.
fn other(arm: Arm, pair: usize) -> Arm {
    let (low, high) = arms(pair);
    Arm::new(if arm.index() == low { high } else { low })
}

impl LossCounts for CopelandBounds {
    fn new(n_arms: usize) -> Self {
        let mut levels = vec![ArmSet::empty(n_arms); n_arms];
        let mut with_conquests = vec![0; n_arms];
        if let (Some(level), Some(arms)) = (levels.first_mut(), with_conquests.first_mut()) {
            *level = ArmSet::full(n_arms);
            *arms = u32::try_from(n_arms).unwrap_or(u32::MAX);
        }
        Self {
            beaten: vec![0; n_arms],
            levels,
            lowest: 0,
            conquests: vec![0; n_arms],
            with_conquests,
            most: 0,
        }
    }

    #[inline]
    fn add_loss(&mut self, loser: Arm, pair: usize) {
        let level = self.beaten(loser);
        self.levels[level].remove(loser);
        self.levels[level + 1].insert(loser);
        self.beaten[loser.index()] += 1;
        // If the lowest level is now empty, the loser is one level above it.
        self.lowest += usize::from(self.levels[self.lowest].len() == 0);

        let winner = other(loser, pair);
        let conquests = self.conquests(winner);
        self.with_conquests[conquests] -= 1;
        self.with_conquests[conquests + 1] += 1;
        self.conquests[winner.index()] += 1;
        self.most = self.most.max(conquests + 1);
    }

    #[inline]
    fn remove_loss(&mut self, loser: Arm, pair: usize) {
        let level = self.beaten(loser);
        self.levels[level].remove(loser);
        self.levels[level - 1].insert(loser);
        self.beaten[loser.index()] -= 1;
        self.lowest = self.lowest.min(level - 1);

        let winner = other(loser, pair);
        let conquests = self.conquests(winner);
        self.with_conquests[conquests] -= 1;
        self.with_conquests[conquests - 1] += 1;
        self.conquests[winner.index()] -= 1;
        // If no arm has `most` conquests any more, the winner has one fewer.
        self.most -= usize::from(self.with_conquests[self.most] == 0);
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::structures::bounds::certificates::{Certificates, ln_of_round};
    use crate::structures::collections::pairs::{all_pairs, pair_of};

    /// The upper bound U of i over j, as in the papers: infinite before the first duel.
    fn upper(wins: &[Vec<u64>], (i, j): (usize, usize), alpha: f64, ln_t: f64) -> f64 {
        let n = (wins[i][j] + wins[j][i]) as f64;
        if n > 0.0 { wins[i][j] as f64 / n + (alpha * ln_t / n).sqrt() } else { f64::INFINITY }
    }

    fn lower(wins: &[Vec<u64>], (i, j): (usize, usize), alpha: f64, ln_t: f64) -> f64 {
        1.0 - upper(wins, (j, i), alpha, ln_t)
    }

    /// Compared with U and L of every pair, computed in every round, for matrices with entries such
    /// as 0, 1/2 and 1. An expiry within rounding errors of its time could differ, but none does
    /// here.
    #[test]
    fn law_scores_are_those_of_all_bounds() {
        let mut rng = crate::Stream::new(1).rng();
        for n_arms in [1, 2, 3, 5, 9, 70] {
            let alpha = 0.51;
            let mut certificates = Certificates::<CopelandBounds>::new(n_arms, ln_of_round(1));
            let mut wins = vec![vec![0; n_arms]; n_arms];
            let p: Vec<f64> = all_pairs(n_arms).map(|_| f64::from(rng.random_range(0..=4u8)) / 4.0).collect();
            for round in 1..if n_arms > 9 { 1500 } else { 1000 } {
                if n_arms > 1 {
                    // A few pairs meet often, so that many certificates are in force and some
                    // expire.
                    let high = rng.random_range(1..n_arms);
                    let low = rng.random_range(0..high);
                    for _ in 0..rng.random_range(1..6) {
                        let low_won = rng.random::<f64>() < p[pair_of(low, high)];
                        let (winner, loser) = if low_won { (low, high) } else { (high, low) };
                        wins[winner][loser] += 1;
                    }
                    let score = (wins[low][high], wins[high][low]);
                    certificates.judge(Arm::new(low), Arm::new(high), score, alpha);
                }
                // Time advances in leaps, so that certificates of few duels expire too.
                let ln_t = ln_of_round(round * round);
                certificates.advance(ln_t);
                check(&certificates, &wins, alpha, ln_t);
            }
        }
    }

    fn check(certificates: &Certificates<CopelandBounds>, wins: &[Vec<u64>], alpha: f64, ln_t: f64) {
        let (n_arms, copeland) = (wins.len(), certificates.losses());
        let others = |i: usize| (0..n_arms).filter(move |&j| j != i);
        let may_beat: Vec<usize> = (0..n_arms)
            .map(|i| others(i).filter(|&j| upper(wins, (i, j), alpha, ln_t) >= 0.5).count())
            .collect();
        let beats: Vec<usize> = (0..n_arms)
            .map(|i| others(i).filter(|&j| lower(wins, (i, j), alpha, ln_t) > 0.5).count())
            .collect();
        for (i, arm) in Arm::all(n_arms).enumerate() {
            assert_eq!(copeland.beaten(arm), n_arms - 1 - may_beat[i]);
            assert_eq!(copeland.conquests(arm), beats[i]);
            assert_eq!(copeland.least_beaten().contains(arm), Some(&may_beat[i]) == may_beat.iter().max());
            for j in others(i) {
                let loses = certificates.loses(arm, Arm::new(j));
                assert_eq!(loses, upper(wins, (i, j), alpha, ln_t) < 0.5);
            }
            assert!(!certificates.loses(arm, arm));
        }
        assert_eq!(Some(n_arms - 1 - copeland.fewest()), may_beat.iter().copied().max());
        assert_eq!(Some(copeland.most_conquests()), beats.iter().copied().max());
    }
}
