//! Wins, losses and ties of each pair.

use tiltyard_bandit::Arm;

use super::{Verdict, Vote, Votes};

/// The votes on one pair. Apart from `votes`, all counts are sums of weights, and
/// `wins + losses + ties + both_bad` is `weight`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairCount {
    /// The arm with the lower number.
    pub low: Arm,
    /// The arm with the higher number.
    pub high: Arm,
    /// The number of votes.
    pub votes: u64,
    /// The total weight of the votes.
    pub weight: f64,
    /// The votes for `low`. A score counts partly as a win and partly as a loss.
    pub wins: f64,
    /// The votes for `high`.
    pub losses: f64,
    /// The votes for neither, without `both_bad`.
    pub ties: f64,
    /// The votes against both arms.
    pub both_bad: f64,
    /// The sum of weight times squared reward, for the variance.
    pub(crate) squares: f64,
    /// The sum of squared weights, for the effective number of votes.
    pub(crate) weight_squares: f64,
}

impl PairCount {
    const fn new(low: Arm, high: Arm) -> Self {
        let zero = 0.0;
        Self {
            low,
            high,
            votes: 0,
            weight: zero,
            wins: zero,
            losses: zero,
            ties: zero,
            both_bad: zero,
            squares: zero,
            weight_squares: zero,
        }
    }

    fn add(&mut self, vote: &Vote) {
        let verdict = if vote.left == self.low { vote.verdict } else { vote.verdict.flipped() };
        let Vote { weight, .. } = *vote;
        let reward = verdict.outcome().reward();
        self.votes += 1;
        self.weight += weight;
        self.weight_squares += weight * weight;
        self.squares += weight * reward * reward;
        match verdict {
            Verdict::Left => self.wins += weight,
            Verdict::Right => self.losses += weight,
            Verdict::Tie => self.ties += weight,
            Verdict::BothBad => self.both_bad += weight,
            Verdict::Score(outcome) => {
                self.wins += weight * outcome.reward();
                self.losses += weight * outcome.flipped().reward();
            }
        }
    }

    /// The sum of the rewards of `low`. Ties count one half.
    pub fn reward(&self) -> f64 {
        self.wins + f64::midpoint(self.ties, self.both_bad)
    }
}

/// The counts of all pairs that were compared.
#[derive(Debug, Clone, PartialEq)]
pub struct PairCounts {
    n_arms: usize,
    /// In ascending order of (low, high).
    pairs: Vec<PairCount>,
}

impl PairCounts {
    pub(super) fn of(votes: &Votes) -> Self {
        let mut pairs: Vec<PairCount> = Vec::new();
        for &index in &by_pair(votes.votes()) {
            let vote = &votes.votes()[index as usize];
            let (low, high) = pair_of(vote);
            if pairs.last().is_none_or(|last| (last.low, last.high) != (low, high)) {
                pairs.push(PairCount::new(low, high));
            }
            if let Some(last) = pairs.last_mut() {
                last.add(vote);
            }
        }
        Self { n_arms: votes.n_arms(), pairs }
    }

    /// K, the number of arms.
    pub fn n_arms(&self) -> usize {
        self.n_arms
    }

    /// The pairs that were compared, in ascending order.
    pub fn pairs(&self) -> &[PairCount] {
        &self.pairs
    }

    /// The counts of two arms, given in either order, if they were compared.
    pub fn get(&self, arm: Arm, other: Arm) -> Option<&PairCount> {
        let key = (arm.min(other), arm.max(other));
        let at = self.pairs.binary_search_by_key(&key, |pair| (pair.low, pair.high)).ok()?;
        Some(&self.pairs[at])
    }

    /// The number of all pairs, compared or not: K (K - 1) / 2.
    pub fn n_pairs(&self) -> usize {
        self.n_arms * self.n_arms.saturating_sub(1) / 2
    }
}

/// The two arms of a vote, the one with the lower number first.
pub(crate) fn pair_of(vote: &Vote) -> (Arm, Arm) {
    (vote.left.min(vote.right), vote.left.max(vote.right))
}

/// The indices of the votes, pair after pair, and in the order of the log within a pair.
pub(crate) fn by_pair(votes: &[Vote]) -> Vec<u32> {
    let n = u32::try_from(votes.len()).expect("fewer votes than MAX_VOTES");
    let mut order: Vec<u32> = (0..n).collect();
    // A stable sort keeps the order of the log.
    order.sort_by_key(|&index| pair_of(&votes[index as usize]));
    order
}
