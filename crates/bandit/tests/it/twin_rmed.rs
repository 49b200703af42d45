//! RMED written a second time, from ALGORITHMS 5.7 and the policies' pages: every rate, divergence and list anew in every round, and the
//! law of the next pair spelled out. The crate's policy must propose a pair of that law, with the probability that it states.

use rand::{Rng, RngExt};
use tiltyard_bandit::policy::rmed::{Form, Options, default_f};
use tiltyard_bandit::policy::{Additive, Policy, Rmed};
use tiltyard_bandit::{Arm, Outcome, Stream, Ticket};

use crate::support::assert_close;

pub(crate) const RMED2: Form = Form::Rmed2 { alpha: 3.0 };

/// RMED in O(K^3) a round and more.
#[derive(Debug, Clone)]
struct SlowRmed {
    form: Form,
    f: f64,
    /// The order of turns.
    order: Vec<usize>,
    wins: Vec<Vec<u64>>,
    in_flight: Vec<Vec<u64>>,
    /// The round of the next decision.
    t: u64,
    /// The paper's lists.
    current: Vec<usize>,
    remaining: Vec<usize>,
    next: Vec<usize>,
    /// b, once it is fixed.
    fixed: Option<Vec<Option<usize>>>,
}

impl SlowRmed {
    fn new(options: Options, order: Vec<usize>) -> Self {
        let n = order.len();
        let mut new = Self {
            form: options.form,
            f: options.f,
            wins: vec![vec![0; n]; n],
            in_flight: vec![vec![0; n]; n],
            t: 1,
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
        self.wins.len()
    }

    fn n(&self, i: usize, j: usize) -> u64 {
        self.wins[i][j] + self.wins[j][i]
    }

    fn met(&self, i: usize, j: usize) -> u64 {
        self.n(i, j) + self.in_flight[i][j]
    }

    fn p(&self, i: usize, j: usize) -> f64 {
        if self.n(i, j) == 0 { 0.5 } else { self.wins[i][j] as f64 / self.n(i, j) as f64 }
    }

    fn kl(p: f64) -> f64 {
        let part = |p: f64| if p > 0.0 { p * (2.0 * p).ln() } else { 0.0 };
        part(p) + part(1.0 - p)
    }

    fn divergence(&self, i: usize) -> f64 {
        let losses = (0..self.n_arms()).filter(|&j| j != i && self.p(i, j) <= 0.5);
        losses.map(|j| self.n(i, j) as f64 * Self::kl(self.p(i, j))).sum()
    }

    /// The arms whose divergence exceeds the least by up to `excess`.
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
            Form::Rmed2 { alpha } => (alpha * Self::ln_ln(self.t)).max(1.0),
            Form::Rmed2Fh { alpha, horizon } => (alpha * Self::ln_ln(horizon)).ceil().max(1.0),
        }
    }

    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.n_arms()).flat_map(move |high| (0..high).map(move |low| (self.order[low], self.order[high])))
    }

    /// The pair that has to meet for its number alone.
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

    /// The probability of each right arm.
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
                if opponents.contains(&b) && n_best as f64 >= self.met(l, b) as f64 / Self::ln_ln(self.t) {
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

    fn issue(&mut self, left: usize, right: usize) {
        if self.forced().is_none() {
            self.remaining.retain(|&l| l != left);
            let excess = (self.t.max(2) as f64).ln() + self.f;
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
        self.t += 1;
        if left != right {
            self.in_flight[left][right] += 1;
            self.in_flight[right][left] += 1;
        }
    }

    fn land(&mut self, left: usize, right: usize) {
        if left != right {
            self.in_flight[left][right] -= 1;
            self.in_flight[right][left] -= 1;
        }
    }

    fn update(&mut self, left: usize, right: usize, left_won: bool) {
        self.land(left, right);
        if left != right {
            let (winner, loser) = if left_won { (left, right) } else { (right, left) };
            self.wins[winner][loser] += 1;
        }
        self.fix();
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

pub(crate) fn options(form: Form, n_arms: usize) -> Options {
    Options { form, f: default_f(n_arms) }
}

/// The order of turns, as it is stored.
pub(crate) fn order(policy: &Rmed) -> Vec<usize> {
    let saved = serde_json::to_value(policy).expect("plain data");
    serde_json::from_value(saved["order"].clone()).expect("a list of arms")
}

pub(crate) fn indices(ticket: &Ticket) -> (usize, usize) {
    (ticket.left.index(), ticket.right.index())
}

/// How likely each arm beats each other. Kinds: any numbers; a few steps, so that counts are often equal; zeros, halves and ones; one
/// arm that beats all by little, while the others beat each other in cycles; all alike.
fn matrix<R: Rng>(n_arms: usize, kind: usize, rng: &mut R) -> Vec<Vec<f64>> {
    let mut p = vec![vec![0.5; n_arms]; n_arms];
    for (i, j) in (0..n_arms).flat_map(|i| (0..i).map(move |j| (i, j))) {
        p[i][j] = match kind {
            0 => rng.random(),
            1 => f64::from(rng.random_range(0..=4u8)) / 4.0,
            2 => f64::from(rng.random_range(0..=2u8)) / 2.0,
            3 if j == 0 => 0.4,
            3 if (i - j) % 3 == 1 => 0.9,
            3 => 0.1,
            _ => 0.5,
        };
        p[j][i] = 1.0 - p[i][j];
    }
    p
}

/// Plays the two side by side. Each outcome comes after up to `delay` rounds, in any order; with a
/// delay, some are declared void.
struct Side {
    n_arms: usize,
    options: Options,
    kind: usize,
    rounds: usize,
    delay: usize,
}

impl Side {
    fn by_side(&self, stream: Stream) {
        let Self { n_arms, options, kind, rounds, delay } = *self;
        let what = format!("{n_arms} arms, {options:?}, matrix {kind}, delay {delay}");
        let mut rng = stream.label("policy").rng();
        let mut world = stream.label("world").rng();
        let p = matrix(n_arms, kind, &mut world);
        let mut fast = Rmed::with(n_arms, options, &mut rng).expect("legal options");
        let mut slow = SlowRmed::new(options, order(&fast));
        let mut waiting: Vec<(usize, Ticket)> = Vec::new();
        for round in 0..rounds {
            let ticket = fast.propose(&mut rng);
            let (left, right) = indices(&ticket);
            let (stated, want) = (ticket.propensity().expect("known"), slow.probability(left, right));
            assert!(
                (stated - want).abs() <= 1e-12 && want > 0.0,
                "{what}, round {round}: ({left}, {right}) at {stated}, not {want}"
            );
            assert_eq!((ticket.round, ticket.epoch), (slow.t, u32::from(slow.forced().is_none())), "{what}");
            fast.issue(&ticket);
            slow.issue(left, right);
            waiting.push((round + if delay == 0 { 0 } else { world.random_range(0..=delay) }, ticket));
            while let Some(next) = waiting.iter().position(|&(due, _)| due <= round) {
                let (_, ticket) = waiting.swap_remove(next);
                let (left, right) = indices(&ticket);
                if delay > 0 && world.random_range(0..10) == 0 {
                    fast.void(&ticket);
                    slow.land(left, right);
                } else {
                    let left_won = world.random::<f64>() < p[left][right];
                    fast.update(&ticket, Outcome::won(left_won));
                    slow.update(left, right, left_won);
                }
            }
        }
        let counts: Vec<f64> = slow.wins.concat().iter().map(|&wins| wins as f64).collect();
        assert_eq!(Additive::sums(&fast), counts, "{what}");
        let divergences: Vec<f64> = Arm::all(n_arms).map(|arm| fast.divergence(arm)).collect();
        let want: Vec<f64> = (0..n_arms).map(|i| slow.divergence(i)).collect();
        assert_close(&divergences, &want, 1e-9, &what);
        let arms = |fixed: &Vec<Option<usize>>| fixed.iter().map(|arm| arm.map(Arm::new)).collect();
        assert_eq!(fast.fixed_rivals(), slow.fixed.as_ref().map(arms), "{what}");
    }
}

/// The three, with initial phases that end early.
fn forms(horizon: u64) -> [Form; 5] {
    [
        Form::Rmed1,
        RMED2,
        Form::Rmed2 { alpha: 0.5 },
        Form::Rmed2Fh { alpha: 3.0, horizon },
        Form::Rmed2Fh { alpha: 0.5, horizon },
    ]
}

/// Many small matrices, in every form, at once and late.
#[test]
fn law_the_fast_and_the_slow_agree_on_many_matrices() {
    let mut case = 0;
    for n_arms in [1, 2, 3, 5, 9] {
        for kind in 0..5 {
            for form in forms(400) {
                for f in [default_f(n_arms), 0.0] {
                    for delay in [0, 30] {
                        case += 1;
                        let options = Options { form, f };
                        Side { n_arms, options, kind, rounds: 400, delay }
                            .by_side(Stream::new(7).index(case));
                    }
                }
            }
        }
    }
}

/// Many rounds with a few arms, and many arms.
#[test]
fn law_the_fast_and_the_slow_agree_for_long() {
    for (kind, form) in forms(20_000).into_iter().enumerate() {
        for delay in [0, 100] {
            let stream = Stream::new(11).index(kind as u64 + 10 * delay as u64);
            let side =
                Side { n_arms: 5, options: options(form, 5), kind: 3 - kind % 4, rounds: 20_000, delay };
            side.by_side(stream);
        }
        // The last has a short first phase, so that all rules come into play.
        let rounds = if kind == 4 { 20_000 } else { 2000 };
        let side = Side { n_arms: 40, options: options(form, 40), kind: kind % 4, rounds, delay: 0 };
        side.by_side(Stream::new(13).index(kind as u64));
    }
}

/// From many states, the pairs drawn follow the law that the slow twin spells out: chi-square over 2,000 proposals a state.
///
/// With 60 states and sums of squares that exceed their mean by 5 standard deviations and 10 with probability below 1e-5 each, a failure
/// means a wrong law.
#[test]
fn stat_pairs_are_drawn_by_the_law() {
    let n_arms = 5;
    let mut n_random = 0;
    for state in 0..60_u32 {
        let stream = Stream::new(17).index(u64::from(state));
        let (mut rng, mut world) = (stream.label("policy").rng(), stream.label("world").rng());
        let p = matrix(n_arms, state as usize % 5, &mut world);
        let form = [Form::Rmed1, Form::Rmed2 { alpha: 0.1 }, Form::Rmed2Fh { alpha: 0.1, horizon: 100 }];
        let options = options(form[state as usize % 3], n_arms);
        let mut fast = Rmed::with(n_arms, options, &mut rng).expect("legal options");
        let mut slow = SlowRmed::new(options, order(&fast));
        for _ in 0..10 + state % 20 {
            let ticket = fast.decide(&mut rng);
            let (left, right) = indices(&ticket);
            let left_won = world.random::<f64>() < p[left][right];
            fast.update(&ticket, Outcome::won(left_won));
            slow.issue(left, right);
            slow.update(left, right, left_won);
        }
        let draws = 2000;
        let mut seen = vec![0.0; n_arms * n_arms];
        for _ in 0..draws {
            let (left, right) = indices(&fast.propose(&mut rng));
            seen[left * n_arms + right] += 1.0;
        }
        let (mut chi_square, mut cells, mut total) = (0.0, 0, 0.0);
        for (place, &seen) in seen.iter().enumerate() {
            let p = slow.probability(place / n_arms, place % n_arms);
            total += p;
            let expected = p * f64::from(draws);
            if p > 0.0 {
                chi_square += (seen - expected).powi(2) / expected;
                cells += 1;
            } else {
                assert!(seen < 0.5, "state {state}: a pair that the law excludes");
            }
        }
        assert_close(&[total], &[1.0], 1e-12, "the law sums to 1");
        n_random += u32::from(cells > 1);
        let freedom = f64::from((cells - 1).max(0));
        assert!(chi_square <= freedom + 5.0 * (2.0 * freedom).sqrt() + 10.0, "state {state}: {chi_square}");
    }
    assert!(n_random > 10, "only {n_random} of the states leave anything to chance");
}
