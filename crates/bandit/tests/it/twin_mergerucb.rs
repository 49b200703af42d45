//! MergeRUCB written a second time, from its specification and the policy's page: lists of lists, a
//! full matrix of counts, and every bound of every batch after every outcome. The policy must
//! propose a pair that the twin allows, with the probability that the twin gives. It must also keep
//! the same batches.

use proptest::prelude::*;
use rand::RngExt;
use tiltyard_bandit::policy::mergerucb::{Offset, Options};
use tiltyard_bandit::policy::{MergeRucb, Policy};
use tiltyard_bandit::{Arm, Draw, Outcome, Stream, Ticket};

use crate::chi_square;
use crate::support::{assert_close, permutation, propose_pair};
use crate::twins::{Counts, DELIVERIES, Delivery, Game, Twin, assert_stated, indices, play, shuffled_matrix};

/// The race in batches, in O(K p) per outcome. MergeDTS has the same race.
#[derive(Debug, Clone)]
pub(crate) struct SlowRace {
    options: Options,
    pub(crate) batches: Vec<Vec<usize>>,
    pub(crate) counts: Counts,
    pub(crate) stage: u32,
}

impl SlowRace {
    /// Starts with the batches of the policy's first round.
    pub(crate) fn new(first: &[Vec<Arm>], options: Options) -> Self {
        let batches: Vec<Vec<usize>> =
            first.iter().map(|batch| batch.iter().map(|arm| arm.index()).collect()).collect();
        let n_arms = batches.iter().map(Vec::len).sum::<usize>();
        let (small, large) = (batches.iter().map(Vec::len).min(), batches.iter().map(Vec::len).max());
        assert_eq!(batches.len(), n_arms.div_ceil(options.batch));
        assert!(large.zip(small).is_some_and(|(large, small)| large - small <= 1 && large <= options.batch));
        Self { options, batches, counts: Counts::new(n_arms), stage: 1 }
    }

    fn n_arms(&self) -> usize {
        self.counts.arms().len()
    }

    fn most(&self) -> usize {
        3 * self.options.batch / 2
    }

    /// ln(t + C).
    fn ln(&self) -> f64 {
        let alpha = self.options.alpha;
        let c = match self.options.offset {
            Offset::C(c) => c,
            Offset::Delta(delta) => {
                let k = self.n_arms() as f64;
                ((4.0 * alpha - 1.0) * k.powi(2) / ((2.0 * alpha - 1.0) * delta))
                    .powf(1.0 / (2.0 * alpha - 1.0))
                    .ceil()
            }
        };
        (self.counts.t as f64 + c).max(2.0).ln()
    }

    /// u_ij. The width also counts `waiting` duels whose outcome has not arrived.
    fn u(&self, i: usize, j: usize, waiting: u64) -> f64 {
        let n = self.counts.n(i, j);
        if n + waiting == 0 {
            return f64::INFINITY;
        }
        let mean = if n == 0 { 1.0 } else { self.counts.wins[i][j] as f64 / n as f64 };
        mean + (self.options.alpha * self.ln() / (n + waiting) as f64).sqrt()
    }

    /// The batch of the next decision.
    pub(crate) fn turn(&self) -> &[usize] {
        let n = self.batches.len();
        let first = usize::try_from(self.counts.t % n as u64).expect("below the number of batches");
        let can_duel = |batch: &&Vec<usize>| n == 1 || batch.len() > 1;
        (0..n).map(|step| &self.batches[(first + step) % n]).find(can_duel).expect("a batch of two")
    }

    fn probability(&self, left: usize, right: usize) -> f64 {
        let batch = self.turn();
        if let [only] = batch {
            return f64::from(u8::from(left == *only && right == *only));
        }
        if !batch.contains(&left) || !batch.contains(&right) || left == right {
            return 0.0;
        }
        let u = |j: usize| self.u(j, left, self.counts.in_flight[j][left]);
        let others = || batch.iter().copied().filter(|&j| j != left);
        let highest = others().map(u).fold(f64::NEG_INFINITY, f64::max);
        let tied = others().filter(|&j| u(j) >= highest).count();
        if u(right) >= highest { 1.0 / (batch.len() * tied) as f64 } else { 0.0 }
    }

    fn remove(&mut self, gone: usize) {
        for batch in &mut self.batches {
            batch.retain(|&arm| arm != gone);
        }
        let left: usize = self.batches.iter().map(Vec::len).sum();
        while self.batches.len() > 1 && left as f64 <= self.n_arms() as f64 / 2f64.powf(self.stage.into()) {
            self.stage += 1;
            loop {
                let before = self.batches.len();
                self.pair_up();
                let smallest = self.batches.iter().map(Vec::len).min().expect("a batch");
                if self.batches.len() == before || smallest as f64 >= self.options.batch as f64 / 2.0 {
                    break;
                }
            }
        }
        while let Some(single) = self.batches.iter().position(|batch| batch.len() == 1) {
            let n = self.batches.len();
            let mut others = (1..n).map(|step| (single + step) % n);
            let Some(host) = others.find(|&host| self.batches[host].len() < self.most()) else { break };
            let arm = self.batches[single][0];
            self.batches[host].push(arm);
            self.batches.remove(single);
        }
    }

    fn pair_up(&mut self) {
        let mut old = std::mem::take(&mut self.batches);
        old.sort_by_key(Vec::len);
        let most = self.most();
        while let Some(mut large) = old.pop() {
            if old.first().is_some_and(|small| small.len() + large.len() <= most) {
                large.extend(old.remove(0));
            }
            self.batches.push(large);
        }
    }

    /// Fails unless the policy has the same batches.
    pub(crate) fn assert_same(&self, batches: &[Vec<Arm>], what: &str) {
        let sorted = |batch: &[usize]| {
            let mut batch = batch.to_vec();
            batch.sort_unstable();
            batch
        };
        let got: Vec<Vec<usize>> = batches
            .iter()
            .map(|batch| sorted(&batch.iter().map(|arm| arm.index()).collect::<Vec<_>>()))
            .collect();
        let want: Vec<Vec<usize>> = self.batches.iter().map(|batch| sorted(batch)).collect();
        assert_eq!(got, want, "{what}, round {}", self.counts.t);
    }

    /// How many arms are left.
    pub(crate) fn left(&self) -> usize {
        self.batches.iter().map(Vec::len).sum()
    }
}

impl Twin for SlowRace {
    fn issue(&mut self, ticket: &Ticket) {
        self.counts.issue(ticket);
    }

    fn update(&mut self, ticket: &Ticket, left_won: bool) {
        let (left, right) = indices(ticket);
        let together = |batch: &Vec<usize>| batch.contains(&left) && batch.contains(&right);
        if left == right || !self.batches.iter().any(together) {
            self.counts.void(ticket);
            return;
        }
        self.counts.update(ticket, left_won);
        let (winner, loser) = if left_won { (left, right) } else { (right, left) };
        // Look at all pairs of all batches, although only one pair has changed.
        let mut lost = Vec::new();
        for batch in &self.batches {
            let is_out = |l: usize| batch.iter().any(|&j| j != l && self.u(l, j, 0) < 0.5);
            lost.extend(batch.iter().copied().filter(|&l| is_out(l)));
        }
        assert!(lost.is_empty() || lost == [loser], "{lost:?} lost after {winner} beat {loser}");
        for l in lost {
            self.remove(l);
        }
    }

    fn void(&mut self, ticket: &Ticket) {
        self.counts.void(ticket);
    }
}

/// The forms that the tests compare: one that takes a single lead as proof, a quick one, a tuned
/// one, and the one of the theory.
pub(crate) fn forms() -> [Options; 4] {
    [
        Options { alpha: 0.05, batch: 4, offset: Offset::C(0.0) },
        Options { alpha: 0.2, batch: 5, offset: Offset::C(20.0) },
        Options { batch: 8, ..Options::tuned(8) },
        Options::default(),
    ]
}

/// Plays a policy and its twin side by side, and returns the number of arms that are left.
/// `allowed` checks each ticket.
pub(crate) fn compare<P: Policy>(
    mut fast: P,
    batches: impl Fn(&P) -> Vec<Vec<Arm>>,
    options: Options,
    (kind, delivery, rounds): (usize, Delivery, u64),
    allowed: impl Fn(&SlowRace, &Ticket, &str),
) -> usize {
    let n_arms = fast.n_arms();
    let what = format!("{options:?}, {n_arms} arms, matrix {kind}, {delivery:?}");
    let mut rng = Stream::new(1).label(&what).rng();
    let game = Game { p: shuffled_matrix(kind, n_arms, &mut rng), delivery, rounds };
    let mut slow = SlowRace::new(&batches(&fast), options);
    let mut left = n_arms;
    play(&mut fast, &mut slow, &game, &mut rng, |fast, slow, ticket| {
        assert_eq!((ticket.round, ticket.epoch), (slow.counts.t, slow.stage), "{what}");
        allowed(slow, ticket, &what);
        if left != slow.left() || ticket.round.is_multiple_of(64) {
            left = slow.left();
            slow.assert_same(&batches(fast), &what);
        }
    });
    slow.left()
}

fn compare_rucb(n_arms: usize, options: Options, kind: usize, delivery: Delivery, rounds: u64) -> usize {
    let mut rng = Stream::new(1).label("partition").index(n_arms as u64).rng();
    let fast = MergeRucb::with(n_arms, options, &mut rng).expect("legal options");
    compare(fast, MergeRucb::batches, options, (kind, delivery, rounds), |slow, ticket, what| {
        let (left, right) = indices(ticket);
        assert_stated(ticket, slow.probability(left, right), what);
    })
}

#[test]
fn law_mergerucb_proposes_what_its_twin_allows() {
    let mut left = Vec::new();
    for n_arms in [1, 2, 3, 5, 13, 40] {
        for kind in 0..4 {
            for delivery in DELIVERIES {
                for options in forms() {
                    left.push((n_arms, compare_rucb(n_arms, options, kind, delivery, 1000)));
                }
            }
        }
    }
    // Some runs reached the end of the race, and some did not.
    assert!(left.iter().any(|&(n_arms, left)| n_arms > 12 && left == 1));
    assert!(left.iter().any(|&(n_arms, left)| n_arms > 12 && left > 2 && left < n_arms));
}

#[test]
fn law_mergerucb_agrees_with_its_twin_for_20_000_rounds() {
    let left = [
        compare_rucb(40, Options::default(), 1, Delivery::Prompt, 20_000),
        compare_rucb(40, Options::tuned(16), 0, Delivery::Late, 20_000),
        compare_rucb(37, forms()[1], 3, Delivery::Late, 20_000),
    ];
    assert!(left[0] == 1 && left[1] < 10, "{left:?}");
}

/// From states in the middle of a run, pairs are drawn as often as the twin says.
#[test]
fn stat_mergerucb_draws_by_the_law_of_its_twin() {
    let options = forms()[2];
    let n_arms = 12;
    let mut rng = Stream::new(1).label("mergerucb").rng();
    let p = shuffled_matrix(0, n_arms, &mut rng);
    let mut fast = MergeRucb::with(n_arms, options, &mut rng).expect("legal options");
    let mut slow = SlowRace::new(&fast.batches(), options);
    for _ in 0..8 {
        let game = Game { p: p.clone(), delivery: Delivery::Prompt, rounds: rng.random_range(1..30) };
        play(&mut fast, &mut slow, &game, &mut rng, |_, _, _| {});
        let mut draws = rng.clone();
        let draws = (0..4000).map(|_| fast.propose(&mut draws));
        chi_square::check("mergerucb", n_arms, |left, right| slow.probability(left, right), draws);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    /// A relabelled partition with relabelled tickets leaves relabelled batches.
    #[test]
    fn law_mergerucb_follows_labels(seed in any::<u64>(), n_arms in 2..30usize, form in 0..3usize) {
        let mut rng = Stream::new(seed).rng();
        let label = permutation(n_arms, &mut rng);
        let renamed = |arm: Arm| Arm::new(label[arm.index()]);
        let order: Vec<Arm> = Arm::all(n_arms).collect();
        let new_order: Vec<Arm> = order.iter().map(|&arm| renamed(arm)).collect();
        let p = shuffled_matrix(0, n_arms, &mut rng);
        let options = forms()[form];
        let mut plain = MergeRucb::in_order(&order, options).expect("legal options");
        let mut relabelled = MergeRucb::in_order(&new_order, options).expect("legal options");
        for _ in 0..400 {
            let mut other = rng.clone();
            let ticket = plain.decide(&mut rng);
            prop_assert_eq!(relabelled.decide(&mut other), ticket.relabelled(renamed));
            let outcome = Outcome::won(rng.random::<f64>() < p[ticket.left.index()][ticket.right.index()]);
            plain.update(&ticket, outcome);
            relabelled.update(&ticket.relabelled(renamed), outcome);
        }
        let want: Vec<Vec<Arm>> =
            plain.batches().into_iter().map(|batch| batch.into_iter().map(renamed).collect()).collect();
        prop_assert_eq!(relabelled.batches(), want);
    }
}

/// Five arms in the order of their indices, alpha = 1/10 and no offset. After n duels, a lead is
/// proof if lead^2 > 0.4 ln(t) n, where t is the next round.
fn tenth() -> MergeRucb {
    let options = Options { alpha: 0.1, batch: 4, offset: Offset::C(0.0) };
    MergeRucb::in_order(&Arm::all(5).collect::<Vec<_>>(), options).expect("legal options")
}

/// Issues this pair, and returns the probability with which it was drawn.
fn issued(policy: &mut MergeRucb, left: usize, right: usize) -> (Ticket, f64) {
    let ticket = propose_pair(policy, left, right);
    policy.issue(&ticket);
    (ticket, ticket.propensity().expect("known"))
}

fn lists(policy: &MergeRucb) -> Vec<Vec<usize>> {
    policy.batches().iter().map(|batch| batch.iter().map(|arm| arm.index()).collect()).collect()
}

/// Batches {0, 1} and {2, 3, 4}.
///
/// - t = 1: 1 mod 2 = 1, so it is the turn of the second batch. Three arms can be on the left, and
///   no pair has met: 1/3 * 1/2. 2 beats 3. t is 2 now: 1 > 0.4 ln 2 = 0.277, and 3 is out. Four
///   arms are left, more than 5 / 2.
/// - t = 2: the batch is {0, 1}, 1/2. 1 beats 0: 1 > 0.4 ln 3 = 0.439, and 0 is out. {1} joins the
///   next batch: {2, 4, 1}.
/// - t = 3: 1/3 * 1/2. 1 beats 4: 1 > 0.4 ln 4 = 0.555, and 4 is out.
/// - t = 4: 1/2. 2 beats 1: 1 > 0.4 ln 5 = 0.644, and 1 is out.
/// - t = 5: 2 meets itself. A single batch cannot merge, so the stage is still 1.
#[test]
fn trace_mergerucb() {
    let mut policy = tenth();
    assert_eq!(lists(&policy), [vec![0, 1], vec![2, 3, 4]]);
    let steps = [
        ((2, 3), true, 1.0 / 6.0, vec![vec![0, 1], vec![2, 4]]),
        ((0, 1), false, 0.5, vec![vec![2, 4, 1]]),
        ((4, 1), false, 1.0 / 6.0, vec![vec![2, 1]]),
        ((2, 1), true, 0.5, vec![vec![2]]),
    ];
    for ((left, right), won, want, batches) in steps {
        let (ticket, p) = issued(&mut policy, left, right);
        assert_close(&[p], &[want], 1e-15, "probability");
        policy.update(&ticket, Outcome::won(won));
        assert_eq!(lists(&policy), batches);
    }
    let last = policy.propose(&mut Stream::new(1).rng());
    assert_eq!((last.left, last.right, last.epoch), (Arm::new(2), Arm::new(2), 1));
    assert_eq!((last.draw, last.round), (Draw::Pair(1.0), 5));
    assert_eq!(policy.recommend(), Arm::new(2));
}

/// An arm is removed once, however often it loses (in bug class DPY, it is removed for each arm
/// that beats it). Its late outcomes are dropped.
#[test]
fn trace_an_arm_is_removed_once() {
    let mut policy = tenth();
    let (first, _) = issued(&mut policy, 2, 3);
    issued(&mut policy, 0, 1);
    let (second, _) = issued(&mut policy, 4, 3);
    policy.update(&first, Outcome::WIN);
    assert_eq!(lists(&policy), [vec![0, 1], vec![2, 4]]);
    let before = policy.clone();
    for late in [second, second] {
        policy.update(&late, Outcome::WIN);
        policy.update(&late, Outcome::LOSS);
        policy.void(&late);
    }
    assert_eq!(lists(&policy), lists(&before));
    assert_eq!(policy.recommend(), before.recommend());
}

/// Batches {0, 1, 2}, {3, 4, 5} and {6, 7, 8}. They merge once at most 9 / 2 arms are left, that
/// is, four. The epoch shows the merge. A late outcome of the first stage still counts, because its
/// two arms are in one batch.
#[test]
fn trace_stages() {
    let options = Options { alpha: 0.1, batch: 4, offset: Offset::C(0.0) };
    let mut policy = MergeRucb::in_order(&Arm::all(9).collect::<Vec<_>>(), options).expect("legal options");
    let (late, _) = issued(&mut policy, 3, 4);
    // The batches take turns: 2, 0, 1, 2, ... The left arm wins, and one duel is proof while ln t <
    // 2.5.
    for (left, right) in [(6, 7), (0, 1), (3, 5), (6, 8)] {
        assert_eq!(policy.propose(&mut Stream::new(1).rng()).epoch, 1);
        let (ticket, _) = issued(&mut policy, left, right);
        policy.update(&ticket, Outcome::WIN);
    }
    // 7, 1, 5 and 8 are out. {6} joined {0, 2}, the next batch in turn. The other batch is {3, 4}.
    assert_eq!(lists(&policy), [vec![0, 2, 6], vec![3, 4]]);
    // Round 6 is the turn of the first batch. 2 is out, four arms are left, and the first of two
    // equal batches joins the second.
    let (ticket, _) = issued(&mut policy, 0, 2);
    policy.update(&ticket, Outcome::WIN);
    assert_eq!(lists(&policy), [vec![3, 4, 0, 6]]);
    assert_eq!(policy.propose(&mut Stream::new(1).rng()).epoch, 2);
    policy.update(&late, Outcome::LOSS);
    assert_eq!(lists(&policy), [vec![6, 4, 0]]);
}

/// A duel of 0 and 1 is in flight, so 0 meets 2 next: late outcomes do not make the policy repeat
/// one pair. With both duels in flight, 1 and 2 tie again. A void duel counts as if it had never
/// been issued.
#[test]
fn trace_duels_in_flight_narrow_the_bound() {
    let order: Vec<Arm> = Arm::all(3).collect();
    let mut policy = MergeRucb::in_order(&order, Options::default()).expect("legal options");
    let (first, p) = issued(&mut policy, 0, 1);
    assert_close(&[p], &[1.0 / 6.0], 1e-15, "both tie");
    let (second, p) = issued(&mut policy, 0, 2);
    assert_close(&[p], &[1.0 / 3.0], 1e-15, "one has not met 0");
    assert_close(&[issued(&mut policy, 0, 1).1], &[1.0 / 6.0], 1e-15, "both are in flight");
    policy.void(&first);
    assert_close(
        &[propose_pair(&policy, 0, 1).propensity().expect("known")],
        &[1.0 / 6.0],
        1e-15,
        "one each",
    );
    policy.void(&second);
    assert_close(&[propose_pair(&policy, 0, 2).propensity().expect("known")], &[1.0 / 3.0], 1e-15, "void");
}
