//! CCB; [`Family`] has its page.

mod hypotheses;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use self::hypotheses::{Hypotheses, SavedHypotheses};
use super::counting::{PairCounting, PairTally, keeps_tally};
use super::limits::{MOST_ARMS, check_table};
use super::{Assumption, Citation, Curve, Goal, Info, Settles, registry};
use crate::damaged::Damaged;
use crate::params::ParamError;
use crate::structures::bounds::certificates::{Certificates, ln_of_round};
use crate::structures::bounds::copeland_bounds::CopelandBounds;
use crate::structures::bounds::upper_bounds::UpperBounds;
use crate::structures::collections::pairs::{arms, pair_of};
use crate::structures::counts::duel_counts::DuelCounts;
use crate::ticket::Draw;
use crate::{Arm, Ticket};

declare! {
    /// # CCB: Copeland confidence bounds
    ///
    /// ## Idea
    ///
    /// CCB looks for a Copeland winner: an arm that beats the largest number of others. Such an arm
    /// exists even if no arm beats all others.
    ///
    /// CCB is optimistic about the winner. The champion is one of the arms that may have the
    /// highest score, given how seldom they have met other arms. CCB is pessimistic about the
    /// champion. Its opponent is the arm that may beat it most often, among the arms that are not
    /// yet shown to beat it.
    ///
    /// CCB remembers its findings as hypotheses: a set B of likely winners, and for each arm i a
    /// set B^i of arms that likely beat it, its likely conquerors. It prefers duels that can
    /// disprove a hypothesis. To rule out an arm, it is enough to confirm one more loss than a
    /// winner has. B^i therefore needs no more arms than that, which saves the K^2 comparisons of
    /// all pairs.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// w_ij   = wins of i over j, n_ij = w_ij + w_ji
    /// U_ij, L_ij = w_ij / n_ij +- sqrt(alpha ln t / n_ij); U_ii = L_ii = 1/2
    /// Ucop_i = number of k other than i with U_ik >= 1/2
    /// Lcop_i = number of k other than i with L_ik > 1/2
    /// C      = the arms with the highest Ucop
    /// start and "reset":  B = all arms, every B^i is empty, L = K
    /// in each round:
    ///   1. reset if some L_ij > 1/2 with j in B^i
    ///   2. drop each i with Ucop_i < max_k Lcop_k from B; for each arm i dropped:
    ///          unless B^i has L + 1 arms, B^i = the k with U_ik < 1/2
    ///      reset if B is empty
    ///   3. for each i in C with Ucop_i = Lcop_i: i joins B, B^i is emptied, L = K - 1 - Ucop_i
    ///          for each other j: empty B^j if it has fewer than L + 1 arms;
    ///          if it has more, keep L + 1 of them, drawn at random
    /// decide:  with probability 1/4, if there are pairs (c, d) with d in B^c, L_cd <= 1/2 <= U_cd:
    ///              one of these pairs, uniform
    ///          else:
    ///              left  = c, uniform over C; but with probability 2/3 uniform over the arms in
    ///                      both B and C, if there are any
    ///              right = the j with the largest U_jc among those with L_jc <= 1/2, c included;
    ///                      but with probability 1/2 only among those of them in B^c, if there
    ///                      are any; c loses ties, other ties are random
    /// update:  the winner's w grows by 1; nothing if left = right
    /// ```
    ///
    /// t is the round, and at least 2. A pair that has not met has U = +infinity and L = -infinity.
    ///
    /// Few of these numbers are ever computed. U_ij < 1/2 and L_ji > 1/2 are the same statement. It
    /// holds while ln t < (w_ji - w_ij)^2 / (4 alpha n_ij) with w_ji > w_ij, so it is stored as a
    /// certificate with an expiry time. Time alone only ends certificates, and the end of a
    /// certificate disproves no hypothesis, drops no arm and makes no score certain. The three
    /// steps therefore have work to do only in rounds in which an outcome makes a certificate, or
    /// after B was found empty.
    ///
    /// **Random choices.** Step 3 is part of learning, but `update` must not draw. One seed is
    /// therefore drawn at construction, and the subset with number n is drawn from the random
    /// stream with number n of that seed. The effect is the same as if all subsets had been drawn
    /// in advance. Replaying a log gives the same subsets, and `propose` stays pure.
    ///
    /// **Late outcomes.** The three steps are taken when an outcome arrives: once per round if
    /// there is no delay. When the opponent is chosen, a duel in flight counts in the width of U,
    /// sqrt(alpha ln t / (n_ij + in flight)), with mean 1 if no outcome of the pair has arrived.
    /// Delay therefore does not make CCB repeat one pair. C, B and B^i depend only on outcomes that
    /// have arrived.
    ///
    /// **Sources.** This specification was written from memory and from public programs, which
    /// differ. One program never lets c meet itself, so its regret never becomes flat. It also
    /// fills B^i for each arm of B, not only for the dropped arms. Another program shuffles with a
    /// generator that is seeded anew at each call, so the subsets are always the same.
    ///
    /// ## Parameters
    ///
    parameters {
        /// width of the confidence interval
        ALPHA: number("alpha" = 0.51, [above 1/2]);
    }
    ///
    /// At most 4096 arms, because the tables hold an entry for each pair of arms.
    ///
    /// ## Guarantee
    ///
    /// If preferences do not change and have no ties, the Copeland regret is of order (K^2 + (C +
    /// L) K ln T) / D^2 (Zoghi et al. 2015). Here C is the number of Copeland winners, L the number
    /// of arms that beat a Copeland winner, and D a distance of P from 1/2.
    ///
    /// The bound does not allow for ties. If two arms that may win are tied, scores never become
    /// certain, and both arms go on being compared. arXiv-6 has one tie. It is between two arms
    /// that lose to others, and does no harm.
    ///
    /// The slow tests check one result of the paper: in a world without a Condorcet winner, the
    /// regret of CCB is of order ln T, while the regret of RUCB grows in proportion to time.
    ///
    /// ## Cost
    ///
    /// O(K) per round: one or two scans of the bounds against the champion, and one scan of the
    /// arms if the three steps have work to do. O(log K) for the certificates, each of which
    /// expires once. 37 K^2 bytes of memory. At most five words of randomness per round.
    /// `recommend` takes O(K^2).
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{Ccb, Policy}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Ccb::new(4, &mut rng);
    /// for _ in 0..4000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     // Arm 0 beats 1 and 2, and only 3 beats arm 0. Arms 1, 2 and 3 form a cycle: 1 beats 2,
    ///     // 2 beats 3, and 3 beats 1.
    ///     let wins = [[0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 1, 0, 0]];
    ///     let beats = |i: usize, j: usize| wins[i][j] == 1;
    ///     policy.update(&ticket, Outcome::won(beats(ticket.left.index(), ticket.right.index())));
    /// }
    /// // Arms 0 and 3 beat two others each, arms 1 and 2 only one.
    /// let likely: Vec<usize> = policy.likely_winners().iter().map(|arm| arm.index()).collect();
    /// assert_eq!(likely, [0, 3]);
    /// ```
    ///
    /// ## Reference
    ///
    /// Zoghi, Karnin, Whiteson and de Rijke, *Copeland dueling bandits*, NIPS 2015, pages 307-315;
    /// DOI `10.48550/arXiv.1506.00312`.
    pub struct Family;

    Family {
        name: "ccb",
        class: "Ccb",
        title: "Copeland confidence bounds",
        assumptions: &[Assumption::Stationary],
        horizon: None,
        settles: Settles::Pair,
        minimises: Goal::Copeland,
        binary: true,
        version: 1,
        cost: "O(K) per round, O(K^2) memory",
        forms: &[],
        curves: &[Curve::new([8, 0, 3])],
        reference: Citation {
            authors: "Zoghi, Karnin, Whiteson and de Rijke",
            title: "Copeland dueling bandits",
            venue: "NIPS, pages 307-315",
            year: 2015,
            doi: "doi:10.48550/arXiv.1506.00312",
        },
    } => |params, rng| Ccb::with(params.context().n_arms, ALPHA.read(params)?, rng.random());
}

/// Copeland confidence bounds; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct Ccb {
    alpha: f64,
    tally: PairTally,
    hypotheses: Hypotheses,
    /// As of the next decision.
    certificates: Certificates<CopelandBounds>,
    /// For each arm as the champion, U of its possible opponents. An arm that is shown to beat the
    /// champion is excluded: its U is minus infinity.
    bounds: UpperBounds,
}

fn check(n_arms: usize, alpha: f64) -> Result<(), ParamError> {
    check_table("ccb", n_arms, MOST_ARMS)?;
    ALPHA.check(alpha)
}

impl Ccb {
    /// CCB with alpha = 0.51. Draws the seed of the random subsets from `rng`.
    ///
    /// # Panics
    ///
    /// If there are no arms or more than 4096.
    pub fn new<R: Rng + ?Sized>(n_arms: usize, rng: &mut R) -> Self {
        Self::with(n_arms, ALPHA.default, rng.random()).expect("between 1 and 4096 arms")
    }

    /// CCB with any alpha and a given seed of the random subsets.
    ///
    /// # Errors
    ///
    /// If there are no arms or more than 4096, or `alpha` is not above 1/2.
    pub fn with(n_arms: usize, alpha: f64, seed: u64) -> Result<Self, ParamError> {
        check(n_arms, alpha)?;
        Ok(Self::assemble(alpha, PairTally::new(n_arms), Hypotheses::new(n_arms, seed)))
    }

    /// Computes everything that follows from the counts and the time.
    fn assemble(alpha: f64, tally: PairTally, hypotheses: Hypotheses) -> Self {
        let n_arms = tally.n_arms();
        let ln_t = ln_of_round(tally.round + 1);
        let mut policy = Self {
            alpha,
            tally,
            hypotheses,
            certificates: Certificates::new(n_arms, ln_t),
            bounds: UpperBounds::new(n_arms, f64::INFINITY),
        };
        policy.bounds.set_time(alpha, ln_t);
        policy.look_at_all();
        policy
    }

    fn look_at_all(&mut self) {
        for i in Arm::all(self.tally.n_arms()) {
            for j in Arm::all(i.index()) {
                self.certify(i, j);
                self.set_bounds(i, j);
            }
        }
        self.hypotheses.recount(&self.certificates);
    }

    /// Tests again whether one arm of a pair is shown to lose against the other.
    #[inline]
    fn certify(&mut self, i: Arm, j: Arm) {
        self.certificates.judge(i, j, self.tally.counts.score(i, j), self.alpha);
    }

    /// Sets the two bounds of a pair from its counts and its certificate.
    #[inline]
    fn set_bounds(&mut self, i: Arm, j: Arm) {
        self.bounds.set_pair(&self.tally.counts, i, j);
        if let Some(loser) = self.certificates.loser(pair_of(i.index(), j.index())) {
            let winner = if loser == i { j } else { i };
            self.bounds.set(winner, loser, f64::NEG_INFINITY, 0.0);
        }
    }

    /// Looks at a pair whose counts have changed. If one arm is now shown to beat the other, and
    /// was not before, learns this and returns true.
    #[inline]
    fn look_at(&mut self, left: Arm, right: Arm) -> bool {
        let pair = pair_of(left.index(), right.index());
        let before = self.certificates.loser(pair);
        self.certify(left, right);
        let after = self.certificates.loser(pair);
        self.set_bounds(left, right);
        match (before, after) {
            (None, Some(_)) => self.hypotheses.close(left, right),
            (Some(_), None) => self.hypotheses.reopen(left, right),
            _ => {}
        }
        let Some(loser) = after.filter(|_| before != after) else { return false };
        let winner = if loser == left { right } else { left };
        self.hypotheses.learn(winner, loser, &self.certificates);
        true
    }

    /// The probability that this arm is the champion, given that no open pair is played.
    #[inline]
    fn chance_of_champion(&self, arm: Arm) -> f64 {
        let (best, likely) = (self.certificates.losses().least_beaten(), self.hypotheses.winners());
        if !best.contains(arm) {
            return 0.0;
        }
        let of_all = 1.0 / best.len() as f64;
        match best.n_common(likely) {
            0 => of_all,
            common => {
                let of_common = if likely.contains(arm) { 1.0 / common as f64 } else { 0.0 };
                2.0 / 3.0 * of_common + of_all / 3.0
            }
        }
    }

    #[inline]
    fn champion<R: Rng + ?Sized>(&self, rng: &mut R) -> Arm {
        let (best, likely) = (self.certificates.losses().least_beaten(), self.hypotheses.winners());
        if let Some(only) = best.only() {
            return only;
        }
        match best.n_common(likely) {
            common if common > 0 && rng.random_range(0..3) < 2 => {
                best.nth_common(likely, rng.random_range(0..common))
            }
            _ => best.draw(rng),
        }
    }

    /// The largest U among the likely conquerors of the champion without a certificate, and how
    /// many of them have it.
    fn highest_open(&self, champion: Arm) -> (f64, usize) {
        let mut highest = (f64::NEG_INFINITY, 0);
        for other in self.hypotheses.open(champion, &self.certificates) {
            let bound = self.bounds.bound(other, champion);
            if bound > highest.0 {
                highest = (bound, 1);
            } else if bound >= highest.0 {
                highest.1 += 1;
            }
        }
        highest
    }

    /// Draws the champion's opponent.
    #[inline]
    fn opponent<R: Rng + ?Sized>(&self, champion: Arm, rng: &mut R) -> Arm {
        if self.hypotheses.has_open(champion) && rng.random::<bool>() {
            let (highest, n_ties) = self.highest_open(champion);
            let rank = if n_ties == 1 { 0 } else { rng.random_range(0..n_ties) };
            return self
                .hypotheses
                .open(champion, &self.certificates)
                .filter(|&other| self.bounds.bound(other, champion) >= highest)
                .nth(rank)
                .expect("the rank is below the count");
        }
        self.bounds.strongest(champion, rng).0
    }

    /// The probability of this opponent, given the champion.
    #[inline]
    fn chance_of_opponent(&self, opponent: Arm, champion: Arm) -> f64 {
        let of_all = self.bounds.chance(opponent, champion);
        if !self.hypotheses.has_open(champion) {
            return of_all;
        }
        let (highest, n_ties) = self.highest_open(champion);
        let is_open = self.hypotheses.open(champion, &self.certificates).any(|other| other == opponent);
        let tied = is_open && self.bounds.bound(opponent, champion) >= highest;
        let of_open = if tied { 1.0 / n_ties as f64 } else { 0.0 };
        f64::midpoint(of_all, of_open)
    }

    /// The probability of a pair, over all ways to choose it.
    #[inline]
    fn chance(&self, left: Arm, right: Arm) -> f64 {
        let champion = self.chance_of_champion(left);
        let chosen = if champion > 0.0 { champion * self.chance_of_opponent(right, left) } else { 0.0 };
        let n_open = self.hypotheses.n_open();
        if n_open == 0 {
            return chosen;
        }
        let is_open = self.hypotheses.conquerors(left).contains(right)
            && self.certificates.loser(pair_of(left.index(), right.index())).is_none();
        let explored = if is_open { 0.25 / n_open as f64 } else { 0.0 };
        explored + 0.75 * chosen
    }

    /// The arms that may have the highest Copeland score: C of the next decision.
    pub fn candidates(&self) -> Vec<Arm> {
        self.certificates.losses().least_beaten().iter().collect()
    }

    /// B: the likely winners.
    pub fn likely_winners(&self) -> Vec<Arm> {
        self.hypotheses.winners().iter().collect()
    }

    /// B^i: the arms that likely beat this arm.
    ///
    /// # Panics
    ///
    /// If there is no such arm.
    pub fn likely_conquerors(&self, arm: Arm) -> Vec<Arm> {
        self.hypotheses.conquerors(arm).iter().collect()
    }

    /// L: the number of arms that are assumed to beat a Copeland winner. It is K at the start and
    /// after a reset.
    pub fn likely_losses(&self) -> usize {
        self.hypotheses.losses()
    }
}

keeps_tally!(Ccb);

impl PairCounting for Ccb {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let n_open = self.hypotheses.n_open();
        let (left, right) = if n_open > 0 && rng.random_range(0..4) == 0 {
            self.hypotheses.nth_open(rng.random_range(0..n_open), &self.certificates)
        } else {
            let champion = self.champion(rng);
            (champion, self.opponent(champion, rng))
        };
        self.tally.ticket((left, right), 0, Draw::Pair(self.chance(left, right)))
    }

    #[inline]
    fn issued(&mut self, ticket: &Ticket) {
        let ln_t = ln_of_round(self.tally.round + 1);
        self.bounds.set_time(self.alpha, ln_t);
        while let Some(pair) = self.certificates.expire(ln_t) {
            let (low, high) = arms(pair);
            self.hypotheses.reopen(Arm::new(low), Arm::new(high));
            self.set_bounds(Arm::new(low), Arm::new(high));
        }
        if !ticket.is_self_duel() {
            self.set_bounds(ticket.left, ticket.right);
        }
    }

    #[inline]
    fn counted(&mut self, winner: Arm, loser: Arm) {
        if !self.look_at(winner, loser) {
            self.hypotheses.learn_nothing(&self.certificates);
        }
    }

    #[inline]
    fn met_itself(&mut self) {
        self.hypotheses.learn_nothing(&self.certificates);
    }

    fn voided(&mut self, left: Arm, right: Arm) {
        self.set_bounds(left, right);
    }

    /// B, the sets B^i and L stay as they are until they are disproved.
    fn taken_back(&mut self, winner: Arm, loser: Arm) {
        self.look_at(winner, loser);
    }

    fn added(&mut self, _: &[f64]) {
        self.look_at_all();
        self.hypotheses.learn_all(&self.certificates);
    }
}

/// The serialized form of [`Ccb`], without the fields that follow from the others.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    alpha: f64,
    counts: DuelCounts,
    round: u64,
    hypotheses: SavedHypotheses,
}

impl From<Ccb> for Saved {
    fn from(policy: Ccb) -> Self {
        let hypotheses = SavedHypotheses::from(&policy.hypotheses);
        let Ccb { alpha, tally: PairTally { counts, round }, .. } = policy;
        Self { alpha, counts, round, hypotheses }
    }
}

impl TryFrom<Saved> for Ccb {
    type Error = Damaged;

    fn try_from(Saved { alpha, counts, round, hypotheses }: Saved) -> Result<Self, Damaged> {
        if check(counts.n_arms(), alpha).is_err() {
            return Err(Damaged("the number of arms or alpha is out of range"));
        }
        let tally = PairTally::restore(counts, round)?;
        let hypotheses = hypotheses.restore(tally.n_arms())?;
        Ok(Self::assemble(alpha, tally, hypotheses))
    }
}
