//! The situations that the guide decides, and the worlds that stand for them.

/// What a person may find himself in.
pub(crate) struct Situation {
    pub(crate) title: &'static str,
    /// How to know that it is yours, and what to mind in it.
    pub(crate) words: &'static str,
    pub(crate) worlds: &'static [&'static str],
    pub(crate) round: u64,
}

pub(crate) const ALL: &[Situation] = &[
    Situation {
        title: "Few arms, a short run",
        words: "A handful of things and some thousand answers: most of the regret is made while nothing is known yet.",
        worlds: &["arxiv6", "savage6", "arithmetic8"],
        round: 10_000,
    },
    Situation {
        title: "Few arms, a long run",
        words: "The same with a million answers. What counts now is how seldom a policy still looks at arms that it knows to lose.",
        worlds: &["arxiv6", "savage6", "arithmetic8"],
        round: 1_000_000,
    },
    Situation {
        title: "Many arms, a short run",
        words: "More pairs than answers for them: whoever wants to compare all pairs has hardly begun.",
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
        words: "Thirty arms in a clear order, with as many answers as a busy week brings.",
        worlds: &["savage30"],
        round: 100_000,
    },
    Situation {
        title: "The best arm wins narrowly, another wins loudly",
        words: "The arm that beats each other one does so by a hair, while others beat most by far. Policies that average over opponents go for \
                the wrong one.",
        worlds: &["bvs20", "cyclic4"],
        round: 1_000_000,
    },
    Situation {
        title: "No arm beats every other",
        words: "Tastes go in circles. What is best then depends on what one means; here it is the arm that beats the most others (Copeland), and \
                regret counts how many fewer the arms shown do beat.",
        worlds: &["copeland5", "synthetic-mslr136:clicks=informational"],
        round: 1_000_000,
    },
    Situation {
        title: "The best arm changes",
        words: "Now and then, or slowly; regret is against the best arm of the moment. No policy here looks for changes, so what helps is never to be too \
                sure.",
        worlds: &["piecewise:of=savage30,segments=5", "rotating10"],
        round: 1_000_000,
    },
    Situation {
        title: "Early answers may mislead",
        words: "Another arm is ahead at first, the best arm's lead shrinks with time, or somebody turns answers round. Policies that make up their mind \
                early pay for it all along. A loss below zero is a gain over the one arm that is best in hindsight.",
        worlds: &["switch10", "deceptive10", "savage30+corrupted:flips=5000"],
        round: 1_000_000,
    },
    Situation {
        title: "Answers come late",
        words: "A thousand duels are under way whenever the next is chosen. Policies that need each answer before the next duel cannot play at all.",
        worlds: &["arxiv6+delayed:rounds=1000", "savage30+delayed:rounds=1000"],
        round: 100_000,
    },
    Situation {
        title: "Several nodes",
        words: "Sixteen copies take turns and learn of each other's duels a thousand rounds later. Only policies whose knowledge is a sum can be merged.",
        worlds: &["arxiv6+nodes:count=16,stale=1000", "savage30+nodes:count=16,stale=1000"],
        round: 100_000,
    },
];
