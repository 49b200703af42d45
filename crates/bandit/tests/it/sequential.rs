//! Policies that need each outcome before their next duel: a toy policy, and those of the registry.

use rand::Rng;
use serde::{Deserialize, Serialize};
use tiltyard_bandit::policy::registry::Family;
use tiltyard_bandit::policy::{InFlight, Info, Policy, Propensity, Sequential, random};
use tiltyard_bandit::{Arm, Draw, Outcome, Stream, Ticket};

use crate::support::{build, variants};

/// A toy policy that needs each outcome before its next duel: the winner stays and meets the next
/// arm.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct WinnerStays {
    n_arms: usize,
    round: u64,
    winner: usize,
    challenger: usize,
    awaiting: Option<Ticket>,
}

const WINNER_STAYS: Info =
    Info { name: "winner-stays", title: "a toy", binary: true, ..<random::Family as Family>::INFO };

impl Policy for WinnerStays {
    fn info(&self) -> &'static Info {
        &WINNER_STAYS
    }
    fn propensity(&self) -> Propensity {
        Propensity::Pair
    }
    fn n_arms(&self) -> usize {
        self.n_arms
    }
    fn round(&self) -> u64 {
        self.round
    }
    fn propose<R: Rng + ?Sized>(&self, _: &mut R) -> Ticket {
        self.ready().expect("asked only when ready");
        Ticket {
            round: self.round + 1,
            left: Arm::new(self.winner),
            right: Arm::new(self.challenger),
            rate: 1.0,
            epoch: 0,
            draw: Draw::Pair(1.0),
        }
    }
    fn issue(&mut self, ticket: &Ticket) {
        self.round += 1;
        self.awaiting = Some(*ticket);
    }
    fn update(&mut self, ticket: &Ticket, outcome: Outcome) {
        self.awaiting = None;
        self.winner = if outcome == Outcome::WIN { ticket.left } else { ticket.right }.index();
        self.challenger = (self.challenger + 1) % self.n_arms;
    }
    fn void(&mut self, _: &Ticket) {
        self.awaiting = None;
    }
    fn recommend(&self) -> Arm {
        Arm::new(self.winner)
    }
    fn sequential(&self) -> Option<&dyn Sequential> {
        Some(self)
    }
}

impl Sequential for WinnerStays {
    fn awaiting(&self) -> Option<Ticket> {
        self.awaiting
    }
}

/// While a duel is in flight, `ready` refuses and names it. Once the duel is decided or void,
/// `ready` agrees again.
#[test]
fn law_sequential_policies_wait() {
    let mut rng = Stream::new(1).rng();
    let mut policy = WinnerStays { n_arms: 3, round: 0, winner: 0, challenger: 1, awaiting: None };
    assert_eq!(policy.ready(), Ok(()));
    let ticket = policy.decide(&mut rng);
    assert_eq!(policy.ready(), Err(InFlight { ticket }));
    let said = InFlight { ticket }.to_string();
    assert!(said.contains("arms 0 and 1") && said.contains("round 1"), "{said}");
    let proposed = std::panic::catch_unwind(|| policy.propose(&mut Stream::new(1).rng()));
    assert!(proposed.is_err(), "propose must refuse as well");
    policy.update(&ticket, Outcome::LOSS);
    assert_eq!((policy.ready(), policy.recommend()), (Ok(()), Arm::new(1)));
    let ticket = policy.decide(&mut rng);
    assert!(policy.ready().is_err());
    policy.void(&ticket);
    assert_eq!(policy.ready(), Ok(()));
    // A policy of the registry that refuses to propose, because a duel is in flight, proposes again
    // once that duel is void.
    for spec in variants() {
        let mut policy = build(&spec, 3);
        policy.decide(&mut rng).expect("nothing is in flight");
        if let Err(InFlight { ticket }) = policy.propose(&mut rng) {
            policy.void(&ticket).expect("its own ticket");
            assert!(policy.propose(&mut rng).is_ok(), "{spec}");
        }
    }
}
