//! Off-policy evaluation: the score that a policy or an arm would have had on the traffic of a log
//! that records the probability of each pair.

use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::off_policy::{Duel, Estimate, Evaluation, Method, OffPolicyError, Side};
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::registry::{self, BuildError};
use tiltyard_bandit::policy::{AnyPolicy, NoLesson};
use tiltyard_bandit::{Arm, Outcome, Spec, Stream};
use tiltyard_world::votes::{Vote, Votes};

/// Subjects to evaluate on a log.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Evaluate<'a> {
    /// The votes, in the order in which their pairs were drawn.
    pub votes: &'a Votes,
    /// Policies that learn along the log, and arms.
    pub subjects: Vec<Subject>,
    /// The opponent that the subjects are compared with.
    pub against: Against,
    pub seed: u64,
    /// The confidence of the intervals.
    pub confidence: f64,
}

/// A policy or an arm to evaluate.
#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    /// A policy. It learns from each vote, after it is asked what it would have played.
    Policy(Spec),
    /// Always the same arm.
    Arm(Arm),
}

/// The opponent of a subject's arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// Every arm with the same probability.
    Uniform,
    /// The arms that the log has shown so far, as often as it has shown them: a stand-in for the
    /// policy that drew the log.
    Log,
    /// Always the same arm.
    Arm(Arm),
}

/// The evaluation of one subject.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Evaluated {
    pub subject: Subject,
    /// One estimate per method.
    pub estimates: Vec<(Method, Estimate)>,
    /// How many duels of the subject's own would carry as much information.
    pub effective_sample_size: f64,
    /// The largest weight of a duel.
    pub largest_weight: f64,
    /// The share of the subject's possible duels that the log has shown.
    pub support: f64,
    /// The number of duels in the log, including duels of an arm with itself.
    pub n_duels: u64,
}

/// Evaluates each subject on the whole log.
///
/// # Errors
///
/// If votes lack the probability of their pair, or if a policy cannot learn from another policy's
/// duels or does not know its own probabilities.
pub fn evaluate(job: &Evaluate<'_>) -> Result<Vec<Evaluated>, EvaluateError> {
    let votes = job.votes.votes();
    let n_unknown = votes.iter().filter(|vote| vote.propensity.is_none()).count();
    if n_unknown > 0 || votes.is_empty() {
        return Err(EvaluateError::Unknown { n_unknown, n_votes: votes.len() });
    }
    job.subjects.iter().map(|subject| Walk::new(job, subject)?.along(job)).collect()
}

const OWN: &str = "a policy accepts its own lessons";

/// A subject on its way along the log, vote by vote.
struct Walk<'a> {
    subject: &'a Subject,
    policy: Option<AnyPolicy>,
    evaluation: Evaluation,
    /// How often the log has shown each arm, plus one.
    shown: Vec<f64>,
}

impl<'a> Walk<'a> {
    fn new(job: &Evaluate<'_>, subject: &'a Subject) -> Result<Self, EvaluateError> {
        let n_arms = job.votes.n_arms();
        let policy = match subject {
            Subject::Arm(_) => None,
            Subject::Policy(spec) => {
                let n_duels = job.votes.votes().len() + job.votes.self_duels().len();
                let context = Context { n_arms, horizon: Some(n_duels as u64) };
                let mut rng = Stream::new(job.seed).label("evaluate").label(&spec.to_string()).rng();
                let policy = registry::build(spec, context, &mut rng)?;
                if policy.probabilities().is_none() {
                    return Err(EvaluateError::NoProbabilities { policy: policy.info().name });
                }
                Some(policy)
            }
        };
        Ok(Self { subject, policy, evaluation: Evaluation::new(n_arms), shown: vec![1.0; n_arms] })
    }

    fn along(mut self, job: &Evaluate<'_>) -> Result<Evaluated, EvaluateError> {
        let mut coins = Stream::new(job.seed).label("coins").rng();
        let mut self_duels = job.votes.self_duels().iter().peekable();
        for (place, vote) in (0..).zip(job.votes.votes()) {
            while self_duels.next_if(|&&before| before <= place).is_some() {
                self.add(&nothing(), job)?;
            }
            self.add(&duel(vote), job)?;
            for arm in [vote.left, vote.right] {
                self.shown[arm.index()] += 1.0;
            }
            if let Some(policy) = &mut self.policy {
                let lesson = policy.lesson(vote.left, vote.right, vote.propensity)?;
                let outcome = vote.verdict.outcome();
                let outcome = if policy.info().binary { outcome.to_binary(&mut coins) } else { outcome };
                policy.issue(&lesson).expect(OWN);
                policy.update(&lesson, outcome).expect(OWN);
            }
        }
        for _ in self_duels {
            self.add(&nothing(), job)?;
        }
        let estimate = |method| self.evaluation.estimate(method, job.confidence);
        Ok(Evaluated {
            subject: self.subject.clone(),
            estimates: Method::ALL
                .into_iter()
                .filter_map(|method| Some((method, estimate(method)?)))
                .collect(),
            effective_sample_size: self.evaluation.effective_sample_size(),
            largest_weight: self.evaluation.largest_weight(),
            support: self.evaluation.support(),
            n_duels: self.evaluation.n_duels(),
        })
    }

    fn add(&mut self, duel: &Duel, job: &Evaluate<'_>) -> Result<(), EvaluateError> {
        let chances;
        let pi = match (&self.policy, self.subject) {
            (Some(policy), _) => {
                let name = policy.info().name;
                chances = policy.probabilities().ok_or(EvaluateError::NoProbabilities { policy: name })?;
                Side::Mixed(&chances)
            }
            (None, Subject::Arm(arm)) => Side::Arm(*arm),
            (None, Subject::Policy(_)) => unreachable!("a policy was made for it"),
        };
        let shares: Vec<f64>;
        let rho = match job.against {
            Against::Uniform => Side::Uniform,
            Against::Arm(arm) => Side::Arm(arm),
            Against::Log => {
                let total: f64 = self.shown.iter().sum();
                shares = self.shown.iter().map(|shown| shown / total).collect();
                Side::Mixed(&shares)
            }
        };
        Ok(self.evaluation.add(duel, pi, rho)?)
    }
}

fn duel(vote: &Vote) -> Duel {
    let Vote { left, right, propensity, .. } = *vote;
    Duel { left, right, propensity, outcome: vote.verdict.outcome() }
}

/// A duel of an arm with itself. It has no weight, whichever arm it was and however likely.
fn nothing() -> Duel {
    Duel { left: Arm::new(0), right: Arm::new(0), propensity: Some(1.0), outcome: Outcome::TIE }
}

/// A policy or an arm cannot be evaluated on a log.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages describe them")]
pub enum EvaluateError {
    /// Some votes lack the probability of their pair.
    #[error(
        "{n_unknown} of {n_votes} votes lack the probability of their pair (`pscore`), so the scores of other policies cannot be estimated"
    )]
    Unknown {
        /// Votes without the probability.
        n_unknown: usize,
        n_votes: usize,
    },
    /// The policy does not know the probabilities of its own play.
    #[error("`{policy}` cannot be evaluated on a log: it does not know the probabilities of its own play")]
    NoProbabilities { policy: &'static str },
    /// The policy cannot learn from the duels of the log.
    #[error(transparent)]
    Lesson(#[from] NoLesson),
    /// The policy cannot be made.
    #[error(transparent)]
    Policy(#[from] BuildError),
    /// A number in the log is invalid.
    #[error(transparent)]
    OffPolicy(#[from] OffPolicyError),
}

impl Hint for EvaluateError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        let simulate = front.flag("simulate");
        match self {
            Self::Policy(error) => error.hints(front),
            Self::Unknown { .. } => {
                vec![format!("use {simulate}, which needs no `pscore`, or remove the votes without it")]
            }
            Self::NoProbabilities { .. } | Self::Lesson(NoLesson::Refused { .. }) => vec![format!(
                "`rex3`, `vdb`, `dexp3`, `feedexp3`, `scb` and `random` can be evaluated; {simulate} accepts all"
            )],
            Self::Lesson(_) | Self::OffPolicy(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiltyard_world::votes::parse_votes;

    fn votes(rows: &str) -> Votes {
        parse_votes(format!("left,right,outcome,pscore\n{rows}").as_bytes()).unwrap()
    }

    fn job(votes: &Votes, subject: Subject) -> Evaluate<'_> {
        Evaluate { votes, subjects: vec![subject], against: Against::Uniform, seed: 1, confidence: 0.95 }
    }

    /// Arm a against both arms alike, each pair with probability 1/4; two of the four duels are of
    /// an arm with itself. In both votes w = (1/2) / (2/4) = 1. Arm a wins one of them and ties the
    /// other: ips = (1 + 0) / 4.
    #[test]
    fn trace_self_duels_count() {
        let votes = votes("a,a,tie,0.25\na,b,left,0.25\nb,b,left,0.25\nb,a,tie,0.25\n");
        assert_eq!(votes.self_duels(), [0, 1]);
        let evaluated = evaluate(&job(&votes, Subject::Arm(Arm::new(0)))).unwrap().remove(0);
        assert_eq!((evaluated.n_duels, evaluated.estimates.len()), (4, 3));
        assert!((evaluated.estimates[0].1.value - 0.25).abs() < 1e-15);
        assert!((evaluated.support - 1.0).abs() < 1e-12, "{}", evaluated.support);
    }

    #[test]
    fn trace_refusals() {
        let some = votes("a,b,left,0.5\na,b,left,\n");
        let refused = evaluate(&job(&some, Subject::Arm(Arm::new(0))));
        assert_eq!(refused, Err(EvaluateError::Unknown { n_unknown: 1, n_votes: 2 }));
        let all = votes("a,b,left,0.5\nb,a,left,0.5\n");
        let subject = |spec: &str| Subject::Policy(spec.parse().unwrap());
        let refused = evaluate(&job(&all, subject("dts")));
        assert_eq!(refused, Err(EvaluateError::NoProbabilities { policy: "dts" }));
        assert!(matches!(evaluate(&job(&all, subject("sparring"))), Err(EvaluateError::Lesson(_))));
        assert!(matches!(evaluate(&job(&all, subject("nobody"))), Err(EvaluateError::Policy(_))));
        assert!(evaluate(&job(&all, subject("rex3"))).is_ok());
    }

    /// A policy that never learns always has the same probabilities. Those of `random` are uniform,
    /// so it scores 0 against a uniform opponent.
    #[test]
    fn trace_a_policy_against_itself_scores_nothing() {
        let votes = votes("a,b,left,0.5\nb,a,left,0.5\na,b,left,0.5\n");
        let evaluated = evaluate(&job(&votes, Subject::Policy("random".parse().unwrap()))).unwrap().remove(0);
        for (method, estimate) in evaluated.estimates {
            assert!(estimate.value.abs() < 1e-15, "{method:?}: {estimate:?}");
        }
    }
}
