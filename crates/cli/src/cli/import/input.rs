//! A file of votes in any of the formats.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use tiltyard::world::votes::{Format, ReadVotesError, Row, Visited, optuna, visit_votes};

use super::FormatArgument;
use super::optuna::{Preferences, from_journal, from_sqlite};
use crate::cli::Failure;
use crate::cli::client::plain;

/// The beginning of every SQLite file.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// How many bytes of a file are read to detect its format.
const LOOK: u64 = 4096;

#[derive(Debug)]
pub(super) struct Input {
    path: PathBuf,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Text(Format),
    /// From Optuna. People give few enough of them to keep them in memory.
    Preferences(Preferences),
}

impl Input {
    /// Opens a file and detects its format.
    pub(super) fn open(path: &Path, format: FormatArgument, study: Option<&str>) -> Result<Self, Failure> {
        let unreadable = |source| ReadVotesError::Unreadable { path: path.to_owned(), source };
        let mut start = Vec::new();
        File::open(path).and_then(|file| file.take(LOOK).read_to_end(&mut start)).map_err(unreadable)?;
        let is_sqlite = start.starts_with(SQLITE);
        let is_optuna = match format {
            FormatArgument::Auto => is_sqlite || optuna::is_journal(&start),
            FormatArgument::Optuna => true,
            FormatArgument::Csv | FormatArgument::Fastchat => false,
        };
        let content = if is_optuna && is_sqlite {
            Content::Preferences(from_sqlite(path, study)?)
        } else if is_optuna {
            Content::Preferences(from_journal(path, study)?)
        } else {
            Content::Text(match format {
                FormatArgument::Csv => Format::Csv,
                FormatArgument::Fastchat => Format::Json,
                FormatArgument::Auto | FormatArgument::Optuna => Format::Auto,
            })
        };
        Ok(Self { path: path.to_owned(), content })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The name that the server stores as the source of the votes.
    pub(super) fn source(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str()).to_string_lossy();
        plain(&name).chars().take(200).collect()
    }

    /// Reads the file from its beginning.
    pub(super) fn visit(&self, visit: &mut dyn FnMut(&Row<'_>) -> bool) -> Result<Visited, Failure> {
        match &self.content {
            Content::Text(format) => {
                let path = || self.path.clone();
                let file = File::open(&self.path)
                    .map_err(|source| ReadVotesError::Unreadable { path: path(), source })?;
                let visited = visit_votes(BufReader::with_capacity(1 << 16, file), *format, visit);
                Ok(visited.map_err(|error| ReadVotesError::Invalid { path: path(), error })?)
            }
            Content::Preferences(preferences) => Ok(preferences.visit(visit)),
        }
    }
}
