//! Numbers and dates in readable form.

/// A number with about four digits.
pub(crate) fn number(value: f64) -> String {
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

/// A share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    if (0.0..0.1).contains(&share) && share > 0.0 {
        format!("{:.1} %", 100.0 * share)
    } else {
        format!("{:.0} %", 100.0 * share)
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

/// A whole number with its digits in groups of three.
pub(crate) fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// The UTC date of a time in seconds since 1970-01-01.
pub(crate) fn date(seconds: u64) -> String {
    // Years begin in March here, so that a leap day is the last day of its year. There are 719468
    // days between 1 March of the year 0 and 1970-01-01.
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
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!([percent(0.456), percent(0.041), percent(0.0)], ["46 %", "4.1 %", "0 %"]);
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
