//! The parts that the benchmarks of this package share: the plain twin of REX3, a stopwatch for
//! ratios, and the worlds.
//!
//! Times on shared machines vary by tens of percent within minutes. Ratios of contestants that take
//! turns in one run do not: everything that slows one slows the other. So the contestants of a
//! [`race()`] take turns, and targets are set for ratios.

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
