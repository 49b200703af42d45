//! DBGD: a plain twin written from the specification, traces by hand, and laws.
//!
//! The twin imports nothing of the policy. It draws normal numbers from the same generator, so that
//! both explore the same directions.

use proptest::prelude::*;
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tiltyard_bandit::continuous::{
    Ball, ContinuousPolicy, ContinuousTicket, ContinuousTicketError, ConvexSet, Cuboid, Dbgd, DbgdError,
    Region, SetError, Steps, draw_direction, registry,
};
use tiltyard_bandit::params::ParamError;
use tiltyard_bandit::policy::registry::{self as arms, BuildError};
use tiltyard_bandit::{Outcome, Stream};

use crate::support::{assert_close, shuffle};

fn ball(dimension: usize, radius: f64) -> Ball {
    Ball::new(dimension, radius).expect("a legal ball")
}

fn dbgd<S: ConvexSet>(set: S, delta: f64, gamma: f64) -> Dbgd<S> {
    Dbgd::new(set, Steps { delta, gamma }).expect("legal steps")
}

fn normals<R: Rng>(n: usize, rng: &mut R) -> Vec<f64> {
    (0..n).map(|_| rng.sample(StandardNormal)).collect()
}

/// A ticket with this direction, otherwise as the policy would propose it now.
fn along<P: ContinuousPolicy>(policy: &P, direction: &[f64]) -> ContinuousTicket {
    ContinuousTicket { direction: direction.to_vec(), ..policy.propose(&mut Stream::new(1).rng()) }
}

/// The right point wins, which moves the policy.
const MOVE: Outcome = Outcome::LOSS;

/// The diamond |x_1| + ... + |x_d| <= 1: a set that a user might supply. Projection shrinks all
/// coordinates towards 0 by the same amount, found by bisection.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Diamond(usize);

impl ConvexSet for Diamond {
    fn dimension(&self) -> usize {
        self.0
    }

    fn project(&self, point: &mut [f64]) {
        let excess = |shrink: f64| point.iter().map(|x| (x.abs() - shrink).max(0.0)).sum::<f64>() - 1.0;
        if excess(0.0) <= 1e-12 {
            return;
        }
        let (mut low, mut high) = (0.0, point.iter().fold(0.0, |m: f64, x| m.max(x.abs())));
        for _ in 0..200 {
            let middle = f64::midpoint(low, high);
            if excess(middle) > 0.0 { low = middle } else { high = middle }
        }
        for x in point {
            *x = x.signum() * (x.abs() - high).max(0.0);
        }
    }

    fn contains(&self, point: &[f64]) -> bool {
        point.len() == self.0 && point.iter().map(|x| x.abs()).sum::<f64>() <= 1.0 + 1e-12
    }
}

// ---- the twin

/// The set of the twin: a function from any point to the nearest point of the set.
type Project = fn(&[f64]) -> Vec<f64>;

struct Twin {
    project: Project,
    delta: f64,
    gamma: f64,
    w: Vec<f64>,
}

impl Twin {
    fn moved(&self, by: f64, u: &[f64]) -> Vec<f64> {
        let far: Vec<f64> = self.w.iter().zip(u).map(|(w, u)| w + by * u).collect();
        (self.project)(&far)
    }

    /// The direction u and the explored point w'.
    fn propose<R: Rng>(&self, rng: &mut R) -> (Vec<f64>, Vec<f64>) {
        let g = normals(self.w.len(), rng);
        let length = g.iter().map(|x| x.powi(2)).sum::<f64>().sqrt();
        let u: Vec<f64> = g.iter().map(|x| x / length).collect();
        let explored = self.moved(self.delta, &u);
        (u, explored)
    }

    fn update(&mut self, u: &[f64], right_won: bool) {
        if right_won {
            self.w = self.moved(self.gamma, u);
        }
    }
}

fn onto_unit_ball(x: &[f64]) -> Vec<f64> {
    let length = x.iter().map(|x| x.powi(2)).sum::<f64>().sqrt();
    x.iter().map(|x| if length > 1.0 { x / length } else { *x }).collect()
}

fn onto_unit_box(x: &[f64]) -> Vec<f64> {
    x.iter().map(|x| x.clamp(-1.0, 1.0)).collect()
}

fn onto_diamond(x: &[f64]) -> Vec<f64> {
    // Sort the sizes; the shrinkage is (sum of the k largest - 1) / k for the largest k whose
    // smallest member exceeds it.
    let mut sizes: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    if sizes.iter().sum::<f64>() <= 1.0 {
        return x.to_vec();
    }
    sizes.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shrink) = (0.0, 0.0);
    for (k, size) in sizes.iter().enumerate() {
        sum += size;
        let candidate = (sum - 1.0) / (k as f64 + 1.0);
        if *size > candidate {
            shrink = candidate;
        }
    }
    x.iter().map(|x| x.signum() * (x.abs() - shrink).max(0.0)).collect()
}

/// Plays both, with up to `delay` duels in flight. Late outcomes arrive in random order, and some
/// duels are void. The probability that the right point wins depends on the points, and pushes
/// towards the boundary and against it.
fn compare<S>(set: S, project: Project, (delta, gamma): (f64, f64), delay: usize, seed: u64)
where
    S: ConvexSet + Clone + Send + Serialize + serde::de::DeserializeOwned,
{
    let dimension = set.dimension();
    let mut fast = dbgd(set, delta, gamma);
    let mut twin = Twin { project, delta, gamma, w: vec![0.0; dimension] };
    let (mut rng, mut same) = (Stream::new(seed).rng(), Stream::new(seed).rng());
    let mut world = Stream::new(seed).label("world").rng();
    let goal = normals(dimension, &mut world);
    let mut flying = Vec::new();
    for round in 1..=20_000 {
        let ticket = fast.decide(&mut rng);
        let (u, explored) = twin.propose(&mut same);
        assert_eq!(ticket.round, round);
        // Both add the same numbers in the same order, and only the projections round differently.
        assert_close(&ticket.direction, &u, 1e-14, "direction");
        assert_close(&ticket.left, &twin.w, 1e-9, "left");
        assert_close(&ticket.right, &explored, 1e-9, "right");
        let gain: f64 = goal.iter().zip(&ticket.right).zip(&ticket.left).map(|((g, r), l)| g * (r - l)).sum();
        let outcome = Outcome::won(world.random::<f64>() > 0.5 + 0.5 * gain.clamp(-1.0, 1.0));
        flying.push((ticket, u, outcome));
        if flying.len() > delay {
            shuffle(&mut flying, &mut world);
            let (ticket, u, outcome) = flying.pop().expect("one too many in flight");
            if delay > 0 && world.random_range(0..10) == 0 {
                fast.void(&ticket);
            } else {
                fast.update(&ticket, outcome);
                twin.update(&u, outcome == Outcome::LOSS);
            }
        }
    }
    assert!(fast.set().contains(fast.recommend()));
    assert_close(fast.recommend(), &twin.w, 1e-9, "the end");
}

#[test]
fn law_the_twin_agrees() {
    for (seed, delay) in [(1, 0), (2, 0), (3, 7)] {
        for dimension in [1, 2, 10] {
            compare(ball(dimension, 1.0), onto_unit_ball, (0.3, 0.1), delay, seed);
            compare(Cuboid::cube(dimension, 1.0).unwrap(), onto_unit_box, (0.5, 0.2), delay, seed);
        }
        compare(Diamond(4), onto_diamond, (0.5, 0.1), delay, seed);
        compare(ball(40, 1.0), onto_unit_ball, (2.0, 0.01), delay, seed);
    }
}

// ---- traces

/// One dimension, [-1, 1], delta 0.5, gamma 0.25; u is +1 or -1.
///
/// ```text
/// w      u    left   right = P(w + u/2)    winner   w after
/// 0      +1   0      0.5                   right    0.25
/// 0.25   +1   0.25   0.75                  left     0.25
/// 0.25   -1   0.25   -0.25                 right    0
/// 0      +1   ...    four times right      ->       0.25, 0.5, 0.75, 1
/// 1      +1   1      P(1.5) = 1            right    P(1.25) = 1
/// 1      -1   1      0.5                   right    0.75
/// ```
#[test]
fn trace_one_dimension() {
    for set in [Region::Ball(ball(1, 1.0)), Region::Box(Cuboid::cube(1, 1.0).unwrap())] {
        let mut policy = dbgd(set, 0.5, 0.25);
        let rows: [(f64, f64, bool, f64); 10] = [
            (1.0, 0.5, true, 0.25),
            (1.0, 0.75, false, 0.25),
            (-1.0, -0.25, true, 0.0),
            (1.0, 0.5, true, 0.25),
            (1.0, 0.75, true, 0.5),
            (1.0, 1.0, true, 0.75),
            (1.0, 1.0, true, 1.0),
            (1.0, 1.0, true, 1.0),
            (-1.0, 0.5, true, 0.75),
            (-1.0, 0.25, false, 0.75),
        ];
        let mut rng = Stream::new(5).rng();
        for (row, (u, right, right_won, after)) in rows.into_iter().enumerate() {
            // Proposals are pure and go either way: draw until one goes the way of the table.
            let ticket = loop {
                let ticket = policy.propose(&mut rng);
                if ticket.direction == [u] {
                    break ticket;
                }
            };
            assert_eq!((ticket.round, ticket.left.as_slice()), (row as u64 + 1, policy.recommend()));
            assert_eq!(ticket.right, [right], "row {row}");
            policy.issue(&ticket);
            policy.update(&ticket, Outcome::won(!right_won));
            assert_eq!(policy.recommend(), [after], "row {row}");
        }
        assert_eq!(policy.round(), 10);
    }
}

/// The unit disc, gamma 1/2, from w = (0.6, 0).
///
/// ```text
/// u = (0.6, 0.8), right wins:  w + u/2 = (0.9, 0.4), length sqrt(0.97) = 0.98489: inside, kept
/// u = (0, 1), right wins:      w + u/2 = (0.9, 0.9), length 0.9 sqrt(2) = 1.27279:
///                              scaled to (0.70711, 0.70711)
/// u = (0, 1), left wins:       w is unchanged
/// u = (-1, 0), right wins:     (0.20711, 0.70711), length 0.73681: inside, kept
/// ```
#[test]
fn trace_two_dimensions() {
    let steps = Steps { delta: 1.0, gamma: 0.5 };
    let mut policy = Dbgd::starting_at(ball(2, 1.0), steps, vec![0.6, 0.0]).unwrap();
    let half = 0.5f64.sqrt();
    let rows = [
        ([0.6, 0.8], MOVE, [0.9, 0.4]),
        ([0.0, 1.0], MOVE, [half, half]),
        ([0.0, 1.0], Outcome::WIN, [half, half]),
        ([-1.0, 0.0], MOVE, [half - 0.5, half]),
    ];
    for (u, outcome, after) in rows {
        let ticket = along(&policy, &u);
        policy.update(&ticket, outcome);
        assert_close(policy.recommend(), &after, 1e-15, "w");
    }
}

/// The explored point of a proposal: w' = P(w + delta u), with w = (0.6, 0) and delta = 1. For any
/// u, w + u has length sqrt(0.36 + 1.2 u_1 + 1). If the length is above 1, the point is divided by
/// it.
#[test]
fn trace_the_explored_point() {
    let steps = Steps { delta: 1.0, gamma: 0.5 };
    let policy = Dbgd::starting_at(ball(2, 1.0), steps, vec![0.6, 0.0]).unwrap();
    let mut rng = Stream::new(1).rng();
    let mut inside = 0;
    for _ in 0..100 {
        let ticket = policy.propose(&mut rng);
        let [u, v] = [ticket.direction[0], ticket.direction[1]];
        let length = (1.36 + 1.2 * u).sqrt();
        let scale = if length > 1.0 { 1.0 / length } else { 1.0 };
        assert_close(&ticket.right, &[(0.6 + u) * scale, v * scale], 1e-14, "right");
        inside += u32::from(length < 1.0);
    }
    assert!(inside > 10, "only {inside} of 100 points were inside");
}

/// A mistake found in public code: "projecting" by scaling to length 1. Points inside the ball must
/// not be scaled up.
#[test]
fn trace_points_inside_are_not_scaled_up_to_the_sphere() {
    let mut policy = dbgd(ball(3, 1.0), 0.1, 0.1);
    let mut rng = Stream::new(1).rng();
    for _ in 0..3 {
        let ticket = policy.decide(&mut rng);
        policy.update(&ticket, MOVE);
        let length = policy.recommend().iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!(length < 0.31, "three steps of 0.1: {length}");
    }
    let mut point = [0.3, -0.2, 0.1];
    ball(3, 1.0).project(&mut point);
    assert_eq!(point.as_slice(), [0.3, -0.2, 0.1]);
}

/// delta = sqrt(2 R d / (13 L)) T^(-1/4), gamma = R / sqrt(T): for d = 26, R = 2, L = 1/2 and T =
/// 10,000, 2 * 2 * 26 / 6.5 = 16, so delta = 4 / 10 and gamma = 2 / 100.
#[test]
fn trace_steps_of_the_theorem() {
    let steps = Steps::theory(26, 2.0, 0.5, 10_000);
    assert_close(&[steps.delta, steps.gamma], &[0.4, 0.02], 1e-15, "steps");
    // These steps make the two terms of the bound equal, and their sum 2 sqrt(26 R d L) T^(3/4).
    let horizon = 10_000f64;
    let (learning, exploring) =
        (2.0 * 2.0 * 26.0 * horizon.sqrt() / steps.delta, 13.0 * steps.delta * 0.5 * horizon);
    let bound = 2.0 * (26.0 * 2.0 * 26.0 * 0.5f64).sqrt() * horizon.powf(0.75);
    assert_close(&[learning, learning + exploring], &[exploring, bound], 1e-12, "bound");
}

fn built(spec: &str, horizon: Option<u64>) -> Result<registry::Built, BuildError> {
    registry::build(&spec.parse().expect("a specification"), horizon)
}

#[test]
fn trace_specifications() {
    let bare = built("dbgd", Some(10_000)).unwrap();
    assert_eq!(bare.policy.set(), &Region::Ball(ball(10, 1.0)));
    assert_eq!(bare.policy.steps(), Steps::theory(10, 1.0, 1.0, 10_000));
    let all = built("dbgd:dims=10,set=ball,radius=1,tuning=theory,lipschitz=1", Some(10_000)).unwrap();
    assert_eq!(all.policy, bare.policy);
    let keys = |built: &registry::Built| built.params.iter().map(|&(key, _)| key).collect::<Vec<_>>();
    assert_eq!(keys(&bare), ["dims", "set", "radius", "tuning", "lipschitz", "delta", "gamma"]);

    let given = built("dbgd:dims=3,radius=2,delta=0.3,gamma=1/T", Some(100)).unwrap();
    assert_eq!(given.policy.set(), &Region::Ball(ball(3, 2.0)));
    assert_eq!(given.policy.steps(), Steps { delta: 0.3, gamma: 0.01 });
    assert_eq!(keys(&given), ["dims", "set", "radius", "delta", "gamma"]);
    // No horizon is needed if no parameter uses it. `K` is the number of dimensions.
    let practice = built("dbgd:dims=4,radius=2,tuning=practice", None).unwrap();
    assert_eq!(practice.policy.steps(), Steps { delta: 2.0, gamma: 0.02 });
    let by_dimension = built("dbgd:dims=4,delta=sqrt(K),gamma=1/K", None).unwrap();
    assert_eq!(by_dimension.policy.steps(), Steps { delta: 2.0, gamma: 0.25 });
    // A box of half-width 2 in 4 dimensions is within distance 4 of the origin.
    let in_box = built("dbgd:dims=4,set=box,radius=2", Some(10_000)).unwrap();
    assert_eq!(in_box.policy.set(), &Region::Box(Cuboid::cube(4, 2.0).unwrap()));
    assert_eq!(in_box.policy.steps(), Steps::theory(4, 4.0, 1.0, 10_000));
    let half = built("dbgd:gamma=0.1", Some(10_000)).unwrap();
    assert_eq!(half.policy.steps(), Steps { gamma: 0.1, ..bare.policy.steps() });
}

#[test]
fn trace_refused_specifications() {
    let refused = |spec: &str| match built(spec, None) {
        Err(BuildError::Param(error)) => error,
        other => panic!("{spec}: {other:?}"),
    };
    assert!(matches!(refused("dbgd"), ParamError::NeedsHorizon { key: "delta", .. }));
    assert!(matches!(refused("dbgd:delta=0.1"), ParamError::NeedsHorizon { key: "gamma", .. }));
    assert!(matches!(refused("dbgd:dims=2.5"), ParamError::NotWhole { key: "dims", .. }));
    assert!(matches!(refused("dbgd:steps=1"), ParamError::UnknownKey { .. }));
    assert!(matches!(refused("dbgd:set=sphere"), ParamError::NoSuchChoice { key: "set", .. }));
    for spec in ["dims=0", "dims=1e7", "radius=0", "radius=-1", "delta=0", "gamma=1/0", "gamma=-1"] {
        assert!(matches!(refused(&format!("dbgd:{spec}")), ParamError::OutOfRange { .. }), "{spec}");
    }
    for spec in
        ["delta=1,gamma=1,tuning=theory", "tuning=practice,lipschitz=2", "delta=1,gamma=1,lipschitz=2"]
    {
        assert!(matches!(refused(&format!("dbgd:{spec}")), ParamError::Idle { .. }), "{spec}");
    }
    // If delta is given, lipschitz has no effect.
    let error = built("dbgd:delta=1,lipschitz=2", Some(100)).unwrap_err();
    assert!(matches!(error, BuildError::Param(ParamError::Idle { .. })), "{error}");
}

/// Each registry recognizes the policies of the other, and says so.
#[test]
fn trace_the_two_registries() {
    let context = tiltyard_bandit::params::Context { n_arms: 3, horizon: None };
    let error = arms::build(&"dbgd".parse().unwrap(), context, &mut Stream::new(1).rng()).unwrap_err();
    assert_eq!(error, BuildError::Continuous { name: "dbgd" });
    assert_eq!(arms::info("dbgd").unwrap_err(), BuildError::Continuous { name: "dbgd" });
    assert_eq!(built("rex3", None).unwrap_err(), BuildError::NotContinuous { name: "rex3" });
    let unknown = BuildError::UnknownPolicy { name: "dbdg".to_owned(), suggestion: Some("dbgd") };
    assert_eq!(built("dbdg", None).unwrap_err(), unknown);
}

#[test]
fn trace_errors() {
    assert_eq!(Ball::new(0, 1.0), Err(SetError::NoDimensions));
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e101] {
        assert!(matches!(Ball::new(2, radius), Err(SetError::Radius { .. })));
        assert!(matches!(Cuboid::cube(2, radius), Err(SetError::Radius { .. })));
    }
    assert_eq!(Cuboid::new(vec![0.0], vec![]), Err(SetError::Lengths { low: 1, high: 0 }));
    assert!(matches!(
        Cuboid::new(vec![0.0, 1.0], vec![1.0, 0.5]),
        Err(SetError::Bounds { coordinate: 1, .. })
    ));
    assert!(Cuboid::new(vec![f64::NAN], vec![1.0]).is_err());
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e101] {
        let step = |steps| Dbgd::new(ball(2, 1.0), steps).unwrap_err();
        assert!(matches!(step(Steps { delta: bad, gamma: 1.0 }), DbgdError::Step { step: "delta", .. }));
        assert!(matches!(step(Steps { delta: 1.0, gamma: bad }), DbgdError::Step { step: "gamma", .. }));
    }
    let at = |point: &[f64]| {
        Dbgd::starting_at(ball(2, 1.0), Steps { delta: 1.0, gamma: 1.0 }, point.to_vec()).unwrap_err()
    };
    assert_eq!(at(&[0.0]), DbgdError::Dimension { got: 1, dimension: 2 });
    assert_eq!(at(&[0.8, 0.8]), DbgdError::Outside);
    assert_eq!(at(&[f64::NAN, 0.0]), DbgdError::Outside);
    let none = Dbgd::new(Diamond(0), Steps { delta: 1.0, gamma: 1.0 }).unwrap_err();
    assert_eq!(none, DbgdError::NoDimensions);
}

#[test]
fn trace_foreign_tickets_are_refused() {
    let ticket = dbgd(ball(3, 1.0), 0.5, 0.1).propose(&mut Stream::new(1).rng());
    assert_eq!(ticket.check(3), Ok(()));
    assert_eq!(ticket.check(2), Err(ContinuousTicketError::Dimension { got: 3, dimension: 2 }));
    let long = ContinuousTicket { direction: vec![1.0, 1.0, 0.0], ..ticket.clone() };
    assert!(matches!(long.check(3), Err(ContinuousTicketError::NotAUnit { .. })));
    let strange = ContinuousTicket { left: vec![0.0, f64::NAN, 0.0], ..ticket };
    assert!(matches!(strange.check(3), Err(ContinuousTicketError::NotFinite { .. })));
}

/// If the set does not contain the origin, the policy starts at the point of the set nearest to it.
#[test]
fn trace_the_first_point() {
    let set = Cuboid::new(vec![-1.0, 2.0, -4.0], vec![1.0, 3.0, -3.5]).unwrap();
    assert_eq!(dbgd(set, 0.1, 0.1).recommend(), [0.0, 2.0, -3.5]);
}

// ---- laws

/// Sets of several kinds, all of this dimension.
fn sets(dimension: usize) -> Vec<Box<dyn ConvexSet>> {
    let low = (0..dimension).map(|i| -1.0 - i as f64).collect();
    let high = (0..dimension).map(|i| 0.5 * i as f64 - 0.5).collect();
    vec![
        Box::new(ball(dimension, 1.0)),
        Box::new(ball(dimension, 1e-150)),
        Box::new(ball(dimension, 37.3)),
        Box::new(Cuboid::cube(dimension, 0.7).expect("a legal box")),
        Box::new(Cuboid::new(low, high).expect("a legal box")),
        Box::new(Diamond(dimension)),
    ]
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x - y).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A random rotation or reflection: the Gram-Schmidt process on random directions.
fn orthogonal<R: Rng>(n: usize, rng: &mut R) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    while rows.len() < n {
        let mut row = normals(n, rng);
        // Twice, to remove rounding errors too.
        for other in rows.iter().chain(&rows) {
            let along = dot(&row, other);
            row.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
        }
        let length = dot(&row, &row).sqrt();
        for x in &mut row {
            *x /= length;
        }
        rows.push(row);
    }
    rows
}

fn rotated(rotation: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    rotation.iter().map(|row| dot(row, x)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    /// Projecting twice equals projecting once, to the bit. A projected point belongs to the set.
    /// Projection never increases the distance of two points. The part that is cut off points away
    /// from every point of the set, so the projected point is the nearest one.
    #[test]
    fn law_projection(seed in any::<u64>(), dimension in 1..30usize, scale in -3..3i32) {
        for set in sets(dimension) {
            let mut rng = Stream::new(seed).rng();
            let mut point = || normals(dimension, &mut rng).iter().map(|x| x * 10f64.powi(scale)).collect::<Vec<_>>();
            let (x, y) = (point(), point());
            let project = |x: &[f64]| {
                let mut projected = x.to_vec();
                set.project(&mut projected);
                projected
            };
            let (px, py) = (project(&x), project(&y));
            prop_assert_eq!(&project(&px), &px);
            prop_assert!(set.contains(&px) && set.contains(&py));
            if set.contains(&x) {
                prop_assert_eq!(&px, &x);
            }
            let length = |v: Vec<f64>| dot(&v, &v).sqrt();
            let size = length(x.clone()) + length(y.clone());
            prop_assert!(length(minus(&px, &py)) <= length(minus(&x, &y)) + 1e-11 * size);
            prop_assert!(dot(&minus(&x, &px), &minus(&py, &px)) <= 1e-11 * size * size);
        }
    }

    /// A ball has no preferred direction: rotated draws leave a rotated policy.
    #[test]
    fn law_rotated_draws_leave_a_rotated_state(seed in any::<u64>(), dimension in 1..12usize) {
        let mut rng = Stream::new(seed).rng();
        let rotation = orthogonal(dimension, &mut rng);
        let (mut plain, mut turned) = (dbgd(ball(dimension, 1.0), 0.4, 0.15), dbgd(ball(dimension, 1.0), 0.4, 0.15));
        for _ in 0..200 {
            let ticket = plain.decide(&mut rng);
            let other = ContinuousTicket {
                round: ticket.round,
                direction: rotated(&rotation, &ticket.direction),
                left: rotated(&rotation, &ticket.left),
                right: rotated(&rotation, &ticket.right),
            };
            let outcome = Outcome::won(rng.random());
            plain.update(&ticket, outcome);
            turned.issue(&other);
            turned.update(&other, outcome);
            assert_close(turned.recommend(), &rotated(&rotation, plain.recommend()), 1e-11, "w");
        }
    }

    /// Late and shuffled outcomes are legal. If nothing is cut off, the steps are a sum, and their
    /// order does not matter.
    #[test]
    fn law_outcomes_may_come_late_and_out_of_order(seed in any::<u64>(), dimension in 1..12usize) {
        for radius in [1.0, 1e3] {
            let mut rng = Stream::new(seed).rng();
            let mut prompt = dbgd(ball(dimension, radius), 0.5, 0.3);
            let mut late = prompt.clone();
            let mut duels = Vec::new();
            for _ in 0..100 {
                let ticket = prompt.decide(&mut rng);
                let outcome = Outcome::won(rng.random());
                prompt.update(&ticket, outcome);
                late.issue(&ticket);
                duels.push((ticket, outcome));
            }
            shuffle(&mut duels, &mut rng);
            for (ticket, outcome) in &duels {
                late.update(ticket, *outcome);
                prop_assert!(late.set().contains(late.recommend()));
            }
            prop_assert_eq!(late.round(), 100);
            if radius > 100.0 {
                assert_close(late.recommend(), prompt.recommend(), 1e-12, "w");
            }
        }
    }

    /// A policy that is saved and restored in mid-run, with duels in flight, continues bit for bit.
    /// Proposals change nothing.
    #[test]
    fn law_a_restored_policy_continues_bit_for_bit(seed in any::<u64>(), dimension in 1..12usize) {
        for spec in ["dbgd:tuning=practice", "dbgd", "dbgd:set=box,radius=0.3,delta=0.2,gamma=0.1"] {
            let joined = if spec.contains(':') { ',' } else { ':' };
            let mut policy = built(&format!("{spec}{joined}dims={dimension}"), Some(50)).unwrap().policy;
            let mut rng = Stream::new(seed).rng();
            let mut flying = Vec::new();
            for _ in 0..40 {
                flying.push(policy.decide(&mut rng));
                if rng.random() {
                    let ticket = flying.swap_remove(rng.random_range(0..flying.len()));
                    policy.update(&ticket, Outcome::won(rng.random()));
                }
            }
            let text = serde_json::to_string(&(&policy, &flying)).unwrap();
            let (mut restored, flown): (Dbgd<Region>, Vec<ContinuousTicket>) = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&restored, &policy);
            prop_assert_eq!(&flown, &flying);
            let mut same = rng.clone();
            for (mine, its) in flying.iter().zip(&flown) {
                policy.propose(&mut Stream::new(9).rng());
                policy.update(mine, MOVE);
                restored.update(its, MOVE);
                let (ticket, other) = (policy.decide(&mut rng), restored.decide(&mut same));
                prop_assert_eq!(&ticket, &other);
                policy.update(&ticket, MOVE);
                restored.update(&other, MOVE);
            }
            prop_assert_eq!(&restored, &policy);
        }
    }
}

/// A tie leaves the policy where it is, like a win of the left point. The size of a loss does not
/// matter.
#[test]
fn law_only_who_won_matters() {
    let mut policy = dbgd(ball(2, 1.0), 0.5, 0.25);
    let ticket = along(&policy, &[0.0, 1.0]);
    policy.update(&ticket, Outcome::TIE);
    policy.update(&ticket, Outcome::new(0.3).unwrap());
    assert_eq!(policy.recommend(), [0.0, 0.0]);
    policy.update(&ticket, Outcome::new(-0.3).unwrap());
    assert_eq!(policy.recommend(), [0.0, 0.25]);
}

/// A reused ticket is overwritten completely, whatever its dimension was.
#[test]
fn law_proposing_into_a_ticket_is_proposing() {
    let policy = dbgd(ball(5, 1.0), 0.5, 0.25);
    let mut rng = Stream::new(1).rng();
    let mut same = rng.clone();
    for dimension in [0, 3, 5, 9] {
        let mut ticket = ContinuousTicket::blank(dimension);
        ticket.left.fill(7.0);
        policy.propose_into(&mut rng, &mut ticket);
        assert_eq!(ticket, policy.propose(&mut same));
        assert_eq!(ticket.check(5), Ok(()));
    }
}

#[test]
fn law_damaged_states_are_errors() {
    let mut policy = built("dbgd:dims=2,tuning=practice", None).unwrap().policy;
    let ticket = policy.decide(&mut Stream::new(1).rng());
    policy.update(&ticket, MOVE);
    let saved = serde_json::to_value(&policy).unwrap();
    assert!(serde_json::from_value::<Dbgd<Region>>(saved.clone()).is_ok());
    let damages: [(&str, Value); 12] = [
        ("/point", json!([0.1])),
        ("/point", json!([0.1, 0.2, 0.3])),
        ("/point", json!([3.0, 4.0])),
        ("/point", json!([null, 0.0])),
        ("/steps/delta", json!(0.0)),
        ("/steps/gamma", json!(-1.0)),
        ("/steps/gamma", json!(1e308)),
        ("/set/ball/radius", json!(1e308)),
        ("/round", json!(-1)),
        ("/set/ball/radius", json!(-1.0)),
        ("/set/ball/dimension", json!(0)),
        ("/set/ball/dimension", json!(3)),
    ];
    for (place, value) in damages {
        let mut state = saved.clone();
        *state.pointer_mut(place).expect(place) = value.clone();
        assert!(serde_json::from_value::<Dbgd<Region>>(state).is_err(), "{place} = {value}");
    }
}

// ---- statistics of directions

/// Pearson's statistic of counts against equal shares.
fn chi_square(counts: &[u32]) -> f64 {
    let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
    counts.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum()
}

fn bin(share: f64, bins: usize) -> usize {
    (0..bins).rev().find(|&i| share >= i as f64 / bins as f64).unwrap_or(0)
}

/// In the plane, the angle is uniform; in space, each coordinate is (Archimedes). With 20 bins,
/// there are 19 degrees of freedom. The statistic exceeds 52.4 by chance once in 16,000 (like four
/// standard errors of a normal variable).
#[test]
fn stat_directions_are_uniform_in_the_plane_and_in_space() {
    let mut rng = Stream::new(1).label("directions").rng();
    let mut counts = [[0u32; 20]; 4];
    for _ in 0..40_000 {
        let (mut plane, mut space) = ([0.0; 2], [0.0; 3]);
        draw_direction(&mut plane, &mut rng);
        draw_direction(&mut space, &mut rng);
        let turn = plane[1].atan2(plane[0]) / core::f64::consts::TAU + 0.5;
        counts[0][bin(turn, 20)] += 1;
        for (counts, x) in counts[1..].iter_mut().zip(space) {
            counts[bin(f64::midpoint(x, 1.0), 20)] += 1;
        }
    }
    for counts in counts {
        assert!(chi_square(&counts) < 52.4, "{} in {counts:?}", chi_square(&counts));
    }
}

/// On the sphere of d dimensions E u_i = 0, E u_i u_j = 0, E u_i^2 = 1/d, E u_i^4 = 3 / (d (d +
/// 2)). With n = 20,000 draws, each mean may be off by five standard errors. The variances of the
/// terms are 1/d, at most 1/d^2, at most E u_i^4 and at most E u_i^8 = 105 / (d (d+2) (d+4) (d+6)).
#[test]
fn stat_moments_of_directions() {
    let n = 20_000;
    for d in [2usize, 10, 40] {
        let mut rng = Stream::new(2).label("moments").rng();
        let mut sums = vec![[0.0; 4]; d];
        let mut u = vec![0.0; d];
        for _ in 0..n {
            draw_direction(&mut u, &mut rng);
            assert!((dot(&u, &u) - 1.0).abs() < 1e-14);
            for (i, sums) in sums.iter_mut().enumerate() {
                let (x, y) = (u[i], u[(i + 1) % d]);
                for (sum, term) in sums.iter_mut().zip([x, x * y, x * x, x.powi(4)]) {
                    *sum += term / f64::from(n);
                }
            }
        }
        let k = d as f64;
        let fourth = 3.0 / (k * (k + 2.0));
        let wanted = [0.0, 0.0, 1.0 / k, fourth];
        let variances = [1.0 / k, 1.0 / (k * k), fourth, 105.0 / (k * (k + 2.0) * (k + 4.0) * (k + 6.0))];
        for (i, sums) in sums.iter().enumerate() {
            for moment in 0..4 {
                let allowed = 5.0 * (variances[moment] / f64::from(n)).sqrt();
                let off = (sums[moment] - wanted[moment]).abs();
                assert!(
                    off < allowed,
                    "d = {d}, coordinate {i}, moment {moment}: off by {off}, allowed {allowed}"
                );
            }
        }
    }
}

// ---- value stability

/// Seed 1, 200 rounds in five dimensions; the point with the larger first coordinate wins three
/// times in four.
#[test]
fn stable_dbgd() {
    let digest = |spec: &str| {
        let mut policy = built(spec, Some(10_000)).unwrap().policy;
        let mut rng = Stream::new(1).label("policy").rng();
        let mut world = Stream::new(1).label("world").rng();
        let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
        for _ in 0..200 {
            let ticket = policy.decide(&mut rng);
            for x in ticket.left.iter().chain(&ticket.right) {
                for byte in x.to_bits().to_le_bytes() {
                    digest = (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
                }
            }
            let left_is_better = ticket.left[0] > ticket.right[0];
            policy.update(&ticket, Outcome::won(left_is_better == (world.random_range(0..4) < 3)));
        }
        format!("{digest:016x}")
    };
    let now: Vec<(&str, String)> = [
        "dbgd:dims=5",
        "dbgd:dims=5,tuning=practice",
        "dbgd:dims=5,set=box",
        "dbgd:dims=5,radius=0.5,delta=0.3,gamma=0.1",
    ]
    .into_iter()
    .map(|spec| (spec, digest(spec)))
    .collect();
    let pinned: Vec<(&str, String)> =
        DIGESTS.iter().map(|&(spec, digest)| (spec, digest.to_owned())).collect();
    assert_eq!(now, pinned);
}

const DIGESTS: &[(&str, &str)] = &[
    ("dbgd:dims=5", "b065101b27742e72"),
    ("dbgd:dims=5,tuning=practice", "8a809845145075a3"),
    ("dbgd:dims=5,set=box", "37530cfeeb75c6de"),
    ("dbgd:dims=5,radius=0.5,delta=0.3,gamma=0.1", "693e0674000ff92a"),
];

// ---- its page

#[test]
fn law_the_page_has_all_sections() {
    for info in registry::all() {
        let page = info.page();
        let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        let wanted = ["Idea", "Update rule", "Parameters", "Guarantee", "Cost", "Example", "Reference"];
        assert_eq!(sections, wanted, "{}", info.name);
        assert!(page.starts_with("# ") && page.contains(info.reference.doi) && page.contains("2009"));
    }
}
