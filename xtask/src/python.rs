//! The Python package: in `ci` from the build that all checks share, in the thorough tier as its
//! users get it, a wheel.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::system::{find, install};
use crate::{ci, root, target};

/// What the pinned tools need, and Debian 12 has. The wheel itself is for 3.10 as well.
const LEAST_MINOR: u32 = 11;

/// What the tests need of the package's extras. Ray's is named where it is installed.
const EXTRAS: &str = "arena,arrow,pandas,plot,polars";

/// The package from the build that all checks share, its tests but for those marked `thorough`, and
/// its types.
pub(crate) fn quick(sh: &Shell) -> Result<()> {
    let environment = prepare(sh)?;
    let package = assemble(sh)?;
    let _package = sh.push_env("PYTHONPATH", &package);
    tests(sh, &environment, &["-m", "not thorough"])?;
    types(sh, &environment.program("python"), &package)?;
    println!("left to `cargo xtask thorough wheel`: the wheel, Ray, the notebook");
    Ok(())
}

/// Writes the page that lists what the package offers.
pub(crate) fn reference(sh: &Shell) -> Result<()> {
    let python = prepare(sh)?.program("python");
    let _package = sh.push_env("PYTHONPATH", assemble(sh)?);
    let page = cmd!(sh, "{python} python/reference.py").read()?;
    Ok(sh.write_file("docs/python-reference.md", page + "\n")?)
}

/// The environment of [`quick`]; one that is there is kept.
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

/// The package as it would be installed, from our sources and the native part of the shared build.
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

/// The package as its users get it: a wheel, optimised, in a fresh environment, with all its tests,
/// its types and its notebook.
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
    // Nothing is written into the tree.
    let _no_bytes = sh.push_env("PYTHONDONTWRITEBYTECODE", "1");
    let (python, cache) = (environment.program("python"), target().join("python/pytest"));
    let _here = sh.push_dir(root().join("python"));
    Ok(cmd!(sh, "{python} -m pytest -o cache_dir={cache} {chosen...} tests").run()?)
}

/// The types of the package, and of what is written against it.
fn types(sh: &Shell, python: &Path, package: &Path) -> Result<()> {
    let _cache = sh.push_env("MYPY_CACHE_DIR", target().join("python/mypy"));
    let _here = sh.push_dir(root().join("python"));
    let _sources = sh.push_env("MYPYPATH", package);
    cmd!(sh, "{python} -m mypy --strict --package tiltyard").run()?;
    let others: Vec<&str> = ["tests", "examples"].into_iter().filter(|name| sh.path_exists(name)).collect();
    Ok(cmd!(sh, "{python} -m mypy --strict {others...}").run()?)
}

/// The package's speed, beside that of others.
pub(crate) fn bench(sh: &Shell, rest: &[&str]) -> Result<()> {
    let environment = Environment::make(sh, target().join("python/environment"), true)?;
    environment.pip(sh, &["--requirement", "xtask/python/wheel.txt"])?;
    let wheel = build(sh, &environment)?;
    let (python, folder) = (interpreter(sh)?, target());
    Ok(cmd!(sh, "{python} bench/python.py --wheel {wheel} --target {folder} {rest...}").run()?)
}

/// The one wheel that is made now.
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
