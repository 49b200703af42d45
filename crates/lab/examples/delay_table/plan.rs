//! What is played, and the words before the numbers.

/// The worlds, each with a word about it.
pub(crate) const WORLDS: [(&str, &str); 3] = [
    ("arxiv6", "few arms"),
    ("savage30", "a clear winner among many"),
    ("beta10:arms=100", "graded utilities, many near the best"),
];

/// Who plays beside REX3.
pub(crate) const OTHERS: [&str; 2] = ["sparring:player=exp3", "rucb"];

pub(crate) const ROUNDS: u64 = 100_000;
pub(crate) const RUNS: u64 = 32;
pub(crate) const SEED: u64 = 13;

/// Delays, fixed and on average.
pub(crate) const DELAYS: [u64; 6] = [0, 1, 10, 100, 1_000, 10_000];

/// Rounds to a batch.
pub(crate) const BATCHES: [u64; 4] = [10, 100, 1_000, 10_000];

/// Shares lost.
pub(crate) const SHARES: [f64; 3] = [0.0, 0.1, 0.5];

/// Nodes.
pub(crate) const COUNTS: [u64; 4] = [1, 2, 4, 16];

/// Rounds that nodes are behind each other.
pub(crate) const STALE: [u64; 4] = [0, 10, 100, 1_000];

/// What the first table shows.
pub(crate) const SUMMARY: [(&str, &str); 7] = [
    ("delay 10", "+delayed:rounds=10"),
    ("delay 100", "+delayed:rounds=100"),
    ("delay 1000", "+delayed:rounds=1000"),
    ("delay 10000", "+delayed:rounds=10000"),
    ("half lost", "+lossy:share=0.5"),
    ("16 nodes, stale 100", "+nodes:count=16,stale=100"),
    ("16 nodes, stale 1000", "+nodes:count=16,stale=1000"),
];

/// The page up to the first table.
pub(crate) fn opening() -> String {
    format!(
        "\
<!-- Written by `cargo xtask delay-table`, plan {:016x}. The numbers are not typed. -->

# Late answers and several nodes

A live system asks the next person before the last one has answered, loses answers, collects them in batches, and runs on several
machines that know of each other's votes after a while. This page is what that costs: regret after {ROUNDS} rounds, the mean of {RUNS} runs ± its
standard error, seed {SEED}. Each number is that of a command such as

```text
tiltyard play --world arxiv6+delayed:rounds=100 --policy rex3 --rounds {ROUNDS} --at {ROUNDS} --runs {RUNS} --seed {SEED}
tiltyard play --world savage30+nodes:count=16,stale=1000 --policy rex3 --rounds {ROUNDS} --at {ROUNDS} --runs {RUNS} --seed {SEED}
```

and `cargo xtask delay-table` writes the page anew.

**What the wrappers do.** An outcome with delay d is learned after the duel of d rounds later, so d duels are in flight whenever the policy decides.
A batch is handed over at the end of each b rounds. A lost outcome is voided when it would have arrived; what is lost does not depend on
the outcome. Of N nodes each decides every N-th round, learns its own outcomes at once, and what the others did s rounds later,
by folding their tickets through `issue` and `update`: so s (N - 1) / N duels are not in view. Nodes that are not stale at all are one
policy, bit for bit, which the rows with `stale 0` show and a test holds.

**The bound** is that of `theory::dual_averaging_late`: with m_t duels not in view in round t,

```text
K ln K / gamma_T + sum_t gamma_t / (1 - gamma_t) (g + (e - 2) exp(2.44 gamma_t m_t / K) (1 - 1/K) / 2) + 0.61 sum_t gamma_t m_t / K
```

where g is the largest mean score of an arm against a uniform opponent; half of it for Condorcet regret. If a share f of the outcomes arrives,
the first term is divided by f. It says *none* where it promises no more than playing the worst arm all the time: the default rate starts
at 1/2, and with many duels in flight the exponential is then astronomic. So beside the default stands REX3 with the fixed gamma for which
the bound is least, where it says something. What is measured lies below it. That gamma is no advice: in all three worlds the default, which
starts high and falls, loses less at every delay.
",
        digest()
    )
}

/// FNV-1a of everything that is played.
fn digest() -> u64 {
    let plan = format!(
        "{WORLDS:?} {OTHERS:?} {ROUNDS} {RUNS} {SEED} {DELAYS:?} {BATCHES:?} {SHARES:?} {COUNTS:?} {STALE:?} {SUMMARY:?}"
    );
    plan.bytes().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
