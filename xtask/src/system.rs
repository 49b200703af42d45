//! Finds programs in the PATH, and installs missing ones with apt-get if that is available.

use std::path::PathBuf;

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

/// The path of a program in the PATH.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
}

/// Installs Debian packages, after a message that says so.
pub(crate) fn install(sh: &Shell, packages: &[&str]) -> Result<()> {
    println!("missing: {}; installing with apt-get", packages.join(", "));
    if find("apt-get").is_none() {
        bail!("cannot install them: this machine has no `apt-get`");
    }
    let is_root = cmd!(sh, "id -u").quiet().read()? == "0";
    if !is_root && find("sudo").is_none() {
        bail!("cannot install them: this user is not root and there is no `sudo`");
    }
    let apt = |words: &[&str]| {
        if is_root {
            cmd!(sh, "env DEBIAN_FRONTEND=noninteractive apt-get --quiet {words...}").run()
        } else {
            cmd!(sh, "sudo env DEBIAN_FRONTEND=noninteractive apt-get --quiet {words...}").run()
        }
    };
    apt(&["update"])?;
    // Upgrading or removing packages is left to the owner of the machine.
    let careful = ["install", "--yes", "--no-install-recommends", "--no-upgrade", "--no-remove"];
    Ok(apt(&[&careful, packages].concat())?)
}
