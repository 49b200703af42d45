use proptest::prelude::*;
use tiltyard_bandit::matrix::{PreferenceMatrix, builtin};

use super::*;
use crate::BestKind;

fn world(text: &str, rounds: u64) -> PiecewiseWorld {
    let AnyWorld::Piecewise(world) = build(&text.parse().unwrap(), rounds).unwrap() else { unreachable!() };
    world
}

fn gaps(world: &PiecewiseWorld, regret: &str, round: u64) -> Vec<f64> {
    let gaps = world.gaps(regret.parse().unwrap()).unwrap();
    Arm::all(world.n_arms()).map(|arm| world.gap(&gaps, round, arm)).collect()
}

/// A run of 10 rounds. For 4 rounds, arm 0 beats the others with probabilities 0.9 and 0.6. For 6
/// rounds, arm 1 beats the others with probabilities 0.8 and 0.7:
///
/// ```text
/// rounds 1..4     0.5  0.9  0.6        rounds 5..10    0.5  0.2  0.5
///                 0.1  0.5  0.5                        0.8  0.5  0.7
///                 0.4  0.5  0.5                        0.5  0.3  0.5
/// ```
///
/// On average P(0, 1) = 0.4 * 0.9 + 0.6 * 0.2 = 0.48 and P(1, 2) = 0.4 * 0.5 + 0.6 * 0.7 = 0.62, so
/// arm 1 is the best over all rounds.
fn two() -> PiecewiseWorld {
    let first = PreferenceMatrix::from_rows(&[[0.5, 0.9, 0.6], [0.1, 0.5, 0.5], [0.4, 0.5, 0.5]]).unwrap();
    let second = PreferenceMatrix::from_rows(&[[0.5, 0.2, 0.5], [0.8, 0.5, 0.7], [0.5, 0.3, 0.5]]).unwrap();
    PiecewiseWorld::new(vec![(1, first), (5, second)], 10)
}

#[test]
fn trace_static_and_dynamic_gaps() {
    let world = two();
    assert_eq!(world.best(), Best { arm: Arm::new(1), kind: BestKind::Condorcet });
    assert_eq!([1, 4, 5, 10, 11].map(|round| world.best_in(round).index()), [0, 0, 1, 1, 1]);
    let average = world.average();
    assert!((average.get(Arm::new(0), Arm::new(1)) - 0.48).abs() < 1e-12);
    assert!((average.get(Arm::new(1), Arm::new(2)) - 0.62).abs() < 1e-12);
    for (regret, round, expected) in [
        ("dynamic-condorcet", 4, [0.0, 0.4, 0.1]),
        ("dynamic-condorcet", 5, [0.3, 0.0, 0.2]),
        // Against arm 1, which loses to arm 0 in the first segment.
        ("condorcet", 4, [-0.4, 0.0, 0.0]),
        ("condorcet", 5, [0.3, 0.0, 0.2]),
        ("dynamic-binary-weak", 4, [0.0, 1.0, 1.0]),
        ("binary-weak", 4, [1.0, 0.0, 1.0]),
        ("dynamic-weak", 5, [0.3, 0.0, 0.2]),
        // Borda scores 0.75, 0.3, 0.45 and 0.35, 0.75, 0.4: on average 0.51, 0.57, 0.42.
        ("dynamic-borda", 1, [0.0, 0.45, 0.3]),
        ("dynamic-borda", 10, [0.4, 0.0, 0.35]),
        ("borda", 1, [-0.45, 0.0, -0.15]),
        // Copeland: first arm 0 beats both others, which tie; then arm 1 beats both others, which
        // tie.
        ("dynamic-copeland", 1, [0.0, 1.0, 1.0]),
        ("copeland", 1, [-1.0, 0.0, 0.0]),
        ("copeland", 10, [1.0, 0.0, 1.0]),
    ] {
        for (got, expected) in gaps(&world, regret, round).iter().zip(expected) {
            assert!((got - expected).abs() < 1e-12, "{regret}, round {round}: {got}, not {expected}");
        }
    }
    assert!(world.gaps(Regret::BANDIT).is_err());
}

#[test]
fn trace_segments_by_number_or_length() {
    let starts = |text: &str, rounds| world(text, rounds).starts;
    assert_eq!(starts("piecewise:of=arxiv6", 100), [1, 21, 41, 61, 81]);
    // 10 * i / 3 = 0, 3, 6.
    assert_eq!(starts("piecewise:of=arxiv6,segments=3", 10), [1, 4, 7]);
    assert_eq!(starts("piecewise:of=arxiv6,segments=T", 3), [1, 2, 3]);
    assert_eq!(starts("piecewise:of=arxiv6,every=4", 10), [1, 5, 9]);
    assert_eq!(starts("piecewise:of=arxiv6,every=10", 10), [1]);
    let one = world("piecewise:of=arxiv6,segments=1", 10);
    assert_eq!((one.average(), one.best().arm), (builtin::arxiv6(), Arm::new(0)));
}

#[test]
fn stable_orders() {
    let world = world("piecewise:of=arxiv6,segments=4,seed=1", 1000);
    let orders: Vec<Vec<usize>> =
        world.pieces.iter().map(|piece| piece.order.iter().map(|arm| arm.index()).collect()).collect();
    assert_eq!(orders, STABLE);
}

const STABLE: [[usize; 6]; 4] =
    [[0, 1, 2, 3, 4, 5], [5, 1, 2, 0, 3, 4], [1, 0, 5, 4, 2, 3], [1, 5, 4, 2, 3, 0]];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Each segment is the relabelled matrix with a new winner. Its dynamic gaps are the gaps of
    /// the matrix in another order, and none is negative.
    #[test]
    fn law_segments_are_relabelled_and_the_winner_changes(segments in 1..20u64, seed in 0..1000u64) {
        let world = world(&format!("piecewise:of=bvs20,segments={segments},seed={seed}"), 1000);
        let plain = MatrixWorld::new(builtin::bvs(20).unwrap());
        for regret in ["condorcet", "borda", "copeland"] {
            let mut expected = plain.gaps(regret.parse().unwrap()).unwrap().table().to_vec();
            expected.sort_by(f64::total_cmp);
            for segment in world.segments() {
                let mut got = gaps(&world, &format!("dynamic-{regret}"), segment.from);
                got.sort_by(f64::total_cmp);
                prop_assert!(got.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12));
                prop_assert!(got[0] >= 0.0);
            }
        }
        let winners: Vec<_> = world.segments().iter().map(|segment| segment.best.arm).collect();
        prop_assert!(winners.windows(2).all(|two| two[0] != two[1]));
        for (segment, winner) in world.segments().iter().zip(&winners) {
            prop_assert!(gaps(&world, "dynamic-condorcet", segment.from)[winner.index()].abs() < 1e-12);
            prop_assert_eq!(world.best_in(segment.from), *winner);
        }
    }
}

/// 40,000 duels before and after a change. One standard error is 0.0015 at p = 0.9 and 0.002 at
/// p = 0.2. Five are allowed.
#[test]
fn stat_duels_follow_the_matrix_in_force() {
    let world = two();
    let mut rng = Stream::new(1).rng();
    for (round, p) in [(4, 0.9), (5, 0.2)] {
        let win = |_| {
            world.duel(&mut RunState::default(), round, Arm::new(0), Arm::new(1), &mut rng).unwrap().reward()
        };
        let share = (0..40_000).map(win).sum::<f64>() / 40_000.0;
        assert!((share - p).abs() < 0.01, "round {round}: {share}");
    }
}

#[test]
fn trace_one_arm_stays() {
    let one = MatrixWorld::new(builtin::savage(1).unwrap());
    let world = PiecewiseWorld::relabelled(&one, vec![1, 3], 5, Stream::new(1));
    assert_eq!((world.best_in(5), gaps(&world, "dynamic-condorcet", 5)), (Arm::new(0), vec![0.0]));
}
