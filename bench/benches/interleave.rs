//! Merging lists, against the Python library `interleaving`:
//! `cargo bench -p tiltyard-bench --bench interleave [-- --check]`.
//!
//! With `--check`, the exit code is 1 if a target is missed. Without `--bench`, which `cargo bench`
//! passes and `cargo test` does not, everything runs once and briefly, without Python, to check
//! that it works.

#![expect(clippy::print_stdout, reason = "this program prints a table")]

use std::env;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use rand::RngExt;
use tiltyard_bandit::Stream;
use tiltyard_bench::{Contestant, LEAST, ProcessorTime, race};
use tiltyard_interleave::{Clicks, Interleaving, Merged, Merger};
use tiltyard_world::click::ClickSpec;

/// A method must be at least this many times as fast as the library.
const TARGET: f64 = 100.0;

/// Documents on a page.
const LENGTH: usize = 10;

const METHODS: [&str; 4] = ["team-draft", "balanced", "probabilistic", "optimized"];

const ABOUT: &str = "\
# Speed of interleaving

Pairs of lists of 10 documents out of 20, merged to 10, in nanoseconds of processor time. `draw` merges lists that are
already prepared, as the library's `interleave()` does on an object that has its lists; this row is judged. `merge`
takes two new lists: it prepares them and draws once, against making the library's object and calling `interleave()`
once. `credit` turns clicks on two documents into an outcome. Both sides get the same lists. To prepare, our optimised
method looks at all possible merged lists, up to 1024; the library is asked for 50, which is less work.
";

fn main() -> ExitCode {
    let has = |flag: &str| env::args().any(|arg| arg == flag);
    let full = has("--bench");
    println!("{ABOUT}");
    let pairs = pairs();
    let (repetitions, least) = if full { (9, LEAST) } else { (1, Duration::from_nanos(1)) };

    let mut ours: Vec<(&str, &str, f64)> = Vec::new();
    for method in METHODS {
        let mut contestants = contestants(method, &pairs);
        for contestant in &mut contestants {
            contestant.calibrate(least);
        }
        let timings = race(&mut contestants, repetitions);
        ours.extend(
            timings
                .iter()
                .zip(["draw", "merge", "credit"])
                .map(|(timing, what)| (method, what, timing.median())),
        );
    }
    let (told, theirs) =
        if full { library(&pairs) } else { ("not measured: this is a test".to_owned(), Vec::new()) };
    println!(
        "The library: {told}.\n\n| method | what | ns | library, ns | times as fast | target | verdict |\n|---|---|---|---|---|---|---|"
    );
    let mut n_missed = 0;
    for (method, what, nanos) in ours {
        let library = theirs.iter().find(|(m, w, _)| m == method && w == what).map(|&(_, _, nanos)| nanos);
        let judged = what == "draw";
        let verdict = match library {
            _ if !judged => "",
            None => "not measured",
            Some(library) if library / nanos >= TARGET => "ok",
            Some(_) => {
                n_missed += 1;
                "MISSED"
            }
        };
        let [theirs, ratio] = [library, library.map(|library| library / nanos)]
            .map(|x| x.map_or("-".to_owned(), |x| format!("{x:.0}")));
        let target = if judged { "at least 100" } else { "" };
        println!("| {method} | {what} | {nanos:.0} | {theirs} | {ratio} | {target} | {verdict} |");
    }

    println!("\n## Whole interleavings (not judged)\n\n| what | ns |\n|---|---|");
    let mut contestants = whole(&pairs);
    for contestant in &mut contestants {
        contestant.calibrate(least);
    }
    for timing in race(&mut contestants, repetitions) {
        println!("| {} | {:.0} |", timing.name, timing.median());
    }
    println!("\nTargets: {n_missed} MISSED");
    if n_missed > 0 && has("--check") { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

type Pair = [Vec<u32>; 2];

/// Pairs that share some of their documents, as rankings of one query do.
fn pairs() -> Vec<Pair> {
    let mut rng = Stream::new(1).label("lists").rng();
    let mut list = || {
        let mut documents: Vec<u32> = (0..20).collect();
        for i in 0..LENGTH {
            documents.swap(i, rng.random_range(i..20));
        }
        documents.truncate(LENGTH);
        documents
    };
    (0..64).map(|_| [list(), list()]).collect()
}

/// `draw`, `merge` and `credit` of a method.
fn contestants<'a>(method: &str, pairs: &'a [Pair]) -> Vec<Contestant<'a>> {
    let interleaver = || Merger::new(method.parse::<Interleaving>().expect("a method"));
    let (mut merging, mut drawing, mut crediting) = (interleaver(), interleaver(), interleaver());
    let mut merged = Merged::default();
    let mut rng = Stream::new(1).rng();
    let merge = Contestant::new("merge", 1, move |rounds| {
        let start = Clock::start();
        for [left, right] in pairs.iter().cycle().take(count(rounds)) {
            merging.merge(left, right, LENGTH, &mut rng, &mut merged);
            black_box(&merged);
        }
        start.elapsed()
    });
    let mut merged = Merged::default();
    let mut rng = Stream::new(2).rng();
    let draw = Contestant::new("draw", 1, move |rounds| {
        drawing.prepare(&pairs[0][0], &pairs[0][1], LENGTH);
        let start = Clock::start();
        for _ in 0..rounds {
            drawing.draw(&mut rng, &mut merged);
            black_box(&merged);
        }
        start.elapsed()
    });
    let mut merged = Merged::default();
    let clicks = Clicks::at([0, 3], LENGTH).expect("positions of the page");
    let credit = Contestant::new("credit", 1, move |rounds| {
        crediting.merge(&pairs[0][0], &pairs[0][1], LENGTH, &mut Stream::new(3).rng(), &mut merged);
        let start = Clock::start();
        for _ in 0..rounds {
            black_box(black_box(&merged).credit(&clicks).outcome());
        }
        start.elapsed()
    });
    vec![draw, merge, credit]
}

/// The work of building a matrix: a merged list, a user's clicks on it, and an outcome.
fn whole(pairs: &[Pair]) -> Vec<Contestant<'_>> {
    let mut contestants = Vec::new();
    for method in METHODS {
        let mut interleaver = Merger::new(method.parse::<Interleaving>().expect("a method"));
        let user = "navigational".parse::<ClickSpec>().and_then(|spec| spec.for_grades(4)).expect("a user");
        let (mut merged, mut clicks) = (Merged::default(), Clicks::new());
        let mut rng = Stream::new(1).rng();
        contestants.push(Contestant::new(
            format!("{method}: 62 draws, clicks and outcomes of a pair, each"),
            1,
            move |rounds| {
                let start = Clock::start();
                for round in 0..rounds {
                    if round % 62 == 0 {
                        let [left, right] = &pairs[count(round / 62) % pairs.len()];
                        interleaver.prepare(left, right, LENGTH);
                    }
                    interleaver.draw(&mut rng, &mut merged);
                    user.clicks(merged.documents().iter().map(|d| (d % 5) as u8), &mut rng, &mut clicks);
                    black_box(merged.credit(&clicks).outcome());
                }
                start.elapsed()
            },
        ));
    }
    contestants
}

/// Processor time if the system reports it, so that other programs do not count; otherwise
/// wall-clock time.
struct Clock(Option<ProcessorTime>, Instant);

impl Clock {
    fn start() -> Self {
        Self(ProcessorTime::now(), Instant::now())
    }

    fn elapsed(&self) -> Duration {
        match self.0.zip(ProcessorTime::now()) {
            Some((before, after)) => after.since(before).running,
            None => self.1.elapsed(),
        }
    }
}

fn count(rounds: u64) -> usize {
    usize::try_from(rounds).expect("rounds fit into memory")
}

/// The library's times for the same lists, and a text that says what was measured, or why nothing
/// was.
fn library(pairs: &[Pair]) -> (String, Vec<(String, String, f64)>) {
    match ask(pairs) {
        Ok(text) => {
            let mut lines = text.lines();
            let told = lines.next().unwrap_or("not measured: the script printed nothing").to_owned();
            let row = |line: &str| {
                let mut words = line.split_whitespace().map(str::to_owned);
                Some((words.next()?, words.next()?, words.next()?.parse().ok()?))
            };
            (told, lines.filter_map(row).collect())
        }
        Err(error) => (format!("not measured: python3 did not run: {error}"), Vec::new()),
    }
}

fn ask(pairs: &[Pair]) -> std::io::Result<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| here.join("../target"), PathBuf::from);
    let mut lines = String::new();
    for [left, right] in pairs {
        let joined = |list: &[u32]| list.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        writeln!(lines, "{} {}", joined(left), joined(right)).expect("writing to a string cannot fail");
    }
    let mut child = Command::new("python3")
        .arg(here.join("peers/interleaving.py"))
        .arg(target)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    child.stdin.take().expect("it is piped").write_all(lines.as_bytes())?;
    let output = child.wait_with_output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
