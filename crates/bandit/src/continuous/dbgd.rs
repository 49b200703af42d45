//! DBGD; [`Family`] has its page.

use rand::Rng;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::convex::{self, Ball, ConvexSet, Cuboid, Region};
use super::registry::Built;
use super::sphere::draw_direction;
use super::{ContinuousPolicy, ContinuousTicket, Info};
use crate::Outcome;
use crate::params::{ParamError, Params};
use crate::policy::Citation;

declare! {
    /// # DBGD: dueling bandit gradient descent
    ///
    /// A *continuous* policy: it duels points of a convex set, such as the weights of a linear
    /// ranker, instead of arms.
    ///
    /// ## Idea
    ///
    /// Stand at a point w. Take a step of length delta in a random direction and let the new point
    /// duel the old one. If it wins, move a (smaller) step gamma in that direction; else stay.
    /// Steps uphill win more often than steps downhill, so that on average w moves along the
    /// gradient of the chance to win, though no gradient is ever seen.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// state:   w in the set W, at first the point of W nearest to the origin
    /// decide:  u uniform on the unit sphere;  left = w, right = P(w + delta u)
    /// update:  if right won:  w = P(w + gamma u)           else nothing
    /// P(x):    the point of W nearest to x
    /// ```
    ///
    /// P is the projection *onto* the set: a point inside a ball is left where it is, and not
    /// scaled up to the surface. The ticket holds u, so an outcome may come late: the step is then
    /// taken from where w is by that time. Outcomes are wins and losses; a tie should be broken by
    /// a fair coin before (`Outcome::to_binary`), and as it is it counts as "right did not win".
    ///
    /// ## Parameters
    ///
    parameters {
        /// d, the number of dimensions; `K` in the other expressions
        DIMS: whole("dims" = 10, [1 to 1e6]);
        /// the points at most `radius` from the origin, or with every coordinate in
        /// [-radius, radius]
        SET: choice("set", bool: "ball" = false, "box" = true);
        /// R, the size of the set
        RADIUS: number("radius" = 1, [above 0 to 1e6]);
        /// where delta and gamma come from unless given
        TUNING: choice("tuning", Tuning: "theory" = Tuning::Theory, "practice" = Tuning::Practice);
        /// L, how much the chance to win changes at most with a step of length 1; for
        /// `tuning=theory`
        LIPSCHITZ: number("lipschitz" = 1, [above 0 to 1e6]);
        /// the step of exploration
        DELTA: optional("delta" = "by tuning", [above 0 to 1e6]);
        /// the step of learning
        GAMMA: optional("gamma" = "by tuning", [above 0 to 1e6]);
    }
    ///
    /// `tuning=theory` needs the horizon T: delta = sqrt(2 R d / (13 L)) T^(-1/4) and gamma = R /
    /// sqrt(T). The set's R is the radius of a ball round the origin that holds it: `radius` for a
    /// ball, `radius` sqrt(d) for a box. `tuning=practice` is what learning-to-rank experiments
    /// use, delta = R and gamma = R / 100, with R = `radius`, whatever T.
    ///
    /// ## Guarantee
    ///
    /// Let right beat left with probability sigma(v(right) - v(left)), where v is concave and its
    /// slope at most L_v, sigma is a link with sigma(-x) = 1 - sigma(x) and slope at most L_sigma
    /// whose slope changes by at most L_2, and L = L_v L_sigma. With the steps of `tuning=theory`
    /// the expected regret, summed over both slots, is at most 2 lambda sqrt(26 R d L) T^(3/4),
    /// where lambda = L_sigma / (L_sigma - delta L_v L_2) tends to 1. (Regret as the lab measures
    /// it is the mean of the slots: half of that.) The rates are the paper's. The constants 2/13
    /// and 26 are quoted from memory and were not compared with its text; they agree with each
    /// other: this delta makes the two terms of 2 R d sqrt(T) / delta + 13 delta L T equal, and
    /// their sum is that bound.
    ///
    /// These steps are cautious. Near w the mean move of a round is gamma delta slope / d, where
    /// slope is that of the chance to win; over T rounds that is slope R sqrt(2 R / (13 L d))
    /// T^(1/4). For d = 10, R = L = 1 and a slope of 1/4 it is about 0.55 at T = 1e5: half of the
    /// way to the surface. Where T is not astronomical, larger steps learn more.
    ///
    /// ## Cost
    ///
    /// O(d) a round, O(d) memory; d normal numbers a round, each of one word of randomness or
    /// (seldom) a few. A ticket holds three vectors; `propose_into` reuses one, and then a round
    /// allocates nothing.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::continuous::{Ball, ContinuousPolicy, ContinuousTicket, Dbgd, Steps};
    /// use tiltyard_bandit::{Outcome, Stream};
    ///
    /// // Which weight of two features ranks best? Here the user knows: (0.6, -0.6), and the closer ranker always wins.
    /// let distance = |w: &[f64]| (w[0] - 0.6).hypot(w[1] + 0.6);
    /// let mut policy = Dbgd::new(Ball::new(2, 1.0)?, Steps { delta: 0.2, gamma: 0.05 })?;
    /// let mut rng = Stream::new(1).rng();
    /// let mut ticket = ContinuousTicket::blank(2);
    /// for _ in 0..200 {
    ///     policy.decide_into(&mut rng, &mut ticket);
    ///     policy.update(&ticket, Outcome::won(distance(&ticket.left) <= distance(&ticket.right)));
    /// }
    /// assert!(distance(policy.recommend()) < 0.2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// ## Reference
    ///
    /// Yue and Joachims, *Interactively optimizing information retrieval systems as a dueling
    /// bandits problem*, ICML 2009, pages 1201-1208; `doi:10.1145/1553374.1553527`.
    pub struct Family;
}

/// The two steps of [`Dbgd`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Steps {
    /// How far from where it stands it looks.
    pub delta: f64,
    /// How far it moves when what it saw was better.
    pub gamma: f64,
}

impl Steps {
    /// The steps of the paper's theorem for a known horizon: delta = sqrt(2 R d / (13 L)) T^(-1/4),
    /// gamma = R / sqrt(T), for a set within `radius` of the origin and a chance to win of slope at
    /// most `lipschitz`.
    #[must_use]
    pub fn theory(dimension: usize, radius: f64, lipschitz: f64, horizon: u64) -> Self {
        let root = (horizon as f64).sqrt();
        let delta = (2.0 * radius * dimension as f64 / (13.0 * lipschitz)).sqrt() / root.sqrt();
        Self { delta, gamma: radius / root }
    }

    /// The fixed steps of learning-to-rank experiments, for weights of length 1 and scaled to
    /// others: delta = R, gamma = R / 100.
    #[must_use]
    pub fn practice(radius: f64) -> Self {
        Self { delta: radius, gamma: radius / 100.0 }
    }

    fn check(self) -> Result<(), DbgdError> {
        for (step, value) in [("delta", self.delta), ("gamma", self.gamma)] {
            // Written positively so that NaN fails.
            let legal = value > 0.0 && value <= convex::LARGEST;
            if !legal {
                return Err(DbgdError::Step { step, value });
            }
        }
        Ok(())
    }
}

/// Dueling bandit gradient descent; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(
    try_from = "Saved<S>",
    bound(serialize = "S: Serialize", deserialize = "S: ConvexSet + DeserializeOwned")
)]
pub struct Dbgd<S> {
    set: S,
    steps: Steps,
    /// w.
    point: Vec<f64>,
    round: u64,
}

/// What is saved, before it is checked.
#[derive(Deserialize)]
#[serde(bound(deserialize = "S: DeserializeOwned"))]
struct Saved<S> {
    set: S,
    steps: Steps,
    point: Vec<f64>,
    round: u64,
}

impl<S: ConvexSet> TryFrom<Saved<S>> for Dbgd<S> {
    type Error = DbgdError;

    fn try_from(saved: Saved<S>) -> Result<Self, DbgdError> {
        let Saved { set, steps, point, round } = saved;
        Ok(Self { round, ..Self::starting_at(set, steps, point)? })
    }
}

impl<S: ConvexSet> Dbgd<S> {
    /// Starts from the point of the set that is nearest to the origin.
    ///
    /// # Errors
    ///
    /// If a step is not in (0, 1e100], or the set has no dimensions.
    pub fn new(set: S, steps: Steps) -> Result<Self, DbgdError> {
        let mut origin = vec![0.0; set.dimension()];
        set.project(&mut origin);
        Self::starting_at(set, steps, origin)
    }

    /// Starts from a given point of the set.
    ///
    /// # Errors
    ///
    /// If a step is not in (0, 1e100], or the point is none of the set's.
    pub fn starting_at(set: S, steps: Steps, point: Vec<f64>) -> Result<Self, DbgdError> {
        steps.check()?;
        let dimension = set.dimension();
        if dimension == 0 {
            return Err(DbgdError::NoDimensions);
        }
        if point.len() != dimension {
            return Err(DbgdError::Dimension { got: point.len(), dimension });
        }
        if !(point.iter().all(|x| x.is_finite()) && set.contains(&point)) {
            return Err(DbgdError::Outside);
        }
        Ok(Self { set, steps, point, round: 0 })
    }

    /// The set it stays in.
    pub fn set(&self) -> &S {
        &self.set
    }

    /// The steps in force.
    pub fn steps(&self) -> Steps {
        self.steps
    }
}

impl<S> ContinuousPolicy for Dbgd<S>
where
    S: ConvexSet + Clone + Send + Serialize + DeserializeOwned,
{
    fn info(&self) -> &'static Info {
        &INFO
    }

    fn dimension(&self) -> usize {
        self.point.len()
    }

    fn round(&self) -> u64 {
        self.round
    }

    fn propose_into<R: Rng + ?Sized>(&self, rng: &mut R, ticket: &mut ContinuousTicket) {
        ticket.round = self.round + 1;
        ticket.direction.resize(self.point.len(), 0.0);
        draw_direction(&mut ticket.direction, rng);
        ticket.left.clone_from(&self.point);
        ticket.right.clone_from(&self.point);
        step(&mut ticket.right, self.steps.delta, &ticket.direction);
        self.set.project(&mut ticket.right);
    }

    fn issue(&mut self, _: &ContinuousTicket) {
        self.round += 1;
    }

    fn update(&mut self, ticket: &ContinuousTicket, outcome: Outcome) {
        assert_eq!(ticket.direction.len(), self.point.len(), "a ticket of as many dimensions as the policy");
        if outcome.score() < 0.0 {
            step(&mut self.point, self.steps.gamma, &ticket.direction);
            self.set.project(&mut self.point);
        }
    }

    fn void(&mut self, _: &ContinuousTicket) {}

    fn recommend(&self) -> &[f64] {
        &self.point
    }
}

/// point += length * direction.
fn step(point: &mut [f64], length: f64, direction: &[f64]) {
    for (x, u) in point.iter_mut().zip(direction) {
        *x += length * u;
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Tuning {
    Theory,
    Practice,
}

/// Reads `dims`.
pub(super) fn dimension(params: &mut Params<'_>) -> Result<usize, ParamError> {
    let dims = DIMS.read(params)?;
    Ok(usize::try_from(dims).expect("at most a million"))
}

/// Reads the parameters and makes the policy.
pub(super) fn build(mut params: Params<'_>) -> Result<Built, ParamError> {
    let dimension = dimension(&mut params)?;
    let is_box = SET.read(&mut params)?;
    let radius = RADIUS.read(&mut params)?;
    let (delta, gamma) = (DELTA.read(&mut params)?, GAMMA.read(&mut params)?);
    let steps = if let (Some(delta), Some(gamma)) = (delta, gamma) {
        Steps { delta, gamma }
    } else {
        let tuned = match TUNING.read(&mut params)? {
            Tuning::Practice => Steps::practice(radius),
            Tuning::Theory => {
                let missing = if delta.is_none() { DELTA } else { GAMMA }.doc.key;
                let horizon = params.context().horizon.ok_or_else(|| params.needs_horizon(missing))?;
                let reach = if is_box { radius * (dimension as f64).sqrt() } else { radius };
                // Only delta depends on it: beside a typed delta it would be idle.
                let lipschitz = if delta.is_none() { LIPSCHITZ.read(&mut params)? } else { 1.0 };
                Steps::theory(dimension, reach, lipschitz, horizon)
            }
        };
        Steps { delta: delta.unwrap_or(tuned.delta), gamma: gamma.unwrap_or(tuned.gamma) }
    };
    params.record(DELTA.doc.key, steps.delta);
    params.record(GAMMA.doc.key, steps.gamma);
    let legal = "the ranges were checked";
    let region = if is_box {
        Region::Box(Cuboid::cube(dimension, radius).expect(legal))
    } else {
        Region::Ball(Ball::new(dimension, radius).expect(legal))
    };
    let policy = Dbgd::new(region, steps).expect(legal);
    Ok(Built { policy, params: params.finish()? })
}

/// The facts.
pub(super) static INFO: Info = Info {
    name: "dbgd",
    title: "gradient descent by duels of points of a ball or box (continuous: no arms)",
    assumptions: &[
        "a concave utility of points",
        "a smooth link from utilities to wins",
        "preferences do not change",
    ],
    horizon: Some("for `tuning=theory`, unless `delta` and `gamma` are given"),
    settles: "region: stays near the best point, and keeps exploring delta around it",
    binary: true,
    cost: "O(d) a round, O(d) memory",
    params: PARAMS,
    reference: Citation {
        authors: "Yue, Joachims",
        title: "Interactively optimizing information retrieval systems as a dueling bandits problem",
        venue: "ICML",
        year: 2009,
        doi: "doi:10.1145/1553374.1553527",
    },
    page: PAGE,
};

/// Why there is no such policy.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DbgdError {
    /// A set of no dimensions.
    #[error("there must be at least one dimension")]
    NoDimensions,
    /// A step that is not positive, or too large.
    #[error("`{step}` is {value}, but must lie in (0, 1e100]")]
    Step {
        /// Which.
        step: &'static str,
        /// Its value.
        value: f64,
    },
    /// A point of another number of dimensions.
    #[error("the point has {got} numbers, but the set has {dimension} dimensions")]
    Dimension {
        /// How many numbers the point has.
        got: usize,
        /// How many it must have.
        dimension: usize,
    },
    /// A point outside the set.
    #[error("the point lies outside the set")]
    Outside,
}
