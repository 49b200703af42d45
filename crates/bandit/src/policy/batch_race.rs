//! The race in small batches that `mergerucb` and `mergedts` share. An arm that is shown to lose
//! against another arm of its batch is eliminated, and batches merge as they shrink.

use core::marker::PhantomData;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use super::limits::LAST_ROUND;
use super::{Info, Policy, Propensity};
use crate::damaged::Damaged;
use crate::params::{Param, ParamError, Params, Range};
use crate::structures::counts::batches::{Batch, Batches, MOST_TARGET, Parts};
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

/// The parameters of a race in batches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Width of the confidence interval: above 1/2 with [`Offset::Delta`], above 0 with
    /// [`Offset::C`].
    pub alpha: f64,
    /// The size of a batch, from 4 to 64.
    pub batch: usize,
    /// C, which is added to the round in the logarithm of the confidence bounds.
    pub offset: Offset,
}

/// How C is given: the number that is added to the round in the logarithm of the confidence bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offset {
    /// Computed from this probability of error, as the proof requires: ((4 alpha - 1) K^2 / ((2
    /// alpha - 1) delta))^(1 / (2 alpha - 1)), rounded up.
    Delta(f64),
    /// C itself.
    C(f64),
}

impl Default for Options {
    /// The values of the theory.
    fn default() -> Self {
        let batch = usize::try_from(BATCH.default).expect("within its range");
        Self { alpha: ALPHA.default, batch, offset: Offset::Delta(DELTA.default) }
    }
}

parameters! {
    /// width of the confidence interval
    ALPHA: number("alpha" = 1.01, [above 0] "above 1/2, or above 0 with `c`");
    /// number of arms in a batch
    BATCH: whole("batch" = 4, [4 to 64]);
    /// probability of error from which the offset C is computed
    DELTA: number("delta" = 0.01, [above 0 to 1]);
    /// the offset C itself, instead of `delta`
    C: optional("c", [at least 0]);
}

/// The range of alpha if C is computed from delta.
const THEORY: Range = Range::above(0.5);

const _: () = assert!(MOST_TARGET == 64, "the range of `batch` ends at `MOST_TARGET`");

impl Options {
    pub(crate) const PARAMS: &'static [Param] = &[ALPHA.doc, BATCH.doc, DELTA.doc, C.doc];

    /// The values of alpha and C that Li et al. (2020) found best for web-search rankers, with
    /// batches of this size.
    #[must_use]
    pub fn tuned(batch: usize) -> Self {
        Self { alpha: libm::pow(0.8, 6.0), batch, offset: Offset::C(4e5) }
    }

    pub(crate) fn read(params: &mut Params<'_>) -> Result<Self, ParamError> {
        let (alpha, batch) = (ALPHA.read(params)?, BATCH.read(params)?);
        let offset = match C.read(params)? {
            Some(c) => Offset::C(c),
            None => Offset::Delta(DELTA.read(params)?),
        };
        let batch = usize::try_from(batch).expect("within its range");
        Ok(Self { alpha, batch, offset })
    }

    fn check(&self) -> Result<(), ParamError> {
        match self.offset {
            Offset::Delta(_) => THEORY.check(ALPHA.doc.key, self.alpha)?,
            Offset::C(_) => ALPHA.check(self.alpha)?,
        }
        BATCH.range.check(BATCH.doc.key, self.batch as f64)?;
        match self.offset {
            Offset::Delta(delta) => DELTA.check(delta),
            Offset::C(c) => C.check(c),
        }
    }

    /// C for this many arms; infinite if it overflows.
    fn offset(&self, n_arms: usize) -> f64 {
        match self.offset {
            Offset::C(c) => c,
            Offset::Delta(delta) => {
                let k = n_arms as f64;
                let base = (4.0 * self.alpha - 1.0) * k * k / ((2.0 * self.alpha - 1.0) * delta);
                libm::ceil(libm::pow(base, 1.0 / (2.0 * self.alpha - 1.0)))
            }
        }
    }

    /// ln C for this many arms; finite even if C overflows.
    fn ln_offset(&self, n_arms: usize) -> f64 {
        match self.offset {
            Offset::C(c) => libm::log(c.max(2.0)),
            Offset::Delta(delta) => {
                let ln_base = libm::log(4.0 * self.alpha - 1.0) + 2.0 * libm::log(n_arms as f64)
                    - libm::log(2.0 * self.alpha - 1.0)
                    - libm::log(delta);
                ln_base / (2.0 * self.alpha - 1.0)
            }
        }
    }
}

/// A policy that races arms in small batches. [`PairChoice`] says which two arms of a batch meet.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Saved", into = "Saved", bound = "C: PairChoice")]
pub struct BatchRace<C> {
    options: Options,
    batches: Batches,
    /// Duels issued.
    round: u64,
    /// S, counted from 1: batches merge when K / 2^S arms are left.
    stage: u32,
    /// How many other arms each arm has eliminated.
    beaten: Vec<u32>,
    offset: f64,
    ln_offset: f64,
    /// alpha ln(t + C) for the next decision.
    square: f64,
    /// sqrt(square).
    scale: f64,
    choice: PhantomData<C>,
}

/// How the two arms of a duel are chosen from a batch.
pub trait PairChoice: Clone + Send + Sync {
    /// How much the tickets record about the probability of the pair.
    const PROPENSITY: Propensity;

    /// The facts about the policy with this choice.
    fn info() -> &'static Info;

    /// Chooses two different arms from a batch of at least two. Returns their places in the batch
    /// and how they were drawn. `scale` is sqrt(alpha ln(t + C)).
    fn choose<R: Rng + ?Sized>(batch: &Batch<'_>, scale: f64, rng: &mut R) -> (usize, usize, Draw);
}

impl<C: PairChoice> BatchRace<C> {
    /// A race with the values of the theory, in random batches.
    ///
    /// # Panics
    ///
    /// If there are no arms.
    pub fn new<R: Rng + ?Sized>(n_arms: usize, rng: &mut R) -> Self {
        Self::with(n_arms, Options::default(), rng).expect("there is at least one arm")
    }

    /// A race with these options, in random batches.
    ///
    /// # Errors
    ///
    /// If there are no arms, or an option is out of range.
    pub fn with<R: Rng + ?Sized>(n_arms: usize, options: Options, rng: &mut R) -> Result<Self, ParamError> {
        let mut arms: Vec<Arm> = Arm::all(n_arms).collect();
        for i in (1..n_arms).rev() {
            arms.swap(i, rng.random_range(0..=i));
        }
        Self::in_order(&arms, options)
    }

    /// A race with these options. Arms that are neighbours in the list share a batch.
    ///
    /// # Errors
    ///
    /// If there are no arms, or an option is out of range.
    ///
    /// # Panics
    ///
    /// If the list does not name each of the arms 0 to K - 1 exactly once.
    pub fn in_order(arms: &[Arm], options: Options) -> Result<Self, ParamError> {
        if arms.is_empty() {
            return Err(ParamError::NoArms);
        }
        options.check()?;
        let batches = Batches::new(arms, options.batch);
        Ok(Self::assemble(options, batches, 0, 1, vec![0; arms.len()]))
    }

    fn assemble(options: Options, batches: Batches, round: u64, stage: u32, beaten: Vec<u32>) -> Self {
        let n_arms = batches.n_arms();
        let mut race = Self {
            options,
            batches,
            round,
            stage,
            beaten,
            offset: options.offset(n_arms),
            ln_offset: options.ln_offset(n_arms),
            square: 0.0,
            scale: 0.0,
            choice: PhantomData,
        };
        race.set_scale();
        race
    }

    fn set_scale(&mut self) {
        // The round is negligible if the offset overflows.
        let ln = if self.offset < f64::INFINITY {
            libm::log(((self.round + 1) as f64 + self.offset).max(2.0))
        } else {
            self.ln_offset
        };
        self.square = self.options.alpha * ln;
        self.scale = libm::sqrt(self.square);
    }

    /// The batches in the order of their turns, with the arms still in the race.
    pub fn batches(&self) -> Vec<Vec<Arm>> {
        self.batches.iter().map(|batch| batch.arms().to_vec()).collect()
    }

    #[cold]
    fn put_out(&mut self, loser: Arm, winner: Arm) {
        self.beaten[winner.index()] += 1;
        self.batches.remove(loser);
        while self.batches.n_batches() > 1 && self.is_stage_over() {
            self.batches.merge();
            self.stage += 1;
        }
        self.batches.join_singles();
    }

    /// Whether at most K / 2^S arms are left.
    fn is_stage_over(&self) -> bool {
        (self.batches.n_left() as u128) << self.stage <= self.batches.n_arms() as u128
    }
}

impl<C: PairChoice> Policy for BatchRace<C> {
    fn info(&self) -> &'static Info {
        C::info()
    }

    fn propensity(&self) -> Propensity {
        C::PROPENSITY
    }

    fn n_arms(&self) -> usize {
        self.batches.n_arms()
    }

    fn round(&self) -> u64 {
        self.round
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let round = self.round + 1;
        let batch = self.batches.turn(round);
        let (left, right, draw) = if batch.len() == 1 {
            (0, 0, if C::PROPENSITY == Propensity::Pair { Draw::Pair(1.0) } else { Draw::Unknown })
        } else {
            C::choose(&batch, self.scale, rng)
        };
        let (left, right) = (batch.arm(left), batch.arm(right));
        Ticket { round, left, right, rate: 1.0, epoch: self.stage, draw }
    }

    #[inline]
    fn issue(&mut self, ticket: &Ticket) {
        self.round += 1;
        self.set_scale();
        self.batches.issue(ticket.left, ticket.right);
    }

    /// Counts the outcome if both arms are still in the race. Then eliminates the loser if it is
    /// shown to lose.
    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        self.batches.land(ticket.left, ticket.right);
        let (winner, loser) = ticket.winner_and_loser(outcome);
        let Some((wins, losses)) = self.batches.record(winner, loser) else { return };
        if wins <= losses {
            return;
        }
        // Tests losses / n + sqrt(square / n) < 1/2 without a division. No other pair needs a test:
        // its counts have not changed, and its bounds only grow with the round.
        let lead = (wins - losses) as f64;
        if lead * lead > 4.0 * self.square * (wins + losses) as f64 {
            self.put_out(loser, winner);
        }
    }

    fn void(&mut self, ticket: &Ticket) {
        self.batches.land(ticket.left, ticket.right);
    }

    /// Among the arms still in the race, the arm that has beaten the most others: the arms that it
    /// eliminated, and the arms of its batch against which it has more wins than losses. Ties go to
    /// the arm with the largest mean winning rate in its batch (1/2 for pairs that never met), then
    /// to the lowest index.
    fn recommend(&self) -> Arm {
        let mut best: Option<(u64, f64, Arm)> = None;
        for batch in self.batches.iter() {
            for i in 0..batch.len() {
                let arm = batch.arm(i);
                let (mut beaten, mut rates) = (u64::from(self.beaten[arm.index()]), 0.0);
                for j in (0..batch.len()).filter(|&j| j != i) {
                    let (won, lost) = (batch.wins(i, j), batch.wins(j, i));
                    beaten += u64::from(won > lost);
                    rates += if won + lost == 0 { 0.5 } else { won as f64 / (won + lost) as f64 };
                }
                let rate = rates / (batch.len() - 1).max(1) as f64;
                let better = best.is_none_or(|(most, highest, lowest)| {
                    // Rates summed in another order may differ in the last bits. The order of arms
                    // in a batch must not decide.
                    let same = (rate - highest).abs() <= 1e-9;
                    beaten > most || beaten == most && (!same && rate > highest || same && arm < lowest)
                });
                if better {
                    best = Some((beaten, rate, arm));
                }
            }
        }
        best.expect("an arm is left").2
    }
}

/// The serialized form of [`BatchRace`].
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Saved {
    options: Options,
    round: u64,
    stage: u32,
    beaten: Vec<u32>,
    arms: Vec<Arm>,
    sizes: Vec<usize>,
    wins: Vec<u64>,
    in_flight: Vec<u32>,
}

impl<C> From<BatchRace<C>> for Saved {
    fn from(race: BatchRace<C>) -> Self {
        let Parts { arms, sizes, wins, in_flight } = race.batches.to_parts();
        let BatchRace { options, round, stage, beaten, .. } = race;
        Self { options, round, stage, beaten, arms, sizes, wins, in_flight }
    }
}

impl<C: PairChoice> TryFrom<Saved> for BatchRace<C> {
    type Error = Damaged;

    fn try_from(saved: Saved) -> Result<Self, Damaged> {
        let Saved { options, round, stage, beaten, arms, sizes, wins, in_flight } = saved;
        if options.check().is_err() {
            return Err(Damaged("an option is out of range"));
        }
        // From stage 33 on, K / 2^S is less than one arm.
        if round > LAST_ROUND || !(1..=64).contains(&stage) {
            return Err(Damaged("the round or the stage is out of range"));
        }
        if beaten.len() != arms.len() || beaten.iter().any(|&n| n as usize >= arms.len()) {
            return Err(Damaged("the numbers of beaten arms do not fit the arms"));
        }
        let batches = Batches::from_parts(&Parts { arms, sizes, wins, in_flight }, options.batch)?;
        Ok(Self::assemble(options, batches, round, stage, beaten))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::MergeRucb;

    /// C for 136 arms is (3.04 * 136^2 / (1.02 * 0.01))^(1 / 1.02). The base is 56227.84 / 0.0102 =
    /// 5512533.3, and its logarithm 15.522535. Divided by 1.02 that is 15.218171, and e^15.218171
    /// is 4066005.
    #[test]
    fn trace_the_offset() {
        let options = Options::default();
        assert!((options.offset(136) / 4_066_005.0 - 1.0).abs() < 1e-5, "{}", options.offset(136));
        assert!((options.ln_offset(136) - 15.218_171).abs() < 1e-5, "{}", options.ln_offset(136));
        assert_eq!(options.offset(136).fract().to_bits(), 0.0f64.to_bits());
    }

    /// With alpha close to 1/2 the offset overflows, but its logarithm does not: 1 / (2
    /// alpha - 1) = 500, the base is 1.004 * 9 / (0.002 * 0.01) = 451800, and 500 ln 451800 =
    /// 6510.5.
    #[test]
    fn trace_an_offset_that_overflows() {
        let options = Options { alpha: 0.501, ..Options::default() };
        assert!(options.offset(3).is_infinite());
        let race = MergeRucb::in_order(&Arm::all(3).collect::<Vec<_>>(), options).expect("legal options");
        assert!((race.square - 0.501 * 6510.5).abs() < 0.1, "{}", race.square);
        assert!(serde_json::to_string(&race).is_ok_and(|text| !text.contains("null")));
    }

    /// The offset is in the logarithm from the first round on. Some public programs forget it.
    #[test]
    fn trace_the_offset_is_used() {
        let arms: Vec<Arm> = Arm::all(3).collect();
        let race = MergeRucb::in_order(&arms, Options { alpha: 1.0, batch: 4, offset: Offset::C(99.0) });
        // ln(1 + 99) = 4.60517.
        assert!((race.expect("legal options").square - 4.605_170_185_988_091).abs() < 1e-12);
        let none = MergeRucb::in_order(&arms, Options { alpha: 1.0, batch: 4, offset: Offset::C(0.0) });
        // ln 2, not ln 1.
        assert!((none.expect("legal options").square - core::f64::consts::LN_2).abs() < 1e-12);
    }

    #[test]
    fn trace_options_out_of_range() {
        let arms = [Arm::new(0)];
        let with =
            |alpha, batch, offset| MergeRucb::in_order(&arms, Options { alpha, batch, offset }).is_ok();
        assert!(with(1.01, 4, Offset::Delta(0.01)) && with(0.262, 16, Offset::C(4e5)));
        assert!(!with(0.5, 4, Offset::Delta(0.01)) && !with(0.0, 4, Offset::C(4e5)));
        assert!(!with(1.01, 3, Offset::Delta(0.01)) && !with(1.01, 65, Offset::Delta(0.01)));
        assert!(!with(1.01, 4, Offset::Delta(0.0)) && !with(1.01, 4, Offset::C(-1.0)));
        assert!(!with(1.01, 4, Offset::C(f64::NAN)) && !with(f64::NAN, 4, Offset::C(1.0)));
    }
}
