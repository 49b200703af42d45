//! The identities of the paper, by exact enumeration: every ordered pair of arms goes through the
//! real `update`, weighted with its probability.

use proptest::prelude::*;
use tiltyard_bandit::policy::rex3::{Options, Schedule, Transfer};
use tiltyard_bandit::policy::{Distinct, Rex3};
use tiltyard_bandit::policy::{Policy, Random};
use tiltyard_bandit::{Draw, Outcome, Stream, Ticket};

use crate::support::{assert_close, planned, rex3, slots};

/// The tolerance for rounding: c reaches K / (2 gamma) < 1000, and is computed from log-weights of
/// size 10 with 16 digits.
const EXACT: f64 = 1e-9;

const TRANSFERS: [Transfer; 3] = [Transfer::Identity, Transfer::Sign, Transfer::Indicator];

/// A possible state of REX3, and utilities of the arms.
#[derive(Debug, Clone)]
struct Case {
    gamma: f64,
    mixing: f64,
    log_weights: Vec<f64>,
    utilities: Vec<f64>,
}

impl Case {
    /// The policy in that state.
    fn policy(&self, transfer: Transfer) -> Rex3 {
        let n_arms = self.log_weights.len();
        let options = Options {
            schedule: Schedule::Fixed { gamma: self.gamma },
            transfer,
            guard: true,
            mixing: self.mixing,
        };
        let mut policy = rex3(n_arms, options);
        let sums = self.log_weights.iter().map(|l| l * n_arms as f64 / self.gamma).collect();
        policy.warm_start(0, sums).expect("finite sums, one per arm");
        policy
    }

    fn difference(&self, i: usize, j: usize) -> f64 {
        self.utilities[i] - self.utilities[j]
    }
}

fn cases() -> impl Strategy<Value = Case> {
    (1..=9usize).prop_flat_map(|n_arms| {
        // Utilities from a coarse grid half of the time, so that ties are common.
        let utility = prop_oneof![(0..=4u8).prop_map(|x| f64::from(x) / 4.0), 0.0..=1.0];
        (
            0.01..=0.5,
            prop_oneof![Just(1.0), 1.0 / 6.0..=1.0],
            prop::collection::vec(-4.0..4.0f64, n_arms),
            prop::collection::vec(utility, n_arms),
        )
            .prop_map(|(gamma, mixing, log_weights, utilities)| Case {
                gamma,
                mixing,
                log_weights,
                utilities,
            })
    })
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) }
}

/// What one duel adds to the c of each arm, computed from the log-weights before and after.
fn credit(policy: &Rex3, ticket: &Ticket, outcome: Outcome) -> Vec<f64> {
    let mut after = policy.clone();
    after.update(ticket, outcome);
    let scale = policy.gamma() / policy.n_arms() as f64;
    after.log_weights().iter().zip(policy.log_weights()).map(|(new, old)| (new - old) / scale).collect()
}

/// A pair, its probability, and what its duel adds to the c of each arm.
struct Enumerated {
    left: usize,
    right: usize,
    probability: f64,
    credit: Vec<f64>,
}

/// Every ordered pair. The utilities decide its duel.
fn enumerate(case: &Case, policy: &Rex3) -> Vec<Enumerated> {
    let n_arms = policy.n_arms();
    let mut all = Vec::new();
    for left in 0..n_arms {
        for right in 0..n_arms {
            let ticket = planned(policy, left, right);
            let outcome = Outcome::difference(case.utilities[left], case.utilities[right]);
            let probability = ticket.propensity().expect("REX3 knows its probabilities");
            all.push(Enumerated { left, right, probability, credit: credit(policy, &ticket, outcome) });
        }
    }
    all
}

/// For each arm, the sum over all pairs of probability times credit.
fn expectation(n_arms: usize, all: &[Enumerated]) -> Vec<f64> {
    (0..n_arms).map(|i| all.iter().map(|pair| pair.probability * pair.credit[i]).sum()).collect()
}

/// psi as in the paper.
fn psi(transfer: Transfer, difference: f64) -> f64 {
    match transfer {
        Transfer::Identity => difference,
        Transfer::Sign => f64::from(i8::from(difference > 0.0) - i8::from(difference < 0.0)),
        Transfer::Indicator => f64::from(u8::from(difference > 0.0)),
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

proptest! {
    #![proptest_config(config())]

    /// Lemma 1: E c_i = x_i - sum_j p_j x_j.
    #[test]
    fn law_lemma_1(case in cases()) {
        let policy = case.policy(Transfer::Identity);
        let p = policy.distribution();
        let expected = expectation(p.len(), &enumerate(&case, &policy));
        let average = dot(&p, &case.utilities);
        let want: Vec<f64> = case.utilities.iter().map(|x| x - average).collect();
        assert_close(&expected, &want, EXACT, "E c");
    }

    /// For any transfer, E c_i = sum_j p_j psi(x_i - x_j). For the sign, this is an average of
    /// signs; for the indicator, it is Pr(x_i > x_j).
    #[test]
    fn law_every_transfer_estimates_its_own_mean(case in cases()) {
        for transfer in TRANSFERS {
            let policy = case.policy(transfer);
            let p = policy.distribution();
            let expected = expectation(p.len(), &enumerate(&case, &policy));
            let want: Vec<f64> = (0..p.len())
                .map(|i| (0..p.len()).map(|j| p[j] * psi(transfer, case.difference(i, j))).sum())
                .collect();
            assert_close(&expected, &want, EXACT, &format!("E c of {transfer:?}"));
        }
    }

    /// The same if the outcome itself is random: a win, a tie or a loss, with the probabilities of
    /// a random world. The indicator then estimates sum_j p_j Pr(i beats j).
    #[test]
    fn law_random_outcomes(case in cases(), salt in any::<u64>()) {
        use rand::RngExt;
        let n_arms = case.utilities.len();
        let mut rng = Stream::new(salt).rng();
        // Pr(i beats j), with room for ties. The guard skips an arm that meets itself.
        let mut win = vec![0.0; n_arms * n_arms];
        for (i, j) in (0..n_arms).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let chance = rng.random::<f64>();
            win[i * n_arms + j] = chance;
            win[j * n_arms + i] = (1.0 - chance) * rng.random::<f64>();
        }
        let win = |i: usize, j: usize| win[i * n_arms + j];
        for transfer in TRANSFERS {
            let policy = case.policy(transfer);
            let p = policy.distribution();
            let mut expected = vec![0.0; n_arms];
            for left in 0..n_arms {
                for right in 0..n_arms {
                    let ticket = planned(&policy, left, right);
                    let (won, lost) = (win(left, right), win(right, left));
                    for (chance, outcome) in
                        [(won, Outcome::WIN), (lost, Outcome::LOSS), (1.0 - won - lost, Outcome::TIE)]
                    {
                        let credit = credit(&policy, &ticket, outcome);
                        for (sum, credit) in expected.iter_mut().zip(credit) {
                            *sum += ticket.propensity().unwrap() * chance * credit;
                        }
                    }
                }
            }
            let want: Vec<f64> = (0..n_arms)
                .map(|i| {
                    let of = |j: usize| match transfer {
                        Transfer::Indicator => win(i, j),
                        Transfer::Identity | Transfer::Sign => win(i, j) - win(j, i),
                    };
                    (0..n_arms).map(|j| p[j] * of(j)).sum()
                })
                .collect();
            assert_close(&expected, &want, EXACT, &format!("E c of {transfer:?}"));
        }
    }

    /// For each duel, sum_i p_i c_i = 0 unless the transfer is the indicator (see the proof of
    /// Theorem 1). The step |dL| is at most 1/2, or 1 / (2 mixing) if exploration is reduced.
    /// p_i >= mixing gamma / K.
    #[test]
    fn law_each_duel_balances_and_is_bounded(case in cases()) {
        for transfer in TRANSFERS {
            let policy = case.policy(transfer);
            let p = policy.distribution();
            let floor = case.mixing * case.gamma / p.len() as f64;
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(p.iter().all(|&p| p >= floor * (1.0 - 1e-14)), "{p:?} against {floor}");
            for pair in enumerate(&case, &policy) {
                if transfer != Transfer::Indicator {
                    prop_assert!(dot(&p, &pair.credit).abs() < EXACT);
                }
                let scale = case.gamma / p.len() as f64;
                for credit in &pair.credit {
                    prop_assert!((scale * credit).abs() <= 0.5 / case.mixing + 1e-12);
                }
                if pair.left == pair.right {
                    prop_assert!(pair.credit.iter().all(|&c| c.abs() < EXACT), "the guard skips self-duels");
                }
            }
        }
    }

    /// E M1 = E x_a - mean x, and E M2 = (E x_a^2 - 2 E x_a mean x + mean x^2) / 2, with M1 =
    /// -(1/K) sum_i c_i and M2 = (1/K) sum_i p_i c_i^2 (from the same proof).
    #[test]
    fn law_moments(case in cases()) {
        let policy = case.policy(Transfer::Identity);
        let p = policy.distribution();
        let x = &case.utilities;
        let squares: Vec<f64> = x.iter().map(|x| x * x).collect();
        let all = enumerate(&case, &policy);
        let m1: f64 = all.iter().map(|pair| -pair.probability * mean(&pair.credit)).sum();
        let m2: f64 = all
            .iter()
            .map(|pair| {
                let weighted: Vec<f64> = pair.credit.iter().zip(&p).map(|(c, p)| p * c * c).collect();
                pair.probability * mean(&weighted)
            })
            .sum();
        assert_close(&[m1], &[dot(&p, x) - mean(x)], EXACT, "E M1");
        let want = 0.5 * (dot(&p, &squares) - 2.0 * dot(&p, x) * mean(x) + mean(&squares));
        assert_close(&[m2], &[want], EXACT, "E M2");
    }

    /// Proposals of two different arms: the propensities of all ordered pairs sum to 1, and the
    /// estimate with the z and p of the ticket is unbiased.
    #[test]
    fn law_unequal_arms_are_unbiased(case in cases(), salt in any::<u64>()) {
        prop_assume!(case.utilities.len() > 1);
        for transfer in TRANSFERS {
            let policy = case.policy(transfer);
            let p = policy.distribution();
            let all = enumerate_distinct(&case, &policy, salt, |ticket| ticket);
            assert_close(&[all.iter().map(|pair| pair.probability).sum()], &[1.0], EXACT, "propensities");
            let want: Vec<f64> = (0..p.len())
                .map(|i| (0..p.len()).map(|j| p[j] * psi(transfer, case.difference(i, j))).sum())
                .collect();
            assert_close(&expectation(p.len(), &all), &want, EXACT, "E c");
        }
    }

    /// With the conditional marginal p_i (1 - p_i) / z in place of p_i and z, the estimate is too
    /// large by the factor 1 / (1 - p_i). The z of the ticket prevents this.
    #[test]
    fn law_the_conditional_marginal_would_be_biased(case in cases(), salt in any::<u64>()) {
        prop_assume!(case.utilities.len() > 1);
        let policy = case.policy(Transfer::Identity);
        let p = policy.distribution();
        let marginal = |ticket: Ticket| {
            let (left, right, z) = slots(&ticket);
            let of = |p: f64| p * (1.0 - p) / z;
            Ticket { draw: Draw::Slots { left: of(left), right: of(right), z: 1.0 }, ..ticket }
        };
        let biased = expectation(p.len(), &enumerate_distinct(&case, &policy, salt, marginal));
        let average = dot(&p, &case.utilities);
        let truth: Vec<f64> = case.utilities.iter().map(|x| x - average).collect();
        let want: Vec<f64> = truth.iter().zip(&p).map(|(truth, p)| truth / (1.0 - p)).collect();
        // 1 / (1 - p) magnifies the rounding of a p that is nearly 1.
        assert_close(&biased, &want, 1e-6, "the biased E c");
        let i = (0..p.len()).max_by(|&i, &j| p[i].total_cmp(&p[j])).unwrap();
        // The most probable arm has p >= 1/K >= 1/9, so its estimate is off by at least an eighth.
        prop_assert!((biased[i] - truth[i]).abs() >= truth[i].abs() / 8.0 - 1e-9);
    }
}

/// Every ordered pair of different arms. z comes from a real proposal, and p from `distribution()`,
/// with which the proposal must agree. `told` returns the ticket that the policy learns from
/// instead.
fn enumerate_distinct(
    case: &Case,
    policy: &Rex3,
    salt: u64,
    told: impl Fn(Ticket) -> Ticket,
) -> Vec<Enumerated> {
    let n_arms = policy.n_arms();
    let p = policy.distribution();
    let proposed = policy.propose_distinct(&mut Stream::new(salt).rng()).expect("two arms at least");
    let (p_left, p_right, z) = slots(&proposed);
    assert_close(&[p_left, p_right], &[p[proposed.left.index()], p[proposed.right.index()]], 0.0, "p");
    assert!(!proposed.is_self_duel());
    let mut all = Vec::new();
    for left in 0..n_arms {
        for right in (0..n_arms).filter(|&right| right != left) {
            let plan = planned(policy, left, right);
            let ticket = Ticket { draw: Draw::Slots { left: p[left], right: p[right], z }, ..plan };
            let outcome = Outcome::difference(case.utilities[left], case.utilities[right]);
            let probability = ticket.propensity().expect("REX3 knows its probabilities");
            all.push(Enumerated { left, right, probability, credit: credit(policy, &told(ticket), outcome) });
        }
    }
    all
}

/// Without the guard, a self-duel can have a winner. If the winner is a fair coin, identity and
/// sign add noise of mean zero, and E c stays the same; the test enumerates both sides of the coin.
/// The indicator gains 1 / (2 p) in either case. That is a bias of p_i / 2 which only the drawn arm
/// gets.
#[test]
fn trace_self_duels_without_guard() {
    for transfer in TRANSFERS {
        let schedule = Schedule::Fixed { gamma: 0.3 };
        let policy = rex3(3, Options { schedule, transfer, guard: false, mixing: 1.0 });
        let mut mean = vec![0.0; 3];
        for outcome in [Outcome::WIN, Outcome::LOSS] {
            let ticket = planned(&policy, 1, 1);
            for (mean, credit) in mean.iter_mut().zip(credit(&policy, &ticket, outcome)) {
                *mean += 0.5 * ticket.propensity().expect("known") * credit;
            }
        }
        // p = 1/3: probability 1/9 of the self-duel, times 1 / (2/3).
        let want = if transfer == Transfer::Indicator { 1.0 / 6.0 } else { 0.0 };
        assert_close(&mean, &[0.0, want, 0.0], 1e-12, &format!("{transfer:?}"));
    }
}

/// The random baseline proposes each ordered pair of different arms with probability 1 / (K (K -
/// 1)).
#[test]
fn trace_random_unequal_pairs() {
    for n_arms in 2..7usize {
        let ticket = Random::new(n_arms).propose_distinct(&mut Stream::new(1).rng()).expect("two arms");
        let pairs = (n_arms * (n_arms - 1)) as f64;
        assert_close(&[ticket.propensity().expect("known")], &[1.0 / pairs], 1e-15, "propensity");
    }
}
