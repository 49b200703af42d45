//! Worlds by name, and their metadata.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tiltyard_bandit::Arm;
use tiltyard_world::{Delivery, Regret, World as _, builtin};

use crate::error::raise;
use crate::info::params;
use crate::matrix::Matrix;

/// A world as an argument from Python.
#[derive(FromPyObject)]
pub(crate) enum WorldLike<'py> {
    Matrix(Bound<'py, Matrix>),
    Text(String),
}

/// The names of all built-in worlds.
#[pyfunction]
pub(crate) fn world_names() -> Vec<&'static str> {
    builtin::listed().map(|family| family.name).collect()
}

/// The names of all kinds of regret, without the prefix `dynamic-`.
#[pyfunction]
pub(crate) fn regret_names() -> Vec<&'static str> {
    Regret::names().collect()
}

/// The metadata of a world, for runs of `rounds` rounds.
#[pyfunction]
#[pyo3(signature = (text, rounds, /))]
pub(crate) fn world_info<'py>(py: Python<'py>, text: &str, rounds: u64) -> PyResult<Bound<'py, PyDict>> {
    let open = || {
        let (text, _) = Delivery::split(text, rounds)?;
        builtin::open(text, rounds)
    };
    let world = py.detach(open).map_err(raise)?;
    let best = world.best();
    let names = Arm::all(world.n_arms()).map(|arm| world.arm_name(arm).map(str::to_owned));
    let segments = world.segments();
    let facts = PyDict::new(py);
    facts.set_item("arms", world.n_arms())?;
    facts.set_item("best", best.as_arm().map(Arm::index))?;
    facts.set_item("best_kind", best.kind.to_string())?;
    facts.set_item("regret", world.natural_regret().to_string())?;
    facts.set_item("names", names.collect::<Option<Vec<_>>>())?;
    facts.set_item("utilities", world.utility(1, Arm::new(0)).is_some())?;
    facts.set_item(
        "segments",
        segments.iter().map(|part| (part.from, part.best.arm.index())).collect::<Vec<_>>(),
    )?;
    let name = text.split([':', '+']).next();
    let listed = builtin::listed().find(|family| Some(family.name) == name);
    facts.set_item("title", listed.map(|info| info.title))?;
    facts.set_item("provenance", listed.map(|info| info.provenance))?;
    facts.set_item("params", params(py, listed.map_or(&[], |info| info.params))?)?;
    Ok(facts)
}
