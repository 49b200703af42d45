//! The verdicts on the claims of later papers, on worlds that need no data: 20 runs of 1e5 rounds, from specifications to findings.

use tiltyard_lab::Progress;
use tiltyard_lab::claim::Verdict;
use tiltyard_lab::reproduce::{Ending, Job, Order, Paper, RMED, Reproduced, Scale, Selection, VERSATILE};

const SHORT: Scale =
    Scale { name: "slow test", longest: 100_000, runs: 20, sizes: usize::MAX, cuts_claims: true };

fn reproduce(paper: &'static Paper, figures: &[&str]) -> Reproduced {
    let directory = tempfile::tempdir().unwrap();
    let order = Order {
        selection: Selection::of(paper, figures).unwrap(),
        scale: SHORT,
        seed: None,
        data: None,
        out: &directory.path().join("report"),
        revision: None,
    };
    let progress = Progress::default();
    let job = Job::prepare(order, &progress).unwrap().expect("nobody stopped it");
    let Ending::Complete(reproduced) = job.run(&progress).unwrap() else { panic!("nobody stopped it") };
    *reproduced
}

#[track_caller]
fn assert_verdicts(reproduced: &Reproduced, expected: &[(&str, Verdict)]) {
    let wrong: Vec<String> = reproduced
        .findings
        .iter()
        .zip(expected)
        .filter(|(finding, wanted)| (finding.id, finding.judgement.verdict) != **wanted)
        .map(|(finding, wanted)| {
            format!("{}: not {wanted:?}: {:?} {}", finding.id, finding.judgement.verdict, finding.judgement.note)
        })
        .collect();
    assert!(wrong.is_empty() && reproduced.findings.len() == expected.len(), "{}", wrong.join("\n"));
}
