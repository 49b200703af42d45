//! A matrix as a tournament: who beats whom, and in which circles.
//!
//! Only the side of 1/2 counts here. Arm a *beats* arm b if `P[a][b] > 1/2`; an entry of exactly
//! 1/2 is a *tie*, so what is looked at is a weak tournament. Two questions then have different
//! answers, and both are given:
//!
//! - Who cannot be ruled out by those outside? The *top cycle* (Smith set), the smallest set of
//!   arms of which each beats every arm outside. A tie across its border is not enough, so a tie
//!   draws an arm in.
//! - Who is not beaten, even by a detour? The *Schwartz set*: the arms that beat, directly or
//!   through others, each arm from which they can be reached in the same way. A tie draws nobody
//!   in, so it lies inside the top cycle, and is the same where there are no ties.
//!
//! Either is the Condorcet winner alone where there is one.

use super::PreferenceMatrix;
use crate::Arm;

mod beaten;

use beaten::Beaten;

/// What [`PreferenceMatrix::tournament`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tournament {
    /// The arms in groups, best first: each arm of a group beats every arm of all later groups, and
    /// no group can be divided further. Within a group any arm leads to any other by steps of
    /// "beats or ties with". The first is the top cycle; with a
    /// [total order](PreferenceMatrix::total_order) each holds one arm.
    pub tiers: Vec<Vec<Arm>>,
    /// The Schwartz set, in ascending order.
    pub schwartz: Vec<Arm>,
    /// A shortest circle of arms in the top cycle, each of which beats the next and the last of
    /// which beats the first; of several, one through an arm that beats as many others as possible.
    /// None where the top cycle is a single arm, or is held together by ties alone.
    pub shortest_cycle: Option<Vec<Arm>>,
    /// How many sets of three arms beat each other in a circle, in the whole matrix.
    pub cyclic_triples: u64,
    /// How many pairs of different arms tie.
    pub ties: u64,
}

impl Tournament {
    /// The top cycle, or Smith set, in ascending order.
    pub fn top_cycle(&self) -> &[Arm] {
        &self.tiers[0]
    }

    /// How many sets of three arms there are.
    pub fn triples(&self) -> u64 {
        let n_arms = self.tiers.iter().map(Vec::len).sum::<usize>() as u64;
        n_arms * n_arms.saturating_sub(1) * n_arms.saturating_sub(2) / 6
    }
}

impl PreferenceMatrix {
    /// Groups, circles and ties of the tournament that this matrix makes. Takes O(K³ / 64) time.
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

    /// The groups, by counting points: 2 for a win, 1 for a tie.
    ///
    /// Any m arms share m(m - 1) points in the duels among themselves, and win at most 2m(K - m)
    /// from the others; they win that many exactly if each beats everyone outside. Each of them
    /// then has 2(K - m) points or more, and nobody outside more than 2(K - m - 1): so every such
    /// set is a head of the list sorted by points.
    fn tiers(&self) -> Vec<Vec<Arm>> {
        let n_arms = self.n_arms;
        let points: Vec<usize> = Arm::all(n_arms)
            .map(|arm| {
                let row = self.row(arm);
                let wins = row.iter().filter(|&&p| p > 0.5).count();
                // The diagonal looks like a tie.
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

    /// The arms of the top cycle that are in a strongly connected part of "beats" which nobody
    /// outside it beats.
    ///
    /// The two sweeps of Kosaraju: the first orders the arms by when the search from them ended, so
    /// that a part comes before all parts that it leads to; the second, against the direction of
    /// the arrows and in that order, finds one part after another. O(K²).
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

/// Searches in depth from `start` among `arms` that are not yet seen, and notes each arm when it is
/// done with it. Without recursion: a chain of arms may be as long as there are arms.
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
    // An arm, and the first of `arms` that has not yet been tried from it.
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

    /// A matrix from its signs: `>` the row wins, `<` it loses, `=` a tie; only what is above the
    /// diagonal.
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

    /// The winner alone, then the circle of the other three.
    #[test]
    fn trace_cyclic4() {
        let cyclic = builtin::cyclic4().tournament();
        assert_eq!(cyclic.tiers, [arms(&[0]), arms(&[1, 2, 3])]);
        assert_eq!((cyclic.top_cycle(), &cyclic.schwartz), (arms(&[0]).as_slice(), &arms(&[0])));
        assert_eq!((cyclic.shortest_cycle, cyclic.cyclic_triples, cyclic.ties), (None, 1, 0));
    }

    /// Arms 3 and 5 tie, and 3 beats 4, which beats 5: a group without a circle. The rest is in
    /// order.
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

    /// Arms 0 and 1 beat 2; 0 ties with 1. Neither can be ruled out, and no circle holds them
    /// together.
    #[test]
    fn trace_a_tie_at_the_top() {
        let tie = signs(3, "=> >").tournament();
        assert_eq!(tie.tiers, [arms(&[0, 1]), arms(&[2])]);
        assert_eq!((tie.schwartz, tie.shortest_cycle, tie.ties), (arms(&[0, 1]), None, 1));
    }

    /// 0 beats 1, 1 beats 2, and 0 ties with 2, which thereby enters the top cycle with 1; but only
    /// 0 is unbeaten.
    #[test]
    fn trace_a_tie_draws_arms_into_the_top_cycle_but_not_into_the_schwartz_set() {
        let chain = signs(3, ">= >").tournament();
        assert_eq!((chain.tiers, chain.schwartz), (vec![arms(&[0, 1, 2])], arms(&[0])));
    }

    /// 0 beats 1 beats 2 beats 3 beats 0, and opposite arms tie: no three make a circle, so the
    /// four must.
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

    /// Arm i beats the 32 arms after it in a circle of 65: every arm has 32 wins, so of the
    /// C(65, 3) = 43,680 triples those without a circle are the 65 C(32, 2) = 32,240 with one arm
    /// that beats both others. More arms than bits of a word.
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

    /// Whether each arm of the set stands in this relation to each arm outside.
    fn towards_the_rest(n_arms: usize, set: &[Arm], relation: impl Fn(Arm, Arm) -> bool) -> bool {
        set.iter().all(|&arm| Arm::all(n_arms).all(|other| set.contains(&other) || relation(arm, other)))
    }

    proptest! {
        /// The top cycle is the smallest of all sets whose members beat everyone outside, and the
        /// tiers are what remains to be said of the arms below it.
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

        /// By definition: the union of the smallest sets that nobody outside beats a member of.
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

        /// The circle is one, lies in the top cycle, and no shorter one does.
        #[test]
        fn law_the_shortest_cycle_is_shortest(matrix in arbitrary::matrix()) {
            let found = matrix.tournament();
            // From each arm of the top cycle, who can be reached in exactly n steps: a circle of
            // length n shows itself.
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
