//! The situations that the guide covers, and the worlds that stand for them.

/// A situation that a user may be in.
pub(crate) struct Situation {
    pub(crate) title: &'static str,
    /// How to recognize the situation, and what to consider in it.
    pub(crate) words: &'static str,
    pub(crate) worlds: &'static [&'static str],
    pub(crate) round: u64,
    pub(crate) preferences: Preferences,
}

/// What a regret bound against the best single arm says about a situation.
#[derive(Clone, Copy)]
pub(crate) enum Preferences {
    /// Preferences do not change.
    Fixed,
    /// Preferences do not change, and regret is Copeland regret, which the bound is not about.
    Cyclic,
    /// Preferences change or answers are flipped, and regret is measured against the best single
    /// arm.
    Misleading,
    /// Preferences change, and regret is measured against the best arm of each round.
    Changing,
}

pub(crate) const ALL: &[Situation] = &[
    Situation {
        title: "Few arms (6 to 8), a short run",
        words: "6 to 8 arms and 10,000 answers. Most of the regret arises in the first rounds, before the policy has learned.",
        worlds: &["arxiv6", "savage6", "arithmetic8"],
        round: 10_000,
        preferences: Preferences::Fixed,
    },
    Situation {
        title: "Few arms (6 to 8), a long run",
        words: "6 to 8 arms and a million answers. In a long run, the best policies are those that stop playing losing arms.",
        worlds: &["arxiv6", "savage6", "arithmetic8"],
        round: 1_000_000,
        preferences: Preferences::Fixed,
    },
    Situation {
        title: "Many arms (64 and 136), a short run",
        words: "64 and 136 arms, and 10,000 answers. These are too few answers for so many pairs (2016 and 9180). A policy that compares all pairs has hardly begun.",
        worlds: &["synthetic-np64", "synthetic-mslr136"],
        round: 10_000,
        preferences: Preferences::Fixed,
    },
    Situation {
        title: "Many arms (64 and 136), a long run",
        words: "64 and 136 arms, and a million answers.",
        worlds: &["synthetic-np64", "synthetic-mslr136"],
        round: 1_000_000,
        preferences: Preferences::Fixed,
    },
    Situation {
        title: "Some dozens of arms (30)",
        words: "30 arms in a clear order, and 100,000 answers.",
        worlds: &["savage30"],
        round: 100_000,
        preferences: Preferences::Fixed,
    },
    Situation {
        title: "The best arm wins narrowly, others win by far",
        words: "The arm that beats every other arm does so narrowly, while other arms beat most of their opponents clearly. Policies that average \
                over opponents choose the wrong arm.",
        worlds: &["bvs20", "cyclic4"],
        round: 1_000_000,
        preferences: Preferences::Fixed,
    },
    Situation {
        title: "No arm beats every other",
        words: "Preferences are cyclic. Which arm is best then depends on the definition. Here it is the arm that beats the most other arms \
                (the Copeland winner). The regret of a shown arm is the share of other arms that the best arm beats, minus the share that \
                the shown arm beats.",
        worlds: &["copeland5", "synthetic-mslr136:clicks=informational"],
        round: 1_000_000,
        preferences: Preferences::Cyclic,
    },
    Situation {
        title: "The best arm changes",
        words: "It changes now and then, or slowly. Regret is measured against the best arm of each round. No policy here detects changes. A policy \
                adapts only if it still compares its favourite with other arms.",
        worlds: &["piecewise:of=savage30,segments=5", "rotating10"],
        round: 1_000_000,
        preferences: Preferences::Changing,
    },
    Situation {
        title: "Early answers may mislead",
        words: "Another arm leads at first, the best arm's lead shrinks with time, or somebody flips answers. Policies that decide early keep losing \
                until the end. Regret is measured against the single arm that is best over the whole run. Below 0 %: the policy did better than \
                playing that arm in every round.",
        worlds: &["switch10", "deceptive10", "savage30+corrupted:flips=5000"],
        round: 1_000_000,
        preferences: Preferences::Misleading,
    },
    Situation {
        title: "Answers come late",
        words: "A thousand duels are in flight whenever the next one is chosen. Policies that need each answer before the next duel cannot play at all.",
        worlds: &["arxiv6+delayed:rounds=1000", "savage30+delayed:rounds=1000"],
        round: 100_000,
        preferences: Preferences::Fixed,
    },
    Situation {
        title: "Several nodes",
        words: "Sixteen copies take turns, and learn of each other's duels a thousand rounds later. Only policies with the capability `additive` can be merged, so only they play here.",
        worlds: &["arxiv6+nodes:count=16,stale=1000", "savage30+nodes:count=16,stale=1000"],
        round: 100_000,
        preferences: Preferences::Fixed,
    },
];
