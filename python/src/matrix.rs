//! Preference matrices.

use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tiltyard_bandit::matrix::{Assumptions, Diagonal, PreferenceMatrix, ReferenceKind};
use tiltyard_bandit::{Arm, Stream, theory};
use tiltyard_world::MatrixWorld;
use tiltyard_world::builtin::builtin_matrix;
use tiltyard_world::matrix_file::{NamedMatrix, read_named_matrix};

use crate::argument::fitting;
use crate::error::{Raised, raise};
use crate::interrupt;

/// A preference matrix; `tiltyard.Matrix` reads more kinds of sources.
#[pyclass(frozen, subclass, eq, module = "tiltyard")]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Matrix {
    matrix: PreferenceMatrix,
    /// One per arm, or empty.
    names: Vec<String>,
}

#[pymethods]
impl Matrix {
    #[new]
    #[pyo3(signature = (entries, names=None))]
    fn new(entries: PyReadonlyArray2<'_, f64>, names: Option<Vec<String>>) -> PyResult<Self> {
        let shape = entries.shape();
        if shape[0] != shape[1] {
            let message = format!("an array of {} by {} is not square", shape[0], shape[1]);
            let shape = shape.iter().map(|&length| length as u64).collect::<Vec<_>>();
            return Err(Raised::new("MatrixShape", message).with("shape", &shape).into());
        }
        let n_arms = shape[0];
        let matrix = PreferenceMatrix::new(n_arms, entries.as_array().iter().copied().collect());
        Self { matrix: matrix.map_err(raise)?, names: Vec::new() }.called(names.unwrap_or_default())
    }

    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| read_named_matrix(&path));
        read.map(|NamedMatrix { matrix, names }| Self { matrix, names }).map_err(raise)
    }

    #[staticmethod]
    fn builtin(name: &str) -> Option<Self> {
        builtin_matrix(name).map(|matrix| Self { matrix, names: Vec::new() })
    }

    /// The number of arms.
    #[getter]
    fn arms(&self) -> usize {
        self.matrix.n_arms()
    }

    /// The names of the arms, if they have names.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        (!self.names.is_empty()).then(|| self.names.clone())
    }

    /// The entries, as a new array.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let n_arms = self.matrix.n_arms();
        let entries: Vec<f64> = Arm::all(n_arms).flat_map(|arm| self.matrix.row(arm)).copied().collect();
        entries.into_pyarray(py).reshape([n_arms, n_arms])
    }

    /// The probability that `arm` beats `other`.
    #[pyo3(signature = (arm, other, /))]
    fn preference(
        &self,
        #[pyo3(from_py_with = fitting)] arm: usize,
        #[pyo3(from_py_with = fitting)] other: usize,
    ) -> PyResult<f64> {
        Ok(self.matrix.get(self.arm(arm)?, self.arm(other)?))
    }

    /// Borda scores: the probability of beating a random arm, or the sum over arms if not
    /// `normalised`.
    ///
    /// `diagonal` says whether an arm is also compared with itself.
    #[pyo3(signature = (*, normalised=true, diagonal=false))]
    fn borda<'py>(&self, py: Python<'py>, normalised: bool, diagonal: bool) -> Bound<'py, PyArray1<f64>> {
        let diagonal = if diagonal { Diagonal::Included } else { Diagonal::Excluded };
        let scores =
            if normalised { self.matrix.borda_normalised(diagonal) } else { self.matrix.borda(diagonal) };
        scores.into_pyarray(py)
    }

    /// Copeland scores: the share of the other arms that an arm beats, or their number.
    #[pyo3(signature = (*, normalised=true))]
    fn copeland<'py>(&self, py: Python<'py>, normalised: bool) -> Bound<'py, PyArray1<f64>> {
        let scores = if normalised {
            self.matrix.copeland_normalised()
        } else {
            self.matrix.copeland().into_iter().map(|wins| wins as f64).collect()
        };
        scores.into_pyarray(py)
    }

    /// The arm that beats every other arm, or `None`.
    #[getter]
    fn condorcet_winner(&self) -> Option<usize> {
        self.matrix.condorcet_winner().map(Arm::index)
    }

    /// The arms that beat the most others.
    #[getter]
    fn copeland_winners(&self) -> Vec<usize> {
        indices(&self.matrix.copeland_winners())
    }

    /// The arms with the highest Borda score.
    #[getter]
    fn borda_winners(&self) -> Vec<usize> {
        indices(&self.matrix.borda_winners())
    }

    /// The arm that regret is measured against, and why: the `"condorcet"` winner, else a
    /// `"copeland"` winner.
    #[getter]
    fn best(&self) -> (usize, &'static str) {
        let reference = self.matrix.reference();
        let kind = match reference.kind {
            ReferenceKind::Condorcet => "condorcet",
            ReferenceKind::Copeland => "copeland",
        };
        (reference.arm.index(), kind)
    }

    /// How close the arms are: `smallest` (arm, gap), `quartiles` of |P - 1/2|, share of `close`
    /// pairs, cost of `random_play`.
    fn gaps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let gaps = self.matrix.gaps();
        let facts = PyDict::new(py);
        facts.set_item("smallest", gaps.smallest.map(|(arm, gap)| (arm.index(), gap)))?;
        facts.set_item("quartiles", gaps.quartiles.to_vec())?;
        facts.set_item("close", gaps.close)?;
        facts.set_item("random_play", gaps.random_play)?;
        Ok(facts)
    }

    /// The findings that `tiltyard.Matrix.check` returns, as a dictionary.
    fn assumptions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let matrix = self.matrix.clone();
        let found = interrupt::run(py, Some(1), None, move |_| matrix.assumptions())?;
        let facts = PyDict::new(py);
        let Assumptions {
            condorcet,
            total_order,
            strong_transitivity,
            relaxed_transitivity,
            triangle_inequality,
        } = found;
        facts.set_item("condorcet", finding(condorcet.map(Arm::index)))?;
        facts.set_item("total_order", finding(total_order.map(|arms| indices(&arms))))?;
        facts.set_item("strong_transitivity", finding(strong_transitivity))?;
        facts.set_item("relaxed_transitivity", finding(relaxed_transitivity.map(|found| found.factor)))?;
        facts.set_item("triangle_inequality", finding(triangle_inequality))?;
        Ok(facts)
    }

    /// The tournament: `tiers`, `schwartz`, `shortest_cycle`, `cyclic_triples`, `ties`.
    fn tournament<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let matrix = self.matrix.clone();
        let found = interrupt::run(py, Some(1), None, move |_| matrix.tournament())?;
        let facts = PyDict::new(py);
        facts.set_item("tiers", found.tiers.iter().map(|tier| indices(tier)).collect::<Vec<_>>())?;
        facts.set_item("schwartz", indices(&found.schwartz))?;
        facts.set_item("shortest_cycle", found.shortest_cycle.as_deref().map(indices))?;
        facts.set_item("cyclic_triples", found.cyclic_triples)?;
        facts.set_item("ties", found.ties)?;
        Ok(facts)
    }

    /// The smallest possible factor of ln T in the regret of a consistent policy.
    fn least_log_factor(&self) -> Option<f64> {
        theory::rmed_lower(&self.matrix)
    }

    /// The matrix of these arms, in this order.
    #[pyo3(signature = (arms, /))]
    fn submatrix(&self, #[pyo3(from_py_with = fitting)] arms: Vec<usize>) -> PyResult<Self> {
        let arms = arms.into_iter().map(|arm| self.arm(arm)).collect::<PyResult<Vec<_>>>()?;
        let matrix = self.matrix.submatrix(&arms).map_err(raise)?;
        Ok(Self { matrix, names: self.names_of(&arms) })
    }

    /// The matrix of `arms` random arms, drawn without replacement.
    #[pyo3(signature = (arms, *, seed=1))]
    fn random_submatrix(
        &self,
        #[pyo3(from_py_with = fitting)] arms: usize,
        #[pyo3(from_py_with = fitting)] seed: u64,
    ) -> PyResult<Self> {
        let mut rng = Stream::new(seed).label("submatrix").index(arms as u64).rng();
        let (matrix, arms) = self.matrix.random_submatrix(arms, &mut rng).map_err(raise)?;
        Ok(Self { matrix, names: self.names_of(&arms) })
    }

    fn __repr__(&self) -> String {
        format!("<Matrix of {} arms>", self.matrix.n_arms())
    }

    fn __len__(&self) -> usize {
        self.matrix.n_arms()
    }

    #[classattr]
    const __hash__: Option<Py<PyAny>> = None;

    #[expect(clippy::type_complexity, reason = "the type that pickle needs")]
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyArray2<f64>>, Option<Vec<String>>))> {
        let this = slf.get();
        Ok((slf.get_type().into_any(), (this.to_numpy(slf.py())?, this.names())))
    }
}

impl Matrix {
    /// The world of this matrix.
    pub(crate) fn world(&self) -> MatrixWorld {
        MatrixWorld::new(self.matrix.clone()).with_names(self.names.clone())
    }

    fn called(self, names: Vec<String>) -> PyResult<Self> {
        let n_arms = self.matrix.n_arms();
        if names.is_empty() || names.len() == n_arms {
            return Ok(Self { names, ..self });
        }
        let message = format!("{} names for {n_arms} arms", names.len());
        Err(Raised::new("NamesLength", message).with("got", names.len()).with("expected", n_arms).into())
    }

    fn names_of(&self, arms: &[Arm]) -> Vec<String> {
        arms.iter().filter_map(|arm| self.names.get(arm.index())).cloned().collect()
    }

    fn arm(&self, arm: usize) -> PyResult<Arm> {
        let n_arms = self.matrix.n_arms();
        if arm < n_arms {
            return Ok(Arm::new(arm));
        }
        let message = format!("arm {arm} does not exist: there are {n_arms}, counted from 0");
        Err(Raised::new("NoSuchArm", message).with("arm", arm).with("n_arms", n_arms).into())
    }
}

fn indices(arms: &[Arm]) -> Vec<usize> {
    arms.iter().map(|arm| arm.index()).collect()
}

/// The value found if an assumption holds, or the reason why it does not.
fn finding<T, E: ToString>(found: Result<T, E>) -> (Option<T>, Option<String>) {
    match found {
        Ok(value) => (Some(value), None),
        Err(why) => (None, Some(why.to_string())),
    }
}
