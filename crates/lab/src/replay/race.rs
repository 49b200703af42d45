//! Checks after every vote whether an arm leads.

use tiltyard_bandit::verdict::{Tally, lead_threshold, ln_lead};
use tiltyard_bandit::{Arm, Outcome};

/// The votes of each pair, which arms they have shown to beat which, and the leader.
#[derive(Debug, Clone)]
pub struct Race {
    n_arms: usize,
    threshold: f64,
    /// The votes of each ordered pair, in both orders.
    tallies: Vec<Tally>,
    shown: Vec<bool>,
    n_beaten: Vec<usize>,
    leader: Option<Arm>,
}

impl Race {
    /// A race between `n_arms` arms, with this confidence for the leader.
    ///
    /// # Panics
    ///
    /// If there are no arms, or the confidence is not in (0, 1).
    pub fn new(n_arms: usize, confidence: f64) -> Self {
        assert!(n_arms > 0, "there must be at least one arm");
        assert!(confidence > 0.0 && confidence < 1.0, "the confidence must be in (0, 1)");
        Self {
            n_arms,
            threshold: lead_threshold(n_arms, 1.0 - confidence),
            tallies: vec![Tally::default(); n_arms * n_arms],
            shown: vec![false; n_arms * n_arms],
            n_beaten: vec![0; n_arms],
            leader: None,
        }
    }

    /// Counts a vote and returns the leader: the first arm that was shown to beat every other arm.
    /// A duel of an arm with itself does not count.
    pub fn count(&mut self, left: Arm, right: Arm, outcome: Outcome) -> Option<Arm> {
        if left != right {
            self.count_for(left, right, outcome);
            self.count_for(right, left, outcome.flipped());
        }
        self.leader
    }

    fn count_for(&mut self, arm: Arm, other: Arm, outcome: Outcome) {
        let place = arm.index() * self.n_arms + other.index();
        let tally = &mut self.tallies[place];
        tally.add(outcome, 1.0);
        if self.shown[place] || ln_lead(tally.wins, tally.losses) < self.threshold {
            return;
        }
        self.shown[place] = true;
        self.n_beaten[arm.index()] += 1;
        if self.leader.is_none() && self.n_beaten[arm.index()] == self.n_arms - 1 {
            self.leader = Some(arm);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three arms at 95 %: a lead needs ln 60 = 4.09. The function `ln_lead` itself tells how many
    /// wins to nothing reach that. The leader is named with the last vote of the second pair, and
    /// not before.
    #[test]
    fn trace_a_leader_beats_all_others() {
        let needed = (1..100).find(|&n| ln_lead(f64::from(n), 0.0) >= lead_threshold(3, 0.05)).unwrap();
        let arm = Arm::new;
        let mut race = Race::new(3, 0.95);
        for vote in 1..=needed {
            assert_eq!(race.count(arm(2), arm(0), Outcome::WIN), None, "{vote}");
        }
        assert_eq!(race.count(arm(2), arm(2), Outcome::WIN), None);
        for vote in 1..needed {
            assert_eq!(race.count(arm(1), arm(2), Outcome::LOSS), None, "{vote}");
        }
        assert_eq!(race.count(arm(1), arm(2), Outcome::LOSS), Some(arm(2)));
        // Ties change nothing, and a lead that was shown stays shown.
        assert_eq!(race.count(arm(0), arm(1), Outcome::TIE), Some(arm(2)));
    }
}
