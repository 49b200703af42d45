//! Distributions of utilities on [0, 1].

use rand::{Rng, RngExt};
use rand_distr::Distribution as _;
use statrs::distribution::{Beta as BetaLaw, ContinuousCDF};

/// The distribution of one arm's utility.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Law {
    /// 1 with this probability, else 0.
    Bernoulli(f64),
    /// Always this value.
    Constant(f64),
    /// Uniform between two numbers.
    Uniform { low: f64, high: f64 },
    /// The Beta distribution.
    Beta { a: f64, b: f64 },
}

/// The parameters do not describe a distribution on [0, 1].
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{law:?} is not a distribution on [0, 1]")]
#[expect(missing_docs, reason = "the names say it")]
pub struct LawError {
    pub law: Law,
}

impl Law {
    /// Checks the parameters.
    ///
    /// # Errors
    ///
    /// If they do not describe a distribution on [0, 1].
    pub fn check(&self) -> Result<(), LawError> {
        let unit = |x: f64| (0.0..=1.0).contains(&x);
        let legal = match *self {
            Self::Bernoulli(p) => unit(p),
            Self::Constant(x) => unit(x),
            Self::Uniform { low, high } => unit(low) && unit(high) && low < high,
            Self::Beta { a, b } => a > 0.0 && b > 0.0 && a.is_finite() && b.is_finite(),
        };
        if legal { Ok(()) } else { Err(LawError { law: *self }) }
    }

    /// The mean.
    pub fn mean(&self) -> f64 {
        match *self {
            Self::Bernoulli(p) => p,
            Self::Constant(x) => x,
            Self::Uniform { low, high } => f64::midpoint(low, high),
            Self::Beta { a, b } => a / (a + b),
        }
    }

    /// Draws a utility.
    ///
    /// # Panics
    ///
    /// If the parameters are invalid; see [`Self::check`].
    #[inline]
    pub fn draw<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        match *self {
            Self::Bernoulli(p) => f64::from(u8::from(rng.random::<f64>() < p)),
            Self::Constant(x) => x,
            Self::Uniform { low, high } => low + (high - low) * rng.random::<f64>(),
            Self::Beta { a, b } => rand_distr::Beta::new(a, b).expect("checked parameters").sample(rng),
        }
    }

    /// The probability that a draw from this distribution exceeds a draw from the other, plus half
    /// the probability of a tie.
    ///
    /// # Panics
    ///
    /// If the parameters of either are invalid; see [`Self::check`].
    pub fn preference(&self, other: &Self) -> f64 {
        match (self.atoms(), other.atoms()) {
            (Some(atoms), _) => atoms.iter().map(|&(x, p)| p * other.mid_cdf(x)).sum(),
            (None, Some(_)) => 1.0 - other.preference(self),
            (None, None) => match (self, other) {
                (&Self::Uniform { low, high }, &Self::Uniform { low: from, high: to }) => {
                    (area_below(high, from, to) - area_below(low, from, to)) / (high - low)
                }
                // The distribution function of a uniform distribution has corners, where quadrature
                // is inexact.
                (_, Self::Uniform { .. }) => 1.0 - other.preference(self),
                // E F_other(x) for x from this distribution, as an integral over its quantiles.
                _ => integrate(|u| other.mid_cdf(self.quantile(u))),
            },
        }
    }

    /// The points with positive probability, if the distribution is discrete.
    fn atoms(&self) -> Option<Vec<(f64, f64)>> {
        match *self {
            Self::Bernoulli(p) => Some(vec![(0.0, 1.0 - p), (1.0, p)]),
            Self::Constant(x) => Some(vec![(x, 1.0)]),
            Self::Uniform { .. } | Self::Beta { .. } => None,
        }
    }

    /// Pr(draw < x) + Pr(draw = x) / 2.
    fn mid_cdf(&self, x: f64) -> f64 {
        if let Some(atoms) = self.atoms() {
            let at = |&(atom, p): &(f64, f64)| {
                if atom < x { p } else { p / 2.0 * f64::from(u8::from(atom <= x)) }
            };
            return atoms.iter().map(at).sum();
        }
        match *self {
            Self::Uniform { low, high } => ((x - low) / (high - low)).clamp(0.0, 1.0),
            _ => self.beta().cdf(x),
        }
    }

    fn quantile(&self, u: f64) -> f64 {
        match *self {
            Self::Uniform { low, high } => low + (high - low) * u,
            _ => self.beta().inverse_cdf(u),
        }
    }

    fn beta(&self) -> BetaLaw {
        let Self::Beta { a, b } = *self else { unreachable!("only called for Beta distributions") };
        BetaLaw::new(a, b).expect("checked parameters")
    }
}

/// The integral up to `x` of the distribution function of the uniform distribution on [from, to].
fn area_below(x: f64, from: f64, to: f64) -> f64 {
    let inside = x.clamp(from, to) - from;
    inside * inside / (2.0 * (to - from)) + (x - to).max(0.0)
}

/// The integral over [0, 1] by the Gauss-Legendre rule with three points on each of 100 pieces. The
/// integrand is a distribution function at quantiles. It rises monotonically from 0 to 1, but may
/// be steep at the ends, so the substitution u = v^2 (3 - 2v) makes the pieces narrow there. Errors
/// are about 1e-9 where the integrand is smooth, and 1e-6 at a kink.
fn integrate(f: impl Fn(f64) -> f64) -> f64 {
    const PIECES: u32 = 100;
    const HALF: f64 = 0.5 / PIECES as f64;
    let g = |v: f64| f(v * v * (3.0 - 2.0 * v)) * 6.0 * v * (1.0 - v);
    // Nodes 0 and +-sqrt(3/5), weights 8/9 and 5/9.
    let reach = HALF * 0.6f64.sqrt();
    let piece = |i: u32| {
        let middle = HALF * f64::from(2 * i + 1);
        (8.0 * g(middle) + 5.0 * (g(middle - reach) + g(middle + reach))) / 9.0 * HALF
    };
    (0..PIECES).map(piece).sum()
}
