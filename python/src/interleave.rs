//! Interleaving of two lists. Documents are numbers here; `interleave.py` knows which documents
//! they stand for.

use pyo3::prelude::*;
use rand::Rng;
use tiltyard_bandit::Stream;
use tiltyard_interleave::{self as engine, Clicks, Interleaving};

use crate::argument::fitting;
use crate::error::{Raised, raise};

/// Interleaves lists of numbers; `tiltyard.interleave` knows which documents they stand for.
#[pyclass(module = "tiltyard._native")]
pub(crate) struct Merger {
    engine: engine::Merger<u32>,
    rng: Box<dyn Rng + Send + Sync>,
}

#[pymethods]
impl Merger {
    #[new]
    #[pyo3(signature = (method="team-draft", *, seed=1))]
    fn new(method: &str, #[pyo3(from_py_with = fitting)] seed: u64) -> PyResult<Self> {
        let method: Interleaving = method.parse().map_err(raise)?;
        let rng = Box::new(Stream::new(seed).label("interleave").label(&method.to_string()).rng());
        Ok(Self { engine: engine::Merger::new(method), rng })
    }

    #[getter]
    fn method(&self) -> String {
        self.engine.method().to_string()
    }

    fn merge(
        &mut self,
        left: Vec<u32>,
        right: Vec<u32>,
        #[pyo3(from_py_with = fitting)] length: usize,
    ) -> MergedList {
        let mut merged = engine::Merged::default();
        self.engine.merge(&left, &right, length, &mut *self.rng, &mut merged);
        MergedList { merged, method: self.engine.method() }
    }
}

/// A merged list of numbers.
#[pyclass(frozen, module = "tiltyard._native")]
pub(crate) struct MergedList {
    merged: engine::Merged<u32>,
    method: Interleaving,
}

#[pymethods]
impl MergedList {
    #[getter]
    fn documents(&self) -> Vec<u32> {
        self.merged.documents().to_vec()
    }

    /// The credit of the left and the right list for clicks at these positions, and the outcome.
    fn credit(&self, #[pyo3(from_py_with = fitting)] positions: Vec<usize>) -> PyResult<(f64, f64, f64)> {
        let length = self.merged.documents().len();
        let clicks = Clicks::at(positions, length).map_err(|error| {
            let raised = Raised::new("ClickOutside", error).with("position", error.position);
            PyErr::from(raised.with("length", error.length))
        })?;
        let credits = self.merged.credit(&clicks);
        Ok((credits.left, credits.right, self.method.verdict(credits).score()))
    }

    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.merged).map_err(|error| Raised::new("MergedMalformed", error).into())
    }

    #[staticmethod]
    fn from_json(text: &str, method: &str) -> PyResult<Self> {
        let method = method.parse().map_err(raise)?;
        let merged = serde_json::from_str(text).map_err(|error| {
            PyErr::from(Raised::new("MergedMalformed", format!("this is not a merged list: {error}")))
        })?;
        Ok(Self { merged, method })
    }
}
