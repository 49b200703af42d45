//! Runs the program and the wheel in a minimal Debian in the target directory.

use std::path::Path;

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::python::{self, Environment};
use crate::system::{find, install};
use crate::target;

/// The script that runs there. The program and the wheel are in `/root`.
const SCRIPT: &str = r#"
set -eu
cd /root
./tiltyard play --rounds 1e4 --runs 5 --quiet
./tiltyard reproduce matrices --out report --no-progress --quiet
test -s report/report.html
./tiltyard serve --listen 127.0.0.1:0 --data data --announce json > announced & server=$!
for i in 1 2 3 4 5 6 7 8 9 10; do test -s announced && break; sleep 1; done
python3 - <<'PYTHON'
import json, urllib.request
said = json.load(open("announced"))
assert urllib.request.urlopen(said["url"] + "/healthz").status == 200
PYTHON
kill $server; wait $server
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check ./*.whl
environment/bin/python -c "import tiltyard; print(tiltyard.play('arxiv6', ['rex3'], rounds=1000, runs=2))"
echo everything ran
"#;

/// Creates the root, copies the program and the wheel into it, and runs [`SCRIPT`] there.
pub(crate) fn run(sh: &Shell) -> Result<()> {
    if cmd!(sh, "id -u").quiet().read()? != "0" {
        bail!("this step uses `chroot` and must run as root");
    }
    if find("debootstrap").is_none() {
        install(sh, &["debootstrap"])?;
    }
    cmd!(sh, "cargo build --release --locked").run()?;
    let environment = Environment::make(sh, target().join("python/wheel-environment"), true)?;
    environment.pip(sh, &["--requirement", "xtask/python/wheel.txt"])?;
    let wheel = python::build(sh, &environment)?;
    let folder = target().join("clean-root");
    sh.remove_path(&folder)?;
    let (release, mirror) = (release(sh)?, mirror(sh)?);
    let included = "--include=python3,python3-venv,ca-certificates";
    cmd!(sh, "debootstrap --variant=minbase {included} {release} {folder} {mirror}").run()?;
    let home = folder.join("root");
    sh.copy_file(target().join("release/tiltyard"), home.join("tiltyard"))?;
    sh.copy_file(&wheel, &home)?;
    // Host names, settings and trusted certificates, which `pip` needs to reach its registry.
    for path in ["etc/resolv.conf", "etc/pip.conf", "etc/ssl/certs/ca-certificates.crt"] {
        let from = Path::new("/").join(path);
        if from.exists() {
            sh.copy_file(from, folder.join(path))?;
        }
    }
    let said = cmd!(sh, "chroot {folder} /bin/sh -c {SCRIPT}").read()?;
    println!("{said}");
    sh.remove_path(&folder)?;
    if said.ends_with("everything ran") { Ok(()) } else { bail!("the script ended early") }
}

/// The code name of this machine's Debian.
fn release(sh: &Shell) -> Result<String> {
    let text = sh.read_file("/etc/os-release")?;
    let name = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    Ok(name.context("/etc/os-release does not name a release of Debian")?.to_owned())
}

/// The address from which this machine gets its packages.
fn mirror(sh: &Shell) -> Result<String> {
    let listed =
        cmd!(sh, "apt-get indextargets --format $(SITE) --no-release-info").quiet().ignore_stderr().read();
    listed
        .ok()
        .and_then(|text| text.lines().map(str::trim).find(|line| line.contains("://")).map(str::to_owned))
        .context("`apt-get` does not list a source of packages")
}
