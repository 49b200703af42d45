//! How policies learn from answers to their own duels and to those of other policies; and the
//! apprentice, which learns next to the policy in charge.

pub(crate) mod apprentice;
pub(crate) mod lesson;
