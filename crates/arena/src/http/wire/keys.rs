//! Keys as they travel.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{ExperimentId, KeyId};
use crate::key::{Key, Scope};

/// What a key is good for.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Scope)]
pub(in crate::http) enum ScopeWord {
    /// Everything, keys included.
    Admin,
    /// Experiments: making and changing them, duels, outcomes, reading.
    Writer,
    /// Duels and outcomes of one experiment.
    Voter,
    /// Reading.
    Reader,
}

impl From<ScopeWord> for Scope {
    fn from(word: ScopeWord) -> Self {
        match word {
            ScopeWord::Admin => Self::Admin,
            ScopeWord::Writer => Self::Writer,
            ScopeWord::Voter => Self::Voter,
            ScopeWord::Reader => Self::Reader,
        }
    }
}

impl From<Scope> for ScopeWord {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Admin => Self::Admin,
            Scope::Writer => Self::Writer,
            Scope::Voter => Self::Voter,
            Scope::Reader => Self::Reader,
        }
    }
}

/// A key to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct KeyBody {
    /// What it is good for.
    pub scope: ScopeWord,
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
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct KeyView {
    /// Its id.
    #[schema(value_type = KeyId)]
    pub id: String,
    /// What it is good for.
    pub scope: ScopeWord,
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

impl From<&Key> for KeyView {
    fn from(key: &Key) -> Self {
        Self {
            id: key.made.key.to_string(),
            scope: key.made.scope.into(),
            experiment: key.made.experiment.map(|id| id.to_string()),
            label: key.made.label.clone(),
            created_at: key.at.to_string(),
            expires_at: key.made.expires.map(|time| time.to_string()),
            revoked_at: key.revoked.map(|time| time.to_string()),
            session_of: key.made.parent.map(|key| key.to_string()),
        }
    }
}

/// A key that was just made.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct NewKeyView {
    /// Its id.
    #[schema(value_type = KeyId)]
    pub id: String,
    /// The key itself. It is shown this once.
    pub key: String,
    /// What it is good for.
    pub scope: ScopeWord,
}

/// All keys.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::http) struct KeyList {
    /// The keys.
    pub keys: Vec<KeyView>,
}
