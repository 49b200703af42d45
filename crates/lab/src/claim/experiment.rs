//! Experiments that claims need and no figure holds.

/// An experiment: every policy in every world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Experiment {
    /// Its id, as [`Evidence`](super::Evidence) knows it.
    pub id: &'static str,
    /// What it is for.
    pub purpose: &'static str,
    /// The worlds, as `--world` takes them.
    pub worlds: &'static [&'static str],
    /// The policies, as `--policy` takes them.
    pub policies: &'static [&'static str],
    /// Rounds at which regret is recorded; a fixed-horizon policy is run for each.
    pub checkpoints: &'static [u64],
    /// Runs of each policy.
    pub runs: u64,
}

/// Half-decades, as the figures have them.
const HALF_DECADES: &[u64] = &[1000, 3162, 10_000, 31_623, 100_000];

/// All of them. They are small enough to be the same at every scale.
pub static EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "claim-02",
        purpose: "C2: the bound where it is a theorem, on Bernoulli utilities",
        worlds: &["bernoulli10:arms=16,best=0.6,rest=0.5"],
        policies: &[
            "rex3:gamma=0.005",
            "rex3:gamma=0.01",
            "rex3:gamma=0.02",
            "rex3:gamma=0.05",
            "rex3:gamma=0.1",
            "rex3:gamma=0.2",
            "rex3:gamma=0.5",
        ],
        checkpoints: &[100_000],
        runs: 20,
    },
    Experiment {
        id: "claim-06",
        purpose: "C4 to C7, C21 to C23: SAVAGE-6, which the paper's table names and no figure shows",
        worlds: &["savage6"],
        policies: &[
            "rex3",
            "rex3:schedule=literal",
            "rex3:gmax=T/2",
            "rex3:gmax=T/10",
            "sparring:player=exp3",
            "rucb:alpha=0.51",
            "savage:rule=condorcet,delta=1/T",
            "btm:gamma=1.1,delta=1/T",
            "random",
        ],
        checkpoints: HALF_DECADES,
        runs: 30,
    },
    Experiment {
        id: "claim-12",
        purpose: "C12: one arm at 1/2 + sqrt(K/T), for each K and T",
        // sqrt(K / T), to five digits: K = 4, 16, 64 at T = 1e4, and at T = 1e5.
        worlds: &[
            "bernoulli10:arms=4,best=0.52,rest=0.5",
            "bernoulli10:arms=16,best=0.54,rest=0.5",
            "bernoulli10:arms=64,best=0.58,rest=0.5",
            "bernoulli10:arms=4,best=0.50632,rest=0.5",
            "bernoulli10:arms=16,best=0.51265,rest=0.5",
            "bernoulli10:arms=64,best=0.5253,rest=0.5",
        ],
        policies: &["rex3:gmax=T/2"],
        checkpoints: &[10_000, 100_000],
        runs: 40,
    },
    Experiment {
        id: "claim-14",
        purpose: "C14, C22: elimination with and without a horizon, where arms are eliminated in time",
        worlds: &["arxiv6", "savage6", "savage30"],
        policies: &[
            "savage:rule=condorcet,delta=1/T",
            "savage:rule=condorcet,delta=1e-8,radius=anytime",
            "btm:gamma=1.1,delta=1/T",
            "btm:gamma=1.1,delta=1e-8",
        ],
        checkpoints: &[100_000],
        runs: 20,
    },
    Experiment {
        id: "claim-19",
        purpose: "C19: the guard against duels of an arm with itself",
        worlds: &["arxiv6", "savage6", "savage30"],
        policies: &["rex3", "rex3:guard=false"],
        checkpoints: &[100_000],
        runs: 100,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::{Job, play};

    /// Every world and every policy is accepted: a short job of each experiment runs.
    #[test]
    fn trace_every_experiment_runs() {
        for experiment in EXPERIMENTS {
            for world in experiment.worlds {
                let job = Job {
                    world: (*world).to_owned(),
                    policies: experiment.policies.iter().map(|policy| policy.parse().unwrap()).collect(),
                    checkpoints: vec![100],
                    runs: 1,
                    seed: 1,
                    regret: None,
                };
                play(&job, &crate::Progress::default())
                    .unwrap_or_else(|error| panic!("{} in {world}: {error}", experiment.id));
            }
        }
    }
}
