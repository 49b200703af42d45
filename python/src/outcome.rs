//! Outcomes as Python values: `"left"`, `"right"`, `"tie"`, a score, or whether the left arm won.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyString};
use tiltyard_bandit::Outcome;

use crate::error::{Raised, raise};

/// Reads an outcome.
pub(crate) fn read(value: &Bound<'_, PyAny>) -> PyResult<Outcome> {
    if let Ok(word) = value.cast::<PyString>() {
        return of_word(word.to_str()?);
    }
    if let Ok(score) = value.cast_exact::<PyFloat>() {
        return of_score(score.value());
    }
    // Checked before numbers: as a number, `False` would be a tie.
    if let Ok(left_won) = value.cast::<PyBool>() {
        return Ok(Outcome::won(left_won.is_true()));
    }
    let kind = value.get_type().name()?;
    if ["bool", "bool_"].contains(&kind.to_str()?) {
        return Ok(Outcome::won(value.is_truthy()?));
    }
    match value.extract() {
        Ok(score) => of_score(score),
        Err(_) => Err(refused(&value.repr()?.to_string())),
    }
}

fn of_word(word: &str) -> PyResult<Outcome> {
    match word {
        "left" => Ok(Outcome::WIN),
        "right" => Ok(Outcome::LOSS),
        "tie" => Ok(Outcome::TIE),
        _ => Err(refused(&format!("{word:?}"))),
    }
}

fn of_score(score: f64) -> PyResult<Outcome> {
    Outcome::new(score).map_err(raise)
}

fn refused(what: &str) -> PyErr {
    Raised::new("OutcomeError", format!("{what} is not an outcome"))
        .hint("use \"left\", \"right\" or \"tie\", a score from -1 (right won) to 1 (left won), or whether left won")
        .into()
}
