//! Metadata of policies, as dictionaries that Python turns into classes.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tiltyard_bandit::continuous;
use tiltyard_bandit::params::Param;
use tiltyard_bandit::policy::registry;
use tiltyard_world::Regret;

use crate::error::raise;

/// The names of all policies over arms.
#[pyfunction]
pub(crate) fn policy_names() -> Vec<&'static str> {
    registry::all().map(|info| info.name).collect()
}

/// The metadata of one policy.
#[pyfunction]
#[pyo3(signature = (name, /))]
pub(crate) fn policy_info<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    if let Some(info) = continuous::registry::info(name) {
        facts.set_item("name", info.name)?;
        facts.set_item("title", info.title)?;
        facts.set_item("assumptions", info.assumptions)?;
        facts.set_item("horizon", info.horizon)?;
        facts.set_item("settles", info.settles)?;
        facts.set_item("minimises", Regret::CONDORCET.to_string())?;
        facts.set_item("binary", info.binary)?;
        facts.set_item("version", 1)?;
        facts.set_item("cost", info.cost)?;
        facts.set_item("params", params(py, info.params)?)?;
        facts.set_item("reference", info.reference.to_string())?;
        facts.set_item("page", info.page())?;
        return Ok(facts);
    }
    let info = registry::info(name).map_err(raise)?;
    facts.set_item("name", info.name)?;
    facts.set_item("title", info.title)?;
    facts.set_item("assumptions", info.assumptions.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    facts.set_item("horizon", info.horizon)?;
    facts.set_item("settles", info.settles.to_string())?;
    facts.set_item("minimises", info.minimises.to_string())?;
    facts.set_item("binary", info.binary)?;
    facts.set_item("version", info.version)?;
    facts.set_item("cost", info.cost)?;
    facts.set_item("params", params(py, info.params)?)?;
    facts.set_item("reference", info.reference.to_string())?;
    facts.set_item("page", info.page())?;
    Ok(facts)
}

/// Parameters as the documentation lists them.
pub(crate) fn params<'py>(py: Python<'py>, params: &[Param]) -> PyResult<Vec<Bound<'py, PyDict>>> {
    params
        .iter()
        .map(|param| {
            let facts = PyDict::new(py);
            facts.set_item("key", param.key)?;
            facts.set_item("default", param.default)?;
            facts.set_item("legal", param.legal)?;
            facts.set_item("meaning", param.meaning)?;
            Ok(facts)
        })
        .collect()
}
