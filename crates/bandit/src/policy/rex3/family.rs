//! The declaration of REX3: its page, its parameters and how they are read.

use super::options::{Options, Schedule, TAU, Transfer};
use super::{PAPER, Rex3};
use crate::expr::Letter;
use crate::params::{Context, ParamError, Params};
use crate::policy::{Assumption, Curve, Goal, Settles};
use crate::theory::{self, Curvature, ExpectedGains, Gains};

declare! {
    /// # REX3: exponential weights for adversarial utility-based dueling bandits
    ///
    /// ## Idea
    ///
    /// REX3 finds the best arm by raising an arm's weight after a win, lowering it after a loss,
    /// and drawing arms of large weight more often.
    ///
    /// Both arms of a duel are drawn independently from one distribution p, a mixture of
    /// exponential weights and uniform exploration. The winner's log-weight grows and the loser's
    /// shrinks, each by an amount divided by the probability with which the arm was drawn. On
    /// average an arm's log-weight therefore moves by its advantage over the policy's own play. The
    /// policy is its own reference, so no duel is wasted on a fixed reference arm. As p
    /// concentrates, the best arm meets itself more and more often. These duels exploit what is
    /// known; they give no information.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// p_i = (1 - gamma) w_i / sum_j w_j + gamma / K        w_i = exp(L_i), L_i = 0 at first
    /// decide:  left, right independent from p
    /// update:  c_left  = + s / (2 p_left)
    ///          s the outcome, from the left arm's viewpoint
    ///          c_right = - s / (2 p_right)                 nothing if left = right
    ///          L_i += (gamma / K) c_i
    /// ```
    ///
    /// The **schedule** sets gamma. It uses `gamma* = min(1/2, sqrt(K ln K / tau))`. Here
    /// `tau = e gmax - (4 - e) gmin` is the gain term of the paper's eq. (6), and e is Euler's
    /// number, 2.718...:
    ///
    /// - `fixed`: gamma is given, or it is gamma* for a gain bound that may use the horizon T;
    /// - `dual-averaging` (the default): needs no horizon. It keeps the sums S_i of the c_i, and in
    ///   round t the weights are `exp((gamma_t / K) S_i)`. When gamma falls, the whole past is
    ///   weighted again;
    /// - `literal`: needs no horizon. It follows the paper's pseudo-code to the letter: each c_i is
    ///   added with the gamma of its own round and never weighted again;
    /// - `epochs`: needs no horizon. It starts afresh at rounds 1, 2, 4, 8, ..., each time with the
    ///   gamma* of the epoch's length. Outcomes that arrive in a later epoch are dropped.
    ///
    /// **The two anytime readings are not the same algorithm.** The paper says that gamma* is
    /// recomputed at each step. Both `dual-averaging` and `literal` fit that sentence. Dual
    /// averaging keeps the regret bound. The literal reading has no bound and can fail: early
    /// steps, taken with a large gamma, weigh so much that later steps cannot outweigh them. On
    /// `switch10`, where the best arm changes once, its regret at T = 1e5 is about 5200 and grows
    /// in proportion to T; dual averaging has about 600. On benign stationary worlds the literal
    /// reading often has less regret on average (`arxiv6`, T = 1e5: 181, dual averaging 273), but
    /// it varies more between runs. Use `literal` only to redraw the paper's curves.
    ///
    /// ## Parameters
    ///
    parameters {
        /// how gamma is set; the default is `fixed` if `gamma` is given or `gmax` does not use `t`
        SCHEDULE: choice("schedule", &str:
            "dual-averaging" = "dual-averaging", "literal" = "literal", "epochs" = "epochs", "fixed" = "fixed");
        /// the learning and exploration rate itself
        GAMMA: optional("gamma", [above 0 to 1/2]);
        /// upper bound on the best arm's gain; t is the current round, T the horizon; the paper's
        /// runs use `T/2` and `T/10`
        GMAX: formula("gmax" = "t/2", [above 0] "above 0, in T, K, or a multiple of t");
        /// lower bound on the worst arm's gain
        GMIN: formula("gmin" = "0", [at least 0] "at least 0, in T, K, or a multiple of t");
        /// variance term in tau: `graded` for utilities (graded or win/tie/loss), `binary` for
        /// outcomes that are always +1 or -1
        FEEDBACK: choice("feedback", Feedback: "graded" = Feedback::Graded, "binary" = Feedback::Binary);
        /// how a score is transformed before it is learned
        TRANSFER: choice("transfer", Transfer: "identity" = Transfer::Identity, "sign" = Transfer::Sign,
            "indicator" = Transfer::Indicator);
        /// whether to skip duels of an arm with itself (line 9 of the paper)
        GUARD: choice("guard", bool: "true" = true, "false" = false);
        /// uniform exploration as a fraction of gamma; values below 1 learn faster in benign
        /// worlds, but the worst runs are worse
        MIXING: number("mixing" = 1, [1/6 to 1]);
    }
    ///
    /// `feedback=binary` replaces tau by 2 (gmax - gmin) + (e - 2)(1 - 1/K) T, which is the value
    /// that outcomes of +1 and -1 need. `transfer=sign` learns from the sign of a score.
    /// `transfer=indicator` credits the winner with 1/(2p) and leaves the loser unchanged, as
    /// eq. (5) of the paper prescribes for that transfer function. The expectation of c_i is then
    /// the probability of drawing an arm that i beats.
    ///
    /// With `guard=false`, the policy also learns from a duel of an arm with itself. As in line 11
    /// of the paper, c of this arm is then - s / (2 p); with `transfer=indicator` it is 1 / (2 p)
    /// unless the duel is a tie. In such a duel s has mean 0, so - s / (2 p) only adds noise.
    ///
    /// ## Guarantee
    ///
    /// The bound holds for utilities in [0, 1] chosen by an oblivious adversary and gamma <= 1/2
    /// (the paper's Theorem 1). The regret against the best single arm is at most `K ln K / gamma +
    /// gamma tau`. With gamma* this is `2 sqrt(K ln K tau)`, of order sqrt(T K ln K). With dual
    /// averaging it is `K ln K / gamma_T + sum_t gamma_t / (2 (1 - gamma_t)) (e x_alg - (4 - e)
    /// x_unif)`, about 2.33 sqrt(T K ln K) for gmax = t/2. No policy can do better than order
    /// sqrt(T K) (see `theory`).
    ///
    /// The caller may ask for two different arms (the capability `distinct`). The bound then holds
    /// for arms drawn independently from p, not for the pairs of different arms that are shown. No
    /// bound is stated for runs in which arms are added or retired.
    ///
    /// ## Cost
    ///
    /// O(log K) per round: the weights are in a tree of sums, and arms are drawn from it as a
    /// mixture. Dual averaging keeps gamma until its formula has fallen by 1 %, and then recomputes
    /// all weights: about 50 ln T times O(K) in total. O(K) memory. Two words of randomness per
    /// round, and one more for each slot that explores. A pair of two different arms costs O(K).
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{Policy, Rex3}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Rex3::new(5);
    /// for _ in 0..2000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     // Arm 3 wins all its duels, the others tie.
    ///     let wins = |arm: tiltyard_bandit::Arm| f64::from(u8::from(arm.index() == 3));
    ///     policy.update(&ticket, Outcome::new(wins(ticket.left) - wins(ticket.right))?);
    /// }
    /// assert_eq!(policy.recommend().index(), 3);
    /// # Ok::<(), tiltyard_bandit::OutcomeError>(())
    /// ```
    ///
    /// ## Reference
    ///
    /// Gajane, Urvoy and Clérot, *A relative exponential weighing algorithm for adversarial
    /// utility-based dueling bandits*, ICML 2015, PMLR 37:218-227; DOI `10.48550/arXiv.1601.03855`.
    pub struct Family;

    Family {
        name: "rex3",
        class: "Rex3",
        title: "exponential weights with relative feedback (the paper's algorithm)",
        assumptions: &[Assumption::Utilities],
        horizon: Some("only if a gain bound uses T, as in gmax=T/2"),
        settles: Settles::Sqrt,
        minimises: Goal::Bandit,
        binary: false,
        version: 1,
        cost: "O(log K) per round, O(K) memory",
        forms: &["schedule=literal"],
        curves: &[
            Curve::new([0, 0, 0]),
            Curve::given("schedule=literal", [6, 9, 3]),
            Curve::given("gamma", [5, 8, 2]),
            Curve::given("gmax", [5, 5, 2]),
            Curve::given("gmax=T/2", [5, 1, 1]),
            Curve::given("gmax=T/10", [9, 3, 3]),
        ],
        reference: PAPER,
    } => |params, _| {
        let options = Options {
            schedule: read_schedule(params)?,
            transfer: TRANSFER.read(params)?,
            guard: GUARD.read(params)?,
            mixing: MIXING.read(params)?,
        };
        Rex3::with(params.context().n_arms, options)
    };
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Feedback {
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
    let gamma = GAMMA.read(params)?;
    if let Some(gamma) = gamma {
        let value = SCHEDULE.read_or(params, "fixed")?;
        if value != "fixed" {
            return Err(ParamError::Contradiction { key: "schedule", value, other: "gamma" });
        }
        return Ok(Schedule::Fixed { gamma });
    }
    let anytime = params.expr(GMAX.doc.key)?.is_none_or(|gmax| gmax.uses(Letter::Round));
    let default = if anytime { "dual-averaging" } else { "fixed" };
    let name = SCHEDULE.read_or(params, default)?;
    let feedback = FEEDBACK.read(params)?;
    let Context { n_arms, horizon } = params.context();
    if name == "fixed" {
        let (gmax, gmin) = (params.expr_or(GMAX.doc.key, "T/2")?, GMIN.expr(params)?);
        let gains = Gains {
            max: params.gain(GMAX.doc.key, &gmax, GMAX.range)?,
            min: params.gain(GMIN.doc.key, &gmin, GMIN.range)?,
        };
        let rounds = match (feedback, horizon) {
            (Feedback::Graded, _) => 0,
            (Feedback::Binary, Some(horizon)) => horizon,
            (Feedback::Binary, None) => return Err(params.needs_horizon(FEEDBACK.doc.key)),
        };
        return Ok(Schedule::Fixed {
            gamma: theory::gamma_star(n_arms, feedback.tau(gains, rounds, n_arms)),
        });
    }
    let (gmax, gmin) = (GMAX.expr(params)?, GMIN.expr(params)?);
    let gains = Gains {
        max: params.gain_a_round(GMAX.doc.key, &gmax)?,
        min: params.gain_a_round(GMIN.doc.key, &gmin)?,
    };
    // With one arm there is nothing to tune, and the binary tau would be 0.
    let tau = feedback.tau(gains, 1, n_arms.max(2));
    if !TAU.contains(tau) {
        return Err(ParamError::OutOfRange { key: GMAX.doc.key, value: gains.max, range: GMAX.range });
    }
    Ok(match name {
        "literal" => Schedule::Literal { tau },
        "epochs" => Schedule::Epochs { tau },
        _ => Schedule::DualAveraging { tau },
    })
}
