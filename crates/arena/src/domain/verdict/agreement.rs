//! How often each voter agrees with the others. Careless and hostile voters stand out.
//!
//! A vote is compared with the opinions of the *other voters* on the same pair. Each of them counts
//! once, however often they voted, so that one busy voter cannot make another look like an
//! outsider. A voter who votes like the others agrees as often as they agree among themselves. A
//! careless voter agrees half of the time, whatever the pair. A voter who votes against
//! the others agrees less often than that. The sides of a duel are random, so a voter who always
//! takes the same side stands out as well.

use std::collections::BTreeMap;

use tiltyard_bandit::{Arm, Outcome};

use crate::domain::{Answer, BallotEvent, PairVote};

/// With fewer other voters on a pair, there is no majority to agree with.
const LEAST_OTHERS: f64 = 3.0;

/// The allowed probability that any voter is flagged wrongly.
const LEVEL: f64 = 0.01;

/// Wins of the first and of the second arm of a pair.
type Counts = [f64; 2];

/// The votes of an experiment, voter by voter.
#[derive(Debug, Clone, Default)]
pub struct Agreement {
    numbers: BTreeMap<String, usize>,
    voters: Vec<Voter>,
    /// Votes without a voter's name. Each may come from another person.
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

/// The votes of a voter, compared with those of the others.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct VoterAgreement {
    pub voter: String,
    /// Votes that count.
    pub votes: u64,
    /// Votes for the arm shown on the left.
    pub left: u64,
    /// Votes for the arm shown on the right.
    pub right: u64,
    /// Votes that can be compared: no ties, and on pairs with enough opinions of other voters.
    pub compared: f64,
    /// The share of compared votes that agree with the majority of the others.
    pub agreement: Option<f64>,
    /// The share expected of a voter who votes like the others.
    pub expected: Option<f64>,
    /// The distance of the agreement from the expected share, in standard deviations. Negative if
    /// the voter agrees less often than expected.
    pub deviation: Option<f64>,
    /// Why the voter stands out, if at all.
    pub stands_out: Option<VoterFlag>,
}

/// The reason why a voter stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoterFlag {
    /// Agrees less often than by chance.
    Against,
    /// Agrees less often than the others do, but not less often than by chance.
    Careless,
    /// Takes one side, left or right, too often.
    OneSided,
}

impl Agreement {
    /// Processes the next step of the log.
    pub fn push(&mut self, step: &BallotEvent) {
        match step {
            BallotEvent::Voted(ballot) => {
                let voter = ballot.voter.as_ref();
                // The pairs of a ranking share one vote.
                self.count(voter);
                for vote in ballot.votes() {
                    self.compare(voter, &vote, vote.weight);
                }
                self.lean(voter, ballot.answer);
            }
            // Whether the sides of imported votes were random is unknown, so sides are not counted.
            BallotEvent::Imported(batch) => {
                for vote in &batch.votes {
                    let voter = vote.voter.as_ref().map(ToString::to_string);
                    self.count(voter.as_ref());
                    if let Some(pair) = vote.vote() {
                        self.compare(voter.as_ref(), &pair, 1.0);
                    }
                }
            }
            BallotEvent::Issued { .. } | BallotEvent::Ended { .. } => {}
        }
    }

    /// Counts the side that a voter took.
    fn lean(&mut self, name: Option<&String>, answer: Answer) {
        let Some(voter) = name.and_then(|name| self.numbers.get(name)) else { return };
        let voter = &mut self.voters[*voter];
        match answer.outcome().and_then(side_of) {
            Some(0) => voter.left += 1,
            Some(_) => voter.right += 1,
            None => {}
        }
    }

    /// Counts a vote.
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

    /// Adds the opinion of a voter who was counted.
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

    /// The number of votes without a voter's name.
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

    /// For each pair, the number of voters who prefer each of its arms. Each voter counts once,
    /// split in proportion if they voted both ways.
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

fn standing(voter: &Voter, opinions: &BTreeMap<(Arm, Arm), Counts>, threshold: f64) -> VoterAgreement {
    let (mut compared, mut agreed, mut expected, mut variance) = (0.0, 0.0, 0.0, 0.0);
    for (pair, own) in &voter.pairs {
        let all = opinions.get(pair).copied().unwrap_or_default();
        let n = own[0] + own[1];
        let others = [all[0] - own[0] / n, all[1] - own[1] / n];
        let n_others = others[0] + others[1];
        // The tolerances allow for rounding in sums of shares.
        if n_others < LEAST_OTHERS - 1e-9 || (others[0] - others[1]).abs() < 1e-9 {
            continue;
        }
        let majority = usize::from(others[1] > others[0]);
        // Laplace's rule of succession: if three others agree, not everybody need agree.
        let share = (others[majority] + 1.0) / (n_others + 2.0);
        compared += n;
        agreed += own[majority];
        expected += n * share;
        // The votes are random, and so is the share, which is estimated from the others.
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

/// 0 if the first is better, 1 if the second is better; `None` for a tie.
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

/// The probability that a standard normal variable is below x.
fn lower_tail(x: f64) -> f64 {
    libm::erfc(-x / core::f64::consts::SQRT_2) / 2.0
}
