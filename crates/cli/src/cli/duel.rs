//! `tiltyard duel`: duels to show.

use clap::Args;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::Failure;
use super::client::{Again, Client, Connection, TextFormat, plain, read};
use crate::number;
use crate::printer::Printer;

/// Get duels to show
///
/// A line for each: its id, the left and the right arm, parted by tabs.
#[derive(Debug, Args)]
pub(crate) struct GetDuel {
    /// The experiment's id, or its name if no other has it
    experiment: String,
    /// How many, at most 1000
    #[arg(long, value_name = "N", default_value = "1", value_parser = number::count)]
    count: u64,
    /// Your name for this request: asked again, it gets the same duels
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,
    /// Whether the arms must differ; by default what the experiment's settings say
    #[arg(long, value_name = "true|false")]
    distinct: Option<bool>,
    /// Whatever is to be kept with the duels
    #[arg(long, value_name = "JSON", value_parser = json)]
    context: Option<Value>,
    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: TextFormat,
    #[command(flatten)]
    connection: Connection,
}

/// What is needed of a duel.
#[derive(Debug, Deserialize)]
pub(super) struct Duel {
    pub(super) id: String,
    pub(super) left: String,
    pub(super) right: String,
    pub(super) arms: Option<Sides>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sides {
    pub(super) left: Arm,
    pub(super) right: Arm,
}

#[derive(Debug, Deserialize)]
pub(super) struct Arm {
    pub(super) label: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Duels {
    duels: Vec<Duel>,
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))
}

/// Asks for duels of the experiment with that id.
pub(super) fn issue(
    client: &Client,
    id: &str,
    request: &Value,
    printer: &Printer,
) -> Result<(Value, Vec<Duel>), Failure> {
    // With a name of the client's own, the same duels come again.
    let again = if request.get("client_id").is_some() { Again::Safe } else { Again::Unsafe };
    let answer = client.post(&format!("/v1/experiments/{id}/duels"), Some(request), again, printer)?;
    let Duels { duels } = read(&answer)?;
    Ok((answer, duels))
}

impl GetDuel {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let client = self.connection.open()?;
        let id = client.resolve(&self.experiment, printer)?;
        let mut request = Map::new();
        request.insert("count".to_owned(), self.count.into());
        let given = [
            ("client_id", self.client_id.map(Value::from)),
            ("distinct", self.distinct.map(Value::from)),
            ("context", self.context),
        ];
        request.extend(given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
        let (answer, duels) = issue(&client, &id, &Value::Object(request), printer)?;
        if self.format == TextFormat::Json {
            printer.line(answer);
            return Ok(());
        }
        for Duel { id, left, right, .. } in &duels {
            printer.line(format_args!("{}\t{}\t{}", plain(id), plain(left), plain(right)));
        }
        Ok(())
    }
}
