//! What an experiment is made of: its settings, its arms, and requests.

pub(crate) mod arms;
pub(crate) mod request;
pub(crate) mod settings;
