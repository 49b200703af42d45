//! The page that lists, creates and revokes keys.

use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;
use tiltyard_wire::ProblemCode;

use super::failure::Failure;
use super::form::Form;
use super::layout::{Page, token};
use super::visitor::Visitor;
use crate::app::{Problem, Shared, blocking};
use crate::id::{ExperimentId, KeyId};
use crate::key::{Action, Key, Scope};
use crate::time::Time;
use crate::{Arena, ArenaError};

pub(super) async fn keys(State(app): State<Shared>, visitor: Visitor) -> Result<Markup, Failure> {
    visitor.may(Action::Keys, None)?;
    let experiments = blocking(&app, names).await?;
    let mut keys = app.arena.keys();
    // Valid keys first; within each group, the newest first.
    let now = app.arena.now();
    keys.sort_by_key(|key| (!key.is_good(now), core::cmp::Reverse(key.at)));
    let body = html! {
        h1 { "Keys" }
        @if !visitor.has_keys { div.notice { p { "This server does not ask for keys: everyone on this machine may do everything." } } }
        section.card aria-labelledby="make-title" {
            h2 #make-title { "Create a key" }
            form.stack method="post" action="/keys" {
                (token(&visitor))
                div.field {
                    label for="scope" { "Permissions" }
                    select #scope name="scope" {
                        option value="reader" { "Read" }
                        option value="voter" { "Vote in one experiment" }
                        option value="writer" { "Create and change experiments, vote, read" }
                        option value="admin" { "Everything, including keys" }
                    }
                }
                div.field {
                    label for="experiment" { "Experiment" }
                    span.hint #experiment-hint { "A key for voting needs one experiment. A key for everything needs “All”." }
                    select #experiment name="experiment" aria-describedby="experiment-hint" {
                        option value="" { "All" }
                        @for (id, name) in &experiments { option value=(id) { (name) } }
                    }
                }
                div.field {
                    label for="label" { "Owner or purpose" }
                    input #label name="label" type="text" maxlength="200";
                }
                div.field {
                    label for="days" { "Expires after (days)" }
                    span.hint #days-hint { "Leave it empty for a key that never expires." }
                    input #days name="days" type="number" min="1" max="3660" inputmode="numeric" aria-describedby="days-hint";
                }
                div { button.primary { "Create the key" } }
            }
        }
        section.card aria-labelledby="keys-title" {
            h2 #keys-title { "All keys" }
            div.scroll role="group" aria-labelledby="keys-title" tabindex="0" {
                table {
                    thead { tr {
                        th scope="col" { "Key" } th scope="col" { "Permissions" } th scope="col" { "Experiment" } th scope="col" { "Owner or purpose" }
                        th scope="col" { "Created (UTC)" } th scope="col" { "Status" } th scope="col" { span.hidden { "Actions" } }
                    } }
                    tbody { @for key in &keys { (line(key, now, &experiments, &visitor)) } }
                }
            }
        }
    };
    Ok(Page { title: "Keys", assets: &[], body }.render(&visitor))
}

/// All experiments with their names.
fn names(arena: &Arena) -> Result<Vec<(ExperimentId, String)>, ArenaError> {
    let name = |id| Ok((id, arena.peek(id, |experiment| experiment.name().to_owned())?));
    arena.experiments().into_iter().map(name).collect()
}

fn line(key: &Key, now: Time, experiments: &[(ExperimentId, String)], visitor: &Visitor) -> Markup {
    let made = &key.made;
    let scope = match made.scope {
        Scope::Admin => "everything",
        Scope::Writer => "experiments",
        Scope::Voter => "voting",
        Scope::Reader => "reading",
    };
    let experiment = made.experiment.map(|id| {
        experiments
            .iter()
            .find(|(known, _)| *known == id)
            .map_or_else(|| id.to_string(), |(_, name)| name.clone())
    });
    let is_mine = visitor.grant().and_then(|grant| grant.key) == Some(made.key);
    let state = match (key.revoked, key.is_good(now)) {
        (Some(_), _) => "revoked",
        (None, false) => "expired",
        (None, true) => "valid",
    };
    let whose = match (&made.label, made.parent) {
        (Some(label), _) => label.clone(),
        (None, Some(parent)) => format!("session of {parent}"),
        (None, None) => String::new(),
    };
    html! {
        tr class=[(state != "valid").then_some("retired")] {
            th scope="row" { code { (made.key) } @if is_mine { " " span.pill { "yours" } } }
            td { (scope) }
            td { (experiment.unwrap_or_else(|| "all".to_owned())) }
            td { (whose) }
            td.number { (key.at.to_string().get(..16).unwrap_or_default().replace('T', " ")) }
            td { (state) @if let Some(expires) = made.expires.filter(|_| state == "valid") { span.soft.small { " until " (expires.to_string().get(..16).unwrap_or_default().replace('T', " ")) } } }
            td {
                @if state == "valid" {
                    form method="post" action="/keys/revoke" {
                        (token(visitor))
                        button.quiet.danger name="key" value=(made.key) { "Revoke" span.hidden { " " (made.key) } }
                    }
                }
            }
        }
    }
}

/// The form that creates a key.
#[derive(Debug, Deserialize)]
pub(super) struct KeyForm {
    scope: Scope,
    #[serde(default)]
    experiment: String,
    #[serde(default)]
    label: String,
    #[serde(default)]
    days: String,
}

pub(super) async fn make(
    State(app): State<Shared>,
    visitor: Visitor,
    Form(KeyForm { scope, experiment, label, days }): Form<KeyForm>,
) -> Result<Response, Failure> {
    visitor.may(Action::Keys, None)?;
    let invalid = |text: &str| Failure::from(Problem::invalid(text));
    let experiment: Option<ExperimentId> = match experiment.as_str() {
        "" => None,
        text => Some(text.parse().map_err(|_| Problem::from(ProblemCode::NoExperiment))?),
    };
    match (scope, experiment) {
        (Scope::Voter, None) => return Err(invalid("a key for voting needs an experiment")),
        (Scope::Admin, Some(_)) => return Err(invalid("a key for everything is for all experiments")),
        _ => {}
    }
    let label = Some(label.trim().to_owned()).filter(|label| !label.is_empty());
    if label.as_ref().is_some_and(|label| label.chars().count() > 200 || label.chars().any(char::is_control))
    {
        return Err(invalid(
            "the owner or purpose may have at most 200 characters and no control characters",
        ));
    }
    let expires = match days.trim() {
        "" => None,
        text => {
            let days = text.parse::<u64>().ok().filter(|days| (1..=3660).contains(days));
            let days = days.ok_or_else(|| invalid("a key expires after 1 to 3660 days"))?;
            Some(app.arena.now().plus_seconds(days * 24 * 3600))
        }
    };
    let (_, secret) = blocking(&app, move |arena| arena.make_key(scope, experiment, label, expires)).await?;
    let body = html! {
        h1 { "New key" }
        div.card {
            p { "Copy the key now: it is shown only once. If it is lost, create another." }
            p { code.secret { (secret.expose()) } }
        }
        p { a href="/keys" { "Back to all keys" } }
    };
    Ok(Page { title: "New key", assets: &[], body }.render(&visitor).into_response())
}

#[derive(Debug, Deserialize)]
pub(super) struct OneKey {
    key: String,
}

pub(super) async fn revoke(
    State(app): State<Shared>,
    visitor: Visitor,
    Form(OneKey { key }): Form<OneKey>,
) -> Result<Redirect, Failure> {
    visitor.may(Action::Keys, None)?;
    let key: KeyId = key.parse().map_err(|_| Problem::from(ProblemCode::NoKey))?;
    blocking(&app, move |arena| arena.revoke_key(key)).await?;
    Ok(Redirect::to("/keys"))
}
