//! Programs that the machine must have: looked for in the PATH, installed with apt-get where that
//! is there.

use std::path::PathBuf;

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

/// Where a program is in the PATH.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
}

/// Installs packages of Debian, and says so first.
pub(crate) fn install(sh: &Shell, packages: &[&str]) -> Result<()> {
    println!("missing: {}; they are installed with apt-get", packages.join(", "));
    if find("apt-get").is_none() {
        bail!("there is no `apt-get` here to install them with");
    }
    let is_root = cmd!(sh, "id -u").quiet().read()? == "0";
    if !is_root && find("sudo").is_none() {
        bail!("only root may install packages, and there is no `sudo` to become root with");
    }
    let apt = |words: &[&str]| {
        if is_root {
            cmd!(sh, "env DEBIAN_FRONTEND=noninteractive apt-get --quiet {words...}").run()
        } else {
            cmd!(sh, "sudo env DEBIAN_FRONTEND=noninteractive apt-get --quiet {words...}").run()
        }
    };
    apt(&["update"])?;
    // Whether one of these is upgraded, or anything removed for them, is for the machine's owner to
    // decide.
    let careful = ["install", "--yes", "--no-install-recommends", "--no-upgrade", "--no-remove"];
    Ok(apt(&[&careful, packages].concat())?)
}
