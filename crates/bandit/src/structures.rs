//! The parts that policies are built from. Each file has one idea, and none depends on a particular
//! algorithm.

/// Draws in proportion to weights, without replacement, or from Beta posteriors.
pub(crate) mod sampling {
    pub(crate) mod alias_table;
    pub(crate) mod beta_posteriors;
    pub(crate) mod beta_upper_half;
    pub(crate) mod coins;
    pub(crate) mod deck;
    pub(crate) mod sum_tree;
    pub(crate) mod unequal_pair;
}

/// Weights that grow with gains or fall with losses, and their learning rates.
pub(crate) mod weights {
    pub(crate) mod exp;
    pub(crate) mod exp_weights;
    pub(crate) mod falling_rate;
    pub(crate) mod pair_weights;
    pub(crate) mod shared_weights;
    pub(crate) mod tsallis_weights;
}

/// How often each arm beat each other arm.
pub(crate) mod counts {
    pub(crate) mod batches;
    pub(crate) mod duel_counts;
    pub(crate) mod sorted_counts;
    pub(crate) mod win_count;
}

/// Statements about winning rates, given counts: confidence bounds, tests, divergences, posterior
/// probabilities.
pub(crate) mod bounds {
    pub(crate) mod certificates;
    pub(crate) mod copeland_bounds;
    pub(crate) mod divergences;
    pub(crate) mod kl_interval;
    pub(crate) mod sign_test;
    pub(crate) mod superiority;
    pub(crate) mod upper_bounds;
}

/// Sets, queues and orders of arms and of pairs.
pub(crate) mod collections {
    pub(crate) mod arm_queue;
    pub(crate) mod arm_set;
    pub(crate) mod loop_lists;
    pub(crate) mod min_max_tree;
    pub(crate) mod pair_quota;
    pub(crate) mod pairs;
    pub(crate) mod round_robin;
}
