//! Playing: several policies in one world, over many runs.

use numpy::{IntoPyArray, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tiltyard_bandit::{Arm, Spec};
use tiltyard_lab::play::{self as lab, Job, PlayError, PolicyReport, Report};
use tiltyard_world::{MatrixWorld, Regret};

use crate::argument::fitting;
use crate::error::raise;
use crate::interrupt;
use crate::world::WorldLike;

/// Plays and returns the results; `tiltyard.play` makes a table of them.
#[pyfunction]
#[pyo3(signature = (world, policies, *, checkpoints, runs, seed, regret=None, threads=None, tell=None))]
#[expect(clippy::too_many_arguments, reason = "one per keyword argument of Python")]
pub(crate) fn play<'py>(
    py: Python<'py>,
    world: WorldLike<'py>,
    policies: Vec<String>,
    #[pyo3(from_py_with = fitting)] checkpoints: Vec<u64>,
    #[pyo3(from_py_with = fitting)] runs: u64,
    #[pyo3(from_py_with = fitting)] seed: u64,
    regret: Option<&str>,
    #[pyo3(from_py_with = fitting)] threads: Option<usize>,
    tell: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let policies =
        policies.iter().map(|text| text.parse()).collect::<Result<Vec<Spec>, _>>().map_err(raise)?;
    let regret = regret.map(str::parse::<Regret>).transpose().map_err(raise)?;
    let (name, matrix) = match world {
        WorldLike::Text(text) => (text, None),
        WorldLike::Matrix(matrix) => ("matrix".to_owned(), Some(matrix.get().world())),
    };
    let n_checkpoints = checkpoints.len();
    let job = Job { world: name, policies, lenient: false, checkpoints, runs, seed, regret };
    let report = interrupt::run(py, threads, tell, move |progress| play_in(matrix, &job, progress))?;
    to_python(py, &report.map_err(raise)?, n_checkpoints)
}

fn play_in(
    matrix: Option<MatrixWorld>,
    job: &Job,
    progress: &tiltyard_lab::Progress,
) -> Result<Report, PlayError> {
    match matrix {
        Some(matrix) => lab::play_matrix(matrix, job, progress),
        None => lab::play(job, progress),
    }
}

fn to_python<'py>(py: Python<'py>, report: &Report, n_checkpoints: usize) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    facts.set_item("arms", report.n_arms)?;
    facts.set_item("best", report.best.as_arm().map(Arm::index))?;
    facts.set_item("best_kind", report.best.kind.to_string())?;
    facts.set_item("best_name", &report.best_name)?;
    facts.set_item("regret", report.regret.to_string())?;
    let policies = report.policies.iter().map(|policy| policy_to_python(py, policy, n_checkpoints));
    facts.set_item("policies", policies.collect::<PyResult<Vec<_>>>()?)?;
    Ok(facts)
}

fn policy_to_python<'py>(
    py: Python<'py>,
    report: &PolicyReport,
    n_checkpoints: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    facts.set_item("policy", report.spec.to_string())?;
    facts.set_item("params", report.params.iter().map(|(key, value)| (*key, value)).collect::<Vec<_>>())?;
    facts.set_item("fixed_horizon", report.series.fixed_horizon)?;
    let runs = &report.series.runs;
    let shape = [runs.len(), n_checkpoints];
    let regret: Vec<f64> = runs.iter().flat_map(|run| &run.regret).copied().collect();
    let hit: Vec<bool> = runs.iter().flat_map(|run| &run.hit).copied().collect();
    facts.set_item("regret", regret.into_pyarray(py).reshape(shape)?)?;
    let hit: Bound<'py, PyArray1<bool>> = hit.into_pyarray(py);
    facts.set_item("hit", hit.reshape(shape)?)?;
    facts.set_item("seconds", report.time.as_secs_f64())?;
    facts.set_item("rounds", report.rounds)?;
    facts.set_item("unanswered", report.supply.unanswered)?;
    facts.set_item("repeated", report.supply.repeated)?;
    Ok(facts)
}
