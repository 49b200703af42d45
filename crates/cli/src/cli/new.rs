//! `tiltyard new`: creates a live experiment.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::Args;
use serde_json::{Map, Value, json};
use tiltyard::arena::domain::{Legal, SETTINGS, Setting};
use tiltyard_wire::{ArmInput, ArmName, DEFAULT_POLICY};

use super::Failure;
use super::client::{Connection, Retry, TextFormat, plain};
use crate::number;
use crate::printer::Printer;

/// Create a live experiment and print its id
#[derive(Debug, Args)]
#[command(long_about = about())]
pub(crate) struct New {
    /// Name of the experiment
    name: String,
    /// Name of an arm; give two or more arms
    #[arg(long = "arm", value_name = "NAME")]
    arms: Vec<String>,
    /// File of arms: one name per line, or JSON,
    /// `["a", {"name": "b", "label": "B", "payload": ...}]`
    #[arg(long, value_name = "FILE")]
    arms_file: Option<PathBuf>,
    /// The policy, as `name` or `name:key=value,...`; `tiltyard policy list` shows all
    #[arg(long, default_value = DEFAULT_POLICY)]
    policy: String,
    /// A setting; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    settings: Vec<(String, Value)>,
    /// Output format: the id alone, or the whole experiment
    #[arg(long, value_enum, default_value = "text")]
    format: TextFormat,
    #[command(flatten)]
    connection: Connection,
}

/// The long help, with the settings as the arena declares them.
fn about() -> String {
    let line = |setting: &Setting| {
        let Setting { name, meaning, detail, note, legal, .. } = setting;
        let value = setting.default();
        let default = format!("{name}={}", value.as_deref().unwrap_or("..."));
        let words = match legal {
            Legal::Words(words) if !words.contains(&"true") => format!(": {}", words.join(", ")),
            _ => String::new(),
        };
        let note = match note {
            &"" => String::new(),
            note if value.is_none() => format!(" (default: {note})"),
            note => format!(" {}", note.trim()),
        };
        let (first, rest) = meaning.split_at(1);
        format!("\n  {default:<26} {}{rest}{detail}{words}{note}", first.to_lowercase())
    };
    let settings: String = SETTINGS.iter().map(line).collect();
    format!("Create a live experiment and print its id\n\nSettings with their defaults:{settings}")
}

impl New {
    pub(crate) fn run(self, printer: &mut Printer) -> Result<(), Failure> {
        let mut arms: Vec<ArmInput> = self.arms.into_iter().map(named).collect();
        if let Some(path) = &self.arms_file {
            arms.extend(from_file(path)?);
        }
        if arms.len() < 2 {
            let error = anyhow!("an experiment needs at least two arms, not {}", arms.len());
            return Err(Failure::bad_input(
                error,
                vec!["name arms with `--arm A --arm B`, or a file with `--arms-file FILE`".to_owned()],
            ));
        }
        let mut settings = Map::new();
        for (key, value) in self.settings {
            if settings.insert(key.clone(), value).is_some() {
                return Err(Failure::bad_input(anyhow!("the setting `{key}` is given twice"), Vec::new()));
            }
        }
        let client = self.connection.open()?;
        let body = json!({ "name": self.name, "arms": arms, "policy": self.policy, "settings": settings });
        let made = client.post("/v1/experiments", &body, Retry::Unsafe, printer)?;
        match self.format {
            TextFormat::Json => printer.line(made),
            TextFormat::Text => printer.line(plain(made["id"].as_str().unwrap_or_default())),
        }
        Ok(())
    }
}

/// Parses a setting for JSON: numbers and booleans as such, everything else as a string.
fn setting(text: &str) -> Result<(String, Value), String> {
    let (key, value) = text.split_once('=').filter(|(key, _)| !key.is_empty()).ok_or("must be KEY=VALUE")?;
    let value = match (number::whole(value), value.parse::<f64>(), value) {
        (Ok(whole), ..) => whole.into(),
        (_, Ok(real), _) if real.is_finite() => real.into(),
        (.., "true") => true.into(),
        (.., "false") => false.into(),
        _ => value.into(),
    };
    Ok((key.to_owned(), value))
}

/// An arm with nothing but a name.
pub(super) fn named(name: String) -> ArmInput {
    ArmInput::Name(ArmName(name))
}

/// Reads arms from a file.
pub(super) fn from_file(path: &Path) -> Result<Vec<ArmInput>, Failure> {
    let text = fs::read_to_string(path).with_context(|| format!("could not read {}", path.display()));
    let arms = text.and_then(|text| parse(&text).with_context(|| path.display().to_string()));
    arms.map_err(|error| {
        let hint = "write one name per line, or JSON: `[\"a\", {\"name\": \"b\", \"label\": \"B\", \"payload\": ...}]`";
        Failure::bad_input(error, vec![hint.to_owned()])
    })
}

fn parse(text: &str) -> Result<Vec<ArmInput>, anyhow::Error> {
    if !text.trim_start().starts_with('[') {
        let names = text.lines().map(str::trim).filter(|line| !line.is_empty());
        return Ok(names.map(|name| named(name.to_owned())).collect());
    }
    let arms: Vec<Value> = serde_json::from_str(text)?;
    arms.into_iter()
        .enumerate()
        .map(|(i, arm)| whole(arm).with_context(|| format!("arm {}", i + 1)))
        .collect()
}

/// Not parsed directly as an [`ArmInput`], whose error would not say what is wrong with an object.
fn whole(arm: Value) -> Result<ArmInput, anyhow::Error> {
    match arm {
        Value::String(name) => Ok(named(name)),
        Value::Object(_) => Ok(ArmInput::Full(serde_json::from_value(arm)?)),
        _ => Err(anyhow!("neither a name nor an object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trace_settings() {
        for (text, value) in [
            ("a=1e5", json!(100_000)),
            ("a=0.25", json!(0.25)),
            ("a=-1", json!(-1.0)),
            ("a=true", json!(true)),
            ("a=false", json!(false)),
            ("a=refuse", json!("refuse")),
            ("a=nan", json!("nan")),
            ("a=b=c", json!("b=c")),
        ] {
            assert_eq!(setting(text), Ok(("a".to_owned(), value)), "{text}");
        }
        for text in ["", "a", "=1"] {
            assert!(setting(text).is_err(), "{text}");
        }
    }

    #[test]
    fn trace_arms() {
        let arms = |text: &str| json!(parse(text).expect("arms"));
        assert_eq!(arms("a\n\n  b c \r\n"), json!(["a", "b c"]));
        let full = arms(r#" ["a", {"name": "b", "payload": [1]}]"#);
        assert_eq!(full, json!(["a", {"name": "b", "label": null, "payload": [1]}]));
        for text in ["[1]", "[", r#"[{"name": "a", "lable": "A"}]"#, r#"[{"label": "A"}]"#] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
