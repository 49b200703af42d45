//! Experiments: runs a specification, or a part of it, into a directory, and merges parts.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tiltyard_lab::Progress;
use tiltyard_lab::figure::{figures_of, html_page, numbered};
use tiltyard_lab::merge::merge;
use tiltyard_lab::plan::{Items, Shard};
use tiltyard_lab::results::Results;
use tiltyard_lab::runner::{Ending, Experiment, RunError, Target, run_experiment};
use tiltyard_lab::spec::{Specification, SpecificationError};

use crate::argument::fitting;
use crate::error::{Raised, raise};
use crate::interrupt;
use crate::table::Table;

/// The revision of the source, for manifests. The binary writes it in the same way.
const REVISION: Option<&str> = option_env!("TILTYARD_REVISION");

enum Failed {
    Specification(SpecificationError),
    Run(RunError),
}

/// Runs part (i, n) of a specification into a directory, as `tiltyard run --shard i/n` does.
///
/// Returns `resumed` (runs finished before), `lost_bytes` (of a damaged journal) and
/// `already_complete`. After an interruption, finished runs are kept in the directory, and
/// `resume=True` continues.
#[pyfunction]
#[pyo3(signature = (text, directory, *, origin="specification", shard=None, resume=false, data=None, seed=None, threads=None, tell=None))]
#[expect(clippy::too_many_arguments, reason = "one per keyword argument of Python")]
pub(crate) fn run_specification<'py>(
    py: Python<'py>,
    text: &str,
    directory: PathBuf,
    origin: &str,
    #[pyo3(from_py_with = fitting)] shard: Option<(u64, u64)>,
    resume: bool,
    data: Option<PathBuf>,
    #[pyo3(from_py_with = fitting)] seed: Option<u64>,
    #[pyo3(from_py_with = fitting)] threads: Option<usize>,
    tell: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let shard = shard.map_or(Ok(Shard::WHOLE), read_shard)?;
    let specification = read(origin, text, seed)?;
    let work = move |progress: &Progress| {
        let mut experiment =
            Experiment::new(&specification, data.as_deref()).map_err(Failed::Specification)?;
        let target = Target { directory: &directory, resume, shard, revision: REVISION };
        run_experiment(&mut experiment, &target, progress).map_err(Failed::Run)
    };
    let ending = interrupt::run(py, threads, tell, work)?.map_err(|failed| match failed {
        Failed::Specification(error) => raise(error),
        Failed::Run(error) => raise(error),
    })?;
    let facts = PyDict::new(py);
    match ending {
        Ending::Complete { resumed, lost_bytes } => {
            facts.set_item("resumed", resumed)?;
            facts.set_item("lost_bytes", lost_bytes)?;
            facts.set_item("already_complete", false)?;
        }
        Ending::AlreadyComplete => {
            facts.set_item("resumed", 0)?;
            facts.set_item("lost_bytes", 0)?;
            facts.set_item("already_complete", true)?;
        }
        Ending::Stopped { done, total } => {
            let message = format!("stopped; {done} of {total} runs are finished and saved");
            let raised = Raised::new("JobStopped", message).with("done", &done).with("total", &total);
            return Err(raised.hint("to continue, pass `resume=True`").into());
        }
        _ => {}
    }
    Ok(facts)
}

/// The work that a specification describes: `title`, `hash`, `items`, `rounds`.
#[pyfunction]
#[pyo3(signature = (text, *, origin="specification", data=None, seed=None))]
pub(crate) fn plan_specification<'py>(
    py: Python<'py>,
    text: &str,
    origin: &str,
    data: Option<PathBuf>,
    #[pyo3(from_py_with = fitting)] seed: Option<u64>,
) -> PyResult<Bound<'py, PyDict>> {
    let specification = read(origin, text, seed)?;
    let experiment =
        interrupt::run(py, None, None, move |_| Experiment::new(&specification, data.as_deref()))?
            .map_err(raise)?;
    let items = Items::of(&experiment.plan);
    let facts = PyDict::new(py);
    facts.set_item("title", &experiment.title)?;
    facts.set_item("hash", experiment.identity.hash())?;
    facts.set_item("items", items.len())?;
    facts.set_item("rounds", (0..items.len()).map(|item| items.get(item).rounds()).sum::<u64>())?;
    Ok(facts)
}

/// Merges the shards in these directories. The result has the same bytes as a run in one place.
#[pyfunction]
#[pyo3(signature = (shards, out, /))]
pub(crate) fn merge_shards(py: Python<'_>, shards: Vec<PathBuf>, out: PathBuf) -> PyResult<()> {
    interrupt::run(py, Some(1), None, move |_| merge(&shards, &out, REVISION))?.map_err(raise)
}

/// The table of the results in a directory.
#[pyfunction]
#[pyo3(signature = (directory, /))]
pub(crate) fn read_results(py: Python<'_>, directory: PathBuf) -> PyResult<Table> {
    Table::of_series(&open(py, directory)?.series)
}

/// Draws results as `tiltyard plot` does, into a file that ends in .svg or .html.
///
/// Returns the files written: many worlds make several figures.
#[pyfunction]
#[pyo3(signature = (directory, path, /))]
pub(crate) fn draw_results(py: Python<'_>, directory: PathBuf, path: PathBuf) -> PyResult<Vec<PathBuf>> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if !["svg", "html"].contains(&ending.as_str()) {
        let message = format!("the name `{}` does not say which format the figure has", path.display());
        let raised = Raised::new("FigureKind", message).with("path", &path);
        return Err(raised.hint("use a name that ends in .svg or .html").into());
    }
    let results = open(py, directory)?;
    let figures = figures_of(&results);
    let files: Vec<(PathBuf, String)> = if ending == "html" {
        vec![(path, html_page(&results.manifest.title, &figures))]
    } else {
        let figures = figures.iter().enumerate();
        figures.map(|(i, figure)| (numbered(&path, i), figure.to_svg())).collect()
    };
    for (path, text) in &files {
        std::fs::write(path, text)?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

fn open(py: Python<'_>, directory: PathBuf) -> PyResult<Results> {
    interrupt::run(py, Some(1), None, move |_| Results::open(&directory))?.map_err(raise)
}

fn read(origin: &str, text: &str, seed: Option<u64>) -> PyResult<Specification> {
    let mut specification = Specification::parse(origin, text).map_err(raise)?;
    specification.seed = seed.unwrap_or(specification.seed);
    Ok(specification)
}

fn read_shard((index, count): (u64, u64)) -> PyResult<Shard> {
    Shard::new(index, count).ok_or_else(|| {
        let message = format!("shard {index} of {count} does not exist: the first is 1, the last {count}");
        Raised::new("NoSuchShard", message).with("index", &index).with("count", &count).into()
    })
}
