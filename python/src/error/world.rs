//! What is refused by worlds, files, click models and interleaving.

use tiltyard_interleave::InterleavingError;
use tiltyard_world::builtin::WorldError;
use tiltyard_world::click::ClickError;
use tiltyard_world::matrix_file::ParseMatrixError;
use tiltyard_world::matrix_file::ReadMatrixError;
use tiltyard_world::{RegretError, UnknownRegret};

use super::{Explain, MATRIX, Raised};

impl Explain for ReadMatrixError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::UnknownExtension { path } => raised("ReadMatrixUnknownExtension").with("path", path),
            Self::Unreadable { path, .. } => raised("ReadMatrixUnreadable").with("path", path),
            Self::Invalid { path, error } => error.explain().before(path.display()).with("path", path),
            _ => raised("ReadMatrixError"),
        }
    }
}

impl Explain for ParseMatrixError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::Empty => raised("ParseMatrixEmpty").hint(MATRIX),
            Self::NotANumber { line, column, text } => raised("ParseMatrixNotANumber")
                .with("line", line)
                .with("column", column)
                .with("text", text)
                .hint(MATRIX),
            Self::RaggedRow { line, expected, got } => raised("ParseMatrixRaggedRow")
                .with("line", line)
                .with("expected", expected)
                .with("got", got)
                .hint(MATRIX),
            Self::NotSquare { rows, columns } => {
                raised("ParseMatrixNotSquare").with("rows", rows).with("columns", columns).hint(MATRIX)
            }
            Self::TooManyArms { n_arms } => {
                raised("ParseMatrixTooManyArms").with("n_arms", n_arms).hint(MATRIX)
            }
            Self::Npy(..) => raised("ParseMatrixNpy").hint(MATRIX),
            Self::Matrix { line, .. } => raised("ParseMatrixMatrix").with("line", line).hint(MATRIX),
            _ => raised("ParseMatrixError"),
        }
    }
}

impl Explain for WorldError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::Unknown { name, suggestion } => raised("WorldUnknown").with("name", name).with("suggestion", *suggestion).suggest(*suggestion).hint("`tiltyard.world_names()` lists the built-in worlds; a matrix file ends in .csv, .txt or .npy"),
            Self::UnknownWrapper { name, text, suggestion } => raised("WorldUnknownWrapper").with("name", name).with("text", text).with("suggestion", *suggestion).suggest(*suggestion),
            Self::WrapperTwice { name, text } => raised("WorldWrapperTwice").with("name", name).with("text", text),
            Self::WrapperOrder { name, text } => raised("WorldWrapperOrder").with("name", name).with("text", text),
            Self::NotAMatrix { text, action } => raised("WorldNotAMatrix").with("text", text).with("action", action),
            Self::TooManySegments { segments, most } => raised("WorldTooManySegments").with("segments", segments).with("most", most).hint("fewer `segments`, a longer `every`, or more `rounds`"),
            Self::Spec(error) => error.explain(),
            Self::Param(error) => error.explain(),
            Self::File(error) => error.explain(),
            Self::NoVotesFile => raised("WorldNoVotesFile"),
            Self::Votes(..) => raised("WorldVotes"),
            Self::Segments(..) => raised("WorldSegments").hint("a row `from,ROUND` begins a segment, and the rows of its matrix follow"),
            Self::NoUtilitiesFile => raised("WorldNoUtilitiesFile").hint("utilities lie in [0, 1]: a column an arm, a row a round"),
            Self::Utilities(..) => raised("WorldUtilities").hint("utilities lie in [0, 1]: a column an arm, a row a round"),
            Self::TooShort { file, n_rows, rounds } => raised("WorldTooShort").with("file", file).with("n_rows", n_rows).with("rounds", rounds).hint("`after=repeat` goes on with the first row, `after=hold` with the last; or play fewer `rounds`"),
            Self::Clicks(error) => error.explain(),
            Self::Rankers(..) => raised("WorldRankers"),
            Self::Replay { file, .. } => raised("WorldReplay").with("file", file),
            _ => raised("WorldError"),
        }
    }
}

impl Explain for RegretError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::NoUtilities { regret } => raised("RegretNoUtilities")
                .with("regret", regret.to_string())
                .hint("condorcet regret is half of it where utilities are compared"),
            _ => raised("RegretError"),
        }
    }
}

impl Explain for ClickError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::Unknown { name, suggestion, known } => raised("ClickUnknown")
                .with("name", name)
                .with("suggestion", *suggestion)
                .with("known", known)
                .suggest(*suggestion),
            Self::Spec(error) => error.explain(),
            Self::Param(error) => error.explain(),
            Self::Missing { key } => raised("ClickMissing").with("key", key),
            Self::NotAProbability { key, value } => {
                raised("ClickNotAProbability").with("key", key).with("value", value)
            }
            Self::Lengths { click, stop } => raised("ClickLengths").with("click", click).with("stop", stop),
            Self::NoSetting { user, largest } => {
                raised("ClickNoSetting").with("user", user.to_string()).with("largest", largest)
            }
            Self::GradeOutside { largest, n_grades } => {
                raised("ClickGradeOutside").with("largest", largest).with("n_grades", n_grades)
            }
            _ => raised("ClickError"),
        }
    }
}

impl Explain for InterleavingError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::Unknown { name, suggestion, known } => raised("InterleavingUnknown")
                .with("name", name)
                .with("suggestion", *suggestion)
                .with("known", known)
                .suggest(*suggestion),
            Self::Spec(error) => error.explain(),
            Self::Param(error) => error.explain(),
            _ => raised("InterleavingError"),
        }
    }
}

impl Explain for UnknownRegret {
    fn explain(&self) -> Raised {
        Raised::of("UnknownRegret", self)
            .with("name", &self.name)
            .with("suggestion", self.suggestion)
            .suggest(self.suggestion)
    }
}
