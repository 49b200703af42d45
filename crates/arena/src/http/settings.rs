//! The settings of experiments in the OpenAPI document and as a table: their meanings, defaults and
//! allowed values.

use core::fmt::Write as _;

use utoipa::Number;
use utoipa::openapi::{Object, OpenApi, RefOr, Schema};

use crate::domain::{Legal, SETTINGS, Setting};

/// Copies the domain's descriptions of settings into the document.
pub(super) fn describe(document: &mut OpenApi) {
    let Some(components) = &mut document.components else { return };
    for (name, is_given) in [("SettingsBody", true), ("SettingsView", false)] {
        let Some(RefOr::T(Schema::Object(object))) = components.schemas.get_mut(name) else { continue };
        for setting in SETTINGS {
            let Setting { meaning, detail, .. } = setting;
            let text = match default(setting).as_str() {
                _ if !is_given => format!("{meaning}."),
                "" => format!("{meaning}{detail}."),
                default => format!("{meaning}{detail}. Default: {default}."),
            };
            match object.properties.get_mut(setting.name) {
                Some(RefOr::T(Schema::Object(value))) => {
                    value.description = Some(text);
                    if is_given {
                        limit(value, setting.legal);
                    }
                }
                Some(RefOr::Ref(word)) => word.description = text,
                Some(RefOr::T(Schema::OneOf(one_of))) => {
                    if let Some(RefOr::Ref(word)) = one_of.items.first_mut() {
                        word.description = text;
                    }
                }
                _ => {}
            }
        }
    }
}

/// All settings as a table in Markdown.
pub fn settings_table() -> String {
    let mut table = "| setting | default | allowed | meaning |\n|---|---|---|---|\n".to_owned();
    for setting in SETTINGS {
        let Setting { name, meaning, detail, legal, .. } = setting;
        let default = match default(setting) {
            none if none.is_empty() => "none".to_owned(),
            default => default,
        };
        let _ = writeln!(table, "| `{name}` | {default} | {legal} | {meaning}{detail} |");
    }
    table
}

/// The default of a setting as text; empty if it has no default.
fn default(setting: &Setting) -> String {
    format!("{}{}", setting.default().map(quoted).unwrap_or_default(), setting.note)
}

/// Puts words in quotes, but not numbers and booleans.
fn quoted(default: String) -> String {
    let is_plain = default.parse::<f64>().is_ok() || default.parse::<bool>().is_ok();
    if is_plain { default } else { format!("`{default}`") }
}

fn limit(value: &mut Object, legal: Legal) {
    match legal {
        Legal::Words(_) => {}
        Legal::AtLeast(low) => value.minimum = Some(number(low)),
        Legal::Range(low, high) => {
            (value.minimum, value.maximum) = (Some(number(low)), Some(number(high)));
        }
        Legal::Between(low, high) => {
            (value.exclusive_minimum, value.exclusive_maximum) = (Some(number(low)), Some(number(high)));
        }
    }
}

/// A limit in the document; whole numbers have no decimal point.
fn number(value: f64) -> Number {
    #[expect(clippy::cast_possible_truncation, reason = "limits are far below 2^53")]
    if value.fract() == 0.0 { Number::Int(value as isize) } else { Number::Float(value) }
}
