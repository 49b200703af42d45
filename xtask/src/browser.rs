//! Tests the pages in a real, headless Chromium: installs the tools, builds the server, and runs
//! `xtask/browser/tests` against it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::system::{find, install};
use crate::{ci, root, target};

/// The programs needed, and the Debian packages that contain them. The driver is installed only
/// together with the browser. Its version must be that of the browser, and a browser that is
/// already installed must not be upgraded.
const NEEDED: [(&str, &[&str]); 3] =
    [("chromium", &["chromium", "chromium-driver"]), ("node", &["nodejs"]), ("npm", &["npm"])];

/// The version in Debian 12, for which the packages in `package.json` are chosen.
const LEAST_NODE: u32 = 18;

/// The arguments of the task.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request<'a> {
    /// Run only test files whose names contain this. If no file matches, run only tests whose names
    /// contain it.
    filter: Option<&'a str>,
    /// Whether to take pictures of the pages.
    pictures: bool,
}

impl<'a> Request<'a> {
    /// Reads `[FILTER] [--pictures]`.
    pub(crate) fn read(words: &[&'a str]) -> Result<Self> {
        let mut request = Self::default();
        for word in words {
            match *word {
                "--pictures" => request.pictures = true,
                word if word.starts_with('-') => {
                    bail!("unknown option `{word}`: `browser [FILTER] [--pictures]`")
                }
                word if request.filter.is_none() => request.filter = Some(word),
                word => bail!("only one filter is allowed, but `{word}` is a second one"),
            }
        }
        Ok(request)
    }
}

/// Installs the browser, Node.js and packages if they are missing.
pub(crate) fn prepare(sh: &Shell) -> Result<()> {
    programs(sh)?;
    packages(sh, &target().join("browser"))
}

/// Runs the tests.
pub(crate) fn run(sh: &Shell, request: Request<'_>) -> Result<()> {
    let chosen = Chosen::new(&test_files()?, request.filter);
    prepare(sh)?;
    let folder = target().join("browser");
    let built = ci::program(sh)?;
    // A copy, so that another build cannot change the server between a kill and a restart.
    let name = format!("tiltyard{}", std::env::consts::EXE_SUFFIX);
    let program = folder.join(&name);
    fs::copy(built, &program)
        .with_context(|| format!("could not copy the server to {}", program.display()))?;
    sh.remove_path(folder.join("failures"))?;

    let _folder = sh.push_env("TILTYARD_BROWSER", &folder);
    let _program = sh.push_env("TILTYARD_BROWSER_PROGRAM", &program);
    let _chromium = sh.push_env("TILTYARD_BROWSER_CHROMIUM", find("chromium").unwrap_or_default());
    let pictures = folder.join("pictures");
    let _pictures = request.pictures.then(|| sh.push_env("TILTYARD_BROWSER_PICTURES", &pictures));
    let Chosen { files, pattern } = chosen;
    cmd!(sh, "node --test --test-reporter=spec {pattern...} {files...}")
        .run()
        .with_context(|| format!("{} has the browser's last state", folder.join("failures").display()))?;
    if request.pictures {
        println!("pictures: {}", pictures.display());
    }
    Ok(())
}

/// All files with tests, in order.
fn test_files() -> Result<Vec<PathBuf>> {
    let folder = root().join("xtask/browser/tests");
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("could not read {}", folder.display()))? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The tests to run.
#[derive(Debug, PartialEq, Eq)]
struct Chosen {
    files: Vec<PathBuf>,
    pattern: Option<String>,
}

impl Chosen {
    fn new(all: &[PathBuf], filter: Option<&str>) -> Self {
        let Some(filter) = filter else { return Self { files: all.to_vec(), pattern: None } };
        let holds = |path: &&PathBuf| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().trim_end_matches(".test.mjs").contains(filter))
        };
        let files: Vec<PathBuf> = all.iter().filter(holds).cloned().collect();
        if files.is_empty() {
            let pattern = Some(format!("--test-name-pattern={}", literal(filter)));
            return Self { files: all.to_vec(), pattern };
        }
        Self { files, pattern: None }
    }
}

/// A regular expression that matches exactly this text.
fn literal(text: &str) -> String {
    text.chars()
        .flat_map(|c| [(!c.is_alphanumeric() && !c.is_whitespace()).then_some('\\'), Some(c)])
        .flatten()
        .collect()
}

/// Installs the browser and Node.js if they are missing.
fn programs(sh: &Shell) -> Result<()> {
    let missing: Vec<&str> = NEEDED
        .iter()
        .filter(|(program, _)| find(program).is_none())
        .flat_map(|(_, packages)| packages.iter().copied())
        .collect();
    if !missing.is_empty() {
        install(sh, &missing).with_context(|| {
            format!(
                "the tests of the pages need `chromium`, `node` ({LEAST_NODE} or later) and `npm` in the PATH; \
                 install {} by hand, then run this again",
                missing.join(", ")
            )
        })?;
    }
    let version = cmd!(sh, "node --version").quiet().read()?;
    let major = version.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    if major.is_none_or(|major| major < LEAST_NODE) {
        bail!(
            "Node.js {LEAST_NODE} or later is needed, but `node` in the PATH is {version}: install a later one"
        );
    }
    Ok(())
}

/// Installs the packages of `xtask/browser/package-lock.json` in the target directory, so that
/// nothing is written into the source tree. They are installed again only if that file changes.
fn packages(sh: &Shell, folder: &Path) -> Result<()> {
    let ours = root().join("xtask/browser");
    let lock = sh.read_file(ours.join("package-lock.json"))?;
    // Written last, so that it exists only if the installation is complete.
    let stamp = folder.join("installed.json");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    sh.create_dir(folder)?;
    for name in ["package.json", "package-lock.json"] {
        sh.copy_file(ours.join(name), folder.join(name))?;
    }
    let _here = sh.push_dir(folder);
    cmd!(sh, "npm ci --ignore-scripts --no-audit --no-fund").run().context(
        "could not install playwright-core and axe-core: npm needs its registry, or a mirror of it that `npm config set registry` names",
    )?;
    Ok(sh.write_file(&stamp, lock)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_a_filter_means_files_first_and_names_of_tests_else() {
        let all = ["tests/voting.test.mjs", "tests/server.test.mjs"].map(PathBuf::from);
        assert_eq!(Chosen::new(&all, None), Chosen { files: all.to_vec(), pattern: None });
        assert_eq!(Chosen::new(&all, Some("vot")), Chosen { files: all[..1].to_vec(), pattern: None });
        // The ending of the files does not count as part of their names.
        let pattern = Some(r"--test-name-pattern=test\.mjs".to_owned());
        assert_eq!(Chosen::new(&all, Some("test.mjs")), Chosen { files: all.to_vec(), pattern });
    }

    #[test]
    fn trace_arguments_are_read_or_refused() {
        let read = |words: &[&'static str]| Request::read(words).ok();
        assert_eq!(read(&[]), Some(Request { filter: None, pictures: false }));
        assert_eq!(read(&["--pictures", "vote"]), Some(Request { filter: Some("vote"), pictures: true }));
        assert_eq!(read(&["--picture"]), None);
        assert_eq!(read(&["one", "two"]), None);
    }

    /// Versions are exact, and the lock file names no registry, so that npm uses the configured
    /// one.
    #[test]
    fn law_packages_are_pinned_and_name_no_registry() {
        let folder = root().join("xtask/browser");
        let manifest = fs::read_to_string(folder.join("package.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
        for (name, version) in manifest["dependencies"].as_object().unwrap() {
            let version = version.as_str().unwrap();
            assert!(version.split('.').all(|part| part.parse::<u32>().is_ok()), "{name}: {version}");
        }
        let lock = fs::read_to_string(folder.join("package-lock.json")).unwrap();
        assert!(
            !lock.contains("\"resolved\"") && !lock.contains("://"),
            "npm config set omit-lockfile-registry-resolved true"
        );
    }
}
