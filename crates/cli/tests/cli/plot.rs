//! `tiltyard plot`.

use crate::{file, seen, tiltyard};

const SPECIFICATION: &[u8] =
    b"title = \"a small job\"\nruns = 3\nhorizon = 1e3\ncheckpoints = [100, 1000]\nseed = 1\n\
[[world]]\nworld = \"arxiv6\"\n[[policy]]\npolicy = \"rex3\"\n[[policy]]\npolicy = \"rex3:gmax=T/2\"\n";

#[test]
fn trace_results_become_figures() {
    let (directory, specification) = file("job.toml", SPECIFICATION);
    let path = |name: &str| directory.path().join(name).display().to_string();
    let results = path("results");
    let text =
        seen(&mut tiltyard(&["run", &specification.display().to_string(), "--out", &results, "--quiet"]));
    assert!(text.starts_with("exit code: 0"), "{text}");

    for name in ["figure.svg", "figure.html", "figure.png"] {
        let text = seen(&mut tiltyard(&["plot", &results, "--out", &path(name)]));
        assert_eq!(text, format!("exit code: 0\n----- stdout -----\n[DIR]/{name}\n----- stderr -----\n"));
    }
    let svg = std::fs::read_to_string(path("figure.svg")).unwrap();
    for needed in
        ["a small job", "arxiv6", "rex3", "seed 1", "condorcet regret", "accuracy", "mean of 3 runs"]
    {
        assert!(svg.contains(needed), "`{needed}` is missing in\n{svg}");
    }
    assert!(std::fs::read_to_string(path("figure.html")).unwrap().starts_with("<!doctype html>"));
    assert!(std::fs::read(path("figure.png")).unwrap().starts_with(b"\x89PNG"));
    // Without `--out`, the figure goes to the directory of results.
    let text = seen(&mut tiltyard(&["plot", &results]));
    assert!(text.contains("/figure.svg"), "{text}");
    assert_eq!(std::fs::read_to_string(path("results/figure.svg")).unwrap(), svg);
}

#[test]
fn trace_what_cannot_be_drawn() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("results").display().to_string();
    insta::assert_snapshot!("plot_no_results", seen(&mut tiltyard(&["plot", &path])));
    insta::assert_snapshot!("plot_no_kind", seen(&mut tiltyard(&["plot", &path, "--out", "figure.pdf"])));
}
