//! Verdicts while REX3 learns, checked after every vote: how often they are wrong, and how soon
//! they are right.
//!
//! A rate that is promised to be at most .05 may be measured up to four standard errors above that.
//! If the true rate is exactly .05, chance exceeds this limit once in thirty thousand tests.
//! `docs/verdict.md` has the numbers that these tests print (`--nocapture`).

#![expect(clippy::print_stdout, reason = "the page of measured rates quotes this output")]

use std::collections::VecDeque;

use rand::RngExt;
use rayon::prelude::*;
use tiltyard_bandit::policy::{Distinct as _, Policy as _, Rex3};
use tiltyard_bandit::verdict::{Drift, Tally, borda, interval, interval_with, lead_threshold, ln_lead, side};
use tiltyard_bandit::{Outcome, Stream, Ticket};

const LEVEL: f64 = 0.05;

/// A simulated experiment.
#[derive(Clone, Copy)]
struct Setting<'a> {
    name: &'a str,
    /// `wins[i][j]` is the probability that arm i beats arm j, if there is no tie.
    wins: &'a [&'a [f64]],
    ties: f64,
    /// Whether the two arms of a duel must differ.
    distinct: bool,
    /// The delay, in rounds, of a loss of the arm with the smaller index.
    late: u64,
    rounds: u64,
    runs: u64,
    /// Whether to check everything, not only the lead. This takes most of the time.
    everything: bool,
}

const EQUAL: [&[f64]; 5] = [&[0.5; 5]; 5];
const PLAIN: Setting<'_> = Setting {
    name: "",
    wins: &[],
    ties: 0.0,
    distinct: false,
    late: 0,
    rounds: 5000,
    runs: 1000,
    everything: false,
};

/// What happened in one run.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate promise that was broken or kept")]
struct Seen {
    /// An arm was named leader that does not beat every other arm.
    false_leader: bool,
    /// When the right arm was named leader: in rounds, and in votes on two different arms.
    led: Option<(u64, u64)>,
    /// Like `false_leader`, if votes are counted in the order of arrival.
    false_leader_by_arrival: bool,
    /// A z-test of the first pair, at the same level, found one of the two arms better at some
    /// moment.
    naive: bool,
    missed_pair: bool,
    /// Like `missed_pair`, with votes in the order of arrival and the hull over all outcomes that
    /// are still missing.
    missed_hull: bool,
    missed_borda: bool,
    drift: bool,
    side: bool,
}

/// The votes on all pairs, and which arms they have shown to lead.
struct Count {
    n_arms: usize,
    tallies: Vec<Tally>,
    latched: Vec<bool>,
    leader: Option<usize>,
}

impl Count {
    fn new(n_arms: usize) -> Self {
        let n = n_arms * n_arms;
        Self { n_arms, tallies: vec![Tally::default(); n], latched: vec![false; n], leader: None }
    }

    /// Adds a vote on arms i and j, as seen from i.
    fn add(&mut self, i: usize, j: usize, outcome: Outcome) {
        for (i, j, outcome) in [(i, j, outcome), (j, i, outcome.flipped())] {
            let place = i * self.n_arms + j;
            self.tallies[place].add(outcome, 1.0);
            let Tally { wins, losses, .. } = self.tallies[place];
            self.latched[place] |= ln_lead(wins, losses) >= lead_threshold(self.n_arms, LEVEL);
            let row = &self.latched[i * self.n_arms..][..self.n_arms];
            if row.iter().filter(|&&latched| latched).count() == self.n_arms - 1 {
                self.leader.get_or_insert(i);
            }
        }
    }

    fn tally(&self, i: usize, j: usize) -> &Tally {
        &self.tallies[i * self.n_arms + j]
    }

    /// The arm's tallies against all others.
    fn row(&self, i: usize) -> Vec<Tally> {
        (0..self.n_arms).filter(|&j| j != i).map(|j| *self.tally(i, j)).collect()
    }
}

/// A duel of two different arms, the smaller index first.
struct Duel {
    outcome: Outcome,
    /// Whether the first arm was shown on the left.
    left: bool,
    answered: bool,
}

/// An answer in flight. For two different arms also the index of the pair and the number of the
/// duel in it.
type Answer = (Ticket, Outcome, Option<(usize, usize)>);

impl Setting<'_> {
    fn n_arms(&self) -> usize {
        self.wins.len()
    }

    /// The mean reward of i against j.
    fn rate(&self, i: usize, j: usize) -> f64 {
        self.ties / 2.0 + (1.0 - self.ties) * self.wins[i][j]
    }

    fn borda(&self, i: usize) -> f64 {
        let others = (0..self.n_arms()).filter(|&j| j != i);
        others.map(|j| self.rate(i, j)).sum::<f64>() / (self.n_arms() as f64 - 1.0)
    }

    fn best(&self) -> Option<usize> {
        (0..self.n_arms()).find(|&i| (0..self.n_arms()).all(|j| i == j || self.wins[i][j] > 0.5))
    }

    fn run(&self, number: u64) -> Seen {
        let k = self.n_arms();
        let pairs = (k * (k - 1) / 2) as f64;
        let mut rng = Stream::new(8).label(self.name).index(number).rng();
        let mut policy = Rex3::new(k);
        let mut seen = Seen::default();
        let (mut issued, mut arrived) = (Count::new(k), Count::new(k));
        let mut drifts: Vec<Drift> = (0..k * k).map(|_| Drift::new(LEVEL / pairs)).collect();
        let (mut lefts, mut rights, mut votes) = (0.0, 0.0, 0);
        // For each pair, the duels with uncounted votes, in the order of issue.
        let mut open: Vec<VecDeque<Duel>> = (0..k * k).map(|_| VecDeque::new()).collect();
        let mut counted = vec![0; k * k];
        // Entry d holds the answers that arrive d rounds from now.
        let mut mail: VecDeque<Vec<Answer>> = (0..=self.late).map(|_| Vec::new()).collect();
        for round in 1..=self.rounds {
            let ticket = if self.distinct {
                policy.propose_distinct(&mut rng).unwrap()
            } else {
                policy.propose(&mut rng)
            };
            policy.issue(&ticket);
            let (i, j) = (ticket.left.index(), ticket.right.index());
            let outcome = if rng.random::<f64>() < self.ties {
                Outcome::TIE
            } else {
                Outcome::won(rng.random::<f64>() < self.wins[i][j])
            };
            let left = rng.random::<bool>();
            if i == j {
                mail[0].push((ticket, outcome, None));
            } else {
                let (first, second, outcome_first) =
                    if i < j { (i, j, outcome) } else { (j, i, outcome.flipped()) };
                let place = first * k + second;
                open[place].push_back(Duel { outcome: outcome_first, left, answered: false });
                let number = counted[place] + open[place].len() - 1;
                let late = if outcome_first == Outcome::LOSS { self.late } else { 0 };
                mail[usize::try_from(late).unwrap()].push((ticket, outcome, Some((place, number))));
            }
            mail.push_back(Vec::new());
            for (ticket, outcome, duel) in mail.pop_front().unwrap() {
                policy.update(&ticket, outcome);
                let Some((place, number)) = duel else { continue };
                votes += 1;
                let (i, j) = (place / k, place % k);
                let waiting = &mut open[place];
                waiting[number - counted[place]].answered = true;
                if self.late > 0 {
                    arrived.add(i, j, waiting[number - counted[place]].outcome);
                }
                while waiting.front().is_some_and(|duel| duel.answered) {
                    let duel = waiting.pop_front().unwrap();
                    counted[place] += 1;
                    issued.add(i, j, duel.outcome);
                    self.look(&issued, (i, j), LEVEL / pairs, &mut seen);
                    if !self.everything {
                        continue;
                    }
                    drifts[place].add(duel.outcome, 1.0);
                    let score = duel.outcome.score();
                    let for_left = if duel.left { score } else { -score };
                    lefts += for_left.max(0.0);
                    rights += (-for_left).max(0.0);
                    seen.side |= side(lefts, rights, LEVEL).alarm;
                }
                if self.everything && self.late > 0 {
                    let unanswered = waiting
                        .iter()
                        .rposition(|duel| duel.answered)
                        .map_or(0, |last| waiting.iter().take(last).filter(|duel| !duel.answered).count());
                    let hull = interval_with(arrived.tally(i, j), unanswered as f64, LEVEL / pairs);
                    seen.missed_hull |= !hull.contains(self.rate(i, j));
                }
            }
            if issued.leader.is_some() && issued.leader == self.best() {
                seen.led.get_or_insert((round, votes));
            }
        }
        let wrong = |count: &Count| count.leader.is_some() && count.leader != self.best();
        seen.false_leader = wrong(&issued);
        seen.false_leader_by_arrival = wrong(&arrived);
        seen.drift = drifts.iter().any(|drift| drift.alarm().is_some());
        seen
    }

    /// Checks everything that a vote on i and j changed.
    fn look(&self, count: &Count, (i, j): (usize, usize), level: f64, seen: &mut Seen) {
        let tally = count.tally(i, j);
        if (i, j) == (0, 1) {
            let n = tally.wins + tally.losses;
            seen.naive |= n >= 20.0 && (tally.wins - tally.losses).abs() > 1.96 * n.sqrt();
        }
        if self.everything {
            seen.missed_pair |= !interval(tally.score, tally.votes, level).contains(self.rate(i, j));
            // With two arms it is the pair's interval. Only every fourth vote, because this check
            // is the most expensive.
            let due = self.n_arms() > 2 && tally.votes % 4.0 == 0.0;
            for arm in [i, j].into_iter().filter(|_| due) {
                let interval = borda(&count.row(arm), LEVEL / self.n_arms() as f64).interval;
                seen.missed_borda |= !interval.contains(self.borda(arm));
            }
        }
    }

    /// Plays all runs and prints a summary.
    fn play(&self) -> Vec<Seen> {
        let all: Vec<Seen> = (0..self.runs).into_par_iter().map(|number| self.run(number)).collect();
        let rate = |what: fn(&Seen) -> bool| share(&all, what);
        let mut led: Vec<(u64, u64)> = all.iter().filter_map(|seen| seen.led).collect();
        led.sort_unstable();
        println!(
            "{}{}, {} runs of {} rounds: false leader {:.3}, z-test {:.3}; led {:.3}, median (rounds, votes) {:?}",
            self.name,
            if self.distinct { ", unequal" } else { "" },
            self.runs,
            self.rounds,
            rate(|seen| seen.false_leader),
            rate(|seen| seen.naive),
            led.len() as f64 / self.runs as f64,
            (2 * led.len() > all.len()).then(|| led[all.len() / 2]),
        );
        if self.everything {
            println!(
                "  missed: pair {:.3}, Borda {:.3}; false alarms: drift {:.3}, side {:.3}",
                rate(|seen| seen.missed_pair),
                rate(|seen| seen.missed_borda),
                rate(|seen| seen.drift),
                rate(|seen| seen.side),
            );
        }
        if self.late > 0 {
            println!(
                "  in the order of arrival: false leader {:.3}; hull missed {:.3}",
                rate(|seen| seen.false_leader_by_arrival),
                rate(|seen| seen.missed_hull),
            );
        }
        all
    }
}

fn share(all: &[Seen], what: impl Fn(&Seen) -> bool) -> f64 {
    all.iter().filter(|seen| what(seen)).count() as f64 / all.len() as f64
}

/// Asserts that a rate is within the promised level.
fn hold(all: &[Seen], name: &str, what: impl Fn(&Seen) -> bool) {
    let rate = share(all, what);
    let error = (LEVEL * (1.0 - LEVEL) / all.len() as f64).sqrt();
    assert!(rate <= LEVEL + 4.0 * error, "{name}: {rate}");
}

/// Asserts everything that is promised for a setting.
fn hold_all(all: &[Seen]) {
    hold(all, "false leader", |seen| seen.false_leader);
    hold(all, "pair", |seen| seen.missed_pair);
    hold(all, "hull", |seen| seen.missed_hull);
    hold(all, "Borda", |seen| seen.missed_borda);
    hold(all, "drift", |seen| seen.drift);
    hold(all, "side", |seen| seen.side);
}

#[test]
fn stat_verdict_no_leader_where_there_is_none() {
    let two: &[&[f64]] = &[&[0.5, 0.5], &[0.5, 0.5]];
    // Two equal arms that beat a third.
    let tied: &[&[f64]] = &[&[0.5, 0.5, 0.7], &[0.5, 0.5, 0.7], &[0.3, 0.3, 0.5]];
    for distinct in [false, true] {
        let setting =
            Setting { name: "2 equal arms", wins: two, distinct, runs: 4000, rounds: 20_000, ..PLAIN };
        let all = setting.play();
        hold_all(&all);
        // The simulation can detect failures: a plain test that is checked after every vote finds
        // differences that do not exist.
        assert!(share(&all, |seen| seen.naive) > 0.4);
        // The verdict uses a good part of its error level.
        assert!(share(&all, |seen| seen.false_leader) > LEVEL / 4.0);
        hold_all(&Setting { name: "5 equal arms", wins: &EQUAL, distinct, ..PLAIN }.play());
        hold_all(
            &Setting { name: "2 equal best of 3", wins: tied, distinct, runs: 2000, rounds: 20_000, ..PLAIN }
                .play(),
        );
    }
}

#[test]
fn stat_verdict_a_planted_winner_is_found() {
    // One arm wins 60 of 100 duels against each other arm; the others are equal.
    let winner: &[&[f64]] =
        &[&[0.5, 0.6, 0.6, 0.6], &[0.4, 0.5, 0.5, 0.5], &[0.4, 0.5, 0.5, 0.5], &[0.4, 0.5, 0.5, 0.5]];
    for distinct in [false, true] {
        let all =
            Setting { name: "winner of 4 by .6", wins: winner, distinct, rounds: 20_000, runs: 500, ..PLAIN }
                .play();
        hold_all(&all);
        // A wrong leader must have passed the threshold in a pair that it loses.
        assert!(share(&all, |seen| seen.false_leader) < 0.005);
        assert!(share(&all, |seen| seen.led.is_some()) > 0.9);
    }
}

#[test]
fn stat_verdict_intervals_hold_the_truth() {
    let order: &[&[f64]] = &[&[0.5, 0.6, 0.8], &[0.4, 0.5, 0.7], &[0.2, 0.3, 0.5]];
    for distinct in [false, true] {
        for ties in [0.0, 0.3] {
            let name = if ties > 0.0 { "3 arms in order, .3 ties" } else { "3 arms in order" };
            let setting = Setting {
                name,
                wins: order,
                ties,
                distinct,
                rounds: 2000,
                runs: 400,
                everything: true,
                ..PLAIN
            };
            hold_all(&setting.play());
        }
    }
}

#[test]
fn stat_verdict_late_losses_in_issue_order() {
    let two: &[&[f64]] = &[&[0.5, 0.5], &[0.5, 0.5]];
    let setting = Setting {
        name: "2 equal arms, losses late",
        wins: two,
        distinct: true,
        late: 200,
        rounds: 3000,
        runs: 500,
        everything: true,
        ..PLAIN
    };
    let all = setting.play();
    hold_all(&all);
    // In the order of arrival the first arm seems to win every duel at first.
    assert!(share(&all, |seen| seen.false_leader_by_arrival) > 0.99);
}

#[test]
fn stat_verdict_ties_never_make_a_leader() {
    let winner: &[&[f64]] = &[&[0.5, 1.0], &[0.0, 0.5]];
    let all =
        Setting { name: "only ties", wins: winner, ties: 1.0, runs: 20, everything: true, ..PLAIN }.play();
    assert!(
        all.iter().all(|seen| !seen.false_leader && seen.led.is_none() && !seen.missed_pair && !seen.side)
    );
    // Mostly ties; the rest is even.
    let two: &[&[f64]] = &[&[0.5, 0.5], &[0.5, 0.5]];
    hold_all(
        &Setting {
            name: "2 equal arms, .9 ties",
            wins: two,
            ties: 0.9,
            distinct: true,
            rounds: 20_000,
            ..PLAIN
        }
        .play(),
    );
}
