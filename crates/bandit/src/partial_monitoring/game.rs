//! Games as explicit matrices of losses and feedback.

use super::{GameError, Link, Reference};

/// The largest K for which [`Game::dueling`] builds the matrices: 36 actions, 256 outcomes.
pub const MOST_ARMS: usize = 8;

/// A finite game with partial monitoring.
#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    n_actions: usize,
    n_outcomes: usize,
    loss: Vec<f64>,
    feedback: Vec<f64>,
}

impl Game {
    /// A game from its matrices, row by row, with one row per action.
    ///
    /// # Errors
    ///
    /// If the matrices are empty, have different shapes, or contain an infinite number or NaN.
    pub fn new(n_actions: usize, loss: Vec<f64>, feedback: Vec<f64>) -> Result<Self, GameError> {
        let (cells, others) = (loss.len(), feedback.len());
        if n_actions == 0 || cells == 0 || cells != others || !cells.is_multiple_of(n_actions) {
            return Err(GameError::Shape { n_actions, loss: cells, feedback: others });
        }
        if let Some(&value) = loss.iter().chain(&feedback).find(|value| !value.is_finite()) {
            return Err(GameError::NotFinite { value });
        }
        Ok(Self { n_actions, n_outcomes: cells / n_actions, loss, feedback })
    }

    /// The dueling game: see the [module](super). Actions are in the order of [`action`].
    ///
    /// # Errors
    ///
    /// If there are no arms, or more than [`MOST_ARMS`].
    pub fn dueling(n_arms: usize) -> Result<Self, GameError> {
        if n_arms == 0 || n_arms > MOST_ARMS {
            return Err(GameError::Arms { n_arms });
        }
        let utility = |outcome: usize, arm: usize| f64::from(u8::from(outcome >> arm & 1 == 1));
        let cell = |of: fn(f64, f64) -> f64| {
            let outcomes = 0..1usize << n_arms;
            pairs(n_arms)
                .flat_map(|(a, b)| outcomes.clone().map(move |y| of(utility(y, a), utility(y, b))))
                .collect()
        };
        Self::new(n_actions(n_arms), cell(|a, b| -(a + b) / 2.0), cell(|a, b| a - b))
    }

    /// N.
    pub fn n_actions(&self) -> usize {
        self.n_actions
    }

    /// M.
    pub fn n_outcomes(&self) -> usize {
        self.n_outcomes
    }

    /// The loss of an action under each outcome.
    pub fn loss(&self, action: usize) -> &[f64] {
        &self.loss[action * self.n_outcomes..][..self.n_outcomes]
    }

    /// The feedback of an action under each outcome.
    pub fn feedback(&self, action: usize) -> &[f64] {
        &self.feedback[action * self.n_outcomes..][..self.n_outcomes]
    }

    /// Checks that a matrix is a link for the loss minus the loss of a reference. The matrix is
    /// given row by row, with one row per action. The reference is a mixture of actions;
    /// `reference` contains the share of each action.
    ///
    /// # Errors
    ///
    /// If a length is wrong, or a loss differs from the loss that the link computes from the
    /// feedback.
    pub fn link(&self, entries: Vec<f64>, reference: &[f64]) -> Result<Link, GameError> {
        let (n, m) = (self.n_actions, self.n_outcomes);
        if entries.len() != n * n || reference.len() != n {
            return Err(GameError::LinkShape {
                n_actions: n,
                entries: entries.len(),
                reference: reference.len(),
            });
        }
        if let Some(&value) = entries.iter().chain(reference).find(|value| !value.is_finite()) {
            return Err(GameError::NotFinite { value });
        }
        for action in 0..n {
            for outcome in 0..m {
                let column = |matrix: &[f64], row: usize| matrix[row * m + outcome];
                let linked: f64 =
                    (0..n).map(|other| entries[action * n + other] * column(&self.feedback, other)).sum();
                let base: f64 = (0..n).map(|other| reference[other] * column(&self.loss, other)).sum();
                let loss = column(&self.loss, action) - base;
                // These are sums of at most N numbers of order 1. Written positively so that NaN
                // fails.
                let fits = (linked - loss).abs() <= 1e-9;
                if !fits {
                    return Err(GameError::NotALink { action, outcome, linked, loss });
                }
            }
        }
        Ok(Link::checked(n, entries))
    }

    /// The link of the dueling game of `n_arms` arms for a reference, checked by [`Self::link`].
    ///
    /// # Errors
    ///
    /// If this is not that game, or the arm of the reference does not exist.
    pub fn dueling_link(&self, n_arms: usize, reference: Reference) -> Result<Link, GameError> {
        let n = self.n_actions;
        if n != n_actions(n_arms) {
            return Err(GameError::NotDueling { n_arms, n_actions: n });
        }
        let mut shares = vec![0.0; n];
        let mut entries = vec![0.0; n * n];
        let references: Vec<usize> = match reference {
            Reference::Uniform => (0..n_arms).collect(),
            Reference::Arm(arm) if arm.index() < n_arms => vec![arm.index()],
            Reference::Arm(arm) => return Err(GameError::NoSuchArm { arm, n_arms }),
        };
        let share = 1.0 / references.len() as f64;
        for &r in &references {
            shares[action(n_arms, r, r)] += share;
            for (row, (a, b)) in pairs(n_arms).enumerate() {
                for arm in [a, b].into_iter().filter(|&arm| arm != r) {
                    // The term is -(x_arm - x_r) / 2. The duel's feedback has the lower index
                    // first.
                    let sign = if arm < r { -1.0 } else { 1.0 };
                    entries[row * n + action(n_arms, arm, r)] += sign * share / 2.0;
                }
            }
        }
        self.link(entries, &shares)
    }
}

/// N = K (K + 1) / 2, the number of unordered pairs, equal arms included.
pub fn n_actions(n_arms: usize) -> usize {
    n_arms * (n_arms + 1) / 2
}

/// The unordered pairs {a, b} with a <= b, in order of a, then b.
pub fn pairs(n_arms: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n_arms).flat_map(move |a| (a..n_arms).map(move |b| (a, b)))
}

/// The index in [`pairs`] of a pair of arms, given in any order.
pub fn action(n_arms: usize, a: usize, b: usize) -> usize {
    let (a, b) = (a.min(b), a.max(b));
    // Before the pairs of arm a there are K + (K - 1) + ... pairs, a sum of a terms.
    a * (2 * n_arms + 1 - a) / 2 + (b - a)
}
