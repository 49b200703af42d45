use std::cell::Cell;
use std::fmt::Write as _;
use std::rc::Rc;

use proptest::prelude::*;
use tiltyard_bandit::policy::{Additive, Policy, Rex3};
use tiltyard_bandit::{Arm, Draw, Stream};
use tiltyard_world::delivery::Arrival;
use tiltyard_world::{Best, BestKind, Gaps, Regret, RegretError, RunState, VoteSupply};

use super::*;

/// A policy that logs the calls it receives: d for decide, i for issue, u for update, v for void,
/// each with the round of the duel.
#[derive(Clone, Default)]
struct Recorder {
    log: String,
    /// Rounds decided by all nodes together.
    round: Rc<Cell<u64>>,
}

impl Recorder {
    fn note(&mut self, what: char, round: u64) {
        write!(self.log, "{what}{round} ").unwrap();
    }
}

fn ticket(round: u64) -> Ticket {
    let arm = Arm::new(0);
    Ticket { round, left: arm, right: arm, rate: 1.0, epoch: 0, draw: Draw::Unknown }
}

impl Node for Recorder {
    fn is_binary(&self) -> bool {
        false
    }
    fn decide(&mut self, _: &mut dyn Rng) -> Ticket {
        self.round.set(self.round.get() + 1);
        let round = self.round.get();
        self.note('d', round);
        ticket(round)
    }
    fn issue(&mut self, ticket: &Ticket) {
        self.note('i', ticket.round);
    }
    fn update(&mut self, ticket: &Ticket, _: Outcome) {
        self.note('u', ticket.round);
    }
    fn void(&mut self, ticket: &Ticket) {
        self.note('v', ticket.round);
    }
}

/// One arm, which answers every round except the fifth.
#[derive(Clone)]
struct Wins;

impl World for Wins {
    fn n_arms(&self) -> usize {
        1
    }
    fn duel<R: Rng + ?Sized>(
        &self,
        state: &mut RunState,
        round: u64,
        _: Arm,
        _: Arm,
        _: &mut R,
    ) -> Option<Outcome> {
        if round == 5 {
            state.supply.unanswered += 1;
            state.supply.dry_from.get_or_insert(round);
            return None;
        }
        Some(Outcome::WIN)
    }
    fn best(&self) -> Best {
        Best { arm: Arm::new(0), kind: BestKind::Utility }
    }
    fn natural_regret(&self) -> Regret {
        Regret::BANDIT
    }
    fn gaps(&self, _: Regret) -> Result<Gaps, RegretError> {
        Ok(Gaps::BestMean(1.0))
    }
    fn gap(&self, _: &Gaps, _: u64, _: Arm) -> f64 {
        1.0
    }
}

fn delivery(wrappers: &str) -> Delivery {
    Delivery::split(&format!("arxiv6{wrappers}"), 1000).unwrap().1
}

fn logs(wrappers: &str, rounds: u64) -> (Vec<String>, Run) {
    let delivery = delivery(wrappers);
    let mut nodes = vec![Recorder::default(); delivery.nodes()];
    let [mut policy, mut world, mut on_the_way] = [1, 2, 3].map(|seed| Stream::new(seed).rng());
    let rngs = LateRngs { policy: &mut policy, world: &mut world, delivery: &mut on_the_way };
    let config = RunConfig {
        world: &Wins,
        regret: Wins.natural_regret(),
        gaps: &Gaps::BestMean(1.0),
        order: None,
        checkpoints: &[1, rounds],
    };
    let run = play(&mut nodes, &config, &delivery, rngs, &mut |_| ControlFlow::Continue(()));
    (nodes.into_iter().map(|node| node.log.trim_end().to_owned()).collect(), run)
}

#[test]
fn trace_one_node() {
    for (wrappers, rounds, expected) in [
        ("", 3, "d1 u1 d2 u2 d3 u3"),
        // The outcome of round t arrives after the duel of round t + 2. Round 5 has no outcome.
        ("+delayed:rounds=2", 7, "d1 d2 d3 u1 d4 u2 d5 u3 d6 u4 d7 v5"),
        ("+batched:size=3", 7, "d1 d2 d3 u1 u2 u3 d4 d5 d6 u4 v5 u6 d7"),
        // The outcomes of rounds 1, 2, 3, ... arrive in rounds 2, 3, 4, ... Batches end in rounds 3
        // and 6. So outcomes 1 and 2 come in round 3, and outcomes 3 to 5 in round 6.
        ("+batched:size=3+delayed:rounds=1", 6, "d1 d2 d3 u1 u2 d4 d5 d6 u3 u4 v5"),
        ("+lossy:share=1", 3, "d1 v1 d2 v2 d3 v3"),
        ("+lossy:share=1+delayed:rounds=1", 3, "d1 d2 v1 d3 v2"),
        ("+delayed:rounds=1e6", 3, "d1 d2 d3"),
    ] {
        assert_eq!(logs(wrappers, rounds).0, [expected], "{wrappers}");
    }
}

#[test]
fn trace_two_nodes() {
    // Node 0 decides rounds 1, 3, 5 and node 1 rounds 2, 4, 6. A node knows the other's round t
    // after round t + 3.
    let (logs_now, _) = logs("+nodes:count=2,stale=3", 6);
    assert_eq!(logs_now, ["d1 u1 d3 u3 d5 i2 u2 v5", "d2 u2 d4 i1 u1 u4 d6 i3 u3 u6"]);
    // Without staleness both nodes see the same.
    let (logs_now, _) = logs("+nodes:count=2,stale=0", 3);
    assert_eq!(logs_now, ["d1 u1 i2 u2 d3 u3", "i1 u1 d2 u2 i3 u3"]);
    // A node knows the other's duel one round later, and its outcome (itself a round late) two
    // rounds later.
    let (logs_now, _) = logs("+nodes:count=2,stale=1+delayed:rounds=1", 4);
    assert_eq!(logs_now, ["d1 u1 d3 i2 u2 u3", "d2 i1 u1 u2 d4 i3"]);
}

/// The world leaves one duel unanswered, in round 5. If all seven outcomes get lost, that makes six
/// more, from round 1 on.
#[test]
fn trace_lost_outcomes_are_unanswered() {
    let supply = logs("+delayed:rounds=3", 7).1.supply;
    assert_eq!(supply, VoteSupply { unanswered: 1, repeated: 0, dry_from: Some(5) });
    let (_, run) = logs("+lossy:share=1", 7);
    assert_eq!(run.supply, VoteSupply { unanswered: 7, repeated: 0, dry_from: Some(1) });
    assert_eq!((run.regret, run.hit), (vec![1.0, 7.0], vec![true, true]));
}

/// Outcomes that arrive in the same round are delivered in the order of issue, whenever they were
/// sent.
#[test]
fn trace_random_delays_keep_the_order_of_issue_within_a_round() {
    let mut transit = Transit::new(&delivery("+delayed:rounds=5"), 100);
    let mut log = String::new();
    for (round, arrives) in [(1, 4), (2, 2), (3, 4), (4, 4), (5, 10)] {
        let duel = Duel { node: 0, ticket: ticket(round), outcome: Some(Outcome::WIN) };
        transit.send(round, duel, Arrival { arrives, lost: false });
        transit.deliver(round, |news, duel| write!(log, "{round}:{news:?}{} ", duel.ticket.round).unwrap());
    }
    assert_eq!(log, "2:Outcome2 4:Outcome1 4:Outcome3 4:Outcome4 ");
}

/// Any delivery, as the text of its wrappers.
fn any_delivery() -> impl Strategy<Value = String> {
    let delay = prop_oneof![
        (0u64..40).prop_map(|rounds| format!("rounds={rounds}")),
        (0u64..20).prop_map(|mean| format!("mean={mean},law=uniform")),
        (0f64..20.0).prop_map(|mean| format!("mean={mean}")),
    ];
    (delay, 1u64..9, 0f64..1.0, 1usize..5, 0u64..20).prop_map(|(delay, size, share, count, stale)| {
        format!("+delayed:{delay}+batched:size={size}+lossy:share={share}+nodes:count={count},stale={stale}")
    })
}

proptest! {
    /// Every node hears of each duel once and learns its outcome once, or the duel is still under
    /// way. No buffer grows.
    #[test]
    fn law_every_duel_arrives_once_or_is_under_way(text in any_delivery(), rounds in 1u64..300, seed: u64) {
        let delivery = delivery(&text);
        let mut rng = Stream::new(seed).rng();
        let mut transit = Transit::new(&delivery, rounds);
        let capacities = transit.capacities();
        let mut news_of = vec![Vec::new(); usize::try_from(rounds).unwrap() + 1];
        for round in 1..=rounds {
            let duel = Duel { node: 0, ticket: ticket(round), outcome: Some(Outcome::WIN) };
            transit.send(round, duel, delivery.arrival(round, &mut rng));
            transit.deliver(round, |news, duel| news_of[usize::try_from(duel.ticket.round).unwrap()].push(news));
        }
        prop_assert_eq!(transit.capacities(), capacities);
        let last = if delivery.nodes() > 1 { News::Shared } else { News::Outcome };
        let all: &[News] =
            if delivery.nodes() > 1 { &[News::Issued, News::Outcome, News::Shared] } else { &[News::Outcome] };
        let done = news_of.iter().filter(|news| news.contains(&last)).count();
        prop_assert_eq!(done + transit.len(), usize::try_from(rounds).unwrap());
        for news in &mut news_of {
            if news.contains(&last) {
                news.sort_unstable();
                prop_assert_eq!(&news[..], all);
            }
        }
    }

    /// The same tickets and outcomes give the same sums, however late they arrive. Each sum has at
    /// most 200 terms below 1000, so reordering changes it by less than 200 * 200 * 1000 * 2^-53 <
    /// 1e-8.
    #[test]
    fn law_rex3_learns_the_same_however_late(text in any_delivery(), seed: u64) {
        let delivery = delivery(&text);
        let mut rng = Stream::new(seed).rng();
        let (mut prompt, mut late) = (Rex3::new(5), Rex3::new(5));
        let mut transit = Transit::new(&delivery, 1000);
        for round in 1..=1000 {
            let arrival = delivery.arrival(round, &mut rng);
            // The outcomes of the last 800 rounds are lost. These rounds only let earlier outcomes
            // arrive.
            let lost = arrival.lost || round > 200;
            let ticket = prompt.decide(&mut rng);
            late.issue(&ticket);
            let outcome = Outcome::won(ticket.left < ticket.right);
            if !lost {
                prompt.update(&ticket, outcome);
            }
            let duel = Duel { node: 0, ticket, outcome: Some(outcome) };
            transit.send(round, duel, Arrival { lost, ..arrival });
            transit.deliver(round, |news, duel| {
                if let (News::Outcome, Some(outcome)) = (news, duel.outcome) {
                    late.update(&duel.ticket, outcome);
                }
            });
        }
        for (a, b) in Additive::sums(&prompt).iter().zip(Additive::sums(&late)) {
            prop_assert!((a - b).abs() < 1e-8, "{a} and {b}");
        }
    }
}
