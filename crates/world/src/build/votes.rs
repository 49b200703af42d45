//! A preference matrix from votes.
//!
//! For a pair with wins w, losses l and ties t (votes against both arms are ties), n = w + l + t in
//! all,
//!
//! ```text
//! P = (w + t/2 + s) / (n + 2s)
//! ```
//!
//! where s is the *smoothing*: as if s more votes had gone to each side. The default of 1/2 is the
//! mean under Jeffreys' prior: of the usual choices the one that moves least, and yet no pair of
//! three votes becomes a certainty. Smoothing moves P towards 1/2 and never across it: who beats
//! whom, and with it the Condorcet and Copeland winners, do not depend on s.
//!
//! The standard error counts the s + s votes as well: with rewards r of 1, 1/2 and 0,
//!
//! ```text
//! variance = (sum of r^2 + s) / (n + 2s) - P^2        standard error = sqrt(variance / (n + 2s))
//! ```
//!
//! which is sqrt(P (1 - P) / (n + 2s)) where there are no ties. With s = 0 a unanimous pair has
//! standard error 0: that is the plug-in estimate, not knowledge. Weighted votes count by weight,
//! and n under the root is (sum of weights)^2 / (sum of squares).
//!
//! A pair that was never compared has an infinite standard error, and what its P is says
//! [`Unseen`].

mod bradley_terry;

use std::io;

use tiltyard_bandit::Arm;
use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::matrix::PreferenceMatrix;

use crate::matrix_file;
use crate::votes::{PairCount, PairCounts, Votes};

pub use bradley_terry::MAX_ROUNDS;

/// What stands for a pair that was never compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unseen {
    /// P = 1/2: nothing is known, so neither beats the other, and no Condorcet winner rests on such
    /// a pair.
    #[default]
    Half,
    /// P from strengths fitted to all pairs that were compared (Bradley and Terry, 1952), with 1/2
    /// between groups of arms that no chain of comparisons connects. A model's word, not evidence:
    /// the standard error stays infinite.
    BradleyTerry,
    /// An error.
    Refuse,
}

/// How to make a matrix of votes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Votes added to each side of each compared pair.
    pub smoothing: f64,
    /// What stands for pairs that were never compared.
    pub unseen: Unseen,
    /// A pair with fewer votes than this counts as never compared.
    pub min_votes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { smoothing: 0.5, unseen: Unseen::Half, min_votes: 1 }
    }
}

/// A matrix with the evidence it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct VoteMatrix {
    names: Vec<String>,
    matrix: PreferenceMatrix,
    counts: PairCounts,
    options: Options,
    groups: usize,
}

/// One pair of a matrix of votes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairEntry<'a> {
    /// The arm with the lower number.
    pub low: Arm,
    /// The other.
    pub high: Arm,
    /// The votes, if there are any.
    pub count: Option<&'a PairCount>,
    /// Whether P comes from these votes.
    pub is_compared: bool,
    /// P(low beats high).
    pub p: f64,
    /// Its standard error; infinite if the pair counts as never compared.
    pub standard_error: f64,
}

impl VoteMatrix {
    /// Makes the matrix.
    ///
    /// # Errors
    ///
    /// If an option makes no sense, there are no votes or too many arms, or pairs were never
    /// compared and that is to be refused.
    pub fn new(votes: &Votes, options: Options) -> Result<Self, BuildVotesError> {
        let Options { smoothing, unseen, min_votes } = options;
        if !(0.0..=MAX_SMOOTHING).contains(&smoothing) {
            return Err(BuildVotesError::Smoothing { smoothing });
        }
        if votes.votes().is_empty() {
            return Err(BuildVotesError::NoVotes);
        }
        let n_arms = votes.n_arms();
        if n_arms > matrix_file::MAX_ARMS {
            return Err(BuildVotesError::TooManyArms { n_arms });
        }
        let counts = votes.counts();
        let used: Vec<&PairCount> = counts.pairs().iter().filter(|pair| pair.votes >= min_votes).collect();
        let groups = bradley_terry::groups(n_arms, &used);
        let n_groups = groups.iter().enumerate().filter(|&(arm, &root)| arm == root).count();
        let strengths = match unseen {
            Unseen::Refuse if used.len() < counts.n_pairs() => {
                let (low, high) = first_gap(n_arms, &used);
                let name = |arm: Arm| votes.names()[arm.index()].clone();
                return Err(BuildVotesError::NeverCompared {
                    low: name(low),
                    high: name(high),
                    never: counts.n_pairs() - used.len(),
                    pairs: counts.n_pairs(),
                });
            }
            Unseen::BradleyTerry if used.len() < counts.n_pairs() => {
                Some(bradley_terry::strengths(n_arms, &used).ok_or(BuildVotesError::NoFit)?)
            }
            _ => None,
        };
        // The pairs come in the order in which the matrix asks for them.
        let mut next = used.iter().peekable();
        let matrix = PreferenceMatrix::from_fn(n_arms, |low, high| {
            if let Some(pair) = next.next_if(|pair| (pair.low, pair.high) == (low, high)) {
                return estimate(pair, smoothing).0;
            }
            match &strengths {
                Some(strengths) if groups[low.index()] == groups[high.index()] => {
                    strengths[low.index()] / (strengths[low.index()] + strengths[high.index()])
                }
                _ => 0.5,
            }
        });
        let matrix = matrix.expect("shares of positive numbers are probabilities");
        Ok(Self { names: votes.names().to_vec(), matrix, counts, options, groups: n_groups })
    }

    /// Names of the arms.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The matrix.
    pub fn matrix(&self) -> &PreferenceMatrix {
        &self.matrix
    }

    /// The evidence.
    pub fn counts(&self) -> &PairCounts {
        &self.counts
    }

    /// In how many groups the arms fall if compared pairs are joined: with more than one, no votes
    /// tell arms of different groups apart, not even by way of others.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// How many pairs count as never compared.
    pub fn never_compared(&self) -> usize {
        self.counts.n_pairs() - self.compared().count()
    }

    /// The pairs that P was computed for.
    pub fn compared(&self) -> impl Iterator<Item = &PairCount> {
        self.counts.pairs().iter().filter(|pair| pair.votes >= self.options.min_votes)
    }

    /// All pairs, compared or not, in ascending order.
    pub fn entries(&self) -> impl Iterator<Item = PairEntry<'_>> {
        let n_arms = self.matrix.n_arms();
        let all = Arm::all(n_arms)
            .flat_map(move |low| Arm::all(n_arms).skip(low.index() + 1).map(move |high| (low, high)));
        let mut next = self.counts.pairs().iter().peekable();
        all.map(move |(low, high)| {
            let count = next.next_if(|pair| (pair.low, pair.high) == (low, high));
            let used = count.filter(|pair| pair.votes >= self.options.min_votes);
            let standard_error = used.map_or(f64::INFINITY, |pair| estimate(pair, self.options.smoothing).1);
            PairEntry {
                low,
                high,
                count,
                is_compared: used.is_some(),
                p: self.matrix.get(low, high),
                standard_error,
            }
        })
    }

    /// Writes all pairs as CSV: `left,right,n,wins,losses,ties,both_bad,p,stderr`, where wins and P
    /// are those of the left arm, n and the counts are sums of weights, and a pair that counts as
    /// never compared has `inf` for its standard error.
    ///
    /// # Errors
    ///
    /// If the writer fails.
    pub fn write_pairs(&self, writer: impl io::Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(writer);
        writer.write_record(["left", "right", "n", "wins", "losses", "ties", "both_bad", "p", "stderr"])?;
        for entry in self.entries() {
            let numbers = entry
                .count
                .map_or([0.0; 5], |pair| [pair.weight, pair.wins, pair.losses, pair.ties, pair.both_bad]);
            let numbers =
                numbers.into_iter().chain([entry.p, entry.standard_error]).map(|number| number.to_string());
            let names = [entry.low, entry.high].map(|arm| self.names[arm.index()].clone());
            writer.write_record(names.into_iter().chain(numbers))?;
        }
        writer.flush()
    }
}

/// More smoothing than this leaves nothing of any votes.
pub const MAX_SMOOTHING: f64 = 1e6;

/// P and its standard error, from a pair with votes.
fn estimate(pair: &PairCount, smoothing: f64) -> (f64, f64) {
    let total = pair.weight + 2.0 * smoothing;
    // Rounding may leave a share of scores a hair outside.
    let p = ((pair.reward() + smoothing) / total).clamp(0.0, 1.0);
    let variance = ((pair.squares + smoothing) / total - p * p).max(0.0);
    let worth = pair.weight * pair.weight / pair.weight_squares + 2.0 * smoothing;
    (p, (variance / worth).sqrt())
}

/// The first pair that is not in the list, which is in ascending order and has a gap.
fn first_gap(n_arms: usize, used: &[&PairCount]) -> (Arm, Arm) {
    let mut next = used.iter().peekable();
    let mut all =
        Arm::all(n_arms).flat_map(|low| Arm::all(n_arms).skip(low.index() + 1).map(move |high| (low, high)));
    all.find(|&key| next.next_if(|pair| (pair.low, pair.high) == key).is_none())
        .expect("there are fewer compared pairs than pairs")
}

/// Why votes make no matrix.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildVotesError {
    /// Smoothing that is no number of votes.
    #[error("a smoothing of {smoothing} is not a number from 0 to {MAX_SMOOTHING}")]
    Smoothing {
        /// What was asked for.
        smoothing: f64,
    },
    /// Nobody said anything.
    #[error("there are no votes that compare two arms")]
    NoVotes,
    /// More than a matrix may have.
    #[error("{n_arms} arms are more than the {} that a matrix may have", matrix_file::MAX_ARMS)]
    TooManyArms {
        /// How many.
        n_arms: usize,
    },
    /// Pairs without votes, where that is to be refused.
    #[error("{never} of {pairs} pairs were never compared, the first of them `{low}` and `{high}`")]
    NeverCompared {
        /// An arm of the first such pair.
        low: String,
        /// The other.
        high: String,
        /// How many pairs.
        never: usize,
        /// Of how many.
        pairs: usize,
    },
    /// The strengths of Bradley and Terry do not settle.
    #[error("the Bradley-Terry fit has not settled in {MAX_ROUNDS} rounds: too few votes connect the arms")]
    NoFit,
}

impl Hint for BuildVotesError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        let half = front.choice("unseen", "half");
        match self {
            Self::NeverCompared { .. } => {
                let fitted = front.choice("unseen", "bradley-terry");
                vec![format!("{half} or {fitted} puts something in their place")]
            }
            Self::NoFit => vec![format!("{half} needs no fit")],
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
