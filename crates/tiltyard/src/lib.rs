//! Tiltyard learns which of K things people prefer by asking only "this one or that one?".
//!
//! By default this crate contains the algorithms ([`bandit`]) and interleaving ([`interleave`]).
//! Three features add the rest: `world` (sources of outcomes for duels), `lab` (experiments;
//! includes `world`) and `arena` (the live service). The names that most programs need are
//! re-exported at the top level.
//!
//! ```
//! use tiltyard::{Outcome, Policy, Rex3, Stream};
//!
//! let mut rng = Stream::new(1).rng();
//! let mut policy = Rex3::new(4);
//! for _ in 0..100 {
//!     let ticket = policy.decide(&mut rng);
//!     // Show arms `ticket.left` and `ticket.right` to someone. Here arm 2 beats everything.
//!     let outcome = match (ticket.left.index(), ticket.right.index()) {
//!         (2, 2) => Outcome::TIE,
//!         (2, _) => Outcome::WIN,
//!         (_, 2) => Outcome::LOSS,
//!         _ => Outcome::TIE,
//!     };
//!     policy.update(&ticket, outcome);
//! }
//! assert_eq!(policy.recommend().index(), 2);
//! ```

#[cfg(feature = "arena")]
pub use tiltyard_arena as arena;
pub use tiltyard_bandit as bandit;
pub use tiltyard_interleave as interleave;
#[cfg(feature = "lab")]
pub use tiltyard_lab as lab;
#[cfg(feature = "world")]
pub use tiltyard_world as world;

pub use tiltyard_bandit::policy::{AnyPolicy, Policy, Random, Rex3, Sparring, registry};
pub use tiltyard_bandit::{Arm, Outcome, Spec, Stream, Ticket};
#[cfg(feature = "world")]
pub use tiltyard_world::World;
