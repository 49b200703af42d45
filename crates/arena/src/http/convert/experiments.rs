//! Experiments and their settings.

use tiltyard_wire as wire;

use crate::app::totals;
use crate::domain::{Create, Experiment, NewArm, Settings};

impl From<wire::ArmInput> for NewArm {
    fn from(arm: wire::ArmInput) -> Self {
        match arm {
            wire::ArmInput::Name(wire::ArmName(name)) => Self::named(name),
            wire::ArmInput::Full(wire::FullArm { name, label, payload }) => Self { name, label, payload },
        }
    }
}

impl From<wire::CreateBody> for Create {
    fn from(body: wire::CreateBody) -> Self {
        let given = body.settings;
        let default = Settings::DEFAULT;
        let settings = Settings {
            distinct: given.distinct.unwrap_or(default.distinct),
            holdout: given.holdout.unwrap_or(default.holdout),
            aa: given.aa.unwrap_or(default.aa),
            expires_after: given.expires_after.unwrap_or(default.expires_after),
            late: given.late.map_or(default.late, Into::into),
            activation: given.activation.map_or(default.activation, Into::into),
            horizon: given.horizon,
            voter_votes: given.voter_votes,
            voter_votes_per_minute: given.voter_votes_per_minute,
            max_in_flight: given.max_in_flight.unwrap_or(default.max_in_flight),
            confidence: given.confidence.unwrap_or(default.confidence),
            margin: given.margin,
            stop: given.stop.map_or(default.stop, Into::into),
        };
        Self {
            name: body.name,
            arms: body.arms.into_iter().map(NewArm::from).collect(),
            policy: body.policy,
            settings,
            distinct_by_policy: given.distinct.is_none(),
        }
    }
}

impl From<&Settings> for wire::SettingsView {
    fn from(settings: &Settings) -> Self {
        Self {
            distinct: settings.distinct,
            holdout: settings.holdout,
            aa: settings.aa,
            expires_after: settings.expires_after,
            late: settings.late.into(),
            activation: settings.activation.into(),
            horizon: settings.horizon,
            voter_votes: settings.voter_votes,
            voter_votes_per_minute: settings.voter_votes_per_minute,
            max_in_flight: settings.max_in_flight,
            confidence: settings.confidence,
            margin: settings.margin,
            stop: settings.stop.into(),
        }
    }
}

impl From<&Experiment> for wire::ExperimentView {
    fn from(experiment: &Experiment) -> Self {
        Self {
            id: experiment.id().to_string(),
            name: experiment.name().to_owned(),
            status: experiment.status().into(),
            created_at: experiment.created().to_string(),
            policy: experiment.policy().spec().to_string(),
            policy_version: experiment.policy_version(),
            settings: experiment.settings().into(),
            n_arms: experiment.arms().len(),
            seq: experiment.seq(),
            totals: totals(experiment),
        }
    }
}
