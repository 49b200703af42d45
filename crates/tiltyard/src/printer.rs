//! Everything a person sees goes through here: data to stdout, talk to stderr.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::Failure;

/// Where output goes, and how much of it.
pub(crate) struct Printer {
    stdout: BufWriter<Stdout>,
    quiet: bool,
    progress: bool,
    /// The first error met in writing to stdout; what follows it is not written.
    broken: Option<io::Error>,
}

impl Printer {
    pub(crate) fn new(quiet: bool, no_progress: bool) -> Self {
        let progress = !quiet && !no_progress && io::stderr().is_terminal();
        Self { stdout: BufWriter::new(io::stdout()), quiet, progress, broken: None }
    }

    /// A line of data.
    pub(crate) fn line(&mut self, line: impl Display) {
        if self.broken.is_none() {
            self.broken = writeln!(self.stdout, "{line}").err();
        }
    }

    /// A line of talk.
    pub(crate) fn note(&self, note: impl Display) {
        if !self.quiet {
            to_stderr(format_args!("{note}\n"));
        }
    }

    /// A bar over `total` steps, invisible where nobody looks.
    pub(crate) fn bar(&self, total: u64) -> ProgressBar {
        let target =
            if self.progress { ProgressDrawTarget::stderr_with_hz(10) } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg}")
            .expect("the template is well formed");
        ProgressBar::with_draw_target(Some(total), target).with_style(style)
    }

    /// How often a bar is worth drawing anew.
    pub(crate) const BEAT: Duration = Duration::from_millis(100);

    /// Writes out what is held back, and says whether all of it arrived.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        let result = match self.broken.take() {
            Some(error) => Err(error),
            None => self.stdout.flush(),
        };
        match result {
            // The reader has seen enough, as in `tiltyard ... | head -1`.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result.map_err(Failure::stdout),
        }
    }
}

/// Says what went wrong and what to do, quiet or not.
pub(crate) fn say(failure: &Failure) {
    to_stderr(format_args!("error: {failure}\n"));
    for hint in failure.hints() {
        to_stderr(format_args!("\nhint: {hint}\n"));
    }
}

fn to_stderr(text: std::fmt::Arguments<'_>) {
    // Nobody is left to tell if stderr is closed.
    let _ = io::stderr().write_fmt(text);
}
