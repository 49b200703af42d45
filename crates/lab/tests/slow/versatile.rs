//! VDB and the players of its family, compared with the bounds and orders of growth in their own
//! papers.

use core::f64::consts::E;

use tiltyard_lab::play::{Job, Progress, play};

use super::{regret, report};

/// 4 sqrt(K T) + 1: the bound for Tsallis-INF with importance weights (Zimmert and Seldin 2021,
/// Theorem 1). By the reduction of Saha and Gaillard (2022), it bounds the Condorcet regret of VDB,
/// and half the bandit regret in utilities.
fn bound(n_arms: f64, rounds: u64) -> f64 {
    4.0 * (n_arms * rounds as f64).sqrt() + 1.0
}

/// All forms, in worlds where the bound is below the regret of random play. (On Bvs-20 random play
/// loses 950 at 1e5 rounds, below every bound.)
#[test]
fn stat_vdb_keeps_its_bound() {
    for (world, n_arms, random) in [("arxiv6", 6.0, 6_000.0), ("savage30", 30.0, 25_776.0)] {
        let bound = bound(n_arms, 100_000);
        assert!(bound < random, "the bound {bound} says nothing");
        for policy in ["vdb", "vdb:form=players", "vdb:estimator=rv", "vdb:form=players,estimator=rv"] {
            let (mean, sem) = regret(world, policy, 100_000, 20);
            assert!(mean + 4.0 * sem <= bound, "{policy} in {world}: {mean} ± {sem} against {bound}");
        }
    }
}

/// Worlds made by an adversary: the switch trap and the deceptive world. Bandit regret is twice the
/// Condorcet regret, so it must be within twice the bound at each horizon. From one horizon to the
/// next it must not grow faster than sqrt(T), up to its errors.
#[test]
fn stat_vdb_is_of_order_sqrt_t_where_it_is_deceived() {
    for world in ["switch10", "deceptive10"] {
        for policy in ["vdb", "vdb:estimator=rv"] {
            let mut last: Option<(f64, f64)> = None;
            for (rounds, runs) in [(10_000, 40), (100_000, 40), (1_000_000, 12)] {
                let (mean, sem) = regret(world, policy, rounds, runs);
                let root = (10.0 * rounds as f64).sqrt();
                assert!(
                    mean + 4.0 * sem <= 2.0 * bound(10.0, rounds),
                    "{policy} in {world} after {rounds}: {mean} ± {sem} is more than twice the bound"
                );
                let (ratio, error) = (mean / root, sem / root);
                if let Some((before, before_error)) = last {
                    let allowed = before.max(0.0) + 4.0 * error.hypot(before_error);
                    assert!(
                        ratio <= allowed,
                        "{policy} in {world} after {rounds}: {before} becomes {ratio} times sqrt(K T)"
                    );
                }
                last = Some((ratio, error));
            }
        }
    }
}

/// If preferences do not change, regret grows like ln T: as much from 1e5 to 1e6 rounds as from 1e4
/// to 1e5. With sqrt(T) it would grow 3.2 times as much. The error of 16 runs is about 6 % of
/// either amount.
#[test]
fn stat_vdb_grows_like_the_logarithm() {
    for policy in ["vdb", "vdb:form=players", "vdb:estimator=rv"] {
        let mean = report("savage6", policy, &[10_000, 100_000, 1_000_000], 16).regret.mean;
        let (early, late) = (mean[1] - mean[0], mean[2] - mean[1]);
        assert!((0.75..1.33).contains(&(late / early)), "{policy}: {early}, then {late}");
    }
}

/// A prototype of the shared learner had 1126 on SAVAGE-30 and 398 on arXiv-6 at T = 1e5, without
/// stated errors. Its 40 runs should have standard errors of about 1 % and 3 %, like ours.
#[test]
fn stat_vdb_agrees_with_a_prototype() {
    for (world, expected, share) in [("savage30", 1126.0, 0.01), ("arxiv6", 398.0, 0.03)] {
        let (mean, sem) = regret(world, "vdb", 100_000, 100);
        let allowed = 4.0 * sem.hypot(share * expected);
        assert!((mean - expected).abs() <= allowed, "{world}: {mean} ± {sem}, not {expected}");
    }
}

/// The bound of EXP3-IX holds with high probability. Of 20 runs none exceeds the bound for an error
/// probability d of 1 in 10,000 (Neu 2015, Theorem 1 without horizon): 4 sqrt(K T ln K) + (2 sqrt(K
/// T / ln K) + 1) ln(2 / d).
#[test]
fn stat_exp3ix_keeps_its_bound_in_every_run() {
    let (k, t) = (30.0f64, 1e6f64);
    let bound = 4.0 * (k * t * k.ln()).sqrt() + (2.0 * (k * t / k.ln()).sqrt() + 1.0) * 2e4f64.ln();
    let random = 257_760.0;
    assert!(bound < random, "the bound {bound} says nothing");
    let worst = report("savage30", "sparring:player=exp3ix", &[1_000_000], 20).regret.max[0];
    assert!(worst <= bound, "{worst} against {bound}");
}

/// The best arm changes once (S = 2). The dynamic regret of EXP3.S is then at most twice K (S ln(K
/// T) + e) / gamma + (e - 1) gamma T (Auer et al. 2002, Theorem 8.1), because Condorcet regret is
/// the mean regret of the players and bandit regret is twice that.
#[test]
fn stat_exp3s_follows_the_best_arm() {
    let dynamic = |policy: &str, rounds: u64| {
        let job = Job {
            world: "switch10".to_owned(),
            policies: vec![policy.parse().unwrap()],
            lenient: false,
            checkpoints: vec![rounds],
            runs: 10,
            seed: 2015,
            regret: Some("dynamic-bandit".parse().unwrap()),
        };
        let report = play(&job, &Progress::default()).unwrap().policies.remove(0).regret;
        (report.mean[0], report.sem[0])
    };
    let (k, t, s) = (10.0, 1e6, 2.0);
    let gamma = f64::sqrt(s * k * f64::ln(k * t) / t);
    let bound = 2.0 * (k * (s * f64::ln(k * t) + E) / gamma + (E - 1.0) * gamma * t);
    let random = 117_000.0;
    assert!(bound < random, "the bound {bound} says nothing");
    let (mean, sem) = dynamic("sparring:player=exp3s,switches=2", 1_000_000);
    assert!(mean + 4.0 * sem <= bound, "{mean} ± {sem} against {bound}");
}
