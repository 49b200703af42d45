//! The cost of late outcomes for REX3, compared with the proven bound; and the effects of lost
//! outcomes and stale nodes.

use tiltyard_bandit::matrix::{Diagonal, PreferenceMatrix, builtin};
use tiltyard_bandit::theory::{LateTerm, condorcet, dual_averaging_late};

use super::regret;

const ROUNDS: u64 = 100_000;

/// The bound on the Condorcet regret at a fixed rate with a fixed delay; see
/// `theory::dual_averaging_late`.
fn bound(matrix: &PreferenceMatrix, gamma: f64, delay: u64) -> f64 {
    let n = matrix.n_arms() as f64;
    let largest = matrix.borda(Diagonal::Included).into_iter().fold(0.0, f64::max);
    let terms = (0..ROUNDS).map(|before| LateTerm {
        gamma,
        advantage: 2.0 * largest / n - 1.0,
        second_moment: 0.5 * (1.0 - 1.0 / n),
        in_flight: before.min(delay),
    });
    condorcet(dual_averaging_late(matrix.n_arms(), terms))
}

/// At rates for which the bound is informative, that is below the regret of random play (6,000 and
/// 25,778).
#[test]
fn stat_delays_keep_the_bound() {
    let savage = builtin::savage(30).unwrap();
    for (world, matrix, random, gamma, delay) in [
        ("arxiv6", builtin::arxiv6(), 6_000.0, 0.009, 10),
        ("arxiv6", builtin::arxiv6(), 6_000.0, 0.003, 100),
        ("savage30", savage.clone(), 25_778.0, 0.03, 10),
        ("savage30", savage.clone(), 25_778.0, 0.018, 100),
        ("savage30", savage, 25_778.0, 0.007, 1000),
    ] {
        let bound = bound(&matrix, gamma, delay);
        let (mean, sem) =
            regret(&format!("{world}+delayed:rounds={delay}"), &format!("rex3:gamma={gamma}"), ROUNDS, 20);
        assert!(bound < random, "the bound {bound} says nothing");
        assert!(mean + 4.0 * sem <= bound, "{world}, delay {delay}: {mean} ± {sem} against {bound}");
    }
}

/// About a hundred outcomes in flight cost little: less than 25 % more regret than with prompt
/// outcomes, and far less than the regret of a policy that learns nothing. (docs/delay.md: 1.0 to
/// 1.1 times.)
#[test]
fn stat_a_hundred_duels_in_flight_cost_little() {
    for world in ["arxiv6", "savage30"] {
        let (prompt, prompt_sem) = regret(world, "rex3", ROUNDS, 40);
        for wrapper in
            ["delayed:rounds=100", "delayed:mean=100", "batched:size=200", "nodes:count=16,stale=100"]
        {
            let (late, sem) = regret(&format!("{world}+{wrapper}"), "rex3", ROUNDS, 40);
            let allowed = 1.25 * prompt + 4.0 * sem.hypot(1.25 * prompt_sem);
            assert!(late < allowed, "{world}+{wrapper}: {late} ± {sem} against {prompt} ± {prompt_sem}");
        }
    }
}

/// With a long delay, all rounds before the first outcome are random play: 10,000 rounds cost 600
/// on arXiv-6.
#[test]
fn stat_before_the_first_outcome_play_is_random() {
    for (wrapper, sure) in [("delayed:rounds=10000", 600.0), ("batched:size=10000", 600.0)] {
        let (late, sem) = regret(&format!("arxiv6+{wrapper}"), "rex3", 10_000, 40);
        // Without any outcome in 10,000 rounds, play is exactly random.
        assert!((late - sure).abs() < 4.0 * sem, "{wrapper}: {late} ± {sem}, not {sure}");
    }
}

/// At a fixed rate REX3 does not change when an outcome is lost. If half of the outcomes are lost,
/// it stays in each state for two rounds on average and passes through T/2 states. Its regret is
/// therefore twice that of a prompt run half as long. (The number of states varies by about 160,
/// which moves the mean by less than one.)
#[test]
fn stat_lost_outcomes_only_slow_down() {
    let (full, full_sem) = regret("arxiv6", "rex3:gamma=0.01", ROUNDS / 2, 200);
    let (half, half_sem) = regret("arxiv6+lossy:share=0.5", "rex3:gamma=0.01", ROUNDS, 200);
    let error = 4.0 * half_sem.hypot(2.0 * full_sem) + 1.0;
    assert!((half - 2.0 * full).abs() < error, "{half} ± {half_sem} and twice {full} ± {full_sem}");
}
