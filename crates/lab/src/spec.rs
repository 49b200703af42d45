//! Specifications: TOML files that describe experiments.
//!
//! `docs/specification.md` describes every field. A mistake is reported with file, line and field.

mod error;
mod grid;
mod number;
mod rounds;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use tiltyard_bandit::Spec;
use tiltyard_world::Regret;
use toml::Spanned;

pub use error::{Problem, SpecificationError};
pub use rounds::Rounds;

use grid::Values;
use number::{Count, Whole};

/// The worlds, policies, runs and rounds of an experiment.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Specification {
    /// The name of the file, for messages.
    pub origin: String,
    /// The text as written.
    pub text: String,
    /// The title, for people.
    pub title: String,
    /// The seed of everything random.
    pub seed: u64,
    /// The regret to measure; each world's own if `None`.
    pub regret: Option<Regret>,
    /// Runs per policy.
    pub runs: u64,
    /// Runs per policy that needs the horizon.
    pub runs_fixed_horizon: u64,
    /// Whether policies see the arms in a random order, drawn for each run.
    pub permute: bool,
    /// The length of a run.
    pub horizon: u64,
    /// Rounds at which curves are recorded.
    pub checkpoints: Rounds,
    /// The horizons of policies that need one.
    pub horizons: Rounds,
    pub worlds: Vec<WorldEntry>,
    /// The policies, with grids expanded.
    pub policies: Vec<PolicyEntry>,
}

/// A `[[world]]` of a specification.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldEntry {
    /// The line of the entry, and the line of its arms.
    pub(crate) line: usize,
    pub(crate) arms_line: usize,
    pub(crate) location: WorldLocation,
    pub(crate) name: Option<String>,
    pub(crate) label: Option<String>,
    /// The numbers of arms to cut the world down to; empty for all arms.
    pub(crate) arms: Vec<usize>,
    pub(crate) draw: Draw,
    pub(crate) horizon: Option<u64>,
}

/// The source of a world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WorldLocation {
    /// A text as `play --world` accepts it.
    Named(String),
    /// A file in the data directory, and a replacement for it.
    Data { file: String, otherwise: Option<StandInWorld>, otherwise_label: Option<String> },
}

/// A world that replaces missing data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StandInWorld {
    /// A text as `play --world` accepts it.
    pub(crate) text: String,
    /// The number of its first arms to use, if it has more arms than the data.
    pub(crate) arms: Option<usize>,
}

/// How a world is cut down to fewer arms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Draw {
    /// Drawn anew in each run, without forcing the winner in.
    #[default]
    Random,
    /// The first arms.
    First,
}

/// A policy of a specification.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyEntry {
    pub(crate) line: usize,
    pub(crate) spec: Spec,
    pub(crate) label: String,
    pub(crate) swept: Vec<(String, String)>,
}

impl Specification {
    /// Reads a specification from a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not well formed.
    pub fn read(path: &Path) -> Result<Self, SpecificationError> {
        let origin = path.display().to_string();
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&origin, &text),
            Err(error) => Err(SpecificationError::new(&origin, None, "", Problem::Unreadable(error))),
        }
    }

    /// Parses a text. `origin` names it in messages.
    ///
    /// # Errors
    ///
    /// If the text is not well formed. [`Experiment::new`](crate::runner::Experiment::new) checks
    /// whether the worlds and policies exist.
    pub fn parse(origin: &str, text: &str) -> Result<Self, SpecificationError> {
        let page = Page { origin, text };
        let raw: Raw = toml::from_str(text).map_err(|error| page.toml(&error))?;
        let regret = match &raw.regret {
            None => None,
            Some(word) => match word.get_ref().parse() {
                Ok(regret) => Some(regret),
                Err(error) => return Err(page.error(&word.span(), "regret", Problem::Regret(error))),
            },
        };
        if raw.world.is_empty() {
            return Err(page.whole(Problem::NoWorlds));
        }
        if raw.policy.is_empty() {
            return Err(page.whole(Problem::NoPolicies));
        }
        let runs = raw.runs.0;
        let horizon = raw.horizon.0;
        let worlds = raw.world.into_iter().map(|world| page.world(world)).collect::<Result<Vec<_>, _>>()?;
        let longest = worlds.iter().map(|world| world.horizon.unwrap_or(horizon)).max().unwrap_or(horizon);
        let mut policies: Vec<PolicyEntry> = Vec::new();
        for policy in raw.policy {
            page.policy(policy, &mut policies)?;
        }
        Ok(Self {
            origin: origin.to_owned(),
            text: text.to_owned(),
            title: raw.title.unwrap_or_else(|| origin.to_owned()),
            seed: raw.seed.map_or(1, |Whole(seed)| seed),
            regret,
            runs,
            runs_fixed_horizon: raw.runs_fixed_horizon.map_or(runs, |Count(runs)| runs),
            permute: raw.permute.unwrap_or(true),
            horizon,
            checkpoints: page.rounds(raw.checkpoints, "checkpoints", Rounds::CHECKPOINTS, longest)?,
            horizons: page.rounds(raw.horizons, "horizons", Rounds::HORIZONS, longest)?,
            worlds,
            policies,
        })
    }

    pub(crate) fn error(&self, line: usize, field: &str, problem: Problem) -> SpecificationError {
        SpecificationError::new(&self.origin, Some(line), field, problem)
    }
}

/// The fields of the file, as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    title: Option<String>,
    seed: Option<Whole>,
    regret: Option<Spanned<String>>,
    runs: Count,
    runs_fixed_horizon: Option<Count>,
    permute: Option<bool>,
    horizon: Count,
    checkpoints: Option<Spanned<Rounds>>,
    horizons: Option<Spanned<Rounds>>,
    #[serde(default)]
    world: Vec<Spanned<RawWorld>>,
    #[serde(default)]
    policy: Vec<Spanned<RawPolicy>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawWorld {
    world: Option<Spanned<String>>,
    data: Option<Spanned<String>>,
    otherwise: Option<Spanned<String>>,
    otherwise_arms: Option<Spanned<Count>>,
    otherwise_label: Option<Spanned<String>>,
    name: Option<Spanned<String>>,
    label: Option<String>,
    arms: Option<Spanned<Vec<Count>>>,
    draw: Option<Spanned<Draw>>,
    horizon: Option<Count>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPolicy {
    policy: Spanned<String>,
    label: Option<String>,
    #[serde(default)]
    grid: BTreeMap<String, Spanned<Values>>,
}

fn as_arms(Count(n): Count) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// A text with the name of its file, to report where something is wrong.
#[derive(Clone, Copy)]
struct Page<'a> {
    origin: &'a str,
    text: &'a str,
}

impl Page<'_> {
    fn line(self, offset: usize) -> usize {
        let before = self.text.get(..offset).unwrap_or(self.text);
        1 + before.bytes().filter(|&byte| byte == b'\n').count()
    }

    fn error(self, span: &Range<usize>, field: &str, problem: Problem) -> SpecificationError {
        SpecificationError::new(self.origin, Some(self.line(span.start)), field, problem)
    }

    fn whole(self, problem: Problem) -> SpecificationError {
        SpecificationError::new(self.origin, None, "", problem)
    }

    /// Converts an error of the TOML parser. The parser knows the place but not the field, which is
    /// the last key before that place.
    fn toml(self, error: &toml::de::Error) -> SpecificationError {
        let problem = Problem::Toml { message: error.message().trim_end().replace('\n', ", ") };
        let Some(span) = error.span() else { return self.whole(problem) };
        let message = error.message();
        // These messages name the field themselves.
        let named = message.starts_with("unknown field") || message.starts_with("missing field");
        // A wrong value may begin on an earlier line than the error. A syntax error is on its own
        // line.
        let reach =
            if message.starts_with("expected") || message.contains(" expected `") { 1 } else { usize::MAX };
        let before = self.text.get(..span.start).unwrap_or_default();
        let line_end = self.text[before.len()..].find('\n').map_or(self.text.len(), |end| before.len() + end);
        let key = self.text[..line_end]
            .lines()
            .rev()
            .take(reach)
            .take_while(|line| !line.trim_start().starts_with('['))
            .find_map(|line| line.split_once('='))
            .map(|(key, _)| key.trim())
            .filter(|key| {
                !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
            });
        self.error(&span, if named { "" } else { key.unwrap_or_default() }, problem)
    }

    fn rounds(
        self,
        rounds: Option<Spanned<Rounds>>,
        field: &str,
        default: Rounds,
        longest: u64,
    ) -> Result<Rounds, SpecificationError> {
        let Some(rounds) = rounds else { return Ok(default) };
        let span = rounds.span();
        let rounds = rounds.into_inner();
        if rounds.is_unsorted() {
            return Err(self.error(&span, field, Problem::Unsorted));
        }
        match rounds.beyond(longest) {
            Some(round) => Err(self.error(&span, field, Problem::Beyond { round, horizon: longest })),
            None => Ok(rounds),
        }
    }

    fn world(self, raw: Spanned<RawWorld>) -> Result<WorldEntry, SpecificationError> {
        let span = raw.span();
        let raw = raw.into_inner();
        for field in [("world.otherwise", &raw.otherwise), ("world.otherwise_label", &raw.otherwise_label)] {
            if let (name, Some(value)) = field
                && raw.data.is_none()
            {
                return Err(self.error(&value.span(), name, Problem::Alone { needs: "data" }));
            }
        }
        let arms_of_otherwise = raw.otherwise_arms.as_ref().map(Spanned::span);
        if let (Some(span), true) = (&arms_of_otherwise, raw.otherwise.is_none()) {
            return Err(self.error(span, "world.otherwise_arms", Problem::Alone { needs: "otherwise" }));
        }
        if let (Some(span), true) = (&arms_of_otherwise, raw.arms.is_some()) {
            return Err(self.error(span, "world.otherwise_arms", Problem::NotWith { other: "arms" }));
        }
        let (line, location) = match (raw.world, raw.data) {
            (Some(world), None) => (self.line(world.span().start), WorldLocation::Named(world.into_inner())),
            (None, Some(data)) => {
                let arms = raw.otherwise_arms.map(|count| as_arms(count.into_inner()));
                let otherwise = raw.otherwise.map(|text| StandInWorld { text: text.into_inner(), arms });
                let otherwise_label = raw.otherwise_label.map(Spanned::into_inner);
                let line = self.line(data.span().start);
                (line, WorldLocation::Data { file: data.into_inner(), otherwise, otherwise_label })
            }
            _ => return Err(self.error(&span, "world", Problem::NoPlace)),
        };
        let arms_line = raw.arms.as_ref().map_or(line, |arms| self.line(arms.span().start));
        let arms = raw.arms.map(Spanned::into_inner).unwrap_or_default();
        if let (Some(draw), true) = (&raw.draw, arms.is_empty()) {
            return Err(self.error(&draw.span(), "world.draw", Problem::Alone { needs: "arms" }));
        }
        if let (Some(name), true) = (&raw.name, arms.len() > 1) {
            return Err(self.error(&name.span(), "world.name", Problem::NameOfSeveral));
        }
        Ok(WorldEntry {
            line,
            arms_line,
            location,
            name: raw.name.map(Spanned::into_inner),
            label: raw.label,
            arms: arms.into_iter().map(as_arms).collect(),
            draw: raw.draw.map(Spanned::into_inner).unwrap_or_default(),
            horizon: raw.horizon.map(|Count(horizon)| horizon),
        })
    }

    /// Expands a policy's grid: every combination of its values, the last key changing fastest.
    fn policy(
        self,
        raw: Spanned<RawPolicy>,
        policies: &mut Vec<PolicyEntry>,
    ) -> Result<(), SpecificationError> {
        let RawPolicy { policy, label, grid } = raw.into_inner();
        let refuse = |problem: Problem| self.error(&policy.span(), "policy.policy", problem);
        let base: Spec = policy.get_ref().parse().map_err(|error| refuse(Problem::PolicyText(error)))?;
        let mut points: Vec<Vec<(String, String)>> = vec![Vec::new()];
        for (key, values) in &grid {
            let values = &values.get_ref().0;
            points = points
                .iter()
                .flat_map(|point| {
                    values.iter().map(move |value| {
                        let own = (key.clone(), value.clone());
                        point.iter().cloned().chain([own]).collect()
                    })
                })
                .collect();
        }
        for swept in points {
            let pairs = swept.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>();
            let colon = if base.keys().next().is_some() { "," } else { ":" };
            let text =
                if pairs.is_empty() { base.to_string() } else { format!("{base}{colon}{}", pairs.join(",")) };
            let spec: Spec = text.parse().map_err(|error| match grid.values().next() {
                Some(values) => self.error(&values.span(), "policy.grid", Problem::PolicyText(error)),
                None => refuse(Problem::PolicyText(error)),
            })?;
            if policies.iter().any(|other| other.spec == spec) {
                return Err(refuse(Problem::PolicyTwice { policy: text }));
            }
            let label = match (&label, swept.is_empty()) {
                (None, _) => text,
                (Some(label), true) => label.clone(),
                (Some(label), false) => format!("{label}, {}", pairs.join(", ").replace('=', " = ")),
            };
            policies.push(PolicyEntry { line: self.line(policy.span().start), spec, label, swept });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
