//! RMED by hand: which opponent each arm meets and when. Regression tests cover the mistakes of
//! public programs.

use rand::RngExt;
use tiltyard_bandit::params::{Context, ParamError};
use tiltyard_bandit::policy::registry::{self, BuildError};
use tiltyard_bandit::policy::rmed::{Form, Options};
use tiltyard_bandit::policy::{Policy, Rmed};
use tiltyard_bandit::{Arm, Draw, Outcome, Stream, Ticket};

use crate::support::assert_close;
use crate::twin_rmed::{RMED2, options, order};
use crate::twins::indices;

fn rmed(n_arms: usize, options: Options) -> Rmed {
    Rmed::with(n_arms, options, &mut Stream::new(5).rng()).expect("legal options")
}

fn ticket(left: usize, right: usize) -> Ticket {
    let (left, right) = (Arm::new(left), Arm::new(right));
    Ticket { round: 1, left, right, rate: 1.0, epoch: 0, draw: Draw::Pair(1.0) }
}

/// Lets the policy learn outcomes of another node: so many wins and losses of i against j.
fn meet(policy: &mut Rmed, i: usize, j: usize, wins: usize, losses: usize) {
    for _ in 0..wins {
        policy.update(&ticket(i, j), Outcome::WIN);
    }
    for _ in 0..losses {
        policy.update(&ticket(j, i), Outcome::WIN);
    }
}

/// The opponent that an arm would meet, and the probability of that. Takes turns, without outcomes,
/// until it is the turn of this arm.
fn opponent_of(policy: &Rmed, arm: usize) -> (usize, Option<f64>) {
    let mut policy = policy.clone();
    let mut rng = Stream::new(1).rng();
    for _ in 0..100 {
        let ticket = policy.decide(&mut rng);
        if ticket.epoch == 1 && ticket.left.index() == arm {
            return (ticket.right.index(), ticket.propensity());
        }
        policy.void(&ticket);
    }
    panic!("arm {arm} gets no turn");
}

/// Three arms. The wins are 3 : 1 for 0 against 1, 2 : 2 for 0 against 2, and 1 : 0 for 1
/// against 2.
///
/// I_1 = 4 kl(1/4) = 4 (1/4 ln 1/2 + 3/4 ln 3/2) = 0.523248. I_2 = 1 kl(0) + 4 kl(1/2) = ln 2 =
/// 0.693147. I_0 = 4 kl(1/2) = 0, so i° = 0. The opponents are O_0 = {2}, O_1 = {0}, O_2 = {0, 1}.
/// If 0 is on the left, i° = 0 is not in O_0, so 0 meets its strongest opponent, 2. 1 meets i°. 2
/// also meets i°, which is in O_2, although 1 is stronger.
///
/// Then 2 beats 0 twice more: p_20 = 4/6, and I_0 = 6 kl(1/3) = 6 (1/3 ln 2/3 + 2/3 ln 4/3) =
/// 0.339798 is still the smallest. O_2 = {1}, so 2 meets 1. Finally, 0 beats 2 five times: at 7 :
/// 4, O_0 is empty, and 0 meets itself.
#[test]
fn trace_opponents_of_rmed1() {
    let mut policy = rmed(3, options(Form::Rmed1, 3));
    meet(&mut policy, 0, 1, 3, 1);
    meet(&mut policy, 0, 2, 2, 2);
    meet(&mut policy, 1, 2, 1, 0);
    let divergence = |policy: &Rmed, arm| policy.divergence(Arm::new(arm));
    let all: Vec<f64> = (0..3).map(|arm| divergence(&policy, arm)).collect();
    assert_close(&all, &[0.0, 0.523_248, core::f64::consts::LN_2], 1e-6, "divergences");
    assert_eq!(policy.recommend(), Arm::new(0));
    let opponents = |policy: &Rmed| [0, 1, 2].map(|arm| opponent_of(policy, arm));
    assert_eq!(opponents(&policy), [(2, Some(1.0)), (0, Some(1.0)), (0, Some(1.0))]);
    meet(&mut policy, 0, 2, 0, 2);
    assert_close(&[divergence(&policy, 0)], &[0.339_798], 1e-6, "divergence");
    assert_eq!(opponents(&policy), [(2, Some(1.0)), (0, Some(1.0)), (1, Some(1.0))]);
    meet(&mut policy, 0, 2, 5, 0);
    assert_eq!(opponents(&policy)[0], (0, Some(1.0)));
}

/// Regression: a divergence that is summed over another arm's opponents. Only the losses of the arm
/// itself count, not those of its opponents elsewhere.
#[test]
fn trace_divergences_are_of_own_losses() {
    let mut policy = rmed(4, options(Form::Rmed1, 4));
    meet(&mut policy, 1, 0, 9, 0);
    meet(&mut policy, 2, 1, 3, 0);
    meet(&mut policy, 0, 3, 2, 0);
    let ln2 = core::f64::consts::LN_2;
    let all: Vec<f64> = Arm::all(4).map(|arm| policy.divergence(arm)).collect();
    assert_close(&all, &[9.0 * ln2, 3.0 * ln2, 0.0, 2.0 * ln2], 1e-12, "divergences");
}

/// Regression: the sign of the cost. Two opponents give the same information about arm 3; it meets
/// the one that is closer to the best arm.
///
/// Arm 0 leads 12 : 8 over 1, 18 : 2 over 2, and 16 : 4 over 3. Arms 1 and 2 both lead 18 : 2
/// over 3. So kl(p_31) = kl(p_32) = kl(0.1) = 0.368064, and kl(p_30) = kl(0.2) = 0.192745. i° = 0,
/// because 0 lost to no arm.
///
/// The costs are p_03 + p_0j - 1:
///
/// - against 0 itself: 0.8 + 0.5 - 1 = 0.3; divided by kl, it is 1.556;
/// - against 1: 0.8 + 0.6 - 1 = 0.4; divided by kl, it is 1.087;
/// - against 2: 0.8 + 0.9 - 1 = 0.7; divided by kl, it is 1.902.
///
/// So b(3) = 1. With the opposite sign it would be 2, where the cost is highest.
///
/// n_{3,0} = 20 >= n_{3,1} / ln ln t once ln ln t >= 1, from round 16 on. Before that, 3 meets i°.
#[test]
fn trace_the_sign_of_the_cost() {
    for form in [RMED2, Form::Rmed2Fh { alpha: 3.0, horizon: 1000 }] {
        let mut policy = rmed(4, options(form, 4));
        for (i, j, wins) in [(0, 1, 12), (0, 2, 18), (0, 3, 16), (1, 3, 18), (2, 3, 18), (1, 2, 11)] {
            // One pair after the other, so that `rmed2fh` ends its first phase at the same rates.
            meet(&mut policy, i, j, wins, 20 - wins);
        }
        assert_eq!(opponent_of(&policy, 3), (0, Some(1.0)), "{form:?}");
        for _ in 0..15 {
            policy.issue(&ticket(0, 0));
        }
        if let Some(fixed) = policy.fixed_rivals() {
            // b was fixed at the sixth win of 1 over 2, when all other counts were as above.
            assert_eq!(fixed[3], Some(Arm::new(1)));
        }
        assert_eq!(opponent_of(&policy, 3), (1, Some(1.0)), "{form:?}");
        // After 61 more duels with b, 20 * 1.02 < 81, so 3 meets i° first.
        meet(&mut policy, 1, 3, 55, 6);
        assert_eq!(opponent_of(&policy, 3), (0, Some(1.0)), "{form:?}");
    }
}

/// Regression: in the first rounds, ln ln t is negative or undefined. L is then 1, and two arms
/// meet in round 1.
#[test]
fn trace_the_first_rounds() {
    for form in [RMED2, Form::Rmed2Fh { alpha: 3.0, horizon: 1 }, Form::Rmed2Fh { alpha: 3.0, horizon: 2 }] {
        let mut policy = rmed(2, options(form, 2));
        let mut rng = Stream::new(1).rng();
        let first = policy.decide(&mut rng);
        assert_eq!((first.epoch, first.is_self_duel()), (0, false));
        policy.update(&first, Outcome::WIN);
        // On its turn, the winner meets itself, because it lost to no arm. The loser meets the
        // winner.
        let turns = [policy.decide(&mut rng), policy.decide(&mut rng)];
        assert!(turns.iter().all(|ticket| ticket.right == first.left && ticket.epoch == 1), "{form:?}");
    }
}

/// L is 2 once 3 ln ln t > 1, from round 5 on (ln ln 4 = 0.3266, ln ln 5 = 0.4759). It is 3 from
/// round 8 on (ln ln 7 = 0.6657, ln ln 8 = 0.7321), and 4 from round 16 on (ln ln 15 = 0.9962, ln
/// ln 16 = 1.0198). In these rounds, two arms have to meet.
#[test]
fn trace_pairs_have_to_meet_again() {
    let mut policy = rmed(2, options(RMED2, 2));
    let mut rng = Stream::new(1).rng();
    let mut forced = Vec::new();
    for _ in 0..40 {
        let ticket = policy.decide(&mut rng);
        if ticket.epoch == 0 {
            forced.push(ticket.round);
        }
        // The outcome never arrives; only the number of duels counts.
    }
    // While nothing is known, turns are duels of this pair too, so the level never has to be
    // enforced after round 1.
    assert_eq!(forced, [1]);
    // Now duels of arm 0 with itself, which do not count, replace the turns.
    let mut policy = rmed(2, Options { form: RMED2, f: 0.0 });
    meet(&mut policy, 0, 1, 1, 0);
    let mut forced = Vec::new();
    for round in 1..=40 {
        let turn = policy.propose(&mut rng);
        let played = if turn.epoch == 0 { turn } else { Ticket { round, ..ticket(0, 0) } };
        if turn.epoch == 0 {
            forced.push(round);
        }
        policy.issue(&played);
        policy.update(&played, Outcome::won(played.left.index() == 0));
    }
    assert_eq!(forced, [5, 8, 16]);
}

/// Regression: in the end it must play (best, best), so that its regret becomes flat.
#[test]
fn stat_it_ends_on_the_best_pair() {
    for form in [Form::Rmed1, RMED2, Form::Rmed2Fh { alpha: 3.0, horizon: 20_000 }] {
        let mut policy = rmed(5, options(form, 5));
        let (mut rng, mut world) = (Stream::new(3).rng(), Stream::new(4).rng());
        let mut self_duels = 0;
        for round in 0..20_000 {
            let ticket = policy.decide(&mut rng);
            let left_won = world.random::<f64>()
                < match indices(&ticket) {
                    (i, j) if i < j => 0.8,
                    (i, j) if i > j => 0.2,
                    _ => 0.5,
                };
            policy.update(&ticket, Outcome::won(left_won));
            self_duels += usize::from(round >= 10_000 && indices(&ticket) == (0, 0));
        }
        // Each of the four other arms is tried about ln(2) / kl(0.2) = 3.6 times in the second
        // half.
        assert!(self_duels > 9_900, "{form:?}: {self_duels}");
        assert_eq!(policy.recommend(), Arm::new(0));
    }
}

/// Without any outcomes, every pair meets as often as it has to, once per pass, before any arm gets
/// a turn. Then the arms take turns.
#[test]
fn law_duels_in_flight_are_not_repeated() {
    let n_arms = 6;
    for (form, times) in [(Form::Rmed1, 1), (Form::Rmed2Fh { alpha: 3.0, horizon: 10_000 }, 7)] {
        let mut policy = rmed(n_arms, options(form, n_arms));
        let mut rng = Stream::new(1).rng();
        for _ in 0..times {
            let mut pass: Vec<(usize, usize)> = (0..15)
                .map(|_| indices(&policy.decide(&mut rng)))
                .map(|(left, right)| (left.min(right), left.max(right)))
                .collect();
            pass.sort_unstable();
            pass.dedup();
            assert_eq!(pass.len(), 15, "{form:?}");
        }
        for _ in 0..5 {
            let lefts: Vec<usize> = (0..n_arms).map(|_| policy.decide(&mut rng).left.index()).collect();
            assert_eq!(lefts, order(&policy), "{form:?}");
        }
    }
}

/// A void duel is repeated before anything else.
#[test]
fn trace_void_duels_are_made_up_for() {
    let mut policy = rmed(4, options(Form::Rmed1, 4));
    let mut rng = Stream::new(1).rng();
    let tickets: Vec<Ticket> = (0..6).map(|_| policy.decide(&mut rng)).collect();
    assert_eq!(policy.propose(&mut rng).epoch, 1);
    policy.void(&tickets[2]);
    let again = policy.decide(&mut rng);
    assert_eq!((indices(&again), again.epoch), (indices(&tickets[2]), 0));
    assert_eq!(policy.propose(&mut rng).epoch, 1);
}

/// 300 arms are accepted. Parameters that are out of range or unknown are refused, and `rmed2fh`
/// needs a horizon.
#[test]
fn trace_refusals() {
    let build = |spec: &str, n_arms, horizon| {
        let context = Context { n_arms, horizon };
        registry::build(&spec.parse().expect("a specification"), context, &mut Stream::new(1).rng()).err()
    };
    assert!(build("rmed2", 300, None).is_none());
    for (spec, n_arms, key) in
        [("rmed1:f=-1", 3, "f"), ("rmed2:alpha=0", 3, "alpha"), ("rmed2fh:alpha=-1", 3, "alpha")]
    {
        let refused = build(spec, n_arms, Some(1000));
        assert!(
            matches!(refused, Some(BuildError::Param(ParamError::OutOfRange { key: found, .. })) if found == key),
            "{spec}: {refused:?}"
        );
    }
    let refused = build("rmed2fh", 3, None);
    assert!(matches!(refused, Some(BuildError::Param(ParamError::NeedsHorizon { .. }))), "{refused:?}");
    assert!(matches!(
        build("rmed1:alpha=3", 3, None),
        Some(BuildError::Param(ParamError::UnknownKey { .. }))
    ));
}
