//! The paper that this program is about: REX3, Gajane, Urvoy and Clérot 2015.

mod errata;

use super::{Citation, Data, Drawing, Leader, Notes, Paper, PaperFigure, Words, paper_figure};
use crate::claim;

pub use errata::ERRATA;

/// Every figure, table and claim.
pub static REX3: Paper = Paper {
    name: "rex3",
    title: "REX3 and its rivals, run again",
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
        about: "places where the paper slips, contradicts itself or leaves something open, and what was done about each. None of \
                them overturns a theorem.",
        errata: ERRATA,
    },
    words: Words {
        covers: "Every figure, table and claim of",
        claims: "Every sentence of the paper that can be checked, in our words.",
        policies: "**REX3** is the paper's policy. It keeps a weight for each arm, draws both arms of a duel by these weights, and after the duel \
                   raises the winner's and lowers the loser's, by more the less likely the arm was to be drawn. A share gamma of all draws is uniform, so \
                   that no arm is ever forgotten. It assumes nothing about where answers come from: the world may change or be hostile, and its regret \
                   still grows only as the square root of the number of rounds. Its rivals **RUCB**, **SAVAGE** and \
                   **Beat the Mean** assume that answers follow fixed chances, and compare pairs until they are sure. **Sparring** \
                   lets two ordinary bandits choose one arm each.",
        full_scale: "the numbers of runs and rounds of the paper.",
        smaller_scale: "fewer runs and shorter ones than the paper's, enough to decide most claims.",
    },
    leader: Leader {
        policy: "rex3",
        name: "REX3 in its anytime form",
        about: "Its advantage is largest with many arms and few rounds.",
        if_holds: Some((
            "C7",
            "Given enough rounds in a world that does not change, policies that assume as much overtake it ([C7]); in one that does, they \
             can be led astray ([C11]).",
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
        stand_ins: "The paper's matrices of NP2004 and MSLR may not be passed on. Where they were not at hand, matrices of the same shape stand in, made \
                    by simulated users who click on interleaved lists of a made-up collection; every figure on them says so.",
        real: "Figures on MSLR use the published matrices. The matrix of 64 rankers is presumed to be NP2004; nobody has confirmed it, and numbers on \
               it need not be the paper's.",
    },
};

/// The figures, in the order of the report.
static FIGURES: &[PaperFigure] = &[
    paper_figure!(
        "rex3",
        "gamma",
        Bound,
        "REX3 mixes a share gamma of uniform play into its choices, and takes steps that are proportional to it. Too little \
         and it learns slowly; too much and it wastes rounds. The thin lines are what theory promises at each gamma if the best arm \
         gains no more than T/2 or T/4 (Corollary 1, halved because Condorcet regret is half of the regret that it speaks of), and \
         the gamma at which each promise is best. The real optimum should lie near them, and regret below the first."
    ),
    paper_figure!(
        "rex3",
        "arxiv",
        Plain,
        "Six rankers of a search engine. Above, how much was lost by not always showing the best pair, on logarithmic axes: a \
         straight line of slope 1/2 is growth like the square root of time, and a curve that bends flat is growth like its \
         logarithm. Below, the share of runs that play the best arm against itself."
    ),
    paper_figure!(
        "rex3",
        "np2004-64",
        Plain,
        "Sixty-four rankers, which is where policies that compare all pairs begin to suffer: there are 2016 of them."
    ),
    paper_figure!(
        "rex3",
        "mslr-nav",
        Plain,
        "A hundred and thirty-six rankers under a user who looks for one page and leaves. At 1e5 rounds policies that estimate every pair \
         have hardly done better than random play."
    ),
    paper_figure!(
        "rex3",
        "k-sweep",
        Plain,
        "The same user, and K rankers drawn anew for each run. The flatter a curve, the less a policy suffers from more arms."
    ),
    paper_figure!(
        "rex3",
        "np2004-16",
        Plain,
        "The first 16 of the 64 rankers, with Beat the Mean and SAVAGE both told the horizon and not."
    ),
    paper_figure!("rex3", "np2004-32", Plain, "The first 32 of them, with the same policies."),
    paper_figure!(
        "rex3",
        "mslr-inf",
        Plain,
        "A user who reads several pages. In the paper's matrix no ranker beats all others, so regret is measured against the one that \
         beats the most, and may fall below zero; points that do have no place on a logarithmic axis."
    ),
    paper_figure!("rex3", "mslr-perf", Plain, "A user who clicks exactly what is relevant."),
    paper_figure!(
        "rex3",
        "sparring-ucb",
        Plain,
        "Sparring lets two ordinary bandits choose an arm each. With UCB players it often does well and has no guarantee: each side \
         faces an opponent that changes."
    ),
    paper_figure!(
        "rex3",
        "artificial",
        Plain,
        "SAVAGE has a clear order of arms. In Bvs the arm that beats all others does so narrowly, while another beats nearly all by \
         far; whoever averages over opponents prefers the wrong one, and loses more than random play."
    ),
    paper_figure!(
        "rex3",
        "deceptive",
        BothScales,
        "One arm is better than the rest, but its advantage shrinks as the logarithm of time over time, under the root. A policy that \
         stops exploring on early evidence is deceived. Regret here is that of utilities, twice the Condorcet regret."
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::selection::Selection;
    use crate::spec::Specification;

    /// What is printed is at the paper's scale.
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
