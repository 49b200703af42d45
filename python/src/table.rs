//! Results as a table in Arrow's layout, which other libraries take over without copying.

use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, RecordBatch, RecordBatchIterator,
    StringArray, UInt64Array,
};
use arrow_schema::{ArrowError, Field, Schema};
use numpy::{PyReadonlyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::Raised;

/// Results in Arrow's layout.
#[pyclass(frozen, module = "tiltyard._native")]
pub(crate) struct Table(RecordBatch);

#[pymethods]
impl Table {
    /// From arrays with an axis for policies, one for runs and one for checkpoints.
    #[new]
    #[pyo3(signature = (world, policies, checkpoints, regret, hit))]
    fn new(
        world: String,
        policies: Vec<String>,
        checkpoints: Vec<u64>,
        regret: PyReadonlyArray3<'_, f64>,
        hit: PyReadonlyArray3<'_, bool>,
    ) -> PyResult<Self> {
        let &[n_policies, n_runs, n_checkpoints] = regret.shape() else { return Err(shapes_differ()) };
        let fits = n_policies == policies.len() && n_checkpoints == checkpoints.len();
        if !fits || hit.shape() != regret.shape() {
            return Err(shapes_differ());
        }
        let n_rows = n_policies * n_runs * n_checkpoints;
        let policy_of = |row: usize| row / (n_runs * n_checkpoints);
        let run_of = |row: usize| (row / n_checkpoints % n_runs) as u64;
        let columns: [(&str, ArrayRef); 6] = [
            ("world", words(vec![world], (0..n_rows).map(|_| 0))?),
            ("policy", words(policies, (0..n_rows).map(policy_of))?),
            ("run", Arc::new(UInt64Array::from_iter_values((0..n_rows).map(run_of)))),
            (
                "round",
                Arc::new(UInt64Array::from_iter_values(
                    (0..n_rows).map(|row| checkpoints[row % n_checkpoints]),
                )),
            ),
            ("regret", Arc::new(Float64Array::from_iter_values(regret.as_array().iter().copied()))),
            ("hit", Arc::new(hit.as_array().iter().map(|&hit| Some(hit)).collect::<BooleanArray>())),
        ];
        let fields: Vec<_> = columns
            .iter()
            .map(|(name, column)| Field::new(*name, column.data_type().clone(), false))
            .collect();
        let columns = columns.into_iter().map(|(_, column)| column).collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).map(Self).map_err(broken)
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// Arrow's interface: a capsule with a stream of the one batch there is. No number is copied.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // Whoever takes the stream casts it: the interface allows to leave the request unheard.
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok::<_, ArrowError>(self.0.clone())], self.0.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }
}

/// A column of words that repeat: each is stored once.
fn words(words: Vec<String>, rows: impl Iterator<Item = usize>) -> PyResult<ArrayRef> {
    let keys = rows.map(|word| i32::try_from(word).unwrap_or(i32::MAX));
    let array = DictionaryArray::<Int32Type>::try_new(
        Int32Array::from_iter_values(keys),
        Arc::new(StringArray::from(words)),
    );
    Ok(Arc::new(array.map_err(broken)?))
}

fn shapes_differ() -> PyErr {
    Raised::new("InternalError", "the arrays of a table are of different shapes").into()
}

fn broken(error: ArrowError) -> PyErr {
    Raised::of("InternalError", &error).into()
}
