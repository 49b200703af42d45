//! Styles and intervals of the lab, so that figures in Python match those of the report.

use pyo3::prelude::*;
use tiltyard_lab::figure::{Look, StyleId};
use tiltyard_lab::{Proportion, half_width};

/// Colour, marker and dash pattern of a policy, the same in every figure.
#[pyfunction]
#[pyo3(signature = (spec, /))]
pub(crate) fn policy_look(spec: &str) -> (String, &'static str, Vec<f64>) {
    let Look { colour, marker, dash } = StyleId::of_policy(spec).look();
    (colour, marker, dash)
}

/// Half the width of the 95 % interval of a mean, from its standard error over `runs` runs.
#[pyfunction]
#[pyo3(signature = (sem, runs, /))]
pub(crate) fn mean_half_width(sem: f64, runs: usize) -> f64 {
    half_width(sem, runs)
}

/// Wilson's 95 % interval of a share of runs.
#[pyfunction]
#[pyo3(signature = (hits, runs, /))]
pub(crate) fn share_interval(hits: u64, runs: u64) -> (f64, f64) {
    if runs == 0 { (0.0, 1.0) } else { Proportion { hits, of: runs }.interval() }
}
