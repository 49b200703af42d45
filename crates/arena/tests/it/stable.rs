//! The logs of every release fold to the same states at every stage, and give the same verdicts,
//! voters, segments and evaluations.

use core::fmt::Write as _;
use std::collections::BTreeSet;
use std::path::Path;

use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use sha2::{Digest as _, Sha256};
use tiltyard_arena::arena::digest;
use tiltyard_arena::domain::{
    Against, Agreement, BallotEvent, BallotReader, Estimate, Evaluator, Evidence, Experiment, Fold, Kind,
    Obstacle, Record, Segments, Target, Verdict,
};
use tiltyard_arena::store::{SqliteStore, Store as _};
use tiltyard_bandit::Arm;

use crate::release::{copy, releases};

/// The number of records between two digests.
const STAGE: u64 = 50;

/// A digest of a state. It does not depend on the layout number of the snapshot, on the order of
/// its fields, or on whether fields with their initial values are omitted.
fn state_digest(experiment: &Experiment) -> String {
    let mut state = serde_json::to_value(experiment.save()).expect("a state is plain data");
    let fields = state.as_object_mut().expect("a state is an object");
    fields.remove("format");
    fields.entry("tenure").or_insert_with(|| serde_json::json!({ "began": 0, "since": 0 }));
    fields.entry("stopped").or_insert(false.into());
    let hash = Sha256::digest(state.to_string());
    let (bytes, _) = hash.split_at(8);
    format!("{:016x}", bytes.iter().fold(0_u64, |number, &byte| number << 8 | u64::from(byte)))
}

fn folded(log: &[Record], mut fold: Fold, mut stage: impl FnMut(&Experiment)) -> Experiment {
    for record in log {
        fold.push(record).expect("it folds");
        if record.seq % STAGE == 0 {
            stage(fold.state().expect("it has begun"));
        }
    }
    fold.finish().expect("it has begun")
}

fn optional(number: Option<f64>) -> String {
    number.map_or_else(|| "none".to_owned(), |number| format!("{number:.9}"))
}

fn estimate(Estimate { estimate, low, high }: Estimate) -> String {
    format!("{} [{low:.9}, {high:.9}]", optional(estimate))
}

fn describe(text: &mut String, evidence: &Evidence, n_arms: usize) -> core::fmt::Result {
    let verdict = Verdict::in_detail(evidence, Arm::all(n_arms));
    let index = |arm: Option<Arm>| arm.map(Arm::index);
    write!(text, "leader {:?} front runner {:?}", index(verdict.leader()), index(verdict.front_runner()))?;
    write!(
        text,
        " good enough {:?}",
        verdict.good_enough().iter().map(|arm| arm.index()).collect::<Vec<_>>()
    )?;
    match verdict.obstacle() {
        None => writeln!(text)?,
        Some(Obstacle::Votes(needed)) => {
            writeln!(text, " needed {:.9} {:.9}", needed.at_best, needed.as_so_far)?;
        }
        Some(Obstacle::Rival(arm)) => writeln!(text, " rival {}", arm.index())?,
        Some(Obstacle::Changed(arm)) => writeln!(text, " changed {}", arm.index())?,
        Some(Obstacle::Unmet) => writeln!(text, " unmet")?,
    }
    for arm in Arm::all(n_arms) {
        let (borda, copeland) = (estimate(verdict.borda(arm)), estimate(verdict.copeland(arm)));
        writeln!(text, "  arm {}: borda {borda} copeland {copeland}", arm.index())?;
    }
    for ((first, second), pair) in evidence.pairs() {
        let ([one, other], all) = (pair.peaks(), pair.all());
        let rate = estimate(evidence.rate(first, second));
        writeln!(
            text,
            "  pair {} {}: rate {rate} votes {:.9} waiting {} peaks {one:.9} {other:.9}",
            first.index(),
            second.index(),
            all.votes,
            pair.waiting()
        )?;
    }
    Ok(())
}

fn report(text: &mut String, log: &[Record], voided: &BTreeSet<u64>) -> core::fmt::Result {
    let mut stages = String::new();
    let mut note = |experiment: &Experiment| {
        let _ = writeln!(stages, "  {} {}", experiment.seq(), state_digest(experiment));
    };
    let state = folded(log, Fold::forgetting(voided.clone()), &mut note);
    note(&state);
    let without_foresight = folded(log, Fold::new(), |_| {});
    writeln!(text, "experiment {}: {}", state.id(), state.name())?;
    writeln!(text, "digest {}", digest(&state))?;
    writeln!(text, "states\n{stages}  folded once {}", state_digest(&without_foresight))?;
    let n_arms = state.arms().len();
    describe(text, state.evidence(), n_arms)?;
    let active: Vec<Arm> = Arm::all(n_arms).filter(|arm| !state.arms()[arm.index()].retired).collect();
    match state.evidence().ratings(&active) {
        Ok(found) => writeln!(text, "ratings {:.6?}", found.ratings)?,
        Err(error) => writeln!(text, "no ratings: {error}")?,
    }

    let mut ballots = BallotReader::new(voided.clone());
    let steps: Vec<BallotEvent> = log.iter().filter_map(|record| ballots.push(record)).collect();
    let mut segments = Segments::new(state.evidence(), Some("language"), None, None);
    let mut agreement = Agreement::default();
    for step in &steps {
        segments.push(step);
        agreement.push(step);
    }
    for segment in segments.segments() {
        write!(text, "segment {:?}: {} votes, ", segment.value, segment.votes)?;
        describe(text, &segment.evidence(), n_arms)?;
    }
    for voter in agreement.voters() {
        writeln!(
            text,
            "voter {}: {} votes, {} left, {} right, {:.9} compared, agreement {}, expected {}, deviation {}",
            voter.voter,
            voter.votes,
            voter.left,
            voter.right,
            voter.compared,
            optional(voter.agreement),
            optional(voter.expected),
            optional(voter.deviation)
        )?;
    }
    let targets = [
        (Target::Arm("a".to_owned()), Against::Uniform),
        (Target::Arm("b".to_owned()), Against::Arm("a".to_owned())),
        (Target::Policy("rex3".to_owned()), Against::Uniform),
    ];
    for (target, against) in targets {
        let rng = &mut ChaCha8Rng::seed_from_u64(1);
        let mut evaluator = Evaluator::new(&state, &target, &against, rng).expect("it can be evaluated");
        for step in &steps {
            evaluator.push(step, Vec::new(), rng);
        }
        match evaluator.finish(0.9, rng) {
            Err(refusal) => writeln!(text, "evaluation: {refusal}")?,
            Ok(found) => {
                write!(text, "evaluation: {} duels, {} unusable", found.duels, found.unusable)?;
                for (method, estimate) in found.estimates {
                    write!(text, ", {method:?} {:.6}", estimate.value)?;
                }
                writeln!(text)?;
            }
        }
    }
    Ok(())
}

fn check(release: &Path) {
    let directory = copy(release);
    let store = SqliteStore::open(directory.path()).expect("it opens");
    let mut text = String::new();
    for id in store.experiments().expect("the experiments") {
        let mut log = Vec::new();
        store
            .read(id, 0, &mut |record| {
                log.push(record);
                true
            })
            .expect("its log");
        let mut voided = BTreeSet::new();
        for kind in [Kind::Voided, Kind::ImportVoided] {
            voided.extend(store.duels_with(id, kind).expect("its log"));
        }
        report(&mut text, &log, &voided).expect("text can be written");
    }
    let name = release.file_name().expect("a folder").to_string_lossy().into_owned();
    insta::assert_snapshot!(format!("states_of_{name}"), text);
}

#[test]
fn stable_logs_of_every_release_come_to_the_same_states_and_verdicts() {
    for release in releases() {
        check(&release);
    }
}
