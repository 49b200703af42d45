//! A preference matrix from rankers, interleaving and simulated clicks.
//!
//! For one sample of a pair of rankers, a query is drawn uniformly, the two lists are merged, a
//! simulated user clicks, and the list with more credit wins. P(i, j) is the share of samples that
//! i wins, where a tie counts half. If the method splits the credit of a click, a sample can be won
//! in part ([`Interleaving::verdict`]). Each pair has its own random stream, so the matrix depends
//! on the seed and not on the number of threads.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use std::io;

use rand::{Rng, RngExt};
use rayon::prelude::*;
use tiltyard_bandit::hint::{Fault, FrontEnd, Hint};
use tiltyard_bandit::matrix::PreferenceMatrix;
use tiltyard_bandit::{Arm, Outcome, Stream};

use crate::click::{ClickError, ClickModel, ClickSpec};
use crate::ranker::RankedCollection;
use tiltyard_interleave::{Clicks, Interleaving, Merged, Merger};

/// How to build a matrix from a ranked collection.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Simulation {
    /// How the user clicks.
    pub clicks: ClickSpec,
    /// How two lists are merged.
    pub interleaving: Interleaving,
    /// The number of documents that the user sees.
    pub shown: usize,
    /// When to stop sampling a pair.
    pub stopping: StoppingRule,
    pub seed: u64,
}

/// When to stop sampling a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StoppingRule {
    /// After this many samples.
    Samples(u64),
    /// When the standard error is at most `error`, but after `at_most` samples at the latest.
    Within {
        /// The target for the standard error.
        error: f64,
        /// The limit on the samples of a pair.
        at_most: u64,
    },
}

/// The progress of a simulation and the request to stop it, shared between threads.
#[derive(Debug, Default)]
pub struct SimulationProgress {
    done: AtomicU64,
    stop: AtomicBool,
}

impl SimulationProgress {
    /// The number of pairs finished so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Asks the simulation to stop as soon as it can.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// The number of samples in a batch. It is large enough for several draws per preparation of two
/// lists, and small enough to stop near the target error.
const BATCH: u64 = 1000;

impl Simulation {
    /// Samples every pair of rankers, on the threads of the current rayon pool.
    ///
    /// # Errors
    ///
    /// If the click model has no numbers for the labels of the collection, `shown` or the stopping
    /// rule is invalid, or the simulation was stopped.
    pub fn run(
        &self,
        collection: &RankedCollection,
        progress: &SimulationProgress,
    ) -> Result<ClickMatrix, SimulationError> {
        self.check()?;
        let user = self.clicks.for_grades(collection.max_label())?;
        let n = collection.n_rankers();
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
        let streams = Stream::new(self.seed).label("interleaved duels");
        let samples: Option<Vec<PairSample>> = pairs
            .par_iter()
            .map_init(
                || PairSampler::new(collection, &user, self),
                |sampler, &(i, j)| {
                    let mut rng = streams.index(i as u64).index(j as u64).rng();
                    let sample = sampler.pair(i, j, &mut rng, progress)?;
                    progress.done.fetch_add(1, Ordering::Relaxed);
                    Some(sample)
                },
            )
            .collect();
        Ok(ClickMatrix::new(n, samples.ok_or(SimulationError::Stopped)?))
    }

    fn check(&self) -> Result<(), SimulationError> {
        if self.shown == 0 {
            return Err(SimulationError::NothingShown);
        }
        match self.stopping {
            StoppingRule::Samples(0) | StoppingRule::Within { at_most: 0, .. } => {
                Err(SimulationError::NoSamples)
            }
            // Written so that NaN is refused too.
            StoppingRule::Within { error, .. } if !(0.0 < error && error < 0.5) => {
                Err(SimulationError::NoSuchError { error })
            }
            _ => Ok(()),
        }
    }
}

/// The state that one thread reuses to sample pairs.
struct PairSampler<'a> {
    collection: &'a RankedCollection,
    user: &'a ClickModel,
    simulation: &'a Simulation,
    merger: Merger<u32>,
    merged: Merged<u32>,
    clicks: Clicks,
    /// How often each query is drawn in the batch.
    drawn: Vec<u32>,
}

impl<'a> PairSampler<'a> {
    fn new(collection: &'a RankedCollection, user: &'a ClickModel, simulation: &'a Simulation) -> Self {
        Self {
            collection,
            user,
            simulation,
            merger: Merger::new(simulation.interleaving),
            merged: Merged::default(),
            clicks: Clicks::new(),
            drawn: vec![0; collection.queries().len()],
        }
    }

    /// Samples one pair until the stopping rule holds; `None` if the simulation was stopped.
    fn pair<R: Rng>(
        &mut self,
        low: usize,
        high: usize,
        rng: &mut R,
        progress: &SimulationProgress,
    ) -> Option<PairSample> {
        let mut sample = PairSample::new(Arm::new(low), Arm::new(high));
        loop {
            let left = match self.simulation.stopping {
                StoppingRule::Samples(samples) => samples - sample.n,
                StoppingRule::Within { error, at_most }
                    if sample.n == 0 || sample.cautious_error() > error =>
                {
                    at_most - sample.n
                }
                StoppingRule::Within { .. } => 0,
            };
            if left == 0 {
                return Some(sample);
            }
            if progress.stopped() {
                return None;
            }
            self.batch(low, high, left.min(BATCH), rng, &mut sample);
        }
    }

    /// Draws all queries of a batch first. Then it prepares the two lists of each query only once,
    /// for all samples of that query.
    fn batch<R: Rng>(&mut self, low: usize, high: usize, samples: u64, rng: &mut R, sample: &mut PairSample) {
        self.drawn.fill(0);
        for _ in 0..samples {
            let query = rng.random_range(0..self.drawn.len());
            self.drawn[query] += 1;
        }
        for (query, &times) in self.collection.queries().iter().zip(&self.drawn) {
            if times == 0 {
                continue;
            }
            self.merger.prepare(query.list(low), query.list(high), self.simulation.shown);
            for _ in 0..times {
                self.merger.draw(rng, &mut self.merged);
                let grades = self.merged.documents().iter().map(|&document| query.label(document));
                self.user.clicks(grades, rng, &mut self.clicks);
                sample.add(self.simulation.interleaving.verdict(self.merged.credit(&self.clicks)));
            }
        }
    }
}

/// The samples of a pair, summed up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairSample {
    /// The ranker with the lower number.
    pub low: Arm,
    /// The ranker with the higher number.
    pub high: Arm,
    /// The number of samples.
    pub n: u64,
    /// The number of samples that `low` won, fully or in part.
    pub wins: u64,
    /// The number of ties.
    pub ties: u64,
    /// The sum of the rewards of `low`: 1 for a win, 0 for a loss, 1/2 for a tie, or a value
    /// between.
    reward: f64,
    /// The sum of the squared rewards.
    squares: f64,
}

impl PairSample {
    const fn new(low: Arm, high: Arm) -> Self {
        Self { low, high, n: 0, wins: 0, ties: 0, reward: 0.0, squares: 0.0 }
    }

    fn add(&mut self, outcome: Outcome) {
        self.n += 1;
        self.wins += u64::from(outcome.score() > 0.0);
        self.ties += u64::from(outcome == Outcome::TIE);
        self.reward += outcome.reward();
        self.squares += outcome.reward() * outcome.reward();
    }

    /// The number of samples that `high` won.
    pub fn losses(&self) -> u64 {
        self.n - self.wins - self.ties
    }

    /// The mean reward of `low`: the share of samples that it won, where a tie counts half.
    pub fn p(&self) -> f64 {
        self.reward / self.n as f64
    }

    /// The standard error of [`Self::p`].
    pub fn standard_error(&self) -> f64 {
        let n = self.n as f64;
        let mean = self.p();
        ((self.squares / n - mean * mean).max(0.0) / (n - 1.0).max(1.0)).sqrt()
    }

    /// The standard error with one more win and one more loss, so that a streak of equal samples
    /// does not look like certainty.
    fn cautious_error(&self) -> f64 {
        Self { n: self.n + 2, reward: self.reward + 1.0, squares: self.squares + 1.0, ..*self }
            .standard_error()
    }
}

/// A matrix and the samples it was built from.
#[derive(Debug, Clone, PartialEq)]
pub struct ClickMatrix {
    matrix: PreferenceMatrix,
    pairs: Vec<PairSample>,
}

impl ClickMatrix {
    fn new(n_arms: usize, pairs: Vec<PairSample>) -> Self {
        // `from_fn` asks for the pairs in the same order.
        let mut next = pairs.iter();
        let matrix = PreferenceMatrix::from_fn(n_arms, |_, _| next.next().map_or(0.5, PairSample::p));
        Self { matrix: matrix.expect("shares are probabilities"), pairs }
    }

    /// The matrix.
    pub fn matrix(&self) -> &PreferenceMatrix {
        &self.matrix
    }

    /// All pairs, in ascending order.
    pub fn pairs(&self) -> &[PairSample] {
        &self.pairs
    }

    /// The largest standard error of an entry.
    pub fn largest_error(&self) -> f64 {
        self.pairs.iter().map(PairSample::standard_error).fold(0.0, f64::max)
    }

    /// Writes all pairs as CSV with the columns `left,right,n,wins,losses,ties,p,stderr`. Wins and
    /// P are for the left ranker.
    ///
    /// # Errors
    ///
    /// If the writer fails.
    pub fn write_pairs(&self, names: &[String], writer: impl io::Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(writer);
        writer.write_record(["left", "right", "n", "wins", "losses", "ties", "p", "stderr"])?;
        for pair in &self.pairs {
            let names = [pair.low, pair.high].map(|arm| names[arm.index()].clone());
            let counts = [pair.n, pair.wins, pair.losses(), pair.ties].map(|count| count.to_string());
            let numbers = [pair.p(), pair.standard_error()].map(|number| number.to_string());
            writer.write_record(names.iter().chain(&counts).chain(&numbers))?;
        }
        writer.flush()
    }
}

/// Why a simulation failed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum SimulationError {
    /// The click model has no numbers for the labels of the collection.
    #[error(transparent)]
    Clicks(#[from] ClickError),
    #[error("the user must be shown at least one document")]
    NothingShown,
    #[error("there must be at least one sample of each pair")]
    NoSamples,
    #[error("the standard error is {error}, but must be above 0 and below 1/2")]
    NoSuchError { error: f64 },
    #[error("stopped before all pairs were sampled")]
    Stopped,
}

impl Hint for SimulationError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Clicks(error) => error.hints(front),
            _ => Vec::new(),
        }
    }

    fn fault(&self) -> Fault {
        match self {
            Self::Stopped => Fault::Stop,
            _ => Fault::Input,
        }
    }
}

#[cfg(test)]
mod tests;
