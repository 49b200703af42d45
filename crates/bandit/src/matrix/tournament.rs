//! A matrix as a tournament: which arm beats which, and in which cycles.
//!
//! Here it only matters whether an entry is above or below 1/2. Arm a *beats* arm b if `P[a][b] >
//! 1/2`. An entry of exactly 1/2 is a *tie*, so this is a weak tournament. With ties, there are two
//! different sets of best arms, and both are computed:
//!
//! - The *top cycle* (Smith set) is the smallest set of arms in which each arm beats every arm
//!   outside. A tie with an arm outside is not enough, so a tie brings that arm into the set.
//! - The *Schwartz set* contains the arms that are not beaten, even indirectly: if another arm
//!   beats such an arm, directly or through other arms, then that arm also beats the other one,
//!   directly or through other arms. A tie brings no arm into the set. So the Schwartz set is a
//!   subset of the top cycle, and equal to it without ties.
//!
//! If there is a Condorcet winner, both sets contain only that arm.

use super::PreferenceMatrix;
use crate::Arm;

mod beaten;

use beaten::Beaten;

/// The result of [`PreferenceMatrix::tournament`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tournament {
    /// The arms in groups, best group first. Each arm of a group beats every arm of all later
    /// groups, and no group can be divided further. Within a group, steps of "beats or ties with"
    /// lead from any arm to any other. The first group is the top cycle. With a [total
    /// order](PreferenceMatrix::total_order) each group has one arm.
    pub tiers: Vec<Vec<Arm>>,
    /// The Schwartz set, in ascending order.
    pub schwartz: Vec<Arm>,
    /// A shortest cycle in the top cycle: each arm beats the next, and the last beats the first. If
    /// there are several, it is one through an arm that beats as many others as possible. `None` if
    /// the top cycle is a single arm or has no such cycle because of ties.
    pub shortest_cycle: Option<Vec<Arm>>,
    /// The number of sets of three arms that beat each other in a cycle, in the whole matrix.
    pub cyclic_triples: u64,
    /// The number of pairs of different arms that tie.
    pub ties: u64,
}

impl Tournament {
    /// The top cycle, or Smith set, in ascending order.
    pub fn top_cycle(&self) -> &[Arm] {
        &self.tiers[0]
    }

    /// The number of sets of three arms.
    pub fn triples(&self) -> u64 {
        let n_arms = self.tiers.iter().map(Vec::len).sum::<usize>() as u64;
        n_arms * n_arms.saturating_sub(1) * n_arms.saturating_sub(2) / 6
    }
}

impl PreferenceMatrix {
    /// The groups, cycles and ties of this matrix as a tournament. Takes O(K³ / 64) time.
    pub fn tournament(&self) -> Tournament {
        let beaten = Beaten::of(self);
        let tiers = self.tiers();
        let mut by_wins = tiers[0].clone();
        let wins = self.copeland();
        by_wins.sort_by_key(|arm| core::cmp::Reverse(wins[arm.index()]));
        let n_arms = self.n_arms as u64;
        Tournament {
            schwartz: self.schwartz(&tiers[0]),
            shortest_cycle: beaten.shortest_cycle(&by_wins),
            cyclic_triples: beaten.cyclic_triples(),
            ties: n_arms * (n_arms - 1) / 2 - wins.iter().sum::<usize>() as u64,
            tiers,
        }
    }

    /// The groups, found by counting points: 2 for a win, 1 for a tie.
    ///
    /// Any m arms share m(m - 1) points in the duels among themselves, and win at most 2m(K - m)
    /// points from the others. They win exactly that many if and only if each of them beats every
    /// arm outside. Each of them then has at least 2(K - m) points, and no arm outside has more
    /// than 2(K - m - 1). So every such set is a prefix of the list sorted by points.
    fn tiers(&self) -> Vec<Vec<Arm>> {
        let n_arms = self.n_arms;
        let points: Vec<usize> = Arm::all(n_arms)
            .map(|arm| {
                let row = self.row(arm);
                let wins = row.iter().filter(|&&p| p > 0.5).count();
                // The diagonal counts as a tie here.
                let ties = row.iter().filter(|&&p| p >= 0.5).count() - wins - 1;
                2 * wins + ties
            })
            .collect();
        let mut order: Vec<Arm> = Arm::all(n_arms).collect();
        order.sort_by_key(|arm| core::cmp::Reverse(points[arm.index()]));
        let (mut tiers, mut tier, mut sum) = (Vec::new(), Vec::new(), 0);
        for (arm, m) in order.into_iter().zip(1..) {
            tier.push(arm);
            sum += points[arm.index()];
            if sum == m * (m - 1) + 2 * m * (n_arms - m) {
                tier.sort();
                tiers.push(core::mem::take(&mut tier));
            }
        }
        tiers
    }

    /// The arms of the top cycle that are in a strongly connected component of "beats" that no arm
    /// outside the component beats.
    ///
    /// Kosaraju's algorithm with two passes, in O(K²). The first pass orders the arms by the time
    /// at which the search from them ended. In reverse, a component comes before all components
    /// that it leads to. The second pass follows the arrows backwards, in that reverse order, and
    /// finds one component after another.
    fn schwartz(&self, top_cycle: &[Arm]) -> Vec<Arm> {
        let mut ended = Vec::with_capacity(top_cycle.len());
        let mut seen = vec![false; self.n_arms];
        for &start in top_cycle {
            search(start, top_cycle, &mut seen, &mut ended, |from, to| self.beats(from, to));
        }
        let mut part_of = vec![0_usize; self.n_arms];
        let mut parts: Vec<Vec<Arm>> = Vec::new();
        seen.fill(false);
        for &start in ended.iter().rev() {
            let mut part = Vec::new();
            search(start, top_cycle, &mut seen, &mut part, |from, to| self.beats(to, from));
            if !part.is_empty() {
                for arm in &part {
                    part_of[arm.index()] = parts.len();
                }
                parts.push(part);
            }
        }
        let beaten_from_outside = |arm: &&Arm| {
            top_cycle
                .iter()
                .any(|&other| part_of[other.index()] != part_of[arm.index()] && self.beats(other, **arm))
        };
        let mut found: Vec<Arm> = parts
            .iter()
            .filter(|part| !part.iter().any(|arm| beaten_from_outside(&arm)))
            .flatten()
            .copied()
            .collect();
        found.sort();
        found
    }
}

/// Depth-first search from `start` among `arms` that are not seen yet. It appends each arm to
/// `ended` when the search from that arm ends. It uses no recursion, because a path may contain all
/// arms.
fn search(
    start: Arm,
    arms: &[Arm],
    seen: &mut [bool],
    ended: &mut Vec<Arm>,
    arrow: impl Fn(Arm, Arm) -> bool,
) {
    if core::mem::replace(&mut seen[start.index()], true) {
        return;
    }
    // Each entry is an arm, and the index of the first of `arms` that was not tried from it yet.
    let mut path = vec![(start, 0)];
    while let Some((from, next)) = path.last_mut() {
        let found = arms[*next..].iter().position(|&to| !seen[to.index()] && arrow(*from, to));
        if let Some(skipped) = found {
            let to = arms[*next + skipped];
            *next += skipped + 1;
            seen[to.index()] = true;
            path.push((to, 0));
        } else {
            ended.push(*from);
            path.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{arbitrary, builtin};
    use super::*;
    use proptest::prelude::*;

    fn arms(indices: &[usize]) -> Vec<Arm> {
        indices.iter().copied().map(Arm::new).collect()
    }

    /// A matrix from the signs above the diagonal: `>` the row wins, `<` it loses, `=` a tie.
    fn signs(n_arms: usize, upper: &str) -> PreferenceMatrix {
        let mut signs = upper.chars().filter(|sign| !sign.is_whitespace());
        PreferenceMatrix::from_fn(n_arms, |_, _| match signs.next().unwrap() {
            '>' => 0.8,
            '<' => 0.2,
            _ => 0.5,
        })
        .unwrap()
    }

    #[test]
    fn trace_rock_paper_scissors() {
        let circle = signs(3, "<> <").tournament();
        assert_eq!(circle.tiers, [arms(&[0, 1, 2])]);
        assert_eq!(circle.schwartz, arms(&[0, 1, 2]));
        // Rock beats scissors, which beat paper, which beats rock.
        assert_eq!(circle.shortest_cycle, Some(arms(&[0, 2, 1])));
        assert_eq!((circle.cyclic_triples, circle.triples(), circle.ties), (1, 1, 0));
    }

    /// The winner alone, then the cycle of the other three.
    #[test]
    fn trace_cyclic4() {
        let cyclic = builtin::cyclic4().tournament();
        assert_eq!(cyclic.tiers, [arms(&[0]), arms(&[1, 2, 3])]);
        assert_eq!((cyclic.top_cycle(), &cyclic.schwartz), (arms(&[0]).as_slice(), &arms(&[0])));
        assert_eq!((cyclic.shortest_cycle, cyclic.cyclic_triples, cyclic.ties), (None, 1, 0));
    }

    /// Arms 3 and 5 tie, and 3 beats 4, which beats 5: a group without a cycle. The other arms are
    /// in order.
    #[test]
    fn trace_arxiv6() {
        let arxiv = builtin::arxiv6().tournament();
        assert_eq!(arxiv.tiers, [arms(&[0]), arms(&[1]), arms(&[2]), arms(&[3, 4, 5])]);
        assert_eq!(
            (&arxiv.shortest_cycle, arxiv.cyclic_triples, arxiv.triples(), arxiv.ties),
            (&None, 0, 20, 1)
        );
    }

    #[test]
    fn trace_bvs20_is_a_total_order() {
        let bvs = builtin::bvs(20).unwrap().tournament();
        assert_eq!(bvs.tiers, Arm::all(20).map(|arm| vec![arm]).collect::<Vec<_>>());
        assert_eq!((bvs.schwartz, bvs.cyclic_triples, bvs.ties), (arms(&[0]), 0, 0));
    }

    /// Arms 0 and 1 beat 2, and 0 ties with 1. Both are in the top cycle, but there is no cycle of
    /// wins.
    #[test]
    fn trace_a_tie_at_the_top() {
        let tie = signs(3, "=> >").tournament();
        assert_eq!(tie.tiers, [arms(&[0, 1]), arms(&[2])]);
        assert_eq!((tie.schwartz, tie.shortest_cycle, tie.ties), (arms(&[0, 1]), None, 1));
    }

    /// 0 beats 1, 1 beats 2, and 0 ties with 2. The tie brings 2, and with it 1, into the top
    /// cycle, but only 0 is unbeaten.
    #[test]
    fn trace_a_tie_draws_arms_into_the_top_cycle_but_not_into_the_schwartz_set() {
        let chain = signs(3, ">= >").tournament();
        assert_eq!((chain.tiers, chain.schwartz), (vec![arms(&[0, 1, 2])], arms(&[0])));
    }

    /// 0 beats 1 beats 2 beats 3 beats 0, and opposite arms tie. No three arms form a cycle, so the
    /// shortest has four.
    #[test]
    fn trace_a_circle_of_four() {
        let square = signs(4, ">=< >= >").tournament();
        assert_eq!(square.shortest_cycle, Some(arms(&[0, 1, 2, 3])));
        assert_eq!((square.cyclic_triples, square.ties), (0, 2));
        assert_eq!(square.schwartz, arms(&[0, 1, 2, 3]));
    }

    #[test]
    fn trace_one_arm() {
        let one = PreferenceMatrix::new(1, vec![0.5]).unwrap().tournament();
        assert_eq!((one.tiers, one.schwartz), (vec![arms(&[0])], arms(&[0])));
        assert_eq!((one.shortest_cycle, one.cyclic_triples, one.ties), (None, 0, 0));
    }

    /// 65 arms around a wheel; each beats the 32 arms after it. The 65 C(32, 2) = 32,240 triples
    /// with one arm that beats both others have no cycle, and all other of the C(65, 3) = 43,680
    /// triples have one. There are more arms than bits in a word.
    #[test]
    fn trace_a_wheel_of_65_arms() {
        let preference = |i: Arm, j: Arm| if j.index() - i.index() <= 32 { 0.6 } else { 0.4 };
        let wheel = PreferenceMatrix::from_fn(65, preference).unwrap().tournament();
        assert_eq!((wheel.cyclic_triples, wheel.triples()), (43_680 - 32_240, 43_680));
        assert_eq!(wheel.top_cycle().len(), 65);
        assert_eq!(wheel.shortest_cycle.unwrap().len(), 3);
    }

    /// All non-empty sets of arms, as lists.
    fn sets(n_arms: usize) -> Vec<Vec<Arm>> {
        (1_u32..1 << n_arms)
            .map(|set| Arm::all(n_arms).filter(|arm| set >> arm.index() & 1 == 1).collect())
            .collect()
    }

    /// Whether the relation holds between each arm of the set and each arm outside.
    fn towards_the_rest(n_arms: usize, set: &[Arm], relation: impl Fn(Arm, Arm) -> bool) -> bool {
        set.iter().all(|&arm| Arm::all(n_arms).all(|other| set.contains(&other) || relation(arm, other)))
    }

    proptest! {
        /// The top cycle is the smallest of all sets whose members beat every arm outside, and the
        /// first i tiers together are the i-th smallest such set.
        #[test]
        fn law_tiers_are_found_by_trying_all_sets(matrix in arbitrary::matrix()) {
            let k = matrix.n_arms();
            let mut dominant: Vec<_> = sets(k).into_iter()
                .filter(|set| towards_the_rest(k, set, |arm, other| matrix.beats(arm, other)))
                .collect();
            dominant.sort_by_key(Vec::len);
            let tiers = matrix.tournament().tiers;
            prop_assert_eq!(tiers.len(), dominant.len());
            for (i, set) in dominant.iter().enumerate() {
                let mut head = tiers[..=i].concat();
                head.sort();
                prop_assert_eq!(&head, set);
            }
        }

        /// By definition: the union of the smallest sets of which no arm outside beats a member.
        #[test]
        fn law_the_schwartz_set_is_found_by_trying_all_sets(matrix in arbitrary::matrix()) {
            let k = matrix.n_arms();
            let unbeaten: Vec<_> = sets(k).into_iter()
                .filter(|set| towards_the_rest(k, set, |arm, other| !matrix.beats(other, arm)))
                .collect();
            let smallest = unbeaten.iter().filter(|set| {
                !unbeaten.iter().any(|other| other.len() < set.len() && other.iter().all(|arm| set.contains(arm)))
            });
            let mut union: Vec<Arm> = smallest.flatten().copied().collect();
            union.sort();
            union.dedup();
            let found = matrix.tournament();
            prop_assert_eq!(&found.schwartz, &union);
            prop_assert!(found.schwartz.iter().all(|arm| found.top_cycle().contains(arm)));
            if found.ties == 0 {
                prop_assert_eq!(found.schwartz.as_slice(), found.top_cycle());
            }
        }

        #[test]
        fn law_triples_and_ties_are_counted(matrix in arbitrary::matrix()) {
            let (k, beats) = (matrix.n_arms(), |a: usize, b: usize| matrix.beats(Arm::new(a), Arm::new(b)));
            let (mut triples, mut cyclic, mut ties) = (0, 0, 0);
            for a in 0..k {
                for b in a + 1..k {
                    ties += u64::from(!beats(a, b) && !beats(b, a));
                    for c in b + 1..k {
                        triples += 1;
                        let around = beats(a, b) && beats(b, c) && beats(c, a);
                        cyclic += u64::from(around || beats(b, a) && beats(c, b) && beats(a, c));
                    }
                }
            }
            let found = matrix.tournament();
            prop_assert_eq!((found.triples(), found.cyclic_triples, found.ties), (triples, cyclic, ties));
        }

        /// The result is a cycle in the top cycle, and no shorter cycle exists there.
        #[test]
        fn law_the_shortest_cycle_is_shortest(matrix in arbitrary::matrix()) {
            let found = matrix.tournament();
            // For each arm of the top cycle, the arms that can be reached from it in exactly n
            // steps. If an arm reaches itself, it is on a cycle of length n.
            let top = found.top_cycle();
            let mut reached: Vec<Vec<Arm>> = top.iter().map(|&arm| vec![arm]).collect();
            let mut shortest = None;
            for steps in 1..=top.len() {
                for set in &mut reached {
                    *set = top.iter().copied().filter(|&to| set.iter().any(|&from| matrix.beats(from, to))).collect();
                }
                if shortest.is_none() && top.iter().zip(&reached).any(|(arm, set)| set.contains(arm)) {
                    shortest = Some(steps);
                }
            }
            prop_assert_eq!(found.shortest_cycle.as_ref().map(Vec::len), shortest);
            if let Some(cycle) = &found.shortest_cycle {
                let next = cycle.iter().cycle().skip(1);
                prop_assert!(cycle.iter().zip(next).all(|(&a, &b)| matrix.beats(a, b) && top.contains(&a)));
            }
        }

        #[test]
        fn law_relabelling_commutes((matrix, order) in arbitrary::matrix_and_order()) {
            let (old, new) = (matrix.tournament(), matrix.relabelled(&order).tournament());
            let old_labels = |arms: &[Arm]| {
                let mut arms: Vec<Arm> = arms.iter().map(|arm| order[arm.index()]).collect();
                arms.sort();
                arms
            };
            prop_assert_eq!(new.tiers.iter().map(|tier| old_labels(tier)).collect::<Vec<_>>(), old.tiers);
            prop_assert_eq!(old_labels(&new.schwartz), old.schwartz);
            prop_assert_eq!((new.cyclic_triples, new.ties), (old.cyclic_triples, old.ties));
        }
    }
}
