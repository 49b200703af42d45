//! `tiltyard export`: writes all votes of an experiment, or its log.

mod parquet;

use std::io::{self, IsTerminal as _, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use tiltyard::world::AtomicFile;

use super::Failure;
use super::client::Connection;
use crate::printer::Printer;

/// Write all votes that count to a file or to stdout
///
/// Each vote is one row, in the order of the log, up to its current end. A file is written
/// completely or not at all; stdout is complete if the exit code is 0. CSV and JSON lines can be
/// imported again; Parquet has the column names of the Open Bandit Pipeline. `--format log` writes
/// the whole log instead, with its hashes, so that others can check it with `tiltyard verify FILE`.
/// The log has the secrets of duels in flight: close the experiment before you publish it.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The experiment's id, or its name if that is unique
    experiment: String,
    /// Format of the votes [default: by the ending of the file's name, else csv]
    #[arg(long, value_enum)]
    format: Option<ExportFormat>,
    /// File for the votes [default: stdout]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "out")]
    force: bool,
    /// Only votes recorded after this position of the log, such as a `seq` of an earlier export
    #[arg(long, value_name = "SEQ", default_value = "0")]
    after: u64,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// A header and one line per vote
    Csv,
    /// One JSON object per line
    Jsonl,
    /// A table for data frames
    Parquet,
    /// The whole log with its hashes, one JSON object per line
    Log,
}

/// Why copying stopped.
enum Broken {
    /// Reading from the server failed.
    Source(io::Error),
    /// Writing failed.
    Sink(io::Error),
    /// The log is damaged, and ends there.
    Damaged(String),
}

impl Export {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let format = self.format.unwrap_or_else(|| by_name(self.out.as_deref()));
        if format == ExportFormat::Parquet && self.out.is_none() && io::stdout().is_terminal() {
            let error = anyhow!("a terminal cannot show Parquet");
            return Err(Failure::bad_input(error, vec!["`--out FILE` writes it to a file".to_owned()]));
        }
        // Before any request, so that a long export does not end with a file that cannot be
        // written.
        let draft = self.out.as_deref().map(|path| AtomicFile::new(path, self.force)).transpose()?;
        let client = self.connection.open()?;
        let id = client.resolve(&self.experiment, printer)?;
        let path = match format {
            ExportFormat::Log if self.after > 0 => {
                let error = anyhow!("a log is exported from its beginning");
                return Err(Failure::bad_input(error, vec!["leave out `--after`".to_owned()]));
            }
            ExportFormat::Log => format!("/v1/experiments/{id}/log"),
            ExportFormat::Csv => format!("/v1/experiments/{id}/votes?format=csv&after={}", self.after),
            ExportFormat::Jsonl | ExportFormat::Parquet => {
                format!("/v1/experiments/{id}/votes?format=jsonl&after={}", self.after)
            }
        };
        // The server fixes the end of the log before it answers. The arms that exist after that
        // include every arm that these votes name.
        let (reader, head) = client.download(&path, printer)?;
        let arms = match format {
            ExportFormat::Parquet => client.arms(&id, printer)?,
            ExportFormat::Csv | ExportFormat::Jsonl | ExportFormat::Log => Vec::new(),
        };
        let copied = match draft {
            Some(mut draft) => match copy(format, &arms, reader, &mut draft) {
                Ok(()) => {
                    draft.keep()?;
                    if let Some(head) = head {
                        printer.note(format_args!("the log ended at {head}"));
                    }
                    return Ok(());
                }
                Err(Broken::Sink(error)) => return Err(Failure::file(draft.path(), error)),
                Err(error) => Err(error),
            },
            None => copy(format, &arms, reader, printer.data()),
        };
        match copied {
            Ok(()) => Ok(()),
            // The reader of stdout has closed it.
            Err(Broken::Sink(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(Broken::Sink(error)) => Err(Failure::stdout(error)),
            Err(Broken::Damaged(damage)) => {
                let error = anyhow!("the log of the experiment is damaged: {damage}");
                Err(Failure::broken(error)
                    .with_hint("the records before the damage can be written to stdout"))
            }
            Err(Broken::Source(error)) => {
                let error = anyhow!("the export from {} broke: {error}", client.base());
                Err(Failure::broken(error).with_hint("the output so far is incomplete"))
            }
        }
    }
}

fn by_name(path: Option<&Path>) -> ExportFormat {
    match path.and_then(Path::extension).and_then(|ending| ending.to_str()) {
        Some("jsonl" | "ndjson") => ExportFormat::Jsonl,
        Some("parquet") => ExportFormat::Parquet,
        _ => ExportFormat::Csv,
    }
}

/// Copies the whole body. The error says which side failed.
fn copy(
    format: ExportFormat,
    arms: &[String],
    mut reader: impl Read,
    mut out: impl Write + Send,
) -> Result<(), Broken> {
    if format == ExportFormat::Parquet {
        return parquet::copy(arms, reader, out);
    }
    let mut buffer = vec![0; 1 << 16];
    let mut last_line = Vec::new();
    loop {
        let n = match reader.read(&mut buffer) {
            Ok(0) => {
                out.flush().map_err(Broken::Sink)?;
                let damage = serde_json::from_slice::<serde_json::Value>(&last_line).unwrap_or_default();
                return match damage.get("damage").and_then(serde_json::Value::as_str) {
                    Some(damage) if format == ExportFormat::Log => Err(Broken::Damaged(damage.to_owned())),
                    _ => Ok(()),
                };
            }
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Broken::Source(error)),
        };
        out.write_all(&buffer[..n]).map_err(Broken::Sink)?;
        if format == ExportFormat::Log {
            last_line.extend_from_slice(&buffer[..n]);
            let length = last_line.trim_ascii_end().len();
            if let Some(end) = last_line[..length].iter().rposition(|&byte| byte == b'\n') {
                last_line.drain(..=end);
            }
        }
    }
}
