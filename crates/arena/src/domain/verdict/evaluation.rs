//! Off-policy evaluation of an experiment's log: the score that another policy, or a single arm,
//! would have had on its traffic.
//!
//! Duels are used in the order of issue. A duel can be used if the probability of its pair is known
//! and every pair had a positive probability. This holds for duels whose slots were drawn
//! independently, and for held-out duels, which are uniform. Other votes are skipped and counted.
//! Duels without an answer are left out, as if they had not been shown: the estimates are about the
//! votes that people give. In a ranked slate, the two arms that the policy drew count as a duel. If
//! only the best arm was named, they do not, because whether the answer says anything about them
//! depends on how good they are.

use std::collections::BTreeMap;

use rand::Rng;
use tiltyard_bandit::off_policy::{self, Evaluation, Method, Side};
use tiltyard_bandit::policy::AnyPolicy;
use tiltyard_bandit::{Arm, Draw, Outcome};

use crate::domain::{BallotEvent, DrawnDuel, Experiment, Refusal, build};

/// The most arms that can be evaluated. The work for each duel may grow with the square of their
/// number.
const MOST_ARMS: usize = 1000;

/// The policy or arm to evaluate.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// A policy that learns along the log, as `name:key=value`.
    Policy(String),
    /// Always this arm, by its name.
    Arm(String),
}

/// The opponent of the target.
#[derive(Debug, Clone, PartialEq)]
pub enum Against {
    /// Every arm with the same probability.
    Uniform,
    /// The arms with the probabilities that the experiment's policy had for its slots.
    Policy,
    /// Always this arm, by its name.
    Arm(String),
}

/// Evaluates a target along a log.
#[derive(Debug)]
pub struct Evaluator {
    n_arms: usize,
    learner: Option<AnyPolicy>,
    arm: Option<Arm>,
    against: Opponent,
    evaluation: Evaluation,
    /// Duels that are in flight, or that wait for an earlier duel in flight.
    waiting: BTreeMap<u64, Waiting>,
    unusable: u64,
}

#[derive(Debug, Clone, Copy)]
enum Opponent {
    Uniform,
    Policy,
    Arm(Arm),
}

#[derive(Debug)]
struct Waiting {
    drawn: DrawnDuel,
    /// The probability of each arm in a slot of the experiment's policy.
    present: Vec<f64>,
    status: DuelStatus,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum DuelStatus {
    InFlight,
    Nothing,
    /// From the viewpoint of the ticket's left arm.
    Vote(Outcome),
}

/// The result of an evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// Votes that were used.
    pub duels: u64,
    /// Votes that could not be used.
    pub unusable: u64,
    /// The number of votes on the target's own duels that would say as much.
    pub effective_sample_size: f64,
    /// The largest weight of a vote.
    pub largest_weight: f64,
    /// The part of the target's possible duels that the log has shown; about 1 if it has shown all.
    pub support: f64,
    /// Estimates of the mean score, which is from -1 to 1.
    pub estimates: Vec<(Method, off_policy::Estimate)>,
}

impl Evaluator {
    /// Starts at the beginning of an experiment's log.
    ///
    /// # Errors
    ///
    /// If the target does not exist or cannot be evaluated.
    pub fn new(
        experiment: &Experiment,
        target: &Target,
        against: &Against,
        rng: &mut dyn Rng,
    ) -> Result<Self, Refusal> {
        let n_arms = experiment.arms().len();
        if n_arms > MOST_ARMS {
            let (got, most) = (n_arms as u64, MOST_ARMS as u64);
            return Err(Refusal::OutOfRange { what: "the number of arms to evaluate", got, least: 2, most });
        }
        let (learner, arm) = match target {
            Target::Arm(name) => (None, Some(experiment.arm(name)?)),
            Target::Policy(policy) => {
                let horizon = experiment.settings().horizon.or(Some(experiment.totals().votes.max(1)));
                let policy = build(policy, n_arms, horizon, rand::RngExt::random(rng))?;
                check(&policy)?;
                (Some(policy), None)
            }
        };
        let against = match against {
            Against::Uniform => Opponent::Uniform,
            Against::Policy => Opponent::Policy,
            Against::Arm(name) => Opponent::Arm(experiment.arm(name)?),
        };
        let evaluation = Evaluation::new(n_arms);
        Ok(Self { n_arms, learner, arm, against, evaluation, waiting: BTreeMap::new(), unusable: 0 })
    }

    /// Whether [`Self::push`] needs the probabilities of the experiment's policy.
    pub fn wants_present(&self) -> bool {
        matches!(self.against, Opponent::Policy)
    }

    /// Processes the next step of the log. `present` has the probability of each arm in a slot of
    /// the experiment's policy, for the duel being issued.
    pub fn push(&mut self, step: &BallotEvent, mut present: Vec<f64>, rng: &mut dyn Rng) {
        match step {
            BallotEvent::Issued { duel, comparison, .. } => {
                let drawn = comparison.drawn;
                // Arms added later had probability 0 at that time.
                present.resize(self.n_arms, 0.0);
                let status = if drawn.aa { DuelStatus::Nothing } else { DuelStatus::InFlight };
                self.waiting.insert(*duel, Waiting { drawn, present, status });
            }
            BallotEvent::Voted(ballot) => {
                let outcome = if let Some((_, ranking)) = &ballot.ranked {
                    let drawn = ranking.drawn(&ballot.drawn);
                    self.unusable += u64::from(drawn.is_none());
                    drawn
                } else {
                    ballot.drawn.outcome(ballot.answer)
                };
                self.settle(ballot.duel, outcome.map_or(DuelStatus::Nothing, DuelStatus::Vote));
            }
            BallotEvent::Ended { duel, .. } => self.settle(*duel, DuelStatus::Nothing),
            BallotEvent::Imported(batch) => self.unusable += batch.votes.len() as u64,
        }
        while let Some(first) = self.waiting.first_entry()
            && first.get().status != DuelStatus::InFlight
        {
            let waiting = first.remove();
            self.take(&waiting, rng);
        }
    }

    fn settle(&mut self, duel: u64, status: DuelStatus) {
        if let Some(waiting) =
            self.waiting.get_mut(&duel).filter(|waiting| waiting.status == DuelStatus::InFlight)
        {
            waiting.status = status;
        }
    }

    fn take(&mut self, Waiting { drawn, present, status }: &Waiting, rng: &mut dyn Rng) {
        let &DuelStatus::Vote(outcome) = status else { return };
        if !drawn.holdout && !matches!(drawn.ticket.draw, Draw::Slots { .. }) {
            self.unusable += 1;
            return;
        }
        let duel = off_policy::Duel::of(&drawn.ticket, outcome);
        let playing = self.learner.as_ref().and_then(AnyPolicy::probabilities);
        let pi = match (&playing, self.arm) {
            (Some(playing), _) => Side::Mixed(playing),
            (None, Some(arm)) => Side::Arm(arm),
            (None, None) => Side::Uniform,
        };
        let rho = match self.against {
            Opponent::Uniform => Side::Uniform,
            Opponent::Policy => Side::Mixed(present),
            Opponent::Arm(arm) => Side::Arm(arm),
        };
        if self.evaluation.add(&duel, pi, rho).is_err() {
            self.unusable += 1;
        }
        if let Some(learner) = &mut self.learner
            && let Ok(ticket) = learner.lesson(duel.left, duel.right, duel.propensity)
        {
            let outcome = if learner.info().binary { outcome.to_binary(rng) } else { outcome };
            let learned = learner.issue(&ticket).and_then(|()| learner.update(&ticket, outcome));
            debug_assert!(learned.is_ok(), "a policy takes its own lessons");
        }
    }

    /// The result at the end of the log.
    ///
    /// # Errors
    ///
    /// If no vote could be used.
    pub fn finish(mut self, confidence: f64, rng: &mut dyn Rng) -> Result<Evaluated, Refusal> {
        for waiting in core::mem::take(&mut self.waiting).into_values() {
            self.take(&waiting, rng);
        }
        let estimate = |method| Some((method, self.evaluation.estimate(method, confidence)?));
        let estimates: Vec<_> = Method::ALL.into_iter().filter_map(estimate).collect();
        if estimates.is_empty() {
            return Err(Refusal::NothingToEvaluate { unusable: self.unusable });
        }
        Ok(Evaluated {
            duels: self.evaluation.n_duels(),
            unusable: self.unusable,
            effective_sample_size: self.evaluation.effective_sample_size(),
            largest_weight: self.evaluation.largest_weight(),
            support: self.evaluation.support(),
            estimates,
        })
    }
}

/// Checks that a policy can learn from the log of another policy and knows its own probabilities.
fn check(policy: &AnyPolicy) -> Result<(), Refusal> {
    let name = || policy.info().name.to_owned();
    if let tiltyard_bandit::policy::Lessons::Refused(refusal) = policy.capabilities().lessons {
        return Err(Refusal::NoLessons { policy: name(), why: refusal.to_string() });
    }
    if policy.probabilities().is_none() {
        return Err(Refusal::NoProbabilities { policy: name() });
    }
    Ok(())
}
