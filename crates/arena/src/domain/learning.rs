//! What policies learn from answers that they did not ask for.

pub(crate) mod apprentice;
