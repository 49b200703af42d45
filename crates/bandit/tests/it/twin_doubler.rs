//! Doubler and `MultiSBM` written a second time, from the specification alone: a
//! list for the multiset, counts for the player. The crate's policies must make decisions that the
//! twins allow; only random draws are left free.

use proptest::prelude::*;
use rand::{Rng, RngExt};
use serde_json::Value;
use tiltyard_bandit::params::{Context, ParamError};
use tiltyard_bandit::player::{Exp3, Player, Pull, Thompson, Ucb1};
use tiltyard_bandit::policy::registry::BuildError;
use tiltyard_bandit::policy::{Doubler, MultiSbm, Policy, registry};
use tiltyard_bandit::{Arm, Outcome, Stream, Ticket};

use crate::reference::exp3;
use crate::support::{any_outcome, assert_close, shuffle, slots};

/// UCB1: the mean of the rewards that arrived + sqrt(alpha ln t / n), where n counts the pulls that
/// were not void.
#[derive(Debug, Clone)]
struct SlowUcb {
    alpha: f64,
    rewards: Vec<Vec<f64>>,
    in_flight: Vec<u32>,
    /// The number of its own pulls so far.
    clock: u64,
}

impl SlowUcb {
    fn new(n_arms: usize, alpha: f64) -> Self {
        Self { alpha, rewards: vec![Vec::new(); n_arms], in_flight: vec![0; n_arms], clock: 0 }
    }

    fn index(&self, arm: usize, clock: u64) -> f64 {
        let came = self.rewards[arm].len() as f64;
        let n = came + f64::from(self.in_flight[arm]);
        let mean = if came > 0.0 { self.rewards[arm].iter().sum::<f64>() / came } else { 0.5 };
        if n > 0.0 { mean + (self.alpha * (clock as f64).ln() / n).sqrt() } else { f64::INFINITY }
    }

    /// The arms that may be pulled at this time: those with the highest index, up to rounding.
    fn best_at(&self, clock: u64) -> Vec<usize> {
        let all: Vec<f64> = (0..self.rewards.len()).map(|arm| self.index(arm, clock)).collect();
        let highest = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (0..all.len()).filter(|&arm| all[arm] >= highest - 1e-12).collect()
    }

    fn best(&self) -> Vec<usize> {
        self.best_at(self.clock + 1)
    }

    fn issue(&mut self, arm: usize) {
        self.clock += 1;
        self.in_flight[arm] += 1;
    }

    /// Ends a pull with its reward, or with `None` if the reward will never arrive.
    fn settle(&mut self, arm: usize, reward: Option<f64>) {
        self.in_flight[arm] -= 1;
        self.rewards[arm].extend(reward);
    }
}

/// The common interface of both twins.
trait Slow {
    /// The legal left arms, with repetitions. `rights` returns the legal right arms for one of
    /// them.
    fn lefts(&self) -> Vec<usize>;
    fn rights(&self, left: usize) -> Vec<usize>;
    fn issue(&mut self, pair: (usize, usize));
    /// `round` is the round of the ticket, counted from 1. `score` is the score of the left arm.
    fn settle(&mut self, round: u64, pair: (usize, usize), score: Option<f64>);
}

/// Doubler with UCB1.
struct SlowDoubler {
    fresh: SlowUcb,
    player: SlowUcb,
    /// The multiset L.
    past: Vec<usize>,
    /// The right arms of this epoch.
    right: Vec<usize>,
    /// The first round of this epoch, and the number of its rounds.
    start: u64,
    length: usize,
}

impl SlowDoubler {
    fn new(n_arms: usize, alpha: f64, first: usize) -> Self {
        let fresh = SlowUcb::new(n_arms, alpha);
        Self { player: fresh.clone(), fresh, past: vec![first], right: Vec::new(), start: 1, length: 2 }
    }
}

impl Slow for SlowDoubler {
    fn lefts(&self) -> Vec<usize> {
        self.past.clone()
    }

    fn rights(&self, _: usize) -> Vec<usize> {
        self.player.best()
    }

    fn issue(&mut self, (_, right): (usize, usize)) {
        self.player.issue(right);
        self.right.push(right);
        if self.right.len() == self.length {
            self.start += self.length as u64;
            self.length *= 2;
            self.past = core::mem::take(&mut self.right);
            self.player = self.fresh.clone();
        }
    }

    fn settle(&mut self, round: u64, (_, right): (usize, usize), score: Option<f64>) {
        if round >= self.start {
            self.player.settle(right, score.map(|score| f64::midpoint(1.0, -score)));
        }
    }
}

/// `MultiSBM` with UCB1.
struct SlowMultiSbm {
    players: Vec<SlowUcb>,
    left: usize,
}

impl Slow for SlowMultiSbm {
    fn lefts(&self) -> Vec<usize> {
        vec![self.left]
    }

    fn rights(&self, left: usize) -> Vec<usize> {
        self.players[left].best()
    }

    fn issue(&mut self, (left, right): (usize, usize)) {
        self.players[left].issue(right);
        self.left = right;
    }

    fn settle(&mut self, _: u64, (left, right): (usize, usize), score: Option<f64>) {
        self.players[left].settle(right, score.map(|score| f64::midpoint(1.0, -score)));
    }
}

/// Whether outcomes arrive before the next decision, or late and out of order, with some void and
/// some lost.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Answers {
    Prompt,
    Late,
}

/// A random matrix of one of several kinds: `p[i][j]` is the probability that arm i beats arm j.
fn matrix(n_arms: usize, rng: &mut impl Rng) -> Vec<Vec<f64>> {
    let kind = rng.random_range(0..4);
    let mut p = vec![vec![0.5; n_arms]; n_arms];
    for (i, j) in (0..n_arms).flat_map(|i| (0..i).map(move |j| (i, j))) {
        p[i][j] = match kind {
            0 => f64::from(rng.random_range(0..=2)) / 2.0,
            1 => f64::from(rng.random_range(0..=1)),
            2 => 0.8,
            _ => rng.random(),
        };
        p[j][i] = 1.0 - p[i][j];
    }
    p
}

/// Plays the policy. The twin must allow each of its decisions. `look` sees both in every hundredth
/// round.
fn check<P: Policy, S: Slow>(
    fast: &mut P,
    slow: &mut S,
    (answers, rounds): (Answers, u64),
    rng: &mut impl Rng,
    mut look: impl FnMut(&P, &S),
) {
    let n_arms = fast.n_arms();
    let p = matrix(n_arms, rng);
    let mut waiting: Vec<Ticket> = Vec::new();
    for round in 1..=rounds {
        let ticket = fast.decide(rng);
        let pair = (ticket.left.index(), ticket.right.index());
        let rights = slow.rights(pair.0);
        assert!(slow.lefts().contains(&pair.0), "round {round} of {n_arms} arms, {answers:?}: {pair:?}");
        assert!(
            rights.contains(&pair.1),
            "round {round} of {n_arms} arms, {answers:?}: {pair:?}, {rights:?}"
        );
        slow.issue(pair);
        waiting.push(ticket);
        let mut now = waiting.len();
        if answers == Answers::Late {
            shuffle(&mut waiting, rng);
            now = now.div_ceil(3);
        }
        for ticket in waiting.split_off(waiting.len() - now) {
            let pair = (ticket.left.index(), ticket.right.index());
            let outcome = match rng.random_range(0..9) {
                0 => Outcome::TIE,
                _ => Outcome::won(rng.random::<f64>() < p[pair.0][pair.1]),
            };
            match rng.random_range(0..10) {
                0 if answers == Answers::Late => {}
                1 if answers == Answers::Late => {
                    fast.void(&ticket);
                    slow.settle(ticket.round, pair, None);
                }
                _ => {
                    fast.update(&ticket, outcome);
                    slow.settle(ticket.round, pair, Some(outcome.score()));
                }
            }
        }
        if round % 100 == 0 {
            look(fast, slow);
        }
    }
}

/// Short and long runs: the number of arms, of rounds and of runs.
const RUNS: [(usize, u64, u64); 6] =
    [(1, 100, 2), (2, 3000, 8), (3, 3000, 8), (7, 3000, 8), (17, 3000, 8), (40, 20_000, 2)];

fn runs() -> impl Iterator<Item = (usize, Answers, u64, impl Rng)> {
    RUNS.into_iter().flat_map(|(n_arms, rounds, n)| {
        (0..n).map(move |run| {
            let rng = Stream::new(run).label("twin").index(n_arms as u64).rng();
            (n_arms, if run % 2 == 0 { Answers::Prompt } else { Answers::Late }, rounds, rng)
        })
    })
}

/// How often each arm occurs in a list.
fn histogram(list: &[usize], n_arms: usize) -> Vec<u64> {
    let mut counts = vec![0; n_arms];
    for &arm in list {
        counts[arm] += 1;
    }
    counts
}

fn state(policy: &impl Policy) -> Value {
    serde_json::to_value(policy).expect("plain data")
}

/// The right arm of each round has the highest index, and the multiset from which the left arm is
/// drawn equals the twin's. (The tests of the alias table show, by counting its tokens, that the
/// draw has exactly these shares.)
#[test]
fn trace_doubler_twin() {
    for (n_arms, answers, rounds, mut rng) in runs() {
        let alpha = if rng.random() { 2.0 } else { 0.3 };
        let mut fast = Doubler::new(Ucb1::new(n_arms, alpha), &mut rng);
        let first = fast.propose(&mut rng).left.index();
        let mut slow = SlowDoubler::new(n_arms, alpha, first);
        check(&mut fast, &mut slow, (answers, rounds), &mut rng, |fast, slow| {
            let counts: Vec<u64> = serde_json::from_value(state(fast)["past"].take()).expect("counts");
            assert_eq!(counts, histogram(&slow.past, n_arms));
        });
    }
}

/// The left arm of each round is the right arm of the round before. The right arm has the highest
/// index on the clock of the left arm's player.
#[test]
fn trace_multisbm_twin() {
    for (n_arms, answers, rounds, mut rng) in runs() {
        let alpha = if rng.random() { 2.5 } else { 0.3 };
        let mut fast = MultiSbm::new(Ucb1::new(n_arms, alpha), &mut rng).expect("few arms");
        let left = fast.propose(&mut rng).left.index();
        let mut slow = SlowMultiSbm { players: vec![SlowUcb::new(n_arms, alpha); n_arms], left };
        check(&mut fast, &mut slow, (answers, rounds), &mut rng, |_, _| {});
    }
}

/// Proposes and issues a duel, and pays the right arm.
fn duel<P: Policy, R: Rng>(policy: &mut P, rng: &mut R, pay: impl Fn(usize, usize) -> f64) -> (usize, usize) {
    let ticket = policy.decide(rng);
    let pair = (ticket.left.index(), ticket.right.index());
    // The right arm is paid (1 - s) / 2.
    policy.update(&ticket, Outcome::new(1.0 - 2.0 * pay(pair.0, pair.1)).expect("a score"));
    pair
}

/// Two arms, UCB1 with alpha = 2. In the two duels of epoch 1, the fresh player tries both arms:
/// L = {0, 1}.
///
/// Epoch 2 has four duels and a fresh player. Arm 1 is always paid 0, arm 0 first 1 and then 0:
///
/// - t = 1, 2: both arms in some order.
/// - t = 3: 1 + sqrt(2 ln 3) = 2.48 against 0 + 1.48: arm 0.
/// - t = 4: 1/2 + sqrt(2 ln 4 / 2) = 1.677 against sqrt(2 ln 4) = 1.665: arm 0.
///
/// So L = {0, 0, 0, 1}.
fn doubler_by_hand(seed: u64) -> (Doubler<Ucb1>, impl Rng) {
    let mut rng = Stream::new(seed).label("by hand").rng();
    let mut policy = Doubler::new(Ucb1::new(2, 2.0), &mut rng);
    let mut rights = Vec::new();
    for round in 1..=6 {
        let untried = !rights.contains(&0);
        let (left, right) =
            duel(&mut policy, &mut rng, |_, right| f64::from(u8::from(right == 0 && untried)));
        assert!(left < 2);
        rights.push(right);
        if round == 2 {
            assert_ne!(rights[0], rights[1]);
            assert_eq!(state(&policy)["past"], serde_json::json!([1, 1]));
            rights.clear();
        }
    }
    assert_ne!(rights[0], rights[1]);
    assert_eq!(rights[2..], [0, 0]);
    (policy, rng)
}

#[test]
fn trace_doubler() {
    for seed in 0..20 {
        let (policy, mut rng) = doubler_by_hand(seed);
        let state = state(&policy);
        assert_eq!(
            (&state["past"], &state["right"]),
            (&serde_json::json!([3, 1]), &serde_json::json!([0, 0]))
        );
        assert_eq!((policy.round(), policy.propose(&mut rng).epoch), (6, 3));
        // The player of the last epoch saw arm 0 win one of two duels; the third came too late. Arm
        // 1 lost.
        assert_eq!(policy.recommend(), Arm::new(0));
    }
}

/// Public code (ZWC) drew the left arm from the set of the last epoch's arms, which here would give
/// each arm probability 1/2. From the multiset {0, 0, 0, 1}, arm 0 is drawn 3,000 times in 4,000,
/// with a standard error of 27.
#[test]
fn stat_doubler_draws_from_a_multiset() {
    let (policy, mut rng) = doubler_by_hand(1);
    let zeros = (0..4000).filter(|_| policy.propose(&mut rng).left.index() == 0).count();
    assert!(zeros.abs_diff(3000) < 130, "{zeros}");
}

/// Public code (ZWC) fed both arms of a duel to the player. Only the right arm is paid; the left
/// arm teaches nothing.
#[test]
fn trace_doubler_feeds_the_right_arm_only() {
    let mut rng = Stream::new(1).label("feeds").rng();
    for _ in 0..20 {
        let mut policy = Doubler::new(Ucb1::new(4, 2.0), &mut rng);
        let (_, right) = duel(&mut policy, &mut rng, |_, _| 0.75);
        let mut counts = [0.0; 4];
        counts[right] = 1.0;
        let tally = &state(&policy)["player"]["tally"];
        assert_eq!(tally["counts"], serde_json::json!(counts));
        counts[right] = 0.75;
        assert_eq!(tally["rewards"], serde_json::json!(counts));
    }
}

/// An outcome that arrives after its epoch changes nothing. Voiding such a duel changes nothing
/// either.
#[test]
fn trace_doubler_drops_late_outcomes() {
    let mut rng = Stream::new(1).label("drops").rng();
    let mut policy = Doubler::new(exp3("gamma=0.3", 5), &mut rng);
    let late: Vec<Ticket> = (0..6).map(|_| policy.decide(&mut rng)).collect();
    let of: Vec<u32> = late.iter().map(|ticket| ticket.epoch).collect();
    assert_eq!(of, [1, 1, 2, 2, 2, 2]);
    let before = policy.clone();
    for ticket in &late {
        policy.update(ticket, Outcome::LOSS);
        policy.void(ticket);
    }
    assert_eq!(policy, before);
    let current = policy.decide(&mut rng);
    policy.update(&current, Outcome::LOSS);
    assert_ne!(policy, before);
}

/// Fresh players have no favourite: 4,000 proposals with four arms give 1,000 for each arm, with a
/// standard error of 27. Once two arms were tried, each of the others gets 2,000, with a standard
/// error of 32.
#[test]
fn stat_ties_are_broken_evenly() {
    let mut rng = Stream::new(1).label("ties").rng();
    let mut policy = Doubler::new(Ucb1::new(4, 2.0), &mut rng);
    let count = |policy: &Doubler<Ucb1>, rng: &mut _| {
        let rights: Vec<usize> = (0..4000).map(|_| policy.propose(rng).right.index()).collect();
        histogram(&rights, 4)
    };
    assert!(count(&policy, &mut rng).iter().all(|n| n.abs_diff(1000) < 140));
    for _ in 0..2 {
        duel(&mut policy, &mut rng, |_, _| 0.5);
    }
    // The epoch is over, and the next player is fresh again.
    assert!(count(&policy, &mut rng).iter().all(|n| n.abs_diff(1000) < 140));
    let tried: Vec<usize> = (0..2).map(|_| duel(&mut policy, &mut rng, |_, _| 0.5).1).collect();
    for (arm, n) in count(&policy, &mut rng).into_iter().enumerate() {
        assert!(if tried.contains(&arm) { n == 0 } else { n.abs_diff(2000) < 160 }, "{arm}: {n}");
    }
}

/// Two arms, UCB1 with alpha = 2.5. The right arm is paid .58 for (0, 0), 1 for (1, 1), and 0 for
/// any other pair. The player of arm 0:
///
/// - t = 1, 2: both arms in some order; arm 0 is paid .58, arm 1 is paid 0.
/// - t = 3: .58 + sqrt(2.5 ln 3) against 0 + sqrt(2.5 ln 3): arm 0, which is paid .58.
/// - t = 4: .58 + sqrt(2.5 ln 4 / 2) = 1.896 against sqrt(2.5 ln 4) = 1.862: arm 0.
///
/// Public code (WU) used one clock for all duels. By then, that clock shows 5 or more, because the
/// player of arm 1 decided at least once in between: .58 + sqrt(2.5 ln 5 / 2) = 1.998 against
/// sqrt(2.5 ln 5) = 2.006. The later the clock, the more it favours arm 1.
#[test]
fn trace_multisbm_runs_on_the_players_own_clocks() {
    for seed in 0..40 {
        let mut rng = Stream::new(seed).label("clock").rng();
        let mut policy = MultiSbm::new(Ucb1::new(2, 2.5), &mut rng).expect("two arms");
        let mut answers = Vec::new();
        let mut right = None;
        while answers.len() < 4 {
            let pay = |left, right| match (left, right) {
                (0, 0) => 0.58,
                (1, 1) => 1.0,
                _ => 0.0,
            };
            let pair = duel(&mut policy, &mut rng, pay);
            assert!(right.is_none_or(|right| right == pair.0), "the chain");
            right = Some(pair.1);
            if pair.0 == 0 {
                answers.push(pair.1);
            }
        }
        assert!(policy.round() >= 5);
        assert_ne!(answers[0], answers[1]);
        assert_eq!(answers[2..], [0, 0], "seed {seed}");

        // The arm that one clock for all duels would have chosen.
        let mut slow = SlowUcb::new(2, 2.5);
        for arm in [0, 1, 0] {
            slow.issue(arm);
            slow.settle(arm, Some(if arm == 0 { 0.58 } else { 0.0 }));
        }
        assert_eq!((slow.best(), slow.best_at(policy.round())), (vec![0], vec![1]));
    }
}

/// By default, alpha is 2.5. In the paper's notation this is (3 + 2) / 2, with the index mean +
/// sqrt((3 + 2) ln t / (2 n)).
#[test]
fn trace_multisbm_default_width() {
    let context = Context { n_arms: 3, horizon: None };
    let mut rng = Stream::new(1).rng();
    for (spec, alpha) in [("multisbm", 2.5), ("multisbm:alpha=2", 2.0), ("doubler", 2.0)] {
        let built = registry::build(&spec.parse().unwrap(), context, &mut rng).expect("no horizon is needed");
        let state = built.save().state;
        let player = if spec == "doubler" { &state["player"] } else { &state["players"][2] };
        assert_eq!(player["alpha"], serde_json::json!(alpha), "{spec}");
    }
}

/// More arms are refused if their K^2 numbers would fill the memory.
#[test]
fn trace_multisbm_refuses_too_many_arms() {
    let context = Context { n_arms: 4097, horizon: None };
    let built = registry::build(&"multisbm".parse().unwrap(), context, &mut Stream::new(1).rng());
    let refused = built.expect_err("4097 arms");
    let want = ParamError::TooManyArms { name: "multisbm", n_arms: 4097, most: 4096 };
    assert_eq!(refused, BuildError::Param(want));
    let said = refused.to_string();
    assert!(said.contains("4097 arms are too many") && said.contains("4096"), "{said}");
}

/// If the players state their probabilities, so do the tickets. For the left arm, it is the share
/// in the multiset, or 1 if the arm is given; for the right arm, it is the player's own
/// probability.
#[test]
fn trace_probabilities() {
    let mut rng = Stream::new(1).label("probabilities").rng();
    let mut doubler = Doubler::new(exp3("gamma=0.3", 5), &mut rng);
    let mut multisbm = MultiSbm::new(exp3("gamma=0.3", 5), &mut rng).expect("few arms");
    let (mut past, mut rights) = (vec![doubler.propose(&mut rng).left.index()], Vec::new());
    let player = |state: &Value| -> Exp3 { serde_json::from_value(state.clone()).expect("a player") };
    for round in 1..=300 {
        let p = player(&state(&doubler)["player"]).distribution();
        let ticket = doubler.decide(&mut rng);
        let share = histogram(&past, 5)[ticket.left.index()] as f64 / past.len() as f64;
        let (left, right, z) = slots(&ticket);
        assert_close(&[left, right, z], &[share, p[ticket.right.index()], 1.0], 1e-15, "doubler");
        doubler.update(&ticket, any_outcome(false, &mut rng));
        rights.push(ticket.right.index());
        if rights.len() == 2 * past.len() {
            assert_eq!(rights.len(), 1 << ticket.epoch, "round {round}");
            past = core::mem::take(&mut rights);
        }

        let before = state(&multisbm);
        let ticket = multisbm.decide(&mut rng);
        let p = player(&before["players"][ticket.left.index()]).distribution();
        let (left, right, z) = slots(&ticket);
        assert_close(&[left, right, z], &[1.0, p[ticket.right.index()], 1.0], 1e-15, "multisbm");
        multisbm.update(&ticket, any_outcome(false, &mut rng));
    }
}

/// Lets a player play for random rewards.
fn play<P: Player>(player: &mut P, pulls: usize, rng: &mut impl Rng) {
    for _ in 0..pulls {
        let pull: Pull = player.propose(rng);
        player.issue(&pull);
        match rng.random_range(0..5) {
            // The reward never arrives.
            0 => {}
            1 => player.void(&pull),
            _ => player.update(&pull, rng.random()),
        }
    }
}

/// A player that was reset equals a fresh one, bit for bit.
fn check_reset<P: Player + PartialEq + core::fmt::Debug>(fresh: &P, salt: u64) {
    let mut rng = Stream::new(salt).rng();
    let mut player = fresh.clone();
    play(&mut player, 300, &mut rng);
    assert_ne!(&player, fresh);
    player.reset();
    assert_eq!(&player, fresh);
    let mut other = rng.clone();
    let mut again = fresh.clone();
    play(&mut player, 300, &mut rng);
    play(&mut again, 300, &mut other);
    assert_eq!(player, again);
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20) }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn law_reset_players_are_fresh(salt in any::<u64>(), n_arms in 1..9usize) {
        check_reset(&Ucb1::new(n_arms, 2.0), salt);
        check_reset(&Thompson::new(n_arms), salt);
        for form in ["gamma=0.3", "schedule=dual-averaging", "schedule=literal", "schedule=loss"] {
            check_reset(&exp3(form, n_arms), salt);
        }
    }

    /// Epoch i has 2^i decisions, whatever their outcomes. Its left arms were right arms in the
    /// epoch before.
    #[test]
    fn law_doubler_epochs(salt in any::<u64>(), n_arms in 1..9usize) {
        let mut rng = Stream::new(salt).rng();
        let mut policy = Doubler::new(Thompson::new(n_arms), &mut rng);
        let mut past: Option<Vec<usize>> = None;
        for epoch in 1..=8u32 {
            let mut rights = Vec::new();
            for _ in 0..1 << epoch {
                let ticket = policy.decide(&mut rng);
                prop_assert_eq!(ticket.epoch, epoch);
                let left = ticket.left.index();
                prop_assert!(past.get_or_insert_with(|| vec![left]).contains(&left));
                rights.push(ticket.right.index());
                if rng.random() {
                    policy.update(&ticket, any_outcome(false, &mut rng));
                }
            }
            past = Some(rights);
        }
    }

    /// The chain follows the decisions, no matter when outcomes arrive, if at all.
    #[test]
    fn law_multisbm_chain(salt in any::<u64>(), n_arms in 1..9usize) {
        let mut rng = Stream::new(salt).rng();
        let mut policy = MultiSbm::new(Thompson::new(n_arms), &mut rng).expect("few arms");
        let mut waiting: Vec<Ticket> = Vec::new();
        let mut left = None;
        for _ in 0..300 {
            // A proposal that is thrown away leaves no trace.
            policy.propose(&mut rng);
            let ticket = policy.decide(&mut rng);
            prop_assert!(left.is_none_or(|left| left == ticket.left));
            left = Some(ticket.right);
            waiting.push(ticket);
            shuffle(&mut waiting, &mut rng);
            if rng.random() {
                policy.update(&waiting.pop().expect("one at least"), any_outcome(false, &mut rng));
            }
        }
    }
}

/// The share of (best, best) in the second half of a run of 2^15 - 2 duels, after which the last
/// epoch of Doubler is over. Arm 3 of five wins nine duels in ten, and the other arms are even.
fn settled(policy: &mut impl Policy) -> f64 {
    let mut rng = Stream::new(1).label("settles").rng();
    let rounds = (1 << 15) - 2;
    let mut n = 0;
    for round in 0..rounds {
        let ticket = policy.decide(&mut rng);
        let strength = |arm: Arm| if arm.index() == 3 { 0.9 } else { 0.1 };
        let (left, right) = (strength(ticket.left), strength(ticket.right));
        let won = rng.random::<f64>() < f64::midpoint(1.0, left - right);
        policy.update(&ticket, Outcome::won(won));
        n += u32::from(round >= rounds / 2 && ticket.is_self_duel() && ticket.left.index() == 3);
    }
    assert_eq!(policy.recommend(), Arm::new(3));
    f64::from(n) / f64::from(rounds / 2)
}

/// Both play (best, best) in the end. UCB1 pulls each of the four other arms about alpha ln t /
/// .4^2 times. For Doubler, that is 120 of the 16,384 right arms of its last epoch. Its left arms
/// come from an epoch half as long, so it is 113 of 8,192 of those. Together, this is at most 8 %
/// of all pairs. For `MultiSBM`, with alpha = 2.5, it is 11 more pulls of each arm between rounds
/// 16,384 and 32,768. Each of them leads to the player of another arm, which must find its way
/// back: 2 % is enough.
#[test]
fn stat_settles() {
    let mut rng = Stream::new(1).rng();
    let doubler = settled(&mut Doubler::new(Ucb1::new(5, 2.0), &mut rng));
    assert!(doubler > 0.9, "{doubler}");
    let multisbm = settled(&mut MultiSbm::new(Ucb1::new(5, 2.5), &mut rng).expect("five arms"));
    assert!(multisbm > 0.95, "{multisbm}");
}
