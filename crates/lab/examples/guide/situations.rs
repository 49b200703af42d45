//! The situations that the guide covers, and the worlds that stand for them.

/// A situation that a user may be in.
pub(crate) struct Situation {
    pub(crate) title: &'static str,
    /// How to recognize the situation, and what to consider in it.
    pub(crate) words: &'static str,
    pub(crate) worlds: &'static [&'static str],
    pub(crate) round: u64,
}

pub(crate) const ALL: &[Situation] = &[
    Situation {
        title: "Few arms, a short run",
        words: "A handful of arms and some thousand answers. Most of the regret is made while nothing is known yet.",
        worlds: &["arxiv6", "savage6", "arithmetic8"],
        round: 10_000,
    },
    Situation {
        title: "Few arms, a long run",
        words: "The same with a million answers. Now it matters how rarely a policy still plays arms that it knows to lose.",
        worlds: &["arxiv6", "savage6", "arithmetic8"],
        round: 1_000_000,
    },
    Situation {
        title: "Many arms, a short run",
        words: "There are too few answers for so many pairs. A policy that compares all pairs has hardly begun.",
        worlds: &["synthetic-np64", "synthetic-mslr136"],
        round: 10_000,
    },
    Situation {
        title: "Many arms, a long run",
        words: "A hundred arms and a million answers.",
        worlds: &["synthetic-np64", "synthetic-mslr136"],
        round: 1_000_000,
    },
    Situation {
        title: "Some dozens of arms",
        words: "Thirty arms in a clear order, and as many answers as a busy week brings.",
        worlds: &["savage30"],
        round: 100_000,
    },
    Situation {
        title: "The best arm wins narrowly, another wins loudly",
        words: "The arm that beats every other arm does so narrowly, while other arms beat most of their opponents clearly. Policies that average \
                over opponents choose the wrong arm.",
        worlds: &["bvs20", "cyclic4"],
        round: 1_000_000,
    },
    Situation {
        title: "No arm beats every other",
        words: "Preferences are cyclic. Which arm is best then depends on the definition. Here it is the arm that beats the most others (Copeland), and \
                regret counts how many fewer arms the shown ones beat.",
        worlds: &["copeland5", "synthetic-mslr136:clicks=informational"],
        round: 1_000_000,
    },
    Situation {
        title: "The best arm changes",
        words: "It changes now and then, or slowly. Regret is measured against the best arm of the moment. No policy here detects changes, so it helps \
                never to be too sure.",
        worlds: &["piecewise:of=savage30,segments=5", "rotating10"],
        round: 1_000_000,
    },
    Situation {
        title: "Early answers may mislead",
        words: "Another arm leads at first, the best arm's lead shrinks with time, or somebody flips answers. Policies that decide early pay for it to \
                the end. A loss below zero is a gain over the one arm that is best in hindsight.",
        worlds: &["switch10", "deceptive10", "savage30+corrupted:flips=5000"],
        round: 1_000_000,
    },
    Situation {
        title: "Answers come late",
        words: "A thousand duels are in flight whenever the next one is chosen. Policies that need each answer before the next duel cannot play at all.",
        worlds: &["arxiv6+delayed:rounds=1000", "savage30+delayed:rounds=1000"],
        round: 100_000,
    },
    Situation {
        title: "Several nodes",
        words: "Sixteen copies take turns, and learn of each other's duels a thousand rounds later. Only policies whose knowledge is a sum can be merged.",
        worlds: &["arxiv6+nodes:count=16,stale=1000", "savage30+nodes:count=16,stale=1000"],
        round: 100_000,
    },
];
