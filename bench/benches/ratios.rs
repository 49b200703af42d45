//! Speed as ratios taken in one run: `cargo bench -p tiltyard-bench --bench ratios [-- --check]`.
//!
//! With `--check`, the exit code is 1 if a target is missed. Without `--bench`, which `cargo bench`
//! passes and `cargo test` does not, everything runs once and briefly, to check that it works.

#![expect(clippy::print_stdout, reason = "this program prints a table")]

use std::env;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rand::RngExt;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tiltyard_bandit::params::Context;
use tiltyard_bandit::policy::registry::{self, Visitor};
use tiltyard_bandit::policy::{Policy, Rex3};
use tiltyard_bandit::{Spec, Stream};
use tiltyard_bench::{
    Contestant, LEAST, PlainRex3, ProcessorTime, TimedWorld, Timing, line_up, median, navigational, race,
};
use tiltyard_lab::play::{Job, Progress, play};
use tiltyard_world::builtin::builtin_matrix;
use tiltyard_world::{MatrixWorld, World};

fn main() -> ExitCode {
    let has = |flag: &str| env::args().any(|arg| arg == flag);
    let effort = if has("--bench") { Effort::FULL } else { Effort::BRIEF };
    let (world, told) = navigational();
    let matrix = TimedWorld::new(world);
    println!("{ABOUT}\nThe matrix of 136 arms was {told}.");

    let mut rows = Vec::new();
    told_if_busy("ratios of one thread", || {
        rows.extend(against_the_twin(effort, &matrix));
        rows.extend(against_size(effort));
    });
    rows.extend(against_threads(effort));
    println!("\n## Ratios\n");
    print_table(
        &["name", "ns per round", "against", "ratio", "target", "verdict"],
        &rows.iter().map(Row::cells).collect::<Vec<_>>(),
    );

    println!("\n## Nanoseconds per round (not judged)\n\n{ABOUT_NANOS}\n");
    told_if_busy("table of nanoseconds", || print_nanos(effort, &matrix));

    println!("\n## Every policy (not judged)\n\n{ABOUT_EVERY}\n");
    told_if_busy("table of every policy", || print_every_policy(effort, &matrix));

    println!("\n## Nanoseconds per call of the exponential function (not judged)\n\n{ABOUT_EXP}\n");
    told_if_busy("exponentials", || print_exponentials(effort));

    let count = |verdict| rows.iter().filter(|row| row.judged && row.verdict() == verdict).count();
    let n_missed = count(Verdict::Missed);
    println!(
        "\nTargets: {} ok, {n_missed} MISSED, {} not measured",
        count(Verdict::Ok),
        count(Verdict::NotMeasured)
    );
    if n_missed > 0 && has("--check") { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// If a thread waits less than this share of its time, the machine does not disturb the ratios.
const QUIET: f64 = 0.02;

/// Two threads on two processors disturb each other a little even if nothing else runs.
const QUIET_THREADS: f64 = 0.05;

/// Measures something on this one thread, and says whether other programs made it wait.
fn told_if_busy(name: &str, measure: impl FnOnce()) {
    let before = ProcessorTime::now();
    measure();
    let Some((before, after)) = before.zip(ProcessorTime::now()) else { return };
    let share = after.since(before).share_waiting();
    let word = if share < QUIET { "quiet" } else { "BUSY: other programs ran, so measure again" };
    println!(
        "During the {name} this thread waited for a processor {:.1} % of the time: {word}.",
        100.0 * share
    );
}

const ABOUT: &str = "\
# Speed of Tiltyard, as ratios taken in one run

A round is a whole one: propose, issue, duel, regret, update, through the loop that `play` uses. The arms are in their
own order unless a row says otherwise; `play` shuffles them. The contestants of a comparison take turns, A B C A B C
..., on one thread, for a million rounds each, which take 50 ms or more. The time shown is the median over turns. The
ratio is the median over turns of this row's time divided by the time of the row that it is compared with. Smaller is
better, and a target is an upper limit. Machines like this one are noisy: the nanoseconds vary by tens of percent, the
ratios by a few. Measure again if a ratio narrowly misses its target, and compare nanoseconds only within one table.
";

const ABOUT_NANOS: &str = "\
Matrix worlds for 6 (arxiv6), 30 (savage30) and 136 arms, Bernoulli utilities for more. A million rounds from the start,
or as many as fill 50 ms if a round takes more than a microsecond. A star marks fewer rounds than arms: such a policy
has not seen most of its arms yet.";

const ABOUT_EVERY: &str = "\
Whole rounds from the start to T = 1e5 (fewer if a round takes more than some microseconds). The aim is for the matrix
of 136 arms. Growth is the time with 1024 arms divided by the time with 136, for Bernoulli utilities; a cost of O(K)
would make it 7.5.";

const ABOUT_EXP: &str = "\
Sums of 4096 independent values, with arguments uniform on [-30, 0]. The crate's own exponential is private and not
listed.";

/// How long to measure.
#[derive(Debug, Clone, Copy)]
struct Effort {
    repetitions: usize,
    least: Duration,
    /// Rounds in one repetition.
    rounds: u64,
    /// Rounds in one run of the job that is spread over threads.
    job_rounds: u64,
}

impl Effort {
    const FULL: Self = Self { repetitions: 9, least: LEAST, rounds: 1_000_000, job_rounds: 200_000 };
    const BRIEF: Self =
        Self { repetitions: 1, least: Duration::from_micros(100), rounds: 1000, job_rounds: 1000 };
}

/// A line of the table of ratios.
#[derive(Debug)]
struct Row {
    name: String,
    nanos: Option<f64>,
    against: &'static str,
    ratio: Option<f64>,
    target: Option<f64>,
    /// Whether a missed target counts.
    judged: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Ok,
    Missed,
    /// Reported, without a judgement.
    Reported,
    /// The system does not report it, or the machine was busy.
    NotMeasured,
}

impl Row {
    /// A contestant that others are measured against.
    fn base(timing: &Timing) -> Self {
        Self {
            name: timing.name.clone(),
            nanos: Some(timing.median()),
            against: "",
            ratio: Some(1.0),
            target: None,
            judged: false,
        }
    }

    /// A contestant that must take at most `target` times as long as another.
    fn judged(timing: &Timing, base: &Timing, against: &'static str, target: f64) -> Self {
        let ratio = Some(timing.over(base));
        Self { against, ratio, target: Some(target), judged: true, ..Self::base(timing) }
    }

    /// The same without a verdict.
    fn reported(timing: &Timing, base: &Timing, against: &'static str) -> Self {
        Self { target: None, judged: false, ..Self::judged(timing, base, against, 1.0) }
    }

    fn verdict(&self) -> Verdict {
        match (self.ratio, self.target) {
            (None, _) => Verdict::NotMeasured,
            (Some(ratio), Some(target)) if self.judged => {
                // Written positively so that NaN misses.
                if ratio <= target { Verdict::Ok } else { Verdict::Missed }
            }
            _ => Verdict::Reported,
        }
    }

    fn cells(&self) -> Vec<String> {
        let number = |number: Option<f64>, digits: usize| {
            number.map_or_else(String::new, |number| format!("{number:.digits$}"))
        };
        let verdict = match self.verdict() {
            Verdict::Ok => "ok",
            Verdict::Missed => "MISSED",
            Verdict::Reported if self.target.is_some() => "noisy, not judged",
            Verdict::Reported => "",
            Verdict::NotMeasured => "not measured",
        };
        vec![
            self.name.clone(),
            number(self.nanos, 1),
            self.against.to_owned(),
            number(self.ratio, 3),
            number(self.target, 3),
            verdict.to_owned(),
        ]
    }
}

/// The tree of sums against a softmax over all arms in each round.
fn against_the_twin(effort: Effort, matrix: &TimedWorld<MatrixWorld>) -> Vec<Row> {
    let rounds = effort.rounds;
    let n_arms = matrix.world().n_arms();
    let timings = race(
        &mut [
            Contestant::whole_rounds(
                "plain O(K) twin, matrix, 136 arms",
                rounds,
                PlainRex3::new(n_arms),
                matrix,
            ),
            Contestant::whole_rounds("REX3, matrix, 136 arms", rounds, Rex3::new(n_arms), matrix),
        ],
        effort.repetitions,
    );
    vec![Row::base(&timings[0]), Row::judged(&timings[1], &timings[0], "the twin", 1.0 / 3.0)]
}

/// Many arms against 136.
fn against_size(effort: Effort) -> Vec<Row> {
    let Effort { repetitions, rounds, .. } = effort;
    let [small, large, huge] = [136, 1024, 1_000_000].map(TimedWorld::bernoulli);
    let shuffled = huge.clone().shuffled();
    let timings = race(
        &mut [
            Contestant::whole_rounds("REX3, utilities, 136 arms", rounds, Rex3::new(136), &small),
            Contestant::whole_rounds("REX3, utilities, 1024 arms", rounds, Rex3::new(1024), &large),
            Contestant::whole_rounds("REX3, utilities, 1e6 arms", rounds, Rex3::new(1_000_000), &huge),
            Contestant::whole_rounds(
                "REX3, utilities, 1e6 arms, shuffled as in `play`",
                rounds,
                Rex3::new(1_000_000),
                &shuffled,
            ),
            Contestant::whole_rounds(
                "REX3, utilities, 1e6 arms, learned weights",
                rounds,
                learned(1_000_000),
                &huge,
            ),
        ],
        repetitions,
    );
    let [small, large, huge, shuffled, learned] = &timings[..] else { unreachable!("five contestants") };
    let against = "136 arms, utilities";
    vec![
        Row::base(small),
        Row::judged(large, small, against, 3.0),
        // In its first million rounds it meets most arms for the first time: half of the draws are
        // uniform, the others nearly so.
        Row::judged(huge, small, against, 8.0),
        Row::reported(shuffled, small, against),
        Row::reported(learned, small, against),
    ]
}

/// A REX3 after a thousand duels per arm, which left log-weights spread over [0, 5]. It exploits
/// more than it explores (gamma is 0.1 for a million arms), and its draws descend to leaves all
/// over the tree.
fn learned(n_arms: usize) -> Rex3 {
    let round = 1000 * n_arms as u64;
    let mut policy = Rex3::new(n_arms);
    let mut start = |sums| {
        policy.warm_start(round, sums).expect("finite sums, one per arm");
        policy.gamma() / n_arms as f64
    };
    let scale = start(vec![0.0; n_arms]);
    let mut rng = Stream::new(1).rng();
    start((0..n_arms).map(|_| 5.0 * rng.random::<f64>() / scale).collect());
    policy
}

/// One job on two threads against the same job on one.
fn against_threads(effort: Effort) -> Vec<Row> {
    let policies = ["rex3", "sparring:player=exp3", "sparring:player=ucb1", "random"];
    let job = Job {
        world: "savage30".to_owned(),
        policies: policies.map(|text| text.parse().expect("names of policies")).to_vec(),
        lenient: false,
        checkpoints: vec![effort.job_rounds],
        runs: 16,
        seed: 1,
        regret: None,
    };
    // Both pools exist throughout, so that every reading of the processor time sees the same
    // threads.
    let pools =
        [1, 2].map(|n| ThreadPoolBuilder::new().num_threads(n).build().expect("threads can be started"));
    let mut readings = Vec::new();
    for turn in 0..=effort.repetitions {
        let reading = pools.each_ref().map(|pool| Reading::of(pool, &job));
        if turn > 0 {
            readings.push(reading);
        }
    }
    // If threads queue for a processor, other programs slow them down, or there is only one
    // processor. Such turns say nothing about this program. Turns in which threads sleep stay,
    // because that is its own doing.
    readings.retain(|reading| {
        reading.iter().all(|reading| reading.share_waiting.is_none_or(|share| share < QUIET_THREADS))
    });
    println!(
        "The threads had their own processors in {} of {} turns; the other turns do not count.",
        readings.len(),
        effort.repetitions
    );
    let row = |name: &str, target, judged, of: fn(&Reading) -> Option<f64>| {
        let numbers = |[one, two]: &[Reading; 2]| {
            let (one_took, two_took) = (of(one)?, of(two)?);
            Some((two_took / two.rounds * 1e9, two_took / one_took))
        };
        let (nanos, ratios): (Vec<f64>, Vec<f64>) = readings.iter().filter_map(numbers).unzip();
        let middle = |numbers: &[f64]| if numbers.is_empty() { None } else { Some(median(numbers)) };
        Row {
            name: format!("savage30 on two threads: {name}"),
            nanos: middle(&nanos),
            against: "one thread",
            ratio: middle(&ratios),
            target: Some(target),
            judged,
        }
    };
    vec![
        row("processor time", 1.05, true, |reading| reading.processor),
        row("time in runs, as `play` reports it", 1.05, false, |reading| Some(reading.reported)),
        row("wall-clock time", 0.55, false, |reading| Some(reading.wall)),
    ]
}

/// The time that one job took, in seconds.
#[derive(Debug)]
struct Reading {
    processor: Option<f64>,
    /// The share of its runnable time that a thread spent in the queue.
    share_waiting: Option<f64>,
    reported: f64,
    wall: f64,
    rounds: f64,
}

impl Reading {
    fn of(pool: &ThreadPool, job: &Job) -> Self {
        let (start, before) = (Instant::now(), ProcessorTime::now());
        let report = pool.install(|| play(job, &Progress::default())).expect("the job is valid");
        let (wall, after) = (start.elapsed(), ProcessorTime::now());
        let spent = before.zip(after).map(|(before, after)| after.since(before));
        Self {
            processor: spent.map(|spent| spent.running.as_secs_f64()),
            share_waiting: spent.map(ProcessorTime::share_waiting),
            reported: report.policies.iter().map(|policy| policy.time.as_secs_f64()).sum(),
            wall: wall.as_secs_f64(),
            rounds: report.policies.iter().map(|policy| policy.rounds as f64).sum(),
        }
    }
}

/// One line of the table per entry, and one column per size.
const ENTRANTS: [(&str, &str); 7] = [
    ("rex3, fixed", "rex3:gmax=T/2"),
    ("rex3, literal", "rex3:schedule=literal"),
    ("rex3, dual averaging", "rex3"),
    ("sparring, exp3", "sparring:player=exp3"),
    ("sparring, ucb1", "sparring:player=ucb1"),
    ("sparring, thompson", "sparring:player=thompson"),
    ("random", "random"),
];

fn print_nanos(effort: Effort, matrix: &TimedWorld<MatrixWorld>) {
    let builtin = |name| TimedWorld::new(MatrixWorld::new(builtin_matrix(name).expect("a built-in matrix")));
    let entrants = ENTRANTS.map(|(name, text)| (name.to_owned(), text.parse().expect("names of policies")));
    let columns = [
        timings(effort, &builtin("arxiv6"), &entrants, effort.rounds),
        timings(effort, &builtin("savage30"), &entrants, effort.rounds),
        timings(effort, matrix, &entrants, effort.rounds),
        timings(effort, &TimedWorld::bernoulli(1024), &entrants, effort.rounds),
        timings(effort, &TimedWorld::bernoulli(1_000_000), &entrants, effort.rounds),
    ];
    let sizes = [6, 30, 136, 1024, 1_000_000];
    let cell = |timing: &Timing, n_arms: u64| {
        format!("{:.1}{}", timing.median(), if timing.rounds < n_arms { " *" } else { "" })
    };
    let rows: Vec<Vec<String>> = entrants
        .iter()
        .enumerate()
        .map(|(i, (name, _))| {
            let cells = columns.iter().zip(sizes).map(|(column, n_arms)| cell(&column[i], n_arms));
            [name.clone()].into_iter().chain(cells).collect()
        })
        .collect();
    print_table(&["policy", "6 arms", "30 arms", "136 arms", "1024 arms", "1e6 arms"], &rows);
}

/// The largest time that a round with 136 arms should take, in nanoseconds, if there is an aim.
fn aim(policy: &str) -> Option<u32> {
    Some(match policy {
        "rex3" => 80,
        "sparring:player=exp3" => 250,
        "rucb" => 1000,
        "btm" | "savage" | "mergerucb" => 300,
        "if1" | "if2" => 100,
        "feedexp3" => 200,
        "dts" | "selfsparring" => 20_000,
        "vdb" | "ccb" => 2000,
        "rmed1" => 1500,
        _ => return None,
    })
}

fn print_every_policy(effort: Effort, matrix: &TimedWorld<MatrixWorld>) {
    let entrants: Vec<_> = line_up().into_iter().map(|spec| (spec.to_string(), spec)).collect();
    let rounds = effort.rounds / 10;
    let times = timings(effort, matrix, &entrants, rounds);
    let small = timings(effort, &TimedWorld::bernoulli(136), &entrants, rounds);
    let large = timings(effort, &TimedWorld::bernoulli(1024), &entrants, rounds);
    let rows: Vec<Vec<String>> = entrants
        .iter()
        .enumerate()
        .map(|(i, (name, _))| {
            vec![
                name.clone(),
                format!("{:.0}", times[i].median()),
                aim(name).map_or_else(String::new, |aim| aim.to_string()),
                format!("{:.0}", small[i].median()),
                format!("{:.0}", large[i].median()),
                format!("{:.1}", large[i].median() / small[i].median()),
            ]
        })
        .collect();
    print_table(&["policy", "matrix, 136", "aim", "utilities, 136", "utilities, 1024", "growth"], &rows);
}

/// Times these policies in turn, for this many rounds, or fewer if a round is slow.
fn timings<W: World>(
    effort: Effort,
    world: &TimedWorld<W>,
    entrants: &[(String, Spec)],
    rounds: u64,
) -> Vec<Timing> {
    let context = Context { n_arms: world.world().n_arms(), horizon: Some(rounds) };
    let enter = |(name, spec): &(String, Spec)| {
        let mut rng = Stream::new(1).label("setup").rng();
        let mut contestant = registry::visit(spec, context, &mut rng, Enter { name: name.clone(), world })
            .expect("these parameters are legal");
        contestant.calibrate(effort.least);
        // If a round takes hardly more than a microsecond, all such policies play the same number
        // of rounds.
        if contestant.rounds() >= rounds / 20 {
            contestant.set_rounds(rounds);
        }
        contestant
    };
    let mut contestants: Vec<_> = entrants.iter().map(enter).collect();
    race(&mut contestants, effort.repetitions)
}

/// Makes a contestant of the policy that the registry passes to it.
struct Enter<'a, W: World> {
    name: String,
    world: &'a TimedWorld<W>,
}

impl<'a, W: World> Visitor for Enter<'a, W> {
    type Output = Contestant<'a>;

    fn visit<P: Policy + 'static>(self, policy: P, _: Vec<(&'static str, String)>) -> Contestant<'a> {
        Contestant::whole_rounds(self.name, 1, policy, self.world)
    }
}

fn print_exponentials(effort: Effort) {
    let mut rng = Stream::new(1).rng();
    let arguments: Vec<f64> = (0..4096).map(|_| -30.0 * rng.random::<f64>()).collect();
    let mut contestants = [
        exponential("f64::exp", effort, &arguments, f64::exp),
        exponential("libm::exp", effort, &arguments, libm::exp),
        exponential("neither (the loop)", effort, &arguments, |x| x),
    ];
    let timings = race(&mut contestants, effort.repetitions);
    let rows: Vec<_> =
        timings.iter().map(|timing| vec![timing.name.clone(), format!("{:.2}", timing.median())]).collect();
    print_table(&["function", "ns per call"], &rows);
}

/// Generic, so that a function can be inlined.
fn exponential<'a>(
    name: &str,
    effort: Effort,
    arguments: &'a [f64],
    exp: impl Fn(f64) -> f64 + 'a,
) -> Contestant<'a> {
    Contestant::new(name, effort.rounds * 20, move |rounds| {
        let start = Instant::now();
        for _ in 0..rounds.div_ceil(arguments.len() as u64) {
            black_box(arguments.iter().map(|&x| exp(x)).sum::<f64>());
        }
        start.elapsed()
    })
}

/// A table that is readable both as text and as Markdown. All columns except the first are aligned
/// to the right.
fn print_table(head: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &[&str]| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        println!("| {} |", padded.collect::<Vec<_>>().join(" | "));
    };
    line(head);
    let rules = widths.iter().enumerate().map(|(column, &width)| match column {
        0 => "-".repeat(width + 2),
        _ => format!("{}:", "-".repeat(width + 1)),
    });
    println!("|{}|", rules.collect::<Vec<_>>().join("|"));
    for row in rows {
        line(&row.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
