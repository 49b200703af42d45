//! `tiltyard duel`: gets duels to show.

use clap::Args;
use serde_json::Value;
use tiltyard_wire::{DuelList, DuelView, DuelsBody};

use super::Failure;
use super::client::{Client, Connection, Retry, TextFormat, plain, read};
use crate::number;
use crate::printer::Printer;

/// Get duels to show
///
/// Prints one line per duel: its id, the left arm and the right arm, separated by tabs.
#[derive(Debug, Args)]
pub(crate) struct GetDuel {
    /// The experiment's id, or its name if that is unique
    experiment: String,
    /// Number of duels, at most 1000
    #[arg(long, value_name = "N", default_value = "1", value_parser = number::count)]
    count: u64,
    /// Your own id for this request; a repeated request with the same id gets the same duels
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// Whether the two arms must differ [default: the experiment's setting]
    #[arg(long, value_name = "true|false")]
    distinct: Option<bool>,
    /// Any data to store with the duels
    #[arg(long, value_name = "JSON", value_parser = json)]
    context: Option<Value>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: TextFormat,
    #[command(flatten)]
    connection: Connection,
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))
}

/// Asks for duels of the experiment with that id.
pub(super) fn issue(
    client: &Client,
    id: &str,
    request: &DuelsBody,
    printer: &Printer,
) -> Result<(Value, Vec<DuelView>), Failure> {
    // With a client id, a repeated request gets the same duels.
    let again = if request.client_id.is_some() { Retry::Safe } else { Retry::Unsafe };
    let answer = client.post(&format!("/v1/experiments/{id}/duels"), request, again, printer)?;
    let DuelList { duels } = read(&answer)?;
    Ok((answer, duels))
}

impl GetDuel {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let client = self.connection.open()?;
        let id = client.resolve(&self.experiment, printer)?;
        let request = DuelsBody {
            client_id: self.client_id,
            count: Some(u32::try_from(self.count).unwrap_or(u32::MAX)),
            distinct: self.distinct,
            context: self.context,
        };
        let (answer, duels) = issue(&client, &id, &request, printer)?;
        if self.format == TextFormat::Json {
            printer.line(answer);
            return Ok(());
        }
        for DuelView { id, left, right, .. } in &duels {
            printer.line(format_args!("{}\t{}\t{}", plain(id), plain(left), plain(right)));
        }
        Ok(())
    }
}
