//! The parts of the state besides the policy: counts, the timeline, the audit log, voters.

pub(crate) mod audit_log;
pub(crate) mod counts;
pub(crate) mod timeline;
pub(crate) mod voters;
