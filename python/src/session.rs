//! Sessions: runs that are played from Python, duel by duel.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use tiltyard_bandit::Arm;
use tiltyard_lab::session::{self as lab, SessionConfig};
use tiltyard_world::Regret;

use crate::argument::fitting;
use crate::error::raise;
use crate::interrupt;
use crate::world::WorldLike;

/// A world for runs played duel by duel, with the same random streams as `play`.
#[pyclass(frozen, module = "tiltyard")]
pub(crate) struct Sessions(lab::Sessions);

#[pymethods]
impl Sessions {
    #[new]
    #[pyo3(signature = (world, *, checkpoints, seed=1, regret=None))]
    fn new(
        py: Python<'_>,
        world: WorldLike<'_>,
        #[pyo3(from_py_with = fitting)] checkpoints: Vec<u64>,
        #[pyo3(from_py_with = fitting)] seed: u64,
        regret: Option<&str>,
    ) -> PyResult<Self> {
        let regret = regret.map(str::parse::<Regret>).transpose().map_err(raise)?;
        let config = SessionConfig { checkpoints, seed, regret };
        let sessions = match world {
            WorldLike::Matrix(matrix) => lab::Sessions::in_matrix(matrix.get().world(), config),
            WorldLike::Text(text) => {
                interrupt::run(py, None, None, move |_| lab::Sessions::new(&text, config))?
            }
        };
        sessions.map(Self).map_err(raise)
    }

    /// Starts a run. If `binary`, the world breaks ties by a coin flip.
    #[pyo3(signature = (run, *, binary=false))]
    fn begin(&self, #[pyo3(from_py_with = fitting)] run: u64, binary: bool) -> Session {
        Session(Mutex::new(self.0.begin(run, binary)))
    }

    #[getter]
    fn arms(&self) -> usize {
        self.0.n_arms()
    }

    #[getter]
    fn best(&self) -> usize {
        self.0.best().arm.index()
    }

    #[getter]
    fn best_kind(&self) -> String {
        self.0.best().kind.to_string()
    }

    #[getter]
    fn best_name(&self) -> Option<&str> {
        self.0.best_name()
    }

    #[getter]
    fn regret(&self) -> String {
        self.0.regret().to_string()
    }
}

/// One run.
#[pyclass(module = "tiltyard")]
pub(crate) struct Session(
    /// The state of a world is `Send` but not `Sync`; the mutex makes it `Sync`, as PyO3 requires.
    Mutex<lab::Session>,
);

#[pymethods]
impl Session {
    /// Plays the next round. Returns the left arm's score, or `None` without an answer.
    #[pyo3(signature = (left, right, /))]
    fn duel(
        &mut self,
        #[pyo3(from_py_with = fitting)] left: u32,
        #[pyo3(from_py_with = fitting)] right: u32,
    ) -> PyResult<Option<f64>> {
        let [left, right] = [left, right].map(|arm| Arm::new(arm as usize));
        let outcome = self.get().duel(left, right).map_err(raise)?;
        Ok(outcome.map(tiltyard_bandit::Outcome::score))
    }

    #[getter]
    fn arms(&mut self) -> usize {
        self.get().n_arms()
    }

    /// The number of rounds played.
    #[getter]
    fn round(&mut self) -> u64 {
        self.get().round()
    }

    /// The regret so far.
    #[getter]
    fn regret(&mut self) -> f64 {
        self.get().regret()
    }

    /// Whether the run has reached the last checkpoint.
    #[getter]
    fn is_over(&mut self) -> bool {
        self.get().is_over()
    }

    /// Regret at each checkpoint so far, and whether the pair was (best, best).
    #[getter]
    fn curve(&mut self) -> (Vec<f64>, Vec<bool>) {
        let run = self.get().run();
        (run.regret.clone(), run.hit.clone())
    }
}

impl Session {
    fn get(&mut self) -> &mut lab::Session {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}
