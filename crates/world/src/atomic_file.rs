//! Files that are written completely or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tiltyard_bandit::hint::{Fault, FrontEnd, Hint};

use tempfile::NamedTempFile;

/// A file being written. It is a temporary file until [`keep`](Self::keep) moves it to its path in
/// one step. Without `keep` it is deleted.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    force: bool,
    file: BufWriter<NamedTempFile>,
}

impl AtomicFile {
    /// Starts a file. Only with `force` may it replace an existing file.
    ///
    /// # Errors
    ///
    /// If the path exists and `force` is not given, or if nothing can be written there.
    pub fn new(path: &Path, force: bool) -> Result<Self, AtomicFileError> {
        let failed = |source| AtomicFileError::Unwritable { path: path.to_owned(), source };
        if !force && path.try_exists().map_err(failed)? {
            return Err(AtomicFileError::Exists { path: path.to_owned() });
        }
        if path.file_name().is_none() || path.is_dir() {
            return Err(failed(io::ErrorKind::IsADirectory.into()));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Checked first, because the error below would name the temporary file.
        std::fs::metadata(folder).map_err(failed)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".tiltyard-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The permissions of any new file, reduced by the user's mask. By default only the
            // owner could read a temporary file.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = BufWriter::new(builder.tempfile_in(folder).map_err(|error| failed(error.kind().into()))?);
        Ok(Self { path: path.to_owned(), force, file })
    }

    /// Moves the complete file to its path.
    ///
    /// # Errors
    ///
    /// If not everything could be written, or if another file has appeared at the path and `force`
    /// was not given.
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

    /// The final path of the file.
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
#[expect(missing_docs, reason = "the messages describe them")]
#[non_exhaustive]
pub enum AtomicFileError {
    #[error("{} exists already", path.display())]
    Exists { path: PathBuf },
    #[error("cannot write {}", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
}

impl Hint for AtomicFileError {
    fn hints(&self, front: &dyn FrontEnd) -> Vec<String> {
        match self {
            Self::Exists { .. } => vec![format!("{} overwrites it", front.flag("force"))],
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
