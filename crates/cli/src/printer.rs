//! All output goes through here: data to stdout, messages to stderr.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::Failure;

/// Width and colours of stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Screen {
    /// In characters.
    pub(crate) width: usize,
    pub(crate) colours: Colours,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colours {
    /// The terminal has no colours, or the user turned them off.
    None,
    /// A table of 256 colours.
    Table,
    /// Any red, green and blue.
    True,
}

impl Screen {
    /// The width assumed for a file or a pipe.
    const PLAIN_WIDTH: usize = 100;

    /// Asks the terminal and reads `NO_COLOR`, `CLICOLOR_FORCE`, `TERM` and `COLORTERM`.
    fn of_stdout() -> Self {
        let size = console::Term::stdout().size_checked();
        let colours = match (console::colors_enabled(), console::true_colors_enabled()) {
            (false, _) => Colours::None,
            (true, false) => Colours::Table,
            (true, true) => Colours::True,
        };
        Self { width: size.map_or(Self::PLAIN_WIDTH, |(_, columns)| usize::from(columns)), colours }
    }
}

/// Where output goes, and how much of it.
pub(crate) struct Printer {
    stdout: BufWriter<Stdout>,
    quiet: bool,
    progress: bool,
    /// The first error in writing to stdout. Nothing is written after it.
    broken: Option<io::Error>,
}

impl Printer {
    pub(crate) fn new(quiet: bool, no_progress: bool) -> Self {
        let progress = !quiet && !no_progress && io::stderr().is_terminal();
        Self { stdout: BufWriter::new(io::stdout()), quiet, progress, broken: None }
    }

    /// Prints a line of data.
    pub(crate) fn line(&mut self, line: impl Display) {
        if self.broken.is_none() {
            self.broken = writeln!(self.stdout, "{line}").err();
        }
    }

    /// The writer for data that does not consist of lines.
    pub(crate) fn data(&mut self) -> &mut (impl Write + Send + use<>) {
        &mut self.stdout
    }

    /// Width and colours available for lines of data.
    #[expect(clippy::unused_self, reason = "only the owner of the printer prints")]
    pub(crate) fn screen(&self) -> Screen {
        Screen::of_stdout()
    }

    /// Prints a message.
    pub(crate) fn note(&self, note: impl Display) {
        if !self.quiet {
            to_stderr(format_args!("{note}\n"));
        }
    }

    /// Prints a question, even with `--quiet`, and does not end the line.
    #[expect(clippy::unused_self, reason = "only the owner of the printer prints")]
    pub(crate) fn ask(&self, question: impl Display) {
        to_stderr(format_args!("{question}"));
    }

    /// A progress bar over `total` steps. It is hidden with `--quiet` or `--no-progress`, and if
    /// stderr is not a terminal.
    pub(crate) fn bar(&self, total: u64) -> ProgressBar {
        let target =
            if self.progress { ProgressDrawTarget::stderr_with_hz(10) } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template("{bar:30} {percent:>3}%  {msg}")
            .expect("the template is well formed");
        ProgressBar::with_draw_target(Some(total), target).with_style(style)
    }

    /// The time between two redraws of a bar.
    pub(crate) const BEAT: Duration = Duration::from_millis(100);

    /// Flushes stdout and returns the first error in writing to it.
    pub(crate) fn finish(&mut self) -> Result<(), Failure> {
        self.flush().map(|_| ())
    }

    /// Flushes stdout; false if its reader has closed it.
    pub(crate) fn flush(&mut self) -> Result<bool, Failure> {
        let result = match self.broken.take() {
            Some(error) => Err(error),
            None => self.stdout.flush(),
        };
        match result {
            // The reader has seen enough, as in `tiltyard ... | head -1`.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            result => result.map(|()| true).map_err(Failure::stdout),
        }
    }
}

/// Prints an error and its hints, even with `--quiet`.
pub(crate) fn say(failure: &Failure) {
    to_stderr(format_args!("error: {failure}\n"));
    for hint in failure.hints() {
        to_stderr(format_args!("\nhint: {hint}\n"));
    }
}

fn to_stderr(text: std::fmt::Arguments<'_>) {
    // If stderr is closed, the error cannot be reported anywhere.
    let _ = io::stderr().write_fmt(text);
}
