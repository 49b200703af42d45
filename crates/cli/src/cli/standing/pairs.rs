//! Pairs of arms, the better one first.

use std::collections::BTreeMap;

use tiltyard_wire::PairStanding;

use crate::cli::client::estimate::{flipped, range, value};
use crate::cli::client::plain;
use crate::cli::table;

/// The same pair, seen from the arm that is better or at least ahead.
fn best_first(pair: PairStanding) -> PairStanding {
    let flip = match &pair.better {
        Some(better) => *better == pair.second,
        None => pair.rate.estimate.is_some_and(|rate| rate < 0.5),
    };
    if !flip {
        return pair;
    }
    PairStanding { first: pair.second, second: pair.first, rate: flipped(pair.rate), ..pair }
}

fn words(pair: &PairStanding) -> String {
    let [first, second] = [&pair.first, &pair.second].map(|name| plain(name));
    match (&pair.better, pair.rate.estimate) {
        (Some(_), _) => format!("{first} is better than {second}"),
        (None, Some(rate)) if rate > 0.5 => format!("{first} is ahead of {second}"),
        (None, Some(_)) => format!("{first} and {second} are level"),
        (None, None) => format!("{first} and {second}: no votes"),
    }
}

/// The pairs, sorted by the places of their arms; the arm that is ahead counts first.
pub(super) fn table(pairs: Vec<PairStanding>, places: &BTreeMap<&str, usize>, interval: &str) -> table::Rows {
    let mut pairs: Vec<_> = pairs.into_iter().map(best_first).collect();
    let place = |name: &str| places.get(name).copied().unwrap_or(usize::MAX);
    pairs.sort_by_key(|pair| (place(&pair.first), place(&pair.second)));
    let mut rows = table::Rows::numbers(3, &["rate", interval, "votes", "pair"]);
    for pair in pairs {
        rows.push(vec![value(&pair.rate), range(&pair.rate), pair.votes.to_string(), words(&pair)]);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiltyard_wire::Estimate;

    fn pair(estimate: Option<f64>, better: Option<&str>) -> PairStanding {
        PairStanding {
            first: "a".to_owned(),
            second: "b\u{1b}".to_owned(),
            votes: 10,
            first_wins: 0,
            second_wins: 0,
            ties: 10,
            both_bad: 0,
            graded: 0,
            graded_sum: 0.0,
            in_flight: 0,
            rate: Estimate { estimate, low: 0.125, high: 0.75 },
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
            // `a` was shown to be better once, but the votes have turned since.
            (Some(0.25), Some("a"), "a is better than b\u{fffd}", 0.125),
        ] {
            let seen = best_first(pair(estimate, better));
            assert_eq!((self::words(&seen).as_str(), seen.rate.low.to_bits()), (words, f64::to_bits(low)));
        }
    }
}
