//! A cache of results that were read.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use super::find::{Run, Stamp, in_words, stamp};
use crate::results::Results;
use crate::results::directory::{MANIFEST, RESULTS};

/// The number of results kept: as many as can be compared at once.
const MOST: usize = super::MOST_COMPARED;

/// The results that were requested last, the latest at the end.
#[derive(Debug, Default)]
pub(super) struct ResultsCache {
    kept: Mutex<Vec<CachedResults>>,
    /// Results are read one at a time, so that many requests do not overload the server.
    reading: Mutex<()>,
}

#[derive(Debug)]
struct CachedResults {
    path: PathBuf,
    stamps: [Stamp; 2],
    results: Arc<Results>,
}

impl ResultsCache {
    /// The results of a run, read anew if its files have changed.
    pub(super) fn results(&self, run: &Run) -> Result<Arc<Results>, String> {
        let stamps = [MANIFEST, RESULTS].map(|name| stamp(&run.path.join(name)));
        if let Some(results) = self.take(run, stamps) {
            return Ok(results);
        }
        let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        // Another request may have read the same results meanwhile.
        if let Some(results) = self.take(run, stamps) {
            return Ok(results);
        }
        let results = Arc::new(Results::open(&run.path).map_err(|error| in_words(&error))?);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.path != run.path);
        if kept.len() == MOST {
            kept.remove(0);
        }
        kept.push(CachedResults { path: run.path.clone(), stamps, results: Arc::clone(&results) });
        Ok(results)
    }

    fn take(&self, run: &Run, stamps: [Stamp; 2]) -> Option<Arc<Results>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.iter().position(|kept| kept.path == run.path && kept.stamps == stamps)?;
        let found = kept.remove(at);
        let results = Arc::clone(&found.results);
        kept.push(found);
        Some(results)
    }
}
