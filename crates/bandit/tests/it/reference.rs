//! REX3, EXP3 and Sparring written a second time, from the specification alone: plain vectors, and
//! a softmax over all arms in every round. Nothing is optimized. The crate's policies must agree
//! with these twins round by round.

use core::f64::consts::E;

use rand::RngExt;
use tiltyard_bandit::params::{Context, Params};
use tiltyard_bandit::player::{Exp3, Player};
use tiltyard_bandit::policy::rex3::{Options, Schedule, Transfer};
use tiltyard_bandit::policy::{Additive, Distinct, Policy, Rex3, Sparring};
use tiltyard_bandit::{Outcome, Spec, Stream, Ticket};

use crate::support::{any_outcome, assert_close, rex3, shuffle, slots};

/// p_i = (1 - explore) softmax(L)_i + explore / K, computed with log-sum-exp.
pub(crate) fn mixture(log_weights: &[f64], explore: f64) -> Vec<f64> {
    let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let log_total = log_weights.iter().map(|l| (l - largest).exp()).sum::<f64>().ln();
    let n_arms = log_weights.len() as f64;
    let softmax = |l: f64| (l - largest - log_total).exp();
    log_weights.iter().map(|&l| (1.0 - explore) * softmax(l) + explore / n_arms).collect()
}

/// A rate that follows a falling formula, but changes only once the formula has fallen by 1 %.
fn hold(held: f64, formula: f64) -> f64 {
    if formula <= 0.99 * held { formula } else { held }
}

/// K ln K. With a single arm there is nothing to learn, and any positive number works.
fn k_ln_k(n_arms: usize) -> f64 {
    let k = n_arms.max(2) as f64;
    k * k.ln()
}

/// The schedule of gamma, with gamma itself or tau per round.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rate {
    Fixed(f64),
    Dual(f64),
    Literal(f64),
    Epochs(f64),
}

/// The transfer function that is applied to a score.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Psi {
    Identity,
    Sign,
    Indicator,
}

impl Psi {
    fn of(self, difference: f64) -> f64 {
        match self {
            Self::Identity => difference,
            Self::Sign if difference == 0.0 => 0.0,
            Self::Sign => difference.signum(),
            Self::Indicator => f64::from(u8::from(difference > 0.0)),
        }
    }
}

/// A duel in flight, as the reference remembers it.
#[derive(Debug, Clone, Copy)]
struct Flight {
    pair: (usize, usize),
    p: (f64, f64),
    /// The probability that a drawn pair is acceptable: 1, or D = 1 - sum p^2 if equal arms are
    /// excluded.
    acceptable: f64,
    gamma: f64,
    epoch: u32,
}

/// REX3 in O(K) per round.
#[derive(Debug, Clone)]
struct SlowRex3 {
    rate: Rate,
    psi: Psi,
    guard: bool,
    mixing: f64,
    /// Sums of c, or the log-weights themselves for the literal schedule.
    sums: Vec<f64>,
    /// The round of the next duel.
    round: u64,
    gamma: f64,
    epoch: u32,
}

impl SlowRex3 {
    fn new(n_arms: usize, rate: Rate, psi: Psi, guard: bool, mixing: f64) -> Self {
        let sums = vec![0.0; n_arms];
        let mut slow = Self { rate, psi, guard, mixing, sums, round: 1, gamma: f64::INFINITY, epoch: 0 };
        slow.tune();
        slow
    }

    /// Sets gamma for the next round. With epochs, everything starts anew at each power of two.
    fn tune(&mut self) {
        let formula = |tau: f64, t: u64| (k_ln_k(self.sums.len()) / (tau * t as f64)).sqrt().min(0.5);
        match self.rate {
            Rate::Fixed(gamma) => self.gamma = gamma,
            Rate::Dual(tau) => self.gamma = hold(self.gamma, formula(tau, self.round)),
            Rate::Literal(tau) => self.gamma = formula(tau, self.round),
            Rate::Epochs(tau) => {
                let mut length = 1;
                let mut epoch = 0;
                while 2 * length <= self.round {
                    length *= 2;
                    epoch += 1;
                }
                self.gamma = formula(tau, length);
                if epoch != self.epoch {
                    self.epoch = epoch;
                    self.sums.fill(0.0);
                }
            }
        }
    }

    fn log_weights(&self) -> Vec<f64> {
        let scale = if let Rate::Literal(_) = self.rate { 1.0 } else { self.gamma / self.sums.len() as f64 };
        self.sums.iter().map(|sum| scale * sum).collect()
    }

    fn probabilities(&self) -> Vec<f64> {
        mixture(&self.log_weights(), self.mixing * self.gamma)
    }

    fn issue(&mut self, pair: (usize, usize), distinct: bool) -> Flight {
        let p = self.probabilities();
        let acceptable = if distinct { 1.0 - p.iter().map(|p| p * p).sum::<f64>() } else { 1.0 };
        let (gamma, epoch) = (self.gamma, self.epoch);
        self.round += 1;
        self.tune();
        Flight { pair, p: (p[pair.0], p[pair.1]), acceptable, gamma, epoch }
    }

    fn update(&mut self, flight: &Flight, score: f64) {
        let Flight { pair: (a, b), p: (p_a, p_b), acceptable, gamma, epoch } = *flight;
        if epoch != self.epoch || (a == b && self.guard) {
            return;
        }
        let step = acceptable / 2.0
            * if let Rate::Literal(_) = self.rate { gamma / self.sums.len() as f64 } else { 1.0 };
        if a == b && self.psi != Psi::Indicator {
            // Line 11 of the paper overwrites line 10.
            self.sums[b] -= step * self.psi.of(score) / p_b;
        } else {
            // The equation of c: psi(x_a - x_b) for a, psi(x_b - x_a) for b.
            self.sums[a] += step * self.psi.of(score) / p_a;
            self.sums[b] += step * self.psi.of(-score) / p_b;
        }
    }
}

/// The schedule of EXP3's rate, with gamma itself or the bound on the gain per round.
#[derive(Debug, Clone, Copy)]
enum GainRate {
    Fixed(f64),
    Dual(f64),
    Literal(f64),
    Loss,
}

/// EXP3 in O(K) per round.
#[derive(Debug, Clone)]
struct SlowExp3 {
    rate: GainRate,
    sums: Vec<f64>,
    round: u64,
    /// gamma, or eta in the loss form.
    gamma: f64,
}

/// A pull in flight.
#[derive(Debug, Clone, Copy)]
struct SlowPull {
    arm: usize,
    p: f64,
    gamma: f64,
}

impl SlowExp3 {
    fn new(n_arms: usize, rate: GainRate) -> Self {
        let mut slow = Self { rate, sums: vec![0.0; n_arms], round: 1, gamma: f64::INFINITY };
        slow.tune();
        slow
    }

    fn tune(&mut self) {
        let n_arms = self.sums.len();
        let t = self.round as f64;
        let formula = |gain: f64| (k_ln_k(n_arms) / ((E - 1.0) * gain * t)).sqrt().min(1.0);
        self.gamma = match self.rate {
            GainRate::Fixed(gamma) => gamma,
            GainRate::Dual(gain) => hold(self.gamma, formula(gain)),
            GainRate::Literal(gain) => formula(gain),
            GainRate::Loss => {
                let k = n_arms.max(2) as f64;
                hold(self.gamma, (k.ln() / (k * t)).sqrt())
            }
        };
    }

    fn probabilities(&self) -> Vec<f64> {
        let n_arms = self.sums.len() as f64;
        let (scale, explore) = match self.rate {
            GainRate::Fixed(_) | GainRate::Dual(_) => (self.gamma / n_arms, self.gamma),
            GainRate::Literal(_) => (1.0, self.gamma),
            GainRate::Loss => (self.gamma, 0.0),
        };
        let log_weights: Vec<f64> = self.sums.iter().map(|sum| scale * sum).collect();
        mixture(&log_weights, explore)
    }

    /// Issues a pull of this arm, after checking the stated probability.
    ///
    /// Without exploration, a relative error d in p becomes an error of eta d / p in the
    /// log-weight. If p is small, this multiplies a rounding error in every such round, in any
    /// implementation. The loss form therefore continues from the stated probability, and each
    /// round is compared separately.
    fn issue(&mut self, arm: usize, stated: f64, what: &str) -> SlowPull {
        let p = self.probabilities()[arm];
        assert_close(&[stated], &[p], 1e-10, what);
        let p = if let GainRate::Loss = self.rate { stated } else { p };
        let pull = SlowPull { arm, p, gamma: self.gamma };
        self.round += 1;
        self.tune();
        pull
    }

    fn update(&mut self, pull: SlowPull, reward: f64) {
        self.sums[pull.arm] += match self.rate {
            GainRate::Fixed(_) | GainRate::Dual(_) => reward / pull.p,
            GainRate::Literal(_) => pull.gamma / self.sums.len() as f64 * reward / pull.p,
            GainRate::Loss => -(1.0 - reward) / pull.p,
        };
    }
}

const ARMS: [usize; 7] = [1, 2, 3, 6, 17, 40, 136];
const ROUNDS: u64 = 4000;

/// Duels that wait for their outcome. They are answered in any order after a few rounds, and some
/// never.
struct Waiting<T>(Vec<T>);

impl<T> Waiting<T> {
    /// Adds a duel, and returns the duels whose outcome arrives now: a third of all in each round.
    fn exchange(&mut self, arrived: T, rng: &mut impl rand::Rng) -> Vec<T> {
        self.0.push(arrived);
        shuffle(&mut self.0, rng);
        let stay = self.0.len() - self.0.len().div_ceil(3);
        let mut out = self.0.split_off(stay);
        // One answer in ten is lost.
        out.retain(|_| rng.random_range(0..10) > 0);
        out
    }
}

/// Gives both implementations the same outcomes and the tickets of the fast one, and compares them
/// in every round.
fn check_rex3(n_arms: usize, slow: SlowRex3, fast: Rex3, seed: u64) {
    let (mut slow, mut fast) = (slow, fast);
    let mut rng = Stream::new(seed).label("reference").index(n_arms as u64).rng();
    let mut waiting = Waiting::<(Ticket, Flight)>(Vec::new());
    for round in 1..=ROUNDS {
        let what = format!("{:?} {:?} with {n_arms} arms, round {round}", slow.rate, slow.psi);
        let distinct = (round % 5 == 0).then(|| fast.propose_distinct(&mut rng)).flatten();
        let ticket = distinct.unwrap_or_else(|| fast.propose(&mut rng));
        if n_arms > 1 {
            assert_close(&[fast.gamma()], &[slow.gamma], 1e-13, &what);
            assert_close(&[ticket.rate * n_arms as f64], &[slow.gamma], 1e-13, &what);
        }
        if round % 41 == 0 {
            assert_close(&fast.distribution(), &slow.probabilities(), 1e-10, &what);
        }
        let flight = slow.issue((ticket.left.index(), ticket.right.index()), distinct.is_some());
        fast.issue(&ticket);
        let (left, right, z) = slots(&ticket);
        assert_close(&[left, right, z], &[flight.p.0, flight.p.1, flight.acceptable], 1e-10, &what);
        assert_eq!((ticket.round, ticket.epoch), (round, flight.epoch), "{what}");
        for (ticket, flight) in waiting.exchange((ticket, flight), &mut rng) {
            let outcome = any_outcome(false, &mut rng);
            fast.update(&ticket, outcome);
            slow.update(&flight, outcome.score());
        }
    }
    let (sums, slow_sums) = (Additive::sums(&fast), slow.sums);
    if n_arms > 1 {
        assert_close(&sums, &slow_sums, 1e-9, "the final sums");
    }
}

/// The crate's policy with the same options.
fn fast_rex3(n_arms: usize, rate: Rate, psi: Psi, guard: bool, mixing: f64) -> Rex3 {
    let schedule = match rate {
        Rate::Fixed(gamma) => Schedule::Fixed { gamma },
        Rate::Dual(tau) => Schedule::DualAveraging { tau },
        Rate::Literal(tau) => Schedule::Literal { tau },
        Rate::Epochs(tau) => Schedule::Epochs { tau },
    };
    let transfer = match psi {
        Psi::Identity => Transfer::Identity,
        Psi::Sign => Transfer::Sign,
        Psi::Indicator => Transfer::Indicator,
    };
    rex3(n_arms, Options { schedule, transfer, guard, mixing })
}

fn check_rate(rate: Rate) {
    let forms = [
        (Psi::Identity, true, 1.0),
        (Psi::Sign, true, 1.0),
        (Psi::Indicator, true, 1.0),
        (Psi::Identity, false, 1.0),
        (Psi::Indicator, false, 0.5),
        (Psi::Identity, true, 1.0 / 6.0),
    ];
    for n_arms in ARMS {
        for (seed, (psi, guard, mixing)) in (0..).zip(forms) {
            let slow = SlowRex3::new(n_arms, rate, psi, guard, mixing);
            check_rex3(n_arms, slow, fast_rex3(n_arms, rate, psi, guard, mixing), seed);
        }
    }
}

#[test]
fn trace_rex3_fixed() {
    check_rate(Rate::Fixed(0.5));
    check_rate(Rate::Fixed(0.07));
}

#[test]
fn trace_rex3_dual_averaging() {
    check_rate(Rate::Dual(E / 2.0));
    // This tau is so large that the cap of 1/2 applies only to the first rounds, even with 136
    // arms.
    check_rate(Rate::Dual(400.0));
}

#[test]
fn trace_rex3_literal() {
    check_rate(Rate::Literal(E / 2.0));
    check_rate(Rate::Literal(400.0));
}

#[test]
fn trace_rex3_epochs() {
    check_rate(Rate::Epochs(E / 2.0));
    check_rate(Rate::Epochs(400.0));
}

/// The default is the anytime form: dual averaging with tau = e t / 2.
#[test]
fn trace_rex3_default() {
    for n_arms in ARMS {
        let slow = SlowRex3::new(n_arms, Rate::Dual(E / 2.0), Psi::Identity, true, 1.0);
        check_rex3(n_arms, slow, Rex3::new(n_arms), 9);
    }
}

/// EXP3 with these parameters.
pub(crate) fn exp3(parameters: &str, n_arms: usize) -> Exp3 {
    let spec: Spec = format!("exp3:{parameters}").parse().expect("a specification");
    let context = Context { n_arms, horizon: None };
    let mut params = Params::new(&spec, context, &[Exp3::INFO.params]).expect("known keys");
    Exp3::build(&mut params).expect("legal values")
}

const EXP3: [(&str, GainRate); 5] = [
    ("gamma=0.3", GainRate::Fixed(0.3)),
    ("gamma=1", GainRate::Fixed(1.0)),
    ("schedule=dual-averaging", GainRate::Dual(0.5)),
    ("schedule=literal,gmax=t", GainRate::Literal(1.0)),
    ("schedule=loss", GainRate::Loss),
];

#[test]
fn trace_exp3() {
    for n_arms in ARMS {
        for (parameters, rate) in EXP3 {
            let (mut slow, mut fast) = (SlowExp3::new(n_arms, rate), exp3(parameters, n_arms));
            let mut rng = Stream::new(1).label("exp3").index(n_arms as u64).rng();
            let mut waiting = Waiting(Vec::new());
            for round in 1..=ROUNDS {
                let what = format!("{parameters} with {n_arms} arms, round {round}");
                if round % 41 == 0 {
                    assert_close(&fast.distribution(), &slow.probabilities(), 1e-10, &what);
                }
                let pull = fast.propose(&mut rng);
                fast.issue(&pull);
                let stated = pull.probability.expect("EXP3 states its probabilities");
                let slow_pull = slow.issue(pull.arm.index(), stated, &what);
                if n_arms > 1 {
                    assert_close(&[pull.rate * n_arms as f64], &[slow_pull.gamma], 1e-13, &what);
                }
                for (pull, slow_pull) in waiting.exchange((pull, slow_pull), &mut rng) {
                    let reward = any_outcome(false, &mut rng).reward();
                    fast.update(&pull, reward);
                    slow.update(slow_pull, reward);
                }
            }
        }
    }
}

/// Two players, each paid for its own arm, even if both play the same arm.
#[test]
fn trace_sparring() {
    for n_arms in ARMS {
        for (parameters, rate) in EXP3 {
            let player = exp3(parameters, n_arms);
            let mut fast = Sparring::new(player.clone(), player);
            let mut slow = [SlowExp3::new(n_arms, rate), SlowExp3::new(n_arms, rate)];
            let mut rng = Stream::new(1).label("sparring").index(n_arms as u64).rng();
            let mut waiting = Waiting(Vec::new());
            for round in 1..=ROUNDS {
                let what = format!("{parameters} with {n_arms} arms, round {round}");
                let ticket = fast.decide(&mut rng);
                let (left, right, z) = slots(&ticket);
                let pulls = [
                    slow[0].issue(ticket.left.index(), left, &what),
                    slow[1].issue(ticket.right.index(), right, &what),
                ];
                assert_close(&[z], &[1.0], 0.0, &what);
                for (ticket, pulls) in waiting.exchange((ticket, pulls), &mut rng) {
                    let outcome: Outcome = any_outcome(false, &mut rng);
                    fast.update(&ticket, outcome);
                    slow[0].update(pulls[0], f64::midpoint(1.0, outcome.score()));
                    slow[1].update(pulls[1], f64::midpoint(1.0, -outcome.score()));
                }
            }
            let slow_sums = [slow[0].sums.as_slice(), &slow[1].sums].concat();
            assert_close(&fast.sums(), &slow_sums, 1e-9, "the final sums");
        }
    }
}
