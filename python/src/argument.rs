//! Checks numeric arguments.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

use crate::error::Raised;

/// Extracts an argument. A number that does not fit raises `DoesNotFit`, which is a `ValueError`.
/// Python's own `OverflowError` is not.
pub(crate) fn fitting<'py, T>(argument: &Bound<'py, PyAny>) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    argument.extract().map_err(|error: <T as FromPyObject<'_, 'py>>::Error| {
        let error: PyErr = error.into();
        if error.is_instance_of::<PyOverflowError>(argument.py()) {
            let text = argument.str().map_or_else(|_| "this".to_owned(), |text| text.to_string());
            let message = format!("{text} does not fit: it is negative or too large");
            return Raised::new("DoesNotFit", message).into();
        }
        error
    })
}
