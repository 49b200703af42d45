//! `tiltyard run` and `tiltyard merge`: the same bytes at the end, whatever happens on the way.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tiltyard::Stream;
use tiltyard::lab::results::Results;

use super::{seen, steady, tiltyard};

/// Anytime and fixed-horizon policies, a grid, and worlds whole and cut down.
const SPECIFICATION: &str = r#"
title = "a small job"
runs = 20
runs_fixed_horizon = 5
horizon = 2e4
checkpoints = { from = 100, per_decade = 5 }

[[world]]
world = "arxiv6"
label = "arXiv"

[[world]]
world = "savage30"
arms = [4, 8]

[[policy]]
policy = "rex3"
grid = { gamma = [0.05, 0.1] }

[[policy]]
policy = "sparring:player=ucb1"

[[policy]]
policy = "rex3:gmax=T/2"
"#;

/// A directory with a specification, and room for results.
struct Place {
    directory: TempDir,
}

impl Place {
    fn new(specification: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("spec.toml"), specification).unwrap();
        Self { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// `tiltyard run spec.toml --out NAME` with more arguments.
    fn run(&self, name: &str, more: &[&str]) -> Command {
        let mut command = tiltyard(&["run"]);
        command.arg(self.path("spec.toml")).arg("--out").arg(self.path(name)).args(more);
        command.env_remove("TILTYARD_DATA");
        command
    }

    fn run_to_end(&self, name: &str, more: &[&str]) -> Bytes {
        let output = self.run(name, more).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), self.path(name).display().to_string());
        self.bytes(name)
    }

    fn bytes(&self, name: &str) -> Bytes {
        let names = std::fs::read_dir(self.path(name)).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        assert_eq!(names, ["manifest.json", "results.parquet", "summary.csv"], "and nothing else");
        let read = |file: &str| std::fs::read(self.path(name).join(file)).unwrap();
        Bytes { results: read("results.parquet"), summary: read("summary.csv") }
    }
}

/// The files that must not differ by a bit.
#[derive(PartialEq)]
struct Bytes {
    results: Vec<u8>,
    summary: Vec<u8>,
}

fn assert_same(got: &Bytes, expected: &Bytes, what: &str) {
    // Not `assert_eq`, which would print the bytes.
    assert!(got == expected, "different results {what}");
}

#[test]
fn law_threads_and_shards_do_not_change_a_bit() {
    let place = Place::new(SPECIFICATION);
    let expected = place.run_to_end("one", &["--threads", "1"]);
    assert_same(&place.run_to_end("two", &["--threads", "2"]), &expected, "on two threads");
    let mut merge = tiltyard(&["merge", "--out"]);
    merge.arg(place.path("merged"));
    for shard in ["2/3", "3/3", "1/3"] {
        let name = shard.replace('/', "-of-");
        assert!(place.run(&name, &["--shard", shard]).output().unwrap().status.success());
        merge.arg(place.path(&name));
    }
    assert!(merge.output().unwrap().status.success());
    assert_same(&place.bytes("merged"), &expected, "from shards");

    // Another seed is another job.
    assert!(place.run_to_end("other", &["--seed", "2"]) != expected);
}

/// The numbers are the same as those that `play` prints.
#[test]
fn law_run_and_play_agree() {
    let place = Place::new(SPECIFICATION);
    place.run_to_end("out", &[]);
    let results = Results::open(&place.path("out")).unwrap();
    for policy in ["rex3:gamma=0.05", "sparring:player=ucb1"] {
        let arguments = [
            "play", "--policy", policy, "--runs", "20", "--rounds", "2e4", "--at", "1e2", "--format", "json",
        ];
        let output = tiltyard(&arguments).output().unwrap();
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let series = results.find("arxiv6", policy).unwrap();
        let last = series.checkpoints.len() - 1;
        let summary = series.regret();
        for (played, at) in [(0, 0), (1, last)] {
            assert_eq!(json["policies"][0]["regret"]["mean"][played], summary.mean[at]);
            assert_eq!(json["policies"][0]["regret"]["sem"][played], summary.sem[at]);
            assert_eq!(json["policies"][0]["accuracy"][played], series.accuracy()[at].share());
        }
    }
    // A fixed-horizon policy has a run for each horizon, the anytime ones for all checkpoints.
    let fixed = results.find("arxiv6", "rex3:gmax=T/2").unwrap();
    assert_eq!(
        (fixed.fixed_horizon, fixed.checkpoints.as_slice()),
        (true, &[1000, 3162, 10_000, 20_000][..])
    );
    assert_eq!((fixed.runs.len(), fixed.runs[0].regret.len()), (5, 4));
    let drawn = results.find("savage30 [random 4]", "sparring:player=ucb1").unwrap();
    assert_eq!((drawn.n_arms, drawn.runs.len()), (4, 20));
    // The best arm of SAVAGE is the first of the drawn arms, so it differs from run to run.
    assert!(drawn.runs.iter().any(|run| run.best != drawn.runs[0].best));
    assert_eq!(results.find("arxiv6", "rex3:gamma=0.1").unwrap().swept_number("gamma"), Some(0.1));
}

fn kill(child: &mut Child) -> bool {
    let running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    running
}

/// Waits until the journal is longer than it was, or the process has ended.
fn wait_for_a_run(journal: &Path, before: u64, child: &mut Child) {
    while length(journal) <= before && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// The job is killed ten times at random moments and resumed. The first kills come after a run has
/// finished, so that there is something to lose. The others come at any time, including the first
/// and the last moments of a process.
#[test]
fn law_a_job_killed_again_and_again_ends_with_the_same_bytes() {
    use rand::RngExt;
    let place = Place::new(&SPECIFICATION.replace("runs = 20", "runs = 40"));
    let expected = place.run_to_end("whole", &[]);
    let journal = place.path("killed").join("journal.bin");
    let mut rng = Stream::new(5).label("kills").rng();
    for time in 0..10 {
        let before = length(&journal);
        let mut child = place
            .run("killed", &["--resume", "--quiet"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        if time < 5 {
            wait_for_a_run(&journal, before.max(80), &mut child);
        }
        std::thread::sleep(Duration::from_millis(rng.random_range(0..40)));
        let running = kill(&mut child);
        if time == 0 {
            assert!(
                running && place.path("killed").join("job.json").exists(),
                "the first kill came too late"
            );
        }
    }
    assert_same(&place.run_to_end("killed", &["--resume"]), &expected, "after kills");
}

#[cfg(unix)]
#[test]
fn trace_ctrl_c_keeps_what_is_finished() {
    let place = Place::new(&SPECIFICATION.replace("horizon = 2e4", "horizon = 1e5"));
    let mut child =
        place.run("out", &["--threads", "1"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_a_run(&place.path("out").join("journal.bin"), 80, &mut child);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(
        stderr.contains("error: stopped; ") && stderr.contains("run the same command with `--resume`"),
        "{stderr}"
    );
    assert!(output.stdout.is_empty());
    let expected = place.run_to_end("whole", &[]);
    assert_same(&place.run_to_end("out", &["--resume"]), &expected, "after Ctrl-C");
}

/// Simulates a full disk by a limit on the size of files: 8 or 24 blocks of 512 bytes.
#[cfg(unix)]
#[test]
fn trace_a_full_disk_loses_nothing() {
    let place = Place::new(SPECIFICATION);
    let expected = place.run_to_end("whole", &[]);
    let run = place.run("full", &["--resume"]);
    for blocks in [8, 24] {
        // The signal for the limit is ignored, so that writing fails as on a full disk.
        let output = Command::new("sh")
            .arg("-c")
            .arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\""))
            .arg(run.get_program())
            .args(run.get_args())
            .env_remove("RUST_BACKTRACE")
            .output()
            .unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("runs are safe in its journal: File too large"), "{stderr}");
        assert!(!stderr.contains("; 0 of "), "{stderr}");
        assert!(
            stderr.contains("hint: make room; then the same command with `--resume` continues it"),
            "{stderr}"
        );
    }
    assert_same(&place.run_to_end("full", &["--resume"]), &expected, "after a full disk");
}

#[test]
fn trace_what_a_directory_may_hold() {
    let place =
        Place::new("runs = 2\nhorizon = 100\n[[world]]\nworld = \"arxiv6\"\n[[policy]]\npolicy = \"rex3\"\n");
    let mut text = String::new();
    let mut say = |what: &str, command: &mut Command| writeln!(text, "{what}\n{}", seen(command)).unwrap();
    std::fs::create_dir(place.path("foreign")).unwrap();
    std::fs::write(place.path("foreign").join("notes.txt"), "mine").unwrap();
    say("something else is there", &mut place.run("foreign", &["--resume"]));
    std::fs::write(place.path("file"), "mine").unwrap();
    say("not a directory", &mut place.run("file", &[]));
    place.run_to_end("out", &[]);
    say("the results are there", &mut place.run("out", &[]));
    say("and complete", &mut place.run("out", &["--resume", "--quiet"]));
    say("another seed", &mut place.run("out", &["--resume", "--seed", "7"]));
    say("another shard", &mut place.run("out", &["--resume", "--shard", "1/2"]));
    std::fs::create_dir(place.path("begun")).unwrap();
    std::fs::write(place.path("begun").join("job.json"), "{").unwrap();
    say("a damaged job", &mut place.run("begun", &["--resume"]));
    place.run("one", &["--shard", "1/2"]).output().unwrap();
    let merge = |names: &[&str], out: &str| {
        let mut command = tiltyard(&["merge"]);
        command.args(names.iter().map(|name| place.path(name))).arg("--out").arg(place.path(out));
        command
    };
    say("a shard is missing", &mut merge(&["one"], "merged"));
    say("a shard is there twice", &mut merge(&["one", "one"], "merged"));
    say("shards of different divisions", &mut merge(&["one", "out"], "merged"));
    say("no results", &mut merge(&["foreign"], "merged"));
    say("somewhere already", &mut merge(&["out"], "foreign"));
    place.run("other", &["--shard", "2/2", "--seed", "3"]).output().unwrap();
    say("shards of different jobs", &mut merge(&["one", "other"], "merged"));
    let table = place.path("one").join("results.parquet");
    let mut bytes = std::fs::read(&table).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&table, bytes).unwrap();
    place.run("two", &["--shard", "2/2"]).output().unwrap();
    say("a damaged table", &mut merge(&["one", "two"], "merged"));
    insta::assert_snapshot!(text);
}

#[test]
fn trace_specifications() {
    let head = "runs = 2\nhorizon = 100\n";
    let world = "[[world]]\nworld = \"arxiv6\"\n";
    let policy = "[[policy]]\npolicy = \"rex3\"\n";
    let cases = [
        ("a field that there is not", format!("{head}sed = 1\n{world}{policy}")),
        ("no number", format!("runs = \"many\"\nhorizon = 100\n{world}{policy}")),
        ("no TOML", format!("runs = 2\nhorizon 100\n{world}{policy}")),
        ("no worlds", format!("{head}{policy}")),
        ("no such regret", format!("{head}regret = \"condrcet\"\n{world}{policy}")),
        ("a regret without meaning", format!("{head}regret = \"bandit\"\n{world}{policy}")),
        ("no such world", format!("{head}[[world]]\nworld = \"arxiv\"\n{policy}")),
        ("no such file", format!("{head}[[world]]\nworld = \"no/such.csv\"\n{policy}")),
        ("no such policy", format!("{head}{world}[[policy]]\npolicy = \"rexe\"\n")),
        ("a parameter out of range", format!("{head}{world}{policy}grid = {{ gamma = [0.1, 5] }}\n")),
        ("too many arms", format!("{head}{world}arms = [4, 10]\n{policy}")),
        (
            "arms of a world without matrix",
            format!("{head}[[world]]\nworld = \"beta10\"\narms = [4]\n{policy}"),
        ),
        ("a world twice", format!("{head}{world}{world}{policy}")),
        ("a policy twice", format!("{head}{world}{policy}{policy}")),
        ("data without a directory", format!("{head}[[world]]\ndata = \"matrices/a.csv\"\n{policy}")),
    ];
    let mut text = String::new();
    for (what, specification) in cases {
        let place = Place::new(&specification);
        writeln!(text, "{what}\n{}", seen(&mut place.run("out", &[]))).unwrap();
        assert!(!place.path("out").exists(), "{what}: nothing may be run");
    }
    let place = Place::new(&format!("{head}[[world]]\ndata = \"a.csv\"\n{policy}"));
    let nowhere = place.path("nowhere").display().to_string();
    writeln!(text, "no data directory\n{}", seen(&mut place.run("out", &["--data", &nowhere]))).unwrap();
    let here = place.directory.path().display().to_string();
    let missing = steady(&seen(&mut place.run("out", &["--data", &here])));
    assert!(missing.contains("there is no such file in"), "{missing}");
    writeln!(text, "no such shard\n{}", seen(&mut place.run("out", &["--shard", "3/2"]))).unwrap();
    writeln!(text, "no shard\n{}", seen(&mut place.run("out", &["--shard", "half"]))).unwrap();
    insta::assert_snapshot!(text);
}

/// The file is used if the data directory has it, else the stand-in. The results say which.
#[test]
fn trace_real_data_or_a_stand_in() {
    let place = Place::new(
        "runs = 2\nhorizon = 100\n[[policy]]\npolicy = \"rex3\"\n[[world]]\ndata = \"real.csv\"\nlabel = \"real\"\n\
         otherwise = \"cyclic4\"\notherwise_label = \"synthetic\"\n",
    );
    let data = place.path("data");
    std::fs::create_dir(&data).unwrap();
    std::fs::write(data.join("real.csv"), "0.5,0.6\n0.4,0.5\n").unwrap();
    place.run_to_end("without", &[]);
    place.run_to_end("with", &["--data", &data.display().to_string()]);
    let world = |name: &str| {
        let series = Results::open(&place.path(name)).unwrap().series.remove(0);
        (series.world, series.world_label, series.n_arms)
    };
    assert_eq!(world("without"), ("cyclic4".into(), "synthetic".into(), 4));
    assert_eq!(world("with"), ("real.csv".into(), "real".into(), 2));

    // A file with another content makes another job, even at the same path.
    std::fs::write(data.join("real.csv"), "0.5,0.7\n0.3,0.5\n").unwrap();
    let changed = seen(&mut place.run("with", &["--resume", "--data", &data.display().to_string()]));
    assert!(changed.contains("belongs to another specification: it differs in `world`"), "{changed}");
}

/// Worlds that change or are corrupted work like any other: files are identified by their content,
/// and results are the same on one thread and on two. Only a plain matrix can be cut down to some
/// of its arms.
#[test]
fn law_changing_worlds_in_a_specification() {
    let place = Place::new("");
    std::fs::write(place.path("u.csv"), "a,b\n0.9,0.1\n0.2,0.6\n").unwrap();
    std::fs::write(place.path("s.csv"), "from,1\n0.5,0.9\n0.1,0.5\nfrom,50\n0.5,0.2\n0.8,0.5\n").unwrap();
    let at = |name: &str| place.path(name).display().to_string();
    let worlds = [
        "piecewise:of=arxiv6,segments=3".to_owned(),
        "rotating10:arms=3".to_owned(),
        "arxiv6+corrupted:flips=T/4,when=random+lossy:share=0.1".to_owned(),
        format!("piecewise:file={}", at("s.csv")),
        format!("utilities:file={},after=repeat", at("u.csv")),
    ];
    let mut text = "runs = 2\nhorizon = 100\n[[policy]]\npolicy = \"rex3\"\n".to_owned();
    for world in &worlds {
        writeln!(text, "[[world]]\nworld = \"{world}\"").unwrap();
    }
    std::fs::write(place.path("spec.toml"), &text).unwrap();
    let expected = place.run_to_end("one", &["--threads", "1"]);
    assert_same(&place.run_to_end("two", &["--threads", "2"]), &expected, "on two threads");
    let manifest = std::fs::read_to_string(place.path("one").join("manifest.json")).unwrap();
    assert!(manifest.contains("utilities:file=sha256:") && manifest.contains("piecewise:file=sha256:"));

    for world in ["piecewise", "arxiv6+corrupted:flips=9"] {
        let text = text.split("[[world]]").next().unwrap();
        let cut = format!("{text}[[world]]\nworld = \"{world}\"\narms = [3]\n");
        std::fs::write(place.path("spec.toml"), cut).unwrap();
        let output = seen(&mut place.run("three", &[]));
        assert!(output.contains("only a world that is a preference matrix can be cut down"), "{output}");
    }
}
