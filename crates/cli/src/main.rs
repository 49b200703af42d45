//! The `tiltyard` binary: parses arguments and prints results. Everything else is in the libraries.

use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::cli::{Arguments, Failure};
use crate::printer::Printer;

mod cli;
mod number;
mod printer;

fn main() -> ExitCode {
    let parsed = cli::command().try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => return parse_exit(&error),
    };
    let mut printer = Printer::new(arguments.quiet, arguments.no_progress);
    match cli::dispatch(arguments.command, &mut printer).and_then(|()| printer.finish()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            printer::say(&failure);
            failure.exit_code()
        }
    }
}

/// Help and version go to stdout and count as success. Anything else is a mistake in the arguments.
fn parse_exit(error: &clap::Error) -> ExitCode {
    let printed = error.print();
    if error.use_stderr() {
        ExitCode::from(Failure::BAD_INPUT)
    } else if printed.is_err_and(|error| error.kind() != std::io::ErrorKind::BrokenPipe) {
        ExitCode::from(Failure::BROKEN)
    } else {
        ExitCode::SUCCESS
    }
}
