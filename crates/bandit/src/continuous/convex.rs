//! Convex sets, and projection onto them.

use serde::{Deserialize, Serialize};

/// A convex set of points, for a policy that must stay inside.
///
/// `project` must be the Euclidean projection: it moves a point to the nearest one of the set,
/// leaves points of the set alone (projecting twice is projecting once), and brings no two points
/// further apart.
pub trait ConvexSet {
    /// d: how many numbers make a point; at least 1.
    fn dimension(&self) -> usize;

    /// Moves a point to the nearest point of the set.
    fn project(&self, point: &mut [f64]);

    /// Whether a point lies in the set, up to rounding: every projected point does.
    fn contains(&self, point: &[f64]) -> bool;
}

/// The largest radius, bound or step: far from where sums of a few of them overflow.
pub(crate) const LARGEST: f64 = 1e100;

/// The Euclidean length of a vector.
pub(crate) fn norm(vector: &[f64]) -> f64 {
    let squares: f64 = vector.iter().map(|x| x * x).sum();
    // Squares of very small and very large numbers lose their digits or overflow.
    if (1e-200..1e200).contains(&squares) {
        return squares.sqrt();
    }
    let largest = vector.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    if largest > 0.0 && largest.is_finite() {
        largest * vector.iter().map(|x| (x / largest) * (x / largest)).sum::<f64>().sqrt()
    } else {
        largest
    }
}

/// The points at most `radius` away from the origin.
///
/// Projection scales a point outside down to the surface. A point inside is left alone: scaling
/// that one up to the surface too (a mistake found in public code) is no projection, and forgets
/// how sure the policy was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SavedBall")]
pub struct Ball {
    dimension: usize,
    radius: f64,
}

#[derive(Deserialize)]
struct SavedBall {
    dimension: usize,
    radius: f64,
}

impl TryFrom<SavedBall> for Ball {
    type Error = SetError;

    fn try_from(saved: SavedBall) -> Result<Self, SetError> {
        Self::new(saved.dimension, saved.radius)
    }
}

impl Ball {
    /// The ball round the origin.
    ///
    /// # Errors
    ///
    /// If there are no dimensions, or the radius is not in (0, 1e100].
    pub fn new(dimension: usize, radius: f64) -> Result<Self, SetError> {
        if dimension == 0 {
            return Err(SetError::NoDimensions);
        }
        // Written positively so that NaN fails.
        if radius > 0.0 && radius <= LARGEST {
            Ok(Self { dimension, radius })
        } else {
            Err(SetError::Radius { radius })
        }
    }

    /// Its radius.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The longest length that counts as inside. A point scaled to the surface has a length that is
    /// off by rounding: the sum of d squares by at most d/2 units in the last place, the scaling by
    /// a few more. Without this slack projecting twice would not be projecting once.
    fn reach(&self) -> f64 {
        self.radius * (1.0 + (self.dimension as f64 + 8.0) * f64::EPSILON)
    }
}

impl ConvexSet for Ball {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn project(&self, point: &mut [f64]) {
        let length = norm(point);
        if length > self.reach() {
            for x in point {
                // Divided first: the quotient is at most 1, whatever the lengths.
                *x = *x / length * self.radius;
            }
        }
    }

    fn contains(&self, point: &[f64]) -> bool {
        point.len() == self.dimension && norm(point) <= self.reach()
    }
}

/// A box: each coordinate between two bounds of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SavedCuboid")]
pub struct Cuboid {
    low: Vec<f64>,
    high: Vec<f64>,
}

#[derive(Deserialize)]
struct SavedCuboid {
    low: Vec<f64>,
    high: Vec<f64>,
}

impl TryFrom<SavedCuboid> for Cuboid {
    type Error = SetError;

    fn try_from(saved: SavedCuboid) -> Result<Self, SetError> {
        Self::new(saved.low, saved.high)
    }
}

impl Cuboid {
    /// The points with `low[i] <= point[i] <= high[i]`.
    ///
    /// # Errors
    ///
    /// If there are no dimensions, the bounds are not as many as each other, or a lower one is
    /// above its partner or one is beyond 1e100.
    pub fn new(low: Vec<f64>, high: Vec<f64>) -> Result<Self, SetError> {
        if low.is_empty() {
            return Err(SetError::NoDimensions);
        }
        if low.len() != high.len() {
            return Err(SetError::Lengths { low: low.len(), high: high.len() });
        }
        for (coordinate, (&low, &high)) in low.iter().zip(&high).enumerate() {
            // Written positively so that NaN fails.
            let legal = -LARGEST <= low && low <= high && high <= LARGEST;
            if !legal {
                return Err(SetError::Bounds { coordinate, low, high });
            }
        }
        Ok(Self { low, high })
    }

    /// The box with every coordinate in [-radius, radius].
    ///
    /// # Errors
    ///
    /// If there are no dimensions, or the radius is not in (0, 1e100].
    pub fn cube(dimension: usize, radius: f64) -> Result<Self, SetError> {
        let Ball { dimension, radius } = Ball::new(dimension, radius)?;
        Self::new(vec![-radius; dimension], vec![radius; dimension])
    }
}

impl ConvexSet for Cuboid {
    fn dimension(&self) -> usize {
        self.low.len()
    }

    fn project(&self, point: &mut [f64]) {
        for ((x, &low), &high) in point.iter_mut().zip(&self.low).zip(&self.high) {
            *x = x.clamp(low, high);
        }
    }

    fn contains(&self, point: &[f64]) -> bool {
        point.len() == self.low.len()
            && point.iter().zip(&self.low).zip(&self.high).all(|((x, low), high)| low <= x && x <= high)
    }
}

/// A set that a specification can name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Region {
    /// A ball round the origin.
    Ball(Ball),
    /// A box.
    Box(Cuboid),
}

impl ConvexSet for Region {
    fn dimension(&self) -> usize {
        match self {
            Self::Ball(ball) => ball.dimension(),
            Self::Box(cuboid) => cuboid.dimension(),
        }
    }

    fn project(&self, point: &mut [f64]) {
        match self {
            Self::Ball(ball) => ball.project(point),
            Self::Box(cuboid) => cuboid.project(point),
        }
    }

    fn contains(&self, point: &[f64]) -> bool {
        match self {
            Self::Ball(ball) => ball.contains(point),
            Self::Box(cuboid) => cuboid.contains(point),
        }
    }
}

/// Why there is no such set.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SetError {
    /// d = 0.
    #[error("there must be at least one dimension")]
    NoDimensions,
    /// A radius that is not positive, or too large.
    #[error("the radius is {radius}, but must lie in (0, 1e100]")]
    Radius {
        /// The radius given.
        radius: f64,
    },
    /// As many lower as upper bounds are needed.
    #[error("there are {low} lower and {high} upper bounds, but must be as many of each")]
    Lengths {
        /// How many lower bounds.
        low: usize,
        /// How many upper bounds.
        high: usize,
    },
    /// Bounds that leave nothing between them.
    #[error(
        "coordinate {coordinate} has the bounds {low} and {high}, which are no interval within [-1e100, 1e100]"
    )]
    Bounds {
        /// The coordinate, counted from 0.
        coordinate: usize,
        /// Its lower bound.
        low: f64,
        /// Its upper bound.
        high: f64,
    },
}
