//! Everything a person sees goes through here: data to stdout, talk to stderr.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::Failure;

/// What stdout can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Screen {
    /// Characters in a line.
    pub(crate) width: usize,
    pub(crate) colours: Colours,
}

/// Which colours a terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colours {
    /// None, or nobody wants them.
    None,
    /// A table of 256.
    Table,
    /// Any.
    True,
}

impl Screen {
    /// What a file or a pipe is taken for.
    const PLAIN_WIDTH: usize = 100;

    /// The screen that stdout is, as the terminal, `NO_COLOR`, `CLICOLOR_FORCE`, `TERM` and
    /// `COLORTERM` tell.
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

    /// Where data goes that is no lines.
    pub(crate) fn data(&mut self) -> &mut (impl Write + Send + use<>) {
        &mut self.stdout
    }

    /// What lines of data may be made of.
    #[expect(clippy::unused_self, reason = "whoever prints must hold a printer")]
    pub(crate) fn screen(&self) -> Screen {
        Screen::of_stdout()
    }

    /// A line of talk.
    pub(crate) fn note(&self, note: impl Display) {
        if !self.quiet {
            to_stderr(format_args!("{note}\n"));
        }
    }

    /// Talk that someone is to answer: said also when little is to be said, and without an end of
    /// line of its own.
    #[expect(clippy::unused_self, reason = "whoever prints must hold a printer")]
    pub(crate) fn ask(&self, question: impl Display) {
        to_stderr(format_args!("{question}"));
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
        self.flush().map(|_| ())
    }

    /// Writes out what is held back; false if nobody reads it any more.
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
