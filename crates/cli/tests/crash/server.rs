//! The real server, in a process that can be killed.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// The server's address and key.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    pub(crate) address: String,
    pub(crate) key: String,
}

pub(crate) struct Server {
    process: Child,
    access: Access,
}

fn command(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiltyard"));
    // Snapshots are frequent, so that servers also die while they write one.
    command
        .args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--announce",
            "json",
            "--log",
            "error",
            "--snapshot-every",
            "300",
            "--data",
        ])
        .arg(directory)
        .stdout(Stdio::piped());
    command
}

impl Server {
    /// Starts the server. `key` is `None` on the first start, which creates the key.
    pub(crate) fn start(directory: &Path, key: Option<String>) -> Result<Self, String> {
        let mut process = command(directory).spawn().map_err(|error| error.to_string())?;
        let stdout = process.stdout.take().ok_or("no stdout")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).map_err(|error| error.to_string())?;
        let announced: Value = serde_json::from_str(&line)
            .map_err(|error| format!("the server did not start: {error} in {line:?}"))?;
        let text = |name: &str| announced[name].as_str().map(str::to_owned);
        let key = key.or_else(|| text("admin_key")).ok_or("the first start creates a key")?;
        let url = text("url").ok_or("no address")?;
        let address = url.trim_start_matches("http://").to_owned();
        Ok(Self { process, access: Access { address, key } })
    }

    /// Starts a server and kills it a moment later. Returns the number of kills.
    pub(crate) fn start_and_kill(directory: &Path, after: Duration) -> Result<u64, String> {
        let mut process = command(directory).spawn().map_err(|error| error.to_string())?;
        thread::sleep(after);
        process.kill().and_then(|()| process.wait()).map_err(|error| error.to_string())?;
        Ok(1)
    }

    pub(crate) fn access(&self) -> Access {
        self.access.clone()
    }

    /// Sends SIGKILL and returns the key.
    pub(crate) fn kill(mut self) -> String {
        let _ = self.process.kill();
        let _ = self.process.wait();
        self.access.key
    }

    /// Sends SIGTERM: the server must end by itself, with success.
    pub(crate) fn stop(mut self) -> Result<(), String> {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status().map_err(|error| error.to_string())?;
        let status = self.process.wait().map_err(|error| error.to_string())?;
        if sent.success() && status.success() { Ok(()) } else { Err(format!("it ended with {status}")) }
    }
}
