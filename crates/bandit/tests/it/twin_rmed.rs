//! RMED written a second time, from its specification and the policies' pages. The twin computes
//! every rate, divergence and list anew in every round, and the whole law of the next pair. The
//! crate's policy must propose a pair that this law allows, and state its probability.

use tiltyard_bandit::policy::rmed::{Form, Options, default_f};
use tiltyard_bandit::policy::{Additive, Rmed};
use tiltyard_bandit::{Arm, Stream, Ticket};

use crate::support::assert_close;
use crate::twins::{
    Counts, DELIVERIES, Delivery, Game, KINDS, Twin, assert_stated, drawn_by, indices, matrix, play,
};

pub(crate) const RMED2: Form = Form::Rmed2 { alpha: 3.0 };

/// RMED in O(K^3) or more per round.
#[derive(Debug, Clone)]
struct SlowRmed {
    form: Form,
    f: f64,
    /// The order of turns.
    order: Vec<usize>,
    counts: Counts,
    /// The three lists of the paper.
    current: Vec<usize>,
    remaining: Vec<usize>,
    next: Vec<usize>,
    /// b, once it is fixed.
    fixed: Option<Vec<Option<usize>>>,
}

impl SlowRmed {
    fn new(options: Options, order: Vec<usize>) -> Self {
        let mut new = Self {
            form: options.form,
            f: options.f,
            counts: Counts::new(order.len()),
            current: order.clone(),
            remaining: order.clone(),
            next: Vec::new(),
            fixed: None,
            order,
        };
        new.fix();
        new
    }

    fn n_arms(&self) -> usize {
        self.order.len()
    }

    fn n(&self, i: usize, j: usize) -> u64 {
        self.counts.n(i, j)
    }

    fn met(&self, i: usize, j: usize) -> u64 {
        self.n(i, j) + self.counts.in_flight[i][j]
    }

    fn p(&self, i: usize, j: usize) -> f64 {
        if self.n(i, j) == 0 { 0.5 } else { self.counts.wins[i][j] as f64 / self.n(i, j) as f64 }
    }

    fn kl(p: f64) -> f64 {
        let part = |p: f64| if p > 0.0 { p * (2.0 * p).ln() } else { 0.0 };
        part(p) + part(1.0 - p)
    }

    fn divergence(&self, i: usize) -> f64 {
        let losses = (0..self.n_arms()).filter(|&j| j != i && self.p(i, j) <= 0.5);
        losses.map(|j| self.n(i, j) as f64 * Self::kl(self.p(i, j))).sum()
    }

    /// The arms whose divergence is at most `excess` above the smallest one.
    fn within(&self, excess: f64) -> Vec<usize> {
        let all: Vec<f64> = (0..self.n_arms()).map(|i| self.divergence(i)).collect();
        let least = all.iter().copied().fold(f64::INFINITY, f64::min);
        let close = |i: &usize| all[*i] - least <= excess + 1e-9 * least.max(1.0);
        self.order.iter().copied().filter(close).collect()
    }

    fn ln_ln(t: u64) -> f64 {
        (t.max(3) as f64).ln().ln()
    }

    fn level(&self) -> f64 {
        match self.form {
            Form::Rmed1 => 1.0,
            Form::Rmed2 { alpha } => (alpha * Self::ln_ln(self.counts.t)).max(1.0),
            Form::Rmed2Fh { alpha, horizon } => (alpha * Self::ln_ln(horizon)).ceil().max(1.0),
        }
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.n_arms()).flat_map(move |high| (0..high).map(move |low| (self.order[low], self.order[high])))
    }

    /// The pair that has to meet because it has met too rarely.
    fn forced(&self) -> Option<(usize, usize)> {
        let short = self.pairs().filter(|&(i, j)| (self.met(i, j) as f64) < self.level());
        short.min_by_key(|&(i, j)| self.met(i, j))
    }

    /// The opponents with the best ratio of cost to information, given i°.
    fn rivals(&self, l: usize, best: usize) -> Vec<usize> {
        let price = |j: usize| (self.p(best, l) + self.p(best, j) - 1.0).max(0.01) / Self::kl(self.p(l, j));
        let beaten: Vec<usize> = self.order.iter().copied().filter(|&j| self.p(l, j) < 0.5).collect();
        let least = beaten.iter().map(|&j| price(j)).fold(f64::INFINITY, f64::min);
        beaten.into_iter().filter(|&j| price(j) <= least * (1.0 + 1e-9)).collect()
    }

    /// The probability of each right arm, given the left arm.
    fn rights(&self, l: usize) -> Vec<f64> {
        let n_arms = self.n_arms();
        let opponents: Vec<usize> = (0..n_arms).filter(|&j| j != l && self.p(l, j) <= 0.5).collect();
        let lowest = opponents.iter().map(|&j| self.p(l, j)).fold(1.0, f64::min);
        let strongest: Vec<usize> = opponents.iter().copied().filter(|&j| self.p(l, j) <= lowest).collect();
        let mut law = vec![0.0; n_arms];
        let mut add = |arms: &[usize], share: f64| {
            for &arm in arms {
                law[arm] += share / arms.len() as f64;
            }
        };
        let bests = self.within(0.0);
        for &best in &bests {
            let share = 1.0 / bests.len() as f64;
            let plain = |add: &mut dyn FnMut(&[usize], f64), share: f64| {
                if opponents.contains(&best) || opponents.is_empty() {
                    add(&[best], share);
                } else {
                    add(&strongest, share);
                }
            };
            let rivals = match (&self.fixed, self.form) {
                (_, Form::Rmed1) => Vec::new(),
                (Some(fixed), _) => fixed[l].into_iter().collect(),
                (None, _) => self.rivals(l, best),
            };
            if rivals.is_empty() {
                plain(&mut add, share);
            }
            for &b in &rivals {
                let share = share / rivals.len() as f64;
                let n_best = if best == l { 0 } else { self.met(l, best) };
                if opponents.contains(&b)
                    && n_best as f64 >= self.met(l, b) as f64 / Self::ln_ln(self.counts.t)
                {
                    add(&[b], share);
                } else {
                    plain(&mut add, share);
                }
            }
        }
        law
    }

    fn probability(&self, left: usize, right: usize) -> f64 {
        if let Some(pair) = self.forced() {
            return f64::from(u8::from(pair == (left, right)));
        }
        let turn =
            self.order.iter().copied().find(|l| self.remaining.contains(l)).expect("a loop is never empty");
        if left == turn { self.rights(left)[right] } else { 0.0 }
    }

    /// Fixes b once every pair has met often enough.
    fn fix(&mut self) {
        let enough = self.pairs().all(|(i, j)| self.n(i, j) as f64 >= self.level());
        if matches!(self.form, Form::Rmed2Fh { .. }) && self.fixed.is_none() && enough {
            let best = self.within(0.0)[0];
            self.fixed = Some((0..self.n_arms()).map(|l| self.rivals(l, best).first().copied()).collect());
        }
    }
}

impl Twin for SlowRmed {
    fn issue(&mut self, ticket: &Ticket) {
        if self.forced().is_none() {
            self.remaining.retain(|&l| l != ticket.left.index());
            let excess = (self.counts.t.max(2) as f64).ln() + self.f;
            for j in self.within(excess) {
                if !self.remaining.contains(&j) && !self.next.contains(&j) {
                    self.next.push(j);
                }
            }
            if self.remaining.is_empty() {
                self.current = core::mem::take(&mut self.next);
                self.remaining.clone_from(&self.current);
            }
        }
        self.counts.issue(ticket);
    }

    fn update(&mut self, ticket: &Ticket, left_won: bool) {
        self.counts.update(ticket, left_won);
        self.fix();
    }

    fn void(&mut self, ticket: &Ticket) {
        self.counts.void(ticket);
    }
}

pub(crate) fn options(form: Form, n_arms: usize) -> Options {
    Options { form, f: default_f(n_arms) }
}

/// The order of turns, from the saved state.
pub(crate) fn order(policy: &Rmed) -> Vec<usize> {
    let saved = serde_json::to_value(policy).expect("plain data");
    serde_json::from_value(saved["order"].clone()).expect("a list of arms")
}

/// Plays the policy and its twin side by side.
fn compare(n_arms: usize, options: Options, kind: usize, rounds: u64, delivery: Delivery) {
    let what = format!("{n_arms} arms, {options:?}, matrix {kind}, {delivery:?}");
    let mut rng = Stream::new(7).label(&what).rng();
    let game = Game { p: matrix(n_arms, kind, &mut rng), delivery, rounds };
    let mut fast = Rmed::with(n_arms, options, &mut rng).expect("legal options");
    let mut slow = SlowRmed::new(options, order(&fast));
    play(&mut fast, &mut slow, &game, &mut rng, |_, slow, ticket| {
        let (left, right) = indices(ticket);
        assert_stated(ticket, slow.probability(left, right), &what);
        let turn = u32::from(slow.forced().is_none());
        assert_eq!((ticket.round, ticket.epoch), (slow.counts.t, turn), "{what}");
    });
    assert_eq!(Additive::sums(&fast), slow.counts.sums(), "{what}");
    let divergences: Vec<f64> = Arm::all(n_arms).map(|arm| fast.divergence(arm)).collect();
    let want: Vec<f64> = (0..n_arms).map(|i| slow.divergence(i)).collect();
    assert_close(&divergences, &want, 1e-9, &what);
    let arms = |fixed: &Vec<Option<usize>>| fixed.iter().map(|arm| arm.map(Arm::new)).collect();
    assert_eq!(fast.fixed_rivals(), slow.fixed.as_ref().map(arms), "{what}");
}

/// The three policies, and forms with initial phases that end early.
fn forms(horizon: u64) -> [Form; 5] {
    [
        Form::Rmed1,
        RMED2,
        Form::Rmed2 { alpha: 0.5 },
        Form::Rmed2Fh { alpha: 3.0, horizon },
        Form::Rmed2Fh { alpha: 0.5, horizon },
    ]
}

/// Many small matrices, in every form, with prompt and with late outcomes.
#[test]
fn law_the_fast_and_the_slow_agree_on_many_matrices() {
    for n_arms in [1, 2, 3, 5, 9] {
        for kind in KINDS {
            for form in forms(400) {
                for f in [default_f(n_arms), 0.0] {
                    for delivery in DELIVERIES {
                        compare(n_arms, Options { form, f }, kind, 400, delivery);
                    }
                }
            }
        }
    }
}

/// Many rounds with a few arms, and many arms.
#[test]
fn law_the_fast_and_the_slow_agree_for_long() {
    // In kind 6, one arm beats all others.
    for (form, kind) in forms(20_000).into_iter().zip([6, 2, 1, 0, 6]) {
        for delivery in DELIVERIES {
            compare(5, options(form, 5), kind, 20_000, delivery);
        }
    }
    for (kind, form) in forms(20_000).into_iter().enumerate() {
        // The last form has a short first phase, so that all rules apply.
        let rounds = if kind == 4 { 20_000 } else { 2000 };
        compare(40, options(form, 40), [0, 1, 2, 6, 0][kind], rounds, Delivery::Prompt);
    }
}

/// From many states, pairs are drawn by the law of the slow twin.
#[test]
fn stat_pairs_are_drawn_by_the_law() {
    let n_arms = 5;
    let mut n_tested = 0;
    for state in 0..60_u32 {
        let mut rng = Stream::new(17).index(u64::from(state)).rng();
        let p = matrix(n_arms, [0, 1, 2, 6, 7][state as usize % 5], &mut rng);
        let game = Game { p, delivery: Delivery::Prompt, rounds: u64::from(10 + state % 20) };
        let form = [Form::Rmed1, Form::Rmed2 { alpha: 0.1 }, Form::Rmed2Fh { alpha: 0.1, horizon: 100 }];
        let options = options(form[state as usize % 3], n_arms);
        let mut fast = Rmed::with(n_arms, options, &mut rng).expect("legal options");
        let mut slow = SlowRmed::new(options, order(&fast));
        play(&mut fast, &mut slow, &game, &mut rng, |_, _, _| {});
        let law = |left, right| slow.probability(left, right);
        n_tested += usize::from(drawn_by(&format!("state {state}"), &fast, 2000, law));
    }
    assert!(n_tested > 10, "only {n_tested} of the states leave anything to chance");
}
