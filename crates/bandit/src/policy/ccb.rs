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
    /// A Copeland winner beats the most others; it exists where no arm beats all. Be optimistic
    /// about who it is: the champion is one of the arms that may have the highest score, given how
    /// seldom they met. Be pessimistic about it: its opponent is the arm that may beat it most
    /// often and is not shown to. What was once found out is kept as hypotheses, likely winners B
    /// and for each arm i likely conquerors B^i, and duels go first where they would be disproved.
    /// To rule an arm out it is enough to confirm one more loss than a winner has, so that B^i need
    /// be no larger: that is what saves the K^2 comparisons of all with all.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// U_ij, L_ij = w_ij / n_ij +- sqrt(alpha ln t / n_ij)      w_ij wins of i over j, n_ij = w_ij + w_ji; U_ii = L_ii = 1/2
    /// Ucop_i = number of k other than i with U_ik >= 1/2       Lcop_i = number of k other than i with L_ik > 1/2
    /// C      = the arms with the highest Ucop
    /// B, B^i, L: at first all arms, no arm, K; "reset" makes them so again. In each round:
    ///   1. reset if some L_ij > 1/2 with j in B^i
    ///   2. drop i from B if Ucop_i < max_k Lcop_k, and then, unless B^i has L + 1 arms, B^i = the k with U_ik < 1/2; reset if B is empty
    ///   3. for i in C with Ucop_i = Lcop_i: i joins B, B^i is emptied, L = K - 1 - Ucop_i, and for each other j: B^j is emptied if it has
    ///      fewer than L + 1 arms, and cut to L + 1 of its arms, drawn at random, if it has more
    /// decide:  with probability 1/4, if there is a pair (c, d) with d in B^c and L_cd <= 1/2 <= U_cd: one of these, uniform
    ///          else  left  = c, uniform over C; but with probability 2/3 over B and C, if they have arms in common
    ///                right = the largest U_jc over the j with L_jc <= 1/2, c included; with probability 1/2 over those of them in B^c alone,
    ///                        if there are any; c gives way where it ties, other ties are random
    /// update:  the winner's w grows by 1; nothing if left = right
    /// ```
    ///
    /// t is the round, and at least 2. A pair that has not met has U = +infinity and L = -infinity.
    ///
    /// Few of these numbers are ever computed. U_ij < 1/2 and L_ji > 1/2 are one statement, true
    /// while ln t < (w_ji - w_ij)^2 / (4 alpha n_ij) with w_ji > w_ij: a certificate with a date of
    /// expiry. Time only ends certificates, and their end disproves nothing, drops nobody and makes
    /// no score certain. So the three steps have work to do only in rounds in which an outcome
    /// makes a certificate, or after B was found empty.
    ///
    /// **Random choices.** Step 3 belongs to learning, and `update` must not draw. So one seed is
    /// drawn at construction, and subset number n is drawn from the stream of that name: as if all
    /// had been drawn in advance. Replaying a log gives the same subsets, and `propose` stays pure.
    ///
    /// **Late outcomes.** The three steps are taken when an outcome has come, which in a run
    /// without delay is once a round. A duel whose outcome has not come yet counts in the width of
    /// U where the opponent is chosen, sqrt(alpha ln t / (n_ij + in flight)), with mean 1 if none
    /// of the pair's outcomes came, so that delay does not make it repeat one pair; C, B and B^i
    /// depend on outcomes that came.
    ///
    /// This specification was written from memory and from public programs. Those differ: one never
    /// lets c meet itself, so that its regret never becomes flat, and fills B^i for each arm of B,
    /// not only for those dropped; another shuffles with a generator that is seeded anew at each
    /// call, so that the subsets are always the same.
    ///
    /// ## Parameters
    ///
    parameters {
        /// width of the confidence interval
        ALPHA: number("alpha" = 0.51, [above 1/2]);
    }
    ///
    /// At most 4096 arms: a table with a row for each pair of more would fill the memory.
    ///
    /// ## Guarantee
    ///
    /// For preferences that do not change and have no ties, the Copeland regret is of order (K^2 +
    /// (C + L) K ln T) / D^2, with C the number of Copeland winners, L that of arms that beat one,
    /// and D a distance of P from 1/2 (Zoghi et al. 2015). Ties are not allowed for: with a tie
    /// between arms that may win, scores never become certain, and both go on being compared;
    /// arXiv-6 has one tie, between arms that others beat, where it does no harm. The slow tests
    /// hold it to an order of that paper: in a world without a Condorcet winner its regret is of
    /// order ln T, where RUCB's grows in proportion to time.
    ///
    /// ## Cost
    ///
    /// O(K) a round: a scan or two of the bounds against the champion, and one of the arms where
    /// the three steps have work to do; O(log K) for the certificates, each of which expires once.
    /// 37 K^2 bytes of memory. At most five words of randomness a round. `recommend` takes O(K^2).
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
    ///     // Arm 0 beats 1 and 2, arm 3 beats 0 alone, and 1, 2 and 3 beat each other in a circle: 1 over 2, 2 over 3, 3 over 1.
    ///     let beats = |i: usize, j: usize| [[0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 1, 0, 0]][i][j] == 1;
    ///     policy.update(&ticket, Outcome::won(beats(ticket.left.index(), ticket.right.index())));
    /// }
    /// // Arms 0 and 3 beat two others each, 1 and 2 one.
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
        cost: "O(K) a round, O(K^2) memory",
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
    /// At the time of the next decision.
    certificates: Certificates<CopelandBounds>,
    /// U of all that an arm may meet as the champion: those that are shown to beat it are out, at
    /// minus infinity.
    bounds: UpperBounds,
}

fn check(n_arms: usize, alpha: f64) -> Result<(), ParamError> {
    check_table("ccb", n_arms, MOST_ARMS)?;
    ALPHA.check(alpha)
}

impl Ccb {
    /// With alpha = 0.51. The seed of its random subsets is drawn here.
    ///
    /// # Panics
    ///
    /// If there are no arms, or more than 4096.
    pub fn new<R: Rng + ?Sized>(n_arms: usize, rng: &mut R) -> Self {
        Self::with(n_arms, ALPHA.default, rng.random()).expect("between 1 and 4096 arms")
    }

    /// With any alpha, and the seed of its random subsets.
    ///
    /// # Errors
    ///
    /// If there are no arms, or more than 4096, or `alpha` is not above 1/2.
    pub fn with(n_arms: usize, alpha: f64, seed: u64) -> Result<Self, ParamError> {
        check(n_arms, alpha)?;
        Ok(Self::assemble(alpha, PairTally::new(n_arms), Hypotheses::new(n_arms, seed)))
    }

    /// Makes all that follows from the counts and the time.
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

    /// Tests again which of a pair is shown to lose against the other.
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

    /// Looks at a pair whose counts have changed, and learns what is shown anew; says whether
    /// anything is.
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

    /// The champion's probability, given that no open pair is played.
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

    /// The largest U among the open conquerors of the champion, and how many have it.
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
                .expect("as many as were counted");
        }
        self.bounds.strongest(champion, rng).0
    }

    /// How likely this opponent of a champion was.
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

    /// How likely a pair was, in all ways.
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

    /// B.
    pub fn likely_winners(&self) -> Vec<Arm> {
        self.hypotheses.winners().iter().collect()
    }

    /// B^i of an arm.
    ///
    /// # Panics
    ///
    /// If there is no such arm.
    pub fn likely_conquerors(&self, arm: Arm) -> Vec<Arm> {
        self.hypotheses.conquerors(arm).iter().collect()
    }

    /// L: how many arms are taken to beat a Copeland winner; K before there is reason to think so.
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

    /// B, the sets B^i and L stay until they are disproved.
    fn taken_back(&mut self, winner: Arm, loser: Arm) {
        self.look_at(winner, loser);
    }

    fn added(&mut self, _: &[f64]) {
        self.look_at_all();
        self.hypotheses.learn_all(&self.certificates);
    }
}

/// What is stored of [`Ccb`]: all but what follows from it.
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
