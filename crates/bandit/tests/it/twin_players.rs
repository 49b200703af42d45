//! EXP3-IX and EXP3.S written a second time, from the specification alone: plain weights, all of
//! them computed anew in every round.

use core::f64::consts::E;

use rand::RngExt;
use tiltyard_bandit::params::{Context, ParamError, Params};
use tiltyard_bandit::player::{Exp3Ix, Exp3S, Player, Pull};
use tiltyard_bandit::policy::registry;
use tiltyard_bandit::{Spec, Stream};

use crate::reference::mixture;
use crate::support::{any_outcome, assert_close, shuffle};

const ARMS: [usize; 6] = [1, 2, 3, 6, 17, 40];
const ROUNDS: u64 = 4000;

fn player<P: Player>(parameters: &str, n_arms: usize, horizon: Option<u64>) -> P {
    let spec: Spec = format!("{}{parameters}", P::INFO.name).parse().expect("a specification");
    let mut params = Params::new(&spec, Context { n_arms, horizon }, &[P::INFO.params]).expect("known keys");
    P::build(&mut params).expect("legal values")
}

/// EXP3-IX: sums of l / (p + eta / 2), with p and eta of the round in which the arm was drawn.
struct SlowIx {
    horizon: Option<f64>,
    losses: Vec<f64>,
    round: u64,
    eta: f64,
}

impl SlowIx {
    /// Sets eta. Without a horizon, it is held until the formula has fallen by 1 %.
    fn tune(&mut self) {
        let k = self.losses.len().max(2) as f64;
        let formula = match self.horizon {
            Some(horizon) => (2.0 * k.ln() / (k * horizon)).sqrt(),
            None => (k.ln() / (k * self.round as f64)).sqrt(),
        };
        if formula <= 0.99 * self.eta {
            self.eta = formula;
        }
    }

    fn probabilities(&self) -> Vec<f64> {
        mixture(&self.losses.iter().map(|loss| -self.eta * loss).collect::<Vec<f64>>(), 0.0)
    }
}

#[test]
fn trace_exp3ix() {
    for n_arms in ARMS {
        for (parameters, horizon) in [("", None), (":rounds=T", Some(5000.0)), (":rounds=800", Some(800.0))] {
            let mut fast: Exp3Ix = player(parameters, n_arms, Some(5000));
            let mut slow = SlowIx { horizon, losses: vec![0.0; n_arms], round: 1, eta: f64::INFINITY };
            slow.tune();
            let mut rng = Stream::new(1).label("ix").index(n_arms as u64).rng();
            let mut waiting: Vec<(Pull, f64)> = Vec::new();
            for round in 1..=ROUNDS {
                let what = format!("exp3ix{parameters} with {n_arms} arms, round {round}");
                let pull = fast.propose(&mut rng);
                fast.issue(&pull);
                let stated = pull.probability.expect("EXP3-IX states its probabilities");
                // The twin continues from the stated probability, because without exploration the
                // errors in small probabilities would multiply.
                assert_close(&[stated], &[slow.probabilities()[pull.arm.index()]], 1e-9, &what);
                assert_close(&[pull.rate], &[slow.eta], 1e-12, &what);
                waiting.push((pull, stated + slow.eta / 2.0));
                slow.round += 1;
                slow.tune();
                shuffle(&mut waiting, &mut rng);
                for (pull, divisor) in waiting.split_off(waiting.len() - waiting.len().div_ceil(3)) {
                    let reward = any_outcome(false, &mut rng).reward();
                    fast.update(&pull, reward);
                    slow.losses[pull.arm.index()] += (1.0 - reward) / divisor;
                }
            }
        }
    }
}

/// EXP3.S. The weights are normalized after each round, which does not change the probabilities.
struct SlowS {
    gamma: f64,
    alpha: f64,
    weights: Vec<f64>,
}

impl SlowS {
    fn new(n_arms: usize, horizon: f64, stretches: f64) -> Self {
        let k = n_arms.max(2) as f64;
        Self {
            gamma: (stretches * k * (k * horizon).ln() / horizon).sqrt().min(1.0),
            alpha: 1.0 / horizon,
            weights: vec![1.0 / n_arms as f64; n_arms],
        }
    }

    fn probabilities(&self) -> Vec<f64> {
        let k = self.weights.len() as f64;
        self.weights.iter().map(|weight| (1.0 - self.gamma) * weight + self.gamma / k).collect()
    }

    fn update(&mut self, arm: usize, p: f64, reward: f64) {
        let k = self.weights.len() as f64;
        let total: f64 = self.weights.iter().sum();
        self.weights[arm] *= (self.gamma / k * reward / p).exp();
        for weight in &mut self.weights {
            *weight += E * self.alpha / k * total;
        }
        let total: f64 = self.weights.iter().sum();
        for weight in &mut self.weights {
            *weight /= total;
        }
    }
}

#[test]
fn trace_exp3s() {
    for n_arms in ARMS {
        for (parameters, stretches, horizon) in
            [("", 1.0, 5000), (":switches=20", 20.0, 5000), ("", 1.0, 100_000)]
        {
            let mut fast: Exp3S = player(parameters, n_arms, Some(horizon));
            let mut slow = SlowS::new(n_arms, horizon as f64, stretches);
            let mut rng = Stream::new(1).label("sharing").index(n_arms as u64).rng();
            let mut waiting: Vec<(Pull, f64)> = Vec::new();
            for round in 1..=ROUNDS {
                let what = format!("exp3s{parameters} with {n_arms} arms, round {round}");
                let pull = fast.propose(&mut rng);
                fast.issue(&pull);
                let p = slow.probabilities();
                assert_close(&[pull.probability.expect("known")], &[p[pull.arm.index()]], 1e-9, &what);
                if round % 41 == 0 {
                    assert_close(&fast.distribution(), &p, 1e-9, &what);
                }
                waiting.push((pull, p[pull.arm.index()]));
                if round % 2 == 0 {
                    shuffle(&mut waiting, &mut rng);
                    for (pull, p) in waiting.split_off(waiting.len() - waiting.len().div_ceil(2)) {
                        // With one arm that always wins, totals would reach e^1000 and more.
                        let wins = f64::from(u8::from(pull.arm.index() == 0));
                        let reward = if rng.random() { wins } else { any_outcome(false, &mut rng).reward() };
                        fast.update(&pull, reward);
                        slow.update(pull.arm.index(), p, reward);
                    }
                }
            }
        }
    }
}

/// EXP3.S, two arms, T = 4 and S = 1: gamma = min(1, sqrt(2 ln 8 / 4)) = 1. Arm 0 is paid 1 at p =
/// 1/2: w_0 = 1 * e^(1/2 / (1/2)) + (e / 8) * 2 and w_1 = 1 + (e / 8) * 2, but with gamma = 1 the
/// player only explores. With T = 1000, gamma = sqrt(2 ln 2000 / 1000) = 0.123295..., w_0 =
/// e^(gamma) + e / 1000, w_1 = 1 + e / 1000.
#[test]
fn trace_exp3s_by_hand() {
    let mut short = Exp3S::new(2, 4, 1).expect("legal");
    let pull = short.propose(&mut Stream::new(1).rng());
    short.update(&pull, 1.0);
    assert_close(&short.distribution(), &[0.5, 0.5], 1e-15, "gamma = 1");

    let mut player = Exp3S::new(2, 1000, 1).expect("legal");
    let gamma = (2.0 * 2000f64.ln() / 1000.0).sqrt();
    let pull = player.propose(&mut Stream::new(1).rng());
    player.update(&pull, 1.0);
    let (won, other) = (gamma.exp() + E / 1000.0, 1.0 + E / 1000.0);
    let p = (1.0 - gamma) * won / (won + other) + gamma / 2.0;
    assert_close(&[player.distribution()[pull.arm.index()]], &[p], 1e-12, "after one reward");
}

/// EXP3-IX, two arms, T = 100: eta = sqrt(2 ln 2 / 200). A loss of 1 at p = 1/2 adds 1 / (1/2 +
/// eta / 2).
#[test]
fn trace_exp3ix_by_hand() {
    let mut player = Exp3Ix::for_rounds(2, 100.0).expect("legal");
    let eta = (2.0 * 2f64.ln() / 200.0).sqrt();
    let pull = player.propose(&mut Stream::new(1).rng());
    player.update(&pull, 0.0);
    let loss = 1.0 / (0.5 + eta / 2.0);
    let p = 1.0 / (1.0 + (eta * loss).exp());
    assert_close(&[player.distribution()[pull.arm.index()]], &[p], 1e-12, "after one loss");
}

/// Refused: EXP3.S without a horizon, illegal numbers of stretches or rounds, an unknown estimator,
/// and no arms.
#[test]
fn trace_parameters_are_checked() {
    let refused = |spec: &str, horizon| {
        let context = Context { n_arms: 4, horizon };
        registry::build(&spec.parse().expect("a specification"), context, &mut Stream::new(1).rng()).is_err()
    };
    assert!(refused("sparring:player=exp3s", None));
    assert!(!refused("sparring:player=exp3s", Some(10)));
    assert!(refused("sparring:player=exp3s,switches=0", Some(10)));
    assert!(refused("sparring:player=exp3s,switches=1.5", Some(10)));
    assert!(!refused("sparring:player=exp3ix", None));
    assert!(refused("sparring:player=exp3ix,rounds=T", None));
    assert!(refused("sparring:player=exp3ix,rounds=0", None));
    assert!(refused("sparring:player=exp3ix,rounds=t/2", None));
    assert!(refused("vdb:estimator=none", None));
    assert!(Exp3Ix::for_rounds(0, 10.0).is_err() && Exp3S::new(0, 10, 1).is_err());
    assert_eq!(Exp3S::new(2, 0, 1), Err(ParamError::NoRounds));
}
