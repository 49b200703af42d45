//! The statistics for claims and figures.
//!
//! Every function depends only on its input. The bootstrap, which needs randomness, takes a
//! [`Stream`](tiltyard_bandit::Stream). Distribution functions come from `statrs`.

mod bootstrap;
mod crossover;
mod holm;
mod ols;
mod power;
mod proportion;
mod summary;
mod t_test;

pub(crate) use bootstrap::bootstrap;
pub(crate) use crossover::crossover;
pub(crate) use holm::holm;
pub(crate) use ols::Ols;
pub(crate) use power::{detectable_effect, power_of_t_test};
pub use proportion::Proportion;
pub(crate) use proportion::wilson;
pub use summary::{Summary, half_width};
pub(crate) use t_test::{Moments, TTest};

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// A confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// The quantile of Student's t distribution, or of the normal distribution for infinitely many
/// degrees of freedom.
fn t_quantile(df: f64, probability: f64) -> f64 {
    if df.is_infinite() {
        return normal().inverse_cdf(probability);
    }
    StudentsT::new(0.0, 1.0, df).expect("degrees of freedom are positive").inverse_cdf(probability)
}

/// The probability that Student's t exceeds a value.
fn t_upper_tail(df: f64, t: f64) -> f64 {
    StudentsT::new(0.0, 1.0, df).expect("degrees of freedom are positive").sf(t)
}

fn normal() -> Normal {
    Normal::new(0.0, 1.0).expect("the parameters are valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Printed tables of Student's t: 2.764 for 10 degrees of freedom at 0.99, 2.064 for 24 at
    /// 0.975; 2.326 for the normal distribution.
    #[test]
    fn trace_quantiles_of_printed_tables() {
        assert!((t_quantile(10.0, 0.99) - 2.764).abs() < 5e-4);
        assert!((t_quantile(24.0, 0.975) - 2.064).abs() < 5e-4);
        assert!((t_quantile(f64::INFINITY, 0.99) - 2.326).abs() < 5e-4);
        assert!((t_upper_tail(10.0, 2.764) - 0.01).abs() < 1e-5);
    }
}
