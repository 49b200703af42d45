//! The difference between the two readings of "anytime", and the deceptive world.

use core::f64::consts::E;

use tiltyard_bandit::theory::AnytimeRate;

use super::{regret, report};

/// The bound of dual averaging with ten arms for a gain of at most t/2: each round's bracket is at
/// most e/2 on average.
fn bound(horizon: u64) -> f64 {
    AnytimeRate::new(10, E / 2.0).bound(E / 2.0, horizon)
}

/// In the switch trap dual averaging stays below its bound. The literal reading does not: its
/// regret grows in proportion to T.
#[test]
fn stat_the_switch_trap_separates_the_readings() {
    let at = |policy: &str, rounds| regret("switch10", policy, rounds, 40);
    for rounds in [100_000, 1_000_000] {
        let (mean, sem) = at("rex3", rounds);
        assert!(
            mean + 4.0 * sem <= bound(rounds),
            "dual averaging: {mean} ± {sem} against {}",
            bound(rounds)
        );
        let (mean, sem) = at("rex3:schedule=literal", rounds);
        assert!(mean - 4.0 * sem > bound(rounds), "literal: {mean} ± {sem} against {}", bound(rounds));
    }
    // Ten times the rounds give ten times the regret; growth like sqrt(T) would give 3.2 times.
    let (short, long) = (at("rex3:schedule=literal", 100_000).0, at("rex3:schedule=literal", 1_000_000).0);
    assert!((8.0..12.0).contains(&(long / short)), "{short} and {long}");
}

/// A fixed gamma* and epochs survive the trap too.
#[test]
fn stat_fixed_and_epochs_survive_the_switch_trap() {
    let literal = regret("switch10", "rex3:schedule=literal", 1_000_000, 20).0;
    for policy in ["rex3:gmax=T/2", "rex3:schedule=epochs"] {
        let (mean, sem) = regret("switch10", policy, 1_000_000, 20);
        assert!(mean + 4.0 * sem < literal / 2.0, "{policy}: {mean} ± {sem} against {literal}");
    }
}

/// In the deceptive world random play costs nine tenths of the summed gaps, at
/// each checkpoint.
#[test]
fn stat_random_in_the_deceptive_world() {
    let checkpoints = [1_000, 10_000, 100_000, 1_000_000];
    let random = report("deceptive10", "random", &checkpoints, 40);
    for (i, expected) in [337.1, 1455.8, 5456.9, 19420.9].into_iter().enumerate() {
        let (mean, sem) = (random.regret.mean[i], random.regret.sem[i]);
        assert!((mean - expected).abs() <= 4.0 * sem + 0.05, "{mean} ± {sem}, not {expected}");
    }
}

/// Reference numbers of another implementation, T = 1e6, 24 runs: dual averaging 1354±66, literal
/// 392±5 with graded answers and 479±19 with binary answers.
#[test]
fn stat_rex3_in_the_deceptive_world() {
    for (world, policy, expected, error) in [
        ("deceptive10", "rex3", 1354.0, 66.0),
        ("deceptive10", "rex3:schedule=literal", 392.0, 5.0),
        ("deceptive10:answers=binary", "rex3:schedule=literal", 479.0, 19.0),
    ] {
        let (mean, sem) = regret(world, policy, 1_000_000, 24);
        let allowed = 4.0 * sem.hypot(error);
        assert!((mean - expected).abs() <= allowed, "{policy} in {world}: {mean} ± {sem}, not {expected}");
    }
}

/// In waves made by an adversary, where the currently best arm changes all the time, REX3 stays
/// below the anytime bound.
#[test]
fn stat_waves_keep_the_bound() {
    let (mean, sem) = regret("waves10", "rex3", 300_000, 20);
    assert!(mean + 4.0 * sem <= bound(300_000), "{mean} ± {sem} against {}", bound(300_000));
}
