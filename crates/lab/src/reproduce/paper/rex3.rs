//! The default paper: REX3, Gajane, Urvoy and Clérot 2015.

mod errata;

use super::{Citation, Data, Drawing, Leader, Notes, Paper, PaperFigure, Words, paper_figure};
use crate::claim;

pub use errata::ERRATA;

/// Every figure, table and claim of the paper.
pub static REX3: Paper = Paper {
    name: "rex3",
    title: "REX3 and its rivals, reproduced",
    citation: Citation {
        authors: "Gajane, Urvoy and Clérot",
        title: "A relative exponential weighing algorithm for adversarial utility-based dueling bandits",
        venue: "ICML 2015",
        link: "https://doi.org/10.48550/arXiv.1601.03855",
        linked: "extended version",
    },
    figures: FIGURES,
    claims: claim::rex3::CLAIMS,
    beside: claim::rex3::SPECIFICATIONS,
    has_matrices: true,
    notes: Notes {
        heading: "Errors and ambiguities of the paper",
        linked: "Errors and ambiguities",
        about: "places where the paper has an error, contradicts itself or leaves something open, and what \
                this program does about each. None of them invalidates a theorem.",
        errata: ERRATA,
    },
    words: Words {
        covers: "Every figure, table and claim of",
        claims: "Every statement of the paper that can be checked, in our words.",
        policies: "**REX3** is the paper's policy. It keeps a weight for each arm and draws both arms of a \
                   duel by these weights. After the duel it raises the winner's weight and lowers the \
                   loser's; the less likely an arm was to be drawn, the larger the change. A share gamma of \
                   all draws is uniform, so no arm is ever forgotten. REX3 assumes nothing about the source \
                   of the answers: even if the world changes or is hostile, its regret grows only like the \
                   square root of the number of rounds. Its rivals **RUCB**, **SAVAGE** and **Beat the \
                   Mean** assume that answers follow fixed probabilities, and compare pairs until they are \
                   sure. **Sparring** lets two ordinary bandits choose one arm each.",
        full_scale: "the numbers of runs and rounds of the paper.",
        smaller_scale: "fewer and shorter runs than in the paper, enough to decide most claims.",
    },
    leader: Leader {
        policy: "rex3",
        name: "REX3 in its anytime form",
        about: "Its advantage is largest with many arms and few rounds.",
        if_holds: Some((
            "C7",
            "In a world that does not change, policies that rely on this overtake it after enough rounds \
             ([C7]). In a world that changes, they can be deceived ([C11]).",
        )),
        compared: &[
            ("rex3", "REX3, anytime"),
            ("sparring:player=exp3", "Sparring"),
            ("rucb:alpha=0.51", "RUCB"),
            ("savage:rule=condorcet,delta=1/T", "SAVAGE"),
            ("btm:gamma=1.1,delta=1/T", "Beat the Mean"),
        ],
    },
    data: Data {
        names: "NP2004 and MSLR",
        stand_ins: "The paper's matrices for NP2004 and MSLR may not be redistributed. Where they were not \
                    available, stand-ins of the same shape were used. They come from simulated users who \
                    click on interleaved lists of a made-up collection. Every figure with a stand-in says \
                    so.",
        real: "Figures on MSLR use the published matrices. The matrix of 64 rankers is presumed to be \
               NP2004. Nobody has confirmed this, and its numbers may differ from the paper's.",
    },
};

/// The figures, in the order of the report.
static FIGURES: &[PaperFigure] = &[
    paper_figure!(
        "rex3",
        "gamma",
        Bound,
        "REX3 mixes a share gamma of uniform play into its choices and takes steps proportional to gamma. If \
         gamma is too small, the policy learns slowly; if it is too large, it wastes rounds. The thin lines \
         are the theoretical bounds at each gamma if the best arm gains at most T/2 or T/4, and the gamma \
         that minimises each bound. The bounds are those of Corollary 1, halved because Condorcet regret is \
         half of the regret in the corollary. The real optimum should be near these gammas, and regret \
         should be below the first bound."
    ),
    paper_figure!(
        "rex3",
        "arxiv",
        Plain,
        "Six rankers of a search engine. Above: the loss from not always showing the best pair, on \
         logarithmic axes. A straight line of slope 1/2 is growth like the square root of time; a curve that \
         flattens is growth like the logarithm. Below: the share of runs that play the best arm against \
         itself."
    ),
    paper_figure!(
        "rex3",
        "np2004-64",
        Plain,
        "Sixty-four rankers. At this size policies that compare all pairs begin to suffer: there are 2016 \
         pairs."
    ),
    paper_figure!(
        "rex3",
        "mslr-nav",
        Plain,
        "136 rankers, with a user who looks for one page and leaves. At 1e5 rounds, policies that estimate \
         every pair have hardly done better than random play."
    ),
    paper_figure!(
        "rex3",
        "k-sweep",
        Plain,
        "The same user, and K rankers drawn separately for each run. The flatter a curve, the less the \
         policy suffers from more arms."
    ),
    paper_figure!(
        "rex3",
        "np2004-16",
        Plain,
        "The first 16 of the 64 rankers. Beat the Mean and SAVAGE are shown with and without a known horizon."
    ),
    paper_figure!("rex3", "np2004-32", Plain, "The first 32 of the 64 rankers, with the same policies."),
    paper_figure!(
        "rex3",
        "mslr-inf",
        Plain,
        "A user who reads several pages. In the paper's matrix no ranker beats all others, so regret is \
         measured against the ranker that beats the most others. It can be negative; a logarithmic axis \
         cannot show negative points."
    ),
    paper_figure!("rex3", "mslr-perf", Plain, "A user who clicks on exactly the relevant documents."),
    paper_figure!(
        "rex3",
        "sparring-ucb",
        Plain,
        "Sparring lets two ordinary bandits choose one arm each. With UCB players it often does well, but it \
         has no guarantee: each player faces an opponent that changes."
    ),
    paper_figure!(
        "rex3",
        "artificial",
        Plain,
        "SAVAGE has a clear order of arms. In Bvs the arm that beats all others does so narrowly, while \
         another arm beats nearly all by far. A policy that averages over opponents prefers the wrong arm \
         and loses more than random play."
    ),
    paper_figure!(
        "rex3",
        "deceptive",
        BothScales,
        "One arm is better than the rest, but its advantage shrinks like sqrt(ln(t) / t). A policy that \
         stops exploring on early evidence is deceived. Regret is measured in utilities, which is twice the \
         Condorcet regret."
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::selection::Selection;
    use crate::spec::Specification;

    /// The shipped specifications are at the paper's scale.
    #[test]
    fn trace_figures_are_at_the_papers_scale() {
        for (id, text) in Selection::all(&REX3).specifications() {
            let parsed = Specification::parse(id, text).unwrap_or_else(|error| panic!("{error}"));
            if !id.starts_with("claim-") && !["gamma", "k-sweep"].contains(&id) {
                assert_eq!((parsed.runs, parsed.runs_fixed_horizon), (100, 50), "{id}");
                assert!(parsed.horizon >= 1_000_000, "{id}");
            }
        }
    }
}
