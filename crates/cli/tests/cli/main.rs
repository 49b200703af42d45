//! Runs the binary like a user, and checks every message and every exit code.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod arena;
mod bad_input;
mod build;
mod collection;
mod output;
mod plan;
mod play;
mod plot;
mod rankers;
mod replay;
mod reproduce;
mod run;

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The binary with these arguments, in a clean environment.
fn tiltyard(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiltyard"));
    // A backtrace, colours or another width of the terminal would change the messages.
    command.args(arguments).env_remove("RUST_BACKTRACE").env("NO_COLOR", "1").env("COLUMNS", "110");
    // The tests must not use a developer's own server or key.
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("TILTYARD_SERVE") || name.starts_with("TILTYARD_KEY"))
        {
            command.env_remove(name);
        }
    }
    command
}

/// Exit code, stdout and stderr in one text, with temporary paths made constant.
fn seen(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().expect("the binary runs");
    let text = format!(
        "exit code: {}\n----- stdout -----\n{}----- stderr -----\n{}",
        output.status.code().map_or_else(|| "none".to_owned(), |code| code.to_string()),
        String::from_utf8(output.stdout).expect("stdout is text"),
        String::from_utf8(output.stderr).expect("stderr is text"),
    );
    steady(&text)
}

/// Replaces temporary paths, which differ from run to run.
fn steady(text: &str) -> String {
    let directory = std::env::temp_dir().display().to_string();
    let words = text.split_inclusive(char::is_whitespace).map(|word| match word.find(&directory) {
        // The temporary directory has a random name, so only the name of the file is kept.
        Some(start) => {
            let name = word[start..].rfind('/').map_or(word.len(), |slash| start + slash);
            format!("{}[DIR]{}", &word[..start], &word[name..])
        }
        None => word.to_owned(),
    });
    words.collect()
}

/// A directory with one file in it.
fn file(name: &str, contents: &[u8]) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join(name);
    std::fs::File::create(&path).and_then(|mut file| file.write_all(contents)).expect("a temporary file");
    (directory, path)
}
