//! The settings of a server. Each has the same name as a flag, in the environment and in a file.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use clap::{Args, CommandFactory, Parser, ValueEnum};
use serde::Deserialize;
use tiltyard::arena::arena::Options;
use tiltyard::arena::server::{Auth, Config, is_origin};
use tracing::level_filters::LevelFilter;

use crate::cli::Failure;

/// The prefix of settings in the environment.
const PREFIX: &str = "TILTYARD_SERVE_";

/// Names the file of settings and is not a setting itself.
const FILE: &str = "TILTYARD_SERVE_CONFIG";

macro_rules! settings {
    ($($(#[$attribute:meta])* $name:ident: $type:ty,)*) => {
        /// The settings of one source; `None` for those it does not give.
        #[derive(Debug, Clone, Default, Args, Deserialize)]
        #[serde(deny_unknown_fields)]
        #[command(next_help_heading = "Settings")]
        pub(super) struct Settings {
            $($(#[$attribute])* #[arg(long)] pub(super) $name: Option<$type>,)*
        }

        impl Settings {
            /// Takes settings that are missing here from `other`.
            fn or(self, other: Self) -> Self {
                Self { $($name: self.$name.or(other.$name),)* }
            }
        }
    };
}

settings! {
    /// Address to listen on; port 0 picks a free port [default: 127.0.0.1:7474]
    #[arg(value_name = "ADDRESS")]
    listen: SocketAddr,
    /// Directory for all data [default: ./tiltyard-data]
    #[arg(value_name = "DIR")]
    data: PathBuf,
    /// Show the lab's results and reports below this directory at `/lab/` [default: none]
    #[arg(value_name = "DIR")]
    results: PathBuf,
    /// Whether requests need keys; with `none`, the server listens only on loopback [default: keys]
    #[arg(value_enum)]
    auth: AuthWord,
    /// Log messages of this level and more important ones [default: info]
    #[arg(value_enum)]
    log: LogLevel,
    /// Format of the log on stderr [default: text]
    #[arg(value_enum)]
    log_format: LogFormat,
    /// Maximum size of a request's body [default: 1048576]
    #[arg(value_name = "BYTES", value_parser = clap::value_parser!(u32).range(1024..))]
    max_body_bytes: u32,
    /// Maximum number of requests at the same time; more are refused with 503 [default: 1024]
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_requests: u32,
    /// Maximum number of connections; more have to wait [default: 4096]
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_connections: u32,
    /// Maximum number of live event streams [default: 256]
    #[arg(value_name = "N")]
    max_streams: u32,
    /// Maximum number of writes waiting for the disk; more are refused with 503 [default: 10000]
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_waiting: u32,
    /// Save a snapshot of an experiment after this many records, for faster starts [default:
    /// 100000]
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    snapshot_every: u32,
    /// Maximum number of requests per key and second, on average; 0 for no limit [default: 0]
    #[arg(value_name = "N")]
    rate_limit: u32,
    /// Time limit for receiving a request, and for an idle connection [default: 30]
    #[arg(value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=3600))]
    read_timeout: u32,
    /// Time limit for answering a request [default: 30]
    #[arg(value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=3600))]
    request_timeout: u32,
    /// Time limit for finishing open requests when the server stops [default: 30]
    #[arg(value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(0..=3600))]
    grace: u32,
    /// Origins of web pages that may call the API, separated by commas [default: none]
    #[arg(value_name = "ORIGIN")]
    cors_origins: String,
    /// Origins of pictures and pages that voting pages may show, separated by commas [default:
    /// none]
    #[arg(value_name = "ORIGIN")]
    content_origins: String,
    /// Directory of files that voting pages may show; everyone can read them below /media/
    /// [default: none]
    #[arg(value_name = "DIR")]
    media: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AuthWord {
    Keys,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LogFormat {
    Text,
    Json,
}

impl From<LogLevel> for LevelFilter {
    fn from(level: LogLevel) -> Self {
        match level {
            LogLevel::Off => Self::OFF,
            LogLevel::Error => Self::ERROR,
            LogLevel::Warn => Self::WARN,
            LogLevel::Info => Self::INFO,
            LogLevel::Debug => Self::DEBUG,
        }
    }
}

/// Parses the environment like flags, with the same checks.
#[derive(Debug, Parser)]
#[command(name = "the environment", no_binary_name = true, disable_help_flag = true)]
struct FromEnvironment {
    #[command(flatten)]
    settings: Settings,
}

impl Settings {
    /// Combines the sources: flags override the environment, which overrides the file.
    pub(super) fn resolve(self, config: Option<PathBuf>) -> Result<Self, Failure> {
        let mut environment: BTreeMap<String, OsString> = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(name, _)| name.starts_with(PREFIX))
            .collect();
        let config = config.or_else(|| environment.remove(FILE).map(PathBuf::from));
        let file = config.as_deref().map(from_file).transpose()?.unwrap_or_default();
        self.or(from_environment(environment)?).or(file).checked()
    }

    /// Checks origins and the media directory. A text that is not an origin would never match what
    /// a browser sends.
    fn checked(self) -> Result<Self, Failure> {
        for (setting, given) in
            [("cors_origins", &self.cors_origins), ("content_origins", &self.content_origins)]
        {
            if let Some(origin) = origins(given.as_deref()).iter().find(|origin| !is_origin(origin)) {
                let error = anyhow!("`{setting}`: `{origin}` is not an origin");
                return Err(Failure::bad_input(
                    error,
                    vec!["an origin looks like `https://example.org`, without a path".to_owned()],
                ));
            }
        }
        if let Some(media) = self.media.as_deref().filter(|media| !media.is_dir()) {
            let error = anyhow!("`media`: the directory {} does not exist", media.display());
            return Err(Failure::bad_input(error, Vec::new()));
        }
        Ok(self)
    }

    pub(super) fn listen(&self) -> SocketAddr {
        self.listen.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 7474)))
    }

    pub(super) fn is_open(&self) -> bool {
        self.auth == Some(AuthWord::None)
    }

    pub(super) fn log_level(&self) -> LogLevel {
        self.log.unwrap_or(LogLevel::Info)
    }

    pub(super) fn log_format(&self) -> LogFormat {
        self.log_format.unwrap_or(LogFormat::Text)
    }

    /// The options of the arena.
    pub(super) fn options(&self, entropy: [u8; 32]) -> Options {
        let default = Options::new(entropy);
        Options {
            most_waiting: self.max_waiting.map_or(default.most_waiting, |most| most as usize),
            snapshot_every: self.snapshot_every.map_or(default.snapshot_every, u64::from),
            ..default
        }
    }

    /// The configuration of the HTTP server.
    pub(super) fn config(&self) -> Config {
        let default = Config::default();
        let count = |given: Option<u32>, default: usize| given.map_or(default, |given| given as usize);
        let time = |given: Option<u32>, default: Duration| {
            given.map_or(default, |s| Duration::from_secs(u64::from(s)))
        };
        Config {
            auth: if self.is_open() { Auth::None } else { Auth::Keys },
            max_body_bytes: count(self.max_body_bytes, default.max_body_bytes),
            max_requests: count(self.max_requests, default.max_requests),
            max_connections: count(self.max_connections, default.max_connections),
            max_streams: count(self.max_streams, default.max_streams),
            rate_limit: self.rate_limit.unwrap_or(default.rate_limit),
            read_timeout: time(self.read_timeout, default.read_timeout),
            request_timeout: time(self.request_timeout, default.request_timeout),
            grace: time(self.grace, default.grace),
            cors_origins: origins(self.cors_origins.as_deref()),
            content_origins: origins(self.content_origins.as_deref()),
            media: self.media.clone(),
        }
    }
}

/// Splits a list of origins at its commas.
fn origins(all: Option<&str>) -> Vec<String> {
    let all = all.unwrap_or_default().split(',').map(str::trim);
    all.filter(|origin| !origin.is_empty()).map(str::to_owned).collect()
}

fn from_file(path: &Path) -> Result<Settings, Failure> {
    let text = fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()));
    let text = text.map_err(|error| Failure::bad_input(error, Vec::new()))?;
    let refuse = |error: anyhow::Error| {
        let hint = "`tiltyard serve --help` lists the settings".to_owned();
        Failure::bad_input(error.context(format!("{}", path.display())), vec![hint])
    };
    let settings = toml::from_str(&text).map_err(|error| refuse(error.into()))?;
    // The flags' parser checks the ranges.
    let table: toml::Table = toml::from_str(&text).map_err(|error| refuse(error.into()))?;
    let words = table.iter().flat_map(|(name, value)| {
        // All settings are strings or whole numbers; others were refused above.
        let value =
            value.as_integer().map(|value| value.to_string()).or_else(|| value.as_str().map(str::to_owned));
        [flag(name), OsString::from(value.unwrap_or_default())]
    });
    FromEnvironment::try_parse_from(words).map_err(|error| refuse(anyhow!(first_line(&error))))?;
    Ok(settings)
}

/// The flag of a setting.
fn flag(setting: &str) -> OsString {
    OsString::from(format!("--{}", setting.replace('_', "-")))
}

/// The error message without the help that clap prints below it.
fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

fn from_environment(environment: BTreeMap<String, OsString>) -> Result<Settings, Failure> {
    let command = FromEnvironment::command();
    let known: Vec<String> = command.get_arguments().map(|argument| argument.get_id().to_string()).collect();
    let mut words = Vec::new();
    for (name, value) in environment {
        let setting = name[PREFIX.len()..].to_lowercase();
        if !known.contains(&setting) {
            let error = anyhow!("unknown setting `{name}`");
            let mut hints = vec!["`tiltyard serve --help` lists the settings".to_owned()];
            let near =
                known.iter().find(|known| known.contains(&setting) || setting.contains(known.as_str()));
            hints.extend(near.map(|near| format!("did you mean `{PREFIX}{}`?", near.to_uppercase())));
            return Err(Failure::bad_input(error, hints));
        }
        words.push(flag(&setting));
        words.push(value);
    }
    let parsed = FromEnvironment::try_parse_from(words);
    parsed.map(|parsed| parsed.settings).map_err(|error| {
        Failure::bad_input(anyhow!("in the environment ({PREFIX}...): {}", first_line(&error)), Vec::new())
    })
}
