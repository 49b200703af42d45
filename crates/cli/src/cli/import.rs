//! `tiltyard import`: imports votes that were given elsewhere.
//!
//! Files are read twice. The first pass checks that everything can be read, collects the arms and
//! hashes the votes; the second pass sends the votes. Nothing is sent before all files were read
//! once. A batch is named by the hash and its number, so a batch that is sent again counts once.
//! After an interruption, the same command therefore continues the import.

mod input;
mod optuna;
mod vote;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tiltyard::world::votes::{MAX_ARMS, Row};
use tiltyard_wire::{
    ArmInput, ArmName, ArmsBody, CreateBody, DEFAULT_POLICY, DoneWord, ImportView, SettingsBody,
};

use self::input::Input;
use super::Failure;
use super::client::{Client, Connection, Retry, plain, read};
use crate::printer::Printer;

/// The most votes in a request, which is the server's limit.
const BATCH: usize = 1000;

/// A batch is sent once its votes have this many bytes: half of the server's default limit.
const BATCH_BYTES: usize = 512 * 1024;

/// The most unknown arms that a message names.
const NAMED: usize = 10;

/// Import votes that were given elsewhere
///
/// Formats, detected from the beginning of a file, plain or gzip:
///   csv       a header `left,right,outcome`, or `model_a,model_b,winner` as in Chatbot Arena;
///             optionally weight, time, voter, pscore
///   fastchat  JSON with the same names, an array or one object after another; FastChat's own log
///   optuna    a preferential study in SQLite or in a journal; the better trial is on the left
///
/// To continue after an interruption, run the same command again; no vote is counted twice.
#[derive(Debug, Args)]
#[command(
    verbatim_doc_comment,
    override_usage = "tiltyard import [OPTIONS] EXPERIMENT FILE...\n       tiltyard import [OPTIONS] --new NAME FILE..."
)]
pub(crate) struct Import {
    /// The experiment's id, or its name if that is unique, and then files of votes; with `--new`,
    /// only files
    #[arg(value_name = "EXPERIMENT|FILE", required = true)]
    words: Vec<PathBuf>,
    /// Format of the files
    #[arg(long, value_enum, default_value = "auto")]
    format: FormatArgument,
    /// Create an experiment of this name with the arms of the files
    #[arg(long, value_name = "NAME")]
    new: Option<String>,
    /// The policy of the new experiment
    #[arg(long, default_value = DEFAULT_POLICY, requires = "new")]
    policy: String,
    /// Add arms that the experiment does not have, if its policy can change its arms
    #[arg(long, conflicts_with = "new")]
    add_arms: bool,
    /// The study to import from an Optuna storage
    #[arg(long, value_name = "NAME")]
    study: Option<String>,
    /// Name of this import; under another name, the same votes are imported again
    #[arg(long = "run", value_name = "WORD", default_value = "1", value_parser = word)]
    run_name: String,
    /// Only read the files and print what would be imported
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArgument {
    /// Detect the format
    Auto,
    Csv,
    Fastchat,
    Optuna,
}

/// A file after the first pass.
#[derive(Debug)]
struct Survey {
    input: Input,
    /// The hash of its votes, in hexadecimal.
    hash: String,
}

/// The content of all files.
#[derive(Debug, Default)]
struct Found {
    arms: BTreeSet<String>,
    votes: u64,
    skipped: u64,
    passed_over: u64,
    unused: BTreeSet<String>,
}

/// The numbers of votes that were imported now and before.
#[derive(Debug, Default)]
struct Sent {
    now: u64,
    before: u64,
}

fn word(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if (1..=40).contains(&text.len()) && text.chars().all(is_plain) {
        Ok(text.to_owned())
    } else {
        Err("must be 1 to 40 letters, digits, `-`, `_` or `.`".to_owned())
    }
}

impl Import {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let (experiment, files) = self.split()?;
        let mut found = Found::default();
        let surveys = files
            .iter()
            .map(|path| survey(Input::open(path, self.format, self.study.as_deref())?, &mut found))
            .collect::<Result<Vec<_>, Failure>>()?;
        found.tell(printer);
        if found.votes == 0 {
            return Err(Failure::bad_input(anyhow!("there are no votes to import"), Vec::new()));
        }
        let client = self.connection.open()?;
        let id = match (&self.new, experiment) {
            (Some(name), _) => {
                if self.dry_run {
                    printer.line(format_args!("votes that would be imported: {}", found.votes));
                    printer.line(format_args!("arms of the new experiment: {}", found.arms.len()));
                    return Ok(());
                }
                let body = CreateBody {
                    name: name.clone(),
                    arms: inputs(&found.arms),
                    policy: self.policy.clone(),
                    settings: SettingsBody::default(),
                };
                let made = client.post("/v1/experiments", &body, Retry::Unsafe, printer)?;
                plain(made["id"].as_str().unwrap_or_default())
            }
            (None, experiment) => client.resolve(&experiment, printer)?,
        };
        if self.new.is_none() {
            let known: BTreeSet<String> = client.arms(&id, printer)?.into_iter().collect();
            let unknown: Vec<&String> = found.arms.iter().filter(|&arm| !known.contains(arm)).collect();
            if self.dry_run {
                printer.line(format_args!("votes that would be imported: {}", found.votes));
                printer.line(format_args!("arms that the experiment does not have: {}", unknown.len()));
                return Ok(());
            }
            self.meet(&client, &id, &unknown, printer)?;
        } else {
            printer.note(format_args!("experiment {id}"));
        }
        let sent = self.send_all(&client, &id, &surveys, found.votes, printer);
        let sent = sent.map_err(|failure| match self.new {
            Some(_) => failure.with_hint(&format!("`tiltyard import {id} FILE...` continues the import")),
            None => failure,
        })?;
        if self.new.is_some() {
            printer.line(&id);
        }
        printer.line(format_args!("votes imported: {}", sent.now));
        if sent.before > 0 {
            printer.line(format_args!("votes imported before: {}", sent.before));
        }
        Ok(())
    }

    /// The experiment, unless a new one is created, and the files.
    fn split(&self) -> Result<(String, Vec<PathBuf>), Failure> {
        let mut files = self.words.clone();
        let experiment = match self.new {
            Some(_) => String::new(),
            None => files.remove(0).to_string_lossy().into_owned(),
        };
        if files.is_empty() {
            let hint = "`tiltyard import EXPERIMENT FILE...`, or `--new NAME FILE...` for a new experiment";
            let message = anyhow!("no files are given; `{experiment}` is read as the name of an experiment");
            return Err(Failure::bad_input(message, vec![hint.to_owned()]));
        }
        Ok((experiment, files))
    }

    /// Adds the arms that the experiment does not have, or fails.
    fn meet(&self, client: &Client, id: &str, unknown: &[&String], printer: &Printer) -> Result<(), Failure> {
        if unknown.is_empty() {
            return Ok(());
        }
        if self.add_arms {
            let path = format!("/v1/experiments/{id}/arms");
            let body = ArmsBody { arms: inputs(unknown.iter().copied()) };
            client.post(&path, &body, Retry::Unsafe, printer)?;
            printer.note(format_args!("arms added: {}", unknown.len()));
            return Ok(());
        }
        let names: Vec<_> = unknown.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
        let more = match unknown.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let error = anyhow!("the experiment has no arm {}{more}", plain(&names.join(", ")));
        let hints = vec![
            "`--add-arms` adds them, if the experiment's policy can change its arms".to_owned(),
            "`--new NAME` creates an experiment with the arms of the files".to_owned(),
        ];
        Err(Failure::bad_input(error, hints))
    }

    fn send_all(
        &self,
        client: &Client,
        id: &str,
        surveys: &[Survey],
        total: u64,
        printer: &Printer,
    ) -> Result<Sent, Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        ctrlc::set_handler(move || told.store(true, Ordering::Relaxed)).map_err(Failure::signals)?;
        let bar = printer.bar(total);
        let mut sent = Sent::default();
        for survey in surveys {
            let mut sender = Sender {
                client,
                path: format!("/v1/experiments/{id}/votes"),
                name: format!("import-{}-{}", survey.hash, self.run_name),
                survey,
                number: 0,
                first: 0,
                n_votes: 0,
                votes: String::new(),
                sent: &mut sent,
                printer,
            };
            let mut result = Ok(());
            survey.input.visit(&mut |row| {
                result = sender.add(row).and_then(|()| {
                    bar.set_position(sender.sent.now + sender.sent.before);
                    if stop.load(Ordering::Relaxed) { Err(stopped()) } else { Ok(()) }
                });
                result.is_ok()
            })?;
            result?;
            sender.send()?;
            bar.set_position(sent.now + sent.before);
        }
        bar.finish_and_clear();
        Ok(sent)
    }
}

/// Arms by their names.
fn inputs<'a>(names: impl IntoIterator<Item = &'a String>) -> Vec<ArmInput> {
    names.into_iter().map(|name| ArmInput::Name(ArmName(name.clone()))).collect()
}

fn stopped() -> Failure {
    let error = anyhow!("stopped before all votes were sent");
    let hints = vec!["to continue, run the same command again; no vote is counted twice".to_owned()];
    Failure { error, hints, code: Failure::STOPPED }
}

/// The first pass over a file.
fn survey(input: Input, found: &mut Found) -> Result<Survey, Failure> {
    let mut hash = Sha256::new();
    let mut votes = 0;
    let mut text = String::new();
    let mut failure = None;
    let visited = input.visit(&mut |row: &Row<'_>| {
        text.clear();
        match vote::write(row, &mut text) {
            Ok(true) => {
                hash.update(&text);
                hash.update("\n");
                votes += 1;
            }
            Ok(false) => {
                found.skipped += 1;
                return true;
            }
            Err(error) => {
                failure = Some(error);
                return false;
            }
        }
        for arm in [row.left, row.right] {
            if !found.arms.contains(arm) {
                found.arms.insert(arm.to_owned());
            }
        }
        found.arms.len() <= MAX_ARMS
    })?;
    if let Some(error) = failure {
        let error = anyhow!("{}: {error}", input.path().display());
        return Err(Failure::bad_input(error, Vec::new()));
    }
    if found.arms.len() > MAX_ARMS {
        let error =
            anyhow!("{}: more than {MAX_ARMS} arms; are the columns the right ones?", input.path().display());
        return Err(Failure::bad_input(error, Vec::new()));
    }
    found.votes += votes;
    found.passed_over += visited.passed_over;
    found.unused.extend(visited.unused);
    let hash =
        hash.finalize().iter().take(16).fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
    Ok(Survey { input, hash })
}

impl Found {
    fn tell(&self, printer: &Printer) {
        if self.skipped > 0 {
            printer.note(format_args!("skipped duels, left out: {}", self.skipped));
        }
        if self.passed_over > 0 {
            printer.note(format_args!("lines that are not votes, left out: {}", self.passed_over));
        }
        if !self.unused.is_empty() {
            let names: Vec<_> = self.unused.iter().map(|name| format!("`{name}`")).collect();
            printer.note(format_args!("columns not used: {}", plain(&names.join(", "))));
        }
    }
}

/// Sends votes in batches.
struct Sender<'a> {
    client: &'a Client,
    path: String,
    /// The beginning of each batch's name; its number follows.
    name: String,
    survey: &'a Survey,
    number: u64,
    /// The line of the first vote of the batch.
    first: u64,
    n_votes: usize,
    /// The votes of the batch, separated by commas.
    votes: String,
    sent: &'a mut Sent,
    printer: &'a Printer,
}

impl Sender<'_> {
    fn add(&mut self, row: &Row<'_>) -> Result<(), Failure> {
        let before = self.votes.len();
        if before > 0 {
            self.votes.push(',');
        }
        let is_vote = vote::write(row, &mut self.votes).map_err(|error| {
            let error = anyhow!("{}: {error}", self.survey.input.path().display());
            Failure::bad_input(error, vec!["the file changed while it was imported".to_owned()])
        })?;
        if !is_vote {
            self.votes.truncate(before);
            return Ok(());
        }
        if self.n_votes == 0 {
            self.first = row.line;
        }
        self.n_votes += 1;
        if self.n_votes == BATCH || self.votes.len() >= BATCH_BYTES { self.send() } else { Ok(()) }
    }

    fn send(&mut self) -> Result<(), Failure> {
        if self.n_votes == 0 {
            return Ok(());
        }
        let client_id = format!("{}-{}", self.name, self.number);
        let head = [Value::from(client_id), Value::from(self.survey.input.source())];
        let body = format!("{{\"client_id\":{},\"source\":{},\"votes\":[{}]}}", head[0], head[1], self.votes);
        let answer = self.client.post_text(&self.path, &body, self.printer).map_err(|failure| {
            let (path, line) = (self.survey.input.path().display(), self.first);
            failure.with_hint(&format!(
                "the refused votes begin at line {line} of {path}; `votes[0]` is the first of them"
            ))
        })?;
        let ImportView { status, votes, .. } = read(&answer)?;
        match status {
            DoneWord::Already => self.sent.before += votes as u64,
            DoneWord::Recorded => self.sent.now += votes as u64,
        }
        self.number += 1;
        self.n_votes = 0;
        self.votes.clear();
        Ok(())
    }
}
