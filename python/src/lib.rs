//! The native core of the Python package: thin wrappers, split into modules like the engine.
//! Signatures, documentation and everything that need not be fast are in Python, in
//! `package/tiltyard`.

use pyo3::prelude::*;

mod argument;
mod chart;
mod clicks;
mod error;
mod info;
mod interleave;
mod interrupt;
mod lab;
mod matrix;
mod outcome;
mod play;
mod policy;
mod session;
mod table;
mod theory;
mod ticket;
mod world;

/// `tiltyard._native`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::chart::{mean_half_width, policy_look, share_interval};
    #[pymodule_export]
    use crate::clicks::ClickModel;
    #[pymodule_export]
    use crate::info::{policy_info, policy_names};
    #[pymodule_export]
    use crate::interleave::{MergedList, Merger};
    #[pymodule_export]
    use crate::lab::{draw_results, merge_shards, plan_specification, read_results, run_specification};
    #[pymodule_export]
    use crate::matrix::Matrix;
    #[pymodule_export]
    use crate::play::play;
    #[pymodule_export]
    use crate::policy::{Policy, restore_policy};
    #[pymodule_export]
    use crate::session::{Session, Sessions};
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::theory::{
        accuracy_ceiling, any_matrices, anytime_bound, anytime_gamma, bound, bound_tight, corollary1,
        corollary2, exp3_anytime, exp3_bound, exp3_gamma, feed_exp3_order, gamma_star, gamma_tight,
        global_exp3_order, lower_bound, tau, theorem1,
    };
    #[pymodule_export]
    use crate::ticket::Ticket;
    #[pymodule_export]
    use crate::world::{regret_names, world_info, world_names};

    use super::{Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
