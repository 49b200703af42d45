use super::*;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use tempfile::TempDir;
use tiltyard_bandit::Arm;
use tiltyard_bandit::matrix::{PreferenceMatrix, builtin};

use crate::claim::rex3::CLAIMS;
use crate::reproduce::{ERRATA, PAPERS, REX3};

/// Small enough to run a whole report in a test.
const TINY: Scale = Scale { name: "tiny", longest: 2000, runs: 2, sizes: 4, cuts_claims: true };

/// A data directory with made-up matrices of the right shape.
fn data() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("matrices");
    fs::create_dir(&folder).unwrap();
    let write = |name: &str, matrix: &PreferenceMatrix| {
        let mut text = String::new();
        for arm in Arm::all(matrix.n_arms()) {
            let row: Vec<String> = matrix.row(arm).iter().map(f64::to_string).collect();
            writeln!(text, "{}", row.join(",")).unwrap();
        }
        fs::write(folder.join(name), text).unwrap();
    };
    write("letor64_provenance_unconfirmed.csv", &builtin::savage(64).unwrap());
    write("mslr5_condorcet.csv", &builtin::savage(5).unwrap());
    write("mslr5_noncondorcet.csv", &circle());
    write("sushi16.csv", &builtin::savage(16).unwrap());
    for click in ["navigational", "informational", "perfect"] {
        write(&format!("mslr_{click}_136.csv"), &builtin::savage(136).unwrap());
    }
    directory
}

/// Five arms in a cycle; each beats the next two.
fn circle() -> PreferenceMatrix {
    PreferenceMatrix::from_fn(5, |i, j| match (j.index() + 5 - i.index()) % 5 {
        0 => 0.5,
        1 | 2 => 0.7,
        _ => 0.3,
    })
    .unwrap()
}

fn run(names: &[&str], data: Option<&Path>, out: &Path) -> Reproduced {
    match start(names, data, out, &Progress::default()) {
        Ending::Complete(reproduced) => *reproduced,
        Ending::Stopped => panic!("nobody stopped it"),
    }
}

fn start(names: &[&str], data: Option<&Path>, out: &Path, progress: &Progress) -> Ending {
    let selection = Selection::of(&REX3, names).unwrap();
    let order = Request { selection, scale: TINY, seed: None, data, out, revision: Some("abc") };
    Job::prepare(order, progress).unwrap().expect("not stopped yet").run(progress).unwrap()
}

/// The files of a report whose bytes must not depend on interruptions.
fn bytes(out: &Path) -> Vec<(String, Vec<u8>)> {
    let mut folders: Vec<_> =
        fs::read_dir(out.join("results")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let tables =
        folders.iter().flat_map(|folder| ["results.parquet", "summary.csv"].map(|file| folder.join(file)));
    tables
        .chain([out.join("claims.json")])
        .map(|path| (path.strip_prefix(out).unwrap().display().to_string(), fs::read(&path).unwrap()))
        .collect()
}

/// The addresses that a page loads or links to: the values of `src` and `href`.
fn addresses(page: &str) -> BTreeSet<&str> {
    let after = |attribute: &'static str| page.split(attribute).skip(1);
    let values = after("src=\"").chain(after("href=\""));
    values.map(|rest| rest.split('"').next().unwrap()).collect()
}

/// The report contains every figure, claim and erratum, and loads nothing from elsewhere. A second
/// run plays nothing and finds the same.
#[test]
fn law_the_whole_report_at_a_tiny_scale() {
    let (data, directory) = (data(), tempfile::tempdir().unwrap());
    let out = &directory.path().join("report");
    let reproduced = run(&[], Some(data.path()), out);
    assert_eq!((reproduced.findings.len(), reproduced.resumed), (CLAIMS.len(), 0));
    let page = fs::read_to_string(&reproduced.report).unwrap();
    for id in CLAIMS.iter().map(|claim| claim.id).chain(ERRATA.iter().map(|erratum| erratum.id)) {
        assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
    }
    for entry in REX3.figures {
        assert_eq!(page.matches(&format!("id=\"figure-{}\"", entry.id)).count(), 1, "{}", entry.id);
        let svg = fs::read_to_string(out.join(format!("figures/{}.svg", entry.id))).unwrap();
        assert!(svg.contains("seed 1") && svg.contains("Data: "), "{}", entry.id);
    }
    assert!(page.contains("real, identity unconfirmed") && !page.contains("Synthetic data."));
    assert_eq!(page.matches("<script>").count(), 1);
    for wanted in addresses(&page) {
        let target = wanted.strip_prefix('#').map(|id| page.contains(&format!("id=\"{id}\"")));
        assert!(target.unwrap_or(wanted.starts_with("https://doi.org/")), "{wanted}");
    }
    assert!(page.split("url(").skip(1).all(|rest| rest.starts_with('#')));
    for fetched in ["@import", "<link", "<img", "<iframe"] {
        assert!(!page.contains(fetched), "{fetched}");
    }

    let first = bytes(out);
    let again = run(&[], Some(data.path()), out);
    assert_eq!(again.findings, reproduced.findings);
    assert!(again.resumed > 0 && bytes(out) == first);
}

/// A job that is stopped repeatedly ends with the same bytes as an uninterrupted job. Figures can
/// be added later.
#[test]
fn law_a_job_that_was_stopped_continues() {
    let directory = tempfile::tempdir().unwrap();
    let [whole, broken] = ["whole", "broken"].map(|name| directory.path().join(name));
    let names = ["arxiv", "artificial", "deceptive", "claims"];
    let unbroken = run(&names, None, &whole);
    let mut stops = 0;
    loop {
        let progress = Progress::default();
        let ending = std::thread::scope(|scope| {
            scope.spawn(|| {
                // Rounds of finished runs count as done, so this waits for new rounds.
                let before = std::iter::repeat_with(|| progress.done()).find(|&done| done > 0).unwrap_or(0);
                while progress.done() == before && !progress.is_stopped() {
                    std::thread::yield_now();
                }
                progress.stop();
            });
            let ending = start(&names, None, &broken, &progress);
            progress.stop();
            // Releases the thread above if no runs were left to play.
            progress.begin(1, 1);
            ending
        });
        match ending {
            Ending::Stopped => stops += 1,
            Ending::Complete(reproduced) => {
                assert_eq!(reproduced.findings, unbroken.findings);
                break;
            }
        }
        if stops == 3 {
            assert!(!broken.join("report.html").exists());
            run(&names[..1], None, &broken);
            run(&names, None, &broken);
            break;
        }
    }
    assert!(stops > 0);
    assert!(bytes(&broken) == bytes(&whole));
}

/// Figures with stand-ins say so, and so does the page.
#[test]
fn trace_stand_ins_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let out = &directory.path().join("report");
    run(&["np2004-16"], None, out);
    let svg = fs::read_to_string(out.join("figures/np2004-16.svg")).unwrap();
    assert!(svg.contains("Data: synthetic, synthetic-np64:clicks=navigational"));
    assert!(svg.contains("NP2004, first 16, synthetic stand-in"));
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("Synthetic data."));
    // The table leaves out matrices that no figure needed; none is built for it.
    assert!(!page.contains("MSLR informational</td>"));
}

#[test]
fn trace_a_directory_of_another_job_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    run(&["arxiv"], None, directory.path());
    let order = |seed| Request {
        selection: Selection::of(&REX3, &["arxiv"]).unwrap(),
        scale: TINY,
        seed: Some(seed),
        data: None,
        out: directory.path(),
        revision: None,
    };
    assert!(matches!(
        Job::prepare(order(2), &Progress::default()),
        Err(ReproduceError::Place(ReportDirectoryError::OtherJob { .. }))
    ));
    // The seed of a specification is 1.
    assert!(Job::prepare(order(1), &Progress::default()).unwrap().is_some());
}

/// The whole report of every other paper: it contains this paper's figures, claims and notes, and
/// no other paper's.
#[test]
fn law_other_papers_at_a_tiny_scale() {
    let (data, directory) = (data(), tempfile::tempdir().unwrap());
    for paper in PAPERS.iter().filter(|paper| !paper.is_default()) {
        let out = &directory.path().join(paper.name);
        let scale = Scale { longest: 1000, ..TINY };
        let selection = Selection::all(paper);
        let order =
            Request { selection, scale, seed: None, data: Some(data.path()), out, revision: Some("abc") };
        let progress = Progress::default();
        let job = Job::prepare(order, &progress).unwrap().expect("not stopped");
        let Ending::Complete(reproduced) = job.run(&progress).unwrap() else { panic!("nobody stopped it") };
        assert_eq!(reproduced.findings.len(), paper.claims.len());
        let page = fs::read_to_string(&reproduced.report).unwrap();
        let ids = paper.claims.iter().map(|claim| claim.id);
        for id in ids.chain(paper.notes.errata.iter().map(|erratum| erratum.id)) {
            assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
        }
        for entry in paper.figures {
            assert_eq!(page.matches(&format!("id=\"figure-{}\"", entry.id)).count(), 1, "{}", entry.id);
        }
        assert!(page.contains(paper.title) && page.contains(&paper.command()) && !page.contains("id=\"C1\""));
        for wanted in addresses(&page) {
            let target = wanted.strip_prefix('#').map(|id| page.contains(&format!("id=\"{id}\"")));
            assert!(target.unwrap_or(wanted.starts_with("https://doi.org/")), "{wanted}");
        }
        let manifest = fs::read_to_string(out.join("manifest.json")).unwrap();
        assert!(manifest.contains(&format!("\"paper\": \"{}\"", paper.name)));
    }
    let svg = fs::read_to_string(directory.path().join("rmed/figures/small.svg")).unwrap();
    assert!(svg.contains("C ln T, the lower bound"));
}
