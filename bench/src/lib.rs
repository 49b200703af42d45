//! What the benchmarks of this package share: the plain twin of REX3, a stopwatch for ratios, and
//! the worlds they are measured in.
//!
//! Times on shared machines wander by tens of percent within minutes. Ratios of contestants that
//! take turns in one run do not: whatever slows one slows the other. So the contestants of a
//! [`race()`] are interleaved, and it is ratios that have targets.

mod line_up;
mod navigational;
mod plain_rex3;
mod processor_time;
mod race;
mod timed_world;

pub use line_up::line_up;
pub use navigational::navigational;
pub use plain_rex3::PlainRex3;
pub use processor_time::ProcessorTime;
pub use race::{Contestant, LEAST, Timing, median, race};
pub use timed_world::TimedWorld;
