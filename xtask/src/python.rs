//! The Python package as its users get it: a wheel, built, installed into an environment of its own, and tested there.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::system::{find, install};
use crate::{root, target};

/// What the pinned tools need, and Debian 12 has. The wheel itself is for 3.10 as well.
const LEAST_MINOR: u32 = 11;

/// What the tests need of the wheel's extras. Ray's is named where it is installed.
const EXTRAS: &str = "arena,arrow,pandas,plot,polars";

/// What was asked for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request {
    /// To see soon whether a change works: less is built and tested, and the output says what.
    fast: bool,
}

impl Request {
    /// Reads `[--fast]`.
    pub(crate) fn read(words: &[&str]) -> Result<Self> {
        match words {
            [] => Ok(Self { fast: false }),
            ["--fast"] => Ok(Self { fast: true }),
            _ => bail!("`{}` is not known: `python [--fast]`", words.join(" ")),
        }
    }
}

/// Builds the wheel and runs everything that is tested with it.
pub(crate) fn run(sh: &Shell, Request { fast }: Request) -> Result<()> {
    let folder = target().join("python");
    let environment = Environment::make(sh, folder.join("environment"), fast)?;
    environment.pip(sh, &["--requirement", "xtask/python/requirements.txt"])?;
    let wheel = build(sh, &environment, fast)?;
    environment.install(sh, &wheel, fast)?;
    cmd!(sh, "cargo build --locked --package tiltyard").run()?;
    let server = target().join("debug").join(format!("tiltyard{}", std::env::consts::EXE_SUFFIX));
    let _server = sh.push_env("TILTYARD_BINARY", server);
    // Nothing is written into the tree.
    let _no_bytes = sh.push_env("PYTHONDONTWRITEBYTECODE", "1");
    let _types = sh.push_env("MYPY_CACHE_DIR", folder.join("mypy"));
    let notebook = root().join("python/notebooks/quickstart.ipynb");
    let _here = sh.push_dir(root().join("python"));

    let (python, cache) = (environment.program("python"), folder.join("pytest"));
    let chosen: &[&str] = if fast { &["-m", "not slow"] } else { &[] };
    cmd!(sh, "{python} -m pytest -o cache_dir={cache} {chosen...} tests").run()?;
    types(sh, &python)?;
    if fast {
        println!("LEFT OUT by --fast: optimisation, tests marked `slow`, Ray, the notebook");
        return Ok(());
    }
    let execute = environment.program("jupyter-execute");
    Ok(cmd!(sh, "{execute} --timeout=600 {notebook}").run()?)
}

/// The package by its sources; what is written against it by the wheel, as its users have it.
fn types(sh: &Shell, python: &Path) -> Result<()> {
    {
        let _sources = sh.push_env("MYPYPATH", "package");
        cmd!(sh, "{python} -m mypy --strict --package tiltyard").run()?;
    }
    let others: Vec<&str> = ["tests", "examples"].into_iter().filter(|name| sh.path_exists(name)).collect();
    Ok(cmd!(sh, "{python} -m mypy --strict {others...}").run()?)
}

/// The package's speed, beside that of others.
pub(crate) fn bench(sh: &Shell, rest: &[&str]) -> Result<()> {
    let environment = Environment::make(sh, target().join("python/environment"), true)?;
    environment.pip(sh, &["--requirement", "xtask/python/requirements.txt"])?;
    let wheel = build(sh, &environment, false)?;
    let (python, folder) = (interpreter(sh)?, target());
    Ok(cmd!(sh, "{python} bench/python.py --wheel {wheel} --target {folder} {rest...}").run()?)
}

/// The one wheel that is made now.
fn build(sh: &Shell, environment: &Environment, fast: bool) -> Result<PathBuf> {
    // Apart, so that nobody measures the wrong one.
    let (name, optimised): (_, &[&str]) =
        if fast { ("wheels-fast", &[]) } else { ("wheels", &["--release"]) };
    let folder = &target().join("python").join(name);
    sh.remove_path(folder)?;
    let maturin = environment.program("maturin");
    cmd!(sh, "{maturin} build {optimised...} --locked --manifest-path python/Cargo.toml --out {folder}")
        .run()?;
    let mut wheels = sh.read_dir(folder)?;
    wheels.retain(|path| path.extension().is_some_and(|extension| extension == "whl"));
    match &wheels[..] {
        [wheel] => Ok(wheel.clone()),
        several => bail!("maturin made {} wheels instead of one in {}", several.len(), folder.display()),
    }
}

/// A virtual environment.
pub(crate) struct Environment {
    folder: PathBuf,
}

impl Environment {
    /// Makes it anew, or takes the one that is there if that may be kept.
    pub(crate) fn make(sh: &Shell, folder: PathBuf, keep: bool) -> Result<Self> {
        let environment = Self { folder };
        if !(keep && environment.program("python").is_file()) {
            let (python, folder) = (interpreter(sh)?, &environment.folder);
            cmd!(sh, "{python} -m venv --clear {folder}").run()?;
        }
        Ok(environment)
    }

    /// A program of it.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        let folder = if cfg!(windows) { "Scripts" } else { "bin" };
        self.folder.join(folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Installs something from PyPI; what was fetched before comes from pip's own cache.
    pub(crate) fn pip(&self, sh: &Shell, what: &[&str]) -> Result<()> {
        let python = self.program("python");
        cmd!(sh, "{python} -m pip install --quiet --disable-pip-version-check {what...}").run().context(
            "could not install from PyPI: pip needs it, or a mirror of it that `pip config set global.index-url` names",
        )
    }

    /// Installs the wheel, in the place of another of the same version if there is one.
    fn install(&self, sh: &Shell, wheel: &Path, fast: bool) -> Result<()> {
        let wheel = wheel.to_string_lossy();
        if fast {
            self.pip(sh, &[&format!("{wheel}[{EXTRAS}]")])?;
        } else {
            self.pip(sh, &[&format!("{wheel}[{EXTRAS},ray]"), "--requirement", "xtask/python/ray.txt"])?;
        }
        self.pip(sh, &["--force-reinstall", "--no-deps", &wheel])
    }
}

/// A Python that can make virtual environments; installed if there is none.
pub(crate) fn interpreter(sh: &Shell) -> Result<PathBuf> {
    let name = if cfg!(windows) { "python" } else { "python3" };
    if find(name).is_none() || !can_make_environments(sh, name) {
        install(sh, &["python3", "python3-venv"]).context(
            "Python 3.11 or later is needed, with `venv`: `apt-get install python3 python3-venv`, then run this again",
        )?;
    }
    let python = find(name).with_context(|| format!("there is still no `{name}` in the PATH"))?;
    let version = cmd!(sh, "{python} --version").quiet().read()?;
    if !is_late_enough(&version) {
        bail!(
            "Python 3.{LEAST_MINOR} or later is needed, and `{name}` in the PATH is {version}: install a later one"
        );
    }
    Ok(python)
}

/// Debian has the two in a package of their own.
fn can_make_environments(sh: &Shell, python: &str) -> bool {
    cmd!(sh, "{python} -c 'import ensurepip, venv'").quiet().ignore_stderr().run().is_ok()
}

/// Reads what `python --version` says, such as `Python 3.11.7`.
fn is_late_enough(version: &str) -> bool {
    let mut numbers = version.trim_start_matches("Python ").split('.').map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(3)), Some(Ok(minor))) => minor >= LEAST_MINOR,
        (Some(Ok(major)), _) => major > 3,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn trace_arguments_are_read_or_refused() {
        assert_eq!(Request::read(&[]).ok(), Some(Request { fast: false }));
        assert_eq!(Request::read(&["--fast"]).ok(), Some(Request { fast: true }));
        assert!(Request::read(&["--slow"]).is_err());
    }

    #[test]
    fn trace_versions() {
        for version in ["Python 3.11.0", "Python 3.13.0rc1", "Python 4.0.0"] {
            assert!(is_late_enough(version), "{version}");
        }
        for version in ["Python 3.10.13", "Python 3.9.18", "Python 2.7.18", "", "something else"] {
            assert!(!is_late_enough(version), "{version}");
        }
    }

    /// Versions are exact, and no registry is named: everybody's own one is asked.
    #[test]
    fn law_programs_are_pinned_and_no_registry_is_named() {
        for name in ["requirements.txt", "ray.txt"] {
            let text = fs::read_to_string(root().join("xtask/python").join(name)).unwrap();
            for line in text.lines().filter(|line| !line.starts_with('#')) {
                let (_, version) = line.split_once("==").expect(line);
                assert!(version.split('.').all(|part| part.parse::<u32>().is_ok()), "{line}");
            }
            assert!(!text.contains("://"));
        }
    }
}
