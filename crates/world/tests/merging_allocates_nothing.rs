//! Merging lists and crediting clicks allocate nothing once the buffers have grown.
//!
//! This is a program without a test harness, because the allocator counts for the whole process.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test without a harness")]

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tiltyard_bandit::Stream;
use tiltyard_interleave::{Clicks, Interleaving, Merged, Merger};
use tiltyard_world::click::ClickSpec;

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const N: u32 = 30;

fn main() {
    let region = Region::new(GLOBAL);
    drop(std::hint::black_box(vec![0_u8; 100]));
    assert!(region.change().allocations > 0, "a test that counts nothing would pass");

    let left: Vec<u32> = (0..N).collect();
    let right: Vec<u32> = (0..N).map(|i| (i * 7 + 3) % N).collect();
    for method in ["team-draft", "balanced", "probabilistic", "probabilistic:credit=assigned", "optimized"] {
        interleave(method, &left, &right);
    }
    println!("test merging_allocates_nothing ... ok");
}

/// Runs `what` and checks that it does not allocate.
fn count(name: &str, what: impl FnOnce()) {
    let region = Region::new(GLOBAL);
    what();
    let change = region.change();
    assert_eq!((change.allocations, change.reallocations, change.deallocations), (0, 0, 0), "{name}");
}

fn interleave(method: &str, left: &[u32], right: &[u32]) {
    let mut interleaver = Merger::new(method.parse::<Interleaving>().unwrap());
    let (mut merged, mut clicks) = (Merged::default(), Clicks::new());
    let mut rng = Stream::new(1).rng();
    let users = ["navigational", "position-based", "random"]
        .map(|text| text.parse::<ClickSpec>().unwrap().for_grades(2).unwrap());
    interleaver.merge(left, right, 10, &mut rng, &mut merged);
    let mut round = |interleaver: &mut Merger<u32>| {
        interleaver.draw(&mut rng, &mut merged);
        for user in &users {
            let grades = merged.documents().iter().map(|document| u8::try_from(document % 3).unwrap());
            user.clicks(grades, &mut rng, &mut clicks);
            std::hint::black_box(merged.credit(&clicks));
        }
    };
    // Long enough for every coin to show both sides.
    (0..20).for_each(|_| round(&mut interleaver));
    count(method, || (0..100).for_each(|_| round(&mut interleaver)));
    // For the optimised method, preparing solves a linear programme, which does allocate.
    if method != "optimized" {
        count(method, || {
            for _ in 0..100 {
                interleaver.prepare(left, right, 10);
                round(&mut interleaver);
            }
        });
    }
}
