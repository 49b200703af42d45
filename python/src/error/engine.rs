//! Written by `cargo xtask docs` from the errors of the engine.

use super::{Explain, Raised};

impl Explain for tiltyard_bandit::spec::SpecError {
    fn explain(&self) -> Raised {
        match self {
            Self::NoName { text } => Raised::of("SpecNoName").with("text", text),
            Self::NoValue { text, part } => Raised::of("SpecNoValue").with("text", text).with("part", part),
            Self::Twice { text, key } => Raised::of("SpecTwice").with("text", text).with("key", key),
            _ => Raised::of("SpecError"),
        }
    }
}

impl Explain for tiltyard_bandit::params::ParamError {
    fn explain(&self) -> Raised {
        match self {
            Self::TooManyArms { name, n_arms, most } => {
                Raised::of("ParamTooManyArms").with("name", name).with("n_arms", n_arms).with("most", most)
            }
            Self::NoArms => Raised::of("ParamNoArms"),
            Self::NoRounds => Raised::of("ParamNoRounds"),
            Self::UnknownKey { name, key, suggestion, known } => Raised::of("ParamUnknownKey")
                .with("name", name)
                .with("key", key)
                .with("suggestion", suggestion)
                .with("known", known),
            Self::NoSuchChoice { key, value, suggestion, choices } => Raised::of("ParamNoSuchChoice")
                .with("key", key)
                .with("value", value)
                .with("suggestion", suggestion)
                .with("choices", choices),
            Self::NotANumber { key, value } => {
                Raised::of("ParamNotANumber").with("key", key).with("value", value)
            }
            Self::OutOfRange { key, value, range } => {
                Raised::of("ParamOutOfRange").with("key", key).with("value", value).with("range", range)
            }
            Self::NotWhole { key, value } => {
                Raised::of("ParamNotWhole").with("key", key).with("value", value)
            }
            Self::NeedsHorizon { name, key } => {
                Raised::of("ParamNeedsHorizon").with("name", name).with("key", key)
            }
            Self::NoRound { key, value } => Raised::of("ParamNoRound").with("key", key).with("value", value),
            Self::NotProportional { key, value } => {
                Raised::of("ParamNotProportional").with("key", key).with("value", value)
            }
            Self::Contradiction { key, value, other } => {
                Raised::of("ParamContradiction").with("key", key).with("value", value).with("other", other)
            }
            Self::Idle { spec, key } => Raised::of("ParamIdle").with("spec", spec).with("key", key),
            _ => Raised::of("ParamError"),
        }
    }
}

impl Explain for tiltyard_bandit::policy::registry::BuildError {
    fn explain(&self) -> Raised {
        match self {
            Self::UnknownPolicy { name, suggestion } => {
                Raised::of("BuildUnknownPolicy").with("name", name).with("suggestion", suggestion)
            }
            Self::Continuous { name } => Raised::of("BuildContinuous").with("name", name),
            Self::NotContinuous { name } => Raised::of("BuildNotContinuous").with("name", name),
            Self::Param(error) => error.explain(),
            _ => Raised::of("BuildError"),
        }
    }
}

impl Explain for tiltyard_bandit::TicketError {
    fn explain(&self) -> Raised {
        match self {
            Self::ArmOutOfRange { arm, n_arms } => {
                Raised::of("TicketArmOutOfRange").with("arm", arm).with("n_arms", n_arms)
            }
            Self::NotAProbability { value } => Raised::of("TicketNotAProbability").with("value", value),
            _ => Raised::of("TicketError"),
        }
    }
}

impl Explain for tiltyard_bandit::OutcomeError {
    fn explain(&self) -> Raised {
        Raised::of("OutcomeError").with("score", &self.score)
    }
}

impl Explain for tiltyard_bandit::policy::InFlight {
    fn explain(&self) -> Raised {
        Raised::of("InFlight").with("ticket", &self.ticket)
    }
}

impl Explain for tiltyard_bandit::policy::NoLesson {
    fn explain(&self) -> Raised {
        match self {
            Self::Refused { policy, refusal } => {
                Raised::of("LessonRefused").with("policy", policy).with("refusal", refusal)
            }
            Self::UnknownPropensity { policy } => {
                Raised::of("LessonUnknownPropensity").with("policy", policy)
            }
            Self::ArmOutOfRange { arm, n_arms } => {
                Raised::of("LessonArmOutOfRange").with("arm", arm).with("n_arms", n_arms)
            }
            Self::NotAProbability { value } => Raised::of("LessonNotAProbability").with("value", value),
            Self::Retired { arm } => Raised::of("LessonRetired").with("arm", arm),
            _ => Raised::of("NoLesson"),
        }
    }
}

impl Explain for tiltyard_bandit::policy::UpdateError {
    fn explain(&self) -> Raised {
        match self {
            Self::Ticket(error) => error.explain(),
            Self::Foreign { policy, draw } => {
                Raised::of("UpdateForeign").with("policy", policy).with("draw", draw)
            }
            Self::Lesson(error) => error.explain(),
            Self::NotBinary { score } => Raised::of("UpdateNotBinary").with("score", score),
            _ => Raised::of("UpdateError"),
        }
    }
}

impl Explain for tiltyard_bandit::policy::RestoreError {
    fn explain(&self) -> Raised {
        match self {
            Self::Format { format } => Raised::of("RestoreFormat").with("format", format),
            Self::Spec(error) => error.explain(),
            Self::Build(error) => error.explain(),
            Self::State { text } => Raised::of("RestoreState").with("text", text),
            _ => Raised::of("RestoreError"),
        }
    }
}

impl Explain for tiltyard_bandit::matrix::MatrixError {
    fn explain(&self) -> Raised {
        match self {
            Self::NoArms => Raised::of("MatrixNoArms"),
            Self::WrongLength { n_arms, got } => {
                Raised::of("MatrixWrongLength").with("n_arms", n_arms).with("got", got)
            }
            Self::RaggedRow { row, expected, got } => {
                Raised::of("MatrixRaggedRow").with("row", row).with("expected", expected).with("got", got)
            }
            Self::NotFinite { row, column, value } => {
                Raised::of("MatrixNotFinite").with("row", row).with("column", column).with("value", value)
            }
            Self::OutOfRange { row, column, value } => {
                Raised::of("MatrixOutOfRange").with("row", row).with("column", column).with("value", value)
            }
            Self::Diagonal { row, value } => {
                Raised::of("MatrixDiagonal").with("row", row).with("value", value)
            }
            Self::Asymmetric { row, column, value, mirrored } => Raised::of("MatrixAsymmetric")
                .with("row", row)
                .with("column", column)
                .with("value", value)
                .with("mirrored", mirrored),
            _ => Raised::of("MatrixError"),
        }
    }
}

impl Explain for tiltyard_bandit::matrix::SubmatrixError {
    fn explain(&self) -> Raised {
        match self {
            Self::NoArms => Raised::of("SubmatrixNoArms"),
            Self::OutOfRange { arm, n_arms } => {
                Raised::of("SubmatrixOutOfRange").with("arm", arm).with("n_arms", n_arms)
            }
            Self::Repeated { arm } => Raised::of("SubmatrixRepeated").with("arm", arm),
            Self::TooMany { wanted, n_arms } => {
                Raised::of("SubmatrixTooMany").with("wanted", wanted).with("n_arms", n_arms)
            }
            _ => Raised::of("SubmatrixError"),
        }
    }
}

impl Explain for tiltyard_interleave::InterleavingError {
    fn explain(&self) -> Raised {
        match self {
            Self::Unknown { name, suggestion, known } => Raised::of("InterleavingUnknown")
                .with("name", name)
                .with("suggestion", suggestion)
                .with("known", known),
            Self::Spec(error) => error.explain(),
            Self::Param(error) => error.explain(),
            _ => Raised::of("InterleavingError"),
        }
    }
}

impl Explain for tiltyard_world::matrix_file::ParseMatrixError {
    fn explain(&self) -> Raised {
        match self {
            Self::Empty => Raised::of("ParseMatrixEmpty"),
            Self::NotANumber { line, column, text } => Raised::of("ParseMatrixNotANumber")
                .with("line", line)
                .with("column", column)
                .with("text", text),
            Self::RaggedRow { line, expected, got } => Raised::of("ParseMatrixRaggedRow")
                .with("line", line)
                .with("expected", expected)
                .with("got", got),
            Self::NotSquare { rows, columns } => {
                Raised::of("ParseMatrixNotSquare").with("rows", rows).with("columns", columns)
            }
            Self::TooManyArms { n_arms } => Raised::of("ParseMatrixTooManyArms").with("n_arms", n_arms),
            Self::Npy(..) => Raised::of("ParseMatrixNpy"),
            Self::Matrix { line, .. } => Raised::of("ParseMatrixMatrix").with("line", line),
            _ => Raised::of("ParseMatrixError"),
        }
    }
}

impl Explain for tiltyard_world::matrix_file::ReadMatrixError {
    fn explain(&self) -> Raised {
        match self {
            Self::UnknownExtension { path } => Raised::of("ReadMatrixUnknownExtension").with("path", path),
            Self::Unreadable { path, .. } => Raised::of("ReadMatrixUnreadable").with("path", path),
            Self::Invalid { error, path } => error.explain().with("path", path),
            _ => Raised::of("ReadMatrixError"),
        }
    }
}

impl Explain for tiltyard_world::UnknownRegret {
    fn explain(&self) -> Raised {
        Raised::of("UnknownRegret").with("name", &self.name).with("suggestion", &self.suggestion)
    }
}

impl Explain for tiltyard_world::RegretError {
    fn explain(&self) -> Raised {
        match self {
            Self::NoUtilities { regret } => Raised::of("RegretNoUtilities").with("regret", regret),
            Self::Points { regret } => Raised::of("RegretPoints").with("regret", regret),
            _ => Raised::of("RegretError"),
        }
    }
}

impl Explain for tiltyard_world::click::ClickError {
    fn explain(&self) -> Raised {
        match self {
            Self::Unknown { name, suggestion, known } => Raised::of("ClickUnknown")
                .with("name", name)
                .with("suggestion", suggestion)
                .with("known", known),
            Self::Spec(error) => error.explain(),
            Self::Param(error) => error.explain(),
            Self::Missing { key } => Raised::of("ClickMissing").with("key", key),
            Self::NotAProbability { key, value } => {
                Raised::of("ClickNotAProbability").with("key", key).with("value", value)
            }
            Self::Lengths { click, stop } => {
                Raised::of("ClickLengths").with("click", click).with("stop", stop)
            }
            Self::NoSetting { user, largest } => {
                Raised::of("ClickNoSetting").with("user", user).with("largest", largest)
            }
            Self::GradeOutside { largest, n_grades } => {
                Raised::of("ClickGradeOutside").with("largest", largest).with("n_grades", n_grades)
            }
            _ => Raised::of("ClickError"),
        }
    }
}

impl Explain for tiltyard_world::builtin::WorldError {
    fn explain(&self) -> Raised {
        match self {
            Self::Unknown { name, suggestion } => {
                Raised::of("WorldUnknown").with("name", name).with("suggestion", suggestion)
            }
            Self::UnknownWrapper { name, text, suggestion } => Raised::of("WorldUnknownWrapper")
                .with("name", name)
                .with("text", text)
                .with("suggestion", suggestion),
            Self::WrapperTwice { name, text } => {
                Raised::of("WorldWrapperTwice").with("name", name).with("text", text)
            }
            Self::WrapperOrder { name, text } => {
                Raised::of("WorldWrapperOrder").with("name", name).with("text", text)
            }
            Self::Continuous { text } => Raised::of("WorldContinuous").with("text", text),
            Self::NotAMatrix { text, action } => {
                Raised::of("WorldNotAMatrix").with("text", text).with("action", action)
            }
            Self::TooManySegments { segments, most } => {
                Raised::of("WorldTooManySegments").with("segments", segments).with("most", most)
            }
            Self::Spec(error) => error.explain(),
            Self::Param(error) => error.explain(),
            Self::File(error) => error.explain(),
            Self::NoVotesFile => Raised::of("WorldNoVotesFile"),
            Self::Votes(..) => Raised::of("WorldVotes"),
            Self::Segments(..) => Raised::of("WorldSegments"),
            Self::NoUtilitiesFile => Raised::of("WorldNoUtilitiesFile"),
            Self::Utilities(..) => Raised::of("WorldUtilities"),
            Self::TooShort { file, n_rows, rounds } => {
                Raised::of("WorldTooShort").with("file", file).with("n_rows", n_rows).with("rounds", rounds)
            }
            Self::Clicks(error) => error.explain(),
            Self::Rankers(..) => Raised::of("WorldRankers"),
            Self::Replay { file, .. } => Raised::of("WorldReplay").with("file", file),
            _ => Raised::of("WorldError"),
        }
    }
}

impl Explain for tiltyard_lab::runner::PrepareError {
    fn explain(&self) -> Raised {
        match self {
            Self::World(error) => error.explain(),
            Self::Regret(error) => error.explain(),
            Self::Arms(error) => error.explain(),
            Self::NoMatrix => Raised::of("PrepareNoMatrix"),
            _ => Raised::of("PrepareError"),
        }
    }
}

impl Explain for tiltyard_lab::play::EntryError {
    fn explain(&self) -> Raised {
        match self {
            Self::Build(error) => error.explain(),
            Self::Sequential { policy } => Raised::of("EntrySequential").with("policy", policy),
            Self::Dimension { policy, got, dimension } => Raised::of("EntryDimension")
                .with("policy", policy)
                .with("got", got)
                .with("dimension", dimension),
            Self::NotAdditive { policy, nodes } => {
                Raised::of("EntryNotAdditive").with("policy", policy).with("nodes", nodes)
            }
            _ => Raised::of("EntryError"),
        }
    }
}

impl Explain for tiltyard_lab::play::PlayError {
    fn explain(&self) -> Raised {
        match self {
            Self::NoPolicies => Raised::of("PlayNoPolicies"),
            Self::NoRuns => Raised::of("PlayNoRuns"),
            Self::NoRounds => Raised::of("PlayNoRounds"),
            Self::Unsorted => Raised::of("PlayUnsorted"),
            Self::Stopped => Raised::of("PlayStopped"),
            Self::World(error) => error.explain(),
            Self::Policy(error) => error.explain(),
            Self::Regret(error) => error.explain(),
            _ => Raised::of("PlayError"),
        }
    }
}

impl Explain for tiltyard_lab::session::SessionError {
    fn explain(&self) -> Raised {
        match self {
            Self::Play(error) => error.explain(),
            Self::NotPrompt => Raised::of("SessionNotPrompt"),
            Self::NoArms => Raised::of("SessionNoArms"),
            Self::ArmOutOfRange { arm, n_arms } => {
                Raised::of("SessionArmOutOfRange").with("arm", arm).with("n_arms", n_arms)
            }
            Self::Over { rounds } => Raised::of("SessionOver").with("rounds", rounds),
            _ => Raised::of("SessionError"),
        }
    }
}

impl Explain for tiltyard_lab::runner::JournalError {
    fn explain(&self) -> Raised {
        match self {
            Self::Io { path, .. } => Raised::of("JournalIo").with("path", path),
            Self::Busy { path } => Raised::of("JournalBusy").with("path", path),
            Self::Foreign { path } => Raised::of("JournalForeign").with("path", path),
            Self::Changed { path, item } => {
                Raised::of("JournalChanged").with("path", path).with("item", item)
            }
            _ => Raised::of("JournalError"),
        }
    }
}

impl Explain for tiltyard_lab::results::ResultsError {
    fn explain(&self) -> Raised {
        match self {
            Self::NoResults { path } => Raised::of("ResultsNoResults").with("path", path),
            Self::Unfinished { path } => Raised::of("ResultsUnfinished").with("path", path),
            Self::Shard { path, shard } => Raised::of("ResultsShard").with("path", path).with("shard", shard),
            Self::Unreadable { path, .. } => Raised::of("ResultsUnreadable").with("path", path),
            Self::Manifest { path, reason } => {
                Raised::of("ResultsManifest").with("path", path).with("reason", reason)
            }
            Self::Format { path, found, known } => {
                Raised::of("ResultsFormat").with("path", path).with("found", found).with("known", known)
            }
            Self::Changed { path } => Raised::of("ResultsChanged").with("path", path),
            Self::Table { path, .. } => Raised::of("ResultsTable").with("path", path),
            _ => Raised::of("ResultsError"),
        }
    }
}

impl Explain for tiltyard_lab::runner::RunError {
    fn explain(&self) -> Raised {
        match self {
            Self::Directory { path, .. } => Raised::of("RunDirectory").with("path", path),
            Self::NotEmpty { path } => Raised::of("RunNotEmpty").with("path", path),
            Self::Unfinished { path } => Raised::of("RunUnfinished").with("path", path),
            Self::Finished { path } => Raised::of("RunFinished").with("path", path),
            Self::OtherSpecification { path, differ } => {
                Raised::of("RunOtherSpecification").with("path", path).with("differ", differ)
            }
            Self::OtherVersion { path, version } => {
                Raised::of("RunOtherVersion").with("path", path).with("version", version)
            }
            Self::OtherShard { path, shard } => {
                Raised::of("RunOtherShard").with("path", path).with("shard", shard)
            }
            Self::JobFile { path, reason } => {
                Raised::of("RunJobFile").with("path", path).with("reason", reason)
            }
            Self::Write { path, done, total, .. } => {
                Raised::of("RunWrite").with("path", path).with("done", done).with("total", total)
            }
            Self::Table { path, .. } => Raised::of("RunTable").with("path", path),
            Self::Journal(error) => error.explain(),
            Self::Results(error) => error.explain(),
            _ => Raised::of("RunError"),
        }
    }
}

impl Explain for tiltyard_lab::merge::MergeError {
    fn explain(&self) -> Raised {
        match self {
            Self::None => Raised::of("MergeNone"),
            Self::Results(error) => error.explain(),
            Self::OtherSpecification { one, other, differ } => Raised::of("MergeOtherSpecification")
                .with("one", one)
                .with("other", other)
                .with("differ", differ),
            Self::OtherVersion { path, version } => {
                Raised::of("MergeOtherVersion").with("path", path).with("version", version)
            }
            Self::OtherCount { one, count, other, other_count } => Raised::of("MergeOtherCount")
                .with("one", one)
                .with("count", count)
                .with("other", other)
                .with("other_count", other_count),
            Self::Twice { shard, one, other } => {
                Raised::of("MergeTwice").with("shard", shard).with("one", one).with("other", other)
            }
            Self::Missing { missing, count } => {
                Raised::of("MergeMissing").with("missing", missing).with("count", count)
            }
            Self::NotEmpty { path } => Raised::of("MergeNotEmpty").with("path", path),
            Self::Out { path, .. } => Raised::of("MergeOut").with("path", path),
            _ => Raised::of("MergeError"),
        }
    }
}

impl Explain for tiltyard_lab::spec::SpecificationError {
    fn explain(&self) -> Raised {
        self.problem
            .explain()
            .with("origin", &self.origin)
            .with("line", &self.line)
            .with("field", &self.field)
    }
}

impl Explain for tiltyard_lab::spec::Problem {
    fn explain(&self) -> Raised {
        match self {
            Self::Unreadable(..) => Raised::of("SpecificationUnreadable"),
            Self::Toml { message } => Raised::of("SpecificationToml").with("message", message),
            Self::NoWorlds => Raised::of("SpecificationNoWorlds"),
            Self::NoPolicies => Raised::of("SpecificationNoPolicies"),
            Self::Unsorted => Raised::of("SpecificationUnsorted"),
            Self::Beyond { round, horizon } => {
                Raised::of("SpecificationBeyond").with("round", round).with("horizon", horizon)
            }
            Self::Regret(..) => Raised::of("SpecificationRegret"),
            Self::PolicyText(..) => Raised::of("SpecificationPolicyText"),
            Self::PolicyTwice { policy } => Raised::of("SpecificationPolicyTwice").with("policy", policy),
            Self::WorldTwice { name } => Raised::of("SpecificationWorldTwice").with("name", name),
            Self::NoPlace => Raised::of("SpecificationNoPlace"),
            Self::Alone { needs } => Raised::of("SpecificationAlone").with("needs", needs),
            Self::NotWith { other } => Raised::of("SpecificationNotWith").with("other", other),
            Self::NameOfSeveral => Raised::of("SpecificationNameOfSeveral"),
            Self::NoDirectory(..) => Raised::of("SpecificationNoDirectory"),
            Self::NoData { file, directory } => {
                Raised::of("SpecificationNoData").with("file", file).with("directory", directory)
            }
            Self::World(..) => Raised::of("SpecificationWorld"),
            Self::Policy { world, .. } => Raised::of("SpecificationPolicy").with("world", world),
            _ => Raised::of("SpecificationError"),
        }
    }
}
