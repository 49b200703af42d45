//! Traces computed by hand: a few duels, with the arithmetic beside them.

use core::f64::consts::LN_2;

use tiltyard_bandit::player::{AdditivePlayer, Exp3, Player, Pull, Ucb1};
use tiltyard_bandit::policy::rex3::{Options, Schedule, Transfer};
use tiltyard_bandit::policy::{Additive, Distinct, Policy, Random, Rex3, Sparring};
use tiltyard_bandit::{Arm, Outcome, Stream, Ticket};

use crate::reference::exp3;
use crate::support::{assert_close, build, propose_pair, rex3, rex3_fixed, slots};

/// One duel, and the state that it must leave.
struct Step<'a> {
    /// Left arm, right arm, and the score of the left arm.
    duel: (usize, usize, f64),
    log_weights: &'a [f64],
    probabilities: &'a [f64],
}

/// Expected numbers are written with up to twelve digits; ten must be right.
const DIGITS: f64 = 1e-10;

/// Plays the duels, each drawn by the policy itself, and checks the state after each.
#[track_caller]
fn check(mut policy: Rex3, steps: &[Step<'_>]) -> Rex3 {
    for (i, &Step { duel: (left, right, score), log_weights, probabilities }) in steps.iter().enumerate() {
        let ticket = propose_pair(&policy, left, right);
        policy.issue(&ticket);
        policy.update(&ticket, Outcome::new(score).expect("a score"));
        assert_close(&policy.log_weights(), log_weights, DIGITS, &format!("log-weights after duel {i}"));
        assert_close(&policy.distribution(), probabilities, DIGITS, &format!("p after duel {i}"));
    }
    policy
}

/// A schedule for two arms with gamma_t = 1 / (2 sqrt(t)): tau = 4 K ln K makes sqrt(K ln K / (tau
/// t)) = sqrt(1 / (4 t)). gamma_1 = 0.5, gamma_2 = 0.353553390593, gamma_3 = 0.288675134595,
/// gamma_4 = 0.25.
fn two_arms(schedule: impl Fn(f64) -> Schedule) -> Rex3 {
    rex3(2, Options { schedule: schedule(8.0 * LN_2), ..Options::default() })
}

fn with_transfer(transfer: Transfer, guard: bool) -> Rex3 {
    rex3(3, Options { schedule: Schedule::Fixed { gamma: 0.3 }, transfer, guard, mixing: 1.0 })
}

const THIRDS: &[f64] = &[1.0 / 3.0; 3];

/// The golden trace: K = 3 and gamma = 0.3.
///
/// From the uniform state, arm 0 beats arm 1: c = 1 / (2/3) = 1.5, and with gamma / K = 0.1, L =
/// (0.15, -0.15, 0). With e^0.15 = 1.161834242728, e^-0.15 = 0.860707976425 and the sum
/// 3.022542219153, p = 0.7 (0.384389748261, 0.284762929355, 0.330847322384) + 0.1.
///
/// Then arm 2 beats arm 0: L_2 = 0.1 / (2 * 0.331593125669) = 0.150787203140 and L_0 = 0.15 - 0.1 /
/// (2 * 0.369072823783) = 0.014525381502.
#[test]
fn trace_golden() {
    check(
        rex3_fixed(3, 0.3),
        &[
            Step {
                duel: (0, 1, 1.0),
                log_weights: &[0.15, -0.15, 0.0],
                probabilities: &[0.369_072_823_8, 0.299_334_050_5, 0.331_593_125_7],
            },
            Step {
                duel: (2, 0, 1.0),
                log_weights: &[0.014_525_381_5, -0.15, 0.150_787_203_1],
                probabilities: &[0.333_779_218_7, 0.298_314_028_8, 0.367_906_752_5],
            },
        ],
    );
}

/// The same duels, with the slots and the sign of the score swapped: the numbers stay the same.
#[test]
fn trace_golden_from_the_other_side() {
    check(
        rex3_fixed(3, 0.3),
        &[
            Step {
                duel: (1, 0, -1.0),
                log_weights: &[0.15, -0.15, 0.0],
                probabilities: &[0.369_072_823_8, 0.299_334_050_5, 0.331_593_125_7],
            },
            Step {
                duel: (0, 2, -1.0),
                log_weights: &[0.014_525_381_5, -0.15, 0.150_787_203_1],
                probabilities: &[0.333_779_218_7, 0.298_314_028_8, 0.367_906_752_5],
            },
        ],
    );
}

/// A score of 0.4 counts as 0.4, and a tie teaches nothing: L = 0.4 (0.15, -0.15, 0) = (0.06,
/// -0.06, 0). With e^0.06 = 1.061836546545, e^-0.06 = 0.941764533584 and the sum 3.003601080130,
/// p_0 = 0.7 * 0.353521162837 + 0.1.
#[test]
fn trace_identity() {
    let after = Step {
        duel: (0, 1, 0.4),
        log_weights: &[0.06, -0.06, 0.0],
        probabilities: &[0.347_464_813_986, 0.319_481_600_892, 0.333_053_585_122],
    };
    let tie = Step { duel: (1, 2, 0.0), ..after };
    check(with_transfer(Transfer::Identity, true), &[after, tie]);
}

/// A score of 0.4 counts as 1, and a score of -0.4 as -1. A tie stays a tie.
#[test]
fn trace_sign() {
    let p = &[0.369_072_823_783, 0.299_334_050_548, 0.331_593_125_669];
    let after = Step { duel: (0, 1, 0.4), log_weights: &[0.15, -0.15, 0.0], probabilities: p };
    let tie = Step { duel: (1, 2, 0.0), ..after };
    check(with_transfer(Transfer::Sign, true), &[after, tie]);
    let after = Step { duel: (1, 0, -0.4), log_weights: &[0.15, -0.15, 0.0], probabilities: p };
    check(with_transfer(Transfer::Sign, true), &[after]);
}

/// Only the winner's log-weight grows, by 0.1 * 1 / (2/3) = 0.15, in either slot. A tie changes
/// nothing. With e^0.15 / (e^0.15 + 2) = 0.367455772041, p_winner = 0.7 * 0.367455772041 + 0.1.
#[test]
fn trace_indicator() {
    let p = &[0.357_219_040_429, 0.321_390_479_786, 0.321_390_479_786];
    let after = Step { duel: (0, 1, 0.4), log_weights: &[0.15, 0.0, 0.0], probabilities: p };
    let tie = Step { duel: (1, 2, 0.0), ..after };
    check(with_transfer(Transfer::Indicator, true), &[after, tie]);
    let p = &[0.321_390_479_786, 0.357_219_040_429, 0.321_390_479_786];
    check(
        with_transfer(Transfer::Indicator, true),
        &[Step { duel: (0, 1, -0.4), log_weights: &[0.0, 0.15, 0.0], probabilities: p }],
    );
}

/// A self-duel from the uniform state. The guard skips it. Without the guard, line 11 of the paper
/// applies, L_b -= (gamma / K) s / (2 p): a win lowers L_b by 0.1 / (2/3) = 0.15, and a loss raises
/// it by 0.15. With the indicator, one of the two sides has won, so L_b rises by 0.15.
#[test]
fn trace_self_duels() {
    let down = Step {
        duel: (1, 1, 1.0),
        log_weights: &[0.0, -0.15, 0.0],
        probabilities: &[0.344_694_672_007, 0.310_610_655_985, 0.344_694_672_007],
    };
    let up = Step {
        duel: (1, 1, -1.0),
        log_weights: &[0.0, 0.15, 0.0],
        probabilities: &[0.321_390_479_786, 0.357_219_040_429, 0.321_390_479_786],
    };
    let nothing = Step { duel: (1, 1, 1.0), log_weights: &[0.0; 3], probabilities: THIRDS };
    for transfer in [Transfer::Identity, Transfer::Sign] {
        check(with_transfer(transfer, false), core::slice::from_ref(&down));
        check(with_transfer(transfer, false), core::slice::from_ref(&up));
    }
    for score in [1.0, -1.0] {
        check(with_transfer(Transfer::Indicator, false), &[Step { duel: (1, 1, score), ..up }]);
        for transfer in [Transfer::Identity, Transfer::Sign, Transfer::Indicator] {
            check(with_transfer(transfer, true), &[Step { duel: (1, 1, score), ..nothing }]);
        }
    }
}

/// With mixing = 1/6, the weights learn with gamma = 0.3, and the share of exploration is 0.05: p =
/// 0.95 softmax + 0.05 / 3. The second duel divides by these p: L_2 = 0.1 / (2 * 0.330971622932) =
/// 0.151070353274 and L_0 = 0.15 - 0.1 / (2 * 0.381836927515) = 0.019054047953.
#[test]
fn trace_mixing() {
    let options =
        Options { schedule: Schedule::Fixed { gamma: 0.3 }, mixing: 1.0 / 6.0, ..Options::default() };
    let first = Step {
        duel: (0, 1, 1.0),
        log_weights: &[0.15, -0.15, 0.0],
        probabilities: &[0.381_836_927_515, 0.287_191_449_554, 0.330_971_622_932],
    };
    let policy = check(rex3(3, options), &[first]);
    let ticket = propose_pair(&policy, 2, 0);
    let mut after = policy;
    after.update(&ticket, Outcome::WIN);
    assert_close(&after.log_weights(), &[0.019_054_047_953, -0.15, 0.151_070_353_274], DIGITS, "second duel");
}

/// A proposal of two different arms, from the uniform state: D = 1 - 3/9 = 2/3, the probability of
/// the pair is (1/9) / D = 1/6, and c = D / (2/3) = 1, so L = 0.1 (1, -1, 0).
#[test]
fn trace_distinct() {
    let mut policy = rex3_fixed(3, 0.3);
    let mut rng = Stream::new(1).rng();
    let ticket = loop {
        let ticket = policy.propose_distinct(&mut rng).expect("three arms");
        if (ticket.left, ticket.right) == (Arm::new(0), Arm::new(1)) {
            break ticket;
        }
    };
    assert_close(&[ticket.propensity().expect("known")], &[1.0 / 6.0], 1e-15, "propensity");
    policy.issue(&ticket);
    policy.update(&ticket, Outcome::WIN);
    assert_close(&policy.log_weights(), &[0.1, -0.1, 0.0], 1e-15, "log-weights");
    let p = [0.357_015_780_778, 0.310_426_723_749, 0.332_557_495_473];
    assert_close(&policy.distribution(), &p, DIGITS, "p");
}

/// Dual averaging, two arms, gamma_t = 1 / (2 sqrt(t)).
///
/// - Round 1, p = 1/2: arm 0 beats arm 1, so S = (1, -1).
/// - Before round 2: L = (gamma_2 / 2) S = (0.176776695297, -0.176776695297), softmax_0 = 1 / (1 +
///   e^-0.353553390593) = 0.587479000840, p_0 = 0.646446609407 * 0.587479000840 + 0.176776695297.
/// - Round 2: arm 1 beats arm 0 with a score of 1/2. S_1 += 0.25 / 0.443449496513 = 0.563762056256
///   and S_0 -= 0.25 / 0.556550503487 = 0.449195532901, so S = (0.550804467099, -0.436237943744).
///   Its new scale is gamma_3 / 2 = 0.144337567297.
#[test]
fn trace_dual_averaging() {
    let policy = check(
        two_arms(|tau| Schedule::DualAveraging { tau }),
        &[
            Step {
                duel: (0, 1, 1.0),
                log_weights: &[0.176_776_695_297, -0.176_776_695_297],
                probabilities: &[0.556_550_503_487, 0.443_449_496_513],
            },
            Step {
                duel: (1, 0, 0.5),
                log_weights: &[0.079_501_776_838, -0.062_965_523_563],
                probabilities: &[0.525_292_367_996, 0.474_707_632_004],
            },
        ],
    );
    let sums = [0.550_804_467_099, -0.436_237_943_744];
    assert_close(&Additive::sums(&policy), &sums, DIGITS, "sums");
}

/// The literal reading of the same duels: each step keeps the gamma of its own round.
///
/// Round 1: L = (0.5 / 2) (1, -1); p_0 = 0.646446609407 / (1 + e^-0.5) + 0.176776695297 with 1 /
/// (1 + e^-0.5) = 0.622459331202. Round 2: L_1 += 0.176776695297 * 0.25 / 0.420836580554 =
/// 0.105015048278, L_0 -= 0.176776695297 * 0.25 / 0.579163419446.
#[test]
fn trace_literal() {
    check(
        two_arms(|tau| Schedule::Literal { tau }),
        &[
            Step {
                duel: (0, 1, 1.0),
                log_weights: &[0.25, -0.25],
                probabilities: &[0.579_163_419_446, 0.420_836_580_554],
            },
            Step {
                duel: (1, 0, 0.5),
                log_weights: &[0.173_693_084_991, -0.144_984_951_722],
                probabilities: &[0.556_196_119_613, 0.443_803_880_387],
            },
        ],
    );
}

/// Epochs: round 1 is an epoch by itself. Its outcome arrives when the epoch of round 2 has begun,
/// and teaches nothing. Round 2 (gamma = 1 / (2 sqrt 2)) leads to L = (gamma / 2) (1, -1). Round 3
/// is the last of its epoch. The epoch of round 4 forgets everything, and its gamma is 1/4.
#[test]
fn trace_epochs() {
    let halves = &[0.5, 0.5];
    let policy = check(
        two_arms(|tau| Schedule::Epochs { tau }),
        &[
            Step { duel: (0, 1, 1.0), log_weights: &[0.0; 2], probabilities: halves },
            Step {
                duel: (0, 1, 1.0),
                log_weights: &[0.176_776_695_297, -0.176_776_695_297],
                probabilities: &[0.556_550_503_487, 0.443_449_496_513],
            },
            Step { duel: (1, 0, 0.5), log_weights: &[0.0; 2], probabilities: halves },
        ],
    );
    assert_close(&[policy.gamma()], &[0.25], 1e-15, "gamma");
}

/// gamma is held until its formula has fallen by 1 %. For K = 2 and tau = 4 K ln K, the formula is
/// 1 / (2 sqrt t). It is 1 % below its value of round 100 once t >= 100 / 0.99^2 = 102.03, that is,
/// from round 103 on. Before, gamma is 0.05; afterwards, it is 1 / (2 sqrt 103). Round 100 itself
/// starts a new gamma if the last change was in round 98 or before (98 / 0.9801 = 99.99). A warm
/// start after 99 rounds ensures that.
#[test]
fn trace_gamma_is_held() {
    let mut policy = two_arms(|tau| Schedule::DualAveraging { tau });
    policy.warm_start(99, vec![0.0; 2]).expect("two sums");
    let mut rng = Stream::new(1).rng();
    let gammas: Vec<f64> = (0..5)
        .map(|_| {
            let gamma = policy.gamma();
            let _: Ticket = policy.decide(&mut rng);
            gamma
        })
        .collect();
    let next = 0.5 / 103f64.sqrt();
    assert_close(&gammas, &[0.05, 0.05, 0.05, next, next], 1e-15, "gamma");
}

/// gamma* = min(1/2, sqrt(K ln K / tau)) at T = 1e5, by an independent computation, for tau =
/// e T/2 and e T/10.
#[test]
fn trace_gamma_star() {
    let rows = [
        (6, 0.0089, 0.0199),
        (10, 0.0130, 0.0291),
        (20, 0.0210, 0.0469),
        (30, 0.0274, 0.0613),
        (64, 0.0443, 0.0990),
        (136, 0.0701, 0.1568),
    ];
    for (n_arms, half, tenth) in rows {
        for (gmax, gamma) in [("50000", half), ("10000", tenth)] {
            let got = gamma_of(&format!("rex3:gmax={gmax}"), n_arms);
            assert!((got - gamma).abs() < 5.1e-5, "{n_arms} arms, gmax={gmax}: {got} against {gamma}");
        }
    }
}

/// gamma of REX3 or EXP3 in the first round, computed from the rate of a ticket.
fn gamma_of(spec: &str, n_arms: usize) -> f64 {
    let ticket = build(spec, n_arms).propose(&mut Stream::new(1).rng()).expect("nothing is in flight");
    ticket.rate * n_arms as f64
}

/// Other values of tau, for six arms, K ln K = 10.750556815368. The horizon of `build` is 10,000.
///
/// - gmin: e 50000 - (4 - e) 10000 = 123,097; sqrt(10.7506 / 123,097) = 0.009345271;
/// - binary: 2 * 5000 + (e - 2)(5/6) 10000 = 15,985.7; sqrt(10.7506 / 15,985.7) = 0.025932829;
/// - fixed: tau = e 5000; sqrt(10.7506 / 13,591.4) = 0.028124398;
/// - EXP3: sqrt(10.7506 / ((e - 1) g)) for g = 5000 (its default T/2) and g = 10,000;
/// - in the first round, gamma is capped at 1/2 (REX3) and at 1 (EXP3).
#[test]
fn trace_other_gammas() {
    let rows = [
        ("rex3:gmax=50000,gmin=10000", 0.009_345_271),
        ("rex3:gmax=T/2,feedback=binary", 0.025_932_829),
        ("rex3:schedule=fixed", 0.028_124_398),
        ("sparring", 0.035_373_927),
        ("sparring:gmax=T", 0.025_013_144),
        ("rex3", 0.5),
        ("rex3:schedule=literal", 0.5),
        ("rex3:schedule=epochs", 0.5),
        ("sparring:schedule=dual-averaging", 1.0),
    ];
    for (spec, gamma) in rows {
        assert_close(&[gamma_of(spec, 6)], &[gamma], 1e-9, spec);
    }
}

/// A single arm meets itself for ever, with probability 1, and the policy learns nothing.
#[test]
fn trace_one_arm() {
    let schedules: [fn(f64) -> Schedule; 4] = [
        |_| Schedule::Fixed { gamma: 0.3 },
        |tau| Schedule::DualAveraging { tau },
        |tau| Schedule::Literal { tau },
        |tau| Schedule::Epochs { tau },
    ];
    for schedule in schedules {
        let options = Options { schedule: schedule(1.0), ..Options::default() };
        let once = Step { duel: (0, 0, 1.0), log_weights: &[0.0], probabilities: &[1.0] };
        let policy = check(rex3(1, options), &[once]);
        assert!(policy.propose_distinct(&mut Stream::new(1).rng()).is_none());
    }
}

/// Two arms, gamma = 1/2. From the uniform state, arm 0 beats arm 1: c = 1, and with gamma / K =
/// 1/4, L = (0.25, -0.25) and p_0 = 0.5 / (1 + e^-0.5) + 0.25 = 0.5 * 0.622459331202 + 0.25.
#[test]
fn trace_two_arms() {
    check(
        rex3_fixed(2, 0.5),
        &[Step {
            duel: (0, 1, 1.0),
            log_weights: &[0.25, -0.25],
            probabilities: &[0.561_229_665_601, 0.438_770_334_399],
        }],
    );
}

/// Pulls arm 0 for the first reward, then arm 1 for the second. The player itself draws each pull.
#[track_caller]
fn check_exp3(mut player: Exp3, rewards: [f64; 2], after: [(&[f64], &[f64]); 2]) {
    let mut rng = Stream::new(1).rng();
    for (arm, (reward, (sums, probabilities))) in rewards.into_iter().zip(after).enumerate() {
        let pull = loop {
            let pull = player.propose(&mut rng);
            if pull.arm.index() == arm {
                break pull;
            }
        };
        player.issue(&pull);
        player.update(&pull, reward);
        assert_close(&AdditivePlayer::sums(&player), sums, DIGITS, &format!("sums after pull {arm}"));
        assert_close(&player.distribution(), probabilities, DIGITS, &format!("p after pull {arm}"));
    }
}

/// gamma = 1/2, two arms. Arm 0 pays 1: S_0 = 1 / 0.5 = 2, log-weight (1/4) 2 = 1/2, p_0 = 0.5 *
/// 0.622459331202 + 0.25. Arm 1 pays 1/2: S_1 = 0.5 / 0.438770334399 = 1.139548325857; p_0 = 0.5 /
/// (1 + e^(0.284887081464 - 0.5)) + 0.25.
#[test]
fn trace_exp3_fixed() {
    let first: (&[f64], &[f64]) = (&[2.0, 0.0], &[0.561_229_665_601, 0.438_770_334_399]);
    let second: (&[f64], &[f64]) = (&[2.0, 1.139_548_325_857], &[0.526_785_904_442, 0.473_214_095_558]);
    check_exp3(exp3("gamma=1/2", 2), [1.0, 0.5], [first, second]);
}

/// With gmax = t/2, gamma_t = min(1, sqrt(2 ln 2 / ((e - 1) t / 2))) = 1, 0.898215468045,
/// 0.733389858595. S is computed as above, with other probabilities: S_1 = 0.5 / 0.478565944270 =
/// 1.044788092398. p_0 after round 1 = 0.101784531955 / (1 + e^-0.898215468045) + 0.449107734023.
#[test]
fn trace_exp3_dual_averaging() {
    let first: (&[f64], &[f64]) = (&[2.0, 0.0], &[0.521_434_055_730, 0.478_565_944_270]);
    let second: (&[f64], &[f64]) = (&[2.0, 1.044_788_092_398], &[0.523_110_668_778, 0.476_889_331_222]);
    check_exp3(exp3("schedule=dual-averaging", 2), [1.0, 0.5], [first, second]);
}

/// The same, with each step at the gamma of its own round. The sums are then log-weights: (1 / 2)
/// (1 / 0.5) = 1 and (0.898215468045 / 2) (0.5 / 0.476481810720) = 0.471274793621.
#[test]
fn trace_exp3_literal() {
    let first: (&[f64], &[f64]) = (&[1.0, 0.0], &[0.523_518_189_280, 0.476_481_810_720]);
    let second: (&[f64], &[f64]) = (&[1.0, 0.471_274_793_621], &[0.534_442_227_755, 0.465_557_772_245]);
    check_exp3(exp3("schedule=literal", 2), [1.0, 0.5], [first, second]);
}

/// The loss form: eta_t = sqrt(ln 2 / (2 t)), without exploration. Arm 0 pays 0: S_0 = -1 / 0.5 =
/// -2, weight e^(-2 * 0.416277305579) = 0.434936771576, p_0 = 0.303105182187. Arm 1 pays 1/2: S_1 =
/// -0.5 / 0.696894817813 = -0.717468385788, and eta_3 = 0.339888996723.
#[test]
fn trace_exp3_loss() {
    let first: (&[f64], &[f64]) = (&[-2.0, 0.0], &[0.303_105_182_187, 0.696_894_817_813]);
    let second: (&[f64], &[f64]) = (&[-2.0, -0.717_468_385_788], &[0.392_713_965_321, 0.607_286_034_679]);
    check_exp3(exp3("schedule=loss", 2), [0.0, 0.5], [first, second]);
}

/// Two EXP3 players with gamma = 1/2 on two arms. The duel (0, 1) ends with the score 1/2: the left
/// player is paid 3/4 and the right player 1/4. So S_left = (0.75 / 0.5, 0) and S_right = (0, 0.25
/// / 0.5), p_left(0) = 0.5 / (1 + e^-0.375) + 0.25 = 0.546333299977 and p_right(0) = 0.5 / (1 +
/// e^0.125) + 0.25 = 0.484395313313. The self-duel (0, 0) ends with the score -1: the left player
/// is paid 0 and the right player 1, so S_right(0) = 1 / 0.484395313313 = 2.064429552714.
#[test]
fn trace_sparring() {
    let player = exp3("gamma=1/2", 2);
    let mut policy = Sparring::new(player.clone(), player);
    let ticket = propose_pair(&policy, 0, 1);
    policy.issue(&ticket);
    policy.update(&ticket, Outcome::new(0.5).expect("a score"));
    assert_close(&policy.sums(), &[1.5, 0.0, 0.0, 0.5], 1e-15, "sums");

    let ticket = propose_pair(&policy, 0, 0);
    let (left, right, _) = slots(&ticket);
    assert_close(&[left, right], &[0.546_333_299_977, 0.484_395_313_313], DIGITS, "p");
    policy.issue(&ticket);
    policy.update(&ticket, Outcome::LOSS);
    assert_close(&policy.sums(), &[1.5, 0.0, 2.064_429_552_714, 0.5], DIGITS, "sums");
    let (_, right, _) = slots(&propose_pair(&policy, 0, 0));
    assert_close(&[right], &[0.548_274_626_004], DIGITS, "p_right");
    assert_eq!(policy.recommend(), Arm::new(0));
}

/// UCB1 with alpha = 2 on two arms. Each is pulled once; arm 0 pays 1, arm 1 pays 0.
///
/// - t = 3: 1 + sqrt(2 ln 3) = 2.48 against 0 + 1.48: arm 0, which pays 0.
/// - t = 4: 1/2 + sqrt(2 ln 4 / 2) = 1.677 against sqrt(2 ln 4) = 1.665: arm 0, which pays 0.
/// - t = 5: 1/3 + sqrt(2 ln 5 / 3) = 1.369 against sqrt(2 ln 5) = 1.794: arm 1. Its reward has not
///   arrived at t = 6.
/// - t = 6: 1/3 + sqrt(2 ln 6 / 3) = 1.426 against sqrt(2 ln 6 / 2) = 1.339: arm 0, because the
///   pull in flight counts for arm 1.
#[test]
fn trace_ucb1() {
    let mut player = Ucb1::new(2, 2.0);
    let mut rng = Stream::new(1).rng();
    let mut pull = |player: &mut Ucb1| {
        let pull: Pull = player.propose(&mut rng);
        player.issue(&pull);
        pull
    };
    let first = [pull(&mut player), pull(&mut player)];
    assert_ne!(first[0].arm, first[1].arm);
    for pull in first {
        player.update(&pull, if pull.arm.index() == 0 { 1.0 } else { 0.0 });
    }
    for _ in 3..=4 {
        let next = pull(&mut player);
        assert_eq!(next.arm.index(), 0);
        player.update(&next, 0.0);
    }
    assert_eq!(pull(&mut player).arm.index(), 1);
    assert_eq!(pull(&mut player).arm.index(), 0);
}

/// Four arms: each ordered pair has probability 1/16. If the two arms must differ, it is 1/12.
#[test]
fn trace_random() {
    let policy = Random::new(4);
    let mut rng = Stream::new(1).rng();
    assert_close(&[policy.propose(&mut rng).propensity().expect("known")], &[1.0 / 16.0], 1e-15, "pair");
    let distinct = policy.propose_distinct(&mut rng).expect("four arms");
    assert!(!distinct.is_self_duel());
    assert_close(&[distinct.propensity().expect("known")], &[1.0 / 12.0], 1e-15, "unequal pair");
}
