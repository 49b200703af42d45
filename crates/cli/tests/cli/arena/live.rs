//! A server for the tests, and functions that make its output the same in every run.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::tiltyard;

/// Longer than anything here takes, so that a test that hangs fails.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server that runs until it is dropped.
pub(super) struct Server {
    child: Child,
    pub(super) url: String,
    /// The key, if one was created.
    pub(super) key: Option<String>,
    log: PathBuf,
    directory: Option<TempDir>,
}

impl Server {
    /// A server on a new directory.
    pub(super) fn new(arguments: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("data").display().to_string();
        let arguments = [&["--listen", "127.0.0.1:0", "--data", &data], arguments].concat();
        let mut server = Self::start(&arguments, directory.path(), |_| {});
        server.directory = Some(directory);
        server
    }

    /// A server with these arguments. Its log goes to a file in `directory`.
    pub(super) fn start(arguments: &[&str], directory: &Path, prepare: impl FnOnce(&mut Command)) -> Self {
        let log = directory.join("log");
        let mut command = tiltyard(&["serve", "--announce", "json"]);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
        command.stderr(File::create(&log).unwrap()).current_dir(directory);
        prepare(&mut command);
        let mut child = command.spawn().unwrap();
        let line = lines(&mut child).recv_timeout(PATIENCE);
        let line = line.unwrap_or_else(|_| panic!("no server: {}", fs::read_to_string(&log).unwrap()));
        let announced: Value = serde_json::from_str(&line).unwrap();
        let url = announced["url"].as_str().unwrap().to_owned();
        let key = announced["admin_key"].as_str().map(str::to_owned);
        Self { child, url, key, log, directory: None }
    }

    pub(super) fn data(&self) -> PathBuf {
        self.log.with_file_name("data")
    }

    /// A client of this server, with the admin's key.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = tiltyard(arguments);
        command.env("TILTYARD_SERVER", &self.url).stdin(Stdio::null());
        if let Some(key) = &self.key {
            command.env("TILTYARD_KEY", key);
        }
        command
    }

    /// The output of a command, which must succeed.
    pub(super) fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// The digest of an experiment.
    pub(super) fn digest(&self, experiment: &str) -> String {
        let path = format!("/v1/experiments/{experiment}/digest");
        let mut stream = self.send(&format!("GET {path} HTTP/1.1\r\n"), "");
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{text}");
        serde_json::from_str::<Value>(body).unwrap()["digest"].as_str().unwrap().to_owned()
    }

    /// Sends a raw request: the first lines of its head, and its body or the beginning of the body.
    pub(super) fn send(&self, head: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.url.trim_start_matches("http://")).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let key = self.key.as_deref().unwrap_or_default();
        let rest =
            format!("Host: localhost\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n\r\n{body}");
        stream.write_all(format!("{head}{rest}").as_bytes()).unwrap();
        stream
    }

    /// Asks the server to end. Returns its exit code and its log.
    pub(super) fn stop(mut self) -> (Option<i32>, String) {
        self.terminate();
        let code = self.wait();
        (code, fs::read_to_string(&self.log).unwrap())
    }

    pub(super) fn terminate(&self) {
        signal("TERM", &self.child);
    }

    pub(super) fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal as a shell does.
pub(super) fn signal(name: &str, child: &Child) {
    let sent = Command::new("sh").arg("-c").arg(format!("kill -{name} {}", child.id())).status().unwrap();
    assert!(sent.success());
}

/// The lines that a process prints, as they arrive.
pub(super) fn lines(child: &mut Child) -> Receiver<String> {
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in stdout.lines() {
            if sender.send(line.unwrap()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The next `n` lines.
pub(super) fn take(receiver: &Receiver<String>, n: usize) -> Vec<String> {
    (0..n).map(|_| receiver.recv_timeout(PATIENCE).expect("another line")).collect()
}

/// A transcript of commands and their output.
#[derive(Default)]
pub(super) struct Transcript(String);

impl Transcript {
    pub(super) fn run(&mut self, command: &mut Command) {
        let words: Vec<_> = command.get_args().map(|word| word.to_str().unwrap().to_owned()).collect();
        let words: Vec<String> = words
            .into_iter()
            .map(|word| if word.contains(' ') { format!("'{word}'") } else { word })
            .collect();
        writeln!(self.0, "$ tiltyard {}", crate::steady(&words.join(" "))).unwrap();
        let seen = crate::seen(command);
        let (code, rest) = seen.split_once("\n----- stdout -----\n").unwrap();
        let (stdout, stderr) = rest.split_once("----- stderr -----\n").unwrap();
        self.0.push_str(stdout);
        for line in stderr.lines().filter(|line| !line.is_empty()) {
            writeln!(self.0, "! {line}").unwrap();
        }
        if code != "exit code: 0" {
            writeln!(self.0, "{code}").unwrap();
        }
        self.0.push('\n');
    }

    pub(super) fn text(&self) -> String {
        steady(&self.0)
    }
}

/// Replaces ids, keys, times and ports. The same id has the same number.
pub(super) fn steady(text: &str) -> String {
    let mut ids = Vec::new();
    let mut steady = String::new();
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-_.:".contains(c);
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        steady.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let word = rest[..end].trim_end_matches([':', '.', '-']);
        steady.push_str(&word_of(word, &mut ids));
        rest = &rest[word.len().max(1)..];
        if word.is_empty() {
            steady.push_str(&text[text.len() - rest.len() - 1..text.len() - rest.len()]);
        }
    }
    steady + rest
}

fn word_of(word: &str, ids: &mut Vec<String>) -> String {
    // 63 bits in 13 digits of base 32: the first is always 0 to 7.
    let is_id = |word: &str| {
        word.len() == 13
            && word.starts_with(|c: char| ('0'..='7').contains(&c))
            && word.chars().all(|c| c.is_ascii_digit() || c.is_ascii_lowercase())
    };
    let mut number = |id: &str| {
        let place = ids.iter().position(|known| known == id).unwrap_or_else(|| {
            ids.push(id.to_owned());
            ids.len() - 1
        });
        format!("[ID {}]", place + 1)
    };
    if word.starts_with("tiltyard_") && word.len() == 9 + 13 + 1 + 64 {
        return "[KEY]".to_owned();
    }
    if word.len() == 64 && word.chars().all(|c| c.is_ascii_hexdigit()) {
        return "[HASH]".to_owned();
    }
    if is_id(word) {
        return number(word);
    }
    if let [experiment, place, token] = word.split('-').collect::<Vec<_>>()[..]
        && is_id(experiment)
        && token.len() == 13
    {
        return format!("[DUEL {place}]");
    }
    if word.len() >= 20 && word.ends_with('Z') && word.as_bytes()[10] == b'T' {
        return "[TIME]".to_owned();
    }
    // Ports chosen by the system are high.
    match word.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok_and(|port| port > 9999) => format!("{host}:[PORT]"),
        _ => word.to_owned(),
    }
}

#[test]
fn trace_what_differs_is_replaced() {
    let text = "7mhef783tge90: 7mhef783tge90-2-fqtpd6x1bghqv, 2026-11-16T07:12:48.951879Z (0000000000001) http://127.0.0.1:33333: http://127.0.0.1:0.";
    assert_eq!(
        steady(text),
        "[ID 1]: [DUEL 2], [TIME] ([ID 2]) http://127.0.0.1:[PORT]: http://127.0.0.1:0."
    );
}
