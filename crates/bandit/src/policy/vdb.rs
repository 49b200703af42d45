//! Versatile dueling bandits; [`Family`] has its page.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::{
    Additive, Citation, Curve, Distinct, Elastic, Goal, Info, Lessons, NoLesson, Policy, Propensity, Settles,
    either_slot, lesson, registry,
};
use crate::argmax::first_best;
use crate::damaged::Damaged;
use crate::player::tsallis::{Estimator, Seen};
use crate::player::{AdditivePlayer, Tsallis};
use crate::structures::weights::tsallis_weights::TsallisWeights;
use crate::ticket::Draw;
use crate::{Arm, Outcome, Ticket};

declare! {
    /// # Versatile dueling bandits: Tsallis entropy in both slots
    ///
    /// ## Idea
    ///
    /// A duel costs the slot that loses it 1 and the other one nothing. Let a learner that is good
    /// against any losses choose the arms, and the Condorcet regret is no more than the learner's
    /// own. Tsallis-INF is such a learner, and the best of both worlds: order sqrt(T K) against an
    /// adversary, and order ln T where preferences do not change, without knowing which it is nor
    /// for how long. One learner can serve both slots, as in REX3: it then learns from both, and
    /// from duels that it has with itself as it were.
    ///
    /// ## Update rule
    ///
    /// ```text
    /// w_i = 4 / (eta_t (L_i - x))^2                       x < min L such that the w_i sum to 1
    /// decide:  left, right independent from w
    /// update:  l_left = (1 - s) / 2, l_right = (1 + s) / 2   s the outcome, from the left arm's viewpoint
    /// iw:  eta_t = 2 / sqrt(t)    L_left += l_left / (2 w_left),  L_right += l_right / (2 w_right)
    /// rv:  eta_t = 4 / sqrt(t)    the same with l - B instead of l, and L_j += B_j for all arms j
    ///                             B_j = 1/2 if w_j >= eta_t^2, else 0
    /// ```
    ///
    /// With `form=players` each slot has a learner of its own, whose estimates are not halved:
    /// Sparring with the player `tsallis`.
    ///
    /// **Duels of an arm with itself.** Its two losses add up to 1 whatever the outcome, and with
    /// `iw` its L grows by 1 / (2 w). That is needed: the loss that L estimates is that against an
    /// opponent from w, which is the arm itself with probability w_i and costs 1/2 then. A
    /// self-duel comes with probability w_i^2, and w_i^2 / (2 w_i) is that w_i / 2. To skip
    /// self-duels, as REX3 may whose scores have mean 0 there, would make L too small by w_i / 2 a
    /// round and favour whichever arm is ahead. With `rv` they cancel out but for the B_j.
    ///
    /// **Late outcomes.** The estimates of `iw` depend on the ticket alone. The B_j of `rv` belong
    /// to the weights that drew the pair: while those are in force they are used, and an outcome
    /// that comes later is learned as in `iw`, which is unbiased too. The rate is that of the next
    /// round whenever something is learned. In between it is held, for two rounds at least, until
    /// it has fallen by 1 %.
    ///
    /// **Unequal arms on demand** (`form=shared`): with z the chance that two draws differ, a pair
    /// comes with probability w_a w_b / z, and L_a += (l z / w_a + z / (2 (1 - w_a))) / 2 for
    /// either slot. The second term stands for the self-duels that cannot come; it is at most 1.
    ///
    /// ## Parameters
    ///
    parameters {
        /// one learner for both slots, or one for each
        FORM: choice("form", Form: "shared" = Form::Shared, "players" = Form::Players);
        /// importance weights, or those of reduced variance
        ESTIMATOR: choice("estimator", Estimator: "iw" = Estimator::Iw, "rv" = Estimator::Rv);
    }
    ///
    /// `rv` is the estimator of Zimmert and Seldin with B_j added to *all* arms. One public program
    /// adds it to the arm drawn alone, which is biased by B_i (1 - w_i) in favour of arms that are
    /// ahead.
    ///
    /// ## Guarantee
    ///
    /// Condorcet regret is the mean of the two slots' regrets, or that of the shared learner. Hence
    /// at most 4 sqrt(K T) + 1 with `iw` (Zimmert and Seldin, Theorem 1; constants from memory),
    /// against any preferences that an oblivious adversary chooses for each round, with a fixed arm
    /// to compare with; the bandit regret of utilities is twice that. Where the arm that beats all
    /// others does not change and beats arm i with probability 1/2 + D_i, of order sum ln(T) / D_i,
    /// also if some outcomes are corrupted. Tests hold this implementation to the bound 4 sqrt(K
    /// T) + 1 and to growth like ln T (`savage6`). For unequal arms on demand the bound holds for
    /// w, not for the pairs shown. While arms come and go no bound is stated.
    ///
    /// Condorcet regret at T = 1e5, means of 20 runs: on `arxiv6` 419 (`iw`), 212 (`rv`) and 276
    /// (REX3); on `savage30` 1080, 549 and 1859; on `bvs20` 451, 311 and 904. With `iw` REX3 is
    /// ahead where gaps are small and time is short, since Tsallis weights fall slowly; on
    /// `savage30` `vdb` leads from 1000 rounds on at the latest. `rv` was ahead of both in all of
    /// these, but cannot be merged by addition and gains nothing where outcomes come late, which is
    /// why it is not the default.
    ///
    /// ## Cost
    ///
    /// O(K) a round: the weights are made anew by two or three steps of Newton's method, each a
    /// pass over the arms without branches, from where the last round ended. `form=players` costs
    /// twice that. O(K) memory. Two words of randomness a round.
    ///
    /// ## Example
    ///
    /// ```
    /// use tiltyard_bandit::{Outcome, Stream, policy::{Policy, Vdb}};
    ///
    /// let mut rng = Stream::new(1).rng();
    /// let mut policy = Vdb::new(5);
    /// for _ in 0..2000 {
    ///     let ticket = policy.decide(&mut rng);
    ///     // Arm 3 wins all its duels, the others tie.
    ///     let wins = |arm: tiltyard_bandit::Arm| f64::from(u8::from(arm.index() == 3));
    ///     policy.update(&ticket, Outcome::new(wins(ticket.left) - wins(ticket.right))?);
    /// }
    /// assert_eq!(policy.recommend().index(), 3);
    /// # Ok::<(), tiltyard_bandit::OutcomeError>(())
    /// ```
    ///
    /// ## Reference
    ///
    /// Saha and Gaillard, *Versatile dueling bandits: best-of-both world analyses for learning from
    /// relative preferences*, ICML 2022, PMLR 162:19011-19026; DOI `10.48550/arXiv.2202.06694`. The
    /// shared learner is their Remark 2.
    pub struct Family;

    Family {
        name: "vdb",
        class: "Vdb",
        title: "Tsallis entropy in both slots: best of both worlds",
        assumptions: &[],
        horizon: None,
        settles: Settles::Pair,
        minimises: Goal::Condorcet,
        binary: false,
        version: 1,
        cost: "O(K) a round, O(K) memory",
        forms: &["estimator=rv", "form=players"],
        curves: &[Curve::new([7, 4, 0]), Curve::given("form=players", [7, 2, 1])],
        reference: Citation {
            authors: "Saha and Gaillard",
            title: "Versatile dueling bandits: best-of-both world analyses for learning from relative preferences",
            venue: "ICML, PMLR 162:19011-19026",
            year: 2022,
            doi: "doi:10.48550/arXiv.2202.06694",
        },
    } => |params, _| Ok(Vdb::with(params.context().n_arms, FORM.read(params)?, ESTIMATOR.read(params)?));
}

/// Tsallis entropy in both slots; see the [module](self).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub struct Vdb {
    /// The learner of both slots, or of the left one.
    left: Tsallis,
    /// The learner of the right slot, if it has one of its own.
    right: Option<Tsallis>,
}

/// What is stored of [`Vdb`].
#[derive(Deserialize)]
struct Saved {
    left: Tsallis,
    right: Option<Tsallis>,
}

impl TryFrom<Saved> for Vdb {
    type Error = Damaged;

    fn try_from(Saved { left, right }: Saved) -> Result<Self, Damaged> {
        let fits = |right: &Tsallis| {
            left.estimator() == right.estimator()
                && left.round() == right.round()
                && left.losses().len() == right.losses().len()
                && Arm::all(left.losses().len())
                    .all(|arm| left.weights().is_active(arm) == right.weights().is_active(arm))
        };
        if right.as_ref().is_none_or(fits) {
            Ok(Self { left, right })
        } else {
            Err(Damaged("the two learners do not fit each other"))
        }
    }
}

/// Whose arms stand in the two slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One learner draws both.
    Shared,
    /// Each slot has a learner of its own.
    Players,
}

impl Vdb {
    /// The shared learner over `n_arms` arms, with importance weights.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn new(n_arms: usize) -> Self {
        Self::with(n_arms, Form::Shared, Estimator::Iw)
    }

    /// Any form over `n_arms` arms.
    ///
    /// # Panics
    ///
    /// If there are no arms.
    pub fn with(n_arms: usize, form: Form, estimator: Estimator) -> Self {
        let left = Tsallis::with(n_arms, estimator);
        let right = (form == Form::Players).then(|| left.clone());
        Self { left, right }
    }

    /// The probability of each arm in the left slot and in the right one.
    pub fn distributions(&self) -> (Vec<f64>, Vec<f64>) {
        (self.left.distribution(), self.right().distribution())
    }

    /// The estimated losses of each arm so far: those of the shared learner, or of the left one and
    /// then of the right one.
    pub fn losses(&self) -> Vec<f64> {
        let right = self.right.as_ref().map_or(&[][..], Tsallis::losses);
        [self.left.losses(), right].concat()
    }

    fn right(&self) -> &Tsallis {
        self.right.as_ref().unwrap_or(&self.left)
    }

    fn learners(&mut self) -> impl Iterator<Item = &mut Tsallis> {
        [Some(&mut self.left), self.right.as_mut()].into_iter().flatten()
    }

    #[inline]
    fn ticket(&self, (left, p_left): (Arm, f64), (right, p_right): (Arm, f64), z: f64) -> Ticket {
        Ticket {
            round: self.left.round() + 1,
            left,
            right,
            rate: self.left.rate(),
            epoch: 0,
            draw: Draw::Slots { left: p_left, right: p_right, z },
        }
    }

    /// Learns from a duel that another drew; or, of the sign -1, takes that back.
    fn learn_lesson(&mut self, ticket: &Ticket, outcome: Outcome, sign: f64) {
        let (left, right, z) = seen(ticket, outcome);
        let [left, right] =
            [left, right].map(|slot| (slot.arm, sign * (slot.loss - 0.5) * z / slot.probability));
        if let Some(learner) = &mut self.right {
            self.left.learn_estimates([left]);
            learner.learn_estimates([right]);
        } else {
            self.left.learn_estimates([left, right].map(|(arm, estimate)| (arm, estimate / 2.0)));
        }
    }

    /// The sum of an arm's losses in both slots.
    fn loss(&self, arm: Arm) -> f64 {
        self.left.losses()[arm.index()] + self.right().losses()[arm.index()]
    }
}

impl Policy for Vdb {
    fn info(&self) -> &'static Info {
        &<Family as registry::Family>::INFO
    }

    fn propensity(&self) -> Propensity {
        Propensity::Slots
    }

    fn n_arms(&self) -> usize {
        self.left.losses().len()
    }

    fn round(&self) -> u64 {
        self.left.round()
    }

    #[inline]
    fn propose<R: Rng + ?Sized>(&self, rng: &mut R) -> Ticket {
        let left = self.left.draw(rng);
        let right = self.right().draw(rng);
        self.ticket(left, right, 1.0)
    }

    #[inline]
    fn issue(&mut self, _: &Ticket) {
        self.learners().for_each(Tsallis::tick);
    }

    #[inline]
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        let (left, right, z) = seen(ticket, outcome);
        if ticket.is_lesson() {
            self.learn_lesson(ticket, outcome, 1.0);
        } else if let Some(learner) = &mut self.right {
            self.left.learn(ticket.rate, [left]);
            learner.learn(ticket.rate, [right]);
        } else if z < 1.0 {
            self.left.learn_estimates([left, right].map(|slot| (slot.arm, without_self_duels(slot, z))));
        } else {
            self.left.learn(ticket.rate, [left, right]);
        }
    }

    fn void(&mut self, _: &Ticket) {}

    fn lessons(&self) -> Lessons {
        Lessons::Weighted
    }

    /// Losses are estimated less 1/2, which is the same for all arms and changes no weight: L_left
    /// -= s w_right / (4 propensity), L_right += s w_left / (4 propensity), twice that where each
    /// slot has a learner of its own. So nothing is to be made up for where the law that drew the
    /// pair knows no duels of an arm with itself.
    fn lesson(&self, left: Arm, right: Arm, propensity: Option<f64>) -> Result<Ticket, NoLesson> {
        let propensity = lesson::weighted(self, left, right, propensity)?;
        if let Some(arm) = [left, right].into_iter().find(|&arm| !self.left.weights().is_active(arm)) {
            return Err(NoLesson::Retired { arm });
        }
        let (p_left, p_right) = self.distributions();
        let draw = lesson::slots(p_left[left.index()], p_right[right.index()], propensity);
        Ok(Ticket { round: Ticket::LESSON, left, right, rate: self.left.rate(), epoch: 0, draw })
    }

    fn recommend(&self) -> Arm {
        if self.right.is_none() {
            return self.left.weights().best();
        }
        let active = Arm::all(self.n_arms()).filter(|&arm| self.left.weights().is_active(arm));
        first_best(active, |arm| -self.loss(arm))
    }

    fn probabilities(&self) -> Option<Vec<f64>> {
        let left = self.left.distribution();
        Some(match &self.right {
            Some(right) => either_slot(left, &right.distribution()),
            None => left,
        })
    }

    fn additive(&mut self) -> Option<&mut dyn Additive> {
        // With `rv` an increment depends on the weights in force.
        if self.left.estimator() == Estimator::Iw { Some(self) } else { None }
    }

    fn elastic(&mut self) -> Option<&mut dyn Elastic> {
        Some(self)
    }

    fn distinct(&self) -> Option<&dyn Distinct> {
        // Two learners would need each other's probabilities in the ticket.
        if self.right.is_none() { Some(self) } else { None }
    }
}

/// What was seen in the two slots, and z.
#[inline]
fn seen(ticket: &Ticket, outcome: Outcome) -> (Seen, Seen, f64) {
    let Draw::Slots { left, right, z } = ticket.draw else {
        panic!("a ticket drawn as {:?} is not one of VDB's", ticket.draw);
    };
    (
        Seen { arm: ticket.left, probability: left, loss: outcome.flipped().reward() },
        Seen { arm: ticket.right, probability: right, loss: outcome.reward() },
        z,
    )
}

/// The estimate that one slot gives of its arm's loss where duels of equal arms are excluded,
/// halved since there are two slots.
fn without_self_duels(slot: Seen, z: f64) -> f64 {
    let Seen { probability: p, loss, arm: _ } = slot;
    // z is at most (1 - p)(1 + p): the bound is for probabilities so near to 1 that subtraction
    // loses their digits.
    let missing = (z / (2.0 * (1.0 - p))).min(1.0);
    f64::midpoint(loss * z / p, missing)
}

impl Additive for Vdb {
    fn sums(&self) -> Vec<f64> {
        self.losses()
    }

    fn add(&mut self, increments: &[f64]) {
        let n_arms = self.n_arms();
        let n_learners = self.learners().count();
        assert_eq!(increments.len(), n_arms * n_learners, "one increment an arm and learner");
        for (learner, increments) in self.learners().zip(increments.chunks(n_arms)) {
            AdditivePlayer::add(learner, increments);
        }
    }

    /// The rate is that of the present round afterwards, as it is whenever something is learned. An
    /// arm that was retired since counts from what was least then.
    fn take_back(&mut self, ticket: &Ticket, outcome: Outcome) {
        let (left, right, z) = seen(ticket, outcome);
        if ticket.is_lesson() {
            self.learn_lesson(ticket, outcome, -1.0);
        } else if let Some(learner) = &mut self.right {
            self.left.unlearn([left]);
            learner.unlearn([right]);
        } else if z < 1.0 {
            self.left.learn_estimates([left, right].map(|slot| (slot.arm, -without_self_duels(slot, z))));
        } else {
            self.left.unlearn([left, right]);
        }
    }
}

impl Elastic for Vdb {
    fn add_arm(&mut self) -> Arm {
        let arm = Arm::new(self.n_arms());
        for learner in self.learners() {
            learner.change(TsallisWeights::push);
        }
        arm
    }

    fn retire(&mut self, arm: Arm) -> bool {
        assert!(arm.index() < self.n_arms(), "there is no arm {arm}");
        if !self.left.weights().is_active(arm) || self.left.weights().n_active() == 1 {
            return false;
        }
        self.learners().all(|learner| learner.change(|weights| weights.retire(arm)))
    }

    fn restore(&mut self, arm: Arm) -> bool {
        assert!(arm.index() < self.n_arms(), "there is no arm {arm}");
        if self.left.weights().is_active(arm) {
            return false;
        }
        self.learners().all(|learner| learner.change(|weights| weights.restore(arm)))
    }
}

impl Distinct for Vdb {
    fn propose_distinct(&self, rng: &mut dyn Rng) -> Option<Ticket> {
        if self.left.weights().n_active() < 2 {
            return None;
        }
        let (left, right, z) = self.left.weights().draw_unequal(rng);
        Some(self.ticket(left, right, z))
    }
}
