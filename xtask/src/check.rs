//! `cargo xtask check`: format, lints, and the tests of the crates that changed.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::ci::{self, LEFT_OUT};
use crate::{root, step};

/// Checks the changes since `origin/main`, or since the last commit if there is no such branch.
pub(crate) fn run(sh: &Shell) -> Result<()> {
    let base = cmd!(sh, "git merge-base HEAD origin/main").quiet().ignore_stderr().read();
    let base = base.unwrap_or_else(|_| "HEAD".to_owned());
    let changed = cmd!(sh, "git diff --name-only {base}").quiet().read()?;
    let untracked = cmd!(sh, "git ls-files --others --exclude-standard").quiet().read()?;
    let packages = changed_packages(&packages(sh)?, changed.lines().chain(untracked.lines()));
    step("format", || ci::format(sh))?;
    step("lints", || {
        Ok(cmd!(sh, "cargo clippy --workspace --exclude {LEFT_OUT} --locked --all-targets -- -D warnings")
            .run()?)
    })?;
    if packages.is_empty() {
        println!("\nno crate changed since {base}, so no tests are run");
        return Ok(());
    }
    let chosen: Vec<&str> = packages.iter().flat_map(|name| ["--package", name]).collect();
    step("tests", || Ok(cmd!(sh, "cargo test --locked {chosen...}").run()?))
}

/// The folder (relative to the root) and the name of each package of the workspace.
fn packages(sh: &Shell) -> Result<Vec<(String, String)>> {
    let text = cmd!(sh, "cargo metadata --no-deps --format-version 1 --locked").quiet().read()?;
    let metadata: Value = serde_json::from_str(&text)?;
    let mut packages = Vec::new();
    for package in metadata["packages"].as_array().context("cargo lists packages")? {
        let text = |key: &str| package[key].as_str().context("cargo names packages");
        let manifest = std::path::Path::new(text("manifest_path")?).strip_prefix(root())?;
        let folder = manifest.parent().unwrap_or(manifest).to_string_lossy().into_owned();
        packages.push((folder, text("name")?.to_owned()));
    }
    Ok(packages)
}

/// The packages that these files belong to.
fn changed_packages<'a>(
    packages: &[(String, String)],
    files: impl Iterator<Item = &'a str>,
) -> BTreeSet<String> {
    let package = |file: &str| {
        packages
            .iter()
            .find(|(folder, _)| file.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/')))
    };
    files.filter_map(package).map(|(_, name)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_files_belong_to_packages() {
        let packages =
            [("crates/lab", "tiltyard-lab"), ("xtask", "xtask")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        let files = ["crates/lab/src/run.rs", "crates/labels.rs", "xtask/src/ci.rs", "docs/delay.md"];
        let changed: Vec<_> = changed_packages(&packages, files.into_iter()).into_iter().collect();
        assert_eq!(changed, ["tiltyard-lab", "xtask"]);
    }
}
