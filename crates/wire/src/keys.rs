//! Keys in requests and responses.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{ExperimentId, KeyId};

/// What a key allows.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Everything, including the management of keys.
    Admin,
    /// Everything about experiments: creating, changing and reading them, duels and outcomes.
    Writer,
    /// Duels and outcomes of one experiment.
    Voter,
    /// Reading only.
    Reader,
}

/// A request to create a key.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyBody {
    /// What the key allows.
    pub scope: Scope,
    /// The only experiment for which the key is valid. Required for the scope `voter`.
    #[schema(value_type = Option<ExperimentId>)]
    pub experiment: Option<String>,
    /// Whose key it is, in your own words.
    #[schema(min_length = 1, max_length = 200)]
    pub label: Option<String>,
    /// When the key expires.
    #[schema(format = DateTime)]
    pub expires_at: Option<String>,
}

/// A key, without its secret.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct KeyView {
    /// The id of the key.
    #[schema(value_type = KeyId)]
    pub id: String,
    /// What the key allows.
    pub scope: Scope,
    /// The only experiment for which the key is valid. Absent if it is valid for all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ExperimentId>, nullable = false)]
    pub experiment: Option<String>,
    /// Whose key it is, in your own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub label: Option<String>,
    /// When the key was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When the key expires.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When the key was revoked.
    #[schema(nullable = false, format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
    /// If this key is a session of the pages: the id of the key with which the person signed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<KeyId>, nullable = false)]
    pub session_of: Option<String>,
}

/// A new key.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct NewKeyView {
    /// The id of the key.
    #[schema(value_type = KeyId)]
    pub id: String,
    /// The key itself. It is shown only this once.
    pub key: String,
    /// What the key allows.
    pub scope: Scope,
}

/// A list of all keys.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct KeyList {
    /// The keys.
    pub keys: Vec<KeyView>,
}
