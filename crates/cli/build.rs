//! Passes the git revision of the source to the binary, if git knows it.

use std::path::Path;
use std::process::Command;

fn main() {
    if let Some(revision) = git(&["rev-parse", "HEAD"]) {
        println!("cargo::rustc-env=TILTYARD_REVISION={revision}");
    }
    // Git writes to this file with every commit and every switch of branches.
    match git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).exists()) {
        Some(log) => println!("cargo::rerun-if-changed={log}"),
        None => println!("cargo::rerun-if-changed=build.rs"),
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let output =
        Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
