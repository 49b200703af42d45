//! Converts errors of the engine to Python exceptions. No other module does this.
//!
//! Exceptions are found by name in `tiltyard/errors`. `engine.rs` says which exception belongs to
//! which error of the engine. `cargo xtask docs` writes both `engine.rs` and the classes.

#![expect(clippy::ref_option_ref, reason = "fields are passed by reference, whatever their type")]

use std::fmt::Display;
use std::path::PathBuf;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::params::Range;
use tiltyard_bandit::policy::Refusal;
use tiltyard_bandit::{Arm, Draw, Ticket};
use tiltyard_lab::plan::Shard;
use tiltyard_world::Regret;
use tiltyard_world::click::User;

mod engine;

/// An error of the engine.
pub(crate) trait Explain {
    /// Its exception with the attributes, but without a message.
    fn explain(&self) -> Raised;
}

/// An exception to raise.
#[derive(Debug)]
pub(crate) struct Raised {
    class: &'static str,
    message: String,
    hints: Vec<String>,
    fields: Vec<(&'static str, Field)>,
}

/// The value of an exception's attribute.
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
    fn of(class: &'static str) -> Self {
        Self { class, message: String::new(), hints: Vec::new(), fields: Vec::new() }
    }

    /// An exception with this message.
    pub(crate) fn new(class: &'static str, message: impl Display) -> Self {
        Self { message: message.to_string(), ..Self::of(class) }
    }

    /// Adds an attribute.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Field>) -> Self {
        self.fields.push((name, value.into()));
        self
    }

    /// Adds a hint: what to do about the error.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Puts the place of the error before the message.
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
pub(crate) fn raise<E: Explain + Hint>(error: E) -> PyErr {
    Raised::from(&error).into()
}

impl<E: Explain + Hint> From<&E> for Raised {
    fn from(error: &E) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            message = format!("{message}: {error}");
            source = error.source();
        }
        Self { message, hints: error.hints(&Package), ..error.explain() }
    }
}

/// Completes hints with names of the Python package.
struct Package;

impl FrontEnd for Package {
    fn policies(&self) -> &'static str {
        "`tiltyard.policy_names()`"
    }

    fn page(&self, _: &str) -> String {
        "docs/policies.md".to_owned()
    }

    fn worlds(&self) -> &'static str {
        "`tiltyard.world_names()`"
    }

    fn wrappers(&self) -> &'static str {
        "docs/worlds.md"
    }

    fn run(&self) -> &'static str {
        "`tiltyard.lab.run()`"
    }

    fn again(&self) -> &'static str {
        "the same call"
    }

    fn option(&self, name: &str) -> String {
        format!("`{name}=`")
    }

    fn flag(&self, name: &str) -> String {
        format!("`{name}=True`")
    }

    fn choice(&self, name: &str, value: &str) -> String {
        format!("`{name}=\"{value}\"`")
    }
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
    &Option<&'static str>, text => Self::Text(text.map(str::to_owned));
    &PathBuf, path => Self::Text(Some(path.display().to_string()));
    &Option<PathBuf>, path => Self::Text(path.as_ref().map(|path| path.display().to_string()));
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
    &Draw, draw => Self::Text(Some(format!("{draw:?}")));
    &Range, range => Self::Text(Some(range.to_string()));
    &Refusal, refusal => Self::Text(Some(refusal.to_string()));
    &Regret, regret => Self::Text(Some(regret.to_string()));
    &Shard, shard => Self::Text(Some(shard.to_string()));
    &User, user => Self::Text(Some(user.to_string()));
    &Ticket, ticket => Self::Ticket(*ticket);
}
