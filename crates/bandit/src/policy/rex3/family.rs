//! REX3's entry in the registry, and its parameters.

use rand::Rng;

use super::options::{GAMMA, MIXING, Options, Schedule, TAU, Transfer};
use super::{PAPER, Rex3};
use crate::expr::Letter;
use crate::params::{Context, Param, ParamError, Params, Range};
use crate::policy::registry::{self, Built, Visitor};
use crate::policy::{Assumption, Goal, Info, Settles};
use crate::theory::{self, Curvature, ExpectedGains, Gains};

/// Its entry in the registry.
#[derive(Debug)]
pub struct Family;

impl registry::Family for Family {
    const INFO: Info = Info {
        name: "rex3",
        title: "exponential weights with relative feedback (the paper's algorithm)",
        assumptions: &[Assumption::Utilities],
        horizon: Some("only where a gain bound uses T, as in gmax=T/2"),
        settles: Settles::Sqrt,
        minimises: Goal::Bandit,
        binary: false,
        version: 1,
        cost: "O(log K) a round, O(K) memory",
        params: &[
            Param {
                key: "schedule",
                default: "dual-averaging",
                legal: "dual-averaging, literal, epochs, fixed",
                meaning: "where gamma comes from",
            },
            Param { key: "gamma", default: "none", legal: "(0, 1/2]", meaning: "the rate itself" },
            Param {
                key: "gmax",
                default: "t/2",
                legal: "above 0, in T, K, or a multiple of t",
                meaning: "bound on the best arm's gain",
            },
            Param { key: "gmin", default: "0", legal: "as gmax", meaning: "bound on the worst arm's gain" },
            Param {
                key: "feedback",
                default: "graded",
                legal: "graded, binary",
                meaning: "which variance term sets tau",
            },
            Param {
                key: "transfer",
                default: "identity",
                legal: "identity, sign, indicator",
                meaning: "what is made of a score before it is learned",
            },
            Param { key: "guard", default: "true", legal: "true, false", meaning: "skip self-duels" },
            Param {
                key: "mixing",
                default: "1",
                legal: "[1/6, 1]",
                meaning: "uniform exploration as a fraction of gamma",
            },
        ],
        reference: PAPER,
        source: include_str!("../rex3.rs"),
    };

    const FORMS: &'static [&'static str] = &["schedule=literal"];

    fn build<V: Visitor>(
        mut params: Params<'_>,
        _: &mut dyn Rng,
        built: Built<V>,
    ) -> Result<V::Output, ParamError> {
        let options = Options {
            schedule: read_schedule(&mut params)?,
            transfer: params.choice(
                "transfer",
                &[
                    ("identity", Transfer::Identity),
                    ("sign", Transfer::Sign),
                    ("indicator", Transfer::Indicator),
                ],
            )?,
            guard: params.choice("guard", &[("true", true), ("false", false)])?,
            mixing: params.number_or("mixing", MIXING, 1.0)?,
        };
        let policy = Rex3::with(params.context().n_arms, options)?;
        built.finish(params, policy)
    }
}

#[derive(Clone, Copy)]
enum Feedback {
    Graded,
    Binary,
}

impl Feedback {
    /// tau for these gains within `rounds` rounds.
    fn tau(self, gains: Gains, rounds: u64, n_arms: usize) -> f64 {
        match self {
            Self::Graded => theory::tau(gains),
            Self::Binary => {
                let gains = ExpectedGains { policy: gains.max, uniform: gains.min };
                theory::tau_binary(Curvature::Paper, n_arms, rounds, gains)
            }
        }
    }
}

fn read_schedule(params: &mut Params<'_>) -> Result<Schedule, ParamError> {
    let gamma = params.number("gamma", GAMMA)?;
    let names = ["dual-averaging", "literal", "epochs", "fixed"].map(|name| (name, name));
    if let Some(gamma) = gamma {
        let value = params.choice_or("schedule", &names, "fixed")?;
        if value != "fixed" {
            return Err(ParamError::Contradiction { key: "schedule", value, other: "gamma" });
        }
        return Ok(Schedule::Fixed { gamma });
    }
    let anytime = params.expr("gmax")?.is_none_or(|gmax| gmax.uses(Letter::Round));
    let default = if anytime { "dual-averaging" } else { "fixed" };
    let name = params.choice_or("schedule", &names, default)?;
    let feedback =
        params.choice("feedback", &[("graded", Feedback::Graded), ("binary", Feedback::Binary)])?;
    let Context { n_arms, horizon } = params.context();
    if name == "fixed" {
        let gmax = params.expr_or("gmax", "T/2")?;
        let gmin = params.expr_or("gmin", "0")?;
        let gains = Gains {
            max: params.gain("gmax", &gmax, Range::above(0.0))?,
            min: params.gain("gmin", &gmin, Range::at_least(0.0))?,
        };
        let rounds = match (feedback, horizon) {
            (Feedback::Graded, _) => 0,
            (Feedback::Binary, Some(horizon)) => horizon,
            (Feedback::Binary, None) => return Err(params.needs_horizon("feedback")),
        };
        return Ok(Schedule::Fixed {
            gamma: theory::gamma_star(n_arms, feedback.tau(gains, rounds, n_arms)),
        });
    }
    let gmax = params.expr_or("gmax", "t/2")?;
    let gmin = params.expr_or("gmin", "0")?;
    let gains = Gains { max: params.gain_a_round("gmax", &gmax)?, min: params.gain_a_round("gmin", &gmin)? };
    // One arm has nothing to tune, and its binary tau is 0.
    let tau = feedback.tau(gains, 1, n_arms.max(2));
    if !TAU.contains(tau) {
        return Err(ParamError::OutOfRange { key: "gmax", value: gains.max, range: Range::above(0.0) });
    }
    Ok(match name {
        "literal" => Schedule::Literal { tau },
        "epochs" => Schedule::Epochs { tau },
        _ => Schedule::DualAveraging { tau },
    })
}
