//! Algorithm 2 of the paper: a dueling policy used as a classical bandit.

use rand::RngExt;
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::registry::{self, Visitor};
use tiltyard_bandit::policy::{Policy, Rex3, Settles};
use tiltyard_bandit::reduction::{Reduction, RewardError};
use tiltyard_bandit::{Arm, Outcome, Stream};

use crate::support::build;

/// The reward of a pull: a multiple of 1/64, so that sums of rewards are exact.
fn reward(arm: Arm, pull: u64) -> f64 {
    let mut rng = Stream::new(3).label("reward").index(pull).index(arm.index() as u64).rng();
    // Arm 2 pays up to 1, the others up to 1/2.
    let most = if arm.index() == 2 { 64 } else { 32 };
    f64::from(rng.random_range(0..=most)) / 64.0
}

/// The gain of 2N pulls is exactly twice the gain of the N duels. The policy inside equals a policy
/// that learned from these duels: the left arm is an odd pull, the right arm the next pull, and the
/// outcome the difference of their rewards.
#[test]
fn trace_gains() {
    let n_duels = 700;
    let mut rng = Stream::new(1).rng();
    let mut twin_rng = rng.clone();
    let mut bandit = Reduction::new(Rex3::new(4), Some(2 * n_duels));
    let mut twin = Rex3::new(4);
    let (mut pulled, mut dueled) = (0.0, 0.0);
    for duel in 0..n_duels {
        let ticket = twin.decide(&mut twin_rng);
        let mut rewards = [0.0; 2];
        for (slot, arm) in [ticket.left, ticket.right].into_iter().enumerate() {
            assert_eq!(bandit.pull(&mut rng), arm, "duel {duel}");
            rewards[slot] = reward(arm, 2 * duel + slot as u64);
            pulled += rewards[slot];
            bandit.reward(rewards[slot], &mut rng).expect("a reward was due");
        }
        let [left, right] = rewards;
        dueled += f64::midpoint(left, right);
        twin.update(&ticket, Outcome::new(left - right).expect("a score"));
    }
    assert!((pulled - 2.0 * dueled).abs() < f64::EPSILON, "{pulled} against twice {dueled}");
    assert!(pulled > 0.0);
    assert_eq!(bandit.policy(), &twin);
    assert_eq!((bandit.policy().round(), bandit.policy().recommend()), (n_duels, Arm::new(2)));
}

/// The reward of a pull in an easy world: arm 2 pays between 3/4 and 1, the others at most 1/4, in
/// multiples of 1/64.
fn easy_reward(arm: Arm, pull: u64) -> f64 {
    let mut rng = Stream::new(5).label("easy").index(pull).index(arm.index() as u64).rng();
    let base = if arm.index() == 2 { 48 } else { 0 };
    f64::from(base + rng.random_range(0..=16)) / 64.0
}

/// Pulls arms through a policy, and lets a copy of that policy duel beside it.
struct Accounting(&'static str);

const EASY_DUELS: u64 = 2000;

impl Visitor for Accounting {
    type Output = ();

    fn visit<P: Policy + 'static>(self, mut twin: P, _: Vec<(&'static str, String)>) {
        let Self(name) = self;
        let mut rng = Stream::new(1).label(name).rng();
        let mut twin_rng = rng.clone();
        let mut bandit = Reduction::new(twin.clone(), Some(2 * EASY_DUELS));
        let (mut pulled, mut dueled) = (0.0, 0.0);
        for duel in 0..EASY_DUELS {
            let ticket = twin.decide(&mut twin_rng);
            let mut rewards = [0.0; 2];
            for (slot, arm) in [ticket.left, ticket.right].into_iter().enumerate() {
                assert_eq!(bandit.pull(&mut rng), arm, "{name}, duel {duel}");
                rewards[slot] = easy_reward(arm, 2 * duel + slot as u64);
                pulled += rewards[slot];
                bandit.reward(rewards[slot], &mut rng).expect("a reward was due");
            }
            let [left, right] = rewards;
            dueled += f64::midpoint(left, right);
            let outcome = Outcome::new(left - right).expect("a score");
            // A policy that counts wins gets a win or a loss, drawn from the same generator.
            let outcome = if twin.info().binary { outcome.to_binary(&mut twin_rng) } else { outcome };
            twin.update(&ticket, outcome);
        }
        assert!((pulled - 2.0 * dueled).abs() < f64::EPSILON, "{name}: {pulled} against twice {dueled}");
        let state = |policy: &P| serde_json::to_value(policy).expect("plain data");
        assert_eq!(state(bandit.policy()), state(&twin), "{name}");
        assert_eq!((rng, twin.round()), (twin_rng, EASY_DUELS), "{name}");
        // On average, the best arm wins seven of eight duels.
        if twin.info().settles != Settles::Never {
            assert_eq!(twin.recommend(), Arm::new(2), "{name}");
        }
    }
}

/// Every policy of the registry as a classical bandit: the gain of its pulls is twice the gain of
/// its duels, and it finds the best arm.
#[test]
fn law_every_policy_can_be_a_classical_bandit() {
    for info in registry::all() {
        let context = Context { n_arms: 4, horizon: Some(EASY_DUELS) };
        let mut rng = Stream::new(1).label("setup").rng();
        let spec = info.name.parse().expect("a name is a specification");
        registry::visit(&spec, context, &mut rng, Accounting(info.name))
            .unwrap_or_else(|error| panic!("{}: {error}", info.name));
    }
}

/// If the number of pulls is odd, the last pull plays the recommended arm, and its reward teaches
/// nothing.
#[test]
fn trace_odd_number_of_pulls() {
    for n_pulls in [1, 3, 401] {
        let mut rng = Stream::new(1).rng();
        let mut bandit = Reduction::new(Rex3::new(3), Some(n_pulls));
        for pull in 1..n_pulls {
            let arm = bandit.pull(&mut rng);
            bandit.reward(reward(arm, pull), &mut rng).expect("a reward was due");
        }
        let before = bandit.policy().clone();
        assert_eq!(before.round(), n_pulls / 2);
        assert_eq!(bandit.pull(&mut rng), before.recommend());
        assert_eq!(bandit.reward(1.0, &mut rng), Ok(()));
        assert_eq!(bandit.policy(), &before, "{n_pulls} pulls");
    }
}

/// If the number of pulls is even or unknown, every pull belongs to a duel.
#[test]
fn trace_even_and_unknown_numbers_of_pulls() {
    for n_pulls in [Some(400), None] {
        let mut rng = Stream::new(1).rng();
        let mut bandit = Reduction::new(Rex3::new(3), n_pulls);
        for pull in 0..400 {
            let arm = bandit.pull(&mut rng);
            bandit.reward(reward(arm, pull), &mut rng).expect("a reward was due");
        }
        assert_eq!(bandit.policy().round(), 200, "{n_pulls:?}");
    }
}

/// Pulls after the announced number play the recommended arm and teach nothing.
#[test]
fn trace_pulls_after_the_end() {
    let mut rng = Stream::new(1).rng();
    let mut bandit = Reduction::new(Rex3::new(3), Some(2));
    for _ in 0..2 {
        bandit.pull(&mut rng);
        bandit.reward(0.5, &mut rng).expect("a reward was due");
    }
    let before = bandit.policy().clone();
    for _ in 0..3 {
        assert_eq!(bandit.pull(&mut rng), before.recommend());
        bandit.reward(1.0, &mut rng).expect("a reward was due");
    }
    assert_eq!(bandit.policy(), &before);
}

/// A second call of `pull` before the reward returns the same arm, draws no random number and
/// starts no second duel.
#[test]
fn trace_asking_twice() {
    let mut rng = Stream::new(1).rng();
    let mut bandit = Reduction::new(Rex3::new(5), Some(41));
    for pull in 0..41 {
        let arm = bandit.pull(&mut rng);
        let mut again = rng.clone();
        for _ in 0..3 {
            assert_eq!(bandit.pull(&mut again), arm);
        }
        assert_eq!(again, rng, "pull {pull}");
        bandit.reward(reward(arm, pull), &mut rng).expect("a reward was due");
    }
    assert_eq!(bandit.policy().round(), 20);
}

/// Rewards outside [0, 1] and rewards without a pull are refused, and change nothing.
#[test]
fn trace_errors() {
    let mut rng = Stream::new(1).rng();
    let mut bandit = Reduction::new(Rex3::new(3), None);
    assert_eq!(bandit.reward(0.5, &mut rng), Err(RewardError::NoPull));
    for _ in 0..2 {
        let arm = bandit.pull(&mut rng);
        for bad in [-0.1, 1.1, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(bandit.reward(bad, &mut rng), Err(RewardError::OutOfRange { reward: bad }));
        }
        assert!(matches!(bandit.reward(f64::NAN, &mut rng), Err(RewardError::OutOfRange { .. })));
        assert_eq!(bandit.pull(&mut rng), arm, "still waiting");
        assert_eq!(bandit.reward(1.0, &mut rng), Ok(()));
        assert_eq!(bandit.reward(1.0, &mut rng), Err(RewardError::NoPull));
    }
    // Both pulls paid the same. That is a tie, from which REX3 learns nothing.
    let mut tied = Rex3::new(3);
    tied.decide(&mut Stream::new(1).rng());
    assert_eq!(bandit.policy(), &tied);
    // The outcome needed no random number, because REX3 takes differences as they are.
    assert!(!build("rex3", 3).info().binary);
}
