//! What policies learn from answers, their own duels' or others', and the apprentice that learns
//! beside the policy.

pub(crate) mod apprentice;
pub(crate) mod lesson;
