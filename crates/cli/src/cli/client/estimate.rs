//! Formats estimates and their limits.

use tiltyard_wire::Estimate;

/// The estimate itself.
pub(in crate::cli) fn value(estimate: &Estimate) -> String {
    estimate.estimate.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"))
}

/// The limits of an estimate.
pub(in crate::cli) fn range(estimate: &Estimate) -> String {
    format!("{:.3} to {:.3}", estimate.low, estimate.high)
}

/// The estimate of the opposite event.
pub(in crate::cli) fn flipped(Estimate { estimate, low, high }: Estimate) -> Estimate {
    Estimate { estimate: estimate.map(|value| 1.0 - value), low: 1.0 - high, high: 1.0 - low }
}

/// A share in percent, with all the digits that a user gave, such as 99.9 %.
pub(in crate::cli) fn percent(share: f64) -> String {
    format!("{} %", (share * 1e6).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_estimates() {
        let estimate = Estimate { estimate: Some(0.625), low: 0.5, high: 0.75 };
        assert_eq!((value(&estimate).as_str(), range(&estimate).as_str()), ("0.625", "0.500 to 0.750"));
        assert_eq!(flipped(estimate), Estimate { estimate: Some(0.375), low: 0.25, high: 0.5 });
        assert_eq!(value(&Estimate { estimate: None, ..estimate }), "-");
    }

    #[test]
    fn trace_percent() {
        assert_eq!([0.95, 0.999, 0.5].map(percent), ["95 %", "99.9 %", "50 %"]);
    }
}
