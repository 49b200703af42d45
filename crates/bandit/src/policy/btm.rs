//! Beat the Mean; [`Family`] has its page.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::limits::check_table;
use super::{Assumption, Citation, Curve, Goal, Info, Policy, Propensity, Settles, registry};
use crate::argmax::argmax;
use crate::argmax::first_best;
use crate::damaged::Damaged;
use crate::params::{ParamError, Params, Range};
use crate::structures::collections::min_max_tree::MinMaxTree;
use crate::structures::counts::sorted_counts::SortedCounts;
use crate::structures::counts::win_count::WinCount;
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

declare! {
    /// # Beat the Mean: drop the arm that does worst against the rest
    ///
    /// ## Idea
    ///
    /// Beat the Mean runs a race: it drops the arm that wins least often against the others, again
    /// and again, until one arm is left.
    ///
    /// - In each round the arm with the fewest duels meets an opponent drawn uniformly from the
    ///   race. Its share of wins therefore estimates how it does against the mean of the race.
    /// - If the lowest share is clearly below the highest, its arm is dropped. All duels that the
    ///   other arms fought against it are dropped with it.
    /// - The last arm meets itself forever.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// W        the arms in the race; at the start, all arms
    /// n_b, w_b duels with b on the left and an arm of W on the right, and how many b won
    /// P_b    = w_b / n_b, or 1/2 if n_b = 0
    /// c(n)   = radius * gamma^2 * sqrt(ln(1/delta) / n), c(0) = 1
    /// decide:  left = b, the arm of W with the fewest duels, ties at random
    ///          right = uniform over W (or over W without b)
    ///          one arm left: (b, b); after round T: (b, b) with the highest P_b, ties at random
    /// update:  n_b, w_b of the left arm only
    ///          while min P + c(n*) <= max P - c(n*), where n* = min n_b over W:
    ///              remove the arm with the lowest P from W, and its column from all n_b, w_b
    /// ```
    ///
    /// *Fewest duels* includes duels in flight, so that delay does not make the policy choose one
    /// arm again and again. A duel of b with itself counts as a duel against one of the arms of the
    /// mean, as in the paper: its outcome, a fair coin, counts for b. Once one arm is left, or
    /// after round T, such duels teach nothing.
    ///
    /// An outcome may arrive late. It counts if both its arms are still in the race, even if other
    /// arms were dropped in the meantime: among the arms still in the race, each was equally likely
    /// to be the opponent. Otherwise the outcome is dropped. The `epoch` of a ticket is the number
    /// of arms dropped before the duel was proposed.
    ///
    /// If several arms have the same lowest share, the arm whose last counted duel was proposed
    /// earliest is dropped. Chance decided that order, so no arm is favoured, and `update` needs no
    /// randomness.
    ///
    /// ## Parameters
    ///
    parameters {
        /// how far preferences may be from transitive; 1 is strong stochastic transitivity
        GAMMA: number("gamma" = 1.1, [at least 1]);
        /// probability of a wrong decision that the radius allows for
        DELTA: formula("delta" = "1/T", [above 0 to 1]);
        /// scale of the confidence radius
        RADIUS: number("radius" = 3, [above 0]);
        /// whether an arm may meet itself (`any`, as in the paper) or not (`other`)
        OPPONENT: choice("opponent", Opponent: "any" = Opponent::Any, "other" = Opponent::Other);
    }
    ///
    /// With `delta=1/T` the policy explores, then exploits, and needs the horizon. With a fixed
    /// number such as `delta=1e-8` it does not need the horizon: this is the anytime form.
    ///
    /// At the defaults the radius is wide. No arm is dropped before each arm has had 4 (radius
    /// gamma^2)^2 ln(1/delta) duels: 607 for T = 1e5. If the lowest and the highest share differ by
    /// d < 1, that number is divided by d^2.
    ///
    /// ## Guarantee
    ///
    /// Assume a total order, relaxed stochastic transitivity with factor gamma, and the stochastic
    /// triangle inequality. Then the regret is of order gamma^7 K ln(T) / eps with delta = 1/(2 T
    /// K), where eps is the margin by which the best arm beats the next best. Many data sets need a
    /// gamma larger than 1.1.
    ///
    /// ## Cost
    ///
    /// O(log K) per round, and O(K log K) for each arm dropped. After round T, O(K) per round if
    /// several arms are left. O(K^2) memory, and at most 8192 arms. Two words of randomness per
    /// round.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Arm, Outcome, Stream, policy::{Btm, Policy, btm::Options}};
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Btm::new(4, Options { delta: 0.1, radius: 0.5, ..Options::default() })?;
    /// for _ in 0..1000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     policy.update(&ticket, Outcome::won(ticket.left <= ticket.right));
    /// }
    /// assert_eq!(policy.recommend(), Arm::new(0));
    /// # Ok::<(), tiltyard_bandit::params::ParamError>(())
    /// ```
    ///
    /// ## Reference
    ///
    /// Yue and Joachims, *Beat the mean bandit*, ICML 2011, pages 241-248;
    /// `10.5555/3104482.3104513` in the ACM library.
    pub struct Family;

    Family {
        name: "btm",
        class: "Btm",
        title: "Beat the Mean: drop the arm that does worst against the rest",
        assumptions: &[
            Assumption::Stationary,
            Assumption::TotalOrder,
            Assumption::RelaxedTransitivity,
            Assumption::TriangleInequality,
        ],
        horizon: Some("for its confidence radius, with the default delta = 1/T"),
        settles: Settles::Pair,
        minimises: Goal::Condorcet,
        binary: true,
        version: 1,
        cost: "O(log K) per round, O(K log K) for each arm dropped, O(K^2) memory",
        forms: &[],
        curves: &[Curve::new([3, 3, 1]), Curve::given("delta=1e-8", [7, 8, 0])],
        reference: Citation {
            authors: "Yue and Joachims",
            title: "Beat the mean bandit",
            venue: "ICML, pages 241-248",
            year: 2011,
            doi: "doi:10.5555/3104482.3104513",
        },
    } => |params, _| Btm::new(params.context().n_arms, Options::read(params)?);
}

/// With more arms, the counts of all pairs would take more than a gigabyte.
const MOST_ARMS: usize = 8192;

/// ln(1/delta).
const LOG: Range = Range::at_least(0.0);

/// The arms that the left arm may meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opponent {
    /// Any arm in the race, itself included.
    Any,
    /// Any other arm in the race.
    Other,
}

/// The parameters of Beat the Mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The factor of relaxed stochastic transitivity.
    pub gamma: f64,
    /// The probability of a wrong decision that the radius allows for.
    pub delta: f64,
    /// The scale of the confidence radius.
    pub radius: f64,
    /// The arms that the left arm may meet.
    pub opponent: Opponent,
    /// The last round of exploration; `None` if exploration does not end.
    pub horizon: Option<u64>,
}

impl Default for Options {
    /// The anytime form: delta = 1e-8 and no horizon.
    fn default() -> Self {
        Self {
            gamma: GAMMA.default,
            delta: 1e-8,
            radius: RADIUS.default,
            opponent: OPPONENT.default(),
            horizon: None,
        }
    }
}

impl Options {
    fn read(params: &mut Params<'_>) -> Result<Self, ParamError> {
        let (gamma, delta, radius) = (GAMMA.read(params)?, DELTA.read(params)?, RADIUS.read(params)?);
        Ok(Self { gamma, delta, radius, opponent: OPPONENT.read(params)?, horizon: params.context().horizon })
    }
}

/// Beat the Mean; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved")]
pub struct Btm {
    /// radius * gamma^2.
    scale: f64,
    /// ln(1 / delta).
    log: f64,
    opponent: Opponent,
    /// The last round of exploration.
    last: u64,
    round: u64,
    /// Row by row: the duels and wins of the left arm against each right arm.
    pairs: Vec<WinCount>,
    /// The sum of each row over the arms in the race.
    rows: Vec<WinCount>,
    /// For each arm, the round of the duel that was counted last.
    stamps: Vec<u64>,
    /// The arms in the race, sorted by their duels answered or in flight.
    asked: SortedCounts,
    /// The arms in the race, sorted by their duels answered.
    answered: SortedCounts,
    /// The share of wins of each arm in the race.
    shares: MinMaxTree,
}

impl Btm {
    /// Beat the Mean over `n_arms` arms.
    ///
    /// # Errors
    ///
    /// If there are no arms or more than 8192, or an option is out of range.
    pub fn new(n_arms: usize, options: Options) -> Result<Self, ParamError> {
        check_table("btm", n_arms, MOST_ARMS)?;
        let Options { gamma, delta, radius, opponent, horizon } = options;
        GAMMA.check(gamma)?;
        DELTA.check(delta)?;
        RADIUS.check(radius)?;
        let mut shares = MinMaxTree::new(n_arms);
        for i in 0..n_arms {
            shares.set(i, WinCount::default().share());
        }
        Ok(Self {
            scale: radius * (gamma * gamma),
            log: libm::log(1.0 / delta),
            opponent,
            last: horizon.unwrap_or(u64::MAX),
            round: 0,
            pairs: vec![WinCount::default(); n_arms * n_arms],
            rows: vec![WinCount::default(); n_arms],
            stamps: vec![0; n_arms],
            asked: SortedCounts::new(n_arms),
            answered: SortedCounts::new(n_arms),
            shares,
        })
    }

    /// Whether an arm is still in the race.
    pub fn is_active(&self, arm: Arm) -> bool {
        self.asked.contains(arm)
    }

    /// The number of duels with this arm on the left and an arm of the race on the right, and how
    /// many of them it won.
    pub fn tally(&self, arm: Arm) -> (u64, u64) {
        self.rows[arm.index()].into()
    }

    /// c(n).
    fn radius(&self, duels: u64) -> f64 {
        if duels == 0 { 1.0 } else { self.scale * (self.log / duels as f64).sqrt() }
    }

    fn share(&self, arm: Arm) -> f64 {
        self.rows[arm.index()].share()
    }

    /// Whether a duel belongs to the exploration and its left arm is still in the race. No other
    /// duel changes a count.
    fn explores(&self, ticket: &Ticket) -> bool {
        ticket.round <= self.last && self.asked.arms().len() > 1 && self.is_active(ticket.left)
    }

    fn in_flight(&self, arm: Arm) -> u64 {
        self.asked.count(arm) - self.answered.count(arm)
    }

    /// Drops the worst arm if it is clearly worse than the best.
    fn drop_worst(&mut self) -> bool {
        let (low, high) = self.shares.get();
        let radius = self.radius(self.answered.lowest_count());
        // Written so that a NaN radius drops nothing.
        let clear = low + radius <= high - radius;
        if !clear || self.asked.arms().len() < 2 {
            return false;
        }
        let worst = self
            .asked
            .arms()
            .iter()
            .copied()
            .filter(|&arm| self.share(arm) <= low)
            .min_by_key(|arm| (self.stamps[arm.index()], *arm))
            .expect("an arm has the lowest share");
        self.drop_arm(worst);
        true
    }

    /// Removes an arm from the race, and its column from the sums.
    fn drop_arm(&mut self, gone: Arm) {
        let Self { pairs, rows, shares, asked, answered, .. } = self;
        let n_arms = rows.len();
        shares.remove(gone.index());
        for arm in asked.arms() {
            let (row, column) = (&mut rows[arm.index()], pairs[arm.index() * n_arms + gone.index()]);
            row.duels -= column.duels;
            row.wins -= column.wins;
        }
        rows[gone.index()] = WinCount::default();
        // `asked` keeps the duels in flight.
        let before = &*answered;
        asked.remove(gone, |arm, count| count - before.count(arm) + rows[arm.index()].duels);
        answered.remove(gone, |arm, _| rows[arm.index()].duels);
        for arm in asked.arms() {
            shares.set(arm.index(), rows[arm.index()].share());
        }
    }

    fn epoch(&self) -> usize {
        self.rows.len() - self.asked.arms().len()
    }

    fn ticket(&self, left: Arm, right: Arm, probability: f64) -> Ticket {
        Ticket {
            round: self.round + 1,
            left,
            right,
            rate: 1.0,
            epoch: u32::try_from(self.epoch()).expect("there are fewer than 2^32 arms"),
            draw: Draw::Pair(probability),
        }
    }
}

impl Policy for Btm {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    fn propensity(&self) -> Propensity {
        Propensity::Pair
    }

    fn n_arms(&self) -> usize {
        self.rows.len()
    }

    fn round(&self) -> u64 {
        self.round
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let race = self.asked.arms();
        if let &[arm] = race {
            return self.ticket(arm, arm, 1.0);
        }
        if self.round >= self.last {
            let arm = race[argmax(race.iter().map(|&arm| self.share(arm)), rng)];
            let equals = race.iter().filter(|&&other| self.share(other) >= self.share(arm)).count();
            return self.ticket(arm, arm, 1.0 / equals as f64);
        }
        let lowest = self.asked.lowest();
        let place = rng.random_range(0..lowest.len());
        let (right, n_right) = match self.opponent {
            Opponent::Any => (rng.random_range(0..race.len()), race.len()),
            Opponent::Other => {
                // Draws one of the other arms: places from the left arm on are shifted up by one.
                let right = rng.random_range(0..race.len() - 1);
                (right + usize::from(right >= place), race.len() - 1)
            }
        };
        self.ticket(race[place], race[right], 1.0 / (lowest.len() as f64 * n_right as f64))
    }

    #[inline]
    fn issue(&mut self, ticket: &Ticket) {
        self.round += 1;
        if self.explores(ticket) {
            self.asked.raise(ticket.left);
        }
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        let Ticket { left, right, .. } = *ticket;
        if !self.explores(ticket) {
            return;
        }
        if !self.is_active(right) {
            self.void(ticket);
            return;
        }
        // The duel was issued elsewhere.
        if self.in_flight(left) == 0 {
            self.asked.raise(left);
        }
        self.answered.raise(left);
        let n_arms = self.rows.len();
        self.pairs[left.index() * n_arms + right.index()].add(outcome);
        self.rows[left.index()].add(outcome);
        self.stamps[left.index()] = ticket.round;
        self.shares.set(left.index(), self.share(left));
        while self.drop_worst() {}
    }

    fn void(&mut self, ticket: &Ticket) {
        if self.explores(ticket) && self.in_flight(ticket.left) > 0 {
            self.asked.lower(ticket.left);
        }
    }

    fn recommend(&self) -> Arm {
        first_best(Arm::all(self.n_arms()).filter(|&arm| self.is_active(arm)), |arm| self.share(arm))
    }
}

/// The serialized form of [`Btm`], without the fields that follow from the others.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    scale: f64,
    log: f64,
    opponent: Opponent,
    last: u64,
    round: u64,
    pairs: Vec<WinCount>,
    stamps: Vec<u64>,
    /// Duels answered or in flight.
    asked: Vec<u64>,
    /// The arms in the race, in the order in which draws find them.
    race: Vec<Arm>,
    /// The number of arms dropped.
    epoch: usize,
}

impl From<Btm> for Saved {
    fn from(policy: Btm) -> Self {
        let epoch = policy.epoch();
        let Btm { scale, log, opponent, last, round, pairs, stamps, asked, .. } = policy;
        let (race, asked) = (asked.arms().to_vec(), asked.counts().to_vec());
        Self { scale, log, opponent, last, round, pairs, stamps, asked, race, epoch }
    }
}

impl TryFrom<Saved> for Btm {
    type Error = Damaged;

    fn try_from(saved: Saved) -> Result<Self, Damaged> {
        let Saved { scale, log, opponent, last, round, pairs, stamps, asked, race, epoch } = saved;
        let n_arms = stamps.len();
        if asked.len() != n_arms || n_arms.checked_mul(n_arms) != Some(pairs.len()) {
            return Err(Damaged("the numbers of counts, stamps and arms do not fit"));
        }
        if round == u64::MAX || !RADIUS.range.contains(scale) || !LOG.contains(log) {
            return Err(Damaged("the round or the radius is out of range"));
        }
        if asked.iter().any(|&asked| asked > WinCount::MOST) {
            return Err(Damaged("a count is out of range"));
        }
        let not_a_race = Damaged("arms in the race are duplicated, missing or out of order");
        if race.len().checked_add(epoch) != Some(n_arms) {
            return Err(not_a_race);
        }
        let asked = SortedCounts::from_parts(race, asked).ok_or(not_a_race)?;
        let mut rows = vec![WinCount::default(); n_arms];
        let mut shares = MinMaxTree::new(n_arms);
        for arm in asked.arms() {
            let row = &mut rows[arm.index()];
            for other in asked.arms() {
                let pair = pairs[arm.index() * n_arms + other.index()];
                row.duels = row.duels.saturating_add(pair.duels);
                row.wins = row.wins.saturating_add(pair.wins);
            }
            if row.duels > asked.count(*arm) {
                return Err(Damaged("more duels were answered than asked"));
            }
            shares.set(arm.index(), row.share());
        }
        let mut order = asked.arms().to_vec();
        order.sort_unstable_by_key(|arm| (rows[arm.index()].duels, *arm));
        let counts = rows.iter().map(|row| row.duels).collect();
        let answered = SortedCounts::from_parts(order, counts).ok_or(not_a_race)?;
        Ok(Self { scale, log, opponent, last, round, pairs, rows, stamps, asked, answered, shares })
    }
}
