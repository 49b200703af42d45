//! Imported votes: they were given elsewhere and come from another service, a file or an earlier
//! experiment.
//!
//! Imported votes have no duel. Nothing about them is in flight, expires or can be answered. They
//! count like other votes, and are also counted separately. A batch can be voided as a whole.

use std::collections::{BTreeMap, BTreeSet};

use rand::Rng;
use serde::{Deserialize, Serialize};
use tiltyard_bandit::Arm;

use crate::domain::{
    Answer, Event, Experiment, Lesson, MOST_RANKED, PairVote, Person, Ranking, Refusal, Status, Voter,
    check_name, check_names, number, weight_of,
};
use crate::time::Time;

/// The most votes in one batch.
pub(crate) const MOST_VOTES: usize = 1000;

/// The most unknown arms that a refusal names.
const NAMED: usize = 10;

/// Votes were imported.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Imported {
    /// The client id of the request.
    pub client: String,
    /// Where the votes come from, for people to read.
    pub source: String,
    pub votes: Vec<ImportedVote>,
}

impl Imported {
    /// Whether it has the same client id and the same votes as a request that was checked. The
    /// lessons do not matter, nor does the source: the file may have been renamed. `numbers` are
    /// those of the request's voters.
    pub fn says(&self, request: &Self, numbers: &BTreeMap<String, u64>) -> bool {
        let plain = |vote: &ImportedVote| ImportedVote { lesson: None, voter: None, ..vote.clone() };
        let same = |(one, other): (&ImportedVote, &ImportedVote)| {
            let by_same = match (&one.voter, &other.voter) {
                (Some(voter), Some(Voter::Name(name))) => voter.is(&person(name, numbers)),
                (voter, other) => voter == other,
            };
            by_same && plain(one) == plain(other)
        };
        self.client == request.client
            && self.votes.len() == request.votes.len()
            && self.votes.iter().zip(&request.votes).all(same)
    }
}

/// Imported votes were voided.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportVoided {
    /// The log position of the import.
    pub import: u64,
    pub votes: Vec<ImportedVote>,
}

/// An imported vote. A log has many of them, so their JSON keys are short.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ImportedVote {
    /// The index of the arm shown on the left.
    #[serde(rename = "l")]
    pub left: u32,
    /// The index of the arm shown on the right.
    #[serde(rename = "r")]
    pub right: u32,
    /// The answer, from the viewpoint of the left arm; never a skip.
    #[serde(rename = "a")]
    pub answer: Answer,
    /// How much it counts, if not 1.
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    #[serde(rename = "v", default, skip_serializing_if = "Option::is_none")]
    pub voter: Option<Voter>,
    /// When the voter answered.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Time>,
    /// The probability with which the pair was drawn at its source.
    #[serde(rename = "p", default, skip_serializing_if = "Option::is_none")]
    pub propensity: Option<f64>,
    /// The lesson that the policy learned; `None` if it cannot learn from the vote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<Lesson>,
}

impl ImportedVote {
    /// The left and the right arm.
    pub fn sides(&self) -> (Arm, Arm) {
        (Arm::new(self.left as usize), Arm::new(self.right as usize))
    }

    /// The vote in the form of all votes.
    pub(crate) fn vote(&self) -> Option<PairVote> {
        PairVote::new(self.sides(), self.answer, self.weight.unwrap_or(1.0), self.propensity)
    }
}

/// A request to import votes, all of them or none.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct ImportRequest {
    /// The client id of the request. A repeated request does not import the votes again.
    pub client: String,
    /// Where the votes come from, for people to read.
    pub source: String,
    pub votes: Vec<NewVote>,
}

/// A vote to import.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct NewVote {
    /// The name of the arm shown on the left.
    pub left: String,
    /// The name of the arm shown on the right.
    pub right: String,
    pub answer: Answer,
    /// How much it counts, above 0 and at most 1.
    pub weight: Option<f64>,
    pub voter: Option<String>,
    /// When the voter answered.
    pub said: Option<Time>,
    /// The probability with which the pair was drawn at its source, above 0 and at most 1.
    pub propensity: Option<f64>,
}

/// A ranking of several arms to import.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct RankedVote {
    /// The arms that were shown.
    pub arms: Vec<String>,
    pub ranking: Ranking<String>,
    /// How much it counts, above 0 and at most 1.
    pub weight: Option<f64>,
    pub voter: Option<String>,
    /// When the voter answered.
    pub said: Option<Time>,
}

impl RankedVote {
    /// A ranking of all arms, best first. Equally good arms share a tier.
    pub fn order(tiers: Vec<Vec<String>>) -> Self {
        let arms = tiers.iter().flatten().cloned().collect();
        Self { arms, ranking: Ranking::Order(tiers), weight: None, voter: None, said: None }
    }

    /// The choice of the best of these arms.
    pub fn best(best: String, arms: Vec<String>) -> Self {
        Self { arms, ranking: Ranking::Best(best), weight: None, voter: None, said: None }
    }

    /// The votes about pairs in the ranking. Each has the weight of the ranking times [`weight_of`]
    /// the number of arms.
    ///
    /// # Errors
    ///
    /// If there are too few or too many arms, if an arm is named twice, or if the best arm was not
    /// shown.
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
    /// Checks votes, and converts them to the form of the log. Voters still have their names.
    ///
    /// # Errors
    ///
    /// If the votes are refused.
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

    /// Refuses votes on arms that do not exist. The refusal is about all such arms together, so
    /// that the caller can add them at once.
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
            voter: voter.map(Voter::Name),
            said,
            propensity: share("a propensity", propensity)?,
            lesson: None,
        })
    }

    /// The event that imports votes, with what the policy, in its current state, learns from each.
    /// `numbers` are those of the voters' names; a name without a number gets one.
    ///
    /// # Errors
    ///
    /// If the experiment is closed.
    pub fn take_in(
        &self,
        mut imported: Imported,
        mut numbers: BTreeMap<String, u64>,
        rng: &mut dyn Rng,
    ) -> Result<Event, Refusal> {
        if self.status() == Status::Closed {
            return Err(Refusal::Closed);
        }
        for vote in &mut imported.votes {
            vote.lesson = self.lesson_of(vote, rng);
        }
        for voter in imported.votes.iter_mut().filter_map(|vote| vote.voter.as_mut()) {
            if let Voter::Name(name) = voter {
                *voter = person(name, &numbers).voter(rng);
            }
            if let Voter::Number(number, Some(name)) = voter {
                numbers.insert(name.clone(), *number);
            }
        }
        Ok(Event::Imported(imported))
    }

    /// `None` if the policy learns only from its own duels, or if it needs the probability of the
    /// pair and that is unknown.
    fn lesson_of(&self, vote: &ImportedVote, rng: &mut dyn Rng) -> Option<Lesson> {
        let vote = vote.vote()?;
        Lesson::new(&self.policy, vote.sides(), vote.propensity, vote.weighted_outcome(), rng)
    }
}

fn person(name: &str, numbers: &BTreeMap<String, u64>) -> Person {
    Person { name: name.to_owned(), number: numbers.get(name).copied() }
}
