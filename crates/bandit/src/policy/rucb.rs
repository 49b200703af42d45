//! RUCB; [`Family`] has its page.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::counting::{PairCounting, PairTally, keeps_tally};
use super::limits::{MOST_ARMS, check_table};
use super::{Assumption, Citation, Curve, Goal, Info, Settles, registry};
use crate::damaged::Damaged;
use crate::params::{ParamError, Params};
use crate::structures::bounds::certificates::{Certificates, ln_of_round};
use crate::structures::bounds::upper_bounds::UpperBounds;
use crate::structures::counts::duel_counts::DuelCounts;
use crate::ticket::Draw;
use crate::{Arm, Ticket};

declare! {
    /// # RUCB: relative upper confidence bounds
    ///
    /// ## Idea
    ///
    /// RUCB compares the arm that may be the best with the arm that may beat it.
    ///
    /// Both choices are optimistic: they use upper confidence bounds on winning probabilities. The
    /// bound of a pair is high if the two arms have seldom met. First, an arm is a candidate as
    /// long as these bounds allow that it beats every other arm. One candidate becomes the
    /// champion. Second, the opponent is the arm with the highest bound against the champion. The
    /// champion itself is among the possible opponents, with a bound of exactly 1/2. Once the
    /// bounds of all other arms are below 1/2, the champion meets itself. That costs nothing if it
    /// is the best arm.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// u_ij = w_ij / n_ij + sqrt(alpha ln t / n_ij)
    ///   w_ij wins of i over j, n_ij = w_ij + w_ji; u_ii = 1/2
    /// C    = the arms i with u_ij >= 1/2 for all j
    /// B    = the hypothesised best arm, none at first; before each decision (only form=icml):
    ///        if C has exactly one arm, B becomes that arm
    ///        if B is not in C, B becomes none
    /// decide:  left  = the champion c:
    ///                  if C is empty, any arm, uniformly
    ///                  if C has exactly one arm, that arm
    ///                  if there is a B, B with probability 1/2, else another arm of C, uniformly
    ///                  if there is no B, an arm of C, uniformly
    ///          right = the arm j with the largest u_jc, where j may be c itself
    ///                  if several arms have the largest, one of them other than c, uniformly
    /// update:  the winner's w grows by 1; nothing if left = right
    /// ```
    ///
    /// t is the round, and at least 2. A pair that has not met has u = +infinity. The paper instead
    /// sets both terms of u to 1, so that u = 2; this is `unplayed=2`. With the default alpha, the
    /// two values differ from round 8 on: with `unplayed=2`, an arm that won its only duel against
    /// the champion then has u above 2, and is preferred to an arm that has not met the champion.
    ///
    /// Duels in flight count in the second term of u, the width: it is
    /// `sqrt(alpha ln t / (n_ij + f_ij))`, where f_ij is the number of duels of the pair in flight.
    /// If the pair has duels in flight and no outcome yet, the first term is 1. Late outcomes
    /// therefore do not make RUCB repeat one pair. If each outcome arrives before the next
    /// decision, this rule has no effect. C depends only on outcomes that have arrived. A duel that
    /// will never be answered should be voided; otherwise its pair stays undervalued.
    ///
    /// The implementation finds C without computing bounds. u_ij < 1/2 is equivalent
    /// to ln t < (w_ji - w_ij)^2 / (4 alpha n_ij) with w_ji > w_ij. While this holds, arm i is
    /// shown to lose against j. This statement is called a certificate. Unless the counts of the
    /// pair change, it expires when ln t reaches the right side. Each pair has at most one
    /// certificate, and a heap gives the certificate that expires next.
    ///
    /// ## Parameters
    ///
    parameters {
        /// width of the confidence interval; the paper's runs use 0.51
        ALPHA: number("alpha" = 0.51, [above 1/2]);
        /// version of the paper: `icml` remembers the hypothesised best arm B, `arxiv` does not
        FORM: choice("form", Form: "icml" = Form::Icml, "arxiv" = Form::Arxiv);
        /// upper bound of a pair that has not met
        UNPLAYED: choice("unplayed", Unplayed: "inf" = Unplayed::Infinite, "2" = Unplayed::Two);
    }
    ///
    /// At most 4096 arms, because the tables hold an entry for each pair of arms.
    ///
    /// ## Guarantee
    ///
    /// If one arm beats every other arm and preferences do not change, the Condorcet regret is of
    /// order K^2 + K ln T, in expectation and with high probability (Zoghi et al. 2014). The term
    /// K^2 matters in practice: each pair has to meet, so with 136 arms the regret after 1e5 rounds
    /// is little better than that of random play.
    ///
    /// ## Cost
    ///
    /// O(K) per round: one scan of the bounds against the champion. Each certificate expires once,
    /// and this takes O(log K). 36 K^2 bytes of memory. At most two words of randomness per round.
    /// `recommend` takes O(K^2).
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{Policy, Rucb}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Rucb::new(4);
    /// for _ in 0..2000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     // The lower index wins.
    ///     policy.update(&ticket, Outcome::won(ticket.left < ticket.right));
    /// }
    /// let ticket = policy.decide(&mut rng);
    /// assert_eq!((ticket.left.index(), ticket.right.index()), (0, 0));
    /// assert_eq!(ticket.propensity(), Some(1.0));
    /// ```
    ///
    /// ## Reference
    ///
    /// Zoghi, Whiteson, Munos and de Rijke, *Relative upper confidence bound for the K-armed
    /// dueling bandit problem*, ICML 2014, PMLR 32(2):10-18; DOI `10.48550/arXiv.1312.3393`.
    pub struct Family;

    Family {
        name: "rucb",
        class: "Rucb",
        title: "relative upper confidence bounds",
        assumptions: &[Assumption::CondorcetWinner, Assumption::Stationary],
        horizon: None,
        settles: Settles::Pair,
        minimises: Goal::Condorcet,
        binary: true,
        version: 1,
        cost: "O(K) per round, O(K^2) memory",
        forms: &[],
        curves: &[Curve::new([2, 1, 0])],
        reference: Citation {
            authors: "Zoghi, Whiteson, Munos and de Rijke",
            title: "Relative upper confidence bound for the K-armed dueling bandit problem",
            venue: "ICML, PMLR 32(2):10-18",
            year: 2014,
            doi: "doi:10.48550/arXiv.1312.3393",
        },
    } => |params, _| Rucb::with(params.context().n_arms, Options::read(params)?);
}

/// Relative upper confidence bounds; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct Rucb {
    options: Options,
    tally: PairTally,
    /// B after the last decision.
    best: Option<Arm>,
    // Both hold the values of the next decision.
    certificates: Certificates,
    bounds: UpperBounds,
}

/// The parameters of RUCB.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Width of the confidence interval, above 1/2.
    pub alpha: f64,
    /// Whether to remember the hypothesised best arm.
    pub form: Form,
    /// The bound of a pair that has not met.
    pub unplayed: Unplayed,
}

impl Default for Options {
    fn default() -> Self {
        Self { alpha: ALPHA.default, form: FORM.default(), unplayed: UNPLAYED.default() }
    }
}

impl Options {
    fn check(&self, n_arms: usize) -> Result<(), ParamError> {
        check_table("rucb", n_arms, MOST_ARMS)?;
        ALPHA.check(self.alpha)
    }

    fn read(params: &mut Params<'_>) -> Result<Self, ParamError> {
        let (alpha, form) = (ALPHA.read(params)?, FORM.read(params)?);
        Ok(Self { alpha, form, unplayed: UNPLAYED.read(params)? })
    }
}

/// The version of the paper to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// The version in the proceedings, which remembers a hypothesised best arm.
    Icml,
    /// The first version, which does not.
    Arxiv,
}

/// The upper bound of a pair that has not met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unplayed {
    /// Infinity: a champion meets each opponent once before it meets one again.
    Infinite,
    /// 1 + 1, as in the paper.
    Two,
}

impl Unplayed {
    fn bound(self) -> f64 {
        match self {
            Self::Infinite => f64::INFINITY,
            Self::Two => 2.0,
        }
    }
}

impl Rucb {
    /// With the paper's parameters.
    ///
    /// # Panics
    ///
    /// If there are no arms, or more than 4096.
    pub fn new(n_arms: usize) -> Self {
        Self::with(n_arms, Options::default()).expect("between 1 and 4096 arms")
    }

    /// With any options.
    ///
    /// # Errors
    ///
    /// If there are no arms, or more than 4096, or `alpha` is not above 1/2.
    pub fn with(n_arms: usize, options: Options) -> Result<Self, ParamError> {
        options.check(n_arms)?;
        Ok(Self::assemble(options, PairTally::new(n_arms), None))
    }

    /// Computes everything that follows from the counts and the time.
    fn assemble(options: Options, tally: PairTally, best: Option<Arm>) -> Self {
        let n_arms = tally.n_arms();
        let ln_t = ln_of_round(tally.round + 1);
        let mut policy = Self {
            options,
            tally,
            best,
            certificates: Certificates::new(n_arms, ln_t),
            bounds: UpperBounds::new(n_arms, options.unplayed.bound()),
        };
        policy.bounds.set_time(options.alpha, ln_t);
        policy.look_at_all();
        policy
    }

    fn look_at_all(&mut self) {
        for i in Arm::all(self.tally.n_arms()) {
            for j in Arm::all(i.index()) {
                self.counted(i, j);
            }
        }
    }

    /// B at the next decision.
    fn next_best(&self) -> Option<Arm> {
        if self.options.form == Form::Arxiv {
            return None;
        }
        let unbeaten = self.certificates.unbeaten();
        unbeaten.only().or_else(|| self.best.filter(|&best| unbeaten.contains(best)))
    }

    /// Draws the champion, with its probability.
    fn champion<R: Rng + ?Sized>(&self, rng: &mut R) -> (Arm, f64) {
        let unbeaten = self.certificates.unbeaten();
        match (unbeaten.len(), self.next_best()) {
            (0, _) => {
                let n_arms = self.tally.n_arms();
                (Arm::new(rng.random_range(0..n_arms)), 1.0 / n_arms as f64)
            }
            (1, _) => (unbeaten.nth(0), 1.0),
            (n, None) => (unbeaten.draw(rng), 1.0 / n as f64),
            (n, Some(best)) => {
                // One word of randomness: the upper half of the range is B, the lower half the
                // `n - 1` others.
                let others = n - 1;
                let drawn = rng.random_range(0..2 * others);
                if drawn >= others {
                    return (best, 0.5);
                }
                let rank = drawn + usize::from(drawn >= unbeaten.rank(best));
                (unbeaten.nth(rank), 0.5 / others as f64)
            }
        }
    }

    /// The arms that no other arm is shown to beat: C at the next decision.
    pub fn candidates(&self) -> Vec<Arm> {
        Arm::all(self.tally.n_arms()).filter(|&arm| self.certificates.unbeaten().contains(arm)).collect()
    }
}

keeps_tally!(Rucb);

impl PairCounting for Rucb {
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
        self.best = self.next_best();
        let ln_t = ln_of_round(self.tally.round + 1);
        self.bounds.set_time(self.options.alpha, ln_t);
        self.certificates.advance(ln_t);
        if !ticket.is_self_duel() {
            self.bounds.set_pair(&self.tally.counts, ticket.left, ticket.right);
        }
    }

    /// Also called after an outcome is taken back. B stays until the next decision, which drops B
    /// if it is shown to lose.
    #[inline]
    fn counted(&mut self, winner: Arm, loser: Arm) {
        self.bounds.set_pair(&self.tally.counts, winner, loser);
        let score = self.tally.counts.score(winner, loser);
        self.certificates.judge(winner, loser, score, self.options.alpha);
    }

    fn voided(&mut self, left: Arm, right: Arm) {
        self.bounds.set_pair(&self.tally.counts, left, right);
    }

    fn added(&mut self, _: &[f64]) {
        self.look_at_all();
    }
}

/// The serialized form of [`Rucb`]: everything that cannot be recomputed.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    options: Options,
    counts: DuelCounts,
    round: u64,
    /// The index of B, or K if there is none.
    best: usize,
}

impl From<Rucb> for Saved {
    fn from(policy: Rucb) -> Self {
        let Rucb { options, tally: PairTally { counts, round }, best, .. } = policy;
        let best = best.map_or(counts.n_arms(), Arm::index);
        Self { options, counts, round, best }
    }
}

impl TryFrom<Saved> for Rucb {
    type Error = Damaged;

    fn try_from(Saved { options, counts, round, best }: Saved) -> Result<Self, Damaged> {
        let n_arms = counts.n_arms();
        if options.check(n_arms).is_err() {
            return Err(Damaged("the number of arms or alpha is out of range"));
        }
        let tally = PairTally::restore(counts, round)?;
        if best > n_arms {
            return Err(Damaged("the best arm does not exist"));
        }
        Ok(Self::assemble(options, tally, (best < n_arms).then(|| Arm::new(best))))
    }
}
