//! Policies, with their random number generators.

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

/// The largest number of arms, the same as for a world. A larger policy could run out of memory,
/// which cannot be reported as an exception.
const MOST_ARMS: usize = 10_000_000;

/// The largest absolute value of a sum. No run reaches it, and doubles soon skip whole numbers
/// beyond it.
const LARGEST_SUM: f64 = (1_u64 << 52) as f64;

/// The largest batch of duels. Running out of memory cannot be reported here either.
const MOST_DUELS: usize = 1_000_000;

/// In a batch, signals are checked after this many duels.
const LOOK: usize = 4096;

/// A dueling-bandit algorithm with its random number generator.
///
/// `repr` is Python source that makes the same policy, at its first round. Pickles, copies and JSON
/// keep the complete state, including the generator, and continue bit for bit.
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

    /// Draws the next duel, or the next n. Each is in flight until `update` or `void` is called.
    ///
    /// Raises:
    ///     InFlight: if the policy is sequential and still waits for an outcome.
    #[pyo3(signature = (n=None, /))]
    fn decide(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = fitting)] n: Option<usize>,
    ) -> PyResult<Py<PyAny>> {
        // Make Python objects only after the borrow of the policy ends: garbage collection can run
        // foreign code that uses the policy.
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
            // The caller receives none of these tickets, so none may stay in flight.
            for Ticket(ticket) in &tickets {
                let voided = slf.try_borrow_mut()?.0.policy_mut().void(ticket);
                voided.map_err(raise)?;
            }
            return Err(error);
        }
        Ok(tickets.into_pyobject(py)?.into_any().unbind())
    }

    /// Draws the next duel, of two different arms.
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
            || Raised::new("TooFewArms", "a duel of two different arms needs two arms that are not retired");
        ticket.map(Ticket).ok_or_else(|| too_few().into())
    }

    /// Learns from one outcome or from several, which may arrive late and in any order.
    ///
    /// If one of several is refused, the policy learns from none of them.
    ///
    /// Raises:
    ///     TicketError, UpdateError, NoLesson: if the ticket cannot belong to this policy, or the
    ///         policy cannot use the outcome.
    ///     OutcomeError: if the value is not an outcome.
    #[pyo3(signature = (ticket, outcome, /))]
    fn update(slf: &Bound<'_, Self>, ticket: &Bound<'_, PyAny>, outcome: &Bound<'_, PyAny>) -> PyResult<()> {
        // Reading the arguments can run the caller's code, which may use this policy. Borrow the
        // policy only afterwards.
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

    /// Records that the outcome of this duel will never arrive.
    #[pyo3(signature = (ticket, /))]
    fn void(&mut self, ticket: &Ticket) -> PyResult<()> {
        self.0.policy_mut().void(&ticket.0).map_err(raise)
    }

    /// Reverses the effect of an earlier `update` with this ticket and outcome.
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

    /// Returns the arm that the policy currently considers the best.
    fn recommend(&self) -> usize {
        self.0.policy().recommend().index()
    }

    /// The probability of each arm in a slot of the next duel; `None` if costly to compute exactly.
    fn probabilities<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.0.policy().probabilities().map(|probabilities| probabilities.into_pyarray(py))
    }

    /// Makes a ticket for a duel that another policy drew, with the probability `propensity`.
    ///
    /// Raises:
    ///     NoLesson: if the policy learns only from its own duels, or needs the propensity.
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

    /// The learned state as sums that nodes can exchange. The policy must be `additive`.
    fn sums<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        match self.0.policy_mut().additive() {
            Some(additive) => Ok(additive.sums().into_pyarray(py)),
            None => Err(self.not_additive()),
        }
    }

    /// Adds the change of another node's sums. The policy must be `additive`.
    #[pyo3(signature = (increments, /))]
    fn add(&mut self, increments: Vec<f64>) -> PyResult<()> {
        let Some(additive) = self.0.policy_mut().additive() else { return Err(self.not_additive()) };
        let expected = additive.sums().len();
        if increments.len() != expected {
            let message = format!("{} increments for {expected} sums", increments.len());
            let raised = Raised::new("IncrementsLength", message);
            return Err(raised.with("got", increments.len()).with("expected", expected).into());
        }
        if let Some(value) = increments.iter().find(|value| !value.is_finite()) {
            let raised = Raised::new(
                "IncrementNotFinite",
                format!("{value} is not a valid increment: it must be finite"),
            );
            return Err(raised.with("value", value).into());
        }
        let too_large = |(sum, increment): (&f64, &f64)| (sum + increment).abs() > LARGEST_SUM;
        if let Some((sum, increment)) = additive.sums().iter().zip(&increments).find(|&pair| too_large(pair))
        {
            let message = format!("the increment {increment} of {sum} is too large: no run has such a sum");
            return Err(Raised::new("IncrementTooLarge", message).with("value", increment).into());
        }
        additive.add(&increments);
        Ok(())
    }

    /// Adds an arm with an average score and returns it. The policy must be `elastic`.
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

    /// Stops proposing an arm. False if that changes nothing. The policy must be `elastic`.
    #[pyo3(signature = (arm, /))]
    fn retire(&mut self, #[pyo3(from_py_with = fitting)] arm: usize) -> PyResult<bool> {
        let arm = self.arm(arm)?;
        match self.0.policy_mut().elastic() {
            Some(elastic) => Ok(elastic.retire(arm)),
            None => Err(self.not_elastic()),
        }
    }

    /// Proposes a retired arm again. False if it was not retired. The policy must be `elastic`.
    #[pyo3(signature = (arm, /))]
    fn restore(&mut self, #[pyo3(from_py_with = fitting)] arm: usize) -> PyResult<bool> {
        let arm = self.arm(arm)?;
        match self.0.policy_mut().elastic() {
            Some(elastic) => Ok(elastic.restore(arm)),
            None => Err(self.not_elastic()),
        }
    }

    /// The number of arms, including retired arms.
    #[getter]
    fn arms(&self) -> usize {
        self.0.policy().n_arms()
    }

    /// The number of duels drawn so far.
    #[getter]
    fn round(&self) -> u64 {
        self.0.policy().round()
    }

    /// The horizon T, if given.
    #[getter]
    fn rounds(&self) -> Option<u64> {
        self.0.policy().context().horizon
    }

    /// The seed of the policy's random numbers.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.origin().seed
    }

    /// The number of the run, if the policy belongs to a job.
    #[getter]
    fn run(&self) -> Option<u64> {
        self.0.origin().run
    }

    /// How ties are handled: `"refuse"` raises an error, `"coin"` breaks them at random.
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

    /// Whether it accepts only wins and losses.
    #[getter]
    fn binary(&self) -> bool {
        self.0.policy().info().binary
    }

    /// Its capabilities and needs: `additive`, `elastic`, `distinct`, `sequential`.
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

    /// The metadata of this algorithm.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("tiltyard.info")?.getattr("policy_info")?.call1((self.name(),))
    }

    /// The documentation page of this algorithm, in Markdown.
    fn page(&self) -> String {
        self.0.policy().info().page()
    }

    /// Saves the complete state, so that `from_json` continues bit for bit.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0.save()).map_err(|error| Raised::new("RestoreError", error).into())
    }

    /// Restores a policy that `to_json` saved, as an instance of its class.
    ///
    /// Raises:
    ///     RestoreError: if the text is damaged or was saved by another version.
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
        // Attributes that a subclass in Python added.
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
        let message = format!("arm {arm} does not exist: there are {n_arms}, counted from 0");
        Err(Raised::new("NoSuchArm", message).with("arm", arm).with("n_arms", n_arms).into())
    }

    fn not_additive(&self) -> PyErr {
        self.incapable("additive", "be merged or take back outcomes: what it learns is not a sum")
    }

    fn not_elastic(&self) -> PyErr {
        self.incapable("elastic", "change its arms while it runs")
    }

    fn incapable(&self, capability: &'static str, what: &str) -> PyErr {
        Raised::new("NotCapable", format!("`{}` cannot {what}", self.name()))
            .with("policy", self.name().to_owned())
            .with("capability", &capability)
            .hint("`policy.capabilities` lists what a policy can do")
            .into()
    }
}

/// Restores a policy of this class from the text of `to_json`. Pickles use it.
#[pyfunction]
#[pyo3(signature = (class, text, /))]
pub(crate) fn restore_policy<'py>(class: &Bound<'py, PyType>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let policy = read_json(text)?;
    instance(class, policy)
}

fn read_json(text: &str) -> PyResult<Policy> {
    let saved = serde_json::from_str(text).map_err(|error| {
        let raised = Raised::new("RestoreMalformed", format!("this is not a saved policy: {error}"));
        PyErr::from(raised.hint("`to_json()` writes one"))
    })?;
    Seeded::restore(&saved).map(Policy).map_err(raise)
}

/// Makes an instance of a subclass. Only `__new__` can do that, so this makes the smallest policy
/// and then replaces its content.
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

/// A value of a specification as Python source. It is a number only if Python writes it in the same
/// way, because random streams are named after the text.
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
