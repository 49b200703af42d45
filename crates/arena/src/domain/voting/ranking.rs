//! Rankings of several arms that were shown together, and the votes about pairs in them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use tiltyard_bandit::{Arm, Outcome};

use crate::domain::{Answer, DrawnDuel, Refusal, number};

/// An answer about arms that were shown together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ranking<T> {
    /// All arms, best first. Equally good arms share a tier.
    Order(Vec<Vec<T>>),
    /// The best arm. It says nothing about the others among themselves.
    Best(T),
}

impl<T: PartialEq> Ranking<T> {
    /// The answer about two of the arms, from the viewpoint of the first. `None` if the ranking
    /// says nothing about them.
    fn of(&self, one: &T, other: &T) -> Option<Answer> {
        let (one, other) = match self {
            Self::Order(tiers) => {
                let tier = |arm| tiers.iter().position(|tier| tier.contains(arm));
                (tier(one)?, tier(other)?)
            }
            Self::Best(best) if one == best => (0, 1),
            Self::Best(best) if other == best => (1, 0),
            Self::Best(_) => return None,
        };
        Some(match one.cmp(&other) {
            core::cmp::Ordering::Less => Answer::Left,
            core::cmp::Ordering::Equal => Answer::Tie,
            core::cmp::Ordering::Greater => Answer::Right,
        })
    }

    /// The pairs of these arms that are decided, each with the answer from the viewpoint of its
    /// first arm.
    pub fn pairs<'a>(&self, arms: &'a [T]) -> Vec<(&'a T, &'a T, Answer)> {
        let pairs =
            arms.iter().enumerate().flat_map(|(i, one)| arms[i + 1..].iter().map(move |other| (one, other)));
        pairs.filter_map(|(one, other)| self.of(one, other).map(|answer| (one, other, answer))).collect()
    }
}

impl Ranking<u32> {
    /// The outcome of the two arms that were drawn, from the viewpoint of the ticket's left arm.
    /// `None` if only the best arm was named, because whether that says anything about two arms
    /// depends on how good they are.
    pub(crate) fn drawn(&self, drawn: &DrawnDuel) -> Option<Outcome> {
        let Self::Order(_) = self else { return None };
        self.of_pair(drawn.ticket.left, drawn.ticket.right)
    }

    /// The outcome of two of the arms, from the viewpoint of the first.
    pub(crate) fn of_pair(&self, one: Arm, other: Arm) -> Option<Outcome> {
        self.of(&number(one), &number(other)).and_then(Answer::outcome)
    }
}

impl<T: Ord> Ranking<T> {
    /// Whether this can be a ranking of these arms: an order must name each of them once.
    pub(crate) fn is_of(&self, arms: &[T]) -> bool {
        match self {
            Self::Best(best) => arms.contains(best),
            Self::Order(tiers) => {
                let named: Vec<&T> = tiers.iter().flatten().collect();
                let all: BTreeSet<&T> = named.iter().copied().collect();
                named.len() == arms.len()
                    && all == arms.iter().collect()
                    && tiers.iter().all(|tier| !tier.is_empty())
            }
        }
    }
}

/// The weight of each pair that a ranking of `n_arms` arms decides.
pub fn weight_of(n_arms: usize) -> f64 {
    1.0 / n_arms.saturating_sub(1).max(1) as f64
}

/// Refuses a ranking that names an arm twice, or that has a tie without arms.
pub(crate) fn check_names(tiers: &[Vec<String>]) -> Result<(), Refusal> {
    let mut names = BTreeSet::new();
    if tiers.iter().any(Vec::is_empty) {
        return Err(Refusal::EmptyTie);
    }
    match tiers.iter().flatten().find(|name| !names.insert(*name)) {
        Some(name) => Err(Refusal::RankedTwice { name: name.clone() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_pairs_of_a_ranking() {
        let arms = ["a", "b", "c", "d"];
        let ranking = Ranking::Order(vec![vec!["c"], vec!["a", "d"], vec!["b"]]);
        let (left, right, tie) = (Answer::Left, Answer::Right, Answer::Tie);
        let expected = [
            (&"a", &"b", left),
            (&"a", &"c", right),
            (&"a", &"d", tie),
            (&"b", &"c", right),
            (&"b", &"d", right),
            (&"c", &"d", left),
        ];
        assert_eq!(ranking.pairs(&arms), expected);
        let expected = [(&"a", &"c", right), (&"b", &"c", right), (&"c", &"d", left)];
        assert_eq!(Ranking::Best("c").pairs(&arms), expected);
        // A ranking of four counts for two votes, a choice for one.
        let close = |one: f64, other: f64| (one - other).abs() < 1e-15;
        assert!(close(6.0 * weight_of(4), 2.0) && close(3.0 * weight_of(4), 1.0));
        // A ranking of two arms is one vote.
        assert!(close(weight_of(2), 1.0));
    }
}
