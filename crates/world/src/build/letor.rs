//! A preference matrix from rankers, interleaving and simulated clicks.
//!
//! One sample of a pair of rankers: a query of the collection, drawn uniformly; the two lists,
//! merged; a user who clicks; the list that earns more credit wins. P(i, j) is the share of samples
//! that i wins, ties counted half; where the method splits the credit of a click, a sample is won
//! in part ([`Interleaving::verdict`]). Every pair draws from a stream of its own, so the matrix
//! depends on the seed and not on the number of threads.

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

/// How to make a matrix from a collection that rankers have ordered.
#[derive(Debug, Clone)]
pub struct Simulation {
    /// How the user clicks.
    pub clicks: ClickSpec,
    /// How two lists become one.
    pub interleaving: Interleaving,
    /// How many documents the user is shown.
    pub shown: usize,
    /// When a pair has been sampled enough.
    pub stopping: StoppingRule,
    /// The seed of everything.
    pub seed: u64,
}

/// When a pair has been sampled enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StoppingRule {
    /// After that many samples.
    Samples(u64),
    /// Once the standard error is at most that, or after the most samples allowed.
    Within {
        /// The standard error wanted.
        error: f64,
        /// The most samples of a pair.
        at_most: u64,
    },
}

/// How far the work is, and the wish to stop it, shared between threads.
#[derive(Debug, Default)]
pub struct SimulationProgress {
    done: AtomicU64,
    stop: AtomicBool,
}

impl SimulationProgress {
    /// Pairs finished so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Asks the work to stop as soon as it can.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Samples are drawn in batches of this many: enough that one preparation of two lists serves
/// several draws, few enough to stop near the error wanted.
const BATCH: u64 = 1000;

impl Simulation {
    /// Samples every pair of rankers, on the threads of the current rayon pool.
    ///
    /// # Errors
    ///
    /// If the click model knows nothing of a label in the collection, the stopping rule asks for
    /// nothing, or the work was stopped.
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

/// What one thread needs to sample pairs, used again and again.
struct PairSampler<'a> {
    collection: &'a RankedCollection,
    user: &'a ClickModel,
    simulation: &'a Simulation,
    merger: Merger<u32>,
    merged: Merged<u32>,
    clicks: Clicks,
    /// How often each query was drawn for the batch.
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

    /// Samples one pair until it is enough; `None` if the work was stopped.
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

    /// Draws the queries of a batch first, then goes through them one by one, so that two lists are
    /// prepared once for all their samples.
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

/// What the samples of a pair came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairSample {
    /// The ranker with the lower number.
    pub low: Arm,
    /// The other.
    pub high: Arm,
    /// How many samples.
    pub n: u64,
    /// How many of them `low` won, fully or in part.
    pub wins: u64,
    /// How many nobody won.
    pub ties: u64,
    /// The rewards of `low`, summed: 1 for a win, 1/2 for a tie, or what lies between.
    reward: f64,
    /// Their squares, summed.
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

    /// How many samples `high` won.
    pub fn losses(&self) -> u64 {
        self.n - self.wins - self.ties
    }

    /// The mean reward of `low`: the share of samples that it won, ties counted half.
    pub fn p(&self) -> f64 {
        self.reward / self.n as f64
    }

    /// The standard error of [`Self::p`].
    pub fn standard_error(&self) -> f64 {
        let n = self.n as f64;
        let mean = self.p();
        ((self.squares / n - mean * mean).max(0.0) / (n - 1.0).max(1.0)).sqrt()
    }

    /// The same with one win and one loss that nobody saw, so that a streak of equal samples does
    /// not look like certainty.
    fn cautious_error(&self) -> f64 {
        Self { n: self.n + 2, reward: self.reward + 1.0, squares: self.squares + 1.0, ..*self }
            .standard_error()
    }
}

/// A matrix with the samples it rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct ClickMatrix {
    matrix: PreferenceMatrix,
    pairs: Vec<PairSample>,
}

impl ClickMatrix {
    fn new(n_arms: usize, pairs: Vec<PairSample>) -> Self {
        // Both are in ascending order.
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

    /// Writes all pairs as CSV: `left,right,n,wins,losses,ties,p,stderr`, where wins and P are
    /// those of the left ranker.
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

/// Why no matrix was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// The click model has no numbers for the labels of the collection.
    #[error(transparent)]
    Clicks(#[from] ClickError),
    /// A list of no documents.
    #[error("the user must be shown at least one document")]
    NothingShown,
    /// No samples.
    #[error("there must be at least one sample of each pair")]
    NoSamples,
    /// An error that cannot be reached or says nothing.
    #[error("a standard error of {error}: it must be above 0 and below 1/2")]
    NoSuchError {
        /// The error wanted.
        error: f64,
    },
    /// Somebody asked for it.
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
