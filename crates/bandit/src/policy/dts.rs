//! Double Thompson sampling; [`Family`] has its page.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::counting::{PairCounting, PairTally, changed_pairs, keeps_tally};
use super::limits::{MOST_ARMS, check_table};
use super::{Assumption, Citation, Curve, Goal, Info, Propensity, Settles, registry};
use crate::argmax::Best;
use crate::damaged::Damaged;
use crate::params::ParamError;
use crate::structures::bounds::certificates::{Certificates, ln_of_round};
use crate::structures::bounds::copeland_bounds::CopelandBounds;
use crate::structures::bounds::superiority::Superiority;
use crate::structures::collections::arm_set::ArmSet;
use crate::structures::collections::pairs::pair_of;
use crate::structures::counts::duel_counts::DuelCounts;
use crate::structures::sampling::beta_upper_half::{kl_half, upper_half};
use crate::structures::sampling::coins::{Coins, Throw};
use crate::ticket::Draw;
use crate::{Arm, Ticket};

declare! {
    /// # Double Thompson sampling (`dts`, `dts+`)
    ///
    /// ## Idea
    ///
    /// Double Thompson sampling chooses both arms of a duel by drawing at random from its current
    /// belief about who beats whom.
    ///
    /// The belief about each pair is a Beta distribution, which follows from the wins of its two
    /// arms. A first draw for all pairs chooses the arm that beats the most others, among the arms
    /// that confidence bounds still allow to be the best. A second draw chooses the opponent that
    /// looks strongest against the first arm; the first arm itself is included at exactly 1/2. Once
    /// no opponent looks stronger than that, the first arm meets itself, which costs nothing if it
    /// is the best. No arm has to beat all others: the best arm is the one that beats the most.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// w_ij   = wins of i over j, n_ij = w_ij + w_ji
    /// u_ij, l_ij = w_ij / n_ij +- sqrt(alpha ln t / n_ij), unbounded if n_ij = 0
    /// b_i    = the number of arms j with u_ij >= 1/2, which i may still beat
    /// C      = the arms i with the largest b_i
    /// decide:  theta1_ij ~ Beta(w_ij + 1, w_ji + 1) for i < j, theta1_ji = 1 - theta1_ij
    ///          s_i   = the number of j with theta1_ij > 1/2
    ///          left  = a, the arm of C with the largest s_i
    ///                  dts:   ties are random
    ///                  dts+:  of tied arms i, the one with the smallest sum over j of
    ///                         (2 max s - s_i - s_j) / kl(theta1_ij, 1/2), max s over all arms
    ///          theta2_ia ~ Beta(w_ia + 1, w_ai + 1), theta2_aa = 1/2
    ///          right = the arm i with the largest theta2_ia among those with l_ia <= 1/2;
    ///                  a if no other exceeds 1/2
    /// update:  the winner's w grows by 1; nothing if left = right
    /// ```
    ///
    /// t is the round, and at least 2. The numerator of `dts+` is the Copeland regret of the pair
    /// (i, j) under theta1, up to a factor that all terms share. The authors' program takes max s
    /// over C instead of over all arms, which can make terms negative.
    ///
    /// The implementation avoids most Beta variables, because usually it matters only whether theta
    /// is above 1/2. The probability of this is F = Pr[Bin(n + 1, 1/2) <= w]. F changes only with
    /// outcomes of the pair itself, and each change takes O(1). The policy therefore throws a coin
    /// that shows "above 1/2" with probability F. It draws theta itself only where its value
    /// matters: for opponents whose theta2 is above 1/2, and for tied arms in `dts+`. Theta is then
    /// drawn from the side of 1/2 that the coin shows. The next pair has the same distribution as
    /// in a program that draws every variable, but the sequence of pairs is a different one. The
    /// coins of one decision come from a `SplitMix64` generator, seeded with one word of the
    /// generator passed in.
    ///
    /// C and the arms that l excludes follow from certificates: statements that one arm is shown to
    /// lose against another, with an expiry time. Each pair has at most one, as in RUCB.
    ///
    /// Outcomes may arrive late. Decisions are random as long as anything is unknown, so the policy
    /// does not repeat one pair while it waits, and duels in flight need not be counted. After
    /// merging counts, the probabilities F agree with counting one by one to about 1e-13.
    ///
    /// ## Parameters
    ///
    parameters {
        /// width of the confidence interval; the authors' program uses 0.51
        ALPHA: number("alpha" = 0.51, [above 1/2]);
    }
    ///
    /// At most 4096 arms, because the tables hold an entry for each pair of arms.
    ///
    /// ## Guarantee
    ///
    /// If preferences do not change, the Copeland regret is of order K^2 ln T (Wu and Liu 2016). If
    /// one arm beats every other arm, it is of order `K ln T + K^2 ln ln T`; the same holds in most
    /// cases without such an arm. The bounds do not cover one case: two of the best arms beat each
    /// other with probability exactly 1/2.
    ///
    /// The slow tests check results of the paper:
    ///
    /// - On arXiv-6 after 1e5 rounds, `dts` has less regret than RUCB. The test allows at most 300;
    ///   a run of public code had 170.
    /// - Regret grows like ln T.
    /// - If no arm beats all others, `dts+` has no more regret than `dts`.
    ///
    /// ## Cost
    ///
    /// If |C| = 1, as it is in the end, O(K) coins per round, with four coins per random word.
    /// Before that, O(K |C|) coins. `dts+` takes O(K^2) coins and m K variables if m arms tie. The
    /// opponent takes up to K variables. 30 K^2 bytes of memory. `recommend` takes O(K^2). The
    /// exact probability of a pair is expensive to compute, so tickets say `Unknown`.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{Dts, Policy}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Dts::new(4);
    /// for _ in 0..2000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     // The lower index wins.
    ///     policy.update(&ticket, Outcome::won(ticket.left < ticket.right));
    /// }
    /// let ticket = policy.decide(&mut rng);
    /// assert_eq!((ticket.left.index(), ticket.right.index()), (0, 0));
    /// ```
    ///
    /// ## Reference
    ///
    /// Wu and Liu, *Double Thompson sampling for dueling bandits*, Advances in Neural Information
    /// Processing Systems 29, 2016; DOI `10.48550/arXiv.1604.07101`.
    pub struct Family;

    Family {
        name: "dts",
        class: "Dts",
        title: "double Thompson sampling",
        assumptions: &[Assumption::Stationary],
        horizon: None,
        settles: Settles::Pair,
        minimises: Goal::Copeland,
        binary: true,
        version: 1,
        cost: "O(K |C|) per round, O(K) in the end, O(K^2) memory",
        forms: &[],
        curves: &[Curve::new([9, 0, 1])],
        reference: Citation {
            authors: "Wu and Liu",
            title: "Double Thompson sampling for dueling bandits",
            venue: "Advances in Neural Information Processing Systems 29",
            year: 2016,
            doi: "doi:10.48550/arXiv.1604.07101",
        },
    } => |params, _| {
        let (alpha, ties) = (ALPHA.read(params)?, Ties::Random);
        Dts::with(params.context().n_arms, Options { alpha, ties })
    };

    Plus {
        name: "dts+",
        class: "DtsPlus",
        title: "double Thompson sampling with ties broken by regret",
        cost: "O(K^2) per round, O(K) in the end, O(K^2) memory",
        curves: &[Curve::new([0, 9, 2])],
        ..<Family as registry::Family>::INFO
    } => |params, _| {
        let (alpha, ties) = (ALPHA.read(params)?, Ties::LeastRegret);
        Dts::with(params.context().n_arms, Options { alpha, ties })
    };
}

/// The entry of D-TS+ in the registry.
#[derive(Debug)]
pub struct Plus;

/// Double Thompson sampling; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct Dts {
    options: Options,
    tally: PairTally,
    /// F of each pair.
    above: Superiority,
    coins: Coins,
    /// As of the next decision.
    certificates: Certificates<CopelandBounds>,
}

/// The parameters of double Thompson sampling.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Width of the confidence interval, above 1/2.
    pub alpha: f64,
    /// How to choose the first arm if several beat the same number of others.
    pub ties: Ties,
}

impl Default for Options {
    fn default() -> Self {
        Self { alpha: ALPHA.default, ties: Ties::Random }
    }
}

impl Options {
    fn check(&self, n_arms: usize) -> Result<(), ParamError> {
        check_table(self.ties.family(), n_arms, MOST_ARMS)?;
        ALPHA.check(self.alpha)
    }
}

/// How to break ties of the first choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// At random: D-TS.
    Random,
    /// By the least regret that exploring the arm would cost: D-TS+.
    LeastRegret,
}

impl Ties {
    fn family(self) -> &'static str {
        match self {
            Self::Random => "dts",
            Self::LeastRegret => "dts+",
        }
    }
}

/// Sets of fewer arms than this are scored coin by coin.
const FEW: usize = 8;

/// One number per arm, on the stack because `propose` has no buffer to write to.
type Scores = [u16; MOST_ARMS];

impl Dts {
    /// D-TS with the authors' alpha.
    ///
    /// # Panics
    ///
    /// If there are no arms or more than 4096.
    pub fn new(n_arms: usize) -> Self {
        Self::with(n_arms, Options::default()).expect("between 1 and 4096 arms")
    }

    /// D-TS or D-TS+, with any alpha.
    ///
    /// # Errors
    ///
    /// If there are no arms or more than 4096, or `alpha` is not above 1/2.
    pub fn with(n_arms: usize, options: Options) -> Result<Self, ParamError> {
        options.check(n_arms)?;
        Ok(Self::assemble(options, PairTally::new(n_arms), Superiority::new(n_arms)))
    }

    /// Computes everything that follows from the counts, the probabilities F and the time.
    fn assemble(options: Options, tally: PairTally, above: Superiority) -> Self {
        let n_arms = tally.n_arms();
        let coins = Coins::new(n_arms, &above);
        let certificates = Certificates::new(n_arms, ln_of_round(tally.round + 1));
        let mut policy = Self { options, tally, above, coins, certificates };
        for i in Arm::all(n_arms) {
            for j in Arm::all(i.index()) {
                policy.certify(i, j);
            }
        }
        policy
    }

    /// Tests again whether one arm of a pair is shown to lose against the other.
    #[inline]
    fn certify(&mut self, i: Arm, j: Arm) {
        self.certificates.judge(i, j, self.tally.counts.score(i, j), self.options.alpha);
    }

    /// Recomputes everything that follows from the counts of a pair.
    fn look_at(&mut self, i: Arm, j: Arm) {
        self.above.recompute(&self.tally.counts, i, j);
        self.coins.set(&self.above, i, j);
        self.certify(i, j);
    }

    /// Draws the first arm.
    fn first<R: Rng + ?Sized>(&self, rng: &mut R) -> Arm {
        let candidates = self.certificates.losses().least_beaten();
        if let Some(only) = candidates.only() {
            return only;
        }
        let throw = Throw::new(rng);
        let mut scores: Scores = [0; MOST_ARMS];
        self.score(Some(candidates), throw, &mut scores);
        let score = |arm: Arm| scores[arm.index()];
        let highest = candidates.iter().map(score).max().unwrap_or(0);
        let tied = || candidates.iter().filter(|&arm| score(arm) == highest);
        let n_tied = tied().count();
        let rank = match self.options.ties {
            _ if n_tied == 1 => 0,
            Ties::Random => rng.random_range(0..n_tied),
            Ties::LeastRegret => self.least_regret(tied(), throw, rng),
        };
        tied().nth(rank).expect("the rank is below the count")
    }

    /// Counts how many other arms each member of the set beats in this throw; without a set, all
    /// arms are members. A pair of two members is one coin. The scores of other arms are
    /// meaningless.
    fn score(&self, members: Option<&ArmSet>, throw: Throw, scores: &mut Scores) {
        let Self { above, coins, .. } = self;
        for arm in Arm::all(self.tally.n_arms()) {
            match members {
                // A whole row costs no more than a few single coins.
                Some(members) if members.len() < FEW && !members.contains(arm) => {
                    for member in members.iter().take_while(|&member| member < arm) {
                        scores[member.index()] += u16::from(!coins.wins(above, throw, arm, member));
                    }
                }
                _ => coins.score_row(above, throw, arm, scores),
            }
        }
    }

    /// The place in `tied` of the arm whose duels with all others would cost the least regret,
    /// under the first draw, of which `throw` shows the sides.
    fn least_regret<R: Rng + ?Sized>(
        &self,
        tied: impl Iterator<Item = Arm>,
        throw: Throw,
        rng: &mut R,
    ) -> usize {
        let mut scores: Scores = [0; MOST_ARMS];
        self.score(None, throw, &mut scores);
        let score = |arm: Arm| u32::from(scores[arm.index()]);
        let highest = Arm::all(self.tally.n_arms()).map(score).max().unwrap_or(0);
        let mut least = Best::default();
        for arm in tied {
            let others = Arm::all(self.tally.n_arms()).filter(|&other| other != arm);
            let costs = others.map(|other| match 2 * highest - score(arm) - score(other) {
                // A pair without regret costs nothing, however many duels it takes to tell the two
                // apart.
                0 => 0.0,
                regret => f64::from(regret) / self.divergence(arm, other, throw),
            });
            least.offer(-costs.sum::<f64>(), rng);
        }
        least.index()
    }

    /// kl(theta1, 1/2) of a pair, given the side that the coin shows. It is the same for both arms.
    fn divergence(&self, i: Arm, j: Arm, throw: Throw) -> f64 {
        let (low, high) = (i.min(j), i.max(j));
        let high_wins = self.coins.wins(&self.above, throw, high, low);
        let (winner, loser) = if high_wins { (high, low) } else { (low, high) };
        let rng = &mut throw.rng_of(pair_of(low.index(), high.index()));
        kl_half(self.draw_above(winner, loser, rng))
    }

    /// Draws theta of a pair, given that it is above 1/2 for the winner.
    #[inline]
    fn draw_above<R: Rng + ?Sized>(&self, winner: Arm, loser: Arm, rng: &mut R) -> f64 {
        let (wins, losses) = self.tally.counts.score(winner, loser);
        upper_half(wins, losses, self.above.chance(winner, loser), rng)
    }

    /// Draws the opponent.
    fn second<R: Rng + ?Sized>(&self, first: Arm, rng: &mut R) -> Arm {
        let throw = Throw::new(rng);
        let (mut strongest, mut highest) = (first, 0.5);
        self.coins.winners_over(&self.above, throw, first, |arm| {
            if self.certificates.loses(first, arm) {
                return;
            }
            let theta = self.draw_above(arm, first, rng);
            // Two draws are equal with probability 0.
            if theta > highest {
                (strongest, highest) = (arm, theta);
            }
        });
        strongest
    }

    /// The arms that may beat the most others: C of the next decision.
    pub fn candidates(&self) -> Vec<Arm> {
        self.certificates.losses().least_beaten().iter().collect()
    }
}

keeps_tally!(Dts);

impl PairCounting for Dts {
    const PROPENSITY: Propensity = Propensity::Unknown;
    const COUNTS_IN_FLIGHT: bool = false;

    fn info(&self) -> &'static Info {
        match self.options.ties {
            Ties::Random => &<Family as registry::Family>::INFO,
            Ties::LeastRegret => &<Plus as registry::Family>::INFO,
        }
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let left = self.first(rng);
        let right = self.second(left, rng);
        self.tally.ticket((left, right), 0, Draw::Unknown)
    }

    #[inline]
    fn issued(&mut self, _: &Ticket) {
        self.certificates.advance(ln_of_round(self.tally.round + 1));
    }

    #[inline]
    fn counted(&mut self, winner: Arm, loser: Arm) {
        self.above.record(winner, loser, self.tally.counts.score(winner, loser));
        self.coins.set(&self.above, winner, loser);
        self.certify(winner, loser);
    }

    /// F of the pair is recomputed. It may differ by a rounding error from the value that single
    /// updates would give.
    fn taken_back(&mut self, winner: Arm, loser: Arm) {
        self.look_at(winner, loser);
    }

    fn added(&mut self, increments: &[f64]) {
        for (i, j) in changed_pairs(self.tally.n_arms(), increments) {
            self.look_at(i, j);
        }
    }
}

/// The serialized form of [`Dts`], without the fields that follow from the others.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    options: Options,
    counts: DuelCounts,
    round: u64,
    chances: Vec<f64>,
    ln_b: Vec<f64>,
}

impl From<Dts> for Saved {
    fn from(policy: Dts) -> Self {
        let (chances, ln_b) = policy.above.into_parts();
        let PairTally { counts, round } = policy.tally;
        Self { options: policy.options, counts, round, chances, ln_b }
    }
}

impl TryFrom<Saved> for Dts {
    type Error = Damaged;

    fn try_from(Saved { options, counts, round, chances, ln_b }: Saved) -> Result<Self, Damaged> {
        if options.check(counts.n_arms()).is_err() {
            return Err(Damaged("the number of arms or alpha is out of range"));
        }
        let tally = PairTally::restore(counts, round)?;
        let above = Superiority::from_parts(chances, ln_b, &tally.counts)?;
        Ok(Self::assemble(options, tally, above))
    }
}
