//! Checks the server against its OpenAPI document with schemathesis, which generates requests from
//! the document and compares every answer with it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::python::Environment;
use crate::{ci, root, target};

/// Random requests per operation in `ci`. Together with the systematic requests, they take half a
/// minute.
pub(crate) const FEW: &str = "100";

/// Random requests per operation in the thorough tier.
pub(crate) const MANY: &str = "2000";

/// Runs it against a server without keys and a server with keys.
pub(crate) fn run(sh: &Shell, most_examples: &str) -> Result<()> {
    let schemathesis = install(sh)?;
    let program = ci::program(sh)?;
    for auth in ["none", "keys"] {
        println!("\n-- a server with `--auth {auth}`");
        against(sh, &schemathesis, &program, auth, most_examples)
            .with_context(|| format!("with `--auth {auth}`"))?;
    }
    Ok(())
}

/// Installs the program in its own environment. All versions are pinned, because other versions
/// would generate other requests.
pub(crate) fn install(sh: &Shell) -> Result<PathBuf> {
    let environment = Environment::make(sh, target().join("schemathesis"), true)?;
    environment.pip(sh, &["--requirement", "xtask/schemathesis/requirements.txt"])?;
    Ok(environment.program("schemathesis"))
}

fn against(sh: &Shell, schemathesis: &Path, program: &Path, auth: &str, most: &str) -> Result<()> {
    // The directory is deleted at the end, so that the next run does not depend on this one.
    let directory = sh.create_temp_dir()?;
    let server = Server::start(program, &directory.path().join("data"), auth)?;
    let _here = sh.push_dir(directory.path());
    let ours = root().join("xtask/schemathesis");
    let _hooks = sh.push_env("PYTHONPATH", &ours);
    let _no_cache = sh.push_env("PYTHONDONTWRITEBYTECODE", "1");
    let config = ours.join("schemathesis.toml");
    let _url = sh.push_env("TILTYARD_URL", &server.url);
    let _key = sh.push_env("TILTYARD_KEY", &server.key);
    let document = format!("{}/openapi.json", server.url);
    // A stream has no end, so it is excluded here. `tests/http/stream.rs` of the arena tests it.
    cmd!(
        sh,
        "{schemathesis} --config-file {config} run {document} --max-examples {most} --exclude-path-regex /events$"
    )
    .run()?;
    Ok(())
}

/// A server that is killed when this is dropped.
struct Server {
    process: Child,
    url: String,
    key: String,
}

impl Server {
    fn start(program: &Path, data: &Path, auth: &str) -> Result<Self> {
        let mut command = Command::new(program);
        command.args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--announce",
            "json",
            "--log",
            "warn",
            "--auth",
            auth,
        ]);
        command.arg("--data").arg(data).stdout(Stdio::piped());
        let process = command.spawn().with_context(|| format!("could not start {}", program.display()))?;
        let mut server = Self { process, url: String::new(), key: "none".to_owned() };
        let mut line = String::new();
        if let Some(stdout) = server.process.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let said: Value =
            serde_json::from_str(&line).context("the server did not announce that it is ready")?;
        let Some(url) = said["url"].as_str() else { bail!("the server did not announce its address") };
        url.clone_into(&mut server.url);
        if let Some(key) = said["admin_key"].as_str() {
            key.clone_into(&mut server.key);
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
