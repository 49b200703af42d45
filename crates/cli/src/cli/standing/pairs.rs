//! Pairs of arms, the better one first.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::cli::client::estimate::Estimate;
use crate::cli::client::plain;
use crate::cli::table;

/// What is needed of a pair.
#[derive(Debug, Deserialize)]
pub(super) struct Pair {
    first: String,
    second: String,
    votes: u64,
    rate: Estimate,
    better: Option<String>,
}

impl Pair {
    /// The same pair, seen from the arm that is better or at least ahead.
    fn best_first(self) -> Self {
        let flip = match &self.better {
            Some(better) => *better == self.second,
            None => self.rate.best.is_some_and(|rate| rate < 0.5),
        };
        if !flip {
            return self;
        }
        Self { first: self.second, second: self.first, rate: self.rate.flipped(), ..self }
    }

    fn words(&self) -> String {
        let [first, second] = [&self.first, &self.second].map(|name| plain(name));
        match (&self.better, self.rate.best) {
            (Some(_), _) => format!("{first} is better than {second}"),
            (None, Some(rate)) if rate > 0.5 => format!("{first} is ahead of {second}"),
            (None, Some(_)) => format!("{first} and {second} are level"),
            (None, None) => format!("{first} and {second}: no votes"),
        }
    }
}

/// The pairs in the order of the arms that are ahead.
pub(super) fn table(pairs: Vec<Pair>, places: &BTreeMap<&str, usize>, interval: &str) -> table::Rows {
    let mut pairs: Vec<Pair> = pairs.into_iter().map(Pair::best_first).collect();
    let place = |name: &str| places.get(name).copied().unwrap_or(usize::MAX);
    pairs.sort_by_key(|pair| (place(&pair.first), place(&pair.second)));
    let mut rows = table::Rows::numbers(3, &["rate", interval, "votes", "pair"]);
    for pair in pairs {
        rows.push(vec![pair.rate.value(), pair.rate.range(), pair.votes.to_string(), pair.words()]);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(estimate: Option<f64>, better: Option<&str>) -> Pair {
        Pair {
            first: "a".to_owned(),
            second: "b\u{1b}".to_owned(),
            votes: 10,
            rate: Estimate { best: estimate, low: 0.125, high: 0.75 },
            better: better.map(str::to_owned),
        }
    }

    #[test]
    fn trace_the_better_one_comes_first() {
        for (estimate, better, words, low) in [
            (Some(0.75), None, "a is ahead of b\u{fffd}", 0.125),
            (Some(0.25), None, "b\u{fffd} is ahead of a", 0.25),
            (Some(0.5), None, "a and b\u{fffd} are level", 0.125),
            (None, None, "a and b\u{fffd}: no votes", 0.125),
            (Some(0.25), Some("b\u{1b}"), "b\u{fffd} is better than a", 0.25),
            // It was shown to be better once, and the votes have turned since.
            (Some(0.25), Some("a"), "a is better than b\u{fffd}", 0.125),
        ] {
            let seen = pair(estimate, better).best_first();
            assert_eq!((seen.words().as_str(), seen.rate.low.to_bits()), (words, f64::to_bits(low)));
        }
    }
}
