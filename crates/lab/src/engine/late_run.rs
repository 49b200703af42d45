//! One run in which outcomes arrive late or in batches, get lost, or reach several nodes.
//!
//! The loop of [`run`](crate::run()) is compiled for each policy. This loop is compiled once, for
//! policies behind pointers. It measures what delays cost in regret, not in time, and compiling it
//! for each policy would double the size of the program.

use core::ops::ControlFlow;

use rand::Rng;
use tiltyard_bandit::policy::AnyPolicy;
use tiltyard_bandit::{Outcome, Ticket};
use tiltyard_world::{Delivery, World};

use self::transit::{Duel, News, Transit};
use crate::engine::poll_interval::PollInterval;
use crate::engine::run::{Run, RunConfig};

mod transit;

/// The random generators of a late run.
#[expect(missing_debug_implementations, reason = "generators behind pointers")]
pub struct LateRngs<'a> {
    /// For the policy, no matter which node decides.
    pub policy: &'a mut dyn Rng,
    /// For the world.
    pub world: &'a mut dyn Rng,
    /// For the delays and losses of outcomes.
    pub delivery: &'a mut dyn Rng,
}

/// Plays a policy, on one node or several, up to the last checkpoint. `delivery` decides when
/// outcomes arrive.
///
/// Node (t - 1) mod N decides round t. A node issues its own duels at once and learns their
/// outcomes on arrival. It voids a lost outcome at the moment when the outcome would have arrived.
/// A node hears of another node's duel after the staleness of the delivery: it issues the ticket,
/// and later learns or voids the outcome, as for a duel of its own. Outcomes still under way at the
/// end are never delivered. Lost outcomes count as unanswered.
///
/// If `tick` breaks, the run stops, and its record ends before the last checkpoint.
///
/// If nothing is late and nothing is lost, the run equals that of [`run`](crate::run()), bit for
/// bit, for any number of nodes.
///
/// # Panics
///
/// If the number of nodes differs from the delivery's, or if the nodes are sequential and outcomes
/// are late.
pub fn run_late<W: World>(
    nodes: &mut [AnyPolicy],
    config: &RunConfig<'_, W>,
    delivery: &Delivery,
    rngs: LateRngs<'_>,
    tick: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Run {
    play(nodes, config, delivery, rngs, tick)
}

/// The part of a policy that this loop uses.
trait Node {
    fn is_binary(&self) -> bool;
    fn decide(&mut self, rng: &mut dyn Rng) -> Ticket;
    fn issue(&mut self, ticket: &Ticket);
    fn update(&mut self, ticket: &Ticket, outcome: Outcome);
    fn void(&mut self, ticket: &Ticket);
}

/// All nodes are copies of one policy, so they accept each other's tickets.
const OF_ITS_KIND: &str = "the ticket comes from a policy of the same kind";

impl Node for AnyPolicy {
    fn is_binary(&self) -> bool {
        self.info().binary
    }

    fn decide(&mut self, rng: &mut dyn Rng) -> Ticket {
        AnyPolicy::decide(self, rng).expect("outcomes are never late for a sequential policy")
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
    assert_eq!(nodes.len(), delivery.nodes(), "one copy of the policy per node");
    let binary = nodes[0].is_binary();
    let mut played = Run::new(world.best(), checkpoints.len());
    let mut state = world.start();
    let mut transit = Transit::new(delivery, checkpoints.last().copied().unwrap_or(0));
    let mut interval = PollInterval::new();
    let (mut sum, mut pair, mut round) = (0.0, None, 0);
    // Node (t - 1) mod N decides round t. A counter avoids the division.
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
                // The coin for a tie is tossed right after the world's answer, so that the world
                // draws the same numbers as in a prompt run.
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
