//! Versatile-DB, Saha and Gaillard 2022: one policy for worlds that change and for worlds that do
//! not.

use super::{
    Citation, Data, Drawing, Erratum, Leader, Notes, Paper, PaperFigure, Words, errata, paper_figure,
};
use crate::claim;

/// What its abstract promises.
pub static VERSATILE: Paper = Paper {
    name: "versatile",
    title: "Versatile-DB in worlds that change and worlds that do not",
    citation: Citation {
        authors: "Saha and Gaillard",
        title: "Versatile Dueling Bandits: Best-of-both World Analyses for Learning from Relative Preferences",
        venue: "ICML 2022",
        link: "https://doi.org/10.48550/arXiv.2202.06694",
        linked: "arXiv version",
    },
    figures: FIGURES,
    claims: claim::versatile::CLAIMS,
    beside: claim::versatile::SPECIFICATIONS,
    has_matrices: false,
    notes: Notes::differences(ERRATA),
    words: Words {
        covers: "The main claims, and figures to go with them, of",
        claims: "The paper's main statements, in our words.",
        policies: "**Versatile-DB** is the paper's policy. It hands both slots of a duel to a learner for ordinary bandits, Tsallis-INF, whose weights \
                   fall with the square of what an arm has lost. Nobody has to tell it what kind of world it is in: where answers follow fixed \
                   chances its regret grows as the logarithm of the number of rounds, and where they do not, as the square root. **REX3** and \
                   **Sparring** with EXP3 are built for the second kind alone, **RUCB** for the first.",
        full_scale: "50 runs of 1e6 rounds, 1e7 on arXiv. They are ours; the paper's were not at hand.",
        smaller_scale: "fewer and shorter runs, enough to decide most claims.",
    },
    leader: Leader {
        policy: "vdb",
        name: "Versatile-DB",
        about: "Claim V1 says in which worlds, and from which round on, it has less regret than REX3.",
        if_holds: Some(("V1", "See [V1] and, where the world changes, [V3].")),
        compared: &[
            ("vdb", "Versatile-DB"),
            ("vdb:form=players", "with two players"),
            ("rex3", "REX3, anytime"),
            ("sparring:player=exp3", "Sparring"),
            ("rucb:alpha=0.51", "RUCB"),
        ],
    },
    data: Data { names: "No worlds", stand_ins: "", real: "" },
};

/// The figures, in the order of the report.
static FIGURES: &[PaperFigure] = &[
    paper_figure!(
        "versatile",
        "stochastic",
        Plain,
        "Worlds whose answers follow fixed chances, with an arm that beats all others. On logarithmic axes growth like a square root \
         is a straight line, that of a logarithm bends flat. Where the curve of Versatile-DB crosses that of REX3 for good is computed in \
         claim V1, with its interval."
    ),
    paper_figure!(
        "versatile",
        "adversarial",
        Linear,
        "Two worlds that mislead. In the switch trap another arm is far ahead for the first tenth of the rounds; in the deceptive world \
         the best arm's advantage shrinks. Regret is that of utilities, against the best single arm in hindsight, and may be negative: \
         the axes are linear."
    ),
    paper_figure!(
        "versatile",
        "corrupted",
        Plain,
        "Ten thousand answers, in rounds drawn beforehand, are turned round: a robust policy loses about as much more at most. On the right an adversary watches, \
         and turns the first thousand duels that the best arm wins into losses, so that it looks like the worst; whoever has seen them must outweigh \
         them, and plays other arms meanwhile."
    ),
];

static ERRATA: &[Erratum] = errata! {
    "E1", "The paper's experiments",
    "Its text was not at hand, only its abstract and what later work says of it. Its worlds, horizons and rivals are not known here.",
    "The worlds are those of this program: arXiv, SAVAGE and Bvs where nothing changes, the switch trap and the deceptive world where something does. What is \
     judged are the sentences of the abstract.";
    "E2", "One learner or two",
    "The algorithm is a duel of two learners; a remark allows one learner for both slots, with each estimate halved.",
    "One learner is the default and what claims are judged by; two players are drawn beside it.";
    "E3", "What REX3 is compared with",
    "Versatile-DB needs no horizon, while policies for the adversarial setting are often tuned for one.",
    "REX3 runs in its anytime form; Sparring is told the horizon, which favours it.";
    "E4", "The constant of the square root",
    "The bound is stated as an order. Tsallis-INF with importance weights has 4 sqrt(KT) for each player.",
    "Claim V3 uses 8 sqrt(KT) for the regret of utilities, which is twice Condorcet's. It is a generous bound; growth from decade to decade is the sharper test.";
    "E5", "What corruption is",
    "A corrupted world may change outcomes, C in all, by an adversary who does not see what is chosen.",
    "Claim V4 is judged where 10,000 rounds are drawn beforehand. It was first written with an adversary who watches and turns 1000 wins of the best arm into \
     losses, and failed with him: the regret rose by 3 to 5 times C in 1e5 rounds, that of RUCB by as much. He is shown, and no longer judged. Regret is that of the \
     matrix before.";
    "E6", "From which horizon on",
    "In a first run of claim V3, with 30 runs, the regret in the switch trap rose from 0.71 to 1.28 times sqrt(KT) between T = 1e3 and 1e4, which is faster than T^(2/3): \
     at 1e3 the trap has hardly sprung. The other decades were too noisy to tell.",
    "The claim begins at 1e4 and has 60 runs. This was decided after that run.";
};
