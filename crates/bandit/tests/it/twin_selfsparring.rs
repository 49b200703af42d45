//! Self-Sparring compared with the law of its definition, by quadrature: the probability that an
//! arm's Beta sample is the largest.

use rand::RngExt;
use tiltyard_bandit::policy::selfsparring::SelfDuels;
use tiltyard_bandit::policy::{Additive, Policy, SelfSparring};
use tiltyard_bandit::{Outcome, Stream};

use crate::chi_square;
use crate::twins::{DELIVERIES, Fate, endings, shuffled_matrix};

/// Pr(the sample of arm i is the largest) = integral of f_i times the product of the others'
/// distribution functions, for samples from Beta(1 + eta wins, 1 + eta losses). The trapezoidal
/// rule, with nodes that are close together where any of the densities is high. The same sums
/// normalize the densities.
fn law(eta: f64, counts: &[(u64, u64)]) -> Vec<f64> {
    let shapes: Vec<(f64, f64)> =
        counts.iter().map(|&(wins, losses)| (eta * wins as f64, eta * losses as f64)).collect();
    let mut nodes: Vec<f64> = (1..4000).map(|i| f64::from(i) / 4000.0).collect();
    for &(a, b) in &shapes {
        let n = a + b + 2.0;
        let mean = (a + 1.0) / n;
        let spread = (mean * (1.0 - mean) / (n + 1.0)).sqrt();
        nodes.extend((-2000..=2000).map(|i| mean + spread * f64::from(i) / 200.0));
    }
    nodes.retain(|x| (1e-9..=1.0 - 1e-9).contains(x));
    nodes.extend([1e-9, 1.0 - 1e-9]);
    nodes.sort_by(f64::total_cmp);
    let mut functions = Vec::new();
    for &(a, b) in &shapes {
        let ln: Vec<f64> = nodes.iter().map(|x| a * x.ln() + b * (1.0 - x).ln()).collect();
        let top = ln.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let density: Vec<f64> = ln.iter().map(|ln| (ln - top).exp()).collect();
        let mut below = vec![0.0];
        for i in 1..nodes.len() {
            below.push(below[i - 1] + (nodes[i] - nodes[i - 1]) * f64::midpoint(density[i - 1], density[i]));
        }
        let total = below[nodes.len() - 1];
        functions.push(below.into_iter().map(|below| below / total).collect::<Vec<f64>>());
    }
    let mut law = vec![0.0; counts.len()];
    for (i, chance) in law.iter_mut().enumerate() {
        for node in 1..nodes.len() {
            let gained = functions[i][node] - functions[i][node - 1];
            let others: f64 = (0..counts.len())
                .filter(|&j| j != i)
                .map(|j| f64::midpoint(functions[j][node - 1], functions[j][node]))
                .product();
            *chance += gained * others;
        }
    }
    let total: f64 = law.iter().sum();
    assert!((total - 1.0).abs() < 1e-3, "the quadrature is coarse: {total}");
    law.into_iter().map(|chance| chance / total).collect()
}

fn planted(eta: f64, counts: &[(u64, u64)]) -> SelfSparring {
    let mut policy = SelfSparring::with(counts.len(), eta, SelfDuels::Count).expect("legal");
    let wins = counts.iter().map(|&(wins, _)| wins as f64);
    let losses = counts.iter().map(|&(_, losses)| losses as f64);
    policy.add(&wins.chain(losses).collect::<Vec<f64>>());
    policy
}

/// A name, eta, and the wins and losses of each arm.
type State = (&'static str, f64, Vec<(u64, u64)>);

fn states() -> Vec<State> {
    let mut rng = Stream::new(1).label("states").rng();
    let any = (0..20).map(|_| (rng.random_range(0..30), rng.random_range(0..30))).collect();
    let close = (0..12).map(|_| (rng.random_range(90..110), 100)).collect();
    vec![
        ("nothing known", 1.0, vec![(0, 0); 5]),
        ("equal", 1.0, vec![(10, 10); 8]),
        ("one has played", 1.0, vec![(3, 1), (0, 0)]),
        ("a leader", 1.0, vec![(30, 30), (200, 20), (150, 30), (5, 0), (0, 5), (0, 0)]),
        ("always or never", 1.0, vec![(50, 0), (0, 50), (40, 0), (0, 0), (1, 0), (0, 1)]),
        ("only losses", 1.0, vec![(0, 7), (0, 9), (0, 20), (0, 100)]),
        ("many duels", 1.0, vec![(1_000_000, 900_000), (1_000_300, 900_000), (3, 2), (999_500, 900_000)]),
        ("any", 1.0, any),
        ("close", 1.0, close),
        ("heavy", 3.5, vec![(3, 1), (4, 2), (0, 0), (9, 9)]),
        ("light", 0.1, vec![(30, 1), (4, 20), (0, 0), (9, 9), (0, 40)]),
    ]
}

/// Both slots have this law, independently of each other.
#[test]
fn stat_pairs_have_the_law_of_the_largest_samples() {
    for (what, eta, counts) in states() {
        let policy = planted(eta, &counts);
        let law = law(eta, &counts);
        let mut rng = Stream::new(2).label(what).rng();
        let draws = (0..60_000).map(|_| policy.propose(&mut rng));
        chi_square::check(what, counts.len(), |left, right| law[left] * law[right], draws);
    }
}

/// The quadrature compared with probabilities known in closed form. Pr(Beta(4, 2) > uniform) = E
/// Beta(4, 2) = 2/3. A sample from Beta(2, 1), which has the density 2x, exceeds two uniform
/// samples with probability 1/2, the integral of 2x x^2.
#[test]
fn trace_the_law_itself() {
    assert!((law(1.0, &[(3, 1), (0, 0)])[0] - 2.0 / 3.0).abs() < 1e-6);
    assert!((law(1.0, &[(0, 0), (1, 0), (0, 0)])[1] - 0.5).abs() < 1e-6);
    assert!((law(3.0, &[(1, 0), (0, 0)])[0] - 0.8).abs() < 1e-6);
}

/// Each duel counts as a win for the winner and as a loss for the loser, whenever its outcome
/// arrives. A self-duel counts as both for the same arm, or as nothing if self-duels are skipped.
#[test]
fn law_counts_are_wins_and_losses() {
    for self_duels in [SelfDuels::Count, SelfDuels::Skip] {
        for (kind, delivery) in (0..4).flat_map(|kind| DELIVERIES.map(|delivery| (kind, delivery))) {
            for n_arms in [1, 2, 5, 40] {
                let mut rng = Stream::new(3).label("counts").index(kind as u64).rng();
                let p = shuffled_matrix(kind, n_arms, &mut rng);
                let mut policy = SelfSparring::with(n_arms, 1.0, self_duels).expect("legal");
                let (mut wins, mut losses) = (vec![0.0; n_arms], vec![0.0; n_arms]);
                let mut waiting = Vec::new();
                for _ in 0..2000 {
                    waiting.push(policy.decide(&mut rng));
                    for (ticket, fate) in endings(&mut waiting, delivery, &p, &mut rng) {
                        let Fate::Decided(outcome) = fate else {
                            policy.void(&ticket);
                            continue;
                        };
                        policy.update(&ticket, outcome);
                        let (left, right) = (ticket.left.index(), ticket.right.index());
                        let won = outcome == Outcome::WIN;
                        if left != right || self_duels == SelfDuels::Count {
                            wins[if won { left } else { right }] += 1.0;
                            losses[if won { right } else { left }] += 1.0;
                        }
                    }
                }
                let most = wins.iter().copied().fold(0.0, f64::max);
                assert!((wins[policy.recommend().index()] - most).abs() < 0.5);
                assert_eq!(policy.sums(), [wins, losses].concat(), "{n_arms} arms, matrix {kind}");
            }
        }
    }
}

/// A state in which arm 1, the second best of `arithmetic8`, owes its wins to weak opponents and
/// meets itself: it has 400 wins and 100 losses, while arm 0 has 30 and 20. The specification
/// allows self-duels to teach nothing. Then the policy is stuck: the mean of arm 1 stays at 0.8,
/// which a sample of arm 0 exceeds once in 5,000 draws. After 2,000 rounds, arm 1 still gets nearly
/// all duels. If self-duels count, they bring its mean to 1/2 in some hundred rounds, and arm 0
/// takes over.
#[test]
fn stat_self_duels_must_count() {
    for (self_duels, stuck) in [(SelfDuels::Count, false), (SelfDuels::Skip, true)] {
        let mut policy = SelfSparring::with(2, 1.0, self_duels).expect("legal");
        policy.add(&[30.0, 400.0, 20.0, 100.0]);
        let mut rng = Stream::new(5).rng();
        let mut last = 0;
        for round in 0..2000 {
            let ticket = policy.decide(&mut rng);
            let p = 0.5 + 0.05 * (ticket.right.index() as f64 - ticket.left.index() as f64);
            policy.update(&ticket, Outcome::won(rng.random::<f64>() < p));
            last += usize::from(round >= 1000 && (ticket.left.index(), ticket.right.index()) == (1, 1));
        }
        assert_eq!(
            last > 900,
            stuck,
            "{self_duels:?}: {last} of the last 1000 duels are of arm 1 with itself"
        );
    }
}

/// Late outcomes do not make it repeat one pair: a thousand proposals differ
/// although nothing is learned in between.
#[test]
fn law_late_outcomes_do_not_repeat_one_pair() {
    let mut policy = planted(1.0, &[(5, 5), (6, 4), (4, 6), (5, 5)]);
    let mut rng = Stream::new(4).rng();
    let pairs: std::collections::BTreeSet<_> =
        (0..1000).map(|_| policy.decide(&mut rng)).map(|ticket| (ticket.left, ticket.right)).collect();
    assert!(pairs.len() > 12, "{pairs:?}");
}
