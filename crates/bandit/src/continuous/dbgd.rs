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
    /// DBGD is a *continuous* policy: it duels points of a convex set, such as the weights of a
    /// linear ranker, instead of arms.
    ///
    /// ## Idea
    ///
    /// DBGD improves a point step by step: it compares the point with a random neighbour, and moves
    /// in that direction if the neighbour wins.
    ///
    /// The policy is at a point w. It takes a step of length delta in a random direction, and lets
    /// the new point duel the old one. If the new point wins, w moves by a (smaller) step gamma in
    /// that direction; otherwise w stays. Steps uphill win more often than steps downhill. On
    /// average w therefore moves along the gradient of the probability of winning, although no
    /// gradient is ever observed.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// state:   w, a point of the set W; at first the point of W nearest to the origin
    /// decide:  u uniform on the unit sphere;  left = w, right = P(w + delta u)
    /// update:  if right won:  w = P(w + gamma u)           otherwise nothing
    /// P(x):    the point of W nearest to x
    /// ```
    ///
    /// P is the projection *onto* the set: a point inside a ball stays where it is and is not
    /// scaled up to the surface. The ticket holds u, so an outcome may arrive late; the step then
    /// starts from the current w. Outcomes are wins and losses. Break ties by a fair coin first
    /// (`Outcome::to_binary`). A tie that is not broken counts as "right did not win".
    ///
    /// ## Parameters
    ///
    parameters {
        /// d, the number of dimensions; expressions of other parameters call it `K`
        DIMS: whole("dims" = 10, [1 to 1e6]);
        /// the points at most `radius` from the origin (`ball`), or with every coordinate in
        /// [-radius, radius] (`box`)
        SET: choice("set", bool: "ball" = false, "box" = true);
        /// R, the size of the set
        RADIUS: number("radius" = 1, [above 0 to 1e6]);
        /// how delta and gamma are set if they are not given
        TUNING: choice("tuning", Tuning: "theory" = Tuning::Theory, "practice" = Tuning::Practice);
        /// L, the most by which the probability of winning changes with a step of length 1; for
        /// `tuning=theory`
        LIPSCHITZ: number("lipschitz" = 1, [above 0 to 1e6]);
        /// length of the exploration step
        DELTA: optional("delta" = "by tuning", [above 0 to 1e6]);
        /// length of the learning step
        GAMMA: optional("gamma" = "by tuning", [above 0 to 1e6]);
    }
    ///
    /// `tuning=theory` needs the horizon T. It sets delta = sqrt(2 R d / (13 L)) T^(-1/4) and
    /// gamma = R / sqrt(T). Here R is the radius of a ball around the origin that contains the set:
    /// `radius` for a ball, `radius` sqrt(d) for a box. `tuning=practice` uses the values of
    /// learning-to-rank experiments, delta = R and gamma = R / 100 with R = `radius`, whatever T
    /// is.
    ///
    /// ## Guarantee
    ///
    /// Assume that right beats left with probability sigma(v(right) - v(left)). The utility v is
    /// concave, and its slope is at most L_v. The link sigma satisfies sigma(-x) = 1 - sigma(x).
    /// Its slope is at most L_sigma, and this slope changes by at most L_2 per unit. Let L = L_v
    /// L_sigma. With the steps of `tuning=theory`, the expected regret, summed over both slots, is
    /// at most 2 lambda sqrt(26 R d L) T^(3/4), where lambda = L_sigma / (L_sigma - delta L_v L_2)
    /// tends to 1. (The lab measures the mean of the two slots: half of that.)
    ///
    /// The rates are those of the paper. The constants 2/13 and 26 are quoted from memory and were
    /// not compared with its text. They agree with each other: this delta makes the two terms of
    /// 2 R d sqrt(T) / delta + 13 delta L T equal, and their sum is that bound.
    ///
    /// These steps are cautious. Near w, a round moves w by gamma delta slope / d on average, where
    /// slope is the slope of the probability of winning. Over T rounds this is slope R
    /// sqrt(2 R / (13 L d)) T^(1/4). For d = 10, R = L = 1 and a slope of 1/4, it is about 0.55 at
    /// T = 1e5, which is half of the way to the surface. Unless T is astronomical, larger steps
    /// learn more.
    ///
    /// ## Cost
    ///
    /// O(d) per round and O(d) memory. d normal random numbers per round, each from one word of
    /// randomness or (seldom) a few. A ticket holds three vectors. `propose_into` reuses a ticket,
    /// and a round then allocates nothing.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::continuous::{Ball, ContinuousPolicy, ContinuousTicket, Dbgd, Steps};
    /// use tiltyard_bandit::{Outcome, Stream};
    ///
    /// // Which weights of two features rank best? Here the user wants (0.6, -0.6),
    /// // and the closer ranker always wins.
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
    /// The length of the exploration step.
    pub delta: f64,
    /// The length of the learning step, taken if the explored point wins.
    pub gamma: f64,
}

impl Steps {
    /// The steps of the paper's theorem for a known horizon: delta = sqrt(2 R d / (13 L)) T^(-1/4)
    /// and gamma = R / sqrt(T). They are for a set within `radius` of the origin and a probability
    /// of winning with a slope of at most `lipschitz`.
    #[must_use]
    pub fn theory(dimension: usize, radius: f64, lipschitz: f64, horizon: u64) -> Self {
        let root = (horizon as f64).sqrt();
        let delta = (2.0 * radius * dimension as f64 / (13.0 * lipschitz)).sqrt() / root.sqrt();
        Self { delta, gamma: radius / root }
    }

    /// The fixed steps of learning-to-rank experiments, delta = R and gamma = R / 100. The
    /// experiments use R = 1, and other values scale the steps.
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

/// The serialized form of [`Dbgd`], before it is checked.
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
    /// If a step is not in (0, 1e100], or the point is not in the set.
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
        assert_eq!(
            ticket.direction.len(),
            self.point.len(),
            "the ticket and the policy must have the same dimension"
        );
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

/// Reads the parameters and builds the policy.
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
                // Only delta depends on `lipschitz`, which would be unused next to a given delta.
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

pub(super) static INFO: Info = Info {
    name: "dbgd",
    title: "gradient descent by duels between points of a ball or box (continuous: no arms)",
    assumptions: &[
        "a concave utility of points",
        "a smooth link from utilities to winning probabilities",
        "preferences do not change",
    ],
    horizon: Some("for `tuning=theory`, unless `delta` and `gamma` are given"),
    settles: "region: stays near the best point and keeps exploring points at distance delta",
    binary: true,
    cost: "O(d) per round, O(d) memory",
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

/// Why a DBGD policy could not be built.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum DbgdError {
    /// The set has no dimensions.
    #[error("there must be at least one dimension")]
    NoDimensions,
    /// A step is not positive, or too large.
    #[error("`{step}` is {value}, but must be in (0, 1e100]")]
    Step { step: &'static str, value: f64 },
    /// The point and the set have different dimensions.
    #[error("the point has {got} coordinates, but the set has {dimension} dimensions")]
    Dimension { got: usize, dimension: usize },
    /// The point is outside the set.
    #[error("the point is outside the set")]
    Outside,
}
