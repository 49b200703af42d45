//! Double Thompson Sampling, Wu and Liu 2016.

use super::{
    Citation, Data, Drawing, Erratum, Leader, Notes, Paper, PaperFigure, Words, errata, paper_figure,
};
use crate::claim;

/// The paper's headline figure and the order of policies in it.
pub static DTS: Paper = Paper {
    name: "dts",
    title: "Double Thompson Sampling, reproduced",
    citation: Citation {
        authors: "Wu and Liu",
        title: "Double Thompson Sampling for Dueling Bandits",
        venue: "NeurIPS 2016",
        link: "https://doi.org/10.48550/arXiv.1604.07101",
        linked: "arXiv version",
    },
    figures: FIGURES,
    claims: claim::dts::CLAIMS,
    beside: &[],
    has_matrices: false,
    notes: Notes::differences(ERRATA),
    words: Words {
        covers: "The headline figure and the main claims of",
        claims: "The paper's main statements, in our words.",
        policies: "**D-TS** is the paper's policy. It counts the wins and losses of every pair, draws a \
                   plausible preference matrix from them, and takes the arm that beats the most others in \
                   this matrix. A second, fresh draw chooses the opponent most likely to beat that arm. \
                   Confidence bounds exclude pairs that are already decided. **D-TS+** breaks ties in the \
                   first choice by the cost of the duels. **RUCB**, **CCB** and **SCB** use confidence \
                   bounds instead of draws, **RCS** combines both, **RMED** measures evidence by relative \
                   entropy, and **SAVAGE** and **Beat the Mean** eliminate arms.",
        full_scale: "100 runs of 1e6 rounds; half as many with more arms, and half as many with a known \
                     horizon. We chose these numbers, because the text of the paper was not available.",
        smaller_scale: "fewer and shorter runs, enough to decide most claims.",
    },
    leader: Leader {
        policy: "dts",
        name: "D-TS",
        about: "Regret is measured in Copeland scores: how many fewer opponents the chosen arms beat than \
                the best arm.",
        if_holds: None,
        compared: &[
            ("dts", "D-TS"),
            ("dts+", "D-TS+"),
            ("rucb:alpha=0.51", "RUCB"),
            ("rcs", "RCS"),
            ("ccb:alpha=0.51", "CCB"),
            ("rmed1", "RMED1"),
        ],
    },
    data: Data {
        names: "MSLR and sushi",
        stand_ins: "The paper's matrices for MSLR and sushi may not be redistributed. Where they were not \
                    available, stand-ins were used: the first rankers of a made-up collection, with \
                    simulated users who click on interleaved lists. Every figure with a stand-in says so.",
        real: "The matrices of five rankers are the ones that the authors published with their program. The \
               sushi matrix is the one that comes with public programs of this field.",
    },
};

/// The figures, in the order of the report.
static FIGURES: &[PaperFigure] = &[
    paper_figure!(
        "dts",
        "mslr5",
        Plain,
        "Five rankers of a search engine, with a user who reads several pages. On the left, one ranker beats \
         all others. On the right, none does, and policies that look for such an arm do not settle. Regret \
         counts how many fewer opponents the chosen arms beat than the best arm."
    ),
    paper_figure!(
        "dts",
        "arxiv-sushi",
        Plain,
        "The six rankers of arXiv, two of which are exactly equal, although CCB and SCB assume that this \
         never happens; and sixteen kinds of sushi ranked by people, where the two best are nearly equal."
    ),
];

static ERRATA: &[Erratum] = errata! {
    "E1", "The paper's experiments",
    "The text of the paper was not available. The figure on five rankers, with and without a Condorcet \
     winner, and the list of policies are known from the authors' public program and from summaries. The \
     horizons and the numbers of runs are not known.",
    "The same two matrices of five rankers, with 1e6 rounds. Only the order of policies is compared, not the \
     paper's numbers.";
    "E2", "ECW-RMED is missing",
    "The authors also compare with ECW-RMED, to which D-TS+ comes close. Public implementations of ECW-RMED \
     disagree with each other.",
    "ECW-RMED and the paper's statements about it are left out.";
    "E3", "Regret",
    "The authors' program measures Copeland regret even if there is a Condorcet winner.",
    "`regret = \"copeland\"` everywhere: the mean, over both slots, of the distance to the best normalised \
     Copeland score.";
    "E4", "More arms",
    "A later figure uses sixteen rankers that were drawn at random and not published.",
    "The matrices for arXiv and sushi replace them.";
    "E5", "Five arms without data",
    "Without real data the five rankers are stand-ins. The first five rankers of a made-up collection had a \
     Condorcet winner with each of five seeds.",
    "The stand-in for the world without a Condorcet winner has 16 arms. Its collection (seed 27) was chosen \
     because none of these arms is a Condorcet winner.";
    "E6", "Parameters of the rivals",
    "The authors' program uses alpha = 0.51 for RUCB, CCB and D-TS and gamma = 1.3 for Beat the Mean. It \
     starts with pseudo-counts that make the first estimates absurd.",
    "The same alpha and gamma; counts start at zero. Sparring has UCB1 players as published.";
    "E7", "Several Copeland winners",
    "In the matrix of five rankers without a Condorcet winner, three arms share the highest score and are \
     equally good.",
    "Regret treats them as equal. Accuracy counts only one of them, so it stays low in that world, and claim \
     D4 does not judge it.";
};
