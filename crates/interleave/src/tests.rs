//! Interleaving, tested on all possible random choices and on worked examples.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tiltyard_bandit::{Outcome, Stream};

use super::*;

const METHODS: [&str; 7] = [
    "team-draft",
    "balanced",
    "probabilistic",
    "probabilistic:credit=assigned",
    "probabilistic:tau=0.5",
    "optimized",
    "optimized:credit=linear",
];

/// Methods for which a user who clicks without looking favours nobody.
const FAIR: [&str; 5] =
    ["team-draft", "probabilistic", "probabilistic:credit=assigned", "optimized", "optimized:credit=linear"];

type Law<D> = Vec<(f64, Merged<D>)>;

/// All possible lists, each with its probability.
fn law<D: Copy + Eq>(method: &str, left: &[D], right: &[D], length: usize) -> Law<D> {
    let mut interleaver = Merger::new(method.parse().unwrap());
    interleaver.prepare(left, right, length);
    let mut law = Vec::new();
    let draw = |dice: &mut _| {
        let mut merged = Merged::default();
        interleaver.draw_with(dice, &mut merged);
        merged
    };
    every_draw(draw, |probability, merged| law.push((probability, merged)));
    law
}

/// The expected outcome if a fixed set of positions is clicked.
fn expected_outcome<D>(law: &Law<D>, clicks: &Clicks) -> f64 {
    law.iter().map(|(probability, merged)| probability * merged.credit(clicks).outcome().score()).sum()
}

/// How much more a click at each position is worth to the left list, in expectation.
fn expected_advantage<D>(law: &Law<D>, length: usize) -> Vec<f64> {
    let at = |position| {
        let clicks = Clicks::at([position], length).unwrap();
        let advantage = |merged: &Merged<D>| merged.credit(&clicks).left - merged.credit(&clicks).right;
        law.iter().map(|(probability, merged)| probability * advantage(merged)).sum()
    };
    (0..length).map(at).collect()
}

/// All sets of clicks on a list.
fn all_clicks(length: usize) -> impl Iterator<Item = Clicks> + Clone {
    (0..1_u32 << length)
        .map(move |set| Clicks::at((0..length).filter(|position| set >> position & 1 == 1), length).unwrap())
}

fn text(merged: &Merged<char>) -> String {
    merged.documents().iter().collect()
}

fn chars(text: &str) -> Vec<char> {
    text.chars().collect()
}

/// Who picked each document: `l`, `r` or `-`.
fn teams<D>(merged: &Merged<D>) -> String {
    let Stakes::Shares(shares) = merged.stakes() else { panic!("team draft has shares") };
    let team = |share: &[f64; 2]| match share {
        [1.0, 0.0] => 'l',
        [0.0, 1.0] => 'r',
        [0.0, 0.0] => '-',
        _ => '?',
    };
    shares.iter().map(team).collect()
}

fn assert_near(got: f64, expected: f64) {
    assert!((got - expected).abs() < 1e-12, "{got} instead of {expected}");
}

// The example that the papers on balanced and team draft interleaving share.
const A: &str = "abcdgh";
const B: &str = "beafgh";

/// One coin. If A goes first: a b, then e (A's b is there already), c (B's a is there), d f g h. If
/// B goes first: b a, then depth 2 gives e (A's b is there), depth 3 gives c (B's a is there),
/// depth 4 gives f and d, and g h follow.
#[test]
fn trace_balanced_on_the_papers_example() {
    let law = law("balanced", &chars(A), &chars(B), 8);
    let lists: Vec<(f64, String)> =
        law.iter().map(|(probability, merged)| (*probability, text(merged))).collect();
    assert_eq!(lists, [(0.5, "abecdfgh".to_owned()), (0.5, "baecfdgh".to_owned())]);
}

/// Clicks on e and d of a b e c d f g h. d has rank 4 in A and is not in B, so k = 4. Of the
/// clicked documents, the top 4 of A contains d alone, and the top 4 of B contains e alone: a tie.
/// Without the click on d, e has rank 2 in B, and B wins 1 to 0.
#[test]
fn trace_balanced_credit() {
    let (_, merged) = law("balanced", &chars(A), &chars(B), 8).swap_remove(0);
    let credits = |positions: &[usize]| merged.credit(&Clicks::at(positions.iter().copied(), 8).unwrap());
    let credit = |positions: &[usize]| (credits(positions).left, credits(positions).right);
    assert_eq!(credit(&[2, 4]), (1.0, 1.0));
    assert_eq!(credit(&[2]), (0.0, 1.0));
    // a has rank 1 in A and 3 in B. So k = 1, and only A has it so high.
    assert_eq!(credit(&[0]), (1.0, 0.0));
    // g and h have ranks 5 and 6 in both.
    assert_eq!(credit(&[6, 7]), (2.0, 2.0));
    assert_eq!(credits(&[]).outcome(), Outcome::TIE);
    assert_eq!(credits(&[]).graded(), Outcome::TIE);
}

/// The first three rounds, with one coin each (l: A picks first). A picks a, then c, then d. B
/// picks b, e, f. g and h are left for both.
#[test]
fn trace_team_draft_on_the_papers_example() {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    let mut total = 0.0;
    for (probability, merged) in law("team-draft", &chars(A), &chars(B), 6) {
        assert_near(probability, 1.0 / 8.0);
        total += probability;
        seen.insert(teams(&merged), text(&merged));
    }
    assert_near(total, 1.0);
    let expected = [
        ("lrlrlr", "abcedf"),
        ("lrlrrl", "abcefd"),
        ("lrrllr", "abecdf"),
        ("lrrlrl", "abecfd"),
        ("rllrlr", "bacedf"),
        ("rllrrl", "bacefd"),
        ("rlrllr", "baecdf"),
        ("rlrlrl", "baecfd"),
    ];
    assert_eq!(seen, expected.map(|(teams, text)| (teams.to_owned(), text.to_owned())).into());
}

/// x against y z: the round of x and y counts in both orders, and z fills up. x against x y: the
/// first to pick gets x, no list can be sure of a second pick, and y fills up.
#[test]
fn trace_team_draft_where_a_list_runs_out() {
    let show = |left: &str, right: &str| {
        let law = law("team-draft", &chars(left), &chars(right), 9);
        law.iter().map(|(_, merged)| format!("{} {}", text(merged), teams(merged))).collect::<Vec<_>>()
    };
    assert_eq!(show("x", "yz"), ["xyz lr-", "yxz rl-"]);
    assert_eq!(show("x", "xy"), ["xy l-", "xy r-"]);
    assert_eq!(show("", "xy"), ["xy --"]);
    assert_eq!(show("xx", "xxyx"), ["xy l-", "xy r-"]);
}

/// Weights 1 and 1/8: the top document comes first with probability 8/9. For (a, b) against (b, a),
/// a leads with probability (8/9 + 1/9) / 2, and a click on it is worth 8/9 to the left list. The
/// remaining document is the only one of both lists, and each gets a half.
#[test]
fn trace_probabilistic_by_hand() {
    let law = law("probabilistic", &chars("ab"), &chars("ba"), 2);
    let mut a_leads = 0.0;
    for (probability, merged) in &law {
        let Stakes::Shares(shares) = merged.stakes() else { panic!("shares") };
        let expected = if text(merged) == "ab" { 8.0 / 9.0 } else { 1.0 / 9.0 };
        a_leads += if text(merged) == "ab" { *probability } else { 0.0 };
        assert_near(shares[0][0], expected);
        assert_near(shares[1][0], 0.5);
    }
    assert_near(a_leads, 0.5);
}

/// The distribution of the first document for tau = 3 and four documents, which the paper rounds to
/// 0.85, 0.1, 0.03, 0.01.
#[test]
fn trace_probabilistic_weights() {
    let mut first = [0.0; 4];
    for (probability, merged) in law("probabilistic", &[0_usize, 1, 2, 3], &[0, 1, 2, 3], 1) {
        first[merged.documents()[0]] += probability;
    }
    // 1 + 1/8 + 1/27 + 1/64 = 1.17766...
    for (rank, chance) in first.iter().enumerate() {
        assert_near(*chance, 1.0 / (rank as f64 + 1.0).powi(3) / (1.0 + 1.0 / 8.0 + 1.0 / 27.0 + 1.0 / 64.0));
    }
}

/// abc against bca. The advantages of the left list are: a 1 - 1/3 = 2/3, b 1/2 - 1 = -1/2, c 1/3 -
/// 1/2 = -1/6. The allowed lists are abc, bac, bca. Position 1: 2/3 p = 1/2 (1 - p), so p(abc) =
/// 3/7. Position 2: -1/2 * 3/7 + 2/3 q - 1/6 (4/7 - q) = 0, so q = p(bac) = 13/35. The rest, 1/5,
/// is bca. Position 3 then holds by itself: -1/6 * 28/35 + 2/3 * 1/5 = 0.
#[test]
fn trace_optimized_by_hand() {
    let law = law("optimized", &chars("abc"), &chars("bca"), 3);
    let chances: BTreeMap<String, f64> = law.iter().map(|(p, merged)| (text(merged), *p)).collect();
    assert_eq!(chances.keys().collect::<Vec<_>>(), ["abc", "bac", "bca"]);
    assert_near(chances["abc"], 3.0 / 7.0);
    assert_near(chances["bac"], 13.0 / 35.0);
    assert_near(chances["bca"], 1.0 / 5.0);
}

/// With different lengths, the longer list has more to gain. So no distribution is fair, and team
/// draft is used.
#[test]
fn trace_optimized_falls_back() {
    let mut interleaver = Merger::new("optimized".parse().unwrap());
    interleaver.prepare(&chars("x"), &chars("yz"), 3);
    assert!(interleaver.fell_back());
    let optimized = law("optimized", &chars("x"), &chars("yz"), 3);
    assert_eq!(optimized, law("team-draft", &chars("x"), &chars("yz"), 3));
    interleaver.prepare(&chars("xy"), &chars("yz"), 2);
    assert!(!interleaver.fell_back());
    interleaver.prepare(&[], &[], 2);
    assert!(!interleaver.fell_back());
}

/// abc against bca, for a user who clicks without looking: the expected outcome, and the expected
/// graded outcome.
fn blind(method: &str, clicks: impl Iterator<Item = Clicks> + Clone) -> [f64; 2] {
    let law = law(method, &chars("abc"), &chars("bca"), 3);
    let n = clicks.clone().count() as f64;
    let graded = |clicks: &Clicks| {
        law.iter()
            .map(|(probability, merged)| probability * merged.credit(clicks).graded().score())
            .sum::<f64>()
    };
    [
        clicks.clone().map(|clicks| expected_outcome(&law, &clicks) / n).sum(),
        clicks.map(|clicks| graded(&clicks) / n).sum(),
    ]
}

/// One random click on three documents. If the left list goes first, the list is abc; otherwise
/// bac. A click on a has k = 1, and the left list has it. A click on b has k = 1, and the right
/// list has it. A click on c has k = 2, and the right list has it. So the right list wins two times
/// in three: the expected outcome is -1/3, although nobody looked at anything.
///
/// The optimised method has equal credits in expectation. But one click on a is worth more than one
/// on b or c, so the number of wins is off by the same third. The graded outcome is not.
/// `docs/interleaving.md` shows these numbers.
#[test]
fn trace_balanced_favours_the_shifted_list() {
    let one_click = (0..3).map(|position| Clicks::at([position], 3).unwrap());
    for (method, [outcome, graded]) in [
        ("team-draft", [0.0, 0.0]),
        ("balanced", [-1.0 / 3.0, -1.0 / 3.0]),
        ("probabilistic:credit=assigned", [0.0, 0.0]),
        ("probabilistic", [-0.104_704_989_565_547, 0.0]),
        ("optimized", [-1.0 / 3.0, 0.0]),
    ] {
        let [got, got_graded] = blind(method, one_click.clone());
        assert_near(got, outcome);
        assert_near(got_graded, graded);
    }
}

/// Every document is clicked with probability 1/2. For balanced and the list abc, the wins are a;
/// the losses b, c, bc; the ties ab, ac, abc and no click: (1 - 3) / 8. The list bac gives the
/// same. Graded: a 1, b -1, c -1, bc -1/2, so -1.5 / 8.
#[test]
fn trace_outcomes_of_blind_clicks() {
    let clicks = all_clicks(3);
    for (method, [outcome, graded]) in [
        ("team-draft", [0.0, 0.0]),
        ("balanced", [-0.25, -0.1875]),
        ("probabilistic:credit=assigned", [0.0, 0.0]),
        ("probabilistic", [-0.089_305_081_262_252, 0.0]),
        ("optimized", [0.0, 0.0]),
    ] {
        let [got, got_graded] = blind(method, clicks.clone());
        assert_near(got, outcome);
        assert_near(got_graded, graded);
    }
}

#[test]
fn law_identical_lists_tie_for_every_click_pattern() {
    for method in METHODS {
        for n in 0..=4 {
            let list: Vec<usize> = (0..n).collect();
            let law = law(method, &list, &list, n);
            for clicks in all_clicks(n) {
                assert_near(expected_outcome(&law, &clicks), 0.0);
                let difference =
                    |merged: &Merged<_>| merged.credit(&clicks).left - merged.credit(&clicks).right;
                assert_near(law.iter().map(|(p, merged)| p * difference(merged)).sum(), 0.0);
            }
        }
    }
}

/// All methods except team draft and the assigned credit give a tie for identical lists in every
/// draw.
#[test]
fn law_identical_lists_always_tie_where_credit_is_not_drawn() {
    for method in ["balanced", "probabilistic", "optimized", "optimized:credit=linear"] {
        for (_, merged) in law(method, &[3, 1, 4, 2], &[3, 1, 4, 2], 3) {
            assert!(all_clicks(3).all(|clicks| merged.credit(&clicks).outcome() == Outcome::TIE));
        }
    }
}

#[test]
fn trace_a_stored_list_credits_as_before() {
    for method in METHODS {
        let mut interleaver = Merger::new(method.parse().unwrap());
        let mut merged = Merged::default();
        interleaver.merge(&["a", "b", "c"], &["c", "a", "d"], 4, &mut Stream::new(1).rng(), &mut merged);
        let stored: Merged<String> = serde_json::from_str(&serde_json::to_string(&merged).unwrap()).unwrap();
        assert_eq!(stored.documents(), merged.documents());
        assert_eq!(stored.stakes(), merged.stakes());
    }
}

/// With more than 10 positions, the first 10 favour nobody, the rest is worth nothing, and the list
/// has its full length.
#[test]
fn trace_optimized_beyond_ten_positions() {
    let left: Vec<usize> = (0..14).collect();
    let right: Vec<usize> = (0..14).map(|i| (i * 5 + 3) % 14).collect();
    let law = law("optimized", &left, &right, 12);
    let advantage = expected_advantage(&law, 12);
    assert!(advantage.iter().all(|advantage| advantage.abs() < 1e-9), "{advantage:?}");
    for (_, merged) in &law {
        assert_eq!(merged.documents().len(), 12);
        let tail = merged.credit(&Clicks::at([10, 11], 12).unwrap());
        assert_eq!((tail.left, tail.right, tail.clicks), (0.0, 0.0, 2));
    }
}

#[test]
fn stable_merged() {
    let mut drawn = Vec::new();
    for method in METHODS {
        let mut interleaver = Merger::new(method.parse().unwrap());
        let mut merged = Merged::default();
        let mut rng = Stream::new(1).rng();
        interleaver.prepare(&chars("abcdefgh"), &chars("hbagxyzc"), 6);
        for _ in 0..3 {
            interleaver.draw(&mut rng, &mut merged);
            drawn.push(text(&merged));
        }
    }
    let expected = "ahbgcx ahbgxc ahbcdg ahbcdg ahbcdg ahbcdg adbgch adbhcy hcagbd adbgch adbhcy hcagbd agehbz fgahcz xhzcga \
                    ahbcgx abchgx habcde abchgx abchgx habcde";
    assert_eq!(drawn.join(" "), expected);
}

/// Draws with a generator follow the exact distribution. With 20,000 draws, a frequency has a
/// standard error of at most 0.5 / sqrt(20000) = 0.0036, and five of those are allowed.
#[test]
fn stat_draws_follow_the_law() {
    for method in METHODS {
        let (left, right) = (chars("abcd"), chars("cbea"));
        let mut chances: BTreeMap<String, f64> = BTreeMap::new();
        for (probability, merged) in law(method, &left, &right, 3) {
            *chances.entry(text(&merged)).or_default() += probability;
        }
        let mut interleaver = Merger::new(method.parse().unwrap());
        interleaver.prepare(&left, &right, 3);
        let mut rng = Stream::new(1).rng();
        let mut merged = Merged::default();
        for _ in 0..20_000 {
            interleaver.draw(&mut rng, &mut merged);
            *chances.get_mut(&text(&merged)).unwrap() -= 1.0 / 20_000.0;
        }
        for (list, difference) in chances {
            assert!(difference.abs() < 5.0 * 0.0036, "{method}: {list} is off by {difference}");
        }
    }
}

fn some_list() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0_u8..7, 0..6)
}

fn without_repeats(list: &[u8]) -> Vec<u8> {
    let mut seen = Vec::new();
    for document in list {
        if !seen.contains(document) {
            seen.push(*document);
        }
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn law_lists_are_whole(left in some_list(), right in some_list(), length in 0_usize..6) {
        let distinct = without_repeats(&[left.clone(), right.clone()].concat()).len();
        for method in METHODS {
            let mut total = 0.0;
            for (probability, merged) in law(method, &left, &right, length) {
                total += probability;
                prop_assert_eq!(merged.documents().len(), length.min(distinct));
                prop_assert_eq!(without_repeats(merged.documents()).len(), merged.documents().len());
                let n_stakes = match merged.stakes() {
                    Stakes::Shares(shares) => shares.len(),
                    Stakes::Ranks(ranks) => ranks.len(),
                };
                prop_assert_eq!(n_stakes, merged.documents().len());
            }
            prop_assert!((total - 1.0).abs() < 1e-9);
        }
    }

    /// Every document is the best remaining one of one of the lists, given those above it. This is
    /// not so for the probabilistic method, which may draw any document.
    #[test]
    fn law_every_prefix_is_a_union_of_prefixes(left in some_list(), right in some_list(), length in 0_usize..6) {
        for method in ["team-draft", "balanced", "optimized", "optimized:credit=linear"] {
            for (_, merged) in law(method, &left, &right, length) {
                for (position, document) in merged.documents().iter().enumerate() {
                    let above = &merged.documents()[..position];
                    let best = |list: &[u8]| list.iter().copied().find(|other| !above.contains(other));
                    prop_assert!(best(&left) == Some(*document) || best(&right) == Some(*document));
                }
            }
        }
    }

    /// Swapping the sides swaps the sides of the credit, and changes nothing else.
    #[test]
    fn law_changing_sides_mirrors_the_law(left in some_list(), right in some_list(), length in 0_usize..5) {
        for method in METHODS {
            let mut sums: BTreeMap<Vec<u8>, Vec<f64>> = BTreeMap::new();
            let mut add = |law: Law<u8>, sign: f64| {
                for (probability, merged) in law {
                    let sum = sums.entry(merged.documents().to_vec()).or_insert_with(|| vec![0.0; 64]);
                    sum[63] += sign * probability;
                    for (i, clicks) in all_clicks(merged.documents().len()).enumerate() {
                        let credits = merged.credit(&clicks);
                        sum[i] += probability * credits.graded().score();
                        sum[31 + i] += probability * credits.outcome().score();
                    }
                }
            };
            add(law(method, &left, &right, length), 1.0);
            add(law(method, &right, &left, length), -1.0);
            for (list, sums) in sums {
                prop_assert!(sums.iter().all(|sum| sum.abs() < 1e-9), "{method}: {list:?} {sums:?}");
            }
        }
    }

    /// A user who clicks without looking gives both lists the same expected credit, position by
    /// position, whatever the lists.
    #[test]
    fn law_blind_clicks_favour_nobody(left in some_list(), right in some_list(), length in 1_usize..6) {
        for method in FAIR {
            let advantage = expected_advantage(&law(method, &left, &right, length), length);
            prop_assert!(advantage.iter().all(|x| x.abs() < 1e-9), "{method}: {advantage:?}");
        }
    }

    /// The marginal credit is the mean of the assigned credit over all ways to draw the same list.
    #[test]
    fn law_marginal_credit_is_the_mean_over_assignments(left in some_list(), right in some_list(), length in 1_usize..5) {
        let mut sums: BTreeMap<Vec<u8>, (f64, Vec<f64>)> = BTreeMap::new();
        for (probability, merged) in law("probabilistic:tau=1,credit=assigned", &left, &right, length) {
            let Stakes::Shares(shares) = merged.stakes() else { panic!("shares") };
            let (total, sum) = sums.entry(merged.documents().to_vec()).or_insert((0.0, vec![0.0; shares.len()]));
            *total += probability;
            sum.iter_mut().zip(shares).for_each(|(sum, share)| *sum += probability * share[0]);
        }
        for (_, merged) in law("probabilistic:tau=1", &left, &right, length) {
            let Stakes::Shares(shares) = merged.stakes() else { panic!("shares") };
            let (total, sum) = &sums[merged.documents()];
            for (sum, share) in sum.iter().zip(shares) {
                prop_assert!((sum / total - share[0]).abs() < 1e-9);
            }
        }
    }

    /// Ten of twenty documents on each side, as on a page of results: a fair distribution always
    /// exists, and the method finds one.
    #[test]
    fn law_optimized_pages_are_fair(
        left in Just((0_u8..20).collect::<Vec<_>>()).prop_shuffle(),
        right in Just((0_u8..20).collect::<Vec<_>>()).prop_shuffle(),
        n in 1_usize..=10,
    ) {
        for method in ["optimized", "optimized:credit=linear"] {
            let mut interleaver = Merger::new(method.parse().unwrap());
            interleaver.prepare(&left[..n], &right[..n], n);
            prop_assert!(!interleaver.fell_back(), "{method}");
            let law = law(method, &left[..n], &right[..n], n);
            prop_assert!(law.len() <= 2 * (n + 1));
            let advantage = expected_advantage(&law, n);
            prop_assert!(advantage.iter().all(|x| x.abs() < 1e-8), "{method}: {advantage:?}");
        }
    }
}
