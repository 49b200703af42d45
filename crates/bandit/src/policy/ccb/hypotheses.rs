//! What CCB takes for granted until it is disproved: who may win, and who beats whom.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::damaged::Damaged;
use crate::structures::bounds::certificates::Certificates;
use crate::structures::bounds::copeland_bounds::CopelandBounds;
use crate::structures::collections::arm_set::ArmSet;
use crate::structures::collections::pairs::pair_of;
use crate::{Arm, Stream};

/// B, the sets B^i, and L of the algorithm, with the open pairs among them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hypotheses {
    /// Names the random subsets.
    seed: u64,
    /// How many subsets were drawn.
    n_drawn: u64,
    /// B: the likely winners.
    winners: ArmSet,
    /// B^i: the likely conquerors of each arm.
    conquerors: Vec<ArmSet>,
    /// L: how many arms are taken to beat a winner.
    losses: usize,
    /// Whether B was made full when the three steps were last taken, or never looked through.
    stale: bool,
    /// How many of B^i are in no certificate with i, and how many that are over all i.
    open: Vec<u32>,
    n_open: usize,
}

impl Hypotheses {
    pub(super) fn new(n_arms: usize, seed: u64) -> Self {
        Self {
            seed,
            n_drawn: 0,
            winners: ArmSet::full(n_arms),
            conquerors: vec![ArmSet::empty(n_arms); n_arms],
            losses: n_arms,
            stale: true,
            open: vec![0; n_arms],
            n_open: 0,
        }
    }

    fn n_arms(&self) -> usize {
        self.open.len()
    }

    /// B.
    #[inline]
    pub(super) fn winners(&self) -> &ArmSet {
        &self.winners
    }

    /// B^i.
    pub(super) fn conquerors(&self, arm: Arm) -> &ArmSet {
        &self.conquerors[arm.index()]
    }

    /// L.
    pub(super) fn losses(&self) -> usize {
        self.losses
    }

    /// How many pairs (i, j) there are with j in B^i of which no certificate speaks.
    #[inline]
    pub(super) fn n_open(&self) -> usize {
        self.n_open
    }

    /// Whether one of these pairs is of this arm.
    #[inline]
    pub(super) fn has_open(&self, arm: Arm) -> bool {
        self.open[arm.index()] > 0
    }

    /// The arms of B^i that are in no certificate with i.
    pub(super) fn open<'a>(
        &'a self,
        arm: Arm,
        certificates: &'a Certificates<CopelandBounds>,
    ) -> impl Iterator<Item = Arm> + 'a {
        self.conquerors(arm).iter().filter(move |&other| is_open(certificates, arm, other))
    }

    /// The open pair that has `rank` others before it.
    pub(super) fn nth_open(&self, rank: usize, certificates: &Certificates<CopelandBounds>) -> (Arm, Arm) {
        let mut rank = rank;
        for arm in Arm::all(self.n_arms()) {
            let here = self.open[arm.index()] as usize;
            if rank < here {
                let other = self.open(arm, certificates).nth(rank).expect("as many as were counted");
                return (arm, other);
            }
            rank -= here;
        }
        unreachable!("there are {} open pairs", self.n_open)
    }

    /// A certificate of this pair is gone.
    #[inline]
    pub(super) fn reopen(&mut self, a: Arm, b: Arm) {
        for (i, j) in [(a, b), (b, a)] {
            if self.conquerors(i).contains(j) {
                self.open[i.index()] += 1;
                self.n_open += 1;
            }
        }
    }

    /// A pair without a certificate has one now.
    #[inline]
    pub(super) fn close(&mut self, a: Arm, b: Arm) {
        for (i, j) in [(a, b), (b, a)] {
            if self.conquerors(i).contains(j) {
                self.open[i.index()] -= 1;
                self.n_open -= 1;
            }
        }
    }

    /// Counts the open pairs anew.
    pub(super) fn recount(&mut self, certificates: &Certificates<CopelandBounds>) {
        self.n_open = 0;
        for arm in Arm::all(self.n_arms()) {
            let n = self.open(arm, certificates).count();
            self.open[arm.index()] = u32::try_from(n).unwrap_or(u32::MAX);
            self.n_open += n;
        }
    }

    /// The three steps, where all that is new since they were last taken is that `winner` is shown
    /// to beat `loser`.
    #[inline]
    pub(super) fn learn(&mut self, winner: Arm, loser: Arm, certificates: &Certificates<CopelandBounds>) {
        if self.conquerors(winner).contains(loser) {
            self.reset();
        }
        self.revise(certificates);
    }

    /// The three steps, where nothing is new.
    #[inline]
    pub(super) fn learn_nothing(&mut self, certificates: &Certificates<CopelandBounds>) {
        if self.stale {
            self.revise(certificates);
        }
    }

    /// The three steps, whatever is new.
    pub(super) fn learn_all(&mut self, certificates: &Certificates<CopelandBounds>) {
        let disproved = Arm::all(self.n_arms())
            .any(|arm| self.conquerors(arm).iter().any(|other| certificates.loses(other, arm)));
        if disproved {
            self.reset();
        }
        self.revise(certificates);
    }

    fn reset(&mut self) {
        let n_arms = self.n_arms();
        for arm in Arm::all(n_arms) {
            if !self.winners.contains(arm) {
                self.winners.insert(arm);
            }
            self.conquerors[arm.index()].clear();
        }
        self.open.fill(0);
        self.n_open = 0;
        self.losses = n_arms;
    }

    /// Steps 2 and 3.
    fn revise(&mut self, certificates: &Certificates<CopelandBounds>) {
        let scores = certificates.losses();
        self.stale = false;
        // Ucop < max Lcop.
        let most_beaten = self.n_arms() - 1 - scores.most_conquests();
        for arm in Arm::all(self.n_arms()) {
            if scores.beaten(arm) > most_beaten && self.winners.contains(arm) {
                self.winners.remove(arm);
                // Only those that are dropped: what is supposed of the others stays.
                if self.conquerors(arm).len() != self.losses + 1 {
                    self.suppose_shown(arm, certificates);
                }
            }
        }
        if self.winners.len() == 0 {
            self.reset();
            self.stale = true;
        }
        for arm in scores.least_beaten().iter() {
            // Ucop = Lcop.
            if scores.beaten(arm) + scores.conquests(arm) == self.n_arms() - 1 {
                self.add_winner(arm, certificates);
            }
        }
    }

    /// B^i: those that are shown to beat it.
    fn suppose_shown(&mut self, arm: Arm, certificates: &Certificates<CopelandBounds>) {
        self.forget(arm);
        for other in Arm::all(self.n_arms()) {
            if certificates.loses(arm, other) {
                self.conquerors[arm.index()].insert(other);
            }
        }
    }

    fn forget(&mut self, arm: Arm) {
        self.conquerors[arm.index()].clear();
        self.n_open -= self.open[arm.index()] as usize;
        self.open[arm.index()] = 0;
    }

    /// Step 3 for one of the least beaten arms, whose score is certain.
    fn add_winner(&mut self, winner: Arm, certificates: &Certificates<CopelandBounds>) {
        if !self.winners.contains(winner) {
            self.winners.insert(winner);
        }
        self.forget(winner);
        self.losses = certificates.losses().fewest();
        let size = self.losses + 1;
        for arm in Arm::all(self.n_arms()).filter(|&arm| arm != winner) {
            let len = self.conquerors(arm).len();
            if len < size {
                self.forget(arm);
            } else if len > size {
                self.keep_some(arm, size, certificates);
            }
        }
    }

    /// Keeps a random subset of B^i, each of this size as likely as the other: a member stays with
    /// the chance that as many as are needed fall on it and those after it.
    fn keep_some(&mut self, arm: Arm, size: usize, certificates: &Certificates<CopelandBounds>) {
        let mut rng = Stream::new(self.seed).label("ccb").index(self.n_drawn).rng();
        self.n_drawn = self.n_drawn.wrapping_add(1);
        let (mut left, mut needed) = (self.conquerors(arm).len(), size);
        for other in Arm::all(self.n_arms()) {
            if !self.conquerors(arm).contains(other) {
                continue;
            }
            if rng.random_range(0..left) < needed {
                needed -= 1;
            } else {
                self.conquerors[arm.index()].remove(other);
                if is_open(certificates, arm, other) {
                    self.open[arm.index()] -= 1;
                    self.n_open -= 1;
                }
            }
            left -= 1;
        }
    }
}

/// Whether no certificate speaks of a pair: L <= 1/2 <= U.
fn is_open(certificates: &Certificates<CopelandBounds>, arm: Arm, other: Arm) -> bool {
    certificates.loser(pair_of(arm.index(), other.index())).is_none()
}

/// What is stored of [`Hypotheses`]: all but what follows from it and the certificates.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedHypotheses {
    seed: u64,
    n_drawn: u64,
    /// B, a bit an arm.
    winners: Vec<u64>,
    /// The sets B^i one after the other.
    conquerors: Vec<u64>,
    losses: usize,
    stale: bool,
}

impl From<&Hypotheses> for SavedHypotheses {
    fn from(hypotheses: &Hypotheses) -> Self {
        Self {
            seed: hypotheses.seed,
            n_drawn: hypotheses.n_drawn,
            winners: hypotheses.winners.words().to_vec(),
            conquerors: hypotheses.conquerors.iter().flat_map(|set| set.words().iter().copied()).collect(),
            losses: hypotheses.losses,
            stale: hypotheses.stale,
        }
    }
}

impl SavedHypotheses {
    /// What it was, but for the count of open pairs.
    pub(super) fn restore(self, n_arms: usize) -> Result<Hypotheses, Damaged> {
        const WRONG: Damaged = Damaged("sets of arms that cannot be");
        let winners = ArmSet::from_words(n_arms, &self.winners).ok_or(WRONG)?;
        let n_words = winners.words().len();
        if self.conquerors.len() != n_arms * n_words || winners.len() == 0 || self.losses > n_arms {
            return Err(WRONG);
        }
        let sets = self.conquerors.chunks_exact(n_words);
        let conquerors: Option<Vec<ArmSet>> = sets.map(|words| ArmSet::from_words(n_arms, words)).collect();
        let conquerors = conquerors.ok_or(WRONG)?;
        if Arm::all(n_arms).zip(&conquerors).any(|(arm, set)| set.contains(arm)) {
            return Err(Damaged("an arm is taken to beat itself"));
        }
        let Self { seed, n_drawn, losses, stale, .. } = self;
        let open = vec![0; n_arms];
        Ok(Hypotheses { seed, n_drawn, winners, conquerors, losses, stale, open, n_open: 0 })
    }
}
