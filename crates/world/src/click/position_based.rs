//! The position-based model: looking depends only on the rank, and clicking only on the document.
//!
//! The user looks at rank r with probability r^-eta, and clicks a document of grade g there with
//! probability noise + (1 - noise) (2^g - 1) / (2^G - 1), where G is the largest grade. Work on
//! unbiased learning to rank simulates clicks like this (Joachims, Swaminathan and Schnabel, WSDM
//! 2017, doi:10.1145/3018661.3018699; the graded form in Ai et al., SIGIR 2018,
//! doi:10.1145/3209978.3209986).

use rand::{Rng, RngExt};

use tiltyard_interleave::Clicks;

/// The number of ranks with a probability computed in advance.
const RANKS: usize = 128;

/// A user who looks at each rank with its own probability.
#[derive(Debug, Clone, PartialEq)]
pub struct PositionBased {
    eta: f64,
    /// The probability of looking at each of the first ranks.
    looks: Vec<f64>,
    /// For each grade, the probability of a click on a document that the user looks at.
    attraction: Vec<f64>,
}

impl PositionBased {
    /// The caller checks that eta is at least 0 and that noise is in [0, 1].
    pub(super) fn new(eta: f64, noise: f64, largest: u8) -> Self {
        let gain = |grade: u8| libm::exp2(f64::from(grade)) - 1.0;
        // If 0 is the only grade, nothing is relevant.
        let relevance = |grade| if largest == 0 { 0.0 } else { gain(grade) / gain(largest) };
        let attraction = (0..=largest).map(|grade| noise + (1.0 - noise) * relevance(grade)).collect();
        let looks = (0..RANKS).map(|position| look(eta, position)).collect();
        Self { eta, looks, attraction }
    }

    fn probability(&self, position: usize, grade: u8) -> f64 {
        let looks = self.looks.get(position).copied().unwrap_or_else(|| look(self.eta, position));
        looks * self.attraction[usize::from(grade).min(self.attraction.len() - 1)]
    }

    pub(super) fn clicks<R: Rng + ?Sized>(
        &self,
        grades: impl IntoIterator<Item = u8>,
        rng: &mut R,
        clicks: &mut Clicks,
    ) {
        for (position, grade) in grades.into_iter().enumerate() {
            if rng.random::<f64>() < self.probability(position, grade) {
                clicks.insert(position);
            }
        }
    }

    pub(super) fn probabilities(&self, grades: &[u8]) -> Vec<f64> {
        grades.iter().enumerate().map(|(position, &grade)| self.probability(position, grade)).collect()
    }
}

fn look(eta: f64, position: usize) -> f64 {
    libm::pow((position + 1) as f64, -eta)
}
