//! What came of a claim.

use core::fmt::Write as _;

use serde::Serialize;

use super::Claim;

/// The state of a claim, or of a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The evidence supports the sentence.
    Holds,
    /// The evidence contradicts it.
    Fails,
    /// The evidence allows both; the power of the test is shown.
    Inconclusive,
    /// There is no evidence: something was not run, or not for long enough. Not a verdict, and
    /// never counted as one.
    NotRun,
}

impl Verdict {
    /// Whether the claim is settled.
    pub fn is_decided(self) -> bool {
        matches!(self, Self::Holds | Self::Fails)
    }
}

/// A claim with everything that was found out about it; `claims.json` is a list of these.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The claim.
    #[serde(flatten)]
    pub claim: Claim,
    /// The verdict and its reasons.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// The verdict and its reasons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What it rests on, over all parts.
    pub numbers: Vec<Number>,
    /// What it was put together from: worlds, policies.
    pub parts: Vec<Part>,
    /// What the least sensitive of the open tests could have seen; there if the verdict is
    /// `inconclusive`, and only then. Parts show theirs whatever the verdict.
    pub power: Option<Power>,
    /// Why, in plain words.
    pub note: String,
}

impl Judgement {
    /// Nothing was found out, because this is missing.
    pub(super) fn not_run(missing: impl Into<String>) -> Self {
        let note = missing.into();
        Self { verdict: Verdict::NotRun, numbers: Vec::new(), parts: Vec::new(), power: None, note }
    }

    /// A claim about all its parts: one that fails refutes it, one that is open leaves it open.
    pub(super) fn of_all(parts: Vec<Part>, note: &str) -> Self {
        let any = |verdict| parts.iter().any(|part| part.verdict == Some(verdict));
        let verdict = [Verdict::Fails, Verdict::Inconclusive, Verdict::Holds]
            .into_iter()
            .find(|&verdict| any(verdict))
            .unwrap_or(Verdict::NotRun);
        // Of a settled claim the power is of no interest; that of the weakest open part is what
        // could not be seen.
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

    /// Adds a reason that belongs to one verdict.
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

/// How many parts say what, and which are against.
fn tally(parts: &[Part]) -> String {
    let named = |verdict: Option<Verdict>| -> Vec<&str> {
        parts.iter().filter(|part| part.verdict == verdict).map(|part| part.name.as_str()).collect()
    };
    let judged = parts.iter().filter(|part| part.verdict.is_some()).count();
    let mut text = format!("Holds in {} of {judged} parts judged.", named(Some(Verdict::Holds)).len());
    for (verdict, word) in [
        (Some(Verdict::Fails), "Fails"),
        (Some(Verdict::Inconclusive), "Open"),
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
pub struct Number {
    /// What it is.
    pub name: String,
    /// Its value; none if it is not finite.
    pub value: Option<f64>,
    /// The lower end of its interval, if it has one.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
    /// Its unit, and what the interval is.
    pub unit: String,
}

impl Number {
    /// A number without uncertainty, or whose uncertainty is of no interest.
    pub(super) fn exact(name: impl Into<String>, value: f64, unit: &str) -> Self {
        Self { name: name.into(), value: finite(value), low: None, high: None, unit: unit.to_owned() }
    }

    /// A number with an interval.
    pub(super) fn between(name: impl Into<String>, value: f64, (low, high): (f64, f64), unit: &str) -> Self {
        Self { low: finite(low), high: finite(high), ..Self::exact(name, value, unit) }
    }
}

/// JSON knows no infinities: an end that is not there is left out.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// A part of a claim: one world, one policy, one horizon.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// What it is about.
    pub name: String,
    /// Its own verdict; none if it is shown but not judged, and then the note says why.
    pub verdict: Option<Verdict>,
    /// Its numbers.
    pub numbers: Vec<Number>,
    /// The p value of the claim, before correction; none for what is computed exactly.
    pub p_value: Option<f64>,
    /// The same after correction.
    pub adjusted: Option<f64>,
    /// What its test could have seen.
    pub power: Option<Power>,
    /// What there is to say about it.
    pub note: String,
}

impl Part {
    /// A part that is computed, without chance.
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

/// What a test could have seen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Power {
    /// The effect in question, in words.
    pub effect: String,
    /// The chance that the test finds an effect of that size.
    pub value: f64,
    /// The smallest effect that it finds in nine of ten cases, in the unit of `effect`.
    pub detectable: f64,
    /// How many runs it rests on.
    pub runs: usize,
}
