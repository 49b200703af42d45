//! How far each voter agrees with the others, so that a careless or hostile one stands out.
//!
//! A vote of a voter is compared with what the *other voters* said of the same pair, each of whom
//! counts once however often they voted: a crowd of one does not make its opponent an outsider.
//! Someone who votes like the others agrees as often as they agree among themselves; someone who
//! does not look agrees half of the time, whatever the pair; someone who votes against agrees less
//! often than that. The sides were tossed, so that whoever always takes the same side shows too.

use std::collections::BTreeMap;

use tiltyard_bandit::{Arm, Outcome};

use crate::domain::{Answer, BallotEvent, PairVote};

/// With fewer others on a pair there is no majority to agree with.
const LEAST_OTHERS: f64 = 3.0;

/// The chance that any voter at all is taken for what it is not.
const LEVEL: f64 = 0.01;

/// Wins of the first and of the second arm of a pair.
type Counts = [f64; 2];

/// The votes of an experiment, voter by voter.
#[derive(Debug, Clone, Default)]
pub struct Agreement {
    numbers: BTreeMap<String, usize>,
    voters: Vec<Voter>,
    /// Votes without a voter's name, each of which may be of somebody else.
    nameless_pairs: BTreeMap<(Arm, Arm), Counts>,
    nameless: u64,
}

#[derive(Debug, Clone, Default)]
struct Voter {
    name: String,
    votes: u64,
    left: u64,
    right: u64,
    pairs: BTreeMap<(Arm, Arm), Counts>,
}

/// How a voter votes beside the others.
#[derive(Debug, Clone, PartialEq)]
pub struct VoterAgreement {
    /// The name.
    pub voter: String,
    /// Votes that count.
    pub votes: u64,
    /// Votes for what was shown on the left.
    pub left: u64,
    /// Votes for what was shown on the right.
    pub right: u64,
    /// Votes that can be compared: not ties, on pairs of which enough others said which is better.
    pub compared: f64,
    /// The share of those that agree with the majority of the others.
    pub agreement: Option<f64>,
    /// The share that would be expected if the voter voted like the others.
    pub expected: Option<f64>,
    /// By how many standard deviations the agreement is off; below 0 where it is less than
    /// expected.
    pub deviation: Option<f64>,
    /// What stands out, if anything does.
    pub stands_out: Option<VoterFlag>,
}

/// What stands out about a voter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoterFlag {
    /// Agrees less often than by chance.
    Against,
    /// Agrees no more often than by chance, where others agree more.
    Careless,
    /// Takes one side.
    OneSided,
}

impl Agreement {
    /// Takes another step of the log in.
    pub fn push(&mut self, step: &BallotEvent) {
        match step {
            BallotEvent::Voted(ballot) => {
                let voter = ballot.voter.as_ref();
                // The pairs of a ranking are shares of one vote.
                self.count(voter);
                for vote in ballot.votes() {
                    self.compare(voter, &vote, vote.weight);
                }
                self.lean(voter, ballot.answer);
            }
            // Nobody knows whether their sides were tossed.
            BallotEvent::Imported(batch) => {
                for vote in &batch.votes {
                    self.count(vote.voter.as_ref());
                    if let Some(pair) = vote.vote() {
                        self.compare(vote.voter.as_ref(), &pair, 1.0);
                    }
                }
            }
            BallotEvent::Issued { .. } | BallotEvent::Ended { .. } => {}
        }
    }

    /// Takes note of the side that a voter took.
    fn lean(&mut self, name: Option<&String>, answer: Answer) {
        let Some(voter) = name.and_then(|name| self.numbers.get(name)) else { return };
        let voter = &mut self.voters[*voter];
        match answer.outcome().and_then(side_of) {
            Some(0) => voter.left += 1,
            Some(_) => voter.right += 1,
            None => {}
        }
    }

    /// Somebody has voted.
    fn count(&mut self, name: Option<&String>) {
        let Some(name) = name else {
            self.nameless += 1;
            return;
        };
        let number = *self.numbers.entry(name.clone()).or_insert_with(|| {
            self.voters.push(Voter { name: name.clone(), ..Voter::default() });
            self.voters.len() - 1
        });
        self.voters[number].votes += 1;
    }

    /// Which of two arms is better, says somebody who was counted.
    fn compare(&mut self, name: Option<&String>, vote: &PairVote, weight: f64) {
        let (left, right) = vote.sides();
        let seen = if left < right { vote.outcome } else { vote.outcome.flipped() };
        let pair = (left.min(right), left.max(right));
        let Some(side) = side_of(seen).filter(|_| left != right) else { return };
        let pairs = match name.and_then(|name| self.numbers.get(name)) {
            Some(&voter) => &mut self.voters[voter].pairs,
            None => &mut self.nameless_pairs,
        };
        pairs.entry(pair).or_default()[side] += weight;
    }

    /// Votes that name no voter.
    pub fn nameless(&self) -> u64 {
        self.nameless
    }

    /// All voters; those who stand out most come first.
    pub fn voters(&self) -> Vec<VoterAgreement> {
        let threshold = LEVEL / (3 * self.voters.len().max(1)) as f64;
        let opinions = self.opinions();
        let standing = |voter| standing(voter, &opinions, threshold);
        let mut standings: Vec<_> = self.voters.iter().map(standing).collect();
        standings.sort_by(|one, other| {
            let urgency = |standing: &VoterAgreement| {
                (standing.stands_out.is_none(), standing.deviation.unwrap_or(0.0))
            };
            let (one_calm, one_off) = urgency(one);
            let (other_calm, other_off) = urgency(other);
            one_calm
                .cmp(&other_calm)
                .then(one_off.total_cmp(&other_off))
                .then_with(|| one.voter.cmp(&other.voter))
        });
        standings
    }

    /// For each pair, how many say which of the two is better: each voter counts once, in parts if
    /// they said both.
    fn opinions(&self) -> BTreeMap<(Arm, Arm), Counts> {
        let mut opinions = self.nameless_pairs.clone();
        for (pair, own) in self.voters.iter().flat_map(|voter| &voter.pairs) {
            let n = own[0] + own[1];
            let opinion = opinions.entry(*pair).or_default();
            for side in [0, 1] {
                opinion[side] += own[side] / n;
            }
        }
        opinions
    }
}

/// How a voter votes beside the others.
fn standing(voter: &Voter, opinions: &BTreeMap<(Arm, Arm), Counts>, threshold: f64) -> VoterAgreement {
    let (mut compared, mut agreed, mut expected, mut variance) = (0.0, 0.0, 0.0, 0.0);
    for (pair, own) in &voter.pairs {
        let all = opinions.get(pair).copied().unwrap_or_default();
        let n = own[0] + own[1];
        let others = [all[0] - own[0] / n, all[1] - own[1] / n];
        let n_others = others[0] + others[1];
        // Shares are added up in floating point.
        if n_others < LEAST_OTHERS - 1e-9 || (others[0] - others[1]).abs() < 1e-9 {
            continue;
        }
        let majority = usize::from(others[1] > others[0]);
        // Laplace's rule: three others of one mind do not mean that everybody is.
        let share = (others[majority] + 1.0) / (n_others + 2.0);
        compared += n;
        agreed += own[majority];
        expected += n * share;
        // The votes scatter, and so do the others from whom the share was estimated.
        variance += share * (1.0 - share) * (n + n * n / (n_others + 3.0));
    }
    let deviation = (variance > 0.0).then(|| (agreed - expected) / variance.sqrt());
    let off = deviation.is_some_and(|deviation| lower_tail(deviation) < threshold);
    let from_chance = 2.0 * (agreed - compared / 2.0) / compared.sqrt();
    let decisive = (voter.left + voter.right) as f64;
    let leaning = (voter.left as f64 - voter.right as f64).abs() / decisive.sqrt();
    let stands_out = if decisive > 0.0 && 2.0 * lower_tail(-leaning) < threshold {
        Some(VoterFlag::OneSided)
    } else if off && lower_tail(from_chance) < threshold {
        Some(VoterFlag::Against)
    } else if off {
        Some(VoterFlag::Careless)
    } else {
        None
    };
    VoterAgreement {
        voter: voter.name.clone(),
        votes: voter.votes,
        left: voter.left,
        right: voter.right,
        compared,
        agreement: (compared > 0.0).then(|| agreed / compared),
        expected: (compared > 0.0).then(|| expected / compared),
        deviation,
        stands_out,
    }
}

/// Which of the two is better; nothing for a tie.
fn side_of(outcome: Outcome) -> Option<usize> {
    let score = outcome.score();
    if score > 0.0 {
        Some(0)
    } else if score < 0.0 {
        Some(1)
    } else {
        None
    }
}

/// The chance of a standard normal number below x.
fn lower_tail(x: f64) -> f64 {
    libm::erfc(-x / core::f64::consts::SQRT_2) / 2.0
}
