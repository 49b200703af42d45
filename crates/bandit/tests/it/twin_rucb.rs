//! RUCB written a second time, from the specification alone. The twin computes
//! every bound of every pair in every round, and the whole law of the next pair. The crate's policy
//! must propose a pair that this law allows, and state its probability.

use proptest::prelude::*;
use rand::RngExt;
use tiltyard_bandit::params::{Context, ParamError};
use tiltyard_bandit::policy::registry::{self, BuildError};
use tiltyard_bandit::policy::rucb::{Form, Options, Unplayed};
use tiltyard_bandit::policy::{Additive, Policy, Rucb};
use tiltyard_bandit::{Arm, Outcome, Stream, Ticket};

use crate::support::{assert_close, permutation};
use crate::twins::{
    Counts, DELIVERIES, Delivery, Game, KINDS, Twin, assert_stated, beat, best_pairs, drawn_by, indices,
    indices_of, matrix, play, ticket, wait_for,
};

/// RUCB in O(K^2) per round.
#[derive(Debug, Clone)]
struct SlowRucb {
    alpha: f64,
    /// Whether the form has a hypothesised best arm.
    icml: bool,
    /// The bound of a pair that has not met.
    unplayed: f64,
    counts: Counts,
    best: Option<usize>,
}

impl SlowRucb {
    fn new(n_arms: usize, options: Options) -> Self {
        Self {
            alpha: options.alpha,
            icml: options.form == Form::Icml,
            unplayed: if options.unplayed == Unplayed::Two { 2.0 } else { f64::INFINITY },
            counts: Counts::new(n_arms),
            best: None,
        }
    }

    /// u_ij. The width also counts `waiting` duels whose outcome has not arrived.
    fn u(&self, i: usize, j: usize, waiting: u64) -> f64 {
        if i == j {
            return 0.5;
        }
        let n = self.counts.n(i, j);
        if n + waiting == 0 {
            return self.unplayed;
        }
        let mean = if n == 0 { 1.0 } else { self.counts.wins[i][j] as f64 / n as f64 };
        mean + (self.alpha * (self.counts.t.max(2) as f64).ln() / (n + waiting) as f64).sqrt()
    }

    /// C, from outcomes that have arrived only.
    fn candidates(&self) -> Vec<usize> {
        let arms = self.counts.arms();
        arms.clone().filter(|&i| arms.clone().all(|j| self.u(i, j, 0) >= 0.5)).collect()
    }

    fn next_best(&self, candidates: &[usize]) -> Option<usize> {
        match candidates {
            _ if !self.icml => None,
            [only] => Some(*only),
            _ => self.best.filter(|best| candidates.contains(best)),
        }
    }

    /// For each arm, the probability that it is the champion.
    fn champions(&self) -> Vec<f64> {
        let candidates = self.candidates();
        let best = self.next_best(&candidates);
        let n_arms = self.counts.arms().len();
        let mut p = vec![0.0; n_arms];
        if candidates.is_empty() {
            p.fill(1.0 / n_arms as f64);
        }
        for &i in &candidates {
            p[i] = match best {
                Some(best) if candidates.len() > 1 && i == best => 0.5,
                Some(_) if candidates.len() > 1 => 0.5 / (candidates.len() - 1) as f64,
                _ => 1.0 / candidates.len() as f64,
            };
        }
        p
    }

    /// The arms that the champion may meet, all with the same probability.
    fn opponents(&self, champion: usize) -> Vec<usize> {
        let u = |j: usize| self.u(j, champion, self.counts.in_flight[j][champion]);
        let highest = self.counts.arms().map(u).fold(f64::NEG_INFINITY, f64::max);
        let mut tied: Vec<usize> = self.counts.arms().filter(|&j| u(j) >= highest).collect();
        if tied.len() > 1 {
            tied.retain(|&j| j != champion);
        }
        tied
    }

    fn probability(&self, left: usize, right: usize) -> f64 {
        let opponents = self.opponents(left);
        if opponents.contains(&right) { self.champions()[left] / opponents.len() as f64 } else { 0.0 }
    }
}

impl Twin for SlowRucb {
    fn issue(&mut self, ticket: &Ticket) {
        self.best = self.next_best(&self.candidates());
        self.counts.issue(ticket);
    }

    fn update(&mut self, ticket: &Ticket, left_won: bool) {
        self.counts.update(ticket, left_won);
    }

    fn void(&mut self, ticket: &Ticket) {
        self.counts.void(ticket);
    }
}

fn options(form: Form, unplayed: Unplayed) -> Options {
    Options { form, unplayed, ..Options::default() }
}

fn rucb(n_arms: usize, options: Options) -> Rucb {
    Rucb::with(n_arms, options).expect("legal options")
}

/// Plays the policy and its twin side by side.
fn compare(n_arms: usize, options: Options, kind: usize, rounds: u64, delivery: Delivery) {
    let what = format!("{n_arms} arms, {options:?}, matrix {kind}, {delivery:?}");
    let mut rng = Stream::new(7).label(&what).rng();
    let game = Game { p: matrix(n_arms, kind, &mut rng), delivery, rounds };
    let (mut fast, mut slow) = (rucb(n_arms, options), SlowRucb::new(n_arms, options));
    play(&mut fast, &mut slow, &game, &mut rng, |fast, slow, ticket| {
        let (left, right) = indices(ticket);
        assert_stated(ticket, slow.probability(left, right), &what);
        assert_eq!(ticket.round, slow.counts.t, "{what}");
        if ticket.round.is_multiple_of(64) {
            assert_eq!(indices_of(&fast.candidates()), slow.candidates(), "{what}");
        }
    });
    assert_eq!(Additive::sums(&fast), slow.counts.sums(), "{what}");
}

const FORMS: [Form; 2] = [Form::Icml, Form::Arxiv];
const UNPLAYED: [Unplayed; 2] = [Unplayed::Infinite, Unplayed::Two];

/// Many small matrices, in every form, with prompt and with late outcomes.
#[test]
fn law_the_fast_and_the_slow_agree_on_many_matrices() {
    for n_arms in [1, 2, 3, 5, 9, 17] {
        for kind in KINDS {
            for form in FORMS {
                for unplayed in UNPLAYED {
                    for delivery in DELIVERIES {
                        compare(n_arms, options(form, unplayed), kind, 300, delivery);
                    }
                }
            }
        }
    }
}

/// 20,000 rounds, up to 40 arms.
#[test]
fn law_the_fast_and_the_slow_agree_for_long() {
    let (icml, arxiv) = (Options::default(), options(Form::Arxiv, Unplayed::Infinite));
    compare(40, icml, 0, 20_000, Delivery::Prompt);
    for kind in 0..5 {
        compare(8, icml, kind, 20_000, Delivery::Prompt);
        compare(8, Options { alpha: 2.0, ..arxiv }, kind, 20_000, Delivery::Late);
    }
}

/// From many states, pairs are drawn by the law of the slow twin.
#[test]
fn stat_pairs_are_drawn_by_the_law() {
    let n_arms = 5;
    let mut n_tested = 0;
    for state in 0..19 {
        let mut rng = Stream::new(17).index(state).rng();
        let kind = usize::try_from(state).expect("small") % 5;
        let game = Game { p: matrix(n_arms, kind, &mut rng), delivery: Delivery::Prompt, rounds: 7 * state };
        let options = options(FORMS[usize::from(state % 2 == 1)], Unplayed::Infinite);
        let (mut fast, mut slow) = (rucb(n_arms, options), SlowRucb::new(n_arms, options));
        play(&mut fast, &mut slow, &game, &mut rng, |_, _, _| {});
        let law = |left, right| slow.probability(left, right);
        n_tested += usize::from(drawn_by(&format!("state {state}"), &fast, 4000, law));
    }
    assert!(n_tested > 10, "only {n_tested} of the states leave anything to chance");
}

/// Three arms, alpha = 0.51.
///
/// In round 1, no pair has met. C = {0, 1, 2}, and each ordered pair of different arms has
/// probability 1/3 * 1/2. Then 0 beats 1 four times: the key of 1 is 4^2 / (4 * 0.51 * 4) =
/// 1.960784, and e^1.960784 = 7.105. So 1 is beaten up to round 7, and a candidate again in round 8
/// (ln 7 = 1.945910, ln 8 = 2.079442). Indeed, in round 8, u_10 = 0 + sqrt(0.51 * 2.079442 / 4) =
/// 0.5149.
///
/// If 2 beats 1 nine times, the key is 81 / (2.04 * 9) = 4.411765, and 1 is beaten up to round 82
/// (ln 82 = 4.406719, ln 83 = 4.418841).
#[test]
fn trace_certificates_expire() {
    let mut policy = rucb(3, Options::default());
    let first = policy.propose(&mut Stream::new(1).rng());
    assert!(!first.is_self_duel());
    assert_close(&[first.propensity().expect("known")], &[1.0 / 6.0], 1e-15, "first pair");

    beat(&mut policy, 0, 1, 4);
    assert_eq!(indices_of(&policy.candidates()), [0, 2]);
    let mut late = policy.clone();
    wait_for(&mut policy, 7);
    assert_eq!(indices_of(&policy.candidates()), [0, 2]);
    wait_for(&mut policy, 8);
    assert_eq!(indices_of(&policy.candidates()), [0, 1, 2]);

    beat(&mut late, 2, 1, 9);
    wait_for(&mut late, 82);
    assert_eq!(indices_of(&late.candidates()), [0, 2]);
    wait_for(&mut late, 83);
    assert_eq!(indices_of(&late.candidates()), [0, 1, 2]);
}

/// Two arms; 0 beats 1 four times. In round 1, C = {0} and u_10 = sqrt(0.51 ln 2 / 4) = 0.2973 <
/// 1/2 = u_00, so the pair is certainly (0, 0). In round 8, u_10 = 0.5149 > 1/2. If 0 is the
/// champion, the pair is (0, 1).
///
/// B = {0} since round 1, and C = {0, 1} in round 8. So 0 is the champion with probability 1/2, and
/// 1 with the other 1/2, because it is the only other candidate. The strongest opponent of 1 is 0,
/// with the bound 1 + 0.5149.
#[test]
fn trace_two_arms() {
    let mut policy = rucb(2, Options::default());
    beat(&mut policy, 0, 1, 4);
    let mut rng = Stream::new(1).rng();
    let sure = policy.propose(&mut rng);
    assert_eq!((sure.left.index(), sure.right.index(), sure.propensity()), (0, 0, Some(1.0)));
    wait_for(&mut policy, 8);
    for _ in 0..20 {
        let ticket = policy.propose(&mut rng);
        assert!(!ticket.is_self_duel());
        assert_eq!(ticket.propensity(), Some(0.5));
    }
}

/// Regression: if the champion is not among its own opponents, (c, c) is never played and the
/// regret never becomes flat.
#[test]
fn stat_it_ends_on_the_best_pair() {
    for form in FORMS {
        let mut policy = rucb(5, options(form, Unplayed::Infinite));
        let self_duels = best_pairs(&mut policy);
        // Each of the four other arms is met again about ln(2) / (4 * 0.51 * 0.09) times in the
        // second half.
        assert!(self_duels > 9_900, "{form:?}: {self_duels}");
        assert_eq!(policy.recommend(), Arm::new(0));
    }
}

/// Regression: a champion that is drawn uniformly, without regard to C and B. Here arms 3 and 4 are
/// beaten, B = {0} and C = {0, 1, 2}.
///
/// First, 0 beats arms 1 to 4, so that B = {0} after a decision. Then 1 and 2 draw level with 0.
#[test]
fn stat_the_champion_is_a_candidate_and_half_the_time_the_best() {
    let mut policy = rucb(5, Options::default());
    for loser in 1..5 {
        beat(&mut policy, 0, loser, 20);
    }
    assert_eq!(indices_of(&policy.candidates()), [0]);
    policy.issue(&ticket(0, 0));
    beat(&mut policy, 1, 0, 20);
    beat(&mut policy, 2, 0, 20);
    assert_eq!(indices_of(&policy.candidates()), [0, 1, 2]);
    let mut rng = Stream::new(1).rng();
    let mut champions = [0i32; 5];
    for _ in 0..4000 {
        let ticket = policy.propose(&mut rng);
        champions[ticket.left.index()] += 1;
    }
    // Expected: 2000, 1000, 1000, 0, 0. A standard error is at most 32.
    assert!((champions[0] - 2000).abs() < 160 && (champions[1] - 1000).abs() < 160, "{champions:?}");
    assert_eq!(champions[3..], [0, 0]);
}

/// Regression: ln 0 before the first round, or ln 1 = 0 in the first round.
#[test]
fn trace_the_first_round_has_a_width() {
    for form in FORMS {
        for unplayed in UNPLAYED {
            let mut policy = rucb(3, options(form, unplayed));
            // After one win, the u of the loser is sqrt(0.51 ln 2) = 0.5946, so no arm is shown to
            // lose yet.
            beat(&mut policy, 0, 1, 1);
            assert_eq!(indices_of(&policy.candidates()), [0, 1, 2]);
            let ticket = policy.propose(&mut Stream::new(1).rng());
            assert_eq!(ticket.check(3), Ok(()));
        }
    }
}

/// Without any outcomes, it meets every pair before it repeats one, instead of repeating the first
/// pair.
#[test]
fn law_duels_in_flight_are_not_repeated() {
    let n_arms = 6;
    let mut policy = rucb(n_arms, Options::default());
    let mut rng = Stream::new(1).rng();
    let mut shown = vec![0; n_arms * n_arms];
    for _ in 0..300 {
        let ticket = policy.decide(&mut rng);
        let (left, right) = (ticket.left.index(), ticket.right.index());
        assert_ne!(left, right, "nothing is known yet");
        shown[left.min(right) * n_arms + left.max(right)] += 1;
        // The pairs of a champion take turns: when a pair is drawn, it is never two ahead of
        // another pair of the same champion.
        let of_champion = |j: usize| shown[left.min(j) * n_arms + left.max(j)];
        let least = (0..n_arms).filter(|&j| j != left).map(of_champion).min().expect("five others");
        assert!(of_champion(right) <= least + 1, "({left}, {right})");
    }
    assert!(shown.iter().filter(|&&count| count > 0).count() == n_arms * (n_arms - 1) / 2);
}

/// The largest number of arms that a table of pairs can hold is accepted. An alpha for which
/// nothing is proved is refused.
#[test]
fn trace_refusals() {
    let build = |spec: &str, n_arms| {
        let context = Context { n_arms, horizon: None };
        registry::build(&spec.parse().expect("a specification"), context, &mut Stream::new(1).rng()).err()
    };
    assert!(build("rucb", 4096).is_none());
    let refused = build("rucb:alpha=1/2", 3);
    assert!(
        matches!(refused, Some(BuildError::Param(ParamError::OutOfRange { key: "alpha", .. }))),
        "{refused:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

    /// Only the counts matter: outcomes in any order, merged from another node or restored from a
    /// file lead to the same candidates, the same bounds and the same next pair.
    #[test]
    fn law_counts_decide(seed in any::<u64>(), n_arms in 2..7usize, n_outcomes in 0..200usize) {
        let mut rng = Stream::new(seed).rng();
        let outcomes: Vec<(usize, usize)> = (0..n_outcomes)
            .map(|_| (rng.random_range(0..n_arms), rng.random_range(0..n_arms)))
            .filter(|(winner, loser)| winner != loser)
            .collect();
        let mut ordered = rucb(n_arms, Options::default());
        for &(winner, loser) in &outcomes {
            beat(&mut ordered, winner, loser, 1);
        }
        let mut shuffled = rucb(n_arms, Options::default());
        for place in permutation(outcomes.len(), &mut rng) {
            let (winner, loser) = outcomes[place];
            // The same outcome with the slots swapped.
            shuffled.update(&ticket(loser, winner), Outcome::LOSS);
        }
        let mut merged = rucb(n_arms, Options::default());
        Additive::add(&mut merged, &Additive::sums(&ordered));
        let text = serde_json::to_string(&ordered).expect("plain data");
        let restored: Rucb = serde_json::from_str(&text).expect("just written");
        for other in [shuffled, merged, restored] {
            prop_assert_eq!(other.candidates(), ordered.candidates());
            prop_assert_eq!(other.recommend(), ordered.recommend());
            let (mut a, mut b) = (rng.clone(), rng.clone());
            for _ in 0..20 {
                prop_assert_eq!(other.propose(&mut a), ordered.propose(&mut b));
            }
        }
    }
}
