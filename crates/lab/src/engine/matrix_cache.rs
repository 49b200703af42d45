//! A cache of matrices for all experiments of a job.
//!
//! Some matrices take seconds to make (they play rankers of a synthetic collection against each
//! other), and most figures of a report share a matrix.

use std::collections::BTreeMap;

use tiltyard_bandit::matrix::PreferenceMatrix;
use tiltyard_world::builtin::{self, WorldError};
use tiltyard_world::{MatrixWorld, Regret, World};

use crate::engine::prepared_world::{Arms, PrepareError, PreparedWorld, prepare, prepare_matrix};

/// Matrices, keyed by the text that names them.
#[derive(Debug, Default)]
pub(crate) struct MatrixCache {
    worlds: BTreeMap<String, MatrixWorld>,
}

impl MatrixCache {
    /// Prepares a world as [`prepare`] does, from the cache if it is a matrix.
    pub(crate) fn prepare(
        &mut self,
        text: &str,
        rounds: u64,
        regret: Option<Regret>,
        arms: &[Arms],
    ) -> Result<Vec<PreparedWorld>, PrepareError> {
        match self.world(text, rounds) {
            Ok(Some(world)) => prepare_matrix(world.clone(), regret, arms),
            // Not a matrix, or an error: `prepare` handles both.
            Ok(None) | Err(_) => prepare(text, rounds, regret, arms),
        }
    }

    /// The matrix that a text names, made if necessary; `None` if the text names a world of another
    /// kind.
    pub(crate) fn matrix(&mut self, text: &str) -> Result<Option<&PreferenceMatrix>, WorldError> {
        Ok(self.world(text, 1)?.and_then(World::matrix))
    }

    /// The matrix that a text names, if the cache has it.
    pub(crate) fn get(&self, text: &str) -> Option<&PreferenceMatrix> {
        self.worlds.get(text).and_then(World::matrix)
    }

    fn world(&mut self, text: &str, rounds: u64) -> Result<Option<&MatrixWorld>, WorldError> {
        if !self.worlds.contains_key(text) {
            let Some(world) = builtin::open(text, rounds)?.into_matrix_world() else { return Ok(None) };
            self.worlds.insert(text.to_owned(), world);
        }
        Ok(self.worlds.get(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_matrices_are_kept_and_other_worlds_are_not() {
        let mut cache = MatrixCache::default();
        assert!(cache.get("arxiv6").is_none());
        assert_eq!(cache.prepare("arxiv6", 10, None, &[Arms::All, Arms::First(3)]).unwrap().len(), 2);
        assert_eq!(cache.get("arxiv6").unwrap().n_arms(), 6);
        assert_eq!(cache.prepare("deceptive10", 10, None, &[Arms::All]).unwrap()[0].n_arms(), 10);
        assert!(cache.get("deceptive10").is_none() && cache.matrix("deceptive10").unwrap().is_none());
        assert!(matches!(cache.prepare("nothing", 10, None, &[Arms::All]), Err(PrepareError::World(_))));
        assert!(cache.matrix("nothing").is_err());
    }
}
