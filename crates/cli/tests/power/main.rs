//! Power cuts on a faulty disk: `cargo xtask power [TRIALS]`.
//!
//! The real server runs on a disk that fails: syncs fail, writes are short or fail, the disk is
//! full for a while. A shim (shim.c) causes the faults and keeps a journal of all operations. The
//! clients keep a ledger of everything that the server acknowledged or said, with the position of
//! the journal. From the journal, the test builds disk images, as a kill or a loss of power at many
//! moments could have left them (disk.rs), opens each and compares it with the ledger:
//!
//! - everything acknowledged before the cut is there, unchanged and only once;
//! - no answer is taken back: if the server said that a duel is open, no answer appears later
//!   unless a client sent it again, and records of the log never change;
//! - the data opens without a complaint, and `verify` finds no damage.
//!
//! One server follows the other on the same disk, after a kill or a loss of power.
//!
//! `TILTYARD_POWER_SEED=17 cargo xtask power 1` repeats the trial with seed 17: the same kinds of
//! faults with the same probabilities. The threads of the server run in another order each time, so
//! a rare failure may need several attempts.
//!
//! Before the trials, the test checks itself: on a disk whose syncs lie, it must find losses.

#![expect(clippy::print_stdout, reason = "it prints its findings")]

use std::process::ExitCode;

#[cfg(target_os = "linux")]
mod audit;
#[cfg(target_os = "linux")]
mod client;
#[cfg(target_os = "linux")]
mod disk;
#[cfg(target_os = "linux")]
#[path = "../crash/http.rs"]
mod http;
#[cfg(target_os = "linux")]
mod journal;
#[cfg(target_os = "linux")]
mod ledger;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod self_check;
#[cfg(target_os = "linux")]
mod server;
#[cfg(target_os = "linux")]
mod trial;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    run::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    println!("SKIPPED: this test replaces functions of the C library, which it can do only on Linux");
    ExitCode::SUCCESS
}
