//! Click models: simulated users.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use rand::Rng;
use tiltyard_bandit::Stream;
use tiltyard_interleave::Clicks;
use tiltyard_world::click::{self as engine, ClickSpec};

use crate::argument::fitting;
use crate::error::raise;

/// A simulated user, for grades from 0 to `largest`.
#[pyclass(module = "tiltyard.clicks")]
pub(crate) struct ClickModel {
    spec: ClickSpec,
    model: engine::ClickModel,
    rng: Box<dyn Rng + Send + Sync>,
}

#[pymethods]
impl ClickModel {
    #[new]
    #[pyo3(signature = (model, *, largest, seed=1))]
    fn new(
        model: &str,
        #[pyo3(from_py_with = fitting)] largest: u8,
        #[pyo3(from_py_with = fitting)] seed: u64,
    ) -> PyResult<Self> {
        let spec: ClickSpec = model.parse().map_err(raise)?;
        let model = spec.for_grades(largest).map_err(raise)?;
        let rng = Box::new(Stream::new(seed).label("clicks").label(&spec.to_string()).rng());
        Ok(Self { spec, model, rng })
    }

    /// The model, with its parameters.
    #[getter]
    fn spec(&self) -> String {
        self.spec.to_string()
    }

    /// The positions that the user clicks in a list with these grades, from the top down. Each call
    /// draws new clicks.
    #[pyo3(signature = (grades, /))]
    fn clicks(&mut self, #[pyo3(from_py_with = fitting)] grades: Vec<u8>) -> Vec<usize> {
        let mut clicks = Clicks::new();
        self.model.clicks(grades, &mut *self.rng, &mut clicks);
        clicks.iter().collect()
    }

    /// The probability that each position is clicked.
    #[pyo3(signature = (grades, /))]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = fitting)] grades: Vec<u8>,
    ) -> Bound<'py, PyArray1<f64>> {
        self.model.probabilities(&grades).into_pyarray(py)
    }
}
