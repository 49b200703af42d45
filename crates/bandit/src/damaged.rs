//! The error for saved states that no run can have produced.

/// Parts of a saved state contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the saved state is damaged: {0}")]
pub(crate) struct Damaged(pub(crate) &'static str);
