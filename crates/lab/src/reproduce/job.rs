//! Runs figures and experiments as one job and writes them to one directory.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use tiltyard_bandit::hint::{Fault, FrontEnd, Hint};
use tiltyard_bandit::matrix::PreferenceMatrix;
use tiltyard_world::builtin::WorldError;

use super::draw;
use super::matrices::{self, Row};
use super::paper::Paper;
use super::report::{Report, Section, Sources, rankings};
use super::report_directory::{
    ExperimentFacts, Outcome, ReportDirectory, ReportDirectoryError, ReportManifest, Verdicts,
};
use super::scale::Scale;
use super::selection::Selection;
use crate::claim::{Evidence, Finding, Verdict, check_all};
use crate::engine::Experiment;
use crate::engine::Progress;
use crate::engine::matrix_cache::MatrixCache;
use crate::engine::plan::{Items, PlannedWorld, Shard, Source};
use crate::engine::prepared_world::PreparedWorld;
use crate::engine::runner::{self, RunError, Target, run_experiment};
use crate::engine::throughput::Throughput;
use crate::results::{Machine, Results, ResultsError};
use crate::spec::{Specification, SpecificationError};

/// A request to reproduce a paper.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The paper and its selected figures.
    pub selection: Selection,
    /// How many runs and rounds.
    pub scale: Scale,
    /// The seed; 1 if none is given.
    pub seed: Option<u64>,
    /// The directory of real data, if available.
    pub data: Option<&'a Path>,
    /// The directory of the report.
    pub out: &'a Path,
    /// The revision of the source, for the manifest.
    pub revision: Option<&'a str>,
}

/// A prepared request, ready to run.
#[derive(Debug)]
pub struct Job<'a> {
    request: Request<'a>,
    manifest: ReportManifest,
    experiments: Vec<(&'static str, Experiment)>,
    matrices: Vec<Row>,
    begun: Instant,
}

/// How a job ended.
#[derive(Debug)]
pub enum Ending {
    /// The report is written.
    Complete(Box<Reproduced>),
    /// The job was stopped; finished runs are kept.
    Stopped,
}

/// A finished report.
#[derive(Debug)]
pub struct Reproduced {
    /// The path of `report.html`.
    pub report: PathBuf,
    /// The findings on all claims.
    pub findings: Vec<Finding>,
    /// The number of runs that had been finished in earlier sessions.
    pub resumed: u64,
}

impl Reproduced {
    /// The number of claims with each verdict.
    pub fn verdicts(&self) -> Verdicts {
        Verdicts::of(self.findings.iter().map(|finding| finding.judgement.verdict))
    }

    /// The ids of the claims with this verdict.
    pub fn with(&self, verdict: Verdict) -> Vec<&'static str> {
        let wanted = self.findings.iter().filter(|finding| finding.judgement.verdict == verdict);
        wanted.map(|finding| finding.claim.id).collect()
    }
}

impl<'a> Job<'a> {
    /// Prepares the directory and builds the worlds, on the threads of the current rayon pool. None
    /// if it was stopped before the end.
    ///
    /// # Errors
    ///
    /// If the directory contains something else, or a world cannot be built.
    pub fn prepare(request: Request<'a>, progress: &Progress) -> Result<Option<Self>, ReproduceError> {
        let begun = Instant::now();
        if let Some(path) = request.data.filter(|path| !path.is_dir()) {
            return Err(ReproduceError::NoData { path: path.to_owned() });
        }
        let specifications = request
            .selection
            .specifications()
            .into_iter()
            .map(|(id, text)| {
                let mut specification = Specification::parse(&format!("{id}.toml"), text)?;
                request
                    .scale
                    .cut(&mut specification, request.paper().beside.iter().any(|beside| beside.0 == id));
                specification.seed = request.seed.unwrap_or(specification.seed);
                Ok((id, specification))
            })
            .collect::<Result<Vec<_>, SpecificationError>>()?;
        let manifest = ReportManifest::new(
            request.paper(),
            request.scale.name,
            request.seed.unwrap_or(1),
            request.revision,
        );
        ReportDirectory(request.out).enter(&manifest)?;
        let mut cache = MatrixCache::default();
        let mut experiments = Vec::new();
        for (id, specification) in specifications {
            if progress.is_stopped() {
                return Ok(None);
            }
            experiments.push((id, Experiment::with_cache(&specification, request.data, &mut cache)?));
        }
        let matrices = if request.paper().has_matrices {
            matrices::table(&mut cache, request.data, request.selection.matrices)?
        } else {
            Vec::new()
        };
        Ok(Some(Self { request, manifest, experiments, matrices, begun }))
    }

    /// The paper to reproduce.
    pub fn paper(&self) -> &'static Paper {
        self.request.paper()
    }

    /// The rounds of all runs, including runs that are already finished.
    pub fn rounds(&self) -> u64 {
        self.experiments.iter().map(|(_, experiment)| rounds(experiment)).sum()
    }

    /// The number of runs of all experiments.
    pub fn runs(&self) -> u64 {
        self.experiments.iter().map(|(_, experiment)| Items::of(&experiment.plan).len()).sum()
    }

    /// The number of worlds that are stand-ins for missing data, and the number of worlds from real
    /// data.
    pub fn stand_ins(&self) -> (usize, usize) {
        let count = |source| {
            let worlds = self.experiments.iter().flat_map(|(_, experiment)| &experiment.plan.worlds);
            worlds.filter(|world| world.source == source).count()
        };
        (count(Source::StandIn), count(Source::Data))
    }

    /// The counts for the report: rows of the table of matrices if the paper has one, otherwise
    /// worlds.
    fn sources(&self) -> Sources {
        if self.paper().has_matrices {
            let count = |source| self.matrices.iter().filter(|row| row.source == source).count();
            return Sources { stand_ins: count(Source::StandIn), real: count(Source::Data) };
        }
        let (stand_ins, real) = self.stand_ins();
        Sources { stand_ins, real }
    }

    /// Runs everything on the threads of the current rayon pool and writes the report. The numbers
    /// depend neither on the number of threads nor on how often the job was killed.
    ///
    /// # Errors
    ///
    /// If something cannot be written, or existing files are not from this job.
    pub fn run(mut self, progress: &Progress) -> Result<Ending, ReproduceError> {
        let (mut evidence, mut sections, mut resumed) = (Evidence::new(), Vec::new(), 0);
        for row in &self.matrices {
            evidence.add_matrix(row.name, row.matrix.clone(), row.source);
        }
        let totals: Vec<u64> = self.experiments.iter().map(|(_, experiment)| rounds(experiment)).collect();
        let all: u64 = totals.iter().sum();
        let (mut before, mut played) = (0, Throughput::default());
        for ((id, experiment), &total) in self.experiments.iter_mut().zip(&totals) {
            let (id, after) = (*id, all - before - total);
            // An average over all policies and worlds.
            let nanoseconds = after as f64 * played.nanoseconds_per_round(rayon::current_num_threads());
            let time_after = Duration::try_from_secs_f64(nanoseconds / 1e9).unwrap_or(Duration::MAX);
            progress.begin_one_of_several(before, after, time_after);
            let start = Instant::now();
            let matrices = matrices_of(experiment);
            let directory = &self.request.out.join("results").join(id);
            let target =
                Target { directory, resume: true, shard: Shard::WHOLE, revision: self.request.revision };
            match run_experiment(experiment, &target, progress)? {
                runner::Ending::Stopped { .. } => return Ok(Ending::Stopped),
                runner::Ending::AlreadyComplete => resumed += Items::of(&experiment.plan).len(),
                runner::Ending::Complete { resumed: found, .. } => {
                    resumed += found;
                    if found == 0 {
                        played.add(total, start.elapsed());
                    }
                }
            }
            before += total;
            // Worlds take memory, and the next experiment has its own worlds.
            experiment.worlds.clear();
            let results = Results::open(directory)?;
            evidence.add_figure(id, results.series.iter().cloned());
            sections.push(self.request.section(id, results, &matrices)?);
            if !self.request.paper().has_matrices {
                for (name, matrix, source) in matrices {
                    evidence.add_matrix(name, matrix, source);
                }
            }
        }
        let findings = check_all(self.request.paper().claims, &evidence);
        self.write(&sections, findings, resumed).map(Ending::Complete)
    }

    fn write(
        mut self,
        sections: &[Section],
        findings: Vec<Finding>,
        resumed: u64,
    ) -> Result<Box<Reproduced>, ReproduceError> {
        let directory = ReportDirectory(self.request.out);
        let json = serde_json::to_string_pretty(&findings).expect("plain data");
        directory.write("claims.json", json.as_bytes())?;
        let experiments = sections.iter().map(|section| section.facts.clone()).collect();
        self.manifest.outcome = Some(Outcome {
            finished: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |now| now.as_secs()),
            elapsed_seconds: self.begun.elapsed().as_secs_f64(),
            machine: Machine::this(),
            experiments,
            verdicts: Verdicts::of(findings.iter().map(|finding| finding.judgement.verdict)),
        });
        let report = Report {
            paper: self.request.paper(),
            manifest: &self.manifest,
            sections,
            matrices: &self.matrices,
            sources: self.sources(),
            findings: &findings,
        };
        directory.write(REPORT, report.to_html().as_bytes())?;
        directory.write_manifest(&self.manifest)?;
        Ok(Box::new(Reproduced { report: self.request.out.join(REPORT), findings, resumed }))
    }
}

pub(crate) const REPORT: &str = "report.html";

impl Request<'_> {
    fn paper(&self) -> &'static Paper {
        self.selection.paper
    }

    /// Draws the figures of an experiment and collects its facts for the report.
    fn section(
        &self,
        id: &'static str,
        results: Results,
        matrices: &[WorldMatrix],
    ) -> Result<Section, ReproduceError> {
        let entry = self.paper().figures.iter().find(|entry| entry.id == id);
        let figures = entry.map(|entry| draw::draw(entry.drawing, &results, matrices)).unwrap_or_default();
        for figure in &figures {
            ReportDirectory(self.out).write(&format!("figures/{id}.svg"), figure.to_svg().as_bytes())?;
            // 192 dots per inch, as in `tiltyard plot`.
            ReportDirectory(self.out).write(&format!("figures/{id}.png"), &figure.to_png(2.0)?)?;
        }
        let rankings = rankings(&results);
        let manifest = results.manifest;
        let facts = ExperimentFacts {
            id: id.to_owned(),
            title: manifest.title.clone(),
            hash: manifest.hash.clone(),
            results_sha256: manifest.results_sha256.clone(),
            data: draw::data(&manifest),
            runs: Items::of(&manifest.plan).len(),
            rounds: manifest.rounds,
            seconds: manifest.seconds,
        };
        let real = |series: &&crate::results::Series| {
            let world = manifest.plan.worlds.iter().find(|world| world.name == series.world);
            world.is_some_and(|world| world.source != Source::StandIn)
        };
        let references = super::reference::compare(results.series.iter().filter(real));
        Ok(Section { about: entry.map_or("", |entry| entry.about), facts, figures, rankings, references })
    }
}

/// A world's name, its matrix, and the source of the matrix.
pub(super) type WorldMatrix = (String, PreferenceMatrix, Source);

/// The matrices of the worlds whose arms are the same in every run.
fn matrices_of(experiment: &Experiment) -> Vec<WorldMatrix> {
    let worlds = experiment.plan.worlds.iter().zip(&experiment.worlds);
    let matrix = |(planned, prepared): (&PlannedWorld, &Option<PreparedWorld>)| {
        let matrix = prepared.as_ref()?.matrix()?.clone();
        Some((planned.name.clone(), matrix, planned.source))
    };
    worlds.filter_map(matrix).collect()
}

/// The rounds of all runs of an experiment.
fn rounds(experiment: &Experiment) -> u64 {
    let items = Items::of(&experiment.plan);
    (0..items.len()).map(|item| items.get(item).rounds()).sum()
}

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum ReproduceError {
    /// The data directory does not exist. Continuing with stand-ins would surprise a user who named
    /// it.
    #[error("the data directory {} does not exist", path.display())]
    NoData { path: PathBuf },
    /// The directory cannot be used for a report.
    #[error(transparent)]
    Place(#[from] ReportDirectoryError),
    /// A figure cannot be run, most likely because a file of the data directory is invalid.
    #[error(transparent)]
    Specification(#[from] SpecificationError),
    /// A matrix of the table cannot be built.
    #[error(transparent)]
    Matrix(#[from] WorldError),
    /// Runs failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The results of this job cannot be read.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// A figure cannot be drawn.
    #[error(transparent)]
    Png(#[from] crate::figure::PngError),
}

impl Hint for ReproduceError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::NoData { .. } => vec![format!(
                "leave out {} and TILTYARD_DATA to use synthetic matrices instead",
                front.option("data")
            )],
            Self::Place(error) => error.hints(front),
            Self::Specification(error) => error.hints(front),
            Self::Matrix(error) => error.hints(front),
            // A report continues without `--resume`.
            Self::Run(RunError::Write { .. }) => {
                vec![format!("free some disk space; then {} continues the job", front.again())]
            }
            Self::Run(error) => error.hints(front),
            Self::Results(error) => error.hints(front),
            Self::Png(_) => Vec::new(),
        }
    }

    fn fault(&self) -> Fault {
        match self {
            Self::NoData { .. } | Self::Specification(_) | Self::Matrix(_) | Self::Results(_) => Fault::Input,
            Self::Place(error) => error.fault(),
            Self::Run(error) => error.fault(),
            Self::Png(_) => Fault::Machine,
        }
    }
}

#[cfg(test)]
mod tests;
