//! A continuous policy allocates nothing during a round if the ticket is reused.
//!
//! This file has only one test function, because the allocator counts for the whole process.

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tiltyard_bandit::continuous::{ContinuousPolicy, ContinuousTicket, registry};
use tiltyard_bandit::{Outcome, Stream};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn nothing_allocates_inside_the_loop() {
    // Make sure that the allocator counts at all. Without that, the test below would always pass.
    let region = Region::new(GLOBAL);
    drop(std::hint::black_box(vec![0u8; 1000]));
    assert!(region.change().allocations > 0);

    for (dimension, set) in [(1, "ball"), (10, "ball"), (10, "box"), (1000, "ball")] {
        let spec = format!("dbgd:dims={dimension},set={set},radius=0.5,delta=0.4,gamma=0.1");
        let mut policy = registry::build(&spec.parse().unwrap(), None).unwrap().policy;
        let mut rng = Stream::new(1).rng();
        let mut ticket = ContinuousTicket::blank(dimension);
        let mut rounds = || {
            let region = Region::new(GLOBAL);
            for round in 0..1000 {
                policy.decide_into(&mut rng, &mut ticket);
                if round % 10 == 0 {
                    policy.void(&ticket);
                } else {
                    policy.update(&ticket, Outcome::won(round % 3 == 0));
                }
            }
            let change = region.change();
            change.allocations + change.reallocations
        };
        // The test harness runs a thread that allocates now and then. It is enough if one of the
        // five stretches shows no allocation.
        let fewest = (0..5).map(|_| rounds()).min();
        assert_eq!(fewest, Some(0), "{spec}");
    }
}
