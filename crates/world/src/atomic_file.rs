//! Files that are there whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tiltyard_bandit::hint::{Fault, FrontEnd, Hint};

use tempfile::NamedTempFile;

/// A file being written: beside its place until [`keep`](Self::keep) puts it there in one step, and
/// gone if that never happens.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    force: bool,
    file: BufWriter<NamedTempFile>,
}

impl AtomicFile {
    /// Starts a file. Unless `force` is given, nothing may be in its place.
    ///
    /// # Errors
    ///
    /// If something is, or if nothing can be written there.
    pub fn new(path: &Path, force: bool) -> Result<Self, AtomicFileError> {
        let failed = |source| AtomicFileError::Unwritable { path: path.to_owned(), source };
        if !force && path.try_exists().map_err(failed)? {
            return Err(AtomicFileError::Exists { path: path.to_owned() });
        }
        if path.file_name().is_none() || path.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Asked for its own sake: the error below would name a random file.
        std::fs::metadata(folder).map_err(failed)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".tiltyard-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new file: what the user's mask leaves of it. The default would be readable by
            // its owner alone.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = BufWriter::new(builder.tempfile_in(folder).map_err(|error| failed(error.kind().into()))?);
        Ok(Self { path: path.to_owned(), force, file })
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    ///
    /// If not all of it could be written, or if something has come into its place meanwhile.
    pub fn keep(self) -> Result<(), AtomicFileError> {
        let Self { path, force, file } = self;
        let failed = |source| AtomicFileError::Unwritable { path: path.clone(), source };
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.as_file().sync_all().map_err(failed)?;
        let kept = if force { file.persist(&path) } else { file.persist_noclobber(&path) };
        match kept {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                Err(AtomicFileError::Exists { path })
            }
            Err(error) => Err(failed(error.error)),
        }
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Why a file cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AtomicFileError {
    /// Something is in its place.
    #[error("{} is there already", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The system says why.
    #[error("cannot write {}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl Hint for AtomicFileError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Exists { .. } => vec![format!("{} writes over it", front.flag("force"))],
            Self::Unwritable { .. } => Vec::new(),
        }
    }

    fn fault(&self) -> Fault {
        match self {
            Self::Exists { .. } => Fault::Input,
            Self::Unwritable { .. } => Fault::Machine,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn trace_there_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.csv");
        let mut file = AtomicFile::new(&path, false).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);

        let mut file = AtomicFile::new(&path, false).unwrap();
        file.write_all(b"whole").unwrap();
        assert!(!path.exists());
        file.keep().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn trace_what_is_there_stays_unless_forced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.csv");
        let early = AtomicFile::new(&path, false).unwrap();
        fs::write(&path, "old").unwrap();
        assert!(matches!(AtomicFile::new(&path, false), Err(AtomicFileError::Exists { .. })));
        assert!(matches!(early.keep(), Err(AtomicFileError::Exists { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        AtomicFile::new(&path, true).unwrap().keep().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
        assert!(matches!(AtomicFile::new(folder.path(), true), Err(AtomicFileError::Unwritable { .. })));
        assert!(matches!(
            AtomicFile::new(&folder.path().join("no/m.csv"), false),
            Err(AtomicFileError::Unwritable { .. })
        ));
    }
}
