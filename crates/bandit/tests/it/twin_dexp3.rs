//! D-EXP3 written a second time, from its specification alone: sums of estimates, and all weights
//! computed from them in every round.

use proptest::prelude::*;
use rand::{Rng, RngExt};
use tiltyard_bandit::policy::dexp3::Schedule;
use tiltyard_bandit::policy::{Additive, DExp3, Distinct, Policy};
use tiltyard_bandit::{Arm, Draw, Outcome, Stream, Ticket};

use crate::chi_square;
use crate::support::{assert_close, propose_pair, slots};
use crate::twins::{DELIVERIES, Delivery, Game, Twin, play, shuffled_matrix};

/// D-EXP3 in O(K) per round.
struct SlowDExp3 {
    horizon: Option<u64>,
    round: u64,
    /// The round for which the held rates were computed.
    since: u64,
    s: Vec<f64>,
}

impl SlowDExp3 {
    fn eta(&self) -> f64 {
        let (k, t) = (self.s.len() as f64, self.horizon.unwrap_or(self.since) as f64);
        (k.ln() / (t * k.sqrt())).powf(2.0 / 3.0)
    }

    fn q(&self) -> Vec<f64> {
        let k = self.s.len() as f64;
        let gamma = (self.eta() * k).sqrt().min(1.0);
        let top = self.s.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let w: Vec<f64> = self.s.iter().map(|s| (self.eta() * (s - top)).exp()).collect();
        let total: f64 = w.iter().sum();
        w.iter().map(|w| (1.0 - gamma) * w / total + gamma / k).collect()
    }
}

impl Twin for SlowDExp3 {
    fn issue(&mut self, _: &Ticket) {
        self.round += 1;
        let next = (self.round + 1) as f64;
        // The rates are held until eta_t has fallen by 1 %. eta_t is proportional to t^(-2/3).
        if (self.since as f64 / next).powf(2.0 / 3.0) <= 0.99 + 1e-14 {
            self.since = self.round + 1;
        }
    }

    fn update(&mut self, ticket: &Ticket, left_won: bool) {
        let (left, right, _) = slots(ticket);
        if ticket.left != ticket.right && left_won {
            self.s[ticket.left.index()] += 1.0 / (self.s.len() as f64 * left * right);
        }
    }

    fn void(&mut self, _: &Ticket) {}
}

fn compare(schedule: Schedule, n_arms: usize, kind: usize, delivery: Delivery, rounds: u64) {
    let what = format!("{schedule:?}, {n_arms} arms, matrix {kind}, {delivery:?}");
    let mut rng = Stream::new(1).label(&what).rng();
    let game = Game { p: shuffled_matrix(kind, n_arms, &mut rng), delivery, rounds };
    let mut fast = DExp3::new(n_arms, schedule).expect("legal");
    let horizon = if let Schedule::Fixed { horizon } = schedule { Some(horizon) } else { None };
    let mut slow = SlowDExp3 { horizon, round: 0, since: 1, s: vec![0.0; n_arms] };
    play(&mut fast, &mut slow, &game, &mut rng, |_, slow, ticket| {
        let q = slow.q();
        let (left, right, z) = slots(ticket);
        let want = [q[ticket.left.index()], q[ticket.right.index()], 1.0];
        // Weights are exponentials of eta times a sum. The sums reach 1e5, with a relative error of
        // about 1e-15.
        for (got, want) in [left, right, z].into_iter().zip(want) {
            assert!((got / want - 1.0).abs() < 1e-8, "{what}: {ticket:?}, not {want}");
        }
        assert!((ticket.rate / slow.eta() - 1.0).abs() < 1e-12, "{what}: {ticket:?}");
    });
    assert_close(fast.scores(), &slow.s, 1e-9, &what);
}

#[test]
fn law_dexp3_draws_as_its_twin() {
    for n_arms in [2, 3, 6, 11] {
        for kind in 0..4 {
            for delivery in DELIVERIES {
                for schedule in
                    [Schedule::Fixed { horizon: 20 }, Schedule::Fixed { horizon: 3000 }, Schedule::Anytime]
                {
                    compare(schedule, n_arms, kind, delivery, 600);
                }
            }
        }
    }
}

#[test]
fn law_dexp3_agrees_with_its_twin_for_20_000_rounds() {
    for (n_arms, kind, delivery) in
        [(40, 0, Delivery::Prompt), (40, 1, Delivery::Late), (30, 2, Delivery::Prompt)]
    {
        compare(Schedule::Fixed { horizon: 20_000 }, n_arms, kind, delivery, 20_000);
        compare(Schedule::Anytime, n_arms, kind, delivery, 20_000);
    }
}

/// A policy with random sums, as if it had learned something.
fn learned<R: Rng>(n_arms: usize, schedule: Schedule, rng: &mut R) -> DExp3 {
    let mut policy = DExp3::new(n_arms, schedule).expect("legal");
    let sums: Vec<f64> = (0..n_arms).map(|_| 4.0 * rng.random::<f64>() / policy.rates().eta).collect();
    policy.add(&sums);
    policy
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    /// By enumeration of all pairs and both outcomes, the expected increment of s_i is (1/K) sum of
    /// P_ij over j != i, for any q, and also if equal arms are excluded. No step changes a
    /// log-weight by more than 1, unless gamma is capped.
    #[test]
    fn law_estimates_of_borda_scores_are_unbiased(
        n_arms in 2..9usize,
        kind in 0..4usize,
        horizon in 1..100_000u64,
        seed in any::<u64>(),
    ) {
        let mut rng = Stream::new(seed).rng();
        let p = shuffled_matrix(kind, n_arms, &mut rng);
        let policy = learned(n_arms, Schedule::Fixed { horizon }, &mut rng);
        let q = policy.distribution();
        let plan = policy.propose(&mut rng);
        let apart = policy.propose_distinct(&mut rng).expect("two arms at least");
        prop_assert!(!apart.is_self_duel());
        let (_, _, z) = slots(&apart);
        let borda = |i: usize| (0..n_arms).filter(|&j| j != i).map(|j| p[i][j]).sum::<f64>() / n_arms as f64;
        let want: Vec<f64> = (0..n_arms).map(borda).collect();
        for (distinct, z) in [(false, 1.0), (true, z)] {
            let (mut expected, mut total) = (vec![0.0; n_arms], 0.0);
            for (left, right) in (0..n_arms).flat_map(|i| (0..n_arms).map(move |j| (i, j))) {
                if distinct && left == right {
                    continue;
                }
                let draw = Draw::Slots { left: q[left], right: q[right], z };
                let ticket = Ticket { left: Arm::new(left), right: Arm::new(right), draw, ..plan };
                total += ticket.propensity().expect("known");
                for (chance, outcome) in [(p[left][right], Outcome::WIN), (1.0 - p[left][right], Outcome::LOSS)] {
                    let mut after = policy.clone();
                    after.update(&ticket, outcome);
                    for (i, (new, old)) in after.scores().iter().zip(policy.scores()).enumerate() {
                        expected[i] += ticket.propensity().expect("known") * chance * (new - old);
                        let step = policy.rates().eta * (new - old);
                        prop_assert!(policy.rates().gamma >= 1.0 || step <= 1.0 + 1e-9, "a step of {}", step);
                    }
                }
            }
            assert_close(&[total], &[1.0], 1e-9, "propensities");
            // Differences of sums of size 4 / eta, up to 1e4, keep eleven digits.
            assert_close(&expected, &want, 1e-9, "E s");
        }
    }
}

/// An audit of the propensities.
#[test]
fn stat_dexp3_pairs() {
    let mut rng = Stream::new(5).rng();
    for n_arms in [5, 20] {
        let policy = learned(n_arms, Schedule::Fixed { horizon: 2000 }, &mut rng);
        let q = policy.distribution();
        let draws: Vec<Ticket> = (0..40_000).map(|_| policy.propose(&mut rng)).collect();
        chi_square::check("dexp3", n_arms, |left, right| q[left] * q[right], draws.into_iter());
        let z = 1.0 - q.iter().map(|q| q * q).sum::<f64>();
        let draws: Vec<Ticket> =
            (0..40_000).map(|_| policy.propose_distinct(&mut rng).expect("several arms")).collect();
        let law = |left, right| if left == right { 0.0 } else { q[left] * q[right] / z };
        chi_square::check("dexp3, unequal", n_arms, law, draws.into_iter());
    }
}

/// K = 4 and T = 1000: eta = (ln 4 / (1000 * 2))^(2/3) = (6.931472e-4)^(2/3) = 7.832198e-3, gamma =
/// sqrt(4 eta) = 0.1769994. From the uniform q = 1/4, a win of the left arm adds 1 / (4 / 16) = 4
/// to its score. Its log-weight is then 0.03132879, its weight 1.03182470 of 4.03182470, and q =
/// 0.8230006 * 0.25592003 + 0.04424985 = 0.25487219. A loss adds nothing, and a tie half as much as
/// a win. Arm 1, with q = 0.24837594, then ties with arm 0: its score grows by 0.5 / (4 *
/// 0.24837594 * 0.25487219) = 1.9745951.
#[test]
fn trace_dexp3() {
    let mut policy = DExp3::new(4, Schedule::Fixed { horizon: 1000 }).expect("legal");
    assert_close(&[policy.rates().eta, policy.rates().gamma], &[7.832_198e-3, 0.176_999_4], 1e-7, "rates");
    let duel = |policy: &mut DExp3, left, right, outcome| {
        let ticket = propose_pair(policy, left, right);
        policy.issue(&ticket);
        policy.update(&ticket, outcome);
    };
    duel(&mut policy, 0, 1, Outcome::WIN);
    assert_close(policy.scores(), &[4.0, 0.0, 0.0, 0.0], 1e-12, "scores");
    let rest = (1.0 - 0.254_872_19) / 3.0;
    assert_close(&policy.distribution(), &[0.254_872_19, rest, rest, rest], 1e-7, "q");
    duel(&mut policy, 2, 3, Outcome::LOSS);
    duel(&mut policy, 3, 3, Outcome::WIN);
    assert_close(policy.scores(), &[4.0, 0.0, 0.0, 0.0], 1e-12, "scores");
    duel(&mut policy, 1, 0, Outcome::TIE);
    assert_close(policy.scores(), &[4.0, 1.974_595_1, 0.0, 0.0], 1e-6, "scores");
}

/// On Bvs, D-EXP3 finds the Borda winner by design. Arm 0 beats every
/// other arm with probability 0.51, and arm 1 always beats the rest.
#[test]
fn stat_dexp3_finds_the_borda_winner_of_bvs() {
    let mut policy = DExp3::new(20, Schedule::Fixed { horizon: 20_000 }).expect("legal");
    let mut rng = Stream::new(6).rng();
    for _ in 0..20_000 {
        let ticket = policy.decide(&mut rng);
        let (left, right) = (ticket.left.index(), ticket.right.index());
        let p = match (left, right) {
            (0, _) => 0.51,
            (_, 0) => 0.49,
            _ => f64::from(u8::from(left < right)),
        };
        policy.update(&ticket, Outcome::won(rng.random::<f64>() < p));
    }
    assert_eq!(policy.recommend(), Arm::new(1));
}

#[test]
fn trace_parameters() {
    assert!(DExp3::new(0, Schedule::Anytime).is_err());
    assert!(DExp3::new(3, Schedule::Fixed { horizon: 0 }).is_err());
    // If T is small, gamma is capped at 1, and q stays uniform.
    let mut policy = DExp3::new(40, Schedule::Fixed { horizon: 1 }).expect("legal");
    policy.add(&[50.0; 40]);
    assert!(policy.rates().gamma >= 1.0);
    assert_close(&policy.distribution(), &[1.0 / 40.0; 40], 1e-12, "q");
}
