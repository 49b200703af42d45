//! The plan, and the text before the numbers.

/// The worlds, each with a short description.
pub(crate) const WORLDS: [(&str, &str); 3] = [
    ("arxiv6", "few arms"),
    ("savage30", "a clear winner among many"),
    ("beta10:arms=100", "graded utilities, many near the best"),
];

/// The policies besides REX3.
pub(crate) const OTHERS: [&str; 2] = ["sparring:player=exp3", "rucb"];

pub(crate) const ROUNDS: u64 = 100_000;
pub(crate) const RUNS: u64 = 32;
pub(crate) const SEED: u64 = 13;

/// Delays, both fixed and on average.
pub(crate) const DELAYS: [u64; 6] = [0, 1, 10, 100, 1_000, 10_000];

/// Rounds per batch.
pub(crate) const BATCHES: [u64; 4] = [10, 100, 1_000, 10_000];

/// Shares of lost outcomes.
pub(crate) const SHARES: [f64; 3] = [0.0, 0.1, 0.5];

/// Numbers of nodes.
pub(crate) const COUNTS: [u64; 4] = [1, 2, 4, 16];

/// Rounds by which nodes are behind each other.
pub(crate) const STALE: [u64; 4] = [0, 10, 100, 1_000];

/// The columns of the first table.
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
<!-- Written by `cargo xtask delay-table`, plan {:016x}. No number is typed by hand. -->

# Late answers and several nodes

For people whose answers come late, in batches, through several machines, or not at all: what that costs each policy.

A live system asks the next person before the last one has answered. It loses answers, collects them in batches, and
runs on several machines that learn of each other's votes after a while. This page shows what that costs: the regret
after {ROUNDS} rounds, as the mean of {RUNS} runs ± its standard error, with seed {SEED}. Each number comes from a
command such as

```text
tiltyard play --world arxiv6+delayed:rounds=100 --policy rex3 --rounds {ROUNDS} --at {ROUNDS} --runs {RUNS} --seed {SEED}
tiltyard play --world savage30+nodes:count=16,stale=1000 --policy rex3 --rounds {ROUNDS} --at {ROUNDS} --runs {RUNS} --seed {SEED}
```

`cargo xtask delay-table` writes the page anew.

**The wrappers.** An outcome with delay d is learned after the duel d rounds later, so d duels are in flight whenever
the policy decides. A batch is delivered at the end of every b rounds. A lost outcome is voided when it would have
arrived; whether it gets lost does not depend on the outcome. Each of N nodes decides every N-th round. It learns its
own outcomes at once, and those of the others s rounds later, by folding their tickets through `issue` and `update`. So
s (N - 1) / N duels are not in view. Nodes without staleness are one policy, bit for bit: the rows with `stale 0` show
it, and a test checks it.

**The bound** comes from `theory::dual_averaging_late`. With m_t duels not in view in round t it is

```text
K ln K / gamma_T + sum_t gamma_t / (1 - gamma_t) (g + (e - 2) exp(2.44 gamma_t m_t / K) (1 - 1/K) / 2) + 0.61 sum_t gamma_t m_t / K
```

where g is the largest mean score of an arm against a uniform opponent. For Condorcet regret the bound is half of that.
If a share f of the outcomes arrives, the first term is divided by f. The tables say *none* if the bound promises no
more than playing the worst arm all the time: the default rate starts at 1/2, and with many duels in flight the
exponential is then astronomically large. Therefore the tables also show REX3 with the fixed gamma that minimizes the
bound, where the bound promises something. The measured regret is below it. That gamma is not a recommendation: in all
three worlds the default, which starts high and falls, loses less at every delay.
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
