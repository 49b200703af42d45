//! Click models: simulated users who look at a list of graded documents and click.
//!
//! | text | user |
//! |---|---|
//! | `perfect`, `navigational`, `informational` | reads downwards, clicks by grade, may stop after a click; numbers in [`table`](self::TABLE) |
//! | `dependent:click=0.1/0.9,stop=0.2/0.5` | the same with your own numbers, one for each grade from 0 |
//! | `position-based:eta=1,noise=0.1` | looks at rank r with probability r^-eta, and clicks by grade |
//! | `random:p=0.5` | clicks every document with the same probability |
//!
//! A text is parsed into a [`ClickSpec`]. [`ClickSpec::for_grades`] turns it into a [`ClickModel`]
//! for the grades of a collection. It refuses grades without numbers, so that a simulation cannot
//! fail halfway.
//!
//! ```
//! use tiltyard_bandit::Stream;
//! use tiltyard_world::click::ClickSpec;
//! use tiltyard_interleave::Clicks;
//!
//! let user = "navigational".parse::<ClickSpec>()?.for_grades(4)?;
//! let mut clicks = Clicks::new();
//! user.clicks([4, 0, 2], &mut Stream::new(1).rng(), &mut clicks);
//! assert!(clicks.last() < Some(3));
//! # Ok::<(), tiltyard_world::click::ClickError>(())
//! ```

mod dependent;
mod position_based;
mod spec;
mod table;

pub use dependent::Dependent;
pub use position_based::PositionBased;
pub use spec::{ClickError, ClickInfo, ClickSpec};
pub use table::{Setting, TABLE, User};

use rand::{Rng, RngExt};

use tiltyard_interleave::Clicks;

/// A simulated user for grades up to some maximum. A larger grade counts as the maximum.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ClickModel {
    /// Reads downwards and may stop after a click.
    Dependent(Dependent),
    /// Looks at each rank with its own probability.
    PositionBased(PositionBased),
    /// Clicks every document with this probability.
    Random(f64),
}

impl ClickModel {
    /// Draws the user's clicks on a list into `clicks`, which is cleared first. `grades` are the
    /// grades of the documents in the order of the list.
    pub fn clicks<R: Rng + ?Sized>(
        &self,
        grades: impl IntoIterator<Item = u8>,
        rng: &mut R,
        clicks: &mut Clicks,
    ) {
        clicks.clear();
        match self {
            Self::Dependent(model) => model.clicks(grades, rng, clicks),
            Self::PositionBased(model) => model.clicks(grades, rng, clicks),
            Self::Random(p) => {
                for (position, _) in grades.into_iter().enumerate() {
                    if rng.random::<f64>() < *p {
                        clicks.insert(position);
                    }
                }
            }
        }
    }

    /// The probability of a click at each position.
    pub fn probabilities(&self, grades: &[u8]) -> Vec<f64> {
        match self {
            Self::Dependent(model) => model.probabilities(grades),
            Self::PositionBased(model) => model.probabilities(grades),
            Self::Random(p) => vec![*p; grades.len()],
        }
    }
}

#[cfg(test)]
mod tests;
