//! Errors and ambiguities of the paper, and what this program does about each.

use crate::reproduce::paper::{Erratum, errata};

/// All errata, in order.
pub static ERRATA: &[Erratum] = errata! {
    "E1", "Borda scores of Bvs",
    "The text gives 9.69 and 18.49; the paper's own formula, which counts the diagonal, gives 10.19 and 18.99.",
    "The printed numbers leave the diagonal out. Both conventions are available, and C10 checks both.";
    "E2", "Which tau is in gamma*",
    "The formula for the best gamma refers to the tau of Theorem 1, which contains expected gains that are \
     unknown in advance. The corollary after it uses the largest and the smallest gain.",
    "tau = e Gmax - (4 - e) Gmin, with Gmin = 0 unless stated; `gmax=` sets Gmax.";
    "E3", "Gains that are not bounds",
    "T/4 and T/10 are used for Gmax although arms gain about T/2. On a preference matrix, gains are not \
     defined at all.",
    "They are treated as settings to try, not as theory. Only the curve for T/2 is judged as a bound (C2).";
    "E4", "The meaning of anytime",
    "Recomputing gamma in each round can mean that each step keeps the size of its own round, or that all \
     evidence is weighted again. The paper's text and pseudo-code fit the first reading; the source that it \
     cites fits the second. The paper also mentions a doubling trick, which is neither.",
    "Both are run. `rex3` is the second reading (dual averaging), which keeps a guarantee. \
     `schedule=literal` is the first, which learns faster on steady data but can lose a constant share of \
     all rounds when the data change.";
    "E5", "The first rounds",
    "The formula for the changing gamma divides by the number of rounds so far, which is zero at first.",
    "Rounds are counted from 1, and gamma is at most 1/2. For K = 136 it stays at 1/2 for about two thousand \
     rounds.";
    "E6", "The transfer function",
    "The paper calls it non-decreasing with value 0 at 0 and range [-1, 1], but prints it as an indicator of \
     x > 0 in one place and with >= in another. The pseudo-code and the estimator agree only if it is odd.",
    "Only odd transfer functions are accepted: the difference itself, or its sign.";
    "E7", "Wins and losses instead of differences",
    "The proof is for differences of utilities. A matrix answers with wins and losses, whose square is \
     always 1.",
    "`theory::tau_binary` and `theory::any_matrices` have a bound for this case. Duels of an arm with itself \
     teach nothing.";
    "E8", "A mean above one",
    "In the last figure the best arm's mean is 1/2 + sqrt(K log(t) / t), which exceeds 1 until round 214. \
     The base of the logarithm is not stated.",
    "The mean is capped at 1, and the logarithm is natural; `deceptive10:log=` offers others.";
    "E9", "Indices of the SAVAGE matrix",
    "With arms counted from 0, the same formula gives a different matrix. Six arms appear in the table but \
     in no figure.",
    "Arms are counted from 1, so the last arm loses every duel. K = 6 is run as an additional experiment for \
     claims.";
    "E10", "The range of gamma",
    "(0, 1] in the algorithm, (0, 1/2) in the theorem, [0, 1/2] in the table of notation.",
    "(0, 1/2]; other values are rejected.";
    "E11", "Small errors in the proof",
    "A sum begins at its own upper limit, sums are missing after adding up rounds, an inequality is strict \
     that should not be, and a constant could be twice as good.",
    "The theorem is still valid, so no change was needed. The sharper constants are in `theory`.";
    "E12", "A corollary that assumes too much",
    "Corollary 1 replaces the policy's gain by the best arm's gain, which a policy can exceed if arms \
     change.",
    "Where data change, the theorem itself is used; Corollary 1 is used only on steady data.";
    "E13", "The range of Condorcet regret",
    "Printed as the open interval from 0 to 1/2.",
    "The values 0 and 1/2 are reached, and without a Condorcet winner regret can be negative. It is shown as \
     it is, never cut off.";
    "E14", "Left or right",
    "The text puts the sweep over K on the left of the MSLR figure, the caption on the right.",
    "The sweep has its own figure.";
    "E15", "The parameters of Sparring",
    "The paper does not state the gamma of the EXP3 players, the constants of UCB or the rule for ties.",
    "EXP3 is tuned for a gain of T/2, the gain from playing against oneself. UCB1 is used as published. Ties \
     are broken at random, with separate random streams for the two players.";
    "E16", "Beat the Mean outside its assumptions",
    "The paper runs it with gamma = 1.1 and delta = 1/T. Its authors require a gamma that fits the data \
     (1.25 on arXiv and 50 on Bvs) and a different delta.",
    "Run as in the paper. Its guarantee does not apply to these runs.";
    "E17", "The lower bound's condition",
    "T >= sqrt(K T) is a roundabout way to say T >= K. The reduction asks for a reward without naming an \
     arm, and leaves odd T open.",
    "T >= K; `reduction` names the arm and documents the odd round.";
    "E18", "Halving the bound",
    "Halving the bound for click matrices assumes that preferences are differences of utilities.",
    "For the T/2 curve and small gamma, `theory::any_matrices` has a proof without that assumption. The \
     figure shows the paper's curve.";
    "E19", "Which 64 of 136",
    "The figure on gamma restricts MSLR to 64 rankers without saying which.",
    "Each run draws its own 64 rankers, from the seed that is shown.";
    "E20", "The guard against equal arms",
    "The paper calls it a slight improvement to skip the update when an arm duels itself.",
    "The guard is kept. If a coin decides such duels, it also removes noise; C19 measures its effect.";
    "E21", "Accuracy",
    "The formula can be read as an average over time.",
    "Accuracy is computed over runs at each round: the share of runs that play the best arm against itself.";
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_there_are_twenty_one() {
        assert_eq!(ERRATA.len(), 21);
    }
}
