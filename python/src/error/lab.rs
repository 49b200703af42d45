//! What goes wrong in the lab.

use tiltyard_lab::merge::MergeError;
use tiltyard_lab::play::EntryError;
use tiltyard_lab::play::PlayError;
use tiltyard_lab::results::ResultsError;
use tiltyard_lab::runner::JournalError;
use tiltyard_lab::runner::PrepareError;
use tiltyard_lab::runner::RunError;
use tiltyard_lab::session::SessionError;
use tiltyard_lab::spec::{Problem, SpecificationError};

use super::{AGAIN, ELSEWHERE, Explain, Raised};

impl Explain for PrepareError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::World(error) => error.explain(),
            Self::Regret(error) => error.explain(),
            Self::Arms(error) => error.explain(),
            Self::NoMatrix => raised("PrepareNoMatrix"),
            _ => raised("PrepareError"),
        }
    }
}

impl Explain for EntryError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::Build(error) => error.explain(),
            Self::Sequential { policy } => raised("EntrySequential")
                .with("policy", policy)
                .hint("`tiltyard.policy_info(name)` tells what a policy is capable of"),
            Self::NotAdditive { policy, nodes } => raised("EntryNotAdditive")
                .with("policy", policy)
                .with("nodes", nodes)
                .hint("`tiltyard.policy_info(name)` tells what a policy is capable of"),
            _ => raised("EntryError"),
        }
    }
}

impl Explain for PlayError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::NoPolicies => raised("PlayNoPolicies"),
            Self::NoRuns => raised("PlayNoRuns"),
            Self::NoRounds => raised("PlayNoRounds"),
            Self::Unsorted => raised("PlayUnsorted"),
            Self::Stopped => raised("PlayStopped"),
            Self::World(error) => error.explain(),
            Self::Policy(error) => error.explain(),
            Self::Regret(error) => error.explain(),
            _ => raised("PlayError"),
        }
    }
}

impl Explain for SessionError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::Play(error) => error.explain(),
            Self::NotPrompt => {
                raised("SessionNotPrompt").hint("leave out `+delayed`, `+batched` and `+nodes`")
            }
            Self::ArmOutOfRange { arm, n_arms } => {
                raised("SessionArmOutOfRange").with("arm", arm).with("n_arms", n_arms)
            }
            Self::Over { rounds } => raised("SessionOver").with("rounds", rounds),
            _ => raised("SessionError"),
        }
    }
}

impl Explain for JournalError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::Io { path, .. } => raised("JournalIo").with("path", path),
            Self::Busy { path } => raised("JournalBusy").with("path", path),
            Self::Foreign { path } => raised("JournalForeign").with("path", path).hint(ELSEWHERE),
            Self::Changed { path, item } => raised("JournalChanged").with("path", path).with("item", item),
            _ => raised("JournalError"),
        }
    }
}

impl Explain for ResultsError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::NoResults { path } => raised("ResultsNoResults").with("path", path),
            Self::Unfinished { path } => {
                raised("ResultsUnfinished").with("path", path).hint("run it with `resume=True`")
            }
            Self::Shard { path, shard } => {
                raised("ResultsShard").with("path", path).with("shard", shard).hint("merge all shards first")
            }
            Self::Unreadable { path, .. } => raised("ResultsUnreadable").with("path", path),
            Self::Manifest { path, reason } => {
                raised("ResultsManifest").with("path", path).with("reason", reason).hint(AGAIN)
            }
            Self::Format { path, found, known } => {
                raised("ResultsFormat").with("path", path).with("found", found).with("known", known)
            }
            Self::Changed { path } => raised("ResultsChanged").with("path", path).hint(AGAIN),
            Self::Table { path, .. } => raised("ResultsTable").with("path", path).hint(AGAIN),
            _ => raised("ResultsError"),
        }
    }
}

impl Explain for RunError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::Directory { path, .. } => raised("RunDirectory").with("path", path),
            Self::NotEmpty { path } => raised("RunNotEmpty").with("path", path).hint(ELSEWHERE),
            Self::Unfinished { path } => raised("RunUnfinished")
                .with("path", path)
                .hint("`resume=True` continues it; or choose another directory"),
            Self::Finished { path } => raised("RunFinished")
                .with("path", path)
                .hint("there is nothing to do; or choose another directory"),
            Self::OtherSpecification { path, differ } => {
                raised("RunOtherSpecification").with("path", path).with("differ", differ).hint(ELSEWHERE)
            }
            Self::OtherVersion { path, version } => raised("RunOtherVersion")
                .with("path", path)
                .with("version", version)
                .hint("finish it with that version, or choose another directory"),
            Self::OtherShard { path, shard } => {
                raised("RunOtherShard").with("path", path).with("shard", shard.to_string()).hint(ELSEWHERE)
            }
            Self::JobFile { path, reason } => {
                raised("RunJobFile").with("path", path).with("reason", reason).hint(ELSEWHERE)
            }
            Self::Write { path, done, total, .. } => raised("RunWrite")
                .with("path", path)
                .with("done", done)
                .with("total", total)
                .hint("make room; then `resume=True` continues it"),
            Self::Table { path, .. } => raised("RunTable").with("path", path),
            Self::Journal(error) => error.explain(),
            Self::Results(error) => error.explain(),
            _ => raised("RunError"),
        }
    }
}

impl Explain for MergeError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::None => raised("MergeNone"),
            Self::Results(error) => error.explain(),
            Self::OtherSpecification { one, other, differ } => {
                raised("MergeOtherSpecification").with("one", one).with("other", other).with("differ", differ)
            }
            Self::OtherVersion { path, version } => {
                raised("MergeOtherVersion").with("path", path).with("version", version)
            }
            Self::OtherCount { one, count, other, other_count } => raised("MergeOtherCount")
                .with("one", one)
                .with("count", count)
                .with("other", other)
                .with("other_count", other_count),
            Self::Twice { shard, one, other } => {
                raised("MergeTwice").with("shard", shard.to_string()).with("one", one).with("other", other)
            }
            Self::Missing { missing, count } => {
                raised("MergeMissing").with("missing", missing).with("count", count)
            }
            Self::NotEmpty { path } => raised("MergeNotEmpty").with("path", path).hint(ELSEWHERE),
            Self::Out { path, .. } => raised("MergeOut").with("path", path),
            _ => raised("MergeError"),
        }
    }
}

impl Explain for SpecificationError {
    fn explain(&self) -> Raised {
        let class = match &*self.problem {
            Problem::Unreadable(_) => "SpecificationUnreadable",
            Problem::Toml { .. } => "SpecificationToml",
            Problem::NoWorlds => "SpecificationNoWorlds",
            Problem::NoPolicies => "SpecificationNoPolicies",
            Problem::Unsorted => "SpecificationUnsorted",
            Problem::Beyond { .. } => "SpecificationBeyond",
            Problem::Regret(_) => "SpecificationRegret",
            Problem::PolicyText(_) => "SpecificationPolicyText",
            Problem::PolicyTwice { .. } => "SpecificationPolicyTwice",
            Problem::WorldTwice { .. } => "SpecificationWorldTwice",
            Problem::NoPlace => "SpecificationNoPlace",
            Problem::Alone { .. } => "SpecificationAlone",
            Problem::NotWith { .. } => "SpecificationNotWith",
            Problem::NameOfSeveral => "SpecificationNameOfSeveral",
            Problem::NoDirectory(_) => "SpecificationNoDirectory",
            Problem::NoData { .. } => "SpecificationNoData",
            Problem::World(_) => "SpecificationWorld",
            Problem::Policy { .. } => "SpecificationPolicy",
            _ => "SpecificationError",
        };
        let raised = Raised::of(class, self)
            .with("origin", &self.origin)
            .with("line", &self.line)
            .with("field", &self.field);
        match &*self.problem {
            Problem::Regret(error) => raised.suggest(error.suggestion),
            Problem::Policy { error, .. } => raised.hints_of(error.explain()),
            Problem::World(error) => raised.hints_of(error.explain()),
            Problem::NoData { .. } => {
                raised.hint("`data=` says where the data is; `otherwise` names a world to play in without it")
            }
            Problem::Toml { .. } | Problem::NoWorlds | Problem::NoPolicies | Problem::NoPlace => {
                raised.hint("docs/specification.md describes every field")
            }
            _ => raised,
        }
    }
}
