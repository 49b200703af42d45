//! The deceptive world of the last figure of Gajane, Urvoy and Clérot (ICML 2015).

use tiltyard_bandit::Arm;
use tiltyard_bandit::params::{ParamError, Params};

use super::{AnyDrift, Drift, Noise};
use crate::family::{Build, Family};
use crate::param::{ANSWERS, ARMS, Choice, choice};

const LOG: Choice<LogBase> = choice!("log":
    "e" => LogBase::Natural, "2" => LogBase::Two, "10" => LogBase::Ten;
    "base of the logarithm");

pub(crate) static FAMILY: Family = Family {
    name: "deceptive10",
    title: "the best arm's advantage shrinks like sqrt(K log(t) / t)",
    provenance: "Gajane, Urvoy and Clérot, ICML 2015",
    n_arms: Some(10),
    params: &[ARMS.doc, LOG.doc, ANSWERS.doc],
    needs_file: false,
    build: Build::Drift(build),
};

fn build(params: &mut Params<'_>, _: u64) -> Result<(AnyDrift, Noise), ParamError> {
    Ok((Deceptive::new(ARMS.count(params)?, LOG.read(params)?).into(), Noise::Bernoulli))
}

/// One arm is better by a gap that shrinks as fast as it can without becoming invisible.
///
/// All means are 1/2, except that arm 0 has `min(1, 1/2 + sqrt(K log(t) / t))`. The paper has no
/// minimum, but for its K = 10 the sum exceeds 1 until round 214 (natural logarithm) and cannot be
/// a probability there. The paper does not state the base of the logarithm either; the default here
/// is natural. The best arm never changes. The deception is that a policy with exploration tuned to
/// a constant gap stops exploring too early.
#[derive(Debug, Clone, PartialEq)]
pub struct Deceptive {
    n_arms: usize,
    base: LogBase,
}

/// The base of the logarithm in the gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogBase {
    /// e.
    #[default]
    Natural,
    /// 2.
    Two,
    /// 10.
    Ten,
}

impl Deceptive {
    /// A deceptive sequence with `n_arms` arms; the paper has 10.
    ///
    /// # Panics
    ///
    /// If there are no arms.
    pub fn new(n_arms: usize, base: LogBase) -> Self {
        assert!(n_arms > 0, "there must be at least one arm");
        Self { n_arms, base }
    }

    /// How much better arm 0 is in a round.
    pub fn gap(&self, round: u64) -> f64 {
        let t = round.max(1) as f64;
        let log = match self.base {
            LogBase::Natural => t.ln(),
            LogBase::Two => t.log2(),
            LogBase::Ten => t.log10(),
        };
        (self.n_arms as f64 * log / t).sqrt().min(0.5)
    }
}

impl Drift for Deceptive {
    fn n_arms(&self) -> usize {
        self.n_arms
    }

    fn mean(&self, round: u64, arm: Arm) -> f64 {
        if arm == self.best() { 0.5 + self.gap(round) } else { 0.5 }
    }

    fn best(&self) -> Arm {
        Arm::new(0)
    }

    fn best_in(&self, _: u64) -> Arm {
        self.best()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clipped gaps sum to 374.6, 1617.6, 6063.2 and 21578.8 at T = 1e3, 1e4, 1e5, 1e6.
    /// The clip is active for t = 2..214 with the natural logarithm, until 75
    /// with base 10 and until 335 with base 2.
    #[test]
    fn trace_gaps() {
        let world = Deceptive::new(10, LogBase::Natural);
        let mut sum = 0.0;
        let mut sums = Vec::new();
        for round in 1..=1_000_000 {
            sum += world.gap(round);
            if [1_000, 10_000, 100_000, 1_000_000].contains(&round) {
                sums.push(sum);
            }
        }
        for (sum, expected) in sums.iter().zip([374.6, 1617.6, 6063.2, 21578.8]) {
            assert!((sum - expected).abs() < 0.05, "{sums:?}");
        }
        for (base, last) in [(LogBase::Natural, 214), (LogBase::Ten, 75), (LogBase::Two, 335)] {
            let world = Deceptive::new(10, base);
            assert!(world.gap(last) >= 0.5 && world.gap(last + 1) < 0.5, "{base:?}");
        }
        assert!(world.gap(1).abs() < 1e-15);
    }
}
