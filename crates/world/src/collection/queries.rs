//! Collections by name: files, or a synthetic collection.

use std::path::Path;

use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::spec::{Spec, SpecError};

use super::error::ReadCollectionError;
use super::letor::LetorReader;
use super::query::Query;
use super::synthetic::{Shape, ShapeError, Synthetic};

const SYNTHETIC: &str = "synthetic";

/// The queries of a collection from files or of a synthetic collection.
#[derive(Debug)]
pub struct Queries(Origin);

#[derive(Debug)]
enum Origin {
    Files(LetorReader),
    Synthetic(Synthetic),
}

impl Queries {
    /// Opens a collection. `names` are the files of one collection, or a single text such as
    /// `synthetic:like=mslr,queries=200,seed=1`.
    ///
    /// # Errors
    ///
    /// If a file cannot be opened, or a parameter is invalid.
    pub fn open<S: AsRef<str>>(names: &[S]) -> Result<Self, OpenCollectionError> {
        match names {
            [name] if is_synthetic(name.as_ref()) => {
                let spec: Spec = name.as_ref().parse()?;
                let (shape, seed) = Shape::from_spec(&spec)?;
                Ok(Self(Origin::Synthetic(Synthetic::new(shape, seed)?)))
            }
            _ if names.iter().any(|name| is_synthetic(name.as_ref())) => Err(OpenCollectionError::NotAlone),
            [] => Err(OpenCollectionError::NoNames),
            _ => Ok(Self(Origin::Files(LetorReader::open_all(
                names.iter().map(|name| Path::new(name.as_ref())),
            )?))),
        }
    }

    /// How much has been read, and the total: bytes of files, or queries of a synthetic collection.
    pub fn progress(&self) -> (u64, u64) {
        match &self.0 {
            Origin::Files(reader) => (reader.bytes_taken(), reader.bytes_total()),
            Origin::Synthetic(synthetic) => {
                let total = synthetic.shape().queries as u64;
                (total - synthetic.len() as u64, total)
            }
        }
    }
}

/// Whether the name means a synthetic collection. A file of that name takes precedence.
fn is_synthetic(name: &str) -> bool {
    name.split(':').next() == Some(SYNTHETIC) && !Path::new(name).exists()
}

impl From<LetorReader> for Queries {
    fn from(reader: LetorReader) -> Self {
        Self(Origin::Files(reader))
    }
}

impl From<Synthetic> for Queries {
    fn from(synthetic: Synthetic) -> Self {
        Self(Origin::Synthetic(synthetic))
    }
}

impl Iterator for Queries {
    type Item = Result<Query, ReadCollectionError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Origin::Files(reader) => reader.next(),
            Origin::Synthetic(synthetic) => synthetic.next().map(Ok),
        }
    }
}

/// Why a collection could not be opened.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum OpenCollectionError {
    #[error("no collection is given")]
    NoNames,
    #[error("a synthetic collection cannot be combined with other collections or files")]
    NotAlone,
    #[error(transparent)]
    Spec(#[from] SpecError),
    #[error(transparent)]
    Shape(#[from] ShapeError),
    #[error(transparent)]
    Read(#[from] ReadCollectionError),
}

impl Hint for OpenCollectionError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Shape(error) => error.hints(front),
            Self::Read(error) => error.hints(front),
            Self::NoNames | Self::NotAlone | Self::Spec(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_names() {
        let mut queries = Queries::open(&["synthetic:queries=2,features=3"]).unwrap();
        assert_eq!(queries.progress(), (0, 2));
        assert_eq!(queries.next().unwrap().unwrap().n_features(), 3);
        assert_eq!(queries.progress(), (1, 2));
        assert_eq!(queries.count(), 1);
        let error = |names: &[&str]| Queries::open(names).unwrap_err();
        assert!(matches!(error(&[]), OpenCollectionError::NoNames));
        assert!(matches!(error(&["synthetic", "x"]), OpenCollectionError::NotAlone));
        assert!(matches!(error(&["synthetic:x"]), OpenCollectionError::Spec(_)));
        assert!(matches!(error(&["synthetic:x=1"]), OpenCollectionError::Shape(_)));
        assert!(matches!(error(&["no/such/file"]), OpenCollectionError::Read(_)));
    }
}
