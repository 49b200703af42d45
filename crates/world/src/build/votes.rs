//! A preference matrix from votes.
//!
//! A pair has w wins, l losses and t ties, where votes against both arms are ties. With
//! n = w + l + t,
//!
//! ```text
//! P = (w + t/2 + s) / (n + 2s)
//! ```
//!
//! The *smoothing* s acts as if each side had s more votes. The default of 1/2 gives the mean under
//! Jeffreys' prior. Of the usual choices it moves P the least, yet a pair with three votes never
//! becomes a certainty. Smoothing moves P towards 1/2 and never across it. So s does not change
//! which arm beats which, nor the Condorcet and Copeland winners.
//!
//! The standard error counts the 2s added votes, too. With rewards r of 1, 1/2 and 0,
//!
//! ```text
//! variance = (sum of r^2 + s) / (n + 2s) - P^2        standard error = sqrt(variance / (n + 2s))
//! ```
//!
//! Without ties this is sqrt(P (1 - P) / (n + 2s)). With s = 0 a unanimous pair has standard error
//! 0, which is the plug-in estimate and not certainty. Weighted votes count by weight, and the n
//! under the root is (sum of weights)^2 / (sum of squared weights).
//!
//! A pair that was never compared has an infinite standard error. [`Unseen`] decides its P.

mod bradley_terry;

use std::io;

use tiltyard_bandit::Arm;
use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::matrix::PreferenceMatrix;

use crate::matrix_file;
use crate::votes::{PairCount, PairCounts, Votes};

pub use bradley_terry::MAX_ROUNDS;

/// How to treat a pair that was never compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unseen {
    /// P = 1/2. Nothing is known, so neither arm beats the other, and no Condorcet winner depends
    /// on such a pair.
    #[default]
    Half,
    /// P from strengths fitted to all compared pairs (Bradley and Terry, 1952), and 1/2 between
    /// groups of arms that no chain of comparisons connects. This P comes from a model, not from
    /// evidence, so the standard error stays infinite.
    BradleyTerry,
    /// An error.
    Refuse,
}

/// How to build a matrix from votes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The votes to add to each side of each compared pair.
    pub smoothing: f64,
    /// How to treat pairs that were never compared.
    pub unseen: Unseen,
    /// A pair with fewer votes than this counts as never compared.
    pub min_votes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { smoothing: 0.5, unseen: Unseen::Half, min_votes: 1 }
    }
}

/// A matrix and the votes it was built from.
#[derive(Debug, Clone, PartialEq)]
pub struct VoteMatrix {
    names: Vec<String>,
    matrix: PreferenceMatrix,
    counts: PairCounts,
    options: Options,
    groups: usize,
}

/// One pair of a matrix built from votes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairEntry<'a> {
    /// The arm with the lower number.
    pub low: Arm,
    /// The arm with the higher number.
    pub high: Arm,
    /// The votes on the pair, if there are any.
    pub count: Option<&'a PairCount>,
    /// Whether P comes from these votes.
    pub is_compared: bool,
    /// P(low beats high).
    pub p: f64,
    /// The standard error of P; infinite if the pair counts as never compared.
    pub standard_error: f64,
}

impl VoteMatrix {
    /// Builds the matrix.
    ///
    /// # Errors
    ///
    /// If the smoothing is out of range, there are no votes or too many arms, the Bradley-Terry fit
    /// does not converge, or pairs were never compared and [`Unseen::Refuse`] is set.
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
        // `from_fn` asks for the pairs in the same order.
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

    /// The names of the arms.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The matrix.
    pub fn matrix(&self) -> &PreferenceMatrix {
        &self.matrix
    }

    /// The counts of the votes.
    pub fn counts(&self) -> &PairCounts {
        &self.counts
    }

    /// The number of groups of arms that compared pairs connect. No votes compare arms of different
    /// groups, not even indirectly.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The number of pairs that count as never compared.
    pub fn never_compared(&self) -> usize {
        self.counts.n_pairs() - self.compared().count()
    }

    /// The pairs with a P computed from votes.
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

    /// Writes all pairs as CSV with the columns `left,right,n,wins,losses,ties,both_bad,p,stderr`.
    /// Wins and P are for the left arm. `n` and the counts are sums of weights. The standard error
    /// is `inf` for a pair that counts as never compared.
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

/// The largest smoothing. It outweighs any votes.
pub const MAX_SMOOTHING: f64 = 1e6;

/// P and its standard error for a pair with votes.
fn estimate(pair: &PairCount, smoothing: f64) -> (f64, f64) {
    let total = pair.weight + 2.0 * smoothing;
    // Rounding errors may put a share of scores slightly outside [0, 1].
    let p = ((pair.reward() + smoothing) / total).clamp(0.0, 1.0);
    let variance = ((pair.squares + smoothing) / total - p * p).max(0.0);
    let worth = pair.weight * pair.weight / pair.weight_squares + 2.0 * smoothing;
    (p, (variance / worth).sqrt())
}

/// The first pair that is missing from `used`, which is in ascending order and incomplete.
fn first_gap(n_arms: usize, used: &[&PairCount]) -> (Arm, Arm) {
    let mut next = used.iter().peekable();
    let mut all =
        Arm::all(n_arms).flat_map(|low| Arm::all(n_arms).skip(low.index() + 1).map(move |high| (low, high)));
    all.find(|&key| next.next_if(|pair| (pair.low, pair.high) == key).is_none())
        .expect("there are fewer compared pairs than pairs")
}

/// Why no matrix can be built from the votes.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum BuildVotesError {
    #[error("the smoothing is {smoothing}, but must be a number from 0 to {MAX_SMOOTHING}")]
    Smoothing { smoothing: f64 },
    #[error("there are no votes that compare two arms")]
    NoVotes,
    #[error("{n_arms} arms are more than the {} that a matrix may have", matrix_file::MAX_ARMS)]
    TooManyArms { n_arms: usize },
    #[error("{never} of {pairs} pairs were never compared, the first of them `{low}` and `{high}`")]
    NeverCompared { low: String, high: String, never: usize, pairs: usize },
    #[error(
        "the Bradley-Terry fit did not converge in {MAX_ROUNDS} iterations: too few votes connect the arms"
    )]
    NoFit,
}

impl Hint for BuildVotesError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        let half = front.choice("unseen", "half");
        match self {
            Self::NeverCompared { .. } => {
                let fitted = front.choice("unseen", "bradley-terry");
                vec![format!("{half} or {fitted} fills in the missing pairs")]
            }
            Self::NoFit => vec![format!("{half} needs no fit")],
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
