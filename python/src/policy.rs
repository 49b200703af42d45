//! Policies, with the generator that they draw from.

use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyString, PyType};
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::{Origin, Seeded, Ties};
use tiltyard_bandit::{Arm, Spec};

use crate::argument::fitting;
use crate::error::{Raised, raise};
use crate::outcome;
use crate::ticket::Ticket;

/// As many arms as a world has at most. What a policy of more would take is memory, and to run out of that cannot be reported.
const MOST_ARMS: usize = 10_000_000;

/// What a sum can be: more is no count and no sum of any run, and near to where doubles skip whole numbers.
const LARGEST_SUM: f64 = (1_u64 << 52) as f64;

/// Duels of a batch. To run out of memory cannot be reported either.
const MOST_DUELS: usize = 1_000_000;

/// Duels between two looks at signals, in a batch.
const LOOK: usize = 4096;

/// A dueling-bandit algorithm with the generator that it draws from.
///
/// `repr` is source that makes the same policy anew, at its first round. Pickles, copies and JSON go on bit for bit, the generator included.
#[pyclass(subclass, module = "tiltyard")]
#[derive(Debug)]
pub(crate) struct Policy(Seeded);

#[pymethods]
impl Policy {
    #[new]
    #[pyo3(signature = (spec, *, arms, seed=1, rounds=None, run=None, ties="refuse"))]
    fn new(
        spec: &str,
        #[pyo3(from_py_with = fitting)] arms: usize,
        #[pyo3(from_py_with = fitting)] seed: u64,
        #[pyo3(from_py_with = fitting)] rounds: Option<u64>,
        #[pyo3(from_py_with = fitting)] run: Option<u64>,
        ties: &str,
    ) -> PyResult<Self> {
        let spec: Spec = spec.parse().map_err(raise)?;
        if arms > MOST_ARMS {
            let message = format!("{arms} arms are too many: a policy has {MOST_ARMS} at most");
            let raised = Raised::new("ParamTooManyArms", message);
            let name = spec.name().to_owned();
            return Err(raised.with("name", name).with("n_arms", arms).with("most", MOST_ARMS).into());
        }
        let context = Context { n_arms: arms, horizon: rounds };
        Seeded::new(&spec, context, Origin { seed, run }, read_ties(ties)?).map(Self).map_err(raise)
    }

    /// The next duel, or the next n of them: all are in flight until they are updated or void.
    ///
    /// Raises:
    ///     InFlight: if the policy is sequential and waits for an outcome.
    #[pyo3(signature = (n=None, /))]
    fn decide(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = fitting)] n: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        // Objects are made after the policy was given back: collecting garbage runs code of others, which may use it.
        let py = slf.py();
        let Some(n) = n else {
            let ticket = slf.try_borrow_mut()?.0.decide();
            return Ok(Py::new(py, Ticket(ticket.map_err(raise)?))?.into_any());
        };
        if n > MOST_DUELS {
            let message = format!("{n} duels at once are too many: {MOST_DUELS} at most");
            return Err(Raised::new("DoesNotFit", message).into());
        }
        if n > 1 && slf.try_borrow()?.0.policy().capabilities().sequential {
            let what = "have several duels in flight: it needs each outcome first";
            return Err(slf.try_borrow()?.incapable("sequential", what));
        }
        let mut tickets = Vec::new();
        if let Err(error) = Self::decide_many(slf, n, &mut tickets) {
            // None of them reaches the caller, so none may stay in flight.
            for Ticket(ticket) in &tickets {
                let voided = slf.try_borrow_mut()?.0.policy_mut().void(ticket);
                voided.map_err(raise)?;
            }
            return Err(error);
        }
        Ok(tickets.into_pyobject(py)?.into_any().unbind())
    }

    /// The next duel, of two different arms.
    ///
    /// Raises:
    ///     NotCapable: if the policy is not `distinct`.
    ///     TooFewArms: if fewer than two arms are left.
    fn decide_distinct(slf: &Bound<'_, Self>) -> PyResult<Ticket> {
        if !slf.try_borrow()?.0.policy().capabilities().distinct {
            let what = "propose two different arms with an exact propensity";
            return Err(slf.try_borrow()?.incapable("distinct", what));
        }
        let ticket = slf.try_borrow_mut()?.0.decide_distinct();
        let too_few =
            || Raised::new("TooFewArms", "a duel of two different arms needs two that are not retired");
        ticket.map(Ticket).ok_or_else(|| too_few().into())
    }

    /// Learns from an outcome, or from several: late, in any order. Of several none is learned if one is refused.
    ///
    /// Raises:
    ///     TicketError, UpdateError, NoLesson: if the ticket cannot be one of this policy's, or the outcome is one it cannot use.
    ///     OutcomeError: if it is no outcome.
    #[pyo3(signature = (ticket, outcome, /))]
    fn update(slf: &Bound<'_, Self>, ticket: &Bound<'_, PyAny>, outcome: &Bound<'_, PyAny>) -> PyResult<()> {
        // Reading arguments may run code of the caller's, which may use this policy: it is borrowed when that is over.
        if let Ok(ticket) = ticket.cast::<Ticket>() {
            let outcome = outcome::read(outcome)?;
            let learned = slf.try_borrow_mut()?.0.update(&ticket.get().0, outcome);
            return learned.map_err(raise);
        }
        let tickets = ticket.try_iter().map_err(|_| {
            PyTypeError::new_err("update takes a Ticket and an outcome, or as many tickets as outcomes")
        })?;
        let tickets: Vec<_> = tickets
            .map(|ticket| ticket?.extract::<Ticket>().map_err(PyErr::from))
            .collect::<PyResult<_>>()?;
        let outcomes: Vec<_> = match outcome.cast::<PyString>() {
            Ok(_) => return Err(PyTypeError::new_err("several tickets need a list of outcomes")),
            Err(_) => outcome.try_iter()?.map(|outcome| outcome::read(&outcome?)).collect::<PyResult<_>>()?,
        };
        if tickets.len() != outcomes.len() {
            let message =
                format!("{} tickets and {} outcomes: each ticket needs one", tickets.len(), outcomes.len());
            return Err(Raised::new("UpdateLengths", message)
                .with("tickets", tickets.len())
                .with("outcomes", outcomes.len())
                .into());
        }
        let answers: Vec<_> = tickets.iter().map(|ticket| ticket.0).zip(outcomes).collect();
        let learned = slf.try_borrow_mut()?.0.update_all(&answers);
        learned.map_err(|(place, error)| {
            Raised::from(&error).before(format!("ticket {place} of the batch")).into()
        })
    }

    /// Takes note that the outcome will never come.
    #[pyo3(signature = (ticket, /))]
    fn void(&mut self, ticket: &Ticket) -> PyResult<()> {
        self.0.policy_mut().void(&ticket.0).map_err(raise)
    }

    /// Un-learns what was learned from this ticket and outcome.
    ///
    /// Raises:
    ///     NotCapable: if the policy is not `additive`.
    #[pyo3(signature = (ticket, outcome, /))]
    fn take_back(&mut self, ticket: &Ticket, outcome: &Bound<'_, PyAny>) -> PyResult<()> {
        let outcome = outcome::read(outcome)?;
        match self.0.policy_mut().take_back(&ticket.0, outcome) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.not_additive()),
            Err(error) => Err(raise(error)),
        }
    }

    /// The arm it would bet on now.
    fn recommend(&self) -> usize {
        self.0.policy().recommend().index()
    }

    /// How likely each arm is in a slot of the next duel; `None` where no exact value is cheap.
    fn probabilities<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.0.policy().probabilities().map(|probabilities| probabilities.into_pyarray(py))
    }

    /// The ticket with which it learns from a duel that someone else drew, with that probability.
    ///
    /// Raises:
    ///     NoLesson: if it learns from its own duels only, or needs to know the probability.
    #[pyo3(signature = (left, right, propensity=None))]
    fn lesson(
        &self,
        #[pyo3(from_py_with = fitting)] left: u32,
        #[pyo3(from_py_with = fitting)] right: u32,
        propensity: Option<f64>,
    ) -> PyResult<Ticket> {
        let [left, right] = [left, right].map(|arm| Arm::new(arm as usize));
        self.0.policy().lesson(left, right, propensity).map(Ticket).map_err(raise)
    }

    /// What it has learned, as sums that nodes can exchange, if it is `additive`.
    fn sums<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        match self.0.policy_mut().additive() {
            Some(additive) => Ok(additive.sums().into_pyarray(py)),
            None => Err(self.not_additive()),
        }
    }

    /// Adds what another node has learned: the difference of its sums, if it is `additive`.
    #[pyo3(signature = (increments, /))]
    fn add(&mut self, increments: Vec<f64>) -> PyResult<()> {
        let Some(additive) = self.0.policy_mut().additive() else { return Err(self.not_additive()) };
        let expected = additive.sums().len();
        if increments.len() != expected {
            let message = format!("{} increments where there are {expected} sums", increments.len());
            let raised = Raised::new("IncrementsLength", message);
            return Err(raised.with("got", increments.len()).with("expected", expected).into());
        }
        if let Some(value) = increments.iter().find(|value| !value.is_finite()) {
            let raised =
                Raised::new("IncrementNotFinite", format!("{value} is no increment: it must be finite"));
            return Err(raised.with("value", value).into());
        }
        let too_large = |(sum, increment): (&f64, &f64)| (sum + increment).abs() > LARGEST_SUM;
        if let Some((sum, increment)) = additive.sums().iter().zip(&increments).find(|&pair| too_large(pair))
        {
            let message = format!("{increment} is too large an increment of {sum}: no run has such a sum");
            return Err(Raised::new("IncrementTooLarge", message).with("value", increment).into());
        }
        additive.add(&increments);
        Ok(())
    }

    /// Adds an arm of average standing, if it is `elastic`.
    fn add_arm(&mut self) -> PyResult<usize> {
        if self.0.policy().n_arms() >= MOST_ARMS {
            let raised = Raised::new("ParamTooManyArms", format!("a policy has {MOST_ARMS} arms at most"));
            let name = self.name().to_owned();
            return Err(raised
                .with("name", name)
                .with("n_arms", MOST_ARMS + 1)
                .with("most", MOST_ARMS)
                .into());
        }
        match self.0.policy_mut().elastic() {
            Some(elastic) => Ok(elastic.add_arm().index()),
            None => Err(self.not_elastic()),
        }
    }

    /// Stops proposing an arm, if it is `elastic`. False if that changes nothing.
    #[pyo3(signature = (arm, /))]
    fn retire(&mut self, #[pyo3(from_py_with = fitting)] arm: usize) -> PyResult<bool> {
        let arm = self.arm(arm)?;
        match self.0.policy_mut().elastic() {
            Some(elastic) => Ok(elastic.retire(arm)),
            None => Err(self.not_elastic()),
        }
    }

    /// Proposes a retired arm again, if it is `elastic`. False if it was not retired.
    #[pyo3(signature = (arm, /))]
    fn restore(&mut self, #[pyo3(from_py_with = fitting)] arm: usize) -> PyResult<bool> {
        let arm = self.arm(arm)?;
        match self.0.policy_mut().elastic() {
            Some(elastic) => Ok(elastic.restore(arm)),
            None => Err(self.not_elastic()),
        }
    }

    /// How many arms there are, retired ones included.
    #[getter]
    fn arms(&self) -> usize {
        self.0.policy().n_arms()
    }

    /// How many duels were issued so far.
    #[getter]
    fn round(&self) -> u64 {
        self.0.policy().round()
    }

    /// T, where it was told.
    #[getter]
    fn rounds(&self) -> Option<u64> {
        self.0.policy().context().horizon
    }

    /// The seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.origin().seed
    }

    /// The run of a job, if it is in one.
    #[getter]
    fn run(&self) -> Option<u64> {
        self.0.origin().run
    }

    /// What it makes of ties: `"refuse"` or `"coin"`.
    #[getter]
    fn ties(&self) -> &'static str {
        match self.0.ties() {
            Ties::Refused => "refuse",
            Ties::Coin => "coin",
        }
    }

    /// Its name in specifications.
    #[getter]
    fn name(&self) -> &str {
        self.0.policy().spec().name()
    }

    /// The specification it was made from.
    #[getter]
    fn spec(&self) -> String {
        self.0.policy().spec().to_string()
    }

    /// Whether it counts wins and losses only.
    #[getter]
    fn binary(&self) -> bool {
        self.0.policy().info().binary
    }

    /// What it can do, or needs: `additive`, `elastic`, `distinct`, `sequential`.
    #[getter]
    fn capabilities(&self) -> Vec<&'static str> {
        let has = self.0.policy().capabilities();
        let all = [
            ("additive", has.additive),
            ("elastic", has.elastic),
            ("distinct", has.distinct),
            ("sequential", has.sequential),
        ];
        all.into_iter().filter_map(|(name, has)| has.then_some(name)).collect()
    }

    /// What is known about this algorithm.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("tiltyard.info")?.getattr("policy_info")?.call1((self.name(),))
    }

    /// All about it, in Markdown.
    fn page(&self) -> String {
        self.0.policy().info().page()
    }

    /// Everything needed to go on later, bit for bit.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0.save()).map_err(|error| Raised::new("RestoreError", error).into())
    }

    /// Goes on from what `to_json` wrote, as an instance of the policy's class.
    ///
    /// Raises:
    ///     RestoreError: if the text is damaged, or of another version.
    #[staticmethod]
    fn from_json<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        let policy = read_json(text)?;
        let classes = py.import("tiltyard.policies")?.getattr("CLASSES")?;
        let class = classes.get_item(policy.name())?.cast_into()?;
        instance(&class, policy)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let restore = py.import("tiltyard._native")?.getattr("restore_policy")?;
        let text = slf.borrow().to_json()?;
        // What a subclass in Python has added.
        let added = slf.getattr_opt("__dict__")?;
        Ok((restore, (slf.get_type(), text), added).into_pyobject(py)?.into_any())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        // The same object cannot be borrowed mutably while it is compared, so this never fails.
        other
            .cast::<Self>()
            .is_ok_and(|other| other.try_borrow().is_ok_and(|other| self.0.save() == other.0.save()))
    }

    #[classattr]
    const __hash__: Option<Py<PyAny>> = None;

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let py = slf.py();
        let class = slf.get_type().name()?;
        let policy = slf.borrow();
        let inner = policy.0.policy();
        let (spec, context) = (inner.spec(), inner.context());
        let mut words = Vec::new();
        if slf.get_type().is(py.get_type::<Self>()) {
            words.push(PyString::new(py, &spec.to_string()).repr()?.to_string());
        }
        words.push(format!("arms={}", context.n_arms));
        if words.len() == 1 {
            for key in spec.keys() {
                let key_text = spec.get(key).unwrap_or_default();
                words.push(format!("{key}={}", literal(py, key_text)?));
            }
        }
        words.push(format!("seed={}", policy.seed()));
        words.extend(context.horizon.map(|rounds| format!("rounds={rounds}")));
        words.extend(policy.run().map(|run| format!("run={run}")));
        if policy.0.ties() == Ties::Coin {
            words.push("ties='coin'".to_owned());
        }
        Ok(format!("{class}({})", words.join(", ")))
    }
}

impl Policy {
    fn decide_many(slf: &Bound<'_, Self>, n: usize, tickets: &mut Vec<Ticket>) -> PyResult<()> {
        while tickets.len() < n {
            let end = n.min(tickets.len() + LOOK);
            let refused = {
                let mut policy = slf.try_borrow_mut()?;
                loop {
                    match policy.0.decide() {
                        Ok(ticket) => tickets.push(Ticket(ticket)),
                        Err(error) => break Some(error),
                    }
                    if tickets.len() == end {
                        break None;
                    }
                }
            };
            refused.map_or(Ok(()), |error| Err(raise(error)))?;
            slf.py().check_signals()?;
        }
        Ok(())
    }

    fn arm(&self, arm: usize) -> PyResult<Arm> {
        let n_arms = self.0.policy().n_arms();
        if arm < n_arms {
            return Ok(Arm::new(arm));
        }
        let message = format!("there is no arm {arm}: there are {n_arms}, counted from 0");
        Err(Raised::new("NoSuchArm", message).with("arm", arm).with("n_arms", n_arms).into())
    }

    fn not_additive(&self) -> PyErr {
        self.incapable("additive", "be merged or un-learn: what it learns is no sum")
    }

    fn not_elastic(&self) -> PyErr {
        self.incapable("elastic", "change its arms while it runs")
    }

    fn incapable(&self, capability: &'static str, what: &str) -> PyErr {
        Raised::new("NotCapable", format!("`{}` cannot {what}", self.name()))
            .with("policy", self.name().to_owned())
            .with("capability", &capability)
            .hint("`policy.capabilities` tells what a policy can do")
            .into()
    }
}

/// Makes a policy of that class go on from what `to_json` wrote: how pickles are read.
#[pyfunction]
#[pyo3(signature = (class, text, /))]
pub(crate) fn restore_policy<'py>(class: &Bound<'py, PyType>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let policy = read_json(text)?;
    instance(class, policy)
}

fn read_json(text: &str) -> PyResult<Policy> {
    let saved = serde_json::from_str(text).map_err(|error| {
        let raised = Raised::new("RestoreMalformed", format!("this is no saved policy: {error}"));
        PyErr::from(raised.hint("`to_json()` writes one"))
    })?;
    Seeded::restore(&saved).map(Policy).map_err(raise)
}

/// An instance of a subclass. Only `__new__` makes one, so it makes the smallest there is, and is given its content afterwards.
fn instance<'py>(class: &Bound<'py, PyType>, policy: Policy) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let kwargs = PyDict::new(py);
    kwargs.set_item("arms", 1)?;
    let made = py.get_type::<Policy>().getattr("__new__")?.call((class, "random"), Some(&kwargs))?;
    *made.cast::<Policy>()?.borrow_mut() = policy;
    Ok(made)
}

fn read_ties(ties: &str) -> PyResult<Ties> {
    match ties {
        "refuse" => Ok(Ties::Refused),
        "coin" => Ok(Ties::Coin),
        _ => Err(Raised::new("NoSuchTies", format!("`ties={ties}`: `ties` is one of refuse, coin"))
            .with("value", ties.to_owned())
            .into()),
    }
}

/// A value of a specification as Python source: a number only if Python would write it in the same way, for streams are named after
/// the text.
fn literal(py: Python<'_>, text: &str) -> PyResult<String> {
    if text.parse::<i64>().is_ok_and(|number| number.to_string() == text) {
        return Ok(text.to_owned());
    }
    if let Ok(number) = text.parse::<f64>()
        && number.is_finite()
        && PyFloat::new(py, number).repr()?.to_str()? == text
    {
        return Ok(text.to_owned());
    }
    Ok(PyString::new(py, text).repr()?.to_string())
}
