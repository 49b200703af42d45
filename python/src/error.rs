//! From errors of the engine to exceptions: the one place where they cross the border.
//!
//! The classes are in `tiltyard/errors.py`, one for each variant. They are named after the enum and the variant, and found by name: a
//! test holds the two lists to each other.

use std::error::Error;
use std::fmt::Display;
use std::path::PathBuf;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use tiltyard_bandit::{Arm, Ticket};

mod bandit;
mod lab;
mod world;

const ELSEWHERE: &str = "choose another directory";
const AGAIN: &str = "run the job again into another directory; the specification is in manifest.json";
const MATRIX: &str = "a matrix is K rows of K numbers in [0, 1], with P + P' = 1 and 1/2 on the diagonal";

/// An error that knows its exception.
pub(crate) trait Explain {
    fn explain(&self) -> Raised;
}

/// An exception to be raised.
#[derive(Debug)]
pub(crate) struct Raised {
    class: &'static str,
    message: String,
    hints: Vec<String>,
    fields: Vec<(&'static str, Field)>,
}

/// What an attribute of an exception holds.
#[derive(Debug)]
pub(crate) enum Field {
    Text(Option<String>),
    Whole(Option<u64>),
    Real(f64),
    Texts(Vec<String>),
    Wholes(Vec<u64>),
    Ticket(Ticket),
}

impl Raised {
    /// With a message of our own.
    pub(crate) fn new(class: &'static str, message: impl Display) -> Self {
        Self { class, message: message.to_string(), hints: Vec::new(), fields: Vec::new() }
    }

    /// With the message of an error and of all that is behind it.
    pub(crate) fn of(class: &'static str, error: &dyn Error) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            message = format!("{message}: {error}");
            source = error.source();
        }
        Self::new(class, message)
    }

    /// An attribute of the exception.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Field>) -> Self {
        self.fields.push((name, value.into()));
        self
    }

    /// What to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// What to do about what is behind it.
    pub(crate) fn hints_of(mut self, other: Self) -> Self {
        self.hints.extend(other.hints);
        self
    }

    /// What was probably meant.
    pub(crate) fn suggest(self, word: Option<&'static str>) -> Self {
        match word {
            Some(word) => self.hint(format!("did you mean `{word}`?")),
            None => self,
        }
    }

    /// Where it happened.
    pub(crate) fn before(mut self, place: impl Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    fn exception(self, py: Python<'_>) -> PyResult<PyErr> {
        static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
        let errors = ERRORS.get_or_try_init(py, || py.import("tiltyard.errors").map(Bound::unbind))?;
        let class = errors.bind(py).getattr(self.class)?;
        let kwargs = PyDict::new(py);
        if !self.hints.is_empty() {
            kwargs.set_item("hint", self.hints.join("\n"))?;
        }
        for (name, field) in self.fields {
            kwargs.set_item(name, field.into_python(py)?)?;
        }
        Ok(PyErr::from_value(class.call((self.message,), Some(&kwargs))?))
    }
}

impl Field {
    fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Self::Text(text) => text.into_bound_py_any(py),
            Self::Whole(number) => number.into_bound_py_any(py),
            Self::Real(number) => number.into_bound_py_any(py),
            Self::Texts(texts) => texts.into_bound_py_any(py),
            Self::Wholes(numbers) => numbers.into_bound_py_any(py),
            Self::Ticket(ticket) => crate::ticket::Ticket(ticket).into_bound_py_any(py),
        }
    }
}

impl From<Raised> for PyErr {
    fn from(raised: Raised) -> Self {
        Python::attach(|py| raised.exception(py).unwrap_or_else(|error| error))
    }
}

/// Turns an error of the engine into an exception.
pub(crate) fn raise<E: Explain>(error: E) -> PyErr {
    error.explain().into()
}

macro_rules! fields {
    ($($type:ty, $value:ident => $field:expr;)*) => {
        $(impl From<$type> for Field {
            fn from($value: $type) -> Self {
                $field
            }
        })*
    };
}

fields! {
    String, text => Self::Text(Some(text));
    &String, text => Self::Text(Some(text.clone()));
    &&'static str, text => Self::Text(Some((*text).to_owned()));
    Option<&'static str>, text => Self::Text(text.map(str::to_owned));
    &PathBuf, path => Self::Text(Some(path.display().to_string()));
    &usize, number => Self::Whole(Some(*number as u64));
    usize, number => Self::Whole(Some(number as u64));
    &Option<usize>, number => Self::Whole(number.map(|number| number as u64));
    &u64, number => Self::Whole(Some(*number));
    &u32, number => Self::Whole(Some((*number).into()));
    &u8, number => Self::Whole(Some((*number).into()));
    &Arm, arm => Self::Whole(Some(arm.index() as u64));
    &f64, number => Self::Real(*number);
    &Vec<&'static str>, texts => Self::Texts(texts.iter().map(|&text| text.to_owned()).collect());
    &Vec<u64>, numbers => Self::Wholes(numbers.clone());
    Ticket, ticket => Self::Ticket(ticket);
}
