//! Slates: several arms shown together, and how much a ranking of them, or the choice of the best,
//! counts.
//!
//! A slate is a duel that the policy draws, with other arms next to its two, drawn uniformly. The
//! answer becomes votes about pairs. Each arm of a slate of n arms is in n - 1 pairs. These pairs
//! are a single judgement of one person and are not independent, so each decided pair has the
//! weight 1/(n - 1). Raised to that power, the product of the n - 1 bets on an arm has a mean of at
//! most 1, however they depend on each other (Hölder). The product of the bets on all pairs has so
//! as well, if the person's impressions of the arms are independent (Finner). A ranking of n arms
//! counts for n/2 votes, a choice of the best for one.
//!
//! All pairs of a slate are in flight from its issue, because evidence is read in the order of
//! issue.

use std::collections::BTreeSet;
use std::sync::Arc;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tiltyard_bandit::{Arm, Draw};

use crate::domain::{
    Answer, Comparison, DrawnDuel, Event, Experiment, IssueRequest, Known, Lesson, PairVote, Ranking, Record,
    Refusal, Reply, check_names, number, weight_of,
};
use crate::id::DuelId;
use crate::time::Time;

/// The fewest arms of a slate: two are a duel.
const LEAST_ARMS: u32 = 3;

/// The most arms of a slate. Nobody ranks more, and 20 arms have 190 pairs.
pub const MOST_RANKED: u32 = 20;

/// A request for a slate.
#[derive(Debug, Clone, PartialEq)]
pub struct SlateRequest {
    /// The number of arms.
    pub size: u32,
    /// The client id of the request. A repeated request returns the same slate.
    pub client: Option<String>,
    /// Data to store with the slate.
    pub context: Option<Value>,
}

/// An answer to a slate.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct RankRequest {
    pub ranking: Ranking<String>,
    pub voter: Option<String>,
    /// When the voter answered, by the caller's clock.
    pub said: Option<Time>,
}

/// Arms that are shown together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slate {
    /// Their indices, in the order in which they are shown.
    pub arms: Vec<u32>,
    /// The probability of each arm, in the same order, for a slot of the duel from which the slate
    /// was made, before equal arms were excluded. Empty if it is unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chances: Vec<f64>,
    /// The probability that two such slots hold different arms.
    pub z: f64,
    /// The number of arms to choose from.
    pub of: u32,
}

impl Slate {
    /// The number of arms shown.
    pub fn size(&self) -> usize {
        self.arms.len()
    }

    /// The weight of each pair that is decided.
    pub fn weight(&self) -> f64 {
        weight_of(self.size())
    }

    fn chance(&self, arm: u32) -> Option<f64> {
        let index = self.arms.iter().position(|&other| other == arm)?;
        self.chances.get(index).copied()
    }

    /// The probability that a slate holds both of two of its arms.
    ///
    /// Both were drawn, or one was drawn and one was added, or both were added.
    pub fn inclusion(&self, one: u32, other: u32) -> Option<f64> {
        let (p, q) = (self.chance(one)?, self.chance(other)?);
        let (n, k) = (self.size() as f64, f64::from(self.of));
        let both = 2.0 * p * q / self.z;
        let drawn = |p: f64| 2.0 * p * (1.0 - p) / self.z;
        let (one, other) = (drawn(p), drawn(q));
        // Of k - 2 arms, n - 2 are added. These are the probabilities that a given arm is added,
        // and that two given arms are.
        let added = (n - 2.0) / (k - 2.0);
        let both_added = if n > 3.0 { added * (n - 3.0) / (k - 3.0) } else { 0.0 };
        let neither = (1.0 - (one + other) + both).max(0.0);
        // Rounding must not make the probability larger than 1.
        Some((both + (one + other - 2.0 * both) * added + neither * both_added).min(1.0))
    }

    /// The votes about the pairs that a ranking decides. The propensity of a pair includes its
    /// order: which of the two arms is shown first is a fair coin toss.
    pub fn votes(&self, ranking: &Ranking<u32>) -> Vec<PairVote> {
        let vote = |(&left, &right, answer): (&u32, &u32, Answer)| {
            let propensity = self.inclusion(left, right).map(|both| both / 2.0);
            let sides = (Arm::new(left as usize), Arm::new(right as usize));
            PairVote::new(sides, answer, self.weight(), propensity)
        };
        ranking.pairs(&self.arms).into_iter().filter_map(vote).collect()
    }

    /// Whether this can be a slate of this duel, in an experiment with `n_arms` arms.
    pub(crate) fn fits(&self, drawn: &DrawnDuel, n_arms: usize) -> bool {
        let arms: BTreeSet<u32> = self.arms.iter().copied().collect();
        arms.len() == self.size()
            && arms.iter().all(|&arm| (arm as usize) < n_arms)
            && [drawn.ticket.left, drawn.ticket.right].into_iter().all(|arm| arms.contains(&number(arm)))
    }
}

/// The ranking of a slate, and the lessons from it.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ranked {
    pub ranking: Ranking<u32>,
    /// What the policy learned, other than by the duel's own ticket.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<Lesson>,
    /// What the apprentice learned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub apprentice: Vec<Lesson>,
}

impl Experiment {
    /// Issues a slate and folds it.
    ///
    /// # Errors
    ///
    /// If the request is refused. Nothing is folded then.
    pub fn issue_slate(
        &mut self,
        request: &SlateRequest,
        now: Time,
        rng: &mut dyn Rng,
    ) -> Result<Record, Refusal> {
        let SlateRequest { size, client, context } = request;
        let (client, context) = (client.clone(), context.clone());
        let issue = IssueRequest { count: 1, distinct: Some(true), client, context };
        self.check_issue(&issue)?;
        if !(LEAST_ARMS..=MOST_RANKED).contains(size) {
            let (got, least, most) = (u64::from(*size), u64::from(LEAST_ARMS), u64::from(MOST_RANKED));
            return Err(Refusal::OutOfRange { what: "the size of a slate", got, least, most });
        }
        let active = self.active.len();
        if *size as usize > active {
            return Err(Refusal::SlateTooLarge { size: *size, active });
        }
        let drawn = self.draw(true, now, rng)?;
        let slate = Some(Arc::new(self.fill(&drawn, *size as usize, rng)));
        Ok(self.fold_next(now, Event::Issued(issue.issued(Comparison { drawn, slate }, rng))))
    }

    /// The slate of a duel: its arms and others drawn uniformly, in random order.
    fn fill(&self, drawn: &DrawnDuel, size: usize, rng: &mut dyn Rng) -> Slate {
        let n_active = self.active.len();
        let mut arms = vec![drawn.ticket.left, drawn.ticket.right];
        // There are enough arms and few are wanted, so it rarely takes many draws to find one that
        // is not taken.
        while arms.len() < size {
            let arm = self.active[rng.random_range(0..n_active)];
            if !arms.contains(&arm) {
                arms.push(arm);
            }
        }
        for last in (1..arms.len()).rev() {
            arms.swap(last, rng.random_range(0..=last));
        }
        let uniform = 1.0 / n_active as f64;
        let (chances, z) = match drawn.ticket.draw {
            _ if drawn.holdout => (vec![uniform; size], 1.0 - uniform),
            Draw::Slots { z, .. } => {
                let all = self.policy.probabilities();
                let of = |all: Vec<f64>| arms.iter().map(|arm| all[arm.index()]).collect();
                (all.map(of).unwrap_or_default(), z)
            }
            Draw::Pair(_) | Draw::Unknown => (Vec::new(), 1.0),
        };
        let of = u32::try_from(n_active).expect("arms are fewer than 2^32");
        Slate { arms: arms.into_iter().map(number).collect(), chances, z, of }
    }

    /// The event of a ranking; `None` if the slate already has this ranking.
    ///
    /// # Errors
    ///
    /// If the ranking is refused.
    pub fn rank(
        &self,
        duel: DuelId,
        known: Known<'_>,
        request: &RankRequest,
        now: Time,
        rng: &mut dyn Rng,
    ) -> Result<Option<Event>, Refusal> {
        let known = known.of(duel);
        let past = known.past;
        if self.find(duel).is_none() && past.is_none() {
            return Err(Refusal::NoDuel);
        }
        if past.is_some_and(|past| past.voided) {
            return Err(Refusal::Voided);
        }
        let slate =
            self.slate(duel).or(past.and_then(|past| past.slate.as_ref())).ok_or(Refusal::NotASlate)?;
        let ranking = Some(self.read_ranking(slate, &request.ranking)?);
        let RankRequest { voter, said, .. } = request.clone();
        let reply = Reply { answer: Answer::Ranking, ranking, clicks: None, voter, said };
        self.accept(duel, known, reply, now, rng)
    }

    /// A ranking with indices instead of names. Equally good arms are sorted, so that a repeated
    /// ranking is equal to the first.
    fn read_ranking(&self, slate: &Slate, ranking: &Ranking<String>) -> Result<Ranking<u32>, Refusal> {
        let shown = |name: &String| {
            let arm = self.index.get(name).map(|&arm| number(arm)).filter(|arm| slate.arms.contains(arm));
            arm.ok_or_else(|| Refusal::NotInSlate { name: name.clone() })
        };
        let tiers = match ranking {
            Ranking::Best(name) => return Ok(Ranking::Best(shown(name)?)),
            Ranking::Order(tiers) => tiers,
        };
        check_names(tiers)?;
        let mut found = Vec::with_capacity(tiers.len());
        for tier in tiers {
            let mut tier = tier.iter().map(shown).collect::<Result<Vec<_>, _>>()?;
            tier.sort_unstable();
            found.push(tier);
        }
        match slate.arms.iter().find(|arm| !found.iter().flatten().any(|named| named == *arm)) {
            Some(&arm) => Err(Refusal::NotRanked { name: self.arms[arm as usize].arm.name.clone() }),
            None => Ok(Ranking::Order(found)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tiltyard_bandit::policy::AnyPolicy;
    use tiltyard_bandit::{Outcome, Ticket};

    use super::*;
    use crate::domain::experiment::build;

    fn pairs(slate: &Slate) -> impl Iterator<Item = (u32, u32)> {
        let later = |i| slate.arms[i + 1..].iter();
        slate.arms.iter().enumerate().flat_map(move |(i, &one)| later(i).map(move |&other| (one, other)))
    }

    /// All sets of `size` arms that contain `first` and `second`.
    fn filled(n_arms: u32, size: usize, first: u32, second: u32) -> Vec<Vec<u32>> {
        (0_u32..1 << n_arms)
            .map(|bits| (0..n_arms).filter(|arm| bits >> arm & 1 == 1).collect::<Vec<_>>())
            .filter(|arms| arms.len() == size && arms.contains(&first) && arms.contains(&second))
            .collect()
    }

    /// Every slate with its probability: two different arms are drawn by p, and the others are
    /// added uniformly.
    fn all_slates(p: &[f64], size: usize) -> Vec<(f64, Slate)> {
        let n_arms = u32::try_from(p.len()).expect("few arms");
        let z = 1.0 - p.iter().map(|p| p * p).sum::<f64>();
        let mut slates = Vec::new();
        for left in 0..n_arms {
            for right in (0..n_arms).filter(|&right| right != left) {
                let drawn = p[left as usize] * p[right as usize] / z;
                let sets = filled(n_arms, size, left, right);
                let share = drawn / sets.len() as f64;
                slates.extend(sets.into_iter().map(|arms| {
                    let chances = arms.iter().map(|&arm| p[arm as usize]).collect();
                    (share, Slate { arms, chances, z, of: n_arms })
                }));
            }
        }
        slates
    }

    proptest! {
        /// The probability that two arms are shown together agrees with a count over all slates,
        /// and all slates with these arms agree on it.
        #[test]
        fn law_inclusion_by_enumeration(
            weights in prop::collection::vec(0.01_f64..1.0, 3..8),
            size in 3_usize..8,
        ) {
            prop_assume!(size <= weights.len());
            let sum: f64 = weights.iter().sum();
            let p: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
            let slates = all_slates(&p, size);
            // These are sums of at most some thousand numbers below 1.
            let total: f64 = slates.iter().map(|(share, _)| share).sum();
            prop_assert!((total - 1.0).abs() < 1e-11);
            for (_, slate) in &slates {
                for (one, other) in pairs(slate) {
                    let counted: f64 = slates
                        .iter()
                        .filter(|(_, slate)| slate.arms.contains(&one) && slate.arms.contains(&other))
                        .map(|(share, _)| share)
                        .sum();
                    let said = slate.inclusion(one, other).expect("the probabilities are known");
                    prop_assert!((said - counted).abs() < 1e-11, "{one} {other}: {said} {counted}");
                    prop_assert_eq!(slate.inclusion(other, one), Some(said));
                }
            }
        }
    }

    /// On average, policies that divide by probabilities learn the same from a ranked slate as from
    /// a duel of their own.
    #[test]
    fn law_lessons_of_a_slate_have_the_mean_of_a_duel() {
        let n_arms = 5_u32;
        // Lower numbers are better, except in one pair, so that no utilities fit. The outcome of
        // each pair is certain.
        let better = |one: u32, other: u32| {
            if (one.min(other), one.max(other)) == (1, 3) { one > other } else { one < other }
        };
        let outcome = |one, other| if better(one, other) { Outcome::WIN } else { Outcome::LOSS };
        for name in ["rex3:gamma=0.3", "dexp3"] {
            let mut policy = build(name, n_arms as usize, Some(1000), 1).expect("it is in the registry");
            // The policy has some experience, so that the arms differ.
            for (left, right) in [(0, 4), (0, 3), (2, 4), (1, 2), (0, 2)] {
                let ticket =
                    policy.lesson(Arm::new(left), Arm::new(right), Some(0.05)).expect("it takes lessons");
                policy.update(&ticket, Outcome::WIN).expect("it takes wins");
            }
            let p = policy.probabilities().expect("it knows them");
            let z = 1.0 - p.iter().map(|p| p * p).sum::<f64>();
            let sums = |policy: &AnyPolicy| policy.clone().additive().expect("it is additive").sums();
            let before = sums(&policy);
            let mut of_duels = vec![0.0; n_arms as usize];
            let learn = |into: &mut Vec<f64>, share: f64, ticket: &Ticket, outcome| {
                let mut learned = policy.clone();
                learned.update(ticket, outcome).expect("it may be learned");
                for (i, sum) in sums(&learned).into_iter().enumerate() {
                    into[i] += share * (sum - before[i]);
                }
            };
            let mut own =
                policy.distinct().expect("it can").propose_distinct(&mut rng()).expect("there are arms");
            for left in 0..n_arms {
                for right in (0..n_arms).filter(|&right| right != left) {
                    let (p_left, p_right) = (p[left as usize], p[right as usize]);
                    (own.left, own.right) = (Arm::new(left as usize), Arm::new(right as usize));
                    own.draw = Draw::Slots { left: p_left, right: p_right, z };
                    learn(&mut of_duels, p_left * p_right / z, &own, outcome(left, right));
                }
            }
            for size in 3..=5 {
                let mut of_slates = vec![0.0; n_arms as usize];
                for (share, slate) in all_slates(&p, size) {
                    for (one, other) in pairs(&slate) {
                        let propensity = slate.inclusion(one, other).map(|both| both / 2.0);
                        // Either may be shown first.
                        for (left, right) in [(one, other), (other, one)] {
                            let [first, second] = [left, right].map(|arm| Arm::new(arm as usize));
                            let lesson = policy.lesson(first, second, propensity).expect("it takes lessons");
                            learn(&mut of_slates, share / 2.0, &lesson, outcome(left, right));
                        }
                    }
                }
                for (slates, duels) in of_slates.iter().zip(&of_duels) {
                    // Sums of some hundred numbers below 100, with the rounding of sums near 10.
                    assert!((slates - duels).abs() < 1e-9, "{name} {size}: {of_slates:?} {of_duels:?}");
                }
            }
        }
    }

    fn rng() -> rand::rngs::ChaCha8Rng {
        rand::SeedableRng::seed_from_u64(1)
    }
}
