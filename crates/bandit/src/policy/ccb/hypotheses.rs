//! The hypotheses of CCB: the likely winners, and the arms that likely beat each arm. They are kept
//! until they are disproved.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::damaged::Damaged;
use crate::structures::bounds::certificates::Certificates;
use crate::structures::bounds::copeland_bounds::CopelandBounds;
use crate::structures::collections::arm_set::ArmSet;
use crate::structures::collections::pairs::pair_of;
use crate::{Arm, Stream};

/// B, the sets B^i and L of the algorithm, with the open pairs. A pair (i, j) is open if j is in
/// B^i and no certificate shows which of the two wins.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hypotheses {
    /// The seed of the random subsets.
    seed: u64,
    /// The number of subsets drawn so far.
    n_drawn: u64,
    /// B: the likely winners.
    winners: ArmSet,
    /// B^i: the likely conquerors of each arm.
    conquerors: Vec<ArmSet>,
    /// L: the number of arms that are assumed to beat a winner.
    losses: usize,
    /// Whether steps 2 and 3 are due even without a new certificate: at the start, and after B was
    /// found empty.
    stale: bool,
    /// The number of open pairs (i, j) of each arm i.
    open: Vec<u32>,
    /// The sum of `open`.
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

    /// The number of open pairs (i, j).
    #[inline]
    pub(super) fn n_open(&self) -> usize {
        self.n_open
    }

    /// Whether there is an open pair (i, j) with this arm as i.
    #[inline]
    pub(super) fn has_open(&self, arm: Arm) -> bool {
        self.open[arm.index()] > 0
    }

    /// The arms j of the open pairs (i, j) with this arm as i.
    pub(super) fn open<'a>(
        &'a self,
        arm: Arm,
        certificates: &'a Certificates<CopelandBounds>,
    ) -> impl Iterator<Item = Arm> + 'a {
        self.conquerors(arm).iter().filter(move |&other| is_open(certificates, arm, other))
    }

    /// The open pair with this rank, counted from 0.
    pub(super) fn nth_open(&self, rank: usize, certificates: &Certificates<CopelandBounds>) -> (Arm, Arm) {
        let mut rank = rank;
        for arm in Arm::all(self.n_arms()) {
            let here = self.open[arm.index()] as usize;
            if rank < here {
                let other = self.open(arm, certificates).nth(rank).expect("the rank is below the count");
                return (arm, other);
            }
            rank -= here;
        }
        unreachable!("there are {} open pairs", self.n_open)
    }

    /// Counts a pair as open after it has lost its certificate.
    #[inline]
    pub(super) fn reopen(&mut self, a: Arm, b: Arm) {
        for (i, j) in [(a, b), (b, a)] {
            if self.conquerors(i).contains(j) {
                self.open[i.index()] += 1;
                self.n_open += 1;
            }
        }
    }

    /// No longer counts a pair as open after it has got a certificate.
    #[inline]
    pub(super) fn close(&mut self, a: Arm, b: Arm) {
        for (i, j) in [(a, b), (b, a)] {
            if self.conquerors(i).contains(j) {
                self.open[i.index()] -= 1;
                self.n_open -= 1;
            }
        }
    }

    /// Recounts the open pairs.
    pub(super) fn recount(&mut self, certificates: &Certificates<CopelandBounds>) {
        self.n_open = 0;
        for arm in Arm::all(self.n_arms()) {
            let n = self.open(arm, certificates).count();
            self.open[arm.index()] = u32::try_from(n).unwrap_or(u32::MAX);
            self.n_open += n;
        }
    }

    /// Takes the three steps after one new certificate: `winner` is shown to beat `loser`.
    #[inline]
    pub(super) fn learn(&mut self, winner: Arm, loser: Arm, certificates: &Certificates<CopelandBounds>) {
        if self.conquerors(winner).contains(loser) {
            self.reset();
        }
        self.revise(certificates);
    }

    /// Takes the three steps after an outcome without a new certificate.
    #[inline]
    pub(super) fn learn_nothing(&mut self, certificates: &Certificates<CopelandBounds>) {
        if self.stale {
            self.revise(certificates);
        }
    }

    /// Takes the three steps after any number of changes.
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
                // Only for arms that are dropped. B^i of the others stays as it is.
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

    /// Sets B^i to the arms that are shown to beat this arm.
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

    /// Step 3 for an arm of C whose score is certain.
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

    /// Keeps a random subset of B^i; all subsets of this size are equally likely. Goes through the
    /// members once, and keeps each with the probability (members still needed) / (members not yet
    /// seen).
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

/// Whether a pair has no certificate: L <= 1/2 <= U.
fn is_open(certificates: &Certificates<CopelandBounds>, arm: Arm, other: Arm) -> bool {
    certificates.loser(pair_of(arm.index(), other.index())).is_none()
}

/// The serialized form of [`Hypotheses`], without the counts of open pairs, which follow from the
/// certificates.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedHypotheses {
    seed: u64,
    n_drawn: u64,
    /// B, one bit per arm.
    winners: Vec<u64>,
    /// The sets B^i, one after the other.
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
    /// Restores everything except the counts of open pairs.
    pub(super) fn restore(self, n_arms: usize) -> Result<Hypotheses, Damaged> {
        const WRONG: Damaged = Damaged("the sets of arms are impossible");
        let winners = ArmSet::from_words(n_arms, &self.winners).ok_or(WRONG)?;
        let n_words = winners.words().len();
        if self.conquerors.len() != n_arms * n_words || winners.len() == 0 || self.losses > n_arms {
            return Err(WRONG);
        }
        let sets = self.conquerors.chunks_exact(n_words);
        let conquerors: Option<Vec<ArmSet>> = sets.map(|words| ArmSet::from_words(n_arms, words)).collect();
        let conquerors = conquerors.ok_or(WRONG)?;
        if Arm::all(n_arms).zip(&conquerors).any(|(arm, set)| set.contains(arm)) {
            return Err(Damaged("an arm is assumed to beat itself"));
        }
        let Self { seed, n_drawn, losses, stale, .. } = self;
        let open = vec![0; n_arms];
        Ok(Hypotheses { seed, n_drawn, winners, conquerors, losses, stale, open, n_open: 0 })
    }
}
