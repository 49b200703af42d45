//! The settings and arms of an experiment, and the requests to create and use it.

pub(crate) mod arms;
pub(crate) mod request;
pub(crate) mod settings;
