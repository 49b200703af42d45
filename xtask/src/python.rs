//! Tests the Python package: in `ci` from the build that all checks share, in the thorough tier as
//! a wheel, as users get it.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::system::{find, install};
use crate::{ci, root, target};

/// The minor version that the pinned tools need and Debian 12 has. The wheel also works with 3.10.
const LEAST_MINOR: u32 = 11;

/// The extras of the package that the tests need, except `ray`, which only [`whole`] installs.
const EXTRAS: &str = "arena,arrow,pandas,plot,polars";

/// Checks the package from the build that all checks share: its types, and its tests except those
/// marked `thorough`.
pub(crate) fn quick(sh: &Shell) -> Result<()> {
    let environment = prepare(sh)?;
    let package = assemble(sh)?;
    let _package = sh.push_env("PYTHONPATH", &package);
    tests(sh, &environment, &["-m", "not thorough"])?;
    types(sh, &environment.program("python"), &package)?;
    println!("not checked here: the wheel, Ray and the notebook (`cargo xtask thorough wheel`)");
    Ok(())
}

/// Writes the reference page of the package.
pub(crate) fn reference(sh: &Shell) -> Result<()> {
    let python = prepare(sh)?.program("python");
    let _package = sh.push_env("PYTHONPATH", assemble(sh)?);
    let page = cmd!(sh, "{python} python/reference.py").read()?;
    Ok(sh.write_file("docs/python-reference.md", page + "\n")?)
}

/// The environment of [`quick`]. An existing one is kept.
pub(crate) fn prepare(sh: &Shell) -> Result<Environment> {
    let environment = Environment::make(sh, target().join("python/environment"), true)?;
    let python = environment.program("python");
    let read = "import sys, tomllib; p = tomllib.load(open('python/pyproject.toml', 'rb'))['project']; \
                print(*p['dependencies'], *(r for e in sys.argv[1].split(',') for r in p['optional-dependencies'][e]), sep='\\n')";
    let needed = cmd!(sh, "{python} -c {read} {EXTRAS}").quiet().read()?;
    let needed: Vec<&str> = needed.lines().collect();
    environment.pip(sh, &[&["--requirement", "xtask/python/requirements.txt"], &needed[..]].concat())?;
    Ok(environment)
}

/// Assembles the package as it would be installed, from the sources and the native library of the
/// shared build.
fn assemble(sh: &Shell) -> Result<PathBuf> {
    let native = ci::built(sh)?.join(format!(
        "{}_native{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ));
    let folder = target().join("python/package");
    sh.remove_path(&folder)?;
    sh.create_dir(&folder)?;
    let sources = root().join("python/package/tiltyard");
    cmd!(sh, "cp -r {sources} {folder}").run()?;
    let ending = if cfg!(windows) { "pyd" } else { "abi3.so" };
    sh.copy_file(native, folder.join("tiltyard").join(format!("_native.{ending}")))?;
    Ok(folder)
}

/// Checks the package as users get it: an optimised wheel in a fresh environment, with all its
/// tests, its types and its notebook.
pub(crate) fn whole(sh: &Shell) -> Result<()> {
    let environment = Environment::make(sh, target().join("python/wheel-environment"), false)?;
    for list in ["requirements.txt", "wheel.txt"] {
        environment.pip(sh, &["--requirement", &format!("xtask/python/{list}")])?;
    }
    let wheel = build(sh, &environment)?;
    environment.pip(sh, &[&format!("{}[{EXTRAS},ray]", wheel.display())])?;
    tests(sh, &environment, &[])?;
    let python = environment.program("python");
    types(sh, &python, Path::new("package"))?;
    let execute = environment.program("jupyter-execute");
    Ok(cmd!(sh, "{execute} --timeout=600 python/notebooks/quickstart.ipynb").run()?)
}

fn tests(sh: &Shell, environment: &Environment, chosen: &[&str]) -> Result<()> {
    let _server = sh.push_env("TILTYARD_BINARY", ci::program(sh)?);
    // Python must write nothing into the source tree.
    let _no_bytes = sh.push_env("PYTHONDONTWRITEBYTECODE", "1");
    let (python, cache) = (environment.program("python"), target().join("python/pytest"));
    let _here = sh.push_dir(root().join("python"));
    Ok(cmd!(sh, "{python} -m pytest -o cache_dir={cache} {chosen...} tests").run()?)
}

/// Checks the types of the package, and of the tests and examples that use it.
fn types(sh: &Shell, python: &Path, package: &Path) -> Result<()> {
    let _cache = sh.push_env("MYPY_CACHE_DIR", target().join("python/mypy"));
    let _here = sh.push_dir(root().join("python"));
    let _sources = sh.push_env("MYPYPATH", package);
    cmd!(sh, "{python} -m mypy --strict --package tiltyard").run()?;
    let others: Vec<&str> = ["tests", "examples"].into_iter().filter(|name| sh.path_exists(name)).collect();
    Ok(cmd!(sh, "{python} -m mypy --strict {others...}").run()?)
}

/// Compares the speed of the package with that of others.
pub(crate) fn bench(sh: &Shell, rest: &[&str]) -> Result<()> {
    let environment = Environment::make(sh, target().join("python/environment"), true)?;
    environment.pip(sh, &["--requirement", "xtask/python/wheel.txt"])?;
    let wheel = build(sh, &environment)?;
    let (python, folder) = (interpreter(sh)?, target());
    Ok(cmd!(sh, "{python} bench/python.py --wheel {wheel} --target {folder} {rest...}").run()?)
}

/// Builds the wheel.
pub(crate) fn build(sh: &Shell, environment: &Environment) -> Result<PathBuf> {
    let folder = &target().join("python/wheels");
    sh.remove_path(folder)?;
    let maturin = environment.program("maturin");
    cmd!(sh, "{maturin} build --release --locked --manifest-path python/Cargo.toml --out {folder}").run()?;
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
    /// Creates the environment. With `keep`, an existing one is used.
    pub(crate) fn make(sh: &Shell, folder: PathBuf, keep: bool) -> Result<Self> {
        let environment = Self { folder };
        if !(keep && environment.program("python").is_file()) {
            let (python, folder) = (interpreter(sh)?, &environment.folder);
            cmd!(sh, "{python} -m venv --clear {folder}").run()?;
        }
        Ok(environment)
    }

    /// The path of a program in the environment.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        let folder = if cfg!(windows) { "Scripts" } else { "bin" };
        self.folder.join(folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Installs packages from PyPI, or from pip's cache if they were downloaded before.
    pub(crate) fn pip(&self, sh: &Shell, what: &[&str]) -> Result<()> {
        let python = self.program("python");
        cmd!(sh, "{python} -m pip install --quiet --disable-pip-version-check {what...}").run().context(
            "could not install from PyPI: pip needs it, or a mirror of it that `pip config set global.index-url` names",
        )
    }
}

/// A Python that can create virtual environments. It is installed if it is missing.
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
            "Python 3.{LEAST_MINOR} or later is needed, but `{name}` in the PATH is {version}: install a later one"
        );
    }
    Ok(python)
}

/// Debian has `ensurepip` and `venv` in a separate package.
fn can_make_environments(sh: &Shell, python: &str) -> bool {
    cmd!(sh, "{python} -c 'import ensurepip, venv'").quiet().ignore_stderr().run().is_ok()
}

/// Parses the output of `python --version`, such as `Python 3.11.7`.
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
    fn trace_versions() {
        for version in ["Python 3.11.0", "Python 3.13.0rc1", "Python 4.0.0"] {
            assert!(is_late_enough(version), "{version}");
        }
        for version in ["Python 3.10.13", "Python 3.9.18", "Python 2.7.18", "", "something else"] {
            assert!(!is_late_enough(version), "{version}");
        }
    }

    /// Versions are exact, and no registry is named, so that pip uses the configured one.
    #[test]
    fn law_programs_are_pinned_and_no_registry_is_named() {
        for name in ["requirements.txt", "wheel.txt"] {
            let text = fs::read_to_string(root().join("xtask/python").join(name)).unwrap();
            for line in text.lines().filter(|line| !line.starts_with('#')) {
                let (_, version) = line.split_once("==").expect(line);
                assert!(version.split('.').all(|part| part.parse::<u32>().is_ok()), "{line}");
            }
            assert!(!text.contains("://"));
        }
    }
}
