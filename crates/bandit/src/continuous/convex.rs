//! Convex sets, and projection onto them.

use serde::{Deserialize, Serialize};

/// A convex set of points, for a policy that must stay inside.
///
/// `project` must be the Euclidean projection. It moves a point outside the set to the nearest
/// point of the set, and leaves a point of the set unchanged, so projecting twice is the same as
/// projecting once. It never moves two points further apart.
pub trait ConvexSet {
    /// d, the number of coordinates of a point; at least 1.
    fn dimension(&self) -> usize;

    /// Moves a point to the nearest point of the set.
    fn project(&self, point: &mut [f64]);

    /// Whether a point is in the set, up to rounding. Every projected point is.
    fn contains(&self, point: &[f64]) -> bool;
}

/// The largest legal radius, bound or step. Sums of a few such numbers are far from overflowing.
pub(crate) const LARGEST: f64 = 1e100;

/// The Euclidean length of a vector.
pub(crate) fn norm(vector: &[f64]) -> f64 {
    let squares: f64 = vector.iter().map(|x| x * x).sum();
    // Squares of very small numbers lose digits, and squares of very large numbers overflow.
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
/// Projection scales a point outside down to the surface and leaves a point inside unchanged.
/// Scaling a point inside up to the surface (a mistake found in public code) is not a projection:
/// it forgets how sure the policy was.
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
    /// The ball around the origin.
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

    /// The largest length that counts as inside. A point scaled to the surface has a length that is
    /// off by rounding: the sum of d squares by at most d/2 units in the last place, the scaling by
    /// a few more. Without this slack, projecting twice would not be the same as projecting once.
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
                // Divides first, because the quotient is at most 1 whatever the lengths.
                *x = *x / length * self.radius;
            }
        }
    }

    fn contains(&self, point: &[f64]) -> bool {
        point.len() == self.dimension && norm(point) <= self.reach()
    }
}

/// A box: each coordinate is between its own two bounds.
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
    /// If there are no dimensions, the numbers of lower and upper bounds differ, a lower bound is
    /// above its upper bound, or a bound is outside [-1e100, 1e100].
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
    /// A ball around the origin.
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

/// Why a set could not be built.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum SetError {
    /// The set has no dimensions.
    #[error("there must be at least one dimension")]
    NoDimensions,
    /// The radius is not positive, or too large.
    #[error("the radius is {radius}, but must be in (0, 1e100]")]
    Radius { radius: f64 },
    /// The numbers of lower and upper bounds differ.
    #[error("there are {low} lower and {high} upper bounds, but the two numbers must be equal")]
    Lengths { low: usize, high: usize },
    /// The bounds of a coordinate are not an interval within [-1e100, 1e100].
    #[error(
        "coordinate {coordinate} has the bounds {low} and {high}, which are not an interval within [-1e100, 1e100]"
    )]
    Bounds {
        /// The coordinate, counted from 0.
        coordinate: usize,
        low: f64,
        high: f64,
    },
}
