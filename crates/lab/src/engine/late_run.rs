//! One run in which outcomes come late, in batches, not at all, or to several nodes.
//!
//! The loop of [`run`](crate::run()) is compiled for each policy. This one is compiled once, for
//! policies behind pointers: it serves to see what lateness costs in regret, not in time, and would
//! otherwise double the program.

use core::ops::ControlFlow;

use rand::Rng;
use tiltyard_bandit::policy::AnyPolicy;
use tiltyard_bandit::{Outcome, Ticket};
use tiltyard_world::{Delivery, World};

use self::transit::{Duel, News, Transit};
use crate::engine::poll_interval::PollInterval;
use crate::engine::run::{Run, RunConfig};

mod transit;

/// What a late run draws from.
#[expect(missing_debug_implementations, reason = "generators behind pointers")]
pub struct LateRngs<'a> {
    /// For the policy, whichever node it is that decides.
    pub policy: &'a mut dyn Rng,
    /// For the world.
    pub world: &'a mut dyn Rng,
    /// For what becomes of outcomes on their way.
    pub delivery: &'a mut dyn Rng,
}

/// Plays a policy, as one node or several, up to the last checkpoint, where outcomes are delivered
/// as `delivery` says.
///
/// Round t is decided by node (t - 1) mod N. A node's own duels are issued at once, and their
/// outcomes learned on arrival; a lost one is voided at the moment when it would have arrived. Of
/// the others' duels a node hears after the delivery's staleness: it issues their tickets, and
/// learns or voids their outcomes, as if they were its own. What is still under way at the end is
/// never delivered. Lost outcomes are counted as unanswered.
///
/// If `tick` breaks, so does the run, and what it leaves ends before the last checkpoint.
///
/// With nothing late and nothing lost the run is that of [`run`](crate::run()), bit for bit,
/// however many nodes there are.
///
/// # Panics
///
/// If there are not as many nodes as the delivery says, or if they are sequential and outcomes are
/// late.
pub fn run_late<W: World>(
    nodes: &mut [AnyPolicy],
    config: &RunConfig<'_, W>,
    delivery: &Delivery,
    rngs: LateRngs<'_>,
    tick: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Run {
    play(nodes, config, delivery, rngs, tick)
}

/// A policy as this loop uses it.
trait Node {
    fn is_binary(&self) -> bool;
    fn decide(&mut self, rng: &mut dyn Rng) -> Ticket;
    fn issue(&mut self, ticket: &Ticket);
    fn update(&mut self, ticket: &Ticket, outcome: Outcome);
    fn void(&mut self, ticket: &Ticket);
}

/// Nodes are copies of one policy, so each other's tickets are of the right kind.
const OF_ITS_KIND: &str = "a ticket of a policy of the same kind";

impl Node for AnyPolicy {
    fn is_binary(&self) -> bool {
        self.info().binary
    }

    fn decide(&mut self, rng: &mut dyn Rng) -> Ticket {
        AnyPolicy::decide(self, rng).expect("a sequential policy is never made to wait")
    }

    fn issue(&mut self, ticket: &Ticket) {
        AnyPolicy::issue(self, ticket).expect(OF_ITS_KIND);
    }

    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        AnyPolicy::update(self, ticket, outcome).expect(OF_ITS_KIND);
    }

    fn void(&mut self, ticket: &Ticket) {
        AnyPolicy::void(self, ticket).expect(OF_ITS_KIND);
    }
}

fn play<N: Node, W: World>(
    nodes: &mut [N],
    config: &RunConfig<'_, W>,
    delivery: &Delivery,
    rngs: LateRngs<'_>,
    tick: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Run {
    let &RunConfig { world, regret, gaps, order, checkpoints } = config;
    let LateRngs { policy: policy_rng, world: world_rng, delivery: delivery_rng } = rngs;
    assert_eq!(nodes.len(), delivery.nodes(), "one copy of the policy for each node");
    let binary = nodes[0].is_binary();
    let mut played = Run::new(world.best(), checkpoints.len());
    let mut state = world.start();
    let mut transit = Transit::new(delivery, checkpoints.last().copied().unwrap_or(0));
    let mut interval = PollInterval::new();
    let (mut sum, mut pair, mut round) = (0.0, None, 0);
    // Round t is decided by node (t - 1) mod N: a counter spares the division.
    let mut node = 0;
    for &checkpoint in checkpoints {
        while round < checkpoint {
            let start = round;
            let end = interval.end(round, checkpoint);
            while round < end {
                round += 1;
                let ticket = nodes[node].decide(policy_rng);
                let [left, right] =
                    [ticket.left, ticket.right].map(|arm| order.map_or(arm, |order| order[arm.index()]));
                let (outcome, cost) =
                    world.answer(&mut state, (gaps, regret.slots), round, (left, right), world_rng);
                // A coin for a tie is tossed where the world answers, so that the world draws the
                // same as in a prompt run.
                let outcome =
                    outcome.map(|outcome| if binary { outcome.to_binary(world_rng) } else { outcome });
                sum += cost;
                let arrival = delivery.arrival(round, delivery_rng);
                if arrival.lost && outcome.is_some() {
                    state.supply.unanswered += 1;
                    state.supply.dry_from.get_or_insert(round);
                }
                transit.send(round, Duel { node, ticket, outcome }, arrival);
                transit.deliver(round, |news, duel| hand_over(nodes, news, duel));
                node = if node + 1 == nodes.len() { 0 } else { node + 1 };
                pair = Some((left, right));
            }
            interval.lap();
            if tick(round - start).is_break() {
                return played;
            }
        }
        let best = config.best_in(round);
        played.record(sum, pair == Some((best, best)));
    }
    played.supply = state.supply;
    played
}

fn hand_over<N: Node>(nodes: &mut [N], news: News, duel: &Duel) {
    let learn = |node: &mut N| match duel.outcome {
        Some(outcome) => node.update(&duel.ticket, outcome),
        None => node.void(&duel.ticket),
    };
    let others = |node: &(usize, &mut N)| node.0 != duel.node;
    match news {
        News::Outcome => learn(&mut nodes[duel.node]),
        News::Issued => {
            nodes.iter_mut().enumerate().filter(others).for_each(|(_, node)| node.issue(&duel.ticket));
        }
        News::Shared => nodes.iter_mut().enumerate().filter(others).for_each(|(_, node)| learn(node)),
    }
}

#[cfg(test)]
mod tests;
