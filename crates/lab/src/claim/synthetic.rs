//! Made-up results for tests of claims.

use rand::RngExt;
use tiltyard_bandit::{Arm, Stream};
use tiltyard_world::{Best, BestKind, VoteSupply};

use super::{Claim, Evidence, Finding, Verdict, check};
use crate::engine::Run;
use crate::results::Series;
use crate::statistics::Moments;

/// Half-decades up to 1e5, which is what the quick scale has.
pub(super) const QUICK: &[u64] = &[1000, 3162, 10_000, 31_623, 100_000];

/// A policy in a world whose regret is a function of the round. Each run's regret at each
/// checkpoint differs from it by a random number; over the runs they have mean zero and relative
/// standard deviation `noise`, and they are drawn for each policy and world apart. It hits from
/// round `found` on.
pub(super) struct SyntheticSeries<'a> {
    pub(super) world: &'a str,
    pub(super) n_arms: usize,
    pub(super) policy: &'a str,
    pub(super) checkpoints: &'a [u64],
    pub(super) runs: usize,
    pub(super) noise: f64,
    pub(super) found: u64,
}

impl Default for SyntheticSeries<'_> {
    fn default() -> Self {
        Self {
            world: "arxiv6",
            n_arms: 6,
            policy: "rex3",
            checkpoints: QUICK,
            runs: 20,
            noise: 0.02,
            found: u64::MAX,
        }
    }
}

impl SyntheticSeries<'_> {
    pub(super) fn series(&self, regret: impl Fn(f64) -> f64) -> Series {
        let stream = Stream::new(1).label(self.world).label(self.policy).index(self.n_arms as u64);
        // Random, and then moved and stretched so that mean and standard deviation are what was
        // asked for.
        let spreads = |i: usize| {
            let mut rng = stream.index(i as u64).rng();
            let mut draws: Vec<f64> = (0..self.runs).map(|_| rng.random::<f64>()).collect();
            let moments = Moments::of(&draws);
            for draw in &mut draws {
                *draw = 1.0 + self.noise * (*draw - moments.mean) / moments.sd;
            }
            draws
        };
        let spreads: Vec<Vec<f64>> = (0..self.checkpoints.len()).map(spreads).collect();
        let run = |r: usize| Run {
            regret: self
                .checkpoints
                .iter()
                .zip(&spreads)
                .map(|(&t, spread)| regret(t as f64) * spread[r])
                .collect(),
            hit: self.checkpoints.iter().map(|&t| t >= self.found).collect(),
            best: Best { arm: Arm::new(0), kind: BestKind::Condorcet },
            supply: VoteSupply::default(),
        };
        Series {
            world: self.world.to_owned(),
            world_label: self.world.to_owned(),
            policy: self.policy.to_owned(),
            label: self.policy.to_owned(),
            swept: Vec::new(),
            n_arms: self.n_arms,
            fixed_horizon: self.policy.contains('T'),
            checkpoints: self.checkpoints.to_vec(),
            runs: (0..self.runs).map(run).collect(),
        }
    }
}

/// A claim on made-up results of one figure.
pub(super) fn judge(claim: &Claim, figure: &str, series: Vec<Series>) -> Finding {
    let mut evidence = Evidence::new();
    evidence.add_figure(figure, series);
    check(claim, &evidence)
}

/// Whether a finding has that verdict; if not, what it said.
#[track_caller]
pub(super) fn expect(finding: &Finding, verdict: Verdict) {
    assert_eq!(
        finding.judgement.verdict, verdict,
        "{}: {}\n{:#?}",
        finding.claim.id, finding.judgement.note, finding.judgement.parts
    );
    if verdict == Verdict::Inconclusive {
        assert!(finding.judgement.power.is_some(), "{} shows no power", finding.claim.id);
    }
}
