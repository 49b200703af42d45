//! Notices when the reader of stdout goes away.

use std::io;

/// Waits until the reader of stdout has closed its pipe. It does so without writing, because an
/// experiment may have no events for a long time.
///
/// # Errors
///
/// If stdout is not a pipe.
#[cfg(unix)]
pub(super) fn wait() -> io::Result<()> {
    use std::fs::File;
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::FileTypeExt as _;
    use tokio::io::Interest;
    use tokio::net::unix::pipe::Sender;

    let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    if !stdout.metadata()?.file_type().is_fifo() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // Unchecked, because nothing is written to it and the checked function would make stdout
        // non-blocking.
        let stdout = Sender::from_file_unchecked(stdout)?;
        while !stdout.ready(Interest::WRITABLE).await?.is_write_closed() {
            tokio::time::sleep(super::BEAT).await;
        }
        Ok(())
    })
}

/// On other systems, writing the next line notices it.
#[cfg(not(unix))]
pub(super) fn wait() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
