use std::convert::Infallible;

use tempfile::TempDir;

use super::*;
use crate::results::Results;
use crate::results::directory::{MANIFEST, RESULTS, SUMMARY};
use crate::spec::Specification;

const SPECIFICATION: &str = "runs = 4\nhorizon = 300\ncheckpoints = [300]\nhorizons = [100]\n[[world]]\nworld = \"cyclic4\"\n\
                             [[policy]]\npolicy = \"rex3\"\n[[policy]]\npolicy = \"rex3:gmax=T/2\"\n";

const POINTS: &str = "runs = 3\nhorizon = 200\ncheckpoints = [50, 200]\nhorizons = [200]\n\
                      [[world]]\nworld = \"linear-ranker:dims=3\"\n\
                      [[policy]]\npolicy = \"dbgd\"\n[[policy]]\npolicy = \"dbgd:tuning=practice\"\n";

fn experiment_of(text: &str) -> Experiment {
    Experiment::new(&Specification::parse("a.toml", text).unwrap(), None).unwrap()
}

fn experiment() -> Experiment {
    experiment_of(SPECIFICATION)
}

fn target(directory: &Path, shard: Shard) -> Target<'_> {
    Target { directory, resume: true, shard, revision: None }
}

fn run(directory: &Path) -> Result<Ending, RunError> {
    run_experiment(&mut experiment(), &target(directory, Shard::WHOLE), &Progress::default())
}

fn bytes(directory: &Path) -> [Vec<u8>; 2] {
    assert_eq!(fs::read_dir(directory).unwrap().count(), 3, "three files and nothing else");
    [RESULTS, SUMMARY].map(|name| fs::read(directory.join(name)).unwrap())
}

fn finished() -> (TempDir, [Vec<u8>; 2]) {
    let directory = tempfile::tempdir().unwrap();
    let ending = run(directory.path()).unwrap();
    assert_eq!(ending, Ending::Complete { resumed: 0, lost_bytes: 0 });
    let bytes = bytes(directory.path());
    (directory, bytes)
}

fn half_done() -> TempDir {
    half_done_of(&experiment())
}

/// A job whose journal holds every other item, as a killed process leaves it.
fn half_done_of(experiment: &Experiment) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let hash = experiment.identity.hash();
    enter(experiment, &target(directory.path(), Shard::WHOLE), &hash).unwrap();
    let items = Items::of(&experiment.plan);
    let path = directory.path().join(JOURNAL);
    let (journal, _) = Journal::open(&path, &hash, items.len(), |_| None, |_| ()).unwrap();
    let journal = Mutex::new(journal);
    let queue = Queue::of(&items, |item| item % 2 == 0);
    let scheduler = Scheduler {
        items,
        worlds: &experiment.worlds,
        specs: &experiment.specs,
        seed: experiment.identity.seed,
        permute: experiment.identity.permute,
    };
    let end = scheduler.run_all(queue, &Progress::default(), |item, run, time| {
        journal.lock().unwrap().append(&Record { item, time, run }).unwrap();
        Ok::<_, Infallible>(())
    });
    assert_eq!(end, Ok(End::Complete));
    directory
}

/// 4 runs of the anytime policy and 4 times 2 horizons of the other policy are 12 items; 6 of them
/// are done. Each item has one point, so a record has 12 bytes of frame, 56 of facts, and 9 for the
/// point.
#[test]
fn law_a_torn_journal_ends_with_the_same_bytes() {
    let (_whole, expected) = finished();
    for cut in 0..=77 {
        let directory = half_done();
        let journal = directory.path().join(JOURNAL);
        let length = fs::metadata(&journal).unwrap().len();
        fs::OpenOptions::new().write(true).open(&journal).unwrap().set_len(length - cut).unwrap();
        let resumed = if cut == 0 { 6 } else { 5 };
        // If the whole record is gone, no bytes are left to skip.
        let lost_bytes = if cut == 0 || cut == 77 { 0 } else { 77 - cut };
        assert_eq!(run(directory.path()).unwrap(), Ending::Complete { resumed, lost_bytes }, "cut by {cut}");
        assert!(bytes(directory.path()) == expected, "cut by {cut}");
    }
}

/// Three runs of a policy that needs the horizon and three of one that does not: six items, three
/// of them done.
#[test]
fn law_duels_of_points_resume_with_the_same_bytes_on_any_number_of_threads() {
    let run_on = |threads, directory: &Path| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let target = target(directory, Shard::WHOLE);
        pool.install(|| run_experiment(&mut experiment_of(POINTS), &target, &Progress::default())).unwrap()
    };
    let (whole, half) = (tempfile::tempdir().unwrap(), half_done_of(&experiment_of(POINTS)));
    run_on(1, whole.path());
    assert_eq!(run_on(3, half.path()), Ending::Complete { resumed: 3, lost_bytes: 0 });
    assert!(bytes(half.path()) == bytes(whole.path()));
    let results = Results::open(whole.path()).unwrap();
    let run = &results.series[1].runs[2];
    assert!(run.regret[0] > 0.0 && run.regret[1] > run.regret[0] && run.best.as_arm().is_none());
}

#[test]
fn trace_killed_while_the_files_were_written() {
    let (whole, expected) = finished();
    let manifest = fs::read(whole.path().join(MANIFEST)).unwrap();

    // Killed after the table and half of the summary were written.
    let directory = half_done();
    fs::write(directory.path().join(RESULTS), &expected[0]).unwrap();
    fs::write(directory.path().join("summary.csv.part"), "world,").unwrap();
    assert!(matches!(run(directory.path()), Ok(Ending::Complete { resumed: 6, .. })));
    assert!(bytes(directory.path()) == expected);

    // Killed after all files were written and before the journal was removed.
    let directory = half_done();
    for (name, bytes) in [(RESULTS, &expected[0]), (SUMMARY, &expected[1]), (MANIFEST, &manifest)] {
        fs::write(directory.path().join(name), bytes).unwrap();
    }
    assert_eq!(run(directory.path()).unwrap(), Ending::AlreadyComplete);
    assert!(bytes(directory.path()) == expected);

    // Killed while it wrote `job.json`.
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("job.json.part"), "{").unwrap();
    assert!(matches!(run(directory.path()), Ok(Ending::Complete { resumed: 0, .. })));
    assert!(bytes(directory.path()) == expected);
}

#[test]
fn trace_stopped_before_it_began() {
    let (_whole, expected) = finished();
    let directory = tempfile::tempdir().unwrap();
    let progress = Progress::default();
    progress.stop();
    let target = target(directory.path(), Shard::WHOLE);
    let ending = run_experiment(&mut experiment(), &target, &progress).unwrap();
    assert_eq!(ending, Ending::Stopped { done: 0, total: 12 });
    assert_eq!(progress.total(), 4 * 300 + 4 * (100 + 300));
    let again = run_experiment(&mut experiment(), &Target { resume: false, ..target }, &Progress::default());
    assert!(matches!(again, Err(RunError::Unfinished { .. })));
    assert!(matches!(run(directory.path()), Ok(Ending::Complete { .. })));
    assert!(bytes(directory.path()) == expected);
}

#[test]
fn trace_results_that_cannot_be_opened() {
    let message = |directory: &Path| Results::open(directory).unwrap_err().to_string();
    let (whole, expected) = finished();
    let results = Results::open(whole.path()).unwrap();
    assert_eq!(results.manifest.short_hash().len(), 12);
    assert_eq!(results.series.len(), 2);
    assert_eq!(results.series[1].runs[3].regret.len(), 2);

    assert!(message(half_done().path()).ends_with("is not finished"));
    assert!(message(tempfile::tempdir().unwrap().path()).starts_with("there are no results in "));

    let shard = tempfile::tempdir().unwrap();
    let part = target(shard.path(), Shard { index: 2, count: 3 });
    run_experiment(&mut experiment(), &part, &Progress::default()).unwrap();
    assert!(message(shard.path()).ends_with("holds shard 2/3 of a job, not all of it"));

    // A changed byte anywhere, a truncated file, and a missing file.
    let table = whole.path().join(RESULTS);
    for at in (0..expected[0].len()).step_by(101) {
        let mut bytes = expected[0].clone();
        bytes[at] ^= 0x10;
        fs::write(&table, bytes).unwrap();
        assert!(message(whole.path()).contains("is damaged: its SHA-256"), "byte {at}");
    }
    fs::write(&table, &expected[0][..50]).unwrap();
    assert!(matches!(run(whole.path()), Err(RunError::Results(ResultsError::Changed { .. }))));
    fs::remove_file(&table).unwrap();
    assert!(message(whole.path()).starts_with("cannot read "));

    let manifest = whole.path().join(MANIFEST);
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replacen("\"seed\": 1", "\"seed\": 2", 2)).unwrap();
    assert!(message(whole.path()).ends_with("the stated hash is not the hash of the identity"));
    fs::write(&manifest, text.replace("\"format\": 1", "\"format\": 9")).unwrap();
    assert!(message(whole.path()).ends_with("has format 9, but this version reads format 1"));
    fs::write(&manifest, &text[..100]).unwrap();
    assert!(message(whole.path()).contains("manifest.json is damaged: EOF"));
}

/// Figures and manifests contain the hash, so it may change only if the identity changes.
#[test]
fn stable_hash() {
    let hash = experiment().identity.hash();
    assert_eq!(hash, "f74143a943a573b87a07ea554b55475ffc57a1aa5bbde2f21fdb669ed1cc3bba");
    // Titles and labels do not matter.
    let titled = SPECIFICATION
        .replace("runs = 4", "title = \"x\"\nruns = 4")
        .replace("\"cyclic4\"", "\"cyclic4\"\nlabel = \"C\"");
    let titled = Experiment::new(&Specification::parse("b.toml", &titled).unwrap(), None).unwrap();
    assert_eq!(titled.identity.hash(), hash);
}
