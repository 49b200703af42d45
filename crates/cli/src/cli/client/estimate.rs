//! Numbers with the range in which they lie, as people read them.

use serde::Deserialize;

/// A number as far as the votes tell it.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub(in crate::cli) struct Estimate {
    #[serde(rename = "estimate")]
    pub(in crate::cli) best: Option<f64>,
    pub(in crate::cli) low: f64,
    pub(in crate::cli) high: f64,
}

impl Estimate {
    /// The best guess at a probability.
    pub(in crate::cli) fn value(&self) -> String {
        self.best.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
    }

    /// Between which probabilities it lies.
    pub(in crate::cli) fn range(&self) -> String {
        format!("{:.3} to {:.3}", self.low, self.high)
    }

    /// The probability of the opposite.
    pub(in crate::cli) fn flipped(self) -> Self {
        Self { best: self.best.map(|value| 1.0 - value), low: 1.0 - self.high, high: 1.0 - self.low }
    }
}

/// A share in percent: with as many digits as were said where it is a promise, such as 99.9 %.
pub(in crate::cli) fn percent(share: f64) -> String {
    format!("{} %", (share * 1e6).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_estimates() {
        let estimate = Estimate { best: Some(0.625), low: 0.5, high: 0.75 };
        assert_eq!((estimate.value().as_str(), estimate.range().as_str()), ("0.625", "0.500 to 0.750"));
        assert_eq!(estimate.flipped(), Estimate { best: Some(0.375), low: 0.25, high: 0.5 });
        assert_eq!(Estimate { best: None, ..estimate }.value(), "-");
    }

    #[test]
    fn trace_percent() {
        assert_eq!([0.95, 0.999, 0.5].map(percent), ["95 %", "99.9 %", "50 %"]);
    }
}
