//! How long pages take to render.

use core::time::Duration;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::id::ExperimentId;

/// The time it took to render the page of each experiment, the last time.
#[derive(Debug, Default)]
pub(crate) struct RenderTimes(Mutex<BTreeMap<ExperimentId, Duration>>);

impl RenderTimes {
    pub(crate) fn set(&self, id: ExperimentId, time: Duration) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id, time);
    }

    pub(crate) fn get(&self, id: ExperimentId) -> Duration {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).copied().unwrap_or_default()
    }
}
