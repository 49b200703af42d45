//! Votes that were given elsewhere, brought in after the fact: from another service, from a file,
//! from an earlier experiment.
//!
//! They have no duel: nobody drew them here, so nothing about them is in flight, expires or can be
//! answered. They are counted like votes of one's own, and counted apart as well. A batch can be
//! taken out again as a whole.

use std::collections::BTreeSet;

use rand::Rng;
use serde::{Deserialize, Serialize};
use tiltyard_bandit::Arm;

use crate::domain::{
    Answer, Event, Experiment, Lesson, MOST_RANKED, PairVote, Ranking, Refusal, Status, check_name,
    check_names, number, weight_of,
};
use crate::time::Time;

/// The most votes of one batch.
pub(crate) const MOST_VOTES: usize = 1000;

/// How many unknown arms a refusal names.
const NAMED: usize = 10;

/// Votes were brought in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Imported {
    /// The client's name for the request.
    pub client: String,
    /// Where they are from, for people.
    pub source: String,
    /// The votes.
    pub votes: Vec<ImportedVote>,
}

impl Imported {
    /// Whether they are the same votes, whatever was learned of them: also from a file that was
    /// renamed since.
    pub fn says(&self, other: &Self) -> bool {
        let same = |(one, other): (&ImportedVote, &ImportedVote)| {
            ImportedVote { lesson: None, ..one.clone() } == ImportedVote { lesson: None, ..other.clone() }
        };
        self.client == other.client
            && self.votes.len() == other.votes.len()
            && self.votes.iter().zip(&other.votes).all(same)
    }
}

/// Votes that were brought in were taken out again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportVoided {
    /// The log position at which they came in.
    pub import: u64,
    /// The votes.
    pub votes: Vec<ImportedVote>,
}

/// A vote that was given elsewhere. There are many of them in a log, so that the names in it are
/// short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportedVote {
    /// The index of the arm that was shown on the left.
    #[serde(rename = "l")]
    pub left: u32,
    /// The index of the arm that was shown on the right.
    #[serde(rename = "r")]
    pub right: u32,
    /// What was said, from the viewpoint of the left one; never skipped.
    #[serde(rename = "a")]
    pub answer: Answer,
    /// How much it counts, if not 1.
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Who said it.
    #[serde(rename = "v", default, skip_serializing_if = "Option::is_none")]
    pub voter: Option<String>,
    /// When it was said.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Time>,
    /// How likely the pair was where it was drawn.
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    pub propensity: Option<f64>,
    /// What the policy learned of it; nothing where it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<Lesson>,
}

impl ImportedVote {
    /// The arms: left, right.
    pub fn sides(&self) -> (Arm, Arm) {
        (Arm::new(self.left as usize), Arm::new(self.right as usize))
    }

    /// The vote as all others.
    pub(crate) fn vote(&self) -> Option<PairVote> {
        PairVote::new(self.sides(), self.answer, self.weight.unwrap_or(1.0), self.propensity)
    }
}

/// Votes to be brought in, all of them or none.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportRequest {
    /// The client's name for the request: said again, it is done once.
    pub client: String,
    /// Where they are from, for people.
    pub source: String,
    /// The votes.
    pub votes: Vec<NewVote>,
}

/// A vote to be brought in.
#[derive(Debug, Clone, PartialEq)]
pub struct NewVote {
    /// The arm that was shown on the left.
    pub left: String,
    /// The arm that was shown on the right.
    pub right: String,
    /// What was said.
    pub answer: Answer,
    /// How much it counts, above 0 and at most 1.
    pub weight: Option<f64>,
    /// Who said it.
    pub voter: Option<String>,
    /// When it was said.
    pub said: Option<Time>,
    /// How likely the pair was where it was drawn, above 0 and at most 1.
    pub propensity: Option<f64>,
}

/// Several arms that were compared at once elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedVote {
    /// The arms that were shown.
    pub arms: Vec<String>,
    /// What was said of them.
    pub ranking: Ranking<String>,
    /// How much it counts, above 0 and at most 1.
    pub weight: Option<f64>,
    /// Who said it.
    pub voter: Option<String>,
    /// When it was said.
    pub said: Option<Time>,
}

impl RankedVote {
    /// A ranking of all arms, best first; those that are equally good stand together.
    pub fn order(tiers: Vec<Vec<String>>) -> Self {
        let arms = tiers.iter().flatten().cloned().collect();
        Self { arms, ranking: Ranking::Order(tiers), weight: None, voter: None, said: None }
    }

    /// The best of these arms.
    pub fn best(best: String, arms: Vec<String>) -> Self {
        Self { arms, ranking: Ranking::Best(best), weight: None, voter: None, said: None }
    }

    /// The votes of two arms that it is, each of the weight that a pair of so many arms has.
    ///
    /// # Errors
    ///
    /// If there are too few arms or too many, or one of them stands twice or is not there.
    pub fn votes(self) -> Result<Vec<NewVote>, Refusal> {
        let Self { arms, ranking, weight, voter, said } = self;
        let n_arms = arms.len();
        if !(2..=MOST_RANKED as usize).contains(&n_arms) {
            let (got, most) = (n_arms as u64, u64::from(MOST_RANKED));
            return Err(Refusal::OutOfRange { what: "the number of ranked arms", got, least: 2, most });
        }
        match &ranking {
            Ranking::Order(tiers) => check_names(tiers)?,
            Ranking::Best(best) => {
                check_names(&arms.iter().map(|arm| vec![arm.clone()]).collect::<Vec<_>>())?;
                if !arms.contains(best) {
                    return Err(Refusal::NotInSlate { name: best.clone() });
                }
            }
        }
        let weight = weight.unwrap_or(1.0) * weight_of(n_arms);
        let vote = |(left, right, answer): (&String, &String, Answer)| NewVote {
            left: left.clone(),
            right: right.clone(),
            answer,
            weight: Some(weight),
            voter: voter.clone(),
            said,
            propensity: None,
        };
        Ok(ranking.pairs(&arms).into_iter().map(vote).collect())
    }
}

impl Experiment {
    /// What votes from elsewhere become in the log.
    ///
    /// # Errors
    ///
    /// If they are refused.
    pub fn import(&self, request: ImportRequest) -> Result<Imported, Refusal> {
        let ImportRequest { client, source, votes } = request;
        check_name("a client id", &client)?;
        check_name("the source", &source)?;
        if !(1..=MOST_VOTES).contains(&votes.len()) {
            let (got, most) = (votes.len() as u64, MOST_VOTES as u64);
            return Err(Refusal::OutOfRange { what: "the number of votes", got, least: 1, most });
        }
        self.check_arms_of(&votes)?;
        let votes: Result<_, _> = votes
            .into_iter()
            .enumerate()
            .map(|(at, vote)| {
                let within = |wrong| Refusal::InVote { at, wrong: Box::new(wrong) };
                self.import_one(vote).map_err(within)
            })
            .collect();
        Ok(Imported { client, source, votes: votes? })
    }

    /// Refuses votes on arms that are not there, and names them all: whoever brings a file wants to
    /// add them at once.
    fn check_arms_of(&self, votes: &[NewVote]) -> Result<(), Refusal> {
        let arms = votes.iter().flat_map(|vote| [&vote.left, &vote.right]);
        let unknown: BTreeSet<&String> = arms.filter(|name| self.arm(name).is_err()).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let names = unknown.iter().take(NAMED).map(|&name| name.clone()).collect();
        Err(Refusal::UnknownArms { names, more: unknown.len().saturating_sub(NAMED) })
    }

    fn import_one(&self, vote: NewVote) -> Result<ImportedVote, Refusal> {
        let NewVote { left, right, answer, weight, voter, said, propensity } = vote;
        if answer.outcome().is_none() {
            return Err(Refusal::SkippedVote);
        }
        let share = |what, value: Option<f64>| match value {
            // Written positively so that NaN fails.
            Some(value) if !(value > 0.0 && value <= 1.0) => Err(Refusal::NoShare { what, value }),
            value => Ok(value),
        };
        if let Some(voter) = &voter {
            check_name("a voter's name", voter)?;
        }
        Ok(ImportedVote {
            left: number(self.arm(&left)?),
            right: number(self.arm(&right)?),
            answer,
            weight: share("a weight", weight)?.filter(|&weight| weight < 1.0),
            voter,
            said,
            propensity: share("a propensity", propensity)?,
            lesson: None,
        })
    }

    /// The event of votes being brought in, with what the policy learns of each as it is now.
    ///
    /// # Errors
    ///
    /// If the experiment is closed.
    pub fn take_in(&self, mut imported: Imported, rng: &mut dyn Rng) -> Result<Event, Refusal> {
        if self.status() == Status::Closed {
            return Err(Refusal::Closed);
        }
        for vote in &mut imported.votes {
            vote.lesson = self.lesson_of(vote, rng);
        }
        Ok(Event::Imported(imported))
    }

    /// Nothing where the policy learns from its own duels only, or needs to know how likely the
    /// pair was and nobody knows.
    fn lesson_of(&self, vote: &ImportedVote, rng: &mut dyn Rng) -> Option<Lesson> {
        let vote = vote.vote()?;
        Lesson::new(&self.policy, vote.sides(), vote.propensity, vote.weighted_outcome(), rng)
    }
}
