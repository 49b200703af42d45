//! `FeedExp3` written a second time, from its specification alone: a list of all actions, with an
//! exponential for each in every round. The file also tests other laws of the policy.

use core::f64::consts::E;

use rand::{Rng, RngExt};
use tiltyard_bandit::params::{Context, ParamError};
use tiltyard_bandit::partial_monitoring::{Reference, Schedule};
use tiltyard_bandit::policy::registry::{self, BuildError};
use tiltyard_bandit::policy::{Additive, FeedExp3, Policy};
use tiltyard_bandit::{Arm, Draw, Outcome, Stream, Ticket};

use crate::support::{assert_close, build, propose_pair, shuffle};

/// The schedule of eta and gamma. The policy's page describes `Link`.
#[derive(Debug, Clone, Copy)]
enum Rate {
    Anytime,
    Link,
    Fixed(f64),
}

/// `FeedExp3` in O(K^2) per round.
#[derive(Debug, Clone)]
struct Slow {
    rate: Rate,
    /// The reference arm, or `None` for the uniform reference.
    reference: Option<usize>,
    scores: Vec<f64>,
    /// The round of the next duel.
    round: u64,
    eta: f64,
    gamma: f64,
}

impl Slow {
    fn new(n_arms: usize, rate: Rate, reference: Option<usize>) -> Self {
        let scores = vec![0.0; n_arms];
        let mut slow = Self { rate, reference, scores, round: 1, eta: f64::INFINITY, gamma: 1.0 };
        slow.tune();
        slow
    }

    fn tune(&mut self) {
        let k = self.scores.len().max(2) as f64;
        let n = k * (k + 1.0) / 2.0;
        let t = self.round as f64;
        let largest = if self.reference.is_none() { 1.0 / k } else { 1.0 };
        let (eta, gamma) = match self.rate {
            Rate::Anytime => {
                let c = (largest.max(1.0) * (E - 2.0).sqrt()).powf(2.0 / 3.0);
                let eta = (n.ln() / n).powf(2.0 / 3.0) * t.powf(-2.0 / 3.0) / c;
                (eta, c * (n * n * n.ln()).powf(1.0 / 3.0) * t.powf(-1.0 / 3.0))
            }
            Rate::Link => {
                let b = largest * n;
                let eta = (n.ln() / t).powf(2.0 / 3.0) * b.powf(-1.0 / 3.0);
                (eta.min(1.0 / b), (b * n.ln() / t).powf(1.0 / 3.0))
            }
            Rate::Fixed(horizon) => {
                ((n.ln() / horizon).sqrt().min(1.0), n.sqrt() * n.ln().powf(0.25) * horizon.powf(-0.25))
            }
        };
        // Held until eta has fallen by 1 %.
        if eta <= 0.99 * self.eta {
            self.eta = eta;
            self.gamma = gamma.min(1.0);
        }
    }

    /// The probability of each unordered pair (a, b), a <= b.
    fn probabilities(&self) -> Vec<((usize, usize), f64)> {
        let k = self.scores.len();
        let pairs: Vec<(usize, usize)> = (0..k).flat_map(|a| (a..k).map(move |b| (a, b))).collect();
        let log = |&(a, b): &(usize, usize)| self.eta * (self.scores[a] + self.scores[b]) / 2.0;
        let largest = pairs.iter().map(log).fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = pairs.iter().map(|pair| (log(pair) - largest).exp()).collect();
        let total: f64 = weights.iter().sum();
        let n = pairs.len() as f64;
        let p = |weight: f64| (1.0 - self.gamma) * weight / total + self.gamma / n;
        pairs.into_iter().zip(weights.into_iter().map(p)).collect()
    }

    fn issue(&mut self) {
        self.round += 1;
        self.tune();
    }

    /// `p` is the probability of the unordered pair.
    fn update(&mut self, left: usize, right: usize, score: f64, p: f64) {
        match self.reference {
            _ if left == right => {}
            None => {
                let k = self.scores.len() as f64;
                self.scores[left] += score / (k * p);
                self.scores[right] -= score / (k * p);
            }
            Some(reference) if reference == left => self.scores[right] -= score / p,
            Some(reference) if reference == right => self.scores[left] += score / p,
            Some(_) => {}
        }
    }
}

/// The crate's policy with the same options.
fn fast(n_arms: usize, rate: Rate, reference: Option<usize>) -> FeedExp3 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small whole number")]
    let schedule = match rate {
        Rate::Anytime => Schedule::Anytime,
        Rate::Link => Schedule::Link,
        Rate::Fixed(horizon) => Schedule::Fixed { horizon: horizon as u64 },
    };
    let reference = reference.map_or(Reference::Uniform, |arm| Reference::Arm(Arm::new(arm)));
    FeedExp3::with(n_arms, schedule, reference).expect("legal")
}

/// P(i beats j), with ties, zeros and ones among the entries.
fn matrix<R: Rng>(n_arms: usize, rng: &mut R) -> Vec<Vec<f64>> {
    let mut p = vec![vec![0.5; n_arms]; n_arms];
    for (i, j) in (0..n_arms).flat_map(|i| (i + 1..n_arms).map(move |j| (i, j))) {
        let value = match rng.random_range(0..6) {
            0 => 0.0,
            1 => 0.5,
            2 => 1.0,
            _ => rng.random::<f64>(),
        };
        p[i][j] = value;
        p[j][i] = 1.0 - value;
    }
    p
}

/// Both play the draws of the policy, with late and lost outcomes. In each round the logged
/// probability must equal the twin's, and in every 500th round the probabilities of all pairs must.
/// Scores of up to `spread` are planted first.
fn check(n_arms: usize, rate: Rate, reference: Option<usize>, rounds: u64, spread: f64) {
    let mut slow = Slow::new(n_arms, rate, reference);
    let mut fast = fast(n_arms, rate, reference);
    let mut rng = Stream::new(1).label("feedexp3").index(n_arms as u64).rng();
    let matrix = matrix(n_arms, &mut rng);
    let planted: Vec<f64> = (0..n_arms).map(|_| spread * (2.0 * rng.random::<f64>() - 1.0)).collect();
    fast.add(&planted);
    slow.scores.clone_from(&planted);
    let mut waiting = Vec::new();
    for round in 1..=rounds {
        let what = format!("{n_arms} arms, {rate:?}, {reference:?}, round {round}");
        let p = slow.probabilities();
        if round % 500 == 1 {
            check_all(&fast, &p, &what);
            assert_close(&[fast.rates().eta, fast.rates().gamma], &[slow.eta, slow.gamma], 1e-12, &what);
        }
        let ticket = fast.decide(&mut rng);
        slow.issue();
        let (left, right) = (ticket.left.index(), ticket.right.index());
        let pair = (left.min(right), left.max(right));
        let at = p.binary_search_by_key(&pair, |&(pair, _)| pair).expect("every pair is listed");
        let unordered = p[at].1;
        let ordered = if left == right { unordered } else { unordered / 2.0 };
        // Scores result from a thousand additions in another order, and eta times their rounding
        // error enters the exponent.
        let stated = ticket.propensity().expect("a pair");
        assert!((stated / ordered - 1.0).abs() < 1e-9, "{what}: {stated}, not {ordered}");
        waiting.push((ticket, unordered));
        shuffle(&mut waiting, &mut rng);
        for (ticket, unordered) in waiting.split_off(waiting.len() - waiting.len().div_ceil(4)) {
            let (left, right) = (ticket.left.index(), ticket.right.index());
            let outcome = match rng.random_range(0..8) {
                0 => {
                    fast.void(&ticket);
                    continue;
                }
                1 => continue,
                2 => Outcome::new(2.0 * matrix[left][right] - 1.0).expect("a score"),
                _ => Outcome::won(rng.random::<f64>() < matrix[left][right]),
            };
            fast.update(&ticket, outcome);
            slow.update(left, right, outcome.score(), unordered);
        }
    }
    let scale = slow.scores.iter().map(|score| score.abs()).fold(1.0, f64::max);
    let relative = |scores: &[f64]| scores.iter().map(|score| score / scale).collect::<Vec<_>>();
    assert_close(&relative(fast.scores()), &relative(&slow.scores), 1e-10, "the final scores");
}

fn check_all(fast: &FeedExp3, p: &[((usize, usize), f64)], what: &str) {
    for &((a, b), p) in p {
        let (a, b) = (Arm::new(a), Arm::new(b));
        let (one, other) = (fast.pair_probability(a, b), fast.pair_probability(b, a));
        assert!((one - other).abs() < 1e-15, "{what}: {a} and {b} are not equally probable in both orders");
        let unordered = if a == b { one } else { one + other };
        assert!((unordered / p - 1.0).abs() < 1e-9, "{what}: {{{a}, {b}}} {unordered}, not {p}");
    }
}

#[test]
fn law_the_twin_agrees_for_few_arms() {
    for n_arms in [1, 2, 3, 7, 19] {
        for rate in [Rate::Anytime, Rate::Link, Rate::Fixed(5000.0), Rate::Fixed(1e9)] {
            for reference in [None, Some(0), Some(n_arms - 1)] {
                check(n_arms, rate, reference, 2000, 0.0);
            }
        }
    }
}

/// 40 arms and 820 actions over 20,000 rounds. With that many actions, the published rates only
/// explore for millions of rounds. The rates of the link, and planted scores with a long horizon,
/// are what tests the weights.
#[test]
fn law_the_twin_agrees_for_forty_arms() {
    check(40, Rate::Link, None, 20_000, 0.0);
    check(40, Rate::Anytime, None, 5000, 0.0);
    check(40, Rate::Fixed(1e12), None, 5000, 3e6);
    check(40, Rate::Link, Some(17), 5000, 0.0);
}

/// States that exponentials cannot represent: the log-weights are thousands apart, so whole rows of
/// pairs have weight zero, and only exploration draws them.
#[test]
fn law_the_twin_agrees_in_extreme_states() {
    for spread in [1e3, 1e6, 1e9, 1e12] {
        for rate in [Rate::Link, Rate::Fixed(1e6)] {
            let slow = Slow::new(9, rate, None);
            let mut fast = fast(9, rate, None);
            let mut rng = Stream::new(1).label("extreme").rng();
            for _ in 0..20 {
                let planted: Vec<f64> = (0..9).map(|_| spread * (2.0 * rng.random::<f64>() - 1.0)).collect();
                fast.add(&planted);
                let slow = Slow { scores: fast.scores().to_vec(), ..slow.clone() };
                for (pair, p) in slow.probabilities() {
                    let (a, b) = (Arm::new(pair.0), Arm::new(pair.1));
                    let stated = fast.pair_probability(a, b) * if a == b { 1.0 } else { 2.0 };
                    // eta s / 2 is rounded at the scale of eta times the spread.
                    let error = 1e-15 * slow.eta * spread + 1e-12;
                    assert!((stated - p).abs() <= error.min(0.01), "{pair:?}: {stated}, not {p}");
                    assert!(stated >= slow.gamma / 45.0 * (1.0 - 1e-12));
                }
                let ticket = fast.propose(&mut rng);
                assert_eq!(ticket.check(9), Ok(()));
            }
        }
    }
}

/// No arm is lost for good: an arm that is thousands of log-units behind returns as soon as its
/// score does.
#[test]
fn trace_a_lost_arm_returns() {
    let mut policy = fast(3, Rate::Fixed(1e6), None);
    let mut original = policy.clone();
    policy.add(&[1e9, -1e9, 0.0]);
    let gamma = policy.rates().gamma;
    let p = |policy: &FeedExp3, a, b| policy.pair_probability(Arm::new(a), Arm::new(b));
    // Everything that is not exploration goes to {0, 0}: 1 - gamma + gamma / 6.
    assert_close(&[p(&policy, 0, 0), p(&policy, 1, 1)], &[1.0 - gamma * 5.0 / 6.0, gamma / 6.0], 1e-12, "p");
    policy.add(&[-1e9, 1e9, 0.0]);
    original.add(&[0.0; 3]);
    for (a, b) in [(0, 0), (0, 1), (1, 2)] {
        assert_close(&[p(&policy, a, b)], &[p(&original, a, b)], 1e-12, "back at the start");
    }
    // A thousand losses on a forged ticket with the smallest possible probability leave finite
    // numbers.
    let forged = Ticket { draw: Draw::Pair(5e-324), ..propose_pair(&policy, 0, 1) };
    for _ in 0..1000 {
        policy.update(&forged, Outcome::LOSS);
    }
    assert!(policy.scores().iter().all(|score| score.is_finite()));
    assert_close(&[p(&policy, 1, 1)], &[1.0 - gamma * 5.0 / 6.0], 1e-12, "after forged tickets");
}

/// A chi-square test of 40,000 draws from each of 30 played and planted states, against the twin's
/// law over ordered pairs. Rare pairs are pooled. There are about 30 * 24 degrees of freedom. The
/// statistic exceeds its mean by 4.5 standard deviations once in a hundred thousand seeds.
#[test]
fn stat_draws_follow_the_twin() {
    let (mut chi, mut freedom) = (0.0f64, -30.0f64);
    for state in 0..30u64 {
        let rate = [Rate::Anytime, Rate::Link, Rate::Fixed(1e5)][(state % 3) as usize];
        let reference = [None, Some(2)][(state % 2) as usize];
        let (mut fast, mut slow) = (fast(5, rate, reference), Slow::new(5, rate, reference));
        let mut rng = Stream::new(1).label("chi").index(state).rng();
        for _ in 0..100 * state {
            let ticket = fast.decide(&mut rng);
            slow.issue();
            fast.update(&ticket, Outcome::won(rng.random::<f64>() < 0.6));
        }
        let eta = fast.rates().eta;
        fast.add(&core::array::from_fn::<f64, 5, _>(|_| 4.0 * (rng.random::<f64>() - 0.5) / eta));
        slow.scores = fast.scores().to_vec();
        let mut counts = [[0.0; 5]; 5];
        for _ in 0..40_000 {
            let ticket = fast.propose(&mut rng);
            counts[ticket.left.index()][ticket.right.index()] += 1.0;
        }
        let mut pooled = (0.0, 0.0);
        let mut cell = |count: f64, expected: f64| {
            chi += (count - expected) * (count - expected) / expected;
            freedom += 1.0;
        };
        for ((a, b), p) in slow.probabilities() {
            let cells = if a == b { vec![(a, b, p)] } else { vec![(a, b, p / 2.0), (b, a, p / 2.0)] };
            for (left, right, p) in cells {
                if p * 40_000.0 < 10.0 {
                    pooled = (pooled.0 + counts[left][right], pooled.1 + p * 40_000.0);
                } else {
                    cell(counts[left][right], p * 40_000.0);
                }
            }
        }
        if pooled.1 > 0.0 {
            cell(pooled.0, pooled.1);
        }
    }
    let limit = freedom + 4.5 * (2.0 * freedom).sqrt();
    assert!(freedom > 300.0 && chi < limit, "{chi} with {freedom} degrees of freedom");
}

/// Two arms, T = 10,000: N = 3, ln 3 = 1.098612289, gamma = (9 * 1.098612289 / 10,000)^(1/4) =
/// 0.177325723512, eta = sqrt(1.098612289 / 10,000) = 0.010481470740.
///
/// - At first, v = (1, 1) and V1^2 + V2 = 4 + 2 = 6: each of {0,0}, {0,1}, {1,1} has probability
///   (1 - gamma) 2 / 6 + gamma / 3 = 1/3.
/// - 0 beats 1: the step is 1 / (2 * 1/3), so s = (1.5, -1.5). v = e^(+-0.007861103055) =
///   (1.007892082650, 0.992169714609), v_0 v_1 = 1, and V1^2 + V2 = 2 (v_0^2 + v_1^2 + 1) =
///   6.000494385714. The probabilities are 0.337655870703 for {0,0}, 0.333310739728 for {0,1} and
///   0.329033389570 for {1,1}.
/// - With 1 on the left and 0 on the right, the score is 1/2: the step is 0.5 / (2 *
///   0.333310739728) = 0.750050839058, and s = (0.749949160942, -0.749949160942).
#[test]
fn trace_two_arms() {
    let mut policy = fast(2, Rate::Fixed(10_000.0), None);
    assert_close(
        &[policy.rates().eta, policy.rates().gamma],
        &[0.010_481_470_740, 0.177_325_723_512],
        1e-11,
        "rates",
    );
    let p = |policy: &FeedExp3| {
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(a, b)| policy.pair_probability(Arm::new(a), Arm::new(b)))
    };
    assert_close(&p(&policy), &[1.0 / 3.0, 1.0 / 6.0, 1.0 / 6.0, 1.0 / 3.0], 1e-12, "p at first");
    let ticket = propose_pair(&policy, 0, 1);
    assert_close(&[ticket.propensity().expect("a pair")], &[1.0 / 6.0], 1e-12, "logged for the ordered pair");
    policy.issue(&ticket);
    policy.update(&ticket, Outcome::WIN);
    assert_close(policy.scores(), &[1.5, -1.5], 1e-12, "scores");
    let half = 0.333_310_739_728 / 2.0;
    assert_close(&p(&policy), &[0.337_655_870_703, half, half, 0.329_033_389_570], 1e-11, "p");
    // A self-duel teaches nothing, whatever its outcome.
    let own = propose_pair(&policy, 1, 1);
    policy.update(&own, Outcome::WIN);
    assert_close(policy.scores(), &[1.5, -1.5], 1e-12, "scores after a self-duel");
    let ticket = propose_pair(&policy, 1, 0);
    policy.issue(&ticket);
    policy.update(&ticket, Outcome::new(0.5).expect("a score"));
    assert_close(policy.scores(), &[0.749_949_160_942, -0.749_949_160_942], 1e-11, "scores");
}

/// Three arms, anytime: gamma_1 = 1, so each of six pairs has probability 1/6. With arm 2 as the
/// reference, a win of 0 over 1 teaches nothing. A win of 0 over 2 adds 1 / (1/6) = 6 to s_0, and a
/// win of 2 over 1 subtracts 6 from s_1.
#[test]
fn trace_reference_arm() {
    let mut policy = fast(3, Rate::Anytime, Some(2));
    for (left, right, scores) in [(0, 1, [0.0, 0.0, 0.0]), (0, 2, [6.0, 0.0, 0.0]), (2, 1, [6.0, -6.0, 0.0])]
    {
        let ticket = propose_pair(&policy, left, right);
        policy.update(&ticket, Outcome::WIN);
        assert_close(policy.scores(), &scores, 1e-12, &format!("{left} beats {right}"));
    }
    assert_eq!(policy.recommend(), Arm::new(0));
}

/// On average, a score changes by the utility of its arm minus that of the reference: x_i - mean x,
/// or x_i - x_r. The test enumerates all pairs.
#[test]
fn law_estimates_are_unbiased() {
    for n_arms in [2, 3, 6] {
        for reference in [None, Some(1)] {
            let mut rng = Stream::new(1).label("unbiased").rng();
            let mut policy = fast(n_arms, Rate::Link, reference);
            for _ in 0..200 {
                let ticket = policy.decide(&mut rng);
                policy.update(&ticket, Outcome::won(ticket.left > ticket.right));
            }
            let x: Vec<f64> = (0..n_arms).map(|_| rng.random()).collect();
            let mut mean = vec![0.0; n_arms];
            for (left, right) in Arm::all(n_arms).flat_map(|a| Arm::all(n_arms).map(move |b| (a, b))) {
                let p = policy.pair_probability(left, right);
                let mut next = policy.clone();
                let ticket = Ticket { left, right, draw: Draw::Pair(p), ..policy.propose(&mut rng) };
                next.update(&ticket, Outcome::difference(x[left.index()], x[right.index()]));
                for (i, mean) in mean.iter_mut().enumerate() {
                    *mean += p * (next.scores()[i] - policy.scores()[i]);
                }
            }
            let base = reference.map_or(x.iter().sum::<f64>() / n_arms as f64, |arm| x[arm]);
            let want: Vec<f64> = x.iter().map(|x| x - base).collect();
            assert_close(&mean, &want, 1e-9, &format!("{n_arms} arms, {reference:?}"));
        }
    }
}

/// Left and right have no meaning.
#[test]
fn law_swapped_slots_leave_the_same_scores() {
    for reference in [None, Some(3)] {
        let mut rng = Stream::new(1).label("slots").rng();
        let (mut plain, mut mirrored) = (fast(5, Rate::Link, reference), fast(5, Rate::Link, reference));
        for _ in 0..500 {
            let ticket = plain.decide(&mut rng);
            let swapped = Ticket { left: ticket.right, right: ticket.left, ..ticket };
            mirrored.issue(&swapped);
            let outcome = Outcome::new(2.0 * rng.random::<f64>() - 1.0).expect("a score");
            plain.update(&ticket, outcome);
            mirrored.update(&swapped, outcome.flipped());
        }
        assert_close(mirrored.scores(), plain.scores(), 1e-12, "scores");
        assert_eq!(mirrored, plain);
    }
}

/// In an easy world (one arm has utility 0.9, the others 0.4), the anytime form leaves its cap
/// after some hundred rounds, finds the best arm, and keeps exploring. Between 10,000 and 100,000
/// rounds, its regret grows with an exponent between 0.4 and 0.8, near the 2/3 of the theory.
#[test]
fn stat_regret_grows_like_the_two_thirds_power() {
    for rate in [Rate::Anytime, Rate::Link] {
        let mut policy = fast(4, rate, None);
        let mut rng = Stream::new(1).label("growth").rng();
        let utility = |arm: Arm| if arm.index() == 2 { 0.9 } else { 0.4 };
        let (mut regret, mut early) = (0.0, 0.0);
        for round in 1..=100_000 {
            let ticket = policy.decide(&mut rng);
            let [left, right] = [ticket.left, ticket.right].map(utility);
            regret += 0.9 - f64::midpoint(left, right);
            let draw = |p: f64, u: f64| f64::from(u8::from(u < p));
            let score = draw(left, rng.random()) - draw(right, rng.random());
            if !ticket.is_self_duel() {
                policy.update(&ticket, Outcome::new(score).expect("a score"));
            }
            if round == 10_000 {
                early = regret;
            }
        }
        let exponent = (regret / early).log10();
        assert!((0.4..0.8).contains(&exponent), "{rate:?}: {early}, then {regret}: {exponent}");
        assert_eq!(policy.recommend(), Arm::new(2));
        let best = policy.pair_probability(Arm::new(2), Arm::new(2));
        assert!(best > 0.8, "{rate:?}: plays (best, best) with probability {best}");
    }
}

/// Parameters as a user types them.
#[test]
fn trace_parameters() {
    let refused = |spec: &str, horizon| {
        let context = Context { n_arms: 5, horizon };
        let mut rng = Stream::new(1).rng();
        match registry::build(&spec.parse().expect("a specification"), context, &mut rng) {
            Err(BuildError::Param(error)) => error,
            other => panic!("{spec}: {other:?}"),
        }
    };
    assert!(matches!(
        refused("feedexp3:schedule=fixed", None),
        ParamError::NeedsHorizon { key: "schedule", .. }
    ));
    assert!(matches!(refused("feedexp3:schedule=doubling", None), ParamError::NoSuchChoice { .. }));
    assert!(matches!(refused("feedexp3:reference=5", None), ParamError::OutOfRange { .. }));
    assert!(matches!(refused("feedexp3:reference=-1", None), ParamError::OutOfRange { .. }));
    assert!(matches!(refused("feedexp3:reference=1.5", None), ParamError::NotWhole { .. }));
    let slip = refused("feedexp3:reference=unifrom", None);
    assert!(matches!(slip, ParamError::NoSuchChoice { suggestion: Some("uniform"), .. }), "{slip:?}");
    // An expression is accepted.
    assert_eq!(build("feedexp3:reference=K-1", 5).recommend(), Arm::new(0));
    assert!(FeedExp3::with(0, Schedule::Anytime, Reference::Uniform).is_err());
    assert!(FeedExp3::with(3, Schedule::Fixed { horizon: 0 }, Reference::Uniform).is_err());
}
