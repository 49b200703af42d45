//! Simulation: policies play on logged votes.

use rand::Rng;
use rayon::prelude::*;
use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::registry::{self, BuildError};
use tiltyard_bandit::policy::{AnyPolicy, InFlight};
use tiltyard_bandit::{Arm, Spec, Stream, Ticket};
use tiltyard_world::replay::{Mode, ReplayError};
use tiltyard_world::votes::Votes;
use tiltyard_world::{Best, ReplayWorld, World};

use super::race::Race;
use crate::engine::Progress;
use crate::statistics::{Interval, bootstrap};

/// Policies to simulate on logged votes.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Simulate<'a> {
    pub votes: &'a Votes,
    /// Whether a vote answers once or any number of times.
    pub mode: Mode,
    pub policies: Vec<Spec>,
    /// The number of rounds after which a run ends without a verdict.
    pub rounds: u64,
    /// Runs per policy.
    pub runs: u64,
    pub seed: u64,
    /// The confidence of a verdict.
    pub confidence: f64,
}

/// The results of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Simulated {
    /// The winner of all votes.
    pub best: Best,
    /// One per policy, in the order of the job.
    pub policies: Vec<PolicyRuns>,
}

/// How the runs of one policy ended.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct PolicyRuns {
    pub spec: Spec,
    /// Whether the policy was asked for two different arms. If not, an arm could meet itself, which
    /// takes a round but uses no vote.
    pub distinct: bool,
    pub runs: Vec<Ended>,
}

/// How a run ended: with a verdict, or after all rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// The arm that was shown to beat every other.
    pub leader: Option<Arm>,
    /// The arm that the policy would bet on at the end.
    pub recommended: Arm,
    /// Votes used.
    pub votes: u64,
    /// Rounds played, including duels of an arm with itself and unanswered duels.
    pub rounds: u64,
    /// Duels for which no vote was left.
    pub unanswered: u64,
    /// Votes that the run had used before.
    pub repeated: u64,
}

/// A number of votes with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Votes95 {
    pub value: f64,
    /// By resampling runs.
    pub interval: Interval,
}

/// Bootstrap resamples. The ends of an interval are then accurate to about 3 % of its width.
const RESAMPLES: usize = 4000;

impl PolicyRuns {
    /// The number of runs that named a leader.
    pub fn n_named(&self) -> usize {
        self.runs.iter().filter(|run| run.leader.is_some()).count()
    }

    /// The number of runs that named this arm as the leader.
    pub fn n_naming(&self, arm: Arm) -> usize {
        self.runs.iter().filter(|run| run.leader == Some(arm)).count()
    }

    /// The number of runs that would bet on this arm at their end.
    pub fn n_recommending(&self, arm: Arm) -> usize {
        self.runs.iter().filter(|run| run.recommended == arm).count()
    }

    /// The mean number of votes used, over all runs. If some runs ended without a verdict, a
    /// verdict takes more votes than this.
    pub fn mean_votes(&self, stream: Stream) -> Votes95 {
        let mean = |runs: &[usize]| mean(runs.iter().map(|&run| self.runs[run].votes));
        let all: Vec<usize> = (0..self.runs.len()).collect();
        let interval = bootstrap(stream, self.runs.len(), RESAMPLES, 0.95, |runs| Some(mean(runs)));
        Votes95 { value: mean(&all), interval }
    }

    /// The median number of votes until a verdict; `None` unless more than half of the runs reached
    /// one. A run without a verdict counts as longer than all others.
    pub fn median_votes(&self) -> Option<f64> {
        let of = |run: &Ended| run.leader.map_or(u64::MAX, |_| run.votes);
        let mut votes: Vec<u64> = self.runs.iter().map(of).collect();
        votes.sort_unstable();
        let (low, high) = (votes[(votes.len() - 1) / 2], votes[votes.len() / 2]);
        (high < u64::MAX).then(|| low.midpoint(high) as f64)
    }

    /// The ratio of this policy's mean number of votes to that of another policy, with an interval.
    /// Runs of the two are resampled independently.
    pub fn ratio_to(&self, other: &Self, stream: Stream) -> Votes95 {
        let n_runs = self.runs.len();
        let mean_of = |policy: &Self, runs: &[usize]| mean(runs.iter().map(|&run| policy.runs[run].votes));
        let all: Vec<usize> = (0..n_runs).collect();
        let other_all: Vec<usize> = (0..other.runs.len()).collect();
        let mut others = stream.label("others").rng();
        let interval = bootstrap(stream, n_runs, RESAMPLES, 0.95, |runs| {
            let drawn: Vec<usize> = other_all.iter().map(|_| pick(other_all.len(), &mut others)).collect();
            Some(mean_of(self, runs) / mean_of(other, &drawn))
        });
        Votes95 { value: mean_of(self, &all) / mean_of(other, &other_all), interval }
    }
}

fn pick(n: usize, rng: &mut impl Rng) -> usize {
    use rand::RngExt as _;
    rng.random_range(0..n)
}

fn mean(votes: impl ExactSizeIterator<Item = u64>) -> f64 {
    let n = votes.len() as f64;
    votes.map(|votes| votes as f64).sum::<f64>() / n
}

/// Lets each policy play until one arm is shown to beat every other arm, checking after every vote,
/// or until the rounds are used up. Runs are spread over the threads of the current rayon pool. The
/// numbers do not depend on how many threads there are.
///
/// # Errors
///
/// If there are no runs, the votes do not make a world, or a policy cannot be made.
pub fn simulate(job: &Simulate<'_>, progress: &Progress) -> Result<Simulated, SimulateError> {
    if job.runs == 0 {
        return Err(SimulateError::NoRuns);
    }
    let world = ReplayWorld::new(job.votes, job.mode)?;
    let context = Context { n_arms: world.n_arms(), horizon: Some(job.rounds) };
    // All policies are built before the first one plays, so that a misspelt name costs no time.
    for spec in &job.policies {
        registry::build(spec, context, &mut Stream::new(job.seed).rng())?;
    }
    progress.begin(0, (job.runs * job.policies.len() as u64).saturating_mul(job.rounds));
    let mut policies = Vec::new();
    for spec in &job.policies {
        let stream = |run: u64| Stream::new(job.seed).label("replay").label(&spec.to_string()).index(run);
        let play = |run: u64| -> Result<(bool, Ended), SimulateError> {
            let mut policy = registry::build(spec, context, &mut stream(run).label("build").rng())?;
            let distinct = policy.distinct().is_some() && policy.n_arms() > 1;
            let ended = play_one(&world, &mut policy, distinct, job, stream(run))?;
            // A run counts with all its rounds even if it reached a verdict earlier. It ignores
            // requests to stop.
            let _ = progress.add(job.rounds);
            Ok((distinct, ended))
        };
        let runs: Vec<(bool, Ended)> = (0..job.runs).into_par_iter().map(play).collect::<Result<_, _>>()?;
        let distinct = runs.iter().all(|(distinct, _)| *distinct);
        let runs = runs.into_iter().map(|(_, ended)| ended).collect();
        policies.push(PolicyRuns { spec: spec.clone(), distinct, runs });
    }
    Ok(Simulated { best: world.best(), policies })
}

const OWN: &str = "a policy accepts its own tickets";

fn play_one(
    world: &ReplayWorld,
    policy: &mut AnyPolicy,
    distinct: bool,
    job: &Simulate<'_>,
    stream: Stream,
) -> Result<Ended, SimulateError> {
    let (mut draws, mut answers, mut coins) =
        (stream.label("draws").rng(), stream.label("answers").rng(), stream.label("coins").rng());
    let mut state = world.start();
    let mut race = Race::new(world.n_arms(), job.confidence);
    let (mut votes, mut rounds, mut leader) = (0, 0, None);
    let binary = policy.info().binary;
    while rounds < job.rounds && leader.is_none() {
        rounds += 1;
        let ticket = propose(policy, distinct, &mut draws)?;
        policy.issue(&ticket).expect(OWN);
        let Some(outcome) = world.duel(&mut state, rounds, ticket.left, ticket.right, &mut answers) else {
            policy.void(&ticket).expect(OWN);
            continue;
        };
        policy.update(&ticket, if binary { outcome.to_binary(&mut coins) } else { outcome }).expect(OWN);
        if !ticket.is_self_duel() {
            votes += 1;
            leader = race.count(ticket.left, ticket.right, outcome);
        }
    }
    let supply = state.supply;
    Ok(Ended {
        leader,
        recommended: policy.recommend(),
        votes,
        rounds,
        unanswered: supply.unanswered,
        repeated: supply.repeated,
    })
}

fn propose(policy: &AnyPolicy, distinct: bool, rng: &mut dyn Rng) -> Result<Ticket, SimulateError> {
    let unequal = policy.distinct().filter(|_| distinct).and_then(|distinct| distinct.propose_distinct(rng));
    Ok(match unequal {
        Some(ticket) => ticket,
        None => policy.propose(rng)?,
    })
}

/// The policies cannot be simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// The job has no runs.
    #[error("there must be at least one run")]
    NoRuns,
    /// The votes do not make a world.
    #[error(transparent)]
    Votes(#[from] ReplayError),
    /// A policy cannot be made.
    #[error(transparent)]
    Policy(#[from] BuildError),
    /// A policy waits for an outcome that will not come.
    #[error(transparent)]
    InFlight(#[from] InFlight),
}

impl Hint for SimulateError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Policy(error) => error.hints(front),
            Self::NoRuns | Self::Votes(_) | Self::InFlight(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiltyard_world::votes::parse_votes;

    fn ended(leader: Option<usize>, votes: u64) -> Ended {
        let leader = leader.map(Arm::new);
        Ended { leader, recommended: Arm::new(0), votes, rounds: votes, unanswered: 0, repeated: 0 }
    }

    /// 10, 20, 30, and a run that ended after 40 votes without a verdict. The median number of
    /// votes until a verdict is 25, and so is the mean number of votes used.
    #[test]
    fn trace_means_and_medians() {
        let runs = vec![ended(Some(0), 20), ended(Some(1), 10), ended(None, 40), ended(Some(0), 30)];
        let mut policy = PolicyRuns { spec: "random".parse().unwrap(), distinct: true, runs };
        assert_eq!(
            (policy.n_named(), policy.n_naming(Arm::new(0)), policy.n_recommending(Arm::new(0))),
            (3, 2, 4)
        );
        assert_eq!(policy.median_votes(), Some(25.0));
        let mean = policy.mean_votes(Stream::new(1));
        assert!(
            (mean.value - 25.0).abs() < 1e-12 && (mean.interval.low..=mean.interval.high).contains(&25.0),
            "{mean:?}"
        );
        let ratio = policy.ratio_to(&policy.clone(), Stream::new(1));
        assert!((ratio.value - 1.0).abs() < 1e-12 && ratio.interval.low < 1.0 && ratio.interval.high > 1.0);
        policy.runs[0].leader = None;
        assert_eq!(policy.median_votes(), None);
    }

    /// Arm `a` always beats `b`. Every policy that plays different arms reaches a verdict, with as
    /// many votes as the race needs. That is fewer than the 30 votes, each of which is used once.
    #[test]
    fn trace_a_clear_winner() {
        let rows = "a,b,left\n".repeat(30);
        let votes = parse_votes(format!("left,right,outcome\n{rows}").as_bytes()).unwrap();
        let policies = ["rex3", "random", "rucb"].map(|spec| spec.parse().unwrap()).to_vec();
        let job = Simulate {
            votes: &votes,
            mode: Mode::Once,
            policies,
            rounds: 1000,
            runs: 3,
            seed: 1,
            confidence: 0.95,
        };
        let simulated = simulate(&job, &Progress::default()).unwrap();
        assert_eq!(simulated.best.arm, Arm::new(0));
        let needed = simulated.policies[0].runs[0].votes;
        assert!((5..30).contains(&needed), "{needed}");
        for policy in &simulated.policies[..2] {
            assert!(policy.distinct);
            assert!(
                policy.runs.iter().all(|run| run.leader == Some(Arm::new(0)) && run.votes == needed),
                "{policy:?}"
            );
        }
        assert!(!simulated.policies[2].distinct);
    }
}
