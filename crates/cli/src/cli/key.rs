//! `tiltyard key`: the keys of a server.

use anyhow::anyhow;
use clap::{Args, Subcommand, ValueEnum};
use tiltyard::arena::id::KeyId;
use tiltyard::arena::time::Time;
use tiltyard_wire::{self as wire, DoneView, DoneWord, KeyBody, KeyList, NewKeyView};

use super::client::{Connection, Retry, TextFormat, plain, read};
use super::{Failure, ListFormat, moment, table};
use crate::printer::Printer;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a key and print it, only this once
    New(NewKey),
    /// List keys, without their secrets
    List(List),
    /// Revoke a key for good
    Revoke(Revoke),
}

#[derive(Debug, Args)]
pub(crate) struct NewKey {
    /// What the key allows
    #[arg(long, value_enum)]
    scope: Scope,
    /// Limit the key to one experiment, by id or name; a voter's key needs one
    #[arg(long)]
    experiment: Option<String>,
    /// A note, such as who uses the key
    #[arg(long)]
    label: Option<String>,
    /// When the key expires: a time such as 2026-01-31T12:00:00Z, or a duration from now such as
    /// 30d
    #[arg(long, value_name = "TIME", value_parser = moment::future)]
    expires: Option<Time>,
    /// Output format: the key alone, or everything about it
    #[arg(long, value_enum, default_value = "text")]
    format: TextFormat,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Scope {
    /// Everything, including keys
    Admin,
    /// Create and change experiments, get duels, send outcomes, read
    Writer,
    /// Get duels and send outcomes of one experiment
    Voter,
    /// Read only
    Reader,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Output format
    #[arg(long, value_enum, default_value = "table")]
    format: ListFormat,
    #[command(flatten)]
    connection: Connection,
}

#[derive(Debug, Args)]
pub(crate) struct Revoke {
    /// The key's id, as `tiltyard key list` shows it
    id: String,
    #[command(flatten)]
    connection: Connection,
}

impl From<Scope> for wire::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Admin => Self::Admin,
            Scope::Writer => Self::Writer,
            Scope::Voter => Self::Voter,
            Scope::Reader => Self::Reader,
        }
    }
}

impl Command {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        match self {
            Self::New(new) => new.run(printer),
            Self::List(list) => list.run(printer),
            Self::Revoke(revoke) => revoke.run(printer),
        }
    }
}

impl NewKey {
    fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let client = self.connection.open()?;
        let experiment = self.experiment.as_ref().map(|experiment| client.resolve(experiment, printer));
        let body = KeyBody {
            scope: self.scope.into(),
            experiment: experiment.transpose()?,
            label: self.label,
            expires_at: self.expires.map(|expires| expires.to_string()),
        };
        let answer = client.post("/v1/keys", &body, Retry::Unsafe, printer)?;
        if self.format == TextFormat::Json {
            printer.line(answer);
            return Ok(());
        }
        let NewKeyView { id, key, .. } = read(&answer)?;
        printer.line(plain(&key));
        printer.note(format_args!(
            "\nthis key is shown only once; `tiltyard key revoke {}` revokes it",
            plain(&id)
        ));
        Ok(())
    }
}

impl List {
    fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let answer = self.connection.open()?.get("/v1/keys", printer)?;
        if self.format == ListFormat::Json {
            printer.line(answer);
            return Ok(());
        }
        let header = ["key", "scope", "experiment", "created", "expires", "revoked", "label"];
        let mut rows = table::Rows::words(header.map(str::to_owned).to_vec());
        let or_dash = |text: Option<String>| text.map_or_else(|| "-".to_owned(), |text| plain(&text));
        for key in read::<KeyList>(&answer)?.keys {
            rows.push(vec![
                plain(&key.id),
                key.scope.to_string(),
                or_dash(key.experiment),
                plain(&key.created_at),
                or_dash(key.expires_at),
                or_dash(key.revoked_at),
                or_dash(key.label),
            ]);
        }
        for line in rows.lines() {
            printer.line(line);
        }
        Ok(())
    }
}

impl Revoke {
    fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        if let Err(error) = self.id.parse::<KeyId>() {
            let hints = vec!["`tiltyard key list` shows the ids of all keys".to_owned()];
            // The message must not repeat a secret that was given by mistake.
            let error = if self.id.starts_with("tiltyard_") {
                anyhow!("this is the key itself, not its id; do not put keys on command lines")
            } else {
                error.into()
            };
            return Err(Failure::bad_input(error, hints));
        }
        let client = self.connection.open()?;
        let DoneView { status } = read(&client.delete(&format!("/v1/keys/{}", self.id), printer)?)?;
        printer.line(if status == DoneWord::Already { "already revoked" } else { "revoked" });
        Ok(())
    }
}
