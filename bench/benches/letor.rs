//! The LETOR reader against scikit-learn's `load_svmlight_file`, in turn on the same file.
//!
//! ```text
//! cargo bench -p tiltyard-bench --bench letor [-- FILE]
//! ```
//!
//! The file is the MSLR sample if there is one (its ids are numbers, and scikit-learn reads nothing
//! else), otherwise a synthetic collection of its shape. It is read plain and compressed. The
//! comparison needs Python. Without Python or scikit-learn, the row says so.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and may fail")]

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use flate2::Compression;
use flate2::write::GzEncoder;
use tiltyard_bench::{ProcessorTime, median};
use tiltyard_world::collection::{LetorReader, Queries, Query, write_letor};

/// Turns that count.
const TURNS: usize = 5;

/// The reader must be at least this many times as fast.
const TARGET: f64 = 5.0;

fn main() {
    if std::env::args().any(|word| word == "--test") {
        return;
    }
    let directory = scratch();
    let named = std::env::args().skip(1).find(|word| !word.starts_with("--"));
    let data = std::env::var_os("TILTYARD_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    let sample = data.join("ltr/mslr_161q.svm.gz");
    let name = match named {
        Some(name) => name,
        None if sample.exists() => sample.display().to_string(),
        None => "synthetic:like=mslr".to_owned(),
    };
    let plain = directory.join("letor.txt");
    let mut writer = BufWriter::new(File::create(&plain).unwrap());
    for query in Queries::open(&[name.as_str()]).unwrap() {
        write_letor(&query.unwrap(), &mut writer).unwrap();
    }
    writer.flush().unwrap();
    let packed = directory.join("letor.txt.gz");
    compress(&plain, &packed);
    println!("{}", name_of(&name));
    for (path, kind) in [(&plain, "plain"), (&packed, "gzip")] {
        compare(path, kind);
    }
}

fn name_of(name: &str) -> String {
    Path::new(name).file_name().map_or_else(|| name.to_owned(), |name| name.to_string_lossy().into_owned())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// A directory of this program below the target directory.
fn scratch() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let directory = target.join("peers");
    fs::create_dir_all(&directory).unwrap();
    directory
}

fn compress(plain: &Path, packed: &Path) {
    let mut encoder = GzEncoder::new(File::create(packed).unwrap(), Compression::default());
    io::copy(&mut File::open(plain).unwrap(), &mut encoder).unwrap();
    encoder.finish().unwrap();
}

fn compare(path: &Path, kind: &str) {
    let megabytes = fs::metadata(path).unwrap().len() as f64 / 1e6;
    let (mut ours, mut kept, mut ratios, mut theirs, mut cpu_ratios) =
        (vec![], vec![], vec![], vec![], vec![]);
    let mut version = None;
    for turn in 0..=TURNS {
        let (stream, _) = timed(|| count(path));
        let (collect, cpu) =
            timed(|| LetorReader::open(path).unwrap().map(Result::unwrap).collect::<Vec<_>>().len());
        let peer = peer(path);
        // The first turn warms the disk cache.
        if turn == 0 {
            continue;
        }
        ours.push(stream);
        kept.push(collect);
        if let Some(peer) = peer {
            theirs.push(peer.wall);
            ratios.push(peer.wall / collect);
            cpu_ratios.extend(cpu.map(|cpu| peer.cpu / cpu));
            version = Some(peer.version);
        }
    }
    println!("{kind}, {megabytes:.1} MB on disk");
    println!("  ours, one query at a time  {:>7.1} ms", 1e3 * median(&ours));
    println!("  ours, all queries kept     {:>7.1} ms", 1e3 * median(&kept));
    let Some(version) = version else {
        println!("  scikit-learn               not measured: no Python with scikit-learn");
        return;
    };
    println!("  scikit-learn {version:<13} {:>7.1} ms", 1e3 * median(&theirs));
    let verdict = if median(&ratios) >= TARGET { "ok" } else { "MISSED" };
    let cpu = if cpu_ratios.is_empty() { f64::NAN } else { median(&cpu_ratios) };
    println!(
        "  scikit-learn over ours, all kept: {:.1} (wall), {cpu:.1} (processor); target {TARGET}: {verdict}",
        median(&ratios)
    );
}

/// Wall-clock and processor seconds.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, Option<f64>) {
    let (start, before) = (Instant::now(), ProcessorTime::now());
    std::hint::black_box(work());
    let wall = start.elapsed().as_secs_f64();
    let cpu = ProcessorTime::now().zip(before).map(|(now, before)| now.since(before).running.as_secs_f64());
    (wall, cpu.filter(|&cpu| cpu > 0.0))
}

fn count(path: &Path) -> usize {
    let mut reader = LetorReader::open(path).unwrap();
    let mut query = Query::new("");
    let mut n_values = 0;
    while reader.read_into(&mut query).unwrap() {
        n_values += query.n_values();
    }
    n_values
}

struct Peer {
    version: String,
    wall: f64,
    cpu: f64,
}

fn peer(path: &Path) -> Option<Peer> {
    let script = root().join("bench/peers/letor.py");
    let output = Command::new("python3").arg(script).arg(path).stderr(Stdio::inherit()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let field = |name: &str| {
        let rest = text.split(&format!("\"{name}\": ")).nth(1)?;
        Some(rest.split([',', '}']).next()?.trim_matches('"').to_owned())
    };
    Some(Peer {
        version: field("version")?,
        wall: field("wall")?.parse().ok()?,
        cpu: field("cpu")?.parse().ok()?,
    })
}
