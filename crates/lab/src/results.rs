//! What experiments leave behind, as statistics and claims read it.

/// All runs of one policy in one world.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The world's short name.
    pub world: String,
    /// The world's name as figures show it.
    pub world_label: String,
    /// The policy's specification, as written.
    pub policy: String,
    /// The policy's name as figures show it.
    pub label: String,
    /// K.
    pub n_arms: usize,
    /// Whether each checkpoint is the end of a run of its own, which was told that horizon.
    pub fixed_horizon: bool,
    /// Rounds at which regret and hits are recorded, in rising order.
    pub checkpoints: Vec<u64>,
    /// The runs. Run r of every policy in a world has the same seed, order of arms and draws of the world.
    pub runs: Vec<RunCurve>,
}

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunCurve {
    /// Regret accumulated up to each checkpoint.
    pub regret: Vec<f64>,
    /// Whether the pair of that round was (best, best).
    pub hit: Vec<bool>,
    /// The best arm, by the world's numbering.
    pub best: usize,
}
