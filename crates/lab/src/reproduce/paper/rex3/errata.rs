//! Slips and ambiguities of the paper, and what is done about each.

use crate::reproduce::paper::{Erratum, errata};

/// All of them.
pub static ERRATA: &[Erratum] = errata! {
    "E1", "Borda scores of Bvs",
    "The text gives 9.69 and 18.49; the paper's own formula, which counts the diagonal, gives 10.19 and 18.99.",
    "The printed numbers leave the diagonal out. Both conventions are available, and C10 checks both.";
    "E2", "Which tau is in gamma*",
    "The formula of the best gamma refers to the tau of Theorem 1, which holds expected gains that nobody knows beforehand; the corollary \
     after it uses the largest and the smallest gain.",
    "tau = e Gmax - (4 - e) Gmin with Gmin = 0 unless stated; `gmax=` sets it.";
    "E3", "Gains that are no bounds",
    "T/4 and T/10 are used for Gmax although arms gain about T/2; and on a preference matrix gains are not defined at all.",
    "They are taken as settings to try, not as theory. Only the curve for T/2 is judged as a bound (C2).";
    "E4", "What anytime means",
    "Recomputing gamma in each round can mean that each step keeps the size of its own round, or that all evidence is weighed anew. The \
     paper's words and its pseudo-code fit the first, the source that it cites the second; it also speaks of a doubling trick, which is neither.",
    "Both are run. `rex3` is the second (dual averaging), which keeps a guarantee; `schedule=literal` is the first, which learns faster on \
     steady data and can lose a constant share of all rounds when the data turn.";
    "E5", "The first rounds",
    "The formula of the changing gamma divides by the number of rounds so far, which is zero at first.",
    "Rounds are counted from 1, and gamma is at most 1/2; for K = 136 that holds it at 1/2 for some two thousand rounds.";
    "E6", "The transfer function",
    "It is called non-decreasing with value 0 at 0, printed as an indicator of x > 0 in one place and of >= in another, and given the range \
     [-1, 1]. Pseudo-code and estimator agree only if it is odd.",
    "Only odd ones are accepted: the difference itself, or its sign.";
    "E7", "Wins and losses instead of differences",
    "The proof is for differences of utilities; a matrix answers with wins and losses, whose square is always 1.",
    "A bound for that case is in `theory::tau_binary` and `theory::any_matrices`; an arm's duels with itself teach nothing.";
    "E8", "A mean above one",
    "In the last figure the best arm's mean is 1/2 + sqrt(K log(t) / t), which exceeds 1 until round 214; the base of the logarithm is not \
     stated.",
    "Cut off at 1, natural logarithm; `deceptive10:log=` offers others.";
    "E9", "Indices of the SAVAGE matrix",
    "With arms counted from 0 the same formula gives another matrix; and six arms appear in the table but in no figure.",
    "Counted from 1, so that the last arm loses every duel. K = 6 is run beside the figures, for claims.";
    "E10", "The range of gamma",
    "(0, 1] in the algorithm, (0, 1/2) in the theorem, [0, 1/2] in the table of notation.",
    "(0, 1/2]; anything else is refused.";
    "E11", "Slips in the proof",
    "A sum that begins at its own end, sums lost after adding up rounds, a strict inequality that is not, and a constant that could be twice \
     as good.",
    "The theorem stands; nothing had to be done. The sharper constants are in `theory`.";
    "E12", "A corollary that assumes too much",
    "Corollary 1 replaces the policy's gain by that of the best arm, which a policy may exceed where arms change.",
    "The theorem's own form is used where data change; Corollary 1 only on steady ones.";
    "E13", "The range of Condorcet regret",
    "Printed as the open interval from 0 to 1/2.",
    "0 and 1/2 are reached, and without a Condorcet winner regret can be negative: it is shown as it is, never cut off.";
    "E14", "Left or right",
    "The text puts the sweep over K on the left of the MSLR figure, the caption on the right.",
    "It has a figure of its own.";
    "E15", "What Sparring was given",
    "Neither gamma of its EXP3 players, nor the constants of UCB, nor the rule for ties are stated.",
    "EXP3 is tuned for a gain of T/2, which is what playing oneself yields; UCB1 as published; ties are broken at random, with streams of \
     randomness that the two sides do not share.";
    "E16", "Beat the Mean outside its assumptions",
    "It is run with gamma = 1.1 and delta = 1/T; its authors ask for a gamma that fits the data, which is 1.25 on arXiv and 50 on Bvs, and for \
     another delta.",
    "Run as the paper ran it. Its guarantee does not apply to these runs.";
    "E17", "The lower bound's condition",
    "T >= sqrt(K T) is a roundabout way to say T >= K; the reduction asks for a reward without naming an arm, and leaves odd T open.",
    "T >= K; `reduction` names the arm and documents the odd round.";
    "E18", "Halving the bound",
    "Halving it for matrices of clicks assumes that preferences are differences of utilities.",
    "For the T/2 curve there is a proof without that assumption for small gamma (`theory::any_matrices`). What is drawn is the paper's curve.";
    "E19", "Which 64 of 136",
    "The figure on gamma restricts MSLR to 64 rankers and does not say to which.",
    "Each run draws its own, from the seed that is shown.";
    "E20", "The guard against equal arms",
    "Skipping the update when an arm meets itself is called a slight improvement.",
    "Kept. Where such duels are decided by a coin it also removes noise; C19 measures what it is worth.";
    "E21", "Accuracy",
    "The formula can be read as an average over time.",
    "It is taken at each round over runs: the share of runs whose pair is the best arm twice.";
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_there_are_twenty_one() {
        assert_eq!(ERRATA.len(), 21);
    }
}
