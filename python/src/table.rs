//! Results as a table in Arrow's layout, which other libraries read without copying.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, RecordBatch,
    RecordBatchIterator, StringArray, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use numpy::{IntoPyArray, PyReadonlyArray3, PyUntypedArrayMethods, ToPyArray};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use tiltyard_lab::results::Series;

use crate::error::Raised;

/// Results in Arrow's layout.
#[pyclass(frozen, module = "tiltyard._native")]
pub(crate) struct Table(RecordBatch);

#[pymethods]
impl Table {
    /// A table from arrays with one axis for policies, one for runs and one for checkpoints.
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
        Self::of(columns)
    }

    /// Each column as a numpy array. A column of words is a pair: the number of each row's word,
    /// and the words.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for (field, column) in self.0.schema().fields().iter().zip(self.0.columns()) {
            let column = match column.data_type() {
                DataType::UInt64 => {
                    column.as_primitive::<UInt64Type>().values().to_pyarray(py).into_bound_py_any(py)?
                }
                DataType::Float64 => {
                    column.as_primitive::<Float64Type>().values().to_pyarray(py).into_bound_py_any(py)?
                }
                DataType::Boolean => {
                    let values: Vec<bool> = column.as_boolean().values().iter().collect();
                    values.into_pyarray(py).into_bound_py_any(py)?
                }
                _ => {
                    let words = column.as_dictionary::<Int32Type>();
                    let names: Vec<&str> = words.values().as_string::<i32>().iter().flatten().collect();
                    (words.keys().values().to_pyarray(py), names).into_bound_py_any(py)?
                }
            };
            columns.set_item(field.name(), column)?;
        }
        Ok(columns)
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }

    /// Arrow's interface: a capsule with a stream of one batch. Nothing is copied.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows us to ignore the requested schema; the consumer casts the stream.
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok::<_, ArrowError>(self.0.clone())], self.0.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }
}

impl Table {
    /// A table from results of the lab: one row per world, policy, run and checkpoint.
    pub(crate) fn of_series(series: &[Series]) -> PyResult<Self> {
        let rows = || {
            series.iter().enumerate().flat_map(|(place, series)| {
                series.runs.iter().enumerate().flat_map(move |(number, run)| {
                    let curve = series.checkpoints.iter().zip(&run.regret).zip(&run.hit);
                    curve.map(move |((&round, &regret), &hit)| (place, number as u64, round, regret, hit))
                })
            })
        };
        let of_series = |word: fn(&Series) -> &String| {
            let mut found: Vec<String> = Vec::new();
            let mut places = Vec::new();
            for series in series {
                let place = found.iter().position(|known| known == word(series));
                places.push(place.unwrap_or(found.len()));
                if place.is_none() {
                    found.push(word(series).clone());
                }
            }
            words(found, rows().map(|(place, ..)| places[place]))
        };
        Self::of([
            ("world", of_series(|series| &series.world)?),
            ("policy", of_series(|series| &series.policy)?),
            ("label", of_series(|series| &series.label)?),
            ("run", Arc::new(UInt64Array::from_iter_values(rows().map(|(_, run, ..)| run)))),
            ("round", Arc::new(UInt64Array::from_iter_values(rows().map(|(_, _, round, ..)| round)))),
            ("regret", Arc::new(Float64Array::from_iter_values(rows().map(|(_, _, _, regret, _)| regret)))),
            ("hit", Arc::new(rows().map(|(.., hit)| Some(hit)).collect::<BooleanArray>())),
        ])
    }

    fn of<const N: usize>(columns: [(&str, ArrayRef); N]) -> PyResult<Self> {
        let fields =
            columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), false));
        let schema = Schema::new(fields.collect::<Vec<_>>());
        let columns = columns.into_iter().map(|(_, column)| column).collect();
        RecordBatch::try_new(Arc::new(schema), columns).map(Self).map_err(broken)
    }
}

/// A column of repeated words, each of which is stored once.
fn words(words: Vec<String>, rows: impl Iterator<Item = usize>) -> PyResult<ArrayRef> {
    let keys = rows.map(|word| i32::try_from(word).unwrap_or(i32::MAX));
    let array = DictionaryArray::<Int32Type>::try_new(
        Int32Array::from_iter_values(keys),
        Arc::new(StringArray::from(words)),
    );
    Ok(Arc::new(array.map_err(broken)?))
}

fn shapes_differ() -> PyErr {
    Raised::new("InternalError", "the arrays of a table have different shapes").into()
}

fn broken(error: ArrowError) -> PyErr {
    Raised::new("InternalError", error).into()
}
