//! Tickets, as immutable values.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tiltyard_bandit::{self as bandit, Arm, Draw};

use crate::error::Raised;

/// A proposed duel, with everything needed to learn from its outcome. Immutable; equal if all
/// fields are equal.
#[pyclass(frozen, eq, module = "tiltyard", from_py_object)]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ticket(pub(crate) bandit::Ticket);

/// How a pair was drawn, as a Python value: `None`, the probability of the pair, or three numbers
/// for two separate slots.
#[derive(FromPyObject, IntoPyObject)]
pub(crate) enum DrawLike {
    Slots((f64, f64, f64)),
    Pair(f64),
}

impl DrawLike {
    fn of(draw: Draw) -> Option<Self> {
        match draw {
            Draw::Slots { left, right, z } => Some(Self::Slots((left, right, z))),
            Draw::Pair(p) => Some(Self::Pair(p)),
            Draw::Unknown => None,
        }
    }

    fn draw(like: Option<Self>) -> Draw {
        match like {
            Some(Self::Slots((left, right, z))) => Draw::Slots { left, right, z },
            Some(Self::Pair(p)) => Draw::Pair(p),
            None => Draw::Unknown,
        }
    }
}

#[pymethods]
impl Ticket {
    #[new]
    #[pyo3(signature = (round, left, right, rate=1.0, epoch=0, draw=None))]
    fn new(round: u64, left: u32, right: u32, rate: f64, epoch: u32, draw: Option<DrawLike>) -> Self {
        let [left, right] = [left, right].map(|arm| Arm::new(arm as usize));
        Self(bandit::Ticket { round, left, right, rate, epoch, draw: DrawLike::draw(draw) })
    }

    /// The round it was proposed for, counted from 1; 0 for a lesson.
    #[getter]
    fn round(&self) -> u64 {
        self.0.round
    }

    /// The arm in the left slot.
    #[getter]
    fn left(&self) -> usize {
        self.0.left.index()
    }

    /// The arm in the right slot; it may be the same arm.
    #[getter]
    fn right(&self) -> usize {
        self.0.right.index()
    }

    /// The learning rate in force when it was drawn.
    #[getter]
    fn rate(&self) -> f64 {
        self.0.rate
    }

    /// The policy's epoch (phase) when it proposed the duel.
    #[getter]
    fn epoch(&self) -> u32 {
        self.0.epoch
    }

    /// How the pair was drawn.
    #[getter]
    fn draw(&self) -> Option<DrawLike> {
        DrawLike::of(self.0.draw)
    }

    /// The exact probability of this ordered pair, if known.
    #[getter]
    fn propensity(&self) -> Option<f64> {
        self.0.propensity()
    }

    /// Whether another policy drew the duel.
    #[getter]
    fn is_lesson(&self) -> bool {
        self.0.is_lesson()
    }

    /// Returns the ticket as JSON, in the same format as in Rust.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|error| Raised::new("TicketMalformed", error).into())
    }

    /// Reads a ticket that `to_json` wrote, in Python or in Rust.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        serde_json::from_str(text).map(Self).map_err(|error| {
            Raised::new("TicketMalformed", format!("this is not a ticket: {error}"))
                .hint("`Ticket.to_json()` writes one")
                .into()
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let bandit::Ticket { round, left, right, rate, epoch, draw } = self.0;
        let draw = DrawLike::of(draw).into_pyobject(py)?.repr()?;
        let rate = rate.into_pyobject(py)?.repr()?;
        Ok(format!(
            "Ticket(round={round}, left={left}, right={right}, rate={rate}, epoch={epoch}, draw={draw})"
        ))
    }

    fn __hash__(&self) -> u64 {
        let bandit::Ticket { round, left, right, rate, epoch, draw } = self.0;
        // Numbers that are equal must have equal hashes, and 0 equals -0.
        let bits = |x: f64| (x + 0.0).to_bits();
        let draw = match draw {
            Draw::Slots { left, right, z } => [left, right, z].map(bits),
            Draw::Pair(p) => [bits(p), 1, 0],
            Draw::Unknown => [0; 3],
        };
        let mut hasher = DefaultHasher::new();
        (round, left, right, bits(rate), epoch, draw).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let bandit::Ticket { round, left, right, rate, epoch, draw } = self.0;
        let draw = DrawLike::of(draw);
        let fields = (round, left.index(), right.index(), rate, epoch, draw).into_pyobject(py)?;
        Ok((py.get_type::<Self>().into_any(), fields))
    }
}
