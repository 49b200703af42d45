//! Whether anybody reads stdout.

use std::io;

/// Returns once the reader of a pipe that stdout is has gone away, without writing anything: an
/// experiment may be silent for long.
///
/// # Errors
///
/// If stdout is no pipe.
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
        // Unchecked, since it is never written to, and the other way would make stdout
        // non-blocking.
        let stdout = Sender::from_file_unchecked(stdout)?;
        while !stdout.ready(Interest::WRITABLE).await?.is_write_closed() {
            tokio::time::sleep(super::BEAT).await;
        }
        Ok(())
    })
}

/// Elsewhere it is noticed when the next line is written.
#[cfg(not(unix))]
pub(super) fn wait() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
