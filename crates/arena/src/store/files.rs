//! Files that no other user of the machine may read, because they hold votes, the names of voters
//! and the secrets needed to answer duels; and files that are replaced as a whole.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Creates a directory that only its owner can access. An existing directory keeps its permissions.
pub(crate) fn private_directory(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens a file for appending. A new file can be accessed only by its owner.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Replaces a file as a whole: after a loss of power there is the old file or the new one.
pub(crate) fn replace_file(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let draft = beside(path, ".new");
    let replaced = || {
        let _ = fs::remove_file(&draft);
        let mut out = BufWriter::new(private_file(&draft)?);
        write(&mut out)?;
        out.flush()?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        fs::rename(&draft, path)?;
        sync_directory(path)
    };
    replaced().inspect_err(|_| {
        let _ = fs::remove_file(&draft);
    })
}

/// Makes the names of the files beside this one durable.
pub(crate) fn sync_directory(file: &Path) -> io::Result<()> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(parent)?.sync_all()
}

/// The path with a suffix appended.
pub(super) fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Which file a path names. A file that was deleted or replaced has another identity, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
}

impl Identity {
    /// The identity of the file at a path, and its length.
    pub(super) fn of(path: &Path) -> io::Result<(Self, u64)> {
        let metadata = fs::metadata(path)?;
        let identity = Self {
            #[cfg(unix)]
            device: std::os::unix::fs::MetadataExt::dev(&metadata),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(&metadata),
        };
        Ok((identity, metadata.len()))
    }
}
