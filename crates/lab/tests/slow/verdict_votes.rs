//! The number of votes until a verdict on a real log, as quoted in the README.

use std::path::PathBuf;

use tiltyard_bandit::Stream;
use tiltyard_lab::Progress;
use tiltyard_lab::replay::{Simulate, simulate};
use tiltyard_world::replay::Mode;
use tiltyard_world::votes::{Votes, read_votes};

/// The votes of WMT13, French to English. Without data it prints a note and returns none.
#[expect(clippy::print_stderr, reason = "the test reports that it was skipped")]
fn wmt13() -> Option<Votes> {
    let directory = match std::env::var_os("TILTYARD_DATA") {
        Some(directory) => PathBuf::from(directory),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    let path = directory.join("votes/wmt13_fre-eng.csv");
    if !path.exists() {
        eprintln!("skipped: real data absent (set TILTYARD_DATA)");
        return None;
    }
    Some(read_votes(&[path]).unwrap())
}

/// 100 replays with another seed; the page reports 1000. The page has 33,150 votes for REX3 and
/// 389,620 for uniform pairs, with standard deviations of about 13,500 and 150,000. Means of 100
/// runs must be within four standard errors, 16 % of either. All verdicts of the page name the
/// winner of all votes. The promise is 95 %, and fewer than 88 correct verdicts of 100 would occur
/// once in a thousand tests.
#[test]
fn stat_votes_until_a_verdict_on_wmt13() {
    let Some(votes) = wmt13() else { return };
    let job = Simulate {
        votes: &votes,
        mode: Mode::Bootstrap,
        policies: ["random", "rex3"].map(|spec| spec.parse().unwrap()).to_vec(),
        rounds: 5_000_000,
        runs: 100,
        seed: 2013,
        confidence: 0.95,
    };
    let simulated = simulate(&job, &Progress::default()).unwrap();
    assert_eq!(votes.names()[simulated.best.arm.index()], "uedin-heafield-unconstrained.2755");
    for (policy, page) in simulated.policies.iter().zip([389_620.0, 33_150.0]) {
        assert_eq!(policy.n_named(), 100, "{}", policy.spec);
        assert!(policy.n_naming(simulated.best.arm) >= 88, "{}", policy.spec);
        let mean = policy.mean_votes(Stream::new(1)).value;
        assert!((mean / page - 1.0).abs() < 0.16, "{}: {mean} votes", policy.spec);
    }
    let ratio = simulated.policies[1].ratio_to(&simulated.policies[0], Stream::new(1));
    assert!(ratio.interval.high < 0.12, "{ratio:?}");
}
