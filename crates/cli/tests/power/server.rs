//! The real server on the faulty disk.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// A start that takes longer has failed.
const MOST_TIME: Duration = Duration::from_secs(30);

/// The server's address and key.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    pub(crate) address: String,
    pub(crate) key: String,
}

/// The files of a trial.
pub(crate) struct Place {
    /// Compiled from shim.c.
    pub(crate) shim: PathBuf,
    /// The data directory.
    pub(crate) data: PathBuf,
    pub(crate) journal: PathBuf,
    pub(crate) faults: PathBuf,
    pub(crate) errors: PathBuf,
    pub(crate) image: PathBuf,
}

/// The faults of the disk, as probabilities in thousandths: see `struct faults` in shim.c.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Faults {
    pub(crate) sync: u32,
    pub(crate) lie: u32,
    pub(crate) input: u32,
    pub(crate) partly: u32,
    pub(crate) full: u32,
    /// The most microseconds that a sync takes.
    pub(crate) delay: u32,
}

impl Place {
    pub(crate) fn new(root: &Path, shim: &Path) -> Self {
        Self {
            shim: shim.to_owned(),
            data: root.join("data"),
            journal: root.join("journal"),
            faults: root.join("faults"),
            errors: root.join("errors"),
            image: root.join("image"),
        }
    }

    /// Changes the faults from now on.
    pub(crate) fn set(&self, faults: Faults) -> Result<(), String> {
        let Faults { sync, lie, input, partly, full, delay } = faults;
        let draft = self.faults.with_extension("draft");
        let text = format!("{sync} {lie} {input} {partly} {full} {delay}\n");
        fs::write(&draft, text).and_then(|()| fs::rename(&draft, &self.faults)).map_err(|e| e.to_string())
    }

    /// The length of the journal.
    pub(crate) fn now(&self) -> u64 {
        fs::metadata(&self.journal).map_or(0, |metadata| metadata.len())
    }
}

pub(crate) struct Server {
    process: Child,
    pub(crate) access: Access,
}

impl Server {
    /// Starts the server. `key` is `None` on the first start, which creates the key.
    pub(crate) fn start(place: &Place, key: Option<&str>, seed: u64) -> Result<Self, String> {
        let errors = File::options().create(true).append(true).open(&place.errors);
        let mut process = Command::new(env!("CARGO_BIN_EXE_tiltyard"))
            .args(["serve", "--listen", "127.0.0.1:0", "--announce", "json", "--log", "error"])
            // Snapshots are frequent, because they write to the disk too.
            .args(["--snapshot-every", "60", "--data"])
            .arg(&place.data)
            .env("LD_PRELOAD", &place.shim)
            .env("TILTYARD_POWER_DIRECTORY", &place.data)
            .env("TILTYARD_POWER_JOURNAL", &place.journal)
            .env("TILTYARD_POWER_FAULTS", &place.faults)
            .env("TILTYARD_POWER_SEED", seed.to_string())
            .stdout(Stdio::piped())
            .stderr(errors.map_err(|error| error.to_string())?)
            .spawn()
            .map_err(|error| error.to_string())?;
        let stdout = process.stdout.take().ok_or("no stdout")?;
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut line = String::new();
            let _ = BufReader::new(stdout).read_line(&mut line);
            let _ = sender.send(line);
        });
        let line = receiver.recv_timeout(MOST_TIME).unwrap_or_default();
        if let Some(access) = read(&line, key) {
            return Ok(Self { process, access });
        }
        let _ = process.kill();
        let _ = process.wait();
        let errors = fs::read_to_string(&place.errors).unwrap_or_default();
        let last: Vec<&str> = errors.lines().rev().take(4).collect();
        Err(format!("the server did not start: {}", last.join("; ")))
    }

    /// Sends SIGKILL.
    pub(crate) fn kill(mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn read(announced: &str, key: Option<&str>) -> Option<Access> {
    let announced: Value = serde_json::from_str(announced).ok()?;
    let key = key.or_else(|| announced["admin_key"].as_str())?.to_owned();
    let address = announced["url"].as_str()?.trim_start_matches("http://").to_owned();
    Some(Access { address, key })
}
