//! Click models against an enumeration of all possible clicks, and against examples worked by hand.

use core::convert::Infallible;

use proptest::prelude::*;
use rand::TryRng;
use tiltyard_bandit::Stream;
use tiltyard_bandit::params::ParamError;

use super::*;

fn model(text: &str, largest: u8) -> ClickModel {
    text.parse::<ClickSpec>().unwrap().for_grades(largest).unwrap()
}

fn assert_near(got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len());
    for (got, expected) in got.iter().zip(expected) {
        assert!((got - expected).abs() < 1e-12, "{got} instead of {expected}");
    }
}

/// Grades 1, 0, 1. The user clicks the first document with probability 0.95 and stops there with
/// 0.95 * 0.9 = 0.855. So the user looks at the second with 0.145 and clicks it with
/// 0.145 * 0.05 = 0.00725. Given a look, the user stops there with 0.05 * 0.2 = 0.01. So the user
/// looks at the third with 0.145 * 0.99 = 0.14355 and clicks it with 0.95 of that.
#[test]
fn trace_navigational_by_hand() {
    assert_near(&model("navigational", 1).probabilities(&[1, 0, 1]), &[0.95, 0.007_25, 0.136_372_5]);
}

/// The user looks at the ranks with probabilities 1, 1/2 and 1/3. The attraction for grades up to 4
/// is 0.1 + 0.9 (2^g - 1) / 15, here 1, 0.1 and 0.1 + 0.9 * 3/15 = 0.28.
#[test]
fn trace_position_based_by_hand() {
    assert_near(&model("position-based", 4).probabilities(&[4, 0, 2]), &[1.0, 0.05, 0.28 / 3.0]);
    assert_near(&model("position-based:eta=0,noise=0", 1).probabilities(&[0, 1]), &[0.0, 1.0]);
    assert_near(&model("position-based:eta=2,noise=0.5", 0).probabilities(&[0, 0]), &[0.5, 0.125]);
    // A rank beyond those computed in advance.
    let far = model("position-based", 1).probabilities(&[1; 200]);
    assert_near(&far[199..], &[1.0 / 200.0]);
}

#[test]
fn trace_perfect_clicks_exactly_what_is_relevant() {
    let mut clicks = Clicks::new();
    let mut rng = Stream::new(1).rng();
    model("perfect", 1).clicks([0, 1, 1, 0, 1], &mut rng, &mut clicks);
    assert_eq!(clicks.iter().collect::<Vec<_>>(), [1, 2, 4]);
    // Earlier clicks are cleared, and long lists work.
    model("perfect", 1).clicks((0..200).map(|i| u8::from(i % 90 == 0)), &mut rng, &mut clicks);
    assert_eq!(clicks.iter().collect::<Vec<_>>(), [0, 90, 180]);
    model("random:p=1", 4).clicks([0, 9], &mut rng, &mut clicks);
    assert_eq!(clicks.count(), 2);
}

/// A generator that returns given numbers in [0, 1), as the top 53 bits of a word.
struct Script<'a>(core::slice::Iter<'a, f64>);

impl TryRng for Script<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("click models draw 64-bit numbers")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let number = self.0.next().expect("at most one number per position");
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in [0, 2^53)")]
        let word = (number * 9_007_199_254_740_992.0) as u64;
        Ok(word << 11)
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        unreachable!("click models draw 64-bit numbers")
    }
}

/// All thresholds of these models are multiples of 1/200. So the midpoint of each of 200 equal
/// parts of [0, 1) represents its part, and counting over all pairs of midpoints is exact.
#[test]
fn trace_clicks_drawn_have_their_probabilities_exactly() {
    const PARTS: u32 = 200;
    let middle = |part: u32| (f64::from(part) + 0.5) / f64::from(PARTS);
    for (text, largest, grades) in [
        ("navigational", 1, [0, 1]),
        ("navigational", 1, [1, 0]),
        ("informational", 1, [0, 1]),
        ("perfect", 2, [1, 2]),
        ("dependent:click=0.5/1,stop=0.2/1", 1, [0, 1]),
        ("random:p=0.3", 1, [0, 0]),
        ("position-based:noise=0.1", 1, [0, 0]),
    ] {
        let model = model(text, largest);
        let mut counts = [0_u32; 2];
        let mut clicks = Clicks::new();
        for (first, second) in (0..PARTS).flat_map(|first| (0..PARTS).map(move |second| (first, second))) {
            let script = [middle(first), middle(second)];
            model.clicks(grades, &mut Script(script.iter()), &mut clicks);
            clicks.iter().for_each(|position| counts[position] += 1);
        }
        let shares = counts.map(|count| f64::from(count) / f64::from(PARTS * PARTS));
        assert_near(&model.probabilities(&grades), &shares);
    }
}

#[test]
fn trace_the_table_is_whole() {
    for n_grades in [2, 3, 5] {
        for user in [User::Perfect, User::Navigational, User::Informational] {
            let rows = TABLE.iter().filter(|row| row.user == user && row.click.len() == n_grades);
            assert_eq!(rows.count(), 1, "{user}, {n_grades} grades");
        }
    }
    for row in TABLE {
        assert_eq!(row.click.len(), row.stop.len());
        assert!(row.click.iter().chain(row.stop).all(|p| (0.0..=1.0).contains(p)));
        assert!(row.click.is_sorted() && row.stop.is_sorted(), "a better grade is clicked more");
        // The lowest and the highest grade have the same numbers on every scale.
        let binary = TABLE.iter().find(|other| other.user == row.user).unwrap();
        assert_near(&[row.click[0], row.stop[0]], &[binary.click[0], binary.stop[0]]);
        let last = row.click.len() - 1;
        assert_near(&[row.click[last], row.stop[last]], &[binary.click[1], binary.stop[1]]);
    }
}

/// docs/matrices.md shows the numbers of the table.
#[test]
fn trace_the_page_has_the_table() {
    let page = include_str!("../../../../docs/matrices.md");
    let numbers = |of: &[f64]| of.iter().map(|p| format!("{p:.2}")).collect::<Vec<_>>().join(", ");
    for row in TABLE {
        let line = format!("| {} | {} | {} |", row.user, numbers(row.click), numbers(row.stop));
        assert!(page.contains(&line), "docs/matrices.md lacks: {line}");
    }
}

#[test]
fn trace_names_and_their_defaults() {
    for (text, shown) in [
        ("perfect", "perfect"),
        ("navigational", "navigational"),
        ("informational", "informational"),
        ("dependent:click=0/0.5/1,stop=0.1/0.2/1", "dependent:click=0/0.5/1,stop=0.1/0.2/1"),
        ("position-based", "position-based:eta=1,noise=0.1"),
        ("random", "random:p=0.5"),
    ] {
        let spec: ClickSpec = text.parse().unwrap();
        assert_eq!(spec.to_string(), shown);
        assert_eq!(shown.parse::<ClickSpec>().unwrap(), spec);
    }
    for info in ClickSpec::ALL.iter().filter(|info| info.name != "dependent") {
        let shown = info.name.parse::<ClickSpec>().unwrap().to_string();
        for param in info.params {
            assert!(shown.contains(&format!("{}={}", param.key, param.default)), "{shown}");
        }
    }
}

#[test]
fn trace_errors() {
    let error = |text: &str| text.parse::<ClickSpec>().unwrap_err();
    assert!(matches!(error("navigation"), ClickError::Unknown { suggestion: Some("navigational"), .. }));
    assert!(matches!(error(""), ClickError::Spec(_)));
    assert!(matches!(error("perfect:p=1"), ClickError::Param(ParamError::UnknownKey { .. })));
    assert!(matches!(error("random:p=2"), ClickError::Param(ParamError::OutOfRange { .. })));
    assert_eq!(error("dependent:click=0/1"), ClickError::Missing { key: "stop" });
    assert_eq!(error("dependent:click=0/1,stop=0/0/0"), ClickError::Lengths { click: 2, stop: 3 });
    for part in ["1.1", "x", "", "nan"] {
        let value = part.to_owned();
        let expected = ClickError::NotAProbability { key: "click", value };
        assert_eq!(error(&format!("dependent:click=0/{part},stop=0/0")), expected);
    }
    let grades = |text: &str, largest| text.parse::<ClickSpec>().unwrap().for_grades(largest);
    assert_eq!(grades("perfect", 3), Err(ClickError::NoSetting { user: User::Perfect, largest: 3 }));
    assert_eq!(
        grades("dependent:click=0/1,stop=0/0", 2),
        Err(ClickError::GradeOutside { largest: 2, n_grades: 2 })
    );
    assert_eq!(grades("position-based", 65), Err(ClickError::GradeOutside { largest: 65, n_grades: 65 }));
    assert_eq!(grades("perfect", 0), grades("perfect", 1));
    assert!(grades("random", 255).is_ok());
}

/// Enumerates all ways in which a user who reads downwards can click and stop, with their
/// probabilities.
fn all_ways(click: &[f64], stop: &[f64], grades: &[u8], position: usize, chance: f64, sums: &mut [f64]) {
    let Some(&grade) = grades.get(position) else { return };
    let (click_p, stop_p) = (click[usize::from(grade)], stop[usize::from(grade)]);
    sums[position] += chance * click_p;
    all_ways(click, stop, grades, position + 1, chance * (1.0 - click_p), sums);
    all_ways(click, stop, grades, position + 1, chance * click_p * (1.0 - stop_p), sums);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn law_probabilities_are_those_of_all_ways(row in 0..TABLE.len(), grades in prop::collection::vec(0_u8..5, 0..9)) {
        let row = TABLE[row];
        let largest = u8::try_from(row.click.len() - 1).unwrap();
        let grades: Vec<u8> = grades.iter().map(|grade| grade.min(&largest)).copied().collect();
        let mut sums = vec![0.0; grades.len()];
        all_ways(row.click, row.stop, &grades, 0, 1.0, &mut sums);
        assert_near(&model(row.user.name(), largest).probabilities(&grades), &sums);
    }
}

/// 20,000 lists of ten documents: the standard error of a frequency is at most 0.0036. Five are
/// allowed.
#[test]
fn stat_clicks_come_as_often_as_they_should() {
    let grades = [0, 3, 1, 4, 2, 0, 0, 4, 1, 3];
    for text in ["perfect", "navigational", "informational", "position-based", "random:p=0.2"] {
        let model = model(text, 4);
        let mut off = model.probabilities(&grades);
        let mut rng = Stream::new(1).label(text).rng();
        let mut clicks = Clicks::new();
        for _ in 0..20_000 {
            model.clicks(grades, &mut rng, &mut clicks);
            clicks.iter().for_each(|position| off[position] -= 1.0 / 20_000.0);
        }
        assert!(off.iter().all(|off| off.abs() < 5.0 * 0.0036), "{text}: {off:?}");
    }
}
