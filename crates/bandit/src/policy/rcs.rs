//! RCS; [`Family`] has its page.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::counting::{PairCounting, PairTally, changed_pairs, keeps_tally};
use super::limits::{LAST_ROUND, MOST_ARMS, check_table};
use super::{Assumption, Citation, Curve, Goal, Info, Settles, registry};
use crate::damaged::Damaged;
use crate::params::ParamError;
use crate::structures::bounds::certificates::ln_of_round;
use crate::structures::bounds::superiority::Superiority;
use crate::structures::bounds::upper_bounds::UpperBounds;
use crate::structures::counts::duel_counts::DuelCounts;
use crate::ticket::Draw;
use crate::{Arm, Ticket};

declare! {
    /// # RCS: relative confidence sampling
    ///
    /// ## Idea
    ///
    /// RCS simulates a tournament between all arms from what it has seen so far, and then tests the
    /// tournament's winner against its most dangerous opponent.
    ///
    /// For each pair, a Beta posterior of the pair's wins describes what is known. RCS draws a
    /// winner of each pair from these posteriors. If one arm beats all others in this tournament,
    /// it is the champion. If no arm does, the champion is the arm that has been champion least
    /// often. The opponent is the arm that may beat the champion most often, as in RUCB. The
    /// champion itself is among the possible opponents, with a bound of exactly 1/2, so in the end
    /// it meets itself.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// u_ij = w_ij / n_ij + sqrt(alpha ln t / n_ij)
    ///   w_ij wins of i over j, n_ij = w_ij + w_ji; u_ii = 1/2
    /// decide:  theta_ij ~ Beta(w_ij + 1, w_ji + 1) for i < j, theta_ji = 1 - theta_ij
    ///          left  = c, the arm with theta_cj > 1/2 for all j;
    ///            if there is no such arm, the one that was c least often,
    ///                  ties at random
    ///          right = the j with the largest u_jc over all arms, c included;
    ///            if c ties, the other arm; other ties at random
    /// issue:   c was champion once more
    /// update:  the winner's w grows by 1; nothing if left = right
    /// ```
    ///
    /// t is the round, and at least 2. A pair that has not met has u = +infinity. The rule
    /// leaves open which arm is chosen if c ties with another arm. This implementation chooses the
    /// other arm, as RUCB does. Such ties occur only with artificial counts.
    ///
    /// The implementation does not draw the variables theta_ij. At most one arm beats all others.
    /// The pairs are drawn independently, so arm i beats all others with probability q_i, the
    /// product over j of F_ij = Pr[theta_ij > 1/2] = Pr[Bin(n_ij + 1, 1/2) <= w_ij]. This gives the
    /// exact distribution of the champion: arm i with probability q_i, and one of the arms that
    /// were champion least often with the remaining probability. An outcome changes one F and two
    /// q. The champion has the same distribution as in a program that draws every variable, but the
    /// same seed gives other duels.
    ///
    /// A duel in flight counts in the width, sqrt(alpha ln t / (n_ij + in flight)), with mean 1 if
    /// no outcome of the pair has arrived. Late outcomes therefore do not make RCS repeat one pair.
    /// A duel that will never be answered should be voided. Merging nodes adds up their counts; the
    /// resulting probabilities agree with counting one by one to about 1e-13. The number of times
    /// an arm was champion is not merged.
    ///
    /// ## Parameters
    ///
    parameters {
        /// width of the confidence interval
        ALPHA: number("alpha" = 0.501, [above 1/2]);
    }
    ///
    /// At most 4096 arms, because the tables hold an entry for each pair of arms.
    ///
    /// ## Guarantee
    ///
    /// No bound has been proved. The paper compares RCS with RUCB and SAVAGE on learning-to-rank
    /// data, where RCS has less regret than both. The slow tests check this order on arXiv-6 and
    /// SAVAGE-30.
    ///
    /// ## Cost
    ///
    /// O(K) per round: one scan draws the champion, and one scan finds its opponent. O(K) per
    /// outcome. 36 K^2 bytes of memory. At most three words of randomness per round. `recommend`
    /// takes O(K^2).
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{Policy, Rcs}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Rcs::new(4);
    /// for _ in 0..2000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     // The lower index wins.
    ///     policy.update(&ticket, Outcome::won(ticket.left < ticket.right));
    /// }
    /// assert_eq!(policy.recommend().index(), 0);
    /// assert!(policy.champions()[0] > 0.99);
    /// ```
    ///
    /// ## Reference
    ///
    /// Zoghi, Whiteson, de Rijke and Munos, *Relative confidence sampling for efficient on-line
    /// ranker evaluation*, WSDM 2014, pages 73-82; DOI `10.1145/2556195.2556256`. This
    /// implementation follows descriptions and public programs, not the paper itself; `alpha` is
    /// the default of one of those programs.
    pub struct Family;

    Family {
        name: "rcs",
        class: "Rcs",
        title: "relative confidence sampling",
        assumptions: &[Assumption::CondorcetWinner, Assumption::Stationary],
        horizon: None,
        settles: Settles::Pair,
        minimises: Goal::Condorcet,
        binary: true,
        version: 1,
        cost: "O(K) per round, O(K^2) memory",
        forms: &[],
        curves: &[Curve::new([6, 7, 0])],
        reference: Citation {
            authors: "Zoghi, Whiteson, de Rijke and Munos",
            title: "Relative confidence sampling for efficient on-line ranker evaluation",
            venue: "WSDM, pages 73-82",
            year: 2014,
            doi: "doi:10.1145/2556195.2556256",
        },
    } => |params, _| Rcs::with(params.context().n_arms, ALPHA.read(params)?);
}

/// Relative confidence sampling; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct Rcs {
    alpha: f64,
    tally: PairTally,
    /// F of each pair.
    above: Superiority,
    /// How often each arm was champion.
    reigns: Vec<u64>,
    /// q: the probability that each arm beats all others.
    beats_all: Vec<f64>,
    /// The bounds at the time of the next decision.
    bounds: UpperBounds,
}

fn check(n_arms: usize, alpha: f64) -> Result<(), ParamError> {
    check_table("rcs", n_arms, MOST_ARMS)?;
    ALPHA.check(alpha)
}

impl Rcs {
    /// With alpha = 0.501.
    ///
    /// # Panics
    ///
    /// If there are no arms, or more than 4096.
    pub fn new(n_arms: usize) -> Self {
        Self::with(n_arms, ALPHA.default).expect("between 1 and 4096 arms")
    }

    /// With any width `alpha` of the confidence interval.
    ///
    /// # Errors
    ///
    /// If there are no arms, or more than 4096, or `alpha` is not above 1/2.
    pub fn with(n_arms: usize, alpha: f64) -> Result<Self, ParamError> {
        check(n_arms, alpha)?;
        Ok(Self::assemble(alpha, PairTally::new(n_arms), Superiority::new(n_arms), vec![0; n_arms]))
    }

    /// Computes everything that follows from the counts, the probabilities and the time.
    fn assemble(alpha: f64, tally: PairTally, above: Superiority, reigns: Vec<u64>) -> Self {
        let n_arms = tally.n_arms();
        let mut policy = Self {
            alpha,
            tally,
            above,
            reigns,
            beats_all: vec![1.0; n_arms],
            bounds: UpperBounds::new(n_arms, f64::INFINITY),
        };
        policy.bounds.set_time(alpha, ln_of_round(policy.tally.round + 1));
        for i in Arm::all(n_arms) {
            for j in Arm::all(i.index()) {
                policy.bounds.set_pair(&policy.tally.counts, i, j);
            }
            policy.multiply(i);
        }
        policy
    }

    /// Sets q of an arm. Multiplies all factors in a fixed order, so that q depends only on the
    /// factors and no factor of 0 is ever divided out.
    #[inline]
    fn multiply(&mut self, arm: Arm) {
        let others = Arm::all(self.tally.n_arms()).filter(|&other| other != arm);
        self.beats_all[arm.index()] = others.map(|other| self.above.chance(arm, other)).product();
    }

    /// The probability left for the arms that were champion least often. At most one arm beats all
    /// others, so the sum of all q is at most 1 up to rounding.
    fn nobody(&self) -> f64 {
        (1.0 - self.beats_all.iter().sum::<f64>()).max(0.0)
    }

    /// The smallest number of times that an arm was champion, and the number of arms that share it.
    fn fewest(&self) -> (u64, usize) {
        let fewest = self.reigns.iter().copied().min().unwrap_or(0);
        (fewest, self.reigns.iter().filter(|&&reigns| reigns == fewest).count())
    }

    /// Draws the champion, with its probability.
    fn champion<R: Rng + ?Sized>(&self, rng: &mut R) -> (Arm, f64) {
        if self.tally.n_arms() == 1 {
            return (Arm::new(0), 1.0);
        }
        let mut left: f64 = rng.random();
        let winner = self.beats_all.iter().position(|q| {
            left -= q;
            left < 0.0
        });
        let (fewest, n) = self.fewest();
        let champion = winner.unwrap_or_else(|| {
            let rank = if n == 1 { 0 } else { rng.random_range(0..n) };
            let mut least = self.reigns.iter().enumerate().filter(|&(_, &reigns)| reigns == fewest);
            least.nth(rank).expect("the rank is below the number of such arms").0
        });
        (Arm::new(champion), self.chance_of(champion, fewest, n))
    }

    /// The probability that `arm` is champion, if `n` arms were champion only `fewest` times.
    fn chance_of(&self, arm: usize, fewest: u64, n: usize) -> f64 {
        let share = if self.reigns[arm] == fewest { self.nobody() / n as f64 } else { 0.0 };
        // Rounding must not take it out of (0, 1]: the arm was drawn, so its probability is
        // above 0.
        (self.beats_all[arm] + share).clamp(f64::EPSILON * f64::EPSILON, 1.0)
    }

    /// The probability that each arm is the next champion.
    pub fn champions(&self) -> Vec<f64> {
        let (fewest, n) = self.fewest();
        let share = |reigns: u64| if reigns == fewest { self.nobody() / n as f64 } else { 0.0 };
        self.beats_all.iter().zip(&self.reigns).map(|(q, &reigns)| q + share(reigns)).collect()
    }
}

keeps_tally!(Rcs);

impl PairCounting for Rcs {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let (left, p) = self.champion(rng);
        let (right, n_ties) = self.bounds.strongest(left, rng);
        self.tally.ticket((left, right), 0, Draw::Pair(p / n_ties as f64))
    }

    #[inline]
    fn issued(&mut self, ticket: &Ticket) {
        self.bounds.set_time(self.alpha, ln_of_round(self.tally.round + 1));
        if !ticket.is_lesson() {
            self.reigns[ticket.left.index()] += 1;
        }
        if !ticket.is_self_duel() {
            self.bounds.set_pair(&self.tally.counts, ticket.left, ticket.right);
        }
    }

    #[inline]
    fn counted(&mut self, winner: Arm, loser: Arm) {
        self.above.record(winner, loser, self.tally.counts.score(winner, loser));
        self.bounds.set_pair(&self.tally.counts, winner, loser);
        self.multiply(winner);
        self.multiply(loser);
    }

    fn voided(&mut self, left: Arm, right: Arm) {
        self.bounds.set_pair(&self.tally.counts, left, right);
    }

    /// Recomputes F of the pair. It may differ by rounding from the value that updates one by one
    /// give.
    fn taken_back(&mut self, winner: Arm, loser: Arm) {
        self.above.recompute(&self.tally.counts, winner, loser);
        self.bounds.set_pair(&self.tally.counts, winner, loser);
        self.multiply(winner);
        self.multiply(loser);
    }

    fn added(&mut self, increments: &[f64]) {
        let n_arms = self.tally.n_arms();
        for (i, j) in changed_pairs(n_arms, increments) {
            self.above.recompute(&self.tally.counts, i, j);
            self.bounds.set_pair(&self.tally.counts, i, j);
        }
        for arm in Arm::all(n_arms) {
            self.multiply(arm);
        }
    }
}

/// The serialized form of [`Rcs`]: everything that cannot be recomputed.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    alpha: f64,
    counts: DuelCounts,
    round: u64,
    reigns: Vec<u64>,
    chances: Vec<f64>,
    ln_b: Vec<f64>,
}

impl From<Rcs> for Saved {
    fn from(Rcs { alpha, tally: PairTally { counts, round }, above, reigns, .. }: Rcs) -> Self {
        let (chances, ln_b) = above.into_parts();
        Self { alpha, counts, round, reigns, chances, ln_b }
    }
}

impl TryFrom<Saved> for Rcs {
    type Error = Damaged;

    fn try_from(Saved { alpha, counts, round, reigns, chances, ln_b }: Saved) -> Result<Self, Damaged> {
        if check(counts.n_arms(), alpha).is_err() {
            return Err(Damaged("the number of arms or alpha is out of range"));
        }
        let tally = PairTally::restore(counts, round)?;
        if reigns.len() != tally.n_arms() || reigns.iter().any(|&reigns| reigns > LAST_ROUND) {
            return Err(Damaged("the numbers of times that the arms were champion do not fit"));
        }
        let above = Superiority::from_parts(chances, ln_b, &tally.counts)?;
        Ok(Self::assemble(alpha, tally, above, reigns))
    }
}
