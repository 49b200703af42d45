//! Lessons: duels that a policy learns from without having drawn them.

use proptest::prelude::*;
use rand::RngExt;
use serde_json::Value;
use tiltyard_bandit::player::tsallis::Estimator;
use tiltyard_bandit::policy::dexp3::Schedule;
use tiltyard_bandit::policy::rex3::Transfer;
use tiltyard_bandit::policy::vdb::Form;
use tiltyard_bandit::policy::{
    Additive, AnyPolicy, DExp3, Elastic, FeedExp3, Lessons, NoLesson, Policy, Refusal, Rex3, UpdateError, Vdb,
};
use tiltyard_bandit::{Arm, Draw, Outcome, Stream, Ticket};

use crate::support::{any_outcome, assert_close, build, play, rex3, rex3_forms, sums, variants};
use crate::taken_back::assert_same_state;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

/// A law that draws ordered pairs of different arms, and the probability that the first arm of a
/// pair wins.
#[derive(Debug, Clone)]
struct Foreign {
    n_arms: usize,
    law: Vec<f64>,
    wins: Vec<f64>,
    seed: u64,
}

impl Foreign {
    /// Every pair of different arms, its probability, and the probability that the first arm wins.
    fn pairs(&self) -> impl Iterator<Item = (Arm, Arm, f64, f64)> {
        let n_arms = self.n_arms;
        Arm::all(n_arms).flat_map(move |a| Arm::all(n_arms).map(move |b| (a, b))).filter(|(a, b)| a != b).map(
            move |(a, b)| {
                let (low, high) = (a.min(b), a.max(b));
                let p = self.wins[low.index() * n_arms + high.index()];
                (a, b, self.law[a.index() * n_arms + b.index()], if a < b { p } else { 1.0 - p })
            },
        )
    }

    /// The expected growth of the sums of a policy, over all pairs and outcomes. Each goes through
    /// the real `update`.
    fn expected<P: Policy + Additive>(&self, policy: &P) -> Vec<f64> {
        let before = policy.sums();
        let mut expected = vec![0.0; before.len()];
        for (left, right, propensity, p) in self.pairs() {
            let lesson = policy.lesson(left, right, Some(propensity)).expect("the propensity is known");
            assert!((lesson.propensity().expect("given") / propensity - 1.0).abs() < 1e-12);
            for (outcome, chance) in [(Outcome::WIN, p), (Outcome::LOSS, 1.0 - p)] {
                let mut after = policy.clone();
                after.update(&lesson, outcome);
                for (sum, (new, old)) in expected.iter_mut().zip(after.sums().iter().zip(&before)) {
                    *sum += propensity * chance * (new - old);
                }
            }
        }
        expected
    }

    /// For each arm, the sum over all other arms of `weight(other) * value(probability of beating
    /// it)`.
    fn against(&self, weight: impl Fn(usize) -> f64, value: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.n_arms];
        for (a, b, _, p) in self.pairs() {
            sums[a.index()] += weight(b.index()) * value(p);
        }
        sums
    }
}

fn foreign() -> impl Strategy<Value = Foreign> {
    (2..=6usize, any::<u64>()).prop_flat_map(|(n_arms, seed)| {
        (
            prop::collection::vec(0.02..1.0f64, n_arms * n_arms),
            prop::collection::vec(0.0..=1.0f64, n_arms * n_arms),
        )
            .prop_map(move |(mut law, wins)| {
                for arm in 0..n_arms {
                    law[arm * n_arms + arm] = 0.0;
                }
                let total: f64 = law.iter().sum();
                for p in &mut law {
                    *p /= total;
                }
                Foreign { n_arms, law, wins, seed }
            })
    })
}

/// Lets a policy of a known type play for a while, so that its weights differ.
fn warm<P: Policy>(mut policy: P, seed: u64) -> P {
    let mut rng = Stream::new(seed).label("warm").rng();
    for _ in 0..60 {
        let ticket = policy.decide(&mut rng);
        policy.update(&ticket, any_outcome(false, &mut rng));
    }
    policy
}

/// The tolerance: increments are differences of sums of at most 1e3, and the smallest probability
/// of a law is about 1e-3.
const EXACT: f64 = 1e-9;

proptest! {
    #![proptest_config(config(200))]

    /// For any law that draws the pairs, E c_i = sum_j p_j (2 P_ij - 1); for the indicator, E c_i =
    /// sum_j p_j P_ij. The sums are over j != i: self-duels play no part.
    #[test]
    fn law_rex3_learns_without_bias_from_any_law(foreign in foreign()) {
        for options in rex3_forms() {
            let policy = warm(rex3(foreign.n_arms, options), foreign.seed);
            let p = policy.distribution();
            let step = match options.schedule {
                tiltyard_bandit::policy::rex3::Schedule::Literal { .. } => policy.gamma() / foreign.n_arms as f64,
                _ => 1.0,
            };
            let want = foreign.against(|j| step * p[j], |win| match options.transfer {
                Transfer::Indicator => win,
                Transfer::Identity | Transfer::Sign => 2.0 * win - 1.0,
            });
            assert_close(&foreign.expected(&policy), &want, EXACT, &format!("{options:?}"));
        }
    }

    /// E s_i = sum_j P_ij / K for D-EXP3. For FeedExp3 the same holds with scores, 2 P_ij - 1.
    #[test]
    fn law_borda_estimates_are_without_bias_under_any_law(foreign in foreign()) {
        let k = foreign.n_arms as f64;
        let policy = warm(DExp3::new(foreign.n_arms, Schedule::Anytime).expect("legal"), foreign.seed);
        assert_close(&foreign.expected(&policy), &foreign.against(|_| 1.0 / k, |win| win), EXACT, "dexp3");
        let policy = warm(FeedExp3::new(foreign.n_arms), foreign.seed);
        let want = foreign.against(|_| 1.0 / k, |win| 2.0 * win - 1.0);
        assert_close(&foreign.expected(&policy), &want, EXACT, "feedexp3");
    }

    /// E L_i = sum_j w_j (1/2 - P_ij), which is the loss minus the 1/2 that all arms have in
    /// common.
    #[test]
    fn law_vdb_learns_without_bias_from_any_law(foreign in foreign()) {
        for form in [Form::Shared, Form::Players] {
            let policy = warm(Vdb::with(foreign.n_arms, form, Estimator::Iw), foreign.seed);
            let (left, right) = policy.distributions();
            let mut want = foreign.against(|j| right[j], |win| 0.5 - win);
            if form == Form::Players {
                want.extend(foreign.against(|j| left[j], |win| 0.5 - win));
            }
            assert_close(&foreign.expected(&policy), &want, EXACT, &format!("{form:?}"));
        }
    }
}

/// The duels in flight that a saved state counts.
fn in_flight(policy: &AnyPolicy) -> Option<Value> {
    policy.save().state.get("counts").and_then(|counts| counts.get("in_flight")).cloned()
}

/// An outcome that this policy can use.
fn outcome_for(policy: &AnyPolicy, rng: &mut impl rand::Rng) -> Outcome {
    any_outcome(policy.info().binary, rng)
}

proptest! {
    #![proptest_config(config(24))]

    /// Lessons arrive while the policy's own duels are in flight. They end none of those duels, do
    /// not advance the round, and can be taken back.
    #[test]
    fn law_lessons_leave_clock_and_flight_alone_and_can_be_taken_back(seed in any::<u64>(), n_arms in 2..8usize) {
        for spec in variants() {
            let mut rng = Stream::new(seed).rng();
            let mut policy = build(&spec, n_arms);
            if let Lessons::Refused(_) = policy.capabilities().lessons {
                continue;
            }
            play(&mut policy, 60, &mut rng);
            for _ in 0..20 {
                policy.decide(&mut rng).expect("not sequential");
            }
            let before = policy.clone();
            let mut learned = Vec::new();
            for _ in 0..40 {
                let (left, right) = (Arm::new(rng.random_range(0..n_arms)), Arm::new(rng.random_range(0..n_arms)));
                let lesson = policy.lesson(left, right, Some(0.9 * rng.random::<f64>() + 0.1)).expect("the propensity is known");
                prop_assert!(lesson.is_lesson() && (lesson.left, lesson.right) == (left, right));
                let outcome = outcome_for(&policy, &mut rng);
                policy.update(&lesson, outcome).expect("its own lesson");
                learned.push((lesson, outcome));
            }
            prop_assert_eq!(policy.round(), before.round(), "{}", &spec);
            prop_assert_eq!(in_flight(&policy), in_flight(&before), "{}", &spec);
            // After saving and restoring, it proposes the same.
            let restored = AnyPolicy::restore(&policy.save()).expect("just saved");
            let mut other = rng.clone();
            prop_assert_eq!(policy.propose(&mut rng), restored.propose(&mut other), "{}", &spec);
            // Voiding a lesson changes nothing. Issuing a lesson advances the round and changes
            // nothing else.
            let (lesson, _) = learned[0];
            let mut ticking = policy.clone();
            ticking.void(&lesson).expect("its own lesson");
            ticking.issue(&lesson).expect("its own lesson");
            prop_assert_eq!(ticking.round(), policy.round() + 1, "{}", &spec);
            prop_assert_eq!(in_flight(&ticking), in_flight(&policy), "{}", &spec);
            if !policy.capabilities().additive {
                continue;
            }
            for (lesson, outcome) in learned {
                prop_assert_eq!(policy.take_back(&lesson, outcome), Ok(true));
            }
            let (got, want) = (sums(&mut policy).expect("additive"), sums(&mut before.clone()).expect("additive"));
            if policy.info().binary {
                assert_same_state(policy.info().name, &policy.save().state, &before.save().state, &spec);
            } else {
                assert_close(&got, &want, 1e-9, &spec);
            }
        }
    }

    /// A counting policy learns the same from a lesson as from its own duel. It does not need to
    /// know the probability.
    #[test]
    fn law_a_counted_lesson_counts_like_a_duel(seed in any::<u64>(), n_arms in 2..8usize) {
        for spec in variants() {
            let mut rng = Stream::new(seed).rng();
            let mut player = build(&spec, n_arms);
            let mut pupil = player.clone();
            if player.capabilities().lessons != Lessons::Counted {
                continue;
            }
            for _ in 0..100 {
                let ticket = player.decide(&mut rng).expect("not sequential");
                let outcome = outcome_for(&player, &mut rng);
                player.update(&ticket, outcome).expect("its own");
                let lesson = pupil.lesson(ticket.left, ticket.right, None).expect("counts need no probability");
                pupil.issue(&lesson).expect("its own lesson");
                pupil.update(&lesson, outcome).expect("its own lesson");
            }
            prop_assert_eq!(sums(&mut pupil), sums(&mut player), "{}", &spec);
            prop_assert_eq!(pupil.recommend(), player.recommend(), "{}", &spec);
            prop_assert_eq!(pupil.round(), player.round(), "{}", &spec);
        }
    }

    /// A lesson that is drawn by the policy's own law gives the same increments as its own duel.
    #[test]
    fn law_a_lesson_from_its_own_law_is_its_own_duel(seed in any::<u64>(), n_arms in 2..8usize) {
        for options in rex3_forms() {
            let policy = warm(rex3(n_arms, options), seed);
            let mut rng = Stream::new(seed).rng();
            let ticket = policy.propose(&mut rng);
            let lesson = policy.lesson(ticket.left, ticket.right, ticket.propensity()).expect("the propensity is known");
            let (mut own, mut taught) = (policy.clone(), policy);
            own.update(&ticket, Outcome::WIN);
            taught.update(&lesson, Outcome::WIN);
            assert_close(&taught.sums(), &own.sums(), 1e-12, "its own duel");
        }
    }
}

/// Which policies take lessons, which of them need probabilities, and which refuse. Arms and
/// probabilities out of range are always refused.
#[test]
fn law_refusals_have_a_reason() {
    let (a, b) = (Arm::new(0), Arm::new(1));
    for spec in variants() {
        let mut policy = build(&spec, 3);
        let name = policy.info().name;
        let forged =
            Ticket { round: Ticket::LESSON, left: a, right: b, rate: 1.0, epoch: 0, draw: Draw::Pair(0.5) };
        match policy.capabilities().lessons {
            Lessons::Refused(refusal) => {
                let refused = NoLesson::Refused { policy: name, refusal };
                assert_eq!(policy.lesson(a, b, Some(0.5)), Err(refused), "{spec}");
                assert_eq!(policy.update(&forged, Outcome::WIN), Err(UpdateError::Lesson(refused)), "{spec}");
                assert_eq!(refusal == Refusal::Sequential, policy.capabilities().sequential, "{spec}");
                continue;
            }
            Lessons::Weighted => {
                assert_eq!(
                    policy.lesson(a, b, None),
                    Err(NoLesson::UnknownPropensity { policy: name }),
                    "{spec}"
                );
            }
            Lessons::Counted => {
                let lesson = policy.lesson(a, b, None).expect("counts need no probability");
                assert_eq!(policy.update(&lesson, Outcome::WIN), Ok(()), "{spec}");
                let slots = Ticket { draw: Draw::Slots { left: 0.5, right: 0.5, z: 1.0 }, ..forged };
                assert!(
                    matches!(policy.update(&slots, Outcome::WIN), Err(UpdateError::Foreign { .. })),
                    "{spec}"
                );
            }
        }
        let nobody = Arm::new(3);
        assert_eq!(
            policy.lesson(nobody, b, Some(0.5)),
            Err(NoLesson::ArmOutOfRange { arm: nobody, n_arms: 3 })
        );
        for value in [0.0, -0.1, 1.5, f64::INFINITY] {
            assert_eq!(policy.lesson(a, b, Some(value)), Err(NoLesson::NotAProbability { value }), "{spec}");
        }
        assert!(policy.lesson(a, b, Some(f64::NAN)).is_err(), "{spec}");
    }
    let takes = |spec: &str| build(spec, 3).capabilities().lessons;
    assert_eq!(takes("rex3"), Lessons::Weighted);
    assert_eq!(takes("rucb"), Lessons::Counted);
    assert_eq!(takes("wsw"), Lessons::Refused(Refusal::Sequential));
    assert_eq!(takes("btm"), Lessons::Refused(Refusal::Phases));
    assert_eq!(takes("sparring"), Lessons::Refused(Refusal::OwnPlay));
}

/// Three arms, each with p = 1/3, and a page that shows each of the six ordered pairs with
/// probability 1/6. A win of arm 0 over arm 1 changes the sum of each by (1/3) / (2 / 6) = 1; in a
/// duel that REX3 drew itself, it would be 3/2. A pair shown with probability 1/20 changes the sums
/// by (1/3) 20 / 2 = 10/3.
#[test]
fn trace_rex3() {
    let mut policy = Rex3::new(3);
    let lesson = policy.lesson(Arm::new(0), Arm::new(1), Some(1.0 / 6.0)).expect("the propensity is known");
    policy.update(&lesson, Outcome::WIN);
    assert_close(&policy.sums(), &[1.0, -1.0, 0.0], 1e-15, "one in six");
    policy.take_back(&lesson, Outcome::WIN);
    let lesson = policy.lesson(Arm::new(0), Arm::new(1), Some(0.05)).expect("the propensity is known");
    policy.update(&lesson, Outcome::LOSS);
    assert_close(&policy.sums(), &[-10.0 / 3.0, 10.0 / 3.0, 0.0], 1e-14, "one in twenty");
    assert_eq!(policy.round(), 0);
    // From now on p_1 = 0: arm 0 would never meet arm 1.
    assert!(policy.retire(Arm::new(1)));
    let refused = policy.lesson(Arm::new(0), Arm::new(1), Some(0.05));
    assert_eq!(refused, Err(NoLesson::Retired { arm: Arm::new(1) }));
}
