//! Figures and experiments as one job, into one directory.

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
    ExperimentFacts, Outcome, ReportDirectoryError, ReportDirectory, ReportManifest, Verdicts,
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

/// What a person asked for.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// Which figures of which paper.
    pub selection: Selection,
    /// How much of them.
    pub scale: Scale,
    /// Another seed than 1.
    pub seed: Option<u64>,
    /// The directory of real data, where there is one.
    pub data: Option<&'a Path>,
    /// The directory of the report.
    pub out: &'a Path,
    /// The revision of the source, for the manifest.
    pub revision: Option<&'a str>,
}

/// A request with everything ready to run.
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
    /// The report is there.
    Complete(Box<Reproduced>),
    /// It was stopped; what was finished is kept.
    Stopped,
}

/// A finished report.
#[derive(Debug)]
pub struct Reproduced {
    /// `report.html`.
    pub report: PathBuf,
    /// Every claim.
    pub findings: Vec<Finding>,
    /// Runs that had been finished before.
    pub resumed: u64,
}

impl Reproduced {
    /// How many claims have which verdict.
    pub fn verdicts(&self) -> Verdicts {
        Verdicts::of(self.findings.iter().map(|finding| finding.judgement.verdict))
    }

    /// The ids of claims with a verdict.
    pub fn with(&self, verdict: Verdict) -> Vec<&'static str> {
        let wanted = self.findings.iter().filter(|finding| finding.judgement.verdict == verdict);
        wanted.map(|finding| finding.claim.id).collect()
    }
}

impl<'a> Job<'a> {
    /// Takes the directory and makes the worlds, on the threads of the current rayon pool; none if
    /// it was asked to stop on the way.
    ///
    /// # Errors
    ///
    /// If the directory holds something else, or a world cannot be made.
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

    /// The paper.
    pub fn paper(&self) -> &'static Paper {
        self.request.paper()
    }

    /// Rounds of all runs, those that may have been finished before included.
    pub fn rounds(&self) -> u64 {
        self.experiments.iter().map(|(_, experiment)| rounds(experiment)).sum()
    }

    /// Runs of all experiments.
    pub fn runs(&self) -> u64 {
        self.experiments.iter().map(|(_, experiment)| Items::of(&experiment.plan).len()).sum()
    }

    /// How many worlds are stand-ins for data that is not there; how many are real.
    pub fn stand_ins(&self) -> (usize, usize) {
        let count = |source| {
            let worlds = self.experiments.iter().flat_map(|(_, experiment)| &experiment.plan.worlds);
            worlds.filter(|world| world.source == source).count()
        };
        (count(Source::StandIn), count(Source::Data))
    }

    /// What the report counts: rows of the table of matrices where there is one, else worlds.
    fn sources(&self) -> Sources {
        if self.paper().has_matrices {
            let count = |source| self.matrices.iter().filter(|row| row.source == source).count();
            return Sources { stand_ins: count(Source::StandIn), real: count(Source::Data) };
        }
        let (stand_ins, real) = self.stand_ins();
        Sources { stand_ins, real }
    }

    /// Runs everything on the threads of the current rayon pool, and writes the report. Numbers do
    /// not depend on how many there are, nor on how often the job was killed on the way.
    ///
    /// # Errors
    ///
    /// If something cannot be written, or what is there is not what this job would have written.
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
            // All policies and worlds taken together.
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
            // Worlds take memory, and the next experiment has its own.
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

    /// Draws what is to be drawn of an experiment.
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
            // 192 dots an inch, as `tiltyard plot` draws.
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

/// The matrix of a world: the world's name, the matrix, and where it comes from.
pub(super) type WorldMatrix = (String, PreferenceMatrix, Source);

/// The matrices of an experiment whose arms are the same in every run.
fn matrices_of(experiment: &Experiment) -> Vec<WorldMatrix> {
    let worlds = experiment.plan.worlds.iter().zip(&experiment.worlds);
    let matrix = |(planned, prepared): (&PlannedWorld, &Option<PreparedWorld>)| {
        let matrix = prepared.as_ref()?.matrix()?.clone();
        Some((planned.name.clone(), matrix, planned.source))
    };
    worlds.filter_map(matrix).collect()
}

/// Rounds of all runs of an experiment.
fn rounds(experiment: &Experiment) -> u64 {
    let items = Items::of(&experiment.plan);
    (0..items.len()).map(|item| items.get(item).rounds()).sum()
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// There is no such data directory. To go on with stand-ins would be a surprise to whoever
    /// named it.
    #[error("the data directory {} is not there", path.display())]
    NoData {
        /// The directory.
        path: PathBuf,
    },
    /// The directory cannot take it.
    #[error(transparent)]
    Place(#[from] ReportDirectoryError),
    /// A figure cannot be run: a file of the data directory is refused, most likely.
    #[error(transparent)]
    Specification(#[from] SpecificationError),
    /// A matrix of the table cannot be made.
    #[error(transparent)]
    Matrix(#[from] WorldError),
    /// Runs failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Results that were just written cannot be read.
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
                "without {} and TILTYARD_DATA synthetic matrices stand in",
                front.option("data")
            )],
            Self::Place(error) => error.hints(front),
            Self::Specification(error) => error.hints(front),
            Self::Matrix(error) => error.hints(front),
            // The report is continued without being asked to.
            Self::Run(RunError::Write { .. }) => {
                vec![format!("make room; then {} continues it", front.again())]
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
