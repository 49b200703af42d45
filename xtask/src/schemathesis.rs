//! The server, held to its OpenAPI document by schemathesis: requests made up from the document,
//! every answer compared with it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use xshell::{Shell, cmd};

use crate::python::Environment;
use crate::{ci, root, target};

/// Requests of each operation that are made up by chance; with those that are made up by rule, half
/// a minute for all.
pub(crate) const FEW: &str = "100";

/// As many as the thorough tier makes up.
pub(crate) const MANY: &str = "2000";

/// Runs it against a server without keys and one with.
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

/// The program, in an environment of its own. All versions are pinned, since others make up other
/// requests.
pub(crate) fn install(sh: &Shell) -> Result<PathBuf> {
    let environment = Environment::make(sh, target().join("schemathesis"), true)?;
    environment.pip(sh, &["--requirement", "xtask/schemathesis/requirements.txt"])?;
    Ok(environment.program("schemathesis"))
}

fn against(sh: &Shell, schemathesis: &Path, program: &Path, auth: &str, most: &str) -> Result<()> {
    // What it remembers of a run goes with the directory: the next run must not depend on it.
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
    // A stream has no end; `tests/http/stream.rs` of the arena is about it.
    cmd!(
        sh,
        "{schemathesis} --config-file {config} run {document} --max-examples {most} --exclude-path-regex /events$"
    )
    .run()?;
    Ok(())
}

/// A server that ends with this.
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
        let said: Value = serde_json::from_str(&line).context("the server did not say that it is ready")?;
        let Some(url) = said["url"].as_str() else { bail!("the server did not say where it listens") };
        url.clone_into(&mut server.url);
        if let Some(key) = said["admin_key"].as_str() {
            key.clone_into(&mut server.key);
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
