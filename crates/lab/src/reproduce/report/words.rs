//! Numbers, times and verdicts as people read them.

use core::time::Duration;

use maud::{Markup, html};

use crate::claim::{Number, Verdict};

/// A number in about four digits.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    let text = if value.fract().abs() < 1e-9 && size < 1e4 {
        format!("{value:.0}")
    } else if size >= 1e7 || (size > 0.0 && size < 1e-3) {
        format!("{value:.2e}")
    } else if size >= 1000.0 {
        grouped(&format!("{value:.0}"))
    } else {
        let digits = if size >= 100.0 {
            1
        } else if size >= 10.0 {
            2
        } else {
            4
        };
        let text = format!("{value:.digits$}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    text.replace('-', "\u{2212}")
}

/// A standard error, in two digits.
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

/// Text in which what stands between backticks is code.
pub(super) fn text(text: &str) -> Markup {
    html! {
        @for (i, part) in text.split('`').enumerate() {
            @if i % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Text in which what stands between double asterisks is strong, and `[C7]` leads to the claim of that name.
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

/// Digits in groups of three, from 10,000 on.
fn grouped(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    if digits.len() < 5 {
        return format!("{sign}{digits}");
    }
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).expect("digits")).collect();
    format!("{sign}{}", groups.join(","))
}

/// A whole number with groups.
pub(super) fn count(value: u64) -> String {
    grouped(&value.to_string())
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

/// A p value.
pub(super) fn p_value(p: f64) -> String {
    if p < 1e-4 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

/// A share in per cent.
pub(super) fn percent(share: f64) -> String {
    if (0.0..0.1).contains(&share) && share > 0.0 {
        format!("{:.1} %", 100.0 * share)
    } else {
        format!("{:.0} %", 100.0 * share)
    }
}

/// A time.
pub(super) fn seconds(seconds: f64) -> String {
    let whole = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default().as_secs();
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) if s < 10 => format!("{seconds:.1} s"),
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}

/// The day on which a second since the beginning of 1970 falls, in UTC.
pub(super) fn date(seconds: u64) -> String {
    // Years begin in March here, so that the day that comes every four years is the last of one. 719468 days lie between the first of
    // March of the year 0 and 1970.
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
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

/// Its name in the style sheet.
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
        for (value, text) in [
            (0.0, "0"),
            (6.0, "6"),
            (-0.25, "\u{2212}0.25"),
            (0.06, "0.06"),
            (123.456, "123.5"),
            (1234.5, "1234"),
            (12_345.0, "12,345"),
            (0.000_12, "1.20e\u{2212}4"),
            (1e8, "1.00e8"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!([error(12.3), error(8.4061), error(0.1399)], ["12", "8.4", "0.14"]);
        assert_eq!(text("a `b<` c").into_string(), "a <code>b&lt;</code> c");
        assert_eq!(
            rich("**A** & see [C7].").into_string(),
            "<strong>A</strong> &amp; see <a href=\"#C7\">C7</a>."
        );
        assert_eq!(count(1_234_567), "1,234,567");
        let interval =
            Number { name: String::new(), value: Some(2.0), low: Some(1.0), high: None, unit: String::new() };
        assert_eq!(measured(&interval), "2 (1 to \u{221e})");
        assert_eq!(measured(&Number { value: None, low: None, ..interval }), "\u{2013}");
        assert_eq!([p_value(1e-9), p_value(0.03)], ["< 0.0001", "0.0300"]);
        assert_eq!([percent(0.456), percent(0.041), percent(0.0)], ["46 %", "4.1 %", "0 %"]);
        assert_eq!([seconds(3.21), seconds(59.0), seconds(3700.0)], ["3.2 s", "59 s", "1 h 1 min"]);
    }

    #[test]
    fn trace_dates() {
        for (seconds, day) in [
            (0, "1970-01-01"),
            (951_782_400, "2000-02-29"),
            (1_709_251_199, "2024-02-29"),
            (1_735_689_600, "2025-01-01"),
        ] {
            assert_eq!(date(seconds), day);
        }
    }
}
