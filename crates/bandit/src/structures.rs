//! What the policies are made of: one idea a file, nothing that knows an algorithm by name.
//!
//! - weights: [`exp`], [`exp_weights`] and [`pair_weights`] over [`sum_tree`], with the falling rates of [`gamma`];
//! - counts: [`duel_counts`], [`win_count`], the samples of [`posteriors`], the bounds of [`upper_bounds`] and [`certificates`], the order of [`ladder`], the ends of
//!   [`extremes`];
//! - sets and orders of arms and pairs: [`alias`], [`arm_queue`], [`arm_set`], [`deck`], [`pairs`], [`turns`];
//! - tournaments: [`winner_stays`].

pub(crate) mod alias;
pub(crate) mod arm_queue;
pub(crate) mod arm_set;
pub(crate) mod certificates;
pub(crate) mod deck;
pub(crate) mod duel_counts;
pub(crate) mod exp;
pub(crate) mod exp_weights;
pub(crate) mod extremes;
pub(crate) mod gamma;
pub(crate) mod ladder;
pub(crate) mod pair_weights;
pub(crate) mod pairs;
pub(crate) mod posteriors;
pub(crate) mod sum_tree;
pub(crate) mod turns;
pub(crate) mod upper_bounds;
pub(crate) mod win_count;
pub(crate) mod winner_stays;
