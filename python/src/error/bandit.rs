//! What is refused by policies, tickets and matrices.

use tiltyard_bandit::matrix::MatrixError;
use tiltyard_bandit::matrix::SubmatrixError;
use tiltyard_bandit::params::ParamError;
use tiltyard_bandit::policy::NoLesson;
use tiltyard_bandit::policy::RestoreError;
use tiltyard_bandit::policy::registry::BuildError;
use tiltyard_bandit::policy::{InFlight, UpdateError};
use tiltyard_bandit::spec::SpecError;
use tiltyard_bandit::{OutcomeError, TicketError};

use super::{Explain, MATRIX, Raised};

impl Explain for SpecError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::NoName { text } => raised("SpecNoName").with("text", text),
            Self::NoValue { text, part } => raised("SpecNoValue").with("text", text).with("part", part),
            Self::Twice { text, key } => raised("SpecTwice").with("text", text).with("key", key),
            _ => raised("SpecError"),
        }
    }
}

impl Explain for BuildError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::UnknownPolicy { name, suggestion } => raised("BuildUnknownPolicy")
                .with("name", name)
                .with("suggestion", *suggestion)
                .suggest(*suggestion)
                .hint("`tiltyard.policy_names()` lists all policies"),
            Self::Continuous { name } => raised("BuildContinuous")
                .with("name", name)
                .hint("`tiltyard.policy_names()` lists those that duel arms"),
            Self::NotContinuous { name } => raised("BuildNotContinuous").with("name", name),
            Self::Param(error) => error.explain(),
            _ => raised("BuildError"),
        }
    }
}

impl Explain for ParamError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::TooManyArms { name, n_arms, most } => {
                raised("ParamTooManyArms").with("name", name).with("n_arms", n_arms).with("most", most)
            }
            Self::NoArms => raised("ParamNoArms"),
            Self::NoRounds => raised("ParamNoRounds"),
            Self::UnknownKey { name, key, suggestion, known } => raised("ParamUnknownKey")
                .with("name", name)
                .with("key", key)
                .with("suggestion", *suggestion)
                .with("known", known)
                .suggest(*suggestion)
                .hint(if known.is_empty() {
                    format!("`{name}` has no parameters")
                } else {
                    format!("`{name}` knows {}", known.join(", "))
                }),
            Self::NoSuchChoice { key, value, suggestion, choices } => raised("ParamNoSuchChoice")
                .with("key", key)
                .with("value", value)
                .with("suggestion", *suggestion)
                .with("choices", choices)
                .suggest(*suggestion),
            Self::NotANumber { key, value } => {
                raised("ParamNotANumber").with("key", key).with("value", value)
            }
            Self::OutOfRange { key, value, range } => raised("ParamOutOfRange")
                .with("key", key)
                .with("value", value)
                .with("range", range.to_string()),
            Self::NotWhole { key, value } => raised("ParamNotWhole").with("key", key).with("value", value),
            Self::NeedsHorizon { name, key } => raised("ParamNeedsHorizon")
                .with("name", name)
                .with("key", key)
                .hint("say how long it will play, with `rounds=`"),
            Self::NoRound { key, value } => raised("ParamNoRound").with("key", key).with("value", value),
            Self::NotProportional { key, value } => {
                raised("ParamNotProportional").with("key", key).with("value", value)
            }
            Self::Contradiction { key, value, other } => raised("ParamContradiction")
                .with("key", key)
                .with("value", value)
                .with("other", other)
                .hint(format!("leave out `{key}` or `{other}`")),
            Self::Idle { spec, key } => raised("ParamIdle")
                .with("spec", spec)
                .with("key", key)
                .hint(format!("leave out `{key}`, or change the others")),
            _ => raised("ParamError"),
        }
    }
}

impl Explain for TicketError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::ArmOutOfRange { arm, n_arms } => {
                raised("TicketArmOutOfRange").with("arm", arm).with("n_arms", n_arms)
            }
            Self::NotAProbability { value } => raised("TicketNotAProbability").with("value", value),
            _ => raised("TicketError"),
        }
    }
}

impl Explain for UpdateError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::Ticket(error) => error.explain(),
            Self::Foreign { policy, draw } => raised("UpdateForeign")
                .with("policy", policy)
                .with("draw", format!("{draw:?}"))
                .hint("a ticket is for the policy that made it, or one of the same name"),
            Self::Lesson(error) => error.explain(),
            Self::NotBinary { score } => raised("UpdateNotBinary")
                .with("score", score)
                .hint("a policy made with `ties=\"coin\"` tosses one itself"),
            _ => raised("UpdateError"),
        }
    }
}

impl Explain for NoLesson {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::Refused { policy, refusal } => {
                raised("LessonRefused").with("policy", policy).with("refusal", refusal.to_string())
            }
            Self::UnknownPropensity { policy } => raised("LessonUnknownPropensity").with("policy", policy),
            Self::ArmOutOfRange { arm, n_arms } => {
                raised("LessonArmOutOfRange").with("arm", arm).with("n_arms", n_arms)
            }
            Self::NotAProbability { value } => raised("LessonNotAProbability").with("value", value),
            Self::Retired { arm } => raised("LessonRetired").with("arm", arm),
            _ => raised("NoLesson"),
        }
    }
}

impl Explain for RestoreError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::Format { format } => raised("RestoreFormat").with("format", format),
            Self::Spec(error) => error.explain(),
            Self::Build(error) => error.explain(),
            Self::State { text } => {
                raised("RestoreState").with("text", text).hint("`to_json()` writes what can be read")
            }
            _ => raised("RestoreError"),
        }
    }
}

impl Explain for MatrixError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::NoArms => raised("MatrixNoArms").hint(MATRIX),
            Self::WrongLength { n_arms, got } => {
                raised("MatrixWrongLength").with("n_arms", n_arms).with("got", got).hint(MATRIX)
            }
            Self::RaggedRow { row, expected, got } => raised("MatrixRaggedRow")
                .with("row", row)
                .with("expected", expected)
                .with("got", got)
                .hint(MATRIX),
            Self::NotFinite { row, column, value } => raised("MatrixNotFinite")
                .with("row", row)
                .with("column", column)
                .with("value", value)
                .hint(MATRIX),
            Self::OutOfRange { row, column, value } => raised("MatrixOutOfRange")
                .with("row", row)
                .with("column", column)
                .with("value", value)
                .hint(MATRIX),
            Self::Diagonal { row, value } => {
                raised("MatrixDiagonal").with("row", row).with("value", value).hint(MATRIX)
            }
            Self::Asymmetric { row, column, value, mirrored } => raised("MatrixAsymmetric")
                .with("row", row)
                .with("column", column)
                .with("value", value)
                .with("mirrored", mirrored)
                .hint(MATRIX),
            _ => raised("MatrixError"),
        }
    }
}

impl Explain for SubmatrixError {
    fn explain(&self) -> Raised {
        let raised = |class| Raised::of(class, self);
        match self {
            Self::NoArms => raised("SubmatrixNoArms"),
            Self::OutOfRange { arm, n_arms } => {
                raised("SubmatrixOutOfRange").with("arm", arm).with("n_arms", n_arms)
            }
            Self::Repeated { arm } => raised("SubmatrixRepeated").with("arm", arm),
            Self::TooMany { wanted, n_arms } => {
                raised("SubmatrixTooMany").with("wanted", wanted).with("n_arms", n_arms)
            }
            _ => raised("SubmatrixError"),
        }
    }
}

impl Explain for OutcomeError {
    fn explain(&self) -> Raised {
        Raised::of("OutcomeError", self).with("score", &self.score)
    }
}

impl Explain for InFlight {
    fn explain(&self) -> Raised {
        Raised::of("InFlight", self).with("ticket", self.ticket).hint("update or void that ticket first")
    }
}
