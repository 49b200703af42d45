//! The evidence for claims: results of figures and of additional experiments, and matrices.

use std::collections::BTreeMap;

use tiltyard_bandit::Spec;
use tiltyard_bandit::matrix::PreferenceMatrix;

use super::role::Role;
use crate::engine::plan::Source;
use crate::results::Series;

/// The results of figures and experiments by id, and matrices by name.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    figures: BTreeMap<String, Vec<Series>>,
    matrices: BTreeMap<String, (PreferenceMatrix, Source)>,
}

impl Evidence {
    /// No evidence yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the results of a figure (`arxiv`, `gamma`, ...) or of an additional experiment
    /// (`claim-06`, ...).
    pub fn add_figure(&mut self, id: impl Into<String>, series: impl IntoIterator<Item = Series>) {
        self.figures.entry(id.into()).or_default().extend(series);
    }

    /// Adds a matrix under the name of its row in the paper's table: `np2004-64`, `mslr-nav`, ...
    pub fn add_matrix(&mut self, name: impl Into<String>, matrix: PreferenceMatrix, source: Source) {
        self.matrices.insert(name.into(), (matrix, source));
    }

    pub(super) fn matrix(&self, name: &str) -> Option<(&PreferenceMatrix, Source)> {
        self.matrices.get(name).map(|(matrix, source)| (matrix, *source))
    }

    /// All series of a figure; empty if it was not run.
    pub(super) fn figure(&self, id: &str) -> &[Series] {
        self.figures.get(id).map_or(&[], Vec::as_slice)
    }

    /// The worlds of the given figures, each once, in the order of first appearance.
    pub(super) fn worlds(&self, ids: &[&str]) -> Vec<WorldResults<'_>> {
        let mut worlds: Vec<WorldResults<'_>> = Vec::new();
        for series in ids.iter().flat_map(|id| self.figure(id)) {
            match worlds.iter_mut().find(|world| world.name == series.world) {
                Some(world) => world.series.push(series),
                None => worlds.push(WorldResults { name: &series.world, series: vec![series] }),
            }
        }
        worlds
    }
}

/// Everything that was run in one world.
#[derive(Debug, Clone)]
pub(super) struct WorldResults<'a> {
    pub(super) name: &'a str,
    pub(super) series: Vec<&'a Series>,
}

impl<'a> WorldResults<'a> {
    pub(super) fn find(&self, role: Role) -> Option<&'a Series> {
        self.series.iter().copied().find(|series| role.plays(&series.policy))
    }

    pub(super) fn n_arms(&self) -> usize {
        self.series.first().map_or(0, |series| series.n_arms)
    }

    /// The regret of uniform play per round, measured on the series of random play.
    pub(super) fn mean_gap(&self) -> Option<f64> {
        let random = self.find(Role::Random)?;
        let horizon = random.horizon();
        Some(mean(&random.regret_at(horizon)?) / horizon as f64)
    }

    /// Whether a policy has learned nothing yet: its regret is at least 90 % of the regret of
    /// random play.
    pub(super) fn is_lost(&self, role: Role, round: u64) -> bool {
        let regret = |role| Some(mean(&self.find(role)?.regret_at(round)?));
        matches!((regret(role), regret(Role::Random)), (Some(policy), Some(random)) if policy >= 0.9 * random)
    }

    /// The last checkpoint that all these policies share, and the regrets of each policy's runs
    /// there.
    pub(super) fn at_end<const N: usize>(&self, roles: [Role; N]) -> Option<(u64, [Vec<f64>; N])> {
        let series = roles.iter().map(|&role| self.find(role)).collect::<Option<Vec<_>>>()?;
        let horizon = series.iter().map(|series| series.horizon()).min()?;
        let regrets = series.iter().map(|series| series.regret_at(horizon)).collect::<Option<Vec<_>>>()?;
        Some((horizon, regrets.try_into().ok()?))
    }

    /// The round from which a bound of the form sqrt(c K ln K T) is below gap T, the regret of
    /// random play: c K ln K / gap^2. Before this round the regret curve is necessarily steep.
    pub(super) fn onset(&self, c: f64) -> Option<f64> {
        onset(c, self.n_arms(), self.mean_gap()?)
    }
}

/// [`WorldResults::onset`] for a number of arms and the regret of random play per round.
pub(super) fn onset(c: f64, n_arms: usize, gap: f64) -> Option<f64> {
    let k = n_arms as f64;
    (gap > 0.0).then(|| c * k * k.ln() / (gap * gap))
}

/// REX3's c, in Condorcet regret: half of Corollary 2 at Gmax = T/2, sqrt(e/2 K ln K T).
pub(super) const REX3_BOUND: f64 = core::f64::consts::E / 2.0;

/// Sparring's c: each EXP3 player loses at most 2 sqrt((e - 1) g K ln K) with g = T/2, and so does
/// the mean of the two.
pub(super) const SPARRING_BOUND: f64 = 2.0 * (core::f64::consts::E - 1.0);

/// Accessors for claims.
impl Series {
    /// The last checkpoint.
    pub(super) fn horizon(&self) -> u64 {
        self.checkpoints.last().copied().unwrap_or(0)
    }

    /// The index of the checkpoint at a round. A deviation of 1 % is accepted, because half-decades
    /// are rounded in more than one way.
    fn place(&self, round: u64) -> Option<usize> {
        self.checkpoints.iter().position(|&at| at.abs_diff(round) <= round / 100)
    }

    /// The regret of every run at a checkpoint.
    pub(super) fn regret_at(&self, round: u64) -> Option<Vec<f64>> {
        let place = self.place(round)?;
        let values: Vec<f64> = self.runs.iter().filter_map(|run| run.regret.get(place).copied()).collect();
        (!values.is_empty()).then_some(values)
    }

    /// The checkpoints shared with another series, and the regrets of all runs of both series at
    /// each checkpoint.
    pub(super) fn beside(&self, other: &Self) -> (Vec<u64>, Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let rounds = self.checkpoints.iter().copied();
        let shared =
            rounds.filter_map(|round| Some((round, self.regret_at(round)?, other.regret_at(round)?)));
        let (mut rounds, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
        for (round, own, others) in shared {
            rounds.push(round);
            ours.push(own);
            theirs.push(others);
        }
        (rounds, ours, theirs)
    }

    /// The share of runs whose pair was (best, best) at a checkpoint, as (hits, runs).
    pub(super) fn hits(&self, round: u64) -> Option<(usize, usize)> {
        let place = self.place(round)?;
        let hits: Vec<bool> = self.runs.iter().filter_map(|run| run.hit.get(place).copied()).collect();
        (!hits.is_empty()).then(|| (hits.iter().filter(|&&hit| hit).count(), hits.len()))
    }

    /// Whether nine of ten runs play (best, best) at a checkpoint.
    pub(super) fn has_identified(&self, round: u64) -> bool {
        self.hits(round).is_some_and(|(hits, n)| 10 * hits >= 9 * n)
    }

    /// For each run, the share of checkpoints between two rounds (inclusive) at which the pair was
    /// (best, best).
    pub(super) fn hit_rates(&self, from: u64, to: u64) -> Vec<f64> {
        let places: Vec<usize> = self
            .checkpoints
            .iter()
            .enumerate()
            .filter(|&(_, &at)| at + at / 100 >= from && at <= to + to / 100)
            .map(|(place, _)| place)
            .collect();
        let rate = |hit: &Vec<bool>| {
            places.iter().filter(|&&place| hit.get(place) == Some(&true)).count() as f64 / places.len() as f64
        };
        if places.is_empty() { Vec::new() } else { self.runs.iter().map(|run| rate(&run.hit)).collect() }
    }
}

/// The fixed gamma of a REX3 series, from a grid or from its specification.
pub(super) fn fixed_gamma(series: &Series) -> Option<f64> {
    let spec: Spec = series.policy.parse().ok()?;
    if spec.name() != "rex3" || spec.keys().any(|key| key != "gamma") {
        return None;
    }
    series.swept_number("gamma").or_else(|| spec.get("gamma")?.parse().ok())
}

pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
