use proptest::prelude::*;

use super::*;

fn arms(list: &[usize]) -> Vec<Arm> {
    list.iter().map(|&i| Arm::new(i)).collect()
}

fn lists(batches: &Batches) -> Vec<Vec<usize>> {
    batches.iter().map(|batch| batch.arms().iter().map(|arm| arm.index()).collect()).collect()
}

fn all(n_arms: usize) -> Vec<Arm> {
    Arm::all(n_arms).collect()
}

#[test]
fn trace_even_batches() {
    let sizes =
        |n_arms, target| lists(&Batches::new(&all(n_arms), target)).iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(sizes(1, 4), [1]);
    assert_eq!(sizes(4, 4), [4]);
    assert_eq!(sizes(5, 4), [2, 3]);
    assert_eq!(sizes(9, 4), [3, 3, 3]);
    assert_eq!(sizes(136, 8), [8; 17]);
    let sizes = sizes(136, 16);
    assert_eq!((sizes.len(), sizes.iter().min(), sizes.iter().max()), (9, Some(&15), Some(&16)));
}

/// Batches {0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11} with target 4, so a batch has at most six
/// arms. Arm 3 is removed: {0, 1, 2}. Arms 4 and 6 are removed: {7, 5}, because the last arm takes
/// the free place. Sorted by size they are {7, 5}, {0, 1, 2}, {8, ...}. 2 + 4 = 6 fits, and {0, 1,
/// 2} stays.
#[test]
fn trace_counts_survive_merges() {
    let mut batches = Batches::new(&all(12), 4);
    let count = |batches: &mut Batches, winner, loser, n| {
        for _ in 0..n {
            batches.record(Arm::new(winner), Arm::new(loser));
        }
    };
    count(&mut batches, 7, 5, 3);
    count(&mut batches, 5, 7, 1);
    count(&mut batches, 4, 5, 9);
    count(&mut batches, 9, 8, 2);
    batches.issue(Arm::new(7), Arm::new(5));
    // Duels between different batches are not counted.
    assert_eq!(batches.record(Arm::new(0), Arm::new(4)), None);
    for gone in [3, 4, 6] {
        batches.remove(Arm::new(gone));
    }
    batches.join_singles();
    batches.merge();
    assert_eq!(lists(&batches), [vec![8, 9, 10, 11, 7, 5], vec![0, 1, 2]]);
    assert_eq!(batches.n_left(), 9);
    let merged = batches.turn(0);
    assert_eq!((merged.wins(4, 5), merged.wins(5, 4), merged.in_flight(5, 4)), (3, 1, 1));
    assert_eq!((merged.wins(1, 0), merged.wins(0, 1)), (2, 0));
    // Arms that never met have no counts, and the counts of arm 4 are gone.
    assert!((0..4).all(|i| (4..6).all(|j| merged.wins(i, j) + merged.wins(j, i) == 0)));
    assert_eq!(batches.record(Arm::new(4), Arm::new(5)), None);
    // The next round belongs to the other batch, the third round to the first batch again.
    assert_eq!(batches.turn(1).arms(), arms(&[0, 1, 2]));
    assert_eq!(batches.turn(2).len(), 6);
}

/// {0, 1}, {2, 3, 4} with target 4: when arm 1 is removed, arm 0 joins the other batch.
#[test]
fn trace_a_single_arm_joins_its_neighbour() {
    let mut batches = Batches::new(&all(5), 4);
    assert_eq!(lists(&batches), [vec![0, 1], vec![2, 3, 4]]);
    batches.remove(Arm::new(1));
    batches.join_singles();
    assert_eq!(lists(&batches), [vec![2, 3, 4, 0]]);
    for gone in [4, 2, 3] {
        batches.remove(Arm::new(gone));
        batches.join_singles();
    }
    assert_eq!((lists(&batches), batches.n_left()), (vec![vec![0]], 1));
}

/// A batch of one arm gets no turn while all other batches are full.
#[test]
fn trace_a_single_arm_waits_for_room() {
    let parts = Parts {
        arms: all(15),
        sizes: vec![1, 6, 6],
        wins: vec![0; 1 + 36 + 36],
        in_flight: vec![0; 1 + 36 + 36],
    };
    let mut batches = Batches::from_parts(&parts, 4).expect("legal");
    assert_eq!(batches.turn(0).arms(), arms(&[1, 2, 3, 4, 5, 6]));
    batches.join_singles();
    assert_eq!(batches.n_batches(), 3);
    batches.remove(Arm::new(7));
    batches.join_singles();
    assert_eq!(lists(&batches), [vec![1, 2, 3, 4, 5, 6], vec![12, 8, 9, 10, 11, 0]]);
}

proptest! {
    /// After any removals and merges, each arm is in one place, the counts belong to the right
    /// pairs, sizes are within bounds, and saved batches can be restored.
    #[test]
    fn law_batches_keep_their_arms_and_counts(
        n_arms in 1..70usize,
        target in 4..12usize,
        steps in proptest::collection::vec((0..9u8, 0..70usize, 0..70usize), 0..300),
    ) {
        let mut batches = Batches::new(&all(n_arms), target);
        let mut wins = vec![vec![0u64; n_arms]; n_arms];
        let mut left = vec![true; n_arms];
        for (step, i, j) in steps {
            let (i, j) = (i % n_arms, j % n_arms);
            let (a, b) = (Arm::new(i), Arm::new(j));
            let together = batches.iter().any(|batch| batch.arms().contains(&a) && batch.arms().contains(&b));
            match step {
                0 if together && i != j => {
                    batches.remove(a);
                    batches.join_singles();
                    left[i] = false;
                }
                1 => {
                    batches.merge();
                    batches.join_singles();
                }
                _ => {
                    let counted = batches.record(a, b).is_some();
                    prop_assert_eq!(counted, together && i != j);
                    wins[i][j] += u64::from(counted);
                }
            }
            let most = (target * 3 / 2).min(n_arms);
            let mut seen = vec![false; n_arms];
            for batch in batches.iter() {
                prop_assert!((1..=most).contains(&batch.len()));
                for (i, j) in batch.places() {
                    prop_assert_eq!(batch.wins(i, j), wins[batch.arm(i).index()][batch.arm(j).index()]);
                    seen[batch.arm(i).index()] = true;
                }
            }
            prop_assert_eq!(&seen, &left);
            prop_assert!(batches.turn(7).len() > 1 || batches.n_left() == 1);
            let parts = batches.to_parts();
            let restored = Batches::from_parts(&parts, target).expect("just saved");
            prop_assert_eq!(lists(&restored), lists(&batches));
            prop_assert_eq!(restored.to_parts().wins, parts.wins);
        }
    }
}
