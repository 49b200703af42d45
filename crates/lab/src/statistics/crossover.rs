//! The round at which one policy overtakes another for good.

use tiltyard_bandit::Stream;

use super::{Interval, bootstrap};

/// The first checkpoint from which one mean curve stays below another until the end of the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Crossover {
    /// The checkpoint; infinite if the curve is not below at the end.
    pub(crate) at: f64,
    /// Its 95 % bootstrap interval over runs. An end is infinite if too many bootstrap samples are
    /// not below at the end.
    pub(crate) interval: Interval,
}

/// The number of bootstrap samples.
const RESAMPLES: usize = 1000;

/// The checkpoint at which the policy `lower` overtakes the policy `upper` for good. Both are given
/// as the values of all runs at each checkpoint. Run r of one is paired with run r of the other;
/// runs without a partner are left out. None without runs or checkpoints.
///
/// "For good" means until the last checkpoint. If a policy falls behind again, only a later
/// overtaking counts.
pub(crate) fn crossover(
    stream: Stream,
    rounds: &[u64],
    lower: &[Vec<f64>],
    upper: &[Vec<f64>],
) -> Option<Crossover> {
    let n_runs = lower.iter().chain(upper).map(Vec::len).min().filter(|&n_runs| n_runs > 0)?;
    let n_rounds = rounds.len().min(lower.len()).min(upper.len());
    let crossing = |runs: &[usize]| {
        let is_below = |i: &usize| runs.iter().map(|&r| upper[*i][r] - lower[*i][r]).sum::<f64>() > 0.0;
        let stays = (0..n_rounds).rev().take_while(is_below).count();
        (stays > 0).then(|| rounds[n_rounds - stays] as f64)
    };
    let all: Vec<usize> = (0..n_runs).collect();
    let interval = bootstrap(stream, n_runs, RESAMPLES, 0.95, crossing);
    Some(Crossover { at: crossing(&all).unwrap_or(f64::INFINITY), interval })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    const ROUNDS: [u64; 5] = [10, 100, 1000, 10_000, 100_000];

    /// Curves of `n_runs` runs around these means. Each run deviates at each checkpoint by at most
    /// `noise`.
    fn curves(means: [f64; 5], n_runs: usize, noise: f64, seed: u64) -> Vec<Vec<f64>> {
        let mut rng = Stream::new(seed).rng();
        let mut run = |mean: f64| mean + noise * (2.0 * rng.random::<f64>() - 1.0);
        means.iter().map(|&mean| (0..n_runs).map(|_| run(mean)).collect()).collect()
    }

    /// Thirty runs of both policies. The runs of the upper one are alternately `noise` above and
    /// below its means.
    fn of(lower: [f64; 5], upper: [f64; 5], noise: f64) -> Crossover {
        let sign = |r: usize| if r.is_multiple_of(2) { 1.0 } else { -1.0 };
        let upper: Vec<Vec<f64>> =
            upper.iter().map(|mean| (0..30).map(|r| mean + noise * sign(r)).collect()).collect();
        crossover(Stream::new(1), &ROUNDS, &curves(lower, 30, 0.0, 0), &upper).unwrap()
    }

    fn assert_is(crossing: Crossover, at: f64, low: f64, high: f64) {
        let wanted = Crossover { at, interval: Interval { low, high } };
        assert_eq!(crossing, wanted);
    }

    #[test]
    fn trace_curves_without_noise() {
        let never = f64::INFINITY;
        // Behind at 10 and 100, ahead from 1000 on.
        assert_is(of([9., 9., 9., 9., 9.], [1., 5., 10., 20., 40.], 0.0), 1000.0, 1000.0, 1000.0);
        assert_is(of([1.; 5], [2.; 5], 0.0), 10.0, 10.0, 10.0);
        assert_is(of([2.; 5], [1.; 5], 0.0), never, never, never);
        // Equal is not below.
        assert_is(of([1.; 5], [1.; 5], 0.0), never, never, never);
        // Ahead at first, behind, and ahead again: the last overtaking counts. Behind at the end:
        // never.
        assert_is(of([1., 9., 9., 9., 1.], [2.; 5], 0.0), 100_000.0, 100_000.0, 100_000.0);
        assert_is(of([1., 1., 1., 1., 9.], [2.; 5], 0.0), never, never, never);
    }

    /// A difference of 0.2 at 1000, with a standard error of 0.8 / sqrt(30) = 0.146, has the other
    /// sign in 9 % of the samples. Two checkpoints are in the interval, and the checkpoints around
    /// them are certain.
    #[test]
    fn trace_noise_widens_the_interval() {
        assert_is(of([9.; 5], [1., 5., 9.2, 20., 40.], 0.8), 1000.0, 1000.0, 10_000.0);
        // The same at the last checkpoint: it may not have happened at all.
        assert_is(of([9.; 5], [1., 2., 3., 4., 9.2], 0.8), 1e5, 1e5, f64::INFINITY);
    }

    /// Runs are paired: with the same noise in both policies the order is certain, however large
    /// the noise.
    #[test]
    fn trace_runs_stay_paired() {
        let upper = curves([10.0; 5], 20, 9.0, 4);
        let lower: Vec<Vec<f64>> =
            upper.iter().map(|runs| runs.iter().map(|run| run - 0.01).collect()).collect();
        let crossing = crossover(Stream::new(1), &ROUNDS, &lower, &upper).unwrap();
        assert_is(crossing, 10.0, 10.0, 10.0);
    }

    #[test]
    fn trace_nothing_to_compare() {
        assert_eq!(crossover(Stream::new(1), &[], &[], &[]), None);
        assert_eq!(crossover(Stream::new(1), &[10], &[Vec::new()], &[vec![1.0]]), None);
        let crossing = crossover(Stream::new(1), &[10], &[vec![1.0, 7.0]], &[vec![2.0]]).unwrap();
        assert!((crossing.at - 10.0).abs() < 1e-12);
    }

    /// Coverage of the interval: the true means cross between 100 and 1000, so the first checkpoint
    /// after the crossing is 1000. Over 200 samples of 25 runs the 95 % interval must contain 1000
    /// in a share of 0.95 +- 3 sqrt(0.95 0.05 / 200), at least 180 of 200.
    #[test]
    fn stat_coverage() {
        let covered = (0..200)
            .filter(|&seed| {
                let lower = curves([9., 9., 9., 9., 9.], 25, 2.0, 1000 + seed);
                let upper = curves([1., 5., 9.3, 20., 40.], 25, 2.0, 5000 + seed);
                let Interval { low, high } =
                    crossover(Stream::new(seed), &ROUNDS, &lower, &upper).unwrap().interval;
                (low..=high).contains(&1000.0)
            })
            .count();
        assert!(covered >= 180, "{covered} of 200");
    }
}
