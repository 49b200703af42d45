//! Writes and checks generated files, and has tests that read the source tree.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Result, bail};
use xshell::{Shell, cmd};

use crate::{ci, exceptions, python};

const POLICIES_HEAD: &str = "\
# Policies

For readers who choose or check an algorithm: the idea, the exact rule, the parameters, the guarantee and the cost of each
policy. [Which algorithm should I use?](which-algorithm.md) compares them; [the glossary](glossary.md) explains the words.
`tiltyard policy show NAME` also has an example in Rust.

<!-- Written by `cargo xtask docs` from the policies' own documentation. -->
";

/// The page of policies, made by the binary from the policies' own documentation.
fn policies_page(sh: &Shell, program: &Path) -> Result<String> {
    let run = |arguments: &[&str]| cmd!(sh, "{program} {arguments...}").quiet().read();
    let list: Vec<String> = run(&["policy", "list", "--quiet"])?
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    let mut page = POLICIES_HEAD.to_owned();
    let mut previous = String::new();
    for name in list {
        let shown = run(&["policy", "show", &name])?;
        // Two forms of one algorithm share a page, which names both.
        if shown != previous {
            page.push('\n');
            let (mut is_code, mut is_example) = (false, false);
            for line in shown.lines() {
                is_code ^= line.starts_with("```");
                let is_heading = !is_code && line.starts_with('#');
                if is_heading {
                    is_example = line == "## Example";
                }
                if !is_example {
                    let _ = writeln!(page, "{}{line}", if is_heading { "#" } else { "" });
                }
            }
        }
        previous = shown;
    }
    Ok(page)
}

/// Paths of generated files, with their current text.
type Files = Vec<(&'static str, String)>;

/// All generated files, in the order in which they are written. The programs that write the pages
/// may not compile without current exceptions, and the client is made from two of the pages.
const GENERATED: [fn(&Shell) -> Result<Files>; 3] = [exceptions::files, pages, client];

/// Replaces the generated part of a page.
fn section(page: &str, part: &str) -> Result<String> {
    const START: &str = "<!-- Written by `cargo xtask docs`. -->\n";
    const END: &str = "<!-- End of what is written. -->\n";
    let parts = page.split_once(START).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let Some((before, after)) = parts else { bail!("the page has no marks for its generated part") };
    Ok(format!("{before}{START}{part}{END}{after}"))
}

/// The pages in docs/.
fn pages(sh: &Shell) -> Result<Files> {
    let built = ci::built(sh)?;
    let example = |name: &str, arguments: &[&str]| -> Result<String> {
        let program = built.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        Ok(cmd!(sh, "{program} {arguments...}").read()? + "\n")
    };
    let program = built.join(format!("tiltyard{}", std::env::consts::EXE_SUFFIX));
    Ok(vec![
        ("docs/policies.md", policies_page(sh, &program)?),
        ("python/package/tiltyard/policies.py", example("python_policies", &[])?),
        ("docs/claims.md", example("claims_page", &[])?),
        ("docs/openapi.json", example("openapi", &["document"])?),
        ("docs/errors.md", example("openapi", &["errors"])?),
        ("docs/arena.md", section(&sh.read_file("docs/arena.md")?, &example("openapi", &["settings"])?)?),
    ])
}

/// The parts of the Python client that are made from docs/openapi.json and docs/errors.md.
fn client(sh: &Shell) -> Result<Files> {
    let python = python::interpreter(sh)?;
    let part =
        |name: &str| -> Result<String> { Ok(cmd!(sh, "{python} python/wire.py {name}").read()? + "\n") };
    Ok(vec![
        ("python/package/tiltyard/arena/_types.py", part("types")?),
        ("python/package/tiltyard/arena/_requests.py", part("requests")?),
        ("python/package/tiltyard/arena/_codes.py", part("codes")?),
    ])
}

/// The page with regret against delay, loss and staleness, which takes some 1e9 rounds.
pub(crate) fn delay_page(sh: &Shell) -> Result<String> {
    let page = cmd!(sh, "cargo run --quiet --release --locked --package tiltyard-lab --example delay_table")
        .read()?;
    Ok(page + "\n")
}

/// The page that recommends algorithms by measurement. It takes about an hour; finished runs are
/// kept in target/guide, so that the same command continues after a stop.
pub(crate) fn guide_page(sh: &Shell) -> Result<String> {
    let page = cmd!(
        sh,
        "cargo run --quiet --release --locked --package tiltyard-lab --example guide -- target/guide"
    )
    .read()?;
    Ok(page + "\n")
}

/// Writes all generated files.
pub(crate) fn generate(sh: &Shell) -> Result<()> {
    for files in GENERATED {
        for (path, text) in files(sh)? {
            sh.write_file(path, text)?;
        }
    }
    Ok(())
}

/// Checks that all generated files are what would be written now.
pub(crate) fn generated_is_current(sh: &Shell) -> Result<()> {
    for files in GENERATED {
        for (path, text) in files(sh)? {
            if sh.read_file(path).unwrap_or_default() != text {
                bail!("{path} is not current: run `cargo xtask docs`");
            }
        }
    }
    Ok(())
}

/// Checks invariants that ARCHITECTURE.md lists.
#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use crate::root;

    /// Words that must not occur in the code of a crate, with the reason. Comments do not count.
    const ABSENT: &[(&str, &[&str], &str)] = &[
        (
            "crates/bandit/src",
            &[
                "std::fs",
                "std::io",
                "std::net",
                "std::time",
                "std::thread",
                "std::env",
                "SystemTime",
                "Instant::",
            ],
            "the mathematics does no I/O, reads no clock and starts no thread",
        ),
        (
            "crates/bandit/src",
            &["rand::rng(", "thread_rng", "from_os_rng", "rayon"],
            "randomness is passed in",
        ),
        ("crates/world/src", &["println!", "eprintln!", "print!(", "process::exit"], "a world never prints"),
        (
            "crates/world/src",
            &["std::time", "std::net", "std::thread", "rand::rng("],
            "a world reads no clock, opens no connection, starts no thread and gets its randomness passed in",
        ),
        ("crates/lab/src", &["std::net", "hyper", "axum", "http::", "reqwest"], "the lab knows no HTTP"),
        ("crates/lab/src", &["println!", "eprintln!", "print!(", "process::exit"], "only the binary prints"),
        (
            "crates/arena/src",
            &["println!", "eprintln!", "print!(", "process::exit"],
            "only the binary prints",
        ),
        (
            "crates/arena/src/domain",
            &[
                "std::fs",
                "std::io",
                "std::net",
                "std::thread",
                "std::time",
                "tokio",
                "axum",
                "rusqlite",
                "SystemClock",
                "SysRng",
            ],
            "the domain does no I/O, reads no clock and does not know threads, processes or HTTP",
        ),
        (
            "crates/arena/src/arena",
            &["axum", "rusqlite", "hyper"],
            "the arena knows neither its database nor HTTP",
        ),
        (
            "crates/arena/src/app",
            &["crate::http", "crate::pages", "crate::server", "axum::Router", "axum::routing", "maud"],
            "code that both front ends share knows neither routes nor HTML",
        ),
        ("crates/arena/src/http", &["crate::pages", "crate::server", "maud"], "the API knows no pages"),
        ("crates/arena/src/pages", &["crate::http", "crate::server"], "the pages do not know the API"),
    ];

    /// The crates of this workspace that each crate may depend on.
    const LAYERS: &[(&str, &[&str])] = &[
        ("bandit", &[]),
        ("interleave", &["tiltyard-bandit"]),
        ("world", &["tiltyard-bandit", "tiltyard-interleave"]),
        ("lab", &["tiltyard-bandit", "tiltyard-interleave", "tiltyard-world"]),
        ("wire", &[]),
        ("arena", &["tiltyard-bandit", "tiltyard-interleave", "tiltyard-wire"]),
    ];

    #[test]
    fn law_what_must_be_absent_is_absent() {
        let mut findings = Vec::new();
        for (folder, words, reason) in ABSENT {
            for (path, text) in sources(&root().join(folder), "rs") {
                for (i, line) in code_lines(&text) {
                    if let Some(word) = words.iter().find(|word| line.contains(**word)) {
                        findings.push(format!("{}:{i}: `{word}`: {reason}", path.display()));
                    }
                }
            }
        }
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }

    #[test]
    fn law_dependencies_point_one_way() {
        let mut findings = Vec::new();
        for (name, allowed) in LAYERS {
            let manifest = root().join("crates").join(name).join("Cargo.toml");
            let text = read(&manifest);
            for line in text.lines().filter(|line| line.starts_with("tiltyard")) {
                let dependency = line.split(['.', ' ', '=']).next().unwrap_or_default();
                if !allowed.contains(&dependency) {
                    findings.push(format!("{}: must not depend on `{dependency}`", manifest.display()));
                }
            }
        }
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }

    /// Lints are silenced only with a reason, and no test is switched off.
    #[test]
    fn law_no_lint_is_silenced_without_reason_and_no_test_is_off() {
        let mut findings = Vec::new();
        // Split in two, so that this test does not find its own text.
        let banned = [["#[", "allow("], ["#![", "allow("], ["#[", "ignore"]].map(|parts| parts.concat());
        for (path, text) in sources(&root(), "rs") {
            for (i, line) in code_lines(&text) {
                if banned.iter().any(|word| line.contains(word.as_str())) {
                    findings.push(format!(
                        "{}:{i}: use #[expect(..., reason)], and run every test",
                        path.display()
                    ));
                }
            }
        }
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }

    /// Phrases that had to be read twice. Name the thing, and say who does what.
    const HARD_TO_READ: &[&str] = &[
        "whyever",
        "whoever",
        "whosever",
        "is told",
        "is to be",
        "are to be",
        "the one who",
        "given up",
        "what is left",
        "such a one",
        "under its feet",
    ];

    /// Texts are plain English. The changelog and records of old measurements stay as they are.
    #[test]
    fn law_texts_are_plain() {
        let mut findings = Vec::new();
        for (path, text) in ["rs", "md", "py", "js", "mjs"].iter().flat_map(|ending| sources(&root(), ending))
        {
            if path.ends_with("CHANGELOG.md")
                || path.ends_with("tidy.rs")
                || path.to_string_lossy().contains("bench/runs")
            {
                continue;
            }
            for (i, line) in text.lines().enumerate() {
                let line = line.to_lowercase();
                for phrase in HARD_TO_READ {
                    let is_whole = |at: usize| {
                        !line[..at].ends_with(char::is_alphanumeric)
                            && !line[at + phrase.len()..].starts_with(char::is_alphanumeric)
                    };
                    if line.match_indices(phrase).any(|(at, _)| is_whole(at)) {
                        findings.push(format!("{}:{}: reword \"{phrase}\"", path.display(), i + 1));
                    }
                }
            }
        }
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }

    /// Comments have at most 100 columns. Tables and words that cannot be broken may be wider.
    #[test]
    fn law_comments_are_at_most_100_columns_wide() {
        let mut findings = Vec::new();
        for (path, text) in sources(&root(), "rs") {
            for (i, line) in text.lines().enumerate() {
                let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
                let comment = comment.trim_start_matches(['/', '!']).trim();
                let is_free = comment.starts_with('|') || !comment.contains(' ');
                if line.chars().count() > 100 && !is_free {
                    findings.push(format!("{}:{}: break this comment", path.display(), i + 1));
                }
            }
        }
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }

    /// Every dependency is explained in docs/dependencies.md.
    #[test]
    fn law_every_dependency_is_explained() {
        let mut findings = Vec::new();
        let manifest = read(&root().join("Cargo.toml"));
        let page = read(&root().join("docs/dependencies.md"));
        let section = manifest.split("[workspace.dependencies]").nth(1).unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        for name in section.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name) {
            if !name.starts_with("tiltyard") && !page.contains(&format!("`{name}`")) {
                findings.push(format!("docs/dependencies.md does not explain `{name}`"));
            }
        }
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }

    /// Where code may name a policy, apart from its own file and its tests, and why.
    const NAMED: &[(&str, &str)] = &[
        ("bench/", "benchmarks compare certain policies"),
        ("crates/lab/src/claim/", "claims of papers about their policies"),
        ("crates/lab/src/reproduce/", "figures of papers"),
        ("crates/lab/examples/", "pages that list the policies they cover"),
        ("crates/arena/examples/release_data.rs", "data of earlier releases"),
        ("crates/cli/src/cli/play.rs", "the default policies"),
        ("python/examples/", "worked examples"),
        ("python/package/tiltyard/__init__.py", "the example at the top"),
        ("python/package/tiltyard/policies.py", "generated"),
        ("xtask/src/toy_policy.rs", "adds a policy to a copy of the tree"),
    ];

    /// The default policy and the baseline, which code may name anywhere.
    const ANYWHERE: [&str; 2] = ["rex3", "random"];

    /// A new policy needs its own file, a line in the registry, and tests. No other code has to
    /// know its name.
    #[test]
    fn law_policies_are_named_in_their_own_files_alone() {
        let home = root().join("crates/bandit/src/policy");
        let declared: Vec<(String, PathBuf)> = sources(&home, "rs")
            .into_iter()
            .flat_map(|(path, text)| {
                let names = text
                    .lines()
                    .filter_map(|line| line.strip_prefix("        name: \"")?.strip_suffix("\","));
                names.map(|name| (name.to_owned(), path.clone())).collect::<Vec<_>>()
            })
            .collect();
        assert!(declared.len() > 20, "too few policies found: {declared:?}");
        let mut findings = Vec::new();
        for folder in ["bench", "crates", "python", "xtask/src"] {
            let files = [sources(&root().join(folder), "rs"), sources(&root().join(folder), "py")].concat();
            for (path, text) in files {
                let place = path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().into_owned();
                let is_test = place.contains("/tests/") || place.ends_with("/tests.rs");
                if is_test || NAMED.iter().any(|(allowed, _)| place.starts_with(allowed)) {
                    continue;
                }
                for (i, line) in code_lines(&text) {
                    for (name, own) in &declared {
                        let is_named = [format!("\"{name}\""), format!("\"{name}:")]
                            .iter()
                            .any(|text| line.contains(text));
                        // `rmed.rs` and the folder `rmed` belong to the same policy.
                        let family =
                            own.parent().filter(|parent| **parent != *home).unwrap_or(own).with_extension("");
                        let is_own = path.starts_with(&family) || path.with_extension("") == family;
                        if is_named && !is_own && !ANYWHERE.contains(&name.as_str()) {
                            findings.push(format!("{place}:{i}: `{name}`"));
                        }
                    }
                }
            }
        }
        assert!(findings.is_empty(), "a policy is named outside of its file:\n{}", findings.join("\n"));
    }

    /// All files with this ending below a folder, and the file that has the folder's name.
    fn sources(folder: &Path, ending: &str) -> Vec<(PathBuf, String)> {
        let beside = folder.with_extension(ending);
        let mut found: Vec<_> = fs::read_to_string(&beside).map(|text| (beside, text)).into_iter().collect();
        let mut folders = vec![folder.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                if path.is_dir() && name != "target" && !name.starts_with('.') {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == ending) {
                    let text = read(&path);
                    found.push((path, text));
                }
            }
        }
        found
    }

    fn read(path: &Path) -> String {
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The lines of a file that are code, with their numbers. Tests at the end of the file are left
    /// out, because the rules do not apply to them.
    fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
        text.lines()
            .enumerate()
            .map(|(i, line)| (i + 1, line))
            .take_while(|(_, line)| !line.starts_with("#[cfg(test)]"))
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
    }
}
