//! Multileaving, by walking through all that chance could do.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tiltyard_bandit::Stream;

use super::*;
use crate::interleave::{Interleaving, Merged, Merger, every_draw};

const METHODS: [&str; 3] = ["team-draft", "probabilistic", "probabilistic:tau=0.5"];

/// All lists that can come out, each with its probability.
fn law(method: &str, lists: &[&[u8]], length: usize) -> Vec<(f64, Multileaved<u8>)> {
    let mut leaver = Multileaver::new(method.parse().unwrap());
    leaver.prepare(lists, length);
    let mut law = Vec::new();
    let draw = |dice: &mut _| {
        let mut merged = Multileaved::default();
        leaver.draw_with(dice, &mut merged);
        merged
    };
    every_draw(draw, |probability, merged| law.push((probability, merged)));
    law
}

/// The expected shares of each list at each position.
fn expected_shares(law: &[(f64, Multileaved<u8>)], n_lists: usize, length: usize) -> Vec<Vec<f64>> {
    let mut expected = vec![vec![0.0; n_lists]; length];
    for (probability, merged) in law {
        for (position, row) in expected.iter_mut().enumerate() {
            for (sum, share) in row.iter_mut().zip(merged.shares(position)) {
                *sum += probability * share;
            }
        }
    }
    expected
}

fn some_lists() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(0_u8..6, 0..5), 1..4)
}

fn borrowed(lists: &[Vec<u8>]) -> Vec<&[u8]> {
    lists.iter().map(Vec::as_slice).collect()
}

/// Three lists, two positions. The first of the order picks its top, the second its best that is left: (a, b), (b, a), (a, c).
#[test]
fn trace_team_draft_of_three() {
    let law = law("team-draft", &[&[0, 1], &[1, 0], &[0, 2]], 2);
    // The order of the first two of three: six ways, each 1/6.
    let mut seen: Vec<_> = law
        .iter()
        .map(|(probability, merged)| {
            assert!((probability - 1.0 / 6.0).abs() < 1e-12);
            let team = |position| merged.shares(position).iter().position(|&share| share > 0.5).unwrap();
            (merged.documents().to_vec(), [team(0), team(1)])
        })
        .collect();
    seen.sort();
    assert_eq!(
        seen,
        [
            (vec![0, 1], [0, 1]),
            (vec![0, 1], [2, 0]),
            (vec![0, 1], [2, 1]),
            (vec![0, 2], [0, 2]),
            (vec![1, 0], [1, 0]),
            (vec![1, 0], [1, 2]),
        ]
    );
}

/// Three lists of one document each: a stands in two of them. Every list gives its only document for sure, so a click on a at
/// the top is shared by halves. Two of the lists are then empty, and what follows is worth nothing.
#[test]
fn trace_probabilistic_shares() {
    let mut chance_of_a = 0.0;
    for (probability, merged) in law("probabilistic", &[&[0], &[0], &[1]], 2) {
        chance_of_a += if merged.documents()[0] == 0 { probability } else { 0.0 };
        let expected: &[f64] = if merged.documents()[0] == 0 { &[0.5, 0.5, 0.0] } else { &[0.0, 0.0, 1.0] };
        assert_eq!(merged.shares(0), expected);
        assert_eq!(merged.shares(1), [0.0; 3]);
        assert_eq!(merged.shares(2), [0.0; 0]);
    }
    assert!((chance_of_a - 2.0 / 3.0).abs() < 1e-12);
}

/// No lists, empty lists, no room.
#[test]
fn trace_nothing_to_merge() {
    for method in METHODS {
        for (lists, length) in [(&[][..], 3), (&[&[][..], &[]], 3), (&[&[1, 2][..], &[2]], 0)] {
            let law = law(method, lists, length);
            assert_eq!(law.len(), 1);
            assert!(law[0].1.documents().is_empty());
        }
    }
}

#[test]
fn trace_names() {
    for text in ["team-draft", "probabilistic:tau=3"] {
        assert_eq!(text.parse::<Multileaving>().unwrap().to_string(), text);
    }
    assert_eq!("probabilistic".parse::<Multileaving>().unwrap(), Multileaving::Probabilistic { tau: 3.0 });
    for text in ["balanced", "team-draft:tau=3", "probabilistic:credit=marginal", "probabilistic:tau=11", ""]
    {
        assert!(text.parse::<Multileaving>().is_err(), "{text}");
    }
}

#[test]
fn trace_a_stored_list_credits_as_before() {
    let mut leaver = Multileaver::new(Multileaving::Probabilistic { tau: 3.0 });
    let mut merged = Multileaved::default();
    leaver.merge(&[&["a", "b"], &["b", "c"]], 3, &mut Stream::new(1).rng(), &mut merged);
    let stored: Multileaved<String> = serde_json::from_str(&serde_json::to_string(&merged).unwrap()).unwrap();
    let clicks = Clicks::at([0, 2], 3).unwrap();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    merged.credit(&clicks, &mut before);
    stored.credit(&clicks, &mut after);
    assert_eq!(before, after);
}

#[test]
fn stable_multileaved() {
    let mut drawn = Vec::new();
    for method in METHODS {
        let mut leaver = Multileaver::new(method.parse().unwrap());
        let mut merged = Multileaved::default();
        let mut rng = Stream::new(1).rng();
        leaver.prepare(&[&[0, 1, 2, 3, 4], &[4, 3, 2, 1, 0], &[2, 5, 0, 6]], 5);
        for _ in 0..3 {
            leaver.draw(&mut rng, &mut merged);
            drawn.push(merged.documents().iter().map(u8::to_string).collect::<String>());
        }
    }
    assert_eq!(drawn.join(" "), "40215 02431 02435 42506 35026 02153 40256 46205 32051");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn law_probabilities_add_up_and_lists_are_whole(lists in some_lists(), length in 0_usize..5) {
        let lists = borrowed(&lists);
        let mut distinct = lists.concat();
        distinct.sort_unstable();
        distinct.dedup();
        for method in METHODS {
            let mut total = 0.0;
            for (probability, merged) in law(method, &lists, length) {
                total += probability;
                let mut documents = merged.documents().to_vec();
                prop_assert_eq!(documents.len(), length.min(distinct.len()));
                documents.sort_unstable();
                documents.dedup();
                prop_assert_eq!(documents.len(), merged.documents().len());
                for position in 0..documents.len() {
                    let sum: f64 = merged.shares(position).iter().sum();
                    prop_assert!(sum.abs() < 1e-12 || (sum - 1.0).abs() < 1e-12);
                }
            }
            prop_assert!((total - 1.0).abs() < 1e-9);
        }
    }

    /// A user who clicks without looking gives every list the same, position by position, whatever the lists.
    #[test]
    fn law_blind_clicks_favour_nobody(lists in some_lists(), length in 1_usize..5) {
        let lists = borrowed(&lists);
        for method in METHODS {
            for row in expected_shares(&law(method, &lists, length), lists.len(), length) {
                prop_assert!(row.iter().all(|share| (share - row[0]).abs() < 1e-9), "{method}: {row:?}");
            }
        }
    }

    /// Lists that are long enough lose no credit: each earns the same part of a click at every position.
    #[test]
    fn law_long_lists_lose_no_credit(
        lists in prop::collection::vec(Just((0_u8..5).collect::<Vec<_>>()).prop_shuffle(), 1..4),
        length in 1_usize..4,
    ) {
        let lists = borrowed(&lists);
        for method in ["team-draft", "probabilistic"] {
            for row in expected_shares(&law(method, &lists, length), lists.len(), length) {
                prop_assert!(row.iter().all(|share| (share - 1.0 / lists.len() as f64).abs() < 1e-9));
            }
        }
    }

    /// Two lists: the same law as interleaving has.
    #[test]
    fn law_two_lists_are_interleaved(
        left in Just((0_u8..6).collect::<Vec<_>>()).prop_shuffle(),
        right in Just((2_u8..8).collect::<Vec<_>>()).prop_shuffle(),
        length in 1_usize..4,
    ) {
        for (method, pair) in [("team-draft", "team-draft"), ("probabilistic:tau=1", "probabilistic:tau=1")] {
            let mut chances: BTreeMap<Vec<u8>, [f64; 2]> = BTreeMap::new();
            for (probability, merged) in law(method, &[&left, &right], length) {
                chances.entry(merged.documents().to_vec()).or_default()[0] += probability;
            }
            let mut interleaver = Merger::new(pair.parse::<Interleaving>().unwrap());
            interleaver.prepare(&left, &right, length);
            let draw = |dice: &mut _| {
                let mut merged = Merged::default();
                interleaver.draw_with(dice, &mut merged);
                merged
            };
            every_draw(draw, |probability, merged| {
                chances.entry(merged.documents().to_vec()).or_default()[1] += probability;
            });
            prop_assert!(chances.values().all(|[several, two]| (several - two).abs() < 1e-9));
        }
    }
}
