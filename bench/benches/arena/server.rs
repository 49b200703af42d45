//! A server in a process of its own.

use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{self, ChildStdout, Command, ExitCode, Stdio};
use std::sync::Arc;

use tempfile::TempDir;
use tiltyard_arena::Arena;
use tiltyard_arena::arena::Options;
use tiltyard_arena::http::{Auth, Config, Service, serve};
use tiltyard_arena::store::SqliteStore;
use tiltyard_arena::time::SystemClock;

/// What makes this program the server.
pub(crate) const CHILD: &str = "--be-the-server";

/// Serves until it is killed.
pub(crate) fn run(directory: &Path) -> ExitCode {
    let store = Arc::new(SqliteStore::open(directory).expect("a store"));
    let options = Options { clock: Arc::new(SystemClock), entropy: [7; 32], most_waiting: 100_000 };
    let (arena, writer) = Arena::open(store, options).expect("an arena");
    let config = Config { auth: Auth::None, max_requests: 4096, max_body_bytes: 1 << 24, ..Config::default() };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        println!("{}", listener.local_addr().expect("an address"));
        std::io::stdout().flush().expect("stdout");
        serve(listener, Service { arena, writer, config }, std::future::pending()).await.expect("a server");
    });
    ExitCode::SUCCESS
}

/// The server's process; killed at the end.
pub(crate) struct Child {
    pub(crate) address: String,
    process: process::Child,
    _stdout: BufReader<ChildStdout>,
    _directory: TempDir,
}

impl Child {
    pub(crate) fn start() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut process = Command::new(std::env::current_exe().expect("this program"))
            .arg(CHILD)
            .arg(directory.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let mut stdout = BufReader::new(process.stdout.take().expect("its stdout"));
        let mut address = String::new();
        stdout.read_line(&mut address).expect("its address");
        let address = address.trim().to_owned();
        Self { address, process, _stdout: stdout, _directory: directory }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
