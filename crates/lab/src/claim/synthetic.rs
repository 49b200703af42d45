//! Made-up results for tests of claims.

use rand::RngExt;
use tiltyard_bandit::{Arm, Stream};
use tiltyard_world::{Best, BestKind, VoteSupply};

use super::{Claim, Evidence, Finding, Verdict, check};
use crate::engine::Run;
use crate::results::Series;
use crate::statistics::Moments;

/// Half-decades up to 1e5, as at the quick scale.
pub(super) const QUICK: &[u64] = &[1000, 3162, 10_000, 31_623, 100_000];

/// Made-up results of a policy in a world. Over the runs, the mean regret is a given function of
/// the round. At each checkpoint the runs deviate from it at random, with mean zero and relative
/// standard deviation `noise`, independently for each policy and world. All runs play (best, best)
/// from round `found` on.
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
        // Random draws, shifted and scaled to the requested mean and standard deviation.
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

/// Checks a claim on made-up results of one figure.
pub(super) fn judge(claim: &Claim, figure: &str, series: Vec<Series>) -> Finding {
    let mut evidence = Evidence::new();
    evidence.add_figure(figure, series);
    check(claim, &evidence)
}

/// Asserts the verdict of a finding. The message shows its note and parts.
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
