//! The paper's table of matrices.

use std::path::Path;

use tiltyard_bandit::Arm;
use tiltyard_bandit::matrix::PreferenceMatrix;
use tiltyard_world::builtin::WorldError;

use crate::engine::matrix_cache::MatrixCache;
use crate::engine::plan::Source;

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// The name that claims use.
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) matrix: PreferenceMatrix,
    pub(super) source: Source,
}

/// Where a matrix comes from.
struct MatrixSource {
    name: &'static str,
    label: &'static str,
    /// The file in the data directory, unless the matrix is built in.
    file: Option<&'static str>,
    /// The built-in world, or the stand-in for the file.
    world: &'static str,
    /// Keep only this many arms, from the first on.
    first: Option<usize>,
}

const NP_FILE: &str = "matrices/letor64_provenance_unconfirmed.csv";
const NP: &str = "synthetic-np64:clicks=navigational";

const fn built_in(name: &'static str, label: &'static str) -> MatrixSource {
    MatrixSource { name, label, file: None, world: name, first: None }
}

const fn np(name: &'static str, label: &'static str, first: usize) -> MatrixSource {
    MatrixSource { name, label, file: Some(NP_FILE), world: NP, first: Some(first) }
}

const fn mslr(
    name: &'static str,
    label: &'static str,
    file: &'static str,
    world: &'static str,
) -> MatrixSource {
    MatrixSource { name, label, file: Some(file), world, first: None }
}

const SOURCES: [MatrixSource; 10] = [
    built_in("arxiv6", "arXiv"),
    np("np2004-16", "NP2004, first 16", 16),
    np("np2004-32", "NP2004, first 32", 32),
    np("np2004-64", "NP2004", 64),
    mslr(
        "mslr-inf",
        "MSLR informational",
        "matrices/mslr_informational_136.csv",
        "synthetic-mslr136:clicks=informational",
    ),
    mslr(
        "mslr-nav",
        "MSLR navigational",
        "matrices/mslr_navigational_136.csv",
        "synthetic-mslr136:clicks=navigational",
    ),
    mslr("mslr-perf", "MSLR perfect", "matrices/mslr_perfect_136.csv", "synthetic-mslr136:clicks=perfect"),
    built_in("savage6", "SAVAGE"),
    built_in("savage30", "SAVAGE"),
    built_in("bvs20", "Bvs"),
];

/// The rows whose matrices are built in or in the cache. With `make`, the other matrices are built
/// as well.
pub(super) fn table(
    cache: &mut MatrixCache,
    data: Option<&Path>,
    make: bool,
) -> Result<Vec<Row>, WorldError> {
    let mut rows = Vec::new();
    for entry in &SOURCES {
        let file = entry.file.and_then(|file| Some(data?.join(file))).filter(|path| path.is_file());
        let (text, source) = match (&file, entry.file) {
            (Some(path), _) => (path.display().to_string(), Source::Data),
            (None, Some(_)) => (entry.world.to_owned(), Source::StandIn),
            (None, None) => (entry.world.to_owned(), Source::Named),
        };
        let found = if make || source == Source::Named { cache.matrix(&text)? } else { cache.get(&text) };
        let Some(found) = found else { continue };
        let matrix = match entry.first {
            Some(n_arms) if n_arms < found.n_arms() => {
                let first: Vec<Arm> = Arm::all(n_arms).collect();
                found.submatrix(&first).expect("fewer arms than there are, each once")
            }
            _ => found.clone(),
        };
        rows.push(Row { name: entry.name, label: entry.label, matrix, source });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without data and without `make`, the table has the built-in matrices. The regret of random
    /// play per round is known for them.
    #[test]
    fn trace_the_built_in_rows() {
        let rows = table(&mut MatrixCache::default(), None, false).unwrap();
        let costs: Vec<(&str, f64)> =
            rows.iter().map(|row| (row.name, (row.matrix.gaps().random_play * 1e4).round() / 1e4)).collect();
        assert_eq!(costs, [("arxiv6", 0.06), ("savage6", 0.2778), ("savage30", 0.2578), ("bvs20", 0.0095)]);
        assert!(rows.iter().all(|row| row.source == Source::Named));
    }
}
