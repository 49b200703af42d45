//! Keys as they travel.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ExperimentId, KeyId};

/// What a key is good for.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Everything, keys included.
    Admin,
    /// Experiments: making and changing them, duels, outcomes, reading.
    Writer,
    /// Duels and outcomes of one experiment.
    Voter,
    /// Reading.
    Reader,
}

/// A key to be made.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyBody {
    /// What it is good for.
    pub scope: Scope,
    /// The one experiment that it is good for; needed for `voter`.
    #[schema(value_type = Option<ExperimentId>)]
    pub experiment: Option<String>,
    /// Whose it is.
    #[schema(min_length = 1, max_length = 200)]
    pub label: Option<String>,
    /// From when on it is good for nothing.
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
}

/// A key, without its secret.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct KeyView {
    /// Its id.
    #[schema(value_type = KeyId)]
    pub id: String,
    /// What it is good for.
    pub scope: Scope,
    /// The one experiment that it is good for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ExperimentId>, nullable = false)]
    pub experiment: Option<String>,
    /// Whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub label: Option<String>,
    /// When it was made.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// From when on it is good for nothing.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When it was revoked.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
    /// The key with which someone signed in to the pages, if this is the session that began then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<KeyId>, nullable = false)]
    pub session_of: Option<String>,
}

/// A key that was just made.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct NewKeyView {
    /// Its id.
    #[schema(value_type = KeyId)]
    pub id: String,
    /// The key itself. It is shown this once.
    pub key: String,
    /// What it is good for.
    pub scope: Scope,
}

/// All keys.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct KeyList {
    /// The keys.
    pub keys: Vec<KeyView>,
}
