//! Writes `docs/which-algorithm.md` from the specifications in `crates/lab/specs/guide`: every
//! policy in every world, and advice for someone who has to choose. `cargo xtask guide` runs it.
//!
//! `guide DIRECTORY` plays everything that is not in the directory yet, and prints the page. It can
//! be stopped and continued.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that writes a page")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tiltyard_lab::Progress;
use tiltyard_lab::plan::Shard;
use tiltyard_lab::results::Results;
use tiltyard_lab::runner::{Experiment, Target, run_experiment};
use tiltyard_lab::spec::Specification;

mod advice;
mod page;
mod score;
mod situations;

type Failure = Box<dyn std::error::Error>;

/// The specifications, by name.
const PARTS: [(&str, &str); 6] = [
    ("few", include_str!("../../specs/guide/few.toml")),
    ("many", include_str!("../../specs/guide/many.toml")),
    ("circles", include_str!("../../specs/guide/circles.toml")),
    ("changing", include_str!("../../specs/guide/changing.toml")),
    ("late", include_str!("../../specs/guide/late.toml")),
    ("nodes", include_str!("../../specs/guide/nodes.toml")),
];

fn main() -> ExitCode {
    let Some(directory) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: guide DIRECTORY");
        return ExitCode::from(2);
    };
    match PARTS.iter().map(|part| play(part, &directory)).collect::<Result<Vec<_>, _>>() {
        Ok(results) => {
            println!("{}", page::page(&results).trim_end());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The results of a specification, played if they do not exist yet.
fn play(&(id, text): &(&str, &str), directory: &Path) -> Result<Results, Failure> {
    let specification = Specification::parse(&format!("{id}.toml"), text)?;
    let mut experiment = Experiment::new(&specification, None)?;
    let directory = directory.join(id);
    let target = Target { directory: &directory, resume: true, shard: Shard::WHOLE, revision: None };
    let progress = Progress::default();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| tell(id, &progress, &done));
        let end = run_experiment(&mut experiment, &target, &progress);
        done.store(true, Ordering::Relaxed);
        end
    })?;
    Ok(Results::open(&directory)?)
}

/// Reports every ten seconds how far a part has come.
fn tell(id: &str, progress: &Progress, done: &AtomicBool) {
    let mut ticks = 0u32;
    while !done.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
        ticks += 1;
        if ticks.is_multiple_of(100) {
            eprintln!("{id}: {:.1} %", 100.0 * progress.done() as f64 / progress.total().max(1) as f64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiltyard_bandit::params::Context;
    use tiltyard_bandit::policy::{AnyPolicy, registry};
    use tiltyard_bandit::{Spec, Stream};

    fn specification(id: &str, text: &str) -> Experiment {
        let specification = Specification::parse(id, text).unwrap_or_else(|error| panic!("{error}"));
        Experiment::new(&specification, None).unwrap_or_else(|error| panic!("{error}"))
    }

    fn build(spec: &Spec) -> AnyPolicy {
        let context = Context { n_arms: 10, horizon: Some(1000) };
        registry::build(spec, context, &mut Stream::new(1).rng()).expect("ten arms suit every policy")
    }

    /// Whether outcomes may be late.
    fn may_wait(spec: &Spec) -> bool {
        let mut policy = build(spec);
        let mut rng = Stream::new(1).rng();
        policy.decide(&mut rng).expect("nothing is in flight");
        policy.propose(&mut rng).is_ok()
    }

    /// Whether several nodes can share what the policy learned.
    fn may_be_several(spec: &Spec) -> bool {
        build(spec).additive().is_some()
    }

    /// A policy that is compared at all is compared wherever it can play. A new policy is in no
    /// specification until somebody adds it to all of them and plays them.
    #[test]
    fn trace_every_policy_is_compared_wherever_it_can_play() {
        let policies = |id, text| -> Vec<String> {
            specification(id, text).plan.policies.into_iter().map(|policy| policy.policy).collect()
        };
        let (first, text) = PARTS[0];
        let covered = policies(first, text);
        for (id, text) in PARTS {
            let may_play = |spec: &Spec| match id {
                "late" => may_wait(spec),
                "nodes" => may_be_several(spec) && may_wait(spec),
                _ => true,
            };
            let expected: Vec<&String> =
                covered.iter().filter(|spec| may_play(&spec.parse().expect("it was played"))).collect();
            assert_eq!(policies(id, text).iter().collect::<Vec<_>>(), expected, "{id}.toml");
        }
    }

    /// Each situation finds its worlds.
    #[test]
    fn trace_situations_name_worlds_that_are_played() {
        let worlds: Vec<String> = PARTS
            .iter()
            .flat_map(|(id, text)| specification(id, text).plan.worlds)
            .map(|world| world.name)
            .collect();
        for situation in situations::ALL {
            for world in situation.worlds {
                assert!(worlds.iter().any(|name| name == world), "{}: {world}", situation.title);
            }
        }
    }

    /// The numbers take an hour. This test only checks that the page belongs to these
    /// specifications.
    #[test]
    fn trace_the_page_was_made_by_these_specifications() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/which-algorithm.md");
        let written = std::fs::read_to_string(path).expect("the page exists");
        for (id, text) in PARTS {
            let hash = specification(id, text).identity.hash();
            assert!(written.contains(&page::mark(id, &hash)), "{id}: run `cargo xtask guide`");
        }
        for situation in situations::ALL {
            assert!(written.contains(&format!("### {}", situation.title)), "{}", situation.title);
        }
    }
}
