//! Double Thompson Sampling, Wu and Liu 2016.

use super::{
    Citation, Data, Drawing, Erratum, Leader, Notes, Paper, PaperFigure, Words, errata, paper_figure,
};
use crate::claim;

/// Its headline figure and the order of policies in it.
pub static DTS: Paper = Paper {
    name: "dts",
    title: "Double Thompson Sampling, run again",
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
        policies: "**D-TS** is the paper's policy. It keeps wins and losses of every pair, draws a plausible matrix from them, and takes the arm that beats the \
                   most others in it; a second, fresh draw chooses the opponent most likely to beat that arm. Pairs that are already decided \
                   are left out by confidence bounds. **D-TS+** breaks ties of the first choice by what the duels would cost. **RUCB**, **CCB** and \
                   **SCB** use confidence bounds in place of draws, **RCS** mixes both, **RMED** counts evidence by relative entropy, and **SAVAGE** and \
                   **Beat the Mean** rule arms out.",
        full_scale: "100 runs of 1e6 rounds, half as many with more arms or a known horizon. They are ours; the text of the paper was not at hand.",
        smaller_scale: "fewer and shorter runs, enough to decide most claims.",
    },
    leader: Leader {
        policy: "dts",
        name: "D-TS",
        about: "Regret is that of Copeland scores: by how many opponents fewer the chosen arms beat than the best.",
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
        stand_ins: "The paper's matrices of MSLR and of sushi may not be passed on. Where they were not at hand, the first rankers of a made-up collection stand \
                    in, under simulated users who click on interleaved lists; every figure on them says so.",
        real: "The matrices of five rankers are those that the authors published with their program; that of sushi is the one that goes with \
               public programs of this field.",
    },
};

/// The figures, in the order of the report.
static FIGURES: &[PaperFigure] = &[
    paper_figure!(
        "dts",
        "mslr5",
        Plain,
        "Five rankers of a search engine under a user who reads several pages: on the left one of them beats all others, on the right none does, and \
         policies that look for such an arm do not come to rest. Regret counts how many opponents fewer the chosen arms beat than the best one does."
    ),
    paper_figure!(
        "dts",
        "arxiv-sushi",
        Plain,
        "The six rankers of arXiv, two of which are exactly alike, which CCB and SCB assume away; and sixteen kinds of sushi that people put \
         in order, where the two best are nearly alike."
    ),
];

static ERRATA: &[Erratum] = errata! {
    "E1", "The paper's experiments",
    "Its text was not at hand; the figure on five rankers, with and without a Condorcet winner, and the list of policies are known from the authors' \
     public program and from summaries. Horizons and numbers of runs are not.",
    "The same two matrices of five rankers, 1e6 rounds. No number of the paper is compared, only the order of policies.";
    "E2", "ECW-RMED is missing",
    "The authors compare with ECW-RMED, near which D-TS+ comes. The public programs of it disagree with each other.",
    "It is left out, and so is what the paper says about it.";
    "E3", "Regret",
    "The authors' program measures Copeland regret also where there is a Condorcet winner.",
    "`regret = \"copeland\"` everywhere: the mean over both slots of the normalised score that is missed.";
    "E4", "More arms",
    "Sixteen rankers, drawn at random and not published, are in a later figure.",
    "The matrices of arXiv and of sushi take their place.";
    "E5", "Five arms without data",
    "Without real data the five rankers are stand-ins; the first five of a made-up collection had a Condorcet winner with each of five seeds.",
    "The stand-in for the world without one has 16 arms, of a collection that was chosen for having none among them (seed 27).";
    "E6", "Parameters of the rivals",
    "The authors' program gives RUCB, CCB and D-TS alpha = 0.51, Beat the Mean gamma = 1.3, and starts counts with pseudo-counts that make first estimates absurd.",
    "The same alpha and gamma; counts start at zero. Sparring has UCB1 players as published.";
    "E7", "Several Copeland winners",
    "In the matrix of five rankers without a Condorcet winner three arms share the highest score; each of them is as good as the others.",
    "Regret takes them as equal. Accuracy counts one of them only, so that it stays low there and claim D4 does not judge that world.";
};
