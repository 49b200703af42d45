//! The score of a policy in a situation: its regret as a share of the regret of random play, over
//! the situation's worlds.

use tiltyard_lab::half_width;
use tiltyard_lab::results::{Results, Series};

/// One policy in one situation.
#[derive(Debug, Clone)]
pub(crate) struct Score {
    pub(crate) policy: String,
    /// For each run, the mean over worlds of its regret as a share of random play's mean regret
    /// there.
    shares: Vec<f64>,
    pub(crate) fixed_horizon: bool,
}

impl Score {
    pub(crate) fn mean(&self) -> f64 {
        mean(&self.shares)
    }

    /// Half of the 95 % interval.
    pub(crate) fn half_width(&self) -> f64 {
        interval(&self.shares)
    }

    /// Whether the difference to another score is within the noise: the 95 % interval of the paired
    /// difference contains 0.
    pub(crate) fn is_tied_with(&self, other: &Self) -> bool {
        let differences: Vec<f64> = self.shares.iter().zip(&other.shares).map(|(a, b)| a - b).collect();
        mean(&differences).abs() <= interval(&differences)
    }
}

/// The scores of all policies that played in all of these worlds, the lowest loss first.
pub(crate) fn scores(results: &[Results], worlds: &[&str], round: u64) -> Vec<Score> {
    let of = |world: &str| -> Vec<&Series> {
        results.iter().flat_map(|results| &results.series).filter(|series| series.world == world).collect()
    };
    let columns: Vec<Vec<&Series>> = worlds.iter().map(|world| of(world)).collect();
    let mut scores: Vec<Score> = columns[0]
        .iter()
        .filter_map(|first| {
            let mut shares: Vec<f64> = Vec::new();
            for column in &columns {
                let random = column.iter().find(|series| series.policy == "random")?;
                let ours = column.iter().find(|series| series.policy == first.policy)?;
                let random = mean(&at(random, round)?);
                let regrets = at(ours, round)?;
                shares.resize(regrets.len(), 0.0);
                for (share, regret) in shares.iter_mut().zip(regrets) {
                    *share += regret / random / columns.len() as f64;
                }
            }
            Some(Score { policy: first.policy.clone(), shares, fixed_horizon: first.fixed_horizon })
        })
        .collect();
    scores.sort_by(|a, b| a.mean().total_cmp(&b.mean()));
    scores
}

/// The regrets of all runs at a round.
fn at(series: &Series, round: u64) -> Option<Vec<f64>> {
    let checkpoint = series.checkpoints.iter().position(|&at| at == round)?;
    Some(series.regrets_at(checkpoint))
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Half of the 95 % interval of a mean.
pub(crate) fn interval(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = mean(values);
    let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    half_width((variance / n).sqrt(), values.len())
}
