//! What the policies are made of: one idea a file, nothing that knows an algorithm by name.
//!
//! - weights: [`exp`], [`exp_weights`], [`shared_weights`] and [`pair_weights`] over [`sum_tree`], [`tsallis`], with the falling
//!   rates of [`gamma`], and draws of two that differ, [`unequal`];
//! - counts: [`duel_counts`], [`win_count`], the bounds of [`upper_bounds`], [`certificates`] and [`copeland`], the order of [`ladder`],
//!   the ends of [`extremes`], the sums of [`divergences`];
//! - counts in small batches: [`batches`], and the [`batch_race`] that makes them fewer;
//! - posteriors: the samples of [`posteriors`], the chances of [`above_half`], thrown by [`coins`], and the draws of [`upper_half`];
//! - tests of counts: [`coin_test`], [`kl_interval`];
//! - sets and orders of arms and pairs: [`alias`], [`arm_queue`], [`arm_set`], [`deck`], [`loop_lists`], [`pairs`], [`quota`], [`turns`];
//! - tournaments: [`winner_stays`].

pub(crate) mod above_half;
pub(crate) mod alias;
pub(crate) mod arm_queue;
pub(crate) mod arm_set;
pub(crate) mod batches;
pub(crate) mod certificates;
pub(crate) mod coin_test;
pub(crate) mod coins;
pub(crate) mod copeland;
pub(crate) mod deck;
pub(crate) mod divergences;
pub(crate) mod duel_counts;
pub(crate) mod exp;
pub(crate) mod exp_weights;
pub(crate) mod extremes;
pub(crate) mod gamma;
pub(crate) mod kl_interval;
pub(crate) mod ladder;
pub(crate) mod loop_lists;
pub(crate) mod pair_weights;
pub(crate) mod pairs;
pub(crate) mod posteriors;
pub(crate) mod quota;
pub(crate) mod shared_weights;
pub(crate) mod sum_tree;
pub(crate) mod tsallis;
pub(crate) mod turns;
pub(crate) mod unequal;
pub(crate) mod upper_bounds;
pub(crate) mod upper_half;
pub(crate) mod win_count;
pub(crate) mod winner_stays;
