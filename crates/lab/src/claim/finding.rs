//! The result of checking a claim.

use core::fmt::Write as _;

use serde::Serialize;

use super::Claim;

/// The verdict on a claim or on a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The evidence supports the statement.
    Holds,
    /// The evidence contradicts it.
    Fails,
    /// The evidence is compatible with both; the power of the test is shown.
    Inconclusive,
    /// No evidence: something was not run, or not for long enough. This is not a verdict and is
    /// never counted as one.
    NotRun,
}

impl Verdict {
    /// Whether the claim holds or fails.
    pub fn is_decided(self) -> bool {
        matches!(self, Self::Holds | Self::Fails)
    }
}

/// A claim and the judgement on it. `claims.json` is a list of these.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Finding {
    #[serde(flatten)]
    pub claim: Claim,
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// The verdict and its reasons.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Judgement {
    pub verdict: Verdict,
    /// Numbers that concern the claim as a whole.
    pub numbers: Vec<Number>,
    /// The parts that the verdict combines: worlds, policies, horizons.
    pub parts: Vec<Part>,
    /// The power of the least sensitive inconclusive test. Only an `inconclusive` verdict has it;
    /// parts show their power with every verdict.
    pub power: Option<Power>,
    /// The reasons, in plain words.
    pub note: String,
}

impl Judgement {
    /// The claim could not be checked; `missing` says why.
    pub(super) fn not_run(missing: impl Into<String>) -> Self {
        let note = missing.into();
        Self { verdict: Verdict::NotRun, numbers: Vec::new(), parts: Vec::new(), power: None, note }
    }

    /// The judgement on a claim about all its parts: one part that fails refutes it, and one
    /// inconclusive part leaves it open.
    pub(super) fn of_all(parts: Vec<Part>, note: &str) -> Self {
        let any = |verdict| parts.iter().any(|part| part.verdict == Some(verdict));
        let verdict = [Verdict::Fails, Verdict::Inconclusive, Verdict::Holds]
            .into_iter()
            .find(|&verdict| any(verdict))
            .unwrap_or(Verdict::NotRun);
        // Power matters only for an inconclusive claim: it is the power of its weakest open part.
        let power = parts
            .iter()
            .filter(|part| verdict == Verdict::Inconclusive && part.verdict == Some(verdict))
            .filter_map(|part| part.power.clone())
            .min_by(|a, b| a.value.total_cmp(&b.value));
        let mut text = tally(&parts);
        if !note.is_empty() {
            text.push(' ');
            text.push_str(note);
        }
        Self { verdict, numbers: Vec::new(), parts, power, note: text }
    }

    /// Adds a reason if the verdict is the given one.
    pub(super) fn because(mut self, verdict: Verdict, reason: &str) -> Self {
        if self.verdict == verdict {
            self.note.push(' ');
            self.note.push_str(reason);
        }
        self
    }

    pub(super) fn with(mut self, number: Number) -> Self {
        self.numbers.push(number);
        self
    }
}

/// The number of parts that hold, and the names of the others.
fn tally(parts: &[Part]) -> String {
    let named = |verdict: Option<Verdict>| -> Vec<&str> {
        parts.iter().filter(|part| part.verdict == verdict).map(|part| part.name.as_str()).collect()
    };
    let judged = parts.iter().filter(|part| part.verdict.is_some()).count();
    let mut text = format!("Holds in {} of {judged} judged parts.", named(Some(Verdict::Holds)).len());
    for (verdict, word) in [
        (Some(Verdict::Fails), "Fails"),
        (Some(Verdict::Inconclusive), "Inconclusive"),
        (Some(Verdict::NotRun), "Not run"),
        (None, "Shown but not judged"),
    ] {
        let which = named(verdict);
        if !which.is_empty() {
            write!(text, " {word}: {}.", which.join("; ")).expect("writing to a string does not fail");
        }
    }
    text
}

/// A number with its uncertainty.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Number {
    pub name: String,
    /// None if the value is not finite.
    pub value: Option<f64>,
    /// The lower end of the interval. None without an interval, or if the end is infinite.
    pub low: Option<f64>,
    /// The upper end, likewise.
    pub high: Option<f64>,
    /// The unit, and the kind of interval.
    pub unit: String,
}

impl Number {
    /// A number without an interval.
    pub(super) fn exact(name: impl Into<String>, value: f64, unit: &str) -> Self {
        Self { name: name.into(), value: finite(value), low: None, high: None, unit: unit.to_owned() }
    }

    /// A number with an interval.
    pub(super) fn between(name: impl Into<String>, value: f64, (low, high): (f64, f64), unit: &str) -> Self {
        Self { low: finite(low), high: finite(high), ..Self::exact(name, value, unit) }
    }
}

/// JSON has no infinities, so infinite values are left out.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// A part of a claim: one world, one policy, one horizon.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Part {
    pub name: String,
    /// None if the part is shown but not judged; the note then says why.
    pub verdict: Option<Verdict>,
    pub numbers: Vec<Number>,
    /// The p value for the claim before correction. None if the part is computed exactly.
    pub p_value: Option<f64>,
    /// The p value after correction.
    pub adjusted: Option<f64>,
    pub power: Option<Power>,
    pub note: String,
}

impl Part {
    /// A part that is computed exactly.
    pub(super) fn exact(name: impl Into<String>, holds: bool, numbers: Vec<Number>) -> Self {
        let verdict = Some(if holds { Verdict::Holds } else { Verdict::Fails });
        Self { verdict, numbers, ..Self::unjudged(name, "") }
    }

    /// A part that is shown but not judged.
    pub(super) fn unjudged(name: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            verdict: None,
            numbers: Vec::new(),
            p_value: None,
            adjusted: None,
            power: None,
            note: why.into(),
        }
    }
}

/// The power of a test: which effects it can detect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Power {
    /// The effect in question, in words.
    pub effect: String,
    /// The probability that the test finds this effect.
    pub value: f64,
    /// The smallest effect that the test finds with probability 0.9, in the unit of `effect`.
    pub detectable: f64,
    /// The number of runs in the test.
    pub runs: usize,
}
