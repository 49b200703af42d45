//! `FeedExp3` as published: it updates the estimated loss of every action, one by one.

use super::{Game, GameError, Link, Rates, Schedule, action, n_actions};
use crate::{Arm, Outcome};

/// `FeedExp3` for any game with a link, in O(N) per round.
///
/// ```text
/// p_i = (1 - gamma) exp(-eta l_i) / sum_j exp(-eta l_j) + gamma / N         initially l_i = 0
/// action I drawn from p, feedback h:    l_i += k(i, I) h / p_I              for every i
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Forecaster {
    game: Game,
    link: Link,
    schedule: Schedule,
    losses: Vec<f64>,
    rates: Rates,
    round: u64,
    next_change: u64,
}

impl Forecaster {
    /// A player of a game, with one of the game's links.
    ///
    /// # Panics
    ///
    /// If the link belongs to a game of another size.
    pub fn new(game: Game, link: Link, schedule: Schedule) -> Self {
        assert_eq!(game.n_actions(), link.n_actions(), "the link must belong to this game");
        let losses = vec![0.0; game.n_actions()];
        let rates = Rates { eta: 1.0, gamma: 1.0 };
        let mut forecaster = Self { game, link, schedule, losses, rates, round: 0, next_change: 0 };
        forecaster.tune();
        forecaster
    }

    /// eta and gamma of the next action.
    pub fn rates(&self) -> Rates {
        self.rates
    }

    /// The estimated loss of each action so far, minus the loss of the reference.
    pub fn losses(&self) -> &[f64] {
        &self.losses
    }

    /// The probability of each action in the next round.
    pub fn probabilities(&self) -> Vec<f64> {
        let Rates { eta, gamma } = self.rates;
        let least = self.losses.iter().copied().fold(f64::INFINITY, f64::min);
        let weights: Vec<f64> = self.losses.iter().map(|loss| libm::exp(-eta * (loss - least))).collect();
        let total: f64 = weights.iter().sum();
        let floor = gamma / weights.len() as f64;
        weights.iter().map(|weight| (1.0 - gamma) * weight / total + floor).collect()
    }

    /// Records that an action was drawn, and starts the next round.
    pub fn issue(&mut self) {
        self.round += 1;
        if self.round + 1 >= self.next_change {
            self.tune();
        }
    }

    /// Learns from the feedback of an action that was drawn with probability `p`. The feedback may
    /// arrive late.
    ///
    /// # Errors
    ///
    /// If the action does not exist or never has this feedback, or if `p` is not in (0, 1].
    pub fn update(&mut self, action: usize, feedback: f64, p: f64) -> Result<(), GameError> {
        let known = action < self.game.n_actions()
            && self.game.feedback(action).iter().any(|other| (other - feedback).abs() < 1e-12);
        if !known {
            return Err(GameError::NoSuchFeedback { action, feedback });
        }
        if !(p > 0.0 && p <= 1.0) {
            return Err(GameError::NotAProbability { p });
        }
        let Self { link, losses, .. } = self;
        for (i, loss) in losses.iter_mut().enumerate() {
            *loss += link.entry(i, action) * feedback / p;
        }
        Ok(())
    }

    /// Learns from a duel in the dueling game, given the probability of the unordered pair.
    ///
    /// # Errors
    ///
    /// As [`Self::update`]. The score must be -1, 0 or 1, and 0 in a self-duel.
    pub fn update_duel(&mut self, duel: (Arm, Arm), outcome: Outcome, p: f64) -> Result<(), GameError> {
        let (left, right) = (duel.0.index(), duel.1.index());
        let n = self.game.n_actions();
        let Some(n_arms) = (1..=n).find(|&k| n_actions(k) == n) else {
            return Err(GameError::NotDueling { n_arms: left.max(right) + 1, n_actions: n });
        };
        if let Some(arm) = [duel.0, duel.1].into_iter().find(|arm| arm.index() >= n_arms) {
            return Err(GameError::NoSuchArm { arm, n_arms });
        }
        let score = if left <= right { outcome.score() } else { outcome.flipped().score() };
        self.update(action(n_arms, left, right), score, p)
    }

    fn tune(&mut self) {
        let size = self.link.size();
        self.rates = self.schedule.formula(size, self.round + 1);
        self.next_change = self.schedule.one_percent_after(size, self.round + 1);
    }
}
