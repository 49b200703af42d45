//! The lower bound on long-run regret if one arm beats every other.

use crate::Arm;
use crate::matrix::PreferenceMatrix;

/// The least possible factor of ln T in the Condorcet regret, for any policy whose regret is low
/// for every matrix with a Condorcet winner. In the formula arm 1 is the winner.
///
/// ```text
/// lim inf E R(T) / ln T  >=  sum over i != 1 of
///   min over j with p_ij < 1/2 of  (D_1i + D_1j) / (2 kl(p_ij, 1/2))
/// ```
///
/// where D is p - 1/2. To be sure that i is not the winner, a policy must play duels of i against
/// arms that beat it until their total divergence is ln T. Each duel of i and j costs (D_1i + D_1j)
/// / 2. Proven by Komiyama, Honda, Kashima and Nakagawa (2015, Theorem 2, DOI
/// 10.48550/arXiv.1506.02550). RMED2FH attains it. `None` if there is no Condorcet winner.
pub fn rmed_lower(matrix: &PreferenceMatrix) -> Option<f64> {
    let best = matrix.condorcet_winner()?;
    let least = |i: Arm| {
        let opponents = Arm::all(matrix.n_arms()).filter(|&j| matrix.get(i, j) < 0.5);
        let price = |j| (matrix.gap(best, i) + matrix.gap(best, j)) / (2.0 * kl_half(matrix.get(i, j)));
        opponents.map(price).fold(f64::INFINITY, f64::min)
    };
    Some(Arm::all(matrix.n_arms()).filter(|&i| i != best).map(least).sum())
}

/// kl(p, 1/2) for p below 1/2.
fn kl_half(p: f64) -> f64 {
    crate::structures::bounds::divergences::kl_half(1.0 - 2.0 * p)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arm 0 beats each of the others with probability 0.6. The others beat each other in a cycle
    /// with probability 0.9.
    ///
    /// kl(0.4) = 0.4 ln 0.8 + 0.6 ln 1.2 = -0.089257 + 0.109393 = 0.020136: against arm 0 the price
    /// is 0.1 / 0.040271 = 2.4832. kl(0.1) = 0.1 ln 0.2 + 0.9 ln 1.8 = -0.160944 + 0.529008 =
    /// 0.368064: against the cycle it is 0.2 / 0.736128 = 0.271692. Three arms: 0.815076.
    #[test]
    fn trace_cyclic() {
        let p = |i: Arm, j: Arm| match (i.index(), j.index()) {
            (i, j) if i == j => 0.5,
            (0, _) => 0.6,
            (_, 0) => 0.4,
            (i, j) if (j + 3 - i) % 3 == 1 => 0.9,
            _ => 0.1,
        };
        let cyclic = PreferenceMatrix::from_fn(4, p).expect("a matrix");
        assert!((rmed_lower(&cyclic).expect("arm 0 beats all") - 0.815_076).abs() < 1e-5);
        let paper = PreferenceMatrix::from_fn(3, |i, j| p(Arm::new(i.index() + 1), Arm::new(j.index() + 1)));
        assert_eq!(rmed_lower(&paper.expect("a matrix")), None);
        let one = PreferenceMatrix::from_fn(1, |_, _| 0.5).expect("a matrix");
        assert_eq!(rmed_lower(&one), Some(0.0));
    }

    /// An arm that always loses: kl(0) = ln 2, and the price is 0.5 / (2 ln 2).
    #[test]
    fn trace_certain_duels() {
        let p = |i: Arm, j: Arm| if i == j { 0.5 } else { f64::from(u8::from(i < j)) };
        let two = PreferenceMatrix::from_fn(2, p).expect("a matrix");
        let want = 0.25 / core::f64::consts::LN_2;
        assert!((rmed_lower(&two).expect("arm 0 beats all") - want).abs() < 1e-12);
    }
}
