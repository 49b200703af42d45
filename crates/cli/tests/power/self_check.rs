//! Checks that this test can fail.

use std::path::Path;

use tiltyard::Stream;

use crate::disk::{Disk, Style};
use crate::journal::{Operation, Record, Synced};
use crate::ledger::{DuelState, Issued, Line};
use crate::trial::{self, Kind};

/// The number of trials on a lying disk, one of which must find a loss.
const MOST_TRIALS: u64 = 8;

pub(crate) fn run(shim: &Path) -> Result<String, String> {
    disk()?;
    ledger()?;
    for seed in 0..MOST_TRIALS {
        if let Err(failure) = trial::run(shim, seed, Kind::Liar, false) {
            // An image that does not even open proves nothing about the ledgers.
            let is_loss = ["lost", "must be", "was shown"].iter().any(|word| failure.what.contains(word));
            if is_loss {
                return Ok(format!("self-check: on a disk whose syncs lie, {}", failure.what));
            }
        }
    }
    Err(format!("this test sees nothing: {MOST_TRIALS} trials on a disk whose syncs lie found no loss"))
}

/// A dropped block stays lost after a later sync, until it is written again.
fn disk() -> Result<(), String> {
    let mut rng = Stream::new(1).rng();
    let mut disk = Disk::new(512);
    let mut at = 0;
    let file = || ("f".to_owned(), 7);
    let mut apply = |disk: &mut Disk, operation: Operation| {
        at += 1;
        disk.apply(&Record { end: at, operation }, &mut rng)
    };
    let write = |byte: u8| {
        let (path, inode) = file();
        Operation::Write { path, inode, offset: 0, data: vec![byte; 512], missing: 0 }
    };
    let sync = |number: u64, synced: Synced| {
        let (path, inode) = file();
        [
            Operation::SyncBegin { path: path.clone(), inode, is_folder: false, number },
            Operation::SyncEnd { path, number, synced },
        ]
    };
    let (path, inode) = file();
    apply(&mut disk, Operation::Created { path, inode })?;
    // Each step: the byte that is written, the result of the sync, and the byte that must be on the
    // disk if a loss of power follows.
    let steps = [
        (Some(1), Synced::Truly, 1),
        (None, Synced::Truly, 1),
        (Some(2), Synced::Failed, 1),
        (None, Synced::Truly, 1),
        (Some(3), Synced::Truly, 3),
        (Some(4), Synced::Lied, 3),
        (None, Synced::Truly, 4),
    ];
    for (number, (written, synced, expected)) in (0..).zip(steps) {
        if let Some(byte) = written {
            apply(&mut disk, write(byte))?;
        }
        for operation in sync(number, synced) {
            apply(&mut disk, operation)?;
        }
        let image = disk.after_power_cut(Style::Nothing, &mut Stream::new(1).rng());
        // A failed sync may also leave the block dirty; these seeds drop it.
        if image.files.get("f").is_none_or(|content| *content != vec![expected; 512]) {
            return Err(format!("the model of the disk is wrong: step {number} does not leave {expected}"));
        }
    }
    Ok(())
}

/// Read as open after a failure, a duel must stay open; acknowledged, it must stay answered.
fn ledger() -> Result<(), String> {
    let lines = vec![(10, Line::Answers("left")), (20, Line::Failed), (30, Line::ReadOpen)];
    let mut duel = Issued { at: 5, propensity: None, lines };
    let answered = |word| DuelState { answer: Some(word), is_voided: false };
    let mut is_right = duel.possible(25) == [DuelState::OPEN, answered("left")];
    is_right &= duel.possible(30) == [DuelState::OPEN];
    duel.lines.extend([(40, Line::Answers("right")), (50, Line::Accepted("right"))]);
    is_right &= duel.possible(45) == [DuelState::OPEN, answered("right")];
    is_right &= duel.possible(50) == [answered("right")];
    duel.lines.push((60, Line::ReadOpen));
    is_right &= duel.possible(60).is_empty();
    if is_right { Ok(()) } else { Err("the ledger draws the wrong conclusions".to_owned()) }
}
