//! Tiltyard learns which of K things people prefer when all one may ask is "this one or that one?".
//!
//! One crate for all of it: [`bandit`] holds the algorithms, [`world`] what answers duels, [`lab`] experiments,
//! [`arena`] live ones. The most used
//! names stand here too.
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

pub use tiltyard_arena as arena;
pub use tiltyard_bandit as bandit;
pub use tiltyard_lab as lab;
pub use tiltyard_world as world;

pub use tiltyard_bandit::policy::{AnyPolicy, Policy, Random, Rex3, Sparring, registry};
pub use tiltyard_bandit::{Arm, Outcome, Spec, Stream, Ticket};
pub use tiltyard_world::World;
