use proptest::prelude::*;
use tiltyard_bandit::Arm;

use super::*;
use crate::votes::parse_votes;

fn votes(rows: &str) -> Votes {
    let is_weighted =
        rows.lines().all(|row| row.rsplit(',').next().is_some_and(|last| last.parse::<f64>().is_ok()));
    let header = if is_weighted { ",weight" } else { "" };
    parse_votes(format!("left,right,outcome{header}\n{rows}").as_bytes()).unwrap()
}

fn built(rows: &str, options: Options) -> VoteMatrix {
    VoteMatrix::new(&votes(rows), options).unwrap()
}

fn assert_near(got: f64, expected: f64) {
    assert!((got - expected).abs() < 1e-12, "{got} instead of {expected}");
}

/// Two wins, a loss and a tie. P = (2 + 1/2 + 1/2) / (4 + 1) = 0.6. The squares sum to
/// 2 + 1/4 + 1/2 = 2.75, so the variance is 0.55 - 0.36 = 0.19 and the standard error is
/// sqrt(0.19 / 5). Without smoothing P = 2.5 / 4, and the variance is
/// 2.25/4 - 0.625^2 = 0.171875.
#[test]
fn trace_one_pair() {
    let rows = "a,b,left\nb,a,right\nb,a,left\na,b,tie\n";
    let entry = |smoothing| {
        let built = built(rows, Options { smoothing, ..Options::default() });
        let entry = built.entries().next().unwrap();
        (entry.p, entry.standard_error)
    };
    assert_near(entry(0.5).0, 0.6);
    assert_near(entry(0.5).1, (0.19f64 / 5.0).sqrt());
    assert_near(entry(0.0).0, 0.625);
    assert_near(entry(0.0).1, (0.171_875f64 / 4.0).sqrt());
}

/// A vote of weight 3 against a vote of weight 1. P = 3.5/5. The effective number of votes is
/// (3 + 1)^2 / (9 + 1) = 1.6, plus 1 for the smoothing.
#[test]
fn trace_weights() {
    let built = built("a,b,left,3\na,b,right,1\n", Options::default());
    let entry = built.entries().next().unwrap();
    assert_near(entry.p, 0.7);
    assert_near(entry.standard_error, (0.7f64 * 0.3 / 2.6).sqrt());
}

const CHAIN: &str = "a,b,left\na,b,left\na,b,left\nb,c,left\nd,e,left\n";

#[test]
fn trace_never_compared_pairs_are_said() {
    let half = built(CHAIN, Options::default());
    assert_eq!((half.never_compared(), half.counts().n_pairs(), half.groups()), (7, 10, 2));
    assert_near(half.matrix().get(Arm::new(0), Arm::new(2)), 0.5);
    let never: Vec<_> = half.entries().filter(|entry| !entry.is_compared).collect();
    assert_eq!(never.len(), 7);
    assert!(never.iter().all(|entry| entry.standard_error.is_infinite() && entry.count.is_none()));

    let refused = VoteMatrix::new(&votes(CHAIN), Options { unseen: Unseen::Refuse, ..Options::default() });
    assert_eq!(
        refused.unwrap_err().to_string(),
        "7 of 10 pairs were never compared, the first of them `a` and `c`"
    );
    let whole = "a,b,left\n";
    assert!(VoteMatrix::new(&votes(whole), Options { unseen: Unseen::Refuse, ..Options::default() }).is_ok());

    let two = built(CHAIN, Options { min_votes: 2, ..Options::default() });
    assert_eq!((two.never_compared(), two.groups()), (9, 4));
    assert_near(two.matrix().get(Arm::new(1), Arm::new(2)), 0.5);
}

/// On a chain the fit is exact. With half a vote added to each side, the odds of a against b are
/// 3.5 : 0.5 = 7, and those of b against c are 1.5 : 0.5 = 3. So those of a against c are 21.
#[test]
fn trace_bradley_terry_fills_in() {
    let built = built(CHAIN, Options { unseen: Unseen::BradleyTerry, ..Options::default() });
    let p = built.matrix().get(Arm::new(0), Arm::new(2));
    assert!((p - 21.0 / 22.0).abs() < 1e-6, "{p}");
    // Compared pairs keep their P from the votes, and P is 1/2 between groups.
    assert_near(built.matrix().get(Arm::new(0), Arm::new(1)), 3.5 / 4.0);
    assert_near(built.matrix().get(Arm::new(0), Arm::new(3)), 0.5);
    let entry = built.entries().find(|entry| (entry.low, entry.high) == (Arm::new(0), Arm::new(2))).unwrap();
    assert!(entry.standard_error.is_infinite());
}

#[test]
fn trace_pairs_as_csv() {
    let mut bytes = Vec::new();
    built("\"a, x\",b,left\nb,c,tie\n", Options { smoothing: 0.0, ..Options::default() })
        .write_pairs(&mut bytes)
        .unwrap();
    assert_eq!(
        String::from_utf8(bytes).unwrap(),
        "left,right,n,wins,losses,ties,both_bad,p,stderr\n\
         \"a, x\",b,1,1,0,0,0,1,0\n\"a, x\",c,0,0,0,0,0,0.5,inf\nb,c,1,0,0,1,0,0.5,0\n"
    );
}

#[test]
fn trace_refusals() {
    let refuse = |rows: &str, smoothing| {
        VoteMatrix::new(&votes(rows), Options { smoothing, ..Options::default() }).unwrap_err().to_string()
    };
    assert_eq!(refuse("a,b,skip\n", 0.5), "there are no votes that compare two arms");
    assert_eq!(refuse("a,b,left\n", -1.0), "the smoothing is -1, but must be a number from 0 to 1000000");
    assert_eq!(
        refuse("a,b,left\n", f64::NAN),
        "the smoothing is NaN, but must be a number from 0 to 1000000"
    );
}

type Row = (u8, u8, &'static str, u32);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let words = proptest::sample::select(vec!["left", "right", "tie", "both_bad", "0.3", "-0.7"]);
    let row = (0..6u8, 0..6u8, words, 1..50u32).prop_filter("two arms", |row| row.0 != row.1);
    proptest::collection::vec(row, 1..40)
}

/// The rows as CSV. `mirrored` exchanges the sides of every vote.
fn text(rows: &[Row], mirrored: bool) -> String {
    let line = |&(left, right, said, weight): &Row| {
        let weight = f64::from(weight) / 7.0;
        if !mirrored {
            return format!("arm{left},arm{right},{said},{weight}\n");
        }
        let said = match said {
            "left" => "right".to_owned(),
            "right" => "left".to_owned(),
            "0.3" => "-0.3".to_owned(),
            "-0.7" => "0.7".to_owned(),
            other => other.to_owned(),
        };
        format!("arm{right},arm{left},{said},{weight}\n")
    };
    rows.iter().map(line).collect()
}

fn options() -> impl Strategy<Value = Options> {
    let unseen = proptest::sample::select(vec![Unseen::Half, Unseen::BradleyTerry]);
    (proptest::sample::select(vec![0.0, 0.1, 0.5, 3.0]), unseen, 0..4u64)
        .prop_map(|(smoothing, unseen, min_votes)| Options { smoothing, unseen, min_votes })
}

proptest! {
    #[test]
    fn law_p_and_its_mirror_sum_to_one_exactly(rows in rows(), options in options()) {
        let built = built(&text(&rows, false), options);
        let matrix = built.matrix();
        for (a, b) in Arm::all(matrix.n_arms()).flat_map(|a| Arm::all(matrix.n_arms()).map(move |b| (a, b))) {
            prop_assert_eq!((matrix.get(a, b) + matrix.get(b, a)).to_bits(), 1f64.to_bits());
        }
        prop_assert_eq!(built.entries().count(), built.counts().n_pairs());
        prop_assert_eq!(built.entries().filter(|entry| !entry.is_compared).count(), built.never_compared());
    }

    /// Exchanging the sides of all votes does not change the matrix.
    #[test]
    fn law_sides_do_not_matter(rows in rows(), options in options()) {
        let (one, other) = (built(&text(&rows, false), options), built(&text(&rows, true), options));
        prop_assert_eq!(one.matrix(), other.matrix());
    }

    /// If every person had said the opposite, every P would be 1 - P.
    #[test]
    fn law_opposite_votes_give_the_mirrored_matrix(rows in rows(), smoothing in 0.0..4.0) {
        let options = Options { smoothing, ..Options::default() };
        let swapped: Vec<_> = text(&rows, true).lines().map(|line| {
            let fields: Vec<_> = line.split(',').collect();
            format!("{},{},{},{}\n", fields[1], fields[0], fields[2], fields[3])
        }).collect();
        let (one, other) = (built(&text(&rows, false), options), built(&swapped.concat(), options));
        for (entry, opposite) in one.entries().zip(other.entries()) {
            // Not to the last bit, because the sums differ.
            prop_assert!((entry.p + opposite.p - 1.0).abs() < 1e-12);
        }
    }

    /// Smoothing moves P towards 1/2 and never across it.
    #[test]
    fn law_smoothing_moves_towards_a_half(rows in rows(), smoothing in 0.01..4.0) {
        let text = text(&rows, false);
        let bare = built(&text, Options { smoothing: 0.0, ..Options::default() });
        let smooth = built(&text, Options { smoothing, ..Options::default() });
        for (bare, smooth) in bare.entries().zip(smooth.entries()) {
            let (bare, smooth) = (bare.p - 0.5, smooth.p - 0.5);
            prop_assert!(smooth.abs() <= bare.abs() + 1e-12 && (smooth * bare > 0.0 || bare.abs() < 1e-12));
        }
    }
}
