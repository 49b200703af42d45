//! Numbers, times and verdicts as people read them.

use core::time::Duration;

use maud::{Markup, html};

use crate::claim::{Number, Verdict};
pub(super) use crate::format::{count, date, number, percent};

/// A standard error with two digits.
pub(super) fn error(value: f64) -> String {
    let digits = if value >= 10.0 {
        0
    } else if value >= 1.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$}")
}

/// Renders text between backticks as code.
pub(super) fn with_code(text: &str) -> Markup {
    html! {
        @for (i, part) in text.split('`').enumerate() {
            @if i % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Renders text between double asterisks as strong, and `[C7]` as a link to claim C7.
pub(super) fn rich(text: &str) -> Markup {
    html! {
        @for (i, part) in text.split("**").enumerate() {
            @if i % 2 == 1 { strong { (part) } } @else { (linked(part)) }
        }
    }
}

fn linked(text: &str) -> Markup {
    html! {
        @for (i, part) in text.split('[').enumerate() {
            @match part.split_once(']').filter(|_| i > 0) {
                Some((id, rest)) => { a href={ "#" (id) } { (id) } (rest) }
                None => { (part) }
            }
        }
    }
}

/// A number with its interval.
pub(super) fn measured(measured: &Number) -> String {
    let value = measured.value.map_or_else(|| "\u{2013}".to_owned(), number);
    let end = |end: Option<f64>, infinite: &str| end.map_or_else(|| infinite.to_owned(), number);
    if measured.low.is_none() && measured.high.is_none() {
        return value;
    }
    format!("{value} ({} to {})", end(measured.low, "\u{2212}\u{221e}"), end(measured.high, "\u{221e}"))
}

pub(super) fn p_value(p: f64) -> String {
    if p < 1e-4 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

pub(super) fn seconds(seconds: f64) -> String {
    let whole = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default().as_secs();
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) if s < 10 => format!("{seconds:.1} s"),
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}

/// The word for a verdict.
pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails => "fails",
        Verdict::Inconclusive => "inconclusive",
        Verdict::NotRun => "not run",
    }
}

/// The word after a number of claims.
pub(super) fn verb(verdict: Verdict, count: usize) -> &'static str {
    match verdict {
        Verdict::Holds if count != 1 => "hold",
        Verdict::Fails if count != 1 => "fail",
        other => self::verdict(other),
    }
}

/// The first characters of a hash.
pub(super) fn short_hash(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// The CSS class of a verdict.
pub(super) fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NotRun => "not-run",
        other => self::verdict(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_numbers() {
        assert_eq!([error(12.3), error(8.4061), error(0.1399)], ["12", "8.4", "0.14"]);
        assert_eq!(with_code("a `b<` c").into_string(), "a <code>b&lt;</code> c");
        assert_eq!(
            rich("**A** & see [C7].").into_string(),
            "<strong>A</strong> &amp; see <a href=\"#C7\">C7</a>."
        );
        let interval =
            Number { name: String::new(), value: Some(2.0), low: Some(1.0), high: None, unit: String::new() };
        assert_eq!(measured(&interval), "2 (1 to \u{221e})");
        assert_eq!(measured(&Number { value: None, low: None, ..interval }), "\u{2013}");
        assert_eq!([p_value(1e-9), p_value(0.03)], ["< 0.0001", "0.0300"]);
        assert_eq!([seconds(3.21), seconds(59.0), seconds(3700.0)], ["3.2 s", "59 s", "1 h 1 min"]);
    }
}
