//! Collections by name: files, or a made-up one.

use std::path::Path;

use tiltyard_bandit::hint::{FrontEnd, Hint};
use tiltyard_bandit::spec::{Spec, SpecError};

use super::error::ReadCollectionError;
use super::letor::LetorReader;
use super::query::Query;
use super::synthetic::{Shape, ShapeError, Synthetic};

/// The name that stands for a made-up collection.
const SYNTHETIC: &str = "synthetic";

/// The queries of a collection, wherever they come from.
#[derive(Debug)]
pub struct Queries(Origin);

#[derive(Debug)]
enum Origin {
    Files(LetorReader),
    Synthetic(Synthetic),
}

impl Queries {
    /// Opens the collection that the names stand for: files of one collection, or
    /// `synthetic:like=mslr,queries=200,seed=1` alone.
    ///
    /// # Errors
    ///
    /// If a file cannot be opened, or a parameter is refused.
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

    /// How much has been read and how much there is: bytes of files, or queries of a made-up
    /// collection.
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

/// A file of that name goes before.
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

/// Why there is no such collection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenCollectionError {
    /// No file was named.
    #[error("no collection was named")]
    NoNames,
    /// A made-up collection beside others.
    #[error("a synthetic collection stands alone: it cannot be joined with files")]
    NotAlone,
    /// A text that cannot be read.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A parameter was refused.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A file was refused.
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
