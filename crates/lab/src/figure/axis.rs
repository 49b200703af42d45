//! Axes: their ends, and the labels of their ticks.

use core::fmt;

/// An axis of a panel.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Axis {
    /// The quantity that the axis shows.
    pub label: String,
    pub scale: Scale,
    /// The ends of the axis; as far as the curves reach if `None`.
    pub range: Option<(f64, f64)>,
}

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps for equal differences.
    Linear,
    /// Equal steps for equal ratios. Only numbers above 0 have a place on it.
    Log,
}

/// Up to this many decades there is room for labels between them. K from 4 to 136 is such an axis.
const FEW_DECADES: f64 = 1.7;

/// The largest number of decades. More would leave no room for anything else.
const MOST_DECADES: i32 = 24;

impl Axis {
    /// A linear axis that reaches as far as its curves.
    pub fn linear(label: &str) -> Self {
        Self { label: label.to_owned(), scale: Scale::Linear, range: None }
    }

    /// A logarithmic axis that reaches as far as its curves.
    pub fn log(label: &str) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label) }
    }

    /// The same axis with fixed ends.
    #[must_use]
    pub fn with_range(self, low: f64, high: f64) -> Self {
        Self { range: Some((low, high)), ..self }
    }

    /// Whether a number has a place on the axis.
    pub(super) fn admits(&self, value: f64) -> bool {
        value.is_finite() && (self.scale == Scale::Linear || value > 0.0)
    }

    /// The ends of the axis, for numbers that it admits. They are a little further out than the
    /// numbers, so that no marker touches the frame.
    pub(super) fn ends(&self, values: impl Iterator<Item = f64>) -> Ends {
        let admitted = values.filter(|&value| self.admits(value));
        let (low, high) = self
            .range
            .filter(|&(low, high)| low < high && self.admits(low) && self.admits(high))
            .unwrap_or_else(|| {
                admitted.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                    (low.min(value), high.max(value))
                })
            });
        let (low, high) = if low <= high { (low, high) } else { (1.0, 1.0) };
        match self.scale {
            Scale::Log => {
                let (low, high) = (low.clamp(1e-300, 1e300), high.clamp(1e-300, 1e300));
                let low = low.max(high * 10_f64.powi(-MOST_DECADES));
                let pad = if high / low > 1.0 + 1e-9 { (high / low).powf(0.03).max(1.01) } else { 3.0 };
                Ends { scale: Scale::Log, low: low / pad, high: high * pad }
            }
            Scale::Linear => {
                let (low, high) = (low.clamp(-1e300, 1e300), high.clamp(-1e300, 1e300));
                let span = high - low;
                let pad = if span > 1e-9 * high.abs().max(low.abs()) {
                    span * 0.04
                } else {
                    high.abs().max(1.0) * 0.5
                };
                Ends { scale: Scale::Linear, low: low - pad, high: high + pad }
            }
        }
    }
}

/// The ends between which an axis is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ends {
    pub(super) scale: Scale,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The form that scripts read.
impl fmt::Display for Ends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = if self.scale == Scale::Log { "log" } else { "linear" };
        write!(f, "{scale} {} {}", self.low, self.high)
    }
}

impl Ends {
    pub(super) fn contain(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// The nearest number on the axis; the lower end for NaN.
    pub(super) fn clamp(&self, value: f64) -> f64 {
        if value.is_nan() { self.low } else { value.clamp(self.low, self.high) }
    }

    /// The position of a number along the axis: 0 at the lower end, 1 at the upper.
    pub(super) fn share(&self, value: f64) -> f64 {
        match self.scale {
            // Axes end before 1e301; the difference of two larger numbers may be infinite.
            Scale::Linear => (value.clamp(-1e301, 1e301) - self.low) / (self.high - self.low),
            // Not the logarithm of a ratio, which may be 0 or infinite.
            Scale::Log => (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln()),
        }
    }

    /// The number at this position along the axis: the inverse of [`Ends::share`].
    pub(super) fn at(&self, share: f64) -> f64 {
        match self.scale {
            Scale::Linear => self.low + share * (self.high - self.low),
            Scale::Log => self.low * (self.high / self.low).powf(share),
        }
    }

    /// The label of a tick; empty for ticks in between if there are many.
    pub(super) fn tick_label(&self, value: f64) -> String {
        if self.scale == Scale::Linear {
            // A tick at 0 may be off by rounding.
            let whole = (self.high - self.low).abs();
            return short(if value.abs() < whole * 1e-9 { 0.0 } else { value });
        }
        let decades = (self.high / self.low).log10();
        let exponent = value.log10().round();
        let round = (value / 10_f64.powf(exponent) - 1.0).abs() < 1e-6;
        let step = (decades / 7.0).ceil().max(1.0);
        // Ticks between decades have labels only if the axis has few decades.
        if round && (exponent / step).fract().abs() > 1e-9 || !round && decades > FEW_DECADES {
            return String::new();
        }
        // Next to 2000 and 5000, 1000 is written in digits too.
        if decades <= FEW_DECADES && (1e-3..1e5).contains(&value) {
            let text = format!("{value:.4}");
            return text.trim_end_matches('0').trim_end_matches('.').to_owned();
        }
        if round && !(-1.0..=1.0).contains(&exponent) {
            power_of_ten(&exponent.to_string())
        } else {
            short(value)
        }
    }
}

/// A number in few characters: powers of ten as such, other numbers in digits.
pub(super) fn short(value: f64) -> String {
    let size = value.abs();
    if value.abs() < f64::MIN_POSITIVE {
        return "0".to_owned();
    }
    if (1e-3..1e4).contains(&size) && !is_power_of_ten_from(size, 1e3) {
        let digits = if size >= 100.0 {
            0
        } else if size >= 10.0 {
            1
        } else {
            3
        };
        let text = format!("{value:.digits$}").replace('-', "\u{2212}");
        return if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        };
    }
    let text = format!("{value:.2e}");
    let (digits, exponent) = text.split_once('e').expect("written with an exponent");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    let power = power_of_ten(exponent);
    match digits {
        "1" => power,
        "-1" => format!("\u{2212}{power}"),
        digits => format!("{}\u{b7}{power}", digits.replace('-', "\u{2212}")),
    }
}

fn power_of_ten(exponent: &str) -> String {
    ['1', '0'].into_iter().chain(exponent.chars().map(superscript)).collect()
}

fn is_power_of_ten_from(size: f64, least: f64) -> bool {
    let log = size.log10();
    size >= least * (1.0 - 1e-9) && (log - log.round()).abs() < 1e-9
}

fn superscript(c: char) -> char {
    match c {
        '-' => '\u{207b}',
        '1' => '\u{b9}',
        '2' => '\u{b2}',
        '3' => '\u{b3}',
        c => c.to_digit(10).and_then(|digit| char::from_u32(0x2070 + digit)).unwrap_or(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_numbers_in_few_characters() {
        let numbers =
            [0.0, 0.5, 0.25, 1.0, 10.0, 100.0, 1000.0, 2000.0, 1e4, 1e5, 2.5e6, 1e-4, -1e6, -0.2, 123.4];
        let expected = [
            "0",
            "0.5",
            "0.25",
            "1",
            "10",
            "100",
            "10³",
            "2000",
            "10⁴",
            "10⁵",
            "2.5·10⁶",
            "10⁻⁴",
            "−10⁶",
            "−0.2",
            "123",
        ];
        assert_eq!(numbers.map(short), expected);
    }

    #[test]
    fn trace_ends_reach_a_little_further() {
        let ends = Axis::log("").ends([1e3, 1e5, -1.0, f64::NAN].into_iter());
        assert!(
            (ends.low - 1e3 / 100_f64.powf(0.03)).abs() < 1e-9
                && (ends.high - 1e5 * 100_f64.powf(0.03)).abs() < 1e-6
        );
        let ends = Axis::linear("").ends([0.0, 1.0].into_iter());
        assert!((ends.low + 0.04).abs() < 1e-12 && (ends.high - 1.04).abs() < 1e-12);
        assert!((ends.share(0.5) - 0.5).abs() < 1e-12);
    }

    /// No numbers, one number, equal numbers, enormous numbers: the low end is always below the
    /// high end, and both are finite.
    #[test]
    fn trace_ends_of_odd_numbers() {
        let odd: [&[f64]; 6] =
            [&[], &[5.0], &[0.0], &[-3.0, -3.0], &[1e-300, 1e300], &[f64::INFINITY, f64::MAX, -f64::MAX]];
        for values in odd {
            for axis in [Axis::linear(""), Axis::log(""), Axis::log("").with_range(-1.0, 1.0)] {
                let ends = axis.ends(values.iter().copied());
                assert!(
                    ends.low < ends.high && ends.low.is_finite() && ends.high.is_finite(),
                    "{values:?}: {ends:?}"
                );
                assert!(
                    ends.share(ends.low).abs() < 1e-9 && (ends.share(ends.high) - 1.0).abs() < 1e-9,
                    "{ends:?}"
                );
            }
        }
    }

    #[test]
    fn trace_labels_thin_out() {
        let ends = Ends { scale: Scale::Log, low: 1.0, high: 1e20 };
        let labels: Vec<String> = (0..=20).map(|i| ends.tick_label(10_f64.powi(i))).collect();
        assert_eq!(labels.iter().filter(|label| !label.is_empty()).count(), 7);
        assert_eq!(labels[3], "10\u{b3}");
        let short_axis = Ends { scale: Scale::Log, low: 900.0, high: 6000.0 };
        assert_eq!(
            [1000.0, 2000.0, 5000.0].map(|tick| short_axis.tick_label(tick)),
            ["1000", "2000", "5000"]
        );
    }
}
