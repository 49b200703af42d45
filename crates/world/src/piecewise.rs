//! A piecewise stationary world: one preference matrix in each segment of rounds.
//!
//! Policies do not know when the matrix changes. Either one matrix is relabelled at random in each
//! segment, which changes the winner and keeps the difficulty; or the segments come from a file
//! ([`parse_segments`]).
//!
//! Dynamic regret, the natural regret here, compares with the best arm of each segment. Static
//! regret compares with one arm in all segments: the winner of the matrix averaged over the rounds
//! of a run or, for Borda and Copeland regret, the arm with the highest average score.

use rand::{Rng, RngExt};
use tiltyard_bandit::matrix::{Diagonal, PreferenceMatrix};
use tiltyard_bandit::params::{Param, Params, Range};
use tiltyard_bandit::spec::Spec;
use tiltyard_bandit::{Arm, Outcome, Stream};

use crate::any_world::AnyWorld;
use crate::builtin::{WorldError, matrix_world};
use crate::family::{Build, Family};
use crate::matrix_world::MatrixWorld;
use crate::param::{self, Number, number};
use crate::regret::{Gap, Regret, RegretError};
use crate::world::{Best, Gaps, RunState, Segment, World};

mod file;

pub(crate) use file::whole;
pub use file::{ParseSegmentsError, ReadSegmentsError, Segments, parse_segments, read_segments};

const SEGMENTS: Number = number!("segments" = 5 whole [1, 1e6],
    "number of segments, T/segments rounds each; the first is the matrix as given");
const SEED: Number = number!("seed" = 1 whole [0, 2 ^ 53], "seed of the relabelling");

pub(crate) static FAMILY: Family = Family {
    name: "piecewise",
    title: "a matrix with arms relabelled at random at regular intervals, or a sequence of matrices from a file",
    provenance: "the matrix that `of` names: the usual piecewise-stationary case",
    n_arms: None,
    params: &[
        Param {
            key: "of",
            default: "savage30",
            legal: "a matrix: a built-in one, or a path without commas",
            meaning: "the matrix to relabel",
        },
        Param { legal: "whole, [1, 1e6], no more than rounds", ..SEGMENTS.doc },
        Param {
            key: "every",
            default: "none",
            legal: "whole, at least 1",
            meaning: "rounds per segment, instead of `segments`",
        },
        SEED.doc,
        Param {
            key: "file",
            default: "none",
            legal: "a path without commas",
            meaning: "instead of all other keys, a file with rows `from,ROUND`, each followed by a matrix",
        },
    ],
    needs_file: false,
    build: Build::World(build),
};

/// A world with one preference matrix per segment of rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct PiecewiseWorld {
    /// The distinct matrices.
    matrices: Vec<PreferenceMatrix>,
    /// The first round of each segment, increasing from 1.
    starts: Vec<u64>,
    /// The matrix of each segment.
    pieces: Vec<Piece>,
    /// The length of a run, for averages.
    rounds: u64,
    best: Best,
    /// One for each arm, or empty.
    names: Vec<String>,
}

/// A matrix with relabelled arms.
#[derive(Debug, Clone, PartialEq)]
struct Piece {
    /// The index of the matrix.
    matrix: usize,
    /// For each arm, its row in the matrix. Relabelled segments thus share the K^2 numbers.
    order: Vec<Arm>,
    best: Best,
}

impl PiecewiseWorld {
    /// One matrix, relabelled at each of these rounds except the first, which must be 1. Each order
    /// is drawn again until the best arm differs from the one before. `rounds` is the length of a
    /// run.
    ///
    /// # Panics
    ///
    /// If the first round is not 1, or the rounds do not increase.
    pub fn relabelled(world: &MatrixWorld, starts: Vec<u64>, rounds: u64, stream: Stream) -> Self {
        let matrix = world.matrix().expect("a matrix world has a matrix");
        let n_arms = matrix.n_arms();
        let Best { arm: winner, kind } = world.best();
        let mut rng = stream.rng();
        let mut order: Vec<Arm> = Arm::all(n_arms).collect();
        let mut best = winner;
        let mut pieces = Vec::with_capacity(starts.len());
        for _ in &starts {
            pieces.push(Piece { matrix: 0, order: order.clone(), best: Best { arm: best, kind } });
            let last = best;
            // A single arm always stays the best.
            while n_arms > 1 && best == last {
                shuffle(&mut order, &mut rng);
                let place = order.iter().position(|&arm| arm == winner);
                best = Arm::new(place.expect("an order lists every arm"));
            }
        }
        let names = Arm::all(n_arms).map_while(|arm| world.arm_name(arm)).map(str::to_owned).collect();
        Self::of_pieces(vec![matrix.clone()], starts, pieces, rounds).with_names(names)
    }

    /// Matrices of the same size, each with the round in which it begins; the first begins in round
    /// 1. `rounds` is the length of a run.
    ///
    /// # Panics
    ///
    /// If there are no matrices, they differ in size, the first round is not 1, or the rounds do
    /// not increase.
    pub fn new(segments: Vec<(u64, PreferenceMatrix)>, rounds: u64) -> Self {
        let (starts, matrices): (Vec<_>, Vec<_>) = segments.into_iter().unzip();
        let piece = |(index, matrix): (usize, &PreferenceMatrix)| Piece {
            matrix: index,
            order: Arm::all(matrix.n_arms()).collect(),
            best: matrix.reference().into(),
        };
        let pieces = matrices.iter().enumerate().map(piece).collect();
        Self::of_pieces(matrices, starts, pieces, rounds)
    }

    fn of_pieces(matrices: Vec<PreferenceMatrix>, starts: Vec<u64>, pieces: Vec<Piece>, rounds: u64) -> Self {
        assert!(starts.first() == Some(&1), "the first segment begins in round 1");
        assert!(starts.is_sorted_by(|a, b| a < b), "the first rounds increase");
        let n_arms = matrices[0].n_arms();
        assert!(matrices.iter().all(|matrix| matrix.n_arms() == n_arms), "all matrices have the same arms");
        let best = Best { arm: Arm::new(0), ..pieces[0].best };
        let mut world = Self { matrices, starts, pieces, rounds: rounds.max(1), best, names: Vec::new() };
        world.best = world.average().reference().into();
        world
    }

    /// Names the arms: one name for each, or none.
    ///
    /// # Panics
    ///
    /// If the number of names is neither 0 nor K.
    #[must_use]
    pub fn with_names(self, names: Vec<String>) -> Self {
        assert!(names.is_empty() || names.len() == self.n_arms(), "one name for each arm");
        Self { names, ..self }
    }

    /// The index of the segment of a round.
    #[inline]
    fn at(&self, round: u64) -> usize {
        self.starts.partition_point(|&from| from <= round).saturating_sub(1)
    }

    #[inline]
    fn preference(&self, segment: usize, left: Arm, right: Arm) -> f64 {
        let Piece { matrix, order, .. } = &self.pieces[segment];
        self.matrices[*matrix].get(order[left.index()], order[right.index()])
    }

    /// The share of a run's rounds in each segment.
    fn shares(&self) -> Vec<f64> {
        let ends = self.starts[1..].iter().map(|next| next - 1).chain([u64::MAX]);
        let length = |(&from, end): (&u64, u64)| self.rounds.min(end).saturating_add(1).saturating_sub(from);
        self.starts.iter().zip(ends).map(length).map(|length| length as f64 / self.rounds as f64).collect()
    }

    /// The mean of the matrices over the rounds of a run.
    pub fn average(&self) -> PreferenceMatrix {
        let shares = self.shares();
        let mean = |left, right| {
            let sum: f64 = (0..).zip(&shares).map(|(i, share)| share * self.preference(i, left, right)).sum();
            // A rounding error in a tie must not create a winner.
            if (sum - 0.5).abs() < 1e-12 { 0.5 } else { sum.clamp(0.0, 1.0) }
        };
        PreferenceMatrix::from_fn(self.n_arms(), mean).expect("a mean of preferences is a preference")
    }

    /// A gap for each segment and arm, for regret in terms of scores. Dynamic regret compares with
    /// the best score of the segment, static regret with the arm that has the highest mean score
    /// over a run.
    fn below_best(&self, regret: Regret, score: impl Fn(&PreferenceMatrix) -> Vec<f64>) -> Vec<f64> {
        let of_matrix: Vec<_> = self.matrices.iter().map(score).collect();
        let n_arms = self.n_arms();
        let scores: Vec<f64> = self
            .pieces
            .iter()
            .flat_map(|piece| piece.order.iter().map(|arm| of_matrix[piece.matrix][arm.index()]))
            .collect();
        let mut means = vec![0.0; n_arms];
        for (share, row) in self.shares().iter().zip(scores.chunks_exact(n_arms)) {
            means.iter_mut().zip(row).for_each(|(mean, score)| *mean += share * score);
        }
        let first_largest =
            |row: &[f64]| (1..n_arms).fold(0, |best, i| if row[i] > row[best] { i } else { best });
        let overall = first_largest(&means);
        let gaps = |row: &[f64]| {
            let best = row[if regret.dynamic { first_largest(row) } else { overall }];
            row.iter().map(|score| best - score).collect::<Vec<_>>()
        };
        scores.chunks_exact(n_arms).flat_map(gaps).collect()
    }

    /// A gap for each segment and arm: `gap` of the segment, the best arm to compare with, and the
    /// arm.
    fn against_best(&self, regret: Regret, gap: impl Fn(usize, Arm, Arm) -> f64) -> Vec<f64> {
        let (gap, n_arms) = (&gap, self.n_arms());
        let best = |piece: &Piece| if regret.dynamic { piece.best.arm } else { self.best.arm };
        self.pieces
            .iter()
            .enumerate()
            .flat_map(|(i, piece)| Arm::all(n_arms).map(move |arm| gap(i, best(piece), arm)))
            .collect()
    }
}

/// Written by hand, so that a new version of `rand` cannot change the numbers drawn.
fn shuffle<R: Rng>(order: &mut [Arm], rng: &mut R) {
    for i in 0..order.len() {
        order.swap(i, rng.random_range(i..order.len()));
    }
}

impl World for PiecewiseWorld {
    fn n_arms(&self) -> usize {
        self.matrices[0].n_arms()
    }

    #[inline]
    fn duel<R: Rng + ?Sized>(
        &self,
        _: &mut RunState,
        round: u64,
        left: Arm,
        right: Arm,
        rng: &mut R,
    ) -> Option<Outcome> {
        Some(Outcome::won(rng.random::<f64>() < self.preference(self.at(round), left, right)))
    }

    fn best(&self) -> Best {
        self.best
    }

    fn best_in(&self, round: u64) -> Arm {
        self.pieces[self.at(round)].best.arm
    }

    fn segments(&self) -> Vec<Segment> {
        self.starts
            .iter()
            .zip(&self.pieces)
            .map(|(&from, piece)| Segment { from, best: piece.best })
            .collect()
    }

    fn natural_regret(&self) -> Regret {
        Regret::CONDORCET.dynamic()
    }

    fn gaps(&self, regret: Regret) -> Result<Gaps, RegretError> {
        Ok(Gaps::Table(match regret.gap {
            Gap::Preference => self.against_best(regret, |i, best, arm| self.preference(i, best, arm) - 0.5),
            Gap::Identity => self.against_best(regret, |_, best, arm| f64::from(u8::from(arm != best))),
            Gap::Borda => self.below_best(regret, |matrix| matrix.borda_normalised(Diagonal::Excluded)),
            Gap::Copeland => self.below_best(regret, PreferenceMatrix::copeland_normalised),
            Gap::Utility => return Err(RegretError::NoUtilities { regret }),
        }))
    }

    #[inline]
    fn gap(&self, gaps: &Gaps, round: u64, arm: Arm) -> f64 {
        gaps.table()[self.at(round) * self.n_arms() + arm.index()]
    }

    fn arm_name(&self, arm: Arm) -> Option<&str> {
        self.names.get(arm.index()).map(String::as_str)
    }
}

fn build(spec: &Spec, rounds: u64) -> Result<AnyWorld, WorldError> {
    let mut params = FAMILY.read(spec, rounds)?;
    if let Some(path) = params.text("file") {
        params.finish()?;
        let Segments { segments, names } = read_segments(path.as_ref())?;
        return Ok(PiecewiseWorld::new(segments, rounds).with_names(names).into());
    }
    let starts = read_starts(&mut params, rounds)?;
    let seed = SEED.whole(&mut params)?;
    let of = params.text("of").unwrap_or("savage30");
    params.finish()?;
    let world = matrix_world(of, rounds)?
        .ok_or_else(|| WorldError::NotAMatrix { text: of.to_owned(), action: "relabelled" })?;
    let stream = Stream::new(seed).label("piecewise");
    Ok(PiecewiseWorld::relabelled(&world, starts, rounds, stream).into())
}

/// The largest number of segments. The orders of more segments would fill the memory.
const MOST: u64 = 1_000_000;

fn read_starts(params: &mut Params<'_>, rounds: u64) -> Result<Vec<u64>, WorldError> {
    let every = params.number("every", Range::closed(1.0, (1u64 << 53) as f64))?;
    let too_many = |segments| WorldError::TooManySegments { segments, most: rounds.min(MOST) };
    if let Some(every) = every {
        let every = param::whole("every", every)?;
        let segments = rounds.div_ceil(every);
        if segments > MOST {
            return Err(too_many(segments));
        }
        return Ok((0..segments).map(|i| i * every + 1).collect());
    }
    let segments = SEGMENTS.whole(params)?;
    if segments > rounds {
        return Err(too_many(segments));
    }
    let start = |i| {
        let before = u128::from(rounds) * u128::from(i) / u128::from(segments);
        u64::try_from(before).expect("less than rounds") + 1
    };
    Ok((0..segments).map(start).collect())
}

#[cfg(test)]
mod tests;
