//! Fuzzes every reader of files: no panic, and memory in proportion to the input.
//!
//! This mutational fuzzer runs on stable Rust. It cuts and splices the inputs of a small corpus and
//! adds words of the format. Guidance by coverage, as in `cargo fuzz`, needs instrumentation of
//! nightly compilers. Instead, an input joins the corpus if it makes a reader give a new kind of
//! answer, apart from numbers and quoted text. The same seed gives the same inputs.
//!
//! ```text
//! cargo test --test fuzz                              20,000 inputs
//! cargo test --release --test fuzz -- --amount 1e6    a million inputs; `60s` runs for a minute
//! cargo test --release --test fuzz -- --seed 7        other inputs
//! ```
//!
//! To fuzz a new reader, add an entry to `targets.rs`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test without a harness")]

mod mutate;
mod targets;

use std::alloc::System;
use std::collections::BTreeSet;
use std::panic;
use std::time::{Duration, Instant};

use rand::RngExt;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use tiltyard_bandit::Stream;

use mutate::mutate;
use targets::{TARGETS, Target};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How many bytes a reader may allocate for each byte that it reads. Allocations are added up over
/// the whole input, so the reader holds less at any time. A matrix of `0,0,...` takes eight bytes
/// for two bytes of input, twice that while its vector grows, and is copied once. A short line of a
/// TREC file becomes several strings and map entries.
const BYTES_A_BYTE: usize = 64;

/// The limit on the length of an input: long enough for several queries, short enough for many
/// inputs.
const LONGEST: usize = 4096;

#[derive(Clone, Copy)]
enum Amount {
    Inputs(u64),
    Time(Duration),
}

fn main() {
    let (amount, seed) = arguments();
    the_allocator_is_counted();
    // `Fuzzer::run` reports panics together with the input.
    panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let mut fuzzers: Vec<Fuzzer> = TARGETS.iter().map(|target| Fuzzer::new(target, seed)).collect();
    let mut n_inputs = 0;
    'all: loop {
        for fuzzer in &mut fuzzers {
            let enough = match amount {
                Amount::Inputs(most) => n_inputs >= most,
                // Do not read the clock for every input.
                Amount::Time(most) => n_inputs % 256 == 0 && start.elapsed() >= most,
            };
            if enough {
                break 'all;
            }
            fuzzer.step();
            n_inputs += 1;
        }
    }
    for fuzzer in &fuzzers {
        println!(
            "{:<17} {:>9} inputs, {:>4} kinds of answers, at most {:>2.0} % of the allowed memory",
            fuzzer.target.name,
            fuzzer.n_inputs,
            fuzzer.answers.len(),
            100.0 * fuzzer.hungriest,
        );
        // A fuzzer that always gets the same answer does not work.
        assert!(n_inputs < 1000 || fuzzer.answers.len() >= 4, "{}: {:?}", fuzzer.target.name, fuzzer.answers);
    }
    println!("test fuzz: {n_inputs} inputs in {:.1} s, seed {seed} ... ok", start.elapsed().as_secs_f64());
}

/// Unknown words are ignored, because they are meant for a test harness.
fn arguments() -> (Amount, u64) {
    let (mut amount, mut seed) = (Amount::Inputs(20_000), 1);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--amount" => {
                let text = words.next().expect("--amount 1e6 or --amount 60s");
                amount = match text.strip_suffix('s') {
                    Some(seconds) => {
                        Amount::Time(Duration::from_secs(seconds.parse().expect("whole seconds")))
                    }
                    None => Amount::Inputs(inputs(&text)),
                };
            }
            "--seed" => {
                seed = words.next().and_then(|text| text.parse().ok()).expect("--seed and a whole number");
            }
            _ => {}
        }
    }
    (amount, seed)
}

fn inputs(text: &str) -> u64 {
    let number: f64 = text.parse().expect("a number of inputs such as 1e6");
    assert!(number.fract() == 0.0 && (1.0..1e15).contains(&number), "a whole number of inputs");
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and in range")]
    let number = number as u64;
    number
}

/// One target with its corpus.
struct Fuzzer {
    target: &'static Target,
    corpus: Vec<Vec<u8>>,
    stream: Stream,
    n_inputs: u64,
    answers: BTreeSet<String>,
    /// The largest share of the allowed memory that an input used.
    hungriest: f64,
}

impl Fuzzer {
    fn new(target: &'static Target, seed: u64) -> Self {
        let stream = Stream::new(seed).label("fuzz").label(target.name);
        let mut fuzzer = Self {
            target,
            corpus: Vec::new(),
            stream,
            n_inputs: 0,
            answers: BTreeSet::new(),
            hungriest: 0.0,
        };
        // First unchanged, because the corpus itself must pass.
        for input in (target.corpus)() {
            fuzzer.run(input);
        }
        assert!(!fuzzer.corpus.is_empty(), "{}: no corpus", target.name);
        fuzzer
    }

    fn step(&mut self) {
        let mut rng = self.stream.index(self.n_inputs).rng();
        let mut input = self.corpus[rng.random_range(0..self.corpus.len())].clone();
        let other = &self.corpus[rng.random_range(0..self.corpus.len())];
        mutate(&mut input, other, self.target.dictionary, &mut rng);
        input.truncate(LONGEST);
        self.n_inputs += 1;
        self.run(input);
    }

    fn run(&mut self, input: Vec<u8>) {
        let name = self.target.name;
        let region = Region::new(GLOBAL);
        let result = panic::catch_unwind(|| (self.target.run)(&input));
        let asked = region.change().bytes_allocated;
        let Ok(reading) = result else {
            // Remove the silent hook, so that the next panic is shown.
            let _ = panic::take_hook();
            panic!("{name} panics on b\"{}\"", input.escape_ascii());
        };
        let limit = BYTES_A_BYTE * reading.length + self.target.besides;
        if asked > limit {
            let _ = panic::take_hook();
            panic!("{name} allocates {asked} bytes, more than {limit}, on b\"{}\"", input.escape_ascii());
        }
        self.hungriest = self.hungriest.max(asked as f64 / limit as f64);
        if self.answers.insert(kind(&reading.answer)) {
            self.corpus.push(input);
        }
    }
}

/// An answer without the parts that depend on the input: digits, and the text between the first and
/// the last backtick.
fn kind(answer: &str) -> String {
    let quoted = answer.find('`').unwrap_or(answer.len())..answer.rfind('`').unwrap_or(answer.len());
    let plain = answer[..quoted.start].chars().chain(answer[quoted.end..].chars());
    plain.filter(|c| !c.is_ascii_digit()).collect()
}

/// Without a counting allocator, every reader would pass.
fn the_allocator_is_counted() {
    let region = Region::new(GLOBAL);
    drop(std::hint::black_box(vec![0_u8; 1000]));
    assert!(region.change().bytes_allocated >= 1000);
}
