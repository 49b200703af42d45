//! One phase's search for a Copeland winner.

use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use crate::damaged::Damaged;
use crate::structures::bounds::kl_interval::{excludes, lower_end};
use crate::structures::bounds::sign_test::favoured;
use crate::structures::collections::pairs::{all_pairs, n_pairs, pair_of};
use crate::structures::counts::duel_counts::DuelCounts;
use crate::structures::counts::win_count::WinCount;
use crate::{Arm, Stream};

/// The search of one phase: candidates with rewards, the signs decided so far, and the answer once
/// it is found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Search {
    /// The random stream of this phase.
    stream: Stream,
    /// ln(K^2 / delta): the evidence that decides a pair's sign.
    pair_evidence: f64,
    /// ln(4 K / delta): the constant part of a candidate's budget.
    arm_evidence: f64,
    /// The decided sign of each pair: 1 if the arm with the lower index beats the other, -1 if it
    /// loses, 0 while undecided.
    signs: Vec<i8>,
    /// How many arms each arm is decided to beat (`won`) and to lose to (`lost`).
    won: Vec<usize>,
    lost: Vec<usize>,
    /// The largest `won`.
    most: usize,
    /// The rewards of each arm.
    rewards: Vec<WinCount>,
    /// The next opponent of each arm.
    opponents: Vec<Arm>,
    candidate: Vec<bool>,
    n_candidates: usize,
    /// The candidates that still meet others, in the order of their turns. `turn` is the position
    /// of the next one.
    queue: Vec<Arm>,
    turn: usize,
    /// The highest lower bound on a mean reward.
    floor: f64,
    answer: Option<Arm>,
}

impl Search {
    /// A search that is not in a phase yet; [`Self::restart`] begins one.
    pub(super) fn new(n_arms: usize) -> Self {
        let arm = Arm::new(0);
        Self {
            stream: Stream::new(0),
            pair_evidence: 0.0,
            arm_evidence: 0.0,
            signs: vec![0; n_pairs(n_arms)],
            won: vec![0; n_arms],
            lost: vec![0; n_arms],
            most: 0,
            rewards: vec![WinCount::default(); n_arms],
            opponents: vec![arm; n_arms],
            candidate: vec![true; n_arms],
            n_candidates: n_arms,
            queue: vec![arm; n_arms],
            turn: 0,
            floor: 0.0,
            answer: None,
        }
    }

    /// Begins a new phase with failure probability exp(`ln_delta`), from the duels so far.
    /// Allocates nothing.
    pub(super) fn restart(&mut self, stream: Stream, ln_delta: f64, counts: &DuelCounts) {
        let n_arms = self.n_arms();
        self.set_phase(stream, ln_delta);
        self.signs.fill(0);
        self.won.fill(0);
        self.lost.fill(0);
        self.most = 0;
        self.rewards.fill(WinCount::default());
        self.candidate.fill(true);
        self.n_candidates = n_arms;
        self.queue.clear();
        self.queue.extend(Arm::all(n_arms));
        self.queue.shuffle(&mut stream.label("order").rng());
        self.turn = 0;
        self.floor = 0.0;
        self.answer = None;
        if n_arms > 1 {
            for arm in Arm::all(n_arms) {
                self.draw(arm);
            }
        }
        self.look_at_all(counts);
    }

    fn set_phase(&mut self, stream: Stream, ln_delta: f64) {
        let ln_arms = libm::log(self.n_arms() as f64);
        self.stream = stream;
        self.pair_evidence = 2.0 * ln_arms - ln_delta;
        self.arm_evidence = libm::log(4.0) + ln_arms - ln_delta;
    }

    fn n_arms(&self) -> usize {
        self.candidate.len()
    }

    /// The Copeland winner, once it is found.
    #[inline]
    pub(super) fn answer(&self) -> Option<Arm> {
        self.answer
    }

    /// Whether an arm may still be the answer.
    pub(super) fn is_candidate(&self, arm: Arm) -> bool {
        self.candidate[arm.index()]
    }

    /// The pair to compare; the answer against itself once it is found.
    #[inline]
    pub(super) fn pair(&self) -> (Arm, Arm) {
        self.answer.map_or_else(
            || {
                let arm = self.queue[self.turn];
                (arm, self.opponents[arm.index()])
            },
            |arm| (arm, arm),
        )
    }

    /// Records that this pair has had its turn.
    #[inline]
    pub(super) fn took_turn(&mut self, pair: (Arm, Arm)) {
        if self.answer.is_none() && self.pair() == pair {
            self.turn += 1;
            self.settle();
        }
    }

    /// Checks a pair that has one more duel.
    #[inline]
    pub(super) fn look_at(&mut self, a: Arm, b: Arm, counts: &DuelCounts) {
        if self.decide(a, b, counts) {
            self.settle();
        }
    }

    /// Checks all pairs.
    pub(super) fn look_at_all(&mut self, counts: &DuelCounts) {
        for (low, high) in all_pairs(self.n_arms()) {
            self.decide(Arm::new(low), Arm::new(high), counts);
        }
        self.settle();
    }

    /// Decides the sign of an undecided pair if its duels are enough evidence. Returns whether it
    /// did.
    #[inline]
    fn decide(&mut self, a: Arm, b: Arm, counts: &DuelCounts) -> bool {
        let place = pair_of(a.index(), b.index());
        if self.answer.is_some() || self.signs[place] != 0 {
            return false;
        }
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        let Some(low_wins) = favoured(counts.wins(low, high), counts.wins(high, low), self.pair_evidence)
        else {
            return false;
        };
        self.signs[place] = if low_wins { 1 } else { -1 };
        self.credit_sign(if low_wins { (low, high) } else { (high, low) });
        true
    }

    fn credit_sign(&mut self, (winner, loser): (Arm, Arm)) {
        self.lost[loser.index()] += 1;
        let won = &mut self.won[winner.index()];
        *won += 1;
        self.most = self.most.max(*won);
    }

    /// Advances until the next candidate has an undecided pair, or the answer is found.
    fn settle(&mut self) {
        while self.answer.is_none() {
            if self.turn >= self.queue.len() {
                self.turn = 0;
            }
            if self.n_candidates == 1 {
                self.answer = Arm::all(self.n_arms()).find(|arm| self.candidate[arm.index()]);
                return;
            }
            let Some(&arm) = self.queue.get(self.turn) else {
                self.answer = Some(self.best_known());
                return;
            };
            let i = arm.index();
            if self.is_out(arm) {
                self.candidate[i] = false;
                self.n_candidates -= 1;
                self.queue.remove(self.turn);
            } else if self.won[i] + self.lost[i] == self.n_arms() - 1 {
                // Its score is known, so it needs no more duels.
                self.queue.remove(self.turn);
            } else {
                let opponent = self.opponents[i];
                let sign = self.signs[pair_of(i, opponent.index())];
                if sign == 0 {
                    return;
                }
                self.reward(arm, (sign > 0) == (arm < opponent));
                self.draw(arm);
            }
        }
    }

    /// Whether a candidate cannot be the answer, by its decided losses or by the interval around
    /// its mean reward.
    #[inline]
    fn is_out(&self, arm: Arm) -> bool {
        let WinCount { duels: n, wins } = self.rewards[arm.index()];
        self.lost[arm.index()] + self.most > self.n_arms() - 1
            || n > 0 && (wins as f64) < self.floor * n as f64 && excludes(wins, n, self.floor, self.budget(n))
    }

    /// The largest n kl within the interval: ln(4 n K / delta) + 2 ln ln n.
    fn budget(&self, n: u64) -> f64 {
        let ln_n = libm::log(n as f64);
        self.arm_evidence + ln_n + 2.0 * libm::log(ln_n.max(core::f64::consts::LN_2))
    }

    fn reward(&mut self, arm: Arm, won: bool) {
        let count = &mut self.rewards[arm.index()];
        count.duels += 1;
        count.wins += u64::from(won);
        let WinCount { duels: n, wins } = *count;
        let budget = self.budget(n);
        // Its lower bound is above the highest so far exactly if its interval excludes that value.
        if wins as f64 > self.floor * n as f64 && excludes(wins, n, self.floor, budget) {
            self.floor = self.floor.max(lower_end(wins, n, budget));
        }
    }

    /// Draws an arm's opponent for its next reward, uniformly from the other arms.
    fn draw(&mut self, arm: Arm) {
        let number = self.rewards[arm.index()].duels;
        let mut rng = self.stream.index(arm.index() as u64).index(number).rng();
        let other = rng.random_range(0..self.n_arms() - 1);
        self.opponents[arm.index()] = Arm::new(other + usize::from(other >= arm.index()));
    }

    /// The candidate that beats the most others; of several, one drawn uniformly.
    fn best_known(&self) -> Arm {
        let lot = |arm: Arm| self.stream.label("answer").index(arm.index() as u64).rng().random::<u64>();
        Arm::all(self.n_arms())
            .filter(|arm| self.candidate[arm.index()])
            .max_by_key(|&arm| (self.won[arm.index()], lot(arm)))
            .expect("the last candidate is never ruled out")
    }
}

/// The serialized form of [`Search`]: everything that cannot be recomputed from it and the phase.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedSearch {
    signs: Vec<i8>,
    rewards: Vec<WinCount>,
    opponents: Vec<usize>,
    candidate: Vec<bool>,
    /// The position of each arm in the queue; K if it is not there.
    places: Vec<usize>,
    turn: usize,
    floor: f64,
    /// The index of the answer, or K while the search has no answer.
    answer: usize,
}

impl From<&Search> for SavedSearch {
    fn from(search: &Search) -> Self {
        let n_arms = search.n_arms();
        let mut places = vec![n_arms; n_arms];
        for (place, arm) in search.queue.iter().enumerate() {
            places[arm.index()] = place;
        }
        Self {
            signs: search.signs.clone(),
            rewards: search.rewards.clone(),
            opponents: search.opponents.iter().map(|arm| arm.index()).collect(),
            candidate: search.candidate.clone(),
            places,
            turn: search.turn,
            floor: search.floor,
            answer: search.answer.map_or(n_arms, Arm::index),
        }
    }
}

impl SavedSearch {
    /// Restores the search, in the phase with this stream and failure probability.
    pub(super) fn restore(self, n_arms: usize, stream: Stream, ln_delta: f64) -> Result<Search, Damaged> {
        let lengths = [self.rewards.len(), self.opponents.len(), self.candidate.len(), self.places.len()];
        if lengths != [n_arms; 4] || self.signs.len() != n_pairs(n_arms) {
            return Err(Damaged("a list does not have one item per arm or per pair"));
        }
        let fits = self.signs.iter().all(|sign| (-1..=1).contains(sign))
            && self.opponents.iter().enumerate().all(|(i, &j)| j < n_arms && (i != j || n_arms == 1))
            && (0.0..=1.0).contains(&self.floor)
            && self.answer <= n_arms
            && self.candidate.contains(&true);
        if !fits {
            return Err(Damaged("a sign, an opponent, a bound or the answer is impossible"));
        }
        let mut search = Search::new(n_arms);
        search.set_phase(stream, ln_delta);
        let mut queue = vec![None; self.places.iter().filter(|&&place| place < n_arms).count()];
        for (arm, &place) in Arm::all(n_arms).zip(&self.places).filter(|&(_, &place)| place != n_arms) {
            match queue.get_mut(place) {
                Some(free @ None) if self.candidate[arm.index()] => *free = Some(arm),
                _ => return Err(Damaged("the places are not an order of turns")),
            }
        }
        search.queue.clear();
        search.queue.extend(queue.into_iter().flatten());
        let last_turn = search.queue.len().max(1);
        if self.turn >= last_turn {
            return Err(Damaged("the turn is out of range"));
        }
        for ((low, high), &sign) in all_pairs(n_arms).zip(&self.signs) {
            match sign {
                1 => search.credit_sign((Arm::new(low), Arm::new(high))),
                -1 => search.credit_sign((Arm::new(high), Arm::new(low))),
                _ => {}
            }
        }
        search.signs = self.signs;
        search.rewards = self.rewards;
        search.opponents = self.opponents.into_iter().map(Arm::new).collect();
        search.n_candidates = self.candidate.iter().filter(|&&candidate| candidate).count();
        search.candidate = self.candidate;
        search.turn = self.turn;
        search.floor = self.floor;
        search.answer = (self.answer < n_arms).then(|| Arm::new(self.answer));
        // A valid state is already settled. A damaged state must not be asked for a pair that it
        // does not have.
        search.settle();
        Ok(search)
    }
}
