//! The error of saved states that no run can have left.

/// Parts of a saved state do not fit together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the saved state is damaged: {0}")]
pub(crate) struct Damaged(pub(crate) &'static str);
