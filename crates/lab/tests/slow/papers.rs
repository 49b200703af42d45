//! The verdicts on the claims of later papers, on worlds that need no data: 20 runs of 1e5 rounds,
//! from specifications to findings.

use tiltyard_lab::Progress;
use tiltyard_lab::claim::{Finding, Verdict};
use tiltyard_lab::reproduce::{Ending, Job, Paper, RMED, Reproduced, Request, Scale, Selection, VERSATILE};

const SHORT: Scale =
    Scale { name: "slow test", longest: 100_000, runs: 20, sizes: usize::MAX, cuts_claims: true };

fn reproduce(paper: &'static Paper, figures: &[&str]) -> Reproduced {
    let directory = tempfile::tempdir().unwrap();
    let order = Request {
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

/// Asserts these verdicts. Claims that are not named may have any verdict except `Fails`.
#[track_caller]
fn assert_verdicts(reproduced: &Reproduced, expected: &[(&str, Verdict)]) {
    let wrong = |finding: &Finding| {
        let wanted = expected.iter().find(|(id, _)| *id == finding.claim.id).map(|wanted| wanted.1);
        let judgement = &finding.judgement;
        let is_right =
            wanted.map_or(judgement.verdict != Verdict::Fails, |wanted| judgement.verdict == wanted);
        (!is_right).then(|| format!("{}: {:?}: {}", finding.claim.id, judgement.verdict, judgement.note))
    };
    let wrong: Vec<String> = reproduced.findings.iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Versatile-DB in worlds that do not change, and in the same worlds with falsified outcomes. The
/// finding reports for each world the round at which it overtakes REX3: within the first 1000
/// rounds on SAVAGE-30, and not by 1e5 rounds on arXiv.
#[test]
fn stat_versatile() {
    let reproduced = reproduce(&VERSATILE, &["stochastic", "corrupted"]);
    let [holds, not_run] = [Verdict::Holds, Verdict::NotRun];
    assert_verdicts(
        &reproduced,
        &[("V1", holds), ("V2", holds), ("V3", not_run), ("V4", holds), ("V5", not_run)],
    );
    let crossings = &reproduced.findings[0].judgement.numbers;
    let at = |world: &str| crossings.iter().find(|number| number.name.contains(world)).unwrap().value;
    assert!(at("arxiv6").is_none() && at("savage30").is_some_and(|round| round <= 1000.0), "{crossings:?}");
}

/// RMED on the small matrices. These runs are too few to decide whether RMED2FH is near the lower
/// bound.
#[test]
fn stat_rmed() {
    let reproduced = reproduce(&RMED, &["small"]);
    let holds = Verdict::Holds;
    assert_verdicts(&reproduced, &[("R1", holds), ("R3", holds), ("R4", holds)]);
}
