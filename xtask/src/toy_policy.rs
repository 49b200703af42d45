//! Adds a policy to a copy of the tree with the edits that CONTRIBUTING.md names, and runs the
//! checks that would fail if another file had to know it.

use std::path::Path;

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::{root, target, tidy};

/// The policy to add is an existing one, with another name and a curve that no other policy uses.
const MODEL: &str = "crates/bandit/src/policy/wss.rs";
const RENAMED: [(&str, &str); 6] = [
    ("policy::{Policy, Wss}", "policy::{Policy, toy::Toy}"),
    ("Wss", "Toy"),
    ("\"wss\"", "\"toy\""),
    ("WS-S", "Toy"),
    ("forms: &[]", "forms: &[\"beta=2\"]"),
    ("Curve::new([4, 1, 2])", "Curve::new([4, 9, 0])"),
];

const TWIN: &str = "\
//! The toy is WS-S under another name, and must behave like it.

use tiltyard_bandit::policy::{Policy, Wss, toy::Toy};
use tiltyard_bandit::{Outcome, Stream};

#[test]
fn law_the_toy_agrees_with_its_twin() {
    let (mut toy, mut twin) = (Toy::new(5, 1.1).unwrap(), Wss::new(5, 1.1).unwrap());
    let (mut one, mut other) = (Stream::new(1).rng(), Stream::new(1).rng());
    for _ in 0..1000 {
        let ticket = toy.decide(&mut one);
        assert_eq!(ticket, twin.decide(&mut other));
        let outcome = Outcome::won(ticket.left < ticket.right);
        toy.update(&ticket, outcome);
        twin.update(&ticket, outcome);
    }
}
";

pub(crate) fn run(_: &Shell) -> Result<()> {
    let sh = Shell::new()?;
    sh.change_dir(root());
    let copy = sh.create_temp_dir()?;
    copy_tree(&sh, copy.path())?;
    sh.change_dir(copy.path());
    // Shares the compiled dependencies with the original tree.
    sh.set_var("CARGO_TARGET_DIR", target());
    add(&sh)?;
    tidy::generate(&sh)?;
    tidy::generated_is_current(&sh)?;
    let package = sh.read_file("python/package/tiltyard/policies.py")?;
    if !package.contains("class Toy(Policy):") {
        bail!("Python has no class for the new policy");
    }
    cmd!(sh, "cargo test --locked --package tiltyard-bandit").run()?;
    cmd!(
        sh,
        "cargo test --locked --package tiltyard-lab --lib --example guide -- style every_policy the_page"
    )
    .run()?;
    cmd!(sh, "cargo test --locked --package tiltyard-cli --test cli -- policy").run()?;
    Ok(cmd!(sh, "cargo test --locked --package xtask -- tidy").run()?)
}

/// Copies all files that are tracked, or would be added by `git add`.
fn copy_tree(sh: &Shell, copy: &Path) -> Result<()> {
    let files = cmd!(sh, "git ls-files --cached --others --exclude-standard").quiet().read()?;
    for file in files.lines().filter(|file| root().join(file).is_file()) {
        let to = copy.join(file);
        sh.create_dir(to.parent().context("every file has a folder")?)?;
        sh.copy_file(root().join(file), to)?;
    }
    Ok(())
}

/// Adds a file with its `mod`, a line in the registry, a twin, and one digest per form.
fn add(sh: &Shell) -> Result<()> {
    let mut toy = sh.read_file(MODEL)?;
    for (old, new) in RENAMED {
        if !toy.contains(old) {
            bail!("{MODEL} no longer contains `{old}`");
        }
        toy = toy.replace(old, new);
    }
    sh.write_file("crates/bandit/src/policy/toy.rs", toy)?;
    sh.write_file("crates/bandit/tests/it/twin_toy.rs", TWIN)?;
    after(sh, "crates/bandit/src/policy.rs", "pub mod sparring;\n", "pub mod toy;\n")?;
    after(
        sh,
        "crates/bandit/src/policy/registry.rs",
        "    super::random::Family,\n",
        "    super::toy::Family,\n",
    )?;
    after(sh, "crates/bandit/tests/it/main.rs", "mod twin_selfsparring;\n", "mod twin_toy;\n")?;
    let digests = "crates/bandit/tests/it/stable.rs";
    let text = sh.read_file(digests)?;
    let digest = |form: &str| -> Result<String> {
        let line = text.lines().find(|line| line.contains(&format!("(\"wss{form}\",")));
        Ok(line.context("the model has a digest")?.replace("wss", "toy") + "\n")
    };
    let random = text.lines().find(|line| line.contains("(\"random\",")).context("the last policy")?;
    after(sh, digests, &format!("{random}\n"), &digest("")?)?;
    let last = text.split("];").next().and_then(|list| list.lines().last()).context("the last digest")?;
    after(sh, digests, &format!("{last}\n"), &digest(":beta=2")?)
}

/// Inserts a line after another.
fn after(sh: &Shell, path: &str, line: &str, new: &str) -> Result<()> {
    let text = sh.read_file(path)?;
    if text.matches(line).count() != 1 {
        bail!("{path} must contain this line exactly once: {line}");
    }
    Ok(sh.write_file(path, text.replace(line, &format!("{line}{new}")))?)
}
